"""Changes WAD archives of version 3 from formats/wad.md alone; shares nothing with the program under test.

Entries that are not touched keep their stored bytes.
"""

import os
import struct

import xxhash
import zstandard

TABLE, RECORD = 272, 32


def path_hash(path):
    return xxhash.xxh64(path.lower().replace("\\", "/").encode()).intdigest()


class Wad:
    def __init__(self, path=None, minor=4):
        self.path = path
        self.head = b"RW\x03" + bytes([minor]) + bytes(264)
        self.entries = {}  # hash -> (size, storage byte, byte 21, u16, stored bytes)
        if path is not None:
            self._read()

    def _read(self):
        with open(self.path, "rb") as f:
            data = f.read()
        assert data[:3] == b"RW\x03" and data[3] >= 1, "only 3.1 and later"
        self.head = data[:268]
        (count,) = struct.unpack_from("<i", data, 268)
        for i in range(count):
            key, at, stored, size, storage, high, low, _ = struct.unpack_from("<QIIIBBHQ", data, TABLE + i * RECORD)
            self.entries[key] = (size, storage, high if data[3] >= 4 else 0, low, data[at:at + stored])

    def key(self, path):
        return path if isinstance(path, int) else path_hash(path)

    def __contains__(self, path):
        return self.key(path) in self.entries

    def get(self, path):
        size, storage, _, _, stored = self.entries[self.key(path)]
        assert storage & 15 in (0, 3), "not raw and not one zstd frame"
        if storage & 15 == 0:
            return stored
        return zstandard.ZstdDecompressor().decompressobj().decompress(stored)[:size]

    def set(self, path, data, raw=False):
        stored = data if raw else zstandard.ZstdCompressor(level=1).compress(data)
        self.entries[self.key(path)] = (len(data), 0 if raw else 3, 0, 0, stored)

    def remove(self, path):
        del self.entries[self.key(path)]

    def bytes(self):
        at = TABLE + RECORD * len(self.entries)
        table, body = b"", b""
        for key in sorted(self.entries):
            size, storage, high, low, stored = self.entries[key]
            table += struct.pack("<QIIIBBHQ", key, at + len(body), len(stored), size, storage, high, low,
                                 xxhash.xxh3_64(stored).intdigest())
            body += stored
        return self.head + struct.pack("<i", len(self.entries)) + table + body

    def save(self, path=None):
        """Beside the archive and over it, as a patcher should."""
        path = path or self.path
        with open(path + ".part", "wb") as f:
            f.write(self.bytes())
        os.rename(path + ".part", path)
