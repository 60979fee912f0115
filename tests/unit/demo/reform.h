/* reform.h - property bins as other patches of the game write them: the same content in another form.
 *
 * REFORM_OLD     paths as strings, samplers with samplerName and textureName, plain lists, `type` of a material as u32
 * REFORM_MIDDLE  the same with TextureName and texturePath (from 15.4 on)
 * REFORM_NEW     paths as hashes, lists of the second kind, `type` as u8 (from 16.17 on)
 * Bins of older numberings, patches and what does not parse stay as they are. */
#ifndef RIFT_TESTS_UNIT_DEMO_REFORM_H
#define RIFT_TESTS_UNIT_DEMO_REFORM_H

#include "base/buf.h"
#include "game/assets.h"

typedef enum reform_form { REFORM_OLD, REFORM_MIDDLE, REFORM_NEW } reform_form;

/* `names` gives hashes their paths back. */
rift_bytes reform_bin(rift_bytes bin, reform_form form, const rift_names *names, rift_arena *arena);

/* "<hash> <path>" lines, lower case, of every path that a bin spells. Appends. */
void reform_collect_paths(rift_bytes bin, rift_buf *lines, rift_arena *arena);

/* Assets whose bins are re-formed as they are read. */
typedef struct reform_assets {
    rift_assets inner;
    reform_form form;
    const rift_names *names;
} reform_assets;
rift_assets reform_assets_of(reform_assets *assets);

#endif
