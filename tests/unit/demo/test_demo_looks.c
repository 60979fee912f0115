/* Looks of the synthetic game: the rows of the bug log's themes E (textures and materials), F (hidden parts and forms), G
 * (orientation and scale) and I (names), each with the exhibit that shows it. Values are read off
 * tests/fixtures/demo_*.c by hand. */
#include "bake/bake.h"

#include <inttypes.h>

#include "../gltf/glb_read.h"
#include "base/str.h"
#include "demo_open.h"
#include "hash/hash.h"
#include "reform.h"
#include "support/check.h"

enum { LIMIT = 256 * 1024 * 1024 };

/* One skin baked, and its file opened. */
typedef struct baked {
    rift_arena out, tmp;
    rift_bake_result result;
    glb file;
    bool open;
} baked;

static void
bake(baked *b, const rift_assets *assets, const rift_skin_ref *ref, const rift_names *names, bool hidden)
{
    rift_err err = check_err();
    rift_bake_request request = {
        .skin = ref, .assets = assets, .names = names, .options = rift_options_default()};
    request.options.hidden = hidden ? RIFT_HIDDEN_INCLUDE : RIFT_HIDDEN_OMIT;
    rift_arena_init(&b->out, LIMIT);
    rift_arena_init(&b->tmp, LIMIT);
    b->open = CHECK_OK(rift_bake(&b->result, &request, &b->out, &b->tmp, &err), &err) &&
              glb_open(&b->file, b->result.glb);
}

static void discard(baked *b)
{
    if (b->open)
        glb_close(&b->file);
    rift_arena_release(&b->tmp);
    rift_arena_release(&b->out);
}

/* Opens the game and bakes one skin of it. */
static bool open_and_bake(demo_open *demo, baked *b, const char *skin, bool hidden)
{
    rift_skin_ref ref;
    *b = (baked){0};
    if (!demo_open_game(demo, 1) || !demo_find(demo, skin, &demo->arena, &ref))
        return false;
    const rift_assets assets = rift_game_assets(&demo->game);
    bake(b, &assets, &ref, NULL, hidden);
    return b->open;
}

/* ---- F: hidden parts and forms ---- */

/* Names of an array as "a b c". */
static rift_str words(const cJSON *array, rift_arena *arena)
{
    rift_str text = {0};
    const cJSON *item = NULL;
    cJSON_ArrayForEach(item, array)
    {
        text = rift_arena_printf(arena, "%.*s%s%s", RIFT_STR_ARG(text), text.size > 0 ? " " : "",
                                 cJSON_GetStringValue(item));
    }
    return text;
}

static const char forms_path[] = "asset/extras/riftbake/forms";

/* B109: from the hidden list Recall_Robe, Weapon_Trail, Tentacles; see demo_forms.c. */
static void forms_are_named_states(void)
{
    static const struct {
        const char *name, *kind, *show, *hide, *when, *animation;
    } rows[] = {
        {"start", NULL, "Twin__28 Twin__29 Prop", "Recall_Robe Weapon_Trail Tentacles", NULL, NULL},
        {"gear_0", "gear", "Twin__28 Twin__29 Recall_Robe", "Weapon_Trail Tentacles Prop", NULL, NULL},
        {"gear_2", "gear", "Recall_Robe Tentacles Prop", "Twin__28 Twin__29 Weapon_Trail", NULL, "Dance"},
        {"condition_1", "condition", "Twin__28 Twin__29 Weapon_Trail", "Recall_Robe Tentacles Prop",
         "not (any (gear 2, clip Idle1))", NULL},
    };
    demo_open demo = {0};
    baked b;
    if (open_and_bake(&demo, &b, "9001000", true)) {
        CHECK_U64(glb_count(&b.file, forms_path), RIFT_COUNT(rows));
        for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
            check_row("%s", rows[i].name);
            const cJSON *form = glb_at(&b.file, "%s/%zu", forms_path, i);
            CHECK_STR(glb_string(&b.file, "%s/%zu/name", forms_path, i), rift_str_c(rows[i].name));
            CHECK_STR(words(cJSON_GetObjectItem(form, "show"), &demo.arena), rift_str_c(rows[i].show));
            CHECK_STR(words(cJSON_GetObjectItem(form, "hide"), &demo.arena), rift_str_c(rows[i].hide));
            const rift_str none = RIFT_STR("(none)");
            CHECK_STR(glb_string(&b.file, "%s/%zu/kind", forms_path, i),
                      rows[i].kind != NULL ? rift_str_c(rows[i].kind) : none);
            CHECK_STR(glb_string(&b.file, "%s/%zu/when", forms_path, i),
                      rows[i].when != NULL ? rift_str_c(rows[i].when) : none);
            CHECK_STR(glb_string(&b.file, "%s/%zu/animation", forms_path, i),
                      rows[i].animation != NULL ? rift_str_c(rows[i].animation) : none);
        }
        CHECK_STR(rift_str_base(glb_string(&b.file, "%s/2/texture", forms_path)),
                  RIFT_STR("Bramble_Plank_TX_CM.tex"));
        CHECK_STR(glb_string(&b.file, "%s/2/overrides/0/part", forms_path), RIFT_STR("Body"));
    }
    discard(&b);
    demo_close(&demo);
}

/* A clip's states start from the skin's: Joke, at 31 frames a second, shows the robe in place of the twins from frame 3 to
 * 20; its other event is for avatar meshes alone and concerns nobody here. */
static void clips_start_from_the_skins_state(void)
{
    static const struct {
        double t;
        const char *show, *hide;
    } rows[] = {
        {0, "Twin__28 Twin__29", "Recall_Robe"},
        {3.0 / 31, "Recall_Robe", "Twin__28 Twin__29"},
        {20.0 / 31, "Twin__28 Twin__29", "Recall_Robe"},
    };
    demo_open demo = {0};
    baked b;
    if (open_and_bake(&demo, &b, "9001000", true)) {
        size_t clip = 0;
        while (clip < glb_count(&b.file, "animations") &&
               !rift_str_eq(glb_string(&b.file, "animations/%zu/name", clip), RIFT_STR("Joke")))
            clip++;
        CHECK_U64(glb_count(&b.file, "animations/%zu/extras/riftbake/visibility", clip), RIFT_COUNT(rows));
        for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
            const cJSON *entry = glb_at(&b.file, "animations/%zu/extras/riftbake/visibility/%zu", clip, i);
            CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetObjectItem(entry, "t")), rows[i].t, 1e-6);
            CHECK_STR(words(cJSON_GetObjectItem(entry, "show"), &demo.arena), rift_str_c(rows[i].show));
            CHECK_STR(words(cJSON_GetObjectItem(entry, "hide"), &demo.arena), rift_str_c(rows[i].hide));
        }
    }
    discard(&b);
    demo_close(&demo);
}

