#include "patches/index_skins.h"

#include <sqlite3.h>
#include <string.h>

#include "base/str.h"
#include "patches/canaries.h"
#include "patches/index_internal.h"
#include "store/db.h"

static const char part[] = "index";

/* When it was last tried for an older patch. */
#define FAILED_BEFORE                                                                                    \
    "coalesce((SELECT o.state=2 FROM patch_skin o WHERE o.alias=s.alias AND o.number=s.number"           \
    " AND o.options=s.options AND o.patch<s.patch AND o.state IN (1, 2) ORDER BY o.patch DESC LIMIT 1)," \
    " 0)"
#define SKIN_COLUMNS                                                                                     \
    "alias, number, options, skin, reason, changed, example, canary, state, before, after, job, error, " \
    "warnings, bytes, took_ms, ended, " FAILED_BEFORE ", unsupported, appeared, vanished"

const char *rift_skin_end_word(rift_skin_end end)
{
    static const char *const words[] = {"waiting", "made", "failed", "gone", "given_up"};
    return (unsigned)end < RIFT_COUNT(words) ? words[end] : "unknown";
}

/* ---- statements: few and seldom, so they are not kept ---- */

static bool run(rift_index *index, sqlite3_stmt *stmt, const char *doing, rift_err *err)
{
    const bool ok = sqlite3_step(stmt) == SQLITE_DONE || rift_db_fail(rift_index_db(index), doing, err);
    (void)sqlite3_reset(stmt);
    return ok;
}

static bool end_list(rift_index *index, sqlite3_stmt *stmt, int code, rift_err *err)
{
    const bool ok =
        code == SQLITE_DONE || code == SQLITE_ROW || rift_db_fail(rift_index_db(index), "list skins", err);
    (void)sqlite3_finalize(stmt);
    return ok;
}

static void bind_str(sqlite3_stmt *stmt, int at, rift_str s)
{
    (void)sqlite3_bind_text(stmt, at, s.size > 0 ? s.data : "", (int)s.size, SQLITE_STATIC);
}

static void bind_name(sqlite3_stmt *stmt, int64_t patch, const rift_job_spec *spec)
{
    (void)sqlite3_bind_int64(stmt, 1, patch);
    bind_str(stmt, 2, spec->alias);
    (void)sqlite3_bind_int64(stmt, 3, spec->number);
    bind_str(stmt, 4, spec->options);
}

/* ---- what is stale ---- */

static bool add_skin(
    rift_index *index, sqlite3_stmt *stmt, int64_t patch, const rift_stale *s, int64_t now_ms, rift_err *err)
{
    bind_name(stmt, patch, &s->spec);
    (void)sqlite3_bind_int64(stmt, 5, s->spec.skin);
    (void)sqlite3_bind_int(stmt, 6, (int)s->reason);
    (void)sqlite3_bind_int64(stmt, 7, (int64_t)s->changed);
    (void)sqlite3_bind_int64(stmt, 8, (int64_t)s->example);
    (void)sqlite3_bind_int(stmt, 9, 2 * (int)s->reason + !s->pinned);
    (void)sqlite3_bind_int64(stmt, 10, s->last_used);
    (void)sqlite3_bind_int(stmt, 11, s->gone ? RIFT_SWEEP_GONE : RIFT_SWEEP_WAITING);
    (void)sqlite3_bind_blob(stmt, 12, s->before.bytes, sizeof s->before.bytes, SQLITE_STATIC);
    if (s->gone) {
        (void)sqlite3_bind_int64(stmt, 13, now_ms);
    } else {
        (void)sqlite3_bind_null(stmt, 13);
    }
    (void)sqlite3_bind_int(stmt, 14, s->canary);
    (void)sqlite3_bind_int64(stmt, 15, (int64_t)s->appeared);
    (void)sqlite3_bind_int64(stmt, 16, (int64_t)s->vanished);
    return run(index, stmt, "note a stale skin", err);
}

static bool has_canaries(rift_index *index, int64_t patch, bool *any, rift_err *err)
{
    sqlite3_stmt *stmt = NULL;
    if (!rift_db_prepare(rift_index_db(index), "SELECT 1 FROM patch_skin WHERE patch=?1 AND canary=1 LIMIT 1",
                         &stmt, err))
        return false;
    (void)sqlite3_bind_int64(stmt, 1, patch);
    const int code = sqlite3_step(stmt);
    *any = code == SQLITE_ROW;
    return end_list(index, stmt, code, err);
}

