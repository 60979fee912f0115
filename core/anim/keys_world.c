/* The world limit (decisions 26). Local errors add up along a chain, so after the local limits are met this measures where joints really end up.
 *
 * Sieves, cheap first: (1) a bound of the whole clip from the largest error of each channel; (2) the same bound for each interval between two key times, from the errors of the segments
 * there; (3) where that is too large, both chains evaluated at some instant at least every coarse_s; (4) around instants that come near the limit, both at the quarter points of every interval.
 * Where the measured distance is over the limit, those segments of the chain that contribute most are halved, and what they cover is looked at again. The intervals are those between any two
 * keys of any joint, far denser than the motion, so (3) misses little; without it the check costs ten times the rest of the work.
 *
 * The bound: with A the linear part of a joint's world matrix and p its position, |dp_j| <= |dp_parent| + |dA_parent| |t| + |A_parent| dt and |dA_j| <= |dA_parent| |s| + |A_parent| (angle |s| + ds).
 */
#include <math.h>
#include <string.h>

#include "anim/anim_internal.h"

enum { MAX_ROUNDS = 24, BOUNDS_A_POSE = 16 /* what a bound costs less than a pose */ };

/* Quarter points see all but a sliver of a cubic's deviation; and joints are measured at the quarter points of all key times, which are not quite those of their own chain. */
static const double bound_margin = 1.1;
static const double limit_share = 0.9;
/* Steps of the coarse look, and the share of the limit from which its surroundings are looked at closely. */
static const double coarse_s = 1.0 / 240;
static const double hot_share = 0.5;
/* Intervals below this are measured in their middle only. */
static const double short_s = 1.0 / 480;
/* A segment that contributes less than this share of the limit is not worth a key. */
static const double min_share = 0.01;

typedef struct affine {
    double m[9]; /* columns */
    double p[3];
} affine;

typedef struct node {
    uint32_t joint;
    int32_t parent;      /* node, or -1 */
    int32_t channels[3]; /* by rift_component, or -1 */
    bool influences;
    bool is_static;          /* `local` holds for the whole clip */
    double t_length, s_size; /* largest |t| and |s| of the clip */
    affine local;
} node;

/* Errors and sizes of one node over one interval. */
typedef struct bound {
    double position, linear, size;
} bound;

typedef struct world {
    rift_keys_job *job;
    node *nodes;
    size_t node_count;
    bound *bounds;
    bool *wanted;
    affine *source, *drawn;
    float *times; /* union of key times, rising */
    size_t time_count;
    float *dirty; /* pairs: spans that were split in the round before */
    size_t dirty_count;
    bool *look, *hot; /* by interval */
    double worst;
    uint32_t worst_joint;
    bool split_any;
    uint64_t work; /* joint-samples, against world_budget */
} world;

/* --- the chains ------------------------------------------------------------------------------------------------- */

static double max_abs(const float *v, double floor)
{
    for (int i = 0; i < 3; i++)
        floor = fmax(floor, fabs((double)v[i]));
    return floor;
}

static void measure_node(node *n, const rift_keys_job *job)
{
    const rift_trs *rest = &job->in->skeleton->joints[n->joint].rest;
    n->t_length = rift_vec3_length(rest->t);
    n->s_size = fmax(fabs(rest->s.x), fmax(fabs(rest->s.y), fabs(rest->s.z)));
    for (int c = 0; c < 3; c++) {
        if (n->channels[c] < 0 || c == RIFT_ROTATION)
            continue;
        const rift_work_channel *ch = &job->channels[n->channels[c]];
        double largest = 0;
        for (size_t k = 0; k < ch->key_count; k++) {
            const float *v = ch->keys[k].v;
            const rift_vec3 vec = {(double)v[0], (double)v[1], (double)v[2]};
            largest = c == RIFT_SCALE ? max_abs(v, largest) : fmax(largest, rift_vec3_length(vec));
        }
        *(c == RIFT_SCALE ? &n->s_size : &n->t_length) = largest;
    }
}

