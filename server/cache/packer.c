/* Compressed variants (A11): one artifact and encoding after the other, asked of the store, so that a restart goes on where it was. */
#include "cache/cache_internal.h"
#include "compress/compress.h"
#include "log/log.h"

enum {
    ZSTD_LEVEL = 9,
    SMALLEST = 1024, /* below it nothing is worth a second file */
    LARGEST = 512 * 1024 * 1024,
};

static rift_cache *cache_of(struct packer *p)
{
    return RIFT_OP_OWNER(p, rift_cache, packer);
}

/* `wanted` was taken at the start: what it is now came since, or is this run's wish to go on. */
static void finish(struct packer *p)
{
    rift_arena_release(&p->arena);
    p->busy = false;
    if (!cache_of(p)->draining)
        packer_start(cache_of(p));
}

static bool work_next(rift_lane_op *op, rift_store *store, rift_err *err)
{
    struct packer *p = RIFT_OP_OWNER(op, struct packer, op);
    bool found = false;
    return rift_store_unpacked(store, &p->found, &p->row, &p->encoding, err) &&
           (!p->found || !p->row.is_inline ||
            rift_store_artifact(store, &p->row.sha256, true, &found, &p->artifact, &p->arena, err));
}

static bool work_note(rift_lane_op *op, rift_store *store, rift_err *err)
{
    struct packer *p = RIFT_OP_OWNER(op, struct packer, op);
    return rift_store_add_variant(store, &p->row.sha256, p->encoding, p->has_variant ? &p->variant : NULL,
                                  cache_now_ms(), &p->taken, err);
}

static void done_note(rift_lane_op *op)
{
    struct packer *p = RIFT_OP_OWNER(op, struct packer, op);
    if (!op->ok) {
        rift_log_failure("a variant was not stored", &op->err); /* the next result brings the packer back */
        finish(p);
        return;
    }
    if (p->taken && p->has_variant) {
        cache_of(p)->counts.packed++;
        cache_of(p)->budget.again = true;
    }
    p->wanted = true;
    finish(p);
}

static bool pack(struct packer *p, const cache_bytes *source, rift_err *err)
{
    rift_bytes packed;
    if (source->bytes.size < SMALLEST || source->bytes.size > LARGEST)
        return true;
    const bool ok = p->encoding == RIFT_ENCODING_ZSTD
                        ? rift_zstd(&packed, source->bytes, ZSTD_LEVEL, &p->arena, err)
                        : rift_gzip(&packed, source->bytes, &p->arena, err);
    if (!ok)
        return false;
    if (packed.size > source->bytes.size / 10 * 9)
        return true;
    p->variant = (rift_blob_row){.sha256 = rift_sha256_of(packed), .size = packed.size};
    p->has_variant = true;
    return rift_blob_put(cache_of(p)->config.blobs, &p->variant.sha256, packed, err);
}

/* A source that cannot be read is the scrubber's matter; it counts as tried. */
static void on_pool(uv_work_t *work)
{
    struct packer *p = work->data;
    rift_err err;
    cache_bytes source;
    rift_err_in(&err, (rift_str){0});
    p->has_variant = false;
    p->failed = false;
    if (!cache_map(cache_of(p)->config.blobs, &p->row, p->artifact.inline_data, &source, &err))
        return;
    p->failed = !pack(p, &source, &err);
    cache_unmap(&source);
    if (p->failed)
        rift_log_failure("a variant was not made", &err);
}

static void on_packed(uv_work_t *work, int status)
{
    (void)status; /* never cancelled */
    struct packer *p = work->data;
    if (p->failed) {
        finish(p);
        return;
    }
    p->op.work = work_note;
    p->op.done = done_note;
    rift_lane_submit(cache_of(p)->config.writer, &p->op);
}

static void done_next(rift_lane_op *op)
{
    struct packer *p = RIFT_OP_OWNER(op, struct packer, op);
    if (!op->ok)
        rift_log_failure("the packer found nothing to do", &op->err);
    if (!op->ok || !p->found || cache_of(p)->draining) {
        finish(p);
        return;
    }
    p->work.data = p;
    const int code = uv_queue_work(cache_of(p)->config.loop, &p->work, on_pool, on_packed);
    RIFT_ASSERT(code == 0);
}

void packer_start(rift_cache *cache)
{
    struct packer *p = &cache->packer;
    if (p->busy || !p->wanted || cache->room.counts.state != RIFT_ROOM_KEPT)
        return;
    p->busy = true;
    p->wanted = false;
    p->artifact = (rift_artifact_row){0};
    rift_arena_init(&p->arena, (size_t)2 * LARGEST);
    p->op.work = work_next;
    p->op.done = done_next;
    rift_lane_submit(cache->config.reader, &p->op);
}
