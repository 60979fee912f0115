/* api_internal.h - shared by the resources of the API. */
#ifndef RIFT_API_API_INTERNAL_H
#define RIFT_API_API_INTERNAL_H

#include "api/api.h"
#include "auth/rates.h"
#include "base/json.h"
#include "embed/embed.h"
#include "http/trace.h"
#include "metrics/metrics.h"

typedef struct api_computed api_computed;
typedef struct api_masks api_masks;
typedef struct api_events api_events;
typedef struct api_hot api_hot;

/* A file of the program's own, served as it is. */
typedef struct api_page_file {
    const rift_embedded *file;
    char name[40]; /* of its entity tag */
    rift_bytes packed[RIFT_ENCODING_COUNT];
} api_page_file;

/* Who may ask for a resource; see admit.c. */
typedef enum api_access {
    API_OPEN,    /* anybody, as often as they like */
    API_READ,    /* may be left open by auth-public-read, but for options that are not the default ones */
    API_PRIVATE, /* reading that always needs a token */
    API_SUBMIT,
    API_ADMIN
} api_access;

/* One request's; its rift_request's user. */
typedef struct api_context {
    uint32_t magic;
    rift_api *api;
    rift_trace trace;
    uint64_t begun_ns;
    size_t route;      /* row of the table; API_ROUTES: none of them */
    int64_t job;       /* that the reply tells of, for the log; 0: none */
    const char *token; /* name of the token, for the log; may be NULL */
    bool default_only; /* options that are not the default ones need a token */
    bool is_private;   /* caches that others share may not keep the reply */
    bool is_upload;    /* counts among api->uploads */
    bool has_no_place; /* an upload for which there is no room */
    rift_arena owned;  /* what a reply's body lies in, when it is too large for the request's own */
} api_context;

#define API_ROUTES 48
typedef struct api_metrics {
    rift_codes codes[API_ROUTES + 1];
    rift_histogram seconds[API_ROUTES + 1];
    uint64_t sent_bytes;
    uint64_t hits, stale_hits, misses, unchanged, cached_bytes;
    uint64_t over_rate, no_token, no_scope, bad_signature;
    uint64_t begun_ms;
} api_metrics;

struct rift_api {
    rift_api_config config;
    rift_api_limits limits;
    rift_ids ids;
    rift_rates *rates;
    api_metrics metrics;
    uint64_t requests;             /* for the access log */
    unsigned uploads, conversions; /* of files that were sent */
    unsigned working;              /* on the pool, by api_work_start */
    bool importing;
    api_computed *computed;
    api_masks *masks;
    api_events *events;
    api_hot *hot;
    api_page_file pages[16];
    size_t page_count;
    rift_arena packed; /* pages */
};

/* ---- replies ---- */

/* Cache-Control of what a skin is now (A3). */
#define API_CACHE_MOVING "public, max-age=60, stale-while-revalidate=86400, stale-if-error=604800"

typedef struct api_json {
    rift_buf buf;
    rift_json json;
} api_json;

/* A JSON document in the request's arena. */
rift_json *api_json_begin(rift_request *req, api_json *out);
/* Sends it. */
void api_json_send(rift_request *req, unsigned status, const api_json *doc);

typedef struct api_problem {
    unsigned status;
    const char *code; /* snake_case */
    const char *detail;
    const char *where; /* option, member, part of a file; may be NULL */
    const char *stage; /* may be NULL */
    uint64_t offset;   /* with has_offset */
    bool has_offset;
    int64_t job;   /* 0: none */
    uint32_t skin; /* 0: none */
    bool retryable;
    unsigned retry_after_s; /* 0: no header */
    rift_str members; /* a JSON object whose members replace code, detail … of this struct; may be empty */
} api_problem;

/* Sends application/problem+json with the CORS headers; headers added before stay. */
void api_problem_send(rift_request *req, const api_problem *problem);
void api_fail(rift_request *req, unsigned status, const char *code, const char *format, ...)
    RIFT_PRINTF(4, 5);
/* An error of ours or of the game's files, by its code (one table). */
void api_fail_err(rift_request *req, const rift_err *err, const char *stage, uint32_t skin);
/* A query or a body that is wrong: the detail begins with the name of the part. 400, or 503 when the memory is out. */
void api_fail_argument(rift_request *req, const rift_err *err, const char *code);
/* A job that failed, as its row tells it. */
void api_fail_job(rift_request *req, const rift_job_row *job);
/* BUSY, DRAINING, ERROR and a wait that ended too early. */
void api_fail_answer(rift_request *req, const rift_answer *answer);
/* Adds what every reply has, logs it, sends it; the request is not the handler's any more. A text over 1 KiB is compressed for who takes that, a large one on the pool; its ETag, if it has
 * one, gets the coding's name. */
void api_send(rift_request *req, unsigned status);

/* ---- requests ---- */

