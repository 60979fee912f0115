/* skin.h - everything one skin is made of, from its bin and the linked bins.
 *
 * Shape   paths, not files: meshes, textures and clips are read by whoever needs them. Materials and the graph are parsed here.
 * Errors  NOT_FOUND (no skin bin; no mesh named), and what rift_bin_parse gives for the skin bin itself. A linked bin that is missing or damaged is reported
 *         (linked_bin_missing, linked_bin_damaged) and skipped; a missing or unreadable graph is reported (graph_missing) and gives no clips (B210).
 * Source  formats/skin.md, formats/animgraph.md, decisions 12, 14, 17, 24, 25, 28, 33, 34. */
#ifndef RIFT_GAME_SKIN_H
#define RIFT_GAME_SKIN_H

#include "game/game.h"
#include "game/graph.h"

/* Linked bins followed per skin. */
#define RIFT_SKIN_MAX_BINS 256

typedef enum rift_address_mode {
    RIFT_ADDRESS_REPEAT,
    RIFT_ADDRESS_CLAMP,
    RIFT_ADDRESS_MIRROR
} rift_address_mode;

/* A StaticMaterialDef, reduced to what a picture needs. */
typedef struct rift_material_def {
    rift_str name;
    rift_asset_path texture; /* base colour; hash 0 when none was usable */
    rift_str slot;           /* name of the sampler it came from */
    rift_address_mode address_u, address_v;
    bool blend;         /* blendEnable of the first pass */
    bool blend_signal;  /* additive factors, opacity below 1, or an alpha switch on (decisions 24) */
    bool additive;      /* destination factor one */
    bool alpha_test;    /* decisions 34 */
    float alpha_cutoff; /* valid with alpha_test */
    bool cull;          /* cullEnable, default true */
    bool has_tint;
    float tint[4];
    bool has_uv_transform;
    float uv_scale[2], uv_offset[2];
    bool uv_animated;        /* scrolling or flip-book parameters present: reported, not exported */
    rift_str other_textures; /* names of the slots not used, comma separated (B089) */
} rift_material_def;

typedef struct rift_material_override {
    rift_str submesh;
    rift_asset_path texture;
    uint32_t material; /* link; 0 none */
} rift_material_override;

typedef struct rift_skin {
    rift_skin_ref ref;
    rift_str character; /* championSkinName */
    int64_t parent;     /* skinParent, or -1 */
    rift_asset_path mesh, skeleton, texture;
    uint32_t material; /* link; 0 none */
    rift_material_override *overrides;
    size_t override_count;
    rift_str *hidden; /* names of initialSubmeshToHide */
    size_t hidden_count;
    rift_str *render_order;
    size_t render_order_count;
    double scale;   /* skinScale; informative */
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

/* The same from a loose skin bin (`riftbake convert --bin`): the first SkinCharacterDataProperties entry that has a mesh, and the first graph when the link leads nowhere. */
RIFT_NODISCARD bool rift_skin_from_bin(rift_skin *out,
                                       rift_bytes bin,
                                       const rift_assets *assets,
                                       const rift_names *names,
                                       rift_arena *arena,
                                       rift_asset_log *log,
                                       rift_report *report,
                                       rift_err *err);

/* How a submesh looks: the rule of formats/skin.md "Diffuse of a submesh". */
typedef struct rift_look {
    rift_asset_path texture; /* hash 0: none */
    bool has_material;
    rift_material_def material; /* with has_material */
    rift_str reason;            /* which rule chose the texture, for the report */
} rift_look;

RIFT_NODISCARD bool rift_skin_look(rift_look *out,
                                   const rift_skin *skin,
                                   rift_str submesh,
                                   const rift_names *names,
                                   rift_arena *arena,
                                   rift_report *report,
                                   rift_err *err);
bool rift_skin_hides(const rift_skin *skin, rift_str submesh);

#endif
