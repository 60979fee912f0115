/* jobs.h - the queue: single flight, waiting requests, worker slots, recovery and drain.
 *
 * Shape   a flight is a live job in memory, one per key. Whoever asks for a key joins its flight or makes it; the job's row is committed before anybody hears
 *         "accepted" (A8). Conversions run on libuv's pool, never more than `workers`; the store's writer lane is the only writer.
 * Classes interactive jobs go before those of sweeps, and sweeps leave one worker free, where there are two or more. A running job is leased: beats keep it, and what
 *         the store lost sight of is started again when its lease is over.
 * Thread  all calls and callbacks on the loop. Callbacks may come before the call returns.
 * Limits  queue_max flights that wait, waiters that hold a request. */
#ifndef RIFT_JOBS_JOBS_H
#define RIFT_JOBS_JOBS_H

#include "jobs/convert.h"
#include "lane/lane.h"
#include "metrics/metrics.h"

typedef struct rift_jobs rift_jobs;
typedef struct rift_ask rift_ask;

typedef struct rift_jobs_config {
    uv_loop_t *loop;
    rift_lane *writer, *reader;
    const rift_convert_env *env;
    rift_sha256 game_digest;
    unsigned workers;
    size_t queue_max, waiters;
    int64_t
        wait_max_ms; /* past this estimate (rift_jobs_estimate_ms) nobody joins the queue but sweeps; 0: any */
    int64_t job_ms, job_silent_ms;
    int64_t lease_ms; /* a running job is this daemon's for so long after the last sign of life */
    bool held;        /* see rift_jobs_hold */
    void (*torn)(
        void *
            user); /* a conversion met files that were being written to: none begins before rift_jobs_set_game. May be NULL */
    void *torn_user;
    void (*late)(
        void *
            user); /* a conversion ended that began with a game or names before the present ones. May be NULL; user is torn_user */
    /* A result of so many bytes met a full disk; its job is queued again. May be NULL. */
    void (*no_room)(void *user, uint64_t bytes);
    void *no_room_user;
    /* There are other name tables, a reference to which goes to the callee: in force with rift_jobs_set_names. NULL: at once. User is torn_user. */
    void (*names)(void *user, rift_hashpack *names);
} rift_jobs_config;

/* Where a job stands. */
typedef struct rift_job_view {
    const rift_job_row *row;
    const char *phase;                /* stage word while it runs, else NULL */
    int progress;                     /* 0..100 */
    const struct rift_flight *flight; /* NULL: not live */
} rift_job_view;

/* Its place in the queue, from 1; 0 when it does not wait. Costs a walk along the queue. */
size_t rift_job_position(const rift_job_view *view);

typedef enum rift_answer_kind {
    RIFT_ANSWER_DONE,      /* job.row->sha256 is the result */
    RIFT_ANSWER_FAILED,    /* job.row->error … says why */
    RIFT_ANSWER_ACCEPTED,  /* live, and the wait is over */
    RIFT_ANSWER_CANCELLED, /* somebody ended it */
    RIFT_ANSWER_BUSY,      /* queue full, or the wait too long */
    RIFT_ANSWER_FULL,      /* the disk is full; a job that there is goes on by itself when there is room */
    RIFT_ANSWER_DRAINING,  /* the daemon stops; nothing was accepted, or it goes on after the restart */
    RIFT_ANSWER_ERROR      /* the store failed: err */
} rift_answer_kind;

typedef struct rift_answer {
    rift_answer_kind kind;
    rift_job_view job;      /* row is NULL for BUSY and ERROR, and may be for FULL and DRAINING */
    unsigned retry_after_s; /* when to ask again */
    const rift_err *err;    /* ERROR; FULL when it was the store that met the full disk, else NULL */
    bool made;              /* the asking made the job */
} rift_answer;

/* The answer is valid during the call. */
typedef void rift_answer_fn(void *user, const rift_answer *answer);

/* Recovers what a former run left, then runs it. */
RIFT_NODISCARD bool rift_jobs_open(
    rift_jobs **out, const rift_jobs_config *config, rift_store *writer, int64_t *recovered, rift_err *err);

/* Limits that may change while it runs. Those of a conversion hold for the next one, its times for those that run too. */
void rift_jobs_set_limits(
    rift_jobs *jobs, size_t queue_max, size_t waiters, int64_t job_ms, int64_t job_silent_ms);
void rift_jobs_set_wait_max(rift_jobs *jobs, int64_t wait_max_ms);

/* What env says of the game is another from now on. What waits gets the key that it has now; what runs ends as it began. */
void rift_jobs_set_game(rift_jobs *jobs, const rift_sha256 *digest);
/* The same for name tables; may be NULL. */
void rift_jobs_set_names(rift_jobs *jobs, rift_hashpack *names);
/* While held no conversion begins; requests are accepted and wait. */
void rift_jobs_hold(rift_jobs *jobs, bool held);
/* Whether none begins, for this reason or the next. */
bool rift_jobs_are_held(const rift_jobs *jobs);
/* While the disk has no room no conversion begins. If it will not have any soon (refuses), new jobs are refused and who waits is told: FULL. */
void rift_jobs_set_room(rift_jobs *jobs, bool waits, bool refuses);

