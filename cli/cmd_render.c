/* render: a picture of a skin, or a contact sheet of its clips. */
#include <string.h>
#include <unistd.h>

#include "cli.h"

#include "base/str.h"
#include "files/gamedir.h"

enum { CELL_SIZE = 128 };

typedef struct picture {
    cli_args *args;
    const cli_game *game;
    rift_view view;
    bool sheet;
} picture;

static bool read_view(const cli_args *args, const char *name, rift_view *view)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    const char *value = cli_value(args, name);
    if (value == NULL || rift_view_set(view, rift_str_c(name), rift_str_c(value), &err))
        return true;
    (void)cli_misuse(args, "--%s %s", name, err.text);
    return false;
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

/* Without an ending, and to stdout, it is PNG. */
static bool is_picture_name(const char *path)
{
    const rift_str base = rift_str_base(rift_str_c(path != NULL ? path : "-"));
    return memchr(base.data, '.', base.size) == NULL || rift_str_ends_nocase(base, RIFT_STR(".png")) ||
           rift_str_ends_nocase(base, RIFT_STR(".webp"));
}

static bool
encode(const picture *p, const rift_pixels *pixels, rift_bytes *out, rift_arena *arena, rift_err *err)
{
    const bool with_alpha = p->view.background[3] != 255;
    const rift_str name = rift_str_c(cli_value(p->args, "output"));
    if (rift_str_ends_nocase(name, RIFT_STR(".webp")))
        return rift_webp_write(out, pixels, with_alpha, true, arena, err);
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
    picture p = {.args = args, .game = &game, .view = rift_view_default(), .sheet = cli_has(args, "sheet")};
    if (p.sheet)
        p.view.size = CELL_SIZE;
    rift_err_in(&err, (rift_str){0});
    if (!cli_check_skin(args))
        return CLI_USAGE;
    if (p.sheet && cli_has(args, "pose"))
        return cli_misuse(args, "--sheet shows each clip in its middle: it takes --clips, not --pose");
    if (!p.sheet && cli_has(args, "clips"))
        return cli_misuse(args, "--clips is for --sheet; --pose names the clip of a picture");
    if (cli_value(args, "output") == NULL && isatty(STDOUT_FILENO))
        return cli_misuse(args, "missing -o FILE: a picture is nothing for a terminal");
    if (!is_picture_name(cli_value(args, "output")))
        return cli_misuse(args, "\"%s\": a picture is .png or .webp", cli_value(args, "output"));
    if (!read_view(args, "size", &p.view) || !read_view(args, "turn", &p.view) ||
        !read_view(args, "background", &p.view) || !read_options(args, "pose") ||
        !read_options(args, "clips"))
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
