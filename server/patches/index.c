#include "patches/index.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "embed/embed.h"
#include "patches/index_internal.h"
#include "store/db.h"

static const char part[] = "index";

typedef enum sql_id {
    SQL_ROWS,
    SQL_HEAD,
    SQL_PUT,
    SQL_DROP,
    SQL_ADD_PATCH,
    SQL_VERSION,
    SQL_ADD_ARCHIVE,
    SQL_PATCHES,
    SQL_ARCHIVES,
    SQL_COUNT
} sql_id;

static const char *const sql_texts[SQL_COUNT] = {
    [SQL_ROWS] = "SELECT path, device, inode, size, mtime, digest, length(head), ctime FROM archive",
    [SQL_HEAD] = "SELECT head, size FROM archive WHERE path=?1",
    [SQL_PUT] = "INSERT INTO archive VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (path) DO UPDATE SET"
                " device=?2, inode=?3, size=?4, mtime=?5, digest=?6, head=?7, ctime=?8",
    [SQL_DROP] = "DELETE FROM archive WHERE path=?1",
    [SQL_ADD_PATCH] = "INSERT INTO patch (version, digest, taken, archives, entries, unreadable, unknown,"
                      " took_ms, read_bytes, unsupported) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    [SQL_VERSION] = "UPDATE patch SET version=?2 WHERE id=?1 AND version<>?2",
    [SQL_ADD_ARCHIVE] = "INSERT INTO patch_archive VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [SQL_PATCHES] =
        "SELECT id, version, digest, taken, archives, entries, unreadable, unknown, took_ms,"
        " read_bytes, kept, halted, cancelled FROM patch WHERE ?1=0 OR id<?1 ORDER BY id DESC LIMIT ?2",
    [SQL_ARCHIVES] = "SELECT path, came_from, change, added, removed, changed, renamed FROM patch_archive"
                     " WHERE patch=?1 ORDER BY path",
};

struct rift_index {
    sqlite3 *db;
    uv_mutex_t *lock; /* of writing; may be NULL */
    sqlite3_stmt *stmts[SQL_COUNT];
};

sqlite3 *rift_index_db(rift_index *index)
{
    return index->db;
}

bool rift_index_begin(rift_index *index, rift_err *err)
{
    if (index->lock != NULL)
        uv_mutex_lock(index->lock);
    if (rift_db_exec(index->db, "BEGIN IMMEDIATE", err))
        return true;
    if (index->lock != NULL)
        uv_mutex_unlock(index->lock);
    return false;
}

bool rift_index_end(rift_index *index, bool ok, rift_err *err)
{
    ok = ok && rift_db_exec(index->db, "COMMIT", err);
    if (ok) {
        rift_db_checkpoint(index->db);
    } else {
        (void)sqlite3_exec(index->db, "ROLLBACK", NULL, NULL, NULL);
    }
    if (index->lock != NULL)
        uv_mutex_unlock(index->lock);
    return ok;
}

/* ---- statements ---- */

static sqlite3_stmt *get(rift_index *index, sql_id id, rift_err *err)
{
    if (index->stmts[id] == NULL && !rift_db_prepare(index->db, sql_texts[id], &index->stmts[id], err))
        return NULL;
    return index->stmts[id];
}

static void done(sqlite3_stmt *stmt)
{
    (void)sqlite3_reset(stmt);
    (void)sqlite3_clear_bindings(stmt);
}

/* Ends a statement whose last step gave `code`. */
static bool finish(rift_index *index, sqlite3_stmt *stmt, int code, const char *doing, rift_err *err)
{
    const bool ok = code == SQLITE_DONE || code == SQLITE_ROW || rift_db_fail(index->db, doing, err);
    done(stmt);
    return ok;
}

static bool run(rift_index *index, sqlite3_stmt *stmt, const char *doing, rift_err *err)
{
    return finish(index, stmt, sqlite3_step(stmt), doing, err);
}

static void bind_str(sqlite3_stmt *stmt, int at, rift_str s)
{
    (void)sqlite3_bind_text(stmt, at, s.size > 0 ? s.data : "", (int)s.size, SQLITE_STATIC);
}

