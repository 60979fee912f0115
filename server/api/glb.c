/* GLBs: by skin (made when missing), and by content. The bytes come from a file that libmicrohttpd sends with sendfile, or
 * from the database when they are small. */
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "http/fields.h"

enum { TRIES = 16 }; /* of reading what is replaced meanwhile */

static const char immutable[] = "public, max-age=31536000, immutable";

typedef struct glb_read {
    api_read read;
    /* in */
    rift_job_spec spec;
    bool by_key;
    rift_sha256 sha256;
    bool use_alias; /* the URL named the skin by alias */
    bool is_async;
    bool was_made; /* after a conversion: a miss */
    /* out */
    rift_found found;
    api_file file;
    bool has_row, lost, stale;
    bool may_pack[RIFT_ENCODING_COUNT]; /* in: the client takes it */
    rift_encoding best;                 /* in: the one it likes best of those */
    rift_str if_range;                  /* in: of a request for a range */
    bool has_range;
} glb_read;

/* ---- reading, on the pool ---- */

static bool open_variant(glb_read *g, rift_encoding encoding)
{
    const rift_packed *v = &g->file.row.variants[encoding];
    rift_err missing;
    rift_err_in(&missing, (rift_str){0});
    if (!v->stored ||
        !rift_blob_open(g->read.api->config.env->blobs, &v->sha256, v->size, &g->file.fd, &missing))
        return false;
    g->file.encoding = encoding;
    g->file.body_sha256 = v->sha256;
    g->file.body_size = v->size;
    return true;
}

/* A range is one of the bytes as they are, since that is what a client can ask for without having seen them; unless it says which coding it goes on with. */
static bool is_wanted(const glb_read *g, rift_encoding encoding)
{
    char hex[65], etag[API_ETAG_SIZE];
    if (!g->has_range)
        return true;
    rift_sha256_hex(&g->file.row.sha256, hex);
    api_etag(etag, hex, encoding);
    return rift_str_eq(g->if_range, rift_str_c(etag));
}

/* The row's bytes: inline, or an open file, packed when there is a packed one that the client takes. A file that is gone is no error of the reading. */
static bool open_bytes(glb_read *g, rift_store *store, const rift_sha256 *sha256, rift_err *err)
{
    if (!rift_store_artifact(store, sha256, true, &g->has_row, &g->file.row, &g->read.req->arena, err))
        return false;
    if (!g->has_row)
        return true;
    for (unsigned n = 0; n < RIFT_ENCODING_COUNT; n++) {
        const rift_encoding e = (rift_encoding)((g->best + n) % RIFT_ENCODING_COUNT);
        if (g->best < RIFT_ENCODING_COUNT && g->may_pack[e] && is_wanted(g, e) && open_variant(g, e))
            return true;
    }
    g->file.encoding = RIFT_ENCODING_COUNT;
    g->file.body_sha256 = g->file.row.sha256;
    g->file.body_size = g->file.row.size;
    rift_err missing;
    rift_err_in(&missing, (rift_str){0});
    if (!g->file.row.is_inline &&
        !rift_blob_open(g->read.api->config.env->blobs, sha256, g->file.row.size, &g->file.fd, &missing))
        g->lost = true;
    return true;
}

/* What was made for an older state of the game is better than to wait (A3). */
static bool open_stale(glb_read *g, rift_store *store, rift_err *err)
{
    rift_artifact_row newest;
    bool found;
    if (!rift_store_newest(store, g->spec.alias, g->spec.number, g->spec.options, &found, &newest,
                           &g->read.req->arena, err))
        return false;
    if (!found)
        return true;
    if (!open_bytes(g, store, &newest.sha256, err))
        return false;
    g->stale = g->has_row && !g->lost;
    g->lost = false;
    return true;
}

static bool work_read(rift_lane_op *op, rift_store *store, rift_err *err)
{
    glb_read *g = RIFT_OP_OWNER(op, glb_read, read.op);
    if (!g->by_key)
        return open_bytes(g, store, &g->sha256, err);
    /* What is found may be gone when it is read, since another took its place: that is found then. */
    for (unsigned tries = 0; tries < TRIES; tries++) {
        if (!rift_store_find(store, &g->spec.key, rift_now_ms(), &g->found, &g->read.req->arena, err))
            return false;
        if (g->found.kind != RIFT_FOUND_ARTIFACT)
            return open_stale(g, store, err);
        if (!open_bytes(g, store, &g->found.artifact.sha256, err))
            return false;
        if (g->has_row)
            return true;
    }
    g->lost = true;
    return true;
}

