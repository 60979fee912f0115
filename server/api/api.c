#include "api/api.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "body/body.h"
#include "config/limits.h"
#include "http/fields.h"

enum { NOT_READY_S = 10 }; /* of who waits for a disk to come back */

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
    if (unknown && !api_sees_game(api, req))
        return false;
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

bool api_sees_game(const rift_api *api, rift_request *req)
{
    if (!api->config.env->mount->unseen)
        return true;
    api_problem_send(
        req, &(api_problem){.status = 503,
                            .code = "not_ready",
                            .detail = "the game folder, or an archive that was in it, cannot be opened",
                            .stage = "lookup",
                            .retryable = true,
                            .retry_after_s = NOT_READY_S});
    return false;
}

bool api_query_options(rift_api *api, rift_request *req, rift_options *options, rift_str *text)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (!rift_query_options(options, req->query, api->limits.defaults, &req->arena, &err)) {
        api_fail_argument(req, &err, "bad_option");
        return false;
    }
    if (!api_apply_masks(api, req, options))
        return false;
    *text = rift_options_text(options, &req->arena);
    return rift_str_eq(*text, api->limits.defaults) || api_may_choose(req);
}

rift_str api_defaults(const rift_api *api, rift_request *req)
{
    return rift_arena_copy_str(&req->arena, api->limits.defaults);
}

rift_str api_skin_text(rift_request *req, uint32_t id, rift_str alias, uint32_t number)
{
    const rift_job_spec spec = {.skin = id, .alias = alias, .number = number};
    return rift_spec_text(&spec, &req->arena);
}

/* The canonical text is readable, not encoded: true when it is a query as it stands. */
static bool is_query(rift_str options)
{
    size_t pairs = 1;
    size_t values = 0;
    for (size_t i = 0; i < options.size; i++) {
        const char c = options.data[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            !rift_str_contains_nocase(RIFT_STR("-._~*,:@/=&"), (rift_str){&c, 1}))
            return false;
        pairs += c == '&';
        values += c == '=';
    }
    return options.size == 0 || pairs == values;
}

rift_str api_glb_url(const rift_job_spec *spec, rift_arena *arena)
{
    const rift_str options = spec->options;
    const rift_str id = rift_spec_text(spec, arena);
    return is_query(options)
               ? rift_arena_printf(arena, "/v1/skins/%.*s.glb?profile=full%s%.*s", RIFT_STR_ARG(id),
                                   options.size > 0 ? "&" : "", RIFT_STR_ARG(options))
               : (rift_str){0};
}

/* ---- routes ---- */

typedef struct route {
    api_access access;
    const char *method; /* "GET" is HEAD too */
    const char *
        path; /* '*': one segment; '#': two; '@': a skin as ids name it, "157036" or "yasuo/36"; at most one of them */
    void (*handle)(rift_api *api, rift_request *req, rift_str arg);
} route;

