/* jobs_internal.h - a flight and the queue's state, shared by the files of jobs/.
 *
 * Shape   a flight goes ENQUEUING -> QUEUED -> RUNNING -> SAVING and is gone; each arrow but one is a committed write. Flights stand in one list in the order they were
 *         made, which within a class is the order in which the store hands them out.
 * Files   flights.c the table; ask.c who asks and waits; run.c claiming, converting, storing the end; deaf.c what does not stop; leases.c signs of life; cancel.c; names.c the name tables;
 *         jobs.c opening, the clock, stopping.
 * Thread  all on the loop, but for functions called work_… (the store's lane) and on_…pool (libuv's pool). */
#ifndef RIFT_JOBS_JOBS_INTERNAL_H
#define RIFT_JOBS_JOBS_INTERNAL_H

#include "jobs/jobs.h"

enum { RIFT_FLIGHT_BUCKETS = 4096, RIFT_JOBS_LISTENERS = 4, RIFT_JOBS_ARENA_BYTES = 1024 * 1024 };

typedef struct rift_flight rift_flight;

typedef enum rift_flight_state {
    RIFT_FLIGHT_ENQUEUING,
    RIFT_FLIGHT_QUEUED,
    RIFT_FLIGHT_RUNNING,
    RIFT_FLIGHT_SAVING
} rift_flight_state;

struct rift_ask {
    rift_ask *prev, *next;
    int64_t deadline_ms; /* loop time; 0: answered once accepted */
    rift_answer_fn *fn;
    void *user;
};

struct rift_flight {
    rift_jobs *jobs;
    rift_flight_state state;
    rift_job_row job; /* strings in texts */
    char *texts;
    rift_arena arena; /* what the operation under way reads; empty while it waits */
    bool made;        /* the row is new */
    bool forget;
    rift_job_spec wanted;     /* ENQUEUING: as it was then; job.spec may be lifted meanwhile */
    rift_answer_kind refusal; /* ENQUEUING: what it is told if nothing is there; ACCEPTED: a new job */
    bool rekeyed;             /* its row still has another key */
    unsigned game_turn;       /* of jobs when it began */
    rift_bake_control control;
    int64_t started_ms, progress_ms; /* loop time */
    int last_progress;
    rift_cancel_cause cause;
    int64_t stopped_ms; /* when it was first seen to go on in spite of that; 0 */
    bool lost;          /* its job ended without it (deaf.c) */
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
};

struct rift_jobs {
    rift_jobs_config config;
    uv_timer_t tick;
    unsigned ticks;
    rift_flight *first, *last;
    rift_flight *by_key[RIFT_FLIGHT_BUCKETS], *by_id[RIFT_FLIGHT_BUCKETS];
    size_t queued; /* not yet running */
    size_t running;
    size_t queued_sweep, running_sweep; /* of those */
    size_t lost;                        /* of those that run */
    size_t waiters;
    uint64_t started, done, failed, joined;
    rift_jobs_times times;
    int64_t mean_ms;
    bool claiming, draining, held, no_room, refuses;
    unsigned game_turn; /* counts the games */
    bool backlog;       /* the store may hold queued jobs that are not in memory */
    void (*idle)(void *user);
    void *idle_user;
    struct {
        void (*fn)(void *user, const rift_job_view *view);
        void *user;
    } listeners[RIFT_JOBS_LISTENERS];
    size_t listener_count;
    struct rift_beat *beat; /* under way */
    int64_t beat_due_ms;
    char owner[32];
    rift_lane_op claim_op;
    rift_arena claim_arena;
    bool claim_found;
    int claim_priority;
    rift_job_row claimed;
    /* name tables (names.c) */
    rift_hashpack *names; /* may be NULL */
    struct timespec names_time;
    ino_t names_inode;
    bool names_reading;
    uv_work_t names_work;
    rift_hashpack *names_read; /* NULL: as before */
};

static inline int64_t rift_jobs_loop_ms(const rift_jobs *jobs)
{
    return (int64_t)uv_now(jobs->config.loop);
}

/* ---- flights.c ---- */

/* NULL when there is none. */
rift_flight *rift_flight_of_key(const rift_jobs *jobs, const rift_sha256 *key);
rift_flight *rift_flight_of_id(const rift_jobs *jobs, int64_t id);
/* NULL when memory is out. The row is copied. */
rift_flight *rift_flight_add(rift_jobs *jobs, const rift_job_row *row, rift_flight_state state);
/* Its job has an id now. */
void rift_flight_add_id(rift_flight *f);
/* Nobody may wait with it any more. */
void rift_flight_remove(rift_flight *f);
/* Nobody finds it any more, by key or id. */
void rift_flight_hide(rift_flight *f);
/* Gives a flight that has not begun the key that its request has under the game of now. */
void rift_flight_rekey(rift_flight *f);
/* Takes what the store said of its job (found), but for the key, and drops what the operation read. */
void rift_flight_keep_found(rift_flight *f);
/* Tells the running conversion to stop; the first cause stays. */
void rift_flight_stop(rift_flight *f, rift_cancel_cause cause);
/* One more (1) or one less ((size_t)-1) of its class. */
void rift_flight_count_queued(rift_flight *f, size_t one);
void rift_flight_count_running(rift_flight *f, size_t one);
rift_job_view rift_flight_view(rift_flight *f);
/* Tells the listeners. */
void rift_jobs_tell(const rift_jobs *jobs, const rift_job_view *view);
void rift_flight_tell(rift_flight *f);

/* ---- ask.c ---- */

void rift_flight_answer_one(rift_flight *f, rift_ask *ask, rift_answer answer);
/* All who wait with it. */
void rift_flight_answer(rift_flight *f, rift_answer answer);
/* Answers, and removes it. */
void rift_flight_end(rift_flight *f, rift_answer answer);

/* ---- run.c ---- */

/* Starts what may start now. */
void rift_jobs_pump(rift_jobs *jobs);
/* Stores the end of a conversion, or tries again. */
void rift_flight_save(rift_flight *f);
/* What its row after the end says. */
rift_answer rift_flight_end_answer(rift_flight *f);
/* FULL or ERROR, as the store's error says. */
rift_answer rift_jobs_store_failed(const rift_err *err);
void rift_flight_log(const char *msg, const rift_flight *f);

/* ---- deaf.c, leases.c, names.c, jobs.c ---- */

/* Ends the job of a conversion that does not stop. */
void rift_flight_give_up(rift_flight *f);

void rift_jobs_keep_leases(rift_jobs *jobs, int64_t now);
/* The tables as the file has them, at the start; then whenever it was replaced. */
void rift_jobs_read_names(rift_jobs *jobs);
/* The keys of requests are others from now on. */
void rift_jobs_turn(rift_jobs *jobs);
void rift_jobs_watch_names(rift_jobs *jobs);
/* Tells who drains that nothing is under way any more. */
void rift_jobs_check_idle(rift_jobs *jobs);

#endif
