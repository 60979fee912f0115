/* One statement per operation, prepared at its first use and kept. Every function resets its statement before it returns:
 * a statement left open would pin the reader's snapshot and stop checkpoints. */
#include "store/store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "store/db.h"

enum {
    FAILURE_MEMORY_MS = 10 * 60 * 1000,
    FAILURE_MEMORY_MAX_MS = 24 * 60 * 60 * 1000,
    RETRY_PAUSE_MS = 2000,
    MAX_DOUBLINGS = 8,
};

#define JOB_COLUMNS                                                                                    \
    "j.id, j.key, j.state, j.skin, j.alias, j.number, j.options, j.created, j.not_before, j.attempt, " \
    "j.epoch,"                                                                                         \
    " j.started, j.finished, j.remembered, j.error_class, j.error, j.sha256, j.error_status"
#define ARTIFACT_COLUMNS \
    "a.job, a.key, a.skin, a.alias, a.number, a.options, a.sha256, b.size, a.created, b.data IS NOT NULL"

typedef enum sql_id {
    SQL_FIND_ARTIFACT,
    SQL_FIND_JOB,
    SQL_JOB,
    SQL_ARTIFACT,
    SQL_ARTIFACT_DATA,
    SQL_NEWEST,
    SQL_REPORT,
    SQL_FAILURES,
    SQL_ENQUEUE,
    SQL_CLAIM,
    SQL_BLOB,
    SQL_ADD_ARTIFACT,
    SQL_ADD_DEPENDENCY,
    SQL_DROP_ARTIFACT,
    SQL_FINISH,
    SQL_FAIL,
    SQL_REQUEUE,
    SQL_RECOVER_DEAD,
    SQL_RECOVER,
    SQL_QUEUED,
    SQL_REKEY,
    SQL_FORGET,
    SQL_SET,
    SQL_GET,
    SQL_COUNT
} sql_id;

