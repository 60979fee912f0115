#!/bin/sh
# npm.sh FOLDER...: what the lock files of these folders, seen from tests/, name, from the npm registry. Asks the network only when a
# lock file changed since.
set -eu
cd "$(dirname "$0")"

for folder in "$@"; do
  stamp=$folder/node_modules/.stamp
  cmp -s "$folder/package-lock.json" "$stamp" && continue
  (cd "$folder" && npm ci --no-audit --no-fund --no-update-notifier --loglevel=error)
  mkdir -p "$folder/node_modules"
  cp "$folder/package-lock.json" "$stamp"
done
