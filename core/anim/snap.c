/* The bake over all clips (S8, S11, S12, S16, S19, S22).
 *
 * A round bakes every victim in every clip from the original skeleton and the original keys, into new arrays, and checks
 * it. Victims that fail are taken out and the round begins again, since others may have stood on them; there are at most
 * as many rounds as victims. Only then channel lists and hierarchy are replaced. */
#include "anim/snap.h"

#include <math.h>
#include <string.h>

#include "anim/anim_internal.h"
#include "anim/snap_internal.h"

enum { NO_VICTIM = -1 };

typedef struct bake {
    rift_snap_clip *clips;
    size_t clip_count;
    const rift_skeleton *skeleton;
    const rift_snap_limits *limits;
    rift_arena *arena;
    rift_arena *tmp;
    rift_report *report;
    uint64_t work;
    /* of the round */
    int32_t *victim_of; /* by joint: index of the victim, or NO_VICTIM */
    uint32_t *victims;
    size_t victim_count;
    rift_channel
        *made; /* 3 of clip c and victim v at 3 * (c * victim_count + v); key_count 0: not rewritten */
    rift_snap_stat *stats;
    rift_trs *rest; /* by victim: of the reparented ones */
    bool *failed;   /* by victim */
} bake;

rift_snap_limits rift_snap_limits_default(void)
{
    return (rift_snap_limits){
        .translation = 0.1,
        .rotation_rad = 0.25 * 3.14159265358979323846 / 180,
        .scale = 1e-3,
        .max_halvings = 6,
        .max_keys = 200000,
        .budget = RIFT_SNAP_BUDGET,
    };
}

/* --- rounds ----------------------------------------------------------------------------------------------------- */

/* Rounded to float32 by a function of another file: gcc 12 drops the way there and back of neighbouring numbers. */
static double rounded(double v)
{
    return (double)rift_to_f32(v);
}

/* Key times are float32; so are the windows', that a key at a boundary lies in its window. */
static void round_windows(bake *b)
{
    for (size_t c = 0; c < b->clip_count; c++) {
        for (size_t w = 0; w < b->clips[c].window_count; w++) {
            rift_snap_window *window = &b->clips[c].windows[w];
            RIFT_ASSERT(window->victim < b->skeleton->joint_count &&
                        window->target < b->skeleton->joint_count && window->victim != window->target &&
                        window->start >= 0 && window->start <= window->end);
            window->start = rounded(window->start);
            window->end = rounded(window->end);
        }
    }
}

/* S8: the joints that some window is on, in id order. */
static bool collect_victims(bake *b)
{
    const size_t n = b->skeleton->joint_count;
    b->victim_of = RIFT_NEW(b->arena, int32_t, n);
    b->victims = RIFT_NEW(b->arena, uint32_t, n);
    if (b->victim_of == NULL || b->victims == NULL)
        return false;
    for (size_t c = 0; c < b->clip_count; c++) {
        for (size_t w = 0; w < b->clips[c].window_count; w++) {
            if (!b->clips[c].windows[w].restored)
                b->victim_of[b->clips[c].windows[w].victim] = 1;
        }
    }
    b->victim_count = 0;
    for (size_t j = 0; j < n; j++) {
        const bool is_victim = b->victim_of[j] != 0;
        b->victim_of[j] = is_victim ? (int32_t)b->victim_count : NO_VICTIM;
        if (is_victim)
            b->victims[b->victim_count++] = (uint32_t)j;
    }
    b->made = rift_arena_push(b->arena, b->clip_count * b->victim_count, 3 * sizeof *b->made,
                              _Alignof(rift_channel));
    b->stats = RIFT_NEW(b->arena, rift_snap_stat, b->clip_count * b->victim_count);
    b->rest = RIFT_NEW(b->arena, rift_trs, b->victim_count);
    b->failed = RIFT_NEW(b->arena, bool, b->victim_count);
    return b->arena->failed == RIFT_OK;
}