static const char *const sql_texts[SQL_COUNT] = {
    [SQL_FIND_ARTIFACT] =
        "SELECT " ARTIFACT_COLUMNS " FROM artifact a JOIN blob b USING (sha256) WHERE a.key=?1",
    [SQL_FIND_JOB] = "SELECT " JOB_COLUMNS " FROM job j WHERE j.key=?1 ORDER BY j.id DESC LIMIT 1",
    [SQL_JOB] = "SELECT " JOB_COLUMNS " FROM job j WHERE j.id=?1",
    [SQL_ARTIFACT] = "SELECT " ARTIFACT_COLUMNS
                     " FROM artifact a JOIN blob b USING (sha256) WHERE a.sha256=?1 ORDER BY a.id LIMIT 1",
    [SQL_ARTIFACT_DATA] = "SELECT data FROM blob WHERE sha256=?1",
    [SQL_NEWEST] = "SELECT " ARTIFACT_COLUMNS " FROM artifact a JOIN blob b USING (sha256)"
                   " WHERE a.alias=?1 AND a.number=?2 AND a.options=?3 ORDER BY a.created DESC LIMIT 1",
    [SQL_REPORT] = "SELECT id, report FROM job WHERE key=?1 AND report IS NOT NULL ORDER BY id DESC LIMIT 1",
    [SQL_FAILURES] = "SELECT failures FROM job WHERE key=?1 AND state IN (3, 4) ORDER BY id DESC LIMIT 1",
    [SQL_ENQUEUE] = "INSERT INTO job (key, skin, alias, number, options, created, failures, priority)"
                    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [SQL_CLAIM] =
        "UPDATE job AS j SET state=1, attempt=attempt+1, epoch=epoch+1, started=?1 WHERE id=("
        "SELECT id FROM job WHERE state=0 AND not_before<=?1 ORDER BY priority DESC, not_before, id LIMIT 1)"
        " RETURNING id, key, state, skin, alias, number, options, created, not_before, attempt, epoch,"
        " started, finished, remembered, error_class, error, sha256, error_status",
    [SQL_BLOB] =
        "INSERT INTO blob (sha256, size, data, created) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    [SQL_ADD_ARTIFACT] =
        "INSERT INTO artifact (key, fingerprint, sha256, job, skin, alias, number, options, source,"
        " created, last_used) SELECT key, ?2, ?3, id, skin, alias, number, options, ?4, ?5, ?5"
        " FROM job WHERE id=?1",
    [SQL_ADD_DEPENDENCY] = "INSERT INTO dependency (artifact, path, checksum, kind, found)"
                           " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
    [SQL_DROP_ARTIFACT] = "DELETE FROM artifact WHERE key=(SELECT key FROM job WHERE id=?1)",
    [SQL_FINISH] = "UPDATE job SET state=2, finished=?3, sha256=?4, report=?5, failures=0, remembered=0,"
                   " error_class=NULL, error=NULL WHERE id=?1 AND epoch=?2 AND state=1",
    [SQL_FAIL] =
        "UPDATE job AS j SET state=?3, finished=CASE WHEN ?3=0 THEN NULL ELSE ?4 END, error_class=?5, "
        "error=?6,"
        " report=?7, not_before=?8, failures=?9, remembered=?10, error_status=?11 WHERE id=?1 AND epoch=?2 "
        "AND state=1",
    [SQL_REQUEUE] =
        "UPDATE job SET state=0, attempt=attempt-1, started=NULL WHERE id=?1 AND epoch=?2 AND state=1",
    [SQL_RECOVER_DEAD] =
        "UPDATE job SET state=4, finished=?1, error_class='crash', error_status=500, failures=failures+1,"
        " remembered=?2, error='{\"code\":\"crash\",\"detail\":\"the daemon stopped during this"
        " conversion as often as is allowed\",\"retryable\":false}'"
        " WHERE state=1 AND attempt>=?3",
    [SQL_RECOVER] = "UPDATE job SET state=0, started=NULL WHERE state=1",
    [SQL_QUEUED] = "SELECT " JOB_COLUMNS
                   " FROM job j WHERE j.state=0 ORDER BY j.priority DESC, j.not_before, j.id LIMIT ?1",
    [SQL_REKEY] = "UPDATE OR IGNORE job SET key=?2 WHERE id=?1 AND state IN (0, 1)",
    [SQL_FORGET] = "DELETE FROM artifact WHERE key=?1",
    [SQL_SET] = "INSERT INTO setting VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value=excluded.value",
    [SQL_GET] = "SELECT value FROM setting WHERE name=?1",
};

struct rift_store {
    sqlite3 *db;
    sqlite3_stmt *stmts[SQL_COUNT];
};

const char *rift_job_state_word(rift_job_state state)
{
    static const char *const words[] = {"queued", "running", "done", "failed", "dead", "cancelled"};
    return (unsigned)state < RIFT_COUNT(words) ? words[state] : "unknown";
}

const char *rift_skin_state_word(rift_skin_state state)
{
    static const char *const words[] = {"never", "fresh", "stale", "failed"};
    return (unsigned)state < RIFT_COUNT(words) ? words[state] : "unknown";
}

/* ---- statements ---- */

static sqlite3_stmt *get(rift_store *store, sql_id id, rift_err *err)
{
    if (store->stmts[id] == NULL && !rift_db_prepare(store->db, sql_texts[id], &store->stmts[id], err))
        return NULL;
    return store->stmts[id];
}

static void bind_str(sqlite3_stmt *stmt, int at, rift_str s)
{
    (void)sqlite3_bind_text(stmt, at, s.size > 0 ? s.data : "", (int)s.size, SQLITE_STATIC);
}

/* An empty text is NULL in the table. */
static void bind_optional(sqlite3_stmt *stmt, int at, rift_str s)
{
    if (s.size > 0) {
        bind_str(stmt, at, s);
    } else {
        (void)sqlite3_bind_null(stmt, at);
    }
}

static void bind_sha(sqlite3_stmt *stmt, int at, const rift_sha256 *sha)
{
    (void)sqlite3_bind_blob(stmt, at, sha->bytes, sizeof sha->bytes, SQLITE_STATIC);
}

