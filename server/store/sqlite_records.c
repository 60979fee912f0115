/* Dependency records: read and relabelled seldom, so statements are not kept. */
#include <string.h>

#include "base/str.h"
#include "store/db.h"
#include "store/sqlite_internal.h"

static const char part[] = "records";

static const char list_sql[] =
    "SELECT id, key, skin, alias, number, options, sha256, fingerprint, source, last_used, pinned,"
    " (SELECT count(*) FROM dependency d WHERE d.artifact=a.id), features FROM artifact a"
    " WHERE source<>?1 AND (?2=0 OR id<?2) ORDER BY id DESC LIMIT ?3";
static const char uses_sql[] = "SELECT path, checksum, kind, found FROM dependency WHERE artifact=?1";
static const char report_sql[] = "SELECT j.report FROM artifact a JOIN job j ON j.id=a.job"
                                 " WHERE a.sha256=?1 AND j.report IS NOT NULL ORDER BY j.id DESC LIMIT 1";
static const char label_sql[] = "UPDATE OR IGNORE artifact SET key=?2, source=?3 WHERE id=?1";

static bool end(sqlite3 *db, sqlite3_stmt *stmt, int code, const char *doing, rift_err *err)
{
    const bool ok = code == SQLITE_DONE || code == SQLITE_ROW || rift_db_fail(db, doing, err);
    (void)sqlite3_reset(stmt);
    return ok;
}

static bool read_uses(sqlite3 *db, sqlite3_stmt *stmt, rift_record *record, rift_arena *arena, rift_err *err)
{
    const size_t max = record->use_count;
    record->uses = RIFT_NEW(arena, rift_asset_use, max);
    if (record->uses == NULL)
        return rift_arena_ok(arena, part, err);
    (void)sqlite3_bind_int64(stmt, 1, record->artifact);
    size_t n = 0;
    int code = SQLITE_DONE;
    while (n < max && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        record->uses[n++] = (rift_asset_use){.path_hash = (uint64_t)sqlite3_column_int64(stmt, 0),
                                             .checksum = (uint64_t)sqlite3_column_int64(stmt, 1),
                                             .checksum_kind = (uint8_t)sqlite3_column_int(stmt, 2),
                                             .found = sqlite3_column_int(stmt, 3) != 0};
    }
    record->use_count = n;
    return end(db, stmt, code, "read a record", err);
}

static rift_record read_record(sqlite3_stmt *stmt, rift_arena *arena)
{
    rift_record r = {.artifact = sqlite3_column_int64(stmt, 0),
                     .last_used = sqlite3_column_int64(stmt, 9),
                     .pinned = sqlite3_column_int(stmt, 10) != 0,
                     .use_count = (size_t)sqlite3_column_int64(stmt, 11),
                     .features = (uint64_t)sqlite3_column_int64(stmt, 12)};
    r.spec = (rift_job_spec){.skin = (uint32_t)sqlite3_column_int64(stmt, 2),
                             .alias = rift_db_column_str(stmt, 3, arena),
                             .number = (uint32_t)sqlite3_column_int64(stmt, 4),
                             .options = rift_db_column_str(stmt, 5, arena)};
    (void)rift_db_column_sha(stmt, 1, &r.spec.key);
    (void)rift_db_column_sha(stmt, 6, &r.sha256);
    (void)rift_db_column_sha(stmt, 7, &r.fingerprint);
    (void)rift_db_column_sha(stmt, 8, &r.source);
    return r;
}

static bool read_records(sqlite3 *db,
                         sqlite3_stmt *list,
                         rift_record *records,
                         size_t max,
                         size_t *count,
                         rift_arena *arena,
                         rift_err *err)
{
    int code = SQLITE_DONE;
    *count = 0;
    while (*count < max && (code = sqlite3_step(list)) == SQLITE_ROW)
        records[(*count)++] = read_record(list, arena);
    return end(db, list, code, "list records", err) && rift_arena_ok(arena, part, err);
}

bool sq_records(rift_store *base,
                const rift_sha256 *source,
                int64_t before,
                size_t max,
                rift_record **out,
                size_t *count,
                rift_arena *arena,
                rift_err *err)
{
    sqlite3 *db = own(base)->db;
    sqlite3_stmt *list = NULL, *uses = NULL;
    rift_record *records = RIFT_NEW(arena, rift_record, max);
    bool ok = rift_arena_ok(arena, part, err) && rift_db_prepare(db, list_sql, &list, err) &&
              rift_db_prepare(db, uses_sql, &uses, err);
    if (ok) {
        (void)sqlite3_bind_blob(list, 1, source->bytes, sizeof source->bytes, SQLITE_STATIC);
        (void)sqlite3_bind_int64(list, 2, before);
        (void)sqlite3_bind_int64(list, 3, (int64_t)max);
        ok = read_records(db, list, records, max, count, arena, err);
    }
    for (size_t i = 0; ok && i < *count; i++)
        ok = read_uses(db, uses, &records[i], arena, err);
    (void)sqlite3_finalize(list);
    (void)sqlite3_finalize(uses);
    *out = records;
    return ok;
}

bool sq_report_of(
    rift_store *base, const rift_sha256 *sha256, rift_str *report, rift_arena *arena, rift_err *err)
{
    sqlite3 *db = own(base)->db;
    sqlite3_stmt *stmt = NULL;
    *report = (rift_str){0};
    if (!rift_db_prepare(db, report_sql, &stmt, err))
        return false;
    (void)sqlite3_bind_blob(stmt, 1, sha256->bytes, sizeof sha256->bytes, SQLITE_STATIC);
    const int code = sqlite3_step(stmt);
    if (code == SQLITE_ROW)
        *report = rift_db_column_str(stmt, 0, arena);
    const bool ok = end(db, stmt, code, "read a report", err);
    (void)sqlite3_finalize(stmt);
    return ok && rift_arena_ok(arena, part, err);
}

bool sq_relabel(rift_store *base,
                int64_t artifact,
                const rift_sha256 *key,
                const rift_sha256 *source,
                bool *taken,
                rift_err *err)
{
    sqlite3 *db = own(base)->db;
    sqlite3_stmt *stmt = NULL;
    if (!rift_db_prepare(db, label_sql, &stmt, err))
        return false;
    (void)sqlite3_bind_int64(stmt, 1, artifact);
    (void)sqlite3_bind_blob(stmt, 2, key->bytes, sizeof key->bytes, SQLITE_STATIC);
    (void)sqlite3_bind_blob(stmt, 3, source->bytes, sizeof source->bytes, SQLITE_STATIC);
    const int code = sqlite3_step(stmt);
    *taken = code == SQLITE_DONE && sqlite3_changes(db) == 1;
    const bool ok = end(db, stmt, code, "relabel", err);
    (void)sqlite3_finalize(stmt);
    return ok;
}
