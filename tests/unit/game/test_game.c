/* A folder of archives: champions by their own records and by the built-in table, skins found by id and by
 * alias, archives that overlap or cannot be read. */
#include "base/str.h"
#include "fixtures/fx_bin.h"
#include "formats/wad_write.h"
#include "game/game.h"
#include "hash/hash.h"
#include "support/check.h"

enum { LIMIT = 64 * 1024 * 1024, MAX_FILES = 8, MAX_ITEMS = 8 };

/* A folder under construction. Sources point into it, so it stays where it is. */
typedef struct folder {
    rift_arena arena;
    rift_report report;
    rift_bytes bytes[MAX_FILES];
    rift_game_file files[MAX_FILES];
    size_t file_count;
    rift_wad_item items[MAX_ITEMS];
    size_t item_count;
    rift_game game;
} folder;

static void begin(folder *f)
{
    *f = (folder){0};
    rift_arena_init(&f->arena, LIMIT);
    rift_report_init(&f->report, &f->arena);
}

static void end(folder *f)
{
    rift_arena_release(&f->arena);
}

static rift_bytes bytes_of(const char *s)
{
    return (rift_bytes){(const uint8_t *)s, strlen(s)};
}

static void put(folder *f, const char *path, rift_bytes data)
{
    f->items[f->item_count++] =
        (rift_wad_item){.path_hash = rift_path_hash(rift_str_c(path)), .data = data, .storage = RIFT_WAD_RAW};
}

static void put_skin(folder *f, const char *alias, unsigned number)
{
    char path[128];
    (void)snprintf(path, sizeof path, "DATA/Characters/%s/Skins/Skin%u.bin", alias, number);
    put(f, path, bytes_of("PROP"));
}

/* data/characters/<alias>/<alias>.bin; id 0: the field is absent. */
static void put_record(folder *f, const char *alias, const char *name, int32_t id)
{
    char path[128];
    fx_bin b;
    fx_bin_init(&b, &f->arena, (fx_bin_opts){0});
    (void)snprintf(path, sizeof path, "Characters/%s/CharacterRecords/Root", alias);
    fx_bin_entry(&b, "Characters/Other/CharacterRecords/Root", "SomethingElse");
    fx_bin_end(&b);
    fx_bin_entry(&b, path, "CharacterRecord");
    fx_bin_string(&b, "mCharacterName", name);
    if (id != 0) {
        fx_bin_embed(&b, "characterToolData", "CharacterToolData");
        fx_bin_i32(&b, "championId", id);
        fx_bin_end(&b);
    }
    fx_bin_end(&b);
    (void)snprintf(path, sizeof path, "data/characters/%s/%s.bin", alias, alias);
    put(f, path, fx_bin_finish(&b));
}

static void add_file(folder *f, const char *path, rift_bytes bytes)
{
    f->bytes[f->file_count] = bytes;
    f->files[f->file_count] = (rift_game_file){
        .path = rift_str_c(path),
        .source = rift_source_from_bytes(&f->bytes[f->file_count]),
    };
    f->file_count++;
}

/* Packs what was put since the last archive. */
static void add_archive(folder *f, const char *path)
{
    rift_err err = check_err();
    rift_bytes out = {0};
    const rift_wad_write_opts opts = {.major = 3, .minor = 3, .path = rift_str_c(path)};
    CHECK_OK(rift_wad_write(&out, f->items, f->item_count, &opts, &f->arena, &err), &err);
    f->item_count = 0;
    add_file(f, path, out);
}

static bool open_folder(folder *f)
{
    rift_err err = check_err();
    return CHECK_OK(rift_game_open(&f->game, f->files, f->file_count, &f->arena, &f->report, &err), &err);
}

static bool find(const folder *f, const char *text, rift_skin_ref *ref, rift_err *err)
{
    static rift_arena arena;
    rift_arena_release(&arena);
    rift_arena_init(&arena, LIMIT);
    *err = check_err();
    return rift_game_find_skin(&f->game, rift_str_c(text), &arena, ref, err);
}

