/* Joints of one hash form two lists in walk order: all of them, and those that skin vertices. Both passes only ever take the first free one, so each list is a cursor and the mapping is linear
 * in tracks and joints, however many share a hash. */
#include <math.h>

#include "anim/anim.h"

#define NONE UINT32_MAX

typedef struct hash_group {
    uint32_t first;     /* joints of the hash, in walk order */
    uint32_t free_any;  /* next that pass 2 looks at */
    uint32_t free_skin; /* next influencing one */
    uint32_t last, last_skin;
    uint32_t joint_count;
} hash_group;

typedef struct mapper {
    const rift_skeleton *skeleton;
    const rift_anm *anm;
    rift_map by_hash; /* elf -> index into groups */
    hash_group *groups;
    size_t group_count;
    uint32_t *next;      /* joint -> next joint of its hash */
    uint32_t *next_skin; /* influencing joint -> next influencing one */
    int32_t *joint_of_track;
    rift_track_map map;
} mapper;

static bool allocate(mapper *m, rift_arena *arena)
{
    const size_t joints = m->skeleton->joint_count;
    const size_t tracks = m->anm->track_count;
    rift_map_init(&m->by_hash, arena, joints);
    m->groups = RIFT_NEW(arena, hash_group, joints);
    m->next = RIFT_NEW(arena, uint32_t, joints);
    m->next_skin = RIFT_NEW(arena, uint32_t, joints);
    m->joint_of_track = RIFT_NEW(arena, int32_t, tracks);
    m->map.track_of_joint = RIFT_NEW(arena, int32_t, joints);
    m->map.leftovers = RIFT_NEW(arena, rift_leftover, tracks);
    m->map.track_count = tracks;
    return arena->failed == RIFT_OK;
}

static void add_joint(mapper *m, uint32_t joint)
{
    const rift_joint *j = &m->skeleton->joints[joint];
    const uint32_t at = rift_map_add(&m->by_hash, j->elf, (uint32_t)m->group_count);
    hash_group *group = &m->groups[at];
    if (at == m->group_count) {
        m->group_count++;
        *group = (hash_group){joint, joint, NONE, joint, NONE, 0};
    } else {
        m->next[group->last] = joint;
        group->last = joint;
    }
    group->joint_count++;
    if (!j->influences)
        return;
    if (group->free_skin == NONE) {
        group->free_skin = joint;
    } else {
        m->next_skin[group->last_skin] = joint;
    }
    group->last_skin = joint;
}

static void group_joints(mapper *m)
{
    for (size_t j = 0; j < m->skeleton->joint_count; j++) {
        m->next[j] = m->next_skin[j] = NONE;
        m->map.track_of_joint[j] = RIFT_NO_TRACK;
    }
    for (size_t i = 0; i < m->skeleton->joint_count; i++)
        add_joint(m, m->skeleton->walk[i]);
    for (size_t t = 0; t < m->anm->track_count; t++)
        m->joint_of_track[t] = RIFT_NO_TRACK;
}

static hash_group *group_of(const mapper *m, size_t track)
{
    const uint32_t at = rift_map_lookup(&m->by_hash, m->anm->tracks[track].hash);
    return at == RIFT_MAP_NONE ? NULL : &m->groups[at];
}

static void give(mapper *m, size_t track, uint32_t joint)
{
    m->map.track_of_joint[joint] = (int32_t)track;
    m->joint_of_track[track] = (int32_t)joint;
}

/* T4. */
static void map_skinning(mapper *m)
{
    for (size_t t = 0; t < m->anm->track_count; t++) {
        hash_group *group = group_of(m, t);
        if (group == NULL || group->free_skin == NONE)
            continue;
        give(m, t, group->free_skin);
        group->free_skin = m->next_skin[group->free_skin];
        m->map.skinning_count++;
    }
}

/* T5. */
static void map_others(mapper *m)
{
    for (size_t t = 0; t < m->anm->track_count; t++) {
        if (m->joint_of_track[t] != RIFT_NO_TRACK)
            continue;
        hash_group *group = group_of(m, t);
        while (group != NULL && group->free_any != NONE &&
               m->map.track_of_joint[group->free_any] != RIFT_NO_TRACK)
            group->free_any = m->next[group->free_any];
        if (group != NULL && group->free_any != NONE) {
            give(m, t, group->free_any);
            m->map.other_count++;
            continue;
        }
        m->map.leftovers[m->map.leftover_count++] =
            (rift_leftover){(uint32_t)t, m->anm->tracks[t].hash,
                            group == NULL ? RIFT_LEFTOVER_NO_JOINT : RIFT_LEFTOVER_DUPLICATE};
    }
}

static double rest_distance(const mapper *m, uint32_t joint, const float *key)
{
    const rift_vec3 at = {(double)key[0], (double)key[1], (double)key[2]};
    return rift_vec3_length(rift_vec3_sub(at, m->skeleton->joints[joint].rest.t));
}

/* T12 for one mapped track. */
static void suspect_track(const mapper *m, size_t track, rift_report *report)
{
    const rift_anm_curve *curve = &m->anm->tracks[track].curves[RIFT_ANM_TRANSLATION];
    const hash_group *group = group_of(m, track);
    if (curve->key_count == 0 || group == NULL || group->joint_count < 2)
        return;
    const uint32_t own = (uint32_t)m->joint_of_track[track];
    uint32_t nearest = own;
    double least = rest_distance(m, own, curve->values);
    const double own_distance = least;
    uint32_t looked_at = 0;
    for (uint32_t j = group->first; j != NONE && looked_at < RIFT_SUSPECT_MAX; j = m->next[j], looked_at++) {
        const double distance = rest_distance(m, j, curve->values);
        if (distance < least) {
            least = distance;
            nearest = j;
        }
    }
    if (own_distance - least > RIFT_SUSPECT_DISTANCE) {
        rift_report_add(
            report, "track_mapping_suspect",
            "track %zu drives joint %u (%.*s), %.4g u from its rest; joint %u (%.*s) is %.4g u away", track,
            own, RIFT_STR_ARG(m->skeleton->joints[own].name), own_distance, nearest,
            RIFT_STR_ARG(m->skeleton->joints[nearest].name), least);
    }
}

bool rift_track_map_build(rift_track_map *out,
                          const rift_skeleton *skeleton,
                          const rift_anm *anm,
                          rift_arena *arena,
                          rift_report *report,
                          rift_err *err)
{
    mapper m = {.skeleton = skeleton, .anm = anm};
    if (!allocate(&m, arena))
        return rift_arena_ok(arena, "track map", err);
    group_joints(&m);
    map_skinning(&m);
    map_others(&m);
    for (size_t t = 0; report != NULL && t < anm->track_count; t++) {
        if (m.joint_of_track[t] != RIFT_NO_TRACK)
            suspect_track(&m, t, report);
    }
    *out = m.map;
    return true;
}
