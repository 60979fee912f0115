/* Any bytes as a pack of names: lookups of the hashes it has, of their neighbours and of any stay inside it. */
#include <string.h>

#include "fuzz_check.h"
#include "hash/pack.h"

static void look_up(const rift_pack *pack, rift_name_table table, uint64_t hash, rift_arena *arena)
{
    rift_str name = {0};
    const rift_arena_mark mark = rift_arena_get_mark(arena);
    const bool found = rift_pack_lookup(pack, table, hash, arena, &name);
    fuzz_require(found || name.size == 0);
    fuzz_require(name.size <= RIFT_PACK_MAX_NAME);
    rift_arena_rewind(arena, mark);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 200 };
    fuzz_job job;
    rift_pack pack;
    fuzz_begin(&job);
    const bool ok = rift_pack_open(&pack, (rift_bytes){data, size}, &job.err);
    fuzz_check_result(ok, &job.err, size);
    for (int t = 0; ok && t < RIFT_NAME_TABLE_COUNT; t++) {
        const size_t key = pack.tables[t].key_size;
        for (size_t i = 0; i < pack.tables[t].count && i < MOST; i++) {
            uint64_t hash = 0;
            memcpy(&hash, pack.tables[t].keys.data + i * key, key);
            look_up(&pack, (rift_name_table)t, hash, &job.arena);
            look_up(&pack, (rift_name_table)t, hash + 1, &job.arena);
        }
        look_up(&pack, (rift_name_table)t, 0, &job.arena);
        look_up(&pack, (rift_name_table)t, UINT64_MAX, &job.arena);
    }
    rift_arena_release(&job.arena);
    return 0;
}
