/* Paths as strings and as hashes, the record of what was read, the other texture ending. */
#include "base/str.h"
#include "fixtures/fx_bin.h"
#include "game/assets.h"
#include "hash/hash.h"
#include "loose.h"
#include "support/check.h"

enum { LIMIT = 1 << 20 };

static rift_bytes bytes_of(const char *s)
{
    return (rift_bytes){(const uint8_t *)s, strlen(s)};
}

static void paths_of_names_and_hashes(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    /* formats/hashes.md: XXH64 of the lower-cased path. */
    const rift_asset_path lux = rift_asset_path_from(RIFT_STR("ASSETS/Characters/Lux/Skins/Base/Lux.skn"));
    CHECK_U64(lux.hash, 0xa2871dd1b0d9bfbau);
    CHECK_STR(rift_asset_path_text(&lux, &arena), RIFT_STR("ASSETS/Characters/Lux/Skins/Base/Lux.skn"));
    const rift_asset_path bare = {.hash = 0x2fe0af750890fe6u};
    CHECK_STR(rift_asset_path_text(&bare, &arena), RIFT_STR("02fe0af750890fe6"));
    CHECK_U64(rift_asset_path_from((rift_str){0}).hash, 0);
    CHECK_U64(rift_asset_path_from(RIFT_STR("")).hash, 0);
    rift_arena_release(&arena);
}

static void fields_of_both_types(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    fx_bin b;
    fx_bin_init(&b, &arena, (fx_bin_opts){0});
    fx_bin_entry(&b, "e", "C");
    fx_bin_string(&b, "string", "ASSETS/Characters/Lux/Skins/Base/Lux.skn");
    fx_bin_file(&b, "file", "assets/characters/lux/skins/base/lux.skn");
    fx_bin_string(&b, "empty", "");
    fx_bin_u32(&b, "number", 7);
    fx_bin_option(&b, "option", RIFT_BIN_STRING);
    fx_bin_string(&b, NULL, "assets/characters/lux/skins/base/lux.skn");
    fx_bin_end(&b);
    fx_bin_end(&b);
    rift_bin bin;
    rift_err err = check_err();
    if (!CHECK_OK(rift_bin_parse(&bin, fx_bin_finish(&b), &arena, NULL, &err), &err))
        return;
    const rift_bin_object *object = &bin.entries[0].object;
    static const struct {
        const char *field;
        uint64_t hash;
        const char *name;
    } rows[] = {
        {"string", 0xa2871dd1b0d9bfbau, "ASSETS/Characters/Lux/Skins/Base/Lux.skn"},
        {"file", 0xa2871dd1b0d9bfbau, ""},
        {"option", 0xa2871dd1b0d9bfbau, "assets/characters/lux/skins/base/lux.skn"},
        {"empty", 0, ""},
        {"number", 0, ""},
        {"absent", 0, ""},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].field);
        const rift_asset_path path = rift_asset_path_field(object, rift_fnv1a(rift_str_c(rows[i].field)));
        CHECK_U64(path.hash, rows[i].hash);
        CHECK_STR(path.name, rift_str_c(rows[i].name));
    }
    CHECK_U64(rift_asset_path_field(NULL, 1).hash, 0);
    rift_arena_release(&arena);
}

static void names_come_from_the_game_list(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    rift_name_lists lists;
    rift_name_lists_init(&lists, &arena);
    rift_err err = check_err();
    CHECK_OK(rift_name_lists_add(&lists, RIFT_NAMES_GAME,
                                 bytes_of("a2871dd1b0d9bfba assets/characters/lux/skins/base/lux.skn\n"),
                                 false, NULL, &err),
             &err);
    const rift_names names = rift_name_lists_names(&lists);
    rift_asset_path known = {.hash = 0xa2871dd1b0d9bfbau};
    rift_asset_path unknown = {.hash = 5};
    rift_asset_path spelt = {.hash = 0xa2871dd1b0d9bfbau, .name = RIFT_STR("As/Spelt")};
    rift_asset_path_resolve(&known, &names, &arena);
    rift_asset_path_resolve(&unknown, &names, &arena);
    rift_asset_path_resolve(&spelt, &names, &arena);
    CHECK_STR(known.name, RIFT_STR("assets/characters/lux/skins/base/lux.skn"));
    CHECK_U64(unknown.name.size, 0);
    CHECK_STR(spelt.name, RIFT_STR("assets/characters/lux/skins/base/lux.skn")); /* decisions 30 */
    rift_asset_path_resolve(&unknown, NULL, &arena);
    CHECK_U64(unknown.name.size, 0);
    rift_arena_release(&arena);
}

