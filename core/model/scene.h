/* scene.h - the format-neutral scene: what the GLB writer sees. Assembled and checked once; afterwards nothing downstream re-checks an index.
 *
 * Units   source space (left-handed, u), unmirrored, unscaled. The writer applies G6, G7 and G9.
 * Memory  everything lives in the job's `out` arena. */
#ifndef RIFT_MODEL_SCENE_H
#define RIFT_MODEL_SCENE_H

#include "base/map.h"
#include "model/skeleton.h"

#define RIFT_NO_INDEX UINT32_MAX

/* One submesh: the slice from its smallest to its largest used vertex (G21). */
typedef struct rift_part {
    rift_str name;        /* unique among parts and joints, as written on node, mesh and material (G14) */
    rift_str source_name; /* the file's name as UTF-8; what overrides, hidden lists and events match */
    uint32_t range;       /* position among the file's ranges */
    uint32_t material;    /* < material_count */
    uint32_t *variant_materials; /* by variant: < material_count; NULL without variants */
    bool hidden;                 /* at the start (G34) */
    uint32_t form; /* 0: of the skin's mesh; else 1 + place among the skin's forms, whose own mesh it is of */
    rift_str form_name; /* empty without one */
    size_t vertex_count;
    size_t index_count; /* multiple of 3; triangles in source winding */
    uint32_t *indices;  /* < vertex_count */
    float *positions;   /* 3 */
    float *normals;     /* 3, unit length (G24) */
    float *uvs;         /* 2, finite */
    uint8_t *colors;    /* 4, or NULL */
    float *tangents;    /* 4, or NULL; unit xyz, w +-1 */
    uint16_t *joints;   /* 4; NULL without a skeleton (G25) */
    float *weights;     /* 4; NULL without a skeleton */
} rift_part;

typedef enum rift_alpha_mode { RIFT_ALPHA_OPAQUE, RIFT_ALPHA_MASK, RIFT_ALPHA_BLEND } rift_alpha_mode;
typedef enum rift_wrap { RIFT_WRAP_REPEAT, RIFT_WRAP_CLAMP, RIFT_WRAP_MIRROR } rift_wrap;

typedef struct rift_material {
    rift_str name;    /* unique, the submesh's */
    uint32_t texture; /* < texture_count, or RIFT_NO_INDEX */
    bool has_emissive;
    uint32_t emissive; /* < texture_count, with has_emissive: added at full strength where shading is pbr */
    rift_wrap wrap_u, wrap_v;
    rift_alpha_mode alpha_mode;
    float alpha_cutoff; /* MASK */
    bool double_sided;
    float base_color[4]; /* linear factor; 1 1 1 1 by default */
    bool has_uv_transform;
    float uv_scale[2], uv_offset[2];
    rift_str extras; /* JSON members for extras.riftbake ("\"texture\":…"), or empty */
} rift_material;

/* An encoded image; equal pixel data is one texture (G33). */
typedef struct rift_texture {
    rift_str name;    /* source file's name, for people */
    const char *mime; /* "image/png" */
    rift_bytes data;
    uint32_t width, height;
    uint8_t *rgba; /* for a picture: the pixels as they are, R G B A, in place of `data`; else NULL */
} rift_texture;

typedef enum rift_component { RIFT_TRANSLATION = 0, RIFT_ROTATION = 1, RIFT_SCALE = 2 } rift_component;
typedef enum rift_interpolation { RIFT_LINEAR = 0, RIFT_CUBICSPLINE = 1 } rift_interpolation;

/* Keys of one joint's component, in source space: float32 times strictly rising, rotations unit and aligned (G38, G39). */
typedef struct rift_channel {
    uint32_t joint;
    rift_component component;
    rift_interpolation interpolation;
    uint32_t key_count;
    const float *times;  /* key_count */
    const float *values; /* 3 or 4 a key; times three for CUBICSPLINE (in-tangent, value, out-tangent) */
} rift_channel;

typedef struct rift_clip {
    rift_str name;          /* unique (G36) */
    rift_channel *channels; /* by joint id, then component */
    size_t channel_count;
    float length;    /* seconds: last key time (G41) */
    rift_str extras; /* JSON members for extras.riftbake (decisions 28), or empty */
} rift_clip;

