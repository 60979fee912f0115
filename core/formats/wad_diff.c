/* One pass over the old table, one over the new: what is gone waits, by content, for a new entry that has it. */
#include "formats/wad_diff.h"

#include <string.h>

#include "base/str.h"
#include "hash/hash.h"

static const char part[] = "comparison";

const char *rift_change_word(rift_change change)
{
    static const char *const words[] = {"added", "removed", "changed", "renamed", "unsure"};
    return (unsigned)change < RIFT_COUNT(words) ? words[change] : "unknown";
}

rift_same rift_entry_same(const rift_wad_entry *a,
                          rift_wad_checksum a_kind,
                          const rift_wad_entry *b,
                          rift_wad_checksum b_kind)
{
    if (a->size != b->size || a->outside != b->outside)
        return RIFT_SAME_NO;
    if (a_kind != b_kind || a_kind == RIFT_WAD_SUM_NONE || a->checksum == 0 || b->checksum == 0)
        return RIFT_SAME_UNSURE;
    return a->checksum == b->checksum ? RIFT_SAME_YES : RIFT_SAME_NO;
}

/* ---- entries ---- */

/* Those of the old table that are gone, chained by content. */
typedef struct leavers {
    rift_map first;      /* content -> index of the first change that has it */
    uint32_t *next;      /* per change, index + 1; 0 ends */
    uint32_t *last;      /* per first, where its chain ends */
    uint32_t *take_from; /* per first, the next one to give away + 1 */
} leavers;

static uint64_t content_of(const rift_wad_entry *e)
{
    const uint64_t words[] = {e->checksum, e->size, e->stored_size, e->storage};
    return rift_xxh3((rift_bytes){(const uint8_t *)words, sizeof words});
}

static bool is_first(const rift_wad *wad, const rift_wad_entry *e)
{
    return rift_wad_lookup(wad, e->path_hash) == e;
}

static void add_leaver(leavers *l, uint32_t index, const rift_wad_entry *e)
{
    if (e->checksum == 0)
        return;
    const uint32_t first = rift_map_add(&l->first, content_of(e), index);
    if (first == index) {
        l->take_from[first] = index + 1;
    } else {
        l->next[l->last[first]] = index + 1;
    }
    l->last[first] = index;
}

/* The change of an entry with this content that is gone and was not given away yet, or NULL. */
static rift_entry_change *take_leaver(leavers *l, rift_entry_change *changes, const rift_wad_entry *e)
{
    const uint32_t first = e->checksum != 0 ? rift_map_lookup(&l->first, content_of(e)) : RIFT_MAP_NONE;
    if (first == RIFT_MAP_NONE || l->take_from[first] == 0)
        return NULL;
    const uint32_t index = l->take_from[first] - 1;
    l->take_from[first] = l->next[index];
    return &changes[index];
}

static void put_change(rift_archive_change *out, rift_entry_change change)
{
    out->entries[out->entry_count++] = change;
    out->counts[change.what]++;
}

static void find_gone(rift_archive_change *out, leavers *l, const rift_wad *before, const rift_wad *after)
{
    for (size_t i = 0; i < before->entry_count; i++) {
        const rift_wad_entry *e = &before->entries[i];
        if (!is_first(before, e) || rift_wad_lookup(after, e->path_hash) != NULL)
            continue;
        add_leaver(l, (uint32_t)out->entry_count, e);
        put_change(out, (rift_entry_change){.what = RIFT_CHANGE_REMOVED, .before = e});
    }
}

static void find_rest(rift_archive_change *out, leavers *l, const rift_wad *before, const rift_wad *after)
{
    const bool same_kind = before->checksum_kind == after->checksum_kind;
    for (size_t i = 0; i < after->entry_count; i++) {
        const rift_wad_entry *e = &after->entries[i];
        if (!is_first(after, e))
            continue;
        const rift_wad_entry *old = rift_wad_lookup(before, e->path_hash);
        rift_entry_change *leaver = old == NULL && same_kind ? take_leaver(l, out->entries, e) : NULL;
        if (leaver != NULL) {
            leaver->what = RIFT_CHANGE_RENAMED;
            leaver->after = e;
            out->counts[RIFT_CHANGE_REMOVED]--;
            out->counts[RIFT_CHANGE_RENAMED]++;
        } else if (old == NULL) {
            put_change(out, (rift_entry_change){.what = RIFT_CHANGE_ADDED, .after = e});
        } else {
            const rift_same same = rift_entry_same(old, before->checksum_kind, e, after->checksum_kind);
            if (same != RIFT_SAME_YES) {
                put_change(out, (rift_entry_change){
                                    same == RIFT_SAME_NO ? RIFT_CHANGE_CHANGED : RIFT_CHANGE_UNSURE, old, e});
            }
        }
    }
}

/* Upper bound of the changes without the cost of two tables' worth for archives that hardly differ. */
static size_t count_changes(const rift_wad *before, const rift_wad *after)
{
    size_t n = 0;
    for (size_t i = 0; i < before->entry_count; i++)
        n += rift_wad_lookup(after, before->entries[i].path_hash) == NULL;
    for (size_t i = 0; i < after->entry_count; i++) {
        const rift_wad_entry *e = &after->entries[i];
        const rift_wad_entry *old = rift_wad_lookup(before, e->path_hash);
        n += old == NULL ||
             rift_entry_same(old, before->checksum_kind, e, after->checksum_kind) != RIFT_SAME_YES;
    }
    return n;
}

