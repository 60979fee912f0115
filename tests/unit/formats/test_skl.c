#include "formats/skl.h"

#include "base/reader.h"
#include "fixtures/fx_skl.h"
#include "minimal_models.h"
#include "support/check.h"

#define MINIMAL(bytes) ((rift_bytes){(bytes), sizeof(bytes)})
enum {
    ARENA_LIMIT = 64 * 1024 * 1024,
    NAME_PADDING = 3, /* NULs behind the one that ends the last name */
    JOINT_0 = 64,     /* offsets in the minimal file */
    JOINT_1 = 164
};
static const double exact = 1e-6; /* float32 inputs of one or two digits */
static const double decomposed = 1e-5;

static const fx_joint root_and_head[] = {
    {.name = "Root", .parent = -1, .local.t = {0, 50, 0}},
    {.name = "Head", .parent = 0, .local.t = {0, 20, 0}},
};
static const fx_skl two_joints = {.joints = root_and_head, .joint_count = 2, .skeleton_id = 0x1234};

static struct {
    rift_arena arena;
    rift_report report;
    rift_err err;
    rift_skl skl;
} t;

static bool parse(rift_bytes in)
{
    rift_arena_init(&t.arena, ARENA_LIMIT);
    rift_report_init(&t.report, &t.arena);
    t.err = check_err();
    return rift_skl_parse(&t.skl, in, &t.arena, &t.report, &t.err);
}

static void done(void)
{
    rift_arena_release(&t.arena);
}

static bool parse_only(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_report report;
    rift_report_init(&report, arena);
    rift_skl skl;
    return rift_skl_parse(&skl, in, arena, &report, err);
}

static void check_trs(rift_trs got, rift_vec3 tr, rift_quat r, rift_vec3 s, double within)
{
    CHECK_NEAR(got.t.x, tr.x, within);
    CHECK_NEAR(got.t.y, tr.y, within);
    CHECK_NEAR(got.t.z, tr.z, within);
    CHECK_NEAR(fabs(rift_quat_dot(got.r, r)), 1, within);
    CHECK_NEAR(got.s.x, s.x, within);
    CHECK_NEAR(got.s.y, s.y, within);
    CHECK_NEAR(got.s.z, s.z, within);
}

static const rift_quat no_turn = {0, 0, 0, 1};
static const rift_vec3 no_scale = {1, 1, 1};

static void check_two_joints(void)
{
    CHECK_U64(t.skl.joint_count, 2);
    CHECK_STR(t.skl.joints[0].name, RIFT_STR("Root"));
    CHECK_STR(t.skl.joints[1].name, RIFT_STR("Head"));
    CHECK_U64(t.skl.joints[0].hash, 0x00079664);
    CHECK_U64(t.skl.joints[1].hash, 0x0006eb74);
    CHECK_I64(t.skl.joints[0].parent, RIFT_SKL_NO_PARENT);
    CHECK_I64(t.skl.joints[1].parent, 0);
    check_trs(t.skl.joints[0].local, (rift_vec3){0, 50, 0}, no_turn, no_scale, exact);
    check_trs(t.skl.joints[1].local, (rift_vec3){0, 20, 0}, no_turn, no_scale, exact);
    static const double want[] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -70, 0, 1};
    CHECK(t.skl.joints[1].inverse_bind_valid);
    for (size_t i = 0; i < 16; i++)
        CHECK_NEAR(t.skl.joints[1].inverse_bind.m[i], want[i], exact);
    CHECK_NEAR(t.skl.joints[0].inverse_bind.m[13], -50, exact);
    CHECK_U64(t.skl.influence_count, 2);
    CHECK_U64(t.skl.influences[0], 0);
    CHECK_U64(t.skl.influences[1], 1);
    CHECK_U64(t.report.entry_count, 0);
}

static void minimal_files(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    const struct {
        const char *name;
        rift_bytes file;
        bool legacy;
        uint32_t version;
    } rows[] = {
        {"current", MINIMAL(skl_current), false, 0},
        {"legacy 2", MINIMAL(skl_legacy_v2), true, 2},
        {"legacy 1", MINIMAL(skl_legacy_v1), true, 1},
        {"legacy 0", fx_patched_u32(&arena, MINIMAL(skl_legacy_v1), 8, 0), true, 0},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        if (CHECK_OK(parse(rows[i].file), &t.err)) {
            CHECK(t.skl.legacy == rows[i].legacy);
            CHECK_U64(t.skl.version, rows[i].version);
            check_two_joints();
        }
        done();
        fx_skl spec = two_joints;
        spec.legacy = rows[i].legacy;
        spec.version = rows[i].version;
        CHECK_BYTES(fx_skl_write(&spec, &arena), rows[i].file);
    }
    rift_arena_release(&arena);
}

