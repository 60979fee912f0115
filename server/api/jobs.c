#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "body/body.h"
#include "config/limits.h"
#include "http/fields.h"
#include "http/guard.h"

/* ---- one job as JSON ---- */

static void put_time(rift_json *j, const char *key, int64_t ms)
{
    if (ms > 0)
        rift_json_put_int(j, key, ms);
}

static void put_result(rift_arena *arena, rift_json *j, const rift_job_row *row)
{
    char hex[65];
    rift_sha256_hex(&row->sha256, hex);
    const rift_str url = rift_arena_printf(arena, "/v1/artifacts/%s.glb", hex);
    rift_json_key(j, "result");
    rift_json_object(j);
    rift_json_put_str(j, "url", url);
    rift_json_put_cstr(j, "sha256", hex);
    rift_json_object_end(j);
}

static void put_links(rift_arena *arena, rift_json *j, const rift_job_row *row)
{
    const rift_str glb = api_glb_url(&row->spec, arena);
    rift_json_put_str(j, "url", rift_arena_printf(arena, "/v1/jobs/%lld", (long long)row->id));
    if (glb.size > 0)
        rift_json_put_str(j, "glb", glb);
}

void api_put_job_at(rift_arena *arena, rift_json *j, const rift_job_view *view, size_t position)
{
    const rift_job_row *row = view->row;
    const bool running = view->phase != NULL;
    rift_json_put_int(j, "id", row->id);
    rift_json_put_cstr(j, "state", running ? "running" : rift_job_state_word(row->state));
    if (row->spec.skin != 0)
        rift_json_put_uint(j, "skin", row->spec.skin);
    rift_json_put_str(j, "alias", row->spec.alias);
    rift_json_put_uint(j, "number", row->spec.number);
    rift_json_put_str(j, "options", row->spec.options);
    if (running)
        rift_json_put_cstr(j, "phase", view->phase);
    rift_json_put_int(j, "progress", row->state == RIFT_JOB_DONE ? 100 : view->progress);
    if (position > 0)
        rift_json_put_uint(j, "position", position);
    rift_json_put_uint(j, "attempt", row->attempt);
    put_time(j, "created", row->created);
    put_time(j, "started", row->started);
    put_time(j, "finished", row->finished);
    put_links(arena, j, row);
    if (row->state == RIFT_JOB_DONE && row->has_result)
        put_result(arena, j, row);
    if (row->error.size > 0 && (row->state == RIFT_JOB_FAILED || row->state == RIFT_JOB_DEAD)) {
        rift_json_put_str(j, "class", row->error_class);
        rift_json_key(j, "error");
        rift_json_raw(j, row->error);
    }
}

void api_put_job(rift_request *req, rift_json *j, const rift_job_view *view)
{
    api_context_of(req)->job = view->row->id;
    api_put_job_at(&req->arena, j, view, rift_job_position(view));
}

void api_send_job(rift_request *req, unsigned status, const rift_job_view *view)
{
    api_json doc;
    rift_json *j = api_json_begin(req, &doc);
    api_put_job(req, j, view);
    rift_json_object_end(j);
    api_json_send(req, status, &doc);
}

static bool is_live(const rift_job_row *row)
{
    return row->state == RIFT_JOB_QUEUED || row->state == RIFT_JOB_RUNNING;
}

/* ---- Prefer ---- */

typedef struct job_read {
    api_read read;
    rift_job_spec spec;
    int64_t id;
    int64_t wait_ms;
    unsigned wait_s;
    bool follow;
    rift_found found;
    bool has_job;
    rift_job_row job;
} job_read;

static void take_preference(job_read *r)
{
    const rift_prefer prefer = rift_prefer_parse(rift_request_header(r->read.req, "Prefer"));
    if (prefer.respond_async || !prefer.has_wait)
        return;
    r->wait_s = prefer.wait_s < RIFT_LIMIT_WAIT_S ? prefer.wait_s : RIFT_LIMIT_WAIT_S;
    r->wait_ms = (int64_t)r->wait_s * 1000;
    rift_reply_header_add(r->read.req, "Preference-Applied", "wait=%u", r->wait_s);
}

static job_read *new_read(rift_api *api, rift_request *req)
{
    job_read *r = RIFT_NEW(&req->arena, job_read, 1);
    if (r == NULL) {
        api_fail(req, 503, "nomem", "out of memory");
        return NULL;
    }
    *r = (job_read){.read = {.api = api, .req = req}};
    return r;
}

static void
submit(job_read *r, bool (*work)(rift_lane_op *, rift_store *, rift_err *), void (*done)(rift_lane_op *))
{
    r->read.op.work = work;
    r->read.op.done = done;
    rift_lane_submit(r->read.api->config.reader, &r->read.op);
}

/* ---- POST /v1/jobs ---- */

static void on_posted(void *user, const rift_answer *answer)
{
    job_read *r = user;
    rift_request *req = r->read.req;
    if (answer->kind == RIFT_ANSWER_FAILED) {
        api_fail_job(req, answer->job.row);
        return;
    }
    /* One that waits for room goes on by itself. */
    const bool is_live =
        answer->kind == RIFT_ANSWER_ACCEPTED || (answer->kind == RIFT_ANSWER_FULL && answer->job.row != NULL);
    if (answer->kind != RIFT_ANSWER_DONE && !is_live) {
        api_fail_answer(req, answer);
        return;
    }
    rift_reply_header_add(req, "Location", "/v1/jobs/%lld", (long long)answer->job.row->id);
    if (is_live)
        rift_reply_header_add(req, "Retry-After", "%u", answer->retry_after_s);
    api_send_job(req, answer->kind == RIFT_ANSWER_DONE ? 200 : 202, &answer->job);
}

