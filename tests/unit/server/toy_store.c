#include "toy_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum {
    MAX_JOBS = 64,
    MAX_ARTIFACTS = 64,
    MAX_BLOBS = 128,
    TEXT = 128,
    INLINE = 64,
    MAX_STATES = 64,
    MAX_USES = 8
};

typedef struct toy_text {
    char data[TEXT];
    size_t size;
} toy_text;

typedef struct toy_job {
    rift_job_row row; /* its texts are empty: they stand below */
    toy_text alias, options, error_class, error, report;
    int64_t failures;
} toy_job;

typedef struct toy_artifact {
    bool used;
    rift_artifact_row row;
    toy_text alias, options;
    int64_t id;
    rift_sha256 fingerprint, source;
    uint64_t features;
    rift_asset_use uses[MAX_USES];
    size_t use_count;
} toy_artifact;

typedef struct toy_blob {
    bool used;
    rift_blob_row row;
    uint8_t data[INLINE];
    rift_sha256 variants[RIFT_ENCODING_COUNT];
    int tried[RIFT_ENCODING_COUNT]; /* 0 no, 1 not worth it, 2 stored */
} toy_blob;

typedef struct toy_state {
    char path[4096];
    bool running;
    size_t job_count;
    toy_job jobs[MAX_JOBS]; /* [id - 1]; id 0: pruned */
    toy_artifact artifacts[MAX_ARTIFACTS];
    int64_t artifact_id;
    toy_blob blobs[MAX_BLOBS];
} toy_state;

typedef struct toy_store {
    rift_store base;
    toy_state *state;
    toy_state before, saved; /* the transaction, the operation */
} toy_store;

static toy_state *states[MAX_STATES];

static toy_state *state_of(rift_store *base)
{
    return ((toy_store *)(void *)base)->state;
}

static toy_text keep(rift_str s)
{
    toy_text text = {.size = s.size};
    if (s.size > TEXT)
        abort();
    if (s.size > 0)
        memcpy(text.data, s.data, s.size);
    return text;
}

static rift_str give(const toy_text *text, rift_arena *arena)
{
    return rift_arena_copy_str(arena, (rift_str){text->data, text->size});
}

