"""The queue from outside: classes, batches, lists, cancelling, event streams. Arguments and harness: test_daemon.py."""

import json
import os
import signal
import socket
import sys
import threading
import time

import test_daemon
from test_daemon import DEADLINE, JSON, Daemon, check, equal, expected_glb, problem, wait_until


def lines_of(reply):
    equal(reply.headers["content-type"], "application/x-ndjson", "type of a batch's reply")
    return [json.loads(line) for line in reply.body.decode().splitlines()]


def batch(d, body):
    return d.request("POST", "/v1/jobs:batch", json.dumps(body), JSON)


def state(d, job):
    return d.get("/v1/jobs/%d" % job).json()["state"]


def jobs(d, query=""):
    return d.get("/v1/jobs" + query).json()["jobs"]


def batches(box):
    box.order("bramble-2", "fail FORMAT")
    d = Daemon(box)
    all_skins = [s["id"] for s in d.get("/v1/skins?limit=1000").json()["skins"]]
    check(len(all_skins) > 5, all_skins)
    got = lines_of(batch(d, {"skins": [9001001, "bramble/1", 424242, "no skin"]}))
    equal([g["status"] for g in got], [202, 202, 404, 400], "status by line")
    equal(got[0]["job"]["id"], got[1]["job"]["id"], "same input, same job")
    equal(got[2]["asked"], "424242", "what was asked")
    equal(got[2]["code"], "unknown_skin", "code")
    equal(got[3]["code"], "bad_skin_id", "code")
    got = lines_of(batch(d, {"skins": "all", "options": {"content": "rig"}}))
    equal([g["job"]["skin"] for g in got], all_skins, "all skins, in order")
    equal({g["job"]["options"] for g in got}, {"content=rig"}, "options")
    wait_until(lambda: not jobs(d, "?state=live&limit=1"), "an empty queue")
    got = lines_of(batch(d, {"champion": "Bramble"}))
    check(got and all(g["job"]["alias"] == "bramble" for g in got), got)
    wait_until(lambda: not jobs(d, "?state=live&limit=1"), "an empty queue")
    got = lines_of(batch(d, {"champion": "9001"}))
    equal({g["status"] for g in got}, {200, 422}, "made, and remembered as failed")
    for g in got:
        equal("error" in g["job"], g["status"] == 422, "error")
    equal(box.starts("bramble-1"), 2, "conversions of bramble-1: two sets of options")
    d.stop()


def pages(box):
    d = Daemon(box, "--workers=1")
    box.order("bramble-1", "wait")
    d.request("POST", "/v1/jobs", b'{"skin":9001001}', JSON)
    for n in range(6):
        d.request("POST", "/v1/jobs", json.dumps({"skin": 9001002, "options": {"max_texture": 64 + n}}), JSON)
    whole = [j["id"] for j in jobs(d)]
    equal(whole, sorted(whole), "order")
    equal(len(whole), 7, "jobs")
    seen, path = [], "/v1/jobs?state=queued&limit=4"
    while path:
        r = d.get(path)
        seen += [j["id"] for j in r.json()["jobs"]]
        link = r.headers.get("link")
        path = link[1:link.index(">")] if link else None
        equal("next" in r.json(), path is not None, "next and Link")
    equal(seen, whole[1:], "the pages together")
    running = jobs(d, "?state=running")
    equal([(j["skin"], j["state"], j["phase"]) for j in running], [(9001001, "running", "mesh")], "the running one")
    equal(len(jobs(d, "?skin=bramble/2")), 6, "jobs of a skin")
    equal(jobs(d, "?skin=35006"), [], "jobs of another")
    equal(jobs(d, "?after=%d" % whole[-1]), [], "after the last")
    box.open_gate("bramble-1")
    wait_until(lambda: not jobs(d, "?state=live&limit=1"), "an empty queue")
    equal(len(jobs(d, "?state=done,failed")), 7, "what is over")
    d.stop()


