#include "formats/image.h"

#include <string.h>

#include "formats/image_internal.h"

const char *rift_pixel_format_name(rift_pixel_format format)
{
    switch (format) {
    case RIFT_PIXEL_BC1:
        return "BC1";
    case RIFT_PIXEL_BC2:
        return "BC2";
    case RIFT_PIXEL_BC3:
        return "BC3";
    case RIFT_PIXEL_BC4:
        return "BC4";
    case RIFT_PIXEL_BC5:
        return "BC5";
    case RIFT_PIXEL_BC7:
        return "BC7";
    case RIFT_PIXEL_BGRA8:
        return "BGRA8";
    case RIFT_PIXEL_RGBA8:
        return "RGBA8";
    case RIFT_PIXEL_MASKED:
        return "masked";
    }
    return "?";
}

/* Bytes of a 4x4 block, or 0 for formats that store single pixels. */
static uint32_t block_size(rift_pixel_format format)
{
    switch (format) {
    case RIFT_PIXEL_BC1:
    case RIFT_PIXEL_BC4:
        return 8;
    case RIFT_PIXEL_BC2:
    case RIFT_PIXEL_BC3:
    case RIFT_PIXEL_BC5:
    case RIFT_PIXEL_BC7:
        return 16;
    case RIFT_PIXEL_BGRA8:
    case RIFT_PIXEL_RGBA8:
    case RIFT_PIXEL_MASKED:
        return 0;
    }
    return 0;
}

uint64_t
rift_pixel_level_size(rift_pixel_format format, uint32_t bits_per_pixel, uint32_t width, uint32_t height)
{
    const uint32_t block = block_size(format);
    if (block > 0)
        return (uint64_t)((width + 3) / 4) * ((height + 3) / 4) * block;
    const uint64_t bits = format == RIFT_PIXEL_MASKED ? bits_per_pixel : 32;
    return (width * bits + 7) / 8 * height;
}

bool rift_image_check_side(rift_reader *r, uint32_t side, uint64_t offset, const char *what)
{
    if (!rift_rd_ok(r))
        return false;
    if (side == 0)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, offset, "%s is 0", what);
    if (side > RIFT_IMAGE_MAX_SIDE)
        return rift_rd_fail(r, RIFT_ERR_LIMIT, offset, "%s %u is over %d", what, side, RIFT_IMAGE_MAX_SIDE);
    return true;
}

size_t rift_image_chain_length(uint32_t longest_side)
{
    size_t count = 1;
    for (uint32_t side = longest_side; side > 1; side >>= 1)
        count++;
    return count;
}

uint32_t rift_image_side_at(uint32_t side, size_t level)
{
    const uint32_t reduced = side >> level;
    return reduced > 0 ? reduced : 1;
}

uint64_t rift_image_size_at(const rift_image *image, uint32_t width, uint32_t height, size_t level)
{
    return rift_pixel_level_size(image->format, image->bits_per_pixel, rift_image_side_at(width, level),
                                 rift_image_side_at(height, level));
}

bool rift_image_add_level(
    rift_image *image, rift_reader *r, uint32_t width, uint32_t height, size_t level, uint64_t offset)
{
    RIFT_ASSERT(level < RIFT_IMAGE_MAX_LEVELS && image->level_count == level);
    const uint64_t size = rift_image_size_at(image, width, height, level);
    if (!rift_rd_seek(r, offset))
        return false;
    image->levels[level] = (rift_image_level){
        .width = rift_image_side_at(width, level),
        .height = rift_image_side_at(height, level),
        .data = rift_rd_bytes(r, (size_t)size),
    };
    image->level_count++;
    return rift_rd_ok(r);
}

typedef enum container {
    CONTAINER_TEX,
    CONTAINER_DDS,
    CONTAINER_PNG,
    CONTAINER_JPEG,
    CONTAINER_OTHER
} container;

static container container_of(rift_bytes in)
{
    static const struct {
        uint8_t magic[4];
        uint8_t size;
        container kind;
    } known[] = {
        {{'T', 'E', 'X', 0}, 4, CONTAINER_TEX},
        {{'D', 'D', 'S', ' '}, 4, CONTAINER_DDS},
        {{0x89, 'P', 'N', 'G'}, 4, CONTAINER_PNG},
        {{0xff, 0xd8, 0xff, 0}, 3, CONTAINER_JPEG},
    };
    for (size_t i = 0; i < RIFT_COUNT(known); i++) {
        if (in.size >= known[i].size && memcmp(in.data, known[i].magic, known[i].size) == 0)
            return known[i].kind;
    }
    return CONTAINER_OTHER;
}

bool rift_image_is(rift_bytes in)
{
    const container kind = container_of(in);
    return kind == CONTAINER_TEX || kind == CONTAINER_DDS;
}

bool rift_image_parse(rift_image *out, rift_bytes in, rift_report *report, rift_err *err)
{
    rift_reader r = rift_rd_init(in, "header", err);
    const uint32_t magic = rift_rd_u32(&r);
    if (!rift_rd_ok(&r))
        return false;
    switch (container_of(in)) {
    case CONTAINER_TEX:
        return rift_image_parse_tex(out, in, report, err);
    case CONTAINER_DDS:
        return rift_image_parse_dds(out, in, report, err);
    case CONTAINER_PNG:
        return rift_rd_fail(&r, RIFT_ERR_UNSUPPORTED, 0, "a PNG image, not .tex or .dds");
    case CONTAINER_JPEG:
        return rift_rd_fail(&r, RIFT_ERR_UNSUPPORTED, 0, "a JPEG image, not .tex or .dds");
    case CONTAINER_OTHER:
        break;
    }
    return rift_rd_fail(&r, RIFT_ERR_FORMAT, 0, "begins with %02x %02x %02x %02x: neither .tex nor .dds",
                        magic & 0xff, magic >> 8 & 0xff, magic >> 16 & 0xff, magic >> 24);
}
