/* From a spline to LINEAR keys (G40): the source's key times, halved until the quarter points of each segment, drawn by glTF's rules from the float32 keys, are near enough to the source. */
#include <math.h>

#include "anim/anim_internal.h"

static double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* Half way between two drawn values. Slerp at the quarters is halving twice, which takes square roots only. */
static void middle(double out[4], const double a[4], const double b[4], bool is_rotation)
{
    const double sign = is_rotation && dot4(a, b) < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        out[i] = 0.5 * (a[i] + sign * b[i]);
    if (!is_rotation)
        return;
    const double square = dot4(out, out);
    const double scale = square > 0 ? 1 / sqrt(square) : 0;
    for (int i = 0; i < 4; i++)
        out[i] *= scale;
}

/* Source value without the normalisation, at the fraction `a` of the piece. */
static void piece_at(double out[4], const rift_piece *piece, double a)
{
    a = a < 0 ? 0 : a > 1 ? 1 : a;
    for (int i = 0; i < 4; i++)
        out[i] = piece->c[0][i] + a * (piece->c[1][i] + a * (piece->c[2][i] + a * piece->c[3][i]));
}

/* Squared distance: for rotations the squared sine of half the angle between, which needs no unit source; for scales the largest component. */
static double square_error(const double drawn[4], const double source[4], rift_component component)
{
    if (component == RIFT_ROTATION) {
        const double dot = dot4(drawn, source);
        const double square = dot4(source, source);
        const double sine = square > 0 ? 1 - dot * dot / square : 1;
        return sine > 0 ? sine : 0;
    }
    double sum = 0;
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        const double d = (drawn[i] - source[i]) * (drawn[i] - source[i]);
        sum += d;
        largest = d > largest ? d : largest;
    }
    return component == RIFT_SCALE ? largest : sum;
}

/* Error in the component's unit. */
static double error_of(double square, rift_component component)
{
    const double root = sqrt(square);
    if (component != RIFT_ROTATION)
        return root;
    return root < 0.01 ? 2 * root * (1 + square / 6) : 2 * asin(root < 1 ? root : 1);
}

/* Largest deviation at the quarter points of the segment from a to b. */
static double segment_error(const rift_work_channel *ch,
                            const rift_keys_job *job,
                            uint32_t index,
                            const rift_work_key *a,
                            const rift_work_key *b)
{
    const bool is_rotation = rift_is_rotation(ch->component);
    const rift_piece *piece = &ch->pieces[index];
    double ends[2][4];
    double drawn[3][4];
    for (int i = 0; i < 4; i++) {
        ends[0][i] = (double)a->v[i];
        ends[1][i] = (double)b->v[i];
    }
    middle(drawn[1], ends[0], ends[1], is_rotation);
    middle(drawn[0], ends[0], drawn[1], is_rotation);
    middle(drawn[2], drawn[1], ends[1], is_rotation);
    const double scale = 1 / (piece->t2 - piece->t1);
    const double from = ((double)a->t + job->start - piece->t1) * scale;
    const double step = 0.25 * ((double)b->t - (double)a->t) * scale;
    double worst = 0;
    for (int q = 0; q < 3; q++) {
        double source[4];
        piece_at(source, piece, from + (q + 1) * step);
        const double square = square_error(drawn[q], source, ch->component);
        worst = square > worst ? square : worst;
    }
    return error_of(worst, ch->component);
}

/* --- pieces ----------------------------------------------------------------------------------------------------- */

static rift_piece flat_piece(double t1, double t2, const double v[4])
{
    rift_piece piece = {.t1 = t1, .t2 = t2};
    for (int i = 0; i < 4; i++)
        piece.c[0][i] = v[i];
    return piece;
}

/* Key i with the ends doubled where the curve is too short for a window (rift_curve_eval does the same). */
static size_t doubled(const rift_loaded *keys, size_t i)
{
    if (keys->count >= 4)
        return i;
    return i == 0 ? 0 : i > keys->count ? keys->count - 1 : i - 1;
}

