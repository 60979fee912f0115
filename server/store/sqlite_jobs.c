/* Jobs: what the writer does with them. */
#include "base/str.h"
#include "store/db.h"
#include "store/sqlite_internal.h"

static bool failures_of(db_store *store, const rift_sha256 *key, int64_t *out, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_FAILURES, err);
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, key);
    bool row;
    if (!sq_step(store, stmt, &row, "count failures", err))
        return false;
    *out = row ? sqlite3_column_int64(stmt, 0) : 0;
    if (row)
        sq_done(stmt);
    return true;
}

bool sq_lift(rift_store *base, int64_t id, int priority, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_LIFT, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    (void)sqlite3_bind_int(stmt, 2, priority);
    return sq_run(store, stmt, "lift", err);
}

bool sq_enqueue(rift_store *base,
                const rift_job_spec *spec,
                int64_t now,
                rift_found *out,
                rift_arena *arena,
                rift_err *err)
{
    db_store *store = own(base);
    if (!rift_store_find(base, &spec->key, now, out, arena, err))
        return false;
    if (out->kind == RIFT_FOUND_LIVE && out->job.spec.priority < spec->priority) {
        bool found;
        return rift_store_lift(base, out->job.id, spec->priority, err) &&
               rift_store_job(base, out->job.id, &found, &out->job, arena, err);
    }
    if (out->kind != RIFT_FOUND_NOTHING)
        return true;
    int64_t failures;
    sqlite3_stmt *stmt = sq_get(store, SQL_ENQUEUE, err);
    if (stmt == NULL || !failures_of(store, &spec->key, &failures, err))
        return false;
    sq_bind_sha(stmt, 1, &spec->key);
    (void)sqlite3_bind_int64(stmt, 2, spec->skin);
    sq_bind_str(stmt, 3, spec->alias);
    (void)sqlite3_bind_int64(stmt, 4, spec->number);
    sq_bind_str(stmt, 5, spec->options);
    (void)sqlite3_bind_int64(stmt, 6, now);
    (void)sqlite3_bind_int64(stmt, 7, failures);
    (void)sqlite3_bind_int(stmt, 8, spec->priority);
    if (!sq_run(store, stmt, "enqueue", err))
        return false;
    bool found;
    return rift_store_job(base, sqlite3_last_insert_rowid(store->db), &found, &out->job, arena, err);
}

bool sq_claim(rift_store *base,
              const rift_claim *claim,
              bool *found,
              rift_job_row *out,
              rift_arena *arena,
              rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_CLAIM, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, claim->now);
    sq_bind_str(stmt, 2, claim->owner);
    (void)sqlite3_bind_int64(stmt, 3, claim->now + claim->lease_ms);
    (void)sqlite3_bind_int(stmt, 4, claim->min_priority);
    (void)sqlite3_bind_int64(stmt, 5, claim->now + RIFT_RETRY_PAUSE_MAX_MS);
    if (!sq_step(store, stmt, found, "claim", err))
        return false;
    if (*found) {
        *out = sq_read_job(stmt, arena);
        sq_done(stmt);
    }
    return rift_arena_ok(arena, "job", err);
}

static bool add_blob(db_store *store, const rift_job_output *output, int64_t now, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_BLOB, err);
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, &output->sha256);
    (void)sqlite3_bind_int64(stmt, 2, (int64_t)output->size);
    if (output->is_inline) {
        (void)sqlite3_bind_blob64(stmt, 3,
                                  output->inline_data.size > 0 ? (const void *)output->inline_data.data : "",
                                  output->inline_data.size, SQLITE_STATIC);
    }
    (void)sqlite3_bind_int64(stmt, 4, now);
    return sq_run(store, stmt, "add a blob", err);
}