/* S12: clips that a victim's keys are rewritten in. */
static bool is_rewritten(const bake *b, const rift_snap_clip *clip, uint32_t victim)
{
    if (b->skeleton->joints[victim].parent != RIFT_NO_PARENT)
        return true;
    for (size_t w = 0; w < clip->window_count; w++) {
        if (clip->windows[w].victim == victim && !clip->windows[w].restored)
            return true;
    }
    return false;
}

static void fail_victim(bake *b, size_t v, const char *why)
{
    b->failed[v] = true;
    rift_report_add(b->report, "snap_bake_failed", "%.*s: %s",
                    RIFT_STR_ARG(b->skeleton->joints[b->victims[v]].name), why);
}

static void fail_check(bake *b, size_t v, const snap_fault *f)
{
    b->failed[v] = true;
    rift_report_add(b->report, "snap_bake_failed", "%.*s at %g s: off by %.3g u, %.3g degrees, scale %.3g",
                    RIFT_STR_ARG(b->skeleton->joints[b->victims[v]].name), f->t, f->translation,
                    f->rotation_rad * 180 / 3.14159265358979323846, f->scale);
}

/* One victim in one clip. False when an arena failed. */
static bool bake_victim(bake *b, snap_source *source, size_t c, size_t v)
{
    const uint32_t joint = b->victims[v];
    rift_channel *made = &b->made[3 * (c * b->victim_count + v)];
    rift_snap_stat *stat = &b->stats[c * b->victim_count + v];
    snap_keys keys;
    snap_fault fault;
    switch (snap_keys_build(&keys, source, joint, b->limits, b->tmp)) {
    case SNAP_DONE:
        break;
    case SNAP_NO_MEMORY:
        return false;
    case SNAP_TOO_MANY:
        fail_victim(b, v, "too many source keys");
        return true;
    case SNAP_OVER_BUDGET:
        fail_victim(b, v, "too much work");
        return true;
    }
    if (!snap_channels(made, &keys, joint, b->arena))
        return false;
    *stat = (rift_snap_stat){.shear = keys.shear, .doublings = keys.doublings, .coarse = keys.coarse};
    for (int i = 0; i < 3; i++)
        stat->key_count = made[i].key_count > stat->key_count ? made[i].key_count : stat->key_count;
    if (!snap_check(stat, &fault, source, made, &keys, joint, b->limits, b->tmp)) {
        if (snap_is_over(source)) {
            fail_victim(b, v, "too much work");
        } else {
            fail_check(b, v, &fault);
        }
    }
    return b->tmp->failed == RIFT_OK;
}

static bool bake_clip(bake *b, size_t c)
{
    const rift_snap_clip *clip = &b->clips[c];
    const rift_arena_mark mark = rift_arena_get_mark(b->tmp);
    snap_source source;
    bool ok = snap_source_init(&source, b->skeleton, clip->keys, clip->windows, clip->window_count, &b->work,
                               b->limits->budget, b->tmp);
    rift_report_in(b->report, clip->name);
    for (size_t v = 0; ok && v < b->victim_count; v++) {
        if (b->failed[v] || !is_rewritten(b, clip, b->victims[v]))
            continue;
        const rift_arena_mark inner = rift_arena_get_mark(b->tmp);
        ok = bake_victim(b, &source, c, v);
        rift_arena_rewind(b->tmp, inner);
    }
    rift_report_in(b->report, (rift_str){0});
    rift_arena_rewind(b->tmp, mark);
    return ok;
}

/* --- the rest pose ---------------------------------------------------------------------------------------------- */

static rift_vec3 position(const rift_mat4 *m)
{
    return (rift_vec3){m->m[12], m->m[13], m->m[14]};
}

static rift_trs as_written(rift_trs trs)
{
    return (rift_trs){
        {rounded(trs.t.x), rounded(trs.t.y), rounded(trs.t.z)},
        rift_quat_normalize(
            (rift_quat){rounded(trs.r.x), rounded(trs.r.y), rounded(trs.r.z), rounded(trs.r.w)}),
        {rounded(trs.s.x), rounded(trs.s.y), rounded(trs.s.z)},
    };
}

