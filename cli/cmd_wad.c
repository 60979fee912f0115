/* wad ls|get; pack is in wad_pack.c, diff in wad_diff.c. Names come from --hashes; without it entries are called by their hash. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#include "base/str.h"
#include "formats/wad.h"

enum { MAX_PATH = 1000, MAX_PART = 255 };

typedef struct open_wad {
    rift_wad wad;
    int fd;
} open_wad;

static bool open_archive(open_wad *out, cli_args *args, const char *path, rift_report *report, rift_err *err)
{
    rift_source source;
    if (!cli_open_file(path, &source, &out->fd, err))
        return false;
    if (rift_wad_open(&out->wad, source, rift_str_base(rift_str_c(path)), &args->arena, report, err))
        return true;
    (void)close(out->fd);
    return false;
}

rift_str cli_entry_name(const rift_names *names, uint64_t hash, rift_arena *arena)
{
    rift_str name;
    if (names->lookup != NULL && rift_names_lookup(names, RIFT_NAMES_GAME, hash, arena, &name))
        return name;
    return rift_arena_printf(arena, "%016llx", (unsigned long long)hash);
}

const char *cli_storage_word(uint8_t storage)
{
    static const char *const words[] = {"raw", "gzip", "redirect", "zstd", "chunked"};
    return storage < RIFT_COUNT(words) ? words[storage] : "unknown";
}

static void put_entry(rift_json *j, const rift_wad_entry *e, rift_str name)
{
    rift_json_object(j);
    rift_json_put_hex(j, "hash", e->path_hash, 16);
    rift_json_put_str(j, "path", name);
    rift_json_put_uint(j, "size", e->size);
    rift_json_put_uint(j, "stored", e->stored_size);
    rift_json_put_cstr(j, "storage", cli_storage_word(e->storage));
    rift_json_put_hex(j, "checksum", e->checksum, 16);
    rift_json_object_end(j);
}

static int wad_ls(cli_args *args, const rift_names *names, rift_err *err)
{
    open_wad w;
    if (args->operand_count != 2)
        return cli_misuse(args, "ls takes one archive");
    rift_report report;
    rift_report_init(&report, &args->arena);
    if (!open_archive(&w, args, args->operands[1], &report, err))
        return cli_error(args, err);
    cli_note_warnings(args, &report);
    rift_buf out;
    rift_json j;
    rift_buf_init(&out, &args->arena, CLI_MAX_FILE);
    rift_json_init(&j, &out);
    const bool json = cli_has(args, "json");
    if (json)
        rift_json_array(&j);
    for (size_t i = 0; i < w.wad.entry_count; i++) {
        const rift_wad_entry *e = &w.wad.entries[i];
        const rift_str name = cli_entry_name(names, e->path_hash, &args->arena);
        if (json) {
            put_entry(&j, e, name);
        } else {
            rift_buf_printf(&out, "%10u %10u %-8s ", e->size, e->stored_size, cli_storage_word(e->storage));
            cli_put_text(&out, name);
            rift_buf_u8(&out, '\n');
        }
    }
    if (json) {
        rift_json_array_end(&j);
        rift_buf_u8(&out, '\n');
    }
    (void)close(w.fd);
    return rift_buf_ok(&out, "listing", err) && cli_write("-", rift_buf_bytes(&out), err)
               ? CLI_OK
               : cli_error(args, err);
}

/* Archive paths become file names only when they stay below the folder and a file system takes them: the game has names
 * longer than that. */
static bool safe_path(rift_str path)
{
    rift_str part;
    if (path.size == 0 || path.size > MAX_PATH || path.data[0] == '/' || path.data[path.size - 1] == '/' ||
        memchr(path.data, 0, path.size) != NULL || memchr(path.data, '\\', path.size) != NULL)
        return false;
    for (rift_str rest = path; rift_str_next(&rest, "/", &part);) {
        if (rift_str_eq(part, RIFT_STR("..")) || rift_str_eq(part, RIFT_STR(".")) || part.size > MAX_PART)
            return false;
    }
    return true;
}

/* Under its name, or under its hash when that is no name for a file, or when one name is another's folder. */
static bool write_entry(const rift_wad_entry *e,
                        rift_str name,
                        const char *dir,
                        rift_bytes bytes,
                        rift_arena *arena,
                        rift_err *err)
{
    const rift_str hash = rift_arena_printf(arena, "%016llx", (unsigned long long)e->path_hash);
    if (!safe_path(name) || rift_str_eq(name, hash))
        return cli_write_below(dir, hash, bytes, arena, err);
    if (cli_write_below(dir, name, bytes, arena, err))
        return true;
    rift_err second;
    if (!cli_write_below(dir, hash, bytes, arena, &second))
        return false;
    *err = second;
    return true;
}

