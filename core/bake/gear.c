/* Gear levels with mesh properties of their own. A level's own mesh becomes parts behind those of the skin, on the same
 * skeleton, hidden at the start, so that a viewer changes the level by showing and hiding (forms.c). A level that only paints
 * the skin's parts anew is a variant (variants.c). What the file leaves out is reported. */
#include <string.h>

#include "bake/bake_internal.h"

#include "base/str.h"

enum { MAX_LEVELS = 16 };

rift_skin bake_part_skin(const bake_job *job, const rift_part *part)
{
    return part->form > 0 ? rift_skin_of_form(&job->skin, &job->skin.forms[part->form - 1]) : job->skin;
}

bool bake_has_form_parts(const bake_job *job, size_t form)
{
    bool any = false;
    for (size_t i = 0; i < job->scene.part_count; i++)
        any = any || job->scene.parts[i].form == form + 1;
    return any;
}

/* Behind the parts that are there. */
static bool append(bake_job *job, rift_part *parts, size_t count, size_t form)
{
    rift_scene *scene = &job->scene;
    rift_part *all = RIFT_NEW(job->out, rift_part, scene->part_count + count);
    if (all == NULL)
        return rift_arena_ok(job->out, "parts", job->err);
    for (size_t i = 0; i < scene->part_count; i++)
        all[i] = scene->parts[i];
    for (size_t i = 0; i < count; i++) {
        parts[i].hidden = true;
        parts[i].form = (uint32_t)form + 1;
        parts[i].form_name = job->skin.forms[form].name;
        all[scene->part_count + i] = parts[i];
    }
    scene->parts = all;
    scene->part_count += count;
    return true;
}

static bool read_parts(bake_job *job, const rift_form *form, rift_part **parts, size_t *count, rift_err *err)
{
    rift_scene *scene = &job->scene;
    const rift_part_opts opts = {.keep_colors = job->options.vertex_colors == RIFT_VERTEX_COLORS_CUSTOM,
                                 .node_name = scene->name,
                                 .taken = scene->parts,
                                 .taken_count = scene->part_count};
    rift_bytes bytes;
    rift_skn skn;
    return bake_read(job, &form->mesh, &bytes, err) &&
           rift_skn_parse(&skn, bytes, job->tmp, &job->result->report, err) &&
           rift_parts_build(parts, count, &skn, scene->skeleton, &opts, job->out, &job->result->report, err);
}

/* False only for what must end the bake. */
static bool add_level(bake_job *job, size_t index)
{
    rift_report *report = &job->result->report;
    const rift_form *form = &job->skin.forms[index];
    rift_part *parts;
    size_t count;
    rift_err err;
    rift_err_in(&err, form->name);
    rift_report_in(report, form->name);
    const bool ok = read_parts(job, form, &parts, &count, &err);
    rift_report_in(report, (rift_str){0});
    if (ok)
        return append(job, parts, count, index);
    if (!bake_is_survivable(err.code) || !rift_arena_ok(job->tmp, "gear", job->err)) {
        *job->err = err;
        return false;
    }
    rift_report_err(report, "form_mesh_unreadable", &err);
    return true;
}

bool bake_gear(bake_job *job)
{
    rift_report *report = &job->result->report;
    size_t levels = 0;
    for (size_t i = 0; i < job->skin.form_count; i++) {
        const rift_form *form = &job->skin.forms[i];
        if (!rift_form_has_mesh(&job->skin, form))
            continue;
        if (form->skeleton.hash != 0 && form->skeleton.hash != job->skin.skeleton.hash) {
            rift_report_add(report, "form_skeleton_differs", "%.*s", RIFT_STR_ARG(form->name));
        } else if (job->options.hidden == RIFT_HIDDEN_OMIT || levels == MAX_LEVELS) {
            rift_report_add(report, "form_mesh_left_out", "%.*s: %s", RIFT_STR_ARG(form->name),
                            levels == MAX_LEVELS ? "there are too many" : "hidden=include has it");
        } else {
            const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
            levels++;
            if (!add_level(job, i))
                return false;
            rift_arena_rewind(job->tmp, mark);
        }
    }
    return true;
}
