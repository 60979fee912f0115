#!/bin/sh
# selftest.sh python|node: the checks' own tests; exit 77 where what they need is not installed.
set -eu
cd "$(dirname "$0")"

case "${1:-}" in
python)
    if ! /usr/bin/python3 -c 'import numpy, zstandard, xxhash' 2>/dev/null; then
        echo "skipped: /usr/bin/python3 with numpy, zstandard and xxhash is needed"
        exit 77
    fi
    export PYTHONDONTWRITEBYTECODE=1
    /usr/bin/python3 test/test_parsers.py
    /usr/bin/python3 test/test_checks.py
    ;;
node)
    if ! command -v node >/dev/null || [ ! -d node_modules ]; then
        echo "skipped: node and 'npm ci' in tests/verify are needed"
        exit 77
    fi
    node --test test/
    ;;
*)
    echo "usage: selftest.sh python|node" >&2
    exit 2
    ;;
esac
