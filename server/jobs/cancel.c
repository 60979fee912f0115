/* A client ends a job. */
#include "jobs/jobs_internal.h"

#include <stdlib.h>

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

static rift_job_row copy_row(const rift_job_row *row, rift_arena *arena)
{
    rift_job_row copy = *row;
    copy.spec.alias = rift_arena_copy_str(arena, row->spec.alias);
    copy.spec.options = rift_arena_copy_str(arena, row->spec.options);
    copy.error_class = rift_arena_copy_str(arena, row->error_class);
    copy.error = rift_arena_copy_str(arena, row->error);
    return copy;
}

static rift_cancelled_kind take_cancel(cancel *c)
{
    rift_flight *f = rift_flight_of_id(c->jobs, c->id);
    if (!c->op.ok)
        return RIFT_CANCELLED_ERROR;
    if (!c->found)
        return RIFT_CANCELLED_UNKNOWN;
    if (c->row.state == RIFT_JOB_RUNNING) {
        if (f != NULL && f->state == RIFT_FLIGHT_RUNNING)
            rift_flight_stop(f, RIFT_CANCEL_CLIENT);
        return RIFT_CANCELLED_STOPPING;
    }
    if (c->taken && f != NULL && f->state == RIFT_FLIGHT_QUEUED) {
        f->after = copy_row(&c->row, &f->arena);
        rift_flight_log("job cancelled", f);
        rift_flight_end(f, rift_flight_end_answer(f));
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
    const rift_flight *f = rift_flight_of_id(jobs, id);
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
    rift_arena_init(&c->arena, RIFT_JOBS_ARENA_BYTES);
    c->jobs = jobs;
    c->id = id;
    c->fn = fn;
    c->user = user;
    c->op.work = work_cancel;
    c->op.done = done_cancel;
    rift_lane_submit(jobs->config.writer, &c->op);
}
