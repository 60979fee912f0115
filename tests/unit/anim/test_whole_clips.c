/* Keys by option (G40, decisions 3), and clips as wholes: other speed, one after another, at one instant. */
#include "anim/clip_build.h"

#include <math.h>
#include <string.h>

#include "support/check.h"

enum { LIMIT = 64 * 1024 * 1024 };

static rift_arena arena;

/* Root at the origin, Arm 10 u above it. */
static rift_skeleton *two_joints(void)
{
    static rift_joint joints[2];
    static uint32_t order[2] = {0, 1};
    static rift_skeleton sk;
    memset(joints, 0, sizeof joints);
    joints[0] = (rift_joint){.name = RIFT_STR("Root"), .parent = RIFT_NO_PARENT, .rest = RIFT_TRS_IDENTITY};
    joints[1] = (rift_joint){.name = RIFT_STR("Arm"), .parent = 0, .rest = RIFT_TRS_IDENTITY};
    joints[1].rest.t.y = 10;
    joints[0].inverse_bind = joints[1].inverse_bind = rift_mat4_identity();
    sk = (rift_skeleton){.joints = joints, .joint_count = 2, .walk = order, .topological = order};
    return &sk;
}

static rift_clip_keys
run_mode(const rift_skeleton *sk, const rift_anm *anm, rift_key_mode mode, double fps, rift_report *report)
{
    rift_keys_input in = clip_input(sk, anm, &arena);
    in.mode = mode;
    in.dense_fps = fps;
    return clip_run(&in, &arena, report);
}

/* --- cubic -------------------------------------------------------------------------------------------------------- */

/* x of the keys 0, 3, 4 at 0, 1, 2 s, ends doubled; tangents by formats/anm.md: parametrised (P2 - P0) / (t2 - t0), uniform
 * half of (P2 - P0) / (t2 - t1). */
static void tangents_are_those_of_the_document(void)
{
    static const struct {
        rift_anm_basis basis;
        float out0, in1, out1, in2;
    } rows[] = {
        {RIFT_ANM_SPLINE_PARAMETRISED, 3, 2, 2, 1},
        {RIFT_ANM_SPLINE_UNIFORM, 1.5F, 2, 2, 0.5F},
    };
    for (size_t r = 0; r < RIFT_COUNT(rows); r++) {
        check_row("basis %d", rows[r].basis);
        rift_anm anm = clip_init(two_joints(), rows[r].basis, 2, &arena);
        clip_curve(&anm, 1, RIFT_ANM_TRANSLATION, (float[]){0, 0, 1, 2, 2},
                   (float[]){0, 0, 0, 0, 0, 0, 3, 0, 0, 4, 0, 0, 4, 0, 0}, 5, &arena);
        const rift_clip_keys clip = run_mode(two_joints(), &anm, RIFT_KEYS_CUBIC, 0, NULL);
        const rift_channel *ch = clip_channel(&clip, 1, RIFT_TRANSLATION);
        CHECK_FATAL(ch != NULL);
        CHECK_I64(ch->interpolation, RIFT_CUBICSPLINE);
        CHECK_U64(ch->key_count, 3);
        CHECK(ch->times[0] == 0 && ch->times[1] == 1 && ch->times[2] == 2);
        CHECK(ch->values[3] == 0 && ch->values[12] == 3 && ch->values[21] == 4);
        CHECK_NEAR(ch->values[6], rows[r].out0, 1e-6);
        CHECK_NEAR(ch->values[9], rows[r].in1, 1e-6);
        CHECK_NEAR(ch->values[15], rows[r].out1, 1e-6);
        CHECK_NEAR(ch->values[18], rows[r].in2, 1e-6);
        CHECK(ch->values[0] == 0 && ch->values[24] == 0); /* before the first, behind the last */
    }
}

