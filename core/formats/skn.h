/* skn.h - skinned meshes: one vertex buffer, one index buffer, named ranges.
 *
 * Shape   versions 0, 1, 2, 4; vertex types 0-3 (52, 56, 72, 104 bytes). Arrays are split per attribute, `vertex_count` rows each. Indices are absolute
 *         here, whatever the file says (flag bit 1, decisions 27 and 35: range_relative_indices is reported).
 * Units   file space: left-handed, u (a champion is 150-200 u tall). UV v grows downwards.
 * Limits  RIFT_SKN_MAX_RANGES; counts against the bytes left.
 * Errors  TRUNCATED, FORMAT, UNSUPPORTED (version, vertex type), LIMIT, NOMEM. A range outside the buffers is an error for that range: dropped, skn_range_outside.
 *         Index count not a multiple of 3: cut, skn_partial_triangle. Triangles with a non-finite position or an index past the vertices: dropped, skn_bad_triangle.
 *         The end tab and bounding volumes are never required.
 * Source  formats/skn.md. */
#ifndef RIFT_FORMATS_SKN_H
#define RIFT_FORMATS_SKN_H

#include "base/arena.h"
#include "base/report.h"

#define RIFT_SKN_MAX_RANGES 4096

enum { RIFT_SKN_DIRECT_INDICES = 1, RIFT_SKN_RELATIVE_INDICES = 2 };

typedef struct rift_skn_range {
    rift_str name; /* raw bytes of the file, copied; version 0: "Base" */
    uint32_t vertex_start, vertex_count;
    uint32_t index_start, index_count; /* into indices, multiple of 3 */
} rift_skn_range;

typedef struct rift_skn {
    uint16_t major;
    uint32_t flags; /* version 4, as stored */
    uint32_t vertex_type;
    rift_skn_range *ranges;
    size_t range_count;
    uint32_t *indices; /* < vertex_count */
    size_t index_count;
    size_t vertex_count;
    float *positions; /* 3 each; finite where an index uses them */
    uint8_t *
        blend_indices; /* 4 each: positions in the skeleton's influence list, or joint ids when direct_indices */
    float *blend_weights; /* 4 each, as stored */
    float *normals;       /* 3 each, as stored (may be zero or NaN) */
    float *uvs;           /* 2 each, as stored */
    uint8_t *colors;      /* 4 each, R,G,B,A; NULL for type 0 */
    float *tangents;      /* 4 each; NULL for types 0, 1 */
    bool direct_indices;  /* flag bit 0 */
} rift_skn;

RIFT_NODISCARD bool
rift_skn_parse(rift_skn *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err);

#endif
