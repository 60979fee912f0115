#include <math.h>
#include <stdio.h>
#include <string.h>

#include "timeline/vectors_internal.h"

#include "base/str.h"
#include "hash/hash.h"
#include "timeline/timeline.h"

typedef struct reader {
    vectors *out;
    rift_arena *arena;
    rift_err *err;
} reader;

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static bool refuse(const reader *r, const char *where, const char *what)
{
    return rift_fail(r->err, RIFT_ERR_ARGUMENT, where, RIFT_NO_OFFSET, "%s", what);
}

static size_t count_items(const cJSON *list)
{
    size_t n = 0;
    for (const cJSON *item = list != NULL ? list->child : NULL; item != NULL; item = item->next)
        n++;
    return n;
}

bool vectors_numbers(const cJSON *list, double *out, size_t count)
{
    const cJSON *item = cJSON_IsArray(list) ? list->child : NULL;
    for (size_t i = 0; i < count; i++, item = item->next) {
        if (item == NULL || !cJSON_IsNumber(item) || !isfinite(item->valuedouble))
            return false;
        out[i] = item->valuedouble;
    }
    return item == NULL;
}

uint32_t vectors_joint(const vectors *v, const char *name)
{
    for (size_t j = 0; j < v->skeleton.joint_count; j++) {
        if (rift_str_eq(v->skeleton.joints[j].source_name, rift_str_c(name)))
            return (uint32_t)j;
    }
    return RIFT_LAYER_NONE;
}

/* --- skeleton ----------------------------------------------------------------------------------------------------- */

static bool read_joint(const reader *r, const cJSON *item, size_t index, rift_skl_joint *out)
{
    double t[3], q[4], s[3], parent;
    char where[40];
    (void)snprintf(where, sizeof where, "skeleton.joints[%zu]", index);
    const cJSON *name = member(item, "name");
    const cJSON *up = member(item, "parent");
    if (!cJSON_IsString(name) || !cJSON_IsNumber(up) || !vectors_numbers(member(item, "t"), t, 3) ||
        !vectors_numbers(member(item, "r"), q, 4) || !vectors_numbers(member(item, "s"), s, 3))
        return refuse(r, where, "has not name, parent, t, r, s");
    parent = up->valuedouble;
    if (parent != floor(parent) || parent < -1 || parent >= RIFT_SKL_MAX_JOINTS)
        return refuse(r, where, "has a parent that is no joint");
    const rift_str text = rift_arena_copy_str(r->arena, rift_str_c(name->valuestring));
    *out = (rift_skl_joint){
        .name = text,
        .hash = rift_elf(text),
        .parent = (int16_t)parent,
        .local = {{t[0], t[1], t[2]}, {q[0], q[1], q[2], q[3]}, {s[0], s[1], s[2]}},
    };
    return true;
}

static bool read_influences(const reader *r, const cJSON *list, rift_skl *skl)
{
    skl->influence_count = count_items(list);
    if (skl->influence_count > RIFT_SKL_MAX_JOINTS)
        return refuse(r, "skeleton.influences", "has too many joints");
    skl->influences = RIFT_NEW(r->arena, uint16_t, skl->influence_count);
    size_t i = 0;
    for (const cJSON *item = list != NULL ? list->child : NULL; item != NULL; item = item->next) {
        const double id = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (id != floor(id) || id < 0 || id >= (double)skl->joint_count)
            return refuse(r, "skeleton.influences", "has something that is no joint");
        if (skl->influences != NULL)
            skl->influences[i++] = (uint16_t)id;
    }
    return rift_arena_ok(r->arena, "vectors", r->err);
}

static bool read_skeleton(const reader *r, const cJSON *object)
{
    const cJSON *joints = member(object, "joints");
    rift_skl skl = {.joint_count = count_items(joints)};
    if (!cJSON_IsArray(joints) || skl.joint_count == 0 || skl.joint_count > RIFT_SKL_MAX_JOINTS)
        return refuse(r, "skeleton.joints", "is no list of joints");
    skl.joints = RIFT_NEW(r->arena, rift_skl_joint, skl.joint_count);
    if (skl.joints == NULL)
        return rift_arena_ok(r->arena, "vectors", r->err);
    size_t i = 0;
    for (const cJSON *item = joints->child; item != NULL; item = item->next, i++) {
        if (!read_joint(r, item, i, &skl.joints[i]))
            return false;
    }
    return read_influences(r, member(object, "influences"), &skl) &&
           rift_skeleton_build(&r->out->skeleton, &skl, NULL, r->arena, NULL, r->err);
}

/* --- clips -------------------------------------------------------------------------------------------------------- */

