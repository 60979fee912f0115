/* Files do not say which of three numberings of value types they use, and an entry's size is the same in all
 * of them. So the frame of the file is walked once, strictly, and then each numbering is tried on the
 * entries: the first that reads every entry to its last byte is it. When none does, the one that loses the
 * fewest entries is read again and the lost ones are reported. A numbering is tried a second time with embeds
 * of class 0 read as nothing, if it met one. */
#include "formats/bin.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/reader.h"
#include "base/str.h"
#include "hash/hash.h"

enum {
    NUMBERINGS = 3,
    ENTRY_FRAME = 10, /* size, path, field count */
    MAX_DUPLICATES_NOTED = RIFT_REPORT_MAX_EXAMPLES,
    QUADRATIC_KEYS = 16 /* maps up to this size are searched without a table */
};

typedef struct entry_span {
    rift_bytes bytes; /* path, field count, fields */
    uint64_t offset;
} entry_span;

typedef struct parser {
    rift_arena *arena;
    const char *where;
    int numbering;
    bool embed_may_be_null; /* class 0 means that nothing follows */
    bool met_embed_of_0;
    uint64_t duplicates[MAX_DUPLICATES_NOTED]; /* offsets of the dropped keys */
    uint64_t duplicate_count;
} parser;

typedef struct frame {
    const uint32_t *classes;
    const entry_span *spans;
    size_t count;
} frame;

static int modern_type(int numbering, uint8_t id)
{
    if (id <= RIFT_BIN_HASH)
        return id;
    switch (numbering) {
    case 0:
        return id == RIFT_BIN_FILE || (id >= RIFT_BIN_LIST && id <= RIFT_BIN_FLAG) ? id : -1;
    case 1:
        if (id == 0x80)
            return RIFT_BIN_LIST;
        return id > 0x80 && id <= 0x86 ? id + 1 : -1;
    default:
        if (id == 18)
            return RIFT_BIN_LIST;
        return id > 18 && id <= 24 ? id - 19 + RIFT_BIN_POINTER : -1;
    }
}

/* Fewest bytes a value takes; a type without bytes counts as 1, so that no count is free. */
static size_t least_size(rift_bin_type type)
{
    switch (type) {
    case RIFT_BIN_NONE:
    case RIFT_BIN_BOOL:
    case RIFT_BIN_I8:
    case RIFT_BIN_U8:
    case RIFT_BIN_FLAG:
        return 1;
    case RIFT_BIN_I16:
    case RIFT_BIN_U16:
    case RIFT_BIN_STRING:
    case RIFT_BIN_OPTION:
        return 2;
    case RIFT_BIN_I32:
    case RIFT_BIN_U32:
    case RIFT_BIN_F32:
    case RIFT_BIN_RGBA:
    case RIFT_BIN_HASH:
    case RIFT_BIN_LINK:
    case RIFT_BIN_POINTER:
    case RIFT_BIN_EMBED:
        return 4;
    case RIFT_BIN_I64:
    case RIFT_BIN_U64:
    case RIFT_BIN_FILE:
    case RIFT_BIN_VEC2:
        return 8;
    case RIFT_BIN_LIST:
    case RIFT_BIN_LIST2:
        return 9;
    case RIFT_BIN_MAP:
        return 10;
    case RIFT_BIN_VEC3:
        return 12;
    case RIFT_BIN_VEC4:
        return 16;
    case RIFT_BIN_MTX44:
        return 64;
    }
    return 1;
}

static bool is_container(rift_bin_type type)
{
    return type == RIFT_BIN_LIST || type == RIFT_BIN_LIST2 || type == RIFT_BIN_OPTION || type == RIFT_BIN_MAP;
}

static bool read_type(parser *p, rift_reader *r, rift_bin_type *out)
{
    const uint64_t at = rift_rd_offset(r);
    const uint8_t id = rift_rd_u8(r);
    if (!rift_rd_ok(r))
        return false;
    const int type = modern_type(p->numbering, id);
    if (type < 0)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, at, "value type %u is not known", id);
    *out = (rift_bin_type)type;
    return true;
}

