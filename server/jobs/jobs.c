/* A flight goes ENQUEUING -> QUEUED -> RUNNING -> SAVING and is gone; each arrow but one is a committed write. Flights
 * stand in one list in the order they were made, which within a class is the order in which the store hands them out. */
#include "jobs/jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "log/log.h"

enum {
    TICK_MS = 250,
    NAMES_CHECK_TICKS = 8,
    BUCKETS = 4096,
    FIRST_GUESS_MS = 2000, /* of a conversion's length */
    MAX_RETRY_AFTER_S = 60,
    ARENA_BYTES = 1024 * 1024,
    SAVE_PAUSE_MS = 1000, /* before an end that was not stored is stored again */
    BEATS_PER_LEASE = 3,
    MAX_LISTENERS = 4,
};

typedef enum flight_state { FLIGHT_ENQUEUING, FLIGHT_QUEUED, FLIGHT_RUNNING, FLIGHT_SAVING } flight_state;

struct rift_ask {
    rift_ask *prev, *next;
    int64_t deadline_ms; /* loop time; 0: answered once accepted */
    rift_answer_fn *fn;
    void *user;
};

typedef struct rift_flight {
    rift_jobs *jobs;
    flight_state state;
    rift_job_row job; /* strings in texts */
    char *texts;
    rift_arena arena; /* what the operation under way reads; empty while it waits */
    bool made;        /* the row is new */
    bool forget;
    bool rekeyed;       /* its row still has another key */
    unsigned game_turn; /* of jobs when it began */
    rift_bake_control control;
    int64_t started_ms, progress_ms; /* loop time */
    int last_progress;
    rift_cancel_cause cause;
    rift_ask *asks, *last_ask;
    struct rift_flight *prev, *next, *key_next, *id_next;
    /* one operation at a time */
    rift_lane_op op;
    rift_found found;
    uv_work_t work;
    rift_conversion *conversion; /* RUNNING, SAVING */
    bool taken;
    rift_job_row after;
    int64_t save_since_ms, save_again_ms; /* SAVING: since when, and when to try again; 0: under way */
} flight;

struct rift_jobs {
    rift_jobs_config config;
    uv_timer_t tick;
    unsigned ticks;
    flight *first, *last;
    flight *by_key[BUCKETS], *by_id[BUCKETS];
    size_t queued; /* not yet running */
    size_t running;
    size_t queued_sweep, running_sweep; /* of those */
    size_t waiters;
    uint64_t started, done, failed, joined;
    rift_jobs_times times;
    int64_t mean_ms;
    bool claiming, draining, held;
    unsigned game_turn; /* counts the games */
    bool backlog;       /* the store may hold queued jobs that are not in memory */
    void (*idle)(void *user);
    void *idle_user;
    struct {
        void (*fn)(void *user, const rift_job_view *view);
        void *user;
    } listeners[MAX_LISTENERS];
    size_t listener_count;
    struct beat *beat; /* under way */
    int64_t beat_due_ms;
    char owner[32];
    rift_lane_op claim_op;
    rift_arena claim_arena;
    bool claim_found;
    int claim_priority;
    rift_job_row claimed;
    /* name tables */
    rift_hashpack *names; /* may be NULL */
    struct timespec names_time;
    ino_t names_inode;
    bool names_reading;
    uv_work_t names_work;
    rift_hashpack *names_read; /* NULL: as before */
};

int64_t rift_now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static uint64_t names_digest(const rift_jobs *jobs)
{
    return jobs->names != NULL ? rift_hashpack_digest(jobs->names) : 0;
}

static int64_t loop_ms(const rift_jobs *jobs)
{
    return (int64_t)uv_now(jobs->config.loop);
}

static void pump(rift_jobs *jobs);
static void check_idle(rift_jobs *jobs);

void rift_jobs_set_limits(
    rift_jobs *jobs, size_t queue_max, size_t waiters, int64_t job_ms, int64_t job_silent_ms)
{
    jobs->config.queue_max = queue_max;
    jobs->config.waiters = waiters;
    jobs->config.job_ms = job_ms;
    jobs->config.job_silent_ms = job_silent_ms;
}

void rift_jobs_listen(rift_jobs *jobs, void (*fn)(void *user, const rift_job_view *view), void *user)
{
    RIFT_ASSERT(jobs->listener_count < MAX_LISTENERS);
    jobs->listeners[jobs->listener_count].fn = fn;
    jobs->listeners[jobs->listener_count++].user = user;
}

/* ---- the table of flights ---- */

static bool is_sweep(const flight *f)
{
    return f->job.spec.priority < RIFT_JOB_PRIORITY_INTERACTIVE;
}

static void count_queued(flight *f, size_t one)
{
    f->jobs->queued += one;
    f->jobs->queued_sweep += is_sweep(f) ? one : 0;
}

static void count_running(flight *f, size_t one)
{
    f->jobs->running += one;
    f->jobs->running_sweep += is_sweep(f) ? one : 0;
}

static size_t key_bucket(const rift_sha256 *key)
{
    return ((size_t)key->bytes[0] << 8 | key->bytes[1]) % BUCKETS;
}

static size_t id_bucket(int64_t id)
{
    return (size_t)((uint64_t)id % BUCKETS);
}

static flight *find_key(const rift_jobs *jobs, const rift_sha256 *key)
{
    flight *f = jobs->by_key[key_bucket(key)];
    while (f != NULL && memcmp(f->job.spec.key.bytes, key->bytes, sizeof key->bytes) != 0)
        f = f->key_next;
    return f;
}

static flight *find_id(const rift_jobs *jobs, int64_t id)
{
    flight *f = jobs->by_id[id_bucket(id)];
    while (f != NULL && f->job.id != id)
        f = f->id_next;
    return f;
}

static void add_id(flight *f)
{
    flight **bucket = &f->jobs->by_id[id_bucket(f->job.id)];
    f->id_next = *bucket;
    *bucket = f;
}

