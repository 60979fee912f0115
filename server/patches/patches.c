#include "patches/patches.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "log/log.h"

enum { RETRY_MS = 2000, RETRY_MAX_MS = 60 * 1000 };

struct rift_patches {
    rift_patches_config config;
    uv_mutex_t lock;
    rift_index *looks, *skins, *reports; /* connections: of looks, of the writer's lane, of the reader's */
    bool settled;
    rift_watch *watch;
    rift_sweep *sweep;
    unsigned turns, name_turns; /* games, and name tables, that are about to be put in force */
    rift_mount *last_mount;     /* of the last of these, or in force; counted */
    rift_hashpack *last_names;
    bool late, late_runs; /* artifacts were saved for a game that is not in force any more */
    uv_timer_t *retry;    /* of a comparison that failed */
    uint64_t retry_ms;    /* its next pause */
    bool stopped;
};

typedef enum turn_kind { TURN_LATE, TURN_GAME, TURN_NAMES } turn_kind;

/* Telling artifacts that hold from stale ones, and then the change of games or names. Turns end in the order in which they began, so each begins with
 * the games and names of the one before. */
typedef struct turn {
    rift_patches *patches;
    rift_lane_op op;
    turn_kind kind;
    rift_mount *mount;
    rift_hashpack *names; /* may be NULL */
    bool is_patch;        /* with GAME, as the next two, which are told when it is in force */
    rift_patch news;      /* strings in the mount */
    rift_report report;
    rift_arena arena;
    rift_relabel found;
    int64_t patch;
} turn;

/* ---- opening ---- */

bool rift_patches_open(rift_patches **out,
                       rift_mount **mount,
                       const char *path,
                       const char *dir,
                       rift_report *report,
                       rift_err *err)
{
    rift_patches *p = calloc(1, sizeof *p);
    if (p == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "patches", RIFT_NO_OFFSET, "out of memory");
    const int code = uv_mutex_init(&p->lock);
    RIFT_ASSERT(code == 0);
    if (!rift_index_open(&p->looks, path, &p->lock, err) ||
        !rift_index_open(&p->skins, path, &p->lock, err) ||
        !rift_index_open(&p->reports, path, &p->lock, err) ||
        !rift_watch_first(mount, &p->settled, p->looks, dir, report, err)) {
        rift_patches_free(p);
        return false;
    }
    *out = p;
    return true;
}

bool rift_patches_is_settled(const rift_patches *patches)
{
    return patches->settled;
}

/* ---- a turn ---- */

static bool run_turn(turn *t, rift_store *store, rift_err *err)
{
    rift_patch newest;
    bool found = false;
    rift_index *index = t->patches->skins;
    t->found.game = &t->mount->dir.game;
    t->found.digest = t->mount->digest;
    t->found.names = t->names;
    t->found.now_ms = rift_now_ms();
    if (!rift_index_newest(index, &found, &newest, &t->arena, err) ||
        !rift_relabel_run(&t->found, store, &t->arena, err))
        return false;
    t->patch = found ? newest.id : 0;
    return !found ||
           rift_index_add_skins(index, t->patch, &t->found, t->patches->config.canaries, &t->arena, err);
}

static bool work_turn(rift_lane_op *op, rift_store *store, rift_err *err)
{
    return run_turn(RIFT_OP_OWNER(op, turn, op), store, err);
}

static void log_mount(const rift_mount *mount, const rift_report *report, const rift_patch *patch)
{
    rift_log_report(report);
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_INFO, patch != NULL ? "patch" : "game mounted anew");
    if (patch != NULL) {
        rift_log_int(&log, "patch", patch->id);
        rift_log_str(&log, "version", patch->version);
        rift_log_int(&log, "ms", patch->took_ms);
    }
    rift_log_int(&log, "archives", (int64_t)mount->dir.game.archive_count);
    rift_log_int(&log, "champions", (int64_t)mount->dir.game.champion_count);
    rift_log_end(&log);
}

static void log_turn(const turn *t)
{
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_INFO, "artifacts compared with the game");
    rift_log_int(&log, "kept", (int64_t)t->found.kept);
    rift_log_int(&log, "stale", (int64_t)t->found.stale_count);
    rift_log_end(&log);
}

static void put_in_force(rift_patches *p, rift_mount *mount)
{
    rift_convert_env *env = p->config.env;
    rift_mount *old = env->mount;
    env->mount = rift_mount_ref(mount);
    env->game = &mount->dir.game;
    env->assets = &mount->assets;
    rift_jobs_set_game(p->config.jobs, &mount->digest);
    rift_mount_unref(old);
}

static void hold_or_release(rift_patches *p)
{
    const rift_watch_state state = rift_watch_tell(p->watch).state;
    if (p->turns == 0 && state != RIFT_WATCH_SETTLING)
        rift_jobs_hold(p->config.jobs, state == RIFT_WATCH_MISSING);
}

