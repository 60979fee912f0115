#include "base/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

rift_reader rift_rd_init(rift_bytes in, const char *where, rift_err *err)
{
    return (rift_reader){.in = in, .where = where, .err = err};
}

bool rift_rd_ok(const rift_reader *r)
{
    return r->err->code == RIFT_OK;
}

size_t rift_rd_left(const rift_reader *r)
{
    return r->in.size - r->pos;
}

uint64_t rift_rd_offset(const rift_reader *r)
{
    return r->base + r->pos;
}

bool(rift_rd_fail)(rift_reader *r, rift_status code, uint64_t offset, const char *format, ...)
{
    char text[sizeof r->err->text];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return rift_fail(r->err, code, r->where, offset, "%s", text);
}

/* The next byte's address. Empty input may come without one, and NULL takes no offset. */
static const uint8_t *here(const rift_reader *r)
{
    return r->in.data != NULL ? r->in.data + r->pos : NULL;
}

/* The next len bytes, or NULL with the error set. */
static const uint8_t *take(rift_reader *r, size_t len)
{
    if (!rift_rd_ok(r))
        return NULL;
    if (len > rift_rd_left(r)) {
        (void)rift_rd_fail(r, RIFT_ERR_TRUNCATED, rift_rd_offset(r), "%zu bytes needed, %zu left", len,
                           rift_rd_left(r));
        return NULL;
    }
    const uint8_t *p = here(r);
    r->pos += len;
    return p;
}

uint8_t rift_rd_u8(rift_reader *r)
{
    const uint8_t *p = take(r, 1);
    return p ? p[0] : 0;
}

uint16_t rift_rd_u16(rift_reader *r)
{
    const uint8_t *p = take(r, 2);
    return p ? (uint16_t)(p[0] | p[1] << 8) : 0;
}

uint32_t rift_rd_u32(rift_reader *r)
{
    const uint8_t *p = take(r, 4);
    return p ? (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24 : 0;
}

uint64_t rift_rd_u64(rift_reader *r)
{
    const uint8_t *p = take(r, 8);
    if (p == NULL)
        return 0;
    uint64_t v = 0;
    for (size_t i = 8; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

int16_t rift_rd_i16(rift_reader *r)
{
    return (int16_t)rift_rd_u16(r);
}

int32_t rift_rd_i32(rift_reader *r)
{
    return (int32_t)rift_rd_u32(r);
}

float rift_rd_f32(rift_reader *r)
{
    const uint32_t bits = rift_rd_u32(r);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

float rift_rd_f32_finite(rift_reader *r, const char *what)
{
    const uint64_t at = rift_rd_offset(r);
    const float v = rift_rd_f32(r);
    if (isfinite(v))
        return v;
    (void)rift_rd_fail(r, RIFT_ERR_FORMAT, at, "%s is not a finite number", what);
    return 0;
}

void rift_rd_f32s(rift_reader *r, float *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = rift_rd_f32(r);
}

rift_bytes rift_rd_bytes(rift_reader *r, size_t len)
{
    const uint8_t *p = take(r, len);
    return p ? (rift_bytes){p, len} : (rift_bytes){0};
}

static rift_str as_str(rift_bytes b)
{
    return (rift_str){(const char *)b.data, b.size};
}

rift_str rift_rd_str16(rift_reader *r)
{
    const uint16_t len = rift_rd_u16(r);
    return as_str(rift_rd_bytes(r, len));
}

rift_str rift_rd_fixed_str(rift_reader *r, size_t len)
{
    rift_bytes field = rift_rd_bytes(r, len);
    const uint8_t *nul = field.size > 0 ? memchr(field.data, 0, field.size) : NULL;
    if (nul != NULL)
        field.size = (size_t)(nul - field.data);
    return as_str(field);
}

rift_str rift_rd_cstr(rift_reader *r, size_t max, const char *what)
{
    if (!rift_rd_ok(r))
        return (rift_str){0};
    const uint8_t *start = here(r);
    const size_t left = rift_rd_left(r);
    const size_t reach = max < left ? max + 1 : left;
    const uint8_t *nul = reach > 0 ? memchr(start, 0, reach) : NULL;
    if (nul == NULL) {
        (void)rift_rd_fail(r, RIFT_ERR_TRUNCATED, rift_rd_offset(r), "%s has no end within %zu bytes", what,
                           reach);
        return (rift_str){0};
    }
    const size_t len = (size_t)(nul - start);
    r->pos += len + 1;
    return (rift_str){(const char *)start, len};
}

bool rift_rd_check_count(
    rift_reader *r, uint64_t n, size_t elem_size, size_t max, uint64_t offset, const char *what)
{
    if (!rift_rd_ok(r))
        return false;
    if (n > max) {
        return rift_rd_fail(r, RIFT_ERR_LIMIT, offset, "%s %llu is over %zu", what, (unsigned long long)n,
                            max);
    }
    if (elem_size > 0 && n > rift_rd_left(r) / elem_size) {
        return rift_rd_fail(r, RIFT_ERR_TRUNCATED, offset, "%s %llu needs %llu bytes, %zu left", what,
                            (unsigned long long)n, (unsigned long long)(n * elem_size), rift_rd_left(r));
    }
    return true;
}

size_t rift_rd_count(rift_reader *r, size_t elem_size, size_t max, const char *what)
{
    const uint64_t at = rift_rd_offset(r);
    const uint32_t n = rift_rd_u32(r);
    return rift_rd_check_count(r, n, elem_size, max, at, what) ? n : 0;
}

size_t rift_rd_count_u16(rift_reader *r, size_t elem_size, size_t max, const char *what)
{
    const uint64_t at = rift_rd_offset(r);
    const uint16_t n = rift_rd_u16(r);
    return rift_rd_check_count(r, n, elem_size, max, at, what) ? n : 0;
}

rift_reader rift_rd_sub(rift_reader *r, size_t len, const char *where)
{
    const uint64_t base = rift_rd_offset(r);
    return (rift_reader){.in = rift_rd_bytes(r, len), .base = base, .where = where, .err = r->err};
}

bool rift_rd_seek(rift_reader *r, uint64_t offset)
{
    if (!rift_rd_ok(r))
        return false;
    if (offset > r->in.size) {
        return rift_rd_fail(r, RIFT_ERR_TRUNCATED, rift_rd_offset(r), "offset %llu is past the end at %zu",
                            (unsigned long long)offset, r->in.size);
    }
    r->pos = (size_t)offset;
    return true;
}

void rift_rd_skip(rift_reader *r, size_t len)
{
    (void)take(r, len);
}
