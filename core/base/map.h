/* map.h - u64 keys to u32 values, open addressing, in an arena. Iteration is not offered: order follows the arrays
 * that the values index, never the table. */
#ifndef RIFT_BASE_MAP_H
#define RIFT_BASE_MAP_H

#include "base/arena.h"

typedef struct rift_map {
    rift_arena *arena;
    uint64_t *keys;
    uint32_t *values; /* value + 1; 0 is an empty place */
    size_t capacity;  /* power of two, or 0 */
    size_t count;
} rift_map;

#define RIFT_MAP_NONE UINT32_MAX

/* Room for `expected` keys without growing. Failures show in the arena. */
void rift_map_init(rift_map *m, rift_arena *arena, size_t expected);
/* Stores value (below RIFT_MAP_NONE) under key unless the key is present. Returns the value that is stored now. */
uint32_t rift_map_add(rift_map *m, uint64_t key, uint32_t value);
/* The value, or RIFT_MAP_NONE. */
uint32_t rift_map_lookup(const rift_map *m, uint64_t key);

#endif
