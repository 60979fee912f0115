"""Joints, rest pose and inverse bind matrices against the .skl: G6, G9, G10, G12-G14, G16, G17, G19."""

import numpy as np

from league.gltf import local_matrices, world_matrices
from league.skl import unit

from . import text_name, unique_names

DEFAULTS = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}


def rest_arrays(glb, joints):
    """T, R, S of joint nodes as they stand in the file."""
    nodes = [glb.list("nodes")[j] for j in joints]
    return [np.array([node.get(word, DEFAULTS[word]) for node in nodes], np.float64).reshape(len(nodes), -1)
            for word in ("translation", "rotation", "scale")]


def node_parents(glb, joints):
    """Parent of each joint as a joint index, -1 where the parent is no joint."""
    place = {node: i for i, node in enumerate(joints)}
    parents = [-1] * len(joints)
    for number, node in enumerate(glb.list("nodes")):
        for child in node.get("children", []):
            if child in place:
                parents[place[child]] = place.get(number, -1)
    return parents


def check_rig(found, glb, frame, skl, skn, influencing):
    """Returns the joints' node numbers, or None when the file has no usable skin."""
    skins = glb.list("skins")
    if not found.check("G16", len(skins) == 1, f"{len(skins)} skins"):
        return None
    joints = skins[0]["joints"]
    if not found.check("G16", len(joints) == len(skl.joints),
                       f"{len(joints)} joints, the skeleton has {len(skl.joints)}"):
        return None
    names = unique_names([text_name(j.name) if j.name else f"joint_{j.id}" for j in skl.joints])
    got = [glb.list("nodes")[j].get("name") for j in joints]
    wrong = [(i, a, b) for i, (a, b) in enumerate(zip(got, names)) if a != b]
    found.check("G14", not wrong, lambda: f"{len(wrong)} joint names differ, first {wrong[0]}")
    check_renamed(found, glb, skl, names)
    parents = node_parents(glb, joints)
    wrong = [j.id for j in skl.joints if parents[j.id] != j.parent]
    found.check("G16", not wrong, f"joints {wrong[:5]} hang below another parent than in the source")
    check_rest(found, glb, frame, skl, joints, names)
    check_bind(found, glb, frame, skl, skn, joints, parents, influencing)
    check_sides(found, glb, joints, names, parents)
    return joints


def check_renamed(found, glb, skl, names):
    """G14: the original name of a renamed joint stands in skin.extras."""
    told = {row.get("id"): row for row in glb.riftbake(glb.list("skins")[0]).get("joints", []) if isinstance(row, dict)}
    for joint, name in zip(skl.joints, names):
        source = text_name(joint.name)
        if source != name:
            row = told.get(joint.id, {})
            hashes = {int(str(v), 16) for k, v in row.items() if k in ("elf", "fnv", "hash")}
            found.check("G14", row.get("name") == source and joint.hash in hashes,
                        f"skin.extras does not tell that joint {name} was {source!r} with hash 0x{joint.hash:08x}")


def check_rest(found, glb, frame, skl, joints, names):
    t, r, s = rest_arrays(glb, joints)
    want_t = np.array([j.t for j in skl.joints]) * frame.point
    want_r = np.array([unit(j.r) for j in skl.joints]) * frame.quat
    want_s = np.array([j.s for j in skl.joints])
    want_r = np.where(((want_r * r).sum(1) < 0)[:, None], -want_r, want_r)
    # The legacy layout stores global matrices; dividing them out loses a few bits.
    slack = 20.0 if skl.legacy else 1.0
    off_t = (np.abs(t - want_t) / np.maximum(np.abs(want_t).max(1, keepdims=True), frame.sigma)).max(1)
    off_r, off_s = np.abs(r - want_r).max(1), (np.abs(s - want_s) / np.maximum(np.abs(want_s), 1)).max(1)
    for word, off in (("translation", off_t), ("rotation", off_r), ("scale", off_s)):
        worst = int(off.argmax())
        found.worst(f"rest {word}", off[worst])
        found.check("G13", off[worst] <= 1e-6 * slack,
                    f"rest {word} of {names[worst]} is off by {off[worst]:.2e}")
    length = float(np.abs(np.linalg.norm(r, axis=1) - 1).max())
    found.check("G12", length <= 1e-6, f"a rest rotation is off unit length by {length:.2e}")


