#include "anim/snap_rig.h"

#include <stdlib.h>

#include "hash/hash.h"
#include "support/check.h"

enum { ARENA_LIMIT = 256 * 1024 * 1024 };

rift_skeleton snap_skeleton(const joint_row *rows, size_t count, rift_arena *arena)
{
    rift_skl skl = {.joint_count = count};
    skl.joints = RIFT_NEW(arena, rift_skl_joint, count);
    skl.influences = RIFT_NEW(arena, uint16_t, count);
    for (size_t j = 0; j < count; j++) {
        const rift_str name = {rows[j].name, strlen(rows[j].name)};
        rift_trs local = rows[j].rest;
        if (rift_quat_dot(local.r, local.r) == 0)
            local.r.w = 1;
        if (rift_vec3_length(local.s) == 0 && !rows[j].zero_scale)
            local.s = (rift_vec3){1, 1, 1};
        skl.joints[j] = (rift_skl_joint){
            .name = name, .hash = rift_elf(name), .parent = (int16_t)rows[j].parent, .local = local};
        if (rows[j].influence)
            skl.influences[skl.influence_count++] = (uint16_t)j;
    }
    rift_skeleton out = {0};
    rift_report report;
    rift_err err = check_err();
    rift_report_init(&report, arena);
    CHECK_OK(rift_skeleton_build(&out, &skl, NULL, arena, &report, &err), &err);
    return out;
}

void snap_begin(snap_case *c, const joint_row *rows, size_t count)
{
    memset(c, 0, sizeof *c);
    rift_arena_init(&c->arena, ARENA_LIMIT);
    rift_arena_init(&c->tmp, ARENA_LIMIT);
    rift_report_init(&c->report, &c->arena);
    c->skeleton = snap_skeleton(rows, count, &c->arena);
    c->fps = 30;
    c->limits = rift_snap_limits_default();
    c->err = check_err();
}

void snap_end(snap_case *c)
{
    rift_arena_release(&c->arena);
    rift_arena_release(&c->tmp);
}

size_t snap_clip(snap_case *c, float length)
{
    c->length[c->clip_count] = length;
    return c->clip_count++;
}

void snap_channel(snap_case *c,
                  size_t clip,
                  uint32_t joint,
                  rift_component component,
                  const float *times,
                  const float *values,
                  uint32_t count)
{
    const size_t dimension = component == RIFT_ROTATION ? 4 : 3;
    float *t = RIFT_NEW(&c->arena, float, count);
    float *v = RIFT_NEW(&c->arena, float, dimension *count);
    memcpy(t, times, count * sizeof *t);
    memcpy(v, values, dimension * count * sizeof *v);
    c->original[clip][c->original_count[clip]++] = (rift_channel){joint, component, RIFT_LINEAR, count, t, v};
}

void snap_turn(snap_case *c,
               size_t clip,
               uint32_t joint,
               int axis,
               const float *times,
               const double *degrees,
               uint32_t count)
{
    float values[4 * 64];
    for (uint32_t k = 0; k < count; k++) {
        float *q = values + 4 * (size_t)k;
        q[0] = q[1] = q[2] = 0;
        q[axis] = (float)sin(degrees[k] * DEGREE / 2);
        q[3] = (float)cos(degrees[k] * DEGREE / 2);
    }
    snap_channel(c, clip, joint, RIFT_ROTATION, times, values, count);
}

static uint32_t fnv(const char *name)
{
    return name != NULL ? rift_fnv1a((rift_str){name, strlen(name)}) : 0;
}

rift_snap_event *
snap_event(snap_case *c, size_t clip, const char *victim, const char *target, float start, float end)
{
    rift_snap_event *event = &c->events[clip][c->event_count[clip]++];
    *event = (rift_snap_event){fnv(victim), fnv(target), start, end, {0, 0, 0}};
    return event;
}

static int by_joint(const void *a, const void *b)
{
    const rift_channel *x = a;
    const rift_channel *y = b;
    return x->joint != y->joint ? (x->joint > y->joint) - (x->joint < y->joint)
                                : (int)x->component - (int)y->component;
}

