/* Materials are lists of named slots, parameters and switches that some shader reads; which of them is the
 * base colour is a convention. The lists below are the known conventions: a name that is not in them is
 * reported where it may matter, never guessed. Names compare without case. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "game/field_names.h"
#include "game/game_internal.h"
#include "hash/hash.h"

/* formats/skin.md, "Choosing the base colour sampler", step 1: best first. */
static const char *const base_slots[] = {
    "Diffuse_Texture",
    "DiffuseTexture",
    "Main_Texture",
    "Diffuse_Color",
    "Diffuse",
    "Base_Texture",
    "Diff_Tex",
    "_MainTex",
    "Diffuse_Texture_Primary",
    "MainItemTexture",
    "TierBaseTexture",
    "Glass_Diffuse_Texture",
    "TextureMain",
    "VoidAlbedo2",
    "BAKED_DIFFUSE_TEXTURE",
    "Diffuse_Sword_Texture",
    "Diffuse_Texture_2",
    "WP_Base_Texture",
    "Color_Texture",
};

/* Step 2: parts of other slots' names that speak for a base colour, and parts that speak against it. */
static const char *const base_parts[] = {"diffuse", "albedo", "main", "base", "color", "diff"};
static const char *const other_parts[] = {
    "mask",   "noise",   "gradient", "normal", "emissive", "gloss",
    "matcap", "reflect", "ramp",     "flow",   "distort",  "fresnel",
};

/* Step 3: parts of a file's name. "_cm" covers "tx_cm" behind a prefix. */
static const char *const base_files[] = {"tx_cm", "_cm", "diffuse", "albedo", "basecolor"};

/* Parts of the names of slots that hold what a part emits, and those that make such a slot something else: a mask says where
 * another texture or colour glows ("EmissionMaskTex" beside a scrolled "EmissionTex", public dump of a monster's bin). */
static const char *const glow_parts[] = {"emissive", "emission", "glow"};
static const char *const glow_others[] = {"mask", "noise",   "gradient", "normal", "ramp",
                                          "flow", "distort", "fresnel",  "scroll", "matcap"};

/* Strength of a glow that the shader makes up: Mask_Texture_red times Bloom_Color (the eyes of Yasuo 17), or of all. */
static const char *const bloom_names[] = {"Bloom_Intensity", "BloomIntensity"};

/* Stand-ins of assets/shared/materials: the file's name begins so. Patches add suffixes
 * ("black.SKINS_Ivern_Skin30.dds") and relatives ("default_gradient"). */
static const char *const placeholder_words[] = {
    "black", "white", "grey", "gray", "flat_normal", "default", "transparent", "blank", "alpha-mask",
};

static const char *const tint_names[] = {
    "TintColor",     "MainTex_TintColor", "Diffuse_Tint",       "BaseMat_Tint",
    "TintColorBase", "Main_Color",        "Diffuse_Color_Tint",
};
static const char *const opacity_names[] = {"Alpha", "Opacity", "Diffuse_AlphaIntensity", "Master_Alpha"};
static const char *const cutoff_names[] = {
    "AlphaTestValue", "AlphaClipValue", "Alpha_Test", "AlphaTest", "Cutoff",
};

/* Switches that let the base colour's alpha blend. Not USE_ALPHA: it is on for whole bodies whose texture has
 * no alpha at all (Yasuo 17: BC1 without transparent texels). */
static const char *const alpha_switches[] = {"USE_DIFFUSE_ALPHA", "USE_MAINTEXALPHA", "ALPHABLEND_MAIN"};

/* Which slots a tile parameter belongs to; met in real bins: Yasuo 56 (Main_Texture and Diffuse_Texture side
 * by side, each with its own), Yasuo 78 (MainTexUV_Tile, Diffuse_Texture the only colour). */
typedef struct tile_name {
    const char *name;
    const char *slots[3]; /* none: whatever slot was chosen */
} tile_name;

