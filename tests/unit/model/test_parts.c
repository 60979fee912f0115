/* Parts of a mesh: G21, G24, G25, G27. */
#include "model/scene.h"

#include "base/str.h"
#include "model/rig.h"
#include "support/check.h"

static rift_arena arena;
static rift_report report;
static rift_part *parts;
static size_t part_count;

static void reset(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 256 * 1024 * 1024);
    rift_report_init(&report, &arena);
    parts = NULL;
    part_count = 0;
}

/* A grid of vertices in the plane z = 0, normal +z, whole weight on blend index 0. */
static rift_skn grid(size_t vertex_count, size_t index_count, size_t range_count)
{
    rift_skn skn = {.vertex_count = vertex_count, .index_count = index_count, .range_count = range_count};
    skn.positions = RIFT_NEW(&arena, float, 3 * vertex_count);
    skn.normals = RIFT_NEW(&arena, float, 3 * vertex_count);
    skn.uvs = RIFT_NEW(&arena, float, 2 * vertex_count);
    skn.blend_indices = RIFT_NEW(&arena, uint8_t, 4 * vertex_count);
    skn.blend_weights = RIFT_NEW(&arena, float, 4 * vertex_count);
    skn.indices = RIFT_NEW(&arena, uint32_t, index_count);
    skn.ranges = RIFT_NEW(&arena, rift_skn_range, range_count);
    for (size_t v = 0; v < vertex_count; v++) {
        skn.positions[3 * v] = (float)(v % 2);
        skn.positions[3 * v + 1] = (float)(v / 2);
        skn.normals[3 * v + 2] = 1;
        skn.blend_weights[4 * v] = 1;
    }
    return skn;
}

static rift_skn triangles(const uint32_t *indices, size_t index_count, size_t vertex_count)
{
    rift_skn skn = grid(vertex_count, index_count, 1);
    memcpy(skn.indices, indices, index_count * sizeof *indices);
    skn.ranges[0] = (rift_skn_range){.name = RIFT_STR("Body"), .index_count = (uint32_t)index_count};
    return skn;
}

static void build_with(const rift_skn *skn, const rift_skeleton *sk, rift_part_opts opts)
{
    rift_err err = check_err();
    CHECK_OK(rift_parts_build(&parts, &part_count, skn, sk, &opts, &arena, &report, &err), &err);
}

static void build(const rift_skn *skn, const rift_skeleton *sk)
{
    build_with(skn, sk, (rift_part_opts){0});
}

/* --- G25 -------------------------------------------------------------------------------------------------------- */

typedef struct weight_row {
    const char *name;
    uint8_t blend[4];
    float weights[4];
    uint16_t joints[4];
    double want[4]; /* -1: whatever the sum leaves */
    unsigned outside, invalid, all_zero;
} weight_row;

static const rig_joint three[] = {
    {"A", -1, {0, 0, 0}, true}, {"B", 0, {0, 0, 0}, true}, {"C", 1, {0, 0, 0}, true}};

static void check_weights(const weight_row *row, const rift_skeleton *sk, bool direct)
{
    static const uint32_t indices[] = {0, 1, 2};
    rift_skn skn = triangles(indices, 3, 3);
    skn.direct_indices = direct;
    memcpy(skn.blend_indices, row->blend, 4);
    memcpy(skn.blend_weights, row->weights, sizeof row->weights);
    rift_report_init(&report, &arena);
    build(&skn, sk);
    check_row("%s", row->name);
    if (part_count != 1) {
        CHECK_U64(part_count, 1);
        return;
    }
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        CHECK_U64(parts[0].joints[k], row->joints[k]);
        CHECK_NEAR((double)parts[0].weights[k], row->want[k], 6e-8);
        sum += (double)parts[0].weights[k];
    }
    CHECK_NEAR(sum, 1, 1e-7);
    CHECK_U64(rift_report_count(&report, "weight_index_outside"), row->outside);
    CHECK_U64(rift_report_count(&report, "weight_not_valid"), row->invalid);
    CHECK_U64(rift_report_count(&report, "weights_all_zero"), row->all_zero);
    check_row("%s", "");
}

