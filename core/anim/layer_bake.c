/* The bake of a timeline (L30-L37), component by component: values at the candidates, halving until the quarter points of
 * every segment keep the limits, then greedy removal against everything that was looked at. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "anim/anim_internal.h"
#include "anim/layer_internal.h"

#define MAX_LEVEL 6 /* halvings of a segment */

/* A component is looked at where its own curves have keys, and on the grid. Key times of other curves are candidates too (L31);
 * between its own keys a component runs so smoothly that what holds a little tighter here holds there. */
#define TIGHTER 0.95

/* L33 allows 0.05 degrees; what stands at the end of a chain of joints should be within 0.05 u all the same. */
static const double limit_rotation = 0.02 * 3.14159265358979323846 / 180;
static const double limit_translation = 0.02;
static const double limit_scale = 1e-4;

/* Something that was looked at: a possible key, or a quarter point. */
typedef struct sample {
    double t;
    double v[4];
    float time; /* of the key */
    bool is_key;
    bool stays; /* ends, and both keys of a jump that this component makes */
    bool gap;   /* the segment behind it is a jump's */
} sample;

typedef struct frame {
    double t;
    rift_layer_state state;
} frame;

typedef struct baker {
    const rift_layers *layers;
    rift_arena *tmp, *out_arena;
    rift_err *err;
    rift_layer_instants instants;
    size_t max_keys;
    frame *frames; /* at the instants */
    bool *marks;   /* the instants that count for the component */
    bool loops;    /* the last pose is the first one's */
    rift_layer_baked *out;
    /* the component that is worked on */
    uint32_t joint;
    rift_component component;
    sample *samples;
    size_t sample_count, sample_capacity;
} baker;

static double limit_of(rift_component component)
{
    switch (component) {
    case RIFT_TRANSLATION:
        return limit_translation;
    case RIFT_ROTATION:
        return limit_rotation;
    case RIFT_SCALE:
        return limit_scale;
    }
    return limit_scale;
}

/* Distance of two values in the component's unit. */
static double distance(const double a[4], const double b[4], rift_component component)
{
    if (component == RIFT_ROTATION)
        return rift_quat_angle(rift_quat_load(a), rift_quat_load(b));
    const rift_vec3 d = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return component == RIFT_SCALE ? fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))) : rift_vec3_length(d);
}

/* The value as a key holds it, as doubles. */
static void as_written(double out[4], const double v[4])
{
    float f[4];
    rift_work_value(f, v);
    for (int i = 0; i < 4; i++)
        out[i] = (double)f[i];
}

/* LINEAR between the written values of two keys. */
static void interpolate(double out[4], const sample *a, const sample *b, double t, rift_component component)
{
    double va[4];
    double vb[4];
    as_written(va, a->v);
    as_written(vb, b->v);
    const double u = (t - (double)a->time) / ((double)b->time - (double)a->time);
    if (component == RIFT_ROTATION) {
        const rift_quat q = rift_quat_slerp(rift_quat_load(va), rift_quat_load(vb), u);
        out[0] = q.x;
        out[1] = q.y;
        out[2] = q.z;
        out[3] = q.w;
        return;
    }
    for (int i = 0; i < 4; i++)
        out[i] = va[i] + u * (vb[i] - va[i]);
}

/* Whether two values differ by more than `limit`: as distance says, without its trigonometry. */
static bool differ(const double a[4], const double b[4], double limit, rift_component component)
{
    if (component != RIFT_ROTATION)
        return distance(a, b, component) > limit;
    const double sign = rift_quat_dot(rift_quat_load(a), rift_quat_load(b)) < 0 ? -1 : 1;
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
    const double chord =
        limit / 2; /* of half the angle, on the unit sphere; exact to 1e-7 of it at these limits */
    return square > chord * chord;
}

static bool off_between(const baker *b, const sample *from, const sample *to, const sample *at)
{
    double v[4];
    interpolate(v, from, to, at->t, b->component);
    return differ(v, at->v, TIGHTER * limit_of(b->component), b->component);
}

static double error_between(const baker *b, const sample *from, const sample *to, const sample *at)
{
    double v[4];
    interpolate(v, from, to, at->t, b->component);
    return distance(v, at->v, b->component);
}

/* --- values ------------------------------------------------------------------------------------------------------ */

static void evaluate(double out[4], const baker *b, double t)
{
    rift_layer_state state;
    out[3] = 0;
    rift_layers_at(&state, b->layers, t);
    (void)rift_layers_component(out, b->layers, &state, b->joint, b->component);
}

