/* skins and describe: what a game folder holds. */
#include <stdio.h>

#include "cli.h"

#include "base/str.h"
#include "files/gamedir.h"

static bool wanted(const cli_args *args, const rift_champion *champion)
{
    const char *name = cli_value(args, "champion");
    return name == NULL || rift_str_eq_nocase(rift_str_c(name), champion->alias) ||
           rift_str_eq_nocase(rift_str_c(name), champion->name);
}

static void list_text(const cli_args *args, const rift_game *game)
{
    for (size_t i = 0; i < game->champion_count; i++) {
        const rift_champion *c = &game->champions[i];
        for (size_t k = 0; wanted(args, c) && k < c->skin_count; k++) {
            if (c->id != 0)
                printf("%u", c->id * 1000 + c->skins[k]);
            printf("\t%.*s/%u\n", RIFT_STR_ARG(c->alias), c->skins[k]);
        }
    }
}

static bool list_json(cli_args *args, const rift_game *game, rift_err *err)
{
    rift_buf buf;
    rift_json j;
    rift_buf_init(&buf, &args->arena, CLI_MAX_FILE);
    rift_json_init(&j, &buf);
    rift_json_array(&j);
    for (size_t i = 0; i < game->champion_count; i++) {
        const rift_champion *c = &game->champions[i];
        for (size_t k = 0; wanted(args, c) && k < c->skin_count; k++) {
            rift_json_object(&j);
            if (c->id != 0)
                rift_json_put_uint(&j, "id", c->id * 1000 + c->skins[k]);
            rift_json_put_str(&j, "champion", c->alias);
            rift_json_put_uint(&j, "number", c->skins[k]);
            rift_json_object_end(&j);
        }
    }
    rift_json_array_end(&j);
    rift_buf_u8(&buf, '\n');
    return rift_buf_ok(&buf, "catalogue", err) && cli_write("-", rift_buf_bytes(&buf), err);
}

int cmd_skins(cli_args *args)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    cli_game game;
    if (!cli_open_game(&game, args, &err))
        return cli_error(args, &err);
    int code = CLI_OK;
    if (!cli_has(args, "json")) {
        list_text(args, &game.dir->game);
    } else if (!list_json(args, &game.dir->game, &err)) {
        code = cli_error(args, &err);
    }
    cli_close_game(&game);
    return code;
}

static bool describe(cli_args *args, const cli_game *game, rift_str skin, rift_err *err)
{
    rift_skin_ref ref;
    if (!rift_game_find_skin(&game->dir->game, skin, &args->arena, &ref, err))
        return false;
    const rift_bake_request request = {.skin = &ref,
                                       .assets = &game->assets,
                                       .names = game->names_or_null,
                                       .options = rift_options_default()};
    rift_arena tmp;
    rift_arena_init(&tmp, CLI_ARENA_LIMIT);
    rift_bake_result result;
    rift_bytes json;
    const char *output = cli_value(args, "output");
    const bool ok = rift_describe(&json, &result, &request, &args->arena, &tmp, err) &&
                    (output != NULL ? cli_write(output, json, err) : cli_print(args, json, err));
    rift_arena_release(&tmp);
    return ok;
}

int cmd_describe(cli_args *args)
{
    const char *skin = cli_value(args, "skin");
    if (skin == NULL)
        return cli_misuse(args, "missing --skin");
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    cli_game game;
    if (!cli_open_game(&game, args, &err))
        return cli_error(args, &err);
    const bool ok = describe(args, &game, rift_str_c(skin), &err);
    cli_close_game(&game);
    return ok ? CLI_OK : cli_error(args, &err);
}
