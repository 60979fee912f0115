#include "base/source.h"

#include <string.h>

bool rift_source_read(
    const rift_source *source, uint64_t offset, void *dst, size_t len, const char *where, rift_err *err)
{
    if (len > source->size || offset > source->size - len) {
        return rift_fail(err, RIFT_ERR_TRUNCATED, where, offset, "%zu bytes needed, the file ends at %llu",
                         len, (unsigned long long)source->size);
    }
    return len == 0 || source->read_at(source->user, offset, dst, len, err);
}

static bool read_memory(void *user, uint64_t offset, void *dst, size_t len, rift_err *err)
{
    const rift_bytes *bytes = user;
    if (len > bytes->size || offset > bytes->size - len)
        return rift_fail(err, RIFT_ERR_IO, "memory", offset, "%zu bytes asked of %zu", len, bytes->size);
    memcpy(dst, bytes->data + offset, len);
    return true;
}

rift_source rift_source_from_bytes(rift_bytes *bytes)
{
    return (rift_source){.user = bytes, .size = bytes->size, .read_at = read_memory};
}