/* A quarter turn about z at (10,0,0) carries a child from its (5,0,0) to (10,5,0); the legacy file holds only the
 * latter. Scale 2 at the parent halves what the child's own offset must be. Children may stand before parents. */
static void legacy_locals(void)
{
    static const double half = 0.70710678118654752;
    const rift_quat turn = {0, 0, half, half};
    const fx_joint joints[] = {
        {.name = "Child", .parent = 1, .local = {.t = {5, 0, 0}}},
        {.name = "Turned", .parent = -1, .local = {.t = {10, 0, 0}, .r = turn}},
        {.name = "Twice", .parent = 1, .local = {.t = {0, 1, 0}, .s = {2, 2, 2}}},
        {.name = "Leaf", .parent = 2, .local = {.t = {3, 0, 0}, .r = turn}},
    };
    const fx_skl spec = {.legacy = true, .version = 1, .joints = joints, .joint_count = 4};
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    const rift_bytes file = fx_skl_write(&spec, &arena);
    /* The fixture itself: row 0 and 1 of the child's matrix end in its place, (10, 5). */
    rift_err err = check_err();
    rift_reader r = rift_rd_init(file, "file", &err);
    (void)rift_rd_seek(&r, 20 + 40 + 12);
    CHECK_NEAR((double)rift_rd_f32(&r), 10, exact);
    (void)rift_rd_seek(&r, 20 + 40 + 28);
    CHECK_NEAR((double)rift_rd_f32(&r), 5, exact);
    if (CHECK_OK(parse(file), &t.err)) {
        check_trs(t.skl.joints[0].local, (rift_vec3){5, 0, 0}, no_turn, no_scale, decomposed);
        check_trs(t.skl.joints[1].local, (rift_vec3){10, 0, 0}, turn, no_scale, decomposed);
        check_trs(t.skl.joints[2].local, (rift_vec3){0, 1, 0}, no_turn, (rift_vec3){2, 2, 2}, decomposed);
        check_trs(t.skl.joints[3].local, (rift_vec3){3, 0, 0}, turn, no_scale, decomposed);
        /* inverse bind takes the joint's own place to the origin */
        const rift_vec3 at = rift_mat4_apply(&t.skl.joints[0].inverse_bind, (rift_vec3){10, 5, 0});
        CHECK_NEAR(rift_vec3_length(at), 0, decomposed);
    }
    done();
    rift_arena_release(&arena);
}

/* T' R' S' of the inverse: a turned and scaled joint's bind pose undone. */
static void inverse_binds(void)
{
    static const double half = 0.70710678118654752;
    const rift_trs inverse = {.t = {-1, 2, -3}, .r = {0, half, 0, half}, .s = {2, 4, 8}};
    const fx_joint joint = {.name = "J", .parent = -1, .inverse_bind = &inverse};
    const fx_skl spec = {.joints = &joint, .joint_count = 1};
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    if (CHECK_OK(parse(fx_skl_write(&spec, &arena)), &t.err)) {
        /* A quarter turn about y takes x to -z and z to x: S first, then R, then T. */
        const rift_vec3 p = rift_mat4_apply(&t.skl.joints[0].inverse_bind, (rift_vec3){1, 1, 1});
        CHECK_NEAR(p.x, -1 + 8, decomposed);
        CHECK_NEAR(p.y, 2 + 4, decomposed);
        CHECK_NEAR(p.z, -3 - 2, decomposed);
        CHECK(t.skl.joints[0].inverse_bind_valid);
    }
    done();
    rift_arena_release(&arena);
}

/* T3: the id is the identity, not the place of the record. */
static void shuffled_records(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    static const uint16_t order[] = {1, 0};
    fx_skl spec = two_joints;
    spec.record_order = order;
    const rift_bytes file = fx_skl_write(&spec, &arena);
    CHECK_U64(file.data[JOINT_0 + 2], 1); /* the first record is joint 1 */
    if (CHECK_OK(parse(file), &t.err))
        check_two_joints();
    done();
    rift_arena_release(&arena);
}

