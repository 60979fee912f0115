/* index_skins.h - the part of patches.db that says which skins a patch made stale and what became of them. As index.h otherwise. */
#ifndef RIFT_PATCHES_INDEX_SKINS_H
#define RIFT_PATCHES_INDEX_SKINS_H

#include "patches/index.h"
#include "patches/relabel.h"

typedef enum rift_skin_end {
    RIFT_SWEEP_WAITING,
    RIFT_SWEEP_MADE,
    RIFT_SWEEP_FAILED,
    RIFT_SWEEP_GONE,
    RIFT_SWEEP_GIVEN_UP,
    RIFT_SWEEP_COUNT
} rift_skin_end;
const char *rift_skin_end_word(rift_skin_end end); /* "waiting" … */

typedef struct rift_patch_skin {
    rift_job_spec spec; /* without a key */
    rift_stale_reason reason;
    size_t changed, appeared, vanished;
    uint64_t example;
    bool canary;
    rift_skin_end state;
    rift_sha256 before, after;
    bool has_after;
    int64_t job;
    rift_str error, warnings; /* may be empty */
    rift_str
        variants; /* the same by format and version, as rift_json_unsupported; to end one only; may be empty */
    uint64_t bytes, unsupported; /* of the one made: files left out, of a version that is not known */
    int64_t took_ms, ended_ms;
    bool failed_before; /* when it was last tried for an older patch */
} rift_patch_skin;

/* Notes what is stale since the patch; skins that are noted already stay as they are, but for those that were made and are stale again. Waiting skins of
 * older patches are given up. Up to `canaries` of them go first (canaries.h), unless the patch had some. */
RIFT_NODISCARD bool rift_index_add_skins(
    rift_index *index, int64_t patch, rift_relabel *found, size_t canaries, rift_arena *arena, rift_err *err);
/* The next one to be made: canaries, then by reason, pinned, and last use. */
RIFT_NODISCARD bool rift_index_next_skin(
    rift_index *index, int64_t patch, bool *found, rift_patch_skin *out, rift_arena *arena, rift_err *err);
RIFT_NODISCARD bool rift_index_find_skin(rift_index *index,
                                         int64_t patch,
                                         const rift_job_spec *spec,
                                         bool *found,
                                         rift_patch_skin *out,
                                         rift_arena *arena,
                                         rift_err *err);
/* Of one that waits, failed or was given up. */
RIFT_NODISCARD bool
rift_index_end_skin(rift_index *index, int64_t patch, const rift_patch_skin *skin, rift_err *err);
/* One that no patch made stale: it was never made, and failed. */
RIFT_NODISCARD bool
rift_index_add_failed(rift_index *index, int64_t patch, const rift_patch_skin *skin, rift_err *err);
/* Ends the waiting ones; nothing more is made for the patch until it is resumed. *count may be NULL. */
RIFT_NODISCARD bool rift_index_give_up(rift_index *index, int64_t patch, int64_t *count, rift_err *err);
RIFT_NODISCARD bool rift_index_halt(rift_index *index, int64_t patch, rift_str why, rift_err *err);
/* Canaries that wait are skins like others from now on: who lets the sweep go on has seen what they show. */
RIFT_NODISCARD bool rift_index_resume(rift_index *index, int64_t patch, rift_err *err);

/* Skins of a patch, or those of them that failed or warn anew, in order of their names: at most `max` from the `offset`th on. */
RIFT_NODISCARD bool rift_index_skins(rift_index *index,
                                     int64_t patch,
                                     bool troubled,
                                     size_t offset,
                                     size_t max,
                                     rift_patch_skin **out,
                                     size_t *count,
                                     rift_arena *arena,
                                     rift_err *err);

typedef struct rift_sweep_counts {
    size_t skins[RIFT_SWEEP_COUNT]; /* by state */
    size_t warning;                 /* made, with warnings that the one before had not */
    size_t newly_failing; /* of those that failed: not when they were last tried for an older patch */
    size_t
        unsupported; /* failed, or made with something left out, by a file of a version that is not known */
    size_t canaries_waiting;
    uint64_t bytes;
    int64_t took_ms;
    int64_t last_ms; /* when the last one ended */
} rift_sweep_counts;
RIFT_NODISCARD bool
rift_index_count_skins(rift_index *index, int64_t patch, rift_sweep_counts *out, rift_err *err);

/* What was met of formats and versions that are not read: in archives, and in files of skins that were made or failed. */
typedef struct rift_patch_variant {
    rift_str format, what;
    size_t archives, skins; /* that have one */
    uint64_t files;         /* of the skins; one that several share counts for each */
} rift_patch_variant;
/* The most frequent first, at most `max`. */
RIFT_NODISCARD bool rift_index_variants(rift_index *index,
                                        int64_t patch,
                                        size_t max,
                                        rift_patch_variant **out,
                                        size_t *count,
                                        rift_arena *arena,
                                        rift_err *err);

#endif
