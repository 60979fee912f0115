/* The world limit of decisions 26, on planar chains whose positions the test adds up itself from angles. */
#include "anim/anim.h"

#include "anim/clip_build.h"
#include "model/rig.h"
#include "support/check.h"

static rift_arena arena;
static rift_report report;

static void reset(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 64 * 1024 * 1024);
    rift_report_init(&report, &arena);
}

/* A turn about z from 0 to `degrees` over one second: doubled ends, uniform, so that the angle strays from the chord by about 0.046875 of the whole at the quarters. */
static void turn(rift_anm *anm, size_t joint, double degrees)
{
    static const float times[] = {0, 0, 1, 1};
    const float s = (float)sin(degrees * DEGREE / 2);
    const float c = (float)cos(degrees * DEGREE / 2);
    const float values[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, s, c, 0, 0, s, c};
    clip_curve(anm, joint, RIFT_ANM_ROTATION, times, values, 4, &arena);
}

static double angle_of(const double q[4])
{
    return 2 * atan2(q[2], q[3]);
}

/* How far the tip of a chain of equal links is from where the source has it, at time t. */
static double
tip_error(const rift_clip_keys *clip, const rift_anm *anm, size_t links, double length, double t)
{
    double d[2] = {0, 0};
    double source_angle = 0;
    double drawn_angle = 0;
    for (size_t j = 0; j < links; j++) {
        double q[4];
        rift_curve_eval(q, &anm->tracks[j].curves[RIFT_ANM_ROTATION], RIFT_ANM_ROTATION, anm->basis, t);
        source_angle += angle_of(q);
        rift_channel_eval(q, clip_channel(clip, (uint32_t)j, RIFT_ROTATION), t);
        drawn_angle += angle_of(q);
        d[0] += length * (cos(source_angle) - cos(drawn_angle));
        d[1] += length * (sin(source_angle) - sin(drawn_angle));
    }
    return hypot(d[0], d[1]);
}

static double worst_tip_error(const rift_clip_keys *clip, const rift_anm *anm, size_t links, double length)
{
    double worst = 0;
    for (int i = 0; i <= 960; i++)
        worst = fmax(worst, tip_error(clip, anm, links, length, i / 960.0));
    return worst;
}

/* One link of 400 u turning by 2 degrees: 0.094 degrees off at the quarters, inside 0.1, but 0.65 u at the tip. Halving once puts a key on the chord and changes nothing; the second
 * halving leaves 2 deg * (3 - 0.75) / 8 / 16 * 400 u = 0.245 u. */
static void one_long_lever(void)
{
    reset();
    static const rig_joint joints[] = {{"Root", -1, {0, 0, 0}, true}, {"Tip", 0, {400, 0, 0}, true}};
    const rift_skeleton sk = rig_build(joints, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_SPLINE_UNIFORM, 1, &arena);
    turn(&anm, 0, 2);
    rift_keys_input in = clip_input(&sk, &anm, &arena);
    in.limits.world = 0;
    rift_clip_keys clip = clip_run(&in, &arena, &report);
    CHECK_U64(clip.channels[0].key_count, 2);
    CHECK_NEAR(worst_tip_error(&clip, &anm, 1, 400), 400 * 2 * DEGREE * 0.0481125,
               0.002); /* the cubic's peak */
    in.limits.world = 0.5;
    clip = clip_run(&in, &arena, &report);
    CHECK_U64(clip.channels[0].key_count, 5);
    CHECK_NEAR(worst_tip_error(&clip, &anm, 1, 400), 0.245, 0.005);
    CHECK_U64(report.entry_count, 0);
    CHECK_NEAR(clip.worst_world, 0, 0);
}

