/* .dds: "DDS ", a header of 124 bytes with a pixel format of 32 in it, with fourCC DX10 20 bytes more, then faces, each
 * with its levels, largest first. */
#include <stdio.h>
#include <string.h>

#include "formats/image_internal.h"

enum {
    HEADER_SIZE = 124,
    FORMAT_OFFSET = 76,
    FORMAT_SIZE = 32,
    FLAGS_OFFSET = 80,
    FOURCC_OFFSET = 84,
    BITS_OFFSET = 88,
    MASKS_OFFSET = 92,
    DATA_OFFSET = 128,
    DX10_SIZE = 20
};
enum {
    PF_ALPHA_PIXELS = 0x1,
    PF_ALPHA_ONLY = 0x2,
    PF_FOURCC = 0x4,
    PF_PALETTE = 0x20 | 0x8,
    PF_RGB = 0x40,
    PF_YUV = 0x200,
    PF_LUMINANCE = 0x20000,
    PF_SIGNED = 0x80000
};
enum { CAPS2_CUBE = 0x200, CAPS2_VOLUME = 0x200000, DX10_CUBE = 0x4, DX10_3D = 4 };

#define FOURCC(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* One row of a format table; `bits` and `masks` count for MASKED. */
typedef struct dds_format {
    uint32_t id;
    rift_pixel_format format;
    const char *refused; /* name of a known format that is not read; may be NULL */
    uint32_t bits;
    uint32_t masks[4];
} dds_format;

#define READ(id, format)     \
    {                        \
        id, format, NULL, 0, \
        {                    \
            0                \
        }                    \
    }
#define REFUSED(id, name)              \
    {                                  \
        id, RIFT_PIXEL_RGBA8, name, 0, \
        {                              \
            0                          \
        }                              \
    }
#define MASKED(id, bits, r, g, b, a)       \
    {                                      \
        id, RIFT_PIXEL_MASKED, NULL, bits, \
        {                                  \
            r, g, b, a                     \
        }                                  \
    }

static const dds_format fourccs[] = {
    READ(FOURCC('D', 'X', 'T', '1'), RIFT_PIXEL_BC1),
    READ(FOURCC('D', 'X', 'T', '2'), RIFT_PIXEL_BC2),
    READ(FOURCC('D', 'X', 'T', '3'), RIFT_PIXEL_BC2),
    READ(FOURCC('D', 'X', 'T', '4'), RIFT_PIXEL_BC3),
    READ(FOURCC('D', 'X', 'T', '5'), RIFT_PIXEL_BC3),
    READ(FOURCC('A', 'T', 'I', '1'), RIFT_PIXEL_BC4),
    READ(FOURCC('B', 'C', '4', 'U'), RIFT_PIXEL_BC4),
    READ(FOURCC('A', 'T', 'I', '2'), RIFT_PIXEL_BC5),
    READ(FOURCC('B', 'C', '5', 'U'), RIFT_PIXEL_BC5),
    REFUSED(FOURCC('B', 'C', '4', 'S'), "BC4 signed"),
    REFUSED(FOURCC('B', 'C', '5', 'S'), "BC5 signed"),
    REFUSED(FOURCC('E', 'T', 'C', '1'), "ETC1"),
    REFUSED(FOURCC('E', 'T', 'C', '2'), "ETC2"),
    REFUSED(FOURCC('R', 'X', 'G', 'B'), "BC3 normal map with red in alpha"),
    REFUSED(36, "RGBA16"),
    REFUSED(110, "RGBA16 signed"),
    REFUSED(111, "R16F"),
    REFUSED(112, "RG16F"),
    REFUSED(113, "RGBA16F"),
    REFUSED(114, "R32F"),
    REFUSED(115, "RG32F"),
    REFUSED(116, "RGBA32F"),
};

