#include "formats/wad.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/source.h"
#include "base/str.h"
#include "formats/wad_write.h"
#include "hash/hash.h"
#include "support/check.h"

enum { ARENA_LIMIT = 64 * 1024 * 1024 };

static const char PATH[] = "DATA/FINAL/Champions/Lux.wad.client";

/* An archive in memory with everything that a test needs around it. */
typedef struct bench {
    rift_arena arena;
    rift_report report;
    rift_err err;
    rift_bytes file;
    rift_wad wad;
} bench;

static void begin(bench *b)
{
    *b = (bench){.err = check_err()};
    rift_arena_init(&b->arena, ARENA_LIMIT);
    rift_report_init(&b->report, &b->arena);
}

static void end(bench *b)
{
    rift_arena_release(&b->arena);
}

static bool open_at(bench *b, const char *path)
{
    return rift_wad_open(&b->wad, rift_source_from_bytes(&b->file), rift_str_c(path), &b->arena, &b->report,
                         &b->err);
}

static bool open_file(bench *b)
{
    return open_at(b, PATH);
}

static uint8_t *copy(bench *b, const uint8_t *data, size_t size)
{
    uint8_t *p = rift_arena_push(&b->arena, size, 1, 1);
    memcpy(p, data, size);
    b->file = (rift_bytes){p, size};
    return p;
}

/* The smallest archive with something in it, as the document gives it: version 3.3, one raw file "abcd". */
enum { MINIMAL_SIZE = 308, MINIMAL_RECORD = 272, MINIMAL_DATA = 304 };

static void minimal(uint8_t out[MINIMAL_SIZE])
{
    static const uint8_t count_and_record[] = {
        1,    0,    0,    0,                            /* one entry */
        0xe6, 0x0f, 0x89, 0x50, 0xf7, 0x0a, 0xfe, 0x02, /* data/characters/lux/lux.bin */
        0x30, 0x01, 0x00, 0x00,                         /* data at 304 */
        4,    0,    0,    0,    4,    0,    0,    0,    /* stored and unpacked size */
        0,    0,    0,    0,                            /* raw, no duplicate, no sub-chunks */
        0,    0,    0,    0,    0,    0,    0,    0,    /* no checksum */
        'a',  'b',  'c',  'd'};
    memset(out, 0, MINIMAL_SIZE);
    memcpy(out, "RW\x03\x03", 4);
    memcpy(out + 268, count_and_record, sizeof count_and_record);
}

static void reads_the_minimal_archive(void)
{
    bench b;
    uint8_t bytes[MINIMAL_SIZE];
    minimal(bytes);
    begin(&b);
    b.file = (rift_bytes){bytes, sizeof bytes};
    CHECK_OK(open_file(&b), &b.err);
    CHECK_U64(b.wad.major, 3);
    CHECK_U64(b.wad.minor, 3);
    CHECK_U64(b.wad.entry_count, 1);
    CHECK_U64(b.wad.checksum_kind, RIFT_WAD_SUM_XXH3);
    CHECK_U64(b.report.entry_count, 0);
    const rift_wad_entry *e =
        rift_wad_lookup(&b.wad, rift_path_hash(RIFT_STR("DATA/Characters/Lux/Lux.bin")));
    CHECK_FATAL(e != NULL);
    CHECK_U64(e->path_hash, 0x02fe0af750890fe6);
    CHECK_U64(e->offset, 304);
    rift_bytes out = {0};
    CHECK_OK(rift_wad_read(&b.wad, e, &b.arena, &out, &b.err), &b.err);
    CHECK_STR(((rift_str){(const char *)out.data, out.size}), RIFT_STR("abcd"));
    CHECK(rift_wad_lookup(&b.wad, 1) == NULL);
    end(&b);
}

static void writes_the_minimal_archive(void)
{
    bench b;
    uint8_t bytes[MINIMAL_SIZE];
    minimal(bytes);
    begin(&b);
    const rift_wad_item item = {.path_hash = 0x02fe0af750890fe6, .data = {(const uint8_t *)"abcd", 4}};
    const rift_wad_write_opts opts = {.major = 3, .minor = 3};
    rift_bytes out = {0};
    CHECK_OK(rift_wad_write(&out, &item, 1, &opts, &b.arena, &b.err), &b.err);
    /* Only the checksum differs: XXH3 of "abcd", 0x6497a96f53a89890 (by the library's own Python binding). */
    static const uint8_t sum[] = {0x90, 0x98, 0xa8, 0x53, 0x6f, 0xa9, 0x97, 0x64};
    memcpy(bytes + MINIMAL_RECORD + 24, sum, sizeof sum);
    CHECK_BYTES(out, ((rift_bytes){bytes, sizeof bytes}));
    end(&b);
}

/* Refusals at opening: a change of some bytes of a sound archive, or a cut. */
typedef struct open_row {
    const char *name;
    uint8_t major;
    size_t at;
    const char *bytes;
    size_t byte_count;
    rift_status code;
    uint64_t offset;
} open_row;

static void make_one_entry(bench *b, uint8_t major, uint8_t minor, rift_wad_storage storage)
{
    const rift_wad_item item = {.path_hash = 7, .data = {(const uint8_t *)"abcd", 4}, .storage = storage};
    const rift_wad_write_opts opts = {.major = major, .minor = minor};
    CHECK_OK(rift_wad_write(&b->file, &item, 1, &opts, &b->arena, &b->err), &b->err);
}

