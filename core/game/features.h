/* features.h - which formats a file has, as far as its first bytes and the table of its archive tell: a bit for each version that readers
 * tell apart. For choosing skins that between them show everything there is.
 *
 * Shape   a set of up to 64; a file without a known magic has none. Bits are stored: rows are added at the end only. */
#ifndef RIFT_GAME_FEATURES_H
#define RIFT_GAME_FEATURES_H

#include "game/game.h"

typedef uint64_t rift_features;

rift_features rift_features_of(rift_bytes file);
/* Version of the archive, and how it stores the file; none when it is not there. */
rift_features rift_features_of_place(const rift_game *game, uint64_t path_hash);
/* "bin 3", "tex 10", "stored zstd" … NULL for a bit that no row has. */
const char *rift_feature_word(unsigned bit);

#endif
