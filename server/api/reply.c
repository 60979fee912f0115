#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "compress/compress.h"
#include "http/fields.h"
#include "log/log.h"

enum {
    JSON_MAX = 32 * 1024 * 1024,
    SMALLEST_PACKED = 1024,
    LARGEST_PACKED = 8 * 1024 * 1024,
    LARGEST_HERE = 16 * 1024, /* takes less than a millisecond; what is larger goes to the pool */
    FULL_RETRY_S = 5,
};

static const char exposed[] = "ETag, Content-Length, Content-Range, Accept-Ranges, Last-Modified, Location, "
                              "Content-Location, Content-Disposition, Retry-After, Link, Repr-Digest, "
                              "Cache-Status, Preference-Applied, Vary, Allow, Content-Encoding, "
                              "X-Request-Id, Traceparent, WWW-Authenticate, RateLimit, RateLimit-Policy";

/* A signature is a secret as long as it holds. */
static rift_str without_signature(rift_str target)
{
    const char *mark = target.size > 0 ? memmem(target.data, target.size, "sig=", 4) : NULL;
    return mark != NULL ? (rift_str){target.data, (size_t)(mark - target.data) + 4} : target;
}

static uint64_t sent_size(const rift_request *req)
{
    return req->status == 304 ? 0 : req->fd >= 0 ? req->file_size : req->reply_body.size;
}

static void
log_reply(const rift_api *api, const rift_request *req, const api_context *context, uint64_t took_us)
{
    const bool is_chosen = api->limits.access_log > 0 && api->requests % api->limits.access_log == 0;
    const bool is_bad = req->status >= 500 && req->status != 503;
    rift_log log;
    rift_log_begin(&log, is_bad ? RIFT_LOG_WARNING : is_chosen ? RIFT_LOG_INFO : RIFT_LOG_DEBUG, "request");
    if (log.dropped)
        return;
    rift_log_str(&log, "method", req->method);
    rift_log_int(&log, "status", req->status);
    rift_log_int(&log, "us", (int64_t)took_us);
    rift_log_int(&log, "bytes", (int64_t)sent_size(req));
    rift_log_str(&log, "request", rift_str_c(context->trace.request));
    rift_log_str(&log, "trace", rift_trace_id(&context->trace));
    if (context->job != 0)
        rift_log_int(&log, "job", context->job);
    if (context->token != NULL && context->token[0] != '\0')
        rift_log_str(&log, "token", rift_str_c(context->token));
    rift_log_str(&log, "target", without_signature(req->target));
    rift_log_end(&log);
}

/* ---- codings ---- */

rift_encoding api_choose_encoding(rift_request *req, unsigned may)
{
    const rift_str accept = rift_request_header(req, "Accept-Encoding");
    rift_encoding best = RIFT_ENCODING_COUNT;
    unsigned most = rift_accept_encoding(accept, RIFT_STR("identity"));
    for (unsigned e = RIFT_ENCODING_COUNT; e-- > 0;) {
        const unsigned weight =
            (may >> e & 1) != 0
                ? rift_accept_encoding(accept, rift_str_c(rift_encoding_word((rift_encoding)e)))
                : 0;
        if (weight > 0 && weight >= most) {
            most = weight;
            best = (rift_encoding)e;
        }
    }
    return best;
}

void api_etag(char out[API_ETAG_SIZE], const char *name, rift_encoding encoding)
{
    const bool plain = encoding == RIFT_ENCODING_COUNT;
    (void)snprintf(out, API_ETAG_SIZE, "\"%s%s%s\"", name, plain ? "" : "-",
                   plain ? "" : rift_encoding_word(encoding));
}

bool api_if_none_match(rift_request *req, const char *name, rift_encoding *encoding)
{
    const rift_str list = rift_request_header(req, "If-None-Match");
    for (unsigned n = 0; n <= RIFT_ENCODING_COUNT; n++) {
        const rift_encoding e = (rift_encoding)(((unsigned)*encoding + n) % (RIFT_ENCODING_COUNT + 1));
        char etag[API_ETAG_SIZE];
        api_etag(etag, name, e);
        if (rift_etag_in_list(list, rift_str_c(etag))) {
            *encoding = e;
            return true;
        }
    }
    return false;
}

static rift_reply_header *find_header(rift_request *req, const char *name)
{
    for (size_t i = 0; i < req->header_count; i++) {
        if (strcmp(req->headers[i].name, name) == 0)
            return &req->headers[i];
    }
    return NULL;
}

