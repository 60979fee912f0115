#include "api/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "body/body.h"
#include "http/fields.h"

/* ---- requests ---- */

static bool method_is(const rift_request *req, const char *method)
{
    return rift_str_eq(req->method, rift_str_c(method));
}

bool api_accepts(rift_request *req, const char *type)
{
    if (rift_accepts(rift_request_header(req, "Accept"), rift_str_c(type)))
        return true;
    api_fail(req, 406, "not_acceptable", "this resource is %s", type);
    return false;
}

bool api_has_memory(rift_request *req)
{
    if (req->arena.failed == RIFT_OK)
        return true;
    api_fail(req, 503, "nomem", "out of memory");
    return false;
}

bool api_skin(rift_api *api, rift_request *req, rift_str text, rift_skin_ref *out)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (rift_game_find_skin(api->config.env->game, text, &req->arena, out, &err)) {
        /* The game of now may be gone before the reply. */
        out->alias = rift_arena_copy_str(&req->arena, out->alias);
        out->champion = NULL;
        return api_has_memory(req);
    }
    uint64_t id = 0;
    (void)rift_str_u64(text, UINT32_MAX, &id);
    const bool unknown = err.code == RIFT_ERR_NOT_FOUND;
    if (unknown || err.code == RIFT_ERR_ARGUMENT) {
        api_problem_send(req, &(api_problem){.status = unknown ? 404 : 400,
                                             .code = unknown ? "unknown_skin" : "bad_skin_id",
                                             .detail = err.text,
                                             .stage = "lookup",
                                             .skin = unknown ? (uint32_t)id : 0});
    } else {
        api_fail_err(req, &err, "lookup", 0);
    }
    return false;
}

bool api_query_options(rift_request *req, rift_options *options, rift_str *text)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (!rift_query_options(options, req->query, &req->arena, &err)) {
        api_fail_argument(req, &err, "bad_option");
        return false;
    }
    *text = rift_options_text(options, &req->arena);
    return true;
}

rift_str api_skin_text(rift_request *req, uint32_t id, rift_str alias, uint32_t number)
{
    const rift_job_spec spec = {.skin = id, .alias = alias, .number = number};
    return rift_spec_text(&spec, &req->arena);
}

/* ---- routes ---- */

typedef struct route {
    const char *method; /* "GET" is HEAD too */
    const char
        *path; /* '*': one segment; '@': a skin as ids name it, "157036" or "yasuo/36"; at most one of them */
    void (*handle)(rift_api *api, rift_request *req, rift_str arg);
} route;

/* The first path that fits is the resource; its methods stand in rows of the very same text. */
static const route routes[] = {
    {"GET", "/livez", api_system},
    {"GET", "/readyz", api_system},
    {"GET", "/openapi.json", api_page},
    {"GET", "/", api_page},
    {"GET", "/viewer.js", api_page},
    {"GET", "/viewer.d.ts", api_page},
    {"GET", "/page.js", api_page},
    {"GET", "/page.css", api_page},
    {"GET", "/icon.svg", api_page},
    {"GET", "/example.html", api_page},
    {"GET", "/v1/jobs", api_jobs_list},
    {"POST", "/v1/jobs", api_jobs_post},
    {"POST", "/v1/jobs:batch", api_jobs_batch},
    {"GET", "/v1/jobs/*", api_job_get},
    {"DELETE", "/v1/jobs/*", api_job_delete},
    {"GET", "/v1/jobs/*/events", api_job_events},
    {"GET", "/v1/skins", api_skins_list},
    {"GET", "/v1/skins/@.glb", api_skin_glb},
    {"GET", "/v1/skins/@/report", api_skin_report},
    {"GET", "/v1/skins/@/skeleton", api_skin_skeleton},
    {"GET", "/v1/skins/@/thumbnail.png", api_skin_thumbnail},
    {"GET", "/v1/skins/@", api_skin_metadata},
    {"GET", "/v1/artifacts/*.glb", api_artifact},
};

static bool is_number(rift_str s)
{
    uint64_t n;
    return rift_str_u64(s, UINT64_MAX, &n);
}

/* A word behind an id is a resource of another name, but for one with an extension: that is a wrong id. */
static bool is_skin(rift_str arg, bool has_extension)
{
    const char *slash = memchr(arg.data, '/', arg.size);
    if (slash == NULL)
        return true;
    const size_t at = (size_t)(slash - arg.data);
    const rift_str last = {slash + 1, arg.size - at - 1};
    return memchr(last.data, '/', last.size) == NULL && (has_extension || is_number(last));
}

static bool fits(const char *pattern, rift_str path, rift_str *arg)
{
    const size_t front = strcspn(pattern, "*@");
    if (path.size < front || memcmp(path.data, pattern, front) != 0)
        return false;
    *arg = (rift_str){path.data + front, path.size - front};
    if (pattern[front] == '\0')
        return arg->size == 0;
    const char *end = pattern + front + 1;
    const size_t back = strlen(end);
    if (arg->size <= back || memcmp(arg->data + arg->size - back, end, back) != 0)
        return false;
    arg->size -= back;
    return pattern[front] == '@' ? is_skin(*arg, end[0] == '.') : memchr(arg->data, '/', arg->size) == NULL;
}

