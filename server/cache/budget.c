/* The byte budget, uses, and old jobs: one operation of the writer, then one of the reader that removes the files. */
#include <string.h>

#include "cache/cache_internal.h"
#include "log/log.h"

enum {
    PAUSE_MS = 1000,
    SPARE_MS = 5000, /* what was used in this time stays: somebody may be about to read it */
    TOUCH_MS = 60000,
    PRUNE_MS = 600000,
    MAX_VICTIMS = 64,
    MAX_PRUNED = 500,
    ARENA_BYTES = 16 * 1024 * 1024,
};

static rift_cache *cache_of(struct budget *b)
{
    return RIFT_OP_OWNER(b, rift_cache, budget);
}

static bool store_touches(const touches *t, rift_store *store, rift_err *err)
{
    for (size_t i = 0; i < TOUCH_SLOTS && t->count > 0; i++) {
        if (t->when_ms[i] != 0 && !rift_store_touch(store, &t->names[i], t->when_ms[i], err))
            return false;
    }
    return true;
}

/* What is missing on the disk comes off what is kept, if that is not less anyway. */
static bool evict(struct budget *b, rift_store *store, int64_t now, rift_err *err)
{
    uint64_t budget = b->bytes > 0 ? b->bytes : UINT64_MAX;
    if (b->missing > 0) {
        if (!rift_store_usage_of(store, &b->usage, err))
            return false;
        const uint64_t rest = b->usage.bytes > b->missing ? b->usage.bytes - b->missing : 0;
        budget = rest < budget ? rest : budget;
    }
    const rift_eviction what = {
        .budget = budget, .used_before = now - SPARE_MS, .source = b->source, .max = MAX_VICTIMS};
    return rift_store_evict(store, &what, &b->gone, &b->arena, err);
}

static bool work_budget(rift_lane_op *op, rift_store *store, rift_err *err)
{
    struct budget *b = RIFT_OP_OWNER(op, struct budget, op);
    const int64_t now = cache_now_ms();
    b->removed_before_ms = now;
    b->pruned = 0;
    if (!store_touches(&b->storing, store, err) ||
        (b->prune && !rift_store_prune(store, now - b->keep_jobs_ms, now, MAX_PRUNED, &b->pruned, err)))
        return false;
    return evict(b, store, now, err) && rift_store_usage_of(store, &b->usage, err);
}

static bool work_remove(rift_lane_op *op, rift_store *store, rift_err *err)
{
    (void)store;
    struct budget *b = RIFT_OP_OWNER(op, struct budget, remove_op);
    for (size_t i = 0; i < b->gone.count; i++) {
        bool removed;
        if (!b->gone.rows[i].is_inline &&
            !rift_blob_remove(cache_of(b)->config.blobs, &b->gone.rows[i].sha256, b->removed_before_ms,
                              &removed, err))
            return false; /* the scrubber finds the rest */
    }
    return true;
}

static void finish(struct budget *b)
{
    room_evicted(cache_of(b), b->missing, b->gone.count);
    rift_arena_release(&b->arena);
    b->gone = (rift_blob_list){0};
    b->busy = false;
}

static void done_remove(rift_lane_op *op)
{
    struct budget *b = RIFT_OP_OWNER(op, struct budget, remove_op);
    if (!op->ok)
        rift_log_failure("an evicted file was not removed", &op->err);
    finish(b);
}

static void log_evicted(const rift_cache *cache, uint64_t bytes)
{
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_INFO, "evicted");
    rift_log_int(&log, "files", (int64_t)cache->budget.gone.count);
    rift_log_int(&log, "bytes", (int64_t)bytes);
    rift_log_int(&log, "left", (int64_t)cache->counts.bytes);
    rift_log_end(&log);
}

static void done_budget(rift_lane_op *op)
{
    struct budget *b = RIFT_OP_OWNER(op, struct budget, op);
    rift_cache *cache = cache_of(b);
    if (!op->ok) {
        rift_log_failure("the cache was not looked after", &op->err);
        b->again = true;
        b->gone = (rift_blob_list){0}; /* none of it went */
        finish(b);
        return;
    }
    if (b->prune && b->pruned < MAX_PRUNED)
        b->prune = false;
    cache->counts.pruned += (uint64_t)b->pruned;
    cache->counts.bytes = b->usage.bytes;
    cache->counts.blobs = b->usage.blobs;
    const bool over = b->bytes > 0 && b->usage.bytes > b->bytes;
    b->again |= over;
    if (b->gone.count == 0) {
        if (over) { /* all that is left was used just now, or is pinned */
            b->due_ms = cache_loop_ms(cache) + SPARE_MS;
        }
        finish(b);
        return;
    }
    uint64_t bytes = 0;
    for (size_t i = 0; i < b->gone.count; i++)
        bytes += b->gone.rows[i].size;
    cache->counts.evicted += b->gone.count;
    cache->counts.evicted_bytes += bytes;
    log_evicted(cache, bytes);
    b->remove_op.work = work_remove;
    b->remove_op.done = done_remove;
    rift_lane_submit(cache->config.reader, &b->remove_op);
}

void budget_start(rift_cache *cache, int64_t now)
{
    struct budget *b = &cache->budget;
    if (now >= b->prune_due_ms) {
        b->prune = true;
        b->prune_due_ms = now + PRUNE_MS;
    }
    const bool touch = b->fresh.count > 0 && now >= b->touch_due_ms;
    if (b->busy || cache->room.busy || now < b->due_ms || (!b->again && !touch && !b->prune))
        return;
    b->busy = true;
    b->again = false;
    b->due_ms = now + PAUSE_MS;
    b->touch_due_ms = now + TOUCH_MS;
    b->bytes = cache->config.bytes;
    b->missing = room_take_missing(cache);
    b->source = cache->config.source(cache->config.user);
    b->keep_jobs_ms = cache->config.keep_jobs_ms;
    b->storing = b->fresh;
    b->fresh = (touches){.count = 0};
    rift_arena_init(&b->arena, ARENA_BYTES);
    b->op.work = work_budget;
    b->op.done = done_budget;
    rift_lane_submit(cache->config.writer, &b->op);
}
