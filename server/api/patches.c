/* Patches: what changed, which skins that concerns, and what became of them. */
#include <stdio.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "config/limits.h"
#include "http/fields.h"
#include "http/guard.h"
#include "patches/index_skins.h"

enum { MAX_VARIANTS = 100 };

typedef enum patch_wish { WISH_LIST, WISH_ONE, WISH_SKINS, WISH_CANCEL, WISH_RESUME } patch_wish;

typedef struct patch_read {
    api_read read;
    patch_wish wish;
    int64_t id; /* of the list: ids below it */
    size_t limit, offset;
    rift_patch *patches;
    size_t patch_count;
    rift_sweep_counts *counts; /* as patches */
    rift_patch_archive *archives;
    size_t archive_count;
    rift_patch_variant *variants;
    size_t variant_count;
    rift_patch_skin *skins;
    size_t skin_count;
    int64_t cancelled;
} patch_read;

/* ---- reading ---- */

static rift_arena *arena_of(patch_read *r)
{
    return &r->read.req->arena;
}

static bool read_patches(patch_read *r, rift_index *index, rift_err *err)
{
    const bool one = r->wish != WISH_LIST;
    if (!rift_index_patches(index, one ? r->id + 1 : r->id, one ? 1 : r->limit, &r->patches, &r->patch_count,
                            arena_of(r), err))
        return false;
    if (one && r->patch_count == 1 && r->patches[0].id != r->id)
        r->patch_count = 0;
    r->counts = RIFT_NEW(arena_of(r), rift_sweep_counts, r->patch_count);
    if (r->counts == NULL)
        return rift_arena_ok(arena_of(r), "patches", err);
    for (size_t i = 0; i < r->patch_count; i++) {
        if (!rift_index_count_skins(index, r->patches[i].id, &r->counts[i], err))
            return false;
    }
    return true;
}

static bool work_read(rift_lane_op *op, rift_store *store, rift_err *err)
{
    (void)store;
    patch_read *r = RIFT_OP_OWNER(op, patch_read, read.op);
    rift_index *index = rift_patches_reports(r->read.api->config.patches);
    if (!read_patches(r, index, err) || r->patch_count == 0)
        return err->code == RIFT_OK;
    if (r->wish == WISH_ONE &&
        (!rift_index_patch_archives(index, r->id, &r->archives, &r->archive_count, arena_of(r), err) ||
         !rift_index_variants(index, r->id, MAX_VARIANTS, &r->variants, &r->variant_count, arena_of(r), err)))
        return false;
    return r->wish == WISH_LIST || rift_index_skins(index, r->id, r->wish == WISH_ONE, r->offset, r->limit,
                                                    &r->skins, &r->skin_count, arena_of(r), err);
}

static bool work_change(rift_lane_op *op, rift_store *store, rift_err *err)
{
    (void)store;
    patch_read *r = RIFT_OP_OWNER(op, patch_read, read.op);
    rift_index *index = rift_patches_skins(r->read.api->config.patches);
    if (!read_patches(r, index, err) || r->patch_count == 0)
        return err->code == RIFT_OK;
    return r->wish == WISH_CANCEL ? rift_index_give_up(index, r->id, &r->cancelled, err)
                                  : rift_index_resume(index, r->id, err);
}

/* ---- replying ---- */

static const char *sweep_word(const rift_patch *p, const rift_sweep_counts *c)
{
    if (c->skins[RIFT_SWEEP_WAITING] == 0)
        return "done";
    return p->halted.size > 0 ? "halted" : "running";
}

static void put_patch(rift_json *j, const rift_patch *p, const rift_sweep_counts *c)
{
    char hex[65];
    rift_sha256_hex(&p->digest, hex);
    rift_json_put_int(j, "id", p->id);
    rift_json_put_str(j, "version", p->version);
    rift_json_put_cstr(j, "digest", hex);
    rift_json_put_int(j, "taken", p->taken_ms);
    rift_json_put_uint(j, "archives", p->archives);
    rift_json_put_uint(j, "entries", p->entries);
    rift_json_put_uint(j, "unreadable", p->unreadable);
    rift_json_put_uint(j, "unknown_versions", p->unknown);
    rift_json_put_uint(j, "kept", p->kept);
    rift_json_put_cstr(j, "sweep", sweep_word(p, c));
    if (p->halted.size > 0)
        rift_json_put_str(j, "halted", p->halted);
    rift_json_key(j, "skins");
    rift_json_object(j);
    for (int i = 0; i < RIFT_SWEEP_COUNT; i++)
        rift_json_put_uint(j, rift_skin_end_word((rift_skin_end)i), c->skins[i]);
    rift_json_put_uint(j, "unsupported", c->unsupported);
    rift_json_put_uint(j, "newly_failing", c->newly_failing);
    rift_json_put_uint(j, "newly_warning", c->warning);
    rift_json_object_end(j);
}