static sample *push(baker *b)
{
    if (b->sample_count == b->sample_capacity) {
        const size_t old = b->sample_capacity * sizeof(sample);
        sample *grown = rift_arena_grow(b->tmp, b->samples, old, old + old / 2 + 1024 * sizeof(sample));
        if (grown == NULL)
            return NULL;
        b->samples = grown;
        b->sample_capacity = (old + old / 2) / sizeof(sample) + 1024;
    }
    return &b->samples[b->sample_count++];
}

static sample sample_at(const baker *b, double t)
{
    sample s = {.t = t, .time = (float)t};
    evaluate(s.v, b, t);
    return s;
}

static sample at_instant(const baker *b, size_t i)
{
    const rift_layer_instant *at = &b->instants.items[i];
    const bool last = i + 1 == b->instants.count;
    sample s = {.t = (double)at->time, .time = at->time, .is_key = true, .gap = at->gap};
    s.stays = i == 0 || last;
    (void)rift_layers_component(s.v, b->layers, &b->frames[last && b->loops ? 0 : i].state, b->joint,
                                b->component);
    return s;
}

/* --- halving (L33) ----------------------------------------------------------------------------------------------- */

/* The quarter points of a segment; true when one of them is off. */
static bool quarters(const baker *b, const sample *from, const sample *to, sample out[3])
{
    bool off = false;
    for (int q = 1; q < 4; q++) {
        const double t = (double)from->time + ((double)to->time - (double)from->time) * q / 4;
        out[q - 1] = sample_at(b, t);
        off = off || off_between(b, from, to, &out[q - 1]);
    }
    return off;
}

typedef struct part {
    sample end;
    int level;
} part;

/* Puts the samples of a segment behind its first key, which is pushed already; the last key is not pushed. */
static bool refine(baker *b, const sample *first, const sample *last)
{
    part stack[MAX_LEVEL + 1]; /* ends to come, the nearest on top */
    size_t depth = 0;
    sample from = *first;
    stack[depth++] = (part){*last, 0};
    while (depth > 0) {
        const part top = stack[depth - 1];
        sample points[3];
        const bool off = quarters(b, &from, &top.end, points);
        sample middle = points[1];
        const bool splits =
            off && top.level < MAX_LEVEL && middle.time > from.time && middle.time < top.end.time;
        if (splits) {
            middle = sample_at(b, (double)middle.time);
            middle.is_key = true;
            stack[depth - 1].level++;
            stack[depth] = (part){middle, top.level + 1};
            depth++;
            continue;
        }
        for (int q = 0; q < 3; q++) {
            sample *s = push(b);
            if (s == NULL)
                return false;
            *s = points[q];
        }
        depth--;
        from = top.end;
        sample *key = depth > 0 ? push(b) : NULL;
        if (depth > 0 && key == NULL)
            return false;
        if (key != NULL)
            *key = top.end;
    }
    return true;
}

/* Whether the component jumps in the gap behind instant i: then both keys stay, else the pair is one key (L32). */
static void keep_jumps(const baker *b, sample *from, sample *to)
{
    if (!from->gap || distance(from->v, to->v, b->component) <= limit_of(b->component))
        return;
    from->stays = true;
    to->stays = true;
}

static size_t next_instant(const baker *b, size_t i)
{
    for (i++; i < b->instants.count && !b->marks[i]; i++)
        continue;
    return i;
}

static bool fill(baker *b)
{
    const size_t count = b->instants.count;
    sample next = at_instant(b, 0);
    b->sample_count = 0;
    rift_layer_instants_mark(b->marks, &b->instants, b->layers, b->joint, b->component);
    for (size_t i = 0; i < count;) {
        sample key = next;
        const size_t following = next_instant(b, i);
        if (following < count) {
            next = at_instant(b, following);
            keep_jumps(b, &key, &next);
        }
        sample *s = push(b);
        if (s == NULL)
            return false;
        *s = key;
        if (following < count && !key.gap && !refine(b, &key, &next))
            return false;
        i = following;
    }
    return b->sample_count > 0;
}

/* --- removal (L34) ----------------------------------------------------------------------------------------------- */

static bool fits(const baker *b, size_t from, size_t to)
{
    for (size_t i = from + 1; i < to; i++) {
        if (off_between(b, &b->samples[from], &b->samples[to], &b->samples[i]))
            return false;
    }
    return true;
}

static size_t next_key(const baker *b, size_t i)
{
    for (i++; i < b->sample_count && !b->samples[i].is_key; i++)
        continue;
    return i;
}

/* Samples of a run that one check may look at again and again: keeps the cost linear. */
enum { MAX_RUN = 4096 };

