#!/bin/bash
# demo.sh RIFTBAKE OUTDIR [ID...]
#
# Writes the synthetic game folder with RIFTBAKE demo-game, bakes every skin of it without the snap bake, and checks each
# GLB in every way there is: what corpus.sh does, without real files. Exit 1 on any failure, 77 where something is missing.
set -u

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -lt 2 ]; then
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
riftbake=$(realpath "$1") out=$2
shift 2
wanted=("$@")
# shellcheck source=common.sh
. "$here/common.sh"

game=$out/game
rm -rf "$game"
if ! "$riftbake" demo-game "$game" >"$out/demo-game.log" 2>&1; then
    echo "FAILED demo-game: $(tail -n 3 "$out/demo-game.log")"
    exit 1
fi
skins=$("$riftbake" skins --game "$game" --json 2>"$out/skins.log" |
    sed 's/},/}\n/g' | sed -n 's/.*"id":\([0-9]*\),"champion":"\([^"]*\)".*/\1 \2/p')
[ -n "$skins" ] || fail "the demo game has no skins"
while read -r id champion; do
    # One skin names a mesh that is in no archive: that must be an error, and the only reason for one.
    if "$here/check_glb.py" lacks-mesh --game "$game" --skin "$id" --champion "$champion" 2>"$out/$id.lacks.txt"; then
        code=0
        "$riftbake" bake --game "$game" --skin "$id" -o "$out/$id.glb" >"$out/$id.log" 2>&1 || code=$?
        if [ $code -ne 1 ] || ! grep -qi '\.skn' "$out/$id.log"; then
            fail "$id has no mesh: exit $code, says $(tail -n 1 "$out/$id.log")"
        fi
        continue
    fi
    make "$id" game --game "$game" --skin "$id" --champion "$champion" -- bake --game "$game" --skin "$id" --snap off
    allow[$id]=KHR_texture_transform
    looks "$id" "$game" "$id" "$champion"
done <<<"$skins"
# The knight, whose parts have every kind of alpha, in other formats.
knight() {
    local name=$1
    shift
    make "$name" game --game "$game" --skin 9001001 --champion "$knight" -- bake --game "$game" --skin 9001001 --snap off "$@"
}
knight=$(sed -n 's/^9001001 //p' <<<"$skins")
knight texture-webp --texture webp
allow[texture-webp]=EXT_texture_webp
knight texture-jpeg --texture jpeg
for compress in quantize meshopt; do
    for options in "" "--content mesh" "--units league --mirror off" "--keys cubic" "--pose Run@0.3"; do
        # shellcheck disable=SC2086
        packed "$compress${options// /}" "--compress $compress" bake --game "$game" --skin 9001001 --snap off $options
    done
done
packed joints-meshopt "--compress meshopt" bake --game "$game" --skin 9001001 --content animations
allow[quantize]=KHR_mesh_quantization
allow[meshopt]=EXT_meshopt_compression
# The pet has no id and is asked for by name: rare mesh forms, and a case of looks.
for number in 0 1 2 3 4 6 7 8 9; do
    name=brambleseed-$number
    make "$name" game --game "$game" --skin "$number" --champion brambleseed -- \
        bake --game "$game" --skin "brambleseed/$number" --snap off
    allow[$name]=KHR_texture_transform
    looks "$name" "$game" "brambleseed/$number" brambleseed
done
echo "$looked skins look as the bins list them"
node_checks
table
echo "$failures failures"
[ $failures -eq 0 ]
