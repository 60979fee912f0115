/* Clips one after another as one (decisions 12).
 *
 * Each joint's component is written over the whole time: a piece without a channel for it stands at rest, a channel that ends
 * early holds its last value. Where one piece ends and the next begins their keys are one where the poses agree; else the
 * earlier piece is cut short by boundary_s, so that the next one begins exactly on its time. */
#include <math.h>
#include <string.h>

#include "anim/anim_internal.h"

static const double boundary_s = 1e-4;
/* Poses that agree this well are one key. */
static const double same_rotation_rad = 0.01 * 3.14159265358979323846 / 180;
static const double same_translation = 1e-4;
static const double same_scale = 1e-5;
/* LINEAR in place of a cubic segment, where a channel has both kinds (G40). */
enum { FLATTEN_HALVINGS = 6 };

typedef struct join_key {
    float t;
    float in[4], v[4], out[4];
} join_key;

typedef struct joiner {
    const rift_skeleton *skeleton;
    const rift_clip_keys *const *pieces;
    const double *starts; /* pieces + 1 */
    size_t piece_count;
    const rift_channel **row; /* of the component at hand, by piece; NULL: none */
    rift_component component;
    uint32_t joint;
    unsigned dimension;
    bool cubic;
    join_key *keys;
    size_t key_count, capacity;
    rift_arena *tmp;
} joiner;

static void rest_value(float out[4], const joiner *j)
{
    const rift_trs *rest = &j->skeleton->joints[j->joint].rest;
    const rift_vec3 v = j->component == RIFT_TRANSLATION ? rest->t : rest->s;
    const double r[4] = {rest->r.x, rest->r.y, rest->r.z, rest->r.w};
    const double s[4] = {v.x, v.y, v.z, 0};
    rift_work_value(out, j->component == RIFT_ROTATION ? r : s);
}

/* Adds a key behind all others; one at the same float32 time takes the place of the last. */
static bool put(joiner *j, double t, const join_key *key)
{
    if (j->key_count == j->capacity) {
        const size_t grown = j->capacity > 0 ? 2 * j->capacity : 64;
        join_key *keys = rift_arena_grow(j->tmp, j->keys, j->capacity * sizeof *keys, grown * sizeof *keys);
        if (keys == NULL)
            return false;
        j->keys = keys;
        j->capacity = grown;
    }
    join_key made = *key;
    made.t = rift_to_f32(t);
    const bool replaces = j->key_count > 0 && !(made.t > j->keys[j->key_count - 1].t);
    if (replaces)
        made.t = j->keys[--j->key_count].t;
    j->keys[j->key_count++] = made;
    return true;
}

static join_key key_of(const rift_channel *ch, uint32_t k)
{
    const unsigned n = ch->component == RIFT_ROTATION ? 4 : 3;
    const bool cubic = ch->interpolation == RIFT_CUBICSPLINE;
    const float *from = ch->values + (cubic ? 3 : 1) * (size_t)n * k;
    join_key key = {.t = ch->times[k]};
    memcpy(key.v, cubic ? from + n : from, n * sizeof *from);
    if (cubic) {
        memcpy(key.in, from, n * sizeof *from);
        memcpy(key.out, from + 2 * (size_t)n, n * sizeof *from);
    }
    return key;
}

static double distance(const joiner *j, const double a[4], const double b[4])
{
    if (j->component == RIFT_ROTATION) {
        return rift_quat_angle(rift_quat_normalize(rift_quat_load(a)),
                               rift_quat_normalize(rift_quat_load(b)));
    }
    const rift_vec3 d = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return j->component == RIFT_TRANSLATION ? rift_vec3_length(d)
                                            : fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
}

