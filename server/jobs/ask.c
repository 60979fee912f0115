/* Who asks joins the flight of a key or makes it, and waits with it. */
#include "jobs/jobs_internal.h"

#include <stdlib.h>

#include "log/log.h"

enum { MAX_RETRY_AFTER_S = 3600 };

int64_t rift_jobs_estimate_ms(const rift_jobs *jobs)
{
    const int64_t ahead = (int64_t)(jobs->queued - jobs->queued_sweep + jobs->running);
    return ahead * jobs->mean_ms / (int64_t)jobs->config.workers;
}

unsigned rift_jobs_retry_after(const rift_jobs *jobs)
{
    const int64_t seconds = (rift_jobs_estimate_ms(jobs) + 999) / 1000;
    return seconds < 1 ? 1 : seconds > MAX_RETRY_AFTER_S ? MAX_RETRY_AFTER_S : (unsigned)seconds;
}

rift_answer rift_jobs_store_failed(const rift_err *err)
{
    const bool full = err->code == RIFT_ERR_LIMIT;
    return (rift_answer){.kind = full ? RIFT_ANSWER_FULL : RIFT_ANSWER_ERROR, .err = err};
}

/* ---- asks ---- */

static void tell(rift_answer_fn *fn, void *user, rift_jobs *jobs, rift_answer answer)
{
    answer.retry_after_s = rift_jobs_retry_after(jobs);
    fn(user, &answer);
}

static void drop_ask(rift_flight *f, rift_ask *ask)
{
    *(ask->prev != NULL ? &ask->prev->next : &f->asks) = ask->next;
    *(ask->next != NULL ? &ask->next->prev : &f->last_ask) = ask->prev;
    f->jobs->waiters -= ask->deadline_ms != 0;
}

void rift_flight_answer_one(rift_flight *f, rift_ask *ask, rift_answer answer)
{
    drop_ask(f, ask);
    tell(ask->fn, ask->user, f->jobs, answer);
    free(ask);
}

void rift_flight_answer(rift_flight *f, rift_answer answer)
{
    /* Answering the first one moves `asks`, which the analyzer does not see. */
    while (f->asks != NULL)
        rift_flight_answer_one(f, f->asks, answer); /* NOLINT(clang-analyzer-unix.Malloc): see above */
}

static void answer_now(rift_flight *f, rift_answer_kind kind, rift_answer_fn *fn, void *user)
{
    tell(fn, user, f->jobs, (rift_answer){.kind = kind, .job = rift_flight_view(f), .made = false});
}

