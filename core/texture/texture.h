/* texture.h - pixels: decode to RGBA8, reduce in size, write PNG.
 *
 * Shape   width * height * 4 bytes, R G B A, rows from the top, no padding.
 * Units   sRGB bytes as the game stores them; alpha linear.
 * Limits  the arena's. Errors FORMAT, TRUNCATED, LIMIT, NOMEM.
 * Source  formats/tex.md, decisions 6, 7. */
#ifndef RIFT_TEXTURE_TEXTURE_H
#define RIFT_TEXTURE_TEXTURE_H

#include "base/arena.h"
#include "formats/image.h"

typedef struct rift_pixels {
    uint32_t width, height;
    uint8_t *rgba;
} rift_pixels;

typedef struct rift_alpha_stats {
    uint64_t opaque; /* alpha >= 250 */
    uint64_t low;    /* alpha < 16 */
    uint64_t high;   /* 240 < alpha < 250 */
    uint64_t middle; /* the rest */
} rift_alpha_stats;

/* Decodes one level. */
RIFT_NODISCARD bool rift_texture_decode(
    rift_pixels *out, const rift_image *image, size_t level, rift_arena *arena, rift_err *err);
/* The image with its longer side at most max_side (0: unlimited): the largest stored level that fits when one exists, else the largest level box-filtered by
 * halves in linear light (alpha-weighted colours). */
RIFT_NODISCARD bool rift_texture_load(
    rift_pixels *out, const rift_image *image, uint32_t max_side, rift_arena *arena, rift_err *err);
/* Half size, at least 1 x 1, linear light. */
RIFT_NODISCARD bool
rift_texture_halve(rift_pixels *out, const rift_pixels *in, rift_arena *arena, rift_err *err);
/* Counts texels by alpha, for decisions 24. */
rift_alpha_stats rift_texture_alpha_stats(const rift_pixels *pixels);

/* 8-bit PNG, colour type 6 with alpha or 2 without; no gamma, profile or time chunk. Row filters by least absolute sum, deflate by ISA-L, libdeflate where that is not
 * built in. Same pixels, same bytes on one machine type. */
RIFT_NODISCARD bool
rift_png_write(rift_bytes *out, const rift_pixels *pixels, bool with_alpha, rift_arena *arena, rift_err *err);

/* A grey checker, 16 x 16, for a texture that is missing or unreadable. */
RIFT_NODISCARD bool rift_texture_placeholder(rift_pixels *out, rift_arena *arena, rift_err *err);

#endif
