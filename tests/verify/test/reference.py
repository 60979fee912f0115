"""A small writer of conforming GLB files, so that the checks have something to accept and to refuse.

It follows the output contract in the plainest way and is used by the tests only.
"""

import json
import struct

import numpy as np

from checks import Frame, text_name, unique_names
from checks.clips import ClipSource
from checks.curves import LIMIT, LIVE, WORDS, Source, distance
from checks.mesh import expected_parts, expected_weights, used_joints
from league.anm import ROTATION, SCALE, TRANSLATION, slerp
from league.skl import unit
from league.tracks import Mapping, influence_set

KINDS = {"float32": 5126, "uint8": 5121, "uint16": 5123, "uint32": 5125}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Buffer:
    """Buffer views by name and shared accessors over them."""

    def __init__(self):
        self.views, self.order, self.accessors, self.seen = {}, [], [], {}

    def add(self, view, array, target=None, bounds=False, share=False, **extra):
        array = np.ascontiguousarray(array)
        key = (view, array.dtype.name, array.shape, array.tobytes())
        if share and key in self.seen:
            return self.seen[key]
        if view not in self.views:
            self.views[view] = {"data": bytearray(), "target": target, "size": array[0].nbytes, "users": 0}
            self.order.append(view)
        place = self.views[view]
        if place["target"] == 34962:
            rows = array.reshape(len(array), -1).view(np.uint8)
            pad = -rows.shape[1] % 4
            raw = np.pad(rows, ((0, 0), (0, pad))).tobytes()
            place["size"] = rows.shape[1] + pad
        else:
            raw = array.tobytes()
            place["data"] += b"\0" * (-len(place["data"]) % array.dtype.itemsize)
        accessor = {"bufferView": view, "componentType": KINDS[array.dtype.name], "count": len(array),
                    "type": TYPES[array.shape[1]]}
        if len(place["data"]):
            accessor["byteOffset"] = len(place["data"])
        if bounds:
            accessor["min"] = [float(f"{v:.9g}") for v in array.min(0)]
            accessor["max"] = [float(f"{v:.9g}") for v in array.max(0)]
        accessor.update(extra)
        place["data"] += raw
        place["users"] += 1
        self.accessors.append(accessor)
        self.seen[key] = len(self.accessors) - 1
        return self.seen[key]

    def close(self, document):
        data, views = bytearray(), []
        for name in self.order:
            place = self.views[name]
            data += b"\0" * (-len(data) % 4)
            view = {"buffer": 0, "byteOffset": len(data), "byteLength": len(place["data"])}
            if place["target"]:
                view["target"] = place["target"]
                if place["target"] == 34962 and place["users"] > 1:
                    view["byteStride"] = place["size"]
            views.append(view)
            data += place["data"]
        for accessor in self.accessors:
            accessor["bufferView"] = self.order.index(accessor["bufferView"])
        document["bufferViews"], document["accessors"] = views, self.accessors
        document["buffers"] = [{"byteLength": len(data)}]
        return bytes(data)


def pack(document, binary):
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text
    if binary:
        binary += b"\0" * (-len(binary) % 4)
        body += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


def write(skn, skl, clips, hidden=(), sigma=0.01):
    """GLB bytes from parsed sources; `clips` are ClipSource objects, named by their file."""
    frame, buffer = Frame(sigma, True), Buffer()
    influences = influence_set(skl, used_joints(skn, skl))
    document = {
        "asset": {"version": "2.0", "generator": "reference 0", "copyright": "The art belongs to Riot Games",
                  "extras": {"riftbake": {"version": "0", "skin": 1000, "champion": "test", "sigma": sigma,
                                          "mirror": "x", "options": {}, "sources": [], "report": []}}},
        "extensionsUsed": ["KHR_materials_unlit"], "scene": 0,
    }
    report = {}
    write_joints(document, buffer, skl, frame)
    write_meshes(document, buffer, skn, skl, frame, hidden, report)
    write_clips(document, buffer, skl, influences, clips, frame)
    own = document["asset"]["extras"]["riftbake"]
    own["report"] = [{"code": code, "count": count, "examples": []} for code, count in report.items()]
    if not document.get("animations"):
        document.pop("animations", None)
    binary = buffer.close(document)
    return pack(document, binary)


