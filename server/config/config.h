/* config.h - what the operator says: flags over environment over a file over defaults, one table for all.
 *
 * Shape   --queue-max 100 or --queue-max=100; RIFT_QUEUE_MAX=100; in the file, which --config or RIFT_CONFIG names, lines
 *         "queue-max = 100" as --print-config writes them, and comments from '#' on at a line's start. Times are seconds, sizes bytes with an optional k, m or g.
 *         Switches that make the program do something else than serve (--help ...) and "config" itself have no meaning in a file.
 *         Each option of a conversion (bake/options.h) has a setting "default-<option>", which is there to be read by
 *         rift_options_defaults (body/body.h); layers and pose can have none.
 * Errors  ARGUMENT with the option's name and the values allowed; of the file with the number of its line.
 * Memory  strings point into argv, the environment and the file's text. */
#ifndef RIFT_CONFIG_CONFIG_H
#define RIFT_CONFIG_CONFIG_H

#include <sys/socket.h>

#include "bake/options.h"
#include "base/err.h"

typedef struct rift_config {
    const char *config; /* may be NULL: no file */
    const char *game;
    const char *data;
    const char *listen;                          /* "127.0.0.1:8780", "[::1]:8780"; port 0: any free one */
    const char *log_level;                       /* "debug", "info", "warning", "error" */
    const char *log_format;                      /* "json", "text" */
    const char *tokens_file, *signing_keys_file; /* may be NULL */
    bool public_read, forwarded;
    bool insecure_open, check_config, print_config, help, version;
    uint64_t access_log;
    uint64_t rate, burst; /* requests of one client: a second in the long run, at once */
    uint64_t upload_bytes, upload_parts;
    uint64_t workers; /* 0: one per processor */
    uint64_t queue_max, queue_wait_s;
    uint64_t connections, connections_per_address, waiters, listeners;
    uint64_t header_deadline_s, body_deadline_s, idle_s, serve_wait_s, drain_s;
    uint64_t job_s, job_silent_s, job_bytes;
    uint64_t body_bytes, inline_bytes;
    uint64_t disk_reserve, disk_percent;
    uint64_t cache_bytes, keep_jobs_s, scrub_s, scrub_rate;
    const char *rescan; /* see patches/schedule.h */
    uint64_t rescan_jitter_s, patch_settle_s, patch_patience_s;
    const char *sweep; /* "off", "asked", "all" */
    uint64_t sweep_pause_ms, canaries;
    const char *names_source,
        *names_refresh; /* may be NULL: none (refresh/refresh_run.h); see patches/schedule.h */
    uint64_t names_jitter_s, names_max_bytes;
    const char *defaults[RIFT_OPTION_COUNT]; /* by the rows of the options; NULL: the program's own */
} rift_config;

/* `environment` is environ's form. `file` is the settings file's text, or NULL; it is cut into words in place and must live
 * as long as *out. Which file that is says out->config of a reading without one. */
RIFT_NODISCARD bool rift_config_read(
    rift_config *out, char *file, int argc, char *const *argv, char *const *environment, rift_err *err);

/* What a daemon may start with: folders named, address sound and, without tokens and unless insecure_open, of this machine only
 * (A9). Opens nothing. */
RIFT_NODISCARD bool rift_config_check(const rift_config *config, rift_err *err);

/* The address in `text`; no names are resolved. */
RIFT_NODISCARD bool
rift_config_address(const char *text, struct sockaddr_storage *out, socklen_t *size, rift_err *err);
bool rift_config_is_loopback(const struct sockaddr_storage *address);

/* "name = value" lines, as --print-config shows them; the usage text. */
void rift_config_print(const rift_config *config);
void rift_config_usage(void);

#endif
