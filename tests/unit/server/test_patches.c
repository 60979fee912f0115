#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "formats/wad_write.h"
#include "mount/mount.h"
#include "patches/canaries.h"
#include "patches/index.h"
#include "patches/index_internal.h"
#include "patches/index_skins.h"
#include "patches/schedule.h"
#include "support/check.h"
#include "tempdir.h"

static rift_arena arena;
static const atomic_bool never;

static void setup(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 256 * 1024 * 1024);
}

/* ---- schedule ---- */

static void reads_schedules(void)
{
    static const struct {
        const char *text;
        int64_t now_ms, want_ms; /* -1: refused */
    } rows[] = {
        {"600", 0, 600000},
        {"1", 123, 1000},
        {"off", 0, 0},
        {"04:30", 0, 16200000},
        {"00:00", 0, 86400000}, /* now is over */
        {"00:00", 1, 86399999},
        {"04:30,16:00", 20000000, 37600000},
        {"16:00,04:30", 57600000, 45000000},
        {"23:59", INT64_C(1700000000000), 6340000}, /* 22:13:20 of a day */
        {"04:30", -1, 16200001},                    /* a clock before 1970 */
        {"", 0, -1},
        {"0", 0, -1},
        {"2592001", 0, -1},
        {"24:00", 0, -1},
        {"04:60", 0, -1},
        {"4:30", 0, -1},
        {"04:30;16:00", 0, -1},
        {"04:30,", 0, 16200000},
        {",", 0, -1},
        {"on", 0, -1},
        {"-5", 0, -1},
        {"00:00,00:01,00:02,00:03,00:04,00:05,00:06,00:07,00:08,00:09,00:10,00:11,00:12,00:13,00:14,00:15,00:"
         "16,"
         "00:17,00:18,00:19,00:20,00:21,00:22,00:23,00:24",
         0, -1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("\"%s\" at %lld", rows[i].text, (long long)rows[i].now_ms);
        rift_schedule s;
        rift_err err = check_err();
        const bool ok = rift_schedule_parse(&s, rows[i].text, &err);
        CHECK_CODE(&err, rows[i].want_ms < 0 ? RIFT_ERR_ARGUMENT : RIFT_OK);
        if (ok)
            CHECK_I64(rift_schedule_next(&s, rows[i].now_ms), rows[i].want_ms);
    }
}

/* Half past four is due; then somebody sets the clock. */
static void schedule_follows_the_clock(void)
{
    static const int64_t hour = 3600000, day = 86400000;
    static const struct {
        const char *what;
        int64_t now_ms;
        bool may_be;
    } rows[] = {{"as it was planned", 0, true},
                {"on the way", 4 * hour, true},
                {"within the jitter", 5 * hour - 1800000 + 1, true},
                {"passed", 6 * hour, true},
                {"a day back", -day, false},
                {"two days back", -2 * day, false},
                {"a year back", -365 * day, false}};
    rift_schedule s;
    rift_err err = check_err();
    CHECK_FATAL(CHECK_OK(rift_schedule_parse(&s, "04:30", &err), &err));
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].what);
        CHECK(rift_schedule_may_be(&s, 4 * hour + 1800000 + 60000, 60000, rows[i].now_ms) == rows[i].may_be);
    }
}

/* ---- index ---- */

/* One letter an entry, as in the comparison's own test. */
static rift_bytes wad_bytes(const char *names, const char *contents)
{
    rift_wad_item items[8];
    rift_bytes out = {0};
    rift_err err = check_err();
    const rift_wad_write_opts opts = {.major = 3, .minor = 4};
    for (size_t i = 0; i < strlen(names); i++) {
        items[i] =
            (rift_wad_item){.path_hash = (uint64_t)names[i], .data = {(const uint8_t *)&contents[i], 1}};
    }
    CHECK_OK(rift_wad_write(&out, items, strlen(names), &opts, &arena, &err), &err);
    return out;
}

static void put(const char *name, const char *names, const char *contents)
{
    const rift_bytes b = wad_bytes(names, contents);
    tempfile_write("i/new", b.data, b.size);
    CHECK(rename(temppath("i/new"), temppath(name)) == 0);
}

typedef struct bench {
    rift_index *index;
    rift_gamefiles files;
    rift_survey seen;
    rift_wad_diff diff;
    rift_err err;
} bench;

