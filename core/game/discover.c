#include "game/discover.h"

#include <string.h>

#include "base/map.h"
#include "base/reader.h"
#include "base/str.h"
#include "formats/bin.h"
#include "formats/skl.h"
#include "formats/skn.h"
#include "hash/hash.h"

enum { SKN_MAGIC = 0x00112233, SKL_MAGIC = 0x22FD4FC3 };

typedef struct search {
    rift_discovered *out;
    const rift_game *game;
    rift_arena *arena;
    rift_arena *tmp;
    rift_map hashes, entries, files; /* what a bin has as `hash`; as paths of entries and `link`; as `file` */
} search;

static bool is_name(rift_str s)
{
    if (s.size == 0 || s.size > RIFT_PACK_MAX_NAME || !rift_str_is_utf8(s))
        return false;
    for (size_t i = 0; i < s.size; i++) {
        if ((unsigned char)s.data[i] < 0x20 || s.data[i] == 0x7f)
            return false;
    }
    return true;
}

static void add(search *s, rift_name_table table, uint64_t hash, rift_str name)
{
    rift_discovered *out = s->out;
    if (out->count == out->capacity) {
        const size_t wanted = out->capacity > 0 ? out->capacity * 2 : 64;
        rift_named_hash *grown =
            rift_arena_grow(s->arena, out->names, out->capacity * sizeof *grown, wanted * sizeof *grown);
        if (grown == NULL)
            return;
        out->names = grown;
        out->capacity = wanted;
    }
    const rift_str copy = rift_arena_copy_str(s->arena, name);
    if (copy.data != NULL)
        out->names[out->count++] = (rift_named_hash){table, hash, copy};
}

static void add_string(search *s, rift_str name)
{
    if (is_name(name))
        add(s, RIFT_NAMES_BINHASHES, rift_fnv1a(name), name);
}

/* ---- bins ---- */

static bool has(const rift_map *map, uint64_t hash)
{
    return rift_map_lookup(map, hash) != RIFT_MAP_NONE;
}

static void add_path(search *s, uint64_t hash, rift_str path)
{
    const rift_arena_mark mark = rift_arena_get_mark(s->tmp);
    char *lower = rift_arena_push(s->tmp, path.size, 1, 1);
    if (lower != NULL) {
        for (size_t i = 0; i < path.size; i++)
            lower[i] = rift_lower(path.data[i]);
        const rift_str name = {lower, path.size};
        /* A list's line must have the hash of its name as it stands: no path that only counts without its "./". */
        if (rift_path_hash(name) == hash)
            add(s, RIFT_NAMES_GAME, hash, name);
    }
    rift_arena_rewind(s->tmp, mark);
}

static void judge(search *s, rift_str text)
{
    if (!is_name(text))
        return;
    const uint64_t path = rift_path_hash(text);
    if (has(&s->files, path) || (s->game != NULL && rift_game_has(s->game, path))) {
        add_path(s, path, text);
        return;
    }
    const uint32_t hash = rift_fnv1a(text);
    if (has(&s->entries, hash))
        add(s, RIFT_NAMES_BINENTRIES, hash, text);
    if (has(&s->hashes, hash))
        add(s, RIFT_NAMES_BINHASHES, hash, text);
}

typedef void visit_fn(search *s, const rift_bin_value *value);

static void visit_object(search *s, const rift_bin_object *object, visit_fn *visit);

/* As deep as the parser went: RIFT_BIN_MAX_DEPTH. */
static void visit_value(search *s, const rift_bin_value *value, visit_fn *visit)
{
    switch (value->type) {
    case RIFT_BIN_POINTER:
    case RIFT_BIN_EMBED:
        visit_object(s, value->as.object, visit);
        break;
    case RIFT_BIN_LIST:
    case RIFT_BIN_LIST2:
    case RIFT_BIN_OPTION:
        for (size_t i = 0; i < value->count; i++)
            visit_value(s, &value->as.items[i], visit);
        break;
    case RIFT_BIN_MAP:
        for (size_t i = 0; i < value->count; i++) {
            visit_value(s, &value->as.pairs[i].key, visit);
            visit_value(s, &value->as.pairs[i].value, visit);
        }
        break;
    default:
        visit(s, value);
        break;
    }
}

static void visit_object(search *s, const rift_bin_object *object, visit_fn *visit)
{
    if (object == NULL)
        return;
    for (size_t i = 0; i < object->field_count; i++)
        visit_value(s, &object->fields[i].value, visit);
}

static void note_hash(search *s, const rift_bin_value *value)
{
    rift_map *map = value->type == RIFT_BIN_HASH   ? &s->hashes
                    : value->type == RIFT_BIN_LINK ? &s->entries
                    : value->type == RIFT_BIN_FILE ? &s->files
                                                   : NULL;
    if (map != NULL)
        (void)rift_map_add(map, value->as.u, 0);
}

static void judge_value(search *s, const rift_bin_value *value)
{
    if (value->type == RIFT_BIN_STRING)
        judge(s, value->as.str);
}

static void discover_in_bin(search *s, const rift_bin *bin)
{
    rift_map_init(&s->hashes, s->tmp, 0);
    rift_map_init(&s->entries, s->tmp, 0);
    rift_map_init(&s->files, s->tmp, 0);
    for (size_t i = 0; i < bin->entry_count; i++) {
        (void)rift_map_add(&s->entries, bin->entries[i].path, 0);
        visit_object(s, &bin->entries[i].object, note_hash);
    }
    for (size_t i = 0; i < bin->link_count; i++)
        judge(s, bin->links[i]);
    for (size_t i = 0; i < bin->entry_count; i++)
        visit_object(s, &bin->entries[i].object, judge_value);
}

/* ---- files ---- */

static bool begins(rift_bytes file, size_t at, const char *magic, size_t size)
{
    return file.size >= at + size && memcmp(file.data + at, magic, size) == 0;
}

static bool has_magic(rift_bytes file, size_t at, uint32_t magic)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_reader r = rift_rd_init(file, "magic", &err);
    (void)rift_rd_seek(&r, at);
    return rift_rd_u32(&r) == magic && rift_rd_ok(&r);
}

void rift_discover(
    rift_discovered *out, rift_bytes file, const rift_game *game, rift_arena *arena, rift_arena *tmp)
{
    search s = {.out = out, .game = game, .arena = arena, .tmp = tmp};
    rift_report report;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_report_init(&report, tmp);
    if (has_magic(file, 0, SKN_MAGIC)) {
        rift_skn skn;
        if (rift_skn_parse(&skn, file, tmp, &report, &err)) {
            for (size_t i = 0; i < skn.range_count; i++)
                add_string(&s, skn.ranges[i].name);
        }
    } else if (has_magic(file, 4, SKL_MAGIC) || begins(file, 0, "r3d2sklt", 8)) {
        rift_skl skl;
        if (rift_skl_parse(&skl, file, tmp, &report, &err)) {
            for (size_t i = 0; i < skl.joint_count; i++)
                add_string(&s, skl.joints[i].name);
        }
    } else if (begins(file, 0, "PROP", 4) || begins(file, 0, "PTCH", 4)) {
        rift_bin bin;
        if (rift_bin_parse(&bin, file, tmp, NULL, &err))
            discover_in_bin(&s, &bin);
    }
}
