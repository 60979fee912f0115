/* blob.h - bytes by their content's name: the interface behind which a folder stands (blob_files.h), or a store over the network.
 *
 * Shape   a blob is complete or absent, and never changes. Putting the same content again is done at once. Names and sizes are the catalogue's (store.h); what is here
 *         without a row there is an orphan.
 * Errors  NOT_FOUND (open), LIMIT (put: the disk is full), IO, NOMEM.
 * Thread  any number of threads on one store. */
#ifndef RIFT_BLOB_BLOB_H
#define RIFT_BLOB_BLOB_H

#include "base/arena.h"
#include "base/err.h"
#include "hash/hash.h"

typedef struct rift_blob_ops rift_blob_ops;
typedef struct rift_blobs {
    const rift_blob_ops *ops;
} rift_blobs;

void rift_blobs_close(rift_blobs *blobs); /* may be NULL */

RIFT_NODISCARD bool
rift_blob_put(rift_blobs *blobs, const rift_sha256 *sha256, rift_bytes bytes, rift_err *err);
/* A descriptor for reading, the caller's to close; what is removed meanwhile is read to its end. IO when the size is another than `size`. */
RIFT_NODISCARD bool
rift_blob_open(rift_blobs *blobs, const rift_sha256 *sha256, uint64_t size, int *fd, rift_err *err);
/* Removes it, unless it was put (also: put again) after `before_ms`, milliseconds since 1970: somebody is about to write its row. What is not there is removed. */
RIFT_NODISCARD bool rift_blob_remove(
    rift_blobs *blobs, const rift_sha256 *sha256, int64_t before_ms, bool *removed, rift_err *err);
/* Takes damaged bytes out of the way, where people find them. */
RIFT_NODISCARD bool rift_blob_quarantine(rift_blobs *blobs, const rift_sha256 *sha256, rift_err *err);
/* The names that begin with this byte, in any order. */
RIFT_NODISCARD bool rift_blob_names(
    rift_blobs *blobs, uint8_t first, rift_sha256 **out, size_t *count, rift_arena *arena, rift_err *err);

/* Each member does what the function rift_blob_<member> says. */
struct rift_blob_ops {
    void (*close)(rift_blobs *);
    bool (*put)(rift_blobs *, const rift_sha256 *, rift_bytes, rift_err *);
    bool (*open)(rift_blobs *, const rift_sha256 *, uint64_t, int *, rift_err *);
    bool (*remove)(rift_blobs *, const rift_sha256 *, int64_t, bool *, rift_err *);
    bool (*quarantine)(rift_blobs *, const rift_sha256 *, rift_err *);
    bool (*names)(rift_blobs *, uint8_t, rift_sha256 **, size_t *, rift_arena *, rift_err *);
};

#endif
