/* sweep.h - makes again what a patch made stale: one skin at a time, after those that somebody waits for.
 *
 * Shape   the list is in patches.db, so a sweep that was cut short goes on where it was. Canaries go first; one that fails, or warns of what the old one did
 *         not, halts the sweep until somebody lets it go on or the next patch comes. With `all`, skins that were never made follow.
 * Thread  the loop; the list is read and written in the writer's lane. */
#ifndef RIFT_PATCHES_SWEEP_H
#define RIFT_PATCHES_SWEEP_H

#include "jobs/jobs.h"
#include "patches/index_skins.h"

typedef struct rift_sweep rift_sweep;

typedef enum rift_sweep_mode { RIFT_SWEEP_OFF, RIFT_SWEEP_ASKED, RIFT_SWEEP_ALL } rift_sweep_mode;

typedef struct rift_sweep_config {
    uv_loop_t *loop;
    rift_lane *writer;
    rift_jobs *jobs;
    const rift_convert_env *env;
    rift_index *index; /* used in the writer's lane only */
    rift_sweep_mode mode;
    int64_t pause_ms;  /* between two skins */
    rift_str defaults; /* options of those never made, as canonical text; to live until others are set */
} rift_sweep_config;

RIFT_NODISCARD bool rift_sweep_open(rift_sweep **out, const rift_sweep_config *config, rift_err *err);
/* There may be something to do for this patch; what is under way ends first. */
void rift_sweep_begin(rift_sweep *sweep, int64_t patch);
/* Looks again for something to do. */
void rift_sweep_resume(rift_sweep *sweep);
/* With `all`, what was not made with these is. */
void rift_sweep_set_defaults(rift_sweep *sweep, rift_str defaults);
bool rift_sweep_is_halted(const rift_sweep *sweep);
void rift_sweep_stop(rift_sweep *sweep);
bool rift_sweep_is_idle(const rift_sweep *sweep);
void rift_sweep_close(rift_sweep *sweep); /* may be NULL; after it is idle and the jobs have answered */

#endif
