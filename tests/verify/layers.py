#!/usr/bin/python3
"""Bakes a run with an attack over it and holds the layered animation against the two clips it is made of.

    layers.py RIFTBAKE --game DIR|demo --skin ID [--champion NAME] --run CLIP --attack CLIP --mask NAME|0xHASH
        [--parallel CLIP] [--out FILE.glb] [--daemon RIFTBAKED]

"demo" is the synthetic game, written for the occasion. The attack plays once in slot 2, from 0.1 s, through the game's
own mask, over the run, which loops in slot 0. With --parallel the animation is the game's own parallel clip of the two:
both begin at 0, and it lasts as long as the longer one. The mask's weights are read from the game's bins here. Where a
weight is 0 the layered animation must be the run, where it is 1 and the attack has keys it must be the attack, in between
the mixture (layering.md L13, L35: 3 x 0.02 u, 0.05 degrees, 1e-4). Looked at 240 times a second, outside the gaps around
jumps. With --daemon the same request goes to a daemon as a job, and must give the same bytes. Exit 1 on a failure, 2 on usage, 77 when numpy or another module is missing.
"""

import argparse
import http.client
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np

    from league.gltf import Glb
    from league.hashes import fnv1a
    from league.skin import Skin
    from league.skl import Skl
    from league.wad import GameFolder
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(77)

GAP = 1.01e-4
LIMITS = {"translation": 0.02, "rotation": np.radians(0.05), "scale": 1e-4}


def mask_weights(skin, name):
    animation = skin.properties.get("skinAnimationProperties")
    graph = skin.entries[animation.get("animationGraphData")]
    wanted = int(name, 16) if name.startswith("0x") else fnv1a(name)
    for key, mask in graph.get("mMaskDataMap", []):
        if int(key) == wanted:
            return [float(weight) for weight in mask.get("mWeightList", [])]
    raise KeyError(f"no mask {name}")


def slerp(a, b, u):
    dot = float(np.dot(a, b))
    b, dot = (-b, -dot) if dot < 0 else (b, dot)
    if dot > 1 - 1e-9:
        out = a + (b - a) * u
    else:
        angle = np.arccos(min(dot, 1.0))
        out = (np.sin((1 - u) * angle) * a + np.sin(u * angle) * b) / np.sin(angle)
    return out / np.linalg.norm(out)


def mix(path, a, b, u):
    if path == "rotation":
        return slerp(a / np.linalg.norm(a), b / np.linalg.norm(b), u)
    return a + (b - a) * u


class Clip:
    """One animation of the file: channels by (joint node, path)."""

    def __init__(self, glb, animation):
        self.length, self.curves = 0.0, {}
        self.extras = glb.riftbake(animation)
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            times = glb.floats(sampler["input"])[:, 0]
            self.length = max(self.length, float(times[-1]))
            self.curves[channel["target"]["node"], channel["target"]["path"]] = (times, glb.floats(sampler["output"]))

    def at(self, target, t):
        """Value at t, and whether t is outside a jump's gap."""
        times, values = self.curves[target]
        k = int(np.searchsorted(times, t, side="right")) - 1
        if k < 0:
            return values[0], True
        if k + 1 >= len(times) or t == times[k]:
            return values[k], True
        span = times[k + 1] - times[k]
        return mix(target[1], values[k], values[k + 1], (t - times[k]) / span), span > GAP


def distance(path, a, b):
    if path == "rotation":
        dot = abs(float(np.dot(a, b))) / (np.linalg.norm(a) * np.linalg.norm(b))
        chord = min(np.linalg.norm(a / np.linalg.norm(a) - b / np.linalg.norm(b)),
                    np.linalg.norm(a / np.linalg.norm(a) + b / np.linalg.norm(b)))
        return 4 * np.arcsin(min(chord / 2, 1.0)) if dot > 0.5 else 2 * np.arccos(dot)
    return float(np.linalg.norm(a - b)) if path == "translation" else float(np.abs(a - b).max())


class Comparison:
    def __init__(self, glb, names, weights, begin):
        self.begin = begin
        joints = glb.json["skins"][0]["joints"]
        self.nodes, self.joint_of = glb.list("nodes"), {node: joint for joint, node in enumerate(joints)}
        self.weights = [weights[j] if j < len(weights) else 0.0 for j in range(len(joints))]
        self.run, self.attack, self.layered = (Clip(glb, self.animation(glb, name)) for name in names)
        self.worst, self.counts, self.failures = {}, {}, []

    @staticmethod
    def animation(glb, name):
        return next(a for a in glb.list("animations") if a["name"] == name)

    def rest(self, target):
        default = {"translation": [0, 0, 0], "rotation": [0, 0, 0, 1], "scale": [1, 1, 1]}[target[1]]
        return np.array(self.nodes[target[0]].get(target[1], default), float)

    def expected(self, target, t):
        """Layering by its definition, from the clips as they are drawn; the group for the table."""
        m = min(max(self.weights[self.joint_of[target[0]]], 0.0), 1.0)
        value, group = self.rest(target), "untouched"
        if target in self.run.curves:
            local = t % self.run.length
            local = self.run.length if local < 1e-9 and t > 0 else local
            value, group = self.run.at(target, local)[0], "run"
        if m > 0 and target in self.attack.curves and self.begin <= t <= self.begin + self.attack.length + 1e-9:
            over = self.attack.at(target, min(t - self.begin, self.attack.length))[0]
            value, group = mix(target[1], value, over, m), "attack" if m == 1 else "mixed"
        return value, group

    def look(self, t):
        for target in sorted(set(self.run.curves) | set(self.attack.curves) | set(self.layered.curves)):
            value, group = self.expected(target, t)
            got, outside = self.layered.at(target, t) if target in self.layered.curves else (self.rest(target), True)
            if not outside:
                continue
            off = distance(target[1], got, value)
            key = (group, target[1])
            self.worst[key] = max(self.worst.get(key, 0.0), off)
            self.counts[key] = self.counts.get(key, 0) + 1
            if off > 3 * LIMITS[target[1]] + 1e-5:
                self.failures.append(f"t {t:.5f} {self.nodes[target[0]]['name']} {target[1]}: {off:.6g} off the {group}")


