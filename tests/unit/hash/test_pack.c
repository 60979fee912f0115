/* The pack of names: a file made by another program, round trips, refusals, damage. */
#include "support/check.h"

#include "base/str.h"
#include "hash/hash.h"
#include "hash/pack.h"

enum { LIMIT = 64 << 20 };

/* Written by an independent program from the header's description: two paths; the names of the table binhashes, one of
 * them empty. */
static const uint8_t small[] = {
    0x52, 0x4e, 0x50, 0x4b, 0x01, 0x00, 0x00, 0x00, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x18,
    0xf0, 0xa4, 0x4f, 0x30, 0x52, 0xb9, 0xd6, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x2f, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x17, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0xe6, 0x0f, 0x89, 0x50, 0xf7, 0x0a, 0xfe, 0x02, 0x5c, 0x5f, 0xcf, 0xc0, 0x79, 0x55, 0x11,
    0x98, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x1b, 0x64, 0x61,
    0x74, 0x61, 0x2f, 0x63, 0x68, 0x61, 0x72, 0x61, 0x63, 0x74, 0x65, 0x72, 0x73, 0x2f, 0x6c, 0x75, 0x78,
    0x2f, 0x6c, 0x75, 0x78, 0x2e, 0x62, 0x69, 0x6e, 0x14, 0x10, 0x73, 0x6b, 0x69, 0x6e, 0x73, 0x2f, 0x73,
    0x6b, 0x69, 0x6e, 0x32, 0x39, 0x2e, 0x62, 0x69, 0x6e, 0x45, 0x0e, 0xfd, 0x20, 0x41, 0x20, 0x33, 0x6f,
    0xc5, 0x9d, 0x1c, 0x81, 0x06, 0xdc, 0xd9, 0x9d, 0x02, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x49, 0x64,
    0x6c, 0x65, 0x31, 0x00, 0x04, 0x52, 0x6f, 0x6f, 0x74, 0x00, 0x06, 0x57, 0x65, 0x61, 0x70, 0x6f, 0x6e,
};
#define SMALL ((rift_bytes){small, sizeof small})
/* offsets of `small` */
enum { AT_DIGEST = 8, AT_TABLES = 24, AT_BODY = 104 };

static rift_arena arena, tmp;
static rift_pack pack;
static rift_err err;

static bool parse(rift_bytes in, rift_arena *a, rift_err *e)
{
    (void)a;
    return rift_pack_open(&pack, in, e);
}

static void finds(rift_name_table table, uint64_t hash, const char *want)
{
    rift_str name = {0};
    check_row("0x%llx", (unsigned long long)hash);
    const bool found = rift_pack_lookup(&pack, table, hash, &arena, &name);
    CHECK_U64(found, want != NULL);
    if (want != NULL)
        CHECK_STR(name, rift_str_c(want));
}

static void reads_a_file_of_another_program(void)
{
    err = check_err();
    CHECK_FATAL(CHECK_OK(rift_pack_open(&pack, SMALL, &err), &err));
    CHECK_U64(pack.digest, UINT64_C(0x1122334455667788));
    CHECK_U64(pack.tables[RIFT_NAMES_GAME].count, 2);
    CHECK_U64(pack.tables[RIFT_NAMES_BINHASHES].count, 4);
    CHECK_U64(pack.tables[RIFT_NAMES_BINTYPES].count, 0);
    /* values of formats/hashes.md */
    finds(RIFT_NAMES_GAME, UINT64_C(0x02fe0af750890fe6), "data/characters/lux/lux.bin");
    finds(RIFT_NAMES_GAME, UINT64_C(0x98115579c0cf5f5c), "data/characters/lux/skins/skin29.bin");
    finds(RIFT_NAMES_BINHASHES, 0x6f332041, "Weapon");
    finds(RIFT_NAMES_BINHASHES, 0x9dd9dc06, "Idle1");
    finds(RIFT_NAMES_BINHASHES, 0x20fd0e45, "Root");
    finds(RIFT_NAMES_BINHASHES, 0x811c9dc5, "");
    finds(RIFT_NAMES_BINHASHES, 0, NULL);
    finds(RIFT_NAMES_BINHASHES, UINT32_MAX, NULL);
    finds(RIFT_NAMES_BINHASHES, UINT64_C(0x16f332041), NULL);
    finds(RIFT_NAMES_BINTYPES, 0x6f332041, NULL);
    finds(RIFT_NAMES_GAME, 0, NULL);
    finds(RIFT_NAMES_GAME, UINT64_MAX, NULL);
    const rift_names names = rift_pack_names(&pack);
    rift_str name;
    CHECK(
        rift_names_lookup(&names, RIFT_NAMES_BINENTRIES, 0x9dd9dc06, &arena, &name)); /* in the other table */
    CHECK_STR(name, RIFT_STR("Idle1"));
}

