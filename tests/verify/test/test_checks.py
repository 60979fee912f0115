#!/usr/bin/python3
"""The numeric checks accept a conforming file and refuse each kind of damage, naming the rule."""

import copy
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]

try:
    import numpy as np

    import builders as b
    import check_glb
    import reference
    from checks import Findings
    from checks.clips import ClipSource
    from checks.mesh import check_winding
    from league import skl, skn
    from league.gltf import Glb
    from league.hashes import fnv1a
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(77)

HALF = float(np.sqrt(0.5))


def rig():
    """Influence 0 is joint 1; `head` under the root is the stub of T's example; a zero-weight slot is 200."""
    joints = [{"name": "Root", "t": (0, 10, 1), "it": (0, -10, -1)},
              {"name": "L_Spine", "parent": 0, "t": (-2, 5, 0), "it": (2, -15, -1)},
              {"name": "Head", "parent": 1, "t": (-1, 8, 2), "it": (3, -23, -3)},
              {"name": "head", "parent": 0, "t": (0, -10, -1)},
              {"name": "R_Prop", "parent": 0, "t": (4, 0, 0), "it": (-4, -10, -1)},
              {"name": "head", "parent": 4, "t": (0, 0, 1), "it": (-4, -10, -2)}]
    return b.skl(joints, [1, 2, 4])


def mesh():
    body = [b.vertex((0, 0, 0), (0, 200, 0, 0), (1, 0, 0, 0), (0, 0, 2), (0.25, 0.5)),
            b.vertex((10, 0, 0), (0, 1, 0, 0), (0.5, 0.25, 0, 0), (0, 0, 0), (float("nan"), 1.5)),
            b.vertex((0, 20, 0), (1, 1, 2, 0), (0.25, 0.25, 0.5, -1), (0, 0.1, 1)),
            b.vertex((5, 9, 1), (2, 9, 0, 0), (0, 0.5, 0, 0), (0, 0, 1))]
    cape = [b.vertex((i, i * i, 3), (2, 0, 0, 0), (1, 0, 0, 0), (0, 0, 1)) for i in range(4)]
    index = [0, 1, 2, 0, 1, 3, 1, 1, 2, 4, 5, 6, 5, 6, 7]
    ranges = [("Body", 0, 4, 0, 9), ("Cape", 4, 4, 9, 6), ("Tail", 0, 4, 0, 3)]
    return b.skn(ranges, index, body + cape)


def walk():
    """Compressed: a turning spine, a jumping prop, both `head` tracks, a track of no joint."""
    names = ["root", "l_spine", "head", "r_prop", "head", 0x0BADF00D]
    keys = b.constant(0, translation=(32768, 45000, 35000))
    keys += [(t, 1, 0, q) for t, q in ((0, (0, 0, 0, 1)), (0, (0, 0, 0, 1)), (20000, (0, 0, HALF, HALF)),
             (40000, (0.6, 0, 0, 0.8)), (65535, (0, 0, 0, 1)), (65535, (0, 0, 0, 1)))]
    keys += [k for k in b.constant(1, translation=(30000, 40000, 32768)) if k[2]]
    keys += b.constant(2, translation=(31000, 43000, 35500))
    keys += [(t, 3, 1, v) for t, v in ((0, (40000, 33000, 33000)), (0, (40000, 33000, 33000)), (30000, (60000, 50000, 33000)),
             (30000, (60000, 50000, 33000)), (65535, (10000, 20000, 60000)), (65535, (10000, 20000, 60000)))]
    keys += [k for k in b.constant(3) if k[2] != 1]
    keys += b.constant(4, translation=(32768, 23000, 31000)) + b.constant(5)
    return b.canm(names, keys, 1.5, 4, ((-30, -30, -30), (30, 30, 30), (0, 0, 0), (1, 1, 1)))


def pose():
    """Uncompressed: one frame only, spine and root."""
    return b.anm5(["L_Spine", "Root"], [(-2, 5, 0), (1, 1, 1), (0, 10, 1)], [(0, 0, 0, 1), (0.6, 0, 0, 0.8)],
                  [[(0, 1, 1), (2, 1, 0)]])


