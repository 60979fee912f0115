"""Skeletons, current and legacy (formats/skl.md)."""

import struct

import numpy as np

from . import FormatError
from .hashes import elf


class Joint:
    """One joint; `t r s` is the rest pose, `inverse` the 4x4 inverse bind matrix, all as stored."""

    __slots__ = ("id", "name", "parent", "hash", "stored_hash", "t", "r", "s", "inverse")


class Skl:
    """`joints` by id, `influences` the joint ids that blend indices select, `legacy` the layout."""

    def __init__(self, data):
        if data[:8] == b"r3d2sklt":
            self.legacy = True
            self._legacy(data)
        elif data[4:8] == b"\xc3\x4f\xfd\x22":
            self.legacy = False
            self._current(data)
        else:
            raise FormatError("skl: bad magic")
        count = len(self.joints)
        self.influences = [j for j in self.influences if j < count]
        for joint in self.joints:
            if not -1 <= joint.parent < count:
                joint.parent = -1
        self._cut_cycles()
        self._repair()
        self.replaced = [joint.id for joint in self.joints if joint.inverse is None]
        for number in self.replaced:
            self.joints[number].inverse = self.rest_inverse(number)
        self.identity = self.influences == list(range(count))

    def _cut_cycles(self):
        """A joint that is its own ancestor counts as parentless (track-mapping.md, walk order)."""
        loose = []
        for joint in self.joints:
            above, steps = joint.parent, 0
            while above >= 0 and above != joint.id and steps <= len(self.joints):
                above, steps = self.joints[above].parent, steps + 1
            if above == joint.id:
                loose.append(joint)
        for joint in loose:
            joint.parent = -1

    def _repair(self):
        """Decision 31: a number that is not finite becomes identity's; `inverse` is None where it cannot be used."""
        for joint in self.joints:
            for word, identity in (("t", (0, 0, 0)), ("r", (0, 0, 0, 1)), ("s", (1, 1, 1))):
                values = getattr(joint, word)
                setattr(joint, word, np.where(np.isfinite(values), values, np.array(identity, np.float64)))
            usable = np.isfinite(joint.inverse).all()
            if not usable or abs(np.linalg.det(joint.inverse[:3, :3])) < 1e-30:
                joint.inverse = None

    def rest_inverse(self, joint):
        """Inverse of the chained rest pose of a joint; zero scales count as 1 where the chain is singular."""
        for zeros in (False, True):
            world, above = np.eye(4), joint
            while above >= 0:
                one = self.joints[above]
                scale = np.where(one.s == 0, 1.0, one.s) if zeros else one.s
                world, above = compose(one.t, one.r, scale) @ world, one.parent
            if abs(np.linalg.det(world[:3, :3])) > 1e-30:
                break
        return np.linalg.inv(world)

    def _current(self, data):
        (count, influences, joints_at, _, influences_at) = struct.unpack_from("<HIiii", data, 14)
        slots = [None] * count
        for i in range(count):
            joint = self._record(data, joints_at + i * 100)
            if not 0 <= joint.id < count or slots[joint.id]:
                raise FormatError(f"skl: joint id {joint.id} repeats or is out of range")
            slots[joint.id] = joint
        self.joints = slots
        self.influences = list(struct.unpack_from(f"<{influences}H", data, influences_at))

    @staticmethod
    def _record(data, at):
        joint = Joint()
        joint.id, joint.parent = struct.unpack_from("<hh", data, at + 2)
        (joint.stored_hash,) = struct.unpack_from("<I", data, at + 8)
        values = struct.unpack_from("<20f", data, at + 16)
        joint.t, joint.s, joint.r = (np.array(values[a:b], np.float64) for a, b in ((0, 3), (3, 6), (6, 10)))
        inverse = [np.array(values[a:b], np.float64) for a, b in ((10, 13), (16, 20), (13, 16))]
        joint.inverse = compose(*inverse)
        (offset,) = struct.unpack_from("<i", data, at + 96)
        name_at = at + 96 + offset
        end = data.find(b"\0", name_at)
        if name_at < 0 or end < 0:
            raise FormatError(f"skl: name of joint {joint.id} is not terminated")
        joint.name = data[name_at:end]
        joint.hash = elf(joint.name) if joint.name else joint.stored_hash
        return joint

    def _legacy(self, data):
        version, _, count = struct.unpack_from("<III", data, 8)
        self.joints, worlds = [], []
        for i in range(count):
            at = 20 + i * 88
            joint = Joint()
            joint.id, joint.name = i, data[at : at + 32].split(b"\0")[0]
            (joint.parent,) = struct.unpack_from("<i", data, at + 32)
            joint.hash = joint.stored_hash = elf(joint.name)
            world = np.eye(4)
            world[:3] = np.array(struct.unpack_from("<12f", data, at + 40), np.float64).reshape(3, 4)
            worlds.append(world)
            self.joints.append(joint)
        for joint in self.joints:
            parent = worlds[joint.parent] if 0 <= joint.parent < count else np.eye(4)
            joint.t, joint.r, joint.s = decompose(np.linalg.inv(parent) @ worlds[joint.id])
            joint.inverse = np.linalg.inv(worlds[joint.id])
        if version >= 2:
            at = 20 + count * 88
            (used,) = struct.unpack_from("<I", data, at)
            self.influences = list(struct.unpack_from(f"<{used}I", data, at + 4))
        else:
            self.influences = list(range(count))

    def walk(self):
        """Joint ids breadth first: roots, then the children of each level in parent and id order."""
        children = {}
        for joint in self.joints:
            children.setdefault(joint.parent, []).append(joint.id)
        level, order = children.get(-1, []), []
        while level:
            order += level
            level = [child for parent in level for child in children.get(parent, [])]
        return order


def quat_matrix(r):
    """3x3 rotation of a unit quaternion x,y,z,w."""
    x, y, z, w = r
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])


def unit(r):
    length = np.linalg.norm(r)
    return np.array([0.0, 0, 0, 1]) if not length > 0 else np.asarray(r, np.float64) / length


def compose(t, r, s):
    """4x4 of translation * rotation * scale, column vectors."""
    out = np.eye(4)
    out[:3, :3] = quat_matrix(unit(r)) * np.asarray(s)
    out[:3, 3] = t
    return out


def decompose(matrix):
    """T, R, S of an affine matrix without shear; a reflection goes into the x scale."""
    t = matrix[:3, 3].copy()
    basis = matrix[:3, :3]
    s = np.linalg.norm(basis, axis=0)
    if np.linalg.det(basis) < 0:
        s[0] = -s[0]
    m = basis / np.where(s == 0, 1, s)
    trace = m[0, 0] + m[1, 1] + m[2, 2]
    options = [m[0, 0], m[1, 1], m[2, 2], trace]
    i = int(np.argmax(options))
    if i == 3:
        q = [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1 + trace]
    else:
        j, k = (i + 1) % 3, (i + 2) % 3
        q = [0.0] * 4
        q[i] = 1 + m[i, i] - m[j, j] - m[k, k]
        q[j] = m[j, i] + m[i, j]
        q[k] = m[k, i] + m[i, k]
        q[3] = m[k, j] - m[j, k]
    return t, unit(np.array(q)), s
