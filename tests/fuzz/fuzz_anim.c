/* Any bytes as an animation, put on a chain of joints that have its tracks' hashes: the keys keep G38, G39 and G44. The last byte chooses additive, trimmed and naive; seeds are
 * those of the anm target. */
#include <math.h>

#include "anim/anim.h"
#include "fuzz_check.h"

enum { MAX_JOINTS = 24 };

static bool make_skeleton(rift_skeleton *out, const rift_anm *anm, fuzz_job *job)
{
    static rift_skl_joint joints[MAX_JOINTS];
    static uint16_t influences[MAX_JOINTS];
    rift_skl skl = {.joints = joints, .influences = influences};
    skl.joint_count = anm->track_count < MAX_JOINTS ? anm->track_count : MAX_JOINTS;
    skl.joint_count = skl.joint_count > 0 ? skl.joint_count : 1;
    for (size_t j = 0; j < skl.joint_count; j++) {
        joints[j] = (rift_skl_joint){
            .hash = j < anm->track_count ? anm->tracks[j].hash : 0,
            .parent = (int16_t)(j % 5 == 4 ? 0 : (int)j - 1),
            .local = {{10, (double)j, -3}, {0, 0, 0.6, 0.8}, {1, 1, 1}},
        };
        if (j % 3 != 1)
            influences[skl.influence_count++] = (uint16_t)j;
    }
    return rift_skeleton_build(out, &skl, NULL, &job->arena, &job->report, &job->err);
}

static void check_channel(const rift_channel *ch, float length)
{
    const size_t width = ch->component == RIFT_ROTATION ? 4 : 3;
    fuzz_require(ch->key_count > 0 && ch->times[0] >= 0 && ch->times[ch->key_count - 1] <= length);
    for (size_t k = 0; k < ch->key_count; k++) {
        const float *v = ch->values + width * k;
        double square = 0;
        double dot = 0;
        fuzz_require(k == 0 || ch->times[k] > ch->times[k - 1]);
        for (size_t i = 0; i < width; i++) {
            fuzz_require(isfinite(v[i]));
            square += (double)v[i] * (double)v[i];
            dot += k > 0 ? (double)v[i] * (double)(v - width)[i] : 0;
        }
        fuzz_require(width == 3 || (fabs(sqrt(square) - 1) <= 1e-6 && dot >= 0));
    }
}

static void make_keys(fuzz_job *job, const rift_anm *anm, unsigned choice, size_t size)
{
    rift_skeleton skeleton;
    rift_track_map map;
    rift_clip_keys clip;
    rift_arena tmp;
    enum { TMP_LIMIT = 32 * 1024 * 1024 };
    rift_arena_init(&tmp, TMP_LIMIT);
    const bool mapped = make_skeleton(&skeleton, anm, job) &&
                        rift_track_map_build(&map, &skeleton, anm, &job->arena, &job->report, &job->err);
    fuzz_check_result(mapped, &job->err, size);
    rift_keys_input in = {
        .skeleton = &skeleton, .anm = anm, .map = &map, .limits = rift_key_limits_default()};
    in.additive = choice & 1 ? RIFT_ADDITIVE_COMPOSE : RIFT_ADDITIVE_NONE;
    in.trim_start = choice & 2 ? 0.3 * (double)anm->length : 0;
    in.trim_end = choice & 4 ? 0.7 * (double)anm->length : -1;
    in.naive = choice & 8;
    bool ok = mapped && rift_clip_keys_build(&clip, &in, &job->arena, &tmp, &job->report, &job->err);
    ok = ok && rift_clips_finish(&clip, 1, &skeleton, &job->arena, &job->err);
    fuzz_check_result(ok, &job->err, size);
    for (size_t c = 0; ok && c < clip.channel_count; c++)
        check_channel(&clip.channels[c], clip.length);
    rift_arena_release(&tmp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_job job;
    fuzz_begin(&job);
    rift_anm anm;
    if (rift_anm_parse(&anm, (rift_bytes){data, size}, &job.arena, &job.report, &job.err))
        make_keys(&job, &anm, size > 0 ? data[size - 1] : 0, size);
    rift_arena_release(&job.arena);
    return 0;
}