static bool is_text(rift_request *req)
{
    const rift_reply_header *type = find_header(req, "Content-Type");
    return type != NULL && req->fd < 0 && req->stream == NULL &&
           find_header(req, "Content-Encoding") == NULL &&
           rift_str_starts_nocase(type->value, RIFT_STR("application/"));
}

/* A text that is to be packed; in the request's arena. */
typedef struct packing {
    api_work work;
    rift_encoding encoding;
    rift_bytes packed;
} packing;

/* The coding that the client wants a text in; RIFT_ENCODING_COUNT: as it is. */
static rift_encoding choose_packing(rift_request *req)
{
    if (!is_text(req) || req->reply_body.size <= SMALLEST_PACKED)
        return RIFT_ENCODING_COUNT;
    if (find_header(req, "Vary") == NULL)
        rift_reply_header_add(req, "Vary", "Accept-Encoding");
    return req->reply_body.size <= LARGEST_PACKED ? api_choose_encoding(req, (1U << RIFT_ENCODING_COUNT) - 1)
                                                  : RIFT_ENCODING_COUNT;
}

/* Without memory the text goes as it is, if it can go at all. */
static void pack(api_work *w)
{
    packing *p = RIFT_OP_OWNER(w, packing, work);
    rift_request *req = w->req;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    const bool ok = p->encoding == RIFT_ENCODING_ZSTD
                        ? rift_zstd(&p->packed, req->reply_body, 1, &req->arena, &err)
                        : rift_gzip(&p->packed, req->reply_body, &req->arena, &err);
    if (!ok || p->packed.size >= req->reply_body.size)
        p->packed = (rift_bytes){0};
}

static void take_packed(rift_request *req, const packing *p)
{
    if (p->packed.size == 0)
        return;
    req->reply_body = p->packed;
    rift_reply_header_add(req, "Content-Encoding", "%s", rift_encoding_word(p->encoding));
    rift_reply_header *etag = find_header(req, "ETag");
    if (etag != NULL && etag->value.size > 2) {
        etag->value = rift_arena_printf(&req->arena, "%.*s-%s\"", (int)etag->value.size - 1, etag->value.data,
                                        rift_encoding_word(p->encoding));
    }
}

static void count_reply(api_metrics *m, const rift_request *req, const api_context *context, uint64_t took_us)
{
    rift_codes_add(&m->codes[context->route], req->status);
    rift_histogram_add(&m->seconds[context->route], (int64_t)took_us);
    m->sent_bytes += rift_str_eq(req->method, RIFT_STR("HEAD")) ? 0 : sent_size(req);
}

/* What the client sees; caches that others share must not keep what a token was needed for. */
static void put_cache_control(rift_request *req, const api_context *context)
{
    static const char open[] = "public, ";
    rift_reply_header *h = find_header(req, "Cache-Control");
    if (h == NULL) {
        rift_reply_header_put(req, "Cache-Control", "no-store");
    } else if (context->is_private && strncmp(h->value.data, open, sizeof open - 1) == 0) {
        h->value = rift_arena_printf(&req->arena, "private, %s", h->value.data + sizeof open - 1);
    }
}

static void send_packed(rift_request *req)
{
    api_context *context = api_context_of(req);
    rift_api *api = context->api;
    rift_reply_header_put(req, "Access-Control-Allow-Origin", "*");
    rift_reply_header_put(req, "Access-Control-Expose-Headers", exposed);
    rift_reply_header_put(req, "Cross-Origin-Resource-Policy", "cross-origin");
    rift_reply_header_put(req, "Timing-Allow-Origin", "*");
    rift_reply_header_put(req, "X-Content-Type-Options", "nosniff");
    rift_reply_header_put(req, "X-Request-Id", context->trace.request);
    rift_reply_header_put(req, "Traceparent", context->trace.parent);
    put_cache_control(req, context);
    const uint64_t took_us = (uv_hrtime() - context->begun_ns) / 1000;
    api->requests++;
    count_reply(&api->metrics, req, context, took_us);
    log_reply(api, req, context, took_us);
    rift_request_send(req);
}

static void on_packed(api_work *w)
{
    take_packed(w->req, RIFT_OP_OWNER(w, packing, work));
    send_packed(w->req);
}

