/* The way to an implementation, and what is the same in all of them. */
#include "store/store.h"

#include "base/str.h"

static const char *const state_words[] = {"queued", "running", "done", "failed", "dead", "cancelled"};

const char *rift_job_state_word(rift_job_state state)
{
    return (unsigned)state < RIFT_COUNT(state_words) ? state_words[state] : "unknown";
}

bool rift_job_state_parse(rift_str word, rift_job_state *out)
{
    for (size_t i = 0; i < RIFT_COUNT(state_words); i++) {
        if (rift_str_eq(word, rift_str_c(state_words[i]))) {
            *out = (rift_job_state)i;
            return true;
        }
    }
    return false;
}

const char *rift_skin_state_word(rift_skin_state state)
{
    static const char *const words[] = {"never", "fresh", "stale", "failed"};
    return (unsigned)state < RIFT_COUNT(words) ? words[state] : "unknown";
}

const char *rift_encoding_word(rift_encoding encoding)
{
    return encoding == RIFT_ENCODING_ZSTD ? "zstd" : "gzip";
}

int64_t rift_failure_memory_ms(int64_t failures)
{
    int64_t ms = RIFT_FAILURE_MEMORY_MS;
    for (int64_t i = 1; i < failures && ms < RIFT_FAILURE_MEMORY_MAX_MS; i++)
        ms *= 2;
    return ms < RIFT_FAILURE_MEMORY_MAX_MS ? ms : RIFT_FAILURE_MEMORY_MAX_MS;
}

void rift_blob_list_add(rift_blob_list *list, const rift_blob_row *row, rift_arena *arena)
{
    if (list->count == list->capacity) {
        const size_t wider = list->capacity > 0 ? 2 * list->capacity : 16;
        rift_blob_row *rows =
            rift_arena_grow(arena, list->rows, list->capacity * sizeof *rows, wider * sizeof *rows);
        if (rows == NULL)
            return;
        list->rows = rows;
        list->capacity = wider;
    }
    list->rows[list->count++] = *row;
}

/* The state of a skin is what is known about its key, else whether anything was ever made. */
bool rift_store_skin_state(
    rift_store *store, const rift_job_spec *spec, int64_t now, rift_skin_state *out, rift_err *err)
{
    rift_arena arena;
    rift_arena_init(&arena, (size_t)1 << 20);
    rift_found found;
    rift_artifact_row newest;
    bool has_newest = false;
    bool ok = rift_store_find(store, &spec->key, now, &found, &arena, err);
    if (ok && found.kind == RIFT_FOUND_ARTIFACT) {
        *out = RIFT_SKIN_FRESH;
    } else if (ok && found.kind == RIFT_FOUND_FAILURE) {
        *out = RIFT_SKIN_FAILED;
    } else if (ok && (ok = rift_store_newest(store, spec->alias, spec->number, spec->options, &has_newest,
                                             &newest, &arena, err))) {
        *out = has_newest ? RIFT_SKIN_STALE : RIFT_SKIN_NEVER;
    }
    rift_arena_release(&arena);
    return ok;
}

/* ---- dispatch ---- */

void rift_store_close(rift_store *store)
{
    if (store != NULL)
        store->ops->close(store);
}

bool rift_store_begin(rift_store *store, rift_err *err)
{
    return store->ops->begin(store, err);
}

bool rift_store_commit(rift_store *store, rift_err *err)
{
    return store->ops->commit(store, err);
}

void rift_store_rollback(rift_store *store)
{
    store->ops->rollback(store);
}

void rift_store_checkpoint(rift_store *store)
{
    store->ops->checkpoint(store);
}

bool rift_store_savepoint(rift_store *store, rift_err *err)
{
    return store->ops->savepoint(store, err);
}

bool rift_store_release(rift_store *store, bool keep, rift_err *err)
{
    return store->ops->release(store, keep, err);
}

bool rift_store_start(rift_store *store, bool *was_clean, rift_err *err)
{
    return store->ops->start(store, was_clean, err);
}

bool rift_store_stop(rift_store *store, rift_err *err)
{
    return store->ops->stop(store, err);
}

bool rift_store_find(
    rift_store *store, const rift_sha256 *key, int64_t now, rift_found *out, rift_arena *arena, rift_err *err)
{
    return store->ops->find(store, key, now, out, arena, err);
}

bool rift_store_job(
    rift_store *store, int64_t id, bool *found, rift_job_row *out, rift_arena *arena, rift_err *err)
{
    return store->ops->job(store, id, found, out, arena, err);
}

bool rift_store_artifact(rift_store *store,
                         const rift_sha256 *sha256,
                         bool with_data,
                         bool *found,
                         rift_artifact_row *out,
                         rift_arena *arena,
                         rift_err *err)
{
    return store->ops->artifact(store, sha256, with_data, found, out, arena, err);
}

bool rift_store_newest(rift_store *store,
                       rift_str alias,
                       uint32_t number,
                       rift_str options,
                       bool *found,
                       rift_artifact_row *out,
                       rift_arena *arena,
                       rift_err *err)
{
    return store->ops->newest(store, alias, number, options, found, out, arena, err);
}

bool rift_store_outputs(rift_store *store,
                        rift_str alias,
                        uint32_t number,
                        rift_artifact_row **out,
                        size_t *count,
                        rift_arena *arena,
                        rift_err *err)
{
    return store->ops->outputs(store, alias, number, out, count, arena, err);
}

bool rift_store_report(rift_store *store,
                       const rift_job_spec *spec,
                       int64_t *job,
                       rift_str *report,
                       rift_arena *arena,
                       rift_err *err)
{
    return store->ops->report(store, spec, job, report, arena, err);
}