/* The influence list is [2, 0]: blend index 0 is joint 2 (B006). */
static void weights_table(void)
{
    reset();
    rift_skl skl = rig_skl(three, 3, &arena);
    skl.influences[0] = 2;
    skl.influences[1] = 0;
    skl.influence_count = 2;
    rift_skeleton sk = {0};
    rift_err err = check_err();
    CHECK_OK(rift_skeleton_build(&sk, &skl, NULL, &arena, NULL, &err), &err);
    static const weight_row rows[] = {
        {"B006: index into the list",
         {0, 1, 0, 0},
         {0.75f, 0.25f, 0, 0},
         {2, 0, 0, 0},
         {0.75, 0.25, 0, 0},
         0,
         0,
         0},
        {"B130: 0.3 thrice over two joints",
         {0, 1, 0, 0},
         {0.3f, 0.3f, 0.3f, 0},
         {2, 0, 0, 0},
         {2.0 / 3, 1.0 / 3, 0, 0},
         0,
         0,
         0},
        {"B131: no weight at all", {1, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 0, 0, 0}, 0, 0, 1},
        {"no weight, first slot outside", {9, 0, 0, 0}, {0, 0, 0, 0}, {2, 0, 0, 0}, {1, 0, 0, 0}, 0, 0, 1},
        {"no weight, all slots outside", {9, 9, 9, 9}, {0, 0, 0, 0}, {2, 0, 0, 0}, {1, 0, 0, 0}, 0, 0, 1},
        {"all weight outside", {9, 9, 9, 9}, {1, 0, 0, 0}, {2, 0, 0, 0}, {1, 0, 0, 0}, 1, 0, 1},
        {"B132: merged into the first slot",
         {0, 0, 1, 0},
         {0.25f, 0.25f, 0.25f, 0.25f},
         {2, 0, 0, 0},
         {0.75, 0, 0.25, 0},
         0,
         0,
         0},
        {"B009: unused slots name anything",
         {0, 250, 9, 9},
         {1, 0, 0, 0},
         {2, 0, 0, 0},
         {1, 0, 0, 0},
         0,
         0,
         0},
        {"an outside weight is dropped",
         {0, 2, 0, 0},
         {0.5f, 0.5f, 0, 0},
         {2, 0, 0, 0},
         {1, 0, 0, 0},
         1,
         0,
         0},
        {"negative and NaN", {0, 1, 1, 0}, {0.5f, -0.5f, NAN, 0}, {2, 0, 0, 0}, {1, 0, 0, 0}, 0, 2, 0},
        {"infinite", {0, 1, 0, 0}, {INFINITY, 0.5f, 0, 0}, {0, 0, 0, 0}, {0, 1, 0, 0}, 0, 1, 0},
        {"negative before merging, not after",
         {0, 0, 1, 1},
         {1, -1, 1, 0},
         {2, 0, 0, 0},
         {0.5, 0, 0.5, 0},
         0,
         1,
         0},
        {"first weight 0", {0, 1, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}, {0, 1, 0, 0}, 0, 0, 0},
        {"huge", {0, 1, 0, 0}, {3e38f, 3e38f, 0, 0}, {2, 0, 0, 0}, {0.5, 0.5, 0, 0}, 0, 0, 0},
        {"tiny beside one: rounds to 0, so joint 0",
         {1, 0, 0, 0},
         {1, 1e-45f, 0, 0},
         {0, 2, 0, 0},
         {1, 0, 0, 0},
         0,
         0,
         0},
        {"sum of thirds", {0, 1, 0, 0}, {1, 2, 0, 0}, {2, 0, 0, 0}, {1.0 / 3, 2.0 / 3, 0, 0}, 0, 0, 0},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++)
        check_weights(&rows[i], &sk, false);
    static const weight_row direct[] = {
        {"B007: index is the joint",
         {0, 1, 2, 0},
         {0.5f, 0.25f, 0.25f, 0},
         {0, 1, 2, 0},
         {0.5, 0.25, 0.25, 0},
         0,
         0,
         0},
        {"direct, outside", {3, 1, 0, 0}, {0.5f, 0.5f, 0, 0}, {0, 1, 0, 0}, {0, 1, 0, 0}, 1, 0, 0},
    };
    for (size_t i = 0; i < RIFT_COUNT(direct); i++)
        check_weights(&direct[i], &sk, true);
}

