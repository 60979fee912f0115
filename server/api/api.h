/* api.h - routes of the HTTP API (design: A1-A12). One file per resource; api.c finds the route.
 *
 * Thread  the loop; store and metadata work goes to the pool and comes back. */
#ifndef RIFT_API_API_H
#define RIFT_API_API_H

#include "auth/auth.h"
#include "cache/cache.h"
#include "http/server.h"
#include "jobs/jobs.h"
#include "patches/patches.h"
#include "refresh/refresh.h"

typedef struct rift_api rift_api;

typedef struct rift_api_config {
    uv_loop_t *loop;
    rift_jobs *jobs;
    rift_lane *reader;
    rift_cache *cache;
    const rift_convert_env *env;
    rift_patches *patches;
    const rift_refresh *refresh;
    rift_lane *writer;
    int64_t serve_wait_ms;
    size_t body_bytes; /* only to name it */
    size_t listeners;  /* event streams at one time */
    const rift_auth *auth;
    const char *db_path; /* for the size of its log */
    const char *masks_path;
} rift_api_config;

RIFT_NODISCARD bool rift_api_open(rift_api **out, const rift_api_config *config, rift_err *err);
/* Limits that may change while it runs. */
typedef struct rift_api_limits {
    int64_t serve_wait_ms;
    size_t body_bytes, upload_bytes, upload_parts;
    int64_t job_ms;       /* of a conversion of files that were sent */
    uint64_t rate, burst; /* requests of one client: a second, at once; rate 0: any */
    uint64_t access_log;  /* every Nth request is logged at level info; 0: none */
    bool forwarded;       /* X-Forwarded-For of a peer on this machine names the client */
    rift_str defaults;    /* of the options, as canonical text; to live until others are set */
} rift_api_limits;
void rift_api_set_limits(rift_api *api, const rift_api_limits *limits);
/* After the last request, while the loop still runs; then close. */
void rift_api_stop(rift_api *api);
void rift_api_close(rift_api *api);
/* True when no metadata is being computed. */
bool rift_api_is_idle(const rift_api *api);

/* The callbacks of rift_http_config; user is the rift_api. */
void rift_api_handle(void *user, rift_request *req);
void rift_api_refuse(void *user, rift_request *req, unsigned status, const char *why);
size_t rift_api_body_limit(void *user, rift_request *req);
void rift_api_ended(void *user, rift_request *req);

#endif
