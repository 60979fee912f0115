/* chromas=variants: the looks of a skin's chromas for the parts of their parent (G35, decisions 10). A chroma's bins are
 * parsed into scratch and dropped again, since a skin may have twenty; what a look says is copied. A chroma that does not
 * fit is reported and left out, whatever is wrong with it. */
#include <inttypes.h>

#include "bake/bake_internal.h"

#include "base/str.h"
#include "game/family.h"

bool bake_is_survivable(rift_status code)
{
    return code != RIFT_ERR_IO && code != RIFT_ERR_CANCELLED && code != RIFT_ERR_NOMEM &&
           code != RIFT_ERR_INTERNAL;
}

/* Whether two paths lead to the same bytes. Scratch stays in tmp. */
static bool
same_file(bake_job *job, const rift_asset_path *a, const rift_asset_path *b, bool *same, rift_err *err)
{
    rift_bytes x;
    rift_bytes y;
    *same = a->hash == b->hash;
    if (*same || a->hash == 0 || b->hash == 0)
        return true;
    if (!bake_read(job, a, &x, err) || !bake_read(job, b, &y, err))
        return false;
    *same = x.size == y.size && rift_xxh3(x) == rift_xxh3(y);
    return true;
}

/* The mesh and the rig must be the parent's, or nothing fits. */
static bool check_model(bake_job *job, const rift_skin *chroma, bool *fits, rift_err *err)
{
    rift_report *report = &job->result->report;
    bool mesh;
    bool skeleton;
    if (!same_file(job, &chroma->mesh, &job->skin.mesh, &mesh, err) ||
        !same_file(job, &chroma->skeleton, &job->skin.skeleton, &skeleton, err))
        return false;
    if (!mesh)
        rift_report_add(report, "variant_mesh_differs", "%.*s", RIFT_STR_ARG(chroma->mesh.name));
    if (!skeleton)
        rift_report_add(report, "variant_skeleton_differs", "%.*s", RIFT_STR_ARG(chroma->skeleton.name));
    *fits = mesh && skeleton;
    return true;
}

/* Clips and hidden parts are the parent's; where the chroma's own are others, that is said. */
static void report_differences(bake_job *job, const rift_skin *chroma)
{
    rift_report *report = &job->result->report;
    const rift_graph *own = &chroma->graph;
    const rift_graph *parents = &job->skin.graph;
    bool same = own->clip_count == parents->clip_count;
    for (size_t i = 0; same && i < own->clip_count; i++) {
        same = own->clips[i].hash == parents->clips[i].hash &&
               own->clips[i].file.hash == parents->clips[i].file.hash;
    }
    if (!same) {
        rift_report_add(report, "variant_clips_differ", "%zu clips of its own, written are the parent's %zu",
                        own->clip_count, parents->clip_count);
    }
    for (size_t i = 0; i < job->scene.part_count; i++) {
        const rift_part *part = &job->scene.parts[i];
        if (part->form == 0 &&
            rift_skin_hides(chroma, part->source_name) != rift_skin_hides(&job->skin, part->source_name))
            rift_report_add(report, "variant_hidden_differs", "%.*s", RIFT_STR_ARG(part->name));
    }
}

static void keep(rift_arena *out, rift_str *s)
{
    if (s->size > 0)
        *s = rift_arena_copy_str(out, *s);
}

static bool take_looks(bake_job *job, const rift_skin *chroma, bake_variant *variant)
{
    variant->looks = RIFT_NEW(job->out, rift_look, job->scene.part_count);
    for (size_t i = 0; variant->looks != NULL && i < job->scene.part_count; i++) {
        rift_look *look = &variant->looks[i];
        const rift_part *part = &job->scene.parts[i];
        const rift_skin own = bake_part_skin(job, part); /* a form's mesh looks as it does */
        if (!rift_skin_look(look, part->form > 0 ? &own : chroma, part->source_name, job->names, job->tmp,
                            &job->result->report, job->err))
            return false;
        keep(job->out, &look->texture.name);
        keep(job->out, &look->emissive.name);
        keep(job->out, &look->material.name);
        keep(job->out, &look->material.texture.name);
        keep(job->out, &look->material.slot);
        keep(job->out, &look->material.other_textures);
        for (size_t t = 0; t < look->try_count; t++)
            keep(job->out, &look->tries[t].name);
    }
    return rift_arena_ok(job->out, "variants", job->err);
}

/* False only for what must end the bake. *fits: the variant is filled. */
static bool open_variant(bake_job *job, const rift_relative *chroma, bake_variant *variant, bool *fits)
{
    rift_report *report = &job->result->report;
    rift_skin_ref ref = job->skin.ref;
    rift_skin skin;
    rift_err err;
    rift_err_in(&err, variant->name);
    ref.number = chroma->number;
    ref.id = ref.champion != NULL ? ref.champion->id * 1000 + chroma->number : 0;
    *fits = false;
    if (rift_skin_load(&skin, &ref, job->assets, job->names, job->tmp, &job->result->uses, report, &err) &&
        check_model(job, &skin, fits, &err)) {
        if (!*fits)
            return true;
        report_differences(job, &skin);
        return take_looks(job, &skin, variant);
    }
    if (!bake_is_survivable(err.code) || !rift_arena_ok(job->tmp, "variants", job->err)) {
        *job->err = err;
        return false;
    }
    rift_report_err(report, "variant_unreadable", &err);
    return true;
}

