/* hashes.h - name tables: hashes.db, the record, and the pack made of it, in which conversions look names up.
 *
 * Shape   an import writes a whole new file beside the old one and renames over it, so that a reader has one state or the other and
 *         two programs never write one file. Importers wait for each other (lock on <path>.lock). Lines are verified: a name whose hash is another is refused and counted.
 *         The first name of a hash stays.
 *         The pack (hash/pack.h) carries the record's digest, so that one can tell which record it was made of.
 * Files   <path>, <path>.pack, <path>.lock; <path>.new and <path>.pack.new while an import runs.
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
    struct sqlite3_stmt *find_learnt;
} rift_hashdb;

typedef struct rift_hashdb_stats {
    uint64_t names[RIFT_NAME_TABLE_COUNT]; /* without those that are only learnt */
    uint64_t learnt;
    uint64_t digest; /* of all names, whatever order they came in; 0 without any */
} rift_hashdb_stats;

RIFT_NODISCARD bool rift_hashdb_open(rift_hashdb *out, const char *path, rift_err *err);
/* Accepts a zeroed struct. */
void rift_hashdb_close(rift_hashdb *h);
/* NOT_FOUND when neither the table nor what was learnt has such a hash. The name is copied into arena. */
RIFT_NODISCARD bool rift_hashdb_lookup(
    rift_hashdb *h, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out, rift_err *err);
RIFT_NODISCARD bool rift_hashdb_stats_read(rift_hashdb *h, rift_hashdb_stats *out, rift_err *err);
/* The digest alone, which is quick. */
RIFT_NODISCARD bool rift_hashdb_digest(rift_hashdb *h, uint64_t *out, rift_err *err);

/* One list, or a part of one. */
typedef struct rift_hash_list {
    rift_name_table table;
    rift_bytes text;
    rift_str name; /* for errors; may be empty */
    bool strict; /* refused whole (FORMAT) when nothing in it is good, or over 1 line in RIFT_HASH_LIST_BAD */
    rift_name_line_stats stats; /* filled by a successful import */
} rift_hash_list;
#define RIFT_HASH_LIST_BAD 100 /* a page of HTML is no list; one with a slip in it still is */

/* Adds lists, all or none, in their order; what was learnt is taken into the tables with them. The file is made when there is none. Names of
 * more than RIFT_PACK_MAX_NAME bytes count as malformed. The pack is written, too. */
RIFT_NODISCARD bool rift_hashdb_import(const char *path, rift_hash_list *lists, size_t count, rift_err *err);

/* Notes names that neither the tables nor an earlier note have; *added counts those. The file is made when there is none. While somebody else writes, nothing is
 * noted, and that is no failure: who meets a name once will meet it again. */
RIFT_NODISCARD bool rift_hashdb_learn(
    const char *path, const rift_named_hash *names, size_t count, uint64_t *added, rift_err *err);

/* ---- the pack, mapped ---- */

/* Counted; the last unref unmaps it. Thread: any. */
typedef struct rift_hashpack rift_hashpack;

/* The pack that belongs to the record at `path`. One that is missing, damaged or of an older record is made again from it (*remade, may be
 * NULL). NOT_FOUND without a record. */
RIFT_NODISCARD bool rift_hashpack_open(rift_hashpack **out, const char *path, bool *remade, rift_err *err);
rift_hashpack *rift_hashpack_ref(rift_hashpack *pack); /* may be NULL */
void rift_hashpack_unref(rift_hashpack *pack);         /* may be NULL */
rift_names rift_hashpack_names(const rift_hashpack *pack);
uint64_t rift_hashpack_digest(const rift_hashpack *pack);

#endif
