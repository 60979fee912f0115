/* Keys of clips: G38-G44, G49, decisions 36. */
#include "anim/anim.h"

#include "anim/clip_build.h"
#include "model/rig.h"
#include "support/check.h"

static rift_arena arena;
static rift_report report;

static const rig_joint pair[] = {{"Root", -1, {0, 50, 0}, true}, {"Head", 0, {0, 20, 0}, true}};

static void reset(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 256 * 1024 * 1024);
    rift_report_init(&report, &arena);
}

static void check_times(const rift_channel *ch, const double *want, uint32_t count, double within)
{
    CHECK(ch != NULL);
    if (ch == NULL)
        return;
    CHECK_U64(ch->key_count, count);
    for (uint32_t k = 0; k < count && k < ch->key_count; k++)
        CHECK_NEAR((double)ch->times[k], want[k], within);
}

/* --- uncompressed ----------------------------------------------------------------------------------------------- */

/* B029, G41: two frames; the last pose stays, the length is (N - 1) / fps. */
static void two_frames(void)
{
    reset();
    const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_LINEAR, 1.0f / 30, &arena);
    anm.stored_duration = 2.0f / 30;
    static const float times[] = {0, 1.0f / 30};
    static const float values[] = {0, 50, 0, 3, 50, 0};
    static const float turns[] = {0, 0, 0, 1, 0, 0, -0.6f, -0.8f};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, values, 2, &arena);
    clip_curve(&anm, 0, RIFT_ANM_ROTATION, times, turns, 2, &arena);
    const rift_clip_keys clip = clip_build(&sk, &anm, &arena, &report);
    static const double want[] = {0, 1.0 / 30};
    CHECK_NEAR((double)clip.length, 1.0 / 30, 1e-8);
    CHECK_U64(clip.channel_count, 2); /* in the order T, R, S */
    check_times(clip_channel(&clip, 0, RIFT_TRANSLATION), want, 2, 1e-8);
    CHECK_U64(clip.channels[0].component, RIFT_TRANSLATION);
    CHECK_NEAR((double)clip.channels[0].values[3], 3, 0);
    CHECK_NEAR((double)clip.channels[1].values[6], 0.6, 1e-7); /* aligned */
    CHECK(clip.channels[0].times == clip.channels[1].times);   /* one array */
    CHECK_U64(report.entry_count, 0);
}

/* G42, and the second key of G41. */
static void constants(void)
{
    reset();
    const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_LINEAR, 1, &arena);
    static const float times[] = {0, 0.5f, 1};
    static const float same[] = {0, 50, 1, 0, 50.00002f, 1, 0, 50, 1}; /* 4e-7 relative */
    static const float moving[] = {0, 20, 0, 0, 20.001f, 0, 0, 20, 0}; /* 5e-5 relative */
    static const float turns[] = {0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, 1};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, same, 3, &arena);
    clip_curve(&anm, 0, RIFT_ANM_ROTATION, times, turns, 3, &arena);
    clip_curve(&anm, 1, RIFT_ANM_TRANSLATION, times, moving, 3, &arena);
    rift_clip_keys clip = clip_build(&sk, &anm, &arena, &report);
    static const double zero[] = {0};
    check_times(clip_channel(&clip, 0, RIFT_TRANSLATION), zero, 1, 0);
    check_times(clip_channel(&clip, 0, RIFT_ROTATION), zero, 1, 0);
    CHECK_U64(clip_channel(&clip, 1, RIFT_TRANSLATION)->key_count, 3);
    clip.channel_count = 2; /* without the moving one all are constant */
    rift_err err = check_err();
    CHECK_OK(rift_clips_finish(&clip, 1, &sk, &arena, &err), &err);
    CHECK_U64(clip.channel_count, 1); /* the rotation stays at rest */
    static const double ends[] = {0, 1};
    check_times(clip_channel(&clip, 0, RIFT_TRANSLATION), ends, 2, 0);
    CHECK_NEAR((double)clip.channels[0].values[5], 1, 0);
}

