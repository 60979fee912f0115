#include "game/game.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "game/field_names.h"
#include "game/game_internal.h"
#include "hash/hash.h"

enum {
    PATH_SIZE = RIFT_GAME_MAX_ALIAS * 2 + 64,
    SKIN_BITS_SIZE = (RIFT_GAME_MAX_SKIN_NUMBER + 8) / 8,
    /* Aliases that no archive is named after are probed this far; most of the table is absent from most
     * folders. */
    PROBED_SKINS = 100,
    RECORD_LIMIT = 64 * 1024 * 1024
};

static const char part[] = "game folder";

uint64_t rift_skin_bin_hash(rift_str alias, uint32_t number)
{
    char path[PATH_SIZE];
    const int size = snprintf(path, sizeof path, "data/characters/%.*s/skins/skin%" PRIu32 ".bin",
                              RIFT_STR_ARG(alias), number);
    return size > 0 && (size_t)size < sizeof path ? rift_path_hash((rift_str){path, (size_t)size}) : 0;
}

bool game_is_alias(rift_str s)
{
    for (size_t i = 0; i < s.size; i++) {
        const char c = rift_lower(s.data[i]);
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-'))
            return false;
    }
    return s.size > 0 && s.size <= RIFT_GAME_MAX_ALIAS;
}

static rift_str lower_copy(rift_arena *arena, rift_str s)
{
    char *copy = RIFT_NEW(arena, char, s.size + 1);
    if (copy == NULL)
        return (rift_str){0};
    for (size_t i = 0; i < s.size; i++)
        copy[i] = rift_lower(s.data[i]);
    return (rift_str){copy, s.size};
}

/* "DATA/FINAL/Champions/Yasuo.en_US.wad.client" -> "Yasuo" */
static rift_str archive_stem(rift_str path)
{
    rift_str base = rift_str_base(path);
    const char *dot = base.size > 0 ? memchr(base.data, '.', base.size) : NULL;
    if (dot != NULL)
        base.size = (size_t)(dot - base.data);
    return base;
}

static bool mount(rift_game *game,
                  const rift_game_file *files,
                  size_t file_count,
                  rift_arena *arena,
                  rift_report *report,
                  rift_err *err)
{
    game->archives = RIFT_NEW(arena, rift_game_archive, file_count);
    for (size_t i = 0; i < file_count && game->archives != NULL; i++) {
        rift_game_archive archive = {.path = rift_arena_copy_str(arena, files[i].path)};
        rift_err local;
        rift_err_in(&local, files[i].path);
        if (rift_wad_open(&archive.wad, files[i].source, archive.path, arena, report, &local)) {
            game->archives[game->archive_count++] = archive;
        } else if (arena->failed == RIFT_OK) {
            rift_report_err(report, "archive_unreadable", &local);
        }
    }
    return rift_arena_ok(arena, part, err);
}

/* Whole entries first, so that one that a damaged archive lost is taken from another. */
static bool index_entries(rift_game *game, rift_arena *arena, rift_err *err)
{
    size_t expected = 0;
    for (size_t i = 0; i < game->archive_count; i++)
        expected += game->archives[i].wad.entry_count;
    rift_map_init(&game->where, arena, expected);
    for (int outside = 0; outside <= 1; outside++) {
        for (size_t i = 0; i < game->archive_count; i++) {
            const rift_wad *wad = &game->archives[i].wad;
            for (size_t k = 0; k < wad->entry_count; k++) {
                if (wad->entries[k].outside == (outside == 1))
                    (void)rift_map_add(&game->where, wad->entries[k].path_hash, (uint32_t)i);
            }
        }
    }
    return rift_arena_ok(arena, part, err);
}

bool rift_game_has(const rift_game *game, uint64_t path_hash)
{
    return rift_map_lookup(&game->where, path_hash) != RIFT_MAP_NONE;
}

static const rift_wad_entry *
find_use(rift_asset_use *use, const rift_game *game, const rift_wad **wad, uint64_t hash)
{
    *use = (rift_asset_use){.path_hash = hash};
    const uint32_t at = rift_map_lookup(&game->where, hash);
    if (at == RIFT_MAP_NONE)
        return NULL;
    *wad = &game->archives[at].wad;
    const rift_wad_entry *entry = rift_wad_lookup(*wad, hash);
    RIFT_ASSERT(entry != NULL);
    use->found = true;
    use->checksum_kind = (uint8_t)(*wad)->checksum_kind;
    /* What lies outside cannot be read, and may be mended. Where the data lies is the best that version 1 tells. */
    const uint64_t place[] = {entry->offset, entry->stored_size, entry->size};
    if (!entry->outside) {
        use->checksum = (*wad)->checksum_kind != RIFT_WAD_SUM_NONE
                            ? entry->checksum
                            : rift_xxh3((rift_bytes){(const uint8_t *)place, sizeof place});
    }
    return entry;
}