/* S22: rest world of every joint within 1e-3 u, as far as the chain above a victim is free of shear. */
static bool check_rest(bake *b, const bool *sheared)
{
    const rift_skeleton *sk = b->skeleton;
    rift_mat4 *world = RIFT_NEW(b->tmp, rift_mat4, sk->joint_count);
    int32_t *below = RIFT_NEW(b->tmp, int32_t, sk->joint_count); /* the nearest victim above, or itself */
    if (world == NULL || below == NULL)
        return false;
    for (size_t i = 0; i < sk->joint_count; i++) {
        const uint32_t j = sk->topological[i];
        const int32_t parent = sk->joints[j].parent;
        const int32_t v = b->victim_of[j];
        const bool moved = v != NO_VICTIM && parent != RIFT_NO_PARENT;
        const rift_mat4 local = rift_mat4_from_trs(as_written(moved ? b->rest[v] : sk->joints[j].rest));
        const bool is_root = moved || parent == RIFT_NO_PARENT;
        world[j] = is_root ? local : rift_mat4_mul(world[parent], local);
        below[j] = moved ? v : is_root ? NO_VICTIM : below[parent];
        if (below[j] == NO_VICTIM || sheared[below[j]] || b->failed[below[j]])
            continue;
        const rift_vec3 want = position(&sk->rest_world[j]);
        const double off = rift_vec3_length(rift_vec3_sub(position(&world[j]), want));
        if (!(off <= 1e-3 + 1e-6 * rift_vec3_length(want)))
            fail_victim(b, (size_t)below[j], "rest pose is off");
    }
    return true;
}

/* S11: the chain's rest world, not the inverse of the inverse bind. False when an arena failed. */
static bool bake_rest(bake *b)
{
    const rift_clip_keys none = {0};
    const rift_arena_mark mark = rift_arena_get_mark(b->tmp);
    snap_source source;
    snap_path path = {0};
    bool *sheared = RIFT_NEW(b->tmp, bool, b->victim_count);
    if (sheared == NULL ||
        !snap_source_init(&source, b->skeleton, &none, NULL, 0, &b->work, UINT64_MAX, b->tmp))
        return false;
    for (size_t v = 0; v < b->victim_count; v++) {
        if (!snap_trace(&path, &source, b->victims[v], 0, b->tmp)) {
            if (b->tmp->failed != RIFT_OK)
                return false;
            fail_victim(b, v, "its chain is too long");
            continue;
        }
        const snap_pose pose = snap_eval(&source, &path, 0);
        double shear;
        b->rest[v] = snap_trs(&pose, pose.trs.r, &shear);
        sheared[v] = shear > 1e-6;
        const float numbers[] = {(float)b->rest[v].t.x, (float)b->rest[v].t.y, (float)b->rest[v].t.z,
                                 (float)b->rest[v].s.x, (float)b->rest[v].s.y, (float)b->rest[v].s.z};
        for (size_t i = 0; i < 6; i++) {
            if (!isfinite(numbers[i]) && !b->failed[v])
                fail_victim(b, v, "rest pose is not finite");
        }
    }
    const bool ok = check_rest(b, sheared);
    rift_arena_rewind(b->tmp, mark);
    return ok;
}

/* Marks the windows of failed victims. True when there were any. */
static bool take_back(bake *b)
{
    bool any = false;
    for (size_t c = 0; c < b->clip_count; c++) {
        for (size_t w = 0; w < b->clips[c].window_count; w++) {
            rift_snap_window *window = &b->clips[c].windows[w];
            if (!window->restored && b->failed[b->victim_of[window->victim]])
                any = window->restored = true;
        }
    }
    return any;
}

static bool run_rounds(bake *b)
{
    do {
        if (!collect_victims(b) || !bake_rest(b))
            return false;
        for (size_t c = 0; c < b->clip_count; c++) {
            if (!bake_clip(b, c))
                return false;
        }
    } while (take_back(b));
    return true;
}

/* --- replacing -------------------------------------------------------------------------------------------------- */

