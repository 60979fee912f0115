#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "log/log.h"

enum { JSON_MAX = 32 * 1024 * 1024 };

static const char exposed[] = "ETag, Content-Length, Content-Range, Accept-Ranges, Last-Modified, Location, "
                              "Content-Location, Content-Disposition, Retry-After, Link, Repr-Digest, "
                              "Cache-Status, Preference-Applied, Vary, Allow";

static bool has_header(const rift_request *req, const char *name)
{
    for (size_t i = 0; i < req->header_count; i++) {
        if (strcmp(req->headers[i].name, name) == 0)
            return true;
    }
    return false;
}

static void log_reply(const rift_request *req, unsigned status)
{
    rift_log log;
    rift_log_begin(&log, status >= 500 && status != 503 ? RIFT_LOG_WARNING : RIFT_LOG_DEBUG, "request");
    rift_log_str(&log, "method", req->method);
    rift_log_str(&log, "target", req->target);
    rift_log_int(&log, "status", status);
    rift_log_end(&log);
}

void api_send(rift_request *req, unsigned status)
{
    req->status = status;
    rift_reply_header_add(req, "Access-Control-Allow-Origin", "*");
    rift_reply_header_add(req, "Access-Control-Expose-Headers", "%s", exposed);
    rift_reply_header_add(req, "Cross-Origin-Resource-Policy", "cross-origin");
    rift_reply_header_add(req, "Timing-Allow-Origin", "*");
    rift_reply_header_add(req, "X-Content-Type-Options", "nosniff");
    if (!has_header(req, "Cache-Control"))
        rift_reply_header_add(req, "Cache-Control", "no-store");
    log_reply(req, status);
    rift_request_send(req);
}

rift_json *api_json_begin(rift_request *req, api_json *out)
{
    rift_buf_init(&out->buf, &req->arena, JSON_MAX);
    rift_json_init(&out->json, &out->buf);
    rift_json_object(&out->json);
    return &out->json;
}

void api_json_send(rift_request *req, unsigned status, const api_json *doc)
{
    req->reply_body = rift_buf_bytes(&doc->buf);
    if (!has_header(req, "Content-Type"))
        rift_reply_header_add(req, "Content-Type", "application/json");
    api_send(req, status);
}

static const char *title_of(unsigned status)
{
    switch (status) {
    case 400:
        return "Bad request";
    case 404:
        return "Not found";
    case 405:
        return "Method not allowed";
    case 406:
        return "Not acceptable";
    case 413:
        return "Body too large";
    case 415:
        return "Unsupported media type";
    case 416:
        return "Range not satisfiable";
    case 422:
        return "Unreadable game data";
    case 503:
        return "Not now";
    default:
        return "Internal error";
    }
}

static void put_own_members(rift_json *j, const api_problem *p)
{
    rift_json_put_cstr(j, "detail", p->detail);
    rift_json_put_cstr(j, "code", p->code);
    if (p->stage != NULL)
        rift_json_put_cstr(j, "stage", p->stage);
    if (p->where != NULL && p->where[0] != '\0')
        rift_json_put_cstr(j, "where", p->where);
    if (p->has_offset)
        rift_json_put_uint(j, "offset", p->offset);
    rift_json_put_bool(j, "retryable", p->retryable);
}

/* "{…}" without its braces, after what is there already. */
static void put_raw_members(api_json *doc, rift_str object)
{
    if (object.size <= 2)
        return;
    rift_buf_str(&doc->buf, RIFT_STR(","));
    rift_buf_str(&doc->buf, (rift_str){object.data + 1, object.size - 2});
}

void api_problem_send(rift_request *req, const api_problem *p)
{
    api_json doc;
    rift_json *j = api_json_begin(req, &doc);
    rift_json_put_cstr(j, "type", "about:blank");
    rift_json_put_cstr(j, "title", title_of(p->status));
    rift_json_put_uint(j, "status", p->status);
    if (p->skin != 0)
        rift_json_put_uint(j, "skin", p->skin);
    if (p->job != 0)
        rift_json_put_int(j, "job", p->job);
    if (p->members.size > 0) {
        put_raw_members(&doc, p->members);
    } else {
        put_own_members(j, p);
    }
    rift_json_object_end(j);
    if (p->retry_after_s > 0)
        rift_reply_header_add(req, "Retry-After", "%u", p->retry_after_s);
    rift_reply_header_add(req, "Content-Type", "application/problem+json");
    api_json_send(req, p->status, &doc);
}