/* An element's type: containers do not nest. */
static bool read_element_type(parser *p, rift_reader *r, rift_bin_type *out)
{
    const uint64_t at = rift_rd_offset(r);
    if (!read_type(p, r, out))
        return false;
    if (is_container(*out))
        return rift_rd_fail(r, RIFT_ERR_FORMAT, at, "a container holds elements of container type %u", *out);
    return true;
}

/* u32 size, and a window of that many bytes behind it. */
static bool open_sized(rift_reader *r, rift_reader *window)
{
    const uint64_t at = rift_rd_offset(r);
    const uint32_t size = rift_rd_u32(r);
    if (!rift_rd_check_count(r, size, 1, UINT32_MAX, at, "size"))
        return false;
    *window = rift_rd_sub(r, size, r->where);
    return true;
}

static bool close_sized(rift_reader *window)
{
    if (rift_rd_ok(window) && rift_rd_left(window) > 0) {
        return rift_rd_fail(window, RIFT_ERR_FORMAT, rift_rd_offset(window),
                            "the size leaves %zu bytes after the content", rift_rd_left(window));
    }
    return rift_rd_ok(window);
}

static bool read_value(parser *p, rift_reader *r, rift_bin_type type, int depth, rift_bin_value *out);

static bool read_fields(parser *p, rift_reader *r, int depth, rift_bin_object *out)
{
    const size_t count = rift_rd_count_u16(r, 5, UINT16_MAX, "field count");
    if (!rift_rd_ok(r))
        return false;
    rift_bin_field *fields = RIFT_NEW(p->arena, rift_bin_field, count);
    if (fields == NULL)
        return rift_arena_ok(p->arena, p->where, r->err);
    for (size_t i = 0; i < count; i++) {
        rift_bin_type type;
        fields[i].name = rift_rd_u32(r);
        if (!read_type(p, r, &type) || !read_value(p, r, type, depth, &fields[i].value))
            return false;
    }
    out->fields = fields;
    out->field_count = count;
    return true;
}

static bool read_struct(parser *p, rift_reader *r, rift_bin_type type, int depth, rift_bin_value *out)
{
    const uint32_t class_hash = rift_rd_u32(r);
    if (!rift_rd_ok(r))
        return false;
    if (class_hash == 0 && type == RIFT_BIN_EMBED)
        p->met_embed_of_0 = true;
    if (class_hash == 0 && (type == RIFT_BIN_POINTER || p->embed_may_be_null))
        return true;
    rift_reader body;
    rift_bin_object *object = RIFT_NEW(p->arena, rift_bin_object, 1);
    if (object == NULL)
        return rift_arena_ok(p->arena, p->where, r->err);
    object->class_hash = class_hash;
    if (!open_sized(r, &body) || !read_fields(p, &body, depth, object) || !close_sized(&body))
        return false;
    out->as.object = object;
    return true;
}

static bool read_items(parser *p, rift_reader *r, int depth, rift_bin_value *out)
{
    rift_bin_value *items = RIFT_NEW(p->arena, rift_bin_value, out->count);
    if (items == NULL)
        return rift_arena_ok(p->arena, p->where, r->err);
    for (size_t i = 0; i < out->count; i++) {
        if (!read_value(p, r, out->element_type, depth, &items[i]))
            return false;
    }
    out->as.items = items;
    return true;
}

static bool read_list(parser *p, rift_reader *r, int depth, rift_bin_value *out)
{
    rift_reader body;
    if (!read_element_type(p, r, &out->element_type) || !open_sized(r, &body))
        return false;
    out->count = rift_rd_count(&body, least_size(out->element_type), UINT32_MAX, "element count");
    return rift_rd_ok(&body) && read_items(p, &body, depth, out) && close_sized(&body);
}

static bool read_option(parser *p, rift_reader *r, int depth, rift_bin_value *out)
{
    if (!read_element_type(p, r, &out->element_type))
        return false;
    const uint64_t at = rift_rd_offset(r);
    const uint8_t count = rift_rd_u8(r);
    if (!rift_rd_ok(r))
        return false;
    if (count > 1)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, at, "an option holds %u values", count);
    out->count = count;
    return read_items(p, r, depth, out);
}