static void done(sqlite3_stmt *stmt)
{
    (void)sqlite3_reset(stmt);
    (void)sqlite3_clear_bindings(stmt);
}

/* Runs a statement that gives no rows. */
static bool run(rift_store *store, sqlite3_stmt *stmt, const char *doing, rift_err *err)
{
    const bool ok = sqlite3_step(stmt) == SQLITE_DONE;
    if (!ok)
        (void)rift_db_fail(store->db, doing, err);
    done(stmt);
    return ok;
}

/* One row or none. On a row the caller reads the columns and calls done(). */
static bool step(rift_store *store, sqlite3_stmt *stmt, bool *row, const char *doing, rift_err *err)
{
    const int code = sqlite3_step(stmt);
    *row = code == SQLITE_ROW;
    if (*row)
        return true;
    const bool ok = code == SQLITE_DONE;
    if (!ok)
        (void)rift_db_fail(store->db, doing, err);
    done(stmt);
    return ok;
}

static rift_str column_str(sqlite3_stmt *stmt, int at, rift_arena *arena)
{
    const rift_str s = {(const char *)sqlite3_column_text(stmt, at), (size_t)sqlite3_column_bytes(stmt, at)};
    return s.data != NULL ? rift_arena_copy_str(arena, s) : (rift_str){0};
}

static bool column_sha(sqlite3_stmt *stmt, int at, rift_sha256 *out)
{
    const void *data = sqlite3_column_blob(stmt, at);
    if (data == NULL || sqlite3_column_bytes(stmt, at) != (int)sizeof out->bytes)
        return false;
    memcpy(out->bytes, data, sizeof out->bytes);
    return true;
}

static rift_job_row read_job(sqlite3_stmt *stmt, rift_arena *arena)
{
    rift_job_row job = {
        .id = sqlite3_column_int64(stmt, 0),
        .state = (rift_job_state)sqlite3_column_int(stmt, 2),
        .spec = {.skin = (uint32_t)sqlite3_column_int64(stmt, 3),
                 .alias = column_str(stmt, 4, arena),
                 .number = (uint32_t)sqlite3_column_int64(stmt, 5),
                 .options = column_str(stmt, 6, arena)},
        .created = sqlite3_column_int64(stmt, 7),
        .not_before = sqlite3_column_int64(stmt, 8),
        .attempt = (unsigned)sqlite3_column_int(stmt, 9),
        .epoch = sqlite3_column_int64(stmt, 10),
        .started = sqlite3_column_int64(stmt, 11),
        .finished = sqlite3_column_int64(stmt, 12),
        .remembered = sqlite3_column_int64(stmt, 13),
        .error_class = column_str(stmt, 14, arena),
        .error = column_str(stmt, 15, arena),
        .error_status = (unsigned)sqlite3_column_int(stmt, 17),
    };
    (void)column_sha(stmt, 1, &job.spec.key);
    job.has_result = column_sha(stmt, 16, &job.sha256);
    return job;
}

static rift_artifact_row read_artifact(sqlite3_stmt *stmt, rift_arena *arena)
{
    rift_artifact_row row = {
        .job = sqlite3_column_int64(stmt, 0),
        .spec = {.skin = (uint32_t)sqlite3_column_int64(stmt, 2),
                 .alias = column_str(stmt, 3, arena),
                 .number = (uint32_t)sqlite3_column_int64(stmt, 4),
                 .options = column_str(stmt, 5, arena)},
        .size = (uint64_t)sqlite3_column_int64(stmt, 7),
        .created = sqlite3_column_int64(stmt, 8),
        .is_inline = sqlite3_column_int(stmt, 9) != 0,
    };
    (void)column_sha(stmt, 1, &row.spec.key);
    (void)column_sha(stmt, 6, &row.sha256);
    return row;
}

/* ---- opening ---- */

