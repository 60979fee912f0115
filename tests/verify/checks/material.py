"""Materials against the skin's definitions: the right texture, its pixels, culling (G30-G33)."""

import json
import os

import numpy as np

from league import FormatError
from league.bin import File
from league.material import look_of
from league.skin import text
from league.texture import decode

from . import text_name
from .alpha import expected_modes
from .mesh import parts_of

# Rounding differences of decoders; two steps of BC1's interpolation.
PIXEL_LIMIT = 2


class Pixels:
    """Images of a GLB that pixels.mjs unpacked into a folder."""

    def __init__(self, folder):
        self.folder = folder
        with open(os.path.join(folder, "images.json")) as file:
            self.table = json.load(file)

    def image(self, index):
        row = self.table[index]
        raw = np.fromfile(os.path.join(self.folder, f"{index}.raw"), np.uint8)
        return raw.reshape(row["height"], row["width"], row["channels"])


class Looks:
    """What each submesh should show; `read` gives bytes of a path or None."""

    def __init__(self, of, read):
        self.of, self.read, self.cache, self.unknown = of, read, {}, set()

    def pixels(self, path):
        key = str(path)
        if key not in self.cache:
            data = self.read(path)
            try:
                self.cache[key] = decode(data) if data is not None else None
            except FormatError:
                # A format or a damage that these readers do not judge.
                self.cache[key], self.unknown = None, self.unknown | {key}
        return self.cache[key]


    def punch(self, path):
        """Whether a texture is BC1 with transparent texels."""
        data = self.read(path) if path is not None else None
        if data is None or not (data[84:88] == b"DXT1" or (data[:4] == b"TEX\0" and data[9] in (10, 11))):
            return False
        pixels = self.pixels(path)
        return pixels is not None and bool((pixels[:, :, 3] == 0).any())


def game_looks(skin):
    def read(path):
        data = skin.read(path)
        if data is None and not isinstance(path, File):
            # A bin may name .tex where the archive has .dds, and the reverse.
            stem, _, end = path.rpartition(".")
            data = skin.read(stem + {"tex": ".dds", "dds": ".tex"}.get(end.lower(), ""))
        return data

    return Looks(lambda name: look_of(skin, name), read)


def check_materials(found, glb, skn, hidden, looks, pixels, order=()):
    parts = parts_of(glb, skn, hidden, order)
    nodes = [node for node in glb.list("nodes") if "mesh" in node]
    if len(nodes) != len(parts):
        return
    for node, (item, triangles, name) in zip(nodes, parts):
        primitive = glb.list("meshes")[node["mesh"]]["primitives"][0]
        material = glb.list("materials")[primitive["material"]]
        look = looks.of(text_name(item.name))
        culled = look.culled()
        want = culled is None or not culled
        found.check("G31", material.get("doubleSided", False) == want, f"{name}: doubleSided should be {want}")
        check_texture(found, glb, material, name, look, looks, pixels)
        check_alpha(found, material, name, look, looks, skn.uv.astype(np.float64), triangles)


def check_alpha(found, material, name, look, looks, uvs, triangles):
    want = expected_modes(look.material, looks.pixels(look.path) if look.path is not None else None,
                          looks.punch(look.path), uvs, triangles)
    mode = material.get("alphaMode", "OPAQUE")
    cutoff = material.get("alphaCutoff", 0.5) if mode == "MASK" else None
    good = any(mode == m and (c is None or abs(c - cutoff) < 1e-6) for m, c in want)
    found.check("G30", good, f"{name}: {mode} {cutoff or ''}, the rules say {sorted(want, key=str)}")


def light(pixels):
    """What an additive part without alpha is blended by: the brightest colour, and the colours divided by it."""
    colour = pixels[:, :, :3].astype(np.float64)
    alpha = colour.max(axis=2, keepdims=True)
    scaled = np.where(alpha > 0, colour * 255 / np.maximum(alpha, 1), 0)
    return np.concatenate([np.floor(scaled + 0.5), alpha], axis=2).astype(np.uint8)


def check_texture(found, glb, material, name, look, looks, pixels):
    info = (material.get("pbrMetallicRoughness") or {}).get("baseColorTexture")
    want = looks.pixels(look.path) if look.path is not None else None
    if look.path is not None and str(look.path) in looks.unknown:
        found.add("textures not judged", 1)
        return
    if want is None and look.path is not None:
        told = {"texture_missing", "texture_unreadable"} & set(glb.report())
        found.check("G48", told, f"{name}: texture {text(look.path)} is missing and the report is silent")
        return
    if want is None:
        found.check("G32", info is None, f"{name} has a texture, the source has none")
        return
    if not found.check("G32", info is not None, f"{name} has no texture, the source says {text(look.path)}"):
        return
    if pixels is None:
        return
    got = pixels.image(glb.list("textures")[info["index"]]["source"])
    if not found.check("G33", got.shape[:2] == want.shape[:2], f"{name}: image {got.shape}, texture {want.shape}"):
        return
    if look.additive() and (want[:, :, 3] == 255).all():
        want = light(want)
    channels = got.shape[2]
    off = np.abs(got.astype(np.int16) - want[:, :, :channels].astype(np.int16))
    if channels == 4:
        # The colour under a fully transparent texel is nobody's business.
        off[:, :, :3][(want[:, :, 3] == 0) & (got[:, :, 3] == 0)] = 0
    found.worst("pixel off", int(off.max()))
    found.add("texels", int(want.shape[0] * want.shape[1]))
    found.check("G33", off.max() <= PIXEL_LIMIT,
                f"{name}: pixels differ by up to {off.max()} (mean {off.mean():.2f}) from {text(look.path)}")
