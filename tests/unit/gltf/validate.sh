#!/bin/sh
# validate.sh TEST_BINARY: the official validator over the files that the writer's tests save. Exit 77 where it is not installed.
set -eu
verify="$(dirname "$0")/../../verify"
if ! command -v node >/dev/null || [ ! -d "$verify/node_modules" ]; then
    echo "skipped: node and 'npm ci' in tests/verify are needed"
    exit 77
fi
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
RIFT_GLB_OUT="$folder" "$1" saves_files
node "$verify/validate.mjs" --allow-extension KHR_node_visibility "$folder"/*.glb