rift_asset_use rift_game_use(const rift_game *game, uint64_t path_hash)
{
    rift_asset_use use;
    const rift_wad *wad;
    (void)find_use(&use, game, &wad, path_hash);
    return use;
}

static bool read_asset(void *user,
                       const rift_asset_path *path,
                       rift_arena *arena,
                       rift_bytes *out,
                       rift_asset_use *use,
                       rift_err *err)
{
    const rift_game *game = user;
    const rift_wad *wad;
    const rift_wad_entry *entry = find_use(use, game, &wad, path->hash);
    if (entry == NULL) {
        return rift_fail(err, RIFT_ERR_NOT_FOUND, part, RIFT_NO_OFFSET,
                         "none of the %zu archives has this file", game->archive_count);
    }
    return rift_wad_read(wad, entry, arena, out, err);
}

rift_assets rift_game_assets(const rift_game *game)
{
    /* The interface has one pointer for all hosts; the callback only reads. */
    rift_assets assets = {.read = read_asset};
    memcpy(&assets.user, &game, sizeof assets.user);
    return assets;
}

/* ---- Champions ---- */

/* What the game's own record says. */
typedef struct record {
    uint32_t id;
    rift_str name;
    uint32_t archive; /* RIFT_MAP_NONE without a record */
} record;

static const rift_bin_object *find_record(const rift_bin *bin, rift_str alias)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "Characters/%.*s/CharacterRecords/Root", RIFT_STR_ARG(alias));
    const rift_bin_entry *entry = rift_bin_lookup(bin, rift_fnv1a(rift_str_c(path)));
    for (size_t i = 0; i < bin->entry_count && entry == NULL; i++) {
        if (bin->entries[i].object.class_hash == RIFT_C_CHARACTER_RECORD)
            entry = &bin->entries[i];
    }
    return entry != NULL ? &entry->object : NULL;
}

static void take_record(record *out, const rift_bin *bin, rift_str alias, rift_arena *arena)
{
    const rift_bin_object *object = find_record(bin, alias);
    const int64_t id =
        rift_bin_integer(rift_bin_object_of(object, RIFT_F_CHARACTER_TOOL_DATA), RIFT_F_CHAMPION_ID, 0);
    if (id > 0 && id < UINT32_MAX / 1000)
        out->id = (uint32_t)id;
    const rift_str name = rift_bin_string(object, RIFT_F_M_CHARACTER_NAME);
    if (rift_str_is_utf8(name) && name.size > 0)
        out->name = rift_arena_copy_str(arena, name);
}

static bool read_record(
    record *out, const rift_game *game, rift_str alias, rift_arena *arena, rift_report *report, rift_err *err)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "data/characters/%.*s/%.*s.bin", RIFT_STR_ARG(alias),
                   RIFT_STR_ARG(alias));
    const uint64_t hash = rift_path_hash(rift_str_c(path));
    *out = (record){.archive = rift_map_lookup(&game->where, hash)};
    if (out->archive == RIFT_MAP_NONE)
        return true;
    rift_arena scratch;
    rift_arena_init(&scratch, RECORD_LIMIT);
    const rift_wad *wad = &game->archives[out->archive].wad;
    rift_err local;
    rift_err_in(&local, rift_str_c(path));
    rift_bytes bytes;
    rift_bin bin;
    if (rift_wad_read(wad, rift_wad_lookup(wad, hash), &scratch, &bytes, &local) &&
        rift_bin_parse(&bin, bytes, &scratch, NULL, &local)) {
        take_record(out, &bin, alias, arena);
    } else {
        rift_report_err(report, "champion_record_unreadable", &local);
    }
    rift_arena_release(&scratch);
    if (local.code == RIFT_ERR_NOMEM)
        return rift_fail(err, RIFT_ERR_NOMEM, part, RIFT_NO_OFFSET, "%s", local.text);
    return true;
}

/* The numbers below `end` that have a skin bin, as bits; returns how many. */
static size_t probe_skins(const rift_game *game, rift_str alias, uint32_t end, uint8_t bits[SKIN_BITS_SIZE])
{
    size_t count = 0;
    memset(bits, 0, SKIN_BITS_SIZE);
    for (uint32_t n = 0; n < end; n++) {
        if (!rift_game_has(game, rift_skin_bin_hash(alias, n)))
            continue;
        bits[n / 8] |= (uint8_t)(1u << n % 8);
        count++;
    }
    return count;
}

