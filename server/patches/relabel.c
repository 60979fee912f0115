#include "patches/relabel.h"

#include <string.h>

#include "bake/bake.h"
#include "base/str.h"
#include "body/body.h"
#include "jobs/jobs.h"
#include "jobs/name_uses.h"

enum { PAGE = 64, MAX_STALE = 1000000 };

static const char part[] = "relabel";

typedef struct run {
    rift_relabel *r;
    rift_store *store;
    rift_arena *arena; /* results */
    rift_arena tmp;    /* one page */
    rift_map met;      /* first 8 bytes of a new key -> stale index, or KEPT */
    rift_sha256 source;
    rift_names tables;
    size_t capacity;
} run;

enum { KEPT = 0x7fffffff };

const char *rift_stale_word(rift_stale_reason reason)
{
    static const char *const words[] = {"files", "converter", "names", "never"};
    return (unsigned)reason < RIFT_COUNT(words) ? words[reason] : "unknown";
}

static bool same_sha(const rift_sha256 *a, const rift_sha256 *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static uint64_t short_key(const rift_sha256 *key)
{
    uint64_t n = 0;
    for (size_t i = 0; i < 8; i++)
        n = n << 8 | key->bytes[i];
    return n;
}

/* The fingerprint covers the converter's version, the options and the uses, which are as they were noted. */
static bool converter_is_same(run *u, const rift_record *record)
{
    rift_options options;
    rift_sha256 fingerprint;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    const rift_asset_log uses = {.uses = record->uses, .count = record->use_count};
    const rift_str skin =
        rift_arena_printf(&u->tmp, "%.*s/%u", RIFT_STR_ARG(record->spec.alias), record->spec.number);
    return rift_options_parse(&options, record->spec.options, &u->tmp, &err) &&
           rift_fingerprint(&fingerprint, skin, &options, &uses, &u->tmp, &err) &&
           same_sha(&fingerprint, &record->fingerprint);
}

static bool add_stale(run *u, const rift_stale *stale, rift_err *err)
{
    rift_relabel *r = u->r;
    if (r->stale_count == MAX_STALE)
        return rift_fail(err, RIFT_ERR_LIMIT, part, RIFT_NO_OFFSET, "over %d stale skins", MAX_STALE);
    if (r->stale_count == u->capacity) {
        const size_t wider = u->capacity > 0 ? 2 * u->capacity : 64;
        r->stale =
            rift_arena_grow(u->arena, r->stale, u->capacity * sizeof *r->stale, wider * sizeof *r->stale);
        u->capacity = wider;
    }
    if (r->stale == NULL)
        return rift_arena_ok(u->arena, part, err);
    rift_stale *s = &r->stale[r->stale_count];
    *s = *stale;
    s->spec.alias = rift_arena_copy_str(u->arena, stale->spec.alias);
    s->spec.options = rift_arena_copy_str(u->arena, stale->spec.options);
    (void)rift_map_add(&u->met, short_key(&s->spec.key), (uint32_t)r->stale_count++);
    return rift_arena_ok(u->arena, part, err);
}

typedef struct check {
    size_t changed, appeared, vanished;
    uint64_t example;
} check;

/* Those of its files, or of its names, that are not as they were. */
static check check_uses(run *u, const rift_record *record, bool names)
{
    check c = {0};
    const rift_names *tables = u->r->names != NULL ? &u->tables : NULL;
    for (size_t i = 0; i < record->use_count; i++) {
        const rift_asset_use *then = &record->uses[i];
        if (rift_is_name_use(then) != names)
            continue;
        const rift_asset_use now =
            names ? rift_name_use(then, tables, &u->tmp) : rift_game_use(u->r->game, then->path_hash);
        if (rift_asset_use_holds(then, &now))
            continue;
        if (c.changed++ == 0)
            c.example = then->path_hash;
        c.appeared += !then->found;
        c.vanished += !now.found;
    }
    return c;
}

static rift_features places_of(const run *u, const rift_asset_use *use)
{
    return rift_is_name_use(use) ? 0 : rift_features_of_place(u->r->game, use->path_hash);
}

/* What is wrong with a record under the game of now. */
static rift_stale judge(run *u, const rift_record *record, const rift_sha256 *key)
{
    rift_stale s = {.spec = record->spec,
                    .before = record->sha256,
                    .last_used = record->last_used,
                    .pinned = record->pinned,
                    .features = record->features,
                    .holds = false};
    s.spec.key = *key;
    for (size_t i = 0; i < record->use_count; i++)
        s.features |= places_of(u, &record->uses[i]);
    const check files = check_uses(u, record, false);
    const check names = check_uses(u, record, true);
    s.gone = !rift_game_has(u->r->game, rift_skin_bin_hash(record->spec.alias, record->spec.number));
    s.reason = files.changed > 0               ? RIFT_STALE_FILES
               : !converter_is_same(u, record) ? RIFT_STALE_CONVERTER
                                               : RIFT_STALE_NAMES;
    const check *which = s.reason == RIFT_STALE_NAMES ? &names : &files;
    s.changed = which->changed;
    s.appeared = which->appeared;
    s.vanished = which->vanished;
    s.example = which->example;
    s.holds = s.reason == RIFT_STALE_NAMES && names.changed == 0;
    return s;
}

static bool keep(run *u, const rift_record *record, const rift_sha256 *key, uint32_t known, rift_err *err)
{
    bool taken;
    if (!rift_store_relabel(u->store, record->artifact, key, &u->source, &taken, err))
        return false;
    u->r->kept += taken;
    if (known != RIFT_MAP_NONE) {
        u->r->stale[known].holds = true;
    } else {
        (void)rift_map_add(&u->met, short_key(key), KEPT);
    }
    return rift_arena_ok(u->arena, part, err);
}

static bool take(run *u, const rift_record *record, rift_err *err)
{
    const rift_relabel *r = u->r;
    const rift_sha256 key = rift_jobs_key(&r->digest, rift_jobs_digest_of(r->names), record->spec.alias,
                                          record->spec.number, record->spec.options, &u->tmp);
    const uint32_t known = rift_map_lookup(&u->met, short_key(&key));
    if (known == KEPT || (known != RIFT_MAP_NONE && r->stale[known].holds))
        return true;
    const rift_stale s = judge(u, record, &key);
    if (!rift_arena_ok(&u->tmp, part, err))
        return false;
    if (s.holds)
        return keep(u, record, &key, known, err);
    if (known != RIFT_MAP_NONE)
        return true; /* of several stale ones the newest counts */
    rift_found found;
    if (!rift_store_find(u->store, &key, r->now_ms, &found, &u->tmp, err))
        return false;
    if (found.kind == RIFT_FOUND_ARTIFACT) {
        (void)rift_map_add(&u->met, short_key(&key), KEPT); /* made already */
        return rift_arena_ok(u->arena, part, err);
    }
    return add_stale(u, &s, err);
}

static bool run_pages(run *u, rift_err *err)
{
    int64_t before = 0;
    for (size_t count = PAGE; count == PAGE;) {
        const rift_arena_mark mark = rift_arena_get_mark(&u->tmp);
        rift_record *records;
        count = 0;
        if (!rift_store_records(u->store, &u->source, before, PAGE, &records, &count, &u->tmp, err))
            return false;
        for (size_t i = 0; i < count; i++) {
            if (!take(u, &records[i], err))
                return false;
            before = records[i].artifact;
        }
        rift_arena_rewind(&u->tmp, mark);
    }
    return true;
}

static void drop_held(rift_relabel *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->stale_count; i++) {
        if (!r->stale[i].holds)
            r->stale[kept++] = r->stale[i];
    }
    r->stale_count = kept;
}

bool rift_relabel_run(rift_relabel *r, rift_store *store, rift_arena *arena, rift_err *err)
{
    run u = {.r = r, .store = store, .arena = arena};
    r->stale = NULL;
    r->stale_count = r->kept = 0;
    u.source = rift_jobs_source(&r->digest, rift_jobs_digest_of(r->names));
    if (r->names != NULL)
        u.tables = rift_hashpack_names(r->names);
    rift_map_init(&u.met, arena, 0);
    if (!rift_arena_ok(arena, part, err))
        return false;
    rift_arena_init(&u.tmp, SIZE_MAX / 2);
    const bool ok = run_pages(&u, err);
    rift_arena_release(&u.tmp);
    drop_held(r);
    return ok;
}
