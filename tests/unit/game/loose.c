#include "loose.h"

#include <stdlib.h>

#include "base/str.h"
#include "hash/hash.h"

static void put(loose_files *set, loose_file file)
{
    if (set->count == LOOSE_MAX)
        abort();
    set->files[set->count++] = file;
}

void loose_put(loose_files *set, const char *path, rift_bytes data)
{
    put(set, (loose_file){.path_hash = rift_path_hash(rift_str_c(path)), .data = data});
}

void loose_put_failing(loose_files *set, const char *path, rift_status code)
{
    put(set, (loose_file){.path_hash = rift_path_hash(rift_str_c(path)), .fails = code});
}

static bool read_file(void *user,
                      const rift_asset_path *path,
                      rift_arena *arena,
                      rift_bytes *out,
                      rift_asset_use *use,
                      rift_err *err)
{
    loose_files *set = user;
    set->reads++;
    *use = (rift_asset_use){.path_hash = path->hash};
    for (size_t i = 0; i < set->count; i++) {
        const loose_file *file = &set->files[i];
        if (file->path_hash != path->hash)
            continue;
        if (file->fails != RIFT_OK)
            return rift_fail(err, file->fails, "test", RIFT_NO_OFFSET, "told to fail");
        use->found = true;
        use->checksum = path->hash + 1;
        *out = rift_arena_copy_bytes(arena, file->data);
        return rift_arena_ok(arena, "test", err);
    }
    return rift_fail(err, RIFT_ERR_NOT_FOUND, "test", RIFT_NO_OFFSET, "no such file");
}

rift_assets loose_assets(loose_files *set)
{
    return (rift_assets){.user = set, .read = read_file};
}
