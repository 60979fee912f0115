#include "bake/bake_internal.h"

#include <string.h>

#include "base/str.h"

static const char *const stage_words[] = {
    [RIFT_STAGE_LOOKUP] = "lookup",   [RIFT_STAGE_WAD] = "wad",           [RIFT_STAGE_BIN] = "bin",
    [RIFT_STAGE_MESH] = "mesh",       [RIFT_STAGE_SKELETON] = "skeleton", [RIFT_STAGE_CLIP] = "clip",
    [RIFT_STAGE_TEXTURE] = "texture", [RIFT_STAGE_WRITE] = "write",
};

static const char copyright[] =
    "Art: Riot Games. Converted from the owner's own game files; not endorsed by Riot Games.";

const char *rift_stage_word(rift_stage stage)
{
    return (size_t)stage < RIFT_COUNT(stage_words) ? stage_words[stage] : "lookup";
}

bool bake_enter(bake_job *job, rift_stage stage, int progress)
{
    job->result->stage = stage;
    if (job->control == NULL)
        return true;
    atomic_store_explicit(&job->control->stage, (int)stage, memory_order_relaxed);
    if (job->control->entered != NULL)
        job->control->entered(job->control->user, stage);
    atomic_store_explicit(&job->control->progress, progress, memory_order_relaxed);
    if (!atomic_load_explicit(&job->control->cancel, memory_order_relaxed))
        return true;
    return rift_fail(job->err, RIFT_ERR_CANCELLED, rift_stage_word(stage), RIFT_NO_OFFSET,
                     "cancelled at %d %%", progress);
}

bool bake_read(bake_job *job, const rift_asset_path *path, rift_bytes *out, rift_err *err)
{
    return rift_assets_read(job->assets, path, job->tmp, &job->result->uses, out, err);
}

static bool write_glb(bake_job *job)
{
    if (!bake_enter(job, RIFT_STAGE_WRITE, 95))
        return false;
    rift_scene *scene = &job->scene;
    rift_scene_check_bind(scene, &job->result->report);
    scene->asset_extras = bake_asset_extras(job);
    if (!rift_arena_ok(job->out, "scene", job->err) || !rift_scene_check(scene, job->tmp, job->err))
        return false;
    const rift_gltf_opts opts = {
        .unit_scale = job->options.units == RIFT_UNITS_LEAGUE ? 1.0 : 0.01,
        .mirror = job->options.mirror == RIFT_MIRROR_BAKE,
        .pbr = job->options.shading == RIFT_SHADING_PBR,
        .hidden_nodes = job->options.hidden == RIFT_HIDDEN_INCLUDE,
        .joints_only = job->options.content == RIFT_CONTENT_ANIMATIONS,
        .naive = job->options.naive,
        .numbers = (rift_gltf_numbers)job->options.compress, /* in the same order */
        .generator = RIFT_STR("riftbake " RIFT_VERSION),
        .copyright = RIFT_STR(copyright),
    };
    rift_bytes glb;
    if (!rift_gltf_write(&glb, scene, &opts, job->out, job->err))
        return false;
    job->result->glb = glb;
    return true;
}

/* A viewer that decodes textures, and keeps vertices as they are in the file. */
static uint64_t gpu_bytes(const rift_scene *scene, bool quantized)
{
    enum { RGBA = 4 };
    const size_t per_vertex = quantized ? 8 + 4 + 4 : 12 + 12 + 8;
    const size_t per_skinned = quantized ? 8 + 8 : 16 + 8;
    uint64_t total = 0;
    for (size_t i = 0; i < scene->texture_count; i++) {
        const uint64_t pixels = (uint64_t)scene->textures[i].width * scene->textures[i].height;
        total += RGBA * pixels + RGBA * pixels / 3; /* all smaller levels together are a third of the first */
    }
    for (size_t i = 0; i < scene->part_count; i++) {
        const rift_part *part = &scene->parts[i];
        total += part->vertex_count * (per_vertex + (part->joints != NULL ? per_skinned : 0));
        total += part->index_count * (part->vertex_count > UINT16_MAX ? sizeof(uint32_t) : sizeof(uint16_t));
    }
    return total;
}

static void count_result(bake_job *job)
{
    rift_bake_result *result = job->result;
    result->clip_count = job->scene.clip_count;
    result->part_count = job->scene.part_count;
    result->texture_count = job->scene.texture_count;
    result->gpu_bytes = gpu_bytes(&job->scene, job->options.compress != RIFT_COMPRESS_NONE);
    result->joint_count = job->scene.skeleton ? job->scene.skeleton->joint_count : 0;
}

/* content=animations: until here the parts have told which joints and which events matter. */
static bool drop_parts(bake_job *job)
{
    if (job->options.content == RIFT_CONTENT_ANIMATIONS)
        job->scene.part_count = 0;
    return true;
}

bool bake_skin(bake_job *job)
{
    const rift_skin_ref *ref = &job->skin.ref;
    if (bake_wants_pose(job) && job->options.content == RIFT_CONTENT_ANIMATIONS) {
        return rift_fail(job->err, RIFT_ERR_ARGUMENT, "pose", RIFT_NO_OFFSET,
                         "a pose is a mesh, which content=animations leaves out");
    }
    if (job->options.naive && job->options.compress != RIFT_COMPRESS_NONE)
        rift_report_add(&job->result->report, "compress_naive", "the plain exporter's file has floats");
    job->scene.name = ref->alias.size > 0
                          ? rift_arena_printf(job->out, "%.*s-%u", RIFT_STR_ARG(ref->alias), ref->number)
                          : rift_arena_copy_str(job->out, rift_str_stem(job->skin.mesh.name));
    const bool ok = bake_mesh(job) && bake_clips(job) && bake_pose(job) && drop_parts(job) &&
                    bake_open_variants(job) && bake_materials(job) && write_glb(job);
    count_result(job);
    if (ok && job->control != NULL)
        atomic_store_explicit(&job->control->progress, 100, memory_order_relaxed);
    return ok;
}

void bake_begin(bake_job *job, rift_bake_result *result, rift_arena *out, rift_arena *tmp, rift_err *err)
{
    memset(result, 0, sizeof *result);
    rift_report_init(&result->report, out);
    rift_asset_log_init(&result->uses, out);
    *job = (bake_job){.result = result, .out = out, .tmp = tmp, .err = err};
}

bool bake_open_skin(bake_job *job,
                    rift_bake_result *result,
                    const rift_bake_request *request,
                    rift_arena *out,
                    rift_arena *tmp,
                    rift_err *err)
{
    bake_begin(job, result, out, tmp, err);
    job->assets = request->assets;
    job->names = request->names;
    job->options = request->options;
    job->control = request->control;
    job->of_game = true;
    return bake_enter(job, RIFT_STAGE_BIN, 0) &&
           rift_skin_load(&job->skin, request->skin, request->assets, request->names, out, &result->uses,
                          &result->report, err);
}

bool rift_bake(rift_bake_result *result,
               const rift_bake_request *request,
               rift_arena *out,
               rift_arena *tmp,
               rift_err *err)
{
    bake_job job;
    return bake_open_skin(&job, result, request, out, tmp, err) && bake_skin(&job);
}
