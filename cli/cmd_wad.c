/* wad ls|get|pack|diff. Names come from --hashes; without it entries are called by their hash. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

#include "base/str.h"
#include "files/files.h"
#include "formats/wad_write.h"

enum { MAX_PACK = 100000 };

typedef struct open_wad {
    rift_wad wad;
    int fd;
} open_wad;

static bool open_archive(open_wad *out, cli_args *args, const char *path, rift_err *err)
{
    struct stat st;
    rift_err_in(err, rift_str_c(path));
    out->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (out->fd < 0 || fstat(out->fd, &st) != 0) {
        return rift_fail(err, errno == ENOENT ? RIFT_ERR_NOT_FOUND : RIFT_ERR_IO, "", RIFT_NO_OFFSET,
                         "cannot open: %s", strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
    }
    if (rift_wad_open(&out->wad, rift_file_source(out->fd, (uint64_t)st.st_size),
                      rift_str_base(rift_str_c(path)), &args->arena, NULL, err))
        return true;
    (void)close(out->fd);
    return false;
}

/* The entry's path, or its hash as 16 digits. */
static rift_str entry_name(const rift_names *names, uint64_t hash, rift_arena *arena)
{
    rift_str name;
    if (names->lookup != NULL && rift_names_lookup(names, RIFT_NAMES_GAME, hash, arena, &name))
        return name;
    return rift_arena_printf(arena, "%016llx", (unsigned long long)hash);
}

static const char *storage_word(uint8_t storage)
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
    rift_json_put_cstr(j, "storage", storage_word(e->storage));
    rift_json_put_hex(j, "checksum", e->checksum, 16);
    rift_json_object_end(j);
}

