/* The queue on a loop of its own, with conversions that gates hold: orders of events that a socket cannot bring about. */
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/str.h"
#include "blob/blob_files.h"
#include "jobs/jobs.h"
#include "store/sqlite.h"
#include "support/check.h"
#include "tempdir.h"

enum { SKINS = 8, DEADLINE_MS = 20000 };

static uv_loop_t loop;
static uv_timer_t beat; /* lets the loop look up */
static rift_lane writer, reader;
static rift_store *writer_store, *reader_store;
static rift_store_ops own_ops; /* those of writer_store, with what a test puts in */
static rift_blobs *blobs;
static rift_jobs *jobs;
static rift_arena arena;
static rift_err err;
static unsigned folder_number;
static char db_path[4096];

/* ---- a game of one champion without files, and its conversions ---- */

static rift_game game;
static rift_champion champion;
static uint32_t numbers[SKINS];
static atomic_int starts[SKINS];
static atomic_bool gates[SKINS];

static bool held_bake(
    rift_bake_result *result, const rift_bake_request *request, rift_arena *out, rift_arena *tmp, rift_err *e)
{
    (void)tmp;
    const uint32_t n = request->skin->number;
    *result = (rift_bake_result){.stage = RIFT_STAGE_MESH};
    rift_report_init(&result->report, out);
    rift_asset_log_init(&result->uses, out);
    (void)atomic_fetch_add(&starts[n], 1);
    while (!atomic_load(&gates[n])) {
        if (atomic_load(&request->control->cancel))
            return rift_fail(e, RIFT_ERR_CANCELLED, "made up", RIFT_NO_OFFSET, "cancelled");
        (void)nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    result->glb = rift_arena_copy_bytes(out, (rift_bytes){(const uint8_t *)"glb 01234" + n, 5});
    return rift_arena_ok(out, "made up", e);
}

static rift_convert_env env = {.game = &game, .job_bytes = 64 << 20, .inline_bytes = 1024, .bake = held_bake};

static void make_game(void)
{
    champion = (rift_champion){.id = 1, .alias = RIFT_STR("annie"), .name = RIFT_STR("Annie")};
    champion.skins = numbers;
    champion.skin_count = SKINS;
    rift_map_init(&game.where, &arena, SKINS);
    for (uint32_t i = 0; i < SKINS; i++) {
        numbers[i] = i;
        (void)rift_map_add(&game.where, rift_skin_bin_hash(champion.alias, i), 0);
        atomic_store(&starts[i], 0);
        atomic_store(&gates[i], false);
    }
    game.champions = &champion;
    game.champion_count = 1;
}

/* ---- the loop ---- */

static void on_beat(uv_timer_t *timer)
{
    (void)timer;
}

/* Runs the loop until `ready`, or fails. */
static bool run_until(bool (*ready)(void))
{
    const uint64_t end = uv_now(&loop) + DEADLINE_MS;
    while (!ready() && uv_now(&loop) < end)
        (void)uv_run(&loop, UV_RUN_ONCE);
    return ready();
}

static bool is_drained;

static void on_idle(void *user)
{
    (void)user;
    is_drained = true;
}

static bool drained(void)
{
    return is_drained && rift_lane_is_idle(&writer) && rift_lane_is_idle(&reader);
}

static void open_jobs(unsigned workers, size_t queue_max, int64_t lease_ms, bool held)
{
    const rift_jobs_config config = {.loop = &loop,
                                     .writer = &writer,
                                     .reader = &reader,
                                     .env = &env,
                                     .workers = workers,
                                     .queue_max = queue_max,
                                     .waiters = 100,
                                     .job_ms = 60000,
                                     .job_silent_ms = 60000,
                                     .held = held,
                                     .lease_ms = lease_ms};
    int64_t recovered = 0;
    rift_lane_init(&writer, &loop, writer_store, true);
    rift_lane_init(&reader, &loop, reader_store, false);
    CHECK_OK(rift_jobs_open(&jobs, &config, writer_store, &recovered, &err), &err);
}

static void close_jobs(void)
{
    for (size_t i = 0; i < SKINS; i++)
        atomic_store(&gates[i], true);
    is_drained = false;
    rift_jobs_drain(jobs, on_idle, NULL);
    CHECK(run_until(drained));
    rift_jobs_close(jobs);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
}

static void setup(void)
{
    char name[64];
    err = check_err();
    rift_arena_release(&arena);
    rift_arena_init(&arena, 16 << 20);
    make_game();
    (void)snprintf(name, sizeof name, "jobs%u.db", folder_number);
    (void)snprintf(db_path, sizeof db_path, "%s", temppath(name));
    env.hashes_path = "/nonexistent";
    CHECK_OK(rift_sqlite_open_writer(&writer_store, db_path, &err), &err);
    CHECK_OK(rift_sqlite_open_reader(&reader_store, db_path, &err), &err);
    own_ops = *writer_store->ops;
    writer_store->ops = &own_ops;
    (void)snprintf(name, sizeof name, "blobs%u", folder_number++);
    CHECK_OK(rift_blob_files_open(&blobs, temppath(name), temppath("quarantine"), &err), &err);
    env.blobs = blobs;
    (void)uv_loop_init(&loop);
    (void)uv_timer_init(&loop, &beat);
    (void)uv_timer_start(&beat, on_beat, 5, 5);
    uv_unref((uv_handle_t *)&beat);
}

static void teardown(void)
{
    uv_close((uv_handle_t *)&beat, NULL);
    (void)uv_run(&loop, UV_RUN_DEFAULT);
    rift_store_close(reader_store);
    rift_store_close(writer_store);
    rift_blobs_close(blobs);
    CHECK_I64(uv_loop_close(&loop), 0);
}

/* ---- asking ---- */

typedef struct told {
    unsigned count, retry_after_s;
    rift_answer_kind kind;
    int64_t job;
} told;

static told answers[SKINS];

static void on_answer(void *user, const rift_answer *answer)
{
    told *t = user;
    t->count++;
    t->kind = answer->kind;
    t->retry_after_s = answer->retry_after_s;
    t->job = answer->job.row != NULL ? answer->job.row->id : 0;
}

static void ask(uint32_t number, int64_t wait_ms)
{
    const rift_skin_ref skin = {.id = 1000 + number, .alias = champion.alias, .number = number};
    const rift_job_spec spec = rift_jobs_spec(jobs, &skin, (rift_str){0}, &arena);
    answers[number] = (told){0};
    rift_jobs_ask(jobs, &spec, wait_ms, on_answer, &answers[number]);
}

static uint32_t of_interest;

static bool answered(void)
{
    return answers[of_interest].count > 0;
}

static bool began(void)
{
    return atomic_load(&starts[of_interest]) > 0;
}

static bool began_twice(void)
{
    return atomic_load(&starts[of_interest]) > 1;
}

static void wait_for(uint32_t number, bool (*ready)(void))
{
    of_interest = number;
    CHECK(run_until(ready));
}

/* Jobs 1 … 4 in the store, of which a queue of one place and one worker loads two. */
static void make_backlog(void)
{
    open_jobs(1, 100, 30000, true);
    for (uint32_t n = 1; n <= 4; n++) {
        ask(n, 0);
        wait_for(n, answered);
        CHECK_I64(answers[n].kind, RIFT_ANSWER_ACCEPTED);
    }
    for (size_t i = 0; i < SKINS; i++)
        answers[i] = (told){0};
    close_jobs();
    for (size_t i = 0; i < SKINS; i++)
        atomic_store(&gates[i], false);
    open_jobs(1, 1, 30000, false);
}

/* ---- operations of the writer's lane, to bring things into an order ---- */

static bool work_sleep(rift_lane_op *op, rift_store *store, rift_err *e)
{
    (void)op;
    (void)store;
    (void)e;
    (void)nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL);
    return true;
}

