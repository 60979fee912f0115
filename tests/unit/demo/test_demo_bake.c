/* Every skin of the synthetic game through the whole pipeline: what comes out, what is reported, and which
 * joint each track drives. The figures are counted by hand from tests/fixtures/demo_*.c. */
#include "bake/bake.h"

#include "../gltf/glb_read.h"
#include "base/str.h"
#include "demo_open.h"
#include "support/check.h"

enum { LIMIT = 256 * 1024 * 1024 };

/* One skin baked, and its file opened. */
typedef struct baked {
    rift_arena out, tmp;
    rift_bake_result result;
    rift_err err;
    bool ok;
    glb file;
    bool open;
} baked;

static void bake(baked *b, const demo_open *demo, const char *skin)
{
    rift_arena_init(&b->out, LIMIT);
    rift_arena_init(&b->tmp, LIMIT);
    b->err = check_err();
    b->ok = b->open = false;
    rift_skin_ref ref;
    if (!demo_find(demo, skin, &b->out, &ref))
        return;
    const rift_assets assets = rift_game_assets(&demo->game);
    b->ok = rift_bake(
        &b->result, &(rift_bake_request){.skin = &ref, .assets = &assets, .options = rift_options_default()},
        &b->out, &b->tmp, &b->err);
    if (b->ok)
        b->open = glb_open(&b->file, b->result.glb);
}

static void discard(baked *b)
{
    if (b->open)
        glb_close(&b->file);
    rift_arena_release(&b->tmp);
    rift_arena_release(&b->out);
}

/* ---- Skins ---- */

/* "code count", ended by NULL. Snaps have their own tests: their codes are left out. */
#define MAX_CODES 48

typedef struct skin_row {
    const char *skin;
    rift_status code; /* RIFT_OK: it converts */
    rift_stage stage; /* where it failed */
    size_t parts, joints, clips, textures;
    const char *reports[MAX_CODES];
} skin_row;