void api_fail(rift_request *req, unsigned status, const char *code, const char *format, ...)
{
    char detail[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    api_problem_send(req, &(api_problem){.status = status, .code = code, .detail = detail});
}

static unsigned status_of(rift_status code)
{
    switch (code) {
    case RIFT_ERR_TRUNCATED:
    case RIFT_ERR_FORMAT:
    case RIFT_ERR_UNSUPPORTED:
    case RIFT_ERR_LIMIT:
        return 422;
    case RIFT_ERR_NOT_FOUND:
        return 404;
    case RIFT_ERR_ARGUMENT:
        return 400;
    case RIFT_ERR_NOMEM:
    case RIFT_ERR_CANCELLED:
        return 503;
    case RIFT_ERR_IO:
    case RIFT_ERR_INTERNAL:
    case RIFT_OK:
        break;
    }
    return 500;
}

void api_fail_err(rift_request *req, const rift_err *err, const char *stage, uint32_t skin)
{
    char word[32], where[sizeof err->file + sizeof err->where + 4];
    const char *name = rift_status_name(err->code);
    size_t n = 0;
    for (; name[n] != '\0' && n + 1 < sizeof word; n++)
        word[n] = rift_lower(name[n]);
    word[n] = '\0';
    (void)snprintf(where, sizeof where, "%s%s%s", err->file, err->file[0] && err->where[0] ? ": " : "",
                   err->where);
    unsigned status = status_of(err->code);
    /* A file that a known skin names is no matter of the URL. */
    if (status == 404 && stage != NULL && strcmp(stage, "lookup") != 0)
        status = 422;
    api_problem_send(req, &(api_problem){.status = status,
                                         .code = word,
                                         .detail = err->text,
                                         .where = where,
                                         .stage = stage,
                                         .offset = err->offset,
                                         .has_offset = err->offset != RIFT_NO_OFFSET,
                                         .skin = skin,
                                         .retryable = status == 503,
                                         .retry_after_s = status == 503 ? 1 : 0});
}

void api_fail_argument(rift_request *req, const rift_err *err, const char *code)
{
    char detail[sizeof err->where + sizeof err->text + 2];
    (void)snprintf(detail, sizeof detail, "%s: %s", err->where, err->text);
    api_problem_send(req, &(api_problem){.status = err->code == RIFT_ERR_ARGUMENT ? 400 : 503,
                                         .code = code,
                                         .detail = detail,
                                         .where = err->where,
                                         .offset = err->offset,
                                         .has_offset = err->offset != RIFT_NO_OFFSET});
}

void api_fail_job(rift_request *req, const rift_job_row *job)
{
    const int64_t left = (job->remembered - rift_now_ms() + 999) / 1000;
    const unsigned status = job->error_status >= 400 && job->error_status < 600 ? job->error_status : 500;
    api_problem_send(req, &(api_problem){.status = status,
                                         .code = "failed",
                                         .detail = "the conversion failed",
                                         .job = job->id,
                                         .skin = job->spec.skin,
                                         .retry_after_s = left > 0        ? (unsigned)left
                                                          : status == 503 ? 1
                                                                          : 0,
                                         .members = job->error});
}

void api_fail_answer(rift_request *req, const rift_answer *answer)
{
    api_problem p = {.status = 503, .retryable = true, .retry_after_s = answer->retry_after_s};
    if (answer->job.row != NULL) {
        p.job = answer->job.row->id;
        p.skin = answer->job.row->spec.skin;
    }
    switch (answer->kind) {
    case RIFT_ANSWER_BUSY:
        p.code = "queue_full";
        p.detail = "the queue is full";
        break;
    case RIFT_ANSWER_DRAINING:
        p.code = "draining";
        p.detail = "the server stops; an accepted job goes on after its restart";
        break;
    case RIFT_ANSWER_ERROR:
        p.code = "store";
        p.detail = "the job store did not answer";
        break;
    case RIFT_ANSWER_ACCEPTED:
        p.code = "in_progress";
        p.detail = "the conversion goes on; ask again";
        break;
    case RIFT_ANSWER_DONE:
    case RIFT_ANSWER_FAILED:
        p.code = "internal";
        p.detail = "unexpected answer";
        break;
    }
    api_problem_send(req, &p);
}