static void reads_are_noted_once_found_or_not(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    loose_files set = {0};
    loose_put(&set, "a.skn", bytes_of("mesh"));
    const rift_assets assets = loose_assets(&set);
    rift_asset_log log;
    rift_asset_log_init(&log, &arena);
    rift_bytes out = {0};
    rift_err err = check_err();
    const rift_asset_path there = rift_asset_path_from(RIFT_STR("A.SKN"));
    const rift_asset_path absent = rift_asset_path_from(RIFT_STR("b.skn"));
    CHECK_OK(rift_assets_read(&assets, &there, &arena, &log, &out, &err), &err);
    CHECK_BYTES(out, bytes_of("mesh"));
    CHECK(strcmp(err.file, "A.SKN") == 0);
    CHECK(!rift_assets_read(&assets, &absent, &arena, &log, &out, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    CHECK(strcmp(err.file, "b.skn") == 0);
    /* An error of an earlier read does not stay. */
    CHECK_OK(rift_assets_read(&assets, &there, &arena, &log, &out, &err), &err);
    CHECK_FATAL(log.count == 2);
    CHECK(log.uses[0].path_hash == there.hash && log.uses[0].found && log.uses[0].checksum == there.hash + 1);
    CHECK(log.uses[1].path_hash == absent.hash && !log.uses[1].found && log.uses[1].checksum == 0);
    rift_arena_release(&arena);
}

static void the_other_texture_ending_is_tried(void)
{
    static const struct {
        const char *label, *asked, *there;
        bool found;
        size_t noted;
    } rows[] = {
        {"as named", "t/a.tex", "t/a.tex", true, 1},    {"dds for tex", "t/a.tex", "t/a.dds", true, 2},
        {"tex for dds", "T/A.DDS", "t/a.tex", true, 2}, {"neither", "t/a.tex", "t/b.tex", false, 2},
        {"no texture", "t/a.skn", "t/a.dds", false, 1}, {"only an ending", ".tex", ".dds", true, 2},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].label);
        rift_arena arena;
        rift_arena_init(&arena, LIMIT);
        loose_files set = {0};
        loose_put(&set, rows[i].there, bytes_of("texture"));
        const rift_assets assets = loose_assets(&set);
        rift_asset_log log;
        rift_asset_log_init(&log, &arena);
        rift_bytes out = {0};
        rift_err err = check_err();
        const rift_asset_path path = rift_asset_path_from(rift_str_c(rows[i].asked));
        const bool ok = rift_assets_read(&assets, &path, &arena, &log, &out, &err);
        CHECK(ok == rows[i].found);
        CHECK_CODE(&err, ok ? RIFT_OK : RIFT_ERR_NOT_FOUND);
        if (!ok)
            CHECK(strcmp(err.file, rows[i].asked) == 0);
        CHECK_U64(log.count, rows[i].noted);
        rift_arena_release(&arena);
    }
}

/* Without a name there is no other ending; a failure of another kind is not searched around. */
static void what_is_not_tried_again(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    loose_files set = {0};
    loose_put(&set, "a.dds", bytes_of("texture"));
    loose_put_failing(&set, "a.tex", RIFT_ERR_IO);
    const rift_assets assets = loose_assets(&set);
    rift_bytes out = {0};
    rift_err err = check_err();
    const rift_asset_path hash_only = {.hash = rift_path_hash(RIFT_STR("b.tex"))};
    CHECK(!rift_assets_read(&assets, &hash_only, &arena, NULL, &out, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    CHECK(strlen(err.file) == 16);
    const rift_asset_path failing = rift_asset_path_from(RIFT_STR("a.tex"));
    CHECK(!rift_assets_read(&assets, &failing, &arena, NULL, &out, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    CHECK_U64(set.reads, 2);
    /* No path, no assets. */
    CHECK(!rift_assets_read(&assets, &(rift_asset_path){0}, &arena, NULL, &out, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    CHECK_U64(set.reads, 2);
    CHECK(!rift_assets_read(NULL, &failing, &arena, NULL, &out, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    rift_arena_release(&arena);
}

static void a_long_log_keeps_its_order(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    rift_asset_log log;
    rift_asset_log_init(&log, &arena);
    for (uint64_t i = 0; i < 500; i++)
        rift_asset_log_add(&log, &(rift_asset_use){.path_hash = (i * 7) % 500, .checksum = i});
    rift_asset_log_add(&log, &(rift_asset_use){.path_hash = 7, .checksum = 99999});
    CHECK_FATAL(log.count == 500);
    for (uint64_t i = 0; i < 500; i++)
        CHECK(log.uses[i].path_hash == (i * 7) % 500 && log.uses[i].checksum == i);
    rift_arena_release(&arena);
}

static bool read_two(rift_bytes in, rift_arena *arena, rift_err *err)
{
    loose_files set = {0};
    loose_put(&set, "a.dds", in);
    const rift_assets assets = loose_assets(&set);
    rift_asset_log log;
    rift_asset_log_init(&log, arena);
    rift_bytes out;
    const rift_asset_path path = rift_asset_path_from(RIFT_STR("a.tex"));
    return rift_assets_read(&assets, &path, arena, &log, &out, err);
}

static void every_allocation_may_fail(void)
{
    check_allocations(read_two, bytes_of("texture"));
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(paths_of_names_and_hashes);
    RUN(fields_of_both_types);
    RUN(names_come_from_the_game_list);
    RUN(reads_are_noted_once_found_or_not);
    RUN(the_other_texture_ending_is_tried);
    RUN(what_is_not_tried_again);
    RUN(a_long_log_keeps_its_order);
    RUN(every_allocation_may_fail);
    return check_finish();
}
