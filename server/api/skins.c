/* The catalogue and the last report. What exists comes from the game, what was made of it from the store. */
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "config/limits.h"
#include "http/guard.h"

/* ---- GET /v1/skins, GET /v1/champions ---- */

typedef struct list_row {
    const rift_champion *champion;
    uint32_t number;
    rift_job_spec spec; /* of what is made when nobody says how */
    rift_skin_state state;
} list_row;

typedef struct list_read {
    api_read read;
    rift_mount *mount; /* that `rows` point into */
    rift_str champion, q;
    rift_str defaults; /* of the options: what `url` gives, and what the state is of */
    uint64_t after;
    size_t limit; /* of skins, or of champions with all of theirs */
    bool by_champion;
    bool has_champion, has_q, has_after, has_limit;
    list_row *rows;
    size_t count;
    bool more;
} list_read;

/* True the first time. */
static bool once(bool *seen)
{
    const bool first = !*seen;
    *seen = true;
    return first;
}

static bool set_parameter(list_read *r, rift_str name, rift_str value, rift_arena *arena)
{
    uint64_t n;
    if (rift_str_eq(name, RIFT_STR("champion"))) {
        r->champion = rift_arena_copy_str(arena, value);
        return once(&r->has_champion);
    } else if (rift_str_eq(name, RIFT_STR("q"))) {
        r->q = rift_arena_copy_str(arena, value);
        return once(&r->has_q);
    } else if (rift_str_eq(name, RIFT_STR("after"))) {
        return once(&r->has_after) && rift_str_u64(value, UINT32_MAX, &r->after);
    } else if (rift_str_eq(name, RIFT_STR("limit"))) {
        if (!once(&r->has_limit) || !rift_str_u64(value, RIFT_LIMIT_PAGE, &n) || n == 0)
            return false;
        r->limit = (size_t)n;
        return true;
    }
    return false;
}

static bool read_parameters(list_read *r, rift_request *req)
{
    rift_str rest = req->query, value;
    char name[32], text[256];
    bool bad = false;
    r->limit = RIFT_LIMIT_PAGE_DEFAULT;
    while (rift_query_next(&rest, name, sizeof name, text, sizeof text, &value, &bad)) {
        if (set_parameter(r, rift_str_c(name), value, &req->arena))
            continue;
        rift_err err;
        rift_err_in(&err, (rift_str){0});
        (void)rift_fail(&err, RIFT_ERR_ARGUMENT, name, RIFT_NO_OFFSET,
                        "is no parameter of this list, is given twice, or has no such value "
                        "(champion, q, after, limit from 1 to 1000)");
        api_fail_argument(req, &err, "bad_parameter");
        return false;
    }
    if (bad)
        api_fail(req, 400, "bad_parameter", "the query is malformed or holds too long a part");
    return !bad;
}

bool api_is_champion(const rift_champion *c, rift_str text)
{
    uint64_t id;
    return text.size == 0 || rift_str_eq_nocase(text, c->alias) || rift_str_eq_nocase(text, c->name) ||
           (rift_str_u64(text, UINT32_MAX, &id) && id == c->id);
}

static bool matches_text(const list_read *r, const rift_champion *c, uint32_t number, rift_arena *arena)
{
    if (r->q.size == 0)
        return true;
    const rift_arena_mark mark = rift_arena_get_mark(arena);
    const rift_str id =
        rift_arena_printf(arena, "%u %.*s/%u", c->id * 1000 + number, RIFT_STR_ARG(c->alias), number);
    const bool match = rift_str_contains_nocase(id, r->q) || rift_str_contains_nocase(c->name, r->q);
    rift_arena_rewind(arena, mark);
    return match;
}

/* Champions come in the order of their ids, so the skins do too. */
static void collect_skins(list_read *r)
{
    rift_arena *arena = &r->read.req->arena;
    const rift_game *game = r->read.api->config.env->game;
    for (size_t i = 0; i < game->champion_count; i++) {
        const rift_champion *c = &game->champions[i];
        if (!api_is_champion(c, r->champion))
            continue;
        for (size_t k = 0; k < c->skin_count; k++) {
            if (c->id * 1000 + c->skins[k] <= r->after || !matches_text(r, c, c->skins[k], arena))
                continue;
            if (r->count == r->limit) {
                r->more = true;
                return;
            }
            r->rows[r->count++] = (list_row){.champion = c, .number = c->skins[k]};
        }
    }
}

static bool is_listed(const list_read *r, const rift_champion *c)
{
    return c->id > r->after && api_is_champion(c, r->champion) &&
           (r->q.size == 0 || rift_str_contains_nocase(c->name, r->q) ||
            rift_str_contains_nocase(c->alias, r->q));
}

