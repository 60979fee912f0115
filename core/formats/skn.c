#include "formats/skn.h"

#include <math.h>

#include "base/reader.h"

/* Indices are read twice, once to tell relative from absolute ones and once to keep the good triangles, so they are
 * not unpacked before: a range is a window on the file's bytes. */

enum { MAGIC = 0x00112233, RANGE_SIZE = 80, NAME_SIZE = 64, BOUNDS_SIZE = 40, KNOWN_FLAGS = 3, NONE = 0 };

/* Where the parts of a vertex stand, by vertex type. Position, blend indices, weights, normal and first uv are the
 * same in all: 0, 12, 16, 32, 44. Type 3 has four more uv sets at 52 to 83, which are not read. */
static const struct {
    uint32_t size, color, tangent;
} layouts[] = {
    {52, NONE, NONE},
    {56, 52, NONE},
    {72, 52, 56},
    {104, 84, 88},
};

typedef struct parse {
    rift_reader r;
    rift_skn skn;
    rift_bytes raw_indices; /* u16 each */
    uint64_t indices_offset;
    size_t stored_index_count;
    rift_arena *arena;
    rift_report *report;
} parse;

static bool read_version(parse *p)
{
    rift_reader *r = &p->r;
    const uint32_t magic = rift_rd_u32(r);
    p->skn.major = rift_rd_u16(r);
    const uint16_t minor = rift_rd_u16(r);
    if (!rift_rd_ok(r))
        return false;
    if (magic != MAGIC)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, 0, "magic 0x%08x is not 0x%08x", magic, MAGIC);
    if (p->skn.major > 4 || p->skn.major == 3)
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, 4, "version %u.%u", p->skn.major, minor);
    if (minor != 1)
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, 6, "version %u.%u: minor is not 1", p->skn.major, minor);
    return true;
}

static bool read_ranges(parse *p)
{
    rift_reader *r = &p->r;
    const size_t count = rift_rd_count(r, RANGE_SIZE, RIFT_SKN_MAX_RANGES, "range count");
    rift_skn_range *ranges = RIFT_NEW(p->arena, rift_skn_range, count);
    for (size_t i = 0; i < count && ranges != NULL; i++) {
        ranges[i].name = rift_arena_copy_str(p->arena, rift_rd_fixed_str(r, NAME_SIZE));
        ranges[i].vertex_start = rift_rd_u32(r);
        ranges[i].vertex_count = rift_rd_u32(r);
        ranges[i].index_start = rift_rd_u32(r);
        ranges[i].index_count = rift_rd_u32(r);
    }
    p->skn.ranges = ranges;
    p->skn.range_count = count;
    return rift_rd_ok(r) && rift_arena_ok(p->arena, "range", r->err);
}

/* Version 0 has no table: the file is one range. */
static bool make_range(parse *p)
{
    rift_skn_range *range = RIFT_NEW(p->arena, rift_skn_range, 1);
    const rift_str name = rift_arena_copy_str(p->arena, RIFT_STR("Base"));
    if (!rift_arena_ok(p->arena, "range", p->r.err))
        return false;
    *range = (rift_skn_range){
        .name = name,
        .vertex_count = (uint32_t)p->skn.vertex_count,
        .index_count = (uint32_t)p->stored_index_count,
    };
    p->skn.ranges = range;
    p->skn.range_count = 1;
    return true;
}

static bool read_vertex_layout(parse *p)
{
    rift_reader *r = &p->r;
    const uint64_t at = rift_rd_offset(r);
    const uint32_t size = rift_rd_u32(r);
    const uint32_t type = rift_rd_u32(r);
    rift_rd_skip(r, BOUNDS_SIZE);
    if (!rift_rd_ok(r))
        return false;
    if (type >= RIFT_COUNT(layouts))
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, at + 4, "vertex type %u of %u bytes", type, size);
    if (size != layouts[type].size) {
        return rift_rd_fail(r, RIFT_ERR_FORMAT, at, "vertex size %u, type %u has %u", size, type,
                            layouts[type].size);
    }
    p->skn.vertex_type = type;
    return true;
}

static void read_flags(parse *p)
{
    const uint32_t flags = rift_rd_u32(&p->r);
    if (flags & ~(uint32_t)KNOWN_FLAGS)
        rift_report_add(p->report, "skn_unknown_flags", "flags 0x%x", flags);
    p->skn.flags = flags;
    p->skn.direct_indices = (flags & RIFT_SKN_DIRECT_INDICES) != 0;
}