def run_cycle():
    vectors = [(0, 10, 1), (1, 1, 1), (0, 12, 1), (2, 2, 2), (-2, 5, 0)]
    quats = [(0, 0, 0, 1), (0, HALF, 0, HALF), (0, -HALF, 0, HALF)]
    frames = [[(0, 1, 0), (4, 1, 0)], [(2, 3, 1), (4, 1, 2)], [(0, 1, 0), (4, 1, 0)]]
    return b.anm5(["Root", "L_Spine"], vectors, quats, frames)


class Case:
    """Sources, a conforming GLB of them, and the checks as one call."""

    def __init__(self, additive=False, clips=None):
        self.skn, self.skl = mesh(), rig()
        self.clips = clips or [(walk(), "t_walk.anm"), (pose(), "t_pose.anm"), (run_cycle(), "t_run.anm")]
        self.additive = additive
        self.sources = self.make_sources()
        self.bytes = reference.write(self.sources.skn, self.sources.skl, self.sources.clips, {"tail"})

    def make_sources(self):
        clips = [ClipSource(d, p, fnv1a(p[2:-4]), 1 / 30, additive=self.additive) for d, p in self.clips]
        sources = check_glb.Sources.__new__(check_glb.Sources)
        sources.skn, sources.skl = skn.Skn(self.skn), skl.Skl(self.skl)
        sources.clips, sources.hidden, sources.ordered, sources.looks = clips, {"tail"}, True, None
        return sources

    def check(self, glb=None):
        found = Findings()
        with np.errstate(all="ignore"):
            check_glb.check(glb or Glb(self.bytes), self.sources, found)
        return found

    def damaged(self, change):
        """Findings after `change(glb)`, which may edit the JSON and the arrays in place."""
        glb = Glb(self.bytes)
        glb.json = copy.deepcopy(glb.json)
        glb._arrays = {i: glb.array(i).copy() for i in range(len(glb.json["accessors"]))}
        change(glb)
        return self.check(glb)


def node(glb, name):
    return next(n for n in glb.json["nodes"] if n.get("name") == name)


def attribute(glb, word, part=0):
    return glb._arrays[glb.json["meshes"][part]["primitives"][0]["attributes"][word]]


def sampler(glb, clip, name, path):
    animation = next(a for a in glb.json["animations"] if a["name"] == clip)
    target = next(i for i, n in enumerate(glb.json["nodes"]) if n.get("name") == name)
    channel = next(c for c in animation["channels"] if c["target"] == {"node": target, "path": path})
    return animation["samplers"][channel["sampler"]]


def key(glb, clip, name, path, row, change):
    """Adds to one key of a channel that no other channel shares."""
    own = sampler(glb, clip, name, path)
    copy_of = glb._arrays[own["output"]].copy()
    copy_of[row] += np.array(change, np.float32)
    if path == "rotation":
        copy_of[row] /= np.linalg.norm(copy_of[row])
    glb.json["accessors"].append(dict(glb.json["accessors"][own["output"]]))
    own["output"] = len(glb.json["accessors"]) - 1
    glb._arrays[own["output"]] = copy_of


def drop_keys(glb, clip, name, path, keep):
    own = sampler(glb, clip, name, path)
    count = len(glb._arrays[own["input"]])
    rows = [i for i in range(count) if keep(i, count)]
    for word in ("input", "output"):
        array = glb._arrays[own[word]]
        accessor = dict(glb.json["accessors"][own[word]], count=len(rows))
        glb.json["accessors"].append(accessor)
        own[word] = len(glb.json["accessors"]) - 1
        glb._arrays[own[word]] = array[rows]


def flip(array, row):
    array[row] = -array[row]


def set_value(array, at, value):
    array[at] = value


def drop_channel(glb, clip, name, path):
    animation = next(a for a in glb.json["animations"] if a["name"] == clip)
    target = next(i for i, n in enumerate(glb.json["nodes"]) if n.get("name") == name)
    animation["channels"] = [c for c in animation["channels"] if c["target"] != {"node": target, "path": path}]


def retarget(glb, clip, name, path, to):
    animation = next(a for a in glb.json["animations"] if a["name"] == clip)
    index = {n.get("name"): i for i, n in enumerate(glb.json["nodes"])}
    for channel in animation["channels"]:
        if channel["target"] == {"node": index[name], "path": path}:
            channel["target"] = {"node": index[to], "path": path}


