#include <stdlib.h>

#include "bake/bake.h"

static int by_hash(const void *a, const void *b)
{
    const uint64_t x = ((const rift_asset_use *)a)->path_hash;
    const uint64_t y = ((const rift_asset_use *)b)->path_hash;
    return (x > y) - (x < y);
}

bool rift_fingerprint(rift_sha256 *out,
                      rift_str skin,
                      const rift_options *options,
                      const rift_asset_log *uses,
                      rift_arena *tmp,
                      rift_err *err)
{
    rift_asset_use *sorted = RIFT_NEW(tmp, rift_asset_use, uses->count);
    rift_buf buf;
    rift_buf_init(&buf, tmp, SIZE_MAX);
    rift_buf_printf(&buf, "riftbake %s, files and names\n%.*s\n", RIFT_VERSION, RIFT_STR_ARG(skin));
    rift_buf_str(&buf, rift_options_text(options, tmp));
    rift_buf_u8(&buf, '\n');
    if (sorted == NULL)
        return rift_arena_ok(tmp, "fingerprint", err);
    for (size_t i = 0; i < uses->count; i++)
        sorted[i] = uses->uses[i];
    qsort(sorted, uses->count, sizeof *sorted, by_hash);
    for (size_t i = 0; i < uses->count; i++) {
        rift_buf_u64(&buf, sorted[i].path_hash);
        rift_buf_u64(&buf, sorted[i].checksum);
        rift_buf_u8(&buf, sorted[i].checksum_kind);
        rift_buf_u8(&buf, sorted[i].found);
    }
    if (!rift_buf_ok(&buf, "fingerprint", err))
        return false;
    *out = rift_sha256_of(rift_buf_bytes(&buf));
    return true;
}