static void look(bench *b)
{
    rift_gamefiles_close(&b->files);
    b->err = check_err();
    CHECK_OK(rift_gamefiles_open(&b->files, temppath("i"), &arena, NULL, &b->err) &&
                 rift_index_survey(&b->seen, b->index, &b->files, &arena, &b->err) &&
                 rift_index_compare(&b->diff, b->index, &b->seen, &arena, &b->err),
             &b->err);
}

static bool is_whole(bench *b, const atomic_bool *cancel)
{
    size_t sound = 0;
    b->err = check_err();
    return rift_index_check(&b->seen, &sound, false, cancel, &arena, &b->err);
}

static int64_t take(bench *b, uint8_t digest)
{
    rift_patch patch = {.version = RIFT_STR("1.2"), .taken_ms = digest, .archives = b->files.count};
    patch.digest.bytes[0] = digest;
    b->err = check_err();
    CHECK_OK(rift_index_take(b->index, &b->seen, &b->diff, digest != 0 ? &patch : NULL, &b->err), &b->err);
    return patch.id;
}

static void reopen(bench *b)
{
    rift_index_close(b->index);
    b->err = check_err();
    CHECK_OK(rift_index_open(&b->index, temppath("patches.db"), NULL, &b->err), &b->err);
}

static void knows_what_was_there(void)
{
    setup();
    bench b = {0};
    bool empty = false, whole = false;
    (void)unlink(temppath("patches.db"));
    tempdir_make("i");
    put("i/a.wad", "ab", "xy");
    put("i/b.wad", "c", "z");
    tempfile_write("i/bad.wad", "no archive", 10);
    reopen(&b);
    CHECK_OK(rift_index_is_empty(b.index, &empty, &b.err), &b.err);
    CHECK(empty);
    look(&b);
    CHECK_U64(b.seen.read_count, 2);
    CHECK_U64(b.seen.read_bytes, 272 + 2 * 32 + 272 + 32);
    CHECK_U64(b.diff.archive_count, 2);
    CHECK_U64(b.seen.seen[2].head.size, 0);
    CHECK_CODE(&b.seen.seen[2].err, RIFT_ERR_FORMAT);
    whole = is_whole(&b, &never);
    CHECK(!whole); /* a file that is no archive, for the first time */
    CHECK_I64(take(&b, 1), 1);

    /* A restart reads no table again, and says the same of the bad one. */
    reopen(&b);
    look(&b);
    CHECK_OK(rift_index_is_empty(b.index, &empty, &b.err), &b.err);
    CHECK(!empty);
    CHECK_U64(b.seen.read_count, 0);
    CHECK_U64(b.seen.read_bytes, 0);
    CHECK_U64(b.diff.archive_count, 0);
    CHECK(b.seen.seen[0].known && b.seen.seen[1].known && !b.seen.seen[2].known);
    CHECK_BYTES(b.seen.seen[0].head, ((rift_bytes){wad_bytes("ab", "xy").data, 272 + 2 * 32}));
    CHECK(is_whole(&b, &never));

    /* Touched, not changed: the table is read and found to be the same. */
    CHECK(utimensat(AT_FDCWD, temppath("i/a.wad"), NULL, 0) == 0);
    look(&b);
    CHECK_U64(b.seen.read_count, 1);
    CHECK_U64(b.seen.changed, 0);
    CHECK_U64(b.diff.archive_count, 0);
    CHECK_I64(take(&b, 0), 0);
    look(&b);
    CHECK_U64(b.seen.read_count, 0);

    /* Another inode, size and content. */
    put("i/a.wad", "abd", "xY!");
    CHECK(rename(temppath("i/b.wad"), temppath("i/e.wad")) == 0);
    look(&b);
    CHECK_U64(b.seen.read_count, 2);
    CHECK_U64(b.seen.gone_count, 1);
    CHECK_U64(b.diff.archive_count, 2);
    CHECK_I64(b.diff.archives[0].what, RIFT_CHANGE_CHANGED);
    CHECK_U64(b.diff.archives[0].counts[RIFT_CHANGE_CHANGED], 1);
    CHECK_U64(b.diff.archives[0].counts[RIFT_CHANGE_ADDED], 1);
    CHECK_I64(b.diff.archives[1].what, RIFT_CHANGE_RENAMED);
    CHECK(is_whole(&b, &never));
    CHECK_I64(take(&b, 2), 2);

    rift_patch *patches;
    size_t count = 0;
    CHECK_OK(rift_index_patches(b.index, 0, 10, &patches, &count, &arena, &b.err), &b.err);
    CHECK_U64(count, 2);
    CHECK_I64(patches[0].id, 2);
    CHECK_U64(patches[0].digest.bytes[0], 2);
    CHECK_STR(patches[0].version, RIFT_STR("1.2"));
    CHECK_I64(patches[1].id, 1);
    rift_patch_archive *archives;
    CHECK_OK(rift_index_patch_archives(b.index, 2, &archives, &count, &arena, &b.err), &b.err);
    CHECK_U64(count, 2);
    CHECK_STR(archives[0].path, RIFT_STR("a.wad"));
    CHECK_U64(archives[0].changed, 1);
    CHECK_STR(archives[1].path, RIFT_STR("e.wad"));
    CHECK_STR(archives[1].came_from, RIFT_STR("b.wad"));
    CHECK_I64(archives[1].change, RIFT_CHANGE_RENAMED);

    rift_gamefiles_close(&b.files);
    rift_index_close(b.index);
}

