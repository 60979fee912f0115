#include "hash/names.h"

#include <string.h>

#include "base/str.h"
#include "hash/hash.h"

static const char *const words[RIFT_NAME_TABLE_COUNT] = {
    "game", "binentries", "binhashes", "binfields", "bintypes",
};

const char *rift_name_table_word(rift_name_table table)
{
    return (unsigned)table < RIFT_NAME_TABLE_COUNT ? words[table] : "";
}

int rift_name_table_from_word(rift_str word)
{
    for (int i = 0; i < RIFT_NAME_TABLE_COUNT; i++) {
        if (rift_str_eq(word, rift_str_c(words[i])))
            return i;
    }
    return -1;
}

unsigned rift_name_table_digits(rift_name_table table)
{
    return table == RIFT_NAMES_GAME ? 16 : 8;
}

uint64_t rift_name_table_hash(rift_name_table table, rift_str name)
{
    return table == RIFT_NAMES_GAME ? rift_path_hash(name) : rift_fnv1a(name);
}

static bool
ask(const rift_names *names, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out)
{
    return names->lookup(names->user, table, hash, arena, out);
}

bool rift_names_lookup(
    const rift_names *names, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out)
{
    if (names == NULL || names->lookup == NULL)
        return false;
    if (ask(names, table, hash, arena, out))
        return true;
    if (table == RIFT_NAMES_BINENTRIES)
        return ask(names, RIFT_NAMES_BINHASHES, hash, arena, out);
    if (table == RIFT_NAMES_BINHASHES)
        return ask(names, RIFT_NAMES_BINENTRIES, hash, arena, out);
    return false;
}

/* Exactly this many hexadecimal digits; unlike rift_str_hex no "0x" counts. */
static bool read_hex(rift_str s, uint64_t *out)
{
    for (size_t i = 0; i < s.size; i++) {
        const char c = rift_lower(s.data[i]);
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
            return false;
    }
    return rift_str_hex(s, out);
}

static rift_str without_cr(rift_str line)
{
    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    return line;
}

bool rift_name_line_parse(rift_str line, unsigned digits, uint64_t *hash, rift_str *name)
{
    line = without_cr(line);
    if (line.size <= digits || line.data[digits] != ' ')
        return false;
    uint64_t value;
    if (!read_hex((rift_str){line.data, digits}, &value))
        return false;
    *hash = value;
    *name = (rift_str){line.data + digits + 1, line.size - digits - 1};
    return true;
}

void rift_name_lists_init(rift_name_lists *lists, rift_arena *arena)
{
    *lists = (rift_name_lists){.arena = arena};
    for (size_t i = 0; i < RIFT_NAME_TABLE_COUNT; i++)
        rift_map_init(&lists->tables[i].index, arena, 0);
}

/* Room for one more name. False when the arena has failed or the table is full. */
static bool make_room(rift_name_lists *lists, rift_name_table table)
{
    const size_t capacity = lists->tables[table].capacity;
    if (lists->tables[table].count >= RIFT_MAP_NONE - 1)
        return false;
    if (lists->tables[table].count < capacity)
        return true;
    const size_t wanted = capacity > 0 ? capacity * 2 : 64;
    rift_str *grown = rift_arena_grow(lists->arena, lists->tables[table].names, capacity * sizeof(rift_str),
                                      wanted * sizeof(rift_str));
    if (grown == NULL)
        return false;
    lists->tables[table].names = grown;
    lists->tables[table].capacity = wanted;
    return true;
}

static bool is_blank(rift_str line)
{
    for (size_t i = 0; i < line.size; i++) {
        if (line.data[i] != ' ' && line.data[i] != '\t')
            return false;
    }
    return true;
}

static bool add_line(
    rift_name_lists *lists, rift_name_table table, rift_str line, bool verify, rift_name_line_stats *stats)
{
    uint64_t hash;
    rift_str name;
    stats->lines++;
    if (is_blank(without_cr(line))) {
        stats->blank++;
        return true;
    }
    if (!rift_name_line_parse(line, rift_name_table_digits(table), &hash, &name)) {
        stats->malformed++;
        return true;
    }
    if (verify && rift_name_table_hash(table, name) != hash) {
        stats->mismatched++;
        return true;
    }
    if (rift_map_lookup(&lists->tables[table].index, hash) != RIFT_MAP_NONE) {
        stats->duplicate++;
        return true;
    }
    if (!make_room(lists, table))
        return false;
    const size_t at = lists->tables[table].count++;
    lists->tables[table].names[at] = rift_arena_copy_str(lists->arena, name);
    (void)rift_map_add(&lists->tables[table].index, hash, (uint32_t)at);
    stats->taken++;
    return true;
}

bool rift_name_lists_add(rift_name_lists *lists,
                         rift_name_table table,
                         rift_bytes text,
                         bool verify,
                         rift_name_line_stats *stats,
                         rift_err *err)
{
    rift_name_line_stats counted = {0};
    const char *at = (const char *)text.data;
    for (size_t left = text.size; left > 0;) {
        const char *end = memchr(at, '\n', left);
        const size_t size = end != NULL ? (size_t)(end - at) : left;
        if (!add_line(lists, table, (rift_str){at, size}, verify, &counted)) {
            return rift_arena_ok(lists->arena, "name list", err) &&
                   rift_fail(err, RIFT_ERR_LIMIT, "name list", RIFT_NO_OFFSET,
                             "more than %u names in one table", RIFT_MAP_NONE - 1);
        }
        const size_t used = end != NULL ? size + 1 : size;
        at += used;
        left -= used;
    }
    if (!rift_arena_ok(lists->arena, "name list", err))
        return false;
    if (stats != NULL)
        *stats = counted;
    return true;
}

static bool
lookup_in_lists(void *user, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out)
{
    const rift_name_lists *lists = user;
    if ((unsigned)table >= RIFT_NAME_TABLE_COUNT)
        return false;
    const uint32_t at = rift_map_lookup(&lists->tables[table].index, hash);
    if (at == RIFT_MAP_NONE)
        return false;
    const rift_str name = lists->tables[table].names[at];
    const rift_str copy = rift_arena_copy_str(arena, name);
    if (copy.size != name.size)
        return false;
    *out = copy;
    return true;
}

rift_names rift_name_lists_names(const rift_name_lists *lists)
{
    /* The interface has one pointer for readers and writers; the callback only reads. */
    rift_names names = {.lookup = lookup_in_lists};
    memcpy(&names.user, &lists, sizeof names.user);
    return names;
}
