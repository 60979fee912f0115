#include "http/fields.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/str.h"

enum { MAX_WAIT_S = 86400 };

static rift_str trim(rift_str s)
{
    while (s.size > 0 && (s.data[0] == ' ' || s.data[0] == '\t')) {
        s.data++;
        s.size--;
    }
    while (s.size > 0 && (s.data[s.size - 1] == ' ' || s.data[s.size - 1] == '\t'))
        s.size--;
    return s;
}

static rift_str skip(rift_str s, size_t n)
{
    return (rift_str){s.data + n, s.size - n};
}

/* ---- entity tags ---- */

/* The opaque tag with its quotes off the front of *s, a W/ before it skipped. Commas may stand inside quotes. */
static bool take_etag(rift_str *s, rift_str *tag)
{
    if (s->size >= 2 && s->data[0] == 'W' && s->data[1] == '/')
        *s = skip(*s, 2);
    if (s->size < 2 || s->data[0] != '"')
        return false;
    const char *end = memchr(s->data + 1, '"', s->size - 1);
    if (end == NULL)
        return false;
    *tag = (rift_str){s->data, (size_t)(end + 1 - s->data)};
    *s = skip(*s, tag->size);
    return true;
}

bool rift_etag_in_list(rift_str list, rift_str etag)
{
    list = trim(list);
    if (rift_str_eq(list, RIFT_STR("*")))
        return true;
    while (list.size > 0) {
        rift_str tag;
        if (list.data[0] == ',') {
            list = trim(skip(list, 1));
            continue;
        }
        if (!take_etag(&list, &tag))
            return false;
        if (rift_str_eq(tag, etag))
            return true;
        list = trim(list);
        if (list.size > 0 && list.data[0] != ',')
            return false;
    }
    return false;
}

bool rift_if_range(rift_str if_range, rift_str etag, rift_str last_modified)
{
    const rift_str s = trim(if_range);
    return s.size == 0 || rift_str_eq(s, etag) || rift_str_eq(s, last_modified);
}

/* ---- ranges ---- */

/* Digits off the front; a number past 64 bits counts as the largest. */
static bool take_number(rift_str *s, uint64_t *out)
{
    size_t n = 0;
    uint64_t value = 0;
    for (; n < s->size && s->data[n] >= '0' && s->data[n] <= '9'; n++) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(s->data[n] - '0'), &value))
            value = UINT64_MAX;
    }
    *s = skip(*s, n);
    *out = value;
    return n > 0;
}

static rift_range_kind suffix_range(uint64_t length, uint64_t size, uint64_t *first, uint64_t *last)
{
    if (length == 0 || size == 0)
        return RIFT_RANGE_UNSATISFIABLE;
    *first = length < size ? size - length : 0;
    *last = size - 1;
    return RIFT_RANGE_PART;
}

rift_range_kind rift_range_parse(rift_str range, uint64_t size, uint64_t *first, uint64_t *last)
{
    static const rift_str unit = {"bytes=", 6};
    rift_str s = trim(range);
    if (!rift_str_starts_nocase(s, unit) || memchr(s.data, ',', s.size) != NULL)
        return RIFT_RANGE_WHOLE;
    s = trim(skip(s, unit.size));
    uint64_t from, to;
    const bool has_from = take_number(&s, &from);
    if (s.size == 0 || s.data[0] != '-')
        return RIFT_RANGE_UNSATISFIABLE;
    s = skip(s, 1);
    const bool has_to = take_number(&s, &to);
    if (s.size > 0 || (!has_from && !has_to))
        return RIFT_RANGE_UNSATISFIABLE;
    if (!has_from)
        return suffix_range(to, size, first, last);
    if (from >= size || (has_to && to < from))
        return RIFT_RANGE_UNSATISFIABLE;
    *first = from;
    *last = has_to && to < size ? to : size - 1;
    return RIFT_RANGE_PART;
}

/* ---- preferences ---- */

static void take_preference(rift_prefer *out, rift_str item)
{
    const char *semicolon = memchr(item.data, ';', item.size);
    if (semicolon != NULL)
        item.size = (size_t)(semicolon - item.data);
    const char *equals = item.size > 0 ? memchr(item.data, '=', item.size) : NULL;
    const rift_str name =
        trim((rift_str){item.data, equals != NULL ? (size_t)(equals - item.data) : item.size});
    if (rift_str_eq_nocase(name, RIFT_STR("respond-async"))) {
        out->respond_async = true;
        return;
    }
    if (!rift_str_eq_nocase(name, RIFT_STR("wait")) || equals == NULL || out->has_wait)
        return;
    rift_str value = trim(skip(item, (size_t)(equals + 1 - item.data)));
    if (value.size >= 2 && value.data[0] == '"' && value.data[value.size - 1] == '"')
        value = (rift_str){value.data + 1, value.size - 2};
    uint64_t seconds;
    rift_str rest = value;
    if (!take_number(&rest, &seconds) || rest.size > 0)
        return;
    out->has_wait = true;
    out->wait_s = seconds < MAX_WAIT_S ? (unsigned)seconds : MAX_WAIT_S;
}

rift_prefer rift_prefer_parse(rift_str prefer)
{
    rift_prefer out = {0};
    rift_str item;
    while (rift_str_next(&prefer, ",", &item))
        take_preference(&out, item);
    return out;
}

/* ---- dates ---- */

