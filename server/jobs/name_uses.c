#include "jobs/name_uses.h"

#include "hash/hash.h"

/* A path of the game and its name have one hash, and so may hashes of two tables. */
static const uint64_t apart[RIFT_NAME_TABLE_COUNT] = {
    UINT64_C(0x9e3779b97f4a7c15), UINT64_C(1) << 32, UINT64_C(2) << 32, UINT64_C(3) << 32, UINT64_C(4) << 32};

static rift_asset_use use_of(rift_name_table table, uint64_t hash, bool found, rift_str name)
{
    const uint64_t sum = rift_xxh3((rift_bytes){(const uint8_t *)name.data, name.size});
    return (rift_asset_use){.path_hash = hash ^ apart[table],
                            .checksum = !found    ? 0
                                        : sum > 0 ? sum
                                                  : 1,
                            .checksum_kind = (uint8_t)(RIFT_NAME_USE + table),
                            .found = found};
}

static bool lookup(void *user, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out)
{
    rift_name_log *log = user;
    rift_str name = {0};
    const bool found =
        log->tables != NULL && log->tables->lookup(log->tables->user, table, hash, arena, &name);
    const rift_asset_use use = use_of(table, hash, found, name);
    rift_asset_log_add(&log->uses, &use);
    if (found)
        *out = name;
    return found;
}

rift_names rift_name_log_names(rift_name_log *log)
{
    return (rift_names){.user = log, .lookup = lookup};
}

bool rift_is_name_use(const rift_asset_use *use)
{
    return use->checksum_kind >= RIFT_NAME_USE && use->checksum_kind < RIFT_NAME_USE + RIFT_NAME_TABLE_COUNT;
}

rift_asset_use rift_name_use(const rift_asset_use *then, const rift_names *tables, rift_arena *tmp)
{
    const rift_name_table table = (rift_name_table)(then->checksum_kind - RIFT_NAME_USE);
    const uint64_t hash = then->path_hash ^ apart[table];
    rift_str name = {0};
    const bool found = tables != NULL && tables->lookup(tables->user, table, hash, tmp, &name);
    return use_of(table, hash, found, name);
}
