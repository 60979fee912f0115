/* clip_build.h - animations written as tables, and independent measurements of keys. */
#ifndef RIFT_TESTS_UNIT_ANIM_CLIP_BUILD_H
#define RIFT_TESTS_UNIT_ANIM_CLIP_BUILD_H

#include "anim/anim.h"

#define DEGREE (3.14159265358979323846 / 180)

/* A clip with one empty track for each joint, in joint order, mapped one to one by clip_map. */
rift_anm clip_init(const rift_skeleton *sk, rift_anm_basis basis, float length, rift_arena *arena);
/* Copies the keys. `values` are 3 or 4 a key. */
void clip_curve(rift_anm *anm,
                size_t joint,
                rift_anm_component component,
                const float *times,
                const float *values,
                size_t count,
                rift_arena *arena);
rift_track_map clip_map(const rift_skeleton *sk, rift_arena *arena);
/* With the default limits; a failure is a failed check. */
rift_clip_keys
clip_build(const rift_skeleton *sk, const rift_anm *anm, rift_arena *arena, rift_report *report);
rift_keys_input clip_input(const rift_skeleton *sk, const rift_anm *anm, rift_arena *arena);
rift_clip_keys clip_run(const rift_keys_input *in, rift_arena *arena, rift_report *report);

const rift_channel *clip_channel(const rift_clip_keys *clip, uint32_t joint, rift_component component);

/* Deviation of a channel from its source curve at one instant, in the component's unit (radians). */
double clip_error_at(
    const rift_channel *ch, const rift_anm_curve *curve, rift_anm_basis basis, double clip_t, double file_t);
/* The largest at the quarter points of all segments (keys included), and at 240 Hz over the clip. */
double
clip_error_quarters(const rift_channel *ch, const rift_anm_curve *curve, rift_anm_basis basis, double start);
double clip_error_240(
    const rift_channel *ch, const rift_anm_curve *curve, rift_anm_basis basis, double start, double length);
/* G38, G39: rising times, unit and aligned rotations, finite values. */
void clip_check_channel(const rift_channel *ch);

uint32_t clip_random(uint32_t *seed);
double clip_random_unit(uint32_t *seed); /* 0 to 1 */

#endif