/* Names the request. Its user is an api_context from here on; false when memory is out. */
bool api_begin(rift_api *api, rift_request *req);
api_context *api_context_of(const rift_request *req);
/* Rate, token and signature; takes sig and exp off the query. False after a 401, 403 or 429. */
bool api_admit(rift_api *api, rift_request *req, api_access access);
/* Whether it has a token for it; answers nothing. */
bool api_may_enter(const rift_api *api, const rift_request *req, api_access access);
/* Options that are not the default ones: false after a 401. */
bool api_may_choose(rift_request *req);
/* The table's rows, for metrics. False past the last. */
bool api_route_at(size_t index, const char **method, const char **path);
void api_metrics_get(rift_api *api, rift_request *req, rift_str none);
void api_status_get(rift_api *api, rift_request *req, rift_str none);

/* Sends 406 and returns false when the client takes none of `type`. */
bool api_accepts(rift_request *req, const char *type);
/* Sends 400 and returns false when the query has a parameter. */
bool api_takes_no_query(rift_request *req);
/* The coding of these that the client likes best, or RIFT_ENCODING_COUNT: none. `may`: a bit each. */
rift_encoding api_choose_encoding(rift_request *req, unsigned may);
/* `out` gets the tag of a body in a coding (RIFT_ENCODING_COUNT: as it is): "name", "name-zstd". */
#define API_ETAG_SIZE 80
void api_etag(char out[API_ETAG_SIZE], const char *name, rift_encoding encoding);
/* True when If-None-Match names the body, in whatever coding: that of *encoding if it does, else *encoding becomes the one. */
bool api_if_none_match(rift_request *req, const char *name, rift_encoding *encoding);
/* False, and 503, when the request's arena gave out: a key made with it would be another request's. */
bool api_has_memory(rift_request *req);

/* A skin by the text of the path or body: false after a 400, 404 or 503 was sent. */
bool api_skin(rift_api *api, rift_request *req, rift_str text, rift_skin_ref *out);
/* What the game does not have it may have yet, when it was not seen whole since the start: false after a 503 was sent. */
bool api_sees_game(const rift_api *api, rift_request *req);
/* Options of the query, canonical; false after a 400. */
bool api_query_options(rift_api *api, rift_request *req, rift_options *options, rift_str *text);
/* What a request means that says nothing of its options, as canonical text in its arena. */
rift_str api_defaults(const rift_api *api, rift_request *req);
/* True when `text` names the champion, by alias, name or id; an empty one names all. */
bool api_is_champion(const rift_champion *champion, rift_str text);
/* Link: rel=next to the same list with the same filters, from `last` on. */
void api_link_next(rift_request *req, int64_t last);
/* "157036", or "yasuo/36" without an id: as in URLs. */
rift_str api_skin_text(rift_request *req, uint32_t id, rift_str alias, uint32_t number);

/* The URL of a skin with these options, the same whatever the defaults are: "/v1/skins/157036.glb?profile=full&content=rig";
 * empty where they do not stand in a query as they are (layers). */
rift_str api_glb_url(const rift_job_spec *spec, rift_arena *arena);

/* ---- resources: handlers of the table in api.c; the last argument is what its pattern's wildcard stands for ---- */

/* The members of a job. `position`: its place in the queue, 0 without one. */
void api_put_job_at(rift_arena *arena, rift_json *j, const rift_job_view *view, size_t position);
void api_put_job(rift_request *req, rift_json *j, const rift_job_view *view);
void api_send_job(rift_request *req, unsigned status, const rift_job_view *view);

void api_skin_glb(rift_api *api, rift_request *req, rift_str id);
void api_artifact(rift_api *api, rift_request *req, rift_str name);
void api_jobs_post(rift_api *api, rift_request *req, rift_str none);
void api_job_get(rift_api *api, rift_request *req, rift_str id);
void api_jobs_list(rift_api *api, rift_request *req, rift_str none);
void api_jobs_batch(rift_api *api, rift_request *req, rift_str none);
void api_job_delete(rift_api *api, rift_request *req, rift_str id);
void api_job_events(rift_api *api, rift_request *req, rift_str id);
void api_skins_list(rift_api *api, rift_request *req, rift_str none);
void api_champions_list(rift_api *api, rift_request *req, rift_str none);
void api_skin_metadata(rift_api *api, rift_request *req, rift_str id);
void api_skin_skeleton(rift_api *api, rift_request *req, rift_str id);
void api_skin_thumbnail(rift_api *api, rift_request *req, rift_str id);
void api_skin_report(rift_api *api, rift_request *req, rift_str id);
void api_system(rift_api *api, rift_request *req, rift_str none);
void api_page(rift_api *api, rift_request *req, rift_str none);
void api_pages_open(rift_api *api);
void api_pages_close(rift_api *api);

/* ---- compute.c ---- */

