/* Any bytes as a static mesh: what parsed keeps the promises of scb.h. */
#include <math.h>

#include "formats/scb.h"
#include "fuzz_check.h"

static void check_mesh(const rift_scb *scb)
{
    for (size_t i = 0; i < 3 * scb->vertex_count; i++)
        fuzz_require(isfinite(scb->positions[i]));
    for (size_t i = 0; i < scb->face_count; i++) {
        const rift_scb_face *face = &scb->faces[i];
        fuzz_require(face->material < scb->material_count);
        fuzz_require(i == 0 || face->material >= face[-1].material);
        for (size_t k = 0; k < 3; k++) {
            fuzz_require(face->index[k] < scb->vertex_count);
            fuzz_require(face->index[k] != face->index[(k + 1) % 3]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_job job;
    fuzz_begin(&job);
    rift_scb scb;
    const bool ok = rift_scb_parse(&scb, (rift_bytes){data, size}, &job.arena, &job.report, &job.err);
    fuzz_check_result(ok, &job.err, size);
    if (ok)
        check_mesh(&scb);
    rift_arena_release(&job.arena);
    return 0;
}
