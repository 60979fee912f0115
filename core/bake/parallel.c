/* Parallel clips: several clips at once, as the game's tracks order them (decisions 12, L40). */
#include "bake/bake_internal.h"

#include <math.h>

#include "base/str.h"

/* A part as it is played: its takes, and which of them are long enough. */
typedef struct made {
    bake_take *own;
    uint32_t *pieces;
    size_t piece_count;
    double length;
    bool loop;
} made;

typedef struct maker {
    bake_job *job;
    const bake_take *takes;
    bake_take *take; /* the parallel one */
    bake_layering *run;
    made *made; /* by clip of the layering */
    rift_err *err;
} maker;

/* The parts that can be played. A sequencer, which has neither track nor mask, has those of its first clip. */
static void settle_parts(const maker *m)
{
    bake_take *take = m->take;
    size_t kept = 0;
    for (size_t i = 0; i < take->part_count; i++) {
        bake_part part = take->parts[i];
        bake_drop_failed(m->job, m->takes, take->name, part.pieces, &part.piece_count, true);
        if (part.piece_count == 0)
            continue;
        const rift_graph_clip *first = m->takes[part.pieces[0]].clip;
        part.is.track = part.is.track != 0 ? part.is.track : first->track;
        part.is.mask = part.is.mask != 0 ? part.is.mask : first->mask;
        take->parts[kept++] = part;
    }
    take->part_count = kept;
}

static uint8_t priority_of(const maker *m, const bake_part *part)
{
    const rift_graph_track *track = rift_graph_track_of(&m->job->skin.graph, part->is.track);
    return track != NULL ? track->priority : 0;
}

/* By priority; equal ones keep the order of the list. */
static void sort_parts(const maker *m)
{
    bake_part *parts = m->take->parts;
    for (size_t i = 1; i < m->take->part_count; i++) {
        const bake_part part = parts[i];
        size_t k = i;
        for (; k > 0 && priority_of(m, &parts[k - 1]) > priority_of(m, &part); k--)
            parts[k] = parts[k - 1];
        parts[k] = part;
    }
}

/* --- a part ------------------------------------------------------------------------------------------------------- */

/* The takes of a part in the seconds of the animation, in tmp; with `differences` as those from identity. */
static bool own_takes(const maker *m, const bake_part *part, bool differences, made *out)
{
    bake_job *job = m->job;
    *out = (made){.own = RIFT_NEW(job->tmp, bake_take, part->piece_count),
                  .pieces = RIFT_NEW(job->tmp, uint32_t, part->piece_count),
                  .piece_count = part->piece_count};
    if (out->own == NULL || out->pieces == NULL)
        return rift_arena_ok(job->tmp, "clips", m->err);
    for (uint32_t k = 0; k < part->piece_count; k++) {
        bake_take *take = &out->own[k];
        *take = m->takes[part->pieces[k]];
        out->pieces[k] = k;
        if (differences && take->composed) {
            bake_take raw = {.clip = take->clip, .name = take->name};
            if (!bake_convert_take(job, &raw, false, m->err))
                return false;
            take->keys = raw.keys;
        }
        if (take->speed != 1 && !rift_clip_retime(&take->keys, &take->keys, take->speed, job->out, m->err))
            return false;
    }
    return true;
}

/* A part's curves; *curves stays NULL for one that is too long. */
static bool
play(const maker *m, const bake_part *part, bool differences, made *out, const rift_layer_curve **curves)
{
    bake_job *job = m->job;
    rift_clip_keys keys;
    bool fits;
    if (!own_takes(m, part, differences, out) ||
        !bake_play(job, out->own, m->take->name, out->pieces, &out->piece_count, &keys, &fits, m->err))
        return false;
    if (!fits)
        return true;
    out->length = (double)keys.length;
    *curves = rift_layer_curves(&keys, job->scene.skeleton, job->out);
    return rift_arena_ok(job->out, "clips", m->err);
}