def bind(glb):
    return glb._arrays[glb.json["skins"][0]["inverseBindMatrices"]]


def stretch(glb, clip):
    animation = next(a for a in glb.json["animations"] if a["name"] == clip)
    for index in {s["input"] for s in animation["samplers"]}:
        glb._arrays[index] *= np.float32(1.5)
        for word in ("min", "max"):
            glb.json["accessors"][index][word] = [float(glb._arrays[index][0 if word == "min" else -1, 0])]


def swap_animations(glb):
    glb.json["animations"][0], glb.json["animations"][2] = glb.json["animations"][2], glb.json["animations"][0]


def own(glb):
    return glb.json["asset"]["extras"]["riftbake"]


# rule, what is wrong, how to make it so
DAMAGE = [
    ("G6", "a position not mirrored", lambda g: set_value(attribute(g, "POSITION"), (1, 0), 0.1)),
    ("G6", "a position off by 1e-5", lambda g: set_value(attribute(g, "POSITION"), (2, 1), 0.200002)),
    ("G6", "a normal turned", lambda g: set_value(attribute(g, "NORMAL"), 0, (0, 1, 0))),
    ("G7", "a triangle wound as in the source", lambda g: set_value(
        g._arrays[g.json["meshes"][1]["primitives"][0]["indices"]], (slice(0, 3), 0), (0, 1, 2))),
    ("G9", "another sigma", lambda g: own(g).update(sigma=1.0)),
    ("G12", "a rest rotation of length 1.001", lambda g: node(g, "Head").update(rotation=[0, 0, 0, 1.001])),
    ("G13", "a rest translation off", lambda g: node(g, "Head").update(translation=[0.01, 0.08001, 0.02])),
    ("G13", "a rest rotation off", lambda g: node(g, "Head").update(rotation=[0.001, 0, 0, (1 - 1e-6) ** 0.5])),
    ("G13", "a rest scale off", lambda g: node(g, "Head").update(scale=[1, 1, 1.00001])),
    ("G14", "a joint renamed", lambda g: node(g, "Head").update(name="Kopf")),
    ("G14", "an identical name without its id", lambda g: node(g, "head__5").update(name="head_1")),
    ("G14", "a renamed joint untold", lambda g: g.json["skins"][0].pop("extras")),
    ("G14", "a part renamed", lambda g: node(g, "Cape").update(name="cape")),
    ("G16", "a joint left out", lambda g: g.json["skins"][0]["joints"].pop()),
    ("G16", "two joints swapped", lambda g: g.json["skins"][0]["joints"].reverse()),
    ("G17", "a bind matrix off", lambda g: set_value(bind(g), (1, 13), -0.151)),
    ("G17", "a bind matrix with -0 in its last row", lambda g: set_value(bind(g), (1, 3), -0.0)),
    ("G19", "a bind mismatch nobody reports", lambda g: set_value(bind(g), (1, 12), -0.05)),
    ("G21", "a part missing", lambda g: g.json["nodes"].pop()),
    ("G21", "the degenerate triangle kept", lambda g: g._arrays.update({g.json["meshes"][0]["primitives"][0]["indices"]:
     np.array([0, 2, 1, 0, 3, 1, 1, 2, 1], np.uint16).reshape(-1, 1)})),
    ("G22", "wide indices", lambda g: g._arrays.update({g.json["meshes"][0]["primitives"][0]["indices"]:
     attribute_index(g).astype(np.uint32)})),
    ("G23", "a wrong minimum", lambda g: g.json["accessors"][
        g.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]]["min"].__setitem__(0, -0.2)),
    ("G24", "a normal of length 1.0001", lambda g: set_value(attribute(g, "NORMAL"), 0, (0, 0, 1.0001))),
    ("G24", "a rebuilt normal that is not the face's", lambda g: set_value(attribute(g, "NORMAL"), 1, (1, 0, 0))),
    ("G24", "rebuilt normals not reported", lambda g: own(g).update(report=[])),
    ("G25", "weights not normalised", lambda g: set_value(attribute(g, "WEIGHTS_0"), (0, 0), 0.5)),
    ("G25", "a weight off by 1e-6", lambda g: set_value(attribute(g, "WEIGHTS_0"), 1, (0.666668, 0.333332, 0, 0))),
    ("G25", "a blend index taken as a joint", lambda g: set_value(attribute(g, "JOINTS_0"), (0, 0), 0)),
    ("G25", "a joint under a zero weight", lambda g: set_value(attribute(g, "JOINTS_0"), (0, 3), 2)),
    ("G25", "a joint named twice", lambda g: (set_value(attribute(g, "JOINTS_0"), 2, (2, 4, 2, 0)),
                                              set_value(attribute(g, "WEIGHTS_0"), 2, (0.25, 0.5, 0.25, 0)))),
    ("G25", "the empty vertex left on the wrong joint", lambda g: set_value(attribute(g, "JOINTS_0"), (3, 0), 1)),
    ("G26", "wide joints", lambda g: g._arrays.update({g.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"]:
     attribute(g, "JOINTS_0").astype(np.uint16)})),
    ("G27", "a flipped v", lambda g: set_value(attribute(g, "TEXCOORD_0"), (1, 1), -0.5)),
    ("G27", "a NaN uv", lambda g: set_value(attribute(g, "TEXCOORD_0"), (1, 0), np.nan)),
    ("G36", "animations out of order", swap_animations),
    ("G36", "an animation missing", lambda g: g.json["animations"].pop(0)),
    ("G36", "an animation misnamed", lambda g: g.json["animations"][0].update(name="other")),
    ("G37", "two channels for one target", lambda g: g.json["animations"][0]["channels"].append(
        g.json["animations"][0]["channels"][0])),
    ("G38", "times that do not rise", lambda g: set_value(
        g._arrays[sampler(g, "t_walk", "L_Spine", "rotation")["input"]], (2, 0), 0.0)),
    ("G38", "a wrong maximum", lambda g: g.json["accessors"][
        sampler(g, "t_walk", "L_Spine", "rotation")["input"]]["max"].__setitem__(0, 1.4)),
    ("G39", "a rotation key of length 1.00001", lambda g: g._arrays[
        sampler(g, "t_walk", "L_Spine", "rotation")["output"]].__imul__(np.float32(1.00001))),
    ("G39", "a sign change", lambda g: flip(g._arrays[sampler(g, "t_walk", "L_Spine", "rotation")["output"]], 3)),
    ("G40", "a rotation key 0.05 degrees off", lambda g: key(g, "t_walk", "L_Spine", "rotation", 3, (0.0005, 0, 0, 0))),
    ("G40", "a translation key 0.01 u off", lambda g: key(g, "t_walk", "R_Prop", "translation", 0, (1e-4, 0, 0))),
    ("G40", "a scale key 1e-4 off", lambda g: key(g, "t_run", "Root", "scale", 1, (1e-4, 0, 0))),
    ("G40", "chords instead of the spline", lambda g: drop_keys(
        g, "t_walk", "L_Spine", "rotation", lambda i, n: i in source_rows(g) or i in (0, n - 1))),
    ("G40", "a source key left out", lambda g: drop_keys(g, "t_run", "Root", "translation", lambda i, n: i != 1)),
    ("G41", "stretched times", lambda g: stretch(g, "t_run")),
    ("G41", "another fps in extras", lambda g: g.json["animations"][0]["extras"]["riftbake"].update(fps=25)),
    ("G42", "a constant curve with two keys", lambda g: double_key(g, "t_walk", "Root", "translation")),
    ("G43", "a live constant left out", lambda g: drop_channel(g, "t_run", "L_Spine", "rotation")),
    ("G43", "a dead component written", lambda g: retarget(g, "t_walk", "head", "translation", "Head")),
    ("T4", "the stub driven instead of the head", lambda g: retarget(g, "t_walk", "Head", "translation", "head__5")),
    ("T4", "a count of tracks that is off", lambda g: g.json["animations"][0]["extras"]["riftbake"]["tracks"].update(skinning=2)),
    ("T9", "a leftover track untold", lambda g: g.json["animations"][0]["extras"]["riftbake"]["tracks"].update(leftover=[])),
    ("D26", "a joint 3 u off in the world", lambda g: key(g, "t_walk", "R_Prop", "translation", slice(None), (0.03, 0, 0))),
    ("D28", "no sigma", lambda g: own(g).pop("sigma")),
]