/* Influencing joints and what stands above them, parents first. */
static bool collect_nodes(world *w)
{
    const rift_skeleton *sk = w->job->in->skeleton;
    int32_t *node_of = RIFT_NEW(w->job->tmp, int32_t, sk->joint_count);
    bool *needed = RIFT_NEW(w->job->tmp, bool, sk->joint_count);
    w->nodes = RIFT_NEW(w->job->tmp, node, sk->joint_count);
    if (node_of == NULL || needed == NULL || w->nodes == NULL)
        return false;
    for (size_t i = sk->joint_count; i-- > 0;) {
        const uint32_t j = sk->topological[i];
        needed[j] |= sk->joints[j].influences;
        if (needed[j] && sk->joints[j].parent != RIFT_NO_PARENT)
            needed[sk->joints[j].parent] = true;
    }
    for (size_t i = 0; i < sk->joint_count; i++) {
        const uint32_t j = sk->topological[i];
        if (!needed[j])
            continue;
        const int32_t parent = sk->joints[j].parent;
        node_of[j] = (int32_t)w->node_count;
        w->nodes[w->node_count++] = (node){.joint = j,
                                           .parent = parent == RIFT_NO_PARENT ? -1 : node_of[parent],
                                           .channels = {-1, -1, -1},
                                           .influences = sk->joints[j].influences};
    }
    for (size_t c = 0; c < w->job->channel_count; c++) {
        const rift_work_channel *ch = &w->job->channels[c];
        if (needed[ch->joint])
            w->nodes[node_of[ch->joint]].channels[ch->component] = (int32_t)c;
    }
    for (size_t i = 0; i < w->node_count; i++)
        measure_node(&w->nodes[i], w->job);
    w->bounds = RIFT_NEW(w->job->tmp, bound, w->node_count);
    w->wanted = RIFT_NEW(w->job->tmp, bool, w->node_count);
    w->source = RIFT_NEW(w->job->tmp, affine, w->node_count);
    w->drawn = RIFT_NEW(w->job->tmp, affine, w->node_count);
    return w->job->tmp->failed == RIFT_OK;
}

/* --- the bound -------------------------------------------------------------------------------------------------- */

typedef double error_fn(const rift_work_channel *ch);

static double largest_error(const rift_work_channel *ch)
{
    double worst = 0;
    for (size_t k = 0; k < ch->key_count; k++)
        worst = fmax(worst, (double)ch->keys[k].error);
    return worst * bound_margin;
}

static double current_error(const rift_work_channel *ch)
{
    return (double)ch->keys[ch->cursor].error * bound_margin;
}

/* Error of a node's component. */
static double node_error(const world *w, const node *n, rift_component component, error_fn *error)
{
    return n->channels[component] < 0 ? 0 : error(&w->job->channels[n->channels[component]]);
}

/* Whether some influencing joint may be off by more than the limit; marks those. */
static bool bound_chains(world *w, error_fn *error, double limit)
{
    bool over = false;
    for (size_t i = 0; i < w->node_count; i++) {
        const node *n = &w->nodes[i];
        const bound up = n->parent < 0 ? (bound){0, 0, 1} : w->bounds[n->parent];
        w->bounds[i] = (bound){
            .position =
                up.position + up.linear * n->t_length + up.size * node_error(w, n, RIFT_TRANSLATION, error),
            .linear = up.linear * n->s_size + up.size * (node_error(w, n, RIFT_ROTATION, error) * n->s_size +
                                                         node_error(w, n, RIFT_SCALE, error)),
            .size = up.size * n->s_size,
        };
        w->wanted[i] = n->influences && !(w->bounds[i].position <= limit);
        over |= w->wanted[i];
    }
    return over;
}

/* --- both poses at one instant ---------------------------------------------------------------------------------- */

/* sin(u x) / (u sin x) as series, for quaternions close to each other; keys after refinement nearly always are. */
static double sine_ratio(double u2x2, double x2)
{
    const double a = 1 - u2x2 / 6 * (1 - u2x2 / 20 * (1 - u2x2 / 42));
    const double b = 1 - x2 / 6 * (1 - x2 / 20 * (1 - x2 / 42));
    return a / b;
}

