/* Who stands around a skin: chromas by their parent, other characters of the archive. */
#include "base/str.h"
#include "fixtures/fx_bin.h"
#include "formats/wad_write.h"
#include "game/family.h"
#include "loose.h"
#include "support/check.h"

enum { LIMIT = 64 * 1024 * 1024 };

/* ---- Chromas ---- */

static const rift_skin_ref lux7 = {.id = 99007, .alias = {"lux", 3}, .number = 7};

typedef struct bench {
    rift_arena arena, tmp;
    rift_report report;
    rift_asset_log log;
    loose_files files;
    rift_relatives found;
    rift_err err;
} bench;

static void begin(bench *t)
{
    *t = (bench){0};
    rift_arena_init(&t->arena, LIMIT);
    rift_arena_init(&t->tmp, LIMIT);
    rift_report_init(&t->report, &t->arena);
    rift_asset_log_init(&t->log, &t->arena);
}

static void end(bench *t)
{
    rift_arena_release(&t->tmp);
    rift_arena_release(&t->arena);
}

/* A skin of Lux; parent -2: the field is absent. */
static void put_skin(bench *t, unsigned number, int parent, const char *name)
{
    fx_bin b;
    fx_bin_init(&b, &t->arena, (fx_bin_opts){.version = 3});
    fx_bin_entry(&b, rift_arena_printf(&t->arena, "Characters/Lux/Skins/Skin%u", number).data,
                 "SkinCharacterDataProperties");
    if (name != NULL)
        fx_bin_string(&b, "championSkinName", name);
    if (parent > -2)
        fx_bin_i32(&b, "skinParent", parent);
    fx_bin_end(&b);
    loose_put(&t->files, rift_arena_printf(&t->arena, "data/characters/lux/skins/skin%u.bin", number).data,
              fx_bin_finish(&b));
}

static bool search(bench *t)
{
    const rift_assets assets = loose_assets(&t->files);
    t->err = check_err();
    return rift_family_chromas(&t->found, &lux7, &assets, &t->arena, &t->tmp, &t->log, &t->report, &t->err);
}

static void chromas_name_their_parent(void)
{
    bench t;
    begin(&t);
    put_skin(&t, 0, -2, "Lux");
    put_skin(&t, 7, 7, "LuxSkin07"); /* no skin is its own chroma */
    put_skin(&t, 8, 7, "LuxSkin08");
    put_skin(&t, 9, 6, "LuxSkin09");
    put_skin(&t, 40, 7, NULL);
    put_skin(&t, 41, -1, "LuxSkin41");
    const bool ok = search(&t);
    if (CHECK_OK(ok, &t.err) && CHECK(t.found.count == 2)) {
        CHECK_U64(t.found.items[0].number, 8);
        CHECK_STR(t.found.items[0].name, RIFT_STR("LuxSkin08"));
        CHECK_STR(t.found.items[0].alias, RIFT_STR("lux"));
        CHECK_U64(t.found.items[1].number, 40);
        CHECK_U64(t.found.items[1].name.size, 0);
    }
    /* What was looked for up to 32 numbers behind the last skin: a new chroma there makes the list stale. */
    CHECK_U64(t.log.count, 42 + RIFT_FAMILY_AHEAD);
    size_t there = 0;
    for (size_t i = 0; i < t.log.count; i++)
        there += t.log.uses[i].found;
    CHECK_U64(there, 6);
    CHECK_U64(t.log.uses[42].path_hash, rift_skin_bin_hash(RIFT_STR("lux"), 42));
    CHECK_U64(t.report.entry_count, 0);
    end(&t);
}

static void a_torn_bin_is_no_chroma(void)
{
    bench t;
    begin(&t);
    put_skin(&t, 7, -1, "LuxSkin07");
    loose_put(&t.files, "data/characters/lux/skins/skin8.bin", (rift_bytes){(const uint8_t *)"PROP\3", 5});
    put_skin(&t, 9, 7, "LuxSkin09");
    const bool ok = search(&t);
    if (CHECK_OK(ok, &t.err) && CHECK(t.found.count == 1))
        CHECK_U64(t.found.items[0].number, 9);
    CHECK_U64(rift_report_count(&t.report, "skin_bin_unreadable"), 1);
    end(&t);
}