static bool same(const rift_sha256 *a, const rift_sha256 *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* ---- life and transactions ---- */

static void toy_close(rift_store *base)
{
    free(base);
}

static bool toy_begin(rift_store *base, rift_err *err)
{
    (void)err;
    toy_store *store = (toy_store *)(void *)base;
    store->before = *store->state;
    return true;
}

static bool toy_commit(rift_store *base, rift_err *err)
{
    (void)base;
    (void)err;
    return true;
}

static void toy_rollback(rift_store *base)
{
    toy_store *store = (toy_store *)(void *)base;
    *store->state = store->before;
}

static void toy_checkpoint(rift_store *base)
{
    (void)base;
}

static bool toy_savepoint(rift_store *base, rift_err *err)
{
    (void)err;
    toy_store *store = (toy_store *)(void *)base;
    store->saved = *store->state;
    return true;
}

static bool toy_release(rift_store *base, bool keep_it, rift_err *err)
{
    (void)err;
    toy_store *store = (toy_store *)(void *)base;
    if (!keep_it)
        *store->state = store->saved;
    return true;
}

static bool toy_start(rift_store *base, bool *was_clean, rift_err *err)
{
    (void)err;
    *was_clean = !state_of(base)->running;
    state_of(base)->running = true;
    return true;
}

static bool toy_stop(rift_store *base, rift_err *err)
{
    (void)err;
    state_of(base)->running = false;
    return true;
}

/* ---- reading ---- */

static rift_job_row give_job(const toy_job *job, rift_arena *arena)
{
    rift_job_row row = job->row;
    row.spec.alias = give(&job->alias, arena);
    row.spec.options = give(&job->options, arena);
    row.error_class = give(&job->error_class, arena);
    row.error = give(&job->error, arena);
    return row;
}

static toy_job *job_by_id(toy_state *s, int64_t id)
{
    return id >= 1 && (size_t)id <= s->job_count && s->jobs[id - 1].row.id == id ? &s->jobs[id - 1] : NULL;
}

static toy_job *last_job(toy_state *s, const rift_sha256 *key)
{
    for (size_t i = s->job_count; i-- > 0;) {
        if (s->jobs[i].row.id != 0 && same(&s->jobs[i].row.spec.key, key))
            return &s->jobs[i];
    }
    return NULL;
}

static toy_blob *blob_of(toy_state *s, const rift_sha256 *sha256)
{
    for (size_t i = 0; i < MAX_BLOBS; i++) {
        if (s->blobs[i].used && same(&s->blobs[i].row.sha256, sha256))
            return &s->blobs[i];
    }
    return NULL;
}

static rift_artifact_row give_artifact(toy_state *s, const toy_artifact *a, bool data, rift_arena *arena)
{
    rift_artifact_row row = a->row;
    row.spec.alias = give(&a->alias, arena);
    row.spec.options = give(&a->options, arena);
    const toy_blob *blob = blob_of(s, &row.sha256);
    if (data && row.is_inline)
        row.inline_data = rift_arena_copy_bytes(arena, (rift_bytes){blob->data, (size_t)blob->row.size});
    for (size_t i = 0; i < RIFT_ENCODING_COUNT; i++) {
        if (blob->tried[i] == 2)
            row.variants[i] = (rift_packed){.stored = true,
                                            .sha256 = blob->variants[i],
                                            .size = blob_of(s, &blob->variants[i])->row.size};
    }
    return row;
}

static bool
toy_job_get(rift_store *base, int64_t id, bool *found, rift_job_row *out, rift_arena *arena, rift_err *err)
{
    (void)err;
    const toy_job *job = job_by_id(state_of(base), id);
    *found = job != NULL;
    if (job != NULL)
        *out = give_job(job, arena);
    return true;
}

static bool toy_find(
    rift_store *base, const rift_sha256 *key, int64_t now, rift_found *out, rift_arena *arena, rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    *out = (rift_found){0};
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        const toy_artifact *a = &s->artifacts[i];
        if (a->used && same(&a->row.spec.key, key)) {
            out->kind = RIFT_FOUND_ARTIFACT;
            out->artifact = give_artifact(s, a, false, arena);
            out->job = give_job(job_by_id(s, a->row.job), arena);
            return true;
        }
    }
    const toy_job *job = last_job(s, key);
    if (job == NULL)
        return true;
    out->job = give_job(job, arena);
    if (job->row.state <= RIFT_JOB_RUNNING)
        out->kind = RIFT_FOUND_LIVE;
    else if ((job->row.state == RIFT_JOB_FAILED || job->row.state == RIFT_JOB_DEAD) &&
             job->row.remembered > now && job->row.remembered - now <= RIFT_FAILURE_MEMORY_MAX_MS)
        out->kind = RIFT_FOUND_FAILURE;
    return true;
}

static bool before_in_line(const toy_job *a, const toy_job *b)
{
    if (a->row.spec.priority != b->row.spec.priority)
        return a->row.spec.priority > b->row.spec.priority;
    if (a->row.not_before != b->row.not_before)
        return a->row.not_before < b->row.not_before;
    return a->row.id < b->row.id;
}

static bool wanted(const toy_job *job, const rift_job_query *q)
{
    const rift_str alias = {job->alias.data, job->alias.size};
    return job->row.id > q->after && (q->states == 0 || (q->states >> job->row.state & 1) != 0) &&
           (!q->in_line || job->row.state == RIFT_JOB_QUEUED) &&
           (q->in_line || q->alias.size == 0 ||
            (rift_str_eq(alias, q->alias) && job->row.spec.number == q->number));
}

static bool toy_list(rift_store *base,
                     const rift_job_query *query,
                     rift_job_row **out,
                     size_t *count,
                     rift_arena *arena,
                     rift_err *err)
{
    toy_state *s = state_of(base);
    const toy_job *in[MAX_JOBS] = {0};
    size_t n = 0;
    for (size_t i = 0; i < s->job_count; i++) {
        const toy_job *job = &s->jobs[i];
        if (!wanted(job, query))
            continue;
        size_t at = n++;
        for (; query->in_line && at > 0 && before_in_line(job, in[at - 1]); at--)
            in[at] = in[at - 1];
        in[at] = job;
    }
    *count = n < query->limit ? n : query->limit;
    *out = RIFT_NEW(arena, rift_job_row, *count);
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = give_job(in[i], arena);
    return rift_arena_ok(arena, "jobs", err);
}

static bool toy_artifact_get(rift_store *base,
                             const rift_sha256 *sha256,
                             bool with_data,
                             bool *found,
                             rift_artifact_row *out,
                             rift_arena *arena,
                             rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    *found = false;
    for (size_t i = 0; i < MAX_ARTIFACTS && !*found; i++) {
        if (s->artifacts[i].used && same(&s->artifacts[i].row.sha256, sha256)) {
            *found = true;
            *out = give_artifact(s, &s->artifacts[i], with_data, arena);
        }
    }
    return true;
}