static bool work_nothing(rift_lane_op *op, rift_store *store, rift_err *e)
{
    (void)op;
    (void)store;
    (void)e;
    return true;
}

static void done_nothing(rift_lane_op *op)
{
    (void)op;
}

static void done_ask_three(rift_lane_op *op)
{
    (void)op;
    ask(3, 10000);
}

static rift_lane_op sleeper = {.work = work_sleep, .done = done_nothing};
static rift_lane_op asker = {.work = work_nothing, .done = done_ask_three};

static void on_time(uv_timer_t *timer)
{
    rift_lane_submit(&writer, &asker);
    uv_close((uv_handle_t *)timer, NULL);
}

/* A job that only the store knows is claimed, and asked for before the claim is heard of: it runs once, and the asker hears of that run. The end of job 2 and the asking lie in one
 * batch of the lane, so that the claim of job 3 and the enqueueing follow each other at once. */
static void a_claimed_job_is_asked_for(void)
{
    setup();
    make_backlog();
    static uv_timer_t timer;
    wait_for(1, began);
    atomic_store(&gates[1], true);
    wait_for(2, began);
    rift_lane_submit(&writer, &sleeper);
    atomic_store(&gates[2], true);
    (void)uv_timer_init(&loop, &timer);
    (void)uv_timer_start(&timer, on_time, 50, 0);
    wait_for(3, began);
    CHECK_U64(answers[3].count, 0);
    atomic_store(&gates[3], true);
    wait_for(3, answered);
    CHECK_I64(answers[3].kind, RIFT_ANSWER_DONE);
    CHECK_I64(answers[3].job, 3);
    wait_for(4, began);
    close_jobs();
    for (size_t i = 1; i <= 4; i++) {
        check_row("job %zu", i);
        CHECK_I64(atomic_load(&starts[i]), 1);
    }
    teardown();
}

