"""Animations against the clips: G36-G45 and G49, T4 and T5, decisions 22 and 26."""

import os

import numpy as np

from league.anm import ROTATION, SCALE, TRANSLATION, Clip
from league.gltf import local_matrices, world_matrices
from league.hashes import fnv1a
from league.skl import unit
from league.tracks import Mapping

from . import cubic
from .curves import LIMIT, LIVE, WORDS, Source, Written, distance

RATE = 240.0
WORLD_LIMIT = 0.5
# Decision 26 binds at quarter points; other instants may lie a little above.
WORLD_SLACK = 1.25
FAR = 1000.0


class ClipSource:
    """A clip to expect: name hash (None outside a graph), file, bytes, and what the graph says of it."""

    def __init__(self, data, path, name_hash=None, tick=None, first=0.0, end=-1.0, additive=False):
        self.path, self.base = path, os.path.basename(str(path)).lower()
        self.hash, self.tick, self.first, self.end, self.additive = name_hash, tick, first, end, additive
        self.clip = Clip(data)


def check_clips(found, glb, frame, skl, joints, influences, sources, ordered):
    run = ClipRun(found, glb, frame, skl, joints, influences)
    options = glb.options().get("options") or {}
    if str(options.get("additive", "compose")) == "raw":
        for source in sources:
            source.additive = False
    run.expect(sources, str(options.get("timing", "native")))
    run.pair(ordered)
    run.compare()
    run.liveness()
    return run


class ClipRun:
    def __init__(self, found, glb, frame, skl, joints, influences):
        self.found, self.glb, self.frame, self.skl = found, glb, frame, skl
        self.joints, self.influences = joints, influences
        self.rest = {
            ROTATION: np.array([unit(j.r) for j in skl.joints]),
            TRANSLATION: np.array([j.t for j in skl.joints]),
            SCALE: np.array([j.s for j in skl.joints]),
        }
        self.parents = [j.parent for j in skl.joints]
        self.pairs, self.expected, self.maps = [], [], {}
        self.far = {c: {} for c in WORDS}

    def chain(self, joints):
        """The joints and all their ancestors, by id."""
        out = set()
        for joint in joints:
            while joint >= 0 and joint not in out:
                out.add(joint)
                joint = self.parents[joint]
        return sorted(out)

    def expect(self, sources, timing):
        """Clips that should be written: at least one track matches a joint (T10)."""
        for source in sources:
            key = tuple(source.clip.hashes)
            if key not in self.maps:
                self.maps[key] = Mapping(self.skl, self.influences, source.clip.hashes)
            factor = source.tick * source.clip.fps if timing == "game" and source.tick else 1.0
            curves = Source(source.clip, self.maps[key], self.rest, source.additive,
                            source.first, source.end, factor)
            if curves.mapping.track:
                self.expected.append((source, curves))

    def pair(self, ordered):
        """Finds the clip of every animation, by order in a graph, by file name in a set of files."""
        found, animations = self.found, self.glb.list("animations")
        left = list(self.expected)
        for animation in animations:
            extras = self.glb.riftbake(animation)
            base = os.path.basename(str(extras.get("file", "")).replace("\\", "/")).lower()
            match = [p for p in left if self._same(p[0], extras, base, ordered)]
            if not match:
                found.fail("G36", f"animation {animation.get('name')!r} ({base}) belongs to no clip")
                continue
            if ordered and left[0] is not match[0]:
                # What stands before the match should have been an animation, unless nothing of it is live.
                self.skipped(left[: left.index(match[0])])
                left = left[left.index(match[0]):]
            left.remove(match[0])
            self.pairs.append((animation, *match[0]))
        self.skipped(left)
        found.check("G36", len(self.pairs) > 0 or not self.expected, "no animation could be matched")
        found.add("animations", len(animations))

    def skipped(self, left):
        for source, curves in left:
            if any(len(curves.moving(c)) for c in WORDS):
                self.found.fail("G36", f"clip {source.base} ({source.hash and hex(source.hash)}) is missing or out of order")
            else:
                self.found.note(f"clip {source.base} is not written")

    def _same(self, source, extras, base, ordered):
        stated = str(extras.get("hash") or "").lower()
        if source.hash is not None and (ordered or stated):
            return stated in (f"0x{source.hash:08x}", f"{source.hash:08x}")
        return base in (source.base, os.path.splitext(source.base)[0])

    def compare(self):
        for animation, source, curves in self.pairs:
            Pair(self, animation, source, curves).run()

    def liveness(self):
        """G43: a component is written in every clip that has a track for it exactly when some clip moves it."""
        for component, table in self.far.items():
            sure = {j for j, (keys, _) in table.items() if keys > LIVE[component] * 1.001}
            never = {j for j, (_, dense) in table.items() if dense < LIVE[component] * 0.999}
            for animation, source, curves in self.pairs:
                have = {j for j, c in written_keys(self.glb, animation, self.joints) if c == component}
                tracked = set(curves.joints(component).tolist())
                missing, extra = sorted((sure & tracked) - have), sorted(have & never)
                name = animation.get("name")
                self.found.check("G43", not missing, lambda: f"{name}: {WORDS[component]} of live joints "
                                 f"{missing[:6]} ({len(missing)}) is not written")
                self.found.check("G43", not extra, lambda: f"{name}: {WORDS[component]} of joints {extra[:6]} "
                                 f"({len(extra)}) is written though no clip moves it")


