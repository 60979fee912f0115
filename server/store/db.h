/* db.h - SQLite as this program uses it: pragmas, migrations, errors.
 *
 * Rules   WAL, synchronous=NORMAL, busy_timeout 5 s, foreign keys, no untrusted schema, checkpoints only by the writer and only when told
 *         (rift_db_checkpoint). One writer connection per file and process; readers open read-only.
 * Errors  IO with SQLite's text, LIMIT when that is a full disk (or quota); UNSUPPORTED for a file of a newer version or of another program; NOMEM.
 * Thread  a connection is used by one thread at a time (NOMUTEX). */
#ifndef RIFT_STORE_DB_H
#define RIFT_STORE_DB_H

#include "base/arena.h"
#include "base/err.h"
#include "embed/embed.h"
#include "hash/hash.h"

struct sqlite3;
struct sqlite3_stmt;

/* "RIFT", in the file's header. */
#define RIFT_DB_APPLICATION_ID 0x52494654

typedef enum rift_db_mode {
    RIFT_DB_READER,
    RIFT_DB_WRITER,
    RIFT_DB_EDITOR /* writes to a file that is there, in the journal mode it has */
} rift_db_mode;

RIFT_NODISCARD bool rift_db_open(struct sqlite3 **out, const char *path, rift_db_mode mode, rift_err *err);
void rift_db_close(struct sqlite3 *db);

/* Brings the file to the last migration, each in a transaction of its own; a file that holds data is copied to <path>.v<N>.bak first. */
RIFT_NODISCARD bool rift_db_migrate(
    struct sqlite3 *db, const char *path, const rift_embedded *migrations, size_t count, rift_err *err);

RIFT_NODISCARD bool rift_db_exec(struct sqlite3 *db, const char *sql, rift_err *err);
RIFT_NODISCARD bool
rift_db_prepare(struct sqlite3 *db, const char *sql, struct sqlite3_stmt **out, rift_err *err);
/* One number from a statement with one row. */
RIFT_NODISCARD bool rift_db_number(struct sqlite3 *db, const char *sql, int64_t *out, rift_err *err);
/* A column's text, copied; empty for NULL, and when memory is out. */
rift_str rift_db_column_str(struct sqlite3_stmt *stmt, int at, rift_arena *arena);
/* False, and *out untouched, when the column holds no SHA-256. */
bool rift_db_column_sha(struct sqlite3_stmt *stmt, int at, rift_sha256 *out);
/* Records SQLite's last error of this connection. Returns false. */
bool rift_db_fail(struct sqlite3 *db, const char *doing, rift_err *err);
/* Copies what it can into the main file without waiting; empties the log once it is over 64 MiB. */
void rift_db_checkpoint(struct sqlite3 *db);

#endif
