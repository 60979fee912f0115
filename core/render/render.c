#include "render/render.h"

#include <stdlib.h>
#include <string.h>

#include "render/render_internal.h"

/* A triangle of a BLEND part. */
typedef struct blended {
    double near_by_z;   /* of its middle */
    size_t part, first; /* index among the part's indices; with the part the order where depths are equal */
} blended;

typedef struct drawing {
    const rift_scene *scene;
    rift_canvas canvas;
    rift_frame frame;
    rift_paint *paints;     /* by material */
    rift_vertex **vertices; /* by part; NULL for hidden ones */
    rift_mips *mips;        /* by texture */
    rift_arena *tmp;
    rift_err *err;
} drawing;

static bool prepare(drawing *d, const rift_view *view)
{
    const rift_scene *scene = d->scene;
    const size_t side = view->size;
    d->canvas = (rift_canvas){.side = view->size,
                              .samples = rift_arena_push(d->tmp, side * side, (size_t)4 * SAMPLES, 16),
                              .depth = RIFT_NEW(d->tmp, float, side *side *SAMPLES)};
    d->paints = RIFT_NEW(d->tmp, rift_paint, scene->material_count);
    d->vertices = RIFT_NEW(d->tmp, rift_vertex *, scene->part_count);
    d->mips = RIFT_NEW(d->tmp, rift_mips, scene->texture_count);
    if (!rift_arena_ok(d->tmp, "picture", d->err))
        return false;
    for (size_t i = 0; i < scene->material_count; i++) {
        if (!rift_paint_init(&d->paints[i], scene, &scene->materials[i], d->mips, d->err))
            return false;
    }
    for (size_t i = 0; i < side * side * SAMPLES; i++)
        memcpy(d->canvas.samples + 4 * i, view->background, 4);
    rift_frame_fit(&d->frame, scene, view);
    return true;
}

static bool project(drawing *d, size_t i)
{
    const rift_part *part = &d->scene->parts[i];
    d->vertices[i] = RIFT_NEW(d->tmp, rift_vertex, part->vertex_count);
    if (d->vertices[i] == NULL)
        return rift_arena_ok(d->tmp, "vertices", d->err);
    rift_frame_project(d->vertices[i], &d->frame, part, &d->scene->materials[part->material]);
    return true;
}

static bool draw(const drawing *d, size_t i, size_t first)
{
    const rift_part *part = &d->scene->parts[i];
    const rift_vertex *corners[3];
    for (size_t k = 0; k < 3; k++)
        corners[k] = &d->vertices[i][part->indices[first + k]];
    return rift_draw_triangle(&d->canvas, corners, &d->paints[part->material], d->tmp, d->err);
}

static bool is_blended(const drawing *d, size_t i)
{
    return d->scene->materials[d->scene->parts[i].material].alpha_mode == RIFT_ALPHA_BLEND;
}

static bool draw_solid(drawing *d)
{
    for (size_t i = 0; i < d->scene->part_count; i++) {
        const rift_part *part = &d->scene->parts[i];
        if (part->hidden)
            continue;
        if (!project(d, i))
            return false;
        for (size_t k = 0; !is_blended(d, i) && k + 2 < part->index_count; k += 3) {
            if (!draw(d, i, k))
                return false;
        }
    }
    return true;
}

static int far_first(const void *a, const void *b)
{
    const blended *x = a;
    const blended *y = b;
    if (x->near_by_z != y->near_by_z)
        return x->near_by_z < y->near_by_z ? -1 : 1;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static size_t list_blended(const drawing *d, blended *list)
{
    size_t n = 0;
    for (size_t i = 0; i < d->scene->part_count; i++) {
        const rift_part *part = &d->scene->parts[i];
        for (size_t k = 0; !part->hidden && is_blended(d, i) && k + 2 < part->index_count; k += 3) {
            if (list != NULL) {
                const rift_vertex *v = d->vertices[i];
                const uint32_t *corner = part->indices + k;
                list[n] =
                    (blended){v[corner[0]].near_by_z + v[corner[1]].near_by_z + v[corner[2]].near_by_z, i, k};
            }
            n++;
        }
    }
    return n;
}

static bool draw_blended(drawing *d)
{
    const size_t count = list_blended(d, NULL);
    if (count == 0)
        return true;
    blended *list = RIFT_NEW(d->tmp, blended, count);
    if (list == NULL)
        return rift_arena_ok(d->tmp, "blended triangles", d->err);
    (void)list_blended(d, list);
    qsort(list, count, sizeof *list, far_first);
    for (size_t i = 0; i < count; i++) {
        if (!draw(d, list[i].part, list[i].first))
            return false;
    }
    return true;
}

static bool render(drawing *d, rift_pixels *out, const rift_view *view, rift_arena *arena)
{
    if (!prepare(d, view) || (!d->frame.empty && (!draw_solid(d) || !draw_blended(d))))
        return false;
    const rift_pixels samples = {
        .width = 2 * view->size, .height = 2 * view->size, .rgba = d->canvas.samples};
    return rift_texture_halve(out, &samples, arena, d->err);
}

bool rift_render(rift_pixels *out,
                 const rift_scene *scene,
                 const rift_view *view,
                 rift_arena *arena,
                 rift_arena *tmp,
                 rift_err *err)
{
    if (view->size < RIFT_VIEW_MIN_SIZE || view->size > RIFT_VIEW_MAX_SIZE) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "size", RIFT_NO_OFFSET, "%u is not within %d and %d",
                         view->size, RIFT_VIEW_MIN_SIZE, RIFT_VIEW_MAX_SIZE);
    }
    drawing d = {.scene = scene, .tmp = tmp, .err = err};
    const rift_arena_mark mark = rift_arena_get_mark(tmp);
    const bool ok = render(&d, out, view, arena);
    rift_arena_rewind(tmp, mark);
    return ok;
}
