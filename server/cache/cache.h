/* cache.h - what keeps the results in order while the daemon runs: the byte budget, compressed variants, the scrubber, old jobs.
 *
 * Shape   four small machines on one timer, each with one operation under way: store operations on the lanes, reading, hashing and packing on the pool. Files are removed
 *         on the reader's lane, so that no read stands between its row and its file.
 *         Budget: after a result came, the least recently used ones go until all bytes fit, none used in the last seconds.
 *         Scrubber: a pass re-hashes everything at a low rate. What is damaged is put into quarantine and made again; files without a row, older than an hour,
 *         are removed.
 * Thread  the loop. */
#ifndef RIFT_CACHE_CACHE_H
#define RIFT_CACHE_CACHE_H

#include "blob/blob.h"
#include "lane/lane.h"

typedef struct rift_cache rift_cache;

typedef struct rift_cache_config {
    uv_loop_t *loop;
    rift_lane *writer, *reader;
    rift_blobs *blobs;
    uint64_t bytes;         /* budget; 0: none */
    int64_t keep_jobs_ms;   /* how long jobs that are over are told of */
    int64_t scrub_every_ms; /* 0: never */
    uint64_t scrub_rate;    /* bytes a second */
    /* Asked to make again what this was. Its strings are valid during the call. */
    void (*remake)(void *user, const rift_job_spec *spec);
    void *user;
} rift_cache_config;

RIFT_NODISCARD bool rift_cache_open(rift_cache **out, const rift_cache_config *config, rift_err *err);
/* Limits that may change while it runs. */
void rift_cache_set_limits(
    rift_cache *cache, uint64_t bytes, int64_t keep_jobs_ms, int64_t scrub_every_ms, uint64_t scrub_rate);
/* A result came. */
void rift_cache_filled(rift_cache *cache);
/* These bytes were served. Stored once a minute. */
void rift_cache_touch(rift_cache *cache, const rift_sha256 *sha256);

typedef struct rift_cache_counts {
    uint64_t bytes, blobs; /* at the last look */
    uint64_t evicted, evicted_bytes;
    uint64_t packed;   /* variants made */
    uint64_t scrubbed; /* blobs hashed and found whole */
    uint64_t damaged, orphans, passes;
    uint64_t pruned; /* jobs */
} rift_cache_counts;
rift_cache_counts rift_cache_count(const rift_cache *cache);

/* Begins nothing more. */
void rift_cache_drain(rift_cache *cache);
bool rift_cache_is_idle(const rift_cache *cache);
/* When it is idle. The memory is freed once the loop has closed its handle. */
void rift_cache_close(rift_cache *cache);

#endif