static rift_job_row copy_row(const rift_job_row *row, rift_arena *arena)
{
    rift_job_row copy = *row;
    copy.spec.alias = rift_arena_copy_str(arena, row->spec.alias);
    copy.spec.options = rift_arena_copy_str(arena, row->spec.options);
    copy.error_class = rift_arena_copy_str(arena, row->error_class);
    copy.error = rift_arena_copy_str(arena, row->error);
    return copy;
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
static bool keep_row(flight *f, const rift_job_row *row)
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
static flight *add_flight(rift_jobs *jobs, const rift_job_row *row, flight_state state)
{
    flight *f = calloc(1, sizeof *f);
    if (f == NULL || !keep_row(f, row)) {
        free(f);
        return NULL;
    }
    f->jobs = jobs;
    f->state = state;
    rift_arena_init(&f->arena, ARENA_BYTES);
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
    flight **bucket = &jobs->by_key[key_bucket(&f->job.spec.key)];
    f->key_next = *bucket;
    *bucket = f;
    if (f->job.id != 0)
        add_id(f);
    count_queued(f, 1);
    return f;
}

static void remove_flight(flight *f)
{
    rift_jobs *jobs = f->jobs;
    RIFT_ASSERT(f->asks == NULL);
    flight **at = &jobs->by_key[key_bucket(&f->job.spec.key)];
    while (*at != f)
        at = &(*at)->key_next;
    *at = f->key_next;
    at = &jobs->by_id[id_bucket(f->job.id)];
    while (*at != NULL && *at != f)
        at = &(*at)->id_next;
    if (*at == f)
        *at = f->id_next;
    *(f->prev != NULL ? &f->prev->next : &jobs->first) = f->next;
    *(f->next != NULL ? &f->next->prev : &jobs->last) = f->prev;
    rift_arena_release(&f->arena);
    free(f->conversion);
    free(f->texts);
    free(f);
}

/* Gives a flight that has not begun the key that its request has under the game of now. */
static void rekey_flight(flight *f)
{
    const rift_skin_ref skin = {.alias = f->job.spec.alias, .number = f->job.spec.number};
    rift_arena arena;
    rift_arena_init(&arena, ARENA_BYTES);
    const rift_sha256 key = rift_jobs_spec(f->jobs, &skin, f->job.spec.options, &arena).key;
    const bool sound = arena.failed == RIFT_OK; /* else it stays the old one's: made once more than needed */
    rift_arena_release(&arena);
    if (!sound || memcmp(key.bytes, f->job.spec.key.bytes, sizeof key.bytes) == 0)
        return;
    flight **at = &f->jobs->by_key[key_bucket(&f->job.spec.key)];
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
    const flight *f = view->flight;
    if (f == NULL || f->state > FLIGHT_QUEUED)
        return 0;
    size_t n = 1;
    bool is_before = true;
    for (const flight *at = f->jobs->first; at != NULL; at = at->next) {
        is_before = is_before && at != f;
        n += at->state <= FLIGHT_QUEUED && (at->job.spec.priority > f->job.spec.priority ||
                                            (is_before && at->job.spec.priority == f->job.spec.priority));
    }
    return n;
}

static rift_job_view view_of(flight *f)
{
    rift_job_view view = {.row = &f->job, .flight = f};
    if (f->state <= FLIGHT_QUEUED)
        return view;
    view.phase = rift_stage_word((rift_stage)atomic_load_explicit(&f->control.stage, memory_order_relaxed));
    view.progress = atomic_load_explicit(&f->control.progress, memory_order_relaxed);
    return view;
}

static void tell_step(const rift_jobs *jobs, const rift_job_view *view)
{
    for (size_t i = 0; i < jobs->listener_count; i++)
        jobs->listeners[i].fn(jobs->listeners[i].user, view);
}

static void tell_state(flight *f)
{
    const rift_job_view view = view_of(f);
    tell_step(f->jobs, &view);
}

unsigned rift_jobs_retry_after(const rift_jobs *jobs)
{
    const int64_t ahead = (int64_t)(jobs->queued - jobs->queued_sweep + jobs->running);
    const int64_t seconds = (ahead * jobs->mean_ms / (int64_t)jobs->config.workers + 999) / 1000;
    return seconds < 1 ? 1 : seconds > MAX_RETRY_AFTER_S ? MAX_RETRY_AFTER_S : (unsigned)seconds;
}

/* ---- asks ---- */

static void tell(rift_answer_fn *fn, void *user, rift_jobs *jobs, rift_answer answer)
{
    answer.retry_after_s = rift_jobs_retry_after(jobs);
    fn(user, &answer);
}

static void drop_ask(flight *f, rift_ask *ask)
{
    *(ask->prev != NULL ? &ask->prev->next : &f->asks) = ask->next;
    *(ask->next != NULL ? &ask->next->prev : &f->last_ask) = ask->prev;
    f->jobs->waiters -= ask->deadline_ms != 0;
}

static void answer_one(flight *f, rift_ask *ask, rift_answer answer)
{
    drop_ask(f, ask);
    tell(ask->fn, ask->user, f->jobs, answer);
    free(ask);
}

static void answer_all(flight *f, rift_answer answer)
{
    while (f->asks != NULL)
        answer_one(f, f->asks, answer);
}

static void answer_now(flight *f, rift_answer_kind kind, rift_answer_fn *fn, void *user)
{
    tell(fn, user, f->jobs, (rift_answer){.kind = kind, .job = view_of(f), .made = false});
}

/* Waits with the flight. A full waiting room shortens the wait to nothing instead of refusing. */
static void wait_with(flight *f, int64_t wait_ms, rift_answer_fn *fn, void *user)
{
    rift_jobs *jobs = f->jobs;
    const bool accepted = f->state != FLIGHT_ENQUEUING;
    const bool full = jobs->waiters >= jobs->config.waiters;
    if (accepted && (wait_ms <= 0 || full)) {
        answer_now(f, RIFT_ANSWER_ACCEPTED, fn, user);
        return;
    }
    if (jobs->draining && f->state <= FLIGHT_QUEUED && accepted) {
        answer_now(f, RIFT_ANSWER_DRAINING, fn, user);
        return;
    }
    rift_ask *ask = calloc(1, sizeof *ask);
    if (ask == NULL) {
        rift_err err;
        rift_err_in(&err, (rift_str){0});
        (void)rift_fail(&err, RIFT_ERR_NOMEM, "wait", RIFT_NO_OFFSET, "out of memory");
        tell(fn, user, jobs, (rift_answer){.kind = RIFT_ANSWER_ERROR, .err = &err});
        return;
    }
    ask->deadline_ms = wait_ms > 0 && !full ? loop_ms(jobs) + wait_ms : 0;
    ask->fn = fn;
    ask->user = user;
    ask->prev = f->last_ask;
    *(f->last_ask != NULL ? &f->last_ask->next : &f->asks) = ask;
    f->last_ask = ask;
    jobs->waiters += ask->deadline_ms != 0; /* who only waits for the row does not wait long */
}

/* The job is in the store now: those who only wanted to hear that are told. The first of them made it. */
static void answer_accepted(flight *f)
{
    bool made = f->made;
    for (rift_ask *ask = f->asks, *next; ask != NULL; ask = next) {
        next = ask->next;
        if (ask->deadline_ms == 0)
            answer_one(f, ask, (rift_answer){.kind = RIFT_ANSWER_ACCEPTED, .job = view_of(f), .made = made});
        made = false;
    }
}

/* ---- enqueuing ---- */

/* Bytes that are lost take every artifact with them that has them. */
static bool forget_lost(flight *f, rift_store *store, rift_err *err)
{
    rift_blob_list gone = {0};
    return rift_store_find(store, &f->job.spec.key, rift_now_ms(), &f->found, &f->arena, err) &&
           (f->found.kind != RIFT_FOUND_ARTIFACT ||
            rift_store_forget(store, &f->found.artifact.sha256, &gone, &f->arena, err));
}

static bool work_enqueue(rift_lane_op *op, rift_store *store, rift_err *err)
{
    flight *f = RIFT_OP_OWNER(op, flight, op);
    return (!f->forget || forget_lost(f, store, err)) &&
           rift_store_enqueue(store, &f->job.spec, rift_now_ms(), &f->found, &f->arena, err);
}

static void end_flight(flight *f, rift_answer answer)
{
    if (f->state <= FLIGHT_QUEUED)
        count_queued(f, (size_t)-1);
    rift_jobs *jobs = f->jobs;
    if (answer.job.row != NULL)
        tell_step(jobs, &answer.job);
    answer_all(f, answer);
    remove_flight(f);
    check_idle(jobs);
}

/* Another flight has this job: it was claimed out of the store while this one asked for it. Who waited here waits there. */
static void merge_flight(flight *f, flight *into)
{
    if (f->asks != NULL) {
        f->asks->prev = into->last_ask;
        *(into->last_ask != NULL ? &into->last_ask->next : &into->asks) = f->asks;
        into->last_ask = f->last_ask;
        f->asks = f->last_ask = NULL;
    }
    count_queued(f, (size_t)-1);
    remove_flight(f);
    into->made = false;
    answer_accepted(into);
}

/* ---- lifting: somebody waits now for what a sweep asked for ---- */

typedef struct lift {
    rift_lane_op op;
    int64_t id;
    int priority;
} lift;

static bool work_lift(rift_lane_op *op, rift_store *store, rift_err *err)
{
    const lift *l = RIFT_OP_OWNER(op, lift, op);
    return rift_store_lift(store, l->id, l->priority, err);
}

static void done_lift(rift_lane_op *op)
{
    if (!op->ok)
        rift_log_failure("a job was not lifted", &op->err);
    free(RIFT_OP_OWNER(op, lift, op));
}

/* Without memory it stays where it is. */
static void store_lift(const flight *f)
{
    lift *l = calloc(1, sizeof *l);
    if (l == NULL)
        return;
    l->id = f->job.id;
    l->priority = f->job.spec.priority;
    l->op.work = work_lift;
    l->op.done = done_lift;
    rift_lane_submit(f->jobs->config.writer, &l->op);
}

/* One that is being stored is lifted when it is accepted. */
static void lift_flight(flight *f, int priority)
{
    if (f->state > FLIGHT_QUEUED || f->job.spec.priority >= priority)
        return;
    count_queued(f, (size_t)-1);
    f->job.spec.priority = priority;
    count_queued(f, 1);
    if (f->state == FLIGHT_QUEUED)
        store_lift(f);
}

/* What the store says of a flight's job, but for the key, which the store learns when the job ends. What was asked for and what is there are the same skin and
 * options, so without memory the texts may stay. */
static void keep_found(flight *f)
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

static void accept_flight(flight *f, bool made)
{
    flight *other = find_id(f->jobs, f->found.job.id);
    if (other != NULL) {
        merge_flight(f, other);
        return;
    }
    const int priority = f->job.spec.priority; /* may have been lifted meanwhile */
    count_queued(f, (size_t)-1);
    keep_found(f);
    const bool lifted = f->job.spec.priority < priority;
    if (lifted)
        f->job.spec.priority = priority;
    /* Running in the store and nowhere here: its end could not be stored. When its lease is over it is claimed again. */
    f->job.state = RIFT_JOB_QUEUED;
    count_queued(f, 1);
    f->state = FLIGHT_QUEUED;
    rekey_flight(f);
    f->made = made;
    add_id(f);
    if (lifted)
        store_lift(f);
    answer_accepted(f);
    tell_state(f);
    if (f->jobs->draining)
        answer_all(f, (rift_answer){.kind = RIFT_ANSWER_DRAINING, .job = view_of(f)});
    pump(f->jobs);
}

static void done_enqueue(rift_lane_op *op)
{
    flight *f = RIFT_OP_OWNER(op, flight, op);
    if (!op->ok) {
        rift_log_failure("a job was not stored", &op->err);
        end_flight(f, (rift_answer){.kind = RIFT_ANSWER_ERROR, .err = &op->err});
        return;
    }
    switch (f->found.kind) {
    case RIFT_FOUND_ARTIFACT:
        f->found.job.has_result = true;
        f->found.job.sha256 = f->found.artifact.sha256;
        end_flight(f,
                   (rift_answer){.kind = RIFT_ANSWER_DONE, .job = {.row = &f->found.job, .progress = 100}});
        break;
    case RIFT_FOUND_FAILURE:
        end_flight(f, (rift_answer){.kind = RIFT_ANSWER_FAILED, .job = {.row = &f->found.job}});
        break;
    case RIFT_FOUND_LIVE:
    case RIFT_FOUND_NOTHING:
        accept_flight(f, f->found.kind == RIFT_FOUND_NOTHING);
        break;
    }
}

/* ---- asking ---- */

static bool has_room(const rift_jobs *jobs, const rift_job_spec *spec)
{
    return spec->priority >= RIFT_JOB_PRIORITY_INTERACTIVE ? jobs->queued < jobs->config.queue_max
                                                           : rift_jobs_sweep_room(jobs) > 0;
}

size_t rift_jobs_sweep_room(const rift_jobs *jobs)
{
    const size_t most = jobs->config.queue_max - jobs->config.queue_max / 10;
    return jobs->queued < most ? most - jobs->queued : 0;
}

static void
ask(rift_jobs *jobs, const rift_job_spec *spec, int64_t wait_ms, bool forget, rift_answer_fn *fn, void *user)
{
    flight *f = find_key(jobs, &spec->key);
    if (f != NULL) {
        jobs->joined++;
        lift_flight(f, spec->priority);
        wait_with(f, wait_ms, fn, user);
        return;
    }
    if (jobs->draining) {
        tell(fn, user, jobs, (rift_answer){.kind = RIFT_ANSWER_DRAINING});
        return;
    }
    f = has_room(jobs, spec) ? add_flight(jobs, &(rift_job_row){.spec = *spec}, FLIGHT_ENQUEUING) : NULL;
    if (f == NULL) {
        tell(fn, user, jobs, (rift_answer){.kind = RIFT_ANSWER_BUSY});
        return;
    }
    f->forget = forget;
    wait_with(f, wait_ms, fn, user);
    f->op.work = work_enqueue;
    f->op.done = done_enqueue;
    rift_lane_submit(jobs->config.writer, &f->op);
}

void rift_jobs_ask(
    rift_jobs *jobs, const rift_job_spec *spec, int64_t wait_ms, rift_answer_fn *fn, void *user)
{
    ask(jobs, spec, wait_ms, false, fn, user);
}

void rift_jobs_remake(
    rift_jobs *jobs, const rift_job_spec *spec, int64_t wait_ms, rift_answer_fn *fn, void *user)
{
    ask(jobs, spec, wait_ms, true, fn, user);
}

bool rift_jobs_watch(rift_jobs *jobs, int64_t id, int64_t wait_ms, rift_answer_fn *fn, void *user)
{
    flight *f = find_id(jobs, id);
    if (f == NULL)
        return false;
    wait_with(f, wait_ms, fn, user);
    return true;
}

/* ---- running ---- */

static void log_job(const char *msg, const flight *f)
{
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_INFO, msg);
    rift_log_int(&log, "job", f->job.id);
    rift_log_str(&log, "alias", f->job.spec.alias);
    rift_log_int(&log, "number", f->job.spec.number);
    rift_log_str(&log, "options", f->job.spec.options);
    rift_log_int(&log, "attempt", f->job.attempt);
    rift_log_int(&log, "ms", f->jobs->config.loop != NULL ? loop_ms(f->jobs) - f->started_ms : 0);
    rift_log_end(&log);
}

