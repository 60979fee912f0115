/* A mesh's ranges as parts. Nothing of the range table but the index span is trusted: the vertex slice is measured from the triangles that survive (G21). */
#include <math.h>
#include <string.h>

#include "model/model_internal.h"

typedef struct builder {
    const rift_skn *skn;
    const rift_skeleton *skeleton; /* may be NULL */
    const rift_part_opts *opts;
    rift_arena *arena;
    rift_report *report;
    rift_weight_source weights;
} builder;

static bool finite3(const float *p)
{
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

/* Whether the mesh can draw the triangle at all. */
static bool is_sound(const rift_skn *skn, const uint32_t *corner)
{
    for (int k = 0; k < 3; k++) {
        if (corner[k] >= skn->vertex_count || !finite3(skn->positions + 3 * (size_t)corner[k]))
            return false;
    }
    return true;
}

/* The surviving triangles with absolute indices, and the slice they use. */
static void collect_triangles(const builder *b, const rift_skn_range *range, rift_part *part, uint32_t *first)
{
    uint32_t low = UINT32_MAX;
    uint32_t high = 0;
    for (size_t i = 0; i + 3 <= range->index_count; i += 3) {
        const uint32_t *corner = b->skn->indices + range->index_start + i;
        if (!is_sound(b->skn, corner)) {
            rift_report_add(b->report, "bad_triangle", "%.*s: triangle %zu", RIFT_STR_ARG(part->name), i / 3);
            continue;
        }
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) {
            rift_report_add(b->report, "degenerate_triangle", "%.*s: triangle %zu", RIFT_STR_ARG(part->name),
                            i / 3);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            part->indices[part->index_count++] = corner[k];
            low = corner[k] < low ? corner[k] : low;
            high = corner[k] > high ? corner[k] : high;
        }
    }
    *first = low;
    part->vertex_count = part->index_count > 0 ? (size_t)high - low + 1 : 0;
    for (size_t i = 0; i < part->index_count; i++)
        part->indices[i] -= low;
}

/* Vertices between used ones may hold anything; they must not reach the bounds (G23). The first vertex of the slice is used, so it is finite. */
static void copy_positions(const builder *b, rift_part *part, uint32_t first)
{
    memcpy(part->positions, b->skn->positions + 3 * (size_t)first, 3 * part->vertex_count * sizeof(float));
    for (size_t v = 1; v < part->vertex_count; v++) {
        if (finite3(part->positions + 3 * v))
            continue;
        memcpy(part->positions + 3 * v, part->positions, 3 * sizeof(float));
        rift_report_add(b->report, "position_not_finite", "%.*s: vertex %zu", RIFT_STR_ARG(part->name), v);
    }
}

static void copy_uvs(const builder *b, rift_part *part, uint32_t first)
{
    for (size_t i = 0; i < 2 * part->vertex_count; i++) {
        const float v = b->skn->uvs[2 * (size_t)first + i];
        part->uvs[i] = isfinite(v) ? v : 0;
        if (!isfinite(v))
            rift_report_add(b->report, "uv_not_finite", "%.*s: vertex %zu", RIFT_STR_ARG(part->name), i / 2);
    }
}

/* Unit xyz and a sign; a tangent without direction becomes any vector at a right angle to the normal. */
static void copy_tangents(const builder *b, rift_part *part, uint32_t first)
{
    for (size_t v = 0; v < part->vertex_count; v++) {
        const float *from = b->skn->tangents + 4 * (first + v);
        const float *n = part->normals + 3 * v;
        const rift_vec3 normal = {(double)n[0], (double)n[1], (double)n[2]};
        const rift_vec3 axis = fabs(normal.x) < 0.9 ? (rift_vec3){1, 0, 0} : (rift_vec3){0, 1, 0};
        rift_vec3 t = {(double)from[0], (double)from[1], (double)from[2]};
        double length = rift_vec3_length(t);
        if (!finite3(from) || !isfinite(length) || length < 1e-6) {
            t = rift_vec3_cross(normal, axis);
            length = rift_vec3_length(t);
        }
        float *to = part->tangents + 4 * v;
        to[0] = (float)(t.x / length);
        to[1] = (float)(t.y / length);
        to[2] = (float)(t.z / length);
        to[3] = from[3] < 0 ? -1 : 1;
    }
}

static void report_weights(const builder *b, const rift_part *part, size_t vertex, const rift_weights *w)
{
    for (unsigned i = 0; i < w->outside; i++) {
        rift_report_add(b->report, "weight_index_outside", "%.*s: vertex %zu", RIFT_STR_ARG(part->name),
                        vertex);
    }
    for (unsigned i = 0; i < w->invalid; i++)
        rift_report_add(b->report, "weight_not_valid", "%.*s: vertex %zu", RIFT_STR_ARG(part->name), vertex);
    if (w->all_zero) {
        rift_report_add(b->report, "weights_all_zero", "%.*s: vertex %zu goes to joint %u",
                        RIFT_STR_ARG(part->name), vertex, w->joints[0]);
    }
}

static void copy_weights(const builder *b, rift_part *part, uint32_t first)
{
    for (size_t v = 0; v < part->vertex_count; v++) {
        const rift_weights w = rift_model_weights(&b->weights, b->skn->blend_indices + 4 * (first + v),
                                                  b->skn->blend_weights + 4 * (first + v));
        memcpy(part->joints + 4 * v, w.joints, sizeof w.joints);
        memcpy(part->weights + 4 * v, w.weights, sizeof w.weights);
        report_weights(b, part, v, &w);
    }
}

