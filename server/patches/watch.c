#include "patches/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"
#include "log/log.h"
#include "patches/alarm.h"

enum {
    MAX_EVENTS = RIFT_GAMEDIR_MAX_FOLDERS + 1,
    MAX_VERSIONS = 64 * 1024,
    MAX_PUT_OFF = 6, /* times settle_ms that events may put a look off */
};

typedef enum verdict {
    VERDICT_FAILED,  /* ours: err */
    VERDICT_MISSING, /* err */
    VERDICT_SAME,
    VERDICT_MOVING, /* err: what is not as at the look before; `found` is what to compare the next one with */
    VERDICT_UNFINISHED, /* err: what is not whole */
    VERDICT_TAKEN       /* `found` is mounted */
} verdict;

typedef struct look {
    /* in */
    rift_mount *current;  /* NULL: mounted anew in any case */
    rift_mount *expected; /* of the look before; only its files are open. May be NULL */
    bool accept;          /* whole or not */
    size_t sound;         /* see rift_index_check; of the look before, then of this one */
    /* out */
    verdict verdict;
    rift_mount *found;
    rift_patch patch; /* strings in found's arena */
    bool is_patch;
    rift_report report; /* with TAKEN */
    rift_err err;
} look;

typedef struct event {
    uv_fs_event_t handle;
    struct rift_watch *watch;
} event;

struct rift_watch {
    rift_watch_config config;
    char *dir; /* config.dir */
    rift_watch_state state;
    rift_mount *mount;    /* the one in force; counted */
    rift_mount *expected; /* see look */
    bool force, again, looking, stopped;
    int64_t put_off_since_ms; /* the look that is due */
    int64_t unready_since_ms; /* loop time; 0: ready */
    int64_t patient_since_ms; /* the same, but for the time in which there was nothing to be patient with */
    rift_err why;             /* it is not ready; not OK */
    bool told_moving;
    size_t sound;  /* see look */
    size_t hidden; /* of the last look */
    atomic_bool cancel;
    uv_timer_t settle;
    rift_alarm schedule;
    event **events;
    size_t event_count;
    uv_work_t work;
    look look;
    unsigned open_handles;
    bool closing;
};

const char *rift_watch_state_word(rift_watch_state state)
{
    static const char *const words[] = {"ready", "settling", "missing"};
    return (unsigned)state < RIFT_COUNT(words) ? words[state] : "unknown";
}

/* ---- on the pool ---- */