static void slerp_f32(double out[4], const float *a, const float *b, double u)
{
    double dot = 0;
    for (int i = 0; i < 4; i++)
        dot += (double)a[i] * (double)b[i];
    const double sign = dot < 0 ? -1 : 1;
    const double d = 1 - dot * sign;
    if (d > 0.05) {
        const rift_quat q =
            rift_quat_slerp((rift_quat){(double)a[0], (double)a[1], (double)a[2], (double)a[3]},
                            (rift_quat){(double)b[0], (double)b[1], (double)b[2], (double)b[3]}, u);
        out[0] = q.x;
        out[1] = q.y;
        out[2] = q.z;
        out[3] = q.w;
        return;
    }
    const double x2 = d * (2 + d * (1.0 / 3 + d * (4.0 / 45 + d / 35))); /* squared angle from 1 - cosine */
    const double wb = sign * u * sine_ratio(u * u * x2, x2);
    const double wa = (1 - u) * sine_ratio((1 - u) * (1 - u) * x2, x2);
    for (int i = 0; i < 4; i++)
        out[i] = wa * (double)a[i] + wb * (double)b[i];
}

/* Source and drawn value of a channel at clip time t, within the interval that its cursor stands in. */
static void eval_channel(
    const rift_work_channel *ch, const rift_keys_job *job, double t, double source[4], double drawn[4])
{
    const rift_work_key *a = &ch->keys[ch->cursor];
    const bool inside = ch->cursor + 1 < ch->key_count && t > (double)a->t;
    if (!inside) {
        for (int i = 0; i < 4; i++)
            source[i] = drawn[i] = (double)a->v[i];
        return;
    }
    const rift_work_key *b = a + 1;
    const double u = (t - (double)a->t) / ((double)b->t - (double)a->t);
    if (ch->component == RIFT_ROTATION) {
        slerp_f32(drawn, a->v, b->v, u);
    } else {
        for (int i = 0; i < 4; i++)
            drawn[i] = (double)a->v[i] + u * ((double)b->v[i] - (double)a->v[i]);
    }
    if (ch->pieces != NULL) {
        rift_piece_eval(source, &ch->pieces[a->piece], ch->component == RIFT_ROTATION, t + job->start);
    } else {
        memcpy(source, drawn, 4 * sizeof *source);
    }
}

static affine affine_of(const double t[4], const double q[4], const double s[4])
{
    const double x = q[0];
    const double y = q[1];
    const double z = q[2];
    const double w = q[3];
    return (affine){
        .m = {(1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + z * w) * s[0], 2 * (x * z - y * w) * s[0],
              2 * (x * y - z * w) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + x * w) * s[1],
              2 * (x * z + y * w) * s[2], 2 * (y * z - x * w) * s[2], (1 - 2 * (x * x + y * y)) * s[2]},
        .p = {t[0], t[1], t[2]},
    };
}

static affine affine_mul(const affine *a, const affine *b)
{
    affine out = {{0}, {0}};
    for (size_t r = 0; r < 3; r++) {
        for (size_t c = 0; c < 3; c++) {
            out.m[3 * c + r] =
                a->m[r] * b->m[3 * c] + a->m[3 + r] * b->m[3 * c + 1] + a->m[6 + r] * b->m[3 * c + 2];
        }
        out.p[r] = a->m[r] * b->p[0] + a->m[3 + r] * b->p[1] + a->m[6 + r] * b->p[2] + a->p[r];
    }
    return out;
}

/* Local matrices of a node at time t. */
static void local_pose(const world *w, const node *n, double t, affine *source, affine *drawn)
{
    const rift_trs *rest = &w->job->in->skeleton->joints[n->joint].rest;
    double from[3][4] = {{rest->t.x, rest->t.y, rest->t.z, 0},
                         {rest->r.x, rest->r.y, rest->r.z, rest->r.w},
                         {rest->s.x, rest->s.y, rest->s.z, 0}};
    double to[3][4];
    memcpy(to, from, sizeof to);
    for (int c = 0; c < 3; c++) {
        if (n->channels[c] >= 0)
            eval_channel(&w->job->channels[n->channels[c]], w->job, t, from[c], to[c]);
    }
    *source = affine_of(from[RIFT_TRANSLATION], from[RIFT_ROTATION], from[RIFT_SCALE]);
    *drawn = affine_of(to[RIFT_TRANSLATION], to[RIFT_ROTATION], to[RIFT_SCALE]);
}

