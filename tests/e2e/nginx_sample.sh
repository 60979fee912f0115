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
python3 - "$out/daemon" "$out/seen" <<'PYTHON' &
import http.server, socketserver, sys
seen = open(sys.argv[2], "a")
class Stand(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    address_string = log_message = lambda *_: ""
    def do_GET(self):
        print(self.requestline.split()[1], *sorted(self.headers.keys()), file=seen, flush=True)
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

# What libmicrohttpd would misread never gets there: each of these is one clean request, or refused. Which of the two differs between versions.
python3 - "$out/front" "$out/seen" <<'PYTHON'
import re, socket, ssl, sys
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
def ask(data):
    with socket.socket(socket.AF_UNIX) as raw:
        raw.settimeout(30)
        raw.connect(sys.argv[1])
        with context.wrap_socket(raw) as s:
            s.sendall(data)
            got = b""
            while part := s.recv(65536):
                got += part
    return [int(n) for n in re.findall(rb"^HTTP/1\.1 (\d+)", got, re.M)]
def row(name, headers, answers, line=b"GET /v1/status HTTP/1.1\r\nHost: skins.example.org\r\n", end=b"Connection: close\r\n\r\n", body=b""):
    before = len(open(sys.argv[2]).readlines())
    got = ask(line + headers + end + body)
    seen = open(sys.argv[2]).readlines()[before:]
    assert len(got) == 1 and got[0] in answers, (name, got)
    assert len(seen) == got.count(200), (name, seen)
    for request in seen:
        assert set(request.split()) <= {"/v1/status", "Host", "X-Forwarded-For", "X-A", "X-B"}, (name, request)
hidden = b"GET /hidden HTTP/1.1\r\nHost: skins.example.org\r\n\r\n"
row("nothing odd", b"X-B: b\r\n", [200])
row("no name before the colon", b": v\r\nX-B: b\r\n", [200, 400])
row("a request behind it", b": v\r\nGET http: //hidden/ HTTP/1.1\r\n", [200, 400])
row("folded line", b"X-B: a\r\n b\r\n", [200, 400])
row("folded coding", b"Transfer-Encoding:\r\n chunked\r\n", [200, 400])
row("blank before the colon", b"X-A : v\r\n", [200, 400])
row("no colon", b"X-A\r\n", [200, 400])
row("bare LF", b"X-B: b\n", [200], b"GET /v1/status HTTP/1.1\nHost: skins.example.org\n", b"Connection: close\n\n")
row("NUL in a value", b"X-B: a\0b\r\n", [400])
row("length and coding", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", [400], body=b"0\r\n\r\n" + hidden)
row("two lengths", b"Content-Length: 5\r\nContent-Length: 6\r\n", [400], body=hidden)
row("unknown coding", b"Transfer-Encoding: xchunked\r\n", [501], body=b"0\r\n\r\n" + hidden)
print("what hides requests does not get through")
PYTHON
