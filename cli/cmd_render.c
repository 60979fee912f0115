/* render: a picture of a skin, or a contact sheet of its clips. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#include "base/str.h"
#include "files/gamedir.h"

enum { PICTURE_SIZE = 256, CELL_SIZE = 128, MAX_TURN = 360 };

typedef struct picture {
    cli_args *args;
    const cli_game *game;
    rift_view view;
    bool sheet;
} picture;

static bool read_size(const cli_args *args, rift_view *view)
{
    const char *text = cli_value(args, "size");
    uint64_t size;
    if (text == NULL)
        return true;
    if (!rift_str_u64(rift_str_c(text), RIFT_VIEW_MAX_SIZE, &size) || size < RIFT_VIEW_MIN_SIZE) {
        (void)cli_misuse(args, "--size takes %d to %d pixels", RIFT_VIEW_MIN_SIZE, RIFT_VIEW_MAX_SIZE);
        return false;
    }
    view->size = (uint32_t)size;
    return true;
}

static bool read_turn(const cli_args *args, rift_view *view)
{
    const char *text = cli_value(args, "turn");
    uint64_t turn;
    if (text == NULL)
        return true;
    const bool back = text[0] == '-';
    if (!rift_str_u64(rift_str_c(text + back), MAX_TURN, &turn)) {
        (void)cli_misuse(args, "--turn takes whole degrees, -%d to %d", MAX_TURN, MAX_TURN);
        return false;
    }
    view->turn = back ? -(int)turn : (int)turn;
    return true;
}

static bool read_background(const cli_args *args, rift_view *view)
{
    const char *text = cli_value(args, "background");
    uint64_t color;
    if (text == NULL)
        return true;
    if (strlen(text) != 6 || !rift_str_hex(rift_str_c(text), &color)) {
        (void)cli_misuse(args, "--background takes six hexadecimal digits: ffffff");
        return false;
    }
    for (size_t i = 0; i < 3; i++)
        view->background[i] = (uint8_t)(color >> (16 - 8 * i));
    view->background[3] = 255;
    return true;
}

static bool read_options(cli_args *args, const char *name)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    const char *value = cli_value(args, name);
    if (value == NULL ||
        rift_options_set(&args->options, rift_str_c(name), rift_str_c(value), &args->arena, &err))
        return true;
    (void)cli_misuse(args, "--%s: %s", name, err.text);
    return false;
}

static bool
encode(const picture *p, const rift_pixels *pixels, rift_bytes *out, rift_arena *arena, rift_err *err)
{
    const bool with_alpha = p->view.background[3] != 255;
    const rift_str name = rift_str_c(cli_value(p->args, "output"));
    if (rift_str_ends_nocase(name, RIFT_STR(".webp")))
        return rift_webp_write(out, pixels, with_alpha, arena, err);
    return rift_png_write(out, pixels, with_alpha, arena, arena, err);
}

static bool draw(const picture *p, rift_arena *out, rift_arena *tmp, rift_err *err)
{
    rift_skin_ref ref;
    rift_bake_result result;
    rift_pixels pixels;
    rift_bytes file;
    if (!rift_game_find_skin(&p->game->dir->game, rift_str_c(cli_value(p->args, "skin")), &p->args->arena,
                             &ref, err))
        return false;
    const rift_bake_request request = {.skin = &ref,
                                       .assets = &p->game->assets,
                                       .names = p->game->names_or_null,
                                       .options = p->args->options};
    const bool ok =
        (p->sheet ? rift_contact_sheet : rift_picture)(&pixels, &result, &request, &p->view, out, tmp, err);
    cli_note_warnings(p->args, &result.report);
    return ok && encode(p, &pixels, &file, out, err) && cli_write(cli_value(p->args, "output"), file, err);
}

int cmd_render(cli_args *args)
{
    rift_err err;
    cli_game game;
    picture p = {.args = args, .game = &game, .sheet = cli_has(args, "sheet")};
    p.view.size = p.sheet ? CELL_SIZE : PICTURE_SIZE;
    rift_err_in(&err, (rift_str){0});
    if (cli_value(args, "skin") == NULL)
        return cli_misuse(args, "missing --skin");
    if (cli_value(args, "output") == NULL && isatty(STDOUT_FILENO))
        return cli_misuse(args, "missing -o FILE: a picture is nothing for a terminal");
    if (!read_size(args, &p.view) || !read_turn(args, &p.view) || !read_background(args, &p.view) ||
        !read_options(args, "pose") || !read_options(args, "clips"))
        return CLI_USAGE;
    if (!cli_open_game(&game, args, &err))
        return cli_error(args, &err);
    rift_arena out;
    rift_arena tmp;
    rift_arena_init(&out, CLI_ARENA_LIMIT);
    rift_arena_init(&tmp, CLI_ARENA_LIMIT);
    const bool ok = draw(&p, &out, &tmp, &err);
    rift_arena_release(&tmp);
    rift_arena_release(&out);
    cli_close_game(&game);
    return ok ? CLI_OK : cli_error(args, &err);
}
