/* Colours of a part: mip levels, bilinear texels, the base colour factor. All on bytes and 8-bit weights, so that the result
 * does not depend on the machine. */
#include <math.h>
#include <string.h>

#include "render/render_internal.h"

static const double far_uv = 1073741824.0; /* 2^30 */

/* 0 … 1 in steps of a byte; not finite counts as 0. */
static uint8_t to_byte(double v)
{
    return !(v > 0) ? 0 : v >= 1 ? 255 : (uint8_t)floor(v * 255 + 0.5);
}

/* Factors are linear light (glTF), texels and pictures are sRGB. */
static uint8_t times_linear(uint8_t byte, double factor)
{
    const double light = rift_srgb_to_linear(byte) * (!(factor > 0) ? 0 : factor >= 1 ? 1 : factor);
    return rift_srgb_from_linear((uint32_t)floor(light + 0.5));
}

static uint32_t cutoff_byte(float cutoff)
{
    const double least = (double)cutoff * 255;
    if (!(least > 0))
        return 0;
    if (least > 255)
        return 256;
    return (uint32_t)ceil(least);
}

static uint8_t opacity(const rift_paint *paint, uint8_t alpha)
{
    if (paint->mode == RIFT_ALPHA_BLEND)
        return alpha;
    return paint->mode == RIFT_ALPHA_OPAQUE || alpha >= paint->cutoff ? 255 : 0;
}

static bool first_level(rift_mips *mips, const rift_texture *t, rift_err *err)
{
    if (mips->count > 0)
        return true;
    if (t->rgba == NULL)
        return rift_fail(err, RIFT_ERR_INTERNAL, "texture", RIFT_NO_OFFSET, "is encoded");
    mips->levels[0] = (rift_pixels){.width = t->width, .height = t->height, .rgba = t->rgba};
    mips->count = 1;
    return true;
}

bool rift_paint_init(
    rift_paint *out, const rift_scene *scene, const rift_material *m, rift_mips *mips, rift_err *err)
{
    *out = (rift_paint){.wrap_u = m->wrap_u,
                        .wrap_v = m->wrap_v,
                        .mode = m->alpha_mode,
                        .cutoff = cutoff_byte(m->alpha_cutoff),
                        .double_sided = m->double_sided};
    for (size_t c = 0; c < 3; c++)
        out->flat[c] = times_linear(255, (double)m->base_color[c]);
    out->flat[3] = opacity(out, to_byte((double)m->base_color[3]));
    if (m->texture == RIFT_NO_INDEX)
        return true;
    out->mips = &mips[m->texture];
    for (size_t c = 0; c < 4; c++)
        out->tinted = out->tinted || !(m->base_color[c] >= 1);
    for (size_t i = 0; out->tinted && i < 256; i++) {
        for (size_t c = 0; c < 3; c++)
            out->tint[c][i] = times_linear((uint8_t)i, (double)m->base_color[c]);
        out->tint[3][i] = to_byte((double)i / 255 * (double)m->base_color[3]);
    }
    return first_level(out->mips, &scene->textures[m->texture], err);
}

const rift_pixels *rift_mips_level(rift_mips *mips, double texels_per_pixel, rift_arena *tmp, rift_err *err)
{
    size_t level = 0;
    while (texels_per_pixel > 2 * SAMPLES && level + 1 < MAX_LEVELS) {
        const rift_pixels *last = &mips->levels[level];
        if (last->width == 1 && last->height == 1)
            break;
        if (level + 1 == mips->count) {
            if (!rift_texture_halve(&mips->levels[level + 1], last, tmp, err))
                return NULL;
            mips->count++;
        }
        level++;
        texels_per_pixel /= 4;
    }
    return &mips->levels[level];
}

/* Down to the integer below; |v| < 2^31. */
static int32_t down(double v)
{
    const int32_t i = (int32_t)v;
    return i - (v < i);
}

/* The two texels of a coordinate along a side, and the weight of the second, 0 … 255. */
typedef struct taps {
    size_t at[2];
    uint32_t weight;
} taps;

static double folded(double u, rift_wrap wrap)
{
    if (!(u > -far_uv && u < far_uv))
        return 0;
    if (wrap == RIFT_WRAP_CLAMP)
        return u < 0 ? 0 : u > 1 ? 1 : u;
    const int32_t whole = down(u);
    u -= whole;
    return wrap == RIFT_WRAP_MIRROR && whole % 2 != 0 ? 1 - u : u;
}

/* Mirrored, the texel beyond an edge is the edge's own, as when clamped. */
static taps taps_of(double u, rift_wrap wrap, uint32_t side)
{
    const int32_t last = (int32_t)side - 1;
    const double at = folded(u, wrap) * side - 0.5;
    int32_t first = down(at);
    const uint32_t weight = (uint32_t)((at - first) * 256);
    int32_t second = first + 1;
    if (first < 0)
        first = wrap == RIFT_WRAP_REPEAT ? last : 0;
    if (second > last)
        second = wrap == RIFT_WRAP_REPEAT ? 0 : last;
    return (taps){{(size_t)first, (size_t)second}, weight};
}

void rift_paint_at(uint8_t out[4], const rift_paint *paint, const rift_pixels *level, double u, double v)
{
    if (level == NULL) {
        memcpy(out, paint->flat, 4);
        return;
    }
    const taps x = taps_of(u, paint->wrap_u, level->width);
    const taps y = taps_of(v, paint->wrap_v, level->height);
    const uint8_t *top = level->rgba + y.at[0] * level->width * 4;
    const uint8_t *bottom = level->rgba + y.at[1] * level->width * 4;
    for (size_t c = 0; c < 4; c++) {
        const uint32_t upper = top[4 * x.at[0] + c] * (256 - x.weight) + top[4 * x.at[1] + c] * x.weight;
        const uint32_t lower =
            bottom[4 * x.at[0] + c] * (256 - x.weight) + bottom[4 * x.at[1] + c] * x.weight;
        out[c] = (uint8_t)((upper * (256 - y.weight) + lower * y.weight + 32768) >> 16);
    }
    for (size_t c = 0; paint->tinted && c < 4; c++)
        out[c] = paint->tint[c][out[c]];
    out[3] = opacity(paint, out[3]);
}