def sweeps_leave_a_worker(box):
    """A7: of two workers one is always free for somebody who waits; what was queued by a sweep is lifted when asked for."""
    for n in range(1, 7):
        box.order("shaco-%d" % n, "wait")
    box.order("bramble-2", "wait")
    d = Daemon(box, "--workers=2")
    shaco = [s["id"] for s in d.get("/v1/skins?champion=shaco").json()["skins"]]
    names = ["shaco-%d" % (s % 1000) for s in shaco]
    for name in names:
        box.order(name, "wait")
    got = lines_of(batch(d, {"champion": "shaco"}))
    check(len(got) >= 3, "too few skins to tell")
    wait_until(lambda: box.starts() == 1, "a start")
    time.sleep(0.6)  # two ticks of the queue: another sweep job would have begun
    equal(box.starts(), 1, "running jobs of the sweep")
    r = d.get("/v1/skins/9001001.glb")
    equal(r.status, 200, "status for who waits")
    equal(box.starts("bramble-1"), 1, "conversions")
    # The last of the sweep, asked for by somebody: it runs beside the first.
    last = names[-1]
    done = []
    t = threading.Thread(target=lambda: done.append(d.get("/v1/skins/%d.glb" % shaco[-1])))
    t.start()
    wait_until(lambda: box.starts(last) == 1, "the lifted job")
    equal(box.starts(names[1]), 0, "the second of the sweep")
    box.open_gate(last)
    t.join()
    equal(done[0].status, 200, "the lifted job")
    for name in names:
        box.open_gate(name)
    wait_until(lambda: not jobs(d, "?state=live&limit=1"), "an empty queue")
    equal(box.starts(), len(names) + 1, "conversions")
    d.stop()


def interactive_before_sweep(box):
    box.order("bramble-1", "wait")
    d = Daemon(box, "--workers=1")
    d.request("POST", "/v1/jobs", b'{"skin":9001001}', JSON)
    wait_until(lambda: box.starts() == 1, "a start")
    batch(d, {"champion": "shaco"})
    r = d.post({"skin": 9001002})
    equal(r.status, 202, "status")
    equal(r.json()["position"], 1, "place in the queue")
    first = lines_of(batch(d, {"champion": "shaco"}))[0]["job"]["id"]
    equal(d.get("/v1/jobs/%d" % first).json()["position"], 2, "place of the sweep's first")
    box.open_gate("bramble-1")
    wait_until(lambda: not jobs(d, "?state=live&limit=1"), "an empty queue")
    with open(os.path.join(box.steer, "starts")) as f:
        equal(f.read().split()[:2], ["bramble-1", "bramble-2"], "the order of starts")
    d.stop()


def a_batch_over_the_queue(box):
    """Back-pressure: what fits is accepted, the rest is told to come back; a sweep never takes the last tenth."""
    box.order("bramble-1", "wait")
    d = Daemon(box, "--workers=1", "--queue-max=10")
    d.request("POST", "/v1/jobs", b'{"skin":9001001}', JSON)
    wait_until(lambda: box.starts() == 1, "a start")
    skins = [s["id"] for s in d.get("/v1/skins?limit=1000").json()["skins"]]
    bodies = [{"skins": skins, "options": {"max_texture": 64 + n}} for n in range(4)]
    status = []
    for body in bodies:
        r = batch(d, body)
        if r.status == 503:
            problem(r, 503, "queue_full")
            status += [503] * len(skins)
            continue
        got = lines_of(r)
        status += [g["status"] for g in got]
        if 503 in [g["status"] for g in got]:
            check(int(r.headers["retry-after"]) >= 1, "Retry-After")
            equal({g["code"] for g in got if g["status"] == 503}, {"queue_full"}, "code")
    equal(status.count(202), 9, "accepted of a queue of 10")
    check(status.count(503) > 0, status)
    equal(batch(d, {"skins": [skins[0]], "options": {"max_texture": 4000}}).status, 503, "one more")
    equal(d.post({"skin": 9001002, "options": {"max_texture": 4001}}).status, 202, "somebody who waits")
    problem(d.post({"skin": 9001002, "options": {"max_texture": 4002}}), 503, "queue_full")
    box.open_gate("bramble-1")
    wait_until(lambda: not jobs(d, "?state=live&limit=1"), "an empty queue")
    d.stop()


