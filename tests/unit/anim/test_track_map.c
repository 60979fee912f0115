/* track-mapping.md: T4-T7, T9, T11-T15, the worked example of section 4 and the collision fixtures of section 5. Expected ids stand there. */
#include "anim/anim.h"

#include "hash/hash.h"
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

static uint32_t hash_of(const char *name)
{
    return strncmp(name, "0x", 2) == 0 ? 0x0BADF00Du : rift_elf((rift_str){name, strlen(name)});
}

/* Tracks without keys, by name. */
static rift_anm tracks_of(const char *const *names, size_t count)
{
    rift_anm anm = {.track_count = count, .tracks = RIFT_NEW(&arena, rift_anm_track, count)};
    for (size_t t = 0; t < count; t++)
        anm.tracks[t].hash = hash_of(names[t]);
    return anm;
}

static rift_track_map map(const rift_skeleton *sk, const rift_anm *anm)
{
    rift_track_map out = {0};
    rift_err err = check_err();
    CHECK_OK(rift_track_map_build(&out, sk, anm, &arena, &report, &err), &err);
    return out;
}

static void check_map(const rift_track_map *m, const int *want, size_t joint_count)
{
    for (size_t j = 0; j < joint_count; j++) {
        check_row("joint %zu", j);
        CHECK_I64(m->track_of_joint[j], want[j]);
    }
    check_row("%s", "");
}

static void first_key(rift_anm *anm, size_t track, float x, float y, float z)
{
    float *key = RIFT_NEW(&arena, float, 4);
    key[0] = x;
    key[1] = y;
    key[2] = z;
    anm->tracks[track].curves[RIFT_ANM_TRANSLATION] = (rift_anm_curve){1, key + 3, key, true};
}

static void case_a(void)
{
    reset();
    const rift_skeleton sk = rig_build(rig_shaco, 8, &arena, &report);
    static const char *const names[] = {"root", "pelvis", "spine", "neck", "head", "weapon"};
    const rift_anm anm = tracks_of(names, 6);
    const rift_track_map m = map(&sk, &anm);
    static const int want[] = {0, 1, 2, 3, 4, -1, -1, 5};
    check_map(&m, want, 8);
    CHECK_U64(m.skinning_count, 5);
    CHECK_U64(m.other_count, 1);
    CHECK_U64(m.leftover_count, 0);
    CHECK_U64(m.track_count, 6);
}

static void case_b(void)
{
    reset();
    const rift_skeleton sk = rig_build(rig_shaco, 8, &arena, &report);
    static const char *const names[] = {"root", "head", "head", "spine", "neck"};
    rift_anm anm = tracks_of(names, 5);
    first_key(&anm, 1, 0, 8, 2);
    first_key(&anm, 2, 0, -64.08f, -1.58f);
    const rift_track_map m = map(&sk, &anm);
    static const int want[] = {0, -1, 3, 4, 1, 2, -1, -1};
    check_map(&m, want, 8);
    CHECK_U64(m.skinning_count, 3);
    CHECK_U64(m.other_count, 2);
    CHECK_U64(rift_report_count(&report, "track_mapping_suspect"), 0);
}

static void case_c(void)
{
    reset();
    const rift_skeleton sk = rig_build(rig_shaco, 8, &arena, &report);
    static const char *const names[] = {"head", "head", "head"};
    const rift_anm anm = tracks_of(names, 3);
    const rift_track_map m = map(&sk, &anm);
    static const int want[] = {-1, -1, -1, -1, 0, 1, -1, -1};
    check_map(&m, want, 8);
    CHECK_U64(m.leftover_count, 1);
    CHECK_U64(m.leftovers[0].track, 2);
    CHECK_U64(m.leftovers[0].hash, 0x0006EB74);
    CHECK_U64(m.leftovers[0].reason, RIFT_LEFTOVER_DUPLICATE);
}

static void case_d(void)
{
    reset();
    const rift_skeleton sk = rig_build(rig_shaco, 8, &arena, &report);
    static const char *const names[] = {"0x0BADF00D", "buffbone_head_loc"};
    const rift_anm anm = tracks_of(names, 2);
    const rift_track_map m = map(&sk, &anm);
    static const int want[] = {-1, -1, -1, -1, -1, -1, 1, -1};
    check_map(&m, want, 8);
    CHECK_U64(m.skinning_count, 0);
    CHECK_U64(m.other_count, 1);
    CHECK_U64(m.leftover_count, 1);
    CHECK_U64(m.leftovers[0].hash, 0x0BADF00D);
    CHECK_U64(m.leftovers[0].reason, RIFT_LEFTOVER_NO_JOINT);
}

