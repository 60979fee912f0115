#!/usr/bin/python3
"""The readers against files made by hand and the vectors of the format documents."""

import os
import struct
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), HERE]

try:
    import numpy as np

    import builders as b
    from league import FormatError, anm, hashes, material, skin, skl, skn, texture, tracks, wad
    from league.bin import Bin, File, Link
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(77)


class Hashes(unittest.TestCase):
    def test_elf(self):
        rows = [("", 0), ("Root", 0x00079664), ("root", 0x00079664), ("Head", 0x0006EB74), ("head", 0x0006EB74),
                ("Neck", 0x00074B9B), ("Weapon", 0x07DB875E), ("L_Shoulder", 0x0F6D0C52),
                ("Snap_Weapon2World", 0x073DA864), ("buffbone_glb_channel_loc", 0x004B3653),
                ("Buffbone_Glb_Weapon_1", 0x02AE29D1), ("C_Buffbone_Glb_Layout_Loc", 0x06B164D3),
                ("Sword2LHandSheath", 0x0396BA68), ("jdfgsdhfsdfsd 6445dsfsd7fg/*/+bfjsdgf%$^", 248446350)]
        for name, value in rows:
            self.assertEqual(hashes.elf(name), value, name)
        self.assertEqual(hashes.elf("ear"), hashes.elf("ebb"))
        self.assertEqual(hashes.elf("hat"), hashes.elf("hbd"))

    def test_fnv1a(self):
        rows = [("", 0x811C9DC5), ("test", 0xAFD071E5), ("Root", 0x20FD0E45), ("Head", 0x32694BC3), ("Neck", 0x4BF95912),
                ("weapon", 0x6F332041), ("Idle1", 0x9DD9DC06), ("Snap_Weapon2World", 0xF5A0E258),
                ("Buffbone_Glb_Channel_Loc", 0x82194067), ("SkinCharacterDataProperties", 0x9B67E9F6),
                ("AnimationGraphData", 0xF5FB07C7), ("StaticMaterialDef", 0xFF9D3409), ("JointSnapEventData", 0xB5C1B6AD),
                ("Characters/Lux/Skins/Skin29", 0x6DDE9FFB), ("Characters/Lux/Animations/Skin0", 0x904B16D3)]
        for name, value in rows:
            self.assertEqual(hashes.fnv1a(name), value, name)

    def test_xxh64(self):
        rows = [("", 0xEF46DB3751D8E999), ("a", 0xD24EC4F1A98C6E5B), ("data/characters/lux/lux.bin", 0x02FE0AF750890FE6),
                ("data/characters/lux/skins/skin29.bin", 0x98115579C0CF5F5C),
                ("ASSETS/Characters/Lux/Skins/Base/Lux.skn", 0xA2871DD1B0D9BFBA),
                ("data\\final\\champions\\lux.wad.subchunktoc", 0x1E26F67DD22AC936)]
        for name, value in rows:
            self.assertEqual(hashes.wad_path(name), value, name)

    def test_only_ascii_folds(self):
        self.assertEqual(hashes.lower("\u00c4B\u0130"), "\u00c4b\u0130".encode())


class Archives(unittest.TestCase):
    FILES = {"a/Raw.bin": (0, b"1234"), "b/packed.skn": (3, b"x" * 1000), "c/gz.skl": (1, b"hello" * 9)}

    def test_versions(self):
        for version in ((1, 0), (2, 0), (3, 0), (3, 3), (3, 4)):
            archive = wad.Wad(b.wad(self.FILES, version))
            for path, (_, plain) in self.FILES.items():
                self.assertEqual(archive.read(path), plain, (version, path))
            self.assertNotIn("d", archive)

    def test_minimal_size(self):
        self.assertEqual(len(b.wad({"a": (0, b"1234")})), 308)

    def test_chunked(self):
        plain = b"raw!" + b"y" * 500
        parts = [(b"raw!", b"raw!"), (b.frame(b"y" * 500), b"y" * 500)]
        table = "data/final/champions/lux.wad.subchunktoc"
        for version in ((3, 3), (3, 4)):
            data = b.wad({"t": (4, plain)}, version, table, {"t": parts})
            with_table = wad.Wad(data, "DATA/FINAL/Champions/Lux.wad.client")
            self.assertEqual(with_table.read("t"), plain)
            self.assertEqual(wad.Wad(data).read("t"), plain)

    def test_refusals(self):
        good = b.wad(self.FILES)
        for bad in (b"", b"XX" + good[2:], b"RW\x04" + good[3:], good[:280]):
            with self.assertRaises(FormatError):
                wad.Wad(bad)
        cut = wad.Wad(good[:-4])
        with self.assertRaises(FormatError):
            for path in self.FILES:
                cut.read(path)


