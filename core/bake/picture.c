/* Pictures: the scene as for a GLB, its textures kept as pixels, posed and drawn. */
#include <string.h>

#include "bake/bake_internal.h"

#include "base/str.h"

/* Texels that no sample of the picture would see are not decoded. */
static uint32_t texture_side(uint32_t size)
{
    uint32_t side = 64;
    while (side < size)
        side *= 2;
    return side;
}

static bool open_picture(bake_job *job,
                         rift_bake_result *result,
                         const rift_bake_request *request,
                         const rift_view *view,
                         rift_arena *out,
                         rift_arena *tmp,
                         rift_err *err)
{
    if (!bake_open_skin(job, result, request, out, tmp, err))
        return false;
    const rift_options *asked = &request->options;
    job->options = rift_options_default();
    job->options.pose_clip = asked->pose_clip;
    job->options.pose_us = asked->pose_us;
    job->options.clips = asked->clips;
    job->options.snap = asked->snap;
    job->options.additive = asked->additive;
    job->options.max_texture = asked->max_texture > 0 ? asked->max_texture : texture_side(view->size);
    job->options.keys = RIFT_KEYS_OPTION_CUBIC; /* the clips' own curves: no time goes into keys */
    job->raw_textures = true;
    return true;
}

static bool comes_first(rift_str a, rift_str b)
{
    if (a.size != b.size)
        return a.size < b.size;
    return memcmp(a.data, b.data, a.size) < 0;
}

/* The clip that people know the skin by. */
static bool choose_pose(bake_job *job)
{
    const rift_graph *graph = &job->skin.graph;
    rift_str best = {0};
    for (size_t i = 0; i < graph->clip_count; i++) {
        const rift_graph_clip *clip = &graph->clips[i];
        const rift_str name = rift_graph_clip_name(clip, job->skin.ref.alias, job->names, job->out);
        if (name.size > 0 && strcmp(rift_clip_kind_word(name), "idle") == 0 &&
            !bake_clip_is_additive(graph, clip) && (best.size == 0 || comes_first(name, best)))
            best = name;
    }
    job->options.pose_clip = best;
    job->pose_is_ours = true;
    if (best.size == 0)
        job->options.content = RIFT_CONTENT_RIG;
    return rift_arena_ok(job->out, "clips", job->err);
}

/* The pose that was asked for, or chosen, or the rest pose. */
static bool pose(bake_job *job)
{
    if (bake_wants_pose(job) || job->scene.skeleton == NULL)
        return bake_pose(job);
    return bake_skin_parts(job, job->scene.parts, NULL, 0);
}

static bool check(bake_job *job)
{
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    const bool ok =
        bake_enter(job, RIFT_STAGE_WRITE, 95) && rift_scene_check(&job->scene, job->tmp, job->err);
    rift_arena_rewind(job->tmp, mark);
    return ok;
}

bool rift_picture(rift_pixels *picture,
                  rift_bake_result *result,
                  const rift_bake_request *request,
                  const rift_view *view,
                  rift_arena *out,
                  rift_arena *tmp,
                  rift_err *err)
{
    bake_job job;
    if (!open_picture(&job, result, request, view, out, tmp, err) ||
        (!bake_wants_pose(&job) && !choose_pose(&job)))
        return false;
    job.scene.name = RIFT_STR("picture");
    return bake_mesh(&job) && bake_clips(&job) && pose(&job) && bake_materials(&job) && check(&job) &&
           rift_render(picture, &job.scene, view, out, tmp, err);
}

/* ---- contact sheets ---- */

static bool copy_floats(float **array, size_t count, rift_arena *arena)
{
    float *copy = RIFT_NEW(arena, float, count);
    if (copy == NULL)
        return false;
    memcpy(copy, *array, count * sizeof *copy);
    *array = copy;
    return true;
}

static bool draw_clip(bake_job *job, const rift_clip *clip, const rift_view *view, rift_pixels *cell)
{
    rift_scene scene = job->scene;
    scene.parts = RIFT_NEW(job->tmp, rift_part, scene.part_count);
    for (size_t i = 0; scene.parts != NULL && i < scene.part_count; i++) {
        rift_part *part = &scene.parts[i];
        *part = job->scene.parts[i];
        if (!copy_floats(&part->positions, 3 * part->vertex_count, job->tmp) ||
            !copy_floats(&part->normals, 3 * part->vertex_count, job->tmp))
            break;
    }
    if (!rift_arena_ok(job->tmp, "sheet", job->err))
        return false;
    bake_show_clip(job, scene.parts, (size_t)(clip - job->scene.clips));
    return bake_skin_parts(job, scene.parts, clip, (double)clip->length / 2) &&
           rift_render(cell, &scene, view, job->out, job->tmp, job->err);
}

static void place(rift_pixels *sheet, const rift_pixels *cell, size_t column, size_t row)
{
    for (size_t y = 0; y < cell->height; y++) {
        memcpy(sheet->rgba + 4 * ((row * cell->height + y) * sheet->width + column * cell->width),
               cell->rgba + 4 * y * cell->width, 4 * (size_t)cell->width);
    }
}

static bool draw_sheet(bake_job *job, const rift_view *view, rift_pixels *picture)
{
    const size_t count = job->scene.clip_count;
    size_t columns = 1;
    while (columns * columns < count)
        columns++;
    const size_t rows = count > 0 ? (count + columns - 1) / columns : 0;
    if (rows == 0) {
        return rift_fail(job->err, RIFT_ERR_ARGUMENT, "clips", RIFT_NO_OFFSET,
                         "none of %zu clips is asked for", job->skin.graph.clip_count);
    }
    if (columns * view->size > RIFT_SHEET_MAX_SIDE) {
        return rift_fail(job->err, RIFT_ERR_ARGUMENT, "size", RIFT_NO_OFFSET, "%zu times %u is over %d",
                         columns, view->size, RIFT_SHEET_MAX_SIDE);
    }
    rift_pixels sheet = {.width = (uint32_t)columns * view->size, .height = (uint32_t)rows * view->size};
    sheet.rgba = rift_arena_push(job->out, (size_t)sheet.width * sheet.height, 4, 16);
    if (sheet.rgba == NULL)
        return rift_arena_ok(job->out, "sheet", job->err);
    for (size_t i = 0; i < (size_t)sheet.width * sheet.height; i++)
        memcpy(sheet.rgba + 4 * i, view->background, 4);
    for (size_t i = 0; i < count; i++) {
        rift_pixels cell = {0};
        const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
        if (!bake_enter(job, RIFT_STAGE_WRITE, 95) || !draw_clip(job, &job->scene.clips[i], view, &cell))
            return false;
        rift_arena_rewind(job->tmp, mark);
        place(&sheet, &cell, i % columns, i / columns);
    }
    *picture = sheet;
    return true;
}

bool rift_contact_sheet(rift_pixels *picture,
                        rift_bake_result *result,
                        const rift_bake_request *request,
                        const rift_view *cell,
                        rift_arena *out,
                        rift_arena *tmp,
                        rift_err *err)
{
    bake_job job;
    if (!open_picture(&job, result, request, cell, out, tmp, err))
        return false;
    job.options.pose_clip = (rift_str){0};
    job.is_sheet = true;
    job.scene.name = RIFT_STR("picture");
    return bake_mesh(&job) && bake_clips(&job) && bake_materials(&job) && check(&job) &&
           draw_sheet(&job, cell, picture);
}
