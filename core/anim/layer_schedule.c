/* From commands to what each slot holds when (L2, L9, L18-L29). The walk is event by event: what ends before a command's
 * instant is settled first, so the answer at any instant needs no replay. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anim/layer_internal.h"

#include "base/str.h"

typedef struct step {
    const rift_layer_command *command;
    size_t index; /* in the list */
    double at;    /* commands of one instant have one */
} step;

typedef struct live_slot {
    bool on;
    rift_layer_span span; /* `to` and `to_included` are open */
} live_slot;

typedef struct scheduler {
    rift_layers *layers;
    rift_arena *arena;
    step *steps;
    size_t step_count;
    live_slot slots[RIFT_LAYER_SLOTS];
} scheduler;

/* --- validation (L23, L29, L38) ---------------------------------------------------------------------------------- */

static bool finite_field(double v, size_t index, const char *field, rift_err *err)
{
    if (isfinite(v))
        return true;
    char where[64];
    (void)snprintf(where, sizeof where, "commands[%zu].%s", index, field);
    return rift_fail(err, RIFT_ERR_ARGUMENT, where, RIFT_NO_OFFSET, "is not finite");
}

static bool check_command(const rift_layer_command *c, size_t i, rift_err *err)
{
    if (!finite_field(c->at, i, "at", err) || !finite_field(c->speed, i, "speed", err) ||
        !finite_field(c->weight, i, "weight", err) || !finite_field(c->seconds, i, "seconds", err) ||
        !finite_field(c->start, i, "start", err))
        return false;
    char where[64];
    (void)snprintf(where, sizeof where, "commands[%zu].%s", i, c->at < 0 ? "at" : "start");
    if (c->at < 0 || (c->has_start && c->start < 0)) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, where, RIFT_NO_OFFSET, "%g is negative",
                         c->at < 0 ? c->at : c->start);
    }
    return true;
}

static bool check_timeline(const rift_timeline *t, rift_err *err)
{
    if (t->command_count > RIFT_LAYER_MAX_COMMANDS) {
        return rift_fail(err, RIFT_ERR_LIMIT, "commands", RIFT_NO_OFFSET, "%zu commands are over %d",
                         t->command_count, RIFT_LAYER_MAX_COMMANDS);
    }
    if (!(t->duration >= 0)) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "duration", RIFT_NO_OFFSET, "%g is no duration",
                         t->duration);
    }
    if (isfinite(t->duration) && t->duration > RIFT_LAYER_MAX_SECONDS) {
        return rift_fail(err, RIFT_ERR_LIMIT, "duration", RIFT_NO_OFFSET, "%g seconds are over %g",
                         t->duration, RIFT_LAYER_MAX_SECONDS);
    }
    if (!(t->fps > 0 && t->fps <= RIFT_LAYER_MAX_FPS)) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "fps", RIFT_NO_OFFSET, "%g is not within 0 and %g", t->fps,
                         RIFT_LAYER_MAX_FPS);
    }
    for (size_t i = 0; i < t->command_count; i++) {
        if (!check_command(&t->commands[i], i, err))
            return false;
    }
    return true;
}

/* --- order (L28) ------------------------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const step *x = a;
    const step *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The commands in the order in which they act; those of one instant have one time. NULL when the arena failed. */
static step *sorted_steps(const rift_timeline *t, rift_arena *arena)
{
    step *steps = RIFT_NEW(arena, step, t->command_count);
    if (steps == NULL || t->command_count == 0)
        return steps;
    for (size_t i = 0; i < t->command_count; i++)
        steps[i] = (step){&t->commands[i], i, t->commands[i].at};
    qsort(steps, t->command_count, sizeof *steps, by_time);
    for (size_t i = 1; i < t->command_count; i++) {
        if (rift_layer_same(steps[i].at, steps[i - 1].at))
            steps[i].at = steps[i - 1].at;
    }
    qsort(steps, t->command_count, sizeof *steps, by_time);
    return steps;
}

bool rift_timeline_sort(rift_timeline *timeline, rift_arena *arena)
{
    const step *steps = sorted_steps(timeline, arena);
    rift_layer_command *sorted = RIFT_NEW(arena, rift_layer_command, timeline->command_count);
    if (steps == NULL || sorted == NULL)
        return false;
    for (size_t i = 0; i < timeline->command_count; i++)
        sorted[i] = *steps[i].command;
    timeline->commands = sorted;
    return true;
}

