#include "anim/clip_build.h"

#include <math.h>

#include "support/check.h"

rift_anm clip_init(const rift_skeleton *sk, rift_anm_basis basis, float length, rift_arena *arena)
{
    rift_anm anm = {.basis = basis,
                    .compressed = basis != RIFT_ANM_LINEAR,
                    .fps = 30,
                    .length = length,
                    .stored_duration = length};
    anm.frame_count = (uint32_t)lround((double)length * 30) + 1;
    anm.track_count = sk->joint_count;
    anm.tracks = RIFT_NEW(arena, rift_anm_track, sk->joint_count);
    for (size_t j = 0; j < sk->joint_count; j++)
        anm.tracks[j].hash = sk->joints[j].elf;
    return anm;
}

void clip_curve(rift_anm *anm,
                size_t joint,
                rift_anm_component component,
                const float *times,
                const float *values,
                size_t count,
                rift_arena *arena)
{
    const size_t dimension = component == RIFT_ANM_ROTATION ? 4 : 3;
    float *t = RIFT_NEW(arena, float, count);
    float *v = RIFT_NEW(arena, float, dimension *count);
    memcpy(t, times, count * sizeof *t);
    memcpy(v, values, dimension * count * sizeof *v);
    anm->tracks[joint].curves[component] = (rift_anm_curve){count, t, v, count == 1};
}

rift_track_map clip_map(const rift_skeleton *sk, rift_arena *arena)
{
    rift_track_map map = {.track_count = sk->joint_count};
    map.track_of_joint = RIFT_NEW(arena, int32_t, sk->joint_count);
    for (size_t j = 0; j < sk->joint_count; j++)
        map.track_of_joint[j] = (int32_t)j;
    return map;
}

rift_keys_input clip_input(const rift_skeleton *sk, const rift_anm *anm, rift_arena *arena)
{
    rift_track_map *map = RIFT_NEW(arena, rift_track_map, 1);
    *map = clip_map(sk, arena);
    return (rift_keys_input){
        .skeleton = sk, .anm = anm, .map = map, .limits = rift_key_limits_default(), .trim_end = -1};
}

rift_clip_keys clip_run(const rift_keys_input *in, rift_arena *arena, rift_report *report)
{
    rift_arena tmp;
    rift_arena_init(&tmp, 256 * 1024 * 1024);
    rift_clip_keys out = {0};
    rift_err err = check_err();
    CHECK_OK(rift_clip_keys_build(&out, in, arena, &tmp, report, &err), &err);
    CHECK_U64(tmp.used, 0); /* rewound */
    rift_arena_release(&tmp);
    return out;
}

rift_clip_keys
clip_build(const rift_skeleton *sk, const rift_anm *anm, rift_arena *arena, rift_report *report)
{
    const rift_keys_input in = clip_input(sk, anm, arena);
    return clip_run(&in, arena, report);
}

const rift_channel *clip_channel(const rift_clip_keys *clip, uint32_t joint, rift_component component)
{
    for (size_t c = 0; c < clip->channel_count; c++)
        if (clip->channels[c].joint == joint && clip->channels[c].component == component)
            return &clip->channels[c];
    return NULL;
}

double clip_error_at(
    const rift_channel *ch, const rift_anm_curve *curve, rift_anm_basis basis, double clip_t, double file_t)
{
    static const rift_anm_component component[] = {RIFT_ANM_TRANSLATION, RIFT_ANM_ROTATION, RIFT_ANM_SCALE};
    double drawn[4];
    double source[4];
    rift_channel_eval(drawn, ch, clip_t);
    rift_curve_eval(source, curve, component[ch->component], basis, file_t);
    double sum = 0;
    double largest = 0;
    double dot = 0;
    for (int i = 0; i < 4; i++) {
        const double d = fabs(drawn[i] - source[i]);
        sum += d * d;
        largest = fmax(largest, d);
        dot += drawn[i] * source[i];
    }
    if (ch->component == RIFT_SCALE)
        return largest;
    if (ch->component == RIFT_TRANSLATION)
        return sqrt(sum);
    return dot < 0 ? 2 * acos(fmin(1, -dot)) : 4 * asin(fmin(1, sqrt(sum) / 2));
}

double
clip_error_quarters(const rift_channel *ch, const rift_anm_curve *curve, rift_anm_basis basis, double start)
{
    double worst = 0;
    for (uint32_t k = 0; k + 1 < ch->key_count; k++)
        for (int q = 0; q < 4; q++) {
            const double t =
                (double)ch->times[k] + 0.25 * q * ((double)ch->times[k + 1] - (double)ch->times[k]);
            worst = fmax(worst, clip_error_at(ch, curve, basis, t, t + start));
        }
    return worst;
}

double clip_error_240(
    const rift_channel *ch, const rift_anm_curve *curve, rift_anm_basis basis, double start, double length)
{
    double worst = 0;
    for (int i = 0; i <= (int)(240 * length); i++)
        worst = fmax(worst, clip_error_at(ch, curve, basis, i / 240.0, i / 240.0 + start));
    return worst;
}

void clip_check_channel(const rift_channel *ch)
{
    const unsigned dimension = ch->component == RIFT_ROTATION ? 4 : 3;
    bool sound = ch->key_count > 0 && ch->times[0] >= 0;
    for (uint32_t k = 0; k < ch->key_count; k++) {
        const float *v = ch->values + dimension * k;
        double square = 0;
        double dot = 0;
        sound &= k == 0 || ch->times[k] > ch->times[k - 1];
        for (unsigned i = 0; i < dimension; i++) {
            sound &= isfinite(v[i]) != 0;
            square += (double)v[i] * (double)v[i];
            dot += k > 0 ? (double)v[i] * (double)v[(int)i - (int)dimension] : 0;
        }
        if (ch->component == RIFT_ROTATION)
            sound &= fabs(sqrt(square) - 1) <= 1e-6 && dot >= 0;
    }
    CHECK(sound);
}

uint32_t clip_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

double clip_random_unit(uint32_t *seed)
{
    return (double)clip_random(seed) / 16777216.0;
}
