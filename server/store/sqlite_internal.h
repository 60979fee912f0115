/* sqlite_internal.h - shared by the files of the SQLite store: statements by name, values in and out. */
#ifndef RIFT_STORE_SQLITE_INTERNAL_H
#define RIFT_STORE_SQLITE_INTERNAL_H

#include <sqlite3.h>

#include "store/store.h"

typedef enum sql_id {
    /* reading (sqlite.c) */
    SQL_FIND_ARTIFACT,
    SQL_FIND_JOB,
    SQL_JOB,
    SQL_LIST,
    SQL_LIST_STATE,
    SQL_LIST_SKIN,
    SQL_LIST_IN_LINE,
    SQL_ARTIFACT,
    SQL_ARTIFACT_DATA,
    SQL_NEWEST,
    SQL_OUTPUTS,
    SQL_REPORT,
    SQL_SET,
    SQL_GET,
    /* jobs (sqlite_jobs.c) */
    SQL_FAILURES,
    SQL_FAILURES_OF,
    SQL_ENQUEUE,
    SQL_LIFT,
    SQL_CLAIM,
    SQL_BEAT,
    SQL_BLOB,
    SQL_ADD_ARTIFACT,
    SQL_ADD_DEPENDENCY,
    SQL_OTHER_BYTES,
    SQL_DROP_ARTIFACT,
    SQL_IS_USED,
    SQL_FINISH,
    SQL_FAIL,
    SQL_CANCEL,
    SQL_REQUEUE,
    SQL_REKEY,
    SQL_REAP_DEAD,
    SQL_REAP,
    SQL_PRUNE,
    /* artifacts and bytes (sqlite_cache.c) */
    SQL_VARIANTS,
    SQL_VARIANT_BLOBS,
    SQL_BLOB_ROW,
    SQL_DROP_BY_BLOB,
    SQL_DROP_VARIANTS,
    SQL_DROP_BLOB,
    SQL_TOUCH,
    SQL_PIN,
    SQL_BYTES,
    SQL_OLDEST,
    SQL_ADD_VARIANT,
    SQL_UNPACKED,
    SQL_BLOBS,
    SQL_BLOB_COUNT,
    SQL_JOB_COUNTS,
    SQL_COUNT
} sql_id;

typedef struct db_store {
    rift_store base;
    sqlite3 *db;
    sqlite3_stmt *stmts[SQL_COUNT];
} db_store;

static inline db_store *own(rift_store *base)
{
    return (db_store *)(void *)base;
}

/* The prepared statement; NULL with err set. */
sqlite3_stmt *sq_get(db_store *store, sql_id id, rift_err *err);
void sq_bind_str(sqlite3_stmt *stmt, int at, rift_str s);
void sq_bind_optional(sqlite3_stmt *stmt, int at, rift_str s); /* an empty text is NULL in the table */
void sq_bind_sha(sqlite3_stmt *stmt, int at, const rift_sha256 *sha);
void sq_done(sqlite3_stmt *stmt);
/* Runs a statement that gives no rows. */
bool sq_run(db_store *store, sqlite3_stmt *stmt, const char *doing, rift_err *err);
/* One row or none. On a row the caller reads the columns and calls sq_done(). */
bool sq_step(db_store *store, sqlite3_stmt *stmt, bool *row, const char *doing, rift_err *err);
/* Columns of JOB_COLUMNS, whose order the claim's RETURNING repeats. */
rift_job_row sq_read_job(sqlite3_stmt *stmt, rift_arena *arena);

/* sqlite_jobs.c */
bool sq_enqueue(rift_store *base,
                const rift_job_spec *spec,
                int64_t now,
                rift_found *out,
                rift_arena *arena,
                rift_err *err);
bool sq_claim(rift_store *base,
              const rift_claim *claim,
              bool *found,
              rift_job_row *out,
              rift_arena *arena,
              rift_err *err);
bool sq_beat(rift_store *base, int64_t id, int64_t epoch, int64_t lease_until, bool *taken, rift_err *err);
bool sq_finish(rift_store *base,
               int64_t id,
               int64_t epoch,
               const rift_job_output *output,
               int64_t now,
               bool *taken,
               rift_err *err);
bool sq_fail(rift_store *base,
             int64_t id,
             int64_t epoch,
             const rift_job_failure *failure,
             int64_t now,
             bool *taken,
             rift_job_row *after,
             rift_arena *arena,
             rift_err *err);
bool sq_lift(rift_store *base, int64_t id, int priority, rift_err *err);
bool sq_cancel(rift_store *base, int64_t id, int64_t epoch, int64_t now, bool *taken, rift_err *err);
bool sq_requeue(rift_store *base, int64_t id, int64_t epoch, bool *taken, rift_err *err);
bool sq_rekey(rift_store *base, int64_t id, const rift_sha256 *key, bool *taken, rift_err *err);
bool sq_reap(rift_store *base, int64_t now, bool all, int64_t *requeued, int64_t *dead, rift_err *err);
bool sq_prune(rift_store *base, int64_t before, int64_t now, size_t max, int64_t *removed, rift_err *err);

/* sqlite_cache.c */
bool sq_variants(db_store *store, rift_artifact_row *row, rift_err *err);
bool sq_forget(
    rift_store *base, const rift_sha256 *sha256, rift_blob_list *gone, rift_arena *arena, rift_err *err);
bool sq_touch(rift_store *base, const rift_sha256 *sha256, int64_t now, rift_err *err);
bool sq_pin(rift_store *base, const rift_sha256 *key, bool pinned, rift_err *err);
bool sq_evict(
    rift_store *base, const rift_eviction *what, rift_blob_list *gone, rift_arena *arena, rift_err *err);
bool sq_add_variant(rift_store *base,
                    const rift_sha256 *source,
                    rift_encoding encoding,
                    const rift_blob_row *variant,
                    int64_t now,
                    bool *taken,
                    rift_err *err);
bool sq_unpacked(rift_store *base, bool *found, rift_blob_row *out, rift_encoding *encoding, rift_err *err);
bool sq_blobs(rift_store *base,
              const rift_sha256 *after,
              size_t limit,
              rift_blob_list *out,
              rift_arena *arena,
              rift_err *err);
bool sq_has_blob(rift_store *base, const rift_sha256 *sha256, bool *found, rift_err *err);
bool sq_usage_of(rift_store *base, rift_store_usage *out, rift_err *err);

/* sqlite_records.c */
bool sq_records(rift_store *base,
                const rift_sha256 *source,
                int64_t before,
                size_t max,
                rift_record **out,
                size_t *count,
                rift_arena *arena,
                rift_err *err);
bool sq_report_of(
    rift_store *base, const rift_sha256 *sha256, rift_str *report, rift_arena *arena, rift_err *err);
bool sq_relabel(rift_store *base,
                int64_t artifact,
                const rift_sha256 *key,
                const rift_sha256 *source,
                bool *taken,
                rift_err *err);

#endif
