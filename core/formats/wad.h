/* wad.h - WAD archives: table of contents, and the bytes of one entry.
 *
 * Shape   versions 1, 2, 3.0-3.4 and higher 3.x (read as 3.4). Entries keep file order; names exist only as
 *         hashes. Nothing but the table is read at opening, and nothing but the entry's own bytes when one is
 *         read.
 * Limits  RIFT_WAD_MAX_ENTRIES, RIFT_WAD_MAX_CHUNKS; an entry unpacks to at most RIFT_WAD_MAX_ENTRY_SIZE, and
 *         to no more than its storage can hold at best (RIFT_WAD_MAX_GZIP_RATIO, RIFT_WAD_MAX_ZSTD_RATIO).
 * Errors  opening: TRUNCATED, FORMAT, UNSUPPORTED (major version), LIMIT, IO, NOMEM. What is wrong with one
 *         entry shows when that entry is read: TRUNCATED (outside the file; report at opening:
 *         wad_entry_outside), UNSUPPORTED (redirection, unknown storage), FORMAT, LIMIT. Offsets count from
 *         the start of the file.
 * Odd     accepted: any v3 minor (over 4 reported: wad_minor_unknown), any signature and checksum, unsorted or equal hashes (the first is found),
 *         gaps, shared and overlapping data, a high nibble in the storage byte, a duplicate flag (it needs no
 *         action), no entries. A sub-chunk table that cannot be read is reported (wad_chunk_table_unreadable)
 *         and done without. Entries whose records do not fit (sums, frame magic) are decoded by walking their
 *         frames (decisions.md 15, B101).
 * Source  formats/wad.md; 3.3 and 3.4 seen on bytes, the rest read only. */
#ifndef RIFT_FORMATS_WAD_H
#define RIFT_FORMATS_WAD_H

#include "base/arena.h"
#include "base/map.h"
#include "base/report.h"
#include "base/source.h"
#include "hash/hash.h"

#define RIFT_WAD_MAX_ENTRIES 4194304u
#define RIFT_WAD_MAX_CHUNKS 4194304u
#define RIFT_WAD_MAX_ENTRY_SIZE 1073741824u /* 1 GiB */
/* No stream holds more: deflate codes 258 bytes in two bits, a zstd block of 4 bytes holds at most 128 KiB. */
#define RIFT_WAD_MAX_GZIP_RATIO 1032u
#define RIFT_WAD_MAX_ZSTD_RATIO 32768u

typedef enum rift_wad_storage {
    RIFT_WAD_RAW = 0,
    RIFT_WAD_GZIP = 1,
    RIFT_WAD_REDIRECT = 2,
    RIFT_WAD_ZSTD = 3,
    RIFT_WAD_ZSTD_CHUNKED = 4
} rift_wad_storage;

/* What the 64-bit checksum of an entry is; compare only equal kinds (B177). */
typedef enum rift_wad_checksum {
    RIFT_WAD_SUM_NONE = 0, /* version 1 */
    RIFT_WAD_SUM_SHA256,   /* first 8 bytes, read as u64: 2 and 3.0 */
    RIFT_WAD_SUM_XXH3      /* of the stored bytes: 3.1 and later */
} rift_wad_checksum;

typedef struct rift_wad_entry {
    uint64_t path_hash;
    uint64_t checksum;
    uint32_t offset; /* from file start */
    uint32_t stored_size;
    uint32_t size;        /* unpacked */
    uint8_t storage;      /* rift_wad_storage; other values are refused when read */
    uint8_t chunk_count;  /* storage 4: 1-15 */
    uint32_t first_chunk; /* storage 4: index into the sub-chunk table */
    bool outside;         /* its data does not lie inside the file */
    uint64_t record;      /* offset of its record in the file, for errors */
} rift_wad_entry;

typedef struct rift_wad_chunk {
    uint32_t stored_size;
    uint32_t size;
    uint64_t checksum; /* XXH3 of the stored bytes */
} rift_wad_chunk;

typedef struct rift_wad {
    rift_source source; /* copied; must stay readable as long as entries are read */
    uint8_t major;
    uint8_t minor;
    rift_wad_checksum checksum_kind;
    rift_wad_entry *entries;
    size_t entry_count;
    rift_map by_hash;       /* path hash -> index of the first entry that has it */
    rift_wad_chunk *chunks; /* sub-chunk table; NULL when absent or unreadable (then frames are walked) */
    size_t chunk_count;
} rift_wad;

/* Reads header and table, and the sub-chunk table when there is one. `path` is the archive's path relative to
 * the game folder ("DATA/FINAL/Champions/Lux.wad.client", any case) or just its file name; it decides the
 * sub-chunk table's name.
 * Memory: in arena; `source` is kept. After this the struct is read-only and may be read from several
 *         threads. */
RIFT_NODISCARD bool rift_wad_open(
    rift_wad *out, rift_source source, rift_str path, rift_arena *arena, rift_report *report, rift_err *err);

/* Where the table of contents ends: what stands before is all that rift_wad_open reads but for the sub-chunk table. Reads the header only. */
RIFT_NODISCARD bool rift_wad_table_end(uint64_t *out, const rift_source *source, rift_err *err);

/* The entry with this path hash, or NULL. */
const rift_wad_entry *rift_wad_lookup(const rift_wad *wad, uint64_t path_hash);

/* Digest of the table of contents: equal digests mean the same entries with the same content, and none of them lost by a cut. Scratch in tmp, rewound. */
RIFT_NODISCARD bool rift_wad_digest(rift_sha256 *out, const rift_wad *wad, rift_arena *tmp, rift_err *err);

/* Unpacks one entry into `arena` (size bytes). Redirections give UNSUPPORTED with the target's path in the text. */
RIFT_NODISCARD bool rift_wad_read(
    const rift_wad *wad, const rift_wad_entry *entry, rift_arena *arena, rift_bytes *out, rift_err *err);

/* The stored bytes as they lie in the file. */
RIFT_NODISCARD bool rift_wad_read_stored(
    const rift_wad *wad, const rift_wad_entry *entry, rift_arena *arena, rift_bytes *out, rift_err *err);

/* The hash of the sub-chunk table's path for an archive at `path` (relative to the game folder, any case,
 * either slash): ".client" goes, ".subchunktoc" comes. 0 when the path is longer than RIFT_WAD_MAX_PATH. */
#define RIFT_WAD_MAX_PATH 1024
uint64_t rift_wad_chunk_table_hash(rift_str path);

#define RIFT_WAD_CHECKSUM_AT 24u /* in an entry's record; version 1 has none */
/* The checksum that an archive of this kind holds for an entry with these stored bytes; 0 for NONE. Reading
 * never compares (mods store 0). */
uint64_t rift_wad_checksum_of(rift_wad_checksum kind, rift_bytes stored);

#endif
