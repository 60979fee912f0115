"""Joint snaps (joint-snap.md): a file baked with them against one of the same skin without, and the game's events.

The reference of section 3 is what a viewer draws without the bake, so local matrices come from the second file; events,
joints and windows are read from the game's files. Lengths are in source units.
"""

import re

import numpy as np

from league.gltf import local_matrices, world_matrices
from league.hashes import fnv1a

from .rig import node_parents, rest_arrays

RATE = 240.0
GAP = 1.05e-4  # S15, and the rounding of key times
PATHS = ("translation", "rotation", "scale")
# Section 5: units, degrees, factor.
AT_KEYS = (1e-3, 0.01, 1e-5)
STANDING = (1e-4, 1e-3, 1e-5)
QUARTERS = (0.1, 0.25, 1e-3)
ANYWHERE = (0.3, 0.75, 1e-3)
# A sixth halving ends it (S14, S27); what is left above the limits is reported.
COARSE = "snap_curve_error"
FREE_ANYWHERE = (0.3, 0.75, 3e-3)  # S22 for what section 5 leaves open
FLOAT = 2.5e-7  # what float32 alone does, relative


class Window:
    """S7: from `start` to `end`, both included."""

    def __init__(self, victim, target, start, end, offset):
        self.victim, self.target, self.start, self.end, self.offset = victim, target, start, end, offset

    def holds(self, t):
        return self.start - 1e-7 * max(1, self.start) <= t <= self.end + 1e-7 * max(1, self.end)


def find_joint(skl, influences, value):
    """S4: the first influencing joint of that FNV-1a in walk order, else the first."""
    same = [j for j in skl.walk() if skl.joints[j].name and fnv1a(skl.joints[j].name) == value]
    return next((j for j in same if j in influences), same[0] if same else None)


def is_below(skl, joint, above):
    while joint >= 0:
        joint = skl.joints[joint].parent
        if joint == above:
            return True
    return False


def windows(skl, influences, snaps, fps, first, length):
    """S1-S7 and decision 23: the accepted events of a clip, and why the others are none."""
    kept, dropped = [], []
    for victim_hash, target_hash, start, end, offset in snaps:
        if not victim_hash or not target_hash:
            dropped.append("snap_field_empty")
            continue
        victim, target = (find_joint(skl, influences, h) for h in (victim_hash, target_hash))
        if victim is None or target is None:
            dropped.append("snap_unknown_joint")
        elif victim == target:
            dropped.append("snap_self")
        elif is_below(skl, target, victim):
            dropped.append("snap_target_below_victim")
        else:
            a = (start - first) / fps
            b = length if end < 0 or end < start else (end - first) / fps
            if a > length or b < 0:
                dropped.append("snap_window_empty")
            else:
                kept.append(Window(victim, target, max(a, 0.0), min(b, length), offset))
    return kept, dropped


class Rig:
    """The joints of a file with their rest pose."""

    def __init__(self, glb):
        self.glb, self.joints = glb, glb.list("skins")[0]["joints"]
        self.parents = node_parents(glb, self.joints)
        self.rest = dict(zip(PATHS, rest_arrays(glb, self.joints)))
        self.place = {node: i for i, node in enumerate(self.joints)}
        self.world = world_matrices(self.parents, local_matrices(*(self.rest[p] for p in PATHS)))

    def clip(self, animation):
        """{(joint, path): (times, values)} as stored."""
        out = {}
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            assert sampler.get("interpolation", "LINEAR") == "LINEAR"
            target = channel["target"]
            out[self.place[target["node"]], target["path"]] = (
                self.glb.array(sampler["input"])[:, 0], self.glb.array(sampler["output"]))
        return out

    def local(self, clip, joint, times):
        return local_matrices(*(draw(clip.get((joint, path)), self.rest[path][joint], times, path)
                                for path in PATHS))


