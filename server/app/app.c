/* Start: settings, data folder (locked), store, game, loop, HTTP. SIGHUP reads the settings again. Stop (SIGTERM, SIGINT): the listener closes, what is being sent and converted goes on
 * up to the drain time, the rest is queued again; then everything is closed and the loop must be empty. */
#include "app/app.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "api/api.h"
#include "app/systemd.h"
#include "auth/auth.h"
#include "base/str.h"
#include "blob/blob_files.h"
#include "body/body.h"
#include "cache/cache.h"
#include "config/config.h"
#include "config/limits.h"
#include "files/files.h"
#include "log/log.h"
#include "mount/mount.h"
#include "patches/patches.h"
#include "refresh/refresh.h"
#include "refresh/refresh_run.h"
#include "store/sqlite.h"

enum {
    PATH_SIZE = 4096,
    EXTRA_THREADS =
        11, /* both lanes, metadata, name tables and their lists, looks at the game folder, packing, scrubbing, files that were sent */
    GRACE_MS = 5000, /* after the drain time, for cancelled conversions to notice */
    STOP_TICK_MS = 50,
    CONFIG_MAX = 1024 * 1024,
    SECRETS_MAX = 64 * 1024,
    DEFAULTS_MAX = 2 * RIFT_LIMIT_OPTION_BYTES, /* one of them is a list, the others are words */
};

typedef struct app {
    rift_config config;
    char *config_text;           /* of the settings file; config points into it */
    char defaults[DEFAULTS_MAX]; /* of the options, as canonical text */
    int argc;
    char **argv;
    char db_path[PATH_SIZE], hashes_path[PATH_SIZE], masks_path[PATH_SIZE], blobs_path[PATH_SIZE],
        patches_path[PATH_SIZE], lists_path[PATH_SIZE];
    int lock;
    rift_store *writer_store, *reader_store;
    rift_blobs *blobs;
    rift_convert_env env;
    uv_loop_t loop;
    rift_lane writer, reader;
    rift_jobs *jobs;
    rift_patches *patches;
    rift_refresh *refresh;
    rift_cache *cache;
    rift_api *api;
    rift_http *http;
    int signals_fd;
    uv_poll_t signals;
    uv_timer_t stop_timer, watchdog;
    rift_systemd systemd;
    rift_auth auth;
    bool stopping, jobs_idle, cut, stopped;
    int64_t stop_began_ms;
} app;

/* ---- start ---- */

static bool fail_path(rift_err *err, const char *doing, const char *path)
{
    char text[128];
    const char *why = strerror_r(errno, text, sizeof text);
    return rift_fail(err, RIFT_ERR_IO, doing, RIFT_NO_OFFSET, "%s: %s", path, why);
}

static bool join_path(char *out, const char *dir, const char *name, rift_err *err)
{
    return snprintf(out, PATH_SIZE, "%s/%s", dir, name) < PATH_SIZE ||
           rift_fail(err, RIFT_ERR_ARGUMENT, "data", RIFT_NO_OFFSET, "the path is too long");
}

/* One daemon per data folder. The lock goes with the process, however it ends. */
static bool open_data(app *a, rift_err *err)
{
    char lock_path[PATH_SIZE], quarantine_path[PATH_SIZE];
    const char *dir = a->config.data;
    rift_err_in(err, rift_str_c(dir));
    if (!join_path(a->db_path, dir, "riftbake.db", err) ||
        !join_path(a->masks_path, dir, "masks.json", err) ||
        !join_path(a->hashes_path, dir, "hashes.db", err) || !join_path(a->blobs_path, dir, "blobs", err) ||
        !join_path(a->patches_path, dir, "patches.db", err) ||
        !join_path(a->lists_path, dir, "lists.state", err) ||
        !join_path(quarantine_path, dir, "quarantine", err) || !join_path(lock_path, dir, "lock", err))
        return false;
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return fail_path(err, "make folder", dir);
    a->lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (a->lock < 0)
        return fail_path(err, "lock", lock_path);
    if (flock(a->lock, LOCK_EX | LOCK_NB) != 0)
        return rift_fail(err, RIFT_ERR_IO, "lock", RIFT_NO_OFFSET, "another daemon uses this folder");
    rift_file_clear_left(dir, "masks.json");
    rift_file_clear_left(dir, "lists.state");
    return rift_blob_files_open(&a->blobs, a->blobs_path, quarantine_path, err);
}

