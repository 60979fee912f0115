/* Compressed animations (r3d2canm). */
#include "fixtures/fx_anm.h"
#include "formats/anm.h"
#include "minimal_models.h"
#include "support/check.h"

#define MINIMAL(bytes) ((rift_bytes){(bytes), sizeof(bytes)})
enum {
    ARENA_LIMIT = 64 * 1024 * 1024,
    ROOT = 0x00079664,
    HEAD = 0x0006eb74,
    KEYS = 128 /* offset of the first record in every file */
};
static const double packed = 5e-5; /* 48-bit quaternions: half a step is 2.2e-5 */
static const double tick = 2e-5;   /* times are 65535ths of the duration, 2 s at most */
static const double exact = 1e-6;
#define HALF 0.70710678118654752 /* sine and cosine of 45 degrees: a quarter turn */

static struct {
    rift_arena arena;
    rift_report report;
    rift_err err;
    rift_anm anm;
} t;

static bool parse(rift_bytes in)
{
    rift_arena_init(&t.arena, ARENA_LIMIT);
    rift_report_init(&t.report, &t.arena);
    t.err = check_err();
    return rift_anm_parse(&t.anm, in, &t.arena, &t.report, &t.err);
}

static void done(void)
{
    rift_arena_release(&t.arena);
}

static bool parse_only(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_report report;
    rift_report_init(&report, arena);
    rift_anm anm;
    return rift_anm_parse(&anm, in, arena, &report, err);
}

static const rift_anm_curve *curve(size_t track, rift_anm_component component)
{
    return &t.anm.tracks[track].curves[component];
}

static void
check_key(const rift_anm_curve *c, size_t key, double time, const double *want, size_t width, double within)
{
    if (!CHECK(key < c->key_count))
        return;
    CHECK_NEAR((double)c->times[key], time, tick);
    for (size_t k = 0; k < width; k++)
        CHECK_NEAR((double)c->values[width * key + k], want[k], within);
}

static const fx_key root_turns[] = {
    {0, {0, 0, 0, 1}},
    {0.5F, {0, HALF, 0, HALF}},
    {1, {0, 0, 0, 1}},
};
static const fx_key root_moves[] = {{0, {0, 50, 0}}, {0.25F, {10, 60, 0}}, {1, {0, 50, 0}}};
static const fx_key head_stays[] = {{0, {0, 20, 0}}};
static const fx_track two_tracks[] = {
    {.joint = "Root", .rotation = {root_turns, 3, false}, .translation = {root_moves, 3, false}},
    {.joint = "Head", .translation = {head_stays, 1, false}},
};
static const fx_anm minimal = {
    .compressed = true,
    .version = 1,
    .tracks = two_tracks,
    .track_count = 2,
    .duration = 1,
    .flags = 7,
    .jump_caches = 1,
};

static void check_minimal(void)
{
    CHECK(t.anm.compressed);
    CHECK(t.anm.basis == RIFT_ANM_SPLINE_PARAMETRISED);
    CHECK_U64(t.anm.flags, 7);
    CHECK_NEAR((double)t.anm.fps, 30, 0);
    CHECK_NEAR((double)t.anm.length, 1, 0);
    CHECK_NEAR((double)t.anm.stored_duration, 1, 0);
    CHECK_U64(t.anm.frame_count, 26);
    if (!CHECK(t.anm.track_count == 2))
        return;
    CHECK_U64(t.anm.tracks[0].hash, ROOT);
    CHECK_U64(t.anm.tracks[1].hash, HEAD);
    const rift_anm_curve *c = curve(0, RIFT_ANM_ROTATION);
    CHECK_U64(c->key_count, 5);
    /* The vector of the document: 00 40 00 20 00 70. */
    CHECK_NEAR((double)c->values[0], 2.158e-5, 1e-8);
    CHECK_NEAR((double)c->values[3], 1, 1e-7);
    static const double times[] = {0, 0, 0.5, 1, 1};
    for (size_t i = 0; i < 5; i++) {
        check_key(c, i, times[i], i == 2 ? (const double[]){0, HALF, 0, HALF} : (const double[]){0, 0, 0, 1},
                  4, packed);
    }
    c = curve(0, RIFT_ANM_TRANSLATION);
    CHECK_U64(c->key_count, 5);
    static const double move_times[] = {0, 0, 0.25, 1, 1};
    for (size_t i = 0; i < 5; i++) { /* ranges are (0,20,0) to (10,60,0): 40 / 65535 a step */
        check_key(c, i, move_times[i], i == 2 ? (const double[]){10, 60, 0} : (const double[]){0, 50, 0}, 3,
                  4e-4);
    }
    c = curve(1, RIFT_ANM_TRANSLATION);
    CHECK_U64(c->key_count, 4);
    check_key(c, 0, 0, (const double[]){0, 20, 0}, 3, exact);
    check_key(c, 3, 1, (const double[]){0, 20, 0}, 3, exact);
    check_key(curve(1, RIFT_ANM_SCALE), 2, 1, (const double[]){1, 1, 1}, 3, exact);
    CHECK(!c->is_constant); /* keys are as stored */
    /* All curves without motion hold one time array. */
    CHECK(curve(0, RIFT_ANM_SCALE)->times == curve(1, RIFT_ANM_ROTATION)->times);
    CHECK(curve(0, RIFT_ANM_SCALE)->times == c->times);
    CHECK(curve(0, RIFT_ANM_SCALE)->times != curve(0, RIFT_ANM_ROTATION)->times);
    CHECK_U64(t.report.entry_count, 0);
}

