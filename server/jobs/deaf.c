/* Conversions that do not look at their flag. A thread cannot be killed; but the job ends as it would have, so that nobody waits for it and the request is not tried
 * over and over. The worker is lost until the conversion ends after all, which changes nothing any more. */
#include "jobs/jobs_internal.h"

#include <stdlib.h>

#include "log/log.h"

typedef struct deaf {
    rift_lane_op op;
    rift_flight *flight; /* outlives this: what is stored at its end comes behind it in the lane */
    rift_conversion verdict;
    rift_job_row after;
    rift_arena arena;
    bool taken, found;
} deaf;

static bool work_give_up(rift_lane_op *op, rift_store *store, rift_err *err)
{
    deaf *d = RIFT_OP_OWNER(op, deaf, op);
    const rift_job_row *job = &d->verdict.job;
    const int64_t now = rift_now_ms();
    const bool ok = d->verdict.cause == RIFT_CANCEL_CLIENT
                        ? rift_store_cancel(store, job->id, job->epoch, now, &d->taken, err)
                        : rift_store_fail(store, job->id, job->epoch, &d->verdict.failure, now, &d->taken,
                                          &d->after, &d->arena, err);
    return ok && rift_store_job(store, job->id, &d->found, &d->after, &d->arena, err);
}

static void tell_end(deaf *d)
{
    rift_flight *f = d->flight;
    rift_jobs *jobs = f->jobs;
    const bool cancelled = d->after.state == RIFT_JOB_CANCELLED;
    const rift_answer answer = {.kind = cancelled ? RIFT_ANSWER_CANCELLED : RIFT_ANSWER_FAILED,
                                .job = {.row = &d->after}};
    rift_flight_hide(f);
    jobs->failed += !cancelled;
    rift_flight_log(cancelled ? "job cancelled" : "job failed", f);
    rift_jobs_tell(jobs, &answer.job);
    rift_flight_answer(f, answer);
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_ERROR,
                   rift_jobs_are_lost(jobs) ? "no conversion ends: there is no worker left"
                                            : "a conversion does not end; its worker is lost until it does");
    rift_log_int(&log, "job", f->job.id);
    rift_log_int(&log, "lost", (int64_t)jobs->lost);
    rift_log_end(&log);
}

static void done_give_up(rift_lane_op *op)
{
    deaf *d = RIFT_OP_OWNER(op, deaf, op);
    if (op->ok && d->found) {
        tell_end(d);
    } else { /* at a later tick */
        rift_log_failure("the end of a job was not stored", &op->err);
        d->flight->lost = false;
        d->flight->jobs->lost--;
    }
    rift_conversion_release(&d->verdict);
    rift_arena_release(&d->arena);
    free(d);
}

void rift_flight_give_up(rift_flight *f)
{
    rift_jobs *jobs = f->jobs;
    deaf *d = calloc(1, sizeof *d);
    if (d == NULL)
        return; /* at the next tick */
    d->flight = f;
    rift_conversion_init(&d->verdict, jobs->config.env, &f->job, NULL);
    rift_arena_init(&d->arena, RIFT_JOBS_ARENA_BYTES);
    d->verdict.cause = f->cause;
    d->verdict.result.stage = (rift_stage)atomic_load_explicit(&f->control.stage, memory_order_relaxed);
    (void)rift_fail(&d->verdict.err, RIFT_ERR_CANCELLED, "conversion", RIFT_NO_OFFSET, "it does not end");
    rift_conversion_judge(&d->verdict);
    f->lost = true;
    jobs->lost++;
    d->op.work = work_give_up;
    d->op.done = done_give_up;
    rift_lane_submit(jobs->config.writer, &d->op);
}