static bool open_store(app *a, rift_err *err)
{
    bool clean = true;
    if (!rift_sqlite_open_writer(&a->writer_store, a->db_path, err) ||
        !rift_store_start(a->writer_store, &clean, err))
        return false;
    if (!clean)
        rift_log_line(RIFT_LOG_WARNING, "the last stop was unclean; the store was checked");
    return rift_sqlite_open_reader(&a->reader_store, a->db_path, err);
}

static void log_game(const rift_game *game, const rift_report *report)
{
    size_t skins = 0;
    for (size_t i = 0; i < game->champion_count; i++)
        skins += game->champions[i].skin_count;
    rift_log_report(report);
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_INFO, "game mounted");
    rift_log_int(&log, "archives", (int64_t)game->archive_count);
    rift_log_int(&log, "champions", (int64_t)game->champion_count);
    rift_log_int(&log, "skins", (int64_t)skins);
    rift_log_end(&log);
}

static bool open_game(app *a, rift_err *err)
{
    rift_report report;
    rift_files_raise_limit();
    if (!rift_patches_open(&a->patches, &a->env.mount, a->patches_path, a->config.game, &report, err))
        return false;
    log_game(&a->env.mount->dir.game, &report);
    return true;
}

static rift_sweep_mode sweep_mode(const char *word)
{
    return strcmp(word, "off") == 0   ? RIFT_SWEEP_OFF
           : strcmp(word, "all") == 0 ? RIFT_SWEEP_ALL
                                      : RIFT_SWEEP_ASKED;
}

static bool open_patches(app *a, rift_err *err)
{
    const rift_config *c = &a->config;
    rift_patches_config patches = {.loop = &a->loop,
                                   .writer = &a->writer,
                                   .store = a->writer_store,
                                   .jobs = a->jobs,
                                   .env = &a->env,
                                   .dir = c->game,
                                   .settle_ms = (int64_t)c->patch_settle_s * 1000,
                                   .patience_ms = (int64_t)c->patch_patience_s * 1000,
                                   .jitter_ms = (int64_t)c->rescan_jitter_s * 1000,
                                   .sweep = sweep_mode(c->sweep),
                                   .sweep_pause_ms = (int64_t)c->sweep_pause_ms,
                                   .defaults = rift_str_c(a->defaults),
                                   .canaries = (size_t)c->canaries};
    return rift_schedule_parse(&patches.schedule, c->rescan, err) &&
           rift_patches_start(a->patches, &patches, err);
}

static bool set_refresh(const app *a, rift_err *err)
{
    const rift_config *c = &a->config;
    rift_refresh_settings settings = {.source = c->names_source,
                                      .jitter_ms = (int64_t)c->names_jitter_s * 1000,
                                      .max = (size_t)c->names_max_bytes};
    return rift_schedule_parse(&settings.schedule, c->names_refresh, err) &&
           rift_refresh_set(a->refresh, &settings, err);
}

static bool open_refresh(app *a, rift_err *err)
{
    return rift_refresh_open(&a->refresh, &a->loop, a->hashes_path, a->lists_path, err) &&
           set_refresh(a, err);
}

static unsigned worker_count(const rift_config *config)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return config->workers > 0 ? (unsigned)config->workers : processors > 0 ? (unsigned)processors : 1;
}

static void on_no_room(void *user, uint64_t bytes)
{
    const app *a = user;
    if (a->cache != NULL)
        rift_cache_no_room(a->cache, bytes);
}