static bool open_store(rift_store **out, const char *path, rift_db_mode mode, rift_err *err)
{
    rift_err_in(err, rift_str_c(path));
    rift_store *store = calloc(1, sizeof *store);
    if (store == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "store", RIFT_NO_OFFSET, "out of memory");
    bool ok = rift_db_open(&store->db, path, mode, err);
    if (ok && mode == RIFT_DB_WRITER)
        ok = rift_db_migrate(store->db, path, rift_migrations_sqlite, rift_migrations_sqlite_count, err);
    if (!ok) {
        rift_store_close(store);
        return false;
    }
    *out = store;
    return true;
}

bool rift_store_open_writer(rift_store **out, const char *path, rift_err *err)
{
    return open_store(out, path, RIFT_DB_WRITER, err);
}

bool rift_store_open_reader(rift_store **out, const char *path, rift_err *err)
{
    return open_store(out, path, RIFT_DB_READER, err);
}

void rift_store_close(rift_store *store)
{
    if (store == NULL)
        return;
    for (size_t i = 0; i < SQL_COUNT; i++)
        (void)sqlite3_finalize(store->stmts[i]);
    rift_db_close(store->db);
    free(store);
}

bool rift_store_begin(rift_store *store, rift_err *err)
{
    return rift_db_exec(store->db, "BEGIN IMMEDIATE", err);
}

bool rift_store_commit(rift_store *store, rift_err *err)
{
    return rift_db_exec(store->db, "COMMIT", err);
}

void rift_store_rollback(rift_store *store)
{
    if (sqlite3_get_autocommit(store->db) == 0)
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

void rift_store_checkpoint(rift_store *store)
{
    rift_db_checkpoint(store->db);
}

bool rift_store_savepoint(rift_store *store, rift_err *err)
{
    return rift_db_exec(store->db, "SAVEPOINT operation", err);
}

bool rift_store_release(rift_store *store, bool keep, rift_err *err)
{
    return rift_db_exec(store->db, keep ? "RELEASE operation" : "ROLLBACK TO operation; RELEASE operation",
                        err);
}

static bool set_setting(rift_store *store, const char *name, const char *value, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_SET, err);
    if (stmt == NULL)
        return false;
    bind_str(stmt, 1, rift_str_c(name));
    bind_str(stmt, 2, rift_str_c(value));
    return run(store, stmt, "store a setting", err);
}

static bool quick_check(rift_store *store, rift_err *err)
{
    sqlite3_stmt *stmt;
    if (!rift_db_prepare(store->db, "PRAGMA quick_check(1)", &stmt, err))
        return false;
    bool ok = sqlite3_step(stmt) == SQLITE_ROW;
    const char *text = ok ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    if (!ok) {
        (void)rift_db_fail(store->db, "check", err);
    } else if (text == NULL || strcmp(text, "ok") != 0) {
        ok = rift_fail(err, RIFT_ERR_IO, "check", RIFT_NO_OFFSET, "the database is damaged: %s",
                       text != NULL ? text : "no answer");
    }
    (void)sqlite3_finalize(stmt);
    return ok;
}

bool rift_store_start(rift_store *store, bool *was_clean, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_GET, err);
    if (stmt == NULL)
        return false;
    bind_str(stmt, 1, RIFT_STR("running"));
    bool row;
    if (!step(store, stmt, &row, "read a setting", err))
        return false;
    const char *value = row ? (const char *)sqlite3_column_text(stmt, 0) : "0";
    const bool clean = value != NULL && strcmp(value, "0") == 0;
    if (row)
        done(stmt);
    if (!clean && !quick_check(store, err))
        return false;
    *was_clean = clean;
    return set_setting(store, "running", "1", err);
}

bool rift_store_stop(rift_store *store, rift_err *err)
{
    return set_setting(store, "running", "0", err);
}

/* ---- reading ---- */

static bool find_artifact(
    rift_store *store, const rift_sha256 *key, bool *row, rift_found *out, rift_arena *arena, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_FIND_ARTIFACT, err);
    if (stmt == NULL)
        return false;
    bind_sha(stmt, 1, key);
    if (!step(store, stmt, row, "find an artifact", err))
        return false;
    if (*row) {
        out->kind = RIFT_FOUND_ARTIFACT;
        out->artifact = read_artifact(stmt, arena);
        done(stmt);
    }
    return true;
}

