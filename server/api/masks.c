/* Masks that are stored under a name: a few kilobytes, so they live in memory, and as a whole in <data>/masks.json, which is replaced by a rename. One change at a
 * time is written; what another request sees is on disk. */
#include <stdlib.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "body/body.h"
#include "body/masks.h"
#include "files/files.h"
#include "http/fields.h"

struct api_masks {
    rift_arena arena; /* of `now` */
    rift_masks now;
    bool writing;
};

bool api_masks_open(rift_api *api, rift_err *err)
{
    rift_arena scratch;
    rift_bytes file;
    rift_err why;
    api->masks = calloc(1, sizeof *api->masks);
    if (api->masks == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "masks", RIFT_NO_OFFSET, "out of memory");
    rift_arena_init(&api->masks->arena, 2 * RIFT_MASKS_MAX_BYTES);
    rift_arena_init(&scratch, 2 * RIFT_MASKS_MAX_BYTES);
    rift_err_in(&why, rift_str_c(api->config.masks_path));
    bool ok = rift_file_read(api->config.masks_path, RIFT_MASKS_MAX_BYTES, &scratch, &file, &why);
    if (!ok && why.code == RIFT_ERR_NOT_FOUND) {
        rift_arena_release(&scratch);
        return true;
    }
    ok = ok && rift_masks_read(&api->masks->now, file, &api->masks->arena, &why);
    rift_arena_release(&scratch);
    if (!ok)
        *err = why;
    return ok;
}

void api_masks_close(rift_api *api)
{
    if (api->masks != NULL)
        rift_arena_release(&api->masks->arena);
    free(api->masks);
    api->masks = NULL;
}

bool api_apply_masks(rift_api *api, rift_request *req, rift_options *options)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (rift_masks_apply(options, &api->masks->now, &req->arena, &err))
        return true;
    api_fail_argument(req, &err, "bad_option");
    return false;
}

/* ---- reading ---- */

void api_masks_get(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    api_json doc;
    if (!api_takes_no_query(req) || !api_accepts(req, "application/json"))
        return;
    rift_json *j = api_json_begin(req, &doc);
    rift_json_key(j, "masks");
    rift_json_array(j);
    for (size_t i = 0; i < api->masks->now.count; i++)
        rift_json_raw(j, api->masks->now.masks[i].json);
    rift_json_array_end(j);
    rift_json_object_end(j);
    api_json_send(req, 200, &doc);
}

static bool check_name(rift_request *req, rift_str name)
{
    if (rift_mask_name_is_sound(name))
        return true;
    api_fail(req, 400, "bad_mask_name", "a mask's name is up to %d letters, digits, '_', '-' and '.'",
             RIFT_MASK_MAX_NAME);
    return false;
}

static void send_json(rift_request *req, unsigned status, rift_str json)
{
    rift_reply_header_put(req, "Content-Type", "application/json");
    const rift_str copy = rift_arena_copy_str(&req->arena, json);
    req->reply_body = (rift_bytes){(const uint8_t *)copy.data, copy.size};
    if (api_has_memory(req))
        api_send(req, status);
}

static void no_mask(rift_request *req)
{
    api_fail(req, 404, "unknown_mask", "no mask of this name is stored");
}

void api_mask_get(rift_api *api, rift_request *req, rift_str name)
{
    if (!check_name(req, name) || !api_takes_no_query(req) || !api_accepts(req, "application/json"))
        return;
    const rift_stored_mask *mask = rift_masks_find(&api->masks->now, name);
    if (mask == NULL) {
        no_mask(req);
    } else {
        send_json(req, 200, mask->json);
    }
}

/* ---- changing ---- */

typedef struct change {
    api_work work;
    rift_masks next; /* what will be, in the request's arena */
    rift_bytes file;
    rift_str reply; /* empty: 204 */
    unsigned status;
    bool ok;
    rift_err err;
} change;