/* The key that follows `from`: as far as the limits hold, found by doubling steps and then halving them. */
static size_t reach(const baker *b, size_t from, const size_t *keys, size_t key_count, size_t at)
{
    size_t good = at + 1;
    size_t step = 1;
    size_t bad = key_count;
    for (size_t k = at + 1; k + 1 < key_count && !b->samples[keys[k]].stays;) {
        const size_t to = k + step < key_count ? k + step : key_count - 1;
        size_t stop = k + 1;
        while (stop < to && !b->samples[keys[stop]].stays)
            stop++;
        if (keys[stop] - from > MAX_RUN || !fits(b, from, keys[stop])) {
            bad = stop;
            break;
        }
        good = k = stop;
        step *= 2;
    }
    while (bad < key_count && bad - good > 1) {
        const size_t middle = good + (bad - good) / 2;
        if (keys[middle] - from <= MAX_RUN && fits(b, from, keys[middle])) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    return good;
}

/* The samples that become keys, as indices. */
static bool thin(baker *b, size_t **out, size_t *out_count)
{
    size_t *keys = RIFT_NEW(b->tmp, size_t, b->sample_count);
    size_t *kept = RIFT_NEW(b->tmp, size_t, b->sample_count);
    if (keys == NULL || kept == NULL)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < b->sample_count; i = next_key(b, i))
        keys[n++] = i;
    size_t count = 0;
    for (size_t at = 0; at < n;) {
        kept[count++] = keys[at];
        if (at + 1 >= n)
            break;
        at = reach(b, keys[at], keys, n, at);
    }
    *out = kept;
    *out_count = count;
    return true;
}

/* G42. */
static bool is_constant(const baker *b)
{
    double first[4];
    double v[4];
    as_written(first, b->samples[0].v);
    for (size_t i = 1; i < b->sample_count; i++) {
        as_written(v, b->samples[i].v);
        const double sign =
            b->component == RIFT_ROTATION && rift_quat_dot(rift_quat_load(v), rift_quat_load(first)) < 0 ? -1
                                                                                                         : 1;
        for (int k = 0; k < 4; k++) {
            if (fabs(sign * v[k] - first[k]) > 1e-6 * fmax(1, fabs(first[k])))
                return false;
        }
    }
    return true;
}

/* --- channels ---------------------------------------------------------------------------------------------------- */

static void note_error(baker *b, double error)
{
    rift_layer_baked *out = b->out;
    double *worst = b->component == RIFT_TRANSLATION ? &out->error_translation
                    : b->component == RIFT_ROTATION  ? &out->error_rotation_rad
                                                     : &out->error_scale;
    *worst = fmax(*worst, error);
}

static void measure(baker *b, const size_t *kept, size_t count)
{
    for (size_t k = 0; k + 1 < count; k++) {
        for (size_t i = kept[k] + 1; i < kept[k + 1]; i++)
            note_error(b, error_between(b, &b->samples[kept[k]], &b->samples[kept[k + 1]], &b->samples[i]));
    }
}

static bool write_channel(baker *b, const size_t *kept, size_t count)
{
    const unsigned width = b->component == RIFT_ROTATION ? 4 : 3;
    float *times = RIFT_NEW(b->out_arena, float, count);
    float *values = RIFT_NEW(b->out_arena, float, width *count);
    if (times == NULL || values == NULL)
        return false;
    for (size_t k = 0; k < count; k++) {
        float v[4];
        float *to = values + width * k;
        rift_work_value(v, b->samples[kept[k]].v);
        times[k] = b->samples[kept[k]].time;
        const float *previous = k > 0 ? values + width * (k - 1) : v;
        double dot = 0;
        for (unsigned i = 0; width == 4 && i < 4; i++)
            dot += (double)v[i] * (double)previous[i];
        for (unsigned i = 0; i < width; i++)
            to[i] = dot < 0 ? -v[i] : v[i];
    }
    rift_clip_keys *keys = &b->out->keys;
    keys->channels[keys->channel_count++] =
        (rift_channel){b->joint, b->component, RIFT_LINEAR, (uint32_t)count, times, values};
    b->out->key_count += count;
    return b->out->key_count <= b->max_keys ||
           rift_fail(b->err, RIFT_ERR_LIMIT, "keys", RIFT_NO_OFFSET, "%zu keys are over %zu",
                     b->out->key_count, b->max_keys);
}

/* L36. */
static bool is_touched(const baker *b)
{
    const rift_layers *l = b->layers;
    for (unsigned s = 0; s < RIFT_LAYER_SLOTS; s++) {
        for (size_t i = 0; i < l->span_count[s]; i++) {
            const rift_layer_span *span = &l->spans[s][i];
            const bool fades = span->fade_to > span->fade_from;
            if (span->from <= l->timeline->duration &&
                (span->weight > 0 || (fades && span->fade_weight > 0)) &&
                (span->mask == RIFT_LAYER_NONE || l->mask_weights[span->mask][b->joint] > 0) &&
                rift_layer_curve_of(l, span, b->joint, b->component)->key_count > 0)
                return true;
        }
    }
    return false;
}

