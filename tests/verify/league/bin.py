"""Property bins, PROP 1-3 and PTCH (formats/bin.md).

Values come back as plain Python: numbers, bytes for strings, tuples for vectors, `File` for asset
hashes, `Link` for links, `Struct` for pointer and embed, list for containers, list of pairs for maps.
"""

import struct

from . import FormatError
from .hashes import fnv1a

# The numbering a file uses is not written in it. Each table maps the file's id to the modern one.
MODERN = {i: i for i in list(range(19)) + list(range(0x80, 0x88))}
MIDDLE = {i: i for i in range(18)}
MIDDLE.update({0x80: 0x80, 0x81: 0x82, 0x82: 0x83, 0x83: 0x84, 0x84: 0x85, 0x85: 0x86, 0x86: 0x87})
OLD = {i: i for i in range(18)}
OLD.update({18: 0x80, 19: 0x82, 20: 0x83, 21: 0x84, 22: 0x85, 23: 0x86, 24: 0x87})

FIXED = {1: "<B", 2: "<b", 3: "<B", 4: "<h", 5: "<H", 6: "<i", 7: "<I", 8: "<q", 9: "<Q", 10: "<f",
         11: "<2f", 12: "<3f", 13: "<4f", 14: "<16f", 15: "<4B"}
CONTAINERS = {0x80, 0x81, 0x85, 0x86}
MAX_DEPTH = 64


class File(int):
    """A path given by its 64-bit hash."""


class Link(int):
    """The path hash of another entry."""


class Struct:
    """Fields by name hash; `struct["mName"]` hashes the name. The first of two equal fields counts."""

    __slots__ = ("kind", "fields")

    def __init__(self, kind, fields):
        self.kind, self.fields = kind, fields

    def get(self, name, default=None):
        return self.fields.get(name if isinstance(name, int) else fnv1a(name), default)

    def is_a(self, name):
        return self.kind == fnv1a(name)


class _Reader:
    def __init__(self, data, at, table):
        self.data, self.at, self.table = data, at, table

    def take(self, fmt):
        try:
            values = struct.unpack_from(fmt, self.data, self.at)
        except struct.error:
            raise FormatError(f"bin: cut short at {self.at}") from None
        self.at += struct.calcsize(fmt)
        return values

    def one(self, fmt):
        return self.take(fmt)[0]

    def string(self):
        size = self.one("<H")
        if self.at + size > len(self.data):
            raise FormatError(f"bin: string of {size} bytes at {self.at}")
        self.at += size
        return self.data[self.at - size : self.at]

    def kind(self):
        number = self.one("<B")
        if number not in self.table:
            raise FormatError(f"bin: type {number} at {self.at - 1}")
        return self.table[number]

    def sized(self, size, start, what):
        if self.at - start != size:
            raise FormatError(f"bin: {what} at {start} says {size} bytes, holds {self.at - start}")

    def value(self, kind, depth):
        if depth > MAX_DEPTH:
            raise FormatError("bin: nesting")
        if kind in FIXED:
            values = self.take(FIXED[kind])
            if kind == 1:
                return values[0] != 0
            return values if len(values) > 1 else values[0]
        return self.other(kind, depth)

    def other(self, kind, depth):
        if kind == 0:
            return None
        if kind == 16:
            return self.string()
        if kind == 17:
            return self.one("<I")
        if kind == 18:
            return File(self.one("<Q"))
        if kind in (0x80, 0x81):
            return self.list(depth)
        if kind in (0x82, 0x83):
            return self.struct(kind, depth)
        if kind == 0x84:
            return Link(self.one("<I"))
        if kind == 0x85:
            return self.option(depth)
        if kind == 0x86:
            return self.map(depth)
        return self.one("<B") != 0

    def list(self, depth):
        kind = self.kind()
        if kind in CONTAINERS:
            raise FormatError(f"bin: container in a list at {self.at}")
        size = self.one("<I")
        start = self.at
        count = self.one("<I")
        if count > size:
            raise FormatError(f"bin: {count} elements in {size} bytes at {start}")
        out = [self.value(kind, depth + 1) for _ in range(count)]
        self.sized(size, start, "list")
        return out

    def option(self, depth):
        kind = self.kind()
        count = self.one("<B")
        if count > 1 or kind in CONTAINERS:
            raise FormatError(f"bin: option of {count} at {self.at}")
        return self.value(kind, depth + 1) if count else None

    def map(self, depth):
        key, kind = self.kind(), self.kind()
        if key >= 0x80 or kind in CONTAINERS:
            raise FormatError(f"bin: map of {key} to {kind} at {self.at}")
        size = self.one("<I")
        start = self.at
        count = self.one("<I")
        if count > size:
            raise FormatError(f"bin: {count} pairs in {size} bytes at {start}")
        out = [(self.value(key, depth + 1), self.value(kind, depth + 1)) for _ in range(count)]
        self.sized(size, start, "map")
        return out

    def struct(self, kind, depth):
        name = self.one("<I")
        if name == 0 and kind == 0x82:
            return None
        size = self.one("<I")
        start = self.at
        fields = self.fields(depth)
        self.sized(size, start, "struct")
        return Struct(name, fields)

    def fields(self, depth):
        fields = {}
        for _ in range(self.one("<H")):
            name = self.one("<I")
            value = self.value(self.kind(), depth + 1)
            fields.setdefault(name, value)
        return fields


class Bin:
    """`links` are the linked paths (bytes), `entries` the objects by path hash, first one first."""

    def __init__(self, data):
        at = 0
        if data[:4] == b"PTCH":
            if data[4:8] != b"\x01\0\0\0":
                raise FormatError("bin: PTCH version")
            at = 12
        if data[at : at + 4] != b"PROP":
            raise FormatError("bin: bad magic")
        head = _Reader(data, at + 4, MODERN)
        self.version = head.one("<I")
        if self.version not in (1, 2, 3):
            raise FormatError(f"bin: version {self.version}")
        self.patched = at > 0
        self.links = [head.string() for _ in range(head.one("<I"))] if self.version >= 2 else []
        count = head.one("<I")
        if count * 4 > len(data) - head.at:
            raise FormatError(f"bin: {count} entries")
        self.kinds = head.take(f"<{count}I")
        self.entries = self._entries(data, head.at)

    def _entries(self, data, at):
        first = None
        for table in (MODERN, MIDDLE, OLD):
            try:
                return self._parse(_Reader(data, at, table))
            except FormatError as error:
                first = first or error
        raise first

    def _parse(self, reader):
        entries = {}
        for kind in self.kinds:
            size = reader.one("<I")
            start = reader.at
            path = reader.one("<I")
            fields = reader.fields(0)
            reader.sized(size, start, "entry")
            entries.setdefault(path, Struct(kind, fields))
        if self.patched and self.version >= 3:
            for _ in range(reader.one("<I")):
                reader.one("<I")
                size = reader.one("<I")
                reader.at += size
        if reader.at != len(reader.data):
            raise FormatError(f"bin: {len(reader.data) - reader.at} bytes after the last entry")
        return entries

    def of_class(self, name):
        kind = fnv1a(name)
        return [(path, entry) for path, entry in self.entries.items() if entry.kind == kind]
