#!/bin/bash
# snaps.sh RIFTBAKE OUTDIR [demo]
#
# Bakes every real skin and set that has a graph with and without joint snaps, compares the two files with the game's events
# (check_snap.py), and runs the other checks on the baked ones; with `demo` the skins of the synthetic game. Exit 1 on any
# failure, 77 where the real files are absent (RIFT_CORPUS, else ../shared/corpus beside the source folder) or something is
# missing.
set -u

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ] || [ $# -gt 3 ]; then
    sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
riftbake=$(realpath "$1") out=$2 demo=${3:-}
corpus=${RIFT_CORPUS:-$(realpath -m "$here/../../../shared/corpus")}
if [ -z "$demo" ] && { [ ! -d "$corpus/game" ] || [ ! -d "$corpus/sets" ]; }; then
    echo "skipped: no real files at $corpus (set RIFT_CORPUS)"
    exit 77
fi
if ! /usr/bin/python3 -c 'import numpy, zstandard, xxhash' 2>/dev/null || ! command -v node >/dev/null ||
    [ ! -d "$here/node_modules" ]; then
    echo "skipped: python3 with numpy, zstandard, xxhash and node with 'npm ci' in tests/verify are needed"
    exit 77
fi
mkdir -p "$out"
export PYTHONDONTWRITEBYTECODE=1
failures=0 files=() poses=()

fail() {
    failures=$((failures + 1))
    echo "FAILED $*"
}

# compare NAME CHECK-ARGUMENTS... -- RIFTBAKE-ARGUMENTS...
compare() {
    local name=$1 check=() on off
    shift
    while [ "$1" != -- ]; do
        check+=("$1")
        shift
    done
    shift
    on=$out/$name.glb off=$out/$name.off.glb
    TIMEFORMAT=%U
    local seconds_on seconds_off
    seconds_on=$({ time "$riftbake" "$@" -o "$on" >"$out/$name.log" 2>&1; } 2>&1)
    seconds_off=$({ time "$riftbake" "$@" --snap off -o "$off" >>"$out/$name.log" 2>&1; } 2>&1)
    echo "$name: $seconds_on s with, $seconds_off s without; $(stat -c %s "$on" "$off" | tr '\n' ' ')bytes"
    "$here/check_snap.py" "${check[@]}" --poses "$out/$name.poses.json" "$off" "$on" || fail "$name"
    files+=("$on")
    poses+=(--poses "$out/$name.poses.json")
    rm -f "$off"
}

demo_skins() {
    local game=$out/game id champion
    rm -rf "$game"
    "$riftbake" demo-game "$game" >"$out/demo-game.log" 2>&1 || fail "demo-game"
    while read -r id champion; do
        # One skin's mesh is in no archive.
        "$here/check_glb.py" lacks-mesh --game "$game" --skin "$id" --champion "$champion" 2>/dev/null && continue
        compare "$id" game --game "$game" --skin "$id" --champion "$champion" -- bake --game "$game" --skin "$id"
    done < <("$riftbake" skins --game "$game" --json 2>/dev/null |
        sed 's/},/}\n/g' | sed -n 's/.*"id":\([0-9]*\),"champion":"\([^"]*\)".*/\1 \2/p')
}

real_skins() {
    local id set=$corpus/sets/aatrox sources
    for id in 157000 157001 157002 157003 157004 157005 157017 157018 157019 157027 157035 157036 157037; do
        compare $id game --game "$corpus/game" --skin $id -- bake --game "$corpus/game" --skin $id
    done
    if [ -f "$set/skin0-merged.bin" ]; then
        sources=(--skn "$(echo "$set"/*.skn)" --skl "$(echo "$set"/*.skl)" --bin "$set/skin0-merged.bin")
        compare aatrox set "${sources[@]}" -- convert "${sources[@]}" --anm "$set/animations"
    fi
}

if [ -n "$demo" ]; then demo_skins; else real_skins; fi
node "$here/check.mjs" --allow-extension KHR_texture_transform "${poses[@]}" "${files[@]}" >"$out/node.txt" 2>&1 ||
    fail "node: $(grep -v '^ok ' "$out/node.txt")"
echo "node checks: $(grep -c '^ok ' "$out/node.txt") ok"
echo "$failures failures"
[ $failures -eq 0 ]
