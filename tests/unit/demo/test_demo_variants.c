/* chromas=variants on the synthetic game: the knight with his chromas in one file, and what describe says of him. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bake/bake.h"
#include "base/str.h"
#include "demo_open.h"
#include "support/check.h"
#include "unit/gltf/glb_read.h"

enum { LIMIT = 512 * 1024 * 1024 };

typedef struct baked {
    rift_arena out, tmp;
    rift_bake_result result;
    rift_err err;
    rift_bytes json; /* of a description */
    bool ok;
} baked;

static void start(baked *b)
{
    *b = (baked){0};
    rift_arena_init(&b->out, LIMIT);
    rift_arena_init(&b->tmp, LIMIT);
    b->err = check_err();
}

static void discard(baked *b)
{
    rift_arena_release(&b->tmp);
    rift_arena_release(&b->out);
}

static rift_options options_of(const char *text, rift_arena *arena)
{
    rift_options options = rift_options_default();
    rift_str rest = rift_str_c(text);
    rift_str pair;
    rift_err err = check_err();
    while (rift_str_next(&rest, "&", &pair)) {
        const char *equals = memchr(pair.data, '=', pair.size);
        const size_t size = (size_t)(equals - pair.data);
        CHECK_OK(rift_options_set(&options, (rift_str){pair.data, size},
                                  (rift_str){equals + 1, pair.size - size - 1}, arena, &err),
                 &err);
    }
    return options;
}

static void bake(baked *b, const demo_open *demo, const char *skin, const char *options)
{
    const rift_assets assets = rift_game_assets(&demo->game);
    rift_skin_ref ref;
    b->ok = demo_find(demo, skin, &b->out, &ref) &&
            rift_bake(&b->result,
                      &(rift_bake_request){.skin = &ref,
                                           .assets = &assets,
                                           .game = &demo->game,
                                           .options = options_of(options, &b->out)},
                      &b->out, &b->tmp, &b->err);
}

static bool uses(const baked *b, const char *path, bool found)
{
    const uint64_t hash = rift_path_hash(rift_str_c(path));
    for (size_t i = 0; i < b->result.uses.count; i++) {
        if (b->result.uses.uses[i].path_hash == hash)
            return b->result.uses.uses[i].found == found;
    }
    return false;
}

static void the_knight_and_his_chromas(void)
{
    demo_open demo = {0};
    baked b;
    glb g;
    start(&b);
    if (demo_open_game(&demo, 1))
        bake(&b, &demo, "9001001", "chromas=variants");
    if (CHECK_OK(b.ok, &b.err) && glb_open(&g, b.result.glb)) {
        glb_audit(&g, false);
        CHECK_U64(glb_count(&g, "extensions/KHR_materials_variants/variants"), 2);
        CHECK_STR(glb_string(&g, "extensions/KHR_materials_variants/variants/0/name"),
                  RIFT_STR("BrambleSkin2"));
        CHECK_NEAR(glb_number(&g, "extensions/KHR_materials_variants/variants/1/extras/riftbake/id"), 9001003,
                   0);
        CHECK_U64(glb_count(&g, "meshes"), 5);
        CHECK_U64(glb_count(&g, "animations"), 9);
        /* Two of the parent and of chroma 2, one of chroma 3 and the checker of its missing one. */
        CHECK_U64(glb_count(&g, "images"), 6);
        /* The sword of chroma 3 is the parent's: one material less. */
        CHECK_U64(glb_count(&g, "materials"), 14);
        CHECK_NEAR(
            glb_number(&g, "meshes/3/primitives/0/extensions/KHR_materials_variants/mappings/1/material"),
            glb_number(&g, "meshes/3/primitives/0/material"), 0);
        glb_close(&g);
    }
    CHECK_U64(rift_report_count(&b.result.report, "variant_mesh_differs"), 1);
    CHECK_U64(rift_report_count(&b.result.report, "texture_missing"), 1);
    discard(&b);
    demo_close(&demo);
}

/* Gear levels that paint the skin's parts anew (demo_forms.c): gear_1 of Brambleseed 9 puts Layer on all, and the punched
 * texture of the case on the seed; gear_2 of Bramble 0 names its override for Body. The form says which variant is its. */