/* ---- replying ---- */

static void put_digest(rift_request *req, const rift_sha256 *sha256)
{
    unsigned char text[64];
    (void)EVP_EncodeBlock(text, sha256->bytes, sizeof sha256->bytes);
    rift_reply_header_add(req, "Repr-Digest", "sha-256=:%s:", (const char *)text);
}

static const char *cache_status(const glb_read *g)
{
    if (g->stale)
        return "riftbake; hit; stale";
    return g->was_made ? "riftbake; fwd=miss; stored" : "riftbake; hit";
}

static void put_headers(rift_request *req, const glb_read *g, const char *etag, const char *modified)
{
    const rift_job_spec *spec = &g->file.row.spec;
    const rift_str id = api_skin_text(req, spec->skin, spec->alias, spec->number);
    rift_reply_header_add(req, "ETag", "%s", etag);
    rift_reply_header_add(req, "Last-Modified", "%s", modified);
    rift_reply_header_add(req, "Accept-Ranges", "bytes");
    rift_reply_header_add(req, "Vary", "Accept-Encoding");
    rift_reply_header_add(req, "Cache-Control", "%s", g->spec.alias.size > 0 ? API_CACHE_MOVING : immutable);
    rift_reply_header_add(req, "Cache-Status", "%s", cache_status(g));
    rift_reply_header_add(req, "Link", "</v1/skins/%.*s>; rel=\"describedby\"", RIFT_STR_ARG(id));
    if (g->use_alias && spec->skin != 0) {
        rift_reply_header_add(
            req, "Content-Location", "/v1/skins/%u.glb%s%.*s", spec->skin, req->query.size > 0 ? "?" : "",
            req->query.size < 1500 ? (int)req->query.size : 0, req->query.size > 0 ? req->query.data : "");
    }
    if (g->file.encoding < RIFT_ENCODING_COUNT)
        rift_reply_header_add(req, "Content-Encoding", "%s", rift_encoding_word(g->file.encoding));
    if (g->file.body_size > 0) /* else of a copy that only the client has */
        put_digest(req, &g->file.body_sha256);
}

/* The client's copy may be in another coding than this reply would be: it is as good. */
static bool is_unchanged(rift_request *req, const char *hex, const char *modified, rift_encoding *encoding)
{
    if (rift_request_header(req, "If-None-Match").size > 0)
        return api_if_none_match(req, hex, encoding);
    int64_t since, at;
    return rift_http_date_parse(rift_request_header(req, "If-Modified-Since"), &since) &&
           rift_http_date_parse(rift_str_c(modified), &at) && at <= since;
}

static void put_bytes(rift_request *req, glb_read *g, uint64_t first, uint64_t size)
{
    if (g->file.fd < 0) {
        req->reply_body = (rift_bytes){g->file.row.inline_data.data + first, (size_t)size};
        return;
    }
    req->fd = g->file.fd;
    g->file.fd = -1;
    req->file_offset = first;
    req->file_size = size;
}

static void close_bytes(glb_read *g)
{
    if (g->file.fd >= 0)
        (void)close(g->file.fd);
    g->file.fd = -1;
}

static void send_bytes(rift_request *req, glb_read *g, const char *etag, const char *modified)
{
    uint64_t first = 0, last = 0;
    const rift_str range = rift_request_header(req, "Range");
    rift_range_kind kind = RIFT_RANGE_WHOLE;
    if (rift_str_eq(req->method, RIFT_STR("GET")) &&
        rift_if_range(rift_request_header(req, "If-Range"), rift_str_c(etag), rift_str_c(modified)))
        kind = rift_range_parse(range, g->file.body_size, &first, &last);
    if (kind == RIFT_RANGE_UNSATISFIABLE) {
        close_bytes(g);
        rift_reply_header_add(req, "Content-Range", "bytes */%llu", (unsigned long long)g->file.body_size);
        api_fail(req, 416, "bad_range", "the file has %llu bytes", (unsigned long long)g->file.body_size);
        return;
    }
    put_headers(req, g, etag, modified);
    rift_reply_header_add(req, "Content-Type", "model/gltf-binary");
    rift_reply_header_add(req, "Content-Disposition", "inline; filename=\"%.*s-%u.glb\"",
                          RIFT_STR_ARG(g->file.row.spec.alias), g->file.row.spec.number);
    if (kind == RIFT_RANGE_WHOLE) {
        put_bytes(req, g, 0, g->file.body_size);
        api_send(req, 200);
        return;
    }
    rift_reply_header_add(req, "Content-Range", "bytes %llu-%llu/%llu", (unsigned long long)first,
                          (unsigned long long)last, (unsigned long long)g->file.body_size);
    put_bytes(req, g, first, last - first + 1);
    api_send(req, 206);
}