static const rift_pack_name game[] = {
    {UINT64_C(0x02fe0af750890fe6), {"data/characters/lux/lux.bin", 27}},
    {UINT64_C(0x98115579c0cf5f5c), {"data/characters/lux/skins/skin29.bin", 36}},
};
static const rift_pack_name strings[] = {{0x20fd0e45, {"Root", 4}},
                                         {0x6f332041, {"Weapon", 6}},
                                         {0x811c9dc5, {NULL, 0}},
                                         {0x9dd9dc06, {"Idle1", 5}}};
static const rift_pack_list small_lists[RIFT_NAME_TABLE_COUNT] = {
    [RIFT_NAMES_GAME] = {game, 2}, [RIFT_NAMES_BINHASHES] = {strings, 4}};

static void writes_the_same_file(void)
{
    rift_bytes out = {0};
    err = check_err();
    CHECK_OK(rift_pack_write(&out, small_lists, UINT64_C(0x1122334455667788), &arena, &tmp, &err), &err);
    CHECK_BYTES(out, SMALL);
}

static bool write_starved(uint64_t fail_out, uint64_t fail_tmp)
{
    rift_arena one, two;
    rift_bytes out;
    rift_arena_init(&one, LIMIT);
    rift_arena_init(&two, LIMIT);
    one.fail_at = fail_out;
    two.fail_at = fail_tmp;
    err = check_err();
    const bool ok = rift_pack_write(&out, small_lists, 0, &one, &two, &err);
    if (!ok)
        CHECK_CODE(&err, RIFT_ERR_NOMEM);
    rift_arena_release(&one);
    rift_arena_release(&two);
    return ok;
}

static void every_allocation_may_fail(void)
{
    uint64_t fail_out = 1, fail_tmp = 1;
    while (fail_out < 1000 && !write_starved(fail_out, 0))
        fail_out++;
    while (fail_tmp < 1000 && !write_starved(0, fail_tmp))
        fail_tmp++;
    CHECK(fail_out > 1 && fail_out < 1000);
    CHECK(fail_tmp > 3 && fail_tmp < 1000);
}

/* Many names, so that there are blocks, shared beginnings, long names and hashes side by side. */
static void finds_each_of_many(void)
{
    enum { COUNT = 5000 };
    static rift_pack_name names[COUNT];
    static char text[COUNT][RIFT_PACK_MAX_NAME + 1];
    rift_bytes out;
    for (uint32_t i = 0; i < COUNT; i++) {
        const int size = snprintf(text[i], sizeof text[i], "assets/characters/%u/skin%05u", i / 13, i);
        const size_t longer = i % 97 == 0 ? RIFT_PACK_MAX_NAME - (size_t)size : i % 7;
        memset(text[i] + size, 'x', longer);
        /* Clustered, so that interpolation is wrong most of the time. */
        names[i] = (rift_pack_name){i < COUNT / 2 ? i * 2 : UINT64_C(0xffffffff00000000) + (uint64_t)i * i,
                                    {text[i], (size_t)size + longer}};
    }
    const rift_pack_list lists[RIFT_NAME_TABLE_COUNT] = {[RIFT_NAMES_GAME] = {names, COUNT}};
    err = check_err();
    CHECK_FATAL(CHECK_OK(rift_pack_write(&out, lists, 1, &arena, &tmp, &err), &err));
    CHECK_FATAL(CHECK_OK(rift_pack_open(&pack, out, &err), &err));
    size_t right = 0, absent = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        rift_str name;
        const rift_arena_mark mark = rift_arena_get_mark(&arena);
        right += rift_pack_lookup(&pack, RIFT_NAMES_GAME, names[i].hash, &arena, &name) &&
                 rift_str_eq(name, names[i].name);
        absent += !rift_pack_lookup(&pack, RIFT_NAMES_GAME, i * 2 + 1, &arena, &name);
        rift_arena_rewind(&arena, mark);
    }
    CHECK_U64(right, COUNT);
    CHECK_U64(absent, COUNT);
    static const char too_long[RIFT_PACK_MAX_NAME + 1];
    const rift_pack_name one = {1, {too_long, sizeof too_long}};
    const rift_pack_list over[RIFT_NAME_TABLE_COUNT] = {[RIFT_NAMES_GAME] = {&one, 1}};
    CHECK(!rift_pack_write(&out, over, 1, &arena, &tmp, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
}

static void refuses(void)
{
    static const struct {
        const char *what;
        size_t at;
        uint8_t value;
        rift_status code;
        uint64_t offset; /* 0: anywhere */
    } rows[] = {
        {"magic", 0, 'X', RIFT_ERR_FORMAT, 0},
        {"version 0", 4, 0, RIFT_ERR_UNSUPPORTED, 4},
        {"version 2", 4, 2, RIFT_ERR_UNSUPPORTED, 4},
        {"checksum", 16, 0, RIFT_ERR_FORMAT, 16},
        {"the word that is zero", AT_TABLES + 4, 1, RIFT_ERR_FORMAT, AT_TABLES + 4},
        {"fewer names", AT_TABLES, 1, RIFT_ERR_FORMAT, 0},
        {"more names than the file holds", AT_TABLES + 3, 0xff, RIFT_ERR_TRUNCATED, 0},
        {"more text than the file holds", AT_TABLES + 8 + 7, 0x80, RIFT_ERR_TRUNCATED, 0},
        {"less text", AT_TABLES + 8, 1, RIFT_ERR_FORMAT, 0},
        {"a hash", AT_BODY, 0, RIFT_ERR_FORMAT, 16},
        {"the last byte", sizeof small - 1, 'X', RIFT_ERR_FORMAT, 16},
    };
    uint8_t bytes[sizeof small + 1];
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].what);
        memcpy(bytes, small, sizeof small);
        bytes[rows[i].at] = rows[i].value;
        err = check_err();
        CHECK(!rift_pack_open(&pack, (rift_bytes){bytes, sizeof small}, &err));
        CHECK_CODE(&err, rows[i].code);
        if (rows[i].offset > 0)
            CHECK_U64(err.offset, rows[i].offset);
    }
    check_row("a byte too many");
    memcpy(bytes, small, sizeof small);
    bytes[sizeof small] = 0;
    err = check_err();
    CHECK(!rift_pack_open(&pack, (rift_bytes){bytes, sizeof bytes}, &err));
    CHECK_CODE(&err, RIFT_ERR_FORMAT);
    CHECK_U64(err.offset, sizeof small);
    check_prefixes(parse, SMALL, 0, RIFT_ERR_TRUNCATED);
    check_every_byte(parse, SMALL);
}

