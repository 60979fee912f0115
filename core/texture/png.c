/* PNG: three chunks around one zlib stream of filtered rows. The filter of a row is the one whose bytes, taken as signed,
 * have the least absolute sum: Sub, Up or Paeth (None and Average hardly ever win on painted textures). */
#include <string.h>

#include "base/num.h"
#include "texture/texture_internal.h"

enum { FILTER_SUB = 1, FILTER_UP = 2, FILTER_PAETH = 4 };
enum { IHDR_SIZE = 13 };

static void put_u32_be(uint8_t *p, uint32_t v)
{
    for (size_t i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

/* Length and type; the length may be set later. Returns where the chunk begins. */
static size_t begin_chunk(rift_buf *b, const char type[4])
{
    const size_t start = b->size;
    rift_buf_put(b, (const uint8_t[4]){0}, 4);
    rift_buf_put(b, type, 4);
    return start;
}

static void end_chunk(rift_buf *b, size_t start)
{
    uint8_t crc[4];
    if (b->failed)
        return;
    const size_t size = b->size - start - 8;
    RIFT_ASSERT(size <= INT32_MAX);
    put_u32_be(b->data + start, (uint32_t)size);
    put_u32_be(crc, rift_crc32(0, (rift_bytes){b->data + start + 4, size + 4}));
    rift_buf_put(b, crc, sizeof crc);
}

static void write_head(rift_buf *b, uint32_t width, uint32_t height, bool with_alpha)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t ihdr[IHDR_SIZE] = {[8] = 8, [9] = with_alpha ? 6 : 2};
    put_u32_be(ihdr, width);
    put_u32_be(ihdr + 4, height);
    rift_buf_put(b, signature, sizeof signature);
    const size_t start = begin_chunk(b, "IHDR");
    rift_buf_put(b, ihdr, sizeof ihdr);
    end_chunk(b, start);
}

/* Rows as bytes, `bpp` (3 or 4) a pixel, with bpp zeros before the first, so that the left neighbour always exists. */
typedef struct rows {
    uint8_t *current, *previous; /* first pixel */
    uint8_t *candidates[3];      /* one row each, filter byte first */
    size_t size, bpp;
} rows;

static bool init_rows(rows *r, uint32_t width, size_t bpp, rift_arena *arena)
{
    const size_t size = width * bpp;
    uint8_t *both = rift_arena_push(arena, 2, bpp + size, 1);
    uint8_t *candidates = rift_arena_push(arena, 3, 1 + size, 1);
    if (both == NULL || candidates == NULL)
        return false;
    *r = (rows){.current = both + bpp, .previous = both + 2 * bpp + size, .size = size, .bpp = bpp};
    for (size_t i = 0; i < 3; i++)
        r->candidates[i] = candidates + i * (1 + size);
    return true;
}

static void load_row(rows *r, const uint8_t *rgba)
{
    uint8_t *to = r->previous;
    r->previous = r->current;
    r->current = to;
    if (r->bpp == 4) {
        memcpy(to, rgba, r->size);
        return;
    }
    /* A whole word each, whose fourth byte the next pixel overwrites. */
    for (; to + 3 < r->current + r->size; to += 3, rgba += 4)
        memcpy(to, rgba, 4);
    memcpy(to, rgba, 3);
}

static void filter_sub(uint8_t *restrict out, const uint8_t *x, const uint8_t *left, size_t size)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(x[i] - left[i]);
}

/* Of left, up and upper left the one nearest to left + up - upper left, ties in this order; written without branches so
 * that it becomes vector code. */
static void filter_paeth(uint8_t *restrict out,
                         const uint8_t *x,
                         const uint8_t *left,
                         const uint8_t *up,
                         const uint8_t *corner,
                         size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const int16_t to_left = (int16_t)(up[i] - corner[i]);
        const int16_t to_up = (int16_t)(left[i] - corner[i]);
        const int16_t sum = (int16_t)(to_left + to_up);
        const int16_t a = (int16_t)(to_left < 0 ? -to_left : to_left);
        const int16_t b = (int16_t)(to_up < 0 ? -to_up : to_up);
        const int16_t c = (int16_t)(sum < 0 ? -sum : sum);
        const uint8_t beside = b <= c ? up[i] : corner[i];
        const uint8_t guess = ((a <= b) & (a <= c)) != 0 ? left[i] : beside;
        out[i] = (uint8_t)(x[i] - guess);
    }
}

/* The distance of a byte from 0, going either way round. */
static uint8_t magnitude(uint8_t v)
{
    const uint8_t negated = (uint8_t)-v;
    return v < negated ? v : negated;
}