/* The first path that fits is the resource; its methods stand in rows of the very same text. */
static const route routes[] = {
    {API_OPEN, "GET", "/livez", api_system},
    {API_OPEN, "GET", "/readyz", api_system},
    {API_OPEN, "GET", "/openapi.json", api_page},
    {API_OPEN, "GET", "/", api_page},
    {API_OPEN, "GET", "/viewer.js", api_page},
    {API_OPEN, "GET", "/viewer.d.ts", api_page},
    {API_OPEN, "GET", "/page.js", api_page},
    {API_OPEN, "GET", "/page.css", api_page},
    {API_OPEN, "GET", "/icon.svg", api_page},
    {API_OPEN, "GET", "/example.html", api_page},
    {API_PRIVATE, "GET", "/metrics", api_metrics_get},
    {API_PRIVATE, "GET", "/v1/status", api_status_get},
    {API_READ, "GET", "/v1/jobs", api_jobs_list},
    {API_SUBMIT, "POST", "/v1/jobs", api_jobs_post},
    {API_SUBMIT, "POST", "/v1/jobs:batch", api_jobs_batch},
    {API_READ, "GET", "/v1/jobs/*", api_job_get},
    {API_SUBMIT, "DELETE", "/v1/jobs/*", api_job_delete},
    {API_READ, "GET", "/v1/jobs/*/events", api_job_events},
    {API_READ, "GET", "/v1/champions", api_champions_list},
    {API_READ, "GET", "/v1/skins", api_skins_list},
    {API_READ, "GET", "/v1/skins/@.glb", api_skin_glb},
    {API_READ, "GET", "/v1/skins/@/report", api_skin_report},
    {API_READ, "GET", "/v1/skins/@/skeleton", api_skin_skeleton},
    {API_READ, "GET", "/v1/skins/@/thumbnail.png", api_skin_thumbnail},
    {API_READ, "GET", "/v1/skins/@", api_skin_metadata},
    {API_READ, "GET", "/v1/artifacts/*.glb", api_artifact},
    {API_SUBMIT, "POST", "/v1/convert", api_convert},
    {API_READ, "GET", "/v1/patches", api_patches_list},
    {API_ADMIN, "POST", "/v1/patches:scan", api_patches_scan},
    {API_READ, "GET", "/v1/patches/*/skins", api_patch_skins},
    {API_ADMIN, "POST", "/v1/patches/*/cancel", api_patch_cancel},
    {API_ADMIN, "POST", "/v1/patches/*/resume", api_patch_resume},
    {API_READ, "GET", "/v1/patches/*", api_patch_get},
    {API_READ, "GET", "/v1/masks", api_masks_get},
    {API_READ, "GET", "/v1/masks/*", api_mask_get},
    {API_SUBMIT, "PUT", "/v1/masks/*", api_mask_put},
    {API_SUBMIT, "DELETE", "/v1/masks/*", api_mask_delete},
    {API_READ, "POST", "/v1/masks:resolve", api_masks_resolve},
    {API_READ, "GET", "/v1/hashes", api_hashes_get},
    {API_READ, "GET", "/v1/hashes/#", api_hash_get},
    {API_ADMIN, "POST", "/v1/hashes/*", api_hashes_post},
};

static_assert(RIFT_COUNT(routes) <= API_ROUTES, "more routes than are counted");

bool api_route_at(size_t index, const char **method, const char **path)
{
    if (index >= RIFT_COUNT(routes))
        return false;
    *method = routes[index].method;
    *path = routes[index].path;
    return true;
}

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
    const size_t front = strcspn(pattern, "*@#");
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
    if (pattern[front] == '@')
        return is_skin(*arg, end[0] == '.');
    const char *slash = memchr(arg->data, '/', arg->size);
    if (pattern[front] == '*' || slash == NULL)
        return pattern[front] == '*' && slash == NULL;
    const size_t at = (size_t)(slash - arg->data);
    return at > 0 && at + 1 < arg->size && memchr(slash + 1, '/', arg->size - at - 1) == NULL;
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

/* The row that is asked for; RIFT_COUNT(routes) when there is none, and then *resource is the path of those that differ by their
 * method only, or NULL. */
static size_t find_route(const rift_request *req, rift_str *arg, const char **resource)
{
    *resource = NULL;
    for (size_t i = 0; i < RIFT_COUNT(routes); i++) {
        const route *r = &routes[i];
        if (*resource != NULL ? strcmp(*resource, r->path) != 0 : !fits(r->path, req->path, arg))
            continue;
        *resource = r->path;
        if (takes(r, req)) {
            (void)fits(r->path, req->path, arg);
            return i;
        }
    }
    return RIFT_COUNT(routes);
}

/* Rows whose bodies are files. */
static bool takes_files(const route *r)
{
    return r->handle == api_convert || r->handle == api_hashes_post;
}

size_t rift_api_body_limit(void *user, rift_request *req)
{
    rift_api *api = user;
    rift_str arg;
    const char *resource;
    const size_t i = find_route(req, &arg, &resource);
    if (i == RIFT_COUNT(routes) || !takes_files(&routes[i]) || !api_begin(api, req))
        return api->config.body_bytes;
    /* Whoever may not send files need not send them whole to be told so. */
    api_context *context = api_context_of(req);
    if (!api_may_enter(api, req, routes[i].access))
        return 0;
    context->has_no_place = api->uploads >= RIFT_LIMIT_UPLOADS;
    if (context->has_no_place)
        return 0;
    context->is_upload = true;
    api->uploads++;
    return api->limits.upload_bytes;
}

void rift_api_ended(void *user, rift_request *req)
{
    rift_api *api = user;
    api_context *context = api_context_of(req);
    api->uploads -= context->is_upload;
    rift_arena_release(&context->owned);
}

