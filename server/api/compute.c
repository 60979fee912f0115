/* What is computed from the game's files on the pool, once however many ask for it, and kept for a while. */
#include <stdlib.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "config/limits.h"

enum { CACHE_SIZE = 256, MAX_RUNNING = 2, CACHE_BYTES = 64 * 1024 * 1024 };

typedef struct waiting {
    struct waiting *next;
    rift_request *req;
} waiting;

typedef enum entry_state { ENTRY_QUEUED, ENTRY_RUNNING, ENTRY_READY } entry_state;

/* A result, and how it comes about. */
typedef struct entry {
    api_result result; /* strings and bytes in arena; first: a result is its entry */
    struct entry *next;
    entry_state state;
    const api_task *task;
    rift_options options; /* strings in arena */
    rift_view view;
    rift_arena arena;     /* what is kept */
    rift_arena out, tmp;  /* while it runs */
    rift_convert_env env; /* as it was at the asking, with a reference to its mount until it is ready */
    rift_hashpack *names; /* as it was when it began; may be NULL */
    bool ok;
    rift_err err;
    rift_bake_result
        bake; /* here, since a report is too large for a pool thread's stack; its content is in out */
    uint64_t used;
    waiting *waiting;
    unsigned readers; /* requests that copy from it */
    uv_work_t work;
} entry;

struct api_computed {
    entry *entries;
    size_t count, bytes;
    unsigned running, queued;
    uint64_t clock;
};

static void free_entry(entry *e)
{
    rift_arena_release(&e->arena);
    rift_arena_release(&e->out);
    rift_arena_release(&e->tmp);
    rift_mount_unref(e->env.mount);
    free(e);
}

bool api_computed_open(rift_api *api)
{
    api->computed = calloc(1, sizeof *api->computed);
    return api->computed != NULL;
}

void api_computed_close(rift_api *api)
{
    RIFT_ASSERT(api_computed_is_idle(api));
    for (entry *e = api->computed->entries, *next; e != NULL; e = next) {
        next = e->next;
        free_entry(e);
    }
    free(api->computed);
}

bool api_computed_is_idle(const rift_api *api)
{
    return api->computed->running == 0 && api->computed->queued == 0;
}

static void unlink_entry(api_computed *m, entry *e)
{
    entry **at = &m->entries;
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    m->count--;
    m->bytes -= e->result.bytes.size;
}

/* Drops what was used longest ago until the rest fits. */
static void trim(api_computed *m)
{
    while (m->count > CACHE_SIZE || m->bytes > CACHE_BYTES) {
        entry *oldest = NULL;
        for (entry *e = m->entries; e != NULL; e = e->next) {
            if (e->state == ENTRY_READY && e->readers == 0 && (oldest == NULL || e->used < oldest->used))
                oldest = e;
        }
        if (oldest == NULL)
            return;
        unlink_entry(m, oldest);
        free_entry(oldest);
    }
}

/* ---- replying ---- */

static void reply(entry *e, rift_request *req)
{
    if (!e->ok) {
        api_fail_err(req, &e->err, rift_stage_word(e->bake.stage), e->result.spec.skin);
        return;
    }
    e->readers++;
    e->used = ++e->result.api->computed->clock;
    e->task->reply(&e->result, req);
}

void api_result_release(api_result *result)
{
    entry *e = (entry *)result;
    e->readers--;
    trim(result->api->computed);
}

/* ---- computing ---- */

static bool run(entry *e, const rift_names *names)
{
    rift_skin_ref skin;
    const rift_convert_env *env = &e->env;
    const rift_bake_request request = {
        .skin = &skin, .assets = env->assets, .names = names, .game = env->game, .options = e->options};
    const api_run in = {.env = env, .request = &request, .view = &e->view, .result = &e->bake};
    const rift_str name = rift_spec_text(&e->result.spec, &e->out);
    rift_bytes bytes = {0};
    if (!rift_arena_ok(&e->out, "skin", &e->err) ||
        !rift_game_find_skin(env->game, name, &e->out, &skin, &e->err) ||
        !e->task->run(&bytes, &in, &e->out, &e->tmp, &e->err))
        return false;
    e->result.bytes = rift_arena_copy_bytes(&e->arena, bytes);
    e->result.sha256 = rift_sha256_of(bytes);
    return rift_arena_ok(&e->arena, "result", &e->err);
}

/* Bytes of two states of the game may have come together, whether that was noticed or not. */
static bool is_whole(entry *e)
{
    if (e->env.mount == NULL || rift_mount_is_intact(e->env.mount))
        return true;
    rift_err_in(&e->err, (rift_str){0});
    return rift_fail(&e->err, RIFT_ERR_CANCELLED, "game folder", RIFT_NO_OFFSET,
                     "an archive was written to meanwhile");
}