def write_joints(document, buffer, skl, frame):
    names = unique_names([text_name(j.name) if j.name else f"joint_{j.id}" for j in skl.joints])
    nodes = [{"name": "skeleton", "children": [1 + j.id for j in skl.joints if j.parent < 0]}]
    for joint, name in zip(skl.joints, names):
        node = {"name": name}
        t, r = np.float32(joint.t * frame.point) + 0.0, unit(joint.r) * frame.quat + 0.0
        if t.any():
            node["translation"] = t.tolist()
        if abs(abs(r[3]) - 1) > 0 or r[:3].any():
            node["rotation"] = r.tolist()
        if (joint.s != 1).any():
            node["scale"] = joint.s.tolist()
        children = [1 + j.id for j in skl.joints if j.parent == joint.id]
        if children:
            node["children"] = children
        nodes.append(node)
    inverse = np.array([frame.matrix(j.inverse).T.reshape(16) for j in skl.joints]) + 0.0
    document["nodes"] = nodes
    document["skins"] = [{"skeleton": 0, "joints": list(range(1, len(nodes))),
                          "inverseBindMatrices": buffer.add("bind", inverse.astype(np.float32)),
                          "extras": {"riftbake": {"joints": [
                              {"id": j.id, "name": text_name(j.name), "elf": f"0x{j.hash:08x}"}
                              for j, name in zip(skl.joints, names) if text_name(j.name) != name]}}}]


def write_meshes(document, buffer, skn, skl, frame, hidden, report):
    document["meshes"], document["materials"], roots = [], [], [0]
    for item, triangles, name in expected_parts(skn, hidden, False):
        low, high = int(triangles.min()), int(triangles.max())
        part, local = slice(low, high + 1), triangles - low
        index = local[:, [0, 2, 1]].reshape(-1, 1)
        attributes = {
            "POSITION": buffer.add("position", (skn.position[part] * frame.point).astype(np.float32), 34962, True),
            "NORMAL": buffer.add("normal", normals(skn, part, local, frame, report), 34962),
            "TEXCOORD_0": buffer.add("uv", np.where(np.isfinite(skn.uv[part]), skn.uv[part], 0), 34962),
        }
        joints, weights = four_weights(skn, skl, part)
        attributes["JOINTS_0"] = buffer.add("joints", joints, 34962)
        attributes["WEIGHTS_0"] = buffer.add("weights", weights, 34962)
        number = len(document["meshes"])
        document["materials"].append({
            "name": name, "doubleSided": True, "extras": {"riftbake": {}}, "extensions": {"KHR_materials_unlit": {}},
            "pbrMetallicRoughness": {"metallicFactor": 0, "roughnessFactor": 1}})
        kind = np.uint16 if high - low + 1 <= 65535 else np.uint32
        document["meshes"].append({"name": name, "primitives": [{
            "attributes": attributes, "material": number, "indices": buffer.add("index", index.astype(kind), 34963)}]})
        roots.append(len(document["nodes"]))
        document["nodes"].append({"name": name, "mesh": number, "skin": 0, "extras": {"riftbake": {}}})
    document["scenes"] = [{"nodes": roots}]


def normals(skn, part, local, frame, report):
    source = skn.normal[part].astype(np.float64)
    with np.errstate(all="ignore"):
        length = np.linalg.norm(source, axis=1)
    bad = ~(np.isfinite(source).all(1) & (length >= 1e-6))
    points = skn.position[part].astype(np.float64)
    a, b, c = (points[local[:, i]] for i in range(3))
    face, total = np.cross(b - a, c - a), np.zeros_like(points)
    for i in range(3):
        np.add.at(total, local[:, i], face)
    source[bad] = total[bad]
    length = np.linalg.norm(source, axis=1)
    source[length < 1e-12], length[length < 1e-12] = (0, 1, 0), 1
    if bad.any():
        report["normals_rebuilt"] = report.get("normals_rebuilt", 0) + int(bad.sum())
    return (source / length[:, None] * frame.direction).astype(np.float32)


