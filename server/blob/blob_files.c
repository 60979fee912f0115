#include "blob/blob_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "files/files.h"

enum { MAX_LIST = 1 << 20 };

typedef struct file_blobs {
    rift_blobs base;
    int dir;          /* the folder */
    char *quarantine; /* path of the other */
} file_blobs;

static file_blobs *own(rift_blobs *base)
{
    return (file_blobs *)(void *)base;
}

typedef struct blob_path {
    char folder[6]; /* "ab/cd" */
    char name[72];  /* "ab/cd/<64 digits>" */
    char trash[72]; /* "trash/<64 digits>" */
} blob_path;

static blob_path path_of(const rift_sha256 *sha256)
{
    char hex[65];
    rift_sha256_hex(sha256, hex);
    blob_path path;
    (void)snprintf(path.folder, sizeof path.folder, "%.2s/%.2s", hex, hex + 2);
    (void)snprintf(path.name, sizeof path.name, "%s/%s", path.folder, hex);
    (void)snprintf(path.trash, sizeof path.trash, "trash/%s", hex);
    return path;
}

static bool fail_errno(rift_err *err, const char *doing)
{
    char text[128];
    const int code = errno;
    const rift_status status = code == ENOENT                     ? RIFT_ERR_NOT_FOUND
                               : code == ENOSPC || code == EDQUOT ? RIFT_ERR_LIMIT
                                                                  : RIFT_ERR_IO;
    return rift_fail(err, status, doing, RIFT_NO_OFFSET, "%s", strerror_r(code, text, sizeof text));
}

static bool make_folders(const file_blobs *blobs, const blob_path *path, rift_err *err)
{
    const char first[3] = {path->folder[0], path->folder[1], '\0'};
    if (mkdirat(blobs->dir, first, 0777) != 0 && errno != EEXIST)
        return fail_errno(err, "make folder");
    if (mkdirat(blobs->dir, path->folder, 0777) != 0 && errno != EEXIST)
        return fail_errno(err, "make folder");
    return true;
}

/* The name must outlive a power cut too, since the row that mentions it does. */
static bool sync_folder(const file_blobs *blobs, const blob_path *path, rift_err *err)
{
    const int dir = openat(blobs->dir, path->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool ok = (dir >= 0 && fsync(dir) == 0) || fail_errno(err, "sync folder");
    if (dir >= 0)
        (void)close(dir);
    return ok;
}

static bool link_in(const file_blobs *blobs, int fd, const blob_path *path, rift_err *err)
{
    char self[64];
    (void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, self, blobs->dir, path->name, AT_SYMLINK_FOLLOW) == 0)
        return sync_folder(blobs, path, err);
    return errno == EEXIST || fail_errno(err, "link");
}

/* The exact time: the kernel's own stamps are coarser than a remover's look at the clock. */
static bool stamp(int dir, const char *name)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
    (void)clock_gettime(CLOCK_REALTIME, &times[1]);
    return (name != NULL ? utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW) : futimens(dir, times)) == 0;
}

static bool write_all(int fd, rift_bytes bytes, rift_err *err)
{
    rift_err why;
    rift_err_in(&why, (rift_str){0});
    return rift_fd_write_all(fd, bytes, &why) || fail_errno(err, "write");
}

static bool write_new(const file_blobs *blobs, const blob_path *path, rift_bytes bytes, rift_err *err)
{
    if (!make_folders(blobs, path, err))
        return false;
    const int fd = openat(blobs->dir, path->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0)
        return fail_errno(err, "create");
    bool ok = write_all(fd, bytes, err);
    if (ok && (!stamp(fd, NULL) || fdatasync(fd) != 0))
        ok = fail_errno(err, "sync");
    ok = ok && link_in(blobs, fd, path, err);
    (void)close(fd);
    return ok;
}

