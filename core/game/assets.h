/* assets.h - where a skin's files come from, and the record of what was looked for.
 *
 * Shape   a path is a hash, with a name where one is known (bins before 16.17 spell paths, later ones hold
 *         hashes). The source is a callback: a mounted game, or loose files. Every read is noted, found or
 *         not: that list is the skin's dependency record.
 * Names   a name keeps the case of its source: "ASSETS/…" in a bin, lower case in a hash list. The list's goes before
 *         the bin's. */
#ifndef RIFT_GAME_ASSETS_H
#define RIFT_GAME_ASSETS_H

#include "base/map.h"
#include "formats/bin.h"
#include "hash/names.h"

typedef struct rift_asset_path {
    uint64_t hash; /* XXH64 of the lower-cased path; 0: no path */
    rift_str name; /* as spelt, or empty */
} rift_asset_path;

/* The name is borrowed, not copied. An empty name gives hash 0. */
rift_asset_path rift_asset_path_from(rift_str name);
/* A STRING or FILE field (or one in an OPTION); hash 0 when absent or empty. */
rift_asset_path rift_asset_path_field(const rift_bin_object *object, uint32_t field);
/* Gives a path the name that `names` (may be NULL) knows, in arena, whether or not the bin spells one: so bins that spell
 * paths and bins that hold hashes say the same (decisions 30). */
void rift_asset_path_resolve(rift_asset_path *path, const rift_names *names, rift_arena *arena);
/* The name, or 16 hex digits. */
rift_str rift_asset_path_text(const rift_asset_path *path, rift_arena *arena);

typedef struct rift_asset_use {
    uint64_t path_hash;
    uint64_t
        checksum; /* of the table of contents; 0 when missing. Of version 1, which has none: digest of sizes and place */
    uint8_t checksum_kind; /* rift_wad_checksum */
    bool found;
} rift_asset_use;

/* True when what was used then is surely what is there now: missing both times, or there with the same checksum of the same kind. One that
 * was not given (0: mods, cut archives) tells nothing. */
bool rift_asset_use_holds(const rift_asset_use *then, const rift_asset_use *now);

/* Uses in order of first use, without repeats. */
typedef struct rift_asset_log {
    rift_arena *arena;
    rift_asset_use *uses;
    size_t count, capacity;
    rift_map index;
} rift_asset_log;

void rift_asset_log_init(rift_asset_log *log, rift_arena *arena);
/* A failure shows in the log's arena. */
void rift_asset_log_add(rift_asset_log *log, const rift_asset_use *use);

typedef struct rift_assets {
    void *user;
    /* Reads a whole file into arena; NOT_FOUND when there is none. Fills *use in both cases. Thread-safe. */
    bool (*read)(void *user,
                 const rift_asset_path *path,
                 rift_arena *arena,
                 rift_bytes *out,
                 rift_asset_use *use,
                 rift_err *err);
} rift_assets;

/* Reads and notes it in `log` (may be NULL). A texture `x.tex` that is missing is looked for as `x.dds` and
 * the reverse, both noted, when the name is known. Clears *err first and names the path in err->file, also on
 * success, so that whoever parses the bytes next reports it. `assets` may be NULL: nothing is found. */
RIFT_NODISCARD bool rift_assets_read(const rift_assets *assets,
                                     const rift_asset_path *path,
                                     rift_arena *arena,
                                     rift_asset_log *log,
                                     rift_bytes *out,
                                     rift_err *err);

#endif
