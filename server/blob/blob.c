#include "blob/blob.h"

void rift_blobs_close(rift_blobs *blobs)
{
    if (blobs != NULL)
        blobs->ops->close(blobs);
}

bool rift_blob_put(rift_blobs *blobs, const rift_sha256 *sha256, rift_bytes bytes, rift_err *err)
{
    return blobs->ops->put(blobs, sha256, bytes, err);
}

bool rift_blob_open(rift_blobs *blobs, const rift_sha256 *sha256, uint64_t size, int *fd, rift_err *err)
{
    return blobs->ops->open(blobs, sha256, size, fd, err);
}

bool rift_blob_remove(
    rift_blobs *blobs, const rift_sha256 *sha256, int64_t before_ms, bool *removed, rift_err *err)
{
    return blobs->ops->remove(blobs, sha256, before_ms, removed, err);
}

bool rift_blob_quarantine(rift_blobs *blobs, const rift_sha256 *sha256, rift_err *err)
{
    return blobs->ops->quarantine(blobs, sha256, err);
}

bool rift_blob_names(
    rift_blobs *blobs, uint8_t first, rift_sha256 **out, size_t *count, rift_arena *arena, rift_err *err)
{
    return blobs->ops->names(blobs, first, out, count, arena, err);
}
