/* GET /v1/jobs/{id}/events: server-sent events (WHATWG HTML, 9.2). The first event is the whole job; then one for each step and each new progress; the last is called
 * "done", whatever came of the job, and the stream ends. A stream that has nothing to say writes a comment now and then. */
#include <stdlib.h>
#include <string.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "config/limits.h"

enum { TICK_MS = 250, PLACE_TICKS = 8, EVENT_MAX = 64 * 1024, BUFFER_MAX = 256 * 1024 };

/* The id of the last event. A client that has it comes back in vain, and is told not to (204). */
static const char last_id[] = "end";

typedef struct listener {
    api_events *events;
    rift_request *req;
    rift_stream stream;
    int64_t job;
    unsigned sequence;
    int64_t spoke_ms;
    bool ended;
    bool reading; /* a look into the store is under way */
    /* what was said last */
    rift_job_state state;
    int progress;
    const char *phase;
    size_t position;
    /* what the client has not taken yet */
    char *buffer;
    size_t size, capacity;
    struct listener *prev, *next;
} listener;

struct api_events {
    rift_api *api;
    uv_timer_t tick;
    listener *first;
    size_t count; /* and those about to begin */
    size_t looks; /* into the store, under way */
    unsigned ticks;
};

/* ---- the stream ---- */

static ssize_t read_events(void *user, char *to, size_t size)
{
    listener *l = user;
    if (l->size == 0)
        return l->ended ? -1 : 0;
    const size_t n = l->size < size ? l->size : size;
    memcpy(to, l->buffer, n);
    memmove(l->buffer, l->buffer + n, l->size - n);
    l->size -= n;
    return (ssize_t)n;
}

static void remove_listener(listener *l)
{
    *(l->prev != NULL ? &l->prev->next : &l->events->first) = l->next;
    if (l->next != NULL)
        l->next->prev = l->prev;
    l->events->count--;
    free(l->buffer);
    free(l);
}

/* A look under way still writes to it: then the look removes it. */
static void on_stream_closed(void *user)
{
    listener *l = user;
    l->req = NULL;
    if (!l->reading)
        remove_listener(l);
}

/* A client that takes nothing is cut off rather than waited for. */
static void say(listener *l, const char *text, size_t size)
{
    if (l->req == NULL)
        return;
    if (size > BUFFER_MAX - l->size) {
        l->ended = true;
        l->size = 0;
    } else if (l->size + size > l->capacity) {
        const size_t wider = 2 * (l->size + size);
        char *buffer = realloc(l->buffer, wider);
        if (buffer == NULL) {
            l->ended = true;
        } else {
            l->buffer = buffer;
            l->capacity = wider;
        }
    }
    if (!l->ended && size > 0) {
        memcpy(l->buffer + l->size, text, size);
        l->size += size;
    }
    l->spoke_ms = (int64_t)uv_now(l->events->api->config.loop);
    rift_request_wake(l->req);
}

static void say_event(listener *l, const char *name, const rift_job_view *view, size_t position)
{
    rift_arena arena;
    rift_buf b;
    rift_json j;
    rift_arena_init(&arena, (size_t)4 * EVENT_MAX);
    rift_buf_init(&b, &arena, EVENT_MAX);
    rift_buf_printf(&b, "event: %s\n", name);
    if (strcmp(name, "done") == 0) {
        rift_buf_printf(&b, "id: %s\n", last_id);
    } else {
        rift_buf_printf(&b, "id: %u\n", ++l->sequence);
    }
    rift_buf_str(&b, RIFT_STR("data: "));
    rift_json_init(&j, &b);
    rift_json_object(&j);
    api_put_job_at(&arena, &j, view, position);
    rift_json_object_end(&j);
    rift_buf_str(&b, RIFT_STR("\n\n"));
    const rift_bytes text = rift_buf_bytes(&b);
    if (b.failed) {
        l->ended = true;
        say(l, "", 0);
    } else {
        say(l, (const char *)text.data, text.size);
    }
    rift_arena_release(&arena);
}

