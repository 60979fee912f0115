#include "formats/skn.h"

#include "fixtures/fx_skn.h"
#include "minimal_models.h"
#include "support/check.h"

#define MINIMAL(bytes) ((rift_bytes){(bytes), sizeof(bytes)})
enum { ARENA_LIMIT = 64 * 1024 * 1024, TAB_SIZE = 12 };

static const fx_vertex triangle[] = {
    {.position = {0, 0, 0},
     .blend = {0, 1, 0, 0},
     .weights = {.75F, .25F, 0, 0},
     .normal = {0, 0, 1},
     .uv = {0, 1}},
    {.position = {2, 0, 0},
     .blend = {0, 1, 0, 0},
     .weights = {.75F, .25F, 0, 0},
     .normal = {0, 0, 1},
     .uv = {1, 1}},
    {.position = {0, 2, 0},
     .blend = {0, 1, 0, 0},
     .weights = {.75F, .25F, 0, 0},
     .normal = {0, 0, 1},
     .uv = {0, 0}},
};
static const uint32_t triangle_indices[] = {0, 1, 2};
static const fx_skn one_triangle = {
    .major = 4, .indices = triangle_indices, .index_count = 3, .vertices = triangle, .vertex_count = 3};

static struct {
    rift_arena arena;
    rift_report report;
    rift_err err;
    rift_skn skn;
} t;

/* Parses into t; every test starts with it and ends with done(). */
static bool parse(rift_bytes in)
{
    rift_arena_init(&t.arena, ARENA_LIMIT);
    rift_report_init(&t.report, &t.arena);
    t.err = check_err();
    return rift_skn_parse(&t.skn, in, &t.arena, &t.report, &t.err);
}

static void done(void)
{
    rift_arena_release(&t.arena);
}

static bool parse_only(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_report report;
    rift_report_init(&report, arena);
    rift_skn skn;
    return rift_skn_parse(&skn, in, arena, &report, err);
}

static void check_floats(const float *got, const float *want, size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK_NEAR((double)got[i], (double)want[i], 0);
}

