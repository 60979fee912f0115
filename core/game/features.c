#include "game/features.h"

#include <string.h>

/* The first row that fits: `magic` at `at`, and with `size` the number at `value_at`, little-endian. */
typedef struct row {
    const char *word;
    const char *magic;
    uint8_t at, magic_size, value_at, size;
    uint32_t value;
} row;

#define ANY(word, magic, at)                                   \
    {                                                          \
        word, magic, at, (uint8_t)(sizeof(magic) - 1), 0, 0, 0 \
    }
#define IS(word, magic, at, value_at, size, value)                           \
    {                                                                        \
        word, magic, at, (uint8_t)(sizeof(magic) - 1), value_at, size, value \
    }
#define FOURCC(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

static const row rows[] = {
    IS("bin 1", "PROP", 0, 4, 4, 1),
    IS("bin 2", "PROP", 0, 4, 4, 2),
    IS("bin 3", "PROP", 0, 4, 4, 3),
    ANY("bin of another version", "PROP", 0),
    ANY("bin patch", "PTCH", 0),
    IS("skn 0", "\x33\x22\x11\0", 0, 4, 2, 0),
    IS("skn 1", "\x33\x22\x11\0", 0, 4, 2, 1),
    IS("skn 2", "\x33\x22\x11\0", 0, 4, 2, 2),
    IS("skn 4", "\x33\x22\x11\0", 0, 4, 2, 4),
    ANY("skn of another version", "\x33\x22\x11\0", 0),
    IS("skl 1", "r3d2sklt", 0, 8, 4, 1),
    IS("skl 2", "r3d2sklt", 0, 8, 4, 2),
    ANY("skl of another old version", "r3d2sklt", 0),
    IS("skl", "\xc3\x4f\xfd\x22", 4, 8, 4, 0),
    ANY("skl of another version", "\xc3\x4f\xfd\x22", 4),
    IS("anm 3", "r3d2anmd", 0, 8, 4, 3),
    IS("anm 4", "r3d2anmd", 0, 8, 4, 4),
    IS("anm 5", "r3d2anmd", 0, 8, 4, 5),
    ANY("anm of another version", "r3d2anmd", 0),
    IS("compressed anm 1", "r3d2canm", 0, 8, 4, 1),
    IS("compressed anm 2", "r3d2canm", 0, 8, 4, 2),
    IS("compressed anm 3", "r3d2canm", 0, 8, 4, 3),
    ANY("compressed anm of another version", "r3d2canm", 0),
    IS("tex 10", "TEX\0", 0, 9, 1, 10),
    IS("tex 12", "TEX\0", 0, 9, 1, 12),
    IS("tex 13", "TEX\0", 0, 9, 1, 13),
    IS("tex 14", "TEX\0", 0, 9, 1, 14),
    IS("tex 20", "TEX\0", 0, 9, 1, 20),
    ANY("tex of another format", "TEX\0", 0),
    IS("dds DXT1", "DDS ", 0, 84, 4, FOURCC('D', 'X', 'T', '1')),
    IS("dds DXT5", "DDS ", 0, 84, 4, FOURCC('D', 'X', 'T', '5')),
    IS("dds DX10", "DDS ", 0, 84, 4, FOURCC('D', 'X', '1', '0')),
    IS("dds uncompressed", "DDS ", 0, 84, 4, 0),
    ANY("dds of another format", "DDS ", 0),
    ANY("scb", "r3d2Mesh", 0),
};

enum { PLACE_BIT = 48 };
static const char *const places[] = {"wad 1",
                                     "wad 2",
                                     "wad 3.0",
                                     "wad 3.1",
                                     "wad 3.2",
                                     "wad 3.3",
                                     "wad 3.4",
                                     "wad later",
                                     "stored raw",
                                     "stored gzip",
                                     "linked",
                                     "stored zstd",
                                     "stored zstd in chunks",
                                     "stored otherwise"};
enum { WAD_3_0 = 2, WAD_LATER = 7, STORED = 8, STORED_OTHERWISE = 13 };

_Static_assert(sizeof rows / sizeof rows[0] <= PLACE_BIT, "bits of files and of places");
_Static_assert(PLACE_BIT + sizeof places / sizeof places[0] <= 64, "64 bits");

static bool fits(const row *r, rift_bytes file)
{
    uint32_t value = 0;
    if (file.size < (size_t)r->at + r->magic_size || file.size < (size_t)r->value_at + r->size ||
        memcmp(file.data + r->at, r->magic, r->magic_size) != 0)
        return false;
    for (size_t i = 0; i < r->size; i++)
        value |= (uint32_t)file.data[r->value_at + i] << (8 * i);
    return r->size == 0 || value == r->value;
}

rift_features rift_features_of(rift_bytes file)
{
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        if (fits(&rows[i], file))
            return UINT64_C(1) << i;
    }
    return 0;
}

rift_features rift_features_of_place(const rift_game *game, uint64_t path_hash)
{
    const uint32_t at = rift_map_lookup(&game->where, path_hash);
    if (at == RIFT_MAP_NONE)
        return 0;
    const rift_wad *wad = &game->archives[at].wad;
    const rift_wad_entry *entry = rift_wad_lookup(wad, path_hash);
    const unsigned minor = wad->minor < WAD_LATER - WAD_3_0 ? wad->minor : WAD_LATER - WAD_3_0;
    const unsigned version = wad->major < 3 ? wad->major - 1u : WAD_3_0 + minor;
    const rift_features archive = UINT64_C(1) << (PLACE_BIT + version);
    if (entry == NULL)
        return archive;
    const unsigned stored = STORED + (unsigned)entry->storage;
    return archive | UINT64_C(1) << (PLACE_BIT + (stored < STORED_OTHERWISE ? stored : STORED_OTHERWISE));
}

const char *rift_feature_word(unsigned bit)
{
    if (bit < RIFT_COUNT(rows))
        return rows[bit].word;
    return bit >= PLACE_BIT && bit - PLACE_BIT < RIFT_COUNT(places) ? places[bit - PLACE_BIT] : NULL;
}