static bool work_save(rift_lane_op *op, rift_store *store, rift_err *err)
{
    flight *f = RIFT_OP_OWNER(op, flight, op);
    rift_conversion *c = f->conversion;
    const int64_t now = rift_now_ms();
    const rift_cancel_cause cause = !c->ok && c->err.code == RIFT_ERR_CANCELLED ? c->cause : RIFT_CANCEL_NONE;
    bool ok, found;
    if (f->rekeyed && !rift_store_rekey(store, f->job.id, &f->job.spec.key, &f->taken, err))
        return false;
    f->taken = false;
    if (cause == RIFT_CANCEL_LOST) {
        ok = true;
    } else if (cause == RIFT_CANCEL_DRAIN || cause == RIFT_CANCEL_TORN) {
        ok = rift_store_requeue(store, f->job.id, f->job.epoch, &f->taken, err);
    } else if (cause == RIFT_CANCEL_CLIENT) {
        ok = rift_store_cancel(store, f->job.id, f->job.epoch, now, &f->taken, err);
    } else if (c->ok) {
        ok = rift_store_finish(store, f->job.id, f->job.epoch, &c->output, now, &f->taken, err);
    } else {
        ok = rift_store_fail(store, f->job.id, f->job.epoch, &c->failure, now, &f->taken, &f->after,
                             &f->arena, err);
    }
    return ok && rift_store_job(store, f->job.id, &found, &f->after, &f->arena, err);
}