/* Waits with the flight. A full waiting room shortens the wait to nothing instead of refusing. */
static void wait_with(rift_flight *f, int64_t wait_ms, rift_answer_fn *fn, void *user)
{
    rift_jobs *jobs = f->jobs;
    const bool accepted = f->state != RIFT_FLIGHT_ENQUEUING;
    const bool full = jobs->waiters >= jobs->config.waiters;
    if (accepted && (wait_ms <= 0 || full)) {
        answer_now(f, RIFT_ANSWER_ACCEPTED, fn, user);
        return;
    }
    if (jobs->draining && f->state <= RIFT_FLIGHT_QUEUED && accepted) {
        answer_now(f, RIFT_ANSWER_DRAINING, fn, user);
        return;
    }
    if (jobs->refuses && f->state == RIFT_FLIGHT_QUEUED) {
        answer_now(f, RIFT_ANSWER_FULL, fn, user);
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
    ask->deadline_ms = wait_ms > 0 && !full ? rift_jobs_loop_ms(jobs) + wait_ms : 0;
    ask->fn = fn;
    ask->user = user;
    ask->prev = f->last_ask;
    *(f->last_ask != NULL ? &f->last_ask->next : &f->asks) = ask;
    f->last_ask = ask;
    jobs->waiters += ask->deadline_ms != 0; /* who only waits for the row does not wait long */
}

/* The job is in the store now: those who only wanted to hear that are told. The first of them made it. */
static void answer_accepted(rift_flight *f)
{
    bool made = f->made;
    for (rift_ask *ask = f->asks, *next; ask != NULL; ask = next) {
        next = ask->next;
        if (ask->deadline_ms == 0) {
            rift_flight_answer_one(
                f, ask,
                (rift_answer){.kind = RIFT_ANSWER_ACCEPTED, .job = rift_flight_view(f), .made = made});
        }
        made = false;
    }
}

/* ---- enqueuing ---- */

/* Bytes that are lost take every artifact with them that has them. */
static bool forget_lost(rift_flight *f, rift_store *store, rift_err *err)
{
    rift_blob_list gone = {0};
    return rift_store_find(store, &f->wanted.key, rift_now_ms(), &f->found, &f->arena, err) &&
           (f->found.kind != RIFT_FOUND_ARTIFACT ||
            rift_store_forget(store, &f->found.artifact.sha256, &gone, &f->arena, err));
}

/* A flight that is to be refused may still find that what it asks for is there. */
static bool work_enqueue(rift_lane_op *op, rift_store *store, rift_err *err)
{
    rift_flight *f = RIFT_OP_OWNER(op, rift_flight, op);
    if (f->forget && !forget_lost(f, store, err))
        return false;
    return f->refusal == RIFT_ANSWER_ACCEPTED
               ? rift_store_enqueue(store, &f->wanted, rift_now_ms(), &f->found, &f->arena, err)
               : rift_store_find(store, &f->wanted.key, rift_now_ms(), &f->found, &f->arena, err);
}

void rift_flight_end(rift_flight *f, rift_answer answer)
{
    if (f->state <= RIFT_FLIGHT_QUEUED)
        rift_flight_count_queued(f, (size_t)-1);
    rift_jobs *jobs = f->jobs;
    if (answer.job.row != NULL)
        rift_jobs_tell(jobs, &answer.job);
    rift_flight_answer(f, answer);
    rift_flight_remove(f);
    rift_jobs_check_idle(jobs);
}

/* Another flight has this job: it was claimed out of the store while this one asked for it. Who waited here waits there. */
static void merge_flight(rift_flight *f, rift_flight *into)
{
    if (f->asks != NULL) {
        f->asks->prev = into->last_ask;
        *(into->last_ask != NULL ? &into->last_ask->next : &into->asks) = f->asks;
        into->last_ask = f->last_ask;
        f->asks = f->last_ask = NULL;
    }
    rift_flight_count_queued(f, (size_t)-1);
    rift_flight_remove(f);
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
static void store_lift(const rift_flight *f)
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
static void lift_flight(rift_flight *f, int priority)
{
    if (f->state > RIFT_FLIGHT_QUEUED || f->job.spec.priority >= priority)
        return;
    rift_flight_count_queued(f, (size_t)-1);
    f->job.spec.priority = priority;
    rift_flight_count_queued(f, 1);
    if (f->state == RIFT_FLIGHT_QUEUED)
        store_lift(f);
}

static void accept_flight(rift_flight *f, bool made)
{
    rift_flight *other = rift_flight_of_id(f->jobs, f->found.job.id);
    if (other != NULL) {
        merge_flight(f, other);
        return;
    }
    const int priority = f->job.spec.priority; /* may have been lifted meanwhile */
    rift_flight_count_queued(f, (size_t)-1);
    rift_flight_keep_found(f);
    const bool lifted = f->job.spec.priority < priority;
    if (lifted)
        f->job.spec.priority = priority;
    /* Running in the store and nowhere here: its end could not be stored. When its lease is over it is claimed again. */
    f->job.state = RIFT_JOB_QUEUED;
    rift_flight_count_queued(f, 1);
    f->state = RIFT_FLIGHT_QUEUED;
    rift_flight_rekey(f);
    f->made = made;
    rift_flight_add_id(f);
    if (lifted)
        store_lift(f);
    answer_accepted(f);
    rift_flight_tell(f);
    if (f->jobs->draining)
        rift_flight_answer(f, (rift_answer){.kind = RIFT_ANSWER_DRAINING, .job = rift_flight_view(f)});
    rift_jobs_pump(f->jobs);
}

static void done_enqueue(rift_lane_op *op)
{
    rift_flight *f = RIFT_OP_OWNER(op, rift_flight, op);
    if (!op->ok) {
        rift_log_failure("a job was not stored", &op->err);
        rift_flight_end(f, rift_jobs_store_failed(&op->err));
        return;
    }
    switch (f->found.kind) {
    case RIFT_FOUND_ARTIFACT:
        f->found.job.has_result = true;
        f->found.job.sha256 = f->found.artifact.sha256;
        rift_flight_end(
            f, (rift_answer){.kind = RIFT_ANSWER_DONE, .job = {.row = &f->found.job, .progress = 100}});
        break;
    case RIFT_FOUND_FAILURE:
        rift_flight_end(f, (rift_answer){.kind = RIFT_ANSWER_FAILED, .job = {.row = &f->found.job}});
        break;
    case RIFT_FOUND_NOTHING:
        if (f->refusal != RIFT_ANSWER_ACCEPTED) {
            rift_flight_end(f, (rift_answer){.kind = f->refusal});
            break;
        }
        accept_flight(f, true);
        break;
    case RIFT_FOUND_LIVE:
        accept_flight(f, false);
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

/* What a new job would be told instead; ACCEPTED for nothing. */
static rift_answer_kind refusal_of(const rift_jobs *jobs, const rift_job_spec *spec)
{
    const bool waits_too_long = spec->priority >= RIFT_JOB_PRIORITY_INTERACTIVE &&
                                jobs->config.wait_max_ms > 0 &&
                                rift_jobs_estimate_ms(jobs) > jobs->config.wait_max_ms;
    return jobs->refuses ? RIFT_ANSWER_FULL : waits_too_long ? RIFT_ANSWER_BUSY : RIFT_ANSWER_ACCEPTED;
}

static void
ask(rift_jobs *jobs, const rift_job_spec *spec, int64_t wait_ms, bool forget, rift_answer_fn *fn, void *user)
{
    rift_flight *f = rift_flight_of_key(jobs, &spec->key);
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
    const rift_answer_kind refusal = refusal_of(jobs, spec);
    f = has_room(jobs, spec) ? rift_flight_add(jobs, &(rift_job_row){.spec = *spec}, RIFT_FLIGHT_ENQUEUING)
                             : NULL;
    if (f == NULL) {
        tell(fn, user, jobs, (rift_answer){.kind = RIFT_ANSWER_BUSY});
        return;
    }
    f->forget = forget;
    f->refusal = refusal;
    wait_with(f, wait_ms, fn, user);
    f->wanted = f->job.spec;
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
    rift_flight *f = rift_flight_of_id(jobs, id);
    if (f == NULL)
        return false;
    wait_with(f, wait_ms, fn, user);
    return true;
}
