#include "store/hashes.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/str.h"
#include "hash/hash.h"
#include "store/db.h"

enum { PATH_SIZE = 4096 };

static const char *const find_sql[RIFT_NAME_TABLE_COUNT] = {
    [RIFT_NAMES_GAME] = "SELECT name FROM game WHERE hash=?1",
    [RIFT_NAMES_BINENTRIES] = "SELECT name FROM binentries WHERE hash=?1",
    [RIFT_NAMES_BINHASHES] = "SELECT name FROM binhashes WHERE hash=?1",
    [RIFT_NAMES_BINFIELDS] = "SELECT name FROM binfields WHERE hash=?1",
    [RIFT_NAMES_BINTYPES] = "SELECT name FROM bintypes WHERE hash=?1",
};
static const char *const count_sql[RIFT_NAME_TABLE_COUNT] = {
    [RIFT_NAMES_GAME] = "SELECT count(*) FROM game",
    [RIFT_NAMES_BINENTRIES] = "SELECT count(*) FROM binentries",
    [RIFT_NAMES_BINHASHES] = "SELECT count(*) FROM binhashes",
    [RIFT_NAMES_BINFIELDS] = "SELECT count(*) FROM binfields",
    [RIFT_NAMES_BINTYPES] = "SELECT count(*) FROM bintypes",
};
static const char *const insert_sql[RIFT_NAME_TABLE_COUNT] = {
    [RIFT_NAMES_GAME] = "INSERT OR IGNORE INTO game VALUES (?1, ?2)",
    [RIFT_NAMES_BINENTRIES] = "INSERT OR IGNORE INTO binentries VALUES (?1, ?2)",
    [RIFT_NAMES_BINHASHES] = "INSERT OR IGNORE INTO binhashes VALUES (?1, ?2)",
    [RIFT_NAMES_BINFIELDS] = "INSERT OR IGNORE INTO binfields VALUES (?1, ?2)",
    [RIFT_NAMES_BINTYPES] = "INSERT OR IGNORE INTO bintypes VALUES (?1, ?2)",
};

/* ---- reading ---- */

static bool check_version(sqlite3 *db, rift_err *err)
{
    int64_t version;
    if (!rift_db_number(db, "PRAGMA user_version", &version, err))
        return false;
    return version == (int64_t)rift_migrations_hashes_count ||
           rift_fail(err, RIFT_ERR_UNSUPPORTED, "user_version", RIFT_NO_OFFSET,
                     "%lld, this program reads %zu: import a list once to bring it up to date",
                     (long long)version, rift_migrations_hashes_count);
}

bool rift_hashdb_open(rift_hashdb *out, const char *path, rift_err *err)
{
    rift_err_in(err, rift_str_c(path));
    if (access(path, F_OK) != 0)
        return rift_fail(err, RIFT_ERR_NOT_FOUND, "open", RIFT_NO_OFFSET, "no name tables imported yet");
    rift_hashdb h = {0};
    bool ok = rift_db_open(&h.db, path, RIFT_DB_READER, err) && check_version(h.db, err);
    for (size_t i = 0; ok && i < RIFT_NAME_TABLE_COUNT; i++)
        ok = rift_db_prepare(h.db, find_sql[i], &h.find[i], err);
    if (!ok) {
        rift_hashdb_close(&h);
        return false;
    }
    *out = h;
    return true;
}

void rift_hashdb_close(rift_hashdb *h)
{
    if (h == NULL || h->db == NULL)
        return;
    for (size_t i = 0; i < RIFT_NAME_TABLE_COUNT; i++)
        (void)sqlite3_finalize(h->find[i]);
    rift_db_close(h->db);
    *h = (rift_hashdb){0};
}

bool rift_hashdb_lookup(
    rift_hashdb *h, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out, rift_err *err)
{
    sqlite3_stmt *stmt = h->find[table];
    (void)sqlite3_bind_int64(stmt, 1, (int64_t)hash);
    const int code = sqlite3_step(stmt);
    bool ok = code == SQLITE_ROW;
    if (ok) {
        const rift_str name = {(const char *)sqlite3_column_text(stmt, 0),
                               (size_t)sqlite3_column_bytes(stmt, 0)};
        *out = rift_arena_copy_str(arena, name);
        ok = rift_arena_ok(arena, "name", err);
    } else if (code == SQLITE_DONE) {
        (void)rift_fail(err, RIFT_ERR_NOT_FOUND, "hash", RIFT_NO_OFFSET, "0x%llx is not in the table %s",
                        (unsigned long long)hash, rift_name_table_word(table));
    } else {
        (void)rift_db_fail(h->db, "look up", err);
    }
    (void)sqlite3_reset(stmt);
    return ok;
}