static void influences(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    static const uint16_t list[] = {1, 7, 0, 1};
    fx_skl spec = two_joints;
    spec.influences = list;
    spec.influence_count = 4;
    for (uint32_t version = 0; version <= 2; version += 2) {
        check_row(version ? "legacy 2" : "current");
        spec.legacy = version > 0;
        spec.version = version;
        if (CHECK_OK(parse(fx_skl_write(&spec, &arena)), &t.err)) {
            CHECK_U64(t.skl.influence_count, 4);
            CHECK_U64(t.skl.influences[0], 1);
            CHECK_U64(t.skl.influences[1], RIFT_SKL_BAD_INFLUENCE);
            CHECK_U64(t.skl.influences[2], 0);
            CHECK_U64(t.skl.influences[3], 1);
            CHECK_U64(rift_report_count(&t.report, "skl_bad_influence"), 1);
        }
        done();
    }
    rift_arena_release(&arena);
}

static void names_and_hashes(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    static const fx_joint joints[] = {
        {.name = "Head", .parent = -1},
        {.name = "head", .parent = 0, .hash = 0xabc},
        {.name = "", .parent = 0},
    };
    const fx_skl spec = {.joints = joints, .joint_count = 3, .name = "Rig", .asset = "rig.ma"};
    const rift_bytes file = fx_skl_write(&spec, &arena);
    if (CHECK_OK(parse(file), &t.err)) {
        CHECK_STR(t.skl.name, RIFT_STR("Rig"));
        CHECK_STR(t.skl.asset, RIFT_STR("rig.ma"));
        CHECK_STR(t.skl.joints[1].name, RIFT_STR("head"));
        CHECK_U64(t.skl.joints[0].hash, 0x0006eb74);
        CHECK_U64(t.skl.joints[1].hash, 0xabc); /* as stored: comparing is the model's business */
        CHECK_STR(t.skl.joints[2].name, RIFT_STR(""));
    }
    done();
    /* The table of hashes is not read (real ones are wrong at times). */
    check_row("broken index table offset");
    if (CHECK_OK(parse(fx_patched_u32(&arena, file, 24, 0x7fffffff)), &t.err))
        CHECK_U64(t.report.entry_count, 0);
    done();
    rift_arena_release(&arena);
}

/* Decision 31: damaged transforms are repaired and reported. Offsets are those of the minimal file. */
static void repairs(void)
{
    enum { T = 16, S = 28, R = 40, IT = 56, IS = 68, IR = 80 };
    static const struct {
        const char *name;
        size_t offset;
        float value;
        const char *code;
        double got_t_y, got_s_y;
        bool valid;
    } rows[] = {
        {"translation NaN", JOINT_1 + T + 4, NAN, "skl_not_finite", 0, 1, true},
        {"translation infinite", JOINT_1 + T + 4, INFINITY, "skl_not_finite", 0, 1, true},
        {"scale NaN", JOINT_1 + S + 4, NAN, "skl_not_finite", 20, 1, true},
        {"scale 0 stays", JOINT_1 + S + 4, 0, NULL, 20, 0, true},
        {"rotation 0", JOINT_1 + R + 12, 0, "skl_zero_rotation", 20, 1, true},
        {"rotation NaN", JOINT_1 + R + 12, NAN, "skl_not_finite", 20, 1, true},
        {"inverse translation NaN", JOINT_1 + IT, NAN, "skl_not_finite", 20, 1, false},
        {"inverse scale 0", JOINT_1 + IS, 0, NULL, 20, 1, false},
        {"inverse rotation 0", JOINT_1 + IR + 12, 0, "skl_zero_rotation", 20, 1, true},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        const rift_bytes file = fx_patched_f32(&arena, MINIMAL(skl_current), rows[i].offset, rows[i].value);
        if (CHECK_OK(parse(file), &t.err)) {
            const rift_skl_joint *head = &t.skl.joints[1];
            check_trs(head->local, (rift_vec3){0, rows[i].got_t_y, 0}, no_turn,
                      (rift_vec3){1, rows[i].got_s_y, 1}, exact);
            CHECK(head->inverse_bind_valid == rows[i].valid);
            CHECK(rift_mat4_is_finite(&head->inverse_bind));
            CHECK_U64(t.report.entry_count, rows[i].code ? 1 : 0);
            if (rows[i].code)
                CHECK_U64(rift_report_count(&t.report, rows[i].code), 1);
        }
        done();
        rift_arena_release(&arena);
    }
}

