/* Forms as states of the written parts: who is visible, not only what changes, so that a front end needs no rule of its
 * own. Parts of one name share their state, as in clips. */
#include "bake/bake_internal.h"

#include "base/str.h"
#include "hash/hash.h"

bool bake_states_open(bake_states *s, const bake_job *job)
{
    const size_t parts = job->scene.part_count;
    *s = (bake_states){
        .scene = &job->scene,
        .first = RIFT_NEW(job->tmp, uint32_t, parts),
        .touched = RIFT_NEW(job->tmp, bool, parts),
        .shown = RIFT_NEW(job->tmp, bool, parts),
    };
    rift_map_init(&s->part_of, job->tmp, parts);
    for (size_t p = 0; job->tmp->failed == RIFT_OK && p < parts; p++)
        s->first[p] = rift_map_add(&s->part_of, rift_fnv1a(job->scene.parts[p].source_name), (uint32_t)p);
    return job->tmp->failed == RIFT_OK; /* whoever owns the arena asks it */
}

void bake_states_start(const bake_states *s)
{
    for (size_t p = 0; p < s->scene->part_count; p++)
        s->shown[p] = !s->scene->parts[p].hidden;
}

void bake_states_set(const bake_states *s, bool *flags, const uint32_t *hashes, size_t count, bool value)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t part = rift_map_lookup(&s->part_of, hashes[i]);
        if (part != RIFT_MAP_NONE)
            flags[part] = value;
    }
}

static void put_list(rift_json *j, const bake_states *s, const char *key, bool visible)
{
    rift_json_key(j, key);
    rift_json_array(j);
    for (size_t p = 0; p < s->scene->part_count; p++) {
        if (s->touched[s->first[p]] && s->shown[s->first[p]] == visible)
            rift_json_str(j, s->scene->parts[p].name);
    }
    rift_json_array_end(j);
}

void bake_states_put(rift_json *j, const bake_states *s)
{
    put_list(j, s, "show", true);
    put_list(j, s, "hide", false);
}

/* A form with a start state of its own changes whatever stands in either of the two. */
static void touch(const bake_states *s, const rift_form *form)
{
    bake_states_set(s, s->touched, form->show, form->show_count, true);
    bake_states_set(s, s->touched, form->hide, form->hide_count, true);
    for (size_t i = 0; i < form->hidden_count; i++) {
        const uint32_t hash = rift_fnv1a(form->hidden[i]);
        bake_states_set(s, s->touched, &hash, 1, true);
    }
    for (size_t p = 0; form->has_hidden && p < s->scene->part_count; p++)
        s->touched[s->first[p]] = s->touched[s->first[p]] || s->scene->parts[p].hidden;
}

static void enter(const bake_states *s, const rift_form *form)
{
    bake_states_start(s);
    for (size_t p = 0; form->has_hidden && p < s->scene->part_count; p++)
        s->shown[p] = true;
    for (size_t i = 0; i < form->hidden_count; i++) {
        const uint32_t hash = rift_fnv1a(form->hidden[i]);
        bake_states_set(s, s->shown, &hash, 1, false);
    }
    bake_states_set(s, s->shown, form->hide, form->hide_count, false);
    bake_states_set(s, s->shown, form->show, form->show_count, true);
}

/* What a gear level with mesh properties of its own draws instead. */
static void put_mesh(rift_json *j, const rift_form *form, rift_arena *scratch)
{
    if (form->mesh.hash != 0)
        rift_json_put_str(j, "mesh", rift_asset_path_text(&form->mesh, scratch));
    if (form->texture.hash != 0)
        rift_json_put_str(j, "texture", rift_asset_path_text(&form->texture, scratch));
    if (form->override_count == 0)
        return;
    rift_json_key(j, "overrides");
    rift_json_array(j);
    for (size_t i = 0; i < form->override_count; i++) {
        const rift_material_override *o = &form->overrides[i];
        rift_json_object(j);
        rift_json_put_str(j, "part", o->submesh);
        if (o->texture.hash != 0)
            rift_json_put_str(j, "texture", rift_asset_path_text(&o->texture, scratch));
        if (o->material != 0)
            rift_json_put_hex(j, "material", o->material, 8);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

static void put_form(rift_json *j, const bake_states *s, const rift_form *form, rift_arena *scratch)
{
    rift_json_object(j);
    rift_json_put_str(j, "name", form->name);
    rift_json_put_cstr(j, "kind", form->gear ? "gear" : "condition");
    rift_json_put_uint(j, "index", form->index);
    if (form->gear)
        rift_json_put_hex(j, "hash", form->hash, 8);
    if (form->when.size > 0)
        rift_json_put_str(j, "when", form->when);
    if (form->animation.size > 0)
        rift_json_put_str(j, "animation", form->animation);
    enter(s, form);
    bake_states_put(j, s);
    put_mesh(j, form, scratch);
    rift_json_object_end(j);
}

static void put_forms(rift_json *j, const bake_states *s, const bake_job *job)
{
    const rift_skin *skin = &job->skin;
    for (size_t i = 0; i < skin->form_count; i++)
        touch(s, &skin->forms[i]);
    rift_json_key(j, "forms");
    rift_json_array(j);
    rift_json_object(j);
    rift_json_put_cstr(j, "name", "start");
    bake_states_start(s);
    bake_states_put(j, s);
    rift_json_object_end(j);
    for (size_t i = 0; i < skin->form_count; i++)
        put_form(j, s, &skin->forms[i], job->tmp);
    rift_json_array_end(j);
}

void bake_put_forms(rift_json *j, const bake_job *job)
{
    bake_states s;
    if (job->skin.form_count == 0)
        return;
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    if (bake_states_open(&s, job))
        put_forms(j, &s, job);
    rift_arena_rewind(job->tmp, mark);
}