typedef struct rift_scene {
    rift_str name;           /* of the skeleton node: "yasuo-36" */
    rift_skeleton *skeleton; /* NULL: static mesh (G46) */
    rift_part *parts;
    size_t part_count;
    rift_material *materials;
    size_t material_count;
    rift_texture *textures;
    size_t texture_count;
    rift_clip *clips;
    size_t clip_count;
    struct rift_variant {
        rift_str name;   /* unique */
        rift_str extras; /* JSON members for extras.riftbake, or empty */
    } * variants;        /* other looks of the same parts (G35) */
    size_t variant_count;
    rift_str asset_extras; /* JSON members for asset.extras.riftbake (G4), or empty */
} rift_scene;

/* Options of the part builder. */
typedef struct rift_part_opts {
    bool keep_colors;              /* vertex_colors=custom */
    bool keep_tangents;            /* a normal texture is written */
    rift_str node_name;            /* of the skeleton node, which no part may have */
    const struct rift_part *taken; /* parts that are there already, whose names these may not have */
    size_t taken_count;
} rift_part_opts;

/* Parts of a skinned mesh in range order. `skeleton` may be NULL (content=mesh). A part that is called like a joint, the skeleton node or an earlier part gets "__<range>" behind its name:
 * loaders bind clips and states by node name, and joints keep theirs. Material indices are left 0; hidden false. A mesh without any triangle gives no parts.
 * Order of G25 for each vertex: map, clean, merge, sum, divide, round; the slots keep their places.
 * Reports: bad_triangle (index past the vertices, position not finite), degenerate_triangle, empty_submesh, part_name_repeated, part_name_changed, position_not_finite (a
 * vertex in the slice that no triangle uses), normals_rebuilt, uv_not_finite, weight_index_outside, weight_not_valid, weights_all_zero.
 * The report must not live in an arena that the caller rewinds. Errors: LIMIT, NOMEM. */
RIFT_NODISCARD bool rift_parts_build(rift_part **out,
                                     size_t *out_count,
                                     const rift_skn *skn,
                                     const rift_skeleton *skeleton,
                                     const rift_part_opts *opts,
                                     rift_arena *arena,
                                     rift_report *report,
                                     rift_err *err);

#define RIFT_BIND_MAX_ENTRY 0.01 /* G19 */
#define RIFT_BIND_MAX_DISTANCE 1.5

/* G19: for every influencing joint the largest entry of |rest_world * inverse_bind - I|, and for every part how far the skinned rest pose is from the source vertices; above the
 * limits bind_mismatch is reported, with the joint or part and the amount. Nothing is changed. */
void rift_scene_check_bind(const rift_scene *scene, rift_report *report);

/* Every index, count, name and number that the writer relies on. INTERNAL when our own assembly broke a promise. `tmp` holds the sets of names (not rewound here). */
RIFT_NODISCARD bool rift_scene_check(const rift_scene *scene, rift_arena *tmp, rift_err *err);

/* A name made unique among those taken before: the first keeps it, later identical ones get "__<id>" (G14) or " (2)", " (3)" (G36); a suffixed name that is taken itself
 * gets the suffix again, or the next number. Exact bytes count, case too. Names are copied. Failures show in the arena. */
typedef struct rift_unique {
    rift_arena *arena;
    rift_map seen; /* xxh64 of name (+ 1, + 2 … where hashes collide) -> index into names */
    struct rift_unique_name {
        rift_str name;
        uint32_t next; /* number that the next identical clip name tries */
    } * names;
    size_t count, capacity;
} rift_unique;

void rift_unique_init(rift_unique *u, rift_arena *arena, size_t expected);
/* Takes the name as it is; false when it is taken already. Callers who know all names first take them all, so that no suffixed name steals one. */
bool rift_unique_take(rift_unique *u, rift_str name);
rift_str rift_unique_joint(rift_unique *u, rift_str name, uint32_t id);
rift_str rift_unique_clip(rift_unique *u, rift_str name);

#endif
