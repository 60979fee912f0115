#!/usr/bin/python3
"""Checks a GLB numerically against the game files it was made from.

    check_glb.py game --game DIR --skin ID [--champion NAME] FILE.glb
    check_glb.py set --skn F [--skl F] [--anm F|DIR]... [--bin F]... [--texture F] FILE.glb

Prints the rules looked at, the worst numbers and every failure; exit 1 on a failure, 2 on usage, 77 when
numpy, zstandard or xxhash is missing. --poses FILE writes joint positions for play.mjs to compare with; --pixels
FOLDER compares the images that pixels.mjs unpacked there with the game's textures.
"""

import argparse
import json
import os
import struct
import sys
import traceback

try:
    import numpy as np

    from checks import Findings, Frame
    from checks.clips import ClipSource, check_clips
    from checks.material import Looks, Pixels, check_materials, game_looks
    from checks.mesh import check_meshes, used_joints
    from checks.poses import write_poses
    from checks.rig import check_rig
    from league import FormatError
    from league.bin import Bin, File
    from league.gltf import Glb
    from league.material import Look
    from league.skin import Skin, graph_clips, name_list
    from league.skl import Skl
    from league.skn import Skn
    from league.tracks import influence_set
    from league.wad import GameFolder
except ImportError as error:
    print(f"skipped: {error}", file=sys.stderr)
    sys.exit(77)


class Sources:
    """What a GLB is checked against; `ordered` when the clips come from a graph."""

    draw_order = ()

    def __init__(self, skn, skl, clips, hidden, ordered):
        self.skn, self.skl, self.clips = Skn(skn), Skl(skl) if skl else None, clips
        self.hidden, self.ordered, self.looks = hidden, ordered, None


