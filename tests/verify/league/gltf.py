"""Reads a GLB: its JSON, its accessors as arrays, its joints and animations."""

import json
import struct

import numpy as np

from . import FormatError

TYPES = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Glb:
    def __init__(self, data):
        if len(data) < 20 or data[:4] != b"glTF":
            raise FormatError("glb: bad magic")
        _, version, size = struct.unpack_from("<4sII", data)
        if version != 2 or size != len(data):
            raise FormatError(f"glb: version {version}, length {size} of {len(data)}")
        self.json, self.binary, at = None, b"", 12
        while at + 8 <= size:
            length, kind = struct.unpack_from("<I4s", data, at)
            chunk = data[at + 8 : at + 8 + length]
            if kind == b"JSON":
                self.json = json.loads(chunk)
            elif kind == b"BIN\0":
                self.binary = chunk
            at += 8 + length
        self._arrays = {}

    def list(self, name):
        return self.json.get(name, [])

    def array(self, index):
        """Accessor `index` as stored, shape (count, width); integers are not normalised."""
        if index not in self._arrays:
            self._arrays[index] = self._read(self.json["accessors"][index])
        return self._arrays[index]

    def floats(self, index):
        """Accessor as float64, normalised integers mapped to -1..1 or 0..1."""
        raw, accessor = self.array(index), self.json["accessors"][index]
        out = raw.astype(np.float64)
        if accessor.get("normalized"):
            top = float(np.iinfo(raw.dtype).max)
            out = np.maximum(out / top, -1.0)
        return out

    def _read(self, accessor):
        kind, width = np.dtype(TYPES[accessor["componentType"]]), WIDTHS[accessor["type"]]
        count = accessor["count"]
        if "bufferView" not in accessor:
            return np.zeros((count, width), kind)
        view = self.json["bufferViews"][accessor["bufferView"]]
        at = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        size = kind.itemsize * width
        stride = view.get("byteStride", size)
        if at + stride * (count - 1) + size > len(self.binary):
            raise FormatError("glb: accessor ends past the buffer")
        if stride == size:
            return np.frombuffer(self.binary, kind, count * width, at).reshape(count, width)
        return np.ndarray((count, width), kind, self.binary, at, (stride, kind.itemsize)).copy()

    def riftbake(self, thing):
        return (thing.get("extras") or {}).get("riftbake") or {}

    def options(self):
        return self.riftbake(self.json.get("asset", {}))

    def report(self):
        return {row["code"]: row.get("count", 0) for row in self.options().get("report", [])}


def local_matrices(t, r, s):
    """(..., 3, 4) matrices of translation * rotation * scale for arrays of T, R (unit), S."""
    x, y, z, w = (r[..., i] for i in range(4))
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    columns = [np.stack([rows[i][j] * s[..., j] for i in range(3)], -1) for j in range(3)]
    return np.stack([*columns, t], -1)


def world_matrices(parents, local):
    """Chains local matrices (joints, ..., 3, 4); `parents` is -1 for roots, any order of joints."""
    out = np.empty_like(local)
    children = {}
    for joint, parent in enumerate(parents):
        children.setdefault(parent, []).append(joint)
    level = children.get(-1, [])
    out[level] = local[level]
    while level:
        below = [child for joint in level for child in children.get(joint, [])]
        if below:
            above = out[[parents[joint] for joint in below]]
            out[below] = above[..., :3] @ local[below]
            out[below, ..., 3] += above[..., 3]
        level = below
    return out
