/* fetch.h - one file over HTTP or HTTPS, when it is another one than the last time.
 *
 * Shape   GET with If-None-Match and If-Modified-Since. At most RIFT_FETCH_REDIRECTS redirects, never from https to http. Bodies come plain or compressed, are
 *         whole (Content-Length, chunks) or an error, and have at most `max` bytes unpacked. Proxies are those of the environment.
 * Limits  RIFT_FETCH_CONNECT_S to connect, RIFT_FETCH_S for all of it, and RIFT_FETCH_SILENT_S below RIFT_FETCH_SLOW bytes a second.
 * Errors  IO (no answer, cut short, a status that is none of the three), LIMIT (past max), CANCELLED, NOMEM.
 * Thread  any; blocks. */
#ifndef RIFT_REFRESH_FETCH_H
#define RIFT_REFRESH_FETCH_H

#include <stdatomic.h>

#include "base/arena.h"

#define RIFT_FETCH_REDIRECTS 3
#define RIFT_FETCH_CONNECT_S 10
#define RIFT_FETCH_S 600
#define RIFT_FETCH_SILENT_S 30
#define RIFT_FETCH_SLOW 100
#define RIFT_FETCH_TAG_BYTES 256

/* What a server says of a version of a file, printable ASCII; empty when it says nothing. */
typedef struct rift_fetch_tags {
    char etag[RIFT_FETCH_TAG_BYTES], modified[RIFT_FETCH_TAG_BYTES];
} rift_fetch_tags;

typedef enum rift_fetch_kind {
    RIFT_FETCH_NEW,       /* 200: body and tags */
    RIFT_FETCH_UNCHANGED, /* 304 */
    RIFT_FETCH_MISSING    /* 404, 410 */
} rift_fetch_kind;

typedef struct rift_fetch {
    /* in */
    const char *url;
    rift_fetch_tags last; /* of what is there; empty: nothing is */
    size_t max;
    const atomic_bool *cancel;
    /* out, body in the arena */
    rift_fetch_kind kind;
    rift_bytes body;
    rift_fetch_tags tags;
} rift_fetch;

/* Once, before the first fetch of the process. */
RIFT_NODISCARD bool rift_fetch_start(rift_err *err);
RIFT_NODISCARD bool rift_fetch_get(rift_fetch *f, rift_arena *arena, rift_err *err);

#endif
