/* Joint snaps on small rigs: the cases of joint-snap.md section 8, each measured by the evaluation of snap_rig.c. */
#include "anim/snap.h"

#include <math.h>

#include "anim/layer.h"
#include "anim/snap_rig.h"
#include "hash/hash.h"
#include "support/check.h"

enum { ROOT, ARM, HAND, WEAPON, GROUND, RABBIT, LEFT };

static const joint_row r1[] = {
    {"Root", -1, {{0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
    {"Arm", ROOT, {{0, 100, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
    {"Hand", ARM, {{50, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
    {"Weapon", HAND, {{10, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
    {"Ground", -1, {{30, 0, 20}, {0, 0.258819045102521, 0, 0.965925826289068}, {0, 0, 0}}, false, false},
    {"Weapon_Rabbit", HAND, {{0, 7, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
    {"weapon_l", HAND, {{0, 0, 9}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
};

static const float times3[] = {0, 0.25F, 0.5F};
static const float times2[] = {0, 0.5F};
static const double half_turn[] = {0, 90, 180};
static const double quarter[] = {0, 90};

/* Clip C1 of rig R1. */
static size_t put_c1(snap_case *c)
{
    const size_t clip = snap_clip(c, 0.5F);
    snap_turn(c, clip, ARM, 2, times3, half_turn, 3);
    snap_turn(c, clip, HAND, 1, times2, quarter, 2);
    return clip;
}

static snap_case c;

static void begin(size_t joints)
{
    snap_begin(&c, r1, joints);
    (void)put_c1(&c);
}

static void check_place(size_t clip, uint32_t joint, double t, double x, double y, double z, double within)
{
    const rift_mat4 m = snap_drawn(&c, clip, joint, t);
    check_row("joint %u at %g", joint, t);
    CHECK_NEAR(m.m[12], x, within);
    CHECK_NEAR(m.m[13], y, within);
    CHECK_NEAR(m.m[14], z, within);
    check_row("%s", "");
}

static const struct {
    double t;
    double free[3];
    bool locked;
} table[] = {
    {0, {60, 100, 0}, false},
    {0.05, {56.946300, 118.502975, -1.564345}, false},
    {0.1, {48.145059, 134.979433, -3.090170}, true},
    {0.2, {17.950850, 155.247035, -5.877853}, true},
    {0.25, {0, 157.071068, -7.071068}, true},
    {0.4, {-42.950850, 131.205619, -9.510565}, true},
    {0.45, {-49.040606, 115.934259, -9.876883}, false},
};

/* The reference itself against the document's table, so that all other tests stand on something. */
static void the_reference_is_the_tables(void)
{
    begin(5);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const rift_mat4 m = snap_reference(&c, 0, WEAPON, table[i].t);
        check_row("%g", table[i].t);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(m.m[12 + k], table[i].free[k], 1e-5);
    }
    check_row("%s", "");
    snap_end(&c);
}

static void r1_stands_where_the_table_says(void)
{
    begin(5);
    (void)snap_event(&c, 0, "Weapon", "Ground", 3, 12);
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 1);
    CHECK_U64(c.result.victims[0], WEAPON);
    CHECK_I64(c.result.former_parents[0], HAND);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const bool key = table[i].t != 0.05 && table[i].t != 0.45;
        const float t = (float)table[i].t; /* frames 3 and 12 as they are written */
        if (table[i].locked) {
            check_place(0, WEAPON, (double)t, 30, 0, 20, 1e-5);
        } else {
            check_place(0, WEAPON, (double)t, table[i].free[0], table[i].free[1], table[i].free[2],
                        key ? 1e-5 : 0.1);
        }
    }
    snap_check_figures(&c);
    snap_end(&c);
}

/* A standing target: two keys with the same bits, nothing between them, so nothing can drift. */
static void a_standing_target_does_not_drift(void)
{
    begin(5);
    (void)snap_event(&c, 0, "Weapon", "Ground", 3, 12);
    snap_run(&c);
    const rift_channel *t = snap_written(&c, 0, WEAPON, RIFT_TRANSLATION);
    const rift_channel *r = snap_written(&c, 0, WEAPON, RIFT_ROTATION);
    CHECK_FATAL(t != NULL && r != NULL);
    uint32_t first = UINT32_MAX;
    uint32_t inside = 0;
    for (uint32_t k = 0; k < t->key_count; k++) {
        if (t->times[k] < 0.1F || t->times[k] > 0.4F)
            continue;
        first = first == UINT32_MAX ? k : first;
        inside++;
    }
    CHECK_U64(inside, 2);
    CHECK_FATAL(first > 0 && first + 2 < t->key_count);
    CHECK_NEAR(t->times[first], 0.1, 1e-7);
    CHECK_NEAR(t->times[first + 1], 0.4, 1e-7);
    CHECK_NEAR((double)t->times[first] - (double)t->times[first - 1], 1e-4, 1e-6); /* S15 */
    CHECK_NEAR((double)t->times[first + 2] - (double)t->times[first + 1], 1e-4, 1e-6);
    CHECK(memcmp(t->values + 3 * first, t->values + 3 * (first + 1), 3 * sizeof(float)) == 0);
    CHECK(memcmp(r->values + 4 * first, r->values + 4 * (first + 1), 4 * sizeof(float)) == 0);
    for (int i = 1; i < 100; i++)
        check_place(0, WEAPON, 0.1 + 0.003 * i, 30, 0, 20, 2e-6);
    snap_end(&c);
}

/* J1: neither a longer name nor one with the same beginning is meant. J13 is part of the figures. */
static void only_the_named_joint_moves(void)
{
    begin(7);
    (void)snap_event(&c, 0, "weapon", "Ground", 3, 12);
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 1);
    CHECK(snap_is_victim(&c, WEAPON));
    snap_check_figures(&c);
    snap_end(&c);
}

/* J2, J3, J10, S6 and decisions 23: nothing at all happens. */
static void events_without_sense_move_nothing(void)
{
    static const struct {
        const char *victim, *target, *code;
        float start, end;
    } rows[] = {
        {"No_Such_Joint", "Ground", "snap_unknown_joint", 0, -1},
        {"Weapon", "No_Such_Joint", "snap_unknown_joint", 0, -1},
        {NULL, "Ground", "snap_field_empty", 0, -1},
        {"Weapon", NULL, "snap_field_empty", 0, -1},
        {"Weapon", "WEAPON", "snap_self", 0, -1},
        {"Arm", "Weapon", "snap_target_below_victim", 0, -1},
        {"Weapon", "Ground", "snap_window_empty", 16, -1},
        {"Weapon", "Ground", "snap_window_empty", 500, 510},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row("row %zu", i);
        begin(7);
        (void)snap_event(&c, 0, rows[i].victim, rows[i].target, rows[i].start, rows[i].end);
        snap_run(&c);
        CHECK_U64(c.result.victim_count, 0);
        CHECK(c.result.skeleton.joints == c.skeleton.joints);
        CHECK(c.keys[0].channels == c.original[0]);
        CHECK_U64(rift_report_count(&c.report, rows[i].code), 1);
        CHECK_U64(c.report.entry_count, 1);
        CHECK_U64(c.windows[0].drop_count, 1);
        CHECK(c.windows[0].drop_count == 1 && strcmp(c.windows[0].drops[0].reason, rows[i].code) == 0);
        snap_end(&c);
    }
    check_row("%s", "");
}

/* J4: of two joints with the hash the influencing one, though the other comes first. */
static void the_skinned_joint_of_a_hash_is_meant(void)
{
    static const joint_row rows[] = {
        {"Root", -1, {{0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
        {"weapon", 0, {{1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, false, false},
        {"Hand", 0, {{0, 50, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
        {"Weapon", 2, {{5, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
        {"Ground", -1, {{30, 0, 20}, {0, 0, 0, 0}, {0, 0, 0}}, false, false},
    };
    snap_begin(&c, rows, 5);
    const size_t clip = snap_clip(&c, 0.5F);
    snap_turn(&c, clip, 2, 2, times2, quarter, 2);
    (void)snap_event(&c, clip, "weapon", "ground", 0, -1);
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 1);
    CHECK(snap_is_victim(&c, 3));
    snap_check_figures(&c);
    snap_end(&c);
}

/* J11: equal ELF is no match for a field that holds an FNV. */
static void the_other_hash_does_not_count(void)
{
    static const joint_row rows[] = {
        {"Root", -1, {{0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
        {"ebb", 0, {{1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
        {"ear", 0, {{0, 50, 0}, {0, 0, 0, 0}, {0, 0, 0}}, false, false},
        {"Ground", -1, {{30, 0, 20}, {0, 0, 0, 0}, {0, 0, 0}}, false, false},
    };
    snap_begin(&c, rows, 4);
    CHECK_U64(c.skeleton.joints[1].elf, c.skeleton.joints[2].elf);
    (void)snap_clip(&c, 0.5F);
    (void)snap_event(&c, 0, "ear", "ground", 0, -1);
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 1);
    CHECK(snap_is_victim(&c, 2));
    snap_end(&c);
}

/* J6: a hidden prop of rest scale 0 with an inverse bind that cannot be inverted. */
static void a_hidden_prop_keeps_its_zero_scale(void)
{
    static const joint_row rows[] = {
        {"Root", -1, {{0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
        {"Hand", 0, {{0, 50, 0}, {0, 0, 0.6, 0.8}, {0, 0, 0}}, true, false},
        {"Prop", 1, {{5, 0, 0}, {0.6, 0, 0, 0.8}, {0, 0, 0}}, true, true},
        {"Ground", -1, {{30, 0, 20}, {0, 0, 0, 0}, {0, 0, 0}}, false, false},
    };
    snap_begin(&c, rows, 4);
    memset(&c.skeleton.joints[2].inverse_bind, 0, sizeof(rift_mat4));
    c.skeleton.joints[2].inverse_bind.m[15] = 1;
    const size_t clip = snap_clip(&c, 0.5F);
    snap_turn(&c, clip, 1, 2, times2, quarter, 2);
    (void)snap_event(&c, clip, "Prop", "Ground", 5, 10);
    snap_run(&c);
    CHECK_FATAL(c.result.victim_count == 1);
    const rift_trs rest = c.result.skeleton.joints[2].rest;
    CHECK_NEAR(rift_vec3_length(rest.s), 0, 0);
    /* Hand turns by 2 atan2(0.6, 0.8), cosine 0.28, sine 0.96; the prop lies 5 along its x. */
    CHECK_NEAR(rest.t.x, 1.4, 1e-9);
    CHECK_NEAR(rest.t.y, 54.8, 1e-9);
    /* And its rotation is the chain's: (0, 0, .6, .8) * (.6, 0, 0, .8). */
    CHECK_NEAR(rest.r.x, 0.48, 1e-9);
    CHECK_NEAR(rest.r.y, 0.36, 1e-9);
    CHECK_NEAR(rest.r.z, 0.48, 1e-9);
    CHECK_NEAR(rest.r.w, 0.64, 1e-9);
    snap_check_figures(&c);
    const rift_channel *s = snap_written(&c, 0, 2, RIFT_SCALE);
    CHECK_FATAL(s != NULL && s->key_count > 1); /* the ground's scale in the window */
    CHECK_NEAR(s->values[0], 0, 0);
    snap_end(&c);
}

/* J7: both move, each from the original hierarchy. */
static void a_victim_below_a_victim(void)
{
    begin(7);
    (void)snap_event(&c, 0, "Hand", "Ground", 2, 9);
    (void)snap_event(&c, 0, "Weapon", "Weapon_Rabbit", 5, 12);
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 2);
    snap_check_figures(&c);
    /* In both windows at once Weapon stands on Weapon_Rabbit, which rides on the locked Hand: Ground turned 30 degrees
     * about y leaves (0, 7, 0) as it is. */
    check_place(0, WEAPON, 0.2, 30, 7, 20, 1e-4);
    snap_end(&c);
}

/* J8, S12: clips without events. */
static void other_clips_keep_their_motion(void)
{
    begin(5);
    (void)snap_event(&c, 0, "Weapon", "Ground", 3, 12);
    const size_t turning = snap_clip(&c, 0.5F);
    snap_turn(&c, turning, ARM, 2, times3, half_turn, 3);
    const size_t standing = snap_clip(&c, 1);
    snap_turn(&c, standing, GROUND, 2, times3, half_turn, 3);
    snap_run(&c);
    snap_check_figures(&c);
    for (int k = 0; k < 3; k++) {
        const rift_channel *ch = snap_written(&c, standing, WEAPON, (rift_component)k);
        CHECK_FATAL(ch != NULL);
        CHECK_U64(ch->key_count,
                  k == 0 ? 2 : 1); /* S13, and the clip's end (G41) that nothing else reaches */
    }
    CHECK(snap_written(&c, turning, WEAPON, RIFT_ROTATION)->key_count > 2);
    CHECK_OK(rift_clips_finish(c.keys, c.clip_count, &c.result.skeleton, &c.arena, &c.err), &c.err);
    CHECK(snap_written(&c, standing, WEAPON, RIFT_SCALE) == NULL); /* moves in no clip */
    snap_end(&c);
}

/* J9, S17: two entries on one file share arrays before, and may not after. */
static void entries_of_one_file_stay_apart(void)
{
    begin(5);
    const size_t other = snap_clip(&c, 0.5F);
    memcpy(c.original[other], c.original[0], sizeof c.original[0]);
    c.original_count[other] = c.original_count[0];
    float before[12];
    memcpy(before, c.original[0][0].values, sizeof before);
    (void)snap_event(&c, 0, "Weapon", "Ground", 3, 12);
    snap_run(&c);
    snap_check_figures(&c);
    CHECK(memcmp(before, c.original[0][0].values, sizeof before) == 0);
    check_place(0, WEAPON, 0.25, 30, 0, 20, 1e-5);
    check_place(other, WEAPON, 0.25, 0, 157.071068, -7.071068, 1e-4);
    snap_end(&c);
}

/* J14: negative and non-uniform scales above the victim. */
static void scales_above_the_victim(void)
{
    static const struct {
        float arm[3];
        double hand; /* degrees about z at rest of the clip */
        bool shear;
    } rows[] = {
        {{-1, -1, -1}, 30, false}, {{2, 2, 2}, 30, false}, {{-1, 1, 1}, 0, false},
        {{1, -2, 1}, 90, false},   {{2, 1, 1}, 45, true},  {{1.02F, 1, 1}, 45, false},
        {{1.03F, 1, 1}, 45, true}, {{0, 0, 0}, 45, false}, {{1, 0, 1}, 30, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row("row %zu", i);
        snap_begin(&c, r1, 5);
        const size_t clip = snap_clip(&c, 0.5F);
        const float zero[] = {0};
        snap_turn(&c, clip, ARM, 0, times2, quarter, 2);
        snap_channel(&c, clip, ARM, RIFT_SCALE, zero, rows[i].arm, 1);
        snap_turn(&c, clip, HAND, 2, zero, &rows[i].hand, 1);
        (void)snap_event(&c, clip, "Weapon", "Ground", 10, 12);
        snap_run(&c);
        CHECK_U64(rift_report_count(&c.report, "snap_bake_failed"), 0);
        CHECK_U64(rift_report_count(&c.report, "snap_shear"), rows[i].shear);
        snap_check_figures(&c);
        snap_end(&c);
    }
    check_row("%s", "");
}

/* J15, and J16 in its last lines: a target that moves, and what hangs on the victim. */
static void a_moving_target_is_followed(void)
{
    joint_row rows[8];
    memcpy(rows, r1, 5 * sizeof *rows);
    rows[5] = (joint_row){"Grip", ARM, {{20, 5, 0}, {0, 0, 0.6, 0.8}, {0, 0, 0}}, false, false};
    rows[6] = (joint_row){"Blade", WEAPON, {{0, 0, 30}, {0, 0, 0, 0}, {0, 0, 0}}, true, false};
    snap_begin(&c, rows, 7);
    (void)put_c1(&c);
    (void)snap_event(&c, 0, "Weapon", "Grip", 3, 12);
    snap_run(&c);
    snap_check_figures(&c);
    const rift_channel *ch = snap_written(&c, 0, WEAPON, RIFT_TRANSLATION);
    double worst = 0;
    double blade = 0;
    for (uint32_t k = 0; k + 1 < ch->key_count; k++)
        for (int q = 0; q < 4; q++) {
            const double t =
                (double)ch->times[k] + 0.25 * q * ((double)ch->times[k + 1] - (double)ch->times[k]);
            const rift_mat4 grip = snap_drawn(&c, 0, 5, t);
            const rift_mat4 weapon = snap_drawn(&c, 0, WEAPON, t);
            const rift_mat4 drawn = snap_drawn(&c, 0, 6, t);
            const rift_mat4 want = snap_reference(&c, 0, 6, t);
            const bool inside = t >= 0.1000001 && t <= 0.3999999;
            const bool gap = (t > 0.09989 && t < 0.1) || (t > 0.4 && t < 0.40011);
            if (inside)
                worst = fmax(worst, rift_vec3_length(rift_vec3_sub(snap_place(&grip), snap_place(&weapon))));
            if (!gap)
                blade = fmax(blade, rift_vec3_length(rift_vec3_sub(snap_place(&drawn), snap_place(&want))));
        }
    CHECK_NEAR(worst, 0, 0.1);
    CHECK_NEAR(blade, 0, 0.1 + 30 * 0.25 * DEGREE);
    snap_end(&c);
}

/* J17: (1, 2, 3) turned by 30 degrees about y is (2.3660254, 2, 2.0980762). */
static void an_offset_lies_in_the_targets_frame(void)
{
    begin(5);
    rift_snap_event *event = snap_event(&c, 0, "Weapon", "Ground", 3, 12);
    event->offset[0] = 1;
    event->offset[1] = 2;
    event->offset[2] = 3;
    snap_run(&c);
    check_place(0, WEAPON, 0.25, 32.3660254, 2, 22.0980762, 1e-5);
    snap_check_figures(&c);
    snap_end(&c);
}

/* J18: start and end in frames, and where the weapon then is: G ground, A arm, . free, at twelve instants of the clip. */
static void windows_of_every_kind(void)
{
    static const struct {
        const char *label;
        double fps;
        struct {
            float start, end;
            bool arm;
        } events[3];
        size_t count;
        const char *at; /* at 0, 1/24, 2/24 … 11/24 s and at the end */
    } rows[] = {
        {"two disjoint", 30, {{2, 4, false}, {10, 12, true}}, 2, "..GG....AA..."},
        {"overlapping, the later start wins", 30, {{2, 9, false}, {5, 12, true}}, 2, "..GGAAAAAA..."},
        {"overlapping, then back", 30, {{5, 8, true}, {2, 12, false}}, 2, "..GGAAAGGG..."},
        {"equal starts, the later event wins", 30, {{2, 12, true}, {2, 9, false}}, 2, "..GGGGGGAA..."},
        {"touching: the later one has the instant", 24, {{2, 5, false}, {5, 8, true}}, 2, "..GGGAAAA...."},
        {"past the end", 30, {{12, 140, false}}, 1, "..........GGG"},
        {"start above end: to the end", 30, {{12, 3, false}}, 1, "..........GGG"},
        {"no end", 30, {{12, -1, false}}, 1, "..........GGG"},
        {"neither", 30, {{0, -1, false}}, 1, "GGGGGGGGGGGGG"},
        {"fractional", 30, {{2.75F, 4.5F, false}}, 1, "...G........."},
        {"negative start", 30, {{-5, 4, false}}, 1, "GGGG........."},
        {"one instant", 24, {{5, 5, false}}, 1, ".....G......."},
        {"24 frames a second", 24, {{3, 6, false}}, 1, "...GGGG......"},
        {"at the very end", 24, {{12, 12, false}}, 1, "............G"},
        {"at the very start", 24, {{0, 0, false}}, 1, "G............"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin(5);
        c.fps = rows[i].fps;
        for (size_t e = 0; e < rows[i].count; e++) {
            (void)snap_event(&c, 0, "Weapon", rows[i].events[e].arm ? "Arm" : "Ground",
                             rows[i].events[e].start, rows[i].events[e].end);
        }
        snap_run(&c);
        check_row("%s", rows[i].label);
        CHECK_U64(rift_report_count(&c.report, "snap_bake_failed"), 0);
        for (int k = 0; k <= 12; k++) {
            const double t = (double)(float)(k / 24.0);
            const rift_mat4 m = snap_drawn(&c, 0, WEAPON, t);
            const rift_vec3 ground = rift_vec3_sub(snap_place(&m), (rift_vec3){30, 0, 20});
            const rift_vec3 arm = rift_vec3_sub(snap_place(&m), (rift_vec3){0, 100, 0});
            const char got = rift_vec3_length(ground) < 1e-3 ? 'G' : rift_vec3_length(arm) < 0.5 ? 'A' : '.';
            check_row("%s at %d/24", rows[i].label, k);
            CHECK_I64(got, rows[i].at[k]);
        }
        check_row("%s", rows[i].label);
        snap_check_figures(&c);
        CHECK_U64(rift_report_count(&c.report, "snap_end_before_start"), i == 6);
        snap_end(&c);
    }
    check_row("%s", "");
}

/* S7: a clip trimmed at its start. */
static void a_trimmed_clip_shifts_its_windows(void)
{
    begin(5);
    const rift_snap_event events[] = {
        {rift_fnv1a(RIFT_STR("weapon")), rift_fnv1a(RIFT_STR("ground")), 20, 24, {0}},
        {rift_fnv1a(RIFT_STR("weapon")), rift_fnv1a(RIFT_STR("ground")), 12, -1, {0}},
        {rift_fnv1a(RIFT_STR("weapon")), rift_fnv1a(RIFT_STR("ground")), 2, 14, {0}},
        {rift_fnv1a(RIFT_STR("weapon")), rift_fnv1a(RIFT_STR("ground")), NAN, INFINITY, {0}},
        {rift_fnv1a(RIFT_STR("weapon")), rift_fnv1a(RIFT_STR("ground")), 0, -1, {NAN}},
    };
    const rift_snap_resolve_input in = {&c.skeleton, events, 5, 30, 0.5, 0.4};
    rift_snap_windows w;
    CHECK_OK(rift_snap_resolve(&w, &in, &c.arena, &c.report, &c.err), &c.err);
    CHECK_FATAL(w.window_count == 3 && w.drop_count == 2);
    CHECK_NEAR(w.windows[0].start, 20 / 30.0 - 0.5, 1e-12);
    CHECK_NEAR(w.windows[0].end, 0.3, 1e-12);
    CHECK_NEAR(w.windows[1].start, 0, 0); /* began before the cut */
    CHECK_NEAR(w.windows[1].end, 0.4, 0);
    CHECK_U64(w.windows[2].event, 3); /* times that are no numbers count as absent */
    CHECK_NEAR(w.windows[2].end, 0.4, 0);
    CHECK_U64(rift_report_count(&c.report, "snap_window_empty"), 1); /* over before the cut */
    CHECK_U64(rift_report_count(&c.report, "snap_not_finite"), 1);
    snap_end(&c);
}

/* J19: A to B and B to A. W(A) is W(B), which, A being evaluated, is the free A. */
static void two_that_lock_each_other(void)
{
    begin(7);
    (void)snap_event(&c, 0, "Weapon", "Weapon_Rabbit", 0, -1);
    (void)snap_event(&c, 0, "Weapon_Rabbit", "Weapon", 0, -1);
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 2);
    snap_check_figures(&c);
    check_place(0, WEAPON, 0, 60, 100, 0, 1e-4);
    check_place(0, RABBIT, 0, 50, 107, 0, 1e-4);
    snap_end(&c);
}

/* Chains: a target that is itself locked counts where it is drawn. */
static void a_chain_of_locks(void)
{
    begin(7);
    (void)snap_event(&c, 0, "Weapon", "weapon_l", 0, -1);
    rift_snap_event *event = snap_event(&c, 0, "weapon_l", "Weapon_Rabbit", 0, 8);
    event->offset[1] = 1;
    (void)snap_event(&c, 0, "Weapon_Rabbit", "Ground", 4, -1);
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 3);
    snap_check_figures(&c);
    check_place(0, WEAPON, 0.2, 30, 1, 20, 1e-4);
    snap_end(&c);
}

/* A parentless victim: keys only, and in other clips its rest value where a track had been (decisions 32). */
static void a_parentless_victim_keeps_its_place(void)
{
    begin(5);
    const float zero[] = {0};
    const float moved[] = {30, 0, 20.0005F}; /* by less than anybody sees */
    const size_t other = snap_clip(&c, 0.5F);
    snap_turn(&c, other, ARM, 2, times3, half_turn, 3);
    snap_channel(&c, other, GROUND, RIFT_TRANSLATION, zero, moved, 1);
    (void)snap_event(&c, 0, "Ground", "Hand", 3, 12);
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 1);
    CHECK_I64(c.result.former_parents[0], RIFT_NO_PARENT);
    CHECK_I64(c.result.skeleton.joints[GROUND].parent, RIFT_NO_PARENT);
    CHECK(snap_written(&c, other, GROUND, RIFT_TRANSLATION) != NULL);
    CHECK(snap_written(&c, other, GROUND, RIFT_ROTATION) == NULL);
    snap_check_figures(&c);
    snap_end(&c);
    /* The same with the component dropped before the bake, as it is when no clip moves it. */
    begin(5);
    (void)snap_clip(&c, 0.5F);
    snap_turn(&c, other, ARM, 2, times3, half_turn, 3);
    snap_channel(&c, other, GROUND, RIFT_TRANSLATION, zero, moved, 1);
    (void)snap_event(&c, 0, "Ground", "Hand", 3, 12);
    rift_channel tracked[2];
    memcpy(tracked, c.original[other], sizeof tracked);
    c.original_count[other] = 1;
    c.clips[other].tracked = tracked;
    snap_run(&c); /* sets `tracked` to the shorter list */
    CHECK(snap_written(&c, other, GROUND, RIFT_TRANSLATION) == NULL);
    c.keys[0] = (rift_clip_keys){
        .channels = c.original[0], .channel_count = c.original_count[0], .length = c.length[0]};
    c.keys[other] = (rift_clip_keys){.channels = c.original[other], .channel_count = 1, .length = 0.5F};
    c.clips[other].tracked = tracked;
    c.clips[other].tracked_count = 2;
    CHECK_OK(
        rift_snap_bake(&c.result, c.clips, 2, &c.skeleton, &c.limits, &c.arena, &c.tmp, &c.report, &c.err),
        &c.err);
    const rift_channel *still = snap_written(&c, other, GROUND, RIFT_TRANSLATION);
    CHECK_FATAL(still != NULL);
    CHECK_U64(still->key_count, 1);
    CHECK_NEAR(still->values[2], 20, 0); /* at rest, as it was drawn */
    snap_end(&c);
}

static void a_clip_of_zero_length(void)
{
    snap_begin(&c, r1, 5);
    const size_t clip = snap_clip(&c, 0);
    const float zero[] = {0};
    const double turned[] = {90};
    snap_turn(&c, clip, ARM, 2, zero, turned, 1);
    (void)snap_event(&c, clip, "Weapon", "Ground", -3, 5);
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 1);
    check_place(0, WEAPON, 0, 30, 0, 20, 1e-5);
    CHECK_U64(snap_written(&c, 0, WEAPON, RIFT_TRANSLATION)->key_count, 1);
    snap_end(&c);
}

/* S26: of two windows that hold an instant the one of the higher slot. */
static void layers_have_priority(void)
{
    begin(5);
    (void)snap_event(&c, 0, "Weapon", "Ground", 0, -1);
    (void)snap_event(&c, 0, "Weapon", "Arm", 3, 12);
    snap_run(&c);
    check_place(0, WEAPON, 0.25, 0, 100, 0, 1e-3);
    c.keys[0] = (rift_clip_keys){
        .channels = c.original[0], .channel_count = c.original_count[0], .length = c.length[0]};
    c.windows[0].windows[0].priority = 3;
    CHECK_OK(
        rift_snap_bake(&c.result, c.clips, 1, &c.skeleton, &c.limits, &c.arena, &c.tmp, &c.report, &c.err),
        &c.err);
    check_place(0, WEAPON, 0.25, 30, 0, 20, 1e-5);
    snap_end(&c);
}

/* layering.md section 9, 6 on rig R1: C1, which holds the weapon from 0.1 to 0.4 s, in slot 2 through a mask on the arm, over a
 * walk of 10 u a second in slot 0, and fading out from 0.2 to 0.4 s: at 0.3 s its weight is the half that L39 asks for. */
static rift_clip_keys layered_over_a_walk(void)
{
    static rift_layer_clip clips[2];
    static const rift_str arm[] = {{"Arm", 3}};
    rift_layer_mask masks[] = {
        {.kind = RIFT_LAYER_MASK_NAMES, .name = RIFT_STR("Upper"), .include = arm, .include_count = 1}};
    rift_layer_command commands[] = {
        {.op = RIFT_LAYER_PLAY,
         .slot = 0,
         .clip = RIFT_STR("walk"),
         .mask = RIFT_LAYER_NONE,
         .loop = true,
         .speed = 1,
         .weight = 1},
        {.op = RIFT_LAYER_PLAY_MASKED, .slot = 2, .clip = RIFT_STR("c1"), .mask = 0, .speed = 1, .weight = 1},
        {.at = 0.2, .op = RIFT_LAYER_FADE, .slot = 2, .mask = RIFT_LAYER_NONE, .weight = 0, .seconds = 0.2},
    };
    const rift_timeline t = {.name = RIFT_STR("both"),
                             .duration = 0.5,
                             .fps = 30,
                             .commands = commands,
                             .command_count = 3,
                             .masks = masks,
                             .mask_count = 1};
    for (uint32_t i = 0; i < 2; i++) {
        const rift_clip_keys keys = {
            .channels = c.original[i], .channel_count = c.original_count[i], .length = c.length[i]};
        clips[i] = (rift_layer_clip){.name = i == 0 ? RIFT_STR("c1") : RIFT_STR("walk"),
                                     .id = i,
                                     .length = (double)c.length[i],
                                     .curves = rift_layer_curves(&keys, &c.skeleton, &c.arena)};
    }
    const rift_layer_event lock = {0, WEAPON, 0.1, 0.4};
    rift_layers layers;
    rift_layer_window *windows = NULL;
    size_t count = 0;
    rift_layer_baked baked = {0};
    CHECK_OK(rift_layers_build(&layers, &c.skeleton, clips, 2, &t, &c.arena, &c.err) &&
                 rift_layers_windows(&windows, &count, &layers, &lock, 1, &c.arena, &c.err) &&
                 rift_layers_bake(&baked, &layers, NULL, NULL, &c.arena, &c.tmp, &c.err),
             &c.err);
    CHECK_U64(layers.warnings.count, 0);
    if (CHECK(count == 1)) {
        CHECK_NEAR(windows[0].from, 0.1, 1e-9);
        CHECK_NEAR(windows[0].to, 0.3, 1e-9);
        CHECK_U64(windows[0].slot, 2);
        (void)snap_event(&c, 0, "Weapon", "Ground", (float)(30 * windows[0].from),
                         (float)(30 * windows[0].to));
    }
    return baked.keys;
}

static void a_lock_of_a_layer(void)
{
    static const float second[] = {0, 1};
    static const float walked[] = {0, 0, 0, 10, 0, 0};
    static const float high[] = {0, 50, 0};
    static const double still[] = {0};
    static const double times[] = {0, 0.05, 0.1, 0.2, 0.3, 0.35, 0.45};
    begin(5);
    snap_channel(&c, 0, ROOT, RIFT_TRANSLATION, second, high, 1); /* masked out */
    const size_t walk = snap_clip(&c, 1);
    snap_channel(&c, walk, ROOT, RIFT_TRANSLATION, second, walked, 2);
    snap_turn(&c, walk, ARM, 2, second, still, 1);
    const rift_clip_keys both = layered_over_a_walk();
    CHECK_FATAL(both.channel_count <= MAX_CHANNELS);
    for (size_t i = 0; i < both.channel_count; i++)
        c.original[0][i] = both.channels[i];
    c.original_count[0] = both.channel_count;
    c.length[0] = both.length;
    c.clip_count = 1;
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 1);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const double t = times[i];
        const double w = t <= 0.2 ? 1 : t < 0.4 ? (0.4 - t) / 0.2 : 0;
        const double a = w * 360 * t * DEGREE;
        const double h = w * 180 * t * DEGREE;
        const double out = 50 + 10 * cos(h);
        if (t >= 0.1 && t <= 0.3) {
            check_place(0, WEAPON, (double)(float)t, 30, 0, 20, 1e-5);
        } else {
            check_place(0, WEAPON, t, 10 * t + out * cos(a), 100 + out * sin(a), -10 * sin(h), 0.15);
        }
    }
    snap_end(&c);
}

/* S22: with nothing to halve the turn is drawn as a chord, so the weapon is given back; what stood on it follows. */
static void a_victim_that_fails_is_restored(void)
{
    begin(7);
    (void)snap_event(&c, 0, "Weapon", "Ground", 3, 12);
    (void)snap_event(&c, 0, "Ground", "Weapon", 13, 14);
    c.limits.max_halvings = 0;
    const size_t standing = snap_clip(&c, 1);
    snap_turn(&c, standing, LEFT, 2, times3, half_turn, 3);
    (void)snap_event(&c, standing, "weapon_l", "Ground", 0, -1);
    snap_run(&c);
    CHECK(c.windows[0].windows[0].restored);
    CHECK(!snap_is_victim(&c, WEAPON));
    CHECK_I64(c.result.skeleton.joints[WEAPON].parent, HAND);
    CHECK(rift_report_count(&c.report, "snap_bake_failed") > 0);
    for (size_t v = 0; v < c.result.victim_count; v++)
        CHECK(c.result.victims[v] != WEAPON);
    CHECK_U64(c.keys[0].channel_count >= 2, 1);
    CHECK(c.keys[0].channels[0].values == c.original[0][0].values);
    snap_end(&c);
}

static void a_spent_budget_restores(void)
{
    begin(5);
    (void)snap_event(&c, 0, "Weapon", "Ground", 3, 12);
    c.limits.budget = 50;
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 0);
    CHECK_U64(rift_report_count(&c.report, "snap_bake_failed"), 1);
    CHECK(c.keys[0].channels == c.original[0]);
    CHECK(c.result.skeleton.joints == c.skeleton.joints);
    snap_end(&c);
}

/* S27. */
static void too_many_keys_double_the_limits(void)
{
    begin(5);
    (void)snap_event(&c, 0, "Weapon", "Ground", 3, 12);
    snap_run(&c);
    const uint32_t all = snap_written(&c, 0, WEAPON, RIFT_TRANSLATION)->key_count;
    CHECK_U64(c.result.stats[0].key_count, all);
    CHECK_U64(c.result.stats[0].doublings, 0);
    CHECK(c.result.stats[0].translation > 0.001 && c.result.stats[0].translation <= 0.3);
    snap_end(&c);
    begin(5);
    (void)snap_event(&c, 0, "Weapon", "Ground", 3, 12);
    c.limits.max_keys = all - 2;
    snap_run(&c);
    CHECK_U64(rift_report_count(&c.report, "snap_limits_doubled"), 1);
    const rift_channel *fewer = snap_written(&c, 0, WEAPON, RIFT_TRANSLATION);
    CHECK_FATAL(fewer != NULL);
    CHECK(fewer->key_count < all);
    check_place(0, WEAPON, 0.25, 30, 0, 20, 1e-5);
    snap_end(&c);
    begin(5);
    (void)snap_event(&c, 0, "Weapon", "Ground", 3, 12);
    c.limits.max_keys = 3; /* fewer than the boundaries need */
    snap_run(&c);
    CHECK_U64(c.result.victim_count, 0);
    CHECK_U64(rift_report_count(&c.report, "snap_bake_failed"), 1);
    snap_end(&c);
}

static uint32_t keys_between(uint32_t joint, double from, double to)
{
    const rift_channel *ch = snap_written(&c, 0, joint, RIFT_TRANSLATION);
    uint32_t count = 0;
    for (uint32_t k = 0; ch != NULL && k < ch->key_count; k++)
        count += (double)ch->times[k] > from && (double)ch->times[k] < to;
    return count;
}

/* S15: a target that stands `apart` from the free weapon when the lock begins, then moves on. */
static void poses_that_agree_share_a_key(void)
{
    static const joint_row rows[] = {
        {"Root", -1, {{0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
        {"Weapon", 0, {{0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
        {"Mover", -1, {{0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, false, false},
        {"Here", -1, {{5, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, false, false},
        {"There", -1, {{5.05, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, false, false},
    };
    static const struct {
        float apart;
        uint32_t keys; /* just before the lock */
    } cases[] = {{0.05F, 0}, {0.15F, 1}, {0.2F, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const float d = cases[i].apart;
        const float times[] = {0, 0.1F, 0.5F};
        const float places[] = {d, 0, 0, d, 0, 0, d + 10, 0, 0};
        check_row("%g apart", (double)d);
        snap_begin(&c, rows, 5);
        (void)snap_clip(&c, 0.5F);
        snap_channel(&c, 0, 2, RIFT_TRANSLATION, times, places, 3);
        (void)snap_event(&c, 0, "Weapon", "Mover", 3, -1);
        snap_run(&c);
        CHECK_U64(keys_between(1, 0.09, 0.09999999), cases[i].keys);
        check_place(0, 1, (double)0.1F, (double)d, 0, 0, 1e-6);
        snap_check_figures(&c);
        snap_end(&c);
    }
    check_row("%s", "");
    /* Locks onto things that stand do not give way to each other, however near they are. */
    snap_begin(&c, rows, 5);
    (void)snap_clip(&c, 0.5F);
    (void)snap_event(&c, 0, "Weapon", "Here", 3, 6);
    (void)snap_event(&c, 0, "Weapon", "There", 6, 9);
    snap_run(&c);
    CHECK_U64(keys_between(1, 0.19, 0.19999999), 1);
    check_place(0, 1, 0.1995, 5, 0, 0, 1e-5);
    snap_check_figures(&c);
    snap_end(&c);
}

/* The figure of section 8: what a grid of 60 keys a second costs and this does not. */
static void fewer_keys_than_a_grid_and_nearer(void)
{
    begin(5);
    (void)snap_event(&c, 0, "Weapon", "Ground", 3, 12);
    snap_run(&c);
    const rift_channel *t = snap_written(&c, 0, WEAPON, RIFT_TRANSLATION);
    CHECK(t->key_count <= 31);
    snap_end(&c);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(the_reference_is_the_tables);
    RUN(r1_stands_where_the_table_says);
    RUN(a_standing_target_does_not_drift);
    RUN(only_the_named_joint_moves);
    RUN(events_without_sense_move_nothing);
    RUN(the_skinned_joint_of_a_hash_is_meant);
    RUN(the_other_hash_does_not_count);
    RUN(a_hidden_prop_keeps_its_zero_scale);
    RUN(a_victim_below_a_victim);
    RUN(other_clips_keep_their_motion);
    RUN(entries_of_one_file_stay_apart);
    RUN(scales_above_the_victim);
    RUN(a_moving_target_is_followed);
    RUN(an_offset_lies_in_the_targets_frame);
    RUN(windows_of_every_kind);
    RUN(a_trimmed_clip_shifts_its_windows);
    RUN(two_that_lock_each_other);
    RUN(a_chain_of_locks);
    RUN(a_parentless_victim_keeps_its_place);
    RUN(a_clip_of_zero_length);
    RUN(layers_have_priority);
    RUN(a_lock_of_a_layer);
    RUN(a_victim_that_fails_is_restored);
    RUN(a_spent_budget_restores);
    RUN(too_many_keys_double_the_limits);
    RUN(poses_that_agree_share_a_key);
    RUN(fewer_keys_than_a_grid_and_nearer);
    return check_finish();
}
