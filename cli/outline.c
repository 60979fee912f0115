/* JSON text made readable, the one way in which results are shown to people: a member a line, lists of plain values and
 * small objects of a list on one line, no braces, no quotes. Works on the compact text that rift_json writes; it is no
 * parser for anybody else's. */
#include <string.h>

#include "cli.h"

#include "base/str.h"

enum { WIDTH = 110 };

typedef struct outline {
    rift_buf *out;
    rift_bytes in;
    size_t at;         /* next byte of in */
    size_t line_start; /* of the line being written, in out */
} outline;

/* What stands at o->at, seen without reading it. */
typedef struct extent {
    bool flat;  /* a scalar, an empty container, or one with scalars and empty containers only */
    bool empty; /* an empty container */
    size_t size;
} extent;

static uint8_t peek(const outline *o)
{
    return o->at < o->in.size ? o->in.data[o->at] : 0;
}

static size_t string_end(rift_bytes in, size_t at)
{
    for (at++; at < in.size && in.data[at] != '"'; at++)
        at += in.data[at] == '\\';
    return at + 1;
}

static extent measure(const outline *o)
{
    extent e = {.flat = true};
    unsigned depth = 0;
    size_t at = o->at;
    while (at < o->in.size) {
        const uint8_t c = o->in.data[at];
        const bool opens = c == '{' || c == '[';
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            break;
        if (c == '"') {
            at = string_end(o->in, at);
            continue;
        }
        const bool nothing_in = opens && at + 1 < o->in.size && o->in.data[at + 1] == c + 2;
        e.flat = e.flat && !(opens && depth > 0 && !nothing_in);
        e.empty = e.empty || (nothing_in && depth == 0);
        depth += opens;
        depth -= c == '}' || c == ']';
        at++;
    }
    e.size = at - o->at;
    return e;
}

static void indent(outline *o, unsigned columns)
{
    o->line_start = o->out->size;
    for (unsigned i = 0; i < columns; i++)
        rift_buf_u8(o->out, ' ');
}

static void end_line(outline *o)
{
    rift_buf_u8(o->out, '\n');
}

/* Escapes of control characters stay, so that no text steers a terminal; quotes and backslashes are plain again. */
static void put_string(outline *o)
{
    const size_t end = string_end(o->in, o->at) - 1;
    if (end == o->at + 1)
        rift_buf_str(o->out, RIFT_STR("\"\""));
    size_t from = o->at + 1;
    for (size_t i = from; i < end; i++) {
        if (o->in.data[i] != '\\')
            continue;
        i++;
        if (o->in.data[i] == '"' || o->in.data[i] == '\\') {
            cli_put_text(o->out, (rift_str){(const char *)o->in.data + from, i - 1 - from});
            from = i;
        }
    }
    cli_put_text(o->out, (rift_str){(const char *)o->in.data + from, end - from});
    o->at = end + 1;
}

static void put_scalar(outline *o)
{
    const size_t size = measure(o).size;
    if (peek(o) == '"') {
        put_string(o);
    } else if (peek(o) == '[' || peek(o) == '{') {
        rift_buf_str(o->out, RIFT_STR("none"));
        o->at += size;
    } else {
        rift_buf_put(o->out, o->in.data + o->at, size);
        o->at += size;
    }
}

static void put_key(outline *o)
{
    put_string(o);
    o->at += peek(o) == ':';
    rift_buf_u8(o->out, ':');
}

/* True when a container goes on; eats its comma or its end. */
static bool more(outline *o)
{
    const bool comma = peek(o) == ',';
    o->at++;
    return comma;
}

/* "a, b, c" or "key: a, other: b", broken at the width. */
static void put_flat(outline *o, unsigned continued_at)
{
    const bool object = peek(o) == '{';
    o->at++;
    for (bool first = true, going = true; going; first = false) {
        const size_t size = measure(o).size;
        if (!first)
            rift_buf_u8(o->out, ',');
        if (!first && o->out->size - o->line_start + size + 2 > WIDTH) {
            end_line(o);
            indent(o, continued_at);
        } else if (!first) {
            rift_buf_u8(o->out, ' ');
        }
        if (object) {
            put_key(o);
            rift_buf_u8(o->out, ' ');
        }
        put_scalar(o);
        going = more(o);
    }
}

static void put_object(outline *o, unsigned columns, bool line_begun);

/* Items of a list that has objects or lists in it: "- " before each. Depth is bounded by the writer's. */
static void put_items(outline *o, unsigned columns)
{
    o->at++;
    do {
        const extent e = measure(o);
        const bool object = peek(o) == '{';
        indent(o, columns);
        rift_buf_str(o->out, RIFT_STR("- "));
        if (e.empty || (!object && peek(o) != '[')) {
            put_scalar(o);
        } else if (e.flat && (!object || columns + e.size < WIDTH)) {
            put_flat(o, columns + 4);
        } else if (object) {
            put_object(o, columns + 2, true);
            continue;
        } else {
            end_line(o);
            put_items(o, columns + 2);
            continue;
        }
        end_line(o);
    } while (more(o));
}

static void put_object(outline *o, unsigned columns, bool line_begun)
{
    o->at++;
    do {
        if (!line_begun)
            indent(o, columns);
        line_begun = false;
        put_key(o);
        const extent e = measure(o);
        const uint8_t c = peek(o);
        if (e.empty || (c != '{' && c != '[')) {
            rift_buf_u8(o->out, ' ');
            put_scalar(o);
            end_line(o);
        } else if (c == '[' && e.flat) {
            rift_buf_u8(o->out, ' ');
            put_flat(o, columns + 2);
            end_line(o);
        } else {
            end_line(o);
            if (c == '{') {
                put_object(o, columns + 2, false);
            } else {
                put_items(o, columns + 2);
            }
        }
    } while (more(o));
}

void cli_outline(rift_buf *out, rift_bytes json)
{
    outline o = {.out = out, .in = json};
    const extent e = measure(&o);
    if (!e.empty && peek(&o) == '{') {
        put_object(&o, 0, false);
    } else if (!e.empty && peek(&o) == '[') {
        put_items(&o, 0);
    } else {
        put_scalar(&o);
        end_line(&o);
    }
}

void cli_put_text(rift_buf *out, rift_str text)
{
    for (size_t i = 0; i < text.size; i++) {
        const uint8_t c = (uint8_t)text.data[i];
        const uint8_t next = i + 1 < text.size ? (uint8_t)text.data[i + 1] : 0;
        const bool c1 = c == 0xC2 && next >= 0x80 && next < 0xA0; /* U+0080-U+009F: controls too */
        if (c < 0x20 || c == 0x7F || c1) {
            rift_buf_printf(out, "\\x%02x", c1 ? next : c);
            i += c1;
        } else {
            rift_buf_u8(out, c);
        }
    }
}