static void add_window(rift_work_channel *ch, const rift_keys_job *job, const rift_loaded *keys, size_t w)
{
    double p[4][4];
    double t[4];
    for (size_t k = 0; k < 4; k++) {
        const size_t key = doubled(keys, w + k);
        t[k] = keys->times[key];
        for (int i = 0; i < 4; i++)
            p[k][i] = keys->values[key][i];
    }
    if (t[2] > t[1]) {
        ch->pieces[ch->piece_count++] =
            rift_piece_make((const double(*)[4])p, t, job->in->anm->basis, rift_is_rotation(ch->component));
    }
}

/* All of the curve: windows, and the spans before the second and behind the last key but one, where it stands still. */
bool rift_keys_pieces(rift_work_channel *ch, const rift_keys_job *job, const rift_loaded *keys)
{
    const size_t count = keys->count >= 4 ? keys->count : keys->count + 2;
    ch->pieces = RIFT_NEW(job->tmp, rift_piece, count);
    if (ch->pieces == NULL)
        return false;
    const size_t second = doubled(keys, 1);
    const size_t last_but_one = doubled(keys, count - 2);
    if (keys->times[second] > keys->times[0])
        ch->pieces[ch->piece_count++] = flat_piece(keys->times[0], keys->times[second], keys->values[second]);
    for (size_t w = 0; w + 4 <= count; w++)
        add_window(ch, job, keys, w);
    if (keys->times[keys->count - 1] > keys->times[last_but_one]) {
        ch->pieces[ch->piece_count++] =
            flat_piece(keys->times[last_but_one], keys->times[keys->count - 1], keys->values[last_but_one]);
    }
    return true;
}

/* --- keys ------------------------------------------------------------------------------------------------------- */

static rift_work_key *push_key(rift_work_channel *ch, size_t *capacity, const rift_keys_job *job)
{
    if (ch->key_count == *capacity) {
        const size_t grown = *capacity * 2;
        rift_work_key *keys =
            rift_arena_grow(job->tmp, ch->keys, *capacity * sizeof *keys, grown * sizeof *keys);
        if (keys == NULL)
            return NULL;
        ch->keys = keys;
        *capacity = grown;
    }
    return &ch->keys[ch->key_count++];
}

static rift_work_key key_at(const rift_work_channel *ch, const rift_keys_job *job, uint32_t piece, float t)
{
    rift_work_key key = {.t = t, .piece = piece};
    double v[4];
    rift_piece_eval(v, &ch->pieces[piece], rift_is_rotation(ch->component), (double)t + job->start);
    rift_work_value(key.v, v);
    return key;
}

/* The float32 between two times, or one of them when none lies between. */
static float middle_time(float a, float b)
{
    return (float)(0.5 * ((double)a + (double)b));
}

static bool has_middle(float a, float b)
{
    const float m = middle_time(a, b);
    return m > a && m < b;
}

typedef struct refiner {
    rift_work_channel *ch;
    const rift_keys_job *job;
    size_t capacity;
    uint32_t piece;
    double limit;
} refiner;

/* Adds the keys from a (inclusive) to b (exclusive). Depth is at most max_halvings. */
static bool refine(refiner *r, rift_work_key a, const rift_work_key *b, unsigned level)
{
    const double error = segment_error(r->ch, r->job, r->piece, &a, b);
    if (error > r->limit && level < r->job->in->limits.max_halvings && has_middle(a.t, b->t)) {
        const rift_work_key m = key_at(r->ch, r->job, r->piece, middle_time(a.t, b->t));
        return refine(r, a, &m, level + 1) && refine(r, m, b, level + 1);
    }
    if (error > r->limit)
        r->ch->worst = error > r->ch->worst ? error : r->ch->worst;
    a.error = (float)error;
    a.level = (uint8_t)level;
    rift_work_key *key = push_key(r->ch, &r->capacity, r->job);
    if (key != NULL)
        *key = a;
    return key != NULL;
}