static void case_e(void)
{
    reset();
    rig_joint joints[8];
    memcpy(joints, rig_shaco, sizeof joints);
    for (size_t j = 0; j < 8; j++)
        joints[j].influence = false;
    const rift_skeleton sk = rig_build(joints, 8, &arena, &report);
    static const char *const names[] = {"head"};
    rift_anm anm = tracks_of(names, 1);
    first_key(&anm, 0, 0, 8, 2);
    const rift_track_map m = map(&sk, &anm);
    static const int want[] = {-1, -1, -1, -1, -1, 0, -1, -1};
    check_map(&m, want, 8);
    CHECK_U64(rift_report_count(&report, "track_mapping_suspect"), 1);
}

static void case_f(void)
{
    reset();
    const rift_skeleton sk = rig_build(rig_shaco, 8, &arena, &report);
    static const char *const names[] = {"head", "neck"};
    const rift_anm anm = tracks_of(names, 2);
    const rift_track_map m = map(&sk, &anm);
    static const int want[] = {-1, -1, -1, 1, 0, -1, -1, -1};
    check_map(&m, want, 8);
}

/* T12: the two head tracks swapped; |(0, -64.08, -1.58) - (0, 8, 2)| = 72.17, and the other way round. */
static void swapped_tracks_are_suspect(void)
{
    reset();
    const rift_skeleton sk = rig_build(rig_shaco, 8, &arena, &report);
    static const char *const names[] = {"head", "head"};
    rift_anm anm = tracks_of(names, 2);
    first_key(&anm, 0, 0, -64.08f, -1.58f);
    first_key(&anm, 1, 0, 8, 2);
    const rift_track_map m = map(&sk, &anm);
    static const int want[] = {-1, -1, -1, -1, 0, 1, -1, -1}; /* not changed by the suspicion */
    check_map(&m, want, 8);
    CHECK_U64(rift_report_count(&report, "track_mapping_suspect"), 2);
    const size_t last = report.entry_count - 1;
    CHECK(strcmp(report.entries[last]->code, "track_mapping_suspect") == 0);
    CHECK(strstr(report.entries[last]->examples[0].data, "72.17 u") != NULL);
    /* 9 u nearer is no suspicion. */
    rift_report_init(&report, &arena);
    first_key(&anm, 0, 0, -32.5f, 0);
    first_key(&anm, 1, 0, -28.04f, 0);
    (void)map(&sk, &anm);
    CHECK_U64(rift_report_count(&report, "track_mapping_suspect"), 0);
}

/* T7: the stub at every depth of a chain, the skinning joint at the end of another. */
static void depth_does_not_matter(void)
{
    for (int depth = 0; depth < 6; depth++) {
        reset();
        check_row("stub at depth %d", depth);
        rig_joint joints[9] = {
            {"Root", -1, {0, 0, 0}, false}, {"A", 0, {0, 0, 0}, true},    {"B", 1, {0, 0, 0}, true},
            {"C", 2, {0, 0, 0}, true},      {"Head", 3, {0, 1, 0}, true}, {"D", 3, {0, 0, 0}, false},
            {"E", 5, {0, 0, 0}, false},     {"F", 6, {0, 0, 0}, false},   {"head", 0, {0, 0, 0}, false}};
        static const int parents[] = {-1, 0, 1, 2, 5, 7};
        joints[8].parent = parents[depth];
        const rift_skeleton sk = rig_build(joints, 9, &arena, &report);
        static const char *const one[] = {"c", "head", "root"};
        const rift_anm anm = tracks_of(one, 3);
        const rift_track_map m = map(&sk, &anm);
        CHECK_I64(m.track_of_joint[4], 1);
        CHECK_I64(m.track_of_joint[8], -1);
    }
    check_row("%s", "");
}

static void fixture_1_hash_collision(void)
{
    reset();
    static const rig_joint joints[] = {{"Root", -1, {0, 0, 0}, false},
                                       {"A", 0, {0, 0, 0}, true},
                                       {"ebb", 0, {0, 0, 0}, false},
                                       {"ear", 1, {0, 0, 0}, true}};
    const rift_skeleton sk = rig_build(joints, 4, &arena, &report);
    static const char *const names[] = {"ebb"};
    const rift_anm anm = tracks_of(names, 1);
    const rift_track_map m = map(&sk, &anm);
    static const int want[] = {-1, -1, -1, 0};
    check_map(&m, want, 4);
}

