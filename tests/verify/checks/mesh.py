"""Meshes against the .skn: G6, G7, G9, G21, G22-G27, decisions 27 and 35."""

import numpy as np

from . import text_name, unique_names

FLOAT_REL = 4e-7


def expected_parts(skn, hidden, include_hidden, order=(), taken=()):
    """Ranges that should become meshes, in the order of drawing: (range, triangles without repeated indices, name).

    `order` are the names of submeshRenderOrder, `taken` those of nodes that stand before the parts."""
    names = unique_names([text_name(item.name) for item in skn.ranges], taken)
    parts = []
    for item, name in zip(skn.ranges, names):
        if text_name(item.name).lower() in hidden and not include_hidden:
            continue
        tri = item.triangles
        tri = tri[(tri[:, 0] != tri[:, 1]) & (tri[:, 1] != tri[:, 2]) & (tri[:, 0] != tri[:, 2])]
        if len(tri):
            parts.append((item, tri, name))
    rank = {name: at for at, name in reversed(list(enumerate(order)))}
    parts.sort(key=lambda part: rank.get(text_name(part[0].name).lower(), len(order)))
    return parts


def parts_of(glb, skn, hidden, order):
    """expected_parts for this file's options and joints."""
    options = glb.options().get("options") or {}
    taken = {glb.list("nodes")[j].get("name") for skin in glb.list("skins") for j in [*skin["joints"], skin["skeleton"]]}
    return expected_parts(skn, hidden, str(options.get("hidden", "omit")) == "include", order, taken)


def check_meshes(found, glb, frame, skn, skl, hidden, order=()):
    parts = parts_of(glb, skn, hidden, order)
    nodes = [node for node in glb.list("nodes") if "mesh" in node]
    names, want = [node.get("name") for node in nodes], [part[2] for part in parts]
    if not found.check("G21", len(nodes) == len(parts), f"{len(nodes)} mesh nodes {names}, expected {want}"):
        return
    found.check("G14", names == want, f"mesh nodes {names}, expected {want}")
    agree = total = source = 0
    for node, (item, triangles, name) in zip(nodes, parts):
        primitives = glb.list("meshes")[node["mesh"]]["primitives"]
        if not found.check("G21", len(primitives) == 1, f"{name}: {len(primitives)} primitives"):
            continue
        part = Part(found, glb, frame, skn, skl, primitives[0], triangles, name)
        good, count = part.run()
        agree, total, source = agree + good, total + count, source + part.source_winding()
    if total:
        check_winding(found, agree, source, total)
    relative = sum(item.relative for item, _, _ in parts)
    if relative and not skn.flags & 2:
        found.check("D27", "range_relative_indices" in glb.report(), "relative indices are not reported")


def check_winding(found, agree, source, total):
    """G7: at least 95 % of all triangles. Less is for meshes whose own file is so: people edited them without making the normals
    again. That is said, and the output may be no worse than it, but for triangles whose normals were rebuilt."""
    share, own = agree / total, source / total
    found.numbers["winding"] = share
    text = f"winding agrees with the normals for {share:.1%} of {total} triangles, {own:.1%} in the source"
    if own >= 0.95:
        found.check("G7", share >= 0.95, text)
        return
    found.note(f"{text}: the mesh came with normals that disagree with its faces, so 95 % cannot be asked of it")
    found.check("G7", share >= own - 0.005, text)


