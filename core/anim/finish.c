/* G43 and G41: what belongs to all clips of a file together. */
#include <math.h>
#include <string.h>

#include "anim/anim_internal.h"

static const double live_rotation_rad = 0.05 * 3.14159265358979323846 / 180;
static const double live_translation = 1e-3;
static const double live_scale = 1e-3;

static bool moves_vector(const double v[3], rift_vec3 rest, bool is_scale)
{
    const rift_vec3 d = {v[0] - rest.x, v[1] - rest.y, v[2] - rest.z};
    return is_scale ? fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))) > live_scale
                    : rift_vec3_length(d) > live_translation;
}

static bool moves(const double v[4], const rift_trs *rest, rift_component component)
{
    switch (component) {
    case RIFT_TRANSLATION:
        return moves_vector(v, rest->t, false);
    case RIFT_SCALE:
        return moves_vector(v, rest->s, true);
    case RIFT_ROTATION:
        return rift_quat_angle(rift_quat_normalize((rift_quat){v[0], v[1], v[2], v[3]}), rest->r) >
               live_rotation_rad;
    }
    return true;
}

/* A cubic channel leaves the rest value between keys as far as the ends of its tangents say at most. */
static bool cubic_moves(const rift_channel *ch, const rift_trs *rest, uint32_t k)
{
    const unsigned dimension = ch->component == RIFT_ROTATION ? 4 : 3;
    const float *key = ch->values + 3 * (size_t)dimension * k;
    for (int side = 0; side < 2; side++) {
        if (side == 0 ? k == 0 : k + 1 == ch->key_count)
            continue;
        const double third = side == 0 ? -((double)ch->times[k] - (double)ch->times[k - 1]) / 3
                                       : ((double)ch->times[k + 1] - (double)ch->times[k]) / 3;
        double v[4] = {0, 0, 0, 0};
        for (unsigned i = 0; i < dimension; i++)
            v[i] = (double)key[dimension + i] + third * (double)key[side == 0 ? i : 2 * dimension + i];
        if (moves(v, rest, ch->component))
            return true;
    }
    return false;
}

static bool channel_moves(const rift_channel *ch, const rift_trs *rest)
{
    const unsigned dimension = ch->component == RIFT_ROTATION ? 4 : 3;
    const bool cubic = ch->interpolation == RIFT_CUBICSPLINE;
    for (uint32_t k = 0; k < ch->key_count; k++) {
        const float *key =
            ch->values + (cubic ? 3 * (size_t)dimension * k + dimension : (size_t)dimension * k);
        double v[4] = {0, 0, 0, 0};
        for (unsigned i = 0; i < dimension; i++)
            v[i] = (double)key[i];
        if (moves(v, rest, ch->component) || (cubic && cubic_moves(ch, rest, k)))
            return true;
    }
    return false;
}

static void drop_dead(rift_clip_keys *clip, const bool *live)
{
    size_t kept = 0;
    for (size_t c = 0; c < clip->channel_count; c++) {
        const rift_channel *ch = &clip->channels[c];
        if (live[3 * (size_t)ch->joint + ch->component])
            clip->channels[kept++] = *ch;
    }
    clip->channel_count = kept;
}

/* The channel that is to carry the clip's end, or NULL when one reaches it already. */
static rift_channel *channel_for_end(const rift_clip_keys *clip)
{
    rift_channel *constant = NULL;
    for (size_t c = 0; c < clip->channel_count; c++) {
        rift_channel *ch = &clip->channels[c];
        if (ch->times[ch->key_count - 1] >= clip->length)
            return NULL;
        if (constant == NULL && ch->key_count == 1)
            constant = ch;
    }
    return constant != NULL || clip->channel_count == 0 ? constant : &clip->channels[0];
}

/* Repeats the last key at `length`. A repeated cubic key stands still. */
static bool extend(rift_channel *ch, float length, rift_arena *arena)
{
    const size_t dimension = ch->component == RIFT_ROTATION ? 4 : 3;
    const bool cubic = ch->interpolation == RIFT_CUBICSPLINE;
    const size_t stride = cubic ? 3 * dimension : dimension;
    const size_t n = ch->key_count;
    float *times = RIFT_NEW(arena, float, n + 1);
    float *values = RIFT_NEW(arena, float, stride *(n + 1));
    if (times == NULL || values == NULL)
        return false;
    memcpy(times, ch->times, n * sizeof *times);
    memcpy(values, ch->values, n * stride * sizeof *values);
    times[n] = length;
    const size_t offset = cubic ? dimension : 0;
    memcpy(values + stride * n + offset, values + stride * (n - 1) + offset, dimension * sizeof *values);
    if (cubic)
        memset(values + stride * (n - 1) + 2 * dimension, 0, dimension * sizeof *values);
    ch->times = times;
    ch->values = values;
    ch->key_count++;
    return true;
}

bool rift_clips_finish(
    rift_clip_keys *clips, size_t clip_count, const rift_skeleton *skeleton, rift_arena *arena, rift_err *err)
{
    bool *live = RIFT_NEW(arena, bool, 3 * skeleton->joint_count);
    if (live == NULL)
        return rift_arena_ok(arena, "clips", err);
    for (size_t i = 0; i < clip_count; i++) {
        for (size_t c = 0; c < clips[i].channel_count; c++) {
            const rift_channel *ch = &clips[i].channels[c];
            bool *is_live = &live[3 * (size_t)ch->joint + ch->component];
            *is_live = *is_live || channel_moves(ch, &skeleton->joints[ch->joint].rest);
        }
    }
    for (size_t i = 0; i < clip_count; i++) {
        if (!clips[i].naive)
            drop_dead(&clips[i], live);
        rift_channel *end = channel_for_end(&clips[i]);
        if (end != NULL && !extend(end, clips[i].length, arena))
            break;
    }
    return rift_arena_ok(arena, "clips", err);
}
