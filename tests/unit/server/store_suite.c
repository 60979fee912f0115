#include "store_suite.h"

#include <stdio.h>

#include "base/str.h"
#include "support/check.h"
#include "tempdir.h"

static const store_kind *kind;
static rift_arena arena;
static rift_store *store;
static rift_err err;
static unsigned file_number;
static char path[4096];

static void reopen(void)
{
    rift_store_close(store);
    store = NULL;
    CHECK_OK(kind->open(&store, path, &err), &err);
}

/* A store with nothing in it. The clock is the test's. */
static void setup(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 64 * 1024 * 1024);
    char name[32];
    (void)snprintf(name, sizeof name, "store%u.db", file_number++);
    (void)snprintf(path, sizeof path, "%s", temppath(name));
    err = check_err();
    reopen();
}

static rift_job_spec spec(uint32_t number)
{
    rift_job_spec s = {.skin = 157000 + number,
                       .alias = RIFT_STR("yasuo"),
                       .number = number,
                       .priority = RIFT_JOB_PRIORITY_INTERACTIVE};
    s.key.bytes[0] = (uint8_t)number;
    return s;
}

static rift_found enqueue(uint32_t number, int64_t now)
{
    const rift_job_spec s = spec(number);
    rift_found found = {0};
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_enqueue(store, &s, now, &found, &arena, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return found;
}

enum { LEASE_MS = 30000 };

static bool claim_above(int64_t now, int min_priority, rift_job_row *job)
{
    bool found = false;
    const rift_claim how = {
        .owner = RIFT_STR("test"), .now = now, .lease_ms = LEASE_MS, .min_priority = min_priority};
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_claim(store, &how, &found, job, &arena, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return found;
}

static bool claim(int64_t now, rift_job_row *job)
{
    return claim_above(now, RIFT_JOB_PRIORITY_SWEEP, job);
}

static rift_job_output output(uint8_t mark)
{
    rift_job_output out = {.size = 3, .is_inline = true, .report = RIFT_STR("{\"report\":[]}")};
    out.inline_data = (rift_bytes){(const uint8_t *)"glb", 3};
    out.sha256.bytes[0] = mark;
    out.fingerprint.bytes[31] = mark;
    return out;
}

static bool finish(const rift_job_row *job, uint8_t mark, int64_t now)
{
    const rift_job_output out = output(mark);
    bool taken = false;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_finish(store, job->id, job->epoch, &out, now, &taken, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return taken;
}

static rift_job_row fail(const rift_job_row *job, bool retry, int64_t now, bool *taken)
{
    const rift_job_failure failure = {.error_class = RIFT_STR("input"),
                                      .error = RIFT_STR("{\"code\":\"FORMAT\"}"),
                                      .report = RIFT_STR("{}"),
                                      .retry = retry};
    rift_job_row after = {0};
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_fail(store, job->id, job->epoch, &failure, now, taken, &after, &arena, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return after;
}

static rift_found find(uint32_t number, int64_t now)
{
    const rift_job_spec s = spec(number);
    rift_found found = {0};
    CHECK_OK(rift_store_find(store, &s.key, now, &found, &arena, &err), &err);
    return found;
}

static void same_input_same_job(void)
{
    setup();
    const rift_found first = enqueue(1, 1000);
    CHECK_I64(first.kind, RIFT_FOUND_NOTHING);
    CHECK_I64(first.job.state, RIFT_JOB_QUEUED);
    CHECK_I64(first.job.created, 1000);
    CHECK_STR(first.job.spec.alias, RIFT_STR("yasuo"));
    const rift_found again = enqueue(1, 2000);
    CHECK_I64(again.kind, RIFT_FOUND_LIVE);
    CHECK_I64(again.job.id, first.job.id);
    const rift_found other = enqueue(2, 2000);
    CHECK(other.job.id != first.job.id);
}

static void claims_in_line_order(void)
{
    setup();
    const int64_t first = enqueue(1, 1000).job.id;
    const int64_t second = enqueue(2, 1000).job.id;
    rift_job_row job = {0};
    CHECK(claim(1500, &job));
    CHECK_I64(job.id, first);
    CHECK_I64(job.state, RIFT_JOB_RUNNING);
    CHECK_U64(job.attempt, 1);
    CHECK_I64(job.epoch, 1);
    CHECK_I64(job.started, 1500);
    CHECK(claim(1500, &job));
    CHECK_I64(job.id, second);
    CHECK(!claim(1500, &job));
}

static void finishes_once(void)
{
    setup();
    (void)enqueue(1, 1000);
    rift_job_row job = {0};
    CHECK(claim(1100, &job));
    CHECK(finish(&job, 7, 1200));
    CHECK(!finish(&job, 8, 1300));
    const rift_found found = find(1, 1400);
    CHECK_I64(found.kind, RIFT_FOUND_ARTIFACT);
    CHECK_I64(found.job.state, RIFT_JOB_DONE);
    CHECK_I64(found.job.finished, 1200);
    CHECK(found.job.has_result);
    CHECK_U64(found.artifact.sha256.bytes[0], 7);
    CHECK_U64(found.artifact.size, 3);
    CHECK_I64(found.artifact.job, job.id);
    CHECK(found.artifact.is_inline);
    CHECK_I64(enqueue(1, 1500).kind, RIFT_FOUND_ARTIFACT);

    rift_artifact_row row = {0};
    bool has = false;
    CHECK_OK(rift_store_artifact(store, &found.artifact.sha256, true, &has, &row, &arena, &err), &err);
    CHECK(has);
    CHECK_BYTES(row.inline_data, ((rift_bytes){(const uint8_t *)"glb", 3}));
    const rift_sha256 unknown = {{9}};
    CHECK_OK(rift_store_artifact(store, &unknown, true, &has, &row, &arena, &err), &err);
    CHECK(!has);
    int64_t of = 0;
    rift_str report = {0};
    rift_job_spec s = spec(1);
    CHECK_OK(rift_store_report(store, &s, &of, &report, &arena, &err), &err);
    CHECK_I64(of, job.id);
    CHECK_STR(report, RIFT_STR("{\"report\":[]}"));
    s.key = unknown; /* what the skin would have after a patch */
    CHECK_OK(rift_store_report(store, &s, &of, &report, &arena, &err), &err);
    CHECK_I64(of, job.id);
    s.options = RIFT_STR("max_texture=64");
    CHECK_OK(rift_store_report(store, &s, &of, &report, &arena, &err), &err);
    CHECK_I64(of, 0);
}

/* Two keys may give the same bytes (options that change nothing for a skin). */
static void two_artifacts_share_a_blob(void)
{
    setup();
    (void)enqueue(1, 1000);
    (void)enqueue(2, 1000);
    rift_job_row job = {0};
    for (int i = 0; i < 2; i++)
        CHECK(claim(1100, &job) && finish(&job, 7, 1200));
    CHECK_I64(find(1, 1400).kind, RIFT_FOUND_ARTIFACT);
    CHECK_I64(find(2, 1400).kind, RIFT_FOUND_ARTIFACT);
}

/* 10 minutes, then doubled each time in a row. */
static void remembers_failures_longer_and_longer(void)
{
    setup();
    static const int64_t want[] = {600000, 1200000, 2400000};
    int64_t now = 1000;
    for (size_t i = 0; i < RIFT_COUNT(want); i++) {
        check_row("failure %zu", i + 1);
        CHECK_I64(enqueue(1, now).kind, RIFT_FOUND_NOTHING);
        rift_job_row job = {0};
        CHECK(claim(now, &job));
        bool taken = false;
        const rift_job_row after = fail(&job, false, now, &taken);
        CHECK(taken);
        CHECK_I64(after.state, RIFT_JOB_FAILED);
        CHECK_I64(after.remembered - now, want[i]);
        CHECK_STR(after.error, RIFT_STR("{\"code\":\"FORMAT\"}"));
        CHECK_I64(find(1, after.remembered - 1).kind, RIFT_FOUND_FAILURE);
        CHECK_I64(enqueue(1, after.remembered - 1).kind, RIFT_FOUND_FAILURE);
        now = after.remembered;
    }
    for (int i = 0; i < 12; i++) {
        rift_job_row job = {0};
        bool taken = false;
        (void)enqueue(1, now);
        CHECK(claim(now, &job));
        const rift_job_row after = fail(&job, false, now, &taken);
        CHECK(after.remembered - now <= 86400000);
        now = after.remembered;
    }
}

static void retries_then_is_dead(void)
{
    setup();
    (void)enqueue(1, 0);
    rift_job_row job = {0};
    bool taken = false;
    CHECK(claim(0, &job));
    rift_job_row after = fail(&job, true, 0, &taken);
    CHECK_I64(after.state, RIFT_JOB_QUEUED);
    CHECK_I64(after.not_before, 2000);
    CHECK(!claim(1999, &job));
    CHECK(claim(2000, &job));
    CHECK_U64(job.attempt, 2);
    after = fail(&job, true, 2000, &taken);
    CHECK_I64(after.not_before, 6000);
    CHECK(claim(6000, &job));
    after = fail(&job, true, 6000, &taken);
    CHECK_I64(after.state, RIFT_JOB_DEAD);
    CHECK_I64(find(1, 6001).kind, RIFT_FOUND_FAILURE);
}

static void late_answers_change_nothing(void)
{
    setup();
    (void)enqueue(1, 0);
    rift_job_row old = {0}, job = {0};
    CHECK(claim(0, &old));
    bool taken = false;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_requeue(store, old.id, old.epoch, &taken, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK(taken);
    CHECK(claim(10, &job));
    CHECK_U64(job.attempt, 1);
    CHECK_I64(job.epoch, 2);
    CHECK(!finish(&old, 1, 20));
    (void)fail(&old, false, 20, &taken);
    CHECK(!taken);
    CHECK_I64(find(1, 30).kind, RIFT_FOUND_LIVE);
    CHECK(finish(&job, 1, 40));
}

static void recovers_what_was_running(void)
{
    setup();
    (void)enqueue(1, 0);
    (void)enqueue(2, 0);
    rift_job_row job = {0};
    for (int i = 1; i <= 3; i++) {
        check_row("start %d", i);
        CHECK(claim(i, &job));
        CHECK_I64(job.spec.number, 1);
        reopen();
        int64_t requeued = 0, dead = 0;
        CHECK_OK(rift_store_begin(store, &err), &err);
        CHECK_OK(rift_store_reap(store, 100, true, &requeued, &dead, &err), &err);
        CHECK_OK(rift_store_commit(store, &err), &err);
        CHECK_I64(requeued, i < 3);
        CHECK_I64(dead, i == 3);
    }
    rift_job_row *rows = NULL;
    size_t count = 0;
    const rift_job_query line = {.in_line = true, .limit = 10};
    CHECK_OK(rift_store_list(store, &line, &rows, &count, &arena, &err), &err);
    CHECK_U64(count, 1);
    CHECK_U64(rows[0].spec.number, 2);
    CHECK_I64(find(1, 101).kind, RIFT_FOUND_FAILURE);
}

static void rekeys_unless_taken(void)
{
    setup();
    const int64_t one = enqueue(1, 0).job.id;
    (void)enqueue(2, 0);
    const rift_job_spec two = spec(2), three = spec(3);
    bool taken = false;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_rekey(store, one, &two.key, &taken, &err), &err);
    CHECK(!taken);
    CHECK_OK(rift_store_rekey(store, one, &three.key, &taken, &err), &err);
    CHECK(taken);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK_I64(find(3, 1).job.id, one);
    CHECK_I64(find(1, 1).kind, RIFT_FOUND_NOTHING);
}

static void skin_states(void)
{
    setup();
    rift_skin_state state;
    const rift_job_spec s = spec(1);
    rift_job_spec new_patch = s;
    rift_job_spec otherwise = s;
    new_patch.key.bytes[5] = 1;
    otherwise.key.bytes[5] = 2;
    otherwise.options = RIFT_STR("texture=webp");
    CHECK_OK(rift_store_skin_state(store, &s, 0, &state, &err), &err);
    CHECK_I64(state, RIFT_SKIN_NEVER);
    (void)enqueue(1, 0);
    rift_job_row job = {0};
    bool taken;
    CHECK(claim(0, &job));
    (void)fail(&job, false, 0, &taken);
    CHECK_OK(rift_store_skin_state(store, &s, 1, &state, &err), &err);
    CHECK_I64(state, RIFT_SKIN_FAILED);
    (void)enqueue(1, 600000);
    CHECK(claim(600000, &job) && finish(&job, 1, 600001));
    CHECK_OK(rift_store_skin_state(store, &s, 600002, &state, &err), &err);
    CHECK_I64(state, RIFT_SKIN_FRESH);
    CHECK_OK(rift_store_skin_state(store, &new_patch, 600002, &state, &err), &err);
    CHECK_I64(state, RIFT_SKIN_STALE);
    CHECK_OK(rift_store_skin_state(store, &otherwise, 600002, &state, &err), &err);
    CHECK_I64(state, RIFT_SKIN_NEVER);
}

/* A job of skin 1 with options of its own, finished at `now` with bytes `mark`. */
static void make_output(const char *options, uint8_t key, uint8_t mark, int64_t now)
{
    rift_job_spec s = spec(1);
    s.key.bytes[1] = key;
    s.options = rift_str_c(options);
    rift_found found = {0};
    rift_job_row job = {0};
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_enqueue(store, &s, now, &found, &arena, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK(claim(now, &job) && finish(&job, mark, now));
}

static void lists_outputs(void)
{
    static const struct {
        const char *options;
        uint8_t mark;
    } rows[] = {{"", 2}, {"chromas=variants", 3}, {"texture=webp", 1}};
    setup();
    rift_artifact_row *found = NULL;
    size_t count = 7;
    CHECK_OK(rift_store_outputs(store, RIFT_STR("yasuo"), 1, &found, &count, &arena, &err), &err);
    CHECK_U64(count, 0);
    make_output("texture=webp", 1, 1, 10);
    make_output("", 2, 9, 20);
    make_output("chromas=variants", 3, 3, 30);
    make_output("", 4, 2, 40); /* of a later patch */
    (void)enqueue(2, 50);      /* another skin */
    rift_job_row job = {0};
    CHECK(claim(50, &job) && finish(&job, 5, 50));
    CHECK_OK(rift_store_outputs(store, RIFT_STR("yasuo"), 1, &found, &count, &arena, &err), &err);
    CHECK_FATAL(count == RIFT_COUNT(rows));
    for (size_t i = 0; i < count; i++) {
        check_row("%s", rows[i].options);
        CHECK_STR(found[i].spec.options, rift_str_c(rows[i].options));
        CHECK_U64(found[i].sha256.bytes[0], rows[i].mark);
        CHECK_U64(found[i].size, 3);
    }
}

static bool relabel(int64_t artifact, uint8_t key, const rift_sha256 *source)
{
    bool taken = false;
    rift_sha256 sha = {{0}};
    sha.bytes[0] = key;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_relabel(store, artifact, &sha, source, &taken, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return taken;
}

static void labels_what_holds(void)
{
    static const rift_sha256 today = {{7}};
    rift_asset_use uses[] = {{.path_hash = 5, .checksum = 6, .checksum_kind = 2, .found = true},
                             {.path_hash = UINT64_MAX}};
    const rift_asset_log log = {.uses = uses, .count = RIFT_COUNT(uses)};
    setup();
    for (uint32_t number = 1; number <= 3; number++) {
        rift_job_row job = {0};
        rift_job_output out = output((uint8_t)(10 + number));
        bool taken = false;
        out.features = UINT64_MAX - number;
        out.uses = number == 2 ? &log : NULL;
        if (number == 3)
            out.source = today;
        (void)enqueue(number, 0);
        CHECK(claim(0, &job));
        CHECK_OK(rift_store_begin(store, &err), &err);
        CHECK_OK(rift_store_finish(store, job.id, job.epoch, &out, number, &taken, &err), &err);
        CHECK_OK(rift_store_commit(store, &err), &err);
    }
    rift_record *found = NULL;
    size_t count = 0;
    CHECK_OK(rift_store_records(store, &today, 0, 9, &found, &count, &arena, &err), &err);
    CHECK_FATAL(count == 2);
    CHECK_U64(found[0].spec.number, 2);
    CHECK_U64(found[1].spec.number, 1);
    CHECK_STR(found[0].spec.alias, RIFT_STR("yasuo"));
    CHECK_U64(found[0].features, UINT64_MAX - 2);
    CHECK_I64(found[0].last_used, 2);
    CHECK_U64(found[0].sha256.bytes[0], 12);
    CHECK_U64(found[0].fingerprint.bytes[31], 12);
    CHECK_FATAL(found[0].use_count == 2 && found[1].use_count == 0);
    const size_t five = found[0].uses[0].path_hash == 5 ? 0 : 1;
    CHECK(found[0].uses[five].found && found[0].uses[five].checksum == 6 &&
          found[0].uses[five].checksum_kind == 2);
    CHECK(!found[0].uses[1 - five].found && found[0].uses[1 - five].path_hash == UINT64_MAX);
    const int64_t second = found[0].artifact, first = found[1].artifact;
    CHECK_OK(rift_store_records(store, &today, 0, 1, &found, &count, &arena, &err), &err);
    CHECK_FATAL(count == 1);
    CHECK_I64(found[0].artifact, second);
    CHECK_OK(rift_store_records(store, &today, second, 9, &found, &count, &arena, &err), &err);
    CHECK_FATAL(count == 1);
    CHECK_I64(found[0].artifact, first);

    CHECK(!relabel(first, 2, &today)); /* skin 2 has that key */
    CHECK(relabel(first, 40, &today));
    CHECK_I64(find(1, 0).kind, RIFT_FOUND_NOTHING);
    CHECK_I64(find(40, 0).kind, RIFT_FOUND_ARTIFACT);
    CHECK_OK(rift_store_records(store, &today, 0, 9, &found, &count, &arena, &err), &err);
    CHECK_U64(count, 1);
    const rift_sha256 bytes = find(40, 0).artifact.sha256;
    rift_str report = RIFT_STR("x");
    CHECK_OK(rift_store_report_of(store, &bytes, &report, &arena, &err), &err);
    CHECK_STR(report, RIFT_STR("{\"report\":[]}"));
    CHECK_OK(rift_store_report_of(store, &today, &report, &arena, &err), &err);
    CHECK_U64(report.size, 0);
}

/* Set back while a failed job waits for its second start, while a failure is remembered, and between two results. */
static void a_clock_that_is_set_back(void)
{
    setup();
    const int64_t year = INT64_C(31536000000);
    rift_job_row job = {0};
    bool taken = false;
    (void)enqueue(2, year);
    CHECK(claim(year, &job));
    CHECK_I64(fail(&job, true, year, &taken).not_before, year + 2000);
    CHECK(!claim(year + 1999, &job));
    CHECK(claim(1000, &job)); /* not in a year */
    (void)fail(&job, false, year, &taken);
    CHECK_I64(find(2, year + 1).kind, RIFT_FOUND_FAILURE);
    CHECK_I64(find(2, 1000).kind, RIFT_FOUND_NOTHING);

    make_output("", 1, 1, year);
    make_output("", 2, 2, 1000);
    bool found = false;
    rift_artifact_row newest = {0};
    CHECK_OK(rift_store_newest(store, RIFT_STR("yasuo"), 1, (rift_str){0}, &found, &newest, &arena, &err),
             &err);
    CHECK(found);
    CHECK_U64(newest.sha256.bytes[0], 2);
    rift_artifact_row *outputs = NULL;
    size_t count = 0;
    CHECK_OK(rift_store_outputs(store, RIFT_STR("yasuo"), 1, &outputs, &count, &arena, &err), &err);
    CHECK_FATAL(count == 1);
    CHECK_U64(outputs[0].sha256.bytes[0], 2);
}

static void a_rolled_back_transaction_leaves_nothing(void)
{
    setup();
    const rift_job_spec s = spec(1);
    rift_found found;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_enqueue(store, &s, 0, &found, &arena, &err), &err);
    rift_store_rollback(store);
    CHECK_I64(find(1, 1).kind, RIFT_FOUND_NOTHING);
}

/* ---- classes, leases, cancelling ---- */

static rift_found enqueue_at(uint32_t number, int priority, int64_t now)
{
    rift_job_spec s = spec(number);
    s.priority = priority;
    rift_found found = {0};
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_enqueue(store, &s, now, &found, &arena, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return found;
}

static void interactive_jobs_go_first(void)
{
    setup();
    rift_job_row job = {0};
    (void)enqueue_at(1, RIFT_JOB_PRIORITY_SWEEP, 0);
    (void)enqueue_at(2, RIFT_JOB_PRIORITY_SWEEP, 1);
    (void)enqueue_at(3, RIFT_JOB_PRIORITY_INTERACTIVE, 2);
    CHECK(claim(10, &job));
    CHECK_U64(job.spec.number, 3);
    CHECK_I64(job.spec.priority, 10);
    CHECK(!claim_above(10, RIFT_JOB_PRIORITY_INTERACTIVE, &job));
    CHECK(claim(10, &job));
    CHECK_U64(job.spec.number, 1);
}

/* Somebody waits now for what a sweep asked for. The other way round nothing sinks. */
static void asking_again_lifts_a_job(void)
{
    setup();
    (void)enqueue_at(1, RIFT_JOB_PRIORITY_SWEEP, 0);
    (void)enqueue_at(2, RIFT_JOB_PRIORITY_SWEEP, 0);
    const rift_found found = enqueue_at(2, RIFT_JOB_PRIORITY_INTERACTIVE, 1);
    CHECK_I64(found.kind, RIFT_FOUND_LIVE);
    CHECK_I64(found.job.spec.priority, 10);
    (void)enqueue_at(2, RIFT_JOB_PRIORITY_SWEEP, 2);
    rift_job_row job = {0};
    CHECK(claim_above(3, RIFT_JOB_PRIORITY_INTERACTIVE, &job));
    CHECK_U64(job.spec.number, 2);
    const int64_t one = find(1, 4).job.id;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_lift(store, one, 5, &err), &err);
    CHECK_OK(rift_store_lift(store, one, 3, &err), &err);
    CHECK_OK(rift_store_lift(store, job.id, 20, &err), &err); /* has begun */
    CHECK_OK(rift_store_lift(store, 999, 20, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK_I64(find(1, 5).job.spec.priority, 5);
    CHECK_I64(find(2, 5).job.spec.priority, 10);
}

static bool beat(const rift_job_row *job, int64_t until)
{
    bool taken = false;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_beat(store, job->id, job->epoch, until, &taken, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return taken;
}

static void reap(int64_t now, int64_t want_requeued, int64_t want_dead)
{
    int64_t requeued = -1, dead = -1;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_reap(store, now, false, &requeued, &dead, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK_I64(requeued, want_requeued);
    CHECK_I64(dead, want_dead);
}

/* A lease of 30 s from the claim; after it the job is anybody's, and the old start has no say. */
static void a_lease_runs_out(void)
{
    setup();
    rift_job_row first = {0}, second = {0};
    (void)enqueue(1, 0);
    CHECK(claim(0, &first));
    CHECK_I64(first.lease_until, 30000);
    reap(30000, 0, 0);
    CHECK(beat(&first, 60000));
    reap(60000, 0, 0);
    reap(60001, 1, 0);
    CHECK(!beat(&first, 90000));
    CHECK(!claim(62000, &second));
    CHECK(claim(62001, &second)); /* the pause before a second start is 2 s */
    CHECK_U64(second.attempt, 2);
    CHECK(!finish(&first, 1, 62002));
    CHECK(finish(&second, 2, 62003));
    CHECK_U64(find(1, 62004).artifact.sha256.bytes[0], 2);
}

static void a_job_that_never_comes_back_is_dead(void)
{
    setup();
    rift_job_row job = {0};
    (void)enqueue(1, 0);
    int64_t now = 0;
    for (int i = 1; i <= 3; i++) {
        check_row("start %d", i);
        CHECK(claim(now, &job));
        now += LEASE_MS + 1;
        reap(now, i < 3, i == 3);
        now += 60000;
    }
    const rift_found found = find(1, now - 60000);
    CHECK_I64(found.kind, RIFT_FOUND_FAILURE);
    CHECK_I64(found.job.state, RIFT_JOB_DEAD);
    CHECK_STR(found.job.error_class, RIFT_STR("crash"));
    CHECK_U64(found.job.error_status, 500);
}

static bool cancel(int64_t id, int64_t epoch)
{
    bool taken = false;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_cancel(store, id, epoch, 50, &taken, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return taken;
}

static void cancels_what_is_live(void)
{
    setup();
    rift_job_row job = {0};
    const int64_t first = enqueue(1, 0).job.id;
    CHECK(cancel(first, 0));
    CHECK(!cancel(first, 0));
    CHECK(!claim(10, &job));
    CHECK_I64(find(1, 20).kind, RIFT_FOUND_NOTHING);
    const int64_t again = enqueue(1, 20).job.id;
    CHECK(again != first);
    CHECK(claim(30, &job));
    CHECK(!cancel(again, job.epoch + 1));
    CHECK(cancel(again, job.epoch));
    CHECK(!finish(&job, 1, 40));
    bool found = false;
    CHECK_OK(rift_store_job(store, again, &found, &job, &arena, &err), &err);
    CHECK(found);
    CHECK_I64(job.state, RIFT_JOB_CANCELLED);
    CHECK_I64(job.finished, 50);
    CHECK(!cancel(999, 0));
}

/* ---- lists and retention ---- */

static size_t list(rift_job_query query, const uint32_t *want, size_t want_count)
{
    rift_job_row *rows = NULL;
    size_t count = 0;
    CHECK_OK(rift_store_list(store, &query, &rows, &count, &arena, &err), &err);
    CHECK_U64(count, want_count);
    for (size_t i = 0; i < count && i < want_count; i++)
        CHECK_U64(rows[i].spec.number, want[i]);
    return count;
}

static void lists_jobs(void)
{
    setup();
    rift_job_row job = {0};
    bool taken = false;
    (void)enqueue_at(1, RIFT_JOB_PRIORITY_INTERACTIVE, 0);
    (void)enqueue_at(2, RIFT_JOB_PRIORITY_INTERACTIVE, 0);
    (void)enqueue_at(3, RIFT_JOB_PRIORITY_SWEEP, 0);
    (void)enqueue_at(4, RIFT_JOB_PRIORITY_INTERACTIVE, 0);
    CHECK(claim(1, &job) && finish(&job, 1, 2));
    CHECK(claim(1, &job));
    (void)fail(&job, false, 2, &taken);
    const unsigned queued = 1U << RIFT_JOB_QUEUED;
    list((rift_job_query){.limit = 10}, (const uint32_t[]){1, 2, 3, 4}, 4);
    list((rift_job_query){.limit = 2}, (const uint32_t[]){1, 2}, 2);
    list((rift_job_query){.limit = 2, .after = 2}, (const uint32_t[]){3, 4}, 2);
    list((rift_job_query){.limit = 10, .states = queued}, (const uint32_t[]){3, 4}, 2);
    list((rift_job_query){.limit = 10, .states = queued, .in_line = true}, (const uint32_t[]){4, 3}, 2);
    list((rift_job_query){.limit = 10, .states = 1U << RIFT_JOB_DONE | 1U << RIFT_JOB_FAILED},
         (const uint32_t[]){1, 2}, 2);
    list((rift_job_query){.limit = 10, .alias = RIFT_STR("yasuo"), .number = 2}, (const uint32_t[]){2}, 1);
    list((rift_job_query){.limit = 10, .alias = RIFT_STR("shaco"), .number = 2}, NULL, 0);
    rift_store_usage usage;
    CHECK_OK(rift_store_usage_of(store, &usage, &err), &err);
    CHECK_U64(usage.jobs[RIFT_JOB_QUEUED], 2);
    CHECK_U64(usage.jobs[RIFT_JOB_DONE], 1);
    CHECK_U64(usage.jobs[RIFT_JOB_FAILED], 1);
    CHECK_U64(usage.blobs, 1);
    CHECK_U64(usage.bytes, 3);
}

static int64_t prune(int64_t before, int64_t now, size_t max)
{
    int64_t removed = -1;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_prune(store, before, now, max, &removed, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return removed;
}

/* Kept: what lives, what an artifact came from, what is remembered, what is young. */
static void forgets_old_jobs(void)
{
    setup();
    rift_job_row job = {0};
    bool taken = false;
    (void)enqueue(1, 0);
    CHECK(claim(0, &job) && finish(&job, 1, 100));
    (void)enqueue(2, 0);
    CHECK(claim(0, &job));
    (void)fail(&job, false, 100, &taken);   /* remembered until 600100 */
    CHECK(cancel(enqueue(3, 0).job.id, 0)); /* at 50 */
    CHECK(cancel(enqueue(4, 0).job.id, 0));
    (void)enqueue(5, 0);
    CHECK_I64(prune(50, 1000, 10), 0);
    CHECK_I64(prune(51, 1000, 1), 1);
    CHECK_I64(prune(51, 1000, 10), 1);
    CHECK_I64(prune(101, 600099, 10), 0);
    CHECK_I64(prune(101, 600100, 10), 1);
    list((rift_job_query){.limit = 10}, (const uint32_t[]){1, 5}, 2);
    CHECK_I64(find(1, 700000).kind, RIFT_FOUND_ARTIFACT);
}

/* ---- artifacts and their bytes ---- */

/* An artifact of `size` bytes in a file, made at `now`. */
static rift_sha256 made_from, label_of_now; /* for make() and evict() */

static rift_sha256 make(uint32_t number, uint8_t mark, uint64_t size, int64_t now)
{
    rift_job_row job = {0};
    bool taken = false;
    rift_job_output out = output(mark);
    out.is_inline = false;
    out.inline_data = (rift_bytes){0};
    out.size = size;
    out.source = made_from;
    (void)enqueue(number, now);
    CHECK(claim(now, &job));
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_finish(store, job.id, job.epoch, &out, now, &taken, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK(taken);
    return out.sha256;
}

static rift_blob_list evict(uint64_t budget, int64_t used_before, size_t max)
{
    rift_blob_list gone = {0};
    CHECK_OK(rift_store_begin(store, &err), &err);
    const rift_eviction what = {
        .budget = budget, .used_before = used_before, .max = max, .source = label_of_now};
    CHECK_OK(rift_store_evict(store, &what, &gone, &arena, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return gone;
}

static void touch(const rift_sha256 *sha256, int64_t now)
{
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_touch(store, sha256, now, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
}

static void evicts_the_least_recently_used(void)
{
    setup();
    const rift_sha256 first = make(1, 1, 100, 10);
    (void)make(2, 2, 200, 20);
    (void)make(3, 3, 300, 30);
    CHECK_U64(evict(600, 1000, 10).count, 0);
    touch(&first, 40);
    touch(&first, 35); /* time does not run back */
    rift_blob_list gone = evict(599, 1000, 10);
    CHECK_U64(gone.count, 1);
    CHECK_U64(gone.rows[0].sha256.bytes[0], 2);
    CHECK_U64(gone.rows[0].size, 200);
    CHECK(!gone.rows[0].is_inline);
    CHECK_I64(find(2, 50).kind, RIFT_FOUND_NOTHING);
    CHECK_I64(find(1, 50).artifact.last_used, 40);
    bool found = true;
    CHECK_OK(rift_store_has_blob(store, &gone.rows[0].sha256, &found, &err), &err);
    CHECK(!found);
    CHECK_OK(rift_store_has_blob(store, &first, &found, &err), &err);
    CHECK(found);
    CHECK_U64(evict(0, 30, 10).count, 0); /* 3 was used at 30, 1 at 40 */
    CHECK_U64(evict(0, 31, 10).count, 1);
    CHECK_U64(evict(0, 1000, 0).count, 0);
    CHECK_U64(evict(0, 1000, 10).count, 1);
    rift_store_usage usage;
    CHECK_OK(rift_store_usage_of(store, &usage, &err), &err);
    CHECK_U64(usage.bytes, 0);
    CHECK_U64(usage.blobs, 0);
}

static void never_evicts_what_is_pinned(void)
{
    setup();
    const rift_job_spec one = spec(1), unknown = spec(9);
    (void)make(1, 1, 100, 10);
    (void)make(2, 2, 100, 20);
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_pin(store, &one.key, true, &err), &err);
    CHECK_OK(rift_store_pin(store, &unknown.key, true, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK(find(1, 25).artifact.pinned);
    const rift_blob_list gone = evict(0, 1000, 10);
    CHECK_U64(gone.count, 1);
    CHECK_U64(gone.rows[0].sha256.bytes[0], 2);
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_pin(store, &one.key, false, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK_U64(evict(0, 1000, 10).count, 1);
}

/* What was made from the game as it is stays as long as there is something of a former state, however long ago it was used; bytes of both count as those of now. */
static void the_newest_state_goes_last(void)
{
    static const rift_sha256 former = {{3}}, now = {{4}};
    setup();
    label_of_now = now;
    made_from = now;
    (void)make(1, 1, 100, 10);
    (void)make(2, 2, 100, 20);
    made_from = former;
    (void)make(3, 3, 100, 40);
    (void)make(4, 4, 100, 30);
    (void)make(5, 1, 100, 15); /* the bytes of 1 */
    static const uint8_t order[] = {4, 3, 1, 2};
    for (size_t i = 0; i < RIFT_COUNT(order); i++) {
        check_row("victim %zu", i);
        const rift_blob_list gone = evict(0, 1000, 1);
        CHECK_U64(gone.count, 1);
        CHECK_U64(gone.rows[0].sha256.bytes[0], order[i]);
    }
    made_from = label_of_now = (rift_sha256){0};
}

/* Two keys, one file: the younger use counts, and a pin on either holds it. */
static void shared_bytes_go_together(void)
{
    setup();
    const rift_job_spec two = spec(2);
    (void)make(1, 7, 100, 10);
    (void)make(2, 7, 100, 30);
    (void)make(3, 8, 100, 20);
    rift_store_usage usage;
    CHECK_OK(rift_store_usage_of(store, &usage, &err), &err);
    CHECK_U64(usage.bytes, 200);
    const rift_blob_list gone = evict(100, 1000, 10);
    CHECK_U64(gone.count, 1);
    CHECK_U64(gone.rows[0].sha256.bytes[0], 8);
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_pin(store, &two.key, true, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK_U64(evict(0, 1000, 10).count, 0);
    CHECK_I64(find(1, 50).kind, RIFT_FOUND_ARTIFACT);
}

static bool add_variant(const rift_sha256 *source, rift_encoding encoding, uint8_t mark)
{
    rift_blob_row row = {.size = 10};
    bool taken = false;
    row.sha256.bytes[0] = mark;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_add_variant(store, source, encoding, mark != 0 ? &row : NULL, 50, &taken, &err),
             &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return taken;
}

static void keeps_variants(void)
{
    setup();
    bool found = true;
    rift_blob_row next = {0};
    rift_encoding encoding = RIFT_ENCODING_GZIP;
    CHECK_OK(rift_store_unpacked(store, &found, &next, &encoding, &err), &err);
    CHECK(!found);
    const rift_sha256 source = make(1, 1, 100, 10), unknown = {{99}};
    CHECK_OK(rift_store_unpacked(store, &found, &next, &encoding, &err), &err);
    CHECK(found);
    CHECK_U64(next.sha256.bytes[0], 1);
    CHECK_U64(next.size, 100);
    CHECK_I64(encoding, RIFT_ENCODING_ZSTD);
    CHECK(add_variant(&source, RIFT_ENCODING_ZSTD, 101));
    CHECK_OK(rift_store_unpacked(store, &found, &next, &encoding, &err), &err);
    CHECK(found);
    CHECK_I64(encoding, RIFT_ENCODING_GZIP);
    CHECK(add_variant(&source, RIFT_ENCODING_GZIP, 0)); /* not worth keeping */
    CHECK(!add_variant(&unknown, RIFT_ENCODING_ZSTD, 102));
    CHECK_OK(rift_store_unpacked(store, &found, &next, &encoding, &err), &err);
    CHECK(!found);
    rift_artifact_row row = {0};
    CHECK_OK(rift_store_artifact(store, &source, false, &found, &row, &arena, &err), &err);
    CHECK(row.variants[RIFT_ENCODING_ZSTD].stored);
    CHECK_U64(row.variants[RIFT_ENCODING_ZSTD].sha256.bytes[0], 101);
    CHECK_U64(row.variants[RIFT_ENCODING_ZSTD].size, 10);
    CHECK(!row.variants[RIFT_ENCODING_GZIP].stored);
    rift_blob_list all = {0};
    CHECK_OK(rift_store_blobs(store, NULL, 10, &all, &arena, &err), &err);
    CHECK_U64(all.count, 2);
    CHECK_U64(all.rows[0].sha256.bytes[0], 1);
    CHECK_U64(all.rows[1].sha256.bytes[0], 101);
    rift_blob_list rest = {0};
    CHECK_OK(rift_store_blobs(store, &source, 1, &rest, &arena, &err), &err);
    CHECK_U64(rest.count, 1);
    CHECK_U64(rest.rows[0].sha256.bytes[0], 101);
    CHECK_U64(evict(0, 1000, 10).count, 2); /* with the artifact its variants go */
}

static rift_blob_list forget(uint8_t mark)
{
    rift_blob_list gone = {0};
    const rift_sha256 name = {{mark}};
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_forget(store, &name, &gone, &arena, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return gone;
}

/* A damaged variant is made again from its source; damaged bytes take their artifacts and variants with them. */
static void forgets_damaged_bytes(void)
{
    setup();
    bool found = false;
    rift_blob_row next = {0};
    rift_encoding encoding = RIFT_ENCODING_GZIP;
    const rift_sha256 source = make(1, 1, 100, 10);
    (void)make(2, 1, 100, 10);
    CHECK(add_variant(&source, RIFT_ENCODING_ZSTD, 101));
    CHECK_U64(forget(101).count, 1);
    CHECK_I64(find(1, 20).kind, RIFT_FOUND_ARTIFACT);
    CHECK_OK(rift_store_unpacked(store, &found, &next, &encoding, &err), &err);
    CHECK(found);
    CHECK_I64(encoding, RIFT_ENCODING_ZSTD);
    CHECK(add_variant(&source, RIFT_ENCODING_ZSTD, 101));
    CHECK_U64(forget(1).count, 2);
    CHECK_I64(find(1, 20).kind, RIFT_FOUND_NOTHING);
    CHECK_I64(find(2, 20).kind, RIFT_FOUND_NOTHING);
    CHECK_U64(forget(55).count, 0);
    rift_job_row job = {0};
    CHECK_I64(enqueue(1, 30).kind, RIFT_FOUND_NOTHING);
    CHECK(claim(30, &job) && finish(&job, 1, 40));
    CHECK_I64(find(1, 50).kind, RIFT_FOUND_ARTIFACT);
}

/* A job that got another key while it ran (a patch came) may end as that of a key which has other bytes: they go, but for what else has them. */
static void replaced_bytes_go(void)
{
    setup();
    const rift_job_spec one = spec(1);
    rift_job_row job = {0};
    bool taken = false;
    const rift_sha256 first = make(1, 1, 100, 10);
    CHECK(add_variant(&first, RIFT_ENCODING_ZSTD, 101));
    (void)enqueue(2, 20);
    CHECK(claim(20, &job));
    const rift_job_output out = output(2);
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_rekey(store, job.id, &one.key, &taken, &err), &err);
    CHECK_OK(rift_store_finish(store, job.id, job.epoch, &out, 30, &taken, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK(taken);
    CHECK_U64(find(1, 40).artifact.sha256.bytes[0], 2);
    rift_store_usage usage;
    CHECK_OK(rift_store_usage_of(store, &usage, &err), &err);
    CHECK_U64(usage.blobs, 1);
    CHECK_U64(usage.bytes, 3);
}

/* An operation that failed is undone alone. */
static void undoes_one_operation(void)
{
    setup();
    rift_found found;
    const rift_job_spec one = spec(1), two = spec(2);
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_savepoint(store, &err), &err);
    CHECK_OK(rift_store_enqueue(store, &one, 0, &found, &arena, &err), &err);
    CHECK_OK(rift_store_release(store, true, &err), &err);
    CHECK_OK(rift_store_savepoint(store, &err), &err);
    CHECK_OK(rift_store_enqueue(store, &two, 0, &found, &arena, &err), &err);
    CHECK_OK(rift_store_release(store, false, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK_I64(find(1, 1).kind, RIFT_FOUND_LIVE);
    CHECK_I64(find(2, 1).kind, RIFT_FOUND_NOTHING);
    reopen();
    CHECK_I64(find(1, 1).kind, RIFT_FOUND_LIVE);
}

static void knows_an_unclean_stop(void)
{
    setup();
    static const struct {
        bool stop, want_clean;
    } rows[] = {{true, true}, {false, true}, {false, false}, {true, false}, {true, true}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("run %zu", i);
        bool clean = false;
        CHECK_OK(rift_store_start(store, &clean, &err), &err);
        CHECK_U64(clean, rows[i].want_clean);
        if (rows[i].stop)
            CHECK_OK(rift_store_stop(store, &err), &err);
        reopen();
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"same_input_same_job", same_input_same_job},
    {"claims_in_line_order", claims_in_line_order},
    {"finishes_once", finishes_once},
    {"two_artifacts_share_a_blob", two_artifacts_share_a_blob},
    {"remembers_failures_longer_and_longer", remembers_failures_longer_and_longer},
    {"retries_then_is_dead", retries_then_is_dead},
    {"late_answers_change_nothing", late_answers_change_nothing},
    {"recovers_what_was_running", recovers_what_was_running},
    {"rekeys_unless_taken", rekeys_unless_taken},
    {"skin_states", skin_states},
    {"lists_outputs", lists_outputs},
    {"labels_what_holds", labels_what_holds},
    {"a_clock_that_is_set_back", a_clock_that_is_set_back},
    {"a_rolled_back_transaction_leaves_nothing", a_rolled_back_transaction_leaves_nothing},
    {"undoes_one_operation", undoes_one_operation},
    {"knows_an_unclean_stop", knows_an_unclean_stop},
    {"interactive_jobs_go_first", interactive_jobs_go_first},
    {"asking_again_lifts_a_job", asking_again_lifts_a_job},
    {"a_lease_runs_out", a_lease_runs_out},
    {"a_job_that_never_comes_back_is_dead", a_job_that_never_comes_back_is_dead},
    {"cancels_what_is_live", cancels_what_is_live},
    {"lists_jobs", lists_jobs},
    {"forgets_old_jobs", forgets_old_jobs},
    {"evicts_the_least_recently_used", evicts_the_least_recently_used},
    {"never_evicts_what_is_pinned", never_evicts_what_is_pinned},
    {"the_newest_state_goes_last", the_newest_state_goes_last},
    {"shared_bytes_go_together", shared_bytes_go_together},
    {"keeps_variants", keeps_variants},
    {"forgets_damaged_bytes", forgets_damaged_bytes},
    {"replaced_bytes_go", replaced_bytes_go},
};

void store_suite_run(const store_kind *of)
{
    kind = of;
    for (size_t i = 0; i < RIFT_COUNT(cases); i++) {
        char name[128];
        (void)snprintf(name, sizeof name, "%s: %s", kind->name, cases[i].name);
        if (check_begin(name))
            cases[i].run();
    }
    rift_store_close(store);
    store = NULL;
    rift_arena_release(&arena);
}