/* The store did not take the end of a job: it is told again for as long as the lease may hold; then the job stays "running" there, until the reaper or the next start
 * queues it again. */
static bool save_later(flight *f)
{
    const rift_jobs *jobs = f->jobs;
    const int64_t now = loop_ms(jobs);
    if (jobs->draining || now - f->save_since_ms >= jobs->config.lease_ms)
        return false;
    f->save_again_ms = now + SAVE_PAUSE_MS;
    return true;
}

static rift_answer end_answer(flight *f)
{
    rift_answer answer = {.kind = RIFT_ANSWER_FAILED, .job = {.row = &f->after}};
    if (f->after.state == RIFT_JOB_DONE) {
        answer.kind = RIFT_ANSWER_DONE;
        answer.job.progress = 100;
    } else if (f->after.state == RIFT_JOB_CANCELLED) {
        answer.kind = RIFT_ANSWER_CANCELLED;
    }
    return answer;
}

static void done_save(rift_lane_op *op)
{
    flight *f = RIFT_OP_OWNER(op, flight, op);
    rift_jobs *jobs = f->jobs;
    if (!op->ok) {
        rift_log_failure("the end of a job was not stored", &op->err);
        if (save_later(f))
            return;
    }
    count_running(f, (size_t)-1);
    rift_conversion_release(f->conversion);
    free(f->conversion);
    f->conversion = NULL;
    if (!op->ok) {
        end_flight(f, (rift_answer){.kind = RIFT_ANSWER_ERROR, .err = &op->err});
        pump(jobs);
        return;
    }
    switch (f->after.state) {
    case RIFT_JOB_QUEUED: /* again, after a pause or a restart */
    case RIFT_JOB_RUNNING:
        f->state = FLIGHT_QUEUED;
        f->after.state = RIFT_JOB_QUEUED;
        f->found.job = f->after;
        keep_found(f);
        rekey_flight(f);
        count_queued(f, 1);
        atomic_store_explicit(&f->control.progress, 0, memory_order_relaxed);
        jobs->times.retried++;
        log_job("job queued again", f);
        tell_state(f);
        if (jobs->draining)
            answer_all(f, (rift_answer){.kind = RIFT_ANSWER_DRAINING, .job = view_of(f)});
        break;
    case RIFT_JOB_DONE:
        jobs->done++;
        log_job("job done", f);
        if (f->game_turn != jobs->game_turn && jobs->config.late != NULL)
            jobs->config.late(jobs->config.torn_user);
        end_flight(f, end_answer(f));
        break;
    case RIFT_JOB_FAILED:
    case RIFT_JOB_DEAD:
        jobs->failed++;
        log_job("job failed", f);
        end_flight(f, end_answer(f));
        break;
    case RIFT_JOB_CANCELLED:
        log_job("job cancelled", f);
        end_flight(f, end_answer(f));
        break;
    }
    pump(jobs);
    check_idle(jobs);
}

