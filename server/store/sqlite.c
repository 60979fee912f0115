/* One statement per operation, prepared at its first use and kept. Every function resets its statement before it returns:
 * a statement left open would pin the reader's snapshot and stop checkpoints. */
#include "store/sqlite.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "store/db.h"
#include "store/sqlite_internal.h"

#define JOB_COLUMNS                                                                                    \
    "j.id, j.key, j.state, j.skin, j.alias, j.number, j.options, j.created, j.not_before, j.attempt, " \
    "j.epoch, j.started, j.finished, j.remembered, j.error_class, j.error, j.sha256, j.error_status, " \
    "j.priority, j.lease_until"
#define CLAIMED_COLUMNS                                                                \
    "id, key, state, skin, alias, number, options, created, not_before, attempt, "     \
    "epoch, started, finished, remembered, error_class, error, sha256, error_status, " \
    "priority, lease_until"
#define ARTIFACT_COLUMNS                                                                                    \
    "a.job, a.key, a.skin, a.alias, a.number, a.options, a.sha256, b.size, a.created, b.data IS NOT NULL, " \
    "a.last_used, a.pinned"
/* ?1 ids above it, ?2 a bit per state or 0, ?3 limit */
#define LIST_WHERE " FROM job j WHERE j.id>?1 AND (?2=0 OR (?2 >> j.state) & 1)"

