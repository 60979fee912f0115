#!/bin/sh
# What `cmake --install` puts where, built without tests as a packager does; and the command line built alone, which must
# not need the daemon's libraries.
set -eu
cd "$(dirname "$0")/../.."
out=$PWD/build/install
rm -rf "$out"

# build FOLDER OPTION...: configured for a user's machine, programs only.
build() {
  folder=$1
  shift
  cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_TESTING=OFF "$@" >/dev/null
  cmake --build "$folder" >/dev/null
}

has() {
  for file in "$@"; do
    [ -s "$out/$file" ] || { echo "not installed: $file"; exit 1; }
  done
}

build build/whole
DESTDIR=$out/whole cmake --install build/whole --prefix /usr >/dev/null
has whole/usr/bin/riftbake whole/usr/bin/riftbaked whole/usr/share/man/man1/riftbake.1 \
  whole/usr/share/bash-completion/completions/riftbake whole/usr/share/riftbake/riftbaked.service
"$out/whole/usr/bin/riftbake" --version
"$out/whole/usr/bin/riftbaked" --version
bash -n "$out/whole/usr/share/bash-completion/completions/riftbake"

build build/alone -DRIFT_SERVER=OFF
DESTDIR=$out/alone cmake --install build/alone --prefix /usr >/dev/null
has alone/usr/bin/riftbake
[ ! -e "$out/alone/usr/bin/riftbaked" ] || { echo "the daemon was built all the same"; exit 1; }
if ldd "$out/alone/usr/bin/riftbake" | grep -E 'libuv|libmicrohttpd'; then
  echo "the command line needs the daemon's libraries"
  exit 1
fi
"$out/alone/usr/bin/riftbake" demo-game --quiet "$out/game"
"$out/alone/usr/bin/riftbake" bake --quiet --game "$out/game" --skin 9001001 -o "$out/skin.glb"
echo "installed and run: $(ls "$out/whole/usr/bin" | tr '\n' ' ')"