static bool takes(const route *r, const rift_request *req)
{
    return method_is(req, r->method) || (strcmp(r->method, "GET") == 0 && method_is(req, "HEAD"));
}

static void refuse_method(rift_request *req, const char *pattern)
{
    char allow[128] = "";
    for (size_t i = 0; i < RIFT_COUNT(routes); i++) {
        const size_t n = strlen(allow);
        if (strcmp(routes[i].path, pattern) == 0) {
            (void)snprintf(allow + n, sizeof allow - n, "%s%s, ", routes[i].method,
                           strcmp(routes[i].method, "GET") == 0 ? ", HEAD" : "");
        }
    }
    rift_reply_header_add(req, "Allow", "%sOPTIONS", allow);
    api_fail(req, 405, "method_not_allowed", "%.20s is not among %sOPTIONS", req->method.data, allow);
}

static void preflight(rift_request *req)
{
    static const char methods[] = "GET, HEAD, POST, PUT, DELETE, OPTIONS";
    rift_reply_header_add(req, "Access-Control-Allow-Methods", "%s", methods);
    rift_reply_header_add(req, "Access-Control-Allow-Headers",
                          "Content-Type, Prefer, Range, If-Range, If-None-Match, If-Modified-Since, Accept, "
                          "Authorization, Idempotency-Key, X-Request-Id, Traceparent");
    rift_reply_header_add(req, "Access-Control-Max-Age", "86400");
    rift_reply_header_add(req, "Allow", "%s", methods);
    api_send(req, 204);
}

void rift_api_handle(void *user, rift_request *req)
{
    rift_api *api = user;
    const char *resource = NULL;
    if (method_is(req, "OPTIONS")) {
        preflight(req);
        return;
    }
    for (size_t i = 0; i < RIFT_COUNT(routes); i++) {
        const route *r = &routes[i];
        rift_str arg = {0};
        if (resource != NULL ? strcmp(resource, r->path) != 0 : !fits(r->path, req->path, &arg))
            continue;
        resource = r->path;
        if (takes(r, req)) {
            (void)fits(r->path, req->path, &arg);
            r->handle(api, req, arg);
            return;
        }
    }
    if (resource != NULL) {
        refuse_method(req, resource);
    } else {
        api_fail(req, 404, "unknown_route", "there is no such resource");
    }
}

void rift_api_refuse(void *user, rift_request *req, unsigned status, const char *why)
{
    const rift_api *api = user;
    if (status == 413) {
        api_fail(req, 413, "body_too_large", "the body is over %zu bytes", api->config.body_bytes);
    } else {
        api_fail(req, 400, "malformed_request", "%s", why);
    }
}

/* ---- /livez, /readyz ---- */

void api_system(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    const bool ready = rift_str_eq(req->path, RIFT_STR("/readyz"));
    if (ready && rift_http_is_draining(req->http)) {
        api_problem_send(req, &(api_problem){.status = 503,
                                             .code = "draining",
                                             .detail = "the server stops",
                                             .retryable = true,
                                             .retry_after_s = 1});
        return;
    }
    api_json doc;
    rift_json *j = api_json_begin(req, &doc);
    const rift_jobs_counts counts = rift_jobs_count(api->config.jobs);
    rift_json_put_cstr(j, "status", ready ? "ready" : "alive");
    rift_json_put_cstr(j, "version", RIFT_VERSION);
    if (ready) {
        rift_json_put_uint(j, "queued", counts.queued);
        rift_json_put_uint(j, "running", counts.running);
        rift_json_put_uint(j, "waiting", counts.waiters);
        rift_json_put_uint(j, "conversions", counts.started);
        rift_json_put_bool(j, "converting", !rift_jobs_are_held(api->config.jobs));
        rift_json_put_cstr(j, "game", rift_watch_state_word(rift_watch_get_state(api->config.watch)));
    }
    rift_json_object_end(j);
    api_json_send(req, 200, &doc);
}

/* ---- life ---- */

bool rift_api_open(rift_api **out, const rift_api_config *config, rift_err *err)
{
    rift_api *api = calloc(1, sizeof *api);
    if (api != NULL)
        api->config = *config;
    if (api == NULL || !api_computed_open(api) || !api_events_open(api)) {
        if (api != NULL)
            api_computed_close(api);
        free(api);
        return rift_fail(err, RIFT_ERR_NOMEM, "api", RIFT_NO_OFFSET, "out of memory");
    }
    api_pages_open(api);
    *out = api;
    return true;
}

void rift_api_set_limits(rift_api *api, int64_t serve_wait_ms, size_t body_bytes)
{
    api->config.serve_wait_ms = serve_wait_ms;
    api->config.body_bytes = body_bytes;
}

void rift_api_stop(rift_api *api)
{
    api_events_stop(api);
}

void rift_api_close(rift_api *api)
{
    if (api == NULL)
        return;
    api_computed_close(api);
    api_pages_close(api);
    free(api);
}

bool rift_api_is_idle(const rift_api *api)
{
    return api_computed_is_idle(api) && api_events_is_idle(api);
}