static void end_turn(turn *t)
{
    rift_mount_unref(t->mount);
    rift_hashpack_unref(t->names);
    rift_arena_release(&t->arena);
    free(t);
}

static void remember(rift_patches *p, rift_mount *mount, rift_hashpack *names)
{
    rift_mount *old_mount = p->last_mount;
    rift_hashpack *old_names = p->last_names;
    p->last_mount = rift_mount_ref(mount);
    p->last_names = rift_hashpack_ref(names);
    rift_mount_unref(old_mount);
    rift_hashpack_unref(old_names);
}

/* With the mount or the names that come; NULL: those that are there. */
static turn *new_turn(rift_patches *p, turn_kind kind, rift_mount *mount, rift_hashpack *names)
{
    turn *t = calloc(1, sizeof *t);
    remember(p, mount != NULL ? mount : p->last_mount, names != NULL ? names : p->last_names);
    if (t == NULL)
        return NULL;
    t->patches = p;
    t->kind = kind;
    t->mount = rift_mount_ref(p->last_mount);
    t->names = rift_hashpack_ref(p->last_names);
    rift_arena_init(&t->arena, SIZE_MAX / 2);
    return t;
}

static void start_late(rift_patches *p);

/* With the game and the names that are the last by now. */
static void on_retry(uv_timer_t *timer)
{
    rift_patches_on_late(timer->data);
}

static void done_turn(rift_lane_op *op)
{
    turn *t = RIFT_OP_OWNER(op, turn, op);
    rift_patches *p = t->patches;
    if (op->ok) {
        log_turn(t);
        p->retry_ms = RETRY_MS;
    } else {
        /* Everything counts as stale until it succeeds. */
        rift_log_failure("artifacts were not compared with the game", &op->err);
        if (!p->stopped)
            (void)uv_timer_start(p->retry, on_retry, p->retry_ms, 0);
        p->retry_ms = 2 * p->retry_ms < RETRY_MAX_MS ? 2 * p->retry_ms : RETRY_MAX_MS;
    }
    switch (t->kind) {
    case TURN_LATE:
        p->late_runs = false;
        break;
    case TURN_GAME:
        put_in_force(p, t->mount);
        p->turns--;
        hold_or_release(p);
        log_mount(t->mount, &t->report, t->is_patch ? &t->news : NULL);
        break;
    case TURN_NAMES:
        p->name_turns--;
        rift_jobs_set_names(p->config.jobs, t->names);
        break;
    }
    const int64_t patch = t->patch;
    end_turn(t);
    if (patch != 0)
        rift_sweep_begin(p->sweep, patch);
    start_late(p);
}

static void submit(turn *t)
{
    t->op.work = work_turn;
    t->op.done = done_turn;
    rift_lane_submit(t->patches->config.writer, &t->op);
}

/* After the games are in force, so that one comparison does for all that came late. */
static void start_late(rift_patches *p)
{
    if (!p->late || p->late_runs || p->turns > 0 || p->name_turns > 0 || p->stopped)
        return;
    turn *t = new_turn(p, TURN_LATE, NULL, NULL);
    if (t == NULL)
        return; /* the next one to come late tries again */
    p->late = false;
    p->late_runs = true;
    submit(t);
}

void rift_patches_on_late(void *user)
{
    rift_patches *p = user;
    p->late = true;
    start_late(p);
}

/* ---- what the watch tells ---- */

static void on_mounted(void *user, rift_mount *mount, const rift_patch *patch, const rift_report *report)
{
    rift_patches *p = user;
    turn *t = new_turn(p, TURN_GAME, mount, NULL);
    if (t == NULL) {
        rift_log_line(RIFT_LOG_ERROR, "out of memory: artifacts are not compared with the game");
        put_in_force(p, mount);
    } else {
        p->turns++;
        t->report = *report;
        t->is_patch = patch != NULL;
        if (patch != NULL)
            t->news = *patch;
        submit(t);
    }
    rift_mount_unref(mount);
}

void rift_patches_on_names(void *user, rift_hashpack *names)
{
    rift_patches *p = user;
    turn *t = p->stopped ? NULL : new_turn(p, TURN_NAMES, NULL, names);
    if (t == NULL) {
        rift_jobs_set_names(p->config.jobs, names); /* then everything counts as stale until the next start */
    } else {
        p->name_turns++;
        submit(t);
    }
    rift_hashpack_unref(names);
}

/* Without its files nothing can be converted; what was made is served. */
static void on_state(void *user, rift_watch_state state)
{
    rift_patches *p = user;
    rift_log log;
    rift_log_begin(&log, state == RIFT_WATCH_MISSING ? RIFT_LOG_WARNING : RIFT_LOG_INFO, "game folder");
    rift_log_str(&log, "state", rift_str_c(rift_watch_state_word(state)));
    rift_log_end(&log);
    if (p->watch != NULL)
        hold_or_release(p);
}