static rift_found_kind kind_of(const rift_job_row *job, int64_t now)
{
    switch (job->state) {
    case RIFT_JOB_QUEUED:
    case RIFT_JOB_RUNNING:
        return RIFT_FOUND_LIVE;
    case RIFT_JOB_FAILED:
    case RIFT_JOB_DEAD:
        return job->remembered > now ? RIFT_FOUND_FAILURE : RIFT_FOUND_NOTHING;
    case RIFT_JOB_DONE: /* its artifact is gone (evicted): made again */
    case RIFT_JOB_CANCELLED:
        break;
    }
    return RIFT_FOUND_NOTHING;
}

bool rift_store_find(
    rift_store *store, const rift_sha256 *key, int64_t now, rift_found *out, rift_arena *arena, rift_err *err)
{
    rift_found found = {.kind = RIFT_FOUND_NOTHING};
    bool row;
    if (!find_artifact(store, key, &row, &found, arena, err))
        return false;
    if (row) {
        bool has_job;
        if (!rift_store_job(store, found.artifact.job, &has_job, &found.job, arena, err))
            return false;
        *out = found;
        return true;
    }
    sqlite3_stmt *stmt = get(store, SQL_FIND_JOB, err);
    if (stmt == NULL)
        return false;
    bind_sha(stmt, 1, key);
    if (!step(store, stmt, &row, "find a job", err))
        return false;
    if (row) {
        found.job = read_job(stmt, arena);
        found.kind = kind_of(&found.job, now);
        done(stmt);
    }
    *out = found;
    return rift_arena_ok(arena, "job", err);
}

bool rift_store_job(
    rift_store *store, int64_t id, bool *found, rift_job_row *out, rift_arena *arena, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_JOB, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    if (!step(store, stmt, found, "read a job", err))
        return false;
    if (*found) {
        *out = read_job(stmt, arena);
        done(stmt);
    }
    return rift_arena_ok(arena, "job", err);
}

static bool read_data(rift_store *store, rift_artifact_row *row, rift_arena *arena, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_ARTIFACT_DATA, err);
    if (stmt == NULL)
        return false;
    bind_sha(stmt, 1, &row->sha256);
    bool found;
    if (!step(store, stmt, &found, "read a blob", err))
        return false;
    if (!found)
        return rift_fail(err, RIFT_ERR_IO, "blob", RIFT_NO_OFFSET, "the row is gone");
    const rift_bytes data = {sqlite3_column_blob(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0)};
    row->inline_data = rift_arena_copy_bytes(arena, data);
    done(stmt);
    return rift_arena_ok(arena, "blob", err);
}

bool rift_store_artifact(rift_store *store,
                         const rift_sha256 *sha256,
                         bool with_data,
                         bool *found,
                         rift_artifact_row *out,
                         rift_arena *arena,
                         rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_ARTIFACT, err);
    if (stmt == NULL)
        return false;
    bind_sha(stmt, 1, sha256);
    if (!step(store, stmt, found, "read an artifact", err))
        return false;
    if (!*found)
        return true;
    rift_artifact_row row = read_artifact(stmt, arena);
    done(stmt);
    if (with_data && row.is_inline && !read_data(store, &row, arena, err))
        return false;
    *out = row;
    return rift_arena_ok(arena, "artifact", err);
}

bool rift_store_newest(rift_store *store,
                       rift_str alias,
                       uint32_t number,
                       rift_str options,
                       bool *found,
                       rift_artifact_row *out,
                       rift_arena *arena,
                       rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_NEWEST, err);
    if (stmt == NULL)
        return false;
    bind_str(stmt, 1, alias);
    (void)sqlite3_bind_int64(stmt, 2, number);
    bind_str(stmt, 3, options);
    if (!step(store, stmt, found, "find the newest artifact", err))
        return false;
    if (*found) {
        *out = read_artifact(stmt, arena);
        done(stmt);
    }
    return rift_arena_ok(arena, "artifact", err);
}