static rift_str variant_extras(bake_job *job, const rift_relative *chroma)
{
    const rift_skin_ref *ref = &job->skin.ref;
    return ref->champion != NULL
               ? rift_arena_printf(job->out, "\"id\":%" PRIu32 ",\"number\":%" PRIu32,
                                   ref->champion->id * 1000 + chroma->number, chroma->number)
               : rift_arena_printf(job->out, "\"number\":%" PRIu32, chroma->number);
}

static rift_str name_of(bake_job *job, const rift_relative *chroma)
{
    if (chroma->name.size > 0 && rift_str_is_utf8(chroma->name))
        return chroma->name;
    return rift_arena_printf(job->out, "%.*s-%" PRIu32, RIFT_STR_ARG(chroma->alias), chroma->number);
}

static bool is_painted(const bake_job *job, const rift_form *form)
{
    return rift_form_has_looks(form) && !rift_form_has_mesh(&job->skin, form);
}

/* Gear levels that paint the skin's own parts. */
static bool open_levels(bake_job *job, rift_unique *names)
{
    rift_scene *scene = &job->scene;
    for (size_t i = 0; i < job->skin.form_count; i++) {
        const rift_form *form = &job->skin.forms[i];
        if (!is_painted(job, form))
            continue;
        bake_variant *variant = &job->variants[scene->variant_count];
        const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
        const rift_skin skin = rift_skin_of_form(&job->skin, form);
        *variant = (bake_variant){.number = form->index, .form = (uint32_t)i + 1};
        rift_report_in(&job->result->report, form->name);
        if (!take_looks(job, &skin, variant))
            return false;
        rift_arena_rewind(job->tmp, mark);
        variant->name = rift_unique_clip(names, form->name);
        scene->variants[scene->variant_count++] = (struct rift_variant){
            .name = variant->name,
            .extras = rift_arena_printf(job->out, "\"form\":\"%.*s\"", RIFT_STR_ARG(form->name))};
    }
    rift_report_in(&job->result->report, (rift_str){0});
    return rift_arena_ok(job->out, "variants", job->err);
}

static bool open_variants(bake_job *job, const rift_relatives *chromas, size_t levels)
{
    rift_scene *scene = &job->scene;
    rift_unique names;
    rift_unique_init(&names, job->out, chromas->count + levels);
    job->variants = RIFT_NEW(job->out, bake_variant, chromas->count + levels);
    scene->variants = RIFT_NEW(job->out, struct rift_variant, chromas->count + levels);
    if (!rift_arena_ok(job->out, "variants", job->err))
        return false;
    for (size_t i = 0; i < chromas->count; i++) {
        const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
        bake_variant *variant = &job->variants[scene->variant_count];
        bool fits;
        *variant =
            (bake_variant){.name = name_of(job, &chromas->items[i]), .number = chromas->items[i].number};
        rift_report_in(&job->result->report, variant->name);
        if (!bake_enter(job, RIFT_STAGE_BIN, 60) || !open_variant(job, &chromas->items[i], variant, &fits))
            return false;
        rift_arena_rewind(job->tmp, mark);
        if (!fits)
            continue;
        variant->name = rift_unique_clip(&names, variant->name);
        scene->variants[scene->variant_count++] =
            (struct rift_variant){.name = variant->name, .extras = variant_extras(job, &chromas->items[i])};
    }
    rift_report_in(&job->result->report, (rift_str){0});
    return rift_arena_ok(job->out, "variants", job->err) && open_levels(job, &names);
}

/* How many levels paint; what the file will not have is reported. */
static size_t count_levels(bake_job *job, bool wanted)
{
    size_t levels = 0;
    for (size_t i = 0; i < job->skin.form_count; i++) {
        const rift_form *form = &job->skin.forms[i];
        if (!is_painted(job, form))
            continue;
        levels++;
        if (!wanted) {
            rift_report_add(&job->result->report, "form_look_left_out", "%.*s: chromas=variants has it",
                            RIFT_STR_ARG(form->name));
        }
    }
    return levels;
}

bool bake_open_variants(bake_job *job)
{
    rift_report *report = &job->result->report;
    rift_relatives chromas = {0};
    const bool wanted = job->options.chromas == RIFT_CHROMAS_VARIANTS && job->scene.part_count > 0;
    const size_t levels = count_levels(job, wanted);
    if (!wanted)
        return true;
    if (job->skin.ref.alias.size > 0 && job->of_game &&
        !rift_family_chromas(&chromas, &job->skin.ref, job->assets, job->out, job->tmp, &job->result->uses,
                             report, job->err))
        return false;
    if (chromas.count == 0)
        rift_report_add(report, "no_chromas", "no skin has this one as its parent");
    return chromas.count + levels == 0 || open_variants(job, &chromas, levels);
}
