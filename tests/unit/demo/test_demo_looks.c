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

/* ---- I: names ---- */

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
            CHECK(
                cJSON_Compare(cJSON_GetObjectItem(json, "forms"), glb_at(&b.file, "%s", forms_path), true) ||
                glb_at(&b.file, "%s", forms_path) == NULL);
            cJSON_Delete(json);
        }
        discard(&b);
        demo_close(&demo);
    }
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
    RUN(forms_name_only_written_parts);
    RUN(hidden_parts_in_both_modes);
    RUN(parts_are_drawn_in_the_skins_order);
    RUN(metadata_and_file_agree_on_names);
    RUN(every_patch_gives_the_same_file);
    RUN(hashes_without_a_list_cost_names_only);
    return check_finish();
}