static bool open_jobs(app *a, const rift_app_hooks *hooks, rift_err *err)
{
    const rift_config *c = &a->config;
    a->env = (rift_convert_env){.mount = a->env.mount,
                                .game = &a->env.mount->dir.game,
                                .assets = &a->env.mount->assets,
                                .blobs = a->blobs,
                                .hashes_path = a->hashes_path,
                                .job_bytes = c->job_bytes,
                                .inline_bytes = c->inline_bytes,
                                .bake = hooks->bake,
                                .describe = hooks->describe};
    rift_lane_init(&a->writer, &a->loop, a->writer_store, true);
    rift_lane_init(&a->reader, &a->loop, a->reader_store, false);
    const rift_jobs_config jobs = {.loop = &a->loop,
                                   .writer = &a->writer,
                                   .reader = &a->reader,
                                   .env = &a->env,
                                   .game_digest = a->env.mount->digest,
                                   .workers = worker_count(c),
                                   .queue_max = (size_t)c->queue_max,
                                   .waiters = (size_t)c->waiters,
                                   .wait_max_ms = (int64_t)c->queue_wait_s * 1000,
                                   .no_room = on_no_room,
                                   .no_room_user = a,
                                   .job_ms = (int64_t)c->job_s * 1000,
                                   .job_silent_ms = (int64_t)c->job_silent_s * 1000,
                                   .held = true, /* until the artifacts are compared with the game */
                                   .torn = rift_patches_on_torn,
                                   .late = rift_patches_on_late,
                                   .names = rift_patches_on_names,
                                   .torn_user = a->patches,
                                   .lease_ms = RIFT_LIMIT_LEASE_MS};
    int64_t recovered = 0;
    if (!rift_jobs_open(&a->jobs, &jobs, a->writer_store, &recovered, err))
        return false;
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_INFO, "queue open");
    rift_log_int(&log, "recovered", recovered);
    rift_log_int(&log, "queued", (int64_t)rift_jobs_count(a->jobs).queued);
    rift_log_int(&log, "workers", jobs.workers);
    rift_log_end(&log);
    return true;
}

static void ignore_answer(void *user, const rift_answer *answer)
{
    (void)user;
    (void)answer;
}

/* The skin may be another today, or gone. */
static void remake(void *user, const rift_job_spec *lost)
{
    const app *a = user;
    rift_arena arena;
    rift_err err;
    rift_skin_ref skin;
    rift_arena_init(&arena, (size_t)1 << 20);
    rift_err_in(&err, (rift_str){0});
    if (rift_game_find_skin(a->env.game, rift_spec_text(lost, &arena), &arena, &skin, &err)) {
        rift_job_spec spec = rift_jobs_spec(a->jobs, &skin, lost->options, &arena);
        spec.priority = RIFT_JOB_PRIORITY_SWEEP;
        if (arena.failed == RIFT_OK)
            rift_jobs_ask(a->jobs, &spec, 0, ignore_answer, NULL);
    }
    rift_arena_release(&arena);
}

static void on_job_step(void *user, const rift_job_view *view)
{
    const app *a = user;
    if (view->row->state == RIFT_JOB_DONE)
        rift_cache_filled(a->cache);
}

static void on_room(void *user, rift_room room)
{
    const app *a = user;
    rift_jobs_set_room(a->jobs, room != RIFT_ROOM_KEPT, room == RIFT_ROOM_NONE);
    rift_refresh_hold(a->refresh, room != RIFT_ROOM_KEPT);
}

static bool is_room_wanted(void *user)
{
    const app *a = user;
    const rift_jobs_counts counts = rift_jobs_count(a->jobs);
    return counts.queued > counts.queued_sweep;
}

static rift_sha256 source_of_now(void *user)
{
    const app *a = user;
    return rift_jobs_source(&a->env.mount->digest, rift_jobs_names_digest(a->jobs));
}

static bool open_cache(app *a, rift_err *err)
{
    const rift_config *c = &a->config;
    const rift_cache_config config = {.loop = &a->loop,
                                      .writer = &a->writer,
                                      .reader = &a->reader,
                                      .blobs = a->blobs,
                                      .dir = c->data,
                                      .bytes = c->cache_bytes,
                                      .reserve_bytes = c->disk_reserve,
                                      .reserve_percent = (unsigned)c->disk_percent,
                                      .keep_jobs_ms = (int64_t)c->keep_jobs_s * 1000,
                                      .scrub_every_ms = (int64_t)c->scrub_s * 1000,
                                      .scrub_rate = c->scrub_rate,
                                      .remake = remake,
                                      .room = on_room,
                                      .is_wanted = is_room_wanted,
                                      .source = source_of_now,
                                      .user = a};
    if (!rift_cache_open(&a->cache, &config, err))
        return false;
    rift_jobs_listen(a->jobs, on_job_step, a);
    return true;
}

