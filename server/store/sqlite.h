/* sqlite.h - the store in one SQLite file (rules of the file: db.h).
 *
 * Errors  IO, UNSUPPORTED (newer file, or another program's), NOMEM. */
#ifndef RIFT_STORE_SQLITE_H
#define RIFT_STORE_SQLITE_H

#include "store/store.h"

RIFT_NODISCARD bool rift_sqlite_open_writer(rift_store **out, const char *path, rift_err *err); /* migrates */
RIFT_NODISCARD bool rift_sqlite_open_reader(rift_store **out, const char *path, rift_err *err);

/* What SQLite holds for all connections of the process, caches included. Thread: any. */
uint64_t rift_sqlite_bytes(void);

#endif