/* DXGI_FORMAT; typeless, plain and sRGB forms are read alike. */
static const dds_format dxgi_formats[] = {
    REFUSED(2, "RGBA32F"),
    REFUSED(10, "RGBA16F"),
    REFUSED(11, "RGBA16"),
    MASKED(24, 32, 0x3ff, 0xffc00, 0x3ff00000, 0xc0000000),
    REFUSED(26, "R11G11B10F"),
    READ(27, RIFT_PIXEL_RGBA8),
    READ(28, RIFT_PIXEL_RGBA8),
    READ(29, RIFT_PIXEL_RGBA8),
    REFUSED(31, "RGBA8 signed"),
    REFUSED(34, "RG16F"),
    REFUSED(41, "R32F"),
    MASKED(49, 16, 0xff, 0xff00, 0, 0),
    REFUSED(54, "R16F"),
    MASKED(61, 8, 0xff, 0, 0, 0),
    MASKED(65, 8, 0, 0, 0, 0xff),
    READ(70, RIFT_PIXEL_BC1),
    READ(71, RIFT_PIXEL_BC1),
    READ(72, RIFT_PIXEL_BC1),
    READ(73, RIFT_PIXEL_BC2),
    READ(74, RIFT_PIXEL_BC2),
    READ(75, RIFT_PIXEL_BC2),
    READ(76, RIFT_PIXEL_BC3),
    READ(77, RIFT_PIXEL_BC3),
    READ(78, RIFT_PIXEL_BC3),
    READ(79, RIFT_PIXEL_BC4),
    READ(80, RIFT_PIXEL_BC4),
    REFUSED(81, "BC4 signed"),
    READ(82, RIFT_PIXEL_BC5),
    READ(83, RIFT_PIXEL_BC5),
    REFUSED(84, "BC5 signed"),
    MASKED(85, 16, 0xf800, 0x7e0, 0x1f, 0),
    MASKED(86, 16, 0x7c00, 0x3e0, 0x1f, 0x8000),
    READ(87, RIFT_PIXEL_BGRA8),
    MASKED(88, 32, 0xff0000, 0xff00, 0xff, 0),
    READ(90, RIFT_PIXEL_BGRA8),
    READ(91, RIFT_PIXEL_BGRA8),
    MASKED(92, 32, 0xff0000, 0xff00, 0xff, 0),
    MASKED(93, 32, 0xff0000, 0xff00, 0xff, 0),
    REFUSED(94, "BC6H"),
    REFUSED(95, "BC6H"),
    REFUSED(96, "BC6H signed"),
    READ(97, RIFT_PIXEL_BC7),
    READ(98, RIFT_PIXEL_BC7),
    READ(99, RIFT_PIXEL_BC7),
    MASKED(115, 16, 0xf00, 0xf0, 0xf, 0xf000),
};

typedef struct dds_header {
    uint32_t width, height, depth, mip_count;
    uint32_t pf_flags, fourcc, bits, masks[4];
    bool cube, volume;
} dds_header;

static const dds_format *find_format(const dds_format *table, size_t count, uint32_t id)
{
    for (size_t i = 0; i < count; i++) {
        if (table[i].id == id)
            return &table[i];
    }
    return NULL;
}

static void take_format(rift_image *image, const dds_format *format)
{
    image->format = format->format;
    image->bits_per_pixel = format->bits;
    memcpy(image->masks, format->masks, sizeof image->masks);
    image->stored_format = format->id;
}

/* A text-mode copy turns each LF into CR LF, which shifts all that follows: tells it by the pixel format's size field,
 * found further back by as many bytes as CRs were put in before it. */
static bool is_newline_mangled(rift_bytes in)
{
    size_t shift = 0;
    for (size_t i = 4; i + 1 < in.size && i < FORMAT_OFFSET + shift; i++)
        shift += in.data[i] == '\r' && in.data[i + 1] == '\n';
    rift_err ignored = {0};
    rift_reader r = rift_rd_init(in, "header", &ignored);
    return shift > 0 && rift_rd_seek(&r, FORMAT_OFFSET + shift) && rift_rd_u32(&r) == FORMAT_SIZE;
}

static bool check_sizes(rift_reader *r, uint32_t header_size, uint32_t format_size)
{
    if (!rift_rd_ok(r))
        return false;
    if (header_size != HEADER_SIZE)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, 4, "header size %u is not %d", header_size, HEADER_SIZE);
    if (format_size == FORMAT_SIZE)
        return true;
    if (is_newline_mangled(r->in)) {
        return rift_rd_fail(
            r, RIFT_ERR_FORMAT, FORMAT_OFFSET,
            "damaged by a newline conversion (0a became 0d 0a): pixel format size %u is not %d", format_size,
            FORMAT_SIZE);
    }
    return rift_rd_fail(r, RIFT_ERR_FORMAT, FORMAT_OFFSET, "pixel format size %u is not %d", format_size,
                        FORMAT_SIZE);
}

static bool read_header(dds_header *h, rift_reader *r)
{
    rift_rd_skip(r, 4);
    const uint32_t header_size = rift_rd_u32(r);
    rift_rd_skip(r, 4); /* which fields are filled in: often wrong */
    h->height = rift_rd_u32(r);
    h->width = rift_rd_u32(r);
    rift_rd_skip(r, 4); /* pitch or size of level 0: often wrong, follows from the format */
    h->depth = rift_rd_u32(r);
    h->mip_count = rift_rd_u32(r);
    rift_rd_skip(r, 44);
    const uint32_t format_size = rift_rd_u32(r);
    h->pf_flags = rift_rd_u32(r);
    h->fourcc = rift_rd_u32(r);
    h->bits = rift_rd_u32(r);
    for (size_t i = 0; i < RIFT_COUNT(h->masks); i++)
        h->masks[i] = rift_rd_u32(r);
    rift_rd_skip(r, 4);
    const uint32_t caps2 = rift_rd_u32(r);
    rift_rd_skip(r, 12);
    h->cube = (caps2 & CAPS2_CUBE) != 0;
    h->volume = (caps2 & CAPS2_VOLUME) != 0;
    return check_sizes(r, header_size, format_size) && rift_image_check_side(r, h->height, 12, "height") &&
           rift_image_check_side(r, h->width, 16, "width");
}