static bool compare_pair(rift_archive_change *out, rift_arena *arena, rift_err *err)
{
    static const rift_wad none;
    const rift_wad *before = out->before != NULL ? out->before->wad : &none;
    const rift_wad *after = out->after != NULL ? out->after->wad : &none;
    const size_t max = count_changes(before, after);
    out->entries = RIFT_NEW(arena, rift_entry_change, max);
    const rift_arena_mark mark = rift_arena_get_mark(arena);
    leavers l = {.next = RIFT_NEW(arena, uint32_t, max),
                 .last = RIFT_NEW(arena, uint32_t, max),
                 .take_from = RIFT_NEW(arena, uint32_t, max)};
    rift_map_init(&l.first, arena, max);
    if (!rift_arena_ok(arena, part, err))
        return false;
    find_gone(out, &l, before, after);
    find_rest(out, &l, before, after);
    rift_arena_rewind(arena, mark);
    return rift_arena_ok(arena, part, err);
}

/* ---- archives ---- */

typedef struct pairing {
    const rift_wad_table *before, *after;
    size_t before_count, after_count;
    uint32_t *partner; /* per new archive: index of the old one + 1 */
    bool *taken;       /* per old archive */
    bool *renamed;     /* per new archive */
} pairing;

static uint64_t table_digest(const rift_wad *wad)
{
    uint64_t digest = wad->checksum_kind;
    for (size_t i = 0; i < wad->entry_count; i++) {
        const rift_wad_entry *e = &wad->entries[i];
        const uint64_t words[] = {digest, e->path_hash, content_of(e)};
        digest = rift_xxh3((rift_bytes){(const uint8_t *)words, sizeof words});
    }
    return digest;
}

/* A table without checksums says too little for this. */
static bool tells_content(const rift_wad *wad)
{
    for (size_t i = 0; i < wad->entry_count; i++) {
        if (wad->entries[i].checksum == 0)
            return false;
    }
    return wad->entry_count > 0 && wad->checksum_kind != RIFT_WAD_SUM_NONE;
}

static void pair_by_path(pairing *p, rift_map *paths)
{
    for (size_t i = 0; i < p->before_count; i++)
        (void)rift_map_add(paths, rift_path_hash(p->before[i].path), (uint32_t)i);
    for (size_t i = 0; i < p->after_count; i++) {
        const uint32_t old = rift_map_lookup(paths, rift_path_hash(p->after[i].path));
        if (old == RIFT_MAP_NONE || p->taken[old])
            continue;
        p->taken[old] = true;
        p->partner[i] = old + 1;
    }
}

static void pair_by_content(pairing *p, rift_map *contents)
{
    for (size_t i = 0; i < p->before_count; i++) {
        if (!p->taken[i] && tells_content(p->before[i].wad))
            (void)rift_map_add(contents, table_digest(p->before[i].wad), (uint32_t)i);
    }
    for (size_t i = 0; i < p->after_count; i++) {
        if (p->partner[i] != 0 || !tells_content(p->after[i].wad))
            continue;
        const uint32_t old = rift_map_lookup(contents, table_digest(p->after[i].wad));
        if (old == RIFT_MAP_NONE || p->taken[old])
            continue;
        p->taken[old] = true;
        p->partner[i] = old + 1;
        p->renamed[i] = true;
    }
}

/* Compares the pair and keeps it when something differs. */
static bool
add_archive(rift_wad_diff *diff, const rift_archive_change *pair, rift_arena *arena, rift_err *err)
{
    rift_archive_change change = *pair;
    if (!compare_pair(&change, arena, err))
        return false;
    if (change.what != RIFT_CHANGE_CHANGED || change.entry_count > 0)
        diff->archives[diff->archive_count++] = change;
    return true;
}

static bool compare_all(rift_wad_diff *diff, const pairing *p, rift_arena *arena, rift_err *err)
{
    for (size_t i = 0; i < p->after_count; i++) {
        rift_archive_change change = {.after = &p->after[i], .what = RIFT_CHANGE_ADDED};
        if (p->partner[i] != 0) {
            change.before = &p->before[p->partner[i] - 1];
            change.what = p->renamed[i] ? RIFT_CHANGE_RENAMED : RIFT_CHANGE_CHANGED;
        }
        if (!add_archive(diff, &change, arena, err))
            return false;
    }
    for (size_t i = 0; i < p->before_count; i++) {
        const rift_archive_change gone = {.before = &p->before[i], .what = RIFT_CHANGE_REMOVED};
        if (!p->taken[i] && !add_archive(diff, &gone, arena, err))
            return false;
    }
    return true;
}

bool rift_wad_compare(rift_wad_diff *out,
                      const rift_wad_table *before,
                      size_t before_count,
                      const rift_wad_table *after,
                      size_t after_count,
                      rift_arena *arena,
                      rift_err *err)
{
    rift_wad_diff diff = {.archives = RIFT_NEW(arena, rift_archive_change, before_count + after_count)};
    pairing p = {.before = before,
                 .after = after,
                 .before_count = before_count,
                 .after_count = after_count,
                 .partner = RIFT_NEW(arena, uint32_t, after_count),
                 .taken = RIFT_NEW(arena, bool, before_count),
                 .renamed = RIFT_NEW(arena, bool, after_count)};
    rift_map paths, contents;
    rift_map_init(&paths, arena, before_count);
    rift_map_init(&contents, arena, before_count);
    if (!rift_arena_ok(arena, part, err))
        return false;
    pair_by_path(&p, &paths);
    pair_by_content(&p, &contents);
    if (!compare_all(&diff, &p, arena, err) || !rift_arena_ok(arena, part, err))
        return false;
    *out = diff;
    return true;
}
