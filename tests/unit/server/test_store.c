/* The suite of every store, and what only the SQLite one promises. */
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "store/db.h"
#include "store/sqlite.h"
#include "store_suite.h"
#include "support/check.h"
#include "support/golden.h"
#include "tempdir.h"
#include "toy_store.h"

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
    (void)snprintf(name, sizeof name, "file%u.db", file_number++);
    (void)snprintf(path, sizeof path, "%s", temppath(name));
    err = check_err();
    CHECK_OK(rift_sqlite_open_writer(&store, path, &err), &err);
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
    CHECK_OK(rift_store_claim(store, &(rift_claim){.now = now}, &found, job, &arena, &err), &err);
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

static void readers_see_what_is_committed(void)
{
    setup();
    (void)enqueue(1, 0);
    rift_store *reader = NULL;
    CHECK_FATAL(CHECK_OK(rift_sqlite_open_reader(&reader, path, &err), &err));
    rift_found found;
    const rift_job_spec s = spec(1);
    CHECK_OK(rift_store_find(reader, &s.key, 1, &found, &arena, &err), &err);
    CHECK_I64(found.kind, RIFT_FOUND_LIVE);
    rift_store_close(reader);
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
        {"newer version", "PRAGMA user_version=6", RIFT_ERR_UNSUPPORTED},
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
        const bool ok = rift_sqlite_open_writer(&store, path, &err);
        CHECK_U64(ok, rows[i].want == RIFT_OK);
        CHECK_CODE(&err, rows[i].want);
    }
    tempfile_write("text.db",
                   "this is no database, but long enough to have a header of its own..........."
                   ".......................................................................",
                   140);
    rift_store_close(store);
    store = NULL;
    CHECK(!rift_sqlite_open_writer(&store, temppath("text.db"), &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
}

/* The path of a database that the first `version` migrations made. */
static sqlite3 *old_file(size_t version)
{
    sqlite3 *db = NULL;
    setup();
    rift_store_close(store);
    store = NULL;
    (void)snprintf(path, sizeof path, "%s.old", temppath("file"));
    (void)unlink(path);
    CHECK_OK(rift_db_open(&db, path, RIFT_DB_WRITER, &err), &err);
    CHECK_OK(rift_db_migrate(db, path, rift_migrations_sqlite, version, &err), &err);
    return db;
}

/* A second migration that breaks leaves version 1; one that does not keeps the data, and a copy of the old file. */
static void migrates_step_by_step(void)
{
    rift_embedded steps[3] = {rift_migrations_sqlite[0],
                              {"0002_bad.sql", {(const uint8_t *)"CREATE TABLE a (x) STRICT; BROKEN", 33}},
                              {"0002_good.sql", {(const uint8_t *)"CREATE TABLE b (x INTEGER) STRICT;", 34}}};
    sqlite3 *db = old_file(1);
    int64_t n = 0;
    CHECK_OK(rift_db_exec(db, "INSERT INTO setting VALUES ('a', 'b')", &err), &err);
    CHECK(!rift_db_migrate(db, path, steps, 2, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    err = check_err();
    CHECK_OK(rift_db_number(db, "PRAGMA user_version", &n, &err), &err);
    CHECK_I64(n, 1);
    CHECK_OK(rift_db_number(db, "SELECT count(*) FROM sqlite_schema WHERE name='a'", &n, &err), &err);
    CHECK_I64(n, 0);
    steps[1] = steps[2];
    CHECK_OK(rift_db_migrate(db, path, steps, 2, &err), &err);
    CHECK_OK(rift_db_number(db, "SELECT count(*) FROM setting WHERE name='a'", &n, &err), &err);
    CHECK_I64(n, 1);
    CHECK_OK(rift_db_number(db, "PRAGMA user_version", &n, &err), &err);
    CHECK_I64(n, 2);
    rift_db_close(db);
    char backup[4200];
    (void)snprintf(backup, sizeof backup, "%s.v1.bak", path);
    CHECK_FATAL(CHECK_OK(rift_db_open(&db, backup, RIFT_DB_READER, &err), &err));
    CHECK_OK(rift_db_number(db, "SELECT count(*) FROM setting WHERE name='a'", &n, &err), &err);
    CHECK_I64(n, 1);
    rift_db_close(db);
}

/* As version 1 wrote it: an artifact with its job and dependency, a queued, a running and a failed job. */
static const char data_of_1[] =
    "INSERT INTO job (id, key, state, skin, alias, number, options, created, attempt, epoch, sha256, report)"
    " VALUES (1, x'0101010101010101010101010101010101010101010101010101010101010101', 2, 157001, 'yasuo', 1,"
    " '', 5, 1, 1, x'0707070707070707070707070707070707070707070707070707070707070707', '{}');"
    "INSERT INTO job (id, key, state, skin, alias, number, options, created)"
    " VALUES (2, x'0202020202020202020202020202020202020202020202020202020202020202', 0, 157002, 'yasuo', 2,"
    " 'content=rig', 6);"
    "INSERT INTO job (id, key, state, skin, alias, number, options, created, attempt, epoch)"
    " VALUES (3, x'0303030303030303030303030303030303030303030303030303030303030303', 1, 157003, 'yasuo', 3,"
    " '', 7, 1, 1);"
    "INSERT INTO job (id, key, state, skin, alias, number, options, created, failures, remembered, error)"
    " VALUES (4, x'0404040404040404040404040404040404040404040404040404040404040404', 3, 157004, 'yasuo', 4,"
    " '', 8, 1, 600008, '{}');"
    "INSERT INTO blob VALUES (x'0707070707070707070707070707070707070707070707070707070707070707', 3,"
    " x'676c62', 9);"
    "INSERT INTO artifact (id, key, fingerprint, sha256, job, skin, alias, number, options, source, created,"
    " last_used) SELECT 1, key, key, sha256, id, skin, alias, number, options, key, 9, 9 FROM job WHERE id=1;"
    "INSERT INTO dependency VALUES (1, -5, 6, 2, 1);";

static void check_upgraded(void)
{
    rift_found found;
    rift_sha256 key;
    int64_t requeued = 0, dead = 0;
    memset(key.bytes, 1, sizeof key.bytes);
    CHECK_OK(rift_store_find(store, &key, 10, &found, &arena, &err), &err);
    CHECK_I64(found.kind, RIFT_FOUND_ARTIFACT);
    CHECK_I64(found.job.id, 1);
    rift_artifact_row row = {0};
    bool has = false;
    CHECK_OK(rift_store_artifact(store, &found.artifact.sha256, true, &has, &row, &arena, &err), &err);
    CHECK_BYTES(row.inline_data, ((rift_bytes){(const uint8_t *)"glb", 3}));
    memset(key.bytes, 2, sizeof key.bytes);
    CHECK_OK(rift_store_find(store, &key, 10, &found, &arena, &err), &err);
    CHECK_I64(found.kind, RIFT_FOUND_LIVE);
    CHECK_STR(found.job.spec.options, RIFT_STR("content=rig"));
    CHECK_I64(found.job.spec.priority, RIFT_JOB_PRIORITY_INTERACTIVE);
    memset(key.bytes, 4, sizeof key.bytes);
    CHECK_OK(rift_store_find(store, &key, 10, &found, &arena, &err), &err);
    CHECK_I64(found.kind, RIFT_FOUND_FAILURE);
    CHECK_OK(rift_store_begin(store, &err), &err);
    CHECK_OK(rift_store_reap(store, 10, true, &requeued, &dead, &err), &err);
    CHECK_OK(rift_store_commit(store, &err), &err);
    CHECK_I64(requeued, 1);
}

/* Files of every earlier version come to the head with what they hold. */
static void upgrades_every_earlier_version(void)
{
    for (size_t version = 1; version < rift_migrations_sqlite_count; version++) {
        check_row("from version %zu", version);
        sqlite3 *db = old_file(version);
        int64_t n = 0;
        CHECK_OK(rift_db_exec(db, data_of_1, &err), &err);
        rift_db_close(db);
        CHECK_FATAL(CHECK_OK(rift_sqlite_open_writer(&store, path, &err), &err));
        check_upgraded();
        CHECK_FATAL(CHECK_OK(rift_db_open(&db, path, RIFT_DB_READER, &err), &err));
        CHECK_OK(rift_db_number(db, "PRAGMA user_version", &n, &err), &err);
        CHECK_I64(n, (int64_t)rift_migrations_sqlite_count);
        CHECK_OK(rift_db_number(db, "SELECT count(*) FROM dependency WHERE path=-5", &n, &err), &err);
        CHECK_I64(n, 1);
        CHECK_OK(rift_db_number(db, "SELECT integrity_check='ok' FROM pragma_integrity_check", &n, &err),
                 &err);
        CHECK_I64(n, 1);
        CHECK_OK(rift_db_number(db, "SELECT count(*) FROM pragma_foreign_key_check", &n, &err), &err);
        CHECK_I64(n, 0);
        rift_db_close(db);
    }
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
        {"PRAGMA user_version", 5},
        {"PRAGMA foreign_keys", 1},
        {"PRAGMA synchronous", 1},
        {"PRAGMA wal_autocheckpoint", 0},
        {"PRAGMA trusted_schema", 0},
        {"SELECT count(*) FROM pragma_journal_mode WHERE journal_mode='wal'", 1},
        {"SELECT count(*) FROM pragma_table_list WHERE type='table' AND NOT strict AND name NOT LIKE "
         "'sqlite_%'",
         0},
        {"SELECT count(*) FROM pragma_table_list WHERE strict", 6},
        {"SELECT count(*) FROM sqlite_schema WHERE name='job_live' AND sql LIKE '%UNIQUE%'", 1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].sql);
        CHECK_OK(rift_db_number(db, rows[i].sql, &n, &err), &err);
        CHECK_I64(n, rows[i].want);
    }
    rift_db_close(db);
}

/* What runs all the time reads indexes, not rows. */
static void counts_without_reading_rows(void)
{
    static const char *const rows[] = {
        "SELECT count(*), coalesce(sum(size), 0) FROM blob",
        "SELECT state, count(*) FROM job GROUP BY state",
        ("SELECT sha256 FROM artifact GROUP BY sha256 HAVING max(pinned)=0"
         " ORDER BY max(source=x'00'), max(last_used), min(id)"),
    };
    setup();
    sqlite3 *db = NULL;
    CHECK_FATAL(CHECK_OK(rift_db_open(&db, path, RIFT_DB_READER, &err), &err));
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i]);
        char sql[512];
        sqlite3_stmt *stmt = NULL;
        (void)snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN %s", rows[i]);
        CHECK_OK(rift_db_prepare(db, sql, &stmt, &err), &err);
        CHECK(sqlite3_step(stmt) == SQLITE_ROW);
        const char *plan = (const char *)sqlite3_column_text(stmt, 3);
        CHECK(plan != NULL && strstr(plan, "COVERING INDEX") != NULL);
        (void)sqlite3_finalize(stmt);
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
    static const store_kind kinds[] = {{"sqlite", rift_sqlite_open_writer}, {"toy", toy_store_open}};
    check_init(argc, argv);
    for (size_t k = 0; k < RIFT_COUNT(kinds); k++)
        store_suite_run(&kinds[k]);
    RUN(keeps_the_dependency_record);
    RUN(readers_see_what_is_committed);
    RUN(refuses_foreign_and_newer_files);
    RUN(migrates_step_by_step);
    RUN(upgrades_every_earlier_version);
    RUN(the_file_keeps_the_rules);
    RUN(counts_without_reading_rows);
    RUN(the_schema_at_head_is_the_file);
    rift_store_close(store);
    rift_arena_release(&arena);
    return check_finish();
}
