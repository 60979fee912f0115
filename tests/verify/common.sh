# shellcheck shell=bash
# shellcheck disable=SC2154  # riftbake, out, here and wanted are set by the scripts that source this
# What corpus.sh and demo.sh share: make a GLB, run every check on it, print the table.
# Both set `riftbake`, `out`, `here` and `wanted` before they source this file.

if ! /usr/bin/python3 -c 'import numpy, zstandard, xxhash' 2>/dev/null || ! command -v node >/dev/null ||
    [ ! -d "$here/node_modules" ]; then
    echo "skipped: python3 with numpy, zstandard, xxhash and node with 'npm ci' in tests/verify are needed"
    exit 77
fi
mkdir -p "$out"
out=$(realpath "$out")
export PYTHONDONTWRITEBYTECODE=1

names=() files=() poses=() packed_files=()
declare -A row allow seconds
failures=0

want() {
    [ ${#wanted[@]} -eq 0 ] && return 0
    local name
    for name in "${wanted[@]}"; do
        # shellcheck disable=SC2053  # names may be patterns
        [[ $1 == $name ]] && return 0
    done
    return 1
}

fail() {
    failures=$((failures + 1))
    echo "FAILED $*"
}

# make NAME CHECK-ARGUMENTS... -- RIFTBAKE-ARGUMENTS...: writes NAME.glb and checks its numbers.
make() {
    local name=$1 check=() start=${EPOCHREALTIME/[.,]/} tenths
    shift
    want "$name" || return 0
    while [ "$1" != -- ]; do
        check+=("$1")
        shift
    done
    shift
    names+=("$name")
    if ! "$riftbake" "$@" -o "$out/$name.glb" --report "$out/$name.report.json" >"$out/$name.log" 2>&1; then
        fail "$name: riftbake $* : $(tail -n 3 "$out/$name.log")"
        row[$name,bake]=FAILED
        return 0
    fi
    row[$name,bake]=ok
    tenths=$(((${EPOCHREALTIME/[.,]/} - start) / 100000))
    seconds[$name]=$((tenths / 10)).$((tenths % 10))
    node "$here/pixels.mjs" "$out/$name.glb" "$out/$name.pixels" >"$out/$name.pixels.txt" 2>&1 &&
        check+=(--pixels "$out/$name.pixels")
    if /usr/bin/python3 "$here/check_glb.py" "${check[@]}" --poses "$out/$name.poses.json" "$out/$name.glb" \
        >"$out/$name.numbers.txt" 2>&1; then
        row[$name,numbers]=ok
    else
        row[$name,numbers]=FAILED
        fail "$name: $(cat "$out/$name.numbers.txt")"
    fi
    rm -rf "$out/$name.pixels"
    [ -f "$out/$name.poses.json" ] || echo '{"joints":[],"animations":[]}' >"$out/$name.poses.json"
    files+=("$out/$name.glb")
    poses+=(--poses "$out/$name.poses.json")
}

# packed NAME OPTIONS RIFTBAKE-ARGUMENTS...: writes NAME.glb with OPTIONS, which say how numbers are written, and holds it against
# the file without them (in the column of numbers).
packed() {
    local name=$1 options
    want "$name" || return 0
    read -ra options <<<"$2"
    shift 2
    names+=("$name")
    row[$name,bake]=FAILED row[$name,numbers]=FAILED
    if ! "$riftbake" "$@" -q -o "$out/$name.plain.glb" >"$out/$name.log" 2>&1 ||
        ! "$riftbake" "$@" "${options[@]}" -q -o "$out/$name.glb" >>"$out/$name.log" 2>&1; then
        fail "$name: riftbake $* ${options[*]}: $(tail -n 3 "$out/$name.log")"
        return 0
    fi
    row[$name,bake]=ok
    if node "$here/compressed.mjs" "$out/$name.plain.glb" "$out/$name.glb" >"$out/$name.numbers.txt" 2>&1; then
        row[$name,numbers]=ok
        sed 's/^ok *//' "$out/$name.numbers.txt"
    else
        fail "$name: $(cat "$out/$name.numbers.txt")"
    fi
    packed_files+=("$out/$name.glb")
}

# looks NAME GAME ID [CHAMPION]: parts, textures, hidden parts and forms of NAME.glb and of the same skin with its hidden parts,
# against a listing made from the bins.
looked=0
looks() {
    local name=$1 game=$2 id=$3 champion=()
    [ -n "${4:-}" ] && champion=(--champion "$4")
    [ "${row[$name,bake]:-}" = ok ] || return 0
    if "$riftbake" bake --game "$game" --skin "$id" --clips none --hidden include -q -o "$out/$name.all.glb" 2>"$out/$name.all.log" &&
        /usr/bin/python3 "$here/check_looks.py" --game "$game" --skin "${id##*/}" "${champion[@]}" "$out/$name.glb" \
            "$out/$name.all.glb" >"$out/$name.looks.txt" 2>&1; then
        looked=$((looked + 1))
    else
        fail "$name: $(grep FAILED "$out/$name.looks.txt" || tail -n 3 "$out/$name.looks.txt" "$out/$name.all.log")"
    fi
    rm -f "$out/$name.all.glb"
}

# All files in one node process; its lines fill the other columns of the table.
node_checks() {
    local options=() name status check file rest
    files+=("${packed_files[@]}") # behind those with poses
    [ ${#files[@]} -eq 0 ] && return 0
    for name in "${!allow[@]}"; do options+=(--allow-extension "${allow[$name]}"); done
    node "$here/check.mjs" "${options[@]}" "${poses[@]}" "${files[@]}" >"$out/node.txt" 2>&1
    while read -r status check file rest; do
        case $status in
        ok | FAILED)
            name=$(basename "$file" .glb)
            row[$name,$check]=$status
            [ "$status" = ok ] || fail "$name: $check"
            ;;
        esac
    done <"$out/node.txt"
    grep -v '^ok ' "$out/node.txt"
    # A check that never spoke has not passed: node may have ended before it came to it.
    for file in "${files[@]}"; do
        name=$(basename "$file" .glb)
        for check in validate transform structure play; do
            [ -n "${row[$name,$check]:-}" ] || fail "$name: $check said nothing"
        done
    done
    return 0
}

table() {
    local name
    printf '%-45s %7s %8s %-7s %-8s %-9s %-9s %-9s %s\n' file seconds MB bake numbers validate transform structure play
    for name in "${names[@]}"; do
        printf '%-45s %7s %8s %-7s %-8s %-9s %-9s %-9s %s\n' "$name" "${seconds[$name]:--}" \
            "$([ -f "$out/$name.glb" ] && du -b "$out/$name.glb" | awk '{printf "%.2f", $1 / 1e6}' || echo -)" \
            "${row[$name,bake]:--}" "${row[$name,numbers]:--}" "${row[$name,validate]:--}" \
            "${row[$name,transform]:--}" "${row[$name,structure]:--}" "${row[$name,play]:--}"
    done
}
