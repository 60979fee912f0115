/* fuzz_check.h - what every target that parses bytes has in common: an arena of fixed limit, and a trap when the
 * return value and the code disagree, on INTERNAL, or when the offset lies past the input. */
#ifndef RIFT_TESTS_FUZZ_FUZZ_CHECK_H
#define RIFT_TESTS_FUZZ_FUZZ_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/report.h"

typedef struct fuzz_job {
    rift_arena arena;
    rift_report report;
    rift_err err;
} fuzz_job;

static inline void fuzz_begin(fuzz_job *job)
{
    enum { ARENA_LIMIT = 32 * 1024 * 1024 };
    rift_arena_init(&job->arena, ARENA_LIMIT);
    rift_report_init(&job->report, &job->arena);
    rift_err_in(&job->err, (rift_str){0});
}

static inline void fuzz_require(int truth)
{
    if (!truth)
        __builtin_trap();
}

static inline void fuzz_check_result(int ok, const rift_err *err, size_t size)
{
    fuzz_require((ok != 0) == (err->code == RIFT_OK));
    fuzz_require(err->code != RIFT_ERR_INTERNAL);
    fuzz_require(ok || err->offset == RIFT_NO_OFFSET || err->offset <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
