/* snap_internal.h - the files of the snap bake among themselves.
 *
 * Way of a victim through a clip: paths (snap_pose.c: which matrices make up its world matrix, and when) -> spans of one
 * path each, keys, halving (snap_keys.c) -> float32 channels -> self-check (snap_check.c). snap.c runs it for all. */
#ifndef RIFT_ANIM_SNAP_INTERNAL_H
#define RIFT_ANIM_SNAP_INTERNAL_H

#include "anim/snap.h"

/* --- snap_pose.c ------------------------------------------------------------------------------------------------ */

/* A world matrix is a product along a path: the local matrices from a joint up to its root, where a lock replaces
 * everything above by the target's own path and the offset. */
typedef struct snap_step {
    uint32_t joint;  /* or SNAP_OFFSET */
    uint32_t window; /* of an offset */
} snap_step;

#define SNAP_OFFSET UINT32_MAX
#define SNAP_MAX_STEPS 1000000u

typedef struct snap_path {
    snap_step *steps; /* from the victim upwards */
    size_t count, capacity;
    size_t jumps;   /* locks on the way */
    bool locked;    /* the first step was a lock: the victim itself is in a window */
    bool is_static; /* nothing on it moves */
} snap_path;

/* The segment of a channel that was drawn last, prepared for the next instant in it. */
typedef struct snap_segment {
    double from, to; /* holds for from <= t < to; both 0: for none */
    uint32_t key;
    bool hold;   /* the value is `a` */
    bool series; /* a rotation small enough for weights as series of its angle */
    double rate; /* 1 / length */
    double a[4], b[4];
    double x2, inverse_sine; /* squared angle, and what the weights are multiplied with */
} snap_segment;

/* A clip, ready to be evaluated. */
typedef struct snap_source {
    const rift_skeleton *skeleton;
    const rift_channel **channels; /* 3 * joint + component; NULL: rest */
    snap_segment *segments;        /* of the same */
    const rift_snap_window *windows;
    size_t window_count;
    bool *is_victim; /* by joint: some window is on it */
    uint32_t *marks; /* by joint: already being evaluated, when equal to `mark` */
    uint32_t mark;
    float length;
    uint64_t *work; /* joint-samples of the whole bake so far */
    uint64_t budget;
} snap_source;

/* A world matrix as T R S while every scale above is uniform; from then on its linear part as a matrix as well. */
typedef struct snap_pose {
    rift_trs trs;
    bool general;
    double m[9]; /* columns; when general */
} snap_pose;

RIFT_NODISCARD bool snap_source_init(snap_source *out,
                                     const rift_skeleton *skeleton,
                                     const rift_clip_keys *keys,
                                     const rift_snap_window *windows,
                                     size_t window_count,
                                     uint64_t *work,
                                     uint64_t budget,
                                     rift_arena *tmp);
/* Whether the budget is spent. */
bool snap_is_over(const snap_source *source);

/* The path of a joint at time t. False when the arena failed, the path is longer than SNAP_MAX_STEPS, or the budget is
 * spent. */
RIFT_NODISCARD bool
snap_trace(snap_path *path, snap_source *source, uint32_t joint, double t, rift_arena *tmp);
bool snap_path_equal(const snap_source *source, const snap_path *a, const snap_path *b);
snap_pose snap_eval(snap_source *source, const snap_path *path, double t);

/* S20: T R S of a pose. Where it is not exact the rotation nearest to `hint` is chosen among the equal ones.
 * *shear (may be NULL): the residual of S21. */
rift_trs snap_trs(const snap_pose *pose, rift_quat hint, double *shear);

/* --- snap_keys.c ------------------------------------------------------------------------------------------------ */

/* Float32 as written. */
typedef struct snap_key {
    float t;
    float v[10]; /* T, R, S */
} snap_key;

enum { SNAP_T = 0, SNAP_R = 3, SNAP_S = 7 };

/* Between `from` and `to`, exclusive, the drawn pose jumps from one path to the next (S15). */
typedef struct snap_gap {
    float from, to;
} snap_gap;

typedef struct snap_keys {
    snap_key *keys;
    size_t count, capacity;
    snap_gap *gaps;
    size_t gap_count;
    double shear;
    unsigned doublings;
    bool coarse; /* some segment strays still after all halvings */
} snap_keys;

typedef enum snap_outcome {
    SNAP_DONE,
    SNAP_NO_MEMORY,
    SNAP_TOO_MANY, /* keys, whatever the limits */
    SNAP_OVER_BUDGET
} snap_outcome;

/* World keys of one victim over the whole clip. Memory in tmp. */
snap_outcome snap_keys_build(
    snap_keys *out, snap_source *source, uint32_t victim, const rift_snap_limits *limits, rift_arena *tmp);

/* The three channels; constant ones with one key (S13). */
RIFT_NODISCARD bool
snap_channels(rift_channel out[3], const snap_keys *keys, uint32_t joint, rift_arena *arena);

rift_trs snap_key_trs(const snap_key *key);
/* Half way between two written rotations, the short way. */
rift_quat snap_middle(rift_quat a, rift_quat b);

/* --- snap_check.c ----------------------------------------------------------------------------------------------- */

typedef struct snap_fault {
    double t;
    double translation, rotation_rad, scale; /* errors there */
} snap_fault;

/* S22: compares channels with the reference at every key, the quarter points between, and 240 times a second. True when
 * all is within the figures; else *fault is the worst instant. stat gets the largest errors. */
bool snap_check(rift_snap_stat *stat,
                snap_fault *fault,
                snap_source *source,
                const rift_channel channels[3],
                const snap_keys *keys,
                uint32_t victim,
                const rift_snap_limits *limits,
                rift_arena *tmp);

#endif