static bool sort_commands(scheduler *s)
{
    rift_layers *l = s->layers;
    s->step_count = l->timeline->command_count;
    s->steps = sorted_steps(l->timeline, s->arena);
    l->instants = RIFT_NEW(s->arena, double, s->step_count);
    l->jumps = RIFT_NEW(s->arena, double, s->step_count);
    if (s->arena->failed != RIFT_OK)
        return false;
    for (size_t i = 0; i < s->step_count; i++) {
        if (i == 0 || s->steps[i].at != s->steps[i - 1].at)
            l->instants[l->instant_count++] = s->steps[i].at;
    }
    return true;
}

/* --- spans ------------------------------------------------------------------------------------------------------- */

static double length_of(const scheduler *s, const rift_layer_span *span)
{
    return s->layers->clips[span->clip].length;
}

static void put_span(scheduler *s, unsigned slot, double to, bool included)
{
    rift_layer_span span = s->slots[slot].span;
    s->slots[slot].on = false;
    if (!included && to - span.from < RIFT_LAYER_INSTANT)
        return; /* gone at the instant at which it came */
    span.to = to;
    span.to_included = included;
    s->layers->spans[slot][s->layers->span_count[slot]++] = span;
}

/* Ends the slot if it ends by itself before the commands of instant t. */
static void settle(scheduler *s, unsigned slot, double t)
{
    const rift_layer_span *span = &s->slots[slot].span;
    if (!s->slots[slot].on)
        return;
    const double end = rift_layer_end_of(span, length_of(s, span));
    const bool fades_out = span->fade_to > span->fade_from && span->fade_weight == 0;
    const double fade_end = fades_out ? span->fade_to : HUGE_VAL;
    if (fade_end - t < RIFT_LAYER_INSTANT && fade_end - end < RIFT_LAYER_INSTANT) {
        put_span(s, slot, fade_end, false);
    } else if (t - end >= RIFT_LAYER_INSTANT) {
        put_span(s, slot, end, true);
    }
}

static void jump(scheduler *s, double t)
{
    rift_layers *l = s->layers;
    if (l->jump_count == 0 || l->jumps[l->jump_count - 1] != t)
        l->jumps[l->jump_count++] = t;
}

/* Closes what the slot held and opens a copy of it at t, to be changed. */
static rift_layer_span *reopen(scheduler *s, unsigned slot, double t)
{
    live_slot *live = &s->slots[slot];
    put_span(s, slot, t, false);
    live->on = true;
    live->span.from = t;
    return &live->span;
}

static void set_weight(rift_layer_span *span, double weight, double t)
{
    span->weight = span->fade_weight = rift_layer_clamp01(weight);
    span->fade_from = span->fade_to = t;
}

/* --- commands ---------------------------------------------------------------------------------------------------- */

static uint32_t find_clip(const rift_layers *l, rift_str name)
{
    for (size_t i = 0; i < l->clip_count; i++) {
        if (rift_str_eq(l->clips[i].name, name))
            return l->clips[i].is_missing ? RIFT_LAYER_NONE : (uint32_t)i;
    }
    return RIFT_LAYER_NONE;
}

typedef struct misfit {
    double turn, shift; /* means, in units of the limits of L41 */
} misfit;

static const double most_turn = 30 * 3.14159265358979323846 / 180;
static const double most_shift = 20;

/* How far the clip's first pose is from what a base calls no difference. */
static misfit measure(const rift_layers *l, const rift_layer_span *span)
{
    double sum[2] = {0, 0};
    size_t count[2] = {0, 0};
    for (size_t j = 0; j < l->skeleton->joint_count; j++) {
        const rift_trs *rest =
            span->base == RIFT_LAYER_IDENTITY ? &RIFT_TRS_IDENTITY : &l->skeleton->joints[j].rest;
        if (span->mask != RIFT_LAYER_NONE && !(l->mask_weights[span->mask][j] > 0))
            continue;
        double v[4];
        const rift_layer_curve *turn = rift_layer_curve_of(l, span, (uint32_t)j, RIFT_ROTATION);
        const rift_layer_curve *shift = rift_layer_curve_of(l, span, (uint32_t)j, RIFT_TRANSLATION);
        if (turn->key_count > 0) {
            rift_layer_curve_eval(v, turn, RIFT_ROTATION, 0);
            sum[0] += rift_quat_angle((rift_quat){v[0], v[1], v[2], v[3]}, rift_quat_normalize(rest->r));
            count[0]++;
        }
        if (shift->key_count > 0) {
            rift_layer_curve_eval(v, shift, RIFT_TRANSLATION, 0);
            sum[1] += rift_vec3_length(rift_vec3_sub((rift_vec3){v[0], v[1], v[2]}, rest->t));
            count[1]++;
        }
    }
    return (misfit){count[0] > 0 ? sum[0] / (double)count[0] / most_turn : 0,
                    count[1] > 0 ? sum[1] / (double)count[1] / most_shift : 0};
}

