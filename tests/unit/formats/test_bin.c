#include "formats/bin.h"

#include "base/str.h"
#include "fixtures/fx_bin.h"
#include "hash/hash.h"
#include "support/check.h"

enum { ARENA_LIMIT = 64 * 1024 * 1024 };

static uint32_t h(const char *name)
{
    return rift_fnv1a(rift_str_c(name));
}

typedef struct bench {
    rift_arena arena;
    rift_report report;
    rift_err err;
    rift_bin bin;
} bench;

static void begin(bench *b)
{
    *b = (bench){.err = check_err()};
    rift_arena_init(&b->arena, ARENA_LIMIT);
    rift_report_init(&b->report, &b->arena);
}

static void end(bench *b)
{
    rift_arena_release(&b->arena);
}

static bool parse(bench *b, rift_bytes in)
{
    return rift_bin_parse(&b->bin, in, &b->arena, &b->report, &b->err);
}

/* The smallest file with something in it, as the document gives it. */
static const uint8_t MINIMAL[57] = {
    0x50, 0x52, 0x4f, 0x50, 0x03, 0x00, 0x00, 0x00,             /* "PROP", version 3 */
    0x00, 0x00, 0x00, 0x00,                                     /* no links */
    0x01, 0x00, 0x00, 0x00, 0xa4, 0xd8, 0x11, 0x61,             /* SkinMeshDataProperties */
    0x21, 0x00, 0x00, 0x00, 0xa3, 0x3d, 0x0c, 0xf1, 0x02, 0x00, /* size, path "t", 2 fields */
    0x2c, 0x61, 0xd7, 0xaa, 0x10, 0x01, 0x00, 0x41,             /* submesh : string = "A" */
    0x32, 0x03, 0x7a, 0x5c, 0x85, 0x0c, 0x01,                   /* overrideBoundingBox : option[vec3] */
    0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x40, 0x40, /* 1, 2, 3 */
};

static void reads_the_minimal_file(void)
{
    bench b;
    begin(&b);
    CHECK_OK(parse(&b, (rift_bytes){MINIMAL, sizeof MINIMAL}), &b.err);
    CHECK_U64(b.bin.version, 3);
    CHECK(!b.bin.is_patch);
    CHECK_I64(b.bin.numbering, 0);
    CHECK_U64(b.bin.link_count, 0);
    CHECK_U64(b.bin.entry_count, 1);
    CHECK_U64(b.bin.damaged_count, 0);
    CHECK_U64(b.report.entry_count, 0);
    const rift_bin_entry *e = rift_bin_lookup(&b.bin, h("t"));
    CHECK_FATAL(e != NULL);
    CHECK_U64(e->path, 0xf10c3da3);
    CHECK_U64(e->object.class_hash, 0x6111d8a4);
    CHECK_U64(e->object.field_count, 2);
    CHECK_STR(rift_bin_string(&e->object, h("submesh")), RIFT_STR("A"));
    float v[4];
    CHECK(rift_bin_vector(&e->object, h("overrideBoundingBox"), v));
    CHECK_NEAR(v[0], 1, 0);
    CHECK_NEAR(v[1], 2, 0);
    CHECK_NEAR(v[2], 3, 0);
    CHECK_NEAR(v[3], 0, 0);
    end(&b);
}

static void builder_writes_the_minimal_file(void)
{
    bench b;
    fx_bin f;
    begin(&b);
    fx_bin_init(&f, &b.arena, (fx_bin_opts){0});
    fx_bin_entry(&f, "t", "SkinMeshDataProperties");
    fx_bin_string(&f, "submesh", "A");
    fx_bin_option(&f, "overrideBoundingBox", RIFT_BIN_VEC3);
    fx_bin_vec3(&f, NULL, 1, 2, 3);
    fx_bin_end(&f);
    fx_bin_end(&f);
    CHECK_BYTES(fx_bin_finish(&f), ((rift_bytes){MINIMAL, sizeof MINIMAL}));
    end(&b);
}

/* Every type that each numbering has. */
static void put_plain(fx_bin *f)
{
    static const float matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 7, 8, 9, 1};
    fx_bin_none(f, "none");
    fx_bin_bool(f, "bool", true);
    fx_bin_i8(f, "i8", -5);
    fx_bin_u8(f, "u8", 250);
    fx_bin_i16(f, "i16", -30000);
    fx_bin_u16(f, "u16", 60000);
    fx_bin_i32(f, "i32", -2000000000);
    fx_bin_u32(f, "u32", 4000000000);
    fx_bin_i64(f, "i64", INT64_MIN);
    fx_bin_u64(f, "u64", UINT64_MAX);
    fx_bin_f32(f, "f32", 0.25F);
    fx_bin_vec2(f, "vec2", 1, 2);
    fx_bin_vec3(f, "vec3", 1, 2, 3);
    fx_bin_vec4(f, "vec4", 1, 2, 3, 4);
    fx_bin_mtx44(f, "mtx44", matrix);
    fx_bin_rgba(f, "rgba", 1, 2, 3, 4);
    fx_bin_string(f, "string", "Text");
    fx_bin_hash(f, "hash", "Buffbone_Glb_Channel_Loc");
    fx_bin_link(f, "link", "Characters/Lux/Animations/Skin0");
    fx_bin_flag(f, "flag", true);
}

