#include "base/json.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/report.h"
#include "base/str.h"

/* Numbers go through snprintf for correct rounding, but only the digits and the exponent are taken from its text: the
 * decimal point of the locale never reaches the output. */

void rift_json_init(rift_json *j, rift_buf *out)
{
    *j = (rift_json){.out = out};
}

/* Room for `size` bytes that the caller fills; NULL when the buffer has failed. Files hold millions of short texts, so
 * the common case stays in this file. */
static inline uint8_t *room(rift_json *j, size_t size)
{
    rift_buf *b = j->out;
    if (b->failed || size > b->capacity - b->size)
        return rift_buf_extend(b, size);
    uint8_t *at = b->data + b->size;
    b->size += size;
    return at;
}

static inline void put_char(rift_json *j, char c)
{
    uint8_t *to = room(j, 1);
    if (to != NULL)
        *to = (uint8_t)c;
}

static inline void put_text(rift_json *j, const char *text, size_t size)
{
    uint8_t *to = size > 0 ? room(j, size) : NULL;
    if (to != NULL)
        memcpy(to, text, size);
}

static inline void put(rift_json *j, const char *text)
{
    put_text(j, text, strlen(text));
}

static void break_line(rift_json *j)
{
    if (!j->pretty)
        return;
    put_char(j, '\n');
    for (unsigned i = 0; i < j->depth; i++)
        put(j, "  ");
}

/* A comma where one is needed, and the place in the container's bookkeeping. */
static void next_item(rift_json *j)
{
    if (j->depth == 0)
        return;
    bool *has_item = &j->has_item[j->depth - 1];
    if (*has_item)
        put_char(j, ',');
    *has_item = true;
    break_line(j);
}

static void before_value(rift_json *j)
{
    if (j->after_key) {
        j->after_key = false;
        return;
    }
    RIFT_ASSERT(j->depth == 0 || !j->is_object[j->depth - 1]);
    next_item(j);
}

static void begin(rift_json *j, bool is_object)
{
    before_value(j);
    RIFT_ASSERT(j->depth < RIFT_JSON_MAX_DEPTH);
    put_char(j, is_object ? '{' : '[');
    j->has_item[j->depth] = false;
    j->is_object[j->depth] = is_object;
    j->depth++;
}

static void end(rift_json *j, bool is_object)
{
    RIFT_ASSERT(j->depth > 0 && j->is_object[j->depth - 1] == is_object && !j->after_key);
    j->depth--;
    if (j->has_item[j->depth])
        break_line(j);
    put_char(j, is_object ? '}' : ']');
}

void rift_json_object(rift_json *j)
{
    begin(j, true);
}

void rift_json_object_end(rift_json *j)
{
    end(j, true);
}

void rift_json_array(rift_json *j)
{
    begin(j, false);
}

void rift_json_array_end(rift_json *j)
{
    end(j, false);
}

static void put_escape(rift_json *j, uint8_t c)
{
    switch (c) {
    case '"':
        put(j, "\\\"");
        break;
    case '\\':
        put(j, "\\\\");
        break;
    case '\n':
        put(j, "\\n");
        break;
    case '\r':
        put(j, "\\r");
        break;
    case '\t':
        put(j, "\\t");
        break;
    default:
        rift_buf_printf(j->out, "\\u%04x", (unsigned)c);
        break;
    }
}

/* Bytes of the well-formed sequence of several bytes at s, or 0. */
static size_t multibyte_length(rift_str s)
{
    for (size_t n = 2; n <= 4 && n <= s.size; n++) {
        if (rift_str_is_utf8((rift_str){s.data, n}))
            return n;
    }
    return 0;
}

/* One character that is not copied as it stands; returns the bytes it took. */
static size_t put_special(rift_json *j, rift_str s)
{
    const uint8_t c = (uint8_t)s.data[0];
    if (c < 0x80) {
        put_escape(j, c);
        return 1;
    }
    const size_t length = multibyte_length(s);
    if (length > 0) {
        rift_buf_put(j->out, s.data, length);
        return length;
    }
    rift_buf_u8(j->out, (uint8_t)(0xC0 | c >> 6));
    rift_buf_u8(j->out, (uint8_t)(0x80 | (c & 0x3F)));
    return 1;
}

