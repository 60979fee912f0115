/* skl.h - skeletons, current (token 0x22FD4FC3) and legacy (r3d2sklt 0, 1, 2).
 *
 * Shape   joints[joint_count] in id order (records are re-ordered by id when the file's are not; T3). Parents are as
 *         stored, in any order, cycles included: the model sorts that out (decision 31). The name-hash index table is
 *         not read: real ones are wrong at times. A legacy file of version 0 or 1 has no list of influences: all joints
 *         in order then.
 * Units   lengths in u; quaternions (x, y, z, w) as stored, of unit length in all real files; matrices column-major.
 *         Legacy files hold global matrices M: local = inverse(M[parent]) * M, decomposed; inverse bind = inverse(M).
 * Limits  RIFT_SKL_MAX_JOINTS, names of RIFT_SKL_MAX_NAME bytes (without an end within that: TRUNCATED).
 * Errors  TRUNCATED (also an offset past the end), FORMAT (neither layout, no joints, an offset of 0 or less that is
 *         needed, a joint id out of range or used twice, a name before the file), UNSUPPORTED (version), LIMIT, NOMEM.
 * Repairs skl_parent_out_of_range  parent becomes RIFT_SKL_NO_PARENT
 *         skl_bad_influence        entry becomes RIFT_SKL_BAD_INFLUENCE, so that positions in the list stay
 *         skl_not_finite           number becomes the identity's; inverse_bind_valid is false when it was one of those
 *                                  (legacy: the whole matrix becomes the identity)
 *         skl_zero_rotation        quaternion (local or inverse bind) becomes the identity
 *         skl_singular_bind        legacy matrix without an inverse: inverse_bind_valid is false, and joints below it
 *                                  take their global transform for the local one
 *         skl_bad_string           the skeleton's own name or asset name cannot be read: empty
 *         skl_size_mismatch, skl_unknown_flags  header fields that nothing needs
 *         Bytes behind what the offsets reach are never looked at.
 * Source  formats/skl.md. Seen on bytes: current and legacy 2. Rest pose and bind pose differ in real files (a weapon
 *         turned by 18 degrees), so neither can be worked out from the other. */
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
    rift_trs
        local; /* rest transform relative to the parent; finite; legacy: decomposed from the global matrices */
    rift_mat4 inverse_bind;  /* finite in any case; the rotation was normalised */
    bool inverse_bind_valid; /* finite in the file and not singular */
} rift_skl_joint;

typedef struct rift_skl {
    bool legacy;
    uint32_t version;
    rift_str name, asset; /* usually empty */
    rift_skl_joint *joints;
    size_t joint_count;   /* 1..RIFT_SKL_MAX_JOINTS */
    uint16_t *influences; /* joint ids, < joint_count, or RIFT_SKL_BAD_INFLUENCE */
    size_t influence_count;
} rift_skl;

#define RIFT_SKL_BAD_INFLUENCE UINT16_MAX

/* Parses `in`. On failure returns false, sets *err and leaves *out as it was. Memory: everything in `arena`, nothing
 * points into `in` afterwards. `report` may be NULL. Thread: any, one caller per arena. */
RIFT_NODISCARD bool
rift_skl_parse(rift_skl *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err);

#endif