static void bind_size(sqlite3_stmt *stmt, int at, uint64_t n)
{
    (void)sqlite3_bind_int64(stmt, at, (int64_t)n);
}

static void bind_bytes(sqlite3_stmt *stmt, int at, rift_bytes b)
{
    (void)sqlite3_bind_blob64(stmt, at, b.size > 0 ? (const void *)b.data : "", b.size, SQLITE_STATIC);
}

/* ---- life ---- */

bool rift_index_open(rift_index **out, const char *path, uv_mutex_t *lock, rift_err *err)
{
    rift_err_in(err, rift_str_c(path));
    rift_index *index = calloc(1, sizeof *index);
    if (index == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, part, RIFT_NO_OFFSET, "out of memory");
    index->lock = lock;
    if (!rift_db_open(&index->db, path, RIFT_DB_WRITER, err) ||
        !rift_db_migrate(index->db, path, rift_migrations_patches, rift_migrations_patches_count, err)) {
        rift_index_close(index);
        return false;
    }
    *out = index;
    return true;
}

void rift_index_close(rift_index *index)
{
    if (index == NULL)
        return;
    for (size_t i = 0; i < SQL_COUNT; i++)
        (void)sqlite3_finalize(index->stmts[i]);
    rift_db_close(index->db);
    free(index);
}

bool rift_index_is_empty(rift_index *index, bool *empty, rift_err *err)
{
    int64_t n = 0;
    if (!rift_db_number(index->db, "SELECT count(*) FROM (SELECT 1 FROM patch LIMIT 1)", &n, err))
        return false;
    *empty = n == 0;
    return true;
}

/* ---- a look ---- */

typedef struct row {
    rift_str path;
    rift_stamp stamp;
    rift_sha256 digest;
    bool is_bad, met;
} row;

typedef struct row_table {
    row *rows;
    size_t count;
    rift_map by_path;
} row_table;

