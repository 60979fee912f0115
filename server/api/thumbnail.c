/* GET /v1/skins/{id}/thumbnail.png: a picture of a skin, drawn from the game's files without making a GLB. */
#include <stdio.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "body/body.h"
#include "http/fields.h"

static bool
run_thumbnail(rift_bytes *bytes, const api_run *in, rift_arena *out, rift_arena *tmp, rift_err *err)
{
    rift_pixels pixels;
    return rift_picture(&pixels, in->result, in->request, in->view, out, tmp, err) &&
           rift_png_write(bytes, &pixels, true, out, tmp, err);
}

static void reply_thumbnail(api_result *r, rift_request *req)
{
    char hex[65], etag[72];
    rift_sha256_hex(&r->sha256, hex);
    (void)snprintf(etag, sizeof etag, "\"%s\"", hex);
    const rift_str id = api_skin_text(req, r->spec.skin, r->spec.alias, r->spec.number);
    rift_reply_header_add(req, "ETag", "%s", etag);
    rift_reply_header_add(req, "Cache-Control", "%s", API_CACHE_MOVING);
    rift_reply_header_add(req, "Link", "</v1/skins/%.*s>; rel=\"describedby\"", RIFT_STR_ARG(id));
    if (rift_etag_in_list(rift_request_header(req, "If-None-Match"), rift_str_c(etag))) {
        req->file_size = r->bytes.size;
        api_result_release(r);
        api_send(req, 304);
        return;
    }
    rift_reply_header_add(req, "Content-Type", "image/png");
    req->reply_body = rift_arena_copy_bytes(&req->arena, r->bytes);
    api_result_release(r);
    if (api_has_memory(req))
        api_send(req, 200);
}

/* One key for one picture, however its query was written. */
static rift_str view_text(rift_request *req, const rift_view *view, const rift_options *options)
{
    const rift_str text = rift_options_text(options, &req->arena);
    return rift_arena_printf(&req->arena, "thumbnail size=%u turn=%d %.*s", view->size, view->turn,
                             RIFT_STR_ARG(text));
}

void api_skin_thumbnail(rift_api *api, rift_request *req, rift_str id)
{
    static const api_task task = {run_thumbnail, reply_thumbnail};
    rift_skin_ref skin;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    api_question question = {.task = &task};
    if (!api_skin(api, req, id, &skin))
        return;
    if (!rift_query_picture(&question.options, &question.view, req->query, &req->arena, &err)) {
        api_fail_argument(req, &err, "bad_option");
        return;
    }
    if (!api_accepts(req, "image/png") || (req->query.size > 0 && !api_may_choose(req)))
        return;
    const rift_str text = view_text(req, &question.view, &question.options);
    question.spec = rift_jobs_spec(api->config.jobs, &skin, text, &req->arena);
    if (memchr(id.data, '/', id.size) != NULL && skin.id != 0) {
        rift_reply_header_add(req, "Content-Location", "/v1/skins/%u/thumbnail.png%s%.*s", skin.id,
                              req->query.size > 0 ? "?" : "",
                              req->query.size < 1500 ? (int)req->query.size : 0,
                              req->query.size > 0 ? req->query.data : "");
    }
    api_compute(api, req, &question);
}
