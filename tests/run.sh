#!/bin/sh
# Installs, builds and runs every test. Ends with ctest's own closing lines.
set -eu
cd "$(dirname "$0")/.."

deploy/packages.sh test
tests/npm.sh verify ../server/web
cmake --preset release >/dev/null
cmake --build --preset release
exec ctest --preset release
