/* texture_internal.h - shared inside core/texture. */
#ifndef RIFT_TEXTURE_TEXTURE_INTERNAL_H
#define RIFT_TEXTURE_TEXTURE_INTERNAL_H

#include "base/buf.h"
#include "texture/texture.h"

/* One block to 16 texels of R G B A, row by row. `block` has 8 bytes (BC1, BC4) or 16. */
void rift_bc1_block(uint8_t out[64], const uint8_t *block);
void rift_bc2_block(uint8_t out[64], const uint8_t *block);
void rift_bc3_block(uint8_t out[64], const uint8_t *block);
void rift_bc4_block(uint8_t out[64], const uint8_t *block);
void rift_bc5_block(uint8_t out[64], const uint8_t *block);
void rift_bc7_block(uint8_t out[64], const uint8_t *block);

/* The even and odd case of rift_texture_halve, from and to any buffers; they may be the same one. */
void rift_halve(uint8_t *out, const uint8_t *in, uint32_t width, uint32_t height);

/* A zlib stream, fed in parts of which only the last may be shorter than rift_deflate_part(total) bytes. */
typedef struct rift_deflate rift_deflate;
/* How much to feed at once of `total` bytes. */
size_t rift_deflate_part(size_t total);
/* NULL when the arena fails. */
rift_deflate *rift_deflate_init(rift_arena *arena);
/* Appends what is ready to `out`. False when `out` failed. */
bool rift_deflate_feed(rift_deflate *d, rift_buf *out, rift_bytes part, bool is_last);
/* Gives back what lies outside the arena. Accepts NULL. */
void rift_deflate_release(rift_deflate *d);
/* The CRC-32 of PNG chunks, continued from `crc` (0 at the start). */
uint32_t rift_crc32(uint32_t crc, rift_bytes data);

#endif