/* What a patcher leaves behind while it works. */
static void tells_what_is_not_whole(void)
{
    setup();
    bench b = {0};
    (void)unlink(temppath("patches.db"));
    (void)unlink(temppath("i/bad.wad"));
    (void)unlink(temppath("i/e.wad"));
    put("i/a.wad", "abd", "xY!");
    reopen(&b);
    look(&b);
    CHECK(is_whole(&b, &never));
    (void)take(&b, 1);
    rift_bytes now = wad_bytes("abdf", "xY!?");

    uint8_t *bytes = malloc(now.size);
    memcpy(bytes, now.data, now.size);
    static const struct {
        const char *name;
        size_t cut;   /* bytes off the end */
        size_t wrong; /* bytes at the end that are zeros */
        rift_status want;
    } rows[] = {
        {"whole", 0, 0, RIFT_OK},
        {"the last byte is missing", 1, 0, RIFT_ERR_TRUNCATED},
        {"the last byte is not written", 0, 1, RIFT_ERR_FORMAT},
        {"half of the table", 5 + 32, 0, RIFT_ERR_TRUNCATED},
        {"nothing", SIZE_MAX, 0, RIFT_ERR_TRUNCATED},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        const size_t size = rows[i].cut > now.size ? 0 : now.size - rows[i].cut;
        memcpy(bytes, now.data, now.size);
        memset(bytes + now.size - rows[i].wrong, 0, rows[i].wrong);
        tempfile_write("i/new", bytes, size);
        CHECK(rename(temppath("i/new"), temppath("i/a.wad")) == 0);
        look(&b);
        CHECK_U64(is_whole(&b, &never), rows[i].want == RIFT_OK);
        CHECK_CODE(&b.err, rows[i].want);
    }
    /* Cut behind its table, which is the known one. */
    check_row("cut, with the old table");
    now = wad_bytes("abd", "xY!");
    tempfile_write("i/new", now.data, now.size - 1);
    CHECK(rename(temppath("i/new"), temppath("i/a.wad")) == 0);
    look(&b);
    CHECK_U64(b.diff.archive_count, 1);
    CHECK(!is_whole(&b, &never));
    CHECK_CODE(&b.err, RIFT_ERR_TRUNCATED);
    check_row("cancelled");
    tempfile_write("i/new", bytes, now.size);
    const atomic_bool cancelled = true;
    put("i/a.wad", "ab", "12");
    look(&b);
    CHECK(!is_whole(&b, &cancelled));
    CHECK_CODE(&b.err, RIFT_ERR_CANCELLED);
    free(bytes);
    rift_gamefiles_close(&b.files);
    rift_index_close(b.index);
}

static void survives_failing_memory(void)
{
    setup();
    bench b = {0};
    put("i/a.wad", "abd", "xY!");
    reopen(&b);
    look(&b);
    uint64_t fail_at = 0;
    bool ok = false;
    while (!ok && fail_at < 1000) {
        rift_arena small;
        rift_err err = check_err();
        rift_survey seen;
        rift_wad_diff diff;
        rift_arena_init(&small, 64 * 1024 * 1024);
        small.fail_at = ++fail_at;
        size_t sound = 0;
        ok = rift_index_survey(&seen, b.index, &b.files, &small, &err) &&
             rift_index_check(&seen, &sound, false, &never, &small, &err) &&
             rift_index_compare(&diff, b.index, &seen, &small, &err);
        CHECK_CODE(&err, ok ? RIFT_OK : RIFT_ERR_NOMEM);
        rift_arena_release(&small);
    }
    CHECK(ok && fail_at > 5);
    rift_gamefiles_close(&b.files);
    rift_index_close(b.index);
}

