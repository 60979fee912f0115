#include "refresh/refresh.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "log/log.h"
#include "patches/alarm.h"
#include "refresh/fetch.h"
#include "refresh/refresh_run.h"

enum { PATH_SIZE = 4096 };

struct rift_refresh {
    uv_loop_t *loop;
    char hashes_path[PATH_SIZE], state_path[PATH_SIZE];
    char source[PATH_SIZE]; /* empty: off */
    size_t max;
    bool has_curl, running, again, stopped;
    bool waiting; /* a look that was due while it was held */
    atomic_bool cancel, held;
    rift_alarm alarm;
    uv_work_t work;
    char looked_at[PATH_SIZE]; /* source of the look under way */
    rift_refresh_run run;
    bool ok;
    rift_err err;
    rift_refresh_status status;
    char error[sizeof(rift_err)];
};

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- a look ---- */

static void on_pool(uv_work_t *work)
{
    rift_refresh *r = work->data;
    r->ok = rift_refresh_now(&r->run, &r->err);
}

static void note_failure(rift_refresh *r)
{
    r->status.failing = true;
    r->status.failed++;
    r->status.failed_ms = now_ms();
    (void)rift_err_print(&r->err, r->error, sizeof r->error);
    rift_log_failure("the name lists were not taken over", &r->err);
}

static void note_success(rift_refresh *r)
{
    const bool is_new = r->run.changed > 0;
    r->status.failing = false;
    r->status.ok_ms = now_ms();
    r->status.changed += is_new;
    r->status.unchanged += !is_new;
    r->status.names += r->run.taken;
    r->error[0] = '\0';
    rift_log log;
    rift_log_begin(&log, is_new ? RIFT_LOG_INFO : RIFT_LOG_DEBUG,
                   is_new ? "name lists taken over" : "name lists are as they were");
    rift_log_int(&log, "lists", (int64_t)r->run.lists);
    rift_log_int(&log, "changed", (int64_t)r->run.changed);
    rift_log_int(&log, "names", (int64_t)r->run.taken);
    rift_log_int(&log, "refused", (int64_t)r->run.refused);
    rift_log_end(&log);
}

static void look(void *user);

static bool is_held(const rift_refresh *r)
{
    return atomic_load_explicit(&r->held, memory_order_relaxed);
}

static void on_looked(uv_work_t *work, int status)
{
    (void)status; /* never cancelled */
    rift_refresh *r = work->data;
    r->running = false;
    if (r->stopped)
        return;
    if (r->ok) {
        note_success(r);
    } else {
        note_failure(r);
        r->again |= is_held(r);
    }
    if (r->again)
        look(r);
}

static void look(void *user)
{
    rift_refresh *r = user;
    r->waiting = false;
    if (r->stopped || r->source[0] == '\0')
        return;
    r->waiting = !r->running && is_held(r);
    if (r->waiting)
        return;
    r->again = r->running;
    if (r->running)
        return;
    r->running = true;
    memcpy(r->looked_at, r->source, sizeof r->source);
    rift_err_in(&r->err, (rift_str){0});
    r->run = (rift_refresh_run){.source = r->looked_at,
                                .hashes_path = r->hashes_path,
                                .state_path = r->state_path,
                                .max = r->max,
                                .cancel = &r->cancel,
                                .held = &r->held};
    r->work.data = r;
    const int code = uv_queue_work(r->loop, &r->work, on_pool, on_looked);
    RIFT_ASSERT(code == 0);
}

/* ---- life ---- */

static bool copy_path(char out[PATH_SIZE], const char *path, rift_err *err)
{
    const size_t size = strlen(path);
    if (size >= PATH_SIZE)
        return rift_fail(err, RIFT_ERR_ARGUMENT, "path", RIFT_NO_OFFSET, "is over %d bytes", PATH_SIZE - 1);
    memcpy(out, path, size + 1);
    return true;
}

bool rift_refresh_open(
    rift_refresh **out, uv_loop_t *loop, const char *hashes_path, const char *state_path, rift_err *err)
{
    rift_refresh *r = calloc(1, sizeof *r);
    if (r == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "names", RIFT_NO_OFFSET, "out of memory");
    if (!copy_path(r->hashes_path, hashes_path, err) || !copy_path(r->state_path, state_path, err)) {
        free(r);
        return false;
    }
    r->loop = loop;
    atomic_init(&r->cancel, false);
    atomic_init(&r->held, false);
    rift_alarm_init(&r->alarm, loop, look, r);
    *out = r;
    return true;
}

bool rift_refresh_set(rift_refresh *refresh, const rift_refresh_settings *settings, rift_err *err)
{
    rift_refresh *r = refresh;
    rift_alarm_stop(&r->alarm);
    r->source[0] = '\0';
    r->waiting = false;
    if (settings->source == NULL)
        return true;
    if (rift_refresh_is_url(settings->source) && !r->has_curl && !rift_fetch_start(err))
        return false;
    r->has_curl |= rift_refresh_is_url(settings->source);
    if (!copy_path(r->source, settings->source, err))
        return false;
    r->max = settings->max;
    rift_alarm_set(&r->alarm, &settings->schedule, settings->jitter_ms, true);
    return true;
}

void rift_refresh_hold(rift_refresh *refresh, bool on)
{
    atomic_store_explicit(&refresh->held, on, memory_order_relaxed);
    if (!on && refresh->waiting)
        look(refresh);
}

rift_refresh_status rift_refresh_tell(const rift_refresh *refresh)
{
    rift_refresh_status s = refresh->status;
    s.source = refresh->source[0] == '\0' ? "off" : rift_refresh_is_url(refresh->source) ? "url" : "folder";
    s.running = refresh->running;
    s.waiting = refresh->waiting;
    s.error = refresh->error;
    return s;
}

void rift_refresh_stop(rift_refresh *refresh)
{
    refresh->stopped = true;
    atomic_store_explicit(&refresh->cancel, true, memory_order_relaxed);
    rift_alarm_stop(&refresh->alarm);
}

bool rift_refresh_is_idle(const rift_refresh *refresh)
{
    return !refresh->running;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void rift_refresh_close(rift_refresh *refresh)
{
    if (refresh != NULL)
        rift_alarm_close(&refresh->alarm, on_closed);
}
