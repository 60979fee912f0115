"""End to end: the daemon over real sockets, on 127.0.0.1 port 0.

usage: test_daemon.py RIFTBAKED_TEST RIFTBAKED RIFTBAKE WRITE_DEMO [NAME...|WHICH/OF]

RIFTBAKED_TEST is the daemon with conversions that files steer (test_daemon_main.c), RIFTBAKED the real one. Nothing
here sleeps for luck: every wait is for an event, with a deadline.
"""

import base64
import concurrent.futures
import hashlib
import hmac
import http.client
import json
import os
import pty
import re
import resource
import shutil
import signal
import socket
import sqlite3
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

STEERED, REAL, COMMAND, WRITE_DEMO = sys.argv[1:5]
DEADLINE = 30.0
JSON = {"Content-Type": "application/json"}
failures = 0


class Failed(Exception):
    pass


def check(ok, *what):
    if not ok:
        raise Failed(" ".join(str(w) for w in what))


def equal(got, want, what):
    check(got == want, what, "is", repr(got), "not", repr(want))


def wait_until(event, what, seconds=DEADLINE):
    end = time.monotonic() + seconds
    while True:
        value = event()
        if value:
            return value
        check(time.monotonic() < end, "no", what, "within", seconds, "s")
        time.sleep(0.01)


class Reply:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = {k.lower(): v for k, v in response.getheaders()}
        self.varies = response.msg.get_all("Vary", [])
        self.body = body

    def json(self):
        return json.loads(self.body)


class Daemon:
    """One run of a daemon. The data folder and the steering folder outlive it."""

    def __init__(self, box, *flags, program=STEERED, game=None, env=None):
        self.box = box
        env = dict(os.environ, RIFT_TEST_STEER=box.steer, **(env or {}))
        args = [program, "--game", game or box.game, "--data", box.data, "--listen", "127.0.0.1:0"]
        if not any(f.startswith("--workers") for f in flags):
            args.append("--workers=2")
        if not any(f.startswith("--disk-reserve") for f in flags):
            args.append("--disk-reserve=0")  # however full this machine's disk is
        self.log = open(os.path.join(box.root, "log"), "ab")
        self.process = subprocess.Popen(args + list(flags), stdout=subprocess.PIPE, stderr=self.log, env=env)
        line = self.process.stdout.readline().decode()
        check(line.startswith("listening on "), "no address:", repr(line), box.tail())
        host, port = line.split()[-1].rsplit(":", 1)
        self.address = (host, int(port))

    def request(self, method, path, body=None, headers=None, timeout=DEADLINE):
        c = http.client.HTTPConnection(*self.address, timeout=timeout)
        try:
            c.request(method, path, body=body, headers=headers or {})
        except (BrokenPipeError, ConnectionResetError):
            pass  # answered before the body was read
        r = c.getresponse()
        reply = Reply(r, r.read())
        c.close()
        return reply

    def get(self, path, headers=None):
        return self.request("GET", path, headers=headers)

    def post(self, body, headers=None):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.request("POST", "/v1/jobs", data, dict(JSON, **(headers or {})))

    def raw(self, data, timeout=DEADLINE):
        """Everything that comes back until the other side closes."""
        s = socket.create_connection(self.address, timeout=timeout)
        s.sendall(data)
        got = b""
        try:
            while True:
                part = s.recv(65536)
                if not part:
                    break
                got += part
        except ConnectionResetError:
            pass
        s.close()
        return got

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, seconds=DEADLINE):
        code = self.process.wait(seconds)
        self.process.stdout.close()
        self.log.close()
        return code

    def stop(self):
        self.signal(signal.SIGTERM)
        equal(self.wait(), 0, "exit code after SIGTERM")

    def kill(self):
        self.process.kill()
        self.wait()


class Box:
    """Folders of one test."""

    def __init__(self, root, games):
        self.root = root
        self.game, self.other_game = games
        self.data = os.path.join(root, "data")
        self.steer = os.path.join(root, "steer")
        os.mkdir(self.steer)

    def order(self, skin, *lines):
        with open(os.path.join(self.steer, skin), "w") as f:
            f.write("".join(line + "\n" for line in lines))

    def open_gate(self, skin):
        with open(os.path.join(self.steer, "open-" + skin), "w"):
            pass

    def starts(self, skin=None):
        try:
            with open(os.path.join(self.steer, "starts")) as f:
                lines = f.read().split()
        except FileNotFoundError:
            return 0
        return len(lines) if skin is None else lines.count(skin)

    def blobs(self):
        found = []
        for folder, _, names in os.walk(os.path.join(self.data, "blobs")):
            found += [os.path.join(folder, n) for n in names]
        return found

    def glbs(self):
        """Without the packed variants."""
        return [path for path in self.blobs() if not is_packed(path)]

    def log_text(self):
        """Of all daemons so far; nothing where a test has started none."""
        if not os.path.exists(os.path.join(self.root, "log")):
            return b""
        with open(os.path.join(self.root, "log"), "rb") as f:
            return f.read()

    def tail(self):
        return self.log_text()[-2000:].decode(errors="replace")

    def check_blobs(self):
        """A file is complete or absent: its name is its content."""
        for path in self.blobs():
            with open(path, "rb") as f:
                equal(os.path.basename(path), hashlib.sha256(f.read()).hexdigest(), "name of a blob")


def is_packed(path):
    with open(path, "rb") as f:
        return f.read(4)[:2] in (b"\x28\xb5", b"\x1f\x8b")