static void widen(double out[4], const float v[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = (double)v[i];
}

/* The value at an instant of the piece as a key without tangents. */
static join_key sampled(const rift_channel *ch, double t)
{
    join_key key = {.t = rift_to_f32(t)};
    double v[4];
    rift_channel_eval(v, ch, t);
    rift_work_value(key.v, v);
    return key;
}

/* LINEAR keys behind the first of a cubic segment. Depth is at most FLATTEN_HALVINGS. */
static bool flatten(joiner *j, const rift_channel *ch, double start, double from, double to, unsigned level)
{
    const rift_key_limits limits = rift_key_limits_default();
    double worst = 0;
    double a[4];
    double b[4];
    rift_channel_eval(a, ch, from);
    rift_channel_eval(b, ch, to);
    for (int q = 1; q < 4; q++) {
        const double u = q / 4.0;
        double want[4];
        double drawn[4];
        rift_channel_eval(want, ch, from + u * (to - from));
        for (int i = 0; i < 4; i++)
            drawn[i] = a[i] + u * (b[i] - a[i]);
        worst = fmax(worst, distance(j, want, drawn));
    }
    const double middle = 0.5 * (from + to);
    if (worst > rift_limit_of(&limits, j->component) && level < FLATTEN_HALVINGS) {
        return flatten(j, ch, start, from, middle, level + 1) && flatten(j, ch, start, middle, to, level + 1);
    }
    const join_key key = sampled(ch, to);
    return put(j, start + to, &key);
}

/* What stands before a channel's first key is that key's value. */
static bool put_first(joiner *j, const rift_channel *ch, double start, double end)
{
    join_key key = key_of(ch, 0);
    if (key.t > 0)
        memset(key.out, 0, sizeof key.out);
    if (!put(j, start, &key) || key.t <= 0 || (double)key.t >= end)
        return j->tmp->failed == RIFT_OK;
    key = key_of(ch, 0);
    memset(key.in, 0, sizeof key.in);
    return put(j, start + (double)key.t, &key);
}

/* The keys of one channel from 0 to before `end`. */
static bool put_channel(joiner *j, const rift_channel *ch, double start, double end)
{
    const bool flat = ch->interpolation == RIFT_CUBICSPLINE && !j->cubic;
    if (!put_first(j, ch, start, end))
        return false;
    for (uint32_t k = 0; k < ch->key_count && (double)ch->times[k] < end; k++) {
        const join_key key = key_of(ch, k);
        if (k > 0 && !put(j, start + (double)key.t, &key))
            return false;
        const double next = k + 1 < ch->key_count ? fmin((double)ch->times[k + 1], end) : end;
        if (flat && k + 1 < ch->key_count && !flatten(j, ch, start, (double)key.t, next, 0))
            return false;
    }
    return true;
}

/* Slope of a cubic channel at t, which lies inside its segment k. */
static void slope_at(float out[4], const rift_channel *ch, uint32_t k, double t)
{
    const join_key a = key_of(ch, k);
    const join_key b = key_of(ch, k + 1);
    const double length = (double)b.t - (double)a.t;
    const double u = (t - (double)a.t) / length;
    for (int i = 0; i < 4; i++) {
        const double d = 6 * u * (u - 1) * ((double)a.v[i] - (double)b.v[i]) / length +
                         (3 * u * u - 4 * u + 1) * (double)a.out[i] + (3 * u * u - 2 * u) * (double)b.in[i];
        out[i] = rift_to_f32(d);
    }
}

/* The last key of a piece, at `end` of its own time. */
static bool put_end(joiner *j, const rift_channel *ch, double start, double end)
{
    join_key key = sampled(ch, end);
    const uint32_t last = ch->key_count - 1;
    const bool holds = (double)ch->times[last] < end || last == 0;
    if (j->cubic && !holds) {
        uint32_t k = last - 1;
        while (k > 0 && (double)ch->times[k] >= end)
            k--;
        if ((double)ch->times[last] <= end) {
            key = key_of(ch, last);
        } else {
            slope_at(key.in, ch, k, end);
        }
        memset(key.out, 0, sizeof key.out);
    }
    if (holds && j->cubic && j->key_count > 0)
        memset(j->keys[j->key_count - 1].out, 0, sizeof key.out);
    return put(j, start + end, &key);
}

/* Whether the pose at the end of piece i is that at the beginning of the next one. */
static bool agrees(const joiner *j, size_t i)
{
    float rest[4];
    double a[4];
    double b[4];
    rest_value(rest, j);
    widen(a, rest);
    widen(b, rest);
    if (j->row[i] != NULL)
        rift_channel_eval(a, j->row[i], (double)j->pieces[i]->length);
    if (j->row[i + 1] != NULL)
        rift_channel_eval(b, j->row[i + 1], 0);
    const double limit = j->component == RIFT_ROTATION      ? same_rotation_rad
                         : j->component == RIFT_TRANSLATION ? same_translation
                                                            : same_scale;
    return distance(j, a, b) <= limit;
}

static bool put_piece(joiner *j, size_t i)
{
    const bool last = i + 1 == j->piece_count;
    const double length = (double)j->pieces[i]->length;
    const bool cut = !last && !agrees(j, i);
    const double end = cut ? length - boundary_s : length;
    const rift_channel *ch = j->row[i];
    if (ch != NULL)
        return put_channel(j, ch, j->starts[i], end) && put_end(j, ch, j->starts[i], end);
    join_key key = {0};
    rest_value(key.v, j);
    return put(j, j->starts[i], &key) && put(j, j->starts[i] + end, &key);
}

/* A piece's first key takes the place of the last of the one before; the tangent into it is kept. */
static void keep_tangent(joiner *j, size_t at, const join_key *before)
{
    double dot = 0;
    for (unsigned i = 0; i < 4; i++)
        dot += (double)before->v[i] * (double)j->keys[at].v[i];
    const float sign = j->component == RIFT_ROTATION && dot < 0 ? -1 : 1;
    for (unsigned i = 0; i < 4; i++)
        j->keys[at].in[i] = sign * before->in[i];
}

static bool put_pieces(joiner *j)
{
    j->keys = NULL;
    j->key_count = j->capacity = 0;
    for (size_t i = 0; i < j->piece_count; i++) {
        const size_t count = j->key_count;
        const join_key before = count > 0 ? j->keys[count - 1] : (join_key){0};
        if (!put_piece(j, i))
            return false;
        if (count > 0 && rift_to_f32(j->starts[i]) <= before.t)
            keep_tangent(j, count - 1, &before);
    }
    return true;
}

/* G39; a straight tangent from each key to the next where a pair or a LINEAR channel stands in a cubic row. */
static void finish_keys(joiner *j, const bool *straight)
{
    for (size_t k = 1; k < j->key_count; k++) {
        join_key *a = &j->keys[k - 1];
        join_key *b = &j->keys[k];
        double dot = 0;
        for (unsigned i = 0; i < 4; i++)
            dot += (double)a->v[i] * (double)b->v[i];
        for (unsigned i = 0; j->component == RIFT_ROTATION && dot < 0 && i < 4; i++) {
            b->in[i] = -b->in[i];
            b->v[i] = -b->v[i];
            b->out[i] = -b->out[i];
        }
        for (unsigned i = 0; straight[k] && i < 4; i++) {
            const double slope = ((double)b->v[i] - (double)a->v[i]) / ((double)b->t - (double)a->t);
            a->out[i] = b->in[i] = rift_to_f32(slope);
        }
    }
}

static bool all_equal(const joiner *j)
{
    for (size_t k = 1; k < j->key_count; k++) {
        for (unsigned i = 0; i < j->dimension; i++) {
            const double a = (double)j->keys[0].v[i];
            if (fabs((double)j->keys[k].v[i] - a) > 1e-6 * fmax(1, fabs(a)))
                return false;
            const double length = (double)j->keys[k].t - (double)j->keys[k - 1].t;
            const double most = fmax(fabs((double)j->keys[k].in[i]), fabs((double)j->keys[k - 1].out[i]));
            if (j->cubic && length * most > 1e-6 * fmax(1, fabs(a)))
                return false;
        }
    }
    return true;
}

/* Which segments, by the key at their end, are straight lines in a cubic row. */
static bool *find_straight(const joiner *j)
{
    bool *straight = RIFT_NEW(j->tmp, bool, j->key_count);
    size_t piece = 0;
    for (size_t k = 1; straight != NULL && j->cubic && k < j->key_count; k++) {
        while (piece + 1 < j->piece_count &&
               (double)j->keys[k - 1].t >= j->starts[piece + 1] - 0.5 * boundary_s)
            piece++;
        const rift_channel *ch = j->row[piece];
        const bool crosses = piece + 1 < j->piece_count &&
                             (double)j->keys[k - 1].t < j->starts[piece + 1] - 0.5 * boundary_s &&
                             (double)j->keys[k - 1].t > j->starts[piece + 1] - 1.5 * boundary_s;
        straight[k] = crosses || (ch != NULL && ch->interpolation == RIFT_LINEAR && ch->key_count > 1);
    }
    return straight;
}

static bool write_channel(rift_channel *out, joiner *j, rift_arena *arena)
{
    const bool *straight = find_straight(j);
    if (straight == NULL)
        return false;
    finish_keys(j, straight);
    if (all_equal(j)) {
        j->key_count = 1;
        j->keys[0].t = 0;
    }
    const bool cubic = j->cubic && j->key_count > 1;
    const size_t stride = (cubic ? 3 : 1) * (size_t)j->dimension;
    float *times = RIFT_NEW(arena, float, j->key_count);
    float *values = RIFT_NEW(arena, float, stride * j->key_count);
    if (times == NULL || values == NULL)
        return false;
    const size_t size = j->dimension * sizeof *values;
    for (size_t k = 0; k < j->key_count; k++) {
        float *to = values + stride * k;
        times[k] = j->keys[k].t;
        if (cubic) {
            memcpy(to, j->keys[k].in, size);
            memcpy(to + 2 * (size_t)j->dimension, j->keys[k].out, size);
        }
        memcpy(cubic ? to + j->dimension : to, j->keys[k].v, size);
    }
    *out =
        (rift_channel){j->joint, j->component, cubic ? RIFT_CUBICSPLINE : RIFT_LINEAR, (uint32_t)j->key_count,
                       times,    values};
    return true;
}

/* Cubic where one piece is and none has LINEAR rotations that move: a slerp is no cubic. */
static bool row_is_cubic(const joiner *j, bool *mixed)
{
    bool cubic = false;
    bool slerps = false;
    for (size_t i = 0; i < j->piece_count; i++) {
        const rift_channel *ch = j->row[i];
        cubic = cubic || (ch != NULL && ch->interpolation == RIFT_CUBICSPLINE);
        slerps = slerps || (ch != NULL && ch->interpolation == RIFT_LINEAR && ch->key_count > 1 &&
                            ch->component == RIFT_ROTATION);
    }
    *mixed = *mixed || (cubic && slerps);
    return cubic && !slerps;
}

/* Channels of all pieces by joint and component: rows of piece_count pointers. */
static const rift_channel **make_table(const joiner *j)
{
    const size_t slots = 3 * j->skeleton->joint_count;
    const rift_channel **table = RIFT_NEW(j->tmp, const rift_channel *, slots * j->piece_count);
    for (size_t i = 0; table != NULL && i < j->piece_count; i++) {
        for (size_t c = 0; c < j->pieces[i]->channel_count; c++) {
            const rift_channel *ch = &j->pieces[i]->channels[c];
            table[(3 * (size_t)ch->joint + ch->component) * j->piece_count + i] = ch;
        }
    }
    return table;
}

static bool join(rift_clip_keys *out, joiner *j, bool *mixed, rift_arena *arena)
{
    const rift_channel **table = make_table(j);
    const size_t slots = 3 * j->skeleton->joint_count;
    out->channels = RIFT_NEW(arena, rift_channel, slots);
    if (table == NULL || out->channels == NULL)
        return false;
    for (size_t slot = 0; slot < slots; slot++) {
        bool any = false;
        j->row = table + slot * j->piece_count;
        for (size_t i = 0; i < j->piece_count; i++)
            any = any || j->row[i] != NULL;
        if (!any)
            continue;
        j->joint = (uint32_t)(slot / 3);
        j->component = (rift_component)(slot % 3);
        j->dimension = j->component == RIFT_ROTATION ? 4 : 3;
        j->cubic = row_is_cubic(j, mixed);
        const rift_arena_mark mark = rift_arena_get_mark(j->tmp);
        const bool ok = put_pieces(j) && write_channel(&out->channels[out->channel_count], j, arena);
        rift_arena_rewind(j->tmp, mark);
        if (!ok)
            return false;
        out->channel_count++;
    }
    return true;
}

bool rift_clips_join(rift_clip_keys *out,
                     const rift_clip_keys *const *pieces,
                     size_t piece_count,
                     const rift_skeleton *skeleton,
                     bool *mixed,
                     rift_arena *arena,
                     rift_arena *tmp,
                     rift_err *err)
{
    RIFT_ASSERT(piece_count > 0 && arena != tmp);
    const rift_arena_mark mark = rift_arena_get_mark(tmp);
    double *starts = RIFT_NEW(tmp, double, piece_count + 1);
    for (size_t i = 0; starts != NULL && i < piece_count; i++) {
        RIFT_ASSERT((double)pieces[i]->length >= RIFT_JOIN_MIN_LENGTH);
        starts[i + 1] = starts[i] + (double)pieces[i]->length;
    }
    joiner j = {
        .skeleton = skeleton, .pieces = pieces, .starts = starts, .piece_count = piece_count, .tmp = tmp};
    rift_clip_keys made = {.naive = pieces[0]->naive};
    *mixed = false;
    const bool ok = starts != NULL && join(&made, &j, mixed, arena);
    if (ok)
        made.length = rift_to_f32(starts[piece_count]);
    const bool sound = rift_arena_ok(tmp, "clips", err) && rift_arena_ok(arena, "clips", err);
    rift_arena_rewind(tmp, mark);
    if (!sound)
        return false;
    RIFT_ASSERT(ok);
    *out = made;
    return true;
}
