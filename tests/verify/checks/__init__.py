"""Numeric checks of a GLB against its sources; rule names are those of the output contract (G, T, D)."""

from collections import Counter

import numpy as np

SHOWN = 8


class Findings:
    """What a run found: `fail` collects, `worst` keeps maxima, `rules` says what was looked at."""

    def __init__(self):
        self.failures, self.count = [], Counter()
        self.numbers, self.rules, self.notes = {}, set(), []

    def fail(self, rule, text):
        self.rules.add(rule)
        self.count[rule] += 1
        if self.count[rule] <= SHOWN:
            self.failures.append((rule, text))

    def check(self, rule, good, text):
        """Records that `rule` was looked at; `text` is only used when it does not hold."""
        self.rules.add(rule)
        if not good:
            self.fail(rule, text() if callable(text) else text)
        return bool(good)

    def worst(self, name, value):
        if value is not None and np.isfinite(value):
            self.numbers[name] = max(self.numbers.get(name, 0.0), float(value))

    def add(self, name, value):
        self.numbers[name] = self.numbers.get(name, 0) + value

    def note(self, text):
        self.notes.append(text)


class Frame:
    """The change of space of a file: x is negated unless the mirror is off, lengths are scaled."""

    def __init__(self, sigma, mirrored):
        self.sigma, self.mirrored = sigma, mirrored
        x = -1.0 if mirrored else 1.0
        self.point = np.array([x, 1.0, 1.0]) * sigma
        self.direction = np.array([x, 1.0, 1.0])
        # M R M of a rotation negates y and z of its quaternion.
        self.quat = np.array([1.0, x, x, 1.0])

    def matrix(self, source):
        """Output form of an affine 4x4 source matrix."""
        mirror = np.diag([*self.direction, 1.0])
        out = mirror @ source @ mirror
        out[:3, 3] *= self.sigma
        return out


def text_name(raw):
    """A source name as the file should show it: UTF-8, else Latin-1; control characters become `_`."""
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        name = raw.decode("latin-1")
    return "".join("_" if ord(c) < 32 or 127 <= ord(c) < 160 else c for c in name)


def unique_names(names, taken=()):
    """G14: the first keeps its name, a later identical one gets `__<id>`, again while that is taken too."""
    seen, repeated = set(taken), []
    for i, name in enumerate(names):
        if name in seen:
            repeated.append(i)
        seen.add(name)
    out = list(names)
    for i in repeated:
        while out[i] in seen:
            out[i] = f"{out[i]}__{i}"
        seen.add(out[i])
    return out