/* Sums of 64 fit 16 bits, which doubles the lanes of the vector code. */
static uint32_t cost(const uint8_t *p, size_t size)
{
    enum { BLOCK = 64 };
    uint32_t sum = 0;
    for (; size >= BLOCK; p += BLOCK, size -= BLOCK) {
        uint16_t s = 0;
        for (size_t i = 0; i < BLOCK; i++)
            s = (uint16_t)(s + magnitude(p[i]));
        sum += s;
    }
    for (size_t i = 0; i < size; i++)
        sum += magnitude(p[i]);
    return sum;
}

/* The filtered row, filter byte first. */
static const uint8_t *filter_row(const rows *r)
{
    const uint8_t *x = r->current;
    const uint8_t *up = r->previous;
    uint8_t *const *to = r->candidates;
    to[0][0] = FILTER_SUB;
    to[1][0] = FILTER_UP;
    to[2][0] = FILTER_PAETH;
    filter_sub(to[0] + 1, x, x - r->bpp, r->size);
    filter_sub(to[1] + 1, x, up, r->size);
    filter_paeth(to[2] + 1, x, x - r->bpp, up, up - r->bpp, r->size);
    size_t best = 0;
    uint32_t least = cost(to[0] + 1, r->size);
    for (size_t i = 1; i < 3; i++) {
        const uint32_t sum = cost(to[i] + 1, r->size);
        if (sum < least) {
            best = i;
            least = sum;
        }
    }
    return to[best];
}

/* Filters and packs in parts of whole rows. */
static bool pack_rows(rift_buf *b, rift_deflate *d, const rift_pixels *pixels, size_t bpp, rift_arena *arena)
{
    rows r;
    const size_t row_size = 1 + pixels->width * bpp;
    const size_t part = rift_deflate_part(row_size * pixels->height);
    const size_t part_rows = rift_max_size(part / row_size, 1);
    uint8_t *filtered = rift_arena_push(arena, part_rows, row_size, 1);
    if (filtered == NULL || !init_rows(&r, pixels->width, bpp, arena))
        return false;
    size_t count = 0;
    for (uint32_t y = 0; y < pixels->height; y++) {
        load_row(&r, pixels->rgba + (size_t)y * pixels->width * 4);
        memcpy(filtered + count * row_size, filter_row(&r), row_size);
        count++;
        const bool is_last = y + 1 == pixels->height;
        if (count < part_rows && !is_last)
            continue;
        if (!rift_deflate_feed(d, b, (rift_bytes){filtered, count * row_size}, is_last))
            return false;
        count = 0;
    }
    return true;
}

static bool write_file(rift_buf *b, const rift_pixels *pixels, bool with_alpha, rift_arena *arena)
{
    const size_t bpp = with_alpha ? 4 : 3;
    rift_deflate *d = rift_deflate_init(arena);
    if (d == NULL)
        return false;
    write_head(b, pixels->width, pixels->height, with_alpha);
    const size_t start = begin_chunk(b, "IDAT");
    const bool packed = pack_rows(b, d, pixels, bpp, arena);
    rift_deflate_release(d);
    if (!packed)
        return false;
    end_chunk(b, start);
    end_chunk(b, begin_chunk(b, "IEND"));
    return !b->failed;
}

bool rift_png_write(rift_bytes *out,
                    const rift_pixels *pixels,
                    bool with_alpha,
                    rift_arena *arena,
                    rift_arena *tmp,
                    rift_err *err)
{
    RIFT_ASSERT(pixels->width >= 1 && pixels->width <= RIFT_IMAGE_MAX_SIDE);
    RIFT_ASSERT(pixels->height >= 1 && pixels->height <= RIFT_IMAGE_MAX_SIDE);
    const rift_arena_mark mark = rift_arena_get_mark(tmp);
    rift_buf b;
    rift_buf_init(&b, tmp, SIZE_MAX);
    rift_bytes file = {0};
    bool ok = write_file(&b, pixels, with_alpha, tmp);
    if (ok) {
        file = tmp == arena ? rift_buf_bytes(&b) : rift_arena_copy_bytes(arena, rift_buf_bytes(&b));
        ok = rift_arena_ok(arena, "PNG", err);
    } else if (rift_arena_ok(tmp, "PNG", err)) {
        (void)rift_fail(err, RIFT_ERR_NOMEM, "PNG", RIFT_NO_OFFSET, "the deflate library found no memory");
    }
    if (tmp != arena)
        rift_arena_rewind(tmp, mark);
    if (ok)
        *out = file;
    return ok;
}