/* Keys of one piece cut to the window; the key at its end belongs to the next one. */
static bool refine_piece(refiner *r, uint32_t piece, double from, double to)
{
    const float ta = rift_to_f32(from - r->job->start);
    const float tb = rift_to_f32(to - r->job->start);
    if (!(tb > ta))
        return true; /* too short for float32 times */
    const bool shared = r->ch->piece_count > piece + 1 && r->ch->pieces[piece + 1].t1 == to;
    const rift_work_key a = key_at(r->ch, r->job, piece, ta);
    /* At a time that two pieces share the later one's value is written (G38). */
    const rift_work_key b = key_at(r->ch, r->job, shared ? piece + 1 : piece, tb);
    r->piece = piece;
    return refine(r, a, &b, 0);
}

static bool add_last(refiner *r, uint32_t piece, double at, const rift_loaded *keys)
{
    rift_work_key last = key_at(r->ch, r->job, piece, rift_to_f32(at - r->job->start));
    /* The curve's own last key, where its last time repeats with another value (G38). */
    const size_t n = keys->count;
    if (n >= 2 && at >= keys->times[n - 1] && keys->times[n - 2] == keys->times[n - 1])
        rift_work_value(last.v, keys->values[n - 1]);
    last.is_flat = true;
    rift_work_key *key = push_key(r->ch, &r->capacity, r->job);
    if (key != NULL)
        *key = last;
    return key != NULL;
}

bool rift_keys_refine(rift_work_channel *ch, const rift_keys_job *job, const rift_loaded *keys)
{
    if (!rift_keys_pieces(ch, job, keys))
        return false;
    refiner r = {ch, job, keys->count + 8, 0, rift_limit_of(&job->in->limits, ch->component)};
    ch->keys = RIFT_NEW(job->tmp, rift_work_key, r.capacity);
    if (ch->keys == NULL)
        return false;
    double end = fmin(job->end, keys->times[keys->count - 1]);
    uint32_t last_piece = 0;
    for (uint32_t i = 0; i < ch->piece_count; i++) {
        const double from = fmax(ch->pieces[i].t1, job->start);
        const double to = fmin(ch->pieces[i].t2, end);
        if (ch->pieces[i].t1 <= end)
            last_piece = i;
        if (from < to && !refine_piece(&r, i, from, to))
            return false;
    }
    end = fmax(end, job->start); /* a window behind the curve holds its last value */
    if (ch->piece_count > 0)
        return add_last(&r, last_piece, end, keys);
    /* All keys at one time: the last one is the pose. */
    ch->keys[0].is_flat = true;
    rift_work_value(ch->keys[0].v, keys->values[keys->count - 1]);
    ch->key_count = 1;
    return true;
}

bool rift_keys_can_split(const rift_work_channel *ch, size_t k, unsigned max_halvings)
{
    const rift_work_key *key = &ch->keys[k];
    return ch->pieces != NULL && !key->is_flat && k + 1 < ch->key_count && key->level < max_halvings &&
           has_middle(key->t, key[1].t);
}

bool rift_keys_split(rift_work_channel *ch, const rift_keys_job *job)
{
    size_t wanted = 0;
    for (size_t k = 0; k < ch->key_count; k++)
        wanted += ch->keys[k].split;
    if (wanted == 0)
        return true;
    rift_work_key *keys = RIFT_NEW(job->tmp, rift_work_key, ch->key_count + wanted);
    if (keys == NULL)
        return false;
    size_t count = 0;
    for (size_t k = 0; k < ch->key_count; k++) {
        rift_work_key a = ch->keys[k];
        if (!a.split) {
            keys[count++] = a;
            continue;
        }
        const rift_work_key *b = &ch->keys[k + 1];
        rift_work_key m = key_at(ch, job, a.piece, middle_time(a.t, b->t));
        a.split = false;
        a.level = m.level = (uint8_t)(a.level + 1);
        a.error = (float)segment_error(ch, job, a.piece, &a, &m);
        m.error = (float)segment_error(ch, job, a.piece, &m, b);
        keys[count++] = a;
        keys[count++] = m;
    }
    ch->keys = keys;
    ch->key_count = count;
    return true;
}
