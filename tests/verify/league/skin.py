"""From a skin id to its files, clips and materials (formats/skin.md, formats/animgraph.md)."""

import re

from . import FormatError
from .bin import Bin, File, Link, Struct
from .hashes import fnv1a, wad_path


class ClipRef:
    """An atomic clip: `hash` of its name, `path` (str or File), ticks, frame cut, blend mode of its track, and its joint
    snaps as (victim, target, start, end, offset), names as FNV-1a."""

    __slots__ = ("hash", "path", "tick", "first", "end", "additive", "track", "mask", "snaps")


class Skin:
    """Everything a skin id names. `skn`, `skl` are bytes (skl may be None); `clips` in map order."""

    def __init__(self, game, champion_id, number, folder=None):
        self.game = game
        self.folder = folder or find_folder(game, champion_id)
        self.entries, self.missing = {}, []
        path = f"data/characters/{self.folder}/skins/skin{number}.bin"
        self._load(path)
        entry = self.entries.get(fnv1a(f"Characters/{self.folder}/Skins/Skin{number}"))
        if entry is None or entry.get("skinMeshProperties") is None:
            raise KeyError(f"skin {champion_id * 1000 + number} has no mesh")
        self.properties = entry
        self.mesh = entry.get("skinMeshProperties")
        self.skn_path, self.skl_path = self.mesh.get("simpleSkin"), self.mesh.get("skeleton")
        self.skn = game.read(key(self.skn_path))
        self.skl = game.read(key(self.skl_path)) if self.skl_path is not None else None
        self.hidden = set(name_list(self.mesh.get("initialSubmeshToHide")))
        self.draw_order = name_list(self.mesh.get("submeshRenderOrder"))
        self.clips = self._clips()

    def _load(self, first):
        """The skin bin and its linked bins, breadth first; the first definition of a path wins."""
        queue, seen = [first], set()
        while queue:
            path = queue.pop(0)
            path_hash = wad_path(path)
            if path_hash in seen:
                continue
            seen.add(path_hash)
            try:
                data = Bin(self.game.read(path_hash))
            except (KeyError, FormatError):
                # A missing or damaged linked bin costs what it would have defined, no more.
                self.missing.append(path)
                continue
            for name, entry in data.entries.items():
                self.entries.setdefault(name, entry)
            queue += [text(link) for link in data.links]

    def _clips(self):
        animation = self.properties.get("skinAnimationProperties")
        graph = self.entries.get(animation.get("animationGraphData")) if animation else None
        return graph_clips(graph) if graph else []

    def read(self, path):
        """Bytes of an asset path, or None."""
        try:
            return self.game.read(key(path))
        except KeyError:
            return None


def graph_clips(graph):
    """Atomic clips of an AnimationGraphData entry in map order; of equal keys the first counts."""
    tracks = dict(reversed(graph.get("mTrackDataMap", [])))
    clips, seen = [], set()
    for name, data in graph.get("mClipDataMap", []):
        if name in seen or not isinstance(data, Struct):
            continue
        seen.add(name)
        if not data.is_a("AtomicClipData"):
            continue
        resource = data.get("mAnimationResourceData")
        path = resource.get("mAnimationFilePath") if resource else None
        if path is None:
            continue
        clip = ClipRef()
        clip.hash = name
        clip.path = path if isinstance(path, File) else text(path)
        clip.tick = data.get("mTickDuration", 1 / 30)
        clip.first, clip.end = data.get("startFrame", 0.0), data.get("EndFrame", -1.0)
        clip.track, clip.mask = data.get("mTrackDataName"), data.get("mMaskDataName")
        layer = tracks.get(clip.track)
        clip.snaps = joint_snaps(data)
        clip.additive = bool(layer is not None and layer.get("mBlendMode", 0))
        clips.append(clip)
    return clips


def joint_snaps(clip):
    out, seen = [], set()
    for name, event in clip.get("mEventDataMap", []) or []:
        if name in seen or not isinstance(event, Struct):
            continue
        seen.add(name)
        if event.is_a("JointSnapEventData"):
            victim, target = (name_hash(event.get(f"mJointNameTo{word}", 0)) for word in ("Override", "SnapTo"))
            out.append((victim, target, event.get("mStartFrame", 0.0), event.get("mEndFrame", -1.0),
                        event.get("offset", (0.0, 0.0, 0.0))))
    return out


def name_hash(value):
    """A name given as its hash or as text; 0 names nothing."""
    if isinstance(value, bytes):
        return fnv1a(value) if value else 0
    return int(value)


def find_folder(game, champion_id):
    """Folder of a champion id from the characters' own records, else the only archive there is."""
    for name in game.champions:
        path = f"data/characters/{name}/{name}.bin"
        if not game.has(path):
            continue
        for _, record in Bin(game.read(path)).of_class("CharacterRecord"):
            tool = record.get("characterToolData")
            if tool is not None and tool.get("championId") == champion_id:
                return name
    if len(game.champions) == 1:
        return next(iter(game.champions))
    raise KeyError(f"champion {champion_id} is in no record; pass --champion")


def key(path):
    """What finds a path in the archives: its hash, given or computed."""
    if isinstance(path, (File, Link)):
        return int(path)
    return wad_path(text(path))


def text(value):
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


def name_list(value):
    """Lower-cased names of a list in one string; blanks, commas and semicolons separate (decision 36)."""
    return [name.lower() for name in re.split(r"[\s,;]+", text(value)) if name] if value else []