bool rift_store_report(rift_store *store,
                       const rift_sha256 *key,
                       int64_t *job,
                       rift_str *report,
                       rift_arena *arena,
                       rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_REPORT, err);
    if (stmt == NULL)
        return false;
    bind_sha(stmt, 1, key);
    bool row;
    if (!step(store, stmt, &row, "read a report", err))
        return false;
    *report = (rift_str){0};
    *job = 0;
    if (row) {
        *job = sqlite3_column_int64(stmt, 0);
        *report = column_str(stmt, 1, arena);
        done(stmt);
    }
    return rift_arena_ok(arena, "report", err);
}

bool rift_store_skin_state(rift_store *store,
                           const rift_sha256 *key,
                           rift_str alias,
                           uint32_t number,
                           int64_t now,
                           rift_skin_state *out,
                           rift_err *err)
{
    rift_arena arena;
    rift_arena_init(&arena, (size_t)1 << 20);
    rift_found found;
    rift_artifact_row newest;
    bool has_newest = false;
    bool ok = rift_store_find(store, key, now, &found, &arena, err);
    if (ok && found.kind == RIFT_FOUND_ARTIFACT) {
        *out = RIFT_SKIN_FRESH;
    } else if (ok && found.kind == RIFT_FOUND_FAILURE) {
        *out = RIFT_SKIN_FAILED;
    } else if (ok && (ok = rift_store_newest(store, alias, number, (rift_str){0}, &has_newest, &newest,
                                             &arena, err))) {
        *out = has_newest ? RIFT_SKIN_STALE : RIFT_SKIN_NEVER;
    }
    rift_arena_release(&arena);
    return ok;
}

bool rift_store_queued(
    rift_store *store, size_t max, rift_job_row **out, size_t *count, rift_arena *arena, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_QUEUED, err);
    rift_job_row *rows = RIFT_NEW(arena, rift_job_row, max);
    if (stmt == NULL || rows == NULL)
        return rift_arena_ok(arena, "jobs", err) && stmt != NULL;
    (void)sqlite3_bind_int64(stmt, 1, (int64_t)max);
    size_t n = 0;
    int code;
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW && n < max)
        rows[n++] = read_job(stmt, arena);
    const bool ok = code == SQLITE_DONE || n == max || rift_db_fail(store->db, "list jobs", err);
    done(stmt);
    *out = rows;
    *count = n;
    return ok && rift_arena_ok(arena, "jobs", err);
}

/* ---- writing ---- */

static bool failures_of(rift_store *store, const rift_sha256 *key, int64_t *out, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_FAILURES, err);
    if (stmt == NULL)
        return false;
    bind_sha(stmt, 1, key);
    bool row;
    if (!step(store, stmt, &row, "count failures", err))
        return false;
    *out = row ? sqlite3_column_int64(stmt, 0) : 0;
    if (row)
        done(stmt);
    return true;
}

bool rift_store_enqueue(rift_store *store,
                        const rift_job_spec *spec,
                        int64_t now,
                        rift_found *out,
                        rift_arena *arena,
                        rift_err *err)
{
    if (!rift_store_find(store, &spec->key, now, out, arena, err))
        return false;
    if (out->kind != RIFT_FOUND_NOTHING)
        return true;
    int64_t failures;
    sqlite3_stmt *stmt = get(store, SQL_ENQUEUE, err);
    if (stmt == NULL || !failures_of(store, &spec->key, &failures, err))
        return false;
    bind_sha(stmt, 1, &spec->key);
    (void)sqlite3_bind_int64(stmt, 2, spec->skin);
    bind_str(stmt, 3, spec->alias);
    (void)sqlite3_bind_int64(stmt, 4, spec->number);
    bind_str(stmt, 5, spec->options);
    (void)sqlite3_bind_int64(stmt, 6, now);
    (void)sqlite3_bind_int64(stmt, 7, failures);
    (void)sqlite3_bind_int(stmt, 8, RIFT_JOB_PRIORITY_INTERACTIVE);
    if (!run(store, stmt, "enqueue", err))
        return false;
    bool found;
    return rift_store_job(store, sqlite3_last_insert_rowid(store->db), &found, &out->job, arena, err);
}

