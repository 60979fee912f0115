#include "model/rig.h"

#include "hash/hash.h"
#include "support/check.h"

const rig_joint rig_shaco[8] = {
    {"Root", -1, {0, 64.08, 1.58}, false},
    {"Pelvis", 0, {0, 2, 0}, true},
    {"Spine", 1, {0, 10, 0}, true},
    {"Neck", 2, {0, 25, 0}, true},
    {"Head", 3, {0, 8, 2}, true},
    {"head", 0, {0, -64.08, -1.58}, false},
    {"Buffbone_Head_Loc", 4, {0, 15, 0}, false},
    {"Weapon", 0, {20, 0, 0}, true},
};

rift_skl rig_skl(const rig_joint *joints, size_t count, rift_arena *arena)
{
    rift_skl skl = {.joint_count = count};
    skl.joints = RIFT_NEW(arena, rift_skl_joint, count);
    skl.influences = RIFT_NEW(arena, uint16_t, count);
    for (size_t j = 0; j < count; j++) {
        const rift_str name = {joints[j].name, strlen(joints[j].name)};
        /* The chain without rotations is a sum; the depth bound also ends cycles. */
        rift_vec3 world = {0, 0, 0};
        size_t depth = 0;
        for (int a = (int)j; a >= 0 && a < (int)count && depth <= count; a = joints[a].parent, depth++)
            world = (rift_vec3){world.x + joints[a].t[0], world.y + joints[a].t[1], world.z + joints[a].t[2]};
        skl.joints[j] = (rift_skl_joint){
            .name = name,
            .hash = rift_elf(name),
            .parent = (int16_t)joints[j].parent,
            .local = {{joints[j].t[0], joints[j].t[1], joints[j].t[2]}, {0, 0, 0, 1}, {1, 1, 1}},
            .inverse_bind = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -world.x, -world.y, -world.z, 1}},
            .inverse_bind_valid = true,
        };
        if (joints[j].influence)
            skl.influences[skl.influence_count++] = (uint16_t)j;
    }
    return skl;
}

rift_skeleton rig_build(const rig_joint *joints, size_t count, rift_arena *arena, rift_report *report)
{
    const rift_skl skl = rig_skl(joints, count, arena);
    rift_skeleton skeleton = {0};
    rift_err err = check_err();
    CHECK_OK(rift_skeleton_build(&skeleton, &skl, NULL, arena, report, &err), &err);
    return skeleton;
}
