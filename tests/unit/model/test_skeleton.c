/* Skeletons: G13, G14, G16, G17, T2, T3, walk order, stubs, decisions 19, 22, 31, 33. */
#include "model/skeleton.h"

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

static rift_skeleton build(const rift_skl *skl, const rift_skn *skn)
{
    rift_skeleton out = {0};
    rift_err err = check_err();
    CHECK_OK(rift_skeleton_build(&out, skl, skn, &arena, &report, &err), &err);
    return out;
}

static void check_walk(const rift_skeleton *sk, const uint32_t *want, size_t count)
{
    CHECK_U64(sk->joint_count, count);
    for (size_t i = 0; i < count; i++) {
        check_row("walk[%zu]", i);
        CHECK_U64(sk->walk[i], want[i]);
    }
    check_row("%s", "");
}

/* track-mapping.md section 4 names this order. */
static void walks_breadth_first(void)
{
    reset();
    const rift_skeleton sk = rig_build(rig_shaco, 8, &arena, &report);
    static const uint32_t want[] = {0, 1, 5, 7, 2, 3, 4, 6};
    check_walk(&sk, want, 8);
    CHECK(sk.joints[5].is_stub);
    CHECK(!sk.joints[4].is_stub);
    CHECK(!sk.joints[6].is_stub);
    CHECK_U64(rift_report_count(&report, "stub_joints"), 1);
    CHECK_U64(report.entry_count, 1);
    CHECK_NEAR(sk.rest_world[4].m[13], 64.08 + 2 + 10 + 25 + 8, 1e-9);
    CHECK_NEAR(sk.rest_world[4].m[14], 3.58, 1e-9);
}

/* Section 5, case 6: parents after their children in the file. */
static void parents_may_come_later(void)
{
    reset();
    static const rig_joint joints[] = {{"Hand", 1, {1, 0, 0}, true},
                                       {"Arm", 3, {0, 2, 0}, true},
                                       {"Toe", 3, {0, 0, 1}, true},
                                       {"Root", -1, {5, 0, 0}, false}};
    const rift_skeleton sk = rig_build(joints, 4, &arena, &report);
    static const uint32_t want[] = {3, 1, 2, 0};
    check_walk(&sk, want, 4);
    CHECK_NEAR(sk.rest_world[0].m[12], 6, 1e-12);
    CHECK_NEAR(sk.rest_world[0].m[13], 2, 1e-12);
}

/* B017 and T: each joint of a cycle is a root; what hangs below keeps its parent. */
static void cuts_cycles(void)
{
    reset();
    static const rig_joint joints[] = {{"Root", -1, {0, 1, 0}, true}, {"A", 3, {0, 0, 0}, true},
                                       {"B", 1, {0, 0, 0}, true},     {"C", 2, {0, 0, 0}, true},
                                       {"Below", 2, {1, 0, 0}, true}, {"Self", 5, {0, 0, 0}, true},
                                       {"Wild", 99, {0, 0, 0}, true}, {"Minus", -7, {0, 0, 0}, true}};
    const rift_skeleton sk = rig_build(joints, 8, &arena, &report);
    static const int parents[] = {-1, -1, -1, -1, 2, -1, -1, -1};
    for (size_t j = 0; j < 8; j++) {
        check_row("joint %zu", j);
        CHECK_I64(sk.joints[j].parent, parents[j]);
    }
    check_row("%s", "");
    CHECK_U64(rift_report_count(&report, "joint_cycle"), 4);
    CHECK_U64(rift_report_count(&report, "joint_parent_invalid"), 2);
    static const uint32_t want[] = {0, 1, 2, 3, 5, 6, 7, 4};
    check_walk(&sk, want, 8);
}

