#include "lane/lane.h"

#include <string.h>

#include "base/str.h"

/* Copying the log into the main file costs a sync, so not after every batch. */
enum { BATCHES_PER_CHECKPOINT = 64, MAX_BATCH = 256 };

void rift_lane_init(rift_lane *lane, uv_loop_t *loop, rift_store *store, bool is_writer)
{
    *lane = (rift_lane){.loop = loop, .store = store, .is_writer = is_writer};
}

bool rift_lane_is_idle(const rift_lane *lane)
{
    return !lane->busy && lane->first == NULL;
}

static void run_reader(rift_lane *lane)
{
    for (rift_lane_op *op = lane->batch; op != NULL; op = op->next)
        op->ok = op->work(op, lane->store, &op->err);
}

static void fail_batch(rift_lane *lane, const rift_err *err)
{
    for (rift_lane_op *op = lane->batch; op != NULL; op = op->next) {
        op->ok = false;
        if (op->err.code == RIFT_OK)
            op->err = *err;
    }
}

static bool run_operations(rift_lane *lane, rift_err *err)
{
    for (rift_lane_op *op = lane->batch; op != NULL; op = op->next) {
        if (!rift_store_savepoint(lane->store, err))
            return false;
        op->ok = op->work(op, lane->store, &op->err);
        if (!rift_store_release(lane->store, op->ok, err)) {
            if (!op->ok)
                *err = op->err; /* which ended the transaction: a full disk does */
            return false;
        }
    }
    return true;
}

static void run_writer(rift_lane *lane)
{
    rift_err err;
    rift_err_in(&err, RIFT_STR("store"));
    if (!rift_store_begin(lane->store, &err) || !run_operations(lane, &err) ||
        !rift_store_commit(lane->store, &err)) {
        rift_store_rollback(lane->store);
        fail_batch(lane, &err);
        return;
    }
    if (++lane->batches >= BATCHES_PER_CHECKPOINT) {
        rift_store_checkpoint(lane->store);
        lane->batches = 0;
    }
}

static void on_pool(uv_work_t *request)
{
    rift_lane *lane = request->data;
    if (lane->is_writer) {
        run_writer(lane);
    } else {
        run_reader(lane);
    }
}

static void start(rift_lane *lane);

static void on_loop(uv_work_t *request, int status)
{
    (void)status; /* never cancelled */
    rift_lane *lane = request->data;
    rift_lane_op *op = lane->batch;
    lane->batch = NULL;
    lane->busy = false;
    start(lane);
    while (op != NULL) {
        rift_lane_op *next = op->next; /* done() may free the operation */
        op->next = NULL;
        op->done(op);
        op = next;
    }
}

static void start(rift_lane *lane)
{
    if (lane->busy || lane->first == NULL)
        return;
    lane->batch = lane->first;
    rift_lane_op *last = lane->first;
    for (unsigned n = 1; n < MAX_BATCH && last->next != NULL; n++)
        last = last->next;
    lane->first = last->next;
    if (lane->first == NULL)
        lane->last = NULL;
    last->next = NULL;
    lane->busy = true;
    lane->request.data = lane;
    const int code = uv_queue_work(lane->loop, &lane->request, on_pool, on_loop);
    RIFT_ASSERT(code == 0);
}

void rift_lane_submit(rift_lane *lane, rift_lane_op *op)
{
    op->next = NULL;
    op->ok = false;
    rift_err_in(&op->err, RIFT_STR("store"));
    if (lane->last != NULL) {
        lane->last->next = op;
    } else {
        lane->first = op;
    }
    lane->last = op;
    start(lane);
}
