#include "formats/wad_write.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "compress/compress.h"
#include "hash/hash.h"

enum { MAX_CHUNKS_PER_ENTRY = 15, DEFAULT_ZSTD_LEVEL = 3, ECDSA_FIELD = 84, RSA_FIELD = 256 };

static const char in_archive[] = "archive";

typedef struct writer {
    const rift_wad_write_opts *opts;
    rift_arena *arena;
    rift_err *err;
    rift_buf data;   /* everything behind the table */
    rift_buf chunks; /* records of the sub-chunk table */
    uint64_t data_offset;
    rift_wad_checksum checksum_kind;
    rift_wad_entry *entries;
    bool *shared; /* entries[i] lies in an earlier one's bytes */
    size_t entry_count;
    rift_map by_content; /* -> index into items */
} writer;

static bool refuse(writer *w, rift_status code, const char *what, uint64_t n)
{
    return rift_fail(w->err, code, in_archive, RIFT_NO_OFFSET, "%s: %llu", what, (unsigned long long)n);
}

static bool pack_zstd(writer *w, rift_bytes data, rift_bytes *out)
{
    const int level = w->opts->zstd_level != 0 ? w->opts->zstd_level : DEFAULT_ZSTD_LEVEL;
    return rift_zstd(out, data, level, w->arena, w->err);
}

static void put_chunk(writer *w, rift_bytes stored, size_t size)
{
    rift_buf_u32(&w->chunks, (uint32_t)stored.size);
    rift_buf_u32(&w->chunks, (uint32_t)size);
    rift_buf_u64(&w->chunks, rift_xxh3(stored));
    rift_buf_put(&w->data, stored.data, stored.size);
}

/* A piece whose packed form is no shorter must be raw: equal sizes mean "raw" to the reader. */
static bool put_chunked(writer *w, const rift_wad_item *item, rift_wad_entry *e)
{
    const size_t count = item->chunk_count;
    if (w->opts->major < 3)
        return refuse(w, RIFT_ERR_ARGUMENT, "sub-chunks need version 3, not", w->opts->major);
    if (count < 1 || count > MAX_CHUNKS_PER_ENTRY)
        return refuse(w, RIFT_ERR_ARGUMENT, "sub-chunks of one entry are not 1 to 15", count);
    const size_t first = w->chunks.size / 16;
    const size_t most = w->opts->minor >= 4 ? 0xffffff : 0xffff;
    if (first > most)
        return refuse(w, RIFT_ERR_LIMIT, "sub-chunk index does not fit the version", first);
    e->first_chunk = (uint32_t)first;
    e->chunk_count = item->chunk_count;
    for (size_t i = 0; i < count; i++) {
        const size_t begin = item->data.size / count * i;
        const size_t end = i + 1 < count ? item->data.size / count * (i + 1) : item->data.size;
        const rift_bytes piece = {begin < end ? item->data.data + begin : NULL, end - begin};
        rift_bytes packed = piece;
        if (i > 0 && !pack_zstd(w, piece, &packed))
            return false;
        put_chunk(w, packed.size < piece.size ? packed : piece, piece.size);
    }
    return true;
}

static void put_redirect(writer *w, const rift_wad_item *item)
{
    rift_buf_u32(&w->data, (uint32_t)item->data.size);
    rift_buf_put(&w->data, item->data.data, item->data.size);
}

static bool put_stored(writer *w, const rift_wad_item *item, rift_wad_entry *e)
{
    rift_bytes packed = item->data;
    switch (item->storage) {
    case RIFT_WAD_RAW:
        break;
    case RIFT_WAD_GZIP:
        if (!rift_gzip(&packed, item->data, w->arena, w->err))
            return false;
        break;
    case RIFT_WAD_REDIRECT:
        put_redirect(w, item);
        return true;
    case RIFT_WAD_ZSTD:
        if (!pack_zstd(w, item->data, &packed))
            return false;
        break;
    case RIFT_WAD_ZSTD_CHUNKED:
        return put_chunked(w, item, e);
    }
    rift_buf_put(&w->data, packed.data, packed.size);
    return true;
}

static bool same_content(const rift_wad_item *a, const rift_wad_item *b)
{
    return a->storage == b->storage && a->chunk_count == b->chunk_count && a->data.size == b->data.size &&
           (a->data.size == 0 || memcmp(a->data.data, b->data.data, a->data.size) == 0);
}

