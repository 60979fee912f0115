/* wad_diff.h - what changed between two sets of archives, told from their tables of contents alone.
 *
 * Shape   archives are paired by their path (rift_path_hash: any case, either slash), entries by their path's hash; of equal hashes in one archive the
 *         first counts, as everywhere. No entry's bytes are looked at, so an entry that was only packed anew counts as changed.
 *         An entry whose bytes no longer lie inside the file counts as changed, too.
 *         Checksums are compared only where both sides hold the same kind and both gave one (B177; version 1 has none, mods store 0): an
 *         entry of the same size for which that does not hold is UNSURE, and whoever has the bytes may find out.
 *         RENAMED: an entry that is gone and one that is new in the same archive, with the same kind of checksum, the same checksum and the same sizes;
 *         an archive that is gone and one that is new, with equal tables. Several candidates are paired in table order.
 * Cost    time and memory linear in the number of entries.
 * Source  formats/wad.md, bug log B177. */
#ifndef RIFT_FORMATS_WAD_DIFF_H
#define RIFT_FORMATS_WAD_DIFF_H

#include "formats/wad.h"

typedef enum rift_change {
    RIFT_CHANGE_ADDED,
    RIFT_CHANGE_REMOVED,
    RIFT_CHANGE_CHANGED,
    RIFT_CHANGE_RENAMED,
    RIFT_CHANGE_UNSURE,
    RIFT_CHANGE_COUNT
} rift_change;
const char *rift_change_word(rift_change change); /* "added" … */

typedef struct rift_wad_table {
    rift_str path;
    const rift_wad *wad; /* only its table is used */
} rift_wad_table;

typedef struct rift_entry_change {
    rift_change what;
    const rift_wad_entry *before; /* NULL for ADDED */
    const rift_wad_entry *after;  /* NULL for REMOVED */
} rift_entry_change;

typedef struct rift_archive_change {
    rift_change what;             /* never UNSURE; RENAMED: the tables are equal */
    const rift_wad_table *before; /* NULL for ADDED */
    const rift_wad_table *after;  /* NULL for REMOVED */
    rift_entry_change *
        entries; /* what is gone or renamed in the order of the old table, then the rest in that of the new one */
    size_t entry_count;
    size_t counts[RIFT_CHANGE_COUNT];
} rift_archive_change;

typedef struct rift_wad_diff {
    rift_archive_change
        *archives; /* those that differ: in the order of the new set, then those that are gone */
    size_t archive_count;
} rift_wad_diff;

/* Memory: in arena; points into both sets. Fails only with the arena. */
RIFT_NODISCARD bool rift_wad_compare(rift_wad_diff *out,
                                     const rift_wad_table *before,
                                     size_t before_count,
                                     const rift_wad_table *after,
                                     size_t after_count,
                                     rift_arena *arena,
                                     rift_err *err);

/* Whether two entries hold the same bytes, as far as their tables tell. */
typedef enum rift_same { RIFT_SAME_YES, RIFT_SAME_NO, RIFT_SAME_UNSURE } rift_same;
rift_same rift_entry_same(const rift_wad_entry *a,
                          rift_wad_checksum a_kind,
                          const rift_wad_entry *b,
                          rift_wad_checksum b_kind);

#endif
