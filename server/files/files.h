/* files.h - whole files in and out, for the command line and the daemon.
 *
 * Shape   "-" is standard input or output. Reads follow symbolic links; only regular files, pipes and terminals are read.
 * Errors  NOT_FOUND (no such file), IO (the system's text), LIMIT (past `max`), NOMEM; err->file is the path.
 * Thread  any. */
#ifndef RIFT_FILES_FILES_H
#define RIFT_FILES_FILES_H

#include "base/arena.h"
#include "base/source.h"

/* Fails with the system's text for `code`, an errno: NOT_FOUND for what is not there, else IO. */
bool rift_fail_errno(rift_err *err, const char *doing, int code);

/* The whole file, at most `max` bytes, in arena. */
RIFT_NODISCARD bool
rift_file_read(const char *path, size_t max, rift_arena *arena, rift_bytes *out, rift_err *err);

/* Writes beside the target and renames over it, synced: whoever opens `path` sees the old bytes or all the new ones.
 * A target that exists and is no regular file (/dev/null, a pipe) is written in place. */
RIFT_NODISCARD bool rift_file_write_atomic(const char *path, rift_bytes bytes, rift_err *err);

/* Removes what writers of the file `name` in `dir` left behind when they were killed. Nobody may be writing it. */
void rift_file_clear_left(const char *dir, const char *name);

/* A source over an open descriptor, which stays the caller's and must outlive it. `size` bytes are readable. */
rift_source rift_file_source(int fd, uint64_t size);

/* All bytes to a descriptor, however the system splits them. */
RIFT_NODISCARD bool rift_fd_write_all(int fd, rift_bytes bytes, rift_err *err);

/* Raises the soft limit of open files to the hard one: a game folder is some hundred archives, all kept open. */
void rift_files_raise_limit(void);

#endif