bool rift_store_enqueue(rift_store *store,
                        const rift_job_spec *spec,
                        int64_t now,
                        rift_found *out,
                        rift_arena *arena,
                        rift_err *err)
{
    return store->ops->enqueue(store, spec, now, out, arena, err);
}

bool rift_store_claim(rift_store *store,
                      const rift_claim *claim,
                      bool *found,
                      rift_job_row *out,
                      rift_arena *arena,
                      rift_err *err)
{
    return store->ops->claim(store, claim, found, out, arena, err);
}

bool rift_store_beat(
    rift_store *store, int64_t id, int64_t epoch, int64_t lease_until, bool *taken, rift_err *err)
{
    return store->ops->beat(store, id, epoch, lease_until, taken, err);
}

bool rift_store_finish(rift_store *store,
                       int64_t id,
                       int64_t epoch,
                       const rift_job_output *output,
                       int64_t now,
                       bool *taken,
                       rift_err *err)
{
    return store->ops->finish(store, id, epoch, output, now, taken, err);
}

bool rift_store_fail(rift_store *store,
                     int64_t id,
                     int64_t epoch,
                     const rift_job_failure *failure,
                     int64_t now,
                     bool *taken,
                     rift_job_row *after,
                     rift_arena *arena,
                     rift_err *err)
{
    return store->ops->fail(store, id, epoch, failure, now, taken, after, arena, err);
}

bool rift_store_lift(rift_store *store, int64_t id, int priority, rift_err *err)
{
    return store->ops->lift(store, id, priority, err);
}

bool rift_store_cancel(rift_store *store, int64_t id, int64_t epoch, int64_t now, bool *taken, rift_err *err)
{
    return store->ops->cancel(store, id, epoch, now, taken, err);
}

bool rift_store_requeue(rift_store *store, int64_t id, int64_t epoch, bool *taken, rift_err *err)
{
    return store->ops->requeue(store, id, epoch, taken, err);
}

bool rift_store_reap(
    rift_store *store, int64_t now, bool all, int64_t *requeued, int64_t *dead, rift_err *err)
{
    return store->ops->reap(store, now, all, requeued, dead, err);
}

bool rift_store_prune(
    rift_store *store, int64_t before, int64_t now, size_t max, int64_t *removed, rift_err *err)
{
    return store->ops->prune(store, before, now, max, removed, err);
}

bool rift_store_rekey(rift_store *store, int64_t id, const rift_sha256 *key, bool *taken, rift_err *err)
{
    return store->ops->rekey(store, id, key, taken, err);
}

bool rift_store_forget(
    rift_store *store, const rift_sha256 *sha256, rift_blob_list *gone, rift_arena *arena, rift_err *err)
{
    return store->ops->forget(store, sha256, gone, arena, err);
}

bool rift_store_touch(rift_store *store, const rift_sha256 *sha256, int64_t now, rift_err *err)
{
    return store->ops->touch(store, sha256, now, err);
}

bool rift_store_pin(rift_store *store, const rift_sha256 *key, bool pinned, rift_err *err)
{
    return store->ops->pin(store, key, pinned, err);
}

bool rift_store_evict(
    rift_store *store, const rift_eviction *what, rift_blob_list *gone, rift_arena *arena, rift_err *err)
{
    return store->ops->evict(store, what, gone, arena, err);
}

bool rift_store_add_variant(rift_store *store,
                            const rift_sha256 *source,
                            rift_encoding encoding,
                            const rift_blob_row *variant,
                            int64_t now,
                            bool *taken,
                            rift_err *err)
{
    return store->ops->add_variant(store, source, encoding, variant, now, taken, err);
}

bool rift_store_unpacked(
    rift_store *store, bool *found, rift_blob_row *out, rift_encoding *encoding, rift_err *err)
{
    return store->ops->unpacked(store, found, out, encoding, err);
}

bool rift_store_blobs(rift_store *store,
                      const rift_sha256 *after,
                      size_t limit,
                      rift_blob_list *out,
                      rift_arena *arena,
                      rift_err *err)
{
    return store->ops->blobs(store, after, limit, out, arena, err);
}

bool rift_store_has_blob(rift_store *store, const rift_sha256 *sha256, bool *found, rift_err *err)
{
    return store->ops->has_blob(store, sha256, found, err);
}

bool rift_store_usage_of(rift_store *store, rift_store_usage *out, rift_err *err)
{
    return store->ops->usage_of(store, out, err);
}

bool rift_store_list(rift_store *store,
                     const rift_job_query *query,
                     rift_job_row **out,
                     size_t *count,
                     rift_arena *arena,
                     rift_err *err)
{
    return store->ops->list(store, query, out, count, arena, err);
}

bool rift_store_records(rift_store *store,
                        const rift_sha256 *source,
                        int64_t before,
                        size_t max,
                        rift_record **out,
                        size_t *count,
                        rift_arena *arena,
                        rift_err *err)
{
    return store->ops->records(store, source, before, max, out, count, arena, err);
}

bool rift_store_report_of(
    rift_store *store, const rift_sha256 *sha256, rift_str *report, rift_arena *arena, rift_err *err)
{
    return store->ops->report_of(store, sha256, report, arena, err);
}

bool rift_store_relabel(rift_store *store,
                        int64_t artifact,
                        const rift_sha256 *key,
                        const rift_sha256 *source,
                        bool *taken,
                        rift_err *err)
{
    return store->ops->relabel(store, artifact, key, source, taken, err);
}