static const rift_channel *
find_channel(const rift_channel *channels, size_t count, uint32_t joint, rift_component component)
{
    for (size_t c = 0; c < count; c++) {
        if (channels[c].joint == joint && channels[c].component == component)
            return &channels[c];
    }
    return NULL;
}

/* A parentless victim in a clip that does not move it: its rest value, where a track had been (G43). */
static bool add_still(bake *b, rift_channel *out, size_t *count, const rift_snap_clip *clip, uint32_t joint)
{
    static const float zero_time[1] = {0};
    const rift_trs rest = as_written(b->skeleton->joints[joint].rest);
    for (int i = 0; i < 3; i++) {
        const rift_component component = (rift_component)i;
        const rift_channel *own =
            find_channel(clip->keys->channels, clip->keys->channel_count, joint, component);
        if (own != NULL) {
            out[(*count)++] = *own;
            continue;
        }
        if (find_channel(clip->tracked, clip->tracked_count, joint, component) == NULL)
            continue;
        float *values = RIFT_NEW(b->arena, float, 4);
        if (values == NULL)
            return false;
        const double v[3][4] = {{rest.t.x, rest.t.y, rest.t.z, 0},
                                {rest.r.x, rest.r.y, rest.r.z, rest.r.w},
                                {rest.s.x, rest.s.y, rest.s.z, 0}};
        for (int k = 0; k < 4; k++)
            values[k] = (float)v[i][k];
        out[(*count)++] = (rift_channel){joint, component, RIFT_LINEAR, 1, zero_time, values};
    }
    return true;
}

/* G41: some channel reaches the clip's end; if none does any more, one of the first victim's. */
static bool reach_end(bake *b, rift_channel *channels, size_t count, float length)
{
    rift_channel *own = NULL;
    for (size_t c = 0; c < count; c++) {
        const rift_channel *ch = &channels[c];
        if (ch->times[ch->key_count - 1] >= length)
            return true;
        if (own == NULL && b->victim_of[ch->joint] != NO_VICTIM && ch->key_count == 1)
            own = &channels[c];
    }
    if (own == NULL)
        return true; /* rift_clips_finish sees to it */
    const size_t dimension = own->component == RIFT_ROTATION ? 4 : 3;
    float *times = RIFT_NEW(b->arena, float, 2);
    float *values = RIFT_NEW(b->arena, float, 2 * dimension);
    if (times == NULL || values == NULL)
        return false;
    times[1] = length;
    memcpy(values, own->values, dimension * sizeof *values);
    memcpy(values + dimension, own->values, dimension * sizeof *values);
    own->times = times;
    own->values = values;
    own->key_count = 2;
    return true;
}

/* A channel list of the clip's own: victims' channels replaced, all others the very same (S8, S17). */
static bool replace_channels(bake *b, size_t c)
{
    rift_clip_keys *keys = b->clips[c].keys;
    rift_channel *out = RIFT_NEW(b->arena, rift_channel, keys->channel_count + 3 * b->victim_count);
    if (out == NULL)
        return false;
    size_t count = 0;
    size_t old = 0;
    for (size_t v = 0; v <= b->victim_count; v++) {
        const uint32_t joint = v < b->victim_count ? b->victims[v] : UINT32_MAX;
        while (old < keys->channel_count && keys->channels[old].joint < joint)
            out[count++] = keys->channels[old++];
        if (v == b->victim_count)
            break;
        const rift_channel *made = &b->made[3 * (c * b->victim_count + v)];
        for (int i = 0; made->key_count > 0 && i < 3; i++)
            out[count++] = made[i];
        if (made->key_count == 0 && !add_still(b, out, &count, &b->clips[c], joint))
            return false;
        while (old < keys->channel_count && keys->channels[old].joint == joint)
            old++;
    }
    if (!reach_end(b, out, count, keys->length))
        return false;
    keys->channels = out;
    keys->channel_count = count;
    return true;
}