/* Hidden parts are no part of a file that leaves them out, nor of its states. */
static void forms_name_only_written_parts(void)
{
    demo_open demo = {0};
    baked b;
    if (open_and_bake(&demo, &b, "9001000", false)) {
        CHECK_STR(words(glb_at(&b.file, "%s/0/show", forms_path), &demo.arena),
                  RIFT_STR("Twin__28 Twin__29 Prop"));
        CHECK_U64(glb_count(&b.file, "%s/0/hide", forms_path), 0);
        CHECK_STR(words(glb_at(&b.file, "%s/1/hide", forms_path), &demo.arena), RIFT_STR("Prop"));
    }
    discard(&b);
    demo_close(&demo);
    if (open_and_bake(&demo, &b, "9001001", false))
        CHECK(glb_at(&b.file, "%s", forms_path) == NULL); /* a skin without forms */
    discard(&b);
    demo_close(&demo);
}

/* B109: levels with a mesh of their own (demo_forms.c): parts behind those of the skin, hidden at the start; the state of such
 * a level shows its parts in place of the skin's. One on another rig and one whose mesh is nowhere are left out. */
static void levels_with_meshes_of_their_own(void)
{
    static const struct {
        const char *name, *show, *hide;
        bool left_out;
    } rows[] = {
        {"start", "Seed Sprout__1", "Seed__0 Sprout__1__1", false},
        {"gear_0", "Sprout__1__1", "Seed Sprout__1 Seed__0", false},
        {"gear_1", "Seed Sprout__1", "Seed__0 Sprout__1__1", false},
        {"gear_2", "Seed Sprout__1", "Seed__0 Sprout__1__1", true},
        {"gear_3", "Seed Sprout__1", "Seed__0 Sprout__1__1", true},
    };
    demo_open demo = {0};
    baked b;
    for (int include = 0; include < 2; include++) {
        check_row("include %d", include);
        if (open_and_bake(&demo, &b, "brambleseed/9", include)) {
            CHECK_U64(glb_count(&b.file, "meshes"), include ? 4 : 2);
            CHECK_U64(rift_report_count(&b.result.report, "form_mesh_left_out"), include ? 0 : 2);
            CHECK_U64(rift_report_count(&b.result.report, "form_mesh_unreadable"), include);
            CHECK_U64(rift_report_count(&b.result.report, "form_skeleton_differs"), 1);
            CHECK_U64(rift_report_count(&b.result.report, "form_look_left_out"), 1);
            for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
                const cJSON *form = glb_at(&b.file, "%s/%zu", forms_path, i);
                check_row("%s, include %d", rows[i].name, include);
                CHECK_STR(words(cJSON_GetObjectItem(form, "show"), &demo.arena),
                          include ? rift_str_c(rows[i].show) : (rift_str){0});
                CHECK_STR(words(cJSON_GetObjectItem(form, "hide"), &demo.arena),
                          include ? rift_str_c(rows[i].hide) : (rift_str){0});
                CHECK((cJSON_GetObjectItem(form, "left_out") != NULL) ==
                      (rows[i].left_out || (i == 1 && !include)));
            }
            glb_audit(&b.file, false);
        }
        discard(&b);
        demo_close(&demo);
    }
}

static size_t mesh_of(const glb *g, rift_str name)
{
    size_t at = 0;
    while (at < glb_count(g, "meshes") && !rift_str_eq(glb_string(g, "meshes/%zu/name", at), name))
        at++;
    return at;
}

/* Node of a mesh, or SIZE_MAX. */
static size_t node_of(const glb *g, size_t mesh)
{
    for (size_t i = 0; i < g->node_count; i++) {
        if (glb_number(g, "nodes/%zu/mesh", i) == (double)mesh)
            return i;
    }
    return SIZE_MAX;
}

/* B104, B105, B106, B107, B111: "recall_robe, WEAPON_TRAIL Tentacles;,Not_There" hides three parts, the lists beside it
 * none; with hidden=include they are there and marked, and the others are what they were. */
static void hidden_parts_in_both_modes(void)
{
    static const char *const hidden[] = {"Recall_Robe", "Weapon_Trail", "Tentacles"};
    static const char *const shown[] = {"Both", "Cutout", "Glass", "Glow", "Moss", "Tiled"};
    demo_open demos[2] = {0};
    baked b[2];
    const bool ok = open_and_bake(&demos[0], &b[0], "9001000", false);
    if (open_and_bake(&demos[1], &b[1], "9001000", true) && ok) {
        const glb *omitted = &b[0].file;
        const glb *included = &b[1].file;
        CHECK_U64(glb_count(omitted, "meshes"), 34);
        CHECK_U64(glb_count(included, "meshes"), 37);
        CHECK(rift_report_count(&b[0].result.report, "hidden_part") == 3 &&
              rift_report_count(&b[1].result.report, "hidden_part") == 0);
        for (size_t i = 0; i < RIFT_COUNT(hidden); i++) {
            const size_t node = node_of(included, mesh_of(included, rift_str_c(hidden[i])));
            check_row("%s", hidden[i]);
            CHECK_U64(mesh_of(omitted, rift_str_c(hidden[i])), 34);
            CHECK(cJSON_IsFalse(glb_at(included, "nodes/%zu/extensions/KHR_node_visibility/visible", node)));
            CHECK(cJSON_IsTrue(glb_at(included, "nodes/%zu/extras/riftbake/hidden", node)));
        }
        for (size_t i = 0; i < RIFT_COUNT(shown); i++) {
            check_row("%s", shown[i]);
            CHECK(mesh_of(omitted, rift_str_c(shown[i])) < 34);
        }
        for (size_t i = 0; i < 34; i++) {
            const rift_str name = glb_string(omitted, "meshes/%zu/name", i);
            const size_t twin = mesh_of(included, name);
            check_row("%.*s", RIFT_STR_ARG(name));
            if (!CHECK(twin < 37))
                continue;
            CHECK(glb_at(included, "nodes/%zu/extensions", node_of(included, twin)) == NULL);
            for (size_t k = 0; k < 3; k++) {
                CHECK_NEAR(
                    glb_number(included, "accessors/%d/max/%zu",
                               (int)glb_number(included, "meshes/%zu/primitives/0/attributes/POSITION", twin),
                               k),
                    glb_number(omitted, "accessors/%d/max/%zu",
                               (int)glb_number(omitted, "meshes/%zu/primitives/0/attributes/POSITION", i), k),
                    0);
            }
        }
    }
    for (int i = 0; i < 2; i++) {
        discard(&b[i]);
        demo_close(&demos[i]);
    }
}

/* The parts of a level look as the level says, hang on the same rig and are marked. */
static void parts_of_a_level_are_marked(void)
{
    static const struct {
        const char *part, *form, *texture;
    } rows[] = {{"Seed", NULL, "Brambleseed_TX_CM.dds"},
                {"Seed__0", "gear_0", "Layer.tex"},
                {"Sprout__1__1", "gear_0", "Layer.tex"}};
    demo_open demo = {0};
    baked b;
    if (open_and_bake(&demo, &b, "brambleseed/9", true)) {
        for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
            const size_t m = mesh_of(&b.file, rift_str_c(rows[i].part));
            const size_t node = node_of(&b.file, m);
            check_row("%s", rows[i].part);
            CHECK_STR(glb_string(&b.file, "nodes/%zu/extras/riftbake/form", node),
                      rows[i].form != NULL ? rift_str_c(rows[i].form) : RIFT_STR("(none)"));
            CHECK((glb_at(&b.file, "nodes/%zu/extensions/KHR_node_visibility", node) != NULL) ==
                  (rows[i].form != NULL));
            CHECK_NEAR(glb_number(&b.file, "nodes/%zu/skin", node), 0, 0);
            CHECK_STR(rift_str_base(glb_string(&b.file, "materials/%zu/extras/riftbake/texture", m)),
                      rift_str_c(rows[i].texture));
        }
    }
    discard(&b);
    demo_close(&demo);
}

