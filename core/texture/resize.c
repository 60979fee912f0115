/* Halving by an exact box filter, and the choice of the level to start from.
 *
 * An odd side of 2n + 1 goes to n texels of 2 + 1/n texels each, so three texels count towards one, by the weights
 * n - i, n, i + 1 of 2n + 1. All in integers: the result does not depend on the machine. */
#include <string.h>

#include "texture/texture_internal.h"

typedef struct taps {
    size_t first, count;
    uint64_t weights[3];
} taps;

/* The source texels of target texel i along a side. */
static taps taps_of(uint32_t side, uint32_t i)
{
    if (side == 1)
        return (taps){0, 1, {1}};
    if (side % 2 == 0)
        return (taps){(size_t)i * 2, 2, {1, 1}};
    const uint32_t n = side / 2;
    return (taps){(size_t)i * 2, 3, {n - i, n, i + 1}};
}

/* Sums of one target texel. Largest weight 2^26, alpha 2^8, light 2^16, nine texels: below 2^54. */
typedef struct sums {
    uint64_t weight, alpha;
    uint64_t plain[3], weighted[3];
} sums;

static sums add_up(const uint8_t *in, size_t width, const taps *across, const taps *down)
{
    sums s = {0};
    for (size_t j = 0; j < down->count; j++) {
        for (size_t k = 0; k < across->count; k++) {
            const uint8_t *texel = in + ((down->first + j) * width + across->first + k) * 4;
            const uint64_t weight = down->weights[j] * across->weights[k];
            s.weight += weight;
            s.alpha += weight * texel[3];
            for (size_t c = 0; c < 3; c++) {
                const uint64_t light = weight * rift_srgb_to_linear(texel[c]);
                s.plain[c] += light;
                s.weighted[c] += light * texel[3];
            }
        }
    }
    return s;
}

static uint64_t divide(uint64_t sum, uint64_t by)
{
    return (sum + by / 2) / by;
}

static void put(uint8_t *texel, const sums *s)
{
    for (size_t c = 0; c < 3; c++) {
        const uint64_t light =
            s->alpha > 0 ? divide(s->weighted[c], s->alpha) : divide(s->plain[c], s->weight);
        texel[c] = rift_srgb_from_linear((uint32_t)light);
    }
    texel[3] = (uint8_t)divide(s->alpha, s->weight);
}

/* Two by two texels of one alpha, which is nearly every texel of nearly every picture: the weights fall away. */
static bool put_plain(uint8_t *out, const uint8_t *top, const uint8_t *bottom)
{
    if (top[3] != top[7] || top[3] != bottom[3] || top[3] != bottom[7])
        return false;
    if (memcmp(top, top + 4, 4) == 0 && memcmp(top, bottom, 8) == 0) {
        memcpy(out, top, 4);
        return true;
    }
    for (size_t c = 0; c < 3; c++) {
        const uint32_t sum = rift_srgb_to_linear(top[c]) + rift_srgb_to_linear(top[c + 4]) +
                             rift_srgb_to_linear(bottom[c]) + rift_srgb_to_linear(bottom[c + 4]);
        out[c] = rift_srgb_from_linear((sum + 2) / 4);
    }
    out[3] = top[3];
    return true;
}

/* In place is safe: target texel i of row j lies at or before every source texel read from then on. */
void rift_halve(uint8_t *out, const uint8_t *in, uint32_t width, uint32_t height)
{
    const uint32_t out_width = width > 1 ? width / 2 : 1;
    const uint32_t out_height = height > 1 ? height / 2 : 1;
    const size_t pitch = (size_t)width * 4;
    const bool even = width % 2 == 0 && height % 2 == 0;
    for (uint32_t y = 0; y < out_height; y++) {
        const taps down = taps_of(height, y);
        const uint8_t *top = in + down.first * pitch;
        for (uint32_t x = 0; x < out_width; x++, out += 4) {
            if (even && put_plain(out, top + (size_t)x * 8, top + pitch + (size_t)x * 8))
                continue;
            const taps across = taps_of(width, x);
            const sums s = add_up(in, width, &across, &down);
            put(out, &s);
        }
    }
}

bool rift_texture_halve(rift_pixels *out, const rift_pixels *in, rift_arena *arena, rift_err *err)
{
    rift_pixels half = {.width = in->width > 1 ? in->width / 2 : 1,
                        .height = in->height > 1 ? in->height / 2 : 1};
    half.rgba = rift_arena_push(arena, (size_t)half.width * half.height, 4, 16);
    if (half.rgba == NULL)
        return rift_arena_ok(arena, "pixels", err);
    rift_halve(half.rgba, in->rgba, in->width, in->height);
    *out = half;
    return true;
}

static uint32_t longest(uint32_t width, uint32_t height)
{
    return width > height ? width : height;
}

bool rift_texture_load(
    rift_pixels *out, const rift_image *image, uint32_t max_side, rift_arena *arena, rift_err *err)
{
    const uint32_t limit = max_side > 0 ? max_side : RIFT_IMAGE_MAX_SIDE;
    size_t level = 0;
    while (level + 1 < image->level_count &&
           longest(image->levels[level].width, image->levels[level].height) > limit)
        level++;
    rift_pixels pixels;
    if (!rift_texture_decode(&pixels, image, level, arena, err))
        return false;
    while (longest(pixels.width, pixels.height) > limit) {
        rift_halve(pixels.rgba, pixels.rgba, pixels.width, pixels.height);
        pixels.width = pixels.width > 1 ? pixels.width / 2 : 1;
        pixels.height = pixels.height > 1 ? pixels.height / 2 : 1;
    }
    *out = pixels;
    return true;
}