/* Keys are plain values: numbers (compared by their bits) or strings. */
static uint64_t key_bits(const rift_bin_value *key)
{
    uint64_t bits = 0;
    if (key->type == RIFT_BIN_STRING)
        return rift_xxh64((rift_bytes){(const uint8_t *)key->as.str.data, key->as.str.size});
    if (key->type == RIFT_BIN_MTX44)
        return rift_xxh64((rift_bytes){(const uint8_t *)key->as.matrix, 16 * sizeof(float)});
    if (key->type == RIFT_BIN_VEC2 || key->type == RIFT_BIN_VEC3 || key->type == RIFT_BIN_VEC4)
        return rift_xxh64((rift_bytes){(const uint8_t *)key->as.f, sizeof key->as.f});
    memcpy(&bits, &key->as, sizeof bits);
    return bits;
}

static bool same_key(const rift_bin_value *a, const rift_bin_value *b)
{
    if (key_bits(a) != key_bits(b))
        return false;
    if (a->type != RIFT_BIN_STRING)
        return true;
    return a->as.str.size == b->as.str.size &&
           (a->as.str.size == 0 || memcmp(a->as.str.data, b->as.str.data, a->as.str.size) == 0);
}

static void note_duplicate(parser *p, uint64_t offset)
{
    if (p->duplicate_count < MAX_DUPLICATES_NOTED)
        p->duplicates[p->duplicate_count] = offset;
    p->duplicate_count++;
}

/* True when one of the first `count` pairs has this key. `seen` is NULL for small maps. */
static bool key_occurred(const rift_bin_pair *pairs, size_t count, const rift_bin_value *key, rift_map *seen)
{
    if (seen != NULL) {
        const uint32_t at = rift_map_add(seen, key_bits(key), (uint32_t)count);
        return at != count && same_key(&pairs[at].key, key);
    }
    for (size_t i = 0; i < count; i++) {
        if (same_key(&pairs[i].key, key))
            return true;
    }
    return false;
}

/* The first of equal keys stays. The table lies behind everything the pairs hold and is rewound. */
static bool
drop_duplicates(parser *p, rift_bin_pair *pairs, uint64_t offset, rift_bin_value *out, rift_err *err)
{
    rift_map table;
    rift_map *seen = NULL;
    const rift_arena_mark mark = rift_arena_get_mark(p->arena);
    if (out->count > QUADRATIC_KEYS) {
        seen = &table;
        rift_map_init(seen, p->arena, out->count);
        if (!rift_arena_ok(p->arena, p->where, err))
            return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        if (key_occurred(pairs, kept, &pairs[i].key, seen)) {
            note_duplicate(p, offset);
        } else {
            pairs[kept++] = pairs[i];
        }
    }
    rift_arena_rewind(p->arena, mark);
    out->count = kept;
    return true;
}

static bool read_map(parser *p, rift_reader *r, int depth, rift_bin_value *out)
{
    rift_reader body;
    const uint64_t at = rift_rd_offset(r);
    if (!read_type(p, r, &out->key_type))
        return false;
    if (out->key_type >= RIFT_BIN_LIST)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, at, "map keys cannot be of type %u", out->key_type);
    if (!read_element_type(p, r, &out->element_type) || !open_sized(r, &body))
        return false;
    out->count = rift_rd_count(&body, least_size(out->key_type) + least_size(out->element_type), UINT32_MAX,
                               "pair count");
    if (!rift_rd_ok(&body))
        return false;
    rift_bin_pair *pairs = RIFT_NEW(p->arena, rift_bin_pair, out->count);
    if (pairs == NULL)
        return rift_arena_ok(p->arena, p->where, r->err);
    for (size_t i = 0; i < out->count; i++) {
        if (!read_value(p, &body, out->key_type, depth, &pairs[i].key) ||
            !read_value(p, &body, out->element_type, depth, &pairs[i].value))
            return false;
    }
    out->as.pairs = pairs;
    return close_sized(&body) && drop_duplicates(p, pairs, at, out, r->err);
}

