/* gltf_internal.h - what the files of this folder share.
 *
 * Writing takes two passes over the scene. The first plans: which parts, materials, images and clips are written, one
 * accessor for each array, where each lies in its view, and which animation accessors are the same. Nothing is copied
 * for that; an accessor keeps a pointer into the scene and the function that converts it. After the first pass every
 * size is known, so the second one writes JSON and data straight into one buffer of the file's size. */
#ifndef RIFT_GLTF_GLTF_INTERNAL_H
#define RIFT_GLTF_GLTF_INTERNAL_H

#include "base/json.h"
#include "gltf/gltf.h"

#define GLTF_NONE UINT32_MAX

enum { GLTF_I8 = 5120, GLTF_U8 = 5121, GLTF_I16 = 5122, GLTF_U16 = 5123, GLTF_U32 = 5125, GLTF_F32 = 5126 };
enum { GLTF_ARRAY_BUFFER = 34962, GLTF_ELEMENT_ARRAY_BUFFER = 34963 };

/* --- space (G6, G9) --------------------------------------------------------------------------------------------- */

typedef struct gltf_space {
    double sigma;
    bool mirror;
} gltf_space;

/* Where quantised positions lie: origin + step * (0 … 65535). */
typedef struct gltf_grid {
    double origin[3];
    double step;
} gltf_grid;

/* Each gives float32 without negative zeros. */
void gltf_point(float out[3], const gltf_space *space, const float in[3]);
void gltf_direction(float out[3], const gltf_space *space, const float in[3]);
void gltf_rotation(float out[4], const gltf_space *space, const float in[4]);
void gltf_scale(float out[3], const float in[3]);
/* Unit length in double precision, then rounded (G12). */
void gltf_rest_rotation(float out[4], const gltf_space *space, rift_quat q);
void gltf_rest_translation(float out[3], const gltf_space *space, rift_vec3 t);
/* Last row exactly 0 0 0 1 (G17). With a grid (else NULL) behind the way out of it. */
void gltf_matrix(float out[16], const gltf_space *space, const rift_mat4 *m, const gltf_grid *grid);
/* One value of a channel, tangents included; returns its number of components. */
size_t gltf_channel_value(float out[4], const gltf_space *space, const rift_channel *channel, size_t index);

/* --- views and accessors (G28) ---------------------------------------------------------------------------------- */

typedef enum gltf_view_kind {
    GLTF_VIEW_INDICES,
    GLTF_VIEW_POSITION,
    GLTF_VIEW_NORMAL,
    GLTF_VIEW_TEXCOORD,
    GLTF_VIEW_TANGENT,
    GLTF_VIEW_COLOR,
    GLTF_VIEW_JOINTS,
    GLTF_VIEW_WEIGHTS,
    GLTF_VIEW_INVERSE_BIND,
    GLTF_VIEW_TIMES,
    GLTF_VIEW_VALUES,
    GLTF_VIEW_IMAGE
} gltf_view_kind;
#define GLTF_VIEW_KIND_COUNT 12
#define GLTF_MAX_ELEMENT_SIZES ((size_t)3) /* of one kind */

typedef struct gltf_view {
    gltf_view_kind kind;
    size_t offset; /* in the buffer */
    size_t size;   /* unpacked */
    const uint8_t
        *packed; /* by EXT_meshopt_compression, or NULL; then it lies in the buffer, and unpacked … */
    size_t packed_size;
    size_t fallback_offset; /* … here in the other one, which has no data */
    size_t accessor_count;
    size_t element_size; /* of its accessors */
} gltf_view;

struct gltf_doc;
struct gltf_accessor;
/* Writes the accessor's converted data, `accessor->size` bytes. */
typedef void gltf_fill_fn(uint8_t *out, const struct gltf_doc *doc, const struct gltf_accessor *accessor);

