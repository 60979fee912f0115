/* The disk's reserve: below it conversions wait until there is room again, and while somebody waits for one the least recently used results go. A sweep alone makes
 * nothing go. Room is asked for once a second, and after each eviction: what goes is what is missing, no more. A write that met a full disk counts for a while as well, whatever the file system says (a quota, say). */
#include "cache/cache_internal.h"
#include "log/log.h"

enum {
    PAUSE_MS = 1000,
    NO_ROOM_MS = 2000, /* after a write that failed; doubled each time */
    NO_ROOM_MAX_MS = 60000,
    MARGIN =
        16, /* that part of the reserve more has to be free before it is kept again: it must not change with every result */
};

static uint64_t reserve_of(const rift_cache_config *config, uint64_t total)
{
    const uint64_t share = total / 100 * config->reserve_percent;
    return share < config->reserve_bytes ? share : config->reserve_bytes;
}

static void tell(rift_cache *cache, rift_room state)
{
    static const char *const words[] = {
        "there is room again: conversions go on",
        "the disk's reserve is touched: conversions wait while results go",
        "the disk's reserve is touched, and nothing can go: conversions wait"};
    struct room *r = &cache->room;
    rift_log log;
    if (r->counts.state == state)
        return;
    r->counts.state = state;
    rift_log_begin(&log, state == RIFT_ROOM_KEPT ? RIFT_LOG_INFO : RIFT_LOG_WARNING, words[state]);
    rift_log_int(&log, "free", (int64_t)r->counts.free);
    rift_log_int(&log, "reserve", (int64_t)r->counts.reserve);
    rift_log_end(&log);
    if (cache->config.room != NULL)
        cache->config.room(cache->config.user, state);
}

static void judge(rift_cache *cache)
{
    struct room *r = &cache->room;
    const bool was_kept = r->counts.state == RIFT_ROOM_KEPT;
    const uint64_t want = r->counts.reserve + (was_kept ? 0 : r->counts.reserve / MARGIN);
    const bool failed = r->failed_until_ms > cache_loop_ms(cache);
    const uint64_t missing = want > r->counts.free ? want - r->counts.free : failed ? r->failed_bytes : 0;
    const bool is_wanted = cache->config.is_wanted == NULL || cache->config.is_wanted(cache->config.user);
    r->missing = is_wanted ? missing : 0;
    r->nothing_left = r->nothing_left && is_wanted; /* whoever comes next has it tried again */
    if (missing == 0 && !failed) {
        r->nothing_left = false;
        tell(cache, RIFT_ROOM_KEPT);
        return;
    }
    cache->budget.again |= r->missing > 0;
    tell(cache, r->nothing_left ? RIFT_ROOM_NONE : RIFT_ROOM_SHORT);
}

static void on_looked(uv_fs_t *request)
{
    rift_cache *cache = request->data;
    struct room *r = &cache->room;
    r->busy = false;
    if (request->result == 0) {
        const uv_statfs_t *fs = request->ptr;
        r->counts.free = fs->f_bavail * fs->f_bsize;
        r->counts.reserve = reserve_of(&cache->config, fs->f_blocks * fs->f_bsize);
    }
    uv_fs_req_cleanup(request);
    judge(cache);
}

void room_open(rift_cache *cache)
{
    cache->room.request.data = cache;
    (void)uv_fs_statfs(cache->config.loop, &cache->room.request, cache->config.dir, NULL);
    on_looked(&cache->room.request);
}

void room_start(rift_cache *cache, int64_t now)
{
    struct room *r = &cache->room;
    if (r->busy || cache->budget.busy || now < r->due_ms)
        return;
    r->busy = true;
    r->due_ms = now + PAUSE_MS;
    r->request.data = cache;
    const int code = uv_fs_statfs(cache->config.loop, &r->request, cache->config.dir, on_looked);
    RIFT_ASSERT(code == 0);
}

uint64_t room_take_missing(rift_cache *cache)
{
    const uint64_t missing = cache->room.missing;
    cache->room.missing = 0;
    cache->room.failed_bytes = 0;
    return missing;
}

void room_evicted(rift_cache *cache, uint64_t missing, size_t gone)
{
    if (missing == 0)
        return;
    cache->room.nothing_left = gone == 0;
    if (gone > 0)
        cache->room.failed_until_ms = 0; /* tried again at once */
    cache->room.due_ms = 0;
}

void room_filled(rift_cache *cache)
{
    cache->room.failed_pause_ms = 0;
}

rift_room_counts rift_cache_room(const rift_cache *cache)
{
    return cache->room.counts;
}

void rift_cache_no_room(rift_cache *cache, uint64_t bytes)
{
    struct room *r = &cache->room;
    r->failed_pause_ms = r->failed_pause_ms == 0 ? NO_ROOM_MS : r->failed_pause_ms * 2;
    if (r->failed_pause_ms > NO_ROOM_MAX_MS)
        r->failed_pause_ms = NO_ROOM_MAX_MS;
    r->failed_until_ms = cache_loop_ms(cache) + r->failed_pause_ms;
    r->failed_bytes = bytes;
    judge(cache);
}