/* G14: the first keeps its name, case counts, a nameless joint is joint_<id>; T2: its stored hash counts. */
static void names_are_unique(void)
{
    reset();
    static const rig_joint joints[] = {{"Head", -1, {0, 0, 0}, true},   {"head", 0, {0, 0, 0}, true},
                                       {"Head", 0, {0, 0, 0}, true},    {"", 0, {0, 0, 0}, true},
                                       {"Head__2", 0, {0, 0, 0}, true}, {"joint_6", 0, {0, 0, 0}, true},
                                       {"", 0, {0, 0, 0}, true},        {"Bone", 0, {0, 0, 0}, true},
                                       {"Bone", 0, {0, 0, 0}, true},    {"Bone", 0, {0, 0, 0}, true}};
    rift_skl skl = rig_skl(joints, 10, &arena);
    skl.joints[3].hash = 0x1234567;
    const rift_skeleton sk = build(&skl, NULL);
    CHECK_STR(sk.joints[0].name, RIFT_STR("Head"));
    CHECK_STR(sk.joints[1].name, RIFT_STR("head"));
    /* joint 4 has "Head__2" by right, so joint 2 cannot. */
    CHECK_STR(sk.joints[2].name, RIFT_STR("Head__2__2"));
    CHECK_STR(sk.joints[3].name, RIFT_STR("joint_3"));
    CHECK_STR(sk.joints[4].name, RIFT_STR("Head__2"));
    CHECK_STR(sk.joints[5].name, RIFT_STR("joint_6"));
    CHECK_STR(sk.joints[6].name, RIFT_STR("joint_6__6"));
    CHECK_STR(sk.joints[8].name, RIFT_STR("Bone__8"));
    CHECK_STR(sk.joints[9].name, RIFT_STR("Bone__9"));
    CHECK_STR(sk.joints[2].source_name, RIFT_STR("Head"));
    CHECK_U64(sk.joints[3].source_name.size, 0);
    CHECK_U64(sk.joints[3].elf, 0x1234567);
    CHECK_U64(sk.joints[3].fnv, 0);
    CHECK_U64(sk.joints[2].elf, 0x0006EB74);
    CHECK_U64(sk.joints[2].fnv, 0x32694BC3);
    CHECK_U64(rift_report_count(&report, "joint_name_repeated"), 4);
}

/* G14 and decisions 33. */
static void names_are_utf8(void)
{
    reset();
    static const rig_joint joints[] = {{"Z\xfc"
                                        "rich",
                                        -1,
                                        {0, 0, 0},
                                        true},
                                       {"Z\xc3\xbcrich", 0, {0, 0, 0}, true},
                                       {"a\tb\x7f", 0, {0, 0, 0}, true},
                                       {"x\x85y", 0, {0, 0, 0}, true},
                                       {"a:b/c d", 0, {0, 0, 0}, true}};
    const rift_skeleton sk = rig_build(joints, 5, &arena, &report);
    CHECK_STR(sk.joints[0].name, RIFT_STR("Z\xc3\xbcrich"));
    CHECK_STR(sk.joints[1].name, RIFT_STR("Z\xc3\xbcrich__1"));
    CHECK_STR(sk.joints[2].name, RIFT_STR("a_b_"));
    CHECK_STR(sk.joints[2].source_name, RIFT_STR("a\tb\x7f"));
    CHECK_STR(sk.joints[3].name, RIFT_STR("x_y")); /* U+0085 is a control character */
    CHECK_STR(sk.joints[4].name, RIFT_STR("a:b/c d"));
    CHECK_U64(rift_report_count(&report, "joint_name_changed"), 2);
}

/* T2, decisions 19. */
static void wrong_hashes_are_reported_not_used(void)
{
    reset();
    rift_skl skl = rig_skl(rig_shaco, 8, &arena);
    skl.joints[4].hash = 0xdeadbeef;
    const rift_skeleton sk = build(&skl, NULL);
    CHECK_U64(sk.joints[4].elf, 0x0006EB74);
    CHECK_U64(rift_report_count(&report, "joint_hash_mismatch"), 1);
}