static bool read_dx10(rift_image *image, dds_header *h, rift_reader *r)
{
    r->where = "DX10 header";
    const uint32_t id = rift_rd_u32(r);
    const uint32_t dimension = rift_rd_u32(r);
    const uint32_t misc = rift_rd_u32(r);
    rift_rd_skip(r, 8); /* array size: the first element is used; alpha mode */
    if (!rift_rd_ok(r))
        return false;
    h->cube = h->cube || (misc & DX10_CUBE) != 0;
    h->volume = h->volume || dimension == DX10_3D;
    const dds_format *format = find_format(dxgi_formats, RIFT_COUNT(dxgi_formats), id);
    if (format == NULL)
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, DATA_OFFSET, "DXGI format %u is not read", id);
    if (format->refused != NULL) {
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, DATA_OFFSET, "DXGI format %u (%s) is not read", id,
                            format->refused);
    }
    take_format(image, format);
    return true;
}

/* "DXT5", or "113" for the numbers that old tools put there. */
static void print_fourcc(char text[16], uint32_t fourcc)
{
    char letters[5] = {0};
    bool printable = true;
    for (size_t i = 0; i < 4; i++) {
        letters[i] = (char)(fourcc >> 8 * i & 0xff);
        printable = printable && letters[i] >= ' ' && letters[i] <= '~';
    }
    if (printable) {
        (void)snprintf(text, 16, "\"%s\"", letters);
    } else {
        (void)snprintf(text, 16, "0x%x", fourcc);
    }
}

static bool read_fourcc(rift_image *image, dds_header *h, rift_reader *r)
{
    char text[16];
    if (h->fourcc == FOURCC('D', 'X', '1', '0'))
        return read_dx10(image, h, r);
    const dds_format *format = find_format(fourccs, RIFT_COUNT(fourccs), h->fourcc);
    print_fourcc(text, h->fourcc);
    if (format == NULL)
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, FOURCC_OFFSET, "fourCC %s is not read", text);
    if (format->refused != NULL) {
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, FOURCC_OFFSET, "fourCC %s (%s) is not read", text,
                            format->refused);
    }
    take_format(image, format);
    return true;
}

/* One run of set bits inside the pixel, or nothing. */
static bool is_mask(uint32_t mask, uint32_t bits)
{
    if (mask == 0)
        return true;
    if (bits < 32 && mask >> bits != 0)
        return false;
    const uint32_t run = mask >> __builtin_ctz(mask);
    return (run & (run + 1)) == 0;
}

static bool read_masks(rift_image *image, const dds_header *h, rift_reader *r)
{
    if (h->bits != 8 && h->bits != 16 && h->bits != 24 && h->bits != 32) {
        return rift_rd_fail(r, RIFT_ERR_FORMAT, BITS_OFFSET, "%u bits a pixel are not 8, 16, 24 or 32",
                            h->bits);
    }
    memcpy(image->masks, h->masks, sizeof image->masks);
    if ((h->pf_flags & PF_LUMINANCE) != 0)
        image->masks[1] = image->masks[2] = h->masks[0];
    if ((h->pf_flags & (PF_ALPHA_ONLY | PF_LUMINANCE | PF_RGB)) == PF_ALPHA_ONLY)
        image->masks[0] = image->masks[1] = image->masks[2] = 0;
    uint32_t any = 0;
    for (size_t i = 0; i < RIFT_COUNT(image->masks); i++) {
        any |= image->masks[i];
        if (!is_mask(image->masks[i], h->bits)) {
            return rift_rd_fail(r, RIFT_ERR_FORMAT, MASKS_OFFSET + 4 * i,
                                "mask 0x%x is not one run of bits within %u", image->masks[i], h->bits);
        }
    }
    if (any == 0)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, MASKS_OFFSET, "all masks are 0");
    image->format = RIFT_PIXEL_MASKED;
    image->bits_per_pixel = h->bits;
    return true;
}