/* B112: "Glass,Glow Body", then the others as the file has them. */
static void parts_are_drawn_in_the_skins_order(void)
{
    static const char *const first[] = {"Glass", "Glow", "Body", "Both", "TextureOnly"};
    demo_open demo = {0};
    baked b;
    if (open_and_bake(&demo, &b, "9001000", true)) {
        for (size_t i = 0; i < RIFT_COUNT(first); i++) {
            CHECK_STR(glb_string(&b.file, "meshes/%zu/name", i), rift_str_c(first[i]));
            CHECK_STR(glb_string(&b.file, "nodes/%zu/name", node_of(&b.file, 0) + i), rift_str_c(first[i]));
        }
    }
    discard(&b);
    demo_close(&demo);
}

/* ---- E: textures and materials ---- */

/* One part's material. What a row leaves out is not written, or the default. */
typedef struct look_row {
    const char *bug, *skin, *part;
    const char *image;  /* name of the image; NULL: no texture */
    const char *alpha;  /* alphaMode; NULL: OPAQUE */
    double cutoff;      /* alphaCutoff; 0: not written */
    bool two_sided;     /* doubleSided */
    double color[4];    /* baseColorFactor; all 0: not written */
    int wrap_u, wrap_v; /* of the sampler; 0: repeat */
    double scale[2];    /* of KHR_texture_transform; 0: none */
    const char *chosen_by;
    const char *tried;       /* result of the first try; NULL: none */
    const char *other_slots; /* NULL: none */
    bool placeholder;
} look_row;

enum { CLAMP = 33071, MIRROR = 33648, REPEAT = 10497 };

static const look_row look_rows[] = {
    {.bug = "B080",
     .skin = "9001000",
     .part = "Both",
     .image = "Seven",
     .chosen_by = "override_material",
     .other_slots = "Mask_Texture"},
    {.bug = "B080",
     .skin = "9001000",
     .part = "TextureOnly",
     .image = "Only_TX_CM",
     .two_sided = true,
     .chosen_by = "override_texture"},
    {.bug = "B080",
     .skin = "9001000",
     .part = "Body",
     .image = "Bramble_Plank_TX_CM",
     .chosen_by = "material"},
    {.bug = "B080",
     .skin = "brambleseed/7",
     .part = "Shiny",
     .image = "Layer",
     .two_sided = true,
     .chosen_by = "texture"},
    {.bug = "B080",
     .skin = "9001000",
     .part = "FallThrough",
     .image = "Fall_TX_CM",
     .chosen_by = "override_texture",
     .tried = "no_texture",
     .other_slots = "Diffuse_Texture, Mask_Texture"},
    {.bug = "B081",
     .skin = "9001000",
     .part = "Mirrored",
     .image = "Mirrored_TX_CM",
     .wrap_u = MIRROR,
     .wrap_v = CLAMP,
     .chosen_by = "override_material"},
    {.bug = "B081",
     .skin = "brambleseed/6",
     .part = "Only",
     .image = "Layer",
     .chosen_by = "only_sampler",
     .tried = "no_texture",
     .other_slots = "Layer, Layer_Mask"},
    {.bug = "B081",
     .skin = "brambleseed/6",
     .part = "Word",
     .image = "Word_TX_CM",
     .chosen_by = "override_texture",
     .tried = "no_texture",
     .other_slots = "Diffuse_Texture"},
    {.bug = "B084",
     .skin = "9001000",
     .part = "OldSampler",
     .image = "OldSampler_TX_CM",
     .chosen_by = "override_material"},
    {.bug = "B085",
     .skin = "9001000",
     .part = "Moss",
     .image = "96456b800b5265a6",
     .chosen_by = "override_material"},
    {.bug = "B085",
     .skin = "brambleseed/6",
     .part = "Ring",
     .image = "Layer",
     .chosen_by = "override_material"},
    {.bug = "B085",
     .skin = "9001000",
     .part = "NoMaterial",
     .image = "Bramble_Plank_TX_CM",
     .chosen_by = "material",
     .tried = "missing"},
    {.bug = "B085",
     .skin = "brambleseed/6",
     .part = "NoClass",
     .two_sided = true,
     .chosen_by = "none",
     .tried = "missing"},
    /* TintColor 1.5, 0.25, 0.5 as shown: linear light 1 (clamped), 0.0509, 0.2140 (IEC 61966-2-1). */
    {.bug = "B087, B114",
     .skin = "brambleseed/6",
     .part = "Tint",
     .color = {1, 0.0509, 0.2140, 1},
     .chosen_by = "none",
     .tried = "no_texture"},
    {.bug = "B087",
     .skin = "brambleseed/6",
     .part = "TintOver",
     .image = "TintOver_TX_CM",
     .chosen_by = "override_material"},
    {.bug = "B089",
     .skin = "9001000",
     .part = "Both",
     .image = "Seven",
     .chosen_by = "override_material",
     .other_slots = "Mask_Texture"},
    {.bug = "B090",
     .skin = "brambleseed/6",
     .part = "Punched",
     .image = "Punched_TX_CM",
     .alpha = "MASK",
     .two_sided = true,
     .chosen_by = "override_texture"},
    {.bug = "B091",
     .skin = "brambleseed/6",
     .part = "Painted",
     .image = "Painted_TX_CM",
     .two_sided = true,
     .chosen_by = "override_texture"},
    {.bug = "B091",
     .skin = "brambleseed/6",
     .part = "Misty",
     .image = "Misty_TX_CM",
     .chosen_by = "override_material"},
    {.bug = "B091",
     .skin = "brambleseed/6",
     .part = "Stencil",
     .image = "Stencil_TX_CM",
     .alpha = "MASK",
     .chosen_by = "override_material"},
    {.bug = "B091",
     .skin = "9001000",
     .part = "Glass",
     .image = "Glass_TX_CM",
     .alpha = "BLEND",
     .color = {1, 1, 1, 0.6},
     .chosen_by = "override_material"},
    {.bug = "B091",
     .skin = "9001000",
     .part = "Glow",
     .image = "Glow_TX_CM",
     .alpha = "BLEND",
     .chosen_by = "override_material"},
    {.bug = "B092",
     .skin = "9001000",
     .part = "Cutout",
     .image = "Cutout_TX_CM",
     .alpha = "MASK",
     .cutoff = 0.3,
     .chosen_by = "override_material"},
    {.bug = "B092",
     .skin = "9001000",
     .part = "TwoSided",
     .image = "Only_TX_CM",
     .two_sided = true,
     .wrap_u = CLAMP,
     .wrap_v = CLAMP,
     .chosen_by = "override_material"}, /* the same pixels, stored once (G33) */
    {.bug = "B094",
     .skin = "9001000",
     .part = "Seven",
     .image = "Seven",
     .two_sided = true,
     .chosen_by = "override_texture"},
    {.bug = "B094",
     .skin = "9001000",
     .part = "Pair5",
     .image = "Pair5",
     .two_sided = true,
     .chosen_by = "override_texture"},
    {.bug = "B094",
     .skin = "brambleseed/6",
     .part = "Strange",
     .image = "placeholder",
     .two_sided = true,
     .chosen_by = "override_texture",
     .placeholder = true},
    {.bug = "B095",
     .skin = "brambleseed/6",
     .part = "Etc2",
     .image = "placeholder",
     .two_sided = true,
     .chosen_by = "override_texture",
     .placeholder = true},
    {.bug = "B096",
     .skin = "9001000",
     .part = "OddSize",
     .image = "OddSize",
     .two_sided = true,
     .chosen_by = "override_texture"},
    {.bug = "B097",
     .skin = "brambleseed/6",
     .part = "SixByTen",
     .image = "SixByTen",
     .two_sided = true,
     .chosen_by = "override_texture"},
    {.bug = "B099",
     .skin = "9001000",
     .part = "Cube",
     .image = "Cube",
     .two_sided = true,
     .chosen_by = "override_texture"},
    {.bug = "B099",
     .skin = "9001000",
     .part = "Bits16",
     .image = "Bits16",
     .two_sided = true,
     .chosen_by = "override_texture"},
    {.bug = "bad input: missing",
     .skin = "9001000",
     .part = "Lost",
     .image = "placeholder",
     .two_sided = true,
     .chosen_by = "override_texture",
     .placeholder = true},
    {.bug = "bad input: torn",
     .skin = "9001000",
     .part = "Torn",
     .image = "placeholder",
     .two_sided = true,
     .chosen_by = "override_texture",
     .placeholder = true},
    {.bug = "B091",
     .skin = "brambleseed/6",
     .part = "Light",
     .image = "Light_TX_CM",
     .alpha = "BLEND",
     .chosen_by = "override_material"},
    {.bug = "bad input: another skin's",
     .skin = "brambleseed/6",
     .part = "Borrowed",
     .image = "Bramble_Arms_TX_CM",
     .two_sided = true,
     .chosen_by = "override_texture"},
    {.bug = "G32: tiles",
     .skin = "9001000",
     .part = "Tiled",
     .image = "Tiled_TX_CM",
     .scale = {2, 3},
     .chosen_by = "override_material"},
    {.bug = "G32: first page",
     .skin = "brambleseed/6",
     .part = "Pages",
     .image = "Pages_TX_CM",
     .scale = {0.25, 0.5},
     .chosen_by = "override_material"},
    {.bug = "G32: motion",
     .skin = "9001000",
     .part = "Scrolling",
     .image = "Scrolling_TX_CM",
     .chosen_by = "override_material"},
};

