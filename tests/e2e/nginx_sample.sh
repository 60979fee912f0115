#!/bin/sh
# deploy/nginx/riftbake.conf as nginx -t sees it, with a certificate made here. 77: no nginx or no openssl.
set -eu
cd "$(dirname "$0")/../.."
command -v nginx >/dev/null && command -v openssl >/dev/null || { echo "SKIP: no nginx"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$out/key" -out "$out/certificate" -days 1 -subj /CN=test 2>/dev/null
{
  echo "pid $out/pid; error_log $out/log; events {} http {"
  sed "s#/etc/ssl/[a-z.]*\.pem#$out/certificate#; s#/etc/ssl/[a-z.]*\.key#$out/key#; s#/var/cache/nginx#$out#" deploy/nginx/riftbake.conf
  echo "}"
} > "$out/nginx.conf"
nginx -t -q -e "$out/log" -p "$out" -c "$out/nginx.conf"
echo "nginx takes the sample"
