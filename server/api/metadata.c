/* GET /v1/skins/{id}: what compute.c keeps, with the state of the skin as it is now. */
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "body/counts.h"
#include "http/guard.h"

/* Files of a skin that are told of when they are there: a profile, and the options that differ from it. */
static const struct {
    const char *profile, *options;
} kinds[] = {{"full", ""}, {"full", "chromas=variants"}};

typedef struct output {
    bool there;
    rift_artifact_row row;
    bool counted;
    uint64_t textures, gpu_bytes;
} output;

typedef struct state_read {
    api_read read;
    rift_job_spec spec;
    api_result *result;
    rift_skin_state state;
    output outputs[RIFT_COUNT(kinds)];
} state_read;

static bool read_output(state_read *r, size_t i, rift_store *store, rift_err *err)
{
    output *o = &r->outputs[i];
    rift_arena *arena = &r->read.req->arena;
    rift_str report;
    int64_t job;
    if (!rift_store_newest(store, r->spec.alias, r->spec.number, rift_str_c(kinds[i].options), &o->there,
                           &o->row, arena, err))
        return false;
    if (!o->there)
        return true;
    if (!rift_store_report(store, &o->row.spec.key, &job, &report, arena, err))
        return false;
    o->counted = rift_report_count_in(report, "textures", &o->textures) &&
                 rift_report_count_in(report, "gpu_bytes", &o->gpu_bytes);
    return true;
}

static bool work_state(rift_lane_op *op, rift_store *store, rift_err *err)
{
    state_read *r = RIFT_OP_OWNER(op, state_read, read.op);
    if (!rift_store_skin_state(store, &r->spec.key, r->spec.alias, r->spec.number, rift_now_ms(), &r->state,
                               err))
        return false;
    for (size_t i = 0; i < RIFT_COUNT(kinds); i++) {
        if (!read_output(r, i, store, err))
            return false;
    }
    return true;
}

static void put_output(rift_request *req, rift_json *j, const state_read *r, size_t i)
{
    const output *o = &r->outputs[i];
    const char *options = kinds[i].options;
    const rift_str id = api_skin_text(req, r->spec.skin, r->spec.alias, r->spec.number);
    char hex[65];
    rift_sha256_hex(&o->row.sha256, hex);
    rift_json_object(j);
    rift_json_put_cstr(j, "profile", kinds[i].profile);
    rift_json_put_cstr(j, "options", options);
    rift_json_put_str(j, "url",
                      rift_arena_printf(&req->arena, "/v1/skins/%.*s.glb%s%s", RIFT_STR_ARG(id),
                                        options[0] != '\0' ? "?" : "", options));
    rift_json_put_str(j, "artifact", rift_arena_printf(&req->arena, "/v1/artifacts/%s.glb", hex));
    rift_json_put_uint(j, "bytes", o->row.size);
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
    for (size_t i = 0; i < RIFT_COUNT(kinds); i++) {
        if (r->outputs[i].there)
            put_output(req, j, r, i);
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
