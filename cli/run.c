#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static void note_archives(const cli_args *args, const rift_report *report)
{
    for (size_t i = 0; i < report->entry_count; i++) {
        for (size_t k = 0; k < report->entries[i]->example_count; k++) {
            cli_note(args, "%s: %.*s", report->entries[i]->code,
                     RIFT_STR_ARG(report->entries[i]->examples[k]));
        }
    }
}

bool cli_open_game(cli_game *out, cli_args *args, rift_err *err)
{
    const char *dir = cli_value(args, "game");
    if (dir == NULL)
        dir = getenv("RIFT_GAME"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    if (dir == NULL) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "--game", RIFT_NO_OFFSET,
                         "which game folder? (or set RIFT_GAME)");
    }
    *out = (cli_game){.dir = RIFT_NEW(&args->arena, rift_gamedir, 1)};
    rift_report report;
    rift_report_init(&report, &args->arena);
    if (out->dir == NULL)
        return rift_arena_ok(&args->arena, "game folder", err);
    rift_files_raise_limit();
    if (!rift_gamedir_open(out->dir, dir, &args->arena, &report, err))
        return false;
    note_archives(args, &report);
    out->assets = rift_game_assets(&out->dir->game);
    if (!cli_open_names(&out->names, args, err)) {
        rift_gamedir_close(out->dir);
        return false;
    }
    out->names_or_null = out->names.lookup != NULL ? &out->names : NULL;
    return true;
}

void cli_close_game(cli_game *game)
{
    rift_gamedir_close(game->dir);
}

bool cli_write(const char *path, rift_bytes bytes, rift_err *err)
{
    if (path != NULL && strcmp(path, "-") != 0)
        return rift_file_write_atomic(path, bytes, err);
    if (fwrite(bytes.data ? bytes.data : (const uint8_t *)"", 1, bytes.size, stdout) != bytes.size ||
        fflush(stdout) != 0)
        return rift_fail(err, RIFT_ERR_IO, "stdout", RIFT_NO_OFFSET, "cannot write %zu bytes", bytes.size);
    return true;
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

static void put_error(rift_json *j, const rift_bake_result *result, const rift_err *failure)
{
    rift_json_key(j, "error");
    rift_json_object(j);
    rift_json_put_cstr(j, "code", rift_status_name(failure->code));
    rift_json_put_cstr(j, "stage", rift_stage_word(result->stage));
    rift_json_put_cstr(j, "file", failure->file);
    rift_json_put_cstr(j, "where", failure->where);
    if (failure->offset != RIFT_NO_OFFSET)
        rift_json_put_uint(j, "offset", failure->offset);
    rift_json_put_cstr(j, "detail", failure->text);
    rift_json_object_end(j);
}

bool cli_report_json(
    rift_buf *out, const rift_bake_result *result, rift_str skin, const rift_err *failure, rift_err *err)
{
    rift_json j;
    rift_json_init(&j, out);
    rift_json_object(&j);
    rift_json_put_str(&j, "skin", skin);
    rift_json_put_bool(&j, "ok", failure == NULL);
    if (failure != NULL)
        put_error(&j, result, failure);
    rift_json_put_uint(&j, "bytes", result->glb.size);
    rift_json_put_uint(&j, "parts", result->part_count);
    rift_json_put_uint(&j, "joints", result->joint_count);
    rift_json_put_uint(&j, "clips", result->clip_count);
    rift_json_put_uint(&j, "textures", result->texture_count);
    rift_json_key(&j, "report");
    rift_json_report(&j, &result->report);
    rift_json_object_end(&j);
    return rift_buf_ok(out, "report", err);
}

/* One line per kind of thing; the report has the rest. */
static void note_warnings(const cli_args *args, const rift_report *report)
{
    for (size_t i = 0; i < report->entry_count; i++) {
        const rift_report_entry *entry = report->entries[i];
        const rift_str first = entry->example_count > 0 ? entry->examples[0] : (rift_str){0};
        cli_note(args, "  %s x %llu%s%.*s%s", entry->code, (unsigned long long)entry->count,
                 first.size > 0 ? " (" : "", RIFT_STR_ARG(first), first.size > 0 ? ")" : "");
    }
}

static bool write_report(
    cli_args *args, const char *path, const rift_bake_result *result, rift_str skin, const rift_err *failure)
{
    rift_buf buf;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_buf_init(&buf, &args->arena, CLI_MAX_FILE);
    if (cli_report_json(&buf, result, skin, failure, &err) && cli_write(path, rift_buf_bytes(&buf), &err))
        return true;
    (void)cli_error(args, &err);
    return false;
}

int cli_finish(cli_args *args, const rift_bake_result *result, rift_str skin, bool ok, rift_err *failure)
{
    const char *report = cli_value(args, "report");
    const char *output = cli_value(args, "output");
    int code = CLI_OK;
    if (ok && !cli_write(output, result->glb, failure))
        ok = false;
    if (!ok) {
        code = cli_error(args, failure);
    } else {
        cli_note(args, "%.*s: %zu bytes, %zu parts, %zu joints, %zu clips, %zu textures", RIFT_STR_ARG(skin),
                 result->glb.size, result->part_count, result->joint_count, result->clip_count,
                 result->texture_count);
    }
    note_warnings(args, &result->report);
    const rift_err *why = ok ? NULL : failure;
    if (report != NULL && !write_report(args, report, result, skin, why))
        code = CLI_FAILED;
    if (cli_has(args, "json") && output != NULL && strcmp(output, "-") != 0 &&
        !write_report(args, "-", result, skin, why))
        code = CLI_FAILED;
    return code;
}