/* A socket that the service manager opened may be where nobody may come without a token. */
static bool check_listener(const app *a, rift_err *err)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    if (getsockname(a->systemd.listener, (struct sockaddr *)&address, &size) != 0)
        return rift_fail_errno(err, "listen", errno);
    return a->auth.on || a->config.insecure_open || address.ss_family == AF_UNIX ||
           rift_config_is_loopback(&address) ||
           rift_fail(err, RIFT_ERR_ARGUMENT, "listen", RIFT_NO_OFFSET,
                     "the socket is open to others and there are no tokens: name a --tokens-file, or "
                     "--insecure-open");
}

static void set_api_limits(app *a)
{
    const rift_config *c = &a->config;
    const rift_api_limits limits = {.serve_wait_ms = (int64_t)c->serve_wait_s * 1000,
                                    .body_bytes = (size_t)c->body_bytes,
                                    .upload_bytes = (size_t)c->upload_bytes,
                                    .upload_parts = (size_t)c->upload_parts,
                                    .job_ms = (int64_t)c->job_s * 1000,
                                    .rate = c->rate,
                                    .burst = c->burst,
                                    .access_log = c->access_log,
                                    .forwarded = c->forwarded,
                                    .defaults = rift_str_c(a->defaults)};
    rift_api_set_limits(a->api, &limits);
}

static bool open_http(app *a, rift_err *err)
{
    const rift_config *c = &a->config;
    const rift_api_config api = {.loop = &a->loop,
                                 .jobs = a->jobs,
                                 .reader = &a->reader,
                                 .cache = a->cache,
                                 .env = &a->env,
                                 .patches = a->patches,
                                 .refresh = a->refresh,
                                 .writer = &a->writer,
                                 .listeners = (size_t)c->listeners,
                                 .auth = &a->auth,
                                 .db_path = a->db_path,
                                 .masks_path = a->masks_path};
    rift_http_config http = {.loop = &a->loop,
                             .connections = (unsigned)c->connections,
                             /* A proxy's is the address of all its clients. */
                             .connections_per_address =
                                 (unsigned)(c->forwarded ? c->connections : c->connections_per_address),
                             .header_deadline_ms = (int64_t)c->header_deadline_s * 1000,
                             .body_deadline_ms = (int64_t)c->body_deadline_s * 1000,
                             .idle_s = (unsigned)c->idle_s,
                             .body_bytes = (size_t)c->body_bytes,
                             .handle = rift_api_handle,
                             .refuse = rift_api_refuse,
                             .body_limit = rift_api_body_limit,
                             .ended = rift_api_ended};
    if (!rift_api_open(&a->api, &api, err) ||
        !rift_config_address(c->listen, &http.address, &http.address_size, err))
        return false;
    set_api_limits(a);
    http.user = a->api;
    http.has_listener = a->systemd.listener >= 0;
    http.listener = a->systemd.listener;
    rift_err_in(err, rift_str_c(http.has_listener ? "" : c->listen));
    if (http.has_listener && !check_listener(a, err))
        return false;
    if (!rift_http_start(&a->http, &http, err))
        return false;
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_INFO, "listening");
    rift_log_str(&log, "address", rift_str_c(rift_http_address(a->http)));
    rift_log_end(&log);
    /* For whoever started us with port 0. */
    printf("listening on %s\n", rift_http_address(a->http));
    (void)fflush(stdout);
    rift_systemd_tell(&a->systemd, "READY=1\nSTATUS=serving");
    return true;
}

/* ---- stop ---- */

