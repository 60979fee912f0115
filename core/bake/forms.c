/* Forms as states of the written parts: who is visible, not only what changes, so that a front end needs no rule of its
 * own. Parts of one name share their state, as in clips. */
#include "bake/bake_internal.h"

#include "base/str.h"
#include "hash/hash.h"

static uint64_t key_of(uint32_t form, uint32_t name)
{
    return (uint64_t)form << 32 | name;
}

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
    for (size_t p = 0; job->tmp->failed == RIFT_OK && p < parts; p++) {
        const rift_part *part = &job->scene.parts[p];
        s->first[p] =
            rift_map_add(&s->part_of, key_of(part->form, rift_fnv1a(part->source_name)), (uint32_t)p);
    }
    return job->tmp->failed == RIFT_OK; /* whoever owns the arena asks it */
}

void bake_states_start(const bake_states *s)
{
    for (size_t p = 0; p < s->scene->part_count; p++)
        s->shown[p] = !s->scene->parts[p].hidden;
}

void bake_states_set(
    const bake_states *s, bool *flags, uint32_t form, const uint32_t *hashes, size_t count, bool value)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t part = rift_map_lookup(&s->part_of, key_of(form, hashes[i]));
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

/* A form as it stands in the file. */
typedef struct written_form {
    const rift_form *form;
    uint32_t
        mesh; /* 0: it shows and hides parts of the skin's mesh; else 1 + its place: it has parts of its own */
    bool left_out; /* its mesh is not in the file */
} written_form;

static void
set_names(const bake_states *s, bool *flags, uint32_t form, const rift_str *names, size_t count, bool value)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t hash = rift_fnv1a(names[i]);
        bake_states_set(s, flags, form, &hash, 1, value);
    }
}

static void set_all(const bake_states *s, bool *flags, uint32_t form, bool value)
{
    for (size_t p = 0; p < s->scene->part_count; p++) {
        if (s->scene->parts[p].form == form)
            flags[s->first[p]] = value;
    }
}

/* A form with a start state of its own changes whatever stands in either of the two; one with a mesh of its own all that is in
 * the one and the other. */
static void touch(const bake_states *s, const written_form *w)
{
    const rift_form *form = w->form;
    if (w->left_out)
        return;
    if (w->mesh > 0) {
        set_all(s, s->touched, 0, true);
        set_all(s, s->touched, w->mesh, true);
        return;
    }
    bake_states_set(s, s->touched, 0, form->show, form->show_count, true);
    bake_states_set(s, s->touched, 0, form->hide, form->hide_count, true);
    set_names(s, s->touched, 0, form->hidden, form->hidden_count, true);
    for (size_t p = 0; form->has_hidden && p < s->scene->part_count; p++) {
        if (s->scene->parts[p].form == 0 && s->scene->parts[p].hidden)
            s->touched[s->first[p]] = true;
    }
}

static void enter(const bake_states *s, const written_form *w)
{
    const rift_form *form = w->form;
    bake_states_start(s);
    if (w->left_out)
        return;
    if (w->mesh > 0)
        set_all(s, s->shown, 0, false);
    if (form->has_hidden)
        set_all(s, s->shown, w->mesh, true);
    set_names(s, s->shown, w->mesh, form->hidden, form->hidden_count, false);
    bake_states_set(s, s->shown, w->mesh, form->hide, form->hide_count, false);
    bake_states_set(s, s->shown, w->mesh, form->show, form->show_count, true);
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

/* The variant that has a form's looks, or an empty name. */
static rift_str variant_of(const bake_job *job, size_t form)
{
    for (size_t i = 0; i < job->scene.variant_count; i++) {
        if (job->variants[i].form == form + 1)
            return job->variants[i].name;
    }
    return (rift_str){0};
}

static void
put_form(rift_json *j, const bake_states *s, const bake_job *job, const written_form *w, size_t index)
{
    const rift_form *form = w->form;
    const rift_str variant = variant_of(job, index);
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
    enter(s, w);
    bake_states_put(j, s);
    put_mesh(j, form, job->tmp);
    if (variant.size > 0)
        rift_json_put_str(j, "variant", variant);
    if (w->left_out)
        rift_json_put_bool(j, "left_out", true);
    rift_json_object_end(j);
}

static written_form written(const bake_job *job, size_t index)
{
    written_form w = {.form = &job->skin.forms[index]};
    if (!rift_form_has_mesh(&job->skin, w.form))
        return w;
    w.left_out = !bake_has_form_parts(job, index);
    if (!w.left_out)
        w.mesh = (uint32_t)index + 1;
    return w;
}

static void put_forms(rift_json *j, const bake_states *s, const bake_job *job)
{
    const rift_skin *skin = &job->skin;
    for (size_t i = 0; i < skin->form_count; i++) {
        const written_form w = written(job, i);
        touch(s, &w);
    }
    rift_json_key(j, "forms");
    rift_json_array(j);
    rift_json_object(j);
    rift_json_put_cstr(j, "name", "start");
    bake_states_start(s);
    bake_states_put(j, s);
    rift_json_object_end(j);
    for (size_t i = 0; i < skin->form_count; i++) {
        const written_form w = written(job, i);
        put_form(j, s, job, &w, i);
    }
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
