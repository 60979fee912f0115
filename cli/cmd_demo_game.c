/* demo-game: the synthetic game of tests/fixtures, written to a folder. */
#include "cli.h"

#include "base/str.h"
#include "fixtures/demo_game.h"

static bool write_game(cli_args *args, const char *dir, const fx_demo_game *game, rift_err *err)
{
    for (size_t i = 0; i < game->file_count; i++) {
        const rift_str path = game->files[i].path;
        if (!cli_write_below(dir, path, game->files[i].data, &args->arena, err))
            return false;
        cli_note(args, "%s/%.*s: %zu bytes", dir, RIFT_STR_ARG(path), game->files[i].data.size);
    }
    return true;
}

int cmd_demo_game(cli_args *args)
{
    uint64_t seed = 1;
    const char *given = cli_value(args, "seed");
    if (args->operand_count != 1)
        return cli_misuse(args, "which folder?");
    if (given != NULL && !rift_str_u64(rift_str_c(given), UINT32_MAX, &seed))
        return cli_misuse(args, "--seed \"%s\" is no number", given);
    rift_err err;
    fx_demo_game game;
    rift_err_in(&err, (rift_str){0});
    if (!fx_demo_game_make(&game, seed, &args->arena, &err) ||
        !write_game(args, args->operands[0], &game, &err))
        return cli_error(args, &err);
    return CLI_OK;
}