class Bins(unittest.TestCase):
    MINIMAL = bytes.fromhex(
        "50524f50 03000000 00000000 01000000 a4d81161 21000000 a33d0cf1 0200"
        "2c61d7aa 10 0100 41 32037a5c 85 0c 01 0000803f 00000040 00004040")

    def test_minimal(self):
        self.assertEqual(len(self.MINIMAL), 57)
        entry = Bin(self.MINIMAL).entries[hashes.fnv1a("t")]
        self.assertTrue(entry.is_a("SkinMeshDataProperties"))
        self.assertEqual(entry.get("submesh"), b"A")
        self.assertEqual(entry.get("overrideBoundingBox"), (1.0, 2.0, 3.0))

    def test_every_prefix_fails(self):
        for size in range(len(self.MINIMAL)):
            with self.assertRaises(FormatError, msg=str(size)):
                Bin(self.MINIMAL[:size])
        with self.assertRaises(FormatError):
            Bin(self.MINIMAL + b"\0")

    def test_values(self):
        fields = [("a", b.list_(16, b.string("x"), b.string("yy"))), ("b", b.map_(17, 0x82, (b.hash_("k"), b.pointer(
            "Thing", ("n", b.i32(-5)))))), ("c", b.link("Other")), ("d", b.file("A/B.skn")), ("n", b.pointer_null())]
        for version in (1, 2, 3):
            for patch in (False, True):
                data = Bin(b.prop([("p", "C", fields)], ["L.bin"], version, patch))
                entry = data.entries[hashes.fnv1a("p")]
                self.assertEqual(entry.get("a"), [b"x", b"yy"])
                self.assertEqual(entry.get("b")[0][1].get("n"), -5)
                self.assertIsInstance(entry.get("c"), Link)
                self.assertEqual(entry.get("d"), hashes.wad_path("a/b.skn"))
                self.assertIsInstance(entry.get("d"), File)
                self.assertIsNone(entry.get("n"))
                self.assertEqual(data.links, [b"L.bin"] if version > 1 else [])

    def test_first_field_counts(self):
        data = Bin(b.prop([("p", "C", [("a", b.i32(1)), ("a", b.i32(2))])]))
        self.assertEqual(data.entries[hashes.fnv1a("p")].get("a"), 1)

    def test_old_numbering(self):
        raw = bytearray(self.MINIMAL)
        for kind in (0x84, 22):
            raw[42] = kind
            entry = Bin(bytes(raw)).entries[hashes.fnv1a("t")]
            self.assertEqual(entry.get("overrideBoundingBox"), (1.0, 2.0, 3.0), kind)


class Meshes(unittest.TestCase):
    def build(self, major=4, kind=0, flags=0):
        points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
        vertices = [b.vertex(p, (0, 1, 0, 0), (0.75, 0.25, 0, 0), kind=kind, uv=(i, 0.5)) for i, p in enumerate(points)]
        return b.skn([("Body", 0, 3, 0, 3)], [0, 1, 2], vertices, major, kind, flags)

    def test_versions(self):
        for major, size in ((4, 326), (2, 274), (1, 262), (0, 178)):
            data = self.build(major)
            self.assertEqual(len(data), size)
            mesh = skn.Skn(data)
            self.assertEqual(mesh.ranges[0].name, b"Body" if major else b"Base")
            self.assertEqual(mesh.ranges[0].triangles.tolist(), [[0, 1, 2]])
            self.assertEqual(mesh.position[1].tolist(), [1, 0, 0])
            self.assertEqual(mesh.weights[2].tolist(), [0.75, 0.25, 0, 0])
            self.assertEqual(mesh.uv[2].tolist(), [2, 0.5])

    def test_vertex_types(self):
        for kind in (1, 2, 3):
            mesh = skn.Skn(self.build(kind=kind))
            self.assertEqual(mesh.normal[2].tolist(), [0, 0, 1])
            self.assertEqual(mesh.position[2].tolist(), [0, 1, 0])

    def test_flags(self):
        mesh = skn.Skn(self.build(flags=1))
        self.assertTrue(mesh.direct)
        self.assertEqual(mesh.position[1].tolist(), [1, 0, 0])

    def relative(self, flags, indices):
        vertices = [b.vertex((i, 0, 0)) for i in range(6)]
        return skn.Skn(b.skn([("A", 0, 3, 0, 3), ("B", 3, 3, 3, 3)], indices, vertices, flags=flags))

    def test_relative_indices(self):
        for flags, indices in ((2, [0, 1, 2, 0, 1, 2]), (0, [0, 1, 2, 0, 1, 2])):
            mesh = self.relative(flags, indices)
            self.assertEqual(mesh.ranges[1].triangles.tolist(), [[3, 4, 5]])
            self.assertTrue(mesh.ranges[1].relative)
        mesh = self.relative(0, [0, 1, 2, 3, 4, 5])
        self.assertEqual(mesh.ranges[1].triangles.tolist(), [[3, 4, 5]])
        self.assertFalse(mesh.ranges[1].relative)

    def test_refusals(self):
        good = self.build()
        for bad in (b"\0" + good[1:], good[:4] + b"\x03" + good[5:], good[:250]):
            with self.assertRaises(FormatError):
                skn.Skn(bad)


