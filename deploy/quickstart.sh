#!/bin/bash
# From a fresh Debian 12 to a GLB over HTTP: installs packages, builds, starts the daemon on a synthetic game folder (or on
# RIFT_GAME), posts a skin, fetches and checks the GLB. With --once it stops the daemon afterwards.
set -euo pipefail
game="${RIFT_GAME:+$(realpath -m "$RIFT_GAME")}"
unset RIFT_GAME
cd "$(dirname "$0")/.."

once=false
case "${1:-}" in
  "") ;;
  --once) once=true ;;
  *) echo "usage: deploy/quickstart.sh [--once]" >&2; exit 2 ;;
esac

# A second one would build in the same folder and empty the log of the first.
run=build/quickstart
mkdir -p "$run"
exec 9>"$run/lock"
flock -n 9 || { echo "another deploy/quickstart.sh runs here: stop it first" >&2; exit 1; }

# Without Node or a way to its packages the daemon is built without its page.
deploy/packages.sh viewer && tests/npm.sh ../server/web ||
  { echo "no Node or no npm packages: the page is left out" >&2; deploy/packages.sh build; }
cmake --preset release | sed -n 's/^-- \(Viewer left out\)/\1/p'
cmake --build --preset release --target riftbake riftbaked
riftbake=build/release/riftbake
riftbaked=build/release/riftbaked

skin="${RIFT_SKIN:-}"
if [ -z "$game" ]; then
  game="$run/game"
  "$riftbake" demo-game --quiet "$game"
  skin="${skin:-9001001}"
fi
if [ -z "$skin" ]; then
  # Lines are "157036<tab>yasuo/36"; a "-" is a pet, which has no id.
  skin=$("$riftbake" skins --game "$game" | awk '!found && $1 != "-" { print $1; found = 1 }')
  [ -n "$skin" ] || { echo "no champion's skin in $game" >&2; exit 1; }
fi

log="$run/riftbaked.log"
"$riftbaked" --game "$game" --data "$run/data" --listen "${RIFT_LISTEN:-127.0.0.1:0}" >"$run/address" 2>"$log" &
daemon=$!
stop() { kill "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null || true; }
trap stop EXIT INT TERM

url=""
for _ in $(seq 100); do
  address=$(sed -n 's/^listening on //p' "$run/address")
  [ -n "$address" ] && url="http://$address" && curl -fsS "$url/readyz" >/dev/null 2>&1 && break
  kill -0 "$daemon" 2>/dev/null || { echo "the daemon ended:" >&2; tail -n 5 "$log" >&2; exit 1; }
  sleep 0.1
done
[ -n "$url" ] || { echo "the daemon did not say where it listens" >&2; exit 1; }

echo "POST $url/v1/jobs {\"skin\":\"$skin\"}"
curl -sS --fail-with-body -H 'Content-Type: application/json' -H 'Prefer: wait=60' -d "{\"skin\":\"$skin\"}" \
  "$url/v1/jobs" >"$run/job.json" || { cat "$run/job.json" >&2; echo >&2; exit 1; }
echo "GET  $url/v1/skins/$skin.glb"
curl -fsS -o "$run/skin.glb" "$url/v1/skins/$skin.glb"
"$riftbake" inspect "$run/skin.glb"

if $once; then
  echo "the GLB: $run/skin.glb"
  exit 0
fi
echo
echo "the GLB: $run/skin.glb, or $url/v1/skins/$skin.glb for any glTF viewer"
if curl -fsS -o /dev/null "$url/" 2>/dev/null; then
  echo "the viewer: $url/#/$skin"
fi
echo "the API: $url/openapi.json"
echo "the daemon runs; stop it with Ctrl-C (log: $log)"
wait "$daemon"