/* A wild curve with corners: times rise by 1/30 to 1/3 s, some keys are doubled, rotations turn by up to 100 degrees. */
static rift_anm wild(const rift_skeleton *sk, rift_anm_basis basis, uint32_t seed)
{
    enum { KEYS = 40 };
    float times[KEYS];
    float t[3 * KEYS];
    float q[4 * KEYS];
    rift_quat turn = {0, 0, 0, 1};
    double at = 0;
    for (int k = 0; k < KEYS; k++) {
        const bool doubled = k == 1 || k == KEYS - 1 || (k > 1 && clip_random(&seed) % 5 == 0);
        if (!doubled || k == 0) {
            at += k == 0 ? 0 : (1 + (double)(clip_random(&seed) % 10)) / 30;
            const double angle = clip_random_unit(&seed) * 50 * DEGREE;
            const double axis = clip_random_unit(&seed) * 6.28;
            const rift_quat step = {sin(angle) * cos(axis), sin(angle) * sin(axis), 0, cos(angle)};
            turn = rift_quat_normalize(rift_quat_mul(step, turn));
            for (int i = 0; i < 3; i++)
                t[3 * k + i] = (float)(100 * clip_random_unit(&seed));
        } else {
            memcpy(t + 3 * k, t + 3 * (k - 1), 3 * sizeof *t);
        }
        times[k] = (float)at;
        const float sign = k % 3 == 1 ? -1 : 1; /* files do not align signs */
        q[4 * k] = sign * (float)turn.x;
        q[4 * k + 1] = sign * (float)turn.y;
        q[4 * k + 2] = sign * (float)turn.z;
        q[4 * k + 3] = sign * (float)turn.w;
    }
    rift_anm anm = clip_init(sk, basis, (float)at, &arena);
    clip_curve(&anm, 1, RIFT_ANM_TRANSLATION, times, t, KEYS, &arena);
    clip_curve(&anm, 1, RIFT_ANM_ROTATION, times, q, KEYS, &arena);
    return anm;
}

static size_t distinct_times(const rift_anm_curve *curve)
{
    size_t n = 1;
    for (size_t k = 1; k < curve->key_count; k++)
        n += curve->times[k] > curve->times[k - 1];
    return n;
}

static void check_aligned(const rift_channel *ch)
{
    for (uint32_t k = 1; k < ch->key_count; k++) {
        double dot = 0;
        for (int i = 0; i < 4; i++)
            dot +=
                (double)ch->values[12 * k + 4 + (uint32_t)i] * (double)ch->values[12 * k - 8 + (uint32_t)i];
        CHECK(dot >= 0);
    }
}

/* Largest angle between a rotation channel and its curve at 240 Hz, in degrees; from the chord, which is exact for small ones. */
static double worst_angle(const rift_channel *ch, const rift_anm *anm, double start, double length)
{
    double worst = 0;
    for (int i = 0; i <= (int)(240 * length); i++) {
        double got[4];
        double want[4];
        double plus = 0;
        double minus = 0;
        rift_channel_eval(got, ch, i / 240.0);
        rift_curve_eval(want, &anm->tracks[1].curves[RIFT_ANM_ROTATION], RIFT_ANM_ROTATION, anm->basis,
                        start + i / 240.0);
        for (int k = 0; k < 4; k++) {
            plus += (got[k] - want[k]) * (got[k] - want[k]);
            minus += (got[k] + want[k]) * (got[k] + want[k]);
        }
        worst = fmax(worst, 4 * asin(fmin(1, sqrt(fmin(plus, minus)) / 2)) / DEGREE);
    }
    return worst;
}

static void cubic_keys_are_the_source_curve(void)
{
    static const rift_anm_basis bases[] = {RIFT_ANM_SPLINE_PARAMETRISED, RIFT_ANM_SPLINE_UNIFORM};
    const rift_skeleton *sk = two_joints();
    for (uint32_t seed = 1; seed < 40; seed++) {
        const rift_anm_basis basis = bases[seed % 2];
        check_row("seed %u", seed);
        rift_report report;
        rift_report_init(&report, &arena);
        const rift_anm anm = wild(sk, basis, seed);
        const rift_clip_keys cubic = run_mode(sk, &anm, RIFT_KEYS_CUBIC, 0, &report);
        const rift_clip_keys adaptive = run_mode(sk, &anm, RIFT_KEYS_ADAPTIVE, 0, &report);
        const rift_channel *t = clip_channel(&cubic, 1, RIFT_TRANSLATION);
        const rift_channel *r = clip_channel(&cubic, 1, RIFT_ROTATION);
        CHECK_FATAL(t != NULL && r != NULL);
        const rift_anm_curve *curves = anm.tracks[1].curves;
        CHECK(clip_error_240(t, &curves[RIFT_ANM_TRANSLATION], basis, 0, (double)anm.length) <= 1e-4);
        CHECK_NEAR(worst_angle(r, &anm, 0, (double)anm.length), 0, 0.01);
        CHECK_U64(t->key_count, distinct_times(&curves[RIFT_ANM_TRANSLATION]));
        CHECK(t->key_count < clip_channel(&adaptive, 1, RIFT_TRANSLATION)->key_count);
        CHECK(r->key_count < clip_channel(&adaptive, 1, RIFT_ROTATION)->key_count);
        CHECK_U64(rift_report_count(&report, "cubic_inexact"), 0);
        check_aligned(r);
    }
}

