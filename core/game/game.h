/* game.h - a game folder seen as a whole: mounted archives, champions, skins.
 *
 * Shape   archives in the order given; a path found in several is taken from the first that holds it whole.
 *         Champions in ascending id order.
 *         Champions are looked for under the archives' names (up to the first dot) and under the aliases of
 *         the built-in table. A champion's id comes from the game's own record
 *         (data/characters/<name>/<name>.bin, characterToolData.championId), else from the table; without
 *         either, or without any skin bin, there is no champion, but every character whose skin bin exists
 *         can be named by alias.
 * Limits  RIFT_GAME_MAX_ARCHIVES; skin numbers up to RIFT_GAME_MAX_SKIN_NUMBER; aliases of at most
 *         RIFT_GAME_MAX_ALIAS letters, digits, '_' and '-'.
 * Thread  read-only after opening; any number of readers.
 * Source  formats/wad.md "Game directory layout", formats/skin.md; championId seen in the bytes of two
 *         records. */
#ifndef RIFT_GAME_GAME_H
#define RIFT_GAME_GAME_H

#include "formats/wad.h"
#include "game/assets.h"
#include "hash/names.h"

#define RIFT_GAME_MAX_ARCHIVES 4096
#define RIFT_GAME_MAX_SKIN_NUMBER 999
#define RIFT_GAME_MAX_ALIAS 64

typedef struct rift_game_file {
    rift_str path; /* relative to the game folder, forward slashes, any case */
    rift_source source;
} rift_game_file;

typedef struct rift_game_archive {
    rift_str path;
    rift_wad wad;
} rift_game_archive;

typedef struct rift_champion {
    uint32_t id;
    rift_str alias;  /* folder name, lower case: "yasuo" */
    rift_str name;   /* as the game spells it: "Yasuo" */
    size_t archive;  /* index of the archive that holds it */
    uint32_t *skins; /* numbers for which a skin bin exists, ascending */
    size_t skin_count;
} rift_champion;

typedef struct rift_game {
    rift_game_archive *archives;
    size_t archive_count;
    rift_map where; /* path hash -> index of the first archive that has it */
    rift_champion *champions;
    size_t champion_count;
    rift_str version; /* of the game, as its own metadata says it; set by whoever finds it, may be empty */
} rift_game;

/* Opens every file as a WAD; one that cannot be read is left out and reported (archive_unreadable), never
 * fatal. Paths are copied, sources kept. A record that cannot be read is reported
 * (champion_record_unreadable), a champion id that two characters claim too (champion_id_repeated, the first
 * stays). Fails only with the arena, or with LIMIT. */
RIFT_NODISCARD bool rift_game_open(rift_game *out,
                                   const rift_game_file *files,
                                   size_t file_count,
                                   rift_arena *arena,
                                   rift_report *report,
                                   rift_err *err);

/* Reads through the mounted archives. `game` must outlive it. */
rift_assets rift_game_assets(const rift_game *game);
/* What a dependency record says of this path, told from the tables alone. */
rift_asset_use rift_game_use(const rift_game *game, uint64_t path_hash);
/* True when some archive has the path. */
bool rift_game_has(const rift_game *game, uint64_t path_hash);

typedef struct rift_skin_ref {
    uint32_t id;    /* champion * 1000 + number; 0 when the champion's id is unknown */
    rift_str alias; /* folder name, lower case */
    uint32_t number;
    const rift_champion *champion; /* may be NULL: a character named by alias only */
} rift_skin_ref;

/* Whether the text is of a form that rift_game_find_skin takes; else ARGUMENT. */
RIFT_NODISCARD bool rift_game_is_skin(rift_str text, rift_err *err);

/* By number (157036), or by "alias/number" ("yasuo/36", in any case; any character whose skin bin exists).
 * ARGUMENT when the text is neither form (only decimal digits; an alias, one slash, decimal digits),
 * NOT_FOUND when it is and the game has no such skin: unknown champions, numbers below 1000 and numbers of
 * any length included. out->alias lies in `arena`, in the game or in the built-in table. */
RIFT_NODISCARD bool rift_game_find_skin(
    const rift_game *game, rift_str text, rift_arena *arena, rift_skin_ref *out, rift_err *err);

/* Hash of "data/characters/<alias>/skins/skin<number>.bin". */
uint64_t rift_skin_bin_hash(rift_str alias, uint32_t number);

/* The built-in table, ascending ids. Unknown: empty, 0. */
rift_str rift_champion_alias(uint32_t id); /* folder name, lower case: "twistedfate" */
rift_str rift_champion_name(uint32_t id);  /* as the game spells it: "TwistedFate" */
uint32_t rift_champion_id(rift_str alias); /* without case */
size_t rift_champion_count(void);
uint32_t rift_champion_at(size_t index); /* id */

#endif
