#!/bin/sh
# Installs what the project needs from the system's packages: packages.sh build|viewer|test|check
#   build: compile and run     viewer: also build the page     test: also run tests/run.sh     check: also run .ci/run
# Does nothing, and needs no network, when everything is there.
set -eu

build="build-essential cmake ninja-build pkg-config ca-certificates curl
  libmicrohttpd-dev libuv1-dev libcjson-dev libsqlite3-dev zlib1g-dev libzstd-dev libxxhash-dev
  libdeflate-dev libwebp-dev libturbojpeg0-dev libmeshoptimizer-dev libssl-dev libcurl4-openssl-dev"
test="python3 python3-numpy python3-zstandard python3-xxhash libpng-dev libisal-dev sqlite3 locales nginx-light wrk"
check="clang clang-format clang-tidy libclang-rt-14-dev llvm-14 chromium git"

case "${1:-build}" in
  build | viewer) wanted="$build" ;;
  test) wanted="$build $test" ;;
  check) wanted="$build $test $check" ;;
  *) echo "usage: packages.sh build|viewer|test|check" >&2; exit 2 ;;
esac

missing=""
for package in $wanted; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done

# Node 18 or newer builds the viewer and runs the checks in tests/verify; any way of installing it will do.
if [ "${1:-build}" != build ]; then
  command -v node >/dev/null 2>&1 || missing="$missing nodejs"
  command -v npm >/dev/null 2>&1 || missing="$missing npm"
fi
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null 2>&1 || { echo "need root or sudo to install:$missing" >&2; exit 1; }
  as_root=sudo
fi
echo "installing:$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
