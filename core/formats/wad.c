#include "formats/wad.h"

#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/reader.h"
#include "base/str.h"
#include "hash/hash.h"

/* Layout by major version: where the table's place, entry size and count stand. Version 3 fixes the first two. */
enum {
    HEADER_MAX = 272,
    ENTRY_SIZE_V1 = 24,
    ENTRY_SIZE = 32,
    V1_TABLE_FIELDS = 4,
    V1_HEADER = 12,
    V2_TABLE_FIELDS = 96,
    V2_HEADER = 104,
    V3_COUNT = 268,
    LAST_KNOWN_MINOR = 4,
    CHUNK_RECORD = 16,
    BATCH_SIZE = 64 * 1024 /* of table bytes held at a time */
};

static const char in_header[] = "header";
static const char in_table[] = "table of contents";
static const char in_chunk_table[] = "sub-chunk table";

typedef struct table_place {
    uint64_t offset;
    size_t entry_size;
    size_t count;
    uint64_t count_offset; /* for errors */
} table_place;

/* Versions 1 and 2 say where the table is and how large an entry; fields added at an entry's end are skipped. */
static bool read_place(rift_reader *r, size_t fields, size_t header, size_t least_entry, table_place *place)
{
    if (!rift_rd_seek(r, fields))
        return false;
    place->offset = rift_rd_u16(r);
    place->entry_size = rift_rd_u16(r);
    place->count_offset = rift_rd_offset(r);
    place->count = rift_rd_u32(r);
    if (!rift_rd_ok(r))
        return false;
    if (place->offset < header) {
        return rift_rd_fail(r, RIFT_ERR_FORMAT, fields, "table at %llu lies in the header of %zu bytes",
                            (unsigned long long)place->offset, header);
    }
    if (place->entry_size < least_entry) {
        return rift_rd_fail(r, RIFT_ERR_FORMAT, fields + 2, "entry size %zu is below %zu", place->entry_size,
                            least_entry);
    }
    return true;
}

static bool read_place_v3(rift_reader *r, table_place *place)
{
    if (!rift_rd_seek(r, V3_COUNT))
        return false;
    const int32_t count = rift_rd_i32(r);
    if (!rift_rd_ok(r))
        return false;
    if (count < 0)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, V3_COUNT, "entry count %d is negative", (int)count);
    *place = (table_place){HEADER_MAX, ENTRY_SIZE, (size_t)count, V3_COUNT};
    return true;
}

static rift_wad_checksum checksum_kind(uint8_t major, uint8_t minor)
{
    if (major == 1)
        return RIFT_WAD_SUM_NONE;
    return major == 2 || minor == 0 ? RIFT_WAD_SUM_SHA256 : RIFT_WAD_SUM_XXH3;
}

static bool read_header(rift_wad *wad, table_place *place, rift_err *err)
{
    uint8_t bytes[HEADER_MAX];
    const size_t size = wad->source.size < sizeof bytes ? (size_t)wad->source.size : sizeof bytes;
    if (!rift_source_read(&wad->source, 0, bytes, size, in_header, err))
        return false;
    rift_reader r = rift_rd_init((rift_bytes){bytes, size}, in_header, err);
    const rift_bytes magic = rift_rd_bytes(&r, 2);
    if (rift_rd_ok(&r) && memcmp(magic.data, "RW", 2) != 0) {
        return rift_rd_fail(&r, RIFT_ERR_FORMAT, 0, "magic %02x %02x is not \"RW\"", magic.data[0],
                            magic.data[1]);
    }
    wad->major = rift_rd_u8(&r);
    wad->minor = rift_rd_u8(&r);
    if (!rift_rd_ok(&r))
        return false;
    if (wad->major < 1 || wad->major > 3) {
        return rift_rd_fail(&r, RIFT_ERR_UNSUPPORTED, 2, "archive version %u.%u, not 1 to 3", wad->major,
                            wad->minor);
    }
    wad->checksum_kind = checksum_kind(wad->major, wad->minor);
    if (wad->major == 1)
        return read_place(&r, V1_TABLE_FIELDS, V1_HEADER, ENTRY_SIZE_V1, place);
    if (wad->major == 2)
        return read_place(&r, V2_TABLE_FIELDS, V2_HEADER, ENTRY_SIZE, place);
    return read_place_v3(&r, place);
}

