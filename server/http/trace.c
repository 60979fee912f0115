#include "http/trace.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

enum { TRACE_AT = 3, TRACE_DIGITS = 32, SPAN_AT = 36, SPAN_DIGITS = 16, FLAGS_AT = 53, SIZE = 55 };

/* splitmix64 */
static uint64_t next_id(rift_ids *ids)
{
    uint64_t z = ids->seed + ++ids->count * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return z != 0 ? z : 1;
}

static bool is_id(rift_str s)
{
    for (size_t i = 0; i < s.size; i++) {
        const char l = rift_lower(s.data[i]);
        if (!((l >= 'a' && l <= 'z') || (l >= '0' && l <= '9') || l == '.' || l == '_' || l == '-'))
            return false;
    }
    return s.size > 0 && s.size <= RIFT_REQUEST_ID_MAX;
}

/* Lower-case digits only, as the standard says. */
static bool is_hex(const char *at, size_t size, bool may_be_zero)
{
    bool zero = true;
    for (size_t i = 0; i < size; i++) {
        if (!((at[i] >= '0' && at[i] <= '9') || (at[i] >= 'a' && at[i] <= 'f')))
            return false;
        zero = zero && at[i] == '0';
    }
    return may_be_zero || !zero;
}

/* A higher version may have more behind the flags. */
static bool is_traceparent(rift_str s)
{
    if (s.size < SIZE || !is_hex(s.data, 2, true) || memcmp(s.data, "ff", 2) == 0)
        return false;
    const bool is_first = memcmp(s.data, "00", 2) == 0;
    return (s.size == SIZE || (!is_first && s.data[SIZE] == '-')) && s.data[2] == '-' &&
           s.data[SPAN_AT - 1] == '-' && s.data[FLAGS_AT - 1] == '-' &&
           is_hex(s.data + TRACE_AT, TRACE_DIGITS, false) && is_hex(s.data + SPAN_AT, SPAN_DIGITS, false) &&
           is_hex(s.data + FLAGS_AT, 2, true);
}

void rift_trace_begin(rift_trace *out, rift_ids *ids, rift_str request_id, rift_str traceparent)
{
    char trace[TRACE_DIGITS + 1];
    const char *flags = "00";
    const bool follows = is_traceparent(traceparent);
    if (follows) {
        memcpy(trace, traceparent.data + TRACE_AT, TRACE_DIGITS);
        trace[TRACE_DIGITS] = '\0';
        flags = traceparent.data + FLAGS_AT;
    } else {
        (void)snprintf(trace, sizeof trace, "%016llx%016llx", (unsigned long long)next_id(ids),
                       (unsigned long long)next_id(ids));
    }
    const uint64_t span = next_id(ids);
    (void)snprintf(out->parent, sizeof out->parent, "00-%s-%016llx-%.2s", trace, (unsigned long long)span,
                   flags);
    if (is_id(request_id)) {
        memcpy(out->request, request_id.data, request_id.size);
        out->request[request_id.size] = '\0';
    } else {
        (void)snprintf(out->request, sizeof out->request, "%016llx", (unsigned long long)span);
    }
}

rift_str rift_trace_id(const rift_trace *trace)
{
    return (rift_str){trace->parent + TRACE_AT, TRACE_DIGITS};
}
