/* relabel.h - after a patch: which artifacts hold as they are, and which are stale.
 *
 * Shape   an artifact holds exactly when every file that its conversion used or looked for in vain is as it was (rift_asset_use_holds), and converter is that of then. Names count like files (name_uses.h). It then gets the key of the new state, and with it keeps its ETag. Of several artifacts of a skin the newest that holds is taken,
 *         so a patch that is taken back costs nothing. Only tables of contents are looked at.
 * Cost    linear in the dependency records of artifacts that are labelled with another state.
 * Thread  the writer's lane; the game must stay mounted. */
#ifndef RIFT_PATCHES_RELABEL_H
#define RIFT_PATCHES_RELABEL_H

#include "game/features.h"
#include "store/hashes.h"
#include "store/store.h"

typedef enum rift_stale_reason {
    RIFT_STALE_FILES,
    RIFT_STALE_CONVERTER,
    RIFT_STALE_NAMES, /* the name tables say something else of what was asked */
    RIFT_STALE_NEVER, /* of no relabel: it was never made (a sweep of all) */
    RIFT_STALE_COUNT
} rift_stale_reason;
const char *rift_stale_word(rift_stale_reason reason); /* "files" … */

typedef struct rift_stale {
    rift_job_spec spec; /* with the new key */
    rift_stale_reason reason;
    size_t changed;            /* files, or with NAMES names, that are not as they were */
    size_t appeared, vanished; /* of these */
    uint64_t example;          /* hash of one of them */
    rift_sha256 before;
    int64_t last_used;
    bool pinned;
    bool canary;            /* chosen by rift_index_add_skins */
    rift_features features; /* of its files and the archives they are in now */
    bool gone;              /* the game has no such skin any more */
    bool holds;             /* within this file: an older artifact holds */
} rift_stale;

typedef struct rift_relabel {
    /* in */
    const rift_game *game;
    rift_sha256 digest;   /* of the game */
    rift_hashpack *names; /* may be NULL */
    int64_t now_ms;
    /* out, in arena */
    rift_stale *stale;
    size_t stale_count;
    size_t kept;
} rift_relabel;

RIFT_NODISCARD bool rift_relabel_run(rift_relabel *r, rift_store *store, rift_arena *arena, rift_err *err);

#endif