static void check_text(const glb *g, const char *want, size_t material, const char *key)
{
    CHECK_STR(glb_string(g, "materials/%zu/extras/riftbake/%s", material, key),
              want != NULL ? rift_str_c(want) : RIFT_STR("(none)"));
}

static void check_texture(const glb *g, const look_row *row, size_t material)
{
    const cJSON *info = glb_at(g, "materials/%zu/pbrMetallicRoughness/baseColorTexture", material);
    CHECK((info != NULL) == (row->image != NULL));
    if (info == NULL)
        return;
    const int texture =
        (int)glb_number(g, "materials/%zu/pbrMetallicRoughness/baseColorTexture/index", material);
    const int sampler = (int)glb_number(g, "textures/%d/sampler", texture);
    CHECK_STR(glb_string(g, "images/%d/name", (int)glb_number(g, "textures/%d/source", texture)),
              rift_str_c(row->image));
    CHECK_I64(glb_number(g, "samplers/%d/wrapS", sampler), row->wrap_u != 0 ? row->wrap_u : REPEAT);
    CHECK_I64(glb_number(g, "samplers/%d/wrapT", sampler), row->wrap_v != 0 ? row->wrap_v : REPEAT);
    const cJSON *scale = cJSON_GetObjectItem(
        cJSON_GetObjectItem(cJSON_GetObjectItem(info, "extensions"), "KHR_texture_transform"), "scale");
    CHECK((scale != NULL) == (row->scale[0] != 0));
    for (int i = 0; i < 2 && scale != NULL; i++)
        CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetArrayItem(scale, i)), row->scale[i], 1e-6);
}

static void check_look(const glb *g, const look_row *row)
{
    const size_t m = mesh_of(g, rift_str_c(row->part));
    if (!CHECK(m < glb_count(g, "meshes")))
        return;
    CHECK_I64(glb_number(g, "meshes/%zu/primitives/0/material", m), m);
    check_texture(g, row, m);
    CHECK_STR(glb_string(g, "materials/%zu/alphaMode", m),
              row->alpha != NULL ? rift_str_c(row->alpha) : RIFT_STR("(none)"));
    CHECK_NEAR(glb_number(g, "materials/%zu/alphaCutoff", m), row->cutoff > 0 ? row->cutoff : -1, 1e-6);
    CHECK((glb_at(g, "materials/%zu/doubleSided", m) != NULL) == row->two_sided);
    const bool colored = row->color[0] != 0;
    CHECK((glb_at(g, "materials/%zu/pbrMetallicRoughness/baseColorFactor", m) != NULL) == colored);
    for (size_t i = 0; i < 4 && colored; i++) {
        CHECK_NEAR(glb_number(g, "materials/%zu/pbrMetallicRoughness/baseColorFactor/%zu", m, i),
                   row->color[i], 5e-5);
    }
    check_text(g, row->chosen_by, m, "chosen_by");
    check_text(g, row->tried, m, "tried/0/result");
    check_text(g, row->other_slots, m, "other_slots");
    CHECK((glb_at(g, "materials/%zu/extras/riftbake/placeholder", m) != NULL) == row->placeholder);
    /* B100: unlit, and dull where a viewer does not know that. */
    CHECK(glb_at(g, "materials/%zu/extensions/KHR_materials_unlit", m) != NULL);
    CHECK_NEAR(glb_number(g, "materials/%zu/pbrMetallicRoughness/metallicFactor", m), 0, 0);
    CHECK(glb_at(g, "materials/%zu/pbrMetallicRoughness/roughnessFactor", m) == NULL); /* 1 */
}

static void every_look_has_its_row(void)
{
    static const char *const skins[] = {"9001000", "brambleseed/6", "brambleseed/7"};
    size_t checked = 0;
    for (size_t k = 0; k < RIFT_COUNT(skins); k++) {
        demo_open demo = {0};
        baked b;
        const bool ok = open_and_bake(&demo, &b, skins[k], false);
        for (size_t i = 0; ok && i < RIFT_COUNT(look_rows); i++) {
            if (strcmp(look_rows[i].skin, skins[k]) != 0)
                continue;
            check_row("%s: %s", look_rows[i].bug, look_rows[i].part);
            check_look(&b.file, &look_rows[i]);
            checked++;
        }
        discard(&b);
        demo_close(&demo);
    }
    CHECK_U64(checked, RIFT_COUNT(look_rows));
}

