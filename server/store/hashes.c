#include "store/hashes.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "hash/hash.h"
#include "hash/pack.h"
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
    if (version > (int64_t)rift_migrations_hashes_count) {
        return rift_fail(err, RIFT_ERR_UNSUPPORTED, "user_version", RIFT_NO_OFFSET,
                         "%lld is newer than %zu: made by a newer program", (long long)version,
                         rift_migrations_hashes_count);
    }
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
    ok = ok && rift_db_prepare(h.db, "SELECT name FROM learnt WHERE tab=?2 AND hash=?1", &h.find_learnt, err);
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
    (void)sqlite3_finalize(h->find_learnt);
    rift_db_close(h->db);
    *h = (rift_hashdb){0};
}

/* False, without an error, when the statement has no row. */
static bool
take_name(rift_hashdb *h, sqlite3_stmt *stmt, uint64_t hash, rift_arena *arena, rift_str *out, rift_err *err)
{
    (void)sqlite3_bind_int64(stmt, 1, (int64_t)hash);
    const int code = sqlite3_step(stmt);
    bool ok = code == SQLITE_ROW;
    if (ok) {
        const rift_str name = {(const char *)sqlite3_column_text(stmt, 0),
                               (size_t)sqlite3_column_bytes(stmt, 0)};
        *out = rift_arena_copy_str(arena, name);
        ok = rift_arena_ok(arena, "name", err);
    } else if (code != SQLITE_DONE) {
        (void)rift_db_fail(h->db, "look up", err);
    }
    (void)sqlite3_reset(stmt);
    return ok;
}

bool rift_hashdb_lookup(
    rift_hashdb *h, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out, rift_err *err)
{
    if (take_name(h, h->find[table], hash, arena, out, err))
        return true;
    (void)sqlite3_bind_int(h->find_learnt, 2, (int)table);
    if (err->code == RIFT_OK && take_name(h, h->find_learnt, hash, arena, out, err))
        return true;
    return rift_fail(err, RIFT_ERR_NOT_FOUND, "hash", RIFT_NO_OFFSET, "0x%llx is not in the table %s",
                     (unsigned long long)hash, rift_name_table_word(table));
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
    if (!rift_hashdb_digest(h, &stats.digest, err) ||
        !rift_db_number(h->db, "SELECT count(*) FROM learnt", &n, err))
        return false;
    stats.learnt = (uint64_t)n;
    *out = stats;
    return true;
}

/* ---- importing ---- */

typedef struct line {
    uint64_t hash;
    rift_str name;  /* into the text */
    uint32_t order; /* among all lines of the import */
    uint32_t list;
} line;

/* As SQLite orders row ids, so that every insert goes to the end of the tree (six times faster than at random). Among
 * equal hashes the earlier line comes first. */
