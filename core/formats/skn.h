/* skn.h - skinned meshes: one vertex buffer, one index buffer, named ranges.
 *
 * Shape   versions 0, 1, 2, 4; vertex types 0-3 (52, 56, 72, 104 bytes; the further uv sets of type 3 are not read).
 *         Arrays are split per attribute, `vertex_count` rows each. Indices are absolute here, whatever the file says:
 *         relative with flag bit 1, and without it where they can only be relative (decisions 27 and 35; then
 *         range_relative_indices is reported). `indices` holds the triangles of the ranges, one range after another, and
 *         nothing else: index_start and index_count are places in it, not in the file. Vertices that no range uses
 *         stay; a file without ranges (version 1 and later) has no triangles.
 * Units   file space: left-handed, u (a champion is 150-200 u tall). UV v grows downwards.
 * Limits  RIFT_SKN_MAX_RANGES; counts against the bytes left.
 * Errors  TRUNCATED, FORMAT (magic, vertex size), UNSUPPORTED (version, vertex type), LIMIT, NOMEM.
 * Repairs skn_range_outside     a range that reaches past the vertices or indices is dropped
 *         skn_range_overlap     so is one with which the ranges would hold more indices than the file does
 *         skn_partial_triangle  a range's index count is cut to a multiple of 3
 *         skn_bad_triangle      triangles with an index past the vertices or a non-finite position are dropped
 *         skn_unknown_flags     flag bits other than 0 and 1 are kept, and nothing is made of them
 *         Bytes behind the vertices (the end tab) and the bounding volumes are never looked at.
 * Source  formats/skn.md. Seen on bytes: versions 1, 2, 4, types 0 and 1, flags 0. */
#ifndef RIFT_FORMATS_SKN_H
#define RIFT_FORMATS_SKN_H

#include "base/arena.h"
#include "base/report.h"

#define RIFT_SKN_MAX_RANGES 4096

enum { RIFT_SKN_DIRECT_INDICES = 1, RIFT_SKN_RELATIVE_INDICES = 2 };

typedef struct rift_skn_range {
    rift_str name; /* raw bytes of the file, copied; version 0: "Base" */
    uint32_t vertex_start, vertex_count;
    uint32_t index_start, index_count; /* into indices, multiples of 3 */
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

/* Parses `in`. On failure returns false, sets *err and leaves *out as it was. Memory: everything in `arena`, nothing
 * points into `in` afterwards. `report` may be NULL. Thread: any, one caller per arena. */
RIFT_NODISCARD bool
rift_skn_parse(rift_skn *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err);

#endif
