/* guard.h - what a request must not look like, beyond what libmicrohttpd 0.9.75 checks.
 *
 * Why     0.9.75 takes Content-Length together with Transfer-Encoding, unknown codings, differing lengths, two Hosts, a blank before the colon and %00 in the path:
 *         behind a proxy each of these can smuggle a request. One of them, and the answer is 400 and the connection closes.
 * Shape   text in, a reason or NULL out; nothing is allocated. */
#ifndef RIFT_HTTP_GUARD_H
#define RIFT_HTTP_GUARD_H

#include <stdbool.h>

#include "base/bytes.h"

/* The request target as it stood in the request line. NULL: fine. Only origin form, and "*". */
const char *rift_guard_target(rift_str target);

typedef struct rift_guard {
    unsigned lengths, codings, hosts;
    const char *refusal; /* the first reason */
    bool has_body;
    uint64_t length; /* with lengths == 1 */
} rift_guard;

/* Every header in turn. */
void rift_guard_header(rift_guard *guard, rift_str name, rift_str value);
/* After the last. NULL: fine. */
const char *rift_guard_finish(rift_guard *guard, bool is_http11);

/* ---- target ---- */

/* The decoded path of a target that passed, NUL-terminated; false when it does not fit. */
bool rift_target_path(rift_str target, char *out, size_t size);
/* What follows '?', raw; empty without one. */
rift_str rift_target_query(rift_str target);
/* Takes the next pair off *rest. The decoded parts are written to `name` and `value` (sizes in bytes); '+' is a blank. False at the end, and with *bad set when a part does not fit or is malformed. */
bool rift_query_next(rift_str *rest,
                     char *name,
                     size_t name_size,
                     char *value,
                     size_t value_size,
                     rift_str *value_out,
                     bool *bad);

#endif