static void a_trimmed_spline_stays_exact(void)
{
    const rift_skeleton *sk = two_joints();
    for (uint32_t seed = 1; seed < 20; seed++) {
        check_row("seed %u", seed);
        const rift_anm anm = wild(sk, RIFT_ANM_SPLINE_PARAMETRISED, seed);
        rift_keys_input in = clip_input(sk, &anm, &arena);
        in.mode = RIFT_KEYS_CUBIC;
        in.trim_start = 0.77;
        in.trim_end = 2.123;
        const rift_clip_keys clip = clip_run(&in, &arena, NULL);
        const double length = (double)clip.length;
        CHECK_NEAR(length, 2.123 - 0.77, 1e-6);
        const rift_channel *t = clip_channel(&clip, 1, RIFT_TRANSLATION);
        const rift_channel *r = clip_channel(&clip, 1, RIFT_ROTATION);
        const rift_anm_curve *curves = anm.tracks[1].curves;
        CHECK_I64(t->interpolation, RIFT_CUBICSPLINE);
        CHECK(t->times[0] == 0 && t->times[t->key_count - 1] == clip.length);
        CHECK(clip_error_240(t, &curves[RIFT_ANM_TRANSLATION], anm.basis, 0.77, length) <= 1e-3);
        CHECK_NEAR(worst_angle(r, &anm, 0.77, length), 0, 0.01);
        check_aligned(r);
    }
}

static void uncompressed_clips_stay_linear(void)
{
    rift_anm anm = clip_init(two_joints(), RIFT_ANM_LINEAR, 2, &arena);
    clip_curve(&anm, 1, RIFT_ANM_TRANSLATION, (float[]){0, 1, 2}, (float[]){0, 0, 0, 3, 0, 0, 4, 0, 0}, 3,
               &arena);
    const rift_clip_keys clip = run_mode(two_joints(), &anm, RIFT_KEYS_CUBIC, 0, NULL);
    const rift_channel *ch = clip_channel(&clip, 1, RIFT_TRANSLATION);
    CHECK_I64(ch->interpolation, RIFT_LINEAR);
    CHECK_U64(ch->key_count, 3);
}

/* --- dense -------------------------------------------------------------------------------------------------------- */

static void a_grid_ends_at_the_length(void)
{
    static const struct {
        float length;
        double fps;
        uint32_t count;
        float times[8];
    } rows[] = {
        {0.9F, 4, 5, {0, 0.25F, 0.5F, 0.75F, 0.9F}},
        {1, 4, 5, {0, 0.25F, 0.5F, 0.75F, 1}},
        {0.1F, 4, 2, {0, 0.1F}},
        {1.1F, 3, 5, {0, 1 / 3.0F, 2 / 3.0F, 1, 1.1F}},
    };
    for (size_t r = 0; r < RIFT_COUNT(rows); r++) {
        check_row("%g s at %g", (double)rows[r].length, rows[r].fps);
        rift_anm anm = clip_init(two_joints(), RIFT_ANM_LINEAR, rows[r].length, &arena);
        clip_curve(&anm, 1, RIFT_ANM_TRANSLATION, (float[]){0, rows[r].length},
                   (float[]){0, 0, 0, 8 * rows[r].length, 0, 0}, 2, &arena);
        clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, (float[]){0}, (float[]){1, 2, 3}, 1, &arena);
        const rift_clip_keys clip = run_mode(two_joints(), &anm, RIFT_KEYS_DENSE, rows[r].fps, NULL);
        const rift_channel *ch = clip_channel(&clip, 1, RIFT_TRANSLATION);
        CHECK_U64(ch->key_count, rows[r].count);
        for (uint32_t k = 0; k < ch->key_count; k++) {
            CHECK(ch->times[k] == rows[r].times[k]);
            CHECK_NEAR(ch->values[3 * k], 8 * (double)rows[r].times[k], 1e-5);
        }
        CHECK_U64(clip_channel(&clip, 0, RIFT_TRANSLATION)->key_count, 1);
    }
}