static void refuses_bad_headers(void)
{
    static const open_row rows[] = {
        {"bad magic", 3, 0, "X", 1, RIFT_ERR_FORMAT, 0},
        {"bad second letter", 3, 1, "w", 1, RIFT_ERR_FORMAT, 0},
        {"major 0", 3, 2, "\0", 1, RIFT_ERR_UNSUPPORTED, 2},
        {"major 4", 3, 2, "\4", 1, RIFT_ERR_UNSUPPORTED, 2},
        {"major 255", 3, 2, "\377", 1, RIFT_ERR_UNSUPPORTED, 2},
        {"negative count", 3, 268, "\377\377\377\377", 4, RIFT_ERR_FORMAT, 268},
        {"count past the end", 3, 268, "\2", 1, RIFT_ERR_TRUNCATED, 268},
        {"count over the limit", 3, 268, "\1\0\100\0", 4, RIFT_ERR_LIMIT, 268},
        {"v1 entry size 23", 1, 6, "\27", 1, RIFT_ERR_FORMAT, 6},
        {"v1 entry size 0", 1, 6, "\0", 1, RIFT_ERR_FORMAT, 6},
        {"v1 table in the header", 1, 4, "\13", 1, RIFT_ERR_FORMAT, 4},
        {"v1 table past the end", 1, 4, "\0\1", 2, RIFT_ERR_TRUNCATED, 8},
        {"v1 count past the end", 1, 8, "\3", 1, RIFT_ERR_TRUNCATED, 8},
        {"v1 count over the limit", 1, 8, "\377\377\377\377", 4, RIFT_ERR_LIMIT, 8},
        {"v2 entry size 31", 2, 98, "\37", 1, RIFT_ERR_FORMAT, 98},
        {"v2 table in the header", 2, 96, "\147", 1, RIFT_ERR_FORMAT, 96},
        {"v2 table past the end", 2, 96, "\377\377", 2, RIFT_ERR_TRUNCATED, 100},
        {"v2 count past the end", 2, 100, "\3", 1, RIFT_ERR_TRUNCATED, 100},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench b;
        begin(&b);
        check_row("%s", rows[i].name);
        make_one_entry(&b, rows[i].major, 0, RIFT_WAD_RAW);
        uint8_t *bytes = copy(&b, b.file.data, b.file.size);
        memcpy(bytes + rows[i].at, rows[i].bytes, rows[i].byte_count);
        b.wad.major = 99;
        CHECK(!open_file(&b));
        CHECK_CODE(&b.err, rows[i].code);
        CHECK_U64(b.err.offset, rows[i].offset);
        CHECK_U64(b.wad.major, 99); /* untouched */
        end(&b);
    }
}

/* Refusals of one entry: the archive opens, and the other entry reads. */
static void refuses_bad_entries(void)
{
    enum { FIRST = 272, SIZE_FIELD = FIRST + 16, STORAGE_FIELD = FIRST + 20, DATA = 272 + 64 };
    static const struct {
        const char *name;
        rift_wad_storage storage;
        size_t at;
        const char *bytes;
        size_t byte_count;
        rift_status code;
        uint64_t offset;
    } rows[] = {
        {"offset past the end", RIFT_WAD_RAW, FIRST + 8, "\0\0\1", 3, RIFT_ERR_TRUNCATED, FIRST + 8},
        {"offset + size wraps 32 bits", RIFT_WAD_RAW, FIRST + 8, "\377\377\377\377", 4, RIFT_ERR_TRUNCATED,
         FIRST + 8},
        {"stored size past the end", RIFT_WAD_RAW, FIRST + 12, "\0\1\0\0\0\1", 6, RIFT_ERR_TRUNCATED,
         FIRST + 8},
        {"storage 5", RIFT_WAD_RAW, STORAGE_FIELD, "\5", 1, RIFT_ERR_UNSUPPORTED, STORAGE_FIELD},
        {"storage 15 under a count", RIFT_WAD_RAW, STORAGE_FIELD, "\177", 1, RIFT_ERR_UNSUPPORTED,
         STORAGE_FIELD},
        {"raw with another size", RIFT_WAD_RAW, SIZE_FIELD, "\5", 1, RIFT_ERR_FORMAT, SIZE_FIELD},
        {"over 1 GiB", RIFT_WAD_ZSTD, SIZE_FIELD, "\1\0\0\100", 4, RIFT_ERR_LIMIT, SIZE_FIELD},
        {"more than gzip can hold", RIFT_WAD_GZIP, SIZE_FIELD, "\0\0\1", 3, RIFT_ERR_FORMAT, SIZE_FIELD},
        {"more than zstd can hold", RIFT_WAD_ZSTD, SIZE_FIELD, "\0\0\0\1", 4, RIFT_ERR_FORMAT, SIZE_FIELD},
        {"gzip holds more", RIFT_WAD_GZIP, SIZE_FIELD, "\3", 1, RIFT_ERR_FORMAT, RIFT_NO_OFFSET},
        {"gzip holds less", RIFT_WAD_GZIP, SIZE_FIELD, "\5", 1, RIFT_ERR_FORMAT, RIFT_NO_OFFSET},
        {"zstd holds more", RIFT_WAD_ZSTD, SIZE_FIELD, "\3", 1, RIFT_ERR_FORMAT, RIFT_NO_OFFSET},
        {"zstd holds less", RIFT_WAD_ZSTD, SIZE_FIELD, "\5", 1, RIFT_ERR_FORMAT, RIFT_NO_OFFSET},
        {"gzip magic", RIFT_WAD_GZIP, DATA, "\0", 1, RIFT_ERR_FORMAT, RIFT_NO_OFFSET},
        {"zstd magic", RIFT_WAD_ZSTD, DATA, "\0", 1, RIFT_ERR_FORMAT, RIFT_NO_OFFSET},
        {"zstd stored size short", RIFT_WAD_ZSTD, FIRST + 12, "\6", 1, RIFT_ERR_TRUNCATED, RIFT_NO_OFFSET},
        {"gzip stored size short", RIFT_WAD_GZIP, FIRST + 12, "\14", 1, RIFT_ERR_TRUNCATED, RIFT_NO_OFFSET},
        {"chunks hold more", RIFT_WAD_ZSTD_CHUNKED, SIZE_FIELD, "\3", 1, RIFT_ERR_FORMAT, DATA},
        {"chunks hold less", RIFT_WAD_ZSTD_CHUNKED, SIZE_FIELD, "\5", 1, RIFT_ERR_TRUNCATED, DATA},
        {"bytes behind the chunks", RIFT_WAD_ZSTD_CHUNKED, SIZE_FIELD, "\0", 1, RIFT_ERR_FORMAT, DATA},
        {"redirect longer than stored", RIFT_WAD_REDIRECT, DATA, "\5", 1, RIFT_ERR_TRUNCATED, DATA},
        {"redirect", RIFT_WAD_REDIRECT, DATA, "\4", 1, RIFT_ERR_UNSUPPORTED, DATA},
    };
    static const uint8_t text[] = "abcd";
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench b;
        begin(&b);
        check_row("%s", rows[i].name);
        const rift_wad_item items[] = {
            {.path_hash = 1, .data = {text, 4}, .storage = rows[i].storage, .chunk_count = 1},
            {.path_hash = 2, .data = {text, 4}}};
        const rift_wad_write_opts opts = {.major = 3, .minor = 3, .omit_chunk_table = true};
        CHECK_OK(rift_wad_write(&b.file, items, 2, &opts, &b.arena, &b.err), &b.err);
        uint8_t *bytes = copy(&b, b.file.data, b.file.size);
        memcpy(bytes + rows[i].at, rows[i].bytes, rows[i].byte_count);
        CHECK_OK(open_file(&b), &b.err);
        rift_bytes out = {0};
        CHECK_OK(rift_wad_read(&b.wad, &b.wad.entries[1], &b.arena, &out, &b.err), &b.err);
        CHECK_BYTES(out, items[1].data);
        const rift_bytes before = out;
        CHECK(!rift_wad_read(&b.wad, &b.wad.entries[0], &b.arena, &out, &b.err));
        CHECK_CODE(&b.err, rows[i].code);
        CHECK_U64(b.err.offset, rows[i].offset);
        CHECK(out.data == before.data);
        CHECK_U64(rift_report_count(&b.report, "wad_entry_outside"), b.wad.entries[0].outside);
        CHECK_U64(b.wad.entries[0].outside,
                  rows[i].code == RIFT_ERR_TRUNCATED && rows[i].offset == FIRST + 8);
        end(&b);
    }
}