static void gear_levels_are_variants(void)
{
    static const struct {
        const char *skin, *options, *form;
        int at; /* among the forms */
        const char *part, *texture, *alpha;
    } rows[] = {
        {"brambleseed/9", "chromas=variants", "gear_1", 2, "Seed", "Punched_TX_CM.tex", "MASK"},
        {"brambleseed/9", "chromas=variants&hidden=include", "gear_1", 2, "Sprout__1", "Layer.tex", "(none)"},
        {"9001000", "chromas=variants", "gear_2", 2, "Body", "Only_TX_CM.tex", "(none)"},
    };
    demo_open demo = {0};
    const bool open = demo_open_game(&demo, 1);
    for (size_t i = 0; i < RIFT_COUNT(rows) && open; i++) {
        baked b;
        glb g;
        start(&b);
        bake(&b, &demo, rows[i].skin, rows[i].options);
        check_row("%s %s", rows[i].skin, rows[i].options);
        if (CHECK_OK(b.ok, &b.err) && glb_open(&g, b.result.glb)) {
            size_t m = 0;
            while (m < glb_count(&g, "meshes") &&
                   !rift_str_eq(glb_string(&g, "meshes/%zu/name", m), rift_str_c(rows[i].part)))
                m++;
            const int material = (int)glb_number(
                &g, "meshes/%zu/primitives/0/extensions/KHR_materials_variants/mappings/0/material", m);
            glb_audit(&g, false);
            CHECK_U64(glb_count(&g, "extensions/KHR_materials_variants/variants"), 1);
            CHECK_STR(glb_string(&g, "extensions/KHR_materials_variants/variants/0/name"),
                      rift_str_c(rows[i].form));
            CHECK_STR(glb_string(&g, "extensions/KHR_materials_variants/variants/0/extras/riftbake/form"),
                      rift_str_c(rows[i].form));
            CHECK_STR(glb_string(&g, "asset/extras/riftbake/forms/%d/variant", rows[i].at),
                      rift_str_c(rows[i].form));
            CHECK_STR(rift_str_base(glb_string(&g, "materials/%d/extras/riftbake/texture", material)),
                      rift_str_c(rows[i].texture));
            CHECK_STR(glb_string(&g, "materials/%d/alphaMode", material), rift_str_c(rows[i].alpha));
            glb_close(&g);
        }
        CHECK_U64(rift_report_count(&b.result.report, "form_look_left_out"), 0);
        discard(&b);
    }
    demo_close(&demo);
}

static void what_it_was_made_from_has_the_chromas(void)
{
    demo_open demo = {0};
    baked b;
    start(&b);
    if (demo_open_game(&demo, 1))
        bake(&b, &demo, "9001001", "chromas=variants&clips=none");
    CHECK_OK(b.ok, &b.err);
    CHECK(uses(&b, "data/characters/bramble/skins/skin2.bin", true));
    CHECK(uses(&b, "data/characters/bramble/skins/skin4.bin", true));
    CHECK(uses(&b, "data/characters/bramble/skins/skin5.bin", false));
    CHECK(uses(&b, "assets/characters/bramble/skins/skin02/bramble_arms_tx_cm.tex", true));
    CHECK(uses(&b, "assets/characters/bramble/skins/skin03/bramble_arms_tx_cm.tex", false));
    /* A changed chroma is another fingerprint; so is the option. */
    rift_sha256 with;
    rift_sha256 changed;
    rift_sha256 files;
    const rift_options variants = options_of("chromas=variants&clips=none", &b.out);
    const rift_options plain = options_of("clips=none", &b.out);
    rift_asset_log *log = &b.result.uses;
    const rift_str skin = RIFT_STR("bramble/1");
    CHECK_OK(rift_fingerprint(&with, skin, &variants, log, &b.tmp, &b.err), &b.err);
    CHECK_OK(rift_fingerprint(&files, skin, &plain, log, &b.tmp, &b.err), &b.err);
    for (size_t i = 0; i < log->count; i++) {
        if (log->uses[i].path_hash == rift_skin_bin_hash(RIFT_STR("bramble"), 3))
            log->uses[i].checksum ^= 1;
    }
    CHECK_OK(rift_fingerprint(&changed, skin, &variants, log, &b.tmp, &b.err), &b.err);
    CHECK(memcmp(&with, &changed, sizeof with) != 0 && memcmp(&with, &files, sizeof with) != 0);
    discard(&b);
    demo_close(&demo);
}

/* A chroma has none of its own; then, and without parts, it is the plain file. */
static void without_chromas_it_is_the_plain_file(void)
{
    static const struct {
        const char *skin, *options;
        uint64_t told;
    } rows[] = {{"9001002", "clips=none", 1},
                {"brambleseed/1", "clips=none", 1},
                {"9001001", "content=animations", 0}};
    demo_open demo = {0};
    const bool open = demo_open_game(&demo, 1);
    for (size_t i = 0; i < RIFT_COUNT(rows) && open; i++) {
        baked with;
        baked without;
        char options[64];
        check_row("%s %s", rows[i].skin, rows[i].options);
        (void)snprintf(options, sizeof options, "%s&chromas=variants", rows[i].options);
        start(&with);
        start(&without);
        bake(&with, &demo, rows[i].skin, options);
        bake(&without, &demo, rows[i].skin, rows[i].options);
        CHECK_OK(with.ok, &with.err);
        CHECK_OK(without.ok, &without.err);
        CHECK_U64(rift_report_count(&with.result.report, "no_chromas"), rows[i].told);
        glb g;
        if (with.ok && glb_open(&g, with.result.glb)) {
            CHECK(glb_at(&g, "extensions") == NULL);
            glb_close(&g);
        }
        discard(&with);
        discard(&without);
    }
    demo_close(&demo);
}

