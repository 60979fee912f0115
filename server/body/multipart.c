#include "body/multipart.h"

#include <string.h>

#include "base/str.h"

enum { MAX_BOUNDARY = 70, DELIMITER = MAX_BOUNDARY + 4 };

typedef struct cutter {
    rift_str body;
    size_t at;
    char delimiter[DELIMITER]; /* CRLF, two dashes, the boundary */
    size_t delimiter_size;
    rift_err *err;
} cutter;

static bool refuse(const cutter *c, size_t at, const char *what)
{
    return rift_fail(c->err, RIFT_ERR_ARGUMENT, "body", at, "%s", what);
}

/* The value of a parameter of a header's value, without its quotes; false when it is absent or malformed. Backslashes escape
 * within quotes; names that need them have no business here, so they are kept as they stand. */
static bool find_parameter(rift_str header, const char *name, rift_str *out)
{
    const size_t size = strlen(name);
    size_t at = 0;
    while (at < header.size) {
        const char *semicolon = memchr(header.data + at, ';', header.size - at);
        if (semicolon == NULL)
            return false;
        at = (size_t)(semicolon - header.data) + 1;
        while (at < header.size && (header.data[at] == ' ' || header.data[at] == '\t'))
            at++;
        const rift_str rest = {header.data + at, header.size - at};
        const bool found =
            rest.size > size && rest.data[size] == '=' && rift_str_starts_nocase(rest, rift_str_c(name));
        const char *equals = memchr(rest.data, '=', rest.size);
        if (equals == NULL)
            return false;
        size_t start = at + (size_t)(equals - rest.data) + 1;
        const bool quoted = start < header.size && header.data[start] == '"';
        start += quoted;
        size_t end = start;
        while (end < header.size && (quoted ? header.data[end] != '"' : header.data[end] != ';'))
            end++;
        if (quoted && end == header.size)
            return false;
        if (found) {
            *out = (rift_str){header.data + start, end - start};
            return true;
        }
        at = end;
    }
    return false;
}

static bool read_boundary(cutter *c, rift_str content_type)
{
    rift_str boundary;
    if (!rift_str_starts_nocase(content_type, RIFT_STR("multipart/form-data")) ||
        !find_parameter(content_type, "boundary", &boundary) || boundary.size == 0 ||
        boundary.size > MAX_BOUNDARY)
        return rift_fail(c->err, RIFT_ERR_ARGUMENT, "boundary", RIFT_NO_OFFSET, "is missing or too long");
    memcpy(c->delimiter, "\r\n--", 4);
    memcpy(c->delimiter + 4, boundary.data, boundary.size);
    c->delimiter_size = boundary.size + 4;
    return true;
}

static bool starts_with(const cutter *c, const char *text, size_t size)
{
    return c->body.size - c->at >= size && memcmp(c->body.data + c->at, text, size) == 0;
}

/* Where the text is next; false when it is nowhere. */
static bool find(const cutter *c, const char *text, size_t size, size_t *at)
{
    const char *found =
        c->body.size > c->at ? memmem(c->body.data + c->at, c->body.size - c->at, text, size) : NULL;
    if (found == NULL)
        return false;
    *at = (size_t)(found - c->body.data);
    return true;
}

/* Behind a boundary: a line end and true, or the two dashes of the last and false. */
static bool is_another(cutter *c, bool *another)
{
    *another = starts_with(c, "\r\n", 2);
    if (!*another && !starts_with(c, "--", 2))
        return refuse(c, c->at, "neither a line end nor two dashes behind a boundary");
    c->at += 2;
    return true;
}

/* The first boundary has no line end before it when the body begins with it. */
static bool find_first(cutter *c, bool *another)
{
    size_t at = 0;
    if (starts_with(c, c->delimiter + 2, c->delimiter_size - 2)) {
        c->at += c->delimiter_size - 2;
        return is_another(c, another);
    }
    if (!find(c, c->delimiter, c->delimiter_size, &at))
        return refuse(c, 0, "there is no boundary");
    c->at = at + c->delimiter_size;
    return is_another(c, another);
}

static bool has_odd_byte(rift_str s)
{
    for (size_t i = 0; i < s.size; i++) {
        if ((unsigned char)s.data[i] < 0x20 || s.data[i] == 0x7f)
            return true;
    }
    return false;
}

static bool read_header(const cutter *c, rift_str line, size_t at, rift_form_part *part)
{
    static const rift_str disposition = {"Content-Disposition:", 20};
    rift_str file = {0};
    if (!rift_str_starts_nocase(line, disposition))
        return true;
    if (part->name.data != NULL)
        return refuse(c, at, "two Content-Dispositions of one part");
    if (!rift_str_contains_nocase(line, RIFT_STR("form-data")) ||
        !find_parameter(line, "name", &part->name) || part->name.size == 0 ||
        part->name.size > RIFT_MULTIPART_MAX_NAME || has_odd_byte(part->name))
        return refuse(c, at, "a part without a sound name");
    if (find_parameter(line, "filename", &file))
        part->file = rift_str_base(file);
    if (part->file.size > RIFT_MULTIPART_MAX_NAME || has_odd_byte(part->file))
        return refuse(c, at, "a file without a sound name");
    return true;
}

/* Lines up to an empty one. */
static bool read_headers(cutter *c, rift_form_part *part)
{
    const size_t start = c->at;
    for (;;) {
        size_t end;
        if (!find(c, "\r\n", 2, &end) || end - start > RIFT_MULTIPART_MAX_HEADER)
            return refuse(c, start, "headers of a part without an end");
        const rift_str line = {c->body.data + c->at, end - c->at};
        const size_t at = c->at;
        c->at = end + 2;
        if (line.size == 0)
            break;
        if (!read_header(c, line, at, part))
            return false;
    }
    return part->name.data != NULL || refuse(c, start, "a part without a Content-Disposition");
}

static bool read_part(cutter *c, rift_form_part *part, bool *another)
{
    size_t end;
    if (!read_headers(c, part))
        return false;
    const size_t start = c->at;
    /* An empty part's delimiter begins with the line end that closed its headers. */
    c->at = start - 2;
    if (!find(c, c->delimiter, c->delimiter_size, &end))
        return refuse(c, start, "a part without an end");
    const size_t size = end > start ? end - start : 0;
    part->data = (rift_bytes){(const uint8_t *)c->body.data + start, size};
    c->at = end + c->delimiter_size;
    return is_another(c, another);
}

bool rift_multipart_parse(rift_multipart *out,
                          rift_str content_type,
                          rift_bytes body,
                          size_t max_parts,
                          rift_arena *arena,
                          rift_err *err)
{
    cutter c = {.body = {(const char *)body.data, body.size}, .err = err};
    rift_multipart all = {0};
    bool another;
    if (!read_boundary(&c, content_type) || !find_first(&c, &another))
        return false;
    all.parts = RIFT_NEW(arena, rift_form_part, max_parts);
    if (all.parts == NULL)
        return rift_arena_ok(arena, "parts", err);
    while (another) {
        if (all.count == max_parts)
            return rift_fail(err, RIFT_ERR_LIMIT, "body", c.at, "more than %zu parts", max_parts);
        rift_form_part part = {0};
        if (!read_part(&c, &part, &another))
            return false;
        all.parts[all.count++] = part;
    }
    *out = all;
    return true;
}
