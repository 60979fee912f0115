/* Lookups interpolate, since hashes are spread evenly, and fall back to halving, since a damaged file need not be. The names
 * stand in byte order because neighbours share their beginnings, which makes the file a third of the text. */
#include "hash/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "hash/hash.h"

enum {
    MAGIC = 0x4b504e52, /* "RNPK" */
    CHECKED_FROM = 24,
    GUESSES = 6, /* interpolations before halving */
    ROOM = RIFT_PACK_MAX_NAME,
};

static unsigned key_size_of(rift_name_table table)
{
    return rift_name_table_digits(table) / 2;
}

static size_t block_count(size_t names)
{
    return (names + RIFT_PACK_BLOCK - 1) / RIFT_PACK_BLOCK;
}

/* ---- reading ---- */

static void take_table(rift_reader *r, rift_pack *pack, int table, uint64_t text_size)
{
    const size_t count = pack->tables[table].count;
    pack->tables[table].keys = rift_rd_bytes(r, count * pack->tables[table].key_size);
    pack->tables[table].places = rift_rd_bytes(r, count * sizeof(uint32_t));
    pack->tables[table].blocks = rift_rd_bytes(r, block_count(count) * sizeof(uint32_t));
    if (text_size > rift_rd_left(r)) {
        (void)rift_rd_fail(r, RIFT_ERR_TRUNCATED, rift_rd_offset(r), "%llu bytes of text, %zu are left",
                           (unsigned long long)text_size, rift_rd_left(r));
        return;
    }
    pack->tables[table].text = rift_rd_bytes(r, (size_t)text_size);
}

static bool is_sound(rift_bytes in, uint64_t checksum)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)in;
    (void)checksum;
    return true;
#else
    return rift_xxh3((rift_bytes){in.data + CHECKED_FROM, in.size - CHECKED_FROM}) == checksum;
#endif
}

bool rift_pack_open(rift_pack *out, rift_bytes in, rift_err *err)
{
    rift_reader r = rift_rd_init(in, "names", err);
    rift_pack pack = {0};
    uint64_t text_sizes[RIFT_NAME_TABLE_COUNT] = {0};
    if (rift_rd_u32(&r) != MAGIC && rift_rd_ok(&r))
        return rift_rd_fail(&r, RIFT_ERR_FORMAT, 0, "no pack of names");
    const uint32_t version = rift_rd_u32(&r);
    if (rift_rd_ok(&r) && version != RIFT_PACK_VERSION)
        return rift_rd_fail(&r, RIFT_ERR_UNSUPPORTED, 4, "version %u, not %d", version, RIFT_PACK_VERSION);
    pack.digest = rift_rd_u64(&r);
    const uint64_t checksum = rift_rd_u64(&r);
    for (int t = 0; t < RIFT_NAME_TABLE_COUNT; t++) {
        pack.tables[t].key_size = key_size_of((rift_name_table)t);
        pack.tables[t].count = rift_rd_u32(&r);
        if (rift_rd_u32(&r) != 0 && rift_rd_ok(&r))
            return rift_rd_fail(&r, RIFT_ERR_FORMAT, rift_rd_offset(&r) - 4, "is not zero");
        text_sizes[t] = rift_rd_u64(&r);
    }
    for (int t = 0; t < RIFT_NAME_TABLE_COUNT && rift_rd_ok(&r); t++)
        take_table(&r, &pack, t, text_sizes[t]);
    if (!rift_rd_ok(&r))
        return false;
    if (rift_rd_left(&r) > 0)
        return rift_rd_fail(&r, RIFT_ERR_FORMAT, rift_rd_offset(&r), "%zu bytes too many", rift_rd_left(&r));
    if (!is_sound(in, checksum))
        return rift_rd_fail(&r, RIFT_ERR_FORMAT, 16, "the checksum does not fit");
    *out = pack;
    return true;
}

static uint64_t key_at(rift_reader *keys, unsigned key_size, size_t index)
{
    (void)rift_rd_seek(keys, (uint64_t)index * key_size);
    return key_size == 8 ? rift_rd_u64(keys) : rift_rd_u32(keys);
}

static size_t guess(size_t low, size_t high, uint64_t low_key, uint64_t high_key, uint64_t hash)
{
    if (hash <= low_key || high_key <= low_key)
        return low;
    const double share = (double)(hash - low_key) / (double)(high_key - low_key);
    const size_t at = low + (size_t)(share * (double)(high - low));
    return at < high ? at : high - 1;
}