def cancels(box):
    box.order("bramble-1", "wait")
    d = Daemon(box, "--workers=1")
    first = d.post({"skin": 9001001}).json()["id"]
    wait_until(lambda: box.starts() == 1, "a start")
    second = d.post({"skin": 9001002}).json()["id"]
    # Queued: at once. Its end is its own; asked for again it is another job.
    r = d.request("DELETE", "/v1/jobs/%d" % second)
    equal(r.status, 200, "status")
    equal(r.json()["state"], "cancelled", "state")
    problem(d.request("DELETE", "/v1/jobs/%d" % second), 409, "job_ended")
    check(d.post({"skin": 9001002}).json()["id"] != second, "the same job")
    # Running: it is told, and ends soon.
    r = d.request("DELETE", "/v1/jobs/%d" % first)
    equal(r.status, 202, "status")
    wait_until(lambda: state(d, first) == "cancelled", "the end of the first")
    wait_until(lambda: not jobs(d, "?state=live&limit=1"), "an empty queue")
    equal(box.starts("bramble-1"), 1, "conversions of the cancelled")
    box.open_gate("bramble-1")
    equal(d.get("/v1/skins/9001001.glb").status, 200, "asked for again")
    d.stop()
    d = Daemon(box)
    equal(state(d, first), "cancelled", "state after a restart")
    d.stop()


def cancels_nothing_that_others_want(box):
    box.order("bramble-1", "wait")
    d = Daemon(box)
    done = []
    t = threading.Thread(target=lambda: done.append(d.get("/v1/skins/9001001.glb")))
    t.start()
    wait_until(lambda: box.starts() == 1, "a start")
    job = jobs(d)[0]["id"]
    problem(d.request("DELETE", "/v1/jobs/%d" % job), 409, "job_wanted")
    box.open_gate("bramble-1")
    t.join()
    equal(done[0].status, 200, "status for who waits")
    equal(done[0].body, expected_glb(1), "bytes")
    d.stop()


def one_error_one_answer(box):
    """The same error is the same answer, whether a conversion or the metadata met it (an archive that ends too early, say)."""
    rows = [("FORMAT", 422, False), ("TRUNCATED", 422, False), ("NOT_FOUND", 422, False), ("LIMIT", 422, False), ("IO", 500, True), ("INTERNAL", 500, False)]
    d = Daemon(box)
    skins = [s["id"] for s in d.get("/v1/skins?limit=1000").json()["skins"]]
    names = {s["id"]: "%s-%d" % (s["champion"]["alias"], s["number"]) for s in d.get("/v1/skins?limit=1000").json()["skins"]}
    for skin, (code, status, retryable) in zip(skins, rows):
        box.order(names[skin], "fail " + code)
        for path in ("/v1/skins/%d", "/v1/skins/%d.glb"):
            r = d.get(path % skin)
            doc = r.json()
            equal((r.status, doc["code"], doc["retryable"]), (status, code.lower(), retryable), code + " from " + path)
    d.stop()


class Events:
    """An event stream, read as it comes."""

    def __init__(self, d, job, headers=""):
        self.socket = socket.create_connection(d.address, timeout=DEADLINE)
        self.socket.sendall(("GET /v1/jobs/%d/events HTTP/1.0\r\nHost: x\r\n%s\r\n" % (job, headers)).encode())
        self.data = b""
        while b"\r\n\r\n" not in self.data:
            self.data += self.socket.recv(65536)
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        self.head = head.decode()
        self.status = int(self.head.split()[1])

    def next(self):
        """(event, id, job), ":" for a comment, None at the end."""
        while b"\n\n" not in self.data:
            part = self.socket.recv(65536)
            if not part:
                return None
            self.data += part
        block, self.data = self.data.split(b"\n\n", 1)
        if block.startswith(b":"):
            return ":"
        fields = dict(line.split(": ", 1) for line in block.decode().splitlines())
        return fields["event"], fields["id"], json.loads(fields["data"])

    def rest(self):
        got = []
        while True:
            e = self.next()
            if e is None:
                return got
            got.append(e)

    def close(self):
        self.socket.close()