class Skeletons(unittest.TestCase):
    JOINTS = [{"name": "Root", "t": (0, 50, 0), "it": (0, -50, 0)},
              {"name": "Head", "parent": 0, "t": (0, 20, 0), "it": (0, -70, 0)}]

    def test_minimal(self):
        data = b.skl(self.JOINTS, [0, 1])
        self.assertEqual(len(data), 308)
        self.assertEqual(struct.unpack_from("<6i", data, 20), (64, 264, 280, 284, 288, 292))
        rig = skl.Skl(data)
        self.assertEqual([(j.name, j.parent, j.hash) for j in rig.joints],
                         [(b"Root", -1, 0x79664), (b"Head", 0, 0x6EB74)])
        self.assertEqual(rig.joints[1].t.tolist(), [0, 20, 0])
        self.assertEqual(rig.joints[1].inverse[:3, 3].tolist(), [0, -70, 0])
        self.assertTrue(rig.identity)

    def test_records_by_id(self):
        rig = skl.Skl(b.skl(self.JOINTS, [1], shuffle=[1, 0]))
        self.assertEqual([j.name for j in rig.joints], [b"Root", b"Head"])
        self.assertEqual(rig.influences, [1])
        self.assertFalse(rig.identity)

    def test_legacy(self):
        matrix = [[0, -2, 0, 1], [2, 0, 0, 2], [0, 0, 2, 3]]
        joints = [("Root", -1, np.eye(3, 4)), ("Arm", 0, matrix)]
        for version, size in ((2, 208), (1, 196)):
            data = b.legacy_skl(joints, version, [1, 0])
            self.assertEqual(len(data), size)
            rig = skl.Skl(data)
            self.assertEqual(rig.influences, [1, 0] if version == 2 else [0, 1])
            np.testing.assert_allclose(rig.joints[1].t, [1, 2, 3])
            np.testing.assert_allclose(rig.joints[1].s, [2, 2, 2])
            np.testing.assert_allclose(np.abs(rig.joints[1].r), [0, 0, b.HALF, b.HALF], atol=1e-12)
            np.testing.assert_allclose(rig.joints[1].inverse @ np.vstack([matrix, [0, 0, 0, 1]]), np.eye(4), atol=1e-12)

    def test_cycle_is_cut(self):
        rig = skl.Skl(b.skl([{"name": "a", "parent": 1}, {"name": "b", "parent": 0}, {"name": "c", "parent": 1}], [0]))
        self.assertEqual([j.parent for j in rig.joints], [-1, -1, 1])
        self.assertEqual(rig.walk(), [0, 1, 2])

    def test_repair(self):
        nan = float("nan")
        rig = skl.Skl(b.skl([{"name": "a", "t": (nan, 2, 3), "s": (1, 2, nan), "it": (nan, 0, 0)},
                             {"name": "b", "parent": 0, "t": (1, 0, 0), "s": (0, 1, 1), "is": (0, 1, 1)},
                             {"name": "c", "parent": 0, "it": (5, 6, 7)}], [0]))
        self.assertEqual(rig.joints[0].t.tolist(), [0, 2, 3])
        self.assertEqual(rig.joints[0].s.tolist(), [1, 2, 1])
        self.assertEqual(rig.replaced, [0, 1])
        np.testing.assert_allclose(rig.joints[0].inverse, [[1, 0, 0, 0], [0, 0.5, 0, -1], [0, 0, 1, -3], [0, 0, 0, 1]])
        # Zero scale: the chain with that scale taken as 1, so the joint stands at (1, 2, 3).
        np.testing.assert_allclose(rig.joints[1].inverse[:3, 3], [-1, -1, -3])
        self.assertEqual(rig.joints[2].inverse[:3, 3].tolist(), [5, 6, 7])


