#include "http/guard.h"

#include <string.h>

#include "base/str.h"

/* The byte at *at, percent sequences decoded; -1 when malformed. */
static int decode_next(rift_str s, size_t *at)
{
    const char c = s.data[(*at)++];
    if (c != '%')
        return (unsigned char)c;
    if (s.size - *at < 2)
        return -1;
    const int high = rift_hex_digit(s.data[*at]);
    const int low = rift_hex_digit(s.data[*at + 1]);
    *at += 2;
    return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/* A path segment "." or "..", however it is written. */
static bool is_dots(rift_str path, size_t start, size_t end)
{
    unsigned dots = 0;
    for (size_t at = start; at < end;) {
        if (decode_next((rift_str){path.data, end}, &at) != '.')
            return false;
        dots++;
    }
    return dots == 1 || dots == 2;
}

static const char *check_path(rift_str path)
{
    size_t segment = 1;
    for (size_t at = 0; at < path.size;) {
        const bool is_raw = path.data[at] != '%';
        const int c = decode_next(path, &at);
        if (c < 0)
            return "malformed percent sequence";
        if (c < 0x20 || c == 0x7f)
            return "control byte in the path";
        if (!is_raw && (c == '/' || c == '\\'))
            return "encoded separator in the path";
        if (is_raw && c == '\\')
            return "backslash in the path";
        if (is_raw && c == '/') {
            if (is_dots(path, segment, at - 1 > segment ? at - 1 : segment))
                return "dot segment in the path";
            segment = at;
        }
    }
    return is_dots(path, segment, path.size) ? "dot segment in the path" : NULL;
}

const char *rift_guard_target(rift_str target)
{
    if (rift_str_eq(target, RIFT_STR("*")))
        return NULL;
    if (target.size == 0 || target.data[0] != '/')
        return "target is not a path";
    for (size_t i = 0; i < target.size; i++) {
        const unsigned char c = (unsigned char)target.data[i];
        if (c <= 0x20 || c >= 0x7f)
            return "raw control or non-ASCII byte in the target";
        if (c == '#')
            return "fragment in the target";
    }
    const rift_str query = rift_target_query(target);
    for (size_t at = 0; at < query.size;) {
        if (decode_next(query, &at) <= 0)
            return "malformed percent sequence in the query";
    }
    const char *mark = memchr(target.data, '?', target.size);
    return check_path((rift_str){target.data, mark != NULL ? (size_t)(mark - target.data) : target.size});
}

/* RFC 9110, 5.6.2. */
static bool is_token(rift_str s)
{
    static const char extra[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < s.size; i++) {
        const char l = rift_lower(s.data[i]);
        const bool alnum = (l >= 'a' && l <= 'z') || (l >= '0' && l <= '9');
        if (!alnum && (l == '\0' || strchr(extra, l) == NULL))
            return false;
    }
    return s.size > 0;
}

static bool has_control(rift_str s)
{
    for (size_t i = 0; i < s.size; i++) {
        const unsigned char c = (unsigned char)s.data[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return true;
    }
    return false;
}

static void refuse(rift_guard *guard, const char *why)
{
    if (guard->refusal == NULL)
        guard->refusal = why;
}

void rift_guard_header(rift_guard *guard, rift_str name, rift_str value)
{
    if (!is_token(name))
        refuse(guard, "malformed header name");
    if (has_control(value))
        refuse(guard, "control byte in a header");
    if (rift_str_eq_nocase(name, RIFT_STR("Content-Length"))) {
        guard->lengths++;
        if (!rift_str_u64(value, UINT64_MAX / 2, &guard->length))
            refuse(guard, "malformed Content-Length");
        guard->has_body |= guard->length > 0;
    } else if (rift_str_eq_nocase(name, RIFT_STR("Transfer-Encoding"))) {
        guard->codings++;
        guard->has_body = true;
        if (!rift_str_eq_nocase(value, RIFT_STR("chunked")))
            refuse(guard, "transfer coding other than chunked");
    } else if (rift_str_eq_nocase(name, RIFT_STR("Host"))) {
        guard->hosts++;
    }
}

const char *rift_guard_finish(rift_guard *guard, bool is_http11)
{
    if (guard->lengths > 1)
        refuse(guard, "more than one Content-Length");
    if (guard->codings > 1)
        refuse(guard, "more than one Transfer-Encoding");
    if (guard->codings > 0 && guard->lengths > 0)
        refuse(guard, "Content-Length together with Transfer-Encoding");
    if (guard->codings > 0 && !is_http11)
        refuse(guard, "Transfer-Encoding in HTTP/1.0");
    if (guard->hosts > 1)
        refuse(guard, "more than one Host");
    if (guard->hosts == 0 && is_http11)
        refuse(guard, "no Host");
    return guard->refusal;
}

rift_str rift_target_query(rift_str target)
{
    const char *mark = target.size > 0 ? memchr(target.data, '?', target.size) : NULL;
    if (mark == NULL)
        return (rift_str){0};
    return (rift_str){mark + 1, target.size - (size_t)(mark + 1 - target.data)};
}

bool rift_target_path(rift_str target, char *out, size_t size)
{
    const char *mark = target.size > 0 ? memchr(target.data, '?', target.size) : NULL;
    const rift_str path = {target.data, mark != NULL ? (size_t)(mark - target.data) : target.size};
    size_t n = 0;
    for (size_t at = 0; at < path.size;) {
        const int c = decode_next(path, &at);
        if (c <= 0 || n + 1 >= size)
            return false;
        out[n++] = (char)c;
    }
    out[n] = '\0';
    return true;
}

static bool decode_part(rift_str part, char *out, size_t size, size_t *length)
{
    size_t n = 0;
    for (size_t at = 0; at < part.size;) {
        const bool blank = part.data[at] == '+';
        const int c = blank ? ' ' : decode_next(part, &at);
        at += blank ? 1 : 0;
        if (c <= 0 || n + 1 >= size)
            return false;
        out[n++] = (char)c;
    }
    out[n] = '\0';
    *length = n;
    return true;
}

bool rift_query_next(rift_str *rest,
                     char *name,
                     size_t name_size,
                     char *value,
                     size_t value_size,
                     rift_str *value_out,
                     bool *bad)
{
    while (rest->size > 0 && rest->data[0] == '&') {
        rest->data++;
        rest->size--;
    }
    if (rest->size == 0)
        return false;
    const char *end = memchr(rest->data, '&', rest->size);
    const rift_str pair = {rest->data, end != NULL ? (size_t)(end - rest->data) : rest->size};
    rest->data += pair.size;
    rest->size -= pair.size;
    const char *equals = memchr(pair.data, '=', pair.size);
    const size_t name_length = equals != NULL ? (size_t)(equals - pair.data) : pair.size;
    const rift_str raw_value =
        equals != NULL ? (rift_str){equals + 1, pair.size - name_length - 1} : (rift_str){0};
    size_t n, v;
    if (!decode_part((rift_str){pair.data, name_length}, name, name_size, &n) ||
        !decode_part(raw_value, value, value_size, &v)) {
        *bad = true;
        return false;
    }
    *value_out = (rift_str){value, v};
    return true;
}
