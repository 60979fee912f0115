"""The three hashes of the game's names. All fold A-Z only, byte by byte."""

import xxhash

_FOLD = bytes(c + 32 if 65 <= c <= 90 else c for c in range(256))


def lower(name):
    """Bytes of `name` with A-Z folded; str is taken as UTF-8."""
    raw = name.encode("utf-8", "surrogateescape") if isinstance(name, str) else bytes(name)
    return raw.translate(_FOLD)


def elf(name):
    """Joint names in .skl and .anm files."""
    value = 0
    for byte in lower(name):
        value = ((value << 4) + byte) & 0xFFFFFFFF
        high = value & 0xF0000000
        if high:
            value ^= high >> 24
        value &= ~high & 0xFFFFFFFF
    return value


def fnv1a(name):
    """Everything inside property bins."""
    value = 0x811C9DC5
    for byte in lower(name):
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return value


def xxh64(path):
    """Archive paths, and `file` values of bins."""
    return xxhash.xxh64_intdigest(lower(path), seed=0)


def wad_path(path):
    return xxh64(path.replace("\\", "/").lstrip("/"))