def draw(keys, rest, times, path):
    """glTF's LINEAR: clamp outside, exact at keys, slerp the short way."""
    if keys is None:
        return np.repeat(np.asarray(rest, np.float64)[None], len(times), 0)
    at, values = keys[0].astype(np.float64), keys[1].astype(np.float64)
    right = np.clip(np.searchsorted(at, times, "right"), 1, max(len(at) - 1, 1))
    if len(at) == 1:
        return np.repeat(values, len(times), 0)
    left = right - 1
    u = np.clip((times - at[left]) / (at[right] - at[left]), 0, 1)[:, None]
    a, b = values[left], values[right]
    if path != "rotation":
        return a + u * (b - a)
    a, b = (q / np.linalg.norm(q, axis=1, keepdims=True) for q in (a, b))
    dot = (a * b).sum(1, keepdims=True)
    b, dot = np.where(dot < 0, -b, b), np.minimum(np.abs(dot), 1)
    angle = np.arccos(dot)
    small = angle < 1e-4
    sine = np.where(small, 1, np.sin(angle))
    wa = np.where(small, 1 - u, np.sin((1 - u) * angle) / sine)
    wb = np.where(small, u, np.sin(u * angle) / sine)
    out = wa * a + wb * b
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def chain(a, b):
    out = a[..., :3] @ b
    out[..., 3] += a[..., 3]
    return out


class Reference:
    """W(joint) of section 3 over the keys of one clip of the file without the bake."""

    def __init__(self, rig, clip, kept, point):
        self.rig, self.clip, self.kept, self.point = rig, clip, kept, point

    def winner(self, joint, t):
        best = None
        for window in self.kept:
            if window.victim == joint and window.holds(t) and (best is None or window.start >= best.start):
                best = window
        return best

    def path(self, joint, t):
        """What the world matrix is a product of, from the joint upwards: joints, and windows for offsets."""
        out, busy = [], set()
        while joint >= 0:
            window = self.winner(joint, t) if joint not in busy else None
            if window:
                busy.add(joint)
                out.append(window)
                joint = window.target
            else:
                out.append(joint)
                joint = self.rig.parents[joint]
        return tuple(out)

    def world(self, joint, times):
        """World matrices at times, whether the joint is in a window there, and whether what it follows stands still."""
        groups, order = {}, [self.path(joint, t) for t in times]
        for i, path in enumerate(order):
            groups.setdefault(path, []).append(i)
        out = np.empty((len(times), 3, 4))
        locked, still = np.zeros(len(times), bool), np.zeros(len(times), bool)
        for path, rows in groups.items():
            at = times[rows]
            world = np.repeat(np.eye(4)[None, :3], len(rows), 0)
            for step in reversed(path):
                if isinstance(step, Window):
                    world[..., 3] += world[..., :3] @ (np.asarray(step.offset) * self.point)
                else:
                    world = chain(world, self.rig.local(self.clip, step, at))
            out[rows], locked[rows] = world, isinstance(path[0], Window)
            still[rows] = all(isinstance(s, Window) or all(
                len(self.clip.get((s, p), ((),))[0]) < 2 for p in PATHS) for s in path)
        return out, locked, still


def nearest_trs(matrix):
    """S20: the matrix of the nearest rotation and scale; the same whichever axes are flipped."""
    u, _, v = np.linalg.svd(matrix)
    turn = u @ v
    return turn * np.einsum("...ij,...ij->...j", turn, matrix)[..., None, :]


def errors(drawn, want, sigma):
    """(units, degrees, factor) between two arrays of world matrices; rotation as the angle between axes."""
    moved = np.linalg.norm(drawn[..., 3] - want[..., 3], axis=-1) / sigma
    a, b = drawn[..., :3], nearest_trs(want[..., :3])
    la, lb = np.linalg.norm(a, axis=-2), np.linalg.norm(b, axis=-2)
    cross = np.linalg.norm(np.cross(a, b, axis=-2), axis=-2)
    angle = np.degrees(np.arctan2(cross, np.einsum("...ij,...ij->...j", a, b)))
    return moved, np.where((la < 1e-6) | (lb < 1e-6), 0, angle).max(-1), np.abs(la - lb).max(-1)