/* The sum in double precision, over many vertices; the rest of the bound is the test's own arithmetic. */
static void weights_add_up(void)
{
    reset();
    static const rig_joint four[] = {{"A", -1, {0, 0, 0}, true},
                                     {"B", 0, {0, 0, 0}, true},
                                     {"C", 1, {0, 0, 0}, true},
                                     {"D", 1, {0, 0, 0}, true}};
    const rift_skeleton sk = rig_build(four, 4, &arena, NULL);
    enum { N = 3000 };
    rift_skn skn = grid(N, 3 * (N - 2), 1);
    skn.ranges[0] = (rift_skn_range){.name = RIFT_STR("Body"), .index_count = 3 * (N - 2)};
    for (uint32_t i = 0; i + 2 < N; i++)
        for (uint32_t k = 0; k < 3; k++)
            skn.indices[3 * i + k] = i + k;
    uint32_t seed = 1;
    for (size_t i = 0; i < 4 * (size_t)N; i++) {
        seed = seed * 1664525u + 1013904223u;
        skn.blend_indices[i] = (uint8_t)(i % 4);
        skn.blend_weights[i] = (float)(seed >> 8) / 16777216.0f * (seed % 7 == 0 ? 1e-6f : 1);
    }
    build(&skn, &sk);
    CHECK_U64(part_count, 1);
    double worst = 0;
    double ratio = 0;
    for (size_t v = 0; part_count == 1 && v < N; v++) {
        double sum = 0;
        double source = 0;
        for (size_t k = 4 * v; k < 4 * v + 4; k++) {
            sum += (double)parts[0].weights[k];
            source += (double)skn.blend_weights[k];
        }
        worst = fmax(worst, fabs(sum - 1));
        for (size_t k = 4 * v; k < 4 * v + 4; k++)
            ratio = fmax(ratio, fabs((double)parts[0].weights[k] - (double)skn.blend_weights[k] / source));
    }
    CHECK_NEAR(worst, 0, 1e-7);
    CHECK_NEAR(ratio, 0, 1.2e-7);
}

/* --- G21 -------------------------------------------------------------------------------------------------------- */

static void slices_and_rebases(void)
{
    reset();
    rift_skn skn = grid(20, 12, 3);
    static const uint32_t indices[] = {9, 5, 7, 7, 8, 9, 0, 1, 2, 2, 1, 3};
    memcpy(skn.indices, indices, sizeof indices);
    /* The table's vertex spans lie; only the indices count. */
    skn.ranges[0] = (rift_skn_range){RIFT_STR("A"), 0, 20, 0, 6};
    skn.ranges[1] = (rift_skn_range){RIFT_STR("B"), 15, 2, 6, 6};
    skn.ranges[2] = (rift_skn_range){RIFT_STR("C"), 0, 3, 12, 3}; /* past the indices */
    build(&skn, NULL);
    CHECK_U64(part_count, 2);
    CHECK_U64(rift_report_count(&report, "empty_submesh"), 1);
    if (part_count != 2)
        return;
    static const uint32_t want[] = {4, 0, 2, 2, 3, 4};
    CHECK_U64(parts[0].vertex_count, 5);
    CHECK_U64(parts[0].index_count, 6);
    for (size_t i = 0; i < 6; i++)
        CHECK_U64(parts[0].indices[i], want[i]);
    CHECK_NEAR((double)parts[0].positions[1], 2, 0); /* vertex 5 is (1, 2) */
    CHECK_U64(parts[1].vertex_count, 4);
    CHECK_U64(parts[1].range, 1);
    CHECK(parts[0].joints == NULL && parts[0].weights == NULL);
}

/* B076: two ranges of 40 000 vertices each stay below 65 536. */
static void large_meshes_slice_per_range(void)
{
    reset();
    enum { HALF = 40000 };
    rift_skn skn = grid(2 * HALF, 6 * (size_t)(HALF - 2), 2);
    for (uint32_t r = 0; r < 2; r++) {
        const uint32_t start = r * 3 * (HALF - 2);
        for (uint32_t i = 0; i < 3 * (HALF - 2); i++)
            skn.indices[start + i] = r * HALF + i / 3 + i % 3;
        skn.ranges[r] =
            (rift_skn_range){r == 0 ? RIFT_STR("One") : RIFT_STR("Two"), 0, 0, start, 3 * (HALF - 2)};
    }
    build(&skn, NULL);
    CHECK_U64(part_count, 2);
    for (size_t p = 0; p < part_count; p++) {
        CHECK_U64(parts[p].vertex_count, HALF);
        CHECK_U64(parts[p].index_count, 3 * (HALF - 2));
        CHECK_U64(parts[p].indices[3], 1);
    }
    if (part_count == 2)
        CHECK_NEAR((double)parts[1].positions[1], HALF / 2, 0);
}