void rift_patches_on_torn(void *user)
{
    rift_patches *p = user;
    rift_log_line(RIFT_LOG_WARNING, "an archive was written to during a conversion");
    rift_watch_look(p->watch, true);
}

/* ---- start ---- */

/* A stop between a patch and its comparison left that undone. */
static bool compare_now(rift_patches *p, rift_err *err)
{
    turn *t = new_turn(p, TURN_LATE, NULL, NULL);
    if (t == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "patches", RIFT_NO_OFFSET, "out of memory");
    bool ok = rift_store_begin(p->config.store, err) && run_turn(t, p->config.store, err) &&
              rift_store_commit(p->config.store, err);
    if (!ok)
        rift_store_rollback(p->config.store);
    const int64_t patch = t->patch;
    end_turn(t);
    if (ok && patch != 0)
        rift_sweep_begin(p->sweep, patch);
    return ok;
}

static bool open_retry(rift_patches *p, rift_err *err)
{
    p->retry = calloc(1, sizeof *p->retry);
    if (p->retry == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "patches", RIFT_NO_OFFSET, "out of memory");
    const int code = uv_timer_init(p->config.loop, p->retry);
    RIFT_ASSERT(code == 0);
    p->retry->data = p;
    p->retry_ms = RETRY_MS;
    return true;
}

static void on_retry_closed(uv_handle_t *handle)
{
    free(handle);
}

bool rift_patches_start(rift_patches *patches, const rift_patches_config *config, rift_err *err)
{
    rift_patches *p = patches;
    p->config = *config;
    if (!open_retry(p, err))
        return false;
    remember(p, config->env->mount, rift_jobs_names(config->jobs));
    const rift_sweep_config sweep = {.loop = config->loop,
                                     .writer = config->writer,
                                     .jobs = config->jobs,
                                     .env = config->env,
                                     .index = p->skins,
                                     .mode = config->sweep,
                                     .pause_ms = config->sweep_pause_ms,
                                     .defaults = config->defaults};
    const rift_watch_config watch = {.loop = config->loop,
                                     .index = p->looks,
                                     .dir = config->dir,
                                     .settle_ms = config->settle_ms,
                                     .patience_ms = config->patience_ms,
                                     .jitter_ms = config->jitter_ms,
                                     .schedule = config->schedule,
                                     .mounted = on_mounted,
                                     .state_changed = on_state,
                                     .user = p};
    if (!rift_sweep_open(&p->sweep, &sweep, err) || (p->settled && !compare_now(p, err)) ||
        !rift_watch_open(&p->watch, &watch, config->env->mount, p->settled, err))
        return false;
    if (p->settled)
        rift_jobs_hold(config->jobs, false);
    return true;
}

/* ---- the rest ---- */

rift_watch_status rift_patches_tell(const rift_patches *patches)
{
    rift_watch_status status = rift_watch_tell(patches->watch);
    if (status.state == RIFT_WATCH_READY && patches->turns > 0)
        status.state = RIFT_WATCH_SETTLING;
    return status;
}

bool rift_patches_is_halted(const rift_patches *patches)
{
    return rift_sweep_is_halted(patches->sweep);
}

void rift_patches_scan(rift_patches *patches)
{
    rift_watch_look(patches->watch, false);
}

void rift_patches_set_defaults(rift_patches *patches, rift_str defaults)
{
    rift_sweep_set_defaults(patches->sweep, defaults);
}

void rift_patches_sweep(rift_patches *patches)
{
    rift_sweep_resume(patches->sweep);
}

rift_index *rift_patches_reports(const rift_patches *patches)
{
    return patches->reports;
}

rift_index *rift_patches_skins(const rift_patches *patches)
{
    return patches->skins;
}

void rift_patches_stop(rift_patches *patches)
{
    patches->stopped = true;
    if (patches->retry != NULL)
        (void)uv_timer_stop(patches->retry);
    rift_watch_stop(patches->watch);
    rift_sweep_stop(patches->sweep);
}

bool rift_patches_is_idle(const rift_patches *patches)
{
    return rift_watch_is_idle(patches->watch) && rift_sweep_is_idle(patches->sweep) && patches->turns == 0 &&
           patches->name_turns == 0 && !patches->late_runs;
}

void rift_patches_close(rift_patches *patches)
{
    rift_watch_close(patches->watch);
    rift_sweep_close(patches->sweep);
    remember(patches, NULL, NULL);
    if (patches->retry != NULL)
        uv_close((uv_handle_t *)patches->retry, on_retry_closed);
    patches->retry = NULL;
    patches->watch = NULL;
    patches->sweep = NULL;
}

void rift_patches_free(rift_patches *patches)
{
    if (patches == NULL)
        return;
    rift_index_close(patches->looks);
    rift_index_close(patches->skins);
    rift_index_close(patches->reports);
    uv_mutex_destroy(&patches->lock);
    free(patches);
}