class Animations(unittest.TestCase):
    VECTORS = [(0, 0, 0), (1, 1, 1), (10, 0, 0), (0, 5, 0)]
    QUATS = [(0, 0, 0, 1), (0, 0, b.HALF, b.HALF)]
    FRAMES = [[(0, 1, 0), (3, 1, 1)], [(2, 1, 1), (3, 1, 1)]]

    def test_palettes(self):
        for build, size in ((b.anm5, 168), (b.anm4, 204)):
            data = build(["Root", "Head"], self.VECTORS, self.QUATS, self.FRAMES)
            self.assertEqual(len(data), size)
            clip = anm.Clip(data)
            self.assertEqual(clip.hashes, [0x79664, 0x6EB74])
            self.assertAlmostEqual(clip.last, 1 / 30, places=6)
            at = np.array([0, clip.last / 2, clip.last, 9.0])
            moved = clip.sets[anm.TRANSLATION].sample(np.zeros(4, int), at)
            np.testing.assert_allclose(moved, [[0, 0, 0], [5, 0, 0], [10, 0, 0], [10, 0, 0]], atol=1e-6)
            turned = clip.sets[anm.ROTATION].sample([0], [clip.last / 2])[0]
            # Half way of a quarter turn about z: an eighth turn.
            np.testing.assert_allclose(turned, [0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8)], atol=5e-5)

    def test_v3(self):
        data = b.anm3([("Root", [((0, 0, 0, 1), (0, 0, 0)), ((0, 0, 0, -1), (4, 0, 0))]),
                       ("Head", [((0, 0, 0, 1), (1, 2, 3))] * 2)], 48)
        self.assertEqual(len(data), 212)
        clip = anm.Clip(data)
        self.assertAlmostEqual(clip.last, 1 / 48)
        self.assertEqual(clip.sets[anm.SCALE].count.tolist(), [0, 0])
        np.testing.assert_allclose(clip.sets[anm.TRANSLATION].sample([0, 1], [1 / 96, 0]), [[2, 0, 0], [1, 2, 3]])
        # q and -q are one rotation: nothing turns in between.
        np.testing.assert_allclose(np.abs(clip.sets[anm.ROTATION].sample([0], [1 / 96])), [[0, 0, 0, 1]])

    def test_quaternion_vector(self):
        words = np.frombuffer(bytes.fromhex("004000200070"), "<u2").reshape(1, 3)
        np.testing.assert_allclose(anm.decode48(words), [[2.2e-5, 2.2e-5, 2.2e-5, 1]], atol=1e-6)
        for q in ((b.HALF, 0.1, -0.2, 0.3), (0.1, 0.2, 0.3, -0.9), (0.5, 0.5, 0.5, 0.5), (0, -1, 0, 0)):
            q = np.array(q) / np.linalg.norm(q)
            got = anm.decode48(np.frombuffer(b.quat48(q), "<u2").reshape(1, 3))
            self.assertLess(anm.angle_deg(got, q[None])[0], 0.01, q)

    def spline(self, flags, times, values, duration=1.0):
        keys = [(t, 0, 1, (v, 0, 0)) for t, v in zip(times, values)]
        keys += [k for k in b.constant(0) if k[2] != 1]
        data = b.canm(["Root"], keys, duration, flags, bounds=((0, 0, 0), (65535, 1, 1), (0, 0, 0), (1, 1, 1)))
        return anm.Clip(data).sets[anm.TRANSLATION]

    def test_minimal_canm(self):
        keys = b.constant(0) + b.constant(1) + [(32768, 0, 0, (0, 0, 0, 1)), (16384, 0, 1, (1, 2, 3))]
        self.assertEqual(len(b.canm(["Root", "Head"], keys)), 444)

    def test_spline_uniform(self):
        # Keys 0 0 | 1/3 2/3 | 1 1 at values 0 0 30 30 0 0. Between 1/3 and 2/3 the window is 0,30,30,0, so at the
        # middle w = -1/16, 9/16, 9/16, -1/16: 33.75.
        curve = self.spline(0, [0, 0, 21845, 43690, 65535, 65535], [0, 0, 30, 30, 0, 0])
        self.assertAlmostEqual(curve.sample([0], [0.5])[0, 0], 33.75, places=6)
        # Between 0 and 1/3 the window is 0,0,30,30: symmetric, 15 at the middle; 30 at the key.
        self.assertAlmostEqual(curve.sample([0], [1 / 6])[0, 0], 15.0, places=6)
        self.assertAlmostEqual(curve.sample([0], [1 / 3])[0, 0], 30.0, places=6)
        self.assertAlmostEqual(curve.sample([0], [1.0])[0, 0], 0.0, places=6)

    def test_spline_parametrised(self):
        # Window times 0,0,1/5,1 (key 1/5 then the end): in = (1/5)/(1/5) = 1, out = (1/5)/1 = 1/5, values 0,0,10,50.
        # a = 1/2: w0 = -1/8, w2 = in/2 + (3-2in)/4 + (in-2)/8 = 1/2+1/4-1/8 = 5/8, w3 = out*(1/8-1/4) = -1/40.
        # value = 10*5/8 - 50/40 = 5.
        curve = self.spline(4, [0, 0, 13107, 65535, 65535], [0, 0, 10, 50, 50])
        self.assertAlmostEqual(curve.sample([0], [0.1])[0, 0], 5.0, places=6)

    def test_corner(self):
        # A doubled interior key is a corner: straight pieces have no overshoot beyond the key.
        curve = self.spline(4, [0, 0, 32768, 32768, 65535, 65535], [0, 0, 100, 100, 0, 0])
        values = curve.sample(np.zeros(101, int), np.linspace(0, 1, 101))[:, 0]
        self.assertLessEqual(values.max(), 100.0 + 1e-9)
        self.assertAlmostEqual(curve.sample([0], [32768 / 65535])[0, 0], 100, places=6)

    def test_rotation_signs(self):
        keys = [(t, 0, 0, q) for t, q in zip((0, 0, 65535, 65535), [(0, 0, 0, 1)] * 2 + [(0, 0, 0.999, -0.045)] * 2)]
        keys += [k for k in b.constant(0) if k[2]]
        curve = anm.Clip(b.canm(["Root"], keys, flags=4)).sets[anm.ROTATION]
        half = curve.sample([0], [0.5])
        self.assertAlmostEqual(anm.angle_deg(half, np.array([[0, 0, 0, 1.0]]))[0], 87.4, delta=0.3)

    def test_bad_numbers(self):
        nan = float("nan")
        clip = anm.Clip(b.anm5(["Root"], [(0, 0, 0), (1, nan, 1), (nan, 0, 0)], self.QUATS,
                               [[(0, 1, 0)], [(2, 1, 0)], [(0, 1, 0)]]))
        self.assertEqual(clip.sets[anm.TRANSLATION].count.tolist(), [2])
        np.testing.assert_allclose(clip.sets[anm.SCALE].values, np.ones((3, 3)))

    def test_refusals(self):
        for bad in (b"r3d2canm" + struct.pack("<I", 4) + b"\0" * 200, b"r3d2anmd" + struct.pack("<I", 6) + b"\0" * 90,
                    b"x" * 100):
            with self.assertRaises(FormatError):
                anm.Clip(bad)


