/* trace.h - the names of a request: its own (X-Request-Id), and its place in a trace (W3C Trace Context, "traceparent").
 *
 * Shape   what the client sends is kept when it is well-formed: a request id of 1 to 64 letters, digits, '.', '_' and '-'; a traceparent of
 *         version 00 to fe with a trace and parent that are not zero. Otherwise both are made here. The span is always our own. */
#ifndef RIFT_HTTP_TRACE_H
#define RIFT_HTTP_TRACE_H

#include <stdbool.h>

#include "base/bytes.h"

#define RIFT_REQUEST_ID_MAX 64

typedef struct rift_trace {
    char request[RIFT_REQUEST_ID_MAX + 1];
    char parent[56]; /* "00-<trace, 32 digits>-<span, 16>-<flags, 2>": what our reply says */
} rift_trace;

/* Where ids come from: unlike each other, not secret. */
typedef struct rift_ids {
    uint64_t seed, count;
} rift_ids;

void rift_trace_begin(rift_trace *out, rift_ids *ids, rift_str request_id, rift_str traceparent);
/* The 32 digits. */
rift_str rift_trace_id(const rift_trace *trace);

#endif