def attribute_index(glb):
    return glb._arrays[glb.json["meshes"][0]["primitives"][0]["indices"]]


def source_rows(glb):
    """Rows of the spine's rotation whose times are source keys."""
    times = glb._arrays[sampler(glb, "t_walk", "L_Spine", "rotation")["input"]][:, 0]
    want = np.array([0, 20000, 40000, 65535]) / 65535 * 1.5
    return set(np.flatnonzero((np.abs(times[:, None] - want) < 1e-6).any(1)).tolist())


def double_key(glb, clip, name, path):
    own_sampler = sampler(glb, clip, name, path)
    value = glb._arrays[own_sampler["output"]]
    count = len(glb.json["accessors"])
    glb.json["accessors"] += [dict(glb.json["accessors"][own_sampler["input"]], count=2, min=[0.0], max=[1.5]),
                              dict(glb.json["accessors"][own_sampler["output"]], count=2)]
    glb._arrays[count] = np.array([[0.0], [1.5]], np.float32)
    glb._arrays[count + 1] = np.vstack([value, value])
    own_sampler.update(input=count, output=count + 1)


class Checks(unittest.TestCase):
    def test_conforming(self):
        found = Case().check()
        self.assertEqual(found.failures, [])
        for rule in ("G6", "G7", "G12", "G13", "G17", "G19", "G21", "G23", "G24", "G25", "G26", "G27", "G38", "G39", "G40",
                     "G41", "G43", "T4", "D26"):
            self.assertIn(rule, found.rules)
        self.assertEqual(found.numbers["animations"], 3)

    def test_damage(self):
        case = Case()
        for rule, what, change in DAMAGE:
            with self.subTest(rule=rule, what=what):
                found = case.damaged(change)
                rules = {r for r, _ in found.failures}
                # Sigma is no rule of its own here: it shows as positions and joints at the wrong scale.
                self.assertTrue(rule in rules or (rule == "G9" and {"G6", "G13", "G17"} <= rules),
                                f"{what}: {found.failures}")

    def test_damage_in_a_rig_of_one_clip(self):
        """The head track must reach the skinning joint: dropping that channel alone is seen too."""
        found = Case().damaged(lambda g: drop_channel(g, "t_walk", "Head", "translation"))
        self.assertIn("G43", {rule for rule, _ in found.failures})

    def test_additive(self):
        """Differences are composed over the rest pose; the identity clip is the rest pose (G49)."""
        identity = b.anm5(["L_Spine"], [(0, 0, 0), (1, 1, 1), (0, 3, 0)], [(0, 0, 0, 1), (0, 0, 0.1, 0.995)],
                          [[(0, 1, 0)], [(2, 1, 1)]])
        case = Case(additive=True, clips=[(identity, "t_wind.anm")])
        self.assertEqual(case.check().failures, [])
        glb = Glb(case.bytes)
        first = glb.floats(sampler(glb, "t_wind", "L_Spine", "translation")["output"])[0]
        np.testing.assert_allclose(first, [0.02, 0.05, 0], atol=1e-7)
        for source in case.sources.clips:
            source.additive = False
        self.assertIn("G40", {rule for rule, _ in case.check().failures})

    def test_no_track_matches(self):
        """T10: a clip of another skeleton is not expected."""
        other = b.anm5(["Nobody"], [(0, 0, 0), (1, 1, 1)], [(0, 0, 0, 1)], [[(0, 1, 0)]])
        case = Case(clips=[(other, "t_other.anm"), (run_cycle(), "t_run.anm")])
        self.assertEqual(case.check().failures, [])

    def test_bad_numbers(self):
        """G44: a NaN scale is 1, a NaN translation key is not there."""
        nan = float("nan")
        clip = b.anm5(["Root"], [(0, 10, 1), (1, nan, 1), (nan, 0, 0), (0, 14, 1)], [(0, 0, 0, 1)],
                      [[(0, 1, 0)], [(2, 1, 0)], [(3, 1, 0)]])
        case = Case(clips=[(clip, "t_bad.anm")])
        self.assertEqual(case.check().failures, [])
        glb = Glb(case.bytes)
        np.testing.assert_allclose(glb.array(sampler(glb, "t_bad", "Root", "translation")["input"])[:, 0], [0, 2 / 30], atol=1e-6)

    def test_curve_error_is_excused_only_when_reported(self):
        case = Case()

        def thin(glb):
            drop_keys(glb, "t_walk", "L_Spine", "rotation", lambda i, n: i in source_rows(glb))

        self.assertIn("G40", {rule for rule, _ in case.damaged(thin).failures})

        def thin_and_told(glb):
            thin(glb)
            own(glb)["report"].append({"code": "curve_error", "count": 1, "examples": []})

        # Reported, but the segments are whole source intervals: six halvings were not tried.
        self.assertIn("G40", {rule for rule, _ in case.damaged(thin_and_told).failures})


