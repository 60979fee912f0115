/* lists.h - name lists on disk: a folder of hashes.<table>.txt, whole or in pieces .0 .1 …
 *
 * Shape   tables as in hash/names.h; pieces in numeric order; a folder without any list is NOT_FOUND. Other files are left alone.
 * Limits  RIFT_LISTS_MAX_FILE per file. */
#ifndef RIFT_FILES_LISTS_H
#define RIFT_FILES_LISTS_H

#include "hash/names.h"

#define RIFT_LISTS_MAX_FILE ((size_t)1 << 30)

/* True, with *table and *piece (-1: the whole list), when `name` is "hashes.<table>.txt[.N]". */
bool rift_list_name_parse(rift_str name, rift_name_table *table, int *piece);

typedef struct rift_list_file {
    rift_name_table table;
    int piece;     /* -1: the whole list */
    rift_str path; /* NUL-terminated */
} rift_list_file;

/* The lists of a folder by table and piece, at most RIFT_LISTS_MAX (LIMIT); NOT_FOUND without any. */
#define RIFT_LISTS_MAX 1024
RIFT_NODISCARD bool
rift_hash_lists_find(const char *dir, rift_list_file **out, size_t *count, rift_arena *arena, rift_err *err);

/* Reads every list of the folder into *out (initialised here, in `arena`). stats may be NULL; it sums over all files. */
RIFT_NODISCARD bool rift_hash_lists_open(rift_name_lists *out,
                                         const char *dir,
                                         bool verify,
                                         rift_arena *arena,
                                         rift_name_line_stats *stats,
                                         rift_err *err);

#endif
