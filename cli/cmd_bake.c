#include "cli.h"

#include "base/str.h"
#include "files/gamedir.h"

typedef struct bake_job {
    const cli_game *game;
    rift_str skin;
    cli_args *args;
    rift_bake_control *control;
} bake_job;

/* An unknown skin is a failed conversion like any other: it has a report. */
static bool
bake(rift_bake_result *result, const void *request, rift_arena *out, rift_arena *tmp, rift_err *err)
{
    const bake_job *job = request;
    rift_skin_ref ref;
    if (!rift_game_find_skin(&job->game->dir->game, job->skin, &job->args->arena, &ref, err))
        return false;
    const rift_bake_request bake_request = {
        .skin = &ref,
        .assets = &job->game->assets,
        .names = job->game->names_or_null,
        .options = job->args->options,
        .control = job->control,
    };
    return rift_bake(result, &bake_request, out, tmp, err);
}

int cmd_bake(cli_args *args)
{
    const char *skin = cli_value(args, "skin");
    rift_err err;
    cli_game game;
    rift_err_in(&err, (rift_str){0});
    if (!cli_check_skin(args))
        return CLI_USAGE;
    if (!cli_check_output(args))
        return CLI_USAGE;
    if (!cli_open_game(&game, args, &err))
        return cli_error(args, &err);
    rift_bake_control control = {0};
    const bake_job job = {.game = &game, .skin = rift_str_c(skin), .args = args, .control = &control};
    const int code = cli_convert(args, job.skin, &(cli_conversion){bake, &job}, &control);
    cli_close_game(&game);
    return code;
}