static void fixture_2_two_skinning_joints(void)
{
    reset();
    static const rig_joint joints[] = {{"L_Hat", 5, {0, 0, 0}, true}, {"R", -1, {0, 0, 0}, false},
                                       {"A", 1, {0, 0, 0}, false},    {"B", 2, {0, 0, 0}, false},
                                       {"C", 3, {0, 0, 0}, false},    {"D", 4, {0, 0, 0}, false},
                                       {"l_hat", 2, {0, 0, 0}, true}};
    const rift_skeleton sk = rig_build(joints, 7, &arena, &report);
    static const char *const names[] = {"l_hat", "l_hat"};
    const rift_anm anm = tracks_of(names, 2);
    const rift_track_map m = map(&sk, &anm);
    static const int want[] = {1, -1, -1, -1, -1, -1, 0};
    check_map(&m, want, 7);
}

static void fixture_3_identical_names(void)
{
    reset();
    static const rig_joint joints[] = {{"R", -1, {0, 0, 0}, false},  {"A", 0, {0, 0, 0}, true},
                                       {"B", 1, {0, 0, 0}, true},    {"C", 2, {0, 0, 0}, true},
                                       {"Bone", 3, {0, 0, 0}, true}, {"D", 0, {0, 0, 0}, true},
                                       {"E", 0, {0, 0, 0}, true},    {"F", 0, {0, 0, 0}, true},
                                       {"G", 0, {0, 0, 0}, true},    {"Bone", 1, {0, 0, 0}, true}};
    const rift_skeleton sk = rig_build(joints, 10, &arena, &report);
    static const char *const names[] = {"bone"};
    const rift_anm anm = tracks_of(names, 1);
    const rift_track_map m = map(&sk, &anm);
    CHECK_I64(m.track_of_joint[9], 0); /* depth 2, before depth 4 */
    CHECK_I64(m.track_of_joint[4], -1);
    CHECK_STR(sk.joints[9].name, RIFT_STR("Bone__9"));
}

/* 300 joints, 40 of one hash, 39 tracks; every seventh of the 40 skins. */
static void fixture_4_many(void)
{
    reset();
    static rig_joint joints[300];
    static char names[300][16];
    for (int j = 0; j < 300; j++) {
        const bool common = j % 7 == 3 && j / 7 < 40;
        (void)snprintf(names[j], sizeof names[j], common ? "common" : "joint%d", j);
        joints[j] = (rig_joint){names[j], j == 0 ? -1 : (j - 1) / 2, {0, 0, 0}, j % 3 == 0};
    }
    const rift_skeleton sk = rig_build(joints, 300, &arena, NULL);
    static const char *tracks[39];
    for (size_t t = 0; t < 39; t++)
        tracks[t] = "common";
    const rift_anm anm = tracks_of(tracks, 39);
    const rift_track_map m = map(&sk, &anm);
    size_t mapped = 0;
    int last = -1;
    for (size_t j = 0; j < 300; j++)
        if (strcmp(names[j], "common") == 0 && m.track_of_joint[j] >= 0)
            mapped++;
        else if (strcmp(names[j], "common") == 0)
            last = (int)j;
    CHECK_U64(mapped, 39);
    /* The heap numbering is a breadth-first order and joint 276 skins, so the one left is 38 * 7 + 3. */
    CHECK_I64(last, 269);
    CHECK_U64(m.leftover_count, 0);
}

static void fixture_5_locators(void)
{
    reset();
    static const rig_joint joints[] = {{"Loc", 1, {0, 0, 0}, false},
                                       {"Mid", 2, {0, 0, 0}, true},
                                       {"Root", -1, {0, 0, 0}, true},
                                       {"loc", 2, {0, 0, 0}, false}};
    const rift_skeleton sk = rig_build(joints, 4, &arena, &report);
    static const char *const names[] = {"LOC", "root", "loc"};
    const rift_anm anm = tracks_of(names, 3);
    const rift_track_map m = map(&sk, &anm);
    static const int want[] = {2, -1, 1, 0}; /* walk order: 2, 1, 3, 0 */
    check_map(&m, want, 4);
}