static void the_built_in_table(void)
{
    /* formats/champions.tsv: first, last, differing names, ends of gaps. */
    static const struct {
        uint32_t id;
        const char *alias, *name;
    } rows[] = {
        {1, "annie", "Annie"},       {4, "twistedfate", "TwistedFate"}, {62, "monkeyking", "MonkeyKing"},
        {145, "kaisa", "Kaisa"},     {157, "yasuo", "Yasuo"},           {888, "renata", "Renata"},
        {950, "naafiri", "Naafiri"},
    };
    CHECK_U64(rift_champion_count(), 172);
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        CHECK_STR(rift_champion_alias(rows[i].id), rift_str_c(rows[i].alias));
        CHECK_STR(rift_champion_name(rows[i].id), rift_str_c(rows[i].name));
        CHECK_U64(rift_champion_id(rift_str_c(rows[i].name)), rows[i].id);
        CHECK_U64(rift_champion_id(rift_str_c(rows[i].alias)), rows[i].id);
    }
    static const uint32_t unknown[] = {0, 46, 951, UINT32_MAX};
    for (size_t i = 0; i < RIFT_COUNT(unknown); i++) {
        CHECK_U64(rift_champion_alias(unknown[i]).size, 0);
        CHECK_U64(rift_champion_name(unknown[i]).size, 0);
    }
    CHECK_U64(rift_champion_id(RIFT_STR("wukong")), 0);
    CHECK_U64(rift_champion_id((rift_str){0}), 0);
    for (size_t i = 1; i < rift_champion_count(); i++)
        CHECK(rift_champion_at(i - 1) < rift_champion_at(i));
}

static void
check_champion(const rift_champion *c, uint32_t id, const char *alias, const char *name, size_t archive)
{
    CHECK_U64(c->id, id);
    CHECK_STR(c->alias, rift_str_c(alias));
    CHECK_STR(c->name, rift_str_c(name));
    CHECK_U64(c->archive, archive);
}

static void champions_come_from_records_and_from_the_table(void)
{
    folder f;
    begin(&f);
    put_record(&f, "newhero", "NewHero", 1234);
    put_skin(&f, "newhero", 0);
    put_skin(&f, "newhero", 999);
    put_skin(&f, "newhero", 17);
    add_archive(&f, "DATA/FINAL/Champions/NewHero.wad.client");
    put_record(&f, "yasuo", "YASUO", 157);
    put_skin(&f, "yasuo", 36);
    add_archive(&f, "DATA/FINAL/Champions/Yasuo.wad.client");
    put(&f, "sounds", bytes_of("voice"));
    add_archive(&f, "DATA/FINAL/Champions/Yasuo.en_US.wad.client");
    put_skin(&f, "ANNIE", 2); /* no record: the table's id and name */
    add_archive(&f, "data/final/champions/ANNIE.WAD.CLIENT");
    put_skin(&f, "strange", 1); /* neither: no champion */
    put_skin(&f, "garen", 3);   /* a champion in an archive of another name */
    add_archive(&f, "Strange mod.wad.client");
    put_record(&f, "lux", "Lux", 0); /* a record without an id */
    put_skin(&f, "lux", 29);
    add_archive(&f, "Lux.wad.client");
    if (open_folder(&f)) {
        CHECK_U64(f.report.entry_count, 0);
        CHECK_U64(f.game.archive_count, 6);
        CHECK_FATAL(f.game.champion_count == 5);
        const rift_champion *c = f.game.champions;
        check_champion(&c[0], 1, "annie", "Annie", 3);
        check_champion(&c[1], 86, "garen", "Garen", 4);
        check_champion(&c[2], 99, "lux", "Lux", 5);
        check_champion(&c[3], 157, "yasuo", "YASUO", 1);
        check_champion(&c[4], 1234, "newhero", "NewHero", 0);
        CHECK_U64(c[1].skin_count, 1);
        CHECK_U64(c[1].skins[0], 3);
        CHECK_FATAL(c[4].skin_count == 3);
        CHECK(c[4].skins[0] == 0 && c[4].skins[1] == 17 && c[4].skins[2] == 999);
    }
    end(&f);
}

static void a_record_that_cannot_be_read_is_reported(void)
{
    folder f;
    begin(&f);
    put(&f, "data/characters/annie/annie.bin", bytes_of("PROP\3\0\0"));
    put_skin(&f, "annie", 0);
    add_archive(&f, "Annie.wad.client");
    put_record(&f, "teemo", "Teemo", -5); /* no champion's id */
    put_skin(&f, "teemo", 0);
    add_archive(&f, "Teemo.wad.client");
    if (open_folder(&f)) {
        CHECK_U64(rift_report_count(&f.report, "champion_record_unreadable"), 1);
        CHECK_FATAL(f.game.champion_count == 2);
        check_champion(&f.game.champions[0], 1, "annie", "Annie", 0);
        check_champion(&f.game.champions[1], 17, "teemo", "Teemo", 1);
    }
    end(&f);
}

static void an_id_belongs_to_the_first_that_claims_it(void)
{
    folder f;
    begin(&f);
    put_record(&f, "first", "First", 500);
    put_skin(&f, "first", 0);
    add_archive(&f, "First.wad.client");
    put_record(&f, "second", "Second", 500);
    put_skin(&f, "second", 1);
    add_archive(&f, "Second.wad.client");
    if (open_folder(&f)) {
        CHECK_U64(rift_report_count(&f.report, "champion_id_repeated"), 1);
        CHECK_FATAL(f.game.champion_count == 1);
        check_champion(&f.game.champions[0], 500, "first", "First", 0);
    }
    end(&f);
}

