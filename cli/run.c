#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#include "base/str.h"
#include "files/files.h"
#include "files/gamedir.h"
#include "files/lists.h"

bool cli_open_names(rift_names *out, cli_args *args, rift_err *err)
{
    const char *dir = cli_value(args, "hashes");
    *out = (rift_names){0};
    if (dir == NULL)
        return true;
    rift_name_lists *lists = RIFT_NEW(&args->arena, rift_name_lists, 1);
    if (lists == NULL)
        return rift_arena_ok(&args->arena, "name lists", err);
    if (!rift_hash_lists_open(lists, dir, false, &args->arena, NULL, err))
        return false;
    *out = rift_name_lists_names(lists);
    return true;
}

bool cli_wants(const cli_args *args, const rift_champion *champion)
{
    const char *name = cli_value(args, "champion");
    return name == NULL || rift_str_eq_nocase(rift_str_c(name), champion->alias) ||
           rift_str_eq_nocase(rift_str_c(name), champion->name);
}

bool cli_check_champion(const cli_args *args, const rift_game *game, rift_err *err)
{
    for (size_t i = 0; i < game->champion_count; i++) {
        if (cli_wants(args, &game->champions[i]))
            return true;
    }
    const char *name = cli_value(args, "champion");
    if (name == NULL)
        return true;
    return rift_fail(err, RIFT_ERR_NOT_FOUND, "", RIFT_NO_OFFSET, "no champion \"%s\" among %zu", name,
                     game->champion_count);
}

/* One line, whatever is wrong with however many: what it costs a skin is told with the skin. */
static void note_archives(const cli_args *args, const rift_game *game, const rift_report *report)
{
    const size_t unread = (size_t)rift_report_count(report, "archive_unreadable");
    size_t damaged = unread;
    for (size_t i = 0; i < game->archive_count; i++) {
        const rift_wad *wad = &game->archives[i].wad;
        size_t k = 0;
        while (k < wad->entry_count && !wad->entries[k].outside)
            k++;
        damaged += k < wad->entry_count;
    }
    if (damaged == 0)
        return;
    /* An example begins with the archive's path. */
    const rift_str example = report->entry_count > 0 && report->entries[0]->example_count > 0
                                 ? report->entries[0]->examples[0]
                                 : RIFT_STR(":");
    const char *end = memchr(example.data, ':', example.size);
    cli_note(args, "note: %zu of %zu archives damaged, %.*s first (riftbake wad ls FILE says more)", damaged,
             game->archive_count + unread, end != NULL ? (int)(end - example.data) : 0, example.data);
}

static bool check_folder(const char *dir, rift_err *err)
{
    struct stat st;
    return stat(dir, &st) != 0 || S_ISDIR(st.st_mode) ||
           rift_fail(err, RIFT_ERR_ARGUMENT, "", RIFT_NO_OFFSET,
                     "--game takes the game's folder, and \"%.100s\" is a file", dir);
}

bool cli_open_game(cli_game *out, cli_args *args, rift_err *err)
{
    const char *dir = cli_value(args, "game");
    if (dir == NULL)
        dir = getenv("RIFT_GAME"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    if (dir == NULL) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "", RIFT_NO_OFFSET,
                         "missing --game: which game folder? (or set RIFT_GAME)");
    }
    *out = (cli_game){.dir = RIFT_NEW(&args->arena, rift_gamedir, 1)};
    rift_report report;
    rift_report_init(&report, &args->arena);
    if (out->dir == NULL)
        return rift_arena_ok(&args->arena, "game folder", err);
    rift_files_raise_limit();
    if (!check_folder(dir, err) || !rift_gamedir_open(out->dir, dir, &args->arena, &report, err))
        return false;
    note_archives(args, &out->dir->game, &report);
    out->assets = rift_game_assets(&out->dir->game);
    if (!cli_open_names(&out->names, args, err)) {
        rift_gamedir_close(out->dir);
        return false;
    }
    out->names_or_null = out->names.lookup != NULL ? &out->names : NULL;
    return true;
}

