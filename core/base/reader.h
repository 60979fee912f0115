/* reader.h - the one way to read untrusted bytes. Little-endian.
 *
 * The error is sticky: after a failure reads return 0 and do not move, so a record is read straight down and checked
 * once. Check before a value is used as a size, index, loop bound or branch, and at the record's end. Nobody indexes
 * the input by hand. Offsets in errors count from the start of the outermost reader's bytes. */
#ifndef RIFT_BASE_READER_H
#define RIFT_BASE_READER_H

#include "base/bytes.h"
#include "base/err.h"

typedef struct rift_reader {
    rift_bytes in;
    size_t pos;        /* <= in.size */
    uint64_t base;     /* offset of in.data[0] in the outermost bytes */
    const char *where; /* part named in errors; lives as long as the reader */
    rift_err *err;
} rift_reader;

rift_reader rift_rd_init(rift_bytes in, const char *where, rift_err *err);
bool rift_rd_ok(const rift_reader *r);
size_t rift_rd_left(const rift_reader *r);
/* Offset of the next byte, from the start of the outermost bytes. */
uint64_t rift_rd_offset(const rift_reader *r);

uint8_t rift_rd_u8(rift_reader *r);
uint16_t rift_rd_u16(rift_reader *r);
uint32_t rift_rd_u32(rift_reader *r);
uint64_t rift_rd_u64(rift_reader *r);
int16_t rift_rd_i16(rift_reader *r);
int32_t rift_rd_i32(rift_reader *r);
float rift_rd_f32(rift_reader *r); /* any bits, NaN included */
/* Fails with FORMAT on NaN and infinities. `what` names the field. */
float rift_rd_f32_finite(rift_reader *r, const char *what);
void rift_rd_f32s(rift_reader *r, float *out, size_t count);

/* A view into the input. Empty on failure. */
rift_bytes rift_rd_bytes(rift_reader *r, size_t len);
/* u16 byte length, then that many bytes; no terminator in the file. */
rift_str rift_rd_str16(rift_reader *r);
/* A field of `len` bytes that holds a string up to the first NUL or to its end. */
rift_str rift_rd_fixed_str(rift_reader *r, size_t len);
/* A NUL-terminated string; fails with TRUNCATED when no NUL follows within max + 1 bytes or before the end. */
rift_str rift_rd_cstr(rift_reader *r, size_t max, const char *what);

/* A count from the file: at most max (else LIMIT), and at most what is left holds (else TRUNCATED). */
size_t rift_rd_count(rift_reader *r, size_t elem_size, size_t max, const char *what);     /* u32 */
size_t rift_rd_count_u16(rift_reader *r, size_t elem_size, size_t max, const char *what); /* u16 */
/* The same check for a number read before: `offset` is where it stood. False sets the error. */
bool rift_rd_check_count(
    rift_reader *r, uint64_t n, size_t elem_size, size_t max, uint64_t offset, const char *what);

/* A window of the next len bytes that cannot see past its end; the reader moves behind it. */
rift_reader rift_rd_sub(rift_reader *r, size_t len, const char *where);
/* Fails past the end, never clamps. `offset` counts from the start of this reader's bytes. */
bool rift_rd_seek(rift_reader *r, uint64_t offset);
void rift_rd_skip(rift_reader *r, size_t len);

/* rift_fail with the reader's part; offset as rift_rd_offset gives it. Returns false. */
bool rift_rd_fail(rift_reader *r, rift_status code, uint64_t offset, const char *format, ...)
    RIFT_PRINTF(4, 5);
#ifdef __clang_analyzer__ /* see rift_fail */
#define rift_rd_fail(...) ((void)rift_rd_fail(__VA_ARGS__), false)
#endif

#endif
