/* Which texels a part shows: each triangle is rasterised in texture space, with repeat addressing, into a bit set, so
 * that a texel counts once. A triangle that spans more than the whole texture covers all of it. */
#include "bake/bake_internal.h"

#include <math.h>

typedef struct uv_point {
    double x, y; /* texels */
} uv_point;

typedef struct coverage {
    const rift_pixels *pixels;
    uint8_t *seen; /* one bit a texel */
    rift_alpha_stats stats;
} coverage;

static void count_texel(coverage *c, int64_t x, int64_t y)
{
    const int64_t w = c->pixels->width;
    const int64_t h = c->pixels->height;
    const size_t at = (size_t)(((y % h) + h) % h * w + ((x % w) + w) % w);
    if (c->seen[at / 8] & 1u << at % 8)
        return;
    c->seen[at / 8] |= (uint8_t)(1u << at % 8);
    const uint8_t alpha = c->pixels->rgba[4 * at + 3];
    if (alpha >= 250) {
        c->stats.opaque++;
    } else if (alpha < 16) {
        c->stats.low++;
    } else if (alpha > 240) {
        c->stats.high++;
    } else {
        c->stats.middle++;
    }
}

static double edge(uv_point a, uv_point b, double x, double y)
{
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

static void cover_triangle(coverage *c, const uv_point p[3])
{
    const double x0 = floor(fmin(p[0].x, fmin(p[1].x, p[2].x)));
    const double x1 = ceil(fmax(p[0].x, fmax(p[1].x, p[2].x)));
    const double y0 = floor(fmin(p[0].y, fmin(p[1].y, p[2].y)));
    const double y1 = ceil(fmax(p[0].y, fmax(p[1].y, p[2].y)));
    const double area = edge(p[0], p[1], p[2].x, p[2].y);
    const bool whole = x1 - x0 > 2.0 * c->pixels->width || y1 - y0 > 2.0 * c->pixels->height ||
                       fabs(x0) > 1e9 || fabs(y0) > 1e9;
    if (whole) {
        for (uint32_t y = 0; y < c->pixels->height; y++) {
            for (uint32_t x = 0; x < c->pixels->width; x++)
                count_texel(c, x, y);
        }
        return;
    }
    const double sign = area < 0 ? -1 : 1;
    for (int64_t y = (int64_t)y0; y < (int64_t)y1; y++) {
        for (int64_t x = (int64_t)x0; x < (int64_t)x1; x++) {
            const double cx = (double)x + 0.5;
            const double cy = (double)y + 0.5;
            if (sign * edge(p[0], p[1], cx, cy) >= 0 && sign * edge(p[1], p[2], cx, cy) >= 0 &&
                sign * edge(p[2], p[0], cx, cy) >= 0)
                count_texel(c, x, y);
        }
    }
}

bool bake_coverage(
    rift_alpha_stats *out, const rift_part *part, const rift_pixels *pixels, rift_arena *tmp, rift_err *err)
{
    const size_t texels = (size_t)pixels->width * pixels->height;
    coverage c = {.pixels = pixels, .seen = RIFT_NEW(tmp, uint8_t, texels / 8 + 1)};
    if (c.seen == NULL)
        return rift_arena_ok(tmp, "texture coverage", err);
    for (size_t i = 0; i + 2 < part->index_count; i += 3) {
        uv_point p[3];
        for (size_t k = 0; k < 3; k++) {
            const float *uv = part->uvs + 2 * (size_t)part->indices[i + k];
            p[k] = (uv_point){(double)uv[0] * pixels->width, (double)uv[1] * pixels->height};
        }
        if (c.stats.opaque + c.stats.low + c.stats.high + c.stats.middle < texels)
            cover_triangle(&c, p);
    }
    *out = c.stats;
    return true;
}