class Part:
    """One primitive against the slice of the source vertices that its triangles use."""

    def __init__(self, found, glb, frame, skn, skl, primitive, triangles, name):
        self.found, self.glb, self.frame, self.skn, self.skl = found, glb, frame, skn, skl
        self.primitive, self.triangles, self.name = primitive, triangles, name
        low, high = int(triangles.min()), int(triangles.max())
        self.slice = slice(low, high + 1)
        self.local = triangles - low
        self.attributes = primitive["attributes"]

    def run(self):
        self.indices()
        position = self.glb.array(self.attributes["POSITION"])
        size = self.slice.stop - self.slice.start
        if not self.found.check("G21", len(position) == size,
                                f"{self.name}: {len(position)} vertices, the slice has {size}"):
            return 0, 0
        self.positions(position)
        self.normals()
        self.uvs()
        if self.skl is not None and "JOINTS_0" in self.attributes:
            self.weights()
        return self.winding(position)

    def indices(self):
        order = [0, 2, 1] if self.frame.mirrored else [0, 1, 2]
        got = self.glb.array(self.primitive["indices"])
        size = self.slice.stop - self.slice.start
        want_type = np.uint16 if size <= 65535 else np.uint32
        self.found.check("G22", got.dtype == want_type, f"{self.name}: {got.dtype} indices for {size} vertices")
        want = self.local[:, order].reshape(-1)
        if not self.found.check("G21", got.size == want.size,
                                f"{self.name}: {got.size // 3} triangles, expected {want.size // 3}"):
            return
        wrong = int((got.reshape(-1) != want).sum())
        self.found.check("G7", wrong == 0, f"{self.name}: {wrong} indices differ from (a, c, b)")
        self.found.add("triangles", want.size // 3)

    def positions(self, got):
        want = self.skn.position[self.slice].astype(np.float64) * self.frame.point
        off = np.abs(got - want) / np.maximum(np.abs(want), 1e-30)
        off[got == want.astype(np.float32)] = 0
        worst = float(off.max(initial=0))
        self.found.worst("position ulp", worst / 6e-8)
        self.found.check("G6", worst <= FLOAT_REL, f"{self.name}: position off by {worst:.2e} relative")
        accessor = self.glb.list("accessors")[self.attributes["POSITION"]]
        for word, value in (("min", got.min(0)), ("max", got.max(0))):
            stated = np.array(accessor.get(word, [np.nan] * 3), np.float32)
            self.found.check("G23", (stated == value).all(), f"{self.name}: {word} {stated} is not {value}")

    def normals(self):
        if not self.found.check("G24", "NORMAL" in self.attributes, f"{self.name}: no NORMAL"):
            return
        got = self.glb.floats(self.attributes["NORMAL"])
        off = float(np.abs(np.linalg.norm(got, axis=1) - 1).max())
        self.found.check("G24", off <= 1e-5, f"{self.name}: a normal is off unit length by {off:.2e}")
        source = self.skn.normal[self.slice].astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            length = np.linalg.norm(source, axis=1)
            good = np.isfinite(source).all(1) & (length >= 1e-6)
        want = source[good] / length[good, None] * self.frame.direction
        off = float(np.abs(got[good] - want).max(initial=0))
        self.found.check("G6", off <= 1e-5, f"{self.name}: a normal is off by {off:.2e}")
        self.rebuilt(got, np.flatnonzero(~good))

    def rebuilt(self, got, rows):
        if not len(rows):
            return
        self.found.add("normals rebuilt", len(rows))
        self.found.check("G24", self.glb.report().get("normals_rebuilt", 0) > 0, "normals_rebuilt is not reported")
        points = self.skn.position[self.slice].astype(np.float64)
        a, b, c = (points[self.local[:, i]] for i in range(3))
        face, total = np.cross(b - a, c - a), np.zeros_like(points)
        for i in range(3):
            np.add.at(total, self.local[:, i], face)
        for row in rows:
            length = np.linalg.norm(total[row])
            want = total[row] / length * self.frame.direction if length > 1e-12 else np.array([0.0, 1, 0])
            off = float(np.abs(got[row] - want).max())
            # A sum that nearly cancels may be judged as zero.
            near = length < 1e-4 and np.allclose(got[row], [0, 1, 0])
            self.found.check("G24", off <= 1e-4 or near,
                             f"{self.name}: rebuilt normal of vertex {row} is {got[row]}, expected {want}")

    def uvs(self):
        if not self.found.check("G27", "TEXCOORD_0" in self.attributes, f"{self.name}: no TEXCOORD_0"):
            return
        got = self.glb.array(self.attributes["TEXCOORD_0"])
        source = self.skn.uv[self.slice]
        want = np.where(np.isfinite(source), source, 0)
        self.found.check("G27", got.dtype == np.float32 and (got == want).all(), f"{self.name}: uv differ")
        self.found.check("G27", "COLOR_0" not in self.attributes, f"{self.name}: COLOR_0 is written")

    def weights(self):
        joints = self.glb.array(self.attributes["JOINTS_0"]).astype(np.int64)
        weights = self.glb.array(self.attributes["WEIGHTS_0"])
        narrow = len(self.skl.joints) <= 256
        got_type = self.glb.array(self.attributes["JOINTS_0"]).dtype
        self.found.check("G26", got_type == (np.uint8 if narrow else np.uint16),
                         f"{self.name}: JOINTS_0 {got_type} for {len(self.skl.joints)} joints")
        self.found.check("G26", weights.dtype == np.float32, f"{self.name}: WEIGHTS_0 {weights.dtype}")
        double = weights.astype(np.float64)
        off = float(np.abs(double.sum(1) - 1).max())
        self.found.worst("weight sum off", off)
        self.found.check("G25", off <= 1e-7, f"{self.name}: a weight sum is off 1 by {off:.2e}")
        self.found.check("G25", (double >= 0).all(), f"{self.name}: a weight is negative")
        self.found.check("G25", not (joints[double == 0]).any(), f"{self.name}: a joint of zero weight is not 0")
        dense = spread(joints, double, len(self.skl.joints))
        want, dropped = expected_weights(self.skn, self.skl, self.slice)
        off = np.abs(dense - want).max(1)
        bad = np.flatnonzero(off > 2e-7)
        self.found.worst("weight off", off.max())
        self.found.check("G25", not len(bad), lambda: f"{self.name}: weights of {len(bad)} vertices differ, first "
                         f"{bad[0]}: {joints[bad[0]]} {weights[bad[0]]}, worst {off.max():.2e}")
        repeats = (np.count_nonzero(double, axis=1) != np.count_nonzero(dense, axis=1)).sum()
        self.found.check("G25", repeats == 0, f"{self.name}: {repeats} vertices name a joint twice")
        if dropped:
            self.found.add("weights dropped", dropped)

    def source_winding(self):
        """Triangles of the source whose winding agrees with its normals, read as right-handed numbers."""
        points, normal = self.skn.position.astype(np.float64), self.skn.normal.astype(np.float64)
        a, b, c = (points[self.triangles[:, i]] for i in range(3))
        return int(((np.cross(b - a, c - a) * normal[self.triangles].sum(1)).sum(1) > 0).sum())

    def winding(self, position):
        if "NORMAL" not in self.attributes:
            return 0, 0
        normal = self.glb.floats(self.attributes["NORMAL"])
        tri = self.glb.array(self.primitive["indices"]).reshape(-1, 3).astype(np.int64)
        points = position.astype(np.float64)
        a, b, c = (points[tri[:, i]] for i in range(3))
        facing = (np.cross(b - a, c - a) * normal[tri].sum(1)).sum(1)
        if not self.frame.mirrored:
            facing = np.abs(facing)
        return int((facing > 0).sum()), len(tri)


def spread(joints, weights, count):
    """Weights as a dense (vertices, joints) table, equal joints added."""
    out = np.zeros((len(joints), count))
    rows = np.repeat(np.arange(len(joints)), joints.shape[1])
    np.add.at(out, (rows, joints.reshape(-1)), weights.reshape(-1))
    return out


def expected_weights(skn, skl, part):
    """G25 from the source: dense table of weights, and how many influences were out of range."""
    blend, weights = skn.blend[part], skn.weights[part].astype(np.float64)
    count = len(skl.joints)
    lookup = np.arange(count) if skn.direct else np.array(skl.influences, np.int64)
    inside = blend < len(lookup)
    joint = np.where(inside, lookup[np.minimum(blend, len(lookup) - 1)], 0)
    usable = np.isfinite(weights) & (weights > 0)
    kept = np.where(inside & usable, weights, 0.0)
    out = spread(joint, kept, count)
    empty = np.flatnonzero(out.sum(1) == 0)
    for row in empty:
        slots = np.flatnonzero(inside[row])
        out[row, joint[row, slots[0]] if len(slots) else lookup[0]] = 1.0
    return out / out.sum(1)[:, None], int((usable & ~inside).sum())


def used_joints(skn, skl):
    """Joints that some vertex really weighs."""
    lookup = np.arange(len(skl.joints)) if skn.direct else np.array(skl.influences, np.int64)
    with np.errstate(invalid="ignore"):
        used = skn.blend[(skn.weights > 0) & (skn.blend < len(lookup))]
    return set(lookup[np.unique(used)].tolist())