class Winding(unittest.TestCase):
    # (agreeing in the file, in the source, of, good, a note)
    ROWS = [(95, 100, 100, True, False), (94, 100, 100, False, False), (94, 95, 100, False, False), (0, 100, 100, False, False),
            (862, 862, 1000, True, True), (857, 862, 1000, True, True), (856, 862, 1000, False, True), (138, 862, 1000, False, True)]

    def test_rows(self):
        for agree, source, total, good, note in self.ROWS:
            found = Findings()
            check_winding(found, agree, source, total)
            self.assertEqual((not found.failures, bool(found.notes)), (good, note), (agree, source, total))


class LegacyAndCubic(unittest.TestCase):
    def test_legacy_skeleton(self):
        turn = [[0, -1, 0, 3], [1, 0, 0, 10], [0, 0, 1, 0]]
        rig_ = skl.Skl(b.legacy_skl([("Root", -1, np.eye(3, 4)), ("Arm", 0, turn)], 1))
        mesh_ = skn.Skn(b.skn([("Body", 0, 3, 0, 3)], [0, 1, 2], [
            b.vertex(p, (1, 0, 0, 0), (1, 0, 0, 0)) for p in ((0, 0, 0), (1, 0, 0), (0, 1, 0))], 1))
        clip = ClipSource(b.anm3([("arm", [((0, 0, 0, 1), (3, 10, 0)), ((0, 0, 1, 0), (3, 12, 0))])]), "a.anm", 5, 1 / 30)
        sources = check_glb.Sources.__new__(check_glb.Sources)
        sources.skn, sources.skl, sources.clips, sources.hidden = mesh_, rig_, [clip], set()
        sources.ordered, sources.looks = True, None
        found = Findings()
        with np.errstate(all="ignore"):
            check_glb.check(Glb(reference.write(mesh_, rig_, [clip])), sources, found)
        self.assertEqual(found.failures, [])

    def test_cubic_hermite(self):
        """x from 0 to 1 with zero tangents over 2 s is 3a^2 - 2a^3; with tangent 1 at both ends it is a line of slope 1."""
        from checks.curves import Cubic
        flat, one = np.zeros((2, 3)), np.ones((2, 3))
        for tangent, want in ((flat, 0.15625), (one, 0.15625 + 2 * (0.140625 - 0.046875))):
            curve = Cubic(1, 1, np.zeros(2, int), np.array([0, 2.0]), np.array([[0.0] * 3, [1.0] * 3]),
                          [(tangent, tangent)], [0])
            self.assertAlmostEqual(curve.sample([0], [0.5])[0, 0], want)


