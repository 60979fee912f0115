/* Unpacking of one entry. The result is pushed first and the packed bytes behind it, so that the latter can be
 * rewound. Sizes are judged before anything is allocated. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/reader.h"
#include "compress/compress.h"
#include "formats/wad.h"

static const char in_entry[] = "entry";

/* Fields of a record, for errors; the same place in every version. */
enum { FIELD_OFFSET = 8, FIELD_SIZE = 16, FIELD_STORAGE = 20 };

static bool fail(const rift_wad_entry *e,
                 rift_status code,
                 uint64_t offset,
                 rift_err *err,
                 const char *what,
                 uint64_t got,
                 uint64_t want)
{
    return rift_fail(err, code, in_entry, offset, "entry %016llx: %s (%llu, %llu)",
                     (unsigned long long)e->path_hash, what, (unsigned long long)got,
                     (unsigned long long)want);
}

/* How many bytes one stored byte can stand for. */
static uint64_t best_ratio(uint8_t storage)
{
    switch ((rift_wad_storage)storage) {
    case RIFT_WAD_RAW:
    case RIFT_WAD_REDIRECT:
        return 1;
    case RIFT_WAD_GZIP:
        return RIFT_WAD_MAX_GZIP_RATIO;
    case RIFT_WAD_ZSTD:
    case RIFT_WAD_ZSTD_CHUNKED:
        return RIFT_WAD_MAX_ZSTD_RATIO;
    }
    return 1;
}

static bool check_entry(const rift_wad *wad, const rift_wad_entry *e, rift_err *err)
{
    if (e->outside) {
        return fail(e, RIFT_ERR_TRUNCATED, e->record + FIELD_OFFSET, err,
                    "its data ends past the end of the file", (uint64_t)e->offset + e->stored_size,
                    wad->source.size);
    }
    if (e->storage > RIFT_WAD_ZSTD_CHUNKED) {
        return fail(e, RIFT_ERR_UNSUPPORTED, e->record + FIELD_STORAGE, err,
                    "unknown storage type, the last known is", e->storage, RIFT_WAD_ZSTD_CHUNKED);
    }
    if (e->storage == RIFT_WAD_REDIRECT)
        return true;
    if (e->size > RIFT_WAD_MAX_ENTRY_SIZE) {
        return fail(e, RIFT_ERR_LIMIT, e->record + FIELD_SIZE, err, "unpacked size is over the limit",
                    e->size, RIFT_WAD_MAX_ENTRY_SIZE);
    }
    if (e->storage == RIFT_WAD_RAW && e->size != e->stored_size) {
        return fail(e, RIFT_ERR_FORMAT, e->record + FIELD_SIZE, err, "stored raw, but the sizes differ",
                    e->stored_size, e->size);
    }
    if (e->size > e->stored_size * best_ratio(e->storage)) {
        return fail(e, RIFT_ERR_FORMAT, e->record + FIELD_SIZE, err,
                    "more bytes than its stored bytes can hold", e->size, e->stored_size);
    }
    return true;
}

bool rift_wad_read_stored(
    const rift_wad *wad, const rift_wad_entry *entry, rift_arena *arena, rift_bytes *out, rift_err *err)
{
    if (entry->outside)
        return check_entry(wad, entry, err);
    uint8_t *bytes = rift_arena_push(arena, entry->stored_size, 1, 16);
    if (!rift_arena_ok(arena, in_entry, err))
        return false;
    if (!rift_source_read(&wad->source, entry->offset, bytes, entry->stored_size, in_entry, err))
        return false;
    *out = (rift_bytes){bytes, entry->stored_size};
    return true;
}

/* u32 length, path. The path goes into the error text, where only plain ASCII may stand. */
static bool refuse_redirect(const rift_wad_entry *e, rift_bytes stored, rift_err *err)
{
    rift_reader r = rift_rd_init(stored, in_entry, err);
    r.base = e->offset;
    const size_t len = rift_rd_count(&r, 1, SIZE_MAX, "length of the redirection's path");
    rift_str path = rift_rd_fixed_str(&r, len);
    if (!rift_rd_ok(&r))
        return false;
    char text[120];
    path.size = rift_min_size(path.size, sizeof text);
    for (size_t i = 0; i < path.size; i++) {
        const char c = path.data[i];
        text[i] = '?';
        if (c >= ' ' && c <= '~')
            text[i] = c;
    }
    return rift_fail(err, RIFT_ERR_UNSUPPORTED, in_entry, e->offset,
                     "entry %016llx is a redirection to \"%.*s\"", (unsigned long long)e->path_hash,
                     (int)path.size, text);
}

/* The records of e, if they add up to its sizes and its bytes look as they say. */
static const rift_wad_chunk *fitting_chunks(const rift_wad *wad, const rift_wad_entry *e, rift_bytes stored)
{
    if (e->chunk_count == 0 || e->first_chunk >= wad->chunk_count ||
        e->chunk_count > wad->chunk_count - e->first_chunk)
        return NULL;
    const rift_wad_chunk *chunks = wad->chunks + e->first_chunk;
    uint64_t stored_sum = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < e->chunk_count; i++) {
        const rift_wad_chunk *c = &chunks[i];
        if (stored_sum + c->stored_size > stored.size)
            return NULL;
        const rift_bytes piece = {stored.data + stored_sum, c->stored_size};
        if (c->stored_size != c->size && !rift_is_zstd(piece))
            return NULL;
        stored_sum += c->stored_size;
        sum += c->size;
    }
    return stored_sum == e->stored_size && sum == e->size ? chunks : NULL;
}