bool rift_hashdb_digest(rift_hashdb *h, uint64_t *out, rift_err *err)
{
    int64_t n;
    if (!rift_db_number(h->db, "SELECT value FROM state WHERE name='digest'", &n, err))
        return false;
    *out = (uint64_t)n;
    return true;
}

bool rift_hashdb_stats_read(rift_hashdb *h, rift_hashdb_stats *out, rift_err *err)
{
    rift_hashdb_stats stats = {0};
    int64_t n;
    for (size_t i = 0; i < RIFT_NAME_TABLE_COUNT; i++) {
        if (!rift_db_number(h->db, count_sql[i], &n, err))
            return false;
        stats.names[i] = (uint64_t)n;
    }
    if (!rift_hashdb_digest(h, &stats.digest, err))
        return false;
    *out = stats;
    return true;
}

static bool lookup_names(void *user, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out)
{
    rift_err ignored;
    rift_err_in(&ignored, (rift_str){0});
    return rift_hashdb_lookup(user, table, hash, arena, out, &ignored);
}

rift_names rift_hashdb_names(rift_hashdb *h)
{
    return (rift_names){.user = h, .lookup = lookup_names};
}

/* ---- importing ---- */

typedef struct line {
    uint64_t hash;
    rift_str name; /* into the text */
} line;

/* As SQLite orders row ids, so that every insert goes to the end of the tree (six times faster than at random). Among
 * equal hashes the earlier line comes first: names point into one text. */
static int by_rowid(const void *a, const void *b)
{
    const line *x = a;
    const line *y = b;
    const int64_t i = (int64_t)x->hash;
    const int64_t k = (int64_t)y->hash;
    if (i != k)
        return i < k ? -1 : 1;
    return (x->name.data > y->name.data) - (x->name.data < y->name.data);
}

static size_t count_lines(rift_bytes text)
{
    size_t n = 1;
    for (size_t i = 0; i < text.size; i++)
        n += text.data[i] == '\n';
    return n;
}

static void
take_line(rift_str text, rift_name_table table, line *lines, size_t *count, rift_name_line_stats *stats)
{
    line l;
    stats->lines++;
    if (text.size == 0 || (text.size == 1 && text.data[0] == '\r')) {
        stats->blank++;
    } else if (!rift_name_line_parse(text, rift_name_table_digits(table), &l.hash, &l.name)) {
        stats->malformed++;
    } else if (rift_name_table_hash(table, l.name) != l.hash) {
        stats->mismatched++;
    } else {
        lines[(*count)++] = l;
    }
}

static bool parse_lines(rift_bytes text,
                        rift_name_table table,
                        rift_arena *arena,
                        line **out,
                        size_t *out_count,
                        rift_name_line_stats *stats,
                        rift_err *err)
{
    line *lines = RIFT_NEW(arena, line, count_lines(text));
    if (lines == NULL)
        return rift_arena_ok(arena, "lines", err);
    size_t count = 0;
    const char *at = (const char *)text.data;
    for (size_t left = text.size; left > 0;) {
        const char *end = memchr(at, '\n', left);
        const size_t size = end != NULL ? (size_t)(end - at) : left;
        take_line((rift_str){at, size}, table, lines, &count, stats);
        const size_t step = end != NULL ? size + 1 : size;
        at += step;
        left -= step;
    }
    if (count > 0)
        qsort(lines, count, sizeof *lines, by_rowid);
    *out = lines;
    *out_count = count;
    return true;
}

/* Sum over all names, so that the order of imports does not matter. */
static uint64_t line_digest(rift_name_table table, const line *l)
{
    const uint64_t seed[2] = {rift_xxh3((rift_bytes){(const uint8_t *)l->name.data, l->name.size}),
                              l->hash + (uint64_t)table};
    return rift_xxh3((rift_bytes){(const uint8_t *)seed, sizeof seed});
}

