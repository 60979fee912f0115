/* World keys of one victim (S13-S15, S27).
 *
 * The clip is cut into spans over which the victim's path is the same; between two spans lies the gap of a boundary pair,
 * or a shared key where both poses agree. Inside a span the keys are those of all channels on the path, halved until the
 * drawn pose is near enough to the reference at the quarter points. A span in which nothing on the path moves has two
 * equal keys: it does not drift. All times are float32 from the start, so that a window holds exactly its own keys. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "anim/anim_internal.h"
#include "anim/snap_internal.h"

/* S13. */
static const double constant_translation = 1e-4;
static const double constant_rotation_rad = 1e-3 * 3.14159265358979323846 / 180;
static const double constant_scale = 1e-6;
/* A lock onto a standing target does not give way to the pose beside it, however near (section 5). */
static const double standing_share = 1e-4;
/* Section 5 allows the scale in a window no more than the limit at any instant, quarter points or not. */
static const double locked_scale_share = 0.7;
enum { MAX_DOUBLINGS = 24 };

typedef struct span {
    float from, to;              /* key times */
    bool empty;                  /* float32 knows no time between its neighbours */
    bool joined_from, joined_to; /* shares that key with the neighbour */
    bool owns_from, owns_to;     /* its own pose is the one of a shared key */
    snap_path path;
    float *times; /* keys of the path inside the boundaries, rising */
    size_t time_count;
} span;

typedef struct builder {
    snap_source *source;
    const rift_snap_limits *limits;
    rift_arena *tmp;
    uint32_t victim;
    float *bounds;
    size_t bound_count;
    span *spans;
    size_t span_count;
    snap_keys *out;
    const span *span; /* being filled */
    rift_quat hint;
    double factor; /* of the limits (S27) */
    snap_outcome outcome;
} builder;

static int compare_f32(const void *a, const void *b)
{
    const float x = *(const float *)a;
    const float y = *(const float *)b;
    return (x > y) - (x < y);
}

static size_t sort_unique(float *times, size_t count)
{
    qsort(times, count, sizeof *times, compare_f32);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || times[i] > times[kept - 1])
            times[kept++] = times[i];
    }
    return kept;
}

/* --- spans ------------------------------------------------------------------------------------------------------ */

/* 0, the clip's end and every start and end of a window. */
static bool collect_bounds(builder *b)
{
    const snap_source *s = b->source;
    b->bounds = RIFT_NEW(b->tmp, float, 2 * s->window_count + 2);
    if (b->bounds == NULL)
        return false;
    size_t n = 0;
    b->bounds[n++] = 0;
    b->bounds[n++] = s->length;
    for (size_t i = 0; i < s->window_count; i++) {
        b->bounds[n++] = (float)s->windows[i].start;
        b->bounds[n++] = (float)s->windows[i].end;
    }
    b->bound_count = sort_unique(b->bounds, n);
    return true;
}

/* Adds what the victim's path is at t, unless the span before has the same one. Spans get `from` here as the boundary at
 * which they begin, and keep `to` as the one at which they end. */
static bool add_span(builder *b, double t, float from, float to, bool at_bound)
{
    span *last = b->span_count > 0 ? &b->spans[b->span_count - 1] : NULL;
    span next = {.from = from, .to = to, .owns_from = at_bound, .owns_to = at_bound};
    if (!snap_trace(&next.path, b->source, b->victim, t, b->tmp))
        return false;
    if (last != NULL && snap_path_equal(b->source, &last->path, &next.path)) {
        last->to = to;
        last->owns_to = at_bound;
        return true;
    }
    b->spans[b->span_count++] = next;
    return true;
}

static bool collect_spans(builder *b)
{
    b->spans = RIFT_NEW(b->tmp, span, 2 * b->bound_count);
    if (b->spans == NULL)
        return false;
    for (size_t i = 0; i < b->bound_count; i++) {
        const float x = b->bounds[i];
        if (!add_span(b, (double)x, x, x, true))
            return false;
        if (i + 1 == b->bound_count)
            break;
        const float y = b->bounds[i + 1];
        if (!add_span(b, 0.5 * ((double)x + (double)y), x, y, false))
            return false;
    }
    return true;
}

