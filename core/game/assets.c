#include "game/assets.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "hash/hash.h"

enum { HEX_SIZE = 17 };

rift_asset_path rift_asset_path_from(rift_str name)
{
    return name.size > 0 ? (rift_asset_path){rift_path_hash(name), name} : (rift_asset_path){0};
}

rift_asset_path rift_asset_path_field(const rift_bin_object *object, uint32_t field)
{
    rift_asset_path path = {0};
    path.hash = rift_bin_file(object, field, &path.name);
    return path;
}

void rift_asset_path_resolve(rift_asset_path *path, const rift_names *names, rift_arena *arena)
{
    rift_str name;
    if (path->hash != 0 && rift_names_lookup(names, RIFT_NAMES_GAME, path->hash, arena, &name))
        path->name = name;
}

rift_str rift_asset_path_text(const rift_asset_path *path, rift_arena *arena)
{
    return path->name.size > 0 ? path->name : rift_arena_printf(arena, "%016" PRIx64, path->hash);
}

bool rift_asset_use_holds(const rift_asset_use *then, const rift_asset_use *now)
{
    if (!then->found || !now->found)
        return then->found == now->found;
    return then->checksum_kind == now->checksum_kind && then->checksum != 0 &&
           then->checksum == now->checksum;
}

void rift_asset_log_init(rift_asset_log *log, rift_arena *arena)
{
    *log = (rift_asset_log){.arena = arena};
    rift_map_init(&log->index, arena, 0);
}

void rift_asset_log_add(rift_asset_log *log, const rift_asset_use *use)
{
    if (rift_map_lookup(&log->index, use->path_hash) != RIFT_MAP_NONE)
        return;
    if (log->count == log->capacity) {
        const size_t wanted = log->capacity > 0 ? log->capacity * 2 : 64;
        rift_asset_use *grown = rift_arena_grow(log->arena, log->uses, log->capacity * sizeof *log->uses,
                                                wanted * sizeof *log->uses);
        if (grown == NULL)
            return;
        log->uses = grown;
        log->capacity = wanted;
    }
    (void)rift_map_add(&log->index, use->path_hash, (uint32_t)log->count);
    log->uses[log->count++] = *use;
}

/* What err->file says, without an allocation. */
static void name_file(rift_err *err, const rift_asset_path *path)
{
    char hex[HEX_SIZE];
    (void)snprintf(hex, sizeof hex, "%016" PRIx64, path->hash);
    rift_err_in(err, path->name.size > 0 ? path->name : rift_str_c(hex));
}

static bool read_and_note(const rift_assets *assets,
                          const rift_asset_path *path,
                          rift_arena *arena,
                          rift_asset_log *log,
                          rift_bytes *out,
                          rift_err *err)
{
    name_file(err, path);
    if (path->hash == 0)
        return rift_fail(err, RIFT_ERR_NOT_FOUND, "path", RIFT_NO_OFFSET, "no file is named");
    rift_asset_use use = {.path_hash = path->hash};
    const bool ok = assets != NULL && assets->read != NULL
                        ? assets->read(assets->user, path, arena, out, &use, err)
                        : rift_fail(err, RIFT_ERR_NOT_FOUND, "", RIFT_NO_OFFSET, "no such file");
    if (log == NULL)
        return ok;
    rift_asset_log_add(log, &use);
    if (log->arena->failed == RIFT_OK)
        return ok;
    /* A use that was not noted is worse than a file that was not found. */
    name_file(err, path);
    return rift_arena_ok(log->arena, "asset log", err);
}

/* "x.dds" for "x.tex" and the reverse; hash 0 when it is neither. */
static rift_asset_path other_texture(rift_str name, rift_arena *arena)
{
    const bool tex = rift_str_ends_nocase(name, RIFT_STR(".tex"));
    if (!tex && !rift_str_ends_nocase(name, RIFT_STR(".dds")))
        return (rift_asset_path){0};
    const rift_str stem = {name.data, name.size - 4};
    return rift_asset_path_from(
        rift_arena_printf(arena, "%.*s%s", RIFT_STR_ARG(stem), tex ? ".dds" : ".tex"));
}

bool rift_assets_read(const rift_assets *assets,
                      const rift_asset_path *path,
                      rift_arena *arena,
                      rift_asset_log *log,
                      rift_bytes *out,
                      rift_err *err)
{
    if (read_and_note(assets, path, arena, log, out, err))
        return true;
    if (err->code != RIFT_ERR_NOT_FOUND)
        return false;
    const rift_asset_path other = other_texture(path->name, arena);
    if (arena->failed != RIFT_OK) {
        name_file(err, path);
        return rift_arena_ok(arena, "path", err);
    }
    if (other.hash == 0)
        return false;
    rift_err second;
    if (read_and_note(assets, &other, arena, log, out, &second)) {
        *err = second;
        return true;
    }
    if (second.code != RIFT_ERR_NOT_FOUND)
        *err = second;
    return false;
}