static bool is_plain(char c)
{
    const uint8_t b = (uint8_t)c;
    return b >= 0x20 && b < 0x80 && b != '"' && b != '\\';
}

static void put_quoted(rift_json *j, rift_str s)
{
    put_char(j, '"');
    for (size_t i = 0; i < s.size;) {
        size_t run = i;
        while (run < s.size && is_plain(s.data[run]))
            run++;
        put_text(j, s.data + i, run - i);
        i = run;
        if (i < s.size)
            i += put_special(j, (rift_str){s.data + i, s.size - i});
    }
    put_char(j, '"');
}

void rift_json_key_str(rift_json *j, rift_str key)
{
    RIFT_ASSERT(j->depth > 0 && j->is_object[j->depth - 1] && !j->after_key);
    next_item(j);
    put_quoted(j, key);
    put_char(j, ':');
    if (j->pretty)
        put_char(j, ' ');
    j->after_key = true;
}

void rift_json_key(rift_json *j, const char *key)
{
    rift_json_key_str(j, rift_str_c(key));
}

void rift_json_str(rift_json *j, rift_str value)
{
    before_value(j);
    put_quoted(j, value);
}

void rift_json_cstr(rift_json *j, const char *value)
{
    if (value == NULL) {
        rift_json_null(j);
    } else {
        rift_json_str(j, rift_str_c(value));
    }
}