static void submit_save(flight *f)
{
    f->save_again_ms = 0;
    rift_arena_release(&f->arena); /* a failure of the last attempt would stay in it */
    f->op.work = work_save;
    f->op.done = done_save;
    rift_lane_submit(f->jobs->config.writer, &f->op);
}

static void on_pool(uv_work_t *work)
{
    flight *f = work->data;
    rift_conversion_run(f->conversion);
}

static void note_times(rift_jobs *jobs, const rift_job_row *job, const rift_conversion *c, int64_t took_ms)
{
    for (size_t i = 0; i < RIFT_STAGE_COUNT; i++) {
        if (c->phase_us[i] > 0)
            rift_histogram_add(&jobs->times.phases[i], c->phase_us[i]);
    }
    rift_histogram_add(&jobs->times.run, took_ms * 1000);
    rift_histogram_add(&jobs->times.wait,
                       job->started > job->created ? (job->started - job->created) * 1000 : 0);
    jobs->times.learnt += c->learnt;
}

static void on_converted(uv_work_t *work, int status)
{
    (void)status; /* never cancelled */
    flight *f = work->data;
    rift_jobs *jobs = f->jobs;
    const int64_t took = loop_ms(jobs) - f->started_ms;
    jobs->mean_ms += (took - jobs->mean_ms) / 8;
    note_times(jobs, &f->job, f->conversion, took);
    f->state = FLIGHT_SAVING;
    const bool torn = f->conversion->torn;
    if (torn) {
        f->cause = RIFT_CANCEL_TORN;
        jobs->held = jobs->config.torn != NULL;
    }
    f->conversion->cause = f->cause;
    if (!f->conversion->ok) {
        rift_log_failure("conversion failed", &f->conversion->err);
        rift_conversion_judge(f->conversion);
    }
    f->save_since_ms = loop_ms(jobs);
    submit_save(f);
    if (torn && jobs->config.torn != NULL)
        jobs->config.torn(jobs->config.torn_user);
}

/* A claimed job that cannot be started is given back. */
static bool work_return(rift_lane_op *op, rift_store *store, rift_err *err)
{
    flight *f = RIFT_OP_OWNER(op, flight, op);
    return rift_store_requeue(store, f->job.id, f->job.epoch, &f->taken, err);
}

static void done_return(rift_lane_op *op)
{
    flight *f = RIFT_OP_OWNER(op, flight, op);
    if (!op->ok)
        rift_log_failure("a job was not given back", &op->err);
    check_idle(f->jobs);
}

static void give_back(flight *f)
{
    f->op.work = work_return;
    f->op.done = done_return;
    rift_lane_submit(f->jobs->config.writer, &f->op);
}

static void start_flight(flight *f)
{
    rift_jobs *jobs = f->jobs;
    f->conversion = calloc(1, sizeof *f->conversion);
    if (f->conversion == NULL) {
        give_back(f);
        return;
    }
    f->state = FLIGHT_RUNNING;
    f->cause = RIFT_CANCEL_NONE;
    f->started_ms = f->progress_ms = loop_ms(jobs);
    f->last_progress = -1;
    atomic_store_explicit(&f->control.cancel, false, memory_order_relaxed);
    rift_conversion_init(f->conversion, jobs->config.env, &f->job, jobs->names);
    f->conversion->control = &f->control;
    f->conversion->source = rift_jobs_source(&jobs->config.game_digest, names_digest(jobs));
    f->game_turn = jobs->game_turn;
    count_queued(f, (size_t)-1);
    count_running(f, 1);
    jobs->started++;
    log_job("job started", f);
    tell_state(f);
    f->work.data = f;
    const int code = uv_queue_work(jobs->config.loop, &f->work, on_pool, on_converted);
    RIFT_ASSERT(code == 0);
}

/* ---- claiming ---- */

static bool work_claim(rift_lane_op *op, rift_store *store, rift_err *err)
{
    rift_jobs *jobs = RIFT_OP_OWNER(op, rift_jobs, claim_op);
    const rift_claim claim = {.owner = rift_str_c(jobs->owner),
                              .now = rift_now_ms(),
                              .lease_ms = jobs->config.lease_ms,
                              .min_priority = jobs->claim_priority};
    return rift_store_claim(store, &claim, &jobs->claim_found, &jobs->claimed, &jobs->claim_arena, err);
}

static void take_claimed(rift_jobs *jobs)
{
    flight *f = find_id(jobs, jobs->claimed.id);
    if (f == NULL)
        f = add_flight(jobs, &jobs->claimed, FLIGHT_QUEUED);
    if (f == NULL)
        return; /* out of memory: queued again when its lease is over */
    count_queued(f, (size_t)-1);
    f->found.job = jobs->claimed;
    keep_found(f);
    rekey_flight(f); /* one from the backlog has that of its row */
    count_queued(f, 1);
    if (!jobs->draining && !jobs->held) {
        start_flight(f);
    } else {
        give_back(f);
    }
}

static void done_claim(rift_lane_op *op)
{
    rift_jobs *jobs = RIFT_OP_OWNER(op, rift_jobs, claim_op);
    jobs->claiming = false;
    if (!op->ok) {
        rift_log_failure("no job could be claimed", &op->err);
    } else if (jobs->claim_found) {
        take_claimed(jobs);
    } else if (jobs->claim_priority == RIFT_JOB_PRIORITY_SWEEP) {
        jobs->backlog = false;
    }
    const bool again = op->ok && jobs->claim_found;
    rift_arena_release(&jobs->claim_arena);
    if (again)
        pump(jobs); /* what is not due yet waits for the tick */
    check_idle(jobs);
}

/* The lowest priority that may start now: sweeps leave one worker to those who wait. */
static int lowest_priority(const rift_jobs *jobs)
{
    const size_t sweeps = jobs->config.workers > 1 ? jobs->config.workers - 1 : 1;
    return jobs->running_sweep < sweeps ? RIFT_JOB_PRIORITY_SWEEP : RIFT_JOB_PRIORITY_INTERACTIVE;
}

static bool has_waiting(const rift_jobs *jobs, int lowest)
{
    for (const flight *f = jobs->first; f != NULL; f = f->next) {
        if (f->state == FLIGHT_QUEUED && f->job.spec.priority >= lowest)
            return true;
    }
    return jobs->backlog;
}

