/* skin.h - everything one skin is made of, from its bin and the linked bins.
 *
 * Shape   paths, not files: meshes, textures and clips are read by whoever needs them. Materials and the
 *         graph are parsed here. Linked bins are followed breadth first, each once, at most
 *         RIFT_SKIN_MAX_BINS in all; entries are found in that order, the first definition of a path wins.
 * Errors  NOT_FOUND (no skin bin; no mesh named), and what rift_bin_parse gives for the skin bin itself. A
 *         linked bin that is missing or damaged is reported (linked_bin_missing, linked_bin_damaged;
 *         linked_bins_over_limit) and skipped; IO, CANCELLED, NOMEM, INTERNAL are never skipped. A graph that
 *         is missing or unreadable is reported (graph_missing) and gives no clips (B210). So is a gear level that no
 *         bin holds (form_missing).
 * Source  formats/skin.md, formats/animgraph.md, decisions 12, 14, 17, 24, 25, 28, 33, 34, 36. */
#ifndef RIFT_GAME_SKIN_H
#define RIFT_GAME_SKIN_H

#include "game/game.h"
#include "game/graph.h"

/* The skin bin and the linked bins followed. */
#define RIFT_SKIN_MAX_BINS 256
/* Forms kept; more are reported (forms_over_limit). */
#define RIFT_SKIN_MAX_FORMS 256

typedef enum rift_address_mode {
    RIFT_ADDRESS_REPEAT,
    RIFT_ADDRESS_CLAMP, /* border (3) too (decisions 36) */
    RIFT_ADDRESS_MIRROR
} rift_address_mode;

/* A StaticMaterialDef, reduced to what a picture needs. */
typedef struct rift_material_def {
    rift_str name;
    rift_asset_path texture; /* base colour; hash 0 when none was usable */
    rift_asset_path
        only;      /* without one: the only texture whose slot says nothing against it (B081); hash 0: none */
    rift_str slot; /* name of the sampler it came from; 0x and 8 digits when only its hash is there */
    rift_asset_path emissive; /* of a slot that says that it glows; hash 0: none */
    bool own_emissive;        /* such a slot asks for the skin's own */
    float bloom; /* what its shader adds by a mask or everywhere, which no glTF material has; 0: nothing */
    rift_address_mode address_u, address_v;
    bool blend;         /* blendEnable of the first pass */
    bool blend_signal;  /* additive factors, opacity below 1, or an alpha switch on (decisions 24) */
    bool additive;      /* blends, with destination factor one */
    bool alpha_test;    /* decisions 34 */
    float alpha_cutoff; /* valid with alpha_test; above 0 */
    bool cull;          /* cullEnable, default true */
    float opacity;      /* 0..1; 1 where no parameter says otherwise */
    bool has_tint;      /* other than white; for parts without a texture (B087) */
    float tint[4];
    bool has_uv_transform;           /* other than scale 1, offset 0 */
    float uv_scale[2], uv_offset[2]; /* of a flip-book: its first page */
    bool uv_animated;        /* scrolling or flip-book parameters present: not exported, for the report */
    rift_str other_textures; /* names of the slots not used, separated by ", " (B089) */
} rift_material_def;

typedef struct rift_material_override {
    rift_str submesh;
    rift_asset_path texture;
    uint32_t material; /* link; 0 none */
} rift_material_override;

/* A state of the parts that the game switches to at run time (B109): a gear level of skinUpgradeData, or an entry of
 * PersistentEffectConditions that shows or hides parts. It starts from the skin's own hidden parts, hides, then
 * shows. */
typedef struct rift_form {
    bool gear; /* else a condition */
    uint32_t
        index; /* place in the game's list from 0, missing entries counted; gear: what conditions call it by */
    rift_str name; /* "gear_0", "condition_2": kind and index, the same with and without hash lists */
    uint32_t hash; /* gear: of the upgrade's entry path; else 0 */
    rift_str when; /* condition: "gear 1", "buff AatroxR", "clip Spell4 or Spell5", "not (…)", "all (…, …)" */
    rift_str animation;          /* gear: the clip played at the change; may be empty */
    const uint32_t *show, *hide; /* FNV-1a of submesh names */
    size_t show_count, hide_count;
    /* gear with mesh properties of its own; else empty */
    bool has_hidden; /* its own start state, in place of the skin's */
    rift_str *hidden;
    size_t hidden_count;
    rift_asset_path mesh, skeleton, texture, emissive;
    uint32_t material;
    rift_material_override *overrides;
    size_t override_count;
} rift_form;

