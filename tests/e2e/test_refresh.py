"""End to end: name lists that the daemon fetches by itself, from a folder and from a server in this file.

usage: test_refresh.py RIFTBAKED_TEST RIFTBAKED RIFTBAKE WRITE_DEMO [NAME...]
"""

import gzip
import hashlib
import http.server
import os
import signal
import socket
import sys
import threading

import test_daemon
from test_daemon import Daemon, check, equal, wait_until

os.environ["no_proxy"] = "127.0.0.1"


def fnv(name):
    """FNV-1a of the lower-cased name, as binhashes lists have it."""
    h = 0x811C9DC5
    for byte in name.lower().encode():
        h = (h ^ byte) * 0x01000193 & 0xFFFFFFFF
    return h


def lines(*names):
    return "".join("%08x %s\n" % (fnv(n), n) for n in names).encode()


BINHASHES = "hashes.binhashes.txt"
BINTYPES = "hashes.bintypes.txt"


class Server:
    """Serves files as told: path -> bytes, or a function of the handler. Notes each request."""

    def __init__(self):
        self.files, self.seen, outer = {}, [], self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                answer = outer.files.get(self.path)
                outer.seen.append((self.path, self.headers.get("If-None-Match"), self.headers.get("If-Modified-Since")))
                if callable(answer):
                    return answer(self)
                if answer is None:
                    return self.reply(404, b"<html>not here</html>")
                tag = '"%s"' % hashlib.sha256(answer).hexdigest()[:16]
                if self.headers.get("If-None-Match") == tag:
                    return self.reply(304, b"")
                return self.reply(200, answer, ETag=tag)

            def reply(self, status, body, **headers):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        class Quiet(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, address):
                pass  # connections that the other side gives up

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.port = self.http.server_address[1]
        self.url = "http://127.0.0.1:%d/lists" % self.port
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def put(self, name, answer):
        self.files["/lists/" + name] = answer

    def asked(self, name):
        return [s[1:] for s in self.seen if s[0] == "/lists/" + name]

    def close(self):
        self.http.shutdown()
        self.http.server_close()


def told(d):
    return d.get("/v1/status").json()["name_lists"]


def metric(d, name):
    for line in d.get("/metrics").body.decode().splitlines():
        if line.startswith(name + " "):
            return float(line.split()[-1])
    return None


def knows(d, name, table="binhashes"):
    r = d.get("/v1/hashes/%s/%08x" % (table, fnv(name)))
    return r.status == 200 and r.json()["name"] == name


def start(box, source, *flags):
    return Daemon(box, "--names-source=" + source, "--names-jitter=0", "--names-refresh=1", "--rescan=off", *flags)


def looks(d, kind, more=1):
    """Waits until this many more looks have ended in that way."""
    want = told(d)[kind] + more
    wait_until(lambda: told(d)[kind] >= want, "a look: " + kind)


def fails(d, what, text):
    """The next looks fail, are told, and leave the tables alone."""
    digest = d.get("/v1/hashes").json()
    looks(d, "failed")
    s = told(d)
    equal(s["failing"], True, "failing: " + what)
    check(text in s["error"], what, "is told as", s["error"])
    equal(metric(d, "riftbake_name_lists_failing"), 1.0, "metric: " + what)
    equal(d.get("/v1/hashes").json(), digest, "the tables after " + what)


def recovers(d):
    wait_until(lambda: not told(d)["failing"], "recovery")
    equal(metric(d, "riftbake_name_lists_failing"), 0.0, "metric after recovery")


def off_by_default(box):
    d = Daemon(box)
    s = told(d)
    equal((s["source"], s["running"], s["changed"] + s["unchanged"] + s["failed"]), ("off", False, 0), "name_lists")
    d.stop()