static void minimal_file(void)
{
    if (CHECK_OK(parse(MINIMAL(anm_canm)), &t.err))
        check_minimal();
    done();
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    CHECK_BYTES(fx_anm_write(&minimal, &arena), MINIMAL(anm_canm));
    for (uint32_t version = 2; version <= 3; version++) {
        check_row("version %u", version);
        if (CHECK_OK(parse(fx_patched_u32(&arena, MINIMAL(anm_canm), 8, version)), &t.err)) {
            CHECK_U64(t.anm.version, version);
            check_minimal();
        }
        done();
    }
    rift_arena_release(&arena);
}

static void basis(void)
{
    static const struct {
        uint32_t flags;
        rift_anm_basis want;
        uint64_t reported;
    } rows[] = {
        {0, RIFT_ANM_SPLINE_UNIFORM, 0},      {3, RIFT_ANM_SPLINE_UNIFORM, 0},
        {4, RIFT_ANM_SPLINE_PARAMETRISED, 0}, {5, RIFT_ANM_SPLINE_PARAMETRISED, 0},
        {8, RIFT_ANM_SPLINE_UNIFORM, 1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("flags %u", rows[i].flags);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        if (CHECK_OK(parse(fx_patched_u32(&arena, MINIMAL(anm_canm), 20, rows[i].flags)), &t.err)) {
            CHECK(t.anm.basis == rows[i].want);
            CHECK_U64(rift_report_count(&t.report, "anm_unknown_flags"), rows[i].reported);
        }
        done();
        rift_arena_release(&arena);
    }
}

/* Many curves of different pace: records lie in order of need, so curves interleave and the file is not sorted by
 * time; each curve still comes out whole and in order, corners (two keys at one time) included. */
static void interleaved_records(void)
{
    static const fx_key slow[] = {{0, {1}}, {0.5F, {2}}, {0.5F, {3}}, {2, {4}}};
    static const fx_key fast[] = {{0, {1}},     {0.25F, {2}}, {0.5F, {3}},  {0.75F, {4}}, {1, {5}},
                                  {1.25F, {6}}, {1.5F, {7}},  {1.75F, {8}}, {2, {9}}};
    static const fx_track tracks[] = {
        {.joint = "Root", .translation = {slow, 4, false}},
        {.joint = "Head", .translation = {fast, 9, false}},
    };
    const fx_anm spec = {.compressed = true,
                         .version = 1,
                         .tracks = tracks,
                         .track_count = 2,
                         .duration = 2,
                         .jump_caches = 3};
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    const rift_bytes file = fx_anm_write(&spec, &arena);
    /* Fixture: after the first 24 records come keys 4 of both curves, needed at 0.25 (fast) and 0.5 (slow). */
    CHECK_U64(file.data[KEYS + 240 + 2] | file.data[KEYS + 240 + 3] << 8, 1 << 14 | 1);
    /* Fixture: the second of three jump caches stands for 2/3 s, where the slow curve's window is its keys 2 to 5.
     * Those are records 6, 7 and, behind the fast curve's key 4, records 25 and 26. Caches follow 33 records. */
    static const uint16_t window[] = {6, 7, 25, 26};
    for (size_t k = 0; k < 4; k++) {
        const uint8_t *at = file.data + KEYS + 330 + 48 + 8 + 2 * k;
        CHECK_U64(at[0] | at[1] << 8, window[k]);
    }
    if (CHECK_OK(parse(file), &t.err)) {
        const rift_anm_curve *c = curve(0, RIFT_ANM_TRANSLATION);
        CHECK_U64(c->key_count, 6);
        static const double slow_times[] = {0, 0, 0.5, 0.5, 2, 2};
        static const double slow_values[] = {1, 1, 2, 3, 4, 4};
        for (size_t i = 0; i < 6; i++)
            check_key(c, i, slow_times[i], (const double[]){slow_values[i], 0, 0}, 3, 1e-4);
        c = curve(1, RIFT_ANM_TRANSLATION);
        CHECK_U64(c->key_count, 11);
        for (size_t i = 1; i < 10; i++)
            check_key(c, i, 0.25 * (double)(i - 1), (const double[]){(double)i, 0, 0}, 3, 1e-4);
        CHECK_U64(t.report.entry_count, 0);
    }
    done();
    rift_arena_release(&arena);
}

/* -80 and -100 degrees about y: packing makes the largest component positive, which turns the second one round. */
static void signs(void)
{
    static const double c80 = 0.76604444311897804;
    static const double s80 = 0.64278760968653933;
    const fx_key keys[] = {{0, {0, -s80, 0, c80}}, {1, {0, -c80, 0, s80}}};
    const fx_track track = {.joint = "Root", .rotation = {keys, 2, false}};
    const fx_anm spec = {.compressed = true, .version = 1, .tracks = &track, .track_count = 1, .duration = 1};
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    if (CHECK_OK(parse(fx_anm_write(&spec, &arena)), &t.err)) {
        const rift_anm_curve *c = curve(0, RIFT_ANM_ROTATION);
        CHECK_U64(c->key_count, 4);
        check_key(c, 1, 0, (const double[]){0, -s80, 0, c80}, 4, packed);
        check_key(c, 2, 1, (const double[]){0, -c80, 0, s80}, 4, packed);
        check_key(c, 3, 1, (const double[]){0, -c80, 0, s80}, 4, packed);
    }
    done();
    rift_arena_release(&arena);
}

/* B022: no time at all. */
static void duration_zero(void)
{
    const fx_track track = {.joint = "Root", .translation = {head_stays, 1, false}};
    const fx_anm spec = {.compressed = true, .version = 1, .tracks = &track, .track_count = 1};
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    if (CHECK_OK(parse(fx_anm_write(&spec, &arena)), &t.err)) {
        CHECK_NEAR((double)t.anm.length, 0, 0);
        check_key(curve(0, RIFT_ANM_TRANSLATION), 3, 0, (const double[]){0, 20, 0}, 3, exact);
        CHECK_U64(t.report.entry_count, 0);
    }
    done();
    rift_arena_release(&arena);
}

/* B021 and the rows of anm.h: curves of 1, 2, 3 keys, and of none. */
static void short_curves(void)
{
    static const fx_key keys[] = {{0, {1}}, {0.5F, {2}}, {1, {3}}};
    static const struct {
        size_t stored, count;
        double times[5], values[5];
    } rows[] = {
        {1, 4, {0, 0, 0, 0}, {1, 1, 1, 1}},
        {2, 4, {0, 0, .5, .5}, {1, 1, 2, 2}},
        {3, 5, {0, 0, .5, 1, 1}, {1, 1, 2, 3, 3}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%zu keys", rows[i].stored);
        const fx_track track = {
            .joint = "Root",
            .rotation = {.omit = true},
            .translation = {keys, rows[i].stored, false},
            .scale = {.omit = true},
        };
        const fx_anm spec = {.compressed = true,
                             .version = 1,
                             .tracks = &track,
                             .track_count = 1,
                             .duration = 1,
                             .raw_keys = true};
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        if (CHECK_OK(parse(fx_anm_write(&spec, &arena)), &t.err)) {
            CHECK_U64(t.anm.frame_count, rows[i].stored);
            CHECK_U64(curve(0, RIFT_ANM_ROTATION)->key_count, 0);
            CHECK_U64(curve(0, RIFT_ANM_SCALE)->key_count, 0);
            const rift_anm_curve *c = curve(0, RIFT_ANM_TRANSLATION);
            CHECK_U64(c->key_count, rows[i].count);
            for (size_t k = 0; k < rows[i].count; k++)
                check_key(c, k, rows[i].times[k], (const double[]){rows[i].values[k], 0, 0}, 3, 1e-4);
            CHECK_U64(rift_report_count(&t.report, "anm_short_curve"), 1);
        }
        done();
        rift_arena_release(&arena);
    }
}

/* Falling times: a stable sort, so that the two keys at 1/4 keep their order. */
static void unsorted_times(void)
{
    static const fx_key keys[] = {{0, {1}}, {0.5F, {2}}, {0.25F, {3}}, {0.25F, {4}}, {1, {5}}, {0.001F, {6}}};
    static const double times[] = {0, 0.001, 0.25, 0.25, 0.5, 1};
    static const double values[] = {1, 6, 3, 4, 2, 5};
    const fx_track track = {.joint = "Root", .translation = {keys, 6, false}};
    const fx_anm spec = {.compressed = true,
                         .version = 1,
                         .tracks = &track,
                         .track_count = 1,
                         .duration = 1,
                         .raw_keys = true};
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    if (CHECK_OK(parse(fx_anm_write(&spec, &arena)), &t.err)) {
        const rift_anm_curve *c = curve(0, RIFT_ANM_TRANSLATION);
        CHECK_U64(c->key_count, 6);
        for (size_t i = 0; i < 6; i++)
            check_key(c, i, times[i], (const double[]){values[i], 0, 0}, 3, 1e-4);
        CHECK_U64(rift_report_count(&t.report, "anm_unsorted"), 1);
    }
    done();
    rift_arena_release(&arena);
}

/* G44, by way of the ranges: translation minimum at 68, maximum at 80; scale at 92 and 104. */
static void non_finite_ranges(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    check_row("translation: keys dropped");
    if (CHECK_OK(parse(fx_patched_f32(&arena, MINIMAL(anm_canm), 68, NAN)), &t.err)) {
        CHECK_U64(curve(0, RIFT_ANM_TRANSLATION)->key_count, 0);
        CHECK_U64(curve(1, RIFT_ANM_TRANSLATION)->key_count, 0);
        CHECK_U64(curve(0, RIFT_ANM_ROTATION)->key_count, 5);
        CHECK_U64(rift_report_count(&t.report, "anm_key_not_finite"), 2);
    }
    done();
    check_row("scale: that component is 1");
    const rift_bytes bytes = fx_patched_f32(&arena, MINIMAL(anm_canm), 92, INFINITY);
    if (CHECK_OK(parse(fx_patched_f32(&arena, bytes, 96, 3)), &t.err)) {
        check_key(curve(0, RIFT_ANM_SCALE), 0, 0, (const double[]){1, 3, 1}, 3, exact);
        CHECK_U64(rift_report_count(&t.report, "anm_key_not_finite"), 2);
    }
    done();
    rift_arena_release(&arena);
}

/* Only odd, never refused: what is not needed to read the keys. */
static void sizes(void)
{
    static const struct {
        const char *name;
        size_t offset;
        uint32_t value;
        const char *code;
    } rows[] = {
        {"resource size", 12, 431, "anm_size_mismatch"},
        {"token", 16, 0, "anm_unknown_token"},
        {"one more cache", 32, 2, "anm_size_mismatch"},
        {"no cache counted", 32, 0, "anm_size_mismatch"},
        {"no cache section", 120, 0, "anm_size_mismatch"},
        {"cache section past the end", 120, 0x7fffffff, "anm_size_mismatch"},
        {"fps NaN", 40, 0x7fc00000, NULL},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        if (CHECK_OK(parse(fx_patched_u32(&arena, MINIMAL(anm_canm), rows[i].offset, rows[i].value)),
                     &t.err)) {
            CHECK_U64(t.report.entry_count, rows[i].code ? 1 : 0);
            CHECK_U64(curve(0, RIFT_ANM_ROTATION)->key_count, 5);
            CHECK_NEAR((double)t.anm.fps, 30, 0);
            if (rows[i].code)
                CHECK_U64(rift_report_count(&t.report, rows[i].code), 1);
        }
        done();
        rift_arena_release(&arena);
    }
}

/* Jump caches hold 16-bit numbers up to 65536 keys, 32-bit ones beyond. */
static void wide_caches(void)
{
    static const struct {
        size_t keys;
        uint32_t cache_size;
    } rows[] = {{65536, 24}, {65537, 48}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%zu keys", rows[i].keys);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        fx_key *keys = RIFT_NEW(&arena, fx_key, rows[i].keys);
        for (size_t k = 0; k < rows[i].keys; k++)
            keys[k] = (fx_key){(float)k / 65536, {(double)k, 0, 0, 0}};
        const fx_track track = {
            .joint = "Root",
            .rotation = {.omit = true},
            .translation = {keys, rows[i].keys, false},
            .scale = {.omit = true},
        };
        const fx_anm spec = {.compressed = true,
                             .version = 1,
                             .tracks = &track,
                             .track_count = 1,
                             .duration = 1,
                             .jump_caches = 2,
                             .raw_keys = true};
        const rift_bytes file = fx_anm_write(&spec, &arena);
        CHECK_U64(file.size, 128 + 10 * rows[i].keys + 2 * (size_t)rows[i].cache_size + 4);
        if (CHECK_OK(parse(file), &t.err)) {
            const rift_anm_curve *c = curve(0, RIFT_ANM_TRANSLATION);
            CHECK_U64(c->key_count, rows[i].keys);
            CHECK_NEAR((double)c->values[90000], 30000, 1);
            CHECK_U64(t.report.entry_count, 0);
        }
        done();
        rift_arena_release(&arena);
    }
}

/* A clip given as one transform per frame becomes a key per frame. */
static void from_frames(void)
{
    static const rift_trs frames[] = {{.t = {1, 0, 0}}, {.t = {2, 0, 0}}, {.t = {4, 0, 0}, .s = {2, 2, 2}}};
    const fx_track track = {.joint = "Root", .frames = frames};
    const fx_anm spec = {
        .compressed = true, .version = 1, .tracks = &track, .track_count = 1, .frame_count = 3, .fps = 10};
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    if (CHECK_OK(parse(fx_anm_write(&spec, &arena)), &t.err)) {
        CHECK_NEAR((double)t.anm.length, 0.2, exact);
        const rift_anm_curve *c = curve(0, RIFT_ANM_TRANSLATION);
        CHECK_U64(c->key_count, 5);
        check_key(c, 1, 0, (const double[]){1, 0, 0}, 3, 1e-4);
        check_key(c, 2, 0.1, (const double[]){2, 0, 0}, 3, 1e-4);
        check_key(c, 3, 0.2, (const double[]){4, 0, 0}, 3, 1e-4);
        check_key(curve(0, RIFT_ANM_SCALE), 4, 0.2, (const double[]){2, 2, 2}, 3, 1e-4);
    }
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
        {"version 0", 8, 0, RIFT_ERR_UNSUPPORTED, 8},
        {"version 4", 8, 4, RIFT_ERR_UNSUPPORTED, 8},
        {"joints over the limit", 24, 16384, RIFT_ERR_LIMIT, 24},
        {"joints past the end", 24, 3, RIFT_ERR_TRUNCATED, 24},
        {"keys past the end", 28, 32, RIFT_ERR_TRUNCATED, 28},
        {"4 G keys", 28, UINT32_MAX, RIFT_ERR_TRUNCATED, 28},
        {"duration NaN", 36, 0x7fc00000, RIFT_ERR_FORMAT, 36},
        {"duration infinite", 36, 0x7f800000, RIFT_ERR_FORMAT, 36},
        {"duration -1", 36, 0xbf800000, RIFT_ERR_FORMAT, 36},
        {"keys offset 0", 116, 0, RIFT_ERR_FORMAT, 116},
        {"keys offset past the end", 116, 433, RIFT_ERR_TRUNCATED, 116},
        {"hashes offset -1", 124, UINT32_MAX, RIFT_ERR_FORMAT, 124},
        {"hashes offset past the end", 124, 433, RIFT_ERR_TRUNCATED, 124},
        {"joint 2 of 2", KEYS, 2u << 16, RIFT_ERR_FORMAT, KEYS + 2},
        {"curve 3", KEYS, 3u << 30, RIFT_ERR_FORMAT, KEYS + 2},
        {"joint 16383, last key", KEYS + 250, 0x3fffffff, RIFT_ERR_FORMAT, KEYS + 252},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        t.anm = (rift_anm){.version = 77};
        CHECK(!parse(fx_patched_u32(&arena, MINIMAL(anm_canm), rows[i].patch, rows[i].value)));
        CHECK_CODE(&t.err, rows[i].code);
        CHECK_U64(t.err.offset, rows[i].offset);
        CHECK_U64(t.anm.version, 77); /* untouched */
        done();
        rift_arena_release(&arena);
    }
}

static void robustness(void)
{
    check_prefixes(parse_only, MINIMAL(anm_canm), 0, RIFT_ERR_TRUNCATED);
    check_allocations(parse_only, MINIMAL(anm_canm));
    check_every_byte(parse_only, MINIMAL(anm_canm));
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(minimal_file);
    RUN(basis);
    RUN(interleaved_records);
    RUN(signs);
    RUN(duration_zero);
    RUN(short_curves);
    RUN(unsorted_times);
    RUN(non_finite_ranges);
    RUN(sizes);
    RUN(wide_caches);
    RUN(from_frames);
    RUN(refusals);
    RUN(robustness);
    return check_finish();
}
