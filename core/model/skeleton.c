#include "model/skeleton.h"

#include <math.h>

#include "hash/hash.h"
#include "model/model_internal.h"

/* --- parents and orders ----------------------------------------------------------------------------------------- */

static void copy_parents(rift_skeleton *sk, const rift_skl *skl, rift_report *report)
{
    for (size_t j = 0; j < sk->joint_count; j++) {
        const int32_t parent = skl->joints[j].parent;
        const bool valid = parent >= 0 && (size_t)parent < sk->joint_count;
        sk->joints[j].parent = valid ? parent : RIFT_NO_PARENT;
        if (!valid && parent != RIFT_SKL_NO_PARENT) {
            rift_report_add(report, "joint_parent_invalid", "joint %zu: parent %d of %zu joints", j, parent,
                            sk->joint_count);
        }
    }
}

static void cut_cycle(rift_skeleton *sk, int32_t on_it, rift_report *report)
{
    for (int32_t j = on_it; sk->joints[j].parent != RIFT_NO_PARENT;) {
        const int32_t parent = sk->joints[j].parent;
        sk->joints[j].parent = RIFT_NO_PARENT;
        rift_report_add(report, "joint_cycle", "joint %d: parent was %d", j, parent);
        j = parent;
    }
}

/* Follows each joint's parents, marking the way with the joint it began at: meeting the own mark is a cycle. Every joint on it becomes parentless (T "walk order"), joints below it
 * keep their parents. `mark` is zeroed. */
static void cut_cycles(rift_skeleton *sk, uint32_t *mark, rift_report *report)
{
    for (size_t start = 0; start < sk->joint_count; start++) {
        int32_t j = (int32_t)start;
        while (j != RIFT_NO_PARENT && mark[j] == 0) {
            mark[j] = (uint32_t)start + 1;
            j = sk->joints[j].parent;
        }
        if (j != RIFT_NO_PARENT && mark[j] == start + 1)
            cut_cycle(sk, j, report);
    }
}

/* Breadth first from the parentless joints; siblings in id order. `first_child` and `next_sibling` hold id + 1. */
static void order_joints(rift_skeleton *sk, uint32_t *first_child, uint32_t *next_sibling)
{
    size_t count = 0;
    for (size_t j = sk->joint_count; j-- > 0;) {
        const int32_t parent = sk->joints[j].parent;
        if (parent == RIFT_NO_PARENT)
            continue;
        next_sibling[j] = first_child[parent];
        first_child[parent] = (uint32_t)j + 1;
    }
    for (size_t j = 0; j < sk->joint_count; j++) {
        if (sk->joints[j].parent == RIFT_NO_PARENT)
            sk->walk[count++] = (uint32_t)j;
    }
    for (size_t i = 0; i < count; i++) {
        for (uint32_t child = first_child[sk->walk[i]]; child != 0; child = next_sibling[child - 1])
            sk->walk[count++] = child - 1;
    }
    RIFT_ASSERT(count == sk->joint_count);
    for (size_t i = 0; i < count; i++)
        sk->topological[i] = sk->walk[i];
}

/* --- names ------------------------------------------------------------------------------------------------------ */

static void
name_joint(rift_joint *joint, const rift_skl_joint *from, size_t id, rift_arena *arena, rift_report *report)
{
    joint->source_name = rift_model_utf8(from->name, arena);
    if (from->name.size == 0) {
        joint->name = rift_arena_printf(arena, "joint_%zu", id);
        joint->elf = from->hash; /* T2: all there is */
        return;
    }
    joint->name = rift_model_clean_name(joint->source_name, arena);
    joint->elf = rift_elf(from->name);
    joint->fnv = rift_fnv1a(from->name);
    if (joint->elf != from->hash) {
        rift_report_add(report, "joint_hash_mismatch", "%.*s: stored 0x%08x, computed 0x%08x",
                        RIFT_STR_ARG(joint->name), from->hash, joint->elf);
    }
    if (rift_model_has_control(joint->source_name))
        rift_report_add(report, "joint_name_changed", "joint %zu: %.*s", id, RIFT_STR_ARG(joint->name));
}

