/* fields.h - header fields: entity tags, ranges, preferences, dates, media types. Text in, values out (RFC 9110, RFC 7240).
 *
 * Missing headers are empty strings. */
#ifndef RIFT_HTTP_FIELDS_H
#define RIFT_HTTP_FIELDS_H

#include <stdbool.h>

#include "base/bytes.h"

/* True when a list of entity tags (If-None-Match), or "*", names `etag` (with its quotes). Weak comparison: a leading W/ does not matter. A malformed list matches nothing. */
bool rift_etag_in_list(rift_str list, rift_str etag);

typedef enum rift_range_kind {
    RIFT_RANGE_WHOLE,        /* no range, another unit, or several ranges: the whole body */
    RIFT_RANGE_PART,         /* first … last */
    RIFT_RANGE_UNSATISFIABLE /* malformed, or outside */
} rift_range_kind;

/* `size`: bytes of the whole body. */
rift_range_kind rift_range_parse(rift_str range, uint64_t size, uint64_t *first, uint64_t *last);
/* True when an If-Range of this text lets the range count: the strong etag or the date of the body as it is. Empty: true. */
bool rift_if_range(rift_str if_range, rift_str etag, rift_str last_modified);

typedef struct rift_prefer {
    bool respond_async;
    bool has_wait;
    unsigned wait_s; /* capped at 86400 */
} rift_prefer;
rift_prefer rift_prefer_parse(rift_str prefer);

#define RIFT_HTTP_DATE_SIZE 30
/* "Sun, 06 Nov 1994 08:49:37 GMT" and a NUL, from seconds since 1970. */
void rift_http_date(int64_t seconds, char out[RIFT_HTTP_DATE_SIZE]);
/* That form only. */
bool rift_http_date_parse(rift_str text, int64_t *seconds);

/* How much an Accept-Encoding header likes a coding ("gzip", "identity"): 0 (not at all) to 1000. Without a header, and in one that does not mention it, identity is liked
 * a little (1) and everything else not. Weights that are malformed count as 0. */
unsigned rift_accept_encoding(rift_str accept_encoding, rift_str coding);

/* True when an Accept header lets `type` ("model/gltf-binary") through; an empty one does. */
bool rift_accepts(rift_str accept, rift_str type);
/* True when a Content-Type header is `type`, whatever its parameters. */
bool rift_is_type(rift_str content_type, rift_str type);

#endif