static void names_the_target_of_a_redirect(void)
{
    bench b;
    begin(&b);
    static const char target[] = "ASSETS/Other\001.wad";
    const rift_wad_item item = {.path_hash = 1,
                                .data = {(const uint8_t *)target, sizeof target}, /* with its NUL */
                                .storage = RIFT_WAD_REDIRECT};
    const rift_wad_write_opts opts = {.major = 3, .minor = 1};
    rift_bytes out = {0};
    CHECK_OK(rift_wad_write(&b.file, &item, 1, &opts, &b.arena, &b.err), &b.err);
    CHECK_OK(open_file(&b), &b.err);
    CHECK(!rift_wad_read(&b.wad, b.wad.entries, &b.arena, &out, &b.err));
    CHECK_CODE(&b.err, RIFT_ERR_UNSUPPORTED);
    CHECK(strstr(b.err.text, "\"ASSETS/Other?.wad\"") != NULL);
    end(&b);
}

/* Compressible, and different in each place. */
static rift_bytes sample(rift_arena *arena, size_t size, uint8_t seed)
{
    uint8_t *p = rift_arena_push(arena, size, 1, 1);
    for (size_t i = 0; i < size; i++)
        p[i] = (uint8_t)(seed + i / 7 + (i % 50 == 0 ? i / 50 : 0));
    return (rift_bytes){p, size};
}

static const struct version {
    uint8_t major, minor;
    rift_wad_checksum kind;
} VERSIONS[] = {
    {1, 0, RIFT_WAD_SUM_NONE},   {2, 0, RIFT_WAD_SUM_SHA256}, {2, 1, RIFT_WAD_SUM_SHA256},
    {3, 0, RIFT_WAD_SUM_SHA256}, {3, 1, RIFT_WAD_SUM_XXH3},   {3, 2, RIFT_WAD_SUM_XXH3},
    {3, 3, RIFT_WAD_SUM_XXH3},   {3, 4, RIFT_WAD_SUM_XXH3},
};

static size_t make_items(bench *b, const struct version *v, rift_wad_item items[6])
{
    const rift_wad_item all[6] = {
        {.path_hash = 60, .data = sample(&b->arena, 300, 1), .storage = RIFT_WAD_RAW},
        {.path_hash = 50, .data = sample(&b->arena, 5000, 2), .storage = RIFT_WAD_GZIP},
        {.path_hash = 40, .data = sample(&b->arena, 5000, 3), .storage = RIFT_WAD_ZSTD},
        {.path_hash = 30, .data = {NULL, 0}, .storage = RIFT_WAD_RAW},
        {.path_hash = 20,
         .data = sample(&b->arena, 7777, 4),
         .storage = RIFT_WAD_ZSTD_CHUNKED,
         .chunk_count = 5},
        {.path_hash = 10,
         .data = sample(&b->arena, 900, 5),
         .storage = RIFT_WAD_ZSTD_CHUNKED,
         .chunk_count = 1},
    };
    memcpy(items, all, sizeof all);
    return v->major == 3 ? 6 : 4;
}

static void check_items(bench *b, const rift_wad_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const rift_wad_entry *e = rift_wad_lookup(&b->wad, items[i].path_hash);
        rift_bytes out = {0};
        if (!CHECK(e != NULL))
            continue;
        if (CHECK_OK(rift_wad_read(&b->wad, e, &b->arena, &out, &b->err), &b->err))
            CHECK_BYTES(out, items[i].data);
    }
}

static void reads_every_version_and_storage(void)
{
    for (size_t i = 0; i < RIFT_COUNT(VERSIONS); i++) {
        for (int with_table = 0; with_table < 2; with_table++) {
            bench b;
            rift_wad_item items[6];
            begin(&b);
            check_row("version %u.%u, table %d", VERSIONS[i].major, VERSIONS[i].minor, with_table);
            const size_t count = make_items(&b, &VERSIONS[i], items);
            const rift_wad_write_opts opts = {.major = VERSIONS[i].major,
                                              .minor = VERSIONS[i].minor,
                                              .path = rift_str_c(PATH),
                                              .omit_chunk_table = !with_table};
            CHECK_OK(rift_wad_write(&b.file, items, count, &opts, &b.arena, &b.err), &b.err);
            CHECK_OK(open_file(&b), &b.err);
            CHECK_U64(b.wad.checksum_kind, VERSIONS[i].kind);
            CHECK_U64(b.wad.entry_count, count + (count == 6 && with_table));
            CHECK_U64(b.wad.chunk_count, count == 6 && with_table ? 6 : 0);
            CHECK_U64(b.report.entry_count, 0);
            check_items(&b, items, count);
            end(&b);
        }
    }
}

/* The four bytes at a record's storage byte, by the document. */
static void reads_records_by_minor_version(void)
{
    static const struct {
        uint8_t major, minor;
        uint8_t bytes[4];
        uint8_t storage, count;
        uint32_t first;
    } rows[] = {
        {2, 0, {0x03, 1, 0, 0}, 3, 0, 0},
        {3, 0, {0x24, 0, 0x34, 0x12}, 4, 2, 0x1234},
        {3, 3, {0xf4, 1, 0x34, 0x12}, 4, 15, 0x1234},
        {3, 4, {0x24, 1, 0x03, 0x02}, 4, 2, 0x010203},
        {3, 4, {0x14, 0xff, 0xff, 0xff}, 4, 1, 0xffffff},
        {3, 9, {0x24, 1, 0x03, 0x02}, 4, 2, 0x010203},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench b;
        begin(&b);
        check_row("row %zu", i);
        make_one_entry(&b, rows[i].major, 0, RIFT_WAD_RAW);
        uint8_t *bytes = copy(&b, b.file.data, b.file.size);
        bytes[3] = rows[i].minor;
        memcpy(bytes + (rows[i].major == 2 ? 104 : 272) + 20, rows[i].bytes, 4);
        CHECK_OK(open_file(&b), &b.err);
        CHECK_U64(b.wad.entries->storage, rows[i].storage);
        CHECK_U64(b.wad.entries->chunk_count, rows[i].count);
        CHECK_U64(b.wad.entries->first_chunk, rows[i].first);
        CHECK_U64(rift_report_count(&b.report, "wad_minor_unknown"), rows[i].minor > 4);
        end(&b);
    }
}

