/* canaries.h - the stale skins that are made first, to see whether a patch can be read.
 *
 * Shape   a greedy cover of what they show (rift_stale.features): each time the skin with the most that none before it has, until nothing is left; then
 *         one of each champion before the second of any. Of equals the one that would be made first (reason, pinned, last use, name). Skins that are
 *         gone are none.
 * Cost    canaries * skins. */
#ifndef RIFT_PATCHES_CANARIES_H
#define RIFT_PATCHES_CANARIES_H

#include "patches/relabel.h"

/* Marks at most `max` of them. */
RIFT_NODISCARD bool
rift_canaries_choose(rift_stale *stale, size_t count, size_t max, rift_arena *arena, rift_err *err);

#endif
