/* bytes.h - views of memory that somebody else owns.
 *
 * Shape   a pointer and a length; never NUL-terminated by promise. Length 0 may come with a NULL pointer.
 * Memory  borrowed: valid as long as the owner's arena or file buffer is. */
#ifndef RIFT_BASE_BYTES_H
#define RIFT_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct rift_bytes {
    const uint8_t *data; /* may be NULL when size is 0 */
    size_t size;
} rift_bytes;

typedef struct rift_str {
    const char *data; /* may be NULL when size is 0 */
    size_t size;      /* bytes, without any terminator */
} rift_str;

/* A view of a string literal. */
#define RIFT_STR(literal) ((rift_str){(literal), sizeof(literal) - 1})
/* For printf's "%.*s". */
#define RIFT_STR_ARG(s) (int)(s).size, (s).data ? (s).data : ""

#define RIFT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
