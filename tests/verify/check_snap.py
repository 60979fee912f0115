#!/usr/bin/python3
"""Checks the snap bake of a GLB against a GLB of the same skin baked with --snap off, and the game's events.

    check_snap.py game --game DIR --skin ID [--champion NAME] OFF.glb ON.glb
    check_snap.py set --skn F --skl F --bin F OFF.glb ON.glb

Prints a row of counts and the worst errors, and every failure; exit 1 on a failure, 77 when numpy is missing. --poses
FILE writes joint positions of ON.glb for play.mjs to compare with.
"""

import argparse
import sys

try:
    import numpy as np

    from check_glb import read, show
    from checks import Findings, Frame
    from checks.mesh import used_joints
    from checks.poses import write_poses
    from checks.snap import check_snaps
    from league.bin import Bin
    from league.gltf import Glb
    from league.skin import Skin, graph_clips
    from league.skl import Skl
    from league.skn import Skn
    from league.tracks import influence_set
    from league.wad import GameFolder
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(77)


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    game = modes.add_parser("game")
    game.add_argument("--game", required=True)
    game.add_argument("--skin", required=True, type=int)
    game.add_argument("--champion")
    loose = modes.add_parser("set")
    loose.add_argument("--skn", required=True)
    loose.add_argument("--skl", required=True)
    loose.add_argument("--bin", required=True)
    for mode in (game, loose):
        mode.add_argument("--poses")
        mode.add_argument("off")
        mode.add_argument("on")
    return parser.parse_args(argv)


def sources(args):
    if args.mode == "game":
        skin = Skin(GameFolder(args.game), args.skin // 1000, args.skin % 1000, args.champion)
        return skin.skn, skin.skl, skin.clips
    clips = []
    for _, graph in Bin(read(args.bin)).of_class("AnimationGraphData"):
        clips += graph_clips(graph)
    return read(args.skn), read(args.skl), clips


def main(argv):
    args = arguments(argv)
    found = Findings()
    skn, skl, clips = sources(args)
    skl = Skl(skl)
    on, off = Glb(read(args.on)), Glb(read(args.off))
    frame = Frame(float(on.options()["sigma"]), on.options().get("mirror") not in (None, "off"))
    influences = influence_set(skl, used_joints(Skn(skn), skl))
    rates = {int(on.riftbake(a)["hash"], 16): on.riftbake(a)["fps"] for a in on.list("animations")}
    refs = {c.hash: (c.snaps, rates.get(c.hash) or 30.0, max(c.first, 0.0)) for c in clips}
    with np.errstate(all="ignore"):
        row = check_snaps(found, on, off, frame, skl, influences, refs)
    if args.poses:
        write_poses(on, args.poses)
    print(f"{row['clips']} clips, {row['events']} events, {row['dropped']} dropped, {row['victims']} victims, {row['coarse']} coarse, "
          f"{row.get('keys', 0)} keys in {row.get('seconds', 0):.0f} s")
    for label, value in sorted(row["worst"].items()):
        found.worst(label, value)
    show(args.on, found)
    return 1 if found.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