static const skin_row skins[] = {
    /* Sword, Shield, Body, Head, Cape; two textures. */
    {.skin = "9001001",
     .parts = 5,
     .joints = 27,
     .clips = 9,
     .textures = 2,
     .reports = {"part_name_repeated 2"}}, /* Head and Shield are joints */
    {.skin = "9001002",
     .parts = 5,
     .joints = 27,
     .clips = 9,
     .textures = 2,
     .reports = {"part_name_repeated 2"}},
    /* Its shield's texture is nowhere. */
    {.skin = "9001003",
     .parts = 5,
     .joints = 27,
     .clips = 9,
     .textures = 3,
     .reports = {"texture_missing 1", "part_name_repeated 2"}},
    /* 38 parts: one is empty, three are hidden. 21 clip entries and one key again: three do not load. */
    {.skin = "9001000",
     .parts = 34,
     .joints = 24,
     .clips = 18,
     .textures = 22,
     .reports = {"bin_duplicate_key 1",
                 "linked_bin_missing 1",
                 "linked_bin_damaged 1",
                 "event_class_unknown 1",
                 "event_null 1",
                 "clip_class_unknown 1",
                 "clip_null 1",
                 "clip_child_missing 1",
                 "clip_cycle 1",
                 "skl_not_finite 1",
                 "skl_parent_out_of_range 1",
                 "joint_cycle 2",
                 "joint_name_changed 1",
                 "joint_hash_mismatch 1",
                 "bad_inverse_bind 1",
                 "joint_name_repeated 1",
                 "stub_joints 1",
                 "part_name_repeated 3",
                 "degenerate_triangle 1",
                 "normals_rebuilt 2",
                 "uv_not_finite 2",
                 "weights_all_zero 1",
                 "weight_index_outside 1",
                 "weight_not_valid 1",
                 "empty_submesh 1",
                 "hidden_part 3",
                 "anm_unknown_flags 1",
                 "anm_unsorted 1",
                 "anm_short_curve 2",
                 "anm_key_not_finite 1",
                 "anm_zero_rotation 1",
                 "anm_size_mismatch 1",
                 "clip_skipped 2",
                 "clip_missing 1",
                 "form_missing 1",
                 "form_look_left_out 1",
                 "override_unmatched 1",
                 "material_missing 1",
                 "material_without_texture 2",
                 "uv_parameter_unknown 1",
                 "uv_animation_dropped 1",
                 "dds_first_face 1",
                 "texture_missing 1",
                 "texture_unreadable 2",
                 "bind_mismatch 2"}},
    {.skin = "35008",
     .parts = 2,
     .joints = 8,
     .clips = 6,
     .textures = 1,
     .reports = {"stub_joints 1", "track_duplicate 1", "track_no_joint 1", "track_mapping_suspect 2",
                 "clip_skipped 1", "part_name_repeated 1"}},
    {.skin = "35005", .parts = 1, .joints = 5, .clips = 2, .textures = 1},
    {.skin = "35006", .code = RIFT_ERR_NOT_FOUND, .stage = RIFT_STAGE_MESH, .reports = {"graph_missing 1"}},
    {.skin = "35007", .parts = 1, .joints = 5, .clips = 2, .textures = 1},
    {.skin = "35009",
     .parts = 1,
     .joints = 16,
     .clips = 2,
     .textures = 1,
     .reports = {"joint_name_repeated 1", "part_name_repeated 1"}},
    /* 20 joints "Spike" and 20 "spike", of which the first of each keeps its name. */
    {.skin = "35010",
     .parts = 1,
     .joints = 300,
     .clips = 1,
     .textures = 1,
     .reports = {"joint_name_repeated 38"}},
    {.skin = "brambleseed/0",
     .parts = 2,
     .joints = 3,
     .clips = 1,
     .textures = 1,
     .reports = {"part_name_repeated 1"}},
    {.skin = "brambleseed/1",
     .parts = 2,
     .joints = 3,
     .clips = 1,
     .textures = 1,
     .reports = {"part_name_repeated 1"}},
    {.skin = "brambleseed/2",
     .parts = 2,
     .joints = 3,
     .clips = 1,
     .textures = 1,
     .reports = {"range_relative_indices 1", "part_name_repeated 1"}},
    {.skin = "brambleseed/3", .parts = 1, .joints = 3, .clips = 1, .textures = 1},
    {.skin = "brambleseed/4",
     .parts = 2,
     .joints = 0,
     .clips = 0,
     .textures = 1,
     .reports = {"skeleton_missing 1"}},
    /* 18 boxes, of which one is hidden; 11 textures and the checker. */
    {.skin = "brambleseed/6",
     .parts = 17,
     .joints = 0,
     .clips = 0,
     .textures = 12,
     .reports = {"graph_missing 1", "additive_approximated 1", "skeleton_missing 1", "override_unmatched 1",
                 "hidden_part 1", "material_without_texture 3", "texture_guessed 1", "uv_animation_dropped 1",
                 "material_missing 1", "texture_unreadable 2", "part_without_texture 2"}},
    {.skin = "brambleseed/7",
     .parts = 18,
     .joints = 0,
     .clips = 0,
     .textures = 1,
     .reports = {"graph_missing 1", "skeleton_missing 1", "material_without_texture 1",
                 "emissive_dropped 18"}},
    {.skin = "brambleseed/8",
     .parts = 6,
     .joints = 0,
     .clips = 0,
     .textures = 2,
     .reports = {"graph_missing 1", "skeleton_missing 1", "emissive_dropped 3", "bloom_dropped 1"}},
    {.skin = "brambleseed/9",
     .parts = 2,
     .joints = 3,
     .clips = 0,
     .textures = 1,
     .reports = {"graph_missing 1", "part_name_repeated 1", "form_mesh_left_out 2", "form_skeleton_differs 1",
                 "form_look_left_out 1"}},
    {.skin = "brambleseed/5", .code = RIFT_ERR_NOT_FOUND, .stage = RIFT_STAGE_BIN},
};