class Tracks(unittest.TestCase):
    """The worked examples of track-mapping.md."""

    SHACO = [("Root", -1), ("Pelvis", 0), ("Spine", 1), ("Neck", 2), ("Head", 3), ("head", 0),
             ("Buffbone_Head_Loc", 4), ("Weapon", 0)]
    SKINNED = {1, 2, 3, 4, 7}

    @staticmethod
    def rig(joints):
        return skl.Skl(b.skl([{"name": n, "parent": p} for n, p in joints], [0]))

    def mapped(self, names, influences=None, joints=None):
        rig = self.rig(joints or self.SHACO)
        values = [n if isinstance(n, int) else hashes.elf(n) for n in names]
        return tracks.Mapping(rig, self.SKINNED if influences is None else influences, values)

    def test_walk(self):
        self.assertEqual(self.rig(self.SHACO).walk(), [0, 1, 5, 7, 2, 3, 4, 6])

    def test_cases(self):
        rows = {
            "A": (["root", "pelvis", "spine", "neck", "head", "weapon"], {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 7: 5}, 5, []),
            "B": (["root", "head", "head", "spine", "neck"], {0: 0, 4: 1, 5: 2, 2: 3, 3: 4}, 3, []),
            "C": (["head", "head", "head"], {4: 0, 5: 1}, 1, [(2, "duplicate")]),
            "D": ([0x0BADF00D, "buffbone_head_loc"], {6: 1}, 0, [(0, "no_joint")]),
            "F": (["head", "neck"], {4: 0, 3: 1}, 2, []),
        }
        for case, (names, want, skinning, left) in rows.items():
            got = self.mapped(names)
            self.assertEqual((got.track, got.skinning, got.leftover), (want, skinning, left), case)
        self.assertEqual(self.mapped(["head"], set()).track, {5: 0})

    def test_collisions(self):
        joints = [("r", -1), ("x", 0), ("ebb", 0), ("ear", 1)]
        self.assertEqual(self.mapped(["ear"], {3}, joints).track, {3: 0})
        joints = [("r", -1), ("a", 0), ("l_hat", 1), ("c", 2), ("d", 3), ("e", 4), ("L_Hat", 5)]
        self.assertEqual(self.mapped(["l_hat", "l_hat"], {2, 6}, joints).track, {2: 0, 6: 1})
        joints = [("r", -1)] + [("b%d" % i, 0) for i in range(3)] + [("Bone", 0)] + [("c%d" % i, 0) for i in range(4)] + [("Bone", 0)]
        self.assertEqual(self.mapped(["bone"], {4, 9}, joints).track, {4: 0})
        joints = [("r", -1)] + [("same" if i < 40 else "j%d" % i, 0) for i in range(299)]
        got = self.mapped(["same"] * 39, {3, 30}, joints)
        self.assertEqual(len(got.track), 39)
        self.assertEqual((got.track[4 - 1], got.track[30]), (0, 1))
        joints = [("r", -1), ("loc", 0), ("LOC", 0)]
        self.assertEqual(self.mapped(["loc", "loc"], set(), joints).track, {1: 0, 2: 1})

    def test_parents_after_children(self):
        order = [4, 3, 2, 1, 0, 5, 6, 7]
        place = {old: new for new, old in enumerate(order)}
        joints = [(self.SHACO[o][0], place.get(self.SHACO[o][1], -1)) for o in order]
        got = self.mapped(["root", "head", "head"], {place[i] for i in self.SKINNED}, joints)
        self.assertEqual(got.track, {place[4]: 1, place[0]: 0, place[5]: 2})

    def test_identity_list(self):
        rig = skl.Skl(b.skl([{"name": "a"}, {"name": "b"}], [0, 1]))
        self.assertEqual(tracks.influence_set(rig, {1}), {1})
        self.assertEqual(tracks.influence_set(rig, None), {0, 1})
        rig = skl.Skl(b.skl([{"name": "a"}, {"name": "b"}], [0]))
        self.assertEqual(tracks.influence_set(rig, {1}), {0})


