/* The list of jobs, and cancelling one. */
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "config/limits.h"
#include "http/guard.h"

/* ---- GET /v1/jobs ---- */

typedef struct jobs_read {
    api_read read;
    rift_job_query query; /* limit: one more than is shown */
    bool has_state, has_skin, has_after, has_limit;
    rift_job_row *rows;
    size_t count;
} jobs_read;

static bool once(bool *seen)
{
    const bool first = !*seen;
    *seen = true;
    return first;
}

/* A list of state words; "live" is queued and running. */
static bool parse_states(rift_str text, unsigned *out)
{
    rift_str word;
    while (rift_str_next(&text, ",", &word)) {
        rift_job_state state;
        if (rift_str_eq(word, RIFT_STR("live"))) {
            *out |= 1U << RIFT_JOB_QUEUED | 1U << RIFT_JOB_RUNNING;
        } else if (rift_job_state_parse(word, &state)) {
            *out |= 1U << state;
        } else {
            return false;
        }
    }
    return *out != 0;
}

/* False when the parameter is wrong; *answered when an answer was sent already. */
static bool set_parameter(jobs_read *r, rift_str name, rift_str value, bool *answered)
{
    rift_request *req = r->read.req;
    uint64_t n;
    if (rift_str_eq(name, RIFT_STR("state")))
        return once(&r->has_state) && parse_states(value, &r->query.states);
    if (rift_str_eq(name, RIFT_STR("skin"))) {
        rift_skin_ref skin;
        if (!once(&r->has_skin))
            return false;
        *answered = !api_skin(r->read.api, req, value, &skin);
        if (*answered)
            return false;
        r->query.alias = rift_arena_copy_str(&req->arena, skin.alias);
        r->query.number = skin.number;
        return true;
    }
    if (rift_str_eq(name, RIFT_STR("after"))) {
        if (!once(&r->has_after) || !rift_str_u64(value, INT64_MAX, &n))
            return false;
        r->query.after = (int64_t)n;
        return true;
    }
    if (!rift_str_eq(name, RIFT_STR("limit")) || !once(&r->has_limit) ||
        !rift_str_u64(value, RIFT_LIMIT_PAGE, &n) || n == 0)
        return false;
    r->query.limit = (size_t)n + 1;
    return true;
}

static bool read_parameters(jobs_read *r)
{
    rift_request *req = r->read.req;
    rift_str rest = req->query, value;
    char name[32], text[256];
    bool bad = false, answered = false;
    r->query.limit = RIFT_LIMIT_PAGE_DEFAULT + 1;
    while (rift_query_next(&rest, name, sizeof name, text, sizeof text, &value, &bad)) {
        if (set_parameter(r, rift_str_c(name), value, &answered))
            continue;
        if (!answered) {
            rift_err err;
            rift_err_in(&err, (rift_str){0});
            (void)rift_fail(&err, RIFT_ERR_ARGUMENT, name, RIFT_NO_OFFSET,
                            "is no parameter of this list, is given twice, or has no such value (state: "
                            "queued, running, done, failed, dead, cancelled, live; skin; after; limit from "
                            "1 to 1000)");
            api_fail_argument(req, &err, "bad_parameter");
        }
        return false;
    }
    if (bad)
        api_fail(req, 400, "bad_parameter", "the query is malformed or holds too long a part");
    return !bad;
}

static bool work_list(rift_lane_op *op, rift_store *store, rift_err *err)
{
    jobs_read *r = RIFT_OP_OWNER(op, jobs_read, read.op);
    return rift_store_list(store, &r->query, &r->rows, &r->count, &r->read.req->arena, err);
}

static void put_row(jobs_read *r, rift_json *j, const rift_job_row *row)
{
    rift_job_view view;
    rift_json_object(j);
    /* What lives knows more of itself than its row. */
    if (row->state > RIFT_JOB_RUNNING || !rift_jobs_view(r->read.api->config.jobs, row->id, &view))
        view = (rift_job_view){.row = row};
    view.flight = NULL; /* a place for each would be a walk for each */
    api_put_job(r->read.req, j, &view);
    rift_json_object_end(j);
}

static void done_list(rift_lane_op *op)
{
    jobs_read *r = RIFT_OP_OWNER(op, jobs_read, read.op);
    rift_request *req = r->read.req;
    if (!op->ok) {
        api_fail_err(req, &op->err, NULL, 0);
        return;
    }
    const bool more = r->count == r->query.limit;
    const size_t shown = more ? r->count - 1 : r->count;
    api_json doc;
    rift_json *j = api_json_begin(req, &doc);
    rift_json_key(j, "jobs");
    rift_json_array(j);
    for (size_t i = 0; i < shown; i++)
        put_row(r, j, &r->rows[i]);
    rift_json_array_end(j);
    if (more) {
        rift_json_put_int(j, "next", r->rows[shown - 1].id);
        api_link_next(req, r->rows[shown - 1].id);
    }
    rift_json_object_end(j);
    api_json_send(req, 200, &doc);
}

void api_jobs_list(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    jobs_read *r = RIFT_NEW(&req->arena, jobs_read, 1);
    if (r == NULL) {
        api_fail(req, 503, "nomem", "out of memory");
        return;
    }
    *r = (jobs_read){.read = {.api = api, .req = req}};
    if (!api_accepts(req, "application/json") || !read_parameters(r) || !api_has_memory(req))
        return;
    r->read.op.work = work_list;
    r->read.op.done = done_list;
    rift_lane_submit(api->config.reader, &r->read.op);
}

/* ---- DELETE /v1/jobs/{id} ---- */

static void on_cancelled(void *user, const rift_cancelled *result)
{
    rift_request *req = user;
    const rift_job_view view = {.row = result->row};
    const int64_t id = result->row != NULL ? result->row->id : 0;
    switch (result->kind) {
    case RIFT_CANCELLED_DONE:
        api_send_job(req, 200, &view);
        return;
    case RIFT_CANCELLED_STOPPING:
        rift_reply_header_add(req, "Retry-After", "1");
        api_send_job(req, 202, &view);
        return;
    case RIFT_CANCELLED_UNKNOWN:
        api_fail(req, 404, "unknown_job", "there is no such job");
        return;
    case RIFT_CANCELLED_ENDED:
        api_problem_send(
            req, &(api_problem){.status = 409, .code = "job_ended", .detail = "the job is over", .job = id});
        return;
    case RIFT_CANCELLED_WANTED:
        api_problem_send(req, &(api_problem){.status = 409,
                                             .code = "job_wanted",
                                             .detail = "requests wait for this job",
                                             .job = id,
                                             .retryable = true});
        return;
    case RIFT_CANCELLED_ERROR:
        break;
    }
    api_fail_err(req, result->err, NULL, 0);
}

void api_job_delete(rift_api *api, rift_request *req, rift_str id)
{
    uint64_t number;
    if (!rift_str_u64(id, INT64_MAX, &number)) {
        api_fail(req, 400, "bad_job_id", "a job's id is a decimal number");
    } else if (req->query.size > 0) {
        api_fail(req, 400, "bad_parameter", "cancelling a job has no parameters");
    } else {
        rift_jobs_cancel(api->config.jobs, (int64_t)number, on_cancelled, req);
    }
}
