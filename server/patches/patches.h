/* patches.h - everything that follows from a changed game folder: noticing it (watch.h), saying which GLBs hold (relabel.h), making the others again
 * (sweep.h), and telling about it (index.h, index_skins.h).
 *
 * Thread  the loop. */
#ifndef RIFT_PATCHES_PATCHES_H
#define RIFT_PATCHES_PATCHES_H

#include "patches/sweep.h"
#include "patches/watch.h"

typedef struct rift_patches rift_patches;

/* Opens patches.db and mounts the game for the first time; the mount's reference goes to the caller. */
RIFT_NODISCARD bool rift_patches_open(rift_patches **out,
                                      rift_mount **mount,
                                      const char *path,
                                      const char *dir,
                                      rift_report *report,
                                      rift_err *err);
/* False: no conversion may begin yet. */
bool rift_patches_is_settled(const rift_patches *patches);

typedef struct rift_patches_config {
    uv_loop_t *loop;
    rift_lane *writer;
    rift_store *store; /* the writer's, while the loop does not run yet */
    rift_jobs *jobs;
    rift_convert_env *env; /* gets the mounts */
    const char *dir;
    int64_t settle_ms, patience_ms, jitter_ms;
    rift_schedule schedule;
    rift_sweep_mode sweep;
    int64_t sweep_pause_ms;
    rift_str defaults; /* see sweep.h */
    size_t canaries;
} rift_patches_config;

/* Before the loop runs. */
RIFT_NODISCARD bool
rift_patches_start(rift_patches *patches, const rift_patches_config *config, rift_err *err);
/* For jobs: torn, late, names (user is the rift_patches). */
void rift_patches_on_torn(void *user);
void rift_patches_on_late(void *user);
void rift_patches_on_names(void *user, rift_hashpack *names);

rift_watch_status rift_patches_tell(const rift_patches *patches);
bool rift_patches_is_halted(const rift_patches *patches); /* a canary halted the sweep */
void rift_patches_scan(rift_patches *patches);
void rift_patches_set_defaults(rift_patches *patches, rift_str defaults);
/* Something about its sweep was changed in patches.db. */
void rift_patches_sweep(rift_patches *patches);
/* patches.db for the reader's lane and the writer's lane. */
rift_index *rift_patches_reports(const rift_patches *patches);
rift_index *rift_patches_skins(const rift_patches *patches);

void rift_patches_stop(rift_patches *patches);
bool rift_patches_is_idle(const rift_patches *patches);
void rift_patches_close(rift_patches *patches); /* its handles; after it is idle */
void rift_patches_free(rift_patches *patches);  /* after the loop; may be NULL */

#endif
