/* World matrices as section 3 defines them.
 *
 * W(j) needs either W(target) or W(parent), never two others, so it is a product along one path. "Already being
 * evaluated" marks the victims whose lock the path went through; each is left at most once, which ends every cycle.
 *
 * While all scales above are uniform, T R S of a product is the product of quaternions and factors: exact, also where
 * factors are zero or negative (S20). Only behind a non-uniform scale the linear part is carried as a matrix. */
#include <math.h>
#include <string.h>

#include "anim/snap_internal.h"

static const double uniform_spread = 1e-6;
static const double short_axis = 1e-6;
enum { POLAR_STEPS = 40 };

bool snap_source_init(
    snap_source *out,
    const rift_skeleton *skeleton,
    const rift_clip_keys *keys,
    const rift_snap_window *windows,
    size_t window_count,
    uint64_t *work, /* NOLINT(readability-non-const-parameter): *out keeps it to count with */
    uint64_t budget,
    rift_arena *tmp)
{
    const size_t n = skeleton->joint_count;
    *out = (snap_source){
        .skeleton = skeleton,
        .channels = RIFT_NEW(tmp, const rift_channel *, 3 * n),
        .segments = RIFT_NEW(tmp, snap_segment, 3 * n),
        .windows = windows,
        .window_count = window_count,
        .is_victim = RIFT_NEW(tmp, bool, n),
        .marks = RIFT_NEW(tmp, uint32_t, n),
        .length = keys->length,
        .work = work,
        .budget = budget,
    };
    if (tmp->failed != RIFT_OK)
        return false;
    for (size_t c = 0; c < keys->channel_count; c++) {
        const rift_channel *ch = &keys->channels[c];
        out->channels[3 * (size_t)ch->joint + ch->component] = ch;
    }
    for (size_t w = 0; w < window_count; w++) {
        if (!windows[w].restored)
            out->is_victim[windows[w].victim] = true;
    }
    return true;
}

bool snap_is_over(const snap_source *s)
{
    return *s->work > s->budget;
}

/* --- paths ------------------------------------------------------------------------------------------------------ */

/* S9, S26: of the windows on a joint that hold t. */
static const rift_snap_window *winner(const snap_source *s, uint32_t joint, double t)
{
    const rift_snap_window *best = NULL;
    for (size_t i = 0; i < s->window_count; i++) {
        const rift_snap_window *w = &s->windows[i];
        if (w->victim != joint || w->restored || t < w->start || t > w->end)
            continue;
        if (best == NULL || w->priority > best->priority ||
            (w->priority == best->priority && w->start >= best->start))
            best = w;
    }
    return best;
}

static bool push(snap_path *path, snap_step step, rift_arena *tmp)
{
    if (path->count == path->capacity) {
        if (path->capacity >= SNAP_MAX_STEPS)
            return false;
        const size_t grown = path->capacity > 0 ? 2 * path->capacity : 64;
        snap_step *steps =
            rift_arena_grow(tmp, path->steps, path->capacity * sizeof *steps, grown * sizeof *steps);
        if (steps == NULL)
            return false;
        path->steps = steps;
        path->capacity = grown;
    }
    path->steps[path->count++] = step;
    return true;
}

static bool moves(const snap_source *s, uint32_t joint)
{
    for (int c = 0; c < 3; c++) {
        const rift_channel *ch = s->channels[3 * (size_t)joint + (size_t)c];
        if (ch != NULL && ch->key_count > 1)
            return true;
    }
    return false;
}

bool snap_trace(snap_path *path, snap_source *s, uint32_t joint, double t, rift_arena *tmp)
{
    path->count = 0;
    path->jumps = 0;
    path->is_static = true;
    path->locked = false;
    s->mark++;
    for (uint32_t at = joint;;) {
        const rift_snap_window *w = s->is_victim[at] && s->marks[at] != s->mark ? winner(s, at, t) : NULL;
        if (w != NULL) {
            path->locked = path->locked || path->count == 0;
            path->jumps++;
            s->marks[at] = s->mark;
            if (!push(path, (snap_step){SNAP_OFFSET, (uint32_t)(w - s->windows)}, tmp))
                return false;
            at = w->target;
            continue;
        }
        if (!push(path, (snap_step){at, 0}, tmp))
            return false;
        path->is_static = path->is_static && !moves(s, at);
        if (s->skeleton->joints[at].parent == RIFT_NO_PARENT)
            break;
        at = (uint32_t)s->skeleton->joints[at].parent;
    }
    *s->work += path->count;
    return !snap_is_over(s);
}

