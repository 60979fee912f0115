/* Clips as wholes: at another speed, one after another, at one instant. Nothing is written into arrays that clips share. */
#include <math.h>
#include <string.h>

#include "anim/anim_internal.h"

/* --- another speed ------------------------------------------------------------------------------------------------- */

static const float *scale_times(const rift_channel *ch, double factor, rift_arena *arena)
{
    float *times = RIFT_NEW(arena, float, ch->key_count);
    if (times == NULL)
        return NULL;
    RIFT_ASSERT(ch->times != NULL);
    for (uint32_t k = 0; k < ch->key_count; k++) {
        times[k] = rift_to_f32((double)ch->times[k] * factor);
        if (k > 0 && !(times[k] > times[k - 1])) /* two that float32 no longer tells apart */
            times[k] = nextafterf(times[k - 1], HUGE_VALF);
    }
    return times;
}

static const float *scale_tangents(const rift_channel *ch, double factor, rift_arena *arena)
{
    const size_t dimension = ch->component == RIFT_ROTATION ? 4 : 3;
    const size_t count = 3 * dimension * ch->key_count;
    float *values = RIFT_NEW(arena, float, count);
    for (size_t i = 0; values != NULL && i < count; i++) {
        const bool is_value = i / dimension % 3 == 1;
        values[i] = is_value ? ch->values[i] : rift_to_f32((double)ch->values[i] / factor);
    }
    return values;
}

bool rift_clip_retime(
    rift_clip_keys *out, const rift_clip_keys *clip, double factor, rift_arena *arena, rift_err *err)
{
    RIFT_ASSERT(factor > 0 && isfinite(factor));
    rift_clip_keys made = *clip;
    made.channels = RIFT_NEW(arena, rift_channel, clip->channel_count);
    made.length = rift_to_f32((double)clip->length * factor);
    const float *from = NULL; /* the array scaled last: most channels of a clip share theirs */
    const float *to = NULL;
    uint32_t shared = 0;
    for (size_t c = 0; made.channels != NULL && c < clip->channel_count; c++) {
        rift_channel *ch = &made.channels[c];
        *ch = clip->channels[c];
        if (from != ch->times || shared != ch->key_count) {
            from = ch->times;
            shared = ch->key_count;
            to = scale_times(ch, factor, arena);
        }
        if (ch->interpolation == RIFT_CUBICSPLINE)
            ch->values = scale_tangents(ch, factor, arena);
        ch->times = to;
        if (to == NULL || ch->values == NULL)
            break;
        made.length = fmaxf(made.length, to[ch->key_count - 1]);
    }
    if (!rift_arena_ok(arena, "clips", err))
        return false;
    *out = made;
    return true;
}

/* --- one instant ---------------------------------------------------------------------------------------------------- */

static void set_component(rift_trs *local, const rift_channel *ch, double t)
{
    double v[4];
    rift_channel_eval(v, ch, t);
    switch (ch->component) {
    case RIFT_TRANSLATION:
        local->t = (rift_vec3){v[0], v[1], v[2]};
        break;
    case RIFT_ROTATION:
        local->r = rift_quat_normalize((rift_quat){v[0], v[1], v[2], v[3]});
        break;
    case RIFT_SCALE:
        local->s = (rift_vec3){v[0], v[1], v[2]};
        break;
    }
}

bool rift_clip_pose(rift_mat4 *world,
                    const rift_skeleton *skeleton,
                    const rift_channel *channels,
                    size_t channel_count,
                    double t,
                    rift_arena *tmp,
                    rift_err *err)
{
    rift_trs *local = RIFT_NEW(tmp, rift_trs, skeleton->joint_count);
    if (local == NULL)
        return rift_arena_ok(tmp, "pose", err);
    for (size_t j = 0; j < skeleton->joint_count; j++)
        local[j] = skeleton->joints[j].rest;
    for (size_t c = 0; c < channel_count; c++)
        set_component(&local[channels[c].joint], &channels[c], t);
    for (size_t i = 0; i < skeleton->joint_count; i++) {
        const uint32_t j = skeleton->topological[i];
        const int32_t parent = skeleton->joints[j].parent;
        const rift_mat4 own = rift_mat4_from_trs(local[j]);
        world[j] = parent == RIFT_NO_PARENT ? own : rift_mat4_mul(world[parent], own);
    }
    return true;
}
