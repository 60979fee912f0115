#include "blob/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "files/files.h"

typedef struct blob_path {
    char folder[6]; /* "ab/cd" */
    char name[72];  /* "ab/cd/<64 digits>" */
} blob_path;

static blob_path path_of(const rift_sha256 *sha256)
{
    char hex[65];
    rift_sha256_hex(sha256, hex);
    blob_path path;
    (void)snprintf(path.folder, sizeof path.folder, "%.2s/%.2s", hex, hex + 2);
    (void)snprintf(path.name, sizeof path.name, "%s/%s", path.folder, hex);
    return path;
}

static bool fail_errno(rift_err *err, const char *doing)
{
    char text[128];
    const int code = errno;
    return rift_fail(err, code == ENOENT ? RIFT_ERR_NOT_FOUND : RIFT_ERR_IO, doing, RIFT_NO_OFFSET, "%s",
                     strerror_r(code, text, sizeof text));
}

bool rift_blobs_open(rift_blobs *out, const char *path, rift_err *err)
{
    rift_err_in(err, rift_str_c(path));
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return fail_errno(err, "make folder");
    const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return fail_errno(err, "open folder");
    out->dir = dir;
    return true;
}

void rift_blobs_close(rift_blobs *blobs)
{
    if (blobs->dir > 0)
        (void)close(blobs->dir);
    blobs->dir = 0;
}

static bool make_folders(const rift_blobs *blobs, const blob_path *path, rift_err *err)
{
    const char first[3] = {path->folder[0], path->folder[1], '\0'};
    if (mkdirat(blobs->dir, first, 0777) != 0 && errno != EEXIST)
        return fail_errno(err, "make folder");
    if (mkdirat(blobs->dir, path->folder, 0777) != 0 && errno != EEXIST)
        return fail_errno(err, "make folder");
    return true;
}

/* The name must outlive a power cut too, since the row that mentions it does. */
static bool sync_folder(const rift_blobs *blobs, const blob_path *path, rift_err *err)
{
    const int dir = openat(blobs->dir, path->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool ok = (dir >= 0 && fsync(dir) == 0) || fail_errno(err, "sync folder");
    if (dir >= 0)
        (void)close(dir);
    return ok;
}

static bool link_in(const rift_blobs *blobs, int fd, const blob_path *path, rift_err *err)
{
    char self[64];
    (void)snprintf(self, sizeof self, "/proc/self/fd/%d", fd);
    if (linkat(AT_FDCWD, self, blobs->dir, path->name, AT_SYMLINK_FOLLOW) == 0)
        return sync_folder(blobs, path, err);
    return errno == EEXIST || fail_errno(err, "link");
}

bool rift_blob_put(const rift_blobs *blobs, const rift_sha256 *sha256, rift_bytes bytes, rift_err *err)
{
    const blob_path path = path_of(sha256);
    rift_err_in(err, rift_str_c(path.name));
    struct stat st;
    const bool exists = fstatat(blobs->dir, path.name, &st, 0) == 0;
    if (exists && (uint64_t)st.st_size == bytes.size)
        return true;
    /* Names are given to whole files only, so another size is damage that came later. */
    if (exists && unlinkat(blobs->dir, path.name, 0) != 0 && errno != ENOENT)
        return fail_errno(err, "replace");
    if (!make_folders(blobs, &path, err))
        return false;
    const int fd = openat(blobs->dir, path.folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
    if (fd < 0)
        return fail_errno(err, "create");
    bool ok = rift_fd_write_all(fd, bytes, err);
    if (ok && fdatasync(fd) != 0)
        ok = fail_errno(err, "sync");
    ok = ok && link_in(blobs, fd, &path, err);
    (void)close(fd);
    return ok;
}

bool rift_blob_open(const rift_blobs *blobs, const rift_sha256 *sha256, uint64_t size, int *fd, rift_err *err)
{
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
