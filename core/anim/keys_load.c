#include <float.h>
#include <math.h>

#include "anim/anim_internal.h"

float rift_to_f32(double v)
{
    const float f = (float)v;
    return isfinite(f) ? f : v < 0 ? -FLT_MAX : FLT_MAX;
}

void rift_work_value(float out[4], const double v[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = rift_to_f32(v[i]);
}

typedef struct loader {
    const rift_keys_job *job;
    rift_str joint_name;
    rift_component component;
    rift_trs rest;
    bool compose;
} loader;

/* The key's value, finite (G44); false when the key is to be dropped. */
static bool read_key(double out[4], const loader *l, const float *from)
{
    const unsigned dimension = rift_is_rotation(l->component) ? 4 : 3;
    for (unsigned i = 0; i < 4; i++) {
        out[i] = i < dimension ? (double)from[i] : 0;
        if (isfinite(out[i]))
            continue;
        if (l->component != RIFT_SCALE) {
            rift_report_add(l->job->report, "key_not_finite", "%.*s %s", RIFT_STR_ARG(l->joint_name),
                            rift_component_word(l->component));
            return false;
        }
        rift_report_add(l->job->report, "scale_not_finite", "%.*s", RIFT_STR_ARG(l->joint_name));
        out[i] = 1;
    }
    return true;
}

/* The reader's rotations are unit float32 already and pass as they are; anything else is normalised. */
static void make_unit(double v[4])
{
    const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3];
    if (!(fabs(square - 1) < 1e-6))
        rift_quat_store(v, rift_quat_normalize(rift_quat_load(v)));
}

/* G49. Sums and the product from the right commute with the spline, so composing keys composes curves. */
static void compose_key(double v[4], const loader *l)
{
    const rift_trs *rest = &l->rest;
    const double t[3] = {rest->t.x, rest->t.y, rest->t.z};
    const double s[3] = {rest->s.x, rest->s.y, rest->s.z};
    if (rift_is_rotation(l->component)) {
        rift_quat_store(v, rift_quat_mul(rift_quat_load(v), rest->r));
        return;
    }
    for (int i = 0; i < 3; i++)
        v[i] += l->component == RIFT_TRANSLATION ? t[i] : s[i] - 1;
}

static bool equal_values(const double a[4], const double b[4])
{
    for (int i = 0; i < 4; i++) {
        const double size = fabs(a[i]) > 1 ? fabs(a[i]) : 1;
        if (a[i] != b[i] && fabs(a[i] - b[i]) > 1e-6 * size)
            return false;
    }
    return true;
}

static void align(double v[4], const double before[4])
{
    if (v[0] * before[0] + v[1] * before[1] + v[2] * before[2] + v[3] * before[3] < 0) {
        for (int i = 0; i < 4; i++)
            v[i] = -v[i];
    }
}

static void add_key(rift_loaded *out, const loader *l, double t, const float *from)
{
    double *v = out->values[out->count];
    const size_t n = out->count;
    if (!isfinite(t) || (n > 0 && t < out->times[n - 1])) {
        rift_report_add(l->job->report, "key_not_finite", "%.*s %s: time %g", RIFT_STR_ARG(l->joint_name),
                        rift_component_word(l->component), t);
        return;
    }
    if (!read_key(v, l, from))
        return;
    if (rift_is_rotation(l->component))
        make_unit(v);
    if (l->compose)
        compose_key(v, l);
    if (rift_is_rotation(l->component) && n > 0)
        align(v, out->values[n - 1]);
    if (n > 0 && t == out->times[n - 1] && !equal_values(v, out->values[n - 1])) {
        rift_report_add(l->job->report, "key_conflict", "%.*s %s at %g s", RIFT_STR_ARG(l->joint_name),
                        rift_component_word(l->component), t);
    }
    out->times[out->count++] = t;
}

static bool is_constant(const rift_loaded *keys)
{
    for (size_t i = 1; i < keys->count; i++) {
        if (!equal_values(keys->values[0], keys->values[i]))
            return false;
    }
    return true;
}

/* A constant curve of an uncompressed file stands for one key a frame; only the naive writer wants them all. */
static size_t stored_frames(const rift_keys_job *job, const rift_anm_curve *curve)
{
    const rift_anm *anm = job->in->anm;
    return job->in->naive && curve->is_constant && !anm->compressed ? anm->frame_count : curve->key_count;
}

bool rift_keys_load(rift_loaded *out,
                    const rift_keys_job *job,
                    const rift_anm_curve *curve,
                    uint32_t joint,
                    rift_component component)
{
    const rift_joint *j = &job->in->skeleton->joints[joint];
    const loader l = {job, j->name, component, j->rest, job->in->additive == RIFT_ADDITIVE_COMPOSE};
    const size_t frames = stored_frames(job, curve);
    const size_t count = frames > curve->key_count ? frames : curve->key_count;
    *out = (rift_loaded){
        .times = RIFT_NEW(job->tmp, double, count),
        .values = rift_arena_push(job->tmp, count, sizeof(double[4]), _Alignof(double)),
    };
    if (out->times == NULL || out->values == NULL)
        return false;
    const size_t dimension = rift_is_rotation(component) ? 4 : 3;
    for (size_t i = 0; i < curve->key_count; i++)
        add_key(out, &l, (double)curve->times[i], curve->values + dimension * i);
    const double step = frames > 1 ? (double)job->in->anm->length / (double)(frames - 1) : 0;
    for (size_t i = curve->key_count; out->count > 0 && i < frames; i++)
        add_key(out, &l, step * (double)i, curve->values);
    out->is_constant = is_constant(out);
    return true;
}
