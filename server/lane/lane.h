/* lane.h - one store connection, worked on the pool one batch at a time: the writer's lane, and one for reading.
 *
 * Shape   operations run in the order they came; what gathered while one batch ran is the next batch. On the writer's lane a batch is one transaction (so many
 *         small writes cost one sync), each operation in a savepoint of its own. `work` runs on a pool thread and owns the operation until `done` runs on the loop.
 * Memory  the operation is the caller's, usually part of a larger struct. */
#ifndef RIFT_LANE_LANE_H
#define RIFT_LANE_LANE_H

#include <stddef.h>
#include <uv.h>

#include "store/store.h"

typedef struct rift_lane_op rift_lane_op;
struct rift_lane_op {
    bool (*work)(rift_lane_op *op, rift_store *store, rift_err *err);
    void (*done)(rift_lane_op *op); /* op->ok and op->err are set */
    bool ok;
    rift_err err;
    rift_lane_op *next;
};

/* The struct of type `type` whose `member` is `op`. By way of void *, since a char pointer promises no alignment. */
#define RIFT_OP_OWNER(op, type, member) ((type *)(void *)((char *)(op)-offsetof(type, member)))

typedef struct rift_lane {
    uv_loop_t *loop;
    rift_store *store;
    bool is_writer;
    bool busy;
    unsigned batches; /* since the last checkpoint */
    rift_lane_op *first, *last;
    rift_lane_op *batch;
    uv_work_t request;
} rift_lane;

/* `store` stays the caller's. */
void rift_lane_init(rift_lane *lane, uv_loop_t *loop, rift_store *store, bool is_writer);
void rift_lane_submit(rift_lane *lane, rift_lane_op *op);
/* Nothing runs and nothing waits. */
bool rift_lane_is_idle(const rift_lane *lane);

#endif