/* Key times of all channels on the path, strictly inside the span's boundaries. */
static bool collect_times(builder *b, span *sp)
{
    const snap_source *s = b->source;
    size_t total = 0;
    for (size_t i = 0; !sp->path.is_static && i < sp->path.count; i++) {
        for (size_t c = 0; c < 3 && sp->path.steps[i].joint != SNAP_OFFSET; c++) {
            const rift_channel *ch = s->channels[3 * (size_t)sp->path.steps[i].joint + c];
            total += ch != NULL ? ch->key_count : 0;
        }
    }
    sp->times = RIFT_NEW(b->tmp, float, total);
    if (sp->times == NULL)
        return false;
    const float *before = NULL; /* many channels of a clip share one array */
    for (size_t i = 0; total > 0 && i < sp->path.count; i++) {
        for (size_t c = 0; c < 3 && sp->path.steps[i].joint != SNAP_OFFSET; c++) {
            const rift_channel *ch = s->channels[3 * (size_t)sp->path.steps[i].joint + c];
            if (ch == NULL || ch->times == before)
                continue;
            before = ch->times;
            for (size_t k = 0; k < ch->key_count; k++) {
                if (ch->times[k] > sp->from && ch->times[k] < sp->to)
                    sp->times[sp->time_count++] = ch->times[k];
            }
        }
    }
    sp->time_count = sort_unique(sp->times, sp->time_count);
    return true;
}

static rift_trs pose_at(builder *b, const span *sp, float t)
{
    const snap_pose pose = snap_eval(b->source, &sp->path, (double)t);
    double shear;
    const rift_trs trs = snap_trs(&pose, b->hint, &shear);
    b->out->shear = fmax(b->out->shear, shear);
    return trs;
}

static bool agree(const rift_trs *a, const rift_trs *b, double translation, double rotation, double scale)
{
    return rift_vec3_length(rift_vec3_sub(a->t, b->t)) <= translation &&
           rift_quat_angle(a->r, b->r) <= rotation && fabs(a->s.x - b->s.x) <= scale &&
           fabs(a->s.y - b->s.y) <= scale && fabs(a->s.z - b->s.z) <= scale;
}

/* S15: poses that agree at the boundary share one key there. */
static bool may_join(builder *b, const span *owner, const span *other, float x)
{
    const rift_snap_limits *l = b->limits;
    const double share = other->path.locked && other->path.is_static ? standing_share : 1;
    const rift_trs p = pose_at(b, owner, x);
    b->hint = p.r;
    const rift_trs q = pose_at(b, other, x);
    return agree(&p, &q, share * l->translation, share * l->rotation_rad, share * l->scale);
}

/* How far from the boundary the other pose's key stands, `distance` being the way to the next key. */
static double gap_of(double distance)
{
    return distance < 2 * RIFT_SNAP_GAP_S ? 0.5 * distance : RIFT_SNAP_GAP_S;
}

/* The boundary x between two neighbours: one has a key at it, the other one beside it. */
static void set_boundary(builder *b, span *left, span *right)
{
    const float x = left->owns_to ? left->to : right->from;
    if (left->empty)
        return;
    if (left->owns_to ? may_join(b, left, right, x) : may_join(b, right, left, x)) {
        left->joined_to = right->joined_from = true;
        return;
    }
    if (left->owns_to) {
        const float next = right->time_count > 0 ? right->times[0] : right->to;
        right->from = (float)((double)x + gap_of((double)next - (double)x));
        if (!(right->from > x && right->from < next)) {
            right->empty = right->time_count == 0 && !right->owns_to;
            right->from = next;
        }
    } else {
        const float before = left->time_count > 0 ? left->times[left->time_count - 1] : left->from;
        left->to = (float)((double)x - gap_of((double)x - (double)before));
        if (!(left->to > before && left->to < x))
            left->to = before;
    }
}

/* --- keys ------------------------------------------------------------------------------------------------------- */

static snap_key key_of(float t, const rift_trs *trs)
{
    const rift_quat r = rift_quat_normalize(trs->r);
    return (snap_key){
        t,
        {rift_to_f32(trs->t.x), rift_to_f32(trs->t.y), rift_to_f32(trs->t.z), (float)r.x, (float)r.y,
         (float)r.z, (float)r.w, rift_to_f32(trs->s.x), rift_to_f32(trs->s.y), rift_to_f32(trs->s.z)},
    };
}

rift_trs snap_key_trs(const snap_key *key)
{
    const float *v = key->v;
    return (rift_trs){
        {(double)v[0], (double)v[1], (double)v[2]},
        {(double)v[3], (double)v[4], (double)v[5], (double)v[6]},
        {(double)v[7], (double)v[8], (double)v[9]},
    };
}

rift_quat snap_middle(rift_quat a, rift_quat b)
{
    const double sign = rift_quat_dot(a, b) < 0 ? -1 : 1;
    return rift_quat_normalize(
        (rift_quat){a.x + sign * b.x, a.y + sign * b.y, a.z + sign * b.z, a.w + sign * b.w});
}