static const tile_name tile_names[] = {
    {"MainTex_Tile", {"Main_Texture", "_MainTex", "TextureMain"}},
    {"Base_Tile", {"Diffuse_Texture", "DiffuseTexture", "Base_Texture"}},
    {"MainTexUV_Tile", {NULL, NULL, NULL}},
};

/* Met in real bins beside a second, scrolled or masking texture that they belong to (Yasuo 17, 35, 56; Aatrox
 * 0). */
static const char *const foreign_tiles[] = {
    "UV_Scale",           "UV_Scale_BLUE",   "Texture_UV_Scale01", "Texture_UV_Scale02",
    "Texture_UV_Scale03", "Scrolling_Scale", "Blend_Tile",         "NoiseUV",
    "Decal_UV_Tile",
};

/* Motion of texture coordinates, met in the same bins: any value but 0 moves something. */
static const char *const scroll_names[] = {
    "ScrollSpeedBase",
    "ScrollSpeedBlend",
    "ScrollSpeedMainTex",
    "UV_ScrollSpeed",
    "Scroll_Speed",
    "Scroll_Speed_BLUE",
    "Scrolling_Rate",
    "ScrollTexture_Control01",
    "ScrollTexture_Control02",
    "ScrollTexture_Control03",
    "Flipbook_NumberSpeed",
};

/* Parts of parameter names that have to do with texture coordinates: what is not in a list above is reported.
 * */
static const char *const uv_parts[] = {"tile",     "tiling",      "uv_scale",     "uv_offset", "uvscale",
                                       "uvoffset", "uv_rotation", "uv_translate", "scroll",    "flipbook"};

static bool is_in(rift_str name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] != NULL && rift_str_eq_nocase(name, rift_str_c(list[i])))
            return true;
    }
    return false;
}

static bool contains_any(rift_str text, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rift_str_contains_nocase(text, rift_str_c(parts[i])))
            return true;
    }
    return false;
}

#define IS_IN(name, list) is_in((name), (list), RIFT_COUNT(list))
#define CONTAINS_ANY(text, parts) contains_any((text), (parts), RIFT_COUNT(parts))

/* ---- Samplers ---- */

typedef struct sampler {
    rift_str slot;
    uint32_t slot_hash;
    rift_asset_path path;
    rift_address_mode address_u, address_v;
} sampler;

static rift_address_mode address_mode(const rift_bin_object *object, uint32_t field)
{
    switch (rift_bin_integer(object, field, 0)) {
    case 1:
    case 3: /* border */
        return RIFT_ADDRESS_CLAMP;
    case 2:
        return RIFT_ADDRESS_MIRROR;
    default:
        return RIFT_ADDRESS_REPEAT;
    }
}

/* Three generations of one record: TextureName was the path beside samplerName, and became the slot beside
 * texturePath, whose type then changed from string to file. */
static sampler read_sampler(const rift_bin_object *object, const rift_names *names, rift_arena *arena)
{
    sampler s = {0};
    const bool modern = rift_bin_field_of(object, RIFT_F_TEXTURE_PATH) != NULL;
    const uint32_t slot_field = modern ? RIFT_F_TEXTURE_NAME : RIFT_F_SAMPLER_NAME;
    s.slot = rift_bin_string(object, slot_field);
    s.slot_hash = rift_bin_hash(object, slot_field);
    if (s.slot.size == 0 && s.slot_hash != 0 &&
        !rift_names_lookup(names, RIFT_NAMES_BINHASHES, s.slot_hash, arena, &s.slot))
        s.slot = rift_arena_printf(arena, "0x%08" PRIx32, s.slot_hash);
    s.path = rift_asset_path_field(object, modern ? RIFT_F_TEXTURE_PATH : RIFT_F_TEXTURE_NAME);
    rift_asset_path_resolve(&s.path, names, arena);
    s.address_u = address_mode(object, RIFT_F_ADDRESS_U);
    s.address_v = address_mode(object, RIFT_F_ADDRESS_V);
    return s;
}

