"""Textures, .tex and .dds, as far as real champions use them: BC1, BC2, BC3 and plain pixels (formats/tex.md)."""

import struct

import numpy as np

from . import FormatError

DXGI = {71: "bc1", 72: "bc1", 74: "bc2", 75: "bc2", 77: "bc3", 78: "bc3", 28: "rgba", 29: "rgba", 87: "bgra", 91: "bgra"}
BLOCK = {"bc1": 8, "bc2": 16, "bc3": 16}


def decode(data):
    """(height, width, 4) u8 pixels of the full-size image."""
    if data[:4] == b"TEX\0":
        return _tex(data)
    if data[:4] == b"DDS ":
        return _dds(data)
    raise FormatError(f"texture: magic {data[:4]!r}")


def _size(kind, width, height):
    if kind in BLOCK:
        return -(-width // 4) * -(-height // 4) * BLOCK[kind]
    return width * height * 4


def _tex(data):
    width, height, _, number, _, flags = struct.unpack_from("<HHBBBB", data, 4)
    kind = {10: "bc1", 11: "bc1", 12: "bc3", 20: "bgra"}.get(number)
    if kind is None:
        raise FormatError(f"tex: format {number}")
    at = 12
    if flags & 1:
        # The smallest level comes first.
        for level in range(max(width, height).bit_length() - 1, 0, -1):
            at += _size(kind, max(1, width >> level), max(1, height >> level))
    return _pixels(kind, data[at:], width, height)


def _dds(data):
    height, width = struct.unpack_from("<II", data, 12)
    flags, code, bits = struct.unpack_from("<I4sI", data, 80)
    if flags & 4 and code == b"DX10":
        kind = DXGI.get(struct.unpack_from("<I", data, 128)[0])
        if kind is None:
            raise FormatError("dds: DXGI format")
        return _pixels(kind, data[148:], width, height)
    if flags & 4:
        kind = {b"DXT1": "bc1", b"DXT2": "bc2", b"DXT3": "bc2", b"DXT4": "bc3", b"DXT5": "bc3"}.get(code)
        if kind is None:
            raise FormatError(f"dds: {code!r}")
        return _pixels(kind, data[128:], width, height)
    return _masks(data, width, height, bits, bool(flags & 0x20000))


def _masks(data, width, height, bits, grey):
    masks = struct.unpack_from("<4I", data, 92)
    pitch, size = -(-width * bits // 8), bits // 8
    if len(data) < 128 + pitch * height or size not in (1, 2, 3, 4):
        raise FormatError("dds: pixels cut short")
    raw = np.frombuffer(data, np.uint8, pitch * height, 128).reshape(height, pitch)[:, : width * size]
    raw = raw.reshape(height, width, size).astype(np.uint32)
    value = sum(raw[:, :, i] << (8 * i) for i in range(size))
    out = np.zeros((height, width, 4), np.uint8)
    out[:, :, 3] = 255
    for channel, mask in enumerate(masks):
        if mask:
            shift = (mask & -mask).bit_length() - 1
            top = mask >> shift
            out[:, :, channel] = ((value & mask) >> shift) * 255 // top
    if grey:
        out[:, :, 1:3] = out[:, :, :1]
    return out


def _pixels(kind, data, width, height):
    if len(data) < _size(kind, width, height):
        raise FormatError(f"texture: {kind} {width}x{height} cut short")
    if kind in ("rgba", "bgra"):
        out = np.frombuffer(data, np.uint8, width * height * 4).reshape(height, width, 4)
        return out[:, :, [2, 1, 0, 3]] if kind == "bgra" else out
    across, down = -(-width // 4), -(-height // 4)
    raw = np.frombuffer(data, np.uint8, across * down * BLOCK[kind]).reshape(-1, BLOCK[kind])
    texels = _colours(raw[:, -8:], kind == "bc1")
    if kind == "bc2":
        nibbles = np.stack([raw[:, :8] & 15, raw[:, :8] >> 4], 2).reshape(-1, 16)
        texels[:, :, 3] = nibbles * 17
    elif kind == "bc3":
        texels[:, :, 3] = _alphas(raw[:, :8])
    grid = texels.reshape(down, across, 4, 4, 4).transpose(0, 2, 1, 3, 4)
    return grid.reshape(down * 4, across * 4, 4)[:height, :width]


def _colours(raw, punch):
    """(blocks, 16, 4) of eight-byte colour blocks."""
    ends = np.ascontiguousarray(raw[:, :4]).view("<u2").astype(np.int32)
    red, green, blue = ends >> 11, ends >> 5 & 63, ends & 31
    rgb = np.stack([red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2], 2)
    palette = np.full((len(raw), 4, 4), 255, np.int32)
    palette[:, 0, :3], palette[:, 1, :3] = rgb[:, 0], rgb[:, 1]
    palette[:, 2, :3] = (2 * rgb[:, 0] + rgb[:, 1]) // 3
    palette[:, 3, :3] = (rgb[:, 0] + 2 * rgb[:, 1]) // 3
    if punch:
        low = ends[:, 0] <= ends[:, 1]
        palette[low, 2, :3] = (rgb[low, 0] + rgb[low, 1]) // 2
        palette[low, 3] = 0
    bits = np.ascontiguousarray(raw[:, 4:8]).view("<u4")
    index = bits >> (2 * np.arange(16, dtype=np.uint32)) & 3
    return palette[np.arange(len(raw))[:, None], index].astype(np.uint8)


def _alphas(raw):
    a0, a1 = raw[:, 0].astype(np.int32), raw[:, 1].astype(np.int32)
    palette = np.zeros((len(raw), 8), np.int32)
    palette[:, 0], palette[:, 1] = a0, a1
    high = a0 > a1
    for i in range(2, 8):
        seven = ((8 - i) * a0 + (i - 1) * a1) // 7
        five = ((6 - i) * a0 + (i - 1) * a1) // 5 if i < 6 else np.full(len(raw), 0 if i == 6 else 255)
        palette[:, i] = np.where(high, seven, five)
    wide = np.zeros((len(raw), 8), np.uint8)
    wide[:, :6] = raw[:, 2:8]
    index = wide.view("<u8") >> (3 * np.arange(16, dtype=np.uint64)) & np.uint64(7)
    return palette[np.arange(len(raw))[:, None], index.astype(np.int64)]