static bool toy_newest(rift_store *base,
                       rift_str alias,
                       uint32_t number,
                       rift_str options,
                       bool *found,
                       rift_artifact_row *out,
                       rift_arena *arena,
                       rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    const toy_artifact *best = NULL;
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        const toy_artifact *a = &s->artifacts[i];
        if (a->used && a->row.spec.number == number &&
            rift_str_eq((rift_str){a->alias.data, a->alias.size}, alias) &&
            rift_str_eq((rift_str){a->options.data, a->options.size}, options) &&
            (best == NULL || a->row.job > best->row.job))
            best = a;
    }
    *found = best != NULL;
    if (best != NULL)
        *out = give_artifact(s, best, false, arena);
    return true;
}

/* Whether an artifact of the same skin and options is newer. */
static bool is_outdone(const toy_state *s, const toy_artifact *a)
{
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        const toy_artifact *b = &s->artifacts[i];
        if (b->used && b != a && b->row.spec.number == a->row.spec.number &&
            rift_str_eq((rift_str){b->alias.data, b->alias.size}, (rift_str){a->alias.data, a->alias.size}) &&
            rift_str_eq((rift_str){b->options.data, b->options.size},
                        (rift_str){a->options.data, a->options.size}) &&
            b->row.job > a->row.job)
            return true;
    }
    return false;
}

static int by_options(const void *a, const void *b)
{
    const rift_str x = ((const rift_artifact_row *)a)->spec.options;
    const rift_str y = ((const rift_artifact_row *)b)->spec.options;
    const size_t both = x.size < y.size ? x.size : y.size;
    const int order = both > 0 ? memcmp(x.data, y.data, both) : 0;
    return order != 0 ? order : (x.size > y.size) - (x.size < y.size);
}

static bool toy_outputs(rift_store *base,
                        rift_str alias,
                        uint32_t number,
                        rift_artifact_row **out,
                        size_t *count,
                        rift_arena *arena,
                        rift_err *err)
{
    toy_state *s = state_of(base);
    rift_artifact_row *rows = RIFT_NEW(arena, rift_artifact_row, MAX_ARTIFACTS);
    size_t n = 0;
    for (size_t i = 0; i < MAX_ARTIFACTS && rows != NULL; i++) {
        const toy_artifact *a = &s->artifacts[i];
        if (a->used && a->row.spec.number == number &&
            rift_str_eq((rift_str){a->alias.data, a->alias.size}, alias) && !is_outdone(s, a))
            rows[n++] = give_artifact(s, a, false, arena);
    }
    if (!rift_arena_ok(arena, "artifacts", err))
        return false;
    qsort(rows, n, sizeof *rows, by_options);
    *out = rows;
    *count = n < RIFT_STORE_MAX_OUTPUTS ? n : RIFT_STORE_MAX_OUTPUTS;
    return true;
}

static bool is_of(const toy_job *job, const rift_job_spec *spec)
{
    return rift_str_eq((rift_str){job->alias.data, job->alias.size}, spec->alias) &&
           rift_str_eq((rift_str){job->options.data, job->options.size}, spec->options) &&
           job->row.spec.number == spec->number;
}

static bool toy_report(rift_store *base,
                       const rift_job_spec *spec,
                       int64_t *job,
                       rift_str *report,
                       rift_arena *arena,
                       rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    *job = 0;
    *report = (rift_str){0};
    for (size_t i = s->job_count; i-- > 0 && *job == 0;) {
        const toy_job *at = &s->jobs[i];
        if (at->row.id != 0 && at->report.size > 0 && is_of(at, spec)) {
            *job = at->row.id;
            *report = give(&at->report, arena);
        }
    }
    return true;
}

static bool is_artifact(const toy_state *s, const rift_sha256 *sha256)
{
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        if (s->artifacts[i].used && same(&s->artifacts[i].row.sha256, sha256))
            return true;
    }
    return false;
}

static bool
toy_unpacked(rift_store *base, bool *found, rift_blob_row *out, rift_encoding *encoding, rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    *found = false;
    for (size_t i = 0; i < MAX_BLOBS; i++) {
        for (size_t e = 0; e < RIFT_ENCODING_COUNT && !*found; e++) {
            if (s->blobs[i].used && is_artifact(s, &s->blobs[i].row.sha256) && s->blobs[i].tried[e] == 0) {
                *found = true;
                *out = s->blobs[i].row;
                *encoding = (rift_encoding)e;
            }
        }
    }
    return true;
}