static int by_rowid(const void *a, const void *b)
{
    const line *x = a;
    const line *y = b;
    const int64_t i = (int64_t)x->hash;
    const int64_t k = (int64_t)y->hash;
    if (i != k)
        return i < k ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

typedef struct import {
    rift_hash_list *lists;
    size_t list_count;
    line *lines; /* of one table */
    size_t line_count;
} import;

static size_t count_lines(rift_bytes text)
{
    size_t n = 1;
    for (size_t i = 0; i < text.size; i++)
        n += text.data[i] == '\n';
    return n;
}

static void take_line(import *in, uint32_t list, rift_str text)
{
    const rift_name_table table = in->lists[list].table;
    rift_name_line_stats *stats = &in->lists[list].stats;
    line l = {.order = (uint32_t)in->line_count, .list = list};
    stats->lines++;
    if (text.size == 0 || (text.size == 1 && text.data[0] == '\r')) {
        stats->blank++;
    } else if (!rift_name_line_parse(text, rift_name_table_digits(table), &l.hash, &l.name) ||
               l.name.size > RIFT_PACK_MAX_NAME) {
        stats->malformed++;
    } else if (rift_name_table_hash(table, l.name) != l.hash) {
        stats->mismatched++;
    } else {
        in->lines[in->line_count++] = l;
    }
}

static void take_list(import *in, uint32_t list)
{
    const rift_bytes text = in->lists[list].text;
    const char *at = (const char *)text.data;
    for (size_t left = text.size; left > 0;) {
        const char *end = memchr(at, '\n', left);
        const size_t size = end != NULL ? (size_t)(end - at) : left;
        take_line(in, list, (rift_str){at, size});
        const size_t step = end != NULL ? size + 1 : size;
        at += step;
        left -= step;
    }
}

/* Judged before anything is written. */
static bool is_list(const import *in, size_t list, rift_err *err)
{
    const rift_name_line_stats *stats = &in->lists[list].stats;
    const uint64_t bad = stats->malformed + stats->mismatched;
    const uint64_t good = stats->lines - stats->blank - bad;
    if (good > 0 && bad <= stats->lines / RIFT_HASH_LIST_BAD)
        return true;
    rift_err_in(err, in->lists[list].name);
    return rift_fail(err, RIFT_ERR_FORMAT, "lines", RIFT_NO_OFFSET, "%llu of %llu are no hash and its name",
                     (unsigned long long)bad, (unsigned long long)stats->lines);
}

/* All lines of one table, sorted. */
static bool gather(import *in, rift_name_table table, rift_arena *arena, rift_err *err)
{
    size_t room = 0;
    for (size_t i = 0; i < in->list_count; i++)
        room += in->lists[i].table == table ? count_lines(in->lists[i].text) : 0;
    if (room > UINT32_MAX)
        return rift_fail(err, RIFT_ERR_LIMIT, "lines", RIFT_NO_OFFSET, "%zu at one time", room);
    in->line_count = 0;
    in->lines = RIFT_NEW(arena, line, room);
    if (in->lines == NULL)
        return rift_arena_ok(arena, "lines", err);
    for (size_t i = 0; i < in->list_count; i++) {
        if (in->lists[i].table != table)
            continue;
        take_list(in, (uint32_t)i);
        if (in->lists[i].strict && !is_list(in, i, err))
            return false;
    }
    if (in->line_count > 0)
        qsort(in->lines, in->line_count, sizeof *in->lines, by_rowid);
    return true;
}

/* Sum over all names, so that the order of imports does not matter. */
static uint64_t name_digest(rift_name_table table, uint64_t hash, rift_str name)
{
    const uint64_t seed[2] = {rift_xxh3((rift_bytes){(const uint8_t *)name.data, name.size}),
                              hash + (uint64_t)table};
    return rift_xxh3((rift_bytes){(const uint8_t *)seed, sizeof seed});
}

typedef struct inserter {
    sqlite3 *db;
    sqlite3_stmt *stmt;
    rift_name_table table;
    uint64_t digest; /* what the names added so far change it by */
} inserter;

static bool insert(inserter *in, uint64_t hash, rift_str name, bool *added, rift_err *err)
{
    (void)sqlite3_bind_int64(in->stmt, 1, (int64_t)hash);
    const bool ok = sqlite3_bind_text(in->stmt, 2, name.size > 0 ? name.data : "", (int)name.size,
                                      SQLITE_STATIC) == SQLITE_OK &&
                    sqlite3_step(in->stmt) == SQLITE_DONE;
    if (!ok)
        (void)rift_db_fail(in->db, "insert", err);
    *added = ok && sqlite3_changes(in->db) == 1;
    in->digest += *added ? name_digest(in->table, hash, name) : 0;
    (void)sqlite3_reset(in->stmt);
    return ok;
}

static bool insert_lines(inserter *into, const import *in, rift_err *err)
{
    for (size_t i = 0; i < in->line_count; i++) {
        const line *l = &in->lines[i];
        rift_name_line_stats *stats = &in->lists[l->list].stats;
        bool added;
        if (!insert(into, l->hash, l->name, &added, err))
            return false;
        stats->taken += added;
        stats->duplicate += !added;
    }
    return true;
}

static bool insert_learnt(inserter *into, rift_err *err)
{
    sqlite3_stmt *stmt;
    if (!rift_db_prepare(into->db, "SELECT hash, name FROM learnt WHERE tab=?1 ORDER BY hash", &stmt, err))
        return false;
    (void)sqlite3_bind_int(stmt, 1, (int)into->table);
    bool ok = true;
    int code = SQLITE_ROW;
    while (ok && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        bool added;
        ok = insert(
            into, (uint64_t)sqlite3_column_int64(stmt, 0),
            (rift_str){(const char *)sqlite3_column_text(stmt, 1), (size_t)sqlite3_column_bytes(stmt, 1)},
            &added, err);
    }
    if (ok && code != SQLITE_DONE)
        ok = rift_db_fail(into->db, "read", err);
    (void)sqlite3_finalize(stmt);
    return ok;
}

static bool add_digest(sqlite3 *db, uint64_t more, rift_err *err)
{
    char sql[96];
    int64_t old;
    if (!rift_db_number(db, "SELECT value FROM state WHERE name='digest'", &old, err))
        return false;
    (void)snprintf(sql, sizeof sql, "UPDATE state SET value=%lld WHERE name='digest'",
                   (long long)((uint64_t)old + more));
    return rift_db_exec(db, sql, err);
}

static bool fill_table(sqlite3 *db, import *in, rift_name_table table, rift_err *err)
{
    rift_arena arena;
    inserter into = {.db = db, .table = table};
    rift_arena_init(&arena, SIZE_MAX / 2);
    const bool ok = gather(in, table, &arena, err) &&
                    rift_db_prepare(db, insert_sql[table], &into.stmt, err) && insert_lines(&into, in, err) &&
                    insert_learnt(&into, err);
    (void)sqlite3_finalize(into.stmt);
    rift_arena_release(&arena);
    return ok && add_digest(db, into.digest, err);
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

/* ---- the pack ---- */

static const char *const names_sql[RIFT_NAME_TABLE_COUNT] = {
    [RIFT_NAMES_GAME] = "SELECT hash, name FROM game",
    [RIFT_NAMES_BINENTRIES] = "SELECT hash, name FROM binentries",
    [RIFT_NAMES_BINHASHES] = "SELECT hash, name FROM binhashes",
    [RIFT_NAMES_BINFIELDS] = "SELECT hash, name FROM binfields",
    [RIFT_NAMES_BINTYPES] = "SELECT hash, name FROM bintypes",
};

static int by_hash(const void *a, const void *b)
{
    const rift_pack_name *x = a;
    const rift_pack_name *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

static bool
read_names(sqlite3 *db, rift_name_table table, rift_arena *arena, rift_pack_list *out, rift_err *err)
{
    int64_t count;
    sqlite3_stmt *stmt = NULL;
    if (!rift_db_number(db, count_sql[table], &count, err) ||
        !rift_db_prepare(db, names_sql[table], &stmt, err))
        return false;
    rift_pack_name *names = RIFT_NEW(arena, rift_pack_name, (size_t)count);
    size_t n = 0;
    int code = SQLITE_DONE;
    while (names != NULL && (int64_t)n < count && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        const rift_str name = {(const char *)sqlite3_column_text(stmt, 1),
                               (size_t)sqlite3_column_bytes(stmt, 1)};
        if (name.size > RIFT_PACK_MAX_NAME)
            continue; /* of a former version's import */
        names[n].hash = (uint64_t)sqlite3_column_int64(stmt, 0);
        names[n++].name = rift_arena_copy_str(arena, name);
    }
    const bool ok = code == SQLITE_DONE || code == SQLITE_ROW || rift_db_fail(db, "read", err);
    (void)sqlite3_finalize(stmt);
    if (!ok || !rift_arena_ok(arena, "names", err))
        return false;
    if (n > 0)
        qsort(names, n, sizeof *names, by_hash);
    *out = (rift_pack_list){names, n};
    return true;
}

static bool write_file(const char *path, rift_bytes bytes, rift_err *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ok = fd >= 0;
    for (size_t at = 0; ok && at < bytes.size;) {
        const ssize_t n = write(fd, bytes.data + at, bytes.size - at);
        ok = n > 0 || (n < 0 && errno == EINTR);
        at += n > 0 ? (size_t)n : 0;
    }
    ok = ok && fsync(fd) == 0;
    if (!ok) {
        (void)rift_fail(err, errno == ENOSPC || errno == EDQUOT ? RIFT_ERR_LIMIT : RIFT_ERR_IO, "write",
                        RIFT_NO_OFFSET, "%s is not written", path);
    }
    if (fd >= 0)
        (void)close(fd);
    return ok;
}

/* The pack of the record in `db`, as a file. */
static bool write_pack(sqlite3 *db, const char *path, rift_err *err)
{
    rift_arena arena, tmp;
    rift_pack_list lists[RIFT_NAME_TABLE_COUNT];
    rift_bytes file;
    int64_t digest;
    rift_arena_init(&arena, SIZE_MAX / 2);
    rift_arena_init(&tmp, SIZE_MAX / 2);
    bool ok = rift_db_number(db, "SELECT value FROM state WHERE name='digest'", &digest, err);
    for (int t = 0; ok && t < RIFT_NAME_TABLE_COUNT; t++)
        ok = read_names(db, (rift_name_table)t, &arena, &lists[t], err);
    ok = ok && rift_pack_write(&file, lists, (uint64_t)digest, &arena, &tmp, err) &&
         write_file(path, file, err);
    rift_arena_release(&arena);
    rift_arena_release(&tmp);
    return ok;
}

/* ---- files ---- */

typedef struct paths {
    const char *db;
    char fresh[PATH_SIZE], pack[PATH_SIZE], fresh_pack[PATH_SIZE], lock[PATH_SIZE];
    int lock_fd;
} paths;

/* Whoever writes holds the lock. */
static bool name_paths(paths *p, const char *path, rift_err *err)
{
    rift_err_in(err, rift_str_c(path));
    p->db = path;
    if (snprintf(p->fresh, PATH_SIZE, "%s.new", path) >= PATH_SIZE ||
        snprintf(p->pack, PATH_SIZE, "%s.pack", path) >= PATH_SIZE ||
        snprintf(p->fresh_pack, PATH_SIZE, "%s.pack.new", path) >= PATH_SIZE ||
        snprintf(p->lock, PATH_SIZE, "%s.lock", path) >= PATH_SIZE)
        return rift_fail(err, RIFT_ERR_ARGUMENT, "path", RIFT_NO_OFFSET, "is too long");
    return true;
}

static bool begin_writing(paths *p, const char *path, bool wait, rift_err *err)
{
    if (!name_paths(p, path, err))
        return false;
    p->lock_fd = open(p->lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (p->lock_fd >= 0 && flock(p->lock_fd, wait ? LOCK_EX : LOCK_EX | LOCK_NB) == 0)
        return true;
    char room[128];
    const int code = errno;
    if (p->lock_fd >= 0)
        (void)close(p->lock_fd);
    errno = code;
    return rift_fail(err, RIFT_ERR_IO, "lock", RIFT_NO_OFFSET, "cannot lock %s: %s", p->lock,
                     strerror_r(code, room, sizeof room));
}

static bool put_in_place(const char *from, const char *to, rift_err *err)
{
    return rename(from, to) == 0 ||
           rift_fail(err, RIFT_ERR_IO, "rename", RIFT_NO_OFFSET, "cannot rename %s", from);
}

static void end_writing(const paths *p)
{
    (void)unlink(p->fresh);
    (void)unlink(p->fresh_pack);
    (void)close(p->lock_fd);
}

static bool fill(sqlite3 *db, import *in, rift_err *err)
{
    bool ok = rift_db_exec(db, "BEGIN", err);
    for (int t = 0; ok && t < RIFT_NAME_TABLE_COUNT; t++)
        ok = fill_table(db, in, (rift_name_table)t, err);
    return ok && rift_db_exec(db, "DELETE FROM learnt; COMMIT", err);
}

/* No journal: the file is nobody's before the rename. */
static bool build(const paths *p, import *in, rift_err *err)
{
    sqlite3 *db = NULL;
    const bool ok =
        copy_old(p->db, p->fresh, err) && rift_db_open(&db, p->fresh, RIFT_DB_WRITER, err) &&
        rift_db_exec(db, "PRAGMA journal_mode=DELETE; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;",
                     err) &&
        rift_db_migrate(db, p->fresh, rift_migrations_hashes, rift_migrations_hashes_count, err) &&
        fill(db, in, err) && write_pack(db, p->fresh_pack, err);
    rift_db_close(db);
    return ok && sync_path(p->fresh, err);
}

static bool import_locked(const paths *p, rift_hash_list *lists, size_t count, rift_err *err)
{
import in = {.lists = lists, .list_count = count };
    for (size_t i = 0; i < count; i++)
        lists[i].stats = (rift_name_line_stats){0};
    (void)unlink(p->fresh); /* of an import that did not end */
    return build(p, &in, err) && put_in_place(p->fresh, p->db, err) &&
           put_in_place(p->fresh_pack, p->pack, err);
}

bool rift_hashdb_import(const char *path, rift_hash_list *lists, size_t count, rift_err *err)
{
    paths p;
    if (!begin_writing(&p, path, true, err))
        return false;
    const bool ok = import_locked(&p, lists, count, err);
    end_writing(&p);
    return ok;
}

/* ---- learning ---- */

static bool note(rift_hashdb *known,
                 sqlite3 *db,
                 const rift_named_hash *names,
                 size_t count,
                 uint64_t *added,
                 rift_err *err)
{
    sqlite3_stmt *stmt;
    rift_arena arena;
    rift_arena_init(&arena, SIZE_MAX / 2);
    if (!rift_db_prepare(db, "INSERT OR IGNORE INTO learnt VALUES (?3, ?1, ?2)", &stmt, err))
        return false;
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        rift_str name;
        rift_err unknown;
        rift_err_in(&unknown, (rift_str){0});
        if (names[i].name.size > RIFT_PACK_MAX_NAME ||
            rift_hashdb_lookup(known, names[i].table, names[i].hash, &arena, &name, &unknown))
            continue;
        inserter into = {.db = db, .stmt = stmt, .table = names[i].table};
        bool is_new = false;
        (void)sqlite3_bind_int(stmt, 3, (int)names[i].table);
        ok = insert(&into, names[i].hash, names[i].name, &is_new, err);
        *added += is_new;
    }
    (void)sqlite3_finalize(stmt);
    rift_arena_release(&arena);
    return ok;
}

static bool
learn_locked(const paths *p, const rift_named_hash *names, size_t count, uint64_t *added, rift_err *err)
{
    rift_hashdb known = {0};
    sqlite3 *db = NULL;
    bool ok = rift_hashdb_open(&known, p->db, err) && rift_db_open(&db, p->db, RIFT_DB_EDITOR, err) &&
              rift_db_exec(db, "BEGIN IMMEDIATE", err) && note(&known, db, names, count, added, err);
    rift_hashdb_close(&known); /* its reading would hold up the commit */
    ok = ok && rift_db_exec(db, "COMMIT", err);
    rift_db_close(db);
    return ok;
}

/* A record that is missing, or of a former version, is brought about by an import of nothing. */
static bool ensure_record(const paths *p, rift_err *err)
{
    rift_hashdb h = {0};
    rift_err why;
    rift_err_in(&why, (rift_str){0});
    const bool ok = rift_hashdb_open(&h, p->db, &why);
    rift_hashdb_close(&h);
    return ok || import_locked(p, NULL, 0, err);
}

bool rift_hashdb_learn(
    const char *path, const rift_named_hash *names, size_t count, uint64_t *added, rift_err *err)
{
    paths p;
    *added = 0;
    if (!begin_writing(&p, path, false, err)) {
        if (errno == EWOULDBLOCK)
            rift_err_in(err, rift_str_c(path));
        return err->code == RIFT_OK;
    }
    const bool ok = ensure_record(&p, err) && learn_locked(&p, names, count, added, err);
    end_writing(&p);
    return ok;
}

/* ---- the pack, mapped ---- */

struct rift_hashpack {
    atomic_int refs;
    void *bytes;
    size_t size;
    rift_pack pack;
};

rift_hashpack *rift_hashpack_ref(rift_hashpack *pack)
{
    if (pack != NULL)
        atomic_fetch_add(&pack->refs, 1);
    return pack;
}

void rift_hashpack_unref(rift_hashpack *pack)
{
    if (pack == NULL || atomic_fetch_sub(&pack->refs, 1) > 1)
        return;
    (void)munmap(pack->bytes, pack->size);
    free(pack);
}

rift_names rift_hashpack_names(const rift_hashpack *pack)
{
    return rift_pack_names(&pack->pack);
}

uint64_t rift_hashpack_digest(const rift_hashpack *pack)
{
    return pack->pack.digest;
}

/* Only ever replaced by a rename, never written in place: what is mapped stays as it is. */
static void *map_file(const char *path, size_t *size, rift_err *err)
{
    struct stat st = {0};
    void *bytes = MAP_FAILED;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        *size = (size_t)st.st_size;
        bytes = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, 0);
    }
    if (fd >= 0)
        (void)close(fd);
    if (bytes != MAP_FAILED)
        return bytes;
    (void)rift_fail(err, fd < 0 ? RIFT_ERR_NOT_FOUND : RIFT_ERR_IO, "map", RIFT_NO_OFFSET, "%s is not mapped",
                    path);
    return NULL;
}

static bool map_pack(rift_hashpack **out, const char *path, uint64_t digest, rift_err *err)
{
    rift_err_in(err, rift_str_c(path));
    rift_hashpack *pack = calloc(1, sizeof *pack);
    if (pack == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "pack", RIFT_NO_OFFSET, "out of memory");
    atomic_init(&pack->refs, 1);
    pack->bytes = map_file(path, &pack->size, err);
    if (pack->bytes == NULL) {
        free(pack);
        return false;
    }
    const bool ok = rift_pack_open(&pack->pack, (rift_bytes){pack->bytes, pack->size}, err) &&
                    (pack->pack.digest == digest ||
                     rift_fail(err, RIFT_ERR_FORMAT, "digest", RIFT_NO_OFFSET, "of another record"));
    if (!ok) {
        rift_hashpack_unref(pack);
        return false;
    }
    *out = pack;
    return true;
}

static bool read_digest(const char *path, uint64_t *out, rift_err *err)
{
    rift_hashdb h = {0};
    const bool ok = rift_hashdb_open(&h, path, err) && rift_hashdb_digest(&h, out, err);
    rift_hashdb_close(&h);
    return ok;
}

static bool remake_pack(const paths *p, rift_hashpack **out, rift_err *err)
{
    rift_hashdb h = {0};
    uint64_t digest = 0;
    const bool ok = rift_hashdb_open(&h, p->db, err) && rift_hashdb_digest(&h, &digest, err) &&
                    write_pack(h.db, p->fresh_pack, err) && put_in_place(p->fresh_pack, p->pack, err);
    rift_hashdb_close(&h);
    return ok && map_pack(out, p->pack, digest, err);
}

bool rift_hashpack_open(rift_hashpack **out, const char *path, bool *remade, rift_err *err)
{
    paths p;
    uint64_t digest = 0;
    rift_err why;
    bool again = false;
    rift_err_in(err, rift_str_c(path));
    if (access(path, F_OK) != 0)
        return rift_fail(err, RIFT_ERR_NOT_FOUND, "open", RIFT_NO_OFFSET, "no name tables imported yet");
    if (!begin_writing(&p, path, true, err))
        return false;
    bool ok = ensure_record(&p, err) && read_digest(path, &digest, err);
    if (ok && !map_pack(out, p.pack, digest, &why)) {
        again = true;
        ok = remake_pack(&p, out, err);
    }
    end_writing(&p);
    if (remade != NULL)
        *remade = again;
    return ok;
}
