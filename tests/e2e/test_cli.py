"""End to end: every command of riftbake as a user runs it, on the synthetic game and on files made here.

usage: test_cli.py RIFTBAKE [unittest arguments]

Standard library only. Hashes and file headers are worked out here, not asked of the program under test.
"""

import http.server
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

RIFTBAKE = os.path.abspath(sys.argv.pop(1))
SOURCE = os.environ.get("RIFT_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TIMEOUT = 120
WORK = GAME = None
GOOD, BAD = "9001001", "shaco/6"  # BAD names a mesh that no archive has


def setUpModule():
    global WORK, GAME
    WORK = tempfile.mkdtemp(prefix="riftbake-cli-")
    GAME = os.path.join(WORK, "game")
    done = run("demo-game", "--quiet", GAME)
    assert done.returncode == 0, done.stderr


def tearDownModule():
    shutil.rmtree(WORK)


def run(*args, stdin=b"", env=None, **more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("RIFT_")}
    # A sanitizer's own exit code would be that of a failed conversion.
    clean.update({"ASAN_OPTIONS": "exitcode=99", "LSAN_OPTIONS": "exitcode=99", **(env or {})})
    if "stdout" not in more:
        more["stdout"] = subprocess.PIPE
    if "stderr" not in more:
        more["stderr"] = subprocess.PIPE
    return subprocess.run([RIFTBAKE, *args], input=stdin, env=clean, timeout=TIMEOUT, check=False, **more)


def fnv1a(name):
    h = 0x811C9DC5
    for c in name.lower().encode():
        h = (h ^ c) * 0x01000193 & 0xFFFFFFFF
    return h


def xxh64(data):
    """From the published description of the algorithm; seed 0."""
    p1, p2, p3, p4, p5 = (11400714785074694791, 14029467366897019727, 1609587929392839161,
                          9650029242287828579, 2870177450012600261)
    mask = (1 << 64) - 1
    rot = lambda v, n: (v << n | v >> (64 - n)) & mask
    step = lambda acc, lane: rot((acc + lane * p2) & mask, 31) * p1 & mask
    at = 0
    if len(data) >= 32:
        v = [(p1 + p2) & mask, p2, 0, -p1 & mask]
        while at + 32 <= len(data):
            lanes = struct.unpack_from("<4Q", data, at)
            v = [step(a, lane) for a, lane in zip(v, lanes)]
            at += 32
        h = (rot(v[0], 1) + rot(v[1], 7) + rot(v[2], 12) + rot(v[3], 18)) & mask
        for a in v:
            h = ((h ^ step(0, a)) * p1 + p4) & mask
    else:
        h = p5
    h = (h + len(data)) & mask
    while at + 8 <= len(data):
        h = (rot(h ^ step(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4) & mask
        at += 8
    if at + 4 <= len(data):
        h = (rot(h ^ struct.unpack_from("<I", data, at)[0] * p1 & mask, 23) * p2 + p3) & mask
        at += 4
    for c in data[at:]:
        h = rot(h ^ c * p5 & mask, 11) * p1 & mask
    h = (h ^ h >> 33) * p2 & mask
    h = (h ^ h >> 29) * p3 & mask
    return h ^ h >> 32


def path_hash(path):
    return "%016x" % xxh64(path.lower().encode())


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def write(data, *path):
    name = os.path.join(*path)
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "wb") as f:
        f.write(data)
    return name


def tree(folder):
    """{relative path: bytes} of every file below."""
    out = {}
    for at, _, files in os.walk(folder):
        for name in files:
            full = os.path.join(at, name)
            out[os.path.relpath(full, folder)] = read(full)
    return out


def glb_json(data):
    magic, version, length, size, kind = struct.unpack_from("<4sIII4s", data)
    assert (magic, version, length, kind) == (b"glTF", 2, len(data), b"JSON")
    return json.loads(data[20:20 + size])


class Case(unittest.TestCase):
    """A folder of its own, and checks that print what the program said."""

    def setUp(self):
        self.dir = tempfile.mkdtemp(dir=WORK)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def expect(self, code, *args, out=None, err=None, **more):
        done = run(*args, **more)
        said = f"{args}: exit {done.returncode}, out {done.stdout!r:.300}, err {done.stderr!r:.600}"
        self.assertEqual(done.returncode, code, said)
        for pattern, text in ((out, done.stdout), (err, done.stderr)):
            if pattern == "":
                self.assertEqual(text, b"", said)
            elif pattern is not None:
                self.assertRegex(text.decode(), pattern, said)
        return done

    def expect_json(self, code, *args, **more):
        return json.loads(self.expect(code, *args, **more).stdout)


class Usage(Case):
    COMMANDS = "bake convert batch skins describe render inspect wad hashes demo-game submit status get health"

    def test_wrong_calls_are_2_and_say_why(self):
        folder = self.path("out")
        rows = [
            ([], r"usage: riftbake COMMAND"),
            (["frobnicate"], r'no command "frobnicate"'),
            (["help", "frobnicate"], r'no command "frobnicate"'),
            (["bake"], r"missing --skin"),
            (["bake", "--skin", "1", "-o", "x"], r"missing --game"),
            (["bake", "--game", GAME, "--skin", "abc", "-o", "x"], r'"abc"'),
            (["bake", "--frob"], r"unknown flag --frob"),
            (["bake", "-z"], r"unknown flag -z"),
            (["bake", "-o"], r"--output takes a value"),
            (["bake", "--json=1"], r"--json takes no value"),
            (["bake", "--texture", "gif"], r'--texture: value "gif" .*png'),
            (["convert", "--skn", "a", "--texture", "a.dds"], r'--texture: value "a.dds" .*--texture-file'),
            (["bake", "--skin", "bramble"], r'^riftbake bake: --skin: "bramble" is neither'),  # before it misses --game
            (["describe", "--skin", "bramble/x"], r'^riftbake describe: --skin: "bramble/x" is neither'),
            (["bake", "--skin", GOOD, "-o", "x", "--game", os.path.join(GAME, "DATA/FINAL/Champions/Bramble.wad.client")],
             r"--game takes the game's folder, and .*Bramble\.wad\.client\" is a file"),
            (["bake", "--layers", "foo"], r'--layers: "foo" is neither none, auto, .*JSON, nor a file'),
            (["bake", "--max-texture", "63"], r'--max-texture: value "63"'),
            (["bake", "--max_texture=abc"], r'--max-texture: value "abc"'),
            (["bake", "--units", ""], r'--units: value ""'),
            (["bake", "--skin", "1", "surplus"], r'unexpected "surplus"'),
            (["bake", "--game", GAME, "--skin", GOOD, "--json"], r"only one .* stdout"),
            (["bake", "--game", GAME, "--skin", GOOD, "-o", "-", "--report", "-"], r"only one .* stdout"),
            (["bake", "--skin", "1", "--data", "x"], r"unknown flag --data"),
            (["convert"], r"missing --skn"),
            (["convert", "--skn", "-", "--skl", "-", "-o", "x"], r'only one file can be "-"'),
            (["batch", "--game", GAME], r"missing -o DIR"),
            (["batch", "--game", GAME, "-o", "-"], r"missing -o DIR"),
            (["skins"], r"missing --game"),
            (["skins", "--game", GAME, "surplus"], r'unexpected "surplus"'),
            (["describe", "--game", GAME], r"missing --skin"),
            (["render", "--game", GAME], r"missing --skin"),
            (["render", "--game", GAME, "--skin", GOOD, "--size", "15"], r"--size is not a number from 16 to 1024"),
            (["render", "--game", GAME, "--skin", GOOD, "--size", "1025"], r"--size is not"),
            (["render", "--game", GAME, "--skin", GOOD, "--turn", "361"], r"--turn is not whole degrees"),
            (["render", "--game", GAME, "--skin", GOOD, "--turn", "1.5"], r"--turn is not whole degrees"),
            (["render", "--game", GAME, "--skin", GOOD, "--background", "fff"], r"--background is not six"),
            (["render", "--game", GAME, "--skin", GOOD, "--background", "0xffff"], r"--background is not six"),
            (["render", "--game", GAME, "--skin", GOOD, "--pose", "Idle1"], r"--pose: .*<clip>@<seconds>"),
            (["render", "--game", GAME, "--skin", GOOD, "--pose", "Moonwalk@0", "-o", "x"], r'no clip is called "Moonwalk"'),
            (["render", "--game", GAME, "--skin", GOOD, "--clips", "Run"], r"--clips is for --sheet"),
            (["render", "--game", GAME, "--skin", GOOD, "--sheet", "--pose", "Run@0"], r"not --pose"),
            (["render", "--game", GAME, "--skin", GOOD, "--sheet", "--clips", "none", "-o", "x"], r"none of \d+ clips"),
            (["render", "--game", GAME, "--skin", GOOD, "-o", self.path("a.jpg")], r"a\.jpg\": a picture is \.png or \.webp"),
            (["submit", "--skin", GOOD, "--no-wait", "-o", "x"], r"--no-wait .* -o: choose one"),
            (["layers"], r"check takes one vector file"),
            (["layers", "check"], r"check takes one vector file"),
            (["layers", "chek", "x"], r'no verb "chek", only check'),
            (["inspect"], r"which file"),
            (["wad"], r"ls, get, pack or diff"),
            (["patches", "x"], r"takes nothing, a patch"),
            (["patches", "1", "2"], r"takes nothing, a patch"),
            (["patches", "cancel"], r"takes nothing, a patch"),
            (["wad", "frob"], r'no verb "frob"'),
            (["wad", "ls"], r"ls takes one archive"),
            (["wad", "get", "x"], r"get takes"),
            (["wad", "get", "x", "--all"], r"--all needs -o DIR"),
            (["wad", "get", "x", "y", "--all", "-o", folder], r"get takes"),
            (["wad", "pack", self.dir], r"pack takes a folder and -o FILE"),
            (["wad", "pack", "", "-o", "x"], r"pack takes a folder"),
            (["wad", "pack", self.dir, "-o", "x", "--wad-version", "3.5"], r"--wad-version is .*3\.5"),
            (["wad", "pack", self.dir, "-o", "x", "--wad-version", "x"], r"--wad-version is"),
            (["wad", "diff", "x"], r"diff takes two"),
            (["hashes"], r"import, lookup or stats"),
            (["hashes", "frob"], r'no verb "frob"'),
            (["hashes", "stats"], r"missing --data"),
            (["hashes", "import", "--data", self.dir, "nosuch", "f"], r"binentries"),
            (["hashes", "import", "--data", self.dir, "game"], r"binentries"),
            (["demo-game"], r"which folder"),
            (["demo-game", folder, "--seed", "x"], r'--seed "x"'),
            (["manual"], r"man or bash"),
        ]
        for args, pattern in rows:
            with self.subTest(args=args):
                self.expect(2, *args, out="", err=pattern)
        self.assertFalse(os.path.exists(folder))

    def test_help_is_a_result(self):
        for args in (["--help"], ["help"], ["-h"]):
            text = self.expect(0, *args, err="").stdout.decode()
            for word in self.COMMANDS.split():
                self.assertRegex(text, rf"(?m)^  {word} ")
        for word in self.COMMANDS.split():
            self.expect(0, word, "--help", out=rf"usage: riftbake {word} ", err="")
            self.expect(0, "help", word, out=rf"usage: riftbake {word} ", err="")
        self.expect(0, "bake", "surplus", "--help", out="usage")
        for words in ("of several words the first is the default", "--layers +none.* at most 8 .auto:Run,Attack1., a timeline in JSON; .*file"):
            self.expect(0, "bake", "--help", out=words)
        self.expect(0, "wad", "--help", out=r"get FILE PATH…\|--all \|")
        self.expect(0, "--version", out=r"^riftbake \d+\.\d+\.\d+\n$", err="")

    def test_flags_of_each_command(self):
        rows = {
            "bake": "game skin hashes output report naive json quiet profile content clips texture max-texture compress hidden snap "
                    "shading units mirror vertex-colors additive",
            "convert": "skn skl anm texture-file bin hashes output report naive json quiet content clips",
            "batch": "game champion hashes output report json quiet content",
            "skins": "game hashes json", "describe": "game skin hashes output json", "inspect": "json",
            "render": "game skin hashes pose clips size turn background sheet output quiet",
            "hashes": "data json", "demo-game": "seed", "health": "server",
            "submit": "server token-file skin output no-wait json content", "status": "server token-file json",
            "get": "server token-file skin output clips",
        }
        for command, flags in rows.items():
            text = self.expect(0, command, "--help").stdout.decode()
            for flag in flags.split():
                self.assertRegex(text, rf"(?m)--{flag}( |$)", command)


class Manual(Case):
    @unittest.skipUnless(shutil.which("groff"), "no groff")
    def test_man_page_is_clean(self):
        page = write(self.expect(0, "manual", "man", err="").stdout, self.path("riftbake.1"))
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", page], capture_output=True, check=True)
        self.assertEqual(done.stderr, b"")
        text = re.sub(rb"\x1b\[\d*m|.\x08", b"", done.stdout).decode()
        for word in ("bake", "--max-texture", "-o, --output", "RIFT_GAME", "EXIT STATUS"):
            self.assertIn(word, text)
        self.assertRegex(text, r"Taken +by bake, convert, batch, submit, get\. +Of several words the first\s+is the default")

    def complete(self, *words):
        script = self.path("c.bash")
        write(self.expect(0, "manual", "bash", err="").stdout, script)
        line = f"""source {script}; COMP_WORDS=({' '.join(f"'{w}'" for w in words)}); COMP_CWORD={len(words) - 1}
                   _riftbake; printf '%s\\n' "${{COMPREPLY[@]}}" """
        done = subprocess.run(["bash", "-euc", line], capture_output=True, check=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_completion(self):
        self.assertEqual(self.complete("riftbake", "desc"), ["describe"])
        self.assertEqual(self.complete("riftbake", "bake", "--max"), ["--max-texture"])
        self.assertEqual(self.complete("riftbake", "bake", "--texture", "p"), ["png"])
        self.assertEqual(self.complete("riftbake", "bake", "--texture", ""), ["png", "webp", "jpeg", "none"])
        self.assertEqual(self.complete("riftbake", "wad", "p"), ["pack"])
        self.assertEqual(self.complete("riftbake", "hashes", "l"), ["lookup"])
        self.assertEqual(self.complete("riftbake", "skins", "--max"), [])
        for flag in ("--game", "--skn", "--output", "-o"):  # left to the shell
            self.assertEqual(self.complete("riftbake", "bake", flag, ""), [])


class Bake(Case):
    def bake(self, skin, *args, code=0, **more):
        return self.expect(code, "bake", "--game", GAME, "--skin", skin, *args, **more)

    def test_wishes_that_cannot_be_met_are_told_last(self):
        glb = self.path("a.glb")
        rows = [
            (["--clips", "Danse,Run"], "warning: clips: no clip is called or matches Danse"),
            (["--pose", "Dance_Drop@99"], "warning: pose: Dance_Drop ends at 3.000 s, its end is shown"),
        ]
        for args, last in rows:
            told = self.bake(GOOD, *args, "-o", glb, out="").stderr.decode().splitlines()
            self.assertEqual(told[-1], last)
            self.assertEqual(self.bake(GOOD, *args, "-q", "-o", glb, out="").stderr, b"")
        for pose in ("Dance_Drop@3", "Dance_Drop@0"):
            self.assertNotIn(b"warning:", self.bake(GOOD, "--pose", pose, "-o", glb).stderr)

    def test_damaged_archives_take_one_line(self):
        told = self.bake(GOOD, "-o", self.path("a.glb")).stderr.decode().splitlines()
        self.assertRegex(told[0], r"^note: 2 of \d+ archives damaged, DATA/FINAL/Maps/Shipping/Map12\.wad\.client first .*wad ls")
        self.assertRegex(told[1], r"^9001001: \d+ bytes")
        maps = os.path.join(GAME, "DATA/FINAL/Maps/Shipping")
        self.expect(0, "wad", "ls", os.path.join(maps, "Map12.wad.client"), err="wad_entry_outside x 1")
        self.expect(1, "wad", "ls", os.path.join(maps, "Map22.wad.client"), out="", err=r"FORMAT: .*Map22\.wad\.client: header")
        # Compared with itself it is told once, and the rest is compared.
        done = self.expect(1, "wad", "diff", GAME, GAME, out="")
        self.assertRegex(done.stderr.decode(), r"^riftbake wad: FORMAT: [^\n]*Map22[^\n]*\nthe other archives were compared: 0 differ\n$")

    def test_file_stdout_and_alias_give_the_same_bytes(self):
        glb = self.path("a.glb")
        self.bake(GOOD, "-o", glb, out="", err=r"9001001: \d+ bytes, \d+ parts, \d+ joints, \d+ clips")
        data = read(glb)
        self.assertEqual(self.bake("bramble/1", "-o", "-").stdout, data)
        self.assertEqual(self.bake("Bramble/1").stdout, data)
        self.assertEqual(self.bake(GOOD, "-o", "-", env={"LC_ALL": "de_DE.UTF-8"}).stdout, data)
        self.assertEqual(run("bake", "--skin", GOOD, env={"RIFT_GAME": GAME}).stdout, data)
        doc = glb_json(data)
        said = re.search(rb"(\d+) bytes, (\d+) parts, (\d+) joints, (\d+) clips, (\d+) textures",
                         self.bake(GOOD, "-o", glb).stderr)
        self.assertEqual([int(n) for n in said.groups()],
                         [len(data), len(doc["meshes"]), len(doc["skins"][0]["joints"]), len(doc["animations"]),
                          len(doc["images"])])

    def test_quiet_says_nothing_but_errors(self):
        self.bake("bramble/0", "-o", self.path("a.glb"), "--quiet", out="", err="")
        self.bake("bramble/0", "-q", "-o", self.path("a.glb"), out="", err="")
        self.bake(BAD, "-q", "-o", self.path("a.glb"), code=1, out="", err="NOT_FOUND")

    def test_report_and_json(self):
        report = self.path("r.json")
        glb = self.path("a.glb")
        printed = json.loads(self.bake("bramble/0", "-o", glb, "--json", "--report", report).stdout)
        self.assertEqual(printed, json.loads(read(report)))
        self.assertEqual((printed["skin"], printed["ok"]), ("bramble/0", True))
        self.assertEqual(printed["bytes"], len(read(glb)))
        self.assertEqual(printed["counts"]["clips"], len(glb_json(read(glb))["animations"]))
        codes = {e["code"]: e for e in printed["report"]}
        self.assertIn("linked_bin_missing", codes)
        for entry in codes.values():
            self.assertGreaterEqual(entry["count"], len(entry["examples"]))
        self.assertEqual(json.loads(self.bake("bramble/0", "-o", glb, "--report", "-").stdout), printed)

    def test_failures_are_1_with_a_report_and_no_file(self):
        for skin, code, stage, where in ((BAD, "NOT_FOUND", "mesh", "Jester_Skin06.skn"),
                                         ("9001999", "NOT_FOUND", "lookup", ""),
                                         ("nobody/3", "NOT_FOUND", "lookup", "")):
            report, glb = self.path("r.json"), self.path("a.glb")
            self.bake(skin, "-o", glb, "--report", report, code=1, out="", err=rf"riftbake bake: {code}: ")
            told = json.loads(read(report))
            self.assertFalse(told["ok"])
            self.assertEqual((told["error"]["code"], told["error"]["stage"]), (code.lower(), stage))
            self.assertIn(where, told["error"].get("file", ""))
            self.assertFalse(os.path.exists(glb))

    def test_a_failure_leaves_the_old_file(self):
        glb = write(b"old", self.path("a.glb"))
        self.bake(BAD, "-o", glb, code=1)
        self.assertEqual(read(glb), b"old")
        self.assertEqual(os.listdir(self.dir), ["a.glb"])

    def test_options_reach_the_conversion(self):
        whole = glb_json(self.bake(GOOD).stdout)
        self.assertNotIn("images", glb_json(self.bake(GOOD, "--texture", "none").stdout))
        self.assertNotIn("animations", glb_json(self.bake(GOOD, "--content=rig").stdout))
        self.assertNotIn("skins", glb_json(self.bake(GOOD, "--content", "mesh").stdout))
        name = whole["animations"][2]["name"]
        one = glb_json(self.bake(GOOD, "--clips", name).stdout)
        self.assertEqual([a["name"] for a in one["animations"]], [name])
        self.assertEqual(self.bake(GOOD, "--max_texture", "64").stdout, self.bake(GOOD, "--max-texture=64").stdout)
        unlit = self.bake(GOOD, "--shading", "pbr").stdout
        self.assertNotIn("KHR_materials_unlit", glb_json(unlit).get("extensionsUsed", []))

    def test_profiles_stand_for_options(self):
        web = self.bake(GOOD, "--profile", "web").stdout
        spelled = self.bake(GOOD, "--max-texture", "1024", "--compress", "meshopt", "--texture", "webp").stdout
        self.assertEqual(web, spelled)
        self.assertEqual(self.bake(GOOD, "--profile", "full").stdout, self.bake(GOOD).stdout)
        # An option beats the profile on either side of it.
        plain = self.bake(GOOD, "--profile", "web", "--texture", "none", "--compress=none").stdout
        self.assertEqual(plain, self.bake(GOOD, "--texture=none", "--compress", "none", "--profile=web").stdout)
        self.assertNotIn("extensionsRequired", glb_json(plain))
        told = self.expect_json(0, "inspect", "-", "--json", stdin=web)
        self.assertEqual(told["requires"], ["EXT_meshopt_compression", "EXT_texture_webp", "KHR_mesh_quantization"])
        told = self.bake(GOOD, "--naive", "--compress", "meshopt").stdout
        codes = [row["code"] for row in glb_json(told)["asset"]["extras"]["riftbake"]["report"]]
        self.assertIn("compress_naive", codes)

    def test_naive_is_larger_and_shares_no_times(self):
        data = self.bake(GOOD, "--naive", "--texture", "none").stdout
        self.assertGreater(len(data), len(self.bake(GOOD, "--texture", "none").stdout))
        for animation in glb_json(data)["animations"]:
            inputs = [s["input"] for s in animation["samplers"]]
            self.assertEqual(len(inputs), len(set(inputs)))

    def test_game_folder_that_is_none(self):
        self.expect(1, "bake", "--game", self.path("no"), "--skin", GOOD, "-o", self.path("x"), err="NOT_FOUND")
        self.expect(1, "bake", "--game", self.dir, "--skin", GOOD, "-o", self.path("x"), err="NOT_FOUND")


class Batch(Case):
    def test_goes_on_over_a_bad_skin(self):
        out, report = self.path("glbs"), self.path("r.ndjson")
        done = self.expect(1, "batch", "--game", GAME, "-o", out, "--json", "--report", report,
                           err=r"(?s)shaco/6: NOT_FOUND: .*Jester_Skin06\.skn.*11 skins, 1 failed")
        self.assertEqual(read(report), done.stdout)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(lines), 11)
        self.assertEqual([line["skin"] for line in lines if not line["ok"]], [BAD])
        want = sorted(line["skin"].replace("/", "-") + ".glb" for line in lines if line["ok"])
        self.assertEqual(sorted(os.listdir(out)), want)
        one = self.expect(0, "bake", "--game", GAME, "--skin", GOOD, "-o", "-").stdout
        self.assertEqual(read(out, "bramble-1.glb"), one)

    def test_one_champion_and_none(self):
        out = self.path("glbs")
        self.expect(0, "batch", "--game", GAME, "--champion", "BRAMBLE", "-o", out, "--texture", "none", out="",
                    err="5 skins, 0 failed")
        self.assertEqual(len(os.listdir(out)), 5)
        self.expect(1, "batch", "--game", GAME, "--champion", "nobody", "-o", self.path("b"),
                    err='no champion "nobody" among 2')
        self.assertFalse(os.path.exists(self.path("b")))

    def test_folder_that_cannot_be(self):
        name = write(b"", self.path("file"))
        self.expect(1, "batch", "--game", GAME, "-o", os.path.join(name, "x"), err="make folder: Not a directory")
        self.expect(1, "batch", "--game", GAME, "-o", name, err="make folder: File exists")


class Catalogue(Case):
    def test_skins(self):
        text = self.expect(0, "skins", "--game", GAME).stdout.decode()
        rows = [line.split("\t") for line in text.splitlines()]
        self.assertIn(["9001001", "bramble/1"], rows)
        self.assertIn(["35006", "shaco/6"], rows)
        listed = self.expect_json(0, "skins", "--game", GAME, "--json", "-q", err="")
        self.assertEqual([[str(s["id"]), f"{s['champion']}/{s['number']}"] for s in listed], rows)
        only = self.expect_json(0, "skins", "--game", GAME, "--json", "--champion", "Shaco")
        self.assertEqual({s["champion"] for s in only}, {"shaco"})
        self.expect(1, "skins", "--game", GAME, "--champion", "nobody", out="", err="no champion")

    def test_describe_agrees_with_the_file(self):
        told = self.expect_json(0, "describe", "--game", GAME, "--skin", GOOD, "-q", err="")
        doc = glb_json(self.expect(0, "bake", "--game", GAME, "--skin", GOOD).stdout)
        self.assertEqual((told["id"], told["champion"]["id"], told["number"]), (9001001, 9001, 1))
        self.assertEqual(told["champion"]["alias"], "bramble")
        self.assertEqual(told["joints"], len(doc["skins"][0]["joints"]))
        visible = [p["name"] for p in told["parts"] if p["visible"]]
        self.assertEqual(visible, [m["name"] for m in doc["meshes"]])
        shelf = self.expect_json(0, "describe", "--game", GAME, "--skin", "bramble/0")
        case = glb_json(self.expect(0, "bake", "-q", "--game", GAME, "--skin", "bramble/0", "--hidden", "include").stdout)
        with tempfile.TemporaryDirectory() as folder:
            report = os.path.join(folder, "report.json")
            self.expect(0, "bake", "-q", "--game", GAME, "--skin", "bramble/0", "--hidden", "include", "--report", report)
            with open(report) as f:
                told_of = json.load(f)["parts"]
        for part, material in zip(told_of, case["materials"], strict=True):
            self.assertEqual({k: v for k, v in part.items() if k != "name"}, material["extras"]["riftbake"])
        self.assertEqual([p["name"] for p in told_of], [p["name"] for p in shelf["parts"]])
        self.assertTrue(any("tried" in p for p in told_of))
        for part, material in zip(shelf["parts"], case["materials"], strict=True):
            for key in ("chosen_by", "tried", "texture", "material", "emissive"):
                self.assertEqual(part.get(key), material["extras"]["riftbake"].get(key), f"{part['name']}: {key}")
        baked = [a["name"] for a in doc["animations"]]
        self.assertEqual([c["name"] for c in told["clips"] if c["name"] in baked and c["class"] == "atomic"], baked)
        for member in ("parts", "joints", "masks", "clips", "bounds", "ground", "scale", "warnings"):
            self.assertIn(member, told)
        for lower, upper in zip(told["bounds"]["visible"]["min"], told["bounds"]["visible"]["max"]):
            self.assertLess(lower, upper)

    # The members of api.md section 3 (`unit` and a mask's `hash` besides), with their types.
    NUMBER, TEXT = (int, float), str
    SKIN = {"id": int, "champion": dict, "number": int, "name": TEXT, "parent": dict, "chromas": list, "patch": TEXT,
            "source": list, "converter": TEXT, "state": TEXT, "outputs": list, "parts": list, "forms": list,
            "joints": int, "sockets": list, "pose_modifiers": list, "masks": list, "clips": list, "bounds": dict, "ground": NUMBER,
            "scale": NUMBER, "related": list, "warnings": list, "unit": TEXT, "game_version": TEXT}
    PART = {"name": TEXT, "material": TEXT, "visible": bool, "order": int, "triangles": int, "texture": TEXT,
            "chosen_by": TEXT, "tried": list, "emissive": TEXT, "form": TEXT}
    MASK = {"name": TEXT, "hash": TEXT, "joints": list, "weights": list}
    CLIP = {"name": TEXT, "hash": TEXT, "file": TEXT, "kind": TEXT, "class": TEXT, "duration": NUMBER, "fps": NUMBER,
            "tick": NUMBER, "loop": bool, "track": TEXT, "mask": TEXT, "additive": bool, "children": list,
            "events": list, "visibility": list, "snaps": list, "dropped_snaps": list}

    def shaped(self, value, members, required):
        self.assertLessEqual(set(required.split()), set(value), value)
        for name, member in value.items():
            self.assertIn(name, members)
            self.assertIsInstance(member, members[name], name)

    def test_sockets_and_pose_modifiers_are_listed(self):
        sockets = [
            {"name": "HeadTop", "class": "SocketDefinitionSingleJoint",
             "fields": {"Name": "HeadTop", "ParentJoint": "Head", "PositionOffset": [0, 12, 0], "FreezeRotationZ": True}},
            {"name": "Overhead", "class": "SocketDefinitionWorld", "fields": {"Name": "Overhead"}}]
        modifiers = [
            {"class": "ConformToPathRigPoseModifierData",
             "fields": {"mStartingJointName": "Hand", "mEndingJointName": "Weapon", "mMaxBoneAngle": 150}},
            {"class": "SpringPhysicsRigPoseModifierData", "fields": {"mName": "0x%08x" % fnv1a("Pauldron")}},
            {"class": "0x0ddc1a55", "fields": {}}]
        told = self.expect_json(0, "describe", "--game", GAME, "--skin", "bramble/0")
        self.assertEqual((told["sockets"], told["pose_modifiers"]), (sockets, modifiers))
        made = self.expect(0, "bake", "-q", "--game", GAME, "--skin", "bramble/0", "--content", "rig").stdout
        ours = glb_json(made)["asset"]["extras"]["riftbake"]
        self.assertEqual((ours["sockets"], ours["pose_modifiers"]), (sockets, modifiers))
        other = self.expect_json(0, "describe", "--game", GAME, "--skin", "bramble/1")
        self.assertEqual(other["sockets"], [])
        self.assertNotIn("pose_modifiers", other)

    def test_describe_has_the_shape_of_the_contract(self):
        for skin in self.expect_json(0, "skins", "--game", GAME, "--json"):
            if f"{skin['champion']}/{skin['number']}" == BAD:
                continue
            told = self.expect_json(0, "describe", "--game", GAME, "--skin", str(skin["id"]))
            self.shaped(told, self.SKIN, "id champion number converter parts joints masks clips bounds ground scale warnings")
            self.assertEqual((told["id"], told["number"]), (skin["id"], skin["number"]))
            for part in told["parts"]:
                self.shaped(part, self.PART, "name visible order triangles chosen_by")
                # The same decision as in the file, and what was tried before it.
                self.assertTrue(all(set(t) == {"source", "material", "result"} for t in part.get("tried", [])))
            self.assertEqual([part["order"] for part in told["parts"]], list(range(len(told["parts"]))))
            for mask in told["masks"]:
                self.shaped(mask, self.MASK, "joints")
            for clip in told["clips"]:
                self.shaped(clip, self.CLIP, "name hash kind class")
                self.assertRegex(clip["hash"], "^0x[0-9a-f]{8}$")
            for box in told["bounds"].values():
                self.assertTrue(all(lo <= hi for lo, hi in zip(box["min"], box["max"])))

    def test_masks_tell_weights_between_0_and_1(self):
        # As the game's file lists them; LowerBody is shorter than the skeleton of 24, FullBody longer.
        masks = {m["name"]: m for m in self.expect_json(0, "describe", "--game", GAME, "--skin", "9001000")["masks"]}
        self.assertEqual(masks["LowerBody"]["weights"], [1, 0.1, 0, 1, 1])
        self.assertEqual(masks["UpperBody"]["weights"], 3 * [0, 0, 1, 0.1, 0, 1, 1, 0.5])
        self.assertEqual(masks["FullBody"]["weights"], 3 * [0, 1, 0.1, 0, 1, 1, 0.5, 0])
        self.assertEqual(len(masks["LowerBody"]["joints"]), 4)

    def test_describe_to_a_file_and_failures(self):
        name = self.path("d.json")
        self.expect(0, "describe", "--game", GAME, "--skin", GOOD, "-o", name, out="")
        self.assertEqual(read(name), self.expect(0, "describe", "--game", GAME, "--skin", GOOD, "--json").stdout)
        self.expect(1, "describe", "--game", GAME, "--skin", BAD, out="", err="Jester_Skin06")
        self.expect(1, "describe", "--game", GAME, "--skin", "9001999", out="", err="NOT_FOUND")
        self.expect(2, "describe", "--game", GAME, "--skin", "../x", out="", err="neither an id")


class Render(Case):
    def draw(self, *args, name="a.png", skin=GOOD):
        self.expect(0, "render", "--game", GAME, "--skin", skin, "-q", "-o", self.path(name), *args, out="", err="")
        return read(self.path(name))

    def png(self, data):
        """Width, height, colour type."""
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        return struct.unpack(">II", data[16:24]) + (data[25],)

    def test_sizes_and_backgrounds(self):
        self.assertEqual(self.png(self.draw()), (256, 256, 6))
        self.assertEqual(self.png(self.draw("--size", "16")), (16, 16, 6))
        self.assertEqual(self.png(self.draw("--size", "1024")), (1024, 1024, 6))
        self.assertEqual(self.png(self.draw("--background", "ff8000")), (256, 256, 2))

    def test_it_turns_and_poses(self):
        front = self.draw("--size", "64")
        self.assertEqual(self.draw("--size", "64", "--turn", "-360", "--pose", "idle1@0"), front)
        for other in (["--turn", "90"], ["--turn", "180"], ["--pose", "Run@0.2"]):
            self.assertNotEqual(self.draw("--size", "64", *other), front)
        self.assertEqual(self.draw("--size", "64", "--turn", "-90"), self.draw("--size", "64", "--turn", "270"))

    def test_webp_by_name(self):
        for name in ("a.webp", "b.WEBP"):
            data = self.draw("--size", "64", name=name)
            self.assertEqual((data[:4], data[8:16]), (b"RIFF", b"WEBPVP8L"))
            self.assertEqual(struct.unpack("<I", data[4:8])[0] + 8, len(data))
            bits = struct.unpack("<I", data[21:25])[0]
            self.assertEqual(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1), (64, 64))
        self.assertLess(len(data), len(self.draw("--size", "64")))

    def test_sheets(self):
        self.assertEqual(self.png(self.draw("--sheet")), (3 * 128, 3 * 128, 6))  # nine clips
        self.assertEqual(self.png(self.draw("--sheet", "--size", "32", "--clips", "Idle1,Run")), (64, 32, 6))
        self.assertEqual(self.png(self.draw("--sheet", "--size", "32", "--clips", "Run")), (32, 32, 6))

    def test_stdout_and_failures(self):
        done = self.expect(0, "render", "--game", GAME, "--skin", GOOD, "-q", "--size", "64")
        self.assertEqual(done.stdout, self.draw("--size", "64"))
        self.expect(1, "render", "--game", GAME, "--skin", BAD, "-o", self.path("x"), out="", err="Jester_Skin06")
        self.expect(1, "render", "--game", GAME, "--skin", "9001999", "-o", self.path("x"), out="", err="NOT_FOUND")
        self.expect(1, "render", "--game", GAME, "--skin", GOOD, "-q", "-o", "/dev/full", err="No space left")
        self.assertFalse(os.path.exists(self.path("x")))


class Terminal(Case):
    """Standard error, or output, on a pseudo terminal."""

    def on_terminal(self, *args, which="stderr"):
        master, slave = pty.openpty()
        done = []
        thread = threading.Thread(target=lambda: done.append(run(*args, **{which: slave})))
        thread.start()
        text = b""
        thread.join(TIMEOUT)
        os.close(slave)
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        os.close(master)
        return done[0], text.decode()

    def test_bar_on_a_terminal_only(self):
        bake = ["bake", "--game", GAME, "--skin", GOOD, "-o", self.path("a.glb")]
        batch = ["batch", "--game", GAME, "--champion", "bramble", "-o", self.path("b")]
        done, text = self.on_terminal(*bake)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertRegex(text, r"\r9001001 \[[# ]{30}\] +\d+ % \w+\x1b\[K")
        self.assertRegex(text, r"\r\x1b\[K9001001: \d+ bytes")
        done, text = self.on_terminal(*batch)
        self.assertRegex(text, r"\r0/5 \[ {30}\] +0 % bramble/0")
        self.assertRegex(text, r"\r2/5 \[#{12} {18}\] +40 % bramble/2")
        for args in (bake, batch):
            self.assertEqual(self.on_terminal(*args, "--quiet")[1], "")
            self.assertNotRegex(self.expect(0, *args).stderr.decode(), "[\r\x1b]")

    def test_no_glb_for_a_terminal(self):
        done, text = self.on_terminal("bake", "--game", GAME, "--skin", GOOD, which="stdout")
        self.assertEqual((done.returncode, text), (2, ""))
        self.assertIn(b"missing -o FILE", done.stderr)

    def test_describe_is_for_reading_there(self):
        done, text = self.on_terminal("describe", "--game", GAME, "--skin", "9001002", which="stdout")
        self.assertEqual(done.returncode, 0)
        self.assertIn("id: 9001002\r\nchampion:\r\n  id: 9001\r\n", text)
        self.assertNotRegex(text, r'[{}"]')
        done, text = self.on_terminal("describe", "--game", GAME, "--skin", "9001002", "--json", which="stdout")
        self.assertEqual(json.loads(text)["id"], 9001002)


class Convert(Case):
    """A mesh of two parts, a rig of three joints, two clips, two textures and a bin with a graph."""

    def setUp(self):
        super().setUp()
        data = read(SOURCE, "tests/fuzz/corpus/convert/graph")
        names = {0: ["hero.skn"], 1: ["hero.skl"], 2: ["idle.anm", "run.anm"], 3: ["body.tex", "sword.tex"],
                 4: ["skin0.bin"]}
        at = 1
        while at < len(data):
            kind, size = struct.unpack_from("<BH", data, at)
            write(data[at + 3:at + 3 + size], self.path(names[kind].pop(0)))
            at += 3 + size

    def convert(self, *args, code=0, **more):
        return self.expect(code, "convert", *args, **more)

    def rig(self):
        return ["--skn", self.path("hero.skn"), "--skl", self.path("hero.skl")]

    def clips(self, *args):
        return [a["name"] for a in glb_json(self.convert(*self.rig(), *args).stdout).get("animations", [])]

    def test_order_of_animations(self):
        self.assertEqual(self.clips(), [])
        self.assertEqual(self.clips("--anm", self.path("run.anm"), "--anm", self.path("idle.anm")), ["run", "idle"])
        folder = self.path("anms")
        for name in ("b.anm", "a.anm", "B.ANM", "note.txt", "Z.anm"):
            write(read(self.dir, "idle.anm"), folder, name)
        got = self.clips("--anm", folder, "--anm", self.path("run.anm"))
        self.assertEqual([name.split(" ")[0] for name in got], ["B", "Z", "a", "b", "run"])
        got = self.clips("--anm", self.path("run.anm"), "--anm", folder)
        self.assertEqual([name.split(" ")[0] for name in got], ["run", "B", "Z", "a", "b"])

    def test_bin_gives_names_and_hides(self):
        args = [*self.rig(), "--bin", self.path("skin0.bin"), "--anm", self.path("idle.anm"), "--anm",
                self.path("run.anm")]
        doc = glb_json(self.convert(*args).stdout)
        self.assertEqual([a["name"] for a in doc["animations"]], ["Idle1", "Run"])
        self.assertEqual([m["name"] for m in doc["meshes"]], ["Body"])
        doc = glb_json(self.convert(*args, "--hidden", "include").stdout)
        self.assertEqual([m["name"] for m in doc["meshes"]], ["Body", "Sword"])

    def test_textures_by_part(self):
        doc = glb_json(self.convert(*self.rig(), "--texture-file", "Sword=" + self.path("sword.tex")).stdout)
        textured = ["baseColorTexture" in m["pbrMetallicRoughness"] for m in doc["materials"]]
        self.assertEqual(dict(zip([m["name"] for m in doc["meshes"]], textured)), {"Body": False, "Sword": True})
        whole = glb_json(self.convert(*self.rig(), "--texture-file", self.path("body.tex")).stdout)
        self.assertTrue(all("baseColorTexture" in m["pbrMetallicRoughness"] for m in whole["materials"]))
        odd = self.path("a=b.tex")
        shutil.copy(self.path("body.tex"), odd)
        self.convert(*self.rig(), "--texture-file", odd)

    def test_without_a_skeleton_it_is_static(self):
        doc = glb_json(self.convert("--skn", self.path("hero.skn")).stdout)
        self.assertNotIn("skins", doc)
        self.assertNotIn("JOINTS_0", doc["meshes"][0]["primitives"][0]["attributes"])

    def test_stdin(self):
        want = glb_json(self.convert(*self.rig()).stdout)
        args = ["--skn", "-", "--skl", self.path("hero.skl"), "-o", "-"]
        got = glb_json(self.convert(*args, stdin=read(self.dir, "hero.skn")).stdout)
        self.assertEqual(got["meshes"], want["meshes"])
        self.convert(*args, stdin=b"", code=1, out="", err="TRUNCATED: -: skn: 0 bytes")
        empty = write(b"", self.path("empty"))
        for flag in ("--skl", "--bin"):
            self.convert(*self.rig(), flag, empty, code=1, out="", err="TRUNCATED: .*empty: .*0 bytes")

    def test_errors_name_file_part_offset_and_numbers(self):
        skn = bytearray(read(self.dir, "hero.skn"))
        self.assertEqual(struct.unpack_from("<II", skn, 4)[1], 2)
        for name, change, pattern in (
            ("magic.skn", lambda d: d.__setitem__(slice(0, 4), b"ABCD"),
             r"FORMAT: magic\.skn: .*magic 0x44434241 is not 0x00112233 \(offset 0\)"),
            ("version.skn", lambda d: d.__setitem__(slice(4, 6), b"\x63\0"), r"version\.skn: .*version 99.*\(offset 4\)"),
            ("count.skn", lambda d: d.__setitem__(slice(8, 12), b"\xff\xff\0\0"), r"count\.skn: .*65535.*\(offset 8\)"),
            ("half.skn", lambda d: d.__delitem__(slice(len(d) // 2, None)), rf"TRUNCATED: half\.skn: \S.*\d+.*\d+"),
        ):
            damaged = bytearray(skn)
            change(damaged)
            with self.subTest(name):
                self.convert("--skn", write(damaged, self.path(name)), "-o", "-", code=1, out="", err=pattern)

    def test_a_damaged_clip_or_texture_costs_only_itself(self):
        bad = write(b"r3d2canm\1\0\0\0", self.path("bad.anm"))
        done = self.convert(*self.rig(), "--anm", bad, "--anm", self.path("run.anm"), "--texture-file",
                            write(b"TEX\0", self.path("bad.tex")), "--report", self.path("r.json"))
        self.assertEqual([a["name"] for a in glb_json(done.stdout)["animations"]], ["run"])
        self.assertRegex(json.dumps(json.loads(read(self.dir, "r.json"))["report"]), r"bad\.anm.*bad\.tex|bad\.tex.*bad\.anm")

    def test_files_that_are_not_there(self):
        self.convert("--skn", self.path("no.skn"), code=1, err=r"NOT_FOUND: .*no\.skn")
        self.convert(*self.rig(), "--anm", self.path("no.anm"), code=1, err=r"NOT_FOUND: .*no\.anm")
        self.convert(*self.rig(), "--hashes", self.path("no"), code=1, err="NOT_FOUND")
        self.convert("--skn", self.dir, code=1, err="is a folder")


class Output(Case):
    """Where results cannot go."""

    ROWS = (["skins", "--game", "GAME"], ["describe", "--game", "GAME", "--skin", GOOD],
            ["bake", "--game", "GAME", "--skin", GOOD, "-o", "-"], ["manual", "man"], ["manual", "bash"],
            ["--help"], ["bake", "--help"], ["--version"], ["batch", "--game", "GAME", "--json", "-o", "DIR"])

    def rows(self):
        for row in self.ROWS:
            yield [{"GAME": GAME, "DIR": self.path("out")}.get(word, word) for word in row]

    def test_full_disk(self):
        with open("/dev/full", "wb") as full:
            for args in self.rows():
                with self.subTest(args=args):
                    self.expect(1, *args, stdout=full, err="No space left")
        self.expect(1, "bake", "--game", GAME, "--skin", GOOD, "-o", "/dev/full", err="/dev/full.*No space left")
        self.expect(1, "bake", "--game", GAME, "--skin", GOOD, "-o", "/dev/null", "--report", "/dev/full",
                    err="/dev/full.*No space left")

    def test_closed(self):
        for args in self.rows():
            with self.subTest(args=args):
                done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", RIFTBAKE, *args], capture_output=True, check=False)
                self.assertEqual(done.returncode, 1, done)
                self.assertRegex(done.stderr, b"Bad file descriptor")
        glb = self.path("a.glb")
        done = subprocess.run(["sh", "-c", '"$@" >&- 2>&- <&-', "sh", RIFTBAKE, "bake", "--game", GAME, "--skin", GOOD,
                               "-o", glb], check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(glb_json(read(glb))["asset"]["version"], "2.0")

    def test_reader_that_left(self):
        for args in self.rows():
            with self.subTest(args=args):
                reader, writer = os.pipe()
                os.close(reader)
                self.expect(1, *args, stdout=writer, err="Broken pipe")
                os.close(writer)

    def test_no_folder(self):
        self.expect(1, "bake", "--game", GAME, "--skin", GOOD, "-o", self.path("no", "a.glb"), err="NOT_FOUND: .*a.glb")
        self.expect(1, "bake", "--game", GAME, "--skin", GOOD, "-o", self.dir, err="is a folder")


class Wad(Case):
    VERSIONS = ("1.0", "2.0", "3.0", "3.1", "3.2", "3.3", "3.4")

    def setUp(self):
        super().setUp()
        self.files = {
            "assets/a.txt": b"a" * 5000,
            "assets/deep/er/b.bin": bytes(range(256)) * 40,
            "empty": b"",
            "data/Mixed Case.TXT": b"mixed",
        }
        for name, data in self.files.items():
            write(data, self.path("in", name))

    def pack(self, folder, name, *args):
        out = self.path(name)
        self.expect(0, "wad", "pack", folder, "-o", out, *args, out="")
        return out

    def lists(self, *names, **forged):
        text = "".join(f"{path_hash(n)} {n}\n" for n in names)
        folder = tempfile.mkdtemp(dir=self.dir)
        write(text.encode() + forged.get("extra", b""), folder, "hashes.game.txt")
        return folder

    def test_round_trip_of_every_version(self):
        lists = self.lists(*self.files)
        for version in self.VERSIONS:
            with self.subTest(version):
                wad = self.pack(self.path("in"), f"{version}.wad", "--wad-version", version)
                self.assertEqual(struct.unpack_from("<2sBB", read(wad)),
                                 (b"RW", int(version[0]), int(version[2])))
                out = self.path("out" + version)
                self.expect(0, "wad", "get", wad, "--all", "-o", out, "--hashes", lists, out="", err="")
                self.assertEqual(tree(out), self.files)
                self.assertEqual(self.expect_json(0, "inspect", wad, "--json")["version"], version)

    def test_names_of_hashes_pack_again(self):
        wad = self.pack(self.path("in"), "a.wad")
        self.expect(0, "wad", "get", wad, "--all", "-o", self.path("out"))
        self.assertEqual(tree(self.path("out")), {path_hash(n): d for n, d in self.files.items()})
        self.assertEqual(read(self.pack(self.path("out"), "b.wad")), read(wad))
        self.assertEqual(read(self.pack(self.path("in") + "/", "c.wad")), read(wad))

    def test_ls(self):
        wad = self.pack(self.path("in"), "a.wad")
        listed = self.expect_json(0, "wad", "ls", wad, "--json")
        self.assertEqual({e["hash"] for e in listed}, {"0x" + path_hash(n) for n in self.files})
        named = self.expect_json(0, "wad", "ls", wad, "--json", "--hashes", self.lists(*self.files))
        self.assertEqual({e["path"]: e["size"] for e in named}, {n: len(d) for n, d in self.files.items()})
        text = self.expect(0, "wad", "ls", wad, "--hashes", self.lists(*self.files)).stdout.decode()
        self.assertRegex(text, r"(?m)^ +5000 +\d+ zstd +assets/a\.txt$")
        self.assertRegex(text, r"(?m)^ +0 +0 raw +empty$")

    def test_get_by_path_and_by_hash(self):
        wad = self.pack(self.path("in"), "a.wad")
        want = self.files["assets/a.txt"]
        for name in ("assets/a.txt", "ASSETS\\A.TXT", "/assets/a.txt", path_hash("assets/a.txt"),
                     "0x" + path_hash("assets/a.txt")):
            self.assertEqual(self.expect(0, "wad", "get", wad, name).stdout, want, name)
        self.expect(0, "wad", "get", wad, "assets/a.txt", "empty", "-o", self.path("out"), out="", err="")
        self.assertEqual(tree(self.path("out")), {"assets/a.txt": want, "empty": b""})
        # One entry goes to the file that is named, unless that is a folder.
        self.expect(0, "wad", "get", wad, "assets/a.txt", "-o", self.path("b.txt"), out="", err="")
        self.assertEqual(read(self.path("b.txt")), want)
        for folder in ("new/", "out"):
            self.expect(0, "wad", "get", wad, "assets/a.txt", "-o", self.path(folder), out="", err="")
            self.assertEqual(read(self.path(folder), "assets/a.txt"), want)
        done = self.expect(1, "wad", "get", wad, "nothing", "assets/a.txt", err="NOT_FOUND: nothing: not in this archive")
        self.assertEqual(done.stdout, want)

    def test_hostile_names_stay_in_the_folder(self):
        wad = self.pack(self.path("in"), "a.wad")
        victim = path_hash("assets/a.txt")
        outside = self.path("outside")
        for name in (b"../outside", b"x/../../outside", outside.encode(), b"..\\outside", b"x\0y", b"..", b".", b"./x",
                     b"x/", b"/", b"", b"n" * 256, b"d/" * 600 + b"f", b"a//../../outside"):
            with self.subTest(name):
                out = tempfile.mkdtemp(dir=self.path())
                self.expect(0, "wad", "get", wad, "--all", "-o", os.path.join(out, "o"), "--hashes",
                            self.lists(extra=victim.encode() + b" " + name + b"\n"))
                self.assertEqual(os.listdir(out), ["o"])
                self.assertFalse(os.path.exists(outside))
                got = tree(os.path.join(out, "o"))
                self.assertEqual(got[victim], self.files["assets/a.txt"])
                self.assertEqual(len(got), len(self.files))

    def test_name_that_is_also_a_folder(self):
        wad = self.pack(self.path("in"), "a.wad")
        forged = f"{path_hash('empty')} x\n{path_hash('assets/a.txt')} x/y\n".encode()
        self.expect(0, "wad", "get", wad, "--all", "-o", self.path("o"), "--hashes", self.lists(extra=forged))
        self.assertEqual(sorted(tree(self.path("o")).values()), sorted(self.files.values()))

    def test_control_characters_are_shown_not_sent(self):
        wad = self.pack(self.path("in"), "a.wad")
        forged = path_hash("empty").encode() + b" \x1b]0;title\x07\xc2\x9bK\n"
        done = self.expect(0, "wad", "ls", wad, "--hashes", self.lists(extra=forged))
        self.assertIn(b"\\x1b]0;title\\x07\\x9bK\n", done.stdout)

    def test_diff(self):
        old = self.pack(self.path("in"), "old.wad")
        for version in self.VERSIONS:
            same = self.pack(self.path("in"), "same.wad", "--wad-version", version)
            self.expect(0, "wad", "diff", old, same, out="", err="")
            self.expect(0, "wad", "diff", same, same, out="")
        write(b"b" * 5000, self.path("in", "assets/a.txt"))  # the same size
        write(b"new", self.path("in", "new"))
        os.remove(self.path("in", "empty"))
        lists = self.lists("new", *self.files)
        for version in self.VERSIONS:
            new = self.pack(self.path("in"), "new.wad", "--wad-version", version)
            text = self.expect(0, "wad", "diff", old, new, "--hashes", lists).stdout.decode()
            self.assertEqual(sorted(line.split(None, 1) for line in text.splitlines()),
                             [["added", "new"], ["changed", "assets/a.txt"], ["removed", "empty"]], version)
        changes = self.expect_json(0, "wad", "diff", old, new, "--json")
        self.assertIn({"change": "added", "hash": "0x" + path_hash("new"), "path": path_hash("new")}, changes)

    def test_diff_names_what_was_only_renamed(self):
        old = self.pack(self.path("in"), "old.wad")
        os.rename(self.path("in", "assets/a.txt"), self.path("in", "moved"))
        new = self.pack(self.path("in"), "new.wad")
        lists = self.lists("moved", *self.files)
        self.expect(0, "wad", "diff", old, new, "--hashes", lists, out=r"^renamed  assets/a\.txt -> moved\n$")
        self.assertEqual(self.expect_json(0, "wad", "diff", old, new, "--json", "--hashes", lists),
                         [{"change": "renamed", "hash": "0x" + path_hash("moved"), "path": "moved",
                           "from_hash": "0x" + path_hash("assets/a.txt"), "from": "assets/a.txt"}])
        # Version 1 has no checksums, so nothing is known to be the same under another name.
        old, new = (self.pack(self.path("in"), n, "--wad-version", "1.0") for n in ("a.wad", "b.wad"))
        self.expect(0, "wad", "diff", old, new, out="")

    def test_diff_of_folders(self):
        def build(name, **archives):
            for archive, files in archives.items():
                parts = self.path("parts", name, archive)
                for path, data in files.items():
                    write(data, parts, path)
                os.makedirs(self.path(name, "DATA", "FINAL", "Champions"), exist_ok=True)
                self.pack(parts, os.path.join(name, "DATA", "FINAL", "Champions", archive + ".wad.client"))
            return self.path(name)

        keep = {"k": b"kept", "l": b"kept too"}
        before = build("before", Same=keep, Edited={"a": b"1", "b": b"2", "c": b"3"}, Gone={"g": b"gone"},
                       Renamed={"r": b"renamed"})
        after = build("after", Same=keep, Edited={"a": b"1", "b": b"!", "d": b"4"}, New={"n": b"new", "o": b"er"},
                      Other={"r": b"renamed"})
        place = "DATA/FINAL/Champions/%s.wad.client"
        lists = self.lists("a", "b", "c", "d", "g", "n", "o", "r")
        text = self.expect(0, "wad", "diff", before, after, "--hashes", lists, err="").stdout.decode()
        self.assertEqual(text.splitlines(), [
            f"archive changed {place % 'Edited'}: 1 added, 1 removed, 1 changed, 0 renamed", "  removed  c",
            *sorted(["  changed  b", "  added    d"], key=lambda line: path_hash(line.split()[1])),
            f"archive added {place % 'New'}: 2 added, 0 removed, 0 changed, 0 renamed",
            f"archive renamed {place % 'Renamed'} -> {place % 'Other'}: 0 added, 0 removed, 0 changed, 0 renamed",
            f"archive removed {place % 'Gone'}: 0 added, 1 removed, 0 changed, 0 renamed"])
        told = {a["archive"]: a for a in self.expect_json(0, "wad", "diff", before, after, "--hashes", lists, "--json")}
        self.assertEqual({a: t["change"] for a, t in told.items()},
                         {place % "Edited": "changed", place % "New": "added", place % "Other": "renamed",
                          place % "Gone": "removed"})
        self.assertEqual({(e["change"], e["path"]) for e in told[place % "Edited"]["entries"]},
                         {("removed", "c"), ("changed", "b"), ("added", "d")})
        self.assertEqual({(e["change"], e["path"]) for e in told[place % "New"]["entries"]}, {("added", "n"), ("added", "o")})
        self.assertEqual(told[place % "Other"]["from"], place % "Renamed")
        self.expect(0, "wad", "diff", before, before, out="", err="")
        self.expect(0, "wad", "diff", before, os.path.join(before, "DATA", "FINAL"), out="", err="")

        # What cannot be read is told, and said to be neither the same nor gone.
        edited = os.path.join(after, place % "Edited")
        for bad in (read(edited)[:280], b"", b"RW\x09\x00" + read(edited)[4:]):
            write(bad, edited)
            text = self.expect(1, "wad", "diff", before, after, err="Edited").stdout.decode()
            self.assertNotIn("Edited", text)
            self.assertIn("archive added", text)
        os.remove(edited)
        self.assertIn("archive removed " + place % "Edited", self.expect(0, "wad", "diff", before, after).stdout.decode())
        self.expect(1, "wad", "diff", before, self.path("no"), out="", err="NOT_FOUND|no regular file")
        os.makedirs(self.path("none"))
        self.expect(1, "wad", "diff", before, self.path("none"), out="", err="NOT_FOUND: .*none")
        one = os.path.join(before, place % "Same")
        self.expect(1, "wad", "diff", one, before, out="", err="no regular file")
        for bad in (read(one)[:280], b"", b"RW\x09\x00" + read(one)[4:]):
            self.expect(1, "wad", "diff", one, write(bad, self.path("bad.wad")), out="", err=r"bad\.wad")

    def test_bad_archives_and_folders(self):
        wad = read(self.pack(self.path("in"), "a.wad"))
        self.expect(1, "wad", "ls", self.path("no.wad"), out="", err=r"NOT_FOUND: .*no\.wad")
        self.expect(1, "wad", "ls", self.dir, out="", err="no regular file")
        self.expect(1, "wad", "ls", write(b"RW\x09\x00", self.path("v.wad")), out="", err=r"v\.wad: .*9.*\(offset 2\)")
        self.expect(1, "wad", "ls", write(wad[:300], self.path("t.wad")), out="", err=r"TRUNCATED: .*t\.wad: ")
        cut = write(wad[:-1], self.path("cut.wad"))
        done = self.expect(1, "wad", "get", cut, "--all", "-o", self.path("o"), err="TRUNCATED")
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertEqual(len(tree(self.path("o"))), len(self.files) - 1)
        self.expect(1, "wad", "pack", self.path("no"), "-o", self.path("x"), err="NOT_FOUND")
        self.expect(1, "wad", "pack", self.path("in", "empty"), "-o", self.path("x"), err="Not a directory")
        write(b"1", self.path("twice", "name"))
        write(b"2", self.path("twice", "NAME"))
        self.expect(1, "wad", "pack", self.path("twice"), "-o", self.path("x"), err="FORMAT")
        os.makedirs(self.path("links"))
        os.symlink("/etc/passwd", self.path("links", "l"))
        self.expect(0, "wad", "pack", self.path("links"), "-o", self.path("l.wad"), err="a link, left out")
        self.assertEqual(self.expect_json(0, "wad", "ls", self.path("l.wad"), "--json"), [])


class Hashes(Case):
    def hashes(self, code, verb, *args, **more):
        return self.expect(code, "hashes", verb, *args, "--data", self.dir, **more)

    def test_import_lookup_stats(self):
        names = ["Run", "Idle1", "trailing ", "with blank in it"]
        lines = [f"{fnv1a(n):08x} {n}\n" for n in names]
        first = write(("".join(lines[:2]) + "nonsense\n" + "12345 short\n" + "00000001 Run\n\n").encode(),
                      self.path("hashes.binhashes.txt.0"))
        second = write("".join(lines[1:]).encode(), self.path("hashes.binhashes.txt.1"))
        done = self.hashes(0, "import", "binhashes", first, second, "--json", err="")
        told = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([(t["new"], t["known"], t["malformed"], t["mismatched"]) for t in told],
                         [(2, 0, 2, 1), (2, 1, 0, 0)])
        again = self.hashes(0, "import", "binhashes", first, out="").stderr.decode()
        self.assertRegex(again, r"0 new, 2 known before, 3 refused")
        for n in names:
            got = self.hashes(0, "lookup", "binhashes", f"{fnv1a(n):08x}").stdout.decode()
            self.assertEqual(got, f"{fnv1a(n):08x} {n}\n")
        upper = f"0x{fnv1a('Run'):08X}"
        found = json.loads(self.hashes(0, "lookup", "binhashes", upper, "--json").stdout)
        self.assertEqual(found, [{"hash": upper, "name": "Run"}])
        done = self.hashes(1, "lookup", "binhashes", "00000001", upper, err="NOT_FOUND: 00000001")
        self.assertEqual(done.stdout.decode(), f"{upper} Run\n")
        stats = json.loads(self.hashes(0, "stats", "--json").stdout)
        self.assertEqual(stats, {"game": 0, "binentries": 0, "binhashes": 4, "binfields": 0, "bintypes": 0, "learnt": 0})
        self.hashes(0, "stats", out=r"(?m)^binhashes: 4$")
        self.assertEqual(run("hashes", "stats", "--json", env={"RIFT_DATA": self.dir}).returncode, 0)

    def test_game_table(self):
        name = "assets/characters/bramble/skins/base/a-rather-long-name-of-a-texture.tex"
        self.hashes(0, "import", "game", write(f"{path_hash(name)} {name}\n".encode(), self.path("l")))
        self.hashes(0, "lookup", "game", path_hash(name), out=re.escape(name))

    def test_failures(self):
        self.hashes(1, "stats", out="", err="NOT_FOUND|IO")
        self.hashes(1, "import", "game", self.path("no"), out="", err="NOT_FOUND: .*no")
        self.hashes(0, "import", "game", write(b"", self.path("empty")))
        self.hashes(2, "lookup", "game", "xyz", out="", err='"xyz" is no hash')
        write(b"no database at all", self.path("hashes.db"))
        self.hashes(1, "stats", out="", err="riftbake hashes: ")


class Inspect(Case):
    @classmethod
    def setUpClass(cls):
        """One file of each kind, from the synthetic game."""
        cls.files = {}
        out = tempfile.mkdtemp(dir=WORK)
        for name in ("Champions/Bramble", "Champions/Shaco"):
            wad = os.path.join(GAME, "DATA/FINAL", name + ".wad.client")
            run("wad", "get", wad, "--all", "-o", out)
        for name in sorted(os.listdir(out)):
            done = run("inspect", os.path.join(out, name), "--json")
            if done.returncode == 0:
                cls.files.setdefault(json.loads(done.stdout)["kind"], os.path.join(out, name))
        cls.files["wad"] = wad
        cls.files["glb"] = os.path.join(out, "x.glb")
        run("bake", "--game", GAME, "--skin", GOOD, "-o", cls.files["glb"])

    def inspect(self, kind, *args):
        return self.expect_json(0, "inspect", self.files[kind], "--json", *args, err="")

    def test_kinds_of_the_game(self):
        self.assertLessEqual({"wad", "bin", "skn", "skl", "anm", "tex", "glb"}, set(self.files))

    def test_headers(self):
        for kind in self.files:
            data = read(self.files[kind])
            told = self.inspect(kind)
            self.assertEqual((told["kind"], told["bytes"], told["file"]), (kind, len(data), self.files[kind]))
        data = read(self.files["skn"])
        self.assertEqual(self.inspect("skn")["version"], struct.unpack_from("<H", data, 4)[0])
        self.assertEqual(len(self.inspect("skn")["submeshes"]), struct.unpack_from("<I", data, 8)[0])
        width, height = struct.unpack_from("<HH", read(self.files["tex"]), 4)
        told = self.inspect("tex")
        self.assertEqual((told["width"], told["height"]), (width, height))
        data = read(self.files["bin"])
        at = 8 if data[:4] == b"PROP" else 20
        self.assertEqual(self.inspect("bin")["version"], struct.unpack_from("<I", data, at - 4)[0])
        doc = glb_json(read(self.files["glb"]))
        told = self.inspect("glb")
        self.assertEqual((told["nodes"], told["accessors"], told["clips"]),
                         (len(doc["nodes"]), len(doc["accessors"]), [a["name"] for a in doc["animations"]]))
        self.assertEqual(told["requires"], [])
        data = read(self.files["anm"])
        self.assertEqual(self.inspect("anm")["version"], struct.unpack_from("<I", data, 8)[0])

    def test_every_version(self):
        """The fuzz targets' seeds: what their names say, read back."""
        rows = [
            *((f"skn/v4t{t}.skn", {"version": 4, "vertex_type": t, "vertices": 4, "triangles": 2}) for t in range(4)),
            *((f"skn/v{v}.skn", {"version": v, "vertex_type": 0, "vertices": 4}) for v in range(3)),
            ("skl/current.skl", {"legacy": False, "joint_count": 3, "influences": 2}),
            ("skl/legacy0.skl", {"legacy": True, "version": 0, "joint_count": 3, "influences": 3}),
            ("skl/legacy2.skl", {"legacy": True, "version": 2, "joint_count": 3, "influences": 2}),
            *((f"anm/anmd{v}.anm", {"compressed": False, "version": v, "interpolation": "linear"}) for v in (3, 4, 5)),
            ("anm/canm.anm", {"compressed": True, "interpolation": "spline, parametrised"}),
            ("bin/prop1-old", {"version": 1, "patch": False, "type_numbers": "before 9.23", "links": []}),
            ("bin/prop2-middle", {"version": 2, "type_numbers": "9.23-10.7", "links": ["DATA/a.bin"]}),
            ("bin/ptch3", {"version": 3, "patch": True, "type_numbers": "10.8+"}),
            ("scb/v22.scb", {"version": "2.2", "materials": ["Stone", "Wood"]}),
            ("scb/v32.scb", {"version": "3.2", "vertices": 3}),
            ("wad/v1", {"version": "1.0", "entries": 4}),
            ("wad/v2", {"version": "2.0", "entries": 4}),
            ("wad/v3.0", {"version": "3.0"}),
            ("wad/v3.3-no-table", {"version": "3.3", "sub_chunks": 0}),
            ("wad/v3.4", {"version": "3.4"}),
            ("image/bc1-5x3-mips.dds", {"kind": "dds", "format": "BC1", "stored_format": "DXT1", "width": 5,
                                        "height": 3, "levels": 3}),
            ("image/bc5-8x2-mips.tex", {"kind": "tex", "format": "BC5", "width": 8, "height": 2, "levels": 4}),
            ("image/bc7-4x4-dx10.dds", {"kind": "dds", "format": "BC7", "stored_format": 98, "levels": 1}),
        ]
        paths = [os.path.join(SOURCE, "tests/fuzz/corpus", name) for name, _ in rows]
        done = self.expect(0, "inspect", "--json", *paths, err="")
        for line, (name, want) in zip(done.stdout.splitlines(), rows, strict=True):
            told = json.loads(line)
            self.assertEqual({k: told.get(k) for k in want}, want, name)

    def test_full_says_more(self):
        for kind in ("bin", "skl", "anm"):
            self.assertGreater(len(json.dumps(self.inspect(kind, "--full"))), len(json.dumps(self.inspect(kind))))

    def test_outline_reads_well(self):
        text = self.expect(0, "inspect", self.files["skl"]).stdout.decode()
        self.assertRegex(text, r"(?m)^kind: skl$")
        self.assertRegex(text, r"(?m)^  - id: 0, name: \S+, parent: -1, hash: 0x[0-9a-f]{8}$")
        for kind in self.files:
            text = self.expect(0, "inspect", self.files[kind], "--full").stdout.decode()
            self.assertNotRegex(text, r"(?m)[{}]|\n\s*\n| $|:\s*$(?!\n  )|[\x00-\x09\x0b-\x1f]")

    def test_stdin(self):
        for kind in self.files:
            told = self.expect_json(0, "inspect", "-", "--json", stdin=read(self.files[kind]))
            want = self.inspect(kind)
            self.assertEqual({**told, "file": ""}, {**want, "file": ""})

    def test_damaged_and_unknown(self):
        for kind, name in self.files.items():
            with self.subTest(kind):
                half = write(read(name)[:24], self.path("half." + kind))
                self.expect(1, "inspect", half, out="", err=rf"riftbake inspect: [A-Z]+: .*half\.{kind}: \S.*\d")
        self.expect(1, "inspect", write(b"", self.path("empty")), out="", err="empty: .*no known format: 0 bytes")
        self.expect(1, "inspect", write(b"hello there", self.path("text")), out="",
                    err=r"text: .*no known format: 11 bytes, first 68 65 6c 6c 6f 20 74 68 \(offset 0\)")
        self.expect(1, "inspect", self.path("no"), out="", err="NOT_FOUND")
        self.expect(1, "inspect", self.dir, out="", err="IO")

    def test_several_files_and_one_is_bad(self):
        bad = write(b"x", self.path("bad"))
        done = self.expect(1, "inspect", "--json", self.files["skn"], bad, self.files["skl"], err="no known format")
        self.assertEqual([json.loads(line)["kind"] for line in done.stdout.splitlines()], ["skn", "skl"])

    @staticmethod
    def bin_of(class_name, field_name, text):
        """A PROP 3 with one entry of one class, which holds one string."""
        value = struct.pack("<IBH", fnv1a(field_name), 16, len(text)) + text
        entry = struct.pack("<IH", fnv1a("the/entry"), 1) + value
        return struct.pack("<4sIIIII", b"PROP", 3, 0, 1, fnv1a(class_name), len(entry)) + entry

    def test_names_from_lists(self):
        name = write(self.bin_of("TheClass", "theField", b"text"), self.path("b.bin"))
        told = self.expect_json(0, "inspect", "--full", "--json", name)["entries"]
        self.assertEqual(told, [{"path": f"0x{fnv1a('the/entry'):08x}",
                                 "object": {"class": f"0x{fnv1a('TheClass'):08x}",
                                            f"0x{fnv1a('theField'):08x}": "text"}}])
        for i, (table, word) in enumerate((("binentries", "the/entry"), ("bintypes", "TheClass"),
                                           ("binfields", "other"), ("binfields", "theField"))):
            part = f".{i - 2}" if table == "binfields" else ""
            write(f"{fnv1a(word):08x} {word}\n".encode(), self.path("lists", f"hashes.{table}.txt{part}"))
        told = self.expect_json(0, "inspect", "--full", "--json", name, "--hashes", self.path("lists"))["entries"]
        self.assertEqual(told, [{"path": "the/entry", "object": {"class": "TheClass", "theField": "text"}}])

    def test_no_text_steers_the_terminal(self):
        name = write(self.bin_of("C", "f", b'\x1b]0;x\x07 \xc2\x9b1m "q" \\ \n'), self.path("b.bin"))
        out = self.expect(0, "inspect", "--full", name).stdout.decode()
        self.assertNotRegex(out, "[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        self.assertIn('"q" \\', out)
        done = self.expect(1, "inspect", self.path("\x1b[31mred"), err=r"\\x1b\[31mred")
        self.assertNotIn(b"\x1b", done.stderr)

    def test_deep_bin(self):
        """Pointers in one another, to the parser's limit: shown whole, in both forms, and one more is refused."""
        for levels, code in ((64, 0), (65, 1)):
            field = struct.pack("<IB", 1, 2) + struct.pack("<b", 5)
            kind = 2
            body = struct.pack("<b", 5)
            for _ in range(levels):
                inner = struct.pack("<H", 1) + struct.pack("<IB", 7, kind) + body
                body = struct.pack("<II", 9, len(inner)) + inner
                kind = 0x82
            entry = struct.pack("<IH", 11, 1) + struct.pack("<IB", 7, kind) + body
            data = b"PROP" + struct.pack("<III", 3, 0, 1) + struct.pack("<I", 13) + struct.pack("<I", len(entry)) + entry
            name = write(data, self.path("deep.bin"))
            self.expect(code, "inspect", "--full", "--json", name)
            self.expect(code, "inspect", "--full", name)


class Health(Case):
    @staticmethod
    def serve(status):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(status if self.path == "/livez" else 404)
                self.end_headers()

            def log_message(self, *args):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server, f"http://127.0.0.1:{server.server_address[1]}"

    def test_answers(self):
        for status, code in ((200, 0), (503, 1), (404, 1)):
            server, url = self.serve(status)
            self.expect(code, "health", "--server", url, out="", err=rf"/livez: {status}")
            self.expect(code, "health", "--server", url + "/", "-q", out="", err="")
            self.expect(code, "health", out="", env={"RIFT_SERVER": url, "http_proxy": "http://127.0.0.1:1"})
            server.shutdown()
            server.server_close()

    def test_nothing_there(self):
        self.expect(1, "health", "--server", "http://127.0.0.1:1", out="", err="connect")
        self.expect(1, "health", "--server", "http://127.0.0.1:1", "--quiet", out="", err="")
        self.expect(1, "health", "--server", "file:///etc/passwd", out="")


class DemoGame(Case):
    def test_same_seed_same_bytes(self):
        self.expect(0, "demo-game", self.path("a"), "--seed", "1", out="", err=r"Bramble\.wad\.client: \d+ bytes")
        self.assertEqual(tree(self.path("a")), tree(GAME))
        self.expect(0, "demo-game", self.path("b"), "--seed", "2", "-q", out="", err="")
        self.assertEqual(set(tree(self.path("a"))), set(tree(self.path("b"))))
        self.assertLess(sum(map(len, tree(GAME).values())), 2_000_000)

    def test_where_it_cannot_be(self):
        self.expect(1, "demo-game", os.path.join(write(b"", self.path("file")), "x"), err="riftbake demo-game: ")


class Corpus(Case):
    """Real files, where they are."""

    def setUp(self):
        super().setUp()
        self.corpus = os.environ.get("RIFT_CORPUS") or os.path.join(SOURCE, "..", "shared", "corpus")
        if not os.path.isdir(self.corpus):
            self.skipTest("no corpus")

    def test_inspect_everything(self):
        files = [os.path.join(at, n) for at, _, names in os.walk(self.corpus) for n in names
                 if not n.endswith((".md", ".txt", ".json"))]
        done = self.expect(1, "inspect", "--json", *files, err="newline")
        bad = [line for line in done.stderr.decode().splitlines()]
        self.assertEqual(len(bad), 1, bad)
        self.assertEqual(len(done.stdout.splitlines()), len(files) - 1)

    def test_describe_every_skin(self):
        game = os.path.join(self.corpus, "game")
        for skin in self.expect_json(0, "skins", "--game", game, "--json"):
            lost = skin["id"] == 157034
            done = self.expect(1 if lost else 0, "describe", "--game", game, "--skin", str(skin["id"]),
                               err="Skin09.skn" if lost else "")
            if not lost:
                self.assertEqual(json.loads(done.stdout)["id"], skin["id"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