static bool check_fits(writer *w, const rift_wad_item *item)
{
    if (item->storage > RIFT_WAD_ZSTD_CHUNKED)
        return refuse(w, RIFT_ERR_ARGUMENT, "storage is not known", item->storage);
    if (item->data.size > UINT32_MAX)
        return refuse(w, RIFT_ERR_LIMIT, "bytes of one entry are over 4 GiB", item->data.size);
    return true;
}

/* Appends the item's bytes; sizes, place and checksum go into *e. */
static bool put_new(writer *w, const rift_wad_item *item, rift_wad_entry *e)
{
    const size_t start = w->data.size;
    if (!put_stored(w, item, e) || !rift_buf_ok(&w->data, in_archive, w->err) ||
        !rift_buf_ok(&w->chunks, in_archive, w->err))
        return false;
    const rift_bytes stored = {w->data.data != NULL ? w->data.data + start : NULL, w->data.size - start};
    e->offset = (uint32_t)(w->data_offset + start);
    e->stored_size = (uint32_t)stored.size;
    e->size = (uint32_t)(item->storage == RIFT_WAD_REDIRECT ? stored.size : item->data.size);
    e->storage = (uint8_t)item->storage;
    e->checksum = rift_wad_checksum_of(w->checksum_kind, stored);
    return true;
}

static bool put_item(writer *w, const rift_wad_item *items, size_t i)
{
    const rift_wad_item *item = &items[i];
    rift_wad_entry *e = &w->entries[w->entry_count];
    if (!check_fits(w, item))
        return false;
    const uint32_t twin = rift_map_add(&w->by_content, rift_xxh3(item->data) + item->storage, (uint32_t)i);
    if (!rift_arena_ok(w->arena, in_archive, w->err))
        return false;
    if (twin != i && same_content(&items[twin], item)) {
        *e = w->entries[twin];
        w->shared[w->entry_count] = true;
    } else if (!put_new(w, item, e)) {
        return false;
    }
    e->path_hash = item->path_hash;
    w->entry_count++;
    return true;
}

static bool put_chunk_table(writer *w)
{
    const rift_wad_item item = {.path_hash = rift_wad_chunk_table_hash(w->opts->path),
                                .data = rift_buf_bytes(&w->chunks),
                                .storage = w->opts->chunk_table_storage};
    rift_wad_entry *e = &w->entries[w->entry_count];
    if (item.storage != RIFT_WAD_RAW && item.storage != RIFT_WAD_GZIP && item.storage != RIFT_WAD_ZSTD)
        return refuse(w, RIFT_ERR_ARGUMENT, "storage of the sub-chunk table is not 0, 1 or 3", item.storage);
    if (!put_new(w, &item, e))
        return false;
    e->path_hash = item.path_hash;
    w->entry_count++;
    return true;
}

typedef struct sort_key {
    uint64_t hash;
    size_t index;
} sort_key;