def written_keys(glb, animation, joints):
    from .curves import COMPONENTS

    place = {node: i for i, node in enumerate(joints)}
    for channel in animation["channels"]:
        target = channel["target"]
        if target.get("path") in COMPONENTS and target.get("node") in place:
            yield place[target["node"]], COMPONENTS[target["path"]]


class Pair:
    """One animation against its clip."""

    def __init__(self, run, animation, source, curves):
        self.run_, self.found, self.glb, self.frame = run, run.found, run.glb, run.frame
        self.animation, self.source, self.curves = animation, source, curves
        self.name = animation.get("name")
        self.extras = run.glb.riftbake(animation)
        self.written = Written(run.glb, animation, run.joints, run.frame)
        self.rounded = {}
        keys = cubic.key_option(run.glb)
        self.dense = cubic.grid_rate(keys)
        self.exact = keys == "cubic" and source.clip.compressed
        self.limit = cubic.LIMIT if self.exact else LIMIT
        self.splines = keys == "cubic"

    def run(self):
        found, written = self.found, self.written
        found.check("G37", not written.strange, f"{self.name}: channels of no joint, twice, or of unequal counts: {written.strange[:3]}")
        self.names()
        self.tracks()
        self.times()
        if self.dense:
            cubic.check_grid(self, self.dense * 1.0 / self.curves.factor)
        grid = self.grid()
        self.source_pose = {c: self.pose(self.curves, c, grid) for c in WORDS}
        self.written_pose = {c: self.pose(self.written, c, grid) for c in WORDS}
        for component in WORDS:
            have = written.joints(component)
            tracked = self.curves.joints(component)
            stray = np.setdiff1d(have, tracked)
            found.check("T4", not len(stray), f"{self.name}: {WORDS[component]} of joints {stray[:6].tolist()} "
                        "is written without a track")
            both = np.intersect1d(have, tracked)
            self.deviation(component, tracked, grid)
            if len(both):
                self.component(component, both, grid)
        if not self.dense:
            self.world(grid)

    def grid(self):
        last = self.curves.last
        return np.append(np.arange(0.0, last, 1.0 / RATE), last)

    def pose(self, side, component, grid):
        """(joints, times, width) values of a side; joints without a curve stand at rest."""
        out = np.repeat(self.run_.rest[component][:, None], len(grid), 1)
        joints = side.joints(component)
        if len(joints):
            out[joints] = side.sample(component, joints, np.zeros(len(joints)))[:, None]
        moving = np.intersect1d(side.moving(component), joints)
        if len(moving):
            flat = side.sample(component, np.repeat(moving, len(grid)), np.tile(grid, len(moving)))
            out[moving] = flat.reshape(len(moving), len(grid), -1)
        return out

    def names(self):
        """G36: the resolved name, else the stem without prefixes, else the hash; repeats get (2), (3)."""
        name, stem = str(self.name), os.path.splitext(self.source.base)[0]
        bare = name.rsplit(" (", 1)[0] if name.endswith(")") else name
        good = bare.lower() == stem or stem.endswith("_" + bare.lower())
        if self.source.hash is not None:
            good = good or fnv1a(bare) == self.source.hash or bare == f"0x{self.source.hash:08x}"
        self.found.check("G36", good, f"animation {name!r} is neither the clip's name nor from {stem}")

    def tracks(self):
        mapping, told = self.curves.mapping, self.extras.get("tracks")
        if not self.found.check("T15", isinstance(told, dict), f"{self.name}: no tracks in extras"):
            return
        got = [told.get(word) for word in ("total", "skinning", "other")]
        want = [len(self.source.clip.hashes), mapping.skinning, mapping.other]
        self.found.check("T4", got == want, f"{self.name}: tracks {got}, expected {want}")
        left = told.get("leftover")
        left = left if isinstance(left, int) else len(left or [])
        self.found.check("T9", left == len(mapping.leftover),
                         f"{self.name}: {left} leftover tracks, expected {len(mapping.leftover)}")
        self.found.add("leftover tracks", len(mapping.leftover))

    def times(self):
        clip, last = self.source.clip, self.curves.last
        for word, want in (("fps", clip.fps), ("tick", self.source.tick)):
            got = self.extras.get(word)
            if want is not None and got is not None:
                self.found.check("G41", abs(got - want) <= 1e-4 * abs(want),
                                 f"{self.name}: extras.{word} {got}, the source says {want}")
        off = abs(self.written.last - last)
        self.found.worst("length off s", off)
        self.found.check("G41", off <= 1e-6 * max(last, 1), f"{self.name}: ends at {self.written.last}, "
                         f"the last source key is at {last}")
        for sampler in {(s["input"], s["output"]): s for s in self.written.channels.values()}.values():
            self.key_times(sampler)

    def key_times(self, sampler):
        raw = self.glb.array(sampler["input"])
        times, accessor = raw[:, 0], self.glb.list("accessors")[sampler["input"]]
        good = raw.dtype == np.float32 and len(times) and times[0] >= 0 and (np.diff(times) > 0).all()
        self.found.check("G38", good, f"{self.name}: times of accessor {sampler['input']} do not rise from 0")
        stated = [np.float32(accessor.get(word, [np.nan])[0]) for word in ("min", "max")]
        self.found.check("G38", stated == [times[0], times[-1]], f"{self.name}: min and max of accessor {sampler['input']}")

    def deviation(self, component, tracked, grid):
        """Largest distance from rest, at keys and anywhere, kept for G43."""
        table, rest = self.run_.far[component], self.run_.rest[component]
        joint, _, values = self.curves.keys(component)
        far = np.zeros(len(rest))
        np.maximum.at(far, joint, distance(component, values, rest[joint]))
        dense = far.copy()
        # Between the keys of a spline a curve may go further than at them.
        moving = self.curves.moving(component)
        still = moving[far[moving] <= LIVE[component] * 1.001]
        if len(still):
            flat, times = np.repeat(still, len(grid)), np.tile(grid, len(still))
            off = distance(component, self.curves.sample(component, flat, times), rest[flat])
            np.maximum.at(dense, flat, off)
        for j in tracked.tolist():
            keys, all_over = table.get(j, (0.0, 0.0))
            table[j] = (max(keys, far[j]), max(all_over, dense[j]))

    def component(self, component, joints, grid):
        curves = self.written.sets[component]
        at_keys = Points(self, component, curves.curve, curves.times)
        self.unit_keys(component)
        off = at_keys.off()
        bound = {ROTATION: 2e-3, TRANSLATION: 1e-4, SCALE: 1e-5}[component]
        # A key's time at another speed is rounded anew, and the source is looked up there: what moves 1000 u/s is off so far.
        bound *= 1 if self.curves.factor == 1.0 else 5
        worst = int(off.argmax())
        self.found.worst(f"{WORDS[component]} at keys", off[worst])
        self.found.check("G40", off[worst] <= bound, lambda: f"{self.name}: {WORDS[component]} key of joint "
                         f"{curves.curve[worst]} at {curves.times[worst]:.6f} is off by {off[worst]:.5f}")
        self.constants(component, joints)
        moving = np.intersect1d(self.curves.moving(component), joints)
        if self.splines:
            cubic.check_splines(self, component, moving)
        if self.dense:
            return  # a grid is as near as it is fine
        self.source_keys(component)
        loose = self.quarters(component, curves)
        if not len(moving):
            return
        width = self.source_pose[component].shape[-1]
        off = distance(component, self.source_pose[component][moving].reshape(-1, width),
                       self.written_pose[component][moving].reshape(-1, width))
        most = self.limit[component] * (1 if self.exact else 3)
        over = np.flatnonzero(off > most)
        off[over] = Points(self, component, moving[over // len(grid)], grid[over % len(grid)]).off()
        if loose is not None:
            points = Points(self, component, np.repeat(moving, len(grid)), np.tile(grid, len(moving)))
            off[points.inside(loose)] = 0
        worst = int(off.argmax())
        self.found.worst(f"{WORDS[component]} at 240 Hz", off[worst])
        self.found.check("G40", off[worst] <= most, lambda: f"{self.name}: {WORDS[component]} of joint "
                         f"{moving[worst // len(grid)]} at {grid[worst % len(grid)]:.4f} s is off by {off[worst]:.4f}")

    def quarters(self, component, curves):
        """Error at the quarter points; returns segments excused as `curve_error`."""
        left = np.flatnonzero(np.diff(curves.curve) == 0)
        if not len(left):
            return None
        t0, t1 = curves.times[left], curves.times[left + 1]
        joint = np.repeat(curves.curve[left], 3)
        points = Points(self, component, joint, (t0[:, None] + (t1 - t0)[:, None] * [0.25, 0.5, 0.75]).reshape(-1))
        off = points.off().reshape(-1, 3).max(1)
        over = off > self.limit[component] * 1.001
        loose = None
        if over.any():
            over, loose = self.excused(component, curves, left, over)
        worst = int(np.where(over, off, 0).argmax()) if over.any() else int(off.argmax())
        kept = off if loose is None else off[~np.isin(left, loose)]
        self.found.worst(f"{WORDS[component]} at quarters", kept.max(initial=0))
        self.found.check("G40", not over.any(), lambda: f"{self.name}: {WORDS[component]} of joint {curves.curve[left[worst]]} "
                         f"between {t0[worst]:.5f} and {t1[worst]:.5f} is off by {off[worst]:.4f} "
                         f"({int(over.sum())} segments)")
        return loose

    def excused(self, component, curves, left, over):
        """Segments that six halvings could not save are allowed when the report says curve_error."""
        joint, times, _ = self.curves.keys(component)
        span = self.curves.last + 1.0
        axis = np.sort(joint * span + times)
        t0, t1 = curves.times[left], curves.times[left + 1]
        middle = curves.curve[left] * span + (t0 + t1) / 2
        place = np.clip(np.searchsorted(axis, middle), 1, len(axis) - 1)
        halved = (t1 - t0) <= (axis[place] - axis[place - 1]) / 64 * 1.01
        told = self.glb.report().get("curve_error", 0) > 0
        free = over & halved if told else np.zeros_like(over)
        self.found.add("segments with curve_error", int(free.sum()))
        return over & ~free, left[free] if free.any() else None

    def unit_keys(self, component):
        if component != ROTATION:
            return
        for joint in self.written.joints(component).tolist():
            sampler = self.written.channels[joint, component]
            values = self.glb.floats(sampler["output"])
            if sampler.get("interpolation") == "CUBICSPLINE":
                values = values[1::3]
            off = float(np.abs(np.linalg.norm(values, axis=1) - 1).max())
            self.found.check("G39", off <= 1e-6, f"{self.name}: a rotation key of joint {joint} is off unit length by {off:.2e}")
            dots = (values[1:] * values[:-1]).sum(1)
            self.found.check("G39", (dots >= 0).all(), f"{self.name}: rotation keys of joint {joint} change sign")

    def constants(self, component, joints):
        """G42: a constant curve has one key; the one exception carries an all-constant clip's length."""
        moving = set(self.curves.moving(component).tolist())
        still = not any(len(self.curves.moving(c)) for c in WORDS)
        for joint in joints.tolist():
            sampler = self.written.channels[joint, component]
            count = self.glb.list("accessors")[sampler["input"]]["count"]
            if joint in moving:
                continue
            found_two = count == 2 and still
            self.found.check("G42", count == 1 or found_two, f"{self.name}: constant {WORDS[component]} of joint {joint} has {count} keys")
            if count == 1:
                first = float(self.glb.array(sampler["input"])[0, 0])
                self.found.check("G42", first == 0, f"{self.name}: the key of a constant curve is at {first}")

    def rounding(self, component):
        """What float32 may lose of the values of each joint: props are sometimes parked a million units away."""
        if component not in self.rounded:
            joint, _, values = self.curves.keys(component)
            top = np.zeros(len(self.run_.joints))
            np.maximum.at(top, joint, np.abs(values).max(1))
            self.rounded[component] = 2.4e-7 * top
        return self.rounded[component]

    def source_keys(self, component):
        """G40: every source key of a curve that is written with several keys is a key of the file."""
        if self.curves.trimmed or "dense" in str((self.glb.options().get("options") or {}).get("keys", "")):
            return
        curves = self.written.sets[component]
        joint, times, _ = self.curves.keys(component)
        several = curves.count > 1
        moving = np.isin(np.arange(len(several)), self.curves.moving(component))
        pick = (several & moving)[joint]
        joint, times = joint[pick], times[pick]
        if not len(joint):
            return
        place = np.searchsorted(curves.axis, joint * curves.span + times)
        near = np.full(len(times), np.inf)
        for step in (-1, 0):
            at = np.clip(place + step, 0, len(curves.times) - 1)
            gap = np.where(curves.curve[at] == joint, np.abs(curves.times[at] - times), np.inf)
            near = np.minimum(near, gap)
        gone = near > 1e-6 * np.maximum(1.0, times)
        self.found.check("G40", not gone.any(), lambda: f"{self.name}: {int(gone.sum())} of {len(gone)} source key "
                         f"times of {WORDS[component]} are no keys, first joint {joint[gone][0]} at {times[gone][0]:.5f}")

    def world(self, grid):
        """Decision 26: world positions of influencing joints along the chain, at every second instant of the grid."""
        count = len(self.run_.joints)
        influencing = sorted(j for j in self.run_.influences if j < count)
        if not influencing:
            return
        chain = self.run_.chain(influencing)
        place = {joint: i for i, joint in enumerate(chain)}
        parents = [place.get(self.run_.parents[joint], -1) for joint in chain]
        sides = []
        for pose in (self.source_pose, self.written_pose):
            local = local_matrices(*(pose[c][chain, ::2] for c in (TRANSLATION, ROTATION, SCALE)))
            sides.append(world_matrices(parents, local)[[place[j] for j in influencing], ..., 3])
        source = sides[0]
        off = np.linalg.norm(source - sides[1], axis=2)
        # Nor where a joint sets out for, or comes back from, such a place (ezreal_skin21 throws one 4.8e11 u away within a
        # frame): the float32 time of a key is off by up to 2e-7 s, and that by more than any limit.
        far = np.linalg.norm(source, axis=2) > FAR
        far[:, 1:] |= far[:, :-1].copy()
        far[:, :-1] |= far[:, 1:].copy()
        off[far] = 0
        worst = np.unravel_index(int(off.argmax()), off.shape)
        self.found.worst("world u", off[worst])
        self.found.check("D26", off[worst] <= WORLD_SLACK * WORLD_LIMIT, lambda: f"{self.name}: joint {influencing[worst[0]]} is "
                         f"{off[worst]:.3f} u off in the world at {grid[2 * worst[1]]:.3f} s")
        if off[worst] > WORLD_LIMIT:
            self.found.add("clips over 0.5 u", 1)


class Points:
    """Flat (joint, time) pairs at which source and written curves are compared."""

    def __init__(self, pair, component, joint, time):
        self.pair, self.component, self.joint, self.time = pair, component, joint, time

    def off(self):
        """Distance of written and source curves, less what float32 alone may cause."""
        pair, component = self.pair, self.component
        got = pair.written.sample(component, self.joint, self.time)
        want = pair.curves.sample(component, self.joint, self.time)
        off = distance(component, want, got)
        # Key times are rounded to float32: at steep places the value moves within that rounding.
        room = np.zeros(len(off))
        # Times of timing=game are rounded twice.
        ulp = 1.2e-7 if pair.curves.factor == 1.0 else 4e-7
        for step in (-ulp, ulp):
            near = self.time + step * np.maximum(self.time, 1e-3)
            room = np.maximum(room, distance(component, pair.curves.sample(component, self.joint, near), want))
        if component != ROTATION:
            room += pair.rounding(component)[self.joint]
        return np.maximum(off - room, 0)

    def inside(self, segments):
        """Which points lie in one of the written segments given by their left keys."""
        curves = self.pair.written.sets[self.component]
        left = np.searchsorted(curves.axis, self.time + self.joint * curves.span, "right") - 1
        return np.isin(left, segments)