static bool files_put(rift_blobs *base, const rift_sha256 *sha256, rift_bytes bytes, rift_err *err)
{
    const file_blobs *blobs = own(base);
    const blob_path path = path_of(sha256);
    rift_err_in(err, rift_str_c(path.name));
    struct stat st;
    const bool exists = fstatat(blobs->dir, path.name, &st, 0) == 0;
    if (exists && (uint64_t)st.st_size == bytes.size && stamp(blobs->dir, path.name))
        return true;
    /* Names are given to whole files only, so another size is damage that came later. */
    if (exists && (uint64_t)st.st_size != bytes.size && unlinkat(blobs->dir, path.name, 0) != 0 &&
        errno != ENOENT)
        return fail_errno(err, "replace");
    return write_new(blobs, &path, bytes, err);
}

static bool files_open(rift_blobs *base, const rift_sha256 *sha256, uint64_t size, int *fd, rift_err *err)
{
    const file_blobs *blobs = own(base);
    const blob_path path = path_of(sha256);
    rift_err_in(err, rift_str_c(path.name));
    const int opened = openat(blobs->dir, path.name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (opened < 0)
        return fail_errno(err, "open");
    struct stat st;
    bool ok = fstat(opened, &st) == 0 || fail_errno(err, "stat");
    if (ok && (uint64_t)st.st_size != size) {
        ok = rift_fail(err, RIFT_ERR_IO, "size", RIFT_NO_OFFSET, "%llu bytes are there, not %llu",
                       (unsigned long long)st.st_size, (unsigned long long)size);
    }
    if (!ok) {
        (void)close(opened);
        return false;
    }
    *fd = opened;
    return true;
}

/* ---- removing ---- */

static int64_t modified_ms(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;
}

/* Back to its place, unless the same content was put there meanwhile. */
static bool restore(const file_blobs *blobs, const blob_path *path, rift_err *err)
{
    if (linkat(blobs->dir, path->trash, blobs->dir, path->name, 0) != 0 && errno != EEXIST)
        return fail_errno(err, "restore");
    return unlinkat(blobs->dir, path->trash, 0) == 0 || fail_errno(err, "restore");
}

static bool
files_remove(rift_blobs *base, const rift_sha256 *sha256, int64_t before_ms, bool *removed, rift_err *err)
{
    const file_blobs *blobs = own(base);
    const blob_path path = path_of(sha256);
    rift_err_in(err, rift_str_c(path.name));
    *removed = true;
    if (renameat(blobs->dir, path.name, blobs->dir, path.trash) != 0)
        return errno == ENOENT || fail_errno(err, "remove");
    struct stat st;
    if (fstatat(blobs->dir, path.trash, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return fail_errno(err, "remove");
    *removed = modified_ms(&st) <= before_ms;
    if (!*removed)
        return restore(blobs, &path, err);
    return unlinkat(blobs->dir, path.trash, 0) == 0 || fail_errno(err, "remove");
}

static bool files_quarantine(rift_blobs *base, const rift_sha256 *sha256, rift_err *err)
{
    const file_blobs *blobs = own(base);
    const blob_path path = path_of(sha256);
    rift_err_in(err, rift_str_c(path.name));
    if (mkdir(blobs->quarantine, 0777) != 0 && errno != EEXIST)
        return fail_errno(err, "make folder");
    const int to = open(blobs->quarantine, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (to < 0)
        return fail_errno(err, "open folder");
    const bool ok = renameat(blobs->dir, path.name, to, path.name + sizeof "ab/cd") == 0 || errno == ENOENT;
    if (!ok)
        (void)fail_errno(err, "quarantine");
    (void)close(to);
    return ok;
}

/* ---- listing ---- */

static DIR *open_folder(const file_blobs *blobs, const char *name)
{
    const int fd = openat(blobs->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (d == NULL && fd >= 0)
        (void)close(fd);
    return d;
}

static bool parse_name(const char *name, rift_sha256 *out)
{
    bool ok = strlen(name) == 2 * sizeof out->bytes;
    for (size_t i = 0; ok && i < sizeof out->bytes; i++) {
        uint64_t byte = 0;
        ok = rift_str_hex((rift_str){name + 2 * i, 2}, &byte);
        out->bytes[i] = (uint8_t)byte;
    }
    return ok;
}

typedef struct name_list {
    rift_sha256 *names;
    size_t count, capacity;
} name_list;

static bool add_name(name_list *list, const rift_sha256 *name, rift_arena *arena, rift_err *err)
{
    if (list->count == list->capacity) {
        const size_t wider = list->capacity > 0 ? 2 * list->capacity : 64;
        list->names = rift_arena_grow(arena, list->names, list->capacity * sizeof *list->names,
                                      wider * sizeof *list->names);
        list->capacity = wider;
    }
    if (list->names == NULL)
        return rift_arena_ok(arena, "names", err);
    list->names[list->count++] = *name;
    return true;
}

/* A folder that is not there has no names. */
static bool
list_folder(const file_blobs *blobs, const char *folder, name_list *list, rift_arena *arena, rift_err *err)
{
    DIR *d = open_folder(blobs, folder);
    if (d == NULL)
        return errno == ENOENT || fail_errno(err, "open folder");
    bool ok = true;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this call's own */
    for (const struct dirent *e = readdir(d); ok && e != NULL && list->count < MAX_LIST; e = readdir(d)) {
        rift_sha256 name = {{0}};
        if (parse_name(e->d_name, &name))
            ok = add_name(list, &name, arena, err);
    }
    (void)closedir(d);
    return ok;
}

static bool files_names(
    rift_blobs *base, uint8_t first, rift_sha256 **out, size_t *count, rift_arena *arena, rift_err *err)
{
    name_list list = {0};
    rift_err_in(err, RIFT_STR("blobs"));
    for (unsigned second = 0; second < 256; second++) {
        char folder[8];
        (void)snprintf(folder, sizeof folder, "%02x/%02x", first, second);
        if (!list_folder(own(base), folder, &list, arena, err))
            return false;
    }
    *out = list.names;
    *count = list.count;
    return true;
}

/* ---- opening ---- */

static void files_close(rift_blobs *base)
{
    file_blobs *blobs = own(base);
    if (blobs->dir >= 0)
        (void)close(blobs->dir);
    free(blobs->quarantine);
    free(blobs);
}

/* A crash between renaming and removing: the file may be wanted again. */
static bool empty_trash(const file_blobs *blobs, rift_err *err)
{
    rift_arena arena;
    name_list list = {0};
    if (mkdirat(blobs->dir, "trash", 0777) != 0 && errno != EEXIST)
        return fail_errno(err, "make folder");
    rift_arena_init(&arena, (size_t)64 << 20);
    bool ok = list_folder(blobs, "trash", &list, &arena, err);
    for (size_t i = 0; ok && i < list.count; i++) {
        const blob_path path = path_of(&list.names[i]);
        ok = restore(blobs, &path, err);
    }
    rift_arena_release(&arena);
    return ok;
}

static const rift_blob_ops ops = {.close = files_close,
                                  .put = files_put,
                                  .open = files_open,
                                  .remove = files_remove,
                                  .quarantine = files_quarantine,
                                  .names = files_names};

bool rift_blob_files_open(rift_blobs **out, const char *folder, const char *quarantine, rift_err *err)
{
    rift_err_in(err, rift_str_c(folder));
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fail_errno(err, "make folder");
    const int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return fail_errno(err, "open folder");
    file_blobs *blobs = calloc(1, sizeof *blobs);
    if (blobs == NULL) {
        (void)close(dir);
        return rift_fail(err, RIFT_ERR_NOMEM, "blobs", RIFT_NO_OFFSET, "out of memory");
    }
    blobs->base.ops = &ops;
    blobs->dir = dir;
    blobs->quarantine = strdup(quarantine);
    if (blobs->quarantine == NULL || !empty_trash(blobs, err)) {
        if (blobs->quarantine == NULL)
            (void)rift_fail(err, RIFT_ERR_NOMEM, "blobs", RIFT_NO_OFFSET, "out of memory");
        files_close(&blobs->base);
        return false;
    }
    *out = &blobs->base;
    return true;
}