static void finish_stop(app *a)
{
    a->stopped = true;
    rift_http_close(a->http);
    rift_api_stop(a->api);
    rift_cache_close(a->cache);
    rift_jobs_close(a->jobs);
    rift_patches_close(a->patches);
    rift_refresh_close(a->refresh);
    a->jobs = NULL;
    a->http = NULL;
    uv_close((uv_handle_t *)&a->signals, NULL);
    uv_close((uv_handle_t *)&a->stop_timer, NULL);
    uv_close((uv_handle_t *)&a->watchdog, NULL);
}

/* A conversion that does not look at its cancel flag cannot be stopped. Its job is "running" in the store and is queued at the next start. */
static void give_up(const app *a)
{
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_WARNING,
                   "conversions did not stop in time; they run again after the next start");
    rift_log_int(&log, "running", (int64_t)rift_jobs_count(a->jobs).running);
    rift_log_end(&log);
    _exit(0);
}

static void on_stop_tick(uv_timer_t *timer)
{
    app *a = timer->data;
    const int64_t since = (int64_t)uv_now(&a->loop) - a->stop_began_ms;
    const bool over = since >= (int64_t)a->config.drain_s * 1000;
    if (over && !a->cut) {
        a->cut = true;
        rift_jobs_cut(a->jobs);
    }
    if (over && a->jobs_idle && rift_api_is_idle(a->api))
        rift_http_cut(a->http);
    if (a->jobs_idle && rift_api_is_idle(a->api) && rift_cache_is_idle(a->cache) &&
        rift_lane_is_idle(&a->writer) && rift_lane_is_idle(&a->reader) && rift_patches_is_idle(a->patches) &&
        rift_refresh_is_idle(a->refresh) && rift_http_connection_count(a->http) == 0) {
        finish_stop(a);
    } else if (since >= (int64_t)a->config.drain_s * 1000 + GRACE_MS) {
        give_up(a);
    }
}

static void on_jobs_idle(void *user)
{
    app *a = user;
    a->jobs_idle = true;
}

/* A second signal ends the patience. */
static void on_stop_signal(app *a, unsigned number)
{
    if (a->stopping) {
        a->config.drain_s = 0;
        return;
    }
    a->stopping = true;
    a->stop_began_ms = (int64_t)uv_now(&a->loop);
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_INFO, "stopping");
    rift_log_int(&log, "signal", (int64_t)number);
    rift_log_int(&log, "running", (int64_t)rift_jobs_count(a->jobs).running);
    rift_log_int(&log, "queued", (int64_t)rift_jobs_count(a->jobs).queued);
    rift_log_end(&log);
    rift_systemd_tell(&a->systemd, "STOPPING=1\nSTATUS=finishing what runs");
    rift_http_drain(a->http);
    rift_patches_stop(a->patches);
    rift_refresh_stop(a->refresh);
    rift_cache_drain(a->cache);
    rift_jobs_drain(a->jobs, on_jobs_idle, a);
    (void)uv_timer_start(&a->stop_timer, on_stop_tick, 0, STOP_TICK_MS);
}

/* ---- settings ---- */

static void set_log_level(const char *word)
{
    static const char *const words[] = {"debug", "info", "warning", "error"};
    for (size_t i = 0; i < RIFT_COUNT(words); i++) {
        if (strcmp(word, words[i]) == 0)
            rift_log_set_level((rift_log_level)i);
    }
}

static void set_log_format(const char *word)
{
    rift_log_set_format(strcmp(word, "text") == 0 ? RIFT_LOG_TEXT : RIFT_LOG_JSON);
}

static bool read_secrets(const char *path,
                         rift_auth *auth,
                         bool (*add)(rift_auth *auth, rift_str text, rift_err *err),
                         rift_err *err)
{
    if (path == NULL)
        return true;
    rift_arena scratch;
    rift_bytes bytes;
    rift_arena_init(&scratch, (size_t)2 * SECRETS_MAX);
    rift_err_in(err, rift_str_c(path));
    const bool ok = rift_file_read(path, SECRETS_MAX, &scratch, &bytes, err) &&
                    add(auth, (rift_str){(const char *)bytes.data, bytes.size}, err);
    rift_arena_release(&scratch);
    return ok;
}