static void run_write(api_work *work)
{
    change *c = RIFT_OP_OWNER(work, change, work);
    c->ok = rift_file_write_atomic(work->api->config.masks_path, c->file, &c->err);
}

static void done_write(api_work *work)
{
    change *c = RIFT_OP_OWNER(work, change, work);
    api_masks *m = work->api->masks;
    rift_arena fresh;
    rift_err err;
    m->writing = false;
    if (!c->ok && c->err.code == RIFT_ERR_LIMIT) {
        api_fail_full(work->req);
        return;
    }
    if (!c->ok) {
        api_fail_err(work->req, &c->err, NULL, 0);
        return;
    }
    rift_masks now;
    rift_arena_init(&fresh, 2 * RIFT_MASKS_MAX_BYTES);
    rift_err_in(&err, (rift_str){0});
    if (!rift_masks_read(&now, c->file, &fresh, &err)) {
        rift_arena_release(&fresh);
        api_fail_err(work->req, &err, NULL, 0);
        return;
    }
    rift_arena_release(&m->arena);
    m->arena = fresh;
    m->now = now;
    if (c->reply.size > 0) {
        send_json(work->req, c->status, c->reply);
    } else {
        api_send(work->req, c->status);
    }
}

static void write_masks(change *c)
{
    rift_request *req = c->work.req;
    rift_buf b;
    rift_buf_init(&b, &req->arena, RIFT_MASKS_MAX_BYTES);
    for (size_t i = 0; i < c->next.count; i++)
        rift_buf_printf(&b, "%s%.*s", i > 0 ? ",\n" : "[", RIFT_STR_ARG(c->next.masks[i].json));
    rift_buf_str(&b, c->next.count > 0 ? RIFT_STR("]\n") : RIFT_STR("[]\n"));
    if (b.failed) {
        api_fail(req, 413, "too_many_masks", "all masks together are over %zu bytes", RIFT_MASKS_MAX_BYTES);
        return;
    }
    c->file = rift_buf_bytes(&b);
    rift_err_in(&c->err, (rift_str){0});
    c->work.api->masks->writing = true;
    api_work_start(&c->work, run_write, done_write);
}

/* A change of what is there now, without the mask of this name. NULL after a reply. */
static change *begin_change(rift_api *api, rift_request *req, rift_str name)
{
    if (api->masks->writing) {
        api_busy(req, "another mask is being stored", 1);
        return NULL;
    }
    change *c = RIFT_NEW(&req->arena, change, 1);
    rift_stored_mask *masks = RIFT_NEW(&req->arena, rift_stored_mask, api->masks->now.count + 1);
    if (c == NULL || masks == NULL) {
        (void)api_has_memory(req);
        return NULL;
    }
    c->work.api = api;
    c->work.req = req;
    c->next.masks = masks;
    for (size_t i = 0; i < api->masks->now.count; i++) {
        if (!rift_str_eq(api->masks->now.masks[i].name, name))
            masks[c->next.count++] = api->masks->now.masks[i];
    }
    return c;
}

void api_mask_put(rift_api *api, rift_request *req, rift_str name)
{
    rift_stored_mask mask;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (!check_name(req, name) || !api_accepts(req, "application/json"))
        return;
    if (!rift_is_type(rift_request_header(req, "Content-Type"), RIFT_STR("application/json"))) {
        api_fail(req, 415, "unsupported_media_type", "a mask is application/json");
        return;
    }
    if (!rift_mask_read(&mask, name, req->body, &req->arena, &err)) {
        api_fail_argument(req, &err, "bad_body");
        return;
    }
    change *c = api_has_room(api, req) ? begin_change(api, req, name) : NULL;
    if (c == NULL)
        return;
    if (c->next.count >= RIFT_MASKS_MAX) {
        api_fail(req, 413, "too_many_masks", "there are %d masks already", RIFT_MASKS_MAX);
        return;
    }
    c->status = c->next.count == api->masks->now.count ? 201 : 200;
    c->reply = mask.json;
    c->next.masks[c->next.count++] = mask;
    if (c->status == 201)
        rift_reply_header_add(req, "Location", "/v1/masks/%.*s", RIFT_STR_ARG(name));
    write_masks(c);
}