static void pose_node(world *w, size_t i, double t)
{
    const node *n = &w->nodes[i];
    affine source = n->local;
    affine drawn = n->local;
    if (!n->is_static)
        local_pose(w, n, t, &source, &drawn);
    w->source[i] = n->parent < 0 ? source : affine_mul(&w->source[n->parent], &source);
    w->drawn[i] = n->parent < 0 ? drawn : affine_mul(&w->drawn[n->parent], &drawn);
}

/* Nodes without a moving channel keep one matrix. Cursors stand at the start. */
static void find_static(world *w)
{
    for (size_t i = 0; i < w->node_count; i++) {
        node *n = &w->nodes[i];
        n->is_static = true;
        for (int c = 0; c < 3; c++) {
            n->is_static =
                n->is_static && (n->channels[c] < 0 || w->job->channels[n->channels[c]].key_count == 1);
        }
        affine drawn;
        if (n->is_static)
            local_pose(w, n, 0, &n->local, &drawn);
    }
}

static double distance(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* --- splitting -------------------------------------------------------------------------------------------------- */

/* How much a component of node `up` may move node i: rotations and scales by the lever between them. */
static double contribution(const world *w, size_t i, size_t up, rift_component component)
{
    const node *n = &w->nodes[up];
    if (n->channels[component] < 0)
        return 0;
    const double error = current_error(&w->job->channels[n->channels[component]]);
    if (component == RIFT_TRANSLATION)
        return error * (n->parent < 0 ? 1 : w->bounds[n->parent].size);
    return up == i ? 0 : error * distance(w->source[i].p, w->source[up].p);
}

static rift_work_channel *splittable(const world *w, size_t up, rift_component component)
{
    const int32_t at = w->nodes[up].channels[component];
    if (at < 0)
        return NULL;
    rift_work_channel *ch = &w->job->channels[at];
    return rift_keys_can_split(ch, ch->cursor, w->job->in->limits.max_halvings) ? ch : NULL;
}

static double largest_contribution(const world *w, size_t i)
{
    double largest = 0;
    for (int32_t up = (int32_t)i; up >= 0; up = w->nodes[up].parent) {
        for (int c = 0; c < 3; c++) {
            if (splittable(w, (size_t)up, (rift_component)c) != NULL)
                largest = fmax(largest, contribution(w, i, (size_t)up, (rift_component)c));
        }
    }
    return largest;
}

/* Asks for the halving of the segments that contribute at least half as much as the largest. False when none can be halved. */
static bool ask_for_splits(world *w, size_t i)
{
    const double largest = largest_contribution(w, i);
    if (!(largest > min_share * w->job->in->limits.world))
        return false;
    for (int32_t up = (int32_t)i; up >= 0; up = w->nodes[up].parent) {
        for (int c = 0; c < 3; c++) {
            rift_work_channel *ch = splittable(w, (size_t)up, (rift_component)c);
            if (ch != NULL && contribution(w, i, (size_t)up, (rift_component)c) >= 0.5 * largest)
                ch->keys[ch->cursor].split = true;
        }
    }
    w->split_any = true;
    return true;
}

/* Largest distance at time t of a joint that the bound could not clear. With `splits`, asks for halvings where it is over the limit. */
static double measure_instant(world *w, double t, bool splits)
{
    const double limit = w->job->in->limits.world;
    static const double origin[3] = {0, 0, 0};
    double worst = 0;
    for (size_t i = 0; i < w->node_count; i++) {
        if (w->wanted[i]) {
            pose_node(w, i, t);
            w->work++;
        }
    }
    for (size_t i = 0; i < w->node_count; i++) {
        if (!w->nodes[i].influences || !w->wanted[i] || w->bounds[i].position <= limit * limit_share)
            continue;
        const double off = distance(w->source[i].p, w->drawn[i].p);
        if (!(off > limit * hot_share) || distance(w->source[i].p, origin) > RIFT_WORLD_REACH)
            continue;
        worst = off > worst ? off : worst;
        if (splits && off > limit * limit_share && !ask_for_splits(w, i) && off > limit && off > w->worst) {
            w->worst = off;
            w->worst_joint = w->nodes[i].joint;
        }
    }
    return worst;
}

static void want_ancestors(world *w)
{
    for (size_t i = w->node_count; i-- > 0;) {
        if (w->wanted[i] && w->nodes[i].parent >= 0)
            w->wanted[w->nodes[i].parent] = true;
    }
}

/* --- intervals -------------------------------------------------------------------------------------------------- */

static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Radix sort: floats that are not negative sort as their bits do. */
static void sort_times(float *times, float *scratch, size_t count)
{
    for (unsigned shift = 0; shift < 32; shift += 8) {
        uint32_t starts[257] = {0};
        for (size_t i = 0; i < count; i++)
            starts[(bits_of(times[i]) >> shift & 0xFF) + 1]++;
        for (size_t b = 0; b < 256; b++)
            starts[b + 1] += starts[b];
        for (size_t i = 0; i < count; i++)
            scratch[starts[bits_of(times[i]) >> shift & 0xFF]++] = times[i];
        memcpy(times, scratch, count * sizeof *times);
    }
}

static bool collect_times(world *w)
{
    size_t total = 0;
    for (size_t i = 0; i < w->node_count; i++) {
        for (int c = 0; c < 3; c++) {
            if (w->nodes[i].channels[c] >= 0)
                total += w->job->channels[w->nodes[i].channels[c]].key_count;
        }
    }
    w->times = RIFT_NEW(w->job->tmp, float, total);
    float *scratch = RIFT_NEW(w->job->tmp, float, total);
    w->look = RIFT_NEW(w->job->tmp, bool, total);
    w->hot = RIFT_NEW(w->job->tmp, bool, total);
    if (w->times == NULL || scratch == NULL || w->look == NULL || w->hot == NULL)
        return false;
    size_t count = 0;
    for (size_t i = 0; i < w->node_count; i++) {
        for (int c = 0; c < 3; c++) {
            const int32_t at = w->nodes[i].channels[c];
            for (size_t k = 0; at >= 0 && k < w->job->channels[at].key_count; k++)
                w->times[count++] = w->job->channels[at].keys[k].t;
        }
    }
    sort_times(w->times, scratch, count);
    w->time_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (w->time_count == 0 || w->times[i] > w->times[w->time_count - 1])
            w->times[w->time_count++] = w->times[i];
    }
    return true;
}

