/* names.h - name tables: from a hash to the text it was made of (CommunityDragon-style lists).
 *
 * Shape   an interface with one call, so that a list in memory, a mapped pack or a database can stand behind
 *         it; and the list in memory.
 *         Conversion works without any table; only printable names suffer.
 * Source  formats/hashes.md, "Hash list files". */
#ifndef RIFT_HASH_NAMES_H
#define RIFT_HASH_NAMES_H

#include "base/arena.h"
#include "base/map.h"

typedef enum rift_name_table {
    RIFT_NAMES_GAME,       /* 64 bit: paths in the game's archives */
    RIFT_NAMES_BINENTRIES, /* 32 bit from here on: entry paths, link targets */
    RIFT_NAMES_BINHASHES,  /* strings behind hash values: clips, joints, submeshes */
    RIFT_NAMES_BINFIELDS,
    RIFT_NAMES_BINTYPES
} rift_name_table;

#define RIFT_NAME_TABLE_COUNT 5

typedef struct rift_named_hash {
    rift_name_table table;
    uint64_t hash;
    rift_str name;
} rift_named_hash;

typedef struct rift_names {
    void *user;
    /* The name, copied into arena; false when unknown. Safe from several threads with different arenas. */
    bool (*lookup)(void *user, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out);
} rift_names;

/* "game", "binentries", "binhashes", "binfields", "bintypes"; a word that is none of them gives -1. */
const char *rift_name_table_word(rift_name_table table);
int rift_name_table_from_word(rift_str word);
/* Hex digits of a hash in this table's lists: 16 or 8. */
unsigned rift_name_table_digits(rift_name_table table);
/* The hash that a name of this table has (XXH64 of the path, or FNV-1a). */
uint64_t rift_name_table_hash(rift_name_table table, rift_str name);
/* names may be NULL. Follows the order of formats/hashes.md where a second table may know (binhashes <->
 * binentries). */
bool rift_names_lookup(
    const rift_names *names, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out);

typedef struct rift_name_line_stats {
    uint64_t lines, taken, blank, malformed, duplicate, mismatched;
} rift_name_line_stats;

/* One line "<hex> <name>" of a list, without its line end (a trailing CR is cut). False when blank or
 * malformed: other than exactly `digits` hexadecimal digits, or no blank behind them. The name is the whole
 * rest of the line behind the first blank, trailing blanks included; it may be empty. `name` points into
 * `line`. */
bool rift_name_line_parse(rift_str line, unsigned digits, uint64_t *hash, rift_str *name);

/* Lists in memory, all tables. */
typedef struct rift_name_lists {
    rift_arena *arena;
    struct {
        rift_map index;
        rift_str *names;
        size_t count, capacity;
    } tables[RIFT_NAME_TABLE_COUNT];
} rift_name_lists;

void rift_name_lists_init(rift_name_lists *lists, rift_arena *arena);
/* Adds every line of a list (or of one part of it). The first of equal hashes is kept. With `verify`, lines
 * whose name does not have their hash are skipped and counted. Names are copied. `stats` (may be NULL) counts
 * this call only. Fails only with the arena, or with LIMIT past 2^32 - 2 names in one table. */
RIFT_NODISCARD bool rift_name_lists_add(rift_name_lists *lists,
                                        rift_name_table table,
                                        rift_bytes text,
                                        bool verify,
                                        rift_name_line_stats *stats,
                                        rift_err *err);
rift_names rift_name_lists_names(const rift_name_lists *lists);

#endif
