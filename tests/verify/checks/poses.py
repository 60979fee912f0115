"""World positions of six joints at three times of every animation, for play.mjs to compare with."""

import json

import numpy as np

from league.anm import ROTATION, SCALE, TRANSLATION
from league.gltf import local_matrices, world_matrices

from . import Frame
from .curves import WORDS, Written
from .rig import node_parents, rest_arrays

MOMENTS = (0.13, 0.5, 0.87)


def pick_joints(parents, count=6):
    """Six joints of different depth: the deepest one, and five spread over the depths below it."""
    depth = []
    for joint in range(len(parents)):
        steps, above = 0, parents[joint]
        while above >= 0 and steps <= len(parents):
            steps, above = steps + 1, parents[above]
        depth.append(steps)
    order = np.argsort(np.array(depth), kind="stable")
    picks = np.unique(np.linspace(0, len(order) - 1, min(count, len(order))).astype(int))
    return [int(order[i]) for i in picks]


def poses(glb):
    skins = glb.list("skins")
    if not skins:
        return {"joints": [], "animations": []}
    joints = skins[0]["joints"]
    parents = node_parents(glb, joints)
    picks = pick_joints(parents)
    t, r, s = rest_arrays(glb, joints)
    rest = {TRANSLATION: t, ROTATION: r, SCALE: s}
    out = []
    for animation in glb.list("animations"):
        # Sigma 1 without a mirror: the numbers of the file as they are.
        written = Written(glb, animation, joints, Frame(1.0, False))
        times = np.array([m * written.last for m in MOMENTS])
        pose = {c: np.repeat(rest[c][:, None], len(times), 1) for c in WORDS}
        for c in WORDS:
            have = written.joints(c)
            if len(have):
                flat = written.sample(c, np.repeat(have, len(times)), np.tile(times, len(have)))
                pose[c][have] = flat.reshape(len(have), len(times), -1)
        world = world_matrices(parents, local_matrices(pose[TRANSLATION], pose[ROTATION], pose[SCALE]))
        out.append({"name": animation.get("name"), "duration": written.last, "times": times.tolist(),
                    "positions": world[picks][..., 3].tolist()})
    return {"joints": picks, "animations": out}


def write_poses(glb, path):
    with open(path, "w") as file:
        json.dump(poses(glb), file)
