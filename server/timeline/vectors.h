/* vectors.h - a vector file of layering.md section 8, run against the layer engine.
 *
 * Shape   {"schema":"layering-vectors/1","conventions":{"tolerance":{"component":2e-6}},"skeleton":{"joints":[],"influences":[]},
 *         "clips":{},"masks":{},"mask_cases":[],"cases":[]}.
 * Result  one line a mask case ("mask:Upper") and a case: "ID ok", or for each thing that differs "ID FAIL <what> expected <x>
 *         got <y>", at most RIFT_VECTORS_MAX_LINES a case. Compared: mask weights; warnings in order; occupied slots; t, r, s
 *         of the joints given (rotations up to a common sign); touched components; world positions.
 * Errors  ARGUMENT (not such a file; `where` says what), LIMIT, NOMEM: nothing was compared then. */
#ifndef RIFT_TIMELINE_VECTORS_H
#define RIFT_TIMELINE_VECTORS_H

#include "base/buf.h"

#define RIFT_VECTORS_MAX_BYTES ((size_t)16 * 1024 * 1024)
#define RIFT_VECTORS_MAX_LINES 20
#define RIFT_VECTORS_DEPTH 16

typedef struct rift_vectors_result {
    size_t case_count; /* mask cases and cases */
    size_t failed_count;
} rift_vectors_result;

RIFT_NODISCARD bool rift_vectors_run(
    rift_vectors_result *out, rift_buf *lines, rift_bytes json, rift_arena *arena, rift_err *err);

#endif