/* Four whole bytes in one of the two usual orders need no masks. */
static void simplify_masks(rift_image *image)
{
    static const uint32_t bgra[4] = {0xff0000, 0xff00, 0xff, 0xff000000};
    static const uint32_t rgba[4] = {0xff, 0xff00, 0xff0000, 0xff000000};
    const bool is_bgra = memcmp(image->masks, bgra, sizeof bgra) == 0;
    const bool is_rgba = memcmp(image->masks, rgba, sizeof rgba) == 0;
    if (image->format != RIFT_PIXEL_MASKED || image->bits_per_pixel != 32 || (!is_bgra && !is_rgba))
        return;
    image->format = is_bgra ? RIFT_PIXEL_BGRA8 : RIFT_PIXEL_RGBA8;
    image->bits_per_pixel = 0;
    memset(image->masks, 0, sizeof image->masks);
}

static bool read_format(rift_image *image, dds_header *h, rift_reader *r)
{
    r->where = "pixel format";
    const uint32_t kinds = PF_RGB | PF_LUMINANCE | PF_ALPHA_ONLY;
    /* Some writers fill in the fourCC and forget its flag. */
    const bool no_kind = (h->pf_flags & (kinds | PF_PALETTE | PF_YUV | PF_SIGNED)) == 0;
    if ((h->pf_flags & PF_FOURCC) != 0 || (no_kind && h->fourcc != 0))
        return read_fourcc(image, h, r);
    static const struct {
        uint32_t flag;
        const char *name;
    } refused[] = {{PF_PALETTE, "palette"}, {PF_YUV, "YUV"}, {PF_SIGNED, "signed"}};
    for (size_t i = 0; i < RIFT_COUNT(refused); i++) {
        if ((h->pf_flags & refused[i].flag) != 0) {
            return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, FLAGS_OFFSET,
                                "pixel format flags 0x%x (%s) are not read", h->pf_flags, refused[i].name);
        }
    }
    if (no_kind) {
        return rift_rd_fail(r, RIFT_ERR_FORMAT, FLAGS_OFFSET, "pixel format flags 0x%x name no format",
                            h->pf_flags);
    }
    if (!read_masks(image, h, r))
        return false;
    simplify_masks(image);
    return true;
}

/* Levels one after the other, as many as are announced, possible and there. */
static bool add_levels(rift_image *image, const dds_header *h, size_t wanted, rift_reader *r)
{
    uint64_t offset = rift_rd_offset(r);
    for (size_t k = 0; k < wanted; k++) {
        const uint64_t size = rift_image_size_at(image, h->width, h->height, k);
        const uint64_t left = r->in.size > offset ? r->in.size - offset : 0;
        if (size > left && k > 0)
            break;
        if (size > left) {
            return rift_rd_fail(r, RIFT_ERR_TRUNCATED, offset, "%u x %u %s needs %llu bytes, %llu left",
                                h->width, h->height, rift_pixel_format_name(image->format),
                                (unsigned long long)size, (unsigned long long)left);
        }
        if (!rift_image_add_level(image, r, h->width, h->height, k, offset))
            return false;
        /* < 2^62 each, and they shrink: no overflow */
        offset += size * rift_image_side_at(h->depth, k);
    }
    return true;
}

static void report_oddities(
    const rift_image *image, const dds_header *h, size_t wanted, size_t possible, rift_report *report)
{
    if (h->cube)
        rift_report_add(report, "dds_first_face", "cube map, first face used");
    if (h->depth > 1)
        rift_report_add(report, "dds_first_slice", "volume of %u slices, first one used", h->depth);
    if (h->mip_count > possible)
        rift_report_add(report, "dds_mip_count", "%u levels announced, %zu possible", h->mip_count, possible);
    if (image->level_count < wanted)
        rift_report_add(report, "dds_mips_missing", "%zu of %zu levels stored", image->level_count, wanted);
    if (image->stored_format == FOURCC('D', 'X', 'T', '2') ||
        image->stored_format == FOURCC('D', 'X', 'T', '4'))
        rift_report_add(report, "dds_premultiplied", "colours are multiplied with alpha, used as they are");
}

bool rift_image_parse_dds(rift_image *out, rift_bytes in, rift_report *report, rift_err *err)
{
    rift_reader r = rift_rd_init(in, "dds header", err);
    rift_image image = {.is_dds = true};
    dds_header h;
    if (!read_header(&h, &r) || !read_format(&image, &h, &r))
        return false;
    r.where = "pixels";
    if (!h.volume || h.depth == 0)
        h.depth = 1;
    const uint32_t flat = h.width > h.height ? h.width : h.height;
    const size_t chain = rift_image_chain_length(flat > h.depth ? flat : h.depth);
    const size_t possible = chain < RIFT_IMAGE_MAX_LEVELS ? chain : RIFT_IMAGE_MAX_LEVELS;
    const size_t announced = h.mip_count > 0 ? h.mip_count : 1;
    const size_t wanted = announced < possible ? announced : possible;
    if (!add_levels(&image, &h, wanted, &r))
        return false;
    report_oddities(&image, &h, wanted, possible, report);
    *out = image;
    return true;
}