static void pump(rift_jobs *jobs)
{
    const int lowest = lowest_priority(jobs);
    if (jobs->claiming || jobs->draining || jobs->held || jobs->running >= jobs->config.workers ||
        !has_waiting(jobs, lowest))
        return;
    jobs->claiming = true;
    jobs->claim_priority = lowest;
    rift_arena_init(&jobs->claim_arena, ARENA_BYTES);
    jobs->claim_op.work = work_claim;
    jobs->claim_op.done = done_claim;
    rift_lane_submit(jobs->config.writer, &jobs->claim_op);
}

/* ---- another game ---- */

void rift_jobs_set_game(rift_jobs *jobs, const rift_sha256 *digest)
{
    jobs->config.game_digest = *digest;
    jobs->game_turn++;
    for (flight *f = jobs->first; f != NULL; f = f->next) {
        /* One that is being stored has its turn when it is accepted. */
        if (f->state == FLIGHT_QUEUED)
            rekey_flight(f);
    }
}

void rift_jobs_hold(rift_jobs *jobs, bool held)
{
    jobs->held = held;
    pump(jobs);
}

bool rift_jobs_are_held(const rift_jobs *jobs)
{
    return jobs->held;
}

/* ---- leases: signs of life for what runs here, and an eye on what runs nowhere ---- */

struct beat {
    rift_lane_op op;
    rift_jobs *jobs;
    size_t count;
    int64_t requeued, dead;
    struct {
        int64_t id, epoch;
        bool taken;
    } runs[];
};

static bool work_beat(rift_lane_op *op, rift_store *store, rift_err *err)
{
    struct beat *b = RIFT_OP_OWNER(op, struct beat, op);
    const int64_t now = rift_now_ms();
    for (size_t i = 0; i < b->count; i++) {
        if (!rift_store_beat(store, b->runs[i].id, b->runs[i].epoch, now + b->jobs->config.lease_ms,
                             &b->runs[i].taken, err))
            return false;
    }
    return rift_store_reap(store, now, false, &b->requeued, &b->dead, err);
}

static void stop_run(flight *f, rift_cancel_cause cause)
{
    if (f->cause == RIFT_CANCEL_NONE)
        f->cause = cause;
    atomic_store_explicit(&f->control.cancel, true, memory_order_relaxed);
}

static void done_beat(rift_lane_op *op)
{
    struct beat *b = RIFT_OP_OWNER(op, struct beat, op);
    rift_jobs *jobs = b->jobs;
    if (!op->ok)
        rift_log_failure("no lease could be kept", &op->err);
    for (size_t i = 0; op->ok && i < b->count; i++) {
        flight *f = find_id(jobs, b->runs[i].id);
        if (!b->runs[i].taken && f != NULL && f->state == FLIGHT_RUNNING && f->job.epoch == b->runs[i].epoch)
            stop_run(f, RIFT_CANCEL_LOST);
    }
    if (op->ok && b->requeued + b->dead > 0) {
        rift_log log;
        rift_log_begin(&log, RIFT_LOG_WARNING, "jobs ran past their lease");
        rift_log_int(&log, "requeued", b->requeued);
        rift_log_int(&log, "dead", b->dead);
        rift_log_end(&log);
    }
    jobs->backlog = true; /* what the reaper queued, now or before; one claim finds out */
    jobs->beat = NULL;
    free(b);
    check_idle(jobs);
}

static void keep_leases(rift_jobs *jobs, int64_t now)
{
    if (jobs->beat != NULL || now < jobs->beat_due_ms)
        return;
    struct beat *b = calloc(1, sizeof *b + jobs->running * sizeof b->runs[0]);
    if (b == NULL)
        return; /* at the next tick */
    b->jobs = jobs;
    for (const flight *f = jobs->first; f != NULL && b->count < jobs->running; f = f->next) {
        if (f->state == FLIGHT_RUNNING || f->state == FLIGHT_SAVING) {
            b->runs[b->count].id = f->job.id;
            b->runs[b->count++].epoch = f->job.epoch;
        }
    }
    jobs->beat = b;
    jobs->beat_due_ms = now + jobs->config.lease_ms / BEATS_PER_LEASE;
    b->op.work = work_beat;
    b->op.done = done_beat;
    rift_lane_submit(jobs->config.writer, &b->op);
}

/* ---- cancelling ---- */

typedef struct cancel {
    rift_lane_op op;
    rift_jobs *jobs;
    int64_t id;
    bool taken, found;
    rift_job_row row;
    rift_arena arena;
    void (*fn)(void *user, const rift_cancelled *result);
    void *user;
} cancel;

/* What waits is cancelled here. What runs is told to stop, and its end is stored as that of any run; nobody's epoch is -1. */
static bool work_cancel(rift_lane_op *op, rift_store *store, rift_err *err)
{
    cancel *c = RIFT_OP_OWNER(op, cancel, op);
    return rift_store_cancel(store, c->id, -1, rift_now_ms(), &c->taken, err) &&
           rift_store_job(store, c->id, &c->found, &c->row, &c->arena, err);
}

static rift_cancelled_kind take_cancel(cancel *c)
{
    flight *f = find_id(c->jobs, c->id);
    if (!c->op.ok)
        return RIFT_CANCELLED_ERROR;
    if (!c->found)
        return RIFT_CANCELLED_UNKNOWN;
    if (c->row.state == RIFT_JOB_RUNNING) {
        if (f != NULL && f->state == FLIGHT_RUNNING)
            stop_run(f, RIFT_CANCEL_CLIENT);
        return RIFT_CANCELLED_STOPPING;
    }
    if (c->taken && f != NULL && f->state == FLIGHT_QUEUED) {
        f->after = copy_row(&c->row, &f->arena);
        log_job("job cancelled", f);
        end_flight(f, end_answer(f));
    }
    return c->taken ? RIFT_CANCELLED_DONE : RIFT_CANCELLED_ENDED;
}

static void done_cancel(rift_lane_op *op)
{
    cancel *c = RIFT_OP_OWNER(op, cancel, op);
    const rift_cancelled result = {.kind = take_cancel(c), .row = &c->row, .err = &op->err};
    c->fn(c->user, &result);
    rift_arena_release(&c->arena);
    free(c);
}