static void reads_version_1_by_hand(void)
{
    static const uint8_t bytes[] = {'R',  'W',  1,    0,    16,   0,    28,   0,    1,   0,  0,
                                    0,    0xee, 0xee, 0xee, 0xee, /* table at 16, entries of 28 */
                                    8,    7,    6,    5,    4,    3,    2,    1,    44,  0,  0,
                                    0,    2,    0,    0,    0,    2,    0,    0,    0, /* hash, offset, sizes */
                                    0xf0, 0xff, 0xff, 0xff, 0xee, 0xee, 0xee, 0xee, 'h', 'i'}; /* type, unknown, data */
    bench b;
    rift_bytes out = {0};
    begin(&b);
    b.file = (rift_bytes){bytes, sizeof bytes};
    CHECK_OK(open_file(&b), &b.err);
    CHECK_U64(b.wad.entries->path_hash, 0x0102030405060708);
    CHECK_U64(b.wad.entries->storage, 0);
    CHECK_OK(rift_wad_read(&b.wad, b.wad.entries, &b.arena, &out, &b.err), &b.err);
    CHECK_STR(((rift_str){(const char *)out.data, out.size}), RIFT_STR("hi"));
    end(&b);
}

/* B101: the index does not fit 16 bits. Read as "duplicate flag + 16 bits" it would point at zeros. */
static void reads_a_24_bit_chunk_index(void)
{
    bench b;
    begin(&b);
    /* The raw piece begins with a frame's magic, so that only the table can tell where it ends. */
    uint8_t *data = rift_arena_push(&b.arena, 4000, 1, 1);
    memcpy(data, "\x28\xb5\x2f\xfd", 4);
    const rift_wad_item item = {
        .path_hash = 1, .data = {data, 4000}, .storage = RIFT_WAD_ZSTD_CHUNKED, .chunk_count = 2};
    const rift_wad_write_opts opts = {.major = 3,
                                      .minor = 4,
                                      .path = rift_str_c(PATH),
                                      .first_chunk = 0x010203,
                                      .chunk_table_storage = RIFT_WAD_ZSTD};
    CHECK_OK(rift_wad_write(&b.file, &item, 1, &opts, &b.arena, &b.err), &b.err);
    CHECK_OK(open_file(&b), &b.err);
    CHECK_BYTES(((rift_bytes){b.file.data + 272 + 20, 4}), ((rift_bytes){(const uint8_t *)"\x24\1\3\2", 4}));
    CHECK_U64(b.wad.chunk_count, 0x010205);
    check_items(&b, &item, 1);

    /* Without the table's help the false frame is found out. */
    rift_bytes out;
    b.wad.chunk_count = 0x010203;
    CHECK(!rift_wad_read(&b.wad, rift_wad_lookup(&b.wad, 1), &b.arena, &out, &b.err));
    end(&b);
}

/* An index that leads to records of something else: the frames are walked. */
static void walks_frames_when_the_table_does_not_fit(void)
{
    static const struct {
        const char *name;
        size_t at; /* in the record, or in the table's bytes */
        uint8_t value;
        bool in_table;
    } rows[] = {
        {"index one too high", 22, 1, false},
        {"index past the table", 22, 200, false},
        {"24-bit index past the table", 21, 1, false},
        {"stored size of the first piece", 0, 1, true},
        {"stored size of the second piece", 16, 99, true},
        {"size of the second piece", 20, 99, true},
        {"both sizes of the first piece are 0", 1, 0, true},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench b;
        begin(&b);
        check_row("%s", rows[i].name);
        const rift_wad_item item = {.path_hash = 1,
                                    .data = sample(&b.arena, 2000, 9),
                                    .storage = RIFT_WAD_ZSTD_CHUNKED,
                                    .chunk_count = 3};
        const rift_wad_write_opts opts = {.major = 3, .minor = 4, .path = rift_str_c(PATH)};
        CHECK_OK(rift_wad_write(&b.file, &item, 1, &opts, &b.arena, &b.err), &b.err);
        uint8_t *bytes = copy(&b, b.file.data, b.file.size);
        /* The item's hash is the lowest, the table's data is last and raw: three records of 16 bytes. */
        bytes[(rows[i].in_table ? b.file.size - 48 : 272) + rows[i].at] = rows[i].value;
        CHECK_OK(open_file(&b), &b.err);
        CHECK_U64(b.wad.chunk_count, 3);
        check_items(&b, &item, 1);
        end(&b);
    }
}

static void does_without_an_unreadable_table(void)
{
    static const struct {
        const char *name;
        size_t at; /* in the table's record */
        const char *bytes;
        size_t byte_count;
    } rows[] = {
        {"outside the file", 8, "\377\377\377\177", 4},
        {"not whole records", 12, "\57\0\0\0\57\0\0\0", 8},
        {"made of sub-chunks", 20, "\64", 1},
        {"a redirection", 20, "\2", 1},
        {"not gzip", 20, "\1", 1},
        {"unknown storage", 20, "\11", 1},
        {"over the limit", 16, "\0\0\0\20", 4},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench b;
        begin(&b);
        check_row("%s", rows[i].name);
        const rift_wad_item item = {.path_hash = 1,
                                    .data = sample(&b.arena, 2000, 9),
                                    .storage = RIFT_WAD_ZSTD_CHUNKED,
                                    .chunk_count = 3};
        const rift_wad_write_opts opts = {.major = 3, .minor = 4, .path = rift_str_c(PATH)};
        CHECK_OK(rift_wad_write(&b.file, &item, 1, &opts, &b.arena, &b.err), &b.err);
        uint8_t *bytes = copy(&b, b.file.data, b.file.size);
        memcpy(bytes + 272 + 32 + rows[i].at, rows[i].bytes, rows[i].byte_count);
        CHECK_OK(open_file(&b), &b.err);
        CHECK(b.wad.chunks == NULL);
        CHECK_U64(rift_report_count(&b.report, "wad_chunk_table_unreadable"), 1);
        check_items(&b, &item, 1);
        end(&b);
    }
}