static bool read_matrix(parser *p, rift_reader *r, rift_bin_value *out)
{
    float *m = RIFT_NEW(p->arena, float, 16);
    if (m == NULL)
        return rift_arena_ok(p->arena, p->where, r->err);
    rift_rd_f32s(r, m, 16);
    out->as.matrix = m;
    return rift_rd_ok(r);
}

static bool read_string(parser *p, rift_reader *r, rift_bin_value *out)
{
    const rift_str s = rift_rd_str16(r);
    if (!rift_rd_ok(r))
        return false;
    out->as.str = rift_arena_copy_str(p->arena, s);
    return rift_arena_ok(p->arena, p->where, r->err);
}

static bool read_rgba(rift_reader *r, rift_bin_value *out)
{
    for (size_t i = 0; i < 4; i++)
        out->as.rgba[i] = rift_rd_u8(r);
    return rift_rd_ok(r);
}

/* Values of fixed size that need no memory. */
static bool read_plain(rift_reader *r, rift_bin_value *out)
{
    switch (out->type) {
    case RIFT_BIN_NONE:
        break;
    case RIFT_BIN_BOOL:
    case RIFT_BIN_FLAG:
        out->as.b = rift_rd_u8(r) != 0;
        break;
    case RIFT_BIN_I8:
        out->as.i = rift_rd_u8(r);
        out->as.i -= out->as.i >= 128 ? 256 : 0;
        break;
    case RIFT_BIN_I16:
        out->as.i = rift_rd_i16(r);
        break;
    case RIFT_BIN_I32:
        out->as.i = rift_rd_i32(r);
        break;
    case RIFT_BIN_I64:
        out->as.i = (int64_t)rift_rd_u64(r);
        break;
    case RIFT_BIN_U8:
        out->as.u = rift_rd_u8(r);
        break;
    case RIFT_BIN_U16:
        out->as.u = rift_rd_u16(r);
        break;
    case RIFT_BIN_U32:
    case RIFT_BIN_HASH:
    case RIFT_BIN_LINK:
        out->as.u = rift_rd_u32(r);
        break;
    case RIFT_BIN_U64:
    case RIFT_BIN_FILE:
        out->as.u = rift_rd_u64(r);
        break;
    case RIFT_BIN_F32:
        rift_rd_f32s(r, out->as.f, 1);
        break;
    case RIFT_BIN_VEC2:
        rift_rd_f32s(r, out->as.f, 2);
        break;
    case RIFT_BIN_VEC3:
        rift_rd_f32s(r, out->as.f, 3);
        break;
    case RIFT_BIN_VEC4:
        rift_rd_f32s(r, out->as.f, 4);
        break;
    case RIFT_BIN_RGBA:
        return read_rgba(r, out);
    case RIFT_BIN_MTX44:
    case RIFT_BIN_STRING:
    case RIFT_BIN_LIST:
    case RIFT_BIN_LIST2:
    case RIFT_BIN_POINTER:
    case RIFT_BIN_EMBED:
    case RIFT_BIN_OPTION:
    case RIFT_BIN_MAP:
        return rift_rd_fail(r, RIFT_ERR_INTERNAL, rift_rd_offset(r), "type %u is not plain", out->type);
    }
    return rift_rd_ok(r);
}

/* `depth` counts the structures and containers around the value. */
static bool read_value(parser *p, rift_reader *r, rift_bin_type type, int depth, rift_bin_value *out)
{
    out->type = type;
    if (type == RIFT_BIN_STRING)
        return read_string(p, r, out);
    if (type == RIFT_BIN_MTX44)
        return read_matrix(p, r, out);
    const bool is_struct = type == RIFT_BIN_POINTER || type == RIFT_BIN_EMBED;
    if (!is_struct && !is_container(type))
        return read_plain(r, out);
    if (depth >= RIFT_BIN_MAX_DEPTH) {
        return rift_rd_fail(r, RIFT_ERR_LIMIT, rift_rd_offset(r), "values nest deeper than %d",
                            RIFT_BIN_MAX_DEPTH);
    }
    if (is_struct)
        return read_struct(p, r, type, depth + 1, out);
    if (type == RIFT_BIN_OPTION)
        return read_option(p, r, depth + 1, out);
    if (type == RIFT_BIN_MAP)
        return read_map(p, r, depth + 1, out);
    return read_list(p, r, depth + 1, out);
}