static bool same_offset(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

bool snap_path_equal(const snap_source *s, const snap_path *a, const snap_path *b)
{
    if (a->count != b->count || a->locked != b->locked)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (a->steps[i].joint != b->steps[i].joint)
            return false;
        if (a->steps[i].joint == SNAP_OFFSET &&
            !same_offset(s->windows[a->steps[i].window].offset, s->windows[b->steps[i].window].offset))
            return false;
    }
    return true;
}

/* --- evaluation ------------------------------------------------------------------------------------------------- */

/* As in base/math.h, but inlined: poses are made of little else. */
static inline double dot4(rift_quat a, rift_quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline rift_quat mul4(rift_quat p, rift_quat q)
{
    return (rift_quat){
        p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
        p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
        p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
    };
}

static inline rift_vec3 turn(rift_quat q, rift_vec3 v)
{
    const rift_vec3 a = {q.y * v.z - q.z * v.y, q.z * v.x - q.x * v.z, q.x * v.y - q.y * v.x};
    const rift_vec3 b = {q.y * a.z - q.z * a.y, q.z * a.x - q.x * a.z, q.x * a.y - q.y * a.x};
    return (rift_vec3){v.x + 2 * (q.w * a.x + b.x), v.y + 2 * (q.w * a.y + b.y), v.z + 2 * (q.w * a.z + b.z)};
}

/* The key at or before t. Times asked for are mostly near the last ones. */
static uint32_t seek(const rift_channel *ch, uint32_t k, double t)
{
    while (k > 0 && t < (double)ch->times[k])
        k--;
    while (k + 1 < ch->key_count && t >= (double)ch->times[k + 1])
        k++;
    return k;
}

/* sin(u x) / u as a series; x2u2 is (u x) squared. */
static inline double sine_part(double x2u2)
{
    return 1 - x2u2 / 6 * (1 - x2u2 / 20 * (1 - x2u2 / 42));
}

/* Signs and angle of a rotation's segment. */
static void prepare_turn(snap_segment *g)
{
    double dot = g->a[0] * g->b[0] + g->a[1] * g->b[1] + g->a[2] * g->b[2] + g->a[3] * g->b[3];
    for (int i = 0; dot < 0 && i < 4; i++)
        g->b[i] = -g->b[i];
    const double d = 1 - fabs(dot);
    g->series = d < 0.01;
    g->x2 = d * (2 + d * (1.0 / 3 + d * (4.0 / 45 + d / 35))); /* squared angle from 1 - cosine */
    g->inverse_sine = 1 / sine_part(g->x2);
}

static void load_segment(snap_segment *g, const rift_channel *ch, double t)
{
    const size_t dimension = ch->component == RIFT_ROTATION ? 4 : 3;
    const uint32_t k = seek(ch, g->key, t);
    const float *v = ch->values + dimension * k;
    g->key = k;
    g->hold = k + 1 == ch->key_count || t < (double)ch->times[k];
    g->from = t < (double)ch->times[k] ? -HUGE_VAL : (double)ch->times[k];
    g->to = t < (double)ch->times[k] ? (double)ch->times[k] : HUGE_VAL;
    for (size_t i = 0; i < dimension; i++)
        g->a[i] = (double)v[i];
    if (g->hold)
        return;
    g->to = (double)ch->times[k + 1];
    g->rate = 1 / (g->to - g->from);
    for (size_t i = 0; i < dimension; i++)
        g->b[i] = (double)v[dimension + i];
    if (dimension == 4)
        prepare_turn(g);
}

/* Keys are of unit length up to float32: one step towards it is enough. */
static rift_quat near_unit(rift_quat q)
{
    const double f = 1.5 - 0.5 * dot4(q, q);
    return (rift_quat){f * q.x, f * q.y, f * q.z, f * q.w};
}

static rift_quat rotation_of(snap_source *s, size_t at, rift_quat rest, double t)
{
    const rift_channel *ch = s->channels[at];
    snap_segment *g = &s->segments[at];
    if (ch == NULL)
        return rest;
    if (ch->interpolation != RIFT_LINEAR) {
        double v[4];
        rift_channel_eval(v, ch, t);
        return (rift_quat){v[0], v[1], v[2], v[3]};
    }
    if (!(t >= g->from && t < g->to))
        load_segment(g, ch, t);
    const rift_quat a = {g->a[0], g->a[1], g->a[2], g->a[3]};
    if (g->hold)
        return near_unit(a);
    const rift_quat b = {g->b[0], g->b[1], g->b[2], g->b[3]};
    const double u = (t - g->from) * g->rate;
    if (!g->series)
        return rift_quat_slerp(rift_quat_normalize(a), rift_quat_normalize(b), u);
    const double v = 1 - u;
    const double wa = v * sine_part(v * v * g->x2) * g->inverse_sine;
    const double wb = u * sine_part(u * u * g->x2) * g->inverse_sine;
    return near_unit(
        (rift_quat){wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w});
}

static rift_vec3 vector_of(snap_source *s, size_t at, rift_vec3 rest, double t)
{
    const rift_channel *ch = s->channels[at];
    snap_segment *g = &s->segments[at];
    if (ch == NULL)
        return rest;
    if (ch->interpolation != RIFT_LINEAR) {
        double v[4];
        rift_channel_eval(v, ch, t);
        return (rift_vec3){v[0], v[1], v[2]};
    }
    if (!(t >= g->from && t < g->to))
        load_segment(g, ch, t);
    if (g->hold)
        return (rift_vec3){g->a[0], g->a[1], g->a[2]};
    const double u = (t - g->from) * g->rate;
    return (rift_vec3){g->a[0] + u * (g->b[0] - g->a[0]), g->a[1] + u * (g->b[1] - g->a[1]),
                       g->a[2] + u * (g->b[2] - g->a[2])};
}

static bool is_uniform(rift_vec3 s)
{
    if (s.x == s.y && s.y == s.z)
        return true;
    const double low = fmin(s.x, fmin(s.y, s.z));
    const double high = fmax(s.x, fmax(s.y, s.z));
    return high - low <= uniform_spread * fmax(fabs(low), fabs(high));
}

static void mul3(double out[9], const double a[9], const double b[9])
{
    for (size_t c = 0; c < 3; c++) {
        for (size_t r = 0; r < 3; r++)
            out[3 * c + r] = a[r] * b[3 * c] + a[3 + r] * b[3 * c + 1] + a[6 + r] * b[3 * c + 2];
    }
}

static void linear_of(double out[9], rift_quat q, rift_vec3 s)
{
    const rift_mat4 m = rift_mat4_from_trs((rift_trs){{0, 0, 0}, q, s});
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++)
            out[3 * c + r] = m.m[4 * c + r];
    }
}

