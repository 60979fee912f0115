#!/bin/bash
# corpus.sh RIFTBAKE OUTDIR [NAME...]
#
# Bakes every skin and set of the real files with RIFTBAKE, checks each GLB in every way there is, asks the daemon beside
# RIFTBAKE for the same bytes, inspects every loose file, and prints a table. With names only those rows are made. Exit 1
# on any failure, 77 where the files are absent (RIFT_CORPUS, else ../shared/corpus beside the source folder) or something
# the checks need is missing.
set -u

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
riftbake=$(realpath "$1") out=$2
shift 2
wanted=("$@")
corpus=${RIFT_CORPUS:-$(realpath -m "$here/../../../shared/corpus")}
if [ ! -d "$corpus/game" ] || [ ! -d "$corpus/sets" ]; then
    echo "skipped: no real files at $corpus (set RIFT_CORPUS)"
    exit 77
fi
# shellcheck source=common.sh
. "$here/common.sh"

skins="157000 157001 157002 157003 157004 157005 157017 157018 157019 157027 157035 157036 157037"

skin() {
    local name=$1 id=$2
    shift 2
    make "$name" game --game "$corpus/game" --skin "$id" -- bake --game "$corpus/game" --skin "$id" --snap off "$@"
}

# set_of NAME SKN SKL ANM [OPTIONS...]; SKL and ANM may be empty, ANM a folder or files separated by newlines.
set_of() {
    local name=$1 skn=$2 skl=$3 anm=$4 sources=() item
    shift 4
    sources=(--skn "$skn")
    [ -n "$skl" ] && sources+=(--skl "$skl")
    while read -r item; do [ -n "$item" ] && sources+=(--anm "$item"); done <<<"$anm"
    make "$name" set "${sources[@]}" "${bins[@]}" "${textures[@]}" -- \
        convert "${sources[@]}" "${bins[@]}" "${textures[@]/#--texture/--texture-file}" --snap off "$@"
}

