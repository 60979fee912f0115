/* Uncompressed animations, and what all families share. Compressed ones: test_canm.c. */
#include "formats/anm.h"

#include "fixtures/fx_anm.h"
#include "minimal_models.h"
#include "support/check.h"

#define MINIMAL(bytes) ((rift_bytes){(bytes), sizeof(bytes)})
enum { ARENA_LIMIT = 64 * 1024 * 1024, ROOT = 0x00079664, HEAD = 0x0006eb74 };
static const double packed = 5e-5; /* 48-bit quaternions: half a step is 2.2e-5 */
static const double exact = 1e-6;
static const float half = 0.70710678F; /* sine and cosine of 45 degrees: a quarter turn */

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
check_key(const rift_anm_curve *c, size_t key, double time, const float *want, size_t width, double within)
{
    if (!CHECK(key < c->key_count))
        return;
    CHECK_NEAR((double)c->times[key], time, exact);
    for (size_t k = 0; k < width; k++)
        CHECK_NEAR((double)c->values[width * key + k], (double)want[k], within);
}

/* Root goes from (0,50,0) to (10,50,0) and does not turn; Head stays at (0,20,0) and turns a quarter about y. */
static void check_minimal(uint32_t version)
{
    CHECK(!t.anm.compressed);
    CHECK_U64(t.anm.version, version);
    CHECK(t.anm.basis == RIFT_ANM_LINEAR);
    CHECK_NEAR((double)t.anm.fps, 30, 1e-4);
    CHECK_NEAR((double)t.anm.length, 1.0 / 30, exact);
    CHECK_NEAR((double)t.anm.stored_duration, 2.0 / 30, exact);
    CHECK_U64(t.anm.frame_count, 2);
    if (!CHECK(t.anm.track_count == 2))
        return;
    CHECK_U64(t.anm.tracks[0].hash, ROOT);
    CHECK_U64(t.anm.tracks[1].hash, HEAD);
    const rift_anm_curve *c = curve(0, RIFT_ANM_TRANSLATION);
    CHECK_U64(c->key_count, 2);
    CHECK(!c->is_constant);
    check_key(c, 0, 0, (const float[]){0, 50, 0}, 3, exact);
    check_key(c, 1, 1.0 / 30, (const float[]){10, 50, 0}, 3, exact);
    c = curve(0, RIFT_ANM_ROTATION);
    CHECK_U64(c->key_count, 1);
    CHECK(c->is_constant);
    check_key(c, 0, 0, (const float[]){0, 0, 0, 1}, 4, packed);
    c = curve(1, RIFT_ANM_TRANSLATION);
    CHECK_U64(c->key_count, 1);
    check_key(c, 0, 0, (const float[]){0, 20, 0}, 3, exact);
    c = curve(1, RIFT_ANM_ROTATION);
    CHECK_U64(c->key_count, 2);
    check_key(c, 1, 1.0 / 30, (const float[]){0, half, 0, half}, 4, packed);
    CHECK(c->times == curve(0, RIFT_ANM_TRANSLATION)->times); /* shared */
    for (size_t i = 0; i < 2; i++) {
        c = curve(i, RIFT_ANM_SCALE);
        CHECK_U64(c->key_count, version == 3 ? 0 : 1); /* version 3 has no scale */
        if (version != 3)
            check_key(c, 0, 0, (const float[]){1, 1, 1}, 3, exact);
    }
    CHECK_U64(t.report.entry_count, 0);
}

static const rift_trs root_frames[] = {{.t = {0, 50, 0}}, {.t = {10, 50, 0}}};
static const rift_trs head_frames[] = {
    {.t = {0, 20, 0}},
    {.t = {0, 20, 0}, .r = {0, 0.70710678118654752, 0, 0.70710678118654752}},
};
static const fx_track two_tracks[] = {
    {.joint = "Root", .frames = root_frames},
    {.joint = "Head", .frames = head_frames},
};