void snap_run(snap_case *c)
{
    for (size_t i = 0; i < c->clip_count; i++) {
        qsort(c->original[i], c->original_count[i], sizeof(rift_channel), by_joint);
        c->keys[i] = (rift_clip_keys){
            .channels = c->original[i], .channel_count = c->original_count[i], .length = c->length[i]};
        const rift_snap_resolve_input in = {
            .skeleton = &c->skeleton,
            .events = c->events[i],
            .event_count = c->event_count[i],
            .fps = c->fps,
            .length = (double)c->length[i],
        };
        CHECK_OK(rift_snap_resolve(&c->windows[i], &in, &c->arena, &c->report, &c->err), &c->err);
        c->clips[i] = (rift_snap_clip){
            .name = RIFT_STR("clip"),
            .keys = &c->keys[i],
            .tracked = c->original[i],
            .tracked_count = c->original_count[i],
            .windows = c->windows[i].windows,
            .window_count = c->windows[i].window_count,
        };
    }
    c->ok = rift_snap_bake(&c->result, c->clips, c->clip_count, &c->skeleton, &c->limits, &c->arena, &c->tmp,
                           &c->report, &c->err);
    CHECK_OK(c->ok, &c->err);
    CHECK_U64(c->tmp.used, 0); /* rewound */
}

/* --- evaluation ------------------------------------------------------------------------------------------------- */

rift_mat4 snap_product(const rift_mat4 *a, const rift_mat4 *b)
{
    rift_mat4 out = {{0}};
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            for (int k = 0; k < 4; k++)
                out.m[4 * column + row] += a->m[4 * k + row] * b->m[4 * column + k];
    return out;
}

/* T R S as a product of three matrices; the rotation by the textbook formula for a quaternion of any length. */
static rift_mat4 matrix_of(const double t[4], const double q[4], const double s[4])
{
    const double n = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    rift_mat4 m = {{0}};
    m.m[0] = s[0] * (1 - n * (q[1] * q[1] + q[2] * q[2]));
    m.m[1] = s[0] * n * (q[0] * q[1] + q[3] * q[2]);
    m.m[2] = s[0] * n * (q[0] * q[2] - q[3] * q[1]);
    m.m[4] = s[1] * n * (q[0] * q[1] - q[3] * q[2]);
    m.m[5] = s[1] * (1 - n * (q[0] * q[0] + q[2] * q[2]));
    m.m[6] = s[1] * n * (q[1] * q[2] + q[3] * q[0]);
    m.m[8] = s[2] * n * (q[0] * q[2] + q[3] * q[1]);
    m.m[9] = s[2] * n * (q[1] * q[2] - q[3] * q[0]);
    m.m[10] = s[2] * (1 - n * (q[0] * q[0] + q[1] * q[1]));
    m.m[12] = t[0];
    m.m[13] = t[1];
    m.m[14] = t[2];
    m.m[15] = 1;
    return m;
}

/* glTF LINEAR: clamp outside, exact at keys, slerp the short way. */
static void evaluate(double out[4], const rift_channel *ch, double t)
{
    const unsigned n = ch->component == RIFT_ROTATION ? 4 : 3;
    uint32_t k = 0;
    while (k + 1 < ch->key_count && (double)ch->times[k + 1] <= t)
        k++;
    const float *a = ch->values + n * k;
    for (unsigned i = 0; i < 4; i++)
        out[i] = i < n ? (double)a[i] : 0;
    if (k + 1 == ch->key_count || t <= (double)ch->times[k])
        return;
    const float *b = a + n;
    const double u = (t - (double)ch->times[k]) / ((double)ch->times[k + 1] - (double)ch->times[k]);
    double wa = 1 - u;
    double wb = u;
    if (n == 4) {
        double dot = 0;
        double na = 0;
        double nb = 0;
        for (int i = 0; i < 4; i++) {
            dot += (double)a[i] * (double)b[i];
            na += (double)a[i] * (double)a[i];
            nb += (double)b[i] * (double)b[i];
        }
        const double cosine = fabs(dot) / sqrt(na * nb);
        const double angle = acos(cosine < 1 ? cosine : 1);
        if (angle > 1e-6) {
            wa = sin((1 - u) * angle) / sin(angle);
            wb = sin(u * angle) / sin(angle);
        }
        if (dot < 0)
            wb = -wb;
    }
    for (unsigned i = 0; i < n; i++)
        out[i] = wa * (double)a[i] + wb * (double)b[i];
}

static rift_mat4
local_of(const rift_skeleton *sk, const rift_channel *channels, size_t count, uint32_t joint, double t)
{
    const rift_trs rest = sk->joints[joint].rest;
    double v[3][4] = {{rest.t.x, rest.t.y, rest.t.z, 0},
                      {rest.r.x, rest.r.y, rest.r.z, rest.r.w},
                      {rest.s.x, rest.s.y, rest.s.z, 0}};
    for (size_t c = 0; c < count; c++)
        if (channels[c].joint == joint)
            evaluate(v[channels[c].component], &channels[c], t);
    return matrix_of(v[0], v[1], v[2]);
}