static void legacy_repairs(void)
{
    enum { ROOT_MATRIX = 20 + 40, HEAD_MATRIX = 20 + 88 + 40 };
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    check_row("NaN in a matrix: identity, no inverse bind");
    if (CHECK_OK(parse(fx_patched_f32(&arena, MINIMAL(skl_legacy_v1), HEAD_MATRIX, NAN)), &t.err)) {
        CHECK(!t.skl.joints[1].inverse_bind_valid);
        check_trs(t.skl.joints[1].local, (rift_vec3){0, -50, 0}, no_turn, no_scale, exact);
        CHECK_U64(rift_report_count(&t.report, "skl_not_finite"), 1);
    }
    done();
    check_row("singular parent: the child's global matrix must do");
    if (CHECK_OK(parse(fx_patched_f32(&arena, MINIMAL(skl_legacy_v1), ROOT_MATRIX, 0)), &t.err)) {
        CHECK(!t.skl.joints[0].inverse_bind_valid);
        CHECK(t.skl.joints[1].inverse_bind_valid);
        check_trs(t.skl.joints[0].local, (rift_vec3){0, 50, 0}, no_turn, (rift_vec3){0, 1, 1}, exact);
        check_trs(t.skl.joints[1].local, (rift_vec3){0, 70, 0}, no_turn, no_scale, exact);
        CHECK_U64(rift_report_count(&t.report, "skl_singular_bind"), 1);
    }
    done();
    check_row("so large that the inverse is as good as singular");
    rift_bytes huge = MINIMAL(skl_legacy_v1);
    for (size_t i = 0; i < 3; i++)
        huge = fx_patched_f32(&arena, huge, HEAD_MATRIX + 20 * i, 1e11F);
    if (CHECK_OK(parse(huge), &t.err)) {
        CHECK(!t.skl.joints[1].inverse_bind_valid);
        CHECK_U64(rift_report_count(&t.report, "skl_singular_bind"), 1);
    }
    done();
    rift_arena_release(&arena);
}

static void parents_out_of_range(void)
{
    static const struct {
        uint16_t stored;
        int16_t want;
        uint64_t reported;
    } rows[] = {{0xffff, -1, 0}, {2, -1, 1}, {0x7fff, -1, 1}, {0xfffe, -1, 1}, {1, 1, 0}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("parent 0x%x", rows[i].stored); /* 1 is the joint itself: cycles are the model's business */
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        if (CHECK_OK(parse(fx_patched_u16(&arena, MINIMAL(skl_current), JOINT_1 + 4, rows[i].stored)),
                     &t.err)) {
            CHECK_I64(t.skl.joints[1].parent, rows[i].want);
            CHECK_U64(rift_report_count(&t.report, "skl_parent_out_of_range"), rows[i].reported);
        }
        done();
        rift_arena_release(&arena);
    }
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    check_row("legacy parent 65536");
    if (CHECK_OK(parse(fx_patched_u32(&arena, MINIMAL(skl_legacy_v1), 20 + 88 + 32, 65536)), &t.err)) {
        CHECK_I64(t.skl.joints[1].parent, RIFT_SKL_NO_PARENT);
        CHECK_U64(rift_report_count(&t.report, "skl_parent_out_of_range"), 1);
    }
    done();
    rift_arena_release(&arena);
}

static void odd_but_readable(void)
{
    static const struct {
        const char *name;
        size_t offset;
        uint32_t value;
        const char *code; /* NULL: nothing to report */
    } rows[] = {
        {"size field", 0, 300, "skl_size_mismatch"},
        {"flags", 12, 0x00020001, "skl_unknown_flags"}, /* the upper half is the joint count */
        {"name offset 0", 32, 0, NULL},
        {"name offset -1", 32, UINT32_MAX, NULL},
        {"name offset past the end", 32, 400, "skl_bad_string"},
        {"asset offset without an end", 36, 308, "skl_bad_string"},
        {"names block past the end", 40, 0x7fffffff, NULL},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        if (CHECK_OK(parse(fx_patched_u32(&arena, MINIMAL(skl_current), rows[i].offset, rows[i].value)),
                     &t.err)) {
            CHECK_U64(t.skl.joint_count, 2);
            CHECK_U64(t.report.entry_count, rows[i].code ? 1 : 0);
            if (rows[i].code)
                CHECK_U64(rift_report_count(&t.report, rows[i].code), 1);
        }
        done();
        rift_arena_release(&arena);
    }
}