static bool add_dependencies(db_store *store, int64_t artifact, const rift_asset_log *uses, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_ADD_DEPENDENCY, err);
    if (stmt == NULL)
        return false;
    for (size_t i = 0; uses != NULL && i < uses->count; i++) {
        const rift_asset_use *use = &uses->uses[i];
        (void)sqlite3_bind_int64(stmt, 1, artifact);
        (void)sqlite3_bind_int64(stmt, 2, (int64_t)use->path_hash);
        (void)sqlite3_bind_int64(stmt, 3, (int64_t)use->checksum);
        (void)sqlite3_bind_int(stmt, 4, use->checksum_kind);
        (void)sqlite3_bind_int(stmt, 5, use->found);
        if (!sq_run(store, stmt, "add a dependency", err))
            return false;
    }
    return true;
}

static bool
add_artifact(db_store *store, int64_t job, const rift_job_output *output, int64_t now, rift_err *err)
{
    sqlite3_stmt *drop = sq_get(store, SQL_DROP_ARTIFACT, err);
    sqlite3_stmt *add = sq_get(store, SQL_ADD_ARTIFACT, err);
    if (drop == NULL || add == NULL)
        return false;
    (void)sqlite3_bind_int64(drop, 1, job);
    if (!sq_run(store, drop, "drop an artifact", err))
        return false;
    (void)sqlite3_bind_int64(add, 1, job);
    sq_bind_sha(add, 2, &output->fingerprint);
    sq_bind_sha(add, 3, &output->sha256);
    sq_bind_sha(add, 4, &output->source);
    (void)sqlite3_bind_int64(add, 5, now);
    (void)sqlite3_bind_int64(add, 6, (int64_t)output->features);
    return sq_run(store, add, "add an artifact", err) &&
           add_dependencies(store, sqlite3_last_insert_rowid(store->db), output->uses, err);
}

/* The other bytes that the key of this job has until now, if any. */
static bool other_bytes(
    db_store *store, int64_t job, const rift_sha256 *fresh, bool *any, rift_sha256 *out, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_OTHER_BYTES, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, job);
    sq_bind_sha(stmt, 2, fresh);
    if (!sq_step(store, stmt, any, "find the bytes before", err))
        return false;
    if (*any) {
        (void)rift_db_column_sha(stmt, 0, out);
        sq_done(stmt);
    }
    return true;
}

/* Bytes that no artifact has any more; their file is an orphan then. */
static bool drop_unused(db_store *store, const rift_sha256 *sha256, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_IS_USED, err);
    bool used;
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, sha256);
    if (!sq_step(store, stmt, &used, "look for artifacts", err))
        return false;
    if (used) {
        sq_done(stmt);
        return true;
    }
    rift_arena arena;
    rift_blob_list gone = {0};
    rift_arena_init(&arena, (size_t)1 << 20);
    const bool ok = sq_forget(&store->base, sha256, &gone, &arena, err);
    rift_arena_release(&arena);
    return ok;
}

bool sq_finish(rift_store *base,
               int64_t id,
               int64_t epoch,
               const rift_job_output *output,
               int64_t now,
               bool *taken,
               rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_FINISH, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    (void)sqlite3_bind_int64(stmt, 2, epoch);
    (void)sqlite3_bind_int64(stmt, 3, now);
    sq_bind_sha(stmt, 4, &output->sha256);
    sq_bind_optional(stmt, 5, output->report);
    if (!sq_run(store, stmt, "finish", err))
        return false;
    *taken = sqlite3_changes(store->db) == 1;
    if (!*taken)
        return true;
    rift_sha256 before;
    bool any;
    return other_bytes(store, id, &output->sha256, &any, &before, err) && add_blob(store, output, now, err) &&
           add_artifact(store, id, output, now, err) && (!any || drop_unused(store, &before, err));
}

static bool failures_before(db_store *store, int64_t id, int64_t *out, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_FAILURES_OF, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    bool row;
    if (!sq_step(store, stmt, &row, "count failures", err))
        return false;
    *out = row ? sqlite3_column_int64(stmt, 0) : 0;
    if (row)
        sq_done(stmt);
    return true;
}

