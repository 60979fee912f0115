#include <math.h>
#include <string.h>

#include "anim/anim_internal.h"

static const float zero_time[1] = {0};

rift_key_limits rift_key_limits_default(void)
{
    return (rift_key_limits){
        .rotation_rad = 0.1 * 3.14159265358979323846 / 180,
        .translation = 0.05,
        .scale = 1e-3,
        .world = 0.5,
        .max_halvings = 6,
        .world_budget = RIFT_WORLD_BUDGET,
    };
}

rift_anm_component rift_anm_component_of(rift_component component)
{
    switch (component) {
    case RIFT_TRANSLATION:
        return RIFT_ANM_TRANSLATION;
    case RIFT_ROTATION:
        return RIFT_ANM_ROTATION;
    case RIFT_SCALE:
        return RIFT_ANM_SCALE;
    }
    return RIFT_ANM_SCALE;
}

double rift_limit_of(const rift_key_limits *limits, rift_component component)
{
    switch (component) {
    case RIFT_TRANSLATION:
        return limits->translation;
    case RIFT_ROTATION:
        return limits->rotation_rad;
    case RIFT_SCALE:
        return limits->scale;
    }
    return limits->scale;
}

const char *rift_component_word(rift_component component)
{
    static const char *const words[] = {"translation", "rotation", "scale"};
    return words[component];
}

/* --- linear clips ----------------------------------------------------------------------------------------------- */

void rift_keys_between(double out[4], const rift_loaded *keys, size_t i, double t, bool is_rotation)
{
    const double *a = keys->values[i];
    if (i + 1 == keys->count || t <= keys->times[i]) {
        memcpy(out, a, sizeof(double[4]));
        return;
    }
    const double *b = keys->values[i + 1];
    const double u = (t - keys->times[i]) / (keys->times[i + 1] - keys->times[i]);
    if (is_rotation) {
        const rift_quat q =
            rift_quat_slerp((rift_quat){a[0], a[1], a[2], a[3]}, (rift_quat){b[0], b[1], b[2], b[3]}, u);
        out[0] = q.x;
        out[1] = q.y;
        out[2] = q.z;
        out[3] = q.w;
        return;
    }
    for (int k = 0; k < 4; k++)
        out[k] = a[k] + u * (b[k] - a[k]);
}

/* Adds a key; at a time that float32 does not tell from the last one, the later value stays (G38). */
static void put_key(rift_work_channel *ch, const rift_keys_job *job, double t, const double v[4])
{
    rift_work_key key = {.t = rift_to_f32(t - job->start), .is_flat = true};
    rift_work_value(key.v, v);
    const bool same_time = ch->key_count > 0 && !(key.t > ch->keys[ch->key_count - 1].t);
    ch->keys[same_time ? ch->key_count - 1 : ch->key_count++] = key;
}

/* The keys inside the window, and the curve's values at the cuts. */
static bool copy_linear(rift_work_channel *ch, const rift_keys_job *job, const rift_loaded *keys)
{
    const bool is_rotation = rift_is_rotation(ch->component);
    double v[4];
    ch->keys = RIFT_NEW(job->tmp, rift_work_key, keys->count + 2);
    if (ch->keys == NULL)
        return false;
    for (size_t i = 0; i < keys->count; i++) {
        const double next = i + 1 < keys->count ? keys->times[i + 1] : HUGE_VAL;
        if (keys->times[i] < job->start && next > job->start) {
            rift_keys_between(v, keys, i, job->start, is_rotation);
            put_key(ch, job, job->start, v);
        } else if (keys->times[i] >= job->start && keys->times[i] <= job->end) {
            put_key(ch, job, keys->times[i], keys->values[i]);
        }
        if (keys->times[i] < job->end && next > job->end && next < HUGE_VAL) {
            rift_keys_between(v, keys, i, job->end, is_rotation);
            put_key(ch, job, job->end, v);
        }
    }
    if (ch->key_count == 0) /* the window ends before the curve begins */
        put_key(ch, job, job->start, keys->values[0]);
    return true;
}

/* --- a clip ----------------------------------------------------------------------------------------------------- */

static bool set_constant(rift_work_channel *ch, const rift_keys_job *job, const double v[4])
{
    ch->keys = RIFT_NEW(job->tmp, rift_work_key, 1);
    if (ch->keys == NULL)
        return false;
    ch->keys[0].is_flat = true;
    rift_work_value(ch->keys[0].v, v);
    ch->key_count = 1;
    return true;
}

static void report_worst(const rift_keys_job *job, const rift_work_channel *ch)
{
    if (ch->worst > 0) {
        rift_report_add(job->report, "curve_error", "%.*s %s: %.3g%s after all halvings",
                        RIFT_STR_ARG(job->in->skeleton->joints[ch->joint].name),
                        rift_component_word(ch->component),
                        ch->component == RIFT_ROTATION ? ch->worst * 180 / 3.14159265358979323846 : ch->worst,
                        ch->component == RIFT_ROTATION      ? " degrees"
                        : ch->component == RIFT_TRANSLATION ? " u"
                                                            : "");
    }
}

