/* family.h - who stands around a skin: its chromas, the other characters of its archive, the archives that it lies in.
 *
 * Shape   a relative is a character's folder and a number. Lists are sorted, chromas by number, others by alias.
 *         Chromas: skins of the same character whose skinParent is this number (formats/skin.md "Chromas"). Every skin bin of
 *         the character is read for that, and stands in `log` with those that are not there, up to
 *         RIFT_FAMILY_AHEAD numbers behind the last one: a chroma that a patch adds makes the list stale.
 *         Related: other characters (pets, traps, forms) that have a skin bin of the same number in the archive that
 *         holds this one's. Their names come from the name table, and from the strings of the skin's bins and of the
 *         character's record, each tried as a folder name; so without a name table some may be missed, none invented.
 * Reports skin_bin_unreadable (a skin bin that cannot be looked into; it is taken for no chroma), strings_over_limit.
 * Limits  RIFT_GAME_MAX_SKIN_NUMBER, RIFT_FAMILY_MAX_STRINGS distinct names tried.
 * Errors  those of the arenas, IO, CANCELLED. Thread: any, one caller per arena. */
#ifndef RIFT_GAME_FAMILY_H
#define RIFT_GAME_FAMILY_H

#include "game/skin.h"

#define RIFT_FAMILY_AHEAD 32
#define RIFT_FAMILY_MAX_STRINGS 65536

typedef struct rift_relative {
    rift_str alias; /* folder name, lower case */
    uint32_t number;
    rift_str name; /* championSkinName; empty when unknown */
} rift_relative;

typedef struct rift_relatives {
    rift_relative *items;
    size_t count;
} rift_relatives;

/* Results in `arena`; `tmp` is rewound. */
RIFT_NODISCARD bool rift_family_chromas(rift_relatives *out,
                                        const rift_skin_ref *ref,
                                        const rift_assets *assets,
                                        rift_arena *arena,
                                        rift_arena *tmp,
                                        rift_asset_log *log,
                                        rift_report *report,
                                        rift_err *err);
RIFT_NODISCARD bool rift_family_related(rift_relatives *out,
                                        const rift_skin *skin,
                                        const rift_game *game,
                                        const rift_names *names, /* may be NULL */
                                        rift_arena *arena,
                                        rift_arena *tmp,
                                        rift_report *report,
                                        rift_err *err);

#endif
