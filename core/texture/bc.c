/* BC1 to BC5. A block's palette is worked out once, then each texel takes two shifts; measured as fast as hand-written
 * vector code (the store dominates). Divisions round down, as the reference decoders of the game's tools do. */
#include <string.h>

#include "texture/texture_internal.h"

enum { TEXELS = 16 };

static uint64_t load_le(const uint8_t *p, size_t size)
{
    uint64_t v = 0;
    for (size_t i = size; i-- > 0;)
        v = v << 8 | p[i];
    return v;
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

/* A texel as it lies in memory. Put together in a register: a palette of bytes that is read back as words would wait for
 * its stores. */
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

/* `four` forces the rule of BC2 and BC3, which know no transparent colour. */
static void colour_block(uint8_t out[64], const uint8_t *block, bool four)
{
    const uint32_t v0 = (uint32_t)load_le(block, 2);
    const uint32_t v1 = (uint32_t)load_le(block + 2, 2);
    const rgb a = expand_565(v0);
    const rgb b = expand_565(v1);
    uint32_t palette[4] = {pack(a, 255), pack(b, 255), 0, 0};
    if (four || v0 > v1) {
        palette[2] = pack(third(a, b), 255);
        palette[3] = pack(third(b, a), 255);
    } else {
        palette[2] = pack((rgb){(a.r + b.r) / 2, (a.g + b.g) / 2, (a.b + b.b) / 2}, 255);
    }
    const uint32_t indices = (uint32_t)load_le(block + 4, 4);
    for (uint32_t i = 0; i < TEXELS; i++)
        memcpy(out + 4 * i, &palette[indices >> 2 * i & 3], 4);
}

/* Eight values and sixteen 3-bit indices, into every fourth byte of `out`. */
static void value_block(uint8_t *out, const uint8_t *block)
{
    const uint32_t a = block[0];
    const uint32_t b = block[1];
    uint8_t palette[8] = {(uint8_t)a, (uint8_t)b};
    if (a > b) {
        for (uint32_t i = 2; i < 8; i++)
            palette[i] = (uint8_t)(((8 - i) * a + (i - 1) * b) / 7);
    } else {
        for (uint32_t i = 2; i < 6; i++)
            palette[i] = (uint8_t)(((6 - i) * a + (i - 1) * b) / 5);
        palette[6] = 0;
        palette[7] = 255;
    }
    const uint64_t indices = load_le(block + 2, 6);
    for (uint32_t i = 0; i < TEXELS; i++)
        out[4 * i] = palette[indices >> 3 * i & 7];
}

void rift_bc1_block(uint8_t out[64], const uint8_t *block)
{
    colour_block(out, block, false);
}

void rift_bc2_block(uint8_t out[64], const uint8_t *block)
{
    colour_block(out, block + 8, true);
    uint64_t alphas = load_le(block, 8);
    for (size_t i = 0; i < TEXELS; i++, alphas >>= 4)
        out[4 * i + 3] = (uint8_t)((alphas & 15) * 17);
}

void rift_bc3_block(uint8_t out[64], const uint8_t *block)
{
    colour_block(out, block + 8, true);
    value_block(out + 3, block);
}

static void fill_black(uint8_t out[64])
{
    for (size_t i = 0; i < TEXELS; i++)
        memcpy(out + 4 * i, (const uint8_t[4]){0, 0, 0, 255}, 4);
}

void rift_bc4_block(uint8_t out[64], const uint8_t *block)
{
    fill_black(out);
    value_block(out, block);
}

void rift_bc5_block(uint8_t out[64], const uint8_t *block)
{
    fill_black(out);
    value_block(out, block);
    value_block(out + 1, block + 8);
}
