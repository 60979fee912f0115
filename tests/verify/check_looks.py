#!/usr/bin/python3
"""Parts, textures, hidden parts and forms of a skin, listed from its bins, against two GLBs of it.

    check_looks.py --game DIR --skin 157036 [--champion yasuo] OMIT.glb INCLUDE.glb

OMIT.glb leaves hidden parts out, INCLUDE.glb holds them (--hidden include). Prints the listing; exit 1 when a file says
something else."""

import argparse
import copy
import sys

sys.dont_write_bytecode = True

from checks import text_name  # noqa: E402
from league import FormatError  # noqa: E402
from league.bin import File, Struct  # noqa: E402
from league.gltf import Glb  # noqa: E402
from league.hashes import fnv1a  # noqa: E402
from league.material import emissive_of, look_of  # noqa: E402
from league.skin import Skin, name_list, text  # noqa: E402
from league.skn import Skn  # noqa: E402
from league.texture import decode  # noqa: E402
from league.wad import GameFolder  # noqa: E402


class Row:
    """One submesh that has triangles; `form`: the gear level whose own mesh it is of."""

    def __init__(self, skin, item, form=None):
        self.name = text_name(item.name)
        self.form = form
        self.hidden = form is not None or self.name.lower() in skin.hidden
        look = look_of(skin, self.name)
        self.source = look.source
        self.texture = spelt(look.path)
        self.emissive = spelt(emissive_of(skin, look))
        self.readable = look.path is not None and readable(skin, look.path)
        self.material = text(look.material.get("name") or b"") if look.material is not None else None


def readable(skin, path):
    data = skin.read(path)
    if data is None and not isinstance(path, File):
        stem, _, end = path.rpartition(".")
        data = skin.read(stem + {"tex": ".dds", "dds": ".tex"}.get(end.lower(), ""))
    try:
        return data is not None and decode(data) is not None
    except FormatError:
        return False


def spelt(path):
    if path is None:
        return None
    return f"{int(path):016x}" if isinstance(path, File) else text(path).lower()


def listing(skin):
    """Rows in the order of drawing."""
    rows = [Row(skin, item) for item in Skn(skin.skn).ranges if has_triangles(item)]
    rank = {name: at for at, name in reversed(list(enumerate(skin.draw_order)))}
    rows.sort(key=lambda row: rank.get(row.name.lower(), len(rank)))
    for name, data in levels(skin):
        rows += level_rows(skin, name, data.get("skinMeshProperties") if data else None)
    return rows


def has_triangles(item):
    tri = item.triangles
    return len(tri[(tri[:, 0] != tri[:, 1]) & (tri[:, 1] != tri[:, 2]) & (tri[:, 0] != tri[:, 2])]) > 0


def levels(skin):
    """(name, mGearData) of the gear levels that some bin holds."""
    upgrades = skin.properties.get("skinUpgradeData")
    for i, link in enumerate((upgrades.get("mGearSkinUpgrades") if upgrades else None) or []):
        entry = skin.entries.get(int(link))
        if entry is not None:
            yield f"gear_{i}", entry.get("mGearData")


def path_key(path):
    return int(path) if isinstance(path, File) else text(path).lower() if path else None


def own_mesh(skin, mesh):
    """A level's simpleSkin, when it is another than the skin's."""
    path = mesh.get("simpleSkin") if mesh is not None else None
    return path if path and path_key(path) != path_key(skin.skn_path) else None


def level_rows(skin, name, mesh):
    """Parts of a level's own mesh; none where it stands on another skeleton or cannot be read."""
    path = own_mesh(skin, mesh)
    skeleton = mesh.get("skeleton") if mesh is not None else None
    if path is None or (skeleton and path_key(skeleton) != path_key(skin.skl_path)):
        return []
    data = skin.read(path)
    dressed = copy.copy(skin)
    dressed.mesh = mesh
    try:
        return [Row(dressed, item, name) for item in Skn(data).ranges if has_triangles(item)] if data is not None else []
    except FormatError:
        return []


def forms(skin, rows):
    """name -> the rows that show, for the start and for each gear level and condition. None: its mesh is not in the file."""
    start = {row for row in rows if not row.hidden}
    own = [row for row in rows if row.form is None]
    out = {}
    for name, data in levels(skin):
        mesh = data.get("skinMeshProperties") if data else None
        parts = [row for row in rows if row.form == name]
        if own_mesh(skin, mesh) is None:
            out[name] = state(own, start, data, "mCharacterSubmeshesTo")
        else:
            out[name] = state(parts, set(), data, "mCharacterSubmeshesTo") if parts else None
    for i, item in enumerate(skin.properties.get("PersistentEffectConditions") or []):
        if isinstance(item, Struct) and (item.get("SubmeshesToShow") or item.get("SubmeshesToHide")):
            out[f"condition_{i}"] = state(own, start, item, "SubmeshesTo")
    return {"start": start, **out} if out else {}


