/* From stored pixels to R G B A. */
#include <string.h>

#include "base/num.h"
#include "texture/texture_internal.h"

typedef void block_fn(uint8_t out[64], const uint8_t *block);

typedef struct block_codec {
    block_fn *decode; /* NULL: not stored in blocks */
    size_t size;
} block_codec;

static block_codec codec_of(rift_pixel_format format)
{
    switch (format) {
    case RIFT_PIXEL_BC1:
        return (block_codec){rift_bc1_block, 8};
    case RIFT_PIXEL_BC2:
        return (block_codec){rift_bc2_block, 16};
    case RIFT_PIXEL_BC3:
        return (block_codec){rift_bc3_block, 16};
    case RIFT_PIXEL_BC4:
        return (block_codec){rift_bc4_block, 8};
    case RIFT_PIXEL_BC5:
        return (block_codec){rift_bc5_block, 16};
    case RIFT_PIXEL_BC7:
        return (block_codec){rift_bc7_block, 16};
    case RIFT_PIXEL_BGRA8:
    case RIFT_PIXEL_RGBA8:
    case RIFT_PIXEL_MASKED:
        break;
    }
    return (block_codec){NULL, 0};
}

/* Blocks in rows; what hangs over the right and bottom edge is cut off. */
static void decode_blocks(rift_pixels *out, const uint8_t *data, block_codec codec)
{
    const size_t pitch = (size_t)out->width * 4;
    uint8_t texels[64];
    for (uint32_t y = 0; y < out->height; y += 4) {
        const size_t rows = rift_min_size(4, out->height - y);
        for (uint32_t x = 0; x < out->width; x += 4, data += codec.size) {
            uint8_t *to = out->rgba + y * pitch + (size_t)x * 4;
            codec.decode(texels, data);
            if (rows == 4 && out->width - x >= 4) {
                for (size_t row = 0; row < 4; row++)
                    memcpy(to + row * pitch, texels + row * 16, 16);
                continue;
            }
            const size_t size = rift_min_size(4, out->width - x) * 4;
            for (size_t row = 0; row < rows; row++)
                memcpy(to + row * pitch, texels + row * 16, size);
        }
    }
}

static void decode_bgra(rift_pixels *out, const uint8_t *data)
{
    const size_t count = (size_t)out->width * out->height;
    for (size_t i = 0; i < count; i++, data += 4) {
        uint8_t *to = out->rgba + i * 4;
        to[0] = data[2];
        to[1] = data[1];
        to[2] = data[0];
        to[3] = data[3];
    }
}

/* The bits under a mask, scaled to 0 … 255, rounded. */
static uint8_t channel(uint32_t pixel, uint32_t mask, uint8_t if_absent)
{
    if (mask == 0)
        return if_absent;
    const uint32_t shift = (uint32_t)__builtin_ctz(mask);
    const uint64_t top = mask >> shift;
    const uint64_t value = (pixel & mask) >> shift;
    return (uint8_t)((value * 255 + top / 2) / top);
}

static void decode_masked(rift_pixels *out, const rift_image *image, const uint8_t *data)
{
    const size_t size = image->bits_per_pixel / 8;
    const size_t count = (size_t)out->width * out->height;
    for (size_t i = 0; i < count; i++, data += size) {
        uint32_t pixel = 0;
        for (size_t k = size; k-- > 0;)
            pixel = pixel << 8 | data[k];
        for (size_t c = 0; c < 4; c++)
            out->rgba[i * 4 + c] = channel(pixel, image->masks[c], c == 3 ? 255 : 0);
    }
}

static bool check_level(const rift_image *image, const rift_image_level *level, rift_err *err)
{
    const char *where = "pixels";
    const uint32_t w = level->width;
    const uint32_t h = level->height;
    if (w == 0 || h == 0 || w > RIFT_IMAGE_MAX_SIDE || h > RIFT_IMAGE_MAX_SIDE)
        return rift_fail(err, RIFT_ERR_FORMAT, where, RIFT_NO_OFFSET, "a level of %u x %u", w, h);
    const uint32_t bits = image->bits_per_pixel;
    if (image->format == RIFT_PIXEL_MASKED && (bits == 0 || bits > 32 || bits % 8 != 0))
        return rift_fail(err, RIFT_ERR_FORMAT, where, RIFT_NO_OFFSET, "%u bits a pixel", bits);
    const uint64_t need = rift_pixel_level_size(image->format, bits, w, h);
    if (level->data.size != need) {
        return rift_fail(err, RIFT_ERR_FORMAT, where, RIFT_NO_OFFSET, "%u x %u %s needs %llu bytes, not %zu",
                         w, h, rift_pixel_format_name(image->format), (unsigned long long)need,
                         level->data.size);
    }
    return true;
}