void rift_api_handle(void *user, rift_request *req)
{
    rift_api *api = user;
    rift_str arg = {0};
    const char *resource;
    if (!api_begin(api, req))
        return;
    if (method_is(req, "OPTIONS")) {
        preflight(req);
        return;
    }
    const size_t i = find_route(req, &arg, &resource);
    if (i < RIFT_COUNT(routes)) {
        api_context_of(req)->route = i;
        if (api_admit(api, req, routes[i].access))
            routes[i].handle(api, req, arg);
    } else if (resource != NULL) {
        refuse_method(req, resource);
    } else {
        api_fail(req, 404, "unknown_route", "there is no such resource");
    }
}

/* A body that is too large for somebody who may not send it at all is told about the latter. */
static void refuse_body(rift_api *api, rift_request *req)
{
    rift_str arg;
    const char *resource;
    const size_t i = find_route(req, &arg, &resource);
    if (i < RIFT_COUNT(routes) && !api_admit(api, req, routes[i].access))
        return;
    const bool files = i < RIFT_COUNT(routes) && takes_files(&routes[i]);
    if (api_context_of(req)->has_no_place) {
        api_busy(req, "files of others are being received", 5);
    } else {
        api_fail(req, 413, "body_too_large", "the body is over %zu bytes",
                 files ? api->limits.upload_bytes : api->config.body_bytes);
    }
}

void rift_api_refuse(void *user, rift_request *req, unsigned status, const char *why)
{
    rift_api *api = user;
    if (!api_begin(api, req))
        return;
    if (status == 413) {
        refuse_body(api, req);
    } else {
        api_fail(req, 400, "malformed_request", "%s", why);
    }
}

/* ---- /livez, /readyz ---- */

static void put_game(rift_json *j, rift_watch_status game)
{
    rift_json_put_cstr(j, "game", rift_watch_state_word(game.state));
    if (game.why == NULL)
        return;
    rift_json_key(j, "why");
    rift_json_object(j);
    if (game.state != RIFT_WATCH_MISSING) /* else it is the folder's place on this machine */
        rift_json_put_cstr(j, "file", game.why->file);
    rift_json_put_cstr(j, "detail", game.why->text);
    rift_json_put_int(j, "since_ms", rift_now_ms() - game.unready_ms);
    rift_json_object_end(j);
}

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
        put_game(j, rift_patches_tell(api->config.patches));
    }
    rift_json_object_end(j);
    api_json_send(req, 200, &doc);
}

/* ---- life ---- */

bool rift_api_open(rift_api **out, const rift_api_config *config, rift_err *err)
{
    rift_api *api = calloc(1, sizeof *api);
    if (api != NULL) {
        api->config = *config;
        api->rates = rift_rates_open(RIFT_LIMIT_CLIENTS);
        api->metrics.begun_ms = uv_now(config->loop);
        /* Ids need only differ from those of the last start. */
        if (getrandom(&api->ids.seed, sizeof api->ids.seed, 0) != (ssize_t)sizeof api->ids.seed) {
            api->ids.seed = uv_hrtime();
        }
    }
    if (api == NULL || api->rates == NULL || !api_computed_open(api) || !api_masks_open(api, err) ||
        !api_hot_open(api) || !api_events_open(api)) {
        if (api != NULL) {
            api_computed_close(api);
            api_masks_close(api);
            api_hot_stop(api);
            rift_rates_close(api->rates);
        }
        free(api);
        return rift_fail(err, RIFT_ERR_NOMEM, "api", RIFT_NO_OFFSET, "out of memory");
    }
    api_pages_open(api);
    *out = api;
    return true;
}

void rift_api_set_limits(rift_api *api, const rift_api_limits *limits)
{
    api->limits = *limits;
    api->config.serve_wait_ms = limits->serve_wait_ms;
    api->config.body_bytes = limits->body_bytes;
    rift_rates_set(api->rates, limits->rate, limits->burst);
}

void rift_api_stop(rift_api *api)
{
    api_events_stop(api);
    api_hot_stop(api);
}

void rift_api_close(rift_api *api)
{
    if (api == NULL)
        return;
    api_computed_close(api);
    api_pages_close(api);
    api_masks_close(api);
    rift_rates_close(api->rates);
    free(api);
}

bool rift_api_is_idle(const rift_api *api)
{
    return api_computed_is_idle(api) && api_events_is_idle(api) && api->working == 0;
}
