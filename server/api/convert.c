/* POST /v1/convert: files without a game folder, sent as multipart/form-data, answered with the GLB.
 *
 * Parts   skn (one, needed), skl, bin (one at most), anm (any number), texture (any number; "texture:Body" for one part of the mesh), options (one JSON object). */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "body/body.h"
#include "body/multipart.h"
#include "config/limits.h"
#include "http/fields.h"

typedef struct convert_work {
    api_work work;
    rift_convert_request request;
    rift_loose_file *anms, *textures;
    rift_str *parts;
    rift_hashpack *names; /* may be NULL */
    rift_bake_control control;
    int64_t deadline_ms;
    rift_arena *out; /* the context's */
    rift_arena tmp;
    rift_bake_result result;
    bool ok;
    rift_err err;
} convert_work;

/* ---- reading ---- */

static bool take_one(rift_loose_file *file, const rift_form_part *part, rift_err *err)
{
    if (file->name.data != NULL)
        return rift_fail(err, RIFT_ERR_ARGUMENT, "body", RIFT_NO_OFFSET, "more than one file of its kind");
    *file = (rift_loose_file){part->file, part->data};
    return true;
}

static bool take_options(convert_work *w, const rift_form_part *part, rift_err *err)
{
    return rift_body_options(&w->request.options, part->data, w->work.api->limits.defaults,
                             &w->work.req->arena, err);
}

static bool take_part(convert_work *w, const rift_form_part *part, rift_err *err)
{
    rift_convert_request *r = &w->request;
    static const rift_str texture = {"texture:", 8};
    const bool for_part = rift_str_starts_nocase(part->name, texture);
    if (rift_str_eq(part->name, RIFT_STR("options")))
        return take_options(w, part, err);
    if (part->file.size == 0)
        return rift_fail(err, RIFT_ERR_ARGUMENT, "body", RIFT_NO_OFFSET, "a part without a file name");
    if (rift_str_eq(part->name, RIFT_STR("skn")))
        return take_one(&r->skn, part, err);
    if (rift_str_eq(part->name, RIFT_STR("skl")))
        return take_one(&r->skl, part, err);
    if (rift_str_eq(part->name, RIFT_STR("bin")))
        return take_one(&r->bin, part, err);
    if (rift_str_eq(part->name, RIFT_STR("anm"))) {
        w->anms[r->anm_count++] = (rift_loose_file){part->file, part->data};
        return true;
    }
    if (!for_part && !rift_str_eq(part->name, RIFT_STR("texture"))) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "body", RIFT_NO_OFFSET,
                         "there is no part \"%.*s\": skn, skl, anm, texture, bin, options",
                         (int)(part->name.size < 40 ? part->name.size : 40), part->name.data);
    }
    if (for_part) {
        w->parts[r->texture_count] =
            (rift_str){part->name.data + texture.size, part->name.size - texture.size};
    }
    w->textures[r->texture_count++] = (rift_loose_file){part->file, part->data};
    return true;
}

static bool read_parts(convert_work *w, rift_err *err)
{
    rift_request *req = w->work.req;
    rift_multipart body;
    rift_err_in(err, (rift_str){0});
    if (!rift_multipart_parse(&body, rift_request_header(req, "Content-Type"), req->body,
                              w->work.api->limits.upload_parts, &req->arena, err))
        return false;
    w->anms = RIFT_NEW(&req->arena, rift_loose_file, body.count);
    w->textures = RIFT_NEW(&req->arena, rift_loose_file, body.count);
    w->parts = RIFT_NEW(&req->arena, rift_str, body.count);
    if (!rift_arena_ok(&req->arena, "body", err) ||
        !rift_options_parse(&w->request.options, w->work.api->limits.defaults, &req->arena, err))
        return false;
    for (size_t i = 0; i < body.count; i++) {
        if (!take_part(w, &body.parts[i], err))
            return false;
    }
    w->request.anms = w->anms;
    w->request.textures = w->textures;
    w->request.texture_parts = w->parts;
    return w->request.skn.name.data != NULL ||
           rift_fail(err, RIFT_ERR_ARGUMENT, "body", RIFT_NO_OFFSET, "there is no part \"skn\"");
}