static void refusals(void)
{
    enum { CURRENT, LEGACY };
    static const struct {
        const char *name;
        int layout;
        size_t patch;
        uint32_t value;
        rift_status code;
        uint64_t offset;
    } rows[] = {
        {"token", CURRENT, 4, 0x22FD4FC4, RIFT_ERR_FORMAT, 0},
        {"version 1", CURRENT, 8, 1, RIFT_ERR_UNSUPPORTED, 8},
        {"no joints", CURRENT, 12, 0, RIFT_ERR_FORMAT, 14},
        {"joints past the end", CURRENT, 12, 3 << 16, RIFT_ERR_TRUNCATED, 14},
        {"32768 joints", CURRENT, 12, 0x80000000, RIFT_ERR_LIMIT, 14},
        {"influences past the end", CURRENT, 16, 15, RIFT_ERR_TRUNCATED, 16},
        {"4 G influences", CURRENT, 16, UINT32_MAX, RIFT_ERR_TRUNCATED, 16},
        {"joints offset 0", CURRENT, 20, 0, RIFT_ERR_FORMAT, 20},
        {"joints offset -1", CURRENT, 20, UINT32_MAX, RIFT_ERR_FORMAT, 20},
        {"joints offset past the end", CURRENT, 20, 309, RIFT_ERR_TRUNCATED, 20},
        {"influences offset 0", CURRENT, 28, 0, RIFT_ERR_FORMAT, 28},
        {"influences offset past the end", CURRENT, 28, 309, RIFT_ERR_TRUNCATED, 28},
        {"joint id repeated", CURRENT, JOINT_1, 0, RIFT_ERR_FORMAT, JOINT_1 + 2},
        {"joint id of 2", CURRENT, JOINT_1, 2 << 16, RIFT_ERR_FORMAT, JOINT_1 + 2},
        {"joint id -1", CURRENT, JOINT_0, 0xffff0000, RIFT_ERR_FORMAT, JOINT_0 + 2},
        {"name before the file", CURRENT, JOINT_0 + 96, (uint32_t)-161, RIFT_ERR_FORMAT, JOINT_0 + 96},
        {"name past the end", CURRENT, JOINT_0 + 96, 149, RIFT_ERR_TRUNCATED, JOINT_0 + 96},
        {"name without an end", CURRENT, 304, 0x41414141, RIFT_ERR_TRUNCATED, 300},
        {"legacy version 3", LEGACY, 8, 3, RIFT_ERR_UNSUPPORTED, 8},
        {"legacy, no joints", LEGACY, 16, 0, RIFT_ERR_FORMAT, 16},
        {"legacy, joints past the end", LEGACY, 16, 3, RIFT_ERR_TRUNCATED, 16},
        {"legacy, 32768 joints", LEGACY, 16, 32768, RIFT_ERR_LIMIT, 16},
        {"legacy, influences past the end", LEGACY, 196, 3, RIFT_ERR_TRUNCATED, 196},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        const rift_bytes good = rows[i].layout == LEGACY ? MINIMAL(skl_legacy_v2) : MINIMAL(skl_current);
        t.skl = (rift_skl){.version = 77};
        CHECK(!parse(fx_patched_u32(&arena, good, rows[i].patch, rows[i].value)));
        CHECK_CODE(&t.err, rows[i].code);
        CHECK_U64(t.err.offset, rows[i].offset);
        CHECK_U64(t.skl.version, 77); /* untouched */
        done();
        rift_arena_release(&arena);
    }
}

static void robustness(void)
{
    /* What pads the last name is not needed. */
    check_prefixes(parse_only, (rift_bytes){skl_current, sizeof skl_current - NAME_PADDING}, 0,
                   RIFT_ERR_TRUNCATED);
    check_prefixes(parse_only, MINIMAL(skl_legacy_v2), 0, RIFT_ERR_TRUNCATED);
    check_prefixes(parse_only, MINIMAL(skl_legacy_v1), 0, RIFT_ERR_TRUNCATED);
    const rift_bytes files[] = {MINIMAL(skl_current), MINIMAL(skl_legacy_v2), MINIMAL(skl_legacy_v1)};
    for (size_t i = 0; i < RIFT_COUNT(files); i++) {
        check_allocations(parse_only, files[i]);
        check_every_byte(parse_only, files[i]);
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(minimal_files);
    RUN(legacy_locals);
    RUN(inverse_binds);
    RUN(shuffled_records);
    RUN(influences);
    RUN(names_and_hashes);
    RUN(repairs);
    RUN(legacy_repairs);
    RUN(parents_out_of_range);
    RUN(odd_but_readable);
    RUN(refusals);
    RUN(robustness);
    return check_finish();
}
