"""End to end: what damaged files cost. Copies of good files are damaged at random, with fixed seeds, and given to
riftbake: it may refuse them (exit 1, with a message) or take them (exit 0), and nothing else, within bounds of time
and memory. Meant above all for the build with address and undefined behaviour sanitizers.

usage: test_damage.py RIFTBAKE [PART...]

RIFT_DAMAGE_CASES  cases of each part (6 by default)
RIFT_DAMAGE_SEED   first seed (1 by default)
RIFT_DAMAGE_KEEP   folder to which the input of a failing case is copied
"""

import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time

RIFTBAKE = os.path.abspath(sys.argv[1])
SOURCE = os.environ.get("RIFT_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
CORPUS = os.environ.get("RIFT_CORPUS") or os.path.join(SOURCE, "..", "shared", "corpus")
CASES = int(os.environ.get("RIFT_DAMAGE_CASES", "6"))
FIRST = int(os.environ.get("RIFT_DAMAGE_SEED", "1"))
KEEP = os.environ.get("RIFT_DAMAGE_KEEP")
SECONDS = 120  # one run, on a busy machine, with sanitizers
MEMORY_KIB = 1536 * 1024
MARKS = (b"Sanitizer", b"runtime error", b"invariant broken", b"INTERNAL")
ENV = {**{k: v for k, v in os.environ.items() if not k.startswith("RIFT_")},
       "ASAN_OPTIONS": "exitcode=99:detect_leaks=1", "UBSAN_OPTIONS": "print_stacktrace=1", "LSAN_OPTIONS": "exitcode=99"}
PER_RUN = 10
runs = failures = 0


def read(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)
    return path


def files_below(folder):
    return sorted(os.path.join(at, n) for at, _, names in os.walk(folder) for n in names)


def flip(r, d):
    for _ in range(r.choice((1, 1, 2, 8, 64))):
        d[r.randrange(len(d))] ^= 1 << r.randrange(8)


def header_byte(r, d):
    d[r.randrange(min(len(d), 64))] = r.choice((0, 1, 0x7F, 0x80, 0xFF, r.randrange(256)))


def number(r, d):
    """A number where the format may have a count, an offset or a float."""
    value = r.choice((0, 1, 2, 0x7F, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0x7F800000,
                      0x7FC00000, 0xFF7FFFFF, len(d), len(d) + 1, len(d) - 1, r.getrandbits(32)))
    if len(d) >= 4:
        at = r.randrange(min(len(d), r.choice((64, 1024, len(d)))) // 4) * 4 if len(d) >= 8 else 0
        struct.pack_into("<I", d, at, value & 0xFFFFFFFF)


def truncate(r, d):
    del d[r.randrange(len(d)):]


def cut(r, d):
    at = r.randrange(len(d))
    del d[at:at + r.choice((1, 2, 4, 13, 100))]


def insert(r, d):
    at = r.randrange(len(d))
    d[at:at] = bytes(r.randrange(256) for _ in range(r.choice((1, 2, 4, 13))))


def repeat(r, d):
    at = r.randrange(len(d))
    d[at:at] = d[at:at + r.choice((4, 16, 100))]


def zeros(r, d):
    at = r.randrange(len(d))
    size = min(len(d) - at, r.choice((4, 16, 256)))
    d[at:at + size] = bytes((r.choice((0, 0xFF)),)) * size


DAMAGES = (flip, flip, header_byte, number, number, number, truncate, cut, insert, repeat, zeros)


def damage(r, data):
    d = bytearray(data)
    for _ in range(r.choice((1, 1, 1, 2, 4))):
        if d:
            r.choice(DAMAGES)(r, d)
    return bytes(d)


def run(*args):
    """(exit code or None, stdout, stderr, peak KiB); the code is None past the time allowed."""
    global runs
    runs += 1
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([RIFTBAKE, *args], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=ENV)
        end = time.monotonic() + SECONDS
        pid = 0
        while pid == 0 and time.monotonic() < end:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid == 0:
                time.sleep(0.003)
        if pid == 0:
            child.kill()
            pid, status, usage = os.wait4(child.pid, 0)
            status = None
        child.returncode = 0 if status is None else os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return None if status is None else child.returncode, out.read(), err.read(), usage.ru_maxrss


def what_is_wrong(code, out, err, peak, bad_is_silent=False):
    if code is None:
        return f"still running after {SECONDS} s"
    if code not in (0, 1):
        return f"exit {code}"
    if any(mark in err or mark in out for mark in MARKS):
        return "a sanitizer's or an invariant's message"
    if code == 1 and not err and not bad_is_silent:
        return "failed without a message"
    if peak > MEMORY_KIB:
        return f"took {peak} KiB"
    return None


def try_case(name, inputs, *args, check=None):
    """Runs, and keeps the inputs when something is wrong."""
    global failures
    code, out, err, peak = run(*args)
    wrong = what_is_wrong(code, out, err, peak)
    if wrong is None and check is not None:
        wrong = check(code, out)
    if wrong is None:
        return True
    failures += 1
    print(f"FAIL {name}: {wrong}\n  {' '.join(args)}\n  {err[-3000:].decode(errors='replace')}")
    if KEEP:
        for path in inputs:
            target = os.path.join(KEEP, f"{name}-{os.path.basename(path)}")
            (shutil.copytree if os.path.isdir(path) else shutil.copy)(path, target)
    return False


def is_glb(code, out):
    if code != 0:
        return "output although it failed" if out else None
    if len(out) < 20:
        return "no GLB although it succeeded"
    magic, version, length, size, kind = struct.unpack_from("<4sIII4s", out)
    if (magic, version, length, kind) != (b"glTF", 2, len(out), b"JSON"):
        return "a bad GLB header"
    json.loads(out[20:20 + size])
    return None


def inspect_part(name, work, sources):
    """Single files, some in one run; a run that goes wrong is repeated file by file to name the one."""
    for start in range(FIRST, FIRST + CASES * PER_RUN, PER_RUN):
        paths = []
        for seed in range(start, start + PER_RUN):
            r = random.Random(f"{name} {seed}")
            source = r.choice(sources)
            paths.append(write(os.path.join(work, f"{seed}-{os.path.basename(source)}"), damage(r, read(source))))
        if what_is_wrong(*run("inspect", "--full", "--json", *paths)) is not None:
            for path in paths:
                try_case(f"{name}-{os.path.basename(path)}", [path], "inspect", "--full", path)
        for path in paths:
            os.remove(path)


def seed_set(work):
    """The set of loose files that the fuzz target's seed holds."""
    data = read(os.path.join(SOURCE, "tests/fuzz/corpus/convert/graph"))
    names = {0: ["hero.skn"], 1: ["hero.skl"], 2: ["idle.anm", "run.anm"], 3: ["body.tex", "sword.tex"],
             4: ["skin0.bin"]}
    at = 1
    while at < len(data):
        kind, size = struct.unpack_from("<BH", data, at)
        write(os.path.join(work, names[kind].pop(0)), data[at + 3:at + 3 + size])
        at += 3 + size


FLAGS = {".skn": "--skn", ".skl": "--skl", ".anm": "--anm", ".tex": "--texture-file", ".dds": "--texture-file",
         ".bin": "--bin"}


def convert_part(name, work, folder, cases):
    """A set of files that belong together, some of them damaged."""
    sources = [p for p in files_below(folder) if os.path.splitext(p)[1] in FLAGS]
    for seed in range(FIRST, FIRST + cases):
        r = random.Random(f"{name} {seed}")
        case = os.path.join(work, "case")
        hurt = r.sample(sources, r.choice((1, 1, 2)))
        args = []
        for source in sources:
            data = read(source)
            copy = write(os.path.join(case, os.path.basename(source)), damage(r, data) if source in hurt else data)
            args += [FLAGS[os.path.splitext(copy)[1]], copy]
        try_case(f"{name}-{seed}", [case], "convert", "-o", "-", *args,
                 *r.choice(([], [], ["--naive"], ["--hidden", "include"], ["--content", "rig"])), check=is_glb)
        shutil.rmtree(case)


def entries_part(name, work, game):
    """A game whose archives are sound and whose files are not."""
    wads = {p: os.path.join(work, "unpacked", str(i)) for i, p in enumerate(files_below(game)) if "/Champions/" in p}
    for wad, folder in wads.items():
        run("wad", "get", wad, "--all", "-o", folder)
    for seed in range(FIRST, FIRST + CASES):
        r = random.Random(f"{name} {seed}")
        case = os.path.join(work, "case")
        shutil.copytree(game, case)
        for wad, folder in wads.items():
            packed = os.path.join(work, "packed")
            for path in files_below(folder):
                data = read(path)
                write(os.path.join(packed, os.path.basename(path)), damage(r, data) if r.random() < 0.06 else data)
            if os.path.isdir(packed):
                run("wad", "pack", packed, "-o", os.path.join(case, os.path.relpath(wad, game)))
                shutil.rmtree(packed)
        whole_game(f"{name}-{seed}", work, case, r)


def archives_part(name, work, game):
    """A game whose archives themselves are damaged."""
    for seed in range(FIRST, FIRST + CASES):
        r = random.Random(f"{name} {seed}")
        case = os.path.join(work, "case")
        shutil.copytree(game, case)
        wads = [p for p in files_below(case) if ".wad" in p]
        for path in r.sample(wads, r.choice((1, 2, 4))):
            write(path, damage(r, read(path)))
            out = os.path.join(work, "out")
            try_case(f"{name}-{seed}-ls", [path], "wad", "ls", path)
            try_case(f"{name}-{seed}-get", [path], "wad", "get", path, "--all", "-o", out)
            shutil.rmtree(out, ignore_errors=True)
        whole_game(f"{name}-{seed}", work, case, r)


def whole_game(name, work, case, r):
    out = os.path.join(work, "glbs")

    def check(code, printed):
        lines = [json.loads(line) for line in printed.splitlines()]
        if (code == 0) != (all(line["ok"] for line in lines) and len(lines) > 0):
            return "exit code and report disagree"
        for line in lines:
            glb = os.path.join(out, line["skin"].replace("/", "-") + ".glb")
            if line["ok"]:
                wrong = is_glb(0, read(glb))
                if wrong:
                    return f"{glb}: {wrong}"
            elif os.path.exists(glb):
                return f"{glb} exists although it failed"
        return None

    try_case(name, [case], "batch", "--game", case, "-o", out, "--json", check=check)
    skin = r.choice(("bramble/0", "bramble/1", "shaco/8"))
    try_case(name + "-describe", [case], "describe", "--game", case, "--skin", skin, "--json")
    shutil.rmtree(case)
    shutil.rmtree(out, ignore_errors=True)


def main():
    wanted = sys.argv[2:] or ["inspect", "convert", "entries", "archives", "corpus"]
    work = tempfile.mkdtemp(prefix="riftbake-damage-")
    try:
        game = os.path.join(work, "game")
        code, _, err, _ = run("demo-game", "--quiet", game)
        if code != 0:
            sys.exit(f"no game: {err.decode()}")
        if "inspect" in wanted:
            parts = os.path.join(work, "parts")
            for wad in files_below(game):
                if ".wad" in wad:
                    run("wad", "get", wad, "--all", "-o", parts)
            run("bake", "--game", game, "--skin", "bramble/1", "-o", os.path.join(parts, "x.glb"))
            inspect_part("inspect", os.path.join(work, "i"), files_below(parts) + [p for p in files_below(game) if ".wad" in p])
        if "convert" in wanted:
            seed_set(os.path.join(work, "set"))
            convert_part("convert", work, os.path.join(work, "set"), 4 * CASES)
        if "entries" in wanted:
            entries_part("entries", work, game)
        if "archives" in wanted:
            archives_part("archives", work, game)
        if "corpus" in wanted and os.path.isdir(CORPUS):
            inspect_part("corpus", os.path.join(work, "i"), files_below(os.path.join(CORPUS, "files")))
            convert_part("annie", work, os.path.join(CORPUS, "sets", "annie_legacy"), CASES)
    finally:
        shutil.rmtree(work)
    print(f"{runs} runs, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