/* All names are taken first, so that no suffixed name steals one that a later joint has by right (G14). */
static void name_joints(rift_skeleton *sk, const rift_skl *skl, rift_arena *arena, rift_report *report)
{
    rift_unique unique;
    rift_unique_init(&unique, arena, sk->joint_count);
    bool *repeated = RIFT_NEW(arena, bool, sk->joint_count);
    for (size_t j = 0; j < sk->joint_count && arena->failed == RIFT_OK; j++) {
        name_joint(&sk->joints[j], &skl->joints[j], j, arena, report);
        repeated[j] = !rift_unique_take(&unique, sk->joints[j].name);
    }
    for (size_t j = 0; j < sk->joint_count && arena->failed == RIFT_OK; j++) {
        if (!repeated[j])
            continue;
        sk->joints[j].name = rift_unique_joint(&unique, sk->joints[j].name, (uint32_t)j);
        rift_report_add(report, "joint_name_repeated", "joint %zu is %.*s", j,
                        RIFT_STR_ARG(sk->joints[j].name));
    }
}

/* --- rest pose -------------------------------------------------------------------------------------------------- */

/* A number that is finite as float32 too, or `otherwise`. */
static double finite_or(double v, double otherwise, bool *repaired)
{
    if (isfinite((float)v))
        return v;
    *repaired = true;
    return otherwise;
}

static rift_trs repaired_rest(rift_trs rest, bool *repaired)
{
    rest.t.x = finite_or(rest.t.x, 0, repaired);
    rest.t.y = finite_or(rest.t.y, 0, repaired);
    rest.t.z = finite_or(rest.t.z, 0, repaired);
    rest.s.x = finite_or(rest.s.x, 1, repaired);
    rest.s.y = finite_or(rest.s.y, 1, repaired);
    rest.s.z = finite_or(rest.s.z, 1, repaired);
    const double square = rift_quat_dot(rest.r, rest.r);
    if (!isfinite(square) || square <= 0)
        *repaired = true;
    rest.r = rift_quat_normalize(rest.r);
    return rest;
}

static void set_rest(rift_skeleton *sk, const rift_skl *skl, rift_report *report)
{
    for (size_t j = 0; j < sk->joint_count; j++) {
        bool repaired = false;
        sk->joints[j].rest = repaired_rest(skl->joints[j].local, &repaired);
        if (repaired) {
            rift_report_add(report, "joint_not_finite", "%.*s: rest transform",
                            RIFT_STR_ARG(sk->joints[j].name));
        }
    }
    for (size_t i = 0; i < sk->joint_count; i++) {
        const uint32_t j = sk->topological[i];
        const int32_t parent = sk->joints[j].parent;
        const rift_mat4 local = rift_mat4_from_trs(sk->joints[j].rest);
        sk->rest_world[j] = parent == RIFT_NO_PARENT ? local : rift_mat4_mul(sk->rest_world[parent], local);
    }
}

/* --- influences ------------------------------------------------------------------------------------------------- */

static bool is_identity_list(const rift_skeleton *sk)
{
    if (sk->influence_count != sk->joint_count)
        return false;
    for (size_t i = 0; i < sk->influence_count; i++) {
        if (sk->influences[i] != i)
            return false;
    }
    return true;
}

static void mark_used_joints(rift_skeleton *sk, const rift_skn *skn)
{
    const rift_weight_source source = rift_model_weight_source(sk, skn);
    for (size_t v = 0; v < skn->vertex_count; v++) {
        const rift_weights w =
            rift_model_weights(&source, skn->blend_indices + 4 * v, skn->blend_weights + 4 * v);
        for (int k = 0; k < 4; k++) {
            if (w.weights[k] > 0)
                sk->joints[w.joints[k]].influences = true;
        }
    }
}

static void mark_influences(rift_skeleton *sk, const rift_skn *skn)
{
    if (skn != NULL && (skn->direct_indices || is_identity_list(sk))) {
        mark_used_joints(sk, skn);
        return;
    }
    for (size_t i = 0; i < sk->influence_count; i++) {
        if (sk->influences[i] < sk->joint_count)
            sk->joints[sk->influences[i]].influences = true;
    }
}

