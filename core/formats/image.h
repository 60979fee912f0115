/* image.h - texture containers: .tex and .dds, told apart by their first bytes, never by a name.
 *
 * Shape   the header is checked and the level chain described; pixel data stays a view into `in`. Levels are listed
 *         largest first, whatever the file's order. Cube maps: first face only; volumes: first slice; arrays: first
 *         element. Levels are max(1, w >> k) x max(1, h >> k), blocks rounded up.
 * Chains  level 0 must be whole, smaller levels may be missing. A .tex stores its chain smallest first, so a chain that
 *         is not whole is accepted only where the data are exactly its largest one or more levels (tools that keep the
 *         mip flag but write the full image alone); any other shortage is TRUNCATED. A .dds mip count is a hint: 0
 *         means 1, too many are cut, those past the end of the file left out. Bytes behind the data are ignored.
 * Report  tex_mips_missing, tex_trailing_bytes, tex_first_face, tex_first_slice, tex_unknown_type, tex_unknown_flags,
 *         dds_mips_missing, dds_mip_count, dds_first_face, dds_first_slice, dds_premultiplied.
 * Limits  RIFT_IMAGE_MAX_SIDE.
 * Errors  TRUNCATED; FORMAT (magic, sizes of 0, header sizes, masks; a .dds damaged by a newline conversion is named as
 *         such); UNSUPPORTED (names the format and its number); LIMIT (side).
 * Source  formats/tex.md: 40 .tex and 2,776 .dds files. .tex numbers 13, 14, 21 and 22 come from one newer reader; 14
 *         is decoded unsigned (decisions 36) although that reader calls it signed. The order of faces and levels in a
 *         .tex cube map is not known: face after face, as in .dds, is assumed. */
#ifndef RIFT_FORMATS_IMAGE_H
#define RIFT_FORMATS_IMAGE_H

#include "base/report.h"

#define RIFT_IMAGE_MAX_SIDE 16384
#define RIFT_IMAGE_MAX_LEVELS 15 /* 16384 … 1 */

typedef enum rift_pixel_format {
    RIFT_PIXEL_BC1, /* with punch-through alpha */
    RIFT_PIXEL_BC2,
    RIFT_PIXEL_BC3,
    RIFT_PIXEL_BC4, /* red; signed is refused by name */
    RIFT_PIXEL_BC5, /* red, green; unsigned (signed DDS is refused by name) */
    RIFT_PIXEL_BC7,
    RIFT_PIXEL_BGRA8,
    RIFT_PIXEL_RGBA8,
    RIFT_PIXEL_MASKED /* 8, 16, 24 or 32 bits a pixel with channel masks (DDS) */
} rift_pixel_format;

typedef struct rift_image_level {
    uint32_t width, height; /* >= 1 */
    rift_bytes data;        /* exactly rift_image_level_size bytes */
} rift_image_level;

typedef struct rift_image {
    rift_pixel_format format;
    uint32_t bits_per_pixel; /* MASKED: 8, 16, 24, 32; else 0 */
    uint32_t masks[4];       /* MASKED: R, G, B, A; each 0 (absent) or one run of bits */
    rift_image_level levels[RIFT_IMAGE_MAX_LEVELS]; /* largest first */
    size_t level_count;                             /* >= 1 */
    bool is_dds;
    uint32_t stored_format; /* .tex: format byte; .dds: DXGI id with DX10, else fourCC, else 0 */
} rift_image;

/* Describes the texture in `in`; `out` points into `in`. `report` may be NULL. On failure *out is as it was.
 * Allocates nothing (but the report's examples). */
RIFT_NODISCARD bool rift_image_parse(rift_image *out, rift_bytes in, rift_report *report, rift_err *err);
/* True when `in` begins as a .tex or a .dds does. */
bool rift_image_is(rift_bytes in);
/* "BC1", "BGRA8" … */
const char *rift_pixel_format_name(rift_pixel_format format);
/* Bytes of one level (one face, one slice) of width x height, both 1 … RIFT_IMAGE_MAX_SIDE. bits_per_pixel is looked
 * at for MASKED only. */
uint64_t
rift_pixel_level_size(rift_pixel_format format, uint32_t bits_per_pixel, uint32_t width, uint32_t height);

#endif
