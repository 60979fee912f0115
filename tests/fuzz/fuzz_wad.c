/* Any bytes as an archive: open it, read the first entries, packed and unpacked. */
#include <stddef.h>
#include <stdint.h>

#include "base/source.h"
#include "formats/wad.h"

/* The sub-chunk table of the seeds is found under this name. */
#define ARCHIVE_PATH RIFT_STR("data/final/champions/lux.wad.client")

enum { OPEN_LIMIT = 32 * 1024 * 1024, READ_LIMIT = 4 * 1024 * 1024, MAX_READS = 32 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(bool ok, const rift_err *err, size_t size)
{
    if (ok != (err->code == RIFT_OK) || err->code == RIFT_ERR_INTERNAL || err->code == RIFT_ERR_IO)
        __builtin_trap();
    if (!ok && err->offset != RIFT_NO_OFFSET && err->offset > size)
        __builtin_trap();
}

static void read_entry(const rift_wad *wad, const rift_wad_entry *e, size_t size)
{
    rift_arena arena;
    rift_arena_init(&arena, READ_LIMIT);
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_bytes out;
    bool ok = rift_wad_read(wad, e, &arena, &out, &err);
    check_error(ok, &err, size);
    if (ok && out.size != e->size)
        __builtin_trap();
    rift_arena_release(&arena);

    rift_arena_init(&arena, READ_LIMIT);
    rift_err_in(&err, (rift_str){0});
    ok = rift_wad_read_stored(wad, e, &arena, &out, &err);
    check_error(ok, &err, size);
    if (ok == e->outside)
        __builtin_trap();
    rift_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rift_arena arena;
    rift_arena_init(&arena, OPEN_LIMIT);
    rift_report report;
    rift_report_init(&report, &arena);
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_bytes bytes = {data, size};
    rift_wad wad;
    const bool ok = rift_wad_open(&wad, rift_source_from_bytes(&bytes), ARCHIVE_PATH, &arena, &report, &err);
    check_error(ok, &err, size);
    for (size_t i = 0; ok && i < wad.entry_count && i < MAX_READS; i++) {
        if (rift_wad_lookup(&wad, wad.entries[i].path_hash) == NULL)
            __builtin_trap();
        read_entry(&wad, &wad.entries[i], size);
    }
    rift_arena_release(&arena);
    return 0;
}
