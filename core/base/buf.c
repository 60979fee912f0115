#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

enum { FIRST_CAPACITY = 256 };

void rift_buf_init(rift_buf *b, rift_arena *arena, size_t max)
{
    *b = (rift_buf){.arena = arena, .max = max};
}

uint8_t *rift_buf_extend(rift_buf *b, size_t size)
{
    if (b->failed || size > b->max - b->size) {
        b->failed = true;
        return NULL;
    }
    const size_t need = b->size + size;
    if (need > b->capacity || b->data == NULL) {
        const size_t doubled = rift_max_size(b->capacity * 2, FIRST_CAPACITY);
        const size_t capacity = rift_min_size(rift_max_size(doubled, need), b->max);
        uint8_t *data = rift_arena_grow(b->arena, b->data, b->capacity, capacity);
        if (data == NULL) {
            b->failed = true;
            return NULL;
        }
        b->data = data;
        b->capacity = capacity;
    }
    uint8_t *start = b->data + b->size;
    b->size = need;
    return start;
}

void rift_buf_put(rift_buf *b, const void *data, size_t size)
{
    if (size == 0)
        return;
    uint8_t *to = rift_buf_extend(b, size);
    if (to != NULL)
        memcpy(to, data, size);
}

void rift_buf_str(rift_buf *b, rift_str s)
{
    rift_buf_put(b, s.data, s.size);
}

void rift_buf_printf(rift_buf *b, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length < 0) {
        b->failed = true;
    } else if ((size_t)length < sizeof text) {
        rift_buf_put(b, text, (size_t)length);
    } else {
        va_start(args, format);
        char *to = (char *)rift_buf_extend(b, (size_t)length + 1);
        if (to != NULL) {
            (void)vsnprintf(to, (size_t)length + 1, format, args);
            b->size--; /* the terminator */
        }
        va_end(args);
    }
}

void rift_buf_u8(rift_buf *b, uint8_t v)
{
    rift_buf_put(b, &v, 1);
}

void rift_buf_u16(rift_buf *b, uint16_t v)
{
    const uint8_t le[2] = {(uint8_t)v, (uint8_t)(v >> 8)};
    rift_buf_put(b, le, sizeof le);
}

void rift_buf_u32(rift_buf *b, uint32_t v)
{
    const uint8_t le[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
    rift_buf_put(b, le, sizeof le);
}

void rift_buf_u64(rift_buf *b, uint64_t v)
{
    rift_buf_u32(b, (uint32_t)v);
    rift_buf_u32(b, (uint32_t)(v >> 32));
}

void rift_buf_f32(rift_buf *b, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    rift_buf_u32(b, bits);
}

void rift_buf_patch_u32(rift_buf *b, size_t offset, uint32_t v)
{
    if (b->failed)
        return;
    RIFT_ASSERT(b->size >= 4 && offset <= b->size - 4);
    for (size_t i = 0; i < 4; i++)
        b->data[offset + i] = (uint8_t)(v >> (8 * i));
}

void rift_buf_align(rift_buf *b, size_t align, uint8_t fill)
{
    while (!b->failed && b->size % align != 0)
        rift_buf_u8(b, fill);
}

rift_bytes rift_buf_bytes(const rift_buf *b)
{
    return (rift_bytes){b->data, b->size};
}

bool rift_buf_ok(const rift_buf *b, const char *where, rift_err *err)
{
    if (!b->failed)
        return true;
    if (!rift_arena_ok(b->arena, where, err))
        return false;
    return rift_fail(err, RIFT_ERR_LIMIT, where, RIFT_NO_OFFSET, "output is over %zu bytes", b->max);
}