/* G38: the last of repeated times stays, and a difference is reported. B035: 100 000 frames still rise as float32. */
static void times_rise(void)
{
    reset();
    const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_LINEAR, 2, &arena);
    static const float times[] = {0, 1, 1, 2, 2};
    static const float values[] = {0, 0, 0, 1, 0, 0, 5, 0, 0, 7, 0, 0, 7, 0, 0};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, values, 5, &arena);
    rift_clip_keys clip = clip_build(&sk, &anm, &arena, &report);
    static const double want[] = {0, 1, 2};
    check_times(clip_channel(&clip, 0, RIFT_TRANSLATION), want, 3, 0);
    CHECK_NEAR((double)clip.channels[0].values[3], 5, 0);
    CHECK_U64(rift_report_count(&report, "key_conflict"), 1);
    enum { FRAMES = 100000 };
    float *many = RIFT_NEW(&arena, float, FRAMES);
    float *path = RIFT_NEW(&arena, float, 3 * FRAMES);
    for (int i = 0; i < FRAMES; i++) {
        many[i] = (float)(i / 30.0);
        path[3 * i] = (float)i;
    }
    anm.length = many[FRAMES - 1];
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, many, path, FRAMES, &arena);
    clip = clip_build(&sk, &anm, &arena, &report);
    CHECK_U64(clip.channels[0].key_count, FRAMES);
    clip_check_channel(&clip.channels[0]);
}

/* B036 as decisions 36 settle it: times start where the source's do; a trimmed clip starts at 0. */
static void starts_and_trims(void)
{
    reset();
    const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_LINEAR, 2, &arena);
    static const float times[] = {0.5f, 1, 2};
    static const float values[] = {0, 0, 0, 10, 0, 0, 30, 0, 0};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, values, 3, &arena);
    rift_keys_input in = clip_input(&sk, &anm, &arena);
    rift_clip_keys clip = clip_run(&in, &arena, &report);
    static const double untouched[] = {0.5, 1, 2};
    check_times(&clip.channels[0], untouched, 3, 0);
    in.trim_start = 0.75;
    in.trim_end = 1.5;
    clip = clip_run(&in, &arena, &report);
    static const double cut[] = {0, 0.25, 0.75};
    check_times(&clip.channels[0], cut, 3, 0);
    CHECK_NEAR((double)clip.length, 0.75, 0);
    CHECK_NEAR((double)clip.channels[0].values[0], 5, 1e-6);
    CHECK_NEAR((double)clip.channels[0].values[3], 10, 0);
    CHECK_NEAR((double)clip.channels[0].values[6], 20, 1e-6);
    in.trim_start = 1;
    in.trim_end = -1;
    clip = clip_run(&in, &arena, &report);
    static const double second[] = {0, 1};
    check_times(&clip.channels[0], second, 2, 0);
    in.trim_start = 1.5;
    in.trim_end = 0.5; /* no end, then */
    clip = clip_run(&in, &arena, &report);
    CHECK_NEAR((double)clip.length, 0.5, 0);
    CHECK_U64(rift_report_count(&report, "trim_end_before_start"), 1);
    in.trim_start = 9; /* behind the clip: its last pose */
    in.trim_end = -1;
    clip = clip_run(&in, &arena, &report);
    CHECK_NEAR((double)clip.length, 0, 0);
    CHECK_U64(clip.channels[0].key_count, 1);
    CHECK_NEAR((double)clip.channels[0].values[0], 30, 0);
}

/* B022: duration 0, one pose, a component without keys is not written. */
static void one_pose(void)
{
    static const rift_anm_basis bases[] = {RIFT_ANM_LINEAR, RIFT_ANM_SPLINE_UNIFORM};
    for (size_t b = 0; b < 2; b++) {
        reset();
        const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
        rift_anm anm = clip_init(&sk, bases[b], 0, &arena);
        static const float times[] = {0, 0, 0, 0};
        static const float values[] = {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6};
        clip_curve(&anm, 1, RIFT_ANM_TRANSLATION, times, values, 4, &arena);
        rift_clip_keys clip = clip_build(&sk, &anm, &arena, &report);
        CHECK_U64(clip.channel_count, 1);
        CHECK_U64(clip.channels[0].key_count, 1);
        CHECK_NEAR((double)clip.channels[0].values[0], 4, 0);
        CHECK_NEAR((double)clip.length, 0, 0);
        rift_err err = check_err();
        CHECK_OK(rift_clips_finish(&clip, 1, &sk, &arena, &err), &err);
        CHECK_U64(clip.channels[0].key_count, 1);
    }
}