static bool add_all(rift_index *index, int64_t patch, const rift_relabel *found, rift_err *err)
{
    sqlite3 *db = rift_index_db(index);
    sqlite3_stmt *add = NULL, *old = NULL, *kept = NULL;
    bool ok = rift_db_prepare(
                  db,
                  "INSERT INTO patch_skin (patch, alias, number, options, skin, reason, changed,"
                  " example, rank, last_used, state, before, ended, canary, appeared, vanished)"
                  " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14,"
                  " ?15, ?16)"
                  " ON CONFLICT DO UPDATE SET reason=?6, changed=?7, example=?8, rank=?9, "
                  "last_used=?10, state=?11, before=?12, after=NULL, ended=?13, appeared=?15, vanished=?16,"
                  " unsupported=0, variants='[]'"
                  " WHERE state=1 AND after=?12",
                  &add, err) &&
              rift_db_prepare(db, "UPDATE patch_skin SET state=4 WHERE patch<?1 AND state=0", &old, err) &&
              rift_db_prepare(db, "UPDATE patch SET kept=kept+?2 WHERE id=?1", &kept, err);
    for (size_t i = 0; ok && i < found->stale_count; i++)
        ok = add_skin(index, add, patch, &found->stale[i], found->now_ms, err);
    if (ok) {
        (void)sqlite3_bind_int64(old, 1, patch);
        (void)sqlite3_bind_int64(kept, 1, patch);
        (void)sqlite3_bind_int64(kept, 2, (int64_t)found->kept);
        ok = run(index, old, "give up", err) && run(index, kept, "note what holds", err);
    }
    (void)sqlite3_finalize(add);
    (void)sqlite3_finalize(old);
    (void)sqlite3_finalize(kept);
    return ok;
}

bool rift_index_add_skins(
    rift_index *index, int64_t patch, rift_relabel *found, size_t canaries, rift_arena *arena, rift_err *err)
{
    bool any = false;
    if (!has_canaries(index, patch, &any, err) ||
        (!any && !rift_canaries_choose(found->stale, found->stale_count, canaries, arena, err)))
        return false;
    return rift_index_begin(index, err) && rift_index_end(index, add_all(index, patch, found, err), err);
}

/* ---- one by one ---- */

static rift_patch_skin read_skin(sqlite3_stmt *stmt, rift_arena *arena)
{
    rift_patch_skin s = {.reason = (rift_stale_reason)sqlite3_column_int(stmt, 4),
                         .changed = (size_t)sqlite3_column_int64(stmt, 5),
                         .example = (uint64_t)sqlite3_column_int64(stmt, 6),
                         .canary = sqlite3_column_int(stmt, 7) != 0,
                         .state = (rift_skin_end)sqlite3_column_int(stmt, 8),
                         .job = sqlite3_column_int64(stmt, 11),
                         .error = rift_db_column_str(stmt, 12, arena),
                         .warnings = rift_db_column_str(stmt, 13, arena),
                         .bytes = (uint64_t)sqlite3_column_int64(stmt, 14),
                         .took_ms = sqlite3_column_int64(stmt, 15),
                         .ended_ms = sqlite3_column_int64(stmt, 16),
                         .failed_before = sqlite3_column_int(stmt, 17) != 0,
                         .unsupported = (uint64_t)sqlite3_column_int64(stmt, 18),
                         .appeared = (size_t)sqlite3_column_int64(stmt, 19),
                         .vanished = (size_t)sqlite3_column_int64(stmt, 20)};
    s.spec = (rift_job_spec){.skin = (uint32_t)sqlite3_column_int64(stmt, 3),
                             .alias = rift_db_column_str(stmt, 0, arena),
                             .number = (uint32_t)sqlite3_column_int64(stmt, 1),
                             .options = rift_db_column_str(stmt, 2, arena)};
    (void)rift_db_column_sha(stmt, 9, &s.before);
    s.has_after = rift_db_column_sha(stmt, 10, &s.after);
    return s;
}