bool cli_check_skin(const cli_args *args)
{
    const char *skin = cli_value(args, "skin");
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (skin != NULL && rift_game_is_skin(rift_str_c(skin), &err))
        return true;
    (void)cli_misuse(args, "%s%s",
                     skin == NULL ? "missing --skin" : "--skin: ", skin == NULL ? "" : err.text);
    return false;
}

void cli_close_game(cli_game *game)
{
    rift_gamedir_close(game->dir);
}

bool cli_open_file(const char *path, rift_source *out, int *fd, rift_err *err)
{
    struct stat st;
    rift_err_in(err, rift_str_c(path));
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0 || fstat(*fd, &st) != 0) {
        const int why = errno;
        if (*fd >= 0)
            (void)close(*fd);
        return rift_fail_errno(err, "open", why);
    }
    if (!S_ISREG(st.st_mode)) {
        (void)close(*fd);
        return rift_fail(err, RIFT_ERR_IO, "open", RIFT_NO_OFFSET, "is no regular file");
    }
    *out = rift_file_source(*fd, (uint64_t)st.st_size);
    return true;
}

bool cli_write(const char *path, rift_bytes bytes, rift_err *err)
{
    if (path != NULL && strcmp(path, "-") != 0)
        return rift_file_write_atomic(path, bytes, err);
    if ((bytes.size == 0 || fwrite(bytes.data, 1, bytes.size, stdout) == bytes.size) && fflush(stdout) == 0)
        return true;
    rift_err_in(err, RIFT_STR("stdout"));
    return rift_fail_errno(err, "write", errno);
}

static void make_parents(char *path)
{
    for (char *p = path + 1; *p != '\0'; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        (void)mkdir(path, 0777); /* a failure shows when the file is written */
        *p = '/';
    }
}

bool cli_write_below(const char *dir, rift_str name, rift_bytes bytes, rift_arena *arena, rift_err *err)
{
    const rift_str full = rift_arena_printf(arena, "%s/%.*s", dir, RIFT_STR_ARG(name));
    char *path = rift_arena_push(arena, full.size + 1, 1, 1);
    if (path == NULL || full.size == 0)
        return rift_arena_ok(arena, "path", err);
    memcpy(path, full.data, full.size);
    make_parents(path);
    return rift_file_write_atomic(path, bytes, err);
}

bool cli_print(const cli_args *args, rift_bytes json, rift_err *err)
{
    if (cli_has(args, "json"))
        return cli_write("-", json, err) && cli_write("-", (rift_bytes){(const uint8_t *)"\n", 1}, err);
    rift_arena arena;
    rift_buf text;
    rift_arena_init(&arena, CLI_ARENA_LIMIT);
    rift_buf_init(&text, &arena, CLI_ARENA_LIMIT);
    cli_outline(&text, json);
    const bool ok = rift_buf_ok(&text, "output", err) && cli_write("-", rift_buf_bytes(&text), err);
    rift_arena_release(&arena);
    return ok;
}

bool cli_report_json(
    rift_buf *out, const rift_bake_result *result, rift_str skin, const rift_err *failure, rift_err *err)
{
    rift_json j;
    rift_json_init(&j, out);
    rift_json_object(&j);
    rift_json_put_str(&j, "skin", skin);
    rift_json_put_bool(&j, "ok", failure == NULL);
    if (failure != NULL) {
        rift_json_key(&j, "error");
        rift_json_object(&j);
        rift_bake_failure_json(&j, result, failure);
        rift_json_object_end(&j);
    }
    rift_json_put_uint(&j, "bytes", result->glb.size);
    rift_bake_result_json(&j, result);
    rift_json_object_end(&j);
    return rift_buf_ok(out, "report", err);
}

/* What the caller asked for and did not get. */
static const char *what_was_asked(const cli_args *args, const char *code)
{
    if (strcmp(code, "clips_unmatched") == 0)
        return "clips: no clip is called or matches";
    if (strcmp(code, "override_unmatched") == 0 && cli_has(args, "texture-file"))
        return "texture-file: the mesh has no part";
    return strcmp(code, "pose_past_end") == 0 ? "pose:" : NULL;
}