static bool bake_component(baker *b)
{
    size_t *kept = NULL;
    size_t count = 0;
    if (!is_touched(b))
        return true;
    const rift_arena_mark mark = rift_arena_get_mark(b->tmp);
    b->samples = NULL;
    b->sample_capacity = 0;
    static const size_t only_first[1] = {0};
    bool ok = fill(b);
    if (ok && is_constant(b)) {
        ok = write_channel(b, only_first, 1);
    } else if (ok) {
        ok = thin(b, &kept, &count);
        if (ok)
            measure(b, kept, count);
        ok = ok && write_channel(b, kept, count);
    }
    rift_arena_rewind(b->tmp, mark);
    return ok;
}

/* --- the whole --------------------------------------------------------------------------------------------------- */

static bool make_frames(baker *b)
{
    b->frames = RIFT_NEW(b->tmp, frame, b->instants.count);
    b->marks = RIFT_NEW(b->tmp, bool, b->instants.count);
    for (size_t i = 0; b->frames != NULL && i < b->instants.count; i++) {
        b->frames[i].t = b->instants.items[i].eval;
        rift_layers_at(&b->frames[i].state, b->layers, b->frames[i].t);
    }
    return b->frames != NULL && b->marks != NULL;
}

/* L37: whether the ends agree. */
static bool ends_agree(baker *b)
{
    const size_t last = b->instants.count - 1;
    for (size_t i = 0; i < 3 * b->layers->skeleton->joint_count; i++) {
        double first[4] = {0};
        double end[4] = {0};
        b->joint = (uint32_t)(i / 3);
        b->component = (rift_component)(i % 3);
        if (!is_touched(b))
            continue;
        (void)rift_layers_component(first, b->layers, &b->frames[0].state, b->joint, b->component);
        (void)rift_layers_component(end, b->layers, &b->frames[last].state, b->joint, b->component);
        if (distance(first, end, b->component) > limit_of(b->component))
            return false;
    }
    return true;
}

static bool bake_all(baker *b, rift_layer_go_on_fn *go_on, void *user)
{
    const rift_layers *l = b->layers;
    const size_t joints = l->skeleton->joint_count;
    if (!rift_layer_instants_make(&b->instants, l, b->tmp, b->err))
        return false;
    b->out->keys.channels = RIFT_NEW(b->out_arena, rift_channel, 3 * joints);
    if (b->out->keys.channels == NULL || !make_frames(b))
        return false;
    if (l->timeline->loop) {
        b->loops = ends_agree(b);
        b->out->loop_seam = !b->loops;
    }
    for (size_t i = 0; i < 3 * joints; i++) {
        b->joint = (uint32_t)(i / 3);
        b->component = (rift_component)(i % 3);
        if (go_on != NULL && !go_on(user))
            return rift_fail(b->err, RIFT_ERR_CANCELLED, "layers", RIFT_NO_OFFSET, "cancelled");
        if (!bake_component(b))
            return false;
    }
    return true;
}

bool rift_layers_bake_within(rift_layer_baked *out,
                             const rift_layers *layers,
                             size_t max_keys,
                             rift_layer_go_on_fn *go_on,
                             void *user,
                             rift_arena *out_arena,
                             rift_arena *tmp,
                             rift_err *err)
{
    const rift_arena_mark mark = rift_arena_get_mark(tmp);
    rift_layer_baked baked = {.keys.length = (float)layers->timeline->duration};
    if (!isfinite(layers->timeline->duration))
        return rift_fail(err, RIFT_ERR_ARGUMENT, "duration", RIFT_NO_OFFSET, "is missing");
    baker b = {.layers = layers,
               .tmp = tmp,
               .out_arena = out_arena,
               .err = err,
               .max_keys = max_keys,
               .out = &baked};
    const bool ok = bake_all(&b, go_on, user);
    const bool sound = rift_arena_ok(tmp, "layers", err) && rift_arena_ok(out_arena, "layers", err);
    rift_arena_rewind(tmp, mark);
    if (!ok || !sound)
        return false;
    *out = baked;
    return true;
}

bool rift_layers_bake(rift_layer_baked *out,
                      const rift_layers *layers,
                      rift_layer_go_on_fn *go_on,
                      void *user,
                      rift_arena *out_arena,
                      rift_arena *tmp,
                      rift_err *err)
{
    return rift_layers_bake_within(out, layers, RIFT_LAYER_MAX_KEYS, go_on, user, out_arena, tmp, err);
}
