/* GET /v1/skins/{id}: computed from the game's files on the pool, once however many ask, and kept for a while; the state of the
 * skin is added for each request. */
#include <stdlib.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "config/limits.h"
#include "store/hashes.h"

enum { CACHE_SIZE = 64, MAX_RUNNING = 2, CACHE_BYTES = 64 * 1024 * 1024 };

typedef struct waiting {
    struct waiting *next;
    rift_request *req;
} waiting;

typedef enum entry_state { ENTRY_QUEUED, ENTRY_RUNNING, ENTRY_READY } entry_state;

typedef struct entry {
    rift_api *api;
    struct entry *next;
    entry_state state;
    rift_job_spec spec; /* alias in arena */
    rift_arena arena;   /* text, alias */
    rift_arena tmp;
    rift_bytes text;
    bool ok;
    rift_err err;
    rift_bake_result
        result; /* here, since a report is too large for a pool thread's stack; its content is in arena */
    uint64_t used;
    waiting *waiting;
    unsigned readers; /* requests that copy from it */
    uv_work_t work;
} entry;

struct api_metadata {
    entry *entries;
    size_t count, bytes;
    unsigned running, queued;
    uint64_t clock;
};

static void free_entry(entry *e)
{
    rift_arena_release(&e->arena);
    rift_arena_release(&e->tmp);
    free(e);
}

bool api_metadata_open(rift_api *api)
{
    api->metadata = calloc(1, sizeof *api->metadata);
    return api->metadata != NULL;
}

void api_metadata_close(rift_api *api)
{
    RIFT_ASSERT(api->metadata->running == 0 && api->metadata->queued == 0);
    for (entry *e = api->metadata->entries, *next; e != NULL; e = next) {
        next = e->next;
        free_entry(e);
    }
    free(api->metadata);
}

bool api_metadata_is_idle(const rift_api *api)
{
    return api->metadata->running == 0 && api->metadata->queued == 0;
}

static void unlink_entry(api_metadata *m, entry *e)
{
    entry **at = &m->entries;
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    m->count--;
    m->bytes -= e->text.size;
}

/* Drops what was used longest ago until the rest fits. */
static void trim(api_metadata *m)
{
    while (m->count > CACHE_SIZE || m->bytes > CACHE_BYTES) {
        entry *oldest = NULL;
        for (entry *e = m->entries; e != NULL; e = e->next) {
            if (e->state == ENTRY_READY && e->readers == 0 && (oldest == NULL || e->used < oldest->used))
                oldest = e;
        }
        if (oldest == NULL)
            return;
        unlink_entry(m, oldest);
        free_entry(oldest);
    }
}

/* ---- one reply ---- */

typedef struct state_read {
    api_read read;
    rift_job_spec spec;
    entry *entry;
    rift_skin_state state;
    bool has_newest;
    rift_artifact_row newest;
} state_read;

static bool work_state(rift_lane_op *op, rift_store *store, rift_err *err)
{
    state_read *r = RIFT_OP_OWNER(op, state_read, read.op);
    return rift_store_skin_state(store, &r->spec.key, r->spec.alias, r->spec.number, rift_now_ms(), &r->state,
                                 err) &&
           rift_store_newest(store, r->spec.alias, r->spec.number, (rift_str){0}, &r->has_newest, &r->newest,
                             &r->read.req->arena, err);
}