class Skins(unittest.TestCase):
    """A whole skin in an archive, with paths as strings and as hashes."""

    def game(self, path):
        mesh = b.embed("SkinMeshDataProperties", ("skeleton", path("ASSETS/T/T.skl")), ("simpleSkin", path("ASSETS/T/T.skn")),
                       ("initialSubmeshToHide", b.string("Tail, weapon_TRAIL;Third fourth")))
        skin_bin = b.prop([("Characters/Test/Skins/Skin3", "SkinCharacterDataProperties", [
            ("skinMeshProperties", mesh),
            ("skinAnimationProperties", b.embed("x", ("animationGraphData", b.link("Characters/Test/Animations/Skin0"))))])],
            ["DATA/Characters/Test/Animations/Skin0.bin", "DATA/Missing.bin"])

        def atomic(file, *more):
            return b.pointer("AtomicClipData", ("mAnimationResourceData", b.embed("AnimationResourceData", (
                "mAnimationFilePath", path(file)))), *more)

        clips = b.map_(17, 0x82, (b.hash_("Run"), atomic("ASSETS/T/Run.anm", ("mTickDuration", b.f32(0.04)))),
                       (b.hash_("Both"), b.pointer("SequencerClipData")),
                       (b.hash_("Wind"), atomic("ASSETS/T/Wind.anm", ("mTrackDataName", b.hash_("Add")))),
                       (b.hash_("Run"), atomic("ASSETS/T/Other.anm")))
        layers = b.map_(17, 0x83, (b.hash_("Add"), b.embed("TrackData", ("mBlendMode", b.u8(1)))))
        graph = b.prop([("Characters/Test/Animations/Skin0", "AnimationGraphData", [
            ("mClipDataMap", clips), ("mTrackDataMap", layers)])])
        record = b.prop([("Characters/Test/CharacterRecords/Root", "CharacterRecord", [
            ("characterToolData", b.embed("y", ("championId", b.i32(900))))])])
        files = {"data/characters/test/skins/skin3.bin": skin_bin, "data/characters/test/animations/skin0.bin": graph,
                 "data/characters/test/test.bin": record, "assets/t/t.skn": b"mesh", "assets/t/t.skl": b"rig",
                 "assets/t/run.anm": b"run"}
        game = wad.GameFolder.__new__(wad.GameFolder)
        game.wads = [wad.Wad(b.wad({p: (3, d) for p, d in files.items()}))]
        game.champions = {"other": game.wads[0], "test": game.wads[0]}
        return game

    def test_both_kinds_of_path(self):
        for path in (b.string, b.file):
            found = skin.Skin(self.game(path), 900, 3)
            self.assertEqual((found.folder, found.skn, found.skl), ("test", b"mesh", b"rig"))
            self.assertEqual(found.hidden, {"tail", "weapon_trail", "third", "fourth"})
            self.assertEqual([c.hash for c in found.clips], [hashes.fnv1a("run"), hashes.fnv1a("wind")])
            self.assertEqual([c.additive for c in found.clips], [False, True])
            self.assertAlmostEqual(found.clips[0].tick, 0.04, places=6)
            self.assertEqual(found.read(found.clips[0].path), b"run")
            self.assertIsNone(found.read(found.clips[1].path))
            self.assertEqual(found.missing, ["DATA/Missing.bin"])

    def test_unknown_skin(self):
        with self.assertRaises(KeyError):
            skin.Skin(self.game(b.string), 900, 4)
        with self.assertRaises(KeyError):
            skin.Skin(self.game(b.string), 901, 3)