/* Both factors are small (32 and 16 bits), so the product fits. */
static bool check_place(const rift_wad *wad, const table_place *place, rift_err *err)
{
    if (place->count > RIFT_WAD_MAX_ENTRIES) {
        return rift_fail(err, RIFT_ERR_LIMIT, in_header, place->count_offset, "entry count %zu is over %u",
                         place->count, RIFT_WAD_MAX_ENTRIES);
    }
    const uint64_t end = place->offset + (uint64_t)place->count * place->entry_size;
    if (end > wad->source.size) {
        return rift_fail(err, RIFT_ERR_TRUNCATED, in_header, place->count_offset,
                         "table of %zu entries ends at %llu, the file at %llu", place->count,
                         (unsigned long long)end, (unsigned long long)wad->source.size);
    }
    return true;
}

static void read_entry_v1(rift_reader *r, rift_wad_entry *e)
{
    e->path_hash = rift_rd_u64(r);
    e->offset = rift_rd_u32(r);
    e->stored_size = rift_rd_u32(r);
    e->size = rift_rd_u32(r);
    e->storage = (uint8_t)(rift_rd_u32(r) & 15);
}

static void read_entry(rift_reader *r, const rift_wad *wad, rift_wad_entry *e)
{
    e->path_hash = rift_rd_u64(r);
    e->offset = rift_rd_u32(r);
    e->stored_size = rift_rd_u32(r);
    e->size = rift_rd_u32(r);
    const uint8_t storage = rift_rd_u8(r);
    e->storage = storage & 15;
    e->chunk_count = storage >> 4;
    const uint8_t high_or_duplicate = rift_rd_u8(r);
    e->first_chunk = rift_rd_u16(r);
    if (wad->major == 3 && wad->minor >= 4)
        e->first_chunk |= (uint32_t)high_or_duplicate << 16;
    e->checksum = rift_rd_u64(r);
}

/* Reads `count` entries whose table bytes are in `bytes`. */
static bool
read_batch(rift_wad *wad, rift_bytes bytes, uint64_t offset, size_t entry_size, size_t first, rift_err *err)
{
    rift_reader r = rift_rd_init(bytes, in_table, err);
    r.base = offset;
    for (size_t i = 0; i < bytes.size / entry_size; i++) {
        rift_reader one = rift_rd_sub(&r, entry_size, in_table);
        rift_wad_entry *e = &wad->entries[first + i];
        if (wad->major == 1) {
            read_entry_v1(&one, e);
        } else {
            read_entry(&one, wad, e);
        }
        e->record = one.base;
        e->outside = (uint64_t)e->offset + e->stored_size > wad->source.size;
    }
    return rift_rd_ok(&r);
}

static bool read_table(rift_wad *wad, const table_place *place, rift_arena *arena, rift_err *err)
{
    wad->entries = RIFT_NEW(arena, rift_wad_entry, place->count);
    wad->entry_count = place->count;
    if (wad->entries == NULL)
        return rift_arena_ok(arena, in_table, err);
    const rift_arena_mark mark = rift_arena_get_mark(arena);
    const size_t per_batch = rift_max_size(BATCH_SIZE / place->entry_size, 1);
    uint8_t *bytes = rift_arena_push(arena, rift_min_size(per_batch, place->count), place->entry_size, 16);
    if (bytes == NULL)
        return rift_arena_ok(arena, in_table, err);
    for (size_t first = 0; first < place->count; first += per_batch) {
        const size_t size = rift_min_size(per_batch, place->count - first) * place->entry_size;
        const uint64_t at = place->offset + (uint64_t)first * place->entry_size;
        if (!rift_source_read(&wad->source, at, bytes, size, in_table, err) ||
            !read_batch(wad, (rift_bytes){bytes, size}, at, place->entry_size, first, err))
            return false;
    }
    rift_arena_rewind(arena, mark);
    return true;
}

static bool index_entries(rift_wad *wad, rift_arena *arena, rift_err *err)
{
    rift_map_init(&wad->by_hash, arena, wad->entry_count);
    for (size_t i = 0; i < wad->entry_count; i++)
        (void)rift_map_add(&wad->by_hash, wad->entries[i].path_hash, (uint32_t)i);
    return rift_arena_ok(arena, in_table, err);
}

