/* anim_internal.h - crosses files, private to this folder.
 *
 * Way of a clip: load (keys_load.c: clean, compose, doubles) -> linear keys, or spline pieces and refinement (keys_refine.c), tangents (keys_cubic.c) or a grid (keys_dense.c) -> world check (keys_world.c) -> float32 channels (keys.c). */
#ifndef RIFT_ANIM_ANIM_INTERNAL_H
#define RIFT_ANIM_ANIM_INTERNAL_H

#include "anim/anim.h"

/* A piece of a source curve: value(a) = c0 + a (c1 + a (c2 + a c3)), a = (t - t1) / (t2 - t1). */
typedef struct rift_piece {
    double t1, t2; /* seconds of file time, t1 < t2 */
    double c[4][4];
} rift_piece;

/* The window of four keys as a piece between the middle two. `p` are the keys' values; rotations get their signs aligned to p[0] first. */
rift_piece rift_piece_make(const double p[4][4], const double t[4], rift_anm_basis basis, bool is_rotation);
/* Clamped to the piece. Rotations are normalised. */
void rift_piece_eval(double out[4], const rift_piece *piece, bool is_rotation, double t);

/* Keys of a curve as loaded: finite, rising or equal times, composed (G49), rotations aligned each to the one before. */
typedef struct rift_loaded {
    size_t count;
    double *times;
    double (*values)[4];
    bool is_constant; /* all values equal within 1e-6 relative (G42) */
} rift_loaded;

/* A key as it will be written, with what refinement knows about the segment that begins at it. */
typedef struct rift_work_key {
    float t;        /* clip time */
    float v[4];     /* float32 as written, sign apart */
    float error;    /* largest deviation from the source at the quarter points, in the component's unit */
    uint32_t piece; /* of the source */
    uint8_t level;  /* halvings behind it */
    bool is_flat;   /* before the first or behind the last piece: nothing to split */
    bool split;     /* asked for by the world check */
} rift_work_key;

/* Of CUBICSPLINE, by time. */
typedef struct rift_tangents {
    float in[4], out[4];
} rift_tangents;

typedef struct rift_work_channel {
    uint32_t joint;
    rift_component component;
    unsigned dimension;
    rift_piece *pieces; /* NULL for linear and constant ones */
    size_t piece_count;
    rift_work_key *keys;
    size_t key_count;
    rift_tangents *tangents; /* of each key; NULL: LINEAR */
    double worst;            /* above the limit after all halvings, else 0 */
    size_t cursor;           /* of the world check */
} rift_work_channel;

typedef struct rift_keys_job {
    const rift_keys_input *in;
    rift_arena *tmp;
    rift_report *report;
    double start, end; /* window in file time */
    rift_work_channel *channels;
    size_t channel_count;
    double worst_world;
} rift_keys_job;

static inline bool rift_is_rotation(rift_component component)
{
    return component == RIFT_ROTATION;
}

rift_anm_component rift_anm_component_of(rift_component component);
double rift_limit_of(const rift_key_limits *limits, rift_component component);
/* The name of joint and component, for reports. */
const char *rift_component_word(rift_component component);

/* False when the arena failed. */
bool rift_keys_load(rift_loaded *out,
                    const rift_keys_job *job,
                    const rift_anm_curve *curve,
                    uint32_t joint,
                    rift_component component);
/* A finite float32; the largest one where the number is beyond it. */
float rift_to_f32(double v);
/* The value as it is written; rotations come in with unit length. */
void rift_work_value(float out[4], const double v[4]);

/* Value of loaded keys between key i and the next at file time t, as LINEAR draws it. */
void rift_keys_between(double out[4], const rift_loaded *keys, size_t i, double t, bool is_rotation);
/* The pieces of a loaded, not constant spline, in order, without gaps; none when all keys are at one time. */
bool rift_keys_pieces(rift_work_channel *channel, const rift_keys_job *job, const rift_loaded *loaded);
/* keys_cubic.c, keys_dense.c: keys of a loaded, not constant curve; the first of splines only. */
bool rift_keys_cubic(rift_work_channel *channel, const rift_keys_job *job, const rift_loaded *loaded);
bool rift_keys_dense(rift_work_channel *channel, const rift_keys_job *job, const rift_loaded *loaded);
/* Pieces and keys of a loaded, not constant spline. */
bool rift_keys_refine(rift_work_channel *channel, const rift_keys_job *job, const rift_loaded *loaded);
/* Halves each key's segment that asks for it. */
bool rift_keys_split(rift_work_channel *channel, const rift_keys_job *job);
/* Whether the segment that begins at key k can be halved once more. */
bool rift_keys_can_split(const rift_work_channel *channel, size_t k, unsigned max_halvings);

/* Decisions 26. */
bool rift_keys_check_world(rift_keys_job *job);

#endif
