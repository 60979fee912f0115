/* scb.h - static meshes (r3d2Mesh, binary .scb). Versions 1.1 to 3.2; above: UNSUPPORTED.
 * Shape   positions are absolute; faces are grouped by material name in order of first use. Faces with two equal indices are dropped (scb_degenerate_face).
 * Units   file space, u. Bounding boxes in the file are ignored.
 * Errors  TRUNCATED, FORMAT (index past the vertices, non-finite position), UNSUPPORTED, LIMIT, NOMEM. Source formats/scb-sco.md. */
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

RIFT_NODISCARD bool
rift_scb_parse(rift_scb *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err);

#endif