/* G44. */
static void numbers_that_are_not_finite(void)
{
    reset();
    const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_LINEAR, 2, &arena);
    static const float times[] = {0, 1, 2};
    const float path[] = {0, 0, 0, NAN, 1, 1, 2, 2, 2};
    const float turns[] = {0, 0, 0, 1, 0, INFINITY, 0, 0, 0, 1, 0, 0};
    const float scales[] = {1, 1, 1, NAN, 0, -2, 1, 1, 1};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, path, 3, &arena);
    clip_curve(&anm, 0, RIFT_ANM_ROTATION, times, turns, 3, &arena);
    clip_curve(&anm, 0, RIFT_ANM_SCALE, times, scales, 3, &arena);
    const rift_clip_keys clip = clip_build(&sk, &anm, &arena, &report);
    CHECK_U64(clip.channel_count, 3);
    CHECK_U64(clip.channels[0].key_count, 2);
    CHECK_U64(clip.channels[1].key_count, 2);
    CHECK_U64(clip.channels[2].key_count, 3);
    CHECK_NEAR((double)clip.channels[2].values[3], 1, 0);
    CHECK_NEAR((double)clip.channels[2].values[4], 0, 0); /* zero and negative pass */
    CHECK_NEAR((double)clip.channels[2].values[5], -2, 0);
    CHECK_U64(rift_report_count(&report, "key_not_finite"), 2);
    CHECK_U64(rift_report_count(&report, "scale_not_finite"), 1);
}

/* A time that falls (the reader sorts; a caller may not) takes its key with it. */
static void falling_times(void)
{
    reset();
    const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_LINEAR, 2, &arena);
    static const float times[] = {0, 1, 0.5f, 2};
    static const float path[] = {0, 0, 0, 1, 0, 0, 9, 9, 9, 2, 0, 0};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, path, 4, &arena);
    const rift_clip_keys clip = clip_build(&sk, &anm, &arena, &report);
    static const double want[] = {0, 1, 2};
    check_times(&clip.channels[0], want, 3, 0);
    CHECK_U64(rift_report_count(&report, "key_not_finite"), 1);
}

/* track-mapping.md section 4: in cases A and B the head stays on its neck, at any time. */
static void the_head_stays_on_its_neck(void)
{
    for (size_t tracks = 1; tracks <= 2; tracks++) {
        reset();
        const rift_skeleton sk = rig_build(rig_shaco, 8, &arena, NULL);
        rift_anm anm = clip_init(&sk, RIFT_ANM_LINEAR, 1, &arena);
        static const float times[] = {0, 0.5f, 1};
        static const float on_neck[] = {0, 8, 2, 1, 9, 2, 0, 8, 1};
        static const float stub[] = {0, -64.08f, -1.58f, 0, -60, 0, 0, -64, 0};
        clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, on_neck, 3, &arena);
        clip_curve(&anm, 1, RIFT_ANM_TRANSLATION, times, stub, 3, &arena);
        anm.track_count = tracks;
        anm.tracks[0].hash = anm.tracks[1].hash = sk.joints[4].elf;
        rift_track_map map;
        rift_err err = check_err();
        CHECK_OK(rift_track_map_build(&map, &sk, &anm, &arena, &report, &err), &err);
        rift_keys_input in = clip_input(&sk, &anm, &arena);
        in.map = &map;
        const rift_clip_keys clip = clip_run(&in, &arena, &report);
        const rift_channel *head = clip_channel(&clip, 4, RIFT_TRANSLATION);
        CHECK_FATAL(head != NULL);
        for (int i = 0; i < 3; i++) {
            double at[4];
            rift_channel_eval(at, head, 0.1 + 0.4 * i);
            CHECK(rift_vec3_length((rift_vec3){at[0], at[1] - 8, at[2] - 2}) < 5);
        }
        CHECK_U64(clip_channel(&clip, 5, RIFT_TRANSLATION) != NULL, tracks == 2); /* T13 */
        CHECK_U64(report.entry_count, 0);
    }
}

