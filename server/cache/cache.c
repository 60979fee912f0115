#include "cache/cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "cache/cache_internal.h"
#include "log/log.h"

enum { TICK_MS = 250, FIRST_SCRUB_MS = 60000 };

int64_t cache_now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t cache_loop_ms(const rift_cache *cache)
{
    return (int64_t)uv_now(cache->config.loop);
}

bool cache_map(
    rift_blobs *blobs, const rift_blob_row *row, rift_bytes inline_data, cache_bytes *out, rift_err *err)
{
    int fd = -1;
    *out = (cache_bytes){.bytes = inline_data};
    if (row->is_inline)
        return true;
    if (!rift_blob_open(blobs, &row->sha256, row->size, &fd, err))
        return false;
    void *map = row->size > 0 ? mmap(NULL, (size_t)row->size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    (void)close(fd);
    if (map == MAP_FAILED)
        return rift_fail(err, RIFT_ERR_IO, "map", RIFT_NO_OFFSET, "the file cannot be mapped");
    out->map = map;
    out->map_size = (size_t)row->size;
    out->bytes = (rift_bytes){map, (size_t)row->size};
    return true;
}

void cache_unmap(cache_bytes *bytes)
{
    if (bytes->map != NULL)
        (void)munmap(bytes->map, bytes->map_size);
    *bytes = (cache_bytes){0};
}

static void on_tick(uv_timer_t *timer)
{
    rift_cache *cache = timer->data;
    const int64_t now = cache_loop_ms(cache);
    if (cache->draining)
        return;
    room_start(cache, now);
    budget_start(cache, now);
    packer_start(cache);
    scrubber_start(cache, now);
}

bool rift_cache_open(rift_cache **out, const rift_cache_config *config, rift_err *err)
{
    rift_cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "cache", RIFT_NO_OFFSET, "out of memory");
    cache->config = *config;
    cache->config.dir = cache->dir = strdup(config->dir);
    if (cache->dir == NULL) {
        free(cache);
        return rift_fail(err, RIFT_ERR_NOMEM, "cache", RIFT_NO_OFFSET, "out of memory");
    }
    cache->budget.again = true; /* the budget may be another than before */
    cache->packer.wanted = true;
    cache->scrubber.due_ms =
        cache_loop_ms(cache) +
        (config->scrub_every_ms < FIRST_SCRUB_MS ? config->scrub_every_ms : FIRST_SCRUB_MS);
    int code = uv_timer_init(config->loop, &cache->tick);
    cache->tick.data = cache;
    code |= uv_timer_start(&cache->tick, on_tick, TICK_MS, TICK_MS);
    RIFT_ASSERT(code == 0);
    room_open(cache);
    *out = cache;
    return true;
}

void rift_cache_set_limits(
    rift_cache *cache, uint64_t bytes, int64_t keep_jobs_ms, int64_t scrub_every_ms, uint64_t scrub_rate)
{
    cache->config.bytes = bytes;
    cache->config.keep_jobs_ms = keep_jobs_ms;
    cache->config.scrub_every_ms = scrub_every_ms;
    cache->config.scrub_rate = scrub_rate;
    cache->budget.again = true;
}

void rift_cache_set_reserve(rift_cache *cache, uint64_t bytes, unsigned percent)
{
    cache->config.reserve_bytes = bytes;
    cache->config.reserve_percent = percent;
}

void rift_cache_filled(rift_cache *cache)
{
    room_filled(cache);
    cache->budget.again = true;
    cache->packer.wanted = true;
}

void rift_cache_touch(rift_cache *cache, const rift_sha256 *sha256)
{
    touches *t = &cache->budget.fresh;
    size_t at;
    memcpy(&at, sha256->bytes, sizeof at);
    at %= TOUCH_SLOTS;
    /* Of two in one slot the older is forgotten: its use is coarse anyway. */
    t->count += t->when_ms[at] == 0;
    t->when_ms[at] = cache_now_ms();
    t->names[at] = *sha256;
}

rift_cache_counts rift_cache_count(const rift_cache *cache)
{
    return cache->counts;
}

void rift_cache_drain(rift_cache *cache)
{
    cache->draining = true;
}

bool rift_cache_is_idle(const rift_cache *cache)
{
    return !cache->budget.busy && !cache->room.busy && !cache->packer.busy && !cache->scrubber.busy;
}

static void on_closed(uv_handle_t *handle)
{
    rift_cache *cache = handle->data;
    free(cache->dir);
    free(cache);
}

void rift_cache_close(rift_cache *cache)
{
    if (cache == NULL)
        return;
    RIFT_ASSERT(rift_cache_is_idle(cache));
    uv_close((uv_handle_t *)&cache->tick, on_closed);
}