static bool is_over(const rift_job_view *view)
{
    return view->phase == NULL && view->row->state > RIFT_JOB_RUNNING;
}

static rift_job_state state_of(const rift_job_view *view)
{
    return view->phase != NULL ? RIFT_JOB_RUNNING : view->row->state;
}

/* The whole job; of one that is over, the end as well. */
static void say_view(listener *l, const char *name, const rift_job_view *view)
{
    if (l->ended)
        return;
    l->state = state_of(view);
    l->progress = view->progress;
    l->phase = view->phase;
    l->position = rift_job_position(view);
    if (!is_over(view) || strcmp(name, "snapshot") == 0)
        say_event(l, name, view, l->position);
    if (is_over(view)) {
        say_event(l, "done", view, 0);
        l->ended = true;
        if (l->req != NULL)
            rift_request_wake(l->req);
    }
}

/* ---- what happens to jobs ---- */

static void on_step(void *user, const rift_job_view *view)
{
    const api_events *events = user;
    for (listener *l = events->first, *next; l != NULL; l = next) {
        next = l->next;
        if (l->job == view->row->id && l->sequence > 0)
            say_view(l, "phase", view);
    }
}

static void follow(listener *l, const rift_job_view *view)
{
    if (state_of(view) != l->state || view->phase != l->phase) {
        say_view(l, "phase", view);
    } else if (view->progress != l->progress ||
               (l->events->ticks % PLACE_TICKS == 0 && rift_job_position(view) != l->position)) {
        say_view(l, "progress", view);
    }
}

static void look(listener *l);

/* What no flight stands for is looked up at every heartbeat: another may have ended it. */
static void beat(listener *l, int64_t now)
{
    rift_job_view view;
    const bool live = rift_jobs_view(l->events->api->config.jobs, l->job, &view);
    if (live)
        follow(l, &view);
    if (l->ended || now - l->spoke_ms < (int64_t)RIFT_LIMIT_HEARTBEAT_S * 1000)
        return;
    say(l, ":\n\n", 3);
    if (!live && !l->reading)
        look(l);
}

static void on_tick(uv_timer_t *timer)
{
    api_events *events = timer->data;
    const int64_t now = (int64_t)uv_now(events->api->config.loop);
    events->ticks++;
    for (listener *l = events->first, *next; l != NULL; l = next) {
        next = l->next;
        if (l->req == NULL || l->ended)
            continue;
        if (rift_http_is_draining(l->req->http)) {
            l->ended = true; /* its client comes back, to whoever is there then */
            rift_request_wake(l->req);
        } else if (l->sequence > 0) {
            beat(l, now);
        }
    }
}

/* ---- looking into the store ---- */

typedef struct store_look {
    rift_lane_op op;
    listener *listener;
    rift_arena arena;
    bool found;
    rift_job_row row;
} store_look;

static bool work_look(rift_lane_op *op, rift_store *store, rift_err *err)
{
    store_look *s = RIFT_OP_OWNER(op, store_look, op);
    return rift_store_job(store, s->listener->job, &s->found, &s->row, &s->arena, err);
}

static void begin_stream(listener *l, const rift_job_view *view);

static void take_look(listener *l, const store_look *s)
{
    rift_job_view view = {.row = &s->row};
    if (l->req == NULL) {
        remove_listener(l);
        return;
    }
    if (l->sequence > 0) {
        if (s->op.ok && s->found && is_over(&view))
            say_view(l, "phase", &view);
        return;
    }
    rift_request *req = l->req;
    if (s->op.ok && s->found) {
        (void)rift_jobs_view(l->events->api->config.jobs, l->job, &view);
        begin_stream(l, &view);
        return;
    }
    const int64_t job = l->job;
    remove_listener(l);
    if (s->op.ok) {
        api_fail(req, 404, "unknown_job", "there is no job %lld", (long long)job);
    } else {
        api_fail_err(req, &s->op.err, NULL, 0);
    }
}