/* G49: the identity clip composes to the rest pose; t adds, s adds less 1, r multiplies from the left. */
static void additive_clips(void)
{
    reset();
    rift_skl skl = rig_skl(pair, 2, &arena);
    skl.joints[1].local.r = (rift_quat){0, 0, 0.6, 0.8};
    skl.joints[1].local.s = (rift_vec3){2, 2, 2};
    rift_skeleton sk = {0};
    rift_err err = check_err();
    CHECK_OK(rift_skeleton_build(&sk, &skl, NULL, &arena, NULL, &err), &err);
    rift_anm anm = clip_init(&sk, RIFT_ANM_LINEAR, 1, &arena);
    static const float times[] = {0, 1};
    static const float path[] = {0, 0, 0, 1, 2, 3};
    static const float turns[] = {0, 0, 0, 1, 1, 0, 0, 0};
    static const float scales[] = {1, 1, 1, 1.5f, 1, 0.5f};
    clip_curve(&anm, 1, RIFT_ANM_TRANSLATION, times, path, 2, &arena);
    clip_curve(&anm, 1, RIFT_ANM_ROTATION, times, turns, 2, &arena);
    clip_curve(&anm, 1, RIFT_ANM_SCALE, times, scales, 2, &arena);
    rift_keys_input in = clip_input(&sk, &anm, &arena);
    in.additive = RIFT_ADDITIVE_COMPOSE;
    const rift_clip_keys clip = clip_run(&in, &arena, &report);
    CHECK_U64(clip.channel_count, 3);
    static const double t[] = {0, 20, 0, 1, 22, 3};
    static const double s[] = {2, 2, 2, 2.5, 2, 1.5};
    /* i * (0.6 k + 0.8) = 0.8 i + 0.6 ik = 0.8 i - 0.6 j */
    static const double r[] = {0, 0, 0.6, 0.8, 0.8, -0.6, 0, 0};
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR((double)clip.channels[0].values[i], t[i], 1e-6);
        CHECK_NEAR((double)clip.channels[2].values[i], s[i], 1e-6);
    }
    for (int i = 0; i < 8; i++)
        CHECK_NEAR((double)clip.channels[1].values[i], r[i], 1e-6);
}

/* --- compressed ------------------------------------------------------------------------------------------------- */

/* Doubled ends around two values: value - chord is D a (1 - a)(a - 1/2), at the quarters 0.046875 D. For D = 1 u that is inside 0.05; for D = 1.2 (0.05625) the S-shape needs two
 * halvings, because its middle lies on the chord. */
static void halving_by_hand(void)
{
    static const struct {
        float distance;
        uint32_t want;
    } rows[] = {{1, 2}, {1.2f, 5}, {-1.2f, 5}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        reset();
        check_row("%g u", (double)rows[i].distance);
        const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
        rift_anm anm = clip_init(&sk, RIFT_ANM_SPLINE_UNIFORM, 1, &arena);
        static const float times[] = {0, 0, 1, 1};
        const float values[] = {0, 0, 0, 0, 0, 0, rows[i].distance, 0, 0, rows[i].distance, 0, 0};
        clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, values, 4, &arena);
        rift_keys_input in = clip_input(&sk, &anm, &arena);
        in.limits.world = 0;
        const rift_clip_keys clip = clip_run(&in, &arena, &report);
        CHECK_U64(clip.channels[0].key_count, rows[i].want);
        CHECK_NEAR((double)clip.channels[0].times[clip.channels[0].key_count - 1], 1, 0);
    }
    check_row("%s", "");
}

/* 1000 u in one frame: after six halvings the first 64th still bends by 1000 * (3 - 6/128) / 8 / 64^2 = 0.0901 u. */
static void curve_error_is_reported(void)
{
    reset();
    const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_SPLINE_UNIFORM, 1, &arena);
    static const float times[] = {0, 0, 1, 1};
    static const float values[] = {0, 0, 0, 0, 0, 0, 1000, 0, 0, 1000, 0, 0};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, values, 4, &arena);
    const rift_clip_keys clip = clip_build(&sk, &anm, &arena, &report);
    CHECK_U64(rift_report_count(&report, "curve_error"), 1);
    CHECK_NEAR(clip.worst_translation, 0.0901, 0.0005);
    CHECK(clip.channels[0].key_count <= 65);
    CHECK_NEAR(clip.worst_rotation_rad, 0, 0);
}