static void check_reports(const skin_row *row, const rift_report *report)
{
    for (size_t i = 0; i < report->entry_count; i++) {
        const rift_report_entry *entry = report->entries[i];
        char text[96];
        (void)snprintf(text, sizeof text, "%s %d", entry->code, (int)entry->count);
        bool expected = strncmp(text, "snap_", 5) == 0;
        for (size_t k = 0; k < MAX_CODES && row->reports[k] != NULL && !expected; k++)
            expected = strcmp(row->reports[k], text) == 0;
        check_row("%s: reported, not expected: %s", row->skin, text);
        CHECK(expected);
    }
    for (size_t k = 0; k < MAX_CODES && row->reports[k] != NULL; k++) {
        const char *blank = strchr(row->reports[k], ' ');
        char code[64];
        (void)snprintf(code, sizeof code, "%.*s", (int)(blank - row->reports[k]), row->reports[k]);
        check_row("%s: %s", row->skin, code);
        CHECK(rift_report_count(report, code) > 0);
    }
}

static void every_skin_does_what_it_should(void)
{
    demo_open demo = {0};
    if (demo_open_game(&demo, 1)) {
        for (size_t i = 0; i < RIFT_COUNT(skins); i++) {
            const skin_row *row = &skins[i];
            baked b;
            bake(&b, &demo, row->skin);
            check_row("%s", row->skin);
            CHECK_I64(b.ok, row->code == RIFT_OK);
            if (row->code != RIFT_OK) {
                CHECK_CODE(&b.err, row->code);
                CHECK_STR(rift_str_c(rift_stage_word(b.result.stage)),
                          rift_str_c(rift_stage_word(row->stage)));
            } else if (b.open) {
                CHECK_U64(glb_count(&b.file, "meshes"), row->parts);
                CHECK_U64(glb_count(&b.file, "skins/0/joints"), row->joints);
                CHECK_U64(glb_count(&b.file, "animations"), row->clips);
                CHECK_U64(glb_count(&b.file, "images"), row->textures);
                glb_audit(&b.file, false);
            }
            check_reports(row, &b.result.report);
            discard(&b);
        }
    }
    demo_close(&demo);
}

static void another_seed_converts_too(void)
{
    static const char *const ids[] = {"9001001", "9001002", "9001000", "35008", "35010"};
    demo_open demo = {0};
    if (demo_open_game(&demo, 77)) {
        for (size_t i = 0; i < RIFT_COUNT(ids); i++) {
            baked b;
            bake(&b, &demo, ids[i]);
            check_row("%s", ids[i]);
            CHECK_OK(b.ok, &b.err);
            discard(&b);
        }
    }
    demo_close(&demo);
}

/* ---- Which track drives which joint ---- */

static size_t clip_index(const glb *g, const char *name)
{
    const size_t count = glb_count(g, "animations");
    for (size_t i = 0; i < count; i++) {
        if (rift_str_eq(glb_string(g, "animations/%zu/name", i), rift_str_c(name)))
            return i;
    }
    return SIZE_MAX;
}

/* Output accessor of a joint's channel, or SIZE_MAX. */
static size_t channel_of(const glb *g, size_t clip, size_t joint, const char *path)
{
    const double node = glb_number(g, "skins/0/joints/%zu", joint);
    const size_t count = glb_count(g, "animations/%zu/channels", clip);
    for (size_t i = 0; i < count; i++) {
        const rift_str target = glb_string(g, "animations/%zu/channels/%zu/target/path", clip, i);
        if (glb_number(g, "animations/%zu/channels/%zu/target/node", clip, i) == node &&
            rift_str_eq(target, rift_str_c(path))) {
            const double sampler = glb_number(g, "animations/%zu/channels/%zu/sampler", clip, i);
            return (size_t)glb_number(g, "animations/%zu/samplers/%d/output", clip, (int)sampler);
        }
    }
    return SIZE_MAX;
}

/* Every track of these clips bobs its joint by one unit up and down; what stands still has none. */
static bool bobs(const glb *g, size_t clip, size_t joint)
{
    const size_t output = channel_of(g, clip, joint, "translation");
    if (output == SIZE_MAX)
        return false;
    double low = glb_value(g, output, 0, 1);
    double high = low;
    for (size_t k = 0; k < glb_elements(g, output); k++) {
        low = fmin(low, glb_value(g, output, k, 1));
        high = fmax(high, glb_value(g, output, k, 1));
    }
    return high - low > 0.015; /* of 0.02 m */
}