static bool read_curve(const reader *r, const cJSON *object, size_t width, rift_layer_curve *out)
{
    const cJSON *times = member(object, "times");
    const cJSON *values = member(object, "values");
    const size_t count = count_items(times);
    double *t = RIFT_NEW(r->arena, double, count);
    double *v = RIFT_NEW(r->arena, double, width *count);
    if (t == NULL || v == NULL)
        return rift_arena_ok(r->arena, "vectors", r->err);
    if (count == 0 || !vectors_numbers(times, t, count) || count_items(values) != count)
        return refuse(r, "clips", "has a curve without as many times as values");
    size_t k = 0;
    for (const cJSON *value = values->child; value != NULL; value = value->next, k++) {
        if (!vectors_numbers(value, v + width * k, width))
            return refuse(r, "clips", "has a value of the wrong width");
        if (k > 0 && !(t[k] > t[k - 1]))
            return refuse(r, "clips", "has times that do not rise");
    }
    *out = (rift_layer_curve){.key_count = count, .times = t, .values = v};
    return true;
}

static bool read_track(const reader *r, const cJSON *track, rift_layer_curve *curves)
{
    static const struct {
        const char *letter;
        rift_component component;
        size_t width;
    } parts[] = {{"t", RIFT_TRANSLATION, 3}, {"r", RIFT_ROTATION, 4}, {"s", RIFT_SCALE, 3}};
    const uint32_t joint = vectors_joint(r->out, track->string);
    if (joint == RIFT_LAYER_NONE)
        return refuse(r, "clips", "has a track for a joint that is not there");
    for (size_t i = 0; i < RIFT_COUNT(parts); i++) {
        const cJSON *curve = member(track, parts[i].letter);
        if (curve != NULL && !read_curve(r, curve, parts[i].width, &curves[3 * joint + parts[i].component]))
            return false;
    }
    return true;
}

static bool read_clips(const reader *r, const cJSON *object)
{
    vectors *v = r->out;
    const size_t count = count_items(object);
    v->clips = RIFT_NEW(r->arena, rift_layer_clip, count);
    if (v->clips == NULL)
        return rift_arena_ok(r->arena, "vectors", r->err);
    for (const cJSON *item = object != NULL ? object->child : NULL; item != NULL; item = item->next) {
        double length;
        rift_layer_curve *curves = RIFT_NEW(r->arena, rift_layer_curve, 3 * v->skeleton.joint_count);
        const cJSON *duration = member(item, "duration");
        if (curves == NULL)
            return rift_arena_ok(r->arena, "vectors", r->err);
        if (item->string == NULL || !cJSON_IsNumber(duration) || !(duration->valuedouble >= 0) ||
            !isfinite(duration->valuedouble))
            return refuse(r, "clips", "has a clip without a duration");
        length = duration->valuedouble;
        const cJSON *tracks = member(item, "tracks");
        for (const cJSON *track = tracks != NULL ? tracks->child : NULL; track != NULL; track = track->next) {
            if (track->string == NULL || !read_track(r, track, curves))
                return false;
        }
        v->clips[v->clip_count] =
            (rift_layer_clip){.name = rift_arena_copy_str(r->arena, rift_str_c(item->string)),
                              .id = (uint32_t)v->clip_count,
                              .length = length,
                              .curves = curves};
        v->clip_count++;
    }
    return rift_arena_ok(r->arena, "vectors", r->err);
}

/* --- the rest ----------------------------------------------------------------------------------------------------- */

static bool read_masks(const reader *r, const cJSON *object)
{
    vectors *v = r->out;
    const size_t count = count_items(object);
    if (count > RIFT_TIMELINE_MAX_MASKS)
        return refuse(r, "masks", "has over 256 masks");
    v->masks = RIFT_NEW(r->arena, rift_layer_mask, count);
    if (v->masks == NULL)
        return rift_arena_ok(r->arena, "vectors", r->err);
    for (const cJSON *item = object != NULL ? object->child : NULL; item != NULL; item = item->next) {
        rift_layer_mask *mask = &v->masks[v->mask_count];
        if (item->string == NULL || !rift_timeline_read_mask(mask, item, "masks", r->arena, r->err))
            return item->string != NULL ? false : refuse(r, "masks", "is no object");
        mask->name = rift_arena_copy_str(r->arena, rift_str_c(item->string));
        mask->is_reference = true;
        v->mask_count++;
    }
    return rift_arena_ok(r->arena, "vectors", r->err);
}

bool vectors_read(vectors *out, const cJSON *root, rift_arena *arena, rift_err *err)
{
    const reader r = {out, arena, err};
    const cJSON *schema = member(root, "schema");
    const cJSON *tolerance = member(member(root, "conventions"), "tolerance");
    const cJSON *within = member(tolerance, "component");
    *out = (vectors){.mask_cases = member(root, "mask_cases"), .cases = member(root, "cases")};
    if (!cJSON_IsObject(root) || !cJSON_IsString(schema) ||
        strcmp(schema->valuestring, "layering-vectors/1") != 0)
        return refuse(&r, "schema", "is not layering-vectors/1");
    out->within = cJSON_IsNumber(within) ? within->valuedouble : 2e-6;
    if (!cJSON_IsArray(out->mask_cases) || !cJSON_IsArray(out->cases))
        return refuse(&r, "cases", "is no list");
    return read_skeleton(&r, member(root, "skeleton")) && read_clips(&r, member(root, "clips")) &&
           read_masks(&r, member(root, "masks"));
}