void rift_jobs_cancel(rift_jobs *jobs,
                      int64_t id,
                      void (*fn)(void *user, const rift_cancelled *result),
                      void *user)
{
    const flight *f = find_id(jobs, id);
    cancel *c = f == NULL || f->asks == NULL ? calloc(1, sizeof *c) : NULL;
    if (c == NULL) {
        rift_err err;
        rift_err_in(&err, (rift_str){0});
        (void)rift_fail(&err, RIFT_ERR_NOMEM, "cancel", RIFT_NO_OFFSET, "out of memory");
        const bool wanted = f != NULL && f->asks != NULL;
        fn(user, &(rift_cancelled){.kind = wanted ? RIFT_CANCELLED_WANTED : RIFT_CANCELLED_ERROR,
                                   .row = wanted ? &f->job : NULL,
                                   .err = &err});
        return;
    }
    rift_arena_init(&c->arena, ARENA_BYTES);
    c->jobs = jobs;
    c->id = id;
    c->fn = fn;
    c->user = user;
    c->op.work = work_cancel;
    c->op.done = done_cancel;
    rift_lane_submit(jobs->config.writer, &c->op);
}

/* ---- name tables: read again when an import replaced the file ---- */

static void on_names_pool(uv_work_t *work)
{
    rift_jobs *jobs = work->data;
    rift_err err;
    bool remade = false;
    rift_err_in(&err, (rift_str){0});
    jobs->names_read = NULL;
    if (!rift_hashpack_open(&jobs->names_read, jobs->config.env->hashes_path, &remade, &err) &&
        err.code != RIFT_ERR_NOT_FOUND)
        rift_log_failure("the name tables cannot be read", &err);
    if (remade)
        rift_log_line(RIFT_LOG_INFO, "the pack of names was made again");
}

static void take_names(rift_jobs *jobs)
{
    if (jobs->names_read == NULL)
        return;
    rift_hashpack_unref(jobs->names);
    jobs->names = jobs->names_read;
    jobs->names_read = NULL;
}

static void on_names_read(uv_work_t *work, int status)
{
    (void)status;
    rift_jobs *jobs = work->data;
    const uint64_t before = names_digest(jobs);
    jobs->names_reading = false;
    take_names(jobs);
    if (names_digest(jobs) != before)
        rift_log_line(RIFT_LOG_INFO, "name tables changed");
    check_idle(jobs);
}

static bool names_changed(rift_jobs *jobs)
{
    struct stat st = {0};
    if (stat(jobs->config.env->hashes_path, &st) != 0)
        return false;
    const bool same = st.st_ino == jobs->names_inode && st.st_mtim.tv_sec == jobs->names_time.tv_sec &&
                      st.st_mtim.tv_nsec == jobs->names_time.tv_nsec;
    jobs->names_inode = st.st_ino;
    jobs->names_time = st.st_mtim;
    return !same;
}

static void watch_names(rift_jobs *jobs)
{
    if (jobs->names_reading || jobs->draining || !names_changed(jobs))
        return;
    jobs->names_reading = true;
    jobs->names_work.data = jobs;
    const int code = uv_queue_work(jobs->config.loop, &jobs->names_work, on_names_pool, on_names_read);
    RIFT_ASSERT(code == 0);
}

/* ---- the clock ---- */

static void watch_flight(flight *f, int64_t now)
{
    const rift_jobs_config *config = &f->jobs->config;
    const int progress = atomic_load_explicit(&f->control.progress, memory_order_relaxed);
    if (progress != f->last_progress) {
        f->last_progress = progress;
        f->progress_ms = now;
    }
    if (f->cause != RIFT_CANCEL_NONE)
        return;
    if (now - f->started_ms >= config->job_ms) {
        f->cause = RIFT_CANCEL_TIME;
    } else if (now - f->progress_ms >= config->job_silent_ms) {
        f->cause = RIFT_CANCEL_SILENCE;
    }
    if (f->cause != RIFT_CANCEL_NONE)
        atomic_store_explicit(&f->control.cancel, true, memory_order_relaxed);
}

static void answer_late(flight *f, int64_t now)
{
    for (rift_ask *at = f->asks, *next; at != NULL; at = next) {
        next = at->next;
        if (at->deadline_ms != 0 && at->deadline_ms <= now && f->state != FLIGHT_ENQUEUING)
            answer_one(f, at, (rift_answer){.kind = RIFT_ANSWER_ACCEPTED, .job = view_of(f)});
    }
}

static void on_tick(uv_timer_t *timer)
{
    rift_jobs *jobs = timer->data;
    const int64_t now = loop_ms(jobs);
    for (flight *f = jobs->first; f != NULL; f = f->next) {
        if (f->state == FLIGHT_RUNNING)
            watch_flight(f, now);
        if (f->state == FLIGHT_SAVING && f->save_again_ms != 0 && (f->save_again_ms <= now || jobs->draining))
            submit_save(f);
        answer_late(f, now);
    }
    keep_leases(jobs, now);
    if (jobs->ticks++ % NAMES_CHECK_TICKS == 0)
        watch_names(jobs);
    pump(jobs);
}

/* ---- opening ---- */

rift_sha256 rift_jobs_key(const rift_sha256 *game,
                          uint64_t names,
                          rift_str alias,
                          uint32_t number,
                          rift_str options,
                          rift_arena *arena)
{
    rift_buf b;
    rift_buf_init(&b, arena, (size_t)64 << 10);
    rift_buf_printf(&b, "riftbake %s\n%.*s/%u\n", RIFT_VERSION, RIFT_STR_ARG(alias), number);
    rift_buf_put(&b, game->bytes, sizeof game->bytes);
    rift_buf_u64(&b, names);
    rift_buf_str(&b, options);
    return rift_sha256_of(rift_buf_bytes(&b));
}

rift_sha256 rift_jobs_source(const rift_sha256 *game, uint64_t names)
{
    uint8_t bytes[sizeof game->bytes + 8];
    memcpy(bytes, game->bytes, sizeof game->bytes);
    for (size_t i = 0; i < 8; i++)
        bytes[sizeof game->bytes + i] = (uint8_t)(names >> (8 * i));
    return rift_sha256_of((rift_bytes){bytes, sizeof bytes});
}

uint64_t rift_jobs_names_digest(const rift_jobs *jobs)
{
    return names_digest(jobs);
}

rift_job_spec
rift_jobs_spec(const rift_jobs *jobs, const rift_skin_ref *skin, rift_str options, rift_arena *arena)
{
    return (rift_job_spec){.key = rift_jobs_key(&jobs->config.game_digest, names_digest(jobs), skin->alias,
                                                skin->number, options, arena),
                           .skin = skin->id,
                           .alias = skin->alias,
                           .number = skin->number,
                           .options = options,
                           .priority = RIFT_JOB_PRIORITY_INTERACTIVE};
}

