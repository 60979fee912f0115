/* Hash lists: lines, parts, duplicates, verify mode, look-up order. Hashes are vectors of formats/hashes.md
 * or worked out by an independent program, never by the code under test. */
#include "support/check.h"

#include "base/str.h"
#include "hash/names.h"

enum { LIMIT = 1 << 20 };

static rift_bytes text_of(const char *s)
{
    return (rift_bytes){(const uint8_t *)s, strlen(s)};
}

static void lines_are_split_at_the_first_blank(void)
{
    static const struct {
        const char *line;
        unsigned digits;
        bool ok;
        uint64_t hash;
        const char *name;
    } rows[] = {
        {"9dd9dc06 Idle1", 8, true, 0x9dd9dc06, "Idle1"},
        {"9DD9DC06 Idle1", 8, true, 0x9dd9dc06, "Idle1"},
        {"9dd9dc06 Idle1\r", 8, true, 0x9dd9dc06, "Idle1"},
        {"9dd9dc06 a name with blanks  ", 8, true, 0x9dd9dc06, "a name with blanks  "},
        {"9dd9dc06  leading", 8, true, 0x9dd9dc06, " leading"},
        {"811c9dc5 ", 8, true, 0x811c9dc5, ""},
        {"811c9dc5 \r", 8, true, 0x811c9dc5, ""},
        {"02fe0af750890fe6 data/characters/lux/lux.bin", 16, true, 0x02fe0af750890fe6u,
         "data/characters/lux/lux.bin"},
        {"", 8, false, 0, ""},
        {"\r", 8, false, 0, ""},
        {"9dd9dc06", 8, false, 0, ""},
        {"9dd9dc0 Idle1", 8, false, 0, ""},
        {"9dd9dc061 Idle1", 8, false, 0, ""},
        {"0x9dd9dc Idle1", 8, false, 0, ""},
        {"9dd9dcg6 Idle1", 8, false, 0, ""},
        {"9dd9dc06\tIdle1", 8, false, 0, ""},
        {" 9dd9dc06 Idle1", 8, false, 0, ""},
        {"9dd9dc06 Idle1", 16, false, 0, ""},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].line);
        uint64_t hash = 7;
        rift_str name = RIFT_STR("untouched");
        const bool ok = rift_name_line_parse(rift_str_c(rows[i].line), rows[i].digits, &hash, &name);
        CHECK(ok == rows[i].ok);
        CHECK_U64(hash, ok ? rows[i].hash : 7);
        CHECK_STR(name, ok ? rift_str_c(rows[i].name) : RIFT_STR("untouched"));
    }
}

static void words_digits_and_hashes_of_the_tables(void)
{
    static const struct {
        rift_name_table table;
        const char *word;
        unsigned digits;
    } rows[] = {
        {RIFT_NAMES_GAME, "game", 16},          {RIFT_NAMES_BINENTRIES, "binentries", 8},
        {RIFT_NAMES_BINHASHES, "binhashes", 8}, {RIFT_NAMES_BINFIELDS, "binfields", 8},
        {RIFT_NAMES_BINTYPES, "bintypes", 8},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        CHECK_STR(rift_str_c(rift_name_table_word(rows[i].table)), rift_str_c(rows[i].word));
        CHECK_I64(rift_name_table_from_word(rift_str_c(rows[i].word)), rows[i].table);
        CHECK_U64(rift_name_table_digits(rows[i].table), rows[i].digits);
    }
    CHECK_I64(rift_name_table_from_word(RIFT_STR("lcu")), -1);
    CHECK_I64(rift_name_table_from_word((rift_str){0}), -1);
    CHECK_U64(rift_name_table_hash(RIFT_NAMES_BINHASHES, RIFT_STR("Idle1")), 0x9dd9dc06);
    CHECK_U64(rift_name_table_hash(RIFT_NAMES_GAME, RIFT_STR("data/characters/lux/lux.bin")),
              0x02fe0af750890fe6u);
}

/* Two parts, as the published game list has them (B190), Windows line ends, blank and broken lines between.
 * */
