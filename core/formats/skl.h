/* skl.h - skeletons, current (token 0x22FD4FC3) and legacy (r3d2sklt 0, 1, 2).
 *
 * Shape   joints[joint_count] in id order (records are re-ordered by id when the file is not); an id that repeats or is out of range is FORMAT (T3).
 *         Parents are as stored, not checked for cycles or order: model does that (decisions 31). Out-of-range parents become RIFT_SKL_NO_PARENT, skl_parent_out_of_range.
 *         The name-hash index table is not read.
 * Units   lengths in u; quaternions (x, y, z, w) as stored, zero length becomes identity (skl_zero_rotation); matrices column-major.
 *         Non-finite components become the identity's and are reported (skl_not_finite); a non-finite inverse bind stays marked by inverse_bind_valid = false.
 * Limits  RIFT_SKL_MAX_JOINTS, names of RIFT_SKL_MAX_NAME bytes.
 * Errors  TRUNCATED, FORMAT, UNSUPPORTED (version), LIMIT, NOMEM.
 * Source  formats/skl.md. */
#ifndef RIFT_FORMATS_SKL_H
#define RIFT_FORMATS_SKL_H

#include "base/arena.h"
#include "base/math.h"
#include "base/report.h"

#define RIFT_SKL_MAX_JOINTS 32767
#define RIFT_SKL_MAX_NAME 255
#define RIFT_SKL_NO_PARENT (-1)

typedef struct rift_skl_joint {
    rift_str name;  /* raw bytes of the file; may be empty */
    uint32_t hash;  /* as stored; legacy: ELF of the name */
    int16_t parent; /* id, or RIFT_SKL_NO_PARENT */
    rift_trs local; /* rest transform relative to the parent; legacy: decomposed from the global matrices */
    rift_mat4 inverse_bind;
    bool inverse_bind_valid; /* finite and not singular */
} rift_skl_joint;

typedef struct rift_skl {
    bool legacy;
    uint32_t version;
    rift_str name, asset; /* usually empty */
    rift_skl_joint *joints;
    size_t joint_count; /* 1..RIFT_SKL_MAX_JOINTS */
    uint16_t *
        influences; /* joint ids, < joint_count; entries outside are kept as RIFT_SKL_BAD_INFLUENCE so that positions stay (skl_bad_influence) */
    size_t influence_count;
} rift_skl;

#define RIFT_SKL_BAD_INFLUENCE UINT16_MAX

RIFT_NODISCARD bool
rift_skl_parse(rift_skl *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err);

#endif