static void collect_champions(list_read *r)
{
    const rift_game *game = r->read.api->config.env->game;
    size_t champions = 0;
    for (size_t i = 0; i < game->champion_count; i++) {
        const rift_champion *c = &game->champions[i];
        if (!is_listed(r, c))
            continue;
        if (champions++ == r->limit) {
            r->more = true;
            return;
        }
        for (size_t k = 0; k < c->skin_count; k++)
            r->rows[r->count++] = (list_row){.champion = c, .number = c->skins[k]};
    }
}

/* Skins that may be listed, all of them at most. */
static size_t most_rows(const list_read *r)
{
    const rift_game *game = r->read.api->config.env->game;
    size_t most = 0;
    for (size_t i = 0; i < game->champion_count; i++)
        most += r->by_champion && !is_listed(r, &game->champions[i]) ? 0 : game->champions[i].skin_count;
    return r->by_champion || most < r->limit ? most : r->limit;
}

static void put_specs(list_read *r)
{
    rift_arena *arena = &r->read.req->arena;
    for (size_t i = 0; i < r->count; i++) {
        const rift_champion *c = r->rows[i].champion;
        const rift_skin_ref skin = {.id = c->id * 1000 + r->rows[i].number,
                                    .alias = c->alias,
                                    .number = r->rows[i].number,
                                    .champion = c};
        const rift_arena_mark mark = rift_arena_get_mark(arena);
        r->rows[i].spec = rift_jobs_spec(r->read.api->config.jobs, &skin, r->defaults, arena);
        rift_arena_rewind(arena, mark); /* the text that was hashed */
    }
}

static bool work_states(rift_lane_op *op, rift_store *store, rift_err *err)
{
    list_read *r = RIFT_OP_OWNER(op, list_read, read.op);
    const int64_t now = rift_now_ms();
    for (size_t i = 0; i < r->count; i++) {
        if (!rift_store_skin_state(store, &r->rows[i].spec, now, &r->rows[i].state, err))
            return false;
    }
    return true;
}

static void put_row(rift_request *req, rift_json *j, const list_row *row)
{
    const rift_champion *c = row->champion;
    const uint32_t id = c->id * 1000 + row->number;
    rift_json_object(j);
    rift_json_put_uint(j, "id", id);
    rift_json_key(j, "champion");
    rift_json_object(j);
    rift_json_put_uint(j, "id", c->id);
    rift_json_put_str(j, "alias", c->alias);
    rift_json_put_str(j, "name", c->name);
    rift_json_object_end(j);
    rift_json_put_uint(j, "number", row->number);
    rift_json_put_cstr(j, "state", rift_skin_state_word(row->state));
    rift_json_put_str(j, "url", rift_arena_printf(&req->arena, "/v1/skins/%u.glb", id));
    rift_json_object_end(j);
}

/* Begins with the first of its rows; the index after the last of them. */
static size_t put_champion(rift_request *req, rift_json *j, const list_read *r, size_t at)
{
    const rift_champion *c = r->rows[at].champion;
    size_t states[RIFT_SKIN_STATE_COUNT] = {0}, end = at;
    while (end < r->count && r->rows[end].champion == c)
        states[r->rows[end++].state]++;
    rift_json_object(j);
    rift_json_put_uint(j, "id", c->id);
    rift_json_put_str(j, "alias", c->alias);
    rift_json_put_str(j, "name", c->name);
    rift_json_put_uint(j, "skins", c->skin_count);
    rift_json_key(j, "states");
    rift_json_object(j);
    for (size_t i = 0; i < RIFT_COUNT(states); i++)
        rift_json_put_uint(j, rift_skin_state_word((rift_skin_state)i), states[i]);
    rift_json_object_end(j);
    rift_json_put_str(j, "url", rift_arena_printf(&req->arena, "/v1/skins?champion=%u", c->id));
    rift_json_object_end(j);
    return end;
}

static void put_rows(const list_read *r, rift_json *j)
{
    rift_request *req = r->read.req;
    rift_json_key(j, r->by_champion ? "champions" : "skins");
    rift_json_array(j);
    for (size_t i = 0; i < r->count;) {
        if (r->by_champion) {
            i = put_champion(req, j, r, i);
        } else {
            put_row(req, j, &r->rows[i++]);
        }
    }
    rift_json_array_end(j);
}

static void send_list(list_read *r)
{
    rift_request *req = r->read.req;
    api_json doc;
    rift_json *j = api_json_begin(req, &doc);
    put_rows(r, j);
    rift_json_put_str(j, "defaults", r->defaults);
    if (r->more) {
        const list_row *last = &r->rows[r->count - 1];
        const uint32_t id = r->by_champion ? last->champion->id : last->champion->id * 1000 + last->number;
        rift_json_put_uint(j, "next", id);
        api_link_next(req, id);
    }
    rift_json_object_end(j);
    api_json_send(req, 200, &doc);
}

