#include "formats/scb.h"

#include "fixtures/fx_scb.h"
#include "minimal_models.h"
#include "support/check.h"

#define MINIMAL(bytes) ((rift_bytes){(bytes), sizeof(bytes)})
enum { ARENA_LIMIT = 64 * 1024 * 1024, CORNER_COLORS = 9 };

static const float positions[][3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};
static const fx_face one_face[] = {{{0, 1, 2}, "Stone", {{0, 1}, {1, 1}, {0, 0}}}};

static struct {
    rift_arena arena;
    rift_report report;
    rift_err err;
    rift_scb scb;
} t;

static bool parse(rift_bytes in)
{
    rift_arena_init(&t.arena, ARENA_LIMIT);
    rift_report_init(&t.report, &t.arena);
    t.err = check_err();
    return rift_scb_parse(&t.scb, in, &t.arena, &t.report, &t.err);
}

static void done(void)
{
    rift_arena_release(&t.arena);
}

static bool parse_only(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_report report;
    rift_report_init(&report, arena);
    rift_scb scb;
    return rift_scb_parse(&scb, in, arena, &report, err);
}

static void minimal_files(void)
{
    const struct {
        rift_bytes file;
        fx_scb spec;
    } rows[] = {
        {MINIMAL(scb_v32), {.major = 3, .minor = 2, .flags = 2}},
        {MINIMAL(scb_v32_colors), {.major = 3, .minor = 2, .flags = 2, .colors = true}},
        {MINIMAL(scb_v22), {.major = 2, .minor = 2, .flags = 1}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%u.%u, %zu bytes", rows[i].spec.major, rows[i].spec.minor, rows[i].file.size);
        if (CHECK_OK(parse(rows[i].file), &t.err)) {
            CHECK_U64(t.scb.major, rows[i].spec.major);
            CHECK_STR(t.scb.name, RIFT_STR("Prop"));
            CHECK_U64(t.scb.vertex_count, 3);
            CHECK_NEAR((double)t.scb.positions[3], 2, 0);
            CHECK_NEAR((double)t.scb.positions[7], 2, 0);
            CHECK_NEAR((double)t.scb.central_point[0], 1, 0);
            CHECK_NEAR((double)t.scb.central_point[2], 0, 0);
            CHECK_U64(t.scb.face_count, 1);
            CHECK_U64(t.scb.faces[0].index[2], 2);
            CHECK_NEAR((double)t.scb.faces[0].uv[0][1], 1, 0);
            CHECK_NEAR((double)t.scb.faces[0].uv[1][0], 1, 0);
            CHECK_NEAR((double)t.scb.faces[0].uv[2][1], 0, 0);
            CHECK_U64(t.scb.material_count, 1);
            CHECK_STR(t.scb.materials[0], RIFT_STR("Stone"));
            CHECK_U64(t.report.entry_count, 0);
        }
        done();
        rift_arena_init(&t.arena, ARENA_LIMIT);
        fx_scb spec = rows[i].spec;
        spec.name = "Prop";
        spec.positions = positions;
        spec.vertex_count = 3;
        spec.faces = one_face;
        spec.face_count = 1;
        spec.central_point[0] = spec.central_point[1] = 1;
        CHECK_BYTES(fx_scb_write(&spec, &t.arena), rows[i].file);
        done();
    }
}

static void versions(void)
{
    static const struct {
        uint16_t major, minor;
        rift_status want;
    } rows[] = {
        {0, 1, RIFT_ERR_UNSUPPORTED},
        {1, 0, RIFT_ERR_UNSUPPORTED},
        {1, 1, RIFT_OK},
        {2, 1, RIFT_OK},
        {3, 1, RIFT_OK},
        {3, 3, RIFT_ERR_UNSUPPORTED},
        {4, 1, RIFT_ERR_UNSUPPORTED},
        {2, 0x100, RIFT_ERR_UNSUPPORTED},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%u.%u", rows[i].major, rows[i].minor);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        const rift_bytes file = fx_patched_u16(&arena, MINIMAL(scb_v22), 8, rows[i].major);
        (void)parse(fx_patched_u16(&arena, file, 10, rows[i].minor));
        CHECK_CODE(&t.err, rows[i].want);
        if (rows[i].want != RIFT_OK)
            CHECK_U64(t.err.offset, 8);
        done();
        rift_arena_release(&arena);
    }
}

/* Grouped by material in order of first use, the file's order within; faces of two equal corners are dropped, and so
 * a material that only such a face has. */
static void materials(void)
{
    static const fx_face faces[] = {
        {.index = {0, 1, 2}, .material = "B"}, {.index = {0, 2, 1}, .material = "A"},
        {.index = {1, 1, 2}, .material = "C"}, {.index = {1, 2, 0}, .material = "B"},
        {.index = {2, 0, 2}, .material = "A"}, {.index = {2, 1, 0}, .material = "a"},
    };
    const fx_scb spec = {
        .major = 3, .minor = 2, .positions = positions, .vertex_count = 3, .faces = faces, .face_count = 6};
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    if (CHECK_OK(parse(fx_scb_write(&spec, &arena)), &t.err)) {
        static const uint32_t first[] = {0, 1, 0, 2};
        static const uint32_t material[] = {0, 0, 1, 2};
        CHECK_U64(rift_report_count(&t.report, "scb_degenerate_face"), 2);
        CHECK_U64(t.scb.material_count, 3);
        CHECK_STR(t.scb.materials[0], RIFT_STR("B"));
        CHECK_STR(t.scb.materials[1], RIFT_STR("A"));
        CHECK_STR(t.scb.materials[2], RIFT_STR("a"));
        CHECK_U64(t.scb.face_count, 4);
        for (size_t i = 0; i < 4 && i < t.scb.face_count; i++) {
            CHECK_U64(t.scb.faces[i].index[0], first[i]);
            CHECK_U64(t.scb.faces[i].material, material[i]);
        }
    }
    done();
    rift_arena_release(&arena);
}

static void too_many_materials(void)
{
    enum { COUNT = RIFT_SCB_MAX_MATERIALS + 1 };
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    fx_face *faces = RIFT_NEW(&arena, fx_face, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        faces[i] = (fx_face){.index = {0, 1, 2}, .material = rift_arena_printf(&arena, "m%zu", i).data};
    fx_scb spec = {.major = 3,
                   .minor = 2,
                   .positions = positions,
                   .vertex_count = 3,
                   .faces = faces,
                   .face_count = COUNT};
    CHECK(!parse(fx_scb_write(&spec, &arena)));
    CHECK_CODE(&t.err, RIFT_ERR_LIMIT);
    CHECK_U64(t.err.offset, 180 + 36 + 12 + 100 * (COUNT - 1) + 12);
    done();
    spec.face_count--;
    if (CHECK_OK(parse(fx_scb_write(&spec, &arena)), &t.err))
        CHECK_U64(t.scb.material_count, RIFT_SCB_MAX_MATERIALS);
    done();
    rift_arena_release(&arena);
}

static void refusals(void)
{
    static const struct {
        const char *name;
        size_t patch;
        uint32_t value;
        rift_status code;
        uint64_t offset;
    } rows[] = {
        {"magic", 4, 0, RIFT_ERR_FORMAT, 0},
        {"vertices past the end", 140, 13, RIFT_ERR_TRUNCATED, 140},
        {"4 G vertices", 140, UINT32_MAX, RIFT_ERR_TRUNCATED, 140},
        {"faces past the end", 144, 2, RIFT_ERR_TRUNCATED, 144},
        {"4 G faces", 144, UINT32_MAX, RIFT_ERR_TRUNCATED, 144},
        {"position NaN", 180 + 16, 0x7fc00000, RIFT_ERR_FORMAT, 180 + 16},
        {"index of vertex 3", 180 + 36 + 12 + 8, 3, RIFT_ERR_FORMAT, 180 + 36 + 12 + 8},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        t.scb = (rift_scb){.major = 77};
        CHECK(!parse(fx_patched_u32(&arena, MINIMAL(scb_v32), rows[i].patch, rows[i].value)));
        CHECK_CODE(&t.err, rows[i].code);
        CHECK_U64(t.err.offset, rows[i].offset);
        CHECK_U64(t.scb.major, 77); /* untouched */
        done();
        rift_arena_release(&arena);
    }
}

static void robustness(void)
{
    check_prefixes(parse_only, MINIMAL(scb_v32), 0, RIFT_ERR_TRUNCATED);
    check_prefixes(parse_only, MINIMAL(scb_v32_colors), 0, RIFT_ERR_TRUNCATED);
    /* Corner colours are not read, so they may be missing. */
    check_prefixes(parse_only, (rift_bytes){scb_v22, sizeof scb_v22 - CORNER_COLORS}, 0, RIFT_ERR_TRUNCATED);
    CHECK_OK(parse((rift_bytes){scb_v22, sizeof scb_v22 - CORNER_COLORS}), &t.err);
    done();
    check_allocations(parse_only, MINIMAL(scb_v32));
    check_every_byte(parse_only, MINIMAL(scb_v32));
    check_every_byte(parse_only, MINIMAL(scb_v22));
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(minimal_files);
    RUN(versions);
    RUN(materials);
    RUN(too_many_materials);
    RUN(refusals);
    RUN(robustness);
    return check_finish();
}
