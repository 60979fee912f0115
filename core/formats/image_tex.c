/* .tex: twelve bytes of header, then the level chain, smallest level first. */
#include <string.h>

#include "formats/image_internal.h"

enum { HEADER_SIZE = 12, FLAG_MIPS = 1 };
enum { TYPE_TEXTURE = 0, TYPE_CUBE = 1, TYPE_SURFACE = 2, TYPE_VOLUME = 3 };

/* Format bytes; `refused` names what is known but not read. */
static const struct tex_format {
    uint8_t id;
    rift_pixel_format format;
    const char *refused; /* may be NULL */
} formats[] = {
    {1, RIFT_PIXEL_BC1, "ETC1"},  {10, RIFT_PIXEL_BC1, NULL},        {11, RIFT_PIXEL_BC1, NULL},
    {12, RIFT_PIXEL_BC3, NULL},   {13, RIFT_PIXEL_BC7, NULL},        {14, RIFT_PIXEL_BC5, NULL},
    {20, RIFT_PIXEL_BGRA8, NULL}, {21, RIFT_PIXEL_RGBA8, "RGBA16F"}, {22, RIFT_PIXEL_RGBA8, "RGBA32F"},
};

typedef struct tex_header {
    uint32_t width, height, depth;
    uint8_t format, type, flags;
} tex_header;

/* 2 and 3 are ETC2 with and without alpha, but tools disagree which is which: the length tells, where it is known. */
static const char *etc2_name(const tex_header *h, size_t data_size)
{
    const uint64_t half = rift_pixel_level_size(RIFT_PIXEL_BC1, 0, h->width, h->height);
    if ((h->flags & FLAG_MIPS) != 0)
        return "ETC2";
    return data_size == half ? "ETC2 RGB" : data_size == 2 * half ? "ETC2 EAC RGBA" : "ETC2";
}

static bool find_format(rift_image *image, const tex_header *h, rift_reader *r)
{
    enum { FORMAT_OFFSET = 9 };
    if (h->format == 2 || h->format == 3) {
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, FORMAT_OFFSET, "format %u (%s) is not read", h->format,
                            etc2_name(h, rift_rd_left(r)));
    }
    for (size_t i = 0; i < RIFT_COUNT(formats); i++) {
        if (formats[i].id != h->format)
            continue;
        if (formats[i].refused != NULL) {
            return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, FORMAT_OFFSET, "format %u (%s) is not read",
                                h->format, formats[i].refused);
        }
        image->format = formats[i].format;
        image->stored_format = h->format;
        return true;
    }
    return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, FORMAT_OFFSET, "format %u is unknown", h->format);
}

static bool read_header(tex_header *h, rift_image *image, rift_reader *r)
{
    rift_rd_skip(r, 4);
    h->width = rift_rd_u16(r);
    h->height = rift_rd_u16(r);
    h->depth = rift_rd_u8(r);
    h->format = rift_rd_u8(r);
    h->type = rift_rd_u8(r);
    h->flags = rift_rd_u8(r);
    if (!rift_image_check_side(r, h->width, 4, "width") || !rift_image_check_side(r, h->height, 6, "height"))
        return false;
    if (h->type != TYPE_VOLUME || h->depth == 0)
        h->depth = 1;
    return find_format(image, h, r);
}

static void report_oddities(const tex_header *h, rift_report *report)
{
    if (h->type == TYPE_CUBE) {
        rift_report_add(report, "tex_first_face", "cube map, first face used");
    } else if (h->type == TYPE_VOLUME) {
        rift_report_add(report, "tex_first_slice", "volume of %u slices, first one used", h->depth);
    } else if (h->type != TYPE_TEXTURE && h->type != TYPE_SURFACE) {
        rift_report_add(report, "tex_unknown_type", "resource type %u", h->type);
    }
    if ((h->flags & ~3U) != 0)
        rift_report_add(report, "tex_unknown_flags", "flags 0x%02x", h->flags);
}

/* All slices of level k. */
static uint64_t level_bytes(const rift_image *image, const tex_header *h, size_t level)
{
    return rift_image_size_at(image, h->width, h->height, level) * rift_image_side_at(h->depth, level);
}

/* How many levels are stored: all of `wanted`, or as many of the largest as the data are exactly; 0 for a shortage. */
static size_t stored_levels(const rift_image *image, const tex_header *h, size_t wanted, uint64_t data_size)
{
    const uint64_t faces = h->type == TYPE_CUBE ? 6 : 1;
    uint64_t sum = 0;
    for (size_t k = 0; k < wanted; k++) {
        sum += level_bytes(image, h, k) * faces;
        if (data_size == sum || (data_size > sum && k + 1 == wanted))
            return k + 1;
    }
    return 0;
}

/* The chain of the first face, whose smallest level comes first. */
static bool add_levels(rift_image *image, rift_reader *r, const tex_header *h, size_t count)
{
    uint64_t offset = HEADER_SIZE;
    for (size_t k = 1; k < count; k++)
        offset += level_bytes(image, h, k);
    for (size_t k = 0; k < count; k++) {
        if (!rift_image_add_level(image, r, h->width, h->height, k, offset))
            return false;
        if (k + 1 < count)
            offset -= level_bytes(image, h, k + 1);
    }
    return true;
}

bool rift_image_parse_tex(rift_image *out, rift_bytes in, rift_report *report, rift_err *err)
{
    rift_reader r = rift_rd_init(in, "tex header", err);
    rift_image image = {.is_dds = false};
    tex_header h;
    if (!read_header(&h, &image, &r))
        return false;
    r.where = "pixels";
    const uint32_t flat = h.width > h.height ? h.width : h.height;
    const size_t chain = rift_image_chain_length(flat > h.depth ? flat : h.depth);
    const size_t wanted = (h.flags & FLAG_MIPS) != 0 ? chain : 1;
    const uint64_t data_size = rift_rd_left(&r);
    const size_t count = stored_levels(&image, &h, wanted, data_size);
    uint64_t need = 0;
    for (size_t k = 0; k < wanted; k++)
        need += level_bytes(&image, &h, k) * (h.type == TYPE_CUBE ? 6 : 1);
    if (count == 0) {
        return rift_rd_fail(&r, RIFT_ERR_TRUNCATED, HEADER_SIZE,
                            "%u x %u %s with %zu levels needs %llu bytes, %llu left", h.width, h.height,
                            rift_pixel_format_name(image.format), wanted, (unsigned long long)need,
                            (unsigned long long)data_size);
    }
    if (!add_levels(&image, &r, &h, count))
        return false;
    report_oddities(&h, report);
    if (count < wanted)
        rift_report_add(report, "tex_mips_missing", "%zu of %zu levels stored", count, wanted);
    if (data_size > need) {
        rift_report_add(report, "tex_trailing_bytes", "%llu bytes behind the pixels",
                        (unsigned long long)(data_size - need));
    }
    *out = image;
    return true;
}
