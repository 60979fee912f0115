"""Skinned meshes, versions 0, 1, 2 and 4 (formats/skn.md)."""

import struct

import numpy as np

from . import FormatError

STRIDES = {0: 52, 1: 56, 2: 72, 3: 104}


class Range:
    __slots__ = ("name", "first_vertex", "vertices", "first_index", "indices", "triangles", "relative")

    def __init__(self, name, first_vertex, vertices, first_index, indices):
        self.name, self.first_vertex, self.vertices = name, first_vertex, vertices
        self.first_index, self.indices = first_index, indices
        self.triangles, self.relative = None, False


class Skn:
    """Arrays position, blend, weights, normal, uv; `ranges[i].triangles` are absolute (n, 3) indices."""

    def __init__(self, data):
        if data[:4] != b"\x33\x22\x11\x00":
            raise FormatError("skn: bad magic")
        self.major, minor = struct.unpack_from("<HH", data, 4)
        if self.major not in (0, 1, 2, 4) or minor != 1:
            raise FormatError(f"skn: version {self.major}.{minor}")
        at, ranges, flags, stride, kind = 8, [], 0, 52, 0
        if self.major:
            (count,) = struct.unpack_from("<I", data, at)
            at += 4
            for _ in range(count):
                name = data[at : at + 64].split(b"\0")[0]
                ranges.append(Range(name, *struct.unpack_from("<4I", data, at + 64)))
                at += 80
        if self.major == 4:
            (flags,) = struct.unpack_from("<I", data, at)
            at += 4
        indices, vertices = struct.unpack_from("<II", data, at)
        at += 8
        if self.major == 4:
            stride, kind = struct.unpack_from("<II", data, at)
            at += 8 + 40
            if STRIDES.get(kind) != stride:
                raise FormatError(f"skn: vertex type {kind} of {stride} bytes")
        self.direct = bool(flags & 1)
        if self.direct:
            at += 2 + struct.unpack_from("<H", data, at)[0]
        if at + indices * 2 + vertices * stride > len(data):
            raise FormatError(f"skn: {indices} indices and {vertices} vertices do not fit")
        self.index = np.frombuffer(data, "<u2", indices, at).astype(np.int64)
        self._vertices(np.frombuffer(data, np.uint8, vertices * stride, at + indices * 2), stride)
        self.flags = flags
        self.ranges = ranges or [Range(b"Base", 0, vertices, 0, indices)]
        for item in self.ranges:
            self._resolve(item)

    def _vertices(self, raw, stride):
        raw = raw.reshape(-1, stride)

        def floats(start, count):
            return np.ascontiguousarray(raw[:, start : start + 4 * count]).view("<f4")

        self.position = floats(0, 3)
        self.blend = raw[:, 12:16].astype(np.int64)
        self.weights = floats(16, 4)
        self.normal = floats(32, 3)
        self.uv = floats(44, 2)

    def _resolve(self, item):
        """Absolute triangles of a range; relative ones by the flag, or by what fits (decisions 27, 35)."""
        raw = self.index[item.first_index : item.first_index + item.indices]
        raw = raw[: len(raw) // 3 * 3]
        low, high = item.first_vertex, item.first_vertex + item.vertices
        outside = bool(len(raw)) and bool((raw < low).any() or (raw >= high).any())
        item.relative = bool(self.flags & 2) or (outside and bool((raw < item.vertices).all()))
        if item.relative:
            raw = raw + item.first_vertex
        if len(raw) and raw.max() >= len(self.position):
            raise FormatError(f"skn: index {raw.max()} of {len(self.position)} vertices")
        item.triangles = raw.reshape(-1, 3)
