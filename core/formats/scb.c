#include "formats/scb.h"

#include <string.h>

#include "base/map.h"
#include "base/reader.h"
#include "base/str.h"
#include "hash/hash.h"

enum {
    NAME_SIZE = 128,
    MATERIAL_SIZE = 64,
    FACE_SIZE = 100,
    BOX_SIZE = 24,
    AT_VERSION = 8,
    OLDEST = 0x0101, /* major << 8 | minor */
    NEWEST = 0x0302,
    WITH_COLOR_FIELD = 0x0302
};

typedef struct parse {
    rift_reader r;
    rift_scb scb;
    uint64_t face_count_at;
    uint32_t face_count;
    rift_map by_name; /* hash of the name -> material */
    rift_arena *arena;
    rift_report *report;
} parse;

static bool read_version(parse *p)
{
    rift_reader *r = &p->r;
    const rift_bytes magic = rift_rd_bytes(r, 8);
    p->scb.major = rift_rd_u16(r);
    p->scb.minor = rift_rd_u16(r);
    if (!rift_rd_ok(r))
        return false;
    if (memcmp(magic.data, "r3d2Mesh", 8) != 0)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, 0, "magic is not r3d2Mesh");
    const uint32_t version = (uint32_t)p->scb.major << 8 | p->scb.minor;
    if (p->scb.minor > 0xff || version < OLDEST || version > NEWEST)
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, AT_VERSION, "version %u.%u", p->scb.major, p->scb.minor);
    return true;
}

static bool read_vertices(parse *p)
{
    rift_reader *r = &p->r;
    p->scb.name = rift_arena_copy_str(p->arena, rift_rd_fixed_str(r, NAME_SIZE));
    const uint64_t at = rift_rd_offset(r);
    const uint32_t vertex_count = rift_rd_u32(r);
    p->face_count_at = at + 4;
    p->face_count = rift_rd_u32(r);
    rift_rd_skip(r, 4 + BOX_SIZE);
    bool colors = false;
    if (((uint32_t)p->scb.major << 8 | p->scb.minor) >= WITH_COLOR_FIELD)
        colors = rift_rd_u32(r) != 0;
    if (!rift_rd_check_count(r, vertex_count, colors ? 16 : 12, SIZE_MAX, at, "vertex count"))
        return false;
    p->scb.vertex_count = vertex_count;
    p->scb.positions = RIFT_NEW(p->arena, float, 3 * (size_t)vertex_count);
    if (!rift_arena_ok(p->arena, "vertices", r->err))
        return false;
    for (size_t i = 0; i < 3 * (size_t)vertex_count; i++)
        p->scb.positions[i] = rift_rd_f32_finite(r, "position");
    if (colors)
        rift_rd_skip(r, 4 * (size_t)vertex_count);
    rift_rd_f32s(r, p->scb.central_point, 3);
    return rift_rd_check_count(r, p->face_count, FACE_SIZE, SIZE_MAX, p->face_count_at, "face count");
}

/* The material of that name, added when it is new; materials may share a hash, then the next keys are tried. */
static bool find_material(parse *p, rift_str name, uint64_t at, uint32_t *out)
{
    uint64_t key = rift_xxh64((rift_bytes){(const uint8_t *)name.data, name.size});
    uint32_t i;
    while ((i = rift_map_lookup(&p->by_name, key)) != RIFT_MAP_NONE &&
           !rift_str_eq(p->scb.materials[i], name))
        key++;
    if (i == RIFT_MAP_NONE) {
        i = (uint32_t)p->scb.material_count;
        if (i == RIFT_SCB_MAX_MATERIALS)
            return rift_rd_fail(&p->r, RIFT_ERR_LIMIT, at, "over %d materials", RIFT_SCB_MAX_MATERIALS);
        p->scb.materials[i] = rift_arena_copy_str(p->arena, name);
        p->scb.material_count++;
        (void)rift_map_add(&p->by_name, key, i);
    }
    *out = i;
    return rift_arena_ok(p->arena, "materials", p->r.err);
}

/* False on failure; *keep tells whether the face has three different corners. */
static bool read_face(parse *p, rift_scb_face *face, bool *keep)
{
    rift_reader *r = &p->r;
    for (size_t k = 0; k < 3; k++) {
        const uint64_t at = rift_rd_offset(r);
        face->index[k] = rift_rd_u32(r);
        if (rift_rd_ok(r) && face->index[k] >= p->scb.vertex_count) {
            return rift_rd_fail(r, RIFT_ERR_FORMAT, at, "index %u of %zu vertices", face->index[k],
                                p->scb.vertex_count);
        }
    }
    const uint64_t at = rift_rd_offset(r);
    const rift_str material = rift_rd_fixed_str(r, MATERIAL_SIZE);
    for (size_t axis = 0; axis < 2; axis++) {
        for (size_t k = 0; k < 3; k++)
            face->uv[k][axis] = rift_rd_f32(r);
    }
    if (!rift_rd_ok(r))
        return false;
    *keep = face->index[0] != face->index[1] && face->index[1] != face->index[2] &&
            face->index[2] != face->index[0];
    return !*keep || find_material(p, material, at, &face->material);
}

/* Orders by material, keeping the file's order within each. */
static bool group_faces(parse *p, const rift_scb_face *faces)
{
    const size_t count = p->scb.face_count;
    uint32_t *start = RIFT_NEW(p->arena, uint32_t, p->scb.material_count + 1);
    p->scb.faces = RIFT_NEW(p->arena, rift_scb_face, count);
    if (!rift_arena_ok(p->arena, "faces", p->r.err))
        return false;
    for (size_t i = 0; i < count; i++)
        start[faces[i].material + 1]++;
    for (size_t i = 0; i < p->scb.material_count; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < count; i++)
        p->scb.faces[start[faces[i].material]++] = faces[i];
    return true;
}

static bool read_faces(parse *p)
{
    const size_t most = p->face_count < RIFT_SCB_MAX_MATERIALS ? p->face_count : RIFT_SCB_MAX_MATERIALS;
    rift_scb_face *faces = RIFT_NEW(p->arena, rift_scb_face, p->face_count);
    p->scb.materials = RIFT_NEW(p->arena, rift_str, most);
    rift_map_init(&p->by_name, p->arena, 16);
    if (!rift_arena_ok(p->arena, "faces", p->r.err))
        return false;
    for (uint32_t i = 0; i < p->face_count; i++) {
        bool keep = false;
        if (!read_face(p, &faces[p->scb.face_count], &keep))
            return false;
        if (keep) {
            p->scb.face_count++;
        } else {
            rift_report_add(p->report, "scb_degenerate_face", "face %u", i);
        }
    }
    return group_faces(p, faces);
}

bool rift_scb_parse(rift_scb *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err)
{
    parse p = {.r = rift_rd_init(in, "scb", err), .arena = arena, .report = report};
    if (!read_version(&p) || !read_vertices(&p) || !read_faces(&p))
        return false;
    if (!rift_arena_ok(arena, "scb", err))
        return false;
    *out = p.scb;
    return true;
}