/* Four links of 100 u, 1.2 degrees each: 0.056 degrees apiece, 0.98 u at the tip. */
static void a_chain_adds_up(void)
{
    reset();
    static const rig_joint joints[] = {{"A", -1, {0, 0, 0}, false},
                                       {"B", 0, {100, 0, 0}, false},
                                       {"C", 1, {100, 0, 0}, false},
                                       {"D", 2, {100, 0, 0}, false},
                                       {"Tip", 3, {100, 0, 0}, true}};
    const rift_skeleton sk = rig_build(joints, 5, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_SPLINE_UNIFORM, 1, &arena);
    for (size_t j = 0; j < 4; j++)
        turn(&anm, j, 1.2);
    rift_keys_input in = clip_input(&sk, &anm, &arena);
    in.limits.world = 0;
    rift_clip_keys clip = clip_run(&in, &arena, &report);
    CHECK_NEAR(worst_tip_error(&clip, &anm, 4, 100), 1000 * 1.2 * DEGREE * 0.0481125, 0.01);
    in.limits.world = 0.5;
    clip = clip_run(&in, &arena, &report);
    CHECK(worst_tip_error(&clip, &anm, 4, 100) <= 0.5);
    CHECK_U64(report.entry_count, 0);
    CHECK(clip_channel(&clip, 0, RIFT_ROTATION)->key_count >
          clip_channel(&clip, 3, RIFT_ROTATION)->key_count); /* the long lever first */
    /* Nothing skins below D: nobody sees it. */
    reset();
    rig_joint unseen[5];
    memcpy(unseen, joints, sizeof unseen);
    unseen[4].influence = false;
    unseen[0].influence = true;
    const rift_skeleton bare = rig_build(unseen, 5, &arena, NULL);
    anm = clip_init(&bare, RIFT_ANM_SPLINE_UNIFORM, 1, &arena);
    for (size_t j = 0; j < 4; j++)
        turn(&anm, j, 1.2);
    clip = clip_build(&bare, &anm, &arena, &report);
    CHECK_U64(clip_channel(&clip, 0, RIFT_ROTATION)->key_count, 2);
}

/* Joints farther than 1000 u from the origin are not held to it. */
static void far_joints_are_excepted(void)
{
    reset();
    static const rig_joint joints[] = {{"Root", -1, {0, 0, 1500}, true}, {"Tip", 0, {400, 0, 0}, true}};
    const rift_skeleton sk = rig_build(joints, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_SPLINE_UNIFORM, 1, &arena);
    turn(&anm, 0, 2);
    const rift_clip_keys clip = clip_build(&sk, &anm, &arena, &report);
    CHECK_U64(clip.channels[0].key_count, 2);
    CHECK_U64(report.entry_count, 0);
}

/* A lever of 900 u that turns half round in a second, with no halvings to spend: reported, with the joint. */
static void what_cannot_be_met_is_reported(void)
{
    reset();
    static const rig_joint joints[] = {{"Root", -1, {0, 0, 0}, false}, {"Tip", 0, {900, 0, 0}, true}};
    const rift_skeleton sk = rig_build(joints, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_SPLINE_UNIFORM, 1, &arena);
    turn(&anm, 0, 2);
    rift_keys_input in = clip_input(&sk, &anm, &arena);
    in.limits.max_halvings = 0;
    const rift_clip_keys clip = clip_run(&in, &arena, &report);
    CHECK_U64(clip.channels[0].key_count, 2);
    CHECK_U64(rift_report_count(&report, "world_error"), 1);
    CHECK_NEAR(clip.worst_world, 900 * 2 * DEGREE * 0.046875, 0.01);
    CHECK(strstr(report.entries[0]->examples[0].data, "Tip") != NULL);
}

/* A clip that costs more than its budget keeps the local limits and says so. */
static void the_budget_ends_the_check(void)
{
    reset();
    static const rig_joint joints[] = {{"Root", -1, {0, 0, 0}, true}, {"Tip", 0, {400, 0, 0}, true}};
    const rift_skeleton sk = rig_build(joints, 2, &arena, NULL);
    rift_anm anm = clip_init(&sk, RIFT_ANM_SPLINE_UNIFORM, 1, &arena);
    turn(&anm, 0, 2);
    rift_keys_input in = clip_input(&sk, &anm, &arena);
    in.limits.world_budget = 3;
    const rift_clip_keys clip = clip_run(&in, &arena, &report);
    CHECK_U64(clip.channels[0].key_count, 2);
    CHECK_U64(rift_report_count(&report, "world_check_skipped"), 1);
}

/* Random chains with branches, scales and translations: measured by the test with matrices, at the quarter points of all key times. */
static rift_mat4
pose(const rift_skeleton *sk, const rift_clip_keys *clip, const rift_anm *anm, rift_mat4 *world, double t)
{
    for (size_t i = 0; i < sk->joint_count; i++) {
        const uint32_t j = sk->topological[i];
        rift_trs local = sk->joints[j].rest;
        double *parts[3] = {&local.t.x, &local.r.x, &local.s.x};
        static const rift_anm_component source[] = {RIFT_ANM_TRANSLATION, RIFT_ANM_ROTATION, RIFT_ANM_SCALE};
        for (int c = 0; c < 3; c++) {
            double v[4];
            const rift_anm_curve *curve = &anm->tracks[j].curves[source[c]];
            if (curve->key_count == 0)
                continue;
            if (clip != NULL)
                rift_channel_eval(v, clip_channel(clip, j, (rift_component)c), t);
            else
                rift_curve_eval(v, curve, source[c], anm->basis, t);
            memcpy(parts[c], v, (c == RIFT_ROTATION ? 4 : 3) * sizeof *v);
        }
        const rift_mat4 m = rift_mat4_from_trs(local);
        world[j] = sk->joints[j].parent == RIFT_NO_PARENT ? m : rift_mat4_mul(world[sk->joints[j].parent], m);
    }
    return world[0];
}