static bool is_placeholder_name(rift_str path)
{
    const rift_str base = rift_str_base(path);
    if (rift_str_starts_nocase(base, RIFT_STR("blank.")) ||
        rift_str_contains_nocase(base, RIFT_STR("alpha-mask.")))
        return true;
    if (!rift_str_contains_nocase(path, RIFT_STR("shared/materials/")) &&
        !rift_str_contains_nocase(path, RIFT_STR("shared\\materials\\")))
        return false;
    for (size_t i = 0; i < RIFT_COUNT(placeholder_words); i++) {
        if (rift_str_starts_nocase(base, rift_str_c(placeholder_words[i])))
            return true;
    }
    return false;
}

/* Since 16.17 paths are hashes: those of the plain placeholders are recognised. */
static bool is_placeholder_hash(uint64_t hash, rift_arena *arena)
{
    static const char *const endings[] = {".tex", ".dds"};
    for (size_t i = 0; i < RIFT_COUNT(placeholder_words); i++) {
        for (size_t k = 0; k < RIFT_COUNT(endings); k++) {
            const rift_arena_mark mark = rift_arena_get_mark(arena);
            const rift_str path =
                rift_arena_printf(arena, "assets/shared/materials/%s%s", placeholder_words[i], endings[k]);
            const bool same = path.size > 0 && rift_path_hash(path) == hash;
            rift_arena_rewind(arena, mark);
            if (same)
                return true;
        }
    }
    return false;
}

/* A path that is a word ("Emissive_Name") asks for a texture of the skin's own, which the shader puts there (B081). */
static bool is_usable(const sampler *s, rift_arena *arena)
{
    if (s->path.hash == 0 ||
        (s->path.name.size > 0 && !rift_str_contains_nocase(s->path.name, RIFT_STR("."))))
        return false;
    return s->path.name.size > 0 ? !is_placeholder_name(s->path.name)
                                 : !is_placeholder_hash(s->path.hash, arena);
}

static const sampler *choose_base(const sampler *samplers, const bool *usable, size_t count)
{
    for (size_t r = 0; r < RIFT_COUNT(base_slots); r++) {
        const uint32_t hash = rift_fnv1a(rift_str_c(base_slots[r]));
        for (size_t i = 0; i < count; i++) {
            if (usable[i] && samplers[i].slot_hash == hash)
                return &samplers[i];
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (usable[i] && CONTAINS_ANY(samplers[i].slot, base_parts) &&
            !CONTAINS_ANY(samplers[i].slot, other_parts))
            return &samplers[i];
    }
    for (size_t i = 0; i < count; i++) {
        if (usable[i] && CONTAINS_ANY(rift_str_base(samplers[i].path.name), base_files))
            return &samplers[i];
    }
    return NULL;
}

/* The only sampler that neither its slot nor its file speaks against; NULL when there are none or several. */
static const sampler *choose_only(const sampler *samplers, const bool *usable, size_t count)
{
    const sampler *only = NULL;
    for (size_t i = 0; i < count; i++) {
        if (!usable[i] || CONTAINS_ANY(samplers[i].slot, other_parts) ||
            CONTAINS_ANY(rift_str_base(samplers[i].path.name), other_parts))
            continue;
        if (only != NULL)
            return NULL;
        only = &samplers[i];
    }
    return only;
}

static bool is_glow(rift_str slot)
{
    return CONTAINS_ANY(slot, glow_parts) && !CONTAINS_ANY(slot, glow_others);
}

/* A word in place of a path; since 16.17 its hash. */
static bool asks_own_emissive(const sampler *s)
{
    return s->path.hash == rift_path_hash(RIFT_STR("Emissive_Name"));
}

/* The first slot that glows. */
static const sampler *
choose_emissive(rift_material_def *def, const sampler *samplers, const bool *usable, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_glow(samplers[i].slot))
            continue;
        def->own_emissive = asks_own_emissive(&samplers[i]);
        if (usable[i] && !def->own_emissive)
            def->emissive = samplers[i].path;
        if (usable[i] || def->own_emissive)
            return &samplers[i];
    }
    return NULL;
}

