"""End to end: vector files and layered animations from the command line, on the synthetic game.

usage: test_layers.py RIFTBAKE [unittest arguments]
"""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

RIFTBAKE = os.path.abspath(sys.argv.pop(1))
SOURCE = os.environ.get("RIFT_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
VECTORS = os.path.join(SOURCE, "tests", "golden", "layering-vectors.json")
SKIN = "bramble/0"
WORK = GAME = None


def setUpModule():
    global WORK, GAME
    WORK = tempfile.mkdtemp(prefix="riftbake-layers-")
    GAME = os.path.join(WORK, "game")
    assert run("demo-game", "--quiet", GAME).returncode == 0


def tearDownModule():
    shutil.rmtree(WORK)


def run(*args, stdin=b""):
    env = {k: v for k, v in os.environ.items() if not k.startswith("RIFT_")}
    env.update({"ASAN_OPTIONS": "exitcode=99", "LSAN_OPTIONS": "exitcode=99"})
    return subprocess.run([RIFTBAKE, *args], input=stdin, capture_output=True, env=env, timeout=120, check=False)


def write(name, value):
    path = os.path.join(WORK, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))
    return path


def play(clip, slot=0, at=0, **more):
    return {"at": at, "op": "play_masked" if "mask" in more else "play", "slot": slot, "clip": clip, **more}


def timeline(*commands, **more):
    return {"name": "Both", "duration": 1.5, "commands": list(commands), **more}


class Check(unittest.TestCase):
    def test_the_vectors(self):
        done = run("layers", "check", VECTORS)
        lines = done.stdout.decode().splitlines()
        self.assertEqual((done.returncode, len(lines)), (0, 33), done)
        self.assertTrue(all(line.endswith(" ok") for line in lines))
        self.assertEqual((lines[0], lines[14], lines[32]), ("mask:Upper ok", "V01 ok", "V19 ok"))
        self.assertEqual(done.stderr, b"33 of 33 ok\n")
        with open(VECTORS, "rb") as file:
            self.assertEqual(run("layers", "check", "-", "-q", stdin=file.read()).stdout, done.stdout)

    def test_a_difference_is_1(self):
        with open(VECTORS, encoding="utf-8") as file:
            vectors = json.load(file)
        vectors["cases"][2]["samples"][0]["joints"]["Hips"]["t"][1] += 0.5
        vectors["cases"][9]["samples"][2]["slots"] = [0]
        done = run("layers", "check", write("wrong.json", vectors))
        self.assertEqual(done.returncode, 1)
        faults = [line for line in done.stdout.decode().splitlines() if not line.endswith(" ok")]
        self.assertEqual(faults, ["V03 FAIL t[Hips].y@0.2 expected 91.1 got 90.6",
                                  "V10 FAIL slot[2]@0.35 expected empty got occupied"])
        self.assertEqual(done.stderr, b"31 of 33 ok\n")

    def test_other_files_and_calls(self):
        for args, code, word in ((["layers"], 2, b"layers check FILE"), (["layers", "check"], 2, b"layers check FILE"),
                                 (["layers", "run", VECTORS], 2, b'no verb "run", only check'),
                                 (["layers", "check", os.path.join(WORK, "none.json")], 1, b"NOT_FOUND"),
                                 (["layers", "check", write("no.json", "{")], 1, b"no.json: vectors: is no JSON"),
                                 (["layers", "check", write("other.json", "{}")], 1, b"schema: is not")):
            done = run(*args)
            self.assertEqual((done.returncode, done.stdout), (code, b""), done)
            self.assertIn(word, done.stderr)


