/* options.h - what a request may ask for: one table for the command line, the query string, JSON bodies and config
 * (api.md section 1).
 *
 * Shape   a plain struct; rift_options_default() is what an empty request means where nobody set other defaults. Each value,
 *         the default's too, has a word, so that a request can say what it wants whatever the defaults are.
 * Errors  ARGUMENT with the option's name and the values allowed. */
#ifndef RIFT_BAKE_OPTIONS_H
#define RIFT_BAKE_OPTIONS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

/* Options whose values are words hold the word's position in the table's row: 0 is the default. */
enum { RIFT_CONTENT_FULL = 0, RIFT_CONTENT_RIG, RIFT_CONTENT_MESH, RIFT_CONTENT_ANIMATIONS };
enum { RIFT_TEXTURE_PNG = 0, RIFT_TEXTURE_WEBP, RIFT_TEXTURE_JPEG, RIFT_TEXTURE_NONE };
enum { RIFT_COMPRESS_NONE = 0, RIFT_COMPRESS_QUANTIZE, RIFT_COMPRESS_MESHOPT };
enum { RIFT_HIDDEN_OMIT = 0, RIFT_HIDDEN_INCLUDE };
enum { RIFT_CHROMAS_FILES = 0, RIFT_CHROMAS_VARIANTS };
enum { RIFT_SNAP_BAKE = 0, RIFT_SNAP_OFF };
enum { RIFT_SHADING_UNLIT = 0, RIFT_SHADING_PBR };
enum { RIFT_UNITS_METRE = 0, RIFT_UNITS_LEAGUE };
enum { RIFT_MIRROR_BAKE = 0, RIFT_MIRROR_OFF };
enum { RIFT_VERTEX_COLORS_OMIT = 0, RIFT_VERTEX_COLORS_CUSTOM };
enum { RIFT_ADDITIVE_COMPOSED = 0, RIFT_ADDITIVE_RAW };
enum { RIFT_TIMING_NATIVE = 0, RIFT_TIMING_GAME };
enum { RIFT_KEYS_OPTION_ADAPTIVE = 0, RIFT_KEYS_OPTION_CUBIC, RIFT_KEYS_OPTION_DENSE };

struct rift_timeline;

typedef struct rift_options {
    uint8_t content;
    uint8_t texture;
    uint8_t compress;
    uint8_t hidden;
    uint8_t chromas;
    uint8_t snap;
    uint8_t shading;
    uint8_t units;
    uint8_t mirror;
    uint8_t vertex_colors;
    uint8_t additive;
    uint8_t timing;
    uint8_t keys;
    uint32_t given;       /* bits of the rows that were set by name, which no profile changes */
    uint32_t dense_fps;   /* with RIFT_KEYS_OPTION_DENSE: 1..1000 */
    rift_str pose_clip;   /* empty: none; "Idle1" of pose=Idle1@0.5 */
    uint64_t pose_us;     /* microseconds: 500000 */
    bool naive;           /* command line only, in no table: the plain exporter's file */
    uint32_t max_texture; /* 0: unlimited, else 64..4096 */
    rift_str clips;       /* "*" by default (decisions 11) */
    /* A timeline (layering.md), as canonical JSON and as what it says; both empty by default. Core reads no JSON: whoever takes
     * requests sets both at once (timeline/timeline.h), rift_options_set knows only "none". */
    rift_str layers;
    const struct rift_timeline *timeline;
} rift_options;

rift_options rift_options_default(void);

/* Sets one option by its public name ("max_texture"; '-' counts as '_'). Strings are copied into arena. "profile" stands for
 * all that can have other defaults (decisions 5), so "full" is how to ask for the program's own; it leaves no trace but these,
 * and those that are set by name stay, before it and behind it. */
RIFT_NODISCARD bool
rift_options_set(rift_options *options, rift_str name, rift_str value, rift_arena *arena, rift_err *err);

/* Canonical text of everything that differs from the defaults, in table order: "content=rig&units=league"; "" for
 * the defaults. Equal requests give equal texts. */
rift_str rift_options_text(const rift_options *options, rift_arena *arena);

/* The text of what was set, which means the same whatever the defaults are of whoever reads it: also values that are the
 * default's, and "profile=full" in front where a profile was named. */
rift_str rift_options_asked(const rift_options *options, rift_arena *arena);

/* The profile that a canonical text stands for, or "custom". "full" is what the defaults are called. */
rift_str rift_options_profile(rift_str text, rift_arena *arena);

/* Every option with its value, as members of the JSON object that is open; a pose only where one is asked for. */
void rift_options_json(rift_json *j, const rift_options *options, rift_arena *scratch);

/* The table, for usage texts and documentation: one row after another until NULL. */
typedef struct rift_option_info {
    const char *name;
    const char *values; /* "full|rig|mesh", or with descriptions: "unlimited|64-4096"; the default first */
    const char *help;
} rift_option_info;
enum { RIFT_OPTION_COUNT = 18 };
const rift_option_info *rift_option_info_at(size_t index);
/* Not of those that name clips: few skins have the same. */
bool rift_option_can_have_default(size_t index);

#endif
