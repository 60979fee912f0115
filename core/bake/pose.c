/* pose=<clip>@<seconds>: the clip's keys at one instant, skinned here; what is written is a static mesh. */
#include <math.h>
#include <string.h>

#include "bake/bake_internal.h"

bool bake_wants_pose(const bake_job *job)
{
    return job->options.pose_clip.size > 0;
}

typedef struct skinner {
    const rift_mat4 *joints; /* rest to pose, by joint */
} skinner;

static rift_mat4 blend(const skinner *s, const uint16_t *joints, const float *weights)
{
    rift_mat4 m = {{0}};
    for (int k = 0; k < 4; k++) {
        for (int i = 0; weights[k] > 0 && i < 16; i++)
            m.m[i] += (double)weights[k] * s->joints[joints[k]].m[i];
    }
    return m;
}

static float fit(double v)
{
    const float f = (float)v;
    return isfinite(f) ? f : 0;
}

/* Normals go by the inverse transpose; its direction is that of the cofactors, which a scale of 0 leaves finite. A normal that
 * vanishes with its surface keeps the direction it had. */
static void turn_normal(float n[3], const rift_mat4 *m)
{
    const rift_vec3 x = {m->m[0], m->m[1], m->m[2]};
    const rift_vec3 y = {m->m[4], m->m[5], m->m[6]};
    const rift_vec3 z = {m->m[8], m->m[9], m->m[10]};
    const rift_vec3 yz = rift_vec3_cross(y, z);
    const rift_vec3 zx = rift_vec3_cross(z, x);
    const rift_vec3 xy = rift_vec3_cross(x, y);
    const double sign = rift_vec3_dot(x, yz) < 0 ? -1 : 1;
    const rift_vec3 out = {sign * (yz.x * (double)n[0] + zx.x * (double)n[1] + xy.x * (double)n[2]),
                           sign * (yz.y * (double)n[0] + zx.y * (double)n[1] + xy.y * (double)n[2]),
                           sign * (yz.z * (double)n[0] + zx.z * (double)n[1] + xy.z * (double)n[2])};
    const double length = rift_vec3_length(out);
    if (!(length > 1e-30) || !isfinite(length))
        return;
    n[0] = (float)(out.x / length);
    n[1] = (float)(out.y / length);
    n[2] = (float)(out.z / length);
}

static void turn_tangent(float t[4], const rift_mat4 *m)
{
    rift_vec3 out = {0, 0, 0};
    for (size_t k = 0; k < 3; k++) {
        out.x += m->m[4 * k] * (double)t[k];
        out.y += m->m[4 * k + 1] * (double)t[k];
        out.z += m->m[4 * k + 2] * (double)t[k];
    }
    const double length = rift_vec3_length(out);
    if (!(length > 1e-30) || !isfinite(length))
        return;
    t[0] = (float)(out.x / length);
    t[1] = (float)(out.y / length);
    t[2] = (float)(out.z / length);
}

static void skin_part(const skinner *s, const rift_part *part)
{
    for (size_t v = 0; part->joints != NULL && v < part->vertex_count; v++) {
        const rift_mat4 m = blend(s, part->joints + 4 * v, part->weights + 4 * v);
        float *p = part->positions + 3 * v;
        const rift_vec3 at = rift_mat4_apply(&m, (rift_vec3){(double)p[0], (double)p[1], (double)p[2]});
        p[0] = fit(at.x);
        p[1] = fit(at.y);
        p[2] = fit(at.z);
        turn_normal(part->normals + 3 * v, &m);
        if (part->tangents != NULL)
            turn_tangent(part->tangents + 4 * v, &m);
    }
}

static bool skin_parts(bake_job *job, const rift_part *parts, const rift_clip *clip, double t)
{
    const rift_skeleton *skeleton = job->scene.skeleton;
    rift_mat4 *world = RIFT_NEW(job->tmp, rift_mat4, skeleton->joint_count);
    if (world == NULL)
        return rift_arena_ok(job->tmp, "pose", job->err);
    const double within = clip != NULL ? fmin(t, (double)clip->length) : 0;
    if (!rift_clip_pose(world, skeleton, clip != NULL ? clip->channels : NULL,
                        clip != NULL ? clip->channel_count : 0, within, job->tmp, job->err))
        return false;
    for (size_t j = 0; j < skeleton->joint_count; j++)
        world[j] = rift_mat4_mul(world[j], skeleton->joints[j].inverse_bind);
    const skinner s = {world};
    for (size_t i = 0; i < job->scene.part_count; i++)
        skin_part(&s, &parts[i]);
    return true;
}

bool bake_skin_parts(bake_job *job, const rift_part *parts, const rift_clip *clip, double t)
{
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    const bool ok = skin_parts(job, parts, clip, t);
    rift_arena_rewind(job->tmp, mark);
    return ok;
}

void bake_show_clip(const bake_job *job, rift_part *parts, size_t clip)
{
    for (size_t i = 0; job->shown != NULL && i < job->scene.part_count; i++)
        parts[i].hidden = !job->shown[clip * job->scene.part_count + i];
}

/* A clip that moves nothing, and so was left out, is the rest pose. */
static bool pose_parts(bake_job *job)
{
    rift_scene *scene = &job->scene;
    const double t = (double)job->options.pose_us * 1e-6;
    if (!bake_skin_parts(job, scene->parts, scene->clip_count > 0 ? &scene->clips[0] : NULL, t))
        return false;
    for (size_t i = 0; i < scene->part_count; i++) {
        scene->parts[i].joints = NULL;
        scene->parts[i].weights = NULL;
    }
    return true;
}

bool bake_pose(bake_job *job)
{
    if (!bake_wants_pose(job))
        return true;
    bake_show_clip(job, job->scene.parts, 0);
    bake_drop_hidden(job);
    if (job->scene.skeleton == NULL) {
        rift_report_add(&job->result->report, "pose_without_skeleton", "the mesh is as it was modelled");
    } else if (!pose_parts(job)) {
        return false;
    }
    job->scene.skeleton = NULL;
    job->scene.clips = NULL;
    job->scene.clip_count = 0;
    job->snap = (rift_snap_result){0}; /* no joint is left to stand elsewhere */
    return true;
}