static void reads_a_table_of_each_storage(void)
{
    static const rift_wad_storage kinds[] = {RIFT_WAD_RAW, RIFT_WAD_GZIP, RIFT_WAD_ZSTD};
    for (size_t i = 0; i < RIFT_COUNT(kinds); i++) {
        bench b;
        begin(&b);
        check_row("storage %d", kinds[i]);
        const rift_wad_item item = {.path_hash = 1,
                                    .data = sample(&b.arena, 2000, 9),
                                    .storage = RIFT_WAD_ZSTD_CHUNKED,
                                    .chunk_count = 15};
        const rift_wad_write_opts opts = {
            .major = 3, .minor = 3, .path = rift_str_c(PATH), .chunk_table_storage = kinds[i]};
        CHECK_OK(rift_wad_write(&b.file, &item, 1, &opts, &b.arena, &b.err), &b.err);
        CHECK_OK(open_file(&b), &b.err);
        CHECK_U64(b.wad.chunk_count, 15);
        CHECK_U64(b.wad.chunks[0].stored_size, 133); /* 2000 / 15, raw */
        CHECK_U64(b.wad.chunks[0].size, 133);
        CHECK_U64(b.wad.chunks[0].checksum, rift_xxh3((rift_bytes){item.data.data, 133}));
        CHECK_U64(b.wad.chunks[14].size, 2000 - 14 * 133);
        check_items(&b, &item, 1);
        end(&b);
    }
}

static void finds_the_table_wherever_the_archive_lies(void)
{
    static const struct {
        const char *written, *opened;
        bool found;
    } rows[] = {
        {"DATA/FINAL/Champions/Lux.wad.client", "data/final/champions/lux.wad.client", true},
        {"DATA/FINAL/Champions/Lux.wad.client", "DATA\\FINAL\\Champions\\Lux.wad.client", true},
        {"DATA/FINAL/Champions/Lux.wad.client", "Lux.wad.client", true},
        {"DATA/FINAL/Champions/Lux.wad.client", "/opt/game/DATA/FINAL/Champions/Lux.wad.client", true},
        {"DATA/FINAL/Champions/Lux.en_US.wad.client", "Lux.en_US.wad.client", true},
        {"DATA/FINAL/Maps/Shipping/Map11.wad.client", "some/where/Map11.wad.client", true},
        {"DATA/FINAL/Global.wad.client", "Global.wad.client", true},
        {"DATA/FINAL/Localized/Global.en_US.wad.client", "Global.en_US.wad.client", true},
        {"DATA/FINAL/Champions/Lux.wad", "Lux.wad", true},
        {"DATA/FINAL/Champions/Lux.wad.client", "Ahri.wad.client", false},
        {"DATA/FINAL/Champions/Lux.wad.client", "", false},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench b;
        begin(&b);
        check_row("%s as %s", rows[i].written, rows[i].opened);
        const rift_wad_item item = {.path_hash = 1,
                                    .data = sample(&b.arena, 2000, 9),
                                    .storage = RIFT_WAD_ZSTD_CHUNKED,
                                    .chunk_count = 3};
        const rift_wad_write_opts opts = {.major = 3, .minor = 4, .path = rift_str_c(rows[i].written)};
        CHECK_OK(rift_wad_write(&b.file, &item, 1, &opts, &b.arena, &b.err), &b.err);
        CHECK_OK(open_at(&b, rows[i].opened), &b.err);
        CHECK_U64(b.wad.chunk_count, rows[i].found ? 3 : 0);
        end(&b);
    }
    CHECK_U64(rift_wad_chunk_table_hash(RIFT_STR("DATA/FINAL/Champions/Lux.wad.client")), 0x1e26f67dd22ac936);
    static const char too_long[RIFT_WAD_MAX_PATH + 1];
    CHECK_U64(rift_wad_chunk_table_hash((rift_str){too_long, sizeof too_long}), 0);
}

/* B171, B172: raw bytes first, in the middle and at the end, with no table. */
static void walks_frames_without_a_table(void)
{
    static const uint8_t frame[] = {
        0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x18, 0x6d, 0x00, 0x00, 0x38, 0x68,
        0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x0a, 0x01, 0x00, 0x99, 0x4b, 0x11}; /* "hello hello hello hello\n" */
    static const char want[] = "rawhello hello hello hello\n--hello hello hello hello\nend";
    uint8_t head[MINIMAL_SIZE];
    bench b;
    rift_buf buf;
    begin(&b);
    minimal(head);
    rift_buf_init(&buf, &b.arena, 1000);
    rift_buf_put(&buf, head, MINIMAL_DATA);
    rift_buf_put(&buf, "raw", 3);
    rift_buf_put(&buf, frame, sizeof frame);
    rift_buf_put(&buf, "--", 2);
    rift_buf_put(&buf, frame, sizeof frame);
    rift_buf_put(&buf, "end", 3);
    rift_buf_patch_u32(&buf, MINIMAL_RECORD + 12, (uint32_t)(buf.size - MINIMAL_DATA));
    rift_buf_patch_u32(&buf, MINIMAL_RECORD + 16, sizeof want - 1);
    rift_buf_patch_u32(&buf, MINIMAL_RECORD + 20, 0x54);
    rift_bytes out = {0};
    b.file = rift_buf_bytes(&buf);
    CHECK_OK(open_file(&b), &b.err);
    CHECK_OK(rift_wad_read(&b.wad, b.wad.entries, &b.arena, &out, &b.err), &b.err);
    CHECK_STR(((rift_str){(const char *)out.data, out.size}), RIFT_STR(want));
    end(&b);
}

/* More entries than one batch of the table holds; the hashes are not sorted as the table is. */
static void reads_a_long_table(void)
{
    enum { COUNT = 5000 };
    for (uint8_t major = 1; major <= 3; major++) {
        bench b;
        begin(&b);
        check_row("version %u", major);
        rift_wad_item *items = RIFT_NEW(&b.arena, rift_wad_item, COUNT);
        uint8_t *data = rift_arena_push(&b.arena, COUNT, 2, 1);
        for (size_t i = 0; i < COUNT; i++) {
            data[2 * i] = (uint8_t)i;
            data[2 * i + 1] = (uint8_t)(i >> 8);
            items[i] =
                (rift_wad_item){.path_hash = (i * 2654435761U) & UINT32_MAX, .data = {data + 2 * i, 2}};
        }
        const rift_wad_write_opts opts = {.major = major};
        CHECK_OK(rift_wad_write(&b.file, items, COUNT, &opts, &b.arena, &b.err), &b.err);
        CHECK_OK(open_file(&b), &b.err);
        CHECK_U64(b.wad.entry_count, COUNT);
        for (size_t i = 1; i < b.wad.entry_count; i++) {
            if (!CHECK(b.wad.entries[i].path_hash > b.wad.entries[i - 1].path_hash))
                break;
        }
        check_items(&b, items, COUNT);
        end(&b);
    }
}