/* The sums were checked, so every piece lies inside both buffers. */
static bool unpack_by_table(uint8_t *dst,
                            const rift_wad_chunk *chunks,
                            size_t count,
                            rift_bytes stored,
                            const char *where,
                            rift_err *err)
{
    for (size_t i = 0; i < count; i++) {
        const rift_wad_chunk *c = &chunks[i];
        const rift_bytes piece = {stored.data, c->stored_size};
        if (c->stored_size != c->size) {
            if (!rift_unzstd(dst, c->size, piece, where, err))
                return false;
        } else if (c->size > 0) {
            memcpy(dst, piece.data, c->size);
        }
        dst += c->size;
        stored.data += c->stored_size;
        stored.size -= c->stored_size;
    }
    return true;
}

/* Length of the raw bytes before the next frame. */
static size_t raw_run(rift_bytes b)
{
    size_t n = 0;
    while (n < b.size && !rift_is_zstd((rift_bytes){b.data + n, b.size - n}))
        n++;
    return n;
}

/* Frames and raw bytes one after the other; used where no table helps. */
static bool
walk_frames(uint8_t *dst, const rift_wad_entry *e, rift_bytes stored, const char *where, rift_err *err)
{
    size_t done = 0;
    while (done < e->size) {
        if (stored.size == 0) {
            return fail(e, RIFT_ERR_TRUNCATED, e->offset, err, "its frames hold too few bytes", done,
                        e->size);
        }
        size_t consumed = raw_run(stored);
        size_t produced = consumed;
        if (consumed > e->size - done) {
            return fail(e, RIFT_ERR_FORMAT, e->offset, err, "more raw bytes than announced", done + consumed,
                        e->size);
        }
        if (consumed > 0) {
            memcpy(dst + done, stored.data, consumed);
        } else if (!rift_unzstd_frame(dst + done, e->size - done, stored, &consumed, &produced, where, err)) {
            return false;
        }
        done += produced;
        stored.data += consumed;
        stored.size -= consumed;
    }
    if (stored.size > 0) {
        return fail(e, RIFT_ERR_FORMAT, e->offset, err, "bytes are left behind its last frame", stored.size,
                    0);
    }
    return true;
}

static bool unpack_chunked(uint8_t *dst,
                           const rift_wad *wad,
                           const rift_wad_entry *e,
                           rift_bytes stored,
                           const char *where,
                           rift_err *err)
{
    const rift_wad_chunk *chunks = fitting_chunks(wad, e, stored);
    rift_err table_err;
    rift_err_in(&table_err, (rift_str){0});
    if (chunks != NULL && unpack_by_table(dst, chunks, e->chunk_count, stored, where, &table_err))
        return true;
    return walk_frames(dst, e, stored, where, err);
}

static bool unpack(uint8_t *dst,
                   const rift_wad *wad,
                   const rift_wad_entry *e,
                   rift_bytes stored,
                   const char *where,
                   rift_err *err)
{
    switch ((rift_wad_storage)e->storage) {
    case RIFT_WAD_RAW: /* read in place, never packed */
    case RIFT_WAD_REDIRECT:
        break;
    case RIFT_WAD_GZIP:
        return rift_gunzip(dst, e->size, stored, where, err);
    case RIFT_WAD_ZSTD:
        return rift_unzstd(dst, e->size, stored, where, err);
    case RIFT_WAD_ZSTD_CHUNKED:
        return unpack_chunked(dst, wad, e, stored, where, err);
    }
    return rift_fail(err, RIFT_ERR_INTERNAL, in_entry, e->offset, "storage %u cannot be unpacked",
                     e->storage);
}

/* Asked before the arena, which would stay failed: a picture or a clip that is too large is left out, the rest goes on. */
static bool check_room(const rift_wad_entry *e, const rift_arena *arena, rift_err *err)
{
    const uint64_t need = (uint64_t)e->stored_size + (e->storage == RIFT_WAD_RAW ? 0 : e->size);
    return rift_arena_has_room(arena, need) ||
           rift_fail(err, RIFT_ERR_LIMIT, in_entry, e->offset, "needs %llu bytes, %zu of %zu are in use",
                     (unsigned long long)need, arena->used, arena->limit);
}

bool rift_wad_read(
    const rift_wad *wad, const rift_wad_entry *entry, rift_arena *arena, rift_bytes *out, rift_err *err)
{
    if (!check_entry(wad, entry, err) || !check_room(entry, arena, err))
        return false;
    if (entry->storage == RIFT_WAD_RAW)
        return rift_wad_read_stored(wad, entry, arena, out, err);
    const bool redirect = entry->storage == RIFT_WAD_REDIRECT;
    uint8_t *dst = rift_arena_push(arena, redirect ? 0 : entry->size, 1, 16);
    const rift_arena_mark mark = rift_arena_get_mark(arena);
    rift_bytes stored;
    if (!rift_arena_ok(arena, in_entry, err) || !rift_wad_read_stored(wad, entry, arena, &stored, err))
        return false;
    char where[32];
    (void)snprintf(where, sizeof where, "entry %016llx", (unsigned long long)entry->path_hash);
    const bool ok =
        redirect ? refuse_redirect(entry, stored, err) : unpack(dst, wad, entry, stored, where, err);
    rift_arena_rewind(arena, mark);
    if (!ok)
        return false;
    *out = (rift_bytes){dst, entry->size};
    return true;
}
