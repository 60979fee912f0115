#include "store/db.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

enum { BUSY_TIMEOUT_MS = 5000, LOG_LIMIT_BYTES = 64 * 1024 * 1024 };

rift_str rift_db_column_str(sqlite3_stmt *stmt, int at, rift_arena *arena)
{
    const rift_str s = {(const char *)sqlite3_column_text(stmt, at), (size_t)sqlite3_column_bytes(stmt, at)};
    return s.data != NULL ? rift_arena_copy_str(arena, s) : (rift_str){0};
}

bool rift_db_column_sha(sqlite3_stmt *stmt, int at, rift_sha256 *out)
{
    const void *data = sqlite3_column_blob(stmt, at);
    if (data == NULL || sqlite3_column_bytes(stmt, at) != (int)sizeof out->bytes)
        return false;
    memcpy(out->bytes, data, sizeof out->bytes);
    return true;
}

static rift_status status_of(sqlite3 *db)
{
    const int code = db != NULL ? sqlite3_errcode(db) & 0xff : SQLITE_NOMEM;
    const int system = code == SQLITE_IOERR ? sqlite3_system_errno(db) : 0;
    return code == SQLITE_NOMEM                                          ? RIFT_ERR_NOMEM
           : code == SQLITE_FULL || system == ENOSPC || system == EDQUOT ? RIFT_ERR_LIMIT
                                                                         : RIFT_ERR_IO;
}

bool rift_db_fail(sqlite3 *db, const char *doing, rift_err *err)
{
    return rift_fail(err, status_of(db), doing, RIFT_NO_OFFSET, "%s",
                     db != NULL ? sqlite3_errmsg(db) : "out of memory");
}

bool rift_db_exec(sqlite3 *db, const char *sql, rift_err *err)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK || rift_db_fail(db, "execute", err);
}

bool rift_db_prepare(sqlite3 *db, const char *sql, sqlite3_stmt **out, rift_err *err)
{
    return sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) == SQLITE_OK ||
           rift_db_fail(db, "prepare", err);
}

bool rift_db_number(sqlite3 *db, const char *sql, int64_t *out, rift_err *err)
{
    sqlite3_stmt *stmt;
    if (!rift_db_prepare(db, sql, &stmt, err))
        return false;
    const bool ok = sqlite3_step(stmt) == SQLITE_ROW;
    if (ok) {
        *out = sqlite3_column_int64(stmt, 0);
    } else {
        (void)rift_db_fail(db, "read", err);
    }
    (void)sqlite3_finalize(stmt);
    return ok;
}

bool rift_db_open(sqlite3 **out, const char *path, rift_db_mode mode, rift_err *err)
{
    rift_err_in(err, rift_str_c(path));
    sqlite3 *db = NULL;
    const int flags =
        SQLITE_OPEN_NOMUTEX | (mode == RIFT_DB_WRITER   ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                               : mode == RIFT_DB_EDITOR ? SQLITE_OPEN_READWRITE
                                                        : SQLITE_OPEN_READONLY);
    bool ok = sqlite3_open_v2(path, &db, flags, NULL) == SQLITE_OK || rift_db_fail(db, "open", err);
    ok = ok && sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS) == SQLITE_OK;
    ok = ok && rift_db_exec(db, "PRAGMA trusted_schema=OFF; PRAGMA foreign_keys=ON;", err);
    if (ok && mode == RIFT_DB_WRITER) {
        ok = rift_db_exec(
            db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=0;", err);
    }
    if (!ok) {
        rift_db_close(db);
        return false;
    }
    *out = db;
    return true;
}

void rift_db_close(sqlite3 *db)
{
    if (db == NULL)
        return;
    const int code = sqlite3_close(db);
    RIFT_ASSERT(code == SQLITE_OK);
}

/* A file of another program has another id; an empty one has none and no tables. */
static bool check_owner(sqlite3 *db, rift_err *err)
{
    int64_t id, tables;
    if (!rift_db_number(db, "PRAGMA application_id", &id, err) ||
        !rift_db_number(db, "SELECT count(*) FROM sqlite_schema", &tables, err))
        return false;
    if (id == RIFT_DB_APPLICATION_ID || (id == 0 && tables == 0))
        return true;
    return rift_fail(err, RIFT_ERR_UNSUPPORTED, "application_id", RIFT_NO_OFFSET,
                     "0x%08x is not ours (0x%08x): this is another program's database", (unsigned)id,
                     RIFT_DB_APPLICATION_ID);
}

static bool back_up(sqlite3 *db, const char *path, int64_t version, rift_err *err)
{
    char name[4096];
    (void)snprintf(name, sizeof name, "%s.v%lld.bak", path, (long long)version);
    (void)unlink(name); /* of an attempt that did not end */
    sqlite3_stmt *stmt;
    if (!rift_db_prepare(db, "VACUUM INTO ?1", &stmt, err))
        return false;
    const bool ok =
        sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_DONE;
    if (!ok)
        (void)rift_db_fail(db, "back up", err);
    (void)sqlite3_finalize(stmt);
    return ok;
}

static bool apply(sqlite3 *db, const rift_embedded *migration, int64_t version, rift_err *err)
{
    char mark[128];
    (void)snprintf(mark, sizeof mark, "PRAGMA user_version=%lld; PRAGMA application_id=%d; COMMIT;",
                   (long long)version, RIFT_DB_APPLICATION_ID);
    if (!rift_db_exec(db, "BEGIN IMMEDIATE", err))
        return false;
    if (rift_db_exec(db, (const char *)migration->data.data, err) && rift_db_exec(db, mark, err))
        return true;
    (void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

bool rift_db_migrate(
    sqlite3 *db, const char *path, const rift_embedded *migrations, size_t count, rift_err *err)
{
    rift_err_in(err, rift_str_c(path));
    int64_t version;
    if (!check_owner(db, err) || !rift_db_number(db, "PRAGMA user_version", &version, err))
        return false;
    if (version < 0 || version > (int64_t)count) {
        return rift_fail(err, RIFT_ERR_UNSUPPORTED, "user_version", RIFT_NO_OFFSET,
                         "%lld is newer than %zu: made by a newer program", (long long)version, count);
    }
    if (version > 0 && version < (int64_t)count && !back_up(db, path, version, err))
        return false;
    for (int64_t next = version + 1; next <= (int64_t)count; next++) {
        if (!apply(db, &migrations[next - 1], next, err))
            return false;
    }
    return true;
}

void rift_db_checkpoint(sqlite3 *db)
{
    int log_frames = 0, done = 0;
    const int code = sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, &log_frames, &done);
    if (code == SQLITE_OK && (int64_t)log_frames * 4096 > LOG_LIMIT_BYTES)
        (void)sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}
