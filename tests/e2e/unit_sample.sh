#!/bin/sh
# deploy/riftbaked.service as an installation puts it down: it starts the daemon of that prefix, and systemd takes it where it is at hand.
# usage: unit_sample.sh CMAKE BUILD_FOLDER
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$1" --install "$2" --component samples --prefix "$out/one" >"$out/log"
DESTDIR="$out/two" "$1" --install "$2" --component samples --prefix /opt/rift >>"$out/log"
[ -e "$out/one/share/riftbake/riftbaked.socket" ] || { cat "$out/log"; exit 1; }
for row in "$out/one $out/one/bin/riftbaked" "$out/two/opt/rift /opt/rift/bin/riftbaked"; do
  unit=${row%% *}/share/riftbake/riftbaked.service
  [ "$(sed -n 's/^ExecStart=//p' "$unit")" = "${row##* }" ] || { echo "$unit does not start ${row##* }:"; grep ExecStart "$unit"; exit 1; }
done

command -v systemd-analyze >/dev/null || { echo "no systemd-analyze: the unit is not verified"; exit 0; }
mkdir -p "$out/one/bin"
printf '#!/bin/sh\n' >"$out/one/bin/riftbaked"
chmod 755 "$out" "$out/one/bin/riftbaked"
said=$(systemd-analyze verify --man=no "$out/one/share/riftbake/riftbaked.service" "$out/one/share/riftbake/riftbaked.socket" 2>&1) ||
  { echo "$said"; exit 1; }
case "$said" in *riftbaked.*) echo "systemd says of the unit: $said"; exit 1 ;; esac
echo "systemd takes the unit"
