/* A flight goes ENQUEUING -> QUEUED -> RUNNING -> SAVING and is gone; each arrow but one is a committed write. Flights
 * stand in one list in the order they were made, which is the order in which the store hands them out. */
#include "jobs/jobs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/str.h"
#include "log/log.h"
#include "store/hashes.h"

enum {
    TICK_MS = 250,
    NAMES_CHECK_TICKS = 8,
    BUCKETS = 4096,
    FIRST_GUESS_MS = 2000, /* of a conversion's length */
    MAX_RETRY_AFTER_S = 60,
    ARENA_BYTES = 1024 * 1024,
};

typedef enum flight_state { FLIGHT_ENQUEUING, FLIGHT_QUEUED, FLIGHT_RUNNING, FLIGHT_SAVING } flight_state;

struct rift_ask {
    rift_ask *prev, *next;
    int64_t deadline_ms; /* loop time; 0: answered once accepted */
    rift_answer_fn *fn;
    void *user;
};

typedef struct flight {
    rift_jobs *jobs;
    flight_state state;
    rift_job_row job; /* strings in arena */
    rift_arena arena;
    bool made; /* the row is new */
    bool forget;
    bool rekeyed; /* its row still has another key */
    rift_bake_control control;
    int64_t started_ms, progress_ms; /* loop time */
    int last_progress;
    rift_cancel_cause cause;
    rift_ask *asks, *last_ask;
    struct flight *prev, *next, *key_next, *id_next;
    /* one operation at a time */
    rift_lane_op op;
    rift_found found;
    uv_work_t work;
    rift_conversion conversion;
    bool taken;
    rift_job_row after;
} flight;

struct rift_jobs {
    rift_jobs_config config;
    uv_timer_t tick;
    unsigned ticks;
    flight *first, *last;
    flight *by_key[BUCKETS], *by_id[BUCKETS];
    size_t queued; /* not yet running */
    size_t running;
    size_t waiters;
    uint64_t started, done, failed, joined;
    int64_t mean_ms;
    bool claiming, draining, held;
    bool backlog; /* the store may hold queued jobs that are not in memory */
    void (*idle)(void *user);
    void *idle_user;
    rift_lane_op claim_op;
    rift_arena claim_arena;
    bool claim_found;
    rift_job_row claimed;
    /* name tables */
    uint64_t names_digest;
    struct timespec names_time;
    ino_t names_inode;
    bool names_reading;
    uv_work_t names_work;
    uint64_t names_read;
};

int64_t rift_now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
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

/* ---- the table of flights ---- */

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

