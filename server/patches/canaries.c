#include "patches/canaries.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "hash/hash.h"

/* The skins in the order in which they would be made. */
typedef struct line {
    rift_stale **skins;
    size_t count;
} line;

static int compare_str(rift_str a, rift_str b)
{
    const size_t both = a.size < b.size ? a.size : b.size;
    const int order = both > 0 ? memcmp(a.data, b.data, both) : 0;
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static int by_turn(const void *a, const void *b)
{
    const rift_stale *x = *(rift_stale *const *)a;
    const rift_stale *y = *(rift_stale *const *)b;
    if (x->reason != y->reason)
        return x->reason < y->reason ? -1 : 1;
    if (x->pinned != y->pinned)
        return x->pinned ? -1 : 1;
    if (x->last_used != y->last_used)
        return x->last_used > y->last_used ? -1 : 1;
    const int order = compare_str(x->spec.alias, y->spec.alias);
    if (order != 0)
        return order;
    if (x->spec.number != y->spec.number)
        return x->spec.number < y->spec.number ? -1 : 1;
    return compare_str(x->spec.options, y->spec.options);
}

static size_t cover(const line *l, size_t max)
{
    rift_features shown = 0;
    size_t chosen = 0;
    while (chosen < max) {
        rift_stale *best = NULL;
        int most = 0;
        for (size_t i = 0; i < l->count; i++) {
            const int news = __builtin_popcountll(l->skins[i]->features & ~shown);
            if (news > most) {
                most = news;
                best = l->skins[i];
            }
        }
        if (best == NULL)
            break;
        best->canary = true;
        shown |= best->features;
        chosen++;
    }
    return chosen;
}

static uint64_t alias_key(const rift_stale *s)
{
    return rift_xxh3((rift_bytes){(const uint8_t *)s->spec.alias.data, s->spec.alias.size});
}

/* turns[i]: how many of its champion go before it, chosen ones first. */
static bool count_turns(const line *l, uint32_t *turns, rift_arena *arena, rift_err *err)
{
    rift_map champions;
    uint32_t *met = RIFT_NEW(arena, uint32_t, l->count);
    uint32_t champion_count = 0;
    rift_map_init(&champions, arena, l->count);
    if (met == NULL)
        return rift_arena_ok(arena, "canaries", err);
    for (int chosen = 1; chosen >= 0; chosen--) {
        for (size_t i = 0; i < l->count; i++) {
            if (l->skins[i]->canary != (chosen != 0))
                continue;
            const uint32_t at = rift_map_add(&champions, alias_key(l->skins[i]), champion_count);
            if (!rift_arena_ok(arena, "canaries", err))
                return false;
            champion_count += at == champion_count;
            turns[i] = met[at]++;
        }
    }
    return true;
}

static void fill(const line *l, const uint32_t *turns, size_t chosen, size_t max)
{
    for (; chosen < max; chosen++) {
        size_t best = l->count;
        for (size_t i = 0; i < l->count; i++) {
            if (!l->skins[i]->canary && (best == l->count || turns[i] < turns[best]))
                best = i;
        }
        if (best == l->count)
            return;
        l->skins[best]->canary = true;
    }
}

bool rift_canaries_choose(rift_stale *stale, size_t count, size_t max, rift_arena *arena, rift_err *err)
{
    line l = {.skins = RIFT_NEW(arena, rift_stale *, count)};
    uint32_t *turns = RIFT_NEW(arena, uint32_t, count);
    if (!rift_arena_ok(arena, "canaries", err))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!stale[i].gone)
            l.skins[l.count++] = &stale[i];
    }
    if (l.count > 0)
        qsort((void *)l.skins, l.count, sizeof(void *), by_turn);
    const size_t chosen = cover(&l, max);
    if (!count_turns(&l, turns, arena, err))
        return false;
    fill(&l, turns, chosen, max);
    return true;
}