typedef struct gltf_accessor {
    gltf_fill_fn *fill;
    const void *source; /* part, skeleton or channel */
    const char *type;   /* "VEC3" */
    uint32_t component_type;
    uint32_t view;
    size_t offset; /* in the view */
    size_t count;
    size_t size;          /* bytes */
    unsigned bounds;      /* components of min and max; 0: not written */
    float min[3], max[3]; /* as in the data */
    bool normalized;
} gltf_accessor;

/* --- what is written --------------------------------------------------------------------------------------------- */

typedef struct gltf_part {
    const rift_part *part;
    uint32_t material;           /* in the document, or GLTF_NONE */
    uint32_t *variant_materials; /* by variant, in the document */
    uint32_t indices, position, normal, texcoord, tangent, color, joints,
        weights; /* accessors, or GLTF_NONE */
} gltf_part;

typedef struct gltf_texture {
    uint32_t image;   /* in the document */
    uint32_t sampler; /* in the document */
} gltf_texture;

typedef struct gltf_wraps {
    rift_wrap u, v;
} gltf_wraps;

typedef struct gltf_material {
    const rift_material *material;
    uint32_t texture, emissive; /* in the document, or GLTF_NONE */
} gltf_material;

typedef struct gltf_image {
    const rift_texture *texture;
    uint32_t view;
} gltf_image;

typedef struct gltf_sampler {
    uint32_t input, output; /* accessors */
    rift_interpolation interpolation;
} gltf_sampler;

typedef struct gltf_clip {
    const rift_clip *clip;
    gltf_sampler *samplers;
    size_t sampler_count;
    uint32_t *sampler_of_channel; /* GLTF_NONE for a channel without keys */
} gltf_clip;

typedef enum gltf_extension {
    GLTF_EXT_MESHOPT_COMPRESSION,
    GLTF_EXT_TEXTURE_WEBP,
    GLTF_EXT_MATERIALS_SPECULAR,
    GLTF_EXT_MATERIALS_UNLIT,
    GLTF_EXT_MATERIALS_VARIANTS,
    GLTF_EXT_MESH_QUANTIZATION,
    GLTF_EXT_NODE_VISIBILITY,
    GLTF_EXT_TEXTURE_BASISU,
    GLTF_EXT_TEXTURE_TRANSFORM
} gltf_extension;
#define GLTF_EXTENSION_COUNT 9

typedef struct gltf_doc {
    const rift_scene *scene;
    const rift_gltf_opts *opts;
    rift_arena *arena;
    gltf_space space;
    bool quantized, meshopt; /* the latter is both */
    gltf_grid grid;          /* with quantized */

    gltf_view *views;
    size_t view_count;
    size_t buffer_size;
    size_t fallback_size;
    gltf_accessor *accessors;
    size_t accessor_count;
    rift_map accessor_of_hash; /* animation accessors by content */

    gltf_part *parts;
    size_t part_count;
    gltf_material *materials;
    size_t material_count;
    gltf_texture *textures;
    size_t texture_count;
    gltf_image *images;
    size_t image_count;
    gltf_wraps *samplers;
    size_t sampler_count;
    gltf_clip *clips;
    size_t clip_count;

    const rift_skeleton *skeleton; /* NULL: no joints */
    uint32_t *first_child;         /* by joint + 1, [0] for the skeleton node: joint + 1, or 0 */
    uint32_t *next_sibling;        /* by joint: joint + 1, or 0 */
    bool has_skin;
    uint32_t inverse_bind; /* accessor, or GLTF_NONE */
    bool uses[GLTF_EXTENSION_COUNT];
} gltf_doc;

/* gltf_accessor.c: tables sized for the most that the scene can ask for. */
RIFT_NODISCARD bool gltf_tables_init(gltf_doc *doc);
uint32_t gltf_add_view(gltf_doc *doc, gltf_view_kind kind, size_t element_size);
/* Appends a copy of *accessor to the view of its kind. view, offset and size are set here. */
uint32_t
gltf_add_accessor(gltf_doc *doc, gltf_view_kind kind, size_t element_size, const gltf_accessor *accessor);
/* The same, or the equal one that is there already. `hash` is of the content. */
uint32_t gltf_share_accessor(
    gltf_doc *doc, gltf_view_kind kind, size_t element_size, const gltf_accessor *accessor, uint64_t hash);
