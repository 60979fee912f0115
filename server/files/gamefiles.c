/* Finding archives: folders are walked breadth first with a list instead of recursion, so that depth and number are
 * plain counters. Symbolic links are followed (installations are often linked); the limits end a loop of links. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "files/files.h"
#include "files/gamedir.h"

typedef struct folder {
    rift_str path;   /* on disk, NUL-terminated */
    rift_str prefix; /* in the game: "DATA/FINAL/", or "" */
    unsigned depth;
} folder;

typedef struct walk {
    rift_arena *arena;
    folder *folders;
    size_t folder_count;
    struct found {
        rift_str path;
        rift_str disk;
        int hidden; /* errno of who could not look at it; 0: an archive to open */
    } * found;
    size_t found_count, found_capacity;
} walk;

static bool is_archive(rift_str name)
{
    return rift_str_ends_nocase(name, RIFT_STR(".wad.client")) ||
           rift_str_ends_nocase(name, RIFT_STR(".wad"));
}

/* The entry of `dir` called `name` in any case, as spelt on disk; an exact match is preferred. Empty when absent. */
static rift_str child_nocase(const char *dir, rift_str name, rift_arena *arena)
{
    rift_str best = {0};
    DIR *d = opendir(dir);
    if (d == NULL)
        return best;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this call\'s own */
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        const rift_str entry = rift_str_c(e->d_name);
        if (!rift_str_eq_nocase(entry, name))
            continue;
        const bool exact = rift_str_eq(entry, name);
        if (best.size == 0 || exact)
            best = rift_arena_printf(arena, "%s/%s", dir, e->d_name);
        if (exact)
            break;
    }
    (void)closedir(d);
    return best;
}

/* Steps down `parts`, or empty. */
static rift_str descend(rift_str dir, const char *const *parts, size_t count, rift_arena *arena)
{
    for (size_t i = 0; i < count && dir.size > 0; i++)
        dir = child_nocase(dir.data, rift_str_c(parts[i]), arena);
    return dir;
}

/* What a folder that is not above DATA/FINAL is called inside the game, told from its own place on disk. */
static rift_str prefix_of(const char *dir, rift_arena *arena)
{
    char real[PATH_MAX];
    if (realpath(dir, real) == NULL)
        return (rift_str){0};
    static const rift_str mark = {"/data/final", 11};
    const rift_str path = rift_str_c(real);
    for (size_t i = path.size; i >= mark.size; i--) {
        const size_t at = i - mark.size;
        const bool ends = i == path.size || path.data[i] == '/';
        if (ends && rift_str_eq_nocase((rift_str){path.data + at, mark.size}, mark))
            return rift_arena_printf(arena, "DATA/FINAL%.*s/", (int)(path.size - i), path.data + i);
    }
    return (rift_str){0};
}

static folder root_folder(const char *dir, rift_arena *arena)
{
    static const char *const direct[] = {"DATA", "FINAL"};
    static const char *const below[] = {"Game", "DATA", "FINAL"};
    const rift_str given = rift_arena_copy_str(arena, rift_str_c(dir));
    rift_str path = descend(given, direct, RIFT_COUNT(direct), arena);
    if (path.size == 0)
        path = descend(given, below, RIFT_COUNT(below), arena);
    if (path.size > 0)
        return (folder){.path = path, .prefix = RIFT_STR("DATA/FINAL/")};
    return (folder){.path = given, .prefix = prefix_of(dir, arena)};
}

static bool add_found(walk *w, struct found one, rift_err *err)
{
    if (w->found_count == RIFT_GAME_MAX_ARCHIVES) {
        return rift_fail(err, RIFT_ERR_LIMIT, "archives", RIFT_NO_OFFSET, "more than %d archives",
                         RIFT_GAME_MAX_ARCHIVES);
    }
    if (w->found_count == w->found_capacity) {
        const size_t wider = w->found_capacity ? 2 * w->found_capacity : 64;
        w->found = rift_arena_grow(w->arena, w->found, w->found_capacity * sizeof *w->found,
                                   wider * sizeof *w->found);
        w->found_capacity = wider;
    }
    if (w->found == NULL)
        return rift_arena_ok(w->arena, "archives", err);
    w->found[w->found_count++] = one;
    return true;
}

