/* pack.h - name tables as one file that is searched where it lies (mapped, usually).
 *
 * Shape   header: "RNPK", version (u32), digest of the record it was made from (u64), XXH3 of all that follows (u64); for each table of
 *         hash/names.h: count (u32), zero (u32), bytes of text (u64); then for each table: the hashes in ascending order (u64, of 32-bit tables u32); for
 *         each of them the place of its name among the names in byte order (u32); where each block of RIFT_PACK_BLOCK names begins in the text (u32);
 *         the text. In a block each name is: bytes shared with the one before (LEB128), bytes of its own (LEB128), those bytes; the first shares none.
 * Limits  RIFT_PACK_MAX_NAME bytes a name, 4 GiB of text and 2^32 - 1 names a table.
 * Errors  TRUNCATED, FORMAT (magic, checksum, sizes that do not add up to the file's), UNSUPPORTED (version).
 * Source  our own; measured against SQLite in tests/bench/bench_names.c. */
#ifndef RIFT_HASH_PACK_H
#define RIFT_HASH_PACK_H

#include "base/buf.h"
#include "hash/names.h"

#define RIFT_PACK_VERSION 1
#define RIFT_PACK_BLOCK 16
#define RIFT_PACK_MAX_NAME 1000

typedef struct rift_pack {
    uint64_t digest;
    struct {
        uint32_t count;
        unsigned key_size; /* 8 or 4 */
        rift_bytes keys, places, blocks, text;
    } tables[RIFT_NAME_TABLE_COUNT];
} rift_pack;

/* *out points into `in`, which must outlive it. What lookups follow is checked by them: a file that is damaged in spite of its checksum
 * gives wrong names or none. */
RIFT_NODISCARD bool rift_pack_open(rift_pack *out, rift_bytes in, rift_err *err);
/* The name, copied into arena; false when there is none. Thread: any. */
bool rift_pack_lookup(
    const rift_pack *pack, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out);
/* The pack must outlive it. */
rift_names rift_pack_names(const rift_pack *pack);

typedef struct rift_pack_name {
    uint64_t hash;
    rift_str name;
} rift_pack_name;

typedef struct rift_pack_list {
    const rift_pack_name *names; /* in ascending order of their hashes, each once */
    size_t count;
} rift_pack_list;

/* The file, in `arena`; `tmp` holds what is sorted. LIMIT past the limits above. */
RIFT_NODISCARD bool rift_pack_write(rift_bytes *out,
                                    const rift_pack_list lists[RIFT_NAME_TABLE_COUNT],
                                    uint64_t digest,
                                    rift_arena *arena,
                                    rift_arena *tmp,
                                    rift_err *err);

#endif
