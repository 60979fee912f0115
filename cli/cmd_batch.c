/* Every skin of a game folder, one after another: a line of the report each, and nothing that one skin does ends the run
 * (B209). Arenas are released between skins, so memory stays flat (B155). */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

#include "base/str.h"
#include "files/files.h"
#include "files/gamedir.h"

typedef struct batch {
    cli_args *args;
    const cli_game *game;
    const char *dir;
    rift_buf lines; /* one JSON object a line, for --report */
    bool keep_lines;
    size_t total, done, failed;
} batch;

static bool
convert(batch *b, const rift_skin_ref *ref, rift_bake_result *result, rift_arena *out, rift_err *err)
{
    const rift_bake_request request = {.skin = ref,
                                       .assets = &b->game->assets,
                                       .names = b->game->names_or_null,
                                       .options = b->args->options};
    rift_arena tmp;
    rift_arena_init(&tmp, CLI_ARENA_LIMIT);
    const bool ok = rift_bake(result, &request, out, &tmp, err);
    rift_arena_release(&tmp);
    if (!ok)
        return false;
    const rift_str path =
        rift_arena_printf(out, "%s/%.*s-%u.glb", b->dir, RIFT_STR_ARG(ref->alias), ref->number);
    return rift_arena_ok(out, "path", err) && rift_file_write_atomic(path.data, result->glb, err);
}

/* The line goes to stdout at once (--json), so that a reader follows the run, and to --report at the end. */
static bool
report_line(batch *b, const rift_bake_result *result, rift_str label, const rift_err *failure, rift_err *err)
{
    rift_arena arena;
    rift_buf line;
    rift_arena_init(&arena, CLI_ARENA_LIMIT);
    rift_buf_init(&line, &arena, CLI_MAX_FILE);
    bool ok = cli_report_json(&line, result, label, failure, err);
    rift_buf_u8(&line, '\n');
    ok = ok && rift_buf_ok(&line, "report", err);
    if (ok && b->keep_lines)
        rift_buf_put(&b->lines, line.data, line.size);
    ok = ok && (!cli_has(b->args, "json") || cli_write("-", rift_buf_bytes(&line), err));
    rift_arena_release(&arena);
    return ok;
}

static void tell(const batch *b, rift_str label, const rift_bake_result *result, const rift_err *failure)
{
    char text[sizeof(rift_err)];
    cli_progress_clear(b->args);
    if (failure != NULL) {
        cli_say("%.*s: %s: %s", RIFT_STR_ARG(label), rift_status_name(failure->code),
                rift_err_print(failure, text, sizeof text));
    } else {
        cli_note(b->args, "%.*s: %zu bytes, %zu clips", RIFT_STR_ARG(label), result->glb.size,
                 result->clip_count);
    }
}

/* False only when the report could not be written: then there is nobody to go on for. */
static bool one_skin(batch *b, const rift_champion *champion, uint32_t number, rift_err *err)
{
    const rift_skin_ref ref = {
        .id = champion->id != 0 ? champion->id * 1000 + number : 0,
        .alias = champion->alias,
        .number = number,
        .champion = champion,
    };
    rift_arena out;
    rift_arena_init(&out, CLI_ARENA_LIMIT);
    const rift_str label = rift_arena_printf(&out, "%.*s/%u", RIFT_STR_ARG(ref.alias), number);
    cli_progress_step(b->args, b->done, b->total, label);
    rift_bake_result result = {0};
    rift_err failure;
    rift_err_in(&failure, (rift_str){0});
    const bool ok = convert(b, &ref, &result, &out, &failure);
    b->done++;
    b->failed += !ok;
    tell(b, label, &result, ok ? NULL : &failure);
    const bool told = report_line(b, &result, label, ok ? NULL : &failure, err);
    rift_arena_release(&out);
    return told;
}

static bool all_skins(batch *b, rift_err *err)
{
    const rift_game *g = &b->game->dir->game;
    for (size_t i = 0; i < g->champion_count; i++)
        b->total += cli_wants(b->args, &g->champions[i]) ? g->champions[i].skin_count : 0;
    for (size_t i = 0; i < g->champion_count; i++) {
        const rift_champion *c = &g->champions[i];
        for (size_t k = 0; cli_wants(b->args, c) && k < c->skin_count; k++) {
            if (!one_skin(b, c, c->skins[k], err))
                return false;
        }
    }
    return true;
}

static bool make_folder(const char *dir, rift_err *err)
{
    struct stat st;
    if (mkdir(dir, 0777) == 0 || (errno == EEXIST && stat(dir, &st) == 0 && S_ISDIR(st.st_mode)))
        return true;
    rift_err_in(err, rift_str_c(dir));
    return rift_fail_errno(err, "make folder", errno);
}

static int run(batch *b)
{
    const char *report = cli_value(b->args, "report");
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    b->keep_lines = report != NULL;
    if (!cli_check_champion(b->args, &b->game->dir->game, &err) || !make_folder(b->dir, &err) ||
        !all_skins(b, &err))
        return cli_error(b->args, &err);
    if (report != NULL &&
        (!rift_buf_ok(&b->lines, "report", &err) || !cli_write(report, rift_buf_bytes(&b->lines), &err)))
        return cli_error(b->args, &err);
    cli_note(b->args, "%zu skins, %zu failed", b->done, b->failed);
    return b->failed > 0 || b->done == 0 ? CLI_FAILED : CLI_OK;
}

int cmd_batch(cli_args *args)
{
    batch b = {.args = args, .dir = cli_value(args, "output")};
    const char *report = cli_value(args, "report");
    rift_err err;
    cli_game game;
    rift_arena arena;
    if (b.dir == NULL || strcmp(b.dir, "-") == 0)
        return cli_misuse(args, "missing -o DIR");
    if (report != NULL && strcmp(report, "-") == 0 && cli_has(args, "json"))
        return cli_misuse(args, "--json and --report - say the same: choose one");
    rift_err_in(&err, (rift_str){0});
    if (!cli_open_game(&game, args, &err))
        return cli_error(args, &err);
    b.game = &game;
    rift_arena_init(&arena, CLI_ARENA_LIMIT);
    rift_buf_init(&b.lines, &arena, CLI_MAX_FILE);
    const int code = run(&b);
    rift_arena_release(&arena);
    cli_close_game(&game);
    return code;
}
