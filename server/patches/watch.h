/* watch.h - notices that the game folder changed, waits until it is whole again, and mounts it anew.
 *
 * Shape   file events of the folders, a schedule and whoever asks cause a look. What looks other than the mounted game must look the same again after
 *         `settle_ms` without an event, and what was touched must be whole (rift_index_check), before it is mounted and noted as a patch. After
 *         `patience_ms` it is taken as it is: mods have wrong checksums, and a damaged archive may stay one.
 *         What is read belongs to one state: the files stay open from the look to the mount, and are looked at once more at the end.
 * Thread  calls and callbacks on the loop; looks on the pool, one at a time, which alone use the index then. */
#ifndef RIFT_PATCHES_WATCH_H
#define RIFT_PATCHES_WATCH_H

#include <uv.h>

#include "mount/mount.h"
#include "patches/index.h"
#include "patches/schedule.h"

typedef struct rift_watch rift_watch;

typedef enum rift_watch_state {
    RIFT_WATCH_READY,    /* the mounted game is what lies in the folder, as far as is known */
    RIFT_WATCH_SETTLING, /* the folder is another one, and not taken over yet */
    RIFT_WATCH_MISSING   /* no folder, or no archive in it */
} rift_watch_state;
const char *rift_watch_state_word(rift_watch_state state); /* "ready" … */

typedef struct rift_watch_config {
    uv_loop_t *loop;
    rift_index *index;
    const char *dir;
    int64_t settle_ms, patience_ms, jitter_ms;
    rift_schedule schedule;
    /* There is another mount, a reference to which goes to the callee. `patch` is NULL when its tables are those of the patch before; valid during the call. */
    void (*mounted)(void *user, rift_mount *mount, const rift_patch *patch, const rift_report *report);
    void (*state_changed)(void *user, rift_watch_state state);
    void *user;
} rift_watch_config;

/* The first mount, before the loop runs. *settled is false when it is another state than the last one known: then it has to be seen to be whole first, and no
 * conversion should begin before `mounted` is called. */
RIFT_NODISCARD bool rift_watch_first(
    rift_mount **out, bool *settled, rift_index *index, const char *dir, rift_report *report, rift_err *err);

/* `mount` is what rift_watch_first gave. */
RIFT_NODISCARD bool rift_watch_open(
    rift_watch **out, const rift_watch_config *config, rift_mount *mount, bool settled, rift_err *err);

typedef struct rift_watch_status {
    rift_watch_state state;
    int64_t unready_ms;  /* for how long it is not ready; 0: it is */
    size_t hidden;       /* archives and folders that are there and could not be opened at the last look */
    const rift_err *why; /* it is not ready, until the next call back; NULL: not known (yet) */
} rift_watch_status;
rift_watch_status rift_watch_tell(const rift_watch *watch);
/* Looks now. With `force` the game is mounted anew even when nothing looks changed. */
void rift_watch_look(rift_watch *watch, bool force);
/* Begins nothing more. */
void rift_watch_stop(rift_watch *watch);
bool rift_watch_is_idle(const rift_watch *watch);
/* After it is idle; memory is freed once the loop has closed its handles. */
void rift_watch_close(rift_watch *watch); /* may be NULL */

#endif