/* Asked for while it waits in the store alone: the flight that is made has the job's id, and is the one that runs. */
static void a_job_of_the_backlog_is_asked_for(void)
{
    setup();
    make_backlog();
    wait_for(1, began);
    for (size_t i = 1; i <= 2; i++)
        atomic_store(&gates[i], true);
    wait_for(3, began);
    ask(4, 10000);
    for (size_t i = 3; i <= 4; i++)
        atomic_store(&gates[i], true);
    wait_for(4, answered);
    CHECK_I64(answers[4].kind, RIFT_ANSWER_DONE);
    CHECK_I64(answers[4].job, 4);
    close_jobs();
    CHECK_I64(atomic_load(&starts[4]), 1);
    teardown();
}

static bool work_take_away(rift_lane_op *op, rift_store *store, rift_err *e)
{
    (void)op;
    bool taken = false;
    return rift_store_requeue(store, 1, 1, &taken, e) && taken;
}

static rift_lane_op taker = {.work = work_take_away, .done = done_nothing};

/* Its lease became another's (a process that slept too long): the run is stopped, its end is not stored, and the job runs again. */
static void a_lost_lease_stops_the_run(void)
{
    setup();
    open_jobs(1, 100, 900, false);
    ask(1, 20000);
    wait_for(1, began);
    rift_lane_submit(&writer, &taker);
    wait_for(1, began_twice);
    atomic_store(&gates[1], true);
    wait_for(1, answered);
    CHECK_I64(answers[1].kind, RIFT_ANSWER_DONE);
    CHECK_I64(answers[1].job, 1);
    close_jobs();
    CHECK_I64(atomic_load(&starts[1]), 2);
    teardown();
}

static unsigned refusals;

static bool refuse_to_finish(rift_store *store,
                             int64_t id,
                             int64_t epoch,
                             const rift_job_output *output,
                             int64_t now,
                             bool *taken,
                             rift_err *e)
{
    if (refusals > 0) {
        refusals--;
        return rift_fail(e, RIFT_ERR_IO, "finish", RIFT_NO_OFFSET, "the disk is full");
    }
    own_ops.finish = NULL;
    rift_store_ops sound = *reader_store->ops;
    own_ops.finish = sound.finish;
    return sound.finish(store, id, epoch, output, now, taken, e);
}

/* A store that does not take the end of a job is told again; the conversion is not made again. */
static void an_end_is_stored_again(void)
{
    setup();
    own_ops.finish = refuse_to_finish;
    refusals = 2;
    open_jobs(1, 100, 30000, false);
    atomic_store(&gates[1], true);
    ask(1, 20000);
    wait_for(1, answered);
    CHECK_I64(answers[1].kind, RIFT_ANSWER_DONE);
    CHECK_U64(refusals, 0);
    close_jobs();
    CHECK_I64(atomic_load(&starts[1]), 1);
    teardown();
}

static rift_cancelled_kind cancelled;
static bool has_cancelled;

static void on_cancelled(void *user, const rift_cancelled *result)
{
    (void)user;
    cancelled = result->kind;
    has_cancelled = true;
}

static bool is_cancelled(void)
{
    return has_cancelled;
}

static rift_cancelled_kind cancel(int64_t id)
{
    has_cancelled = false;
    rift_jobs_cancel(jobs, id, on_cancelled, NULL);
    CHECK(run_until(is_cancelled));
    return cancelled;
}

static void cancels(void)
{
    setup();
    make_backlog();
    wait_for(1, began);
    CHECK_I64(cancel(99), RIFT_CANCELLED_UNKNOWN);
    CHECK_I64(cancel(4), RIFT_CANCELLED_DONE); /* the store alone knows it */
    CHECK_I64(cancel(4), RIFT_CANCELLED_ENDED);
    CHECK_I64(cancel(2), RIFT_CANCELLED_DONE);
    ask(1, 10000);
    CHECK_I64(cancel(1), RIFT_CANCELLED_WANTED);
    atomic_store(&gates[1], true);
    wait_for(1, answered);
    CHECK_I64(answers[1].kind, RIFT_ANSWER_DONE);
    wait_for(3, began);
    CHECK_I64(cancel(3), RIFT_CANCELLED_STOPPING);
    close_jobs();
    static const int want[] = {1, 0, 1, 0};
    for (size_t i = 1; i <= 4; i++) {
        check_row("job %zu", i);
        CHECK_I64(atomic_load(&starts[i]), want[i - 1]);
    }
    teardown();
}

/* ---- the wait that is estimated ---- */

