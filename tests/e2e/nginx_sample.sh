#!/bin/sh
# deploy/nginx/riftbake.conf as nginx takes it, with a certificate made here, in front of a stand-in for the daemon: what everybody may have is kept, what a
# token or a signed URL was needed for is asked for again each time. 77: no nginx or no openssl.
set -eu
cd "$(dirname "$0")/../.."
command -v nginx >/dev/null && command -v openssl >/dev/null || { echo "SKIP: no nginx"; exit 77; }
out=$(mktemp -d)
upstream=""
stop() {
  [ ! -e "$out/pid" ] || kill "$(cat "$out/pid")" 2>/dev/null || true
  [ -z "$upstream" ] || kill "$upstream" 2>/dev/null || true
  rm -rf "$out"
}
trap stop EXIT
# Of the folders that the sample may name, these are there on a fresh Debian with nginx-light; nginx itself makes only the last part of a path.
mkdir -p "$out/var/cache" "$out/var/lib/nginx" "$out/var/log/nginx"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$out/key" -out "$out/certificate" -days 1 -subj /CN=test 2>/dev/null
chmod 755 "$out"
sample() {
  [ "$(id -u)" != 0 ] || echo "user root;"
  echo "pid $out/pid; error_log $out/log; events {} http { access_log off;"
  sed "s#/etc/ssl/[a-z.]*\.pem#$out/certificate#; s#/etc/ssl/[a-z.]*\.key#$out/key#; s#/var/#$out/var/#" deploy/nginx/riftbake.conf
  echo "}"
}
sample > "$out/nginx.conf"
nginx -t -q -e "$out/log" -p "$out" -c "$out/nginx.conf"
echo "nginx takes the sample"

sample | sed "s#server 127.0.0.1:8780#server unix:$out/daemon#; s#listen 443.*#listen unix:$out/front ssl;#; /listen \[::\]/d" > "$out/nginx.conf"
python3 - "$out/daemon" <<'PYTHON' &
import http.server, socketserver, sys
class Stand(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    address_string = log_message = lambda *_: ""
    def do_GET(self):
        self.send_response(200)
        # What would be kept if the sample let it.
        self.send_header("Cache-Control", "public, max-age=60")
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"GLB")
socketserver.ThreadingUnixStreamServer(sys.argv[1], Stand).serve_forever()
PYTHON
upstream=$!
tries=0
until [ -S "$out/daemon" ]; do
  tries=$((tries + 1))
  [ "$tries" -lt 300 ] || { echo "no stand-in for the daemon"; exit 1; }
  sleep 0.1
done
nginx -e "$out/log" -p "$out" -c "$out/nginx.conf"

ask() { # what is expected, then curl's arguments
  want=$1
  shift
  got=$(curl -sk --http1.1 --unix-socket "$out/front" -o /dev/null -D - "$@" | sed -n 's/^X-Cache: \([A-Z]*\).*/\1/p')
  [ "$got" = "$want" ] || { echo "$*: X-Cache is \"$got\", not \"$want\""; cat "$out/log"; exit 1; }
}
glb=https://skins.example.org/v1/skins/157036.glb
ask MISS "$glb"
ask HIT "$glb"
for _ in 1 2; do
  ask BYPASS "$glb?exp=1999999999&sig=00"
  ask BYPASS "$glb" -H "Authorization: Bearer one"
done
echo "what needed a token or a signature is not kept"