class Textures(unittest.TestCase):
    # Red and blue as endpoints; the first row takes the four colours in order, the others the first.
    COLOUR = struct.pack("<HHI", 0xF800, 0x001F, 0b11100100)
    PUNCH = struct.pack("<HHI", 0x001F, 0xF800, 0b11100100)

    @staticmethod
    def tex(number, width, height, data, flags=0):
        return b"TEX\0" + struct.pack("<HHBBBB", width, height, 1, number, 0, flags) + data

    @staticmethod
    def dds(code, width, height, data, bits=0, masks=(0, 0, 0, 0)):
        head = b"DDS " + struct.pack("<IIII", 124, 0, height, width) + b"\0" * 56
        head += struct.pack("<II4sI4I", 32, 4 if code else 0x41, code, bits, *masks)
        return head + b"\0" * 20 + data

    def test_bc1(self):
        for data in (self.tex(10, 4, 4, self.COLOUR), self.dds(b"DXT1", 4, 4, self.COLOUR)):
            out = texture.decode(data)
            self.assertEqual(out[0].tolist(), [[255, 0, 0, 255], [0, 0, 255, 255], [170, 0, 85, 255], [85, 0, 170, 255]])
            self.assertEqual(out[3, 3].tolist(), [255, 0, 0, 255])
        out = texture.decode(self.tex(10, 4, 4, self.PUNCH))
        self.assertEqual(out[0].tolist(), [[0, 0, 255, 255], [255, 0, 0, 255], [127, 0, 127, 255], [0, 0, 0, 0]])

    def test_alpha(self):
        block = struct.pack("<BB", 255, 1) + (0b111110101100011010001000).to_bytes(3, "little") + b"\0" * 3
        out = texture.decode(self.tex(12, 4, 4, block + self.PUNCH))
        # Eight steps from 255 to 1; the colour block has no transparent case here.
        self.assertEqual(out[:2, :, 3].reshape(-1).tolist(), [255, 1, 218, 182, 146, 109, 73, 37])
        self.assertEqual(out[0, 2].tolist()[:3], [85, 0, 170])
        low = struct.pack("<BB", 0, 250) + (0b111110101100011010001000).to_bytes(3, "little") + b"\0" * 3
        out = texture.decode(self.dds(b"DXT5", 4, 4, low + self.COLOUR))
        self.assertEqual(out[:2, :, 3].reshape(-1).tolist(), [0, 250, 50, 100, 150, 200, 0, 255])
        out = texture.decode(self.dds(b"DXT3", 4, 4, bytes.fromhex("f018000000000000") + self.COLOUR))
        self.assertEqual(out[0, :, 3].tolist(), [0, 255, 136, 17])

    def test_smallest_level_first(self):
        other = struct.pack("<HHI", 0x07E0, 0, 0)
        data = self.tex(10, 8, 4, other + other + other + self.COLOUR + self.PUNCH, 1)
        out = texture.decode(data)
        self.assertEqual(out.shape, (4, 8, 4))
        self.assertEqual(out[0, [0, 4]].tolist(), [[255, 0, 0, 255], [0, 0, 255, 255]])

    def test_plain_pixels(self):
        out = texture.decode(self.dds(b"", 2, 1, b"\1\2\3\4\5\6\7\x08", 32, (0xFF0000, 0xFF00, 0xFF, 0xFF000000)))
        self.assertEqual(out.tolist(), [[[3, 2, 1, 4], [7, 6, 5, 8]]])
        out = texture.decode(self.dds(b"", 2, 1, b"\1\2\3\4\5\6", 24, (0xFF0000, 0xFF00, 0xFF, 0)))
        self.assertEqual(out.tolist(), [[[3, 2, 1, 255], [6, 5, 4, 255]]])
        grey = bytearray(self.dds(b"", 2, 1, b"\x10\x20", 8, (0xFF, 0, 0, 0)))
        self.assertEqual(texture.decode(bytes(grey)).tolist(), [[[16, 0, 0, 255], [32, 0, 0, 255]]])
        struct.pack_into("<I", grey, 80, 0x20000)
        self.assertEqual(texture.decode(bytes(grey)).tolist(), [[[16, 16, 16, 255], [32, 32, 32, 255]]])
        self.assertEqual(texture.decode(self.tex(20, 1, 1, b"\1\2\3\4")).tolist(), [[[3, 2, 1, 4]]])

    def test_refusals(self):
        for bad in (b"PNG ", self.tex(1, 4, 4, b"\0" * 8), self.tex(10, 4, 4, b"\0" * 7), self.dds(b"DXT1", 8, 8, b"\0" * 8)):
            with self.assertRaises(FormatError):
                texture.decode(bad)


