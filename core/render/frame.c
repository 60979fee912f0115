/* Where the eye stands. It looks along -z of the turned output space; its place is the nearest one from which every corner
 * of a drawn triangle lies inside the pyramid of sight, so that nothing is ever clipped. */
#include <math.h>

#include "render/render_internal.h"

static const double slope = 0.2679491924311227; /* half of the view at distance 1: tan 15 degrees */
static const double fitted = 0.9375;            /* of the half side that the model may fill */
static const double least_distance = 0.5;       /* of the model's own depth, before its nearest point */

/* x below 0.8: the series ends below 1e-17. */
static void small_sin_cos(double x, double *sine, double *cosine)
{
    double term = 1;
    double sums[2] = {1, 0};
    for (int i = 1; i <= 17; i++) {
        term *= x / i;
        sums[i % 2] += (i / 2) % 2 == 0 ? term : -term;
    }
    *cosine = sums[0];
    *sine = sums[1];
}

void rift_sin_cos_degrees(int degrees, double *sine, double *cosine)
{
    static const double degree = 0.017453292519943295;
    const int within = (degrees % 360 + 360) % 360;
    const int quarter = within / 90;
    const int rest = within % 90;
    double s;
    double c;
    if (rest <= 45) {
        small_sin_cos(rest * degree, &s, &c);
    } else {
        small_sin_cos((90 - rest) * degree, &c, &s);
    }
    const double sines[4] = {s, c, -s, -c};
    *sine = sines[quarter];
    *cosine = sines[(quarter + 1) % 4];
}

/* Source space to output space (G6) and turned; false when it is not finite. */
static bool place(double out[3], const rift_frame *f, const float *p)
{
    const double x = -(double)p[0];
    const double z = (double)p[2];
    out[0] = x * f->cosine + z * f->sine;
    out[1] = (double)p[1];
    out[2] = z * f->cosine - x * f->sine;
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

/* Largest of ±x + Kz and ±y + Kz: the planes of the pyramid that touch the model. */
typedef struct bounds {
    double planes[4];
    double nearest, farthest;
    bool any;
} bounds;

static void grow(bounds *b, const double p[3])
{
    const double reach = slope * fitted * p[2];
    const double planes[4] = {reach + p[0], reach - p[0], reach + p[1], reach - p[1]};
    for (int i = 0; i < 4; i++)
        b->planes[i] = b->any && b->planes[i] >= planes[i] ? b->planes[i] : planes[i];
    b->nearest = b->any && b->nearest >= p[2] ? b->nearest : p[2];
    b->farthest = b->any && b->farthest <= p[2] ? b->farthest : p[2];
    b->any = true;
}

static void grow_by_part(bounds *b, const rift_frame *f, const rift_part *part)
{
    for (size_t i = 0; i + 2 < part->index_count; i += 3) {
        double p[3][3];
        bool finite = true;
        for (size_t k = 0; k < 3; k++)
            finite = place(p[k], f, part->positions + 3 * (size_t)part->indices[i + k]) && finite;
        for (size_t k = 0; finite && k < 3; k++)
            grow(b, p[k]);
    }
}

void rift_frame_fit(rift_frame *out, const rift_scene *scene, const rift_view *view)
{
    bounds b = {{0}, 0, 0, false};
    rift_frame f = {.half = view->size / 2.0};
    rift_sin_cos_degrees(view->turn, &f.sine, &f.cosine);
    for (size_t i = 0; i < scene->part_count; i++) {
        if (!scene->parts[i].hidden)
            grow_by_part(&b, &f, &scene->parts[i]);
    }
    const double across = (b.planes[0] + b.planes[1]) / (2 * slope * fitted);
    const double down = (b.planes[2] + b.planes[3]) / (2 * slope * fitted);
    f.center_x = (b.planes[0] - b.planes[1]) / 2;
    f.center_y = (b.planes[2] - b.planes[3]) / 2;
    f.eye_z = b.nearest + least_distance * (b.nearest - b.farthest);
    f.eye_z = f.eye_z >= across ? f.eye_z : across;
    f.eye_z = f.eye_z >= down ? f.eye_z : down;
    f.nearest = f.eye_z - b.nearest;
    f.focus = f.half / slope;
    f.empty = !b.any || !(f.nearest > 0);
    *out = f;
}

static int32_t snap(double pixels, double half)
{
    const double v = pixels * SUBPIXELS + 0.5;
    const double most = 2 * half * SUBPIXELS;
    return v < 0 ? 0 : v > most ? (int32_t)most : (int32_t)v;
}

void rift_frame_project(rift_vertex *out, const rift_frame *f, const rift_part *part, const rift_material *m)
{
    const double scale[2] = {m->has_uv_transform ? (double)m->uv_scale[0] : 1,
                             m->has_uv_transform ? (double)m->uv_scale[1] : 1};
    const double offset[2] = {m->has_uv_transform ? (double)m->uv_offset[0] : 0,
                              m->has_uv_transform ? (double)m->uv_offset[1] : 0};
    for (size_t i = 0; i < part->vertex_count; i++) {
        double p[3];
        const bool finite = place(p, f, part->positions + 3 * i);
        const double z = f->eye_z - p[2];
        /* Vertices of no triangle may lie anywhere, also behind the eye. */
        out[i] = (rift_vertex){.finite = finite && z > 0};
        if (!out[i].finite)
            continue;
        const double near_by_z = f->nearest / z;
        out[i].x = snap(f->half + (p[0] - f->center_x) / z * f->focus, f->half);
        out[i].y = snap(f->half - (p[1] - f->center_y) / z * f->focus, f->half);
        out[i].near_by_z = near_by_z;
        out[i].u = ((double)part->uvs[2 * i] * scale[0] + offset[0]) * near_by_z;
        out[i].v = ((double)part->uvs[2 * i + 1] * scale[1] + offset[1]) * near_by_z;
    }
}
