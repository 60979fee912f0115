"""Animations: compressed 1-3, uncompressed 3, 4 and 5 (formats/anm.md).

A clip is three curve sets (rotation, translation, scale) with one curve per track. A curve set keeps
all keys of all curves in flat arrays and evaluates any mix of (curve, time) pairs at once.
"""

import struct

import numpy as np

from . import FormatError
from .hashes import elf

ROTATION, TRANSLATION, SCALE = 0, 1, 2
WIDTH = {ROTATION: 4, TRANSLATION: 3, SCALE: 3}


class Clip:
    """`hashes` of the tracks in file order, `sets` by component, `last` the time of the last key."""

    def __init__(self, data):
        magic, (version,) = data[:8], struct.unpack_from("<I", data, 8)
        self.version, self.compressed, self.parametrised = version, magic == b"r3d2canm", False
        if self.compressed and version in (1, 2, 3):
            self._canm(data)
        elif magic == b"r3d2anmd" and version in (4, 5):
            self._palettes(data)
        elif magic == b"r3d2anmd" and version == 3:
            self._legacy(data)
        else:
            raise FormatError(f"anm: {magic!r} version {version}")

    def _canm(self, data):
        (flags, joints, keys, _, self.duration, self.fps) = struct.unpack_from("<IIIIff", data, 20)
        bounds = np.frombuffer(data, "<f4", 12, 68).astype(np.float64).reshape(4, 3)
        frames_at, _, hashes_at = (v + 12 for v in struct.unpack_from("<3i", data, 116))
        self.parametrised = bool(flags & 4)
        self.hashes = list(struct.unpack_from(f"<{joints}I", data, hashes_at))
        raw = np.frombuffer(data, "<u2", keys * 5, frames_at).reshape(-1, 5)
        track, kind = (raw[:, 1] & 0x3FFF).astype(np.int64), raw[:, 1] >> 14
        if keys and (track.max() >= joints or kind.max() > 2):
            raise FormatError("anm: key of an unknown joint or curve")
        times = raw[:, 0] / 65535.0 * float(self.duration)
        values = raw[:, 2:].astype(np.float64) / 65535.0
        decoded = {
            ROTATION: decode48(raw[:, 2:]),
            TRANSLATION: bounds[0] + (bounds[1] - bounds[0]) * values,
            SCALE: bounds[2] + (bounds[3] - bounds[2]) * values,
        }
        self.sets = {}
        for component, rows in decoded.items():
            own = np.flatnonzero(kind == component)
            own = own[np.lexsort((own, raw[own, 0], track[own]))]
            self.sets[component] = CurveSet(
                component, joints, track[own], times[own], rows[own], "spline", self.parametrised)
        self.last = float(self.duration)

    def _palettes(self, data):
        tracks, frames, step = struct.unpack_from("<IIf", data, 28)
        # Events and keys count frames (decisions 1): the float32 next to 1/30 stands for 1/30.
        whole = round(1.0 / step) if step > 0 else 0
        step = 1.0 / whole if whole and np.float32(1.0 / whole) == np.float32(step) else step
        self.fps, self.duration = 1.0 / float(step), frames * float(step)
        hashes_at, _, _, vectors_at, quats_at, frames_at = (v + 12 for v in struct.unpack_from("<6i", data, 40))
        vectors = np.frombuffer(data, "<f4", (quats_at - vectors_at) // 12 * 3, vectors_at).reshape(-1, 3)
        if self.version == 5:
            quats = decode48(np.frombuffer(data, "<u2", (hashes_at - quats_at) // 6 * 3, quats_at).reshape(-1, 3))
            self.hashes = list(struct.unpack_from(f"<{tracks}I", data, hashes_at))
            index = np.frombuffer(data, "<u2", frames * tracks * 3, frames_at).reshape(frames, tracks, 3)
        else:
            quats = np.frombuffer(data, "<f4", (frames_at - quats_at) // 16 * 4, quats_at).reshape(-1, 4)
            raw = np.frombuffer(data, "<u2", frames * tracks * 6, frames_at).reshape(frames, tracks, 6)
            first = raw[0] if frames else np.zeros((0, 6), np.uint16)
            self.hashes = [int(row[0]) | int(row[1]) << 16 for row in first]
            index = raw[:, :, 2:5]
        self._dense(quats[index[:, :, 2]], vectors[index[:, :, 0]], vectors[index[:, :, 1]], float(step))

    def _legacy(self, data):
        tracks, frames, fps = struct.unpack_from("<III", data, 16)
        self.fps, self.duration = float(fps), frames / fps
        size = 36 + frames * 28
        self.hashes, rows = [], []
        for i in range(tracks):
            at = 28 + i * size
            self.hashes.append(elf(data[at : at + 32].split(b"\0")[0]))
            rows.append(np.frombuffer(data, "<f4", frames * 7, at + 36).reshape(-1, 7))
        rows = np.stack(rows, 1) if rows else np.zeros((frames, 0, 7), np.float32)
        self._dense(rows[:, :, :4], rows[:, :, 4:], None, 1.0 / fps)

    def _dense(self, rotation, translation, scale, step):
        frames = len(rotation)
        self.last = max(frames - 1, 0) * step
        self.sets = {}
        for component, values in ((ROTATION, rotation), (TRANSLATION, translation), (SCALE, scale)):
            if values is None:
                values = np.zeros((0, len(self.hashes), WIDTH[component]))
            count, tracks = values.shape[:2]
            rows = values.astype(np.float64).transpose(1, 0, 2).reshape(-1, WIDTH[component])
            curve = np.repeat(np.arange(tracks), count)
            times = np.tile(np.arange(count) * step, tracks)
            self.sets[component] = CurveSet(component, tracks, curve, times, rows, "linear", False)


def decode48(words):
    """Unit quaternions x,y,z,w from rows of three u16."""
    words = words.astype(np.uint64)
    bits = words[:, 0] | words[:, 1] << np.uint64(16) | words[:, 2] << np.uint64(32)
    largest = ((bits >> np.uint64(45)) & np.uint64(3)).astype(np.int64)
    parts = [(bits >> np.uint64(shift)) & np.uint64(0x7FFF) for shift in (30, 15, 0)]
    small = np.stack(parts, 1).astype(np.float64) / 32767.0 * np.sqrt(2.0) - 1.0 / np.sqrt(2.0)
    out = np.empty((len(words), 4))
    rest = np.sqrt(np.maximum(0.0, 1.0 - (small * small).sum(1)))
    for i in range(4):
        rows = largest == i
        others = [k for k in range(4) if k != i]
        out[np.ix_(rows, others)] = small[rows]
        out[rows, i] = rest[rows]
    return out


class CurveSet:
    """Curves of one component. Keys are sorted by curve, then time, then file order."""

    def __init__(self, component, curves, curve, times, values, kind, parametrised):
        self.component, self.kind, self.parametrised = component, kind, parametrised
        keep, self.repaired = self._finite(component, values)
        curve, times, values = curve[keep], times[keep], values[keep]
        self.curve, self.times, self.values = curve, times, values
        self.count = np.bincount(curve, minlength=curves).astype(np.int64)
        self.start = np.concatenate(([0], np.cumsum(self.count)))[:-1].astype(np.int64)
        if component == ROTATION:
            self._unit()
        # One sorted axis for all curves: each curve gets its own span of it.
        self.span = (float(times.max()) if len(times) else 0.0) + 1.0
        self.axis = times + curve * self.span

    @staticmethod
    def _finite(component, values):
        """G44: a non-finite scale becomes 1, a non-finite rotation or translation key is dropped."""
        bad = ~np.isfinite(values)
        if component == SCALE:
            values[bad] = 1.0
            return np.ones(len(values), bool), int(bad.any(1).sum())
        rows = bad.any(1) if len(values) else np.zeros(0, bool)
        return ~rows, int(rows.sum())

    def _unit(self):
        length = np.linalg.norm(self.values, axis=1)
        self.values[length == 0] = (0.0, 0.0, 0.0, 1.0)
        length[length == 0] = 1.0
        self.values /= length[:, None]

    def keys(self, curve):
        at = self.start[curve]
        return self.times[at : at + self.count[curve]], self.values[at : at + self.count[curve]]

    def sample(self, curve, times):
        """Values at pairs (curve[i], times[i]); every curve asked for must have a key."""
        curve, times = np.asarray(curve, np.int64), np.asarray(times, np.float64)
        seen = np.searchsorted(self.axis, times + curve * self.span, "right") - self.start[curve]
        if self.kind == "spline":
            return self._spline(curve, times, seen)
        return self._linear(curve, times, seen)

    def _spline(self, curve, times, seen):
        start, count = self.start[curve], self.count[curve]
        window = np.clip(seen - 2, 0, np.maximum(count - 4, 0))
        # Curves of fewer than four keys hold their ends.
        picks = [start + np.minimum(window + k, count - 1) for k in range(4)]
        t0, t1, t2, t3 = (self.times[p] for p in picks)
        p0, p1, p2, p3 = (self.values[p] for p in picks)
        if self.component == ROTATION:
            p1, p2, p3 = (_aligned(p, p0) for p in (p1, p2, p3))
        a = np.clip(_ratio(times - t1, t2 - t1), 0.0, 1.0)
        if self.parametrised:
            tin, tout = _ratio(t2 - t1, t2 - t0), _ratio(t2 - t1, t3 - t1)
        else:
            tin = tout = np.full(len(a), 0.5)
        a2, a3 = a * a, a * a * a
        w0 = -tin * (a3 - 2 * a2 + a)
        w1 = 1 + (tout - 3) * a2 + (2 - tout) * a3
        w2 = tin * a + (3 - 2 * tin) * a2 + (tin - 2) * a3
        w3 = tout * (a3 - a2)
        out = p0 * w0[:, None] + p1 * w1[:, None] + p2 * w2[:, None] + p3 * w3[:, None]
        if self.component == ROTATION:
            out /= np.linalg.norm(out, axis=1)[:, None]
        return out

    def _linear(self, curve, times, seen):
        start, count = self.start[curve], self.count[curve]
        left = start + np.clip(seen - 1, 0, count - 1)
        right = np.minimum(left + 1, start + count - 1)
        t0, t1 = self.times[left], self.times[right]
        a = np.clip(_ratio(times - t0, t1 - t0), 0.0, 1.0)[:, None]
        p, q = self.values[left], self.values[right]
        return slerp(p, q, a[:, 0]) if self.component == ROTATION else p + (q - p) * a


def _ratio(a, b):
    return np.divide(a, b, out=np.zeros(len(a)), where=b != 0)


def _aligned(q, to):
    return np.where(((q * to).sum(1) < 0)[:, None], -q, q)


def slerp(p, q, a):
    """Spherical interpolation of unit quaternion rows, the short way."""
    q = _aligned(q, p)
    dot = np.minimum((p * q).sum(1), 1.0)
    angle = np.arccos(dot)
    sine = np.sin(angle)
    near = sine < 1e-6
    sine = np.where(near, 1.0, sine)
    wp = np.where(near, 1.0 - a, np.sin((1.0 - a) * angle) / sine)
    wq = np.where(near, a, np.sin(a * angle) / sine)
    out = p * wp[:, None] + q * wq[:, None]
    return out / np.linalg.norm(out, axis=1)[:, None]


def angle_deg(p, q):
    """Angle between rotations, exact for small ones (arccos of a dot near 1 is not)."""
    q = _aligned(q, p)
    return np.degrees(4.0 * np.arcsin(np.clip(np.linalg.norm(p - q, axis=1) / 2.0, 0.0, 1.0)))