bool rift_texture_decode(
    rift_pixels *out, const rift_image *image, size_t level_index, rift_arena *arena, rift_err *err)
{
    RIFT_ASSERT(level_index < image->level_count && image->level_count <= RIFT_IMAGE_MAX_LEVELS);
    const rift_image_level *level = &image->levels[level_index];
    if (!check_level(image, level, err))
        return false;
    rift_pixels pixels = {.width = level->width, .height = level->height};
    const uint64_t need = (uint64_t)level->width * level->height * 4;
    if (!rift_arena_has_room(arena, need)) {
        return rift_fail(err, RIFT_ERR_LIMIT, "pixels", RIFT_NO_OFFSET,
                         "%u x %u need %llu bytes, %zu of %zu are in use", level->width, level->height,
                         (unsigned long long)need, arena->used, arena->limit);
    }
    pixels.rgba = rift_arena_push(arena, (size_t)level->width * level->height, 4, 16);
    if (pixels.rgba == NULL)
        return rift_arena_ok(arena, "pixels", err);
    const block_codec codec = codec_of(image->format);
    if (codec.decode != NULL) {
        decode_blocks(&pixels, level->data.data, codec);
    } else if (image->format == RIFT_PIXEL_BGRA8) {
        decode_bgra(&pixels, level->data.data);
    } else if (image->format == RIFT_PIXEL_RGBA8) {
        memcpy(pixels.rgba, level->data.data, level->data.size);
    } else {
        decode_masked(&pixels, image, level->data.data);
    }
    *out = pixels;
    return true;
}

/* What most blocks of opaque pictures look like. */
static bool is_plainly_opaque(rift_pixel_format format, const uint8_t *block)
{
    static const uint8_t full[8] = {255, 255, 255, 255, 255, 255, 255, 255};
    static const uint8_t first[6] = {0}; /* indices: all of them the first value */
    switch (format) {
    case RIFT_PIXEL_BC1: /* the first colour above the second: no clear one */
        return (block[0] | block[1] << 8) > (block[2] | block[3] << 8);
    case RIFT_PIXEL_BC2:
        return memcmp(block, full, sizeof full) == 0;
    case RIFT_PIXEL_BC3:
        return block[0] == 255 && memcmp(block + 2, first, sizeof first) == 0;
    case RIFT_PIXEL_BC7: /* modes 0 to 3, told by the lowest bit, have no alpha */
        return (block[0] & 15) != 0;
    case RIFT_PIXEL_BC4:
    case RIFT_PIXEL_BC5:
    case RIFT_PIXEL_BGRA8:
    case RIFT_PIXEL_RGBA8:
    case RIFT_PIXEL_MASKED:
        break;
    }
    return false;
}

static bool all_opaque(const uint8_t *rgba, size_t count)
{
    uint8_t alpha = 255;
    for (size_t i = 0; i < count; i++)
        alpha &= rgba[4 * i + 3];
    return alpha == 255;
}

bool rift_texture_is_opaque(const rift_image *image, size_t level)
{
    RIFT_ASSERT(level < image->level_count && image->level_count <= RIFT_IMAGE_MAX_LEVELS);
    const rift_bytes data = image->levels[level].data;
    const block_codec codec = codec_of(image->format);
    uint8_t texels[64];
    if (image->format == RIFT_PIXEL_BC4 || image->format == RIFT_PIXEL_BC5)
        return true;
    if (image->format == RIFT_PIXEL_MASKED)
        return image->masks[3] == 0;
    if (codec.decode == NULL)
        return all_opaque(data.data, data.size / 4);
    for (size_t at = 0; codec.size <= data.size - at; at += codec.size) {
        if (is_plainly_opaque(image->format, data.data + at))
            continue;
        codec.decode(texels, data.data + at);
        if (!all_opaque(texels, 16))
            return false;
    }
    return true;
}

rift_alpha_stats rift_texture_alpha_stats(const rift_pixels *pixels)
{
    uint32_t counts[256] = {0}; /* 2^28 texels at most */
    const size_t count = (size_t)pixels->width * pixels->height;
    for (size_t i = 0; i < count; i++)
        counts[pixels->rgba[i * 4 + 3]]++;
    rift_alpha_stats stats = {.all_255 = counts[255] == count};
    for (size_t a = 0; a < RIFT_COUNT(counts); a++) {
        uint64_t *group = a >= 250  ? &stats.opaque
                          : a > 240 ? &stats.high
                          : a < 16  ? &stats.low
                                    : &stats.middle;
        *group += counts[a];
    }
    return stats;
}

bool rift_texture_placeholder(rift_pixels *out, rift_arena *arena, rift_err *err)
{
    enum { LIGHT = 160, DARK = 96 };
    static const size_t side = 16;
    static const size_t square = 4;
    uint8_t *rgba = rift_arena_push(arena, side * side, 4, 16);
    if (rgba == NULL)
        return rift_arena_ok(arena, "placeholder", err);
    for (size_t i = 0; i < side * side; i++) {
        const bool light = (i % side / square + i / side / square) % 2 == 0;
        memset(rgba + i * 4, light ? LIGHT : DARK, 3);
        rgba[i * 4 + 3] = 255;
    }
    *out = (rift_pixels){(uint32_t)side, (uint32_t)side, rgba};
    return true;
}