/* Snap windows of a part's takes as those of one clip. */
static bool join_snaps(const maker *m, const made *part, bake_snaps *out)
{
    size_t count = 0;
    double begin = 0;
    for (size_t k = 0; k < part->piece_count; k++)
        count += part->own[part->pieces[k]].snaps.resolved.window_count;
    *out = (bake_snaps){.events = RIFT_NEW(m->job->out, rift_snap_event, count)};
    out->resolved.windows = RIFT_NEW(m->job->out, rift_snap_window, count);
    if (out->events == NULL || out->resolved.windows == NULL)
        return rift_arena_ok(m->job->out, "clips", m->err);
    for (size_t k = 0; k < part->piece_count; k++) {
        const bake_take *take = &part->own[part->pieces[k]];
        for (size_t w = 0; w < take->snaps.resolved.window_count; w++) {
            rift_snap_window window = take->snaps.resolved.windows[w];
            out->events[out->event_count] = take->snaps.events[window.event];
            window.event = (uint32_t)out->event_count++;
            window.start = begin + window.start * take->speed;
            window.end = begin + window.end * take->speed;
            out->resolved.windows[out->resolved.window_count++] = window;
        }
        begin += (double)take->keys.length;
    }
    return true;
}

/* Commands find clips by name. */
static rift_str name_of(const maker *m, uint32_t clip)
{
    const rift_graph_clip *c = &m->job->skin.graph.clips[clip];
    const rift_str name = rift_graph_clip_name(c, m->job->skin.ref.alias, m->job->names, m->job->out);
    for (size_t i = 0; i < m->run->clip_count; i++) {
        if (rift_str_eq(m->run->clips[i].name, name))
            return rift_arena_printf(m->job->out, "%.*s %zu", RIFT_STR_ARG(name), m->run->clip_count + 1);
    }
    return name;
}

/* False for a mode that is not known (L40), which is reported. */
static bool set_mode(const maker *m, const bake_part *part, rift_layer_command *c)
{
    const rift_graph_track *track = rift_graph_track_of(&m->job->skin.graph, part->is.track);
    const uint8_t mode = track != NULL ? track->blend_mode : 0;
    *c = (rift_layer_command){
        .op = mode == 0 ? RIFT_LAYER_PLAY_MASKED : RIFT_LAYER_PLAY_ADDITIVE,
        .slot = (int32_t)m->run->clip_count,
        .loop = (m->job->skin.graph.clips[part->is.clip].flags & 2) != 0,
        .speed = 1,
        .weight = track != NULL && isfinite(track->blend_weight) ? (double)track->blend_weight : 1,
        .mode = mode == 0 ? RIFT_LAYER_REPLACE : RIFT_LAYER_ADDITIVE,
        .base = mode == 0 ? RIFT_LAYER_BIND : RIFT_LAYER_IDENTITY,
    };
    if (mode > 1) {
        rift_report_add(&m->job->result->report, "unknown_blend_mode", "the track of %.*s has %u: left out",
                        RIFT_STR_ARG(m->takes[part->pieces[0]].name), mode);
    }
    return mode <= 1;
}

/* One more clip in one more slot, or nothing, which is reported. */
static bool add_part(maker *m, const bake_part *part)
{
    bake_layering *run = m->run;
    rift_layer_command command;
    if (!set_mode(m, part, &command))
        return true;
    made *to = &m->made[run->clip_count];
    made of_differences;
    rift_layer_clip clip = {.id = (uint32_t)run->clip_count};
    if (!play(m, part, false, to, &clip.curves))
        return false;
    if (clip.curves == NULL)
        return true;
    if (command.base == RIFT_LAYER_IDENTITY && !play(m, part, true, &of_differences, &clip.deltas))
        return false;
    if (!join_snaps(m, to, &run->snaps[run->clip_count]) ||
        !bake_layering_mask(run, part->is.mask, &command, m->err))
        return false;
    to->loop = command.loop;
    clip.name = command.clip = name_of(m, part->is.clip);
    clip.length = to->length;
    run->timeline.duration = fmax(run->timeline.duration, to->length);
    run->timeline.commands[run->timeline.command_count++] = command;
    run->clips[run->clip_count++] = clip;
    return true;
}

/* --- the clip ----------------------------------------------------------------------------------------------------- */

/* Where the takes lie, pass by pass. */
static void add_spans(const maker *m, const made *part)
{
    bake_take *take = m->take;
    const double end = m->run->timeline.duration;
    double begin = 0;
    do {
        for (size_t k = 0; k < part->piece_count && begin < end; k++) {
            const bake_take *own = &part->own[part->pieces[k]];
            take->span_count += bake_spans_of(take->spans + take->span_count,
                                              BAKE_MAX_PART_SPANS - take->span_count, own, begin, end);
            begin += (double)own->keys.length;
        }
    } while (part->loop && part->length > 0 && begin < end && take->span_count < BAKE_MAX_PART_SPANS);
}

