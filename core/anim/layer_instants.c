/* Candidate instants (L31) and the pairs around jumps (L32), with the float32 times that keys will have. */
#include <math.h>
#include <stdlib.h>

#include "anim/layer_internal.h"

enum { BEFORE = 1, AFTER = 2, KEY = 4 }; /* a second key before, behind the instant; only a key time */

#define DELTA 1e-4

typedef struct candidate {
    double t;
    unsigned kind;
} candidate;

typedef struct collector {
    const rift_layers *layers;
    rift_arena *arena;
    rift_err *err;
    double duration;
    candidate *items;
    size_t count, capacity;
    double **key_times; /* by clip */
    size_t *key_counts;
} collector;

/* --- passes ------------------------------------------------------------------------------------------------------ */

static double span_end(const rift_layer_span *span, double duration)
{
    return span->to < duration ? span->to : duration;
}

static bool goes_round(const rift_layer_span *span, double length)
{
    return span->loop && span->speed != 0 && length > 0;
}

/* The first wrap of a looping span. */
static double first_wrap(const rift_layer_span *span, double length)
{
    const double local = rift_layer_local_time(span, length, span->from);
    return span->from + (span->speed > 0 ? length - local : local) / fabs(span->speed);
}

double rift_layer_pass_count(const rift_layer_span *span, double length, double duration)
{
    const double end = span_end(span, duration);
    if (span->from > end)
        return 0;
    if (!goes_round(span, length))
        return 1;
    const double wrap = first_wrap(span, length);
    return wrap >= end ? 1 : 1 + ceil((end - wrap) / (length / fabs(span->speed)));
}

rift_layer_pass rift_layer_pass_at(const rift_layer_span *span, double length, double duration, double index)
{
    const double end = span_end(span, duration);
    const double local = rift_layer_local_time(span, length, span->from);
    if (!goes_round(span, length))
        return (rift_layer_pass){span->from, end, local, false};
    const double period = length / fabs(span->speed);
    const double wrap = first_wrap(span, length) + index * period;
    return (rift_layer_pass){
        .from = index > 0 ? wrap - period : span->from,
        .to = wrap < end ? wrap : end,
        .local_from = index > 0 ? (span->speed > 0 ? 0 : length) : local,
        .wraps = wrap < end || rift_layer_same(wrap, end),
    };
}

/* --- collecting -------------------------------------------------------------------------------------------------- */

#define MAX_RAW (4 * (size_t)RIFT_LAYER_MAX_INSTANTS) /* before equal ones are merged */

static bool too_many(const collector *c, double count)
{
    return rift_fail(c->err, RIFT_ERR_LIMIT, "instants", RIFT_NO_OFFSET,
                     "%.0f candidate instants are over %d", count, RIFT_LAYER_MAX_INSTANTS);
}

static bool add(collector *c, double t, unsigned kind)
{
    if (!(t >= 0) || t > c->duration)
        return true;
    if (c->count >= MAX_RAW)
        return too_many(c, (double)c->count);
    if (c->count == c->capacity) {
        const size_t capacity = c->capacity > 0 ? 2 * c->capacity : 1024;
        candidate *items = RIFT_NEW(c->arena, candidate, capacity);
        if (items == NULL)
            return rift_arena_ok(c->arena, "instants", c->err);
        for (size_t i = 0; i < c->count; i++)
            items[i] = c->items[i];
        c->items = items;
        c->capacity = capacity;
    }
    c->items[c->count++] = (candidate){t, kind};
    return true;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double time_of(const rift_layer_curve *curve, size_t k)
{
    return curve->channel != NULL ? (double)curve->channel->times[k] : curve->times[k];
}

/* The distinct key times of all curves of a clip, made once. */
static bool gather_times(collector *c, uint32_t clip)
{
    const rift_layer_clip *source = &c->layers->clips[clip];
    const rift_layer_curve *const sets[] = {source->curves, source->deltas};
    const size_t curves = 3 * c->layers->skeleton->joint_count;
    size_t n = 0;
    if (c->key_times[clip] != NULL)
        return true;
    for (size_t i = 0; i < 2 * curves; i++) {
        const rift_layer_curve *set = sets[i / curves];
        n += set != NULL ? set[i % curves].key_count : 0;
    }
    double *times = RIFT_NEW(c->arena, double, n);
    if (times == NULL)
        return rift_arena_ok(c->arena, "instants", c->err);
    n = 0;
    for (size_t i = 0; i < 2 * curves; i++) {
        const rift_layer_curve *set = sets[i / curves];
        for (size_t k = 0; set != NULL && k < set[i % curves].key_count; k++)
            times[n++] = time_of(&set[i % curves], k);
    }
    qsort(times, n, sizeof *times, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || times[i] > times[kept - 1])
            times[kept++] = times[i];
    }
    c->key_times[clip] = times;
    c->key_counts[clip] = kept;
    return true;
}

