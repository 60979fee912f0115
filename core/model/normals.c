#include <math.h>

#include "model/model_internal.h"

enum { X, Y, Z };

static rift_vec3 load3(const float *p)
{
    return (rift_vec3){(double)p[X], (double)p[Y], (double)p[Z]};
}

static void store_unit(float *to, rift_vec3 v, double length)
{
    to[X] = (float)(v.x / length);
    to[Y] = (float)(v.y / length);
    to[Z] = (float)(v.z / length);
}

/* Adds (b - a) x (c - a), whose length is twice the area, to the three corners. In source coordinates it points out of the source winding, as the stored normals do. */
static void add_face_normals(double *sums, const rift_part *part)
{
    for (size_t i = 0; i < part->index_count; i += 3) {
        const uint32_t *corner = part->indices + i;
        const rift_vec3 a = load3(part->positions + 3 * (size_t)corner[0]);
        const rift_vec3 b = load3(part->positions + 3 * (size_t)corner[1]);
        const rift_vec3 c = load3(part->positions + 3 * (size_t)corner[2]);
        const rift_vec3 n = rift_vec3_cross(rift_vec3_sub(b, a), rift_vec3_sub(c, a));
        for (int k = 0; k < 3; k++) {
            double *sum = sums + 3 * (size_t)corner[k];
            sum[X] += n.x;
            sum[Y] += n.y;
            sum[Z] += n.z;
        }
    }
}

static bool is_usable(rift_vec3 v, double length)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z) && length >= 1e-6;
}

bool rift_model_normals(const rift_part *part, const float *source, rift_arena *arena, rift_report *report)
{
    float *normals = part->normals;
    size_t rebuilt = 0;
    for (size_t v = 0; v < part->vertex_count; v++) {
        const rift_vec3 n = load3(source + 3 * v);
        const double length = rift_vec3_length(n);
        if (is_usable(n, length)) {
            store_unit(normals + 3 * v, n, length);
        } else {
            rebuilt++; /* left zero: the mark for the second pass */
            rift_report_add(report, "normals_rebuilt", "%.*s: vertex %zu", RIFT_STR_ARG(part->name), v);
        }
    }
    if (rebuilt == 0)
        return true;
    double *sums = RIFT_NEW(arena, double, 3 * part->vertex_count);
    if (sums == NULL)
        return false;
    add_face_normals(sums, part);
    for (size_t v = 0; v < part->vertex_count; v++) {
        float *n = normals + 3 * v;
        if (n[X] != 0 || n[Y] != 0 || n[Z] != 0)
            continue;
        const rift_vec3 sum = {sums[3 * v], sums[3 * v + 1], sums[3 * v + 2]};
        const double length = rift_vec3_length(sum);
        if (isfinite(length) && length > 1e-30) {
            store_unit(n, sum, length);
        } else {
            n[Y] = 1;
        }
    }
    return true;
}