bool sq_fail(rift_store *base,
             int64_t id,
             int64_t epoch,
             const rift_job_failure *failure,
             int64_t now,
             bool *taken,
             rift_job_row *after,
             rift_arena *arena,
             rift_err *err)
{
    db_store *store = own(base);
    rift_job_row job;
    bool found;
    int64_t failures;
    sqlite3_stmt *stmt = sq_get(store, SQL_FAIL, err);
    if (stmt == NULL || !rift_store_job(base, id, &found, &job, arena, err) ||
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
    sq_bind_str(stmt, 5, failure->error_class);
    sq_bind_optional(stmt, 6, failure->error);
    sq_bind_optional(stmt, 7, failure->report);
    (void)sqlite3_bind_int64(stmt, 8,
                             again ? now + (RIFT_RETRY_PAUSE_MS << (job.attempt - 1)) : job.not_before);
    (void)sqlite3_bind_int64(stmt, 9, failures);
    (void)sqlite3_bind_int64(stmt, 10, again ? 0 : now + rift_failure_memory_ms(failures));
    (void)sqlite3_bind_int64(stmt, 11, failure->status);
    return sq_run(store, stmt, "fail", err) && rift_store_job(base, id, &found, after, arena, err);
}

static bool changed_one(db_store *store, sqlite3_stmt *stmt, const char *doing, bool *taken, rift_err *err)
{
    if (!sq_run(store, stmt, doing, err))
        return false;
    *taken = sqlite3_changes(store->db) == 1;
    return true;
}

bool sq_beat(rift_store *base, int64_t id, int64_t epoch, int64_t lease_until, bool *taken, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_BEAT, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    (void)sqlite3_bind_int64(stmt, 2, epoch);
    (void)sqlite3_bind_int64(stmt, 3, lease_until);
    return changed_one(store, stmt, "beat", taken, err);
}

bool sq_cancel(rift_store *base, int64_t id, int64_t epoch, int64_t now, bool *taken, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_CANCEL, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    (void)sqlite3_bind_int64(stmt, 2, epoch);
    (void)sqlite3_bind_int64(stmt, 3, now);
    return changed_one(store, stmt, "cancel", taken, err);
}

bool sq_requeue(rift_store *base, int64_t id, int64_t epoch, bool *taken, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_REQUEUE, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    (void)sqlite3_bind_int64(stmt, 2, epoch);
    return changed_one(store, stmt, "requeue", taken, err);
}

bool sq_rekey(rift_store *base, int64_t id, const rift_sha256 *key, bool *taken, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_REKEY, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, id);
    sq_bind_sha(stmt, 2, key);
    return changed_one(store, stmt, "rekey", taken, err);
}

bool sq_reap(rift_store *base, int64_t now, bool all, int64_t *requeued, int64_t *dead, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *kill = sq_get(store, SQL_REAP_DEAD, err);
    sqlite3_stmt *again = sq_get(store, SQL_REAP, err);
    if (kill == NULL || again == NULL)
        return false;
    (void)sqlite3_bind_int64(kill, 1, now);
    (void)sqlite3_bind_int(kill, 2, all);
    (void)sqlite3_bind_int64(kill, 3, now + RIFT_FAILURE_MEMORY_MS);
    (void)sqlite3_bind_int(kill, 4, RIFT_JOB_MAX_ATTEMPTS);
    if (!sq_run(store, kill, "reap", err))
        return false;
    *dead = sqlite3_changes(store->db);
    (void)sqlite3_bind_int64(again, 1, now);
    (void)sqlite3_bind_int(again, 2, all);
    (void)sqlite3_bind_int64(again, 3, RIFT_RETRY_PAUSE_MS);
    if (!sq_run(store, again, "reap", err))
        return false;
    *requeued = sqlite3_changes(store->db);
    return true;
}

bool sq_prune(rift_store *base, int64_t before, int64_t now, size_t max, int64_t *removed, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_PRUNE, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, before);
    (void)sqlite3_bind_int64(stmt, 2, now);
    (void)sqlite3_bind_int64(stmt, 3, (int64_t)max);
    if (!sq_run(store, stmt, "prune", err))
        return false;
    *removed = sqlite3_changes(store->db);
    return true;
}