static bool take_skins(
    rift_champion *champion, const rift_game *game, rift_str alias, bool by_table_only, rift_arena *arena)
{
    const uint32_t all = RIFT_GAME_MAX_SKIN_NUMBER + 1;
    uint8_t bits[SKIN_BITS_SIZE];
    size_t count = probe_skins(game, alias, by_table_only ? PROBED_SKINS : all, bits);
    if (count > 0 && by_table_only)
        count = probe_skins(game, alias, all, bits);
    if (count == 0)
        return false;
    champion->skins = RIFT_NEW(arena, uint32_t, count);
    if (champion->skins == NULL)
        return false;
    for (uint32_t n = 0; n < all; n++) {
        if ((bits[n / 8] & 1u << n % 8) != 0)
            champion->skins[champion->skin_count++] = n;
    }
    return true;
}

static void put_champion(rift_game *game, const rift_champion *champion, rift_report *report)
{
    size_t at = game->champion_count;
    while (at > 0 && game->champions[at - 1].id > champion->id)
        at--;
    if (at > 0 && game->champions[at - 1].id == champion->id) {
        rift_report_add(report, "champion_id_repeated", "%.*s and %.*s both have %" PRIu32,
                        RIFT_STR_ARG(game->champions[at - 1].alias), RIFT_STR_ARG(champion->alias),
                        champion->id);
        return;
    }
    memmove(&game->champions[at + 1], &game->champions[at],
            (game->champion_count - at) * sizeof *game->champions);
    game->champions[at] = *champion;
    game->champion_count++;
}

/* `spelt` is an archive's name or an alias of the table. */
static bool try_champion(rift_game *game,
                         rift_str spelt,
                         bool by_table_only,
                         rift_arena *arena,
                         rift_report *report,
                         rift_err *err)
{
    record found;
    rift_champion champion = {0};
    if (!take_skins(&champion, game, spelt, by_table_only, arena))
        return rift_arena_ok(arena, part, err);
    if (!read_record(&found, game, spelt, arena, report, err))
        return false;
    const uint32_t in_table = rift_champion_id(spelt);
    champion.id = found.id != 0 ? found.id : in_table;
    if (champion.id == 0)
        return rift_arena_ok(arena, part, err);
    champion.alias = lower_copy(arena, spelt);
    champion.name = found.name.size > 0 ? found.name
                    : in_table != 0     ? rift_champion_name(in_table)
                                        : rift_arena_copy_str(arena, spelt);
    champion.archive = found.archive != RIFT_MAP_NONE
                           ? found.archive
                           : rift_map_lookup(&game->where, rift_skin_bin_hash(spelt, champion.skins[0]));
    if (!rift_arena_ok(arena, part, err))
        return false;
    put_champion(game, &champion, report);
    return true;
}

static bool find_champions(rift_game *game, rift_arena *arena, rift_report *report, rift_err *err)
{
    rift_map tried;
    rift_map_init(&tried, arena, game->archive_count);
    game->champions = RIFT_NEW(arena, rift_champion, game->archive_count + rift_champion_count());
    if (!rift_arena_ok(arena, part, err))
        return false;
    for (size_t i = 0; i < game->archive_count; i++) {
        const rift_str stem = archive_stem(game->archives[i].path);
        if (!game_is_alias(stem) || rift_map_lookup(&tried, rift_fnv1a(stem)) != RIFT_MAP_NONE)
            continue;
        (void)rift_map_add(&tried, rift_fnv1a(stem), 0);
        if (!try_champion(game, stem, false, arena, report, err))
            return false;
    }
    for (size_t i = 0; i < rift_champion_count(); i++) {
        const rift_str alias = rift_champion_alias(rift_champion_at(i));
        if (rift_map_lookup(&tried, rift_fnv1a(alias)) == RIFT_MAP_NONE &&
            !try_champion(game, alias, true, arena, report, err))
            return false;
    }
    return true;
}

bool rift_game_open(rift_game *out,
                    const rift_game_file *files,
                    size_t file_count,
                    rift_arena *arena,
                    rift_report *report,
                    rift_err *err)
{
    rift_game game = {0};
    if (file_count > RIFT_GAME_MAX_ARCHIVES) {
        return rift_fail(err, RIFT_ERR_LIMIT, part, RIFT_NO_OFFSET, "%zu archives are over %d", file_count,
                         RIFT_GAME_MAX_ARCHIVES);
    }
    if (!mount(&game, files, file_count, arena, report, err) || !index_entries(&game, arena, err) ||
        !find_champions(&game, arena, report, err))
        return false;
    *out = game;
    return true;
}

