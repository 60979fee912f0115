/* Masks: from names or lists to one number per joint (L3-L8). */
#include <string.h>

#include "anim/layer_internal.h"

#include "base/str.h"

void rift_layer_warn(rift_layer_warnings *w, const char *code, rift_str detail, rift_arena *arena)
{
    if (w->count == w->capacity) {
        const size_t capacity = w->capacity > 0 ? 2 * w->capacity : 8;
        rift_layer_warning *items = RIFT_NEW(arena, rift_layer_warning, capacity);
        if (items == NULL)
            return;
        for (size_t i = 0; i < w->count; i++)
            items[i] = w->items[i];
        w->items = items;
        w->capacity = capacity;
    }
    w->items[w->count++] = (rift_layer_warning){code, rift_arena_copy_str(arena, detail)};
}

rift_str rift_layer_warning_text(const rift_layer_warning *warning, rift_arena *arena)
{
    return warning->detail.size > 0
               ? rift_arena_printf(arena, "%s:%.*s", warning->code, RIFT_STR_ARG(warning->detail))
               : rift_arena_copy_str(arena, rift_str_c(warning->code));
}

/* L6: the identical name, lowest id; else without case, influencing ones first, then the lowest id. */
static uint32_t find_joint(const rift_skeleton *sk, rift_str name)
{
    uint32_t folded = RIFT_LAYER_NONE;
    for (size_t j = 0; j < sk->joint_count; j++) {
        const rift_joint *joint = &sk->joints[j];
        if (rift_str_eq(joint->source_name, name))
            return (uint32_t)j;
        if (rift_str_eq_nocase(joint->source_name, name) &&
            (folded == RIFT_LAYER_NONE || (joint->influences && !sk->joints[folded].influences)))
            folded = (uint32_t)j;
    }
    return name.size > 0 ? folded : RIFT_LAYER_NONE;
}

static bool named_before(const rift_str *names, size_t count, rift_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (rift_str_eq(names[i], name))
            return true;
    }
    return false;
}

typedef struct resolver {
    const rift_layer_mask *mask;
    const rift_skeleton *skeleton;
    rift_layer_warnings *warnings;
    rift_arena *arena;
} resolver;

/* Marks the joints of a list, and what is below them. */
static bool mark(bool *marks, const resolver *r, const rift_str *names, size_t count, bool second)
{
    const rift_skeleton *sk = r->skeleton;
    for (size_t i = 0; i < count; i++) {
        const uint32_t joint = find_joint(sk, names[i]);
        if (joint != RIFT_LAYER_NONE) {
            marks[joint] = true;
        } else if (!named_before(names, i, names[i]) &&
                   !(second && named_before(r->mask->include, r->mask->include_count, names[i]))) {
            rift_layer_warn(r->warnings, "mask_unknown_joint", names[i], r->arena);
        }
    }
    for (size_t i = 0; !r->mask->self_only && i < sk->joint_count; i++) {
        const uint32_t j = sk->topological[i];
        const int32_t parent = sk->joints[j].parent;
        marks[j] = marks[j] || (parent != RIFT_NO_PARENT && marks[parent]);
    }
    return r->arena->failed == RIFT_OK;
}

static void resolve_names(double *out, const resolver *r)
{
    const size_t joints = r->skeleton->joint_count;
    bool *in = RIFT_NEW(r->arena, bool, joints);
    bool *off = RIFT_NEW(r->arena, bool, joints);
    if (in == NULL || off == NULL || !mark(in, r, r->mask->include, r->mask->include_count, false) ||
        !mark(off, r, r->mask->exclude, r->mask->exclude_count, true))
        return;
    for (size_t j = 0; j < joints; j++)
        out[j] = in[j] && !off[j] ? 1 : 0;
}

static void resolve_weights(double *out, const resolver *r)
{
    const size_t joints = r->skeleton->joint_count;
    const size_t given = r->mask->weight_count;
    for (size_t j = 0; j < joints && j < given; j++) {
        const double m = r->mask->weights[j];
        out[j] = m == m ? rift_layer_clamp01(m) : 0;
    }
    if (given != joints)
        rift_layer_warn(r->warnings, given < joints ? "mask_short" : "mask_long", (rift_str){0}, r->arena);
}

double *rift_layer_mask_resolve(const rift_layer_mask *mask,
                                const rift_skeleton *skeleton,
                                rift_layer_warnings *warnings,
                                rift_arena *arena)
{
    const resolver r = {mask, skeleton, warnings, arena};
    double *out = RIFT_NEW(arena, double, skeleton->joint_count);
    if (out == NULL)
        return NULL;
    if (mask->kind == RIFT_LAYER_MASK_WEIGHTS) {
        resolve_weights(out, &r);
    } else {
        resolve_names(out, &r);
    }
    bool empty = true;
    for (size_t j = 0; j < skeleton->joint_count; j++)
        empty = empty && out[j] == 0;
    if (empty)
        rift_layer_warn(warnings, "mask_empty", (rift_str){0}, arena);
    return arena->failed == RIFT_OK ? out : NULL;
}
