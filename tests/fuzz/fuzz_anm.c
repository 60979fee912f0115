/* Any bytes as an animation: what parsed keeps the promises of anm.h. */
#include <math.h>

#include "formats/anm.h"
#include "fuzz_check.h"

static double dot4(const float *a, const float *b)
{
    double sum = 0;
    for (size_t i = 0; i < 4; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

static void check_curve(const rift_anm *anm, const rift_anm_curve *curve, rift_anm_component component)
{
    const size_t width = component == RIFT_ANM_ROTATION ? 4 : 3;
    fuzz_require(!curve->is_constant || curve->key_count == 1);
    fuzz_require(!anm->compressed || curve->key_count == 0 || curve->key_count >= 4);
    for (size_t i = 0; i < curve->key_count; i++) {
        const float *v = curve->values + width * i;
        fuzz_require(curve->times[i] >= (i > 0 ? curve->times[i - 1] : 0));
        fuzz_require(curve->times[i] <= anm->length);
        for (size_t k = 0; k < width; k++)
            fuzz_require(isfinite(v[k]));
        if (component != RIFT_ANM_ROTATION)
            continue;
        fuzz_require(fabs(dot4(v, v) - 1) < 1e-5);
        fuzz_require(i == 0 || dot4(v - 4, v) >= 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_job job;
    fuzz_begin(&job);
    rift_anm anm;
    const bool ok = rift_anm_parse(&anm, (rift_bytes){data, size}, &job.arena, &job.report, &job.err);
    fuzz_check_result(ok, &job.err, size);
    if (ok) {
        fuzz_require(isfinite(anm.length) && anm.length >= 0);
        fuzz_require(isfinite(anm.stored_duration) && isfinite(anm.fps) && anm.fps > 0);
        for (size_t i = 0; i < anm.track_count; i++) {
            for (unsigned k = 0; k < 3; k++)
                check_curve(&anm, &anm.tracks[i].curves[k], (rift_anm_component)k);
        }
    }
    rift_arena_release(&job.arena);
    return 0;
}