static void ask_as(uint32_t number, int priority)
{
    const rift_skin_ref skin = {.id = 1000 + number, .alias = champion.alias, .number = number};
    rift_job_spec spec = rift_jobs_spec(jobs, &skin, (rift_str){0}, &arena);
    spec.priority = priority;
    answers[number] = (told){0};
    rift_jobs_ask(jobs, &spec, 0, on_answer, &answers[number]);
    wait_for(number, answered);
}

/* A conversion is taken for 2 s before the first one ended. Nothing begins (held), so n jobs wait: n * 2,000 ms / 2 workers = n seconds. */
static void a_long_wait_is_refused(void)
{
    setup();
    open_jobs(2, 100, 30000, true);
    rift_jobs_set_wait_max(jobs, 2500);
    CHECK_I64(rift_jobs_estimate_ms(jobs), 0);
    CHECK_U64(rift_jobs_retry_after(jobs), 1);
    for (uint32_t n = 1; n <= 3; n++) {
        check_row("job %u", n);
        ask_as(n, RIFT_JOB_PRIORITY_INTERACTIVE);
        CHECK_I64(answers[n].kind, RIFT_ANSWER_ACCEPTED);
        CHECK_I64(rift_jobs_estimate_ms(jobs), n * 1000);
        CHECK_U64(answers[n].retry_after_s, n);
    }
    check_row("over");
    ask_as(4, RIFT_JOB_PRIORITY_INTERACTIVE); /* 3,000 ms are over 2,500 */
    CHECK_I64(answers[4].kind, RIFT_ANSWER_BUSY);
    CHECK_U64(answers[4].retry_after_s, 3);
    CHECK_U64(rift_jobs_count(jobs).queued, 3);
    ask_as(2, RIFT_JOB_PRIORITY_INTERACTIVE); /* waits already */
    CHECK_I64(answers[2].kind, RIFT_ANSWER_ACCEPTED);
    ask_as(5, RIFT_JOB_PRIORITY_SWEEP); /* in no hurry, and nobody waits for it */
    CHECK_I64(answers[5].kind, RIFT_ANSWER_ACCEPTED);
    CHECK_I64(rift_jobs_estimate_ms(jobs), 3000);
    rift_jobs_set_wait_max(jobs, 3000);
    ask_as(4, RIFT_JOB_PRIORITY_INTERACTIVE); /* 3,000 ms are not over 3,000 */
    CHECK_I64(answers[4].kind, RIFT_ANSWER_ACCEPTED);
    ask_as(6, RIFT_JOB_PRIORITY_INTERACTIVE); /* 4,000 ms are */
    CHECK_I64(answers[6].kind, RIFT_ANSWER_BUSY);
    rift_jobs_set_wait_max(jobs, 0);
    ask_as(6, RIFT_JOB_PRIORITY_INTERACTIVE);
    CHECK_I64(answers[6].kind, RIFT_ANSWER_ACCEPTED);
    close_jobs();
    teardown();
}

/* What is refused may be there: then it is answered. */
static void a_refused_request_finds_what_is_there(void)
{
    setup();
    open_jobs(2, 100, 30000, false);
    atomic_store(&gates[1], true);
    ask(1, 10000);
    wait_for(1, answered);
    CHECK_I64(answers[1].kind, RIFT_ANSWER_DONE);
    rift_jobs_set_room(jobs, true, true);
    ask(1, 0);
    wait_for(1, answered);
    CHECK_I64(answers[1].kind, RIFT_ANSWER_DONE);
    ask(2, 0);
    wait_for(2, answered);
    CHECK_I64(answers[2].kind, RIFT_ANSWER_FULL);
    CHECK_U64(rift_jobs_count(jobs).queued, 0);
    rift_jobs_set_room(jobs, true, false); /* accepted, and waits */
    ask(2, 10000);
    ask_as(3, RIFT_JOB_PRIORITY_INTERACTIVE);
    CHECK_I64(answers[3].kind, RIFT_ANSWER_ACCEPTED);
    CHECK_I64(answers[2].count, 0);
    rift_jobs_set_room(jobs, true, true); /* who waits is told, and its job stays */
    wait_for(2, answered);
    CHECK_I64(answers[2].kind, RIFT_ANSWER_FULL);
    CHECK(answers[2].job != 0);
    CHECK_U64(rift_jobs_count(jobs).queued, 2);
    CHECK_I64(atomic_load(&starts[2]), 0);
    atomic_store(&gates[2], true);
    rift_jobs_set_room(jobs, false, false);
    wait_for(2, began);
    close_jobs();
    teardown();
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(a_claimed_job_is_asked_for);
    RUN(a_job_of_the_backlog_is_asked_for);
    RUN(a_lost_lease_stops_the_run);
    RUN(an_end_is_stored_again);
    RUN(cancels);
    RUN(a_long_wait_is_refused);
    RUN(a_refused_request_finds_what_is_there);
    rift_arena_release(&arena);
    return check_finish();
}