static void bad_triangles_are_dropped(void)
{
    reset();
    static const uint32_t indices[] = {0, 1, 2, 3, 3, 4, 5, 6, 99, 7, 8, 9, 2, 1, 4};
    rift_skn skn = triangles(indices, 15, 10);
    skn.positions[3 * 8] = NAN;
    skn.positions[3 * 3 + 1] = NAN; /* inside the slice, used by a dropped triangle only */
    build(&skn, NULL);
    CHECK_U64(part_count, 1);
    if (part_count != 1)
        return;
    CHECK_U64(parts[0].index_count, 6);
    CHECK_U64(parts[0].vertex_count, 5);
    CHECK_U64(rift_report_count(&report, "bad_triangle"), 3); /* NaN, past the vertices, NaN */
    CHECK_U64(rift_report_count(&report, "degenerate_triangle"), 0);
    CHECK_U64(rift_report_count(&report, "position_not_finite"), 1);
    for (size_t i = 0; i < 15; i++)
        CHECK(isfinite(parts[0].positions[i]));
    reset();
    static const uint32_t repeated[] = {0, 1, 1, 2, 2, 2, 4, 3, 4};
    skn = triangles(repeated, 9, 5);
    build(&skn, NULL);
    CHECK_U64(part_count, 0);
    CHECK_U64(rift_report_count(&report, "degenerate_triangle"), 3);
    CHECK_U64(rift_report_count(&report, "empty_submesh"), 1);
}

static void names_of_parts(void)
{
    reset();
    rift_skn skn = grid(3, 3, 5);
    skn.indices[1] = 1;
    skn.indices[2] = 2;
    static const char *const names[] = {"Body", "body", "Body", "", "a\nb"};
    for (size_t r = 0; r < 5; r++)
        skn.ranges[r] = (rift_skn_range){{names[r], strlen(names[r])}, 0, 3, 0, 3};
    build(&skn, NULL);
    CHECK_U64(part_count, 5);
    if (part_count != 5)
        return;
    CHECK_STR(parts[0].name, RIFT_STR("Body"));
    CHECK_STR(parts[1].name, RIFT_STR("body"));
    CHECK_STR(parts[2].name, RIFT_STR("Body__2"));
    CHECK_STR(parts[2].source_name, RIFT_STR("Body"));
    CHECK_STR(parts[3].name, RIFT_STR("submesh_3"));
    CHECK_STR(parts[4].name, RIFT_STR("a_b"));
    CHECK_U64(rift_report_count(&report, "part_name_repeated"), 1);
    CHECK_U64(rift_report_count(&report, "part_name_changed"), 1);
}

/* Joints keep their names: loaders bind clips by them. "Root__1" is a joint too, so the part that would be called so moves
 * on. */
static void parts_called_like_joints(void)
{
    static const rig_joint joints[] = {
        {"Root", -1, {0}, true}, {"Root__1", 0, {0}, false}, {"Hat", 0, {0}, false}};
    static const char *const names[] = {"Body", "Root", "hat", "lux-7"};
    static const char *const want[] = {"Body", "Root__1__1", "hat", "lux-7__3"};
    reset();
    rift_arena rigs;
    rift_arena_init(&rigs, 1024 * 1024);
    const rift_skeleton sk = rig_build(joints, 3, &rigs, NULL);
    rift_skn skn = grid(3, 3, 4);
    for (size_t r = 0; r < 4; r++)
        skn.ranges[r] = (rift_skn_range){{names[r], strlen(names[r])}, 0, 3, 0, 3};
    skn.indices[1] = 1;
    skn.indices[2] = 2;
    build_with(&skn, &sk, (rift_part_opts){.node_name = RIFT_STR("lux-7")});
    CHECK_U64(part_count, 4);
    for (size_t i = 0; i < part_count && i < 4; i++) {
        CHECK_STR(parts[i].name, rift_str_c(want[i]));
        CHECK_STR(parts[i].source_name, rift_str_c(names[i]));
    }
    CHECK_U64(rift_report_count(&report, "part_name_repeated"), 2);
    rift_arena_release(&rigs);
}

/* --- G24, G27 --------------------------------------------------------------------------------------------------- */

/* Vertex 0 belongs to a triangle of area 2 with normal +z and one of area 0.5 with normal +x: (0.5, 0, 2) before normalising. */
static void normals_are_rebuilt(void)
{
    reset();
    static const uint32_t indices[] = {0, 1, 2, 0, 3, 4};
    rift_skn skn = triangles(indices, 6, 6);
    static const float positions[] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 1, 9, 9, 9};
    memcpy(skn.positions, positions, sizeof positions);
    skn.normals[2] = 0;
    skn.normals[3 * 1 + 1] = NAN;
    skn.normals[3 * 2 + 2] = 1e-7f;
    skn.normals[3 * 3 + 2] = 30; /* not unit: normalised, not rebuilt */
    skn.normals[3 * 4 + 2] = 2e-6f;
    build(&skn, NULL);
    CHECK_U64(part_count, 1);
    if (part_count != 1)
        return;
    const double n = sqrt(0.25 + 4);
    CHECK_NEAR((double)parts[0].normals[0], 0.5 / n, 1e-6);
    CHECK_NEAR((double)parts[0].normals[1], 0, 1e-6);
    CHECK_NEAR((double)parts[0].normals[2], 2 / n, 1e-6);
    for (size_t v = 1; v < 5; v++) {
        check_row("vertex %zu", v);
        CHECK_NEAR((double)parts[0].normals[3 * v + 2], 1, 1e-6);
    }
    check_row("%s", "");
    CHECK_U64(rift_report_count(&report, "normals_rebuilt"), 3);
    reset();
    static const uint32_t flat[] = {0, 1, 2};
    skn = triangles(flat, 3, 3);
    memset(skn.positions, 0, 9 * sizeof(float));
    memset(skn.normals, 0, 9 * sizeof(float));
    build(&skn, NULL);
    CHECK_NEAR((double)parts[0].normals[1], 1, 0); /* no area: +y */
}

