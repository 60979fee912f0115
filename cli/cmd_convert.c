/* convert: loose files, read here and handed to core as bytes. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

#include "base/str.h"
#include "files/files.h"

enum { MAX_LOOSE = 4096 };

typedef struct loose_list {
    rift_loose_file files[MAX_LOOSE];
    rift_str parts[MAX_LOOSE];
    size_t count;
} loose_list;

static bool read_loose(cli_args *args, const char *path, rift_loose_file *out, rift_err *err)
{
    out->name = rift_arena_copy_str(&args->arena, rift_str_base(rift_str_c(path)));
    return rift_file_read(path, CLI_MAX_FILE, &args->arena, &out->data, err);
}

static bool read_flag(cli_args *args, const char *flag, rift_loose_file *out, rift_err *err)
{
    const char *path = cli_value(args, flag);
    if (path == NULL)
        return true;
    if (!read_loose(args, path, out, err))
        return false;
    /* No bytes mean "not given" to core, and a rig that is empty by accident is no static mesh. */
    return out->data.size > 0 || rift_fail(err, RIFT_ERR_TRUNCATED, flag, 0, "0 bytes: the file is empty");
}

static bool add_file(cli_args *args, loose_list *list, const char *path, rift_str part, rift_err *err)
{
    if (list->count == MAX_LOOSE)
        return rift_fail(err, RIFT_ERR_LIMIT, path, RIFT_NO_OFFSET, "more than %d files", MAX_LOOSE);
    if (!read_loose(args, path, &list->files[list->count], err))
        return false;
    list->parts[list->count++] = part;
    return true;
}

static int is_anm(const struct dirent *entry)
{
    return rift_str_ends_nocase(rift_str_c(entry->d_name), RIFT_STR(".anm"));
}

/* Bytes, not locale, so that the order is the same everywhere (G3). */
static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Every .anm of a folder, by name. */
static bool add_folder(cli_args *args, loose_list *list, const char *dir, rift_err *err)
{
    struct dirent **names;
    const int n = scandir(dir, &names, is_anm, by_bytes);
    if (n < 0) {
        return rift_fail_errno(err, dir, errno);
    }
    bool ok = true;
    for (int i = 0; i < n; i++) {
        const rift_str path = rift_arena_printf(&args->arena, "%s/%s", dir, names[i]->d_name);
        ok = ok && rift_arena_ok(&args->arena, dir, err) &&
             add_file(args, list, path.data, (rift_str){0}, err);
        free(names[i]);
    }
    free(names);
    if (n == 0)
        cli_note(args, "%s: no .anm in this folder", dir);
    return ok;
}

static bool read_anms(cli_args *args, loose_list *list, rift_err *err)
{
    size_t at = 0;
    for (const char *path = cli_next(args, "anm", &at); path != NULL; path = cli_next(args, "anm", &at)) {
        struct stat st;
        const bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        if (!(folder ? add_folder(args, list, path, err) : add_file(args, list, path, (rift_str){0}, err)))
            return false;
    }
    return true;
}

/* "Body=file.dds" gives one part its texture, "file.dds" all of them. A path that exists as a whole is a path. */
static bool read_textures(cli_args *args, loose_list *list, rift_err *err)
{
    size_t at = 0;
    for (const char *value = cli_next(args, "texture-file", &at); value != NULL;
         value = cli_next(args, "texture-file", &at)) {
        const char *equals = strchr(value, '=');
        struct stat st;
        const bool split = equals != NULL && stat(value, &st) != 0;
        const rift_str part = {value, split ? (size_t)(equals - value) : 0};
        if (!add_file(args, list, split ? equals + 1 : value, part, err))
            return false;
    }
    return true;
}

static bool
read_all(cli_args *args, rift_convert_request *request, loose_list *anms, loose_list *textures, rift_err *err)
{
    if (!read_flag(args, "skn", &request->skn, err) || !read_flag(args, "skl", &request->skl, err) ||
        !read_flag(args, "bin", &request->bin, err) || !read_anms(args, anms, err) ||
        !read_textures(args, textures, err))
        return false;
    request->anms = anms->files;
    request->anm_count = anms->count;
    request->textures = textures->files;
    request->texture_parts = textures->parts;
    request->texture_count = textures->count;
    return true;
}

/* Standard input is read once. */
static bool one_stdin(const cli_args *args)
{
    static const char *const inputs[] = {"skn", "skl", "bin", "anm", "texture-file"};
    unsigned uses = 0;
    for (size_t i = 0; i < RIFT_COUNT(inputs); i++) {
        size_t at = 0;
        for (const char *v = cli_next(args, inputs[i], &at); v != NULL; v = cli_next(args, inputs[i], &at))
            uses += strcmp(v, "-") == 0 || rift_str_ends_nocase(rift_str_c(v), RIFT_STR("=-"));
    }
    return uses <= 1;
}

static bool
convert(rift_bake_result *result, const void *request, rift_arena *out, rift_arena *tmp, rift_err *err)
{
    return rift_convert(result, request, out, tmp, err);
}

int cmd_convert(cli_args *args)
{
    loose_list *anms = RIFT_NEW(&args->arena, loose_list, 1);
    loose_list *textures = RIFT_NEW(&args->arena, loose_list, 1);
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (!rift_arena_ok(&args->arena, "file lists", &err))
        return cli_error(args, &err);
    if (cli_value(args, "skn") == NULL)
        return cli_misuse(args, "missing --skn");
    if (!one_stdin(args))
        return cli_misuse(args, "only one file can be \"-\"");
    if (!cli_check_output(args))
        return CLI_USAGE;
    rift_bake_control control = {0};
    rift_convert_request request = {.options = args->options, .control = &control};
    rift_names names;
    if (!read_all(args, &request, anms, textures, &err) || !cli_open_names(&names, args, &err))
        return cli_error(args, &err);
    request.names = names.lookup != NULL ? &names : NULL;
    return cli_convert(args, request.skn.name, &(cli_conversion){convert, &request}, &control);
}