static bool add_keys(collector *c, const rift_layer_span *span, const rift_layer_pass *pass)
{
    const double *times = c->key_times[span->clip];
    for (size_t k = 0; span->speed != 0 && k < c->key_counts[span->clip]; k++) {
        const double t = pass->from + (times[k] - pass->local_from) / span->speed;
        if (t > pass->from && t < pass->to && !add(c, t, KEY))
            return false;
    }
    return true;
}

static bool add_span(collector *c, const rift_layer_span *span)
{
    const double length = c->layers->clips[span->clip].length;
    if (!gather_times(c, span->clip))
        return false;
    const double passes = rift_layer_pass_count(span, length, c->duration);
    const double expected = passes * (double)(c->key_counts[span->clip] + 1);
    if ((double)c->count + expected > (double)MAX_RAW)
        return too_many(c, (double)c->count + expected);
    for (uint32_t i = 0; i < (uint32_t)passes; i++) {
        const rift_layer_pass pass = rift_layer_pass_at(span, length, c->duration, i);
        if (!add_keys(c, span, &pass) || (pass.wraps && !add(c, pass.to, AFTER)))
            return false;
    }
    if (span->to_included && !add(c, span->to, AFTER))
        return false;
    return !(span->fade_to > span->fade_from) || (add(c, span->fade_from, 0) && add(c, span->fade_to, 0));
}

static bool collect(collector *c)
{
    const rift_layers *l = c->layers;
    if (!add(c, 0, 0) || !add(c, c->duration, 0))
        return false;
    for (uint32_t i = 1; (double)i / l->timeline->fps < c->duration; i++) {
        if (!add(c, (double)i / l->timeline->fps, 0))
            return false;
    }
    for (size_t i = 0; i < l->instant_count; i++) {
        if (!add(c, l->instants[i], 0))
            return false;
    }
    for (size_t i = 0; i < l->jump_count; i++) {
        if (!add(c, l->jumps[i], BEFORE))
            return false;
    }
    for (unsigned s = 0; s < RIFT_LAYER_SLOTS; s++) {
        for (size_t i = 0; i < l->span_count[s]; i++) {
            if (!add_span(c, &l->spans[s][i]))
                return false;
        }
    }
    return true;
}

static int by_time(const void *a, const void *b)
{
    return by_value(&((const candidate *)a)->t, &((const candidate *)b)->t);
}

/* One candidate for an instant; where one of them is a jump, at the jump's time. */
static void merge(collector *c)
{
    size_t kept = 0;
    qsort(c->items, c->count, sizeof *c->items, by_time);
    for (size_t i = 0; i < c->count; i++) {
        const candidate *item = &c->items[i];
        if (kept == 0 || !rift_layer_same(item->t, c->items[kept - 1].t)) {
            c->items[kept++] = *item;
            continue;
        }
        candidate *same = &c->items[kept - 1];
        if ((item->kind & (BEFORE | AFTER)) && !(same->kind & (BEFORE | AFTER)))
            same->t = item->t;
        same->kind = ((same->kind | item->kind) & ~(unsigned)KEY) | (same->kind & item->kind & KEY);
    }
    c->count = kept;
}

/* --- keys' times ------------------------------------------------------------------------------------------------- */

/* Two instants of one float32 time: a jump's key stays, else the later one. */
static void put(rift_layer_instants *out, rift_layer_instant key)
{
    if (out->count > 0 && !(key.time > out->items[out->count - 1].time)) {
        rift_layer_instant *last = &out->items[out->count - 1];
        if (last->is_jump && !key.is_jump)
            return;
        key.gap = key.gap || last->gap;
        key.is_key = key.is_key && last->is_key;
        *last = key;
        return;
    }
    out->items[out->count++] = key;
}

static double halve(double room)
{
    double delta = DELTA;
    while (room < 2 * delta - 1e-12 && delta > RIFT_LAYER_INSTANT)
        delta /= 2;
    return delta;
}

