/* cache.h - what keeps the results in order while the daemon runs: the byte budget, compressed variants, the scrubber, old jobs.
 *
 * Shape   five small machines on one timer, each with one operation under way: store operations on the lanes, reading, hashing and packing on the pool. Files are removed
 *         on the reader's lane, so that no read stands between its row and its file.
 *         Budget: after a result came, the least recently used ones go until all bytes fit, those of former states of the game first, none used in the
 *         last seconds.
 *         Room: while less of the disk is free than the reserve, who writes is told to wait, and the least recently used ones go
 *         if somebody waits for that.
 *         Scrubber: a pass re-hashes everything at a low rate. What is damaged is put into quarantine and made again; files without a row, older than an hour,
 *         are removed.
 * Thread  the loop. */
#ifndef RIFT_CACHE_CACHE_H
#define RIFT_CACHE_CACHE_H

#include "blob/blob.h"
#include "lane/lane.h"

typedef struct rift_cache rift_cache;

typedef enum rift_room {
    RIFT_ROOM_KEPT,  /* the reserve is free */
    RIFT_ROOM_SHORT, /* it is not; results go when somebody waits */
    RIFT_ROOM_NONE   /* it is not, and nothing more can go */
} rift_room;

typedef struct rift_cache_config {
    uv_loop_t *loop;
    rift_lane *writer, *reader;
    rift_blobs *blobs;
    const char *dir;          /* where the disk is asked how much is free; copied */
    uint64_t bytes;           /* budget; 0: none */
    uint64_t reserve_bytes;   /* of the disk, or */
    unsigned reserve_percent; /* of it, the smaller of both */
    int64_t keep_jobs_ms;     /* how long jobs that are over are told of */
    int64_t scrub_every_ms;   /* 0: never */
    uint64_t scrub_rate;      /* bytes a second */
    /* Asked to make again what this was. Its strings are valid during the call. */
    void (*remake)(void *user, const rift_job_spec *spec);
    /* The room is another than before (KEPT at the start); the first time before rift_cache_open returns. May be NULL. */
    void (*room)(void *user, rift_room room);
    /* The label of results that hold for the game as it is: they are the last to go. */
    rift_sha256 (*source)(void *user);
    /* Whether somebody waits for room; only then results go for the reserve's sake. NULL: always. */
    bool (*is_wanted)(void *user);
    void *user;
} rift_cache_config;

RIFT_NODISCARD bool rift_cache_open(rift_cache **out, const rift_cache_config *config, rift_err *err);
/* Limits that may change while it runs. */
void rift_cache_set_limits(
    rift_cache *cache, uint64_t bytes, int64_t keep_jobs_ms, int64_t scrub_every_ms, uint64_t scrub_rate);
void rift_cache_set_reserve(rift_cache *cache, uint64_t bytes, unsigned percent);
/* So many bytes could not be written: there is no room for a while, whatever the file system says. */
void rift_cache_no_room(rift_cache *cache, uint64_t bytes);
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

typedef struct rift_room_counts {
    rift_room state;
    uint64_t free, reserve; /* bytes, at the last look */
} rift_room_counts;
rift_room_counts rift_cache_room(const rift_cache *cache);

/* Begins nothing more. */
void rift_cache_drain(rift_cache *cache);
bool rift_cache_is_idle(const rift_cache *cache);
/* When it is idle. The memory is freed once the loop has closed its handle. */
void rift_cache_close(rift_cache *cache);

#endif
