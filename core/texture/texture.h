/* texture.h - pixels: decode to RGBA8, reduce in size, write PNG, WebP and JPEG.
 *
 * Shape   width * height * 4 bytes, R G B A, rows from the top, no padding.
 * Units   sRGB bytes as the game stores them; alpha linear.
 * Limits  the arena's: 4 bytes a pixel for a decode, see rift_png_write.
 * Errors  FORMAT (an image that rift_image_parse did not make), LIMIT, NOMEM.
 * Memory  results lie in `arena`. Thread: any, one user per arena.
 * Source  formats/tex.md "Block decoding", decisions 6, 7, 24. */
#ifndef RIFT_TEXTURE_TEXTURE_H
#define RIFT_TEXTURE_TEXTURE_H

#include "base/arena.h"
#include "formats/image.h"

typedef struct rift_pixels {
    uint32_t width, height; /* 1 … RIFT_IMAGE_MAX_SIDE */
    uint8_t *rgba;
} rift_pixels;

typedef struct rift_alpha_stats {
    uint64_t opaque; /* alpha >= 250 */
    uint64_t low;    /* alpha < 16 */
    uint64_t high;   /* 240 < alpha < 250 */
    uint64_t middle; /* the rest */
    bool all_255;    /* no alpha channel is needed to keep every texel */
} rift_alpha_stats;

/* Decodes one level (level < image->level_count). Channels that the format lacks: alpha 255, colours 0; luminance is
 * spread over the three colours. BC4 gives R 0 0, BC5 R G 0. */
RIFT_NODISCARD bool rift_texture_decode(
    rift_pixels *out, const rift_image *image, size_t level, rift_arena *arena, rift_err *err);
/* True when every texel of the level has alpha 255, as its blocks tell without decoding their colours. False may also mean
 * that only texels beyond the edge, which blocks have too, are clear. */
bool rift_texture_is_opaque(const rift_image *image, size_t level);
/* The image with its longer side at most max_side (0: unlimited): the largest stored level that fits when one exists,
 * else the smallest stored level, halved until it fits. */
RIFT_NODISCARD bool rift_texture_load(
    rift_pixels *out, const rift_image *image, uint32_t max_side, rift_arena *arena, rift_err *err);
/* Half size (rounded down, at least 1): an exact box filter, also for odd sizes. Colours are averaged in linear light,
 * weighted by alpha (plain where all weights are 0); alpha as it is. */
RIFT_NODISCARD bool
rift_texture_halve(rift_pixels *out, const rift_pixels *in, rift_arena *arena, rift_err *err);
/* Counts texels by alpha, for decisions 24. */
rift_alpha_stats rift_texture_alpha_stats(const rift_pixels *pixels);

/* sRGB bytes and linear light, 0 … 65535. From and to are inverse on all bytes; from rounds in the sRGB scale. */
uint32_t rift_srgb_to_linear(uint8_t byte);
uint8_t rift_srgb_from_linear(uint32_t light);

/* 8-bit PNG: colour type 6 with alpha, 2 without (then alpha is dropped, colours stay). Chunks IHDR, IDAT, IEND and no
 * other. Row filters by least absolute sum, deflate by libdeflate. Same pixels, same bytes.
 * Memory  the file lies in `arena`, exactly sized. `tmp` holds the scratch, about 1 MB and twice the file (libdeflate:
 *         the raw rows instead of the 1 MB), given back on return. It may be `arena` itself: then the scratch stays. */
RIFT_NODISCARD bool rift_png_write(rift_bytes *out,
                                   const rift_pixels *pixels,
                                   bool with_alpha,
                                   rift_arena *arena,
                                   rift_arena *tmp,
                                   rift_err *err);

#define RIFT_WEBP_MAX_SIDE 16383

/* WebP, lossless or at quality 90. Alpha is always kept as it is, and so are lossless colours, also below alpha 0; lossy
 * colours have half the resolution of brightness. Without `with_alpha` alpha is dropped. Same pixels and version of
 * libwebp, same bytes. The file lies in `arena`. LIMIT above RIFT_WEBP_MAX_SIDE. */
RIFT_NODISCARD bool rift_webp_write(rift_bytes *out,
                                    const rift_pixels *pixels,
                                    bool with_alpha,
                                    bool lossless,
                                    rift_arena *arena,
                                    rift_err *err);

/* JPEG at quality 95, colours at full resolution; alpha is dropped. Same pixels and version of libjpeg-turbo, same bytes:
 * its integer transform gives the same numbers with and without SIMD. The file lies in `arena`, exactly sized; `tmp` holds
 * scratch of 6 bytes a pixel, given back on return. */
RIFT_NODISCARD bool rift_jpeg_write(
    rift_bytes *out, const rift_pixels *pixels, rift_arena *arena, rift_arena *tmp, rift_err *err);

/* Linear light, 0 … 1, of an sRGB value (what is below 0 or above 1 counts as the end): exact at the bytes to 16 bits,
 * straight between them. */
float rift_texture_linear(float value);

/* A grey checker, 16 x 16, for a texture that is missing or unreadable. */
RIFT_NODISCARD bool rift_texture_placeholder(rift_pixels *out, rift_arena *arena, rift_err *err);

#endif
