/* The one place that looks at every index and number of a scene; the writer then trusts them. A failure here is a bug of ours, so the texts are for us. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "model/model_internal.h"

/* Names the thing that is broken. Returns false. */
static bool RIFT_PRINTF(4, 5) broken(rift_err *err, const char *kind, size_t index, const char *format, ...)
{
    char where[64];
    char text[192];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)snprintf(where, sizeof where, "%s[%zu]", kind, index);
    return rift_fail(err, RIFT_ERR_INTERNAL, where, RIFT_NO_OFFSET, "%s", text);
}

static bool all_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return false;
    }
    return true;
}

static double length_f32(const float *v, int dimension)
{
    double sum = 0;
    for (int i = 0; i < dimension; i++)
        sum += (double)v[i] * (double)v[i];
    return sqrt(sum);
}

static bool is_unit(const float *v, int dimension, double within)
{
    return fabs(length_f32(v, dimension) - 1) <= within;
}

static bool check_name(rift_unique *unique, rift_str name, const char *kind, size_t i, rift_err *err)
{
    if (name.size == 0 || !rift_str_is_utf8(name) || rift_model_has_control(name))
        return broken(err, kind, i, "name is empty, not UTF-8 or holds control characters");
    if (!rift_unique_take(unique, name))
        return broken(err, kind, i, "name \"%.*s\" is taken", RIFT_STR_ARG(name));
    return true;
}

/* --- skeleton --------------------------------------------------------------------------------------------------- */

static bool rest_fits(const rift_trs *rest)
{
    const double v[10] = {rest->t.x, rest->t.y, rest->t.z, rest->r.x, rest->r.y,
                          rest->r.z, rest->r.w, rest->s.x, rest->s.y, rest->s.z};
    for (int i = 0; i < 10; i++) {
        if (!isfinite((float)v[i]))
            return false;
    }
    return fabs(sqrt(rift_quat_dot(rest->r, rest->r)) - 1) <= 1e-6;
}

static bool check_joint(const rift_skeleton *sk, size_t j, rift_err *err)
{
    const rift_joint *joint = &sk->joints[j];
    if (joint->parent != RIFT_NO_PARENT && (joint->parent < 0 || (size_t)joint->parent >= sk->joint_count))
        return broken(err, "joint", j, "parent %d of %zu joints", joint->parent, sk->joint_count);
    if (!rest_fits(&joint->rest))
        return broken(err, "joint", j, "rest transform is not finite or its rotation not of unit length");
    const double *m = joint->inverse_bind.m;
    if (!rift_model_fits_f32(&joint->inverse_bind) || m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] != 1)
        return broken(err, "joint", j, "inverse bind is not finite or its last row not 0 0 0 1");
    return true;
}

/* A permutation with parents before children. */
static bool check_order(const rift_skeleton *sk, const uint32_t *order, rift_arena *tmp, rift_err *err)
{
    bool *seen = RIFT_NEW(tmp, bool, sk->joint_count);
    if (seen == NULL)
        return rift_arena_ok(tmp, "scene", err);
    for (size_t i = 0; i < sk->joint_count; i++) {
        const uint32_t j = order[i];
        if (j >= sk->joint_count || seen[j])
            return broken(err, "order", i, "joint %u is out of range or repeats", j);
        const int32_t parent = sk->joints[j].parent;
        if (parent != RIFT_NO_PARENT && !seen[parent])
            return broken(err, "order", i, "joint %u comes before its parent %d", j, parent);
        seen[j] = true;
    }
    return true;
}

static bool check_skeleton(const rift_skeleton *sk, rift_arena *tmp, rift_err *err)
{
    if (sk->joint_count == 0 || sk->joint_count > RIFT_SKL_MAX_JOINTS)
        return broken(err, "skeleton", 0, "%zu joints", sk->joint_count);
    rift_unique unique;
    rift_unique_init(&unique, tmp, sk->joint_count);
    for (size_t j = 0; j < sk->joint_count; j++) {
        if (!check_joint(sk, j, err) || !check_name(&unique, sk->joints[j].name, "joint", j, err))
            return false;
    }
    for (size_t i = 0; i < sk->influence_count; i++) {
        if (sk->influences[i] >= sk->joint_count && sk->influences[i] != RIFT_SKL_BAD_INFLUENCE)
            return broken(err, "influence", i, "joint %u of %zu", sk->influences[i], sk->joint_count);
    }
    return check_order(sk, sk->topological, tmp, err);
}

/* --- parts ------------------------------------------------------------------------------------------------------ */

