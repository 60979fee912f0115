#include "compress/compress.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/num.h"

/* zlib's window argument for "gzip header and trailer, largest window". */
enum { GZIP_WINDOW_BITS = 15 + 16, GZIP_LEVEL = 6 };

static bool sizes_fit(size_t dst_size, size_t src_size, const char *where, rift_err *err)
{
    if (dst_size <= UINT_MAX && src_size <= UINT_MAX)
        return true;
    return rift_fail(err, RIFT_ERR_LIMIT, where, RIFT_NO_OFFSET, "%zu bytes from %zu: over 4 GiB", dst_size,
                     src_size);
}

/* zlib takes its input by a pointer that is not const, but does not write there. */
static Bytef *zlib_input(rift_bytes src)
{
    static const uint8_t nothing[1];
    const uint8_t *data = src.size > 0 ? src.data : nothing;
    Bytef *p;
    memcpy(&p, &data, sizeof p);
    return p;
}

static bool gunzip_result(int code, const z_stream *z, size_t dst_size, const char *where, rift_err *err)
{
    if (code == Z_STREAM_END && z->total_out == dst_size)
        return true;
    if (code == Z_STREAM_END) {
        return rift_fail(err, RIFT_ERR_FORMAT, where, RIFT_NO_OFFSET, "gzip stream holds %lu bytes, not %zu",
                         z->total_out, dst_size);
    }
    if (code == Z_MEM_ERROR)
        return rift_fail(err, RIFT_ERR_NOMEM, where, RIFT_NO_OFFSET, "out of memory while unpacking gzip");
    if ((code == Z_BUF_ERROR || code == Z_OK) && z->avail_in == 0) {
        return rift_fail(err, RIFT_ERR_TRUNCATED, where, RIFT_NO_OFFSET,
                         "gzip stream ends after %lu of %zu bytes", z->total_out, dst_size);
    }
    if (code == Z_BUF_ERROR || code == Z_OK) {
        return rift_fail(err, RIFT_ERR_FORMAT, where, RIFT_NO_OFFSET,
                         "gzip stream holds more than the %zu bytes announced", dst_size);
    }
    return rift_fail(err, RIFT_ERR_FORMAT, where, RIFT_NO_OFFSET, "damaged gzip stream: %s",
                     z->msg != NULL ? z->msg : "no reason given");
}

bool rift_gunzip(uint8_t *dst, size_t dst_size, rift_bytes src, const char *where, rift_err *err)
{
    uint8_t nothing[1];
    if (!sizes_fit(dst_size, src.size, where, err))
        return false;
    z_stream z = {.next_in = zlib_input(src), .avail_in = (uInt)src.size, .avail_out = (uInt)dst_size};
    z.next_out = dst_size > 0 ? dst : nothing;
    if (inflateInit2(&z, GZIP_WINDOW_BITS) != Z_OK)
        return rift_fail(err, RIFT_ERR_NOMEM, where, RIFT_NO_OFFSET, "out of memory while unpacking gzip");
    const int code = inflate(&z, Z_FINISH);
    const bool ok = gunzip_result(code, &z, dst_size, where, err);
    (void)inflateEnd(&z);
    return ok;
}

/* The library has one code for a frame that ends early and for bytes behind the last frame that are no frame. */
static bool ends_early(rift_bytes src)
{
    size_t frame = ZSTD_findFrameCompressedSize(src.data, src.size);
    while (!ZSTD_isError(frame) && frame < src.size) {
        src.data += frame;
        src.size -= frame;
        frame = ZSTD_findFrameCompressedSize(src.data, src.size);
    }
    return src.size < 4 || rift_is_zstd(src);
}

static bool zstd_failed(size_t result, size_t dst_size, rift_bytes src, const char *where, rift_err *err)
{
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
    if (code == ZSTD_error_memory_allocation)
        return rift_fail(err, RIFT_ERR_NOMEM, where, RIFT_NO_OFFSET, "out of memory while unpacking zstd");
    if (code == ZSTD_error_srcSize_wrong && ends_early(src))
        return rift_fail(err, RIFT_ERR_TRUNCATED, where, RIFT_NO_OFFSET, "zstd frame ends early");
    if (code == ZSTD_error_srcSize_wrong) {
        return rift_fail(err, RIFT_ERR_FORMAT, where, RIFT_NO_OFFSET,
                         "bytes that are no zstd frame follow one");
    }
    if (code == ZSTD_error_dstSize_tooSmall) {
        return rift_fail(err, RIFT_ERR_FORMAT, where, RIFT_NO_OFFSET,
                         "zstd frame holds more than the %zu bytes announced", dst_size);
    }
    return rift_fail(err, RIFT_ERR_FORMAT, where, RIFT_NO_OFFSET, "damaged zstd frame: %s",
                     ZSTD_getErrorName(result));
}

