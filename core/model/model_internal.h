/* model_internal.h - crosses files, private to this folder. */
#ifndef RIFT_MODEL_MODEL_INTERNAL_H
#define RIFT_MODEL_MODEL_INTERNAL_H

#include "model/scene.h"

/* UTF-8 of a name of a file: the bytes themselves where they are UTF-8, else read as Latin-1. */
rift_str rift_model_utf8(rift_str raw, rift_arena *arena);
/* The name as written: each control character (C0, DEL, C1) becomes '_' (decisions 33). Returns `utf8` itself when there is none. */
rift_str rift_model_clean_name(rift_str utf8, rift_arena *arena);
bool rift_model_has_control(rift_str utf8);

/* G25 for one vertex. */
typedef struct rift_weights {
    uint16_t joints[4];
    float weights[4];
    unsigned outside, invalid; /* slots whose weight was dropped */
    bool all_zero;             /* the whole weight went to the first influence */
} rift_weights;

typedef struct rift_weight_source {
    const uint16_t *influences; /* blend index -> joint, or NULL: blend indices are joint ids */
    size_t influence_count;
    size_t joint_count;
} rift_weight_source;

rift_weight_source rift_model_weight_source(const rift_skeleton *skeleton, const rift_skn *skn);
rift_weights
rift_model_weights(const rift_weight_source *source, const uint8_t blend[4], const float weights[4]);

/* Fills part->normals (zeroed) with unit vectors (G24). `source` are the file's normals of the same vertices. False when the arena failed. */
bool rift_model_normals(const rift_part *part, const float *source, rift_arena *arena, rift_report *report);

/* G17: joints[].inverse_bind from the stored ones, with skeleton->rest_world, topological order and rest in place. */
bool rift_model_inverse_binds(const rift_skeleton *skeleton,
                              const rift_skl *skl,
                              rift_arena *arena,
                              rift_report *report);

/* Whether every entry is finite as float32 too. */
bool rift_model_fits_f32(const rift_mat4 *m);

#endif