static bool read_auth(const rift_config *config, rift_auth *out, rift_err *err)
{
    rift_auth auth = {.public_read = config->public_read};
    if (!read_secrets(config->tokens_file, &auth, rift_auth_add_tokens, err) ||
        !read_secrets(config->signing_keys_file, &auth, rift_auth_add_keys, err))
        return false;
    *out = auth;
    return true;
}

/* The settings as they are now; *text is what they point into, to be freed with them. */
static bool read_settings(int argc, char **argv, rift_config *out, char **text, rift_err *err)
{
    *text = NULL;
    if (!rift_config_read(out, NULL, argc, argv, environ, err) || out->config == NULL)
        return err->code == RIFT_OK;
    rift_arena scratch;
    rift_bytes bytes;
    rift_arena_init(&scratch, CONFIG_MAX);
    bool ok = rift_file_read(out->config, CONFIG_MAX, &scratch, &bytes, err);
    if (ok && (*text = calloc(1, bytes.size + 1)) == NULL)
        ok = rift_fail(err, RIFT_ERR_NOMEM, "file", RIFT_NO_OFFSET, "no memory for %zu bytes", bytes.size);
    if (ok && bytes.size > 0)
        memcpy(*text, bytes.data, bytes.size);
    rift_arena_release(&scratch);
    if (ok && rift_config_read(out, *text, argc, argv, environ, err))
        return true;
    free(*text);
    *text = NULL;
    return false;
}

static void apply_limits(app *a)
{
    rift_err err;
    const rift_config *c = &a->config;
    set_log_level(c->log_level);
    set_log_format(c->log_format);
    a->env.job_bytes = c->job_bytes;
    a->env.inline_bytes = c->inline_bytes;
    rift_jobs_set_limits(a->jobs, (size_t)c->queue_max, (size_t)c->waiters, (int64_t)c->job_s * 1000,
                         (int64_t)c->job_silent_s * 1000);
    rift_http_set_limits(a->http, (int64_t)c->header_deadline_s * 1000, (int64_t)c->body_deadline_s * 1000,
                         (size_t)c->body_bytes);
    rift_jobs_set_wait_max(a->jobs, (int64_t)c->queue_wait_s * 1000);
    rift_cache_set_reserve(a->cache, c->disk_reserve, (unsigned)c->disk_percent);
    rift_cache_set_limits(a->cache, c->cache_bytes, (int64_t)c->keep_jobs_s * 1000,
                          (int64_t)c->scrub_s * 1000, c->scrub_rate);
    set_api_limits(a);
    rift_err_in(&err, (rift_str){0});
    if (!set_refresh(a, &err))
        rift_log_failure("no name lists are taken over", &err);
}

static bool read_defaults(const rift_config *config, char out[DEFAULTS_MAX], rift_err *err)
{
    rift_arena scratch;
    rift_str text;
    rift_arena_init(&scratch, (size_t)64 * 1024);
    const bool ok = rift_options_defaults(&text, config->defaults, &scratch, err);
    RIFT_ASSERT(!ok || text.size < DEFAULTS_MAX);
    if (ok)
        (void)snprintf(out, DEFAULTS_MAX, "%.*s", RIFT_STR_ARG(text));
    rift_arena_release(&scratch);
    return ok;
}

/* Also what only parts further up can read; defaults[] gets those of the options. */
static bool check_config(const rift_config *config, char defaults[DEFAULTS_MAX], rift_err *err)
{
    rift_schedule schedule;
    return rift_config_check(config, err) && read_defaults(config, defaults, err) &&
           rift_schedule_parse(&schedule, config->rescan, err) &&
           rift_schedule_parse(&schedule, config->names_refresh, err) &&
           (config->names_source == NULL || rift_refresh_check(config->names_source, err));
}

/* What is asked for from here on; what was asked for before stays what it was. */
static void apply_defaults(app *a, const char *defaults)
{
    if (strcmp(a->defaults, defaults) == 0)
        return;
    (void)snprintf(a->defaults, sizeof a->defaults, "%s", defaults);
    rift_patches_set_defaults(a->patches, rift_str_c(a->defaults));
}

/* SIGHUP: log level, limits, defaults of options, names' source, tokens and keys take effect; folders, address, workers and connections do with the next start. Settings
 * that are not sound leave everything as it was. */
