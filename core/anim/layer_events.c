/* Events on the layered pose (L39, S26) as plain windows of the timeline, so that whoever bakes them needs to know nothing of
 * slots. */
#include <math.h>
#include <stdlib.h>

#include "anim/layer_internal.h"

/* A stretch in which one event could hold, before higher slots take theirs out. */
typedef struct stretch {
    rift_layer_window window;
    uint32_t victim;
    double begin; /* of the event in its clip */
} stretch;

typedef struct finder {
    const rift_layers *layers;
    const rift_layer_event *events;
    size_t event_count;
    rift_arena *arena;
    rift_err *err;
    stretch *found;
    size_t count, capacity;
} finder;

static bool add(finder *f, size_t event, unsigned slot, double from, double to)
{
    if (f->count == RIFT_LAYER_MAX_WINDOWS) {
        return rift_fail(f->err, RIFT_ERR_LIMIT, "windows", RIFT_NO_OFFSET, "events hold in over %d windows",
                         RIFT_LAYER_MAX_WINDOWS);
    }
    if (f->count == f->capacity) {
        const size_t capacity = f->capacity > 0 ? 2 * f->capacity : 64;
        stretch *found = RIFT_NEW(f->arena, stretch, capacity);
        if (found == NULL)
            return rift_arena_ok(f->arena, "windows", f->err);
        for (size_t i = 0; i < f->count; i++)
            found[i] = f->found[i];
        f->found = found;
        f->capacity = capacity;
    }
    f->found[f->count++] =
        (stretch){{(uint32_t)event, slot, from, to}, f->events[event].victim, f->events[event].from};
    return true;
}

/* The part of a span in which w * m >= 0.5: the weight rises or falls once. False when there is none. */
static bool
heavy_part(const finder *f, const rift_layer_span *span, uint32_t victim, double *from, double *to)
{
    const double m = span->mask == RIFT_LAYER_NONE ? 1 : f->layers->mask_weights[span->mask][victim];
    if (!(m >= 0.5))
        return false;
    const double least = 0.5 / m;
    const bool first = rift_layer_weight_at(span, *from) >= least;
    const bool last = rift_layer_weight_at(span, *to) >= least;
    if (first && last)
        return true;
    if (!first && !last)
        return false;
    const double u = (least - span->weight) / (span->fade_weight - span->weight);
    *(first ? to : from) = span->fade_from + u * (span->fade_to - span->fade_from);
    return true;
}

/* The instants of a pass at which the local time lies in the event's window. */
static bool
window_part(const rift_layer_pass *pass, double speed, const rift_layer_event *e, double *from, double *to)
{
    *from = pass->from;
    *to = pass->to;
    if (speed == 0)
        return pass->local_from >= e->from && pass->local_from <= e->to;
    const double a = pass->from + (e->from - pass->local_from) / speed;
    const double b = pass->from + (e->to - pass->local_from) / speed;
    *from = fmax(*from, fmin(a, b));
    *to = fmin(*to, fmax(a, b));
    return *to >= *from;
}

static bool add_event(finder *f, unsigned slot, const rift_layer_span *span, size_t event)
{
    const rift_layer_event *e = &f->events[event];
    const rift_layer_clip *clip = &f->layers->clips[span->clip];
    const double duration = f->layers->timeline->duration;
    double from = span->from;
    double to = fmin(span->to, duration);
    if (clip->id != e->clip || e->victim >= f->layers->skeleton->joint_count || from > to ||
        !heavy_part(f, span, e->victim, &from, &to))
        return true;
    const double passes = rift_layer_pass_count(span, clip->length, duration);
    if (passes > RIFT_LAYER_MAX_INSTANTS) {
        return rift_fail(f->err, RIFT_ERR_LIMIT, "instants", RIFT_NO_OFFSET, "%.0f loops are over %d", passes,
                         RIFT_LAYER_MAX_INSTANTS);
    }
    for (uint32_t i = 0; i < (uint32_t)passes; i++) {
        double a;
        double b;
        const rift_layer_pass pass = rift_layer_pass_at(span, clip->length, duration, i);
        if (!window_part(&pass, span->speed, e, &a, &b))
            continue;
        a = fmax(a, from);
        b = fmin(b, to);
        if (b >= a && !add(f, event, slot, a, b))
            return false;
    }
    return true;
}

