/* Opening, the clock, stopping. */
#include "jobs/jobs_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"

enum {
    TICK_MS = 250,
    DEAF_MS = 10000, /* from being told to stop until the job ends without its conversion */
    NAMES_CHECK_TICKS = 8,
    FIRST_GUESS_MS = 2000, /* of a conversion's length */
};

int64_t rift_now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void rift_jobs_set_limits(
    rift_jobs *jobs, size_t queue_max, size_t waiters, int64_t job_ms, int64_t job_silent_ms)
{
    jobs->config.queue_max = queue_max;
    jobs->config.waiters = waiters;
    jobs->config.job_ms = job_ms;
    jobs->config.job_silent_ms = job_silent_ms;
}

void rift_jobs_set_wait_max(rift_jobs *jobs, int64_t wait_max_ms)
{
    jobs->config.wait_max_ms = wait_max_ms;
}

void rift_jobs_listen(rift_jobs *jobs, void (*fn)(void *user, const rift_job_view *view), void *user)
{
    RIFT_ASSERT(jobs->listener_count < RIFT_JOBS_LISTENERS);
    jobs->listeners[jobs->listener_count].fn = fn;
    jobs->listeners[jobs->listener_count++].user = user;
}

/* ---- another game ---- */

void rift_jobs_set_game(rift_jobs *jobs, const rift_sha256 *digest)
{
    jobs->config.game_digest = *digest;
    rift_jobs_turn(jobs);
}

void rift_jobs_turn(rift_jobs *jobs)
{
    jobs->game_turn++;
    for (rift_flight *f = jobs->first; f != NULL; f = f->next) {
        /* One that is being stored has its turn when it is accepted. */
        if (f->state == RIFT_FLIGHT_QUEUED)
            rift_flight_rekey(f);
    }
}

void rift_jobs_hold(rift_jobs *jobs, bool held)
{
    jobs->held = held;
    rift_jobs_pump(jobs);
}

bool rift_jobs_are_held(const rift_jobs *jobs)
{
    return jobs->held || jobs->no_room;
}

void rift_jobs_set_room(rift_jobs *jobs, bool waits, bool refuses)
{
    jobs->no_room = waits;
    jobs->refuses = refuses;
    for (rift_flight *f = jobs->first; refuses && f != NULL; f = f->next) {
        if (f->state == RIFT_FLIGHT_QUEUED)
            rift_flight_answer(f, (rift_answer){.kind = RIFT_ANSWER_FULL, .job = rift_flight_view(f)});
    }
    rift_jobs_pump(jobs);
}

/* ---- the clock ---- */

/* One that was told to stop. Where its end is to be another than a new beginning, that end does not wait for it for ever. */
static void watch_stopped(rift_flight *f, int64_t now)
{
    const bool ends =
        f->cause == RIFT_CANCEL_TIME || f->cause == RIFT_CANCEL_SILENCE || f->cause == RIFT_CANCEL_CLIENT;
    if (f->stopped_ms == 0) {
        f->stopped_ms = now;
    } else if (ends && !f->lost && !f->jobs->draining && now - f->stopped_ms >= DEAF_MS) {
        rift_flight_give_up(f);
    }
}

static void watch_flight(rift_flight *f, int64_t now)
{
    const rift_jobs_config *config = &f->jobs->config;
    const int progress = atomic_load_explicit(&f->control.progress, memory_order_relaxed);
    if (progress != f->last_progress) {
        f->last_progress = progress;
        f->progress_ms = now;
    }
    if (f->cause != RIFT_CANCEL_NONE) {
        watch_stopped(f, now);
        return;
    }
    if (now - f->started_ms >= config->job_ms) {
        f->cause = RIFT_CANCEL_TIME;
    } else if (now - f->progress_ms >= config->job_silent_ms) {
        f->cause = RIFT_CANCEL_SILENCE;
    }
    if (f->cause != RIFT_CANCEL_NONE)
        atomic_store_explicit(&f->control.cancel, true, memory_order_relaxed);
}

static void answer_late(rift_flight *f, int64_t now)
{
    for (rift_ask *at = f->asks, *next; at != NULL; at = next) {
        next = at->next;
        const rift_answer answer = {.kind = RIFT_ANSWER_ACCEPTED, .job = rift_flight_view(f)};
        if (at->deadline_ms != 0 && at->deadline_ms <= now && f->state != RIFT_FLIGHT_ENQUEUING)
            rift_flight_answer_one(f, at, answer);
    }
}

static void on_tick(uv_timer_t *timer)
{
    rift_jobs *jobs = timer->data;
    const int64_t now = rift_jobs_loop_ms(jobs);
    for (rift_flight *f = jobs->first; f != NULL; f = f->next) {
        if (f->state == RIFT_FLIGHT_RUNNING)
            watch_flight(f, now);
        if (f->state == RIFT_FLIGHT_SAVING && f->save_again_ms != 0 &&
            (f->save_again_ms <= now || jobs->draining)) {
            rift_flight_save(f);
        }
        answer_late(f, now);
    }
    rift_jobs_keep_leases(jobs, now);
    if (jobs->ticks++ % NAMES_CHECK_TICKS == 0)
        rift_jobs_watch_names(jobs);
    rift_jobs_pump(jobs);
}

/* ---- opening ---- */

rift_sha256 rift_jobs_key(const rift_sha256 *game,
                          uint64_t names,
                          rift_str alias,
                          uint32_t number,
                          rift_str options,
                          rift_arena *arena)
{
    rift_buf b;
    rift_buf_init(&b, arena, (size_t)64 << 10);
    rift_buf_printf(&b, "riftbake %s\n%.*s/%u\n", RIFT_VERSION, RIFT_STR_ARG(alias), number);
    rift_buf_put(&b, game->bytes, sizeof game->bytes);
    rift_buf_u64(&b, names);
    rift_buf_str(&b, options);
    return rift_sha256_of(rift_buf_bytes(&b));
}

