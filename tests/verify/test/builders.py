"""Source files made by hand, byte by byte, after the "Minimal valid file" sections of the format documents."""

import gzip
import struct

import numpy as np
import xxhash
import zstandard

from league.hashes import elf, fnv1a, wad_path

# --- archives -------------------------------------------------------------------------------------------------


def wad(files, version=(3, 3), table_name=None, pieces=None):
    """`files`: path -> (storage type, bytes). Type 4 takes `pieces[path]`, a list of (stored, plain)."""
    major, minor = version
    entry_size = 24 if major == 1 else 32
    head = {1: 12, 2: 104, 3: 272}[major]
    files, records, first = dict(files), b"", {}
    for path, parts in (pieces or {}).items():
        first[path] = len(records) // 16
        for stored, plain in parts:
            records += struct.pack("<IIQ", len(stored), len(plain), xxhash.xxh3_64_intdigest(stored))
    if table_name:
        files[table_name] = (0, records)
    rows, data, at = [], b"", head + entry_size * len(files)
    for path, (kind, plain) in sorted(files.items(), key=lambda item: wad_path(item[0])):
        parts = (pieces or {}).get(path)
        stored = b"".join(p[0] for p in parts) if kind == 4 else pack_plain(kind, plain)
        size = len(plain)
        if major == 1:
            rows.append(struct.pack("<QIIII", wad_path(path), at, len(stored), size, kind))
        else:
            number = first.get(path, 0)
            count = len(parts) if kind == 4 else 0
            high = number >> 16 if minor >= 4 else 0
            rows.append(struct.pack("<QIIIBBHQ", wad_path(path), at, len(stored), size,
                                    kind | count << 4, high, number & 0xFFFF, 0))
        data, at = data + stored, at + len(stored)
    if major == 1:
        header = struct.pack("<2sBBHHI", b"RW", 1, minor, head, entry_size, len(rows))
    elif major == 2:
        header = struct.pack("<2sBBB83sQHHI", b"RW", 2, minor, 0, b"", 0, head, entry_size, len(rows))
    else:
        header = struct.pack("<2sBB", b"RW", 3, minor) + b"\0" * 264 + struct.pack("<i", len(rows))
    return header + b"".join(rows) + data


def pack_plain(kind, plain):
    if kind == 1:
        return gzip.compress(plain, mtime=0)
    return frame(plain) if kind == 3 else plain


def frame(plain):
    return zstandard.ZstdCompressor(level=1).compress(plain)


# --- property bins --------------------------------------------------------------------------------------------


class B:
    """A bin value with its modern type id; the helpers below make them."""

    def __init__(self, kind, raw):
        self.kind, self.raw = kind, raw


def string(text):
    raw = text.encode()
    return B(16, struct.pack("<H", len(raw)) + raw)


def number(kind, fmt, *values):
    return B(kind, struct.pack(fmt, *values))


def f32(value):
    return number(10, "<f", value)


def i32(value):
    return number(6, "<i", value)


def u8(value):
    return number(3, "<B", value)


def hash_(name):
    return number(17, "<I", name if isinstance(name, int) else fnv1a(name))


def file(path):
    return number(18, "<Q", wad_path(path))


def link(name):
    return number(0x84, "<I", fnv1a(name))


def body(fields):
    raw = struct.pack("<H", len(fields))
    for name, value in fields:
        raw += struct.pack("<IB", fnv1a(name), value.kind) + value.raw
    return raw


def struct_(kind, name, *fields):
    raw = body(fields)
    return B(kind, struct.pack("<II", fnv1a(name), len(raw)) + raw)


def embed(name, *fields):
    return struct_(0x83, name, *fields)


def pointer(name, *fields):
    return struct_(0x82, name, *fields)


def pointer_null():
    return B(0x82, struct.pack("<I", 0))


def list_(kind, *items):
    raw = struct.pack("<I", len(items)) + b"".join(i.raw for i in items)
    return B(0x80, struct.pack("<BI", kind, len(raw)) + raw)


def map_(key, kind, *pairs):
    raw = struct.pack("<I", len(pairs)) + b"".join(k.raw + v.raw for k, v in pairs)
    return B(0x86, struct.pack("<BBI", key, kind, len(raw)) + raw)


def option(value):
    return B(0x85, struct.pack("<BB", value.kind, 1) + value.raw)