typedef struct rift_skin {
    rift_skin_ref ref;  /* from a loose bin: only alias, taken from the mesh's path, may be empty */
    rift_str character; /* championSkinName */
    int64_t parent;     /* skinParent, or -1 */
    rift_asset_path mesh, skeleton, texture;
    rift_asset_path
        emissive;      /* emissiveTexture, which goes with `texture`, or where a material asks for it; rare */
    uint32_t material; /* link; 0 none */
    rift_material_override *overrides;
    size_t override_count;
    rift_str *hidden; /* names of initialSubmeshToHide */
    size_t hidden_count;
    rift_str *render_order; /* submeshRenderOrder */
    size_t render_order_count;
    rift_form *forms; /* gear levels, then conditions */
    size_t form_count;
    double scale; /* skinScale; informative */
    /* Of the mesh, as they stand in the bin (B059): SocketDefinitions, rigPoseModifierData. */
    const rift_bin_value *sockets, *modifiers;
    size_t socket_count, modifier_count;
    rift_bin *bins; /* skin bin first, then linked bins breadth first */
    size_t bin_count;
    rift_graph graph; /* empty when there is none */
    bool has_graph;
} rift_skin;

/* Loads a skin of a game (assets reads its bins). */
RIFT_NODISCARD bool rift_skin_load(rift_skin *out,
                                   const rift_skin_ref *ref,
                                   const rift_assets *assets,
                                   const rift_names *names, /* may be NULL */
                                   rift_arena *arena,
                                   rift_asset_log *log,
                                   rift_report *report,
                                   rift_err *err);

/* The same from a loose skin bin (`riftbake convert --bin`): the first SkinCharacterDataProperties entry that
 * has a mesh, else the first at all, and the first graph when the link leads nowhere. NOT_FOUND when the bin
 * has neither a skin nor a graph; a missing mesh is reported (skin_without_mesh), since the caller may have
 * one. `assets` may be NULL: then no linked bin is found. */
RIFT_NODISCARD bool rift_skin_from_bin(rift_skin *out,
                                       rift_bytes bin,
                                       const rift_assets *assets,
                                       const rift_names *names,
                                       rift_arena *arena,
                                       rift_asset_log *log,
                                       rift_report *report,
                                       rift_err *err);

/* What was looked at before a texture was found, in the order of looking. */
#define RIFT_LOOK_MAX_TRIES 6
typedef struct rift_look_try {
    rift_str source; /* as `reason` (a literal) */
    rift_str name;   /* of the material, 0x and 8 digits where no bin holds it */
    rift_str result; /* "missing", "no_texture" (literals) */
} rift_look_try;

/* How a submesh looks: the rule of formats/skin.md "Diffuse of a submesh". */
typedef struct rift_look {
    rift_asset_path texture;  /* hash 0: none */
    rift_asset_path emissive; /* hash 0: none */
    bool has_material;
    rift_material_def material; /* with has_material; its texture need not be the one chosen */
    rift_str
        reason; /* "override_material", "override_texture", "material", "texture", "only_sampler", "none" (a
                        literal) */
    rift_look_try tries[RIFT_LOOK_MAX_TRIES]; /* materials that gave nothing; more are not kept */
    size_t try_count;
} rift_look;

/* Reports: material_missing, material_without_texture, texture_guessed, uv_parameter_unknown. Fails only with the arena. */
RIFT_NODISCARD bool rift_skin_look(rift_look *out,
                                   const rift_skin *skin,
                                   rift_str submesh,
                                   const rift_names *names,
                                   rift_arena *arena,
                                   rift_report *report,
                                   rift_err *err);
/* An array of objects as a bin has them: name (of those that have one), class, and `fields` by name; classes and fields that neither `names` nor a list of
 * those of rigs know are "0x…", hashes are resolved where `names` know them. Nested at most four deep; null pointers are
 * left out. */
void rift_skin_rig_json(rift_json *j,
                        const rift_bin_value *items,
                        size_t count,
                        const rift_names *names, /* may be NULL */
                        rift_arena *scratch);

/* True for a gear level with another mesh than the skin's. */
bool rift_form_has_mesh(const rift_skin *skin, const rift_form *form);
/* True for a gear level that says how parts look. */
bool rift_form_has_looks(const rift_form *form);
/* The skin with a level's mesh properties in place of its own; a level that names neither texture nor material keeps those of
 * the skin, unless it has another mesh. Shares all else with `skin`. */
rift_skin rift_skin_of_form(const rift_skin *skin, const rift_form *form);

/* Without case. */
bool rift_skin_hides(const rift_skin *skin, rift_str submesh);

#endif
