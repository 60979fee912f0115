/* The table of flights: by key, by id and in a line. */
#include "jobs/jobs_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static bool is_sweep(const rift_flight *f)
{
    return f->job.spec.priority < RIFT_JOB_PRIORITY_INTERACTIVE;
}

void rift_flight_count_queued(rift_flight *f, size_t one)
{
    f->jobs->queued += one;
    f->jobs->queued_sweep += is_sweep(f) ? one : 0;
}

void rift_flight_count_running(rift_flight *f, size_t one)
{
    f->jobs->running += one;
    f->jobs->running_sweep += is_sweep(f) ? one : 0;
}

static size_t key_bucket(const rift_sha256 *key)
{
    return ((size_t)key->bytes[0] << 8 | key->bytes[1]) % RIFT_FLIGHT_BUCKETS;
}

static size_t id_bucket(int64_t id)
{
    return (size_t)((uint64_t)id % RIFT_FLIGHT_BUCKETS);
}

rift_flight *rift_flight_of_key(const rift_jobs *jobs, const rift_sha256 *key)
{
    rift_flight *f = jobs->by_key[key_bucket(key)];
    while (f != NULL && memcmp(f->job.spec.key.bytes, key->bytes, sizeof key->bytes) != 0)
        f = f->key_next;
    return f;
}

rift_flight *rift_flight_of_id(const rift_jobs *jobs, int64_t id)
{
    rift_flight *f = jobs->by_id[id_bucket(id)];
    while (f != NULL && f->job.id != id)
        f = f->id_next;
    return f;
}

void rift_flight_add_id(rift_flight *f)
{
    rift_flight **bucket = &f->jobs->by_id[id_bucket(f->job.id)];
    f->id_next = *bucket;
    *bucket = f;
}

static rift_str put_text(char **at, rift_str text)
{
    char *start = *at;
    if (text.size > 0)
        memcpy(start, text.data, text.size);
    start[text.size] = '\0';
    *at += text.size + 1;
    return (rift_str){start, text.size};
}

/* The row is the flight's, its texts in one small piece: thousands of flights wait. The texts of an error end with the flight's end or its next start, and are not kept.
 * False, and the old row stays, when memory is out. */
static bool keep_row(rift_flight *f, const rift_job_row *row)
{
    char *texts = malloc(row->spec.alias.size + row->spec.options.size + 2);
    if (texts == NULL)
        return false;
    char *at = texts;
    rift_job_row kept = *row;
    kept.spec.alias = put_text(&at, row->spec.alias);
    kept.spec.options = put_text(&at, row->spec.options);
    kept.error_class = kept.error = (rift_str){0};
    free(f->texts);
    f->texts = texts;
    f->job = kept;
    return true;
}

/* NULL when memory is out. */
rift_flight *rift_flight_add(rift_jobs *jobs, const rift_job_row *row, rift_flight_state state)
{
    rift_flight *f = calloc(1, sizeof *f);
    if (f == NULL || !keep_row(f, row)) {
        free(f);
        return NULL;
    }
    f->jobs = jobs;
    f->state = state;
    rift_arena_init(&f->arena, RIFT_JOBS_ARENA_BYTES);
    atomic_init(&f->control.cancel, false);
    atomic_init(&f->control.stage, 0);
    atomic_init(&f->control.progress, 0);
    f->prev = jobs->last;
    if (jobs->last != NULL) {
        jobs->last->next = f;
    } else {
        jobs->first = f;
    }
    jobs->last = f;
    rift_flight **bucket = &jobs->by_key[key_bucket(&f->job.spec.key)];
    f->key_next = *bucket;
    *bucket = f;
    if (f->job.id != 0)
        rift_flight_add_id(f);
    rift_flight_count_queued(f, 1);
    return f;
}

void rift_flight_hide(rift_flight *f)
{
    rift_jobs *jobs = f->jobs;
    rift_flight **at = &jobs->by_key[key_bucket(&f->job.spec.key)];
    while (*at != NULL && *at != f)
        at = &(*at)->key_next;
    if (*at == f)
        *at = f->key_next;
    at = &jobs->by_id[id_bucket(f->job.id)];
    while (*at != NULL && *at != f)
        at = &(*at)->id_next;
    if (*at == f)
        *at = f->id_next;
}