def takes_lists_from_a_server(box):
    server = Server()
    server.put(BINHASHES, lines("Alpha", "Beta"))
    server.put(BINTYPES + ".0", lines("TypeA"))
    server.put(BINTYPES + ".1", lines("TypeB"))
    d = start(box, server.url + "/")
    wait_until(lambda: told(d)["changed"] == 1, "the first import")
    for name, table in (("Alpha", "binhashes"), ("Beta", "binhashes"), ("TypeA", "bintypes"), ("TypeB", "bintypes")):
        check(knows(d, name, table), "does not know", name)
    equal((told(d)["names"], told(d)["source"]), (4, "url"), "names")
    # Nothing changed: every list that is there is asked for with its tag, and none is sent again.
    looks(d, "unchanged", 2)
    tag = '"%s"' % hashlib.sha256(lines("Alpha", "Beta")).hexdigest()[:16]
    equal(server.asked(BINHASHES)[0], (None, None), "first question")
    equal(set(server.asked(BINHASHES)[1:]), {(tag, None)}, "later questions")
    equal(told(d)["changed"], 1, "imports")
    # One list changed.
    server.put(BINHASHES, lines("Alpha", "Beta", "Gamma"))
    wait_until(lambda: told(d)["changed"] == 2, "the second import")
    check(knows(d, "Gamma"), "does not know Gamma")
    equal(told(d)["names"], 5, "names")
    d.stop()
    # A restart knows what it has.
    asked = len(server.asked(BINHASHES))
    d = start(box, server.url + "/")
    looks(d, "unchanged")
    check(all(q[0] for q in server.asked(BINHASHES)[asked:]), "asked anew after a restart")
    equal(told(d)["changed"], 0, "imports after a restart")
    d.stop()
    # Lost tables are fetched again, whatever was noted.
    for name in os.listdir(box.data):
        if name.startswith("hashes.db"):
            os.unlink(os.path.join(box.data, name))
    d = start(box, server.url + "/")
    wait_until(lambda: told(d)["changed"] == 1, "the import after a loss")
    check(knows(d, "Gamma") and knows(d, "TypeB", "bintypes"), "not all names are back")
    d.stop()
    server.close()


def keeps_what_it_has(box):
    """Bad answers, one after the other: each is told, none changes a table, and it recovers by itself."""
    server = Server()
    good = lines("Alpha", "Beta")
    server.put(BINHASHES, good)
    server.put(BINTYPES, lines("TypeA"))
    d = start(box, server.url, "--names-max=4096")
    wait_until(lambda: told(d)["changed"] == 1, "the first import")
    more = lines("Alpha", "Beta", "Delta")

    def cut(h):
        h.send_response(200)
        h.send_header("Content-Length", str(len(more) + 100))
        h.end_headers()
        h.wfile.write(more)
        h.close_connection = True

    def cut_chunks(h):
        h.send_response(200)
        h.send_header("Transfer-Encoding", "chunked")
        h.end_headers()
        h.wfile.write(b"%x\r\n%s\r\n" % (len(more), more))
        h.close_connection = True

    def reset(h):
        h.connection.shutdown(socket.SHUT_RDWR)
        h.close_connection = True

    many = lines(*("name%d" % n for n in range(1000)))
    rows = (
        # what, answer, what is told of it
        ("a missing list", None, "any more"),
        ("an error", lambda h: h.reply(500, b"oops"), "500"),
        ("too many requests", lambda h: h.reply(429, b""), "429"),
        ("a list cut short", cut, "fetch"),
        ("a chunked list cut short", cut_chunks, "fetch"),
        ("a connection that breaks", reset, "fetch"),
        ("a list that is too large", many, "4096 bytes"),
        ("a bomb", lambda h: h.reply(200, gzip.compress(many * 50), Content_Encoding="gzip"), "4096 bytes"),
        ("a page", b"<html>\n<body>\nSign in\n</body>\n</html>\n", "lines"),
        ("zeros", bytes(1000), "lines"),
        ("nothing", b"", "lines"),
        ("names of other hashes", b"".join(b"%08x x%d\n" % (n, n) for n in range(50)), "50 of 5"),
        ("one good list and one bad: neither", b"no list\n", "lines"),
        ("redirects without end", lambda h: h.reply(302, b"", Location="/lists/" + BINHASHES), "redirects"),
        ("a redirect to a file", lambda h: h.reply(302, b"", Location="file:///etc/passwd"), "rotocol"),
    )
    for what, answer, text in rows:
        server.put(BINTYPES, lines("TypeA", "TypeNew") if "neither" in what else lines("TypeA"))
        server.put(BINHASHES, answer)
        fails(d, what, text)
        check(not knows(d, "Delta") and not knows(d, "TypeNew", "bintypes"), "took something of", what)
        server.put(BINTYPES, lines("TypeA"))
        server.put(BINHASHES, good)
        recovers(d)
    server.put("hashes.game.txt", lambda h: h.reply(304, b""))
    fails(d, "304 to a question without a condition", "304")
    server.put("hashes.game.txt", None)
    recovers(d)
    # A slip in a long list is no bad list.
    server.put(BINHASHES, lines(*("n%d" % n for n in range(200))) + b"00000000 slip\n")
    wait_until(lambda: knows(d, "n199"), "the list with a slip")
    # Redirected, packed, with a date instead of a tag.
    server.put("moved", lambda h: h.reply(304, b"") if h.headers["If-Modified-Since"] else h.reply(
        200, gzip.compress(more), Content_Encoding="gzip", Last_Modified="Tue, 01 Sep 2026 10:00:00 GMT"))
    server.put(BINHASHES, lambda h: h.reply(302, b"", Location="/lists/moved", ETag='"of the redirect"'))
    wait_until(lambda: knows(d, "Delta"), "the list behind a redirect")
    looks(d, "unchanged", 2)
    equal(server.asked("moved")[-1], (None, "Tue, 01 Sep 2026 10:00:00 GMT"), "condition")
    # The same list again without any tag is fetched, and not imported.
    imports = told(d)["changed"]
    server.put(BINHASHES, lambda h: h.reply(200, more))
    looks(d, "unchanged", 2)
    equal(told(d)["changed"], imports, "imports of the same list")
    d.stop()
    server.close()


