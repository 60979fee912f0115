/* Events of clips in the seconds of an animation, and what they make visible (G45). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bake/bake_internal.h"

void bake_put_events(rift_json *j, bake_job *job, const bake_span *spans, size_t span_count)
{
    bool begun = false;
    for (size_t s = 0; s < span_count; s++) {
        for (size_t i = 0; i < spans[s].clip->event_count; i++) {
            if (!begun) {
                rift_json_key(j, "events");
                rift_json_array(j);
                begun = true;
            }
            rift_graph_event_json(j, &spans[s].clip->events[i], &spans[s].clock, &job->event_names, job->tmp);
        }
    }
    if (begun)
        rift_json_array_end(j);
}

/* --- visibility --------------------------------------------------------------------------------------------------- */

/* One event while it is on, and the parts it names. */
typedef struct change {
    double begin, end;
    size_t order; /* in the map, over all spans */
    const uint32_t *hide, *show;
    size_t hide_count, show_count;
} change;

typedef struct timeline {
    bake_job *job;
    bake_states parts;
    change *changes; /* by begin, then order */
    size_t count;
    double *times; /* rising; [0] is 0 */
    size_t time_count;
    bool *last;   /* by part: in the entry before */
    bool written; /* an entry */
} timeline;

static int by_begin(const void *a, const void *b)
{
    const change *x = a;
    const change *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Events for avatar meshes alone are about another mesh than this one, like the skin's InitialSubmeshAvatarToHide. */
static bool concerns_parts(const rift_graph_event *event)
{
    return event->kind == RIFT_EVENT_VISIBILITY && !event->avatar_only;
}

static size_t count_events(const bake_span *spans, size_t span_count)
{
    size_t count = 0;
    for (size_t s = 0; s < span_count; s++) {
        for (size_t i = 0; i < spans[s].clip->event_count; i++)
            count += concerns_parts(&spans[s].clip->events[i]);
    }
    return count;
}

/* An event without an end lasts until its clip ends: in the last one, or a clip that is all there is, for good. */
static void add_change(timeline *line, const rift_graph_event *event, const bake_span *span, double whole)
{
    const double begin = rift_event_begin(event, &span->clock);
    const double clip_end = span->clock.begin + span->clock.length;
    double end = rift_event_end(event, &span->clock);
    if (begin == HUGE_VAL)
        return; /* never fires */
    if (end > clip_end)
        end = clip_end < whole ? clip_end : HUGE_VAL;
    line->changes[line->count] = (change){
        .begin = begin,
        .end = end,
        .order = line->count,
        .hide = event->hide,
        .show = event->show,
        .hide_count = event->hide_count,
        .show_count = event->show_count,
    };
    line->count++;
}

static void set_times(timeline *line)
{
    size_t n = 0;
    line->times[n++] = 0;
    for (size_t i = 0; i < line->count; i++) {
        line->times[n++] = line->changes[i].begin;
        if (line->changes[i].end < HUGE_VAL)
            line->times[n++] = line->changes[i].end;
    }
    qsort(line->times, n, sizeof *line->times, by_value);
    line->time_count = 1;
    for (size_t i = 1; i < n; i++) {
        if (line->times[i] > line->times[line->time_count - 1])
            line->times[line->time_count++] = line->times[i];
    }
}

/* The state at one instant. */
static void enter(const timeline *line, double t)
{
    const bake_states *parts = &line->parts;
    bake_states_start(parts);
    for (size_t i = 0; i < line->count && line->changes[i].begin <= t; i++) {
        const change *c = &line->changes[i];
        if (!(t < c->end))
            continue;
        bake_states_set(parts, parts->shown, 0, c->hide, c->hide_count, false);
        bake_states_set(parts, parts->shown, 0, c->show, c->show_count, true);
    }
}

/* The state from one instant on, unless it is that of the entry before. */
static void put_state(rift_json *j, timeline *line, double t)
{
    const bake_states *parts = &line->parts;
    const size_t part_count = parts->scene->part_count;
    enter(line, t);
    bool differs = !line->written;
    for (size_t p = 0; p < part_count; p++)
        differs = differs || (parts->touched[p] && parts->shown[p] != line->last[p]);
    if (!differs)
        return;
    line->written = true;
    memcpy(line->last, parts->shown, part_count * sizeof *line->last);
    rift_json_object(j);
    rift_json_key(j, "t");
    rift_json_float(j, (float)t);
    bake_states_put(j, parts);
    rift_json_object_end(j);
}

/* The changes that the spans' events make. False when the arena failed, which whoever owns it asks. */
static bool open_timeline(timeline *line, bake_job *job, const bake_span *spans, size_t span_count)
{
    const size_t event_count = count_events(spans, span_count);
    *line = (timeline){
        .job = job,
        .changes = RIFT_NEW(job->tmp, change, event_count),
        .times = RIFT_NEW(job->tmp, double, 2 * event_count + 1),
        .last = RIFT_NEW(job->tmp, bool, job->scene.part_count),
    };
    if (!bake_states_open(&line->parts, job))
        return false;
    double whole = 0;
    for (size_t s = 0; s < span_count; s++)
        whole = fmax(whole, spans[s].clock.begin + spans[s].clock.length);
    for (size_t s = 0; s < span_count; s++) {
        for (size_t i = 0; i < spans[s].clip->event_count; i++) {
            if (concerns_parts(&spans[s].clip->events[i]))
                add_change(line, &spans[s].clip->events[i], &spans[s], whole);
        }
    }
    qsort(line->changes, line->count, sizeof *line->changes, by_begin);
    return true;
}

/* What all states cost together, in list items; the sizes come from the file. */
static bool is_affordable(const timeline *line)
{
    uint64_t items = 0;
    for (size_t i = 0; i < line->count; i++)
        items += 1 + line->changes[i].hide_count + line->changes[i].show_count;
    items += line->job->scene.part_count;
    return items * line->time_count <= BAKE_MAX_VISIBILITY_WORK;
}

static void put_timeline(rift_json *j, timeline *line)
{
    bool any = false;
    set_times(line);
    if (!is_affordable(line)) {
        rift_report_add(&line->job->result->report, "visibility_over_limit", "%zu events", line->count);
        return;
    }
    const bake_states *parts = &line->parts;
    for (size_t i = 0; i < line->count; i++) {
        bake_states_set(parts, parts->touched, 0, line->changes[i].hide, line->changes[i].hide_count, true);
        bake_states_set(parts, parts->touched, 0, line->changes[i].show, line->changes[i].show_count, true);
    }
    for (size_t p = 0; p < parts->scene->part_count; p++)
        any = any || parts->touched[p];
    if (!any)
        return;
    rift_json_key(j, "visibility");
    rift_json_array(j);
    for (size_t i = 0; i < line->time_count; i++)
        put_state(j, line, line->times[i]);
    rift_json_array_end(j);
}

void bake_put_visibility(rift_json *j, bake_job *job, const bake_span *spans, size_t span_count)
{
    timeline line;
    if (count_events(spans, span_count) == 0)
        return;
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    if (open_timeline(&line, job, spans, span_count))
        put_timeline(j, &line);
    rift_arena_rewind(job->tmp, mark);
}

void bake_visible_at(bool *shown, bake_job *job, const bake_span *spans, size_t span_count, double t)
{
    timeline line;
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    if (open_timeline(&line, job, spans, span_count)) {
        enter(&line, t);
        for (size_t p = 0; p < job->scene.part_count; p++)
            shown[p] = line.parts.shown[line.parts.first[p]];
    }
    rift_arena_rewind(job->tmp, mark);
}