bool rift_store_claim(
    rift_store *store, int64_t now, bool *found, rift_job_row *out, rift_arena *arena, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_CLAIM, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, now);
    if (!step(store, stmt, found, "claim", err))
        return false;
    if (*found) {
        *out = read_job(stmt, arena);
        done(stmt);
    }
    return rift_arena_ok(arena, "job", err);
}

static bool add_blob(rift_store *store, const rift_job_output *output, int64_t now, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_BLOB, err);
    if (stmt == NULL)
        return false;
    bind_sha(stmt, 1, &output->sha256);
    (void)sqlite3_bind_int64(stmt, 2, (int64_t)output->size);
    if (output->is_inline) {
        (void)sqlite3_bind_blob64(stmt, 3,
                                  output->inline_data.size > 0 ? (const void *)output->inline_data.data : "",
                                  output->inline_data.size, SQLITE_STATIC);
    }
    (void)sqlite3_bind_int64(stmt, 4, now);
    return run(store, stmt, "add a blob", err);
}

static bool add_dependencies(rift_store *store, int64_t artifact, const rift_asset_log *uses, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_ADD_DEPENDENCY, err);
    if (stmt == NULL)
        return false;
    for (size_t i = 0; uses != NULL && i < uses->count; i++) {
        const rift_asset_use *use = &uses->uses[i];
        (void)sqlite3_bind_int64(stmt, 1, artifact);
        (void)sqlite3_bind_int64(stmt, 2, (int64_t)use->path_hash);
        (void)sqlite3_bind_int64(stmt, 3, (int64_t)use->checksum);
        (void)sqlite3_bind_int(stmt, 4, use->checksum_kind);
        (void)sqlite3_bind_int(stmt, 5, use->found);
        if (!run(store, stmt, "add a dependency", err))
            return false;
    }
    return true;
}

static bool
add_artifact(rift_store *store, int64_t job, const rift_job_output *output, int64_t now, rift_err *err)
{
    sqlite3_stmt *drop = get(store, SQL_DROP_ARTIFACT, err);
    sqlite3_stmt *add = get(store, SQL_ADD_ARTIFACT, err);
    if (drop == NULL || add == NULL)
        return false;
    (void)sqlite3_bind_int64(drop, 1, job);
    if (!run(store, drop, "drop an artifact", err))
        return false;
    (void)sqlite3_bind_int64(add, 1, job);
    bind_sha(add, 2, &output->fingerprint);
    bind_sha(add, 3, &output->sha256);
    bind_sha(add, 4, &output->source);
    (void)sqlite3_bind_int64(add, 5, now);
    return run(store, add, "add an artifact", err) &&
           add_dependencies(store, sqlite3_last_insert_rowid(store->db), output->uses, err);
}

bool rift_store_finish(rift_store *store,
                       int64_t id,
                       int64_t epoch,
                       const rift_job_output *output,
                       int64_t now,
                       bool *taken,
                       rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_FINISH, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    (void)sqlite3_bind_int64(stmt, 2, epoch);
    (void)sqlite3_bind_int64(stmt, 3, now);
    bind_sha(stmt, 4, &output->sha256);
    bind_optional(stmt, 5, output->report);
    if (!run(store, stmt, "finish", err))
        return false;
    *taken = sqlite3_changes(store->db) == 1;
    return !*taken || (add_blob(store, output, now, err) && add_artifact(store, id, output, now, err));
}

static int64_t memory_of(int64_t failures)
{
    const int64_t doublings = failures - 1 < MAX_DOUBLINGS ? failures - 1 : MAX_DOUBLINGS;
    const int64_t ms = (int64_t)FAILURE_MEMORY_MS << (doublings > 0 ? doublings : 0);
    return ms < FAILURE_MEMORY_MAX_MS ? ms : FAILURE_MEMORY_MAX_MS;
}