def four_weights(skn, skl, part):
    dense, _ = expected_weights(skn, skl, part)
    order = np.argsort(-dense, axis=1, kind="stable")[:, :4]
    if order.shape[1] < 4:
        order = np.pad(order, ((0, 0), (0, 4 - order.shape[1])))
        weights = np.take_along_axis(dense, order, 1).astype(np.float32)
        weights[:, dense.shape[1]:] = 0
    else:
        weights = np.take_along_axis(dense, order, 1).astype(np.float32)
    weights[:, 0] = 1.0 - weights[:, 1:].astype(np.float64).sum(1)
    kind = np.uint8 if len(skl.joints) <= 256 else np.uint16
    return np.where(weights > 0, order, 0).astype(kind), weights


def write_clips(document, buffer, skl, influences, clips, frame):
    rest = {ROTATION: np.array([unit(j.r) for j in skl.joints]), TRANSLATION: np.array([j.t for j in skl.joints]),
            SCALE: np.array([j.s for j in skl.joints])}
    sources = []
    for clip in clips:
        mapping = Mapping(skl, influences, clip.clip.hashes)
        sources.append((clip, Source(clip.clip, mapping, rest, clip.additive, clip.first, clip.end)))
    live = {c: live_joints([s for _, s in sources], rest, c) for c in WORDS}
    document["animations"] = []
    for clip, source in sources:
        animation = write_clip(buffer, clip, source, live, frame)
        if animation["channels"]:
            document["animations"].append(animation)


def live_joints(sources, rest, component):
    live = set()
    for source in sources:
        joint, _, values = source.keys(component)
        live |= set(joint[distance(component, values, rest[component][joint]) > LIVE[component]].tolist())
    return live


def write_clip(buffer, clip, source, live, frame):
    channels, samplers, shared = [], [], {}
    still = not any(len(source.moving(c)) for c in WORDS)
    for component, word in WORDS.items():
        moving = set(source.moving(component).tolist())
        for joint in [j for j in source.joints(component).tolist() if j in live[component]]:
            times = adaptive(source, component, joint) if joint in moving else np.zeros(1)
            if still and not channels and source.last > 0:
                times = np.array([0.0, source.last])
            values = source.sample(component, np.full(len(times), joint), times)
            if component == ROTATION:
                for i in range(1, len(values)):
                    values[i] *= 1 if (values[i] * values[i - 1]).sum() >= 0 else -1
                values = values * frame.quat
            elif component == TRANSLATION:
                values = values * frame.point
            key = (buffer.add("times", times.astype(np.float32).reshape(-1, 1), bounds=True, share=True),
                   buffer.add("values", values.astype(np.float32) + np.float32(0), share=True))
            if key not in shared:
                shared[key] = len(samplers)
                samplers.append({"input": key[0], "output": key[1]})
            channels.append({"sampler": shared[key], "target": {"node": 1 + joint, "path": word}})
    mapping = source.mapping
    extras = {"clip": None, "hash": f"0x{clip.hash or 0:08x}", "file": clip.base, "fps": clip.clip.fps,
              "duration": clip.clip.duration, "tick": clip.tick,
              "tracks": {"total": len(clip.clip.hashes), "skinning": mapping.skinning, "other": mapping.other,
                         "leftover": [{"hash": f"0x{clip.clip.hashes[i]:08x}", "reason": r} for i, r in mapping.leftover]}}
    return {"name": clip.base.rsplit(".", 1)[0], "channels": channels, "samplers": samplers, "extras": {"riftbake": extras}}


def adaptive(source, component, joint):
    """Distinct source key times, halved until the quarter points are close."""
    owners, times, _ = source.keys(component)
    times = np.unique(times[owners == joint])
    quarter = np.array([0.25, 0.5, 0.75])
    for _ in range(6):
        values = source.sample(component, np.full(len(times), joint), times)
        step = np.diff(times)
        points = (times[:-1, None] + step[:, None] * quarter).reshape(-1)
        want = source.sample(component, np.full(len(points), joint), points)
        a, b = np.repeat(values[:-1], 3, 0), np.repeat(values[1:], 3, 0)
        share = np.tile(quarter, len(step))
        got = slerp(a, b, share) if component == ROTATION else a + (b - a) * share[:, None]
        far = distance(component, want, got).reshape(-1, 3).max(1) > LIMIT[component] * 0.99
        if not far.any():
            break
        times = np.unique(np.concatenate((times, (times[:-1] + step / 2)[far])))
    return times


def clip_source(data, path, **more):
    return ClipSource(data, path, **more)