static void parts_add_up_and_the_first_name_stays(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    rift_name_lists lists;
    rift_name_lists_init(&lists, &arena);
    rift_name_line_stats stats;
    rift_err err = check_err();
    CHECK_OK(rift_name_lists_add(&lists, RIFT_NAMES_GAME,
                                 text_of("02fe0af750890fe6 data/characters/lux/lux.bin\r\n"
                                         "\r\n"
                                         "98115579c0cf5f5c data/characters/lux/skins/skin29.bin\r\n"
                                         "not a line\r\n"),
                                 false, &stats, &err),
             &err);
    CHECK_U64(stats.lines, 4);
    CHECK_U64(stats.taken, 2);
    CHECK_U64(stats.blank, 1);
    CHECK_U64(stats.malformed, 1);
    CHECK_U64(stats.duplicate, 0);
    CHECK_U64(stats.mismatched, 0);
    CHECK_OK(rift_name_lists_add(&lists, RIFT_NAMES_GAME,
                                 text_of("a2871dd1b0d9bfba assets/characters/lux/skins/base/lux.skn\n"
                                         "02fe0af750890fe6 another name\n"
                                         "   \n"
                                         "d24ec4f1a98c6e5b a"),
                                 false, &stats, &err),
             &err);
    CHECK_U64(stats.lines, 4);
    CHECK_U64(stats.taken, 2);
    CHECK_U64(stats.blank, 1);
    CHECK_U64(stats.duplicate, 1);

    const rift_names names = rift_name_lists_names(&lists);
    static const struct {
        uint64_t hash;
        const char *name;
    } rows[] = {
        {0x02fe0af750890fe6u, "data/characters/lux/lux.bin"},
        {0x98115579c0cf5f5cu, "data/characters/lux/skins/skin29.bin"},
        {0xa2871dd1b0d9bfbau, "assets/characters/lux/skins/base/lux.skn"},
        {0xd24ec4f1a98c6e5bu, "a"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_str name = {0};
        CHECK(rift_names_lookup(&names, RIFT_NAMES_GAME, rows[i].hash, &arena, &name));
        CHECK_STR(name, rift_str_c(rows[i].name));
    }
    rift_str name = RIFT_STR("untouched");
    CHECK(!rift_names_lookup(&names, RIFT_NAMES_GAME, 1, &arena, &name));
    CHECK_STR(name, RIFT_STR("untouched"));
    rift_arena_release(&arena);
}

static void verify_skips_names_with_another_hash(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    rift_name_lists lists;
    rift_name_lists_init(&lists, &arena);
    rift_name_line_stats stats;
    rift_err err = check_err();
    static const char text[] = "9dd9dc06 Idle1\n20fd0e45 ROOT\n20fd0e46 Root\n811c9dc5 \n";
    CHECK_OK(rift_name_lists_add(&lists, RIFT_NAMES_BINHASHES, text_of(text), true, &stats, &err), &err);
    CHECK_U64(stats.taken, 3);
    CHECK_U64(stats.mismatched, 1);
    const rift_names names = rift_name_lists_names(&lists);
    rift_str name = {0};
    CHECK(rift_names_lookup(&names, RIFT_NAMES_BINHASHES, 0x20fd0e45, &arena, &name));
    CHECK_STR(name, RIFT_STR("ROOT"));
    CHECK(!rift_names_lookup(&names, RIFT_NAMES_BINHASHES, 0x20fd0e46, &arena, &name));
    CHECK(rift_names_lookup(&names, RIFT_NAMES_BINHASHES, 0x811c9dc5, &arena, &name));
    CHECK_U64(name.size, 0);
    /* Without verify the same line is taken as it is. */
    CHECK_OK(rift_name_lists_add(&lists, RIFT_NAMES_BINHASHES, text_of(text), false, &stats, &err), &err);
    CHECK_U64(stats.taken, 1);
    CHECK_U64(stats.duplicate, 3);
    rift_arena_release(&arena);
}

/* hashes.md: entries ask binhashes second, hash values ask binentries second; classes and fields ask one
 * table only. */
static void a_second_table_is_asked_in_one_order_only(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    rift_name_lists lists;
    rift_name_lists_init(&lists, &arena);
    rift_err err = check_err();
    static const char *const text[RIFT_NAME_TABLE_COUNT] = {
        "0000000000000001 g\n",
        "00000001 entry\n00000002 only entry\n",
        "00000001 hash\n00000003 only hash\n",
        "00000004 field\n",
        "00000005 type\n",
    };
    for (size_t i = 0; i < RIFT_NAME_TABLE_COUNT; i++)
        CHECK_OK(rift_name_lists_add(&lists, (rift_name_table)i, text_of(text[i]), false, NULL, &err), &err);
    const rift_names names = rift_name_lists_names(&lists);
    static const struct {
        rift_name_table table;
        uint64_t hash;
        const char *name; /* NULL: unknown */
    } rows[] = {
        {RIFT_NAMES_GAME, 1, "g"},
        {RIFT_NAMES_GAME, 2, NULL},
        {RIFT_NAMES_BINENTRIES, 1, "entry"},
        {RIFT_NAMES_BINENTRIES, 2, "only entry"},
        {RIFT_NAMES_BINENTRIES, 3, "only hash"},
        {RIFT_NAMES_BINHASHES, 1, "hash"},
        {RIFT_NAMES_BINHASHES, 2, "only entry"},
        {RIFT_NAMES_BINHASHES, 3, "only hash"},
        {RIFT_NAMES_BINHASHES, 4, NULL},
        {RIFT_NAMES_BINFIELDS, 4, "field"},
        {RIFT_NAMES_BINFIELDS, 1, NULL},
        {RIFT_NAMES_BINTYPES, 5, "type"},
        {RIFT_NAMES_BINTYPES, 4, NULL},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s %llu", rift_name_table_word(rows[i].table), (unsigned long long)rows[i].hash);
        rift_str name = {0};
        CHECK(rift_names_lookup(&names, rows[i].table, rows[i].hash, &arena, &name) ==
              (rows[i].name != NULL));
        CHECK_STR(name, rift_str_c(rows[i].name));
    }
    rift_str name;
    CHECK(!rift_names_lookup(NULL, RIFT_NAMES_GAME, 1, &arena, &name));
    CHECK(!rift_names_lookup(&(rift_names){0}, RIFT_NAMES_GAME, 1, &arena, &name));
    rift_arena_release(&arena);
}

/* More names than the first room, so that the arrays grow. */
static void a_thousand_names_stay_apart(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    rift_name_lists lists;
    rift_name_lists_init(&lists, &arena);
    static char text[1000 * 24];
    size_t size = 0;
    for (unsigned i = 0; i < 1000; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%08x name %u\n", i * 7919u, i);
    rift_err err = check_err();
    rift_name_line_stats stats;
    CHECK_OK(rift_name_lists_add(&lists, RIFT_NAMES_BINFIELDS, (rift_bytes){(uint8_t *)text, size}, false,
                                 &stats, &err),
             &err);
    CHECK_U64(stats.taken, 1000);
    const rift_names names = rift_name_lists_names(&lists);
    for (unsigned i = 0; i < 1000; i++) {
        char want[24];
        (void)snprintf(want, sizeof want, "name %u", i);
        rift_str name = {0};
        CHECK(rift_names_lookup(&names, RIFT_NAMES_BINFIELDS, i * 7919u, &arena, &name));
        CHECK_STR(name, rift_str_c(want));
    }
    rift_arena_release(&arena);
}

static bool parse(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_name_lists lists;
    rift_name_lists_init(&lists, arena);
    return rift_name_lists_add(&lists, RIFT_NAMES_BINHASHES, in, false, NULL, err);
}

static void every_allocation_may_fail(void)
{
    static char text[200 * 24];
    size_t size = 0;
    for (unsigned i = 0; i < 200; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "%08x name %u\n", i, i);
    check_allocations(parse, (rift_bytes){(uint8_t *)text, size});
}

static void every_byte_may_change(void)
{
    check_every_byte(parse, text_of("9dd9dc06 Idle1\r\n\r\n811c9dc5 \n"));
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(lines_are_split_at_the_first_blank);
    RUN(words_digits_and_hashes_of_the_tables);
    RUN(parts_add_up_and_the_first_name_stays);
    RUN(verify_skips_names_with_another_hash);
    RUN(a_second_table_is_asked_in_one_order_only);
    RUN(a_thousand_names_stay_apart);
    RUN(every_allocation_may_fail);
    RUN(every_byte_may_change);
    return check_finish();
}
