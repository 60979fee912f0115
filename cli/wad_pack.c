/* wad pack: a folder to an archive. Same files, same bytes, whatever order the system lists them in. */
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#include "base/str.h"
#include "files/files.h"
#include "formats/wad_write.h"

enum { MAX_ITEMS = 100000 };

typedef struct packing {
    cli_args *args;
    size_t root_size; /* of the path's part that is not in the archive */
    rift_wad_item *items;
    size_t count;
} packing;

static bool fail_read(rift_err *err, const char *path, int code)
{
    rift_err_in(err, rift_str_c(path));
    return rift_fail_errno(err, "read", code);
}

static bool add_file(packing *p, const char *path, rift_err *err)
{
    if (p->count == MAX_ITEMS)
        return rift_fail(err, RIFT_ERR_LIMIT, "", RIFT_NO_OFFSET, "more than %d files", MAX_ITEMS);
    rift_wad_item *item = &p->items[p->count++];
    if (!rift_file_read(path, CLI_MAX_FILE, &p->args->arena, &item->data, err))
        return false;
    /* A file that `get` named by its hash is that entry again. */
    item->path_hash = rift_path_hash(rift_str_c(path + p->root_size));
    return true;
}

/* Links are not followed: they could lead anywhere, also in circles. */
static bool add_entry(packing *p, const FTSENT *entry, rift_err *err)
{
    switch (entry->fts_info) {
    case FTS_F:
        return add_file(p, entry->fts_path, err);
    case FTS_SL:
    case FTS_SLNONE:
        cli_note(p->args, "%s: a link, left out", entry->fts_path);
        return true;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
        return fail_read(err, entry->fts_path, entry->fts_errno);
    default:
        return true;
    }
}

static bool walk(packing *p, char *dir, rift_err *err)
{
    char *const roots[] = {dir, NULL};
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (tree == NULL)
        return fail_read(err, dir, errno);
    bool ok = true;
    const FTSENT *entry = NULL;
    while (ok && (entry = fts_read(tree)) != NULL) {
        if (entry->fts_level == 0 && entry->fts_info == FTS_F) {
            ok = fail_read(err, dir, ENOTDIR);
        } else {
            ok = add_entry(p, entry, err);
        }
    }
    (void)fts_close(tree);
    return ok;
}

static int by_path_hash(const void *a, const void *b)
{
    const uint64_t x = ((const rift_wad_item *)a)->path_hash;
    const uint64_t y = ((const rift_wad_item *)b)->path_hash;
    return (x > y) - (x < y);
}

static void choose_storage(packing *p, uint8_t major)
{
    for (size_t i = 0; i < p->count; i++) {
        rift_wad_item *item = &p->items[i];
        item->storage = item->data.size == 0 ? RIFT_WAD_RAW : major < 3 ? RIFT_WAD_GZIP : RIFT_WAD_ZSTD;
    }
    qsort(p->items, p->count, sizeof *p->items, by_path_hash);
}

/* "1", "2", "3.0" … "3.4"; wad_write refuses what it cannot write. */
static bool parse_version(const char *text, rift_wad_write_opts *opts)
{
    rift_str rest = rift_str_c(text);
    rift_str part;
    uint64_t major = 0;
    uint64_t minor = 0;
    const bool ok = rift_str_next(&rest, ".", &part) && rift_str_u64(part, 3, &major) && major > 0 &&
                    (!rift_str_next(&rest, ".", &part) || rift_str_u64(part, major == 3 ? 4 : 0, &minor)) &&
                    rest.size == 0;
    opts->major = (uint8_t)major;
    opts->minor = (uint8_t)minor;
    return ok;
}

int cli_wad_pack(cli_args *args)
{
    const char *output = cli_value(args, "output");
    const char *version = cli_value(args, "wad-version");
    rift_wad_write_opts opts = {0};
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    if (args->operand_count != 2 || output == NULL || args->operands[1][0] == '\0')
        return cli_misuse(args, "pack takes a folder and -o FILE");
    if (!parse_version(version != NULL ? version : "3.4", &opts))
        return cli_misuse(args, "--wad-version is 1.0, 2.0 or 3.0 to 3.4, not \"%s\"", version);
    char *dir = args->operands[1];
    const size_t size = strlen(dir);
    opts.path = rift_str_base(rift_str_c(output));
    packing p = {.args = args, .root_size = size + (dir[size - 1] == '/' ? 0 : 1)};
    p.items = RIFT_NEW(&args->arena, rift_wad_item, MAX_ITEMS);
    if (!rift_arena_ok(&args->arena, "items", &err) || !walk(&p, dir, &err))
        return cli_error(args, &err);
    choose_storage(&p, opts.major);
    rift_bytes file;
    rift_err_in(&err, opts.path);
    if (!rift_wad_write(&file, p.items, p.count, &opts, &args->arena, &err) || !cli_write(output, file, &err))
        return cli_error(args, &err);
    cli_note(args, "%zu files, %zu bytes", p.count, file.size);
    return CLI_OK;
}
