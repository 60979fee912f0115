/* Writes the synthetic game into a folder: write_demo DIR SEED. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fixtures/demo_game.h"

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777);
        *slash = '/';
    }
}

static bool write_one(const char *dir, const fx_demo_file *file)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%.*s", dir, RIFT_STR_ARG(file->path));
    make_folders(path);
    FILE *f = fopen(path, "wb");
    const bool ok = f != NULL && fwrite(file->data.data, 1, file->data.size, f) == file->data.size;
    return (f == NULL || fclose(f) == 0) && ok;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    rift_arena arena;
    rift_err err;
    fx_demo_game game;
    rift_arena_init(&arena, (size_t)256 * 1024 * 1024);
    rift_err_in(&err, (rift_str){0});
    bool ok = fx_demo_game_make(&game, strtoull(argv[2], NULL, 10), &arena, &err);
    for (size_t i = 0; ok && i < game.file_count; i++)
        ok = write_one(argv[1], &game.files[i]);
    rift_arena_release(&arena);
    return !ok;
}