/* The largest doubling and shear of each victim over all clips. */
static void report_victims(bake *b)
{
    for (size_t c = 0; c < b->clip_count; c++) {
        rift_report_in(b->report, b->clips[c].name);
        for (size_t v = 0; v < b->victim_count; v++) {
            const rift_snap_stat *stat = &b->stats[c * b->victim_count + v];
            const rift_str name = b->skeleton->joints[b->victims[v]].name;
            if (stat->shear > RIFT_SNAP_SHEAR)
                rift_report_add(b->report, "snap_shear", "%.*s: %.3g", RIFT_STR_ARG(name), stat->shear);
            if (stat->coarse) {
                rift_report_add(b->report, "snap_curve_error",
                                "%.*s: %.3g u, %.3g degrees after all halvings", RIFT_STR_ARG(name),
                                stat->translation, stat->rotation_rad * 180 / 3.14159265358979323846);
            }
            if (stat->doublings > 0) {
                rift_report_add(b->report, "snap_limits_doubled", "%.*s: %u times", RIFT_STR_ARG(name),
                                stat->doublings);
            }
        }
    }
    rift_report_in(b->report, (rift_str){0});
}

/* S11. Everything but parents, rests and the arrays that hold them stays shared. */
static bool replace_hierarchy(bake *b, rift_snap_result *out)
{
    const rift_skeleton *sk = b->skeleton;
    out->skeleton = *sk;
    out->victims = b->victims;
    out->victim_count = b->victim_count;
    out->stats = b->stats;
    out->former_parents = RIFT_NEW(b->arena, int32_t, b->victim_count);
    rift_joint *joints = RIFT_NEW(b->arena, rift_joint, sk->joint_count);
    if (out->former_parents == NULL || joints == NULL)
        return false;
    memcpy(joints, sk->joints, sk->joint_count * sizeof *joints);
    for (size_t v = 0; v < b->victim_count; v++) {
        rift_joint *joint = &joints[b->victims[v]];
        out->former_parents[v] = joint->parent;
        if (joint->parent == RIFT_NO_PARENT)
            continue;
        rift_report_add(b->report, "snap_reparented", "%.*s, was below %.*s", RIFT_STR_ARG(joint->name),
                        RIFT_STR_ARG(sk->joints[joint->parent].name));
        joint->parent = RIFT_NO_PARENT;
        joint->rest = b->rest[v];
    }
    out->skeleton.joints = joints;
    return true;
}

/* S8, S22: parents differ for victims only. */
static void assert_parents(const bake *b, const rift_snap_result *out)
{
    for (size_t j = 0; j < b->skeleton->joint_count; j++) {
        const int32_t before = b->skeleton->joints[j].parent;
        const bool moved = b->victim_of[j] != NO_VICTIM;
        RIFT_ASSERT(out->skeleton.joints[j].parent == (moved ? RIFT_NO_PARENT : before));
    }
}

bool rift_snap_bake(rift_snap_result *out,
                    rift_snap_clip *clips,
                    size_t clip_count,
                    const rift_skeleton *skeleton,
                    const rift_snap_limits *limits,
                    rift_arena *arena,
                    rift_arena *tmp,
                    rift_report *report,
                    rift_err *err)
{
    RIFT_ASSERT(limits->max_halvings <= RIFT_MAX_HALVINGS && arena != tmp);
    bake b = {
        .clips = clips,
        .clip_count = clip_count,
        .skeleton = skeleton,
        .limits = limits,
        .arena = arena,
        .tmp = tmp,
        .report = report,
    };
    rift_snap_result result = {.skeleton = *skeleton};
    const rift_arena_mark mark = rift_arena_get_mark(tmp);
    round_windows(&b);
    bool ok = run_rounds(&b);
    for (size_t c = 0; ok && b.victim_count > 0 && c < clip_count; c++)
        ok = replace_channels(&b, c);
    ok = ok && (b.victim_count == 0 || replace_hierarchy(&b, &result));
    rift_arena_rewind(tmp, mark);
    if (!rift_arena_ok(tmp, "snaps", err) || !rift_arena_ok(arena, "snaps", err))
        return false;
    RIFT_ASSERT(ok);
    report_victims(&b);
    if (b.victim_count > 0)
        assert_parents(&b, &result);
    *out = result;
    return true;
}
