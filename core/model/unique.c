#include <string.h>

#include "base/str.h"
#include "hash/hash.h"
#include "model/scene.h"

void rift_unique_init(rift_unique *u, rift_arena *arena, size_t expected)
{
    *u = (rift_unique){.arena = arena};
    rift_map_init(&u->seen, arena, expected);
    u->names = RIFT_NEW(arena, struct rift_unique_name, expected);
    u->capacity = u->names != NULL ? expected : 0;
}

/* The entry of the name, or NULL with *key where it belongs. */
static struct rift_unique_name *find(const rift_unique *u, rift_str name, uint64_t *key)
{
    *key = rift_xxh64((rift_bytes){(const uint8_t *)name.data, name.size});
    for (;; (*key)++) {
        const uint32_t at = rift_map_lookup(&u->seen, *key);
        if (at == RIFT_MAP_NONE)
            return NULL;
        if (rift_str_eq(u->names[at].name, name))
            return &u->names[at];
    }
}

static bool reserve(rift_unique *u)
{
    if (u->count < u->capacity)
        return true;
    const size_t capacity = u->capacity < 16 ? 32 : u->capacity * 2;
    struct rift_unique_name *names =
        rift_arena_grow(u->arena, u->names, u->capacity * sizeof *u->names, capacity * sizeof *u->names);
    if (names == NULL)
        return false;
    u->names = names;
    u->capacity = capacity;
    return true;
}

/* Takes a name that lives in the arena already. */
static bool take_own(rift_unique *u, rift_str name)
{
    uint64_t key;
    if (u->arena->failed != RIFT_OK)
        return true; /* the copy may be empty; the arena says what happened */
    if (find(u, name, &key) != NULL)
        return false;
    if (reserve(u)) {
        u->names[u->count] = (struct rift_unique_name){name, 2};
        (void)rift_map_add(&u->seen, key, (uint32_t)u->count++);
    }
    return true;
}

bool rift_unique_take(rift_unique *u, rift_str name)
{
    uint64_t key;
    return find(u, name, &key) == NULL && take_own(u, rift_arena_copy_str(u->arena, name));
}

rift_str rift_unique_joint(rift_unique *u, rift_str name, uint32_t id)
{
    rift_str tried = rift_arena_copy_str(u->arena, name);
    while (u->arena->failed == RIFT_OK && !take_own(u, tried))
        tried = rift_arena_printf(u->arena, "%.*s__%u", RIFT_STR_ARG(tried), id);
    return tried;
}

rift_str rift_unique_clip(rift_unique *u, rift_str name)
{
    uint64_t key;
    struct rift_unique_name *first = find(u, name, &key);
    rift_str tried = rift_arena_copy_str(u->arena, name);
    if (first == NULL) {
        (void)take_own(u, tried);
        return tried;
    }
    const size_t base = (size_t)(first - u->names); /* names may move */
    do {
        tried = rift_arena_printf(u->arena, "%.*s (%u)", RIFT_STR_ARG(name), u->names[base].next++);
    } while (u->arena->failed == RIFT_OK && !take_own(u, tried));
    return tried;
}