static void a_disk_that_fails_ends_the_search(void)
{
    bench t;
    begin(&t);
    put_skin(&t, 7, -1, "LuxSkin07");
    loose_put_failing(&t.files, "data/characters/lux/skins/skin9.bin", RIFT_ERR_IO);
    CHECK(!search(&t));
    CHECK_CODE(&t.err, RIFT_ERR_IO);
    end(&t);
    begin(&t);
    put_skin(&t, 7, -1, "LuxSkin07");
    loose_put_failing(&t.files, "data/characters/lux/skins/skin9.bin", RIFT_ERR_UNSUPPORTED);
    const bool ok = search(&t);
    CHECK_OK(ok, &t.err);
    CHECK_U64(rift_report_count(&t.report, "skin_bin_unreadable"), 1);
    end(&t);
}

/* A family without members: the last number there is. */
static void the_last_number_counts(void)
{
    bench t;
    begin(&t);
    put_skin(&t, 999, 7, "LuxSkin999");
    const bool ok = search(&t);
    if (CHECK_OK(ok, &t.err) && CHECK(t.found.count == 1))
        CHECK_U64(t.found.items[0].number, 999);
    CHECK_U64(t.log.count, 1000);
    end(&t);
}

static void no_allocation_is_taken_for_granted(void)
{
    for (size_t n = 1;; n++) {
        bench t;
        begin(&t);
        put_skin(&t, 7, -1, "LuxSkin07");
        put_skin(&t, 8, 7, "LuxSkin08");
        rift_arena fresh;
        rift_arena_init(&fresh, LIMIT);
        fresh.fail_at = n;
        const rift_assets assets = loose_assets(&t.files);
        const bool ok =
            rift_family_chromas(&t.found, &lux7, &assets, &fresh, &t.tmp, &t.log, &t.report, &t.err);
        CHECK(ok == (t.err.code == RIFT_OK));
        if (!ok)
            CHECK_CODE(&t.err, RIFT_ERR_NOMEM);
        rift_arena_release(&fresh);
        end(&t);
        if (ok || !CHECK(n < 1000))
            break;
    }
}

/* ---- Related characters ---- */

typedef struct folder {
    rift_arena arena, tmp;
    rift_report report;
    rift_wad_item items[16];
    size_t item_count;
    rift_bytes bytes[2];
    rift_game_file files[2];
    size_t file_count;
    rift_game game;
} folder;

static void put(folder *f, const char *path, rift_bytes data)
{
    f->items[f->item_count++] =
        (rift_wad_item){.path_hash = rift_path_hash(rift_str_c(path)), .data = data, .storage = RIFT_WAD_RAW};
}

static void close_archive(folder *f, const char *path)
{
    rift_err err = check_err();
    const rift_wad_write_opts opts = {.major = 3, .minor = 3, .path = rift_str_c(path)};
    rift_bytes *bytes = &f->bytes[f->file_count];
    CHECK_OK(rift_wad_write(bytes, f->items, f->item_count, &opts, &f->arena, &err), &err);
    f->files[f->file_count++] = (rift_game_file){rift_str_c(path), rift_source_from_bytes(bytes)};
    f->item_count = 0;
}