static void done_look(rift_lane_op *op)
{
    store_look *s = RIFT_OP_OWNER(op, store_look, op);
    listener *l = s->listener;
    l->events->looks--;
    l->reading = false;
    take_look(l, s);
    rift_arena_release(&s->arena);
    free(s);
}

static void look(listener *l)
{
    store_look *s = calloc(1, sizeof *s);
    if (s == NULL)
        return;
    rift_arena_init(&s->arena, EVENT_MAX);
    s->listener = l;
    s->op.work = work_look;
    s->op.done = done_look;
    l->reading = true;
    l->events->looks++;
    rift_lane_submit(l->events->api->config.reader, &s->op);
}

/* ---- the request ---- */

static void begin_stream(listener *l, const rift_job_view *view)
{
    rift_request *req = l->req;
    static const char retry[] = "retry: 3000\n";
    rift_reply_header_add(req, "Content-Type", "text/event-stream");
    rift_reply_header_add(req, "X-Accel-Buffering", "no");
    l->stream = (rift_stream){.read = read_events, .closed = on_stream_closed, .user = l};
    say(l, retry, sizeof retry - 1);
    say_view(l, "snapshot", view);
    req->stream = &l->stream;
    api_send(req, 200);
}

static listener *add_listener(api_events *events, rift_request *req, int64_t job)
{
    listener *l = calloc(1, sizeof *l);
    if (l == NULL)
        return NULL;
    l->events = events;
    l->req = req;
    l->job = job;
    l->next = events->first;
    if (events->first != NULL)
        events->first->prev = l;
    events->first = l;
    events->count++;
    return l;
}

void api_job_events(rift_api *api, rift_request *req, rift_str id)
{
    uint64_t number;
    rift_job_view view;
    if (!rift_str_u64(id, INT64_MAX, &number)) {
        api_fail(req, 400, "bad_job_id", "a job's id is a decimal number");
        return;
    }
    if (!api_accepts(req, "text/event-stream"))
        return;
    if (rift_str_eq(rift_request_header(req, "Last-Event-ID"), RIFT_STR(last_id))) {
        api_send(req, 204);
        return;
    }
    if (api->events->count >= api->config.listeners) {
        api_problem_send(req, &(api_problem){.status = 503,
                                             .code = "too_many_listeners",
                                             .detail = "too many event streams are open",
                                             .retryable = true,
                                             .retry_after_s = RIFT_LIMIT_HEARTBEAT_S});
        return;
    }
    listener *l = add_listener(api->events, req, (int64_t)number);
    if (l == NULL) {
        api_fail(req, 503, "nomem", "out of memory");
    } else if (rift_jobs_view(api->config.jobs, l->job, &view)) {
        begin_stream(l, &view);
    } else {
        look(l);
        if (!l->reading) {
            remove_listener(l);
            api_fail(req, 503, "nomem", "out of memory");
        }
    }
}

/* ---- life ---- */

bool api_events_open(rift_api *api)
{
    api_events *events = calloc(1, sizeof *events);
    if (events == NULL)
        return false;
    events->api = api;
    api->events = events;
    int code = uv_timer_init(api->config.loop, &events->tick);
    events->tick.data = events;
    code |= uv_timer_start(&events->tick, on_tick, TICK_MS, TICK_MS);
    RIFT_ASSERT(code == 0);
    rift_jobs_listen(api->config.jobs, on_step, events);
    return true;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void api_events_stop(rift_api *api)
{
    if (api->events == NULL)
        return;
    RIFT_ASSERT(api->events->first == NULL && api->events->looks == 0);
    uv_close((uv_handle_t *)&api->events->tick, on_closed);
    api->events = NULL;
}

size_t api_events_count(const rift_api *api)
{
    return api->events->count;
}

bool api_events_is_idle(const rift_api *api)
{
    return api->events == NULL || api->events->looks == 0;
}
