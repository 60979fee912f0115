/* One step at a time: a row is fetched (reader), its bytes hashed (pool); what is not what its name says is put away (pool) and forgotten (writer). After the last row
 * come the files without rows, one first byte of their names after the other (reader). */
#include <string.h>

#include "base/str.h"
#include "cache/cache_internal.h"
#include "log/log.h"

enum {
    ORPHAN_MS = 3600 * 1000, /* a younger one may be a result whose row is about to be written */
    ARENA_BYTES = 256 * 1024 * 1024,
};

static rift_cache *cache_of(struct scrubber *s)
{
    return RIFT_OP_OWNER(s, rift_cache, scrubber);
}

/* The step is over; the next begins once the rate allows it. */
static void finish(struct scrubber *s, uint64_t bytes)
{
    rift_cache *cache = cache_of(s);
    const uint64_t rate = cache->config.scrub_rate > 0 ? cache->config.scrub_rate : 1;
    s->due_ms = cache_loop_ms(cache) + (int64_t)(bytes * 1000 / rate);
    rift_arena_release(&s->arena);
    s->busy = false;
    if (s->in_pass && !cache->draining)
        scrubber_start(cache, cache_loop_ms(cache));
}

static void fail(struct scrubber *s, const char *what, const rift_err *err)
{
    rift_log_failure(what, err);
    s->in_pass = false;
    s->due_ms = cache_loop_ms(cache_of(s)) + cache_of(s)->config.scrub_every_ms;
    rift_arena_release(&s->arena);
    s->busy = false;
}

/* ---- damage ---- */

/* Evicted meanwhile: no damage. */
static bool work_forget(rift_lane_op *op, rift_store *store, rift_err *err)
{
    struct scrubber *s = RIFT_OP_OWNER(op, struct scrubber, op);
    rift_blob_list gone = {0};
    const rift_sha256 *name = &s->rows.rows[0].sha256;
    return rift_store_has_blob(store, name, &s->confirmed, err) &&
           (!s->confirmed || rift_store_forget(store, name, &gone, &s->arena, err));
}

static void done_forget(rift_lane_op *op)
{
    struct scrubber *s = RIFT_OP_OWNER(op, struct scrubber, op);
    rift_cache *cache = cache_of(s);
    if (!op->ok) {
        fail(s, "damage was not noted", &op->err);
        return;
    }
    if (s->confirmed) {
        char hex[65];
        rift_log log;
        rift_sha256_hex(&s->rows.rows[0].sha256, hex);
        rift_log_begin(&log, RIFT_LOG_WARNING, "damaged bytes; they are made again");
        rift_log_str(&log, "sha256", rift_str_c(hex));
        rift_log_end(&log);
        cache->counts.damaged++;
        if (s->has_artifact && !cache->draining)
            cache->config.remake(cache->config.user, &s->artifact.spec);
        cache->packer.wanted = true; /* if it was a variant */
    }
    finish(s, s->rows.rows[0].size);
}

/* ---- rows ---- */

static bool work_row(rift_lane_op *op, rift_store *store, rift_err *err)
{
    struct scrubber *s = RIFT_OP_OWNER(op, struct scrubber, op);
    s->rows = (rift_blob_list){0};
    s->has_artifact = false;
    s->artifact = (rift_artifact_row){0};
    return rift_store_blobs(store, s->has_after ? &s->after : NULL, 1, &s->rows, &s->arena, err) &&
           (s->rows.count == 0 || rift_store_artifact(store, &s->rows.rows[0].sha256, true, &s->has_artifact,
                                                      &s->artifact, &s->arena, err));
}

static void on_pool(uv_work_t *work)
{
    struct scrubber *s = work->data;
    const rift_blob_row *row = &s->rows.rows[0];
    rift_blobs *blobs = cache_of(s)->config.blobs;
    cache_bytes bytes;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    s->damaged = true;
    if (cache_map(blobs, row, s->artifact.inline_data, &bytes, &err)) {
        const rift_sha256 sha256 = rift_sha256_of(bytes.bytes);
        s->damaged = memcmp(sha256.bytes, row->sha256.bytes, sizeof sha256.bytes) != 0;
        cache_unmap(&bytes);
    } else if (err.code == RIFT_ERR_NOMEM) {
        s->damaged = false; /* nothing is known */
    }
    if (s->damaged && !row->is_inline && !rift_blob_quarantine(blobs, &row->sha256, &err))
        rift_log_failure("damaged bytes were not put away", &err);
}