static bool failures_before(rift_store *store, int64_t id, int64_t *out, rift_err *err)
{
    sqlite3_stmt *stmt;
    if (!rift_db_prepare(store->db, "SELECT failures FROM job WHERE id=?1", &stmt, err))
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    const int code = sqlite3_step(stmt);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
    const bool ok =
        code == SQLITE_ROW || code == SQLITE_DONE || rift_db_fail(store->db, "count failures", err);
    (void)sqlite3_finalize(stmt);
    return ok;
}

bool rift_store_fail(rift_store *store,
                     int64_t id,
                     int64_t epoch,
                     const rift_job_failure *failure,
                     int64_t now,
                     bool *taken,
                     rift_job_row *after,
                     rift_arena *arena,
                     rift_err *err)
{
    rift_job_row job;
    bool found;
    int64_t failures;
    sqlite3_stmt *stmt = get(store, SQL_FAIL, err);
    if (stmt == NULL || !rift_store_job(store, id, &found, &job, arena, err) ||
        !failures_before(store, id, &failures, err))
        return false;
    *taken = found && job.state == RIFT_JOB_RUNNING && job.epoch == epoch;
    if (!*taken)
        return true;
    const bool again = failure->retry && job.attempt < RIFT_JOB_MAX_ATTEMPTS;
    const rift_job_state state = again ? RIFT_JOB_QUEUED : failure->retry ? RIFT_JOB_DEAD : RIFT_JOB_FAILED;
    failures += !again;
    (void)sqlite3_bind_int64(stmt, 1, id);
    (void)sqlite3_bind_int64(stmt, 2, epoch);
    (void)sqlite3_bind_int(stmt, 3, (int)state);
    (void)sqlite3_bind_int64(stmt, 4, now);
    bind_str(stmt, 5, failure->error_class);
    bind_optional(stmt, 6, failure->error);
    bind_optional(stmt, 7, failure->report);
    (void)sqlite3_bind_int64(stmt, 8,
                             again ? now + ((int64_t)RETRY_PAUSE_MS << (job.attempt - 1)) : job.not_before);
    (void)sqlite3_bind_int64(stmt, 9, failures);
    (void)sqlite3_bind_int64(stmt, 10, again ? 0 : now + memory_of(failures));
    (void)sqlite3_bind_int64(stmt, 11, failure->status);
    return run(store, stmt, "fail", err) && rift_store_job(store, id, &found, after, arena, err);
}

bool rift_store_forget(rift_store *store, const rift_sha256 *key, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_FORGET, err);
    if (stmt == NULL)
        return false;
    bind_sha(stmt, 1, key);
    return run(store, stmt, "forget", err);
}

bool rift_store_requeue(rift_store *store, int64_t id, int64_t epoch, bool *taken, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_REQUEUE, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    (void)sqlite3_bind_int64(stmt, 2, epoch);
    if (!run(store, stmt, "requeue", err))
        return false;
    *taken = sqlite3_changes(store->db) == 1;
    return true;
}

bool rift_store_recover(rift_store *store, int64_t now, int64_t *requeued, int64_t *dead, rift_err *err)
{
    sqlite3_stmt *kill = get(store, SQL_RECOVER_DEAD, err);
    sqlite3_stmt *again = get(store, SQL_RECOVER, err);
    if (kill == NULL || again == NULL)
        return false;
    (void)sqlite3_bind_int64(kill, 1, now);
    (void)sqlite3_bind_int64(kill, 2, now + FAILURE_MEMORY_MS);
    (void)sqlite3_bind_int(kill, 3, RIFT_JOB_MAX_ATTEMPTS);
    if (!run(store, kill, "recover", err))
        return false;
    *dead = sqlite3_changes(store->db);
    if (!run(store, again, "recover", err))
        return false;
    *requeued = sqlite3_changes(store->db);
    return true;
}

bool rift_store_rekey(rift_store *store, int64_t id, const rift_sha256 *key, bool *taken, rift_err *err)
{
    sqlite3_stmt *stmt = get(store, SQL_REKEY, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    bind_sha(stmt, 2, key);
    if (!run(store, stmt, "rekey", err))
        return false;
    *taken = sqlite3_changes(store->db) == 1;
    return true;
}