static void uvs_colours_and_tangents(void)
{
    reset();
    static const uint32_t indices[] = {1, 2, 3};
    rift_skn skn = triangles(indices, 3, 4);
    static const float uvs[] = {0, 0, -0.25f, 1.5f, NAN, 0.5f, INFINITY, 7};
    memcpy(skn.uvs, uvs, sizeof uvs);
    uint8_t colors[16];
    for (size_t i = 0; i < 16; i++)
        colors[i] = (uint8_t)i;
    float tangents[] = {1, 0, 0, 1, 0, 2, 0, -0.5f, 0, 0, 0, 1, NAN, 0, 0, NAN};
    skn.colors = colors;
    skn.tangents = tangents;
    build(&skn, NULL);
    CHECK(parts[0].colors == NULL && parts[0].tangents == NULL);
    reset();
    skn = triangles(indices, 3, 4);
    memcpy(skn.uvs, uvs, sizeof uvs);
    skn.colors = colors;
    skn.tangents = tangents;
    build_with(&skn, NULL, (rift_part_opts){.keep_colors = true, .keep_tangents = true});
    static const double want[] = {-0.25, 1.5, 0, 0.5, 0, 7}; /* unflipped, B067 */
    for (size_t i = 0; i < 6; i++)
        CHECK_NEAR((double)parts[0].uvs[i], want[i], 0);
    CHECK_U64(rift_report_count(&report, "uv_not_finite"), 2);
    CHECK_U64(parts[0].colors[0], 4);
    CHECK_U64(parts[0].colors[11], 15);
    CHECK_NEAR((double)parts[0].tangents[1], 1, 0);
    CHECK_NEAR((double)parts[0].tangents[3], -1, 0);
    for (size_t v = 1; v < 3; v++) { /* any direction at a right angle to +z */
        CHECK_NEAR((double)parts[0].tangents[4 * v + 2], 0, 1e-6);
        CHECK_NEAR(hypot((double)parts[0].tangents[4 * v], (double)parts[0].tangents[4 * v + 1]), 1, 1e-6);
        CHECK_NEAR((double)parts[0].tangents[4 * v + 3], 1, 0);
    }
}

static void every_allocation_may_fail(void)
{
    rift_arena input;
    rift_arena_init(&input, 1024 * 1024);
    const rift_skeleton sk = rig_build(three, 3, &input, NULL);
    static const uint32_t indices[] = {0, 1, 2, 2, 1, 3};
    uint64_t n = 1;
    for (; n < 1000; n++) {
        reset();
        rift_skn skn = triangles(indices, 6, 4);
        skn.normals[2] = 0;
        skn.ranges[0].name = RIFT_STR("a\xff\n");
        arena.fail_at = n;
        rift_part *out = NULL;
        size_t count = 77;
        rift_err err = check_err();
        const rift_part_opts opts = {0};
        if (rift_parts_build(&out, &count, &skn, &sk, &opts, &arena, NULL, &err))
            break;
        check_row("allocation %u", (unsigned)n);
        CHECK_CODE(&err, RIFT_ERR_NOMEM);
        CHECK(out == NULL && count == 77);
    }
    check_row("%s", "");
    CHECK(n > 8);
    CHECK(n < 1000);
    rift_arena_release(&input);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(weights_table);
    RUN(weights_add_up);
    RUN(slices_and_rebases);
    RUN(large_meshes_slice_per_range);
    RUN(bad_triangles_are_dropped);
    RUN(names_of_parts);
    RUN(parts_called_like_joints);
    RUN(normals_are_rebuilt);
    RUN(uvs_colours_and_tangents);
    RUN(every_allocation_may_fail);
    rift_arena_release(&arena);
    return check_finish();
}
