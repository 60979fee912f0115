/* The one place that knows which deflate is built in. ISA-L takes the rows in parts; libdeflate wants all at once. */
#include "texture/texture_internal.h"

#include <string.h>

#include "base/num.h"

#if RIFT_HAVE_ISAL
#include <isa-l.h>

enum { PART_SIZE = 256 * 1024, OUT_STEP = 64 * 1024, LEVEL = 2 };

struct rift_deflate {
    struct isal_zstream stream; /* about 80 KB, hence in the arena */
    uint8_t level_buf[ISAL_DEF_LVL2_DEFAULT];
};

size_t rift_deflate_part(size_t total)
{
    return rift_min_size(total, PART_SIZE);
}

rift_deflate *rift_deflate_init(rift_arena *arena)
{
    rift_deflate *d = RIFT_NEW(arena, rift_deflate, 1);
    if (d == NULL)
        return NULL;
    isal_deflate_init(&d->stream);
    d->stream.level = LEVEL;
    d->stream.level_buf = d->level_buf;
    d->stream.level_buf_size = sizeof d->level_buf;
    d->stream.gzip_flag = IGZIP_ZLIB;
    return d;
}

bool rift_deflate_feed(rift_deflate *d, rift_buf *out, rift_bytes part, bool is_last)
{
    struct isal_zstream *s = &d->stream;
    uint8_t *in;
    memcpy(&in, &part.data, sizeof in); /* the field is not const, the library does not write through it */
    s->next_in = in;
    s->avail_in = (uint32_t)part.size;
    s->end_of_stream = is_last;
    s->flush = NO_FLUSH;
    do {
        s->next_out = rift_buf_extend(out, OUT_STEP);
        if (s->next_out == NULL)
            return false;
        s->avail_out = OUT_STEP;
        const int status = isal_deflate(s);
        RIFT_ASSERT(status == COMP_OK);
        out->size -= s->avail_out;
    } while (s->avail_out == 0);
    RIFT_ASSERT(s->avail_in == 0);
    return true;
}

void rift_deflate_release(rift_deflate *d)
{
    (void)d;
}

uint32_t rift_crc32(uint32_t crc, rift_bytes data)
{
    return crc32_gzip_refl(crc, data.data, data.size);
}

#else
#include <libdeflate.h>

enum { LEVEL = 1 };

struct rift_deflate {
    struct libdeflate_compressor *compressor;
};

size_t rift_deflate_part(size_t total)
{
    return total;
}

rift_deflate *rift_deflate_init(rift_arena *arena)
{
    return RIFT_NEW(arena, rift_deflate, 1);
}

bool rift_deflate_feed(rift_deflate *d, rift_buf *out, rift_bytes part, bool is_last)
{
    RIFT_ASSERT(is_last);
    d->compressor = libdeflate_alloc_compressor(LEVEL);
    if (d->compressor == NULL) {
        out->failed = true;
        return false;
    }
    const size_t bound = libdeflate_zlib_compress_bound(d->compressor, part.size);
    uint8_t *to = rift_buf_extend(out, bound);
    if (to == NULL)
        return false;
    const size_t size = libdeflate_zlib_compress(d->compressor, part.data, part.size, to, bound);
    RIFT_ASSERT(size > 0);
    out->size -= bound - size;
    return true;
}

void rift_deflate_release(rift_deflate *d)
{
    if (d == NULL)
        return;
    libdeflate_free_compressor(d->compressor);
    d->compressor = NULL;
}

uint32_t rift_crc32(uint32_t crc, rift_bytes data)
{
    return libdeflate_crc32(crc, data.data, data.size);
}
#endif