/* ---- Finding a skin ---- */

static bool only_digits(rift_str s)
{
    for (size_t i = 0; i < s.size; i++) {
        if (s.data[i] < '0' || s.data[i] > '9')
            return false;
    }
    return s.size > 0;
}

static const rift_champion *champion_by_id(const rift_game *game, uint64_t id)
{
    for (size_t i = 0; i < game->champion_count; i++) {
        if (game->champions[i].id == id)
            return &game->champions[i];
    }
    return NULL;
}

static const rift_champion *champion_by_alias(const rift_game *game, rift_str alias)
{
    for (size_t i = 0; i < game->champion_count; i++) {
        if (rift_str_eq_nocase(game->champions[i].alias, alias))
            return &game->champions[i];
    }
    return NULL;
}

static bool no_such_skin(rift_str text, rift_err *err)
{
    return rift_fail(err, RIFT_ERR_NOT_FOUND, "skin", RIFT_NO_OFFSET, "the game has no skin %.*s",
                     (int)(text.size < 80 ? text.size : 80), text.data);
}

static bool find_by_number(rift_skin_ref *out, const rift_game *game, rift_str text, rift_err *err)
{
    uint64_t id;
    if (!rift_str_u64(text, UINT32_MAX, &id))
        return no_such_skin(text, err);
    if (id < 1000) {
        return rift_fail(err, RIFT_ERR_NOT_FOUND, "skin", RIFT_NO_OFFSET,
                         "%" PRIu64 " is below 1000: an id is the champion's id times 1000 plus the number",
                         id);
    }
    rift_skin_ref ref = {.id = (uint32_t)id, .number = (uint32_t)(id % 1000)};
    ref.champion = champion_by_id(game, id / 1000);
    ref.alias = ref.champion != NULL ? ref.champion->alias : rift_champion_alias((uint32_t)(id / 1000));
    if (ref.alias.size == 0 || !rift_game_has(game, rift_skin_bin_hash(ref.alias, ref.number)))
        return no_such_skin(text, err);
    *out = ref;
    return true;
}

static bool find_by_alias(rift_skin_ref *out,
                          const rift_game *game,
                          rift_str text,
                          rift_str alias,
                          rift_str digits,
                          rift_arena *arena,
                          rift_err *err)
{
    uint64_t number;
    if (!rift_str_u64(digits, RIFT_GAME_MAX_SKIN_NUMBER, &number))
        return no_such_skin(text, err);
    rift_skin_ref ref = {.number = (uint32_t)number, .champion = champion_by_alias(game, alias)};
    if (!rift_game_has(game, rift_skin_bin_hash(alias, ref.number)))
        return no_such_skin(text, err);
    ref.alias = ref.champion != NULL ? ref.champion->alias : lower_copy(arena, alias);
    const uint32_t champion_id = ref.champion != NULL ? ref.champion->id : rift_champion_id(alias);
    ref.id = champion_id != 0 ? champion_id * 1000 + ref.number : 0;
    if (!rift_arena_ok(arena, "skin", err))
        return false;
    *out = ref;
    return true;
}

static void split_skin(rift_str text, rift_str *alias, rift_str *digits)
{
    const char *slash = text.size > 0 ? memchr(text.data, '/', text.size) : NULL;
    const size_t at = slash != NULL ? (size_t)(slash - text.data) : text.size;
    *alias = (rift_str){text.data, at};
    *digits = slash != NULL ? (rift_str){slash + 1, text.size - at - 1} : (rift_str){0};
}

bool rift_game_is_skin(rift_str text, rift_err *err)
{
    rift_str alias, digits;
    split_skin(text, &alias, &digits);
    return only_digits(text) || (game_is_alias(alias) && only_digits(digits)) ||
           rift_fail(err, RIFT_ERR_ARGUMENT, "skin", RIFT_NO_OFFSET,
                     "\"%.*s\" is neither an id (157036) nor alias/number (yasuo/36)",
                     (int)(text.size < 80 ? text.size : 80), text.data != NULL ? text.data : "");
}

bool rift_game_find_skin(
    const rift_game *game, rift_str text, rift_arena *arena, rift_skin_ref *out, rift_err *err)
{
    rift_str alias, digits;
    if (only_digits(text))
        return find_by_number(out, game, text, err);
    if (!rift_game_is_skin(text, err))
        return false;
    split_skin(text, &alias, &digits);
    return find_by_alias(out, game, text, alias, digits, arena, err);
}