def check_bind(found, glb, frame, skl, skn, joints, parents, influencing):
    skin = glb.list("skins")[0]
    if not found.check("G17", "inverseBindMatrices" in skin, "no inverseBindMatrices"):
        return
    raw = glb.array(skin["inverseBindMatrices"])
    if not found.check("G17", raw.shape == (len(joints), 16) and raw.dtype == np.float32,
                       f"inverse bind matrices are {raw.shape} {raw.dtype}"):
        return
    got = raw.reshape(-1, 4, 4).transpose(0, 2, 1)
    row = np.array([0, 0, 0, 1], np.float32)
    found.check("G17", (got[:, 3].view(np.uint32) == row.view(np.uint32)).all(), "a fourth row is not 0 0 0 1")
    want = np.array([frame.matrix(j.inverse) for j in skl.joints])
    scale = np.ones_like(want)
    scale[:, :3, 3] = np.maximum(np.abs(want[:, :3, 3]).max(1, keepdims=True), frame.sigma)
    off = (np.abs(got - want) / scale).max((1, 2))
    worst = int(off.argmax())
    found.worst("inverse bind", off[worst])
    found.check("G17", off[worst] <= (5e-5 if skl.legacy else 2e-6),
                lambda: f"inverse bind of joint {worst} is off by {off[worst]:.2e}")
    if skl.replaced:
        found.check("G17", "bad_inverse_bind" in glb.report(), f"bad inverse binds of joints {skl.replaced} are not reported")
    world = np.zeros((len(joints), 4, 4))
    world[:, :3] = world_matrices(parents, local_matrices(*rest_arrays(glb, joints)))
    world[:, 3, 3] = 1
    product = world @ got.astype(np.float64)
    check_product(found, glb, frame, product, influencing)
    check_rest_skinning(found, glb, frame, skn, product)


def check_product(found, glb, frame, product, influencing):
    """G19: world_rest * inverse bind is the identity for influencing joints, in source units."""
    off = np.abs(product - np.eye(4))
    off[:, :3, 3] /= frame.sigma
    off = off.max((1, 2))
    bad = [j for j in sorted(influencing) if off[j] > 0.01]
    found.worst("bind mismatch", max((off[j] for j in influencing), default=0))
    if bad:
        found.check("G19", "bind_mismatch" in glb.report(),
                    f"bind mismatch of joints {bad[:5]} (worst {max(off[j] for j in bad):.3f}) is not reported")
    found.rules.add("G19")


def check_rest_skinning(found, glb, frame, skn, product):
    """G19: the skinned rest pose lies on the source vertices."""
    worst = 0.0
    for mesh in glb.list("meshes"):
        attributes = mesh["primitives"][0]["attributes"]
        if "JOINTS_0" not in attributes:
            continue
        points = glb.array(attributes["POSITION"]).astype(np.float64)
        joints = glb.array(attributes["JOINTS_0"]).astype(np.int64)
        weights = glb.array(attributes["WEIGHTS_0"]).astype(np.float64)
        matrix = (product[joints] * weights[:, :, None, None]).sum(1)
        moved = np.einsum("nij,nj->ni", matrix[:, :3, :3], points) + matrix[:, :3, 3]
        worst = max(worst, float(np.linalg.norm(moved - points, axis=1).max()) / frame.sigma)
    found.worst("rest skinning u", worst)
    found.check("G19", worst <= 1.5 or "bind_mismatch" in glb.report(),
                f"the skinned rest pose is {worst:.2f} u off and bind_mismatch is not reported")


def check_sides(found, glb, joints, names, parents):
    """G10, told but not judged: where left, right and toes are."""
    world = world_matrices(parents, local_matrices(*rest_arrays(glb, joints)))[..., 3]
    left = [i for i, name in enumerate(names) if name.lower().startswith("l_")]
    right = [i for i, name in enumerate(names) if name.lower().startswith("r_")]
    if left and right:
        good = world[left, 0].mean() > 0 > world[right, 0].mean()
        found.note("G10 left is +x" if good else "G10 left is NOT +x")