static rift_str names_of_others(
    const sampler *samplers, size_t count, const sampler *base, const sampler *emissive, rift_arena *arena)
{
    rift_buf b;
    rift_buf_init(&b, arena, UINT16_MAX);
    for (size_t i = 0; i < count; i++) {
        if (&samplers[i] == base || &samplers[i] == emissive || samplers[i].slot.size == 0)
            continue;
        if (b.size > 0)
            rift_buf_str(&b, RIFT_STR(", "));
        rift_buf_str(&b, samplers[i].slot);
    }
    return (rift_str){(const char *)b.data, b.size};
}

static void read_samplers(rift_material_def *def,
                          const rift_bin_object *object,
                          const rift_names *names,
                          rift_arena *arena)
{
    size_t count;
    const rift_bin_value *items = rift_bin_items(object, RIFT_F_SAMPLER_VALUES, &count);
    sampler *samplers = RIFT_NEW(arena, sampler, count);
    bool *usable = RIFT_NEW(arena, bool, count);
    if (samplers == NULL || usable == NULL)
        return;
    for (size_t i = 0; i < count; i++) {
        samplers[i] = read_sampler(rift_bin_value_object(&items[i]), names, arena);
        usable[i] = is_usable(&samplers[i], arena);
    }
    const sampler *base = choose_base(samplers, usable, count);
    if (base != NULL) {
        def->texture = base->path;
        def->slot = base->slot;
        def->address_u = base->address_u;
        def->address_v = base->address_v;
    } else {
        const sampler *only = choose_only(samplers, usable, count);
        if (only != NULL)
            def->only = only->path;
    }
    const sampler *emissive = choose_emissive(def, samplers, usable, count);
    def->other_textures = names_of_others(samplers, count, base, emissive, arena);
}

/* ---- Parameters and switches ---- */

typedef struct settings {
    const rift_bin_value *params;
    size_t param_count;
    const rift_bin_value *switches;
    size_t switch_count;
} settings;

static rift_str param_name(const settings *s, size_t i)
{
    return rift_bin_string(rift_bin_value_object(&s->params[i]), RIFT_F_NAME);
}

/* A parameter without a value is four zeros. */
static void param_value(const settings *s, size_t i, float out[4])
{
    memset(out, 0, 4 * sizeof *out);
    (void)rift_bin_vector(rift_bin_value_object(&s->params[i]), RIFT_F_VALUE, out);
}

static bool find_param(const settings *s, const char *name, float out[4])
{
    for (size_t i = 0; i < s->param_count; i++) {
        if (!rift_str_eq_nocase(param_name(s, i), rift_str_c(name)))
            continue;
        param_value(s, i, out);
        return true;
    }
    return false;
}

static rift_str switch_name(const settings *s, size_t i)
{
    return rift_bin_string(rift_bin_value_object(&s->switches[i]), RIFT_F_NAME);
}

static bool switch_on(const settings *s, size_t i)
{
    return rift_bin_bool(rift_bin_value_object(&s->switches[i]), RIFT_F_ON, true);
}

/* True when the name, reduced to letters, contains the word: "ALPHA_TEST_ON" has "alphatest". */
static bool letters_contain(rift_str name, const char *word)
{
    const size_t size = strlen(word);
    for (size_t start = 0; start < name.size; start++) {
        size_t matched = 0;
        for (size_t i = start; i < name.size && matched < size; i++) {
            const char c = rift_lower(name.data[i]);
            if (c < 'a' || c > 'z')
                continue;
            if (c != word[matched])
                break;
            matched++;
        }
        if (matched == size)
            return true;
    }
    return false;
}