def events(box):
    box.order("bramble-1", "wait")
    box.order("bramble-2", "wait", "progress")
    d = Daemon(box, "--workers=1")
    first = d.post({"skin": 9001001}).json()["id"]
    wait_until(lambda: box.starts() == 1, "a start")
    second = d.post({"skin": 9001002}).json()["id"]
    e = Events(d, second)
    equal(e.status, 200, "status")
    check("text/event-stream" in e.head and "Access-Control-Allow-Origin: *" in e.head, e.head)
    check(e.data.startswith(b"retry: 3000\n") or not e.data, e.data)
    name, number, job = e.next()
    equal((name, number, job["id"], job["state"], job["position"]), ("snapshot", "1", second, "queued", 1), "first event")
    box.open_gate("bramble-1")
    name, number, job = e.next()
    equal((name, number, job["state"], job["phase"]), ("phase", "2", "running", job["phase"]), "second event")
    seen = set()
    while len(seen) < 2:
        name, number, job = e.next()
        seen.add(job["progress"])
    box.open_gate("bramble-2")
    rest = e.rest()
    equal((rest[-1][0], rest[-1][1], rest[-1][2]["state"]), ("done", "end", "done"), "last event")
    check(rest[-1][2]["result"]["url"].startswith("/v1/artifacts/"), rest[-1])
    # Of a job that is over: snapshot and end. A wrong last id harms nothing, the end's says that there is no more.
    for header in ("", "Last-Event-ID: 7\r\n", "Last-Event-ID: nonsense\r\n"):
        got = Events(d, first, header).rest()
        equal([g[0] for g in got], ["snapshot", "done"], "events of what is over")
    equal(Events(d, first, "Last-Event-ID: end\r\n").status, 204, "status after the end")
    d.stop()


def events_of_failures(box):
    box.order("bramble-1", "wait", "fail FORMAT")
    box.order("bramble-2", "wait")
    d = Daemon(box)
    one = d.post({"skin": 9001001}).json()["id"]
    two = d.post({"skin": 9001002}).json()["id"]
    a, b = Events(d, one), Events(d, two)
    box.open_gate("bramble-1")
    end = a.rest()[-1]
    equal((end[0], end[2]["state"], end[2]["error"]["code"]), ("done", "failed", "format"), "end of a failure")
    d.request("DELETE", "/v1/jobs/%d" % two)
    end = b.rest()[-1]
    equal((end[0], end[2]["state"]), ("done", "cancelled"), "end of a cancelled job")
    d.stop()


def listeners_are_bounded(box):
    """One over the limit is refused; a client that leaves makes room within a second."""
    box.order("bramble-1", "wait")
    d = Daemon(box, "--listeners=3")
    job = d.post({"skin": 9001001}).json()["id"]
    streams = [Events(d, job) for _ in range(3)]
    for s in streams:
        equal(s.next()[0], "snapshot", "first event")
    r = d.get("/v1/jobs/%d/events" % job)
    problem(r, 503, "too_many_listeners")
    streams[0].close()

    def again():
        e = Events(d, job)
        if e.status == 200:
            return e
        e.close()
        return None

    streams[0] = wait_until(again, "room for another", 3)
    box.open_gate("bramble-1")
    for s in streams:
        equal(s.rest()[-1][0], "done", "last event")
    d.stop()


def streams_end_with_the_daemon(box):
    box.order("bramble-1", "wait")
    d = Daemon(box, "--drain=1")
    job = d.post({"skin": 9001001}).json()["id"]
    e = Events(d, job)
    e.next()
    d.signal(signal.SIGTERM)
    e.rest()  # or the socket's deadline, long after the drain's
    equal(d.wait(), 0, "exit code")


def heartbeats(box):
    box.order("bramble-1", "wait")
    d = Daemon(box)
    job = d.post({"skin": 9001001}).json()["id"]
    e = Events(d, job)
    equal(e.next()[0], "snapshot", "first event")
    began = time.monotonic()
    while True:
        got = e.next()
        if got == ":":
            break
        check(got[0] in ("phase", "progress"), got)
        began = time.monotonic()
    check(13 < time.monotonic() - began < 60, "heartbeat after", time.monotonic() - began)
    e.close()
    box.open_gate("bramble-1")
    d.stop()


TESTS = [
    batches,
    pages,
    sweeps_leave_a_worker,
    interactive_before_sweep,
    a_batch_over_the_queue,
    cancels,
    cancels_nothing_that_others_want,
    one_error_one_answer,
    events,
    events_of_failures,
    listeners_are_bounded,
    streams_end_with_the_daemon,
    heartbeats,
]

if __name__ == "__main__":
    sys.exit(test_daemon.main(TESTS))
