"""WAD archives, versions 1 to 3.4 (formats/wad.md)."""

import gzip
import struct

import zstandard

from . import FormatError
from .hashes import wad_path

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class Entry:
    __slots__ = ("hash", "offset", "stored", "size", "kind", "chunks", "first")

    def __init__(self, path_hash, offset, stored, size, kind, chunks=0, first=0):
        self.hash, self.offset, self.stored, self.size = path_hash, offset, stored, size
        self.kind, self.chunks, self.first = kind, chunks, first


class Wad:
    """An archive held in memory. `relative` is its path below the game folder, for the subchunk table."""

    def __init__(self, data, relative=None):
        self.data = data
        self.relative = relative
        self.entries = {}
        self._table = None
        if len(data) < 4 or data[:2] != b"RW":
            raise FormatError("wad: bad magic")
        self.major, self.minor = data[2], data[3]
        if self.major == 1:
            toc, entry_size, count = struct.unpack_from("<HHI", data, 4)
        elif self.major == 2:
            toc, entry_size, count = struct.unpack_from("<HHI", data, 96)
        elif self.major == 3:
            toc, entry_size = 272, 32
            (count,) = struct.unpack_from("<i", data, 268)
        else:
            raise FormatError(f"wad: major {self.major}")
        if count < 0 or toc + count * entry_size > len(data):
            raise FormatError(f"wad: {count} entries do not fit {len(data)} bytes")
        for i in range(count):
            self._add(toc + i * entry_size)

    def _add(self, at):
        if self.major == 1:
            path, offset, stored, size, kind = struct.unpack_from("<QIIII", self.data, at)
            entry = Entry(path, offset, stored, size, kind & 15)
        else:
            path, offset, stored, size, kind, high, low = struct.unpack_from("<QIIIBBH", self.data, at)
            first = low | (high << 16) if (self.major, self.minor) >= (3, 4) else low
            entry = Entry(path, offset, stored, size, kind & 15, kind >> 4, first)
        self.entries.setdefault(path, entry)

    def __contains__(self, key):
        return (key if isinstance(key, int) else wad_path(key)) in self.entries

    def read(self, key):
        """Bytes of an entry by path or by hash; KeyError when absent."""
        return self._unpack(self.entries[key if isinstance(key, int) else wad_path(key)])

    def _unpack(self, entry):
        raw = self.data[entry.offset : entry.offset + entry.stored]
        if len(raw) != entry.stored:
            raise FormatError(f"wad: entry {entry.hash:016x} ends past the file")
        if entry.kind == 0:
            out = raw
        elif entry.kind == 1:
            out = gzip.decompress(raw)
        elif entry.kind == 2:
            raise FormatError(f"wad: entry {entry.hash:016x} is a redirection")
        elif entry.kind == 3:
            out = _zstd(raw, entry.size)
        elif entry.kind == 4:
            out = self._chunked(entry, raw)
        else:
            raise FormatError(f"wad: entry {entry.hash:016x} has storage type {entry.kind}")
        if len(out) != entry.size:
            raise FormatError(f"wad: entry {entry.hash:016x} has {len(out)} bytes, not {entry.size}")
        return bytes(out)

    def _chunk_table(self):
        if self._table is None:
            self._table = b""
            if self.relative:
                name = self.relative.lower().replace("\\", "/")
                name = name.replace(".wad.client", ".wad.subchunktoc")
                if name in self:
                    self._table = self.read(name)
        return self._table

    def _chunked(self, entry, raw):
        table = self._chunk_table()
        records = [
            struct.unpack_from("<II", table, (entry.first + i) * 16)
            for i in range(entry.chunks)
            if (entry.first + i + 1) * 16 <= len(table)
        ]
        fits = sum(r[0] for r in records) == entry.stored and sum(r[1] for r in records) == entry.size
        if not fits or len(records) != entry.chunks:
            return _greedy(raw, entry.size)
        out, at = b"", 0
        for stored, size in records:
            piece = raw[at : at + stored]
            out += piece if stored == size else _zstd(piece, size)
            at += stored
        return out


def _zstd(raw, size):
    decoder = zstandard.ZstdDecompressor().decompressobj()
    out = decoder.decompress(raw)
    if len(out) > size:
        raise FormatError(f"wad: frame of {len(out)} bytes is over {size}")
    return out


def _greedy(raw, size):
    """Subchunks without their table: frames where the magic stands, raw bytes elsewhere."""
    out = b""
    while raw and len(out) < size:
        if raw[:4] == ZSTD_MAGIC:
            decoder = zstandard.ZstdDecompressor().decompressobj()
            out += decoder.decompress(raw)
            raw = decoder.unused_data
        else:
            end = raw.find(ZSTD_MAGIC, 1)
            end = len(raw) if end < 0 else end
            out += raw[:end]
            raw = raw[end:]
    return out


class GameFolder:
    """Every archive below a game folder as one table; the first archive that has a path wins."""

    def __init__(self, root):
        import os

        self.wads, self.champions = [], {}
        for folder, _, names in sorted(os.walk(root)):
            for name in sorted(names):
                if not name.lower().endswith((".wad.client", ".wad")):
                    continue
                full = os.path.join(folder, name)
                relative = os.path.relpath(full, root).replace(os.sep, "/")
                with open(full, "rb") as file:
                    data = file.read()
                try:
                    wad = Wad(data, relative)
                except FormatError:
                    continue  # a broken archive holds nothing; the others still count
                self.wads.append(wad)
                if "/champions/" in "/" + relative.lower():
                    self.champions.setdefault(name.split(".")[0].lower(), wad)

    def has(self, key):
        return any(key in wad for wad in self.wads)

    def read(self, key):
        """Bytes of a path from the first archive that can give them; KeyError when none can."""
        for wad in self.wads:
            if key in wad:
                try:
                    return wad.read(key)
                except FormatError:
                    continue
        raise KeyError(key)