rift_sha256 rift_jobs_source(const rift_sha256 *game, uint64_t names)
{
    uint8_t bytes[sizeof game->bytes + 8];
    memcpy(bytes, game->bytes, sizeof game->bytes);
    for (size_t i = 0; i < 8; i++)
        bytes[sizeof game->bytes + i] = (uint8_t)(names >> (8 * i));
    return rift_sha256_of((rift_bytes){bytes, sizeof bytes});
}

uint64_t rift_jobs_names_digest(const rift_jobs *jobs)
{
    return rift_jobs_digest_of(jobs->names);
}

uint64_t rift_jobs_digest_of(const rift_hashpack *names)
{
    return names != NULL ? rift_hashpack_digest(names) : 0;
}

rift_job_spec
rift_jobs_spec(const rift_jobs *jobs, const rift_skin_ref *skin, rift_str options, rift_arena *arena)
{
    return (rift_job_spec){.key = rift_jobs_key(&jobs->config.game_digest, rift_jobs_names_digest(jobs),
                                                skin->alias, skin->number, options, arena),
                           .skin = skin->id,
                           .alias = skin->alias,
                           .number = skin->number,
                           .options = options,
                           .priority = RIFT_JOB_PRIORITY_INTERACTIVE};
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
    const rift_job_query line = {.in_line = true, .limit = max};
    if (!rift_store_reap(store, rift_now_ms(), true, recovered, &dead, err) ||
        !rift_store_list(store, &line, &rows, &count, arena, err))
        return false;
    jobs->backlog = count == max;
    for (size_t i = 0; i < count; i++) {
        if (!rekey(jobs, store, &rows[i], arena, err))
            return false;
        if (rift_flight_add(jobs, &rows[i], RIFT_FLIGHT_QUEUED) == NULL)
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
        rift_flight_remove(jobs->first); /* NOLINT(clang-analyzer-unix.Malloc): see above */
    rift_hashpack_unref(jobs->names);
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
    (void)snprintf(jobs->owner, sizeof jobs->owner, "%ld", (long)getpid());
    rift_jobs_read_names(jobs);
    if (!recover(jobs, writer, recovered, err)) {
        free_all(jobs);
        return false;
    }
    int code = uv_timer_init(config->loop, &jobs->tick);
    jobs->tick.data = jobs;
    code |= uv_timer_start(&jobs->tick, on_tick, TICK_MS, TICK_MS);
    RIFT_ASSERT(code == 0);
    rift_jobs_pump(jobs);
    *out = jobs;
    return true;
}

/* ---- looking ---- */

bool rift_jobs_view(const rift_jobs *jobs, int64_t id, rift_job_view *out)
{
    rift_flight *f = rift_flight_of_id(jobs, id);
    if (f == NULL)
        return false;
    *out = rift_flight_view(f);
    return true;
}

rift_hashpack *rift_jobs_names(const rift_jobs *jobs)
{
    return jobs->names;
}

bool rift_jobs_has_flight(const rift_jobs *jobs, const rift_sha256 *key)
{
    return rift_flight_of_key(jobs, key) != NULL;
}

rift_jobs_counts rift_jobs_count(const rift_jobs *jobs)
{
    return (rift_jobs_counts){.queued = jobs->queued,
                              .running = jobs->running,
                              .waiters = jobs->waiters,
                              .queued_sweep = jobs->queued_sweep,
                              .running_sweep = jobs->running_sweep,
                              .lost = jobs->lost,
                              .started = jobs->started,
                              .done = jobs->done,
                              .failed = jobs->failed,
                              .joined = jobs->joined};
}

bool rift_jobs_are_lost(const rift_jobs *jobs)
{
    return jobs->lost >= jobs->config.workers;
}

void rift_jobs_time(const rift_jobs *jobs, rift_jobs_times *out)
{
    const int64_t now = rift_now_ms();
    *out = jobs->times;
    out->workers = jobs->config.workers;
    for (const rift_flight *f = jobs->first; f != NULL; f = f->next) {
        if (f->state == RIFT_FLIGHT_QUEUED && now - f->job.created > out->oldest_ms)
            out->oldest_ms = now - f->job.created;
    }
}

/* ---- stopping ---- */

void rift_jobs_check_idle(rift_jobs *jobs)
{
    if (jobs->idle == NULL || jobs->running > 0 || jobs->claiming || jobs->beat != NULL ||
        jobs->names_reading)
        return;
    void (*idle)(void *user) = jobs->idle;
    jobs->idle = NULL;
    idle(jobs->idle_user);
}

void rift_jobs_drain(rift_jobs *jobs, void (*idle)(void *user), void *user)
{
    jobs->draining = true;
    for (rift_flight *f = jobs->first; f != NULL; f = f->next) {
        if (f->state == RIFT_FLIGHT_QUEUED)
            rift_flight_answer(f, (rift_answer){.kind = RIFT_ANSWER_DRAINING, .job = rift_flight_view(f)});
    }
    jobs->idle = idle;
    jobs->idle_user = user;
    rift_jobs_check_idle(jobs);
}

void rift_jobs_cut(rift_jobs *jobs)
{
    for (rift_flight *f = jobs->first; f != NULL; f = f->next) {
        if (f->state != RIFT_FLIGHT_RUNNING)
            continue;
        rift_flight_stop(f, RIFT_CANCEL_DRAIN);
        rift_flight_answer(f, (rift_answer){.kind = RIFT_ANSWER_DRAINING, .job = rift_flight_view(f)});
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