static int64_t now_ms(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The first file that differs; empty: none does. */
static rift_str first_change(const rift_mount *a, const rift_mount *b)
{
    const rift_gamefiles *x = &a->dir.files, *y = &b->dir.files;
    for (size_t i = 0; i < x->count && i < y->count; i++) {
        if (!rift_str_eq(x->files[i].path, y->files[i].path) || !rift_stamp_eq(&x->stamps[i], &y->stamps[i]))
            return x->files[i].path;
    }
    if (x->count != y->count)
        return x->count > y->count ? x->files[y->count].path : y->files[x->count].path;
    return rift_str_eq(a->dir.game.version, b->dir.game.version) ? (rift_str){0}
                                                                 : RIFT_STR("content-metadata.json");
}

static bool same_files(const rift_mount *a, const rift_mount *b)
{
    return first_change(a, b).size == 0;
}

static rift_str version_of(rift_mount *m)
{
    if (m->dir.game.version.size > 0)
        return m->dir.game.version;
    char hex[65];
    rift_sha256_hex(&m->digest, hex);
    return rift_arena_printf(&m->arena, "%.12s", hex);
}

static bool is_unknown(const rift_wad *wad)
{
    return wad->major == 3 && wad->minor > 4;
}

/* What nobody knows of the archives' versions, as rift_json_unsupported. */
static rift_str unknown_versions(rift_mount *m, const rift_survey *seen)
{
    rift_report report;
    rift_buf b;
    rift_json j;
    rift_report_init(&report, &m->arena);
    for (size_t i = 0; i < seen->files->count; i++) {
        if (seen->seen[i].err.code == RIFT_ERR_UNSUPPORTED)
            rift_report_err(&report, "archive_unreadable", &seen->seen[i].err);
    }
    for (size_t i = 0; i < m->dir.game.archive_count; i++) {
        const rift_wad *wad = &m->dir.game.archives[i].wad;
        char what[32];
        (void)snprintf(what, sizeof what, "version 3.%u", wad->minor);
        if (is_unknown(wad))
            rift_report_unsupported(&report, (rift_str){0}, m->dir.game.archives[i].path, rift_str_c(what));
    }
    rift_buf_init(&b, &m->arena, MAX_VERSIONS);
    rift_json_init(&j, &b);
    rift_json_unsupported(&j, &report);
    const rift_bytes text = rift_buf_bytes(&b);
    return (rift_str){(const char *)text.data, text.size};
}

static void describe_patch(rift_patch *patch, rift_mount *m, const rift_survey *seen, int64_t began_ms)
{
    *patch = (rift_patch){.version = version_of(m),
                          .digest = m->digest,
                          .taken_ms = now_ms(CLOCK_REALTIME),
                          .archives = m->dir.game.archive_count,
                          .unreadable = m->dir.files.count - m->dir.game.archive_count,
                          .read_bytes = seen->read_bytes,
                          .unsupported = unknown_versions(m, seen)};
    for (size_t i = 0; i < m->dir.game.archive_count; i++) {
        const rift_wad *wad = &m->dir.game.archives[i].wad;
        patch->entries += wad->entry_count;
        patch->unknown += is_unknown(wad);
    }
    patch->took_ms = now_ms(CLOCK_MONOTONIC) - began_ms;
}

static bool fill(rift_mount *m,
                 const rift_survey *seen,
                 const char *dir,
                 rift_report *report,
                 rift_arena *arena,
                 rift_err *err)
{
    rift_bytes *heads = RIFT_NEW(arena, rift_bytes, seen->files->count);
    if (heads == NULL)
        return rift_arena_ok(arena, "mount", err);
    for (size_t i = 0; i < seen->files->count; i++)
        heads[i] = seen->seen[i].head;
    return rift_mount_fill(m, dir, heads, report, err);
}

/* Notes the mounted state, as a patch when its tables are other ones than those of the newest. */
static bool take(look *l,
                 rift_index *index,
                 const rift_survey *seen,
                 const rift_wad_diff *diff,
                 int64_t began_ms,
                 rift_arena *arena)
{
    rift_patch newest;
    bool found;
    if (!rift_index_newest(index, &found, &newest, arena, &l->err))
        return false;
    l->is_patch =
        !found || memcmp(newest.digest.bytes, l->found->digest.bytes, sizeof newest.digest.bytes) != 0;
    describe_patch(&l->patch, l->found, seen, began_ms);
    if (!l->is_patch && l->found->dir.game.version.size > 0 &&
        !rift_index_set_version(index, newest.id, l->found->dir.game.version, &l->err))
        return false;
    return rift_arena_ok(&l->found->arena, "patch", &l->err) &&
           rift_index_take(index, seen, diff, l->is_patch ? &l->patch : NULL, &l->err);
}

static verdict
mount_found(look *l, rift_index *index, const char *dir, const atomic_bool *cancel, rift_arena *arena)
{
    const int64_t began = now_ms(CLOCK_MONOTONIC);
    rift_survey seen;
    rift_wad_diff diff;
    if (!rift_index_survey(&seen, index, &l->found->dir.files, arena, &l->err))
        return VERDICT_FAILED;
    if (!rift_index_check(&seen, &l->sound, l->accept, cancel, arena, &l->err))
        return l->err.code == RIFT_ERR_NOMEM ? VERDICT_FAILED : VERDICT_UNFINISHED;
    if (!rift_index_compare(&diff, index, &seen, arena, &l->err))
        return VERDICT_FAILED;
    if (!rift_index_sees_all(&seen, &diff, &l->err))
        return VERDICT_UNFINISHED;
    rift_report_init(&l->report, &l->found->arena);
    rift_err_in(&l->err, (rift_str){0});
    if (!fill(l->found, &seen, dir, &l->report, arena, &l->err))
        return VERDICT_FAILED;
    if (!rift_mount_is_intact(l->found)) {
        (void)rift_fail(&l->err, RIFT_ERR_IO, "archive", RIFT_NO_OFFSET, "was written to during the look");
        return VERDICT_MOVING;
    }
    return take(l, index, &seen, &diff, began, arena) ? VERDICT_TAKEN : VERDICT_FAILED;
}

static void on_pool(uv_work_t *work)
{
    rift_watch *w = work->data;
    look *l = &w->look;
    rift_report report;
    rift_err_in(&l->err, (rift_str){0});
    if (!rift_mount_find(&l->found, w->config.dir, &report, &l->err)) {
        l->verdict = l->err.code == RIFT_ERR_NOMEM ? VERDICT_FAILED : VERDICT_MISSING;
        return;
    }
    l->found->dir.game.version = rift_gamedir_version(w->config.dir, &l->found->arena);
    if (l->current != NULL && same_files(l->found, l->current)) {
        l->verdict = VERDICT_SAME;
    } else if (l->expected == NULL || !same_files(l->found, l->expected)) {
        l->verdict = VERDICT_MOVING;
        l->sound = 0;
        rift_err_in(&l->err, l->expected != NULL ? first_change(l->found, l->expected) : (rift_str){0});
        (void)rift_fail(&l->err, RIFT_ERR_IO, "archive", RIFT_NO_OFFSET, "is being written");
    } else {
        rift_arena arena;
        rift_arena_init(&arena, SIZE_MAX / 2);
        l->verdict = mount_found(l, w->config.index, w->config.dir, &w->cancel, &arena);
        rift_arena_release(&arena);
    }
}

/* ---- at the start ---- */

static bool
first(rift_mount *m, bool *settled, rift_index *index, const char *dir, rift_report *report, rift_err *err)
{
    rift_arena arena;
    rift_survey seen;
    rift_wad_diff diff;
    bool empty = false, found = false;
    rift_patch newest;
    look l = {.found = m};
    const int64_t began = now_ms(CLOCK_MONOTONIC);
    rift_arena_init(&arena, SIZE_MAX / 2);
    rift_err_in(&l.err, (rift_str){0});
    bool ok = rift_index_is_empty(index, &empty, err) &&
              rift_index_survey(&seen, index, &m->dir.files, &arena, err) &&
              fill(m, &seen, dir, report, &arena, err) &&
              rift_index_newest(index, &found, &newest, &arena, err);
    bool touched = false;
    for (size_t i = 0; ok && i < m->dir.files.count; i++)
        touched |= seen.seen[i].touched;
    *settled = ok && (empty || (!touched && memcmp(newest.digest.bytes, m->digest.bytes,
                                                   sizeof newest.digest.bytes) == 0));
    ok = ok && rift_index_compare(&diff, index, &seen, &arena, err);
    if (ok && !*settled)
        m->unseen = m->dir.files.count == 0 || !rift_index_sees_all(&seen, &diff, &l.err);
    if (ok && *settled && !take(&l, index, &seen, &diff, began, &arena)) {
        *err = l.err;
        ok = false;
    }
    rift_arena_release(&arena);
    return ok;
}

/* The folder, or nothing in place of one that was there before. */
static bool
find_first(rift_mount **out, rift_index *index, const char *dir, rift_report *report, rift_err *err)
{
    bool empty = false;
    if (rift_mount_find(out, dir, report, err))
        return true;
    rift_err why = *err;
    if (why.code == RIFT_ERR_NOMEM || !rift_index_is_empty(index, &empty, err) || empty)
        return false;
    rift_log_failure("the game folder cannot be read", &why);
    return rift_mount_nothing(out, report, err);
}

bool rift_watch_first(
    rift_mount **out, bool *settled, rift_index *index, const char *dir, rift_report *report, rift_err *err)
{
    rift_mount *m;
    *out = NULL;
    if (!find_first(&m, index, dir, report, err))
        return false;
    if (!first(m, settled, index, dir, report, err)) {
        rift_mount_unref(m);
        return false;
    }
    *out = m;
    return true;
}

/* ---- file events ---- */

static void release(rift_watch *w)
{
    if (--w->open_handles > 0 || !w->closing)
        return;
    free(w->events);
    free(w->dir);
    free(w);
}

static void on_timer_closed(uv_handle_t *handle)
{
    release(handle->data);
}

static void on_event_closed(uv_handle_t *handle)
{
    event *e = handle->data;
    rift_watch *w = e->watch;
    free(e);
    release(w);
}

static void on_settled(uv_timer_t *timer);

/* Every event puts it off: what is being written is not looked at. But not for ever: a log that grows in the folder hides no patch. */
static void look_later(rift_watch *w)
{
    if (w->stopped)
        return;
    const int64_t now = (int64_t)uv_now(w->config.loop), settle = w->config.settle_ms;
    if (!uv_is_active((uv_handle_t *)&w->settle))
        w->put_off_since_ms = now;
    const int64_t latest = w->put_off_since_ms + MAX_PUT_OFF * settle;
    const int64_t due = now + settle < latest ? now + settle : latest;
    (void)uv_timer_start(&w->settle, on_settled, due > now ? (uint64_t)(due - now) : 0, 0);
}

static void on_event(uv_fs_event_t *handle, const char *name, int events, int status)
{
    (void)name;
    (void)events;
    (void)status; /* an error is a reason to look, too */
    event *e = handle->data;
    look_later(e->watch);
}

static void drop_events(rift_watch *w)
{
    for (size_t i = 0; i < w->event_count; i++)
        uv_close((uv_handle_t *)&w->events[i]->handle, on_event_closed);
    w->event_count = 0;
}

/* False when the system has no more of them; the schedule goes on without. */
static bool add_event(rift_watch *w, const char *folder)
{
    event *e = calloc(1, sizeof *e);
    if (e == NULL)
        return false;
    const int code = uv_fs_event_init(w->config.loop, &e->handle);
    RIFT_ASSERT(code == 0);
    e->watch = w;
    e->handle.data = e;
    w->open_handles++;
    if (uv_fs_event_start(&e->handle, on_event, folder, 0) != 0) {
        uv_close((uv_handle_t *)&e->handle, on_event_closed);
        return false;
    }
    w->events[w->event_count++] = e;
    return true;
}

static void watch_folders(rift_watch *w)
{
    const rift_gamefiles *files = &w->mount->dir.files;
    drop_events(w);
    bool ok = add_event(w, w->config.dir);
    for (size_t i = 0; ok && i < files->folder_count && w->event_count < MAX_EVENTS; i++)
        ok = add_event(w, files->folders[i].data);
    if (!ok)
        rift_log_line(RIFT_LOG_WARNING, "not every folder of the game is watched; the schedule has to do");
}

/* ---- looks ---- */

static void set_state(rift_watch *w, rift_watch_state state)
{
    const bool changed = state != w->state;
    w->state = state;
    if (state == RIFT_WATCH_READY) {
        w->unready_since_ms = w->patient_since_ms = 0;
        w->why.code = RIFT_OK;
        w->told_moving = w->force = false;
    } else {
        const int64_t now = (int64_t)uv_now(w->config.loop);
        w->unready_since_ms = w->unready_since_ms != 0 ? w->unready_since_ms : now;
        w->patient_since_ms = w->patient_since_ms != 0 ? w->patient_since_ms : now;
    }
    if (changed && w->config.state_changed != NULL)
        w->config.state_changed(w->config.user, state);
}

static void expect(rift_watch *w, rift_mount *found)
{
    rift_mount_unref(w->expected);
    w->expected = found;
}

static void take_over(rift_watch *w, look *l)
{
    rift_mount_unref(w->mount);
    w->mount = l->found;
    expect(w, NULL);
    watch_folders(w);
    w->config.mounted(w->config.user, rift_mount_ref(w->mount), l->is_patch ? &l->patch : NULL, &l->report);
    set_state(w, RIFT_WATCH_READY);
}

static bool is_patient(const rift_watch *w)
{
    return w->patient_since_ms == 0 ||
           (int64_t)uv_now(w->config.loop) - w->patient_since_ms < w->config.patience_ms;
}

static void judge(rift_watch *w, look *l)
{
    w->sound = l->sound;
    if (l->found != NULL)
        w->hidden = l->found->dir.files.hidden_count;
    switch (l->verdict) {
    case VERDICT_SAME:
        rift_mount_unref(l->found);
        expect(w, NULL);
        set_state(w, RIFT_WATCH_READY);
        return;
    case VERDICT_TAKEN:
        take_over(w, l);
        return;
    case VERDICT_MOVING:
        if (!w->told_moving && !is_patient(w)) {
            rift_log_failure("the game folder does not lie still", &l->err);
            w->told_moving = true;
        }
        w->why = l->err;
        expect(w, l->found);
        set_state(w, RIFT_WATCH_SETTLING);
        break;
    case VERDICT_UNFINISHED:
        if (strcmp(w->why.text, l->err.text) != 0 || strcmp(w->why.file, l->err.file) != 0)
            rift_log_failure("the game folder is not whole yet", &l->err);
        w->why = l->err;
        expect(w, l->found);
        set_state(w, RIFT_WATCH_SETTLING);
        break;
    case VERDICT_MISSING:
        if (w->state != RIFT_WATCH_MISSING)
            rift_log_failure("the game folder cannot be read", &l->err);
        w->why = l->err;
        expect(w, NULL);
        w->force = true;
        set_state(w, RIFT_WATCH_MISSING);
        w->patient_since_ms = 0;
        break;
    case VERDICT_FAILED:
        rift_log_failure("the game folder was not taken over", &l->err);
        rift_mount_unref(l->found);
        break;
    }
    look_later(w);
}

static void on_looked(uv_work_t *work, int status);

static void start_look(rift_watch *w)
{
    if (w->stopped)
        return;
    if (w->looking) {
        w->again = true;
        return;
    }
    (void)uv_timer_stop(&w->settle);
    w->looking = true;
    w->again = false;
    w->look = (look){.current = w->force ? NULL : w->mount,
                     .expected = w->expected,
                     .accept = !is_patient(w),
                     .sound = w->sound};
    w->work.data = w;
    const int code = uv_queue_work(w->config.loop, &w->work, on_pool, on_looked);
    RIFT_ASSERT(code == 0);
}

static void on_looked(uv_work_t *work, int status)
{
    (void)status; /* never cancelled */
    rift_watch *w = work->data;
    look l = w->look;
    w->looking = false;
    if (w->stopped) {
        rift_mount_unref(l.found);
        return;
    }
    judge(w, &l);
    if (w->again)
        start_look(w);
}

static void on_settled(uv_timer_t *timer)
{
    start_look(timer->data);
}

void rift_watch_look(rift_watch *watch, bool force)
{
    watch->force |= force;
    start_look(watch);
}

static void on_schedule(void *user)
{
    start_look(user);
}

/* ---- life ---- */

bool rift_watch_open(
    rift_watch **out, const rift_watch_config *config, rift_mount *mount, bool settled, rift_err *err)
{
    rift_watch *w = calloc(1, sizeof *w);
    char *dir = calloc(1, strlen(config->dir) + 1);
    event **events = calloc(MAX_EVENTS, sizeof(event *));
    if (w == NULL || dir == NULL || events == NULL) {
        free(w);
        free(dir);
        free(events);
        return rift_fail(err, RIFT_ERR_NOMEM, "watch", RIFT_NO_OFFSET, "out of memory");
    }
    memcpy(dir, config->dir, strlen(config->dir) + 1);
    w->events = events;
    w->config = *config;
    w->config.dir = w->dir = dir;
    w->mount = rift_mount_ref(mount);
    w->hidden = mount->dir.files.hidden_count;
    atomic_init(&w->cancel, false);
    const int code = uv_timer_init(config->loop, &w->settle);
    RIFT_ASSERT(code == 0);
    w->settle.data = w;
    rift_alarm_init(&w->schedule, config->loop, on_schedule, w);
    w->open_handles = 2;
    watch_folders(w);
    rift_alarm_set(&w->schedule, &config->schedule, config->jitter_ms, false);
    if (!settled) {
        w->force = true;
        set_state(w, RIFT_WATCH_SETTLING);
        start_look(w);
    }
    *out = w;
    return true;
}

rift_watch_status rift_watch_tell(const rift_watch *watch)
{
    const bool ready = watch->state == RIFT_WATCH_READY;
    return (rift_watch_status){.state = watch->state,
                               .unready_ms =
                                   ready ? 0 : (int64_t)uv_now(watch->config.loop) - watch->unready_since_ms,
                               .hidden = watch->hidden,
                               .why = watch->why.code != RIFT_OK ? &watch->why : NULL};
}

void rift_watch_stop(rift_watch *watch)
{
    watch->stopped = true;
    atomic_store_explicit(&watch->cancel, true, memory_order_relaxed);
    (void)uv_timer_stop(&watch->settle);
    rift_alarm_stop(&watch->schedule);
}

bool rift_watch_is_idle(const rift_watch *watch)
{
    return !watch->looking;
}

void rift_watch_close(rift_watch *watch)
{
    if (watch == NULL)
        return;
    RIFT_ASSERT(!watch->looking);
    watch->stopped = watch->closing = true;
    expect(watch, NULL);
    rift_mount_unref(watch->mount);
    drop_events(watch);
    uv_close((uv_handle_t *)&watch->settle, on_timer_closed);
    rift_alarm_close(&watch->schedule, on_timer_closed);
}