/* gltf_meshopt.c: packs all views but those of images. */
RIFT_NODISCARD bool gltf_pack_views(gltf_doc *doc, rift_err *err);
/* What the decoder makes a rotation or a vector of; words of the file, two and three. */
void gltf_filter_rotation(uint32_t out[2], const float v[4]);
void gltf_filter_vector(uint32_t out[3], const float v[3]);
void gltf_write_packing(rift_json *j, const gltf_view *view);

void gltf_place_views(gltf_doc *doc);
void gltf_fill_buffer(uint8_t *out, const gltf_doc *doc);
void gltf_write_accessors(rift_json *j, const gltf_doc *doc);
void gltf_write_views(rift_json *j, const gltf_doc *doc);
void gltf_put_f32(uint8_t *out, const float *values, size_t count);
void gltf_put_words(uint8_t *out, const uint32_t *words, size_t count);
void gltf_put_u16(uint8_t *out, uint32_t value);
uint64_t gltf_hash_words(uint64_t hash, const uint32_t *words, size_t count);

/* gltf_quantize.c: the nearest number of a quantised file. */
#define GLTF_ONE_I16 32767 /* what 1 is */
int gltf_snorm(float value, int one);
uint32_t gltf_unorm16(float value); /* of 0 … 1 */
/* Unit vector of three or four components in 8 bits, its length within what loaders take for 1. */
void gltf_unit8(uint8_t *out, const float *v, size_t count);
/* Weights that add up to exactly 65535; those that are 0 stay 0. */
void gltf_weights16(uint16_t out[4], const float weights[4]);
/* Around the positions of all written parts, as floats are written. */
void gltf_plan_grid(gltf_doc *doc);
void gltf_on_grid(uint16_t out[3], const gltf_doc *doc, const float position[3]);

/* gltf_mesh.c, after the materials */
bool gltf_part_is_written(const gltf_doc *doc, const rift_part *part);
void gltf_plan_parts(gltf_doc *doc);
void gltf_write_meshes(rift_json *j, const gltf_doc *doc);
void gltf_write_mesh_nodes(rift_json *j, const gltf_doc *doc);

/* gltf_skin.c */
void gltf_plan_skin(gltf_doc *doc);
void gltf_write_joint_nodes(rift_json *j, const gltf_doc *doc);
void gltf_write_skin(rift_json *j, const gltf_doc *doc);
uint32_t gltf_joint_node(size_t joint);
uint32_t gltf_mesh_node(const gltf_doc *doc, size_t part);

/* gltf_material.c */
/* Views of the images, behind all others. */
void gltf_plan_images(gltf_doc *doc);
/* The document's material for one of the scene; added when it is new. */
uint32_t gltf_use_material(gltf_doc *doc, uint32_t scene_material);
void gltf_write_materials(rift_json *j, const gltf_doc *doc);
/* The document's list of variants (G35). */
void gltf_write_variants(rift_json *j, const gltf_doc *doc);

/* gltf_anim.c */
/* One value of a channel as little-endian words of the file: two of them for a rotation in 16 bits. Returns how many. */
size_t gltf_key_words(uint32_t out[4], const gltf_doc *doc, const rift_channel *channel, size_t index);
RIFT_NODISCARD bool gltf_plan_clips(gltf_doc *doc, rift_err *err);
void gltf_write_animations(rift_json *j, const gltf_doc *doc);

/* gltf_document.c */
void gltf_write_document(rift_json *j, const gltf_doc *doc);
/* "extras":{"riftbake":{members}}, which asset, skin, animations, mesh nodes and materials always have (decisions 28). */
void gltf_write_extras(rift_json *j, rift_str members);

#endif