static rift_vec3 apply3(const double m[9], rift_vec3 v)
{
    return (rift_vec3){m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                       m[2] * v.x + m[5] * v.y + m[8] * v.z};
}

static void add_point(snap_pose *pose, rift_vec3 local)
{
    rift_vec3 at;
    if (pose->general) {
        at = apply3(pose->m, local);
    } else {
        const rift_vec3 s = pose->trs.s;
        at = turn(pose->trs.r, (rift_vec3){s.x * local.x, s.y * local.y, s.z * local.z});
    }
    pose->trs.t = (rift_vec3){pose->trs.t.x + at.x, pose->trs.t.y + at.y, pose->trs.t.z + at.z};
}

static void add_local(snap_pose *pose, rift_vec3 t, rift_quat r, rift_vec3 s)
{
    add_point(pose, t);
    if (!pose->general && !is_uniform(pose->trs.s)) {
        pose->general = true;
        linear_of(pose->m, pose->trs.r, pose->trs.s);
    }
    pose->trs.r = mul4(pose->trs.r, r);
    if (pose->general) {
        double local[9];
        double above[9];
        linear_of(local, r, s);
        memcpy(above, pose->m, sizeof above);
        mul3(pose->m, above, local);
        return;
    }
    const double factor = pose->trs.s.x;
    pose->trs.s = (rift_vec3){factor * s.x, factor * s.y, factor * s.z};
}

snap_pose snap_eval(snap_source *s, const snap_path *path, double t)
{
    snap_pose pose = {.trs = RIFT_TRS_IDENTITY};
    *s->work += path->count;
    for (size_t i = path->count; i-- > 0;) {
        const snap_step *step = &path->steps[i];
        if (step->joint == SNAP_OFFSET) {
            const double *offset = s->windows[step->window].offset;
            add_point(&pose, (rift_vec3){offset[0], offset[1], offset[2]});
            continue;
        }
        const rift_trs *rest = &s->skeleton->joints[step->joint].rest;
        const size_t at = 3 * (size_t)step->joint;
        const rift_vec3 translation = vector_of(s, at + RIFT_TRANSLATION, rest->t, t);
        const rift_quat rotation = rotation_of(s, at + RIFT_ROTATION, rest->r, t);
        add_local(&pose, translation, rotation, vector_of(s, at + RIFT_SCALE, rest->s, t));
    }
    pose.trs.r = rift_quat_normalize(pose.trs.r);
    return pose;
}

/* --- decomposition ---------------------------------------------------------------------------------------------- */

static double norm3(const double m[9])
{
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += m[i] * m[i];
    return sqrt(sum);
}