static bool make_keys(rift_work_channel *ch, const rift_keys_job *job, const rift_loaded *keys)
{
    const bool spline = job->in->anm->basis != RIFT_ANM_LINEAR;
    if (job->in->naive)
        return copy_linear(ch, job, keys);
    if (keys->is_constant)
        return set_constant(ch, job, keys->values[0]);
    if (job->in->mode == RIFT_KEYS_DENSE)
        return rift_keys_dense(ch, job, keys);
    if (!spline)
        return copy_linear(ch, job, keys);
    return job->in->mode == RIFT_KEYS_CUBIC ? rift_keys_cubic(ch, job, keys)
                                            : rift_keys_refine(ch, job, keys);
}

static bool
add_channel(rift_keys_job *job, const rift_anm_curve *curve, uint32_t joint, rift_component component)
{
    rift_loaded keys;
    if (!rift_keys_load(&keys, job, curve, joint, component))
        return false;
    if (keys.count == 0)
        return true;
    rift_work_channel *ch = &job->channels[job->channel_count];
    *ch = (rift_work_channel){
        .joint = joint, .component = component, .dimension = component == RIFT_ROTATION ? 4 : 3};
    const bool made = make_keys(ch, job, &keys);
    job->channel_count += made && ch->key_count > 0;
    report_worst(job, ch);
    return made;
}

static bool add_channels(rift_keys_job *job)
{
    const rift_skeleton *sk = job->in->skeleton;
    job->channels = RIFT_NEW(job->tmp, rift_work_channel, 3 * sk->joint_count);
    if (job->channels == NULL)
        return false;
    for (size_t j = 0; j < sk->joint_count; j++) {
        const int32_t track = job->in->map->track_of_joint[j];
        if (track == RIFT_NO_TRACK)
            continue;
        for (int c = 0; c < 3; c++) {
            const rift_component component = (rift_component)c;
            const rift_anm_curve *curve =
                &job->in->anm->tracks[track].curves[rift_anm_component_of(component)];
            if (curve->key_count > 0 && !add_channel(job, curve, (uint32_t)j, component))
                return false;
        }
    }
    return true;
}

/* --- float32 ---------------------------------------------------------------------------------------------------- */

/* Every key within 1e-6 relative of the first (G42): a trimmed or flattened curve may have become constant. */
static bool keys_are_equal(const rift_work_channel *ch)
{
    const float *first = ch->keys[0].v;
    for (size_t k = 1; k < ch->key_count; k++) {
        const float *v = ch->keys[k].v;
        for (unsigned i = 0; i < ch->dimension; i++) {
            if (v[i] != first[i] &&
                fabs((double)v[i] - (double)first[i]) > 1e-6 * fmax(1, fabs((double)first[i])))
                return false;
        }
    }
    return true;
}

/* Whether a curve of equal cubic keys leaves their value between them. */
static bool tangents_move(const rift_work_channel *ch)
{
    for (size_t k = 0; ch->tangents != NULL && k + 1 < ch->key_count; k++) {
        const double length = (double)ch->keys[k + 1].t - (double)ch->keys[k].t;
        for (unsigned i = 0; i < ch->dimension; i++) {
            const double size = fmax(1, fabs((double)ch->keys[k].v[i]));
            const double most =
                fmax(fabs((double)ch->tangents[k].out[i]), fabs((double)ch->tangents[k + 1].in[i]));
            if (length * most > 1e-6 * size)
                return true;
        }
    }
    return false;
}

/* G39: the sign of each rotation follows the one before. */
static void align_keys(rift_work_channel *ch)
{
    for (size_t k = 1; k < ch->key_count; k++) {
        const float *before = ch->keys[k - 1].v;
        float *v = ch->keys[k].v;
        double dot = 0;
        for (int i = 0; i < 4; i++)
            dot += (double)v[i] * (double)before[i];
        for (int i = 0; dot < 0 && i < 4; i++)
            v[i] = -v[i];
    }
}

/* The array of the channel before when it has the same times, as all curves of an uncompressed clip do. */
static const float *write_times(const rift_work_channel *ch, const rift_channel *before, rift_arena *arena)
{
    bool same = before != NULL && before->key_count == ch->key_count;
    for (size_t k = 0; same && k < ch->key_count; k++)
        same = before->times[k] == ch->keys[k].t;
    if (same)
        return before->times;
    float *times = RIFT_NEW(arena, float, ch->key_count);
    for (size_t k = 0; times != NULL && k < ch->key_count; k++)
        times[k] = ch->keys[k].t;
    return times;
}

