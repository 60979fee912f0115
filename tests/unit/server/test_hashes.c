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
    rift_hash_list list = {.table = table, .text = {(const uint8_t *)text, strlen(text)}};
    rift_err err = check_err();
    CHECK_OK(rift_hashdb_import(path, &list, 1, &err), &err);
    return list.stats;
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
    CHECK(rift_hashdb_lookup(&h, RIFT_NAMES_BINHASHES, 0x20fd0e45, &arena, &name, &err));
    CHECK_STR(name, RIFT_STR("Root"));
    CHECK(!rift_hashdb_lookup(&h, RIFT_NAMES_BINENTRIES, 0x20fd0e45, &arena, &name, &err));
    err = check_err();
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
    static const char *const suffixes[] = {".new", "-wal", "-shm", "-journal", ".new-wal", ".pack.new"};
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
    CHECK(!rift_hashdb_import(temppath("garbage.db"), NULL, 0, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    CHECK(!rift_hashdb_import(temppath("no/folder/x.db"), NULL, 0, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    rift_hashpack *pack = NULL;
    CHECK(!rift_hashpack_open(&pack, temppath("absent.db"), NULL, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    CHECK(!rift_hashpack_open(&pack, temppath("garbage.db"), NULL, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    CHECK(pack == NULL);
}

/* Parts of one list are one import: the first name of a hash stays, whichever part it is in. */
static void imports_parts(void)
{
    const char *path = temppath("parts.db");
    static const char *const texts[] = {"6f332041 Weapon\n9dd9dc06 ", "9dd9dc06 IDLE1\n811c9dc5 \n",
                                        "9dd9dc06 Idle1\nd1d3d1a1 Idle1 \n6f332041 WEAPON"};
    rift_hash_list lists[3] = {{0}};
    for (size_t i = 0; i < 3; i++) {
        lists[i].table = RIFT_NAMES_BINHASHES;
        lists[i].text = (rift_bytes){(const uint8_t *)texts[i], strlen(texts[i])};
    }
    rift_err err = check_err();
    rift_hashdb h = {0};
    rift_str name;
    CHECK_FATAL(CHECK_OK(rift_hashdb_import(path, lists, 3, &err), &err));
    CHECK_U64(lists[0].stats.taken, 1);
    CHECK_U64(lists[0].stats.mismatched, 1); /* a name cut off */
    CHECK_U64(lists[1].stats.taken, 2);
    CHECK_U64(lists[2].stats.duplicate, 2);
    CHECK_U64(lists[2].stats.mismatched, 1); /* trailing blanks count */
    CHECK_FATAL(CHECK_OK(rift_hashdb_open(&h, path, &err), &err));
    CHECK_OK(rift_hashdb_lookup(&h, RIFT_NAMES_BINHASHES, 0x9dd9dc06, &arena, &name, &err), &err);
    CHECK_STR(name, RIFT_STR("IDLE1"));
    CHECK_OK(rift_hashdb_lookup(&h, RIFT_NAMES_BINHASHES, 0x811c9dc5, &arena, &name, &err), &err);
    CHECK_STR(name, RIFT_STR(""));
    rift_hashdb_close(&h);
    /* A name that is too long is no line of a list. */
    static char text[16 + 1 + 1001 + 1];
    memset(text, 'a', sizeof text - 1);
    memcpy(text, "0000000000000000 ", 17);
    CHECK_U64(import(path, RIFT_NAMES_GAME, text).malformed, 1);
}

static rift_str packed(const char *path, rift_name_table table, uint64_t hash, bool *remade)
{
    rift_hashpack *pack = NULL;
    rift_err err = check_err();
    rift_str name = RIFT_STR("(none)");
    if (!CHECK_OK(rift_hashpack_open(&pack, path, remade, &err), &err))
        return name;
    rift_hashpack *other = rift_hashpack_ref(pack);
    rift_hashpack_unref(pack);
    CHECK_U64(rift_hashpack_digest(other), digest_of(path));
    const rift_names names = rift_hashpack_names(other);
    (void)names.lookup(names.user, table, hash, &arena, &name);
    rift_hashpack_unref(other);
    return name;
}

/* Whatever became of the pack: names come from the record. */
static void keeps_a_pack_of_the_record(void)
{
    const char *path = temppath("packed.db");
    char file[4200], old[4200];
    bool remade = true;
    (void)snprintf(file, sizeof file, "%s.pack", path);
    (void)snprintf(old, sizeof old, "%s.old", path);
    (void)import(path, RIFT_NAMES_BINHASHES, "6f332041 Weapon\n");
    CHECK_STR(packed(path, RIFT_NAMES_BINHASHES, 0x6f332041, &remade), RIFT_STR("Weapon"));
    CHECK(!remade);
    CHECK(link(file, old) == 0);
    (void)import(path, RIFT_NAMES_BINHASHES, "9dd9dc06 Idle1\n");
    CHECK_STR(packed(path, RIFT_NAMES_BINHASHES, 0x9dd9dc06, &remade), RIFT_STR("Idle1"));
    CHECK(!remade);
    /* lost; of an older record (a crash between two renames); cut short; a bit wrong; somebody else's */
    for (int damage = 0; damage < 5; damage++) {
        check_row("damage %d", damage);
        if (damage == 0)
            CHECK(unlink(file) == 0);
        if (damage == 1)
            CHECK(rename(old, file) == 0);
        if (damage == 2)
            CHECK(truncate(file, 100) == 0);
        if (damage >= 3) {
            FILE *f = fopen(file, "r+b");
            CHECK_FATAL(f != NULL);
            CHECK(fseek(f, damage == 3 ? -1 : 0, damage == 3 ? SEEK_END : SEEK_SET) == 0 &&
                  fputc('~', f) == '~');
            CHECK(fclose(f) == 0);
        }
        remade = false;
        CHECK_STR(packed(path, RIFT_NAMES_BINHASHES, 0x9dd9dc06, &remade), RIFT_STR("Idle1"));
        CHECK(remade);
        CHECK_STR(packed(path, RIFT_NAMES_BINHASHES, 0x6f332041, &remade), RIFT_STR("Weapon"));
        CHECK(!remade);
    }
}

/* What is learnt is found, but is no part of what conversions see before the next import. */
static void learns_names(void)
{
    const char *path = temppath("learnt.db");
    static const rift_named_hash names[] = {
        {RIFT_NAMES_BINHASHES, 0x6f332041, {"Weapon", 6}},
        {RIFT_NAMES_BINHASHES, 0x9dd9dc06, {"Idle1", 5}},
        {RIFT_NAMES_BINHASHES, 0x9dd9dc06, {"IDLE1", 5}},
        {RIFT_NAMES_GAME, UINT64_C(0x98115579c0cf5f5c), {"data/characters/lux/skins/skin29.bin", 36}},
    };
    uint64_t added;
    rift_err err = check_err();
    CHECK_OK(rift_hashdb_learn(path, names, 4, &added, &err), &err); /* there is no file yet */
    CHECK_U64(added, 3);
    CHECK_U64(digest_of(path), 0);
    CHECK_OK(rift_hashdb_learn(path, names, 4, &added, &err), &err);
    CHECK_U64(added, 0);
    rift_hashdb h = {0};
    rift_hashdb_stats stats;
    rift_str name;
    CHECK_FATAL(CHECK_OK(rift_hashdb_open(&h, path, &err), &err));
    CHECK_OK(rift_hashdb_lookup(&h, RIFT_NAMES_BINHASHES, 0x9dd9dc06, &arena, &name, &err), &err);
    CHECK_STR(name, RIFT_STR("Idle1"));
    CHECK(!rift_hashdb_lookup(&h, RIFT_NAMES_BINENTRIES, 0x9dd9dc06, &arena, &name, &err));
    err = check_err();
    CHECK_OK(rift_hashdb_stats_read(&h, &stats, &err), &err);
    CHECK_U64(stats.learnt, 3);
    CHECK_U64(stats.names[RIFT_NAMES_BINHASHES], 0);
    rift_hashdb_close(&h);
    bool remade;
    CHECK_STR(packed(path, RIFT_NAMES_BINHASHES, 0x9dd9dc06, &remade), RIFT_STR("(none)"));
    (void)import(path, RIFT_NAMES_BINHASHES, "9dd9dc06 idle1\n"); /* the list's spelling wins */
    CHECK_STR(packed(path, RIFT_NAMES_BINHASHES, 0x9dd9dc06, &remade), RIFT_STR("idle1"));
    CHECK_STR(packed(path, RIFT_NAMES_BINHASHES, 0x6f332041, &remade), RIFT_STR("Weapon"));
    CHECK_STR(packed(path, RIFT_NAMES_GAME, UINT64_C(0x98115579c0cf5f5c), &remade),
              RIFT_STR("data/characters/lux/skins/skin29.bin"));
    CHECK_OK(rift_hashdb_learn(path, names, 4, &added, &err), &err);
    CHECK_U64(added, 0);
}

/* A record of the first version is brought up to date by whoever opens the pack. */
static void takes_a_record_of_the_first_version(void)
{
    const char *path = temppath("first.db");
    struct sqlite3 *db = NULL;
    rift_err err = check_err();
    bool remade;
    CHECK_FATAL(CHECK_OK(rift_db_open(&db, path, RIFT_DB_WRITER, &err), &err));
    CHECK_OK(rift_db_migrate(db, path, rift_migrations_hashes, 1, &err), &err);
    CHECK_OK(rift_db_exec(db,
                          "INSERT INTO binhashes VALUES (1865621569, 'Weapon'); UPDATE state SET value=77; "
                          "PRAGMA journal_mode=DELETE",
                          &err),
             &err);
    rift_db_close(db);
    rift_hashdb h = {0};
    CHECK(!rift_hashdb_open(&h, path, &err));
    CHECK_CODE(&err, RIFT_ERR_UNSUPPORTED);
    CHECK_STR(packed(path, RIFT_NAMES_BINHASHES, 0x6f332041, &remade), RIFT_STR("Weapon"));
    CHECK_U64(digest_of(path), 77);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(imports_and_looks_up);
    RUN(digest_follows_content);
    RUN(a_reader_keeps_its_state);
    RUN(refuses_what_it_cannot_read);
    RUN(imports_parts);
    RUN(keeps_a_pack_of_the_record);
    RUN(learns_names);
    RUN(takes_a_record_of_the_first_version);
    rift_arena_release(&arena);
    return check_finish();
}
