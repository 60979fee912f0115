/* Any bytes as a skeleton: what parsed keeps the promises of skl.h. */
#include <math.h>

#include "formats/skl.h"
#include "fuzz_check.h"

static void check_vec3(rift_vec3 v)
{
    fuzz_require(isfinite(v.x) && isfinite(v.y) && isfinite(v.z));
}

static void check_skeleton(const rift_skl *skl)
{
    fuzz_require(skl->joint_count >= 1 && skl->joint_count <= RIFT_SKL_MAX_JOINTS);
    for (size_t i = 0; i < skl->joint_count; i++) {
        const rift_skl_joint *joint = &skl->joints[i];
        fuzz_require(joint->parent >= RIFT_SKL_NO_PARENT && joint->parent < (int)skl->joint_count);
        fuzz_require(joint->name.size <= RIFT_SKL_MAX_NAME);
        check_vec3(joint->local.t);
        check_vec3(joint->local.s);
        fuzz_require(rift_quat_dot(joint->local.r, joint->local.r) > 0);
        fuzz_require(rift_mat4_is_finite(&joint->inverse_bind));
        rift_mat4 inverse;
        fuzz_require(!joint->inverse_bind_valid || rift_mat4_invert(&inverse, &joint->inverse_bind));
    }
    for (size_t i = 0; i < skl->influence_count; i++)
        fuzz_require(skl->influences[i] < skl->joint_count || skl->influences[i] == RIFT_SKL_BAD_INFLUENCE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_job job;
    fuzz_begin(&job);
    rift_skl skl;
    const bool ok = rift_skl_parse(&skl, (rift_bytes){data, size}, &job.arena, &job.report, &job.err);
    fuzz_check_result(ok, &job.err, size);
    if (ok)
        check_skeleton(&skl);
    rift_arena_release(&job.arena);
    return 0;
}