def prop(entries, links=(), version=3, patch=False):
    """`entries`: (path, class, fields)."""
    out = (b"PTCH" + struct.pack("<II", 1, 0) if patch else b"") + b"PROP" + struct.pack("<I", version)
    if version >= 2:
        out += struct.pack("<I", len(links)) + b"".join(string(item).raw for item in links)
    out += struct.pack("<I", len(entries)) + b"".join(struct.pack("<I", fnv1a(c)) for _, c, _ in entries)
    for path, _, fields in entries:
        raw = struct.pack("<I", fnv1a(path)) + body(fields)
        out += struct.pack("<I", len(raw)) + raw
    if patch and version >= 3:
        patch_body = b"\x07" + string("mFoo").raw + struct.pack("<I", 9)
        out += struct.pack("<III", 1, fnv1a("t"), len(patch_body)) + patch_body
    return out


# --- meshes ---------------------------------------------------------------------------------------------------


def vertex(position, blend=(0, 0, 0, 0), weights=(1, 0, 0, 0), normal=(0, 0, 1), uv=(0, 0), kind=0):
    raw = struct.pack("<3f4B4f3f2f", *position, *blend, *weights, *normal, *uv)
    return raw + {0: b"", 1: b"\1\2\3\4", 2: b"\1\2\3\4" + struct.pack("<4f", 1, 0, 0, 1),
                  3: struct.pack("<8f", *[0] * 8) + b"\1\2\3\4" + struct.pack("<4f", 1, 0, 0, 1)}[kind]


def skn(ranges, indices, vertices, major=4, kind=0, flags=0):
    """`ranges`: (name, first vertex, vertices, first index, indices); `vertices`: raw ones of `kind`."""
    out = struct.pack("<IHH", 0x00112233, major, 1)
    if major:
        out += struct.pack("<I", len(ranges))
        for name, *numbers in ranges:
            out += name.encode().ljust(64, b"\0") + struct.pack("<4I", *numbers)
    if major == 4:
        out += struct.pack("<I", flags)
    out += struct.pack("<II", len(indices), len(vertices))
    if major == 4:
        out += struct.pack("<II", len(vertices[0]), kind) + b"\0" * 40
        if flags & 1:
            out += struct.pack("<H", 2) + b"\0\1"
    out += struct.pack(f"<{len(indices)}H", *indices) + b"".join(vertices)
    return out + (b"\0" * 12 if major >= 2 else b"")


# --- skeletons ------------------------------------------------------------------------------------------------


def skl(joints, influences, shuffle=None):
    """`joints`: dicts with name, parent, t, r, s, it, ir, is; missing ones are identity."""
    count = len(joints)
    index_at = 64 + 100 * count
    influences_at = index_at + 8 * count
    name_at = influences_at + 2 * len(influences) + (-2 * len(influences)) % 4
    names_at, at, names = name_at + 8, name_at + 8, b""
    records = []
    for i, joint in enumerate(joints):
        raw = joint["name"].encode("latin-1")
        own = 64 + 100 * i
        values = (list(joint.get("t", (0, 0, 0))) + list(joint.get("s", (1, 1, 1))) + list(joint.get("r", (0, 0, 0, 1)))
                  + list(joint.get("it", (0, 0, 0))) + list(joint.get("is", (1, 1, 1))) + list(joint.get("ir", (0, 0, 0, 1))))
        records.append(struct.pack("<HhhHIf20fi", 0, i, joint.get("parent", -1), 0,
                                   joint.get("hash", elf(raw)), 2.1, *values, at - (own + 96)))
        padded = raw + b"\0" * (4 - len(raw) % 4)
        names, at = names + padded, at + len(padded)
    if shuffle:
        # Record i is moved to slot shuffle[i]; name offsets are relative to the record, so they move along.
        moved = [b""] * count
        for i, slot in enumerate(shuffle):
            (offset,) = struct.unpack_from("<i", records[i], 96)
            moved[slot] = records[i][:96] + struct.pack("<i", offset + 100 * (i - slot))
        records = moved
    table = b"".join(struct.pack("<hHI", i, 0, elf(j["name"].encode("latin-1")))
                     for i, j in sorted(enumerate(joints), key=lambda p: elf(p[1]["name"].encode("latin-1"))))
    out = struct.pack("<IIIHHI6i5i", at, 0x22FD4FC3, 0, 0, count, len(influences),
                      64, index_at, influences_at, name_at, name_at + 4, names_at, *[-1] * 5)
    out += b"".join(records) + table + struct.pack(f"<{len(influences)}H", *influences)
    return out + b"\0" * (names_at - len(out)) + names