/* B174 */
static void reads_empty_archives(void)
{
    for (size_t i = 0; i < RIFT_COUNT(VERSIONS); i++) {
        bench b;
        begin(&b);
        check_row("version %u.%u", VERSIONS[i].major, VERSIONS[i].minor);
        const rift_wad_write_opts opts = {.major = VERSIONS[i].major, .minor = VERSIONS[i].minor};
        CHECK_OK(rift_wad_write(&b.file, NULL, 0, &opts, &b.arena, &b.err), &b.err);
        CHECK_U64(b.file.size, VERSIONS[i].major == 1 ? 12 : VERSIONS[i].major == 2 ? 104 : 272);
        CHECK_OK(open_file(&b), &b.err);
        CHECK_U64(b.wad.entry_count, 0);
        CHECK(rift_wad_lookup(&b.wad, 0) == NULL);
        end(&b);
    }
}

/* B177: the same bytes under two versions carry two kinds of checksum. */
static void writes_the_checksum_of_the_version(void)
{
    /* sha256sum and xxhsum -H3 of "abcd"; 88d4266fd4e6338d... read as a little-endian number. */
    static const uint64_t sums[] = {0,
                                    0x8d33e6d46f26d488,
                                    0x8d33e6d46f26d488,
                                    0x8d33e6d46f26d488,
                                    0x6497a96f53a89890,
                                    0x6497a96f53a89890,
                                    0x6497a96f53a89890,
                                    0x6497a96f53a89890};
    for (size_t i = 0; i < RIFT_COUNT(VERSIONS); i++) {
        bench b;
        begin(&b);
        check_row("version %u.%u", VERSIONS[i].major, VERSIONS[i].minor);
        make_one_entry(&b, VERSIONS[i].major, VERSIONS[i].minor, RIFT_WAD_RAW);
        CHECK_OK(open_file(&b), &b.err);
        CHECK_U64(b.wad.entries->checksum, sums[i]);
        end(&b);
    }
}

static void shares_equal_data(void)
{
    bench b;
    begin(&b);
    const rift_bytes data = sample(&b.arena, 3000, 1);
    const rift_wad_item items[] = {{.path_hash = 3, .data = data, .storage = RIFT_WAD_ZSTD},
                                   {.path_hash = 2, .data = data, .storage = RIFT_WAD_ZSTD},
                                   {.path_hash = 1, .data = data, .storage = RIFT_WAD_GZIP}};
    const rift_wad_write_opts opts = {.major = 3, .minor = 3};
    CHECK_OK(rift_wad_write(&b.file, items, 3, &opts, &b.arena, &b.err), &b.err);
    CHECK_OK(open_file(&b), &b.err);
    const rift_wad_entry *e = b.wad.entries;
    CHECK_U64(e[0].path_hash, 1);
    CHECK_U64(e[1].path_hash, 2);
    CHECK_U64(e[2].path_hash, 3);
    CHECK_U64(e[1].offset, e[2].offset);
    CHECK(e[0].offset != e[2].offset);
    CHECK_U64(b.file.data[272 + 32 + 21], 1); /* the later one is the duplicate */
    CHECK_U64(b.file.data[272 + 64 + 21], 0);
    CHECK_U64(b.file.size, 272 + 3 * 32 + e[0].stored_size + e[1].stored_size);
    check_items(&b, items, 3);
    end(&b);
}

static void refuses_to_write(void)
{
    static const uint8_t text[] = "abcd";
    static const struct {
        const char *name;
        rift_wad_item items[2];
        size_t count;
        rift_wad_write_opts opts;
        rift_status code;
    } rows[] = {
        {"major 0", {{0}}, 0, {.major = 0}, RIFT_ERR_ARGUMENT},
        {"major 4", {{0}}, 0, {.major = 4}, RIFT_ERR_ARGUMENT},
        {"version 3.5", {{0}}, 0, {.major = 3, .minor = 5}, RIFT_ERR_ARGUMENT},
        {"equal hashes", {{.path_hash = 1}, {.path_hash = 1}}, 2, {.major = 3}, RIFT_ERR_FORMAT},
        {"unknown storage", {{.storage = (rift_wad_storage)5}}, 1, {.major = 3}, RIFT_ERR_ARGUMENT},
        {"chunks in version 2",
         {{.data = {text, 4}, .storage = RIFT_WAD_ZSTD_CHUNKED, .chunk_count = 2}},
         1,
         {.major = 2},
         RIFT_ERR_ARGUMENT},
        {"no chunks",
         {{.data = {text, 4}, .storage = RIFT_WAD_ZSTD_CHUNKED}},
         1,
         {.major = 3},
         RIFT_ERR_ARGUMENT},
        {"16 chunks",
         {{.data = {text, 4}, .storage = RIFT_WAD_ZSTD_CHUNKED, .chunk_count = 16}},
         1,
         {.major = 3},
         RIFT_ERR_ARGUMENT},
        {"index over 16 bits in 3.3",
         {{.data = {text, 4}, .storage = RIFT_WAD_ZSTD_CHUNKED, .chunk_count = 2}},
         1,
         {.major = 3, .minor = 3, .first_chunk = 0x10000},
         RIFT_ERR_LIMIT},
        {"records over the limit",
         {{0}},
         1,
         {.major = 3, .first_chunk = RIFT_WAD_MAX_CHUNKS + 1},
         RIFT_ERR_LIMIT},
        {"chunked chunk table",
         {{.data = {text, 4}, .storage = RIFT_WAD_ZSTD_CHUNKED, .chunk_count = 2}},
         1,
         {.major = 3, .chunk_table_storage = RIFT_WAD_ZSTD_CHUNKED},
         RIFT_ERR_ARGUMENT},
        {"too many entries", {{0}}, RIFT_WAD_MAX_ENTRIES, {.major = 3}, RIFT_ERR_LIMIT},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench b;
        begin(&b);
        check_row("%s", rows[i].name);
        CHECK(!rift_wad_write(&b.file, rows[i].items, rows[i].count, &rows[i].opts, &b.arena, &b.err));
        CHECK_CODE(&b.err, rows[i].code);
        CHECK(b.file.data == NULL);
        end(&b);
    }
}

