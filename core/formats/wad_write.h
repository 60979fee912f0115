/* wad_write.h - writes a WAD archive of any version, for `riftbake wad pack`, the synthetic game and fixtures.
 *
 * Shape   entries in; whole file out: table sorted by ascending hash, data in the order given. Signature and header checksum are
 *         zero; entry checksums are right for the version. Same input, same bytes.
 * Limits  the file stays below 4 GiB (32-bit offsets): else LIMIT. Equal hashes: FORMAT. */
#ifndef RIFT_FORMATS_WAD_WRITE_H
#define RIFT_FORMATS_WAD_WRITE_H

#include "formats/wad.h"

typedef struct rift_wad_item {
    uint64_t path_hash;
    rift_bytes data;          /* unpacked; for RIFT_WAD_REDIRECT the target's path */
    rift_wad_storage storage; /* version 1 and 2: no ZSTD_CHUNKED */
    uint8_t chunk_count;      /* ZSTD_CHUNKED: pieces, 1-15, of about equal size; the first is stored raw */
} rift_wad_item;

typedef struct rift_wad_write_opts {
    uint8_t major; /* 1, 2, 3 */
    uint8_t minor;
    rift_str path;         /* as in rift_wad_open; names the sub-chunk table */
    bool omit_chunk_table; /* chunked entries without their table, as stripped mods have them */
    int zstd_level;        /* 0 means 3 */
} rift_wad_write_opts;

RIFT_NODISCARD bool rift_wad_write(rift_bytes *out,
                                   const rift_wad_item *items,
                                   size_t item_count,
                                   const rift_wad_write_opts *opts,
                                   rift_arena *arena,
                                   rift_err *err);

#endif