static const char *const sql_texts[SQL_COUNT] = {
    [SQL_FIND_ARTIFACT] =
        "SELECT " ARTIFACT_COLUMNS " FROM artifact a JOIN blob b USING (sha256) WHERE a.key=?1",
    [SQL_FIND_JOB] = "SELECT " JOB_COLUMNS " FROM job j WHERE j.key=?1 ORDER BY j.id DESC LIMIT 1",
    [SQL_JOB] = "SELECT " JOB_COLUMNS " FROM job j WHERE j.id=?1",
    [SQL_LIST] = "SELECT " JOB_COLUMNS LIST_WHERE " ORDER BY j.id LIMIT ?3",
    [SQL_LIST_STATE] =
        "SELECT " JOB_COLUMNS LIST_WHERE " AND j.state=?4 ORDER BY j.id LIMIT ?3", /* by its index */
    [SQL_LIST_SKIN] =
        "SELECT " JOB_COLUMNS LIST_WHERE " AND j.alias=?4 AND j.number=?5 ORDER BY j.id LIMIT ?3",
    [SQL_LIST_IN_LINE] = "SELECT " JOB_COLUMNS LIST_WHERE
                         " AND j.state=0 ORDER BY j.priority DESC, j.not_before, j.id LIMIT ?3",
    [SQL_ARTIFACT] = "SELECT " ARTIFACT_COLUMNS
                     " FROM artifact a JOIN blob b USING (sha256) WHERE a.sha256=?1 ORDER BY a.id LIMIT 1",
    [SQL_ARTIFACT_DATA] = "SELECT data FROM blob WHERE sha256=?1",
    [SQL_NEWEST] = "SELECT " ARTIFACT_COLUMNS " FROM artifact a JOIN blob b USING (sha256)"
                   " WHERE a.alias=?1 AND a.number=?2 AND a.options=?3 ORDER BY a.job DESC LIMIT 1",
    [SQL_OUTPUTS] = "SELECT " ARTIFACT_COLUMNS " FROM artifact a JOIN blob b USING (sha256)"
                    " WHERE a.alias=?1 AND a.number=?2 AND a.id=(SELECT c.id FROM artifact c"
                    " WHERE c.alias=a.alias AND c.number=a.number AND c.options=a.options"
                    " ORDER BY c.job DESC LIMIT 1) ORDER BY a.options LIMIT ?3",
    [SQL_REPORT] = "SELECT id, report FROM job WHERE alias=?1 AND number=?2 AND options=?3"
                   " AND report IS NOT NULL ORDER BY id DESC LIMIT 1",
    [SQL_SET] = "INSERT INTO setting VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value=excluded.value",
    [SQL_GET] = "SELECT value FROM setting WHERE name=?1",
    [SQL_FAILURES] = "SELECT failures FROM job WHERE key=?1 AND state IN (3, 4) ORDER BY id DESC LIMIT 1",
    [SQL_FAILURES_OF] = "SELECT failures FROM job WHERE id=?1",
    [SQL_ENQUEUE] = "INSERT INTO job (key, skin, alias, number, options, created, failures, priority)"
                    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [SQL_LIFT] = "UPDATE job SET priority=?2 WHERE id=?1 AND priority<?2 AND state=0",
    [SQL_CLAIM] =
        "UPDATE job AS j SET state=1, attempt=attempt+1, epoch=epoch+1, started=?1, owner=?2, lease_until=?3"
        " WHERE id=(SELECT id FROM job WHERE state=0 AND (not_before<=?1 OR not_before>?5) AND priority>=?4"
        " ORDER BY priority DESC, not_before, id LIMIT 1) RETURNING " CLAIMED_COLUMNS,
    [SQL_BEAT] = "UPDATE job SET lease_until=?3 WHERE id=?1 AND epoch=?2 AND state=1",
    [SQL_BLOB] =
        "INSERT INTO blob (sha256, size, data, created) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    [SQL_ADD_ARTIFACT] =
        "INSERT INTO artifact (key, fingerprint, sha256, job, skin, alias, number, options, source,"
        " created, last_used, features) SELECT key, ?2, ?3, id, skin, alias, number, options, ?4, ?5, ?5, ?6"
        " FROM job WHERE id=?1",
    [SQL_ADD_DEPENDENCY] = "INSERT INTO dependency (artifact, path, checksum, kind, found)"
                           " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
    [SQL_OTHER_BYTES] =
        "SELECT sha256 FROM artifact WHERE key=(SELECT key FROM job WHERE id=?1) AND sha256<>?2",
    [SQL_IS_USED] = "SELECT 1 FROM artifact WHERE sha256=?1",
    [SQL_DROP_ARTIFACT] = "DELETE FROM artifact WHERE key=(SELECT key FROM job WHERE id=?1)",
    [SQL_FINISH] = "UPDATE job SET state=2, finished=?3, sha256=?4, report=?5, failures=0, remembered=0,"
                   " error_class=NULL, error=NULL WHERE id=?1 AND epoch=?2 AND state=1",
    [SQL_FAIL] = "UPDATE job SET state=?3, finished=CASE WHEN ?3=0 THEN NULL ELSE ?4 END, error_class=?5,"
                 " error=?6, report=?7, not_before=?8, failures=?9, remembered=?10, error_status=?11"
                 " WHERE id=?1 AND epoch=?2 AND state=1",
    [SQL_CANCEL] = "UPDATE job SET state=5, finished=?3 WHERE id=?1"
                   " AND (state=0 OR (state=1 AND epoch=?2))",
    [SQL_REQUEUE] =
        "UPDATE job SET state=0, attempt=attempt-1, started=NULL WHERE id=?1 AND epoch=?2 AND state=1",
    [SQL_REKEY] = "UPDATE OR IGNORE job SET key=?2 WHERE id=?1 AND state IN (0, 1)",
    [SQL_REAP_DEAD] =
        "UPDATE job SET state=4, finished=?1, error_class='crash', error_status=500, failures=failures+1,"
        " remembered=?3, error='{\"code\":\"crash\",\"detail\":\"the daemon stopped during this"
        " conversion as often as is allowed\",\"retryable\":false}'"
        " WHERE state=1 AND (?2 OR lease_until<?1) AND attempt>=?4",
    [SQL_REAP] = "UPDATE job SET state=0, started=NULL,"
                 " not_before=CASE WHEN ?2 THEN not_before ELSE ?1 + (?3 << (attempt - 1)) END"
                 " WHERE state=1 AND (?2 OR lease_until<?1)",
    [SQL_PRUNE] = "DELETE FROM job WHERE id IN (SELECT id FROM job j WHERE state>1 AND finished<?1"
                  " AND remembered<=?2 AND NOT EXISTS (SELECT 1 FROM artifact a WHERE a.job=j.id)"
                  " ORDER BY finished LIMIT ?3)",
    [SQL_VARIANTS] = "SELECT v.encoding, v.sha256, b.size FROM variant v JOIN blob b ON b.sha256=v.sha256"
                     " WHERE v.source=?1",
    [SQL_VARIANT_BLOBS] = "SELECT b.sha256, b.size, b.data IS NOT NULL FROM variant v"
                          " JOIN blob b ON b.sha256=v.sha256 WHERE v.source=?1",
    [SQL_BLOB_ROW] = "SELECT sha256, size, data IS NOT NULL FROM blob WHERE sha256=?1",
    [SQL_DROP_BY_BLOB] = "DELETE FROM artifact WHERE sha256=?1",
    [SQL_DROP_VARIANTS] = "DELETE FROM variant WHERE source=?1 OR sha256=?1",
    [SQL_DROP_BLOB] = "DELETE FROM blob WHERE sha256=?1",
    [SQL_TOUCH] = "UPDATE artifact SET last_used=?2 WHERE sha256=?1 AND last_used<?2",
    [SQL_PIN] = "UPDATE artifact SET pinned=?2 WHERE key=?1",
    [SQL_BYTES] = "SELECT coalesce(sum(size), 0) FROM blob",
    [SQL_OLDEST] = "SELECT sha256 FROM artifact GROUP BY sha256 HAVING max(pinned)=0 AND max(last_used)<?1"
                   " ORDER BY max(source=?2), max(last_used), min(id) LIMIT 1",
    [SQL_ADD_VARIANT] = "INSERT INTO variant (source, encoding, sha256) SELECT ?1, ?2, ?3"
                        " WHERE EXISTS (SELECT 1 FROM artifact WHERE sha256=?1)"
                        " ON CONFLICT DO UPDATE SET sha256=excluded.sha256",
    [SQL_UNPACKED] = "SELECT b.sha256, b.size, b.data IS NOT NULL, e.encoding FROM artifact a"
                     " JOIN blob b USING (sha256) JOIN (SELECT 1 AS encoding UNION ALL SELECT 2) e"
                     " WHERE NOT EXISTS (SELECT 1 FROM variant v WHERE v.source=b.sha256"
                     " AND v.encoding=e.encoding) ORDER BY a.id DESC, e.encoding LIMIT 1",
    [SQL_BLOBS] = "SELECT sha256, size, data IS NOT NULL FROM blob WHERE sha256>?1 ORDER BY sha256 LIMIT ?2",
    [SQL_BLOB_COUNT] = "SELECT count(*), coalesce(sum(size), 0) FROM blob",
    [SQL_JOB_COUNTS] = "SELECT state, count(*) FROM job GROUP BY state",
};

