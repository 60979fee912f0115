/* Random events on a small rig: the bytes are read as joints, keys, windows and limits. Whatever they say, the keys that
 * come out rise, are finite and of unit length, and whoever is not named by an event keeps parent, rest and arrays. */
#include <math.h>
#include <string.h>

#include "anim/snap.h"
#include "fuzz_check.h"

enum { MAX_JOINTS = 10, MAX_KEYS = 6, MAX_EVENTS = 8, CLIPS = 2 };

typedef struct input {
    const uint8_t *data;
    size_t size, at;
} input;

static uint8_t byte(input *in)
{
    return in->at < in->size ? in->data[in->at++] : 0;
}

/* Mostly small numbers, now and then none at all. */
static float number(input *in, float unit)
{
    static const float odd[] = {0, 1e30F, -1e30F, 1e-30F, 3e38F, -0.0F, 1e6F, 1e-6F};
    const int value = (int)byte(in) - 128;
    if (value >= 120)
        return odd[value - 120];
    return (float)value * unit;
}

static float any_float(input *in)
{
    uint32_t bits = 0;
    float out;
    for (int i = 0; i < 4; i++)
        bits = bits << 8 | byte(in);
    memcpy(&out, &bits, sizeof out);
    return out;
}

static rift_quat rotation(input *in)
{
    const rift_quat q = {(double)number(in, 0.01F), (double)number(in, 0.01F), (double)number(in, 0.01F),
                         (double)number(in, 0.01F)};
    return rift_quat_normalize(q);
}

static void make_skeleton(rift_skeleton *out, input *in, fuzz_job *job)
{
    static char names[MAX_JOINTS][2];
    static rift_skl_joint joints[MAX_JOINTS];
    static uint16_t influences[MAX_JOINTS];
    rift_skl skl = {
        .joints = joints, .influences = influences, .joint_count = 2 + byte(in) % (MAX_JOINTS - 1)};
    for (size_t j = 0; j < skl.joint_count; j++) {
        names[j][0] = (char)('a' + (byte(in) & 1 ? j : j / 2)); /* some names twice */
        joints[j] = (rift_skl_joint){
            .name = {names[j], 1},
            .parent = (int16_t)(byte(in) % (skl.joint_count + 1) - 1),
            .local = {{(double)number(in, 1), (double)number(in, 1), (double)number(in, 1)},
                      rotation(in),
                      {1, 1, 1}},
        };
        if (byte(in) & 1)
            joints[j].local.s = (rift_vec3){(double)number(in, 0.1F), (double)number(in, 0.1F), 1};
        if (byte(in) & 1)
            influences[skl.influence_count++] = (uint16_t)j;
    }
    const bool ok = rift_skeleton_build(out, &skl, NULL, &job->arena, &job->report, &job->err);
    fuzz_check_result(ok, &job->err, 0);
    fuzz_require(ok);
}

static float put_times(float *times, uint32_t count, input *in)
{
    float t = 0;
    for (uint32_t k = 0; k < count; k++) {
        times[k] = t;
        const float next = t + (float)(1 + byte(in)) * (byte(in) & 1 ? 1e-3F : 1e-6F);
        t = next > t ? next : nextafterf(t, HUGE_VALF);
    }
    return times[count - 1];
}

/* Keys as the key step leaves them: finite, rising, unit and aligned. */
static rift_channel make_channel(uint32_t joint, int component, input *in, fuzz_job *job)
{
    const size_t width = component == RIFT_ROTATION ? 4 : 3;
    const uint32_t count = 1 + byte(in) % MAX_KEYS;
    float *times = RIFT_NEW(&job->arena, float, count);
    float *values = RIFT_NEW(&job->arena, float, width *count);
    fuzz_require(times != NULL && values != NULL);
    (void)put_times(times, count, in);
    for (uint32_t k = 0; k < count; k++) {
        float *v = values + width * k;
        const rift_quat q = rotation(in);
        v[0] = component == RIFT_ROTATION ? (float)q.x : number(in, component == RIFT_SCALE ? 0.02F : 1);
        v[1] = component == RIFT_ROTATION ? (float)q.y : number(in, component == RIFT_SCALE ? 0.02F : 1);
        v[2] = component == RIFT_ROTATION ? (float)q.z : number(in, component == RIFT_SCALE ? 0.02F : 1);
        if (component != RIFT_ROTATION)
            continue;
        v[3] = (float)q.w;
        double dot = 0;
        for (int i = 0; k > 0 && i < 4; i++)
            dot += (double)v[i] * (double)v[i - 4];
        for (int i = 0; dot < 0 && i < 4; i++)
            v[i] = -v[i];
    }
    return (rift_channel){joint, (rift_component)component, RIFT_LINEAR, count, times, values};
}