/* L41. Base bind and base identity look at the same keys unless the clip has differences of its own. */
static void warn_full_pose(scheduler *s, const rift_layer_span *span, rift_str clip)
{
    const misfit own = measure(s->layers, span);
    if (!(own.turn > 1) && !(own.shift > 1))
        return;
    rift_layer_span other = *span;
    other.base = span->base == RIFT_LAYER_IDENTITY ? RIFT_LAYER_BIND : RIFT_LAYER_IDENTITY;
    const misfit better = measure(s->layers, &other);
    const rift_str note = fmax(better.turn, better.shift) < fmax(own.turn, own.shift)
                              ? rift_arena_printf(s->arena, "%.*s (base %s fits better)", RIFT_STR_ARG(clip),
                                                  rift_layer_base_word(other.base))
                              : clip;
    rift_layer_warn(&s->layers->warnings, "additive_full_pose", note, s->arena);
}

/* L18, L19: where the clip begins. */
static double start_of(const scheduler *s, const rift_layer_command *c, uint32_t clip, double t)
{
    const rift_layers *l = s->layers;
    const live_slot *live = &s->slots[c->slot];
    const double length = l->clips[clip].length;
    if (live->on && c->loop && !c->has_start && l->clips[live->span.clip].id == l->clips[clip].id)
        return rift_layer_local_time(&live->span, l->clips[live->span.clip].length, t);
    if (!c->has_start)
        return c->speed < 0 ? length : 0;
    return c->start > length && !c->loop ? length : c->start;
}

static void play(scheduler *s, const rift_layer_command *c, double t)
{
    const unsigned slot = (unsigned)c->slot;
    const uint32_t clip = find_clip(s->layers, c->clip);
    if (clip == RIFT_LAYER_NONE) {
        rift_layer_warn(&s->layers->warnings, "unknown_clip", c->clip, s->arena);
        return;
    }
    const bool masked = c->op != RIFT_LAYER_PLAY;
    const bool additive = c->op == RIFT_LAYER_PLAY_ADDITIVE;
    rift_layer_span span = {
        .from = t,
        .clip = clip,
        .loop = c->loop,
        .speed = c->speed,
        .start_at = t,
        .start = start_of(s, c, clip, t),
        .mask = masked ? c->mask : RIFT_LAYER_NONE,
        .mode = additive ? RIFT_LAYER_ADDITIVE : RIFT_LAYER_REPLACE,
        .base = additive ? c->base : RIFT_LAYER_BIND,
    };
    set_weight(&span, c->weight, t);
    if (s->slots[slot].on)
        put_span(s, slot, t, false);
    s->slots[slot] = (live_slot){true, span};
    jump(s, t);
    if (additive)
        warn_full_pose(s, &span, c->clip);
}

static void fade(scheduler *s, const rift_layer_command *c, double t)
{
    const unsigned slot = (unsigned)c->slot;
    const double weight = rift_layer_clamp01(c->weight);
    const double now = rift_layer_weight_at(&s->slots[slot].span, t);
    const bool at_once = !(c->seconds > 0);
    if (at_once)
        jump(s, t);
    if (weight == 0 && (at_once || now == 0)) { /* L25 */
        put_span(s, slot, t, false);
        return;
    }
    rift_layer_span *span = reopen(s, slot, t);
    set_weight(span, at_once ? weight : now, t);
    if (!at_once) {
        span->fade_weight = weight;
        span->fade_to = t + c->seconds;
    }
}

static void change(scheduler *s, const rift_layer_command *c, double t)
{
    const unsigned slot = (unsigned)c->slot;
    switch (c->op) {
    case RIFT_LAYER_STOP:
        put_span(s, slot, t, false);
        break;
    case RIFT_LAYER_SET_MASK:
        reopen(s, slot, t)->mask = c->mask;
        break;
    case RIFT_LAYER_SET_WEIGHT:
        set_weight(reopen(s, slot, t), c->weight, t);
        break;
    case RIFT_LAYER_SET_MODE:
        reopen(s, slot, t)->mode = c->mode;
        break;
    case RIFT_LAYER_FADE:
        fade(s, c, t);
        return;
    case RIFT_LAYER_PLAY:
    case RIFT_LAYER_PLAY_MASKED:
    case RIFT_LAYER_PLAY_ADDITIVE:
        return;
    }
    jump(s, t);
}