static bool open_run(maker *m)
{
    rift_arena *out = m->job->out;
    const size_t count = m->take->part_count;
    bake_layering *run = RIFT_NEW(out, bake_layering, 1);
    m->made = RIFT_NEW(m->job->tmp, made, count);
    m->take->spans = RIFT_NEW(out, bake_span, BAKE_MAX_PART_SPANS);
    if (run == NULL || m->made == NULL)
        return false;
    *run = (bake_layering){
        .job = m->job,
        .timeline = {.name = m->take->name,
                     .fps = RIFT_LAYER_FPS,
                     .commands = RIFT_NEW(out, rift_layer_command, count),
                     .masks = RIFT_NEW(out, rift_layer_mask, count)},
        .clips = RIFT_NEW(out, rift_layer_clip, count),
        .snaps = RIFT_NEW(out, bake_snaps, count),
    };
    m->run = run;
    return out->failed == RIFT_OK;
}

static bool make(maker *m)
{
    if (!open_run(m))
        return rift_arena_ok(m->job->out, "clips", m->err) && rift_arena_ok(m->job->tmp, "clips", m->err);
    settle_parts(m);
    sort_parts(m);
    for (size_t i = 0; i < m->take->part_count; i++) {
        if (!add_part(m, &m->take->parts[i]))
            return false;
    }
    if (m->run->clip_count == 0) {
        return rift_fail(m->err, RIFT_ERR_NOT_FOUND, "children", RIFT_NO_OFFSET,
                         "no clip that can be played");
    }
    if (m->run->clip_count > RIFT_LAYER_SLOTS) {
        return rift_fail(m->err, RIFT_ERR_LIMIT, "children", RIFT_NO_OFFSET, "%zu clips together are over %d",
                         m->run->clip_count, RIFT_LAYER_SLOTS);
    }
    if (!bake_layering_take(m->run, m->take, m->err))
        return false;
    for (size_t i = 0; i < m->run->clip_count; i++)
        add_spans(m, &m->made[i]);
    return true;
}

/* False only for what the whole job must end for; else a failure is reported. */
static bool make_take(bake_job *job, const bake_clip_list *list, bake_take *take)
{
    rift_err err;
    maker m = {.job = job, .takes = list->takes, .take = take, .err = &err};
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    rift_err_in(&err, take->name);
    rift_report_in(&job->result->report, take->name);
    const bool ok = make(&m);
    if (!ok && err.code != RIFT_ERR_CANCELLED)
        rift_report_err(&job->result->report, "clip_skipped", &err);
    rift_report_in(&job->result->report, (rift_str){0});
    rift_arena_rewind(job->tmp, mark);
    if (err.code == RIFT_ERR_CANCELLED)
        *job->err = err;
    return err.code != RIFT_ERR_CANCELLED && rift_arena_ok(job->out, "clips", job->err) &&
           rift_arena_ok(job->tmp, "clips", job->err);
}

/* Whether all that it is made of has been made. */
static bool is_ready(const bool *done, const bake_take *take)
{
    for (size_t i = 0; i < take->part_count; i++) {
        for (size_t k = 0; k < take->parts[i].piece_count; k++) {
            if (!done[take->parts[i].pieces[k]])
                return false;
        }
    }
    return true;
}

/* What no animation plays by itself has done its part. */
static void leave_the_others(bake_clip_list *list, bool *plays)
{
    for (size_t i = 0; i < list->take_count; i++)
        plays[i] = false;
    for (size_t w = 0; w < list->work_count; w++) {
        for (size_t k = 0; k < list->works[w].piece_count; k++)
            plays[list->works[w].pieces[k]] = true;
    }
    for (size_t i = 0; i < list->take_count; i++)
        list->takes[i].ok = list->takes[i].ok && plays[i];
}

bool bake_parallels(bake_job *job, bake_clip_list *list)
{
    bool *done = RIFT_NEW(job->tmp, bool, list->take_count);
    if (done == NULL)
        return rift_arena_ok(job->tmp, "clips", job->err);
    for (size_t i = 0; i < list->take_count; i++)
        done[i] = list->takes[i].parts == NULL;
    /* Children form no circle, so each round makes one at least. */
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < list->take_count; i++) {
            if (done[i] || !is_ready(done, &list->takes[i]))
                continue;
            if (!bake_enter(job, RIFT_STAGE_CLIP, 60) || !make_take(job, list, &list->takes[i]))
                return false;
            done[i] = more = true;
        }
    }
    leave_the_others(list, done);
    return true;
}
