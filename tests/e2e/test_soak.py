"""Many requests, many jobs, many crashes. Arguments and harness: test_daemon.py. Small by default; the long run is

    RIFT_SOAK_JOBS=10000 RIFT_SOAK_KILLS=200 ctest --preset release -R soak
"""

import json
import os
import random
import re
import select
import socket
import sqlite3
import sys
import time

import test_daemon
from test_daemon import JSON, Daemon, check, equal, expected_glb, wait_until

JOBS = int(os.environ.get("RIFT_SOAK_JOBS", "400"))
KILLS = int(os.environ.get("RIFT_SOAK_KILLS", "6"))


def five_hundred_clients(box):
    """B212, A6: one cold skin, 500 clients at once: one conversion, and everybody has the whole of it."""
    size = 100000
    box.order("bramble-1", "wait", "size %d" % size)
    d = Daemon(box, "--connections=1024", "--connections-per-address=1024", "--waiters=1000")
    sockets = []
    for _ in range(500):
        s = socket.create_connection(d.address, timeout=60)
        s.sendall(b"GET /v1/skins/9001001.glb HTTP/1.0\r\nHost: x\r\n\r\n")
        sockets.append(s)
    wait_until(lambda: d.get("/readyz").json()["waiting"] == 500, "500 who wait", 60)
    equal(box.starts(), 1, "conversions begun")
    box.open_gate("bramble-1")
    want = expected_glb(1, size)
    got = {s: [] for s in sockets}
    open_sockets, whole = set(sockets), 0
    end = time.monotonic() + 60
    while open_sockets and time.monotonic() < end:
        for s in select.select(list(open_sockets), [], [], 1)[0]:
            part = s.recv(1 << 20)
            if part:
                got[s].append(part)
            else:
                open_sockets.remove(s)
                head, body = b"".join(got[s]).split(b"\r\n\r\n", 1)
                check(b" 200 " in head.split(b"\r\n")[0], head[:100])
                check(body == want, "bytes of one of 500")
                whole += 1
                s.close()
    equal(whole, 500, "answered")
    equal(box.starts(), 1, "conversions")
    d.stop()


def skins_of(d):
    return [(s["id"], s["champion"]["alias"], s["number"]) for s in d.get("/v1/skins?limit=1000").json()["skins"]]


def resident(d):
    with open("/proc/%d/status" % d.process.pid) as f:
        return int(re.search(r"VmRSS:\s+(\d+) kB", f.read()).group(1))


def descriptors(d):
    return len(os.listdir("/proc/%d/fd" % d.process.pid))


def idle(d):
    r = d.get("/readyz").json()
    return r["queued"] + r["running"] == 0


def disk_bytes(box):
    total = 0
    for path in box.blobs():
        try:
            total += os.path.getsize(path)
        except FileNotFoundError:
            pass  # evicted between the two looks
    return total


def kept(d):
    """Bytes that are allocated, without SQLite's, whose page caches fill up to their bound. While packing, scrubbing or
    evicting goes on something is held for it, each time something else: ten looks that agree are at rest."""
    looks = []
    wait_until(lambda: looks.append(look_at_kept(d)) or len(set(looks[-10:])) == 1 and len(looks) >= 10, "rest", 120)
    return looks[-1]


def look_at_kept(d):
    rows = dict(line.rsplit(" ", 1) for line in d.get("/metrics").body.decode().splitlines() if line[0] != "#")
    return max(0, int(rows["riftbake_heap_bytes"]) - int(rows["riftbake_sqlite_bytes"]))  # 0: a sanitizer allocates


SLACK = 12288  # of what is kept: less than half of 100 bytes for each of the jobs between the two looks, few as they are


