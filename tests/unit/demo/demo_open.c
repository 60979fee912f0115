#include "demo_open.h"

#include "base/str.h"
#include "support/check.h"

enum { ARENA_SIZE = 256 * 1024 * 1024 };

bool demo_open_game(demo_open *demo, uint64_t seed)
{
    rift_err err = check_err();
    rift_arena_init(&demo->arena, ARENA_SIZE);
    rift_report_init(&demo->report, &demo->arena);
    if (!CHECK_OK(fx_demo_game_make(&demo->files, seed, &demo->arena, &err), &err))
        return false;
    const size_t count = demo->files.file_count;
    rift_game_file *archives = RIFT_NEW(&demo->arena, rift_game_file, count);
    rift_bytes *bytes = RIFT_NEW(&demo->arena, rift_bytes, count);
    size_t archive_count = 0;
    for (size_t i = 0; i < count; i++) {
        const fx_demo_file *file = &demo->files.files[i];
        if (!rift_str_ends_nocase(file->path, RIFT_STR(".wad.client")) &&
            !rift_str_ends_nocase(file->path, RIFT_STR(".wad")))
            continue;
        bytes[i] = file->data;
        archives[archive_count++] = (rift_game_file){file->path, rift_source_from_bytes(&bytes[i])};
    }
    return CHECK_OK(rift_game_open(&demo->game, archives, archive_count, &demo->arena, &demo->report, &err),
                    &err);
}

void demo_close(demo_open *demo)
{
    rift_arena_release(&demo->arena);
}

bool demo_find(const demo_open *demo, const char *text, rift_arena *arena, rift_skin_ref *skin)
{
    rift_err err = check_err();
    return CHECK_OK(rift_game_find_skin(&demo->game, rift_str_c(text), arena, skin, &err), &err);
}
