/* Any bytes as a skinned mesh: what parsed keeps the promises of skn.h. */
#include <math.h>

#include "formats/skn.h"
#include "fuzz_check.h"

static void check_mesh(const rift_skn *skn)
{
    size_t at = 0;
    for (size_t i = 0; i < skn->range_count; i++) {
        const rift_skn_range *range = &skn->ranges[i];
        fuzz_require(range->index_start == at && range->index_count % 3 == 0);
        fuzz_require((uint64_t)range->vertex_start + range->vertex_count <= skn->vertex_count);
        at += range->index_count;
    }
    fuzz_require(at == skn->index_count);
    for (size_t i = 0; i < skn->index_count; i++) {
        fuzz_require(skn->indices[i] < skn->vertex_count);
        for (size_t k = 0; k < 3; k++)
            fuzz_require(isfinite(skn->positions[3 * (size_t)skn->indices[i] + k]));
    }
    fuzz_require((skn->colors != NULL) == (skn->vertex_type >= 1));
    fuzz_require((skn->tangents != NULL) == (skn->vertex_type >= 2));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_job job;
    fuzz_begin(&job);
    rift_skn skn;
    const bool ok = rift_skn_parse(&skn, (rift_bytes){data, size}, &job.arena, &job.report, &job.err);
    fuzz_check_result(ok, &job.err, size);
    if (ok)
        check_mesh(&skn);
    rift_arena_release(&job.arena);
    return 0;
}
