/* What every implementation of the store must do. The clock is the test's. */
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "store/db.h"
#include "store/store.h"
#include "support/check.h"
#include "support/golden.h"
#include "tempdir.h"

static rift_arena arena;
static rift_store *store;
static rift_err err;
static unsigned file_number;
static char path[4096];

static void setup(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 64 * 1024 * 1024);
    rift_store_close(store);
    store = NULL;
    char name[32];
    (void)snprintf(name, sizeof name, "store%u.db", file_number++);
    (void)snprintf(path, sizeof path, "%s", temppath(name));
    err = check_err();
    CHECK_OK(rift_store_open_writer(&store, path, &err), &err);
}

static rift_job_spec spec(uint32_t number)
{
    rift_job_spec s = {.skin = 157000 + number, .alias = RIFT_STR("yasuo"), .number = number};
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

static bool claim(int64_t now, rift_job_row *job)
{
    bool found = false;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_claim(store, now, &found, job, &arena, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    return found;
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
    const rift_job_spec s = spec(1);
    CHECK_OK(rift_store_report(store, &s.key, &of, &report, &arena, &err), &err);
    CHECK_I64(of, job.id);
    CHECK_STR(report, RIFT_STR("{\"report\":[]}"));
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

static void keeps_the_dependency_record(void)
{
    setup();
    (void)enqueue(1, 1000);
    rift_job_row job = {0};
    CHECK(claim(1100, &job));
    rift_asset_use uses[] = {
        {.path_hash = UINT64_C(0xfedcba9876543210), .checksum = 5, .checksum_kind = 2, .found = true},
        {.path_hash = 3, .found = false},
    };
    const rift_asset_log log = {.uses = uses, .count = 2};
    rift_job_output out = output(1);
    out.uses = &log;
    bool taken = false;
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_finish(store, job.id, job.epoch, &out, 1200, &taken, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    sqlite3 *db = NULL;
    CHECK_FATAL(CHECK_OK(rift_db_open(&db, path, RIFT_DB_READER, &err), &err));
    int64_t n = 0;
    /* 0xfedcba9876543210 - 2^64 */
    CHECK_OK(rift_db_number(
                 db,
                 "SELECT count(*) FROM dependency WHERE path=-81985529216486896 AND checksum=5 AND kind=2"
                 " AND found=1",
                 &n, &err),
             &err);
    CHECK_I64(n, 1);
    CHECK_OK(rift_db_number(db, "SELECT count(*) FROM dependency WHERE path=3 AND found=0", &n, &err), &err);
    CHECK_I64(n, 1);
    rift_db_close(db);
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
        rift_store_close(store);
        store = NULL;
        CHECK_OK(rift_store_open_writer(&store, path, &err), &err);
        int64_t requeued = 0, dead = 0;
        CHECK_OK(rift_store_begin(store, &err), &err);
        CHECK_OK(rift_store_recover(store, 100, &requeued, &dead, &err), &err);
        CHECK_OK(rift_store_commit(store, &err), &err);
        CHECK_I64(requeued, i < 3);
        CHECK_I64(dead, i == 3);
    }
    rift_job_row *rows = NULL;
    size_t count = 0;
    CHECK_OK(rift_store_queued(store, 10, &rows, &count, &arena, &err), &err);
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
    static const rift_str alias = {"yasuo", 5};
    rift_skin_state state;
    const rift_job_spec s = spec(1);
    rift_sha256 new_patch = s.key;
    new_patch.bytes[5] = 1;
    CHECK_OK(rift_store_skin_state(store, &s.key, alias, 1, 0, &state, &err), &err);
    CHECK_I64(state, RIFT_SKIN_NEVER);
    (void)enqueue(1, 0);
    rift_job_row job = {0};
    bool taken;
    CHECK(claim(0, &job));
    (void)fail(&job, false, 0, &taken);
    CHECK_OK(rift_store_skin_state(store, &s.key, alias, 1, 1, &state, &err), &err);
    CHECK_I64(state, RIFT_SKIN_FAILED);
    (void)enqueue(1, 600000);
    CHECK(claim(600000, &job) && finish(&job, 1, 600001));
    CHECK_OK(rift_store_skin_state(store, &s.key, alias, 1, 600002, &state, &err), &err);
    CHECK_I64(state, RIFT_SKIN_FRESH);
    CHECK_OK(rift_store_skin_state(store, &new_patch, alias, 1, 600002, &state, &err), &err);
    CHECK_I64(state, RIFT_SKIN_STALE);
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

static void readers_see_what_is_committed(void)
{
    setup();
    (void)enqueue(1, 0);
    rift_store *reader = NULL;
    CHECK_FATAL(CHECK_OK(rift_store_open_reader(&reader, path, &err), &err));
    rift_found found;
    const rift_job_spec s = spec(1);
    CHECK_OK(rift_store_find(reader, &s.key, 1, &found, &arena, &err), &err);
    CHECK_I64(found.kind, RIFT_FOUND_LIVE);
    rift_store_close(reader);
}

static void knows_an_unclean_stop(void)
{
    setup();
    bool clean = false;
    CHECK_OK(rift_store_start(store, &clean, &err), &err);
    CHECK(clean);
    CHECK_OK(rift_store_start(store, &clean, &err), &err);
    CHECK(!clean);
    CHECK_OK(rift_store_stop(store, &err), &err);
    CHECK_OK(rift_store_start(store, &clean, &err), &err);
    CHECK(clean);
}

static void spoil(const char *sql)
{
    sqlite3 *db = NULL;
    CHECK(sqlite3_open(path, &db) == SQLITE_OK && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    (void)sqlite3_close(db);
}

static void refuses_foreign_and_newer_files(void)
{
    static const struct {
        const char *name;
        const char *sql;
        rift_status want;
    } rows[] = {
        {"same version", "SELECT 1", RIFT_OK},
        {"newer version", "PRAGMA user_version=2", RIFT_ERR_UNSUPPORTED},
        {"much newer", "PRAGMA user_version=1000", RIFT_ERR_UNSUPPORTED},
        {"negative version", "PRAGMA user_version=-1", RIFT_ERR_UNSUPPORTED},
        {"another program's", "PRAGMA application_id=1234", RIFT_ERR_UNSUPPORTED},
        {"nobody's, with tables", "PRAGMA application_id=0", RIFT_ERR_UNSUPPORTED},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        setup();
        rift_store_close(store);
        store = NULL;
        spoil(rows[i].sql);
        const bool ok = rift_store_open_writer(&store, path, &err);
        CHECK_U64(ok, rows[i].want == RIFT_OK);
        CHECK_CODE(&err, rows[i].want);
    }
    tempfile_write("text.db",
                   "this is no database, but long enough to have a header of its own..........."
                   ".......................................................................",
                   140);
    rift_store_close(store);
    store = NULL;
    CHECK(!rift_store_open_writer(&store, temppath("text.db"), &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
}

/* Version 1, then a made-up second migration: data stays, a copy is kept; a broken one leaves version 1. */
static void migrates_step_by_step(void)
{
    setup();
    (void)enqueue(1, 5);
    rift_store_close(store);
    store = NULL;
    rift_embedded steps[3] = {rift_migrations_sqlite[0],
                              {"0002_bad.sql", {(const uint8_t *)"CREATE TABLE a (x) STRICT; BROKEN", 33}},
                              {"0002_good.sql", {(const uint8_t *)"CREATE TABLE b (x INTEGER) STRICT;", 34}}};
    sqlite3 *db = NULL;
    int64_t n = 0;
    CHECK_FATAL(CHECK_OK(rift_db_open(&db, path, RIFT_DB_WRITER, &err), &err));
    CHECK(!rift_db_migrate(db, path, steps, 2, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    err = check_err();
    CHECK_OK(rift_db_number(db, "PRAGMA user_version", &n, &err), &err);
    CHECK_I64(n, 1);
    CHECK_OK(rift_db_number(db, "SELECT count(*) FROM sqlite_schema WHERE name='a'", &n, &err), &err);
    CHECK_I64(n, 0);
    steps[1] = steps[2];
    CHECK_OK(rift_db_migrate(db, path, steps, 2, &err), &err);
    CHECK_OK(rift_db_number(db, "SELECT created FROM job", &n, &err), &err);
    CHECK_I64(n, 5);
    CHECK_OK(rift_db_number(db, "PRAGMA user_version", &n, &err), &err);
    CHECK_I64(n, 2);
    rift_db_close(db);
    char backup[4200];
    (void)snprintf(backup, sizeof backup, "%s.v1.bak", path);
    CHECK_FATAL(CHECK_OK(rift_db_open(&db, backup, RIFT_DB_READER, &err), &err));
    CHECK_OK(rift_db_number(db, "SELECT count(*) FROM job", &n, &err), &err);
    CHECK_I64(n, 1);
    rift_db_close(db);
}

/* The rules of the file: write-ahead log, foreign keys, strict tables, our id. */
static void the_file_keeps_the_rules(void)
{
    setup();
    sqlite3 *db = NULL;
    int64_t n = 0;
    CHECK_FATAL(CHECK_OK(rift_db_open(&db, path, RIFT_DB_WRITER, &err), &err));
    static const struct {
        const char *sql;
        int64_t want;
    } rows[] = {
        {"PRAGMA application_id", 0x52494654},
        {"PRAGMA user_version", 1},
        {"PRAGMA foreign_keys", 1},
        {"PRAGMA synchronous", 1},
        {"PRAGMA wal_autocheckpoint", 0},
        {"PRAGMA trusted_schema", 0},
        {"SELECT count(*) FROM pragma_journal_mode WHERE journal_mode='wal'", 1},
        {"SELECT count(*) FROM pragma_table_list WHERE type='table' AND NOT strict AND name NOT LIKE "
         "'sqlite_%'",
         0},
        {"SELECT count(*) FROM pragma_table_list WHERE strict", 5},
        {"SELECT count(*) FROM sqlite_schema WHERE name='job_live' AND sql LIKE '%UNIQUE%'", 1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].sql);
        CHECK_OK(rift_db_number(db, rows[i].sql, &n, &err), &err);
        CHECK_I64(n, rows[i].want);
    }
    rift_db_close(db);
}

/* The whole schema at head stands in schema/schema.sql, for people to read; RIFT_UPDATE_GOLDEN=1 writes it anew. */
static void the_schema_at_head_is_the_file(void)
{
    setup();
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    rift_buf dump;
    rift_buf_init(&dump, &arena, 1 << 20);
    CHECK_FATAL(CHECK_OK(rift_db_open(&db, path, RIFT_DB_READER, &err), &err));
    CHECK_OK(
        rift_db_prepare(db,
                        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
                        "ORDER BY tbl_name, type DESC, name",
                        &stmt, &err),
        &err);
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        rift_buf_str(&dump, rift_str_c((const char *)sqlite3_column_text(stmt, 0)));
        rift_buf_str(&dump, RIFT_STR(";\n"));
    }
    (void)sqlite3_finalize(stmt);
    rift_db_close(db);
    check_golden("../../schema/schema.sql", rift_buf_bytes(&dump));
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(same_input_same_job);
    RUN(claims_in_line_order);
    RUN(finishes_once);
    RUN(two_artifacts_share_a_blob);
    RUN(keeps_the_dependency_record);
    RUN(remembers_failures_longer_and_longer);
    RUN(retries_then_is_dead);
    RUN(late_answers_change_nothing);
    RUN(recovers_what_was_running);
    RUN(rekeys_unless_taken);
    RUN(skin_states);
    RUN(a_rolled_back_transaction_leaves_nothing);
    RUN(readers_see_what_is_committed);
    RUN(knows_an_unclean_stop);
    RUN(refuses_foreign_and_newer_files);
    RUN(migrates_step_by_step);
    RUN(the_file_keeps_the_rules);
    RUN(the_schema_at_head_is_the_file);
    rift_store_close(store);
    rift_arena_release(&arena);
    return check_finish();
}
