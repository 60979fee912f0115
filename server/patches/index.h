/* index.h - what the game folder looked like when it was last taken over, and what each patch changed: patches.db.
 *
 * Shape   of every archive its stamp (size, time, inode) and its header and table of contents, as bytes. A look at the folder
 *         reads the table only of archives whose stamp is another one, so that a restart costs nothing for those that stayed.
 * Errors  IO, UNSUPPORTED (newer file), NOMEM. An archive whose table cannot be read is no error: the look says so.
 * Cost    time and memory linear in the entries of the tables.
 * Thread  one at a time per index. */
#ifndef RIFT_PATCHES_INDEX_H
#define RIFT_PATCHES_INDEX_H

#include <stdatomic.h>
#include <uv.h>

#include "files/gamedir.h"
#include "formats/wad_diff.h"

typedef struct rift_index rift_index;

/* Migrates. Several connections of one process share `lock` for their writing; NULL: there is one only. */
RIFT_NODISCARD bool rift_index_open(rift_index **out, const char *path, uv_mutex_t *lock, rift_err *err);
void rift_index_close(rift_index *index); /* may be NULL */
/* Nothing was ever taken over. */
RIFT_NODISCARD bool rift_index_is_empty(rift_index *index, bool *empty, rift_err *err);

/* One archive of a look. */
typedef struct rift_seen {
    rift_bytes head;    /* header and table; empty when unreadable */
    rift_sha256 digest; /* of head */
    bool known;         /* the stamp is that of the index: the table was not read from the file */
    bool same;          /* the table is that of the index */
    bool touched;       /* its bytes may be others than those that were known */
    bool was_bad;       /* unreadable in the index, too */
    bool was_there;     /* in the index, with this digest and size */
    rift_sha256 digest_before;
    uint64_t size_before;
    rift_err err; /* why it is unreadable */
} rift_seen;

typedef struct rift_survey {
    const rift_gamefiles *files;
    rift_seen *seen; /* as files->files */
    rift_str *gone;  /* paths of the index that are not there */
    size_t gone_count;
    size_t changed; /* of seen: not the same */
    size_t read_count;
    uint64_t read_bytes; /* from archives */
} rift_survey;

/* Memory: in arena. */
RIFT_NODISCARD bool rift_index_survey(
    rift_survey *out, rift_index *index, const rift_gamefiles *files, rift_arena *arena, rift_err *err);

/* What the look shows to have changed against the index. Unreadable archives count as gone. Only tables. */
RIFT_NODISCARD bool rift_index_compare(
    rift_wad_diff *out, rift_index *index, const rift_survey *look, rift_arena *arena, rift_err *err);

/* Whether every archive that the look misses is really gone; false, and why, when something hides it (rift_gamefiles.hidden). */
bool rift_index_sees_all(const rift_survey *look, const rift_wad_diff *diff, rift_err *why);

/* Reads what touched archives hold. An entry is whole when it lies inside its file and has the checksum that the table gives (0: none given); one that has another is given
 * its own in seen->head, so that a table tells what there is: bytes that are written later, or damaged, under a table that stays are a change. Before comparing.
 * False, and why: an archive is not whole (readable unless it never was), unless that is how the index knows it or with `accept`; CANCELLED once *cancel is set; NOMEM.
 * *sound counts the archives from the first on that are whole and need not be read again while nothing looks other; 0 to begin with.
 * Cost: reads touched archives, nothing is unpacked. Memory: tables in arena, one entry at a time. */
RIFT_NODISCARD bool rift_index_check(rift_survey *look,
                                     size_t *sound,
                                     bool accept,
                                     const atomic_bool *cancel,
                                     rift_arena *arena,
                                     rift_err *why);

typedef struct rift_patch {
    int64_t id;
    rift_str version; /* the game's own, or the digest's first 12 digits */
    rift_sha256 digest;
    int64_t taken_ms; /* since 1970 */
    size_t archives, entries, unreadable, unknown;
    rift_str
        unsupported; /* formats and versions of archives that are not known, as rift_json_unsupported; to take only */
    int64_t took_ms;
    uint64_t read_bytes;
    size_t kept;     /* artifacts that hold for it as they are */
    rift_str halted; /* why its sweep stopped, or empty */
    bool cancelled;
} rift_patch;

/* Takes the look over as the state that is known. With `patch` that is a new patch with the changes of `diff`; its id is set. NULL: only stamps differ. */
RIFT_NODISCARD bool rift_index_take(
    rift_index *index, const rift_survey *look, const rift_wad_diff *diff, rift_patch *patch, rift_err *err);

/* What the game calls itself, when it says so only after the patch was taken. */
RIFT_NODISCARD bool rift_index_set_version(rift_index *index, int64_t patch, rift_str version, rift_err *err);

/* The newest patch; *found is false when there is none. Strings in arena. */
RIFT_NODISCARD bool
rift_index_newest(rift_index *index, bool *found, rift_patch *out, rift_arena *arena, rift_err *err);
/* Newest first, at most `max`, ids below `before` (0: all). */
RIFT_NODISCARD bool rift_index_patches(rift_index *index,
                                       int64_t before,
                                       size_t max,
                                       rift_patch **out,
                                       size_t *count,
                                       rift_arena *arena,
                                       rift_err *err);

typedef struct rift_patch_archive {
    rift_str path, came_from;
    rift_change change;
    size_t added, removed, changed, renamed;
} rift_patch_archive;

RIFT_NODISCARD bool rift_index_patch_archives(rift_index *index,
                                              int64_t patch,
                                              rift_patch_archive **out,
                                              size_t *count,
                                              rift_arena *arena,
                                              rift_err *err);

#endif
