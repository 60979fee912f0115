/* masks.h - masks that are stored under a name (api.md section 4), and timelines that use them.
 *
 * Shape   a mask is kept as JSON, {"name":"upper","include":["Spine1"],"exclude":[],…}; a file of masks is a list of such. A timeline that names a stored mask gets it in
 *         place, so that its canonical text, and with it the request's key, holds what was meant and not what the name means later.
 * Limits  RIFT_MASK_MAX_NAME letters, digits, '_', '-' and '.' a name; RIFT_MASKS_MAX masks; RIFT_MASKS_MAX_BYTES a file.
 * Errors  ARGUMENT; `where` names the member. */
#ifndef RIFT_BODY_MASKS_H
#define RIFT_BODY_MASKS_H

#include "anim/layer.h"
#include "bake/options.h"

#define RIFT_MASK_MAX_NAME 64
#define RIFT_MASKS_MAX 1000
#define RIFT_MASKS_MAX_BYTES ((size_t)64 << 20)

typedef struct rift_stored_mask {
    rift_str name, json;
} rift_stored_mask;

typedef struct rift_masks {
    rift_stored_mask *masks;
    size_t count;
} rift_masks;

bool rift_mask_name_is_sound(rift_str name);
/* NULL when there is none of this name. */
const rift_stored_mask *rift_masks_find(const rift_masks *masks, rift_str name);

/* A mask as it is kept. Its "name" may be absent, or must be `name`. */
RIFT_NODISCARD bool
rift_mask_read(rift_stored_mask *out, rift_str name, rift_bytes body, rift_arena *arena, rift_err *err);
RIFT_NODISCARD bool rift_masks_read(rift_masks *out, rift_bytes file, rift_arena *arena, rift_err *err);

/* {"mask": a name, "game:…" or a mask in place, "skin": id}. A stored name becomes the mask; kind NAMED is left for those of the game
 * and for names that nobody knows. */
typedef struct rift_mask_question {
    rift_layer_mask mask;
    rift_str skin; /* as text */
    rift_str text; /* the mask, canonical: equal questions, equal texts */
} rift_mask_question;
RIFT_NODISCARD bool rift_mask_question_read(
    rift_mask_question *out, const rift_masks *masks, rift_bytes body, rift_arena *arena, rift_err *err);

/* Puts stored masks in the place of their names in the options' timeline, if it names any. */
RIFT_NODISCARD bool
rift_masks_apply(rift_options *options, const rift_masks *masks, rift_arena *arena, rift_err *err);

#endif
