/* keys=cubic: the compressed format's own spline as CUBICSPLINE keys (decisions 3).
 *
 * A piece between two source keys is one cubic, and so is glTF's segment: same ends, tangents from the cubic. Translations and
 * scales are exact wherever a piece is cut. Rotations are a cubic that is normalised afterwards, as glTF does it, exact for
 * a whole piece, whose ends have unit length; cut by a trim they are not, and a piece whose ends point away from each other
 * (G39) cannot stand as one segment. Those few are halved until the cubic through the normalised ends is near enough. */
#include <math.h>
#include <string.h>

#include "anim/anim_internal.h"

/* Where a segment is no copy of its piece. */
static const double cut_rotation_rad = 0.005 * 3.14159265358979323846 / 180;
enum { CUT_HALVINGS = 8 };

typedef struct cubic {
    rift_work_channel *ch;
    const rift_keys_job *job;
    size_t capacity;
    const rift_piece *piece;
    bool inexact;
} cubic;

/* Value and derivative by time of the drawn curve; rotations normalised. */
typedef struct point {
    double v[4], d[4];
} point;

static double dot4(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

/* The piece at file time t, not normalised. */
static point raw_point(const rift_piece *piece, double t)
{
    const double length = piece->t2 - piece->t1;
    const double a = fmin(fmax((t - piece->t1) / length, 0), 1);
    point p = {0};
    for (int i = 0; i < 4; i++) {
        p.v[i] = piece->c[0][i] + a * (piece->c[1][i] + a * (piece->c[2][i] + a * piece->c[3][i]));
        p.d[i] = (piece->c[1][i] + a * (2 * piece->c[2][i] + a * 3 * piece->c[3][i])) / length;
    }
    return p;
}

/* q / |q| and its derivative; the identity, standing still, where the cubic passes through 0. */
static point unit_point(point p)
{
    const double square = dot4(p.v, p.v);
    if (!(square > 1e-12) || !isfinite(square))
        return (point){{0, 0, 0, 1}, {0, 0, 0, 0}};
    const double scale = 1 / sqrt(square);
    const double along = dot4(p.v, p.d) / square;
    for (int i = 0; i < 4; i++) {
        p.d[i] = scale * (p.d[i] - along * p.v[i]);
        p.v[i] *= scale;
    }
    return p;
}

/* Keys are unit as float32; how far they are off at most, squared. */
static bool has_unit_ends(const point *a, const point *b)
{
    return fabs(dot4(a->v, a->v) - 1) < 4e-6 && fabs(dot4(b->v, b->v) - 1) < 4e-6 && dot4(a->v, b->v) >= 0;
}

static void write_value(float out[4], const point *p, bool is_rotation)
{
    rift_work_value(out, is_rotation ? unit_point(*p).v : p->v);
}

/* Largest angle between the piece and the segment through two of its points. */
static double cut_error(const cubic *c, const point *a, const point *b, double from, double to)
{
    double worst = 0;
    for (int q = 1; q < 8; q++) {
        const double u = q / 8.0;
        const double u2 = u * u;
        const double u3 = u2 * u;
        const double length = to - from;
        double v[4];
        for (int i = 0; i < 4; i++) {
            v[i] = (2 * u3 - 3 * u2 + 1) * a->v[i] + length * (u3 - 2 * u2 + u) * a->d[i] +
                   (3 * u2 - 2 * u3) * b->v[i] + length * (u3 - u2) * b->d[i];
        }
        const point want = unit_point(raw_point(c->piece, from + u * length));
        const rift_quat drawn = rift_quat_normalize((rift_quat){v[0], v[1], v[2], v[3]});
        const rift_quat source = {want.v[0], want.v[1], want.v[2], want.v[3]};
        worst = fmax(worst, rift_quat_angle(drawn, source));
    }
    return worst;
}

/* --- keys ------------------------------------------------------------------------------------------------------- */

static bool reserve(cubic *c)
{
    rift_work_channel *ch = c->ch;
    if (ch->key_count < c->capacity)
        return true;
    const size_t grown = 2 * c->capacity;
    rift_arena *tmp = c->job->tmp;
    rift_work_key *keys = RIFT_NEW(tmp, rift_work_key, grown);
    rift_tangents *tangents = RIFT_NEW(tmp, rift_tangents, grown);
    if (keys == NULL || tangents == NULL)
        return false;
    memcpy(keys, ch->keys, ch->key_count * sizeof *keys);
    memcpy(tangents, ch->tangents, ch->key_count * sizeof *tangents);
    ch->keys = keys;
    ch->tangents = tangents;
    c->capacity = grown;
    return true;
}

static void put_tangent(float out[4], const point *p, double scale)
{
    for (int i = 0; i < 4; i++)
        out[i] = rift_to_f32(p->d[i] * scale);
}

/* A segment of clip times ta < tb. The key at its beginning is the last one written, at the same time, or a new one; its value
 * is that of the later piece (G38). `scale` makes up for times rounded to float32. */
static bool add_segment(cubic *c, const point *a, const point *b, float ta, float tb, double scale)
{
    rift_work_channel *ch = c->ch;
    const bool is_rotation = rift_is_rotation(ch->component);
    if (!reserve(c))
        return false;
    if (ch->key_count == 0) {
        ch->keys[0] = (rift_work_key){.t = ta};
        ch->key_count = 1;
    }
    rift_work_key *first = &ch->keys[ch->key_count - 1];
    write_value(first->v, a, is_rotation);
    put_tangent(ch->tangents[ch->key_count - 1].out, a, scale);
    if (!reserve(c))
        return false;
    ch->keys[ch->key_count] = (rift_work_key){.t = tb};
    write_value(ch->keys[ch->key_count].v, b, is_rotation);
    put_tangent(ch->tangents[ch->key_count].in, b, scale);
    ch->key_count++;
    return true;
}

static float clip_time(const cubic *c, double t)
{
    return rift_to_f32(t - c->job->start);
}

/* Depth is at most CUT_HALVINGS. */
static bool add_cut(cubic *c, double from, double to, unsigned level)
{
    const float ta = clip_time(c, from);
    const float tb = clip_time(c, to);
    if (!(tb > ta))
        return true;
    const point a = unit_point(raw_point(c->piece, from));
    const point b = unit_point(raw_point(c->piece, to));
    const double middle = 0.5 * (from + to);
    const bool far = dot4(a.v, b.v) < 0 || cut_error(c, &a, &b, from, to) > cut_rotation_rad;
    if (far && level < CUT_HALVINGS && clip_time(c, middle) > ta && clip_time(c, middle) < tb)
        return add_cut(c, from, middle, level + 1) && add_cut(c, middle, to, level + 1);
    c->inexact = c->inexact || far;
    return add_segment(c, &a, &b, ta, tb, (to - from) / ((double)tb - (double)ta));
}

static bool add_piece(cubic *c, double from, double to)
{
    const float ta = clip_time(c, from);
    const float tb = clip_time(c, to);
    if (!(tb > ta))
        return true;
    const point a = raw_point(c->piece, from);
    const point b = raw_point(c->piece, to);
    if (rift_is_rotation(c->ch->component) && !has_unit_ends(&a, &b))
        return add_cut(c, from, to, 0);
    return add_segment(c, &a, &b, ta, tb, (to - from) / ((double)tb - (double)ta));
}

/* G39. A key turned round takes its tangents with it; the sides of a key come from two pieces, which may differ in sign. */
static void align(rift_work_channel *ch)
{
    for (size_t k = 1; k < ch->key_count; k++) {
        const float *before = ch->keys[k - 1].v;
        float *v = ch->keys[k].v;
        double dot = 0;
        for (int i = 0; i < 4; i++)
            dot += (double)v[i] * (double)before[i];
        for (int i = 0; dot < 0 && i < 4; i++) {
            v[i] = -v[i];
            ch->tangents[k].in[i] = -ch->tangents[k].in[i];
            ch->tangents[k].out[i] = -ch->tangents[k].out[i];
        }
    }
}

/* Turns a piece so that it goes on from the value written last: a quaternion and its negative are one rotation. */
static rift_piece follow(const cubic *c, rift_piece piece)
{
    const rift_work_channel *ch = c->ch;
    if (!rift_is_rotation(ch->component) || ch->key_count == 0)
        return piece;
    const float *last = ch->keys[ch->key_count - 1].v;
    const point p = raw_point(&piece, fmax(piece.t1, c->job->start));
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += (double)last[i] * p.v[i];
    for (int k = 0; dot < 0 && k < 4; k++) {
        for (int i = 0; i < 4; i++)
            piece.c[k][i] = -piece.c[k][i];
    }
    return piece;
}

static bool constant(rift_work_channel *ch, const double v[4])
{
    ch->keys[0] = (rift_work_key){.is_flat = true};
    rift_work_value(ch->keys[0].v, v);
    ch->key_count = 1;
    ch->tangents = NULL;
    return true;
}

bool rift_keys_cubic(rift_work_channel *ch, const rift_keys_job *job, const rift_loaded *keys)
{
    cubic c = {.ch = ch, .job = job, .capacity = keys->count + 2};
    if (!rift_keys_pieces(ch, job, keys))
        return false;
    ch->keys = RIFT_NEW(job->tmp, rift_work_key, c.capacity);
    ch->tangents = RIFT_NEW(job->tmp, rift_tangents, c.capacity);
    if (ch->keys == NULL || ch->tangents == NULL)
        return false;
    for (size_t i = 0; i < ch->piece_count; i++) {
        const rift_piece piece = follow(&c, ch->pieces[i]);
        c.piece = &piece;
        const double from = fmax(piece.t1, job->start);
        const double to = fmin(piece.t2, job->end);
        if (from < to && !add_piece(&c, from, to))
            return false;
    }
    if (c.inexact) {
        rift_report_add(job->report, "cubic_inexact", "%.*s %s",
                        RIFT_STR_ARG(job->in->skeleton->joints[ch->joint].name),
                        rift_component_word(ch->component));
    }
    ch->pieces = NULL;        /* nothing is left to refine */
    if (ch->key_count == 0) { /* all at one time, or the window lies outside the curve */
        const size_t n = keys->count;
        return constant(
            ch,
            keys->values[job->start > keys->times[0] || keys->times[n - 1] <= keys->times[0] ? n - 1 : 0]);
    }
    if (rift_is_rotation(ch->component))
        align(ch);
    return true;
}
