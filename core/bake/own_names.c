/* Names that the skin's own files know: joints and submeshes, behind whose hashes no list has to stand. The tables given
 * by the caller are asked after them. */
#include "bake/bake_internal.h"

static bool lookup(void *user, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out)
{
    const bake_job *job = user;
    if (table == RIFT_NAMES_BINHASHES) {
        const uint32_t at = rift_map_lookup(&job->own_names.by_hash, hash);
        if (at != RIFT_MAP_NONE) {
            *out = job->own_names.names[at];
            return true;
        }
    }
    return rift_names_lookup(job->names, table, hash, arena, out);
}

static void add(bake_job *job, rift_str name)
{
    bake_own_names *own = &job->own_names;
    if (name.size == 0)
        return;
    own->names[own->count] = name;
    if (rift_map_add(&own->by_hash, rift_fnv1a(name), (uint32_t)own->count) == own->count)
        own->count++;
}

bool bake_learn_names(bake_job *job)
{
    const rift_skeleton *skeleton = job->scene.skeleton;
    const size_t joint_count = skeleton != NULL ? skeleton->joint_count : 0;
    const size_t expected = joint_count + job->scene.part_count;
    rift_map_init(&job->own_names.by_hash, job->out, expected);
    /* One more than needed: a name that is known already is written behind the last before it is dropped. */
    job->own_names.names = RIFT_NEW(job->out, rift_str, expected + 1);
    if (!rift_arena_ok(job->out, "names", job->err))
        return false;
    for (size_t i = 0; i < joint_count; i++)
        add(job, skeleton->joints[i].source_name);
    for (size_t i = 0; i < job->scene.part_count; i++)
        add(job, job->scene.parts[i].source_name);
    job->event_names = (rift_names){.user = job, .lookup = lookup};
    return true;
}
