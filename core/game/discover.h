/* discover.h - names that the game's own files spell, for hashes of them that no list need know.
 *
 * Shape   .skn: names of submeshes, .skl: names of joints, both for the table binhashes. Property bins: a string counts when the game has a file of that path (or the
 *         bin has it as a `file`), or when the same bin has its hash as a `hash` (binhashes), or as an entry's path or a `link` (binentries). Paths are given in lower case.
 *         Any other file spells nothing. A file that does not parse spells nothing.
 * Limits  names of 1 to RIFT_PACK_MAX_NAME bytes, UTF-8 without control characters: others could stand in no list. */
#ifndef RIFT_GAME_DISCOVER_H
#define RIFT_GAME_DISCOVER_H

#include "game/game.h"
#include "hash/pack.h"

typedef struct rift_discovered {
    rift_named_hash *names; /* may repeat; in the arena, strings too */
    size_t count, capacity;
} rift_discovered;

/* Adds what `file` spells to *out. `game` may be NULL. A failure shows in the arenas; what was found before it stays. */
void rift_discover(
    rift_discovered *out, rift_bytes file, const rift_game *game, rift_arena *arena, rift_arena *tmp);

#endif