static void mounts_from_known_tables(void)
{
    setup();
    rift_mount *m = NULL;
    rift_report report;
    rift_err err = check_err();
    put("i/a.wad", "abd", "xY!");
    CHECK_FATAL(CHECK_OK(rift_mount_find(&m, temppath("i"), &report, &err), &err));
    CHECK_U64(m->dir.files.count, 1);
    /* A table that says otherwise than the file does is believed, so it was not read from there. */
    rift_bytes known = wad_bytes("abg", "xY!");
    const rift_bytes heads[] = {{known.data, 272 + 3 * 32}};
    CHECK_FATAL(CHECK_OK(rift_mount_fill(m, temppath("i"), heads, &report, &err), &err));
    CHECK(rift_game_has(&m->dir.game, 'g') && !rift_game_has(&m->dir.game, 'd'));
    rift_bytes out;
    rift_asset_use use;
    const rift_asset_path path = {.hash = 'g'};
    CHECK_OK(m->assets.read(m->assets.user, &path, &arena, &out, &use, &err), &err);
    CHECK_BYTES(out, ((rift_bytes){(const uint8_t *)"!", 1}));
    CHECK(rift_mount_is_intact(m));
    CHECK(rift_mount_ref(m) == m);
    rift_mount_unref(m);
    rift_mount_unref(m);
    rift_mount_unref(NULL);
}

/* What each shows, as letters; the last used first. */
static void canaries_cover_first(void)
{
    static const struct {
        const char *alias;
        uint32_t number;
        const char *shows;
        bool gone;
    } skins[] = {{"a", 1, "abc", false}, {"a", 2, "abcd", false}, {"b", 1, "ef", false},
                 {"b", 2, "eg", false},  {"b", 3, "efgh", true},  {"c", 1, "", false},
                 {"a", 3, "", false},    {"c", 2, "a", false}};
    static const struct {
        size_t max;
        const char *want; /* a letter each, in the order above */
    } rows[] = {{0, "........"}, {1, ".x......"}, {2, ".xx....."}, {3, ".xxx...."}, {4, ".xxx.x.."},
                {5, "xxxx.x.."}, {6, "xxxx.x.x"}, {7, "xxxx.xxx"}, {9, "xxxx.xxx"}};
    rift_err err = check_err();
    for (size_t r = 0; r < RIFT_COUNT(rows); r++) {
        rift_stale stale[RIFT_COUNT(skins)] = {0};
        for (size_t i = 0; i < RIFT_COUNT(skins); i++) {
            stale[i].spec = (rift_job_spec){.alias = rift_str_c(skins[i].alias), .number = skins[i].number};
            stale[i].last_used = 100 - (int64_t)i;
            stale[i].gone = skins[i].gone;
            for (const char *c = skins[i].shows; *c != '\0'; c++)
                stale[i].features |= UINT64_C(1) << (*c - 'a');
        }
        CHECK_OK(rift_canaries_choose(stale, RIFT_COUNT(skins), rows[r].max, &arena, &err), &err);
        for (size_t i = 0; i < RIFT_COUNT(skins); i++) {
            check_row("%zu of %zu", i, rows[r].max);
            CHECK(stale[i].canary == (rows[r].want[i] == 'x'));
        }
    }
    CHECK_OK(rift_canaries_choose(NULL, 0, 5, &arena, &err), &err);
}

/* `entries` files of one byte each, the first of which is `first`. */
static void put_many(size_t number, size_t entries, uint8_t first)
{
    static const uint8_t bytes[] = {0, 1};
    char name[32];
    rift_bytes out = {0};
    rift_err err = check_err();
    const rift_wad_write_opts opts = {.major = 3, .minor = 4};
    rift_arena own;
    rift_arena_init(&own, 64 * 1024 * 1024);
    rift_wad_item *items = RIFT_NEW(&own, rift_wad_item, entries);
    CHECK_FATAL(items != NULL);
    for (size_t i = 0; i < entries; i++)
        items[i] =
            (rift_wad_item){.path_hash = number * entries + i, .data = {&bytes[i == 0 ? first : 0], 1}};
    CHECK_OK(rift_wad_write(&out, items, entries, &opts, &own, &err), &err);
    (void)snprintf(name, sizeof name, "i/%zu.wad", number);
    tempfile_write("i/new", out.data, out.size);
    CHECK(rename(temppath("i/new"), temppath(name)) == 0);
    rift_arena_release(&own);
}

