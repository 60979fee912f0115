/* snap_rig.h - rigs and clips for the snap bake, and section 3 of joint-snap.md evaluated on its own: with matrices, by
 * recursion, with an evaluation of keys that shares nothing with the code under test. */
#ifndef RIFT_TESTS_UNIT_ANIM_SNAP_RIG_H
#define RIFT_TESTS_UNIT_ANIM_SNAP_RIG_H

#include "anim/snap.h"

#define DEGREE (3.14159265358979323846 / 180)

typedef struct joint_row {
    const char *name;
    int parent;
    rift_trs rest; /* rotation all zero: none; scale all zero: 1, unless `zero_scale` */
    bool influence;
    bool zero_scale;
} joint_row;

/* Built as a file would be, inverse binds left to the skeleton builder. */
rift_skeleton snap_skeleton(const joint_row *rows, size_t count, rift_arena *arena);

enum { MAX_CLIPS = 4, MAX_CHANNELS = 64, MAX_EVENTS = 16 };

typedef struct snap_case {
    rift_arena arena, tmp;
    rift_report report;
    rift_skeleton skeleton;
    size_t clip_count;
    rift_channel original[MAX_CLIPS][MAX_CHANNELS]; /* as handed in, by joint and component */
    size_t original_count[MAX_CLIPS];
    float length[MAX_CLIPS];
    rift_clip_keys keys[MAX_CLIPS];
    rift_snap_clip clips[MAX_CLIPS];
    rift_snap_event events[MAX_CLIPS][MAX_EVENTS];
    size_t event_count[MAX_CLIPS];
    rift_snap_windows windows[MAX_CLIPS];
    double fps;
    rift_snap_limits limits;
    rift_snap_result result;
    rift_err err;
    bool ok;
} snap_case;

void snap_begin(snap_case *c, const joint_row *rows, size_t count);
void snap_end(snap_case *c);
/* A further clip; returns its number. */
size_t snap_clip(snap_case *c, float length);
void snap_channel(snap_case *c,
                  size_t clip,
                  uint32_t joint,
                  rift_component component,
                  const float *times,
                  const float *values,
                  uint32_t count);
/* Rotations about axis 0, 1 or 2 by degrees. */
void snap_turn(snap_case *c,
               size_t clip,
               uint32_t joint,
               int axis,
               const float *times,
               const double *degrees,
               uint32_t count);
rift_snap_event *
snap_event(snap_case *c, size_t clip, const char *victim, const char *target, float start, float end);
/* Resolves and bakes. */
void snap_run(snap_case *c);

rift_mat4 snap_product(const rift_mat4 *a, const rift_mat4 *b);
/* W(joint) in the original hierarchy over the original keys. */
rift_mat4 snap_reference(const snap_case *c, size_t clip, uint32_t joint, double t);
/* What a viewer draws from the result. */
rift_mat4 snap_drawn(const snap_case *c, size_t clip, uint32_t joint, double t);
rift_vec3 snap_place(const rift_mat4 *m);

const rift_channel *snap_written(const snap_case *c, size_t clip, uint32_t joint, rift_component component);
bool snap_is_victim(const snap_case *c, uint32_t joint);

/* The figures of section 5 for all victims of all clips, and that all else is untouched (S8, S17). */
void snap_check_figures(const snap_case *c);

#endif
