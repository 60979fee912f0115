#!/bin/sh
# Same input, same bytes: every skin of the synthetic game as a GLB and as a picture, by two builds, and by the first one under
# another locale.
# usage: same_bytes.sh RIFTBAKE_A RIFTBAKE_B
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A locale with a decimal comma, made here: a bare machine has none.
export LOCPATH="$work/locale"
mkdir "$LOCPATH"
localedef -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8"
[ "$(LC_ALL=de_DE.UTF-8 locale decimal_point)" = , ] || { echo "no locale with a decimal comma"; exit 1; }
# The game holds a skin that must fail, so the exit code of batch says nothing here.
"$1" demo-game --quiet "$work/game"
"$1" batch --quiet --game "$work/game" -o "$work/a" 2>/dev/null || true
"$2" batch --quiet --game "$work/game" -o "$work/b" 2>/dev/null || true
LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 "$1" batch --quiet --game "$work/game" -o "$work/c" 2>/dev/null || true
count=$(find "$work/a" -name '*.glb' | wc -l)
[ "$count" -ge 5 ] || { echo "only $count skins converted"; exit 1; }
for other in b c; do
  [ "$(find "$work/$other" -name '*.glb' | wc -l)" = "$count" ] || { echo "$other: another number of skins"; exit 1; }
  for file in "$work"/a/*.glb; do
    cmp "$file" "$work/$other/$(basename "$file")"
  done
done

# What options write by libraries or other arithmetic.
# usage: packed RIFTBAKE FOLDER
packed() {
  mkdir "$2"
  for options in "--texture webp --clips none" "--texture jpeg --clips none" "--compress quantize --texture none" \
    "--compress meshopt --texture none"; do
    # shellcheck disable=SC2086
    "$1" batch --quiet --game "$work/game" $options -o "$2/$(echo $options | tr ' ' _)" 2>/dev/null || true
  done
}
packed "$1" "$work/oa"
packed "$2" "$work/ob"
LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 packed "$1" "$work/oc"
written=$(find "$work/oa" -name '*.glb' | wc -l)
[ "$written" = "$((4 * count))" ] || { echo "$written files with options, $count skins"; exit 1; }
for other in ob oc; do
  (cd "$work/oa" && find . -name '*.glb') | while read -r file; do cmp "$work/oa/$file" "$work/$other/$file"; done
done

echo "$written files with options: the same bytes"

# usage: pictures RIFTBAKE FOLDER
pictures() {
  mkdir "$2"
  "$1" skins --quiet --game "$work/game" 2>/dev/null | cut -f2 | while read -r skin; do
    name=$(echo "$skin" | tr / -)
    "$1" render --quiet --game "$work/game" --skin "$skin" --turn 33 -o "$2/$name.png" 2>/dev/null || true
    "$1" render --quiet --game "$work/game" --skin "$skin" --size 64 --turn 201 -o "$2/$name.webp" 2>/dev/null || true
  done
  "$1" render --quiet --game "$work/game" --skin 9001001 --sheet --size 48 -o "$2/sheet.png"
}
pictures "$1" "$work/pa"
pictures "$2" "$work/pb"
LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 pictures "$1" "$work/pc"
drawn=$(find "$work/pa" -type f | wc -l)
[ "$drawn" -ge 15 ] || { echo "only $drawn pictures"; exit 1; }
for other in pb pc; do
  diff -r "$work/pa" "$work/$other" || exit 1
done
echo "$drawn pictures: the same bytes from both builds and in both locales"
echo "$count skins: the same bytes from both builds and in both locales"