/* A 304 names the copy that the client has. Its length is told only where it is known. */
static void
send_unchanged(rift_request *req, glb_read *g, const char *hex, rift_encoding kept, const char *modified)
{
    char etag[API_ETAG_SIZE];
    close_bytes(g);
    if (kept != g->file.encoding) {
        g->file.body_size = kept == RIFT_ENCODING_COUNT ? g->file.row.size : g->file.row.variants[kept].size;
        g->file.body_sha256 =
            kept == RIFT_ENCODING_COUNT ? g->file.row.sha256 : g->file.row.variants[kept].sha256;
        g->file.encoding = kept;
    }
    api_etag(etag, hex, kept);
    put_headers(req, g, etag, modified);
    req->file_size = g->file.body_size;
    api_send(req, 304);
}

static void count_cache(api_metrics *m, const glb_read *g, bool unchanged)
{
    m->unchanged += unchanged;
    if (g->was_made)
        return; /* was counted as a miss */
    m->hits += !g->stale;
    m->stale_hits += g->stale;
    m->cached_bytes += unchanged ? 0 : g->file.row.size;
}

static void send_artifact(glb_read *g)
{
    rift_request *req = g->read.req;
    char hex[65], etag[API_ETAG_SIZE], modified[RIFT_HTTP_DATE_SIZE];
    rift_encoding kept = g->file.encoding;
    rift_cache_touch(g->read.api->config.cache, &g->file.row.sha256);
    rift_sha256_hex(&g->file.row.sha256, hex);
    rift_http_date(g->file.row.created / 1000, modified);
    const bool unchanged = is_unchanged(req, hex, modified, &kept);
    count_cache(&g->read.api->metrics, g, unchanged);
    if (unchanged) {
        send_unchanged(req, g, hex, kept, modified);
        return;
    }
    api_etag(etag, hex, g->file.encoding);
    send_bytes(req, g, etag, modified);
}

static api_hot_name hot_name(const glb_read *g)
{
    api_hot_name name = {
        .sha256 = g->by_key ? g->spec.key : g->sha256, .by_key = g->by_key, .codings = g->best};
    for (unsigned e = 0; e < RIFT_ENCODING_COUNT; e++)
        name.codings |= g->may_pack[e] ? 1U << (8 + e) : 0;
    return name;
}

static void send_found(glb_read *g)
{
    const api_hot_name name = hot_name(g);
    if (!g->has_range)
        api_hot_keep(g->read.api, &name, &g->file);
    send_artifact(g);
}

static void submit(glb_read *g);

static void on_answer(void *user, const rift_answer *answer)
{
    glb_read *g = user;
    rift_request *req = g->read.req;
    if (answer->kind == RIFT_ANSWER_DONE) {
        g->by_key = false;
        g->lost = false;
        g->was_made = true;
        g->sha256 = answer->job.row->sha256;
        submit(g);
    } else if (answer->kind == RIFT_ANSWER_FAILED) {
        api_fail_job(req, answer->job.row);
    } else if (answer->job.row != NULL && g->is_async &&
               (answer->kind == RIFT_ANSWER_ACCEPTED || answer->kind == RIFT_ANSWER_FULL)) {
        api_json doc;
        rift_json *j = api_json_begin(req, &doc);
        api_put_job(req, j, &answer->job);
        rift_json_object_end(j);
        rift_reply_header_add(req, "Location", "/v1/jobs/%lld", (long long)answer->job.row->id);
        rift_reply_header_add(req, "Retry-After", "%u", answer->retry_after_s);
        rift_reply_header_add(req, "Preference-Applied", "respond-async");
        api_json_send(req, 202, &doc);
    } else {
        api_fail_answer(req, answer);
    }
}

static void ignore_answer(void *user, const rift_answer *answer)
{
    (void)user;
    (void)answer;
}