void api_mask_delete(rift_api *api, rift_request *req, rift_str name)
{
    if (!check_name(req, name))
        return;
    if (rift_masks_find(&api->masks->now, name) == NULL) {
        no_mask(req);
        return;
    }
    change *c = begin_change(api, req, name);
    if (c == NULL)
        return;
    c->status = 204;
    write_masks(c);
}

/* ---- resolving ---- */

typedef struct resolving {
    api_work work;
    rift_mask_question question;
    rift_skin_ref skin;
    rift_convert_env env; /* with a reference to its mount */
    rift_hashpack *names; /* may be NULL */
    rift_arena out, tmp;
    rift_bake_result result;
    rift_bytes json;
    bool ok;
    rift_err err;
} resolving;

static void run_resolve(api_work *work)
{
    resolving *r = RIFT_OP_OWNER(work, resolving, work);
    rift_names names = {0};
    if (r->names != NULL)
        names = rift_hashpack_names(r->names);
    const rift_bake_request request = {.skin = &r->skin,
                                       .assets = r->env.assets,
                                       .names = r->names != NULL ? &names : NULL,
                                       .game = r->env.game,
                                       .options = rift_options_default()};
    r->ok = rift_describe_mask(&r->json, &r->result, &request, &r->question.mask, &r->out, &r->tmp, &r->err);
}

static void done_resolve(api_work *work)
{
    resolving *r = RIFT_OP_OWNER(work, resolving, work);
    work->api->conversions--;
    if (r->ok) {
        send_json(work->req, 200, (rift_str){(const char *)r->json.data, r->json.size});
    } else {
        api_fail_err(work->req, &r->err, rift_stage_word(r->result.stage), r->skin.id);
    }
    rift_arena_release(&r->out);
    rift_arena_release(&r->tmp);
    rift_hashpack_unref(r->names);
    rift_mount_unref(r->env.mount);
    free(r);
}

static bool read_question(rift_api *api, rift_request *req, rift_mask_question *out)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (!rift_is_type(rift_request_header(req, "Content-Type"), RIFT_STR("application/json"))) {
        api_fail(req, 415, "unsupported_media_type", "the question is application/json");
        return false;
    }
    if (rift_mask_question_read(out, &api->masks->now, req->body, &req->arena, &err))
        return true;
    api_fail_argument(req, &err, "bad_body");
    return false;
}

void api_masks_resolve(rift_api *api, rift_request *req, rift_str none)
{
    enum { MOST = 2 };
    (void)none;
    rift_mask_question question;
    rift_skin_ref skin;
    if (!api_accepts(req, "application/json") || !read_question(api, req, &question) ||
        !api_skin(api, req, question.skin, &skin))
        return;
    if (api->conversions >= MOST) {
        api_busy(req, "other requests are being worked on", 1);
        return;
    }
    resolving *r = calloc(1, sizeof *r); /* a report is too large for a request's arena */
    if (r == NULL) {
        api_busy(req, "out of memory", 1);
        return;
    }
    r->work.api = api;
    r->work.req = req;
    r->question = question;
    r->skin = skin;
    r->env = *api->config.env;
    (void)rift_mount_ref(r->env.mount);
    r->names = rift_hashpack_ref(rift_jobs_names(api->config.jobs));
    const size_t half = (size_t)(api->config.env->job_bytes / 2);
    rift_arena_init(&r->out, half);
    rift_arena_init(&r->tmp, half);
    rift_err_in(&r->err, (rift_str){0});
    api->conversions++;
    api_work_start(&r->work, run_resolve, done_resolve);
}