static bool toy_blobs(rift_store *base,
                      const rift_sha256 *after,
                      size_t limit,
                      rift_blob_list *out,
                      rift_arena *arena,
                      rift_err *err)
{
    toy_state *s = state_of(base);
    rift_sha256 last = {{0}};
    bool any = after != NULL;
    if (any)
        last = *after;
    for (size_t n = 0; n < limit; n++) {
        const toy_blob *next = NULL;
        for (size_t i = 0; i < MAX_BLOBS; i++) {
            const toy_blob *b = &s->blobs[i];
            if (b->used && (!any || memcmp(b->row.sha256.bytes, last.bytes, sizeof last.bytes) > 0) &&
                (next == NULL || memcmp(b->row.sha256.bytes, next->row.sha256.bytes, sizeof last.bytes) < 0))
                next = b;
        }
        if (next == NULL)
            break;
        last = next->row.sha256;
        any = true;
        rift_blob_list_add(out, &next->row, arena);
    }
    return rift_arena_ok(arena, "blobs", err);
}

static bool toy_has_blob(rift_store *base, const rift_sha256 *sha256, bool *found, rift_err *err)
{
    (void)err;
    *found = blob_of(state_of(base), sha256) != NULL;
    return true;
}

static bool toy_usage_of(rift_store *base, rift_store_usage *out, rift_err *err)
{
    (void)err;
    const toy_state *s = state_of(base);
    *out = (rift_store_usage){0};
    for (size_t i = 0; i < MAX_BLOBS; i++) {
        out->blobs += s->blobs[i].used;
        out->bytes += s->blobs[i].used ? s->blobs[i].row.size : 0;
    }
    for (size_t i = 0; i < s->job_count; i++)
        out->jobs[s->jobs[i].row.state] += s->jobs[i].row.id != 0;
    return true;
}

static bool toy_forget(
    rift_store *base, const rift_sha256 *sha256, rift_blob_list *gone, rift_arena *arena, rift_err *err);

/* ---- jobs ---- */

static bool toy_lift(rift_store *base, int64_t id, int priority, rift_err *err)
{
    (void)err;
    toy_job *job = job_by_id(state_of(base), id);
    if (job != NULL && job->row.state == RIFT_JOB_QUEUED && job->row.spec.priority < priority)
        job->row.spec.priority = priority;
    return true;
}

static bool toy_enqueue(rift_store *base,
                        const rift_job_spec *spec,
                        int64_t now,
                        rift_found *out,
                        rift_arena *arena,
                        rift_err *err)
{
    toy_state *s = state_of(base);
    if (!toy_find(base, &spec->key, now, out, arena, err))
        return false;
    if (out->kind == RIFT_FOUND_LIVE) {
        (void)toy_lift(base, out->job.id, spec->priority, err);
        const toy_job *job = job_by_id(s, out->job.id);
        out->job.spec.priority = job->row.spec.priority;
    }
    if (out->kind != RIFT_FOUND_NOTHING)
        return true;
    int64_t failures = 0;
    for (size_t i = s->job_count; i-- > 0 && failures == 0;) {
        const toy_job *old = &s->jobs[i];
        if (old->row.id != 0 && same(&old->row.spec.key, &spec->key) &&
            (old->row.state == RIFT_JOB_FAILED || old->row.state == RIFT_JOB_DEAD))
            failures = old->failures;
    }
    if (s->job_count == MAX_JOBS)
        abort();
    toy_job *job = &s->jobs[s->job_count++];
    *job = (toy_job){.alias = keep(spec->alias), .options = keep(spec->options), .failures = failures};
    job->row = (rift_job_row){.id = (int64_t)s->job_count, .spec = *spec, .created = now};
    job->row.spec.alias = job->row.spec.options = (rift_str){0};
    out->job = give_job(job, arena);
    return true;
}

static bool toy_claim(rift_store *base,
                      const rift_claim *claim,
                      bool *found,
                      rift_job_row *out,
                      rift_arena *arena,
                      rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    toy_job *best = NULL;
    for (size_t i = 0; i < s->job_count; i++) {
        toy_job *job = &s->jobs[i];
        if (job->row.id != 0 && job->row.state == RIFT_JOB_QUEUED &&
            (job->row.not_before <= claim->now ||
             job->row.not_before > claim->now + RIFT_RETRY_PAUSE_MAX_MS) &&
            job->row.spec.priority >= claim->min_priority && (best == NULL || before_in_line(job, best)))
            best = job;
    }
    *found = best != NULL;
    if (best == NULL)
        return true;
    best->row.state = RIFT_JOB_RUNNING;
    best->row.attempt++;
    best->row.epoch++;
    best->row.started = claim->now;
    best->row.lease_until = claim->now + claim->lease_ms;
    *out = give_job(best, arena);
    return true;
}

