/* blob.h - content-addressed files: blobs/ab/cd/<sha256>.
 *
 * Shape   a file has no name before all its bytes are on disk (O_TMPFILE, write, fdatasync, linkat), so a crash leaves nothing behind
 *         and nobody ever sees a part. A second put of the same content finds it there and is done.
 * Errors  NOT_FOUND (open), IO, NOMEM.
 * Thread  any number of threads on one store. */
#ifndef RIFT_BLOB_BLOB_H
#define RIFT_BLOB_BLOB_H

#include "base/err.h"
#include "hash/hash.h"

typedef struct rift_blobs {
    int dir; /* descriptor of the blob folder */
} rift_blobs;

/* Makes the folder when it is missing. */
RIFT_NODISCARD bool rift_blobs_open(rift_blobs *out, const char *path, rift_err *err);
void rift_blobs_close(rift_blobs *blobs);

RIFT_NODISCARD bool
rift_blob_put(const rift_blobs *blobs, const rift_sha256 *sha256, rift_bytes bytes, rift_err *err);
/* A descriptor for reading, the caller's to close. IO when the size is another than `size`. */
RIFT_NODISCARD bool
rift_blob_open(const rift_blobs *blobs, const rift_sha256 *sha256, uint64_t size, int *fd, rift_err *err);

#endif