static int rows_written(const bench *b)
{
    return sqlite3_total_changes(rift_index_db(b->index));
}

/* One archive of many is another one: one table is read, three rows are written. */
static void one_changes(bench *b, size_t entries)
{
    put_many(0, entries, 1);
    look(b);
    CHECK_U64(b->seen.read_count, 1);
    CHECK_U64(b->seen.read_bytes, 272 + entries * 32);
    CHECK_U64(b->diff.archive_count, 1);
    CHECK_U64(b->diff.archives[0].entry_count, 1);
    const int before = rows_written(b);
    CHECK_I64(take(b, 2), 2);
    CHECK_I64(rows_written(b) - before, 3);
}

/* The work of a look is that of its archives and their entries, however many, up to 200 with 400,000: each table is read once, after a restart none, and a patch
 * costs what it changed. */
static void looks_in_proportion(void)
{
    static const size_t rows[][2] = {{1, 3}, {40, 3}, {200, 200}, {200, 2000}};
    size_t peaks[RIFT_COUNT(rows)] = {0};
    for (size_t r = 0; r < RIFT_COUNT(rows); r++) {
        const size_t archives = rows[r][0], entries = rows[r][1];
        bench b = {0};
        check_row("%zu archives of %zu entries", archives, entries);
        setup();
        (void)unlink(temppath("patches.db"));
        tempdir_make("i");
        for (size_t i = 0; i < archives; i++)
            put_many(i, entries, 0);
        reopen(&b);
        look(&b);
        peaks[r] = arena.peak;
        CHECK_U64(b.seen.read_count, archives);
        CHECK_U64(b.seen.read_bytes, archives * (272 + entries * 32));
        CHECK(arena.push_count <= 64 * archives + 64);
        CHECK_I64(take(&b, 1), 1);
        CHECK_I64(rows_written(&b), (int64_t)(2 * archives + 1));
        reopen(&b);
        look(&b);
        CHECK_U64(b.seen.read_count, 0);
        CHECK_U64(b.seen.read_bytes, 0);
        one_changes(&b, entries);
        rift_gamefiles_close(&b.files);
        rift_index_close(b.index);
        for (size_t i = 0; i < archives; i++) {
            char name[32];
            (void)snprintf(name, sizeof name, "i/%zu.wad", i);
            CHECK(unlink(temppath(name)) == 0);
        }
    }
    CHECK(peaks[3] <= 10 * peaks[2]); /* ten times the entries */
}

static bench with_one_archive(void)
{
    setup();
    bench b = {0};
    (void)unlink(temppath("patches.db"));
    tempdir_make("i");
    put("i/a.wad", "abc", "xyz");
    reopen(&b);
    look(&b);
    CHECK_I64(take(&b, 1), 1);
    return b;
}

/* In place, as large as it was, and with its old time: only the system's own time tells. */
static void sees_through_a_time_put_back(void)
{
    bench b = with_one_archive();
    struct stat st;
    CHECK_FATAL(stat(temppath("i/a.wad"), &st) == 0);
    const rift_bytes other = wad_bytes("abd", "xyz");
    CHECK_U64(other.size, (uint64_t)st.st_size);
    tempfile_write("i/a.wad", other.data, other.size);
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    CHECK(utimensat(AT_FDCWD, temppath("i/a.wad"), times, 0) == 0);
    look(&b);
    CHECK_U64(b.seen.read_count, 1);
    CHECK_U64(b.diff.archive_count, 1);
    rift_gamefiles_close(&b.files);
    rift_index_close(b.index);
    CHECK(unlink(temppath("i/a.wad")) == 0);
}

static void write_at_end(char byte)
{
    rift_bytes now = wad_bytes("abc", "xyz");
    uint8_t bytes[272 + 3 * 32 + 3];
    CHECK_FATAL(now.size == sizeof bytes);
    memcpy(bytes, now.data, sizeof bytes);
    bytes[sizeof bytes - 1] = (uint8_t)byte;
    tempfile_write("i/a.wad", bytes, sizeof bytes);
    CHECK(utimensat(AT_FDCWD, temppath("i/a.wad"), NULL, 0) == 0);
}