/* Half the largest turn away from the first key, in degrees: that of a rock by `angle` about x and half of
 * it about z. */
static double largest_turn(const glb *g, size_t clip, size_t joint)
{
    const size_t output = channel_of(g, clip, joint, "rotation");
    double most = 0;
    for (size_t k = 0; output != SIZE_MAX && k < glb_elements(g, output); k++)
        most = fmax(most, 2 * acos(fmin(1, fabs(glb_value(g, output, k, 3)))));
    return most * 57.29577951308232;
}

typedef struct drive_row {
    const char *skin, *clip;
    int joints[12]; /* that move; ended by -1 */
} drive_row;

static const drive_row drives[] = {
    {"35008", "Idle1", {0, 1, 2, 3, 4, 7, -1}}, /* case A: the stub 5 stays */
    {"35008", "Run", {0, 2, 3, 4, 5, -1}}, /* case B: the first track to the head, the second to the stub */
    {"35008", "Attack1", {4, 5, -1}},      /* case C: the third is left over */
    {"35008", "Taunt", {6, -1}},           /* case D: a locator */
    {"35008", "Laugh", {3, 4, -1}},        /* case F: no track for the root */
    {"35008", "Joke", {4, 5, -1}},         /* T12 */
    {"35009", "Idle1", {0, 1, 3, 4, 10, 11, 12, 13, -1}}, /* fixtures 1, 2, 3, 5: not 2, not 9 */
};

static void tracks_reach_their_joints(void)
{
    demo_open demo = {0};
    if (demo_open_game(&demo, 1)) {
        for (size_t i = 0; i < RIFT_COUNT(drives); i++) {
            const drive_row *row = &drives[i];
            baked b;
            bake(&b, &demo, row->skin);
            const size_t clip = b.open ? clip_index(&b.file, row->clip) : SIZE_MAX;
            check_row("%s %s", row->skin, row->clip);
            if (CHECK(clip != SIZE_MAX)) {
                for (size_t joint = 0; joint < glb_count(&b.file, "skins/0/joints"); joint++) {
                    bool expected = false;
                    for (size_t k = 0; row->joints[k] >= 0; k++)
                        expected = expected || row->joints[k] == (int)joint;
                    check_row("%s %s: joint %zu", row->skin, row->clip, joint);
                    CHECK_I64(bobs(&b.file, clip, joint), expected);
                }
            }
            discard(&b);
        }
    }
    demo_close(&demo);
}

/* The symptom of a wrong mapping is the head at the world's origin. */
static void the_head_stays_on_the_neck(void)
{
    static const char *const clips[] = {"Idle1", "Run", "Attack1", "Laugh"};
    demo_open demo = {0};
    baked b;
    if (demo_open_game(&demo, 1)) {
        bake(&b, &demo, "35008");
        for (size_t i = 0; i < RIFT_COUNT(clips) && b.open; i++) {
            const size_t clip = clip_index(&b.file, clips[i]);
            check_row("%s", clips[i]);
            const size_t output =
                CHECK(clip != SIZE_MAX) ? channel_of(&b.file, clip, 4, "translation") : SIZE_MAX;
            if (!CHECK(output != SIZE_MAX))
                continue;
            for (size_t k = 0; k < glb_elements(&b.file, output); k++) {
                CHECK_NEAR(glb_value(&b.file, output, k, 0), 0, 0.05);
                CHECK_NEAR(glb_value(&b.file, output, k, 1), 0.08, 0.05);
                CHECK_NEAR(glb_value(&b.file, output, k, 2), 0.02, 0.05);
            }
        }
        discard(&b);
    }
    demo_close(&demo);
}

/* Fixture 2: the first of two tracks goes to the shallower joint. Rocks of 15 and 25 degrees about x, with
 * half of that about z: 2 acos(cos(a/2) cos(a/4)), so 16.76 and 27.91 degrees. */