/* The image of a part, as it is in the file. */
static rift_bytes image_of(const glb *g, const char *part)
{
    const size_t m = mesh_of(g, rift_str_c(part));
    const int texture = (int)glb_number(g, "materials/%zu/pbrMetallicRoughness/baseColorTexture/index", m);
    const int image = (int)glb_number(g, "textures/%d/source", texture);
    return glb_view(g, (size_t)glb_number(g, "images/%d/bufferView", image));
}

/* B091, B096, B097: PNG's colour type says whether there is alpha: 2 without, 6 with; sizes that are no multiple of 4
 * are whole. Bytes 16 to 25 of a PNG are width, height, depth, colour type. */
static void images_have_alpha_where_it_shows(void)
{
    static const struct {
        const char *skin, *part;
        uint8_t width, height, type;
    } rows[] = {
        {"brambleseed/6", "Punched", 16, 16, 6}, {"brambleseed/6", "Painted", 16, 16, 2},
        {"brambleseed/6", "Misty", 16, 16, 2},   {"brambleseed/6", "Stencil", 16, 16, 6},
        {"brambleseed/6", "SixByTen", 6, 10, 2}, {"brambleseed/6", "Strange", 16, 16, 2},
        {"brambleseed/6", "Light", 16, 16, 6},   {"9001000", "OddSize", 5, 3, 2},
    };
    static const char *const skins[] = {"brambleseed/6", "9001000"};
    for (size_t k = 0; k < RIFT_COUNT(skins); k++) {
        demo_open demo = {0};
        baked b;
        const bool ok = open_and_bake(&demo, &b, skins[k], false);
        for (size_t i = 0; ok && i < RIFT_COUNT(rows); i++) {
            if (strcmp(rows[i].skin, skins[k]) != 0)
                continue;
            const rift_bytes png = image_of(&b.file, rows[i].part);
            check_row("%s", rows[i].part);
            if (!CHECK(png.size > 26))
                continue;
            CHECK(png.data[19] == rows[i].width && png.data[23] == rows[i].height);
            CHECK_U64(png.data[25], rows[i].type);
        }
        if (ok && k == 0)
            CHECK_BYTES(image_of(&b.file, "Strange"), image_of(&b.file, "Etc2"));
        discard(&b);
        demo_close(&demo);
    }
}

/* What the game lets glow: `texture` is what is told of, `shown` whether it is there with shading=pbr. */
typedef struct glow_row {
    const char *skin, *part, *texture;
    bool shown;
    const char *other_slots;
} glow_row;

static const glow_row glow_rows[] = {
    {"brambleseed/7", "Shiny", "TintOver_TX_CM.tex", true, NULL},
    {"brambleseed/8", "Lamp", "Lamp_Glow.tex", true, NULL},
    {"brambleseed/8", "Word", "Skin_Glow.tex", true, NULL},
    {"brambleseed/8", "Masked", NULL, false, "EmissionMaskTex"},
    {"brambleseed/8", "Dark", NULL, false, "Emissive_Texture"},
    {"brambleseed/8", "Gone", "Gone_Glow.tex", false, NULL},
};

static void check_glow(const glb *g, const glow_row *row, bool pbr)
{
    const size_t m = mesh_of(g, rift_str_c(row->part));
    check_text(g, row->other_slots, m, "other_slots");
    CHECK_STR(rift_str_base(glb_string(g, "materials/%zu/extras/riftbake/emissive", m)),
              row->texture != NULL ? rift_str_c(row->texture) : RIFT_STR("(none)"));
    CHECK((glb_at(g, "materials/%zu/emissiveTexture", m) != NULL) == (pbr && row->shown));
    CHECK_U64(glb_count(g, "materials/%zu/emissiveFactor", m), pbr && row->shown ? 3 : 0);
    if (!pbr || !row->shown)
        return;
    const int texture = (int)glb_number(g, "materials/%zu/emissiveTexture/index", m);
    const rift_str image = glb_string(g, "images/%d/name", (int)glb_number(g, "textures/%d/source", texture));
    CHECK_STR(image, rift_str_stem(rift_str_c(row->texture)));
}

static void bake_shaded(baked *b, const rift_assets *assets, const rift_skin_ref *ref, bool pbr)
{
    rift_err err = check_err();
    rift_bake_request request = {.skin = ref, .assets = assets, .options = rift_options_default()};
    request.options.shading = pbr ? RIFT_SHADING_PBR : RIFT_SHADING_UNLIT;
    *b = (baked){0};
    rift_arena_init(&b->out, LIMIT);
    rift_arena_init(&b->tmp, LIMIT);
    b->open = CHECK_OK(rift_bake(&b->result, &request, &b->out, &b->tmp, &err), &err) &&
              glb_open(&b->file, b->result.glb);
}

/* An emissive texture glows in lit materials; unlit ones have no emission, so there it is named, and reported. */
static void what_glows(void)
{
    static const char *const skins[] = {"brambleseed/7", "brambleseed/8"};
    static const size_t images[2][2] = {{1, 2}, {2, 4}}; /* by skin, unlit and lit */
    static const size_t dropped[2] = {18, 3};
    for (size_t k = 0; k < 4; k++) {
        const bool pbr = k % 2 == 1;
        demo_open demo = {0};
        rift_skin_ref ref;
        if (!demo_open_game(&demo, 1) || !demo_find(&demo, skins[k / 2], &demo.arena, &ref))
            return;
        const rift_assets assets = rift_game_assets(&demo.game);
        baked b;
        bake_shaded(&b, &assets, &ref, pbr);
        for (size_t i = 0; b.open && i < RIFT_COUNT(glow_rows); i++) {
            check_row("%s %s, pbr %d", glow_rows[i].skin, glow_rows[i].part, pbr);
            if (strcmp(glow_rows[i].skin, skins[k / 2]) == 0)
                check_glow(&b.file, &glow_rows[i], pbr);
        }
        if (b.open) {
            check_row("%s, pbr %d", skins[k / 2], pbr);
            CHECK_U64(glb_count(&b.file, "images"), images[k / 2][pbr]);
            CHECK_U64(rift_report_count(&b.result.report, "emissive_dropped"), pbr ? 0 : dropped[k / 2]);
            CHECK_U64(rift_report_count(&b.result.report, "bloom_dropped"), k / 2);
            CHECK_U64(rift_report_count(&b.result.report, "texture_missing"), pbr ? k / 2 : 0);
            glb_audit(&b.file, false);
        }
        discard(&b);
        demo_close(&demo);
    }
}