/* The one row that there may be; ends the statement. */
static bool take_skin(rift_index *index,
                      sqlite3_stmt *stmt,
                      bool *found,
                      rift_patch_skin *out,
                      rift_arena *arena,
                      rift_err *err)
{
    const int code = sqlite3_step(stmt);
    *found = code == SQLITE_ROW;
    if (*found)
        *out = read_skin(stmt, arena);
    return end_list(index, stmt, code, err) && rift_arena_ok(arena, part, err);
}

bool rift_index_next_skin(
    rift_index *index, int64_t patch, bool *found, rift_patch_skin *out, rift_arena *arena, rift_err *err)
{
    sqlite3_stmt *stmt = NULL;
    *found = false;
    if (!rift_db_prepare(rift_index_db(index),
                         "SELECT " SKIN_COLUMNS " FROM patch_skin s WHERE patch=?1 AND state=0"
                         " ORDER BY canary DESC, rank, last_used DESC LIMIT 1",
                         &stmt, err))
        return false;
    (void)sqlite3_bind_int64(stmt, 1, patch);
    return take_skin(index, stmt, found, out, arena, err);
}

bool rift_index_find_skin(rift_index *index,
                          int64_t patch,
                          const rift_job_spec *spec,
                          bool *found,
                          rift_patch_skin *out,
                          rift_arena *arena,
                          rift_err *err)
{
    sqlite3_stmt *stmt = NULL;
    *found = false;
    if (!rift_db_prepare(rift_index_db(index),
                         "SELECT " SKIN_COLUMNS
                         " FROM patch_skin s WHERE patch=?1 AND alias=?2 AND number=?3 AND options=?4",
                         &stmt, err))
        return false;
    bind_name(stmt, patch, spec);
    return take_skin(index, stmt, found, out, arena, err);
}

static void bind_variants(sqlite3_stmt *stmt, int at, const rift_patch_skin *s)
{
    bind_str(stmt, at, s->variants.size > 0 ? s->variants : RIFT_STR("[]"));
}

static bool end_skin(rift_index *index, int64_t patch, const rift_patch_skin *s, rift_err *err)
{
    sqlite3_stmt *stmt = NULL;
    if (!rift_db_prepare(rift_index_db(index),
                         "UPDATE patch_skin SET state=?5, after=?6, job=?7, error=?8, warnings=?9, bytes=?10,"
                         " took_ms=?11, ended=?12, unsupported=?13, variants=?14"
                         " WHERE patch=?1 AND alias=?2 AND number=?3 AND options=?4 AND state IN (0, 2, 4)",
                         &stmt, err))
        return false;
    bind_name(stmt, patch, &s->spec);
    (void)sqlite3_bind_int(stmt, 5, (int)s->state);
    if (s->has_after) {
        (void)sqlite3_bind_blob(stmt, 6, s->after.bytes, sizeof s->after.bytes, SQLITE_STATIC);
    } else {
        (void)sqlite3_bind_null(stmt, 6);
    }
    (void)sqlite3_bind_int64(stmt, 7, s->job);
    bind_str(stmt, 8, s->error);
    bind_str(stmt, 9, s->warnings);
    (void)sqlite3_bind_int64(stmt, 10, (int64_t)s->bytes);
    (void)sqlite3_bind_int64(stmt, 11, s->took_ms);
    (void)sqlite3_bind_int64(stmt, 12, s->ended_ms);
    (void)sqlite3_bind_int64(stmt, 13, (int64_t)s->unsupported);
    bind_variants(stmt, 14, s);
    const bool ok = run(index, stmt, "end a skin", err);
    (void)sqlite3_finalize(stmt);
    return ok;
}

bool rift_index_end_skin(rift_index *index, int64_t patch, const rift_patch_skin *skin, rift_err *err)
{
    return rift_index_begin(index, err) && rift_index_end(index, end_skin(index, patch, skin, err), err);
}