/* ---- statements ---- */

sqlite3_stmt *sq_get(db_store *store, sql_id id, rift_err *err)
{
    if (store->stmts[id] == NULL && !rift_db_prepare(store->db, sql_texts[id], &store->stmts[id], err))
        return NULL;
    return store->stmts[id];
}

void sq_bind_str(sqlite3_stmt *stmt, int at, rift_str s)
{
    (void)sqlite3_bind_text(stmt, at, s.size > 0 ? s.data : "", (int)s.size, SQLITE_STATIC);
}

/* An empty text is NULL in the table. */
void sq_bind_optional(sqlite3_stmt *stmt, int at, rift_str s)
{
    if (s.size > 0) {
        sq_bind_str(stmt, at, s);
    } else {
        (void)sqlite3_bind_null(stmt, at);
    }
}

void sq_bind_sha(sqlite3_stmt *stmt, int at, const rift_sha256 *sha)
{
    (void)sqlite3_bind_blob(stmt, at, sha->bytes, sizeof sha->bytes, SQLITE_STATIC);
}

void sq_done(sqlite3_stmt *stmt)
{
    (void)sqlite3_reset(stmt);
    (void)sqlite3_clear_bindings(stmt);
}

/* Runs a statement that gives no rows. */
bool sq_run(db_store *store, sqlite3_stmt *stmt, const char *doing, rift_err *err)
{
    const bool ok = sqlite3_step(stmt) == SQLITE_DONE;
    if (!ok)
        (void)rift_db_fail(store->db, doing, err);
    sq_done(stmt);
    return ok;
}

