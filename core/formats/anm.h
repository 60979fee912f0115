/* anm.h - animations: compressed (r3d2canm 1-3) and uncompressed (r3d2anmd 3, 4, 5).
 *
 * Shape   tracks in file order (a sequence: hashes may repeat). Each track has up to three curves; version 3 has no scale.
 *         A compressed curve holds its keys as stored, doubled ends and doubled interior keys (corners of the spline)
 *         included, and has at least four or none. An uncompressed curve holds a key per frame, or one key (is_constant)
 *         when the palette index, in version 3 the stored value, is the same in all frames.
 * Units   seconds from the start of the file, never decreasing, at most `length`; translations in u; quaternions
 *         (x, y, z, w) of unit length, each with a dot product >= 0 with the one before; scales as factors, 0 and
 *         negative ones included. Keys are float32 as decoded. Real files hold translations of up to 5e13 u.
 * Length  `length` = time of the last frame or key: the header's duration for compressed files, (frames - 1) * frame
 *         duration for the others (G41). 0 for one pose. A frame duration that is 1/n s but for float32 is 1/n s.
 * Repairs each is reported, once per curve or file; tests in test_canm.c (c), test_anm.c (a):
 *         anm_unsorted           c  times of a curve fall: stable sort
 *         anm_short_curve        c  a curve of 1-3 keys: its ends are doubled (a a a a; a a b b; a a b c c)
 *         anm_key_not_finite     ac scale: that component becomes 1; translation or rotation: the key is dropped, of a
 *                                   curve that loses all keys key_count is 0
 *         anm_zero_rotation      a  quaternion shorter than 1e-6: identity (other lengths are normalised silently)
 *         anm_no_frame_duration  a  0 seconds a frame, or 0 frames per second: taken as 1/30
 *         anm_size_mismatch      ac resource size, or (c) count, place and size of the jump caches, which are not read
 *         anm_unknown_flags, anm_unknown_token, anm_time_section  ac  kept or skipped: nothing needs them
 * Limits  RIFT_ANM_MAX_TRACKS; counts against the bytes left.
 * Errors  TRUNCATED (also a section past the end), FORMAT (magic, needed offset of 0 or less, palette index, joint index
 *         or curve out of range, duration negative or not finite, or not in float32 as frames per second; version 4:
 *         a frame whose joints are not those of the first), UNSUPPORTED (version), LIMIT, NOMEM.
 *         Bytes behind the last section are never looked at.
 * Source  formats/anm.md; spline read from two implementations, verified on files as that document says. Seen on
 *         bytes: canm 1, anmd 3, 4, 5. Never seen: canm 2 and 3, 32-bit jump caches, a time section. */
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

/* Parses `in`. On failure returns false, sets *err and leaves *out as it was. Memory: everything in `arena`, scratch
 * of up to 18 bytes a key included; nothing points into `in` afterwards. `report` may be NULL. Time: linear in the keys.
 * Thread: any, one caller per arena. */
RIFT_NODISCARD bool
rift_anm_parse(rift_anm *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err);

#endif
