/* A skeleton and a mesh of any bytes: four bytes give the length of the skeleton's, the mesh's follow. What parses is built and must pass the scene check, which allows nothing that
 * the writer could not write. */
#include <string.h>

#include "fuzz_check.h"
#include "model/scene.h"

static void check_scene(fuzz_job *job, const rift_skl *skl, const rift_skn *skn, size_t size)
{
    static const rift_part_opts opts = {.keep_colors = true, .keep_tangents = true};
    rift_skeleton skeleton;
    rift_part *parts = NULL;
    size_t part_count = 0;
    const bool built =
        (skl == NULL || rift_skeleton_build(&skeleton, skl, skn, &job->arena, &job->report, &job->err)) &&
        rift_parts_build(&parts, &part_count, skn, skl != NULL ? &skeleton : NULL, &opts, &job->arena,
                         &job->report, &job->err);
    fuzz_check_result(built, &job->err, size);
    if (!built)
        return;
    rift_material material = {.name = RIFT_STR("m"), .texture = RIFT_NO_INDEX, .base_color = {1, 1, 1, 1}};
    const rift_scene scene = {.skeleton = skl != NULL ? &skeleton : NULL,
                              .parts = parts,
                              .part_count = part_count,
                              .materials = &material,
                              .material_count = 1};
    rift_scene_check_bind(&scene, &job->report);
    fuzz_check_result(rift_scene_check(&scene, &job->arena, &job->err), &job->err, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_job job;
    rift_skl skl;
    rift_skn skn;
    uint32_t split = 0;
    if (size < sizeof split)
        return 0;
    memcpy(&split, data, sizeof split);
    split = split > size - sizeof split ? (uint32_t)(size - sizeof split) : split;
    const uint8_t *body = data + sizeof split;
    fuzz_begin(&job);
    if (rift_skn_parse(&skn, (rift_bytes){body + split, size - sizeof split - split}, &job.arena, &job.report,
                       &job.err)) {
        const bool has_skl =
            rift_skl_parse(&skl, (rift_bytes){body, split}, &job.arena, &job.report, &job.err);
        rift_err_in(&job.err, (rift_str){0}); /* a broken skeleton leaves a static mesh (G46) */
        check_scene(&job, has_skl ? &skl : NULL, &skn, size);
    }
    rift_arena_release(&job.arena);
    return 0;
}
