/* snap.h - world-locked joints (S): a joint that stands where another one stands for a span of time, as keys.
 *
 * Order   keys of all clips (anim.h), finished (G43) -> windows of each clip (rift_snap_resolve) -> the bake over all
 *         clips at once (rift_snap_bake) -> rift_clips_finish once more, with the new skeleton. The bake reads the keys
 *         as they would be written without it: so what moves in no clip has to be dropped before, or the locked joint
 *         would follow a hand that nobody draws.
 * Words   victim: the joint that is moved; target: the joint it is moved to. Reference: the world matrices of
 *         joint-snap.md section 3 over the keys as drawn by glTF's rules.
 * Units   source space, u, radians, seconds of the clip as written.
 * Source  joint-snap.md S1-S27; decisions 1, 23, 29, 32. Where its table of edge cases is looser than section 3
 *         ("A to B and B to A") section 3 holds: W(A) leads over B back to the free A, so neither moves. */
#ifndef RIFT_ANIM_SNAP_H
#define RIFT_ANIM_SNAP_H

#include "anim/anim.h"

/* --- events to windows (S1-S7) --------------------------------------------------------------------------------- */

/* An event as the game has it, in frames of the clip's file (decisions 1). */
typedef struct rift_snap_event {
    uint32_t victim, target;      /* FNV-1a of the joint's name; 0 names none */
    float start_frame, end_frame; /* the end negative: to the end of the clip */
    float offset[3];              /* in the target's frame, scaled by its scale */
} rift_snap_event;

typedef struct rift_snap_window {
    uint32_t victim, target; /* joint ids, not equal */
    double start, end;       /* closed; 0 <= start <= end <= length of the clip */
    double offset[3];
    int32_t priority; /* 0, or with layers the number of the slot: the highest wins, before S9 (S26) */
    uint32_t event;   /* index of the event it comes from */
    bool restored;    /* set by the bake: its victim could not be baked (S22) */
} rift_snap_window;

typedef struct rift_snap_drop {
    uint32_t event;
    const char *reason; /* the report's code */
} rift_snap_drop;

typedef struct rift_snap_windows {
    rift_snap_window *windows; /* in the order of the events */
    size_t window_count;
    rift_snap_drop *drops;
    size_t drop_count;
} rift_snap_windows;

typedef struct rift_snap_resolve_input {
    const rift_skeleton *skeleton;
    const rift_snap_event *events;
    size_t event_count;
    double fps;        /* of the file; above 0 */
    double trim_start; /* seconds cut from the start of the file */
    double length;     /* of the clip as written (G41) */
} rift_snap_resolve_input;

/* Which joint a hash means (S4): the first influencing one of that FNV-1a in walk order, else the first; UINT32_MAX
 * for none. */
uint32_t rift_snap_find_joint(const rift_skeleton *skeleton, uint32_t fnv);

/* Each event becomes a window or is dropped; reports snap_field_empty, snap_unknown_joint, snap_self,
 * snap_target_below_victim (decisions 23), snap_window_empty, snap_not_finite (offset), and snap_end_before_start,
 * which drops nothing. Times that are not finite count as absent. Errors: LIMIT, NOMEM. */
RIFT_NODISCARD bool rift_snap_resolve(rift_snap_windows *out,
                                      const rift_snap_resolve_input *in,
                                      rift_arena *arena,
                                      rift_report *report,
                                      rift_err *err);

/* --- the bake (S8-S23, S27) ------------------------------------------------------------------------------------- */

typedef struct rift_snap_limits {
    double translation;    /* S14: 0.1 u */
    double rotation_rad;   /* 0.25 degrees */
    double scale;          /* 1e-3 */
    unsigned max_halvings; /* 6; at most RIFT_MAX_HALVINGS */
    size_t max_keys;       /* S27: of one victim in one clip, 200 000; past it the limits are doubled */
    uint64_t budget; /* joint-samples of all clips; victims not done by then are restored: RIFT_SNAP_BUDGET */
} rift_snap_limits;

#define RIFT_SNAP_BUDGET 200000000u /* a hundred times what a champion of 60 clips needs */
#define RIFT_SNAP_GAP_S 1e-4        /* S15: between the two keys of a boundary */
#define RIFT_SNAP_SHEAR 0.01        /* S21 */

rift_snap_limits rift_snap_limits_default(void);

/* One exported clip. `keys` is read as it is drawn without the bake and gets a channel list of its own; arrays that
 * other clips may share are never written to (S17). */
typedef struct rift_snap_clip {
    rift_str name; /* for the report */
    rift_clip_keys *keys;
    /* The clip's channels before rift_clips_finish, or none: a parentless victim that another clip moves gets its rest
     * value here for every component that had a track (G43, decisions 32). */
    const rift_channel *tracked;
    size_t tracked_count;
    rift_snap_window *windows;
    size_t window_count;
} rift_snap_clip;

/* What became of one victim in one clip. Errors are the self-check's (S22), boundaries left out. */
typedef struct rift_snap_stat {
    size_t key_count; /* keys of its longest channel; 0: not rewritten in this clip */
    double translation, rotation_rad, scale;
    double shear; /* largest residual at a key (S21) */
    unsigned doublings;
    bool
        coarse; /* above the limits at quarter points after all halvings, within three times them all the same */
} rift_snap_stat;

typedef struct rift_snap_result {
    rift_skeleton skeleton;  /* the given one where nothing was reparented; else its joints are a copy */
    uint32_t *victims;       /* V of S8, by id */
    int32_t *former_parents; /* RIFT_NO_PARENT: was parentless already */
    size_t victim_count;
    rift_snap_stat *stats; /* of clip c and victim v at c * victim_count + v */
} rift_snap_result;

/* Bakes all clips, checks what it wrote, and takes back victims that fail the check (their windows are marked
 * `restored`). Reports snap_bake_failed, snap_curve_error (coarse), snap_shear, snap_limits_doubled,
 * snap_reparented.
 * Memory  the result and the new channels in `arena`; `tmp` is rewound. The report may not live in `tmp`.
 * Errors  LIMIT, NOMEM. */
RIFT_NODISCARD bool rift_snap_bake(rift_snap_result *out,
                                   rift_snap_clip *clips,
                                   size_t clip_count,
                                   const rift_skeleton *skeleton,
                                   const rift_snap_limits *limits,
                                   rift_arena *arena,
                                   rift_arena *tmp,
                                   rift_report *report,
                                   rift_err *err);

#endif