/* The keys of a former run may be those of another game state. A skin that is gone keeps its key: its job runs and fails as it should. */
static bool rekey(rift_jobs *jobs, rift_store *store, rift_job_row *row, rift_arena *arena, rift_err *err)
{
    rift_skin_ref skin;
    rift_err unknown;
    rift_err_in(&unknown, (rift_str){0});
    if (!rift_game_find_skin(jobs->config.env->game, rift_spec_text(&row->spec, arena), arena, &skin,
                             &unknown))
        return true;
    const rift_job_spec spec = rift_jobs_spec(jobs, &skin, row->spec.options, arena);
    bool taken;
    if (!rift_store_rekey(store, row->id, &spec.key, &taken, err))
        return false;
    if (taken)
        row->spec.key = spec.key;
    return true;
}

static bool
load_queue(rift_jobs *jobs, rift_store *store, int64_t *recovered, rift_arena *arena, rift_err *err)
{
    rift_job_row *rows;
    size_t count;
    int64_t dead;
    const size_t max = jobs->config.queue_max + jobs->config.workers;
    const rift_job_query line = {.in_line = true, .limit = max};
    if (!rift_store_reap(store, rift_now_ms(), true, recovered, &dead, err) ||
        !rift_store_list(store, &line, &rows, &count, arena, err))
        return false;
    jobs->backlog = count == max;
    for (size_t i = 0; i < count; i++) {
        if (!rekey(jobs, store, &rows[i], arena, err))
            return false;
        if (add_flight(jobs, &rows[i], FLIGHT_QUEUED) == NULL)
            return rift_fail(err, RIFT_ERR_NOMEM, "queue", RIFT_NO_OFFSET, "out of memory");
    }
    return true;
}

static bool recover(rift_jobs *jobs, rift_store *store, int64_t *recovered, rift_err *err)
{
    rift_arena arena;
    rift_arena_init(&arena, SIZE_MAX / 2);
    bool ok = rift_store_begin(store, err) && load_queue(jobs, store, recovered, &arena, err) &&
              rift_store_commit(store, err);
    if (!ok)
        rift_store_rollback(store);
    rift_arena_release(&arena);
    return ok;
}

static void free_all(rift_jobs *jobs)
{
    /* Removing the first one moves `first`, which the analyzer does not see. */
    while (jobs->first != NULL)
        remove_flight(jobs->first); /* NOLINT(clang-analyzer-unix.Malloc): see above */
    rift_hashpack_unref(jobs->names);
    free(jobs);
}

bool rift_jobs_open(
    rift_jobs **out, const rift_jobs_config *config, rift_store *writer, int64_t *recovered, rift_err *err)
{
    rift_jobs *jobs = calloc(1, sizeof *jobs);
    if (jobs == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "jobs", RIFT_NO_OFFSET, "out of memory");
    jobs->config = *config;
    jobs->held = config->held;
    jobs->mean_ms = FIRST_GUESS_MS;
    (void)snprintf(jobs->owner, sizeof jobs->owner, "%ld", (long)getpid());
    (void)names_changed(jobs);
    jobs->names_work.data = jobs;
    on_names_pool(&jobs->names_work); /* the loop does not run yet */
    take_names(jobs);
    if (!recover(jobs, writer, recovered, err)) {
        free_all(jobs);
        return false;
    }
    int code = uv_timer_init(config->loop, &jobs->tick);
    jobs->tick.data = jobs;
    code |= uv_timer_start(&jobs->tick, on_tick, TICK_MS, TICK_MS);
    RIFT_ASSERT(code == 0);
    pump(jobs);
    *out = jobs;
    return true;
}

/* ---- looking ---- */

bool rift_jobs_view(const rift_jobs *jobs, int64_t id, rift_job_view *out)
{
    flight *f = find_id(jobs, id);
    if (f == NULL)
        return false;
    *out = view_of(f);
    return true;
}

rift_hashpack *rift_jobs_names(const rift_jobs *jobs)
{
    return jobs->names;
}

bool rift_jobs_has_flight(const rift_jobs *jobs, const rift_sha256 *key)
{
    return find_key(jobs, key) != NULL;
}

rift_jobs_counts rift_jobs_count(const rift_jobs *jobs)
{
    return (rift_jobs_counts){.queued = jobs->queued,
                              .running = jobs->running,
                              .waiters = jobs->waiters,
                              .queued_sweep = jobs->queued_sweep,
                              .running_sweep = jobs->running_sweep,
                              .started = jobs->started,
                              .done = jobs->done,
                              .failed = jobs->failed,
                              .joined = jobs->joined};
}

void rift_jobs_time(const rift_jobs *jobs, rift_jobs_times *out)
{
    const int64_t now = rift_now_ms();
    *out = jobs->times;
    out->workers = jobs->config.workers;
    for (const flight *f = jobs->first; f != NULL; f = f->next) {
        if (f->state == FLIGHT_QUEUED && now - f->job.created > out->oldest_ms)
            out->oldest_ms = now - f->job.created;
    }
}

/* ---- stopping ---- */

static void check_idle(rift_jobs *jobs)
{
    if (jobs->idle == NULL || jobs->running > 0 || jobs->claiming || jobs->beat != NULL ||
        jobs->names_reading)
        return;
    void (*idle)(void *user) = jobs->idle;
    jobs->idle = NULL;
    idle(jobs->idle_user);
}

void rift_jobs_drain(rift_jobs *jobs, void (*idle)(void *user), void *user)
{
    jobs->draining = true;
    for (flight *f = jobs->first; f != NULL; f = f->next) {
        if (f->state == FLIGHT_QUEUED)
            answer_all(f, (rift_answer){.kind = RIFT_ANSWER_DRAINING, .job = view_of(f)});
    }
    jobs->idle = idle;
    jobs->idle_user = user;
    check_idle(jobs);
}

void rift_jobs_cut(rift_jobs *jobs)
{
    for (flight *f = jobs->first; f != NULL; f = f->next) {
        if (f->state != FLIGHT_RUNNING)
            continue;
        stop_run(f, RIFT_CANCEL_DRAIN);
        answer_all(f, (rift_answer){.kind = RIFT_ANSWER_DRAINING, .job = view_of(f)});
    }
}

static void on_closed(uv_handle_t *handle)
{
    free_all(handle->data);
}

void rift_jobs_close(rift_jobs *jobs)
{
    if (jobs == NULL)
        return;
    RIFT_ASSERT(jobs->running == 0 && !jobs->claiming);
    uv_close((uv_handle_t *)&jobs->tick, on_closed);
}