/* One row or none. On a row the caller reads the columns and calls sq_done(). */
bool sq_step(db_store *store, sqlite3_stmt *stmt, bool *row, const char *doing, rift_err *err)
{
    const int code = sqlite3_step(stmt);
    *row = code == SQLITE_ROW;
    if (*row)
        return true;
    const bool ok = code == SQLITE_DONE;
    if (!ok)
        (void)rift_db_fail(store->db, doing, err);
    sq_done(stmt);
    return ok;
}

rift_job_row sq_read_job(sqlite3_stmt *stmt, rift_arena *arena)
{
    rift_job_row job = {
        .id = sqlite3_column_int64(stmt, 0),
        .state = (rift_job_state)sqlite3_column_int(stmt, 2),
        .spec = {.skin = (uint32_t)sqlite3_column_int64(stmt, 3),
                 .alias = rift_db_column_str(stmt, 4, arena),
                 .number = (uint32_t)sqlite3_column_int64(stmt, 5),
                 .options = rift_db_column_str(stmt, 6, arena)},
        .created = sqlite3_column_int64(stmt, 7),
        .not_before = sqlite3_column_int64(stmt, 8),
        .attempt = (unsigned)sqlite3_column_int(stmt, 9),
        .epoch = sqlite3_column_int64(stmt, 10),
        .started = sqlite3_column_int64(stmt, 11),
        .finished = sqlite3_column_int64(stmt, 12),
        .remembered = sqlite3_column_int64(stmt, 13),
        .error_class = rift_db_column_str(stmt, 14, arena),
        .error = rift_db_column_str(stmt, 15, arena),
        .error_status = (unsigned)sqlite3_column_int(stmt, 17),
        .lease_until = sqlite3_column_int64(stmt, 19),
    };
    job.spec.priority = sqlite3_column_int(stmt, 18);
    (void)rift_db_column_sha(stmt, 1, &job.spec.key);
    job.has_result = rift_db_column_sha(stmt, 16, &job.sha256);
    return job;
}

static rift_artifact_row read_artifact(sqlite3_stmt *stmt, rift_arena *arena)
{
    rift_artifact_row row = {
        .job = sqlite3_column_int64(stmt, 0),
        .spec = {.skin = (uint32_t)sqlite3_column_int64(stmt, 2),
                 .alias = rift_db_column_str(stmt, 3, arena),
                 .number = (uint32_t)sqlite3_column_int64(stmt, 4),
                 .options = rift_db_column_str(stmt, 5, arena)},
        .size = (uint64_t)sqlite3_column_int64(stmt, 7),
        .created = sqlite3_column_int64(stmt, 8),
        .is_inline = sqlite3_column_int(stmt, 9) != 0,
        .last_used = sqlite3_column_int64(stmt, 10),
        .pinned = sqlite3_column_int(stmt, 11) != 0,
    };
    (void)rift_db_column_sha(stmt, 1, &row.spec.key);
    (void)rift_db_column_sha(stmt, 6, &row.sha256);
    return row;
}

/* ---- opening ---- */

static void db_close(rift_store *base)
{
    db_store *store = own(base);
    for (size_t i = 0; i < SQL_COUNT; i++)
        (void)sqlite3_finalize(store->stmts[i]);
    rift_db_close(store->db);
    free(store);
}

static bool db_begin(rift_store *base, rift_err *err)
{
    db_store *store = own(base);
    return rift_db_exec(store->db, "BEGIN IMMEDIATE", err);
}

static bool db_commit(rift_store *base, rift_err *err)
{
    db_store *store = own(base);
    return rift_db_exec(store->db, "COMMIT", err);
}

