#include "game/family.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "game/field_names.h"
#include "game/game_internal.h"

static rift_str lower_copy(rift_arena *arena, rift_str s)
{
    char *copy = RIFT_NEW(arena, char, s.size + 1);
    for (size_t i = 0; i < s.size && copy != NULL; i++)
        copy[i] = rift_lower(s.data[i]);
    return copy != NULL ? (rift_str){copy, s.size} : (rift_str){0};
}

/* ---- Chromas ---- */

typedef struct chroma_search {
    const rift_skin_ref *ref;
    const rift_assets *assets;
    rift_arena *arena, *tmp;
    rift_asset_log *log;
    rift_report *report;
    rift_err *err;
    rift_relatives found;
} chroma_search;

/* What says something about that file alone. */
static bool is_fatal(rift_status code)
{
    return code == RIFT_ERR_IO || code == RIFT_ERR_CANCELLED || code == RIFT_ERR_NOMEM ||
           code == RIFT_ERR_INTERNAL;
}

/* The bin of one number, in tmp; false when it is of no use here. */
static bool look_into(chroma_search *s, uint32_t number, rift_bytes bytes, rift_relative *out, rift_err *err)
{
    rift_bin bin;
    if (!rift_bin_parse(&bin, bytes, s->tmp, NULL, err))
        return false;
    const rift_str entry =
        rift_arena_printf(s->tmp, "Characters/%.*s/Skins/Skin%" PRIu32, RIFT_STR_ARG(s->ref->alias), number);
    const rift_bin_object *object = game_find_skin_object(&bin, rift_fnv1a(entry));
    if (rift_bin_integer(object, RIFT_F_SKIN_PARENT, -1) != (int64_t)s->ref->number)
        return false;
    *out = (rift_relative){
        .alias = s->ref->alias,
        .number = number,
        .name = rift_arena_copy_str(s->arena, rift_bin_string(object, RIFT_F_CHAMPION_SKIN_NAME)),
    };
    return true;
}

/* False only for what must end the search. *there: such a skin exists. */
static bool try_number(chroma_search *s, uint32_t number, bool *there, rift_asset_use *use)
{
    rift_err err;
    rift_bytes bytes;
    rift_err_in(&err, (rift_str){0});
    const rift_str text = rift_arena_printf(s->tmp, "data/characters/%.*s/skins/skin%" PRIu32 ".bin",
                                            RIFT_STR_ARG(s->ref->alias), number);
    const rift_asset_path path = rift_asset_path_from(text);
    const bool read = s->assets->read(s->assets->user, &path, s->tmp, &bytes, use, &err);
    *there = read || err.code != RIFT_ERR_NOT_FOUND;
    if (*there && number != s->ref->number &&
        (!read || !look_into(s, number, bytes, &s->found.items[s->found.count], &err))) {
        if (is_fatal(err.code)) {
            *s->err = err;
            return false;
        }
        if (err.code != RIFT_OK)
            rift_report_err(s->report, "skin_bin_unreadable", &err);
        return true;
    }
    s->found.count += *there && number != s->ref->number;
    return true;
}

static bool search_chromas(chroma_search *s)
{
    const uint32_t end = RIFT_GAME_MAX_SKIN_NUMBER + 1;
    rift_asset_use *uses = RIFT_NEW(s->arena, rift_asset_use, end);
    s->found.items = RIFT_NEW(s->arena, rift_relative, end);
    if (!rift_arena_ok(s->arena, "chromas", s->err))
        return false;
    uint32_t noted = 0;
    for (uint32_t n = 0; n < end; n++) {
        const rift_arena_mark mark = rift_arena_get_mark(s->tmp);
        bool there;
        const bool ok = try_number(s, n, &there, &uses[n]);
        rift_arena_rewind(s->tmp, mark);
        if (!ok || !rift_arena_ok(s->tmp, "chromas", s->err))
            return false;
        if (there)
            noted = n + 1 + RIFT_FAMILY_AHEAD < end ? n + 1 + RIFT_FAMILY_AHEAD : end;
    }
    for (uint32_t n = 0; n < noted; n++)
        rift_asset_log_add(s->log, &uses[n]);
    return rift_arena_ok(s->arena, "chromas", s->err);
}

bool rift_family_chromas(rift_relatives *out,
                         const rift_skin_ref *ref,
                         const rift_assets *assets,
                         rift_arena *arena,
                         rift_arena *tmp,
                         rift_asset_log *log,
                         rift_report *report,
                         rift_err *err)
{
    chroma_search s = {
        .ref = ref, .assets = assets, .arena = arena, .tmp = tmp, .log = log, .report = report, .err = err};
    if (!search_chromas(&s))
        return false;
    *out = s.found;
    return true;
}

/* ---- Related characters ---- */

typedef struct related_search {
    const rift_skin *skin;
    const rift_game *game;
    uint32_t archive;
    rift_arena *arena;
    rift_report *report;
    rift_map seen; /* FNV-1a of names tried */
    size_t tried;
    rift_relatives found;
    size_t capacity;
} related_search;

static void add_related(related_search *s, rift_str folder)
{
    if (s->found.count == s->capacity) {
        const size_t wider = s->capacity > 0 ? 2 * s->capacity : 16;
        s->found.items = rift_arena_grow(s->arena, s->found.items, s->capacity * sizeof *s->found.items,
                                         wider * sizeof *s->found.items);
        s->capacity = s->found.items != NULL ? wider : 0;
    }
    if (s->capacity == 0)
        return; /* the arena says so */
    s->found.items[s->found.count++] =
        (rift_relative){.alias = lower_copy(s->arena, folder), .number = s->skin->ref.number};
}