static bool add_failed(rift_index *index, int64_t patch, const rift_patch_skin *s, rift_err *err)
{
    sqlite3_stmt *stmt = NULL;
    if (!rift_db_prepare(
            rift_index_db(index),
            "INSERT OR REPLACE INTO patch_skin (patch, alias, number, options, skin, reason, changed,"
            " example, rank, last_used, state, before, job, error, took_ms, ended, variants)"
            " VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0, ?7, 0, ?8, zeroblob(32), ?9, ?10, ?11, ?12, ?13)",
            &stmt, err))
        return false;
    bind_name(stmt, patch, &s->spec);
    (void)sqlite3_bind_int64(stmt, 5, s->spec.skin);
    (void)sqlite3_bind_int(stmt, 6, RIFT_STALE_NEVER);
    (void)sqlite3_bind_int(stmt, 7, 2 * RIFT_STALE_NEVER + 1);
    (void)sqlite3_bind_int(stmt, 8, RIFT_SWEEP_FAILED);
    (void)sqlite3_bind_int64(stmt, 9, s->job);
    bind_str(stmt, 10, s->error);
    (void)sqlite3_bind_int64(stmt, 11, s->took_ms);
    (void)sqlite3_bind_int64(stmt, 12, s->ended_ms);
    bind_variants(stmt, 13, s);
    const bool ok = run(index, stmt, "note a skin that failed", err);
    (void)sqlite3_finalize(stmt);
    return ok;
}

bool rift_index_add_failed(rift_index *index, int64_t patch, const rift_patch_skin *skin, rift_err *err)
{
    return rift_index_begin(index, err) && rift_index_end(index, add_failed(index, patch, skin, err), err);
}

static bool
update(rift_index *index, const char *sql, int64_t patch, rift_str text, int64_t *count, rift_err *err)
{
    sqlite3_stmt *stmt = NULL;
    if (!rift_db_prepare(rift_index_db(index), sql, &stmt, err))
        return false;
    (void)sqlite3_bind_int64(stmt, 1, patch);
    if (text.size > 0)
        bind_str(stmt, 2, text);
    const bool ok = run(index, stmt, "note", err);
    if (count != NULL)
        *count = sqlite3_changes(rift_index_db(index));
    (void)sqlite3_finalize(stmt);
    return ok;
}

static bool give_up(rift_index *index, int64_t patch, int64_t *count, rift_err *err)
{
    return update(index, "UPDATE patch SET cancelled=1 WHERE id=?1", patch, (rift_str){0}, NULL, err) &&
           update(index, "UPDATE patch_skin SET state=4 WHERE patch=?1 AND state=0", patch, (rift_str){0},
                  count, err);
}

bool rift_index_give_up(rift_index *index, int64_t patch, int64_t *count, rift_err *err)
{
    return rift_index_begin(index, err) && rift_index_end(index, give_up(index, patch, count, err), err);
}

bool rift_index_halt(rift_index *index, int64_t patch, rift_str why, rift_err *err)
{
    return rift_index_begin(index, err) &&
           rift_index_end(
               index, update(index, "UPDATE patch SET halted=?2 WHERE id=?1", patch, why, NULL, err), err);
}

static bool resume(rift_index *index, int64_t patch, rift_err *err)
{
    return update(index, "UPDATE patch SET halted=NULL, cancelled=0 WHERE id=?1", patch, (rift_str){0}, NULL,
                  err) &&
           update(index, "UPDATE patch_skin SET canary=0 WHERE patch=?1 AND state=0", patch, (rift_str){0},
                  NULL, err);
}

bool rift_index_resume(rift_index *index, int64_t patch, rift_err *err)
{
    return rift_index_begin(index, err) && rift_index_end(index, resume(index, patch, err), err);
}

/* ---- reports ---- */

bool rift_index_skins(rift_index *index,
                      int64_t patch,
                      bool troubled,
                      size_t offset,
                      size_t max,
                      rift_patch_skin **out,
                      size_t *count,
                      rift_arena *arena,
                      rift_err *err)
{
    sqlite3_stmt *stmt = NULL;
    rift_patch_skin *skins = RIFT_NEW(arena, rift_patch_skin, max);
    if (!rift_arena_ok(arena, part, err) ||
        !rift_db_prepare(
            rift_index_db(index),
            "SELECT " SKIN_COLUMNS
            " FROM patch_skin s WHERE patch=?1 AND (NOT ?4 OR state=?5 OR coalesce(warnings, '')<>'')"
            " ORDER BY alias, number, options LIMIT ?2 OFFSET ?3",
            &stmt, err))
        return false;
    (void)sqlite3_bind_int64(stmt, 1, patch);
    (void)sqlite3_bind_int64(stmt, 2, (int64_t)max);
    (void)sqlite3_bind_int64(stmt, 3, (int64_t)offset);
    (void)sqlite3_bind_int(stmt, 4, troubled);
    (void)sqlite3_bind_int(stmt, 5, RIFT_SWEEP_FAILED);
    size_t n = 0;
    int code = SQLITE_DONE;
    while (n < max && (code = sqlite3_step(stmt)) == SQLITE_ROW)
        skins[n++] = read_skin(stmt, arena);
    *out = skins;
    *count = n;
    return end_list(index, stmt, code, err) && rift_arena_ok(arena, part, err);
}

