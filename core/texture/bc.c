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
    uint32_t c[3];
} rgb;

/* 5:6:5 bits to three bytes, by repeating the top bits below. */
static rgb expand_565(uint32_t v)
{
    const uint32_t r = v >> 11;
    const uint32_t g = v >> 5 & 63;
    const uint32_t b = v & 31;
    return (rgb){{r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2}};
}

/* Four colours in memory order R G B A. `four` forces the rule of BC2 and BC3, which know no transparent colour. */
static void colour_palette(uint8_t palette[4][4], const uint8_t *block, bool four)
{
    const uint32_t v0 = (uint32_t)load_le(block, 2);
    const uint32_t v1 = (uint32_t)load_le(block + 2, 2);
    const rgb e0 = expand_565(v0);
    const rgb e1 = expand_565(v1);
    four = four || v0 > v1;
    for (size_t i = 0; i < 3; i++) {
        const uint32_t a = e0.c[i];
        const uint32_t b = e1.c[i];
        palette[0][i] = (uint8_t)a;
        palette[1][i] = (uint8_t)b;
        palette[2][i] = (uint8_t)(four ? (2 * a + b) / 3 : (a + b) / 2);
        palette[3][i] = (uint8_t)(four ? (a + 2 * b) / 3 : 0);
    }
    for (size_t k = 0; k < 4; k++)
        palette[k][3] = k == 3 && !four ? 0 : 255;
}

static void colour_block(uint8_t out[64], const uint8_t *block, bool four)
{
    uint8_t palette[4][4];
    uint32_t words[4];
    colour_palette(palette, block, four);
    memcpy(words, palette, sizeof words);
    uint32_t indices = (uint32_t)load_le(block + 4, 4);
    for (size_t i = 0; i < TEXELS; i++, indices >>= 2)
        memcpy(out + 4 * i, &words[indices & 3], 4);
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
    uint64_t indices = load_le(block + 2, 6);
    for (size_t i = 0; i < TEXELS; i++, indices >>= 3)
        out[4 * i] = palette[indices & 7];
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
