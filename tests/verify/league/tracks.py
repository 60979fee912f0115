"""Which track drives which joint (track-mapping.md, T4 and T5)."""


def influence_set(skl, used):
    """Joints that count as skinning: the skeleton's list, or what vertices use where it says nothing (D22)."""
    if skl.identity and used is not None:
        return set(used)
    return set(skl.influences)


class Mapping:
    """`track[joint]`, counts of both passes, and leftover tracks as (index, reason)."""

    def __init__(self, skl, influences, hashes):
        candidates = {}
        for joint in skl.walk():
            candidates.setdefault(skl.joints[joint].hash, []).append(joint)
        self.track, driven = {}, set()
        for skinning in (True, False):
            for index, value in enumerate(hashes):
                if index in driven:
                    continue
                free = [j for j in candidates.get(value, ())
                        if j not in self.track and (not skinning or j in influences)]
                if free:
                    self.track[free[0]] = index
                    driven.add(index)
            if skinning:
                self.skinning = len(driven)
        self.other = len(driven) - self.skinning
        self.leftover = [(i, "duplicate" if value in candidates else "no_joint")
                         for i, value in enumerate(hashes) if i not in driven]
