#include "bake/options.h"

#include <assert.h>
#include <stddef.h>

#include "base/str.h"

/* One table: a row names an option, its values in the order of their numbers (the default first), and the field that
 * holds the number. The options that are not lists of words have their own kind. */
typedef enum option_kind {
    KIND_PROFILE,
    KIND_WORD,
    KIND_SIZE,
    KIND_TEXT,
    KIND_KEYS,
    KIND_POSE,
    KIND_LAYERS
} option_kind;

typedef struct option_row {
    rift_option_info info;
    option_kind kind;
    size_t offset; /* of the field; an unsigned enum or a bool is set through set_word */
} option_row;

#define FIELD(name) offsetof(rift_options, name)

static const option_row rows[] = {
    {{"profile", "full|web|lite|archive",
      "other defaults: web: compress=meshopt, texture=webp, max_texture=1024; lite: web with "
      "max_texture=512, "
      "clips=idle*,run*; archive: keys=cubic, hidden=include, units=league"},
     KIND_PROFILE,
     0},
    {{"content", "full|rig|mesh|animations", "what the file holds"}, KIND_WORD, FIELD(content)},
    {{"clips", "*|none|list",
      "names, globs or kinds of clips, separated by commas; kinds are idle, run, attack, spell, "
      "dance, taunt, joke, laugh, recall, death, respawn, other"},
     KIND_TEXT,
     FIELD(clips)},
    {{"texture", "png|webp|jpeg|none",
      "format of embedded images; webp: EXT_texture_webp is required; jpeg: what has alpha stays PNG"},
     KIND_WORD,
     FIELD(texture)},
    {{"max_texture", "unlimited|64-4096", "longest side of a texture"}, KIND_SIZE, FIELD(max_texture)},
    {{"compress", "none|quantize|meshopt",
      "quantize: fewer bits for each number, KHR_mesh_quantization is required; meshopt: packed besides, "
      "EXT_meshopt_compression is required"},
     KIND_WORD,
     FIELD(compress)},
    {{"hidden", "omit|include", "parts that the skin hides at the start"}, KIND_WORD, FIELD(hidden)},
    {{"chromas", "files|variants",
      "a file for each chroma, or all in their parent's as KHR_materials_variants"},
     KIND_WORD,
     FIELD(chromas)},
    {{"snap", "bake|off", "joint snaps of the game's clips"}, KIND_WORD, FIELD(snap)},
    {{"shading", "unlit|pbr", "KHR_materials_unlit, or plain metallic-roughness"}, KIND_WORD, FIELD(shading)},
    {{"units", "metre|league", "metres (1 u = 1 cm), or the game's units"}, KIND_WORD, FIELD(units)},
    {{"mirror", "bake|off", "right-handed data, or the game's left-handed numbers"},
     KIND_WORD,
     FIELD(mirror)},
    {{"vertex_colors", "omit|custom", "the game's vertex colours, as _COLOR"},
     KIND_WORD,
     FIELD(vertex_colors)},
    {{"additive", "compose|raw", "clips that hold differences"}, KIND_WORD, FIELD(additive)},
    {{"keys", "adaptive|cubic|dense:<fps>", "keys of clips: few, the game's own splines, or a grid"},
     KIND_KEYS,
     FIELD(keys)},
    {{"timing", "native|game", "speed of clips: the file's, or that of playing in the game"},
     KIND_WORD,
     FIELD(timing)},
    {{"layers", "none|auto[:clips]|timeline",
      "one more animation, of clips in slots: auto of at most 8 (auto:Run,Attack1), a timeline in JSON; to "
      "riftbake also a file of it"},
     KIND_LAYERS,
     FIELD(layers)},
    {{"pose", "none|<clip>@<seconds>", "a static mesh in that pose, with the parts that the clip shows then"},
     KIND_POSE,
     FIELD(pose_clip)},
};

/* In the order of the words; the first is what everything is without one (decisions 5). */
typedef struct profile_item {
    const char *name, *value;
} profile_item;
static const profile_item profiles[][4] = {
    {{0}},
    {{"compress", "meshopt"}, {"texture", "webp"}, {"max_texture", "1024"}},
    {{"compress", "meshopt"}, {"texture", "webp"}, {"max_texture", "512"}, {"clips", "idle*,run*"}},
    {{"keys", "cubic"}, {"hidden", "include"}, {"units", "league"}},
};

static_assert(RIFT_COUNT(rows) == RIFT_OPTION_COUNT, "as many as the header says");

