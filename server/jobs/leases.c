/* Leases: signs of life for what runs here, and an eye on what runs nowhere. */
#include "jobs/jobs_internal.h"

#include <stdlib.h>

#include "log/log.h"

enum { BEATS_PER_LEASE = 3 };

struct rift_beat {
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
    struct rift_beat *b = RIFT_OP_OWNER(op, struct rift_beat, op);
    const int64_t now = rift_now_ms();
    for (size_t i = 0; i < b->count; i++) {
        if (!rift_store_beat(store, b->runs[i].id, b->runs[i].epoch, now + b->jobs->config.lease_ms,
                             &b->runs[i].taken, err))
            return false;
    }
    return rift_store_reap(store, now, false, &b->requeued, &b->dead, err);
}

static void done_beat(rift_lane_op *op)
{
    struct rift_beat *b = RIFT_OP_OWNER(op, struct rift_beat, op);
    rift_jobs *jobs = b->jobs;
    if (!op->ok)
        rift_log_failure("no lease could be kept", &op->err);
    for (size_t i = 0; op->ok && i < b->count; i++) {
        rift_flight *f = rift_flight_of_id(jobs, b->runs[i].id);
        if (!b->runs[i].taken && f != NULL && f->state == RIFT_FLIGHT_RUNNING &&
            f->job.epoch == b->runs[i].epoch)
            rift_flight_stop(f, RIFT_CANCEL_LOST);
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
    rift_jobs_check_idle(jobs);
}

void rift_jobs_keep_leases(rift_jobs *jobs, int64_t now)
{
    if (jobs->beat != NULL || now < jobs->beat_due_ms)
        return;
    struct rift_beat *b = calloc(1, sizeof *b + jobs->running * sizeof b->runs[0]);
    if (b == NULL)
        return; /* at the next tick */
    b->jobs = jobs;
    for (const rift_flight *f = jobs->first; f != NULL && b->count < jobs->running; f = f->next) {
        if (f->state == RIFT_FLIGHT_RUNNING || f->state == RIFT_FLIGHT_SAVING) {
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