/* Where the folder `name` lies in the game, when that can be told. */
static rift_str below(walk *w, const folder *in, const char *name)
{
    return in->prefix.size > 0 ? rift_arena_printf(w->arena, "%.*s%s/", RIFT_STR_ARG(in->prefix), name)
                               : (rift_str){0};
}

static bool add_folder(walk *w, const folder *in, const char *name, rift_str disk, rift_err *err)
{
    if (in->depth + 1 > RIFT_GAMEDIR_MAX_DEPTH)
        return true; /* the game nests three deep; what lies deeper is not the game's */
    if (w->folder_count == RIFT_GAMEDIR_MAX_FOLDERS) {
        return rift_fail(err, RIFT_ERR_LIMIT, "folders", RIFT_NO_OFFSET, "more than %d folders",
                         RIFT_GAMEDIR_MAX_FOLDERS);
    }
    w->folders[w->folder_count++] =
        (folder){.path = disk, .prefix = below(w, in, name), .depth = in->depth + 1};
    return true;
}

/* An entry is gone only when its folder says so: a link to nowhere, missing rights and a failing disk hide what was there. */
static bool visit_entry(walk *w, const folder *in, const char *name, rift_err *err)
{
    const rift_str disk = rift_arena_printf(w->arena, "%s/%s", in->path.data, name);
    const bool archive = is_archive(rift_str_c(name));
    struct stat st;
    int hidden = 0;
    if (disk.size == 0)
        return rift_arena_ok(w->arena, "folder", err);
    if (stat(disk.data, &st) != 0) {
        hidden = errno;
        if (hidden == ENOENT && lstat(disk.data, &st) != 0)
            return true; /* gone meanwhile */
    } else if (S_ISDIR(st.st_mode) && !archive) {
        return add_folder(w, in, name, disk, err);
    } else if (!archive) {
        return true;
    } else if (!S_ISREG(st.st_mode)) {
        hidden = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
    }
    const rift_str path =
        archive ? rift_arena_printf(w->arena, "%.*s%s", RIFT_STR_ARG(in->prefix), name) : below(w, in, name);
    return add_found(w, (struct found){.path = path, .disk = disk, .hidden = hidden}, err);
}

static bool visit(walk *w, folder in, rift_err *err)
{
    const struct dirent *e = NULL;
    DIR *d = opendir(in.path.data);
    bool ok = true;
    while (d != NULL && ok) {
        errno = 0;
        e = readdir(d); /* NOLINT(concurrency-mt-unsafe): the stream is this call's own */
        if (e == NULL)
            break;
        if (e->d_name[0] != '.')
            ok = visit_entry(w, &in, e->d_name, err);
    }
    const int hidden = ok && e == NULL ? errno : 0;
    if (d != NULL)
        (void)closedir(d);
    if (hidden == 0 || (in.depth > 0 && hidden == ENOENT))
        return ok;
    if (in.depth == 0)
        return rift_fail_errno(err, "open folder", hidden);
    return add_found(w, (struct found){.path = in.prefix, .disk = in.path, .hidden = hidden}, err);
}

static int by_path(const void *a, const void *b)
{
    const rift_str x = ((const struct found *)a)->path;
    const rift_str y = ((const struct found *)b)->path;
    const size_t shorter = x.size < y.size ? x.size : y.size;
    for (size_t i = 0; i < shorter; i++) {
        const int diff = (unsigned char)rift_lower(x.data[i]) - (unsigned char)rift_lower(y.data[i]);
        if (diff != 0)
            return diff;
    }
    if (x.size != y.size)
        return x.size < y.size ? -1 : 1;
    return shorter > 0 ? memcmp(x.data, y.data, shorter) : 0; /* a hidden folder may have no path */
}