/* Unpacks all frames of src into at most dst_size bytes. */
static bool
unzstd(uint8_t *dst, size_t dst_size, rift_bytes src, size_t *produced, const char *where, rift_err *err)
{
    uint8_t nothing[1];
    if (src.size == 0)
        return rift_fail(err, RIFT_ERR_TRUNCATED, where, RIFT_NO_OFFSET, "no zstd frame in 0 bytes");
    ZSTD_DCtx *ctx = ZSTD_createDCtx();
    if (ctx == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, where, RIFT_NO_OFFSET, "out of memory while unpacking zstd");
    const size_t result =
        ZSTD_decompressDCtx(ctx, dst_size > 0 ? dst : nothing, dst_size, src.data, src.size);
    (void)ZSTD_freeDCtx(ctx);
    if (ZSTD_isError(result))
        return zstd_failed(result, dst_size, src, where, err);
    *produced = result;
    return true;
}

bool rift_unzstd(uint8_t *dst, size_t dst_size, rift_bytes src, const char *where, rift_err *err)
{
    size_t produced;
    if (!unzstd(dst, dst_size, src, &produced, where, err))
        return false;
    if (produced != dst_size) {
        return rift_fail(err, RIFT_ERR_FORMAT, where, RIFT_NO_OFFSET, "zstd frames hold %zu bytes, not %zu",
                         produced, dst_size);
    }
    return true;
}

bool rift_unzstd_frame(uint8_t *dst,
                       size_t dst_size,
                       rift_bytes src,
                       size_t *consumed,
                       size_t *produced,
                       const char *where,
                       rift_err *err)
{
    const size_t frame = ZSTD_findFrameCompressedSize(src.data, src.size);
    if (ZSTD_isError(frame))
        return zstd_failed(frame, dst_size, src, where, err);
    if (!unzstd(dst, dst_size, (rift_bytes){src.data, frame}, produced, where, err))
        return false;
    *consumed = frame;
    return true;
}

bool rift_is_zstd(rift_bytes src)
{
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    return src.size >= sizeof magic && memcmp(src.data, magic, sizeof magic) == 0;
}

bool rift_zstd(rift_bytes *out, rift_bytes src, int level, rift_arena *arena, rift_err *err)
{
    const size_t bound = ZSTD_compressBound(src.size);
    uint8_t *packed = rift_arena_push(arena, bound, 1, 16);
    if (packed == NULL)
        return rift_arena_ok(arena, "zstd", err);
    const size_t size = ZSTD_compress(packed, bound, src.size > 0 ? src.data : packed, src.size, level);
    if (ZSTD_isError(size)) {
        return rift_fail(err, RIFT_ERR_NOMEM, "zstd", RIFT_NO_OFFSET, "cannot pack %zu bytes: %s", src.size,
                         ZSTD_getErrorName(size));
    }
    *out = (rift_bytes){packed, size};
    return true;
}

/* Into `packed`, which holds deflateBound bytes. */
static bool deflate_all(z_stream *z, uint8_t *packed, size_t bound, rift_err *err)
{
    z->next_out = packed;
    z->avail_out = (uInt)rift_min_size(bound, UINT_MAX);
    const int code = deflate(z, Z_FINISH);
    return code == Z_STREAM_END || rift_fail(err, RIFT_ERR_LIMIT, "gzip", RIFT_NO_OFFSET,
                                             "cannot pack %lu bytes (zlib code %d)", z->total_in, code);
}

bool rift_gzip(rift_bytes *out, rift_bytes src, rift_arena *arena, rift_err *err)
{
    if (!sizes_fit(0, src.size, "gzip", err))
        return false;
    z_stream z = {.next_in = zlib_input(src), .avail_in = (uInt)src.size};
    if (deflateInit2(&z, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return rift_fail(err, RIFT_ERR_NOMEM, "gzip", RIFT_NO_OFFSET, "out of memory while packing");
    const size_t bound = deflateBound(&z, (uLong)src.size);
    uint8_t *packed = rift_arena_push(arena, bound, 1, 16);
    const bool ok = rift_arena_ok(arena, "gzip", err) && deflate_all(&z, packed, bound, err);
    const size_t size = z.total_out;
    (void)deflateEnd(&z);
    if (!ok)
        return false;
    *out = (rift_bytes){packed, size};
    return true;
}