static void carry_out(scheduler *s, const rift_layer_command *c, double t)
{
    rift_layers *l = s->layers;
    const char *op = rift_layer_op_word(c->op);
    const bool plays = c->op <= RIFT_LAYER_PLAY_ADDITIVE;
    if (t - l->timeline->duration >= RIFT_LAYER_INSTANT) {
        rift_layer_warn(&l->warnings, "command_after_end", rift_str_c(op), s->arena);
    } else if (c->slot < 0 || c->slot >= RIFT_LAYER_SLOTS) {
        rift_layer_warn(&l->warnings, "slot_out_of_range", (rift_str){0}, s->arena);
    } else if (!plays && !s->slots[c->slot].on) {
        rift_layer_warn(&l->warnings, "slot_empty", rift_str_c(op), s->arena);
    } else if (c->mask != RIFT_LAYER_NONE && l->mask_weights[c->mask] == NULL) {
        rift_layer_warn(&l->warnings, "unknown_mask", l->timeline->masks[c->mask].name, s->arena);
    } else if (plays) {
        play(s, c, t);
    } else {
        change(s, c, t);
    }
}

/* --- all of it --------------------------------------------------------------------------------------------------- */

static bool resolve_masks(scheduler *s)
{
    rift_layers *l = s->layers;
    const rift_timeline *t = l->timeline;
    l->mask_weights = RIFT_NEW(s->arena, double *, t->mask_count);
    l->mask_warnings = RIFT_NEW(s->arena, rift_layer_warnings, t->mask_count);
    for (size_t i = 0; i < t->mask_count && s->arena->failed == RIFT_OK; i++) {
        if (t->masks[i].kind != RIFT_LAYER_MASK_NAMED) {
            l->mask_weights[i] =
                rift_layer_mask_resolve(&t->masks[i], l->skeleton, &l->mask_warnings[i], s->arena);
        }
    }
    return s->arena->failed == RIFT_OK;
}

static bool make_room(scheduler *s)
{
    size_t count[RIFT_LAYER_SLOTS] = {0};
    for (size_t i = 0; i < s->step_count; i++) {
        const int32_t slot = s->steps[i].command->slot;
        if (slot >= 0 && slot < RIFT_LAYER_SLOTS)
            count[slot]++;
    }
    for (unsigned i = 0; i < RIFT_LAYER_SLOTS; i++)
        s->layers->spans[i] = RIFT_NEW(s->arena, rift_layer_span, count[i]);
    return s->arena->failed == RIFT_OK;
}

static void run(scheduler *s)
{
    for (size_t i = 0; i < s->step_count; i++) {
        if (i == 0 || s->steps[i].at != s->steps[i - 1].at) {
            for (unsigned slot = 0; slot < RIFT_LAYER_SLOTS; slot++)
                settle(s, slot, s->steps[i].at);
        }
        carry_out(s, s->steps[i].command, s->steps[i].at);
    }
    for (unsigned slot = 0; slot < RIFT_LAYER_SLOTS; slot++) {
        settle(s, slot, HUGE_VAL);
        if (s->slots[slot].on)
            put_span(s, slot, HUGE_VAL, false);
    }
}

bool rift_layers_build(rift_layers *out,
                       const rift_skeleton *skeleton,
                       const rift_layer_clip *clips,
                       size_t clip_count,
                       const rift_timeline *timeline,
                       rift_arena *arena,
                       rift_err *err)
{
    rift_layers layers = {
        .skeleton = skeleton, .timeline = timeline, .clips = clips, .clip_count = clip_count};
    if (!check_timeline(timeline, err))
        return false;
    scheduler *s = RIFT_NEW(arena, scheduler, 1);
    if (s == NULL)
        return rift_arena_ok(arena, "layers", err);
    s->layers = &layers;
    s->arena = arena;
    if (!resolve_masks(s) || !sort_commands(s) || !make_room(s))
        return rift_arena_ok(arena, "layers", err);
    run(s);
    if (!rift_arena_ok(arena, "layers", err))
        return false;
    *out = layers;
    return true;
}
