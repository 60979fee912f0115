/* timeline.h - layer timelines and masks as JSON (api.md section 4; layering.md L9).
 *
 * Shape   {"name":"RunAndPunch","duration":1.6,"loop":false,"fps":30,"commands":[{"at":0,"op":"play","slot":0,"clip":"Run",
 *         "loop":true}, …]}. Fields of a command are those of L9's table and no others: loop (false), speed (1), weight (1)
 *         and start of the plays; mask of play_masked (needed; may be null) and play_additive; base of play_additive.
 *         A mask is a name ("upper", "game:Upper"), null, or an object in place: include, exclude, self_only, or weight_list,
 *         and a name for reports.
 *         {"auto":["Run",{"clip":"TURN","mode":"additive","base":"identity"}],…} leaves the commands to the game's own data
 *         (L40); duration may then be absent: the longest clip's.
 * Limits  RIFT_LAYER_MAX_COMMANDS, RIFT_LAYER_MAX_SECONDS, RIFT_TIMELINE_*; depth; no member twice, none unknown.
 * Errors  ARGUMENT (also for what is over a limit, which is named), NOMEM, LIMIT (the arena's); `where` names command and
 *         field: "commands[3].weight". */
#ifndef RIFT_TIMELINE_TIMELINE_H
#define RIFT_TIMELINE_TIMELINE_H

#include "anim/layer.h"
#include "bake/options.h"

#define RIFT_TIMELINE_MAX_BYTES ((size_t)4 * 1024 * 1024) /* of a file, and of a canonical text */
#define RIFT_TIMELINE_MAX_DEPTH 8
#define RIFT_TIMELINE_MAX_MASKS 256 /* different ones */
#define RIFT_TIMELINE_MAX_NAMES 4096
#define RIFT_TIMELINE_MAX_NAME 255
#define RIFT_TIMELINE_MAX_WEIGHTS 32767

struct cJSON;

/* Everything is copied into `arena`; the commands are sorted (rift_timeline_sort). */
RIFT_NODISCARD bool
rift_timeline_parse(rift_timeline *out, rift_bytes json, rift_arena *arena, rift_err *err);
RIFT_NODISCARD bool
rift_timeline_read(rift_timeline *out, const struct cJSON *object, rift_arena *arena, rift_err *err);

/* For vector files: a mask, and a list of commands that may name the masks that *out has already. */
RIFT_NODISCARD bool rift_timeline_read_mask(
    rift_layer_mask *out, const struct cJSON *object, const char *where, rift_arena *arena, rift_err *err);
RIFT_NODISCARD bool
rift_timeline_read_commands(rift_timeline *out, const struct cJSON *list, rift_arena *arena, rift_err *err);

/* The option `layers`: "none", "auto", "auto:Run,Attack1", or a timeline as JSON. Sets both the text (canonical: equal
 * requests, equal texts; no '&', no control character) and what core reads. */
RIFT_NODISCARD bool
rift_timeline_option(rift_options *options, rift_str value, rift_arena *arena, rift_err *err);
/* The same from a parsed body. */
RIFT_NODISCARD bool
rift_timeline_option_json(rift_options *options, const struct cJSON *value, rift_arena *arena, rift_err *err);

#endif