/* Everything up to the vertices. */
static bool read_header(parse *p)
{
    rift_reader *r = &p->r;
    if (!read_version(p))
        return false;
    if (p->skn.major > 0 && !read_ranges(p))
        return false;
    if (p->skn.major == 4)
        read_flags(p);
    const uint64_t at = rift_rd_offset(r);
    const uint32_t index_count = rift_rd_u32(r);
    const uint32_t vertex_count = rift_rd_u32(r);
    if (p->skn.major == 4 && !read_vertex_layout(p))
        return false;
    if (p->skn.direct_indices)
        rift_rd_skip(r, rift_rd_u16(r));
    if (!rift_rd_check_count(r, index_count, sizeof(uint16_t), SIZE_MAX, at, "index count"))
        return false;
    p->indices_offset = rift_rd_offset(r);
    p->raw_indices = rift_rd_bytes(r, (size_t)index_count * sizeof(uint16_t));
    p->stored_index_count = index_count;
    p->skn.vertex_count = vertex_count;
    return rift_rd_check_count(r, vertex_count, layouts[p->skn.vertex_type].size, SIZE_MAX, at + 4,
                               "vertex count");
}

static bool make_vertex_arrays(parse *p)
{
    rift_skn *skn = &p->skn;
    const size_t n = skn->vertex_count;
    skn->positions = RIFT_NEW(p->arena, float, 3 * n);
    skn->blend_indices = RIFT_NEW(p->arena, uint8_t, 4 * n);
    skn->blend_weights = RIFT_NEW(p->arena, float, 4 * n);
    skn->normals = RIFT_NEW(p->arena, float, 3 * n);
    skn->uvs = RIFT_NEW(p->arena, float, 2 * n);
    if (layouts[skn->vertex_type].color != NONE)
        skn->colors = RIFT_NEW(p->arena, uint8_t, 4 * n);
    if (layouts[skn->vertex_type].tangent != NONE)
        skn->tangents = RIFT_NEW(p->arena, float, 4 * n);
    return rift_arena_ok(p->arena, "vertices", p->r.err);
}

static bool read_vertices(parse *p)
{
    rift_skn *skn = &p->skn;
    if (!make_vertex_arrays(p))
        return false;
    for (size_t i = 0; i < skn->vertex_count; i++) {
        rift_reader *r = &p->r;
        rift_rd_f32s(r, skn->positions + 3 * i, 3);
        for (size_t k = 0; k < 4; k++)
            skn->blend_indices[4 * i + k] = rift_rd_u8(r);
        rift_rd_f32s(r, skn->blend_weights + 4 * i, 4);
        rift_rd_f32s(r, skn->normals + 3 * i, 3);
        rift_rd_f32s(r, skn->uvs + 2 * i, 2);
        if (skn->vertex_type == 3)
            rift_rd_skip(r, 32);
        if (skn->colors != NULL) { /* stored B,G,R,A */
            uint8_t *color = skn->colors + 4 * i;
            color[2] = rift_rd_u8(r);
            color[1] = rift_rd_u8(r);
            color[0] = rift_rd_u8(r);
            color[3] = rift_rd_u8(r);
        }
        if (skn->tangents != NULL)
            rift_rd_f32s(r, skn->tangents + 4 * i, 4);
    }
    return rift_rd_ok(&p->r);
}

/* The reader of a range's indices; the range lies inside (checked before). */
static rift_reader index_window(const parse *p, const rift_skn_range *range)
{
    rift_reader all = rift_rd_init(p->raw_indices, "index", p->r.err);
    all.base = p->indices_offset;
    (void)rift_rd_seek(&all, (uint64_t)range->index_start * sizeof(uint16_t));
    return rift_rd_sub(&all, (size_t)range->index_count * sizeof(uint16_t), "index");
}

/* Decisions 27 and 35: relative without the flag when each index is below the range's vertex count and at least one
 * lies outside its span. */
static bool looks_relative(const parse *p, const rift_skn_range *range)
{
    rift_reader r = index_window(p, range);
    bool outside = false;
    for (uint32_t i = 0; i < range->index_count; i++) {
        const uint32_t index = rift_rd_u16(&r);
        if (index >= range->vertex_count)
            return false;
        outside |= index < range->vertex_start || index - range->vertex_start >= range->vertex_count;
    }
    return outside;
}

