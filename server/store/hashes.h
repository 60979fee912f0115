/* hashes.h - name tables in hashes.db: imported lists, and lookups for conversions.
 *
 * Shape   an import writes a whole new file beside the old one and renames over it, so that a reader has one state or the other and
 *         two programs never write one file. Importers wait for each other (lock on <path>.lock). Lines are verified: a name whose hash is another is refused and counted.
 *         The first name of a hash stays.
 * Files   <path>, <path>.lock; <path>.new while an import runs.
 * Errors  IO, UNSUPPORTED (newer file), NOMEM, NOT_FOUND (no file yet, for readers). */
#ifndef RIFT_STORE_HASHES_H
#define RIFT_STORE_HASHES_H

#include "hash/names.h"

struct sqlite3;
struct sqlite3_stmt;

/* A reader. Thread: one at a time; open one per conversion. */
typedef struct rift_hashdb {
    struct sqlite3 *db;
    struct sqlite3_stmt *find[RIFT_NAME_TABLE_COUNT];
} rift_hashdb;

typedef struct rift_hashdb_stats {
    uint64_t names[RIFT_NAME_TABLE_COUNT];
    uint64_t digest; /* of all names, whatever order they came in; 0 without any */
} rift_hashdb_stats;

RIFT_NODISCARD bool rift_hashdb_open(rift_hashdb *out, const char *path, rift_err *err);
/* Accepts a zeroed struct. */
void rift_hashdb_close(rift_hashdb *h);
/* NOT_FOUND when the table has no such hash. The name is copied into arena. */
RIFT_NODISCARD bool rift_hashdb_lookup(
    rift_hashdb *h, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out, rift_err *err);
RIFT_NODISCARD bool rift_hashdb_stats_read(rift_hashdb *h, rift_hashdb_stats *out, rift_err *err);
/* The digest alone, which is quick. */
RIFT_NODISCARD bool rift_hashdb_digest(rift_hashdb *h, uint64_t *out, rift_err *err);
/* For a conversion; `h` must outlive it. */
rift_names rift_hashdb_names(rift_hashdb *h);

/* Adds a list. The file is made when there is none. *stats is filled on success. */
RIFT_NODISCARD bool rift_hashdb_import(
    const char *path, rift_name_table table, rift_bytes text, rift_name_line_stats *stats, rift_err *err);

#endif
