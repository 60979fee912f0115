/* refresh_run.h - the name lists of a folder or of a server, taken into the tables when they changed.
 *
 * Shape   a folder's lists are its hashes.<table>.txt[.N] (files/lists.h). Of a server, "https://host/folder", each table is asked for as hashes.<table>.txt and,
 *         when there is none, as hashes.<table>.txt.0, .1 and so on. What has changed since the last time (ETag, Last-Modified; size, time and inode of a
 *         file) is imported at once, all or nothing (store/hashes.h, strict); then what was seen is noted in the state file.
 *         A table that the source had and has no more is a failure. Without hashes.db, or with another source, nothing is taken for seen.
 * Errors  those of fetch.h and of imports; IO for an import while it is held; IO for a file that was written to meanwhile; NOT_FOUND. Whatever it is, tables and state stay as they were.
 * Thread  any; one at a time per state file; blocks. */
#ifndef RIFT_REFRESH_REFRESH_RUN_H
#define RIFT_REFRESH_REFRESH_RUN_H

#include <stdatomic.h>

#include "base/err.h"

typedef struct rift_refresh_run {
    /* in */
    const char *source; /* see rift_refresh_is_url */
    const char *hashes_path, *state_path;
    size_t max; /* bytes of one list; four times that of all */
    const atomic_bool *cancel;
    const atomic_bool *held; /* nothing may be written just now */
    /* out */
    size_t lists, changed;
    uint64_t taken, refused; /* names that were new, lines that were none */
} rift_refresh_run;

RIFT_NODISCARD bool rift_refresh_now(rift_refresh_run *run, rift_err *err);

bool rift_refresh_is_url(const char *source);
/* ARGUMENT: a URL with a user, a query or a fragment, or of another scheme than http and https; an empty one. */
RIFT_NODISCARD bool rift_refresh_check(const char *source, rift_err *err);

#endif