static bool read_rows(row_table *out, rift_index *index, rift_arena *arena, rift_err *err)
{
    int64_t count = 0;
    sqlite3_stmt *stmt = get(index, SQL_ROWS, err);
    if (stmt == NULL || !rift_db_number(index->db, "SELECT count(*) FROM archive", &count, err))
        return false;
    *out = (row_table){.rows = RIFT_NEW(arena, row, (size_t)count)};
    rift_map_init(&out->by_path, arena, (size_t)count);
    int code = SQLITE_DONE;
    while (rift_arena_ok(arena, part, err) && out->count < (size_t)count &&
           (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        row *r = &out->rows[out->count];
        r->path = rift_db_column_str(stmt, 0, arena);
        r->stamp = (rift_stamp){.device = (uint64_t)sqlite3_column_int64(stmt, 1),
                                .inode = (uint64_t)sqlite3_column_int64(stmt, 2),
                                .size = (uint64_t)sqlite3_column_int64(stmt, 3),
                                .mtime_ns = sqlite3_column_int64(stmt, 4),
                                .ctime_ns = sqlite3_column_int64(stmt, 7)};
        (void)rift_db_column_sha(stmt, 5, &r->digest);
        r->is_bad = sqlite3_column_int64(stmt, 6) == 0;
        (void)rift_map_add(&out->by_path,
                           rift_xxh3((rift_bytes){(const uint8_t *)r->path.data, r->path.size}),
                           (uint32_t)out->count++);
    }
    return finish(index, stmt, code, "read the index", err) && rift_arena_ok(arena, part, err);
}

static row *find_row(const row_table *rows, rift_str path)
{
    const uint32_t at =
        rift_map_lookup(&rows->by_path, rift_xxh3((rift_bytes){(const uint8_t *)path.data, path.size}));
    return at != RIFT_MAP_NONE && rift_str_eq(rows->rows[at].path, path) ? &rows->rows[at] : NULL;
}

/* The beginning of an archive, and how long it is in all. */
typedef struct headed {
    rift_bytes head;
    uint64_t size;
} headed;

static bool read_head(headed *out, rift_index *index, rift_str path, rift_arena *arena, rift_err *err)
{
    sqlite3_stmt *stmt = get(index, SQL_HEAD, err);
    if (stmt == NULL)
        return false;
    bind_str(stmt, 1, path);
    const int code = sqlite3_step(stmt);
    *out = (headed){0};
    if (code == SQLITE_ROW) {
        const rift_bytes head = {sqlite3_column_blob(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0)};
        out->head = rift_arena_copy_bytes(arena, head);
        out->size = (uint64_t)sqlite3_column_int64(stmt, 1);
    }
    return finish(index, stmt, code, "read a table", err) && rift_arena_ok(arena, part, err);
}

/* From the archive. That it cannot be read is told in seen->err. */
static bool read_table(rift_survey *look, rift_seen *seen, size_t i, rift_arena *arena, rift_err *err)
{
    const rift_source *source = &look->files->files[i].source;
    uint64_t end = 0;
    rift_err_in(&seen->err, look->files->files[i].path);
    if (!rift_wad_table_end(&end, source, &seen->err))
        return true;
    uint8_t *bytes = rift_arena_push(arena, (size_t)end, 1, 16);
    if (bytes == NULL)
        return rift_arena_ok(arena, part, err);
    if (!rift_source_read(source, 0, bytes, (size_t)end, "table of contents", &seen->err))
        return true;
    seen->head = (rift_bytes){bytes, (size_t)end};
    seen->digest = rift_sha256_of(seen->head);
    look->read_count++;
    look->read_bytes += end;
    return true;
}

/* A file that was cut may have its table still. */
bool rift_seen_is_same(const rift_survey *look, size_t i)
{
    const rift_seen *seen = &look->seen[i];
    return seen->was_there && seen->size_before == look->files->stamps[i].size &&
           memcmp(seen->digest_before.bytes, seen->digest.bytes, sizeof seen->digest.bytes) == 0;
}

static bool
see(rift_survey *look, rift_index *index, const row_table *rows, size_t i, rift_arena *arena, rift_err *err)
{
    const rift_str path = look->files->files[i].path;
    rift_seen *seen = &look->seen[i];
    row *r = find_row(rows, path);
    if (r != NULL) {
        r->met = true;
        seen->was_bad = r->is_bad;
        seen->was_there = true;
        seen->digest_before = r->digest;
        seen->size_before = r->stamp.size;
    }
    if (r != NULL && rift_stamp_eq(&r->stamp, &look->files->stamps[i])) {
        headed old;
        if (!read_head(&old, index, path, arena, err))
            return false;
        seen->head = old.head;
        seen->digest = r->digest;
        seen->known = seen->same = seen->head.size > 0;
    }
    if (!seen->known) {
        if (!read_table(look, seen, i, arena, err))
            return false;
        seen->same = rift_seen_is_same(look, i);
        /* A file that was moved, or whose links and rights changed, keeps its size and time. */
        seen->touched = !seen->same || r == NULL || r->stamp.mtime_ns != look->files->stamps[i].mtime_ns;
    }
    look->changed += !seen->same;
    return true;
}

bool rift_index_survey(
    rift_survey *out, rift_index *index, const rift_gamefiles *files, rift_arena *arena, rift_err *err)
{
    row_table known;
    rift_survey look = {.files = files, .seen = RIFT_NEW(arena, rift_seen, files->count)};
    if (!rift_arena_ok(arena, part, err) || !read_rows(&known, index, arena, err))
        return false;
    for (size_t i = 0; i < files->count; i++) {
        if (!see(&look, index, &known, i, arena, err))
            return false;
    }
    look.gone = RIFT_NEW(arena, rift_str, known.count);
    if (look.gone == NULL)
        return rift_arena_ok(arena, part, err);
    for (size_t i = 0; i < known.count; i++) {
        if (!known.rows[i].met)
            look.gone[look.gone_count++] = known.rows[i].path;
    }
    *out = look;
    return true;
}

/* ---- comparing ---- */

static bool read_head_only(void *user, uint64_t offset, void *dst, size_t len, rift_err *err)
{
    const headed *h = user;
    if (offset > h->head.size || len > h->head.size - offset)
        return rift_fail(err, RIFT_ERR_TRUNCATED, part, offset, "only the table is known");
    if (len > 0)
        memcpy(dst, h->head.data + offset, len);
    return true;
}

/* A table from its bytes; archives that never were readable have none. */
static bool
add_table(rift_wad_table *tables, size_t *count, rift_str path, headed from, rift_arena *arena, rift_err *err)
{
    rift_wad *wad = RIFT_NEW(arena, rift_wad, 1);
    headed *kept = RIFT_NEW(arena, headed, 1);
    rift_err why;
    rift_err_in(&why, path);
    if (wad == NULL || kept == NULL)
        return rift_arena_ok(arena, part, err);
    *kept = from;
    const rift_source source = {.user = kept, .size = from.size, .read_at = read_head_only};
    if (from.head.size > 0 && rift_wad_open(wad, source, path, arena, NULL, &why))
        tables[(*count)++] = (rift_wad_table){.path = path, .wad = wad};
    return rift_arena_ok(arena, part, err);
}

static bool add_old(
    rift_wad_table *tables, size_t *count, rift_index *index, rift_str path, rift_arena *arena, rift_err *err)
{
    headed old;
    return read_head(&old, index, path, arena, err) && add_table(tables, count, path, old, arena, err);
}

bool rift_index_compare(
    rift_wad_diff *out, rift_index *index, const rift_survey *look, rift_arena *arena, rift_err *err)
{
    size_t old_count = 0, new_count = 0;
    rift_wad_table *old = RIFT_NEW(arena, rift_wad_table, look->changed + look->gone_count);
    rift_wad_table *new = RIFT_NEW(arena, rift_wad_table, look->changed);
    if (!rift_arena_ok(arena, part, err))
        return false;
    for (size_t i = 0; i < look->files->count; i++) {
        const rift_game_file *file = &look->files->files[i];
        if (look->seen[i].same)
            continue;
        if (!add_old(old, &old_count, index, file->path, arena, err) ||
            !add_table(new, &new_count, file->path, (headed){look->seen[i].head, file->source.size}, arena,
                       err))
            return false;
    }
    for (size_t i = 0; i < look->gone_count; i++) {
        if (!add_old(old, &old_count, index, look->gone[i], arena, err))
            return false;
    }
    return rift_wad_compare(out, old, old_count, new, new_count, arena, err);
}

/* The hidden path is the archive's own, or that of a folder above it. */
static bool hides(rift_str hidden, rift_str archive)
{
    const bool folder = hidden.size == 0 || hidden.data[hidden.size - 1] == '/';
    return hidden.size <= archive.size && (folder || hidden.size == archive.size) &&
           rift_str_eq_nocase(hidden, (rift_str){archive.data, hidden.size});
}

bool rift_index_sees_all(const rift_survey *look, const rift_wad_diff *diff, rift_err *why)
{
    for (size_t i = 0; i < diff->archive_count; i++) {
        const rift_archive_change *a = &diff->archives[i];
        for (size_t h = 0; a->after == NULL && h < look->files->hidden_count; h++) {
            if (!hides(look->files->hidden[h], a->before->path))
                continue;
            rift_err_in(why, a->before->path);
            return rift_fail(why, RIFT_ERR_IO, "archive", RIFT_NO_OFFSET,
                             "is there, or in a folder that is there, and cannot be opened");
        }
    }
    return true;
}

/* ---- taking over ---- */

static bool put_archive(rift_index *index, const rift_survey *look, size_t i, rift_err *err)
{
    sqlite3_stmt *stmt = get(index, SQL_PUT, err);
    if (stmt == NULL)
        return false;
    const rift_stamp *stamp = &look->files->stamps[i];
    bind_str(stmt, 1, look->files->files[i].path);
    bind_size(stmt, 2, stamp->device);
    bind_size(stmt, 3, stamp->inode);
    bind_size(stmt, 4, stamp->size);
    (void)sqlite3_bind_int64(stmt, 5, stamp->mtime_ns);
    (void)sqlite3_bind_int64(stmt, 8, stamp->ctime_ns);
    bind_bytes(stmt, 6, (rift_bytes){look->seen[i].digest.bytes, sizeof look->seen[i].digest.bytes});
    bind_bytes(stmt, 7, look->seen[i].head);
    return run(index, stmt, "write the index", err);
}

static bool put_archives(rift_index *index, const rift_survey *look, rift_err *err)
{
    for (size_t i = 0; i < look->files->count; i++) {
        if (!look->seen[i].known && !put_archive(index, look, i, err))
            return false;
    }
    sqlite3_stmt *drop = get(index, SQL_DROP, err);
    for (size_t i = 0; drop != NULL && i < look->gone_count; i++) {
        bind_str(drop, 1, look->gone[i]);
        if (!run(index, drop, "write the index", err))
            return false;
    }
    return drop != NULL;
}

static bool put_patch(rift_index *index, rift_patch *patch, rift_err *err)
{
    sqlite3_stmt *stmt = get(index, SQL_ADD_PATCH, err);
    if (stmt == NULL)
        return false;
    bind_str(stmt, 1, patch->version);
    bind_bytes(stmt, 2, (rift_bytes){patch->digest.bytes, sizeof patch->digest.bytes});
    (void)sqlite3_bind_int64(stmt, 3, patch->taken_ms);
    bind_size(stmt, 4, patch->archives);
    bind_size(stmt, 5, patch->entries);
    bind_size(stmt, 6, patch->unreadable);
    bind_size(stmt, 7, patch->unknown);
    (void)sqlite3_bind_int64(stmt, 8, patch->took_ms);
    bind_size(stmt, 9, patch->read_bytes);
    bind_str(stmt, 10, patch->unsupported.size > 0 ? patch->unsupported : RIFT_STR("[]"));
    if (!run(index, stmt, "add a patch", err))
        return false;
    patch->id = sqlite3_last_insert_rowid(index->db);
    return true;
}

/* An archive that is there and has no table any more has lost its entries, and is not gone. */
static rift_change change_of(const rift_survey *look, const rift_archive_change *a)
{
    if (a->what != RIFT_CHANGE_REMOVED)
        return a->what;
    for (size_t i = 0; i < look->gone_count; i++) {
        if (rift_str_eq(look->gone[i], a->before->path))
            return RIFT_CHANGE_REMOVED;
    }
    return RIFT_CHANGE_CHANGED;
}

static bool put_change(
    rift_index *index, int64_t patch, const rift_survey *look, const rift_archive_change *a, rift_err *err)
{
    sqlite3_stmt *stmt = get(index, SQL_ADD_ARCHIVE, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, patch);
    bind_str(stmt, 2, a->after != NULL ? a->after->path : a->before->path);
    (void)sqlite3_bind_int(stmt, 3, (int)change_of(look, a));
    if (a->what == RIFT_CHANGE_RENAMED)
        bind_str(stmt, 4, a->before->path);
    bind_size(stmt, 5, a->counts[RIFT_CHANGE_ADDED]);
    bind_size(stmt, 6, a->counts[RIFT_CHANGE_REMOVED]);
    bind_size(stmt, 7, a->counts[RIFT_CHANGE_CHANGED] + a->counts[RIFT_CHANGE_UNSURE]);
    bind_size(stmt, 8, a->counts[RIFT_CHANGE_RENAMED]);
    return run(index, stmt, "add a patch", err);
}

static bool put_all(
    rift_index *index, const rift_survey *look, const rift_wad_diff *diff, rift_patch *patch, rift_err *err)
{
    if (!put_archives(index, look, err) || (patch != NULL && !put_patch(index, patch, err)))
        return false;
    for (size_t i = 0; patch != NULL && i < diff->archive_count; i++) {
        if (!put_change(index, patch->id, look, &diff->archives[i], err))
            return false;
    }
    return true;
}

bool rift_index_take(
    rift_index *index, const rift_survey *look, const rift_wad_diff *diff, rift_patch *patch, rift_err *err)
{
    return rift_index_begin(index, err) && rift_index_end(index, put_all(index, look, diff, patch, err), err);
}

static bool set_version(rift_index *index, int64_t patch, rift_str version, rift_err *err)
{
    sqlite3_stmt *stmt = get(index, SQL_VERSION, err);
    if (stmt == NULL)
        return false;
    (void)sqlite3_bind_int64(stmt, 1, patch);
    bind_str(stmt, 2, version);
    return run(index, stmt, "name a patch", err);
}

bool rift_index_set_version(rift_index *index, int64_t patch, rift_str version, rift_err *err)
{
    return rift_index_begin(index, err) &&
           rift_index_end(index, set_version(index, patch, version, err), err);
}

/* ---- reading ---- */

static rift_patch read_patch(sqlite3_stmt *stmt, rift_arena *arena)
{
    rift_patch p = {.id = sqlite3_column_int64(stmt, 0),
                    .version = rift_db_column_str(stmt, 1, arena),
                    .taken_ms = sqlite3_column_int64(stmt, 3),
                    .archives = (size_t)sqlite3_column_int64(stmt, 4),
                    .entries = (size_t)sqlite3_column_int64(stmt, 5),
                    .unreadable = (size_t)sqlite3_column_int64(stmt, 6),
                    .unknown = (size_t)sqlite3_column_int64(stmt, 7),
                    .took_ms = sqlite3_column_int64(stmt, 8),
                    .read_bytes = (uint64_t)sqlite3_column_int64(stmt, 9),
                    .kept = (size_t)sqlite3_column_int64(stmt, 10),
                    .halted = rift_db_column_str(stmt, 11, arena),
                    .cancelled = sqlite3_column_int(stmt, 12) != 0};
    (void)rift_db_column_sha(stmt, 2, &p.digest);
    return p;
}

bool rift_index_patches(rift_index *index,
                        int64_t before,
                        size_t max,
                        rift_patch **out,
                        size_t *count,
                        rift_arena *arena,
                        rift_err *err)
{
    sqlite3_stmt *stmt = get(index, SQL_PATCHES, err);
    rift_patch *patches = RIFT_NEW(arena, rift_patch, max);
    if (stmt == NULL || patches == NULL)
        return rift_arena_ok(arena, part, err) && stmt != NULL;
    (void)sqlite3_bind_int64(stmt, 1, before);
    bind_size(stmt, 2, max);
    size_t n = 0;
    int code = SQLITE_DONE;
    while (n < max && (code = sqlite3_step(stmt)) == SQLITE_ROW)
        patches[n++] = read_patch(stmt, arena);
    *out = patches;
    *count = n;
    return finish(index, stmt, code, "list patches", err) && rift_arena_ok(arena, part, err);
}

bool rift_index_newest(rift_index *index, bool *found, rift_patch *out, rift_arena *arena, rift_err *err)
{
    rift_patch *patches;
    size_t count = 0;
    if (!rift_index_patches(index, 0, 1, &patches, &count, arena, err))
        return false;
    *found = count > 0;
    if (count > 0)
        *out = patches[0];
    return true;
}

bool rift_index_patch_archives(rift_index *index,
                               int64_t patch,
                               rift_patch_archive **out,
                               size_t *count,
                               rift_arena *arena,
                               rift_err *err)
{
    sqlite3_stmt *stmt = get(index, SQL_ARCHIVES, err);
    rift_patch_archive *list = RIFT_NEW(arena, rift_patch_archive, (size_t)2 * RIFT_GAME_MAX_ARCHIVES);
    if (stmt == NULL || list == NULL)
        return rift_arena_ok(arena, part, err) && stmt != NULL;
    (void)sqlite3_bind_int64(stmt, 1, patch);
    size_t n = 0;
    int code = SQLITE_DONE;
    while (n < (size_t)2 * RIFT_GAME_MAX_ARCHIVES && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        list[n++] = (rift_patch_archive){.path = rift_db_column_str(stmt, 0, arena),
                                         .came_from = rift_db_column_str(stmt, 1, arena),
                                         .change = (rift_change)sqlite3_column_int(stmt, 2),
                                         .added = (size_t)sqlite3_column_int64(stmt, 3),
                                         .removed = (size_t)sqlite3_column_int64(stmt, 4),
                                         .changed = (size_t)sqlite3_column_int64(stmt, 5),
                                         .renamed = (size_t)sqlite3_column_int64(stmt, 6)};
    }
    *out = list;
    *count = n;
    return finish(index, stmt, code, "list archives", err) && rift_arena_ok(arena, part, err);
}