/* Below `dir`, or to `file`; without either to stdout. */
static bool get_entry(cli_args *args,
                      const open_wad *w,
                      const rift_wad_entry *e,
                      rift_str name,
                      const char *dir,
                      const char *file,
                      rift_err *err)
{
    rift_arena arena;
    rift_bytes bytes;
    rift_arena_init(&arena, CLI_ARENA_LIMIT);
    rift_err_in(err, name);
    bool ok = rift_wad_read(&w->wad, e, &arena, &bytes, err);
    if (ok)
        ok = dir == NULL ? cli_write(file, bytes, err) : write_entry(e, name, dir, bytes, &arena, err);
    rift_arena_release(&arena);
    if (!ok)
        (void)cli_error(args, err);
    return ok;
}

static size_t
get_all(cli_args *args, const open_wad *w, const rift_names *names, const char *dir, rift_err *err)
{
    size_t failed = 0;
    for (size_t i = 0; i < w->wad.entry_count; i++) {
        const rift_wad_entry *e = &w->wad.entries[i];
        failed += !get_entry(args, w, e, cli_entry_name(names, e->path_hash, &args->arena), dir, NULL, err);
    }
    return failed;
}

/* Where one entry goes: into a folder that is there already, or is called one, else into a file of this name. */
static bool is_folder_name(const char *path)
{
    struct stat st;
    const size_t size = strlen(path);
    return size == 0 || path[size - 1] == '/' || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static size_t get_some(cli_args *args, const open_wad *w, const char *dir, rift_err *err)
{
    size_t failed = 0;
    const char *file = args->operand_count == 3 && dir != NULL && !is_folder_name(dir) ? dir : NULL;
    for (size_t i = 2; i < args->operand_count; i++) {
        const rift_str path = rift_str_c(args->operands[i]);
        const rift_wad_entry *e = rift_wad_lookup(&w->wad, rift_path_hash(path));
        if (e == NULL) {
            rift_err_in(err, path);
            (void)rift_fail(err, RIFT_ERR_NOT_FOUND, "", RIFT_NO_OFFSET, "not in this archive");
            (void)cli_error(args, err);
            failed++;
        } else {
            failed += !get_entry(args, w, e, path, file != NULL ? NULL : dir, file, err);
        }
    }
    return failed;
}

static int wad_get(cli_args *args, const rift_names *names, rift_err *err)
{
    open_wad w;
    const char *dir = cli_value(args, "output");
    const bool all = cli_has(args, "all");
    if (args->operand_count < 2 || (args->operand_count == 2) != all)
        return cli_misuse(args, "get takes an archive, and either paths (or hashes) or --all");
    if (dir != NULL && strcmp(dir, "-") == 0)
        dir = NULL;
    if (all && dir == NULL)
        return cli_misuse(args, "--all needs -o DIR");
    if (!open_archive(&w, args, args->operands[1], NULL, err))
        return cli_error(args, err);
    const size_t failed = all ? get_all(args, &w, names, dir, err) : get_some(args, &w, dir, err);
    (void)close(w.fd);
    return failed > 0 ? CLI_FAILED : CLI_OK;
}

int cmd_wad(cli_args *args)
{
    rift_err err;
    rift_names names;
    rift_err_in(&err, (rift_str){0});
    if (args->operand_count == 0)
        return cli_misuse(args, "ls, get, pack or diff?");
    if (!cli_open_names(&names, args, &err))
        return cli_error(args, &err);
    const rift_str verb = rift_str_c(args->operands[0]);
    if (rift_str_eq(verb, RIFT_STR("ls")))
        return wad_ls(args, &names, &err);
    if (rift_str_eq(verb, RIFT_STR("get")))
        return wad_get(args, &names, &err);
    if (rift_str_eq(verb, RIFT_STR("pack")))
        return cli_wad_pack(args);
    if (rift_str_eq(verb, RIFT_STR("diff")))
        return cli_wad_diff(args, &names);
    return cli_misuse(args, "no verb \"%s\": ls, get, pack or diff", args->operands[0]);
}