static int64_t ns_of(const struct timespec *t)
{
    return (int64_t)t->tv_sec * 1000000000 + t->tv_nsec;
}

static rift_stamp stamp_of(const struct stat *st)
{
    return (rift_stamp){.device = (uint64_t)st->st_dev,
                        .inode = (uint64_t)st->st_ino,
                        .size = (uint64_t)st->st_size,
                        .mtime_ns = ns_of(&st->st_mtim),
                        .ctime_ns = ns_of(&st->st_ctim)};
}

bool rift_stamp_eq(const rift_stamp *a, const rift_stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->mtime_ns == b->mtime_ns && a->ctime_ns == b->ctime_ns;
}

static void open_one(rift_gamefiles *out, const struct found *found, rift_report *report)
{
    struct stat st;
    const int fd = found->hidden == 0 ? open(found->disk.data, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0 || fstat(fd, &st) != 0) {
        char text[128];
        const char *why = strerror_r(found->hidden != 0 ? found->hidden : errno, text, sizeof text);
        rift_report_add(report, "archive_unreadable", "%.*s: %s", RIFT_STR_ARG(found->disk), why);
        out->hidden[out->hidden_count++] = found->path;
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    out->fds[out->count] = fd;
    out->stamps[out->count] = stamp_of(&st);
    out->files[out->count++] =
        (rift_game_file){.path = found->path, .source = rift_file_source(fd, (uint64_t)st.st_size)};
}

bool rift_gamefiles_open(
    rift_gamefiles *out, const char *dir, rift_arena *arena, rift_report *report, rift_err *err)
{
    rift_err_in(err, rift_str_c(dir));
    walk w = {.arena = arena, .folders = RIFT_NEW(arena, folder, RIFT_GAMEDIR_MAX_FOLDERS)};
    if (w.folders == NULL)
        return rift_arena_ok(arena, "folder", err);
    w.folders[w.folder_count++] = root_folder(dir, arena);
    if (!rift_arena_ok(arena, "folder", err))
        return false;
    for (size_t i = 0; i < w.folder_count; i++) {
        if (!visit(&w, w.folders[i], err))
            return false;
    }
    if (w.found_count == 0) {
        return rift_fail(err, RIFT_ERR_NOT_FOUND, "archives", RIFT_NO_OFFSET,
                         "no *.wad.client or *.wad below this folder");
    }
    qsort(w.found, w.found_count, sizeof *w.found, by_path);
    rift_gamefiles files = {.files = RIFT_NEW(arena, rift_game_file, w.found_count),
                            .fds = RIFT_NEW(arena, int, w.found_count),
                            .stamps = RIFT_NEW(arena, rift_stamp, w.found_count),
                            .hidden = RIFT_NEW(arena, rift_str, w.found_count),
                            .folders = RIFT_NEW(arena, rift_str, w.folder_count)};
    if (!rift_arena_ok(arena, "archives", err))
        return false;
    for (size_t i = 0; i < w.folder_count; i++)
        files.folders[files.folder_count++] = w.folders[i].path;
    for (size_t i = 0; i < w.found_count; i++)
        open_one(&files, &w.found[i], report);
    if (files.count == 0)
        return rift_fail(err, RIFT_ERR_IO, "archives", RIFT_NO_OFFSET, "none can be opened");
    *out = files;
    return true;
}

bool rift_gamefiles_are_intact(const rift_gamefiles *files)
{
    for (size_t i = 0; i < files->count; i++) {
        struct stat st;
        if (fstat(files->fds[i], &st) != 0)
            return false;
        rift_stamp now = stamp_of(&st);
        now.ctime_ns =
            files->stamps[i]
                .ctime_ns; /* changes with the last link, too, which leaves the bytes as they are */
        if (!rift_stamp_eq(&now, &files->stamps[i]))
            return false;
    }
    return true;
}

void rift_gamefiles_close(rift_gamefiles *files)
{
    if (files == NULL)
        return;
    for (size_t i = 0; i < files->count; i++)
        (void)close(files->fds[i]);
    files->count = 0;
}