class Alpha(unittest.TestCase):
    """Decisions 24 and 34 on a texture whose left half is opaque and whose right half is cut out."""

    UVS = np.array([(0, 0), (1, 0), (0, 1), (1, 1), (0, 0), (0.5, 0), (0, 1), (0.5, 1)], float)
    WHOLE, LEFT = np.array([(0, 1, 2), (1, 3, 2)]), np.array([(4, 5, 6), (5, 7, 6)])

    @staticmethod
    def pixels(value=0):
        out = np.full((8, 8, 4), 255, np.uint8)
        out[:, 4:, 3] = value
        return out

    @staticmethod
    def material(blend=None, switches=(), params=(), factor=7):
        from league.bin import Bin
        fields = [("paramValues", b.list_(0x83, *[b.embed("P", ("name", b.string(n)), ("value", b.number(13, "<4f", v, 0, 0, 0)))
                                                  for n, v in params])),
                  ("switches", b.list_(0x83, *[b.embed("S", ("name", b.string(n)), ("on", b.number(1, "<B", on)))
                                               for n, on in switches]))]
        if blend is not None:
            passes = b.list_(0x83, b.embed("StaticMaterialPassDef", ("blendEnable", b.number(1, "<B", blend)),
                                           ("dstColorBlendFactor", b.number(7, "<I", factor))))
            fields.append(("techniques", b.list_(0x83, b.embed("T", ("name", b.string("normal")), ("passes", passes)))))
        return Bin(b.prop([("m", "StaticMaterialDef", fields)])).entries[fnv1a("m")]

    def test_modes(self):
        from checks.alpha import expected_modes
        opaque, mask, blend = ("OPAQUE", None), ("MASK", 0.5), ("BLEND", None)
        blends = self.material(1)
        rows = [(None, False, self.WHOLE, 0, opaque), (None, True, self.WHOLE, 0, mask), (None, True, self.LEFT, 0, opaque),
                (blends, False, self.WHOLE, 0, mask), (blends, False, self.LEFT, 0, opaque), (blends, False, self.WHOLE, 100, opaque),
                (self.material(0), True, self.WHOLE, 0, opaque), (self.material(1, factor=1), False, self.LEFT, 0, blend),
                (self.material(1, params=[("Alpha", 0.5)]), False, self.LEFT, 0, blend),
                (self.material(1, params=[("Alpha", 1)]), False, self.LEFT, 0, opaque),
                (self.material(1, [("USE_DIFFUSE_ALPHA", 1)]), False, self.LEFT, 0, blend),
                (self.material(1, params=[("AlphaTestValue", 0.25)]), False, self.LEFT, 0, ("MASK", 0.25)),
                (self.material(1, [("Use_Alpha_Test", 0)], [("AlphaTestValue", 0.25)]), False, self.LEFT, 0, opaque)]
        for number, (material, punch, triangles, value, want) in enumerate(rows):
            got = expected_modes(material, self.pixels(value), punch, self.UVS, triangles)
            self.assertEqual(got, {want}, number)

    def test_coverage(self):
        from checks.alpha import covered_alpha
        self.assertEqual(len(covered_alpha(self.pixels(), self.UVS, self.WHOLE)), 64)
        self.assertEqual(len(covered_alpha(self.pixels(), self.UVS, self.LEFT)), 32)
        self.assertEqual(len(covered_alpha(self.pixels(), self.UVS + 3, self.LEFT)), 32)
        self.assertEqual(len(covered_alpha(self.pixels(), self.UVS * 9, self.LEFT[:1])), 64)