static bool check_triangles(const rift_part *part, size_t i, rift_err *err)
{
    if (part->vertex_count == 0 || part->index_count == 0 || part->index_count % 3 != 0)
        return broken(err, "part", i, "%zu vertices, %zu indices", part->vertex_count, part->index_count);
    for (size_t k = 0; k < part->index_count; k += 3) {
        const uint32_t *c = part->indices + k;
        if (c[0] >= part->vertex_count || c[1] >= part->vertex_count || c[2] >= part->vertex_count) {
            return broken(err, "part", i, "triangle %zu reaches past %zu vertices", k / 3,
                          part->vertex_count);
        }
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0])
            return broken(err, "part", i, "triangle %zu is degenerate", k / 3);
    }
    return true;
}

static bool check_vertices(const rift_part *part, size_t i, rift_err *err)
{
    if (!all_finite(part->positions, 3 * part->vertex_count) ||
        !all_finite(part->uvs, 2 * part->vertex_count))
        return broken(err, "part", i, "a position or uv is not finite");
    for (size_t v = 0; v < part->vertex_count; v++) {
        if (!is_unit(part->normals + 3 * v, 3, 1e-5))
            return broken(err, "part", i, "normal of vertex %zu is not of unit length", v);
        if (part->tangents == NULL)
            continue;
        const float *t = part->tangents + 4 * v;
        if (!is_unit(t, 3, 1e-5) || (t[3] != 1 && t[3] != -1))
            return broken(err, "part", i, "tangent of vertex %zu is not a unit vector and a sign", v);
    }
    return true;
}

static bool weights_are_sound(const uint16_t *joints, const float *weights, size_t joint_count)
{
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        if (joints[k] >= joint_count || !(weights[k] >= 0) || (weights[k] == 0 && joints[k] != 0))
            return false;
        for (int other = 0; other < k; other++) {
            if (joints[other] == joints[k] && weights[other] > 0 && weights[k] > 0)
                return false;
        }
        sum += (double)weights[k];
    }
    return fabs(sum - 1) <= 1e-7;
}

static bool check_skinning(const rift_part *part, const rift_skeleton *sk, size_t i, rift_err *err)
{
    if ((part->joints != NULL) != (part->weights != NULL) || (part->joints != NULL && sk == NULL))
        return broken(err, "part", i, "joints, weights and skeleton do not go together");
    if (part->joints == NULL)
        return true;
    for (size_t v = 0; v < part->vertex_count; v++) {
        if (!weights_are_sound(part->joints + 4 * v, part->weights + 4 * v, sk->joint_count))
            return broken(err, "part", i, "weights of vertex %zu break G25", v);
    }
    return true;
}

static bool check_parts(const rift_scene *scene, rift_arena *tmp, rift_err *err)
{
    rift_unique unique;
    rift_unique_init(&unique, tmp, scene->part_count);
    for (size_t i = 0; scene->skeleton != NULL && i < scene->skeleton->joint_count; i++)
        (void)rift_unique_take(&unique, scene->skeleton->joints[i].name);
    for (size_t i = 0; i < scene->part_count; i++) {
        const rift_part *part = &scene->parts[i];
        if (!check_name(&unique, part->name, "part", i, err) || !check_triangles(part, i, err) ||
            !check_vertices(part, i, err) || !check_skinning(part, scene->skeleton, i, err))
            return false;
        if (part->material >= scene->material_count)
            return broken(err, "part", i, "material %u of %zu", part->material, scene->material_count);
    }
    return true;
}

static bool check_variants(const rift_scene *scene, rift_arena *tmp, rift_err *err)
{
    rift_unique unique;
    rift_unique_init(&unique, tmp, scene->variant_count);
    for (size_t v = 0; v < scene->variant_count; v++) {
        if (!check_name(&unique, scene->variants[v].name, "variant", v, err))
            return false;
    }
    for (size_t i = 0; i < scene->part_count && scene->variant_count > 0; i++) {
        const uint32_t *materials = scene->parts[i].variant_materials;
        for (size_t v = 0; v < scene->variant_count; v++) {
            if (materials == NULL || materials[v] >= scene->material_count)
                return broken(err, "part", i, "variant %zu has no material", v);
        }
    }
    return true;
}

/* --- materials, textures ---------------------------------------------------------------------------------------- */