static void random_turns(rift_anm *anm, size_t joint, uint32_t *seed)
{
    float times[12];
    float turns[48];
    float scales[36];
    for (int k = 0; k < 12; k++) {
        times[k] = k == 0 ? 0 : k == 11 ? 1 : (float)(k - 1) / 9;
        const rift_quat q = rift_quat_normalize((rift_quat){0.8 * (clip_random_unit(seed) - 0.5),
                                                            0.8 * (clip_random_unit(seed) - 0.5),
                                                            0.8 * (clip_random_unit(seed) - 0.5), 1});
        const float v[] = {(float)q.x, (float)q.y, (float)q.z, (float)q.w};
        memcpy(turns + 4 * k, k == 11 ? turns + 40 : v, sizeof v);
        for (int i = 0; i < 3; i++)
            scales[3 * k + i] = (float)(0.8 + 0.4 * clip_random_unit(seed));
    }
    memcpy(turns, turns + 4, 4 * sizeof(float));
    memcpy(scales, scales + 3, 3 * sizeof(float));
    memcpy(scales + 33, scales + 30, 3 * sizeof(float));
    clip_curve(anm, joint, RIFT_ANM_ROTATION, times, turns, 12, &arena);
    if (joint % 3 == 1)
        clip_curve(anm, joint, RIFT_ANM_SCALE, times, scales, 12, &arena);
}

static double worst_position(const rift_skeleton *sk, const rift_clip_keys *clip, const rift_anm *anm)
{
    double worst = 0;
    rift_mat4 source[16];
    rift_mat4 drawn[16];
    for (int i = 0; i <= 2000; i++) {
        const double t = i / 2000.0;
        (void)pose(sk, NULL, anm, source, t);
        (void)pose(sk, clip, anm, drawn, t);
        for (size_t j = 0; j < sk->joint_count; j++) {
            const double *a = source[j].m;
            const double *b = drawn[j].m;
            if (rift_vec3_length((rift_vec3){a[12], a[13], a[14]}) <= RIFT_WORLD_REACH)
                worst =
                    fmax(worst, rift_vec3_length((rift_vec3){a[12] - b[12], a[13] - b[13], a[14] - b[14]}));
        }
    }
    return worst;
}

static void random_chains_keep_the_limit(void)
{
    uint32_t seed = 3;
    double loosest = 0;
    for (int round = 0; round < 6; round++) {
        reset();
        check_row("round %d", round);
        rig_joint joints[12];
        for (int j = 0; j < 12; j++)
            joints[j] = (rig_joint){"j", j - 1 - (j > 8 ? 4 : 0), {40, 5, 0}, true};
        const rift_skeleton sk = rig_build(joints, 12, &arena, NULL);
        rift_anm anm =
            clip_init(&sk, round % 2 ? RIFT_ANM_SPLINE_UNIFORM : RIFT_ANM_SPLINE_PARAMETRISED, 1, &arena);
        for (size_t j = 0; j < 12; j++)
            random_turns(&anm, j, &seed);
        rift_keys_input in = clip_input(&sk, &anm, &arena);
        in.limits.world = 0;
        rift_clip_keys clip = clip_run(&in, &arena, &report);
        loosest = fmax(loosest, worst_position(&sk, &clip, &anm));
        in.limits.world = 0.5;
        clip = clip_run(&in, &arena, &report);
        const double worst = worst_position(&sk, &clip, &anm);
        CHECK(worst <= 0.5);
        CHECK_U64(report.entry_count, 0);
    }
    check_row("%s", "");
    CHECK(loosest > 0.5); /* or the limit was never at work */
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(one_long_lever);
    RUN(a_chain_adds_up);
    RUN(far_joints_are_excepted);
    RUN(what_cannot_be_met_is_reported);
    RUN(the_budget_ends_the_check);
    RUN(random_chains_keep_the_limit);
    rift_arena_release(&arena);
    return check_finish();
}