def many_jobs(box):
    """Memory, descriptors and files stay where they were after the first part of the run.

    What is allocated is counted, to the byte: whatever is kept of each job shows after a few hundred. (What threads put
    aside for themselves would count as allocated, so they put nothing aside.) What is resident is more than that, by
    what lies between; that it has its end too takes thousands of jobs to see."""
    budget = 2000000
    d = Daemon(box, "--cache-bytes=%d" % budget, "--keep-jobs=2", "--inline-max=0", "--scrub-interval=2", "--scrub-rate=100m",
               env={"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"})
    skins = skins_of(d)
    for _, alias, number in skins:
        box.order("%s-%d" % (alias, number), "size 20000")
    done, marks, first = 0, [], None
    while done < JOBS:
        body = {"skins": [s[0] for s in skins], "options": {"max_texture": 64 + done // len(skins) % 4000,
                                                            "content": ("rig", "mesh", "full")[done // len(skins) // 4000]}}
        r = d.request("POST", "/v1/jobs:batch", json.dumps(body), JSON)
        equal(r.status, 200, "status of a batch")
        for line in r.body.decode().splitlines():
            check(json.loads(line)["status"] in (200, 202), line)
        done += len(skins)
        if done // len(skins) % 10 == 0 or done >= JOBS:
            wait_until(lambda: idle(d), "the jobs so far", 120)
            n = skins[done // len(skins) % len(skins)]
            reply = d.get("/v1/skins/%d.glb?max_texture=4000" % n[0])
            check(reply.body == expected_glb(n[2], 20000, "max_texture=4000"), "bytes on the way")
            marks.append((done, resident(d), descriptors(d)))
            if first is None:
                wait_until(lambda: disk_bytes(box) <= budget + 500000, "the budget to be kept", 120)
                first = kept(d)
    equal(box.starts() >= JOBS, True, "conversions")
    quarter = marks[len(marks) // 4]
    last = marks[-1]
    print("     jobs, kB resident, descriptors:", marks[0], quarter, last)
    if JOBS >= 5000:
        check(last[1] < quarter[1] * 1.02, "memory grew from", quarter, "to", last)
    check(last[2] <= quarter[2] + 4, "descriptors grew from", quarter, "to", last)
    wait_until(lambda: disk_bytes(box) <= budget + 500000, "the budget to be kept", 120)
    now = kept(d)
    print("     bytes kept after %d and %d jobs: %d, %d" % (marks[0][0], done, first, now))
    check(now <= first + SLACK, "kept", first, "bytes after", marks[0][0], "jobs, then", now, "after", done)
    equal(os.listdir(os.path.join(box.data, "blobs", "trash")), [], "trash")
    equal(sorted(os.listdir(box.data)), sorted(n for n in os.listdir(box.data) if n in KNOWN), "files in the data folder")
    d.stop()
    box.check_blobs()
    check_store(box)


KNOWN = ("blobs", "lock", "riftbake.db", "riftbake.db-wal", "riftbake.db-shm", "patches.db", "patches.db-wal", "patches.db-shm",
         "hashes.db", "quarantine")


def check_store(box):
    db = sqlite3.connect(os.path.join(box.data, "riftbake.db"))
    equal(db.execute("PRAGMA integrity_check").fetchall(), [("ok",)], "integrity")
    equal(db.execute("PRAGMA foreign_key_check").fetchall(), [], "foreign keys")
    # Every row's file is there, and whole by its name (check_blobs). Rows first: a packer may be at work.
    blobs = db.execute("SELECT lower(hex(sha256)), size FROM blob WHERE data IS NULL").fetchall()
    names = {os.path.basename(p): os.path.getsize(p) for p in box.blobs()}
    for sha, size in blobs:
        equal(names.get(sha), size, "size of the file " + sha)
    rows = db.execute("SELECT id, state, attempt FROM job").fetchall()
    db.close()
    return rows


def kills(box):
    """kill -9 at any moment of a sweep: what was accepted ends, once; what is served is whole; the store is sound."""
    seed = int(os.environ.get("RIFT_SOAK_SEED", random.randrange(1 << 30)))
    print("     seed", seed)
    chance = random.Random(seed)
    d = Daemon(box)
    skins = skins_of(d)
    for _, alias, number in skins:
        box.order("%s-%d" % (alias, number), "size %d" % chance.choice((1000, 70000, 300000)))
    sizes = {}
    for i, alias, number in skins:
        with open(os.path.join(box.steer, "%s-%d" % (alias, number))) as f:
            sizes[i] = int(f.read().split()[1])
    d.stop()
    accepted, number_of = {}, {s[0]: s[2] for s in skins}
    for n in range(KILLS):
        d = Daemon(box, "--scrub-interval=1", "--scrub-rate=1g", "--cache-bytes=%d" % 20000000)
        options = {"max_texture": 64 + n}
        body = json.dumps({"skins": [s[0] for s in skins], "options": options})
        deadline = time.monotonic() + chance.random() * 0.25
        try:
            r = d.request("POST", "/v1/jobs:batch", body, JSON)
            for line in r.body.decode().splitlines():
                line = json.loads(line)
                check(line["status"] in (200, 202), line)
                accepted[line["job"]["id"]] = (line["job"]["skin"], options["max_texture"])
            while time.monotonic() < deadline:
                i = chance.choice(skins)[0]
                r = d.get("/v1/skins/%d.glb?max_texture=%d" % (i, 64 + chance.randrange(n + 1)))
                if r.status == 200:
                    equal(len(r.body), sizes[i], "size of a served GLB")
        finally:
            time.sleep(max(0, deadline - time.monotonic()))
            d.kill()
    d = Daemon(box)
    wait_until(lambda: idle(d), "all jobs to end", 600)
    rows = {row[0]: row[1:] for row in check_store(box)}
    ends = {2: 0, 3: 0, 4: 0}
    for job in accepted:
        check(job in rows, "an accepted job is gone:", job)
        state = rows[job][0]
        check(state in ends, "job", job, "is in state", state)
        ends[state] += 1
    equal(ends[3], 0, "failed jobs")
    log = box.log_text().decode(errors="replace")
    told = re.findall(r'"msg":"job done","job":(\d+)', log)
    equal(len(told), len(set(told)), "jobs told done twice")
    print("     %d accepted, %d done, %d dead after three crashes, %d starts" % (len(accepted), ends[2], ends[4], box.starts()))
    for job, (skin, texture) in accepted.items():
        if rows[job][0] == 2:
            r = d.get("/v1/skins/%d.glb?max_texture=%d" % (skin, texture))
            equal(r.status, 200, "status of a finished one")
            check(r.body == expected_glb(number_of[skin], sizes[skin], "max_texture=%d" % texture), "bytes of", skin)
    equal(os.listdir(os.path.join(box.data, "blobs", "trash")), [], "trash")
    d.stop()
    box.check_blobs()
    check_store(box)


TESTS = [five_hundred_clients, many_jobs, kills]

if __name__ == "__main__":
    sys.exit(test_daemon.main(TESTS))