static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void rift_http_date(int64_t seconds, char out[RIFT_HTTP_DATE_SIZE])
{
    const time_t when = (time_t)(seconds < 0 ? 0 : seconds);
    struct tm tm = {0};
    (void)gmtime_r(&when, &tm);
    char text[64];
    (void)snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[tm.tm_wday % 7], tm.tm_mday,
                   months[tm.tm_mon % 12], (tm.tm_year + 1900) % 10000, tm.tm_hour, tm.tm_min, tm.tm_sec);
    memcpy(out, text, RIFT_HTTP_DATE_SIZE - 1);
    out[RIFT_HTTP_DATE_SIZE - 1] = '\0';
}

static bool digits(rift_str s, size_t at, size_t count, int *out)
{
    int value = 0;
    for (size_t i = at; i < at + count; i++) {
        if (s.data[i] < '0' || s.data[i] > '9')
            return false;
        value = value * 10 + (s.data[i] - '0');
    }
    *out = value;
    return true;
}

bool rift_http_date_parse(rift_str text, int64_t *seconds)
{
    const rift_str s = trim(text);
    struct tm tm = {0};
    int month = -1;
    if (s.size != RIFT_HTTP_DATE_SIZE - 1 || !digits(s, 5, 2, &tm.tm_mday) ||
        !digits(s, 12, 4, &tm.tm_year) || !digits(s, 17, 2, &tm.tm_hour) || !digits(s, 20, 2, &tm.tm_min) ||
        !digits(s, 23, 2, &tm.tm_sec))
        return false;
    for (int i = 0; i < 12; i++) {
        if (memcmp(s.data + 8, months[i], 3) == 0)
            month = i;
    }
    if (month < 0 || tm.tm_year < 1970)
        return false;
    tm.tm_mon = month;
    tm.tm_year -= 1900;
    const int64_t value = (int64_t)timegm(&tm);
    /* Written again it must read the same: that checks every separator, the week day and the ranges at once. */
    char again[RIFT_HTTP_DATE_SIZE];
    rift_http_date(value, again);
    if (memcmp(again, s.data, s.size) != 0)
        return false;
    *seconds = value;
    return true;
}

/* ---- media types ---- */

static rift_str media_type(rift_str s)
{
    const char *semicolon = s.size > 0 ? memchr(s.data, ';', s.size) : NULL;
    return trim((rift_str){s.data, semicolon != NULL ? (size_t)(semicolon - s.data) : s.size});
}

bool rift_is_type(rift_str content_type, rift_str type)
{
    return rift_str_eq_nocase(media_type(content_type), type);
}

/* "q=0", "q=0.0" … among the parameters. */
static bool is_refused(rift_str item)
{
    const char *semicolon = memchr(item.data, ';', item.size);
    rift_str rest = semicolon != NULL ? skip(item, (size_t)(semicolon - item.data)) : (rift_str){0};
    rift_str parameter;
    while (rift_str_next(&rest, ";", &parameter)) {
        if (!rift_str_starts_nocase(parameter, RIFT_STR("q=")))
            continue;
        for (size_t i = 2; i < parameter.size; i++) {
            if (parameter.data[i] != '0' && parameter.data[i] != '.')
                return false;
        }
        return parameter.size > 2;
    }
    return false;
}

/* How closely a pattern names the type: 3 exactly, 2 "model/…", 1 everything, 0 not at all. */
static unsigned match(rift_str pattern, rift_str type)
{
    if (rift_str_eq_nocase(pattern, type))
        return 3;
    if (rift_str_eq(pattern, RIFT_STR("*/*")))
        return 1;
    if (pattern.size < 3 || pattern.data[pattern.size - 1] != '*' || pattern.data[pattern.size - 2] != '/')
        return 0;
    return rift_str_starts_nocase(type, (rift_str){pattern.data, pattern.size - 1}) ? 2 : 0;
}

bool rift_accepts(rift_str accept, rift_str type)
{
    if (trim(accept).size == 0)
        return true;
    unsigned best = 0;
    bool refused = true;
    rift_str item;
    while (rift_str_next(&accept, ",", &item)) {
        const unsigned score = match(media_type(item), type);
        if (score > best) {
            best = score;
            refused = is_refused(item);
        }
    }
    return best > 0 && !refused;
}

/* "0", "1", "0.123", "1.000" (RFC 9110, 12.4.2) in thousandths. */
static unsigned parse_weight(rift_str text)
{
    unsigned value = 0, scale = 1000;
    for (size_t i = 0; i < text.size; i++) {
        const char c = text.data[i];
        if (i == 1 ? c != '.' : c < '0' || c > '9' || i > 4)
            return 0;
        if (i == 1)
            continue;
        value += (unsigned)(c - '0') * scale;
        scale /= 10;
    }
    return value <= 1000 ? value : 0;
}

unsigned rift_accept_encoding(rift_str accept_encoding, rift_str coding)
{
    const bool is_identity = rift_str_eq(coding, RIFT_STR("identity"));
    rift_str rest = accept_encoding, item;
    bool has_any = false;
    unsigned any = 0;
    while (rift_str_next(&rest, ",", &item)) {
        rift_str parameters = item, name, parameter;
        unsigned weight = 1000;
        if (!rift_str_next(&parameters, ";", &name))
            continue;
        while (rift_str_next(&parameters, ";", &parameter)) {
            if (rift_str_starts_nocase(parameter, RIFT_STR("q=")))
                weight = parse_weight((rift_str){parameter.data + 2, parameter.size - 2});
        }
        if (rift_str_eq_nocase(name, coding))
            return weight;
        if (rift_str_eq(name, RIFT_STR("*"))) {
            has_any = true;
            any = weight;
        }
    }
    return has_any ? any : is_identity ? 1 : 0;
}