def legacy_skl(joints, version=2, influences=()):
    """`joints`: (name, parent, 3x4 global matrix)."""
    out = b"r3d2sklt" + struct.pack("<III", version, 7, len(joints))
    for name, parent, matrix in joints:
        out += name.encode().ljust(32, b"\0") + struct.pack("<if12f", parent, 0.1, *np.array(matrix).reshape(-1))
    if version >= 2:
        out += struct.pack(f"<I{len(influences)}I", len(influences), *influences)
    return out


# --- animations -----------------------------------------------------------------------------------------------

HALF = np.sqrt(0.5)


def quat48(q):
    """Six bytes of a quaternion, by the encoding rule of the document."""
    q = np.array(q, float)
    largest = int(np.argmax(np.abs(q)))
    q = q if q[largest] >= 0 else -q
    parts = [int(round(32767 / 2 * (np.sqrt(2) * q[i] + 1))) for i in range(4) if i != largest]
    bits = largest << 45 | parts[0] << 30 | parts[1] << 15 | parts[2]
    return struct.pack("<Q", bits)[:6]


def anm5(names, vectors, quats, frames, step=1 / 30):
    """`frames[f][track]` = (translation, scale, rotation) palette indices."""
    body_ = b"".join(struct.pack("<3f", *v) for v in vectors)
    quats_at = 64 + len(body_)
    body_ += b"".join(quat48(q) for q in quats)
    hashes_at = 64 + len(body_)
    body_ += b"".join(struct.pack("<I", n if isinstance(n, int) else elf(n)) for n in names)
    frames_at = 64 + len(body_)
    body_ += b"".join(struct.pack("<3H", *t) for f in frames for t in f)
    head = struct.pack("<IIIII f iiiiii iii".replace(" ", ""), 0, 0, 0, len(names), len(frames), step,
                       hashes_at, 0, 0, 64, quats_at, frames_at, 0, 0, 0)
    return b"r3d2anmd" + struct.pack("<II", 5, 64 + len(body_)) + head + body_


def anm4(names, vectors, quats, frames, step=1 / 30):
    body_ = b"".join(struct.pack("<3f", *v) for v in vectors)
    quats_at = 64 + len(body_)
    body_ += b"".join(struct.pack("<4f", *q) for q in quats)
    frames_at = 64 + len(body_)
    body_ += b"".join(struct.pack("<I4H", elf(n), *t, 0xABCD) for f in frames for n, t in zip(names, f))
    head = struct.pack("<IIIIIfiiiiiiiii", 0xBE0794D3, 0, 0, len(names), len(frames), step,
                       -1, -1, -1, 64, quats_at, frames_at, -1, -1, -1)
    return b"r3d2anmd" + struct.pack("<II", 4, 64 + len(body_)) + head + body_


def anm3(tracks, fps=30):
    """`tracks`: (name, [(quaternion, translation), ...])."""
    out = b"r3d2anmd" + struct.pack("<IIIII", 3, 7, len(tracks), len(tracks[0][1]), fps)
    for name, frames in tracks:
        out += name.encode().ljust(32, b"\0") + struct.pack("<I", 0)
        out += b"".join(struct.pack("<7f", *q, *t) for q, t in frames)
    return out


def canm(names, keys, duration=1.0, flags=7, bounds=((0, 0, 0), (1, 1, 1), (0, 0, 0), (1, 1, 1)), caches=1):
    """`keys`: (time 0..65535, track, curve, value): a quaternion, or three numbers 0..65535."""
    raw = b""
    for time, track, curve, value in keys:
        data = quat48(value) if curve == 0 else struct.pack("<3H", *value)
        raw += struct.pack("<HH", time, track | curve << 14) + data
    caches_at = 116 + len(raw)
    hashes_at = caches_at + caches * len(names) * 24
    size = hashes_at + 4 * len(names)
    head = struct.pack("<IIIIIIff6f12f3i", size, 0x6D6E6163, flags, len(names), len(keys), caches, duration, 30.0,
                       *[0.0] * 6, *np.array(bounds, float).reshape(-1), 116, caches_at, hashes_at)
    return (b"r3d2canm" + struct.pack("<I", 1) + head + raw + b"\0" * (caches * len(names) * 24)
            + b"".join(struct.pack("<I", n if isinstance(n, int) else elf(n)) for n in names))


def constant(track, rotation=(0, 0, 0, 1), translation=(0, 0, 0), scale=(65535,) * 3):
    """The four keys of each curve of a track that does not move."""
    out = []
    for curve, value in ((0, rotation), (1, translation), (2, scale)):
        out += [(t, track, curve, value) for t in (0, 0, 65535, 65535)]
    return out