def expected_glb(number, size=1000, options=""):
    text = options.encode()
    period = 256 * max(1, len(text))
    one = bytes((i * 31 + number + (text[i % len(text)] if text else 0)) & 255 for i in range(period))
    return (one * (size // period + 1))[:size]


def problem(reply, status, code):
    equal(reply.status, status, "status (" + code + ")")
    equal(reply.headers.get("content-type"), "application/problem+json", "type of a problem")
    equal(reply.headers.get("access-control-allow-origin"), "*", "CORS of a problem")
    doc = reply.json()
    equal(doc["code"], code, "code")
    equal(doc["status"], status, "status in the document")
    for member in ("type", "title", "detail", "retryable"):
        check(member in doc, "no", member, "in", doc)
    if status == 503:
        check(int(reply.headers["retry-after"]) >= 1, "Retry-After of a 503")
    return doc


# ---- tests: each gets a Box ----


def rows(box):
    """One row per route and answer."""
    box.order("bramble-2", "fail FORMAT")
    d = Daemon(box)
    table = [
        # method, path, headers, body, status, code of a problem
        ("GET", "/livez", {}, None, 200, None),
        ("HEAD", "/livez", {}, None, 200, None),
        ("GET", "/readyz", {}, None, 200, None),
        ("GET", "/openapi.json", {}, None, 200, None),
        ("POST", "/livez", {}, b"", 405, "method_not_allowed"),
        ("POST", "/", {}, b"", 405, "method_not_allowed"),
        ("GET", "/page", {}, None, 404, "unknown_route"),
        ("GET", "/metrics", {}, None, 200, None),
        ("HEAD", "/metrics", {}, None, 200, None),
        ("POST", "/metrics", {}, b"", 405, "method_not_allowed"),
        ("GET", "/metrics", {"Accept": "image/png"}, None, 406, "not_acceptable"),
        ("GET", "/v1/status", {}, None, 200, None),
        ("GET", "/v1/status", {"Accept": "image/png"}, None, 406, "not_acceptable"),
        ("DELETE", "/v1/status", {}, None, 405, "method_not_allowed"),
        ("GET", "/v1", {}, None, 404, "unknown_route"),
        ("GET", "/v2/skins", {}, None, 404, "unknown_route"),
        ("GET", "/v1/skins", {}, None, 200, None),
        ("GET", "/v1/skins?champion=shaco", {}, None, 200, None),
        ("GET", "/v1/skins?nonsense=1", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/skins?limit=0", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/skins?limit=1001", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/skins?after=x", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/skins?limit=1&limit=2", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/skins?q=a&q=a", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/skins?" + "&".join("x%d=" % i for i in range(1000)), {}, None, 400, "bad_parameter"),
        ("GET", "/v1/skins?" + "&" * 5000 + "champion=shaco", {}, None, 200, None),
        ("PUT", "/v1/skins", {}, b"", 405, "method_not_allowed"),
        ("GET", "/v1/champions?q=bra", {}, None, 200, None),
        ("GET", "/v1/champions?nonsense=1", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/champions?limit=1001", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/champions", {"Accept": "text/html"}, None, 406, "not_acceptable"),
        ("DELETE", "/v1/champions", {}, b"", 405, "method_not_allowed"),
        ("GET", "/v1/champions/35", {}, None, 404, "unknown_route"),
        ("GET", "/v1/skins/", {}, None, 404, "unknown_route"),
        ("GET", "/v1/skins/9001001", {}, None, 200, None),
        ("GET", "/v1/skins/bramble/1", {}, None, 200, None),
        ("GET", "/v1/skins/9001001.glb", {}, None, 200, None),
        ("HEAD", "/v1/skins/9001001.glb", {}, None, 200, None),
        ("GET", "/v1/skins/bramble/1.glb", {}, None, 200, None),
        ("GET", "/v1/skins/9001001/report", {}, None, 200, None),
        ("GET", "/v1/skins/bramble/1/report", {}, None, 200, None),
        ("GET", "/v1/skins/35006/report", {}, None, 404, "no_report"),
        ("GET", "/v1/skins/9001001/bones", {}, None, 404, "unknown_route"),
        ("GET", "/v1/skins/9001001/a/b", {}, None, 404, "unknown_route"),
        ("GET", "/v1/skins/424242.glb", {}, None, 404, "unknown_skin"),
        ("GET", "/v1/skins/424242", {}, None, 404, "unknown_skin"),
        ("GET", "/v1/skins/bramble/999.glb", {}, None, 404, "unknown_skin"),
        ("GET", "/v1/skins/99999999999999999999.glb", {}, None, 404, "unknown_skin"),
        ("GET", "/v1/skins/abc.glb", {}, None, 400, "bad_skin_id"),
        ("GET", "/v1/skins/0x1.glb", {}, None, 400, "bad_skin_id"),
        ("GET", "/v1/skins/-1.glb", {}, None, 400, "bad_skin_id"),
        ("GET", "/v1/skins/bramble/x.glb", {}, None, 400, "bad_skin_id"),
        ("GET", "/v1/skins/+9001001.glb", {}, None, 400, "bad_skin_id"),
        ("GET", "/v1/skins/%2B9001001.glb", {}, None, 400, "bad_skin_id"),
        ("GET", "/v1/skins/%209001001.glb", {}, None, 400, "bad_skin_id"),
        ("GET", "/v1/skins/9001001%20.glb", {}, None, 400, "bad_skin_id"),
        ("GET", "/v1/skins/9001001.5.glb", {}, None, 400, "bad_skin_id"),
        ("GET", "/v1/skins/4303968297.glb", {}, None, 404, "unknown_skin"),  # 9001001 + 2^32
        ("GET", "/v1/skins/bramble/-1.glb", {}, None, 400, "bad_skin_id"),
        ("GET", "/v1/skins/bramble/4294967297.glb", {}, None, 404, "unknown_skin"),  # 1 + 2^32
        ("GET", "/v1/skins/9001001.glb?nonsense=1", {}, None, 400, "bad_option"),
        ("GET", "/v1/skins/9001001.glb?content=nonsense", {}, None, 400, "bad_option"),
        ("GET", "/v1/skins/9001001.glb?content=rig&content=mesh", {}, None, 400, "bad_option"),
        ("GET", "/v1/skins/9001001.glb?clips=a%26b", {}, None, 400, "bad_option"),
        ("GET", "/v1/skins/9001001.glb?max_texture=63", {}, None, 400, "bad_option"),
        ("GET", "/v1/skins/9001001.glb?content=rig", {}, None, 200, None),
        ("GET", "/v1/skins/9001001.glb", {"Accept": "text/html"}, None, 406, "not_acceptable"),
        ("GET", "/v1/skins/9001001.glb", {"Accept": "model/gltf-binary"}, None, 200, None),
        ("GET", "/v1/skins", {"Accept": "text/plain"}, None, 406, "not_acceptable"),
        ("DELETE", "/v1/skins/9001001.glb", {}, None, 405, "method_not_allowed"),
        ("GET", "/v1/skins/9001002.glb", {}, None, 422, "format"),
        ("GET", "/v1/skins/9001002", {}, None, 422, "format"),
        ("GET", "/v1/artifacts/" + "0" * 64 + ".glb", {}, None, 404, "unknown_artifact"),
        ("GET", "/v1/artifacts/" + "0" * 63 + ".glb", {}, None, 400, "bad_digest"),
        ("GET", "/v1/artifacts/" + "g" * 64 + ".glb", {}, None, 400, "bad_digest"),
        ("GET", "/v1/artifacts/" + "0" * 64, {}, None, 404, "unknown_route"),
        ("GET", "/v1/jobs", {}, None, 200, None),
        ("HEAD", "/v1/jobs", {}, None, 200, None),
        ("PUT", "/v1/jobs", {}, b"", 405, "method_not_allowed"),
        ("GET", "/v1/jobs?state=done&skin=9001001&after=0&limit=1", {}, None, 200, None),
        ("GET", "/v1/jobs?state=live,failed", {}, None, 200, None),
        ("GET", "/v1/jobs?state=nonsense", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/jobs?state=", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/jobs?state=done&state=done", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/jobs?skin=x", {}, None, 400, "bad_skin_id"),
        ("GET", "/v1/jobs?skin=424242", {}, None, 404, "unknown_skin"),
        ("GET", "/v1/jobs?after=-1", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/jobs?limit=1001", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/jobs", {"Accept": "text/html"}, None, 406, "not_acceptable"),
        ("GET", "/v1/jobs/1", {}, None, 200, None),
        ("GET", "/v1/jobs/999", {}, None, 404, "unknown_job"),
        ("GET", "/v1/jobs/x", {}, None, 400, "bad_job_id"),
        ("GET", "/v1/jobs/-1", {}, None, 400, "bad_job_id"),
        ("GET", "/v1/jobs/+1", {}, None, 400, "bad_job_id"),
        ("GET", "/v1/jobs/%201", {}, None, 400, "bad_job_id"),
        ("GET", "/v1/jobs/9223372036854775807", {}, None, 404, "unknown_job"),
        ("GET", "/v1/jobs/18446744073709551617", {}, None, 400, "bad_job_id"),  # 1 + 2^64
        ("GET", "/v1/jobs/1?nonsense=1", {}, None, 400, "bad_parameter"),
        ("PATCH", "/v1/jobs/1", {}, None, 405, "method_not_allowed"),
        ("DELETE", "/v1/jobs/1", {}, None, 409, "job_ended"),
        ("DELETE", "/v1/jobs/999", {}, None, 404, "unknown_job"),
        ("DELETE", "/v1/jobs/x", {}, None, 400, "bad_job_id"),
        ("DELETE", "/v1/jobs/1?force=1", {}, None, 400, "bad_parameter"),
        ("GET", "/v1/jobs/999/events", {}, None, 404, "unknown_job"),
        ("GET", "/v1/jobs/x/events", {}, None, 400, "bad_job_id"),
        ("GET", "/v1/jobs/1/events", {"Accept": "application/json"}, None, 406, "not_acceptable"),
        ("GET", "/v1/jobs/1/events", {}, None, 200, None),
        ("HEAD", "/v1/jobs/1/events", {}, None, 200, None),
        ("GET", "/v1/jobs/1/events", {"Last-Event-ID": "end"}, None, 204, None),
        ("POST", "/v1/jobs/1/events", {}, b"", 405, "method_not_allowed"),
        ("GET", "/v1/jobs/1/nonsense", {}, None, 404, "unknown_route"),
        ("POST", "/v1/jobs:batch", JSON, b'{"skins":[9001001]}', 200, None),
        ("POST", "/v1/jobs:batch", JSON, b'{"skins":["bramble/1"],"options":{"content":"rig"}}', 200, None),
        ("POST", "/v1/jobs:batch", JSON, b'{"champion":"Bramble"}', 200, None),
        ("POST", "/v1/jobs:batch", JSON, b'{"champion":"nobody"}', 404, "unknown_champion"),
        ("POST", "/v1/jobs:batch", JSON, b'{"champion":1}', 400, "bad_body"),
        ("POST", "/v1/jobs:batch", JSON, b'{"champion":""}', 400, "bad_body"),
        ("POST", "/v1/jobs:batch", JSON, b'{"skins":[]}', 400, "bad_body"),
        ("POST", "/v1/jobs:batch", JSON, b'{"skins":"most"}', 400, "bad_body"),
        ("POST", "/v1/jobs:batch", JSON, b'{"skins":[true]}', 400, "bad_body"),
        ("POST", "/v1/jobs:batch", JSON, b'{"skins":[1],"champion":"bramble"}', 400, "bad_body"),
        ("POST", "/v1/jobs:batch", JSON, b'{}', 400, "bad_body"),
        ("POST", "/v1/jobs:batch", JSON, b'{"skins":[1],"nonsense":1}', 400, "bad_body"),
        ("POST", "/v1/jobs:batch", JSON, b'{"skins":[1],"options":{"nonsense":1}}', 400, "bad_body"),
        ("POST", "/v1/jobs:batch", {}, b'{"skins":[9001001]}', 415, "unsupported_media_type"),
        ("POST", "/v1/jobs:batch", dict(JSON, Accept="text/html"), b'{"skins":[9001001]}', 406, "not_acceptable"),
        ("GET", "/v1/jobs:batch", {}, None, 405, "method_not_allowed"),
        ("POST", "/v1/jobs", JSON, b'{"skin":9001001}', 200, None),
        ("POST", "/v1/jobs", JSON, b'{"skin":"9001001"}', 200, None),
        ("POST", "/v1/jobs", JSON, b'{"skin":"bramble/1"}', 200, None),
        ("POST", "/v1/jobs", JSON, b'{"skin":9001002}', 422, "format"),
        ("POST", "/v1/jobs", JSON, b'{"skin":424242}', 404, "unknown_skin"),
        ("POST", "/v1/jobs", JSON, b'{"skin":"x"}', 400, "bad_skin_id"),
        ("POST", "/v1/jobs", {}, b'{"skin":9001001}', 415, "unsupported_media_type"),
        ("POST", "/v1/jobs", {"Content-Type": "text/plain"}, b'{"skin":9001001}', 415, "unsupported_media_type"),
        ("POST", "/v1/jobs", JSON, b"", 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b"{", 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b"[]", 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b"{}", 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":9001001}x', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":9001001,"skin":35006}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":9001001,"nonsense":1}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":9001001.5}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":-1}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":4303968297}', 404, "unknown_skin"),
        ("POST", "/v1/jobs", JSON, b'{"skin":1e400}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":" 9001001"}', 400, "bad_skin_id"),
        ("POST", "/v1/jobs", JSON, b'{"skin":"+9001001"}', 400, "bad_skin_id"),
        ("POST", "/v1/jobs", JSON, b'{"skin":null}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":""}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":9001001,"options":{"content":"rig","content":"mesh"}}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":9001001,"options":{"content":1}}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":true}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":"9001001\\u0000"}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":"\xff"}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b"[" * 5000, 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b"{" + b",".join(b'"%x":1' % i for i in range(7000)) + b"}", 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":9001001,"options":{"content":"nonsense"}}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":9001001,"options":{"nonsense":1}}', 400, "bad_body"),
        ("POST", "/v1/jobs", JSON, b'{"skin":9001001,"options":[]}', 400, "bad_body"),
        ("OPTIONS", "/v1/jobs", {"Origin": "https://x.example"}, None, 204, None),
        ("OPTIONS", "/nowhere", {}, None, 204, None),
    ]
    for method, path, headers, body, status, code in table:
        try:
            r = d.request(method, path, body, headers)
            equal(r.status, status, "status")
            equal(r.headers.get("access-control-allow-origin"), "*", "CORS")
            check("ETag" in r.headers["access-control-expose-headers"], "exposed headers")
            if code is not None:
                problem(r, status, code)
            if status == 405:
                check("GET" in r.headers["allow"] or "POST" in r.headers["allow"], "Allow")
            if method == "HEAD" or status == 204:
                equal(r.body, b"", "body")
        except Failed as f:
            raise Failed("%s %s %s %s: %s" % (method, path, headers, body and body[:60], f))
    d.stop()


def names_the_wrong_option(box):
    d = Daemon(box)
    doc = problem(d.get("/v1/skins/9001001.glb?content=nonsense"), 400, "bad_option")
    equal(doc["where"], "content", "where")
    check("nonsense" in doc["detail"], doc)
    doc = problem(d.get("/v1/skins/9001001.glb?wrong=1"), 400, "bad_option")
    check("wrong" in doc["detail"], doc)
    doc = problem(d.post({"skin": 9001001, "options": {"wrong": 1}}), 400, "bad_body")
    check("wrong" in doc["detail"], doc)
    # A part of a timeline is named from where the client wrote it.
    for layers, where in (({"duration": 1, "commands": [{"at": 0, "op": "fade", "slot": 0, "weight": 0}]}, "layers.commands[0].seconds"), ({"foo": 1}, "layers.foo"), (7, "layers")):
        doc = problem(d.get("/v1/skins/9001001.glb?layers=" + urllib.parse.quote(json.dumps(layers))), 400, "bad_option")
        equal(doc["where"], where, "where in a query")
        check(doc["detail"].startswith(where + ": "), doc)
        doc = problem(d.post({"skin": 9001001, "options": {"layers": layers}}), 400, "bad_body")
        equal(doc["where"], "options." + where, "where in a body")
    equal(problem(d.get("/v1/skins/9001001.glb?layers={"), 400, "bad_option")["where"], "layers", "no JSON")
    doc = problem(d.post({"skin": 9001001, "other": 1}), 400, "bad_body")
    equal(doc["where"], "other", "where")
    check("other" in doc["detail"], doc)
    check("body" in problem(d.post(b"{"), 400, "bad_body")["detail"], "no JSON")
    check("limit" in problem(d.get("/v1/skins?limit=0"), 400, "bad_parameter")["detail"], "list")
    d.stop()


def tells_failures(box):
    """A5: stage, where, offset, job; remembered, so that the same request does not convert again."""
    box.order("bramble-1", "fail FORMAT")
    box.order("bramble-2", "fail NOT_FOUND")
    box.order("shaco-6", "fail INTERNAL")
    d = Daemon(box)
    doc = problem(d.get("/v1/skins/9001001.glb"), 422, "format")
    equal(doc["skin"], 9001001, "skin")
    equal(doc["stage"], "mesh", "stage")
    equal(doc["file"], "base.skn", "file")
    equal(doc["where"], "made up", "where")
    equal(doc["offset"], 17, "offset")
    equal(doc["detail"], "count 90000 is over 65536", "detail")
    equal(doc["retryable"], False, "retryable")
    r = d.get("/v1/skins/9001001.glb")
    check(590 <= int(r.headers["retry-after"]) <= 600, "Retry-After of a remembered failure", r.headers)
    equal(r.json()["job"], doc["job"], "job")
    equal(d.post({"skin": 9001001}).status, 422, "POST of a remembered failure")
    equal(box.starts("bramble-1"), 1, "conversions of a failed skin")
    job = d.get("/v1/jobs/%d" % doc["job"])
    equal(job.status, 200, "a failed job is a document")
    equal(job.json()["state"], "failed", "state")
    equal(job.json()["class"], "input", "class")
    equal(job.json()["error"]["offset"], 17, "offset in the job")
    report = d.get("/v1/skins/9001001/report").json()
    equal(report["state"], "failed", "state in the report")
    equal(report["report"][0]["code"], "steered", "code in the report")
    equal(problem(d.get("/v1/skins/9001002.glb"), 422, "not_found")["stage"], "mesh", "stage")
    problem(d.get("/v1/skins/35006.glb"), 500, "internal")
    states = {s["id"]: s["state"] for s in d.get("/v1/skins").json()["skins"]}
    equal(states[9001001], "failed", "state in the catalogue")
    # Other options are another request.
    equal(d.get("/v1/skins/9001001.glb?content=rig").status, 422, "other options")
    equal(box.starts("bramble-1"), 2, "conversions with other options")
    d.stop()


def retries_what_the_system_failed(box):
    """Out of memory or I/O: again after 2 and 4 seconds, then dead."""
    box.order("bramble-1", "fail IO")
    d = Daemon(box)
    r = d.get("/v1/skins/9001001.glb")
    problem(r, 500, "io")
    equal(r.json()["retryable"], True, "retryable")
    equal(box.starts("bramble-1"), 3, "starts")
    equal(d.get("/v1/jobs/%d" % r.json()["job"]).json()["state"], "dead", "state")
    d.stop()


def serves_bytes(box):
    """A2 and A3, for a blob in the database and one in a file."""
    box.order("bramble-2", "size 300000")
    d = Daemon(box)
    for skin, number, size in ((9001001, 1, 1000), (9001002, 2, 300000)):
        want = expected_glb(number, size)
        sha = hashlib.sha256(want).hexdigest()
        etag = '"%s"' % sha
        url = "/v1/skins/%d.glb" % skin
        r = d.get(url)
        equal(r.status, 200, "status")
        check(r.body == want, "bytes of", skin)
        equal(r.headers["cache-status"], "riftbake; fwd=miss; stored", "Cache-Status of a miss")
        first = dict(r.headers)
        digest = base64.b64encode(hashlib.sha256(want).digest()).decode()
        for method, path in (("GET", url), ("HEAD", url), ("GET", "/v1/artifacts/%s.glb" % sha), ("HEAD", "/v1/artifacts/%s.glb" % sha)):
            r = d.request(method, path)
            equal(r.status, 200, method + " " + path)
            check(r.body == (want if method == "GET" else b""), "bytes of", method, path)
            for name, value in (
                ("content-type", "model/gltf-binary"),
                ("etag", etag),
                ("content-length", str(size)),
                ("accept-ranges", "bytes"),
                ("vary", "Accept-Encoding"),
                ("repr-digest", "sha-256=:%s:" % digest),
                ("cache-status", "riftbake; hit"),
                ("link", '</v1/skins/%d>; rel="describedby"' % skin),
                ("content-disposition", 'inline; filename="bramble-%d.glb"' % number),
                ("cross-origin-resource-policy", "cross-origin"),
                ("last-modified", first["last-modified"]),
                (
                    "cache-control",
                    "public, max-age=60, stale-while-revalidate=86400, stale-if-error=604800"
                    if "skins" in path
                    else "public, max-age=31536000, immutable",
                ),
            ):
                equal(r.headers.get(name), value, method + " " + path + " " + name)
        modified = first["last-modified"]
        old = "Sun, 06 Nov 1994 08:49:37 GMT"
        for headers, status in (
            ({"If-None-Match": etag}, 304),
            ({"If-None-Match": "W/" + etag}, 304),
            ({"If-None-Match": "*"}, 304),
            ({"If-None-Match": '"x", %s, "y"' % etag}, 304),
            ({"If-None-Match": '"x"'}, 200),
            ({"If-None-Match": "x"}, 200),
            ({"If-Modified-Since": modified}, 304),
            ({"If-Modified-Since": old}, 200),
            ({"If-Modified-Since": "nonsense"}, 200),
            ({"If-None-Match": '"x"', "If-Modified-Since": modified}, 200),
        ):
            for method in ("GET", "HEAD"):
                r = d.request(method, url, headers=headers)
                equal(r.status, status, "%s %s" % (method, headers))
                check(r.body == (want if status == 200 and method == "GET" else b""), "body of", headers)
                equal(r.headers["etag"], etag, "ETag")
                equal(r.headers["content-length"], str(size), "Content-Length, also of a 304")
                equal(r.headers["access-control-allow-origin"], "*", "CORS")
        for value, extra, status, part in (
            ("bytes=0-0", {}, 206, (0, 0)),
            ("bytes=10-19", {}, 206, (10, 19)),
            ("bytes=990-", {}, 206, (990, size - 1)),
            ("bytes=-1", {}, 206, (size - 1, size - 1)),
            ("bytes=0-99999999", {}, 206, (0, size - 1)),
            ("bytes=%d-" % size, {}, 416, None),
            ("bytes=5-2", {}, 416, None),
            ("bytes=-0", {}, 416, None),
            ("bytes=x", {}, 416, None),
            ("bytes=0-1,3-4", {}, 200, None),
            ("items=0-1", {}, 200, None),
            ("bytes=0-0", {"If-Range": etag}, 206, (0, 0)),
            ("bytes=0-0", {"If-Range": modified}, 206, (0, 0)),
            ("bytes=0-0", {"If-Range": '"x"'}, 200, None),
            ("bytes=0-0", {"If-Range": "W/" + etag}, 200, None),
            ("bytes=0-0", {"If-Range": old}, 200, None),
            ("bytes=0-0", {"If-None-Match": etag}, 304, None),
        ):
            r = d.get(url, dict(extra, Range=value))
            equal(r.status, status, "%s %s" % (value, extra))
            equal(r.headers["access-control-allow-origin"], "*", "CORS")
            if part:
                check(r.body == want[part[0] : part[1] + 1], "bytes of", value)
                equal(r.headers["content-range"], "bytes %d-%d/%d" % (part[0], part[1], size), "Content-Range")
                equal(r.headers["content-length"], str(len(r.body)), "Content-Length")
            if status == 416:
                equal(r.headers["content-range"], "bytes */%d" % size, "Content-Range of 416")
                problem(r, 416, "bad_range")
            if status == 200:
                check(r.body == want, "whole body for", value)
        alias = d.get("/v1/skins/bramble/%d.glb" % number)
        equal(alias.headers["content-location"], url, "Content-Location of the alias")
        check(alias.body == want, "bytes of the alias")
    alias = d.get("/v1/skins/BRAMBLE/1.glb?content=rig")
    equal(alias.headers.get("content-location"), "/v1/skins/9001001.glb?content=rig", "Content-Location with options")
    equal(len(box.glbs()), 1, "files: the small one is in the database")
    box.check_blobs()
    d.stop()


def preflight(box):
    d = Daemon(box)
    r = d.request(
        "OPTIONS",
        "/v1/jobs",
        headers={"Origin": "https://x.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type, prefer"},
    )
    equal(r.status, 204, "status")
    equal(r.headers["access-control-allow-origin"], "*", "origin")
    equal(r.headers["access-control-max-age"], "86400", "max age")
    check("POST" in r.headers["access-control-allow-methods"], "methods")
    allowed = [h.strip().lower() for h in r.headers["access-control-allow-headers"].split(",")]
    for name in ("content-type", "prefer", "range", "if-none-match"):
        check(name in allowed, name, "is not allowed")
    d.stop()


def follows_a_job(box):
    box.order("bramble-1", "wait", "progress")
    d = Daemon(box, "--workers=1")
    r = d.post({"skin": 9001001})
    equal(r.status, 202, "status")
    check(int(r.headers["retry-after"]) >= 1, "Retry-After")
    location = r.headers["location"]
    first = r.json()
    equal(location, "/v1/jobs/%d" % first["id"], "Location")
    wait_until(lambda: box.starts("bramble-1"), "start")
    again = d.post({"skin": "bramble/1", "options": {"content": "full"}})
    equal(again.json()["id"], first["id"], "same input, same job")
    second = d.post({"skin": 9001002, "options": {"clips": ["idle*", "run"]}}).json()
    equal(second["options"], "clips=idle*,run", "options as text")
    job = wait_until(lambda: (lambda j: j if j["state"] == "running" else None)(d.get(location).json()), "running")
    equal(job["phase"], "mesh", "phase")
    check(0 <= job["progress"] <= 100, job)
    waiting = d.get("/v1/jobs/%d" % second["id"]).json()
    equal((waiting["state"], waiting["position"]), ("queued", 1), "second job")
    async_reply = d.get("/v1/skins/9001001.glb", {"Prefer": "respond-async"})
    equal(async_reply.status, 202, "respond-async")
    equal(async_reply.headers["location"], location, "Location of respond-async")
    equal(async_reply.headers["preference-applied"], "respond-async", "Preference-Applied")
    equal(d.post({"skin": 9001001}, {"Prefer": "wait=1"}).status, 202, "wait that is too short")
    threading.Timer(0.3, box.open_gate, ["bramble-1"]).start()
    r = d.get(location, {"Prefer": "wait=20"})
    equal(r.json()["state"], "done", "state after waiting")
    equal(r.headers["preference-applied"], "wait=20", "Preference-Applied")
    result = r.json()["result"]
    equal(result["sha256"], hashlib.sha256(expected_glb(1)).hexdigest(), "sha256")
    check(d.get(result["url"]).body == expected_glb(1), "bytes of the result")
    r = d.get(location + "?follow=1")
    equal((r.status, r.headers["location"]), (303, result["url"]), "follow")
    r = d.post({"skin": 9001001})
    equal((r.status, r.headers["location"]), (200, location), "POST of what exists")
    r = d.post({"skin": 9001002, "options": {"clips": ["idle*", "run"]}}, {"Prefer": "wait=99"})
    equal(r.status, 200, "POST that waits")
    equal(r.headers["preference-applied"], "wait=60", "the wait is capped")
    equal(r.json()["result"]["sha256"], hashlib.sha256(expected_glb(2, options="clips=idle*,run")).hexdigest(), "result with options")
    states = {s["id"]: s["state"] for s in d.get("/v1/skins").json()["skins"]}
    equal((states[9001001], states[9001002]), ("fresh", "never"), "states in the catalogue")
    d.stop()


def lists_skins(box):
    d = Daemon(box)
    doc = d.get("/v1/skins").json()
    ids = [s["id"] for s in doc["skins"]]
    equal(ids, sorted(ids), "order")
    check(9001001 in ids and 35006 in ids, ids)
    check("next" not in doc, "next on the last page")
    seen, url = [], "/v1/skins?limit=1"
    while url:
        r = d.get(url)
        seen += [s["id"] for s in r.json()["skins"]]
        link = r.headers.get("link", "")
        url = link[1 : link.index(">")] if 'rel="next"' in link else None
        check(len(seen) <= len(ids), "paging does not end")
    equal(seen, ids, "pages")
    equal([s["id"] for s in d.get("/v1/skins?champion=Shaco").json()["skins"]], [i for i in ids if i // 1000 == 35], "champion")
    equal([s["id"] for s in d.get("/v1/skins?champion=35").json()["skins"]], [i for i in ids if i // 1000 == 35], "champion by id")
    equal([s["id"] for s in d.get("/v1/skins?q=mble%2F2").json()["skins"]], [9001002], "q")
    equal(d.get("/v1/skins?champion=nobody").json()["skins"], [], "nobody")
    d.stop()


def lists_champions(box):
    """Each with as many skins, by state, as the list of skins has."""
    box.order("bramble-2", "fail FORMAT")
    d = Daemon(box)
    skins = d.get("/v1/skins?limit=1000").json()["skins"]
    equal(d.get("/v1/skins/9001001.glb").status, 200, "one that is made")
    equal(d.get("/v1/skins/9001002.glb").status, 422, "one that fails")
    count = {c: sum(s["champion"]["id"] == c for s in skins) for c in (35, 9001)}
    url = "/v1/champions"
    equal(d.get(url).json()["champions"],
          [{"id": 35, "alias": "shaco", "name": "Shaco", "skins": count[35],
            "states": {"never": count[35], "fresh": 0, "stale": 0, "failed": 0}, "url": "/v1/skins?champion=35"},
           {"id": 9001, "alias": "bramble", "name": "Bramble", "skins": count[9001],
            "states": {"never": count[9001] - 2, "fresh": 1, "stale": 0, "failed": 1}, "url": "/v1/skins?champion=9001"}], "champions")
    r = d.get(url + "?limit=1")
    equal(([c["id"] for c in r.json()["champions"]], r.json()["next"]), ([35], 35), "page")
    check('<%s?limit=1&after=35>; rel="next"' % url in r.headers["link"], r.headers["link"])
    r = d.get(url + "?limit=1&after=35")
    equal(([c["id"] for c in r.json()["champions"]], "next" in r.json()), ([9001], False), "last page")
    for query, ids in (("q=rAmb", [9001]), ("q=9001", []), ("champion=35", [35]), ("champion=nobody", []), ("after=9001", [])):
        equal([c["id"] for c in d.get(url + "?" + query).json()["champions"]], ids, query)
    d.stop()


def fifty_clients_one_conversion(box):
    box.order("bramble-1", "wait", "size 200000")
    d = Daemon(box)
    want = expected_glb(1, 200000)
    results = []
    lock = threading.Lock()

    def client(i):
        path = "/v1/skins/9001001.glb" if i % 2 else "/v1/skins/bramble/1.glb"
        r = d.get(path)
        with lock:
            results.append((r.status, r.body == want))

    threads = [threading.Thread(target=client, args=(i,)) for i in range(50)]
    for t in threads:
        t.start()
    wait_until(lambda: d.get("/readyz").json()["waiting"] == 50, "50 waiting clients")
    box.open_gate("bramble-1")
    for t in threads:
        t.join(DEADLINE)
    equal(results, [(200, True)] * 50, "replies")
    equal(box.starts(), 1, "conversions")
    equal(d.get("/readyz").json()["conversions"], 1, "counted conversions")
    d.stop()


def a_client_that_leaves(box):
    box.order("bramble-1", "wait")
    d = Daemon(box)
    s = socket.create_connection(d.address)
    s.sendall(b"GET /v1/skins/9001001.glb HTTP/1.1\r\nHost: x\r\n\r\n")
    wait_until(lambda: box.starts("bramble-1"), "start")
    s.close()
    box.open_gate("bramble-1")
    wait_until(lambda: d.get("/v1/jobs/1").json()["state"] == "done", "end of the job")
    check(d.get("/v1/skins/9001001.glb").body == expected_glb(1), "bytes")
    equal(box.starts("bramble-1"), 1, "conversions")
    # One that leaves in the middle of a body, and one in the middle of a download.
    s = socket.create_connection(d.address)
    s.sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
    s.close()
    s = socket.create_connection(d.address)
    s.sendall(b"GET /livez HTTP/1.1\r\nHost:")
    s.shutdown(socket.SHUT_WR)
    s.settimeout(5)
    equal(s.recv(100), b"", "a request that cannot become whole is cut long before its deadline")
    s.close()
    # One that has said everything and closes its half still gets its answer.
    s = socket.create_connection(d.address)
    s.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    s.shutdown(socket.SHUT_WR)
    check(b"200 OK" in s.recv(1000), "answer to a half-closed connection")
    s.close()
    box.order("bramble-2", "size 20000000")
    s = socket.create_connection(d.address)
    s.sendall(b"GET /v1/skins/9001002.glb HTTP/1.1\r\nHost: x\r\n\r\n")
    check(s.recv(100), "first bytes")
    s.close()
    equal(d.get("/livez").status, 200, "alive")
    d.stop()


def a_wait_that_is_too_short(box):
    box.order("bramble-1", "wait")
    d = Daemon(box, "--serve-wait=1")
    doc = problem(d.get("/v1/skins/9001001.glb"), 503, "in_progress")
    equal(doc["retryable"], True, "retryable")
    equal(doc["job"], 1, "job")
    box.open_gate("bramble-1")
    r = wait_until(lambda: (lambda r: r if r.status == 200 else None)(d.get("/v1/skins/9001001.glb")), "the GLB")
    check(r.body == expected_glb(1), "bytes")
    equal(box.starts("bramble-1"), 1, "conversions")
    d.stop()


def a_full_waiting_room(box):
    """Past the limit nobody waits: 503 at once instead of a held connection."""
    box.order("bramble-1", "wait")
    d = Daemon(box, "--waiters=1")
    t = threading.Thread(target=d.get, args=("/v1/skins/9001001.glb",))
    t.start()
    wait_until(lambda: d.get("/readyz").json()["waiting"] == 1, "a waiter")
    problem(d.get("/v1/skins/9001001.glb"), 503, "in_progress")
    equal(d.post({"skin": 9001001}, {"Prefer": "wait=30"}).status, 202, "POST")
    box.open_gate("bramble-1")
    t.join(DEADLINE)
    d.stop()


def a_full_queue(box):
    box.order("bramble-1", "wait")
    d = Daemon(box, "--workers=1", "--queue-max=2")
    equal(d.post({"skin": 9001001}).status, 202, "first")
    wait_until(lambda: box.starts() == 1 and d.get("/readyz").json()["queued"] == 0, "start")
    for size in (64, 128):
        equal(d.post({"skin": 9001002, "options": {"max_texture": size}}).status, 202, "queued")
    r = d.post({"skin": 9001002, "options": {"max_texture": 256}})
    problem(r, 503, "queue_full")
    problem(d.get("/v1/skins/9001002.glb?max_texture=256"), 503, "queue_full")
    equal(d.post({"skin": 9001002, "options": {"max_texture": 64}}).status, 202, "what is queued already is joined")
    equal(d.get("/readyz").status, 200, "readiness does not depend on load")
    box.open_gate("bramble-1")
    r = d.post({"skin": 9001002, "options": {"max_texture": 128}}, {"Prefer": "wait=20"})
    equal(r.status, 200, "after the queue moved")
    equal(d.post({"skin": 9001002, "options": {"max_texture": 256}}, {"Prefer": "wait=20"}).status, 200, "room again")
    d.stop()


def survives_kill(box):
    """kill -9 in the middle: the job ends after the restart, no part of a file is seen, what was queued is not lost."""
    box.order("bramble-1", "wait", "size 300000")
    box.order("bramble-2", "size 300000")
    d = Daemon(box, "--workers=1")
    check(d.get("/v1/skins/35006.glb").status == 200, "one before")
    equal(d.post({"skin": 9001001}).status, 202, "first")
    wait_until(lambda: box.starts("bramble-1") == 1, "start")
    queued = d.post({"skin": 9001002})
    equal(queued.status, 202, "second")
    d.kill()
    box.check_blobs()
    equal(box.blobs(), [], "files before the end")
    box.open_gate("bramble-1")
    d = Daemon(box, "--workers=1")
    for job, number in ((2, 1), (3, 2)):
        r = d.get("/v1/jobs/%d" % job, {"Prefer": "wait=20"})
        equal(r.json()["state"], "done", "state of job %d" % job)
        check(d.get(r.json()["result"]["url"]).body == expected_glb(number, 300000), "bytes")
    equal(d.get("/v1/jobs/2").json()["attempt"], 2, "attempts of the killed job")
    equal(box.starts("bramble-1"), 2, "starts of the killed job")
    equal(box.starts("bramble-2"), 1, "starts of the queued job")
    box.check_blobs()
    equal(len(box.glbs()), 2, "files")
    check(b"unclean" in box.log_text(), "the unclean stop is not mentioned")
    d.stop()


def a_skin_that_kills_the_daemon(box):
    """Three deaths in a row, then the job is dead and the daemon lives."""
    box.order("bramble-1", "wait")
    d = Daemon(box, "--workers=1")
    equal(d.post({"skin": 9001001}).status, 202, "job")
    for n in (1, 2, 3):
        wait_until(lambda: box.starts("bramble-1") == n, "start %d" % n)
        d.kill()
        d = Daemon(box, "--workers=1")
    job = d.get("/v1/jobs/1").json()
    equal((job["state"], job["class"]), ("dead", "crash"), "job")
    problem(d.get("/v1/skins/9001001.glb"), 500, "crash")
    equal(box.starts("bramble-1"), 3, "starts")
    d.stop()


def drains(box):
    """SIGTERM: what is converted and sent ends, nothing new begins, exit 0; the queue is there after the restart."""
    box.order("bramble-1", "wait", "size 20000000")
    d = Daemon(box, "--workers=1")
    slow = socket.create_connection(d.address, timeout=DEADLINE)
    slow.sendall(b"GET /v1/skins/9001001.glb HTTP/1.1\r\nHost: x\r\n\r\n")
    idle = socket.create_connection(d.address, timeout=DEADLINE)
    idle.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    check(b"200 OK" in idle.recv(4096), "keep-alive")
    wait_until(lambda: box.starts("bramble-1") == 1, "start")
    queued = {}

    def wait_queued():
        queued["reply"] = d.get("/v1/skins/9001002.glb")

    t = threading.Thread(target=wait_queued)
    t.start()
    wait_until(lambda: d.get("/readyz").json()["waiting"] == 2, "two waiting")
    d.signal(signal.SIGTERM)
    t.join(DEADLINE)
    problem(queued["reply"], 503, "draining")
    equal(queued["reply"].headers["connection"], "close", "Connection")
    equal(idle.recv(10), b"", "the idle connection closes")

    def refused():
        try:
            socket.create_connection(d.address, timeout=1).close()
            return False
        except OSError:
            return True

    wait_until(refused, "refusal")
    box.open_gate("bramble-1")
    got = b"".join(iter(lambda: slow.recv(262144), b""))
    head, body = got.split(b"\r\n\r\n", 1)
    check(head.startswith(b"HTTP/1.1 200"), head[:100])
    check(body == expected_glb(1, 20000000), "bytes sent while stopping:", len(body))
    equal(d.wait(), 0, "exit code")
    check(b'"msg":"stopped"' in box.log_text(), "the loop was not empty")
    d = Daemon(box, "--workers=1")
    check(b"unclean" not in box.log_text(), "a clean stop")
    check(d.get("/v1/skins/9001002.glb").body == expected_glb(2), "the queued one")
    equal(box.starts("bramble-1"), 1, "starts")
    d.stop()


def drains_a_slow_download(box):
    """SIGTERM in the middle of a download: it is sent to its last byte, however slowly the client takes it, then exit 0."""
    size = 20000000
    box.order("bramble-1", "size %d" % size)
    d = Daemon(box)
    equal(d.request("HEAD", "/v1/skins/9001001.glb").status, 200, "made")
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    s.settimeout(DEADLINE)
    s.connect(d.address)
    s.sendall(b"GET /v1/skins/9001001.glb HTTP/1.1\r\nHost: x\r\n\r\n")
    got = s.recv(1000)
    check(got.startswith(b"HTTP/1.1 200"), got[:100])
    d.signal(signal.SIGTERM)
    wait_until(lambda: b'"msg":"stopping"' in box.log_text(), "the stop")
    for _ in range(8):
        time.sleep(0.25)
        got += s.recv(65536)
    check(d.process.poll() is None, "the daemon went before the download's end")
    while len(got) < size or len(got.split(b"\r\n\r\n", 1)[1]) < size:
        part = s.recv(1 << 20)
        check(part, "the download ends after", len(got))
        got += part
    check(got.split(b"\r\n\r\n", 1)[1] == expected_glb(1, size), "bytes")
    s.close()
    equal(d.wait(), 0, "exit code")


def drains_by_force(box):
    """What does not end in time is queued again as if it had not been started, and ends after the restart."""
    box.order("bramble-1", "wait")
    d = Daemon(box, "--drain=0")
    job = d.post({"skin": 9001001}).json()["id"]
    wait_until(lambda: box.starts("bramble-1") == 1, "start")
    d.stop()
    box.open_gate("bramble-1")
    d = Daemon(box)
    r = d.get("/v1/jobs/%d" % job, {"Prefer": "wait=20"}).json()
    equal((r["state"], r["attempt"]), ("done", 1), "job")
    d.stop()
    # One that does not listen: the daemon leaves without it.
    box.order("bramble-2", "wait", "deaf")
    d = Daemon(box, "--drain=0")
    job = d.post({"skin": 9001002}).json()["id"]
    wait_until(lambda: box.starts("bramble-2") == 1, "start")
    d.stop()
    box.open_gate("bramble-2")
    d = Daemon(box)
    equal(d.get("/v1/jobs/%d" % job, {"Prefer": "wait=20"}).json()["state"], "done", "deaf job")
    d.stop()


def runs_out_of_memory(box):
    """Each allocation of the daemon's own fails once: whoever hits it gets an error or a closed connection, and nobody else."""
    d = Daemon(box)
    statuses = set()

    def ask(method, path, body=None, headers=None):
        try:
            r = d.request(method, path, body, headers or {})
        except (OSError, http.client.HTTPException):
            statuses.add("closed")
            return
        statuses.add(r.status)
        check(r.status in (200, 202, 500, 503), method, path, r.status, r.body[:200])
        if path.endswith(".glb") and r.status == 200:
            check(r.body == expected_glb(1), "bytes")

    d.get("/v1/skins/9001001.glb")
    for n in range(60):
        d.signal(signal.SIGUSR1)
        ask("POST", "/v1/jobs", json.dumps({"skin": 9001002, "options": {"max_texture": 64 + n}}), JSON)
        ask("GET", "/v1/skins/9001001.glb")
        ask("GET", "/v1/skins")
        ask("GET", "/v1/skins/%d" % (35005 + n % 6))
        ask("GET", "/v1/skins/9001001/report")
        ask("GET", "/v1/jobs/1", headers={"Prefer": "wait=1"})
        d.signal(signal.SIGUSR2)
        equal(d.get("/livez").status, 200, "alive after %d" % n)
    check("closed" in statuses or 503 in statuses or 500 in statuses, "nothing failed:", statuses)
    check(200 in statuses and 202 in statuses, statuses)
    wait_until(lambda: (lambda r: r["queued"] + r["running"] == 0)(d.get("/readyz").json()), "an empty queue", 60)
    for n in range(60):
        r = d.get("/v1/skins/9001002.glb?max_texture=%d" % (64 + n))
        equal(r.status, 200, "max_texture=%d" % (64 + n))
        check(r.body == expected_glb(2, options="max_texture=%d" % (64 + n)), "bytes of max_texture=%d" % (64 + n))
    d.stop()


def reads_its_settings_again(box):
    """SIGHUP: limits and log level of the file take effect, unsound settings change nothing, and the daemon lives on."""
    settings = os.path.join(box.root, "settings")

    def write(text):
        with open(settings, "w") as f:
            f.write(text)

    def hang_up(answer):
        before = box.log_text().count(answer)
        d.signal(signal.SIGHUP)
        wait_until(lambda: box.log_text().count(answer) > before, answer)

    write("body-max = 2k\n")
    d = Daemon(box, "--config", settings)
    body = b'{"skin":9001001' + b" " * 3000 + b"}"
    problem(d.post(body), 413, "body_too_large")
    write("body-max = 8k\nlog-level = debug\nserve-wait = 1\n")
    hang_up(b"settings read again")
    check(d.post(body).status in (200, 202), "a body within the new limit")
    check(b'"level":"debug"' in box.log_text(), "the new log level")
    write("body-max = 1\n")
    hang_up(b"the settings stay as they were")
    check(d.post(body).status in (200, 202), "a body within the limit that stays")
    os.unlink(settings)
    hang_up(b"the settings stay as they were")
    d.stop()
    # Without a file there is nothing new to read, and nothing to die of.
    d = Daemon(box)
    hang_up(b"settings read again")
    equal(d.get("/livez").status, 200, "alive")
    d.stop()


def keeps_its_folders_when_settings_change(box):
    """The text of the settings goes when they are read again; the folders that were named in it stay in use, from the first look to the last."""
    settings = os.path.join(box.root, "settings")
    free = os.path.join(box.steer, "disk-free")

    def write(path, text):
        with open(path + ".new", "w") as f:
            f.write(text)
        os.rename(path + ".new", path)

    write(settings, "data = %s\ngame = %s\nlisten = 127.0.0.1:0\nworkers = 2\ndisk-reserve = 0\nlog-level = debug\n" % (box.data, box.game))
    write(free, "500000000")
    log = open(os.path.join(box.root, "log"), "ab")
    p = subprocess.Popen([STEERED, "--config", settings], stdout=subprocess.PIPE, stderr=log, env=dict(os.environ, RIFT_TEST_STEER=box.steer))
    host, port = p.stdout.readline().decode().split()[-1].rsplit(":", 1)
    c = http.client.HTTPConnection(host, int(port), timeout=DEADLINE)

    def get(path):
        c.request("GET", path)
        r = c.getresponse()
        return r.status, r.read()

    seen = lambda: json.loads(get("/v1/status")[1])["disk"]["free"]
    for n in range(1, 6):
        wait_until(lambda: seen() == 500000000 + n - 1, "a look at the disk")
        write(settings, "data = %s\n# %s\ngame = %s\nrate = %d\n" % (box.data, "x" * 50 * n, box.game, n))
        p.send_signal(signal.SIGHUP)
        wait_until(lambda: box.log_text().count(b"settings read again") == n, "the settings")
        write(free, str(500000000 + n))
    wait_until(lambda: seen() == 500000005, "a look at the disk")
    equal(get("/v1/skins/9001001.glb"), (200, expected_glb(1)), "a GLB")
    equal(json.loads(get("/readyz")[1])["game"], "ready", "the game")
    c.close()
    p.send_signal(signal.SIGTERM)
    equal(p.wait(DEADLINE), 0, "exit code")
    p.stdout.close()
    log.close()


def signals_cut_no_reply_short(box):
    """Signals that come while files are sent, and ones that stop the whole process: each reply comes, and is whole."""
    size = 3000000
    box.order("bramble-1", "size %d" % size)
    d = Daemon(box)
    want = expected_glb(1, size)
    equal(d.get("/v1/skins/9001001.glb").status, 200, "made")
    stopping, failed, counts = threading.Event(), [], [0] * 6

    def download(n):
        while not stopping.is_set():
            try:
                check(d.get("/v1/skins/9001001.glb").body == want, "bytes")
                counts[n] += 1
            except Exception as e:
                failed.append(repr(e))

    threads = [threading.Thread(target=download, args=(n,)) for n in range(len(counts))]
    for t in threads:
        t.start()
    heard = 0
    while heard < 200 and not failed:
        d.signal(signal.SIGHUP)
        heard += 1
        wait_until(lambda: box.log_text().count(b"settings read again") >= heard or failed, "the settings")
    for _ in range(200):
        d.signal(signal.SIGSTOP)
        time.sleep(0.001)
        d.signal(signal.SIGCONT)
        time.sleep(0.003)
    stopping.set()
    for t in threads:
        t.join(DEADLINE)
    equal(failed, [], "replies that failed")
    check(min(counts) > 0, "downloads", counts)
    d.stop()


def outputs_are_what_they_say(d, url, texts):
    """Each output of the metadata by its URL and by its content: the bytes of the steered daemon tell their options."""
    outputs = d.get(url).json()["outputs"]
    equal([o["options"] for o in outputs], sorted(texts), "outputs")
    for o in outputs:
        for path in (o["url"], o["artifact"]):
            r = d.get(path)
            check(r.body == expected_glb(1, options=o["options"]), "bytes of", path, r.status)
            equal(r.headers["etag"], o["etag"], "etag of " + path)


def operators_defaults(box):
    """api.md 1: options that a request says nothing of are the operator's, flags over environment over file, wherever they are asked for; what
    it says is what it gets. Another default is another file, and no other one is stale for it."""
    settings = os.path.join(box.root, "settings")
    with open(settings, "w") as f:
        f.write("default-texture = jpeg\ndefault-max-texture = 64\ndefault-keys = dense:30\ndefault-units = league\n")
    flags = ("--config", settings, "--default-units=metre")
    env = {"RIFT_DEFAULT_TEXTURE": "webp", "RIFT_DEFAULT_UNITS": "league"}
    mine = "texture=webp&max_texture=64&keys=dense:30"
    url = "/v1/skins/9001001"
    glb = url + ".glb"
    rows = [
        # query, options in a body, what it means
        ("", {}, mine),
        ("?texture=webp", {"texture": "webp"}, mine),
        ("?texture=png", {"texture": "png"}, "max_texture=64&keys=dense:30"),
        ("?max-texture=unlimited", {"max_texture": "unlimited"}, "texture=webp&keys=dense:30"),
        ("?keys=adaptive&texture=png&max_texture=unlimited", {"keys": "adaptive", "texture": "png", "max_texture": "unlimited"}, ""),
        ("?profile=full", {"profile": "full"}, ""),
        ("?profile=web", {"profile": "web"}, "texture=webp&max_texture=1024&compress=meshopt"),
        ("?content=rig", {"content": "rig"}, "content=rig&" + mine),
        ("?content=full&pose=none&layers=none", {"content": "full", "pose": "none", "layers": "none"}, mine),
    ]
    d = Daemon(box, *flags, env=env)
    equal(d.get("/v1/skins").json()["defaults"], mine, "what the catalogue says")
    etags = {}
    for query, options, text in rows:
        r = d.get(glb + query)
        check(r.body == expected_glb(1, options=text), "bytes of", query, r.status)
        etags[text] = r.headers["etag"]
        equal(d.request("HEAD", glb + query).headers["etag"], r.headers["etag"], "HEAD of " + query)
        equal(d.get(url + "/report" + query).json()["options"], text, "report of " + query)
        job = d.post({"skin": 9001001, "options": options})
        equal((job.status, job.json()["options"]), (200, text), "body of " + query)
        equal(d.get(job.json()["glb"]).headers["etag"], r.headers["etag"], "URL of the job of " + query)
        lines = d.request("POST", "/v1/jobs:batch", json.dumps({"skins": [9001001], "options": options}).encode(), JSON).body
        equal(json.loads(lines)["job"]["options"], text, "batch of " + query)
    equal(d.post({"skin": 9001001}).json()["options"], mine, "a body without options")
    texts = sorted({text for _, _, text in rows})
    conversions = lambda: box.log_text().count(b'"msg":"job started"')
    equal(conversions(), len(texts), "conversions")
    outputs_are_what_they_say(d, url, texts)
    states = {s["id"]: s["state"] for s in d.get("/v1/skins").json()["skins"]}
    equal((states[9001001], states[9001002], d.get(url).json()["state"]), ("fresh", "never", "fresh"), "states")
    # The command line says what it was asked for; so does a form.
    out = os.path.join(box.root, "out.glb")
    for args, text in (((), mine), (("--texture", "png"), "max_texture=64&keys=dense:30"), (("--profile", "full"), ""),
                       (("--keys=adaptive", "--max-texture=unlimited", "--texture=png"), "")):
        for command in ("submit", "get"):
            subprocess.run([COMMAND, command, "--quiet", "--server", "http://%s:%d" % d.address, "--skin", "9001001", "-o", out, *args],
                           check=True, timeout=DEADLINE, stdout=subprocess.DEVNULL)
            with open(out, "rb") as f:
                check(f.read() == expected_glb(1, options=text), command, args)
    problem(d.get(glb + "?texture=bmp"), 400, "bad_option")
    d.stop()
    # A daemon without: what the other one gave for nothing is there under its name, and every URL means what it meant.
    d = Daemon(box)
    equal(d.get("/v1/skins").json()["defaults"], "", "no defaults")
    equal(d.get(glb + "?" + mine).headers["etag"], etags[mine], "said")
    equal(d.get(glb).headers["etag"], etags[""], "the program's own")
    outputs_are_what_they_say(d, url, texts)
    equal(conversions(), len(texts), "conversions for what was there")
    d.stop()
    # Another default: a new file for who says nothing; the others stay, fresh.
    d = Daemon(box, "--default-profile=lite", "--default-clips=*")
    lite = "texture=webp&max_texture=512&compress=meshopt"
    equal(d.get(url).json()["state"], "never", "state of what is new")
    r = d.get(glb)
    check(r.body == expected_glb(1, options=lite), "bytes of another default", r.status)
    equal(r.headers["cache-status"], "riftbake; fwd=miss; stored", "another default")
    equal((conversions(), d.get(url).json()["state"]), (len(texts) + 1, "fresh"), "one conversion")
    equal(d.get(glb + "?profile=full&" + mine).headers["cache-status"], "riftbake; hit", "what was made before")
    outputs_are_what_they_say(d, url, texts + [lite])
    equal(conversions(), len(texts) + 1, "conversions")
    d.stop()


def forms_have_the_operators_defaults(box):
    """POST /v1/convert: without options, and with some, as the command line with the defaults said."""
    root = os.path.join(box.root, "files")
    archive = [os.path.join(f, n) for f, _, names in os.walk(box.game) for n in names if n == "Bramble.wad.client"][0]
    subprocess.run([COMMAND, "wad", "get", archive, "-o", root, "--all", "--quiet"], check=True, timeout=DEADLINE, stdout=subprocess.DEVNULL)
    data = {}
    for folder, _, names in os.walk(root):
        for name in sorted(names):
            with open(os.path.join(folder, name), "rb") as f:
                data[os.path.join(folder, name)] = f.read()
    path = sorted(p for p in data if data[p][:4] == b"\x33\x22\x11\x00")[0]
    mesh = ("skn", "a.skn", data[path])
    want = os.path.join(box.root, "want.glb")
    d = Daemon(box, "--default-units=league", "--default-shading=pbr", program=REAL)
    for part, args in (([], ["--units=league", "--shading=pbr"]), ([("options", None, b"{}")], ["--units=league", "--shading=pbr"]),
                       ([("options", None, b'{"units":"metre"}')], ["--shading=pbr"]), ([("options", None, b'{"profile":"full"}')], [])):
        source = os.path.join(box.root, "a.skn")
        with open(source, "wb") as f:
            f.write(mesh[2])
        subprocess.run([COMMAND, "convert", "--quiet", "--skn", source, "-o", want, *args], check=True, timeout=DEADLINE)
        type_, body = form(mesh, *part)
        r = d.request("POST", "/v1/convert", body, type_)
        with open(want, "rb") as f:
            check(r.body == f.read(), "other bytes than the command line's with", args, r.status)
    d.stop()


def operators_defaults_are_public(box):
    """What needs no token under --auth-public-read is what is made for who says nothing, however it is spelt."""
    rows = [
        ("", 200), ("?texture=webp", 200), ("?max_texture=64", 200), ("?profile=full&texture=webp&max_texture=64", 200), ("?content=full", 200),
        ("?texture=png", 401), ("?profile=full", 401), ("?profile=web", 401), ("?max_texture=unlimited", 401), ("?content=rig", 401),
    ]
    d = Daemon(box, *token_files(box), "--auth-public-read", "--default-texture=webp", "--default-max-texture=64")
    for query, status in rows:
        r = d.get("/v1/skins/9001001.glb" + query)
        equal(r.status, status, query)
        equal(d.get("/v1/skins/9001001/report" + query).status, status, "report of " + query)
    equal(d.get("/v1/skins/9001001.glb?profile=full", {"Authorization": "Bearer read"}).status, 200, "with a token")
    equal(d.get(signed("/v1/skins/9001001.glb?profile=full")).status, 200, "signed")
    for o in d.get("/v1/skins/9001001").json()["outputs"]:
        equal(d.get(o["url"]).status, 401 if o["options"] == "" else 200, o["url"])
    d.stop()


def operators_defaults_are_read_again(box):
    """SIGHUP: others are in force from then on, for who asks from then on; unsound ones change nothing."""
    settings = os.path.join(box.root, "settings")
    glb = "/v1/skins/9001002.glb"
    box.order("bramble-2", "wait")

    def write(text, answer):
        with open(settings, "w") as f:
            f.write(text)
        before = box.log_text().count(answer)
        d.signal(signal.SIGHUP)
        wait_until(lambda: box.log_text().count(answer) > before, answer)

    with open(settings, "w") as f:
        f.write("default-clips = Idle1,Run\n")
    d = Daemon(box, "--config", settings)
    job = d.post({"skin": 9001002}).json()
    write("default-clips = none\ndefault-texture = webp\n", b"settings read again")
    equal(d.post({"skin": 9001002}).json()["options"], "clips=none&texture=webp", "new defaults")
    write("default-texture = bmp\n", b"the settings stay as they were")
    check(b"default-texture" in box.log_text(), "the name of the setting in the log")
    box.open_gate("bramble-2")
    for text in ("clips=none&texture=webp", "clips=Idle1,Run"):
        query = "" if "none" in text else "?profile=full&" + text
        check(d.get(glb + query).body == expected_glb(2, options=text), "bytes of", text)
    equal(d.get(job["url"]).json()["options"], "clips=Idle1,Run", "a job from before")
    write("", b"settings read again")
    check(d.get(glb).body == expected_glb(2), "the program's own")
    d.stop()


def token_files(where):
    """A file of tokens, one of each scope, and one of signing keys."""
    tokens = os.path.join(where.root, "tokens")
    keys = os.path.join(where.root, "keys")
    with open(tokens, "w") as f:
        for scope in ("read", "submit", "admin"):
            f.write("%s %s the-%s\n" % (hashlib.sha256(scope.encode()).hexdigest(), scope, scope))
    with open(keys, "w") as f:
        f.write("the newer key of two\nthe older key of two\n")
    return "--tokens-file=" + tokens, "--signing-keys-file=" + keys


def signed(target, key=b"the newer key of two", seconds=60):
    target += ("&" if "?" in target else "?") + "exp=%d" % (time.time() + seconds)
    return target + "&sig=" + hmac.new(key, target.encode(), hashlib.sha256).hexdigest()


def tokens_and_scopes(box):
    """A9: what each scope may do, with and without public reading; one row per answer."""
    flags = token_files(box)
    glb = "/v1/skins/9001001.glb"
    rig = glb + "?content=rig"
    job = (JSON, json.dumps({"skin": 9001002}).encode())
    as_ = lambda name: {"Authorization": "Bearer " + name}
    closed = [
        # method, target, headers, body, status, code
        ("GET", "/livez", {}, None, 200, None),
        ("GET", "/readyz", {}, None, 200, None),
        ("GET", "/openapi.json", {}, None, 200, None),
        ("OPTIONS", glb, {}, None, 204, None),
        ("GET", glb, {}, None, 401, "token_needed"),
        ("GET", "/v1/skins", {}, None, 401, "token_needed"),
        ("GET", "/metrics", {}, None, 401, "token_needed"),
        ("GET", glb, as_("nobody"), None, 401, "unknown_token"),
        ("GET", glb, as_(""), None, 401, "unknown_token"),
        ("GET", glb, {"Authorization": "Basic cmVhZA=="}, None, 401, "unknown_token"),
        ("GET", glb, as_(hashlib.sha256(b"read").hexdigest()), None, 401, "unknown_token"),
        ("GET", glb, as_("read"), None, 200, None),
        ("GET", rig, as_("read"), None, 200, None),
        ("GET", "/v1/status", as_("read"), None, 200, None),
        ("GET", "/metrics", as_("admin"), None, 200, None),
        ("POST", "/v1/jobs", {}, job, 401, "token_needed"),
        ("POST", "/v1/jobs", as_("read"), job, 403, "scope"),
        ("POST", "/v1/jobs", as_("submit"), job, 202, None),
        ("POST", "/v1/jobs", as_("admin"), job, (200, 202), None),
        ("GET", signed(glb), {}, None, 200, None),
        ("HEAD", signed(rig), {}, None, 200, None),
        ("GET", signed("/v1/status"), {}, None, 401, "token_needed"),
        ("POST", signed("/v1/jobs"), {}, job, 401, "token_needed"),
    ]
    public = [
        ("GET", glb, {}, None, 200, None),
        ("GET", glb + "?content=full", {}, None, 200, None),  # the default, spelt out
        ("GET", glb, as_("read"), None, 200, None),
        ("GET", signed(glb), {}, None, 200, None),
        ("GET", rig, {}, None, 401, "token_needed"),
        ("HEAD", rig, {}, None, 401, None),
        ("GET", rig, as_("read"), None, 200, None),
        ("GET", rig, as_("nobody"), None, 401, "unknown_token"),
        ("GET", signed(rig), {}, None, 200, None),
        ("GET", signed(rig, b"the older key of two"), {}, None, 200, None),
        # expired, forged, and replayed for something else
        ("GET", signed(rig, seconds=-1), {}, None, 403, "signature_expired"),
        ("GET", signed(rig, b"a key that is not ours"), {}, None, 403, "bad_signature"),
        ("GET", signed(rig)[:-1] + "x", {}, None, 403, "bad_signature"),
        ("GET", signed(rig).replace("9001001", "9001003"), {}, None, 403, "bad_signature"),
        ("GET", signed(rig).replace("=rig", "=mesh"), {}, None, 403, "bad_signature"),
        ("GET", signed(rig).replace("exp=1", "exp=9"), {}, None, 403, "bad_signature"),
        ("GET", signed(rig) + "&max_texture=64", {}, None, 403, "bad_signature"),
        ("GET", rig + "&sig=" + "0" * 64, {}, None, 403, "bad_signature"),
        ("GET", rig + "&exp=99999999999&sig=", {}, None, 403, "bad_signature"),
        ("GET", signed(glb + "?nonsense=1"), {}, None, 400, "bad_option"),
        ("GET", rig + "&exp=1", {}, None, 400, "bad_option"),
        ("GET", "/metrics", {}, None, 401, "token_needed"),
        ("GET", "/v1/status", {}, None, 401, "token_needed"),
        ("POST", "/v1/jobs", {}, job, 401, "token_needed"),
    ]
    for extra, table in (((), closed), (("--auth-public-read",), public)):
        d = Daemon(box, *flags, *extra)
        for method, target, headers, body, status, code in table:
            what = "%s %s %s" % (method, target, headers)
            r = d.request(method, target, body[1] if body else None, dict(headers, **(body[0] if body else {})))
            check(r.status in (status if isinstance(status, tuple) else (status,)), what, r.status, r.body[:200])
            if r.status == 401:
                check(r.headers["www-authenticate"].startswith("Bearer"), what, r.headers)
            if code is not None:
                problem(r, status, code)
            if r.status == 200 and ".glb" in target:
                # A shared cache may not answer with it after exp, nor those who have no token.
                open_to_all = extra and "Authorization" not in headers and "sig=" not in target
                check(r.headers["cache-control"].startswith("public" if open_to_all else "private"), what, r.headers["cache-control"])
        refused = d.request("GET", "/v1/status", headers=as_("read")).json()["refused"]
        check(refused["token"] > 2 and refused["signature"] == (9 if extra else 0), refused)
        d.stop()
    text = box.log_text().decode()
    for secret in ("Bearer read", "newer key", hashlib.sha256(b"read").hexdigest()):
        check(secret not in text, "the log has", secret)


def tokens_are_read_again(box):
    flags = token_files(box)
    path = flags[0].split("=")[1]
    d = Daemon(box, *flags, "--log-level=debug")

    def hang_up(answer):
        before = box.log_text().count(answer)
        d.signal(signal.SIGHUP)
        wait_until(lambda: box.log_text().count(answer) > before, answer)

    new = {"Authorization": "Bearer a new one"}
    equal(d.get("/v1/skins", new).status, 401, "before")
    with open(path, "w") as f:
        f.write(hashlib.sha256(b"a new one").hexdigest() + " read\n")
    hang_up(b"settings read again")
    equal(d.get("/v1/skins", new).status, 200, "after")
    equal(d.get("/v1/skins", {"Authorization": "Bearer read"}).status, 401, "a token that is gone")
    for broken in ("", "nonsense\n"):
        with open(path, "w") as f:
            f.write(broken)
        hang_up(b"the settings stay as they were")
        equal(d.get("/v1/skins", new).status, 200, "tokens that stay")
    os.unlink(path)
    hang_up(b"the settings stay as they were")
    equal(d.get("/v1/skins", new).status, 200, "tokens that stay")
    check(b"sig=" not in box.log_text() or b"exp=" in box.log_text(), "log")
    d.get(signed("/v1/skins"), new)
    check(b"&sig=\"" in box.log_text(), "a signature in the log", box.tail())
    d.stop()


def keeps_clients_to_their_rate(box):
    d = Daemon(box, "--rate=1", "--burst=5", "--forwarded")
    client = {"X-Forwarded-For": "198.51.100.1, 203.0.113.7"}
    statuses = [d.get("/v1/skins", client).status for _ in range(8)]
    check(statuses[:5] == [200] * 5 and 429 in statuses[5:], statuses)
    r = wait_until(lambda: (lambda r: r if r.status == 429 else None)(d.get("/v1/skins", client)), "one too many")
    doc = problem(r, 429, "over_rate")
    # draft-ietf-httpapi-ratelimit-headers: five at once, which five seconds bring back.
    equal((r.headers["ratelimit-policy"], r.headers["ratelimit"]), ('"client";q=5;w=5', '"client";r=0;t=5'), "where the client stands")
    r = d.get("/v1/skins", {"X-Forwarded-For": "203.0.113.60"})
    equal((r.headers["ratelimit-policy"], r.headers["ratelimit"]), ('"client";q=5;w=5', '"client";r=4;t=1'), "another client's first")
    for name in ("RateLimit", "RateLimit-Policy"):
        check(name in r.headers["access-control-expose-headers"].split(", "), name, "for pages")
    for free in (d.get("/livez", client), d.get("/v1/skins")):
        check("ratelimit" not in free.headers and "ratelimit-policy" not in free.headers, "no limit, no field", free.headers)
    r = wait_until(lambda: (lambda r: r if r.status == 429 else None)(d.get("/v1/skins", client)), "one too many")
    check(doc["retryable"] and 1 <= int(r.headers["retry-after"]) <= 2, r.headers)
    equal(d.get("/livez", client).status, 200, "liveness has no limit")
    # Whatever the client itself writes in front, the proxy's word counts; others are not hurt.
    equal(d.get("/v1/skins", {"X-Forwarded-For": "192.0.2.1, 203.0.113.7"}).status, 429, "another first element")
    for other in ("203.0.113.8", "2001:db8::1", "203.0.113.7, 203.0.113.9"):
        equal(d.get("/v1/skins", {"X-Forwarded-For": other}).status, 200, other)
    for mine in ("", "nonsense", "203.0.113.7:80"):
        equal(d.get("/v1/skins", {"X-Forwarded-For": mine} if mine else {}).status, 200, "this machine")
    time_ok = lambda: d.get("/v1/skins", client).status == 200
    wait_until(time_ok, "room again", 5)
    d.stop()
    d = Daemon(box, "--rate=1", "--burst=1")  # not told to believe the header
    equal([d.get("/v1/skins", client).status for _ in range(5)], [200] * 5, "not forwarded")
    d.stop()


def prometheus(text):
    """Samples by name and labels; every sample has its family before it, and no sample comes twice."""
    samples, families, name = {}, {}, None
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split()[2]
            check(name not in families and len(line.split()) > 3, line)
        elif line.startswith("# TYPE "):
            check(line.split()[2] == name, line)
            families[name] = line.split()[3]
        else:
            key, value = line.rsplit(" ", 1)
            base = key.split("{")[0]
            family = re.sub("_(bucket|sum|count)$", "", base) if families[name] == "histogram" else base
            check(family == name and key not in samples, "sample out of place:", line)
            check(families[name] != "counter" or name.endswith("_total"), line)
            samples[key] = float(value)
    for key in samples:
        if "_bucket" in key and 'le="+Inf"' in key:
            label = re.sub(',?le="[^"]*"', "", key).replace("{}", "")
            equal(samples[key], samples[label.replace("_bucket", "_count")], key)
    return samples


def counts_what_happens(box):
    box.order("bramble-1", "size 300000")
    box.order("bramble-2", "fail FORMAT")
    box.order("bramble-3", "wait")
    d = Daemon(box, "--workers=2")
    r = d.get("/metrics")
    equal(r.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8", "type")
    before = prometheus(r.body.decode())
    equal(d.get("/v1/skins/9001001.glb").status, 200, "miss")
    r = d.get("/v1/skins/9001001.glb")
    equal(d.get("/v1/skins/9001001.glb", {"If-None-Match": r.headers["etag"]}).status, 304, "unchanged")
    equal(d.get("/v1/skins/9001002.glb").status, 422, "failure")
    for _ in range(3):
        equal(d.get("/nowhere").status, 404, "no route")
    threads = [threading.Thread(target=lambda: d.get("/v1/skins/9001003.glb")) for _ in range(4)]
    for t in threads:
        t.start()
    wait_until(lambda: d.get("/v1/status").json()["waiting"] == 4, "four waiting")
    status = d.get("/v1/status").json()
    equal(status["workers"], {"total": 2, "busy": 1}, "workers")
    now = prometheus(d.get("/metrics").body.decode())
    equal(now["riftbake_waiting_requests"], 4, "waiting")
    equal(now['riftbake_workers{state="busy"}'], 1, "busy")
    box.open_gate("bramble-3")
    for t in threads:
        t.join()
    now = prometheus(d.get("/metrics").body.decode())
    equal(now['riftbake_cache_requests_total{result="hit"}'], 2, "hits")
    equal(now['riftbake_cache_requests_total{result="miss"}'], 6, "misses")
    equal(now["riftbake_cache_unchanged_total"], 1, "unchanged")
    equal(now["riftbake_cache_coalesced_total"], 3, "coalesced")
    equal(now["riftbake_cache_served_bytes_total"], 300000, "bytes of hits")
    equal(now['riftbake_jobs_total{event="done"}'], 2, "done")
    equal(now['riftbake_jobs_total{event="failed"}'], 1, "failed")
    equal(now["riftbake_job_run_seconds_count"], 3, "runs")
    equal(now['riftbake_http_requests_total{method="other",route="other",code="404"}'], 3, "no route")
    label = 'method="GET",route="/v1/skins/@.glb"'
    equal(now["riftbake_http_requests_total{%s,code=\"200\"}" % label], 6, "GLBs")
    equal(now["riftbake_http_requests_total{%s,code=\"422\"}" % label], 1, "failures")
    equal(now["riftbake_http_request_seconds_count{%s}" % label], 8, "durations")
    check(now["riftbake_http_sent_bytes_total"] > 600000, "sent", now["riftbake_http_sent_bytes_total"])
    check(now["process_resident_memory_bytes"] > 1e6 and now["process_open_fds"] > 5, "process")
    check(now["riftbake_database_wal_bytes"] >= 0 and now["process_cpu_seconds_total"] > 0, "files")
    check(before["process_cpu_seconds_total"] <= now["process_cpu_seconds_total"], "cpu goes forward")
    status = d.get("/v1/status").json()
    equal(status["cache"]["hits"], 2, "status")
    equal(status["queue"]["interactive"], 0, "queue")
    check(status["requests"] > 10 and not status["draining"], status)
    d.stop()
    # Phases are told by the real conversion only.
    d = Daemon(box, "--serve-wait=60", program=REAL)
    equal(d.get("/v1/skins/9001001.glb?max_texture=64").status, 200, "real")
    now = prometheus(d.get("/metrics").body.decode())
    for phase in ("mesh", "clip", "texture", "write"):
        equal(now['riftbake_conversion_phase_seconds_count{phase="%s"}' % phase], 1, phase)
    d.stop()


def names_its_requests(box):
    """X-Request-Id and traceparent: taken, made, answered, logged; and text logs."""
    d = Daemon(box, "--access-log=1")
    r = d.get("/v1/skins", {"X-Request-Id": "build-7", "Traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"})
    equal(r.headers["x-request-id"], "build-7", "request id")
    parts = r.headers["traceparent"].split("-")
    equal((parts[0], parts[1], parts[3]), ("00", "4bf92f3577b34da6a3ce929d0e0e4736", "01"), "trace")
    check(parts[2] != "00f067aa0ba902b7", "the span is ours")
    r = d.get("/nowhere", {"X-Request-Id": "bad id", "Traceparent": "nonsense"})
    check(re.fullmatch("[0-9a-f]{16}", r.headers["x-request-id"]), r.headers)
    equal(r.json()["trace"], r.headers["traceparent"].split("-")[1], "trace of a problem")
    r = d.post({"skin": 9001001})
    lines = [json.loads(l) for l in box.log_text().splitlines()]
    told = [l for l in lines if l["msg"] == "request"]
    equal((told[0]["request"], told[0]["trace"], told[0]["status"]), ("build-7", parts[1], 200), "log")
    equal(told[-1]["job"], r.json()["id"], "job in the log")
    exposed = r.headers["access-control-expose-headers"]
    check("X-Request-Id" in exposed and "Traceparent" in exposed, exposed)
    d.stop()
    os.unlink(os.path.join(box.root, "log"))
    d = Daemon(box, "--log-format=text", "--access-log=1")
    d.get("/v1/skins?q=a%22b", {"X-Request-Id": "t1"})
    text = box.log_text().decode()
    check(re.search(r'(?m)^t=\S+Z level=info msg="request" method="GET" status=200 us=\d+ .*request="t1" .*target="/v1/skins\?q=a%22b"$', text), text)
    d.stop()
    os.unlink(os.path.join(box.root, "log"))
    open(os.path.join(box.root, "log"), "w").close()


def tells_its_manager(box):
    """sd_notify, the watchdog, and a socket that is open already."""
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(os.path.join(box.root, "notify"))
    manager.settimeout(DEADLINE)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    env = dict(os.environ, RIFT_TEST_STEER=box.steer, NOTIFY_SOCKET=os.path.join(box.root, "notify"), WATCHDOG_USEC="200000")
    args = [STEERED, "--game", box.game, "--data", box.data, "--listen", "127.0.0.1:1"]
    # The descriptor must be 3, and LISTEN_PID the daemon's own.
    shell = 'exec 3<&%d; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"' % listener.fileno()
    log = open(os.path.join(box.root, "log"), "ab")
    p = subprocess.Popen(["/bin/sh", "-c", shell, "sh"] + args, pass_fds=[listener.fileno()], env=env, stdout=subprocess.PIPE, stderr=log)
    equal(p.stdout.readline().decode().split()[-1], "127.0.0.1:%d" % listener.getsockname()[1], "address")
    check(manager.recv(1000).startswith(b"READY=1"), "ready")
    c = http.client.HTTPConnection("127.0.0.1", listener.getsockname()[1], timeout=DEADLINE)
    c.request("GET", "/livez")
    equal(c.getresponse().status, 200, "over the socket")
    c.close()
    for _ in range(2):
        equal(manager.recv(1000), b"WATCHDOG=1", "watchdog")
    p.send_signal(signal.SIGTERM)
    wait_until(lambda: manager.recv(1000).startswith(b"STOPPING=1"), "stopping")
    equal(p.wait(DEADLINE), 0, "exit code")
    p.stdout.close()
    log.close()
    # An upgrade loses nothing: the manager's socket still takes connections for the next one.
    socket.create_connection(listener.getsockname(), timeout=DEADLINE).close()
    listener.close()
    manager.close()
    # A socket in the file system, and one that is open to others.
    for family, address, ok in ((socket.AF_UNIX, os.path.join(box.root, "sock"), True), (socket.AF_INET, ("0.0.0.0", 0), False)):
        listener = socket.socket(family)
        listener.bind(address)
        listener.listen()
        shell = 'exec 3<&%d; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"' % listener.fileno()
        log = open(os.path.join(box.root, "log"), "ab")
        p = subprocess.Popen(["/bin/sh", "-c", shell, "sh"] + args, pass_fds=[listener.fileno()], env=dict(env, NOTIFY_SOCKET="/nowhere"), stdout=subprocess.PIPE, stderr=log)
        line = p.stdout.readline().decode()
        if ok:
            equal(line.split()[-1], "unix:" + address, "address")
            s = socket.socket(socket.AF_UNIX)
            s.connect(address)
            s.sendall(b"GET /v1/skins HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            check(s.recv(100).startswith(b"HTTP/1.1 200"), "over a socket in the file system")
            s.close()
            p.send_signal(signal.SIGTERM)
        equal(p.wait(DEADLINE), 0 if ok else 1, "exit code")
        check(ok or "tokens" in box.tail(), box.tail())
        p.stdout.close()
        log.close()
        listener.close()


def name_tables(box):
    """Import, resolve, count; every refusal has its row. Hashes are values of formats/hashes.md."""
    lists = {"Content-Type": "text/plain"}
    d = Daemon(box, "--upload-max=1m")
    post = lambda table, text, headers=lists: d.request("POST", "/v1/hashes/" + table, text, headers)
    equal(d.get("/v1/hashes").json(), {"tables": dict.fromkeys(("game", "binentries", "binhashes", "binfields", "bintypes"), 0), "learnt": 0, "digest": "0x0000000000000000"}, "nothing yet")
    problem(d.get("/v1/hashes/game/02fe0af750890fe6"), 404, "unknown_hash")
    equal(d.get("/v1/skins/9001002.glb").status, 200, "a skin made with the old tables")
    # Parts of one list, with a line cut in two, blanks behind a name, an empty name, and lines that are wrong.
    r = post("binhashes", b"6f332041 Weapon\r\n9dd9dc06 Idle1\n\n811c9dc5 \n9dd9dc06 IDLE1\nnothex12 x\n20fd0e45 Toor\n9dd9dc06")
    equal(r.json(), {"table": "binhashes", "lines": 8, "new": 3, "known": 1, "blank": 1, "malformed": 2, "mismatched": 1}, "counts")
    equal(post("game", b"02fe0af750890fe6 data/characters/lux/lux.bin\n").json()["new"], 1, "a path")
    equal(d.get("/v1/hashes/binhashes/9dd9dc06").json(), {"table": "binhashes", "hash": "0x9dd9dc06", "name": "Idle1"}, "a name")
    equal(d.get("/v1/hashes/binhashes/0x811C9DC5").json()["name"], "", "an empty name")
    equal(d.get("/v1/hashes/game/02fe0af750890fe6").json()["name"], "data/characters/lux/lux.bin", "a path")
    counts = d.get("/v1/hashes").json()
    equal((counts["tables"]["binhashes"], counts["tables"]["game"]), (3, 1), "counts")
    check(counts["digest"] != "0x0000000000000000", counts)
    wait_until(lambda: b"name tables changed" in box.log_text(), "the new tables in force")
    equal(d.get("/v1/skins/9001002/report").status, 200, "the report of what was made before")
    big = b"0" * 16 + b" x\n"
    table = [
        ("GET", "/v1/hashes/nonsense/1", {}, None, 404, "unknown_table"),
        ("GET", "/v1/hashes/binhashes/xyz", {}, None, 400, "bad_hash"),
        ("GET", "/v1/hashes/binhashes/123456789", {}, None, 400, "bad_hash"),
        ("GET", "/v1/hashes/game/12345678901234567", {}, None, 400, "bad_hash"),
        ("GET", "/v1/hashes/game/-1", {}, None, 400, "bad_hash"),
        ("GET", "/v1/hashes/binhashes/1", {}, None, 404, "unknown_hash"),
        ("GET", "/v1/hashes/binhashes/", {}, None, 404, "unknown_route"),
        ("GET", "/v1/hashes/binhashes/1/2", {}, None, 404, "unknown_route"),
        ("GET", "/v1/hashes/binhashes", {}, None, 405, "method_not_allowed"),
        ("POST", "/v1/hashes", lists, b"", 405, "method_not_allowed"),
        ("POST", "/v1/hashes/nonsense", lists, b"", 404, "unknown_table"),
        ("POST", "/v1/hashes/game", JSON, b"", 415, "unsupported_media_type"),
        ("POST", "/v1/hashes/game", lists, big * 60000, 413, "body_too_large"),
        ("POST", "/v1/hashes/game", lists, big * 50000, 200, None),  # far over what a JSON body may have
        ("POST", "/v1/hashes/game", lists, b"", 200, None),
        ("GET", "/v1/hashes/binhashes/6f332041", {"Accept": "image/png"}, None, 406, "not_acceptable"),
    ]
    for method, path, headers, body, status, code in table:
        r = d.request(method, path, body, headers)
        equal(r.status, status, "%s %s: %r" % (method, path, r.body[:200]))
        if code is not None:
            problem(r, status, code)
    # A pack that was damaged meanwhile is made again, and says so.
    d.stop()
    pack = os.path.join(box.data, "hashes.db.pack")
    with open(pack, "r+b") as f:
        f.seek(-1, 2)
        f.write(b"~")
    d = Daemon(box)
    check(b"the pack of names was made again" in box.log_text(), box.tail())
    equal(d.get("/v1/hashes/binhashes/6f332041").json()["name"], "Weapon", "a name")
    d.stop()
    # Conversions note what the files spell. Importing is an admin's.
    d = Daemon(box, "--serve-wait=60", *token_files(box), program=REAL)
    admin = {"Authorization": "Bearer admin"}
    equal(d.get("/v1/skins/9001001.glb", admin).status, 200, "conversion")
    learnt = d.get("/v1/hashes", admin).json()["learnt"]
    check(learnt > 3, learnt, "names learnt")
    check(prometheus(d.get("/metrics", admin).body.decode())["riftbake_names_learnt_total"] == learnt, "metric")
    body = b"9dd9dc06 Idle1\n" * 10000  # far over what a JSON body may have: not even read
    problem(d.request("POST", "/v1/hashes/binhashes", body, lists), 401, "token_needed")
    problem(d.request("POST", "/v1/hashes/binhashes", body, dict(lists, Authorization="Bearer submit")), 403, "scope")
    equal(d.request("POST", "/v1/hashes/binhashes", body, dict(lists, **admin)).status, 200, "by an admin")
    after = d.get("/v1/hashes", admin).json()
    check(after["learnt"] == 0 and sum(after["tables"].values()) == sum(counts["tables"].values()) + learnt, after)
    d.stop()


def form(*parts):
    """multipart/form-data: (name, file name or None, bytes)."""
    body = b""
    for name, file, data in parts:
        body += b'--frontier\r\nContent-Disposition: form-data; name="%s"' % name.encode()
        body += b'; filename="%s"' % file.encode() if file else b""
        body += b"\r\n\r\n" + data + b"\r\n"
    return {"Content-Type": "multipart/form-data; boundary=frontier"}, body + b"--frontier--\r\n"


def converts_files_that_are_sent(box):
    """The GLB of POST /v1/convert is that of the command line; what is wrong with the files or the form has its row."""
    root = os.path.join(box.root, "files")
    archive = [os.path.join(f, n) for f, _, names in os.walk(box.game) for n in names if n == "Bramble.wad.client"][0]
    subprocess.run([COMMAND, "wad", "get", archive, "-o", root, "--all", "--quiet"], check=True, timeout=DEADLINE, stdout=subprocess.DEVNULL)
    files = sorted(os.path.join(f, n) for f, _, names in os.walk(root) for n in names)

    def content(path):
        with open(path, "rb") as f:
            return f.read()

    skn = [f for f in files if content(f)[:4] == b"\x33\x22\x11\x00"][0]
    skl = [f for f in files if content(f)[4:8] == b"\xc3\x4f\xfd\x22"][0]
    anms = [f for f in files if content(f)[:8] in (b"r3d2anmd", b"r3d2canm")][:3]
    named = lambda kind, path, name: (kind, name, content(path))
    parts = [named("skn", skn, "a b.skn"), named("skl", skl, "x.skl")] + [named("anm", a, "clip%d.anm" % i) for i, a in enumerate(anms)]
    flags = []
    for (kind, name, data) in parts:
        path = os.path.join(box.root, name)
        with open(path, "wb") as f:
            f.write(data)
        flags += ["--" + kind, path]
    d = Daemon(box, "--upload-max=2m", "--upload-parts=8", program=REAL)

    def post(parts, headers={}):
        type_, body = form(*parts)
        return d.request("POST", "/v1/convert", body, dict(type_, **headers))

    for options in ({}, {"content": "rig"}, {"max_texture": 64, "clips": ["clip0"]}):
        want = os.path.join(box.root, "want.glb")
        extra = ["--%s=%s" % (k, ",".join(v) if isinstance(v, list) else v) for k, v in options.items()]
        subprocess.run([COMMAND, "convert", "--quiet", "-o", want] + flags + extra, check=True, timeout=DEADLINE)
        r = post(parts + [("options", None, json.dumps(options).encode())])
        equal((r.status, r.headers["content-type"]), (200, "model/gltf-binary"), r.body[:300])
        check(r.body == content(want), "other bytes than the command line's", options, len(r.body))
        equal(r.headers["content-disposition"], 'inline; filename="a_b.glb"', "name")
        equal(r.headers["cache-control"], "no-store", "cache")
    mesh = parts[0]
    rows = [
        ("no skn", [parts[1]], 400, "bad_body"),
        ("two skn", [mesh, mesh], 400, "bad_body"),
        ("no such part", [mesh, ("nonsense", "x", b"")], 400, "bad_body"),
        ("no file name", [("skn", None, mesh[2])], 400, "bad_body"),
        ("no such option", [mesh, ("options", None, b'{"nonsense":1}')], 400, "bad_body"),
        ("a wrong value", [mesh, ("options", None, b'{"content":"nonsense"}')], 400, "bad_body"),
        ("no JSON", [mesh, ("options", None, b"{")], 400, "bad_body"),
        ("a member twice", [mesh, ("options", None, b'{"content":"rig","content":"rig"}')], 400, "bad_body"),
        ("deep", [mesh, ("options", None, b'{"clips":' + b"[" * 100 + b"]" * 100 + b"}")], 400, "bad_body"),
        ("too many", [mesh] + [("anm", "a", b"")] * 8, 413, "too_many_parts"),
        ("no mesh", [("skn", "x.skn", b"garbage")], 422, None),
        ("half a mesh", [("skn", "x.skn", mesh[2][:100])], 422, "truncated"),
        ("too large", [mesh, ("texture", "t.dds", b"x" * (3 << 20))], 413, "body_too_large"),
    ]
    for what, parts_, status, code in rows:
        r = post(parts_)
        equal(r.status, status, what + ": %r" % r.body[:300])
        doc = problem(r, status, code or r.json()["code"])
        check(status != 422 or doc["stage"] == "mesh", what, doc)
    type_, body = form(*parts)
    problem(d.request("POST", "/v1/convert", body, JSON), 415, "unsupported_media_type")
    problem(d.request("POST", "/v1/convert", body, dict(type_, Accept="image/png")), 406, "not_acceptable")
    problem(d.request("POST", "/v1/convert", body[:-4], type_), 400, "bad_body")
    problem(d.request("POST", "/v1/convert", b"", type_), 400, "bad_body")
    problem(d.request("POST", "/v1/convert", body, {"Content-Type": "multipart/form-data"}), 400, "bad_body")
    problem(d.get("/v1/convert"), 405, "method_not_allowed")
    # A damaged texture or clip loses itself, not the mesh.
    r = post([mesh, parts[1], ("anm", "broken.anm", b"garbage"), ("texture", "t.dds", b"garbage")])
    equal(r.status, 200, r.body[:300])
    # A client that leaves in the middle of its files leaves no trace; the places for files are free again.
    for _ in range(6):
        s = socket.create_connection(d.address, timeout=DEADLINE)
        s.sendall(b"POST /v1/convert HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 200000\r\n\r\n--b")
        s.close()
    wait_until(lambda: post(parts).status == 200, "room for files")
    held = []
    for _ in range(4):
        s = socket.create_connection(d.address, timeout=DEADLINE)
        s.sendall(b"POST /v1/convert HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 200000\r\n\r\n--b")
        held.append(s)
    wait_until(lambda: post(parts).status == 503, "no room for more files")
    problem(post(parts), 503, "busy")
    for s in held:
        s.close()
    wait_until(lambda: post(parts).status == 200, "room again")
    d.stop()


def serves_the_command_line(box):
    """riftbake submit, status, get and health against a daemon, with and without a terminal."""
    box.order("bramble-1", "size 300000")
    box.order("bramble-2", "fail FORMAT")
    box.order("bramble-3", "wait", "size 5000")
    flags = token_files(box)
    token = os.path.join(box.root, "token")
    with open(token, "w") as f:
        f.write("submit\n")
    d = Daemon(box, *flags)
    url = "http://%s:%d" % d.address
    out = os.path.join(box.root, "out.glb")

    def run(code, *args, **env):
        p = subprocess.run([COMMAND] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE,
                           env=dict(os.environ, RIFT_SERVER=url, **env))
        equal(p.returncode, code, " ".join(args) + ": " + p.stderr.decode())
        return p.stdout.decode(), p.stderr.decode()

    def content():
        with open(out, "rb") as f:
            data = f.read()
        os.unlink(out)
        return data

    run(0, "health")
    check("401" in run(1, "submit", "--skin", "9001001")[1], "no token")
    check("403" not in run(0, "submit", "--skin", "9001001", "--token-file", token)[1], "token")
    env = {"RIFT_TOKEN_FILE": token}
    job = json.loads(run(0, "submit", "--skin", "bramble/1", "--json", **env)[0])
    equal((job["state"], job["skin"]), ("done", 9001001), "job")
    run(0, "submit", "--skin", "9001001", "-o", out, **env)
    check(content() == expected_glb(1, 300000), "bytes")
    run(0, "submit", "--skin", "9001001", "--content", "rig", "--max-texture", "64", "-o", out, **env)
    check(content() == expected_glb(1, 300000, "content=rig&max_texture=64"), "bytes with options")
    run(0, "get", "--skin", "9001001", "--content=rig", "--max-texture=64", "-o", out, **env)
    check(content() == expected_glb(1, 300000, "content=rig&max_texture=64"), "bytes with options, again")
    run(0, "get", "--skin", "9001001", "--clips", "a*,b", "-o", out, **env)
    check(content() == expected_glb(1, 300000, "clips=a*,b"), "an option that wants encoding")
    text = run(1, "submit", "--skin", "9001002", **env)[1]
    check("count 90000 is over 65536" in text, text)
    check("count 90000 is over 65536" in run(1, "get", "--skin", "9001002", "-o", out, **env)[1], "failure")
    check(not os.path.exists(out), "a file in spite of the failure")
    check("404" in run(1, "get", "--skin", "424242", "-o", out, **env)[1], "unknown skin")
    check("400" in run(2, "submit", "--skin", "abc", **env)[1], "bad skin")
    check("--skin" in run(2, "submit", **env)[1], "no skin")
    run(2, "status", "x", **env)
    check("404" in run(1, "status", "424242", **env)[1], "unknown job")
    check(json.loads(run(0, "status", "--json", **env)[0])["jobs"]["failed"] >= 1, "status of the daemon")
    job = json.loads(run(0, "submit", "--skin", "9001003", "--no-wait", "--json", **env)[0])
    check(job["state"] in ("queued", "running"), job)
    equal(json.loads(run(0, "status", str(job["id"]), "--json", **env)[0])["id"], job["id"], "status of a job")
    # On a terminal a bar tells how far it is; the daemon's restart is waited for.
    master, slave = pty.openpty()
    p = subprocess.Popen([COMMAND, "get", "--skin", "9001003", "-o", out], stdout=slave, stderr=slave, env=dict(os.environ, RIFT_SERVER=url, **env))
    os.close(slave)
    seen = b""
    while b"%" not in seen:
        seen += os.read(master, 1000)
    check(b"9001003 [" in seen, seen)
    port = d.address[1]
    d.kill()
    box.open_gate("bramble-3")
    d = Daemon(box, *flags, "--listen", "127.0.0.1:%d" % port)
    while True:
        try:
            part = os.read(master, 1000)
        except OSError:
            break
        if not part:
            break
        seen += part
    equal(p.wait(DEADLINE), 0, seen[-500:])
    os.close(master)
    check(content() == expected_glb(3, 5000), "bytes after a restart")
    d.stop()
    check("connect" in run(1, "get", "--skin", "9001001", "-o", out, **env)[1].lower(), "nobody there")


def stands_behind_nginx(box):
    """deploy/nginx/riftbake.conf in front of the daemon: files come through and are kept, as many clients as there are connections are served, and each stands for itself."""
    if shutil.which("nginx", path="/usr/sbin:/usr/bin") is None or shutil.which("openssl") is None:
        print("     skipped: no nginx", flush=True)
        return
    box.order("bramble-1", "size 300000")
    box.order("bramble-2", "wait")
    d = Daemon(box, "--forwarded", "--rate=1", "--burst=20")
    port = socket.socket()
    port.bind(("127.0.0.1", 0))
    front = port.getsockname()
    port.close()
    root = os.path.join(box.root, "nginx")
    for folder in ("cache", "lib/nginx", "log/nginx"):
        os.makedirs(os.path.join(root, "var", folder))
    pair = os.path.join(root, "pair")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", pair + ".key", "-out", pair + ".pem", "-days", "1", "-subj", "/CN=test"],
                   check=True, stderr=subprocess.DEVNULL, timeout=DEADLINE)
    with open(os.path.join(os.environ["RIFT_SOURCE_DIR"], "deploy", "nginx", "riftbake.conf")) as f:
        text = f.read()
    text = re.sub(r"/etc/ssl/[a-z.]*\.(pem|key)", lambda m: pair + "." + m.group(1), text).replace("/var/", root + "/var/")
    text = text.replace("127.0.0.1:8780", "%s:%d" % d.address).replace("listen 443 ", "listen 127.0.0.1:%d " % front[1])
    text = "\n".join(line for line in text.splitlines() if "listen [::]" not in line)
    config = os.path.join(root, "nginx.conf")
    with open(config, "w") as f:
        f.write("%spid %s/pid; error_log %s/log; events {worker_connections 2048;} http {access_log off;\n%s\n}\n" % ("user root;" if os.getuid() == 0 else "", root, root, text))
    nginx = subprocess.Popen([shutil.which("nginx", path="/usr/sbin:/usr/bin"), "-e", root + "/log", "-p", root, "-c", config, "-g", "daemon off; master_process off;"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def begin(client, target, headers=""):
        """From 127.0.0.<client>, so that each is another one."""
        s = socket.create_connection(front, timeout=DEADLINE, source_address=("127.0.0.%d" % client, 0))
        s = context.wrap_socket(s)
        s.sendall(("GET %s HTTP/1.1\r\nHost: skins.example.org\r\nConnection: close\r\n%s\r\n" % (target, headers)).encode())
        return s

    def ask(client, target, headers=""):
        with begin(client, target, headers) as s:
            r = http.client.HTTPResponse(s)
            r.begin()
            return Reply(r, r.read())

    def listens():
        try:
            socket.create_connection(front, timeout=DEADLINE).close()
            return True
        except OSError:
            return False

    wait_until(listens, "nginx")
    glb = "/v1/skins/9001001.glb"
    want = expected_glb(1, 300000)
    seen = [ask(2, glb), ask(2, glb), ask(2, glb, "Range: bytes=5-9\r\n")]
    equal([(r.status, r.headers["x-cache"]) for r in seen], [(200, "MISS"), (200, "HIT"), (206, "HIT")], "kept")
    check(seen[0].body == want and seen[1].body == want and seen[2].body == want[5:10], "bytes")
    equal(ask(2, glb, "If-None-Match: %s\r\n" % seen[0].headers["etag"]).status, 304, "unchanged")
    equal(ask(2, "/metrics").status, 404, "what is for operators")
    # More streams than one address may have, of many clients: all are served, and so is who comes after them.
    job = d.post({"skin": 9001002}).json()["id"]
    streams = [begin(10 + n // 10, "/v1/jobs/%d/events" % job) for n in range(200)]
    equal({s.recv(12) for s in streams}, {b"HTTP/1.1 200"}, "streams")
    equal(ask(3, "/v1/skins").status, 200, "who comes after them")
    for s in streams:
        s.close()
    box.open_gate("bramble-2")
    # Whatever a client says of itself: the rate is that of its own address, for files too.
    for target, client in (("/v1/skins?limit=%d", 4), (glb + "?max_texture=%d", 5)):
        statuses = []
        while 429 not in statuses and len(statuses) < 200:
            n = len(statuses)
            statuses.append(ask(client, target % (64 + n), "X-Forwarded-For: 203.0.113.%d\r\n" % n).status)
        check(statuses[0] == 200 and statuses[-1] == 429, target, statuses)
    equal(ask(6, "/v1/skins").status, 200, "another client")
    nginx.terminate()
    nginx.wait(DEADLINE)
    d.stop()


def boards_name_real_metrics(box):
    """Every metric that the board and the alert rules name is one of /metrics, with labels that it has."""
    folder = os.path.join(os.environ["RIFT_SOURCE_DIR"], "deploy", "watch")
    d = Daemon(box)
    r = d.get("/v1/skins/9001001.glb")
    equal(d.get("/v1/artifacts/%s.glb" % hashlib.sha256(r.body).hexdigest()).status, 200, "a GLB")
    equal(d.get("/nowhere").status, 404, "no route")
    samples = prometheus(d.get("/metrics").body.decode())
    d.stop()
    names = {key.split("{")[0] for key in samples}
    labels = {}
    for key in samples:
        for label, value in re.findall(r'(\w+)="([^"]*)"', key):
            labels.setdefault((key.split("{")[0], label), set()).add(value)
    expressions = []
    with open(os.path.join(folder, "grafana.json")) as f:
        board = json.load(f)
    places = set()
    for panel in board["panels"]:
        p = panel["gridPos"]
        check((p["x"], p["y"]) not in places and p["x"] + p["w"] <= 24, "place of", panel["title"])
        places.add((p["x"], p["y"]))
        expressions += [t["expr"] for t in panel["targets"]]
    with open(os.path.join(folder, "alerts.yml")) as f:
        text = f.read()
    rules = re.findall(r"- alert: (\w+)\n((?:        .*\n|          .*\n)+)", text)
    equal(len(rules), text.count("- alert:"), "rules")
    for name, rule in rules:
        for member in ("expr:", "for:", "labels:", "summary:", "action:"):
            check(member in rule, name, "has no", member)
        expressions.append(rule[rule.index("expr:"):rule.index("for:")])
    found = set()
    for e in expressions:
        equal(e.count("("), e.count(")"), "parentheses of " + e)
        for name, inside in re.findall(r"\b((?:riftbake|process)_\w+)(?:\{([^}]*)\})?", e):
            check(name in names, "no metric", name, "in", e)
            found.add(name)
            for label, value in re.findall(r'(\w+)="([^"]*)"', inside):
                check(label == "job" or value in labels.get((name, label), ()), "no", label, value, "of", name, "in", e)
        for word in re.findall(r"by \(([^)]*)\)", e):
            for label in word.split(", "):
                check(any((name, label) in labels for name in names if name in e), "no label", label, "in", e)
    check(len(found) > 20, "only", found)
    served = {re.sub("_(bucket|sum|count)$", "", n) for n in names if n.startswith("riftbake_")}
    shown = {re.sub("_(bucket|sum|count)$", "", n) for n in found}
    equal(served - shown, {"riftbake_build_info", "riftbake_uptime_seconds"}, "metrics that nothing shows")


def stored_masks(box):
    """Masks are stored, used by name, and held against a skin; every refusal has its row."""
    d = Daemon(box, "--serve-wait=60", program=REAL)
    put = lambda name, body, headers=JSON: d.request("PUT", "/v1/masks/" + name, json.dumps(body).encode() if not isinstance(body, bytes) else body, headers)
    ask = lambda body: d.request("POST", "/v1/masks:resolve", json.dumps(body).encode(), JSON)
    equal(d.get("/v1/masks").json(), {"masks": []}, "nothing yet")
    joints = {j["name"]: j for j in d.get("/v1/skins/9001001/skeleton").json()["joints"]}
    parents = {j["id"]: j["parent"] for j in joints.values()}
    by_id = {j["id"]: name for name, j in joints.items()}
    # A joint in the middle: the set is worked out here, from the skeleton's own parents.
    def below(name):
        found = set()
        for i in parents:
            at = i
            while at is not None and at != joints[name]["id"]:
                at = parents[at]
            if at is not None:
                found.add(by_id[i])
        return found
    root = max(joints, key=lambda n: (joints[n]["parent"] is not None) * len(below(n)))
    child = max((n for n in below(root) if n != root), key=lambda n: len(below(n)))
    mask = {"include": [root], "exclude": [child, "Tail_of_a_dragon"]}
    r = put("upper", mask)
    equal((r.status, r.headers["location"], r.json()), (201, "/v1/masks/upper", dict(mask, name="upper")), "stored")
    equal(put("upper", dict(mask, name="upper")).status, 200, "replaced")
    equal(d.get("/v1/masks/upper").json(), dict(mask, name="upper"), "read")
    equal([m["name"] for m in d.get("/v1/masks").json()["masks"]], ["upper"], "list")
    for asked in ("upper", mask):
        r = ask({"mask": asked, "skin": 9001001})
        equal(r.status, 200, r.body)
        doc = r.json()
        equal({j["name"] for j in doc["in"]}, below(root) - below(child), "in")
        equal(len(doc["in"]) + len(doc["out"]), doc["joints"], "in and out")
        equal(doc["warnings"], ["mask_unknown_joint:Tail_of_a_dragon"], "warnings")
    game = d.get("/v1/skins/9001001").json()["masks"]
    if game:
        r = ask({"mask": "game:" + game[0]["name"], "skin": "bramble/1"})
        equal(r.status, 200, r.body)
        check(0 < len(r.json()["in"]) <= r.json()["joints"], r.json())
    rows = [
        ("PUT", "/v1/masks/a%20b", {}, 400, "bad_mask_name"),
        ("PUT", "/v1/masks/game:x", {}, 400, "bad_mask_name"),
        ("PUT", "/v1/masks/" + "a" * 65, {}, 400, "bad_mask_name"),
        ("PUT", "/v1/masks/x", {"nonsense": 1}, 400, "bad_body"),
        ("PUT", "/v1/masks/x", {"name": "y"}, 400, "bad_body"),
        ("PUT", "/v1/masks/x", [], 400, "bad_body"),
        ("POST", "/v1/masks/x", {}, 405, "method_not_allowed"),
        ("PUT", "/v1/masks", {}, 405, "method_not_allowed"),
        ("GET", "/v1/masks/x", None, 404, "unknown_mask"),
        ("DELETE", "/v1/masks/x", None, 404, "unknown_mask"),
        ("GET", "/v1/masks?x=1", None, 400, "bad_parameter"),
        ("GET", "/v1/masks:resolve", None, 405, "method_not_allowed"),
        ("POST", "/v1/masks:resolve", {"mask": "upper"}, 400, "bad_body"),
        ("POST", "/v1/masks:resolve", {"mask": "nobody", "skin": 9001001}, 400, "argument"),
        ("POST", "/v1/masks:resolve", {"mask": "game:nobody", "skin": 9001001}, 400, "argument"),
        ("POST", "/v1/masks:resolve", {"mask": "upper", "skin": 424242}, 404, "unknown_skin"),
        ("POST", "/v1/masks:resolve", {"mask": "upper", "skin": "abc"}, 400, "bad_skin_id"),
    ]
    for method, path, body, status, code in rows:
        r = d.request(method, path, None if body is None else json.dumps(body).encode(), JSON)
        equal(r.status, status, "%s %s %s: %r" % (method, path, body, r.body[:200]))
        problem(r, status, code)
    problem(put("x", b"{}", {"Content-Type": "text/plain"}), 415, "unsupported_media_type")
    # A timeline that names a stored mask is the one that holds it; it stays that when the name means something else later.
    clips = [c["name"] for c in d.get("/v1/skins/9001001").json()["clips"]]
    timeline = lambda m: {"name": "Mix", "duration": 0.5, "commands": [{"at": 0, "op": "play", "slot": 0, "clip": clips[0], "loop": True}, {"at": 0.1, "op": "play_masked", "slot": 1, "clip": clips[1], "mask": m}]}
    job = lambda m: d.post({"skin": 9001001, "options": {"texture": "none", "layers": timeline(m)}}, {"Prefer": "wait=60"}).json()
    by_name, in_place = job("upper"), job(dict(mask, name="upper"))
    equal(by_name["state"], "done", by_name)
    equal(by_name["id"], in_place["id"], "one job")
    url = "/v1/skins/9001001.glb?texture=none&layers=" + urllib.parse.quote(json.dumps(timeline("upper")))
    r = d.get(url)
    equal(hashlib.sha256(r.body).hexdigest(), by_name["result"]["sha256"], "by URL")
    check(b'"Mix"' in r.body, "the animation")
    put("upper", {"include": [child]})
    check(job("upper")["id"] != by_name["id"], "the same job with another mask")
    # What is stored is there after a restart; what is damaged is told, not lost.
    put("legs", {"include": [child]})
    equal(d.request("DELETE", "/v1/masks/upper").status, 204, "removed")
    d.stop()
    d = Daemon(box)
    equal(d.get("/v1/masks").json()["masks"], [{"include": [child], "name": "legs"}], "after a restart")
    d.stop()
    with open(os.path.join(box.data, "masks.json"), "a") as f:
        f.write("]")
    p = subprocess.run([STEERED, "--game", box.game, "--data", box.data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE)
    equal((p.returncode, json.loads(p.stderr.splitlines()[-1])["file"]), (1, os.path.join(box.data, "masks.json")), p.stderr[-300:])


def kills_leave_no_files(box):
    """kill -9 while masks are stored: after the next start there is one file, old or new, and nothing beside it."""
    os.makedirs(box.data)
    for name in ("masks.json.0123abcd.new", "lists.state.00000000.new", "masks.json.backup", "masks.json.new"):
        open(os.path.join(box.data, name), "w").close()
    sent = set()
    for _ in range(8):
        d = Daemon(box)

        def store(n):
            for i in range(1000):
                name = "J%d-%d" % (n, len(sent))
                sent.add(name)
                try:
                    d.request("PUT", "/v1/masks/m", json.dumps({"include": [name]}).encode(), JSON)
                except (OSError, http.client.HTTPException):
                    return

        threads = [threading.Thread(target=store, args=(n,)) for n in range(4)]
        for t in threads:
            t.start()
        seen = len(sent)
        wait_until(lambda: len(sent) > seen + 20, "masks")
        d.process.kill()
        for t in threads:
            t.join(DEADLINE)
        d.wait()
    d = Daemon(box)
    check(d.get("/v1/masks/m").json()["include"][0] in sent, "the mask")
    beside = sorted(n for n in os.listdir(box.data) if n.startswith(("masks", "lists")))
    equal(beside, ["masks.json", "masks.json.backup", "masks.json.new"], "files")
    d.stop()


def limits_a_job(box):
    box.order("bramble-1", "wait", "progress")
    box.order("bramble-2", "wait")
    d = Daemon(box, "--job-time=1")
    r = d.get("/v1/skins/9001001.glb")
    problem(r, 503, "job_time")
    equal(d.get("/v1/jobs/%d" % r.json()["job"]).json()["class"], "limit", "class")
    d.stop()
    d = Daemon(box, "--job-silence=1")
    problem(d.get("/v1/skins/9001002.glb"), 503, "job_silent")
    d.stop()


def a_conversion_that_hangs(box):
    """One that does not look at its flag: its job ends all the same, those who waited are told, others go on; when no worker is left the manager's watchdog is."""
    for n in (1, 3):
        box.order("bramble-%d" % n, "wait", "deaf")
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(os.path.join(box.root, "notify"))
    manager.setblocking(False)

    def fed():
        """Whether the watchdog was, since the last look."""
        said = []
        try:
            while True:
                said.append(manager.recv(1000))
        except BlockingIOError:
            return b"WATCHDOG=1" in said

    d = Daemon(box, "--job-time=1", "--serve-wait=60", env={"NOTIFY_SOCKET": os.path.join(box.root, "notify"), "WATCHDOG_USEC": "200000"})
    lost = lambda: prometheus(d.get("/metrics").body.decode())['riftbake_workers{state="lost"}']
    doc = problem(d.get("/v1/skins/9001001.glb"), 503, "job_time")
    job = d.get("/v1/jobs/%d" % doc["job"]).json()
    equal((job["state"], job["class"], lost()), ("failed", "limit", 1), "the job, and workers lost")
    equal(problem(d.get("/v1/skins/9001001.glb"), 503, "job_time")["job"], doc["job"], "job of who comes later")
    check(d.get("/v1/skins/9001002.glb").body == expected_glb(2), "bytes of others")
    check(b"its worker is lost" in box.log_text(), "the log says nothing")
    fed()
    wait_until(fed, "the watchdog to be fed while a worker is left")
    # The other one is cancelled by a client, who sees the end of it as well.
    other = d.post({"skin": 9001003}).json()["id"]
    wait_until(lambda: box.starts("bramble-3") == 1, "a start")
    equal(d.request("DELETE", "/v1/jobs/%d" % other).status, 202, "told to stop")
    wait_until(lambda: d.get("/v1/jobs/%d" % other).json()["state"] == "cancelled", "the job's end")
    equal(lost(), 2, "workers lost")
    fed()
    time.sleep(1)
    check(not fed(), "the watchdog is fed though no worker is left")
    equal(d.get("/livez").status, 200, "alive")
    queued = d.post({"skin": 9001002, "options": {"content": "rig"}}).json()["id"]
    # They end after all: nothing changes but that there are workers again.
    for n in (1, 3):
        box.open_gate("bramble-%d" % n)
    wait_until(lambda: lost() == 0, "the workers")
    equal(d.get("/v1/jobs/%d" % queued, {"Prefer": "wait=30"}).json()["state"], "done", "who waited for a worker")
    equal((d.get("/v1/jobs/%d" % doc["job"]).json()["state"], d.get("/v1/jobs/%d" % other).json()["state"]), ("failed", "cancelled"), "the jobs, afterwards")
    wait_until(fed, "the watchdog")
    d.stop()
    manager.close()
    # One that hangs while the daemon stops does not hold it up, and is not begun again.
    box.order("bramble-2", "wait", "deaf")
    d = Daemon(box, "--job-time=1", "--drain=0", "--serve-wait=60")
    doc = problem(d.get("/v1/skins/9001002.glb?content=mesh"), 503, "job_time")
    d.stop()
    d = Daemon(box)
    equal(d.get("/v1/jobs/%d" % doc["job"]).json()["state"], "failed", "after a restart")
    d.stop()


def smuggling(box):
    """Every trick of the table ends in one 400 and a closed connection; what is smuggled is never answered. A row: name, request, status, code; no code: libmicrohttpd's own
    answer, in HTML, before we see the request."""
    d = Daemon(box)
    tail = b"GET /livez?smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
    chunk = b"0\r\n\r\n"
    post = lambda headers, body=chunk: b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n" + body + tail
    get = lambda target, headers=b"Host: x\r\n": b"GET " + target + b" HTTP/1.1\r\n" + headers + b"\r\n" + tail
    ours = "malformed_request"
    table = [
        ("length and coding", post(b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400, ours),
        ("coding and length", post(b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400, ours),
        ("unknown coding", post(b"Transfer-Encoding: xchunked\r\n"), 400, ours),
        ("coding list", post(b"Transfer-Encoding: gzip, chunked\r\n"), 400, ours),
        ("two codings", post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"), 400, ours),
        ("coding behind a control byte", post(b"Transfer-Encoding: \x0bchunked\r\n"), 400, ours),
        ("coding in HTTP/1.0", b"POST /v1/jobs HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk + tail, 400, ours),
        ("two lengths", post(b"Content-Length: 5\r\nContent-Length: 6\r\n"), 400, ours),
        ("equal lengths", post(b"Content-Length: 5\r\nContent-Length: 5\r\n"), 400, ours),
        ("two hosts", get(b"/livez", b"Host: x\r\nHost: y\r\n"), 400, ours),
        ("no host", get(b"/livez", b""), 400, ours),
        ("blank before the colon", get(b"/livez", b"Host : x\r\n"), 400, ours),
        ("tab before the colon", get(b"/livez", b"Host\t: x\r\n"), 400, ours),
        ("blank in a name", get(b"/livez", b"Host: x\r\nX a: b\r\n"), 400, ours),
        ("folded first line", get(b"/livez", b" X-A: a\r\nHost: x\r\n"), 400, ours),
        ("bare CR", get(b"/livez", b"Host: x\rX-A: y\r\n"), 400, ours),
        ("control byte", get(b"/livez", b"Host: x\r\nX-A: a\x01b\r\n"), 400, ours),
        ("NUL in the path", get(b"/livez%00.glb"), 400, ours),
        ("encoded slash", get(b"/v1/skins%2f9001001"), 400, ours),
        ("dots", get(b"/v1/../livez"), 400, ours),
        ("encoded dots", get(b"/v1/%2e%2e/livez"), 400, ours),
        ("backslash", get(b"/v1\\livez"), 400, ours),
        ("fragment", get(b"/livez#a"), 400, ours),
        ("absolute form", get(b"http://x/livez"), 400, ours),
        ("authority form", b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n" + tail, 400, ours),
        ("target over our limit", get(b"/" + b"a" * 9000), 400, ours),
        ("length over the limit", post(b"Content-Length: 99999999\r\n"), 413, "body_too_large"),
        ("no colon", get(b"/livez", b"Host: x\r\nX-A\r\n"), 400, None),
        ("NUL in a name", get(b"/livez", b"Host: x\r\nX\0A: b\r\n"), 400, None),
        ("length with a sign", post(b"Content-Length: +5\r\n"), 400, None),
        ("negative length", post(b"Content-Length: -5\r\n"), 400, None),
        ("hexadecimal length", post(b"Content-Length: 0x5\r\n"), 400, None),
        ("list of lengths", post(b"Content-Length: 5, 5\r\n"), 400, None),
        ("empty length", post(b"Content-Length: \r\n"), 400, None),
        ("length past 64 bits", post(b"Content-Length: 99999999999999999999999\r\n"), 413, None),
        ("chunk that is no number", post(b"Transfer-Encoding: chunked\r\n", b"0x0\r\n\r\n"), 400, None),
        ("chunk past 64 bits", post(b"Transfer-Encoding: chunked\r\n", b"10000000000000000\r\n"), 413, None),
        ("blank behind a chunk's size", post(b"Transfer-Encoding: chunked\r\n", b"0 \r\n\r\n"), 400, None),
        ("no version", b"GET /livez\r\n\r\n" + tail, 400, None),
        ("version in small letters", b"GET /livez http/1.1\r\nHost: x\r\n\r\n" + tail, 400, None),
        ("another version", b"GET /livez HTTP/2.0\r\nHost: x\r\n\r\n" + tail, 505, None),
        ("target over the buffer", get(b"/" + b"a" * 20000), 414, None),
        ("headers over the buffer", get(b"/livez", b"Host: x\r\nX-A: " + b"a" * 20000 + b"\r\n"), 431, None),
    ]
    for name, data, status, code in table:
        got = d.raw(data)
        head, body = (got.split(b"\r\n\r\n", 1) + [b""])[:2]
        equal(head[:13], b"HTTP/1.1 %d " % status, name)
        check(b"Connection: close" in head, name, head)
        if code is None:
            # libmicrohttpd 0.9.75 sends the head twice when it refuses a length.
            check(body.endswith(b"</html>") and got.count(b"<html>") == 1 and b"alive" not in got, name, got)
            continue
        equal(got.count(b"HTTP/1.1 "), 1, name + ": answers")
        check(b"Content-Type: application/problem+json" in head, name, head)
        doc = json.loads(body)
        equal((doc["status"], doc["code"]), (status, code), name)
        check(doc["detail"] and not doc["retryable"], name, doc)
    # What libmicrohttpd takes, and only a strict proxy in front refuses or mends (README): one request each, or two that are answered as two.
    for name, data, answers in [
        ("bare LF", b"GET /livez HTTP/1.1\nHost: x\nConnection: close\n\n", [b"200"]),
        ("folded line", b"GET /livez HTTP/1.1\r\nHost: x\r\nX-A: a\r\n b\r\nConnection: close\r\n\r\n", [b"200"]),
        ("folded coding", b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", [b"415"]),
        ("NUL in a value", b"GET /livez HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\nConnection: close\r\n\r\n", [b"200"]),
        ("no name before the colon", b"GET /livez HTTP/1.1\r\nHost: x\r\n: v\r\nGET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", [b"200", b"200"]),
    ]:
        equal(re.findall(rb"HTTP/1\.1 (\d+)", d.raw(data)), answers, name)
    check(b"smuggled" not in box.log_text(), "a smuggled request was handled")
    # Two requests in one write are not smuggling.
    got = d.raw(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    equal(got.count(b"HTTP/1.1 200"), 2, "pipelined answers")
    got = d.raw(b"GET /livez HTTP/1.0\r\n\r\n")
    check(b" 200 " in got[:20], "HTTP/1.0", got[:100])
    d.stop()


def bodies_over_the_limit(box):
    d = Daemon(box, "--upload-max=1m")
    big = b'{"skin":"' + b"1" * 70000 + b'"}'
    problem(d.post(big), 413, "body_too_large")
    chunked = b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    for _ in range(20):
        chunked += b"2000\r\n" + b" " * 0x2000 + b"\r\n"
    got = d.raw(chunked + b"0\r\n\r\n")
    check(got.startswith(b"HTTP/1.1 413"), got[:100])
    r = d.raw(b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n")
    check(r.startswith(b"HTTP/1.1 413"), r[:100])
    # Who sends all of it without looking up finds the answer at the end, whole, and no reset.
    for path, kind, size, code in (("/v1/jobs", "application/json", 20 << 20, "body_too_large"), ("/v1/convert", "multipart/form-data; boundary=b", 80 << 20, "body_too_large"),
                                   ("/v1/hashes/game", "text/plain", 80 << 20, "body_too_large"), ("/v1/jobs", "application/json", 70000, "body_too_large")):
        s = socket.create_connection(d.address, timeout=DEADLINE)
        s.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (path.encode(), kind.encode(), size))
        wait_until(lambda: s.recv(1, socket.MSG_PEEK) == b"H", "an answer before the body")
        for _ in range(size // 65536):
            s.sendall(b" " * 65536)
        s.sendall(b" " * (size % 65536))
        got = b""
        while True:
            part = s.recv(65536)
            if part == b"":
                break
            got += part
        s.close()
        head, body = got.split(b"\r\n\r\n", 1)
        check(head.startswith(b"HTTP/1.1 413 ") and json.loads(body)["code"] == code, path, got[:200])
        equal(int(re.search(rb"Content-Length: (\d+)", head).group(1)), len(body), "a whole answer")
    # In chunks: as soon as it is too long, however much is still to come, and closed after that.
    for path, kind, limit, many in (("/v1/jobs", "application/json", 64 << 10, 1000), ("/v1/convert", "multipart/form-data; boundary=b", 1 << 20, 1000)):
        s = socket.create_connection(d.address, timeout=DEADLINE)
        s.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nTransfer-Encoding: chunked\r\n\r\n" % (path.encode(), kind.encode()))
        for _ in range(limit // 65536):
            s.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
        s.setblocking(False)
        try:
            check(False, "an answer at the limit:", s.recv(100))
        except BlockingIOError:
            pass
        s.settimeout(DEADLINE)
        s.sendall(b"1\r\n \r\n")
        wait_until(lambda: s.recv(1, socket.MSG_PEEK) == b"H", "an answer before the end")
        for _ in range(many):
            s.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
        r = http.client.HTTPResponse(s)
        r.begin()
        doc = problem(Reply(r, r.read()), 413, "body_too_large")
        check(str(limit) in doc["detail"], doc)
        equal((r.getheader("Connection"), bool(r.getheader("Date")), s.recv(1)), ("close", True, b""), path)
        s.close()
    # Nothing that stands behind it is taken for a request.
    got = d.raw(chunked + b"0\r\n\r\nGET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    equal(got.count(b"HTTP/1.1"), 1, "answers")
    # One that never stops ends with the daemon.
    endless = socket.create_connection(d.address, timeout=DEADLINE)
    endless.sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n")
    check(endless.recv(13) == b"HTTP/1.1 413 ", "an answer")
    small = b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    got = d.raw(small + b'8\r\n{"skin":\r\n8\r\n9001001}\r\n0\r\n\r\n')
    check(got.startswith(b"HTTP/1.1 202"), "chunked body", got[:100])
    r = d.post(b'{"skin":9001001' + b" " * 65000 + b"}")
    check(r.status in (200, 202), "a body just below the limit", r.status)
    endless.sendall(b" " * 1000000)
    d.stop()
    endless.close()


def large_bodies_are_moved_seldom(box):
    """As much as may be sent, in chunks, which do not tell how much comes: what is there already is moved a few times, not with each chunk."""
    size = 63 << 20
    d = Daemon(box, "--upload-max=64m")
    reallocs = os.path.join(box.steer, "reallocs")
    for chunk in (1 << 20, 4000):
        if os.path.exists(reallocs):
            os.unlink(reallocs)
        s = socket.create_connection(d.address, timeout=DEADLINE)
        s.sendall(b"POST /v1/convert HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n\r\n")
        one = b"%x\r\n%s\r\n" % (chunk, b" " * chunk)
        for _ in range(size // chunk // 16):
            s.sendall(one * 16)
        s.sendall(b"0\r\n\r\n")
        r = http.client.HTTPResponse(s)
        r.begin()
        problem(Reply(r, r.read()), 400, "bad_body")
        s.close()
        with open(reallocs) as f:
            moved = [int(line) for line in f]
        # 1, 2, 4 … 64 MiB, with what the arena's blocks add.
        check(6 <= len(moved) <= 8 and 63 << 20 <= moved[-1] <= 65 << 20, "chunks of", chunk, "moved", moved[:20], len(moved))
    # With its length it is known from the start where it ends.
    os.unlink(reallocs)
    r = d.request("POST", "/v1/convert", b" " * (10 << 20), {"Content-Type": "multipart/form-data; boundary=b"})
    problem(r, 400, "bad_body")
    with open(reallocs) as f:
        moved = [int(line) for line in f]
    check(len(moved) <= 6 and moved[-1] <= (10 << 20) + 1000, moved)
    d.stop()


def slow_clients(box):
    """A byte now and then keeps no connection: headers and bodies have deadlines."""
    d = Daemon(box, "--header-deadline=1", "--body-deadline=1", "--idle=60")

    def drip(first, first_answer=False):
        s = socket.create_connection(d.address, timeout=DEADLINE)
        s.sendall(first)
        if first_answer:
            check(b"200 OK" in s.recv(4096), "first answer")
            s.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n")
        began = time.monotonic()
        s.settimeout(0.2)
        while time.monotonic() < began + DEADLINE:  # a deadline of 1 s, the machine's slowness allowed for
            try:
                s.sendall(b"X")
                if s.recv(1000) == b"":
                    break
            except socket.timeout:
                continue
            except OSError:
                break
        took = time.monotonic() - began
        s.close()
        check(0.5 < took < DEADLINE, "cut after", took, "s")

    drip(b"GET /livez HTTP/1.1\r\nHost: x\r\nX-A: ")
    drip(b"")
    drip(b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
    drip(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", True)
    # A line that is longer than the buffer and has no end: nobody reads on, and still the connection goes.
    endless = socket.create_connection(d.address, timeout=DEADLINE)
    endless.sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1" + b";a" * 20000)
    connections = lambda: prometheus(d.get("/metrics").body.decode())["riftbake_http_connections"]
    wait_until(lambda: connections() == 1, "the end of a line without one")  # the one that asks
    endless.close()
    # A quick client's keep-alive connection is not touched by those deadlines.
    c = http.client.HTTPConnection(*d.address, timeout=DEADLINE)
    c.request("GET", "/livez")
    c.getresponse().read()
    began = time.monotonic()
    wait_until(lambda: time.monotonic() > began + 2, "two seconds")
    c.request("GET", "/livez")
    equal(c.getresponse().status, 200, "keep-alive after two seconds")
    c.close()
    d.stop()


def many_connections_of_one_address(box):
    d = Daemon(box, "--connections-per-address=4")
    held = [socket.create_connection(d.address, timeout=DEADLINE) for _ in range(4)]
    for s in held:
        s.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        check(b"200 OK" in s.recv(4096), "held connection")
    fifth = socket.create_connection(d.address, timeout=DEADLINE)
    try:
        fifth.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
        equal(fifth.recv(100), b"", "the fifth connection")
    except OSError:
        pass
    for s in held:
        s.close()
    wait_until(lambda: d.raw(b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").startswith(b"HTTP/1.1 200"), "room again")
    d.stop()


def descriptors_that_run_out(box):
    """While there are none left nobody is let in, and afterwards everybody is again."""
    d = Daemon(box)
    check(d.get("/v1/skins/9001001.glb").body == expected_glb(1), "bytes")
    count = lambda: len(os.listdir("/proc/%d/fd" % d.process.pid))
    wait_until(lambda: b'"msg":"job done"' in box.log_text() and len({count() for _ in range(50)}) == 1, "rest")
    used = {int(n) for n in os.listdir("/proc/%d/fd" % d.process.pid)}
    before = resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE)
    # Room for one connection alone.
    resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, (min(set(range(1000)) - used) + 1, before[1]))
    one = socket.create_connection(d.address, timeout=DEADLINE)
    one.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    check(b"200 OK" in one.recv(4096), "the one that is let in")
    other = socket.create_connection(d.address, timeout=DEADLINE)
    other.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    one.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    check(b"200 OK" in one.recv(4096), "again")  # by now the other one was seen
    one.close()
    check(b"200 OK" in other.recv(4096), "the one that waited")
    other.close()
    equal(d.get("/livez").status, 200, "afterwards")
    resource.prlimit(d.process.pid, resource.RLIMIT_NOFILE, before)
    check(d.get("/v1/skins/9001002.glb").body == expected_glb(2), "bytes")
    d.stop()


def standard_files_that_are_closed(box):
    """A daemon that was started without 0, 1 or 2 writes its log to no file of ours, and stops cleanly."""
    for n, closed in enumerate(("2>&-", "0<&-", "0<&- 1>&- 2>&-")):
        data = os.path.join(box.root, "data%d" % n)
        port = socket.socket()
        port.bind(("127.0.0.1", 0))
        address = port.getsockname()
        port.close()
        args = [STEERED, "--game", box.game, "--data", data, "--listen", "127.0.0.1:%d" % address[1], "--disk-reserve=0", "--log-level=debug", "--access-log=1", "--inline-max=0"]
        p = subprocess.Popen(["/bin/sh", "-c", 'exec "$@" ' + closed, "sh"] + args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, RIFT_TEST_STEER=box.steer))

        def ask():
            try:
                c = http.client.HTTPConnection(*address, timeout=DEADLINE)
                c.request("GET", "/v1/skins/9001001.glb")
                return c.getresponse().read()
            except OSError:
                return None

        check(wait_until(ask, "an answer") == expected_glb(1), "bytes")
        for fd in (0, 1, 2):
            equal(os.readlink("/proc/%d/fd/%d" % (p.pid, fd)), "/dev/null", "descriptor %d of %s" % (fd, closed))
        p.send_signal(signal.SIGTERM)
        equal(p.wait(DEADLINE), 0, "exit code with " + closed)
        equal(os.path.getsize(os.path.join(data, "lock")), 0, "bytes in the lock")


def a_lost_file_is_made_again(box):
    box.order("bramble-1", "size 300000")
    d = Daemon(box)
    url = "/v1/skins/9001001.glb"
    check(d.get(url).body == expected_glb(1, 300000), "bytes")
    os.unlink(box.glbs()[0])
    sha = hashlib.sha256(expected_glb(1, 300000)).hexdigest()
    problem(d.get("/v1/artifacts/%s.glb" % sha), 404, "unknown_artifact")
    check(d.get(url).body == expected_glb(1, 300000), "bytes again")
    equal(box.starts("bramble-1"), 2, "conversions")
    d.stop()


def sends_what_lies_open_only_while_it_is_whole(box):
    """The file of a GLB that was sent stays open for a moment; whatever happens to it meanwhile, the next request sees it."""
    box.order("bramble-1", "size 300000")
    d = Daemon(box)
    whole = expected_glb(1, 300000)
    url = "/v1/artifacts/%s.glb" % hashlib.sha256(whole).hexdigest()
    equal(d.get("/v1/skins/9001001.glb").status, 200, "made")
    path = box.glbs()[0]

    def held():
        count = 0
        folder = "/proc/%d/fd" % d.process.pid
        for name in os.listdir(folder):
            try:
                count += os.path.basename(path) in os.readlink(os.path.join(folder, name))
            except FileNotFoundError:
                pass  # closed meanwhile
        return count

    wait_until(lambda: d.get(url).body == whole and held() > 0, "a file that lies open")
    wait_until(lambda: held() == 0, "no file that lies open")
    # The same name, in other codings and ranges: each is what reading would give.
    for headers, want in (({}, whole), ({"Range": "bytes=5-9"}, whole[5:10]), ({"Accept-Encoding": "zstd, gzip"}, None), ({}, whole), ({"Range": "bytes=-3"}, whole[-3:])):
        r = d.get(url, headers)
        check(want is None or r.body == want, headers, r.status, len(r.body))
        equal(d.get("/v1/skins/9001001.glb", headers).headers["cache-control"][:17], "public, max-age=6", "as a skin")
        check("immutable" in d.get(url, headers).headers["cache-control"], "as an artifact")
    # Moved away as the scrubber does it, and removed as the eviction does.
    for away in (lambda: os.rename(path, path + ".away"), lambda: os.unlink(path)):
        check(d.get(url).body == whole and d.get(url).body == whole, "whole")
        away()
        problem(d.get(url), 404, "unknown_artifact")
        check(d.get("/v1/skins/9001001.glb").body == whole, "made again")
    d.stop()


def serves_the_old_while_the_new_is_made(box):
    """A3: another state of the game makes another request; the old GLB is served, marked stale, until the new one is there."""
    box.order("bramble-1", "size 2000")
    d = Daemon(box)
    url = "/v1/skins/9001001.glb"
    check(d.get(url).body == expected_glb(1, 2000), "bytes")
    d.stop()
    box.order("bramble-1", "wait", "size 3000")
    d = Daemon(box, "--patch-settle=1", "--patch-patience=1", game=box.other_game)
    equal(d.get("/readyz").json()["converting"], False, "converting before the folder was seen to lie still")
    equal(d.get("/v1/skins?q=9001001").json()["skins"][0]["state"], "stale", "state")
    r = d.get(url)
    check(r.body == expected_glb(1, 2000), "old bytes")
    equal(r.headers["cache-status"], "riftbake; hit; stale", "Cache-Status")
    wait_until(lambda: box.starts("bramble-1") == 2, "start of the new one")
    check(d.get(url).body == expected_glb(1, 2000), "old bytes meanwhile")
    box.open_gate("bramble-1")
    # Nothing the skin uses differs between the folders, so the old one may be called fresh while the job still runs.
    r = wait_until(lambda: (lambda r: r if r.body == expected_glb(1, 3000) else None)(d.get(url)), "the new one")
    check("stale" not in r.headers["cache-status"], "Cache-Status of the new one")
    equal(box.starts("bramble-1"), 2, "conversions")
    d.stop()


def what_is_replaced_while_it_is_read(box):
    """Between the reading of what a skin's GLB is and of its bytes another takes its place: the whole of one or the other is sent."""
    bodies = []
    for n in (1, 2):
        box.order("bramble-%d" % n, "size 2000")
        bodies.append(expected_glb(n, 2000))
    d = Daemon(box, "--rate=0")
    for n in (1, 2):
        equal(d.get("/v1/skins/900100%d.glb" % n).body, bodies[n - 1], "bytes of %d" % n)
    hashes = [hashlib.sha256(b).digest() for b in bodies]
    db = sqlite3.connect(os.path.join(box.data, "riftbake.db"), timeout=DEADLINE, isolation_level=None, check_same_thread=False)
    done = threading.Event()

    def swap():
        n = 0
        while not done.is_set():
            n += 1
            db.execute("UPDATE artifact SET sha256=? WHERE alias='bramble' AND number=1", (hashes[n % 2],))

    swapper = threading.Thread(target=swap)
    swapper.start()
    seen = set()
    try:
        for _ in range(2000):
            r = d.get("/v1/skins/9001001.glb")
            check(r.status == 200 and r.body in bodies, "a reply", r.status, len(r.body))
            seen.add(r.body)
    finally:
        done.set()
        swapper.join()
        db.close()
    equal(len(seen), 2, "of both")
    equal(box.starts(), 2, "conversions")
    d.stop()


def refuses_to_start(box):
    d = Daemon(box)

    def run(*flags):
        p = subprocess.run([STEERED] + list(flags), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE)
        return p.returncode, p.stderr.decode()

    code, text = run("--game", box.game, "--data", box.data, "--listen", "127.0.0.1:0")
    check(code == 1 and "another daemon" in text, "second daemon", code, text)
    d.stop()
    other = os.path.join(box.root, "other")
    code, text = run("--game", box.game, "--data", other, "--listen", "0.0.0.0:0")
    check(code == 2 and "insecure-open" in text, "open address", code, text)
    code, text = run("--game", os.path.join(box.root, "nowhere"), "--data", other, "--listen", "127.0.0.1:0")
    check(code == 1 and "NOT_FOUND" in text, "no game", code, text)
    code, text = run("--game", box.steer, "--data", other, "--listen", "127.0.0.1:0")
    check(code == 1 and "no *.wad.client" in text, "no archives", code, text)
    code, text = run("--data", other)
    check(code == 2 and "game" in text, "no --game", code, text)
    code, text = run("--nonsense")
    check(code == 2 and "nonsense" in text, "unknown flag", code, text)
    equal(run("-h")[0], 0, "-h")
    code, text = run("--game", box.game, "--data", other, "--listen", "0.0.0.0:0", "--tokens-file", "/nowhere/tokens")
    check(code == 2 and "/nowhere/tokens" in text, "no tokens", code, text)
    tokens = token_files(box)
    with open(tokens[0].split("=")[1], "a") as f:
        f.write("nonsense\n")
    code, text = run("--game", box.game, "--data", other, *tokens)
    check(code == 2 and "line 4" in text and "nonsense" not in text, "bad tokens", code, text)
    sound = ("--game", box.game, "--data", other, "--listen", "127.0.0.1:0")
    for flag, words in (("--default-texture=bmp", ("default-texture", "png|webp|jpeg|none")), ("--default-max-texture=8k", ("default-max-texture", "unlimited|64-4096")),
                        ("--default-pose=Run@1", ("default-pose", "only a request")), ("--default-gloss=1", ("default-gloss",))):
        for check_only in ((), ("--check-config",)):
            code, text = run(*sound, flag, *check_only)
            check(code == 2 and all(w in text for w in words), flag, code, text)
    equal(run(*sound, "--check-config", "--default-profile=web", "--default-texture=png", "--default-clips=idle*")[0], 0, "sound defaults")
    tokens = token_files(box)
    fresh = os.path.join(box.root, "fresh")
    config = ("--game", box.game, "--data", fresh, "--listen", "0.0.0.0:0") + tokens
    p = subprocess.run([STEERED, *config, "--print-config"], stdout=subprocess.PIPE, timeout=DEADLINE)
    check(b"tokens-file = " in p.stdout, "--print-config", p.stdout)
    check(b"newer key" not in p.stdout and hashlib.sha256(b"read").hexdigest().encode() not in p.stdout, "secrets in --print-config")
    for game, want in ((box.game, 0), (os.path.join(box.root, "nowhere"), 2), (os.path.join(box.root, "tokens"), 2)):
        code, text = run("--game", game, *config[2:], "--check-config")
        equal(code, want, "--check-config with the game in " + game)
    check(not os.path.exists(fresh), "--check-config made a folder")
    busy = socket.socket()
    busy.bind(("127.0.0.1", 0))
    busy.listen()
    code, text = run("--game", box.game, "--data", other, "--listen", "127.0.0.1:%d" % busy.getsockname()[1])
    check(code == 1 and "in use" in text, "busy port", code, text)
    check('"file":"127.0.0.1:%d"' % busy.getsockname()[1] in text, "which address", text)
    busy.close()
    with open(os.path.join(box.data, "riftbake.db"), "r+b") as f:
        f.seek(60)
        f.write(struct.pack(">I", 1000))
    code, text = run("--game", box.game, "--data", box.data, "--listen", "127.0.0.1:0")
    check(code == 1 and "newer" in text, "newer store", code, text)


def serves_the_viewer(box):
    """The page with a policy that names no other host; or, in a build without Node, why there is none."""
    d = Daemon(box)
    r = d.get("/")
    if r.status == 404:
        equal(r.json()["code"], "no_viewer", "code")
        check("Node" in r.json()["detail"], "no advice", r.body)
        d.stop()
        return
    equal((r.status, r.headers["content-type"]), (200, "text/html; charset=utf-8"), "page")
    policy = r.headers["content-security-policy"]
    check("default-src 'none'" in policy and "unsafe-inline" not in policy and "http" not in policy, "policy", policy)
    check(b"http://" not in r.body and b"https://" not in r.body, "another host in the page")
    for path, kind in (("/viewer.js", "text/javascript"), ("/page.js", "text/javascript"), ("/page.css", "text/css"),
                       ("/icon.svg", "image/svg+xml"), ("/viewer.d.ts", "text/plain"), ("/example.html", "text/html")):
        r = d.get(path)
        equal((r.status, r.headers["content-type"].split(";")[0]), (200, kind), path)
        equal((r.headers["access-control-allow-origin"], r.headers["cache-control"]), ("*", "no-cache"), path)
        equal(int(r.headers["content-length"]), len(r.body), path + " length")
        equal(d.get(path, {"If-None-Match": r.headers["etag"]}).status, 304, path + " again")
    d.stop()


def describes_the_contract(box):
    """The served contract is the file, and every route in it answers as one."""
    d = Daemon(box)
    r = d.get("/openapi.json")
    with open(os.path.join(os.environ["RIFT_SOURCE_DIR"], "schema", "openapi.yaml"), "rb") as f:
        check(r.body == f.read(), "not the file")
    doc = r.json()
    equal(doc["openapi"][:4], "3.1.", "version")
    equal(d.get("/openapi.json", {"If-None-Match": r.headers["etag"]}).status, 304, "conditional")
    sample = {"mask": "upper", "table": "binhashes", "hash": "9dd9dc06", "id": "9001001", "alias": "bramble", "number": "1", "job": "1", "patch": "1", "sha256": "0" * 64}
    for path, item in doc["paths"].items():
        for name, value in sample.items():
            path = path.replace("{%s}" % name, value)
        check("{" not in path, "no sample for", path)
        for method in item:
            if method == "parameters":
                continue
            r = d.request(method.upper(), path, b"{}" if method == "post" else None, JSON if method == "post" else {})
            check(r.status != 405 and not (r.status == 404 and method != "head" and r.json()["code"] == "unknown_route"), method, path, r.status)
            check(str(r.status) in item[method]["responses"], method, path, "answers", r.status, "which is not in the contract")
    d.stop()


def keeps_the_contract(box):
    """tests/openapi/live.mjs: every route, every status that can be had, every example of the contract."""
    folder = os.path.join(os.environ["RIFT_SOURCE_DIR"], "tests", "openapi")
    if not os.path.isdir(os.path.join(folder, "node_modules")) or shutil.which("node") is None:
        print("SKIP keeps_the_contract: no node, or no packages (tests/npm.sh openapi)", flush=True)
        return
    # What refuses a body may leave the client a connection that it does not use again.
    d = Daemon(box, *token_files(box), "--forwarded", "--rate=1", "--burst=20", "--upload-max=100k", "--serve-wait=60", "--connections-per-address=500", program=REAL)
    p = subprocess.run(["node", os.path.join(folder, "live.mjs"), "http://%s:%d" % d.address, "9001001"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=250)
    print("     " + p.stdout.decode().strip().splitlines()[-1], flush=True)
    check(p.returncode == 0, p.stdout.decode())
    d.stop()


def the_tables_name_real_tests(box):
    """README.md says which test shows what: each of them is there."""
    del box
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "README.md")) as f:
        named = re.findall(r"`(test_\w+\.(?:py|c)) (\w+)`", f.read())
    check(len(named) > 30, "tests that are named:", len(named))
    for file, name in named:
        where = os.path.join(here, file) if file.endswith(".py") else os.path.join(here, "..", "unit", "server", file)
        with open(where) as f:
            check(re.search(r"^(def|static void) %s\((box|void)\)" % name, f.read(), re.M), "no", name, "in", file)


def computes_once(box):
    """However many ask for what is computed, one computation; it is kept, and a failure is not."""
    d = Daemon(box)
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        replies = list(pool.map(lambda _: d.get("/v1/skins/9001001"), range(40)))
    check(all(r.status == 200 and r.body == replies[0].body for r in replies), [r.status for r in replies])
    equal(box.starts("bramble-1"), 1, "computations")
    box.order("bramble-2", "fail FORMAT")
    for n in (1, 2):
        equal(d.get("/v1/skins/9001002").status, 422, "status of a failure")
        equal(box.starts("bramble-2"), n, "computations of a failure")
    d.stop()


def picture_size(png):
    check(png[:8] == b"\x89PNG\r\n\x1a\n" and png[12:16] == b"IHDR", "no PNG:", png[:16])
    return struct.unpack(">II", png[16:24])


def draws_pictures(box):
    """A thumbnail is what the command line draws; one computation for all who ask, kept, and told apart by its query."""
    d = Daemon(box)
    url = "/v1/skins/9001001/thumbnail.png"
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        replies = list(pool.map(lambda _: d.get(url), range(20)))
    first = replies[0]
    for r in replies:
        equal(r.status, 200, "status")
        check(r.body == first.body, "not the same picture")
    etag = '"%s"' % hashlib.sha256(first.body).hexdigest()
    equal(picture_size(first.body), (256, 256), "size")
    for name, value in (
        ("content-type", "image/png"),
        ("etag", etag),
        ("cache-control", "public, max-age=60, stale-while-revalidate=86400, stale-if-error=604800"),
        ("link", '</v1/skins/9001001>; rel="describedby"'),
        ("access-control-allow-origin", "*"),
        ("cross-origin-resource-policy", "cross-origin"),
    ):
        equal(first.headers.get(name), value, name)
    r = d.request("HEAD", url)
    equal((r.status, r.body, r.headers["content-length"]), (200, b"", str(len(first.body))), "HEAD")
    for text, status in ((etag, 304), ("W/" + etag, 304), ("*", 304), ('"x", ' + etag, 304), ('"x"', 200)):
        r = d.get(url, {"If-None-Match": text})
        equal(r.status, status, "If-None-Match: " + text)
        equal(r.headers["etag"], etag, "ETag of a %d" % status)
        check(r.body == (first.body if status == 200 else b""), "body of a", status)
    for query in ("?size=256", "?turn=0", "?turn=360", "?turn=-360&size=256", "?pose=Idle1@0"):
        check(d.get(url + query).body == first.body, query, "is another picture")
    r = d.get("/v1/skins/bramble/1/thumbnail.png?size=64&turn=90&pose=Run@0.25")
    equal(r.status, 200, "by alias")
    equal(picture_size(r.body), (64, 64), "size by alias")
    equal(r.headers["content-location"], "/v1/skins/9001001/thumbnail.png?size=64&turn=90&pose=Run@0.25", "Content-Location")
    path = os.path.join(box.root, "picture.png")
    for query, flags in (("", []), ("?size=64&turn=90&pose=Run@0.25", ["--size", "64", "--turn", "90", "--pose", "Run@0.25"])):
        command = [COMMAND, "render", "--quiet", "--game", box.game, "--skin", "9001001", "-o", path]
        subprocess.run(command + flags, check=True, timeout=DEADLINE)
        with open(path, "rb") as f:
            check(f.read() == d.get(url + query).body, "the command line draws another picture", query)
    for query, where in (
        ("size=15", "size"), ("size=1025", "size"), ("size=", "size"), ("size=-64", "size"), ("size=64.5", "size"),
        ("turn=361", "turn"), ("turn=", "turn"), ("turn=-", "turn"), ("turn=9x", "turn"),
        ("pose=Idle1", "pose"), ("pose=@0", "pose"), ("pose=Idle1@-1", "pose"),
        ("size=64&size=64", "size"), ("zoom=2", "query"), ("content=rig", "query"),
    ):
        doc = problem(d.get(url + "?" + query), 400, "bad_option")
        equal(doc["where"], where, "where of " + query)
    doc = problem(d.get(url + "?pose=Moonwalk@0"), 400, "argument")
    check("Moonwalk" in doc["detail"], doc)
    problem(d.get("/v1/skins/1/thumbnail.png"), 404, "unknown_skin")
    problem(d.get("/v1/skins/x1/thumbnail.png"), 400, "bad_skin_id")
    equal(problem(d.get("/v1/skins/35006/thumbnail.png"), 422, "not_found")["stage"], "mesh", "stage without a mesh")
    problem(d.get(url, {"Accept": "text/html"}), 406, "not_acceptable")
    r = d.request("POST", url, b"")
    equal((r.status, r.headers["allow"]), (405, "GET, HEAD, OPTIONS"), "POST")
    d.stop()


def real_conversions(box):
    """The daemon as it is, over the synthetic game: whole GLBs, the same bytes every time and by one worker or four."""
    bytes_of = {}
    for workers in (1, 4):
        d = Daemon(box, "--workers=%d" % workers, "--serve-wait=60", program=REAL)
        ids = [s["id"] for s in d.get("/v1/skins").json()["skins"]]
        check(9001001 in ids, ids)
        made = 0
        for skin in ids:
            r = d.get("/v1/skins/%d.glb" % skin)
            check(r.status in (200, 422), skin, r.status, r.body[:300])
            if r.status == 422:
                check(r.json()["stage"] in ("bin", "mesh", "skeleton"), r.json())
                continue
            made += 1
            magic, version, length = struct.unpack("<4sII", r.body[:12])
            equal((magic, version, length), (b"glTF", 2, len(r.body)), "header of %d" % skin)
            equal(bytes_of.setdefault(skin, r.body), r.body, "bytes with %d workers" % workers)
            report = d.get("/v1/skins/%d/report" % skin).json()
            check(report["counts"]["parts"] > 0 and isinstance(report["report"], list), report)
        check(made >= 3, "only", made, "skins converted")
        doc = d.get("/v1/skins/9001001").json()
        equal(doc["id"], 9001001, "id in the metadata")
        equal(doc["state"], "fresh", "state in the metadata")
        equal(doc["outputs"][0]["bytes"], len(bytes_of[9001001]), "bytes in the metadata")
        check(len(doc["clips"]) > 0, "clips in the metadata")
        d.stop()
        shutil.rmtree(box.data)
    for skin, want in bytes_of.items():
        path = os.path.join(box.root, "%d.glb" % skin)
        subprocess.run([COMMAND, "bake", "--quiet", "--game", box.game, "--skin", str(skin), "-o", path], check=True, timeout=DEADLINE)
        with open(path, "rb") as f:
            check(f.read() == want, "the command line makes other bytes of", skin)


def metadata_and_joints(box):
    """Metadata and joints are what the command line says, with what the store has beside the first; neither takes parameters."""
    d = Daemon(box, "--serve-wait=60", program=REAL)
    url = "/v1/skins/9001001"

    def told(*args):
        return json.loads(subprocess.run([COMMAND, "describe", "--quiet", "--game", box.game, "--skin", "9001001", "--json", *args],
                                         check=True, timeout=DEADLINE, stdout=subprocess.PIPE).stdout)
    doc = d.get(url).json()
    equal((doc.pop("state"), doc.pop("outputs")), ("never", []), "before a conversion")
    equal(doc, told(), "metadata")
    equal(doc["patch"], "16.18", "patch")
    joints = d.get(url + "/skeleton")
    equal(joints.json(), told("--skeleton"), "joints")
    equal(joints.headers["content-type"], "application/json", "type of the joints")
    equal(d.get("/v1/skins/bramble/1/skeleton").headers["content-location"], url + "/skeleton", "Content-Location")
    equal(d.request("HEAD", url + "/skeleton").status, 200, "HEAD")
    for path in (url, url + "/skeleton"):
        for query in ("a=1", "content=rig", "a", "profile=web"):
            problem(d.get(path + "?" + query), 400, "bad_parameter")
    problem(d.get("/v1/skins/1/skeleton"), 404, "unknown_skin")
    problem(d.get("/v1/skins/x1/skeleton"), 400, "bad_skin_id")
    equal(problem(d.get("/v1/skins/35006/skeleton"), 422, "not_found")["stage"], "mesh", "stage without a mesh")
    problem(d.request("POST", url + "/skeleton", b"{}", JSON), 405, "method_not_allowed")

    plain, variants = d.get(url + ".glb"), d.get(url + ".glb?chromas=variants")
    outputs = d.get(url).json()["outputs"]
    equal([o["options"] for o in outputs], ["", "chromas=variants"], "outputs")
    for output, glb in zip(outputs, (plain, variants)):
        equal(output["bytes"], len(glb.body), "bytes")
        equal(output["etag"], glb.headers["etag"], "etag")
        equal(d.get(output["url"]).body, glb.body, "url")
        equal(d.get(output["artifact"]).body, glb.body, "artifact")
    equal([o["textures"] for o in outputs], [2, 6], "textures")
    equal([o["profile"] for o in outputs], ["full", "custom"], "profiles")
    alone = {"name": "Alone", "duration": 1, "commands": [{"at": 0, "op": "play", "slot": 0, "clip": "Run"}]}
    # Whatever is stored is listed, by its options; what no URL says as it stands has no `url`.
    rig, one = d.get(url + ".glb?content=rig"), d.get(url + ".glb?clips=idle*,Run&hidden=include")
    layered = d.get(url + ".glb?clips=none&layers=" + urllib.parse.quote(json.dumps(alone)))
    listed = {o["options"]: o for o in d.get(url).json()["outputs"]}
    texts = ["", "chromas=variants", "content=rig", "clips=idle*,Run&hidden=include"]
    equal([o for o in listed if "layers" not in o], sorted(texts), "options")
    for text, glb in zip(texts[2:], (rig, one)):
        equal(d.get(listed[text]["url"]).body, glb.body, text)
        equal(listed[text]["profile"], "custom", text)
    last = [o for text, o in listed.items() if "layers" in text]
    equal([("url" in o, d.get(o["artifact"]).body) for o in last], [(False, layered.body)], "layers")
    # A profile is the options that it stands for, in a query and in a body, and an option beats it in any order.
    web = d.get(url + ".glb?profile=web")
    equal(d.get(url + ".glb?compress=meshopt&texture=webp&max_texture=1024").headers["etag"], web.headers["etag"], "spelled out")
    equal(d.get(url + ".glb?profile=full").headers["etag"], plain.headers["etag"], "full")
    check(len(web.body) < 0.75 * len(plain.body), len(web.body), len(plain.body))
    small = d.get(url + ".glb?max_texture=64&profile=web")
    reply = d.post({"skin": 9001001, "options": {"profile": "web", "max_texture": 64}})
    equal((reply.status, reply.json()["options"]), (200, "texture=webp&max_texture=64&compress=meshopt"), "body")
    labels = {o["options"]: o["profile"] for o in d.get(url).json()["outputs"]}
    equal(labels["texture=webp&max_texture=1024&compress=meshopt"], "web", "label")
    equal(labels["texture=webp&max_texture=64&compress=meshopt"], "custom", "label")
    check(len(small.body) < len(web.body), "smaller textures")
    problem(d.get(url + ".glb?profile=tiny"), 400, "bad_option")
    # 256 and 128 pixels a side, as RGBA with a third more for the mipmaps; the geometry of 2,530 triangles comes on top.
    pixels = 4 * (256 * 256 + 128 * 128) * 4 // 3
    check(pixels < outputs[0]["gpu_bytes"] < 2 * pixels, outputs)
    d.stop()


TESTS = [v for k, v in list(globals().items()) if callable(v) and getattr(v, "__code__", None) and v.__code__.co_varnames[:1] == ("box",) and k not in ("Box",)]


def check_log(box):
    """Lines of JSON and nothing else: no sanitizer's words, no broken invariant."""
    for line in box.log_text().splitlines():
        try:
            json.loads(line)
        except ValueError:
            raise Failed("stderr holds: " + line.decode(errors="replace"))


def main(tests):
    global failures
    names = [a for a in sys.argv[5:] if "/" not in a]
    for which, of in (map(int, a.split("/")) for a in sys.argv[5:] if "/" in a):
        tests = tests[which - 1::of]
    root = tempfile.mkdtemp(prefix="rift-e2e-")
    games = []
    for seed in ("1", "2"):
        games.append(os.path.join(root, "game" + seed))
        os.mkdir(games[-1])
        subprocess.run([WRITE_DEMO, games[-1], seed], check=True)
    passed = 0
    try:
        for test in tests:
            if names and not any(n in test.__name__ for n in names):
                continue
            folder = os.path.join(root, test.__name__)
            os.mkdir(folder)
            box = Box(folder, games)
            began = time.monotonic()
            try:
                test(box)
                check_log(box)
                passed += 1
                print("ok   %-40s %5.1f s" % (test.__name__, time.monotonic() - began), flush=True)
            except Exception as e:
                failures += 1
                print("FAIL %s: %s: %s\n%s" % (test.__name__, type(e).__name__, e, box.tail()), flush=True)
            finally:
                end_daemons()
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    print("%d passed, %d failed" % (passed, failures))
    return failures > 0 or passed == 0


started = []
original_popen = subprocess.Popen


def remember(*args, **kwargs):
    p = original_popen(*args, **kwargs)
    started.append(p)
    return p


subprocess.Popen = remember


def end_daemons():
    for p in started:
        if p.poll() is None:
            p.kill()
            p.wait()
    started.clear()


if __name__ == "__main__":
    sys.exit(main(TESTS))