def changes_while_it_is_read(box):
    """A server that writes slowly and turns to another list half way; the stop does not wait for it."""
    server = Server()
    server.put(BINHASHES, lines("Alpha"))
    d = start(box, server.url)
    wait_until(lambda: told(d)["changed"] == 1, "the first import")
    gate, began = threading.Event(), threading.Event()
    a, b = (lines(*("%s%d" % (c, n) for n in range(300))) for c in "ab")
    check(len(a) == len(b), "lists of one size")

    def torn(h):
        h.send_response(200)
        h.send_header("Content-Length", str(len(a)))
        h.end_headers()
        h.wfile.write(a[: len(a) // 2 + 3])
        h.wfile.flush()
        began.set()
        gate.wait(60)
        try:
            h.wfile.write(b[len(a) // 2 + 3:] if server.good is None else a[len(a) // 2 + 3:])
        except OSError:
            pass

    server.good = None
    server.put(BINHASHES, torn)
    check(began.wait(test_daemon.DEADLINE), "no look")
    equal(told(d)["running"], True, "running")
    check(knows(d, "Alpha") and not knows(d, "a0"), "a half list was taken")
    # Half one list, half the other is a list of lines that are each right: it is what the server says, and harmless.
    gate.set()
    wait_until(lambda: knows(d, "a0"), "the list")
    check(knows(d, "b299") and not knows(d, "a299"), "names")
    gate.clear()
    began.clear()
    check(began.wait(test_daemon.DEADLINE), "no further look")
    d.stop()  # exit code 0 while the server is silent
    gate.set()
    check(b"unclean" not in box.log_text(), "an unclean stop")
    server.close()


def takes_lists_from_a_folder(box):
    folder = os.path.join(box.root, "lists")
    os.mkdir(folder)

    def put(name, data):
        with open(os.path.join(folder, name + ".part"), "wb") as f:
            f.write(data)
        os.rename(os.path.join(folder, name + ".part"), os.path.join(folder, name))

    d = start(box, folder, "--names-max=65536")
    fails(d, "an empty folder", "hashes.<table>.txt")
    put(BINHASHES, lines("Alpha"))
    put(BINTYPES + ".0", lines("TypeA"))
    put(BINTYPES + ".1", lines("TypeB"))
    put("README.md", b"not a list")
    wait_until(lambda: told(d)["changed"] == 1, "the first import")
    recovers(d)
    check(knows(d, "Alpha") and knows(d, "TypeA", "bintypes") and knows(d, "TypeB", "bintypes"), "names")
    looks(d, "unchanged", 2)
    os.utime(os.path.join(folder, BINHASHES))  # looks other, is the same
    looks(d, "unchanged", 2)
    equal(told(d)["changed"], 1, "imports")
    for what, data, text in (("garbage", os.urandom(3000), "lines"), ("nothing", b"", "lines"), ("too large", lines("x") * 9000, "65536 bytes")):
        put(BINTYPES + ".1", lines("TypeC"))
        put(BINHASHES, data)
        fails(d, what, text)
        check(not knows(d, "TypeC", "bintypes"), "took the good list beside", what)
        put(BINTYPES + ".1", lines("TypeB"))
        put(BINHASHES, lines("Alpha", what))
        recovers(d)
        wait_until(lambda: knows(d, what), "the mended list")
    os.unlink(os.path.join(folder, BINHASHES))
    fails(d, "a list that is gone", "any more")
    os.mkfifo(os.path.join(folder, BINHASHES))  # nobody ever writes to it
    fails(d, "a pipe", "is no file")
    os.unlink(os.path.join(folder, BINHASHES))
    os.rename(folder, folder + ".away")
    fails(d, "a folder that is gone", "")
    os.rename(folder + ".away", folder)
    put(BINHASHES, lines("Alpha", "Omega"))
    wait_until(lambda: knows(d, "Omega"), "the folder that is back")
    recovers(d)
    d.stop()


def written_while_it_is_read(box):
    """A list that somebody appends to all the time is not taken before it lies still; what is taken are whole lines."""
    folder = os.path.join(box.root, "lists")
    os.mkdir(folder)
    path = os.path.join(folder, BINHASHES)
    over = threading.Event()

    def write():
        n = 0
        with open(path, "wb", buffering=0) as f:
            while not over.is_set():
                f.write(lines(*("w%d" % k for k in range(n, n + 2000))))
                n += 2000
                if n > 200000:
                    f.seek(0)
                    f.truncate()
                    n = 0
            f.write(lines("The end"))

    writer = threading.Thread(target=write)
    writer.start()
    d = start(box, folder)
    wait_until(lambda: told(d)["failed"] + told(d)["changed"] >= 2, "looks")
    over.set()
    writer.join()
    wait_until(lambda: knows(d, "The end"), "the whole list")
    recovers(d)
    d.stop()


def keeps_the_disks_reserve(box):
    """Nothing is fetched or imported while the disk's reserve is touched, from the start on; what was due follows when there is room again."""
    free = os.path.join(box.steer, "disk-free")  # of 1,000,000,000 bytes, of which 5 % are the reserve
    reserve = ("--disk-reserve=2g", "--disk-reserve-percent=5")

    def set_free(bytes_, state):
        with open(free + ".new", "w") as f:
            f.write(str(bytes_))
        os.rename(free + ".new", free)
        wait_until(lambda: d is None or d.get("/v1/status").json()["disk"] == {"free": bytes_, "reserve": 50000000, "state": state}, state)

    server = Server()
    server.put(BINHASHES, lines("Alpha"))
    d = None
    set_free(49999999, "short")
    d = start(box, server.url, *reserve)
    wait_until(lambda: told(d)["waiting"], "the look at the start to wait")
    equal(d.get("/v1/status").json()["disk"]["state"], "short", "the disk at the start")
    for bytes_ in (49999998, 49999997):  # two more looks at the disk, a second apart, as looks at the lists would be
        set_free(bytes_, "short")
    equal((server.seen, told(d)["waiting"], told(d)["failed"]), ([], True, 0), "questions while there is no room")
    set_free(60000000, "kept")
    wait_until(lambda: knows(d, "Alpha"), "the list when there is room")
    equal((told(d)["waiting"], told(d)["failed"]), (False, 0), "then")
    # In force already, and touched between two looks.
    set_free(49999999, "short")
    wait_until(lambda: told(d)["waiting"], "the next look to wait")
    asked = len(server.seen)
    server.put(BINHASHES, lines("Alpha", "Beta"))
    set_free(49999998, "short")
    set_free(49999997, "short")
    equal((len(server.seen), knows(d, "Beta"), told(d)["changed"]), (asked, False, 1), "looks while there is no room")
    set_free(60000000, "kept")
    wait_until(lambda: knows(d, "Beta"), "the list when there is room again")
    # Touched while a list is being fetched: it is not taken over, and asked for again.
    began, gate = threading.Event(), threading.Event()

    def slowly(h):
        began.set()
        gate.wait(60)
        h.reply(200, lines("Alpha", "Beta", "Gamma"))

    server.put(BINHASHES, slowly)
    check(began.wait(test_daemon.DEADLINE), "no look")
    set_free(49999999, "short")
    gate.set()
    wait_until(lambda: told(d)["waiting"], "the end of the look")
    equal((told(d)["failed"], told(d)["changed"], knows(d, "Gamma")), (1, 2, False), "a list that came without room")
    check("reserve" in told(d)["error"], told(d))
    set_free(60000000, "kept")
    wait_until(lambda: knows(d, "Gamma"), "the list when there is room once more")
    recovers(d)
    d.stop()
    # A folder, in the same way.
    folder = os.path.join(box.root, "lists")
    os.mkdir(folder)
    with open(os.path.join(folder, BINHASHES), "wb") as f:
        f.write(lines("Delta"))
    d = None
    set_free(49999999, "short")
    d = start(box, folder, *reserve)
    wait_until(lambda: told(d)["waiting"], "the look at the folder to wait")
    equal((told(d)["failed"], knows(d, "Delta")), (0, False), "a folder without room")
    set_free(60000000, "kept")
    wait_until(lambda: knows(d, "Delta"), "the folder's list when there is room")
    d.stop()
    server.close()


def settings_are_checked(box):
    run = lambda *flags: test_daemon.subprocess.run(
        [test_daemon.REAL, "--game", box.game, "--data", box.data, "--check-config"] + list(flags),
        stdout=test_daemon.subprocess.DEVNULL, stderr=test_daemon.subprocess.PIPE)
    equal(run("--names-source=https://example.org/lists").returncode, 0, "a good one")
    for bad in ("ftp://example.org/", "https://user:secret@example.org/", "https://example.org/?a=b", "file:///etc"):
        r = run("--names-source=" + bad)
        equal(r.returncode, 2, bad)
        check(b"names-source" in r.stderr and b"secret" not in r.stderr, r.stderr)
    for flag in ("--names-refresh=sometimes", "--rescan=25:00", "--names-max=1"):
        r = run(flag)
        equal(r.returncode, 2, flag)
    check(not os.path.exists(box.data), "a check made something")


def hangup_changes_the_source(box):
    """SIGHUP: on, elsewhere, off; unsound settings change nothing."""
    folder = os.path.join(box.root, "lists")
    os.mkdir(folder)
    with open(os.path.join(folder, BINHASHES), "wb") as f:
        f.write(lines("Alpha"))
    config = os.path.join(box.root, "config")

    def write(*settings):
        with open(config + ".new", "w") as f:
            f.write("".join(s + "\n" for s in settings))
        os.rename(config + ".new", config)

    def hang_up(d, message=b"settings read again"):
        before = box.log_text().count(message)
        d.signal(signal.SIGHUP)
        wait_until(lambda: box.log_text().count(message) > before, message)

    write("names-jitter = 0", "names-refresh = off")
    d = Daemon(box, "--config=" + config)
    equal(told(d)["source"], "off", "source")
    write("names-jitter = 0", "names-refresh = off", "names-source = " + folder)
    hang_up(d)
    wait_until(lambda: told(d)["changed"] == 1, "the import")
    hang_up(d)  # looks again, whatever the schedule says
    wait_until(lambda: told(d)["unchanged"] == 1, "another look")
    write("names-source = ftp://127.0.0.1/")
    hang_up(d, b"settings stay as they were")
    equal(told(d)["source"], "folder", "source")
    server = Server()
    server.put(BINHASHES, lines("Beta"))
    write("names-jitter = 0", "names-refresh = off", "names-source = " + server.url)
    hang_up(d)
    wait_until(lambda: told(d)["changed"] == 2, "the import from the server")
    check(knows(d, "Alpha") and knows(d, "Beta"), "names")
    write("names-jitter = 0")
    hang_up(d)
    equal(told(d)["source"], "off", "source")
    asked = len(server.seen)
    d.get("/v1/status")
    equal(len(server.seen), asked, "questions when it is off")
    d.stop()
    server.close()


TESTS = [v for k, v in list(globals().items())
         if callable(v) and getattr(v, "__code__", None) and v.__module__ == __name__ and v.__code__.co_varnames[:1] == ("box",)
         and v.__code__.co_argcount == 1]

if __name__ == "__main__":
    sys.exit(test_daemon.main(TESTS))
