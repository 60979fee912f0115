/* vectors_internal.h - a vector file as read: what the runner and the reader share. */
#ifndef RIFT_TIMELINE_VECTORS_INTERNAL_H
#define RIFT_TIMELINE_VECTORS_INTERNAL_H

#include <cjson/cJSON.h>

#include "anim/layer.h"

typedef struct vectors {
    rift_skeleton skeleton;
    rift_layer_clip *clips;
    size_t clip_count;
    rift_layer_mask *masks;
    size_t mask_count;
    double within;
    const cJSON *mask_cases, *cases;
} vectors;

RIFT_NODISCARD bool vectors_read(vectors *out, const cJSON *root, rift_arena *arena, rift_err *err);

/* The joint with exactly this name, or RIFT_LAYER_NONE. */
uint32_t vectors_joint(const vectors *v, const char *name);
/* `count` finite numbers. */
bool vectors_numbers(const cJSON *list, double *out, size_t count);

#endif