static void skins_are_found_by_id_and_by_alias(void)
{
    folder f;
    begin(&f);
    put_record(&f, "yasuo", "Yasuo", 157);
    put_skin(&f, "yasuo", 0);
    put_skin(&f, "yasuo", 36);
    put_skin(&f, "kindred_wolf-2", 7); /* a character that is no champion */
    add_archive(&f, "Yasuo.wad.client");
    static const struct {
        const char *text;
        rift_status code;
        uint32_t id, number;
        const char *alias;
        bool champion;
    } rows[] = {
        {"157036", RIFT_OK, 157036, 36, "yasuo", true},
        {"157000", RIFT_OK, 157000, 0, "yasuo", true},
        {"yasuo/36", RIFT_OK, 157036, 36, "yasuo", true},
        {"YASUO/36", RIFT_OK, 157036, 36, "yasuo", true},
        {"yasuo/0", RIFT_OK, 157000, 0, "yasuo", true},
        {"Kindred_Wolf-2/7", RIFT_OK, 0, 7, "kindred_wolf-2", false},
        {"157037", RIFT_ERR_NOT_FOUND, 0, 0, "", false},
        {"1036", RIFT_ERR_NOT_FOUND, 0, 0, "", false},
        {"36", RIFT_ERR_NOT_FOUND, 0, 0, "", false},
        {"0", RIFT_ERR_NOT_FOUND, 0, 0, "", false},
        {"99999999999999", RIFT_ERR_NOT_FOUND, 0, 0, "", false},
        {"99999999999999999999999999", RIFT_ERR_NOT_FOUND, 0, 0, "", false},
        {"4294967296", RIFT_ERR_NOT_FOUND, 0, 0, "", false},
        {"yasuo/37", RIFT_ERR_NOT_FOUND, 0, 0, "", false},
        {"yasuo/1000", RIFT_ERR_NOT_FOUND, 0, 0, "", false},
        {"yasuo/99999999999999999999", RIFT_ERR_NOT_FOUND, 0, 0, "", false},
        {"annie/0", RIFT_ERR_NOT_FOUND, 0, 0, "", false},
        {"", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {" 157036", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"157036 ", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"+5", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"-157036", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"0x1", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"157036.0", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"yasuo", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"yasuo/", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"/36", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"/", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"yasuo/36x", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"yasuo/+36", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"yasuo/3/6", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"../yasuo/36", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"ya suo/36", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"yasuo%2f36", RIFT_ERR_ARGUMENT, 0, 0, "", false},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/1", RIFT_ERR_ARGUMENT, 0, 0, "",
         false},
    };
    if (open_folder(&f)) {
        for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
            check_row("\"%s\"", rows[i].text);
            rift_skin_ref ref = {.number = 12345};
            rift_err err;
            const bool ok = find(&f, rows[i].text, &ref, &err);
            CHECK(ok == (rows[i].code == RIFT_OK));
            CHECK_CODE(&err, rows[i].code);
            rift_err form = check_err(); /* known without any game */
            CHECK(rift_game_is_skin(rift_str_c(rows[i].text), &form) == (rows[i].code != RIFT_ERR_ARGUMENT));
            CHECK_CODE(&form, rows[i].code == RIFT_ERR_ARGUMENT ? RIFT_ERR_ARGUMENT : RIFT_OK);
            if (!ok) {
                CHECK_U64(ref.number, 12345);
                continue;
            }
            CHECK_U64(ref.id, rows[i].id);
            CHECK_U64(ref.number, rows[i].number);
            CHECK_STR(ref.alias, rift_str_c(rows[i].alias));
            CHECK((ref.champion == &f.game.champions[0]) == rows[i].champion);
        }
        check_row("%s", "");
        rift_skin_ref ref;
        rift_err err = check_err();
        CHECK(!rift_game_find_skin(&f.game, (rift_str){0}, &f.arena, &ref, &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
    }
    end(&f);
}

/* A NUL inside does not end the text. */
static void text_with_a_nul_is_refused(void)
{
    folder f;
    begin(&f);
    put_skin(&f, "annie", 0);
    add_archive(&f, "Annie.wad.client");
    if (open_folder(&f)) {
        static const char text[] = "1000\0";
        rift_skin_ref ref;
        rift_err err = check_err();
        CHECK(!rift_game_find_skin(&f.game, (rift_str){text, 5}, &f.arena, &ref, &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        err = check_err();
        CHECK_OK(rift_game_find_skin(&f.game, (rift_str){text, 4}, &f.arena, &ref, &err), &err);
    }
    end(&f);
}

static void check_content(const folder *f, const char *path, const char *want)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    const rift_assets assets = rift_game_assets(&f->game);
    const rift_asset_path asset = rift_asset_path_from(rift_str_c(path));
    rift_asset_log log;
    rift_asset_log_init(&log, &arena);
    rift_bytes out = {0};
    rift_err err = check_err();
    const bool ok = rift_assets_read(&assets, &asset, &arena, &log, &out, &err);
    check_row("%s", path);
    CHECK(ok == (want != NULL));
    CHECK(rift_game_has(&f->game, asset.hash) == (want != NULL));
    CHECK(log.count == 1 && log.uses[0].found == (want != NULL));
    if (ok) {
        CHECK_BYTES(out, bytes_of(want));
        CHECK_U64(log.uses[0].checksum, rift_xxh3(bytes_of(want)));
        CHECK_U64(log.uses[0].checksum_kind, RIFT_WAD_SUM_XXH3);
    } else {
        CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
        CHECK_U64(log.uses[0].checksum, 0);
    }
    check_row("%s", "");
    rift_arena_release(&arena);
}

/* The table of a 3.3 archive starts at 272, an entry's offset is at its byte 8. */
static void damage_first_entry(folder *f)
{
    static const uint8_t far[] = {0, 0, 0, 0x7f};
    uint8_t *copy = rift_arena_push(&f->arena, f->bytes[0].size, 1, 1);
    memcpy(copy, f->bytes[0].data, f->bytes[0].size);
    memcpy(copy + 272 + 8, far, sizeof far);
    f->bytes[0].data = copy;
}

static void the_first_archive_wins_unless_it_lost_the_entry(void)
{
    folder f;
    begin(&f);
    put(&f, "shared", bytes_of("from the first"));
    add_archive(&f, "A.wad.client");
    put(&f, "shared", bytes_of("from the second"));
    put(&f, "only second", bytes_of("second"));
    add_archive(&f, "B.wad.client");
    if (open_folder(&f)) {
        check_content(&f, "Shared", "from the first");
        check_content(&f, "only second", "second");
        check_content(&f, "nowhere", NULL);
    }
    damage_first_entry(&f);
    if (open_folder(&f))
        check_content(&f, "shared", "from the second");
    end(&f);
}

static void unreadable_archives_are_left_out(void)
{
    folder f;
    begin(&f);
    add_file(&f, "Broken.wad.client", bytes_of("not an archive"));
    put_skin(&f, "annie", 0);
    add_archive(&f, "Annie.wad.client");
    add_archive(&f, "Empty.wad.client");
    add_file(&f, "Nothing.wad.client", (rift_bytes){0});
    if (open_folder(&f)) {
        CHECK_U64(f.game.archive_count, 2);
        CHECK_STR(f.game.archives[0].path, RIFT_STR("Annie.wad.client"));
        CHECK_U64(rift_report_count(&f.report, "archive_unreadable"), 2);
        CHECK(rift_str_starts_nocase(f.report.entries[0]->examples[0], RIFT_STR("Broken.wad.client: ")));
        CHECK_U64(f.game.champion_count, 1);
    }
    end(&f);
}

static void a_folder_without_archives(void)
{
    folder f;
    begin(&f);
    if (open_folder(&f)) {
        rift_skin_ref ref;
        rift_err err;
        CHECK_U64(f.game.champion_count, 0);
        CHECK(!find(&f, "157036", &ref, &err));
        CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    }
    rift_err err = check_err();
    CHECK(!rift_game_open(&f.game, f.files, RIFT_GAME_MAX_ARCHIVES + 1, &f.arena, NULL, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    end(&f);
}

static folder *under_test;

static bool open_again(rift_bytes in, rift_arena *arena, rift_err *err)
{
    (void)in;
    rift_game game;
    return rift_game_open(&game, under_test->files, under_test->file_count, arena, NULL, err);
}

static void every_allocation_may_fail(void)
{
    folder f;
    begin(&f);
    put_record(&f, "yasuo", "Yasuo", 157);
    put_skin(&f, "yasuo", 36);
    add_archive(&f, "Yasuo.wad.client");
    under_test = &f;
    check_allocations(open_again, (rift_bytes){0});
    end(&f);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(the_built_in_table);
    RUN(champions_come_from_records_and_from_the_table);
    RUN(a_record_that_cannot_be_read_is_reported);
    RUN(an_id_belongs_to_the_first_that_claims_it);
    RUN(skins_are_found_by_id_and_by_alias);
    RUN(text_with_a_nul_is_refused);
    RUN(the_first_archive_wins_unless_it_lost_the_entry);
    RUN(unreadable_archives_are_left_out);
    RUN(a_folder_without_archives);
    RUN(every_allocation_may_fail);
    return check_finish();
}