/* Transposed inverse times determinant. */
static void cofactors(double out[9], const double m[9])
{
    for (size_t c = 0; c < 3; c++) {
        const double *a = m + 3 * ((c + 1) % 3);
        const double *b = m + 3 * ((c + 2) % 3);
        out[3 * c] = a[1] * b[2] - a[2] * b[1];
        out[3 * c + 1] = a[2] * b[0] - a[0] * b[2];
        out[3 * c + 2] = a[0] * b[1] - a[1] * b[0];
    }
}

static double det3(const double m[9], const double cof[9])
{
    return m[0] * cof[0] + m[1] * cof[1] + m[2] * cof[2];
}

/* The orthogonal matrix nearest to m (Newton's iteration with scaling). False for singular ones. */
static bool polar(double out[9], const double m[9])
{
    double x[9];
    const double size = norm3(m);
    for (int i = 0; i < 9; i++)
        x[i] = m[i] / size;
    for (int step = 0; step < POLAR_STEPS; step++) {
        double cof[9];
        cofactors(cof, x);
        const double det = det3(x, cof);
        if (!(fabs(det) > 1e-20))
            return false;
        const double factor = sqrt(norm3(cof) / fabs(det) / norm3(x));
        double change = 0;
        for (int i = 0; i < 9; i++) {
            const double next = 0.5 * (factor * x[i] + cof[i] / (det * factor));
            change = fmax(change, fabs(next - x[i]));
            x[i] = next;
        }
        if (change < 1e-15)
            break;
    }
    memcpy(out, x, sizeof x);
    return isfinite(norm3(x)) != 0;
}

/* Rotation of a proper orthogonal matrix, by the largest of the four squared components. */
static rift_quat quat_of(const double m[9])
{
    const double trace = m[0] + m[4] + m[8];
    rift_quat q;
    if (trace > 0) {
        q = (rift_quat){m[5] - m[7], m[6] - m[2], m[1] - m[3], 1 + trace};
    } else if (m[0] >= m[4] && m[0] >= m[8]) {
        q = (rift_quat){1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6], m[5] - m[7]};
    } else if (m[4] >= m[8]) {
        q = (rift_quat){m[1] + m[3], 1 - m[0] + m[4] - m[8], m[5] + m[7], m[6] - m[2]};
    } else {
        q = (rift_quat){m[2] + m[6], m[5] + m[7], 1 - m[0] - m[4] + m[8], m[1] - m[3]};
    }
    return rift_quat_normalize(q);
}

/* Of the ways to write an orthogonal matrix as a rotation with axes flipped, the one nearest to the hint: flips in pairs
 * belong to it, so that a scale such as (-1, -1, 1) does not become a turn half way through a clip. */
static rift_quat nearest_flip(const double q[9], rift_quat hint)
{
    double cof[9];
    cofactors(cof, q);
    const bool mirrored = det3(q, cof) < 0;
    rift_quat best = {0, 0, 0, 1};
    double best_dot = -1;
    for (unsigned flips = 0; flips < 8; flips++) {
        const unsigned count = (flips & 1) + (flips >> 1 & 1) + (flips >> 2 & 1);
        if ((count % 2 == 1) != mirrored)
            continue;
        double m[9];
        for (unsigned i = 0; i < 9; i++)
            m[i] = flips >> (i / 3) & 1 ? -q[i] : q[i];
        const rift_quat candidate = quat_of(m);
        const double dot = fabs(rift_quat_dot(candidate, hint));
        if (dot > best_dot) {
            best_dot = dot;
            best = candidate;
        }
    }
    return best;
}

static bool has_short_axis(const double m[9])
{
    for (int c = 0; c < 9; c += 3) {
        if (!(sqrt(m[c] * m[c] + m[c + 1] * m[c + 1] + m[c + 2] * m[c + 2]) >= short_axis))
            return true;
    }
    return false;
}

rift_trs snap_trs(const snap_pose *pose, rift_quat hint, double *shear)
{
    if (shear != NULL)
        *shear = 0;
    if (!pose->general)
        return pose->trs;
    const double *m = pose->m;
    double q[9];
    rift_trs out = {pose->trs.t, hint, {0, 0, 0}};
    if (!has_short_axis(m) && polar(q, m))
        out.r = nearest_flip(q, hint);
    double r[9];
    double residual[9];
    double s[3];
    linear_of(r, out.r, (rift_vec3){1, 1, 1});
    for (size_t c = 0; c < 3; c++) {
        s[c] = r[3 * c] * m[3 * c] + r[3 * c + 1] * m[3 * c + 1] + r[3 * c + 2] * m[3 * c + 2];
        for (size_t i = 0; i < 3; i++)
            residual[3 * c + i] = m[3 * c + i] - r[3 * c + i] * s[c];
    }
    out.s = (rift_vec3){s[0], s[1], s[2]};
    const double size = norm3(m);
    if (shear != NULL && size > 0)
        *shear = norm3(residual) / size;
    return out;
}
