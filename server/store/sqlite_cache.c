/* Artifacts and their bytes: variants, use, eviction, what a scrubber asks. */
#include "base/str.h"
#include "store/db.h"
#include "store/sqlite_internal.h"

/* In the table encodings count from 1. */
static int encoding_number(rift_encoding encoding)
{
    return (int)encoding + 1;
}

bool sq_variants(db_store *store, rift_artifact_row *row, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_VARIANTS, err);
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, &row->sha256);
    int code;
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        const int encoding = sqlite3_column_int(stmt, 0) - 1;
        rift_packed *v = &row->variants[encoding];
        if (encoding < RIFT_ENCODING_COUNT && rift_db_column_sha(stmt, 1, &v->sha256)) {
            v->size = (uint64_t)sqlite3_column_int64(stmt, 2);
            v->stored = true;
        }
    }
    const bool ok = code == SQLITE_DONE || rift_db_fail(store->db, "read variants", err);
    sq_done(stmt);
    return ok;
}

static rift_blob_row read_blob(sqlite3_stmt *stmt)
{
    rift_blob_row row = {.size = (uint64_t)sqlite3_column_int64(stmt, 1),
                         .is_inline = sqlite3_column_int(stmt, 2) != 0};
    (void)rift_db_column_sha(stmt, 0, &row.sha256);
    return row;
}

/* Adds the rows of a statement whose parameters are bound. */
static bool
read_blobs(db_store *store, sqlite3_stmt *stmt, rift_blob_list *out, rift_arena *arena, rift_err *err)
{
    int code;
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        const rift_blob_row row = read_blob(stmt);
        rift_blob_list_add(out, &row, arena);
    }
    const bool ok = code == SQLITE_DONE || rift_db_fail(store->db, "list blobs", err);
    sq_done(stmt);
    return ok && rift_arena_ok(arena, "blobs", err);
}

static bool run_with(db_store *store, sql_id id, const rift_sha256 *sha256, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, id, err);
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, sha256);
    return sq_run(store, stmt, "drop", err);
}

bool sq_forget(
    rift_store *base, const rift_sha256 *sha256, rift_blob_list *gone, rift_arena *arena, rift_err *err)
{
    db_store *store = own(base);
    const size_t first = gone->count;
    static const sql_id lists[] = {SQL_VARIANT_BLOBS, SQL_BLOB_ROW};
    for (size_t i = 0; i < RIFT_COUNT(lists); i++) {
        sqlite3_stmt *stmt = sq_get(store, lists[i], err);
        if (stmt == NULL)
            return false;
        sq_bind_sha(stmt, 1, sha256);
        if (!read_blobs(store, stmt, gone, arena, err))
            return false;
    }
    if (!run_with(store, SQL_DROP_BY_BLOB, sha256, err) || !run_with(store, SQL_DROP_VARIANTS, sha256, err))
        return false;
    for (size_t i = first; i < gone->count; i++) {
        const rift_sha256 name = gone->rows[i].sha256;
        if (!run_with(store, SQL_DROP_BLOB, &name, err))
            return false;
    }
    return true;
}

bool sq_touch(rift_store *base, const rift_sha256 *sha256, int64_t now, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_TOUCH, err);
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, sha256);
    (void)sqlite3_bind_int64(stmt, 2, now);
    return sq_run(store, stmt, "touch", err);
}

bool sq_pin(rift_store *base, const rift_sha256 *key, bool pinned, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_PIN, err);
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, key);
    (void)sqlite3_bind_int(stmt, 2, pinned);
    return sq_run(store, stmt, "pin", err);
}

static bool all_bytes(db_store *store, uint64_t *bytes, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_BYTES, err);
    bool row;
    if (stmt == NULL || !sq_step(store, stmt, &row, "count bytes", err))
        return false;
    *bytes = row ? (uint64_t)sqlite3_column_int64(stmt, 0) : 0;
    if (row)
        sq_done(stmt);
    return true;
}

static bool
oldest(db_store *store, const rift_eviction *what, bool *found, rift_sha256 *sha256, rift_err *err)
{
    sqlite3_stmt *stmt = sq_get(store, SQL_OLDEST, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, what->used_before);
    sq_bind_sha(stmt, 2, &what->source);
    if (!sq_step(store, stmt, found, "find the oldest", err))
        return false;
    if (*found) {
        (void)rift_db_column_sha(stmt, 0, sha256);
        sq_done(stmt);
    }
    return true;
}