static void put_nested(fx_bin *f)
{
    fx_bin_null(f, "null");
    fx_bin_pointer(f, "pointer", "AtomicClipData");
    fx_bin_embed(f, "embed", "AnimationResourceData");
    fx_bin_string(f, "mAnimationFilePath", "ASSETS/a.anm");
    fx_bin_end(f);
    fx_bin_end(f);
    fx_bin_list(f, "hashes", RIFT_BIN_HASH);
    fx_bin_hash(f, NULL, "Root");
    fx_bin_hash(f, NULL, "Weapon");
    fx_bin_end(f);
    fx_bin_list(f, "links", RIFT_BIN_LINK); /* B180 */
    fx_bin_link(f, NULL, "test");
    fx_bin_end(f);
    fx_bin_list(f, "pointers", RIFT_BIN_POINTER);
    fx_bin_null(f, NULL);
    fx_bin_pointer(f, NULL, "JointSnapEventData");
    fx_bin_f32(f, "mStartFrame", 3);
    fx_bin_end(f);
    fx_bin_end(f);
    fx_bin_list(f, "flags", RIFT_BIN_FLAG);
    fx_bin_flag(f, NULL, false);
    fx_bin_end(f);
    fx_bin_list(f, "empty", RIFT_BIN_EMBED);
    fx_bin_end(f);
    fx_bin_option(f, "some", RIFT_BIN_F32);
    fx_bin_f32(f, NULL, 2.5F);
    fx_bin_end(f);
    fx_bin_option(f, "nothing", RIFT_BIN_STRING);
    fx_bin_end(f);
    fx_bin_map(f, "map", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    fx_bin_hash(f, NULL, "Idle1");
    fx_bin_pointer(f, NULL, "AtomicClipData");
    fx_bin_u32(f, "mFlags", 4);
    fx_bin_end(f);
    fx_bin_hash(f, NULL, "Run");
    fx_bin_null(f, NULL);
    fx_bin_end(f);
}

static rift_bytes make_all_types(rift_arena *arena, fx_bin_opts opts)
{
    fx_bin f;
    fx_bin_init(&f, arena, opts);
    if (f.opts.version >= 2) {
        fx_bin_depends(&f, "DATA/Characters/Lux/Lux.bin");
        fx_bin_depends(&f, "");
    }
    fx_bin_entry(&f, "first", "FirstClass");
    put_plain(&f);
    fx_bin_end(&f);
    fx_bin_entry(&f, "second", "SecondClass");
    put_nested(&f);
    if (opts.numbering == 0) {
        fx_bin_file(&f, "file", "DATA/Characters/Lux/Lux.bin");
        fx_bin_list2(&f, "list2", RIFT_BIN_U8);
        fx_bin_u8(&f, NULL, 9);
        fx_bin_end(&f);
    }
    fx_bin_end(&f);
    if (opts.patch && f.opts.version >= 3) {
        fx_bin_patch(&f, "first", "i8", RIFT_BIN_I8);
        fx_bin_i8(&f, NULL, 3);
        fx_bin_end(&f);
        fx_bin_patch(&f, "second", "hashes[0]", RIFT_BIN_HASH);
        fx_bin_hash(&f, NULL, "Head");
        fx_bin_end(&f);
    }
    return fx_bin_finish(&f);
}

static const rift_bin_value *field(const rift_bin_object *o, const char *name, rift_bin_type type)
{
    static const rift_bin_value none;
    const rift_bin_value *v = rift_bin_field_of(o, h(name));
    check_row("%s", name);
    if (!CHECK(v != NULL))
        return &none;
    CHECK_U64(v->type, type);
    return v;
}

static void check_plain(const rift_bin_object *o)
{
    (void)field(o, "none", RIFT_BIN_NONE);
    CHECK(field(o, "bool", RIFT_BIN_BOOL)->as.b);
    CHECK_I64(field(o, "i8", RIFT_BIN_I8)->as.i, -5);
    CHECK_U64(field(o, "u8", RIFT_BIN_U8)->as.u, 250);
    CHECK_I64(field(o, "i16", RIFT_BIN_I16)->as.i, -30000);
    CHECK_U64(field(o, "u16", RIFT_BIN_U16)->as.u, 60000);
    CHECK_I64(field(o, "i32", RIFT_BIN_I32)->as.i, -2000000000);
    CHECK_U64(field(o, "u32", RIFT_BIN_U32)->as.u, 4000000000);
    CHECK_I64(field(o, "i64", RIFT_BIN_I64)->as.i, INT64_MIN);
    CHECK_U64(field(o, "u64", RIFT_BIN_U64)->as.u, UINT64_MAX);
    CHECK_NEAR(field(o, "f32", RIFT_BIN_F32)->as.f[0], 0.25, 0);
    CHECK_NEAR(field(o, "vec2", RIFT_BIN_VEC2)->as.f[1], 2, 0);
    CHECK_NEAR(field(o, "vec3", RIFT_BIN_VEC3)->as.f[2], 3, 0);
    CHECK_NEAR(field(o, "vec4", RIFT_BIN_VEC4)->as.f[3], 4, 0);
    const rift_bin_value *m = field(o, "mtx44", RIFT_BIN_MTX44);
    CHECK_FATAL(m->as.matrix != NULL);
    CHECK_NEAR(m->as.matrix[12], 7, 0);
    CHECK_NEAR(m->as.matrix[15], 1, 0);
    CHECK_BYTES(((rift_bytes){field(o, "rgba", RIFT_BIN_RGBA)->as.rgba, 4}),
                ((rift_bytes){(const uint8_t *)"\1\2\3\4", 4}));
    CHECK_STR(field(o, "string", RIFT_BIN_STRING)->as.str, RIFT_STR("Text"));
    CHECK_U64(field(o, "hash", RIFT_BIN_HASH)->as.u, 0x82194067);
    CHECK_U64(field(o, "link", RIFT_BIN_LINK)->as.u, 0x904b16d3);
    CHECK(field(o, "flag", RIFT_BIN_FLAG)->as.b);
}

static void check_lists(const rift_bin_object *o)
{
    size_t n = 0;
    const rift_bin_value *items = rift_bin_items(o, h("hashes"), &n);
    CHECK_U64(n, 2);
    CHECK_FATAL(items != NULL && n == 2);
    CHECK_U64(items[0].as.u, 0x20fd0e45);
    CHECK_U64(items[1].as.u, 0x6f332041);
    items = rift_bin_items(o, h("links"), &n);
    CHECK_FATAL(n == 1);
    CHECK_U64(items[0].type, RIFT_BIN_LINK);
    CHECK_U64(items[0].as.u, 0xafd071e5);
    items = rift_bin_items(o, h("pointers"), &n);
    CHECK_FATAL(n == 2);
    CHECK(items[0].as.object == NULL);
    CHECK_FATAL(items[1].as.object != NULL);
    CHECK_U64(items[1].as.object->class_hash, 0xb5c1b6ad);
    CHECK_NEAR(rift_bin_number(items[1].as.object, h("mStartFrame"), 0), 3, 0);
    items = rift_bin_items(o, h("flags"), &n);
    CHECK_FATAL(n == 1);
    CHECK(!items[0].as.b);
    CHECK_U64(field(o, "empty", RIFT_BIN_LIST)->element_type, RIFT_BIN_EMBED);
    (void)rift_bin_items(o, h("empty"), &n);
    CHECK_U64(n, 0);
}

static void check_nested(const rift_bin_object *o)
{
    size_t n = 0;
    CHECK(field(o, "null", RIFT_BIN_POINTER)->as.object == NULL);
    const rift_bin_object *p = rift_bin_object_of(o, h("pointer"));
    CHECK_FATAL(p != NULL);
    CHECK_U64(p->class_hash, h("AtomicClipData"));
    CHECK_STR(rift_bin_string(rift_bin_object_of(p, h("embed")), h("mAnimationFilePath")),
              RIFT_STR("ASSETS/a.anm"));
    check_lists(o);
    const rift_bin_value *items = rift_bin_items(o, h("some"), &n);
    CHECK_FATAL(n == 1);
    CHECK_NEAR(items[0].as.f[0], 2.5, 0);
    CHECK_U64(field(o, "nothing", RIFT_BIN_OPTION)->count, 0);
    CHECK_U64(field(o, "nothing", RIFT_BIN_OPTION)->element_type, RIFT_BIN_STRING);
    const rift_bin_pair *pairs = rift_bin_pairs(o, h("map"), &n);
    CHECK_FATAL(n == 2);
    CHECK_U64(pairs[0].key.as.u, 0x9dd9dc06);
    CHECK_NEAR(rift_bin_number(pairs[0].value.as.object, h("mFlags"), 0), 4, 0);
    CHECK(pairs[1].value.as.object == NULL);
}

static const fx_bin_opts KINDS[] = {
    {.version = 1, .numbering = 0},
    {.version = 2, .numbering = 0},
    {.version = 3, .numbering = 0},
    {.version = 1, .numbering = 1},
    {.version = 2, .numbering = 1},
    {.version = 3, .numbering = 1},
    {.version = 1, .numbering = 2},
    {.version = 2, .numbering = 2},
    {.version = 3, .numbering = 2},
    {.version = 1, .patch = true},
    {.version = 2, .patch = true},
    {.version = 3, .patch = true},
    {.version = 3, .numbering = 1, .patch = true},
};

static void reads_every_version_and_numbering(void)
{
    for (size_t i = 0; i < RIFT_COUNT(KINDS); i++) {
        const fx_bin_opts o = KINDS[i];
        bench b;
        begin(&b);
        check_row("version %u numbering %d patch %d", o.version, o.numbering, o.patch);
        if (CHECK_OK(parse(&b, make_all_types(&b.arena, o)), &b.err)) {
            CHECK_U64(b.bin.version, o.version);
            CHECK_I64(b.bin.numbering, o.numbering);
            CHECK_U64(b.bin.is_patch, o.patch);
            CHECK_U64(b.bin.patch_count, o.patch && o.version == 3 ? 2 : 0);
            CHECK_U64(b.bin.link_count, o.version >= 2 ? 2 : 0);
            if (b.bin.link_count == 2)
                CHECK_STR(b.bin.links[0], RIFT_STR("DATA/Characters/Lux/Lux.bin"));
            CHECK_U64(b.bin.entry_count, 2);
            CHECK_U64(b.report.entry_count, 0);
            check_plain(&b.bin.entries[0].object);
            check_nested(&b.bin.entries[1].object);
        }
        end(&b);
    }
}

static void reads_file_hashes_and_list2(void)
{
    bench b;
    size_t n = 0;
    begin(&b);
    CHECK_OK(parse(&b, make_all_types(&b.arena, (fx_bin_opts){0})), &b.err);
    const rift_bin_object *o = &b.bin.entries[1].object;
    CHECK_U64(field(o, "file", RIFT_BIN_FILE)->as.u, 0x02fe0af750890fe6);
    CHECK_U64(field(o, "list2", RIFT_BIN_LIST2)->element_type, RIFT_BIN_U8);
    const rift_bin_value *items = rift_bin_items(o, h("list2"), &n);
    CHECK_FATAL(n == 1);
    CHECK_U64(items[0].as.u, 9);
    end(&b);
}

/* --- Refusals. --- */

/* "PROP" 3, no links, one entry of class 0x01020304 and path 0x11111111 with one field 0x22222222. */
enum { ENTRY_SIZE_AT = 20, FIELDS_AT = 28, TYPE_AT = 34, VALUE_AT = 35 };

static rift_bytes make_one_field(rift_arena *arena, const char *type_and_value, size_t size)
{
    rift_buf f;
    rift_buf_init(&f, arena, 100000);
    rift_buf_put(&f, "PROP\3\0\0\0\0\0\0\0\1\0\0\0\4\3\2\1", 20);
    rift_buf_u32(&f, (uint32_t)(4 + 2 + 4 + size));
    rift_buf_u32(&f, 0x11111111);
    rift_buf_u16(&f, 1);
    rift_buf_u32(&f, 0x22222222);
    rift_buf_put(&f, type_and_value, size);
    return rift_buf_bytes(&f);
}

#define BYTES(text) text, sizeof(text) - 1

/* Files that no numbering reads; code and offset are those of the modern attempt. */
static void refuses_bad_values(void)
{
    static const struct {
        const char *name;
        const char *bytes; /* type id and value */
        size_t size;
        rift_status code;
        uint64_t offset;
    } rows[] = {
        {"type 25", BYTES("\31"), RIFT_ERR_FORMAT, TYPE_AT},
        {"type 0x7f", BYTES("\177"), RIFT_ERR_FORMAT, TYPE_AT},
        {"type 0x88", BYTES("\210"), RIFT_ERR_FORMAT, TYPE_AT},
        {"type 255", BYTES("\377"), RIFT_ERR_FORMAT, TYPE_AT},
        {"no bytes for u8", BYTES("\3"), RIFT_ERR_TRUNCATED, VALUE_AT},
        {"3 bytes for u32", BYTES("\7\1\2\3"), RIFT_ERR_TRUNCATED, VALUE_AT},
        {"a byte too many after u32", BYTES("\7\1\2\3\4\5"), RIFT_ERR_FORMAT, VALUE_AT + 4},
        {"none with a byte", BYTES("\0\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"string past its entry", BYTES("\20\2\0a"), RIFT_ERR_TRUNCATED, VALUE_AT + 2},
        {"list of list", BYTES("\200\200\4\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"list of list2", BYTES("\200\201\15\0\0\0\1\0\0\0\3\4\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"list of option", BYTES("\200\205\4\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"list2 of map", BYTES("\201\206\4\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"list of unknown", BYTES("\200\100\4\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"list size too small", BYTES("\200\3\4\0\0\0\1\0\0\0\7"), RIFT_ERR_TRUNCATED, VALUE_AT + 5},
        {"list size too large", BYTES("\200\3\6\0\0\0\1\0\0\0\7\0"), RIFT_ERR_FORMAT, VALUE_AT + 10},
        {"list size past the entry", BYTES("\200\3\7\0\0\0\1\0\0\0\7"), RIFT_ERR_TRUNCATED, VALUE_AT + 1},
        {"list size below the count", BYTES("\200\3\3\0\0\0\0\0\0\0"), RIFT_ERR_TRUNCATED, VALUE_AT + 5},
        {"list count past its size", BYTES("\200\7\10\0\0\0\2\0\0\0\1\0\0\0"), RIFT_ERR_TRUNCATED,
         VALUE_AT + 5},
        {"list of 4 billion none", BYTES("\200\0\4\0\0\0\377\377\377\377"), RIFT_ERR_TRUNCATED, VALUE_AT + 5},
        {"option of 2", BYTES("\205\3\2\1\2"), RIFT_ERR_FORMAT, VALUE_AT + 1},
        {"option of option", BYTES("\205\205\1\3\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"option of list", BYTES("\205\200\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"option of map", BYTES("\205\206\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"map of list", BYTES("\206\7\200\4\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT + 1},
        {"map of map", BYTES("\206\7\206\4\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT + 1},
        {"map of option", BYTES("\206\7\205\4\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT + 1},
        {"map key list", BYTES("\206\200\7\4\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"map key embed", BYTES("\206\203\7\4\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"map key flag", BYTES("\206\207\7\4\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT},
        {"map count past its size", BYTES("\206\3\3\6\0\0\0\2\0\0\0\1\2"), RIFT_ERR_TRUNCATED, VALUE_AT + 6},
        {"map size too large", BYTES("\206\3\3\7\0\0\0\1\0\0\0\1\2\0"), RIFT_ERR_FORMAT, VALUE_AT + 12},
        {"pointer size too small", BYTES("\202\1\0\0\0\1\0\0\0\0\0"), RIFT_ERR_TRUNCATED, VALUE_AT + 8},
        {"pointer size too large", BYTES("\202\1\0\0\0\3\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT + 10},
        {"pointer size past the entry", BYTES("\202\1\0\0\0\3\0\0\0\0\0"), RIFT_ERR_TRUNCATED, VALUE_AT + 4},
        {"null pointer with a size", BYTES("\202\0\0\0\0\1\1\1\1\1\1"), RIFT_ERR_FORMAT, VALUE_AT + 4},
        {"embed field count past its size", BYTES("\203\1\0\0\0\6\0\0\0\1\0\7\7\7\7"), RIFT_ERR_TRUNCATED,
         VALUE_AT + 8},
        {"embed size too large", BYTES("\203\1\0\0\0\3\0\0\0\0\0\0"), RIFT_ERR_FORMAT, VALUE_AT + 10},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench b;
        begin(&b);
        check_row("%s", rows[i].name);
        b.bin.version = 99;
        CHECK(!parse(&b, make_one_field(&b.arena, rows[i].bytes, rows[i].size)));
        CHECK_CODE(&b.err, rows[i].code);
        CHECK_U64(b.err.offset, rows[i].offset);
        CHECK_STR(rift_str_c(b.err.where), RIFT_STR("entry[0]"));
        CHECK_U64(b.bin.version, 99); /* untouched */
        CHECK_U64(b.report.entry_count, 0);
        end(&b);
    }
}

static void refuses_bad_files(void)
{
    static const struct {
        const char *name;
        const char *bytes;
        size_t size;
        rift_status code;
        uint64_t offset;
    } rows[] = {
        {"bad magic", BYTES("PROB\3\0\0\0\0\0\0\0\0\0\0\0"), RIFT_ERR_FORMAT, 0},
        {"version 0", BYTES("PROP\0\0\0\0\0\0\0\0\0\0\0\0"), RIFT_ERR_UNSUPPORTED, 4},
        {"version 4", BYTES("PROP\4\0\0\0\0\0\0\0\0\0\0\0"), RIFT_ERR_UNSUPPORTED, 4},
        {"version 2^31", BYTES("PROP\0\0\0\200\0\0\0\0\0\0\0\0"), RIFT_ERR_UNSUPPORTED, 4},
        {"patch version 2", BYTES("PTCH\2\0\0\0\0\0\0\0PROP\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
         RIFT_ERR_UNSUPPORTED, 4},
        {"patch without PROP", BYTES("PTCH\1\0\0\0\0\0\0\0PTCH\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
         RIFT_ERR_FORMAT, 12},
        {"patch of version 9", BYTES("PTCH\1\0\0\0\0\0\0\0PROP\11\0\0\0\0\0\0\0\0\0\0\0"),
         RIFT_ERR_UNSUPPORTED, 16},
        {"link count past the end", BYTES("PROP\3\0\0\0\1\0\0\0\0"), RIFT_ERR_TRUNCATED, 8},
        {"link past the end", BYTES("PROP\3\0\0\0\1\0\0\0\3\0ab"), RIFT_ERR_TRUNCATED, 14},
        {"entry count past the end", BYTES("PROP\3\0\0\0\0\0\0\0\1\0\0\0\1\1\1\1\6\0\0\0\1\1\1\1\0"),
         RIFT_ERR_TRUNCATED, 12},
        {"entry count 4 billion", BYTES("PROP\3\0\0\0\0\0\0\0\377\377\377\377\1\1\1\1"), RIFT_ERR_TRUNCATED,
         12},
        {"header says 2, file holds 1 (B179)",
         BYTES("PROP\1\0\0\0\2\0\0\0\1\1\1\1\2\2\2\2\14\0\0\0\1\1\1\1\1\0\1\1\1\1\3\1"), RIFT_ERR_TRUNCATED,
         8},
        {"header says 2, file holds 1 that is longer",
         BYTES("PROP\1\0\0\0\2\0\0\0\1\1\1\1\2\2\2\2\23\0\0\0\1\1\1\1\1\0\1\1\1\1\11\1\1\1\1\1\1\1\1"),
         RIFT_ERR_TRUNCATED, 43},
        {"entry size past the end", BYTES("PROP\1\0\0\0\1\0\0\0\1\1\1\1\7\0\0\0\1\1\1\1\0\0"),
         RIFT_ERR_TRUNCATED, 16},
        {"entry size below its content",
         BYTES("PROP\1\0\0\0\2\0\0\0\1\1\1\1\2\2\2\2\5\0\0\0\1\1\1\1\0\7\0\0\0\1\1\1\1\0\0\0"),
         RIFT_ERR_TRUNCATED, 28},
        {"entry size above its content", BYTES("PROP\1\0\0\0\1\0\0\0\1\1\1\1\7\0\0\0\1\1\1\1\0\0\0"),
         RIFT_ERR_FORMAT, 26},
        {"field count past the entry", BYTES("PROP\1\0\0\0\1\0\0\0\1\1\1\1\12\0\0\0\1\1\1\1\1\0\1\1\1\1"),
         RIFT_ERR_TRUNCATED, 24},
        {"trailing byte", BYTES("PROP\1\0\0\0\0\0\0\0!"), RIFT_ERR_FORMAT, 12},
        {"patch count past the end", BYTES("PTCH\1\0\0\0\0\0\0\0PROP\3\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0"),
         RIFT_ERR_TRUNCATED, 28},
        {"patch size past the end",
         BYTES("PTCH\1\0\0\0\0\0\0\0PROP\3\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1\1\1\1\2\0\0\0\0"),
         RIFT_ERR_TRUNCATED, 36},
        {"trailing byte after patches",
         BYTES("PTCH\1\0\0\0\0\0\0\0PROP\3\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\1\1\1\1\1\0\0\0\0!"),
         RIFT_ERR_FORMAT, 41},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        bench b;
        begin(&b);
        check_row("%s", rows[i].name);
        CHECK(!parse(&b, (rift_bytes){(const uint8_t *)rows[i].bytes, rows[i].size}));
        CHECK_CODE(&b.err, rows[i].code);
        CHECK_U64(b.err.offset, rows[i].offset);
        end(&b);
    }
}

/* Depth counts embeds, pointers and containers around a value. */
static rift_bytes make_deep(rift_arena *arena, size_t depth)
{
    fx_bin f;
    fx_bin_init(&f, arena, (fx_bin_opts){0});
    fx_bin_entry(&f, "t", "T");
    for (size_t i = 0; i < depth; i++)
        fx_bin_embed(&f, "x", "X");
    for (size_t i = 0; i < depth; i++)
        fx_bin_end(&f);
    fx_bin_end(&f);
    return fx_bin_finish(&f);
}

static void limits_the_depth(void)
{
    bench b;
    begin(&b);
    CHECK_OK(parse(&b, make_deep(&b.arena, 64)), &b.err);
    CHECK(!parse(&b, make_deep(&b.arena, 65)));
    CHECK_CODE(&b.err, RIFT_ERR_LIMIT);
    CHECK_U64(b.err.offset, 30 + 64 * 15 + 5); /* each level: name, type, class, size, count */
    end(&b);
}

/* --- Damage. --- */

/* Three entries with one field each; the middle one's type is spoilt. */
static uint8_t *make_damaged(bench *b, fx_bin_opts opts, rift_bytes *out)
{
    fx_bin f;
    fx_bin_init(&f, &b->arena, opts);
    for (int i = 0; i < 3; i++) {
        fx_bin_entry(&f, i == 0 ? "a" : i == 1 ? "b" : "c", "T");
        fx_bin_pointer(&f, "p", "P");
        fx_bin_u8(&f, "v", (uint8_t)(10 + i));
        fx_bin_end(&f);
        fx_bin_end(&f);
    }
    const rift_bytes whole = fx_bin_finish(&f);
    const rift_bytes copied = rift_arena_copy_bytes(&b->arena, whole);
    uint8_t *bytes = rift_arena_push(&b->arena, whole.size, 1, 1);
    memcpy(bytes, copied.data, whole.size);
    *out = (rift_bytes){bytes, whole.size};
    return bytes;
}

static void skips_damaged_entries(void)
{
    for (int numbering = 0; numbering < 3; numbering++) {
        bench b;
        rift_bytes in;
        begin(&b);
        check_row("numbering %d", numbering);
        uint8_t *bytes = make_damaged(&b, (fx_bin_opts){.numbering = numbering}, &in);
        /* Entries of 4 + 6 + 5 + 10 + 6 = 31 bytes begin at 28; a type stands 14 bytes into its entry. */
        bytes[28 + 31 + 14] = 0x60;
        CHECK_OK(parse(&b, in), &b.err);
        CHECK_I64(b.bin.numbering, numbering);
        CHECK_U64(b.bin.entry_count, 2);
        CHECK_U64(b.bin.damaged_count, 1);
        CHECK_U64(rift_report_count(&b.report, "bin_entry_damaged"), 1);
        CHECK_U64(b.report.entry_count, 1);
        CHECK(rift_bin_lookup(&b.bin, h("b")) == NULL);
        const rift_bin_entry *c = rift_bin_lookup(&b.bin, h("c"));
        CHECK_FATAL(c != NULL);
        CHECK_I64(rift_bin_integer(rift_bin_object_of(&c->object, h("p")), h("v"), 0), 12);

        /* With none left the file is refused. */
        bytes[28 + 14] = 0x60;
        bytes[28 + 62 + 14] = 0x60;
        CHECK(!parse(&b, in));
        CHECK_CODE(&b.err, RIFT_ERR_FORMAT);
        end(&b);
    }
}

/* --- Map keys, fields, embeds of class 0. --- */

static void keeps_the_first_of_equal_keys(void)
{
    static const size_t sizes[] = {4, 40, 400}; /* searched pair by pair, and by table */
    for (size_t k = 0; k < RIFT_COUNT(sizes); k++) {
        bench b;
        fx_bin f;
        size_t n = 0;
        begin(&b);
        check_row("%zu pairs", sizes[k]);
        fx_bin_init(&f, &b.arena, (fx_bin_opts){0});
        fx_bin_entry(&f, "t", "T");
        fx_bin_map(&f, "ints", RIFT_BIN_U32, RIFT_BIN_U32);
        for (uint32_t i = 0; i < sizes[k]; i++) {
            fx_bin_u32(&f, NULL, i % (uint32_t)(sizes[k] / 2)); /* each key twice */
            fx_bin_u32(&f, NULL, i);
        }
        fx_bin_end(&f);
        fx_bin_map(&f, "strings", RIFT_BIN_STRING, RIFT_BIN_U32);
        for (uint32_t i = 0; i < sizes[k]; i++) {
            char key[16];
            (void)snprintf(key, sizeof key, i % 2 == 0 ? "same" : "k%u", i);
            fx_bin_string(&f, NULL, key);
            fx_bin_u32(&f, NULL, i);
        }
        fx_bin_end(&f);
        fx_bin_end(&f);
        CHECK_OK(parse(&b, fx_bin_finish(&f)), &b.err);
        const rift_bin_object *o = &b.bin.entries[0].object;
        const rift_bin_pair *pairs = rift_bin_pairs(o, h("ints"), &n);
        CHECK_U64(n, sizes[k] / 2);
        for (size_t i = 0; i < n; i++) {
            CHECK_U64(pairs[i].key.as.u, i);
            CHECK_U64(pairs[i].value.as.u, i);
        }
        pairs = rift_bin_pairs(o, h("strings"), &n);
        CHECK_U64(n, sizes[k] / 2 + 1);
        CHECK_STR(pairs[0].key.as.str, RIFT_STR("same"));
        CHECK_U64(pairs[0].value.as.u, 0);
        CHECK_U64(pairs[n - 1].value.as.u, sizes[k] - 1);
        CHECK_U64(rift_report_count(&b.report, "bin_duplicate_key"), sizes[k] / 2 + sizes[k] / 2 - 1);
        end(&b);
    }
}

static void finds_the_first_of_equal_fields(void)
{
    bench b;
    fx_bin f;
    begin(&b);
    fx_bin_init(&f, &b.arena, (fx_bin_opts){0});
    fx_bin_entry(&f, "t", "T");
    fx_bin_u32(&f, "x", 1);
    fx_bin_u32(&f, "x", 2);
    fx_bin_end(&f);
    fx_bin_entry(&f, "t", "U");
    fx_bin_end(&f);
    CHECK_OK(parse(&b, fx_bin_finish(&f)), &b.err);
    CHECK_U64(b.bin.entries[0].object.field_count, 2);
    CHECK_I64(rift_bin_integer(&b.bin.entries[0].object, h("x"), 0), 1);
    CHECK(rift_bin_lookup(&b.bin, h("t")) == &b.bin.entries[0]);
    end(&b);
}

static void reads_embeds_of_class_0_both_ways(void)
{
    bench b;
    begin(&b);
    /* As any other: class, size, count. */
    CHECK_OK(parse(&b, make_one_field(&b.arena, BYTES("\203\0\0\0\0\2\0\0\0\0\0"))), &b.err);
    const rift_bin_value *v = rift_bin_field_of(&b.bin.entries[0].object, 0x22222222);
    CHECK_FATAL(v != NULL && v->as.object != NULL);
    CHECK_U64(v->as.object->class_hash, 0);
    CHECK_U64(v->as.object->field_count, 0);
    /* As nothing, which only the sizes tell: a list2, which the older numberings do not have, of one embed. */
    CHECK_OK(parse(&b, make_one_field(&b.arena, BYTES("\201\203\10\0\0\0\1\0\0\0\0\0\0\0"))), &b.err);
    v = rift_bin_field_of(&b.bin.entries[0].object, 0x22222222);
    CHECK_FATAL(v != NULL && v->count == 1);
    CHECK_U64(v->as.items[0].type, RIFT_BIN_EMBED);
    CHECK(v->as.items[0].as.object == NULL);
    CHECK_I64(b.bin.numbering, 0);
    end(&b);
}

static void takes_any_byte_as_bool(void)
{
    bench b;
    begin(&b);
    CHECK_OK(parse(&b, make_one_field(&b.arena, BYTES("\1\7"))), &b.err);
    CHECK(rift_bin_bool(&b.bin.entries[0].object, 0x22222222, false));
    end(&b);
}

/* --- Tolerant readers. --- */

static void reads_tolerantly(void)
{
    bench b;
    fx_bin f;
    float v[4] = {9, 9, 9, 9};
    rift_str spelling = RIFT_STR("x");
    size_t n = 7;
    begin(&b);
    CHECK_OK(parse(&b, make_all_types(&b.arena, (fx_bin_opts){0})), &b.err);
    const rift_bin_object *o = &b.bin.entries[0].object;
    static const struct {
        const char *name;
        double number;
        int64_t integer;
        bool boolean;
    } rows[] = {
        /* fallbacks: -1, -2, true */
        {"absent", -1, -2, true},
        {"none", -1, -2, true},
        {"bool", -1, -2, true},
        {"i8", -5, -5, true},
        {"u8", 250, 250, true},
        {"i16", -30000, -30000, true},
        {"u16", 60000, 60000, true},
        {"i32", -2e9, -2000000000, true},
        {"u32", 4e9, 4000000000, true},
        {"i64", -9223372036854775808.0, INT64_MIN, true},
        {"u64", 18446744073709551616.0, -2, true},
        {"f32", 0.25, -2, true},
        {"string", -1, -2, true},
        {"hash", -1, -2, true},
        {"vec2", -1, -2, true},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        CHECK_NEAR(rift_bin_number(o, h(rows[i].name), -1), rows[i].number, 0);
        CHECK_I64(rift_bin_integer(o, h(rows[i].name), -2), rows[i].integer);
        CHECK_U64(rift_bin_bool(o, h(rows[i].name), true), rows[i].boolean);
    }
    check_row("%s", "");
    CHECK_STR(rift_bin_string(o, h("hash")), RIFT_STR(""));
    CHECK_U64(rift_bin_hash(o, h("hash")), 0x82194067);
    CHECK_U64(rift_bin_hash(o, h("link")), 0x904b16d3);
    CHECK_U64(rift_bin_hash(o, h("string")), h("text"));
    CHECK_U64(rift_bin_hash(o, h("u32")), 0);
    CHECK_U64(rift_bin_hash(o, h("absent")), 0);
    CHECK(!rift_bin_vector(o, h("absent"), v));
    CHECK_NEAR(v[0], 9, 0);
    CHECK(rift_bin_vector(o, h("f32"), v));
    CHECK_NEAR(v[0], 0.25, 0);
    CHECK_NEAR(v[1], 0, 0);
    CHECK(rift_bin_object_of(o, h("u32")) == NULL);
    CHECK(rift_bin_items(o, h("u32"), &n) == NULL);
    CHECK_U64(n, 0);
    n = 7;
    CHECK(rift_bin_pairs(o, h("u32"), &n) == NULL);
    CHECK_U64(n, 0);
    CHECK(rift_bin_field_of(NULL, h("u32")) == NULL);
    CHECK_I64(rift_bin_integer(NULL, h("u32"), 3), 3);

    fx_bin_init(&f, &b.arena, (fx_bin_opts){0});
    fx_bin_entry(&f, "t", "T");
    fx_bin_u8(&f, "zero", 0);
    fx_bin_i8(&f, "minus", -1);
    fx_bin_flag(&f, "off", false);
    fx_bin_string(&f, "empty", "");
    fx_bin_string(&f, "path", "DATA/Characters/Lux/Lux.bin");
    fx_bin_file(&f, "file", "DATA/Characters/Lux/Lux.bin");
    fx_bin_f32(&f, "nan", (float)NAN);
    fx_bin_vec3(&f, "infinite", 1, (float)INFINITY, 1);
    fx_bin_option(&f, "optional", RIFT_BIN_I16);
    fx_bin_i16(&f, NULL, -7);
    fx_bin_end(&f);
    fx_bin_option(&f, "optional embed", RIFT_BIN_EMBED);
    fx_bin_embed(&f, NULL, "E");
    fx_bin_end(&f);
    fx_bin_end(&f);
    fx_bin_option(&f, "nothing", RIFT_BIN_I16);
    fx_bin_end(&f);
    fx_bin_end(&f);
    CHECK_OK(parse(&b, fx_bin_finish(&f)), &b.err);
    o = &b.bin.entries[0].object;
    CHECK(!rift_bin_bool(o, h("zero"), true));
    CHECK(rift_bin_bool(o, h("minus"), false));
    CHECK(!rift_bin_bool(o, h("off"), true));
    CHECK_U64(rift_bin_hash(o, h("empty")), 0);
    CHECK_U64(rift_bin_file(o, h("empty"), &spelling), 0);
    CHECK_U64(spelling.size, 0);
    CHECK_U64(rift_bin_file(o, h("path"), &spelling), 0x02fe0af750890fe6);
    CHECK_STR(spelling, RIFT_STR("DATA/Characters/Lux/Lux.bin"));
    CHECK_U64(rift_bin_file(o, h("file"), &spelling), 0x02fe0af750890fe6);
    CHECK_U64(spelling.size, 0);
    CHECK_U64(rift_bin_file(o, h("file"), NULL), 0x02fe0af750890fe6);
    CHECK_U64(rift_bin_file(o, h("absent"), &spelling), 0);
    CHECK_NEAR(rift_bin_number(o, h("nan"), -1), -1, 0);
    v[0] = 9;
    CHECK(!rift_bin_vector(o, h("infinite"), v));
    CHECK_NEAR(v[0], 9, 0);
    CHECK_I64(rift_bin_integer(o, h("optional"), 0), -7);
    CHECK_NEAR(rift_bin_number(o, h("optional"), 0), -7, 0);
    CHECK_I64(rift_bin_integer(o, h("nothing"), 5), 5);
    CHECK(rift_bin_object_of(o, h("optional embed")) != NULL);
    end(&b);
}

/* --- Robustness runs. --- */

static bool parse_strictly(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_bin bin;
    return rift_bin_parse(&bin, in, arena, NULL, err);
}

/* The report shares the arena, as jobs do. */
static bool parse_with_report(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_bin bin;
    rift_report report;
    rift_report_init(&report, arena);
    return rift_bin_parse(&bin, in, arena, &report, err);
}

static void survives_prefixes_memory_and_changes(void)
{
    check_prefixes(parse_strictly, (rift_bytes){MINIMAL, sizeof MINIMAL}, 0, RIFT_ERR_TRUNCATED);
    for (size_t i = 0; i < RIFT_COUNT(KINDS); i++) {
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        const rift_bytes whole = make_all_types(&arena, KINDS[i]);
        check_prefixes(parse_strictly, whole, 0, RIFT_ERR_TRUNCATED);
        check_allocations(parse_strictly, whole);
        check_every_byte(parse_with_report, whole);
        rift_arena_release(&arena);
    }
}

static void stops_at_the_arenas_limit(void)
{
    bench b;
    rift_arena small;
    rift_bin bin;
    fx_bin f;
    begin(&b);
    fx_bin_init(&f, &b.arena, (fx_bin_opts){0});
    fx_bin_entry(&f, "t", "T");
    fx_bin_list(&f, "bytes", RIFT_BIN_U8);
    for (size_t i = 0; i < 1000; i++)
        fx_bin_u8(&f, NULL, 1);
    fx_bin_end(&f);
    fx_bin_end(&f);
    const rift_bytes in = fx_bin_finish(&f);
    rift_arena_init(&small, 20000);
    CHECK(!rift_bin_parse(&bin, in, &small, NULL, &b.err));
    CHECK_CODE(&b.err, RIFT_ERR_LIMIT);
    rift_arena_release(&small);
    end(&b);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(reads_the_minimal_file);
    RUN(builder_writes_the_minimal_file);
    RUN(reads_every_version_and_numbering);
    RUN(reads_file_hashes_and_list2);
    RUN(refuses_bad_values);
    RUN(refuses_bad_files);
    RUN(limits_the_depth);
    RUN(skips_damaged_entries);
    RUN(keeps_the_first_of_equal_keys);
    RUN(finds_the_first_of_equal_fields);
    RUN(reads_embeds_of_class_0_both_ways);
    RUN(takes_any_byte_as_bool);
    RUN(reads_tolerantly);
    RUN(survives_prefixes_memory_and_changes);
    RUN(stops_at_the_arenas_limit);
    return check_finish();
}
