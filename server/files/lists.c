#include "files/lists.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "files/files.h"

enum { MAX_PIECE = 9999 };

bool rift_list_name_parse(rift_str name, rift_name_table *table, int *piece)
{
    static const rift_str prefix = {"hashes.", 7}, suffix = {".txt", 4};
    if (name.size < prefix.size || memcmp(name.data, prefix.data, prefix.size) != 0)
        return false;
    rift_str rest = {name.data + prefix.size, name.size - prefix.size};
    uint64_t number = 0;
    int part = -1;
    if (!rift_str_ends_nocase(rest, suffix)) {
        const char *dot = memrchr(rest.data, '.', rest.size);
        if (dot == NULL)
            return false;
        const size_t before = (size_t)(dot - rest.data);
        if (!rift_str_u64((rift_str){dot + 1, rest.size - before - 1}, MAX_PIECE, &number))
            return false;
        part = (int)number;
        rest.size = before;
    }
    if (!rift_str_ends_nocase(rest, suffix))
        return false;
    rest.size -= suffix.size;
    const int found = rift_name_table_from_word(rest);
    if (found < 0)
        return false;
    *table = (rift_name_table)found;
    *piece = part;
    return true;
}

static int by_table_and_piece(const void *a, const void *b)
{
    const rift_list_file *x = a;
    const rift_list_file *y = b;
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    return (x->piece > y->piece) - (x->piece < y->piece);
}

static bool
read_folder(DIR *d, const char *dir, rift_list_file *lists, size_t *count, rift_arena *arena, rift_err *err)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this call's own */
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        rift_list_file l;
        if (!rift_list_name_parse(rift_str_c(e->d_name), &l.table, &l.piece))
            continue;
        if (*count == RIFT_LISTS_MAX)
            return rift_fail(err, RIFT_ERR_LIMIT, "lists", RIFT_NO_OFFSET, "over %d lists", RIFT_LISTS_MAX);
        l.path = rift_arena_printf(arena, "%s/%s", dir, e->d_name);
        lists[(*count)++] = l;
    }
    return rift_arena_ok(arena, "lists", err);
}

bool rift_hash_lists_find(
    const char *dir, rift_list_file **out, size_t *count, rift_arena *arena, rift_err *err)
{
    rift_err_in(err, rift_str_c(dir));
    rift_list_file *lists = RIFT_NEW(arena, rift_list_file, RIFT_LISTS_MAX);
    if (lists == NULL)
        return rift_arena_ok(arena, "lists", err);
    DIR *d = opendir(dir);
    if (d == NULL)
        return rift_fail_errno(err, "open folder", errno);
    *count = 0;
    const bool ok = read_folder(d, dir, lists, count, arena, err);
    (void)closedir(d);
    if (!ok)
        return false;
    if (*count == 0) {
        return rift_fail(err, RIFT_ERR_NOT_FOUND, "lists", RIFT_NO_OFFSET,
                         "no hashes.<table>.txt in this folder");
    }
    qsort(lists, *count, sizeof *lists, by_table_and_piece);
    *out = lists;
    return true;
}

static void add_stats(rift_name_line_stats *sum, const rift_name_line_stats *more)
{
    sum->lines += more->lines;
    sum->taken += more->taken;
    sum->blank += more->blank;
    sum->malformed += more->malformed;
    sum->duplicate += more->duplicate;
    sum->mismatched += more->mismatched;
}

static bool
load(rift_name_lists *out, const rift_list_file *l, bool verify, rift_name_line_stats *sum, rift_err *err)
{
    rift_arena file;
    rift_arena_init(&file, RIFT_LISTS_MAX_FILE + ((size_t)1 << 20));
    rift_bytes text;
    rift_name_line_stats stats = {0};
    const bool ok = rift_file_read(l->path.data, RIFT_LISTS_MAX_FILE, &file, &text, err) &&
                    rift_name_lists_add(out, l->table, text, verify, &stats, err);
    rift_arena_release(&file);
    if (ok && sum != NULL)
        add_stats(sum, &stats);
    return ok;
}

bool rift_hash_lists_open(rift_name_lists *out,
                          const char *dir,
                          bool verify,
                          rift_arena *arena,
                          rift_name_line_stats *stats,
                          rift_err *err)
{
    rift_list_file *lists = NULL;
    size_t count = 0;
    if (!rift_hash_lists_find(dir, &lists, &count, arena, err))
        return false;
    rift_name_lists_init(out, arena);
    for (size_t i = 0; i < count; i++) {
        if (!load(out, &lists[i], verify, stats, err))
            return false;
    }
    return true;
}