/* Whatever size is written, alpha is decided by the texture as the game has it: half the size has no clear holes left. */
static void alpha_is_decided_on_the_full_texture(void)
{
    demo_open demo = {0};
    rift_skin_ref ref;
    for (int small = 0; small < 2; small++) {
        baked b = {0};
        rift_err err = check_err();
        if (!demo_open_game(&demo, 1) || !demo_find(&demo, "brambleseed/8", &demo.arena, &ref))
            return;
        const rift_assets assets = rift_game_assets(&demo.game);
        rift_bake_request request = {.skin = &ref, .assets = &assets, .options = rift_options_default()};
        request.options.max_texture = small ? 64 : 0;
        rift_arena_init(&b.out, LIMIT);
        rift_arena_init(&b.tmp, LIMIT);
        b.open = CHECK_OK(rift_bake(&b.result, &request, &b.out, &b.tmp, &err), &err) &&
                 glb_open(&b.file, b.result.glb);
        if (b.open) {
            const size_t m = mesh_of(&b.file, RIFT_STR("Lace"));
            const rift_bytes png = image_of(&b.file, "Lace");
            check_row("max_texture %u", request.options.max_texture);
            CHECK(png.size > 26 && png.data[19] == (small ? 64 : 128) && png.data[25] == 6);
            CHECK_STR(glb_string(&b.file, "materials/%zu/alphaMode", m), RIFT_STR("MASK"));
            check_text(&b.file, "covered texels are either clear or opaque", m, "alpha");
        }
        discard(&b);
        demo_close(&demo);
    }
}

/* ---- G: scale and bounds ---- */

/* B122, B125, B126: metres, the game's own scale told and not applied, the far box hidden and not in the visible bounds. */
static void bounds_are_those_of_what_is_seen(void)
{
    demo_open demo = {0};
    baked b;
    rift_skin_ref ref;
    if (open_and_bake(&demo, &b, "brambleseed/6", true) &&
        demo_find(&demo, "brambleseed/6", &demo.arena, &ref)) {
        const rift_assets assets = rift_game_assets(&demo.game);
        const rift_bake_request request = {
            .skin = &ref, .assets = &assets, .options = rift_options_default()};
        rift_bake_result result;
        rift_bytes text;
        rift_err err = check_err();
        CHECK_OK(rift_describe(&text, &result, &request, &b.out, &b.tmp, &err), &err);
        cJSON *json = cJSON_ParseWithLength((const char *)text.data, text.size);
        const cJSON *bounds = cJSON_GetObjectItem(json, "bounds");
        /* Boxes at x from -18 to 18 and half a width of 4; the far one at 500, which the mirror puts at -5 m. */
        const cJSON *low = cJSON_GetObjectItem(cJSON_GetObjectItem(bounds, "visible"), "min");
        const cJSON *all = cJSON_GetObjectItem(cJSON_GetObjectItem(bounds, "all"), "min");
        CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetArrayItem(low, 0)), -0.22, 1e-6);
        CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetArrayItem(all, 0)), -5.04, 1e-6);
        CHECK_STR(rift_str_c(cJSON_GetStringValue(cJSON_GetObjectItem(json, "unit"))), RIFT_STR("metre"));
        CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "scale")), 1.2, 1e-6);
        CHECK_NEAR(glb_number(&b.file, "asset/extras/riftbake/skin_scale"), 1.2, 1e-6);
        CHECK_NEAR(glb_number(&b.file, "asset/extras/riftbake/sigma"), 0.01, 0);
        const size_t far_part = mesh_of(&b.file, RIFT_STR("Far"));
        const int position =
            (int)glb_number(&b.file, "meshes/%zu/primitives/0/attributes/POSITION", far_part);
        CHECK_NEAR(glb_number(&b.file, "accessors/%d/min/0", position), -5.04, 1e-6);
        cJSON_Delete(json);
    }
    discard(&b);
    demo_close(&demo);
}

/* B124: the bounds of every part are those of its data, to the bit, in skins of every kind of mesh. */
static void bounds_are_those_of_the_data(void)
{
    static const char *const skins[] = {"9001000",       "9001001",       "35008",
                                        "brambleseed/0", "brambleseed/2", "brambleseed/6"};
    for (size_t k = 0; k < RIFT_COUNT(skins); k++) {
        demo_open demo = {0};
        baked b;
        if (open_and_bake(&demo, &b, skins[k], true)) {
            for (size_t m = 0; m < glb_count(&b.file, "meshes"); m++) {
                const size_t at =
                    (size_t)glb_number(&b.file, "meshes/%zu/primitives/0/attributes/POSITION", m);
                const size_t vertices = glb_elements(&b.file, at);
                check_row("%s, mesh %zu", skins[k], m);
                CHECK(vertices > 0);
                for (size_t c = 0; c < 3; c++) {
                    double low = glb_value(&b.file, at, 0, c);
                    double high = low;
                    for (size_t v = 1; v < vertices; v++) {
                        low = fmin(low, glb_value(&b.file, at, v, c));
                        high = fmax(high, glb_value(&b.file, at, v, c));
                    }
                    CHECK((float)glb_number(&b.file, "accessors/%zu/min/%zu", at, c) == (float)low);
                    CHECK((float)glb_number(&b.file, "accessors/%zu/max/%zu", at, c) == (float)high);
                }
            }
        }
        discard(&b);
        demo_close(&demo);
    }
}

static rift_vec3 vec_at(const glb *g, const char *attribute, size_t mesh, size_t vertex)
{
    const size_t at = (size_t)glb_number(g, "meshes/%zu/primitives/0/attributes/%s", mesh, attribute);
    return (rift_vec3){glb_value(g, at, vertex, 0), glb_value(g, at, vertex, 1), glb_value(g, at, vertex, 2)};
}

/* How many triangles of a mesh turn the way that their normals look, by (b - a) x (c - a), less those that turn the other. */
static double outward(const glb *g, size_t mesh)
{
    const size_t indices = (size_t)glb_number(g, "meshes/%zu/primitives/0/indices", mesh);
    double sum = 0;
    for (size_t i = 0; i + 2 < glb_elements(g, indices); i += 3) {
        rift_vec3 p[3];
        rift_vec3 n = {0, 0, 0};
        for (size_t k = 0; k < 3; k++) {
            const size_t vertex = (size_t)glb_value(g, indices, i + k, 0);
            const rift_vec3 normal = vec_at(g, "NORMAL", mesh, vertex);
            p[k] = vec_at(g, "POSITION", mesh, vertex);
            n = (rift_vec3){n.x + normal.x, n.y + normal.y, n.z + normal.z};
        }
        const rift_vec3 u = {p[1].x - p[0].x, p[1].y - p[0].y, p[1].z - p[0].z};
        const rift_vec3 v = {p[2].x - p[0].x, p[2].y - p[0].y, p[2].z - p[0].z};
        const double turn =
            n.x * (u.y * v.z - u.z * v.y) + n.y * (u.z * v.x - u.x * v.z) + n.z * (u.x * v.y - u.y * v.x);
        sum += turn > 0 ? 1 : turn < 0 ? -1 : 0;
    }
    return sum / (double)(glb_elements(g, indices) / 3);
}

/* B120: mirrored once, in the mesh as in the joints. The knight's sword is in his right hand, at x > 0 in the game; the shield
 * on his left arm. 95 of 100 faces look outwards (G7), so the rest is at least 0.9. */