static bool allocate_vertices(const builder *b, rift_part *part)
{
    const size_t n = part->vertex_count;
    const bool colors = b->opts->keep_colors && b->skn->colors != NULL;
    const bool tangents = b->opts->keep_tangents && b->skn->tangents != NULL;
    part->positions = RIFT_NEW(b->arena, float, 3 * n);
    part->normals = RIFT_NEW(b->arena, float, 3 * n);
    part->uvs = RIFT_NEW(b->arena, float, 2 * n);
    part->colors = colors ? RIFT_NEW(b->arena, uint8_t, 4 * n) : NULL;
    part->tangents = tangents ? RIFT_NEW(b->arena, float, 4 * n) : NULL;
    part->joints = b->skeleton != NULL ? RIFT_NEW(b->arena, uint16_t, 4 * n) : NULL;
    part->weights = b->skeleton != NULL ? RIFT_NEW(b->arena, float, 4 * n) : NULL;
    return b->arena->failed == RIFT_OK;
}

static bool fill_vertices(const builder *b, rift_part *part, uint32_t first)
{
    if (!allocate_vertices(b, part))
        return false;
    copy_positions(b, part, first);
    if (!rift_model_normals(part, b->skn->normals + 3 * (size_t)first, b->arena, b->report))
        return false;
    copy_uvs(b, part, first);
    if (part->colors != NULL)
        memcpy(part->colors, b->skn->colors + 4 * (size_t)first, 4 * part->vertex_count);
    if (part->tangents != NULL)
        copy_tangents(b, part, first);
    if (part->joints != NULL)
        copy_weights(b, part, first);
    return b->arena->failed == RIFT_OK;
}

/* Names of nodes that are there before the parts. */
static void take_names(const builder *b, rift_unique *unique)
{
    for (size_t i = 0; b->skeleton != NULL && i < b->skeleton->joint_count; i++)
        (void)rift_unique_take(unique, b->skeleton->joints[i].name);
    if (b->skeleton != NULL && b->opts->node_name.size > 0)
        (void)rift_unique_take(unique, b->opts->node_name);
    for (size_t i = 0; i < b->opts->taken_count; i++)
        (void)rift_unique_take(unique, b->opts->taken[i].name);
}

/* Names of all ranges first, so that no suffixed name steals one; the first of equal names keeps it. */
static void name_parts(const builder *b, rift_part *parts)
{
    rift_unique unique;
    const size_t n = b->skn->range_count;
    rift_unique_init(&unique, b->arena,
                     n + b->opts->taken_count + (b->skeleton != NULL ? b->skeleton->joint_count + 1 : 0));
    take_names(b, &unique);
    bool *repeated = RIFT_NEW(b->arena, bool, n);
    for (size_t i = 0; i < n && b->arena->failed == RIFT_OK; i++) {
        parts[i].range = (uint32_t)i;
        parts[i].source_name = rift_model_utf8(b->skn->ranges[i].name, b->arena);
        parts[i].name = parts[i].source_name.size > 0 ? rift_model_clean_name(parts[i].source_name, b->arena)
                                                      : rift_arena_printf(b->arena, "submesh_%zu", i);
        repeated[i] = !rift_unique_take(&unique, parts[i].name);
        if (rift_model_has_control(parts[i].source_name))
            rift_report_add(b->report, "part_name_changed", "%.*s", RIFT_STR_ARG(parts[i].name));
    }
    for (size_t i = 0; i < n && b->arena->failed == RIFT_OK; i++) {
        if (!repeated[i])
            continue;
        parts[i].name = rift_unique_joint(&unique, parts[i].name, (uint32_t)i);
        rift_report_add(b->report, "part_name_repeated", "%.*s", RIFT_STR_ARG(parts[i].name));
    }
}

static bool build_part(const builder *b, rift_part *part)
{
    const rift_skn_range *range = &b->skn->ranges[part->range];
    if (range->index_start > b->skn->index_count ||
        range->index_count > b->skn->index_count - range->index_start)
        return true; /* the reader drops such ranges; nothing to draw here either */
    part->indices = RIFT_NEW(b->arena, uint32_t, range->index_count);
    if (part->indices == NULL)
        return false;
    uint32_t first;
    collect_triangles(b, range, part, &first);
    return part->index_count == 0 || fill_vertices(b, part, first);
}

bool rift_parts_build(rift_part **out,
                      size_t *out_count,
                      const rift_skn *skn,
                      const rift_skeleton *skeleton,
                      const rift_part_opts *opts,
                      rift_arena *arena,
                      rift_report *report,
                      rift_err *err)
{
    builder b = {.skn = skn, .skeleton = skeleton, .opts = opts, .arena = arena, .report = report};
    if (skeleton != NULL)
        b.weights = rift_model_weight_source(skeleton, skn);
    rift_part *parts = RIFT_NEW(arena, rift_part, skn->range_count);
    if (parts != NULL)
        name_parts(&b, parts);
    size_t count = 0;
    for (size_t i = 0; i < skn->range_count && arena->failed == RIFT_OK; i++) {
        rift_part part = parts[i];
        if (!build_part(&b, &part))
            break;
        if (part.index_count == 0) {
            rift_report_add(report, "empty_submesh", "%.*s", RIFT_STR_ARG(part.name));
        } else {
            parts[count++] = part;
        }
    }
    if (!rift_arena_ok(arena, "parts", err))
        return false;
    *out = parts;
    *out_count = count;
    return true;
}