static void the_same_bytes_again(void)
{
    demo_open demo = {0};
    baked a;
    baked b;
    start(&a);
    start(&b);
    if (demo_open_game(&demo, 1)) {
        bake(&a, &demo, "9001001", "chromas=variants&clips=none");
        bake(&b, &demo, "9001001", "chromas=variants&clips=none");
    }
    CHECK(a.ok && b.ok);
    CHECK_BYTES(a.result.glb, b.result.glb);
    discard(&a);
    discard(&b);
    demo_close(&demo);
}

/* Every 29th allocation of either arena fails in turn, up to what a whole run takes. */
static void allocations_of(const demo_open *demo, const char *skin, const char *options)
{
    for (int which = 0; which <= 1; which++) {
        check_row("%s %s", skin, options);
        for (uint64_t n = 1;; n += 29) {
            baked b;
            start(&b);
            *(which ? &b.out.fail_at : &b.tmp.fail_at) = n;
            rift_skin_ref ref;
            rift_arena names;
            rift_arena_init(&names, LIMIT);
            const rift_assets assets = rift_game_assets(&demo->game);
            const bool found = demo_find(demo, skin, &names, &ref);
            b.ok = found &&
                   rift_bake(&b.result,
                             &(rift_bake_request){
                                 .skin = &ref, .assets = &assets, .options = options_of(options, &names)},
                             &b.out, &b.tmp, &b.err);
            CHECK(b.ok == (b.err.code == RIFT_OK));
            if (!b.ok)
                CHECK_CODE(&b.err, RIFT_ERR_NOMEM);
            const bool ok = b.ok;
            discard(&b);
            rift_arena_release(&names);
            if (ok || !CHECK(n < 100000))
                break;
        }
    }
}

static void allocations_that_fail(void)
{
    demo_open demo = {0};
    if (demo_open_game(&demo, 1)) {
        allocations_of(&demo, "9001001", "chromas=variants&content=mesh&texture=none");
        allocations_of(&demo, "brambleseed/9", "chromas=variants&hidden=include&max_texture=64");
    }
    demo_close(&demo);
}

/* ---- metadata ---- */

static void describe(baked *b, const demo_open *demo, const char *skin, bool skeleton)
{
    const rift_assets assets = rift_game_assets(&demo->game);
    rift_skin_ref ref;
    b->ok = demo_find(demo, skin, &b->out, &ref) &&
            (skeleton ? rift_describe_skeleton : rift_describe)(
                &b->json, &b->result,
                &(rift_bake_request){
                    .skin = &ref, .assets = &assets, .game = &demo->game, .options = rift_options_default()},
                &b->out, &b->tmp, &b->err);
}

static const char *text_of(const cJSON *json, const char *list, int at, const char *member)
{
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, list), at);
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, member));
}

static void the_family_in_the_metadata(void)
{
    demo_open demo = {0};
    baked b;
    start(&b);
    if (demo_open_game(&demo, 1))
        describe(&b, &demo, "bramble/1", false);
    CHECK_OK(b.ok, &b.err);
    cJSON *json = cJSON_ParseWithLength((const char *)b.json.data, b.json.size);
    if (CHECK(json != NULL)) {
        CHECK_U64(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "chromas")), 3);
        CHECK_STR(rift_str_c(text_of(json, "chromas", 1, "name")), RIFT_STR("BrambleSkin3"));
        CHECK_U64(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "related")), 1);
        CHECK_STR(rift_str_c(text_of(json, "related", 0, "alias")), RIFT_STR("brambleseed"));
        CHECK_U64(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "source")), 1);
        CHECK_STR(rift_str_c(text_of(json, "source", 0, "wad")),
                  RIFT_STR("DATA/FINAL/Champions/Bramble.wad.client"));
        CHECK(cJSON_GetObjectItemCaseSensitive(json, "patch") == NULL); /* no metadata file was read here */
    }
    cJSON_Delete(json);
    discard(&b);
    demo_close(&demo);
}

static void no_skeleton_is_said(void)
{
    demo_open demo = {0};
    baked b;
    start(&b);
    if (demo_open_game(&demo, 1))
        describe(&b, &demo, "shaco/6", true); /* its mesh is nowhere */
    CHECK(!b.ok);
    CHECK_CODE(&b.err, RIFT_ERR_NOT_FOUND);
    discard(&b);
    demo_close(&demo);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(the_knight_and_his_chromas);
    RUN(gear_levels_are_variants);
    RUN(what_it_was_made_from_has_the_chromas);
    RUN(without_chromas_it_is_the_plain_file);
    RUN(the_same_bytes_again);
    RUN(allocations_that_fail);
    RUN(the_family_in_the_metadata);
    RUN(no_skeleton_is_said);
    return check_finish();
}