def check_snaps(found, on, off, frame, skl, influences, refs):
    """`refs`: {clip hash: (snaps, fps, first frame)} of the game's graph. Returns a row for the table."""
    baked, plain = Rig(on), Rig(off)
    pairs = clip_pairs(found, on, off)
    kept = {}
    victims, told_dropped, dropped_count = set(), 0, 0
    for name, (one, other) in pairs.items():
        extras = on.riftbake(one)
        snaps, fps, first = refs.get(int(extras["hash"], 16), ((), 30.0, 0.0))
        length = float(max(plain.glb.array(s["input"])[-1, 0] for s in other["samplers"]))
        kept[name], dropped = windows(skl, influences, snaps, fps, first, length)
        victims |= {w.victim for w in kept[name]}
        told = [row.get("reason") for row in extras.get("dropped_snaps", [])]
        found.check("S23", sorted(told) == sorted(dropped), f"{name}: dropped {told}, expected {dropped}")
        found.check("S23", len(extras.get("snaps", [])) == len(kept[name]),
                    f"{name}: {len(extras.get('snaps', []))} snaps told, expected {len(kept[name])}")
        told_dropped, dropped_count = told_dropped + len(told), dropped_count + len(dropped)
    check_parents(found, on, off, baked, plain, victims)
    coarse = coarse_pairs(on)
    row = {"coarse": len(coarse), "victims": len(victims), "events": sum(map(len, kept.values())), "dropped": dropped_count,
           "clips": len(pairs), "worst": {}}
    for name, (one, other) in pairs.items():
        check_clip(found, name, baked, plain, baked.clip(one), plain.clip(other), kept[name], victims, frame, row, coarse)
    return row


def coarse_pairs(glb):
    """What the report says of segments that stay above the limits: clip and joint."""
    rows = [r for r in glb.options().get("report", []) if r["code"] == COARSE]
    texts = [text for row in rows for text in row["examples"]]
    return {tuple(text.split(": ")[:2]) for text in texts}


def clip_pairs(found, on, off):
    """Animations of both files by name; the bake may only add such that nothing else moves."""
    one, other = ({a["name"]: a for a in glb.list("animations")} for glb in (on, off))
    found.check("S8", set(other) <= set(one), f"clips {sorted(set(other) - set(one))[:4]} are missing")
    extra = [n for n in one if n not in other and not on.riftbake(one[n]).get("snaps")]
    found.check("S8", not extra, f"clips {extra[:4]} are new without snaps")
    return {name: (one[name], other[name]) for name in one if name in other}


def check_parents(found, on, off, baked, plain, victims):
    """S8, S11: who hangs on the skeleton node now; what else stands in the nodes."""
    moved = {j for j, (a, b) in enumerate(zip(baked.parents, plain.parents)) if a != b}
    want = {v for v in victims if plain.parents[v] >= 0}
    found.check("S8", moved == want, f"reparented {sorted(moved)}, expected {sorted(want)}")
    found.check("S11", all(baked.parents[v] == -1 for v in moved), "a reparented joint has a parent")
    nodes = [[dict(glb.list("nodes")[n], children=None) for n in rig.joints] for glb, rig in ((on, baked), (off, plain))]
    wrong = [j for j, (a, b) in enumerate(zip(*nodes)) if j not in want and a != b]
    found.check("S8", not wrong, f"rest of joints {wrong[:6]} changed")
    names = {n: j for j, n in enumerate(on.list("nodes")[i]["name"] for i in baked.joints)}
    told = {(names[r["joint"]], names[r["parent"]]) for r in on.options().get("reparented", [])}
    found.check("S23", told == {(v, plain.parents[v]) for v in want}, f"asset extras tell {sorted(told)}")
    binds = [glb.array(glb.list("skins")[0]["inverseBindMatrices"]).tobytes() for glb in (on, off)]
    found.check("S11", binds[0] == binds[1], "inverse bind matrices changed")
    off_rest = np.linalg.norm(baked.world[..., 3] - plain.world[..., 3], axis=1) / float(on.options()["sigma"])
    found.worst("rest", off_rest.max())
    allowed = 1e-3 + FLOAT * np.linalg.norm(plain.world[..., 3], axis=1) / float(on.options()["sigma"])
    found.check("S22", (off_rest <= allowed).all(), f"rest world off by {off_rest.max():.4g}")


