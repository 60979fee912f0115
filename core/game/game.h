/* game.h - a game folder seen as a whole: mounted archives, champions, skins.
 *
 * Shape   archives in the order given; a path found in several is taken from the first (from the preferred one, if given). Champions in ascending id order.
 *         Champion ids come from the game's own records (data/characters/<name>/<name>.bin, characterToolData.championId), else from the built-in table of
 *         formats/champions.tsv, by the archive's name. Archives with neither are still mounted, and their characters can be named by alias.
 * Thread  read-only after opening; any number of readers.
 * Source  formats/wad.md "Game directory layout", formats/skin.md. */
#ifndef RIFT_GAME_GAME_H
#define RIFT_GAME_GAME_H

#include "formats/wad.h"
#include "game/assets.h"
#include "hash/names.h"

#define RIFT_GAME_MAX_ARCHIVES 4096
#define RIFT_GAME_MAX_SKIN_NUMBER 999

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
} rift_game;

/* Opens every file as a WAD; one that cannot be read is left out and reported (archive_unreadable), never fatal. Fails only with the arena. */
RIFT_NODISCARD bool rift_game_open(rift_game *out,
                                   const rift_game_file *files,
                                   size_t file_count,
                                   rift_arena *arena,
                                   rift_report *report,
                                   rift_err *err);

/* Reads through the mounted archives. `game` must outlive it. */
rift_assets rift_game_assets(const rift_game *game);
/* True when some archive has the path. */
bool rift_game_has(const rift_game *game, uint64_t path_hash);

typedef struct rift_skin_ref {
    uint32_t id;    /* champion * 1000 + number; 0 when the champion's id is unknown */
    rift_str alias; /* folder name, lower case */
    uint32_t number;
    const rift_champion *champion; /* may be NULL: a character named by alias only */
} rift_skin_ref;

/* By number (157036), or by "alias/number" ("yasuo/36"; any character whose skin bin exists). ARGUMENT when the text is neither form, NOT_FOUND when the game has no such skin. */
RIFT_NODISCARD bool
rift_game_find_skin(const rift_game *game, rift_str text, rift_skin_ref *out, rift_err *err);

/* The built-in table: alias of a champion id, or empty. */
rift_str rift_champion_alias(uint32_t id);
uint32_t rift_champion_id(rift_str alias); /* without case; 0 when unknown */

#endif
