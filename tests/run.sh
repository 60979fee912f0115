#!/bin/sh
# Installs, builds and runs every test. Ends with ctest's own closing lines.
set -eu
cd "$(dirname "$0")/.."

deploy/packages.sh test
if [ -f tests/verify/package-lock.json ]; then
  # npm ci only when the lock file changed: the second run needs no network.
  stamp=tests/verify/node_modules/.stamp
  if ! cmp -s tests/verify/package-lock.json "$stamp"; then
    (cd tests/verify && npm ci --no-audit --no-fund --silent)
    cp tests/verify/package-lock.json "$stamp"
  fi
fi
cmake --preset release >/dev/null
cmake --build --preset release
exec ctest --preset release