static bool check_materials(const rift_scene *scene, rift_arena *tmp, rift_err *err)
{
    rift_unique unique;
    rift_unique_init(&unique, tmp, scene->material_count);
    for (size_t i = 0; i < scene->material_count; i++) {
        const rift_material *m = &scene->materials[i];
        if (!check_name(&unique, m->name, "material", i, err))
            return false;
        if (m->texture != RIFT_NO_INDEX && m->texture >= scene->texture_count)
            return broken(err, "material", i, "texture %u of %zu", m->texture, scene->texture_count);
        if (m->has_emissive && m->emissive >= scene->texture_count) {
            return broken(err, "material", i, "emissive texture %u of %zu", m->emissive,
                          scene->texture_count);
        }
        if (!isfinite(m->alpha_cutoff) || m->alpha_cutoff < 0 || !all_finite(m->uv_scale, 2) ||
            !all_finite(m->uv_offset, 2))
            return broken(err, "material", i, "cutoff or uv transform is not a sound number");
        for (int k = 0; k < 4; k++) {
            if (!(m->base_color[k] >= 0 && m->base_color[k] <= 1))
                return broken(err, "material", i, "base colour component %d is outside 0 to 1", k);
        }
    }
    for (size_t i = 0; i < scene->texture_count; i++) {
        const rift_texture *t = &scene->textures[i];
        if (t->rgba == NULL && (t->data.size == 0 || t->mime == NULL))
            return broken(err, "texture", i, "no data or no type");
        if (t->rgba != NULL && (t->width == 0 || t->height == 0))
            return broken(err, "texture", i, "%u x %u pixels", t->width, t->height);
    }
    return true;
}

/* --- clips ------------------------------------------------------------------------------------------------------ */

static bool check_times(const rift_channel *c, float length)
{
    if (c->key_count == 0 || !(c->times[0] >= 0))
        return false;
    for (uint32_t k = 1; k < c->key_count; k++) {
        if (!(c->times[k] > c->times[k - 1]))
            return false;
    }
    return c->times[c->key_count - 1] <= length;
}

/* G39 for the values of rotation keys; `stride` floats from one to the next. */
static bool rotations_are_sound(const float *first, uint32_t count, size_t stride)
{
    for (uint32_t k = 0; k < count; k++) {
        const float *q = first + stride * k;
        if (!is_unit(q, 4, 1e-6))
            return false;
        if (k == 0)
            continue;
        const float *p = q - stride;
        double dot = 0;
        for (int i = 0; i < 4; i++)
            dot += (double)p[i] * (double)q[i];
        if (dot < 0)
            return false;
    }
    return true;
}

static bool check_channel(const rift_channel *c, const rift_clip *clip, size_t i, rift_err *err)
{
    const bool cubic = c->interpolation == RIFT_CUBICSPLINE;
    const size_t dimension = c->component == RIFT_ROTATION ? 4 : 3;
    const size_t stride = cubic ? 3 * dimension : dimension;
    if (!check_times(c, clip->length)) {
        return broken(err, "clip", i, "joint %u: times of component %d are not sound", c->joint,
                      c->component);
    }
    if (!all_finite(c->values, stride * c->key_count)) {
        return broken(err, "clip", i, "joint %u: a value of component %d is not finite", c->joint,
                      c->component);
    }
    if (c->component == RIFT_ROTATION &&
        !rotations_are_sound(c->values + (cubic ? dimension : 0), c->key_count, stride))
        return broken(err, "clip", i, "joint %u: rotations break G39", c->joint);
    return true;
}

/* Whether b may follow a: by joint, then component, none twice (G37). */
static bool in_order(const rift_channel *a, const rift_channel *b)
{
    return a->joint < b->joint || (a->joint == b->joint && a->component < b->component);
}

static bool check_clip(const rift_clip *clip, const rift_skeleton *sk, size_t i, rift_err *err)
{
    if (clip->channel_count == 0 || sk == NULL || !isfinite(clip->length))
        return broken(err, "clip", i, "%zu channels, length %g", clip->channel_count, (double)clip->length);
    for (size_t k = 0; k < clip->channel_count; k++) {
        const rift_channel *c = &clip->channels[k];
        if (c->joint >= sk->joint_count)
            return broken(err, "clip", i, "joint %u of %zu", c->joint, sk->joint_count);
        if (k > 0 && !in_order(c - 1, c))
            return broken(err, "clip", i, "channel %zu is out of order or repeats", k);
        if (!check_channel(c, clip, i, err))
            return false;
    }
    return true;
}

static bool check_clips(const rift_scene *scene, rift_arena *tmp, rift_err *err)
{
    rift_unique unique;
    rift_unique_init(&unique, tmp, scene->clip_count);
    for (size_t i = 0; i < scene->clip_count; i++) {
        if (!check_name(&unique, scene->clips[i].name, "clip", i, err) ||
            !check_clip(&scene->clips[i], scene->skeleton, i, err))
            return false;
    }
    return true;
}

bool rift_scene_check(const rift_scene *scene, rift_arena *tmp, rift_err *err)
{
    const bool sound = (scene->skeleton == NULL || check_skeleton(scene->skeleton, tmp, err)) &&
                       check_parts(scene, tmp, err) && check_materials(scene, tmp, err) &&
                       check_variants(scene, tmp, err) && check_clips(scene, tmp, err);
    /* An arena that failed made names look free: say so rather than pass. */
    return rift_arena_ok(tmp, "scene", err) && sound;
}