static bool write_channel(rift_channel *out,
                          rift_work_channel *ch,
                          const rift_channel **moving,
                          const rift_keys_job *job,
                          rift_arena *arena)
{
    if (ch->component == RIFT_ROTATION && ch->tangents == NULL)
        align_keys(ch);
    const bool constant = !job->in->naive && keys_are_equal(ch) && !tangents_move(ch);
    if (constant)
        ch->key_count = 1;
    const bool cubic = ch->tangents != NULL && !constant;
    const size_t stride = (cubic ? 3 : 1) * (size_t)ch->dimension;
    float *values = RIFT_NEW(arena, float, stride * ch->key_count);
    const float *times = constant ? zero_time : write_times(ch, *moving, arena);
    if (values == NULL || times == NULL)
        return false;
    const size_t size = ch->dimension * sizeof *values;
    for (size_t k = 0; k < ch->key_count; k++) {
        float *value = values + stride * k + (cubic ? ch->dimension : 0);
        memcpy(value, ch->keys[k].v, size);
        if (cubic) {
            memcpy(value - ch->dimension, ch->tangents[k].in, size);
            memcpy(value + ch->dimension, ch->tangents[k].out, size);
        }
    }
    *out = (rift_channel){
        ch->joint, ch->component, cubic ? RIFT_CUBICSPLINE : RIFT_LINEAR, (uint32_t)ch->key_count,
        times,     values};
    if (!constant)
        *moving = out;
    return true;
}

static bool write_clip(rift_clip_keys *out, rift_keys_job *job, rift_arena *arena)
{
    rift_channel *channels = RIFT_NEW(arena, rift_channel, job->channel_count);
    if (channels == NULL)
        return false;
    const rift_channel *moving = NULL;
    double worst[3] = {0, 0, 0};
    for (size_t c = 0; c < job->channel_count; c++) {
        rift_work_channel *ch = &job->channels[c];
        worst[ch->component] = fmax(worst[ch->component], ch->worst);
        if (!write_channel(&channels[c], ch, &moving, job, arena))
            return false;
    }
    *out = (rift_clip_keys){
        .channels = channels,
        .channel_count = job->channel_count,
        .length = rift_to_f32(job->end - job->start),
        .naive = job->in->naive,
        .worst_rotation_rad = worst[RIFT_ROTATION],
        .worst_translation = worst[RIFT_TRANSLATION],
        .worst_scale = worst[RIFT_SCALE],
        .worst_world = job->worst_world,
    };
    return true;
}

/* The window of file time that is written. */
static void window_of(double *start, double *end, const rift_anm *anm, double trim_start, double trim_end)
{
    const double length = fmax(0, (double)anm->length);
    *start = fmin(fmax(0, trim_start), length);
    *end = trim_end >= *start ? fmin(trim_end, length) : length;
}

float rift_clip_length(const rift_anm *anm, double trim_start, double trim_end)
{
    double start;
    double end;
    window_of(&start, &end, anm, trim_start, trim_end);
    return rift_to_f32(end - start);
}

static void set_window(rift_keys_job *job)
{
    const double end = job->in->trim_end;
    window_of(&job->start, &job->end, job->in->anm, job->in->trim_start, end);
    if (end >= 0 && end < job->start)
        rift_report_add(job->report, "trim_end_before_start", "%g s to %g s", job->start, end);
}

bool rift_clip_keys_build(rift_clip_keys *out,
                          const rift_keys_input *in,
                          rift_arena *out_arena,
                          rift_arena *tmp,
                          rift_report *report,
                          rift_err *err)
{
    RIFT_ASSERT(in->limits.max_halvings <= RIFT_MAX_HALVINGS && out_arena != tmp);
    RIFT_ASSERT(in->mode != RIFT_KEYS_DENSE || in->dense_fps > 0);
    const rift_arena_mark mark = rift_arena_get_mark(tmp);
    rift_keys_job job = {.in = in, .tmp = tmp, .report = report};
    set_window(&job);
    if (in->mode == RIFT_KEYS_DENSE && !((job.end - job.start) * in->dense_fps < RIFT_DENSE_MAX_KEYS)) {
        return rift_fail(err, RIFT_ERR_LIMIT, "keys", RIFT_NO_OFFSET,
                         "%g s at %g keys a second are over %u keys", job.end - job.start, in->dense_fps,
                         RIFT_DENSE_MAX_KEYS);
    }
    const bool refined = in->anm->basis != RIFT_ANM_LINEAR && !in->naive && in->mode == RIFT_KEYS_ADAPTIVE;
    rift_clip_keys clip = {0};
    const bool ok =
        add_channels(&job) && (!refined || rift_keys_check_world(&job)) && write_clip(&clip, &job, out_arena);
    const bool sound = rift_arena_ok(tmp, "keys", err) && rift_arena_ok(out_arena, "keys", err);
    rift_arena_rewind(tmp, mark);
    if (!sound)
        return false;
    RIFT_ASSERT(ok);
    *out = clip;
    return true;
}
