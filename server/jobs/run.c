/* Claims a job in the store, converts it on the pool, stores its end. */
#include "jobs/jobs_internal.h"

#include <stdlib.h>

#include "base/str.h"
#include "log/log.h"

enum { SAVE_PAUSE_MS = 1000 }; /* before an end that was not stored is stored again */

/* ---- running ---- */

void rift_flight_log(const char *msg, const rift_flight *f)
{
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_INFO, msg);
    rift_log_int(&log, "job", f->job.id);
    rift_log_str(&log, "alias", f->job.spec.alias);
    rift_log_int(&log, "number", f->job.spec.number);
    rift_log_str(&log, "options", f->job.spec.options);
    rift_log_int(&log, "attempt", f->job.attempt);
    rift_log_int(&log, "ms", f->jobs->config.loop != NULL ? rift_jobs_loop_ms(f->jobs) - f->started_ms : 0);
    rift_log_end(&log);
}

static bool work_save(rift_lane_op *op, rift_store *store, rift_err *err)
{
    rift_flight *f = RIFT_OP_OWNER(op, rift_flight, op);
    rift_conversion *c = f->conversion;
    const int64_t now = rift_now_ms();
    const rift_cancel_cause cause = !c->ok && c->err.code == RIFT_ERR_CANCELLED ? c->cause : RIFT_CANCEL_NONE;
    bool ok, found;
    if (f->rekeyed && !rift_store_rekey(store, f->job.id, &f->job.spec.key, &f->taken, err))
        return false;
    f->taken = false;
    if (cause == RIFT_CANCEL_LOST) {
        ok = true;
    } else if (cause == RIFT_CANCEL_DRAIN || cause == RIFT_CANCEL_TORN || cause == RIFT_CANCEL_ROOM) {
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
static bool save_later(rift_flight *f)
{
    const rift_jobs *jobs = f->jobs;
    const int64_t now = rift_jobs_loop_ms(jobs);
    if (jobs->draining || now - f->save_since_ms >= jobs->config.lease_ms)
        return false;
    f->save_again_ms = now + SAVE_PAUSE_MS;
    return true;
}

rift_answer rift_flight_end_answer(rift_flight *f)
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
    rift_flight *f = RIFT_OP_OWNER(op, rift_flight, op);
    rift_jobs *jobs = f->jobs;
    if (!op->ok) {
        rift_log_failure("the end of a job was not stored", &op->err);
        if (save_later(f))
            return;
    }
    rift_flight_count_running(f, (size_t)-1);
    rift_conversion_release(f->conversion);
    free(f->conversion);
    f->conversion = NULL;
    if (!op->ok) {
        jobs->lost -= f->lost;
        rift_flight_end(f, rift_jobs_store_failed(&op->err));
        rift_jobs_pump(jobs);
        return;
    }
    if (f->lost) { /* told long ago */
        rift_flight_log("a conversion that was given up has ended", f);
        jobs->lost--;
        rift_flight_end(f, rift_flight_end_answer(f));
        rift_jobs_pump(jobs);
        return;
    }
    switch (f->after.state) {
    case RIFT_JOB_QUEUED: /* again, after a pause or a restart */
    case RIFT_JOB_RUNNING:
        f->state = RIFT_FLIGHT_QUEUED;
        f->after.state = RIFT_JOB_QUEUED;
        f->found.job = f->after;
        rift_flight_keep_found(f);
        rift_flight_rekey(f);
        rift_flight_count_queued(f, 1);
        atomic_store_explicit(&f->control.progress, 0, memory_order_relaxed);
        jobs->times.retried++;
        rift_flight_log("job queued again", f);
        rift_flight_tell(f);
        if (jobs->draining)
            rift_flight_answer(f, (rift_answer){.kind = RIFT_ANSWER_DRAINING, .job = rift_flight_view(f)});
        break;
    case RIFT_JOB_DONE:
        jobs->done++;
        rift_flight_log("job done", f);
        if (f->game_turn != jobs->game_turn && jobs->config.late != NULL)
            jobs->config.late(jobs->config.torn_user);
        rift_flight_end(f, rift_flight_end_answer(f));
        break;
    case RIFT_JOB_FAILED:
    case RIFT_JOB_DEAD:
        jobs->failed++;
        rift_flight_log("job failed", f);
        rift_flight_end(f, rift_flight_end_answer(f));
        break;
    case RIFT_JOB_CANCELLED:
        rift_flight_log("job cancelled", f);
        rift_flight_end(f, rift_flight_end_answer(f));
        break;
    }
    rift_jobs_pump(jobs);
    rift_jobs_check_idle(jobs);
}

void rift_flight_save(rift_flight *f)
{
    f->save_again_ms = 0;
    rift_arena_release(&f->arena); /* a failure of the last attempt would stay in it */
    f->op.work = work_save;
    f->op.done = done_save;
    rift_lane_submit(f->jobs->config.writer, &f->op);
}

static void on_pool(uv_work_t *work)
{
    rift_flight *f = work->data;
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
    rift_flight *f = work->data;
    rift_jobs *jobs = f->jobs;
    const int64_t took = rift_jobs_loop_ms(jobs) - f->started_ms;
    jobs->mean_ms += (took - jobs->mean_ms) / 8;
    note_times(jobs, &f->job, f->conversion, took);
    f->state = RIFT_FLIGHT_SAVING;
    const bool torn = f->conversion->torn;
    if (torn) {
        f->cause = RIFT_CANCEL_TORN;
        jobs->held = jobs->config.torn != NULL;
    }
    if (f->conversion->no_room && f->cause == RIFT_CANCEL_NONE)
        f->cause = RIFT_CANCEL_ROOM;
    f->conversion->cause = f->cause;
    if (!f->conversion->ok) {
        rift_log_failure("conversion failed", &f->conversion->err);
        rift_conversion_judge(f->conversion);
    }
    f->save_since_ms = rift_jobs_loop_ms(jobs);
    rift_flight_save(f);
    if (f->cause == RIFT_CANCEL_ROOM && jobs->config.no_room != NULL)
        jobs->config.no_room(jobs->config.no_room_user, f->conversion->result.glb.size);
    if (torn && jobs->config.torn != NULL)
        jobs->config.torn(jobs->config.torn_user);
}

/* A claimed job that cannot be started is given back. */
static bool work_return(rift_lane_op *op, rift_store *store, rift_err *err)
{
    rift_flight *f = RIFT_OP_OWNER(op, rift_flight, op);
    return rift_store_requeue(store, f->job.id, f->job.epoch, &f->taken, err);
}

static void done_return(rift_lane_op *op)
{
    rift_flight *f = RIFT_OP_OWNER(op, rift_flight, op);
    if (!op->ok)
        rift_log_failure("a job was not given back", &op->err);
    rift_jobs_check_idle(f->jobs);
}

static void give_back(rift_flight *f)
{
    f->op.work = work_return;
    f->op.done = done_return;
    rift_lane_submit(f->jobs->config.writer, &f->op);
}

static void start_flight(rift_flight *f)
{
    rift_jobs *jobs = f->jobs;
    f->conversion = calloc(1, sizeof *f->conversion);
    if (f->conversion == NULL) {
        give_back(f);
        return;
    }
    f->state = RIFT_FLIGHT_RUNNING;
    f->cause = RIFT_CANCEL_NONE;
    f->stopped_ms = 0;
    f->started_ms = f->progress_ms = rift_jobs_loop_ms(jobs);
    f->last_progress = -1;
    atomic_store_explicit(&f->control.cancel, false, memory_order_relaxed);
    rift_conversion_init(f->conversion, jobs->config.env, &f->job, jobs->names);
    f->conversion->control = &f->control;
    f->conversion->source = rift_jobs_source(&jobs->config.game_digest, rift_jobs_names_digest(jobs));
    f->game_turn = jobs->game_turn;
    rift_flight_count_queued(f, (size_t)-1);
    rift_flight_count_running(f, 1);
    jobs->started++;
    rift_flight_log("job started", f);
    rift_flight_tell(f);
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
    rift_flight *f = rift_flight_of_id(jobs, jobs->claimed.id);
    if (f == NULL)
        f = rift_flight_add(jobs, &jobs->claimed, RIFT_FLIGHT_QUEUED);
    if (f == NULL)
        return; /* out of memory: queued again when its lease is over */
    rift_flight_count_queued(f, (size_t)-1);
    f->found.job = jobs->claimed;
    rift_flight_keep_found(f);
    rift_flight_rekey(f); /* one from the backlog has that of its row */
    rift_flight_count_queued(f, 1);
    if (!jobs->draining && !rift_jobs_are_held(jobs)) {
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
        rift_jobs_pump(jobs); /* what is not due yet waits for the tick */
    rift_jobs_check_idle(jobs);
}

/* The lowest priority that may start now: sweeps leave one worker to those who wait. */
static int lowest_priority(const rift_jobs *jobs)
{
    const size_t sweeps = jobs->config.workers > 1 ? jobs->config.workers - 1 : 1;
    return jobs->running_sweep < sweeps ? RIFT_JOB_PRIORITY_SWEEP : RIFT_JOB_PRIORITY_INTERACTIVE;
}

static bool has_waiting(const rift_jobs *jobs, int lowest)
{
    for (const rift_flight *f = jobs->first; f != NULL; f = f->next) {
        if (f->state == RIFT_FLIGHT_QUEUED && f->job.spec.priority >= lowest)
            return true;
    }
    return jobs->backlog;
}

void rift_jobs_pump(rift_jobs *jobs)
{
    const int lowest = lowest_priority(jobs);
    if (jobs->claiming || jobs->draining || rift_jobs_are_held(jobs) ||
        jobs->running >= jobs->config.workers || !has_waiting(jobs, lowest))
        return;
    jobs->claiming = true;
    jobs->claim_priority = lowest;
    rift_arena_init(&jobs->claim_arena, RIFT_JOBS_ARENA_BYTES);
    jobs->claim_op.work = work_claim;
    jobs->claim_op.done = done_claim;
    rift_lane_submit(jobs->config.writer, &jobs->claim_op);
}
