/* num.h - arithmetic on numbers that came from a file: true when the result fits, like __builtin_*_overflow
 * turned round. *out is written in any case; use it only when the result is true. */
#ifndef RIFT_BASE_NUM_H
#define RIFT_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool rift_add_size(size_t *out, size_t a, size_t b)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool rift_mul_size(size_t *out, size_t a, size_t b)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool rift_add_u64(uint64_t *out, uint64_t a, uint64_t b)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline size_t rift_min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t rift_max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

#endif
