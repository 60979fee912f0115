/* wad_write.h - writes a WAD archive of any version, for `riftbake wad pack`, the synthetic game and fixtures.
 *
 * Shape   entries in; whole file out: table sorted by ascending hash, data in the order given. Signature and
 *         header checksum are zero; entry checksums are right for the version. Items with equal data and
 *         storage share their stored bytes (and carry the duplicate flag up to 3.3). Same input, same bytes.
 * Limits  the file stays below 4 GiB (32-bit offsets), sub-chunk indices fit the version: else LIMIT. Equal
 *         hashes: FORMAT. A version outside 1, 2, 3.0-3.4, an unknown storage, chunked items before version 3
 *         or in other than 1-15 pieces: ARGUMENT. */
#ifndef RIFT_FORMATS_WAD_WRITE_H
#define RIFT_FORMATS_WAD_WRITE_H

#include "formats/wad.h"

typedef struct rift_wad_item {
    uint64_t path_hash;
    rift_bytes data;          /* unpacked; for RIFT_WAD_REDIRECT the target's path */
    rift_wad_storage storage; /* version 1 and 2: no ZSTD_CHUNKED */
    /* ZSTD_CHUNKED: pieces, 1-15, of about equal size; the first is stored raw, and any that would not shrink. */
    uint8_t chunk_count;
} rift_wad_item;

typedef struct rift_wad_write_opts {
    uint8_t major; /* 1, 2, 3 */
    uint8_t minor;
    rift_str path;         /* relative to the game folder; names the sub-chunk table */
    bool omit_chunk_table; /* chunked entries without their table, as stripped mods have them */
    uint32_t first_chunk;  /* records of zeros before the first: how indices grow in a large archive */
    rift_wad_storage chunk_table_storage; /* RAW, GZIP or ZSTD */
    int zstd_level;                       /* 0 means 3 */
} rift_wad_write_opts;

RIFT_NODISCARD bool rift_wad_write(rift_bytes *out,
                                   const rift_wad_item *items,
                                   size_t item_count,
                                   const rift_wad_write_opts *opts,
                                   rift_arena *arena,
                                   rift_err *err);

#endif