static const rift_snap_window *active(const snap_case *c, size_t clip, uint32_t joint, double t)
{
    const rift_snap_window *best = NULL;
    for (size_t i = 0; i < c->windows[clip].window_count; i++) {
        const rift_snap_window *w = &c->windows[clip].windows[i];
        if (w->victim == joint && !w->restored && t >= w->start && t <= w->end &&
            (best == NULL || w->priority > best->priority ||
             (w->priority == best->priority && w->start >= best->start)))
            best = w;
    }
    return best;
}

/* `busy`: bit of each joint that is being evaluated. */
static rift_mat4 reference(const snap_case *c, size_t clip, uint32_t joint, double t, uint64_t busy)
{
    const rift_snap_window *w = busy >> joint & 1 ? NULL : active(c, clip, joint, t);
    if (w != NULL) {
        const rift_mat4 target = reference(c, clip, w->target, t, busy | (uint64_t)1 << joint);
        rift_mat4 offset = rift_mat4_identity();
        for (int i = 0; i < 3; i++)
            offset.m[12 + i] = w->offset[i];
        return snap_product(&target, &offset);
    }
    const rift_mat4 local = local_of(&c->skeleton, c->original[clip], c->original_count[clip], joint, t);
    const int32_t parent = c->skeleton.joints[joint].parent;
    if (parent == RIFT_NO_PARENT)
        return local;
    const rift_mat4 above = reference(c, clip, (uint32_t)parent, t, busy);
    return snap_product(&above, &local);
}

rift_mat4 snap_reference(const snap_case *c, size_t clip, uint32_t joint, double t)
{
    return reference(c, clip, joint, t, 0);
}

rift_mat4 snap_drawn(const snap_case *c, size_t clip, uint32_t joint, double t)
{
    const rift_skeleton *sk = &c->result.skeleton;
    rift_mat4 world = rift_mat4_identity();
    for (int32_t j = (int32_t)joint; j != RIFT_NO_PARENT; j = sk->joints[j].parent) {
        const rift_mat4 local =
            local_of(sk, c->keys[clip].channels, c->keys[clip].channel_count, (uint32_t)j, t);
        world = snap_product(&local, &world);
    }
    return world;
}

rift_vec3 snap_place(const rift_mat4 *m)
{
    return (rift_vec3){m->m[12], m->m[13], m->m[14]};
}

const rift_channel *snap_written(const snap_case *c, size_t clip, uint32_t joint, rift_component component)
{
    for (size_t i = 0; i < c->keys[clip].channel_count; i++)
        if (c->keys[clip].channels[i].joint == joint && c->keys[clip].channels[i].component == component)
            return &c->keys[clip].channels[i];
    return NULL;
}

bool snap_is_victim(const snap_case *c, uint32_t joint)
{
    for (size_t v = 0; v < c->result.victim_count; v++)
        if (c->result.victims[v] == joint)
            return true;
    return false;
}

/* --- section 5 -------------------------------------------------------------------------------------------------- */

typedef struct figures {
    double place, angle, scale;
} figures;

/* Distance, largest angle between axes, largest difference of their lengths. */
static figures compare(const rift_mat4 *a, const rift_mat4 *b)
{
    figures f = {rift_vec3_length(rift_vec3_sub(snap_place(a), snap_place(b))), 0, 0};
    for (int i = 0; i < 12; i += 4) {
        const rift_vec3 x = {a->m[i], a->m[i + 1], a->m[i + 2]};
        const rift_vec3 y = {b->m[i], b->m[i + 1], b->m[i + 2]};
        const double lx = rift_vec3_length(x);
        const double ly = rift_vec3_length(y);
        f.scale = fmax(f.scale, fabs(lx - ly));
        if (lx > 1e-4 && ly > 1e-4)
            f.angle = fmax(f.angle, atan2(rift_vec3_length(rift_vec3_cross(x, y)), rift_vec3_dot(x, y)));
    }
    return f;
}

/* Whether some window begins or ends at most a gap away, but not here. */
static bool in_gap(const snap_case *c, size_t clip, double t)
{
    for (size_t i = 0; i < c->windows[clip].window_count; i++) {
        const rift_snap_window *w = &c->windows[clip].windows[i];
        const double a = fabs(t - w->start);
        const double b = fabs(t - w->end);
        if ((a > 0 && a < 1.02e-4) || (b > 0 && b < 1.02e-4))
            return true;
    }
    return false;
}

/* Whether the axes of a matrix stand square on each other. */
static bool is_square(const rift_mat4 *m)
{
    for (int i = 0; i < 12; i += 4) {
        const int j = (i + 4) % 12;
        const rift_vec3 x = {m->m[i], m->m[i + 1], m->m[i + 2]};
        const rift_vec3 y = {m->m[j], m->m[j + 1], m->m[j + 2]};
        if (fabs(rift_vec3_dot(x, y)) > 1e-6 * rift_vec3_length(x) * rift_vec3_length(y))
            return false;
    }
    return true;
}