static void found_by_key(glb_read *g)
{
    rift_jobs *jobs = g->read.api->config.jobs;
    g->read.api->metrics.misses += !g->stale && (g->found.kind != RIFT_FOUND_ARTIFACT || g->lost);
    const int64_t wait = g->is_async ? 0 : g->read.api->config.serve_wait_ms;
    if (g->stale) {
        /* What canaries warn of is made only for who says so. */
        if (g->found.kind != RIFT_FOUND_FAILURE && !rift_patches_is_halted(g->read.api->config.patches))
            rift_jobs_ask(jobs, &g->spec, 0, ignore_answer, NULL);
        send_artifact(g);
    } else if (g->found.kind == RIFT_FOUND_ARTIFACT && !g->lost) {
        send_found(g);
    } else if (g->found.kind == RIFT_FOUND_ARTIFACT) {
        rift_jobs_remake(jobs, &g->spec, wait, on_answer, g);
    } else if (g->found.kind == RIFT_FOUND_FAILURE) {
        api_fail_job(g->read.req, &g->found.job);
    } else {
        rift_jobs_ask(jobs, &g->spec, wait, on_answer, g);
    }
}

static void done_read(rift_lane_op *op)
{
    glb_read *g = RIFT_OP_OWNER(op, glb_read, read.op);
    if (!op->ok) {
        close_bytes(g);
        api_fail_err(g->read.req, &op->err, NULL, 0);
    } else if (g->by_key) {
        found_by_key(g);
    } else if (g->has_row && !g->lost) {
        send_found(g);
    } else {
        api_fail(g->read.req, 404, "unknown_artifact", "no artifact has this content");
    }
}

static void submit(glb_read *g)
{
    g->read.op.work = work_read;
    g->read.op.done = done_read;
    rift_lane_submit(g->read.api->config.reader, &g->read.op);
}

/* Answers out of what was sent a moment ago, or reads. */
static void answer(glb_read *g)
{
    const api_hot_name name = hot_name(g);
    if (!g->has_range && api_hot_find(g->read.api, &name, &g->file)) {
        send_artifact(g);
    } else {
        submit(g);
    }
}

static void take_codings(glb_read *g)
{
    rift_request *req = g->read.req;
    g->best = api_choose_encoding(req, (1U << RIFT_ENCODING_COUNT) - 1);
    for (unsigned e = 0; e < RIFT_ENCODING_COUNT; e++)
        g->may_pack[e] = api_choose_encoding(req, 1U << e) < RIFT_ENCODING_COUNT;
    g->has_range = rift_request_header(req, "Range").size > 0;
    g->if_range = rift_request_header(req, "If-Range");
}

static glb_read *new_read(rift_api *api, rift_request *req)
{
    glb_read *g = RIFT_NEW(&req->arena, glb_read, 1);
    if (g == NULL) {
        api_fail(req, 503, "nomem", "out of memory");
        return NULL;
    }
    *g = (glb_read){.read = {.api = api, .req = req}, .file = {.fd = -1, .encoding = RIFT_ENCODING_COUNT}};
    take_codings(g);
    return g;
}

void api_skin_glb(rift_api *api, rift_request *req, rift_str id)
{
    rift_skin_ref skin;
    rift_options options;
    rift_str text;
    if (!api_skin(api, req, id, &skin) || !api_query_options(api, req, &options, &text) ||
        !api_accepts(req, "model/gltf-binary"))
        return;
    glb_read *g = new_read(api, req);
    if (g == NULL)
        return;
    g->spec = rift_jobs_spec(api->config.jobs, &skin, text, &req->arena);
    if (!api_has_memory(req))
        return;
    g->by_key = true;
    g->use_alias = memchr(id.data, '/', id.size) != NULL;
    g->is_async = rift_prefer_parse(rift_request_header(req, "Prefer")).respond_async;
    answer(g);
}

void api_artifact(rift_api *api, rift_request *req, rift_str name)
{
    glb_read *g = new_read(api, req);
    if (g == NULL)
        return;
    bool ok = name.size == 64;
    for (size_t i = 0; ok && i < 32; i++) {
        uint64_t byte = 0;
        ok = rift_str_hex((rift_str){name.data + 2 * i, 2}, &byte);
        g->sha256.bytes[i] = (uint8_t)byte;
    }
    if (!ok) {
        api_fail(req, 400, "bad_digest", "an artifact is named by 64 hexadecimal digits");
        return;
    }
    if (api_accepts(req, "model/gltf-binary"))
        answer(g);
}