/* Index of a hash; false when it is not there. */
static bool find_key(rift_bytes bytes, unsigned key_size, uint64_t hash, size_t *index, rift_err *err)
{
    rift_reader keys = rift_rd_init(bytes, "hashes", err);
    size_t low = 0;
    size_t high = bytes.size / key_size;
    uint64_t low_key = 0;
    uint64_t high_key = key_size == 8 ? UINT64_MAX : UINT32_MAX;
    for (unsigned tries = 0; low < high && rift_rd_ok(&keys); tries++) {
        const size_t at =
            tries < GUESSES ? guess(low, high, low_key, high_key, hash) : low + (high - low) / 2;
        const uint64_t key = key_at(&keys, key_size, at);
        if (key == hash) {
            *index = at;
            return rift_rd_ok(&keys);
        }
        if (key < hash) {
            low = at + 1;
            low_key = key;
        } else {
            high = at;
            high_key = key;
        }
    }
    return false;
}

static uint32_t u32_at(rift_bytes numbers, size_t index, rift_err *err)
{
    rift_reader r = rift_rd_init(numbers, "places", err);
    (void)rift_rd_seek(&r, (uint64_t)index * sizeof(uint32_t));
    return rift_rd_u32(&r);
}

/* LEB128, of three bytes at most. */
static size_t read_size(rift_reader *r)
{
    size_t value = 0;
    for (unsigned shift = 0; shift < 21; shift += 7) {
        const uint8_t byte = rift_rd_u8(r);
        value |= (size_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    (void)rift_rd_fail(r, RIFT_ERR_FORMAT, rift_rd_offset(r), "a size of more than three bytes");
    return 0;
}

/* The name before is in `name`, *size bytes of it. */
static void next_name(rift_reader *r, char name[ROOM], size_t *size)
{
    const size_t shared = read_size(r);
    const size_t own = read_size(r);
    if (shared > *size || own > ROOM - shared) {
        (void)rift_rd_fail(r, RIFT_ERR_FORMAT, rift_rd_offset(r), "%zu and %zu bytes of a name", shared, own);
        return;
    }
    const rift_bytes bytes = rift_rd_bytes(r, own);
    if (bytes.size > 0)
        memcpy(name + shared, bytes.data, bytes.size);
    *size = shared + own;
}

bool rift_pack_lookup(
    const rift_pack *pack, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out)
{
    char name[ROOM];
    size_t size = 0;
    size_t index = 0;
    rift_err err;
    if ((unsigned)table >= RIFT_NAME_TABLE_COUNT)
        return false;
    rift_err_in(&err, (rift_str){0});
    if (!find_key(pack->tables[table].keys, pack->tables[table].key_size, hash, &index, &err))
        return false;
    const uint32_t place = u32_at(pack->tables[table].places, index, &err);
    const uint32_t start = u32_at(pack->tables[table].blocks, place / RIFT_PACK_BLOCK, &err);
    rift_reader text = rift_rd_init(pack->tables[table].text, "text", &err);
    (void)rift_rd_seek(&text, start);
    for (uint32_t i = 0; i <= place % RIFT_PACK_BLOCK && err.code == RIFT_OK; i++)
        next_name(&text, name, &size);
    if (err.code != RIFT_OK)
        return false;
    const rift_str copy = rift_arena_copy_str(arena, (rift_str){name, size});
    if (copy.size != size)
        return false;
    *out = copy;
    return true;
}

static bool lookup_in_pack(void *user, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out)
{
    return rift_pack_lookup(user, table, hash, arena, out);
}

rift_names rift_pack_names(const rift_pack *pack)
{
    /* The interface has one pointer for readers and writers; the callback only reads. */
    rift_names names = {.lookup = lookup_in_pack};
    memcpy(&names.user, &pack, sizeof names.user);
    return names;
}

/* ---- writing ---- */

typedef struct sorted {
    rift_str name;
    uint32_t index; /* in the order of hashes */
} sorted;

static int by_name(const void *a, const void *b)
{
    const sorted *x = a;
    const sorted *y = b;
    const size_t size = x->name.size < y->name.size ? x->name.size : y->name.size;
    const int order = size > 0 ? memcmp(x->name.data, y->name.data, size) : 0;
    if (order != 0)
        return order;
    if (x->name.size != y->name.size)
        return x->name.size < y->name.size ? -1 : 1;
    return x->index < y->index ? -1
                               : x->index > y->index; /* the order of equal elements is nobody's promise */
}

static sorted *sort_names(const rift_pack_list *list, rift_arena *tmp, rift_err *err)
{
    sorted *names = RIFT_NEW(tmp, sorted, list->count);
    if (names == NULL)
        return NULL; /* the arena says why */
    for (size_t i = 0; i < list->count; i++) {
        RIFT_ASSERT(i == 0 || list->names[i - 1].hash < list->names[i].hash);
        if (list->names[i].name.size > ROOM) {
            (void)rift_fail(err, RIFT_ERR_LIMIT, "names", RIFT_NO_OFFSET, "a name of %zu bytes is over %d",
                            list->names[i].name.size, ROOM);
            return NULL;
        }
        names[i] = (sorted){list->names[i].name, (uint32_t)i};
    }
    if (list->count > 0)
        qsort(names, list->count, sizeof *names, by_name);
    return names;
}

static void put_size(rift_buf *out, size_t value)
{
    for (; value >= 0x80; value >>= 7)
        rift_buf_u8(out, (uint8_t)(value | 0x80));
    rift_buf_u8(out, (uint8_t)value);
}

static size_t shared_bytes(rift_str a, rift_str b)
{
    size_t n = 0;
    while (n < a.size && n < b.size && a.data[n] == b.data[n])
        n++;
    return n;
}

static void put_text(rift_buf *out, const sorted *names, size_t count, uint32_t *blocks)
{
    const size_t start = out->size;
    for (size_t i = 0; i < count; i++) {
        const bool first = i % RIFT_PACK_BLOCK == 0;
        if (first)
            blocks[i / RIFT_PACK_BLOCK] = (uint32_t)(out->size - start);
        const rift_str name = names[i].name;
        const size_t shared = first ? 0 : shared_bytes(names[i - 1].name, name);
        put_size(out, shared);
        put_size(out, name.size - shared);
        if (name.size > shared)
            rift_buf_put(out, name.data + shared, name.size - shared);
    }
}

/* The text is written first, into `tmp`, since what stands before it tells where its blocks begin. */
static bool put_table(rift_buf *out,
                      const rift_pack_list *list,
                      unsigned key_size,
                      rift_buf *text,
                      rift_arena *tmp,
                      rift_err *err)
{
    if (list->count > UINT32_MAX - RIFT_PACK_BLOCK)
        return rift_fail(err, RIFT_ERR_LIMIT, "names", RIFT_NO_OFFSET, "%zu names", list->count);
    const sorted *names = sort_names(list, tmp, err);
    uint32_t *blocks = RIFT_NEW(tmp, uint32_t, block_count(list->count));
    uint32_t *places = RIFT_NEW(tmp, uint32_t, list->count);
    if (names == NULL || blocks == NULL || places == NULL)
        return err->code == RIFT_OK ? rift_arena_ok(tmp, "names", err) : false;
    put_text(text, names, list->count, blocks);
    if (!rift_buf_ok(text, "text", err))
        return false;
    for (size_t i = 0; i < list->count; i++)
        places[names[i].index] = (uint32_t)i;
    for (size_t i = 0; i < list->count; i++) {
        if (key_size == 8) {
            rift_buf_u64(out, list->names[i].hash);
        } else {
            rift_buf_u32(out, (uint32_t)list->names[i].hash);
        }
    }
    for (size_t i = 0; i < list->count; i++)
        rift_buf_u32(out, places[i]);
    for (size_t i = 0; i < block_count(list->count); i++)
        rift_buf_u32(out, blocks[i]);
    rift_buf_put(out, text->data, text->size);
    return true;
}

static void patch_u64(rift_buf *out, size_t offset, uint64_t value)
{
    rift_buf_patch_u32(out, offset, (uint32_t)value);
    rift_buf_patch_u32(out, offset + 4, (uint32_t)(value >> 32));
}

bool rift_pack_write(rift_bytes *out,
                     const rift_pack_list lists[RIFT_NAME_TABLE_COUNT],
                     uint64_t digest,
                     rift_arena *arena,
                     rift_arena *tmp,
                     rift_err *err)
{
    enum { TABLE_ROW = 16 };
    rift_buf b;
    rift_buf_init(&b, arena, SIZE_MAX / 2);
    rift_buf_u32(&b, MAGIC);
    rift_buf_u32(&b, RIFT_PACK_VERSION);
    rift_buf_u64(&b, digest);
    rift_buf_u64(&b, 0);
    for (int t = 0; t < RIFT_NAME_TABLE_COUNT; t++) {
        rift_buf_u32(&b, (uint32_t)lists[t].count);
        rift_buf_u32(&b, 0);
        rift_buf_u64(&b, 0);
    }
    for (int t = 0; t < RIFT_NAME_TABLE_COUNT && !b.failed; t++) {
        rift_buf text;
        const rift_arena_mark mark = rift_arena_get_mark(tmp);
        rift_buf_init(&text, tmp, UINT32_MAX);
        if (!put_table(&b, &lists[t], key_size_of((rift_name_table)t), &text, tmp, err))
            return false;
        if (!b.failed)
            patch_u64(&b, CHECKED_FROM + (size_t)t * TABLE_ROW + 8, text.size);
        rift_arena_rewind(tmp, mark);
    }
    if (!rift_buf_ok(&b, "names", err))
        return false;
    const rift_bytes all = rift_buf_bytes(&b);
    patch_u64(&b, 16, rift_xxh3((rift_bytes){all.data + CHECKED_FROM, all.size - CHECKED_FROM}));
    *out = all;
    return true;
}