static bool read_entry(parser *p, const frame *f, size_t i, rift_bin_entry *out, rift_err *err)
{
    char where[32];
    (void)snprintf(where, sizeof where, "entry[%zu]", i);
    p->where = where;
    rift_reader r = rift_rd_init(f->spans[i].bytes, where, err);
    r.base = f->spans[i].offset;
    *out = (rift_bin_entry){.path = rift_rd_u32(&r), .object = {.class_hash = f->classes[i]}};
    const bool ok = read_fields(p, &r, 0, &out->object) && close_sized(&r);
    p->where = NULL;
    return ok;
}

typedef struct trial {
    int numbering;
    bool embed_may_be_null;
    size_t damaged; /* entries that do not read */
    rift_err first; /* of the damage */
} trial;

/* Reads the sound entries one after the other into `entries`. False only when the arena failed. */
static bool
run_trial(trial *t, parser *p, const frame *f, rift_bin_entry *entries, rift_report *report, rift_err *err)
{
    p->numbering = t->numbering;
    p->embed_may_be_null = t->embed_may_be_null;
    p->met_embed_of_0 = false;
    p->duplicate_count = 0;
    t->damaged = 0;
    for (size_t i = 0; i < f->count; i++) {
        rift_err damage;
        rift_err_in(&damage, rift_str_c(err->file));
        if (read_entry(p, f, i, &entries[i - t->damaged], &damage))
            continue;
        if (!rift_arena_ok(p->arena, damage.where, err))
            return false;
        if (t->damaged == 0)
            t->first = damage;
        t->damaged++;
        rift_report_err(report, "bin_entry_damaged", &damage);
    }
    return true;
}

/* Tries the numberings until one reads everything (then its entries are in place), else repeats the best. The
 * error of the first attempt is given when even the best reads nothing. */
static bool choose_and_read(
    trial *best, parser *p, const frame *f, rift_bin_entry *entries, rift_report *report, rift_err *err)
{
    rift_err modern = *err;
    const rift_arena_mark mark = rift_arena_get_mark(p->arena);
    bool met_embed_of_0[NUMBERINGS] = {false};
    for (int n = 0; n < 2 * NUMBERINGS; n++) {
        if (n >= NUMBERINGS && !met_embed_of_0[n - NUMBERINGS])
            continue;
        trial t = {.numbering = n % NUMBERINGS, .embed_may_be_null = n >= NUMBERINGS};
        if (!run_trial(&t, p, f, entries, NULL, err))
            return false;
        met_embed_of_0[t.numbering] |= p->met_embed_of_0;
        if (n == 0)
            modern = t.first;
        if (n == 0 || t.damaged < best->damaged)
            *best = t;
        if (t.damaged == 0)
            return true;
        rift_arena_rewind(p->arena, mark);
    }
    if (best->damaged == f->count)
        return rift_fail(err, modern.code, modern.where, modern.offset, "%s", modern.text);
    return run_trial(best, p, f, entries, report, err);
}

static void report_duplicates(const parser *p, rift_report *report)
{
    for (uint64_t i = 0; i < p->duplicate_count; i++) {
        const uint64_t at = p->duplicates[i < MAX_DUPLICATES_NOTED ? i : 0];
        rift_report_add(report, "bin_duplicate_key", "map at offset %llu", (unsigned long long)at);
    }
}