/* The running start, or NULL. */
static toy_job *running(rift_store *base, int64_t id, int64_t epoch)
{
    toy_job *job = job_by_id(state_of(base), id);
    return job != NULL && job->row.state == RIFT_JOB_RUNNING && job->row.epoch == epoch ? job : NULL;
}

static bool
toy_beat(rift_store *base, int64_t id, int64_t epoch, int64_t lease_until, bool *taken, rift_err *err)
{
    (void)err;
    toy_job *job = running(base, id, epoch);
    *taken = job != NULL;
    if (job != NULL)
        job->row.lease_until = lease_until;
    return true;
}

static toy_blob *add_blob(toy_state *s, const rift_blob_row *row)
{
    toy_blob *blob = blob_of(s, &row->sha256);
    for (size_t i = 0; blob == NULL && i < MAX_BLOBS; i++) {
        if (!s->blobs[i].used) {
            blob = &s->blobs[i];
            *blob = (toy_blob){.used = true, .row = *row};
        }
    }
    if (blob == NULL)
        abort();
    return blob;
}

static void add_artifact(
    toy_state *s, const toy_job *job, const rift_job_output *output, int64_t now, rift_sha256 *before)
{
    toy_artifact *at = NULL;
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        toy_artifact *a = &s->artifacts[i];
        if (a->used && same(&a->row.spec.key, &job->row.spec.key)) {
            a->used = false;
            if (!same(&a->row.sha256, &output->sha256))
                *before = a->row.sha256;
        }
        if (!a->used && at == NULL)
            at = a;
    }
    if (at == NULL)
        abort();
    *at = (toy_artifact){.used = true,
                         .alias = job->alias,
                         .options = job->options,
                         .id = ++s->artifact_id,
                         .fingerprint = output->fingerprint,
                         .source = output->source,
                         .features = output->features};
    for (size_t i = 0; output->uses != NULL && i < output->uses->count && i < MAX_USES; i++)
        at->uses[at->use_count++] = output->uses->uses[i];
    at->row = (rift_artifact_row){.job = job->row.id,
                                  .spec = job->row.spec,
                                  .sha256 = output->sha256,
                                  .size = output->size,
                                  .created = now,
                                  .last_used = now,
                                  .is_inline = output->is_inline};
}

static bool toy_finish(rift_store *base,
                       int64_t id,
                       int64_t epoch,
                       const rift_job_output *output,
                       int64_t now,
                       bool *taken,
                       rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    toy_job *job = running(base, id, epoch);
    *taken = job != NULL;
    if (job == NULL)
        return true;
    job->row.state = RIFT_JOB_DONE;
    job->row.finished = now;
    job->row.has_result = true;
    job->row.sha256 = output->sha256;
    job->row.remembered = job->failures = 0;
    job->error = job->error_class = (toy_text){0};
    job->report = keep(output->report);
    const rift_blob_row row = {output->sha256, output->size, output->is_inline};
    toy_blob *blob = add_blob(s, &row);
    if (output->is_inline)
        memcpy(blob->data, output->inline_data.data, output->inline_data.size);
    rift_sha256 before = output->sha256;
    add_artifact(s, job, output, now, &before);
    if (is_artifact(s, &before))
        return true;
    rift_arena arena;
    rift_blob_list gone = {0};
    rift_arena_init(&arena, 1 << 20);
    const bool ok = toy_forget(base, &before, &gone, &arena, err);
    rift_arena_release(&arena);
    return ok;
}

static bool toy_fail(rift_store *base,
                     int64_t id,
                     int64_t epoch,
                     const rift_job_failure *failure,
                     int64_t now,
                     bool *taken,
                     rift_job_row *after,
                     rift_arena *arena,
                     rift_err *err)
{
    (void)err;
    toy_job *job = running(base, id, epoch);
    *taken = job != NULL;
    if (job == NULL)
        return true;
    const bool again = failure->retry && job->row.attempt < RIFT_JOB_MAX_ATTEMPTS;
    job->error = keep(failure->error);
    job->error_class = keep(failure->error_class);
    job->report = keep(failure->report);
    job->row.error_status = failure->status;
    if (again) {
        job->row.state = RIFT_JOB_QUEUED;
        job->row.not_before = now + (RIFT_RETRY_PAUSE_MS << (job->row.attempt - 1));
    } else {
        job->row.state = failure->retry ? RIFT_JOB_DEAD : RIFT_JOB_FAILED;
        job->row.finished = now;
        job->row.remembered = now + rift_failure_memory_ms(++job->failures);
    }
    *after = give_job(job, arena);
    return true;
}

