/* body.h - what a request asks for: options in a query, a job in a JSON body.
 *
 * `defaults` is what options mean of which nothing is said: a canonical text, "" for the program's own. What comes out says all
 * in terms of these, so nothing further on knows of defaults. A request that names a profile has none but the profile's.
 *
 * Shape   {"skin": 157036 | "157036" | "yasuo/36", "options": {"content": "rig", "max_texture": 512, "clips": ["idle*", "run"]}}. Option names and values are those of
 *         bake/options.h; numbers count as their digits, a list as its items with commas between. `layers` is an object of
 *         timeline/timeline.h or its text.
 * Limits  the size was checked before; RIFT_LIMIT_JSON_DEPTH, no member twice, UTF-8, no NUL.
 * Errors  ARGUMENT; `where` names the member or option. */
#ifndef RIFT_BODY_BODY_H
#define RIFT_BODY_BODY_H

#include "bake/options.h"
#include "render/render.h"

typedef struct rift_job_body {
    rift_str skin; /* as text */
    rift_options options;
} rift_job_body;

RIFT_NODISCARD bool
rift_job_body_parse(rift_job_body *out, rift_bytes body, rift_str defaults, rift_arena *arena, rift_err *err);

/* {"skins": [157036, "yasuo/36"] | "all", "options": {…}}, or "champion": "yasuo" instead of "skins". */
typedef struct rift_batch_body {
    const rift_str *skins; /* as text */
    size_t skin_count;
    bool all;
    rift_str champion; /* alias, name or id; empty: none */
    rift_options options;
} rift_batch_body;

RIFT_NODISCARD bool rift_batch_body_parse(
    rift_batch_body *out, rift_bytes body, rift_str defaults, rift_arena *arena, rift_err *err);

/* The options alone: {"content":"rig", …}. */
RIFT_NODISCARD bool
rift_body_options(rift_options *out, rift_bytes body, rift_str defaults, rift_arena *arena, rift_err *err);

/* Options from a raw query; every parameter must be one. */
RIFT_NODISCARD bool
rift_query_options(rift_options *out, rift_str query, rift_str defaults, rift_arena *arena, rift_err *err);

/* What a picture is to show, from a raw query: size, turn, pose; every parameter must be one. */
RIFT_NODISCARD bool
rift_query_picture(rift_options *options, rift_view *view, rift_str query, rift_arena *arena, rift_err *err);

/* Options from their canonical text (rift_options_text), none of them given by name. */
RIFT_NODISCARD bool rift_options_parse(rift_options *out, rift_str text, rift_arena *arena, rift_err *err);

/* The defaults that an operator set, by the rows of the options (NULL: not), as canonical text. `where` of an error is
 * "default-texture". */
RIFT_NODISCARD bool rift_options_defaults(rift_str *out,
                                          const char *const values[RIFT_OPTION_COUNT],
                                          rift_arena *arena,
                                          rift_err *err);

#endif