/* ---- converting ---- */

static int64_t clock_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* No timer watches this conversion: it watches itself, at each file, mesh and clip. */
static void on_stage(void *user, rift_stage stage)
{
    convert_work *w = user;
    (void)stage;
    if (clock_ms() > w->deadline_ms)
        atomic_store_explicit(&w->control.cancel, true, memory_order_relaxed);
}

static void run(api_work *work)
{
    convert_work *w = RIFT_OP_OWNER(work, convert_work, work);
    rift_names names = {0};
    if (w->names != NULL) {
        names = rift_hashpack_names(w->names);
        w->request.names = &names;
    }
    w->ok = rift_convert(&w->result, &w->request, w->out, &w->tmp, &w->err);
    w->request.names = NULL;
    rift_arena_release(&w->tmp);
}

/* What stands between quotes in a header: letters, digits and a few signs of the file's name. */
static void plain_name(rift_str stem, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < stem.size && n + 1 < size; i++) {
        const char c = stem.data[i];
        const char l = rift_lower(c);
        const bool plain = (l >= 'a' && l <= 'z') || (l >= '0' && l <= '9') || l == '-' || l == '_';
        out[n++] = (char)(plain ? c : '_');
    }
    out[n] = '\0';
}

static void done(api_work *work)
{
    convert_work *w = RIFT_OP_OWNER(work, convert_work, work);
    rift_request *req = work->req;
    char name[64];
    work->api->conversions--;
    rift_hashpack_unref(w->names);
    if (!w->ok && w->err.code == RIFT_ERR_CANCELLED) {
        api_fail(req, 422, "job_time", "the conversion took longer than is allowed");
    } else if (!w->ok && w->err.code == RIFT_ERR_ARGUMENT) {
        api_fail_argument(req, &w->err, "bad_option");
    } else if (!w->ok) {
        api_fail_err(req, &w->err, rift_stage_word(w->result.stage), 0);
    } else {
        plain_name(rift_str_stem(w->request.skn.name), name, sizeof name);
        rift_reply_header_put(req, "Content-Type", "model/gltf-binary");
        rift_reply_header_add(req, "Content-Disposition", "inline; filename=\"%s.glb\"", name);
        req->reply_body = w->result.glb;
        api_send(req, 200);
    }
}

static bool start(convert_work *w)
{
    rift_api *api = w->work.api;
    rift_request *req = w->work.req;
    const size_t half = (size_t)(api->config.env->job_bytes / 2);
    rift_err err;
    if (!read_parts(w, &err)) {
        if (err.code == RIFT_ERR_LIMIT) {
            api_fail(req, 413, "too_many_parts", "%s", err.text);
        } else {
            api_fail_argument(req, &err, "bad_body");
        }
        return false;
    }
    if (!api_apply_masks(api, req, &w->request.options))
        return false;
    w->out = &api_context_of(req)->owned;
    rift_arena_init(w->out, half);
    rift_arena_init(&w->tmp, half);
    rift_err_in(&w->err, (rift_str){0});
    w->names = rift_hashpack_ref(rift_jobs_names(api->config.jobs));
    w->deadline_ms = clock_ms() + api->limits.job_ms;
    w->control.entered = on_stage;
    w->control.user = w;
    w->request.control = &w->control;
    api->conversions++;
    api_work_start(&w->work, run, done);
    return true;
}

void api_convert(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    if (!api_accepts(req, "model/gltf-binary"))
        return;
    if (!rift_is_type(rift_request_header(req, "Content-Type"), RIFT_STR("multipart/form-data"))) {
        api_fail(req, 415, "unsupported_media_type", "files are sent as multipart/form-data");
        return;
    }
    if (api->conversions >= RIFT_LIMIT_CONVERSIONS) {
        api_busy(req, "other files are being converted", 2);
        return;
    }
    convert_work *w = RIFT_NEW(&req->arena, convert_work, 1);
    if (w == NULL) {
        (void)api_has_memory(req);
        return;
    }
    w->work.api = api;
    w->work.req = req;
    (void)start(w);
}