def game_sources(args, game=None):
    game = game or GameFolder(args.game)
    skin = Skin(game, args.skin // 1000, args.skin % 1000, args.champion)
    clips = []
    for ref in skin.clips:
        data = skin.read(ref.path)
        if data is None:
            continue
        path = f"{int(ref.path):016x}" if isinstance(ref.path, File) else ref.path
        try:
            clips.append(ClipSource(data, path, ref.hash, ref.tick, ref.first, ref.end, ref.additive))
        except (FormatError, struct.error, ValueError, IndexError):
            continue  # a broken clip is left out of the file too
    sources = Sources(skin.skn, skin.skl, clips, skin.hidden, True)
    sources.looks = game_looks(skin)
    sources.draw_order = skin.draw_order
    return sources


def set_sources(args):
    refs, hidden = graph_of(args.bin)
    clips = []
    for path in anm_files(args.anm):
        with open(path, "rb") as file:
            data = file.read()
        own = [r for r in refs if not isinstance(r.path, File)
               and os.path.basename(r.path).lower() == os.path.basename(path).lower()]
        clips += [ClipSource(data, path, r.hash, r.tick, r.first, r.end, r.additive) for r in own]
        if not own:
            clips.append(ClipSource(data, path))
    sources = Sources(read(args.skn), read(args.skl) if args.skl else None, clips, hidden, False)
    if not args.bin:
        sources.looks = Looks(lambda name: Look(args.texture, None), read)
    return sources


def graph_of(paths):
    refs, hidden = [], set()
    for path in paths:
        data = Bin(read(path))
        for _, graph in data.of_class("AnimationGraphData"):
            refs += graph_clips(graph)
        for _, skin in data.of_class("SkinCharacterDataProperties"):
            mesh = skin.get("skinMeshProperties")
            hidden |= set(name_list(mesh.get("initialSubmeshToHide"))) if mesh else set()
    return refs, hidden


def anm_files(paths):
    out = []
    for path in paths:
        if os.path.isdir(path):
            out += [os.path.join(path, n) for n in sorted(os.listdir(path)) if n.lower().endswith(".anm")]
        else:
            out.append(path)
    return out


def read(path):
    with open(path, "rb") as file:
        return file.read()


def check(glb, sources, found, pixels=None):
    """All checks of one file; returns the clip run, or None where there is no rig."""
    own = glb.options()
    if not found.check("D28", "sigma" in own, "asset.extras.riftbake.sigma is missing"):
        return None
    mirrored = own.get("mirror") not in (None, False, "off", "none", "")
    frame = Frame(float(own["sigma"]), mirrored)
    content = str((own.get("options") or {}).get("content", "full"))
    skl = sources.skl if content in ("full", "rig") else None
    check_meshes(found, glb, frame, sources.skn, skl, sources.hidden, sources.draw_order)
    if sources.looks is not None:
        check_materials(found, glb, sources.skn, sources.hidden, sources.looks, pixels, sources.draw_order)
    if skl is None:
        found.check("G46", not glb.list("skins"), "a file without a skeleton has a skin")
        return None
    used = used_joints(sources.skn, skl)
    influences = influence_set(skl, used)
    joints = check_rig(found, glb, frame, skl, sources.skn, influences & used)
    if joints is None:
        return None
    clips = sources.clips if content == "full" else []
    return check_clips(found, glb, frame, skl, joints, influences, clips, sources.ordered)


def show(name, found):
    bad = {rule for rule, _ in found.failures}
    print(f"{name}: {'FAILED' if bad else 'ok'}  " + " ".join(
        f"{rule}{'!' if rule in bad else ''}" for rule in sorted(found.rules, key=rule_order)))
    print("  " + "; ".join(f"{key} {value:.4g}" for key, value in found.numbers.items()))
    for note in found.notes:
        print(f"  note: {note}")
    for rule, text_ in found.failures:
        print(f"  {rule}: {text_}")
    for rule, count in found.count.items():
        shown = sum(1 for r, _ in found.failures if r == rule)
        if count > shown:
            print(f"  {rule}: and {count - shown} more")


def rule_order(rule):
    return rule[0], int(rule[1:])


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    modes = parser.add_subparsers(dest="mode", required=True)
    game = modes.add_parser("game")
    game.add_argument("--game", required=True)
    game.add_argument("--skin", required=True, type=int)
    game.add_argument("--champion")
    lacks = modes.add_parser("lacks-mesh", help="exit 0 when no archive has the skin's mesh")
    lacks.add_argument("--game", required=True)
    lacks.add_argument("--skin", required=True, type=int)
    lacks.add_argument("--champion")
    loose = modes.add_parser("set")
    loose.add_argument("--skn", required=True)
    loose.add_argument("--skl")
    loose.add_argument("--anm", action="append", default=[])
    loose.add_argument("--bin", action="append", default=[])
    loose.add_argument("--texture")
    for mode in (game, loose):
        mode.add_argument("--poses")
        mode.add_argument("--pixels")
        mode.add_argument("file")
    return parser.parse_args(argv)


def lacks_mesh(args):
    try:
        Skin(GameFolder(args.game), args.skin // 1000, args.skin % 1000, args.champion)
    except KeyError as error:
        print(error, file=sys.stderr)
        return 0
    return 1


def main(argv):
    args = arguments(argv)
    if args.mode == "lacks-mesh":
        return lacks_mesh(args)
    found = Findings()
    try:
        sources = game_sources(args) if args.mode == "game" else set_sources(args)
        glb = Glb(read(args.file))
        if args.mode == "game":
            got = glb.options().get("skin")
            wanted = args.skin if args.skin >= 1000 else None  # a character without an id
            found.check("G4", got == wanted, f"asset.extras.riftbake.skin is {got}")
        with np.errstate(all="ignore"):
            check(glb, sources, found, Pixels(args.pixels) if args.pixels else None)
        if args.poses:
            write_poses(glb, args.poses)
    except (FormatError, OSError) as error:
        print(f"{args.file}: FAILED  {error}")
        return 1
    except Exception:  # whatever a broken file makes of the checks is a failure of the file
        print(f"{args.file}: FAILED\n{traceback.format_exc()}")
        return 1
    show(args.file, found)
    return 1 if found.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
