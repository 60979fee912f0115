#include "files/gamedir.h"

#include <cjson/cJSON.h>
#include <string.h>

#include "base/str.h"
#include "files/files.h"

enum { MAX_METADATA = 64 * 1024 };

rift_str rift_gamedir_version(const char *dir, rift_arena *arena)
{
    /* The folder given is the game's, its parent, or DATA/FINAL. */
    static const char *const places[] = {"", "Game/", "../../"};
    rift_str version = {0};
    for (size_t i = 0; i < RIFT_COUNT(places) && version.size == 0; i++) {
        rift_err err;
        rift_bytes text;
        rift_err_in(&err, (rift_str){0});
        const rift_str path = rift_arena_printf(arena, "%s/%scontent-metadata.json", dir, places[i]);
        if (path.size == 0 || !rift_file_read(path.data, MAX_METADATA, arena, &text, &err))
            continue;
        cJSON *json = cJSON_ParseWithLength((const char *)text.data, text.size);
        const char *value = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "version"));
        if (value != NULL && rift_str_is_utf8(rift_str_c(value)))
            version = rift_arena_copy_str(arena, rift_str_c(value));
        cJSON_Delete(json);
    }
    return version;
}

bool rift_gamedir_open(
    rift_gamedir *out, const char *dir, rift_arena *arena, rift_report *report, rift_err *err)
{
    rift_gamefiles files;
    return rift_gamefiles_open(&files, dir, arena, report, err) &&
           rift_gamedir_mount(out, &files, dir, arena, report, err);
}

bool rift_gamedir_mount(rift_gamedir *out,
                        const rift_gamefiles *files,
                        const char *dir,
                        rift_arena *arena,
                        rift_report *report,
                        rift_err *err)
{
    rift_gamedir opened = {.files = *files};
    if (!rift_game_open(&opened.game, opened.files.files, opened.files.count, arena, report, err)) {
        rift_gamefiles_close(&opened.files);
        return false;
    }
    opened.game.version = rift_gamedir_version(dir, arena);
    *out = opened;
    return true;
}

void rift_gamedir_close(rift_gamedir *dir)
{
    if (dir != NULL)
        rift_gamefiles_close(&dir->files);
}

bool rift_gamedir_digest(const rift_gamedir *dir, rift_sha256 *out, rift_arena *tmp, rift_err *err)
{
    const rift_game *game = &dir->game;
    rift_sha256 *parts = RIFT_NEW(tmp, rift_sha256, game->archive_count);
    if (parts == NULL)
        return rift_arena_ok(tmp, "digest", err);
    for (size_t i = 0; i < game->archive_count; i++) {
        if (!rift_wad_digest(&parts[i], &game->archives[i].wad, tmp, err))
            return false;
    }
    *out = rift_sha256_of((rift_bytes){(const uint8_t *)parts, game->archive_count * sizeof *parts});
    return true;
}