static void on_hangup(app *a)
{
    rift_config fresh;
    char defaults[DEFAULTS_MAX];
    char *text;
    rift_err err;
    if (a->stopping)
        return;
    if (!read_settings(a->argc, a->argv, &fresh, &text, &err)) {
        rift_log_failure("the settings stay as they were", &err);
        return;
    }
    rift_auth auth;
    if (!check_config(&fresh, defaults, &err) || !read_auth(&fresh, &auth, &err)) {
        rift_log_failure("the settings stay as they were", &err);
        free(text);
        return;
    }
    /* The address stays until the next start, and so does what it needs. */
    if (a->auth.on && !auth.on && !fresh.insecure_open) {
        rift_log_line(RIFT_LOG_ERROR,
                      "the settings stay as they were: tokens are in force, and there are none now");
        free(text);
        return;
    }
    a->auth = auth;
    free(a->config_text);
    a->config_text = text;
    a->config = fresh;
    apply_defaults(a, defaults);
    apply_limits(a);
    rift_log_line(RIFT_LOG_INFO, "settings read again");
}

/* From the loop, since it is the loop that must not hang. When every worker hangs only a new start helps. */
static void on_watchdog(uv_timer_t *timer)
{
    const app *a = timer->data;
    if (a->jobs == NULL || !rift_jobs_are_lost(a->jobs))
        rift_systemd_tell(&a->systemd, "WATCHDOG=1");
}

static void on_signals(uv_poll_t *poll, int status, int events)
{
    (void)status;
    (void)events;
    app *a = poll->data;
    struct signalfd_siginfo info;
    while (read(a->signals_fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGHUP) {
            on_hangup(a);
        } else {
            on_stop_signal(a, info.ssi_signo);
        }
    }
}

/* Signals are read, and interrupt nobody: sendfile that one of them cuts short looks to libmicrohttpd like a full socket, and it waits for room in one
 * that never was full. Threads inherit what is blocked. */
static void watch_signals(app *a)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGHUP);
    int code = pthread_sigmask(SIG_BLOCK, &set, NULL);
    a->signals_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    RIFT_ASSERT(a->signals_fd >= 0);
    code |= uv_poll_init(&a->loop, &a->signals, a->signals_fd);
    code |= uv_poll_start(&a->signals, UV_READABLE, on_signals);
    code |= uv_timer_init(&a->loop, &a->stop_timer);
    code |= uv_timer_init(&a->loop, &a->watchdog);
    a->watchdog.data = a;
    if (a->systemd.watchdog_ms > 1) {
        const uint64_t pause = (uint64_t)a->systemd.watchdog_ms / 2;
        code |= uv_timer_start(&a->watchdog, on_watchdog, pause, pause);
    }
    a->signals.data = a->stop_timer.data = a;
    RIFT_ASSERT(code == 0);
    (void)signal(SIGPIPE, SIG_IGN);
}

static void close_all(app *a)
{
    rift_api_close(a->api);
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (a->stopped && !rift_store_stop(a->writer_store, &err))
        rift_log_failure("the clean stop was not noted", &err);
    if (a->writer_store != NULL)
        rift_store_checkpoint(a->writer_store);
    rift_store_close(a->reader_store);
    rift_store_close(a->writer_store);
    rift_mount_unref(a->env.mount);
    rift_patches_free(a->patches);
    rift_blobs_close(a->blobs);
    free(a->config_text);
    explicit_bzero(&a->auth, sizeof a->auth);
    rift_systemd_close(&a->systemd);
    if (a->lock > 0)
        (void)close(a->lock);
    (void)close(a->signals_fd);
}