static int wad_ls(cli_args *args, const rift_names *names, rift_err *err)
{
    open_wad w;
    if (args->operand_count != 2)
        return cli_misuse(args, "ls takes one archive");
    if (!open_archive(&w, args, args->operands[1], err))
        return cli_error(args, err);
    rift_buf out;
    rift_json j;
    rift_buf_init(&out, &args->arena, CLI_MAX_FILE);
    rift_json_init(&j, &out);
    const bool json = cli_has(args, "json");
    if (json)
        rift_json_array(&j);
    for (size_t i = 0; i < w.wad.entry_count; i++) {
        const rift_wad_entry *e = &w.wad.entries[i];
        const rift_str name = entry_name(names, e->path_hash, &args->arena);
        if (json) {
            put_entry(&j, e, name);
        } else {
            rift_buf_printf(&out, "%10u %10u %-8s %.*s\n", e->size, e->stored_size, storage_word(e->storage),
                            RIFT_STR_ARG(name));
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

/* Archive paths become file names only when they stay below the folder. */
static bool safe_path(rift_str path)
{
    rift_str rest = path;
    rift_str part;
    if (path.size == 0 || path.size > 1000 || path.data[0] == '/' ||
        memchr(path.data, 0, path.size) != NULL || memchr(path.data, '\\', path.size) != NULL)
        return false;
    while (rift_str_next(&rest, "/", &part)) {
        if (rift_str_eq(part, RIFT_STR("..")) || rift_str_eq(part, RIFT_STR(".")))
            return false;
    }
    return true;
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

static bool get_entry(
    cli_args *args, const open_wad *w, const rift_wad_entry *e, rift_str name, const char *dir, rift_err *err)
{
    rift_arena arena;
    rift_bytes bytes;
    rift_arena_init(&arena, CLI_ARENA_LIMIT);
    rift_err_in(err, name);
    bool ok = rift_wad_read(&w->wad, e, &arena, &bytes, err);
    if (ok && dir == NULL) {
        ok = cli_write("-", bytes, err);
    } else if (ok) {
        const rift_str file =
            safe_path(name) ? name : rift_arena_printf(&arena, "%016llx", (unsigned long long)e->path_hash);
        const rift_str full = rift_arena_printf(&arena, "%s/%.*s", dir, RIFT_STR_ARG(file));
        char *path = rift_arena_push(&arena, full.size + 1, 1, 1);
        ok = path != NULL || rift_arena_ok(&arena, "path", err);
        if (ok) {
            memcpy(path, full.data, full.size);
            make_parents(path);
            ok = rift_file_write_atomic(path, bytes, err);
        }
    }
    rift_arena_release(&arena);
    if (!ok)
        (void)cli_error(args, err);
    return ok;
}

static int wad_get(cli_args *args, const rift_names *names, rift_err *err)
{
    open_wad w;
    const char *dir = cli_value(args, "output");
    const bool all = cli_has(args, "all");
    if (args->operand_count < 2 || (args->operand_count < 3 && !all))
        return cli_misuse(args, "get takes an archive and paths (or hashes), or --all");
    if (dir != NULL && strcmp(dir, "-") == 0)
        dir = NULL;
    if (all && dir == NULL)
        return cli_misuse(args, "--all needs -o DIR");
    if (!open_archive(&w, args, args->operands[1], err))
        return cli_error(args, err);
    size_t failed = 0;
    for (size_t i = 0; all && i < w.wad.entry_count; i++) {
        failed += !get_entry(args, &w, &w.wad.entries[i],
                             entry_name(names, w.wad.entries[i].path_hash, &args->arena), dir, err);
    }
    for (size_t i = 2; i < args->operand_count; i++) {
        const rift_str path = rift_str_c(args->operands[i]);
        const rift_wad_entry *e = rift_wad_lookup(&w.wad, rift_path_hash(path));
        if (e == NULL) {
            rift_err_in(err, path);
            (void)rift_fail(err, RIFT_ERR_NOT_FOUND, "", RIFT_NO_OFFSET, "not in this archive");
            (void)cli_error(args, err);
            failed++;
        } else {
            failed += !get_entry(args, &w, e, path, dir, err);
        }
    }
    (void)close(w.fd);
    return failed > 0 ? CLI_FAILED : CLI_OK;
}

/* nftw has no user pointer: the walk's state stands here, for one command in one process. */
static struct {
    cli_args *args;
    rift_err *err;
    size_t root_size;
    rift_wad_item *items;
    size_t count;
} pack;

static int pack_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    if (type != FTW_F)
        return 0;
    if (pack.count == MAX_PACK) {
        return rift_fail(pack.err, RIFT_ERR_LIMIT, path, RIFT_NO_OFFSET, "more than %d files", MAX_PACK) ? 0
                                                                                                         : 1;
    }
    rift_wad_item *item = &pack.items[pack.count];
    const rift_str name = rift_str_c(path + pack.root_size);
    if (!rift_file_read(path, CLI_MAX_FILE, &pack.args->arena, &item->data, pack.err))
        return 1;
    item->path_hash = rift_path_hash(name);
    item->storage = item->data.size > 0 ? RIFT_WAD_ZSTD : RIFT_WAD_RAW;
    pack.count++;
    return 0;
}

static int by_path_hash(const void *a, const void *b)
{
    const uint64_t x = ((const rift_wad_item *)a)->path_hash;
    const uint64_t y = ((const rift_wad_item *)b)->path_hash;
    return (x > y) - (x < y);
}

static bool parse_version(const char *text, rift_wad_write_opts *opts)
{
    if (text == NULL)
        return true;
    rift_str rest = rift_str_c(text);
    rift_str part;
    uint64_t major;
    uint64_t minor = 0;
    if (!rift_str_next(&rest, ".", &part) || !rift_str_u64(part, 3, &major) || major == 0)
        return false;
    if (rift_str_next(&rest, ".", &part) && !rift_str_u64(part, 4, &minor))
        return false;
    opts->major = (uint8_t)major;
    opts->minor = (uint8_t)minor;
    return true;
}

static int wad_pack(cli_args *args, rift_err *err)
{
    const char *output = cli_value(args, "output");
    rift_wad_write_opts opts = {.major = 3, .minor = 4};
    if (args->operand_count != 2 || output == NULL)
        return cli_misuse(args, "pack takes a folder and -o FILE");
    if (!parse_version(cli_value(args, "wad-version"), &opts))
        return cli_misuse(args, "--wad-version is 1.0, 2.0 or 3.0 to 3.4");
    const char *dir = args->operands[1];
    opts.path = rift_str_base(rift_str_c(output));
    pack.args = args;
    pack.err = err;
    pack.root_size = strlen(dir) + (dir[strlen(dir) - 1] == '/' ? 0 : 1);
    pack.items = RIFT_NEW(&args->arena, rift_wad_item, MAX_PACK);
    if (pack.items == NULL)
        return CLI_FAILED;
    if (nftw(dir, pack_file, 16, FTW_PHYS) != 0) {
        (void)rift_fail(err, RIFT_ERR_IO, dir, RIFT_NO_OFFSET, "cannot read the folder: %s",
                        strerror(errno)); /* NOLINT(concurrency-mt-unsafe) */
        return cli_error(args, err);
    }
    for (size_t i = 0; opts.major < 3 && i < pack.count; i++) {
        if (pack.items[i].storage == RIFT_WAD_ZSTD)
            pack.items[i].storage = RIFT_WAD_GZIP;
    }
    /* The order of a folder walk differs between systems; that of hashes does not. */
    qsort(pack.items, pack.count, sizeof *pack.items, by_path_hash);
    rift_bytes file;
    if (!rift_wad_write(&file, pack.items, pack.count, &opts, &args->arena, err) ||
        !cli_write(output, file, err))
        return cli_error(args, err);
    cli_note(args, "%zu files, %zu bytes", pack.count, file.size);
    return CLI_OK;
}

static bool
same_content(const rift_wad *a, const rift_wad_entry *x, const rift_wad *b, const rift_wad_entry *y)
{
    if (x->size != y->size)
        return false;
    /* Checksums of different kinds say nothing about each other (B177); equal sizes then count as equal. */
    return a->checksum_kind != b->checksum_kind || a->checksum_kind == RIFT_WAD_SUM_NONE ||
           x->checksum == y->checksum;
}

static void diff_side(rift_buf *out,
                      rift_json *j,
                      const rift_names *names,
                      const rift_wad *from,
                      const rift_wad *to,
                      bool old_side,
                      rift_arena *arena)
{
    for (size_t i = 0; i < from->entry_count; i++) {
        const rift_wad_entry *e = &from->entries[i];
        const rift_wad_entry *other = rift_wad_lookup(to, e->path_hash);
        const char *what = other == NULL ? (old_side ? "removed" : "added") : NULL;
        if (what == NULL && !old_side && !same_content(from, e, to, other))
            what = "changed";
        if (what == NULL)
            continue;
        const rift_str name = entry_name(names, e->path_hash, arena);
        if (j == NULL) {
            rift_buf_printf(out, "%-8s %.*s\n", what, RIFT_STR_ARG(name));
            continue;
        }
        rift_json_object(j);
        rift_json_put_cstr(j, "change", what);
        rift_json_put_hex(j, "hash", e->path_hash, 16);
        rift_json_put_str(j, "path", name);
        rift_json_object_end(j);
    }
}

static int wad_diff(cli_args *args, const rift_names *names, rift_err *err)
{
    open_wad old;
    open_wad new;
    if (args->operand_count != 3)
        return cli_misuse(args, "diff takes two archives");
    if (!open_archive(&old, args, args->operands[1], err))
        return cli_error(args, err);
    if (!open_archive(&new, args, args->operands[2], err)) {
        (void)close(old.fd);
        return cli_error(args, err);
    }
    rift_buf out;
    rift_json j;
    rift_buf_init(&out, &args->arena, CLI_MAX_FILE);
    rift_json_init(&j, &out);
    rift_json *json = cli_has(args, "json") ? &j : NULL;
    if (json != NULL)
        rift_json_array(json);
    diff_side(&out, json, names, &old.wad, &new.wad, true, &args->arena);
    diff_side(&out, json, names, &new.wad, &old.wad, false, &args->arena);
    if (json != NULL) {
        rift_json_array_end(json);
        rift_buf_u8(&out, '\n');
    }
    (void)close(old.fd);
    (void)close(new.fd);
    return rift_buf_ok(&out, "difference", err) && cli_write("-", rift_buf_bytes(&out), err)
               ? CLI_OK
               : cli_error(args, err);
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
        return wad_pack(args, &err);
    if (rift_str_eq(verb, RIFT_STR("diff")))
        return wad_diff(args, &names, &err);
    return cli_misuse(args, "no verb \"%s\": ls, get, pack or diff", args->operands[0]);
}
