/* Every skin of a game folder, one after another: a line of the report each, and nothing that one skin does ends the run
 * (B209). Arenas are released between skins, so memory stays flat (B155). */
#include <errno.h>
#include <stdio.h>
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
    rift_buf report; /* one JSON object a line */
    size_t total, done, failed;
} batch;

static bool wanted(const batch *b, const rift_champion *c)
{
    const char *name = cli_value(b->args, "champion");
    return name == NULL || rift_str_eq_nocase(rift_str_c(name), c->alias);
}

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
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%.*s-%u.glb", b->dir, RIFT_STR_ARG(ref->alias), ref->number);
    return rift_file_write_atomic(path, result->glb, err);
}

static void one_skin(batch *b, const rift_champion *champion, uint32_t number)
{
    const rift_skin_ref ref = {
        .id = champion->id != 0 ? champion->id * 1000 + number : 0,
        .alias = champion->alias,
        .number = number,
        .champion = champion,
    };
    char label[128];
    (void)snprintf(label, sizeof label, "%.*s/%u", RIFT_STR_ARG(ref.alias), number);
    cli_progress_step(b->args, b->done, b->total, rift_str_c(label));
    rift_arena out;
    rift_arena_init(&out, CLI_ARENA_LIMIT);
    rift_bake_result result;
    rift_err err;
    rift_err ignored;
    rift_err_in(&err, (rift_str){0});
    rift_err_in(&ignored, (rift_str){0});
    const bool ok = convert(b, &ref, &result, &out, &err);
    b->done++;
    b->failed += !ok;
    (void)cli_report_json(&b->report, &result, rift_str_c(label), ok ? NULL : &err, &ignored);
    rift_buf_u8(&b->report, '\n');
    cli_progress_clear(b->args);
    if (!ok) {
        char text[sizeof(rift_err)];
        (void)fprintf(stderr, "%s: %s: %s\n", label, rift_status_name(err.code),
                      rift_err_print(&err, text, sizeof text));
    } else {
        cli_note(b->args, "%s: %zu bytes, %zu clips", label, result.glb.size, result.clip_count);
    }
    rift_arena_release(&out);
}

static int finish(batch *b)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    const char *report = cli_value(b->args, "report");
    if (!rift_buf_ok(&b->report, "report", &err))
        return cli_error(b->args, &err);
    if (cli_has(b->args, "json") && !cli_write("-", rift_buf_bytes(&b->report), &err))
        return cli_error(b->args, &err);
    if (report != NULL && !cli_write(report, rift_buf_bytes(&b->report), &err))
        return cli_error(b->args, &err);
    cli_note(b->args, "%zu skins, %zu failed", b->done, b->failed);
    return b->failed > 0 || b->done == 0 ? CLI_FAILED : CLI_OK;
}

int cmd_batch(cli_args *args)
{
    batch b = {.args = args, .dir = cli_value(args, "output")};
    if (b.dir == NULL)
        return cli_misuse(args, "missing -o DIR");
    rift_err err;
    rift_err_in(&err, rift_str_c(b.dir));
    cli_game game;
    if (mkdir(b.dir, 0777) != 0 && errno != EEXIST) {
        (void)rift_fail(&err, RIFT_ERR_IO, "", RIFT_NO_OFFSET, "cannot make the folder: errno %d", errno);
        return cli_error(args, &err);
    }
    if (!cli_open_game(&game, args, &err))
        return cli_error(args, &err);
    b.game = &game;
    rift_arena report_arena;
    rift_arena_init(&report_arena, CLI_ARENA_LIMIT);
    rift_buf_init(&b.report, &report_arena, CLI_MAX_FILE);
    const rift_game *g = &game.dir->game;
    for (size_t i = 0; i < g->champion_count; i++)
        b.total += wanted(&b, &g->champions[i]) ? g->champions[i].skin_count : 0;
    for (size_t i = 0; i < g->champion_count; i++) {
        for (size_t k = 0; wanted(&b, &g->champions[i]) && k < g->champions[i].skin_count; k++)
            one_skin(&b, &g->champions[i], g->champions[i].skins[k]);
    }
    const int code = finish(&b);
    rift_arena_release(&report_arena);
    cli_close_game(&game);
    return code;
}