class Materials(unittest.TestCase):
    """The order of formats/skin.md: override's material, override's texture, mesh's material, mesh's texture."""

    @staticmethod
    def sampler(slot, path, old=False):
        names = ("samplerName", "textureName") if old else ("TextureName", "texturePath")
        return b.embed("StaticMaterialShaderSamplerDef", (names[0], b.string(slot)), (names[1], b.string(path)))

    def look(self, name, overrides, mesh=(), materials=()):
        entries = [("p", "SkinMeshDataProperties", [("materialOverride", b.list_(0x83, *overrides)), *mesh])]
        entries += [(n, "StaticMaterialDef", fields) for n, fields in materials]
        data = Bin(b.prop(entries))

        class Fake:
            pass

        fake = Fake()
        fake.mesh, fake.entries = data.entries[hashes.fnv1a("p")], data.entries
        return material.look_of(fake, name)

    def override(self, submesh, *fields):
        return b.embed("SkinMeshDataProperties_MaterialOverride", ("submesh", b.string(submesh)), *fields)

    def test_order(self):
        tex = ("texture", b.string("mesh.dds"))
        passes = b.list_(0x83, b.embed("StaticMaterialPassDef", ("cullEnable", b.number(1, "<B", 0))))
        techniques = b.list_(0x83, b.embed("Technique", ("name", b.string("normal")), ("passes", passes)))
        full = ("M/Full", [("samplerValues", b.list_(0x83, self.sampler("Mask", "mask.dds"), self.sampler("Diffuse_Texture", "full.dds"))),
                           ("techniques", techniques)])
        bare = ("M/Bare", [("samplerValues", b.list_(0x83, self.sampler("Mask", "mask.dds")))])
        own, more = self.override("BODY", ("texture", b.string("body.dds"))), self.override("Cape", (
            "material", b.link("M/Full")), ("texture", b.string("cape.dds")))
        rows = [("body", [own], [tex], [], "body.dds", None), ("Cape", [own, more], [tex], [full], "full.dds", False),
                ("Cape", [more], [tex], [], "cape.dds", None), ("Other", [own, more], [tex], [full], "mesh.dds", None),
                ("x", [], [tex, ("material", b.link("M/Full"))], [full], "full.dds", False),
                ("x", [], [tex, ("material", b.link("M/Bare"))], [bare], "mesh.dds", True), ("x", [], [], [], None, None)]
        for name, overrides, mesh, materials, path, culled in rows:
            got = self.look(name, overrides, mesh, materials)
            self.assertEqual((got.path, got.culled()), (path, culled), name)

    def test_samplers(self):
        rows = [([self.sampler("Diffuse", "ASSETS/Shared/Materials/white.dds"), self.sampler("Main_Texture", "b.dds")], "b.dds"),
                ([self.sampler("Color_Texture", "c.dds"), self.sampler("diffuse_texture", "d.dds")], "d.dds"),
                ([self.sampler("Diffuse_Mask", "m.dds"), self.sampler("MyAlbedo", "e.dds")], "e.dds"),
                ([self.sampler("Strange", "x/f_TX_CM.dds")], "x/f_TX_CM.dds"), ([self.sampler("Diffuse_Texture", "g.dds", True)], "g.dds"),
                ([self.sampler("Ramp", "h.dds")], None)]
        for samplers, want in rows:
            data = Bin(b.prop([("m", "StaticMaterialDef", [("samplerValues", b.list_(0x83, *samplers))])]))
            self.assertEqual(material.base_texture(data.entries[hashes.fnv1a("m")]), want)


if __name__ == "__main__":
    unittest.main()
