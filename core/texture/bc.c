/* BC1 to BC5. A block's palettes are worked out once, as words in the order of memory, then a texel is one word out of
 * each, or-ed. Words, because a store of bytes that is read back wider stalls; with them the plain code is as fast as
 * vector code by hand, the store dominates. Divisions round down, as the decoders of the game's tools do. */
#include <string.h>

#include "texture/texture_internal.h"

enum { TEXELS = 16 };

/* Written so that compilers make one load of it. */
static uint32_t load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t load_u64(const uint8_t *p)
{
    return load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
}

typedef struct rgb {
    uint32_t r, g, b;
} rgb;

/* 5:6:5 bits to three bytes, by repeating the top bits below. */
static rgb expand_565(uint32_t v)
{
    const uint32_t r = v >> 11;
    const uint32_t g = v >> 5 & 63;
    const uint32_t b = v & 31;
    return (rgb){r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2};
}

/* A texel as it lies in memory. */
static uint32_t pack(rgb c, uint32_t alpha)
{
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        return c.r << 24 | c.g << 16 | c.b << 8 | alpha;
    return c.r | c.g << 8 | c.b << 16 | alpha << 24;
}

static rgb third(rgb near, rgb far)
{
    return (rgb){(2 * near.r + far.r) / 3, (2 * near.g + far.g) / 3, (2 * near.b + far.b) / 3};
}

/* Opaque means alpha `alpha`. `four` forces the rule of BC2 and BC3, which know no transparent colour. */
static void colour_palette(uint32_t palette[4], const uint8_t *block, bool four, uint32_t alpha)
{
    const uint32_t both = load_u32(block);
    const uint32_t v0 = both & 0xffff;
    const uint32_t v1 = both >> 16;
    const rgb a = expand_565(v0);
    const rgb b = expand_565(v1);
    palette[0] = pack(a, alpha);
    palette[1] = pack(b, alpha);
    if (four || v0 > v1) {
        palette[2] = pack(third(a, b), alpha);
        palette[3] = pack(third(b, a), alpha);
    } else {
        palette[2] = pack((rgb){(a.r + b.r) / 2, (a.g + b.g) / 2, (a.b + b.b) / 2}, alpha);
        palette[3] = 0;
    }
}

/* Sevenths and fifths by multiplication: exact below 2^13, and shorter than what the compiler makes of a division. */
static void value_palette(uint8_t palette[8], const uint8_t *block)
{
    enum { SEVENTH = 9363, FIFTH = 13108 }; /* of 2^16, rounded up */
    const uint32_t a = block[0];
    const uint32_t b = block[1];
    palette[0] = (uint8_t)a;
    palette[1] = (uint8_t)b;
    if (a > b) {
        for (uint32_t i = 2; i < 8; i++)
            palette[i] = (uint8_t)(((8 - i) * a + (i - 1) * b) * SEVENTH >> 16);
    } else {
        for (uint32_t i = 2; i < 6; i++)
            palette[i] = (uint8_t)(((6 - i) * a + (i - 1) * b) * FIFTH >> 16);
        palette[6] = 0;
        palette[7] = 255;
    }
}

void rift_bc1_block(uint8_t out[64], const uint8_t *block)
{
    uint32_t palette[4];
    colour_palette(palette, block, false, 255);
    const uint32_t indices = load_u32(block + 4);
    for (size_t i = 0; i < TEXELS; i++)
        memcpy(out + 4 * i, &palette[indices >> 2 * i & 3], 4);
}

void rift_bc2_block(uint8_t out[64], const uint8_t *block)
{
    uint32_t palette[4];
    colour_palette(palette, block + 8, true, 0);
    const uint64_t alphas = load_u64(block);
    const uint32_t indices = load_u32(block + 12);
    for (size_t i = 0; i < TEXELS; i++) {
        const uint32_t alpha = (uint32_t)(alphas >> 4 * i & 15) * 17;
        const uint32_t texel = palette[indices >> 2 * i & 3] | pack((rgb){0, 0, 0}, alpha);
        memcpy(out + 4 * i, &texel, 4);
    }
}

void rift_bc3_block(uint8_t out[64], const uint8_t *block)
{
    uint32_t palette[4];
    uint8_t alphas[8];
    colour_palette(palette, block + 8, true, 0);
    value_palette(alphas, block);
    const uint64_t alpha_indices = load_u64(block) >> 16;
    const uint32_t indices = load_u32(block + 12);
    for (size_t i = 0; i < TEXELS; i++) {
        const uint32_t alpha = alphas[alpha_indices >> 3 * i & 7];
        const uint32_t texel = palette[indices >> 2 * i & 3] | pack((rgb){0, 0, 0}, alpha);
        memcpy(out + 4 * i, &texel, 4);
    }
}

void rift_bc4_block(uint8_t out[64], const uint8_t *block)
{
    uint8_t reds[8];
    value_palette(reds, block);
    const uint64_t indices = load_u64(block) >> 16;
    for (size_t i = 0; i < TEXELS; i++) {
        const uint32_t texel = pack((rgb){reds[indices >> 3 * i & 7], 0, 0}, 255);
        memcpy(out + 4 * i, &texel, 4);
    }
}

void rift_bc5_block(uint8_t out[64], const uint8_t *block)
{
    uint8_t reds[8];
    uint8_t greens[8];
    value_palette(reds, block);
    value_palette(greens, block + 8);
    const uint64_t red_indices = load_u64(block) >> 16;
    const uint64_t green_indices = load_u64(block + 8) >> 16;
    for (size_t i = 0; i < TEXELS; i++) {
        const rgb c = {reds[red_indices >> 3 * i & 7], greens[green_indices >> 3 * i & 7], 0};
        const uint32_t texel = pack(c, 255);
        memcpy(out + 4 * i, &texel, 4);
    }
}
