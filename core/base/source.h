/* source.h - where core reads a large file from: a callback, so that core opens nothing itself.
 * The host implements it with pread (many threads may read one source at once) or over memory. */
#ifndef RIFT_BASE_SOURCE_H
#define RIFT_BASE_SOURCE_H

#include "base/bytes.h"
#include "base/err.h"

typedef struct rift_source {
    void *user;
    uint64_t size; /* bytes */
    /* Reads exactly len bytes at offset (offset + len <= size was checked). On failure sets err (IO) and returns
     * false. Must be safe to call from several threads. */
    bool (*read_at)(void *user, uint64_t offset, void *dst, size_t len, rift_err *err);
} rift_source;

/* Calls read_at after a check against the size: TRUNCATED, with `where`, past the end. */
RIFT_NODISCARD bool rift_source_read(
    const rift_source *source, uint64_t offset, void *dst, size_t len, const char *where, rift_err *err);

/* A source over memory. *bytes is kept by address and must outlive the source. */
rift_source rift_source_from_bytes(rift_bytes *bytes);

#endif
