/* scb.h - static meshes (r3d2Mesh, binary .scb), versions 1.1 to 3.2.
 *
 * Shape   positions are absolute; faces are grouped by material name (compared byte by byte) in order of first use, the
 *         file's order within. Colours, of vertices and of corners, and bounding boxes are not read.
 * Units   file space, u; uv as stored, v grows downwards.
 * Limits  RIFT_SCB_MAX_MATERIALS; counts against the bytes left.
 * Errors  TRUNCATED, FORMAT (magic, index past the vertices, non-finite position), UNSUPPORTED (version), LIMIT, NOMEM.
 * Repairs scb_degenerate_face  a face with two equal indices is dropped, and a material that only such faces have
 *         Bytes behind the faces (the corner colours) are never looked at.
 * Source  formats/scb-sco.md. Seen on bytes: 2.2 and 3.2. */
#ifndef RIFT_FORMATS_SCB_H
#define RIFT_FORMATS_SCB_H

#include "base/arena.h"
#include "base/report.h"

#define RIFT_SCB_MAX_MATERIALS 4096

typedef struct rift_scb_face {
    uint32_t index[3];
    uint32_t material; /* < material_count */
    float uv[3][2];
} rift_scb_face;

typedef struct rift_scb {
    uint16_t major, minor;
    rift_str name;
    float *positions; /* 3 each */
    size_t vertex_count;
    rift_scb_face *faces; /* grouped by material */
    size_t face_count;
    rift_str *materials;
    size_t material_count;
    float central_point[3];
} rift_scb;

/* Parses `in`. On failure returns false, sets *err and leaves *out as it was. Memory: everything in `arena`, nothing
 * points into `in` afterwards. `report` may be NULL. Thread: any, one caller per arena. */
RIFT_NODISCARD bool
rift_scb_parse(rift_scb *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err);

#endif