/* NULL when memory is out. */
static flight *add_flight(rift_jobs *jobs, const rift_job_row *row, flight_state state)
{
    flight *f = calloc(1, sizeof *f);
    if (f == NULL)
        return NULL;
    f->jobs = jobs;
    f->state = state;
    rift_arena_init(&f->arena, ARENA_BYTES);
    f->job = copy_row(row, &f->arena);
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
    jobs->queued++;
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

/* What the store says of a flight's job, but for the key, which the store learns when the job ends. */
static void set_row(flight *f, const rift_job_row *row)
{
    const rift_sha256 key = f->job.spec.key;
    f->job = *row;
    f->job.spec.key = key;
}

static size_t position_of(const flight *f)
{
    size_t n = 1;
    for (const flight *at = f->prev; at != NULL; at = at->prev)
        n += at->state <= FLIGHT_QUEUED;
    return n;
}

static rift_job_view view_of(flight *f)
{
    rift_job_view view = {.row = &f->job};
    if (f->state <= FLIGHT_QUEUED) {
        view.position = position_of(f);
        return view;
    }
    view.phase = rift_stage_word((rift_stage)atomic_load_explicit(&f->control.stage, memory_order_relaxed));
    view.progress = atomic_load_explicit(&f->control.progress, memory_order_relaxed);
    return view;
}

unsigned rift_jobs_retry_after(const rift_jobs *jobs)
{
    const int64_t ahead = (int64_t)(jobs->queued + jobs->running);
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
    f->jobs->waiters--;
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
    jobs->waiters++;
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

static bool work_enqueue(rift_lane_op *op, rift_store *store, rift_err *err)
{
    flight *f = RIFT_OP_OWNER(op, flight, op);
    if (f->forget && !rift_store_forget(store, &f->job.spec.key, err))
        return false;
    if (!rift_store_enqueue(store, &f->job.spec, rift_now_ms(), &f->found, &f->arena, err))
        return false;
    if (f->found.kind != RIFT_FOUND_LIVE || f->found.job.state != RIFT_JOB_RUNNING)
        return true;
    /* Running says the store, and no flight of it is here: the end of that run could not be stored. Run it again. */
    f->found.job.state = RIFT_JOB_QUEUED;
    return rift_store_requeue(store, f->found.job.id, f->found.job.epoch, &f->taken, err);
}

static void end_flight(flight *f, rift_answer answer)
{
    if (f->state <= FLIGHT_QUEUED)
        f->jobs->queued--;
    rift_jobs *jobs = f->jobs;
    answer_all(f, answer);
    remove_flight(f);
    check_idle(jobs);
}

static void accept_flight(flight *f, bool made)
{
    set_row(f, &f->found.job);
    f->state = FLIGHT_QUEUED;
    rekey_flight(f);
    f->made = made;
    add_id(f);
    answer_accepted(f);
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

static void
ask(rift_jobs *jobs, const rift_job_spec *spec, int64_t wait_ms, bool forget, rift_answer_fn *fn, void *user)
{
    flight *f = find_key(jobs, &spec->key);
    if (f != NULL) {
        jobs->joined++;
        wait_with(f, wait_ms, fn, user);
        return;
    }
    if (jobs->draining) {
        tell(fn, user, jobs, (rift_answer){.kind = RIFT_ANSWER_DRAINING});
        return;
    }
    f = jobs->queued < jobs->config.queue_max
            ? add_flight(jobs, &(rift_job_row){.spec = *spec}, FLIGHT_ENQUEUING)
            : NULL;
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
    rift_conversion *c = &f->conversion;
    const int64_t now = rift_now_ms();
    const bool cut = !c->ok && c->err.code == RIFT_ERR_CANCELLED &&
                     (c->cause == RIFT_CANCEL_DRAIN || c->cause == RIFT_CANCEL_TORN);
    bool found;
    if (f->rekeyed && !rift_store_rekey(store, f->job.id, &f->job.spec.key, &f->taken, err))
        return false;
    if (cut) {
        return rift_store_requeue(store, f->job.id, f->job.epoch, &f->taken, err) &&
               rift_store_job(store, f->job.id, &found, &f->after, &f->arena, err);
    }
    if (!c->ok) {
        return rift_store_fail(store, f->job.id, f->job.epoch, &c->failure, now, &f->taken, &f->after,
                               &f->arena, err);
    }
    return rift_store_finish(store, f->job.id, f->job.epoch, &c->output, now, &f->taken, err) &&
           rift_store_job(store, f->job.id, &found, &f->after, &f->arena, err);
}

/* The store did not take the end of a job: it stays "running" there and is run again after the next start. */
static void lost_end(flight *f, const rift_err *err)
{
    rift_log_failure("the end of a job was not stored", err);
    end_flight(f, (rift_answer){.kind = RIFT_ANSWER_ERROR, .err = err});
}

static void done_save(rift_lane_op *op)
{
    flight *f = RIFT_OP_OWNER(op, flight, op);
    rift_jobs *jobs = f->jobs;
    jobs->running--;
    rift_conversion_release(&f->conversion);
    if (!op->ok) {
        lost_end(f, &op->err);
        pump(jobs);
        return;
    }
    set_row(f, &f->after);
    switch (f->after.state) {
    case RIFT_JOB_QUEUED: /* again, after a pause or a restart */
    case RIFT_JOB_RUNNING:
        f->state = FLIGHT_QUEUED;
        rekey_flight(f);
        jobs->queued++;
        atomic_store_explicit(&f->control.progress, 0, memory_order_relaxed);
        log_job("job queued again", f);
        if (jobs->draining)
            answer_all(f, (rift_answer){.kind = RIFT_ANSWER_DRAINING, .job = view_of(f)});
        break;
    case RIFT_JOB_DONE:
        jobs->done++;
        log_job("job done", f);
        end_flight(f, (rift_answer){.kind = RIFT_ANSWER_DONE, .job = {.row = &f->after, .progress = 100}});
        break;
    case RIFT_JOB_FAILED:
    case RIFT_JOB_DEAD:
    case RIFT_JOB_CANCELLED:
        jobs->failed++;
        log_job("job failed", f);
        end_flight(f, (rift_answer){.kind = RIFT_ANSWER_FAILED, .job = {.row = &f->after}});
        break;
    }
    pump(jobs);
    check_idle(jobs);
}

static void on_pool(uv_work_t *work)
{
    flight *f = work->data;
    rift_conversion_run(&f->conversion);
}

static void on_converted(uv_work_t *work, int status)
{
    (void)status; /* never cancelled */
    flight *f = work->data;
    rift_jobs *jobs = f->jobs;
    const int64_t took = loop_ms(jobs) - f->started_ms;
    jobs->mean_ms += (took - jobs->mean_ms) / 8;
    f->state = FLIGHT_SAVING;
    if (f->conversion.torn) {
        f->cause = RIFT_CANCEL_TORN;
        jobs->held = jobs->config.torn != NULL;
    }
    f->conversion.cause = f->cause;
    if (!f->conversion.ok) {
        rift_log_failure("conversion failed", &f->conversion.err);
        rift_conversion_judge(&f->conversion);
    }
    f->op.work = work_save;
    f->op.done = done_save;
    rift_lane_submit(jobs->config.writer, &f->op);
    if (f->conversion.torn && jobs->config.torn != NULL)
        jobs->config.torn(jobs->config.torn_user);
}

static void start_flight(flight *f)
{
    rift_jobs *jobs = f->jobs;
    f->state = FLIGHT_RUNNING;
    f->cause = RIFT_CANCEL_NONE;
    f->started_ms = f->progress_ms = loop_ms(jobs);
    f->last_progress = -1;
    atomic_store_explicit(&f->control.cancel, false, memory_order_relaxed);
    rift_conversion_init(&f->conversion, jobs->config.env, &f->job);
    f->conversion.control = &f->control;
    rift_buf b;
    rift_buf_init(&b, &f->arena, 256);
    rift_buf_put(&b, jobs->config.game_digest.bytes, sizeof jobs->config.game_digest.bytes);
    rift_buf_u64(&b, jobs->names_digest);
    f->conversion.source = rift_sha256_of(rift_buf_bytes(&b));
    jobs->queued--;
    jobs->running++;
    jobs->started++;
    log_job("job started", f);
    f->work.data = f;
    const int code = uv_queue_work(jobs->config.loop, &f->work, on_pool, on_converted);
    RIFT_ASSERT(code == 0);
}

/* ---- claiming ---- */

static bool work_claim(rift_lane_op *op, rift_store *store, rift_err *err)
{
    rift_jobs *jobs = RIFT_OP_OWNER(op, rift_jobs, claim_op);
    return rift_store_claim(store, rift_now_ms(), &jobs->claim_found, &jobs->claimed, &jobs->claim_arena,
                            err);
}

/* A claimed job that has to be given back: the daemon began to stop meanwhile. */
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

static void take_claimed(rift_jobs *jobs)
{
    flight *f = find_id(jobs, jobs->claimed.id);
    if (f == NULL)
        f = add_flight(jobs, &jobs->claimed, FLIGHT_QUEUED);
    if (f == NULL)
        return; /* out of memory: queued again at the next start */
    const rift_job_row row = copy_row(&jobs->claimed, &f->arena);
    set_row(f, &row);
    rekey_flight(f); /* one from the backlog has that of its row */
    if (!jobs->draining && !jobs->held) {
        start_flight(f);
        return;
    }
    f->op.work = work_return;
    f->op.done = done_return;
    rift_lane_submit(jobs->config.writer, &f->op);
}

static void done_claim(rift_lane_op *op)
{
    rift_jobs *jobs = RIFT_OP_OWNER(op, rift_jobs, claim_op);
    jobs->claiming = false;
    if (!op->ok) {
        rift_log_failure("no job could be claimed", &op->err);
    } else if (jobs->claim_found) {
        take_claimed(jobs);
    } else {
        jobs->backlog = false;
    }
    const bool again = op->ok && jobs->claim_found;
    rift_arena_release(&jobs->claim_arena);
    if (again)
        pump(jobs); /* what is not due yet waits for the tick */
    check_idle(jobs);
}

static bool has_waiting(const rift_jobs *jobs)
{
    for (const flight *f = jobs->first; f != NULL; f = f->next) {
        if (f->state == FLIGHT_QUEUED)
            return true;
    }
    return jobs->backlog;
}

static void pump(rift_jobs *jobs)
{
    if (jobs->claiming || jobs->draining || jobs->held || jobs->running >= jobs->config.workers ||
        !has_waiting(jobs))
        return;
    jobs->claiming = true;
    rift_arena_init(&jobs->claim_arena, ARENA_BYTES);
    jobs->claim_op.work = work_claim;
    jobs->claim_op.done = done_claim;
    rift_lane_submit(jobs->config.writer, &jobs->claim_op);
}

/* ---- another game ---- */

void rift_jobs_set_game(rift_jobs *jobs, const rift_sha256 *digest)
{
    jobs->config.game_digest = *digest;
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

/* ---- name tables: read again when an import replaced the file ---- */

static void on_names_pool(uv_work_t *work)
{
    rift_jobs *jobs = work->data;
    rift_hashdb h = {0};
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    jobs->names_read = 0;
    if (rift_hashdb_open(&h, jobs->config.env->hashes_path, &err) &&
        !rift_hashdb_digest(&h, &jobs->names_read, &err))
        rift_log_failure("the name tables cannot be read", &err);
    rift_hashdb_close(&h);
}

static void on_names_read(uv_work_t *work, int status)
{
    (void)status;
    rift_jobs *jobs = work->data;
    jobs->names_reading = false;
    if (jobs->names_digest != jobs->names_read)
        rift_log_line(RIFT_LOG_INFO, "name tables changed");
    jobs->names_digest = jobs->names_read;
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
        answer_late(f, now);
    }
    if (jobs->ticks++ % NAMES_CHECK_TICKS == 0)
        watch_names(jobs);
    pump(jobs);
}

/* ---- opening ---- */

rift_job_spec
rift_jobs_spec(const rift_jobs *jobs, const rift_skin_ref *skin, rift_str options, rift_arena *arena)
{
    rift_buf b;
    rift_buf_init(&b, arena, (size_t)64 << 10);
    rift_buf_printf(&b, "riftbake %s\n%.*s/%u\n", RIFT_VERSION, RIFT_STR_ARG(skin->alias), skin->number);
    rift_buf_put(&b, jobs->config.game_digest.bytes, sizeof jobs->config.game_digest.bytes);
    rift_buf_u64(&b, jobs->names_digest);
    rift_buf_str(&b, options);
    return (rift_job_spec){.key = rift_sha256_of(rift_buf_bytes(&b)),
                           .skin = skin->id,
                           .alias = skin->alias,
                           .number = skin->number,
                           .options = options};
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
    if (!rift_store_recover(store, rift_now_ms(), recovered, &dead, err) ||
        !rift_store_queued(store, max, &rows, &count, arena, err))
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
    (void)names_changed(jobs);
    jobs->names_work.data = jobs;
    on_names_pool(&jobs->names_work); /* the loop does not run yet */
    jobs->names_digest = jobs->names_read;
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

bool rift_jobs_has_flight(const rift_jobs *jobs, const rift_sha256 *key)
{
    return find_key(jobs, key) != NULL;
}

rift_jobs_counts rift_jobs_count(const rift_jobs *jobs)
{
    return (rift_jobs_counts){.queued = jobs->queued,
                              .running = jobs->running,
                              .waiters = jobs->waiters,
                              .started = jobs->started,
                              .done = jobs->done,
                              .failed = jobs->failed,
                              .joined = jobs->joined};
}

/* ---- stopping ---- */

static void check_idle(rift_jobs *jobs)
{
    if (jobs->idle == NULL || jobs->running > 0 || jobs->claiming || jobs->names_reading)
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
        if (f->cause == RIFT_CANCEL_NONE)
            f->cause = RIFT_CANCEL_DRAIN;
        atomic_store_explicit(&f->control.cancel, true, memory_order_relaxed);
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
