/* records.h - dependency records: what each artifact was made from, and the label that says for which state of the game it holds.
 *
 * Errors, memory, threads as in store.h. */
#ifndef RIFT_STORE_RECORDS_H
#define RIFT_STORE_RECORDS_H

#include "store/store.h"

typedef struct rift_record {
    int64_t artifact;
    rift_job_spec spec; /* with the key it has */
    rift_sha256 sha256, fingerprint, source;
    int64_t last_used; /* since 1970 */
    bool pinned;
    uint64_t features; /* of its files, see game/features.h */
    rift_asset_use *uses;
    size_t use_count;
} rift_record;

/* Artifacts that are labelled with another source than this, newest first, ids below `before` (0: all), at most `max`. */
RIFT_NODISCARD bool rift_store_records(rift_store *store,
                                       const rift_sha256 *source,
                                       int64_t before,
                                       size_t max,
                                       rift_record **out,
                                       size_t *count,
                                       rift_arena *arena,
                                       rift_err *err);

/* What the conversion that made these bytes reported, as JSON; empty when it is not known any more. */
RIFT_NODISCARD bool rift_store_report_of(
    rift_store *store, const rift_sha256 *sha256, rift_str *report, rift_arena *arena, rift_err *err);

/* ---- writer only, inside a transaction ---- */

/* The artifact holds for this state, too: it gets its key. *taken is false when another one has that already. */
RIFT_NODISCARD bool rift_store_relabel(rift_store *store,
                                       int64_t artifact,
                                       const rift_sha256 *key,
                                       const rift_sha256 *source,
                                       bool *taken,
                                       rift_err *err);

#endif
