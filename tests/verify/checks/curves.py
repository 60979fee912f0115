"""One clip of the source and the animation written for it, as curves in the same space."""

import numpy as np

from league.anm import ROTATION, SCALE, TRANSLATION, CurveSet, angle_deg

COMPONENTS = {"rotation": ROTATION, "translation": TRANSLATION, "scale": SCALE}
WORDS = {value: word for word, value in COMPONENTS.items()}
# G40: limits at the quarter points, and three times that anywhere. Degrees, units, factor.
LIMIT = {ROTATION: 0.1, TRANSLATION: 0.05, SCALE: 1e-3}
# G43: what counts as moving away from rest.
LIVE = {ROTATION: 0.05, TRANSLATION: 1e-3, SCALE: 1e-3}


def distance(component, a, b):
    """Angle in degrees, length in units, or the largest difference of a scale factor."""
    if component == ROTATION:
        return angle_deg(a, b)
    if component == TRANSLATION:
        return np.linalg.norm(a - b, axis=1)
    return np.abs(a - b).max(1)


def quat_product(p, q):
    """p * q of quaternion rows x,y,z,w."""
    px, py, pz, pw = p.T
    qx, qy, qz, qw = q.T
    return np.stack([
        pw * qx + px * qw + py * qz - pz * qy,
        pw * qy - px * qz + py * qw + pz * qx,
        pw * qz + px * qy - py * qx + pz * qw,
        pw * qw - px * qx - py * qy - pz * qz,
    ], 1)


class Source:
    """Curves of a clip by joint, in source space, composed over the rest pose where additive (G49)."""

    def __init__(self, clip, mapping, rest, additive=False, first=0.0, end=-1.0, factor=1.0):
        self.clip, self.mapping, self.rest, self.additive = clip, mapping, rest, additive
        self.factor = factor
        last = clip.last
        self.begin = min(max(first, 0.0) / clip.fps, last) if clip.fps else 0.0
        stop = min(end / clip.fps, last) if end >= 0 and clip.fps else last
        self.last = max(stop - self.begin, 0.0) * factor
        self.trimmed = self.begin > 0 or stop < last
        self.track = np.full(len(rest[ROTATION]), -1, np.int64)
        for joint, track in mapping.track.items():
            self.track[joint] = track

    def joints(self, component):
        """Joints that this clip has keys of this component for."""
        count = self.clip.sets[component].count
        driven = self.track >= 0
        return np.flatnonzero(driven & (np.concatenate((count, [0]))[self.track] > 0))

    def sample(self, component, joints, times):
        values = self.clip.sets[component].sample(
            self.track[joints], np.asarray(times) / self.factor + self.begin)
        return self.compose(component, joints, values)

    def compose(self, component, joints, values):
        if not self.additive:
            return values
        rest = self.rest[component][joints]
        if component == ROTATION:
            return quat_product(values, rest)
        return rest + values - (1.0 if component == SCALE else 0.0)

    def keys(self, component):
        """Flat (joint, time, value) of all keys inside the cut, times from its start."""
        curves = self.clip.sets[component]
        owner = np.full(len(curves.count), -1, np.int64)
        for joint in self.joints(component):
            owner[self.track[joint]] = joint
        joint = owner[curves.curve]
        inside = (joint >= 0) & (curves.times >= self.begin) & (
            curves.times <= self.begin + self.last / self.factor + 1e-9)
        joint = joint[inside]
        values = self.compose(component, joint, curves.values[inside])
        return joint, (curves.times[inside] - self.begin) * self.factor, values

    def moving(self, component):
        """Joints whose keys are not all equal; the others are constant curves."""
        joint, _, values = self.keys(component)
        if not len(joint):
            return np.zeros(0, np.int64)
        first = np.full(len(self.track), -1, np.int64)
        order = np.arange(len(joint))[::-1]
        first[joint[order]] = order
        off = np.abs(values - values[first[joint]]).max(1)
        if component == ROTATION:
            off = np.minimum(off, np.abs(values + values[first[joint]]).max(1))
        return np.unique(joint[off > 1e-12])