uint64_t rift_wad_chunk_table_hash(rift_str path)
{
    static const char suffix[] = ".subchunktoc";
    char name[RIFT_WAD_MAX_PATH + sizeof suffix];
    if (path.size > RIFT_WAD_MAX_PATH)
        return 0;
    if (rift_str_ends_nocase(path, RIFT_STR(".client")))
        path.size -= sizeof ".client" - 1;
    if (path.size > 0)
        memcpy(name, path.data, path.size);
    memcpy(name + path.size, suffix, sizeof suffix - 1);
    return rift_path_hash((rift_str){name, path.size + sizeof suffix - 1});
}

/* The table's entry. A file given alone says nothing of its folder, so the known ones are tried; a longer path may
 * start above the game folder. */
static const rift_wad_entry *find_chunk_table(const rift_wad *wad, rift_str path)
{
    static const char *const folders[] = {"data/final/champions/", "data/final/maps/shipping/", "data/final/",
                                          "data/final/localized/"};
    const rift_wad_entry *found = rift_wad_lookup(wad, rift_wad_chunk_table_hash(path));
    for (size_t i = 1; found == NULL && i < path.size; i++) {
        const rift_str tail = {path.data + i, path.size - i};
        if ((path.data[i - 1] == '/' || path.data[i - 1] == '\\') &&
            rift_str_starts_nocase(tail, RIFT_STR("data")))
            found = rift_wad_lookup(wad, rift_wad_chunk_table_hash(tail));
    }
    const rift_str base = rift_str_base(path);
    for (size_t i = 0; found == NULL && base.size > 0 && i < RIFT_COUNT(folders); i++) {
        char full[RIFT_WAD_MAX_PATH];
        const rift_str folder = rift_str_c(folders[i]);
        if (base.size > sizeof full - folder.size)
            break;
        memcpy(full, folder.data, folder.size);
        memcpy(full + folder.size, base.data, base.size);
        found = rift_wad_lookup(wad, rift_wad_chunk_table_hash((rift_str){full, folder.size + base.size}));
    }
    return found;
}

static bool check_chunk_table(const rift_wad_entry *e, rift_err *err)
{
    if (e->storage == RIFT_WAD_ZSTD_CHUNKED)
        return rift_fail(err, RIFT_ERR_FORMAT, in_chunk_table, e->offset, "is itself made of sub-chunks");
    if (e->size % CHUNK_RECORD != 0) {
        return rift_fail(err, RIFT_ERR_FORMAT, in_chunk_table, e->offset,
                         "%u bytes are not whole records of %d", e->size, CHUNK_RECORD);
    }
    if (e->size / CHUNK_RECORD > RIFT_WAD_MAX_CHUNKS) {
        return rift_fail(err, RIFT_ERR_LIMIT, in_chunk_table, e->offset, "%u records are over %u",
                         e->size / CHUNK_RECORD, RIFT_WAD_MAX_CHUNKS);
    }
    return true;
}

/* Into wad->chunks. The packed table is dropped again. */
static bool parse_chunk_table(rift_wad *wad, const rift_wad_entry *e, rift_arena *arena, rift_err *err)
{
    if (!check_chunk_table(e, err))
        return false;
    const size_t count = e->size / CHUNK_RECORD;
    rift_wad_chunk *chunks = RIFT_NEW(arena, rift_wad_chunk, count);
    const rift_arena_mark mark = rift_arena_get_mark(arena);
    rift_bytes bytes;
    if (!rift_arena_ok(arena, in_chunk_table, err) || !rift_wad_read(wad, e, arena, &bytes, err))
        return false;
    rift_reader r = rift_rd_init(bytes, in_chunk_table, err);
    for (size_t i = 0; i < count; i++) {
        chunks[i].stored_size = rift_rd_u32(&r);
        chunks[i].size = rift_rd_u32(&r);
        chunks[i].checksum = rift_rd_u64(&r);
    }
    rift_arena_rewind(arena, mark);
    if (!rift_rd_ok(&r))
        return false;
    wad->chunks = chunks;
    wad->chunk_count = count;
    return true;
}

