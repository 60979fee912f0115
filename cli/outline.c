/* JSON text made readable: one line a member, indented, without braces, commas and needless quotes. Works on the text that
 * rift_json writes; it is no parser for anybody else's. */
#include "cli.h"

typedef struct outline {
    rift_buf *out;
    unsigned depth;
    bool line_open;
} outline;

static void start_line(outline *o)
{
    if (o->line_open)
        return;
    for (unsigned i = 1; i < o->depth; i++)
        rift_buf_str(o->out, RIFT_STR("  "));
    o->line_open = true;
}

static void end_line(outline *o)
{
    if (o->line_open)
        rift_buf_u8(o->out, '\n');
    o->line_open = false;
}

/* Copies a string without its quotes; escapes stay as they are. Returns the index behind it. */
static size_t copy_string(outline *o, rift_bytes json, size_t i)
{
    start_line(o);
    for (i++; i < json.size && json.data[i] != '"'; i++) {
        rift_buf_u8(o->out, json.data[i]);
        if (json.data[i] == '\\' && i + 1 < json.size)
            rift_buf_u8(o->out, json.data[++i]);
    }
    return i + 1;
}

void cli_outline(rift_buf *out, rift_bytes json)
{
    outline o = {.out = out};
    for (size_t i = 0; i < json.size;) {
        const uint8_t c = json.data[i];
        if (c == '"') {
            i = copy_string(&o, json, i);
            continue;
        }
        if (c == '{' || c == '[') {
            const bool empty = i + 1 < json.size && (json.data[i + 1] == '}' || json.data[i + 1] == ']');
            if (empty) {
                start_line(&o);
                rift_buf_u8(out, '-');
            } else if (o.line_open || (o.depth > 0 && c == '{')) {
                start_line(&o);
                if (json.data[i > 0 ? i - 1 : 0] != ':')
                    rift_buf_u8(out, '-');
                end_line(&o);
            }
            o.depth++;
        } else if (c == '}' || c == ']') {
            o.depth--;
            end_line(&o);
        } else if (c == ',') {
            end_line(&o);
        } else if (c == ':') {
            rift_buf_str(out, RIFT_STR(": "));
        } else if (c != '\n' && c != ' ') {
            start_line(&o);
            rift_buf_u8(out, c);
        }
        i++;
    }
    end_line(&o);
}
