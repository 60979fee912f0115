"""End to end: patches. The game folder is changed by wad_edit.py while the daemon runs.

usage: test_patches.py RIFTBAKED_TEST RIFTBAKED RIFTBAKE WRITE_DEMO [NAME...]
"""

import ctypes
import datetime
import gzip
import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
import struct
import sys
import threading
import time

try:
    import zstandard
    from wad_edit import Wad, path_hash
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(77)
import test_daemon
from test_daemon import REAL, Box, Daemon, check, equal, expected_glb, wait_until

BRAMBLE = "DATA/FINAL/Champions/Bramble.wad.client"
SHACO = "DATA/FINAL/Champions/Shaco.wad.client"
QUICK = ("--patch-settle=1", "--rescan=off")
TEXTURE2 = "ASSETS/Characters/Bramble/Skins/Skin02/Bramble_Arms_TX_CM.tex"


def own_game(box):
    """A copy that the test may change."""
    game = os.path.join(box.root, "game")
    shutil.copytree(box.game, game)
    box.original = box.game
    box.game = game
    return game


def archive(box, name=BRAMBLE):
    return Wad(os.path.join(box.game, name))


def touch_texture(box, path=TEXTURE2):
    """Another picture of the same size: its last byte is a texel's."""
    wad = archive(box)
    data = bytearray(wad.get(path))
    data[-1] ^= 0xFF
    wad.set(path, bytes(data))
    wad.save()


def state(d):
    doc = d.get("/readyz").json()
    return doc["game"], doc["converting"]


def mounts(box):
    return box.log_text().count(b'"msg":"game mounted"')


def patches(box):
    return box.log_text().count(b'"msg":"patch"')


def takes_over_what_was_replaced(box):
    own_game(box)
    d = Daemon(box, *QUICK, program=REAL)
    url = "/v1/skins/9001002.glb"
    old = d.get(url)
    equal(old.status, 200, "status")
    equal(state(d), ("ready", True), "state")
    touch_texture(box)
    wait_until(lambda: patches(box) == 1, "patch")
    equal(state(d), ("ready", True), "state after the patch")
    new = wait_until(lambda: (lambda r: r if "stale" not in r.headers["cache-status"] else None)(d.get(url)), "the new one")
    check(new.headers["etag"] != old.headers["etag"], "the same ETag")
    check(new.body != old.body, "the same bytes")
    d.stop()
    # The same state again is no patch, and nothing is converted before the first request.
    before = patches(box)
    d = Daemon(box, *QUICK, program=REAL)
    equal(state(d), ("ready", True), "state after the restart")
    equal(d.get(url).headers["etag"], new.headers["etag"], "ETag after the restart")
    equal(d.get("/readyz").json()["conversions"], 0, "conversions after the restart")
    equal(patches(box), before, "patches after the restart")
    d.stop()


