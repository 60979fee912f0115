#!/bin/bash
# metadata.sh RIFTBAKE OUTDIR [demo]
#
# Describes every real skin, with `demo` those of the synthetic game, and holds the metadata against its GLB and against the
# schemas (metadata.mjs); bakes chromas=variants where a skin has chromas and holds it against the chromas' own files
# (variants.mjs). With `demo` the daemon beside RIFTBAKE is asked too. Exit 1 on any failure, 77 where the real files are
# absent (RIFT_CORPUS, else ../shared/corpus beside the source folder) or something is missing.
set -u

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
riftbake=$(realpath "$1") out=$2 demo=${3:-}
corpus=${RIFT_CORPUS:-$(realpath -m "$here/../../../shared/corpus")}
if [ -z "$demo" ] && [ ! -d "$corpus/game" ]; then
    echo "skipped: no real files at $corpus (set RIFT_CORPUS)"
    exit 77
fi
if ! command -v node >/dev/null || [ ! -d "$here/node_modules/ajv" ]; then
    echo "skipped: node and 'npm ci' in tests/verify are needed"
    exit 77
fi
mkdir -p "$out"
failures=0 stems=() parents=()

fail() {
    failures=$((failures + 1))
    echo "FAILED $*"
}

if [ -n "$demo" ]; then
    game=$out/game
    rm -rf "$game"
    "$riftbake" demo-game "$game" -q >"$out/demo-game.log" 2>&1 || fail "demo-game"
else
    game=$corpus/game
fi

# Writes a result of one command to a file; what it says, to the log.
to() {
    local file=$1
    shift
    "$riftbake" "$@" --game "$game" -q -o "$file" 2>>"$out/log"
}

: >"$out/log"
while read -r id; do
    stem=$out/$id
    if ! to "$stem.meta.json" describe --skin "$id" --json; then
        # The one skin of each game whose mesh is in no archive.
        "$riftbake" describe --game "$game" --skin "$id" 2>&1 | grep -q '\.skn' || fail "$id: describe"
        continue
    fi
    { to "$stem.skeleton.json" describe --skin "$id" --skeleton --json &&
        to "$stem.glb" bake --skin "$id" --report "$stem.report.json" &&
        to "$stem.plain.glb" bake --skin "$id" --snap off --hidden include; } || fail "$id: $(tail -n 1 "$out/log")"
    stems+=("$stem")
    grep -q '"chromas":\[\]' "$stem.meta.json" && continue
    to "$stem.variants.glb" bake --skin "$id" --chromas variants || fail "$id: variants"
    parents+=("$stem")
done < <("$riftbake" skins --game "$game" --json -q | tr '{' '\n' | sed -n 's/^"id":\([0-9]*\),.*/\1/p')

# The daemon beside RIFTBAKE: with its state and its files the metadata is right too, before and after a conversion.
through_the_daemon() {
    local daemon=$(dirname "$riftbake")/riftbaked id=9001001 url address pid
    [ -x "$daemon" ] && [ -n "$demo" ] || return 0
    rm -rf "$out/data"
    "$daemon" --game "$game" --data "$out/data" --listen 127.0.0.1:0 --serve-wait 60 >"$out/address" 2>"$out/daemon.log" &
    pid=$!
    for _ in $(seq 300); do
        address=$(sed -n 's/^listening on //p' "$out/address")
        [ -n "$address" ] && break
        sleep 0.1
    done
    url=http://$address/v1/skins
    { curl -fsS -o "$out/never.json" "$url/$id" && curl -fsS -o "$out/again.glb" "$url/$id.glb" &&
        curl -fsS -o "$out/fresh.json" "$url/$id" && curl -fsS -o "$out/pet.json" "$url/brambleseed/1" &&
        curl -fsS -o "$out/joints.json" "$url/$id/skeleton"; } || fail "the daemon does not answer"
    node "$here/conforms.mjs" skin "$out/never.json" "$out/fresh.json" "$out/pet.json" || fail "the daemon's metadata"
    node "$here/conforms.mjs" skeleton "$out/joints.json" || fail "the daemon's joints"
    grep -q '"gpu_bytes"' "$out/fresh.json" || fail "no output in the daemon's metadata"
    kill "$pid"
    wait "$pid" || fail "the daemon ended with $?"
    rm -rf "$out/data" "$out/again.glb"
}

through_the_daemon
node "$here/metadata.mjs" "${stems[@]}" || fail "metadata"
[ ${#parents[@]} -gt 0 ] || fail "no skin with chromas"
node "$here/variants.mjs" "${parents[@]}" || fail "variants"
node "$here/check.mjs" --allow-extension KHR_texture_transform --allow-extension KHR_materials_variants \
    "${parents[@]/%/.variants.glb}" || fail "checks"
echo "${#stems[@]} skins, ${#parents[@]} with chromas, $failures failures"
[ $failures -eq 0 ]