/* What a computation is given, on the pool. */
typedef struct api_run {
    const rift_convert_env *env;
    const rift_bake_request *request;
    const rift_view *view; /* of the question */
    rift_bake_result *result;
} api_run;

/* Lives until its readers are done with it. */
typedef struct api_result {
    rift_api *api;
    rift_job_spec spec;
    rift_bytes bytes;
    rift_sha256 sha256; /* of bytes */
} api_result;

typedef struct api_task {
    bool (*run)(rift_bytes *bytes, const api_run *in, rift_arena *out, rift_arena *tmp, rift_err *err);
    void (*reply)(api_result *result, rift_request *req); /* on the loop; releases it */
} api_task;

typedef struct api_question {
    const api_task *task;
    rift_job_spec spec;   /* its key tells questions apart */
    rift_options options; /* of them, pose and clips; what else is a text or a table stays empty */
    rift_view view;       /* of pictures */
} api_question;

/* Answers with the kept result of the key, or computes it: once for all who ask meanwhile. Failures are not kept. */
void api_compute(rift_api *api, rift_request *req, const api_question *question);
void api_result_release(api_result *result);

bool api_computed_open(rift_api *api);
void api_computed_close(rift_api *api);
bool api_computed_is_idle(const rift_api *api);

bool api_events_open(rift_api *api);
void api_events_stop(rift_api *api);
size_t api_events_count(const rift_api *api); /* open streams */
bool api_events_is_idle(const rift_api *api);

/* The request that an operation of the reader's lane belongs to, and a place for what it finds: in the request's arena. */
typedef struct api_read {
    rift_lane_op op;
    rift_api *api;
    rift_request *req;
} api_read;

/* ---- hot.c ---- */

/* A GLB as it is sent: its row, and the open file in one coding. */
typedef struct api_file {
    rift_artifact_row row;
    rift_encoding encoding; /* RIFT_ENCODING_COUNT: as it is */
    rift_sha256 body_sha256;
    uint64_t body_size;
    int fd; /* -1: the bytes are in the row */
} api_file;

/* What it was asked for by. */
typedef struct api_hot_name {
    rift_sha256 sha256; /* of the request, or of the content */
    bool by_key;
    unsigned codings; /* that the client takes, and prefers */
} api_hot_name;

bool api_hot_open(rift_api *api);
void api_hot_stop(rift_api *api);
/* Notes a file that is about to be sent; keeps a descriptor of its own. */
void api_hot_keep(rift_api *api, const api_hot_name *name, const api_file *file);
/* *out gets a descriptor of its own. The row has neither options nor bytes; its alias is good until the next call. */
bool api_hot_find(rift_api *api, const api_hot_name *name, api_file *out);

/* ---- the pool, without a lane (work.c) ---- */

/* At the beginning of a struct in the request's arena. */
typedef struct api_work api_work;
struct api_work {
    rift_api *api;
    rift_request *req;
    void (*run)(api_work *w);  /* on a pool thread, which owns the request until */
    void (*done)(api_work *w); /* this, on the loop; it answers */
    uv_work_t pool;
};
void api_work_start(api_work *w, void (*run)(api_work *w), void (*done)(api_work *w));
/* 503: come again. */
void api_busy(rift_request *req, const char *detail, unsigned retry_after_s);
/* 507, or 503 to a GET: the disk is full. */
void api_fail_full(rift_request *req);
/* False, after that reply, when the disk's reserve is touched: nothing that can wait is written then. */
bool api_has_room(rift_api *api, rift_request *req);

void api_patches_list(rift_api *api, rift_request *req, rift_str none);
void api_patches_scan(rift_api *api, rift_request *req, rift_str none);
void api_patch_get(rift_api *api, rift_request *req, rift_str id);
void api_patch_skins(rift_api *api, rift_request *req, rift_str id);
void api_patch_cancel(rift_api *api, rift_request *req, rift_str id);
void api_patch_resume(rift_api *api, rift_request *req, rift_str id);

bool api_masks_open(rift_api *api, rift_err *err);
void api_masks_close(rift_api *api);
/* Puts stored masks in the place of their names; false after a reply. */
bool api_apply_masks(rift_api *api, rift_request *req, rift_options *options);
void api_masks_get(rift_api *api, rift_request *req, rift_str none);
void api_mask_get(rift_api *api, rift_request *req, rift_str name);
void api_mask_put(rift_api *api, rift_request *req, rift_str name);
void api_mask_delete(rift_api *api, rift_request *req, rift_str name);
void api_masks_resolve(rift_api *api, rift_request *req, rift_str none);

void api_hashes_get(rift_api *api, rift_request *req, rift_str none);
void api_hash_get(rift_api *api, rift_request *req, rift_str arg);
void api_hashes_post(rift_api *api, rift_request *req, rift_str word);
void api_convert(rift_api *api, rift_request *req, rift_str none);

#endif