static bool toy_cancel(rift_store *base, int64_t id, int64_t epoch, int64_t now, bool *taken, rift_err *err)
{
    (void)err;
    toy_job *job = job_by_id(state_of(base), id);
    *taken = job != NULL && (job->row.state == RIFT_JOB_QUEUED || running(base, id, epoch) != NULL);
    if (*taken) {
        job->row.state = RIFT_JOB_CANCELLED;
        job->row.finished = now;
    }
    return true;
}

static bool toy_requeue(rift_store *base, int64_t id, int64_t epoch, bool *taken, rift_err *err)
{
    (void)err;
    toy_job *job = running(base, id, epoch);
    *taken = job != NULL;
    if (job != NULL) {
        job->row.state = RIFT_JOB_QUEUED;
        job->row.attempt--;
        job->row.started = 0;
    }
    return true;
}

static bool toy_rekey(rift_store *base, int64_t id, const rift_sha256 *key, bool *taken, rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    toy_job *job = job_by_id(s, id);
    *taken = job != NULL && job->row.state <= RIFT_JOB_RUNNING;
    for (size_t i = 0; i < s->job_count && *taken; i++) {
        const toy_job *other = &s->jobs[i];
        if (other != job && other->row.id != 0 && other->row.state <= RIFT_JOB_RUNNING &&
            same(&other->row.spec.key, key))
            *taken = false;
    }
    if (*taken)
        job->row.spec.key = *key;
    return true;
}

static bool toy_reap(rift_store *base, int64_t now, bool all, int64_t *requeued, int64_t *dead, rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    *requeued = *dead = 0;
    for (size_t i = 0; i < s->job_count; i++) {
        toy_job *job = &s->jobs[i];
        if (job->row.id == 0 || job->row.state != RIFT_JOB_RUNNING || (!all && job->row.lease_until >= now))
            continue;
        if (job->row.attempt >= RIFT_JOB_MAX_ATTEMPTS) {
            job->row.state = RIFT_JOB_DEAD;
            job->row.finished = now;
            job->row.remembered = now + RIFT_FAILURE_MEMORY_MS;
            job->row.error_status = 500;
            job->failures++;
            job->error_class = keep(RIFT_STR("crash"));
            job->error = keep(RIFT_STR("{\"code\":\"crash\",\"retryable\":false}"));
            ++*dead;
        } else {
            job->row.state = RIFT_JOB_QUEUED;
            job->row.started = 0;
            if (!all)
                job->row.not_before = now + (RIFT_RETRY_PAUSE_MS << (job->row.attempt - 1));
            ++*requeued;
        }
    }
    return true;
}

static bool
toy_prune(rift_store *base, int64_t before, int64_t now, size_t max, int64_t *removed, rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    for (*removed = 0; (size_t)*removed < max; ++*removed) {
        toy_job *oldest = NULL;
        for (size_t i = 0; i < s->job_count; i++) {
            toy_job *job = &s->jobs[i];
            bool kept = job->row.id == 0 || job->row.state <= RIFT_JOB_RUNNING ||
                        job->row.finished >= before || job->row.remembered > now;
            for (size_t k = 0; k < MAX_ARTIFACTS; k++)
                kept |= s->artifacts[k].used && s->artifacts[k].row.job == job->row.id;
            if (!kept && (oldest == NULL || job->row.finished < oldest->row.finished))
                oldest = job;
        }
        if (oldest == NULL)
            break;
        oldest->row.id = 0;
    }
    return true;
}

/* ---- artifacts and bytes ---- */

static void drop_blob(toy_blob *blob, rift_blob_list *gone, rift_arena *arena)
{
    blob->used = false;
    rift_blob_list_add(gone, &blob->row, arena);
}

