/* cache_internal.h - shared by the machines of the cache. Each has: start (from the tick), and a flag that one operation is under way. */
#ifndef RIFT_CACHE_CACHE_INTERNAL_H
#define RIFT_CACHE_CACHE_INTERNAL_H

#include "cache/cache.h"

enum { TOUCH_SLOTS = 2048 };

/* A row and its bytes, as a pool thread holds them. */
typedef struct cache_bytes {
    rift_bytes bytes; /* inline: in an arena; else mapped */
    void *map;
    size_t map_size;
} cache_bytes;

typedef struct touches {
    rift_sha256 names[TOUCH_SLOTS];
    int64_t when_ms[TOUCH_SLOTS]; /* 0: empty */
    size_t count;
} touches;

struct budget {
    rift_lane_op op, remove_op;
    bool busy, again;
    int64_t due_ms;
    uint64_t bytes; /* as the settings had them when the operation began */
    rift_sha256 source;
    int64_t keep_jobs_ms;
    rift_arena arena;
    rift_blob_list gone;
    int64_t removed_before_ms;
    rift_store_usage usage;
    touches fresh, storing; /* the loop's, the operation's */
    int64_t touch_due_ms;
    int64_t prune_due_ms;
    bool prune;
    int64_t pruned;
    uint64_t missing; /* bytes that the disk's reserve wants */
};

struct room {
    uv_fs_t request;
    bool busy;
    int64_t due_ms;
    rift_room_counts counts;
    uint64_t missing;  /* by the last look; taken by the budget */
    bool nothing_left; /* the last eviction found nothing */
    int64_t failed_until_ms, failed_pause_ms;
    uint64_t failed_bytes;
};

struct packer {
    rift_lane_op op;
    uv_work_t work;
    bool busy, wanted;
    rift_arena arena;
    bool found, taken;
    rift_blob_row row;
    rift_encoding encoding;
    rift_artifact_row artifact; /* with inline bytes */
    bool has_variant, failed;
    rift_blob_row variant;
};

struct scrubber {
    rift_lane_op op;
    uv_work_t work;
    bool busy;
    int64_t due_ms; /* of the next step */
    int64_t pass_began_ms;
    bool in_pass;
    bool has_after;
    rift_sha256 after;
    unsigned slice; /* of orphans: first byte of their names; after the rows */
    bool in_orphans;
    rift_arena arena;
    rift_blob_list rows;
    bool has_artifact;
    rift_artifact_row artifact;
    bool damaged, confirmed;
    uint64_t orphans;
};

struct rift_cache {
    rift_cache_config config;
    char *dir; /* config.dir */
    uv_timer_t tick;
    bool draining;
    rift_cache_counts counts;
    struct budget budget;
    struct room room;
    struct packer packer;
    struct scrubber scrubber;
};

int64_t cache_now_ms(void); /* since 1970 */
int64_t cache_loop_ms(const rift_cache *cache);
/* Bytes of a row: those of the artifact when it is inline, else the mapped file. */
bool cache_map(
    rift_blobs *blobs, const rift_blob_row *row, rift_bytes inline_data, cache_bytes *out, rift_err *err);
void cache_unmap(cache_bytes *bytes);

void budget_start(rift_cache *cache, int64_t now);
void room_open(rift_cache *cache); /* looks at once: blocks */
void room_start(rift_cache *cache, int64_t now);
/* Bytes that should go; 0 until the next look. */
uint64_t room_take_missing(rift_cache *cache);
/* Of so many bytes that should go, these results went. */
void room_evicted(rift_cache *cache, uint64_t missing, size_t gone);
/* A result was written. */
void room_filled(rift_cache *cache);
void packer_start(rift_cache *cache);
void scrubber_start(rift_cache *cache, int64_t now);

#endif
