/* image.h - texture containers: .tex and .dds, told apart by their first bytes, never by a name.
 *
 * Shape   header checked; the level chain is described, pixel data stays a view into `in`. Levels largest first, whatever the file's order. Cube maps: first face only; volumes: first slice.
 *         Fewer levels than announced are accepted as long as the full image is whole (.tex with a mip flag but only the full image: tex_mips_missing).
 * Limits  RIFT_IMAGE_MAX_SIDE. Errors TRUNCATED, FORMAT, UNSUPPORTED (format by name and number), LIMIT, NOMEM. Source formats/tex.md. */
#ifndef RIFT_FORMATS_IMAGE_H
#define RIFT_FORMATS_IMAGE_H

#include "base/arena.h"
#include "base/report.h"

#define RIFT_IMAGE_MAX_SIDE 16384
#define RIFT_IMAGE_MAX_LEVELS 16

typedef enum rift_pixel_format {
    RIFT_PIXEL_BC1, /* with punch-through alpha */
    RIFT_PIXEL_BC2,
    RIFT_PIXEL_BC3,
    RIFT_PIXEL_BC4, /* red; signed is refused by name */
    RIFT_PIXEL_BC5, /* red, green; decisions 36: unsigned */
    RIFT_PIXEL_BC7,
    RIFT_PIXEL_BGRA8,
    RIFT_PIXEL_RGBA8,
    RIFT_PIXEL_MASKED /* 8-32 bits a pixel with channel masks (DDS) */
} rift_pixel_format;

typedef struct rift_image_level {
    uint32_t width, height;
    rift_bytes data;
} rift_image_level;

typedef struct rift_image {
    rift_pixel_format format;
    uint32_t bits_per_pixel;                        /* MASKED */
    uint32_t masks[4];                              /* MASKED: R, G, B, A; 0 where absent */
    rift_image_level levels[RIFT_IMAGE_MAX_LEVELS]; /* largest first */
    size_t level_count;                             /* >= 1 */
    bool is_dds;
    uint32_t stored_format; /* .tex: format byte; .dds: fourCC, or DXGI id with DX10 */
} rift_image;

/* `out` points into `in`. */
RIFT_NODISCARD bool rift_image_parse(rift_image *out, rift_bytes in, rift_report *report, rift_err *err);
/* "BC1", "BGRA8" … */
const char *rift_pixel_format_name(rift_pixel_format format);

#endif
