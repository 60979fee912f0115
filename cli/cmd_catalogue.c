/* skins and describe: what a game folder holds. */
#include <unistd.h>

#include "cli.h"

#include "base/str.h"
#include "files/gamedir.h"

/* "157036\tyasuo/36": what --skin takes, either way; a tab, for cut(1). */
static void list_text(const cli_args *args, const rift_game *game, rift_buf *out)
{
    for (size_t i = 0; i < game->champion_count; i++) {
        const rift_champion *c = &game->champions[i];
        for (size_t k = 0; cli_wants(args, c) && k < c->skin_count; k++) {
            if (c->id != 0) {
                rift_buf_printf(out, "%u\t", c->id * 1000 + c->skins[k]);
            } else {
                rift_buf_str(out, RIFT_STR("-\t"));
            }
            cli_put_text(out, c->alias);
            rift_buf_printf(out, "/%u\n", c->skins[k]);
        }
    }
}

static void list_json(const cli_args *args, const rift_game *game, rift_buf *out)
{
    rift_json j;
    rift_json_init(&j, out);
    rift_json_array(&j);
    for (size_t i = 0; i < game->champion_count; i++) {
        const rift_champion *c = &game->champions[i];
        for (size_t k = 0; cli_wants(args, c) && k < c->skin_count; k++) {
            rift_json_object(&j);
            if (c->id != 0)
                rift_json_put_uint(&j, "id", c->id * 1000 + c->skins[k]);
            rift_json_put_str(&j, "champion", c->alias);
            rift_json_put_uint(&j, "number", c->skins[k]);
            rift_json_object_end(&j);
        }
    }
    rift_json_array_end(&j);
    rift_buf_u8(out, '\n');
}

int cmd_skins(cli_args *args)
{
    rift_err err;
    rift_buf out;
    cli_game game;
    rift_err_in(&err, (rift_str){0});
    if (!cli_open_game(&game, args, &err))
        return cli_error(args, &err);
    rift_buf_init(&out, &args->arena, CLI_MAX_FILE);
    bool ok = cli_check_champion(args, &game.dir->game, &err);
    if (ok) {
        (cli_has(args, "json") ? list_json : list_text)(args, &game.dir->game, &out);
        ok = rift_buf_ok(&out, "catalogue", &err) && cli_write("-", rift_buf_bytes(&out), &err);
    }
    cli_close_game(&game);
    return ok ? CLI_OK : cli_error(args, &err);
}

/* JSON for programs and files; a person at a terminal gets the outline unless --json says otherwise. */
static bool show(cli_args *args, rift_bytes json, rift_err *err)
{
    const char *output = cli_value(args, "output");
    if (output == NULL && isatty(STDOUT_FILENO))
        return cli_print(args, json, err);
    rift_buf line;
    rift_buf_init(&line, &args->arena, CLI_MAX_FILE);
    rift_buf_put(&line, json.data, json.size);
    rift_buf_u8(&line, '\n');
    return rift_buf_ok(&line, "metadata", err) && cli_write(output, rift_buf_bytes(&line), err);
}

static bool describe(cli_args *args, const cli_game *game, rift_str skin, rift_err *err)
{
    rift_skin_ref ref;
    if (!rift_game_find_skin(&game->dir->game, skin, &args->arena, &ref, err))
        return false;
    const rift_bake_request request = {.skin = &ref,
                                       .assets = &game->assets,
                                       .names = game->names_or_null,
                                       .game = &game->dir->game,
                                       .options = rift_options_default()};
    rift_arena tmp;
    rift_bake_result result;
    rift_bytes json;
    rift_arena_init(&tmp, CLI_ARENA_LIMIT);
    const bool ok = (cli_has(args, "skeleton") ? rift_describe_skeleton : rift_describe)(
                        &json, &result, &request, &args->arena, &tmp, err) &&
                    show(args, json, err);
    rift_arena_release(&tmp);
    return ok;
}

int cmd_describe(cli_args *args)
{
    const char *skin = cli_value(args, "skin");
    rift_err err;
    cli_game game;
    rift_err_in(&err, (rift_str){0});
    if (!cli_check_skin(args))
        return CLI_USAGE;
    if (!cli_open_game(&game, args, &err))
        return cli_error(args, &err);
    const bool ok = describe(args, &game, rift_str_c(skin), &err);
    cli_close_game(&game);
    return ok ? CLI_OK : cli_error(args, &err);
}