/* One line per kind of thing, the report has the rest; last, where they are seen, those about the request itself. */
void cli_note_warnings(const cli_args *args, const rift_report *report)
{
    for (size_t i = 0; i < report->entry_count; i++) {
        const rift_report_entry *entry = report->entries[i];
        if (what_was_asked(args, entry->code) != NULL)
            continue;
        const rift_str first = entry->example_count > 0 ? entry->examples[0] : (rift_str){0};
        cli_note(args, "  %s x %llu%s%.*s%s", entry->code, (unsigned long long)entry->count,
                 first.size > 0 ? " (" : "", RIFT_STR_ARG(first), first.size > 0 ? ")" : "");
    }
    for (size_t i = 0; i < report->entry_count; i++) {
        const rift_report_entry *entry = report->entries[i];
        const char *words = what_was_asked(args, entry->code);
        for (size_t k = 0; words != NULL && k < entry->example_count; k++)
            cli_note(args, "warning: %s %.*s", words, RIFT_STR_ARG(entry->examples[k]));
    }
}

bool cli_check_output(const cli_args *args)
{
    const char *output = cli_value(args, "output");
    const char *report = cli_value(args, "report");
    const bool glb_to_stdout = output == NULL || strcmp(output, "-") == 0;
    const bool report_to_stdout = report != NULL && strcmp(report, "-") == 0;
    const int users = glb_to_stdout + report_to_stdout + cli_has(args, "json");
    if (output == NULL && isatty(STDOUT_FILENO)) {
        (void)cli_misuse(args, "missing -o FILE: a GLB is nothing for a terminal");
        return false;
    }
    if (users > 1) {
        (void)cli_misuse(args, "only one of the GLB, --report - and --json can go to stdout: use -o FILE");
        return false;
    }
    return true;
}

static bool write_report(
    cli_args *args, const char *path, const rift_bake_result *result, rift_str skin, const rift_err *failure)
{
    rift_buf buf;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_buf_init(&buf, &args->arena, CLI_MAX_FILE);
    bool ok = cli_report_json(&buf, result, skin, failure, &err);
    rift_buf_u8(&buf, '\n');
    ok = ok && rift_buf_ok(&buf, "report", &err) && cli_write(path, rift_buf_bytes(&buf), &err);
    if (!ok)
        (void)cli_error(args, &err);
    return ok;
}

/* --report, a line per warning on stderr, the GLB to -o. */
static int finish(cli_args *args, const rift_bake_result *result, rift_str skin, bool ok, rift_err *failure)
{
    const char *report = cli_value(args, "report");
    int code = CLI_OK;
    ok = ok && cli_write(cli_value(args, "output"), result->glb, failure);
    if (!ok) {
        code = cli_error(args, failure);
    } else {
        cli_note(args, "%.*s: %zu bytes, %zu parts, %zu joints, %zu clips, %zu textures", RIFT_STR_ARG(skin),
                 result->glb.size, result->part_count, result->joint_count, result->clip_count,
                 result->texture_count);
    }
    cli_note_warnings(args, &result->report);
    const rift_err *why = ok ? NULL : failure;
    if (report != NULL && !write_report(args, report, result, skin, why))
        code = CLI_FAILED;
    if (cli_has(args, "json") && !write_report(args, "-", result, skin, why))
        code = CLI_FAILED;
    return code;
}

int cli_convert(cli_args *args, rift_str label, const cli_conversion *conversion, rift_bake_control *control)
{
    rift_arena out;
    rift_arena tmp;
    rift_err err;
    rift_bake_result result = {0};
    rift_arena_init(&out, CLI_ARENA_LIMIT);
    rift_arena_init(&tmp, CLI_ARENA_LIMIT);
    rift_err_in(&err, (rift_str){0});
    cli_progress *bar = cli_progress_start(args, label, control);
    const bool ok = conversion->run(&result, conversion->request, &out, &tmp, &err);
    cli_progress_stop(bar);
    rift_arena_release(&tmp);
    const int code = finish(args, &result, label, ok, &err);
    rift_arena_release(&out);
    return code;
}
