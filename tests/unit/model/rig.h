/* rig.h - skeletons written as tables, for tests of model and anim. */
#ifndef RIFT_TESTS_UNIT_MODEL_RIG_H
#define RIFT_TESTS_UNIT_MODEL_RIG_H

#include "model/skeleton.h"

typedef struct rig_joint {
    const char *name;
    int parent;
    double t[3];
    bool influence;
} rig_joint;

/* The file's skeleton: hashes as names give them, rest from t (no rotation, scale 1), inverse binds the exact inverses of the chain, the influence list in id order. */
rift_skl rig_skl(const rig_joint *joints, size_t count, rift_arena *arena);
/* Built, without a mesh; a failure is a failed check. */
rift_skeleton rig_build(const rig_joint *joints, size_t count, rift_arena *arena, rift_report *report);

/* track-mapping.md section 4, ids 0..7. */
extern const rig_joint rig_shaco[8];

#endif
