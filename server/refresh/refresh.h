/* refresh.h - name lists that the operator keeps in a folder or on a server, imported again on a schedule.
 *
 * Shape   off without a source: nothing is read and no connection made. Else it looks soon after the start, after every change of settings, and by the
 *         schedule; see refresh_run.h for what a look does. A look that fails is told (log, counts, text) and changes nothing.
 * Thread  the loop; looks on the pool, one at a time. */
#ifndef RIFT_REFRESH_REFRESH_H
#define RIFT_REFRESH_REFRESH_H

#include <uv.h>

#include "patches/schedule.h"

typedef struct rift_refresh rift_refresh;

typedef struct rift_refresh_settings {
    const char *source; /* NULL: off; see refresh_run.h */
    rift_schedule schedule;
    int64_t jitter_ms;
    size_t max; /* bytes of one list */
} rift_refresh_settings;

/* Paths are copied. */
RIFT_NODISCARD bool rift_refresh_open(
    rift_refresh **out, uv_loop_t *loop, const char *hashes_path, const char *state_path, rift_err *err);
/* Copies the source. A look under way ends by the old settings. */
RIFT_NODISCARD bool
rift_refresh_set(rift_refresh *refresh, const rift_refresh_settings *settings, rift_err *err);
/* While it is held, since the disk has no room, no look begins and nothing is imported; what was due follows. */
void rift_refresh_hold(rift_refresh *refresh, bool on);

typedef struct rift_refresh_status {
    const char *source;                  /* "off", "folder", "url" */
    bool running, failing;               /* the last look failed */
    bool waiting;                        /* one is due, and held */
    uint64_t changed, unchanged, failed; /* looks */
    uint64_t names;                      /* that were new */
    int64_t ok_ms, failed_ms;            /* the last such look's end, since 1970; 0: none yet */
    const char *error; /* of the last that failed, or empty; until the next call into the module */
} rift_refresh_status;
rift_refresh_status rift_refresh_tell(const rift_refresh *refresh);

void rift_refresh_stop(rift_refresh *refresh);
bool rift_refresh_is_idle(const rift_refresh *refresh);
void rift_refresh_close(rift_refresh *refresh); /* may be NULL; after it is idle; freed by the loop */

#endif