/* What lies under a table counts: other bytes are a change when they come, and when they go, and not when they are known. */
static void looks_below_the_table(void)
{
    static const struct {
        const char *name;
        char last;
        bool whole;
        size_t changed;
    } rows[] = {{"touched", 'z', true, 0},
                {"another byte", 'q', false, 1},
                {"the same other byte", 'q', true, 0},
                {"one more", 'r', false, 1},
                {"as it was", 'z', true, 1}};
    bench b = with_one_archive();
    put("i/b.wad", "d", "w");
    look(&b);
    (void)take(&b, 2);
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        size_t sound = 0;
        write_at_end(rows[i].last);
        look(&b);
        CHECK(b.seen.seen[0].touched && !b.seen.seen[1].touched);
        CHECK(is_whole(&b, &never) == rows[i].whole);
        CHECK_CODE(&b.err, rows[i].whole ? RIFT_OK : RIFT_ERR_FORMAT);
        look(&b);
        CHECK_OK(rift_index_check(&b.seen, &sound, true, &never, &arena, &b.err) &&
                     rift_index_compare(&b.diff, b.index, &b.seen, &arena, &b.err),
                 &b.err);
        CHECK_U64(sound, rows[i].last == 'z' ? 2 : 0);
        CHECK_U64(b.diff.archive_count, rows[i].changed);
        CHECK_U64(b.seen.changed, rows[i].changed);
        if (rows[i].changed > 0)
            CHECK_U64(b.diff.archives[0].counts[RIFT_CHANGE_CHANGED], 1);
        (void)take(&b, 0);
    }
    rift_gamefiles_close(&b.files);
    rift_index_close(b.index);
    CHECK(unlink(temppath("i/a.wad")) == 0 && unlink(temppath("i/b.wad")) == 0);
}

/* Files before the converter before the name tables; of each the pinned ones first, then those used last. Canaries before all. */
static void sweeps_in_order(void)
{
    static const struct {
        uint32_t number;
        rift_stale_reason reason;
        bool pinned, canary;
        int64_t last_used;
    } rows[] = {{7, RIFT_STALE_NAMES, true, false, 90},      {5, RIFT_STALE_CONVERTER, true, false, 1},
                {6, RIFT_STALE_CONVERTER, false, false, 99}, {4, RIFT_STALE_FILES, false, false, 10},
                {3, RIFT_STALE_FILES, false, false, 20},     {2, RIFT_STALE_FILES, true, false, 2},
                {1, RIFT_STALE_NAMES, false, true, 3}};
    bench b = with_one_archive();
    rift_stale stale[RIFT_COUNT(rows)] = {0};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        stale[i] = (rift_stale){.spec = {.alias = RIFT_STR("a"), .number = rows[i].number},
                                .reason = rows[i].reason,
                                .pinned = rows[i].pinned,
                                .last_used = rows[i].last_used,
                                .features = rows[i].canary};
    }
    rift_relabel found = {.stale = stale, .stale_count = RIFT_COUNT(rows)};
    CHECK_OK(rift_index_add_skins(b.index, 1, &found, 1, &arena, &b.err), &b.err);
    for (uint32_t want = 1; want <= RIFT_COUNT(rows); want++) {
        rift_patch_skin next = {0};
        bool is_found = false;
        CHECK_OK(rift_index_next_skin(b.index, 1, &is_found, &next, &arena, &b.err), &b.err);
        CHECK(is_found);
        CHECK_U64(next.spec.number, want);
        next.state = RIFT_SWEEP_MADE;
        CHECK_OK(rift_index_end_skin(b.index, 1, &next, &b.err), &b.err);
    }
    rift_gamefiles_close(&b.files);
    rift_index_close(b.index);
    CHECK(unlink(temppath("i/a.wad")) == 0);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(reads_schedules);
    RUN(schedule_follows_the_clock);
    RUN(looks_in_proportion);
    RUN(sees_through_a_time_put_back);
    RUN(looks_below_the_table);
    RUN(sweeps_in_order);
    RUN(knows_what_was_there);
    RUN(tells_what_is_not_whole);
    RUN(canaries_cover_first);
    RUN(survives_failing_memory);
    RUN(mounts_from_known_tables);
    rift_arena_release(&arena);
    return check_finish();
}