/* A mesh of single vertices, each wholly on one blend index. */
static rift_skn mesh_on(const uint8_t *blend, size_t count, bool direct)
{
    rift_skn skn = {.vertex_count = count, .direct_indices = direct};
    skn.blend_indices = RIFT_NEW(&arena, uint8_t, 4 * count);
    skn.blend_weights = RIFT_NEW(&arena, float, 4 * count);
    for (size_t v = 0; v < count; v++) {
        skn.blend_indices[4 * v] = blend[v];
        skn.blend_weights[4 * v] = 1;
        skn.blend_indices[4 * v + 1] = 5; /* weight 0: not used */
    }
    return skn;
}

static void check_influences(const rift_skeleton *sk, const char *want)
{
    for (size_t j = 0; j < sk->joint_count; j++) {
        check_row("joint %zu", j);
        CHECK_U64(sk->joints[j].influences, want[j] == '1');
    }
    check_row("%s", "");
}

/* Decisions 22. */
static void influences_follow_list_or_mesh(void)
{
    static const uint8_t blend[] = {1, 4, 4};
    reset();
    rift_skl skl = rig_skl(rig_shaco, 8, &arena);
    rift_skn skn = mesh_on(blend, 3, false);
    rift_skeleton sk = build(&skl, &skn);
    check_influences(&sk, "01111001"); /* the file's list */

    reset();
    skl = rig_skl(rig_shaco, 8, &arena);
    skn = mesh_on(blend, 3, false);
    for (uint16_t j = 0; j < 8; j++)
        skl.influences[j] = j;
    skl.influence_count = 8;
    sk = build(&skl, NULL);
    check_influences(&sk, "11111111"); /* identity, no mesh to ask */
    sk = build(&skl, &skn);
    check_influences(&sk, "01001000"); /* identity: what the vertices use */
    CHECK(sk.joints[5].is_stub);

    reset();
    skl = rig_skl(rig_shaco, 8, &arena);
    skn = mesh_on(blend, 3, true);
    sk = build(&skl, &skn);
    check_influences(&sk, "01001000"); /* B007: joints named directly */

    reset();
    skl = rig_skl(rig_shaco, 8, &arena);
    skl.influences[1] = RIFT_SKL_BAD_INFLUENCE;
    sk = build(&skl, NULL);
    check_influences(&sk, "01011001");
    CHECK_U64(sk.influences[1], RIFT_SKL_BAD_INFLUENCE); /* positions stay */
    CHECK_U64(sk.influences[2], 3);
}

/* G17 and decisions 31, B134: never identity where a number is to be had. */
static void replaces_bad_inverse_binds(void)
{
    reset();
    static const rig_joint joints[] = {
        {"Root", -1, {0, 10, 0}, true}, {"Prop", 0, {0, 5, 0}, true}, {"Tip", 1, {0, 3, 0}, true}};
    rift_skl skl = rig_skl(joints, 3, &arena);
    skl.joints[1].local.s = (rift_vec3){0, 0, 0};
    skl.joints[1].inverse_bind = (rift_mat4){{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}};
    skl.joints[2].inverse_bind.m[0] = (double)NAN;
    skl.joints[0].inverse_bind_valid = false;
    skl.joints[0].inverse_bind.m[13] = 777;
    rift_skeleton sk = build(&skl, NULL);
    CHECK_U64(rift_report_count(&report, "bad_inverse_bind"), 3);
    CHECK_NEAR(sk.joints[0].inverse_bind.m[13], -10, 1e-12); /* inverse of the rest world */
    CHECK_NEAR(sk.joints[1].inverse_bind.m[13], -15, 1e-12); /* zero scales taken as 1 */
    CHECK_NEAR(sk.joints[2].inverse_bind.m[13], -18, 1e-12);
    CHECK_NEAR(sk.joints[1].inverse_bind.m[0], 1, 1e-12);
    CHECK_NEAR(sk.joints[1].rest.s.x, 0, 0); /* the rest pose is not touched */
    for (size_t j = 0; j < 3; j++) {
        const double *m = sk.joints[j].inverse_bind.m;
        CHECK(m[3] == 0 && m[7] == 0 && m[11] == 0 && m[15] == 1);
    }
    reset();
    skl = rig_skl(joints, 3, &arena);
    skl.joints[1].inverse_bind.m[15] = 1.0001; /* tools write such rows */
    sk = build(&skl, NULL);
    CHECK(sk.joints[1].inverse_bind.m[15] == 1);
    CHECK_NEAR(sk.joints[1].inverse_bind.m[13], -15, 0); /* stored, not computed */
}

