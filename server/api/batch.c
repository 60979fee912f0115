/* POST /v1/jobs:batch: many jobs of the sweep class at once. The reply has a line of JSON for each, in the order of the asking; it is sent when the last of them is
 * stored, so what a line calls accepted is (A8). */
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "body/body.h"
#include "http/fields.h"

typedef struct batch batch;

typedef struct batch_line {
    batch *owner;
    rift_skin_ref skin;
    rift_str asked; /* as text, where it is no skin */
    rift_str text;  /* the line, once it is known */
} batch_line;

struct batch {
    rift_api *api;
    rift_request *req;
    rift_str options;
    batch_line *lines;
    size_t count, capacity;
    size_t open;     /* lines without a text, and one while asking */
    size_t accepted; /* or there already */
    unsigned retry_after_s;
    unsigned refusal_status;
    const char *refusal; /* the last */
};

static rift_json *begin_line(batch_line *line, unsigned status, api_json *doc)
{
    rift_json *j = api_json_begin(line->owner->req, doc);
    rift_json_put_uint(j, "status", status);
    return j;
}

static void end_line(batch_line *line, api_json *doc)
{
    rift_json_object_end(&doc->json);
    rift_buf_str(&doc->buf, RIFT_STR("\n"));
    const rift_bytes text = rift_buf_bytes(&doc->buf);
    line->text = (rift_str){(const char *)text.data, text.size};
}

static void
put_problem(batch_line *line, unsigned status, const char *code, const char *detail, bool retryable)
{
    api_json doc;
    rift_json *j = begin_line(line, status, &doc);
    if (line->skin.id != 0)
        rift_json_put_uint(j, "skin", line->skin.id);
    if (line->asked.size > 0)
        rift_json_put_str(j, "asked", line->asked);
    rift_json_put_cstr(j, "code", code);
    rift_json_put_cstr(j, "detail", detail);
    rift_json_put_bool(j, "retryable", retryable);
    end_line(line, &doc);
}

static void put_job(batch_line *line, unsigned status, const rift_job_view *view)
{
    api_json doc;
    rift_json *j = begin_line(line, status, &doc);
    rift_job_view shown = *view;
    shown.flight = NULL; /* a place for each would be a walk for each */
    rift_json_key(j, "job");
    rift_json_object(j);
    api_put_job(line->owner->req, j, &shown);
    rift_json_object_end(j);
    end_line(line, &doc);
}

static void send_lines(batch *b)
{
    rift_request *req = b->req;
    /* Never a 200 with nothing but refusals in it. */
    if (b->accepted == 0 && b->retry_after_s > 0) {
        api_problem_send(req, &(api_problem){.status = b->refusal_status,
                                             .code = b->refusal,
                                             .detail = "nothing of it was accepted",
                                             .retryable = true,
                                             .retry_after_s = b->retry_after_s});
        return;
    }
    size_t size = 0;
    for (size_t i = 0; i < b->count; i++)
        size += b->lines[i].text.size;
    rift_buf body;
    rift_buf_init(&body, &req->arena, size);
    for (size_t i = 0; i < b->count; i++)
        rift_buf_str(&body, b->lines[i].text);
    if (!api_has_memory(req))
        return;
    req->reply_body = rift_buf_bytes(&body);
    rift_reply_header_add(req, "Content-Type", "application/x-ndjson");
    if (b->retry_after_s > 0)
        rift_reply_header_add(req, "Retry-After", "%u", b->retry_after_s);
    api_send(req, 200);
}

static void close_one(batch *b)
{
    if (--b->open == 0)
        send_lines(b);
}

static void
refuse(batch_line *line, const rift_answer *answer, unsigned status, const char *code, const char *detail)
{
    line->owner->retry_after_s = answer->retry_after_s;
    line->owner->refusal_status = status;
    line->owner->refusal = code;
    put_problem(line, status, code, detail, true);
}

static void on_answer(void *user, const rift_answer *answer)
{
    batch_line *line = user;
    batch *b = line->owner;
    switch (answer->kind) {
    case RIFT_ANSWER_DONE:
        b->accepted++;
        put_job(line, 200, &answer->job);
        break;
    case RIFT_ANSWER_ACCEPTED:
        b->accepted++;
        put_job(line, 202, &answer->job);
        break;
    case RIFT_ANSWER_FAILED: /* remembered */
        b->accepted++;
        put_job(line, answer->job.row->error_status, &answer->job);
        break;
    case RIFT_ANSWER_BUSY:
        refuse(line, answer, 503, "queue_full", "the queue has no room for a sweep");
        break;
    case RIFT_ANSWER_FULL:
        refuse(line, answer, 507, "disk_full", "the server's disk has no room for new results");
        break;
    case RIFT_ANSWER_DRAINING:
        refuse(line, answer, 503, "draining", "the server stops");
        break;
    case RIFT_ANSWER_CANCELLED:
    case RIFT_ANSWER_ERROR:
        put_problem(line, 503, "store", "the job store did not answer", true);
        break;
    }
    close_one(b);
}

