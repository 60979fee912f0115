/* options.h - what a request may ask for: one table for the command line, the query string, JSON bodies and config (api.md section 1).
 *
 * Errors  ARGUMENT with the option's name and the values allowed. */
#ifndef RIFT_BAKE_OPTIONS_H
#define RIFT_BAKE_OPTIONS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

typedef enum rift_content { RIFT_CONTENT_FULL, RIFT_CONTENT_RIG, RIFT_CONTENT_MESH } rift_content;
typedef enum rift_texture_kind { RIFT_TEXTURE_PNG, RIFT_TEXTURE_NONE } rift_texture_kind;
typedef enum rift_additive_opt { RIFT_ADDITIVE_OPT_COMPOSE, RIFT_ADDITIVE_OPT_RAW } rift_additive_opt;

typedef struct rift_options {
    rift_content content;
    rift_str clips; /* "*" by default */
    rift_texture_kind texture;
    uint32_t max_texture; /* 0: unlimited, else 64..4096 */
    bool hidden_include;
    bool snap_off;
    bool pbr;
    bool units_league;
    bool mirror_off;
    bool vertex_colors; /* custom */
    rift_additive_opt additive;
    bool naive; /* command line only */
} rift_options;

rift_options rift_options_default(void);
/* Sets one option by its public name ("max_texture"; '-' counts as '_'). Strings are copied into arena. */
RIFT_NODISCARD bool
rift_options_set(rift_options *options, rift_str name, rift_str value, rift_arena *arena, rift_err *err);
/* Canonical text of everything that differs from the defaults, in table order: "content=rig&units=league"; "" for the defaults. Equal requests give equal texts. */
rift_str rift_options_text(const rift_options *options, rift_arena *arena);
/* The same as members of a JSON object. */
void rift_options_json(rift_json *j, const rift_options *options);

/* The table, for usage texts and completion. */
typedef struct rift_option_info {
    const char *name;
    const char *values; /* "full|rig|mesh", or a description: "64-4096" */
    const char *help;
} rift_option_info;
const rift_option_info *rift_option_table(size_t *count);

#endif