/* Tries a string as a folder name. */
static void try_folder(related_search *s, rift_str folder)
{
    if (!game_is_alias(folder) || rift_str_eq_nocase(folder, s->skin->ref.alias))
        return;
    const uint32_t hash = rift_fnv1a(folder);
    if (rift_map_lookup(&s->seen, hash) != RIFT_MAP_NONE)
        return;
    if (s->tried == RIFT_FAMILY_MAX_STRINGS) {
        if (rift_report_count(s->report, "strings_over_limit") == 0)
            rift_report_add(s->report, "strings_over_limit", "%.*s and more", RIFT_STR_ARG(folder));
        return;
    }
    s->tried++;
    (void)rift_map_add(&s->seen, hash, 0);
    if (rift_map_lookup(&s->game->where, rift_skin_bin_hash(folder, s->skin->ref.number)) == s->archive)
        add_related(s, folder);
}

/* Nesting is what rift_bin_parse let through: at most RIFT_BIN_MAX_DEPTH. */
static void try_value(related_search *s, const rift_bin_value *value, unsigned depth)
{
    if (depth > 2 * RIFT_BIN_MAX_DEPTH)
        return;
    switch (value->type) {
    case RIFT_BIN_STRING:
        try_folder(s, value->as.str);
        break;
    case RIFT_BIN_LIST:
    case RIFT_BIN_LIST2:
    case RIFT_BIN_OPTION:
        for (size_t i = 0; i < value->count; i++)
            try_value(s, &value->as.items[i], depth + 1);
        break;
    case RIFT_BIN_MAP:
        for (size_t i = 0; i < value->count; i++) {
            try_value(s, &value->as.pairs[i].key, depth + 1);
            try_value(s, &value->as.pairs[i].value, depth + 1);
        }
        break;
    case RIFT_BIN_POINTER:
    case RIFT_BIN_EMBED:
        for (size_t i = 0; value->as.object != NULL && i < value->as.object->field_count; i++)
            try_value(s, &value->as.object->fields[i].value, depth + 1);
        break;
    default: /* numbers and hashes */
        break;
    }
}

static void try_bin(related_search *s, const rift_bin *bin)
{
    for (size_t i = 0; i < bin->entry_count; i++) {
        const rift_bin_object *object = &bin->entries[i].object;
        for (size_t k = 0; k < object->field_count; k++)
            try_value(s, &object->fields[k].value, 0);
    }
}

/* The character's record, where there is one: spells and summons are spelt there. */
static void try_record(related_search *s, const rift_assets *assets, rift_arena *tmp)
{
    rift_err err;
    rift_bytes bytes;
    rift_bin bin;
    rift_err_in(&err, (rift_str){0});
    const rift_str alias = s->skin->ref.alias;
    const rift_asset_path path = rift_asset_path_from(
        rift_arena_printf(tmp, "data/characters/%.*s/%.*s.bin", RIFT_STR_ARG(alias), RIFT_STR_ARG(alias)));
    if (rift_assets_read(assets, &path, tmp, NULL, &bytes, &err) &&
        rift_bin_parse(&bin, bytes, tmp, NULL, &err))
        try_bin(s, &bin);
}

/* "data/characters/<folder>/skins/…" of the archive's entries, as far as the table knows them. */
static void try_names(related_search *s, const rift_names *names, rift_arena *tmp)
{
    static const char lead[] = "data/characters/";
    const rift_wad *wad = &s->game->archives[s->archive].wad;
    for (size_t i = 0; names != NULL && i < wad->entry_count; i++) {
        const rift_arena_mark mark = rift_arena_get_mark(tmp);
        rift_str name;
        if (rift_names_lookup(names, RIFT_NAMES_GAME, wad->entries[i].path_hash, tmp, &name) &&
            rift_str_starts_nocase(name, RIFT_STR(lead))) {
            rift_str rest = {name.data + sizeof lead - 1, name.size - (sizeof lead - 1)};
            rift_str folder;
            if (rift_str_next(&rest, "/", &folder))
                try_folder(s, folder);
        }
        rift_arena_rewind(tmp, mark);
    }
}

static int by_alias(const void *a, const void *b)
{
    const rift_str x = ((const rift_relative *)a)->alias;
    const rift_str y = ((const rift_relative *)b)->alias;
    const int order = memcmp(x.data, y.data, x.size < y.size ? x.size : y.size);
    return order != 0 ? order : (x.size > y.size) - (x.size < y.size);
}

bool rift_family_related(rift_relatives *out,
                         const rift_skin *skin,
                         const rift_game *game,
                         const rift_names *names,
                         rift_arena *arena,
                         rift_arena *tmp,
                         rift_report *report,
                         rift_err *err)
{
    related_search s = {.skin = skin, .game = game, .arena = arena, .report = report};
    const rift_arena_mark mark = rift_arena_get_mark(tmp);
    const rift_assets assets = rift_game_assets(game);
    s.archive = rift_map_lookup(&game->where, rift_skin_bin_hash(skin->ref.alias, skin->ref.number));
    if (s.archive != RIFT_MAP_NONE) {
        rift_map_init(&s.seen, arena, 1024);
        for (size_t i = 0; i < skin->bin_count; i++)
            try_bin(&s, &skin->bins[i]);
        try_record(&s, &assets, tmp);
        try_names(&s, names, tmp);
    }
    rift_arena_rewind(tmp, mark);
    if (!rift_arena_ok(arena, "related characters", err) || !rift_arena_ok(tmp, "related characters", err))
        return false;
    if (s.found.count > 1)
        qsort(s.found.items, s.found.count, sizeof *s.found.items, by_alias);
    *out = s.found;
    return true;
}