/* ---- what is asked for ---- */

static batch_line *add_line(batch *b)
{
    RIFT_ASSERT(b->count < b->capacity);
    batch_line *line = &b->lines[b->count++];
    *line = (batch_line){.owner = b};
    return line;
}

static bool make_lines(batch *b, size_t capacity)
{
    b->lines = RIFT_NEW(&b->req->arena, batch_line, capacity);
    b->capacity = capacity;
    return b->lines != NULL;
}

/* All skins of the champions that `champion` names; of every one when it is empty. */
static bool add_champions(batch *b, rift_str champion)
{
    const rift_game *game = b->api->config.env->game;
    size_t count = 0;
    for (size_t i = 0; i < game->champion_count; i++)
        count += api_is_champion(&game->champions[i], champion) ? game->champions[i].skin_count : 0;
    if (!make_lines(b, count))
        return false;
    for (size_t i = 0; i < game->champion_count; i++) {
        const rift_champion *c = &game->champions[i];
        for (size_t k = 0; api_is_champion(c, champion) && k < c->skin_count; k++) {
            add_line(b)->skin = (rift_skin_ref){
                .id = c->id * 1000 + c->skins[k], .alias = c->alias, .number = c->skins[k], .champion = c};
        }
    }
    return true;
}

/* A skin that is none gets a line that says so; the others are converted. */
static bool add_skins(batch *b, const rift_batch_body *body)
{
    if (!make_lines(b, body->skin_count))
        return false;
    for (size_t i = 0; i < body->skin_count; i++) {
        batch_line *line = add_line(b);
        rift_err err;
        rift_err_in(&err, (rift_str){0});
        if (rift_game_find_skin(b->api->config.env->game, body->skins[i], &b->req->arena, &line->skin, &err))
            continue;
        if (err.code != RIFT_ERR_ARGUMENT && err.code != RIFT_ERR_NOT_FOUND)
            return false;
        const bool unknown = err.code == RIFT_ERR_NOT_FOUND;
        line->skin = (rift_skin_ref){0};
        line->asked = body->skins[i];
        put_problem(line, unknown ? 404 : 400, unknown ? "unknown_skin" : "bad_skin_id", err.text, false);
    }
    return true;
}

static void ask_all(batch *b)
{
    b->open = 1;
    for (size_t i = 0; i < b->count; i++)
        b->open += b->lines[i].text.size == 0;
    for (size_t i = 0; i < b->count; i++) {
        batch_line *line = &b->lines[i];
        if (line->text.size > 0)
            continue;
        rift_job_spec spec = rift_jobs_spec(b->api->config.jobs, &line->skin, b->options, &b->req->arena);
        spec.priority = RIFT_JOB_PRIORITY_SWEEP;
        if (b->req->arena.failed != RIFT_OK) {
            close_one(b); /* a key made without memory would be another request's */
        } else {
            rift_jobs_ask(b->api->config.jobs, &spec, 0, on_answer, line);
        }
    }
    close_one(b);
}

static bool read_body(const rift_api *api, rift_request *req, rift_batch_body *body)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (!rift_is_type(rift_request_header(req, "Content-Type"), RIFT_STR("application/json"))) {
        api_fail(req, 415, "unsupported_media_type", "the body of a batch is application/json");
        return false;
    }
    if (rift_batch_body_parse(body, req->body, api->limits.defaults, &req->arena, &err))
        return true;
    api_fail_argument(req, &err, "bad_body");
    return false;
}

void api_jobs_batch(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    rift_batch_body body;
    if (!api_accepts(req, "application/x-ndjson") || !read_body(api, req, &body) ||
        !api_sees_game(api, req) || !api_apply_masks(api, req, &body.options))
        return;
    batch *b = RIFT_NEW(&req->arena, batch, 1);
    if (!api_has_memory(req))
        return;
    *b = (batch){.api = api, .req = req, .options = rift_options_text(&body.options, &req->arena)};
    const bool ok = body.skin_count > 0 ? add_skins(b, &body) : add_champions(b, body.champion);
    if (!ok || !api_has_memory(req)) {
        if (req->arena.failed == RIFT_OK)
            api_fail(req, 503, "nomem", "out of memory");
    } else if (b->count == 0) {
        api_fail(req, 404, "unknown_champion", "the game has no such champion");
    } else {
        ask_all(b);
    }
}
