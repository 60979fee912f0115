/* /metrics and /v1/status: what the daemon counts, for machines that watch it and for people. */
#include <stdio.h>
#include <sys/stat.h>

#include "api/api_internal.h"
#include "base/str.h"
#include "store/sqlite.h"

enum { TEXT_MAX = 1024 * 1024 };

typedef struct snapshot {
    rift_cache_counts cache;
    rift_room_counts room;
    size_t streams;
    rift_jobs_counts jobs;
    rift_jobs_times times;
    rift_process process;
    int64_t wait_ms;
    uint64_t sqlite_bytes, database_bytes, log_bytes, uptime_ms, connections;
    bool sweep_halted;
    rift_watch_status game;
    rift_refresh_status lists;
} snapshot;

static uint64_t file_bytes(const char *path, const char *suffix)
{
    char name[4200];
    struct stat st;
    (void)snprintf(name, sizeof name, "%s%s", path, suffix);
    return stat(name, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static snapshot look(const rift_api *api, const rift_request *req)
{
    snapshot s = {.jobs = rift_jobs_count(api->config.jobs),
                  .cache = rift_cache_count(api->config.cache),
                  .room = rift_cache_room(api->config.cache),
                  .wait_ms = rift_jobs_estimate_ms(api->config.jobs),
                  .streams = api_events_count(api),
                  .process = rift_process_look(),
                  .sqlite_bytes = rift_sqlite_bytes(),
                  .database_bytes = file_bytes(api->config.db_path, ""),
                  .log_bytes = file_bytes(api->config.db_path, "-wal"),
                  .uptime_ms = uv_now(api->config.loop) - api->metrics.begun_ms,
                  .connections = rift_http_connection_count(req->http),
                  .sweep_halted = rift_patches_is_halted(api->config.patches),
                  .lists = rift_refresh_tell(api->config.refresh),
                  .game = rift_patches_tell(api->config.patches)};
    rift_jobs_time(api->config.jobs, &s.times);
    return s;
}

/* ---- Prometheus ---- */

static void one(rift_buf *out, const char *name, const char *type, const char *help, uint64_t value)
{
    rift_prom_family(out, name, type, help);
    rift_prom_uint(out, name, "", value);
}

/* The label of a row of the table; of the place behind the last: whatever no row stands for. */
static void route_label(size_t i, char *out, size_t size)
{
    const char *method = "other";
    const char *path = "other";
    (void)api_route_at(i, &method, &path);
    (void)snprintf(out, size, "method=\"%s\",route=\"%s\"", method, path);
}

static void put_requests(rift_buf *out, const api_metrics *m)
{
    char route[128], label[160];
    rift_prom_family(out, "riftbake_http_requests_total", "counter", "Replies by route and status.");
    for (size_t i = 0; i <= API_ROUTES; i++) {
        route_label(i, route, sizeof route);
        for (size_t k = 0; k < RIFT_CODE_COUNT; k++) {
            (void)snprintf(label, sizeof label, "%s,code=\"%u\"", route, rift_code_at(k));
            if (m->codes[i].counts[k] > 0)
                rift_prom_uint(out, "riftbake_http_requests_total", label, m->codes[i].counts[k]);
        }
    }
    rift_prom_family(out, "riftbake_http_request_seconds", "histogram",
                     "From a request's last byte to the first of its reply, waiting included.");
    for (size_t i = 0; i <= API_ROUTES; i++) {
        route_label(i, route, sizeof route);
        if (rift_histogram_count(&m->seconds[i]) > 0)
            rift_prom_histogram(out, "riftbake_http_request_seconds", route, &m->seconds[i]);
    }
    one(out, "riftbake_http_sent_bytes_total", "counter", "Bytes of reply bodies.", m->sent_bytes);
    rift_prom_family(out, "riftbake_http_refused_total", "counter", "Requests that were not let in.");
    rift_prom_uint(out, "riftbake_http_refused_total", "reason=\"rate\"", m->over_rate);
    rift_prom_uint(out, "riftbake_http_refused_total", "reason=\"token\"", m->no_token);
    rift_prom_uint(out, "riftbake_http_refused_total", "reason=\"scope\"", m->no_scope);
    rift_prom_uint(out, "riftbake_http_refused_total", "reason=\"signature\"", m->bad_signature);
}

static void put_cache(rift_buf *out, const api_metrics *m, const snapshot *s)
{
    static const char name[] = "riftbake_cache_requests_total";
    rift_prom_family(out, name, "counter", "GLBs asked for, by what was found.");
    rift_prom_uint(out, name, "result=\"hit\"", m->hits);
    rift_prom_uint(out, name, "result=\"stale\"", m->stale_hits);
    rift_prom_uint(out, name, "result=\"miss\"", m->misses);
    one(out, "riftbake_cache_unchanged_total", "counter", "Answers 304 to conditional requests.",
        m->unchanged);
    one(out, "riftbake_cache_coalesced_total", "counter", "Requests that joined a conversion under way.",
        s->jobs.joined);
    one(out, "riftbake_cache_served_bytes_total", "counter", "Bytes of GLBs that were there already.",
        m->cached_bytes);
}

static void put_room(rift_buf *out, const rift_room_counts *r)
{
    one(out, "riftbake_disk_free_bytes", "gauge", "Bytes of the data folder's disk that are free.", r->free);
    one(out, "riftbake_disk_reserve_bytes", "gauge", "Bytes of it that have to be.", r->reserve);
    one(out, "riftbake_disk_short", "gauge",
        "0: there is room; 1: conversions wait for it; 2: and new jobs are refused.", (uint64_t)r->state);
}

static void put_kept(rift_buf *out, const rift_cache_counts *c)
{
    one(out, "riftbake_cache_bytes", "gauge", "Bytes of all that is kept, variants included.", c->bytes);
    one(out, "riftbake_cache_blobs", "gauge", "Results and variants that are kept.", c->blobs);
    one(out, "riftbake_cache_evicted_total", "counter", "Results and variants that made room.", c->evicted);
    one(out, "riftbake_cache_evicted_bytes_total", "counter", "Their bytes.", c->evicted_bytes);
    one(out, "riftbake_cache_packed_total", "counter", "Variants that were made.", c->packed);
    rift_prom_family(out, "riftbake_scrubbed_total", "counter", "What the scrubber met.");
    rift_prom_uint(out, "riftbake_scrubbed_total", "result=\"whole\"", c->scrubbed);
    rift_prom_uint(out, "riftbake_scrubbed_total", "result=\"damaged\"", c->damaged);
    rift_prom_uint(out, "riftbake_scrubbed_total", "result=\"orphan\"", c->orphans);
}

static void put_jobs(rift_buf *out, const snapshot *s)
{
    char label[64];
    rift_prom_family(out, "riftbake_queue_jobs", "gauge", "Jobs that wait, by class.");
    rift_prom_uint(out, "riftbake_queue_jobs", "class=\"interactive\"",
                   s->jobs.queued - s->jobs.queued_sweep);
    rift_prom_uint(out, "riftbake_queue_jobs", "class=\"sweep\"", s->jobs.queued_sweep);
    rift_prom_family(out, "riftbake_queue_oldest_seconds", "gauge",
                     "How long the job waits that waits longest.");
    rift_prom_seconds(out, "riftbake_queue_oldest_seconds", "", s->times.oldest_ms * 1000);
    rift_prom_family(out, "riftbake_queue_estimated_wait_seconds", "gauge",
                     "How long an interactive job that comes now would wait.");
    rift_prom_seconds(out, "riftbake_queue_estimated_wait_seconds", "", s->wait_ms * 1000);
    rift_prom_family(out, "riftbake_workers", "gauge",
                     "Conversions that may run at one time, those that do, and those that do not end.");
    rift_prom_uint(out, "riftbake_workers", "state=\"busy\"", s->jobs.running - s->jobs.lost);
    rift_prom_uint(out, "riftbake_workers", "state=\"lost\"", s->jobs.lost);
    rift_prom_uint(out, "riftbake_workers", "state=\"idle\"",
                   s->times.workers > s->jobs.running ? s->times.workers - s->jobs.running : 0);
    one(out, "riftbake_waiting_requests", "gauge", "Requests that wait for a conversion.", s->jobs.waiters);
    rift_prom_family(out, "riftbake_jobs_total", "counter", "Jobs by how far they came.");
    rift_prom_uint(out, "riftbake_jobs_total", "event=\"started\"", s->jobs.started);
    rift_prom_uint(out, "riftbake_jobs_total", "event=\"done\"", s->jobs.done);
    rift_prom_uint(out, "riftbake_jobs_total", "event=\"failed\"", s->jobs.failed);
    rift_prom_uint(out, "riftbake_jobs_total", "event=\"retried\"", s->times.retried);
    rift_prom_family(out, "riftbake_job_wait_seconds", "histogram",
                     "From the asking to a conversion's start.");
    rift_prom_histogram(out, "riftbake_job_wait_seconds", "", &s->times.wait);
    rift_prom_family(out, "riftbake_job_run_seconds", "histogram", "From a conversion's start to its end.");
    rift_prom_histogram(out, "riftbake_job_run_seconds", "", &s->times.run);
    rift_prom_family(out, "riftbake_conversion_phase_seconds", "histogram", "Parts of conversions.");
    for (size_t i = 0; i < RIFT_STAGE_COUNT; i++) {
        (void)snprintf(label, sizeof label, "phase=\"%s\"", rift_stage_word((rift_stage)i));
        rift_prom_histogram(out, "riftbake_conversion_phase_seconds", label, &s->times.phases[i]);
    }
    one(out, "riftbake_names_learnt_total", "counter", "Names noted from the game's files.", s->times.learnt);
}

static void put_lists(rift_buf *out, const rift_refresh_status *s)
{
    static const char looks[] = "riftbake_name_lists_looks_total";
    rift_prom_family(out, looks, "counter", "Looks at the source of name lists.");
    rift_prom_uint(out, looks, "result=\"changed\"", s->changed);
    rift_prom_uint(out, looks, "result=\"unchanged\"", s->unchanged);
    rift_prom_uint(out, looks, "result=\"failed\"", s->failed);
    one(out, "riftbake_name_lists_failing", "gauge",
        "1: the last look failed, and the tables are those of before.", s->failing);
    one(out, "riftbake_name_lists_names_total", "counter", "Names that came from there.", s->names);
    rift_prom_family(out, "riftbake_name_lists_ok_timestamp_seconds", "gauge",
                     "When the last look ended well; 0: none yet.");
    rift_prom_seconds(out, "riftbake_name_lists_ok_timestamp_seconds", "", s->ok_ms * 1000);
}

static void put_process(rift_buf *out, const snapshot *s)
{
    rift_prom_family(out, "riftbake_build_info", "gauge", "The version that runs.");
    rift_prom_uint(out, "riftbake_build_info", "version=\"" RIFT_VERSION "\"", 1);
    rift_prom_family(out, "riftbake_uptime_seconds", "gauge", "Since the start.");
    rift_prom_seconds(out, "riftbake_uptime_seconds", "", (int64_t)s->uptime_ms * 1000);
    one(out, "riftbake_game_ready", "gauge", "1: the mounted game is what lies in the folder.",
        s->game.state == RIFT_WATCH_READY);
    rift_prom_family(out, "riftbake_game_unready_seconds", "gauge", "For how long it is not; 0: it is.");
    rift_prom_seconds(out, "riftbake_game_unready_seconds", "", s->game.unready_ms * 1000);
    one(out, "riftbake_game_hidden", "gauge",
        "Archives and folders of the game that are there and cannot be opened.", s->game.hidden);
    one(out, "riftbake_sweep_halted", "gauge",
        "1: a canary failed or warned, and the sweep waits for somebody.", s->sweep_halted);
    one(out, "riftbake_http_connections", "gauge", "Open connections.", s->connections);
    one(out, "riftbake_event_streams", "gauge", "Open event streams.", s->streams);
    one(out, "riftbake_database_bytes", "gauge", "Size of the job store.", s->database_bytes);
    one(out, "riftbake_database_wal_bytes", "gauge", "Size of its write-ahead log.", s->log_bytes);
    one(out, "riftbake_heap_bytes", "gauge", "Memory asked of the allocator and not given back.",
        s->process.heap_bytes);
    one(out, "riftbake_sqlite_bytes", "gauge", "SQLite's part of it, page caches included.", s->sqlite_bytes);
    one(out, "process_resident_memory_bytes", "gauge", "Memory in use.", s->process.resident_bytes);
    rift_prom_family(out, "process_cpu_seconds_total", "counter", "Processor time used.");
    rift_prom_seconds(out, "process_cpu_seconds_total", "", (int64_t)s->process.cpu_us);
    one(out, "process_open_fds", "gauge", "Open file descriptors.", s->process.open_files);
    one(out, "process_threads", "gauge", "Threads.", s->process.threads);
}

void api_metrics_get(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    rift_buf out;
    const snapshot s = look(api, req);
    if (!api_accepts(req, "text/plain"))
        return;
    rift_buf_init(&out, &req->arena, TEXT_MAX);
    put_requests(&out, &api->metrics);
    put_cache(&out, &api->metrics, &s);
    put_kept(&out, &s.cache);
    put_room(&out, &s.room);
    put_jobs(&out, &s);
    put_lists(&out, &s.lists);
    put_process(&out, &s);
    req->reply_body = rift_buf_bytes(&out);
    rift_reply_header_put(req, "Content-Type", RIFT_PROM_TYPE);
    api_send(req, 200);
}

/* ---- JSON ---- */

static void open_member(rift_json *j, const char *key)
{
    rift_json_key(j, key);
    rift_json_object(j);
}

static void put_queue_members(rift_json *j, const snapshot *s)
{
    open_member(j, "queue");
    rift_json_put_uint(j, "interactive", s->jobs.queued - s->jobs.queued_sweep);
    rift_json_put_uint(j, "sweep", s->jobs.queued_sweep);
    rift_json_put_int(j, "oldest_ms", s->times.oldest_ms);
    rift_json_put_int(j, "estimated_wait_ms", s->wait_ms);
    rift_json_object_end(j);
    open_member(j, "workers");
    rift_json_put_uint(j, "total", s->times.workers);
    rift_json_put_uint(j, "busy", s->jobs.running);
    rift_json_object_end(j);
    open_member(j, "jobs");
    rift_json_put_uint(j, "started", s->jobs.started);
    rift_json_put_uint(j, "done", s->jobs.done);
    rift_json_put_uint(j, "failed", s->jobs.failed);
    rift_json_put_uint(j, "retried", s->times.retried);
    rift_json_object_end(j);
}

static void put_cache_members(rift_json *j, const api_metrics *m, const snapshot *s)
{
    open_member(j, "cache");
    rift_json_put_uint(j, "hits", m->hits);
    rift_json_put_uint(j, "stale", m->stale_hits);
    rift_json_put_uint(j, "misses", m->misses);
    rift_json_put_uint(j, "unchanged", m->unchanged);
    rift_json_put_uint(j, "coalesced", s->jobs.joined);
    rift_json_put_uint(j, "served_bytes", m->cached_bytes);
    rift_json_put_uint(j, "bytes", s->cache.bytes);
    rift_json_put_uint(j, "blobs", s->cache.blobs);
    rift_json_put_uint(j, "evicted", s->cache.evicted);
    rift_json_put_uint(j, "packed", s->cache.packed);
    rift_json_put_uint(j, "damaged", s->cache.damaged);
    rift_json_object_end(j);
    open_member(j, "refused");
    rift_json_put_uint(j, "rate", m->over_rate);
    rift_json_put_uint(j, "token", m->no_token);
    rift_json_put_uint(j, "scope", m->no_scope);
    rift_json_put_uint(j, "signature", m->bad_signature);
    rift_json_object_end(j);
}

static void put_disk_members(rift_json *j, const rift_room_counts *r)
{
    static const char *const words[] = {"kept", "short", "full"};
    open_member(j, "disk");
    rift_json_put_uint(j, "free", r->free);
    rift_json_put_uint(j, "reserve", r->reserve);
    rift_json_put_cstr(j, "state", words[r->state]);
    rift_json_object_end(j);
}

static void put_lists_members(rift_json *j, const rift_refresh_status *s)
{
    open_member(j, "name_lists");
    rift_json_put_cstr(j, "source", s->source);
    rift_json_put_bool(j, "running", s->running);
    rift_json_put_bool(j, "waiting", s->waiting);
    rift_json_put_bool(j, "failing", s->failing);
    rift_json_put_uint(j, "changed", s->changed);
    rift_json_put_uint(j, "unchanged", s->unchanged);
    rift_json_put_uint(j, "failed", s->failed);
    rift_json_put_uint(j, "names", s->names);
    if (s->ok_ms != 0)
        rift_json_put_int(j, "ok", s->ok_ms);
    if (s->failed_ms != 0)
        rift_json_put_int(j, "failed_at", s->failed_ms);
    if (s->failing)
        rift_json_put_cstr(j, "error", s->error);
    rift_json_object_end(j);
}

static void put_process_members(rift_json *j, const snapshot *s)
{
    open_member(j, "process");
    rift_json_put_uint(j, "resident_bytes", s->process.resident_bytes);
    rift_json_put_uint(j, "cpu_ms", s->process.cpu_us / 1000);
    rift_json_put_uint(j, "open_files", s->process.open_files);
    rift_json_put_uint(j, "threads", s->process.threads);
    rift_json_object_end(j);
    open_member(j, "database");
    rift_json_put_uint(j, "bytes", s->database_bytes);
    rift_json_put_uint(j, "wal_bytes", s->log_bytes);
    rift_json_object_end(j);
}

void api_status_get(rift_api *api, rift_request *req, rift_str none)
{
    (void)none;
    api_json doc;
    const snapshot s = look(api, req);
    if (!api_accepts(req, "application/json"))
        return;
    rift_json *j = api_json_begin(req, &doc);
    rift_json_put_cstr(j, "version", RIFT_VERSION);
    rift_json_put_bool(j, "draining", rift_http_is_draining(req->http));
    rift_json_put_uint(j, "uptime_ms", s.uptime_ms);
    rift_json_put_uint(j, "requests", api->requests);
    rift_json_put_uint(j, "connections", s.connections);
    rift_json_put_uint(j, "waiting", s.jobs.waiters);
    rift_json_put_uint(j, "event_streams", s.streams);
    rift_json_put_uint(j, "sent_bytes", api->metrics.sent_bytes);
    put_queue_members(j, &s);
    put_cache_members(j, &api->metrics, &s);
    put_disk_members(j, &s.room);
    put_lists_members(j, &s.lists);
    put_process_members(j, &s);
    rift_json_put_uint(j, "names_learnt", s.times.learnt);
    rift_json_object_end(j);
    api_json_send(req, 200, &doc);
}