static void on_pool(uv_work_t *work)
{
    entry *e = work->data;
    rift_names names = {0};
    if (e->names != NULL)
        names = rift_hashpack_names(e->names);
    e->ok = run(e, e->names != NULL ? &names : NULL);
    e->ok = is_whole(e) && e->ok;
    rift_arena_release(&e->out);
    rift_arena_release(&e->tmp);
}

static void start_next(api_computed *m);

static void on_computed(uv_work_t *work, int status)
{
    (void)status; /* never cancelled */
    entry *e = work->data;
    api_computed *m = e->result.api->computed;
    m->running--;
    rift_mount_unref(e->env.mount);
    e->env.mount = NULL;
    rift_hashpack_unref(e->names);
    e->names = NULL;
    e->state = ENTRY_READY;
    m->bytes += e->result.bytes.size;
    start_next(m);
    waiting *w = e->waiting;
    e->waiting = NULL;
    e->readers++; /* the last reply may be over before the list is */
    while (w != NULL) {
        waiting *next = w->next; /* in the request's arena, which the reply gives up */
        reply(e, w->req);
        w = next;
    }
    e->readers--;
    if (!e->ok) {
        /* Failures are not kept: the next request tries again. */
        unlink_entry(m, e);
        free_entry(e);
    }
    trim(m);
}

static void start_next(api_computed *m)
{
    for (entry *e = m->entries; e != NULL && m->running < MAX_RUNNING; e = e->next) {
        if (e->state != ENTRY_QUEUED)
            continue;
        e->state = ENTRY_RUNNING;
        m->queued--;
        m->running++;
        e->work.data = e;
        e->names = rift_hashpack_ref(rift_jobs_names(e->result.api->config.jobs));
        const int code = uv_queue_work(e->result.api->config.loop, &e->work, on_pool, on_computed);
        RIFT_ASSERT(code == 0);
    }
}

static entry *find_entry(const api_computed *m, const rift_sha256 *key)
{
    entry *e = m->entries;
    while (e != NULL && memcmp(e->result.spec.key.bytes, key->bytes, sizeof key->bytes) != 0)
        e = e->next;
    return e;
}

static entry *add_entry(rift_api *api, const api_question *q)
{
    api_computed *m = api->computed;
    entry *e = m->queued < RIFT_LIMIT_DESCRIBES ? calloc(1, sizeof *e) : NULL;
    if (e == NULL)
        return NULL;
    const size_t half = (size_t)(api->config.env->job_bytes / 2);
    rift_arena_init(&e->arena, half);
    rift_arena_init(&e->out, half);
    rift_arena_init(&e->tmp, half);
    rift_err_in(&e->err, (rift_str){0});
    e->env = *api->config.env;
    (void)rift_mount_ref(e->env.mount);
    e->bake.stage = RIFT_STAGE_LOOKUP;
    e->task = q->task;
    e->view = q->view;
    e->options = q->options;
    e->options.clips = rift_arena_copy_str(&e->arena, q->options.clips);
    e->options.pose_clip = rift_arena_copy_str(&e->arena, q->options.pose_clip);
    e->result = (api_result){.api = api, .spec = q->spec};
    e->result.spec.alias = rift_arena_copy_str(&e->arena, q->spec.alias);
    e->result.spec.options = (rift_str){0};
    if (e->arena.failed != RIFT_OK) {
        free_entry(e);
        return NULL;
    }
    e->next = m->entries;
    m->entries = e;
    m->count++;
    m->queued++;
    return e;
}

static void wait_for(entry *e, rift_request *req)
{
    waiting *w = RIFT_NEW(&req->arena, waiting, 1);
    if (w == NULL) {
        api_fail(req, 503, "nomem", "out of memory");
        return;
    }
    *w = (waiting){.next = e->waiting, .req = req};
    e->waiting = w;
}

void api_compute(rift_api *api, rift_request *req, const api_question *question)
{
    if (!api_has_memory(req))
        return;
    entry *e = find_entry(api->computed, &question->spec.key);
    if (e != NULL && e->state == ENTRY_READY) {
        reply(e, req);
        return;
    }
    if (e == NULL)
        e = add_entry(api, question);
    if (e == NULL) {
        api_problem_send(req, &(api_problem){.status = 503,
                                             .code = "busy",
                                             .detail = "too many skins are being looked at",
                                             .retryable = true,
                                             .retry_after_s = 1});
        return;
    }
    wait_for(e, req);
    start_next(api->computed);
}