static void on_hashed(uv_work_t *work, int status)
{
    (void)status; /* never cancelled */
    struct scrubber *s = work->data;
    rift_cache *cache = cache_of(s);
    if (!s->damaged) {
        cache->counts.scrubbed++;
        finish(s, s->rows.rows[0].size);
        return;
    }
    s->op.work = work_forget;
    s->op.done = done_forget;
    rift_lane_submit(cache->config.writer, &s->op);
}

static void done_row(rift_lane_op *op)
{
    struct scrubber *s = RIFT_OP_OWNER(op, struct scrubber, op);
    if (!op->ok) {
        fail(s, "the scrubber cannot read the store", &op->err);
        return;
    }
    if (s->rows.count == 0) {
        s->in_orphans = true;
        s->slice = 0;
        finish(s, 0);
        return;
    }
    s->after = s->rows.rows[0].sha256;
    s->has_after = true;
    s->work.data = s;
    const int code = uv_queue_work(cache_of(s)->config.loop, &s->work, on_pool, on_hashed);
    RIFT_ASSERT(code == 0);
}

/* ---- orphans ---- */

static bool work_orphans(rift_lane_op *op, rift_store *store, rift_err *err)
{
    struct scrubber *s = RIFT_OP_OWNER(op, struct scrubber, op);
    rift_blobs *blobs = cache_of(s)->config.blobs;
    const int64_t before = cache_now_ms() - ORPHAN_MS;
    rift_sha256 *names;
    size_t count;
    if (!rift_blob_names(blobs, (uint8_t)s->slice, &names, &count, &s->arena, err))
        return false;
    s->orphans = 0;
    for (size_t i = 0; i < count; i++) {
        bool known, removed = false;
        if (!rift_store_has_blob(store, &names[i], &known, err) ||
            (!known && !rift_blob_remove(blobs, &names[i], before, &removed, err)))
            return false;
        s->orphans += removed;
    }
    return true;
}

static void end_pass(struct scrubber *s)
{
    rift_cache *cache = cache_of(s);
    cache->counts.passes++;
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_INFO, "scrubbed");
    rift_log_int(&log, "whole", (int64_t)cache->counts.scrubbed);
    rift_log_int(&log, "damaged", (int64_t)cache->counts.damaged);
    rift_log_int(&log, "orphans", (int64_t)cache->counts.orphans);
    rift_log_end(&log);
    s->in_pass = false;
    finish(s, 0);
    const int64_t next = s->pass_began_ms + cache->config.scrub_every_ms;
    s->due_ms = next > s->due_ms ? next : s->due_ms;
}

static void done_orphans(rift_lane_op *op)
{
    struct scrubber *s = RIFT_OP_OWNER(op, struct scrubber, op);
    if (!op->ok) {
        fail(s, "the scrubber cannot read the folder", &op->err);
        return;
    }
    cache_of(s)->counts.orphans += s->orphans;
    if (++s->slice == 256) {
        end_pass(s);
    } else {
        finish(s, 0);
    }
}

/* ---- steps ---- */

static void begin_pass(struct scrubber *s, int64_t now)
{
    s->in_pass = true;
    s->in_orphans = false;
    s->has_after = false;
    s->pass_began_ms = now;
}

void scrubber_start(rift_cache *cache, int64_t now)
{
    struct scrubber *s = &cache->scrubber;
    if (s->busy || now < s->due_ms || (!s->in_pass && cache->config.scrub_every_ms == 0))
        return;
    if (!s->in_pass)
        begin_pass(s, now);
    s->busy = true;
    rift_arena_init(&s->arena, ARENA_BYTES);
    s->op.work = s->in_orphans ? work_orphans : work_row;
    s->op.done = s->in_orphans ? done_orphans : done_row;
    rift_lane_submit(cache->config.reader, &s->op);
}