static void db_rollback(rift_store *base)
{
    db_store *store = own(base);
    if (sqlite3_get_autocommit(store->db) == 0)
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

static void db_checkpoint(rift_store *base)
{
    db_store *store = own(base);
    rift_db_checkpoint(store->db);
}

static bool db_savepoint(rift_store *base, rift_err *err)
{
    db_store *store = own(base);
    return rift_db_exec(store->db, "SAVEPOINT operation", err);
}

static bool db_release(rift_store *base, bool keep, rift_err *err)
{
    db_store *store = own(base);
    return rift_db_exec(store->db, keep ? "RELEASE operation" : "ROLLBACK TO operation; RELEASE operation",
                        err);
}

static bool set_setting(db_store *store, const char *name, const char *value, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_SET, err);
    if (stmt == NULL)
        return false;
    sq_bind_str(stmt, 1, rift_str_c(name));
    sq_bind_str(stmt, 2, rift_str_c(value));
    return sq_run(store, stmt, "store a setting", err);
}

static bool quick_check(db_store *store, rift_err *err)
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

static bool db_start(rift_store *base, bool *was_clean, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_GET, err);
    if (stmt == NULL)
        return false;
    sq_bind_str(stmt, 1, RIFT_STR("running"));
    bool row;
    if (!sq_step(store, stmt, &row, "read a setting", err))
        return false;
    const char *value = row ? (const char *)sqlite3_column_text(stmt, 0) : "0";
    const bool clean = value != NULL && strcmp(value, "0") == 0;
    if (row)
        sq_done(stmt);
    if (!clean && !quick_check(store, err))
        return false;
    *was_clean = clean;
    return set_setting(store, "running", "1", err);
}

static bool db_stop(rift_store *base, rift_err *err)
{
    db_store *store = own(base);
    return set_setting(store, "running", "0", err);
}

/* ---- reading ---- */

static bool find_artifact(
    db_store *store, const rift_sha256 *key, bool *row, rift_found *out, rift_arena *arena, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_FIND_ARTIFACT, err);
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, key);
    if (!sq_step(store, stmt, row, "find an artifact", err))
        return false;
    if (*row) {
        out->kind = RIFT_FOUND_ARTIFACT;
        out->artifact = read_artifact(stmt, arena);
        sq_done(stmt);
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
        return job->remembered > now && job->remembered - now <= RIFT_FAILURE_MEMORY_MAX_MS
                   ? RIFT_FOUND_FAILURE
                   : RIFT_FOUND_NOTHING;
    case RIFT_JOB_DONE: /* its artifact is gone (evicted): made again */
    case RIFT_JOB_CANCELLED:
        break;
    }
    return RIFT_FOUND_NOTHING;
}

static bool db_find(
    rift_store *base, const rift_sha256 *key, int64_t now, rift_found *out, rift_arena *arena, rift_err *err)
{
    db_store *store = own(base);
    rift_found found = {.kind = RIFT_FOUND_NOTHING};
    bool row;
    if (!find_artifact(store, key, &row, &found, arena, err))
        return false;
    if (row) {
        bool has_job;
        if (!rift_store_job(base, found.artifact.job, &has_job, &found.job, arena, err))
            return false;
        *out = found;
        return true;
    }
    sqlite3_stmt *stmt = sq_get(store, SQL_FIND_JOB, err);
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, key);
    if (!sq_step(store, stmt, &row, "find a job", err))
        return false;
    if (row) {
        found.job = sq_read_job(stmt, arena);
        found.kind = kind_of(&found.job, now);
        sq_done(stmt);
    }
    *out = found;
    return rift_arena_ok(arena, "job", err);
}

static bool
db_job(rift_store *base, int64_t id, bool *found, rift_job_row *out, rift_arena *arena, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_JOB, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    if (!sq_step(store, stmt, found, "read a job", err))
        return false;
    if (*found) {
        *out = sq_read_job(stmt, arena);
        sq_done(stmt);
    }
    return rift_arena_ok(arena, "job", err);
}

static bool read_data(db_store *store, bool *found, rift_artifact_row *row, rift_arena *arena, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_ARTIFACT_DATA, err);
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, &row->sha256);
    if (!sq_step(store, stmt, found, "read a blob", err))
        return false;
    if (!*found)
        return true;
    const rift_bytes data = {sqlite3_column_blob(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0)};
    row->inline_data = rift_arena_copy_bytes(arena, data);
    sq_done(stmt);
    return rift_arena_ok(arena, "blob", err);
}