static void
look(const snap_case *c, size_t clip, uint32_t joint, double t, double place, double degrees, double scale)
{
    if (in_gap(c, clip, t))
        return;
    const rift_mat4 want = snap_reference(c, clip, joint, t);
    const rift_mat4 got = snap_drawn(c, clip, joint, t);
    const figures f = compare(&got, &want);
    check_row("clip %zu, joint %u at %.7f", clip, joint, t);
    CHECK_NEAR(f.place, 0, place + 3e-7 * rift_vec3_length(snap_place(&want)));
    if (is_square(&want)) {
        CHECK_NEAR(f.angle / DEGREE, 0, degrees);
        CHECK_NEAR(f.scale, 0, scale + 3e-7 * fabs(want.m[0]));
    }
    check_row("%s", "");
}

static void check_channels(const snap_case *c, size_t clip)
{
    for (size_t i = 0; i < c->keys[clip].channel_count; i++) {
        const rift_channel *ch = &c->keys[clip].channels[i];
        const unsigned n = ch->component == RIFT_ROTATION ? 4 : 3;
        bool sound =
            ch->key_count > 0 && ch->times[0] >= 0 && ch->times[ch->key_count - 1] <= c->length[clip];
        sound &= i == 0 || by_joint(ch - 1, ch) < 0;
        for (uint32_t k = 0; k < ch->key_count; k++) {
            const float *v = ch->values + n * k;
            double square = 0;
            double dot = 0;
            sound &= k == 0 || ch->times[k] > ch->times[k - 1];
            for (unsigned d = 0; d < n; d++) {
                sound &= isfinite(v[d]) != 0;
                square += (double)v[d] * (double)v[d];
                dot += k > 0 ? (double)v[d] * (double)(v - n)[d] : 0;
            }
            if (n == 4)
                sound &= fabs(sqrt(square) - 1) <= 1e-6 && dot >= 0;
        }
        CHECK(sound);
    }
}

/* All joints that are not victims: the very same arrays, parent and rest. */
static void check_others(const snap_case *c)
{
    for (size_t j = 0; j < c->skeleton.joint_count; j++) {
        const rift_joint *before = &c->skeleton.joints[j];
        const rift_joint *after = &c->result.skeleton.joints[j];
        const bool victim = snap_is_victim(c, (uint32_t)j);
        CHECK_I64(after->parent, victim ? RIFT_NO_PARENT : before->parent);
        CHECK(victim || memcmp(&after->rest, &before->rest, sizeof before->rest) == 0);
        CHECK(memcmp(&after->inverse_bind, &before->inverse_bind, sizeof before->inverse_bind) == 0);
        for (size_t clip = 0; !victim && clip < c->clip_count; clip++)
            for (int k = 0; k < 3; k++) {
                const rift_channel *was = NULL;
                for (size_t i = 0; i < c->original_count[clip]; i++)
                    if (c->original[clip][i].joint == j && (int)c->original[clip][i].component == k)
                        was = &c->original[clip][i];
                const rift_channel *is = snap_written(c, clip, (uint32_t)j, (rift_component)k);
                CHECK((was == NULL) == (is == NULL));
                CHECK(was == NULL || is == NULL ||
                      (was->times == is->times && was->values == is->values &&
                       was->key_count == is->key_count));
            }
    }
}

void snap_check_figures(const snap_case *c)
{
    check_others(c);
    for (size_t clip = 0; clip < c->clip_count; clip++) {
        check_channels(c, clip);
        for (size_t v = 0; v < c->result.victim_count; v++) {
            const uint32_t joint = c->result.victims[v];
            const rift_channel *ch = snap_written(c, clip, joint, RIFT_TRANSLATION);
            for (int k = RIFT_ROTATION; k <= RIFT_SCALE; k++) {
                const rift_channel *other = snap_written(c, clip, joint, (rift_component)k);
                if (ch == NULL || (other != NULL && other->key_count > ch->key_count))
                    ch = other;
            }
            for (uint32_t k = 0; ch != NULL && k < ch->key_count; k++) {
                const double t = (double)ch->times[k];
                look(c, clip, joint, t, 1e-3, 0.01, 1e-5);
                const bool coarse = c->result.stats[clip * c->result.victim_count + v].coarse;
                for (int q = 1; q < 4 && k + 1 < ch->key_count; q++)
                    look(c, clip, joint, t + 0.25 * q * ((double)ch->times[k + 1] - t), coarse ? 0.3 : 0.1,
                         coarse ? 0.75 : 0.25, 1e-3);
            }
            for (int i = 0; i <= (int)(240 * c->length[clip]); i++)
                look(c, clip, joint, i / 240.0, 0.3, 0.75, 1e-3);
        }
    }
}