/* A table that cannot be used is done without, unless the fault is ours or the disk's. */
static bool
read_chunk_table(rift_wad *wad, rift_str path, rift_arena *arena, rift_report *report, rift_err *err)
{
    const rift_wad_entry *e = find_chunk_table(wad, path);
    if (e == NULL)
        return true;
    rift_err why;
    rift_err_in(&why, rift_str_c(err->file));
    if (parse_chunk_table(wad, e, arena, &why))
        return true;
    if (arena->failed != RIFT_OK || why.code == RIFT_ERR_NOMEM || why.code == RIFT_ERR_IO)
        return rift_fail(err, why.code, why.where, why.offset, "%s", why.text);
    rift_report_err(report, "wad_chunk_table_unreadable", &why);
    return true;
}

static void report_oddities(const rift_wad *wad, rift_str path, rift_report *report)
{
    if (wad->major == 3 && wad->minor > LAST_KNOWN_MINOR) {
        rift_report_add(report, "wad_minor_unknown", "%.*s: version 3.%u is read as 3.%d", RIFT_STR_ARG(path),
                        wad->minor, LAST_KNOWN_MINOR);
    }
    for (size_t i = 0; i < wad->entry_count; i++) {
        const rift_wad_entry *e = &wad->entries[i];
        if (e->outside) {
            rift_report_add(report, "wad_entry_outside",
                            "%.*s: entry %016llx: %u bytes at %u, the file has %llu", RIFT_STR_ARG(path),
                            (unsigned long long)e->path_hash, e->stored_size, e->offset,
                            (unsigned long long)wad->source.size);
        }
    }
}

bool rift_wad_open(
    rift_wad *out, rift_source source, rift_str path, rift_arena *arena, rift_report *report, rift_err *err)
{
    rift_wad wad = {.source = source};
    table_place place;
    if (!read_header(&wad, &place, err) || !check_place(&wad, &place, err) ||
        !read_table(&wad, &place, arena, err) || !index_entries(&wad, arena, err) ||
        !read_chunk_table(&wad, path, arena, report, err))
        return false;
    report_oddities(&wad, path, report);
    *out = wad;
    return true;
}

bool rift_wad_table_end(uint64_t *out, const rift_source *source, rift_err *err)
{
    rift_wad wad = {.source = *source};
    table_place place;
    if (!read_header(&wad, &place, err) || !check_place(&wad, &place, err))
        return false;
    *out = place.offset + (uint64_t)place.count * place.entry_size;
    return true;
}

const rift_wad_entry *rift_wad_lookup(const rift_wad *wad, uint64_t path_hash)
{
    const uint32_t i = rift_map_lookup(&wad->by_hash, path_hash);
    return i != RIFT_MAP_NONE ? &wad->entries[i] : NULL;
}

uint64_t rift_wad_checksum_of(rift_wad_checksum kind, rift_bytes stored)
{
    uint64_t head = 0;
    switch (kind) {
    case RIFT_WAD_SUM_NONE:
        break;
    case RIFT_WAD_SUM_SHA256: {
        const rift_sha256 sha = rift_sha256_of(stored);
        for (size_t i = 8; i-- > 0;)
            head = head << 8 | sha.bytes[i];
        break;
    }
    case RIFT_WAD_SUM_XXH3:
        head = rift_xxh3(stored);
        break;
    }
    return head;
}

bool rift_wad_digest(rift_sha256 *out, const rift_wad *wad, rift_arena *tmp, rift_err *err)
{
    const rift_arena_mark mark = rift_arena_get_mark(tmp);
    rift_buf b;
    rift_buf_init(&b, tmp, SIZE_MAX / 2);
    rift_buf_u8(&b, wad->major);
    rift_buf_u8(&b, wad->minor);
    rift_buf_u8(&b, (uint8_t)wad->checksum_kind);
    for (size_t i = 0; i < wad->entry_count; i++) {
        const rift_wad_entry *e = &wad->entries[i];
        rift_buf_u64(&b, e->path_hash);
        rift_buf_u64(&b, e->checksum);
        rift_buf_u32(&b, e->size);
        rift_buf_u8(&b, (uint8_t)(e->storage | (e->outside ? 0x80 : 0)));
        /* Version 1 has no checksum: where the data lies is the best there is. */
        if (wad->checksum_kind == RIFT_WAD_SUM_NONE) {
            rift_buf_u32(&b, e->offset);
            rift_buf_u32(&b, e->stored_size);
        }
    }
    if (!rift_buf_ok(&b, "digest", err))
        return false;
    *out = rift_sha256_of(rift_buf_bytes(&b));
    rift_arena_rewind(tmp, mark);
    return true;
}