static bool insert_lines(sqlite3 *db,
                         rift_name_table table,
                         const line *lines,
                         size_t count,
                         rift_name_line_stats *stats,
                         rift_err *err)
{
    sqlite3_stmt *stmt;
    if (!rift_db_prepare(db, insert_sql[table], &stmt, err))
        return false;
    uint64_t digest = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        (void)sqlite3_bind_int64(stmt, 1, (int64_t)lines[i].hash);
        ok = sqlite3_bind_text(stmt, 2, lines[i].name.size > 0 ? lines[i].name.data : "",
                               (int)lines[i].name.size, SQLITE_STATIC) == SQLITE_OK &&
             sqlite3_step(stmt) == SQLITE_DONE;
        const bool added = ok && sqlite3_changes(db) == 1;
        stats->taken += added;
        stats->duplicate += ok && !added;
        digest += added ? line_digest(table, &lines[i]) : 0;
        (void)sqlite3_reset(stmt);
    }
    if (!ok)
        (void)rift_db_fail(db, "insert", err);
    (void)sqlite3_finalize(stmt);
    int64_t old;
    if (!ok || !rift_db_number(db, "SELECT value FROM state WHERE name='digest'", &old, err))
        return false;
    char sql[96];
    (void)snprintf(sql, sizeof sql, "UPDATE state SET value=%lld WHERE name='digest'",
                   (long long)((uint64_t)old + digest));
    return rift_db_exec(db, sql, err);
}

/* The old file's content in `fresh`, or nothing when there is none. VACUUM INTO reads the old file only. */
static bool copy_old(const char *path, const char *fresh, rift_err *err)
{
    if (access(path, F_OK) != 0)
        return true;
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    bool ok =
        rift_db_open(&db, path, RIFT_DB_READER, err) && rift_db_prepare(db, "VACUUM INTO ?1", &stmt, err);
    if (ok && (sqlite3_bind_text(stmt, 1, fresh, -1, SQLITE_STATIC) != SQLITE_OK ||
               sqlite3_step(stmt) != SQLITE_DONE))
        ok = rift_db_fail(db, "copy", err);
    (void)sqlite3_finalize(stmt);
    rift_db_close(db);
    return ok;
}

static bool sync_path(const char *path, rift_err *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const bool ok = fd >= 0 && fsync(fd) == 0;
    if (!ok)
        (void)rift_fail(err, RIFT_ERR_IO, "sync", RIFT_NO_OFFSET, "%s is not synced", path);
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

static bool build(const char *path,
                  const char *fresh,
                  rift_name_table table,
                  rift_bytes text,
                  rift_name_line_stats *stats,
                  rift_err *err)
{
    rift_arena arena;
    rift_arena_init(&arena, SIZE_MAX / 2);
    line *lines = NULL;
    size_t count = 0;
    sqlite3 *db = NULL;
    /* No journal: the file is nobody's before the rename. */
    bool ok = parse_lines(text, table, &arena, &lines, &count, stats, err) && copy_old(path, fresh, err) &&
              rift_db_open(&db, fresh, RIFT_DB_WRITER, err) &&
              rift_db_exec(db, "PRAGMA journal_mode=DELETE; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;",
                           err) &&
              rift_db_migrate(db, fresh, rift_migrations_hashes, rift_migrations_hashes_count, err) &&
              rift_db_exec(db, "BEGIN", err) && insert_lines(db, table, lines, count, stats, err) &&
              rift_db_exec(db, "COMMIT", err);
    rift_db_close(db);
    rift_arena_release(&arena);
    return ok && sync_path(fresh, err);
}

bool rift_hashdb_import(
    const char *path, rift_name_table table, rift_bytes text, rift_name_line_stats *stats, rift_err *err)
{
    rift_err_in(err, rift_str_c(path));
    char fresh[PATH_SIZE], lock_path[PATH_SIZE];
    if (snprintf(fresh, sizeof fresh, "%s.new", path) >= PATH_SIZE ||
        snprintf(lock_path, sizeof lock_path, "%s.lock", path) >= PATH_SIZE)
        return rift_fail(err, RIFT_ERR_ARGUMENT, "path", RIFT_NO_OFFSET, "is too long");
    const int lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0 || flock(lock, LOCK_EX) != 0) {
        char room[128];
        const char *why = strerror_r(errno, room, sizeof room);
        if (lock >= 0)
            (void)close(lock);
        return rift_fail(err, RIFT_ERR_IO, "lock", RIFT_NO_OFFSET, "cannot lock %s: %s", lock_path, why);
    }
    (void)unlink(fresh); /* of an import that did not end */
    rift_name_line_stats counted = {0};
    bool ok = build(path, fresh, table, text, &counted, err);
    if (ok && rename(fresh, path) != 0)
        ok = rift_fail(err, RIFT_ERR_IO, "rename", RIFT_NO_OFFSET, "cannot rename %s", fresh);
    if (ok) {
        *stats = counted;
    } else {
        (void)unlink(fresh);
    }
    (void)close(lock);
    return ok;
}
