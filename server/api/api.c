#include "api/api.h"

#include <stdlib.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "body/body.h"
#include "embed/embed.h"
#include "http/fields.h"

/* ---- requests ---- */

static bool method_is(const rift_request *req, const char *method)
{
    return rift_str_eq(req->method, rift_str_c(method));
}

bool api_is_get(const rift_request *req)
{
    return method_is(req, "GET") || method_is(req, "HEAD");
}

bool api_allow(rift_request *req, const char *allow)
{
    rift_str rest = rift_str_c(allow);
    rift_str method;
    while (rift_str_next(&rest, ",", &method)) {
        if (rift_str_eq(req->method, method))
            return true;
    }
    rift_reply_header_add(req, "Allow", "%s, OPTIONS", allow);
    api_fail(req, 405, "method_not_allowed", "%.20s is not among %s", req->method.data, allow);
    return false;
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
    if (rift_game_find_skin(api->config.env->game, text, &req->arena, out, &err))
        return true;
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

static void not_found(rift_request *req)
{
    api_fail(req, 404, "unknown_route", "there is no such resource");
}

/* Takes `prefix` off the front. */
static bool take(rift_str *path, const char *prefix)
{
    const size_t n = strlen(prefix);
    if (path->size < n || memcmp(path->data, prefix, n) != 0)
        return false;
    path->data += n;
    path->size -= n;
    return true;
}

static bool take_end(rift_str *path, const char *suffix)
{
    const size_t n = strlen(suffix);
    if (path->size < n || memcmp(path->data + path->size - n, suffix, n) != 0)
        return false;
    path->size -= n;
    return true;
}

static unsigned count_slashes(rift_str s)
{
    unsigned n = 0;
    for (size_t i = 0; i < s.size; i++)
        n += s.data[i] == '/';
    return n;
}

static bool is_number(rift_str s)
{
    uint64_t n;
    return rift_str_u64(s, UINT64_MAX, &n);
}

/* What follows /v1/skins/: an id, or alias/number; then nothing, ".glb" or "/report". */
static void route_skin(rift_api *api, rift_request *req, rift_str rest)
{
    const bool glb = take_end(&rest, ".glb");
    const bool report = !glb && count_slashes(rest) > 0 && take_end(&rest, "/report");
    const unsigned slashes = count_slashes(rest);
    const char *slash = rest.size > 0 ? memrchr(rest.data, '/', rest.size) : NULL;
    const rift_str last =
        slash != NULL ? (rift_str){slash + 1, rest.size - (size_t)(slash + 1 - rest.data)} : rest;
    /* Anything longer, or a word behind an id, is a resource of another name. */
    if (slashes > 1 || rest.size == 0 || (slashes == 1 && !glb && !is_number(last))) {
        not_found(req);
        return;
    }
    if (!api_allow(req, "GET, HEAD"))
        return;
    if (glb) {
        api_skin_glb(api, req, rest);
    } else if (report) {
        api_skin_report(api, req, rest);
    } else {
        api_skin_metadata(api, req, rest);
    }
}

static void preflight(rift_request *req)
{
    rift_reply_header_add(req, "Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS");
    rift_reply_header_add(req, "Access-Control-Allow-Headers",
                          "Content-Type, Prefer, Range, If-Range, If-None-Match, If-Modified-Since, Accept, "
                          "Authorization, Idempotency-Key, X-Request-Id, Traceparent");
    rift_reply_header_add(req, "Access-Control-Max-Age", "86400");
    rift_reply_header_add(req, "Allow", "GET, HEAD, POST, OPTIONS");
    api_send(req, 204);
}

void rift_api_handle(void *user, rift_request *req)
{
    rift_api *api = user;
    rift_str rest = req->path;
    if (method_is(req, "OPTIONS")) {
        preflight(req);
    } else if (rift_str_eq(rest, RIFT_STR("/livez")) || rift_str_eq(rest, RIFT_STR("/readyz")) ||
               rift_str_eq(rest, RIFT_STR("/openapi.json"))) {
        if (api_allow(req, "GET, HEAD"))
            api_system(api, req);
    } else if (rift_str_eq(rest, RIFT_STR("/v1/jobs"))) {
        if (api_allow(req, "POST"))
            api_jobs_post(api, req);
    } else if (take(&rest, "/v1/jobs/") && count_slashes(rest) == 0 && rest.size > 0) {
        if (api_allow(req, "GET, HEAD"))
            api_job_get(api, req, rest);
    } else if (rift_str_eq(req->path, RIFT_STR("/v1/skins"))) {
        if (api_allow(req, "GET, HEAD"))
            api_skins_list(api, req);
    } else if (take(&rest, "/v1/skins/")) {
        route_skin(api, req, rest);
    } else if (take(&rest, "/v1/artifacts/") && count_slashes(rest) == 0 && take_end(&rest, ".glb")) {
        if (api_allow(req, "GET, HEAD"))
            api_artifact(api, req, rest);
    } else {
        not_found(req);
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

/* ---- /livez, /readyz, /openapi.json ---- */

static void send_openapi(rift_api *api, rift_request *req)
{
    rift_reply_header_add(req, "ETag", "%s", api->openapi_etag);
    rift_reply_header_add(req, "Cache-Control", "public, max-age=60");
    if (rift_etag_in_list(rift_request_header(req, "If-None-Match"), rift_str_c(api->openapi_etag))) {
        req->file_size = api->openapi.size;
        api_send(req, 304);
        return;
    }
    rift_reply_header_add(req, "Content-Type", "application/json");
    req->reply_body = (rift_bytes){(const uint8_t *)api->openapi.data, api->openapi.size};
    api_send(req, 200);
}

void api_system(rift_api *api, rift_request *req)
{
    if (rift_str_eq(req->path, RIFT_STR("/openapi.json"))) {
        send_openapi(api, req);
        return;
    }
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
    if (api == NULL || !api_metadata_open(api)) {
        free(api);
        return rift_fail(err, RIFT_ERR_NOMEM, "api", RIFT_NO_OFFSET, "out of memory");
    }
    RIFT_ASSERT(rift_openapi_count == 1);
    api->openapi = (rift_str){(const char *)rift_openapi[0].data.data, rift_openapi[0].data.size};
    const rift_sha256 sha = rift_sha256_of(rift_openapi[0].data);
    api->openapi_etag[0] = '"';
    rift_sha256_hex(&sha, api->openapi_etag + 1);
    memcpy(api->openapi_etag + 33, "\"", 2); /* half of it tells versions apart */
    *out = api;
    return true;
}

void rift_api_set_limits(rift_api *api, int64_t serve_wait_ms, size_t body_bytes)
{
    api->config.serve_wait_ms = serve_wait_ms;
    api->config.body_bytes = body_bytes;
}

void rift_api_close(rift_api *api)
{
    if (api == NULL)
        return;
    api_metadata_close(api);
    free(api);
}

bool rift_api_is_idle(const rift_api *api)
{
    return api_metadata_is_idle(api);
}