/* Lux with strings in several places of her skin and her record; six characters around her. */
static bool open_folder(folder *f)
{
    static const char *const others[] = {
        "data/characters/luxpet/skins/skin7.bin",    "data/characters/luxtrap/skins/skin7.bin",
        "data/characters/luxrecord/skins/skin7.bin", "data/characters/luxquiet/skins/skin7.bin",
        "data/characters/luxother/skins/skin8.bin",
    };
    rift_err err = check_err();
    fx_bin b;
    *f = (folder){0};
    rift_arena_init(&f->arena, LIMIT);
    rift_arena_init(&f->tmp, LIMIT);
    rift_report_init(&f->report, &f->arena);
    fx_bin_init(&b, &f->arena, (fx_bin_opts){.version = 3});
    fx_bin_entry(&b, "Characters/Lux/Skins/Skin7", "SkinCharacterDataProperties");
    fx_bin_string(&b, "championSkinName", "Lux");
    fx_bin_embed(&b, "skinMeshProperties", "SkinMeshDataProperties");
    fx_bin_string(&b, "simpleSkin", "a.skn");
    fx_bin_end(&b);
    fx_bin_list(&b, "strings", RIFT_BIN_STRING);
    fx_bin_string(&b, NULL, "LuxTrap");
    fx_bin_string(&b, NULL, "LuxOther");  /* has no skin 7 */
    fx_bin_string(&b, NULL, "LuxAbroad"); /* in another archive */
    fx_bin_string(&b, NULL, "luxtrap");   /* again */
    fx_bin_string(&b, NULL, "no such folder/");
    fx_bin_end(&b);
    fx_bin_map(&b, "pets", RIFT_BIN_HASH, RIFT_BIN_EMBED);
    fx_bin_hash(&b, NULL, "x");
    fx_bin_embed(&b, NULL, "Pet");
    fx_bin_string(&b, "name", "LuxPet");
    fx_bin_end(&b);
    fx_bin_end(&b);
    fx_bin_end(&b);
    put(f, "data/characters/lux/skins/skin7.bin", fx_bin_finish(&b));
    fx_bin_init(&b, &f->arena, (fx_bin_opts){.version = 3});
    fx_bin_entry(&b, "Characters/Lux/CharacterRecords/Root", "CharacterRecord");
    fx_bin_string(&b, "mFallbackCharacterName", "LuxRecord");
    fx_bin_end(&b);
    put(f, "data/characters/lux/lux.bin", fx_bin_finish(&b));
    for (size_t i = 0; i < RIFT_COUNT(others); i++)
        put(f, others[i], (rift_bytes){(const uint8_t *)"PROP", 4});
    close_archive(f, "DATA/FINAL/Champions/Lux.wad.client");
    put(f, "data/characters/luxabroad/skins/skin7.bin", (rift_bytes){(const uint8_t *)"PROP", 4});
    close_archive(f, "DATA/FINAL/Champions/Zed.wad.client");
    return CHECK_OK(rift_game_open(&f->game, f->files, f->file_count, &f->arena, &f->report, &err), &err);
}

/* A table that knows the one whom no string names, a path of another kind, and nobody else. */
static bool lookup(void *user, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out)
{
    (void)user;
    (void)arena;
    static const rift_str quiet = {"data/characters/luxquiet/skins/skin7.bin", 40};
    static const rift_str lux = {"data/characters/lux/lux.bin", 27};
    if (table != RIFT_NAMES_GAME)
        return false;
    *out = hash == rift_path_hash(quiet) ? quiet : lux;
    return hash == rift_path_hash(quiet) || hash == rift_path_hash(lux);
}

static bool related(folder *f, const rift_names *names, rift_relatives *out, rift_err *err)
{
    rift_skin skin;
    rift_skin_ref ref;
    rift_asset_log log;
    const rift_assets assets = rift_game_assets(&f->game);
    *err = check_err();
    rift_asset_log_init(&log, &f->arena);
    return rift_game_find_skin(&f->game, RIFT_STR("lux/7"), &f->arena, &ref, err) &&
           rift_skin_load(&skin, &ref, &assets, NULL, &f->arena, &log, &f->report, err) &&
           rift_family_related(out, &skin, &f->game, names, &f->arena, &f->tmp, &f->report, err);
}

static void others_of_the_same_number_and_archive(void)
{
    static const char *const with_names[] = {"luxpet", "luxquiet", "luxrecord", "luxtrap"};
    static const char *const without[] = {"luxpet", "luxrecord", "luxtrap"};
    const rift_names names = {.lookup = lookup};
    for (int known = 0; known <= 1; known++) {
        folder f;
        rift_relatives found = {0};
        rift_err err;
        check_row("%s names", known ? "with" : "without");
        const char *const *want = known ? with_names : without;
        if (open_folder(&f) && CHECK_OK(related(&f, known ? &names : NULL, &found, &err), &err) &&
            CHECK(found.count == (known ? 4 : 3))) {
            for (size_t i = 0; i < found.count; i++) {
                CHECK_STR(found.items[i].alias, rift_str_c(want[i]));
                CHECK_U64(found.items[i].number, 7);
            }
        }
        rift_arena_release(&f.tmp);
        rift_arena_release(&f.arena);
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(chromas_name_their_parent);
    RUN(a_torn_bin_is_no_chroma);
    RUN(a_disk_that_fails_ends_the_search);
    RUN(the_last_number_counts);
    RUN(no_allocation_is_taken_for_granted);
    RUN(others_of_the_same_number_and_archive);
    return check_finish();
}