void api_send(rift_request *req, unsigned status)
{
    req->status = status;
    const rift_encoding encoding = status != 304 ? choose_packing(req) : RIFT_ENCODING_COUNT;
    packing *p = encoding < RIFT_ENCODING_COUNT ? RIFT_NEW(&req->arena, packing, 1) : NULL;
    if (p == NULL) {
        send_packed(req);
        return;
    }
    *p = (packing){.work = {.api = api_context_of(req)->api, .req = req}, .encoding = encoding};
    if (req->reply_body.size > LARGEST_HERE) {
        api_work_start(&p->work, pack, on_packed);
    } else {
        pack(&p->work);
        on_packed(&p->work);
    }
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
    if (find_header(req, "Content-Type") == NULL)
        rift_reply_header_add(req, "Content-Type", "application/json");
    api_send(req, status);
}

void api_link_next(rift_request *req, int64_t last)
{
    rift_str rest = req->query, pair;
    rift_str kept = {0};
    while (rift_str_next(&rest, "&", &pair)) {
        if (!rift_str_starts_nocase(pair, RIFT_STR("after=")))
            kept = rift_arena_printf(&req->arena, "%.*s%.*s&", RIFT_STR_ARG(kept), RIFT_STR_ARG(pair));
    }
    rift_reply_header_add(req, "Link", "<%.*s?%.*safter=%lld>; rel=\"next\"", RIFT_STR_ARG(req->path),
                          RIFT_STR_ARG(kept), (long long)last);
}

static const char *title_of(unsigned status)
{
    switch (status) {
    case 400:
        return "Bad request";
    case 401:
        return "Not authorised";
    case 403:
        return "Forbidden";
    case 404:
        return "Not found";
    case 405:
        return "Method not allowed";
    case 406:
        return "Not acceptable";
    case 409:
        return "Conflict";
    case 413:
        return "Body too large";
    case 415:
        return "Unsupported media type";
    case 416:
        return "Range not satisfiable";
    case 422:
        return "Unreadable game data";
    case 429:
        return "Too many requests";
    case 503:
        return "Not now";
    case 507:
        return "No room";
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
    api_context_of(req)->job = p->job;
    rift_json_put_str(j, "trace", rift_trace_id(&api_context_of(req)->trace));
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

void api_busy(rift_request *req, const char *detail, unsigned retry_after_s)
{
    api_problem_send(req, &(api_problem){.status = 503,
                                         .code = "busy",
                                         .detail = detail,
                                         .retryable = true,
                                         .retry_after_s = retry_after_s});
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
    const rift_verdict verdict = rift_judge(err->code, stage == NULL || strcmp(stage, "lookup") == 0);
    const unsigned status = verdict.status;
    api_problem_send(req, &(api_problem){.status = status,
                                         .code = word,
                                         .detail = err->text,
                                         .where = where,
                                         .stage = stage,
                                         .offset = err->offset,
                                         .has_offset = err->offset != RIFT_NO_OFFSET,
                                         .skin = skin,
                                         .retryable = verdict.retryable,
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

/* Caches serve an older reply in place of a 503, not of a 507. */
static unsigned full_status(const rift_request *req)
{
    const bool reads =
        rift_str_eq(req->method, RIFT_STR("GET")) || rift_str_eq(req->method, RIFT_STR("HEAD"));
    return reads ? 503 : 507;
}

void api_fail_full(rift_request *req)
{
    api_problem_send(req, &(api_problem){.status = full_status(req),
                                         .code = "disk_full",
                                         .detail = "the server's disk has no room",
                                         .retryable = true,
                                         .retry_after_s = FULL_RETRY_S});
}

bool api_has_room(rift_api *api, rift_request *req)
{
    if (rift_cache_room(api->config.cache).state == RIFT_ROOM_KEPT)
        return true;
    api_fail_full(req);
    return false;
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
        p.detail = "more waits than would be served soon";
        break;
    case RIFT_ANSWER_FULL:
        p.status = full_status(req);
        p.code = "disk_full";
        p.detail = "the server's disk has no room for new results; what was made is served";
        break;
    case RIFT_ANSWER_DRAINING:
        p.code = "draining";
        p.detail = "the server stops; an accepted job goes on after its restart";
        break;
    case RIFT_ANSWER_ERROR:
        p.code = "store";
        p.detail = "the job store did not answer";
        break;
    case RIFT_ANSWER_CANCELLED:
        p.code = "cancelled";
        p.detail = "the job was cancelled meanwhile; ask again";
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