static int run(app *a, const rift_app_hooks *hooks)
{
    rift_err err;
    int code = uv_loop_init(&a->loop);
    RIFT_ASSERT(code == 0);
    rift_err_in(&err, (rift_str){0});
    watch_signals(a); /* before the first word, after which any of them may come */
    if (!open_data(a, &err) || !open_store(a, &err) || !open_game(a, &err) || !open_jobs(a, hooks, &err) ||
        !open_patches(a, &err) || !open_refresh(a, &err) || !open_cache(a, &err) || !open_http(a, &err)) {
        rift_log_failure("cannot start", &err);
        /* Conversions of a recovered queue may run already; their jobs stay in the store. */
        _exit(1);
    }
    (void)uv_run(&a->loop, UV_RUN_DEFAULT);
    close_all(a);
    code = uv_loop_close(&a->loop);
    RIFT_ASSERT(code == 0);
    rift_log_line(RIFT_LOG_INFO, "stopped");
    return 0;
}

/* One heap for all threads: each of the pool's would else get its own, and since any of them may run any operation, each of those grows to what the largest one needed, with what
 * long-lived things (pages of the store's cache) were put between. 14 real skins left 520 MB resident that way, 70 MB with one heap. What is large comes from the system and
 * goes back to it at once, however often it is wanted: by itself the bound would rise to the largest piece that was ever freed, and hold 35 MB more. Conversions ask for pieces
 * of 64 KiB and more, so nobody waits for the heap's lock: their time was the same. */
static void set_heap(void)
{
    enum { PIECE_BYTES = 256 * 1024 };
    /* NOLINTBEGIN(concurrency-mt-unsafe): before any thread */
    (void)mallopt(M_ARENA_MAX, 1);
    (void)mallopt(M_MMAP_THRESHOLD, PIECE_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, PIECE_BYTES);
    /* NOLINTEND(concurrency-mt-unsafe) */
}

/* Of 0, 1 and 2 those that are closed: else a socket or a result's file would get that number, and the log be written to it. */
static void open_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0) {
            (void)open("/dev/null", (fd == STDIN_FILENO ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
        }
    }
}

/* Before the pool's first use. An operator's own number is kept when it is large enough. */
static void size_pool(const rift_config *config)
{
    char text[16];
    const unsigned want = worker_count(config) + EXTRA_THREADS;
    const char *set = getenv("UV_THREADPOOL_SIZE"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    uint64_t have = 0;
    if (set != NULL && rift_str_u64(rift_str_c(set), 1024, &have) && have >= want)
        return;
    (void)snprintf(text, sizeof text, "%u", want);
    (void)setenv("UV_THREADPOOL_SIZE", text, 1); /* NOLINT(concurrency-mt-unsafe): before any thread */
}

static int usage_error(const rift_err *err)
{
    char text[sizeof *err];
    (void)fprintf(stderr, "riftbaked: %s\nTry riftbaked --help.\n", rift_err_print(err, text, sizeof text));
    return 2;
}

/* What can be found wrong without starting. */
static bool check_files(const rift_config *config, rift_auth *auth, rift_err *err)
{
    struct stat status;
    if (!read_auth(config, auth, err) || !config->check_config)
        return err->code == RIFT_OK;
    rift_err_in(err, rift_str_c(config->game));
    if (stat(config->game, &status) != 0)
        return rift_fail_errno(err, "game", errno);
    return S_ISDIR(status.st_mode) ||
           rift_fail(err, RIFT_ERR_ARGUMENT, "game", RIFT_NO_OFFSET, "is no folder");
}

int rift_app_main(int argc, char **argv, const rift_app_hooks *hooks)
{
    static app a;
    rift_err err;
    a.argc = argc;
    a.argv = argv;
    open_standard_files();
    set_heap();
    if (!read_settings(argc, argv, &a.config, &a.config_text, &err))
        return usage_error(&err);
    if (a.config.help) {
        rift_config_usage();
        return 0;
    }
    if (a.config.version) {
        printf("riftbaked %s\n", RIFT_VERSION);
        return 0;
    }
    if (a.config.print_config) {
        rift_config_print(&a.config);
        return 0;
    }
    if (!check_config(&a.config, a.defaults, &err) || !check_files(&a.config, &a.auth, &err))
        return usage_error(&err);
    if (a.config.check_config) {
        printf("settings are sound\n");
        return 0;
    }
    set_log_level(a.config.log_level);
    set_log_format(a.config.log_format);
    rift_systemd_open(&a.systemd);
    size_pool(&a.config);
    return run(&a, hooks);
}
