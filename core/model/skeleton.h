/* skeleton.h - joints as the rest of the pipeline sees them: checked, named, ordered.
 *
 * Shape   joints in id order, joint index = joint id (G16). Parents form a forest: each joint of a cycle and each joint with an invalid parent is made parentless and reported
 *         (joint_cycle, joint_parent_invalid; T "walk order").
 * Units   source space: left-handed, u. Nothing here is mirrored or scaled. All numbers are finite, also as float32.
 * Repairs joint_hash_mismatch (T2), joint_name_changed (control characters, decisions 33), joint_name_repeated (G14), joint_not_finite, bad_inverse_bind (G17, decisions 31: inverse of
 *         the chained rest world; of the same chain with zero scales taken as 1; of its rotations and translations alone; identity only where even those overflow), stub_joints (T
 *         section 3; a remark, not a fault).
 * Errors  FORMAT (no joints), LIMIT, NOMEM.
 * Source  gltf-output.md G13, G14, G16, G17; track-mapping.md; decisions 19, 22, 31, 33. */
#ifndef RIFT_MODEL_SKELETON_H
#define RIFT_MODEL_SKELETON_H

#include "base/math.h"
#include "formats/skl.h"
#include "formats/skn.h"

#define RIFT_NO_PARENT (-1)

typedef struct rift_joint {
    rift_str name; /* unique UTF-8, as written (G14) */
    rift_str
        source_name; /* the file's name as UTF-8 (Latin-1 where it was not); empty for a nameless joint */
    int32_t parent;  /* id or RIFT_NO_PARENT; may be above the own id */
    uint32_t elf;    /* T2 */
    uint32_t fnv;    /* FNV-1a of the source name; 0 for a nameless joint */
    bool influences; /* skins vertices (T "Influences", decisions 22) */
    bool is_stub;    /* T section 3 */
    rift_trs rest;   /* stored local transform, rotation normalised (G12, G13) */
    rift_mat4 inverse_bind; /* last row exactly 0 0 0 1 (G17) */
} rift_joint;

typedef struct rift_skeleton {
    rift_joint *joints;
    size_t joint_count;
    uint32_t *walk;        /* T walk order: joint ids, breadth first */
    uint32_t *topological; /* joint ids, parents before children */
    uint16_t *
        influences; /* the file's list: blend index -> joint id, RIFT_SKL_BAD_INFLUENCE where it names none */
    size_t influence_count;
    rift_mat4 *rest_world; /* by id: chained rest transforms */
} rift_skeleton;

/* `skn` may be NULL; where the list is the identity over all joints (decisions 22), or the mesh names joints directly (direct_indices), Influences are the joints that its
 * vertices really use. Memory: all in `arena`; nothing points into skl or skn afterwards. The arrays are the caller's to rewrite (snap bake). */
RIFT_NODISCARD bool rift_skeleton_build(rift_skeleton *out,
                                        const rift_skl *skl,
                                        const rift_skn *skn,
                                        rift_arena *arena,
                                        rift_report *report,
                                        rift_err *err);

#endif