static void check_mirrored_once(const glb *g)
{
    static const struct {
        const char *part, *joint;
        double side;
    } rows[] = {{"Sword", "Weapon", -1}, {"Shield__4", "Shield", 1}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        const size_t m = mesh_of(g, rift_str_c(rows[i].part));
        size_t node = 0;
        while (node < g->node_count && strcmp(g->names[node], rows[i].joint) != 0)
            node++;
        check_row("%s", rows[i].part);
        CHECK(vec_at(g, "POSITION", m, 0).x * rows[i].side > 0);
        CHECK(node < g->node_count && glb_world(g, node).m[12] * rows[i].side > 0);
    }
    for (size_t m = 0; m < glb_count(g, "meshes"); m++) {
        check_row("mesh %zu", m);
        CHECK(outward(g, m) >= 0.9);
    }
}

/* B120, B121: the rest pose is the bind pose to 1e-5, in metres, and faces look outwards: of the knight, whose numbers are
 * exact. */
static void bind_pose_and_faces_fit(void)
{
    demo_open demo = {0};
    baked b;
    if (open_and_bake(&demo, &b, "9001001", false)) {
        const size_t binds = (size_t)glb_number(&b.file, "skins/0/inverseBindMatrices");
        for (size_t j = 0; j < glb_count(&b.file, "skins/0/joints"); j++) {
            const size_t node = (size_t)glb_number(&b.file, "skins/0/joints/%zu", j);
            const rift_mat4 world = glb_world(&b.file, node);
            check_row("joint %zu", j);
            CHECK(glb_at(&b.file, "nodes/%zu/scale", node) == NULL);
            for (size_t row = 0; row < 4; row++) {
                for (size_t column = 0; column < 4; column++) {
                    double sum = 0;
                    for (size_t k = 0; k < 4; k++)
                        sum += world.m[4 * k + row] * glb_value(&b.file, binds, j, 4 * column + k);
                    CHECK_NEAR(sum, row == column, 1e-5);
                }
            }
        }
        check_mirrored_once(&b.file);
    }
    discard(&b);
    demo_close(&demo);
}

/* ---- I: names ---- */

/* B145, B147: names are verbatim in UTF-8, unique, and the original is told where it differs. */
static void names_are_text_and_unique(void)
{
    static const struct {
        int joint;
        const char *name;
    } rows[] = {
        {2, "Head"},       {3, "head"},     {4, "joint_4"}, {5, "A.b"},       {6, "K\xc3\xb6nig"},
        {7, "B\xc3\xa4r"}, {8, "Tab_Here"}, {17, "Twin"},   {18, "Twin__18"},
    };
    demo_open demo = {0};
    baked b;
    if (open_and_bake(&demo, &b, "9001000", true)) {
        for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
            CHECK_STR(glb_string(&b.file, "nodes/%d/name",
                                 (int)glb_number(&b.file, "skins/0/joints/%d", rows[i].joint)),
                      rift_str_c(rows[i].name));
        }
        for (size_t i = 0; i < b.file.node_count; i++) {
            for (size_t k = 0; k < i; k++)
                CHECK(strcmp(b.file.names[i], b.file.names[k]) != 0);
        }
        CHECK(mesh_of(&b.file, RIFT_STR("A:b/c.d")) < glb_count(&b.file, "meshes"));
        const size_t renamed = node_of(&b.file, mesh_of(&b.file, RIFT_STR("Weapon__35")));
        CHECK_STR(glb_string(&b.file, "nodes/%zu/extras/riftbake/source", renamed), RIFT_STR("Weapon"));
    }
    discard(&b);
    demo_close(&demo);
}

/* Every animation is a clip that the metadata name, each under a name of its own. */
static void check_clip_names(const cJSON *json, const glb *file)
{
    const cJSON *clips = cJSON_GetObjectItem(json, "clips");
    const size_t count = glb_count(file, "animations");
    CHECK(count > 0);
    for (size_t i = 0; i < count; i++) {
        const rift_str name = glb_string(file, "animations/%zu/name", i);
        size_t found = 0;
        for (int k = 0; k < cJSON_GetArraySize(clips); k++) {
            const cJSON *told = cJSON_GetObjectItem(cJSON_GetArrayItem(clips, k), "name");
            found += rift_str_eq(rift_str_c(cJSON_GetStringValue(told)), name);
        }
        check_row("%.*s", RIFT_STR_ARG(name));
        CHECK_U64(found, 1);
    }
}

/* B146: the metadata call parts, clips and states as the file does. */
static void metadata_and_file_agree_on_names(void)
{
    static const char *const ids[] = {"9001000", "9001001", "35008"};
    for (size_t k = 0; k < RIFT_COUNT(ids); k++) {
        demo_open demo = {0};
        baked b;
        rift_skin_ref ref;
        check_row("%s", ids[k]);
        if (open_and_bake(&demo, &b, ids[k], true) && demo_find(&demo, ids[k], &demo.arena, &ref)) {
            const rift_assets assets = rift_game_assets(&demo.game);
            const rift_bake_request request = {
                .skin = &ref, .assets = &assets, .options = rift_options_default()};
            rift_bake_result result;
            rift_bytes text;
            rift_err err = check_err();
            CHECK_OK(rift_describe(&text, &result, &request, &b.out, &b.tmp, &err), &err);
            cJSON *json = cJSON_ParseWithLength((const char *)text.data, text.size);
            const cJSON *parts = cJSON_GetObjectItem(json, "parts");
            CHECK_U64(cJSON_GetArraySize(parts), glb_count(&b.file, "meshes"));
            for (int i = 0; i < cJSON_GetArraySize(parts); i++) {
                const rift_str name = rift_str_c(
                    cJSON_GetStringValue(cJSON_GetObjectItem(cJSON_GetArrayItem(parts, i), "name")));
                CHECK_STR(glb_string(&b.file, "meshes/%d/name", i), name);
                CHECK_STR(glb_string(&b.file, "materials/%d/name", i), name);
                CHECK_STR(glb_string(&b.file, "nodes/%zu/name", node_of(&b.file, (size_t)i)), name);
            }
            const cJSON *told = cJSON_GetObjectItem(json, "forms");
            const cJSON *shown = glb_at(&b.file, "%s", forms_path);
            CHECK(shown != NULL ? cJSON_Compare(told, shown, true) : cJSON_GetArraySize(told) == 0);
            check_clip_names(json, &b.file);
            cJSON_Delete(json);
        }
        discard(&b);
        demo_close(&demo);
    }
}

/* ---- E: a bin that repeats a key; F: companions ---- */

/* B086: Idle1 stands twice in the clip map, with Run's file the second time. The first counts, nothing is lost, and it is said. */
static void a_repeated_key_costs_nothing(void)
{
    demo_open demo = {0};
    baked b;
    if (open_and_bake(&demo, &b, "9001000", false)) {
        size_t found = 0;
        for (size_t i = 0; i < glb_count(&b.file, "animations"); i++) {
            if (!rift_str_eq(glb_string(&b.file, "animations/%zu/name", i), RIFT_STR("Idle1")))
                continue;
            CHECK_STR(rift_str_base(glb_string(&b.file, "animations/%zu/extras/riftbake/file", i)),
                      RIFT_STR("Bramble_Idle1.anm"));
            found++;
        }
        CHECK_U64(found, 1);
        CHECK_U64(glb_count(&b.file, "animations"), 18); /* as many as without it (test_demo_bake.c) */
        CHECK_U64(rift_report_count(&b.result.report, "bin_duplicate_key"), 1);
    }
    discard(&b);
    demo_close(&demo);
}