static int compare_keys(const void *a, const void *b)
{
    const sort_key *x = a;
    const sort_key *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool sort_entries(writer *w, sort_key **out)
{
    sort_key *keys = RIFT_NEW(w->arena, sort_key, w->entry_count);
    if (!rift_arena_ok(w->arena, in_archive, w->err))
        return false;
    for (size_t i = 0; i < w->entry_count; i++)
        keys[i] = (sort_key){w->entries[i].path_hash, i};
    qsort(keys, w->entry_count, sizeof *keys, compare_keys);
    for (size_t i = 1; i < w->entry_count; i++) {
        if (keys[i].hash == keys[i - 1].hash) {
            return rift_fail(w->err, RIFT_ERR_FORMAT, in_archive, RIFT_NO_OFFSET,
                             "two entries have hash %016llx", (unsigned long long)keys[i].hash);
        }
    }
    *out = keys;
    return true;
}

static size_t header_size(const rift_wad_write_opts *opts)
{
    return opts->major == 1 ? 12 : opts->major == 2 ? 104 : 272;
}

static size_t entry_size(const rift_wad_write_opts *opts)
{
    return opts->major == 1 ? 24 : 32;
}

static void put_header(rift_buf *b, const rift_wad_write_opts *opts, size_t count)
{
    rift_buf_put(b, "RW", 2);
    rift_buf_u8(b, opts->major);
    rift_buf_u8(b, opts->minor);
    if (opts->major == 2)
        (void)rift_buf_extend(b, ECDSA_FIELD);
    if (opts->major == 3)
        (void)rift_buf_extend(b, RSA_FIELD);
    if (opts->major >= 2)
        rift_buf_u64(b, 0);
    if (opts->major <= 2) {
        rift_buf_u16(b, (uint16_t)header_size(opts));
        rift_buf_u16(b, (uint16_t)entry_size(opts));
    }
    rift_buf_u32(b, (uint32_t)count);
}

static void put_entry(rift_buf *b, const rift_wad_write_opts *opts, const rift_wad_entry *e, bool shared)
{
    const bool wide_index = opts->major == 3 && opts->minor >= 4;
    rift_buf_u64(b, e->path_hash);
    rift_buf_u32(b, e->offset);
    rift_buf_u32(b, e->stored_size);
    rift_buf_u32(b, e->size);
    if (opts->major == 1) {
        rift_buf_u32(b, e->storage);
        return;
    }
    rift_buf_u8(b, (uint8_t)(e->storage | e->chunk_count << 4));
    rift_buf_u8(b, wide_index ? (uint8_t)(e->first_chunk >> 16) : shared);
    rift_buf_u16(b, (uint16_t)e->first_chunk);
    rift_buf_u64(b, e->checksum);
}

static bool check_opts(writer *w, size_t item_count)
{
    const rift_wad_write_opts *opts = w->opts;
    if (opts->major < 1 || opts->major > 3)
        return refuse(w, RIFT_ERR_ARGUMENT, "major version is not 1 to 3", opts->major);
    if (opts->major == 3 && opts->minor > 4)
        return refuse(w, RIFT_ERR_ARGUMENT, "minor version is not 0 to 4", opts->minor);
    if (item_count >= RIFT_WAD_MAX_ENTRIES)
        return refuse(w, RIFT_ERR_LIMIT, "too many entries", item_count);
    if (opts->first_chunk > RIFT_WAD_MAX_CHUNKS)
        return refuse(w, RIFT_ERR_LIMIT, "first sub-chunk record is over the limit", opts->first_chunk);
    return true;
}

static bool any_chunked(const rift_wad_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].storage == RIFT_WAD_ZSTD_CHUNKED)
            return true;
    }
    return false;
}

/* The data is packed before the table is written, but the table's length must be known for the offsets. */
static bool pack_items(writer *w, const rift_wad_item *items, size_t item_count)
{
    const bool with_table = any_chunked(items, item_count) && !w->opts->omit_chunk_table;
    const size_t count = item_count + with_table;
    w->data_offset = header_size(w->opts) + (uint64_t)count * entry_size(w->opts);
    rift_buf_init(&w->data, w->arena, (size_t)(UINT32_MAX - w->data_offset));
    rift_buf_init(&w->chunks, w->arena, (size_t)RIFT_WAD_MAX_CHUNKS * 16);
    w->entries = RIFT_NEW(w->arena, rift_wad_entry, count);
    w->shared = RIFT_NEW(w->arena, bool, count);
    rift_map_init(&w->by_content, w->arena, item_count);
    if (!rift_arena_ok(w->arena, in_archive, w->err))
        return false;
    (void)rift_buf_extend(&w->chunks, (size_t)w->opts->first_chunk * 16);
    for (size_t i = 0; i < item_count; i++) {
        if (!put_item(w, items, i))
            return false;
    }
    return !with_table || put_chunk_table(w);
}

bool rift_wad_write(rift_bytes *out,
                    const rift_wad_item *items,
                    size_t item_count,
                    const rift_wad_write_opts *opts,
                    rift_arena *arena,
                    rift_err *err)
{
    writer w = {.opts = opts, .arena = arena, .err = err, .checksum_kind = RIFT_WAD_SUM_XXH3};
    if (!check_opts(&w, item_count))
        return false;
    if (opts->major == 1) {
        w.checksum_kind = RIFT_WAD_SUM_NONE;
    } else if (opts->major == 2 || opts->minor == 0) {
        w.checksum_kind = RIFT_WAD_SUM_SHA256;
    }
    sort_key *keys = NULL;
    if (!pack_items(&w, items, item_count) || !sort_entries(&w, &keys))
        return false;
    rift_buf file;
    rift_buf_init(&file, arena, UINT32_MAX);
    put_header(&file, opts, w.entry_count);
    for (size_t i = 0; i < w.entry_count; i++)
        put_entry(&file, opts, &w.entries[keys[i].index], w.shared[keys[i].index]);
    rift_buf_put(&file, w.data.data, w.data.size);
    if (!rift_buf_ok(&file, in_archive, err))
        return false;
    *out = rift_buf_bytes(&file);
    return true;
}
