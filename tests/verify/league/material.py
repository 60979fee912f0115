"""Which texture a submesh shows, and how its material draws (formats/skin.md)."""

from .bin import File
from .hashes import wad_path
from .skin import text

SLOTS = """Diffuse_Texture DiffuseTexture Main_Texture Diffuse_Color Diffuse Base_Texture Diff_Tex _MainTex
Diffuse_Texture_Primary MainItemTexture TierBaseTexture Glass_Diffuse_Texture TextureMain VoidAlbedo2 BAKED_DIFFUSE_TEXTURE
Diffuse_Sword_Texture Diffuse_Texture_2 WP_Base_Texture Color_Texture""".lower().split()
LIKE = ("diffuse", "albedo", "main", "base", "color", "diff")
UNLIKE = ("mask", "noise", "gradient", "normal", "emissive", "gloss", "matcap", "reflect", "ramp", "flow", "distort", "fresnel")
GLOW = ("emissive", "emission", "glow")
UNGLOW = ("mask", "noise", "gradient", "normal", "ramp", "flow", "distort", "fresnel", "scroll", "matcap")
BASE_NAMES = ("tx_cm", "_cm", "diffuse", "albedo", "basecolor")


class Look:
    """`path` of the texture (str, File or None), the material definition or None, and which source gave the path."""

    def __init__(self, path, material, source="none"):
        self.path, self.material, self.source = path, material, source

    def culled(self):
        """Whether the first pass culls, or None without a definition."""
        if self.material is None:
            return None
        one = first_pass(self.material)
        return one.get("cullEnable", True) if one is not None else True

    def additive(self):
        one = first_pass(self.material) if self.material is not None else None
        return one is not None and bool(one.get("blendEnable")) and one.get("dstColorBlendFactor") == 1


def look_of(skin, submesh):
    """First hit of: override's material, override's texture, mesh's material, mesh's texture."""
    name = submesh.lower()
    own = [o for o in skin.mesh.get("materialOverride") or [] if text(o.get("submesh") or b"").lower() == name]
    definition = None
    for choices, source in ((own, "override_"), ([skin.mesh], "")):
        for choice in choices:
            material = skin.entries.get(choice.get("material"))
            if material is None or not material.is_a("StaticMaterialDef"):
                continue
            definition = definition or material
            path = base_texture(material)
            if path is not None:
                return Look(path, material if source else definition, source + "material")
        for choice in choices:
            path = choice.get("texture")
            if path is not None and (isinstance(path, File) or path):
                return Look(path if isinstance(path, File) else text(path), definition, source + "texture")
    path = only_texture(definition) if definition is not None else None
    return Look(path, definition, "only_sampler" if path is not None else "none")


def emissive_of(skin, look):
    """What a look lets glow: a slot of its material that says so, else the skin's own with the skin's own texture; or None."""
    own = skin.mesh.get("emissiveTexture") or None
    for name, path in samplers(look.material) if look.material is not None else []:
        if not any(word in name for word in GLOW) or any(word in name for word in UNGLOW):
            continue
        if wad_path(path) == wad_path("emissive_name") if not isinstance(path, File) else int(path) == wad_path("emissive_name"):
            return own
        if usable(path):
            return path
    return own if look.source == "texture" else None


def samplers(material):
    """(slot name in lower case, path) of a material, old and new field names."""
    out = []
    for sampler in material.get("samplerValues") or []:
        path, slot = sampler.get("texturePath"), sampler.get("TextureName")
        if path is None:
            path, slot = sampler.get("textureName"), sampler.get("samplerName")
        if path is not None:
            out.append((text(slot or b"").lower(), path if isinstance(path, File) else text(path)))
    return out


def placeholder(path):
    if isinstance(path, File):
        known = ("black", "white", "grey", "blank", "alpha-mask")
        return int(path) in {wad_path(f"assets/shared/materials/{n}.{e}") for n in known for e in ("tex", "dds")}
    low = path.lower()
    stem = low.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    return "shared/materials/" in low and stem in ("black", "white", "grey", "gray", "blank", "alpha-mask")


def usable(path):
    """Neither a stand-in nor a word that asks for the skin's own texture."""
    return not placeholder(path) and (isinstance(path, File) or "." in path)


def only_texture(material):
    """B081: the only texture that nothing speaks against."""
    rows = [path for name, path in samplers(material) if usable(path) and not any(
        word in name or (not isinstance(path, File) and word in path.lower().rsplit("/", 1)[-1]) for word in UNLIKE)]
    return rows[0] if len(rows) == 1 else None


def base_texture(material):
    rows = [row for row in samplers(material) if usable(row[1])]
    for slot in SLOTS:
        for name, path in rows:
            if name == slot:
                return path
    for name, path in rows:
        if any(word in name for word in LIKE) and not any(word in name for word in UNLIKE):
            return path
    for _, path in rows:
        if not isinstance(path, File) and any(word in path.lower().rsplit("/", 1)[-1] for word in BASE_NAMES):
            return path
    return None


def first_pass(material):
    techniques = material.get("techniques") or []
    chosen = next((t for t in techniques if text(t.get("name") or b"").lower() == "normal"), techniques[0] if techniques else None)
    passes = chosen.get("passes") if chosen is not None else None
    return passes[0] if passes else None
