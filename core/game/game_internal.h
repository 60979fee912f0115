/* game_internal.h - shared by the files of this folder only. */
#ifndef RIFT_GAME_GAME_INTERNAL_H
#define RIFT_GAME_GAME_INTERNAL_H

#include "game/skin.h"

/* `text` without `champion` and '_' before, then without "skin<digits>_" or "base_"; text itself where
 * nothing would be left. decisions 17 says the first two. */
rift_str game_cut_champion(rift_str text, rift_str champion);
rift_str game_cut_skin(rift_str text);
rift_str game_cut_base(rift_str text);

/* Names clips, tracks and masks of a graph whose hashes are known: by the tables, then by hashing candidates.
 * */
void game_name_graph(rift_graph *graph, rift_str champion, const rift_names *names, rift_arena *arena);

/* One clip's events. */
void game_read_events(rift_graph_clip *clip,
                      const rift_bin_object *object,
                      rift_arena *arena,
                      rift_report *report);

/* Hashes of a list of names (HASH or STRING items) and, before them, that of a single one beside it, without zeros
 * (B049). `single` may be 0. NULL when the arena fails. */
const uint32_t *game_read_hashes(
    const rift_bin_object *object, uint32_t list, uint32_t single, size_t *count, rift_arena *arena);

/* materialOverride of a mesh's properties; a failure shows in the arena. */
rift_material_override *
game_read_overrides(const rift_bin_object *mesh, const rift_names *names, rift_arena *arena, size_t *count);
/* The items of a list that is one string; a failure shows in the arena. */
rift_str *game_split_list(rift_str text, size_t *count, rift_arena *arena);

/* The forms of a skin whose bins and graph are loaded; a failure shows in the arena. */
void game_read_forms(rift_skin *skin,
                     const rift_bin_object *object,
                     const rift_names *names,
                     rift_arena *arena,
                     rift_report *report);

/* Finds an object of this class under a link, in the order in which the bins were loaded. NULL when there is
 * none. */
const rift_bin_object *game_find_object(const rift_skin *skin, uint32_t link, uint32_t class_hash);

/* The skin of a bin: the entry under the expected path; else the first skin with a mesh, else the first skin. `path` may
 * be 0. NULL when there is none. */
const rift_bin_object *game_find_skin_object(const rift_bin *bin, uint32_t path);

/* At most RIFT_GAME_MAX_ALIAS letters, digits, '_' and '-'; not empty. */
bool game_is_alias(rift_str s);

/* Reduces a StaticMaterialDef. A failure shows in the arena. */
void game_read_material(rift_material_def *out,
                        const rift_bin_object *object,
                        const rift_names *names,
                        rift_arena *arena,
                        rift_report *report);

#endif