/* Decisions 31: repaired, not refused, and finite as float32 whatever the file holds. */
static void repairs_numbers(void)
{
    reset();
    rift_skl skl = rig_skl(rig_shaco, 8, &arena);
    skl.joints[0].local.t.y = (double)NAN;
    skl.joints[1].local.r = (rift_quat){0, 0, 0, 0};
    skl.joints[2].local.s.z = (double)INFINITY;
    skl.joints[3].local.t.x = 1e39; /* finite in double only */
    skl.joints[4].local.r = (rift_quat){0, 0, 0, 2};
    const rift_skeleton sk = build(&skl, NULL);
    CHECK_U64(rift_report_count(&report, "joint_not_finite"), 4);
    CHECK_NEAR(sk.joints[0].rest.t.y, 0, 0);
    CHECK_NEAR(sk.joints[0].rest.t.z, 1.58, 1e-12); /* single components */
    CHECK_NEAR(sk.joints[1].rest.r.w, 1, 0);
    CHECK_NEAR(sk.joints[2].rest.s.z, 1, 0);
    CHECK_NEAR(sk.joints[3].rest.t.x, 0, 0);
    CHECK_NEAR(sk.joints[4].rest.r.w, 1, 0);
}

static void refuses_an_empty_skeleton(void)
{
    reset();
    const rift_skl skl = {0};
    rift_skeleton out = {.joint_count = 77};
    rift_err err = check_err();
    CHECK(!rift_skeleton_build(&out, &skl, NULL, &arena, NULL, &err));
    CHECK_CODE(&err, RIFT_ERR_FORMAT);
    CHECK_U64(out.joint_count, 77); /* untouched */
}

static void every_allocation_may_fail(void)
{
    rift_arena input;
    rift_arena_init(&input, 1024 * 1024);
    rift_skl skl = rig_skl(rig_shaco, 8, &input);
    skl.joints[2].inverse_bind_valid = false; /* takes the way with the most allocations */
    skl.joints[3].name = RIFT_STR("Spine");
    uint64_t n = 1;
    for (; n < 1000; n++) {
        reset();
        arena.fail_at = n;
        rift_skeleton out = {.joint_count = 77};
        rift_err err = check_err();
        if (rift_skeleton_build(&out, &skl, NULL, &arena, NULL, &err))
            break;
        check_row("allocation %u", (unsigned)n);
        CHECK_CODE(&err, RIFT_ERR_NOMEM);
        CHECK_U64(out.joint_count, 77);
    }
    check_row("%s", "");
    CHECK(n > 10);
    CHECK(n < 1000);
    rift_arena_release(&input);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(walks_breadth_first);
    RUN(parents_may_come_later);
    RUN(cuts_cycles);
    RUN(names_are_unique);
    RUN(names_are_utf8);
    RUN(wrong_hashes_are_reported_not_used);
    RUN(influences_follow_list_or_mesh);
    RUN(replaces_bad_inverse_binds);
    RUN(repairs_numbers);
    RUN(refuses_an_empty_skeleton);
    RUN(every_allocation_may_fail);
    rift_arena_release(&arena);
    return check_finish();
}