def waits_until_the_folder_lies_still(box):
    """An archive written in place, slowly, its table first: it is not taken over before its last byte is there."""
    own_game(box)
    d = Daemon(box, *QUICK, "--serve-wait=1", program=REAL)
    url = "/v1/skins/9001002.glb"
    old = d.get(url)
    wad = archive(box)
    wad.set(TEXTURE2, bytes(wad.get(TEXTURE2))[:-1] + b"\x5a")
    data = wad.bytes()
    with open(wad.path, "r+b", buffering=0) as f:
        f.write(data[: len(data) // 2])
        f.truncate(len(data))  # the rest is zeros: right size, wrong bytes
        wait_until(lambda: b"not whole yet" in box.log_text(), "look at the half")
        equal(state(d)[0], "settling", "state")
        for skin in (9001001, 9001002, 9001003):
            r = d.get("/v1/skins/%d.glb" % skin)
            if skin == 9001002:
                equal((r.status, r.headers["etag"]), (200, old.headers["etag"]), "old one meanwhile")
            else:
                equal(r.status, 503, "one that was never made")
                check(int(r.headers["retry-after"]) >= 1, "Retry-After")
        equal(patches(box), 0, "patches")
        f.write(data[len(data) // 2:])
    wait_until(lambda: patches(box) == 1, "patch")
    new = wait_until(lambda: (lambda r: r if "stale" not in r.headers["cache-status"] else None)(d.get(url)), "the new one")
    check(new.headers["etag"] != old.headers["etag"], "the same ETag")
    for skin in (9001001, 9001003):
        r = wait_until(lambda: (lambda r: r if r.status == 200 else None)(d.get("/v1/skins/%d.glb" % skin)), "skin %d" % skin)
        equal(r.status, 200, "status of %d" % skin)
    d.stop()


def metric(d, name):
    return float(re.search(r"^%s (\S+)$" % name, d.get("/metrics").body.decode(), re.M).group(1))


def an_archive_never_lies_still(box):
    """It is waited for, and after the patience said so: once in the log, with its name in /readyz, and in the metrics for as long as it lasts."""
    own_game(box)
    d = Daemon(box, *QUICK, "--patch-patience=3", program=REAL)
    equal((metric(d, "riftbake_game_unready_seconds"), "why" in d.get("/readyz").json()), (0, False), "before it")
    data = archive(box).bytes()
    done = threading.Event()

    def write():
        n = 0
        while not done.wait(0.2):
            n += 1
            with open(os.path.join(box.game, BRAMBLE), "r+b") as f:
                f.seek(len(data))
                f.write(b"x" * n)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        wait_until(lambda: b"does not lie still" in box.log_text(), "a word in the log")
        told = d.get("/readyz").json()
        equal((told["game"], told["why"]["file"], told["why"]["detail"]), ("settling", BRAMBLE, "is being written"), "why")
        check(metric(d, "riftbake_game_unready_seconds") >= 3, "for how long")
        time.sleep(3)  # looks go on
        equal(box.log_text().count(b"does not lie still"), 1, "words in the log")
        equal(patches(box), 0, "patches")
    finally:
        done.set()
        writer.join()
    wait_until(lambda: state(d) == ("ready", True), "recovery by itself")
    equal((metric(d, "riftbake_game_unready_seconds"), "why" in d.get("/readyz").json()), (0, False), "after it")
    d.stop()


def is_patient_for_a_while_only(box):
    """What is damaged and stays so: truncated, empty, no archive at all, of an unknown version."""
    own_game(box)
    d = Daemon(box, *QUICK, "--patch-patience=2", program=REAL)
    equal(d.get("/v1/skins/35008.glb").status, 200, "status")
    path = os.path.join(box.game, SHACO)
    with open(path, "rb") as f:
        whole = f.read()
    for n, damaged in enumerate((whole[: len(whole) // 2], b"", b"no archive", b"RW\x09\x04" + whole[4:], whole[:300])):
        with open(path + ".part", "wb") as f:
            f.write(damaged)
        os.rename(path + ".part", path)
        wait_until(lambda: patches(box) == 2 * n + 1, "patch of damage %d" % n)
        r = d.get("/v1/skins/35008.glb")
        if n == 0:  # some files are cut off: the old GLB is served
            equal(r.status, 200, "a damaged skin")
        else:
            equal(r.status, 404, "a skin whose archive is gone, damage %d" % n)
            told = d.get("/v1/patches/%d" % (2 * n + 2)).json()
            equal([(c["archive"], c["change"], c["added"], c["changed"], c["renamed"], c["removed"] > 0) for c in told["changes"]],
                  [(SHACO, "changed", 0, 0, 0, True)], "damage %d: it is there, without its files" % n)
            equal([(u["format"], u["what"], u["archives"]) for u in told["unsupported"]],
                  [("wad", "archive version 9.4, not 1 to 3", 1)] if n == 3 else [], "damage %d: versions" % n)
        equal(d.get("/v1/skins/9001001.glb").status, 200, "a skin of another archive")
        with open(path + ".part", "wb") as f:
            f.write(whole)
        os.rename(path + ".part", path)
        wait_until(lambda: patches(box) == 2 * n + 2, "patch of the mended one, %d" % n)
        equal(d.get("/v1/skins/35008.glb").status, 200, "status, mended")
    d.stop()


def archives_come_and_go(box):
    own_game(box)
    d = Daemon(box, *QUICK, program=REAL)
    path = os.path.join(box.game, SHACO)
    equal(d.get("/v1/skins/35008").status, 200, "status")
    os.rename(path, path + ".away")
    wait_until(lambda: d.get("/v1/skins/35008").status == 404, "the archive's skin gone")
    os.rename(path + ".away", path)
    wait_until(lambda: d.get("/v1/skins/35008").status == 200, "the archive's skin back")
    # A second champion folder that did not exist before is looked into, too.
    folder = os.path.join(box.game, "DATA/FINAL/New")
    os.mkdir(folder)
    shutil.copy(path, os.path.join(folder, "Shaco.wad.client"))
    before = patches(box)
    wait_until(lambda: patches(box) == before + 1, "patch of the new folder")
    shutil.rmtree(folder)
    wait_until(lambda: patches(box) == before + 2, "patch without it")
    d.stop()


def the_folder_is_unmounted(box):
    game = own_game(box)
    d = Daemon(box, *QUICK, "--serve-wait=1", program=REAL)
    made = d.get("/v1/skins/9001001.glb")
    equal(made.status, 200, "status")
    os.rename(game, game + ".away")
    os.mkdir(game)  # as a mount point is empty without its file system
    wait_until(lambda: state(d) == ("missing", False), "state: missing")
    for _ in range(3):
        r = d.get("/v1/skins/9001001.glb")
        equal((r.status, r.headers["etag"]), (200, made.headers["etag"]), "what was made")
    r = d.get("/v1/skins/9001002.glb")
    equal(r.status, 503, "what was not")
    check(int(r.headers["retry-after"]) >= 1, "Retry-After")
    equal(d.get("/livez").status, 200, "alive")
    os.rmdir(game)
    os.rename(game + ".away", game)
    wait_until(lambda: state(d) == ("ready", True), "recovery by itself")
    wait_until(lambda: d.get("/v1/skins/9001002.glb").status == 200, "the one that waited")
    equal(patches(box), 0, "patches")
    d.stop()


def what_cannot_be_opened_is_not_gone(box):
    game = own_game(box)
    d = Daemon(box, *QUICK, "--patch-patience=1", program=REAL)
    made = d.get("/v1/skins/9001002.glb")
    equal(made.status, 200, "status")
    path = os.path.join(game, BRAMBLE)
    os.link(path, path + ".away")
    os.symlink("nowhere", path + ".link")
    os.rename(path + ".link", path)  # at no moment without an entry
    wait_until(lambda: state(d)[0] == "settling", "state: settling")
    wait_until(lambda: b"cannot be opened" in box.log_text(), "a word in the log")
    why = d.get("/readyz").json()["why"]
    equal((why["file"], "cannot be opened" in why["detail"]), (BRAMBLE, True), why)
    equal(metric(d, "riftbake_game_hidden"), 1, "hidden archives")
    for _ in range(30):  # longer than its patience, which is for files that are there and not whole
        time.sleep(0.1)
        r = d.get("/v1/skins/9001002.glb")
        equal((r.status, r.headers["etag"], r.headers["cache-status"]), (200, made.headers["etag"], "riftbake; hit"), "what was made")
        equal(d.get("/v1/skins/9001002").status, 200, "the skin")
    equal(patches(box), 0, "patches")
    os.rename(path + ".away", path)
    wait_until(lambda: state(d) == ("ready", True), "recovery by itself")
    equal((patches(box), metric(d, "riftbake_game_hidden")), (0, 0), "patches, hidden archives")
    os.unlink(path)
    wait_until(lambda: patches(box) == 1, "a patch without the archive")
    equal([(c["archive"], c["change"]) for c in d.get("/v1/patches/2").json()["changes"]], [(BRAMBLE, "removed")], "its changes")
    d.stop()


def a_restart_while_something_is_hidden(box):
    """A daemon that starts while an archive, or the whole folder, is out of sight takes nothing for gone: what it cannot see is not ready instead of
    unknown, what was made is still there under its hash, and it recovers by itself."""
    game = own_game(box)
    d = Daemon(box, *QUICK, program=REAL)
    made = d.get("/v1/skins/9001002.glb")
    equal(made.status, 200, "status")
    d.stop()
    path = os.path.join(game, BRAMBLE)
    for hide, show, word in (
            (lambda: (os.rename(path, path + ".away"), os.symlink("nowhere", path)), lambda: os.rename(path + ".away", path), "settling"),
            (lambda: (os.rename(game, game + ".away"), os.mkdir(game)), lambda: (os.rmdir(game), os.rename(game + ".away", game)), "missing"),
            (lambda: os.rename(game, game + ".away"), lambda: os.rename(game + ".away", game), "missing")):
        hide()
        d = Daemon(box, *QUICK, program=REAL)
        wait_until(lambda: state(d) == (word, False), "state: " + word)
        for method, target, body in (("GET", "/v1/skins/9001002.glb", None), ("GET", "/v1/skins/9001002", None), ("GET", "/v1/skins", None),
                                     ("GET", "/v1/champions", None), ("POST", "/v1/jobs", b'{"skin":9001002}'),
                                     ("POST", "/v1/jobs:batch", b'{"champion":"bramble"}')):
            r = d.request(method, target, body, test_daemon.JSON if body else None)
            equal((r.status, r.json()["code"], r.json()["retryable"]), (503, "not_ready", True), target)
            check(int(r.headers["retry-after"]) >= 1, "Retry-After")
        equal(d.get("/v1/artifacts/%s.glb" % made.headers["etag"].strip('"')).body, made.body, "what was made")
        show()
        wait_until(lambda: state(d) == ("ready", True), "recovery by itself")
        r = d.get("/v1/skins/9001002.glb")
        equal((r.status, r.headers["etag"], r.headers["cache-status"]), (200, made.headers["etag"], "riftbake; hit"), "after it")
        equal(d.get("/v1/skins/9001009.glb").json()["code"], "unknown_skin", "one that there is not")
        equal(d.get("/v1/patches").json()["patches"][0]["id"], 1, "patches")
        d.stop()


def a_comparison_that_fails_is_tried_again(box):
    own_game(box)
    d = Daemon(box, *QUICK, "--sweep=asked", program=REAL)
    changed, same = "/v1/skins/9001002.glb", "/v1/skins/9001001.glb"
    old = {url: d.get(url).headers["etag"] for url in (changed, same)}
    db = sqlite3.connect(os.path.join(box.data, "patches.db"), timeout=test_daemon.DEADLINE)
    with db:
        db.execute("CREATE TRIGGER broken BEFORE INSERT ON patch_skin BEGIN SELECT RAISE(ABORT, 'broken'); END")
    touch_texture(box)
    wait_until(lambda: box.log_text().count(b"artifacts were not compared") >= 3, "three failures")
    times = [datetime.datetime.fromisoformat(json.loads(line)["t"].replace("Z", "+00:00")).timestamp()
             for line in box.log_text().splitlines() if b"artifacts were not compared" in line][:3]
    check(times[1] - times[0] >= 1.9 and times[2] - times[1] >= 3.9, "pauses that grow: 2 s, 4 s", times)
    equal(patches(box), 1, "patches")
    check("stale" in d.get(same).headers["cache-status"], "nothing says that it holds")
    with db:
        db.execute("DROP TRIGGER broken")
    db.close()
    fresh = lambda url: (lambda r: r if "stale" not in r.headers["cache-status"] else None)(d.get(url))
    equal(wait_until(lambda: fresh(same), "the one that holds").headers["etag"], old[same], "what holds")
    check(wait_until(lambda: fresh(changed), "the new one").headers["etag"] != old[changed], "the same ETag")
    wait_until(lambda: d.get("/v1/patches/2").json()["sweep"] == "done", "the sweep")
    d.stop()


def two_patches_in_quick_succession(box):
    own_game(box)
    d = Daemon(box, *QUICK, program=REAL)
    url = "/v1/skins/9001002.glb"
    etags = [d.get(url).headers["etag"]]
    for texel in (0x11, 0x22):
        wad = archive(box)
        wad.set(TEXTURE2, bytes(wad.get(TEXTURE2))[:-1] + bytes([texel]))
        wad.save()
        time.sleep(0.3)
    wait_until(lambda: patches(box) >= 1, "patch")
    r = wait_until(lambda: (lambda r: r if "stale" not in r.headers["cache-status"] else None)(d.get(url)), "the new one")
    etags.append(r.headers["etag"])
    wad = archive(box)
    wad.set(TEXTURE2, bytes(wad.get(TEXTURE2))[:-1] + b"\x22")
    want = os.path.join(box.root, "want.glb")
    test_daemon.subprocess.run([test_daemon.COMMAND, "bake", "--quiet", "--game", box.game, "--skin", "9001002", "-o", want], check=True)
    with open(want, "rb") as f:
        check(f.read() == r.body, "not the GLB of the second patch")
    d.stop()


def two_contents(box):
    """Two archives that differ in the last texel of one texture, stored as it is, and in its checksum; where the table ends. The first is the game's."""
    wad = archive(box)
    texture = wad.get(TEXTURE2)
    both = []
    for texel in (b"\x11", b"\x22"):
        wad.set(TEXTURE2, texture[:-1] + texel, raw=True)
        both.append(wad.bytes())
    with open(wad.path, "wb") as f:
        f.write(both[0])
    return both[0], both[1], 272 + 32 * len(wad.entries)


def write_in_place(box, data):
    with open(os.path.join(box.game, BRAMBLE), "r+b") as f:
        f.write(data)


def baked(box, skin):
    want = os.path.join(box.root, "want.glb")
    test_daemon.subprocess.run([test_daemon.COMMAND, "bake", "--quiet", "--game", box.game, "--skin", str(skin), "-o", want], check=True)
    with open(want, "rb") as f:
        return f.read()


def fresh(d, url):
    return wait_until(lambda: (lambda r: r if r.status == 200 and "stale" not in r.headers["cache-status"] else None)(d.get(url)), "fresh " + url)


def files_are_written_before_their_table(box):
    """In place, and with a pause between: other bytes under the old table are no state of the game. Nor are they after a restart in the pause."""
    own_game(box)
    old, new, end = two_contents(box)
    d = Daemon(box, *QUICK, "--serve-wait=1", program=REAL)
    url = "/v1/skins/9001002.glb"
    before = d.get(url)
    equal(before.status, 200, "status")
    write_in_place(box, old[:end] + new[end:])
    for _ in range(2):
        wait_until(lambda: b"not whole yet" in box.log_text(), "look at the half")
        told = d.get("/readyz").json()
        equal((told["game"], told["why"]["file"]), ("settling", BRAMBLE), "state")
        equal(d.get(url).headers["etag"], before.headers["etag"], "old one meanwhile")
        equal(d.get("/v1/skins/9001003.glb").status, 503, "one that was never made")
        d.stop()
        d = Daemon(box, *QUICK, "--serve-wait=1", program=REAL)
        wait_until(lambda: "why" in d.get("/readyz").json() and d.get("/readyz").json()["why"]["detail"] != "is being written", "why, after a restart")
    equal(d.get("/v1/patches").json()["patches"][0]["id"], 1, "patches")
    write_in_place(box, new)
    wait_until(lambda: patches(box) == 1, "patch")
    check(fresh(d, url).body == baked(box, 9001002), "not the GLB of the patch")
    equal(fresh(d, "/v1/skins/9001003.glb").status, 200, "the one that was never made")
    d.stop()


def what_was_taken_unfinished_is_finished(box):
    """After the patience the bytes count and not what the table says of them: what is finished later, or damaged, under the same table is a patch."""
    own_game(box)
    old, new, end = two_contents(box)
    at = next(i for i in range(end, len(new)) if new[i] != old[i])
    half = new[:at] + b"\x33" + new[at + 1:]
    d = Daemon(box, *QUICK, "--patch-patience=2", "--canaries=0", "--sweep-pause=0", program=REAL)
    url, other = "/v1/skins/9001002.glb", "/v1/skins/9001001.glb"
    glbs, kept = [d.get(url).body], d.get(other).headers["etag"]
    newest = lambda: d.get("/v1/patches").json()["patches"][0]["id"]
    for n, (what, data) in enumerate((("unfinished", half), ("finished", new), ("damaged", half))):
        write_in_place(box, data)
        wait_until(lambda: patches(box) == 1 + n, "patch: " + what)
        glbs.append(fresh(d, url).body)
        check(glbs[-1] == baked(box, 9001002) != glbs[-2], what)
        equal([(c["archive"], c["change"], c["changed"]) for c in d.get("/v1/patches/%d" % (2 + n)).json()["changes"]], [(BRAMBLE, "changed", 1)], what)
    check(glbs[1] == glbs[3] != glbs[2], "the damaged one is the unfinished one")
    last = d.get(url).headers["etag"]
    d.stop()
    d = Daemon(box, *QUICK, program=REAL)  # of the usual patience
    equal((state(d), newest()), (("ready", True), 4), "after a restart")
    path, anew = os.path.join(box.game, BRAMBLE), lambda: box.log_text().count(b'"game mounted anew"')
    before = anew()
    for what in (lambda: os.utime(path), lambda: write_in_place(box, old[:end] + half[end:])):
        what()  # the bytes are those that are known
        wait_until(lambda: anew() == before + 1, "known damage is not waited for")
        before += 1
        equal((newest(), d.get(url).headers["etag"], d.get(other).headers["etag"]), (4, last, kept), "nothing changed")
    d.stop()


def a_restart_during_a_patch(box):
    """What lies there at the start is another state than the last one known: it is seen to lie still before anything is made from it."""
    own_game(box)
    d = Daemon(box, *QUICK, program=REAL)
    url = "/v1/skins/9001002.glb"
    old = d.get(url)
    d.kill()
    touch_texture(box)
    d = Daemon(box, "--patch-settle=2", "--rescan=off", program=REAL)
    equal(state(d), ("settling", False), "state")
    r = d.get(url)
    equal(r.headers["etag"], old.headers["etag"], "the old one")
    check("stale" in r.headers["cache-status"], r.headers["cache-status"])
    wait_until(lambda: state(d) == ("ready", True), "taking over")
    new = wait_until(lambda: (lambda r: r if "stale" not in r.headers["cache-status"] else None)(d.get(url)), "the new one")
    check(new.headers["etag"] != old.headers["etag"], "the same ETag")
    d.stop()


def a_conversion_keeps_its_files(box):
    """Steered: a conversion that runs while archives are replaced ends as it began; one whose archive is written to is made again."""
    own_game(box)
    box.order("bramble-1", "wait", "progress")
    d = Daemon(box, *QUICK)
    r = d.post({"skin": 9001001})
    job = r.json()["id"]
    wait_until(lambda: box.starts("bramble-1") == 1, "start")
    touch_texture(box)
    wait_until(lambda: patches(box) == 1, "patch")
    box.open_gate("bramble-1")
    wait_until(lambda: d.get("/v1/jobs/%d" % job).json()["state"] == "done", "end")
    equal(box.starts("bramble-1"), 1, "starts")

    box.order("shaco-8", "wait", "progress")
    job = d.post({"skin": 35008}).json()["id"]
    wait_until(lambda: box.starts("shaco-8") == 1, "start")
    path = os.path.join(box.game, BRAMBLE)
    wad = Wad(path)
    wad.set("data/new", b"new")
    with open(path, "r+b") as f:
        f.write(wad.bytes())
    box.open_gate("shaco-8")
    wait_until(lambda: b"written to during a conversion" in box.log_text(), "notice")
    wait_until(lambda: d.get("/v1/jobs/%d" % job).json()["state"] == "done", "end")
    equal(box.starts("shaco-8"), 2, "starts")
    check(d.get("/v1/skins/35008.glb").body == expected_glb(8), "bytes")
    equal(d.get("/v1/jobs/%d" % job).json()["attempt"], 1, "attempts that count")
    d.stop()


def the_clock_goes_back(box):
    """By a year and more: what was made is served, a patch is taken over, the newest is what is served, what failed for the system's reasons starts again."""
    own_game(box)

    def set_clock(seconds):
        with open(os.path.join(box.steer, "clock.new"), "w") as f:
            f.write(str(seconds))
        os.rename(os.path.join(box.steer, "clock.new"), os.path.join(box.steer, "clock"))

    set_clock(400 * 86400)
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0")
    url = "/v1/skins/9001002.glb"
    old = d.get(url)
    equal(old.status, 200, "status")
    box.order("shaco-8", "fail IO")
    job = d.post({"skin": 35008}).json()["id"]
    wait_until(lambda: box.starts("shaco-8") == 1 and d.get("/v1/jobs/%d" % job).json()["state"] == "queued", "the pause before the second start")
    set_clock(0)
    box.order("shaco-8")
    wait_until(lambda: d.get("/v1/jobs/%d" % job).json()["state"] == "done", "the second start")
    equal(d.get(url, {"If-None-Match": old.headers["etag"]}).status, 304, "the old one, as asked before")
    # A steered conversion reads no file, so its GLBs hold for every patch: what is seen is that it comes, and what it says of itself.
    touch_texture(box)
    wait_until(lambda: patches(box) == 1, "patch")
    box.order("bramble-1", "size 2000")
    made = d.get("/v1/skins/9001001.glb")
    equal((made.status, len(made.body)), (200, 2000), "one that is new")
    told = d.get("/v1/patches").json()["patches"]
    check(told[0]["id"] == 2 and told[0]["taken"] < told[1]["taken"], "times", told)
    d.stop()
    # From the day ahead again, and back by half of it at the start: the same, and nothing is made twice.
    set_clock(-400 * 86400)
    before = box.starts()
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0")
    for skin, etag in ((9001002, old), (9001001, made)):
        equal(d.get("/v1/skins/%d.glb" % skin).headers["etag"], etag.headers["etag"], "ETag of %d" % skin)
    equal(box.starts(), before, "conversions")
    d.stop()
    check(b"unclean" not in box.log_text(), "an unclean stop")


def looks_by_the_schedule(box):
    """Without file events, as on a network's file system: they are not asked for here, the folder is a link that is turned."""
    own_game(box)
    link = os.path.join(box.root, "link")
    other = os.path.join(box.root, "second")
    shutil.copytree(box.game, other)
    os.symlink(box.game, link)
    d = Daemon(box, "--patch-settle=1", "--rescan=1", "--rescan-jitter=0", program=REAL, game=link)
    old = d.get("/v1/skins/9001002.glb")
    box.game = other
    touch_texture(box)
    os.symlink(other, link + ".new")
    os.rename(link + ".new", link)
    wait_until(lambda: patches(box) == 1, "patch")
    new = wait_until(lambda: (lambda r: r if "stale" not in r.headers["cache-status"] else None)(d.get("/v1/skins/9001002.glb")), "the new one")
    check(new.headers["etag"] != old.headers["etag"], "the same ETag")
    d.stop()


def stops_while_it_looks(box):
    own_game(box)
    for _ in range(3):
        d = Daemon(box, "--patch-settle=1", "--rescan=1", "--rescan-jitter=0", program=REAL)
        touch_texture(box)
        d.stop()
    check(b"unclean" not in box.log_text(), "an unclean stop")

ALL = (["shaco/%d" % n for n in (5, 7, 8, 9, 10)] + ["bramble/%d" % n for n in range(5)] +
       ["brambleseed/%d" % n for n in range(5)])
SKIN1 = "ASSETS/Characters/Bramble/Skins/Skin01/"
CLIPS = SKIN1 + "Animations/Bramble_Skin01_"
MISSING = "ASSETS/Characters/Bramble/Skins/Skin03/Bramble_Arms_TX_CM.tex"  # skin 3 names it, nobody has it
SEEDS = ["brambleseed/%d" % n for n in (0, 1, 2, 4)]  # skin 3 has the oldest kind of bin, which cannot link
SUIT = ["bramble/%d" % n for n in (1, 2, 3, 4)]  # they share one animation graph and its clips


def starts(box):
    """The conversions that began, as names of skins."""
    found = []
    for line in box.log_text().splitlines():
        doc = json.loads(line)
        if doc["msg"] == "job started":
            found.append("%s/%d" % (doc["alias"], doc["number"]))
    return found


def compared(box):
    return box.log_text().count(b'"msg":"artifacts compared with the game"')


def etags(d):
    return {skin: d.get("/v1/skins/%s.glb" % skin).headers["etag"] for skin in ALL}


def repack(wad, path):
    """The same content in other stored bytes: what a patcher's new compressor does. Its checksum differs, so it counts as changed."""
    data = wad.get(path)
    wad.entries[wad.key(path)] = (len(data), 0, 0, 0, data)


def change_rows(box):
    """What is done to the archive, and whom it concerns, worked out by hand from the synthetic game."""
    return (
        ("one texture of one chroma", lambda w: w.set(TEXTURE2, w.get(TEXTURE2)[:-1] + b"\x77"), ["bramble/2"]),
        ("one shared clip", lambda w: repack(w, CLIPS + "Wave.anm"), SUIT),
        ("one linked bin", lambda w: repack(w, "DATA/Brambleseed_Patch.bin"), SEEDS),
        ("a texture that was missing", lambda w: w.set(MISSING, w.get(TEXTURE2)), ["bramble/3"]),
        ("a clip that is gone, B054", lambda w: w.remove(CLIPS + "Laugh.anm"), SUIT),
        ("a file that nobody looked for", lambda w: w.set("assets/unknown", b"!"), []),
    )


def makes_exactly_what_changed(box):
    own_game(box)
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0", program=REAL)
    before = box.first = etags(d)
    for n, (what, change, want) in enumerate(change_rows(box)):
        done = len(starts(box))
        wad = archive(box)
        change(wad)
        wad.save()
        wait_until(lambda: patches(box) == n + 1, "patch: " + what)
        wait_until(lambda: len(starts(box)) - done >= len(want), "conversions: " + what)
        wait_until(lambda: d.get("/readyz").json()["running"] == 0, "end of the sweep")
        after = etags(d)
        equal(sorted(starts(box)[done:]), sorted(want), "made again after " + what)
        for skin in ALL:
            if skin not in want:
                equal(after[skin], before[skin], "ETag of %s after %s" % (skin, what))
            status = d.get("/v1/skins/%s.glb" % skin).headers["cache-status"]
            equal(status, "riftbake; hit", "Cache-Status of %s after %s" % (skin, what))
        if what.startswith("one texture"):
            check(after["bramble/2"] != before["bramble/2"], "the same ETag after", what)
        if what == "one shared clip":
            equal(after, before, "ETags, as the clip itself is the same")
        before = after
    # A restart under the same game makes nothing.
    done = len(starts(box))
    d.stop()
    d = Daemon(box, *QUICK, program=REAL)
    equal(etags(d), before, "ETags after a restart")
    equal(starts(box)[done:], [], "conversions after a restart")
    # The patch is taken back while the daemon is down: the old GLBs hold again.
    d.stop()
    shutil.copy(os.path.join(box.original, BRAMBLE), os.path.join(box.game, BRAMBLE))
    d = Daemon(box, *QUICK, program=REAL)
    wait_until(lambda: state(d) == ("ready", True), "taking over")
    equal(etags(d)["bramble/2"], box.first["bramble/2"], "ETag of the first state")
    equal(starts(box)[done:], [], "conversions after the way back")
    d.stop()


def makes_exactly_what_changed_in_a_real_game(box):
    """The real files, changed here, against the command line: those skins are made again whose GLB is another one, and no more."""
    corpus = os.environ.get("RIFT_CORPUS") or os.path.join(os.environ["RIFT_SOURCE_DIR"], "..", "shared", "corpus")
    if not os.path.isdir(os.path.join(corpus, "game")):
        print("     no corpus: skipped")
        return
    box.game = os.path.join(corpus, "game")
    own_game(box)
    (name,) = [os.path.relpath(os.path.join(folder, n), box.game) for folder, _, names in os.walk(box.game) for n in names]

    def bake_all(ids):
        made = {}
        for skin in ids:
            out = os.path.join(box.root, "out.glb")
            done = test_daemon.subprocess.run([test_daemon.COMMAND, "bake", "--quiet", "--game", box.game, "--skin", str(skin),
                                               "--clips", "none", "-o", out], stderr=test_daemon.subprocess.DEVNULL)
            if done.returncode == 0:  # the corpus has not every skin's files
                with open(out, "rb") as f:
                    made[skin] = f.read()
        return made

    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0", program=REAL)
    ids = [s["id"] for s in d.get("/v1/skins?limit=1000").json()["skins"]]
    old = bake_all(ids)
    ids = list(old)
    url = "/v1/skins/%d.glb?clips=none"
    for skin in ids:
        check(d.get(url % skin).body == old[skin], "the daemon's GLB is not the command's", skin)
    used = {}  # textures by the skins whose parts wear them
    for skin in ids:
        for part in d.get("/v1/skins/%d" % skin).json()["parts"]:
            if part.get("texture") and part.get("visible"):
                text = part["texture"].lower()
                used.setdefault(int(text, 16) if len(text) == 16 and "." not in text else path_hash(text), set()).add(skin)
    wad = archive(box, name)
    raw = lambda s: s in wad and wad.entries[s][1] & 15 in (0, 3)
    one = min(s for s in used if raw(s) and len(used[s]) == 1)
    several = [s for s in sorted(used) if raw(s) and len(used[s]) > 1][:1]
    for n, path in enumerate([one] + several):
        done = len(starts(box))
        wad = archive(box, name)
        data = wad.get(path)
        wad.set(path, data[:-64] + bytes(b ^ 0x5A for b in data[-64:]))  # the largest picture's last blocks
        wad.save()
        new = bake_all(ids)
        want = sorted(s for s in ids if new[s] != old[s])
        check(want, "the change cannot be seen")
        wait_until(lambda: patches(box) == n + 1, "patch")
        wait_until(lambda: len(starts(box)) - done >= len(want), "conversions", 120)
        wait_until(lambda: d.get("/readyz").json()["running"] == 0, "end of the sweep")
        again = sorted(int(name.rsplit("/", 1)[1]) for name in starts(box)[done:])
        equal(again, [s % 1000 for s in want], "made again")
        for skin in ids:
            r = d.get(url % skin)
            check(r.body == new[skin] and "stale" not in r.headers["cache-status"], "GLB of", skin)
        old = new
    d.stop()


def bin_links(data):
    """The paths that a bin of version 2 or later links, from formats/bin.md."""
    check(data[:4] == b"PROP", "no plain bin")
    version, count = struct.unpack_from("<II", data, 4)
    at, links = 12, []
    for _ in range(count if version >= 2 else 0):
        (size,) = struct.unpack_from("<H", data, at)
        links.append(data[at + 2:at + 2 + size].decode())
        at += 2 + size
    return links


def linked_bins(wad, skin):
    """All bins that a skin's own leads to, itself included, as hashes; links that lead nowhere as well."""
    found, todo = set(), [path_hash("data/characters/yasuo/skins/skin%d.bin" % skin)]
    while todo:
        key = todo.pop()
        if key not in found:
            found.add(key)
            todo += [path_hash(link) for link in bin_links(wad.get(key))] if key in wad else []
    return found


def five_changes_in_a_real_game(box):
    """As above, with clips: a shared clip, a linked bin, a texture that goes and one that comes where it was missing, a clip that goes. Who is concerned say the bins' own
    links, read here, and for what can be seen the command line, before and after."""
    corpus = os.environ.get("RIFT_CORPUS") or os.path.join(os.environ["RIFT_SOURCE_DIR"], "..", "shared", "corpus")
    if not os.path.isdir(os.path.join(corpus, "game")):
        print("     no corpus: skipped")
        return
    box.game = os.path.join(corpus, "game")
    own_game(box)
    (name,) = [os.path.relpath(os.path.join(folder, n), box.game) for folder, _, names in os.walk(box.game) for n in names]

    def bake(skin):
        out = os.path.join(box.root, "%d.glb" % skin)
        done = test_daemon.subprocess.run([test_daemon.COMMAND, "bake", "--quiet", "--game", box.game, "--skin", str(skin), "--clips", "idle", "-o", out],
                                          stderr=test_daemon.subprocess.DEVNULL)
        equal(done.returncode, 0, "bake of %d" % skin)
        with open(out, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()

    def bake_all():
        with test_daemon.concurrent.futures.ThreadPoolExecutor(2) as pool:
            return dict(zip(ids, pool.map(bake, ids)))

    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0", "--serve-wait=60", program=REAL)
    url = "/v1/skins/%d.glb?clips=idle"
    ids = [s["id"] for s in d.get("/v1/skins?limit=1000").json()["skins"]]
    get = lambda skin: d.request("GET", url % skin, timeout=300)
    ids = [i for i in ids[:2] + ids[-2:] if get(i).status == 200]
    check(len(ids) >= 4, "too few skins", ids)
    tag = lambda skin: get(skin).headers["etag"].strip('"')
    seen = bake_all()
    equal({i: tag(i) for i in ids}, seen, "the daemon's GLBs and the command's")
    d.stop()
    uses = {}  # what to change is chosen from the records, whom it concerns is not
    db = sqlite3.connect(os.path.join(box.data, "riftbake.db"))
    for number, path in db.execute("SELECT number, path FROM artifact JOIN dependency ON artifact=id WHERE kind<16 AND found=1"):
        uses.setdefault(path & (1 << 64) - 1, set()).add(number)
    db.close()
    wad = archive(box, name)
    plain = {k for k, e in wad.entries.items() if e[1] & 15 in (0, 3)}
    shared = sorted((k for k in uses if k in plain and 1 < len(uses[k]) < len(ids)), key=lambda k: (len(uses[k]), k))
    of_kind = lambda keys, *magic: [k for k in keys if wad.get(k)[:4] in magic]
    clip, clip2 = of_kind(shared, b"r3d2")[:2]
    texture = of_kind(sorted(k for k in uses if k in plain and len(uses[k]) == 1), b"DDS ", b"TEX\0")[0]
    other = of_kind(sorted(k for k in uses if k in plain and k != texture and wad.get(k)[:4] == wad.get(texture)[:4]), b"DDS ", b"TEX\0")[0]
    closure = {i: linked_bins(wad, i % 1000) for i in ids}
    linked = [k for k in of_kind(shared, b"PROP") if 1 < sum(k in closure[i] for i in ids) < len(ids)][0]

    def recompress_one(w):
        size, storage, high, low, _ = w.entries[linked]
        w.set(linked, w.get(linked))
        data = zstandard.ZstdCompressor(level=1, write_checksum=True).compress(w.get(linked))
        w.entries[linked] = (len(w.get(linked)), 3, 0, 0, data)

    rows = (
        ("a shared clip", lambda w: w.set(clip, w.get(clip2)), None),
        ("a linked bin", recompress_one, sorted(i for i in ids if linked in closure[i])),
        ("a texture that goes", lambda w: w.remove(texture), None),
        ("a texture that was missing", lambda w: w.set(texture, w.get(other)), None),
        ("a clip that goes", lambda w: w.remove(clip2), None),
    )
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0", "--serve-wait=60", program=REAL)
    for n, (what, change, want) in enumerate(rows):
        done = len(starts(box))
        wad = archive(box, name)
        change(wad)
        wad.save()
        wait_until(lambda: patches(box) == n + 1, "patch: " + what)
        if want is None:
            now = bake_all()
            want = sorted(i for i in ids if now[i] != seen[i])
            check(want, "cannot be seen:", what)
            seen = now
        wait_until(lambda: len(starts(box)) - done >= len(want), "conversions: " + what, 600)
        wait_until(lambda: d.get("/v1/patches/%d" % (n + 2)).json()["sweep"] == "done", "end of the sweep", 600)
        again = sorted(int(s.rsplit("/", 1)[1]) for s in starts(box)[done:])
        equal(again, [i % 1000 for i in want], "made again after " + what)
        equal({i: tag(i) for i in ids}, seen, "GLBs after " + what)
    d.stop()


def other_names_concern_whom_they_name(box):
    """B196: at first there are no lists, and every skin converts. Then they are imported while the daemon runs: a skin is made again exactly when the tables say something else of what it asked."""
    own_game(box)
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0", program=REAL)

    def take(*names):
        turns = compared(box)
        text = "".join("%016x %s\n" % (path_hash(n), n) for n in names).encode()
        r = d.request("POST", "/v1/hashes/game", text, {"Content-Type": "text/plain"})
        equal((r.status, r.json()["new"]), (200, len(names)), "import")
        wait_until(lambda: compared(box) > turns, "comparison")
        wait_until(lambda: d.get("/v1/patches/1").json()["sweep"] == "done", "end of the sweep")

    etags(d)
    take("assets/first")  # takes in what the files themselves spell, which concerns many
    before = etags(d)
    rows = (
        # what the list names, who asked for it, whose GLB says it
        ("assets/nobody/asked.tex", [], []),
        ("assets/shared/materials/black.tex", ["bramble/0"], []),  # of a sampler that is not drawn; no file spells it so
        (TEXTURE2.lower(), ["bramble/2"], ["bramble/2"]),  # its bin holds the hash alone
    )
    for name, want, other in rows:
        done = len(starts(box))
        take(name)
        equal(sorted(starts(box)[done:]), want, "made again after " + name)
        after = etags(d)
        equal([s for s in ALL if after[s] != before[s]], other, "other ETags after " + name)
        for skin in ALL:
            equal(d.get("/v1/skins/%s.glb" % skin).headers["cache-status"], "riftbake; hit", skin)
        before = after
    told = [(s["alias"], s["number"], s["state"]) for s in d.get("/v1/patches/1/skins").json()["skins"] if s["reason"] == "names"]
    check(("bramble", 2, "made") in told, told)
    done = len(starts(box))
    d.stop()
    d = Daemon(box, *QUICK, program=REAL)
    equal(etags(d), before, "ETags after a restart")
    # Names that come while nobody runs.
    d.stop()
    test_daemon.subprocess.run([test_daemon.COMMAND, "hashes", "import", "game", "/dev/stdin", "--data", box.data, "--quiet"], check=True,
                               input=b"%016x assets/nobody/asked/either.tex\n" % path_hash("assets/nobody/asked/either.tex"))
    d = Daemon(box, *QUICK, program=REAL)
    equal(etags(d), before, "ETags after an import")
    equal(starts(box)[done:], [], "conversions after an import")
    d.stop()


def a_sweep_goes_on_after_kill(box):
    """Steered conversions: the first one hangs, the daemon is killed, the next run makes all of them, each once more at most."""
    own_game(box)
    skins = ["bramble-%d" % n for n in (1, 2, 3, 4)]
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0", program=REAL)
    for skin in SUIT:
        equal(d.get("/v1/skins/%s.glb" % skin).status, 200, "status of " + skin)
    for n in (0, 1, 2):
        done = len(starts(box))
        wad = archive(box)
        wad.set(CLIPS + "Wave.anm", wad.get(CLIPS + "Wave.anm") + bytes(n + 1))
        wad.save()
        wait_until(lambda: len(starts(box)) > done + n, "start %d of the sweep" % n)
        d.kill()
        d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0", program=REAL)
        wait_until(lambda: set(starts(box)[done:]) == set(SUIT), "the rest")
        wait_until(lambda: d.get("/readyz").json()["running"] == 0, "end")
        check(len(starts(box)) - done <= len(SUIT) + 1, "more than one was made twice:", starts(box)[done:])
        for skin in SUIT:
            equal(d.get("/v1/skins/%s.glb" % skin).headers["cache-status"], "riftbake; hit", skin)
    d.stop()


def a_canary_halts_the_sweep(box):
    """A clip is gone: the first skin that is made again warns of it, and the others stay as they were."""
    own_game(box)
    d = Daemon(box, *QUICK, "--canaries=1", "--sweep-pause=0", program=REAL)
    old = {skin: d.get("/v1/skins/%s.glb" % skin).headers["etag"] for skin in SUIT}
    wad = archive(box)
    wad.remove(CLIPS + "Laugh.anm")
    wad.save()
    wait_until(lambda: b"halted by a canary" in box.log_text(), "halt")
    done = len(starts(box))
    equal(done, len(SUIT) + 1, "conversions")
    d.stop()
    d = Daemon(box, *QUICK, "--canaries=1", "--sweep-pause=0", program=REAL)
    time.sleep(1)
    equal(len(starts(box)), done, "conversions after a restart")
    stale = [skin for skin in SUIT if "stale" in d.get("/v1/skins/%s.glb" % skin).headers["cache-status"]]
    equal(len(stale), len(SUIT) - 1, "skins that are served as they were")
    told = d.get("/v1/patches/2").json()
    equal((told["sweep"], told["skins"]["waiting"], told["skins"]["made"], told["skins"]["newly_warning"]), ("halted", 3, 1, 1), "report")
    # Who asks for a job gets it. Had a GET begun one, it would have started before.
    job = d.post({"skin": stale[-1]}).json()["id"]
    wait_until(lambda: d.get("/v1/jobs/%d" % job).json()["state"] == "done", "the job")
    equal(len(starts(box)), done + 1, "conversions while it is halted")
    check("bramble/" in told["halted"], told["halted"])
    check("\nriftbake_sweep_halted 1\n" in d.get("/metrics").body.decode(), "the alert's metric")
    equal([s["canary"] for s in told["troubled"]], [True], "troubled")
    equal(d.request("POST", "/v1/patches/2/resume").status, 200, "resume")
    wait_until(lambda: d.get("/v1/patches/2").json()["sweep"] == "done", "the rest")
    check("\nriftbake_sweep_halted 0\n" in d.get("/metrics").body.decode(), "the metric afterwards")
    equal(len(starts(box)), done + 3, "conversions after it went on")
    d.stop()


def recompress(wad):
    """Other stored bytes, each entry stored as it was and with the content it had, but that raw textures get another last texel, and raw clips a last number that differs in its last bit."""
    for key, (size, storage, high, low, stored) in wad.entries.items():
        if storage & 15 == 3:
            data = zstandard.ZstdCompressor(level=1, write_checksum=True).compress(wad.get(key))
            wad.entries[key] = (size, storage, high, low, data)
        elif storage & 15 == 1:
            wad.entries[key] = (size, storage, high, low, gzip.compress(gzip.decompress(stored), mtime=1))
        elif storage & 15 == 0 and stored[:4] == b"DDS ":
            wad.entries[key] = (size, storage, high, low, stored[:-1] + bytes([stored[-1] ^ 1]))
        elif storage & 15 == 0 and stored[:9] == b"r3d2anmd\3":
            wad.entries[key] = (size, storage, high, low, stored[:-4] + bytes([stored[-4] ^ 1]) + stored[-3:])


def canaries_show_every_format(box):
    """By hand, of what the synthetic game's skins have, in their order (all as stale, so the last used first):

    bramble/0      bin 3, skn 4, skl 0, anm 3 4 5, compressed 1 2 3 and one more, tex 10 12 13 14 20, five kinds of dds; wad 1 and 3.4, gzip, zstd   first: the most
    shaco/7        bin 1, skn 1, skl 1 (old); wad 3.1, raw                               second: as much that is new as shaco/5, and used later
    shaco/5        bin 2, skn 2, skl 2 (old)                                             third: three that are new
    brambleseed/3  bin 1, skn 0, an older skl                                            fourth: two
    brambleseed/4  bin 2, a patch bin, skn 1                                             fifth: the patch bin; it was used after all others with one
    bramble/2      a texture stored in chunks, as bramble/1 has, which was used before   sixth: now everything is shown
    brambleseed/2  nothing that is new: of each champion one before the next of any      seventh: two of each so far, this one was used last
    bramble/4      the same                                                              eighth
    """
    want = ["bramble/0", "bramble/2", "bramble/4", "brambleseed/2", "brambleseed/3", "brambleseed/4", "shaco/5", "shaco/7"]
    own_game(box)
    d = Daemon(box, *QUICK, "--canaries=8", "--sweep-pause=0", program=REAL)
    before = etags(d)
    d.stop()
    for name in (BRAMBLE, SHACO):
        wad = archive(box, name)
        recompress(wad)
        wad.save()
    done = len(starts(box))
    d = Daemon(box, *QUICK, "--canaries=8", "--sweep-pause=0", program=REAL)
    wait_until(lambda: state(d) == ("ready", True), "taking over")
    wait_until(lambda: d.get("/v1/patches/2").json()["sweep"] == "done", "the sweep")
    feed = d.get("/v1/patches/2/skins").json()["skins"]
    equal(sorted("%s/%d" % (s["alias"], s["number"]) for s in feed), sorted(ALL), "stale")
    equal(sorted("%s/%d" % (s["alias"], s["number"]) for s in feed if s["canary"]), want, "canaries")
    equal(sorted(starts(box)[done:][:8]), want, "made first")
    for skin, etag in etags(d).items():
        check(etag == before[skin] or skin.startswith("shaco"), "ETag of", skin, "though its content is the same")
    d.stop()


def sweeps_all(box):
    """--sweep=all: skins that nobody asked for are made, after what is stale; once, also over restarts; nothing under --sweep=off."""
    own_game(box)
    d = Daemon(box, *QUICK, "--sweep=off", "--sweep-pause=0", "--canaries=0", program=REAL)
    d.get("/v1/skins/bramble/2.glb")
    skins = sorted("%s/%d" % (s["champion"]["alias"], s["number"]) for s in d.get("/v1/skins?limit=1000").json()["skins"])
    touch_texture(box)
    wait_until(lambda: patches(box) == 1, "patch")
    wait_until(lambda: d.get("/v1/patches/2").json()["skins"]["waiting"] == 1, "the stale one")
    d.stop()
    equal(starts(box), ["bramble/2"], "conversions without a sweep")
    d = Daemon(box, *QUICK, "--sweep=all", "--sweep-pause=0", "--canaries=0", program=REAL)
    wait_until(lambda: len(starts(box)) >= 1 + len(skins), "all of them")
    wait_until(lambda: d.get("/readyz").json()["running"] == 0, "the end")
    equal(starts(box)[1], "bramble/2", "the stale one first")
    equal(sorted(starts(box)[1:]), skins, "made")
    failing = []
    for skin in skins:
        r = d.get("/v1/skins/%s.glb" % skin)
        check(r.status == 422 or (r.status, r.headers["cache-status"]) == (200, "riftbake; hit"), skin, r.status)
        failing += [skin] if r.status == 422 else []
    equal(failing, ["shaco/6"], "skins that cannot be made")
    told = d.get("/v1/patches/2").json()
    equal([(s["alias"], s["number"], s["reason"], s["state"], s["failed_before"], "before" in s) for s in told["troubled"]],
          [("shaco", 6, "never", "failed", False, False)], "told")
    equal((told["skins"]["made"], told["skins"]["failed"], told["skins"]["newly_failing"]), (1, 1, 1), "counts")
    done = len(starts(box))
    d.kill()
    d = Daemon(box, *QUICK, "--sweep=all", "--sweep-pause=0", "--canaries=0", program=REAL)
    touch_texture(box)
    wait_until(lambda: patches(box) == 2, "another patch")
    wait_until(lambda: len(starts(box)) > done, "the stale one")
    wait_until(lambda: d.get("/v1/patches/3").json()["sweep"] == "done", "end")
    wait_until(lambda: d.get("/readyz").json()["running"] == 0, "the end")
    wait_until(lambda: len(starts(box)) >= done + 2, "what failed under the last patch")
    equal(starts(box)[done:], ["bramble/2"] + failing, "made after a restart and a patch")
    d.stop()


def sweeps_all_with_the_operators_defaults(box):
    """--sweep=all makes what who says nothing gets. Another default is no patch: nothing is stale, and the new form of all is made."""
    own_game(box)
    flags = (*QUICK, "--sweep=all", "--sweep-pause=0", "--canaries=0")

    def fresh(d):
        return [s["id"] for s in d.get("/v1/skins?limit=1000").json()["skins"] if s["state"] == "fresh"]

    settings = os.path.join(box.root, "settings")
    with open(settings, "w") as f:
        f.write("default-texture = none\n")
    d = Daemon(box, *flags, "--config", settings)
    skins = len(d.get("/v1/skins?limit=1000").json()["skins"])
    wait_until(lambda: len(fresh(d)) == skins, "all of them")
    jobs = d.get("/v1/jobs?limit=1000").json()["jobs"]
    equal({j["options"] for j in jobs}, {"texture=none"}, "options")
    equal(len(jobs), skins, "jobs")
    # By SIGHUP, and by a restart.
    with open(settings, "w") as f:
        f.write("default-texture = jpeg\n")
    d.signal(signal.SIGHUP)
    wait_until(lambda: d.get("/v1/skins").json()["defaults"] == "texture=jpeg" and len(fresh(d)) == skins, "all of them, after SIGHUP")
    d.stop()
    d = Daemon(box, *flags, "--default-texture=webp")
    wait_until(lambda: len(fresh(d)) == skins, "all of them, after a restart")
    equal(patches(box), 0, "patches")
    equal(d.get("/v1/patches/1").json()["troubled"], [], "skins in trouble")
    jobs = d.get("/v1/jobs?limit=1000").json()["jobs"]
    equal([sum(j["options"] == "texture=" + t for j in jobs) for t in ("none", "jpeg", "webp")], [skins] * 3, "jobs")
    for text in ("none", "jpeg", "webp"):
        r = d.get("/v1/skins/9001001.glb?texture=" + text)
        equal((r.status, r.headers["cache-status"]), (200, "riftbake; hit"), text)
    d.stop()


def a_sweep_of_all_is_cancelled(box):
    """For good: also over a restart. Resumed it goes on."""
    own_game(box)
    d = Daemon(box, *QUICK, "--sweep=all", "--sweep-pause=1000", "--canaries=0", program=REAL)
    skins = len(d.get("/v1/skins?limit=1000").json()["skins"])
    wait_until(lambda: len(starts(box)) >= 1, "the first")
    equal(d.request("POST", "/v1/patches/1/cancel").status, 200, "cancel")
    d.stop()
    done = len(starts(box))
    check(done < skins, "all were made before it was cancelled:", done)
    d = Daemon(box, *QUICK, "--sweep=all", "--sweep-pause=0", "--canaries=0", program=REAL)
    for _ in range(20):  # a sweep without pauses makes all of them in that time
        time.sleep(0.1)
        equal(len(starts(box)), done, "conversions after it was cancelled")
    equal(d.request("POST", "/v1/patches/1/resume").status, 200, "resume")
    wait_until(lambda: len(starts(box)) >= skins, "the rest")
    d.stop()


def a_full_disk_pauses_the_sweep(box):
    """No room in the middle of a sweep, then less than the reserve: nothing fails, the old ones are served, and it goes on by itself."""
    own_game(box)
    open(os.path.join(box.steer, "real"), "w").close()
    full, free = os.path.join(box.steer, "disk-full"), os.path.join(box.steer, "disk-free")
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=300", "--inline-max=0", "--disk-reserve=1m")
    for skin in SUIT:
        equal(d.get("/v1/skins/%s.glb" % skin).status, 200, "status of " + skin)

    def patch(n):
        wad = archive(box)
        data = bytearray(wad.get(CLIPS + "Wave.anm"))
        data[-n] ^= 1
        wad.set(CLIPS + "Wave.anm", bytes(data))
        wad.save()

    def is_done(n):
        told = d.get("/v1/patches/%d" % n).json()
        if told["sweep"] != "done":
            return False
        equal((told["skins"]["made"], told["skins"]["failed"], "halted" in told), (len(SUIT), 0, False), "report")
        return True

    done = len(starts(box))
    patch(1)
    wait_until(lambda: len(starts(box)) == done + 1, "the first of the sweep")
    open(full, "w").close()
    wait_until(lambda: d.post({"skin": "shaco/8"}).status in (503, 507), "a refusal")
    time.sleep(2)
    check(d.get("/v1/patches/2").json()["skins"]["made"] < len(SUIT), "made without room")
    for skin in SUIT:
        equal(d.get("/v1/skins/%s.glb" % skin).status, 200, "status of " + skin)
    os.unlink(full)
    wait_until(lambda: is_done(2), "the rest", 120)
    # What is there is pinned, so that nothing makes room for who asks below.
    other = sqlite3.connect(os.path.join(box.data, "riftbake.db"), timeout=test_daemon.DEADLINE)
    with other:
        other.execute("UPDATE artifact SET pinned=1")
    other.close()
    with open(free, "w") as f:
        f.write("1000")
    wait_until(lambda: d.get("/v1/status").json()["disk"]["state"] != "kept", "the reserve to be touched")
    done = len(starts(box))
    patch(2)
    wait_until(lambda: d.get("/v1/patches/3").status == 200, "the next patch")
    time.sleep(2)
    equal(len(starts(box)), done, "conversions without room")
    for skin in SUIT:
        check("stale" in d.get("/v1/skins/%s.glb" % skin).headers["cache-status"], skin)
    os.unlink(free)
    wait_until(lambda: is_done(3), "the sweep", 120)
    equal(len(starts(box)), done + len(SUIT), "conversions")
    d.stop()


def reports_patches(box):
    own_game(box)
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=60000", program=REAL)
    first = d.get("/v1/patches").json()
    equal([p["id"] for p in first["patches"]], [1], "patches")
    equal(first["patches"][0]["version"], "16.18.0+demo", "version")
    old = {skin: d.get("/v1/skins/%s.glb" % skin).headers["etag"] for skin in SUIT}
    wad = archive(box)
    wad.set(TEXTURE2, wad.get(TEXTURE2)[:-1] + b"\x41")
    repack(wad, CLIPS + "Wave.anm")
    wad.entries[wad.key("assets/moved")] = wad.entries.pop(wad.key(CLIPS + "Dance_Drop.anm"))
    wad.set(MISSING, wad.get(TEXTURE2))
    wad.save()
    wait_until(lambda: len(d.get("/v1/patches").json()["patches"]) == 2, "the patch")
    wait_until(lambda: d.get("/v1/patches/2").json()["skins"]["made"] == 1, "the first skin")
    told = d.get("/v1/patches/2").json()
    equal(told["changes"], [{"archive": BRAMBLE, "change": "changed", "added": 1, "removed": 0, "changed": 2, "renamed": 1}], "changes")
    equal((told["unreadable"], told["unknown_versions"], told["kept"]), (1, 0, 0), "counts")
    equal((told["skins"]["waiting"], told["sweep"]), (3, "running"), "sweep")
    r = d.get("/v1/patches/2/skins")
    feed = r.json()
    equal([(s["alias"], s["number"], s["reason"]) for s in feed["skins"]], [("bramble", n, "files") for n in (1, 2, 3, 4)], "feed")
    equal({"bramble/%d" % s["number"]: s["before"] for s in feed["skins"]}, old, "ETags before")
    made = [s for s in feed["skins"] if s["state"] == "made"]
    glb = d.get("/v1/artifacts/%s.glb" % made[0]["after"].strip('"')).body
    equal(([s["bytes"] for s in made], told["made_bytes"]), ([len(glb)], len(glb)), "bytes made")
    equal([s["changed"] for s in feed["skins"]], [2, 3, 3, 2], "changed files: the wave and the dance, and a texture each of two")
    equal([(s["appeared"], s["vanished"]) for s in feed["skins"]], [(0, 1), (0, 1), (1, 1), (0, 1)], "a texture was looked for in vain, the dance is not there")
    equal(d.get("/v1/patches/2/skins", {"If-None-Match": r.headers["etag"]}).status, 304, "the same feed")
    page = d.get("/v1/patches/2/skins?limit=3").json()
    equal((len(page["skins"]), page["next"]), (3, 3), "page")
    equal([s["number"] for s in d.get("/v1/patches/2/skins?limit=3&after=3").json()["skins"]], [4], "next page")
    out = test_daemon.subprocess.run([test_daemon.COMMAND, "patches", "2", "--json", "--server", "http://%s:%d" % d.address],
                                     stdout=test_daemon.subprocess.PIPE, check=True).stdout
    equal(json.loads(out)["changes"], told["changes"], "the command's")
    test_daemon.subprocess.run([test_daemon.COMMAND, "patches", "cancel", "2", "--quiet", "--server", "http://%s:%d" % d.address],
                               stdout=test_daemon.subprocess.PIPE, check=True)
    told = d.get("/v1/patches/2").json()
    equal((told["skins"]["given_up"], told["sweep"]), (3, "done"), "cancelled")
    equal(d.request("POST", "/v1/patches:scan").status, 202, "scan")
    for path, status in (("/v1/patches/9", 404), ("/v1/patches/0", 400), ("/v1/patches/x", 400), ("/v1/patches/2/skins?limit=0", 400),
                         ("/v1/patches?nonsense=1", 400), ("/v1/patches/9/skins", 404), ("/v1/patches/2/cancel", 405)):
        equal(d.get(path).status, status, path)
    d.stop()


def of_unknown_version(wad, mesh):
    data = bytearray(wad.get(mesh))
    data[4] = 9
    wad.set(mesh, bytes(data))


def tells_what_fails_anew(box):
    """A mesh of a version that nobody knows, in an archive of one: counted and told, the old GLB is served, and the next patch mends it."""
    own_game(box)
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0", program=REAL)
    url = "/v1/skins/%s.glb"
    old = {skin: d.get(url % skin).headers["etag"] for skin in SUIT}
    mesh = SKIN1 + "Bramble_Skin01.skn"
    wad = archive(box)
    check(mesh in wad, "no such mesh:", mesh)
    wad.head = wad.head[:3] + b"\x07" + wad.head[4:]  # 3.7, laid out as 3.4
    of_unknown_version(wad, mesh)
    wad.save()
    wait_until(lambda: patches(box) == 1, "patch")
    wait_until(lambda: d.get("/v1/patches/2").json()["sweep"] == "done", "the sweep")
    told = d.get("/v1/patches/2").json()
    equal(told["unknown_versions"], 1, "archives of an unknown version")
    failed = [(s["alias"], s["number"], s["state"], s["error"]["code"]) for s in told["troubled"]]
    check(("bramble", 1, "failed", "unsupported") in failed, failed)
    unread = len([f for f in failed if f[3] == "unsupported"])
    equal(told["skins"]["unsupported"], unread, "skins with files of an unknown version")
    equal(told["unsupported"], [{"format": "skn", "what": "version 9.1", "archives": 0, "skins": unread, "files": unread},
                                {"format": "wad", "what": "version 3.7", "archives": 1, "skins": 0, "files": 0}], "by format and version")
    equal((told["skins"]["failed"], told["skins"]["newly_failing"], told["skins"]["waiting"]), (len(failed), len(failed), 0), "counts")
    for skin in SUIT:
        r = d.get(url % skin)
        equal((r.status, r.headers["etag"]), (200, old[skin]), "the old GLB of " + skin)
        equal("stale" in r.headers["cache-status"], ("bramble", int(skin[-1]), "failed", "unsupported") in failed, "stale: " + skin)
    shutil.copy(os.path.join(box.original, BRAMBLE), wad.path + ".part")
    os.rename(wad.path + ".part", wad.path)
    wait_until(lambda: patches(box) == 2, "the patch that mends it")
    wait_until(lambda: d.get("/v1/patches/3").json()["sweep"] == "done", "the sweep")
    told = d.get("/v1/patches/3").json()
    equal((told["unknown_versions"], told["skins"]["unsupported"], told["skins"]["failed"], told["troubled"], told["unsupported"]), (0, 0, 0, [], []), "after it")
    for skin in SUIT:
        r = d.get(url % skin)
        equal((r.headers["etag"], r.headers["cache-status"]), (old[skin], "riftbake; hit"), skin)
    d.stop()


def files_of_unknown_versions(box):
    """A clip and a texture are left out of the GLB, and counted by format and version where the patch and the skin's report tell of what nobody knows."""
    own_game(box)
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0", program=REAL)
    for skin in (9001001, 9001002):
        equal(d.get("/v1/skins/%d.glb" % skin).status, 200, "status")
        told = d.get("/v1/skins/%d/report" % skin).json()
        equal((told["counts"]["unsupported"], "unsupported" in told), (0, False), "before it")
    wad = archive(box)
    clip = bytearray(wad.get(CLIPS + "Wave.anm"))
    equal(bytes(clip[:8]), b"r3d2canm", "magic of a compressed clip")
    clip[8] = 9  # the version
    wad.set(CLIPS + "Wave.anm", bytes(clip))
    texture = bytearray(wad.get(TEXTURE2))
    equal(bytes(texture[:4]), b"TEX\0", "magic of a texture")
    texture[9] = 99  # the format, after magic, width, height and a byte
    wad.set(TEXTURE2, bytes(texture))
    wad.save()
    wait_until(lambda: patches(box) == 1, "patch")
    wait_until(lambda: d.get("/v1/patches/2").json()["sweep"] == "done", "the sweep")
    told = d.get("/v1/patches/2").json()
    equal((told["skins"]["made"], told["skins"]["failed"], told["skins"]["unsupported"]), (2, 0, 2), "counts")
    equal([(s["number"], s["state"], s["unsupported"]) for s in told["troubled"]], [(1, "made", 1), (2, "made", 2)], "told: both have the clip")
    check("clip_skipped" in told["troubled"][0]["warnings"], "the remark")
    anm, tex = {"format": "anm", "what": "compressed version 9"}, {"format": "tex", "what": "format 99 is unknown"}
    equal(told["unsupported"], [dict(anm, archives=0, skins=2, files=2), dict(tex, archives=0, skins=1, files=1)], "by format and version")
    for skin, variants in ((9001001, [anm]), (9001002, [anm, tex])):
        told = d.get("/v1/skins/%d/report" % skin).json()
        equal((told["counts"]["unsupported"], told["unsupported"]), (len(variants), [dict(v, count=1) for v in variants]), "the skin's report")
    d.stop()


def a_failure_halts_once(box):
    """What a canary failed with for one patch is no news of the next, which finds it as it was."""
    own_game(box)
    d = Daemon(box, *QUICK, "--canaries=20", "--sweep-pause=0", program=REAL)
    for skin in SUIT:
        d.get("/v1/skins/%s.glb" % skin)
    mesh = SKIN1 + "Bramble_Skin01.skn"
    wad = archive(box)
    of_unknown_version(wad, mesh)
    wad.save()
    wait_until(lambda: patches(box) == 1, "patch")
    wait_until(lambda: d.get("/v1/patches/2").json()["sweep"] == "halted", "the halt")
    equal(d.request("POST", "/v1/patches/2/resume").status, 200, "resume")
    wait_until(lambda: d.get("/v1/patches/2").json()["sweep"] == "done", "the sweep, which was let go on once")
    equal(box.log_text().count(b"halted by a canary"), 1, "halts")
    touch_texture(box)
    wait_until(lambda: patches(box) == 2, "the next patch")
    wait_until(lambda: d.get("/v1/patches/3").json()["sweep"] == "done", "its sweep")
    told = d.get("/v1/patches/3").json()
    check("halted" not in told, told)
    trouble = {s["number"]: s["failed_before"] for s in told["troubled"]}
    check(trouble.get(1) is True, told["troubled"])
    equal((told["skins"]["failed"], told["skins"]["newly_failing"]), (len(trouble), 0), "counts")
    equal(box.log_text().count(b"halted by a canary"), 1, "halts")
    d.stop()


def requests_make_what_no_sweep_makes(box):
    """--sweep=off: a report counts what requests made of the stale skins, and failed to make, and is done with the last of them. The same for
    what a cancelled sweep gave up."""
    own_game(box)
    d = Daemon(box, *QUICK, "--sweep=off", program=REAL)
    for skin in (1, 4):
        d.get("/v1/skins/bramble/%d.glb" % skin)
    wad = archive(box)
    mesh = wad.get(SKIN1 + "Bramble_Skin01.skn")
    of_unknown_version(wad, SKIN1 + "Bramble_Skin01.skn")
    repack(wad, CLIPS + "Wave.anm")
    wad.save()
    told = lambda: d.get("/v1/patches/2").json()
    make = lambda skin: d.post({"skin": skin}, {"Prefer": "wait=60"}).json()
    wait_until(lambda: patches(box) == 1, "patch")
    wait_until(lambda: told()["skins"]["waiting"] == 2, "the stale ones")
    equal(told()["sweep"], "running", "before anybody asked")
    size = len(d.get(make(9001004)["result"]["url"]).body)
    wait_until(lambda: told()["skins"]["made"] == 1, "the first")
    equal((told()["sweep"], told()["skins"]["waiting"], told()["made_bytes"]), ("running", 1, size), "half of it")
    equal(make(9001001)["code"], "unsupported", "the second")
    wait_until(lambda: told()["sweep"] == "done", "the end")
    equal((told()["skins"]["failed"], told()["skins"]["unsupported"], told()["skins"]["newly_failing"]), (1, 1, 1), "failed")
    make("shaco/7")
    equal([s["number"] for s in d.get("/v1/patches/2/skins").json()["skins"]], [1, 4], "one that was not stale")
    d.stop()
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=60000", program=REAL)
    wad.set(SKIN1 + "Bramble_Skin01.skn", mesh)
    del wad.entries[wad.key(CLIPS + "Dance_Drop.anm")]
    wad.save()
    told = lambda: d.get("/v1/patches/3").json()
    wait_until(lambda: patches(box) == 2, "the next patch")
    wait_until(lambda: told()["skins"]["made"] == 1, "the first skin of the sweep")
    equal(d.request("POST", "/v1/patches/3/cancel").status, 200, "cancel")
    [given_up] = [s["number"] for s in d.get("/v1/patches/3/skins").json()["skins"] if s["state"] == "given_up"]
    make(9001000 + given_up)
    wait_until(lambda: told()["skins"]["made"] == 2, "told")
    equal(told()["skins"]["given_up"], 0, "given up")
    d.stop()


def requests_are_ahead_of_the_sweep(box):
    """What a request makes while the sweep pauses, or is halted, is told at once; a canary is the sweep's to judge."""
    own_game(box)
    d = Daemon(box, *QUICK, program=REAL)
    for skin in (1, 2, 4):
        d.get("/v1/skins/bramble/%d.glb" % skin)
    d.stop()
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=60000", program=REAL)
    wad = archive(box)
    repack(wad, CLIPS + "Wave.anm")
    wad.save()
    told = lambda n: d.get("/v1/patches/%d" % n).json()
    make = lambda skin: d.post({"skin": skin}, {"Prefer": "wait=60"}).json()
    wait_until(lambda: patches(box) == 1, "patch")
    wait_until(lambda: told(2)["skins"]["made"] == 1, "the first skin of the sweep")
    for skin in d.get("/v1/patches/2/skins").json()["skins"]:
        make(9001000 + skin["number"])
    wait_until(lambda: told(2)["sweep"] == "done", "all of them, long before their turn")
    count = len(d.get("/v1/patches/2/skins").json()["skins"])
    check(count >= 2, "stale skins")
    equal((told(2)["skins"]["made"], told(2)["skins"]["waiting"]), (count, 0), "counts")
    d.stop()
    d = Daemon(box, *QUICK, "--canaries=1", "--sweep-pause=0", program=REAL)
    wad.remove(CLIPS + "Wave.anm")  # remarked on, so that the canary halts
    wad.save()
    wait_until(lambda: patches(box) == 2, "patch")
    wait_until(lambda: told(3)["sweep"] == "halted", "the halt")
    left = [s["number"] for s in d.get("/v1/patches/3/skins").json()["skins"] if s["state"] == "waiting"]
    check(len(left) >= 1, "left by the canary")
    for n, number in enumerate(left):
        equal(told(3)["skins"]["waiting"], len(left) - n, "waiting")
        make(9001000 + number)
        wait_until(lambda: told(3)["skins"]["waiting"] == len(left) - n - 1, "told, though it is halted")
    equal(told(3)["sweep"], "done", "the sweep")
    d.stop()


def a_version_that_comes_late(box):
    """The archives of a patch were taken before the file that names it was there."""
    game = own_game(box)
    d = Daemon(box, *QUICK, "--sweep=off", program=REAL)
    etag = d.get("/v1/skins/9001001.glb").headers["etag"]
    touch_texture(box)
    wait_until(lambda: patches(box) == 1, "patch")
    path = os.path.join(game, "content-metadata.json")
    with open(path) as f:
        text = f.read()
    check("16.18" in text, text)
    with open(path + ".part", "w") as f:
        f.write(text.replace("16.18", "16.19"))
    os.rename(path + ".part", path)
    wait_until(lambda: d.get("/v1/patches/2").json()["version"] == "16.19.0+demo", "the version")
    equal([(p["id"], p["version"]) for p in d.get("/v1/patches").json()["patches"]], [(2, "16.19.0+demo"), (1, "16.18.0+demo")], "patches")
    r = d.get("/v1/skins/9001001.glb")
    equal((r.headers["etag"], r.headers["cache-status"]), (etag, "riftbake; hit"), "what holds")
    d.stop()


def a_log_grows_in_the_folder(box):
    """A file that is written all the time and is no archive hides no patch."""
    game = own_game(box)
    d = Daemon(box, *QUICK, program=REAL)
    over = threading.Event()

    def write():
        with open(os.path.join(game, "DATA", "FINAL", "log.txt"), "a") as f:
            while not over.wait(0.05):
                f.write("a line\n")
                f.flush()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        touch_texture(box)
        wait_until(lambda: patches(box) == 1, "patch")
        equal(state(d), ("ready", True), "state")
    finally:
        over.set()
        writer.join()
    d.stop()


class Reads:
    """Counts reads of files by inotify, whatever else the machine does."""

    ACCESS, NONBLOCK = 1, os.O_NONBLOCK

    def __init__(self, paths):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(self.NONBLOCK)
        self.names = {libc.inotify_add_watch(self.fd, os.fsencode(p), self.ACCESS): p for p in paths}
        check(self.fd >= 0 and -1 not in self.names, "inotify", ctypes.get_errno())
        self.counts = dict.fromkeys(paths, 0)

    def of(self, path):
        try:
            data = os.read(self.fd, 1 << 20)
        except BlockingIOError:
            data = b""
        for at in range(0, len(data), 16):  # struct inotify_event; a watched file has no name in it
            self.counts[self.names[struct.unpack_from("i", data, at)[0]]] += 1
        return self.counts[path]


def a_rescan_reads_no_archive(box):
    """Nothing changed: looks read the game's version and nothing else, so that their cost does not grow with the game."""
    game = own_game(box)
    archives = [os.path.join(d, n) for d, _, names in os.walk(game) for n in names if ".wad" in n]
    version = os.path.join(game, "content-metadata.json")
    d = Daemon(box, "--patch-settle=1", "--rescan=1", "--rescan-jitter=0", program=REAL)
    equal(state(d), ("ready", True), "state")
    reads = Reads(archives + [version])
    wait_until(lambda: reads.of(version) >= 3, "looks")
    equal({a: reads.of(a) for a in archives}, dict.fromkeys(archives, 0), "reads of archives")
    etags(d)
    check(reads.of(archive(box).path) > 0, "no reads of the archive that skins were made from")
    d.stop()


def lands_under_load(box):
    """B207: a patch lands while everybody reads. Clients that ask all the time see the old ETag, then the new one, nothing else and no error; every body is what its ETag says."""
    own_game(box)
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0", program=REAL)
    url = "/v1/skins/9001002.glb"
    seen, errors, over = [], [], threading.Event()
    d.get(url)

    def client():
        mine = []
        while not over.is_set():
            try:
                r = d.get(url)
                if r.status != 200 or '"%s"' % hashlib.sha256(r.body).hexdigest() != r.headers["etag"]:
                    errors.append((r.status, r.headers.get("etag")))
                elif not mine or mine[-1] != r.headers["etag"]:
                    mine.append(r.headers["etag"])
            except OSError as e:
                errors.append(repr(e))
        seen.append(mine)

    threads = [threading.Thread(target=client, daemon=True) for _ in range(8)]  # a failure does not wait for them
    for t in threads:
        t.start()
    touch_texture(box)
    wait_until(lambda: patches(box) == 1, "patch")
    wait_until(lambda: starts(box).count("bramble/2") == 2, "the second conversion")
    wait_until(lambda: "stale" not in d.get(url).headers["cache-status"], "the new one")
    time.sleep(0.5)
    over.set()
    for t in threads:
        t.join()
    equal(errors, [], "errors")
    equal(len(seen), 8, "clients")
    for mine in seen:
        equal(mine, seen[0], "ETags in order")
        equal(len(mine), 2, "ETags")
    equal(len(starts(box)), 2, "conversions")
    d.stop()


WRK = '''
local folder, first, n = os.getenv("RIFT_WRK_OUT"), {}, 0
local paths = {"/v1/skins/9001002.glb", "/v1/skins/9001001.glb", "/v1/skins/9001002.glb?content=rig"}
bad, seen = 0, 0
request = function()
    n = n + 1
    return wrk.format("GET", paths[n % #paths + 1])
end
response = function(status, headers, body)
    local tag = headers["ETag"]
    seen = seen + 1
    if status ~= 200 or not tag then
        bad = bad + 1
    elseif not first[tag] then
        first[tag] = body
        local f = io.open(folder .. "/" .. tag:gsub('"', ""), "wb")
        f:write(body)
        f:close()
    elseif first[tag] ~= body then
        bad = bad + 1
    end
end
local threads = {}
setup = function(thread) table.insert(threads, thread) end
done = function()
    for _, t in ipairs(threads) do print("seen " .. t:get("seen") .. " bad " .. t:get("bad")) end
end
'''


def lands_under_load_of_wrk(box):
    """wrk keeps 16 connections busy with three GLBs while a patch lands that concerns two of them: not one answer but 200, each body is what its ETag says, and both
    ETags of the two were seen."""
    wrk = shutil.which("wrk")
    if wrk is None:
        print("     no wrk: skipped")
        return
    own_game(box)
    d = Daemon(box, *QUICK, "--canaries=0", "--sweep-pause=0", program=REAL)
    urls = ("/v1/skins/9001002.glb", "/v1/skins/9001001.glb", "/v1/skins/9001002.glb?content=rig")
    tags = {d.get(url).headers["etag"] for url in urls}
    out = os.path.join(box.root, "bodies")
    os.mkdir(out)
    with open(os.path.join(box.root, "script.lua"), "w") as f:
        f.write(WRK)
    load = test_daemon.subprocess.Popen([wrk, "-t1", "-c16", "-d120s", "-s", f.name, "http://%s:%d" % d.address], stdout=test_daemon.subprocess.PIPE,
                                        env=dict(os.environ, RIFT_WRK_OUT=out))
    wait_until(lambda: len(os.listdir(out)) == len(tags), "answers before the patch")
    touch_texture(box)
    wait_until(lambda: patches(box) == 1, "patch")
    fresh = lambda url: (lambda r: r if "stale" not in r.headers["cache-status"] else None)(d.get(url))
    tags |= {wait_until(lambda: fresh(url), "the new one").headers["etag"] for url in urls}
    wait_until(lambda: len(os.listdir(out)) >= len(tags), "answers after the patch")
    load.send_signal(test_daemon.signal.SIGINT)
    text = load.communicate(timeout=60)[0].decode()
    seen, bad = (int(w) for w in re.search(r"seen (\d+) bad (\d+)", text).groups())
    equal(bad, 0, "bad answers of %d" % seen)
    check("Non-2xx" not in text and "Socket errors" not in text, text)
    equal({'"%s"' % name for name in os.listdir(out)}, tags, "ETags")
    equal(len(tags), 5, "ETags: two that change and one that stays")
    for name in os.listdir(out):
        with open(os.path.join(out, name), "rb") as f:
            equal(hashlib.sha256(f.read()).hexdigest(), name, "a body")
    d.stop()


TESTS = [v for k, v in list(globals().items())
         if callable(v) and getattr(v, "__code__", None) and v.__module__ == __name__ and v.__code__.co_varnames[:1] == ("box",)
         and v.__code__.co_argcount == 1 and k not in ("own_game", "metric", "mounts", "patches", "starts", "compared", "change_rows", "two_contents")]

if __name__ == "__main__":
    sys.exit(test_daemon.main(TESTS))
