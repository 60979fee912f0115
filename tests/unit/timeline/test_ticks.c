/* layering.md section 9, 7: a second engine that knows nothing of the first. It walks in ticks of 1/4000 s, keeps no schedule, and turns with matrices and
 * their logarithms; the vectors must agree with it. */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "base/str.h"
#include "support/check.h"
#include "timeline/vectors_internal.h"

#define TICKS 4000
#define WITHIN 3e-6 /* of the matrices; the file rounds to six digits */

static rift_arena arena;
static vectors file;

/* --- matrices ------------------------------------------------------------------------------------------------------ */

typedef struct mat3 {
    double m[3][3];
} mat3;

static const mat3 one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static mat3 mul(mat3 a, mat3 b)
{
    mat3 out = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                out.m[i][j] += a.m[i][k] * b.m[k][j];
    return out;
}

static mat3 transposed(mat3 a)
{
    mat3 out = {0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.m[i][j] = a.m[j][i];
    return out;
}

static mat3 of_quat(const double q[4])
{
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    const double x = q[0] / n, y = q[1] / n, z = q[2] / n, w = q[3] / n;
    return (mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                   {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                   {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

/* Axis times angle, at most pi. */
static void logarithm(double out[3], mat3 a)
{
    const double v[3] = {(a.m[2][1] - a.m[1][2]) / 2, (a.m[0][2] - a.m[2][0]) / 2,
                         (a.m[1][0] - a.m[0][1]) / 2};
    const double sine = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double cosine = (a.m[0][0] + a.m[1][1] + a.m[2][2] - 1) / 2;
    const double scale = sine > 1e-12 ? atan2(sine, cosine) / sine : 1;
    for (int i = 0; i < 3; i++)
        out[i] = v[i] * scale;
}

static mat3 power(mat3 a, double u)
{
    double v[3];
    logarithm(v, a);
    const double angle = u * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (fabs(angle) < 1e-12)
        return one;
    const double n = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const double x = v[0] / n, y = v[1] / n, z = v[2] / n;
    const double s = sin(angle), c = 1 - cos(angle);
    return (mat3){{{1 - c * (y * y + z * z), c * x * y - s * z, c * x * z + s * y},
                   {c * x * y + s * z, 1 - c * (x * x + z * z), c * y * z - s * x},
                   {c * x * z - s * y, c * y * z + s * x, 1 - c * (x * x + y * y)}}};
}

static mat3 between(mat3 a, mat3 b, double u)
{
    return mul(a, power(mul(transposed(a), b), u));
}

/* --- the engine ---------------------------------------------------------------------------------------------------- */

typedef struct slot {
    bool on, loop, additive, identity, ends;
    const rift_layer_clip *clip;
    const double *mask; /* by joint, or NULL */
    double time, speed, weight;
    double rate, target; /* of a fade */
    long fade_left;      /* ticks */
} slot;

static slot slots[8];

static const cJSON *get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static double number(const cJSON *object, const char *name, double otherwise)
{
    const cJSON *item = get(object, name);
    return item != NULL ? item->valuedouble : otherwise;
}

static double clamp(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* The mask cases of the file say what a mask is: no resolver takes part. */
static const double *mask_of(const cJSON *root, const cJSON *name)
{
    const cJSON *item = NULL;
    if (name == NULL || cJSON_IsNull(name))
        return NULL;
    double *out = RIFT_NEW(&arena, double, file.skeleton.joint_count);
    cJSON_ArrayForEach(item, get(root, "mask_cases"))
    {
        if (strcmp(get(item, "mask")->valuestring, name->valuestring) != 0)
            continue;
        for (size_t j = 0; j < file.skeleton.joint_count; j++)
            out[j] = number(get(item, "weights"), file.skeleton.joints[j].source_name.data, 0);
    }
    return out;
}

static const rift_layer_clip *clip_of(const char *name)
{
    for (size_t i = 0; i < file.clip_count; i++) {
        if (rift_str_eq(file.clips[i].name, rift_str_c(name)))
            return &file.clips[i];
    }
    return NULL;
}

static void play(const cJSON *root, const cJSON *c, const char *op, slot *s)
{
    const rift_layer_clip *clip = clip_of(get(c, "clip")->valuestring);
    if (clip == NULL)
        return;
    const bool loop = cJSON_IsTrue(get(c, "loop"));
    const double speed = number(c, "speed", 1);
    const bool keeps = s->on && s->clip == clip && loop && get(c, "start") == NULL;
    const double begin = number(c, "start", speed < 0 ? clip->length : 0);
    const cJSON *base = get(c, "base");
    *s = (slot){
        .on = true,
        .loop = loop,
        .clip = clip,
        .additive = strcmp(op, "play_additive") == 0,
        .identity = base != NULL && strcmp(base->valuestring, "identity") == 0,
        .mask = mask_of(root, get(c, "mask")),
        .time = keeps ? s->time : begin,
        .speed = speed,
        .weight = clamp(number(c, "weight", 1)),
    };
}

static void command(const cJSON *root, const cJSON *c)
{
    const char *op = get(c, "op")->valuestring;
    const int index = get(c, "slot")->valueint;
    if (index < 0 || index > 7)
        return;
    slot *s = &slots[index];
    if (strncmp(op, "play", 4) == 0) {
        play(root, c, op, s);
    } else if (!s->on) {
        return;
    } else if (strcmp(op, "stop") == 0) {
        s->on = false;
    } else if (strcmp(op, "set_mask") == 0) {
        s->mask = mask_of(root, get(c, "mask"));
    } else if (strcmp(op, "set_mode") == 0) {
        s->additive = strcmp(get(c, "mode")->valuestring, "additive") == 0;
    } else if (strcmp(op, "set_weight") == 0) {
        s->weight = clamp(number(c, "weight", 0));
        s->fade_left = 0;
    } else if (strcmp(op, "fade") == 0) {
        s->target = clamp(number(c, "weight", 0));
        s->fade_left = lround(number(c, "seconds", 0) * TICKS);
        if (s->fade_left <= 0) {
            s->weight = s->target;
            s->on = s->target > 0;
        } else {
            s->rate = (s->target - s->weight) / (double)s->fade_left;
        }
    }
}

/* From one tick to the next. */
static void advance(slot *s)
{
    if (!s->on)
        return;
    if (s->ends) { /* it showed its last pose at the tick before */
        s->on = false;
        return;
    }
    const double length = s->clip->length;
    s->time += s->speed / TICKS;
    if (s->loop) {
        if (s->time > length + 1e-9)
            s->time -= length;
        if (s->time < -1e-9)
            s->time += length;
    }
    if (s->fade_left > 0) {
        s->weight += s->rate;
        if (--s->fade_left == 0) {
            s->weight = s->target;
            s->on = s->target > 0;
        }
    }
}

static void find_end(slot *s)
{
    if (!s->on || s->loop || s->speed == 0)
        return;
    const double length = s->clip->length;
    if (s->speed > 0 ? s->time >= length - 1e-9 : s->time <= 1e-9) {
        s->ends = true;
        s->time = s->speed > 0 ? length : 0;
    }
}

/* --- the pose ------------------------------------------------------------------------------------------------------ */

typedef struct pose {
    double t[3], s[3];
    mat3 r;
} pose;

/* Which keys, and how far between them. */
static size_t find(const rift_layer_curve *c, double t, double *u)
{
    size_t k = 0;
    *u = 0;
    while (k + 1 < c->key_count && c->times[k + 1] <= t)
        k++;
    if (k + 1 < c->key_count && t > c->times[k])
        *u = (t - c->times[k]) / (c->times[k + 1] - c->times[k]);
    return k;
}

static void vector_at(double out[3], const rift_layer_curve *c, double t)
{
    double u;
    const double *a = c->values + 3 * find(c, t, &u);
    for (int i = 0; i < 3; i++)
        out[i] = u > 0 ? (1 - u) * a[i] + u * a[3 + i] : a[i];
}

static void fold_vector(
    double a[3], const slot *s, const rift_layer_curve *c, const double rest[3], double neutral, double e)
{
    double v[3];
    if (c->key_count == 0)
        return;
    vector_at(v, c, s->time);
    for (int i = 0; i < 3; i++)
        a[i] =
            s->additive ? a[i] + e * (v[i] - (s->identity ? neutral : rest[i])) : (1 - e) * a[i] + e * v[i];
}

static void fold_turn(mat3 *a, const slot *s, const rift_layer_curve *c, mat3 rest, double e)
{
    double u;
    if (c->key_count == 0)
        return;
    const double *key = c->values + 4 * find(c, s->time, &u);
    const mat3 v = u > 0 ? between(of_quat(key), of_quat(key + 4), u) : of_quat(key);
    *a = s->additive ? mul(power(mul(v, transposed(s->identity ? one : rest)), e), *a) : between(*a, v, e);
}

static pose pose_of(uint32_t joint)
{
    const rift_trs *r = &file.skeleton.joints[joint].rest;
    const double turn[4] = {r->r.x, r->r.y, r->r.z, r->r.w};
    const pose rest = {{r->t.x, r->t.y, r->t.z}, {r->s.x, r->s.y, r->s.z}, of_quat(turn)};
    pose a = rest;
    for (int i = 0; i < 8; i++) {
        const slot *s = &slots[i];
        const double e = s->on ? s->weight * (s->mask != NULL ? s->mask[joint] : 1) : 0;
        if (!(e > 0))
            continue;
        const rift_layer_curve *c = &s->clip->curves[3 * (size_t)joint];
        fold_vector(a.t, s, &c[RIFT_TRANSLATION], rest.t, 0, e);
        fold_turn(&a.r, s, &c[RIFT_ROTATION], rest.r, e);
        fold_vector(a.s, s, &c[RIFT_SCALE], rest.s, 1, e);
    }
    return a;
}

/* --- the vectors --------------------------------------------------------------------------------------------------- */

static void check_joint(const cJSON *joint)
{
    double t[3], q[4], s[3];
    CHECK(vectors_numbers(get(joint, "t"), t, 3) && vectors_numbers(get(joint, "r"), q, 4) &&
          vectors_numbers(get(joint, "s"), s, 3));
    const pose p = pose_of(vectors_joint(&file, joint->string));
    const mat3 want = of_quat(q);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(p.t[i], t[i], 2e-6);
        CHECK_NEAR(p.s[i], s[i], 2e-6);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(p.r.m[i][k], want.m[i][k], WITHIN);
    }
}

static void check_sample(const char *id, const cJSON *sample)
{
    const cJSON *item = NULL;
    bool occupied[8] = {false};
    cJSON_ArrayForEach(item, get(sample, "slots")) occupied[item->valueint] = true;
    for (int i = 0; i < 8; i++) {
        check_row("%s t %g slot %d", id, number(sample, "t", 0), i);
        CHECK(slots[i].on == occupied[i]);
    }
    cJSON_ArrayForEach(item, get(sample, "joints"))
    {
        check_row("%s t %g %s", id, number(sample, "t", 0), item->string);
        check_joint(item);
    }
}

static void run_case(const cJSON *root, const cJSON *item)
{
    const cJSON *c = NULL;
    const cJSON *sample = NULL;
    const char *id = get(item, "id")->valuestring;
    memset(slots, 0, sizeof slots);
    long last = 0;
    cJSON_ArrayForEach(sample, get(item, "samples"))
    {
        const double tick = number(sample, "t", 0) * TICKS;
        CHECK_NEAR(tick, round(tick), 1e-6);
        last = lround(tick) > last ? lround(tick) : last;
    }
    for (long tick = 0; tick <= last; tick++) {
        for (int i = 0; tick > 0 && i < 8; i++)
            advance(&slots[i]);
        cJSON_ArrayForEach(c, get(item, "timeline"))
        {
            if (lround(number(c, "at", 0) * TICKS) == tick)
                command(root, c);
        }
        for (int i = 0; i < 8; i++)
            find_end(&slots[i]);
        cJSON_ArrayForEach(sample, get(item, "samples"))
        {
            if (lround(number(sample, "t", 0) * TICKS) == tick)
                check_sample(id, sample);
        }
    }
}

static void ticks_agree(void)
{
    char path[512];
    rift_err err = check_err();
    const char *root_dir = getenv("RIFT_SOURCE_DIR");
    (void)snprintf(path, sizeof path, "%s/tests/golden/layering-vectors.json",
                   root_dir != NULL ? root_dir : ".");
    const rift_bytes text = check_read_file(path);
    cJSON *root = cJSON_ParseWithLength((const char *)text.data, text.size);
    CHECK_FATAL(root != NULL);
    CHECK_OK(vectors_read(&file, root, &arena, &err), &err);
    const cJSON *item = NULL;
    size_t count = 0;
    cJSON_ArrayForEach(item, get(root, "cases"))
    {
        run_case(root, item);
        count++;
    }
    CHECK_U64(count, 19);
    cJSON_Delete(root);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    rift_arena_init(&arena, 64 * 1024 * 1024);
    RUN(ticks_agree);
    rift_arena_release(&arena);
    return check_finish();
}