static void minimal_files(void)
{
    static const struct {
        uint16_t major;
        rift_bytes file;
        rift_str name;
    } rows[] = {
        {0, {skn_v0, sizeof skn_v0}, {"Base", 4}},
        {1, {skn_v1, sizeof skn_v1}, {"Body", 4}},
        {2, {skn_v2, sizeof skn_v2}, {"Body", 4}},
        {4, {skn_v4, sizeof skn_v4}, {"Body", 4}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("version %u", rows[i].major);
        if (CHECK_OK(parse(rows[i].file), &t.err)) {
            CHECK_U64(t.skn.major, rows[i].major);
            CHECK_U64(t.skn.vertex_type, 0);
            CHECK_U64(t.skn.range_count, 1);
            CHECK_STR(t.skn.ranges[0].name, rows[i].name);
            CHECK_U64(t.skn.ranges[0].vertex_count, 3);
            CHECK_U64(t.skn.ranges[0].index_count, 3);
            CHECK_U64(t.skn.index_count, 3);
            CHECK_U64(t.skn.indices[2], 2);
            CHECK_U64(t.skn.vertex_count, 3);
            check_floats(t.skn.positions, (const float[]){0, 0, 0, 2, 0, 0, 0, 2, 0}, 9);
            CHECK_U64(t.skn.blend_indices[1], 1);
            check_floats(t.skn.blend_weights + 4, (const float[]){.75F, .25F, 0, 0}, 4);
            check_floats(t.skn.normals + 6, (const float[]){0, 0, 1}, 3);
            check_floats(t.skn.uvs, (const float[]){0, 1, 1, 1, 0, 0}, 6);
            CHECK(t.skn.colors == NULL && t.skn.tangents == NULL && !t.skn.direct_indices);
            CHECK_U64(t.report.entry_count, 0);
        }
        done();
        check_row("builder, version %u", rows[i].major);
        rift_arena_init(&t.arena, ARENA_LIMIT);
        fx_skn spec = one_triangle;
        spec.major = rows[i].major;
        CHECK_BYTES(fx_skn_write(&spec, &t.arena), rows[i].file);
        done();
    }
}

/* B060, B061: the stride follows the type; what stands behind it is still found. */
static void vertex_types(void)
{
    static const size_t sizes[] = {52, 56, 72, 104};
    fx_vertex vertices[3];
    memcpy(vertices, triangle, sizeof vertices);
    for (size_t i = 0; i < 3; i++) {
        const uint8_t color[4] = {10, 20, 30, (uint8_t)(40 + i)};
        memcpy(vertices[i].color, color, 4);
        const float tangent[4] = {1, 2, 3, -1};
        memcpy(vertices[i].tangent, tangent, sizeof tangent);
        for (size_t k = 0; k < 8; k++)
            vertices[i].more_uvs[k] = 99;
    }
    for (uint32_t type = 0; type < 4; type++) {
        check_row("type %u", type);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        fx_skn spec = one_triangle;
        spec.vertices = vertices;
        spec.vertex_type = type;
        const rift_bytes file = fx_skn_write(&spec, &arena);
        CHECK_U64(file.size, 326 + 3 * (sizes[type] - 52));
        if (CHECK_OK(parse(file), &t.err)) {
            CHECK_U64(t.skn.vertex_type, type);
            check_floats(t.skn.positions + 6, (const float[]){0, 2, 0}, 3);
            check_floats(t.skn.uvs + 4, (const float[]){0, 0}, 2);
            CHECK((t.skn.colors != NULL) == (type >= 1));
            CHECK((t.skn.tangents != NULL) == (type >= 2));
            if (t.skn.colors != NULL) {
                CHECK_BYTES(((rift_bytes){t.skn.colors + 8, 4}),
                            ((rift_bytes){(const uint8_t[]){10, 20, 30, 42}, 4}));
            }
            if (t.skn.tangents != NULL)
                check_floats(t.skn.tangents + 8, (const float[]){1, 2, 3, -1}, 4);
        }
        done();
        rift_arena_release(&arena);
    }
}

/* B007: flag bit 0 brings a block before the indices; the rest reads like its twin without. */
static void direct_indices(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    static const uint8_t block[] = {7, 9};
    fx_skn spec = one_triangle;
    spec.flags = RIFT_SKN_DIRECT_INDICES;
    spec.direct_block = block;
    spec.direct_block_size = sizeof block;
    const rift_bytes file = fx_skn_write(&spec, &arena);
    CHECK_U64(file.size, 326 + 4);
    if (CHECK_OK(parse(file), &t.err)) {
        CHECK(t.skn.direct_indices);
        CHECK_U64(t.skn.flags, 1);
        CHECK_U64(t.skn.blend_indices[1], 1);
        check_floats(t.skn.positions, (const float[]){0, 0, 0, 2, 0, 0, 0, 2, 0}, 9);
    }
    done();
    rift_arena_release(&arena);
}

/* Two triangles in two ranges, six vertices. */
static const fx_range two_ranges[] = {{"Body", 0, 3, 0, 3}, {"Hat", 3, 3, 3, 3}};
static const uint32_t two_indices[] = {0, 1, 2, 5, 4, 3};

static rift_bytes two_triangles(rift_arena *arena, fx_skn spec)
{
    fx_vertex vertices[6];
    for (size_t i = 0; i < 6; i++)
        vertices[i] = triangle[i % 3];
    spec.major = 4;
    spec.ranges = two_ranges;
    spec.range_count = 2;
    spec.indices = two_indices;
    spec.index_count = 6;
    spec.vertices = vertices;
    spec.vertex_count = 6;
    return fx_skn_write(&spec, arena);
}

/* B062, decisions 27 and 35: whatever the file says, what comes out is absolute. */
static void relative_indices(void)
{
    static const struct {
        const char *name;
        fx_skn spec;
        uint64_t guessed;
    } rows[] = {
        {"absolute", {0}, 0},
        {"flag bit 1", {.flags = RIFT_SKN_RELATIVE_INDICES}, 0},
        {"relative without the flag", {.relative = true}, 1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        if (CHECK_OK(parse(two_triangles(&arena, rows[i].spec)), &t.err)) {
            CHECK_U64(t.skn.index_count, 6);
            for (size_t k = 0; k < 6 && k < t.skn.index_count; k++)
                CHECK_U64(t.skn.indices[k], two_indices[k]);
            CHECK_U64(rift_report_count(&t.report, "range_relative_indices"), rows[i].guessed);
        }
        done();
        rift_arena_release(&arena);
    }
}

/* B076: with relative indices the vertices may outnumber what a u16 can count. */
static void beyond_16_bits(void)
{
    enum { HALF = 40000 };
    static const fx_range ranges[] = {{"Body", 0, HALF, 0, 3}, {"Hat", HALF, HALF, 3, 3}};
    static const uint32_t indices[] = {0, 1, HALF - 1, HALF, HALF + 1, 2 * HALF - 1};
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    fx_vertex *vertices = RIFT_NEW(&arena, fx_vertex, (size_t)2 * HALF);
    vertices[2 * HALF - 1].position[0] = 7;
    const fx_skn spec = {
        .major = 4,
        .flags = RIFT_SKN_RELATIVE_INDICES,
        .ranges = ranges,
        .range_count = 2,
        .indices = indices,
        .index_count = 6,
        .vertices = vertices,
        .vertex_count = (size_t)2 * HALF,
    };
    if (CHECK_OK(parse(fx_skn_write(&spec, &arena)), &t.err) && CHECK(t.skn.index_count == 6)) {
        CHECK_U64(t.skn.indices[2], 39999);
        CHECK_U64(t.skn.indices[3], 40000);
        CHECK_U64(t.skn.indices[5], 79999);
        CHECK_NEAR((double)t.skn.positions[239997], 7, 0);
        CHECK_U64(t.report.entry_count, 0);
    }
    done();
    rift_arena_release(&arena);
}

/* A range that reaches into its neighbour is left alone: one index is too large to be relative. */
static void not_relative(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    const rift_bytes file = two_triangles(&arena, (fx_skn){0});
    /* Indices stand at 12 + 2 * 80 + 4 + 8 + 8 + 40 = 232: the second triangle becomes 0, 4, 3. */
    if (CHECK_OK(parse(fx_patched_u16(&arena, file, 232 + 6, 0)), &t.err)) {
        CHECK_U64(t.skn.indices[3], 0);
        CHECK_U64(t.skn.indices[4], 4);
        CHECK_U64(rift_report_count(&t.report, "range_relative_indices"), 0);
    }
    done();
    rift_arena_release(&arena);
}

enum { RANGE_1 = 12 + 80 }; /* offset of the second range */

static void damaged_ranges(void)
{
    static const struct {
        const char *name;
        size_t offset;
        uint32_t value;
        const char *code;
        size_t ranges, indices;
    } rows[] = {
        {"vertices past the end", RANGE_1 + 68, 4, "skn_range_outside", 1, 3},
        {"vertex start past the end", RANGE_1 + 64, UINT32_MAX, "skn_range_outside", 1, 3},
        {"indices past the end", RANGE_1 + 76, 6, "skn_range_outside", 1, 3},
        {"index start past the end", RANGE_1 + 72, 4, "skn_range_outside", 1, 3},
        {"more indices than there are", 12 + 76, 6, "skn_range_overlap", 1, 6},
        {"two indices only", RANGE_1 + 76, 2, "skn_partial_triangle", 2, 3},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        const rift_bytes file = two_triangles(&arena, (fx_skn){0});
        if (CHECK_OK(parse(fx_patched_u32(&arena, file, rows[i].offset, rows[i].value)), &t.err)) {
            CHECK_U64(rift_report_count(&t.report, rows[i].code), 1);
            CHECK_U64(t.skn.range_count, rows[i].ranges);
            CHECK_U64(t.skn.index_count, rows[i].indices);
            CHECK_STR(t.skn.ranges[0].name, RIFT_STR("Body"));
        }
        done();
        rift_arena_release(&arena);
    }
}

/* B065: triangles with a broken corner go, the others stay, counts agree. */
static void bad_triangles(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    const rift_bytes file = two_triangles(&arena, (fx_skn){0});
    const rift_bytes index = fx_patched_u16(&arena, file, 232 + 2, 6);
    const rift_bytes nan = fx_patched_f32(&arena, file, 232 + 12 + 52 + 4, NAN);
    const rift_bytes unused = fx_patched_u16(&arena, nan, 232 + 2, 0); /* vertex 1 is in no triangle now */
    const struct {
        const char *name;
        rift_bytes file;
        uint64_t bad;
        size_t indices;
    } rows[] = {
        {"index past the vertices", index, 1, 3},
        {"position NaN", nan, 1, 3},
        {"position NaN, unused", unused, 0, 6},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        if (CHECK_OK(parse(rows[i].file), &t.err)) {
            CHECK_U64(rift_report_count(&t.report, "skn_bad_triangle"), rows[i].bad);
            CHECK_U64(t.skn.index_count, rows[i].indices);
            CHECK_U64(t.skn.ranges[0].index_count, rows[i].indices - 3);
            CHECK_U64(t.skn.ranges[1].index_start, rows[i].indices - 3);
            CHECK_U64(t.skn.indices[rows[i].indices - 3], 5);
        }
        done();
    }
    rift_arena_release(&arena);
}

static void refusals(void)
{
    enum { U16, U32 };
    static const struct {
        const char *name;
        int kind;
        size_t patch;
        uint32_t value;
        rift_status code;
        uint64_t offset;
    } rows[] = {
        {"magic", U32, 0, 0x00112234, RIFT_ERR_FORMAT, 0},
        {"version 3", U16, 4, 3, RIFT_ERR_UNSUPPORTED, 4},
        {"version 5", U16, 4, 5, RIFT_ERR_UNSUPPORTED, 4},
        {"minor 0", U16, 6, 0, RIFT_ERR_UNSUPPORTED, 6},
        {"minor 2", U16, 6, 2, RIFT_ERR_UNSUPPORTED, 6},
        {"ranges over the limit", U32, 8, RIFT_SKN_MAX_RANGES + 1, RIFT_ERR_LIMIT, 8},
        {"ranges past the end", U32, 8, 4, RIFT_ERR_TRUNCATED, 8},
        {"index count past the end", U32, 96, 0xFFFFFFFF, RIFT_ERR_TRUNCATED, 96},
        {"vertex count past the end", U32, 100, 4, RIFT_ERR_TRUNCATED, 100},
        {"4 G vertices in 326 bytes (B075)", U32, 100, 0xFFFFFFFF, RIFT_ERR_TRUNCATED, 100},
        {"vertex size of another type", U32, 104, 56, RIFT_ERR_FORMAT, 104},
        {"vertex type 4 (B074)", U32, 108, 4, RIFT_ERR_UNSUPPORTED, 108},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        const rift_bytes good = MINIMAL(skn_v4);
        const rift_bytes file = rows[i].kind == U16
                                    ? fx_patched_u16(&arena, good, rows[i].patch, (uint16_t)rows[i].value)
                                    : fx_patched_u32(&arena, good, rows[i].patch, rows[i].value);
        t.skn = (rift_skn){.major = 77};
        CHECK(!parse(file));
        CHECK_CODE(&t.err, rows[i].code);
        CHECK_U64(t.err.offset, rows[i].offset);
        CHECK_U64(t.skn.major, 77); /* untouched */
        done();
        rift_arena_release(&arena);
    }
}

static void odd_but_readable(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    check_row("no tab");
    CHECK_OK(parse((rift_bytes){skn_v4, sizeof skn_v4 - TAB_SIZE}), &t.err);
    done();
    check_row("unknown flag");
    CHECK_OK(parse(fx_patched_u32(&arena, MINIMAL(skn_v4), 92, 8)), &t.err);
    CHECK_U64(rift_report_count(&t.report, "skn_unknown_flags"), 1);
    CHECK_U64(t.skn.flags, 8);
    done();
    check_row("index count 4: one triangle and a rest");
    fx_skn spec = one_triangle;
    static const uint32_t four[] = {0, 1, 2, 0};
    spec.indices = four;
    spec.index_count = 4;
    CHECK_OK(parse(fx_skn_write(&spec, &arena)), &t.err);
    CHECK_U64(rift_report_count(&t.report, "skn_partial_triangle"), 1);
    CHECK_U64(t.skn.index_count, 3);
    done();
    check_row("name of 64 bytes");
    const fx_range range = {"0123456789012345678901234567890123456789012345678901234567890123", 0, 3, 0, 3};
    spec = one_triangle;
    spec.ranges = &range;
    spec.range_count = 1;
    CHECK_OK(parse(fx_skn_write(&spec, &arena)), &t.err);
    CHECK_U64(t.skn.ranges[0].name.size, 64);
    done();
    rift_arena_release(&arena);
}

static void robustness(void)
{
    const rift_bytes files[] = {MINIMAL(skn_v0), MINIMAL(skn_v1), MINIMAL(skn_v2), MINIMAL(skn_v4)};
    for (size_t i = 0; i < RIFT_COUNT(files); i++) {
        /* The tab is not needed, so a file without it is no proper prefix. */
        const size_t needed = files[i].size - (i >= 2 ? TAB_SIZE : 0);
        check_prefixes(parse_only, (rift_bytes){files[i].data, needed}, 0, RIFT_ERR_TRUNCATED);
        check_allocations(parse_only, files[i]);
        check_every_byte(parse_only, files[i]);
    }
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    check_every_byte(parse_only, two_triangles(&arena, (fx_skn){.relative = true}));
    rift_arena_release(&arena);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(minimal_files);
    RUN(vertex_types);
    RUN(direct_indices);
    RUN(relative_indices);
    RUN(beyond_16_bits);
    RUN(not_relative);
    RUN(damaged_ranges);
    RUN(bad_triangles);
    RUN(refusals);
    RUN(odd_but_readable);
    RUN(robustness);
    return check_finish();
}