static void a_grid_samples_the_spline(void)
{
    const rift_skeleton *sk = two_joints();
    const rift_anm anm = wild(sk, RIFT_ANM_SPLINE_UNIFORM, 7);
    const rift_clip_keys clip = run_mode(sk, &anm, RIFT_KEYS_DENSE, 60, NULL);
    const rift_channel *ch = clip_channel(&clip, 1, RIFT_TRANSLATION);
    const rift_anm_curve *curve = &anm.tracks[1].curves[RIFT_ANM_TRANSLATION];
    for (uint32_t k = 0; k < ch->key_count; k++) {
        const double t = (double)ch->times[k];
        CHECK(clip_error_at(ch, curve, anm.basis, t, t) < 1e-5);
    }
    clip_check_channel(clip_channel(&clip, 1, RIFT_ROTATION));
}

static void a_grid_without_end_is_refused(void)
{
    rift_anm anm = clip_init(two_joints(), RIFT_ANM_LINEAR, 1e6F, &arena);
    clip_curve(&anm, 1, RIFT_ANM_TRANSLATION, (float[]){0, 1e6F}, (float[]){0, 0, 0, 1, 0, 0}, 2, &arena);
    rift_keys_input in = clip_input(two_joints(), &anm, &arena);
    rift_arena tmp;
    rift_clip_keys out;
    rift_err err = check_err();
    rift_arena_init(&tmp, LIMIT);
    in.mode = RIFT_KEYS_DENSE;
    in.dense_fps = 30;
    CHECK(!rift_clip_keys_build(&out, &in, &arena, &tmp, NULL, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    rift_arena_release(&tmp);
}

/* --- speed -------------------------------------------------------------------------------------------------------- */

static void times_are_scaled_and_tangents_with_them(void)
{
    static const float times[] = {0, 1, 3};
    static const float plain[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    static const float cubic[] = {0, 0, 0, 0, 0,  0, 6, 0, 0, 3, 0, 0, 1, 0,
                                  0, 9, 0, 0, 12, 0, 0, 2, 0, 0, 0, 0, 0};
    rift_channel channels[] = {
        {0, RIFT_TRANSLATION, RIFT_LINEAR, 3, times, plain},
        {1, RIFT_TRANSLATION, RIFT_CUBICSPLINE, 3, times, cubic},
    };
    const rift_clip_keys clip = {.channels = channels, .channel_count = 2, .length = 3};
    rift_clip_keys out;
    rift_err err = check_err();
    CHECK_OK(rift_clip_retime(&out, &clip, 1.5, &arena, &err), &err);
    CHECK(out.length == 4.5F);
    CHECK(out.channels[0].times[0] == 0 && out.channels[0].times[1] == 1.5F &&
          out.channels[0].times[2] == 4.5F);
    CHECK(out.channels[1].times == out.channels[0].times);
    CHECK(out.channels[0].values == plain);
    /* 6 a second for a clip that lasts half as long again is 4 a second. */
    CHECK(out.channels[1].values[6] == 4 && out.channels[1].values[9] == 2 &&
          out.channels[1].values[18] == 8);
    CHECK(out.channels[1].values[12] == 1 && out.channels[1].values[21] == 2);
    CHECK(channels[0].times == times && times[1] == 1); /* the source is as it was */
    /* So slow that the times would be one: they still rise. */
    CHECK_OK(rift_clip_retime(&out, &clip, 1e-45, &arena, &err), &err);
    CHECK(out.channels[0].times[1] > 0 && out.channels[0].times[2] > out.channels[0].times[1]);
    CHECK(out.length >= out.channels[0].times[2]);
}

/* --- one after another -------------------------------------------------------------------------------------------- */

static rift_clip_keys clip_of(rift_channel *channels, size_t count, float length)
{
    return (rift_clip_keys){.channels = channels, .channel_count = count, .length = length};
}

static rift_clip_keys join(const rift_clip_keys *a, const rift_clip_keys *b, bool *mixed)
{
    const rift_clip_keys *pieces[] = {a, b};
    rift_arena tmp;
    rift_clip_keys out = {0};
    rift_err err = check_err();
    rift_arena_init(&tmp, LIMIT);
    CHECK_OK(rift_clips_join(&out, pieces, 2, two_joints(), mixed, &arena, &tmp, &err), &err);
    CHECK_U64(tmp.used, 0);
    rift_arena_release(&tmp);
    return out;
}

static void check_keys(const rift_channel *ch, uint32_t count, const float *times, const float *x)
{
    CHECK_FATAL(ch != NULL);
    CHECK_U64(ch->key_count, count);
    const size_t dimension = ch->component == RIFT_ROTATION ? 4 : 3;
    for (uint32_t k = 0; k < ch->key_count && k < count; k++) {
        check_row("key %u", k);
        CHECK_NEAR(ch->times[k], times[k], 1e-6);
        CHECK_NEAR(ch->values[dimension * k], x[k], 1e-5);
    }
    check_row("%s", "");
}

static void equal_poses_are_one_key(void)
{
    rift_channel a[] = {{0, RIFT_TRANSLATION, RIFT_LINEAR, 2, (float[]){0, 1}, (float[]){0, 0, 0, 10, 0, 0}}};
    rift_channel b[] = {{0, RIFT_TRANSLATION, RIFT_LINEAR, 2, (float[]){0, 2}, (float[]){10, 0, 0, 4, 0, 0}}};
    const rift_clip_keys first = clip_of(a, 1, 1);
    const rift_clip_keys second = clip_of(b, 1, 2);
    bool mixed;
    const rift_clip_keys out = join(&first, &second, &mixed);
    CHECK(out.length == 3 && !mixed);
    CHECK_U64(out.channel_count, 1);
    check_keys(clip_channel(&out, 0, RIFT_TRANSLATION), 3, (float[]){0, 1, 3}, (float[]){0, 10, 4});
}

/* The next pose stands exactly where its clip begins; 1e-4 s before it the former has not quite arrived: 10 * (1 - 1e-4). */
static void unequal_poses_are_a_pair(void)
{
    rift_channel a[] = {{0, RIFT_TRANSLATION, RIFT_LINEAR, 2, (float[]){0, 1}, (float[]){0, 0, 0, 10, 0, 0}}};
    rift_channel b[] = {{0, RIFT_TRANSLATION, RIFT_LINEAR, 2, (float[]){0, 2}, (float[]){20, 0, 0, 4, 0, 0}}};
    const rift_clip_keys first = clip_of(a, 1, 1);
    const rift_clip_keys second = clip_of(b, 1, 2);
    bool mixed;
    const rift_clip_keys out = join(&first, &second, &mixed);
    check_keys(clip_channel(&out, 0, RIFT_TRANSLATION), 4, (float[]){0, 0.9999F, 1, 3},
               (float[]){0, 9.999F, 20, 4});
}

/* What only one of them moves stands at rest in the other; what ends early holds; what is constant in both has one key. */
static void gaps_are_filled(void)
{
    rift_channel a[] = {
        {0, RIFT_SCALE, RIFT_LINEAR, 1, (float[]){0}, (float[]){2, 2, 2}},
        {1, RIFT_TRANSLATION, RIFT_LINEAR, 2, (float[]){0.25F, 0.5F}, (float[]){5, 10, 0, 6, 10, 0}},
    };
    rift_channel b[] = {{0, RIFT_SCALE, RIFT_LINEAR, 1, (float[]){0}, (float[]){2, 2, 2}}};
    const rift_clip_keys first = clip_of(a, 2, 1);
    const rift_clip_keys second = clip_of(b, 1, 2);
    bool mixed;
    const rift_clip_keys out = join(&first, &second, &mixed);
    CHECK_U64(out.channel_count, 2);
    check_keys(clip_channel(&out, 0, RIFT_SCALE), 1, (float[]){0}, (float[]){2});
    check_keys(clip_channel(&out, 1, RIFT_TRANSLATION), 6, (float[]){0, 0.25F, 0.5F, 0.9999F, 1, 3},
               (float[]){5, 5, 6, 6, 0, 0});
}

static void signs_follow_across_pieces(void)
{
    const float h = 0.70710678F;
    rift_channel a[] = {
        {0, RIFT_ROTATION, RIFT_LINEAR, 2, (float[]){0, 1}, (float[]){0, 0, 0, 1, h, 0, 0, h}}};
    rift_channel b[] = {
        {0, RIFT_ROTATION, RIFT_LINEAR, 2, (float[]){0, 1}, (float[]){-h, 0, 0, -h, 0, 0, 0, -1}}};
    const rift_clip_keys first = clip_of(a, 1, 1);
    const rift_clip_keys second = clip_of(b, 1, 1);
    bool mixed;
    const rift_clip_keys out = join(&first, &second, &mixed);
    const rift_channel *ch = clip_channel(&out, 0, RIFT_ROTATION);
    check_keys(ch, 3, (float[]){0, 1, 2}, (float[]){0, h, 0});
    CHECK(ch->values[11] == 1);
}

/* Each instant of the whole is that of its piece, wherever no boundary is near. */
static void
check_pieces(const rift_clip_keys *out, const rift_clip_keys *a, const rift_clip_keys *b, double limit)
{
    for (size_t c = 0; c < out->channel_count; c++) {
        const rift_channel *ch = &out->channels[c];
        for (int i = 0; i <= (int)(240 * (double)out->length); i++) {
            const double t = i / 240.0;
            const double at = (double)a->length;
            if (fabs(t - at) < 0.005)
                continue;
            const rift_clip_keys *piece = t < at ? a : b;
            double got[4];
            double want[4];
            rift_channel_eval(got, ch, t);
            rift_channel_eval(want, clip_channel(piece, ch->joint, ch->component), t < at ? t : t - at);
            double plus = 0;
            double minus = 0;
            for (int k = 0; k < 4; k++) {
                plus = fmax(plus, fabs(got[k] - want[k]));
                minus = fmax(minus, fabs(got[k] + want[k]));
            }
            CHECK((ch->component == RIFT_ROTATION ? fmin(plus, minus) : plus) < limit);
        }
    }
}

static void splines_stay_splines(void)
{
    const rift_skeleton *sk = two_joints();
    for (uint32_t seed = 1; seed < 12; seed++) {
        check_row("seed %u", seed);
        const rift_anm x = wild(sk, RIFT_ANM_SPLINE_PARAMETRISED, seed);
        const rift_anm y = wild(sk, RIFT_ANM_SPLINE_UNIFORM, seed % 3 == 0 ? seed : seed + 100);
        const rift_clip_keys a = run_mode(sk, &x, RIFT_KEYS_CUBIC, 0, NULL);
        const rift_clip_keys b = run_mode(sk, &y, RIFT_KEYS_CUBIC, 0, NULL);
        bool mixed;
        const rift_clip_keys out = join(&a, &b, &mixed);
        CHECK(!mixed);
        for (size_t c = 0; c < out.channel_count; c++)
            CHECK_I64(out.channels[c].interpolation, RIFT_CUBICSPLINE);
        check_aligned(clip_channel(&out, 1, RIFT_ROTATION));
        check_pieces(&out, &a, &b, 2e-3);
    }
}

static void mixed_pieces_become_linear(void)
{
    const rift_skeleton *sk = two_joints();
    const rift_anm x = wild(sk, RIFT_ANM_SPLINE_PARAMETRISED, 3);
    const rift_anm y = wild(sk, RIFT_ANM_SPLINE_UNIFORM, 4);
    const rift_clip_keys a = run_mode(sk, &x, RIFT_KEYS_CUBIC, 0, NULL);
    const rift_clip_keys b = run_mode(sk, &y, RIFT_KEYS_ADAPTIVE, 0, NULL);
    bool mixed;
    const rift_clip_keys out = join(&a, &b, &mixed);
    CHECK(mixed);
    const rift_channel *r = clip_channel(&out, 1, RIFT_ROTATION);
    CHECK_I64(r->interpolation, RIFT_LINEAR);
    clip_check_channel(r);
    /* Straight lines stand in a cubic row exactly. */
    CHECK_I64(clip_channel(&out, 1, RIFT_TRANSLATION)->interpolation, RIFT_CUBICSPLINE);
    check_pieces(&out, &a, &b, 6e-3);
}

static void every_allocation_of_a_join_fails(void)
{
    const rift_skeleton *sk = two_joints();
    const rift_anm x = wild(sk, RIFT_ANM_SPLINE_PARAMETRISED, 3);
    const rift_clip_keys a = run_mode(sk, &x, RIFT_KEYS_CUBIC, 0, NULL);
    const rift_clip_keys *pieces[] = {&a, &a};
    for (int which = 0; which < 3; which++) {
        bool done = false;
        for (uint64_t n = 1; n < 1000 && !done; n++) {
            check_row("arena %d, allocation %llu", which, (unsigned long long)n);
            rift_arena out_arena;
            rift_arena tmp;
            rift_clip_keys out;
            bool mixed;
            rift_err err = check_err();
            rift_arena_init(&out_arena, LIMIT);
            rift_arena_init(&tmp, LIMIT);
            *(which == 1 ? &tmp.fail_at : &out_arena.fail_at) = n;
            done = which == 2 ? rift_clip_retime(&out, &a, 2, &out_arena, &err)
                              : rift_clips_join(&out, pieces, 2, sk, &mixed, &out_arena, &tmp, &err);
            if (!done)
                CHECK_CODE(&err, RIFT_ERR_NOMEM);
            rift_arena_release(&out_arena);
            rift_arena_release(&tmp);
        }
        CHECK(done);
    }
}

/* Cubic and dense keys: the loop of the parser tests, over both arenas. */
static void every_allocation_of_the_modes_fails(void)
{
    const rift_skeleton *sk = two_joints();
    const rift_anm x = wild(sk, RIFT_ANM_SPLINE_PARAMETRISED, 3);
    for (int which = 0; which < 4; which++) {
        bool done = false;
        for (uint64_t n = 1; n < 1000 && !done; n++) {
            check_row("case %d, allocation %llu", which, (unsigned long long)n);
            rift_keys_input in = clip_input(sk, &x, &arena);
            in.mode = which < 2 ? RIFT_KEYS_CUBIC : RIFT_KEYS_DENSE;
            in.dense_fps = 30;
            rift_arena out_arena;
            rift_arena tmp;
            rift_clip_keys out;
            rift_err err = check_err();
            rift_arena_init(&out_arena, LIMIT);
            rift_arena_init(&tmp, LIMIT);
            *(which % 2 ? &tmp.fail_at : &out_arena.fail_at) = n;
            done = rift_clip_keys_build(&out, &in, &out_arena, &tmp, NULL, &err);
            if (!done)
                CHECK_CODE(&err, RIFT_ERR_NOMEM);
            rift_arena_release(&out_arena);
            rift_arena_release(&tmp);
        }
        CHECK(done);
    }
}

/* --- one instant -------------------------------------------------------------------------------------------------- */

/* The root turns a quarter about z in a second and the arm grows to 20 u: half way it points to the upper left, 15 u away;
 * at the end to -x. */
static void a_pose_is_chained(void)
{
    const float h = 0.70710678F;
    const rift_skeleton *sk = two_joints();
    const rift_channel channels[] = {
        {0, RIFT_ROTATION, RIFT_LINEAR, 2, (float[]){0, 1}, (float[]){0, 0, 0, 1, 0, 0, h, h}},
        {1, RIFT_TRANSLATION, RIFT_LINEAR, 2, (float[]){0, 1}, (float[]){0, 10, 0, 0, 20, 0}},
    };
    static const struct {
        double t, x, y;
    } rows[] = {{-1, 0, 10}, {0, 0, 10}, {0.5, -15 * 0.70710678, 15 * 0.70710678}, {1, -20, 0}, {9, -20, 0}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%g s", rows[i].t);
        rift_mat4 world[2];
        rift_err err = check_err();
        CHECK_OK(rift_clip_pose(world, sk, channels, 2, rows[i].t, &arena, &err), &err);
        CHECK_NEAR(world[1].m[12], rows[i].x, 1e-5);
        CHECK_NEAR(world[1].m[13], rows[i].y, 1e-5);
        CHECK_NEAR(world[1].m[14], 0, 1e-6);
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    rift_arena_init(&arena, 256 * 1024 * 1024);
    RUN(tangents_are_those_of_the_document);
    RUN(cubic_keys_are_the_source_curve);
    RUN(a_trimmed_spline_stays_exact);
    RUN(uncompressed_clips_stay_linear);
    RUN(a_grid_ends_at_the_length);
    RUN(a_grid_samples_the_spline);
    RUN(a_grid_without_end_is_refused);
    RUN(times_are_scaled_and_tangents_with_them);
    RUN(equal_poses_are_one_key);
    RUN(unequal_poses_are_a_pair);
    RUN(gaps_are_filled);
    RUN(signs_follow_across_pieces);
    RUN(splines_stay_splines);
    RUN(mixed_pieces_become_linear);
    RUN(every_allocation_of_a_join_fails);
    RUN(every_allocation_of_the_modes_fails);
    RUN(a_pose_is_chained);
    rift_arena_release(&arena);
    return check_finish();
}