static bool write_all_kinds(rift_bytes in, rift_arena *arena, rift_err *err)
{
    const rift_wad_item items[] = {
        {.path_hash = 5, .data = in, .storage = RIFT_WAD_RAW},
        {.path_hash = 4, .data = in, .storage = RIFT_WAD_GZIP},
        {.path_hash = 3, .data = in, .storage = RIFT_WAD_ZSTD},
        {.path_hash = 2, .data = in, .storage = RIFT_WAD_REDIRECT},
        {.path_hash = 1, .data = in, .storage = RIFT_WAD_ZSTD_CHUNKED, .chunk_count = 4},
    };
    const rift_wad_write_opts opts = {.major = 3, .minor = 4, .path = RIFT_STR("x.wad.client")};
    rift_bytes out;
    return rift_wad_write(&out, items, RIFT_COUNT(items), &opts, arena, err);
}

static void writing_survives_failing_memory(void)
{
    bench b;
    begin(&b);
    check_allocations(write_all_kinds, sample(&b.arena, 500, 1));
    end(&b);
}

static void finds_the_first_of_equal_hashes(void)
{
    bench b;
    uint8_t bytes[MINIMAL_SIZE + 32];
    uint8_t base[MINIMAL_SIZE];
    minimal(base);
    memcpy(bytes, base, MINIMAL_DATA);
    memcpy(bytes + MINIMAL_DATA, base + MINIMAL_RECORD, 36);
    bytes[268] = 2;
    bytes[MINIMAL_RECORD + 8] = bytes[MINIMAL_DATA + 8] = 336 - 256;
    bytes[MINIMAL_RECORD + 12] = bytes[MINIMAL_RECORD + 16] = 2; /* the first has two bytes */
    begin(&b);
    b.file = (rift_bytes){bytes, sizeof bytes};
    CHECK_OK(open_file(&b), &b.err);
    CHECK_U64(b.wad.entry_count, 2);
    CHECK(rift_wad_lookup(&b.wad, 0x02fe0af750890fe6) == b.wad.entries);
    end(&b);
}

/* --- B156: a file of 1 GiB that only the callback knows. --- */

typedef struct sparse {
    uint64_t bytes_read;
    uint8_t head[MINIMAL_SIZE];
} sparse;

static bool read_sparse(void *user, uint64_t offset, void *dst, size_t len, rift_err *err)
{
    sparse *s = user;
    (void)err;
    s->bytes_read += len;
    memset(dst, 0x5a, len);
    if (offset < sizeof s->head) {
        memcpy(dst, s->head + offset,
               len < sizeof s->head - offset ? len : (size_t)(sizeof s->head - offset));
    }
    return true;
}

static void reads_only_what_is_asked_for(void)
{
    bench b;
    sparse s = {0};
    rift_bytes out = {0};
    minimal(s.head);
    memcpy(s.head + MINIMAL_RECORD + 8, "\374\377\377\77", 4); /* the last four bytes of 1 GiB */
    begin(&b);
    const rift_source source = {.user = &s, .size = 1024 * 1024 * 1024, .read_at = read_sparse};
    CHECK_OK(rift_wad_open(&b.wad, source, rift_str_c(PATH), &b.arena, NULL, &b.err), &b.err);
    CHECK_U64(s.bytes_read, 272 + 32);
    CHECK_OK(rift_wad_read(&b.wad, b.wad.entries, &b.arena, &out, &b.err), &b.err);
    CHECK_BYTES(out, ((rift_bytes){(const uint8_t *)"ZZZZ", 4}));
    CHECK_U64(s.bytes_read, 272 + 32 + 4);
    CHECK(b.arena.peak < 10000);
    end(&b);
}

static bool read_never(void *user, uint64_t offset, void *dst, size_t len, rift_err *err)
{
    sparse *s = user;
    if (offset + len > 304)
        return rift_fail(err, RIFT_ERR_IO, "disk", offset, "gone");
    memcpy(dst, s->head + offset, len);
    return true;
}

static void passes_read_errors_on(void)
{
    bench b;
    sparse s = {0};
    rift_bytes out = {0};
    minimal(s.head);
    begin(&b);
    const rift_source source = {.user = &s, .size = MINIMAL_SIZE, .read_at = read_never};
    CHECK_OK(rift_wad_open(&b.wad, source, rift_str_c(PATH), &b.arena, NULL, &b.err), &b.err);
    CHECK(!rift_wad_read(&b.wad, b.wad.entries, &b.arena, &out, &b.err));
    CHECK_CODE(&b.err, RIFT_ERR_IO);

    /* Nor is a table that the disk does not give a table to do without. */
    b.err = check_err();
    const uint64_t hash = rift_wad_chunk_table_hash(rift_str_c(PATH));
    for (size_t i = 0; i < 8; i++)
        s.head[MINIMAL_RECORD + i] = (uint8_t)(hash >> (8 * i));
    s.head[MINIMAL_RECORD + 12] = s.head[MINIMAL_RECORD + 16] = 0x10;
    const rift_source longer = {.user = &s, .size = MINIMAL_SIZE + 16, .read_at = read_never};
    CHECK(!rift_wad_open(&b.wad, longer, rift_str_c(PATH), &b.arena, NULL, &b.err));
    CHECK_CODE(&b.err, RIFT_ERR_IO);
    end(&b);
}

/* --- B176: eight threads read one archive through one descriptor. --- */

static bool read_fd(void *user, uint64_t offset, void *dst, size_t len, rift_err *err)
{
    const int *fd = user;
    if (pread(*fd, dst, len, (off_t)offset) == (ssize_t)len)
        return true;
    return rift_fail(err, RIFT_ERR_IO, "test", offset, "cannot read %zu bytes", len);
}

enum { THREADS = 8, SHARED_ITEMS = 40, ROUNDS = 25 };

typedef struct shared {
    const rift_wad *wad;
    const rift_wad_item *items;
    size_t start;
    size_t wrong;
} shared;

static void *read_shared(void *user)
{
    shared *s = user;
    for (size_t i = 0; i < (size_t)ROUNDS * SHARED_ITEMS; i++) {
        const rift_wad_item *item = &s->items[(s->start + i) % SHARED_ITEMS];
        const rift_wad_entry *e = rift_wad_lookup(s->wad, item->path_hash);
        rift_arena arena;
        rift_err err = check_err();
        rift_bytes out = {0};
        rift_arena_init(&arena, ARENA_LIMIT);
        if (e == NULL || !rift_wad_read(s->wad, e, &arena, &out, &err) || out.size != item->data.size ||
            memcmp(out.data, item->data.data, out.size) != 0)
            s->wrong++;
        rift_arena_release(&arena);
    }
    return NULL;
}

