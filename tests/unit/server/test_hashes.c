#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "hash/hash.h"
#include "store/db.h"
#include "store/hashes.h"
#include "support/check.h"
#include "tempdir.h"

static rift_arena arena;

static rift_name_line_stats import(const char *path, rift_name_table table, const char *text)
{
    rift_name_line_stats stats = {0};
    rift_err err = check_err();
    CHECK_OK(rift_hashdb_import(path, table, (rift_bytes){(const uint8_t *)text, strlen(text)}, &stats, &err),
             &err);
    return stats;
}

/* Values of formats/hashes.md. */
static const char bin_text[] = "6f332041 Weapon\n"
                               "9dd9dc06 Idle1\r\n"
                               "\n"
                               "nothex12 x\n"
                               "123 short\n"
                               "20fd0e45 Toor\n"
                               "9dd9dc06 IDLE1\n"
                               "20fd0e45 Root";
static const char game_text[] = "02fe0af750890fe6 data/characters/lux/lux.bin\n"
                                "d7af7f410d2b9cee assets/characters/yasuo/skins/base/yasuo_base_tx_cm.dds\n";

static void imports_and_looks_up(void)
{
    rift_arena_init(&arena, 1024 * 1024);
    const char *path = temppath("hashes.db");
    const rift_name_line_stats bin = import(path, RIFT_NAMES_BINHASHES, bin_text);
    CHECK_U64(bin.lines, 8);
    CHECK_U64(bin.taken, 3);
    CHECK_U64(bin.blank, 1);
    CHECK_U64(bin.malformed, 2);
    CHECK_U64(bin.mismatched, 1);
    CHECK_U64(bin.duplicate, 1);
    const rift_name_line_stats game = import(path, RIFT_NAMES_GAME, game_text);
    CHECK_U64(game.taken, 2);

    rift_hashdb h = {0};
    rift_err err = check_err();
    CHECK_FATAL(CHECK_OK(rift_hashdb_open(&h, path, &err), &err));
    rift_str name = {0};
    CHECK_OK(rift_hashdb_lookup(&h, RIFT_NAMES_BINHASHES, 0x9dd9dc06, &arena, &name, &err), &err);
    CHECK_STR(name, RIFT_STR("Idle1"));
    CHECK_OK(rift_hashdb_lookup(&h, RIFT_NAMES_GAME, UINT64_C(0xd7af7f410d2b9cee), &arena, &name, &err),
             &err);
    CHECK_STR(name, RIFT_STR("assets/characters/yasuo/skins/base/yasuo_base_tx_cm.dds"));
    const rift_names names = rift_hashdb_names(&h);
    CHECK(names.lookup(names.user, RIFT_NAMES_BINHASHES, 0x20fd0e45, &arena, &name));
    CHECK_STR(name, RIFT_STR("Root"));
    CHECK(!names.lookup(names.user, RIFT_NAMES_BINENTRIES, 0x20fd0e45, &arena, &name));
    CHECK(!rift_hashdb_lookup(&h, RIFT_NAMES_BINHASHES, 1, &arena, &name, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    rift_hashdb_stats stats;
    err = check_err();
    CHECK_OK(rift_hashdb_stats_read(&h, &stats, &err), &err);
    CHECK_U64(stats.names[RIFT_NAMES_GAME], 2);
    CHECK_U64(stats.names[RIFT_NAMES_BINHASHES], 3);
    CHECK_U64(stats.names[RIFT_NAMES_BINTYPES], 0);
    rift_hashdb_close(&h);
    rift_hashdb_close(&h);
}

static uint64_t digest_of(const char *path)
{
    rift_hashdb h = {0};
    rift_hashdb_stats stats = {0};
    rift_err err = check_err();
    if (CHECK_OK(rift_hashdb_open(&h, path, &err), &err))
        CHECK_OK(rift_hashdb_stats_read(&h, &stats, &err), &err);
    rift_hashdb_close(&h);
    return stats.digest;
}

static void digest_follows_content(void)
{
    const char *one = temppath("one.db");
    const char *two = temppath("two.db");
    (void)import(one, RIFT_NAMES_BINHASHES, bin_text);
    const uint64_t first = digest_of(one);
    CHECK(first != 0);
    (void)import(one, RIFT_NAMES_BINHASHES, bin_text);
    CHECK_U64(digest_of(one), first);
    (void)import(one, RIFT_NAMES_GAME, game_text);
    CHECK(digest_of(one) != first);
    (void)import(two, RIFT_NAMES_GAME, game_text);
    (void)import(two, RIFT_NAMES_BINHASHES, bin_text);
    CHECK_U64(digest_of(two), digest_of(one));
}

/* A reader keeps the state it opened; the next one sees the new. No side files stay. */
static void a_reader_keeps_its_state(void)
{
    const char *path = temppath("swap.db");
    (void)import(path, RIFT_NAMES_BINHASHES, "6f332041 Weapon\n");
    rift_hashdb h = {0};
    rift_err err = check_err();
    rift_str name;
    CHECK_FATAL(CHECK_OK(rift_hashdb_open(&h, path, &err), &err));
    (void)import(path, RIFT_NAMES_BINHASHES, "9dd9dc06 Idle1\n");
    CHECK_OK(rift_hashdb_lookup(&h, RIFT_NAMES_BINHASHES, 0x6f332041, &arena, &name, &err), &err);
    CHECK(!rift_hashdb_lookup(&h, RIFT_NAMES_BINHASHES, 0x9dd9dc06, &arena, &name, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    rift_hashdb_close(&h);
    err = check_err();
    CHECK_FATAL(CHECK_OK(rift_hashdb_open(&h, path, &err), &err));
    CHECK_OK(rift_hashdb_lookup(&h, RIFT_NAMES_BINHASHES, 0x9dd9dc06, &arena, &name, &err), &err);
    CHECK_OK(rift_hashdb_lookup(&h, RIFT_NAMES_BINHASHES, 0x6f332041, &arena, &name, &err), &err);
    rift_hashdb_close(&h);
    char side[4200];
    static const char *const suffixes[] = {".new", "-wal", "-shm", "-journal", ".new-wal"};
    for (size_t i = 0; i < RIFT_COUNT(suffixes); i++) {
        check_row("%s", suffixes[i]);
        (void)snprintf(side, sizeof side, "%s%s", path, suffixes[i]);
        CHECK(access(side, F_OK) != 0);
    }
}

static void refuses_what_it_cannot_read(void)
{
    rift_hashdb h = {0};
    rift_err err = check_err();
    CHECK(!rift_hashdb_open(&h, temppath("absent.db"), &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    tempfile_write("garbage.db", "garbage that is no database at all, certainly not one of ours", 60);
    CHECK(!rift_hashdb_open(&h, temppath("garbage.db"), &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    rift_name_line_stats stats;
    CHECK(!rift_hashdb_import(temppath("garbage.db"), RIFT_NAMES_GAME, (rift_bytes){0}, &stats, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    CHECK(!rift_hashdb_import(temppath("no/folder/x.db"), RIFT_NAMES_GAME, (rift_bytes){0}, &stats, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(imports_and_looks_up);
    RUN(digest_follows_content);
    RUN(a_reader_keeps_its_state);
    RUN(refuses_what_it_cannot_read);
    rift_arena_release(&arena);
    return check_finish();
}
