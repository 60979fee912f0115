"""G30 with decisions 24 and 34: how a part's alpha is drawn, worked out from its definition and its texels."""

import re

import numpy as np

from league.material import first_pass
from league.skin import text

THRESHOLDS = {"alphatestvalue", "alphaclipvalue", "alpha_test", "alphatest", "cutoff"}
OPACITIES = {"alpha", "opacity", "diffuse_alphaintensity", "master_alpha"}
ONE = 1
# A share of texels this close to the border of a rule may be judged either way.
NEAR = 0.01


def params(material, field="paramValues"):
    return {text(p.get("name") or b"").lower(): p.get("value") for p in material.get(field) or []}


def switches(material):
    return {text(s.get("name") or b"").lower(): s.get("on", True) for s in material.get("switches") or []}


def stated_mode(material):
    """(mode, cutoff) that the definition alone decides, or None; and whether it blends."""
    if material is None:
        return None, False
    values, on = params(material), switches(material)
    tested = [v[0] for k, v in values.items() if k in THRESHOLDS and v and v[0] > 0]
    off = any("alphatest" in re.sub("[^a-z]", "", name) and not state for name, state in on.items())
    if tested and not off:
        return ("MASK", tested[0]), False
    one = first_pass(material)
    blends = bool(one is not None and one.get("blendEnable", False))
    faint = any(k in OPACITIES and v is not None and v[0] < 1 for k, v in values.items())
    if (blends and one.get("dstColorBlendFactor") == ONE) or faint or on.get("use_diffuse_alpha", False):
        return ("BLEND", None), blends
    return (None if blends else ("OPAQUE", None)), blends


def covered_alpha(pixels, uvs, triangles):
    """Alpha of the texels whose centres the triangles cover, each texel once, with repeat addressing."""
    height, width = pixels.shape[:2]
    seen = np.zeros((height, width), bool)
    for points in uvs[triangles] * [width, height]:
        low, high = np.floor(points.min(0)), np.ceil(points.max(0))
        if not np.isfinite(points).all() or (high - low > [2 * width, 2 * height]).any():
            seen[:] = True
            break
        x, y = np.meshgrid(np.arange(low[0], high[0]) + 0.5, np.arange(low[1], high[1]) + 0.5)
        inside = np.ones(x.shape, bool)
        turn = np.cross(points[1] - points[0], points[2] - points[0])
        for i in range(3):
            a, b = points[i], points[(i + 1) % 3]
            side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
            inside &= side * (1 if turn >= 0 else -1) >= 0
        rows, columns = (y[inside] - 0.5).astype(np.int64) % height, (x[inside] - 0.5).astype(np.int64) % width
        seen[rows, columns] = True
    return pixels[:, :, 3][seen]


def expected_modes(material, pixels, punch, uvs, triangles):
    """The modes that the rules allow, each as (mode, cutoff); two where the texels lie on a border."""
    stated, blends = stated_mode(material)
    if stated is not None:
        return {stated}
    if pixels is None or not (blends or punch) or pixels[:, :, 3].min() >= 250:
        return {("OPAQUE", None)}
    alpha = covered_alpha(pixels, uvs, triangles)
    rest = alpha[alpha < 250]
    share = float(((rest < 16) | (rest > 240)).mean()) if len(rest) else 0.0
    modes = set()
    if share >= 0.95 - NEAR:
        modes.add(("MASK", 0.5))
    if share < 0.95 + NEAR or len(rest) <= 8:
        modes.add(("OPAQUE", None))
    return modes