void rift_flight_remove(rift_flight *f)
{
    rift_jobs *jobs = f->jobs;
    RIFT_ASSERT(f->asks == NULL);
    rift_flight_hide(f);
    *(f->prev != NULL ? &f->prev->next : &jobs->first) = f->next;
    *(f->next != NULL ? &f->next->prev : &jobs->last) = f->prev;
    rift_arena_release(&f->arena);
    free(f->conversion);
    free(f->texts);
    free(f);
}

/* Gives a flight that has not begun the key that its request has under the game of now. */
void rift_flight_rekey(rift_flight *f)
{
    const rift_skin_ref skin = {.alias = f->job.spec.alias, .number = f->job.spec.number};
    rift_arena arena;
    rift_arena_init(&arena, RIFT_JOBS_ARENA_BYTES);
    const rift_sha256 key = rift_jobs_spec(f->jobs, &skin, f->job.spec.options, &arena).key;
    const bool sound = arena.failed == RIFT_OK; /* else it stays the old one's: made once more than needed */
    rift_arena_release(&arena);
    if (!sound || memcmp(key.bytes, f->job.spec.key.bytes, sizeof key.bytes) == 0)
        return;
    rift_flight **at = &f->jobs->by_key[key_bucket(&f->job.spec.key)];
    while (*at != f)
        at = &(*at)->key_next;
    *at = f->key_next;
    f->job.spec.key = key;
    f->rekeyed = true;
    at = &f->jobs->by_key[key_bucket(&key)];
    f->key_next = *at;
    *at = f;
}

size_t rift_job_position(const rift_job_view *view)
{
    const rift_flight *f = view->flight;
    if (f == NULL || f->state > RIFT_FLIGHT_QUEUED)
        return 0;
    size_t n = 1;
    bool is_before = true;
    for (const rift_flight *at = f->jobs->first; at != NULL; at = at->next) {
        is_before = is_before && at != f;
        n +=
            at->state <= RIFT_FLIGHT_QUEUED && (at->job.spec.priority > f->job.spec.priority ||
                                                (is_before && at->job.spec.priority == f->job.spec.priority));
    }
    return n;
}

rift_job_view rift_flight_view(rift_flight *f)
{
    rift_job_view view = {.row = &f->job, .flight = f};
    if (f->state <= RIFT_FLIGHT_QUEUED)
        return view;
    view.phase = rift_stage_word((rift_stage)atomic_load_explicit(&f->control.stage, memory_order_relaxed));
    view.progress = atomic_load_explicit(&f->control.progress, memory_order_relaxed);
    return view;
}

void rift_jobs_tell(const rift_jobs *jobs, const rift_job_view *view)
{
    for (size_t i = 0; i < jobs->listener_count; i++)
        jobs->listeners[i].fn(jobs->listeners[i].user, view);
}

void rift_flight_tell(rift_flight *f)
{
    const rift_job_view view = rift_flight_view(f);
    rift_jobs_tell(f->jobs, &view);
}

/* What the store says of a flight's job, but for the key, which the store learns when the job ends. What was asked for and what is there are the same skin and
 * options, so without memory the texts may stay. */
void rift_flight_keep_found(rift_flight *f)
{
    const rift_str alias = f->job.spec.alias, options = f->job.spec.options;
    f->found.job.spec.key = f->job.spec.key;
    if (!keep_row(f, &f->found.job)) {
        f->job = f->found.job;
        f->job.spec.alias = alias;
        f->job.spec.options = options;
    }
    rift_arena_release(&f->arena);
}

void rift_flight_stop(rift_flight *f, rift_cancel_cause cause)
{
    if (f->cause == RIFT_CANCEL_NONE)
        f->cause = cause;
    atomic_store_explicit(&f->control.cancel, true, memory_order_relaxed);
}