def state(rows, start, data, prefix):
    lists = {word: {int(h) for h in (data.get(prefix + word) if data else None) or []} for word in ("Show", "Hide")}
    mesh = data.get("skinMeshProperties") if data else None
    if mesh is not None:
        hidden = set(name_list(mesh.get("initialSubmeshToHide")))
        start = {row for row in rows if row.name.lower() not in hidden}
    shown = {row for row in start if fnv1a(row.name) not in lists["Hide"]}
    return shown | {row for row in rows if fnv1a(row.name) in lists["Show"]}


class Check:
    def __init__(self):
        self.failures = []

    def that(self, good, message):
        if not good:
            self.failures.append(message)

    def parts(self, glb, rows, label):
        nodes = [node for node in glb.list("nodes") if "mesh" in node]
        got = [node["extras"]["riftbake"]["source"] for node in nodes]
        self.that(got == [row.name for row in rows], f"{label}: parts {got}, the bins say {[row.name for row in rows]}")
        if len(nodes) != len(rows):
            return
        for node, row in zip(nodes, rows):
            primitive = glb.list("meshes")[node["mesh"]]["primitives"][0]
            self.part(glb, node, glb.list("materials")[primitive["material"]], row, f"{label}: {row.name}")

    def part(self, glb, node, material, row, label):
        marked = node.get("extensions", {}).get("KHR_node_visibility", {}).get("visible", True) is False
        own = material["extras"]["riftbake"]
        self.that(marked == row.hidden, f"{label}: marked hidden {marked}, the bins say {row.hidden}")
        self.that(bool(node["extras"]["riftbake"].get("hidden")) == row.hidden, f"{label}: extras.hidden")
        self.that(node["extras"]["riftbake"].get("form") == row.form, f"{label}: extras.form, the bins say {row.form}")
        texture = own.get("texture")
        self.that((texture.lower() if texture else None) == row.texture, f"{label}: {texture}, the bins say {row.texture}")
        glows = own.get("emissive")
        self.that((glows.lower() if glows else None) == row.emissive, f"{label}: glows by {glows}, the bins say {row.emissive}")
        self.that(own.get("chosen_by") == row.source, f"{label}: chosen by {own.get('chosen_by')}, not {row.source}")
        self.that(own.get("material") == row.material, f"{label}: material {own.get('material')}, not {row.material}")
        info = material["pbrMetallicRoughness"].get("baseColorTexture")
        self.that((info is not None) == (row.texture is not None), f"{label}: texture {info}")
        self.that(not (own.get("placeholder") and row.readable), f"{label}: a placeholder for a texture that reads")

    def forms(self, glb, rows, want, dressed, label):
        """`rows` of this file; `dressed`: levels with a mesh of their own."""
        got = {form["name"]: form for form in glb.options().get("forms", [])}
        self.that(list(got) == list(want), f"{label}: forms {list(got)}, the bins say {list(want)}")
        nodes = [node["name"] for node in glb.list("nodes") if "mesh" in node]
        by_node = dict(zip(nodes, rows))
        written = set(rows)
        for name, shown in want.items():
            form = got.get(name, {})
            # Without its own parts a level is marked, and changes nothing.
            absent = shown is None or (name in dressed and name not in {row.form for row in rows})
            self.that(bool(form.get("left_out")) == bool(absent), f"{label}: {name} left_out {form.get('left_out')}")
            if absent:
                continue
            for key, there in (("show", shown), ("hide", written - shown)):
                listed = {by_node[node] for node in form.get(key, [])}
                self.that(listed <= there, f"{label}: {name} {key}s {sorted(row.name for row in listed - there)}")
            named = {by_node[node] for key in ("show", "hide") for node in form.get(key, [])}
            changed = (shown ^ want["start"]) & written
            self.that(changed <= named, f"{label}: {name} says nothing of {sorted(row.name for row in changed - named)}")


def arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--game", required=True)
    parser.add_argument("--skin", required=True, type=int)
    parser.add_argument("--champion")
    parser.add_argument("omit")
    parser.add_argument("include")
    return parser.parse_args(argv)


def main(argv):
    args = arguments(argv)
    skin = Skin(GameFolder(args.game), args.skin // 1000, args.skin % 1000, args.champion)
    rows = listing(skin)
    for row in rows:
        print(f"{args.skin} {'hidden' if row.hidden else 'shown ':6} {row.name:32} {row.source:17} {row.texture or '-'}")
    states = forms(skin, rows)
    for name, shown in states.items():
        print(f"{args.skin} form   {name:32} " + ("is left out" if shown is None else f"shows {len(shown)} of {len(rows)}"))
    check = Check()
    for path, some in ((args.omit, [row for row in rows if not row.hidden]), (args.include, rows)):
        with open(path, "rb") as file:
            glb = Glb(file.read())
        check.parts(glb, some, path)
        check.forms(glb, some, states, {row.form for row in rows}, path)
    for failure in check.failures:
        print("FAILED", failure)
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
