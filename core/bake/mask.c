/* A mask held against a skin's joints, for whoever writes masks. */
#include "bake/bake_internal.h"

static bool load(bake_job *job, rift_layer_mask *mask)
{
    if (!bake_mesh(job) || !bake_game_mask(job, mask, job->err))
        return false;
    if (mask->kind == RIFT_LAYER_MASK_NAMED) {
        return rift_fail(job->err, RIFT_ERR_ARGUMENT, "mask", RIFT_NO_OFFSET, "nobody knows \"%.*s\"",
                         mask->name.size < 60 ? (int)mask->name.size : 60, mask->name.data);
    }
    return job->scene.skeleton != NULL || rift_fail(job->err, RIFT_ERR_NOT_FOUND, "skeleton", RIFT_NO_OFFSET,
                                                    "the skin has no skeleton that can be read");
}

static void put_joints(rift_json *j, const rift_skeleton *skeleton, const double *weights, bool in)
{
    rift_json_key(j, in ? "in" : "out");
    rift_json_array(j);
    for (size_t i = 0; i < skeleton->joint_count; i++) {
        if ((weights[i] > 0) != in)
            continue;
        rift_json_object(j);
        rift_json_put_uint(j, "id", i);
        rift_json_put_str(j, "name", skeleton->joints[i].name);
        if (in)
            rift_json_put_double(j, "weight", weights[i]);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

static bool write(bake_job *job, rift_json *j, const rift_layer_mask *mask)
{
    const rift_skeleton *skeleton = job->scene.skeleton;
    rift_layer_warnings warnings = {0};
    const double *weights = rift_layer_mask_resolve(mask, skeleton, &warnings, job->tmp);
    if (weights == NULL)
        return rift_arena_ok(job->tmp, "mask", job->err);
    rift_json_object(j);
    if (job->skin.ref.id != 0)
        rift_json_put_uint(j, "skin", job->skin.ref.id);
    rift_json_put_uint(j, "joints", skeleton->joint_count);
    put_joints(j, skeleton, weights, true);
    put_joints(j, skeleton, weights, false);
    rift_json_key(j, "warnings");
    rift_json_array(j);
    for (size_t i = 0; i < warnings.count; i++)
        rift_json_str(j, rift_layer_warning_text(&warnings.items[i], job->tmp));
    rift_json_array_end(j);
    rift_json_object_end(j);
    return rift_arena_ok(job->tmp, "mask", job->err);
}

bool rift_describe_mask(rift_bytes *json,
                        rift_bake_result *result,
                        const rift_bake_request *request,
                        const rift_layer_mask *mask,
                        rift_arena *out,
                        rift_arena *tmp,
                        rift_err *err)
{
    bake_job job;
    rift_buf buf;
    rift_json j;
    rift_layer_mask copy = *mask;
    if (!bake_open_skin(&job, result, request, out, tmp, err))
        return false;
    rift_buf_init(&buf, out, RIFT_DESCRIBE_MAX_SIZE);
    rift_json_init(&j, &buf);
    if (!load(&job, &copy) || !write(&job, &j, &copy) || !rift_buf_ok(&buf, "mask", err))
        return false;
    *json = rift_buf_bytes(&buf);
    return true;
}