/* Section 5, case 6: the rig of section 4 with its records reversed (id' = 7 - id). Reversal keeps levels, and the two heads stand in different ones. */
static void fixture_6_parents_later(void)
{
    reset();
    rig_joint joints[8];
    for (int j = 0; j < 8; j++) {
        joints[7 - j] = rig_shaco[j];
        joints[7 - j].parent = rig_shaco[j].parent < 0 ? -1 : 7 - rig_shaco[j].parent;
    }
    const rift_skeleton sk = rig_build(joints, 8, &arena, &report);
    static const char *const names[] = {"root", "head", "head", "spine", "neck"};
    const rift_anm anm = tracks_of(names, 5);
    const rift_track_map m = map(&sk, &anm);
    static const int want[] = {-1, -1, 2, 1, 4, 3, -1, 0};
    check_map(&m, want, 8);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static size_t walk_position(const rift_skeleton *sk, size_t joint)
{
    for (size_t i = 0; i < sk->joint_count; i++)
        if (sk->walk[i] == joint)
            return i;
    return SIZE_MAX;
}

/* T6: every unmatched track has no joint of its hash, or only joints with a track. T7: the first track of a hash with a skinning joint drives the first such joint of the walk. */
static void check_properties(const rift_skeleton *sk, const rift_anm *anm, const rift_track_map *m)
{
    bool used[64] = {false};
    size_t mapped = 0;
    for (size_t j = 0; j < sk->joint_count; j++) {
        const int32_t t = m->track_of_joint[j];
        if (t < 0)
            continue;
        mapped++;
        CHECK(!used[t]);
        used[t] = true;
        CHECK_U64(anm->tracks[t].hash, sk->joints[j].elf);
    }
    CHECK_U64(mapped, m->skinning_count + m->other_count);
    CHECK_U64(mapped + m->leftover_count, anm->track_count);
    for (size_t t = 0; t < anm->track_count; t++) {
        bool is_first = true;
        for (size_t u = 0; u < t; u++)
            is_first &= anm->tracks[u].hash != anm->tracks[t].hash;
        size_t best = SIZE_MAX;
        size_t best_at = SIZE_MAX;
        for (size_t j = 0; j < sk->joint_count; j++) {
            if (sk->joints[j].elf != anm->tracks[t].hash)
                continue;
            CHECK(used[t] || m->track_of_joint[j] >= 0);
            if (sk->joints[j].influences && walk_position(sk, j) < best_at) {
                best = j;
                best_at = walk_position(sk, j);
            }
        }
        if (is_first && best != SIZE_MAX)
            CHECK_I64(m->track_of_joint[best], t);
    }
}

static void properties_on_random_rigs(void)
{
    static const char *const pool[] = {"a", "A", "ear", "ebb", "hat", "hbd", "x", "y"};
    uint32_t seed = 7;
    for (int round = 0; round < 300; round++) {
        reset();
        check_row("round %d", round);
        rig_joint joints[40];
        const size_t n = 1 + next_random(&seed) % 40;
        for (size_t j = 0; j < n; j++)
            joints[j] = (rig_joint){pool[next_random(&seed) % 8],
                                    (int)(next_random(&seed) % (n + 1)) - 1, /* cycles too */
                                    {0, 0, 0},
                                    next_random(&seed) % 2 == 0};
        const rift_skeleton sk = rig_build(joints, n, &arena, NULL);
        const char *names[64];
        const size_t tracks = next_random(&seed) % 64;
        for (size_t t = 0; t < tracks; t++)
            names[t] = pool[next_random(&seed) % 8];
        const rift_anm anm = tracks_of(names, tracks);
        const rift_track_map m = map(&sk, &anm);
        check_properties(&sk, &anm, &m);
    }
    check_row("%s", "");
}

static void every_allocation_may_fail(void)
{
    rift_arena input;
    rift_arena_init(&input, 1024 * 1024);
    const rift_skeleton sk = rig_build(rig_shaco, 8, &input, NULL);
    uint64_t n = 1;
    for (; n < 100; n++) {
        reset();
        static const char *const names[] = {"head", "neck"};
        const rift_anm anm = tracks_of(names, 2);
        arena.fail_at = n;
        rift_track_map out = {.track_count = 77};
        rift_err err = check_err();
        if (rift_track_map_build(&out, &sk, &anm, &arena, NULL, &err))
            break;
        CHECK_CODE(&err, RIFT_ERR_NOMEM);
        CHECK_U64(out.track_count, 77);
    }
    CHECK(n > 4);
    CHECK(n < 100);
    rift_arena_release(&input);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(case_a);
    RUN(case_b);
    RUN(case_c);
    RUN(case_d);
    RUN(case_e);
    RUN(case_f);
    RUN(swapped_tracks_are_suspect);
    RUN(depth_does_not_matter);
    RUN(fixture_1_hash_collision);
    RUN(fixture_2_two_skinning_joints);
    RUN(fixture_3_identical_names);
    RUN(fixture_4_many);
    RUN(fixture_5_locators);
    RUN(fixture_6_parents_later);
    RUN(properties_on_random_rigs);
    RUN(every_allocation_may_fail);
    rift_arena_release(&arena);
    return check_finish();
}
