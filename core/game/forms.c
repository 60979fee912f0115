/* Forms: parts that the game shows and hides as a champion levels, buys or transforms, as named states (B109). The
 * conditions are trees of drivers; the few classes that say when in words are put into words, all others by name. */
#include <inttypes.h>

#include "base/buf.h"
#include "base/str.h"
#include "game/field_names.h"
#include "game/game_internal.h"

typedef struct reader {
    rift_skin *skin;
    const rift_names *names;
    rift_arena *arena;
    rift_report *report;
} reader;

/* Room for one more form; NULL when there are enough, which is reported. */
static rift_form *next_form(const reader *r, const char *kind, size_t index)
{
    rift_skin *skin = r->skin;
    if (skin->form_count == RIFT_SKIN_MAX_FORMS) {
        rift_report_add(r->report, "forms_over_limit", "%s_%zu", kind, index);
        return NULL;
    }
    rift_form *form = &skin->forms[skin->form_count++];
    *form = (rift_form){
        .index = (uint32_t)index,
        .name = rift_arena_printf(r->arena, "%s_%zu", kind, index),
    };
    return form;
}

/* ---- Gear ---- */

static void read_gear_mesh(const reader *r, rift_form *form, const rift_bin_object *mesh)
{
    if (mesh == NULL)
        return;
    form->mesh = rift_asset_path_field(mesh, RIFT_F_SIMPLE_SKIN);
    form->texture = rift_asset_path_field(mesh, RIFT_F_TEXTURE);
    form->skeleton = rift_asset_path_field(mesh, RIFT_F_SKELETON);
    form->emissive = rift_asset_path_field(mesh, RIFT_F_EMISSIVE_TEXTURE);
    form->material = rift_bin_hash(mesh, RIFT_F_MATERIAL);
    rift_asset_path_resolve(&form->mesh, r->names, r->arena);
    rift_asset_path_resolve(&form->texture, r->names, r->arena);
    rift_asset_path_resolve(&form->emissive, r->names, r->arena);
    form->overrides = game_read_overrides(mesh, r->names, r->arena, &form->override_count);
    form->has_hidden = true;
    form->hidden =
        game_split_list(rift_bin_string(mesh, RIFT_F_INITIAL_SUBMESH_TO_HIDE), &form->hidden_count, r->arena);
}

static void read_gear(const reader *r, size_t index, uint32_t link)
{
    const rift_bin_object *upgrade = game_find_object(r->skin, link, RIFT_C_GEAR_SKIN_UPGRADE);
    if (upgrade == NULL) {
        rift_report_add(r->report, "form_missing", "gear_%zu: 0x%08" PRIx32, index, link);
        return;
    }
    rift_form *form = next_form(r, "gear", index);
    if (form == NULL)
        return;
    const rift_bin_object *data = rift_bin_object_of(upgrade, RIFT_F_M_GEAR_DATA);
    form->gear = true;
    form->hash = link;
    form->animation = rift_bin_string(data, RIFT_F_M_EQUIP_ANIMATION);
    form->show = game_read_hashes(data, RIFT_F_M_CHARACTER_SUBMESHES_TO_SHOW, 0, &form->show_count, r->arena);
    form->hide = game_read_hashes(data, RIFT_F_M_CHARACTER_SUBMESHES_TO_HIDE, 0, &form->hide_count, r->arena);
    read_gear_mesh(r, form, rift_bin_object_of(data, RIFT_F_SKIN_MESH_PROPERTIES));
}

bool rift_form_has_mesh(const rift_skin *skin, const rift_form *form)
{
    return form->mesh.hash != 0 && form->mesh.hash != skin->mesh.hash;
}

bool rift_form_has_looks(const rift_form *form)
{
    return form->texture.hash != 0 || form->material != 0 || form->override_count > 0;
}

rift_skin rift_skin_of_form(const rift_skin *skin, const rift_form *form)
{
    rift_skin out = *skin;
    if (form->texture.hash != 0 || form->material != 0 || rift_form_has_mesh(skin, form)) {
        out.texture = form->texture;
        out.material = form->material;
        out.emissive = form->emissive;
    }
    if (form->mesh.hash != 0)
        out.mesh = form->mesh;
    out.overrides = form->overrides;
    out.override_count = form->override_count;
    out.hidden = form->hidden;
    out.hidden_count = form->hidden_count;
    return out;
}

/* ---- Conditions ---- */

enum { MAX_WHEN = 512, MAX_DRIVERS = 6 };

static void put_when(const reader *r, rift_buf *out, const rift_bin_object *driver, unsigned depth);

static void put_name(const reader *r, rift_buf *out, rift_name_table table, uint32_t hash)
{
    rift_str name;
    if (rift_names_lookup(r->names, table, hash, r->arena, &name)) {
        rift_buf_str(out, name);
    } else {
        rift_buf_printf(out, "0x%08" PRIx32, hash);
    }
}

/* Clips by the names under which they are written. */
static void put_clips(const reader *r, rift_buf *out, const rift_bin_object *driver)
{
    const rift_graph *graph = &r->skin->graph;
    size_t count;
    const rift_bin_value *items = rift_bin_items(driver, RIFT_F_M_ANIMATION_NAMES, &count);
    for (size_t i = 0; i < count && !out->failed; i++) {
        const uint32_t hash = rift_bin_value_hash(&items[i]);
        const uint32_t clip = rift_graph_clip_index(graph, hash);
        rift_buf_str(out, i == 0 ? RIFT_STR("clip ") : RIFT_STR(" or "));
        if (clip != RIFT_GRAPH_MISSING) {
            rift_buf_str(out,
                         rift_graph_clip_name(&graph->clips[clip], r->skin->ref.alias, r->names, r->arena));
        } else {
            put_name(r, out, RIFT_NAMES_BINHASHES, hash);
        }
    }
}