static void put_archives(rift_json *j, const patch_read *r)
{
    rift_json_key(j, "changes");
    rift_json_array(j);
    for (size_t i = 0; i < r->archive_count; i++) {
        const rift_patch_archive *a = &r->archives[i];
        rift_json_object(j);
        rift_json_put_str(j, "archive", a->path);
        rift_json_put_cstr(j, "change", rift_change_word(a->change));
        if (a->came_from.size > 0)
            rift_json_put_str(j, "from", a->came_from);
        rift_json_put_uint(j, "added", a->added);
        rift_json_put_uint(j, "removed", a->removed);
        rift_json_put_uint(j, "changed", a->changed);
        rift_json_put_uint(j, "renamed", a->renamed);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

static void put_variants(rift_json *j, const patch_read *r)
{
    rift_json_key(j, "unsupported");
    rift_json_array(j);
    for (size_t i = 0; i < r->variant_count; i++) {
        const rift_patch_variant *v = &r->variants[i];
        rift_json_object(j);
        rift_json_put_str(j, "format", v->format);
        rift_json_put_str(j, "what", v->what);
        rift_json_put_uint(j, "archives", v->archives);
        rift_json_put_uint(j, "skins", v->skins);
        rift_json_put_uint(j, "files", v->files);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

static void put_sha(rift_request *req, rift_json *j, const char *key, const rift_sha256 *sha)
{
    char hex[65];
    rift_sha256_hex(sha, hex);
    rift_json_put_str(j, key, rift_arena_printf(&req->arena, "\"%s\"", hex));
}

static void put_skin(rift_request *req, rift_json *j, const rift_patch_skin *s)
{
    rift_json_object(j);
    if (s->spec.skin != 0)
        rift_json_put_uint(j, "id", s->spec.skin);
    rift_json_put_str(j, "alias", s->spec.alias);
    rift_json_put_uint(j, "number", s->spec.number);
    rift_json_put_str(j, "options", s->spec.options);
    rift_json_put_cstr(j, "reason", rift_stale_word(s->reason));
    rift_json_put_uint(j, "changed", s->changed);
    rift_json_put_uint(j, "appeared", s->appeared);
    rift_json_put_uint(j, "vanished", s->vanished);
    if (s->changed > 0)
        rift_json_put_hex(j, "example", s->example, 16);
    rift_json_put_cstr(j, "state", rift_skin_end_word(s->state));
    rift_json_put_bool(j, "canary", s->canary);
    if (s->reason != RIFT_STALE_NEVER)
        put_sha(req, j, "before", &s->before);
    if (s->has_after)
        put_sha(req, j, "after", &s->after);
    if (s->job != 0)
        rift_json_put_int(j, "job", s->job);
    if (s->error.size > 0) {
        rift_json_key(j, "error");
        rift_json_raw(j, s->error);
        rift_json_put_bool(j, "failed_before", s->failed_before);
    }
    if (s->warnings.size > 0)
        rift_json_put_str(j, "warnings", s->warnings);
    if (s->ended_ms != 0)
        rift_json_put_int(j, "ms", s->took_ms);
    if (s->bytes != 0)
        rift_json_put_uint(j, "bytes", s->bytes);
    if (s->unsupported != 0)
        rift_json_put_uint(j, "unsupported", s->unsupported);
    rift_json_object_end(j);
}

static void put_skins(rift_json *j, const patch_read *r)
{
    for (size_t i = 0; i < r->skin_count; i++)
        put_skin(r->read.req, j, &r->skins[i]);
}

static void put_one(rift_json *j, const patch_read *r)
{
    put_patch(j, &r->patches[0], &r->counts[0]);
    rift_json_put_int(j, "compare_ms", r->patches[0].took_ms);
    rift_json_put_uint(j, "read_bytes", r->patches[0].read_bytes);
    rift_json_put_int(j, "convert_ms", r->counts[0].took_ms);
    rift_json_put_uint(j, "made_bytes", r->counts[0].bytes);
    put_archives(j, r);
    put_variants(j, r);
    rift_json_key(j, "troubled");
    rift_json_array(j);
    put_skins(j, r);
    rift_json_array_end(j);
}

static void put_feed(rift_json *j, const patch_read *r)
{
    rift_json_put_int(j, "patch", r->id);
    rift_json_put_str(j, "version", r->patches[0].version);
    rift_json_key(j, "skins");
    rift_json_array(j);
    put_skins(j, r);
    rift_json_array_end(j);
    if (r->skin_count == r->limit)
        rift_json_put_uint(j, "next", r->offset + r->limit);
}

/* Feeds are asked for again and again: the tag is of what is sent. */
static void send_tagged(rift_request *req, const api_json *doc)
{
    char etag[72], hex[65];
    const rift_sha256 sha = rift_sha256_of(rift_buf_bytes(&doc->buf));
    rift_sha256_hex(&sha, hex);
    (void)snprintf(etag, sizeof etag, "\"%.32s\"", hex);
    rift_reply_header_add(req, "ETag", "%s", etag);
    rift_reply_header_add(req, "Cache-Control", "public, max-age=10");
    if (!rift_etag_in_list(rift_request_header(req, "If-None-Match"), rift_str_c(etag))) {
        api_json_send(req, 200, doc);
        return;
    }
    req->file_size = doc->buf.size;
    api_send(req, 304);
}

static void send_list(patch_read *r)
{
    rift_request *req = r->read.req;
    api_json doc;
    rift_json *j = api_json_begin(req, &doc);
    rift_json_put_cstr(j, "game",
                       rift_watch_state_word(rift_patches_tell(r->read.api->config.patches).state));
    rift_json_key(j, "patches");
    rift_json_array(j);
    for (size_t i = 0; i < r->patch_count; i++) {
        rift_json_object(j);
        put_patch(j, &r->patches[i], &r->counts[i]);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
    if (r->patch_count == r->limit)
        rift_json_put_int(j, "next", r->patches[r->patch_count - 1].id);
    rift_json_object_end(j);
    send_tagged(req, &doc);
}

static void done_read(rift_lane_op *op)
{
    patch_read *r = RIFT_OP_OWNER(op, patch_read, read.op);
    rift_request *req = r->read.req;
    if (!op->ok) {
        api_fail_err(req, &op->err, NULL, 0);
        return;
    }
    if (r->wish == WISH_LIST) {
        send_list(r);
        return;
    }
    if (r->patch_count == 0) {
        api_fail(req, 404, "unknown_patch", "there is no patch %lld", (long long)r->id);
        return;
    }
    if (r->wish == WISH_CANCEL || r->wish == WISH_RESUME)
        rift_patches_sweep(r->read.api->config.patches);
    api_json doc;
    rift_json *j = api_json_begin(req, &doc);
    if (r->wish == WISH_SKINS) {
        put_feed(j, r);
    } else if (r->wish == WISH_ONE) {
        put_one(j, r);
    } else {
        rift_json_put_int(j, "id", r->id);
        rift_json_put_int(j, "given_up", r->cancelled);
    }
    rift_json_object_end(j);
    if (r->wish == WISH_ONE || r->wish == WISH_SKINS) {
        send_tagged(req, &doc);
    } else {
        api_json_send(req, 200, &doc);
    }
}

/* ---- asking ---- */

static bool read_query(patch_read *r, rift_request *req)
{
    rift_str rest = req->query, value;
    char name[32], text[32];
    bool bad = false;
    uint64_t n, after = 0;
    while (rift_query_next(&rest, name, sizeof name, text, sizeof text, &value, &bad)) {
        if (strcmp(name, "limit") == 0 && rift_str_u64(value, RIFT_LIMIT_PAGE, &n) && n > 0) {
            r->limit = (size_t)n;
        } else if (strcmp(name, "after") == 0 && rift_str_u64(value, INT64_MAX / 2, &n)) {
            after = n;
        } else {
            bad = true;
            break;
        }
    }
    if (r->wish == WISH_LIST) {
        r->id = (int64_t)after;
    } else {
        r->offset = (size_t)after;
    }
    if (bad)
        api_fail(req, 400, "bad_parameter", "takes after=N and limit=N from 1 to %d", RIFT_LIMIT_PAGE);
    return !bad;
}

static void start(rift_api *api, rift_request *req, rift_str id, patch_wish wish)
{
    uint64_t n = 0;
    if (!api_accepts(req, "application/json"))
        return;
    if (wish != WISH_LIST && (!rift_str_u64(id, INT64_MAX / 2, &n) || n == 0)) {
        api_fail(req, 400, "bad_patch_id", "patches are numbered from 1");
        return;
    }
    patch_read *r = RIFT_NEW(&req->arena, patch_read, 1);
    if (r == NULL) {
        api_fail(req, 503, "nomem", "out of memory");
        return;
    }
    *r = (patch_read){.read = {.api = api, .req = req},
                      .wish = wish,
                      .id = (int64_t)n,
                      .limit = wish == WISH_LIST ? RIFT_LIMIT_PAGE_DEFAULT : RIFT_LIMIT_PAGE};
    if (!read_query(r, req))
        return;
    const bool changes = wish == WISH_CANCEL || wish == WISH_RESUME;
    r->read.op.work = changes ? work_change : work_read;
    r->read.op.done = done_read;
    rift_lane_submit(changes ? api->config.writer : api->config.reader, &r->read.op);
}

void api_patches_list(rift_api *api, rift_request *req, rift_str none)
{
    start(api, req, none, WISH_LIST);
}

void api_patch_get(rift_api *api, rift_request *req, rift_str id)
{
    start(api, req, id, WISH_ONE);
}

void api_patch_skins(rift_api *api, rift_request *req, rift_str id)
{
    start(api, req, id, WISH_SKINS);
}

void api_patch_cancel(rift_api *api, rift_request *req, rift_str id)
{
    start(api, req, id, WISH_CANCEL);
}

void api_patch_resume(rift_api *api, rift_request *req, rift_str id)
{
    start(api, req, id, WISH_RESUME);
}

void api_patches_scan(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    if (!api_accepts(req, "application/json"))
        return;
    rift_patches_scan(api->config.patches);
    api_json doc;
    rift_json *j = api_json_begin(req, &doc);
    rift_json_put_cstr(j, "game", rift_watch_state_word(rift_patches_tell(api->config.patches).state));
    rift_json_object_end(j);
    rift_reply_header_add(req, "Location", "/v1/patches");
    api_json_send(req, 202, &doc);
}