static void done_states(rift_lane_op *op)
{
    list_read *r = RIFT_OP_OWNER(op, list_read, read.op);
    rift_mount *mount = r->mount; /* the request ends with its reply */
    if (op->ok) {
        send_list(r);
    } else {
        api_fail_err(r->read.req, &op->err, NULL, 0);
    }
    rift_mount_unref(mount);
}

static void list(rift_api *api, rift_request *req, bool by_champion)
{
    list_read *r = RIFT_NEW(&req->arena, list_read, 1);
    if (r == NULL) {
        api_fail(req, 503, "nomem", "out of memory");
        return;
    }
    *r = (list_read){.read = {.api = api, .req = req, .op = {.work = work_states, .done = done_states}},
                     .by_champion = by_champion};
    if (!api_accepts(req, "application/json") || !read_parameters(r, req) || !api_sees_game(api, req))
        return;
    r->rows = RIFT_NEW(&req->arena, list_row, most_rows(r));
    if (r->rows == NULL) {
        api_fail(req, 503, "nomem", "out of memory");
        return;
    }
    r->defaults = api_defaults(api, req);
    if (by_champion) {
        collect_champions(r);
    } else {
        collect_skins(r);
    }
    put_specs(r);
    r->mount = rift_mount_ref(api->config.env->mount);
    rift_lane_submit(api->config.reader, &r->read.op);
}

void api_skins_list(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    list(api, req, false);
}

void api_champions_list(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    list(api, req, true);
}

/* ---- GET /v1/skins/{id}/report ---- */

typedef struct report_read {
    api_read read;
    rift_job_spec spec;
    int64_t job;
    rift_str report;
    bool has_job;
    rift_job_row row;
} report_read;

static bool work_report(rift_lane_op *op, rift_store *store, rift_err *err)
{
    report_read *r = RIFT_OP_OWNER(op, report_read, read.op);
    rift_arena *arena = &r->read.req->arena;
    return rift_store_report(store, &r->spec, &r->job, &r->report, arena, err) &&
           (r->job == 0 || rift_store_job(store, r->job, &r->has_job, &r->row, arena, err));
}

static void done_report(rift_lane_op *op)
{
    report_read *r = RIFT_OP_OWNER(op, report_read, read.op);
    rift_request *req = r->read.req;
    if (!op->ok) {
        api_fail_err(req, &op->err, NULL, 0);
        return;
    }
    if (!r->has_job || r->report.size < 2) {
        api_problem_send(req, &(api_problem){.status = 404,
                                             .code = "no_report",
                                             .detail = "this skin has not been converted with these options",
                                             .skin = r->spec.skin});
        return;
    }
    api_json doc;
    rift_json *j = api_json_begin(req, &doc);
    if (r->spec.skin != 0)
        rift_json_put_uint(j, "skin", r->spec.skin);
    rift_json_put_int(j, "job", r->job);
    rift_json_put_cstr(j, "state", rift_job_state_word(r->row.state));
    rift_json_put_str(j, "options", r->row.spec.options);
    if (r->row.error.size > 0) {
        rift_json_key(j, "error");
        rift_json_raw(j, r->row.error);
    }
    rift_buf_str(&doc.buf, RIFT_STR(","));
    rift_buf_str(&doc.buf, (rift_str){r->report.data + 1, r->report.size - 2});
    rift_json_object_end(j);
    api_json_send(req, 200, &doc);
}

void api_skin_report(rift_api *api, rift_request *req, rift_str id)
{
    rift_skin_ref skin;
    rift_options options;
    rift_str text;
    if (!api_skin(api, req, id, &skin) || !api_query_options(api, req, &options, &text) ||
        !api_accepts(req, "application/json"))
        return;
    report_read *r = RIFT_NEW(&req->arena, report_read, 1);
    if (r == NULL) {
        api_fail(req, 503, "nomem", "out of memory");
        return;
    }
    *r = (report_read){.read = {.api = api, .req = req, .op = {.work = work_report, .done = done_report}}};
    r->spec = rift_jobs_spec(api->config.jobs, &skin, text, &req->arena);
    if (!api_has_memory(req))
        return;
    if (memchr(id.data, '/', id.size) != NULL && skin.id != 0)
        rift_reply_header_add(req, "Content-Location", "/v1/skins/%u/report", skin.id);
    rift_lane_submit(api->config.reader, &r->read.op);
}
