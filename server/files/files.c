#include "files/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

enum { READ_STEP = 64 * 1024 };

bool rift_fail_errno(rift_err *err, const char *doing, int code)
{
    char text[128];
    /* The GNU form returns the text, in `text` or elsewhere. */
    const char *why = strerror_r(code, text, sizeof text);
    const rift_status status = code == ENOENT || code == ENOTDIR  ? RIFT_ERR_NOT_FOUND
                               : code == ENOSPC || code == EDQUOT ? RIFT_ERR_LIMIT
                                                                  : RIFT_ERR_IO;
    return rift_fail(err, status, doing, RIFT_NO_OFFSET, "%s", why);
}

static bool fail_errno(rift_err *err, const char *doing)
{
    return rift_fail_errno(err, doing, errno);
}

static void close_input(int fd)
{
    if (fd != STDIN_FILENO)
        (void)close(fd);
}

/* Reads until the end; the size from stat is only a hint, since pipes have none and files grow. */
static bool read_to_end(int fd, size_t hint, size_t max, rift_arena *arena, rift_bytes *out, rift_err *err)
{
    size_t room = hint < max ? hint + 1 : max + 1;
    uint8_t *data = rift_arena_push(arena, room, 1, 1);
    size_t size = 0;
    while (data != NULL) {
        if (size == room) {
            const size_t more = room < READ_STEP ? READ_STEP : room;
            const size_t wider = more < max + 1 - room ? room + more : max + 1;
            data = rift_arena_grow(arena, data, room, wider);
            room = wider;
            continue;
        }
        const ssize_t n = read(fd, data + size, room - size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(err, "read");
        if (n == 0)
            break;
        size += (size_t)n;
        if (size > max)
            return rift_fail(err, RIFT_ERR_LIMIT, "size", RIFT_NO_OFFSET, "is over %zu bytes", max);
    }
    if (!rift_arena_ok(arena, "file", err))
        return false;
    *out = (rift_bytes){data, size};
    return true;
}

bool rift_file_read(const char *path, size_t max, rift_arena *arena, rift_bytes *out, rift_err *err)
{
    RIFT_ASSERT(max < SIZE_MAX - READ_STEP);
    rift_err_in(err, rift_str_c(path));
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(err, "open");
    struct stat st;
    bool ok = false;
    if (fstat(fd, &st) != 0) {
        (void)fail_errno(err, "stat");
    } else if (S_ISDIR(st.st_mode)) {
        (void)rift_fail(err, RIFT_ERR_IO, "open", RIFT_NO_OFFSET, "is a folder, not a file");
    } else {
        ok = read_to_end(fd, st.st_size > 0 ? (size_t)st.st_size : 0, max, arena, out, err);
    }
    close_input(fd);
    return ok;
}

bool rift_fd_write_all(int fd, rift_bytes bytes, rift_err *err)
{
    for (size_t at = 0; at < bytes.size;) {
        const ssize_t n = write(fd, bytes.data + at, bytes.size - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(err, "write");
        at += (size_t)n;
    }
    return true;
}

static bool write_in_place(const char *path, rift_bytes bytes, rift_err *err)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(err, "open");
    const bool ok = rift_fd_write_all(fd, bytes, err);
    if (close(fd) != 0 && ok)
        return fail_errno(err, "close");
    return ok;
}

/* A new file beside `path`; -1 with err set. Not by mkostemp, which makes files private: a served folder does not want that, and the mode that others
 * would have can only be asked for by changing it for all threads. */
static int create_beside(const char *path, char name[PATH_MAX], rift_err *err)
{
    int fd = -1;
    for (int tries = 0; tries < 100; tries++) {
        uint32_t random = 0;
        (void)!getrandom(&random, sizeof random, 0);
        const int length = snprintf(name, PATH_MAX, "%s.%08x.new", path, random + (unsigned)tries);
        if (length < 0 || length >= PATH_MAX) {
            (void)rift_fail(err, RIFT_ERR_ARGUMENT, "path", RIFT_NO_OFFSET, "is too long");
            return -1;
        }
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    if (fd < 0)
        (void)fail_errno(err, "create");
    return fd;
}

/* "masks.json.0123abcd.new" for "masks.json". */
static bool is_left_of(const char *name, const char *of)
{
    const size_t front = strlen(of);
    return strncmp(name, of, front) == 0 && name[front] == '.' &&
           strspn(name + front + 1, "0123456789abcdef") == 8 && strcmp(name + front + 9, ".new") == 0;
}

void rift_file_clear_left(const char *dir, const char *name)
{
    DIR *d = opendir(dir);
    if (d == NULL)
        return;
    const struct dirent *entry;
    while ((entry = readdir(d)) != NULL) { /* NOLINT(concurrency-mt-unsafe): a stream of our own */
        if (is_left_of(entry->d_name, name))
            (void)unlinkat(dirfd(d), entry->d_name, 0);
    }
    (void)closedir(d);
}

static bool write_beside(const char *path, rift_bytes bytes, rift_err *err)
{
    char name[PATH_MAX];
    const int fd = create_beside(path, name, err);
    if (fd < 0)
        return false;
    bool ok = rift_fd_write_all(fd, bytes, err);
    if (ok && fdatasync(fd) != 0)
        ok = fail_errno(err, "sync");
    if (close(fd) != 0 && ok)
        ok = fail_errno(err, "close");
    if (ok && rename(name, path) != 0)
        ok = fail_errno(err, "rename");
    if (!ok)
        (void)unlink(name);
    return ok;
}

bool rift_file_write_atomic(const char *path, rift_bytes bytes, rift_err *err)
{
    rift_err_in(err, rift_str_c(path));
    if (strcmp(path, "-") == 0)
        return rift_fd_write_all(STDOUT_FILENO, bytes, err);
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return rift_fail(err, RIFT_ERR_IO, "write", RIFT_NO_OFFSET, "is a folder, not a file");
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return write_in_place(path, bytes, err);
    return write_beside(path, bytes, err);
}

/* The descriptor travels in the pointer, so that a source needs no memory of its own. */
static bool read_at(void *user, uint64_t offset, void *dst, size_t len, rift_err *err)
{
    const int fd = (int)(intptr_t)user;
    for (size_t at = 0; at < len;) {
        const ssize_t n = pread(fd, (uint8_t *)dst + at, len - at, (off_t)(offset + at));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail_errno(err, "read");
        if (n == 0) {
            return rift_fail(err, RIFT_ERR_IO, "read", offset + at,
                             "the file ends here although it was larger");
        }
        at += (size_t)n;
    }
    return true;
}

rift_source rift_file_source(int fd, uint64_t size)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): never followed, read_at turns it back */
    return (rift_source){.user = (void *)(intptr_t)fd, .size = size, .read_at = read_at};
}

void rift_files_raise_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}