def ask(address, method, path, body=None):
    """Reply of the daemon, redirections followed, as bytes."""
    connection = http.client.HTTPConnection(address, timeout=300)
    headers = {"Content-Type": "application/json", "Prefer": "wait=60"} if body else {"Prefer": "wait=60"}
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    content = reply.read()
    if reply.status in (202, 303):
        return ask(address, "GET", reply.headers["Location"])
    return reply.status, content


def through_the_daemon(args, clips, body, folder):
    """The GLB that a job with these layers ends with."""
    command = [args.daemon, "--game", args.game, "--data", os.path.join(folder, "data"), "--listen", "127.0.0.1:0"]
    options = {"clips": clips, "texture": "none", "units": "league", "mirror": "off", "snap": "off", "layers": body}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as daemon:
        try:
            address = daemon.stdout.readline().decode().split()[-1]
            status, content = ask(address, "POST", "/v1/jobs", json.dumps({"skin": args.skin, "options": options}))
            if status == 200 and not content.startswith(b"glTF"):
                status, content = ask(address, "GET", json.loads(content)["result"]["url"])
        finally:
            daemon.terminate()
    return content if status == 200 else f"{status} {content[:300]}".encode()


def bake(args, begin, folder):
    timeline, out = os.path.join(folder, "timeline.json"), args.out or os.path.join(folder, "layered.glb")
    body = {"name": "RunAndAttack", "duration": args.duration, "commands": [
        {"at": 0, "op": "play", "slot": 0, "clip": args.run, "loop": True},
        {"at": begin, "op": "play_masked", "slot": 2, "clip": args.attack, "mask": "game:" + args.mask}]}
    with open(timeline, "w", encoding="utf-8") as file:
        json.dump(body, file)
    clips = [args.run, args.attack] + ([args.parallel] if args.parallel else [])
    subprocess.run([args.riftbake, "bake", "-q", "--game", args.game, "--skin", str(args.skin), "--clips",
                    ",".join(clips), "--texture", "none", "--units", "league", "--mirror", "off", "--snap", "off",
                    "--layers", "none" if args.parallel else timeline, "-o", out], check=True)
    with open(out, "rb") as file:
        made = file.read()
    if args.daemon:
        got = through_the_daemon(args, clips, "none" if args.parallel else body, folder)
        print("the same bytes through the daemon" if got == made else f"FAIL the daemon gives {got[:300]}")
        if got != made:
            sys.exit(1)
    return Glb(made)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("riftbake")
    for name in ("game", "run", "attack", "mask"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--skin", type=int, required=True)
    parser.add_argument("--champion")
    parser.add_argument("--duration", type=float, default=2.4)
    parser.add_argument("--parallel")
    parser.add_argument("--daemon")
    parser.add_argument("--out")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="riftbake-layers-") as folder:
        if args.game == "demo":
            args.game = os.path.join(folder, "game")
            subprocess.run([args.riftbake, "demo-game", "-q", args.game], check=True)
        skin = Skin(GameFolder(args.game), args.skin // 1000, args.skin % 1000, args.champion)
        weights = mask_weights(skin, args.mask)
        begin = 0.0 if args.parallel else 0.1
        glb = bake(args, begin, folder)
    comparison = Comparison(glb, (args.run, args.attack, args.parallel or "RunAndAttack"), weights, begin)
    if args.parallel:
        args.duration = max(comparison.run.length, comparison.attack.length)
    said = comparison.layered.extras["layers"]
    expect = min(len(weights), len(comparison.weights))
    joints = sum(weight > 0 for weight in weights[:expect])
    if said["warnings"] or said["masks"][0]["joints"] != joints:
        comparison.failures.append(f"extras say {said['masks']}, {said['warnings']}; the bin has {joints} joints")
    if abs(comparison.layered.length - args.duration) > 1e-6:
        comparison.failures.append(f"length {comparison.layered.length}")
    for i in range(int(240 * args.duration) + 1):
        comparison.look(i / 240)
    for (group, path), worst in sorted(comparison.worst.items()):
        shown = np.degrees(worst) if path == "rotation" else worst
        unit = {"rotation": "degrees", "translation": "u", "scale": ""}[path]
        print(f"{group:10} {path:12} worst {shown:.6f} {unit} at {comparison.counts[group, path]} looks")
    groups = {group for group, _ in comparison.worst}
    if not {"run", "attack"} <= groups:
        comparison.failures.append(f"only {sorted(groups)} were looked at")
    print(f"{said['keys']} keys; the file says {said['error']}")
    for text in comparison.failures[:20]:
        print("FAIL " + text)
    print(f"{len(comparison.failures)} failures")
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main())