/* G39: the sign of each rotation follows the one before. */
static bool push_key(builder *b, snap_key key)
{
    snap_keys *out = b->out;
    if (snap_is_over(b->source)) {
        b->outcome = SNAP_OVER_BUDGET;
        return false;
    }
    if (out->count == out->capacity) {
        if (out->count >= b->limits->max_keys) {
            b->outcome = SNAP_TOO_MANY;
            return false;
        }
        size_t grown = out->capacity > 0 ? 2 * out->capacity : 256;
        grown = grown < b->limits->max_keys ? grown : b->limits->max_keys;
        snap_key *keys =
            rift_arena_grow(b->tmp, out->keys, out->capacity * sizeof *keys, grown * sizeof *keys);
        if (keys == NULL) {
            b->outcome = SNAP_NO_MEMORY;
            return false;
        }
        out->keys = keys;
        out->capacity = grown;
    }
    if (out->count > 0) {
        const float *before = out->keys[out->count - 1].v;
        double dot = 0;
        for (int i = SNAP_R; i < SNAP_S; i++)
            dot += (double)before[i] * (double)key.v[i];
        for (int i = SNAP_R; dot < 0 && i < SNAP_S; i++)
            key.v[i] = -key.v[i];
    }
    out->keys[out->count++] = key;
    return true;
}

static snap_key make_key(builder *b, const span *sp, float t)
{
    const rift_trs trs = pose_at(b, sp, t);
    b->hint = trs.r;
    return key_of(t, &trs);
}

/* Whether the segment from a to b strays from the reference at its quarter points. */
static bool strays(builder *b, const snap_key *a, const snap_key *c)
{
    const rift_trs from = snap_key_trs(a);
    const rift_trs to = snap_key_trs(c);
    const rift_quat half = snap_middle(from.r, to.r);
    const rift_quat turns[3] = {snap_middle(from.r, half), half, snap_middle(half, to.r)};
    const rift_snap_limits *l = b->limits;
    const double scale = l->scale * (b->span->path.locked ? locked_scale_share : 1);
    for (int q = 0; q < 3; q++) {
        const double u = 0.25 * (q + 1);
        const snap_pose pose =
            snap_eval(b->source, &b->span->path, (double)a->t + u * ((double)c->t - (double)a->t));
        const rift_trs want = snap_trs(&pose, turns[q], NULL);
        const rift_trs drawn = {
            {from.t.x + u * (to.t.x - from.t.x), from.t.y + u * (to.t.y - from.t.y),
             from.t.z + u * (to.t.z - from.t.z)},
            turns[q],
            {from.s.x + u * (to.s.x - from.s.x), from.s.y + u * (to.s.y - from.s.y),
             from.s.z + u * (to.s.z - from.s.z)},
        };
        if (!agree(&drawn, &want, b->factor * l->translation, b->factor * l->rotation_rad, b->factor * scale))
            return true;
    }
    return false;
}

/* Adds the keys from a (inclusive) to c (exclusive). Depth is at most max_halvings. */
static bool refine(builder *b, snap_key a, const snap_key *c, unsigned level)
{
    const float middle = (float)(0.5 * ((double)a.t + (double)c->t));
    const bool too_far = middle > a.t && middle < c->t && strays(b, &a, c);
    if (too_far && level == b->limits->max_halvings)
        b->out->coarse = true;
    if (too_far && level < b->limits->max_halvings) {
        b->hint = snap_key_trs(&a).r;
        const snap_key m = make_key(b, b->span, middle);
        return refine(b, a, &m, level + 1) && refine(b, m, c, level + 1);
    }
    return push_key(b, a);
}

/* The key at an end of the span, from whichever neighbour a shared key belongs to. */
static snap_key end_key(builder *b, const span *sp, bool is_from)
{
    const bool foreign = is_from ? sp->joined_from && !sp->owns_from : sp->joined_to && !sp->owns_to;
    const span *owner = !foreign ? sp : is_from ? sp - 1 : sp + 1;
    return make_key(b, owner, is_from ? sp->from : sp->to);
}

static bool fill_span(builder *b, const span *sp)
{
    b->span = sp;
    snap_key a = end_key(b, sp, true);
    for (size_t i = 0; i < sp->time_count; i++) {
        if (!(sp->times[i] > sp->from && sp->times[i] < sp->to))
            continue;
        b->hint = snap_key_trs(&a).r;
        const snap_key c = make_key(b, sp, sp->times[i]);
        if (!refine(b, a, &c, 0))
            return false;
        a = c;
    }
    if (sp->to > sp->from) {
        const bool plain = sp->path.is_static && !sp->joined_from && !sp->joined_to;
        b->hint = snap_key_trs(&a).r;
        snap_key c = plain ? a : end_key(b, sp, false);
        c.t = sp->to;
        if (plain ? !push_key(b, a) : !refine(b, a, &c, 0))
            return false;
        a = c;
    }
    return sp->joined_to || push_key(b, a);
}

