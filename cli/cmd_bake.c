#include "cli.h"

#include "files/gamedir.h"

#include "base/str.h"

int cmd_bake(cli_args *args)
{
    const char *skin = cli_value(args, "skin");
    if (skin == NULL)
        return cli_misuse(args, "missing --skin");
    if (args->operand_count > 0)
        return cli_misuse(args, "unexpected \"%s\"", args->operands[0]);
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    cli_game game;
    if (!cli_open_game(&game, args, &err))
        return cli_error(args, &err);
    rift_bake_control control = {0};
    rift_skin_ref ref;
    int code = CLI_FAILED;
    if (rift_game_find_skin(&game.dir->game, rift_str_c(skin), &args->arena, &ref, &err)) {
        const rift_bake_request request = {
            .skin = &ref,
            .assets = &game.assets,
            .names = game.names_or_null,
            .options = args->options,
            .control = &control,
        };
        rift_arena out;
        rift_arena tmp;
        rift_arena_init(&out, CLI_ARENA_LIMIT);
        rift_arena_init(&tmp, CLI_ARENA_LIMIT);
        rift_bake_result result;
        cli_progress *bar = cli_progress_start(args, skin, &control);
        const bool ok = rift_bake(&result, &request, &out, &tmp, &err);
        cli_progress_stop(bar);
        rift_arena_release(&tmp);
        code = cli_finish(args, &result, rift_str_c(skin), ok, &err);
        rift_arena_release(&out);
    } else {
        code = cli_error(args, &err);
    }
    cli_close_game(&game);
    return code;
}