static void put_digits(rift_json *j, uint64_t value, bool negative)
{
    char text[21];
    size_t at = sizeof text;
    do {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    if (negative)
        text[--at] = '-';
    put_text(j, text + at, sizeof text - at);
}

void rift_json_uint(rift_json *j, uint64_t value)
{
    before_value(j);
    put_digits(j, value, false);
}

void rift_json_int(rift_json *j, int64_t value)
{
    before_value(j);
    put_digits(j, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

/* A number as digits d[0].d[1]d[2]… * 10^exponent. */
typedef struct decimal {
    char digits[20];
    int count;
    int exponent;
} decimal;

/* Reads "%.*e" text of a positive number, whatever stands for the decimal point; drops zeros at the end. */
static decimal read_decimal(const char *text)
{
    decimal d = {.count = 0};
    const char *p = text;
    for (; *p != '\0' && *p != 'e'; p++) {
        if (*p >= '0' && *p <= '9' && d.count < (int)sizeof d.digits)
            d.digits[d.count++] = *p;
    }
    if (*p == 'e')
        d.exponent = (int)strtol(p + 1, NULL, 10);
    while (d.count > 1 && d.digits[d.count - 1] == '0')
        d.count--;
    return d;
}

/* The shortest of `from` to `to` significant digits that gives the number back; `to` always does. Six digits survive a
 * normal float32 and fifteen a normal double unharmed, so a shorter form is found there, as zeros at the end. */
static decimal shortest(double value, bool single, int from, int to)
{
    char text[64];
    for (int digits = from; digits < to; digits++) {
        (void)snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            return read_decimal(text);
    }
    (void)snprintf(text, sizeof text, "%.*e", to - 1, value);
    return read_decimal(text);
}

static void put_zeros(rift_json *j, int count)
{
    for (int i = 0; i < count; i++)
        put_char(j, '0');
}

/* 12300, 1.23, 0.00123 or 1.23e-9: plain notation where it needs few zeros. */
static void put_decimal(rift_json *j, const decimal *d)
{
    const int e = d->exponent;
    if (e < -5 || e > 16) {
        put_text(j, d->digits, 1);
        if (d->count > 1) {
            put_char(j, '.');
            put_text(j, d->digits + 1, (size_t)(d->count - 1));
        }
        rift_buf_printf(j->out, "e%d", e);
    } else if (e < 0) {
        put(j, "0.");
        put_zeros(j, -e - 1);
        put_text(j, d->digits, (size_t)d->count);
    } else if (d->count <= e + 1) {
        put_text(j, d->digits, (size_t)d->count);
        put_zeros(j, e + 1 - d->count);
    } else {
        put_text(j, d->digits, (size_t)e + 1);
        put_char(j, '.');
        put_text(j, d->digits + e + 1, (size_t)(d->count - e - 1));
    }
}

static void put_number(rift_json *j, double value, bool single)
{
    RIFT_ASSERT(isfinite(value));
    before_value(j);
    const double size = fabs(value);
    if (value < 0)
        put_char(j, '-');
    if (size <= (single ? 1e7 : 9e15) && size == floor(size)) {
        put_digits(j, (uint64_t)size, false);
        return;
    }
    const bool denormal = size < (single ? (double)FLT_MIN : DBL_MIN);
    const decimal d =
        single ? shortest(size, true, denormal ? 1 : 6, 9) : shortest(size, false, denormal ? 1 : 15, 17);
    put_decimal(j, &d);
}

void rift_json_float(rift_json *j, float value)
{
    put_number(j, (double)value, true);
}

void rift_json_double(rift_json *j, double value)
{
    put_number(j, value, (double)(float)value == value);
}

void rift_json_bool(rift_json *j, bool value)
{
    before_value(j);
    put(j, value ? "true" : "false");
}

void rift_json_null(rift_json *j)
{
    before_value(j);
    put(j, "null");
}

void rift_json_hex(rift_json *j, uint64_t value, unsigned digits)
{
    RIFT_ASSERT(digits >= 1 && digits <= 16);
    before_value(j);
    rift_buf_printf(j->out, "\"0x%0*llx\"", (int)digits, (unsigned long long)value);
}

void rift_json_raw(rift_json *j, rift_str json)
{
    before_value(j);
    rift_buf_str(j->out, json);
}

void rift_json_raw_members(rift_json *j, rift_str members)
{
    RIFT_ASSERT(j->depth > 0 && j->is_object[j->depth - 1] && !j->after_key);
    if (members.size == 0)
        return;
    next_item(j);
    rift_buf_str(j->out, members);
}

void rift_json_put_str(rift_json *j, const char *key, rift_str value)
{
    rift_json_key(j, key);
    rift_json_str(j, value);
}

void rift_json_put_cstr(rift_json *j, const char *key, const char *value)
{
    rift_json_key(j, key);
    rift_json_cstr(j, value);
}

void rift_json_put_uint(rift_json *j, const char *key, uint64_t value)
{
    rift_json_key(j, key);
    rift_json_uint(j, value);
}

void rift_json_put_int(rift_json *j, const char *key, int64_t value)
{
    rift_json_key(j, key);
    rift_json_int(j, value);
}

void rift_json_put_double(rift_json *j, const char *key, double value)
{
    rift_json_key(j, key);
    rift_json_double(j, value);
}

void rift_json_put_bool(rift_json *j, const char *key, bool value)
{
    rift_json_key(j, key);
    rift_json_bool(j, value);
}

void rift_json_put_hex(rift_json *j, const char *key, uint64_t value, unsigned digits)
{
    rift_json_key(j, key);
    rift_json_hex(j, value, digits);
}

static void put_entry(rift_json *j, const rift_report_entry *entry)
{
    rift_json_object(j);
    rift_json_put_cstr(j, "code", entry->code);
    rift_json_put_uint(j, "count", entry->count);
    rift_json_key(j, "examples");
    rift_json_array(j);
    for (size_t i = 0; i < entry->example_count; i++)
        rift_json_str(j, entry->examples[i]);
    rift_json_array_end(j);
    rift_json_object_end(j);
}

void rift_json_unsupported(rift_json *j, const rift_report *report)
{
    rift_json_array(j);
    for (size_t i = 0; i < report->variant_count; i++) {
        const rift_unsupported *v = &report->variants[i];
        rift_json_object(j);
        rift_json_put_str(j, "format", v->format);
        rift_json_put_str(j, "what", v->what);
        rift_json_put_uint(j, "count", v->count);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

void rift_json_report(rift_json *j, const rift_report *report)
{
    rift_json_array(j);
    for (size_t i = 0; i < report->entry_count; i++)
        put_entry(j, report->entries[i]);
    rift_json_array_end(j);
}
