"""CPU a request, ours against nginx's for the same bytes and headers, and memory of idle connections. Run by hand:

    tests/bench/bench_http.py RIFTBAKED RIFTBAKE

Needs nginx and wrk. The server runs on one core, wrk on another; CPU is what the kernel counts for all its threads, divided by wrk's requests; interleaved rounds after one that
is dropped; the ratio is that of the medians, beside it that of the best rounds, which other work on the machine disturbs least. The GLB is one figure of the synthetic game with very dense keys:
by its content, as a skin, and as a range, which the daemon looks up anew each time, as it does with what nobody asked for during the last moments.
"""

import hashlib
import http.client
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

RIFTBAKED, RIFTBAKE = sys.argv[1:3]
ROUNDS = 7


def cpu_ns(pids):
    total = 0
    for pid in pids:
        for thread in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/schedstat" % (pid, thread)) as f:
                total += int(f.read().split()[0])
    return total


def load(pids, url, connections, seconds, headers):
    before = cpu_ns(pids)
    more = [arg for h in headers for arg in ("-H", h)]
    out = subprocess.run(["taskset", "-c", "1", "wrk", "-t1", "-c%d" % connections, "-d%ds" % seconds] + more + [url], stdout=subprocess.PIPE, check=True).stdout.decode()
    took = cpu_ns(pids) - before
    assert "Non-2xx" not in out and "Socket errors" not in out, out
    return took / 1000 / int(re.search(r"(\d+) requests in", out).group(1))


def get(address, path):
    c = http.client.HTTPConnection(*address, timeout=60)
    c.request("GET", path)
    r = c.getresponse()
    body = r.read()
    assert r.status == 200, (path, r.status, body[:200])
    return body, [(k, v) for k, v in r.getheaders() if k.lower() not in ("connection", "content-length", "date", "server", "etag", "last-modified", "accept-ranges", "content-type")], dict(r.getheaders())


def resident(pid):
    with open("/proc/%d/smaps_rollup" % pid) as f:
        return int(re.search(r"Pss:\s+(\d+) kB", f.read()).group(1)) * 1024


def main():
    root = tempfile.mkdtemp(prefix="rift-bench-")
    subprocess.run([RIFTBAKE, "demo-game", root + "/game", "-q"], check=True)
    flags = ["--game", root + "/game", "--data", root + "/data", "--listen", "127.0.0.1:0", "--connections", "2000", "--connections-per-address", "2000", "--idle", "600", "--scrub-interval", "0", "--serve-wait", "60"]
    daemon = subprocess.Popen(["taskset", "-c", "0", RIFTBAKED] + flags, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    nginx = None
    try:
        host, port = daemon.stdout.readline().decode().split()[-1].rsplit(":", 1)
        address = (host, int(port))
        glb, _, _ = get(address, "/v1/skins/9001001.glb?keys=dense:1000")
        sha = hashlib.sha256(glb).hexdigest()
        size_known = len(glb)
        path = "/v1/artifacts/%s.glb" % sha
        _, glb_headers, _ = get(address, path)
        body, json_headers, _ = get(address, "/livez")
        os.mkdir(root + "/www")
        with open(root + "/www/a.glb", "wb") as f:
            f.write(glb)
        with open(root + "/www/livez.json", "wb") as f:
            f.write(body)
        quote = lambda h: "\n".join("add_header %s '%s';" % (k, v.replace("'", "")) for k, v in h)
        with open(root + "/nginx.conf", "w") as f:
            f.write("""daemon off; worker_processes 1; pid %(r)s/pid; error_log /dev/null; user root;
events { worker_connections 4096; }
http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; open_file_cache max=100;
  server { listen 127.0.0.1:18799; root %(r)s/www;
    location /a.glb { types {} default_type model/gltf-binary; %(g)s }
    location /livez.json { types {} default_type application/json; %(j)s } } }
""" % {"r": root, "g": quote(glb_headers), "j": quote(json_headers)})
        nginx = subprocess.Popen(["taskset", "-c", "0", "nginx", "-e", "/dev/null", "-p", root, "-c", root + "/nginx.conf"])
        time.sleep(1)
        workers = [int(p) for p in subprocess.run(["pgrep", "-P", str(nginx.pid)], stdout=subprocess.PIPE).stdout.split()]
        ours = "http://%s:%d" % address
        busy, now = -1, cpu_ns([daemon.pid])
        while now - busy > 20e6:  # packs what it made
            time.sleep(2)
            busy, now = now, cpu_ns([daemon.pid])
        front = "http://127.0.0.1:18799"
        mb = "%.1f MB" % (size_known / 1e6)
        for what, mine, his, connections, headers in (("GLB of %s" % mb, ours + path, front + "/a.glb", 4, []),
                                                      ("GLB of %s, as a skin" % mb, ours + "/v1/skins/9001001.glb?keys=dense:1000", front + "/a.glb", 4, []),
                                                      ("GLB of %s, as a range" % mb, ours + path, front + "/a.glb", 4, ["Range: bytes=0-"]),
                                                      ("JSON of %d bytes" % len(body), ours + "/livez", front + "/livez.json", 64, [])):
            a, b = [], []
            for n in range(ROUNDS + 1):
                x, y = load([daemon.pid], mine, connections, 2, headers), load(workers, his, connections, 2, headers)
                if n:
                    a.append(x), b.append(y)
            a_mid, b_mid = statistics.median(a), statistics.median(b)
            print("%s: %.1f us a request (%.1f to %.1f), nginx %.1f (%.1f to %.1f), ratio of medians %.2f, of the best %.2f" % (what, a_mid, min(a), max(a), b_mid, min(b), max(b), a_mid / b_mid, min(a) / min(b)), flush=True)
        time.sleep(1)
        before = resident(daemon.pid)
        held = []
        for _ in range(1000):
            s = socket.create_connection(address)
            s.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            s.recv(4096)
            held.append(s)
        print("1000 idle connections: %.1f KB each" % ((resident(daemon.pid) - before) / 1000 / 1024), flush=True)
    finally:
        for p in (daemon, nginx):
            if p is not None:
                p.terminate()
                p.wait()
        shutil.rmtree(root)


main()
