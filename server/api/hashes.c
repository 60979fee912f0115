/* Name tables over HTTP: counts, one name, and imports. SQLite and files are the pool's business. */
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "http/fields.h"
#include "store/hashes.h"

typedef struct hashes_work {
    api_work work;
    rift_name_table table;
    uint64_t hash;
    /* out */
    rift_hashdb_stats stats;
    rift_str name;
    rift_hash_list list;
    bool ok;
    rift_err err;
} hashes_work;

static hashes_work *new_work(rift_api *api, rift_request *req)
{
    hashes_work *w = RIFT_NEW(&req->arena, hashes_work, 1);
    if (w == NULL) {
        (void)api_has_memory(req);
        return NULL;
    }
    w->work.api = api;
    w->work.req = req;
    rift_err_in(&w->err, (rift_str){0});
    return w;
}

static const char *database_of(const hashes_work *w)
{
    return w->work.api->config.env->hashes_path;
}

static bool table_of(rift_request *req, rift_str word, rift_name_table *out)
{
    const int found = rift_name_table_from_word(word);
    *out = (rift_name_table)(found < 0 ? 0 : found);
    if (found < 0) {
        api_fail(req, 404, "unknown_table",
                 "the tables are game, binentries, binhashes, binfields and bintypes");
    }
    return found >= 0;
}

/* ---- GET /v1/hashes ---- */

static void run_stats(api_work *work)
{
    hashes_work *w = RIFT_OP_OWNER(work, hashes_work, work);
    rift_hashdb db = {0};
    w->ok = rift_hashdb_open(&db, database_of(w), &w->err) && rift_hashdb_stats_read(&db, &w->stats, &w->err);
    rift_hashdb_close(&db);
}

/* The tables are the daemon's own: what is wrong with them is no fault of the game's files. */
static void fail_tables(rift_request *req, const rift_err *err)
{
    if (err->code == RIFT_ERR_UNSUPPORTED || err->code == RIFT_ERR_FORMAT) {
        api_fail(req, 500, "unsupported", "%s: %s", err->where, err->text);
    } else {
        api_fail_err(req, err, NULL, 0);
    }
}

static void done_stats(api_work *work)
{
    const hashes_work *w = RIFT_OP_OWNER(work, hashes_work, work);
    rift_request *req = work->req;
    /* No record yet is a record of nothing. */
    if (!w->ok && w->err.code != RIFT_ERR_NOT_FOUND) {
        fail_tables(req, &w->err);
        return;
    }
    api_json doc;
    rift_json *j = api_json_begin(req, &doc);
    rift_json_key(j, "tables");
    rift_json_object(j);
    for (int t = 0; t < RIFT_NAME_TABLE_COUNT; t++)
        rift_json_put_uint(j, rift_name_table_word((rift_name_table)t), w->stats.names[t]);
    rift_json_object_end(j);
    rift_json_put_uint(j, "learnt", w->stats.learnt);
    rift_json_put_hex(j, "digest", w->stats.digest, 16);
    rift_json_object_end(j);
    api_json_send(req, 200, &doc);
}

void api_hashes_get(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    hashes_work *w = api_accepts(req, "application/json") ? new_work(api, req) : NULL;
    if (w != NULL)
        api_work_start(&w->work, run_stats, done_stats);
}

/* ---- GET /v1/hashes/{table}/{hash} ---- */

static void run_lookup(api_work *work)
{
    hashes_work *w = RIFT_OP_OWNER(work, hashes_work, work);
    rift_hashdb db = {0};
    w->ok = rift_hashdb_open(&db, database_of(w), &w->err) &&
            rift_hashdb_lookup(&db, w->table, w->hash, &work->req->arena, &w->name, &w->err);
    rift_hashdb_close(&db);
}

static void done_lookup(api_work *work)
{
    const hashes_work *w = RIFT_OP_OWNER(work, hashes_work, work);
    rift_request *req = work->req;
    if (!w->ok && w->err.code == RIFT_ERR_NOT_FOUND) {
        api_fail(req, 404, "unknown_hash", "nobody knows a name for this hash");
    } else if (!w->ok) {
        fail_tables(req, &w->err);
    } else {
        api_json doc;
        rift_json *j = api_json_begin(req, &doc);
        rift_json_put_cstr(j, "table", rift_name_table_word(w->table));
        rift_json_put_hex(j, "hash", w->hash, rift_name_table_digits(w->table));
        rift_json_put_str(j, "name", w->name);
        rift_json_object_end(j);
        api_json_send(req, 200, &doc);
    }
}

void api_hash_get(rift_api *api, rift_request *req, rift_str arg)
{
    const char *slash = memchr(arg.data, '/', arg.size);
    const size_t at = (size_t)(slash - arg.data); /* the route has one */
    const rift_str digits = {slash + 1, arg.size - at - 1};
    rift_name_table table;
    uint64_t hash;
    if (!table_of(req, (rift_str){arg.data, at}, &table) || !api_accepts(req, "application/json"))
        return;
    if (!rift_str_hex(digits, &hash) || (rift_name_table_digits(table) == 8 && hash > UINT32_MAX)) {
        api_fail(req, 400, "bad_hash", "a hash of this table has at most %u hexadecimal digits",
                 rift_name_table_digits(table));
        return;
    }
    hashes_work *w = new_work(api, req);
    if (w == NULL)
        return;
    w->table = table;
    w->hash = hash;
    api_work_start(&w->work, run_lookup, done_lookup);
}

/* ---- POST /v1/hashes/{table} ---- */

static void run_import(api_work *work)
{
    hashes_work *w = RIFT_OP_OWNER(work, hashes_work, work);
    w->ok = rift_hashdb_import(database_of(w), &w->list, 1, &w->err);
}

static void done_import(api_work *work)
{
    const hashes_work *w = RIFT_OP_OWNER(work, hashes_work, work);
    const rift_name_line_stats *stats = &w->list.stats;
    work->api->importing = false;
    if (!w->ok && w->err.code == RIFT_ERR_LIMIT) {
        api_fail_full(work->req);
        return;
    }
    if (!w->ok) {
        fail_tables(work->req, &w->err);
        return;
    }
    api_json doc;
    rift_json *j = api_json_begin(work->req, &doc);
    rift_json_put_cstr(j, "table", rift_name_table_word(w->list.table));
    rift_json_put_uint(j, "lines", stats->lines);
    rift_json_put_uint(j, "new", stats->taken);
    rift_json_put_uint(j, "known", stats->duplicate);
    rift_json_put_uint(j, "blank", stats->blank);
    rift_json_put_uint(j, "malformed", stats->malformed);
    rift_json_put_uint(j, "mismatched", stats->mismatched);
    rift_json_object_end(j);
    api_json_send(work->req, 200, &doc);
}

void api_hashes_post(rift_api *api, rift_request *req, rift_str word)
{
    rift_name_table table;
    if (!table_of(req, word, &table) || !api_accepts(req, "application/json"))
        return;
    if (!rift_is_type(rift_request_header(req, "Content-Type"), RIFT_STR("text/plain"))) {
        api_fail(req, 415, "unsupported_media_type", "a list is text/plain, \"<hash> <name>\" a line");
        return;
    }
    if (api->importing) {
        api_busy(req, "another import runs", 5);
        return;
    }
    hashes_work *w = api_has_room(api, req) ? new_work(api, req) : NULL;
    if (w == NULL)
        return;
    w->list = (rift_hash_list){.table = table, .text = req->body};
    api->importing = true;
    api_work_start(&w->work, run_import, done_import);
}