/* The key of a request under the game and name tables of now. */
rift_job_spec
rift_jobs_spec(const rift_jobs *jobs, const rift_skin_ref *skin, rift_str options, rift_arena *arena);

/* The same without the queue, for those who have to know the keys under another game. */
rift_sha256 rift_jobs_key(const rift_sha256 *game,
                          uint64_t names,
                          rift_str alias,
                          uint32_t number,
                          rift_str options,
                          rift_arena *arena);
/* What artifacts are said to have been made from: digest of both. Which names that were is in their records (name_uses.h). */
rift_sha256 rift_jobs_source(const rift_sha256 *game, uint64_t names);
/* Digest of the name tables. */
uint64_t rift_jobs_names_digest(const rift_jobs *jobs);
uint64_t rift_jobs_digest_of(const rift_hashpack *names); /* may be NULL */

/* Joins or makes the flight of a key. Whoever asks with the higher priority lifts it. A sweep may fill nine tenths of the queue. wait_ms 0: answers once the job is accepted; else once it ended or the time is over. */
void rift_jobs_ask(
    rift_jobs *jobs, const rift_job_spec *spec, int64_t wait_ms, rift_answer_fn *fn, void *user);
/* The same for a live job's id; false, and no answer, when it is not live. */
bool rift_jobs_watch(rift_jobs *jobs, int64_t id, int64_t wait_ms, rift_answer_fn *fn, void *user);
/* Drops the artifact of a key whose bytes are lost, then asks. */
void rift_jobs_remake(
    rift_jobs *jobs, const rift_job_spec *spec, int64_t wait_ms, rift_answer_fn *fn, void *user);

typedef enum rift_cancelled_kind {
    RIFT_CANCELLED_UNKNOWN,  /* there is no such job */
    RIFT_CANCELLED_ENDED,    /* it is over: row */
    RIFT_CANCELLED_WANTED,   /* requests wait for it: nothing happened */
    RIFT_CANCELLED_DONE,     /* cancelled: row */
    RIFT_CANCELLED_STOPPING, /* it runs, and is told to stop: row */
    RIFT_CANCELLED_ERROR     /* the store failed: err */
} rift_cancelled_kind;

typedef struct rift_cancelled {
    rift_cancelled_kind kind;
    const rift_job_row *row;
    const rift_err *err;
} rift_cancelled;

/* Ends a job that no request waits for (A6). */
void rift_jobs_cancel(rift_jobs *jobs,
                      int64_t id,
                      void (*fn)(void *user, const rift_cancelled *result),
                      void *user);

/* Is told whenever a live job takes a step (queued, started, queued again, ended), valid during the call. At most four listeners. */
void rift_jobs_listen(rift_jobs *jobs, void (*fn)(void *user, const rift_job_view *view), void *user);

/* Where a live job stands; false when it is not live. The view is valid until the loop goes on. */
bool rift_jobs_view(const rift_jobs *jobs, int64_t id, rift_job_view *out);
bool rift_jobs_has_flight(const rift_jobs *jobs, const rift_sha256 *key);

/* The name tables of now; NULL without any. Whoever keeps them past the call takes a reference. */
rift_hashpack *rift_jobs_names(const rift_jobs *jobs);

typedef struct rift_jobs_counts {
    size_t queued, running, waiters;
    size_t queued_sweep, running_sweep; /* of those above */
    size_t lost;                        /* of those that run: their jobs are over, and they do not end */
    uint64_t started, done, failed, joined;
} rift_jobs_counts;
rift_jobs_counts rift_jobs_count(const rift_jobs *jobs);
/* True when every worker is. */
bool rift_jobs_are_lost(const rift_jobs *jobs);
/* Jobs that a sweep may still add. */
size_t rift_jobs_sweep_room(const rift_jobs *jobs);

typedef struct rift_jobs_times {
    rift_histogram phases[RIFT_STAGE_COUNT]; /* of conversions, those that fail too */
    rift_histogram wait, run;                /* from the asking to the start; from there to the end */
    int64_t oldest_ms;                       /* how long the job waits that waits longest; 0 without one */
    uint64_t retried, learnt;                /* jobs queued again; names noted */
    unsigned workers;
} rift_jobs_times;
/* Costs a walk along the queue. */
void rift_jobs_time(const rift_jobs *jobs, rift_jobs_times *out);
/* Estimated wait of a request that comes now: jobs ahead of it, those that run included and sweeps that wait not, times the mean time of one, by workers. */
int64_t rift_jobs_estimate_ms(const rift_jobs *jobs);
/* The same in seconds, rounded up, from 1 to 3600. */
unsigned rift_jobs_retry_after(const rift_jobs *jobs);

/* Starts nothing more; answers whoever waits for a job that has not begun. `idle` is called once nothing runs; the
 * lanes may still work on answers then. */
void rift_jobs_drain(rift_jobs *jobs, void (*idle)(void *user), void *user);
/* Cancels what runs: it is queued again. Answers everybody who still waits. */
void rift_jobs_cut(rift_jobs *jobs);
/* After `idle`. Memory is freed once the loop has closed its handle. */
void rift_jobs_close(rift_jobs *jobs);

/* Milliseconds since 1970. */
int64_t rift_now_ms(void);

#endif