static bool db_artifact(rift_store *base,
                        const rift_sha256 *sha256,
                        bool with_data,
                        bool *found,
                        rift_artifact_row *out,
                        rift_arena *arena,
                        rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_ARTIFACT, err);
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, sha256);
    if (!sq_step(store, stmt, found, "read an artifact", err))
        return false;
    if (!*found)
        return true;
    rift_artifact_row row = read_artifact(stmt, arena);
    sq_done(stmt);
    if (!sq_variants(store, &row, err) ||
        (with_data && row.is_inline && !read_data(store, found, &row, arena, err)))
        return false;
    *out = row;
    return rift_arena_ok(arena, "artifact", err);
}

static bool db_newest(rift_store *base,
                      rift_str alias,
                      uint32_t number,
                      rift_str options,
                      bool *found,
                      rift_artifact_row *out,
                      rift_arena *arena,
                      rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_NEWEST, err);
    if (stmt == NULL)
        return false;
    sq_bind_str(stmt, 1, alias);
    (void)sqlite3_bind_int64(stmt, 2, number);
    sq_bind_str(stmt, 3, options);
    if (!sq_step(store, stmt, found, "find the newest artifact", err))
        return false;
    if (*found) {
        *out = read_artifact(stmt, arena);
        sq_done(stmt);
    }
    return rift_arena_ok(arena, "artifact", err);
}

static bool db_outputs(rift_store *base,
                       rift_str alias,
                       uint32_t number,
                       rift_artifact_row **out,
                       size_t *count,
                       rift_arena *arena,
                       rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_OUTPUTS, err);
    rift_artifact_row *rows = RIFT_NEW(arena, rift_artifact_row, RIFT_STORE_MAX_OUTPUTS);
    if (stmt == NULL || rows == NULL)
        return rift_arena_ok(arena, "artifacts", err) && stmt != NULL;
    sq_bind_str(stmt, 1, alias);
    (void)sqlite3_bind_int64(stmt, 2, number);
    (void)sqlite3_bind_int64(stmt, 3, RIFT_STORE_MAX_OUTPUTS);
    size_t n = 0;
    int code = SQLITE_DONE;
    while (n < RIFT_STORE_MAX_OUTPUTS && (code = sqlite3_step(stmt)) == SQLITE_ROW)
        rows[n++] = read_artifact(stmt, arena);
    const bool ok =
        code == SQLITE_DONE || code == SQLITE_ROW || rift_db_fail(store->db, "list artifacts", err);
    sq_done(stmt);
    *out = rows;
    *count = n;
    return ok && rift_arena_ok(arena, "artifacts", err);
}

static bool db_report(rift_store *base,
                      const rift_job_spec *spec,
                      int64_t *job,
                      rift_str *report,
                      rift_arena *arena,
                      rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_REPORT, err);
    if (stmt == NULL)
        return false;
    sq_bind_str(stmt, 1, spec->alias);
    (void)sqlite3_bind_int64(stmt, 2, spec->number);
    sq_bind_str(stmt, 3, spec->options);
    bool row;
    if (!sq_step(store, stmt, &row, "read a report", err))
        return false;
    *report = (rift_str){0};
    *job = 0;
    if (row) {
        *job = sqlite3_column_int64(stmt, 0);
        *report = rift_db_column_str(stmt, 1, arena);
        sq_done(stmt);
    }
    return rift_arena_ok(arena, "report", err);
}

static sql_id list_statement(const rift_job_query *query)
{
    if (query->in_line)
        return SQL_LIST_IN_LINE;
    if (query->alias.size > 0)
        return SQL_LIST_SKIN;
    const bool one_state = query->states != 0 && (query->states & (query->states - 1)) == 0;
    return one_state ? SQL_LIST_STATE : SQL_LIST;
}