/* "PROP", version; before it a patch file's own magic, version and an unused number. */
static bool read_magic(rift_reader *r, rift_bin *bin)
{
    uint64_t at = 0;
    rift_bytes magic = rift_rd_bytes(r, 4);
    if (rift_rd_ok(r) && memcmp(magic.data, "PTCH", 4) == 0) {
        bin->is_patch = true;
        const uint32_t patch_version = rift_rd_u32(r);
        if (rift_rd_ok(r) && patch_version != 1)
            return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, 4, "patch version %u, not 1", patch_version);
        rift_rd_skip(r, 4);
        at = rift_rd_offset(r);
        magic = rift_rd_bytes(r, 4);
    }
    if (rift_rd_ok(r) && memcmp(magic.data, "PROP", 4) != 0) {
        return rift_rd_fail(r, RIFT_ERR_FORMAT, at, "magic %02x %02x %02x %02x is not \"PROP\"",
                            magic.data[0], magic.data[1], magic.data[2], magic.data[3]);
    }
    at = rift_rd_offset(r);
    bin->version = rift_rd_u32(r);
    if (rift_rd_ok(r) && (bin->version < 1 || bin->version > 3))
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, at, "version %u, not 1 to 3", bin->version);
    return rift_rd_ok(r);
}

static bool read_links(rift_reader *r, rift_bin *bin, rift_arena *arena)
{
    if (bin->version < 2)
        return true;
    bin->link_count = rift_rd_count(r, 2, UINT32_MAX, "link count");
    if (!rift_rd_ok(r))
        return false;
    bin->links = RIFT_NEW(arena, rift_str, bin->link_count);
    for (size_t i = 0; i < bin->link_count && rift_rd_ok(r); i++) {
        const rift_str link = rift_rd_str16(r);
        if (bin->links != NULL)
            bin->links[i] = rift_arena_copy_str(arena, link);
    }
    return rift_rd_ok(r) && rift_arena_ok(arena, "links", r->err);
}

/* The class and the bytes of each entry. */
static bool read_frame(rift_reader *r, frame *f, rift_arena *arena)
{
    f->count = rift_rd_count(r, 4 + ENTRY_FRAME, UINT32_MAX, "entry count");
    if (!rift_rd_ok(r))
        return false;
    uint32_t *classes = RIFT_NEW(arena, uint32_t, f->count);
    entry_span *spans = RIFT_NEW(arena, entry_span, f->count);
    if (!rift_arena_ok(arena, "entries", r->err))
        return false;
    for (size_t i = 0; i < f->count; i++)
        classes[i] = rift_rd_u32(r);
    for (size_t i = 0; i < f->count && rift_rd_ok(r); i++) {
        rift_reader entry;
        if (!open_sized(r, &entry))
            return false;
        spans[i] = (entry_span){entry.in, entry.base};
    }
    f->classes = classes;
    f->spans = spans;
    return rift_rd_ok(r);
}

static bool skip_patches(rift_reader *r, rift_bin *bin)
{
    if (!bin->is_patch || bin->version < 3)
        return true;
    bin->patch_count = rift_rd_count(r, 8, UINT32_MAX, "patch count");
    for (size_t i = 0; i < bin->patch_count && rift_rd_ok(r); i++) {
        rift_reader patch;
        rift_rd_skip(r, 4);
        if (!open_sized(r, &patch))
            return false;
    }
    return rift_rd_ok(r);
}

bool rift_bin_parse(rift_bin *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err)
{
    rift_bin bin = {0};
    frame f;
    rift_reader r = rift_rd_init(in, "property bin", err);
    if (!read_magic(&r, &bin) || !read_links(&r, &bin, arena) || !read_frame(&r, &f, arena) ||
        !skip_patches(&r, &bin) || !close_sized(&r))
        return false;
    bin.entries = RIFT_NEW(arena, rift_bin_entry, f.count);
    if (bin.entries == NULL)
        return rift_arena_ok(arena, "entries", err);
    parser p = {.arena = arena};
    trial best = {0};
    if (!choose_and_read(&best, &p, &f, bin.entries, report, err))
        return false;
    bin.numbering = best.numbering;
    bin.damaged_count = best.damaged;
    bin.entry_count = f.count - best.damaged;
    report_duplicates(&p, report);
    *out = bin;
    return true;
}