all_sets() {
    local folder name skn skl anm stem texture
    for folder in "$corpus"/sets/*/; do
        folder=${folder%/} name=$(basename "$folder")
        for skn in "$folder"/*.skn; do
            stem=${skn%.*}
            skl=$stem.skl
            [ -f "$skl" ] || skl=$(find "$folder" -maxdepth 1 -name '*.skl' | head -n 1)
            anm=$folder/animations
            [ -d "$anm" ] || anm=$(find "$folder" -maxdepth 1 -name '*.anm' | sort)
            [ "$(find "$folder" -maxdepth 1 -name '*.skn' | wc -l)" -gt 1 ] && anm=$stem.anm
            textures=()
            texture=$(find "$folder" -maxdepth 1 -iname '*.dds' | head -n 1)
            [ -n "$texture" ] && textures=(--texture "$texture")
            [ "$anm" = "$stem.anm" ] && name=$(basename "$stem")
            set_of "$name" "$skn" "$skl" "$anm"
            textures=()
        done
    done
}

loose_meshes() {
    local skn stem
    for skn in "$corpus"/files/skn/*.skn; do
        stem=${skn%.skn}
        set_of "$(basename "$stem")" "$skn" "$([ -f "$stem.skl" ] && echo "$stem.skl")" ""
    done
}

# One source under the options that change what is written.
variants() {
    local folder=$corpus/sets/kindredwolf skn skl
    skn=$(echo "$folder"/*.skn) skl=$(echo "$folder"/*.skl)
    set_of units-league "$skn" "$skl" "$folder/animations" --units league
    set_of mirror-off "$skn" "$skl" "$folder/animations" --mirror off
    set_of content-mesh "$skn" "$skl" "$folder/animations" --content mesh
    set_of content-rig "$skn" "$skl" "$folder/animations" --content rig
    set_of shading-pbr "$skn" "$skl" "$folder/animations" --shading pbr
    allow[shading-pbr]=KHR_materials_specular
    skin hidden-include 157017 --hidden include
    allow[hidden-include]=KHR_node_visibility
    skin additive-raw 157003 --additive raw
    skin keys-cubic 157003 --keys cubic
    skin keys-dense 157003 --keys dense:60
    skin timing-game 157003 --timing game
    local compress id
    for compress in quantize meshopt; do
        for id in 157000 157036; do packed $compress-$id "--compress $compress" bake --game "$corpus/game" --skin $id; done
        for id in aatrox ezreal_skin21; do
            packed $compress-$id "--compress $compress" convert --skn "$(echo "$corpus/sets/$id"/*.skn)" \
                --skl "$(echo "$corpus/sets/$id"/*.skl)" --anm "$corpus/sets/$id/animations"
        done
        packed $compress-kindredwolf "--compress $compress" convert --skn "$skn" --skl "$skl" --anm "$folder/animations"
        packed $compress-mesh "--compress $compress" bake --game "$corpus/game" --skin 157036 --content mesh
    done
    allow[quantize]=KHR_mesh_quantization
    allow[meshopt]=EXT_meshopt_compression
    skin texture-webp 157036 --texture webp
    allow[texture-webp]=EXT_texture_webp
    skin texture-jpeg 157036 --texture jpeg
    local merged=$corpus/sets/aatrox/skin0-merged.bin
    if [ -f "$merged" ]; then
        bins=(--bin "$merged")
        set_of aatrox-graph "$(echo "$corpus"/sets/aatrox/*.skn)" "$(echo "$corpus"/sets/aatrox/*.skl)" "$corpus/sets/aatrox/animations"
        bins=()
    fi
}

# A skin whose mesh lies in another archive fails with exit 1 and says what is missing.
must_fail() {
    local code=0
    want 157034 || return 0
    rm -f "$out/157034.glb"
    "$riftbake" bake --game "$corpus/game" --skin 157034 --snap off -o "$out/157034.glb" >"$out/157034.log" 2>&1 || code=$?
    if [ $code -ne 1 ] || [ -e "$out/157034.glb" ] || ! grep -qi 'skn' "$out/157034.log"; then
        fail "157034: exit $code, says: $(head -n 3 "$out/157034.log")"
    else
        echo "157034 fails as it must: $(head -n 1 "$out/157034.log")"
    fi
}

same_bytes() {
    local name=157003
    [ "${row[$name,bake]:-}" = ok ] || return 0
    LC_ALL=de_DE.UTF-8 "$riftbake" bake --game "$corpus/game" --skin $name --snap off -o "$out/again.glb" >/dev/null 2>&1
    if cmp "$out/$name.glb" "$out/again.glb"; then
        echo "$name: the same bytes again under another locale"
    else
        fail "$name: a second run wrote other bytes"
    fi
    rm -f "$out/again.glb"
}

# The daemon beside RIFTBAKE gives the same bytes for every skin made here, and refuses the one that must fail.
through_the_daemon() {
    local daemon=$(dirname "$riftbake")/riftbaked address url id count=0 status pid
    [ -x "$daemon" ] && want daemon || return 0
    rm -rf "$out/data"
    "$daemon" --game "$corpus/game" --data "$out/data" --listen 127.0.0.1:0 --serve-wait 60 >"$out/daemon.address" 2>"$out/daemon.log" &
    pid=$!
    for _ in $(seq 300); do
        address=$(sed -n 's/^listening on //p' "$out/daemon.address")
        [ -n "$address" ] && break
        sleep 0.1
    done
    url=http://$address/v1/skins
    for id in $skins; do
        [ "${row[$id,bake]:-}" = ok ] || continue
        if curl -fsS -o "$out/again.glb" "$url/$id.glb?snap=off" && cmp "$out/$id.glb" "$out/again.glb"; then
            count=$((count + 1))
        else
            fail "$id: the daemon gives other bytes"
        fi
    done
    status=$(curl -s -o "$out/157034.json" -w '%{http_code}' "$url/157034.glb?snap=off")
    if [ "$status" != 422 ] || ! grep -q '"stage":"mesh"' "$out/157034.json"; then
        fail "157034 through the daemon: $status $(cat "$out/157034.json")"
    fi
    kill "$pid"
    wait "$pid" || fail "the daemon ended with $?"
    rm -rf "$out/again.glb" "$out/data"
    echo "$count skins: the same bytes through the daemon"
}

# A run with an attack over it through the game's own mask, from its definition; the same bytes as a job of the daemon.
over_a_run() {
    local name=run-and-attack
    want $name || return 0
    if "$here/layers.py" "$riftbake" --game "$corpus/game" --skin 157001 --champion yasuo --run Run2 --attack Attack1 \
        --mask 0x8f3b0f3d --daemon "$(dirname "$riftbake")/riftbaked" --out "$out/$name.glb" >"$out/$name.txt" 2>&1; then
        echo "$name: $(tail -n 1 "$out/$name.txt")"
        if ! node "$here/validate.mjs" "$out/$name.glb" >>"$out/$name.txt" || ! node "$here/play.mjs" "$out/$name.glb" >>"$out/$name.txt"; then
            fail "$name: $(tail -n 3 "$out/$name.txt")"
        fi
    else
        fail "$name: $(tail -n 5 "$out/$name.txt")"
    fi
}

# Bytes of a file.
bytes() { stat -c %s "$out/sizes/$1.glb"; }

# What is saved, by row: NAME SMALL LARGE LIMIT-IN-THOUSANDTHS.
smaller() {
    local name=$1 small=$2 large=$3 limit=$4 ratio
    ratio=$((1000 * $(bytes "$small") / $(bytes "$large")))
    printf '%-16s %-9s %9d of %-9s %9d bytes: 0.%03d (at most 0.%03d)\n' "$name" "$small" "$(bytes "$small")" "$large" "$(bytes "$large")" $ratio "$limit"
    [ $ratio -le "$limit" ] || fail "$name: $small is 0.$ratio of $large"
}

# Sizes without textures against the plain exporter's file, and of the profiles against each other. A set of clips of whole frames
# comes to the goals of compression (S1 0.15, S3 0.10) within what is asked of clips since: every component that any clip moves.
sizes() {
    local folder skn skl name id mode
    want sizes || return 0
    mkdir -p "$out/sizes"
    for name in aatrox ezreal_skin21; do
        folder=$corpus/sets/$name
        [ -d "$folder" ] || continue
        skn=$(echo "$folder"/*.skn) skl=$(echo "$folder"/*.skl)
        for mode in --naive "--compress none" "--compress quantize" "--compress meshopt"; do
            # shellcheck disable=SC2086
            "$riftbake" convert --skn "$skn" --skl "$skl" --anm "$folder/animations" --texture none $mode -q -o "$out/sizes/${mode##*[- ]}.glb" ||
                fail "$name $mode"
        done
        case $name in
        aatrox)
            smaller $name none naive 250
            smaller $name quantize naive 190
            smaller $name meshopt naive 107
            ;;
        *) # its clips are compressed ones, whose keys the plain exporter copies too
            smaller $name quantize naive 350
            smaller $name meshopt naive 205
            ;;
        esac
    done
    for id in 157000 157036; do
        for mode in full web lite archive; do
            "$riftbake" bake --game "$corpus/game" --skin $id --profile $mode -q -o "$out/sizes/$mode.glb" || fail "$id $mode"
        done
        smaller $id web full 460
        smaller $id lite full 170
        smaller $id archive full 890
    done
    rm -rf "$out/sizes"
}

inspect_all() {
    local file code total=0
    want inspect || return 0
    while read -r file; do
        code=0
        total=$((total + 1))
        "$riftbake" inspect "$file" >"$out/inspect.txt" 2>&1 || code=$?
        case $file in
        */newline-mangled.dds)
            if [ $code -ne 1 ] || ! grep -q newline "$out/inspect.txt"; then
                fail "inspect $file: exit $code, should be refused by name: $(head -n 2 "$out/inspect.txt")"
            fi
            ;;
        *) [ $code -eq 0 ] || fail "inspect $file: exit $code: $(head -n 2 "$out/inspect.txt")" ;;
        esac
    done < <(find "$corpus/files" -type f | sort)
    echo "inspected $total files"
}

bins=() textures=()
for id in $skins; do
    skin "$id" "$id"
    looks "$id" "$corpus/game" "$id"
done
echo "$looked skins look as the bins list them"
all_sets
loose_meshes
variants
must_fail
same_bytes
through_the_daemon
over_a_run
sizes
inspect_all
node_checks
table
echo "$failures failures"
[ $failures -eq 0 ]
