/* What a request needs done on the pool, without a lane: files, and computing that is kept nowhere. */
#include "api/api_internal.h"

static void on_pool(uv_work_t *pool)
{
    api_work *w = pool->data;
    w->run(w);
}

static void on_done(uv_work_t *pool, int status)
{
    (void)status; /* never cancelled */
    api_work *w = pool->data;
    rift_api *api = w->api;
    api->working--;
    w->done(w);
}

void api_work_start(api_work *w, void (*run)(api_work *w), void (*done)(api_work *w))
{
    w->run = run;
    w->done = done;
    w->pool.data = w;
    w->api->working++;
    const int code = uv_queue_work(w->api->config.loop, &w->pool, on_pool, on_done);
    RIFT_ASSERT(code == 0);
}