enum { MIN_TEXTURE = 64, MAX_TEXTURE = 4096, MAX_CLIPS_TEXT = 4096 };
enum { MAX_DENSE_FPS = 1000, MAX_POSE_TEXT = 256, MAX_POSE_SECONDS = 86400 };

rift_options rift_options_default(void)
{
    return (rift_options){.clips = RIFT_STR("*")};
}

const rift_option_info *rift_option_info_at(size_t index)
{
    return index < RIFT_COUNT(rows) ? &rows[index].info : NULL;
}

bool rift_option_can_have_default(size_t index)
{
    return rows[index].kind != KIND_POSE && rows[index].kind != KIND_LAYERS;
}

static unsigned char *word_field(rift_options *options, const option_row *row)
{
    return (unsigned char *)options + row->offset;
}

static bool same_name(const char *name, rift_str given)
{
    size_t i = 0;
    for (; i < given.size && name[i] != '\0'; i++) {
        const char c = (char)(given.data[i] == '-' ? '_' : given.data[i]);
        if (c != name[i])
            return false;
    }
    return i == given.size && name[i] == '\0';
}

/* Position of `value` among the words of "a|b|c", or -1. */
static int find_word(const char *values, rift_str value)
{
    rift_str rest = rift_str_c(values);
    rift_str word;
    for (int i = 0; rift_str_next(&rest, "|", &word); i++) {
        if (rift_str_eq(word, value))
            return i;
    }
    return -1;
}

static rift_str word_at(const char *values, unsigned index)
{
    rift_str rest = rift_str_c(values);
    rift_str word = {0};
    for (unsigned i = 0; i <= index && rift_str_next(&rest, "|", &word); i++)
        continue;
    return word;
}

static bool refuse(const option_row *row, rift_str value, rift_err *err)
{
    return rift_fail(err, RIFT_ERR_ARGUMENT, row->info.name, RIFT_NO_OFFSET,
                     "value \"%.*s\" is not one of %s", value.size > 60 ? 60 : (int)value.size,
                     value.data ? value.data : "", row->info.values);
}

static bool set_size(rift_options *options, const option_row *row, rift_str value, rift_err *err)
{
    uint64_t n = 0;
    if (find_word("unlimited", value) < 0 && (!rift_str_u64(value, MAX_TEXTURE, &n) || n < MIN_TEXTURE))
        return refuse(row, value, err);
    options->max_texture = (uint32_t)n;
    return true;
}

static bool
set_text(rift_options *options, const option_row *row, rift_str value, rift_arena *arena, rift_err *err)
{
    if (value.size == 0 || value.size > MAX_CLIPS_TEXT)
        return refuse(row, value, err);
    const rift_str copy = rift_arena_copy_str(arena, value);
    if (!rift_arena_ok(arena, row->info.name, err))
        return false;
    options->clips = copy;
    return true;
}

static bool set_keys(rift_options *options, const option_row *row, rift_str value, rift_err *err)
{
    const rift_str dense = RIFT_STR("dense:");
    uint64_t fps = 0;
    int index = find_word("adaptive|cubic", value);
    if (index < 0 && value.size > dense.size && rift_str_eq((rift_str){value.data, dense.size}, dense) &&
        rift_str_u64((rift_str){value.data + dense.size, value.size - dense.size}, MAX_DENSE_FPS, &fps) &&
        fps > 0)
        index = RIFT_KEYS_OPTION_DENSE;
    if (index < 0)
        return refuse(row, value, err);
    options->keys = (uint8_t)index;
    options->dense_fps = (uint32_t)fps;
    return true;
}

/* "12", "0.25": digits, at most six of them behind the point. */
static bool read_us(rift_str text, uint64_t *us)
{
    size_t point = 0;
    while (point < text.size && text.data[point] != '.')
        point++;
    uint64_t whole;
    uint64_t part = 0;
    if (!rift_str_u64((rift_str){text.data, point}, MAX_POSE_SECONDS, &whole))
        return false;
    if (point < text.size) {
        const rift_str digits = {text.data + point + 1, text.size - point - 1};
        if (digits.size > 6 || !rift_str_u64(digits, 999999, &part))
            return false;
        for (size_t i = digits.size; i < 6; i++)
            part *= 10;
    }
    *us = 1000000 * whole + part;
    return true;
}

