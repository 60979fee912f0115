/* GET /v1/skins/{id}: what compute.c keeps, with the state of the skin as it is now. */
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "body/counts.h"
#include "http/guard.h"

/* A file that the store has of the skin, and what its report counts. */
typedef struct output {
    bool counted;
    uint64_t textures, gpu_bytes;
} output;

typedef struct state_read {
    api_read read;
    rift_job_spec spec;
    api_result *result;
    rift_skin_state state;
    rift_artifact_row *rows;
    output *outputs; /* by row */
    size_t count;
} state_read;

static bool read_counts(const state_read *r, size_t i, rift_store *store, rift_err *err)
{
    output *o = &r->outputs[i];
    rift_str report;
    if (!rift_store_report_of(store, &r->rows[i].sha256, &report, &r->read.req->arena, err))
        return false;
    o->counted = rift_report_count_in(report, "textures", &o->textures) &&
                 rift_report_count_in(report, "gpu_bytes", &o->gpu_bytes);
    return true;
}

static bool work_state(rift_lane_op *op, rift_store *store, rift_err *err)
{
    state_read *r = RIFT_OP_OWNER(op, state_read, read.op);
    rift_arena *arena = &r->read.req->arena;
    if (!rift_store_skin_state(store, &r->spec, rift_now_ms(), &r->state, err) ||
        !rift_store_outputs(store, r->spec.alias, r->spec.number, &r->rows, &r->count, arena, err))
        return false;
    r->outputs = RIFT_NEW(arena, output, r->count);
    if (r->outputs == NULL)
        return rift_arena_ok(arena, "outputs", err);
    for (size_t i = 0; i < r->count; i++) {
        if (!read_counts(r, i, store, err))
            return false;
    }
    return true;
}

static void put_output(rift_request *req, rift_json *j, const state_read *r, size_t i)
{
    const output *o = &r->outputs[i];
    const rift_artifact_row *row = &r->rows[i];
    const rift_str options = row->spec.options;
    rift_job_spec spec = r->spec;
    spec.options = row->spec.options;
    const rift_str url = api_glb_url(&spec, &req->arena);
    char hex[65];
    rift_sha256_hex(&row->sha256, hex);
    rift_json_object(j);
    rift_json_put_str(j, "profile", rift_options_profile(options, &req->arena));
    rift_json_put_str(j, "options", options);
    if (url.size > 0)
        rift_json_put_str(j, "url", url);
    rift_json_put_str(j, "artifact", rift_arena_printf(&req->arena, "/v1/artifacts/%s.glb", hex));
    rift_json_put_uint(j, "bytes", row->size);
    rift_json_put_str(j, "etag", rift_arena_printf(&req->arena, "\"%s\"", hex));
    if (o->counted) {
        rift_json_put_uint(j, "textures", o->textures);
        rift_json_put_uint(j, "gpu_bytes", o->gpu_bytes);
    }
    rift_json_object_end(j);
}

static void put_outputs(rift_request *req, rift_json *j, const state_read *r)
{
    rift_json_key(j, "outputs");
    rift_json_array(j);
    for (size_t i = 0; i < r->count; i++)
        put_output(req, j, r, i);
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
    const rift_skin_ref skin = {
        .id = result->spec.skin, .alias = result->spec.alias, .number = result->spec.number};
    *r = (state_read){
        .read = {.api = result->api, .req = req, .op = {.work = work_state, .done = done_state}},
        .spec = rift_jobs_spec(result->api->config.jobs, &skin, api_defaults(result->api, req), &req->arena),
        .result = result};
    rift_lane_submit(result->api->config.reader, &r->read.op);
}

static bool
run_metadata(rift_bytes *bytes, const api_run *in, rift_arena *out, rift_arena *tmp, rift_err *err)
{
    return in->env->describe(bytes, in->result, in->request, out, tmp, err);
}

bool api_takes_no_query(rift_request *req)
{
    rift_str rest = req->query;
    rift_str value;
    char name[64];
    char text[256];
    bool bad = false;
    if (!rift_query_next(&rest, name, sizeof name, text, sizeof text, &value, &bad) && !bad)
        return true;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    (void)rift_fail(&err, RIFT_ERR_ARGUMENT, bad ? "query" : name, RIFT_NO_OFFSET,
                    "this resource takes no parameters");
    api_fail_argument(req, &err, "bad_parameter");
    return false;
}

void api_skin_metadata(rift_api *api, rift_request *req, rift_str id)
{
    static const api_task task = {run_metadata, reply_metadata};
    rift_skin_ref skin;
    if (!api_skin(api, req, id, &skin) || !api_takes_no_query(req) || !api_accepts(req, "application/json"))
        return;
    if (memchr(id.data, '/', id.size) != NULL && skin.id != 0)
        rift_reply_header_add(req, "Content-Location", "/v1/skins/%u", skin.id);
    const api_question question = {.task = &task,
                                   .spec =
                                       rift_jobs_spec(api->config.jobs, &skin, (rift_str){0}, &req->arena),
                                   .options = rift_options_default()};
    api_compute(api, req, &question);
}
