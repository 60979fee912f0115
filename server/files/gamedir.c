#include "files/gamedir.h"

#include "base/buf.h"
#include "base/str.h"

bool rift_gamedir_open(
    rift_gamedir *out, const char *dir, rift_arena *arena, rift_report *report, rift_err *err)
{
    rift_gamedir opened = {0};
    if (!rift_gamefiles_open(&opened.files, dir, arena, report, err))
        return false;
    if (!rift_game_open(&opened.game, opened.files.files, opened.files.count, arena, report, err)) {
        rift_gamefiles_close(&opened.files);
        return false;
    }
    *out = opened;
    return true;
}

void rift_gamedir_close(rift_gamedir *dir)
{
    if (dir != NULL)
        rift_gamefiles_close(&dir->files);
}

static rift_sha256 archive_digest(const rift_game_archive *archive, rift_buf *b)
{
    rift_buf_u8(b, archive->wad.major);
    rift_buf_u8(b, archive->wad.minor);
    rift_buf_u8(b, (uint8_t)archive->wad.checksum_kind);
    for (size_t i = 0; i < archive->wad.entry_count; i++) {
        const rift_wad_entry *e = &archive->wad.entries[i];
        rift_buf_u64(b, e->path_hash);
        rift_buf_u64(b, e->checksum);
        rift_buf_u32(b, e->size);
        rift_buf_u8(b, e->storage);
        /* Version 1 has no checksum: where the data lies is the best there is. */
        if (archive->wad.checksum_kind == RIFT_WAD_SUM_NONE) {
            rift_buf_u32(b, e->offset);
            rift_buf_u32(b, e->stored_size);
        }
    }
    return rift_sha256_of(rift_buf_bytes(b));
}

bool rift_gamedir_digest(const rift_gamedir *dir, rift_sha256 *out, rift_arena *tmp, rift_err *err)
{
    const rift_game *game = &dir->game;
    rift_sha256 *parts = RIFT_NEW(tmp, rift_sha256, game->archive_count);
    if (parts == NULL)
        return rift_arena_ok(tmp, "digest", err);
    for (size_t i = 0; i < game->archive_count; i++) {
        const rift_arena_mark mark = rift_arena_get_mark(tmp);
        rift_buf b;
        rift_buf_init(&b, tmp, SIZE_MAX / 2);
        parts[i] = archive_digest(&game->archives[i], &b);
        if (!rift_buf_ok(&b, "digest", err))
            return false;
        rift_arena_rewind(tmp, mark);
    }
    *out = rift_sha256_of((rift_bytes){(const uint8_t *)parts, game->archive_count * sizeof *parts});
    return true;
}
