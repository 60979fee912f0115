/* GET /v1/skins/{id}: what compute.c keeps, with the state of the skin as it is now. */
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"

typedef struct state_read {
    api_read read;
    rift_job_spec spec;
    api_result *result;
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
    api_result *result = r->result; /* r is in the request's arena, which the reply gives up */
    const rift_str text = {(const char *)r->result->bytes.data, r->result->bytes.size};
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
    api_result_release(result);
}

static void reply_metadata(api_result *result, rift_request *req)
{
    state_read *r = RIFT_NEW(&req->arena, state_read, 1);
    if (r == NULL) {
        api_result_release(result);
        api_fail(req, 503, "nomem", "out of memory");
        return;
    }
    *r =
        (state_read){.read = {.api = result->api, .req = req, .op = {.work = work_state, .done = done_state}},
                     .spec = result->spec,
                     .result = result};
    rift_lane_submit(result->api->config.reader, &r->read.op);
}

static bool
run_metadata(rift_bytes *bytes, const api_run *in, rift_arena *out, rift_arena *tmp, rift_err *err)
{
    return in->env->describe(bytes, in->result, in->request, out, tmp, err);
}

void api_skin_metadata(rift_api *api, rift_request *req, rift_str id)
{
    static const api_task task = {run_metadata, reply_metadata};
    rift_skin_ref skin;
    if (!api_skin(api, req, id, &skin) || !api_accepts(req, "application/json"))
        return;
    if (memchr(id.data, '/', id.size) != NULL && skin.id != 0)
        rift_reply_header_add(req, "Content-Location", "/v1/skins/%u", skin.id);
    const api_question question = {.task = &task,
                                   .spec =
                                       rift_jobs_spec(api->config.jobs, &skin, (rift_str){0}, &req->arena),
                                   .options = rift_options_default()};
    api_compute(api, req, &question);
}