/* B110: the metadata name the companion, and what they say of it converts. */
static void companions_are_named_and_convert(void)
{
    demo_open demo = {0};
    baked b;
    rift_skin_ref ref;
    if (open_and_bake(&demo, &b, "9001001", false) && demo_find(&demo, "9001001", &demo.arena, &ref)) {
        const rift_assets assets = rift_game_assets(&demo.game);
        const rift_bake_request request = {
            .skin = &ref, .assets = &assets, .game = &demo.game, .options = rift_options_default()};
        rift_bake_result result;
        rift_bytes text;
        rift_err err = check_err();
        CHECK_OK(rift_describe(&text, &result, &request, &b.out, &b.tmp, &err), &err);
        cJSON *json = cJSON_ParseWithLength((const char *)text.data, text.size);
        const cJSON *related = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "related"), 0);
        const cJSON *alias = cJSON_GetObjectItem(related, "alias");
        if (CHECK(cJSON_IsString(alias))) {
            CHECK_STR(rift_str_c(cJSON_GetStringValue(alias)), RIFT_STR("brambleseed"));
            const rift_str id =
                rift_arena_printf(&demo.arena, "%s/%d", cJSON_GetStringValue(alias),
                                  (int)cJSON_GetNumberValue(cJSON_GetObjectItem(related, "number")));
            baked other;
            CHECK(demo_find(&demo, id.data, &demo.arena, &ref));
            bake(&other, &assets, &ref, NULL, false);
            CHECK(other.open && mesh_of(&other.file, RIFT_STR("Seed")) < glb_count(&other.file, "meshes"));
            discard(&other);
        }
        cJSON_Delete(json);
    }
    discard(&b);
    demo_close(&demo);
}

/* ---- E: two patches ---- */

/* A hash list with every path that the game's bins spell, and those of skin 2, which spells none. */
static bool list_paths(rift_name_lists *lists, const demo_open *demo, rift_arena *arena)
{
    static const char *const more[] = {"assets/characters/bramble/skins/skin02/bramble_tx_cm.tex",
                                       "assets/characters/bramble/skins/skin02/bramble_arms_tx_cm.tex",
                                       "assets/shared/bramble/moss_tx_cm.tex"};
    rift_buf text;
    rift_err err = check_err();
    rift_buf_init(&text, arena, 1 << 20);
    for (size_t i = 0; i < demo->game.archive_count; i++) {
        const rift_wad *wad = &demo->game.archives[i].wad;
        for (size_t k = 0; k < wad->entry_count; k++) {
            rift_bytes bytes;
            if (rift_wad_read(wad, &wad->entries[k], arena, &bytes, &err))
                reform_collect_paths(bytes, &text, arena);
            err = check_err();
        }
    }
    for (size_t i = 0; i < RIFT_COUNT(more); i++)
        rift_buf_printf(&text, "%016" PRIx64 " %s\n", rift_path_hash(rift_str_c(more[i])), more[i]);
    rift_name_lists_init(lists, arena);
    return CHECK_OK(rift_name_lists_add(lists, RIFT_NAMES_GAME, rift_buf_bytes(&text), true, NULL, &err),
                    &err);
}

/* B082, B084, B115, decisions 30: one skin in the forms of three patches, byte for byte. */
static void every_patch_gives_the_same_file(void)
{
    static const char *const ids[] = {"9001000", "9001001", "9001002", "35008", "brambleseed/0"};
    demo_open demo = {0};
    rift_name_lists lists;
    if (demo_open_game(&demo, 1) && list_paths(&lists, &demo, &demo.arena)) {
        const rift_names names = rift_name_lists_names(&lists);
        for (size_t i = 0; i < RIFT_COUNT(ids); i++) {
            baked b[3];
            rift_skin_ref ref;
            check_row("%s", ids[i]);
            if (!demo_find(&demo, ids[i], &demo.arena, &ref))
                continue;
            for (int form = 0; form < 3; form++) {
                reform_assets formed = {rift_game_assets(&demo.game), (reform_form)form, &names};
                const rift_assets assets = reform_assets_of(&formed);
                bake(&b[form], &assets, &ref, &names, true);
            }
            CHECK_BYTES(b[REFORM_MIDDLE].result.glb, b[REFORM_OLD].result.glb);
            CHECK_BYTES(b[REFORM_NEW].result.glb, b[REFORM_OLD].result.glb);
            CHECK_U64(rift_report_count(&b[REFORM_NEW].result.report, "texture_missing"),
                      i == 0); /* Lost is lost in every patch */
            for (int form = 0; form < 3; form++)
                discard(&b[form]);
        }
    }
    demo_close(&demo);
}

/* Without a list the newest form still gives the same picture: pixels, states and figures, but no file names. */
static void hashes_without_a_list_cost_names_only(void)
{
    demo_open demo = {0};
    rift_skin_ref ref;
    if (demo_open_game(&demo, 1) && demo_find(&demo, "9001001", &demo.arena, &ref)) {
        baked b[2];
        for (int i = 0; i < 2; i++) {
            reform_assets formed = {rift_game_assets(&demo.game), i == 0 ? REFORM_OLD : REFORM_NEW, NULL};
            const rift_assets assets = reform_assets_of(&formed);
            bake(&b[i], &assets, &ref, NULL, true);
        }
        if (b[0].open && b[1].open) {
            CHECK_BYTES(b[0].file.bin, b[1].file.bin);
            CHECK_U64(glb_count(&b[1].file, "materials"), glb_count(&b[0].file, "materials"));
            CHECK_U64(b[1].result.report.entry_count, b[0].result.report.entry_count);
        }
        discard(&b[0]);
        discard(&b[1]);
    }
    demo_close(&demo);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(forms_are_named_states);
    RUN(clips_start_from_the_skins_state);
    RUN(forms_name_only_written_parts);
    RUN(levels_with_meshes_of_their_own);
    RUN(parts_of_a_level_are_marked);
    RUN(hidden_parts_in_both_modes);
    RUN(parts_are_drawn_in_the_skins_order);
    RUN(every_look_has_its_row);
    RUN(images_have_alpha_where_it_shows);
    RUN(what_glows);
    RUN(alpha_is_decided_on_the_full_texture);
    RUN(bounds_are_those_of_what_is_seen);
    RUN(bounds_are_those_of_the_data);
    RUN(bind_pose_and_faces_fit);
    RUN(names_are_text_and_unique);
    RUN(metadata_and_file_agree_on_names);
    RUN(a_repeated_key_costs_nothing);
    RUN(companions_are_named_and_convert);
    RUN(every_patch_gives_the_same_file);
    RUN(hashes_without_a_list_cost_names_only);
    return check_finish();
}