/* The last '@' parts clip and time: names of clips may hold one. */
static bool
set_pose(rift_options *options, const option_row *row, rift_str value, rift_arena *arena, rift_err *err)
{
    if (find_word("none", value) == 0) {
        options->pose_clip = (rift_str){0};
        options->pose_us = 0;
        return true;
    }
    size_t at = value.size;
    while (at > 0 && value.data[at - 1] != '@')
        at--;
    uint64_t us;
    if (at < 2 || value.size > MAX_POSE_TEXT || !read_us((rift_str){value.data + at, value.size - at}, &us))
        return refuse(row, value, err);
    const rift_str clip = rift_arena_copy_str(arena, (rift_str){value.data, at - 1});
    if (!rift_arena_ok(arena, row->info.name, err))
        return false;
    options->pose_clip = clip;
    options->pose_us = us;
    return true;
}

/* Of those that can have another default. */
static void reset_row(rift_options *options, const option_row *row)
{
    const rift_options defaults = rift_options_default();
    if (row->kind == KIND_SIZE) {
        options->max_texture = defaults.max_texture;
    } else if (row->kind == KIND_TEXT) {
        options->clips = defaults.clips;
    } else if (row->kind == KIND_KEYS) {
        options->keys = defaults.keys;
        options->dense_fps = defaults.dense_fps;
    } else {
        RIFT_ASSERT(row->kind == KIND_WORD);
        *word_field(options, row) = 0;
    }
}

static bool set_no_layers(rift_options *options, const option_row *row, rift_str value, rift_err *err)
{
    if (!rift_str_eq(value, RIFT_STR("none")))
        return refuse(row, value, err);
    options->layers = (rift_str){0};
    options->timeline = NULL;
    return true;
}

static bool
set_row(rift_options *options, const option_row *row, rift_str value, rift_arena *arena, rift_err *err)
{
    int index;
    switch (row->kind) {
    case KIND_SIZE:
        return set_size(options, row, value, err);
    case KIND_TEXT:
        return set_text(options, row, value, arena, err);
    case KIND_KEYS:
        return set_keys(options, row, value, err);
    case KIND_LAYERS:
        return set_no_layers(options, row, value, err);
    case KIND_POSE:
        return set_pose(options, row, value, arena, err);
    case KIND_PROFILE:
        break; /* has no field */
    case KIND_WORD:
        index = find_word(row->info.values, value);
        if (index < 0)
            return refuse(row, value, err);
        *word_field(options, row) = (unsigned char)index;
        return true;
    }
    RIFT_ASSERT(false);
    return false;
}

static size_t find_row(rift_str name)
{
    size_t i = 0;
    while (i < RIFT_COUNT(rows) && !same_name(rows[i].info.name, name))
        i++;
    return i;
}

/* An option that is asked for is never a profile's, whichever comes first. */
static bool
set_profile(rift_options *options, const option_row *row, rift_str value, rift_arena *arena, rift_err *err)
{
    const int index = find_word(row->info.values, value);
    if (index < 0)
        return refuse(row, value, err);
    for (size_t at = 0; at < RIFT_COUNT(rows); at++) { /* another profile, or other defaults */
        if (&rows[at] != row && rift_option_can_have_default(at) && (options->given & 1U << at) == 0)
            reset_row(options, &rows[at]);
    }
    for (size_t i = 0; i < RIFT_COUNT(profiles[index]) && profiles[index][i].name != NULL; i++) {
        const size_t at = find_row(rift_str_c(profiles[index][i].name));
        if ((options->given & 1U << at) == 0 &&
            !set_row(options, &rows[at], rift_str_c(profiles[index][i].value), arena, err))
            return false;
    }
    return true;
}

bool rift_options_set(rift_options *options, rift_str name, rift_str value, rift_arena *arena, rift_err *err)
{
    const size_t at = find_row(name);
    if (at == RIFT_COUNT(rows)) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "options", RIFT_NO_OFFSET, "unknown option \"%.*s\"",
                         name.size > 60 ? 60 : (int)name.size, name.data ? name.data : "");
    }
    if (rows[at].kind == KIND_PROFILE ? !set_profile(options, &rows[at], value, arena, err)
                                      : !set_row(options, &rows[at], value, arena, err))
        return false;
    options->given |= 1U << at;
    return true;
}

rift_str rift_options_profile(rift_str text, rift_arena *arena)
{
    const char *words = rows[find_row(RIFT_STR("profile"))].info.values;
    for (unsigned i = 0; i < RIFT_COUNT(profiles); i++) {
        rift_options bundle = rift_options_default();
        rift_err err;
        rift_err_in(&err, (rift_str){0});
        if (rift_options_set(&bundle, RIFT_STR("profile"), word_at(words, i), arena, &err) &&
            rift_str_eq(rift_options_text(&bundle, arena), text))
            return word_at(words, i);
    }
    return RIFT_STR("custom");
}