def check_clip(found, name, baked, plain, one, other, kept, victims, frame, row, coarse):
    same = {k: v for k, v in one.items() if k[0] not in victims}
    was = {k: v for k, v in other.items() if k[0] not in victims}
    found.check("S8", set(same) == set(was), f"{name}: other joints gained or lost channels")
    for key in set(same) & set(was):
        good = all(a.tobytes() == b.tobytes() for a, b in zip(same[key], was[key]))
        found.check("S8", good, f"{name}: {key[1]} of joint {key[0]} is not a victim's and changed")
    length = max(float(times[-1]) for times, _ in other.values())
    reference = Reference(plain, other, kept, frame.point)
    edges = [e for w in kept for e in (w.start, w.end)]
    for victim in victims:
        if plain.parents[victim] < 0 and not any(w.victim == victim for w in kept):
            continue
        keys = np.unique(np.concatenate([one[victim, p][0] for p in PATHS if (victim, p) in one] or [[0.0]])).astype(np.float64)
        row["keys"] = row.get("keys", 0) + len(keys)
        row["seconds"] = row.get("seconds", 0) + length
        joint_name = baked.glb.list("nodes")[baked.joints[victim]]["name"]
        quarters = ANYWHERE if (re.sub(r" \(\d+\)$", "", name), joint_name) in coarse else QUARTERS
        step = np.diff(keys)[:, None] * [0.25, 0.5, 0.75]
        for what, times in (("key", keys), ("quarter", (keys[:-1, None] + step).reshape(-1)),
                            ("240", np.append(np.arange(0, length, 1 / RATE), length))):
            check_times(found, name, baked, one, reference, victim, what, outside_gaps(times, edges), frame, row, quarters)


def outside_gaps(times, edges):
    """S15: between the two keys of a boundary nothing is promised; the boundary itself is where float32 has it."""
    times, keep = times.copy(), np.ones(len(times), bool)
    for edge in edges:
        there = np.abs(times - edge) <= 1e-7 * max(1, edge)
        times[there] = np.float32(edge)
        keep &= there | (np.abs(times - edge) >= GAP)
    return times[keep]


def check_times(found, name, baked, one, reference, victim, what, times, frame, row, quarters):
    if not len(times):
        return
    drawn = baked.local(one, victim, times)
    parent = baked.parents[victim]
    if parent >= 0:
        raise AssertionError("a victim has a parent")
    want, locked, still = reference.world(victim, times)
    got = errors(drawn, want, frame.sigma)
    size = np.linalg.norm(want[..., 3], axis=1) / frame.sigma
    standing = locked & still
    for kind, rows, limits in (("standing", standing, STANDING), ("moving", locked & ~still, ANYWHERE),
                               ("free", ~locked, FREE_ANYWHERE)):
        if not rows.any():
            continue
        if what == "key" and kind != "standing":
            limits = AT_KEYS
        elif what == "quarter" and kind != "standing":
            limits = quarters
        for word, error, limit in zip(("u", "deg", "scale"), got, limits):
            slack = FLOAT * size[rows] if word == "u" else FLOAT
            # Rounding of the three numbers that make a quarter point.
            over = error[rows] - slack - limit * 1.001
            label = f"{kind} {what} {word}"
            row["worst"][label] = max(row["worst"].get(label, 0.0), float(error[rows].max()))
            found.check("S5" if kind != "free" else "S12", (over <= 0).all(), lambda: (
                f"{name}: joint {victim} {kind} at {what} {times[rows][over.argmax()]:.5f} s is off by "
                f"{error[rows][over.argmax()]:.5g} {word}"))
