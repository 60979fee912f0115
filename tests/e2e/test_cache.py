"""What is kept: the byte budget, packed variants, the scrubber, old jobs; and a store that fails. Arguments and harness: test_daemon.py."""

import ctypes
import ctypes.util
import gzip
import hashlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time

import test_daemon
from test_daemon import DEADLINE, JSON, STEERED, Daemon, check, equal, expected_glb, problem, wait_until

SIZE = 200000


def unzstd(data, size):
    lib = ctypes.CDLL("libzstd.so.1")
    lib.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(size)
    n = lib.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    equal(n, size, "unpacked size")
    return out.raw


def glb(d, number, headers=None):
    return d.get("/v1/skins/9001%03d.glb" % number, headers)


def disk_bytes(box):
    total = 0
    for path in box.blobs():
        try:
            total += os.path.getsize(path)
        except FileNotFoundError:
            pass  # evicted between the two looks
    return total


def metric(d, name):
    for line in d.get("/metrics").body.decode().splitlines():
        if line.startswith(name + " "):
            return int(float(line.split()[-1]))
    check(False, "no metric", name)


def sql(box, text):
    db = sqlite3.connect(os.path.join(box.data, "riftbake.db"))
    rows = db.execute(text).fetchall()
    db.close()
    return rows


def integrity(box):
    equal(sql(box, "PRAGMA integrity_check"), [("ok",)], "integrity")
    equal(sql(box, "PRAGMA foreign_key_check"), [], "foreign keys")


# ---- the budget ----