/* Where no key fits, the jump fills all there is between its neighbours. */
static void put_before(rift_layer_instants *out, double t)
{
    if (out->count == 0)
        return;
    rift_layer_instant *last = &out->items[out->count - 1];
    const float time = (float)(t - halve(t - (double)last->time));
    if (time > last->time && t - (double)time >= RIFT_LAYER_INSTANT) {
        put(out, (rift_layer_instant){(double)time, time, true, true, false});
    } else if ((float)t > last->time) {
        last->gap = true;
    }
}

static void put_behind(rift_layer_instants *out, double t, double next)
{
    rift_layer_instant *last = &out->items[out->count - 1];
    const float time = (float)(t + halve(next - t));
    if ((float)next > last->time)
        last->gap = true;
    if ((double)time < next && (double)time - t >= RIFT_LAYER_INSTANT && time > last->time)
        put(out, (rift_layer_instant){(double)time, time, true, false, false});
}

bool rift_layer_instants_make(rift_layer_instants *out,
                              const rift_layers *layers,
                              rift_arena *arena,
                              rift_err *err)
{
    collector c = {.layers = layers, .arena = arena, .err = err, .duration = layers->timeline->duration};
    c.key_times = RIFT_NEW(arena, double *, layers->clip_count);
    c.key_counts = RIFT_NEW(arena, size_t, layers->clip_count);
    if (!rift_arena_ok(arena, "instants", err) || !collect(&c))
        return false;
    merge(&c);
    if (c.count > RIFT_LAYER_MAX_INSTANTS)
        return too_many(&c, (double)c.count);
    rift_layer_instants made = {.items = RIFT_NEW(arena, rift_layer_instant, 3 * c.count)};
    if (made.items == NULL)
        return rift_arena_ok(arena, "instants", err);
    for (size_t i = 0; i < c.count; i++) {
        const candidate *item = &c.items[i];
        const float time = (float)item->t;
        const bool jumps = (item->kind & (BEFORE | AFTER)) != 0;
        const bool exact = !jumps || rift_layer_same((double)time, item->t);
        if (item->kind & BEFORE)
            put_before(&made, item->t);
        put(&made, (rift_layer_instant){exact ? (double)time : item->t, time, jumps, false,
                                        (item->kind & KEY) != 0});
        if ((item->kind & AFTER) && i + 1 < c.count)
            put_behind(&made, item->t, c.items[i + 1].t);
    }
    *out = made;
    return true;
}

/* The instant whose key has this time, give or take rounding. */
static size_t find_instant(const rift_layer_instants *instants, double t)
{
    size_t low = 0;
    size_t high = instants->count;
    const float time = (float)t;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (instants->items[middle].time <= time) {
            low = middle;
        } else {
            high = middle;
        }
    }
    if (low + 1 < instants->count &&
        (double)instants->items[low + 1].time - t < t - (double)instants->items[low].time)
        low++;
    return low;
}

static void mark_span(bool *marks,
                      const rift_layer_instants *instants,
                      const rift_layers *layers,
                      const rift_layer_span *span,
                      const rift_layer_curve *curve)
{
    const double length = layers->clips[span->clip].length;
    const double duration = layers->timeline->duration;
    const double passes = rift_layer_pass_count(span, length, duration);
    for (uint32_t i = 0; span->speed != 0 && curve->key_count > 1 && i < (uint32_t)passes; i++) {
        const rift_layer_pass pass = rift_layer_pass_at(span, length, duration, i);
        for (size_t k = 0; k < curve->key_count; k++) {
            const double t = pass.from + (time_of(curve, k) - pass.local_from) / span->speed;
            if (t > pass.from && t < pass.to)
                marks[find_instant(instants, t)] = true;
        }
    }
}

void rift_layer_instants_mark(bool *marks,
                              const rift_layer_instants *instants,
                              const rift_layers *layers,
                              uint32_t joint,
                              rift_component component)
{
    for (size_t i = 0; i < instants->count; i++)
        marks[i] = !instants->items[i].is_key;
    for (unsigned s = 0; s < RIFT_LAYER_SLOTS; s++) {
        for (size_t i = 0; i < layers->span_count[s]; i++) {
            const rift_layer_span *span = &layers->spans[s][i];
            if (span->mask == RIFT_LAYER_NONE || layers->mask_weights[span->mask][joint] > 0)
                mark_span(marks, instants, layers, span, rift_layer_curve_of(layers, span, joint, component));
        }
    }
}