static bool fill(builder *b)
{
    snap_keys *out = b->out;
    out->count = out->gap_count = 0;
    out->shear = 0;
    out->coarse = false;
    b->hint = snap_eval(b->source, &b->spans[0].path, 0).trs.r;
    for (size_t i = 0; i < b->span_count; i++) {
        const span *sp = &b->spans[i];
        if (sp->empty)
            continue;
        const size_t first = out->count;
        if (first > 0)
            b->hint = snap_key_trs(&out->keys[first - 1]).r;
        if (!fill_span(b, sp))
            return false;
        if (first > 0 && !sp->joined_from)
            out->gaps[out->gap_count++] = (snap_gap){out->keys[first - 1].t, sp->from};
    }
    return true;
}

static bool prepare(builder *b)
{
    if (!collect_bounds(b) || !collect_spans(b))
        return false;
    for (size_t i = 0; i < b->span_count; i++) {
        if (!collect_times(b, &b->spans[i]))
            return false;
    }
    b->hint = snap_eval(b->source, &b->spans[0].path, 0).trs.r;
    for (size_t i = 0; i + 1 < b->span_count; i++)
        set_boundary(b, &b->spans[i], &b->spans[i + 1]);
    b->out->gaps = RIFT_NEW(b->tmp, snap_gap, b->span_count);
    return b->out->gaps != NULL;
}

snap_outcome snap_keys_build(
    snap_keys *out, snap_source *source, uint32_t victim, const rift_snap_limits *limits, rift_arena *tmp)
{
    *out = (snap_keys){0};
    builder b = {.source = source, .limits = limits, .tmp = tmp, .victim = victim, .out = out, .factor = 1};
    if (!prepare(&b))
        return tmp->failed != RIFT_OK ? SNAP_NO_MEMORY : SNAP_OVER_BUDGET;
    size_t least = 0;
    for (size_t i = 0; i < b.span_count; i++)
        least += b.spans[i].time_count + 2;
    if (least > limits->max_keys)
        return SNAP_TOO_MANY; /* coarser limits would not help */
    while (!fill(&b)) {
        if (b.outcome != SNAP_TOO_MANY || out->doublings == MAX_DOUBLINGS)
            return b.outcome;
        b.outcome = SNAP_DONE;
        b.factor *= 2;
        out->doublings++;
    }
    return SNAP_DONE;
}

/* --- channels --------------------------------------------------------------------------------------------------- */

static bool is_constant(const snap_keys *keys, rift_component component)
{
    const rift_trs first = snap_key_trs(&keys->keys[0]);
    for (size_t k = 1; k < keys->count; k++) {
        const rift_trs trs = snap_key_trs(&keys->keys[k]);
        const rift_trs same = {
            component == RIFT_TRANSLATION ? trs.t : first.t,
            component == RIFT_ROTATION ? trs.r : first.r,
            component == RIFT_SCALE ? trs.s : first.s,
        };
        if (!agree(&first, &same, constant_translation, constant_rotation_rad, constant_scale))
            return false;
    }
    return true;
}

bool snap_channels(rift_channel out[3], const snap_keys *keys, uint32_t joint, rift_arena *arena)
{
    static const float zero_time[1] = {0};
    static const size_t offsets[] = {SNAP_T, SNAP_R, SNAP_S};
    float *times = NULL;
    for (int i = 0; i < 3; i++) {
        const rift_component component = (rift_component)i;
        const size_t dimension = component == RIFT_ROTATION ? 4 : 3;
        const bool constant = keys->count == 1 || is_constant(keys, component);
        const size_t count = constant ? 1 : keys->count;
        float *values = RIFT_NEW(arena, float, dimension *count);
        if (!constant && times == NULL) {
            times = RIFT_NEW(arena, float, count);
            for (size_t k = 0; times != NULL && k < count; k++)
                times[k] = keys->keys[k].t;
        }
        if (values == NULL || (!constant && times == NULL))
            return false;
        for (size_t k = 0; k < count; k++)
            memcpy(values + dimension * k, keys->keys[k].v + offsets[i], dimension * sizeof *values);
        out[i] = (rift_channel){joint, component, RIFT_LINEAR, (uint32_t)count, constant ? zero_time : times,
                                values};
    }
    return true;
}
