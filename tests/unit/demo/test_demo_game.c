/* The synthetic game holds what it says it holds. */
#include <stdlib.h>

#include "base/str.h"
#include "fixtures/demo_game.h"
#include "game/game.h"
#include "hash/hash.h"
#include "support/check.h"

enum { ARENA_SIZE = 256 * 1024 * 1024 };

static bool make(fx_demo_game *game, uint64_t seed, rift_arena *arena)
{
    rift_err err = check_err();
    rift_arena_init(arena, ARENA_SIZE);
    return CHECK_OK(fx_demo_game_make(game, seed, arena, &err), &err);
}

/* ---- The folder ---- */

static void one_seed_gives_one_game(void)
{
    rift_arena a;
    rift_arena b;
    fx_demo_game first;
    fx_demo_game second;
    CHECK_FATAL(make(&first, 7, &a) && make(&second, 7, &b));
    CHECK_U64(first.file_count, second.file_count);
    for (size_t i = 0; i < first.file_count && i < second.file_count; i++) {
        CHECK_STR(first.files[i].path, second.files[i].path);
        CHECK_BYTES(first.files[i].data, second.files[i].data);
    }
    rift_arena_release(&b);
    rift_arena_release(&a);
}

static void another_seed_gives_another_game(void)
{
    rift_arena a;
    rift_arena b;
    fx_demo_game first;
    fx_demo_game second;
    CHECK_FATAL(make(&first, 1, &a) && make(&second, 2, &b));
    CHECK_U64(first.file_count, second.file_count);
    bool differs = false;
    for (size_t i = 0; i < first.file_count; i++)
        differs = differs || first.files[i].data.size != second.files[i].data.size ||
                  memcmp(first.files[i].data.data, second.files[i].data.data, first.files[i].data.size) != 0;
    CHECK(differs);
    rift_arena_release(&b);
    rift_arena_release(&a);
}

static void the_game_is_small(void)
{
    rift_arena arena;
    fx_demo_game game;
    CHECK_FATAL(make(&game, 1, &arena));
    size_t size = 0;
    for (size_t i = 0; i < game.file_count; i++)
        size += game.files[i].data.size;
    CHECK(size < 2 * 1024 * 1024);
    rift_arena_release(&arena);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(one_seed_gives_one_game);
    RUN(another_seed_gives_another_game);
    RUN(the_game_is_small);
    return check_finish();
}