/* A jump (two values at one time) and a corner: both sides are met, the later value is written. */
static void jumps_and_corners(void)
{
    reset();
    const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_SPLINE_PARAMETRISED, 1, &arena);
    static const float times[] = {0, 0, 0.5f, 0.5f, 1, 1};
    static const float corner[] = {0, 0, 0, 0, 0, 0, 10, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, corner, 6, &arena);
    rift_clip_keys clip = clip_build(&sk, &anm, &arena, &report);
    static const double three[] = {0, 0.5, 1};
    check_times(&clip.channels[0], three, 3, 0); /* parametrised corners are straight lines */
    CHECK_U64(report.entry_count, 0);
    static const float jump[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 10, 0, 0, 10, 0, 0};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, jump, 6, &arena);
    clip = clip_build(&sk, &anm, &arena, &report);
    CHECK_U64(rift_report_count(&report, "key_conflict"), 1);
    double at[4];
    rift_channel_eval(at, &clip.channels[0], 0.5);
    CHECK_NEAR(at[0], 10, 1e-6);
    rift_channel_eval(at, &clip.channels[0],
                      0.49); /* the slope that float32 keys can draw: one 64th of the piece */
    CHECK(at[0] < 1);
    clip_check_channel(&clip.channels[0]);
}

/* A random curve with corners and uneven times; rotations wander by up to 60 degrees a key, with random signs. */
static void random_curve(rift_anm *anm, size_t joint, rift_anm_component component, uint32_t *seed)
{
    float times[64];
    float values[4 * 64];
    const size_t dimension = component == RIFT_ANM_ROTATION ? 4 : 3;
    rift_quat q = {0, 0, 0, 1};
    size_t n = 0;
    unsigned tick = 0;
    double v[4] = {0, 0, 0, 0};
    const bool scale = component == RIFT_ANM_SCALE;
    for (;;) {
        const rift_quat turn = {clip_random_unit(seed) - 0.5, clip_random_unit(seed) - 0.5,
                                clip_random_unit(seed) - 0.5, 1};
        q = rift_quat_normalize(rift_quat_mul(rift_quat_normalize(turn), q));
        const double sign = clip_random(seed) % 3 == 0 ? -1 : 1;
        const double quat[4] = {sign * q.x, sign * q.y, sign * q.z, sign * q.w};
        for (size_t i = 0; i < dimension; i++)
            v[i] = dimension == 4 ? quat[i]
                   : scale        ? 0.5 + clip_random_unit(seed)
                                  : v[i] + 40 * (clip_random_unit(seed) - 0.5);
        const bool end = tick == 0 || tick == 60;
        const int copies = end || clip_random(seed) % 4 == 0 ? 2 : 1;
        for (int c = 0; c < copies; c++, n++) {
            times[n] = (float)(tick / 30.0);
            for (size_t i = 0; i < dimension; i++)
                values[dimension * n + i] = (float)v[i];
        }
        if (tick == 60)
            break;
        tick += 1 + clip_random(seed) % 12;
        tick = tick > 60 || n > 56 ? 60 : tick;
    }
    clip_curve(anm, joint, component, times, values, n, &arena);
}

/* G38-G40 on random splines, whole and trimmed, both bases; measured apart from the code that made the keys. */
static void random_splines_keep_the_limits(void)
{
    static const rift_component order[] = {RIFT_ROTATION, RIFT_TRANSLATION,
                                           RIFT_SCALE}; /* by rift_anm_component */
    static const double limits[] = {0.05, 0.1 * DEGREE, 1e-3};
    uint32_t seed = 11;
    double keys = 0;
    double sources = 0;
    for (int round = 0; round < 40; round++) {
        reset();
        check_row("round %d", round);
        const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
        const rift_anm_basis basis = round % 2 ? RIFT_ANM_SPLINE_UNIFORM : RIFT_ANM_SPLINE_PARAMETRISED;
        rift_anm anm = clip_init(&sk, basis, 2, &arena);
        for (int c = 0; c < 3; c++)
            random_curve(&anm, (size_t)(round % 2), (rift_anm_component)c, &seed);
        rift_keys_input in = clip_input(&sk, &anm, &arena);
        in.trim_start = round % 4 == 3 ? 0.317 : 0;
        in.trim_end = round % 4 == 2 ? 1.51 : -1;
        const rift_clip_keys clip = clip_run(&in, &arena, &report);
        CHECK_U64(clip.channel_count, 3);
        CHECK_U64(report.entry_count, 0);
        for (int c = 0; c < 3; c++) {
            const rift_channel *ch = clip_channel(&clip, (uint32_t)(round % 2), order[c]);
            const rift_anm_curve *curve = &anm.tracks[round % 2].curves[c];
            CHECK_FATAL(ch != NULL);
            clip_check_channel(ch);
            CHECK_NEAR((double)ch->times[0], 0, 0);
            CHECK_NEAR((double)ch->times[ch->key_count - 1], (double)clip.length, 0);
            const double limit = limits[order[c]];
            CHECK(clip_error_quarters(ch, curve, basis, in.trim_start) <= limit * 1.001);
            CHECK(clip_error_240(ch, curve, basis, in.trim_start, (double)clip.length) <= 3 * limit);
            keys += (double)ch->key_count;
            sources += (double)curve->key_count;
        }
    }
    check_row("%s", "");
    printf("  %.2f keys a source key\n", keys / sources);
    CHECK(keys / sources < 16);
}

