/* buf.h - a growing byte buffer in an arena: what writers append to. Little-endian.
 *
 * Limits  `max` bytes, given at init; past it, or when the arena fails, the buffer fails and stays failed.
 * Memory  data moves when it grows: keep offsets, not pointers. Nothing is freed before the arena is. */
#ifndef RIFT_BASE_BUF_H
#define RIFT_BASE_BUF_H

#include "base/arena.h"

typedef struct rift_buf {
    rift_arena *arena;
    uint8_t *data;
    size_t size;
    size_t capacity;
    size_t max;
    bool failed;
} rift_buf;

void rift_buf_init(rift_buf *b, rift_arena *arena, size_t max);
/* Room for `size` more bytes, zeroed and counted as written; NULL on failure. Valid until the next append. */
uint8_t *rift_buf_extend(rift_buf *b, size_t size);
void rift_buf_put(rift_buf *b, const void *data, size_t size);
void rift_buf_str(rift_buf *b, rift_str s);
void rift_buf_printf(rift_buf *b, const char *format, ...) RIFT_PRINTF(2, 3);
void rift_buf_u8(rift_buf *b, uint8_t v);
void rift_buf_u16(rift_buf *b, uint16_t v);
void rift_buf_u32(rift_buf *b, uint32_t v);
void rift_buf_u64(rift_buf *b, uint64_t v);
void rift_buf_f32(rift_buf *b, float v);
/* Overwrites four bytes written before (a size that is known only afterwards). */
void rift_buf_patch_u32(rift_buf *b, size_t offset, uint32_t v);
/* Appends `fill` until size is a multiple of `align`. */
void rift_buf_align(rift_buf *b, size_t align, uint8_t fill);
rift_bytes rift_buf_bytes(const rift_buf *b);
/* False, with the error set, when any append failed. */
RIFT_NODISCARD bool rift_buf_ok(const rift_buf *b, const char *where, rift_err *err);

#endif