static bool toy_forget(
    rift_store *base, const rift_sha256 *sha256, rift_blob_list *gone, rift_arena *arena, rift_err *err)
{
    toy_state *s = state_of(base);
    const rift_sha256 name = *sha256;
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        if (s->artifacts[i].used && same(&s->artifacts[i].row.sha256, &name))
            s->artifacts[i].used = false;
    }
    toy_blob *blob = blob_of(s, &name);
    for (size_t e = 0; blob != NULL && e < RIFT_ENCODING_COUNT; e++) {
        if (blob->tried[e] == 2)
            drop_blob(blob_of(s, &blob->variants[e]), gone, arena);
    }
    for (size_t i = 0; i < MAX_BLOBS; i++) {
        for (size_t e = 0; e < RIFT_ENCODING_COUNT; e++) {
            if (s->blobs[i].tried[e] == 2 && same(&s->blobs[i].variants[e], &name))
                s->blobs[i].tried[e] = 0;
        }
    }
    if (blob != NULL)
        drop_blob(blob, gone, arena);
    return rift_arena_ok(arena, "blobs", err);
}

static bool toy_touch(rift_store *base, const rift_sha256 *sha256, int64_t now, rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        if (s->artifacts[i].used && same(&s->artifacts[i].row.sha256, sha256) &&
            s->artifacts[i].row.last_used < now)
            s->artifacts[i].row.last_used = now;
    }
    return true;
}

static bool toy_pin(rift_store *base, const rift_sha256 *key, bool pinned, rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        if (s->artifacts[i].used && same(&s->artifacts[i].row.spec.key, key))
            s->artifacts[i].row.pinned = pinned;
    }
    return true;
}

/* The last use of these bytes by any artifact, or INT64_MAX when they may not go. */
static int64_t last_use(const toy_state *s, const rift_sha256 *sha256)
{
    int64_t last = 0;
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        const toy_artifact *a = &s->artifacts[i];
        if (!a->used || !same(&a->row.sha256, sha256))
            continue;
        if (a->row.pinned)
            return INT64_MAX;
        if (a->row.last_used > last)
            last = a->row.last_used;
    }
    return last;
}

static bool is_labelled(const toy_state *s, const rift_sha256 *sha256, const rift_sha256 *source)
{
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        if (s->artifacts[i].used && same(&s->artifacts[i].row.sha256, sha256) &&
            same(&s->artifacts[i].source, source))
            return true;
    }
    return false;
}

/* The least recently used one that may go, of those with that label or of the others. */
static const toy_artifact *find_victim(const toy_state *s, const rift_eviction *what, bool labelled)
{
    const toy_artifact *victim = NULL;
    int64_t victim_use = what->used_before;
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        const toy_artifact *a = &s->artifacts[i];
        if (!a->used || is_labelled(s, &a->row.sha256, &what->source) != labelled)
            continue;
        if (last_use(s, &a->row.sha256) < victim_use) {
            victim = a;
            victim_use = last_use(s, &a->row.sha256);
        }
    }
    return victim;
}

static bool
toy_evict(rift_store *base, const rift_eviction *what, rift_blob_list *gone, rift_arena *arena, rift_err *err)
{
    const toy_state *s = state_of(base);
    for (size_t n = 0; n < what->max; n++) {
        rift_store_usage usage;
        (void)toy_usage_of(base, &usage, err);
        const toy_artifact *victim = find_victim(s, what, false);
        if (victim == NULL)
            victim = find_victim(s, what, true);
        if (usage.bytes <= what->budget || victim == NULL)
            break;
        if (!toy_forget(base, &victim->row.sha256, gone, arena, err))
            return false;
    }
    return true;
}

static bool toy_add_variant(rift_store *base,
                            const rift_sha256 *source,
                            rift_encoding encoding,
                            const rift_blob_row *variant,
                            int64_t now,
                            bool *taken,
                            rift_err *err)
{
    (void)now;
    (void)err;
    toy_state *s = state_of(base);
    toy_blob *blob = is_artifact(s, source) ? blob_of(s, source) : NULL;
    *taken = blob != NULL;
    if (blob == NULL)
        return true;
    blob->tried[encoding] = variant != NULL ? 2 : 1;
    if (variant != NULL) {
        blob->variants[encoding] = variant->sha256;
        (void)add_blob(s, variant);
    }
    return true;
}

/* ---- records ---- */

static rift_record give_record(const toy_artifact *a, rift_arena *arena)
{
    rift_record r = {.artifact = a->id,
                     .spec = a->row.spec,
                     .sha256 = a->row.sha256,
                     .fingerprint = a->fingerprint,
                     .source = a->source,
                     .last_used = a->row.last_used,
                     .pinned = a->row.pinned,
                     .features = a->features,
                     .uses = RIFT_NEW(arena, rift_asset_use, a->use_count),
                     .use_count = a->use_count};
    r.spec.alias = rift_arena_copy_str(arena, (rift_str){a->alias.data, a->alias.size});
    r.spec.options = rift_arena_copy_str(arena, (rift_str){a->options.data, a->options.size});
    for (size_t i = 0; r.uses != NULL && i < a->use_count; i++)
        r.uses[i] = a->uses[i];
    return r;
}