/* --naive: every source key, constant or not, the frames of a constant curve too; nothing dropped. */
static void naive_keys(void)
{
    reset();
    const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_LINEAR, 0.1f, &arena); /* four frames */
    static const float times[] = {0, 1.0f / 30, 2.0f / 30, 0.1f};
    static const float rest[] = {0, 50, 0, 0, 50, 0, 0, 50, 0, 0, 50, 0};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, rest, 4, &arena);
    clip_curve(&anm, 1, RIFT_ANM_SCALE, times, (const float[]){1, 1, 1}, 1, &arena);
    rift_keys_input in = clip_input(&sk, &anm, &arena);
    in.naive = true;
    rift_clip_keys clip = clip_run(&in, &arena, &report);
    rift_err err = check_err();
    CHECK_OK(rift_clips_finish(&clip, 1, &sk, &arena, &err), &err);
    CHECK_U64(clip.channel_count, 2);
    CHECK_U64(clip.channels[0].key_count, 4);
    static const double frames[] = {0, 1.0 / 30, 2.0 / 30, 0.1};
    check_times(&clip.channels[1], frames, 4, 1e-7);
    anm.basis = RIFT_ANM_SPLINE_UNIFORM;
    anm.compressed = true;
    static const float doubled[] = {0, 0, 0.1f, 0.1f};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, doubled,
               (const float[]){0, 0, 0, 0, 0, 0, 900, 0, 0, 900, 0, 0}, 4, &arena);
    clip = clip_run(&in, &arena, &report);
    CHECK_U64(clip.channels[0].key_count, 2); /* nothing is added */
}

/* --- G43 -------------------------------------------------------------------------------------------------------- */