static bool usable_vertex(const rift_skn *skn, uint64_t index)
{
    if (index >= skn->vertex_count)
        return false;
    const float *v = skn->positions + 3 * index;
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static void keep_triangles(parse *p, rift_skn_range *range, uint32_t add)
{
    rift_skn *skn = &p->skn;
    rift_reader r = index_window(p, range);
    const size_t start = skn->index_count;
    uint32_t bad = 0;
    for (uint32_t i = 0; i < range->index_count; i += 3) {
        const uint64_t a = (uint64_t)rift_rd_u16(&r) + add;
        const uint64_t b = (uint64_t)rift_rd_u16(&r) + add;
        const uint64_t c = (uint64_t)rift_rd_u16(&r) + add;
        if (!usable_vertex(skn, a) || !usable_vertex(skn, b) || !usable_vertex(skn, c)) {
            bad++;
            continue;
        }
        uint32_t *out = skn->indices + skn->index_count;
        out[0] = (uint32_t)a;
        out[1] = (uint32_t)b;
        out[2] = (uint32_t)c;
        skn->index_count += 3;
    }
    if (bad > 0) {
        rift_report_add(p->report, "skn_bad_triangle", "\"%.*s\": %u of %u", RIFT_STR_ARG(range->name), bad,
                        range->index_count / 3);
    }
    range->index_start = (uint32_t)start;
    range->index_count = (uint32_t)(skn->index_count - start);
}

static bool fits(const parse *p, const rift_skn_range *range)
{
    return (uint64_t)range->vertex_start + range->vertex_count <= p->skn.vertex_count &&
           (uint64_t)range->index_start + range->index_count <= p->stored_index_count;
}

/* False when the range is dropped. */
static bool resolve_range(parse *p, rift_skn_range *range, size_t *claimed)
{
    const uint32_t partial = range->index_count % 3;
    if (!fits(p, range)) {
        rift_report_add(p->report, "skn_range_outside",
                        "\"%.*s\": vertices %u+%u of %zu, indices %u+%u of %zu", RIFT_STR_ARG(range->name),
                        range->vertex_start, range->vertex_count, p->skn.vertex_count, range->index_start,
                        range->index_count, p->stored_index_count);
        return false;
    }
    if (range->index_count > p->stored_index_count - *claimed) {
        rift_report_add(p->report, "skn_range_overlap", "\"%.*s\": indices %u+%u", RIFT_STR_ARG(range->name),
                        range->index_start, range->index_count);
        return false;
    }
    *claimed += range->index_count;
    if (partial > 0) {
        rift_report_add(p->report, "skn_partial_triangle", "\"%.*s\": %u indices", RIFT_STR_ARG(range->name),
                        range->index_count);
        range->index_count -= partial;
    }
    bool relative = (p->skn.flags & RIFT_SKN_RELATIVE_INDICES) != 0;
    if (!relative && looks_relative(p, range)) {
        rift_report_add(p->report, "range_relative_indices", "\"%.*s\"", RIFT_STR_ARG(range->name));
        relative = true;
    }
    keep_triangles(p, range, relative ? range->vertex_start : 0);
    return true;
}

static bool resolve_indices(parse *p)
{
    rift_skn *skn = &p->skn;
    skn->indices = RIFT_NEW(p->arena, uint32_t, p->stored_index_count);
    if (!rift_arena_ok(p->arena, "indices", p->r.err))
        return false;
    size_t kept = 0;
    size_t claimed = 0;
    for (size_t i = 0; i < skn->range_count; i++) {
        if (resolve_range(p, &skn->ranges[i], &claimed))
            skn->ranges[kept++] = skn->ranges[i];
    }
    skn->range_count = kept;
    return true;
}

bool rift_skn_parse(rift_skn *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err)
{
    parse p = {.r = rift_rd_init(in, "skn", err), .arena = arena, .report = report};
    if (!read_header(&p))
        return false;
    if (p.skn.major == 0 && !make_range(&p))
        return false;
    if (!read_vertices(&p) || !resolve_indices(&p))
        return false;
    if (!rift_arena_ok(arena, "skn", err))
        return false;
    *out = p.skn;
    return true;
}