static void put_buff(const reader *r, rift_buf *out, const rift_bin_object *driver)
{
    const rift_str script = rift_bin_string(driver, RIFT_F_M_SCRIPT_NAME);
    rift_buf_str(out, RIFT_STR("buff "));
    if (script.size > 0) {
        rift_buf_str(out, script);
    } else {
        put_name(r, out, RIFT_NAMES_BINENTRIES, rift_bin_hash(driver, RIFT_F_SPELL));
    }
}

static void
put_several(const reader *r, rift_buf *out, const char *word, const rift_bin_object *driver, unsigned depth)
{
    size_t count;
    const rift_bin_value *items = rift_bin_items(driver, RIFT_F_M_DRIVERS, &count);
    rift_buf_printf(out, "%s (", word);
    for (size_t i = 0; i < count && !out->failed; i++) {
        if (i > 0)
            rift_buf_str(out, RIFT_STR(", "));
        put_when(r, out, rift_bin_value_object(&items[i]), depth);
    }
    rift_buf_str(out, RIFT_STR(")"));
}

static void put_when(const reader *r, rift_buf *out, const rift_bin_object *driver, unsigned depth)
{
    const rift_bin_object *inner = rift_bin_object_of(driver, RIFT_F_M_BOOL_DRIVER);
    if (driver == NULL || depth == MAX_DRIVERS) {
        rift_buf_str(out, RIFT_STR("?"));
    } else if (driver->class_hash == RIFT_C_HAS_GEAR_DRIVER) {
        rift_buf_printf(out, "gear %d", (int)(uint8_t)rift_bin_integer(driver, RIFT_F_M_GEAR_INDEX, 0));
    } else if (driver->class_hash == RIFT_C_HAS_BUFF_DRIVER) {
        put_buff(r, out, driver);
    } else if (driver->class_hash == RIFT_C_CLIP_PLAYING_DRIVER) {
        put_clips(r, out, driver);
    } else if (driver->class_hash == RIFT_C_NOT_DRIVER) {
        rift_buf_str(out, RIFT_STR("not ("));
        put_when(r, out, rift_bin_object_of(driver, RIFT_F_M_DRIVER), depth + 1);
        rift_buf_str(out, RIFT_STR(")"));
    } else if (driver->class_hash == RIFT_C_ONE_TRUE_DRIVER) {
        put_several(r, out, "any", driver, depth + 1);
    } else if (driver->class_hash == RIFT_C_ALL_TRUE_DRIVER) {
        put_several(r, out, "all", driver, depth + 1);
    } else if (inner != NULL) { /* a delay around another one */
        put_when(r, out, inner, depth + 1);
    } else {
        put_name(r, out, RIFT_NAMES_BINTYPES, driver->class_hash);
    }
}

/* Empty where there is none, or one too long to be of use. */
static rift_str when_of(const reader *r, const rift_bin_object *driver)
{
    rift_buf text;
    if (driver == NULL)
        return (rift_str){0};
    rift_buf_init(&text, r->arena, MAX_WHEN);
    put_when(r, &text, driver, 0);
    return text.failed ? (rift_str){0} : (rift_str){(const char *)text.data, text.size};
}

/* Most conditions start particles and nothing else: those are no forms. */
static void read_condition(const reader *r, size_t index, const rift_bin_object *object)
{
    rift_form found = {0};
    found.show = game_read_hashes(object, RIFT_F_SUBMESHES_TO_SHOW, 0, &found.show_count, r->arena);
    found.hide = game_read_hashes(object, RIFT_F_SUBMESHES_TO_HIDE, 0, &found.hide_count, r->arena);
    if (found.show_count + found.hide_count == 0)
        return;
    rift_form *form = next_form(r, "condition", index);
    if (form == NULL)
        return;
    found.index = form->index;
    found.name = form->name;
    found.when = when_of(r, rift_bin_object_of(object, RIFT_F_OWNER_CONDITION));
    *form = found;
}

void game_read_forms(rift_skin *skin,
                     const rift_bin_object *object,
                     const rift_names *names,
                     rift_arena *arena,
                     rift_report *report)
{
    const reader r = {.skin = skin, .names = names, .arena = arena, .report = report};
    size_t gears;
    size_t conditions;
    const rift_bin_value *links = rift_bin_items(rift_bin_object_of(object, RIFT_F_SKIN_UPGRADE_DATA),
                                                 RIFT_F_M_GEAR_SKIN_UPGRADES, &gears);
    const rift_bin_value *items = rift_bin_items(object, RIFT_F_PERSISTENT_EFFECT_CONDITIONS, &conditions);
    const size_t total = gears + conditions;
    skin->forms = RIFT_NEW(arena, rift_form, total < RIFT_SKIN_MAX_FORMS ? total : RIFT_SKIN_MAX_FORMS);
    if (skin->forms == NULL)
        return;
    for (size_t i = 0; i < gears; i++)
        read_gear(&r, i, rift_bin_value_hash(&links[i]));
    for (size_t i = 0; i < conditions; i++)
        read_condition(&r, i, rift_bin_value_object(&items[i]));
}