static void minimal_files(void)
{
    const struct {
        uint32_t version;
        rift_bytes file;
    } rows[] = {{5, MINIMAL(anm_v5)}, {4, MINIMAL(anm_v4)}, {3, MINIMAL(anm_v3)}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("version %u", rows[i].version);
        if (CHECK_OK(parse(rows[i].file), &t.err))
            check_minimal(rows[i].version);
        done();
        rift_arena_init(&t.arena, ARENA_LIMIT);
        const fx_anm spec = {
            .version = rows[i].version,
            .tracks = two_tracks,
            .track_count = 2,
            .frame_count = 2,
            .skeleton_id = 0x1234,
        };
        CHECK_BYTES(fx_anm_write(&spec, &t.arena), rows[i].file);
        done();
    }
}

/* Sections in another order, and at addresses that only 2 divides. */
static void any_order(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    const fx_anm spec = {
        .version = 5, .tracks = two_tracks, .track_count = 2, .frame_count = 2, .reversed = true};
    check_row("frames, hashes, quaternions, vectors");
    if (CHECK_OK(parse(fx_anm_write(&spec, &arena)), &t.err))
        check_minimal(5);
    done();
    /* One track of one quaternion: six bytes before the hashes. */
    check_row("hashes on an odd multiple of 2");
    const fx_anm one = {.version = 5, .tracks = two_tracks, .track_count = 1, .frame_count = 2};
    const rift_bytes file = fx_anm_write(&one, &arena);
    CHECK_U64((file.data[40] + 12) % 4, 2);
    if (CHECK_OK(parse(file), &t.err)) {
        CHECK_U64(t.anm.tracks[0].hash, ROOT);
        check_key(curve(0, RIFT_ANM_TRANSLATION), 1, 1.0 / 30, (const float[]){10, 50, 0}, 3, exact);
    }
    done();
    /* Palettes end where the next section begins, so this index is past the quaternions although the file goes on. */
    check_row("index past its palette");
    CHECK(!parse(fx_patched_u16(&arena, MINIMAL(anm_v5), 148, 2)));
    CHECK_CODE(&t.err, RIFT_ERR_FORMAT);
    CHECK_U64(t.err.offset, 148);
    done();
    rift_arena_release(&arena);
}

/* Case twins: two tracks of one hash stay two tracks, in file order (B004). */
static void repeated_hashes(void)
{
    static const rift_trs first[] = {{.t = {1, 0, 0}}, {.t = {2, 0, 0}}};
    static const rift_trs second[] = {{.t = {3, 0, 0}}, {.t = {4, 0, 0}}};
    static const fx_track tracks[] = {
        {.joint = "Head", .frames = first},
        {.joint = "head", .frames = second},
    };
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    for (uint32_t version = 3; version <= 5; version++) {
        check_row("version %u", version);
        const fx_anm spec = {.version = version, .tracks = tracks, .track_count = 2, .frame_count = 2};
        if (CHECK_OK(parse(fx_anm_write(&spec, &arena)), &t.err) && CHECK(t.anm.track_count == 2)) {
            CHECK_U64(t.anm.tracks[0].hash, HEAD);
            CHECK_U64(t.anm.tracks[1].hash, HEAD);
            check_key(curve(0, RIFT_ANM_TRANSLATION), 1, 1.0 / 30, (const float[]){2, 0, 0}, 3, exact);
            check_key(curve(1, RIFT_ANM_TRANSLATION), 0, 0, (const float[]){3, 0, 0}, 3, exact);
        }
        done();
    }
    rift_arena_release(&arena);
}

/* The sign of a quaternion follows its predecessor: no jump to the other cover. */
static void signs(void)
{
    static const rift_trs frames[] = {
        {.r = {0, 0, 0, 1}},
        {.r = {0, -0.6, 0, -0.8}},
        {.r = {0, 0.8, 0, 0.6}},
        {.r = {0, -1, 0, 0}},
    };
    static const fx_track track = {.joint = "Root", .frames = frames};
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    for (uint32_t version = 3; version <= 5; version++) {
        check_row("version %u", version);
        const fx_anm spec = {
            .version = version, .tracks = &track, .track_count = 1, .frame_count = 4, .fps = 60};
        if (CHECK_OK(parse(fx_anm_write(&spec, &arena)), &t.err)) {
            const rift_anm_curve *c = curve(0, RIFT_ANM_ROTATION);
            check_key(c, 1, 1.0 / 60, (const float[]){0, 0.6F, 0, 0.8F}, 4, packed);
            check_key(c, 2, 2.0 / 60, (const float[]){0, 0.8F, 0, 0.6F}, 4, packed);
            check_key(c, 3, 3.0 / 60, (const float[]){0, 1, 0, 0}, 4, packed);
            CHECK_NEAR((double)t.anm.fps, 60, 1e-4);
            CHECK_NEAR((double)t.anm.length, 0.05, exact);
        }
        done();
    }
    rift_arena_release(&arena);
}

