/* BC7: eight block modes, bits from the low end. Written from the text of formats/tex.md.
 *
 * Every block costs a walk over its bits; the format is rare in the game, so this is plain code without tables of
 * expanded partitions. */
#include <string.h>

#include "texture/texture_internal.h"

enum { TEXELS = 16, MAX_SUBSETS = 3, ALPHA = 3 };

typedef struct mode {
    uint8_t subsets, partition_bits, rotation_bits, selection_bits, colour_bits, alpha_bits;
    uint8_t endpoint_pbits, shared_pbits; /* one an endpoint, one a subset */
    uint8_t index_bits, second_index_bits;
} mode;

static const mode modes[8] = {
    {3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
    {2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
    {1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
};

static const uint8_t weights2[4] = {0, 21, 43, 64};
static const uint8_t weights3[8] = {0, 9, 18, 27, 37, 46, 55, 64};
static const uint8_t weights4[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

/* Bit t: the subset of texel t. */
static const uint16_t partitions2[64] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8,
    0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110,
    0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696,
    0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720,
    0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
};

/* Two bits a texel, texel 0 lowest. */
static const uint32_t partitions3[64] = {
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
};

/* The texel of a subset whose index has one bit less, a hexadecimal digit a partition; of subset 0 it is texel 0. */
static const char anchors2[] = "fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f";
static const char anchors3_1[] = "33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33";
static const char anchors3_2[] = "f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8";

typedef struct bits {
    uint64_t low, high;
} bits;

static uint32_t take(bits *b, uint32_t count)
{
    if (count == 0)
        return 0;
    const uint32_t v = (uint32_t)(b->low & ((1U << count) - 1));
    b->low = b->low >> count | b->high << (64 - count);
    b->high >>= count;
    return v;
}

static bits load_bits(const uint8_t *block)
{
    bits b = {0, 0};
    for (size_t i = 8; i-- > 0;) {
        b.low = b.low << 8 | block[i];
        b.high = b.high << 8 | block[i + 8];
    }
    return b;
}

typedef uint8_t endpoints[MAX_SUBSETS][2][4];

/* `size` bits, moved to the top of a byte, the top bits repeated below. */
static uint8_t widen(uint32_t v, uint32_t size)
{
    v <<= 8 - size;
    return (uint8_t)(v | v >> size);
}

static void read_endpoints(endpoints e, const mode *m, bits *b)
{
    uint32_t raw[MAX_SUBSETS][2][4];
    for (size_t c = 0; c < 4; c++) {
        for (size_t s = 0; s < m->subsets; s++) {
            for (size_t k = 0; k < 2; k++)
                raw[s][k][c] = take(b, c == ALPHA ? m->alpha_bits : m->colour_bits);
        }
    }
    const uint32_t extra = m->endpoint_pbits | m->shared_pbits;
    for (size_t s = 0; s < m->subsets; s++) {
        uint32_t pbit = m->shared_pbits ? take(b, 1) : 0;
        for (size_t k = 0; k < 2; k++) {
            if (m->endpoint_pbits)
                pbit = take(b, 1);
            for (size_t c = 0; c < 4; c++) {
                const uint32_t size = (c == ALPHA ? m->alpha_bits : m->colour_bits);
                e[s][k][c] = size == 0 ? 255 : widen(raw[s][k][c] << extra | pbit, size + extra);
            }
        }
    }
}

static uint32_t hex_digit(char c)
{
    return (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void
read_subsets(uint8_t subset[TEXELS], uint32_t anchor[MAX_SUBSETS], const mode *m, uint32_t partition)
{
    anchor[0] = anchor[1] = anchor[2] = 0;
    for (uint32_t t = 0; t < TEXELS; t++) {
        subset[t] = m->subsets == 3   ? partitions3[partition] >> 2 * t & 3
                    : m->subsets == 2 ? partitions2[partition] >> t & 1
                                      : 0;
    }
    if (m->subsets == 2) {
        anchor[1] = hex_digit(anchors2[partition]);
    } else if (m->subsets == 3) {
        anchor[1] = hex_digit(anchors3_1[partition]);
        anchor[2] = hex_digit(anchors3_2[partition]);
    }
}

static const uint8_t *weights_of(uint32_t index_bits)
{
    return index_bits == 2 ? weights2 : index_bits == 3 ? weights3 : weights4;
}

/* Indices turned into weights at once. */
static void read_weights(uint8_t out[TEXELS],
                         uint32_t size,
                         const uint8_t subset[TEXELS],
                         const uint32_t anchor[MAX_SUBSETS],
                         bits *b)
{
    RIFT_ASSERT(size > 1);
    const uint8_t *weights = weights_of(size);
    for (uint32_t t = 0; t < TEXELS; t++)
        out[t] = weights[take(b, t == anchor[subset[t]] ? size - 1 : size)];
}

static uint8_t mix(uint32_t e0, uint32_t e1, uint32_t weight)
{
    return (uint8_t)(((64 - weight) * e0 + weight * e1 + 32) >> 6);
}

static void swap_alpha(uint8_t *texel, uint32_t rotation)
{
    if (rotation == 0)
        return;
    const uint8_t alpha = texel[ALPHA];
    texel[ALPHA] = texel[rotation - 1];
    texel[rotation - 1] = alpha;
}

void rift_bc7_block(uint8_t out[64], const uint8_t *block)
{
    if (block[0] == 0) {
        memset(out, 0, 64);
        return;
    }
    const uint32_t number = (uint32_t)__builtin_ctz(block[0]);
    const mode *m = &modes[number];
    bits b = load_bits(block);
    (void)take(&b, number + 1);
    const uint32_t partition = take(&b, m->partition_bits);
    const uint32_t rotation = take(&b, m->rotation_bits);
    const uint32_t selection = take(&b, m->selection_bits);
    endpoints e;
    read_endpoints(e, m, &b);
    uint8_t subset[TEXELS];
    uint32_t anchor[MAX_SUBSETS];
    read_subsets(subset, anchor, m, partition);
    uint8_t first[TEXELS];
    uint8_t second[TEXELS] = {0};
    read_weights(first, m->index_bits, subset, anchor, &b);
    if (m->second_index_bits > 0)
        read_weights(second, m->second_index_bits, subset, anchor, &b);
    const uint8_t *colour = selection ? second : first;
    const uint8_t *alpha = selection || m->second_index_bits == 0 ? first : second;
    for (size_t t = 0; t < TEXELS; t++) {
        const uint8_t(*ends)[4] = (const uint8_t(*)[4])e[subset[t]];
        for (size_t c = 0; c < 3; c++)
            out[4 * t + c] = mix(ends[0][c], ends[1][c], colour[t]);
        out[4 * t + ALPHA] = mix(ends[0][ALPHA], ends[1][ALPHA], alpha[t]);
        swap_alpha(out + 4 * t, rotation);
    }
}