def evicts(box):
    """Over the budget the least recently used goes, rows and files; asked for again it is made again."""
    skins = [35001, 35002, 35003, 9001001]
    d = Daemon(box)
    names = {s["id"]: (s["champion"]["alias"], s["number"]) for s in d.get("/v1/skins?limit=1000").json()["skins"]}
    d.stop()
    skins = list(names)[:4]
    for s in skins:
        box.order("%s-%d" % names[s], "size %d" % SIZE)

    def get(s):
        r = d.get("/v1/skins/%d.glb" % s)
        equal(r.status, 200, "status of %d" % s)
        check(r.body == expected_glb(names[s][1], SIZE), "bytes of %d" % s)

    def starts(s):
        return box.starts("%s-%d" % names[s])

    d = Daemon(box, "--cache-bytes=%d" % (3 * SIZE + SIZE // 2))
    for s in skins[:3]:
        get(s)
    time.sleep(0.1)
    get(skins[0])  # the oldest, used again
    get(skins[3])
    wait_until(lambda: b'"msg":"evicted"' in box.log_text(), "an eviction", 20)
    wait_until(lambda: disk_bytes(box) <= 3 * SIZE + SIZE // 2, "room on disk")
    get(skins[0])
    get(skins[3])
    equal([starts(s) for s in skins], [1, 1, 1, 1], "conversions")
    check(metric(d, "riftbake_cache_evicted_total") >= 1, "evictions")
    check(metric(d, "riftbake_cache_evicted_bytes_total") >= SIZE, "bytes evicted")
    wait_until(lambda: metric(d, "riftbake_cache_bytes") == disk_bytes(box), "bytes as they lie on disk")
    get(skins[1])
    equal(starts(skins[1]), 2, "conversions of the evicted")
    box.check_blobs()
    d.stop()
    integrity(box)


def the_newest_patch_goes_last(box):
    """A result of a former state of the game goes before any of the state that is, however lately it was used; the budget holds in the end."""
    for n in (1, 2, 3):
        box.order("bramble-%d" % n, "size %d" % (SIZE + n), "noise")
    d = Daemon(box, "--cache-bytes=%d" % (2 * SIZE + SIZE // 2))
    for n in (1, 2):
        equal(glb(d, n).status, 200, "status")
    wait_until(lambda: metric(d, "riftbake_cache_blobs") == 2, "a look at what is kept")
    db = sqlite3.connect(os.path.join(box.data, "riftbake.db"), timeout=DEADLINE)
    with db:
        db.execute("UPDATE artifact SET last_used = 1000 * number")  # the second was used last
        db.execute("UPDATE artifact SET source = zeroblob(32) WHERE number = 2")
    db.close()
    equal(glb(d, 3).status, 200, "status")
    wait_until(lambda: b'"msg":"evicted"' in box.log_text(), "an eviction")
    wait_until(lambda: metric(d, "riftbake_cache_blobs") == 2, "the budget to be kept")
    equal(sql(box, "SELECT number FROM artifact ORDER BY number"), [(1,), (3,)], "what is left")
    equal([box.starts("bramble-%d" % n) for n in (1, 2, 3)], [1, 1, 1], "conversions")
    # Of the newest alone the least recently used one goes all the same.
    box.order("shaco-6", "size %d" % (SIZE + 4), "noise")
    equal(d.get("/v1/skins/35006.glb").status, 200, "status")
    wait_until(lambda: sql(box, "SELECT number FROM artifact ORDER BY number") == [(3,), (6,)], "the budget to be kept")
    d.stop()
    box.check_blobs()
    integrity(box)


def a_reply_outlives_its_eviction(box):
    """The file of a download under way may be evicted: the download ends whole."""
    size = 12000000
    box.order("bramble-1", "size %d" % size)
    box.order("bramble-2", "size %d" % size)
    d = Daemon(box, "--cache-bytes=%d" % (size + size // 2))
    equal(glb(d, 1).status, 200, "status")
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    s.settimeout(DEADLINE)
    s.connect(d.address)
    s.sendall(b"GET /v1/skins/9001001.glb HTTP/1.0\r\nHost: x\r\n\r\n")
    got = s.recv(1000)
    check(got.startswith(b"HTTP/1.1 200") or got.startswith(b"HTTP/1.0 200"), got[:100])
    equal(glb(d, 2).status, 200, "status of the other")
    sha = hashlib.sha256(expected_glb(1, size)).hexdigest()
    path = os.path.join(box.data, "blobs", sha[:2], sha[2:4], sha)
    wait_until(lambda: not os.path.exists(path), "the eviction", 25)
    while True:
        part = s.recv(1 << 20)
        if not part:
            break
        got += part
    check(got.split(b"\r\n\r\n", 1)[1] == expected_glb(1, size), "bytes of the slow download")
    s.close()
    d.stop()


def forgets_old_jobs(box):
    box.order("bramble-1", "wait")
    d = Daemon(box)
    one = d.post({"skin": 9001001}).json()["id"]
    two = d.post({"skin": 9001002}).json()["id"]
    equal(d.request("DELETE", "/v1/jobs/%d" % one).status, 202, "status")
    wait_until(lambda: not d.get("/v1/jobs?state=live").json()["jobs"], "an empty queue")
    d.stop()
    time.sleep(1.1)
    d = Daemon(box, "--keep-jobs=1")
    wait_until(lambda: d.get("/v1/jobs/%d" % one).status == 404, "the old job to be forgotten")
    equal(d.get("/v1/jobs/%d" % two).json()["state"], "done", "the job of a result")
    d.stop()


# ---- variants ----


def packed(box):
    """A11, A2: stored variants with their own tags; ranges of what the client knows."""
    box.order("bramble-1", "size %d" % SIZE)
    d = Daemon(box)
    whole = expected_glb(1, SIZE)
    plain = glb(d, 1)
    check(plain.body == whole, "bytes")
    check("content-encoding" not in plain.headers, "coding without being asked")
    wait_until(lambda: len(box.blobs()) == 3, "both variants")

    def packed_as(accept):
        return glb(d, 1, {"Accept-Encoding": accept})

    wait_until(lambda: packed_as("zstd").headers.get("content-encoding") == "zstd", "zstd")
    wait_until(lambda: packed_as("gzip").headers.get("content-encoding") == "gzip", "gzip")
    table = [
        ("gzip", "gzip"), ("zstd", "zstd"), ("gzip, deflate, br, zstd", "zstd"), ("gzip;q=1.0, zstd;q=0.5", "gzip"),
        ("*", "zstd"), ("*;q=0", None), ("identity", None), ("gzip;q=0", None), ("GZIP", "gzip"), ("", None),
        ("br", None), ("gzip;q=0.5, identity", None), ("zstd;q=0, *", "gzip"), ("gzip;q=x", None), ("gzip;q=2", None),
        ("gzip;q=0.001", "gzip"), (" gzip ; q=0.9 ", "gzip"), (",,gzip,", "gzip"),
    ]
    for accept, want in table:
        r = packed_as(accept)
        equal(r.headers.get("content-encoding"), want, "coding for %r" % accept)
        equal(r.headers["vary"], "Accept-Encoding", "Vary")
        equal(int(r.headers["content-length"]), len(r.body), "length")
        body = unzstd(r.body, SIZE) if want == "zstd" else gzip.decompress(r.body) if want == "gzip" else r.body
        check(body == whole, "bytes for", accept)
        check(want is None or len(r.body) * 10 <= SIZE * 9, "size of the variant")
    z, g = packed_as("zstd"), packed_as("gzip")
    tags = [plain.headers["etag"], z.headers["etag"], g.headers["etag"]]
    equal(tags[1:], [tags[0][:-1] + '-zstd"', tags[0][:-1] + '-gzip"'], "tags")
    check(len({plain.headers["repr-digest"], z.headers["repr-digest"], g.headers["repr-digest"]}) == 3, "digests")
    head = d.request("HEAD", "/v1/skins/9001001.glb", headers={"Accept-Encoding": "zstd"})
    equal(head.headers["content-length"], z.headers["content-length"], "length for HEAD")
    equal(head.headers["etag"], tags[1], "tag for HEAD")
    for tag in tags:
        r = glb(d, 1, {"Accept-Encoding": "zstd", "If-None-Match": tag})
        equal((r.status, r.headers["etag"]), (304, tag), "a copy in any coding is good")
    equal(glb(d, 1, {"Accept-Encoding": "zstd", "If-None-Match": '"x"'}).status, 200, "another tag")
    # A range without a tag is one of the plain bytes; with the tag of a variant, one of the variant.
    r = glb(d, 1, {"Accept-Encoding": "zstd", "Range": "bytes=10-19"})
    equal((r.status, r.headers.get("content-encoding"), r.body), (206, None, whole[10:20]), "plain range")
    equal(r.headers["content-range"], "bytes 10-19/%d" % SIZE, "Content-Range")
    r = glb(d, 1, {"Accept-Encoding": "zstd", "Range": "bytes=10-19", "If-Range": tags[1]})
    equal((r.status, r.headers.get("content-encoding"), r.body), (206, "zstd", z.body[10:20]), "range of the variant")
    equal(r.headers["content-range"], "bytes 10-19/%d" % len(z.body), "Content-Range of the variant")
    r = glb(d, 1, {"Accept-Encoding": "zstd", "Range": "bytes=10-19", "If-Range": tags[0]})
    equal((r.status, r.headers.get("content-encoding"), r.body), (206, None, whole[10:20]), "range of the plain bytes")
    r = glb(d, 1, {"Range": "bytes=10-19", "If-Range": tags[1]})
    equal((r.status, r.headers.get("content-encoding")), (200, None), "range of a coding that is not taken")
    check(r.body == whole, "bytes")
    d.stop()
    # They are there after a restart, and not made again.
    before = sorted(box.blobs())
    d = Daemon(box)
    equal(packed_as("zstd").headers.get("content-encoding"), "zstd", "coding after a restart")
    d.stop()
    equal(sorted(box.blobs()), before, "files")
    box.check_blobs()


def not_worth_packing(box):
    """Small results, and those that hardly shrink, have no variant; a restart does not try again."""
    box.order("bramble-1", "size 1000")
    box.order("bramble-2", "size 60000", "noise")
    d = Daemon(box, "--inline-max=0")
    for n in (1, 2):
        equal(glb(d, n).status, 200, "status")
    wait_until(lambda: sql(box, "SELECT count(*) FROM variant") == [(4,)], "both tried in both codings")
    equal(sql(box, "SELECT count(*) FROM variant WHERE sha256 IS NOT NULL"), [(0,)], "variants")
    equal(len(box.blobs()), 2, "files")
    for n in (1, 2):
        check("content-encoding" not in glb(d, n, {"Accept-Encoding": "zstd, gzip"}).headers, "coding")
    d.stop()


def packs_json(box):
    d = Daemon(box)
    for n in range(200):  # a list that is packed on the pool, while others wait for nothing
        d.post({"skin": 9001001, "options": {"max_texture": 64 + n}})
    wait_until(lambda: d.get("/v1/jobs?state=live").json()["jobs"] == [], "the end of the jobs")
    for path, tagged, least in (("/v1/skins?limit=1000", False, 1025), ("/openapi.json", True, 1025), ("/v1/jobs?limit=1000", False, 32 << 10)):
        plain = d.get(path)
        check(len(plain.body) >= least, path, "is small:", len(plain.body))
        for coding in ("gzip", "zstd"):
            r = d.get(path, {"Accept-Encoding": coding})
            equal(r.headers.get("content-encoding"), coding, "coding of " + path)
            equal(r.varies, ["Accept-Encoding"], "Vary of " + path)
            body = gzip.decompress(r.body) if coding == "gzip" else unzstd(r.body, len(plain.body))
            check(body == plain.body, "text of", path)
            if tagged:
                check(r.headers["etag"] == plain.headers["etag"][:-1] + "-" + coding + '"', "tag", r.headers["etag"])
                for tag in (r.headers["etag"], plain.headers["etag"]):
                    equal(d.get(path, {"If-None-Match": tag, "Accept-Encoding": coding}).status, 304, "conditional")
    r = d.get("/livez", {"Accept-Encoding": "gzip, zstd"})
    check("content-encoding" not in r.headers and r.json()["status"] == "alive", "small JSON")
    d.stop()


# ---- the scrubber ----


def flip(path):
    with open(path, "r+b") as f:
        f.seek(100)
        byte = f.read(1)
        f.seek(100)
        f.write(bytes([byte[0] ^ 1]))


def scrubs(box):
    """A flipped byte in a file of the right size is not served for ever; nor is a lost file missed; orphans go when they are old."""
    for n in (1, 2):
        box.order("bramble-%d" % n, "size %d" % SIZE)
    d = Daemon(box)
    for n in (1, 2):
        equal(glb(d, n).status, 200, "status")
    wait_until(lambda: len(box.blobs()) == 6, "the variants")
    wait_until(lambda: sql(box, "SELECT count(*) FROM variant WHERE sha256 IS NOT NULL") == [(4,)], "their rows")
    d.stop()
    sha = [hashlib.sha256(expected_glb(n, SIZE)).hexdigest() for n in (1, 2)]
    paths = [os.path.join(box.data, "blobs", s[:2], s[2:4], s) for s in sha]
    variant = sql(box, "SELECT lower(hex(sha256)) FROM variant WHERE encoding=1 AND source=x'%s'" % sha[1])[0][0]
    variant_path = os.path.join(box.data, "blobs", variant[:2], variant[2:4], variant)
    flip(paths[0])
    flip(variant_path)
    orphans = [os.path.join(box.data, "blobs", "ab", "cd", "abcd%060d" % n) for n in (0, 1)]
    os.makedirs(os.path.dirname(orphans[0]), exist_ok=True)
    for path in orphans:
        with open(path, "wb") as f:
            f.write(b"nobody's")
    os.utime(orphans[0], (time.time() - 7200, time.time() - 7200))
    d = Daemon(box, "--scrub-interval=1", "--scrub-rate=1g")
    wait_until(lambda: box.starts("bramble-1") == 2, "the damaged one to be made again")
    wait_until(lambda: not os.path.exists(orphans[0]), "the old orphan to go")
    check(os.path.exists(orphans[1]), "a young orphan is gone")
    os.unlink(orphans[1])
    quarantine = os.path.join(box.data, "quarantine")
    wait_until(lambda: sorted(os.listdir(quarantine)) == sorted([sha[0], variant]), "both in quarantine")
    wait_until(lambda: len(box.blobs()) == 6, "all to be there again")
    check(glb(d, 1).body == expected_glb(1, SIZE), "bytes after the repair")
    equal(box.starts("bramble-2"), 1, "a damaged variant needs no conversion")
    wait_until(lambda: glb(d, 2, {"Accept-Encoding": "zstd"}).headers.get("content-encoding") == "zstd", "the variant")
    check(unzstd(glb(d, 2, {"Accept-Encoding": "zstd"}).body, SIZE) == expected_glb(2, SIZE), "bytes of the variant")
    os.unlink(paths[1])
    wait_until(lambda: box.starts("bramble-2") == 2, "the lost one to be made again")
    wait_until(lambda: os.path.exists(paths[1]), "the lost one")
    check(metric(d, 'riftbake_scrubbed_total{result="damaged"}') >= 3, "damage counted")
    equal(metric(d, 'riftbake_scrubbed_total{result="orphan"}'), 1, "orphans counted")
    check(metric(d, 'riftbake_scrubbed_total{result="whole"}') >= 4, "whole ones counted")
    d.stop()
    box.check_blobs()
    integrity(box)


# ---- a store that fails ----


def full_disk(box):
    """No room: reads go on, what cannot be stored is told, nothing half is left, and afterwards all works."""
    box.order("bramble-1", "size %d" % SIZE)
    box.order("bramble-2", "size %d" % SIZE)
    full = os.path.join(box.steer, "disk-full")
    d = Daemon(box, "--serve-wait=2")
    check(glb(d, 1).body == expected_glb(1, SIZE), "bytes")
    wait_until(lambda: sql(box, "SELECT count(*) FROM variant") == [(2,)], "the packer to be done")
    open(full, "w").close()
    check(glb(d, 1).body == expected_glb(1, SIZE), "bytes on a full disk")
    # The store's own writes: of SQLite, of the masks' file, of the name tables.
    problem(glb(d, 2), 503, "disk_full")
    for method, path, kind, body in (("POST", "/v1/jobs", "application/json", b'{"skin":9001002,"options":{"content":"rig"}}'),
                                     ("PUT", "/v1/masks/upper", "application/json", MASK), ("POST", "/v1/hashes/binhashes", "text/plain", LIST)):
        r = d.request(method, path, body, {"Content-Type": kind})
        doc = problem(r, 507, "disk_full")
        equal(doc["title"], "No room", "title")
        check(doc["retryable"] and int(r.headers["retry-after"]) >= 1, path, r.headers)
    r = batch(d, {"skins": [9001001, 9001002, 9001003]})
    equal([(g["status"], g.get("code")) for g in r], [(200, None), (507, "disk_full"), (507, "disk_full")], "a batch by line")
    problem(d.get("/v1/masks/upper"), 404, "unknown_mask")
    equal(d.get("/v1/hashes").json()["tables"]["binhashes"], 0, "names")
    equal(d.get("/livez").status, 200, "alive")
    equal(len(box.glbs()), 1, "files")
    os.unlink(full)
    wait_until(lambda: glb(d, 2).status == 200, "the second, once there is room")
    check(glb(d, 2).body == expected_glb(2, SIZE), "bytes")
    equal(store_mask(d).status, 201, "a mask, once there is room")
    equal(import_list(d).status, 200, "a list, once there is room")
    equal(d.get("/v1/hashes").json()["tables"]["binhashes"], 2, "names")
    d.stop()
    box.check_blobs()
    integrity(box)


MASK = b'{"include":["Spine1"]}'
LIST = b"6f332041 Weapon\n9dd9dc06 Idle1\n"


def store_mask(d):
    return d.request("PUT", "/v1/masks/upper", MASK, JSON)


def import_list(d):
    return d.request("POST", "/v1/hashes/binhashes", LIST, {"Content-Type": "text/plain"})


def set_free(box, free):
    with open(os.path.join(box.steer, "disk-free.new"), "w") as f:
        f.write(str(free))
    os.rename(os.path.join(box.steer, "disk-free.new"), os.path.join(box.steer, "disk-free"))


def disk(d):
    return d.get("/v1/status").json()["disk"]


def batch(d, body):
    r = d.request("POST", "/v1/jobs:batch", json.dumps(body), JSON)
    equal(r.status, 200, "status of a batch")
    return [json.loads(line) for line in r.body.decode().splitlines()]


def live(d):
    return d.get("/v1/jobs?state=live&limit=1000").json()["jobs"]


# The steered disk has 10^9 bytes: 5 % of it are 50,000,000, less than 2 GiB.
RESERVE = ("--disk-reserve=2g", "--disk-reserve-percent=5")


def a_reserve_is_kept_free(box):
    """Below the reserve a sweep pauses, with nothing lost, and goes on by itself; reads go on."""
    set_free(box, 60000000)
    d = Daemon(box, *RESERVE)
    wait_until(lambda: disk(d) == {"free": 60000000, "reserve": 50000000, "state": "kept"}, "a look at the disk")
    check(glb(d, 1).body == expected_glb(1), "bytes")
    shaco = [s["id"] for s in d.get("/v1/skins?champion=shaco").json()["skins"]]
    set_free(box, 49999999)
    wait_until(lambda: disk(d)["state"] == "short", "the reserve to be touched")
    equal(metric(d, "riftbake_disk_short"), 1, "metric")
    problem(store_mask(d), 507, "disk_full")
    problem(import_list(d), 507, "disk_full")
    problem(d.get("/v1/masks/upper"), 404, "unknown_mask")
    equal((metric(d, "riftbake_disk_free_bytes"), metric(d, "riftbake_disk_reserve_bytes")), (49999999, 50000000), "metrics")
    before = box.starts()
    equal({g["status"] for g in batch(d, {"champion": "shaco"})}, {202}, "a sweep is accepted")
    looks = [disk(d)["free"]]

    def looked_again():
        looks.append(disk(d)["free"])
        return looks[-1] == 49999998

    set_free(box, 49999998)
    wait_until(looked_again, "another look")
    equal((box.starts(), len(live(d))), (before, len(shaco)), "conversions while there is no room, and jobs")
    check(glb(d, 1).body == expected_glb(1), "bytes while there is no room")
    equal(d.get("/readyz").json()["converting"], False, "converting")
    equal(metric(d, "riftbake_cache_evicted_total"), 0, "results that went for a sweep alone")
    # A sixteenth more than the reserve has to be free before it counts as kept again: 53,125,000.
    set_free(box, 53124999)
    wait_until(lambda: disk(d)["free"] == 53124999, "another look")
    equal(disk(d)["state"], "short", "state just below")
    set_free(box, 53125000)
    wait_until(lambda: not live(d), "the sweep to go on by itself")
    equal(box.starts() - before, len(shaco), "conversions, each once")
    equal(disk(d)["state"], "kept", "state")
    check(glb(d, 1).body == expected_glb(1), "bytes")
    for text in (b"the disk's reserve is touched", b"there is room again"):
        check(text in box.log_text(), "not in the log:", text)
    d.stop()
    box.check_blobs()
    integrity(box)


def a_full_disk_refuses(box):
    """Nothing may go: what is new is refused, 507 to a POST and 503 to a GET (caches know that one), what is there is served and told."""
    set_free(box, 60000000)
    d = Daemon(box, *RESERVE, "--serve-wait=20")
    check(glb(d, 1).body == expected_glb(1), "bytes")
    db = sqlite3.connect(os.path.join(box.data, "riftbake.db"))
    with db:
        db.execute("UPDATE artifact SET pinned=1")
    db.close()
    set_free(box, 1000)
    wait_until(lambda: disk(d)["state"] == "short", "the reserve to be touched")
    waiting = d.post({"skin": 9001002})
    equal(waiting.status, 202, "one that waits for room")
    wait_until(lambda: disk(d)["state"] == "full", "nothing that can go")
    equal(metric(d, "riftbake_disk_short"), 2, "metric")
    before = box.starts()
    r = d.post({"skin": 9001002, "options": {"content": "rig"}})
    problem(r, 507, "disk_full")
    check(r.json()["retryable"] and int(r.headers["retry-after"]) >= 1, r.headers)
    problem(d.get("/v1/skins/9001002.glb?content=rig"), 503, "disk_full")
    r = glb(d, 2)
    problem(r, 503, "disk_full")
    equal(r.json()["job"], waiting.json()["id"], "the job that goes on by itself")
    equal(d.post({"skin": 9001002}, {"Prefer": "wait=20"}).status, 202, "what is accepted stays so")
    r = d.request("POST", "/v1/jobs:batch", b'{"champion":"shaco"}', JSON)
    problem(r, 507, "disk_full")
    got = batch(d, {"skins": [9001001, 9001002, 35006]})
    equal([(g["status"], g.get("code")) for g in got], [(200, None), (202, None), (507, "disk_full")], "a batch by line")
    equal(d.post({"skin": 9001001}).status, 200, "POST of what is there")
    check(glb(d, 1).body == expected_glb(1), "bytes")
    equal(d.get("/livez").status, 200, "alive")
    equal(d.get("/readyz").status, 200, "ready: reads go on")
    equal(box.starts(), before, "conversions")
    set_free(box, 60000000)
    wait_until(lambda: not live(d), "the one that waited")
    check(glb(d, 2).body == expected_glb(2), "bytes of the one that waited")
    equal(glb(d, 2, {"Prefer": "x"}).status, 200, "status")
    equal(d.post({"skin": 9001002, "options": {"content": "rig"}}, {"Prefer": "wait=20"}).status, 200, "room again")
    d.stop()
    box.check_blobs()
    integrity(box)


def makes_room_for_who_waits(box):
    """The least recently used results go before anybody is refused, no more of them than are missing, and none for a sweep."""
    for n in (1, 2, 3):
        box.order("bramble-%d" % n, "size %d" % (SIZE + n), "noise")
    set_free(box, 60000000)
    d = Daemon(box, *RESERVE)
    for n in (1, 2, 3):
        equal(glb(d, n).status, 200, "status")
    wait_until(lambda: metric(d, "riftbake_cache_blobs") == 3, "a look at what is kept")
    db = sqlite3.connect(os.path.join(box.data, "riftbake.db"), timeout=DEADLINE)
    with db:
        db.execute("UPDATE artifact SET last_used = 1000 * (4 - number)")  # the third is the oldest
    db.close()
    set_free(box, 49999999)
    wait_until(lambda: disk(d)["state"] == "short", "the reserve to be touched")
    set_free(box, 53125000 - SIZE - 4)  # one result would not do
    wait_until(lambda: disk(d)["free"] == 53125000 - SIZE - 4, "another look")
    equal({g["status"] for g in batch(d, {"skins": [35006]})}, {202}, "a sweep is accepted")
    equal(metric(d, "riftbake_cache_evicted_total"), 0, "evicted while only a sweep waits")
    equal(d.post({"skin": 35005}).status, 202, "accepted")
    wait_until(lambda: b'"msg":"evicted"' in box.log_text(), "an eviction")
    first = [json.loads(line) for line in box.log_text().splitlines() if b'"msg":"evicted"' in line][0]
    equal((first["files"], first["bytes"]), (2, 2 * SIZE + 5), "the first eviction: the third and the second")
    set_free(box, 60000000)
    wait_until(lambda: not live(d), "those that waited")
    d.stop()
    box.check_blobs()
    integrity(box)


def full_disk_during_a_sweep(box):
    """Writes fail (ENOSPC) in the middle of a sweep: no job is lost or fails, and all is made once there is room."""
    d = Daemon(box)
    skins = [s["id"] for s in d.get("/v1/skins?champion=shaco").json()["skins"]]
    for s in skins:
        box.order("shaco-%d" % (s % 1000), "size %d" % SIZE, "noise", "wait")
    check(glb(d, 1).body == expected_glb(1), "bytes")
    equal({g["status"] for g in batch(d, {"champion": "shaco"})}, {202}, "a sweep is accepted")
    wait_until(lambda: box.starts("shaco-%d" % (skins[0] % 1000)) == 1, "a start")
    full = os.path.join(box.steer, "disk-full")
    open(full, "w").close()
    for s in skins:
        box.open_gate("shaco-%d" % (s % 1000))
    wait_until(lambda: disk(d)["state"] != "kept", "a result without room")  # the log finds no room either
    check(glb(d, 1).body == expected_glb(1), "bytes while there is no room")
    equal(len(live(d)), len(skins), "jobs that live")
    os.unlink(full)
    wait_until(lambda: not live(d), "the sweep to go on by itself", 120)
    equal(len(d.get("/v1/jobs?state=done&limit=1000").json()["jobs"]), len(skins) + 1, "jobs that are done")
    for s in skins:
        equal(d.get("/v1/skins/%d.glb" % s).headers["cache-status"], "riftbake; hit", "what was made")
    d.stop()
    box.check_blobs()
    integrity(box)


def a_disk_that_is_really_full(box):
    """The same without injection, on a file system of 4 MiB: clear errors, whole files, and it recovers. Needs the right to mount one."""
    os.makedirs(box.data)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", box.data], stderr=subprocess.DEVNULL).returncode != 0:
        print("     skipped: no right to mount a file system")
        return
    try:
        for n in (1, 2, 3):
            box.order("bramble-%d" % n, "size %d" % (SIZE + n), "noise")
        d = Daemon(box, "--serve-wait=1")
        first = glb(d, 1)
        equal((first.status, len(first.body)), (200, SIZE + 1), "the first")
        ballast = os.path.join(box.data, "ballast")
        with open(ballast, "wb", buffering=0) as f:
            try:
                while f.write(b"x" * 4096):
                    pass
            except OSError:
                pass
        for r in (glb(d, 2), d.post({"skin": 9001003})):
            check(r.status in (202, 503, 507), "status", r.status)
            if r.status != 202:
                check(r.headers["content-type"] == "application/problem+json" and r.json()["retryable"], r.body)
        equal(glb(d, 1).body, first.body, "bytes on a full disk")
        equal(d.get("/livez").status, 200, "alive")
        os.unlink(ballast)
        for n in (2, 3):
            wait_until(lambda: len(glb(d, n).body) == SIZE + n, "number %d, once there is room" % n, 120)
        d.stop()
        box.check_blobs()
        integrity(box)
    finally:
        test_daemon.end_daemons()
        subprocess.run(["umount", box.data], check=True)


def locked_database(box):
    """Somebody holds the write lock: reads go on, writes are refused after a while, and work again later."""
    d = Daemon(box, "--serve-wait=1")
    equal(glb(d, 1).status, 200, "status")
    time.sleep(0.5)
    other = sqlite3.connect(os.path.join(box.data, "riftbake.db"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    began = time.monotonic()
    r = d.post({"skin": 9001002})
    problem(r, 503, "store")
    check(4 < time.monotonic() - began < 60, "refused after", time.monotonic() - began)
    check(glb(d, 1).body == expected_glb(1), "bytes while it is locked")
    other.execute("ROLLBACK")
    other.close()
    wait_until(lambda: glb(d, 2).status == 200, "the lock to be gone")
    d.stop()
    integrity(box)


def damaged_database(box):
    """Found at the start after an unclean stop, and said; found while it runs: the request fails, the daemon lives."""
    d = Daemon(box)
    for n in (1, 2):
        equal(glb(d, n).status, 200, "status")
    d.kill()
    db = sqlite3.connect(os.path.join(box.data, "riftbake.db"))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    path = os.path.join(box.data, "riftbake.db")
    with open(path, "rb") as f:
        sound = f.read()
    for page in range(1, min(len(sound) // 4096, 8)):
        with open(path, "wb") as f:
            f.write(sound[: page * 4096] + b"\xa5" * 4096 + sound[(page + 1) * 4096:])
        p = subprocess.run(
            [STEERED, "--game", box.game, "--data", box.data, "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE)
        equal(p.returncode, 1, "exit code with page %d damaged" % page)
        check(b"damaged" in p.stderr or b"malformed" in p.stderr or b"IO" in p.stderr, p.stderr[-300:])
        for name in ("riftbake.db-wal", "riftbake.db-shm"):
            if os.path.exists(os.path.join(box.data, name)):
                os.unlink(os.path.join(box.data, name))
    with open(path, "wb") as f:
        f.write(sound)
    d = Daemon(box)
    equal(glb(d, 1).body, expected_glb(1), "bytes from the sound file")
    d.stop()


def other_databases(box):
    """One from a newer program, or damaged: patches.db refuses the start, name tables are refused and conversions go on without them."""
    lists = {"Content-Type": "text/plain"}
    d = Daemon(box)
    equal(d.request("POST", "/v1/hashes/game", b"", lists).status, 200, "import")
    d.stop()
    newer = lambda data: data[:60] + b"\0\0\3\xe8" + data[64:]
    damaged = lambda data: b"nonsense" * 1024
    for name, change, code, text in (("patches.db", newer, "UNSUPPORTED", "newer program"), ("patches.db", damaged, "IO", "not a database")):
        path = os.path.join(box.data, name)
        with open(path, "rb") as f:
            good = f.read()
        with open(path, "wb") as f:
            f.write(change(good))
        p = subprocess.run([STEERED, "--game", box.game, "--data", box.data, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=DEADLINE)
        last = json.loads(p.stderr.splitlines()[-1])
        equal((p.returncode, last["code"]), (1, code), "start with another " + name)
        check(text in last["text"] and last["file"].endswith(name), last)
        with open(path, "wb") as f:
            f.write(good)
    path = os.path.join(box.data, "hashes.db")
    for change, code, text in ((newer, "unsupported", "newer program"), (damaged, "io", "not a database")):
        with open(path, "rb") as f:
            good = f.read()
        with open(path, "wb") as f:
            f.write(change(good))
        d = Daemon(box)
        for r in (d.get("/v1/hashes"), d.get("/v1/hashes/game/1"), d.request("POST", "/v1/hashes/game", b"", lists)):
            check(text in problem(r, 500, code)["detail"], r.body)
        equal(glb(d, 1).status, 200, "a conversion")
        d.stop()
        with open(path, "rb") as f:
            check(f.read() == change(good), "the file was touched")
        with open(path, "wb") as f:
            f.write(good)
    d = Daemon(box)
    equal(d.get("/v1/hashes").status, 200, "afterwards")
    d.stop()


def old_schemas_keep_their_data(box):
    """Files of every earlier form, of all three databases, come to today's with what they hold."""
    folder = os.path.join(os.environ["RIFT_SOURCE_DIR"], "migrations")
    steps = {name: sorted(os.listdir(os.path.join(folder, name))) for name in os.listdir(folder)}
    equal(sorted(steps), ["hashes", "patches", "sqlite"], "databases")
    files = {"hashes": "hashes.db", "patches": "patches.db", "sqlite": "riftbake.db"}
    key, bytes_ = "x'%s'" % ("01" * 32), b"glTF of long ago"
    sha = hashlib.sha256(bytes_).hexdigest()
    data = {
        "hashes": "INSERT INTO binhashes VALUES (0x9dd9dc06, 'Idle1'); UPDATE state SET value=77;",
        "patches": "INSERT INTO patch VALUES (7, '9.24', %s, 1000, 3, 4, 0, 0, 5, 6%s); INSERT INTO patch_archive VALUES (7, 'Old.wad.client', 2, NULL, 1, 2, 3, 4);",
        "sqlite": "INSERT INTO blob VALUES (x'%s', %d, x'%s', 9);"
                  "INSERT INTO job (id, key, state, skin, alias, number, options, created, attempt, epoch, sha256, report) VALUES (41, %s, 2, 9001001, 'bramble', 1, '', 5, 1, 1, x'%s', '{}');"
                  "INSERT INTO job (id, key, state, skin, alias, number, options, created) VALUES (42, x'%s', 0, 9001002, 'bramble', 2, '', 6);"
                  "INSERT INTO artifact (key, fingerprint, sha256, job, skin, alias, number, options, source, created, last_used)"
                  " VALUES (%s, %s, x'%s', 41, 9001001, 'bramble', 1, '', %s, 9, 9);" % (sha, len(bytes_), bytes_.hex(), key, sha, "02" * 32, key, key, sha, key),
    }
    for n in range(1, max(map(len, steps.values()))):
        os.makedirs(box.data)
        for name, file in files.items():
            version = min(n, len(steps[name]) - 1)
            db = sqlite3.connect(os.path.join(box.data, file), isolation_level=None)
            for step in steps[name][:version]:
                with open(os.path.join(folder, name, step)) as f:
                    db.executescript(f.read())
            more = "" if name != "patches" else ", 0" * (len(db.execute("PRAGMA table_info(patch)").fetchall()) - 10)
            db.executescript(data[name] % (key, more) if name == "patches" else data[name])
            db.executescript("PRAGMA application_id=%d; PRAGMA user_version=%d;" % (0x52494654, version))
            db.close()
        d = Daemon(box, "--patch-settle=1", "--patch-patience=1")  # the folder is not that of then
        equal(d.get("/v1/hashes/binhashes/9dd9dc06").json()["name"], "Idle1", "a name, from version %d" % n)
        equal(d.get("/v1/patches/7").json()["version"], "9.24", "a patch, from version %d" % n)
        equal(d.get("/v1/jobs/41").json()["state"], "done", "a job, from version %d" % n)
        equal(d.get("/v1/artifacts/%s.glb" % sha).body, bytes_, "bytes, from version %d" % n)
        equal(d.get("/v1/jobs/42", {"Prefer": "wait=30"}).json()["state"], "done", "a queued job, from version %d" % n)
        check(d.get("/v1/skins/9001002.glb").body == expected_glb(2), "what it made")
        d.stop()
        integrity(box)
        for name, file in files.items():
            db = sqlite3.connect(os.path.join(box.data, file))
            equal(db.execute("PRAGMA user_version").fetchone(), (len(steps[name]),), "version of " + file)
            db.close()
        shutil.rmtree(box.data)


TESTS = [
    other_databases,
    old_schemas_keep_their_data,
    evicts,
    the_newest_patch_goes_last,
    a_reply_outlives_its_eviction,
    forgets_old_jobs,
    packed,
    not_worth_packing,
    packs_json,
    scrubs,
    full_disk,
    full_disk_during_a_sweep,
    a_disk_that_is_really_full,
    a_reserve_is_kept_free,
    a_full_disk_refuses,
    makes_room_for_who_waits,
    locked_database,
    damaged_database,
]

if __name__ == "__main__":
    sys.exit(test_daemon.main(TESTS))
