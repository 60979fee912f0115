/* G17: the stored inverse bind, or what the rest pose says it should have been. */
#include <math.h>

#include "model/model_internal.h"

bool rift_model_fits_f32(const rift_mat4 *m)
{
    for (int i = 0; i < 16; i++) {
        if (!isfinite((float)m->m[i]))
            return false;
    }
    return true;
}

static double nonzero(double scale)
{
    return scale == 0 ? 1 : scale;
}

/* World matrices of the rest pose with zero scales taken as 1 (decisions 31), or with all of them taken as 1. */
static void chain(rift_mat4 *world, const rift_skeleton *sk, bool rigid)
{
    for (size_t i = 0; i < sk->joint_count; i++) {
        const uint32_t j = sk->topological[i];
        rift_trs rest = sk->joints[j].rest;
        rest.s = rigid ? (rift_vec3){1, 1, 1}
                       : (rift_vec3){nonzero(rest.s.x), nonzero(rest.s.y), nonzero(rest.s.z)};
        const rift_mat4 local = rift_mat4_from_trs(rest);
        const int32_t parent = sk->joints[j].parent;
        world[j] = parent == RIFT_NO_PARENT ? local : rift_mat4_mul(world[parent], local);
    }
}

static bool invert_to_f32(rift_mat4 *out, const rift_mat4 *m)
{
    rift_mat4 inverse;
    if (!rift_mat4_invert(&inverse, m) || !rift_model_fits_f32(&inverse))
        return false;
    *out = inverse;
    return true;
}

static bool is_sound(const rift_skl_joint *joint)
{
    rift_mat4 ignored;
    return joint->inverse_bind_valid && rift_model_fits_f32(&joint->inverse_bind) &&
           rift_mat4_invert(&ignored, &joint->inverse_bind);
}

static void set_last_row(rift_mat4 *m)
{
    m->m[3] = m->m[7] = m->m[11] = 0;
    m->m[15] = 1;
}

bool rift_model_inverse_binds(const rift_skeleton *sk,
                              const rift_skl *skl,
                              rift_arena *arena,
                              rift_report *report)
{
    rift_mat4 *unscaled = NULL; /* both only where a rig needs them */
    rift_mat4 *rigid = NULL;
    for (size_t j = 0; j < sk->joint_count; j++) {
        rift_joint *joint = &sk->joints[j];
        joint->inverse_bind = skl->joints[j].inverse_bind;
        if (!is_sound(&skl->joints[j])) {
            rift_report_add(report, "bad_inverse_bind", "joint %zu: %.*s", j, RIFT_STR_ARG(joint->name));
            if (unscaled == NULL) {
                unscaled = RIFT_NEW(arena, rift_mat4, sk->joint_count);
                rigid = RIFT_NEW(arena, rift_mat4, sk->joint_count);
                if (unscaled == NULL || rigid == NULL)
                    return false;
                chain(unscaled, sk, false);
                chain(rigid, sk, true);
            }
            if (!invert_to_f32(&joint->inverse_bind, &sk->rest_world[j]) &&
                !invert_to_f32(&joint->inverse_bind, &unscaled[j]) &&
                !invert_to_f32(&joint->inverse_bind, &rigid[j]))
                joint->inverse_bind = rift_mat4_identity(); /* no number could be right */
        }
        set_last_row(&joint->inverse_bind);
    }
    return true;
}