static void the_shallower_hat_gets_the_first_track(void)
{
    demo_open demo = {0};
    baked b;
    if (demo_open_game(&demo, 1)) {
        bake(&b, &demo, "35009");
        const size_t clip = b.open ? clip_index(&b.file, "Idle1") : SIZE_MAX;
        if (CHECK(clip != SIZE_MAX)) {
            CHECK_NEAR(largest_turn(&b.file, clip, 11), 16.76, 0.3);
            CHECK_NEAR(largest_turn(&b.file, clip, 10), 27.91, 0.3);
            CHECK_STR(glb_string(&b.file, "nodes/%d/name", (int)glb_number(&b.file, "skins/0/joints/9")),
                      RIFT_STR("Bone__9"));
        }
        discard(&b);
    }
    demo_close(&demo);
}

/* Fixtures 4 and 6: 39 of 40 move, in spite of records in reverse order. */
static void thirty_nine_of_forty_spikes_move(void)
{
    demo_open demo = {0};
    baked b;
    if (demo_open_game(&demo, 1)) {
        bake(&b, &demo, "35010");
        const size_t clip = b.open ? clip_index(&b.file, "Idle1") : SIZE_MAX;
        for (size_t joint = 0; clip != SIZE_MAX && joint < 300; joint++) {
            check_row("joint %zu", joint);
            CHECK_I64(bobs(&b.file, clip, joint), joint >= 1 && joint <= 39);
        }
        CHECK(clip != SIZE_MAX);
        discard(&b);
    }
    demo_close(&demo);
}

/* T11: turns only, and nothing at all. */
static void a_track_drives_only_what_it_has(void)
{
    demo_open demo = {0};
    baked b;
    if (demo_open_game(&demo, 1)) {
        bake(&b, &demo, "35009");
        const size_t clip = b.open ? clip_index(&b.file, "Run") : SIZE_MAX;
        if (CHECK(clip != SIZE_MAX)) {
            CHECK_NEAR(largest_turn(&b.file, clip, 14), 45, 0.2);
            CHECK(!bobs(&b.file, clip, 14));
            CHECK_NEAR(largest_turn(&b.file, clip, 15), 0, 0.01);
        }
        discard(&b);
    }
    demo_close(&demo);
}

/* ---- The figure ---- */

/* He faces +z with his left at +x, in metres, and holds the sword in his right hand. */
static void the_knight_stands_the_right_way_round(void)
{
    static const struct {
        int joint;
        double x, y, z;
    } rows[] = {
        {8, 0.37, 0.62, 0.02},   /* L_Hand: -17-10-10, 48+12+16+13-13.5-13.5, 2 */
        {11, -0.37, 0.62, 0.02}, /* R_Hand */
        {22, -0.39, 0.57, 0.04}, /* Weapon, below the right hand */
        {24, -0.46, 0.59, 0.34}, /* Weapon_Ground */
        {5, 0, 1.01, 0},         /* Head */
    };
    demo_open demo = {0};
    baked b;
    if (demo_open_game(&demo, 1)) {
        bake(&b, &demo, "9001001");
        for (size_t i = 0; i < RIFT_COUNT(rows) && b.open; i++) {
            check_row("joint %d", rows[i].joint);
            const rift_mat4 world =
                glb_world(&b.file, (size_t)glb_number(&b.file, "skins/0/joints/%d", rows[i].joint));
            CHECK_NEAR(world.m[12], rows[i].x, 1e-5);
            CHECK_NEAR(world.m[13], rows[i].y, 1e-5);
            CHECK_NEAR(world.m[14], rows[i].z, 1e-5);
        }
        CHECK(b.open);
        discard(&b);
    }
    demo_close(&demo);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(every_skin_does_what_it_should);
    RUN(another_seed_converts_too);
    RUN(tracks_reach_their_joints);
    RUN(the_head_stays_on_the_neck);
    RUN(the_shallower_hat_gets_the_first_track);
    RUN(thirty_nine_of_forty_spikes_move);
    RUN(a_track_drives_only_what_it_has);
    RUN(the_knight_stands_the_right_way_round);
    return check_finish();
}
