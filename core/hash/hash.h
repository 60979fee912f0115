/* hash.h - the hashes of the game's files. All name hashes fold A-Z only, byte by byte, in no locale (T1).
 *
 * Which  ELF: joints and tracks (.skl, .anm). FNV-1a: everything inside property bins, joint and submesh names in
 *        events included. XXH64 of the lower-cased path: WAD entries and `file` values. XXH3: checksums of WAD 3.1+.
 *        SHA-256: checksums of WAD 2 and 3.0 (first 8 bytes), and our own content addresses.
 * Source formats/hashes.md; vectors of that document are in tests/unit/hash. */
#ifndef RIFT_HASH_HASH_H
#define RIFT_HASH_HASH_H

#include "base/bytes.h"

/* Result is below 2^28. */
uint32_t rift_elf(rift_str name);
uint32_t rift_fnv1a(rift_str name);
/* The hash of a longer name, from the hash of its beginning: rift_fnv1a_more(rift_fnv1a("Run"), "_In") is "Run_In"'s. */
uint32_t rift_fnv1a_more(uint32_t hash, rift_str more);
/* Backslashes become slashes, a leading "/" or "./" is dropped, A-Z are folded, then XXH64 with seed 0. A name of
 * exactly 16 hex digits (with or without "0x" before and an extension behind) is that hash itself. */
uint64_t rift_path_hash(rift_str path);
uint64_t rift_xxh64(rift_bytes bytes);
uint64_t rift_xxh3(rift_bytes bytes);

typedef struct rift_sha256 {
    uint8_t bytes[32];
} rift_sha256;

rift_sha256 rift_sha256_of(rift_bytes bytes);
/* 64 lower-case digits and a NUL. */
void rift_sha256_hex(const rift_sha256 *sha, char out[65]);

#endif