bool sq_evict(
    rift_store *base, const rift_eviction *what, rift_blob_list *gone, rift_arena *arena, rift_err *err)
{
    db_store *store = own(base);
    uint64_t bytes;
    if (!all_bytes(store, &bytes, err))
        return false;
    for (size_t n = 0; n < what->max && bytes > what->budget; n++) {
        rift_sha256 victim;
        bool found;
        const size_t first = gone->count;
        if (!oldest(store, what, &found, &victim, err))
            return false;
        if (!found)
            return true;
        if (!sq_forget(base, &victim, gone, arena, err))
            return false;
        for (size_t i = first; i < gone->count; i++)
            bytes -= gone->rows[i].size;
    }
    return true;
}

bool sq_add_variant(rift_store *base,
                    const rift_sha256 *source,
                    rift_encoding encoding,
                    const rift_blob_row *variant,
                    int64_t now,
                    bool *taken,
                    rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *blob = sq_get(store, SQL_BLOB, err);
    sqlite3_stmt *stmt = sq_get(store, SQL_ADD_VARIANT, err);
    bool has_source;
    if (blob == NULL || stmt == NULL || !sq_has_blob(base, source, &has_source, err))
        return false;
    *taken = false;
    if (!has_source)
        return true;
    if (variant != NULL) {
        sq_bind_sha(blob, 1, &variant->sha256);
        (void)sqlite3_bind_int64(blob, 2, (int64_t)variant->size);
        (void)sqlite3_bind_int64(blob, 4, now);
        if (!sq_run(store, blob, "add a blob", err))
            return false;
        sq_bind_sha(stmt, 3, &variant->sha256);
    }
    sq_bind_sha(stmt, 1, source);
    (void)sqlite3_bind_int(stmt, 2, encoding_number(encoding));
    if (!sq_run(store, stmt, "add a variant", err))
        return false;
    *taken = sqlite3_changes(store->db) == 1;
    return true;
}

bool sq_unpacked(rift_store *base, bool *found, rift_blob_row *out, rift_encoding *encoding, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_UNPACKED, err);
    if (stmt == NULL || !sq_step(store, stmt, found, "find what is not packed", err))
        return false;
    if (*found) {
        *out = read_blob(stmt);
        *encoding = (rift_encoding)(sqlite3_column_int(stmt, 3) - 1);
        sq_done(stmt);
    }
    return true;
}

bool sq_blobs(rift_store *base,
              const rift_sha256 *after,
              size_t limit,
              rift_blob_list *out,
              rift_arena *arena,
              rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_BLOBS, err);
    if (stmt == NULL)
        return false;
    if (after != NULL) {
        sq_bind_sha(stmt, 1, after);
    } else {
        (void)sqlite3_bind_blob(stmt, 1, "", 0, SQLITE_STATIC);
    }
    (void)sqlite3_bind_int64(stmt, 2, (int64_t)limit);
    return read_blobs(store, stmt, out, arena, err);
}

bool sq_has_blob(rift_store *base, const rift_sha256 *sha256, bool *found, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *stmt = sq_get(store, SQL_BLOB_ROW, err);
    if (stmt == NULL)
        return false;
    sq_bind_sha(stmt, 1, sha256);
    if (!sq_step(store, stmt, found, "find a blob", err))
        return false;
    if (*found)
        sq_done(stmt);
    return true;
}

bool sq_usage_of(rift_store *base, rift_store_usage *out, rift_err *err)
{
    db_store *store = own(base);
    sqlite3_stmt *blobs = sq_get(store, SQL_BLOB_COUNT, err);
    sqlite3_stmt *jobs = sq_get(store, SQL_JOB_COUNTS, err);
    bool row;
    if (blobs == NULL || jobs == NULL || !sq_step(store, blobs, &row, "count blobs", err))
        return false;
    *out = (rift_store_usage){0};
    if (row) {
        out->blobs = (uint64_t)sqlite3_column_int64(blobs, 0);
        out->bytes = (uint64_t)sqlite3_column_int64(blobs, 1);
        sq_done(blobs);
    }
    int code;
    while ((code = sqlite3_step(jobs)) == SQLITE_ROW) {
        const int state = sqlite3_column_int(jobs, 0);
        if (state >= 0 && state <= RIFT_JOB_CANCELLED)
            out->jobs[state] = (uint64_t)sqlite3_column_int64(jobs, 1);
    }
    const bool ok = code == SQLITE_DONE || rift_db_fail(store->db, "count jobs", err);
    sq_done(jobs);
    return ok;
}