static bool toy_records(rift_store *base,
                        const rift_sha256 *source,
                        int64_t before,
                        size_t max,
                        rift_record **out,
                        size_t *count,
                        rift_arena *arena,
                        rift_err *err)
{
    toy_state *s = state_of(base);
    *out = RIFT_NEW(arena, rift_record, max);
    *count = 0;
    for (bool more = true; more && *out != NULL && *count < max;) {
        const toy_artifact *next = NULL;
        for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
            const toy_artifact *a = &s->artifacts[i];
            if (a->used && !same(&a->source, source) && (before == 0 || a->id < before) &&
                (next == NULL || a->id > next->id))
                next = a;
        }
        more = next != NULL;
        if (more) {
            (*out)[(*count)++] = give_record(next, arena);
            before = next->id;
        }
    }
    return rift_arena_ok(arena, "toy", err);
}

static bool
toy_report_of(rift_store *base, const rift_sha256 *sha256, rift_str *report, rift_arena *arena, rift_err *err)
{
    toy_state *s = state_of(base);
    int64_t newest = 0;
    *report = (rift_str){0};
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        const toy_artifact *a = &s->artifacts[i];
        const toy_job *job = a->used && same(&a->row.sha256, sha256) ? job_by_id(s, a->row.job) : NULL;
        if (job == NULL || job->report.size == 0 || job->row.id <= newest)
            continue;
        newest = job->row.id;
        *report = rift_arena_copy_str(arena, (rift_str){job->report.data, job->report.size});
    }
    return rift_arena_ok(arena, "toy", err);
}

static bool toy_relabel(rift_store *base,
                        int64_t artifact,
                        const rift_sha256 *key,
                        const rift_sha256 *source,
                        bool *taken,
                        rift_err *err)
{
    (void)err;
    toy_state *s = state_of(base);
    toy_artifact *it = NULL;
    bool is_had = false;
    for (size_t i = 0; i < MAX_ARTIFACTS; i++) {
        toy_artifact *a = &s->artifacts[i];
        if (a->used && a->id == artifact)
            it = a;
        is_had |= a->used && a->id != artifact && same(&a->row.spec.key, key);
    }
    *taken = it != NULL && !is_had;
    if (*taken) {
        it->row.spec.key = *key;
        it->source = *source;
    }
    return true;
}

static const rift_store_ops ops = {
    .close = toy_close,
    .begin = toy_begin,
    .commit = toy_commit,
    .rollback = toy_rollback,
    .checkpoint = toy_checkpoint,
    .savepoint = toy_savepoint,
    .release = toy_release,
    .start = toy_start,
    .stop = toy_stop,
    .find = toy_find,
    .job = toy_job_get,
    .list = toy_list,
    .artifact = toy_artifact_get,
    .newest = toy_newest,
    .outputs = toy_outputs,
    .report = toy_report,
    .unpacked = toy_unpacked,
    .blobs = toy_blobs,
    .has_blob = toy_has_blob,
    .usage_of = toy_usage_of,
    .enqueue = toy_enqueue,
    .claim = toy_claim,
    .beat = toy_beat,
    .finish = toy_finish,
    .fail = toy_fail,
    .lift = toy_lift,
    .cancel = toy_cancel,
    .requeue = toy_requeue,
    .rekey = toy_rekey,
    .reap = toy_reap,
    .prune = toy_prune,
    .forget = toy_forget,
    .touch = toy_touch,
    .pin = toy_pin,
    .evict = toy_evict,
    .add_variant = toy_add_variant,
    .records = toy_records,
    .report_of = toy_report_of,
    .relabel = toy_relabel,
};

bool toy_store_open(rift_store **out, const char *path, rift_err *err)
{
    (void)err;
    size_t i = 0;
    while (i < MAX_STATES && states[i] != NULL && strcmp(states[i]->path, path) != 0)
        i++;
    toy_store *store = calloc(1, sizeof *store);
    if (i == MAX_STATES || store == NULL)
        abort();
    if (states[i] == NULL && (states[i] = calloc(1, sizeof *states[i])) == NULL)
        abort();
    (void)snprintf(states[i]->path, sizeof states[i]->path, "%s", path);
    store->base.ops = &ops;
    store->state = states[i];
    *out = &store->base;
    return true;
}