static rift_str keys_text(const rift_options *options, rift_arena *arena)
{
    return options->keys == RIFT_KEYS_OPTION_DENSE ? rift_arena_printf(arena, "dense:%u", options->dense_fps)
                                                   : word_at("adaptive|cubic", options->keys);
}

/* One text for one pose: no zeros at the end of the fraction. */
static rift_str pose_text(const rift_options *options, rift_arena *arena)
{
    const unsigned whole = (unsigned)(options->pose_us / 1000000);
    unsigned part = (unsigned)(options->pose_us % 1000000);
    int digits = 6;
    for (; part > 0 && part % 10 == 0; part /= 10)
        digits--;
    const rift_str clip = options->pose_clip;
    return part > 0 ? rift_arena_printf(arena, "%.*s@%u.%0*u", RIFT_STR_ARG(clip), whole, digits, part)
                    : rift_arena_printf(arena, "%.*s@%u", RIFT_STR_ARG(clip), whole);
}

/* The value as text, or empty when it is the default. */
static rift_str value_text(const rift_options *options, const option_row *row, rift_arena *arena)
{
    if (row->kind == KIND_PROFILE)
        return (rift_str){0}; /* its options tell */
    if (row->kind == KIND_SIZE) {
        return options->max_texture > 0 ? rift_arena_printf(arena, "%u", options->max_texture)
                                        : (rift_str){0};
    }
    if (row->kind == KIND_TEXT)
        return rift_str_eq(options->clips, RIFT_STR("*")) ? (rift_str){0} : options->clips;
    if (row->kind == KIND_POSE)
        return options->pose_clip.size > 0 ? pose_text(options, arena) : (rift_str){0};
    if (row->kind == KIND_LAYERS)
        return options->layers;
    if (row->kind == KIND_KEYS)
        return options->keys != RIFT_KEYS_OPTION_ADAPTIVE ? keys_text(options, arena) : (rift_str){0};
    const unsigned char index = *((const unsigned char *)options + row->offset);
    return index > 0 ? word_at(row->info.values, index) : (rift_str){0};
}

/* `named`: bits of rows whose value is told even where it is the default. */
static rift_str options_text(const rift_options *options, uint32_t named, rift_arena *arena)
{
    rift_str text = {0};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_str value = value_text(options, &rows[i], arena);
        if (value.size == 0 && (named & 1U << i) != 0)
            value = word_at(rows[i].info.values, 0);
        if (value.size > 0) {
            text = rift_arena_printf(arena, "%.*s%s%s=%.*s", RIFT_STR_ARG(text), text.size > 0 ? "&" : "",
                                     rows[i].info.name, RIFT_STR_ARG(value));
        }
    }
    return text;
}

rift_str rift_options_text(const rift_options *options, rift_arena *arena)
{
    return options_text(options, 0, arena);
}

rift_str rift_options_asked(const rift_options *options, rift_arena *arena)
{
    return options_text(options, options->given, arena);
}

/* Nothing without layers; else the timeline as the JSON that it is. */
static void put_layers(rift_json *j, const rift_options *options)
{
    if (options->layers.size == 0)
        return;
    rift_json_key(j, "layers");
    rift_json_raw(j, options->layers);
}

void rift_options_json(rift_json *j, const rift_options *options, rift_arena *scratch)
{
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        const option_row *row = &rows[i];
        const unsigned char index = *((const unsigned char *)options + row->offset);
        if (row->kind == KIND_PROFILE)
            continue;
        if (row->kind == KIND_TEXT) {
            rift_json_put_str(j, row->info.name, options->clips);
        } else if (row->kind == KIND_WORD) {
            rift_json_put_str(j, row->info.name, word_at(row->info.values, index));
        } else if (row->kind == KIND_KEYS) {
            rift_json_put_str(j, row->info.name, keys_text(options, scratch));
        } else if (row->kind == KIND_LAYERS) {
            put_layers(j, options);
        } else if (row->kind == KIND_POSE) {
            if (options->pose_clip.size > 0)
                rift_json_put_str(j, row->info.name, pose_text(options, scratch));
        } else if (options->max_texture > 0) {
            rift_json_put_uint(j, row->info.name, options->max_texture);
        }
    }
}
