#include <math.h>

#include "model/model_internal.h"

static double largest_entry_off_identity(const rift_mat4 *m)
{
    const rift_mat4 identity = rift_mat4_identity();
    double worst = 0;
    for (int i = 0; i < 16; i++) {
        const double off = fabs(m->m[i] - identity.m[i]);
        worst = isnan(off) ? HUGE_VAL : fmax(worst, off);
    }
    return worst;
}

static void check_joints(const rift_skeleton *sk, rift_report *report)
{
    for (size_t j = 0; j < sk->joint_count; j++) {
        if (!sk->joints[j].influences)
            continue;
        const rift_mat4 bind = rift_mat4_mul(sk->rest_world[j], sk->joints[j].inverse_bind);
        const double off = largest_entry_off_identity(&bind);
        if (off > RIFT_BIND_MAX_ENTRY) {
            rift_report_add(report, "bind_mismatch", "joint %.*s: entry off by %.4g",
                            RIFT_STR_ARG(sk->joints[j].name), off);
        }
    }
}

/* How far the rest pose moves a vertex from where the file has it. */
static double vertex_distance(const rift_skeleton *sk, const rift_part *part, size_t v)
{
    const float *p = part->positions + 3 * v;
    const rift_vec3 at = {(double)p[0], (double)p[1], (double)p[2]};
    rift_vec3 moved = {0, 0, 0};
    for (size_t k = 4 * v; k < 4 * v + 4; k++) {
        if (part->weights[k] <= 0)
            continue;
        const uint16_t j = part->joints[k];
        const rift_vec3 q =
            rift_mat4_apply(&sk->rest_world[j], rift_mat4_apply(&sk->joints[j].inverse_bind, at));
        const double w = (double)part->weights[k];
        moved = (rift_vec3){moved.x + w * q.x, moved.y + w * q.y, moved.z + w * q.z};
    }
    return rift_vec3_length(rift_vec3_sub(moved, at));
}

static void check_part(const rift_skeleton *sk, const rift_part *part, rift_report *report)
{
    double worst = 0;
    size_t where = 0;
    for (size_t v = 0; v < part->vertex_count; v++) {
        const double distance = vertex_distance(sk, part, v);
        if (isnan(distance) || distance > worst) {
            worst = isnan(distance) ? HUGE_VAL : distance;
            where = v;
        }
    }
    if (worst > RIFT_BIND_MAX_DISTANCE) {
        rift_report_add(report, "bind_mismatch", "%.*s: vertex %zu is %.4g u from its source",
                        RIFT_STR_ARG(part->name), where, worst);
    }
}

void rift_scene_check_bind(const rift_scene *scene, rift_report *report)
{
    if (scene->skeleton == NULL)
        return;
    check_joints(scene->skeleton, report);
    for (size_t i = 0; i < scene->part_count; i++) {
        if (scene->parts[i].joints != NULL)
            check_part(scene->skeleton, &scene->parts[i], report);
    }
}
