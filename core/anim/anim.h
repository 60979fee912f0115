/* anim.h - from the tracks of a clip to keys of joints.
 *
 * Order   map (T) -> keys (G38-G42, G44, G49) -> liveness over all clips (G43). Source space throughout.
 * Source  track-mapping.md; gltf-output.md G36-G44, G49; decisions 2, 18, 20, 22, 26, 36. */
#ifndef RIFT_ANIM_ANIM_H
#define RIFT_ANIM_ANIM_H

#include "formats/anm.h"
#include "model/scene.h"

#define RIFT_NO_TRACK (-1)

/* --- T: which track drives which joint ------------------------------------------------------------------------- */

typedef enum rift_leftover_reason { RIFT_LEFTOVER_NO_JOINT, RIFT_LEFTOVER_DUPLICATE } rift_leftover_reason;

typedef struct rift_leftover {
    uint32_t track; /* index in the clip */
    uint32_t hash;
    rift_leftover_reason reason;
} rift_leftover;

typedef struct rift_track_map {
    int32_t *track_of_joint; /* by joint id: index of its track, or RIFT_NO_TRACK */
    size_t track_count;
    size_t skinning_count;    /* mapped in pass 1 */
    size_t other_count;       /* mapped in pass 2 */
    rift_leftover *leftovers; /* in file order */
    size_t leftover_count;
} rift_track_map;

/* T4, T5: computed on the skeleton as the file has it, before any bake (T8). Reports track_mapping_suspect (T12; hashes shared by more than RIFT_SUSPECT_MAX joints are compared with
 * the first that many; pass no report for additive clips, whose keys are differences). Leftover tracks are the caller's to report (T9), as are clips without a match (T10). Memory: all in
 * `arena`. Errors: LIMIT, NOMEM. */
#define RIFT_SUSPECT_MAX 256
#define RIFT_SUSPECT_DISTANCE 10.0 /* u */
RIFT_NODISCARD bool rift_track_map_build(rift_track_map *out,
                                         const rift_skeleton *skeleton,
                                         const rift_anm *anm,
                                         rift_arena *arena,
                                         rift_report *report,
                                         rift_err *err);

/* --- source curves -------------------------------------------------------------------------------------------- */

/* Value of a curve at t (seconds), exactly as formats/anm.md evaluates it, in double precision: 3 components, or a unit quaternion. Clamped outside. Independent of earlier calls
 * (B020). The curve must have keys, finite and in order of time; a spline of 1-3 keys counts as one with its ends doubled. */
void rift_curve_eval(
    double out[4], const rift_anm_curve *curve, rift_anm_component component, rift_anm_basis basis, double t);

/* --- keys ------------------------------------------------------------------------------------------------------ */

typedef struct rift_key_limits {
    double rotation_rad;   /* G40: 0.1 degrees */
    double translation;    /* 0.05 u */
    double scale;          /* 1e-3 */
    double world;          /* decisions 26: 0.5 u; 0 switches the world check off */
    unsigned max_halvings; /* 6; at most RIFT_MAX_HALVINGS */
    uint64_t
        world_budget; /* joint-samples after which the world check of a clip is broken off: RIFT_WORLD_BUDGET, ten times the longest real clip */
} rift_key_limits;

#define RIFT_MAX_HALVINGS 16
#define RIFT_WORLD_BUDGET 20000000u
#define RIFT_WORLD_REACH 1000.0 /* u from the origin; joints farther away are not held to `world` */

rift_key_limits rift_key_limits_default(void);

typedef enum rift_additive { RIFT_ADDITIVE_NONE, RIFT_ADDITIVE_COMPOSE } rift_additive; /* G49 */

typedef enum rift_key_mode {
    RIFT_KEYS_ADAPTIVE, /* G40 */
    RIFT_KEYS_CUBIC,    /* splines as CUBICSPLINE, exactly; uncompressed clips as they are (decisions 3) */
    RIFT_KEYS_DENSE     /* LINEAR on a grid from 0 in steps of 1 / dense_fps, and at the clip's length */
} rift_key_mode;

#define RIFT_DENSE_MAX_KEYS 100000u /* of a clip's grid */

typedef struct rift_clip_keys {
    rift_channel *
        channels; /* by joint id, then component T, R, S; every component that has keys, constant ones with one key at 0 */
    size_t channel_count;
    float length; /* of the clip after trimming (G41) */
    bool naive;
    double worst_rotation_rad, worst_translation,
        worst_scale; /* left above the limits after all halvings, or 0 */
    double worst_world;
} rift_clip_keys;