static void make_clip(rift_clip_keys *out, const rift_skeleton *sk, input *in, fuzz_job *job)
{
    *out = (rift_clip_keys){.channels = RIFT_NEW(&job->arena, rift_channel, 3 * sk->joint_count)};
    for (uint32_t j = 0; j < sk->joint_count; j++) {
        for (int c = 0; c < 3; c++) {
            if (byte(in) % 3 == 0)
                out->channels[out->channel_count++] = make_channel(j, c, in, job);
        }
    }
    for (size_t c = 0; c < out->channel_count; c++) {
        const rift_channel *ch = &out->channels[c];
        out->length = fmaxf(out->length, ch->times[ch->key_count - 1]);
    }
}

static rift_snap_event make_event(const rift_skeleton *sk, input *in)
{
    const uint8_t shape = byte(in);
    rift_snap_event e = {
        .victim = shape & 1 ? byte(in) : sk->joints[byte(in) % sk->joint_count].fnv,
        .target = shape & 2 ? byte(in) : sk->joints[byte(in) % sk->joint_count].fnv,
        .start_frame = shape & 4 ? any_float(in) : number(in, 0.2F),
        .end_frame = shape & 8 ? any_float(in) : number(in, 0.2F),
    };
    for (int i = 0; shape & 16 && i < 3; i++)
        e.offset[i] = shape & 32 ? any_float(in) : number(in, 1);
    return e;
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

static bool is_in(const rift_snap_result *result, size_t joint)
{
    for (size_t v = 0; v < result->victim_count; v++) {
        if (result->victims[v] == joint)
            return true;
    }
    return false;
}

static void check_result(const rift_snap_result *result,
                         const rift_skeleton *before,
                         const rift_clip_keys *keys,
                         const rift_clip_keys *originals)
{
    for (size_t j = 0; j < before->joint_count; j++) {
        const bool victim = is_in(result, j);
        const rift_joint *joint = &result->skeleton.joints[j];
        fuzz_require(joint->parent == (victim ? RIFT_NO_PARENT : before->joints[j].parent));
        fuzz_require(victim || memcmp(&joint->rest, &before->joints[j].rest, sizeof joint->rest) == 0);
        fuzz_require(isfinite((float)joint->rest.t.x) && isfinite((float)joint->rest.s.x));
    }
    for (size_t i = 0; i < CLIPS; i++) {
        size_t old = 0;
        for (size_t c = 0; c < keys[i].channel_count; c++) {
            const rift_channel *ch = &keys[i].channels[c];
            check_channel(ch, keys[i].length);
            fuzz_require(c == 0 || ch[-1].joint < ch->joint ||
                         (ch[-1].joint == ch->joint && ch[-1].component < ch->component));
            while (old < originals[i].channel_count && is_in(result, originals[i].channels[old].joint))
                old++;
            if (!is_in(result, ch->joint)) {
                fuzz_require(old < originals[i].channel_count &&
                             memcmp(ch, &originals[i].channels[old], sizeof *ch) == 0);
                old++;
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_job job;
    fuzz_begin(&job);
    input in = {data, size, 0};
    rift_arena tmp;
    rift_arena_init(&tmp, 32 * 1024 * 1024);
    rift_skeleton skeleton;
    make_skeleton(&skeleton, &in, &job);
    rift_clip_keys originals[CLIPS];
    rift_clip_keys keys[CLIPS];
    rift_snap_clip clips[CLIPS];
    bool ok = true;
    for (size_t i = 0; i < CLIPS; i++) {
        rift_snap_event events[MAX_EVENTS];
        rift_snap_windows windows = {0};
        make_clip(&originals[i], &skeleton, &in, &job);
        keys[i] = originals[i];
        rift_snap_resolve_input resolve = {.skeleton = &skeleton, .events = events, .fps = 30};
        resolve.event_count = byte(&in) % (MAX_EVENTS + 1);
        resolve.length = (double)keys[i].length;
        resolve.trim_start = byte(&in) & 1 ? 0 : 0.01 * byte(&in);
        for (size_t e = 0; e < resolve.event_count; e++)
            events[e] = make_event(&skeleton, &in);
        ok = ok && rift_snap_resolve(&windows, &resolve, &job.arena, &job.report, &job.err);
        clips[i] = (rift_snap_clip){
            .keys = &keys[i], .windows = windows.windows, .window_count = windows.window_count};
    }
    rift_snap_limits limits = rift_snap_limits_default();
    limits.budget = 2000000;
    limits.max_keys = byte(&in) & 1 ? 200000 : 1 + byte(&in);
    limits.max_halvings = byte(&in) % 7;
    rift_snap_result result;
    ok = ok &&
         rift_snap_bake(&result, clips, CLIPS, &skeleton, &limits, &job.arena, &tmp, &job.report, &job.err);
    fuzz_check_result(ok, &job.err, size);
    if (ok)
        check_result(&result, &skeleton, keys, originals);
    rift_arena_release(&tmp);
    rift_arena_release(&job.arena);
    return 0;
}