static void put_outputs(rift_request *req, rift_json *j, const state_read *r)
{
    rift_json_key(j, "outputs");
    rift_json_array(j);
    if (r->has_newest) {
        char hex[65];
        rift_sha256_hex(&r->newest.sha256, hex);
        const rift_str id = api_skin_text(req, r->spec.skin, r->spec.alias, r->spec.number);
        rift_json_object(j);
        rift_json_put_cstr(j, "profile", "full");
        rift_json_put_str(j, "url", rift_arena_printf(&req->arena, "/v1/skins/%.*s.glb", RIFT_STR_ARG(id)));
        rift_json_put_str(j, "artifact", rift_arena_printf(&req->arena, "/v1/artifacts/%s.glb", hex));
        rift_json_put_uint(j, "bytes", r->newest.size);
        rift_json_put_str(j, "etag", rift_arena_printf(&req->arena, "\"%s\"", hex));
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

static void done_state(rift_lane_op *op)
{
    state_read *r = RIFT_OP_OWNER(op, state_read, read.op);
    rift_request *req = r->read.req;
    api_metadata *m = r->read.api->metadata;
    const rift_str text = {(const char *)r->entry->text.data, r->entry->text.size};
    if (!op->ok) {
        api_fail_err(req, &op->err, NULL, 0);
    } else {
        api_json doc;
        rift_json *j = api_json_begin(req, &doc);
        rift_json_put_cstr(j, "state", rift_skin_state_word(r->state));
        put_outputs(req, j, r);
        if (text.size > 2) {
            rift_buf_str(&doc.buf, RIFT_STR(","));
            rift_buf_str(&doc.buf, (rift_str){text.data + 1, text.size - 2});
        }
        rift_json_object_end(j);
        api_json_send(req, 200, &doc);
    }
    r->entry->readers--;
    trim(m);
}

static void reply(entry *e, rift_request *req)
{
    if (!e->ok) {
        api_fail_err(req, &e->err, rift_stage_word(e->result.stage), e->spec.skin);
        return;
    }
    state_read *r = RIFT_NEW(&req->arena, state_read, 1);
    if (r == NULL) {
        api_fail(req, 503, "nomem", "out of memory");
        return;
    }
    *r = (state_read){.read = {.api = e->api, .req = req, .op = {.work = work_state, .done = done_state}},
                      .spec = e->spec,
                      .entry = e};
    e->readers++;
    e->used = ++e->api->metadata->clock;
    rift_lane_submit(e->api->config.reader, &r->read.op);
}

/* ---- computing ---- */

static bool describe(entry *e, const rift_names *names)
{
    rift_skin_ref skin;
    const rift_convert_env *env = e->api->config.env;
    const rift_bake_request request = {.skin = &skin,
                                       .assets = env->assets,
                                       .names = names,
                                       .game = env->game,
                                       .options = rift_options_default()};
    const rift_str name = rift_spec_text(&e->spec, &e->arena);
    return rift_arena_ok(&e->arena, "skin", &e->err) &&
           rift_game_find_skin(env->game, name, &e->arena, &skin, &e->err) &&
           env->describe(&e->text, &e->result, &request, &e->arena, &e->tmp, &e->err);
}

static void on_pool(uv_work_t *work)
{
    entry *e = work->data;
    rift_hashdb db = {0};
    rift_names names = {0};
    rift_err no_names;
    rift_err_in(&no_names, (rift_str){0});
    const bool has_names = rift_hashdb_open(&db, e->api->config.env->hashes_path, &no_names);
    if (has_names)
        names = rift_hashdb_names(&db);
    e->ok = describe(e, has_names ? &names : NULL);
    rift_hashdb_close(&db);
    rift_arena_release(&e->tmp);
}

static void start_next(api_metadata *m);

static void on_described(uv_work_t *work, int status)
{
    (void)status; /* never cancelled */
    entry *e = work->data;
    api_metadata *m = e->api->metadata;
    m->running--;
    e->state = ENTRY_READY;
    m->bytes += e->text.size;
    start_next(m);
    waiting *w = e->waiting;
    e->waiting = NULL;
    while (w != NULL) {
        waiting *next = w->next; /* in the request's arena, which the reply gives up */
        reply(e, w->req);
        w = next;
    }
    if (!e->ok) {
        /* Failures are not kept: the next request tries again. */
        unlink_entry(m, e);
        free_entry(e);
    }
    trim(m);
}

static void start_next(api_metadata *m)
{
    for (entry *e = m->entries; e != NULL && m->running < MAX_RUNNING; e = e->next) {
        if (e->state != ENTRY_QUEUED)
            continue;
        e->state = ENTRY_RUNNING;
        m->queued--;
        m->running++;
        e->work.data = e;
        const int code = uv_queue_work(e->api->config.loop, &e->work, on_pool, on_described);
        RIFT_ASSERT(code == 0);
    }
}

static entry *find_entry(const api_metadata *m, const rift_sha256 *key)
{
    entry *e = m->entries;
    while (e != NULL && memcmp(e->spec.key.bytes, key->bytes, sizeof key->bytes) != 0)
        e = e->next;
    return e;
}

static entry *add_entry(rift_api *api, const rift_job_spec *spec)
{
    api_metadata *m = api->metadata;
    entry *e = m->queued < RIFT_LIMIT_DESCRIBES ? calloc(1, sizeof *e) : NULL;
    if (e == NULL)
        return NULL;
    const size_t half = (size_t)(api->config.env->job_bytes / 2);
    rift_arena_init(&e->arena, half);
    rift_arena_init(&e->tmp, half);
    rift_err_in(&e->err, (rift_str){0});
    e->api = api;
    e->spec = *spec;
    e->spec.alias = rift_arena_copy_str(&e->arena, spec->alias);
    e->spec.options = (rift_str){0};
    e->next = m->entries;
    m->entries = e;
    m->count++;
    m->queued++;
    return e;
}

static void wait_for(entry *e, rift_request *req)
{
    waiting *w = RIFT_NEW(&req->arena, waiting, 1);
    if (w == NULL) {
        api_fail(req, 503, "nomem", "out of memory");
        return;
    }
    *w = (waiting){.next = e->waiting, .req = req};
    e->waiting = w;
}

void api_skin_metadata(rift_api *api, rift_request *req, rift_str id)
{
    rift_skin_ref skin;
    if (!api_skin(api, req, id, &skin) || !api_accepts(req, "application/json"))
        return;
    if (memchr(id.data, '/', id.size) != NULL && skin.id != 0)
        rift_reply_header_add(req, "Content-Location", "/v1/skins/%u", skin.id);
    const rift_job_spec spec = rift_jobs_spec(api->config.jobs, &skin, (rift_str){0}, &req->arena);
    if (!api_has_memory(req))
        return;
    entry *e = find_entry(api->metadata, &spec.key);
    if (e != NULL && e->state == ENTRY_READY) {
        reply(e, req);
        return;
    }
    if (e == NULL)
        e = add_entry(api, &spec);
    if (e == NULL) {
        api_problem_send(req, &(api_problem){.status = 503,
                                             .code = "busy",
                                             .detail = "too many skins are being described",
                                             .retryable = true,
                                             .retry_after_s = 1});
        return;
    }
    wait_for(e, req);
    start_next(api->metadata);
}