class Written:
    """Channels of an animation as curves by joint, values brought back to source space."""

    def __init__(self, glb, animation, joints, frame):
        self.glb, self.animation, self.frame = glb, animation, frame
        self.channels, self.strange = {}, []
        place = {node: i for i, node in enumerate(joints)}
        for channel in animation["channels"]:
            target = channel["target"]
            component = COMPONENTS.get(target.get("path"))
            joint = place.get(target.get("node"))
            if component is None or joint is None or (joint, component) in self.channels:
                self.strange.append(target)
                continue
            sampler = animation["samplers"][channel["sampler"]]
            factor = 3 if sampler.get("interpolation") == "CUBICSPLINE" else 1
            if len(glb.array(sampler["output"])) != factor * len(glb.array(sampler["input"])):
                self.strange.append(target)
                continue
            self.channels[joint, component] = sampler
        self.linear = []  # (joint, component) of moving channels that are not cubic
        self.sets = {c: self._set(c, len(joints)) for c in WORDS}
        self.last = max((float(glb.array(s["input"])[-1, 0]) for s in self.channels.values()), default=0.0)

    def joints(self, component):
        return np.array(sorted(j for j, c in self.channels if c == component), np.int64)

    def moving(self, component):
        """Joints whose curve has more than one key."""
        curves = self.sets[component]
        return np.flatnonzero(curves.count > 1) if curves else np.zeros(0, np.int64)

    def to_source(self, component, values):
        if component == ROTATION:
            return values * self.frame.quat
        return values / self.frame.point if component == TRANSLATION else values

    def _set(self, component, count):
        curve, times, values, tangents, cubic = [], [], [], [], []
        for joint in self.joints(component):
            sampler = self.channels[int(joint), component]
            t = self.glb.array(sampler["input"])[:, 0].astype(np.float64)
            v = self.to_source(component, self.glb.floats(sampler["output"]))
            into = out = np.zeros_like(v)
            if sampler.get("interpolation", "LINEAR") == "CUBICSPLINE":
                v = v.reshape(-1, 3, v.shape[1])
                into, v, out = v[:, 0], v[:, 1], v[:, 2]
                cubic.append(joint)
            elif len(t) > 1:
                self.linear.append((int(joint), component))
            tangents.append((into, out))
            curve.append(np.full(len(t), joint))
            times.append(t)
            values.append(v)
        if not curve:
            return None
        flat = [np.concatenate(x) for x in (curve, times, values)]
        if cubic:
            return Cubic(component, count, *flat, tangents, cubic)
        return CurveSet(component, count, *flat, "linear", False)

    def sample(self, component, joints, times):
        return self.sets[component].sample(joints, times)


class Cubic(CurveSet):
    """glTF's CUBICSPLINE where `cubic` names the joint, LINEAR elsewhere."""

    def __init__(self, component, count, curve, times, values, tangents, cubic):
        super().__init__(component, count, curve, times, values.copy(), "linear", False)
        self.points = values
        self.into = np.concatenate([t[0] for t in tangents])
        self.out = np.concatenate([t[1] for t in tangents])
        self.is_cubic = np.zeros(count, bool)
        self.is_cubic[np.array(cubic, np.int64)] = True

    def _linear(self, curve, times, seen):
        value = super()._linear(curve, times, seen)
        pick = self.is_cubic[curve]
        value[pick] = self._hermite(curve[pick], times[pick], seen[pick])
        return value

    def _hermite(self, curve, times, seen):
        start, count = self.start[curve], self.count[curve]
        left = start + np.clip(seen - 1, 0, count - 1)
        right = np.minimum(left + 1, start + count - 1)
        span = self.times[right] - self.times[left]
        a = np.clip(np.divide(times - self.times[left], span, out=np.zeros(len(times)), where=span > 0), 0, 1)
        a, span = a[:, None], span[:, None]
        a2, a3 = a * a, a * a * a
        value = ((2 * a3 - 3 * a2 + 1) * self.points[left] + span * (a3 - 2 * a2 + a) * self.out[left]
                 + (3 * a2 - 2 * a3) * self.points[right] + span * (a3 - a2) * self.into[right])
        if self.component == ROTATION:
            value /= np.linalg.norm(value, axis=1)[:, None]
        return value