/* In the first round every interval is looked at, later those under a split segment. */
static void choose_intervals(world *w, bool first)
{
    for (size_t i = 0; i + 1 < w->time_count; i++)
        w->look[i] = first;
    for (size_t d = 0; d < w->dirty_count; d++) {
        size_t low = 0;
        size_t high = w->time_count;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (w->times[middle] < w->dirty[2 * d]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        for (; low + 1 < w->time_count && w->times[low] < w->dirty[2 * d + 1]; low++)
            w->look[low] = true;
    }
}

static void move_cursors(world *w, float t)
{
    for (size_t c = 0; c < w->job->channel_count; c++) {
        rift_work_channel *ch = &w->job->channels[c];
        while (ch->cursor + 1 < ch->key_count && ch->keys[ch->cursor + 1].t <= t)
            ch->cursor++;
    }
}

static void reset_cursors(world *w)
{
    for (size_t c = 0; c < w->job->channel_count; c++)
        w->job->channels[c].cursor = 0;
}

/* Sieve 2 for the interval that begins at time i. */
static bool may_be_over(world *w, size_t i)
{
    move_cursors(w, w->times[i]);
    w->work += w->node_count / BOUNDS_A_POSE + 1;
    if (!bound_chains(w, current_error, w->job->in->limits.world * limit_share))
        return false;
    want_ancestors(w);
    return true;
}

/* Marks the intervals within coarse_s of a time. */
static void mark_hot(world *w, size_t i, double t)
{
    for (size_t k = i + 1; k-- > 0 && (double)w->times[k + 1] >= t - coarse_s;)
        w->hot[k] = true;
    for (size_t k = i; k + 1 < w->time_count && (double)w->times[k] <= t + coarse_s; k++)
        w->hot[k] = true;
}

/* A hostile clip may hold more than anybody wants to wait for. */
static bool is_spent(const world *w)
{
    return w->work > w->job->in->limits.world_budget;
}

static void look_coarsely(world *w)
{
    double looked_at = -1;
    memset(w->hot, 0, w->time_count * sizeof *w->hot);
    reset_cursors(w);
    for (size_t i = 0; i + 1 < w->time_count && !is_spent(w); i++) {
        const double from = (double)w->times[i];
        const double to = (double)w->times[i + 1];
        if (!w->look[i] || (to - from < coarse_s && to - looked_at < coarse_s) || !may_be_over(w, i))
            continue;
        if (to - from >= coarse_s) {
            w->hot[i] = true;
            continue;
        }
        looked_at = 0.5 * (from + to);
        if (measure_instant(w, looked_at, false) > 0)
            mark_hot(w, i, looked_at);
    }
}

static void look_closely(world *w)
{
    reset_cursors(w);
    for (size_t i = 0; i + 1 < w->time_count && !is_spent(w); i++) {
        if (!w->look[i] || !w->hot[i] || !may_be_over(w, i))
            continue;
        const double from = (double)w->times[i];
        const double length = (double)w->times[i + 1] - from;
        if (length < short_s) {
            (void)measure_instant(w, from + 0.5 * length, true);
            continue;
        }
        for (int q = 0; q < 4; q++) /* 0 too: one channel's key lies inside the segments of others */
            (void)measure_instant(w, from + 0.25 * q * length, true);
    }
}

/* Splits what was asked for and remembers the spans. */
static bool apply_splits(world *w)
{
    size_t wanted = 0;
    for (size_t c = 0; c < w->job->channel_count; c++) {
        for (size_t k = 0; k < w->job->channels[c].key_count; k++)
            wanted += w->job->channels[c].keys[k].split;
    }
    w->dirty = RIFT_NEW(w->job->tmp, float, 2 * wanted);
    if (w->dirty == NULL)
        return false;
    w->dirty_count = 0;
    for (size_t c = 0; c < w->job->channel_count; c++) {
        rift_work_channel *ch = &w->job->channels[c];
        for (size_t k = 0; k + 1 < ch->key_count; k++) {
            if (!ch->keys[k].split)
                continue;
            w->dirty[2 * w->dirty_count] = ch->keys[k].t;
            w->dirty[2 * w->dirty_count++ + 1] = ch->keys[k + 1].t;
        }
        if (!rift_keys_split(ch, w->job))
            return false;
    }
    return true;
}

bool rift_keys_check_world(rift_keys_job *job)
{
    world w = {.job = job};
    if (!(job->in->limits.world > 0))
        return true;
    if (!collect_nodes(&w))
        return false;
    if (!bound_chains(&w, largest_error, job->in->limits.world * limit_share))
        return true;
    find_static(&w);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        w.split_any = false;
        if (!collect_times(&w))
            return false;
        choose_intervals(&w, round == 0);
        look_coarsely(&w);
        look_closely(&w);
        if (is_spent(&w)) {
            rift_report_add(job->report, "world_check_skipped", "%zu key times of %zu joints", w.time_count,
                            w.node_count);
            break;
        }
        if (!w.split_any)
            break;
        if (!apply_splits(&w))
            return false;
    }
    if (w.worst > 0) {
        rift_report_add(job->report, "world_error", "%.*s is %.3g u off",
                        RIFT_STR_ARG(job->in->skeleton->joints[w.worst_joint].name), w.worst);
    }
    job->worst_world = w.worst;
    return true;
}
