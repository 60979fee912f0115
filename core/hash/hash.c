#include "hash/hash.h"

#include <openssl/sha.h>
#include <string.h>
#include <xxhash.h>

#include "base/str.h"

uint32_t rift_elf(rift_str name)
{
    uint32_t h = 0;
    for (size_t i = 0; i < name.size; i++) {
        h = (h << 4) + (uint8_t)rift_lower(name.data[i]);
        const uint32_t top = h & 0xF0000000u;
        h ^= top >> 24;
        h &= ~top;
    }
    return h;
}

uint32_t rift_fnv1a_more(uint32_t hash, rift_str more)
{
    for (size_t i = 0; i < more.size; i++)
        hash = (hash ^ (uint8_t)rift_lower(more.data[i])) * 0x01000193u;
    return hash;
}

uint32_t rift_fnv1a(rift_str name)
{
    return rift_fnv1a_more(0x811C9DC5u, name);
}

/* "c8a0…f1" or "0xc8a0…f1.bin": a path that is its own hash. */
static bool is_raw_hash(rift_str path, uint64_t *out)
{
    if (rift_str_starts_nocase(path, RIFT_STR("0x")))
        path = (rift_str){path.data + 2, path.size - 2};
    if (path.size < 16 || (path.size > 16 && path.data[16] != '.'))
        return false;
    return rift_str_hex((rift_str){path.data, 16}, out);
}

static rift_str without_lead(rift_str path)
{
    for (;;) {
        if (path.size >= 1 && (path.data[0] == '/' || path.data[0] == '\\')) {
            path = (rift_str){path.data + 1, path.size - 1};
        } else if (path.size >= 2 && path.data[0] == '.' && (path.data[1] == '/' || path.data[1] == '\\')) {
            path = (rift_str){path.data + 2, path.size - 2};
        } else {
            return path;
        }
    }
}

uint64_t rift_path_hash(rift_str path)
{
    uint64_t raw;
    if (is_raw_hash(path, &raw))
        return raw;
    path = without_lead(path);
    /* Hashed in pieces so that no buffer limits the length. */
    XXH64_state_t state;
    (void)XXH64_reset(&state, 0);
    char piece[256];
    for (size_t at = 0; at < path.size;) {
        size_t n = 0;
        for (; n < sizeof piece && at < path.size; n++, at++)
            piece[n] = (char)(path.data[at] == '\\' ? '/' : rift_lower(path.data[at]));
        (void)XXH64_update(&state, piece, n);
    }
    return XXH64_digest(&state);
}

uint64_t rift_xxh64(rift_bytes bytes)
{
    return XXH64(bytes.size > 0 ? bytes.data : (const uint8_t *)"", bytes.size, 0);
}

uint64_t rift_xxh3(rift_bytes bytes)
{
    return XXH3_64bits(bytes.size > 0 ? bytes.data : (const uint8_t *)"", bytes.size);
}

rift_sha256 rift_sha256_of(rift_bytes bytes)
{
    rift_sha256 out;
    (void)SHA256(bytes.size > 0 ? bytes.data : (const uint8_t *)"", bytes.size, out.bytes);
    return out;
}

void rift_sha256_hex(const rift_sha256 *sha, char out[65])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof sha->bytes; i++) {
        out[2 * i] = digits[sha->bytes[i] >> 4];
        out[2 * i + 1] = digits[sha->bytes[i] & 15];
    }
    out[64] = '\0';
}
