/* index_internal.h - shared by the files of the index. */
#ifndef RIFT_PATCHES_INDEX_INTERNAL_H
#define RIFT_PATCHES_INDEX_INTERNAL_H

#include "patches/index.h"

struct sqlite3;
struct sqlite3 *rift_index_db(rift_index *index);
/* Bracket every writing: end commits when ok, else undoes it. */
RIFT_NODISCARD bool rift_index_begin(rift_index *index, rift_err *err);
RIFT_NODISCARD bool rift_index_end(rift_index *index, bool ok, rift_err *err);

/* Whether the table and the size of the i-th archive are those of the index. */
bool rift_seen_is_same(const rift_survey *look, size_t i);

#endif