static void reads_from_eight_threads(void)
{
    static const rift_wad_storage kinds[] = {RIFT_WAD_RAW, RIFT_WAD_ZSTD, RIFT_WAD_GZIP,
                                             RIFT_WAD_ZSTD_CHUNKED};
    bench b;
    rift_wad_item items[SHARED_ITEMS];
    begin(&b);
    for (size_t i = 0; i < SHARED_ITEMS; i++) {
        items[i] = (rift_wad_item){.path_hash = 1000 - i,
                                   .data = sample(&b.arena, 3000 + 37 * i, (uint8_t)(5 * i)),
                                   .storage = kinds[i % 4],
                                   .chunk_count = i % 4 == 3 ? 3 : 0};
    }
    const rift_wad_write_opts opts = {.major = 3, .minor = 4, .path = rift_str_c(PATH)};
    CHECK_OK(rift_wad_write(&b.file, items, SHARED_ITEMS, &opts, &b.arena, &b.err), &b.err);
    FILE *f = tmpfile();
    CHECK_FATAL(f != NULL);
    int fd = fileno(f);
    CHECK_FATAL(write(fd, b.file.data, b.file.size) == (ssize_t)b.file.size);
    const rift_source source = {.user = &fd, .size = b.file.size, .read_at = read_fd};
    CHECK_OK(rift_wad_open(&b.wad, source, rift_str_c(PATH), &b.arena, NULL, &b.err), &b.err);
    pthread_t threads[THREADS];
    shared work[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        work[i] = (shared){.wad = &b.wad, .items = items, .start = i * 5};
        CHECK_FATAL(pthread_create(&threads[i], NULL, read_shared, &work[i]) == 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK_U64(work[i].wrong, 0);
    }
    (void)fclose(f);
    end(&b);
}

/* --- Robustness runs (open, then read everything). --- */

static bool open_and_read_all(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_wad wad;
    if (!rift_wad_open(&wad, rift_source_from_bytes(&in), rift_str_c(PATH), arena, NULL, err))
        return false;
    for (size_t i = 0; i < wad.entry_count; i++) {
        rift_bytes out;
        if (!rift_wad_read(&wad, &wad.entries[i], arena, &out, err))
            return false;
    }
    return true;
}

static void each_version(void (*run)(bench *b))
{
    for (size_t i = 0; i < RIFT_COUNT(VERSIONS); i++) {
        bench b;
        begin(&b);
        rift_wad_item items[6] = {
            {.path_hash = 60, .data = sample(&b.arena, 20, 1), .storage = RIFT_WAD_RAW},
            {.path_hash = 50, .data = sample(&b.arena, 40, 2), .storage = RIFT_WAD_GZIP},
            {.path_hash = 40, .data = sample(&b.arena, 60, 3), .storage = RIFT_WAD_ZSTD},
            {.path_hash = 20,
             .data = sample(&b.arena, 120, 4),
             .storage = RIFT_WAD_ZSTD_CHUNKED,
             .chunk_count = 2},
        };
        const rift_wad_write_opts opts = {
            .major = VERSIONS[i].major, .minor = VERSIONS[i].minor, .path = rift_str_c(PATH)};
        CHECK_OK(rift_wad_write(&b.file, items, opts.major == 3 ? 4 : 3, &opts, &b.arena, &b.err), &b.err);
        run(&b);
        end(&b);
    }
}

static void run_prefixes(bench *b)
{
    check_prefixes(open_and_read_all, b->file, 0, RIFT_ERR_TRUNCATED);
}

static void run_allocations(bench *b)
{
    check_allocations(open_and_read_all, b->file);
}

static void run_every_byte(bench *b)
{
    check_every_byte(open_and_read_all, b->file);
}

static void refuses_prefixes(void)
{
    each_version(run_prefixes);
}

static void survives_failing_memory(void)
{
    each_version(run_allocations);
}

static void survives_changed_bytes(void)
{
    each_version(run_every_byte);
}

static void stops_at_the_arenas_limit(void)
{
    bench b;
    begin(&b);
    make_one_entry(&b, 3, 4, RIFT_WAD_ZSTD);
    uint8_t *bytes = copy(&b, b.file.data, b.file.size);
    memcpy(bytes + 272 + 16, "\0\0\6\0", 4); /* 384 KiB, which 13 bytes of zstd might hold */
    CHECK_OK(open_file(&b), &b.err);
    rift_arena small;
    rift_bytes out;
    rift_arena_init(&small, 100000);
    CHECK(!rift_wad_read(&b.wad, b.wad.entries, &small, &out, &b.err));
    CHECK_CODE(&b.err, RIFT_ERR_LIMIT);
    CHECK_STR(rift_str_c(b.err.text), RIFT_STR("needs 393229 bytes, 0 of 100000 are in use"));
    CHECK_U64(small.failed, RIFT_OK); /* what is smaller may still be read */
    rift_arena_release(&small);
    end(&b);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(reads_the_minimal_archive);
    RUN(writes_the_minimal_archive);
    RUN(refuses_bad_headers);
    RUN(refuses_bad_entries);
    RUN(names_the_target_of_a_redirect);
    RUN(reads_every_version_and_storage);
    RUN(reads_records_by_minor_version);
    RUN(reads_version_1_by_hand);
    RUN(reads_a_24_bit_chunk_index);
    RUN(walks_frames_when_the_table_does_not_fit);
    RUN(does_without_an_unreadable_table);
    RUN(reads_a_table_of_each_storage);
    RUN(finds_the_table_wherever_the_archive_lies);
    RUN(walks_frames_without_a_table);
    RUN(reads_a_long_table);
    RUN(reads_empty_archives);
    RUN(writes_the_checksum_of_the_version);
    RUN(shares_equal_data);
    RUN(refuses_to_write);
    RUN(writing_survives_failing_memory);
    RUN(finds_the_first_of_equal_hashes);
    RUN(reads_only_what_is_asked_for);
    RUN(passes_read_errors_on);
    RUN(reads_from_eight_threads);
    RUN(refuses_prefixes);
    RUN(survives_failing_memory);
    RUN(survives_changed_bytes);
    RUN(stops_at_the_arenas_limit);
    return check_finish();
}