/* Keys of all mapped tracks. Uncompressed clips: their own keys, which LINEAR draws exactly. Compressed clips: the distinct source key times, halved until the quarter points of every
 * segment keep the limits against the float32 keys that are written; then, where a chain of influencing joints still adds up to more than `world`, the segments that contribute most are halved
 * on, within max_halvings.
 * Modes   cubic: one key a distinct source time; a rotation's segment that a trim cuts, or whose ends are more than half a
 *         turn of the quaternion apart, is halved until it is within 0.005 degrees (cubic_inexact when 8 halvings do not
 *         do). Dense: the source's exact value at each grid time. Neither is held to `limits`.
 * Times   the source's (decisions 36), less trim_start in trimmed clips; keys outside the window are cut and the curve's value at the cut becomes a key. Times below 0 are cut too.
 *         trim_start 0 and a negative trim_end: none. An end before the start is ignored (trim_end_before_start).
 * Naive   with `naive` every source key is written as it is, constant or not, nothing is added, and rift_clips_finish drops nothing (the yardstick of --naive). Additive, trim as usual.
 * Reports key_conflict, key_not_finite (dropped; a falling time too), scale_not_finite (1 for that component), curve_error, world_error, world_check_skipped (broken off after
 *         world_budget joint-samples). The report must not live in `tmp`.
 * Memory  the result in out_arena; `tmp` is rewound to where it was. Errors: LIMIT (also a grid of more than
 *         RIFT_DENSE_MAX_KEYS), NOMEM. */
typedef struct rift_keys_input {
    const rift_skeleton *skeleton;
    const rift_anm *anm;
    const rift_track_map *map;
    rift_additive additive;
    rift_key_limits limits;
    double trim_start, trim_end; /* seconds of file time */
    rift_key_mode mode;          /* `naive` goes before it */
    double dense_fps;            /* above 0, for RIFT_KEYS_DENSE */
    bool naive;
} rift_keys_input;

RIFT_NODISCARD bool rift_clip_keys_build(rift_clip_keys *out,
                                         const rift_keys_input *in,
                                         rift_arena *out_arena,
                                         rift_arena *tmp,
                                         rift_report *report,
                                         rift_err *err);

/* The length that rift_clip_keys_build gives a clip, without making its keys. */
float rift_clip_length(const rift_anm *anm, double trim_start, double trim_end);

/* G43: drops from each clip's channels the components that no clip moves away from rest (0.05 degrees, 1e-3 u, 1e-3), and gives a clip whose channels all end early its last key at
 * `length` (G41): to its first constant channel, else to its first one. Clips left without channels keep channel_count 0; the caller reports and leaves them out (G36). */
RIFT_NODISCARD bool rift_clips_finish(rift_clip_keys *clips,
                                      size_t clip_count,
                                      const rift_skeleton *skeleton,
                                      rift_arena *arena,
                                      rift_err *err);

/* --- whole clips (retime.c, join.c) ---------------------------------------------------------------------------- */

/* Every time, and the length, times `factor` (above 0, finite): timing=game (decisions 1). The result shares with `clip` what
 * stays the same. Errors: LIMIT, NOMEM. */
RIFT_NODISCARD bool rift_clip_retime(
    rift_clip_keys *out, const rift_clip_keys *clip, double factor, rift_arena *arena, rift_err *err);

/* Clips one after another (decisions 12); piece i begins where the lengths before it end. Each is at least
 * RIFT_JOIN_MIN_LENGTH long. Where the next piece begins with another pose, the earlier one is cut 1e-4 s before; poses within
 * 0.01 degrees, 1e-4 u and 1e-5 are one key. A component that only some pieces drive stands at rest in the others.
 * *mixed: a joint whose rotation is CUBICSPLINE in one piece and moves by LINEAR keys in another is LINEAR as a whole, its
 * cubic segments halved to the limits of G40. Memory: the result in `arena`; `tmp` is rewound. Errors: LIMIT, NOMEM. */
#define RIFT_JOIN_MIN_LENGTH 1e-3
RIFT_NODISCARD bool rift_clips_join(rift_clip_keys *out,
                                    const rift_clip_keys *const *pieces,
                                    size_t piece_count,
                                    const rift_skeleton *skeleton,
                                    bool *mixed,
                                    rift_arena *arena,
                                    rift_arena *tmp,
                                    rift_err *err);

/* World matrices by joint of the channels at t (clamped); what has no channel stands at rest. Scratch stays in tmp. */
RIFT_NODISCARD bool rift_clip_pose(rift_mat4 *world,
                                   const rift_skeleton *skeleton,
                                   const rift_channel *channels,
                                   size_t channel_count,
                                   double t,
                                   rift_arena *tmp,
                                   rift_err *err);

/* glTF's own evaluation of a channel: clamp outside, exact at keys, slerp the short way. */
void rift_channel_eval(double out[4], const rift_channel *channel, double t);

#endif