/* decisions 34; "alphaclip" is the switch that goes with AlphaClipValue (Yasuo 56). */
static void read_alpha_test(rift_material_def *def, const settings *s)
{
    for (size_t i = 0; i < s->switch_count; i++) {
        const rift_str name = switch_name(s, i);
        if (!switch_on(s, i) && (letters_contain(name, "alphatest") || letters_contain(name, "alphaclip")))
            return;
    }
    for (size_t i = 0; i < RIFT_COUNT(cutoff_names) && !def->alpha_test; i++) {
        float value[4];
        if (!find_param(s, cutoff_names[i], value) || !(value[0] > 0.0F))
            continue;
        def->alpha_test = true;
        def->alpha_cutoff = value[0];
    }
}

static void read_opacity(rift_material_def *def, const settings *s)
{
    def->opacity = 1.0F;
    for (size_t i = 0; i < RIFT_COUNT(opacity_names); i++) {
        float value[4];
        if (!find_param(s, opacity_names[i], value))
            continue;
        def->opacity = fminf(fmaxf(value[0], 0.0F), 1.0F);
        return;
    }
}

static void read_bloom(rift_material_def *def, const settings *s)
{
    for (size_t i = 0; i < RIFT_COUNT(bloom_names); i++) {
        float value[4];
        if (find_param(s, bloom_names[i], value) && value[0] > 0.0F)
            def->bloom = value[0];
    }
}

/* Out of range or all but invisible tints are left alone (B087). */
static void read_tint(rift_material_def *def, const settings *s)
{
    static const float least_alpha = 0.01F;
    static const float most = 4.0F;
    for (size_t i = 0; i < RIFT_COUNT(tint_names); i++) {
        float v[4];
        if (!find_param(s, tint_names[i], v))
            continue;
        const bool sound = v[0] >= 0.0F && v[1] >= 0.0F && v[2] >= 0.0F && v[0] <= most && v[1] <= most &&
                           v[2] <= most && v[3] >= least_alpha;
        const bool white = v[0] == 1.0F && v[1] == 1.0F && v[2] == 1.0F && v[3] == 1.0F;
        if (!sound || white)
            return;
        def->has_tint = true;
        memcpy(def->tint, v, sizeof def->tint);
        return;
    }
}

static bool belongs_to(const tile_name *tile, rift_str slot)
{
    bool any = true;
    for (size_t i = 0; i < RIFT_COUNT(tile->slots); i++)
        any = any && tile->slots[i] == NULL;
    return any || is_in(slot, tile->slots, RIFT_COUNT(tile->slots));
}

static bool is_listed_tile(rift_str name)
{
    for (size_t i = 0; i < RIFT_COUNT(tile_names); i++) {
        if (rift_str_eq_nocase(name, rift_str_c(tile_names[i].name)))
            return true;
    }
    return false;
}

static void read_tiles(rift_material_def *def, const settings *s)
{
    for (size_t i = 0; i < RIFT_COUNT(tile_names) && !def->has_uv_transform; i++) {
        float v[4];
        if (def->texture.hash == 0 || !belongs_to(&tile_names[i], def->slot) ||
            !find_param(s, tile_names[i].name, v) || v[0] == 0.0F || v[1] == 0.0F ||
            (v[0] == 1.0F && v[1] == 1.0F))
            continue;
        def->has_uv_transform = true;
        def->uv_scale[0] = v[0];
        def->uv_scale[1] = v[1];
    }
}

/* Pages of a flip-book lie in rows from the upper left, so the first begins where the texture does; a tile within a page
 * could not be kept. Met with MainTexUV_Tile, at 1 x 1, in a public dump. */