/* By victim; then whoever wins comes first. */
static int by_rank(const void *a, const void *b)
{
    const stretch *x = a;
    const stretch *y = b;
    if (x->victim != y->victim)
        return x->victim < y->victim ? -1 : 1;
    if (x->window.slot != y->window.slot)
        return x->window.slot > y->window.slot ? -1 : 1;
    if (x->begin != y->begin)
        return x->begin > y->begin ? -1 : 1;
    if (x->window.event != y->window.event)
        return x->window.event > y->window.event ? -1 : 1;
    return (x->window.from > y->window.from) - (x->window.from < y->window.from);
}

static int by_time(const void *a, const void *b)
{
    const rift_layer_window *x = a;
    const rift_layer_window *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

typedef struct list {
    rift_layer_window *items;
    size_t count, capacity;
} list;

static bool append(list *l, rift_layer_window w, rift_arena *arena)
{
    if (l->count == l->capacity) {
        const size_t capacity = l->capacity > 0 ? 2 * l->capacity : 64;
        rift_layer_window *items = RIFT_NEW(arena, rift_layer_window, capacity);
        if (items == NULL)
            return false;
        for (size_t i = 0; i < l->count; i++)
            items[i] = l->items[i];
        l->items = items;
        l->capacity = capacity;
    }
    l->items[l->count++] = w;
    return true;
}

/* What the windows from `first` on, which are disjoint and in order, leave of w. */
static bool take_rest(list *l, size_t first, rift_layer_window w, rift_arena *arena)
{
    const size_t end = l->count;
    double at = w.from;
    bool covered = false;
    for (size_t i = first; i < end; i++) {
        const rift_layer_window r = l->items[i];
        if (r.to < at || r.from > w.to)
            continue;
        const rift_layer_window piece = {w.event, w.slot, at, r.from};
        if (r.from > at && !append(l, piece, arena))
            return false;
        covered = r.from <= at || covered;
        at = fmax(at, r.to);
    }
    if (at < w.to || (w.from == w.to && !covered))
        return append(l, (rift_layer_window){w.event, w.slot, at, w.to}, arena);
    return true;
}

/* One window where one event goes on. */
static void join(list *l, size_t first)
{
    size_t kept = first;
    qsort(l->items + first, l->count - first, sizeof *l->items, by_time);
    for (size_t i = first; i < l->count; i++) {
        rift_layer_window *last = kept > first ? &l->items[kept - 1] : NULL;
        const rift_layer_window w = l->items[i];
        if (last != NULL && last->event == w.event && w.from - last->to < RIFT_LAYER_INSTANT) {
            last->to = fmax(last->to, w.to);
        } else {
            l->items[kept++] = w;
        }
    }
    l->count = kept;
}

static bool settle(finder *f, list *out)
{
    if (f->count > 1)
        qsort(f->found, f->count, sizeof *f->found, by_rank);
    size_t first = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (i > 0 && f->found[i].victim != f->found[i - 1].victim) {
            join(out, first);
            first = out->count;
        }
        if (!take_rest(out, first, f->found[i].window, f->arena))
            return false;
        qsort(out->items + first, out->count - first, sizeof *out->items, by_time);
    }
    if (out->count > first)
        join(out, first);
    return true;
}

bool rift_layers_windows(rift_layer_window **out,
                         size_t *out_count,
                         const rift_layers *layers,
                         const rift_layer_event *events,
                         size_t event_count,
                         rift_arena *arena,
                         rift_err *err)
{
    finder f = {.layers = layers, .events = events, .event_count = event_count, .arena = arena, .err = err};
    list windows = {0};
    if (!isfinite(layers->timeline->duration))
        return rift_fail(err, RIFT_ERR_ARGUMENT, "duration", RIFT_NO_OFFSET, "is missing");
    for (unsigned s = 0; s < RIFT_LAYER_SLOTS; s++) {
        for (size_t i = 0; i < layers->span_count[s]; i++) {
            for (size_t e = 0; e < event_count; e++) {
                if (!add_event(&f, s, &layers->spans[s][i], e))
                    return false;
            }
        }
    }
    if (!settle(&f, &windows))
        return rift_arena_ok(arena, "windows", err);
    *out = windows.items;
    *out_count = windows.count;
    return true;
}
