/* anm.h - animations: compressed (r3d2canm 1-3) and uncompressed (r3d2anmd 3, 4, 5).
 *
 * Shape   tracks in file order (a sequence: hashes may repeat). Each track has up to three curves; a curve holds its keys as stored: repeats of a time
 *         are kept for compressed curves (a doubled interior key is a corner of the spline). Equal values at all keys of an uncompressed curve, seen by palette index alone,
 *         are stored as one key (is_constant).
 * Units   seconds from the start of the file, never decreasing; translations in u; quaternions (x, y, z, w) of unit length, aligned: each has a dot product >= 0
 *         with the one before; scales as factors. Keys are float32 as decoded.
 * Length  `length` = time of the last key: the header's duration for compressed files, (frames - 1) * frame duration for the others (G41).
 * Repairs unsorted times: stable sort (anm_unsorted). A compressed curve of 1-3 keys: its ends are doubled (anm_short_curve). Non-finite scale: 1 for that component; non-finite
 *         translation or rotation key: dropped (anm_key_not_finite). Zero quaternion: identity (anm_zero_rotation). Bad cache or resource size: anm_size_mismatch.
 * Limits  RIFT_ANM_MAX_TRACKS; counts against the bytes left.
 * Errors  TRUNCATED, FORMAT, UNSUPPORTED (version), LIMIT, NOMEM.
 * Source  formats/anm.md; spline read from two implementations, verified on files as that document says. */
#ifndef RIFT_FORMATS_ANM_H
#define RIFT_FORMATS_ANM_H

#include "base/arena.h"
#include "base/report.h"

#define RIFT_ANM_MAX_TRACKS 16383

typedef enum rift_anm_basis {
    RIFT_ANM_LINEAR,             /* lerp, slerp the short way */
    RIFT_ANM_SPLINE_UNIFORM,     /* Catmull-Rom, tangent factors 0.5 */
    RIFT_ANM_SPLINE_PARAMETRISED /* factors from the key times (flag bit 2) */
} rift_anm_basis;

typedef enum rift_anm_component {
    RIFT_ANM_ROTATION = 0,
    RIFT_ANM_TRANSLATION = 1,
    RIFT_ANM_SCALE = 2
} rift_anm_component;

typedef struct rift_anm_curve {
    size_t key_count;    /* 0: the track does not drive this component */
    const float *times;  /* key_count; several curves may share one array */
    const float *values; /* 4 per key for rotations, else 3 */
    bool is_constant;    /* one key says it all (key_count is then 1) */
} rift_anm_curve;

typedef struct rift_anm_track {
    uint32_t hash;            /* ELF of the lower-cased joint name */
    rift_anm_curve curves[3]; /* by rift_anm_component */
} rift_anm_track;

typedef struct rift_anm {
    uint32_t version;
    bool compressed;
    rift_anm_basis basis;
    float fps;             /* of the file; v4, v5: 1 / frame duration */
    float length;          /* see above */
    float stored_duration; /* compressed: header; else frames * frame duration */
    uint32_t frame_count;  /* uncompressed: frames; compressed: keys stored */
    uint32_t flags;
    rift_anm_track *tracks;
    size_t track_count;
} rift_anm;

RIFT_NODISCARD bool
rift_anm_parse(rift_anm *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err);

#endif