static void read_flip_book(rift_material_def *def, const settings *s)
{
    float v[4];
    if (def->texture.hash == 0 || !find_param(s, "FlipbookSize", v) || !(v[0] >= 1.0F) || !(v[1] >= 1.0F) ||
        v[0] * v[1] <= 1.0F)
        return;
    def->has_uv_transform = true;
    def->uv_scale[0] = 1.0F / v[0];
    def->uv_scale[1] = 1.0F / v[1];
}

static void read_motion(rift_material_def *def, const settings *s, rift_report *report)
{
    for (size_t i = 0; i < s->param_count; i++) {
        float v[4];
        const rift_str name = param_name(s, i);
        param_value(s, i, v);
        const bool flipbook = rift_str_eq_nocase(name, RIFT_STR("FlipbookSize"));
        if (IS_IN(name, scroll_names) ? v[0] != 0.0F || v[1] != 0.0F : flipbook && v[0] * v[1] > 1.0F)
            def->uv_animated = true;
        if (!flipbook && !IS_IN(name, scroll_names) && !IS_IN(name, foreign_tiles) && !is_listed_tile(name) &&
            CONTAINS_ANY(name, uv_parts) && !rift_str_contains_nocase(name, RIFT_STR("color"))) {
            rift_report_add(report, "uv_parameter_unknown", "%.*s: %.*s", RIFT_STR_ARG(def->name),
                            RIFT_STR_ARG(name));
        }
    }
}

/* ---- Render state ---- */

/* The first pass of the technique "normal", else of the first one. NULL without any. */
static const rift_bin_object *first_pass(const rift_bin_object *object)
{
    size_t count;
    const rift_bin_value *techniques = rift_bin_items(object, RIFT_F_TECHNIQUES, &count);
    const rift_bin_object *chosen = count > 0 ? rift_bin_value_object(&techniques[0]) : NULL;
    for (size_t i = 0; i < count; i++) {
        const rift_bin_object *technique = rift_bin_value_object(&techniques[i]);
        if (!rift_str_eq_nocase(rift_bin_string(technique, RIFT_F_NAME), RIFT_STR("normal")))
            continue;
        chosen = technique;
        break;
    }
    const rift_bin_value *passes = rift_bin_items(chosen, RIFT_F_PASSES, &count);
    return count > 0 ? rift_bin_value_object(&passes[0]) : NULL;
}

static void read_state(rift_material_def *def, const rift_bin_object *object, const settings *s)
{
    enum { FACTOR_ONE = 1 };
    const rift_bin_object *pass = first_pass(object);
    def->blend = rift_bin_bool(pass, RIFT_F_BLEND_ENABLE, false);
    def->cull = rift_bin_bool(pass, RIFT_F_CULL_ENABLE, true);
    def->additive = def->blend && rift_bin_integer(pass, RIFT_F_DST_COLOR_BLEND_FACTOR, 0) == FACTOR_ONE;
    def->blend_signal = def->additive || def->opacity < 1.0F;
    for (size_t i = 0; i < s->switch_count; i++) {
        if (switch_on(s, i) && IS_IN(switch_name(s, i), alpha_switches))
            def->blend_signal = true;
    }
}

void game_read_material(rift_material_def *out,
                        const rift_bin_object *object,
                        const rift_names *names,
                        rift_arena *arena,
                        rift_report *report)
{
    rift_material_def def = {.name = rift_bin_string(object, RIFT_F_NAME), .uv_scale = {1.0F, 1.0F}};
    settings s;
    s.params = rift_bin_items(object, RIFT_F_PARAM_VALUES, &s.param_count);
    s.switches = rift_bin_items(object, RIFT_F_SWITCHES, &s.switch_count);
    read_samplers(&def, object, names, arena);
    read_alpha_test(&def, &s);
    read_opacity(&def, &s);
    read_tint(&def, &s);
    read_bloom(&def, &s);
    read_tiles(&def, &s);
    read_flip_book(&def, &s);
    read_motion(&def, &s, report);
    read_state(&def, object, &s);
    *out = def;
}
