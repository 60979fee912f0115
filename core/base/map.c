#include "base/map.h"

/* Keys are hashes of names for the most part, but sequences occur too: mix before use (finaliser of splitmix64). */
static size_t slot_of(uint64_t key, size_t capacity)
{
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9u;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EBu;
    return (size_t)(key ^ (key >> 31)) & (capacity - 1);
}

static bool allocate(rift_map *m, size_t capacity)
{
    m->keys = RIFT_NEW(m->arena, uint64_t, capacity);
    m->values = RIFT_NEW(m->arena, uint32_t, capacity);
    m->capacity = m->keys != NULL && m->values != NULL ? capacity : 0;
    return m->capacity > 0;
}

void rift_map_init(rift_map *m, rift_arena *arena, size_t expected)
{
    *m = (rift_map){.arena = arena};
    size_t capacity = 16;
    while (capacity / 2 < expected && capacity < SIZE_MAX / 4)
        capacity *= 2;
    (void)allocate(m, capacity);
}

static size_t find_slot(const rift_map *m, uint64_t key)
{
    size_t i = slot_of(key, m->capacity);
    while (m->values[i] != 0 && m->keys[i] != key)
        i = (i + 1) & (m->capacity - 1);
    return i;
}

static bool grow(rift_map *m)
{
    const rift_map old = *m;
    if (!allocate(m, old.capacity * 2))
        return false;
    for (size_t i = 0; i < old.capacity; i++) {
        if (old.values[i] == 0)
            continue;
        const size_t to = find_slot(m, old.keys[i]);
        m->keys[to] = old.keys[i];
        m->values[to] = old.values[i];
    }
    return true;
}

uint32_t rift_map_add(rift_map *m, uint64_t key, uint32_t value)
{
    RIFT_ASSERT(value != RIFT_MAP_NONE);
    if (m->capacity == 0 || (m->count >= m->capacity / 2 && !grow(m)))
        return value; /* the arena has failed, and says so */
    const size_t i = find_slot(m, key);
    if (m->values[i] == 0) {
        m->keys[i] = key;
        m->values[i] = value + 1;
        m->count++;
    }
    return m->values[i] - 1;
}

uint32_t rift_map_lookup(const rift_map *m, uint64_t key)
{
    if (m->capacity == 0)
        return RIFT_MAP_NONE;
    const size_t i = find_slot(m, key);
    return m->values[i] == 0 ? RIFT_MAP_NONE : m->values[i] - 1;
}