bool rift_index_count_skins(rift_index *index, int64_t patch, rift_sweep_counts *out, rift_err *err)
{
    sqlite3_stmt *stmt = NULL;
    *out = (rift_sweep_counts){0};
    if (!rift_db_prepare(
            rift_index_db(index),
            "SELECT state, count(*), sum(coalesce(warnings, '')<>''), sum(canary AND state=0), sum(bytes),"
            " sum(took_ms), max(coalesce(ended, 0)), sum(unsupported>0 OR instr(coalesce(error,"
            " ''), '\"code\":\"unsupported\"')>0), sum(state=2 AND NOT " FAILED_BEFORE ")"
            " FROM patch_skin s WHERE patch=?1 GROUP BY state",
            &stmt, err))
        return false;
    (void)sqlite3_bind_int64(stmt, 1, patch);
    int code;
    while ((code = sqlite3_step(stmt)) == SQLITE_ROW) {
        const int state = sqlite3_column_int(stmt, 0);
        const int64_t last = sqlite3_column_int64(stmt, 6);
        if (state >= 0 && state < RIFT_SWEEP_COUNT)
            out->skins[state] = (size_t)sqlite3_column_int64(stmt, 1);
        out->warning += (size_t)sqlite3_column_int64(stmt, 2);
        out->canaries_waiting += (size_t)sqlite3_column_int64(stmt, 3);
        out->bytes += (uint64_t)sqlite3_column_int64(stmt, 4);
        out->took_ms += sqlite3_column_int64(stmt, 5);
        out->unsupported += (size_t)sqlite3_column_int64(stmt, 7);
        out->newly_failing += (size_t)sqlite3_column_int64(stmt, 8);
        if (last > out->last_ms)
            out->last_ms = last;
    }
    return end_list(index, stmt, code, err);
}

bool rift_index_variants(rift_index *index,
                         int64_t patch,
                         size_t max,
                         rift_patch_variant **out,
                         size_t *count,
                         rift_arena *arena,
                         rift_err *err)
{
    sqlite3_stmt *stmt = NULL;
    rift_patch_variant *list = RIFT_NEW(arena, rift_patch_variant, max);
    if (list == NULL ||
        !rift_db_prepare(
            rift_index_db(index),
            "WITH met AS ("
            "SELECT v.value AS v, 1 AS is_archive FROM patch p, json_each(p.unsupported) v WHERE p.id=?1"
            " UNION ALL "
            "SELECT v.value, 0 FROM patch_skin s, json_each(s.variants) v WHERE s.patch=?1)"
            " SELECT json_extract(v, '$.format') AS f, json_extract(v, '$.what') AS w,"
            " sum(is_archive * json_extract(v, '$.count')), sum(NOT is_archive),"
            " sum((NOT is_archive) * json_extract(v, '$.count')) FROM met"
            " GROUP BY f, w ORDER BY count(*) DESC, f, w LIMIT ?2",
            &stmt, err))
        return rift_arena_ok(arena, part, err) && stmt != NULL;
    (void)sqlite3_bind_int64(stmt, 1, patch);
    (void)sqlite3_bind_int64(stmt, 2, (int64_t)max);
    size_t n = 0;
    int code = SQLITE_DONE;
    while (n < max && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
        list[n++] = (rift_patch_variant){.format = rift_db_column_str(stmt, 0, arena),
                                         .what = rift_db_column_str(stmt, 1, arena),
                                         .archives = (size_t)sqlite3_column_int64(stmt, 2),
                                         .skins = (size_t)sqlite3_column_int64(stmt, 3),
                                         .files = (uint64_t)sqlite3_column_int64(stmt, 4)};
    }
    *out = list;
    *count = n;
    return end_list(index, stmt, code, err) && rift_arena_ok(arena, part, err);
}