/* Clip A moves the head's translation, clip B holds it at rest: B must write it too, or it keeps A's last pose. Root's translation moves in neither by more than 1e-3 u. */
static void liveness_over_clips(void)
{
    reset();
    const rift_skeleton sk = rig_build(pair, 2, &arena, NULL);
    static const float times[] = {0, 1};
    rift_anm a = clip_init(&sk, RIFT_ANM_LINEAR, 1, &arena);
    rift_anm b = clip_init(&sk, RIFT_ANM_LINEAR, 1, &arena);
    clip_curve(&a, 1, RIFT_ANM_TRANSLATION, times, (const float[]){0, 20, 0, 0, 25, 0}, 2, &arena);
    clip_curve(&a, 0, RIFT_ANM_TRANSLATION, times, (const float[]){0, 50, 0, 0.0009f, 50, 0}, 2, &arena);
    clip_curve(&b, 1, RIFT_ANM_TRANSLATION, times, (const float[]){0, 20, 0}, 1, &arena);
    clip_curve(&b, 1, RIFT_ANM_SCALE, times, (const float[]){1, 1, 1}, 1, &arena);
    clip_curve(&b, 0, RIFT_ANM_ROTATION, times, (const float[]){0, 0, 0.0004f, 1}, 1,
               &arena); /* 0.046 degrees */
    rift_clip_keys clips[2] = {clip_build(&sk, &a, &arena, &report), clip_build(&sk, &b, &arena, &report)};
    rift_err err = check_err();
    CHECK_OK(rift_clips_finish(clips, 2, &sk, &arena, &err), &err);
    CHECK_U64(clips[0].channel_count, 1);
    CHECK_U64(clips[1].channel_count, 1);
    CHECK(clip_channel(&clips[1], 1, RIFT_TRANSLATION) != NULL);
    CHECK_U64(clips[1].channels[0].key_count, 2); /* and carries the clip's end */
    CHECK_NEAR((double)clips[1].channels[0].times[1], 1, 0);
    /* Just over the thresholds each component is live by itself. */
    reset();
    const rift_skeleton again = rig_build(pair, 2, &arena, NULL);
    rift_anm c = clip_init(&again, RIFT_ANM_LINEAR, 1, &arena);
    clip_curve(&c, 0, RIFT_ANM_TRANSLATION, times, (const float[]){0, 50, 0, 0.0011f, 50, 0}, 2, &arena);
    clip_curve(&c, 0, RIFT_ANM_ROTATION, times, (const float[]){0, 0, 0.00045f, 1}, 1,
               &arena); /* 0.0516 degrees */
    clip_curve(&c, 0, RIFT_ANM_SCALE, times, (const float[]){1, 1.0011f, 1}, 1, &arena);
    rift_clip_keys clip = clip_build(&again, &c, &arena, &report);
    CHECK_OK(rift_clips_finish(&clip, 1, &again, &arena, &err), &err);
    CHECK_U64(clip.channel_count, 3);
    /* A clip that moves nothing keeps no channel. */
    rift_anm d = clip_init(&again, RIFT_ANM_LINEAR, 1, &arena);
    clip_curve(&d, 0, RIFT_ANM_SCALE, times, (const float[]){1, 1, 1}, 1, &arena);
    clip = clip_build(&again, &d, &arena, &report);
    CHECK_OK(rift_clips_finish(&clip, 1, &again, &arena, &err), &err);
    CHECK_U64(clip.channel_count, 0);
}

/* --- memory ----------------------------------------------------------------------------------------------------- */

static void every_allocation_may_fail(void)
{
    rift_arena input;
    rift_arena_init(&input, 16 * 1024 * 1024);
    const rift_skeleton sk = rig_build(pair, 2, &input, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_SPLINE_UNIFORM, 1, &input);
    static const float times[] = {0, 0, 1, 1};
    clip_curve(&anm, 0, RIFT_ANM_TRANSLATION, times, (const float[]){0, 0, 0, 0, 0, 0, 90, 0, 0, 90, 0, 0}, 4,
               &input);
    clip_curve(&anm, 0, RIFT_ANM_ROTATION, times,
               (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0}, 4, &input);
    const rift_keys_input in = clip_input(&sk, &anm, &input);
    for (int which = 0; which < 2; which++) {
        uint64_t n = 1;
        for (; n < 1000; n++) {
            rift_arena out_arena;
            rift_arena tmp;
            rift_arena_init(&out_arena, 16 * 1024 * 1024);
            rift_arena_init(&tmp, 16 * 1024 * 1024);
            *(which == 0 ? &tmp.fail_at : &out_arena.fail_at) = n;
            rift_clip_keys out = {.channel_count = 77};
            rift_err err = check_err();
            bool ok = rift_clip_keys_build(&out, &in, &out_arena, &tmp, NULL, &err);
            if (ok && which == 1)
                ok = rift_clips_finish(&out, 1, &sk, &out_arena, &err);
            rift_arena_release(&tmp);
            rift_arena_release(&out_arena);
            if (ok)
                break;
            CHECK_CODE(&err, RIFT_ERR_NOMEM);
        }
        CHECK(n > 3);
        CHECK(n < 1000);
    }
    rift_arena_release(&input);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(two_frames);
    RUN(constants);
    RUN(times_rise);
    RUN(starts_and_trims);
    RUN(one_pose);
    RUN(numbers_that_are_not_finite);
    RUN(falling_times);
    RUN(the_head_stays_on_its_neck);
    RUN(additive_clips);
    RUN(halving_by_hand);
    RUN(curve_error_is_reported);
    RUN(jumps_and_corners);
    RUN(random_splines_keep_the_limits);
    RUN(naive_keys);
    RUN(liveness_over_clips);
    RUN(every_allocation_may_fail);
    rift_arena_release(&arena);
    return check_finish();
}