static bool work_find(rift_lane_op *op, rift_store *store, rift_err *err)
{
    job_read *r = RIFT_OP_OWNER(op, job_read, read.op);
    return rift_store_find(store, &r->spec.key, rift_now_ms(), &r->found, &r->read.req->arena, err);
}

static void done_find(rift_lane_op *op)
{
    job_read *r = RIFT_OP_OWNER(op, job_read, read.op);
    rift_request *req = r->read.req;
    if (!op->ok) {
        api_fail_err(req, &op->err, NULL, 0);
        return;
    }
    if (r->found.kind == RIFT_FOUND_ARTIFACT) {
        r->found.job.sha256 = r->found.artifact.sha256;
        r->found.job.has_result = true;
        rift_reply_header_add(req, "Location", "/v1/jobs/%lld", (long long)r->found.job.id);
        api_send_job(req, 200, &(rift_job_view){.row = &r->found.job, .progress = 100});
    } else if (r->found.kind == RIFT_FOUND_FAILURE) {
        api_fail_job(req, &r->found.job);
    } else {
        rift_jobs_ask(r->read.api->config.jobs, &r->spec, r->wait_ms, on_posted, r);
    }
}

static bool read_body(const rift_api *api, rift_request *req, rift_job_body *body)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (!rift_is_type(rift_request_header(req, "Content-Type"), RIFT_STR("application/json"))) {
        api_fail(req, 415, "unsupported_media_type", "the body of a job is application/json");
        return false;
    }
    if (rift_job_body_parse(body, req->body, api->limits.defaults, &req->arena, &err))
        return true;
    api_fail_argument(req, &err, "bad_body");
    return false;
}

void api_jobs_post(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    rift_job_body body;
    rift_skin_ref skin;
    if (!api_accepts(req, "application/json") || !read_body(api, req, &body) ||
        !api_skin(api, req, body.skin, &skin) || !api_apply_masks(api, req, &body.options))
        return;
    job_read *r = new_read(api, req);
    if (r == NULL)
        return;
    const rift_str text = rift_options_text(&body.options, &req->arena);
    r->spec = rift_jobs_spec(api->config.jobs, &skin, text, &req->arena);
    if (!api_has_memory(req))
        return;
    take_preference(r);
    submit(r, work_find, done_find);
}

/* ---- GET /v1/jobs/{id} ---- */

static void send_state(job_read *r, const rift_job_view *view)
{
    rift_request *req = r->read.req;
    if (r->follow && view->row->state == RIFT_JOB_DONE && view->row->has_result) {
        char hex[65];
        rift_sha256_hex(&view->row->sha256, hex);
        rift_reply_header_add(req, "Location", "/v1/artifacts/%s.glb", hex);
        api_send_job(req, 303, view);
        return;
    }
    if (is_live(view->row))
        rift_reply_header_add(req, "Retry-After", "%u", rift_jobs_retry_after(r->read.api->config.jobs));
    api_send_job(req, 200, view);
}

static void on_watched(void *user, const rift_answer *answer)
{
    job_read *r = user;
    if (answer->job.row != NULL) {
        send_state(r, &answer->job);
    } else {
        api_fail_answer(r->read.req, answer);
    }
}

static bool work_job(rift_lane_op *op, rift_store *store, rift_err *err)
{
    job_read *r = RIFT_OP_OWNER(op, job_read, read.op);
    return rift_store_job(store, r->id, &r->has_job, &r->job, &r->read.req->arena, err);
}

static void done_job(rift_lane_op *op)
{
    job_read *r = RIFT_OP_OWNER(op, job_read, read.op);
    if (!op->ok) {
        api_fail_err(r->read.req, &op->err, NULL, 0);
    } else if (r->has_job) {
        send_state(r, &(rift_job_view){.row = &r->job});
    } else {
        api_fail(r->read.req, 404, "unknown_job", "there is no job %lld", (long long)r->id);
    }
}

/* follow=1 is the only parameter. */
static bool read_follow(rift_request *req, bool *follow)
{
    rift_str rest = req->query, value;
    char name[16], text[16];
    bool bad = false;
    while (rift_query_next(&rest, name, sizeof name, text, sizeof text, &value, &bad)) {
        if (strcmp(name, "follow") != 0 || !rift_str_eq(value, RIFT_STR("1"))) {
            bad = true;
            break;
        }
        *follow = true;
    }
    if (bad)
        api_fail(req, 400, "bad_parameter", "the only parameter here is follow=1");
    return !bad;
}

void api_job_get(rift_api *api, rift_request *req, rift_str id)
{
    uint64_t number;
    bool follow = false;
    if (!rift_str_u64(id, INT64_MAX, &number)) {
        api_fail(req, 400, "bad_job_id", "a job's id is a decimal number");
        return;
    }
    if (!read_follow(req, &follow) || !api_accepts(req, "application/json"))
        return;
    job_read *r = new_read(api, req);
    if (r == NULL)
        return;
    r->id = (int64_t)number;
    r->follow = follow;
    take_preference(r);
    if (!rift_jobs_watch(api->config.jobs, r->id, r->wait_ms, on_watched, r))
        submit(r, work_job, done_job);
}
