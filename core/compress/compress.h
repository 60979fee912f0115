/* compress.h - unpacking behind one interface, with the output size capped by the caller.
 *
 * Shape   whole input in, exactly dst_size bytes out: fewer or more is FORMAT. A frame's own content size is never
 *         trusted beyond that.
 * Limits  dst_size is checked by the caller against its own limit; input and output stay below 4 GiB (LIMIT). A zstd
 *         window of any size is read: frames are unpacked straight into dst, so the window costs no memory.
 * Errors  TRUNCATED, FORMAT, LIMIT, NOMEM. `where` names the part; offsets are not given, a damaged stream has none.
 * Thread  any; contexts are made per call. */
#ifndef RIFT_COMPRESS_COMPRESS_H
#define RIFT_COMPRESS_COMPRESS_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"

/* A gzip stream with its header; bytes behind it are ignored. */
RIFT_NODISCARD bool
rift_gunzip(uint8_t *dst, size_t dst_size, rift_bytes src, const char *where, rift_err *err);
/* One or more zstd frames that fill src and together give exactly dst_size bytes. */
RIFT_NODISCARD bool
rift_unzstd(uint8_t *dst, size_t dst_size, rift_bytes src, const char *where, rift_err *err);
/* One zstd frame at the start of src, into at most dst_size bytes; gives how much was consumed and produced. */
RIFT_NODISCARD bool rift_unzstd_frame(uint8_t *dst,
                                      size_t dst_size,
                                      rift_bytes src,
                                      size_t *consumed,
                                      size_t *produced,
                                      const char *where,
                                      rift_err *err);
/* True when src begins with a zstd frame's magic (28 B5 2F FD). */
bool rift_is_zstd(rift_bytes src);

/* Packing, for the archive writer and fixtures. Same input, same bytes (with one version of the library). */
RIFT_NODISCARD bool rift_zstd(rift_bytes *out, rift_bytes src, int level, rift_arena *arena, rift_err *err);
RIFT_NODISCARD bool rift_gzip(rift_bytes *out, rift_bytes src, rift_arena *arena, rift_err *err);

#endif