static bool db_list(rift_store *base,
                    const rift_job_query *query,
                    rift_job_row **out,
                    size_t *count,
                    rift_arena *arena,
                    rift_err *err)
{
    db_store *store = own(base);
    const sql_id id = list_statement(query);
    sqlite3_stmt *stmt = sq_get(store, id, err);
    rift_job_row *rows = RIFT_NEW(arena, rift_job_row, query->limit);
    if (stmt == NULL || rows == NULL)
        return rift_arena_ok(arena, "jobs", err) && stmt != NULL;
    (void)sqlite3_bind_int64(stmt, 1, query->after);
    (void)sqlite3_bind_int64(stmt, 2, query->states);
    (void)sqlite3_bind_int64(stmt, 3, (int64_t)query->limit);
    if (id == SQL_LIST_STATE)
        (void)sqlite3_bind_int(stmt, 4, __builtin_ctz(query->states));
    if (id == SQL_LIST_SKIN) {
        sq_bind_str(stmt, 4, query->alias);
        (void)sqlite3_bind_int64(stmt, 5, query->number);
    }
    size_t n = 0;
    int code = SQLITE_DONE;
    while (n < query->limit && (code = sqlite3_step(stmt)) == SQLITE_ROW)
        rows[n++] = sq_read_job(stmt, arena);
    const bool ok = code == SQLITE_DONE || code == SQLITE_ROW || rift_db_fail(store->db, "list jobs", err);
    sq_done(stmt);
    *out = rows;
    *count = n;
    return ok && rift_arena_ok(arena, "jobs", err);
}

/* ---- the interface ---- */

static const rift_store_ops ops = {
    .close = db_close,
    .begin = db_begin,
    .commit = db_commit,
    .rollback = db_rollback,
    .checkpoint = db_checkpoint,
    .savepoint = db_savepoint,
    .release = db_release,
    .start = db_start,
    .stop = db_stop,
    .find = db_find,
    .job = db_job,
    .list = db_list,
    .artifact = db_artifact,
    .newest = db_newest,
    .outputs = db_outputs,
    .report = db_report,
    .unpacked = sq_unpacked,
    .blobs = sq_blobs,
    .has_blob = sq_has_blob,
    .usage_of = sq_usage_of,
    .enqueue = sq_enqueue,
    .claim = sq_claim,
    .beat = sq_beat,
    .finish = sq_finish,
    .fail = sq_fail,
    .lift = sq_lift,
    .cancel = sq_cancel,
    .requeue = sq_requeue,
    .rekey = sq_rekey,
    .reap = sq_reap,
    .prune = sq_prune,
    .forget = sq_forget,
    .touch = sq_touch,
    .pin = sq_pin,
    .evict = sq_evict,
    .add_variant = sq_add_variant,
    .records = sq_records,
    .report_of = sq_report_of,
    .relabel = sq_relabel,
};

static bool open_store(rift_store **out, const char *path, rift_db_mode mode, rift_err *err)
{
    rift_err_in(err, rift_str_c(path));
    db_store *store = calloc(1, sizeof *store);
    if (store == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "store", RIFT_NO_OFFSET, "out of memory");
    store->base.ops = &ops;
    /* The upper levels of every index; the rest is in the system's cache, once for all connections. */
    bool ok = rift_db_open(&store->db, path, mode, err) &&
              rift_db_exec(store->db, "PRAGMA cache_size=-512" /* KiB */, err);
    if (ok && mode == RIFT_DB_WRITER)
        ok = rift_db_migrate(store->db, path, rift_migrations_sqlite, rift_migrations_sqlite_count, err);
    if (!ok) {
        db_close(&store->base);
        return false;
    }
    *out = &store->base;
    return true;
}

bool rift_sqlite_open_writer(rift_store **out, const char *path, rift_err *err)
{
    return open_store(out, path, RIFT_DB_WRITER, err);
}

bool rift_sqlite_open_reader(rift_store **out, const char *path, rift_err *err)
{
    return open_store(out, path, RIFT_DB_READER, err);
}

uint64_t rift_sqlite_bytes(void)
{
    return (uint64_t)sqlite3_memory_used();
}
