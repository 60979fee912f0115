/* image_internal.h - shared by the readers of texture containers. */
#ifndef RIFT_FORMATS_IMAGE_INTERNAL_H
#define RIFT_FORMATS_IMAGE_INTERNAL_H

#include "base/reader.h"
#include "formats/image.h"

bool rift_image_parse_tex(rift_image *out, rift_bytes in, rift_report *report, rift_err *err);
bool rift_image_parse_dds(rift_image *out, rift_bytes in, rift_report *report, rift_err *err);

/* 1 … RIFT_IMAGE_MAX_SIDE, else FORMAT or LIMIT. */
bool rift_image_check_side(rift_reader *r, uint32_t side, uint64_t offset, const char *what);
/* floor(log2(side)) + 1 */
size_t rift_image_chain_length(uint32_t longest_side);
/* Width, height or depth of level k. */
uint32_t rift_image_side_at(uint32_t side, size_t level);
/* Bytes of one slice of level k. */
uint64_t rift_image_size_at(const rift_image *image, uint32_t width, uint32_t height, size_t level);
/* Adds level k, whose first slice starts at `offset`. */
bool rift_image_add_level(
    rift_image *image, rift_reader *r, uint32_t width, uint32_t height, size_t level, uint64_t offset);

#endif