class Poses(unittest.TestCase):
    def test_world_positions(self):
        """Worked by hand: the spine turned a quarter about the source's z carries the head from (-1, 8) to (-8, -1)."""
        from checks.poses import poses
        quarter = b.anm5(["L_Spine"], [(-2, 5, 0), (1, 1, 1)], [(0, 0, 0, 1), (0, 0, HALF, HALF)], [[(0, 1, 0)], [(0, 1, 1)]])
        case = Case(clips=[(quarter, "t_q.anm")])
        glb = Glb(case.bytes)
        from checks import curves, rig as rig_check
        joints = glb.json["skins"][0]["joints"]
        written = curves.Written(glb, glb.json["animations"][0], joints, check_glb.Frame(0.01, True))
        end = written.sample(0, [1], [1.0])[0]
        np.testing.assert_allclose(end, [0, 0, HALF, HALF], atol=1e-4)
        table = poses(glb)
        self.assertEqual(rig_check.node_parents(glb, joints), [-1, 0, 1, 0, 0, 4])
        self.assertEqual(sorted(table["joints"]), [0, 1, 2, 3, 4, 5])
        at = table["joints"].index(2)
        # Root (0, 10, 1) + spine (-2, 5, 0) + head turned by 0.87 of 90 degrees, x negated, centimetres to metres.
        angle = np.radians(90 * 0.87)
        head = np.array([-np.cos(angle) - 8 * np.sin(angle), 8 * np.cos(angle) - np.sin(angle), 2])
        want = (np.array([0, 10, 1]) + [-2, 5, 0] + head) * [-0.01, 0.01, 0.01]
        np.testing.assert_allclose(table["animations"][0]["positions"][at][2], want, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
