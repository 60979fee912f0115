/* S22: what was written against what was meant. Nothing is taken over from the way the keys were made but the places of
 * the gaps: paths are traced anew at each instant, and the float32 arrays are drawn by glTF's rules. */
#include <math.h>

#include "anim/snap_internal.h"

static const double rate = 240;

/* Section 5. */
static const rift_snap_limits at_keys = {
    .translation = 1e-3, .rotation_rad = 0.01 * 3.14159265358979323846 / 180, .scale = 1e-5};
static const rift_snap_limits standing = {
    .translation = 1e-4, .rotation_rad = 1e-3 * 3.14159265358979323846 / 180, .scale = 1e-5};
/* Rounding of float32, relative: far from the origin it is more than any limit. */
static const double float_share = 2e-7;

typedef struct checker {
    snap_source *source;
    const rift_channel *channels;
    uint32_t victim;
    rift_arena *tmp;
    rift_snap_limits between; /* of S14, doubled as S27 had to */
    snap_path path;
    rift_snap_stat *stat;
    snap_fault *fault;
    double worst; /* error over limit */
} checker;

static rift_trs drawn_at(const checker *c, double t)
{
    double v[3][4];
    for (int i = 0; i < 3; i++)
        rift_channel_eval(v[i], &c->channels[i], t);
    return (rift_trs){
        {v[0][0], v[0][1], v[0][2]},
        rift_quat_normalize((rift_quat){v[1][0], v[1][1], v[1][2], v[1][3]}),
        {v[2][0], v[2][1], v[2][2]},
    };
}

static double largest(rift_vec3 v)
{
    return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
}

static rift_snap_limits limits_at(const checker *c, bool is_key)
{
    if (is_key)
        return at_keys;
    if (c->path.locked && c->path.is_static)
        return standing;
    rift_snap_limits l = c->between;
    l.translation *= 3;
    l.rotation_rad *= 3;
    if (!c->path.locked)
        l.scale *= 3;
    return l;
}

/* Error as a share of what is allowed; not a number counts as too much. */
static double share_of(double error, double limit)
{
    const double share = error / limit;
    return isnan(share) ? HUGE_VAL : share;
}

static void note(checker *c, double t, const rift_trs *want, const rift_trs *drawn, bool is_key)
{
    const snap_fault f = {
        .t = t,
        .translation = rift_vec3_length(rift_vec3_sub(drawn->t, want->t)),
        .rotation_rad = rift_quat_angle(drawn->r, want->r),
        .scale = largest(rift_vec3_sub(drawn->s, want->s)),
    };
    const rift_snap_limits l = limits_at(c, is_key);
    const double share =
        fmax(share_of(f.translation, l.translation + float_share * rift_vec3_length(want->t)),
             fmax(share_of(f.rotation_rad, l.rotation_rad),
                  share_of(f.scale, l.scale + float_share * largest(want->s))));
    c->stat->translation = fmax(c->stat->translation, f.translation);
    c->stat->rotation_rad = fmax(c->stat->rotation_rad, f.rotation_rad);
    c->stat->scale = fmax(c->stat->scale, f.scale);
    if (share > c->worst) {
        c->worst = share;
        *c->fault = f;
    }
}

static bool look(checker *c, double t, bool is_key)
{
    if (!snap_trace(&c->path, c->source, c->victim, t, c->tmp))
        return false;
    const snap_pose pose = snap_eval(c->source, &c->path, t);
    const rift_trs drawn = drawn_at(c, t);
    const rift_trs want = snap_trs(&pose, drawn.r, NULL);
    note(c, t, &want, &drawn, is_key);
    return true;
}

static bool in_gap(const snap_keys *keys, size_t *at, double t)
{
    while (*at < keys->gap_count && t >= (double)keys->gaps[*at].to)
        ++*at;
    return *at < keys->gap_count && t > (double)keys->gaps[*at].from;
}

/* A clip of layers jumps by itself: its two keys stand as close as those of a boundary, and between them nothing is promised
 * (L35). No other clip has keys that close. */
static bool is_jump(const snap_keys *keys, size_t k)
{
    return k + 1 < keys->count &&
           (double)keys->keys[k + 1].t - (double)keys->keys[k].t < 1.01 * RIFT_SNAP_GAP_S;
}

static bool look_at_keys(checker *c, const snap_keys *keys)
{
    size_t gap = 0;
    for (size_t k = 0; k < keys->count; k++) {
        const double t = (double)keys->keys[k].t;
        if (!look(c, t, true))
            return false;
        for (int q = 1; q < 4 && k + 1 < keys->count; q++) {
            const double between = t + 0.25 * q * ((double)keys->keys[k + 1].t - t);
            if (!in_gap(keys, &gap, between) && !is_jump(keys, k) && !look(c, between, false))
                return false;
        }
    }
    return true;
}

static bool look_all_over(checker *c, const snap_keys *keys)
{
    const double length = (double)c->source->length;
    size_t gap = 0;
    size_t key = 0;
    const uint64_t last = (uint64_t)(length * rate);
    for (uint64_t i = 0; i <= last; i++) {
        const double t = (double)i / rate;
        while (key + 1 < keys->count && (double)keys->keys[key + 1].t <= t)
            key++;
        if (!in_gap(keys, &gap, t) && !is_jump(keys, key) && !look(c, t, false))
            return false;
    }
    return true;
}

bool snap_check(rift_snap_stat *stat,
                snap_fault *fault,
                snap_source *source,
                const rift_channel channels[3],
                const snap_keys *keys,
                uint32_t victim,
                const rift_snap_limits *limits,
                rift_arena *tmp)
{
    checker c = {
        .source = source,
        .channels = channels,
        .victim = victim,
        .tmp = tmp,
        .between = *limits,
        .stat = stat,
        .fault = fault,
    };
    const double factor = ldexp(1, (int)keys->doublings);
    c.between.translation *= factor;
    c.between.rotation_rad *= factor;
    c.between.scale *= factor;
    *fault = (snap_fault){0};
    return look_at_keys(&c, keys) && look_all_over(&c, keys) && c.worst <= 1;
}