static void copy_influences(rift_skeleton *sk, const rift_skl *skl)
{
    for (size_t i = 0; i < skl->influence_count; i++) {
        sk->influences[i] =
            skl->influences[i] < sk->joint_count ? skl->influences[i] : RIFT_SKL_BAD_INFLUENCE;
    }
}

/* --- stubs (T section 3) ---------------------------------------------------------------------------------------- */

static bool is_stub(const rift_skeleton *sk, size_t j, const rift_map *influencing)
{
    const rift_joint *joint = &sk->joints[j];
    if (joint->influences || joint->parent == RIFT_NO_PARENT ||
        sk->joints[joint->parent].parent != RIFT_NO_PARENT)
        return false;
    const double *m = sk->rest_world[j].m;
    return rift_map_lookup(influencing, joint->elf) != RIFT_MAP_NONE &&
           rift_vec3_length((rift_vec3){m[12], m[13], m[14]}) <= 1;
}

static void mark_stubs(rift_skeleton *sk, rift_arena *arena, rift_report *report)
{
    rift_map influencing;
    rift_map_init(&influencing, arena, sk->joint_count);
    for (size_t j = 0; j < sk->joint_count; j++) {
        if (sk->joints[j].influences)
            (void)rift_map_add(&influencing, sk->joints[j].elf, (uint32_t)j);
    }
    for (size_t j = 0; j < sk->joint_count; j++) {
        sk->joints[j].is_stub = is_stub(sk, j, &influencing);
        if (sk->joints[j].is_stub)
            rift_report_add(report, "stub_joints", "joint %zu: %.*s", j, RIFT_STR_ARG(sk->joints[j].name));
    }
}

/* ---------------------------------------------------------------------------------------------------------------- */

static bool allocate(rift_skeleton *sk, const rift_skl *skl, rift_arena *arena)
{
    const size_t n = skl->joint_count;
    sk->joint_count = n;
    sk->influence_count = skl->influence_count;
    sk->joints = RIFT_NEW(arena, rift_joint, n);
    sk->walk = RIFT_NEW(arena, uint32_t, n);
    sk->topological = RIFT_NEW(arena, uint32_t, n);
    sk->influences = RIFT_NEW(arena, uint16_t, skl->influence_count);
    sk->rest_world = RIFT_NEW(arena, rift_mat4, n);
    return arena->failed == RIFT_OK;
}

static bool
build(rift_skeleton *sk, const rift_skl *skl, const rift_skn *skn, rift_arena *arena, rift_report *report)
{
    const size_t n = skl->joint_count;
    uint32_t *marks = RIFT_NEW(arena, uint32_t, n);
    uint32_t *first_child = RIFT_NEW(arena, uint32_t, n);
    uint32_t *next_sibling = RIFT_NEW(arena, uint32_t, n);
    if (!allocate(sk, skl, arena))
        return false;
    copy_parents(sk, skl, report);
    cut_cycles(sk, marks, report);
    order_joints(sk, first_child, next_sibling);
    name_joints(sk, skl, arena, report);
    if (arena->failed != RIFT_OK)
        return false;
    set_rest(sk, skl, report);
    copy_influences(sk, skl);
    mark_influences(sk, skn);
    mark_stubs(sk, arena, report);
    return arena->failed == RIFT_OK && rift_model_inverse_binds(sk, skl, arena, report);
}

bool rift_skeleton_build(rift_skeleton *out,
                         const rift_skl *skl,
                         const rift_skn *skn,
                         rift_arena *arena,
                         rift_report *report,
                         rift_err *err)
{
    if (skl->joint_count == 0 || skl->joint_count > RIFT_SKL_MAX_JOINTS) {
        return rift_fail(err, RIFT_ERR_FORMAT, "skeleton", RIFT_NO_OFFSET, "%zu joints, not 1 to %d",
                         skl->joint_count, RIFT_SKL_MAX_JOINTS);
    }
    rift_skeleton sk = {0};
    const bool built = build(&sk, skl, skn, arena, report);
    if (!rift_arena_ok(arena, "skeleton", err))
        return false;
    RIFT_ASSERT(built);
    *out = sk;
    return true;
}
