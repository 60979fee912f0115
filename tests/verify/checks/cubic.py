"""keys=cubic and keys=dense:<fps> (G40, decisions 3): what holds for them in place of the adaptive limits."""

import numpy as np

from league.anm import ROTATION, SCALE, TRANSLATION

# Of a written spline from the source curve: degrees, units, factor.
LIMIT = {ROTATION: 0.01, TRANSLATION: 1e-4, SCALE: 1e-5}


def key_option(glb):
    return str((glb.options().get("options") or {}).get("keys", "adaptive"))


def grid_rate(option):
    """Frames a second of keys=dense:<fps>, else None."""
    return float(option.split(":", 1)[1]) if option.startswith("dense:") else None


def check_splines(pair, component, moving):
    """Every moving channel of a compressed clip is a spline with a key at each distinct source time, and no other."""
    found, written, source = pair.found, pair.written, pair.curves
    if not pair.source.clip.compressed:
        odd = [k for k, s in written.channels.items() if s.get("interpolation") == "CUBICSPLINE"]
        found.check("D3", not odd, f"{pair.name}: splines in an uncompressed clip")
        return
    plain = {joint for joint, c in written.linear if c == component} & set(moving.tolist())
    found.check("D3", not plain, f"{pair.name}: moving curves of joints {sorted(plain)[:6]} are LINEAR")
    if source.trimmed:
        return
    joint, times, _ = source.keys(component)
    keys = written.sets[component]
    for j in moving.tolist():
        if keys.count[j] < 2:
            continue
        want = np.unique(times[joint == j].astype(np.float32))
        got = keys.times[keys.curve == j].astype(np.float32)
        same = len(want) == len(got) and np.allclose(want, got, rtol=2e-7, atol=1e-7)
        told = pair.glb.report().get("cubic_inexact", 0) > 0 or component == ROTATION and set(want) <= set(got)
        found.check("D3", same or told, f"{pair.name}: joint {j} has {len(got)} keys, the source {len(want)} times")


def check_grid(pair, rate):
    """The moving channels have a key each 1 / rate seconds and at the length."""
    last = pair.curves.last
    # A length that is a whole number of steps but for the rounding of the file's frame duration has no step of its own.
    want = np.unique(np.append(np.arange(0, np.ceil(last * rate - 1e-4)) / rate, last).astype(np.float32))
    for key, sampler in pair.written.channels.items():
        times = pair.glb.array(sampler["input"])[:, 0]
        if len(times) == 1 or (len(times) == 2 and len(want) > 2):
            continue  # constant, or it carries the length
        good = len(times) == len(want) and np.allclose(times, want, rtol=1e-6, atol=1e-6)
        pair.found.check("G40", good, f"{pair.name}: {key} has {len(times)} keys, the grid {len(want)}")