class Layers(unittest.TestCase):
    def bake(self, layers, *args, clips="Run", code=0):
        if not isinstance(layers, str):
            layers = write("timeline.json", layers)
        done = run("bake", "--game", GAME, "--skin", SKIN, "--texture", "none", "--clips", clips, "--layers", layers, *args)
        self.assertEqual(done.returncode, code, done.stderr)
        if code:
            return done.stderr.decode()
        size, = struct.unpack_from("<I", done.stdout, 12)
        return json.loads(done.stdout[20:20 + size])

    def layered(self, layers, *args, **more):
        doc = self.bake(layers, *args, **more)
        return doc["animations"][-1]["extras"]["riftbake"]["layers"], doc

    def test_one_more_animation(self):
        plain = run("bake", "--game", GAME, "--skin", SKIN, "--texture", "none", "--clips", "Run")
        said, doc = self.layered(timeline(play("Run", loop=True), play("Attack1", 2, 0.2, mask="game:UpperBody")))
        self.assertEqual([a["name"] for a in doc["animations"]], ["Run", "Both"])  # Attack1 is not written
        self.assertEqual(said["timeline"]["commands"][1],
                         {"at": 0.2, "op": "play_masked", "slot": 2, "clip": "Attack1", "mask": "game:UpperBody"})
        self.assertEqual((said["warnings"], said["masks"][0]["known"]), ([], True))
        self.assertLessEqual(said["error"]["translation"], 0.02)
        self.assertLessEqual(said["error"]["rotation_deg"], 0.05)
        self.assertEqual(doc["asset"]["extras"]["riftbake"]["options"]["layers"]["name"], "Both")
        last = max(doc["accessors"][s["input"]]["max"][0] for s in doc["animations"][1]["samplers"])
        self.assertEqual(last, 1.5)
        self.assertNotIn(b'"layers"', plain.stdout)

    def test_same_request_same_bytes(self):
        path = write("a.json", timeline(play("Run", loop=True), play("Idle1", 1, 0.5)))
        other = write("b.json", " " + json.dumps(timeline(play("Idle1", 1, 0.5, speed=1.0), play("Run", loop=True), fps=30)))
        args = ["bake", "-q", "--game", GAME, "--skin", SKIN, "--texture", "none", "--clips", "none", "--layers"]
        first = run(*args, path)
        self.assertEqual(first.returncode, 0, first)
        self.assertEqual(first.stdout, run(*args, other).stdout)
        self.assertEqual(first.stdout, run(*args, json.dumps(timeline(play("Run", loop=True), play("Idle1", 1, 0.5)))).stdout)
        self.assertNotEqual(first.stdout, run(*args, json.dumps(timeline(play("Run", loop=True)))).stdout)

    def test_composite_clips_are_their_representative(self):
        _, doc = self.layered(timeline(play("Dance", loop=True), play("Idle_Selector", 1, 0.5)))
        report = {e["code"]: e["examples"] for e in doc["asset"]["extras"]["riftbake"]["report"]}
        self.assertEqual(report["clip_represented"], ["Both: Dance is a sequencer clip, Taunt stands for it",
                                                      "Both: Idle_Selector is a selector clip, Joke stands for it"])

    def test_what_is_not_there_is_said_and_moves_nothing(self):
        good = [play("Run", loop=True)]
        bad = [play("Nope", 1), play("Channel", 2), play("Idle1", 9), play("Idle1", 3, mask="game:Tail"), play("Idle1", 4, mask="stored"),
               {"at": 0.1, "op": "stop", "slot": 5}, play("Idle1", 6, 1.6), play("Idle1", 7, mask={"include": ["nobody"]})]
        said, doc = self.layered(timeline(*good, *bad))
        self.assertEqual(said["warnings"], ["unknown_clip:Nope", "unknown_clip:Channel", "slot_out_of_range", "unknown_mask:game:Tail",
                                            "unknown_mask:stored", "slot_empty:stop", "command_after_end:play"])
        self.assertEqual(said["masks"][2]["warnings"], ["mask_unknown_joint:nobody", "mask_empty"])
        alone = self.bake(timeline(*good))
        self.assertEqual([(c["target"], s) for c, s in zip(doc["animations"][-1]["channels"], doc["animations"][-1]["samplers"])],
                         [(c["target"], s) for c, s in zip(alone["animations"][-1]["channels"], alone["animations"][-1]["samplers"])])
        codes = {e["code"] for e in doc["asset"]["extras"]["riftbake"]["report"]}
        self.assertLessEqual({"unknown_clip", "unknown_mask", "slot_empty", "slot_out_of_range", "mask_empty", "clip_missing",
                              "command_after_end"}, codes)

    def test_masks_of_every_kind(self):
        masks = ["game:LowerBody", "game:0x%08x" % fnv1a("UpperBody"), {"include": ["Root"]}, {"weight_list": [1, 0.5]}]
        said, _ = self.layered(timeline(*[play("Run", i, mask=mask) for i, mask in enumerate(masks)]))
        self.assertEqual([m["known"] for m in said["masks"]], [True] * 4)
        self.assertEqual([m["warnings"] for m in said["masks"]], [["mask_short"], [], [], ["mask_short"]])
        self.assertEqual((said["masks"][0]["joints"], said["masks"][3]["joints"]), (4, 2))

    def test_clips_of_every_name(self):
        said, _ = self.layered(timeline(play("run"), play("0x%08x" % fnv1a("Idle1"), 1), play("0xdec0de01", 2)))
        self.assertEqual(said["warnings"], [])

    def test_auto(self):
        said, doc = self.layered("auto:Wind,Attack1,Run,Attack2")
        commands = said["timeline"]["commands"]
        self.assertEqual([(c["slot"], c["clip"], c["op"]) for c in commands],
                         [(0, "Run", "play_masked"), (1, "Attack2", "play_masked"), (2, "Attack1", "play_masked"),
                          (3, "Wind", "play_additive")])
        self.assertEqual([c.get("weight", 1) for c in commands], [1, 0.5, 1, 1])
        self.assertEqual([c.get("mask") for c in commands], [None, "game:LowerBody", "game:UpperBody", None])
        self.assertEqual((commands[3]["base"], commands[0].get("loop"), commands[2].get("loop")), ("identity", True, None))
        self.assertEqual([a["name"] for a in doc["animations"]], ["Run", "layers"])
        # Without a list: what is selected for writing.
        said, _ = self.layered("auto", clips="Attack1,Run")
        self.assertEqual([c["clip"] for c in said["timeline"]["commands"]], ["Run", "Attack1"])

    def test_snaps_follow_the_slot(self):
        # Recall holds the weapon for its whole second, and is played from 0.25 s on; the run jumps meanwhile, and that costs nothing.
        doc = self.bake(timeline(play("Run", loop=True), play("Recall", 2, 0.25)))
        told = doc["animations"][-1]["extras"]["riftbake"]
        snap = next(s for s in told["snaps"] if (s["joint"], s["to"]) == ("Weapon", "Snap_Weapon2World"))
        self.assertAlmostEqual(snap["start"], 0.25, 6)
        self.assertAlmostEqual(snap["end"], 1.25, 6)
        self.assertLessEqual(snap["error"], 0.3)
        self.assertNotIn("dropped_snaps", told)
        said = doc["asset"]["extras"]["riftbake"]
        self.assertNotIn("snap_bake_failed", {e["code"] for e in said["report"]})
        self.assertIn({"joint": "Weapon", "parent": "Hand"}, said["reparented"])
        # Below a half, nothing is held.
        light = play("Recall", 2, 0.25)
        light["weight"] = 0.49
        doc = self.bake(timeline(play("Run", loop=True), light))
        self.assertNotIn("snaps", doc["animations"][-1]["extras"]["riftbake"])

    def test_refusals_name_command_and_field(self):
        rows = (("auto", "*", "riftbake bake: layers: layers.auto: more clips than the 8 slots", 2), ("auto:1,2,3,4,5,6,7,8,9", "Run", "has more clips", 2),
                (timeline(play("Run"), {"at": 0, "op": "fade", "slot": 0, "weight": 0}), "Run", "commands[1].seconds: is missing", 2),
                ('{"duration":1,"commands":[{"at":0,"op":"play","slot":0,"clip":"Run","weight":1e999}]}', "Run",
                 "commands[0].weight: is not finite", 2),
                (timeline(*[play("Run")] * 10001), "Run", "commands: 10001 commands are over 10000", 2),
                (timeline(duration=601), "Run", "duration: is over 600 seconds", 2),
                (timeline(play("Run", loop=True, speed=1e9)), "Run", "candidate instants are over", 1),
                (os.path.join(WORK, "none.json"), "Run", "none.json", 2))
        for layers, clips, word, code in rows:
            self.assertIn(word, self.bake(layers, clips=clips, code=code))

    def test_content_without_animations_has_none(self):
        self.assertNotIn("animations", self.bake(timeline(play("Run")), "--content", "rig"))


def fnv1a(name):
    value = 0x811C9DC5
    for byte in name.lower().encode():
        value = (value ^ byte) * 0x01000193 & 0xFFFFFFFF
    return value


if __name__ == "__main__":
    unittest.main()