/* G44. Palette offsets of the minimal files: vectors at 76, version 4's quaternions at 124. */
static void repairs(void)
{
    enum { V4_QUAT_1 = 124 + 16, V3_ROOT = 28 + 36, V3_HEAD = 28 + 92 + 36 };
    static const struct {
        const char *name;
        int version;
        size_t offset;
        float value;
        const char *code;
        size_t track;
        rift_anm_component component;
        size_t keys;
        float first[4];
    } rows[] = {
        {"scale NaN", 5, 76 + 16, NAN, "anm_key_not_finite", 0, RIFT_ANM_SCALE, 1, {1, 1, 1, 0}},
        {"scale infinite", 4, 76 + 16, INFINITY, "anm_key_not_finite", 1, RIFT_ANM_SCALE, 1, {1, 1, 1, 0}},
        {"scale 0 stays", 5, 76 + 16, 0, NULL, 0, RIFT_ANM_SCALE, 1, {1, 0, 1, 0}},
        {"first translation NaN",
         5,
         76,
         NAN,
         "anm_key_not_finite",
         0,
         RIFT_ANM_TRANSLATION,
         1,
         {10, 50, 0, 0}},
        {"last translation NaN",
         4,
         76 + 40,
         NAN,
         "anm_key_not_finite",
         0,
         RIFT_ANM_TRANSLATION,
         1,
         {0, 50, 0, 0}},
        {"constant translation NaN", 5, 76 + 24, NAN, "anm_key_not_finite", 1, RIFT_ANM_TRANSLATION, 0, {0}},
        {"rotation NaN", 4, V4_QUAT_1, NAN, "anm_key_not_finite", 1, RIFT_ANM_ROTATION, 1, {0, 0, 0, 1}},
        {"rotation zero", 4, 124 + 12, 0, "anm_zero_rotation", 0, RIFT_ANM_ROTATION, 1, {0, 0, 0, 1}},
        {"rotation too long", 4, 124 + 12, 3, NULL, 0, RIFT_ANM_ROTATION, 1, {0, 0, 0, 1}},
        {"version 3 rotation zero",
         3,
         V3_ROOT + 12,
         0,
         "anm_zero_rotation",
         0,
         RIFT_ANM_ROTATION,
         2,
         {0, 0, 0, 1}},
        {"version 3 translation NaN",
         3,
         V3_HEAD + 20,
         NAN,
         "anm_key_not_finite",
         1,
         RIFT_ANM_TRANSLATION,
         1,
         {0, 20, 0, 0}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        const rift_bytes files[] = {MINIMAL(anm_v3), MINIMAL(anm_v4), MINIMAL(anm_v5)};
        const rift_bytes file =
            fx_patched_f32(&arena, files[rows[i].version - 3], rows[i].offset, rows[i].value);
        if (CHECK_OK(parse(file), &t.err)) {
            const rift_anm_curve *c = curve(rows[i].track, rows[i].component);
            CHECK_U64(c->key_count, rows[i].keys);
            const size_t width = rows[i].component == RIFT_ANM_ROTATION ? 4 : 3;
            for (size_t k = 0; k < width && c->key_count > 0; k++)
                CHECK_NEAR((double)c->values[k], (double)rows[i].first[k], exact);
            CHECK_U64(t.report.entry_count, rows[i].code ? 1 : 0);
            if (rows[i].code)
                CHECK(rift_report_count(&t.report, rows[i].code) >= 1);
        }
        done();
        rift_arena_release(&arena);
    }
}

/* A key that is dropped takes its time along, and nobody else's. */
static void dropped_keys(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    if (CHECK_OK(parse(fx_patched_f32(&arena, MINIMAL(anm_v5), 76, NAN)), &t.err)) {
        check_key(curve(0, RIFT_ANM_TRANSLATION), 0, 1.0 / 30, (const float[]){10, 50, 0}, 3, exact);
        check_key(curve(1, RIFT_ANM_ROTATION), 0, 0, (const float[]){0, 0, 0, 1}, 4, packed);
        check_key(curve(1, RIFT_ANM_ROTATION), 1, 1.0 / 30, (const float[]){0, half, 0, half}, 4, packed);
    }
    done();
    rift_arena_release(&arena);
}

static void odd_but_readable(void)
{
    static const struct {
        const char *name;
        int version;
        size_t offset;
        uint32_t value;
        const char *code;
        double fps;
    } rows[] = {
        {"resource size", 5, 12, 1, "anm_size_mismatch", 30},
        {"flags", 5, 24, 1, "anm_unknown_flags", 30},
        {"time section", 5, 48, 64, "anm_time_section", 30},
        {"asset name offset -1", 5, 44, UINT32_MAX, NULL, 30},
        {"frame duration 0", 5, 36, 0, "anm_no_frame_duration", 30},
        {"version 3 at 48 frames per second", 3, 24, 48, NULL, 48},
        {"version 3 at 0 frames per second", 3, 24, 0, "anm_no_frame_duration", 30},
        {"version 3 skeleton id", 3, 12, 0, NULL, 30},
        {"version 3 track flags", 3, 60, 2, NULL, 30},
        {"version 4 padding", 4, 166, 0, NULL, 30},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        const rift_bytes files[] = {MINIMAL(anm_v3), MINIMAL(anm_v4), MINIMAL(anm_v5)};
        if (rows[i].version == 4) { /* the last two bytes of a record */
            CHECK_OK(parse(fx_patched_u16(&arena, files[1], rows[i].offset, 0)), &t.err);
            check_minimal(4);
        } else if (CHECK_OK(parse(fx_patched_u32(&arena, files[rows[i].version - 3], rows[i].offset,
                                                 rows[i].value)),
                            &t.err)) {
            CHECK_NEAR((double)t.anm.fps, rows[i].fps, 1e-4);
            CHECK_NEAR((double)t.anm.length, 1 / rows[i].fps, exact);
            CHECK_U64(t.report.entry_count, rows[i].code ? 1 : 0);
            if (rows[i].code)
                CHECK_U64(rift_report_count(&t.report, rows[i].code), 1);
        }
        done();
        rift_arena_release(&arena);
    }
}

static void one_frame_and_none(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    for (uint32_t version = 3; version <= 5; version++) {
        for (size_t frames = 0; frames < 2; frames++) {
            check_row("version %u, %zu frames", version, frames);
            const fx_anm spec = {
                .version = version, .tracks = two_tracks, .track_count = 2, .frame_count = frames};
            rift_bytes file = fx_anm_write(&spec, &arena);
            if (version == 4 && frames == 0) { /* nothing names a joint: hash 0 */
                CHECK_OK(parse(file), &t.err);
                done();
                continue;
            }
            if (CHECK_OK(parse(file), &t.err)) {
                CHECK_NEAR((double)t.anm.length, 0, 0);
                CHECK_U64(t.anm.tracks[1].hash, HEAD);
                CHECK_U64(curve(0, RIFT_ANM_TRANSLATION)->key_count, frames);
                CHECK(curve(0, RIFT_ANM_TRANSLATION)->is_constant == (frames == 1));
            }
            done();
        }
    }
    rift_arena_release(&arena);
}

static void refusals(void)
{
    static const struct {
        const char *name;
        int version;
        size_t patch;
        uint32_t value;
        rift_status code;
        uint64_t offset;
    } rows[] = {
        {"magic", 5, 0, 0x32643373, RIFT_ERR_FORMAT, 0},
        {"magic, second half", 5, 4, 0x646d6e62, RIFT_ERR_FORMAT, 0},
        {"version 2", 5, 8, 2, RIFT_ERR_UNSUPPORTED, 8},
        {"version 6", 5, 8, 6, RIFT_ERR_UNSUPPORTED, 8},
        {"version 99 (B026)", 5, 8, 99, RIFT_ERR_UNSUPPORTED, 8},
        {"tracks over the limit", 5, 28, RIFT_ANM_MAX_TRACKS + 1, RIFT_ERR_LIMIT, 28},
        {"tracks past the end", 5, 28, 12, RIFT_ERR_TRUNCATED, 28},
        {"frames past the end", 5, 32, 3, RIFT_ERR_TRUNCATED, 32},
        {"4 G frames", 5, 32, UINT32_MAX, RIFT_ERR_TRUNCATED, 32},
        {"frame duration NaN", 5, 36, 0x7fc00000, RIFT_ERR_FORMAT, 36},
        {"frame duration negative", 5, 36, 0xbd000000, RIFT_ERR_FORMAT, 36},
        {"frame duration beyond float", 5, 36, 0x7f7fffff, RIFT_ERR_FORMAT, 36},
        {"frame duration too short for fps", 5, 36, 1, RIFT_ERR_FORMAT, 36},
        {"hashes offset 0", 5, 40, 0, RIFT_ERR_FORMAT, 40},
        {"hashes offset past the end", 5, 40, 157, RIFT_ERR_TRUNCATED, 40},
        {"vectors offset -1", 5, 52, UINT32_MAX, RIFT_ERR_FORMAT, 52},
        {"vectors offset past the end", 5, 52, 0x7fffffff, RIFT_ERR_TRUNCATED, 52},
        {"quaternions offset 0", 5, 56, 0, RIFT_ERR_FORMAT, 56},
        {"frames offset 0", 5, 60, 0, RIFT_ERR_FORMAT, 60},
        {"frames offset past the end", 5, 60, 157, RIFT_ERR_TRUNCATED, 60},
        {"translation index", 5, 144, 0x00010004, RIFT_ERR_FORMAT, 144},
        {"scale index", 5, 144, 0x00040000, RIFT_ERR_FORMAT, 146},
        {"rotation index", 5, 148, 0x00020002, RIFT_ERR_FORMAT, 148},
        {"version 4, tracks past the end", 4, 28, 3, RIFT_ERR_TRUNCATED, 32},
        {"version 4, order changes", 4, 156 + 24, HEAD, RIFT_ERR_FORMAT, 156 + 24},
        {"version 4, rotation index", 4, 156 + 8, 2, RIFT_ERR_FORMAT, 156 + 8},
        {"version 3, tracks over the limit", 3, 16, RIFT_ANM_MAX_TRACKS + 1, RIFT_ERR_LIMIT, 16},
        {"version 3, tracks past the end", 3, 16, 3, RIFT_ERR_TRUNCATED, 16},
        {"version 3, 4 G frames", 3, 20, UINT32_MAX, RIFT_ERR_TRUNCATED, 16},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        const rift_bytes files[] = {MINIMAL(anm_v3), MINIMAL(anm_v4), MINIMAL(anm_v5)};
        t.anm = (rift_anm){.version = 77};
        CHECK(!parse(fx_patched_u32(&arena, files[rows[i].version - 3], rows[i].patch, rows[i].value)));
        CHECK_CODE(&t.err, rows[i].code);
        CHECK_U64(t.err.offset, rows[i].offset);
        CHECK_U64(t.anm.version, 77); /* untouched */
        done();
        rift_arena_release(&arena);
    }
}

static void robustness(void)
{
    const rift_bytes files[] = {MINIMAL(anm_v3), MINIMAL(anm_v4), MINIMAL(anm_v5)};
    for (size_t i = 0; i < RIFT_COUNT(files); i++) {
        check_prefixes(parse_only, files[i], 0, RIFT_ERR_TRUNCATED);
        check_allocations(parse_only, files[i]);
        check_every_byte(parse_only, files[i]);
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(minimal_files);
    RUN(any_order);
    RUN(repeated_hashes);
    RUN(signs);
    RUN(repairs);
    RUN(dropped_keys);
    RUN(odd_but_readable);
    RUN(one_frame_and_none);
    RUN(refusals);
    RUN(robustness);
    return check_finish();
}