/* The digest may be anything: whoever opens the file compares it. */
static void keeps_the_digest(void)
{
    uint8_t bytes[sizeof small];
    memcpy(bytes, small, sizeof small);
    bytes[AT_DIGEST] = 1;
    err = check_err();
    CHECK_OK(rift_pack_open(&pack, (rift_bytes){bytes, sizeof bytes}, &err), &err);
    CHECK_U64(pack.digest, UINT64_C(0x1122334455667701));
}

static void look_up_all(void)
{
    static const uint64_t hashes[] = {0x6f332041, 0x9dd9dc06, 0x20fd0e45, 0x811c9dc5};
    for (size_t i = 0; i < 6; i++) {
        rift_str name = {0};
        (void)rift_pack_lookup(&pack, i < 4 ? RIFT_NAMES_BINHASHES : RIFT_NAMES_GAME,
                               i < 4 ? hashes[i] : game[i - 4].hash, &tmp, &name);
        CHECK(name.size <= RIFT_PACK_MAX_NAME);
    }
}

/* Damage that the checksum would find, put past it: a wrong name or none, never more. */
static void survives_wrong_contents(void)
{
    for (size_t at = AT_BODY; at < sizeof small; at++) {
        for (unsigned value = 0; value < 256; value += 51) {
            uint8_t *bytes = RIFT_NEW(&tmp, uint8_t, sizeof small);
            CHECK_FATAL(bytes != NULL);
            memcpy(bytes, small, sizeof small);
            bytes[at] = (uint8_t)value;
            const uint64_t sum = rift_xxh3((rift_bytes){bytes + AT_TABLES, sizeof small - AT_TABLES});
            for (size_t i = 0; i < 8; i++)
                bytes[16 + i] = (uint8_t)(sum >> (8 * i));
            err = check_err();
            check_row("%zu = %u", at, value);
            if (CHECK_OK(rift_pack_open(&pack, (rift_bytes){bytes, sizeof small}, &err), &err))
                look_up_all();
        }
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    rift_arena_init(&arena, LIMIT);
    rift_arena_init(&tmp, LIMIT);
    RUN(reads_a_file_of_another_program);
    RUN(writes_the_same_file);
    RUN(every_allocation_may_fail);
    RUN(finds_each_of_many);
    RUN(refuses);
    RUN(keeps_the_digest);
    RUN(survives_wrong_contents);
    rift_arena_release(&arena);
    rift_arena_release(&tmp);
    return check_finish();
}
