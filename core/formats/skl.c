#include "formats/skl.h"

#include <math.h>
#include <string.h>

#include "base/reader.h"
#include "hash/hash.h"

/* Both layouts fill the same joints. The current one stores local and inverse bind transforms; the legacy one stores
 * global matrices, from which both are worked out once all joints are read (parents may follow their children). */

enum {
    TOKEN = 0x22FD4FC3,
    JOINT_SIZE = 100,
    LEGACY_JOINT_SIZE = 88,
    LEGACY_NAME_SIZE = 32,
    /* offsets of header fields, for errors */
    AT_VERSION = 8,
    AT_JOINT_COUNT = 14,
    AT_INFLUENCE_COUNT = 16,
    AT_JOINTS = 20,
    AT_INFLUENCES = 28,
    LEGACY_AT_JOINT_COUNT = 16
};

static const double zero_length = 1e-6; /* a quaternion shorter than this has no direction */

typedef struct parse {
    rift_reader r;
    rift_skl skl;
    rift_arena *arena;
    rift_report *report;
} parse;

typedef struct header {
    uint32_t joint_count, influence_count;
    int32_t joints, influences, name, asset;
} header;

/* Replaces a non-finite number, counting in *repaired. */
static double or_else(double v, double instead, unsigned *repaired)
{
    if (isfinite(v))
        return v;
    (*repaired)++;
    return instead;
}

static rift_vec3 read_vec3(rift_reader *r)
{
    const double x = (double)rift_rd_f32(r);
    const double y = (double)rift_rd_f32(r);
    const double z = (double)rift_rd_f32(r);
    return (rift_vec3){x, y, z};
}

/* Translation, scale, rotation: the order of both transforms of a joint. */
static rift_trs read_trs(rift_reader *r)
{
    const rift_vec3 t = read_vec3(r);
    const rift_vec3 s = read_vec3(r);
    const rift_vec3 xyz = read_vec3(r);
    const double w = (double)rift_rd_f32(r);
    return (rift_trs){.t = t, .r = {xyz.x, xyz.y, xyz.z, w}, .s = s};
}

static rift_trs repair_trs(rift_trs trs, unsigned *repaired)
{
    const rift_vec3 t = trs.t;
    const rift_vec3 s = trs.s;
    const rift_quat q = trs.r;
    return (rift_trs){
        .t = {or_else(t.x, 0, repaired), or_else(t.y, 0, repaired), or_else(t.z, 0, repaired)},
        .r = {or_else(q.x, 0, repaired), or_else(q.y, 0, repaired), or_else(q.z, 0, repaired),
              or_else(q.w, 1, repaired)},
        .s = {or_else(s.x, 1, repaired), or_else(s.y, 1, repaired), or_else(s.z, 1, repaired)},
    };
}

static bool repair_rotation(rift_quat *q)
{
    if (sqrt(rift_quat_dot(*q, *q)) >= zero_length)
        return false;
    *q = (rift_quat){0, 0, 0, 1};
    return true;
}

static void set_inverse_bind(rift_skl_joint *joint, const rift_mat4 *m)
{
    rift_mat4 ignored;
    joint->inverse_bind_valid = rift_mat4_is_finite(m) && rift_mat4_invert(&ignored, m);
    joint->inverse_bind = rift_mat4_is_finite(m) ? *m : rift_mat4_identity();
}

static void set_transforms(parse *p, rift_skl_joint *joint, rift_trs local, rift_trs inverse)
{
    unsigned repaired = 0;
    joint->local = repair_trs(local, &repaired);
    unsigned bad_inverse = 0;
    inverse = repair_trs(inverse, &bad_inverse);
    bool zero = repair_rotation(&joint->local.r);
    zero |= repair_rotation(&inverse.r);
    inverse.r = rift_quat_normalize(inverse.r);
    const rift_mat4 m = rift_mat4_from_trs(inverse);
    set_inverse_bind(joint, &m);
    if (bad_inverse > 0)
        joint->inverse_bind_valid = false;
    if (repaired + bad_inverse > 0) {
        rift_report_add(p->report, "skl_not_finite", "\"%.*s\": %u numbers", RIFT_STR_ARG(joint->name),
                        repaired + bad_inverse);
    }
    if (zero)
        rift_report_add(p->report, "skl_zero_rotation", "\"%.*s\"", RIFT_STR_ARG(joint->name));
}

static int16_t check_parent(parse *p, int64_t parent, size_t id)
{
    if (parent == RIFT_SKL_NO_PARENT || (parent >= 0 && (uint64_t)parent < p->skl.joint_count))
        return (int16_t)parent;
    rift_report_add(p->report, "skl_parent_out_of_range", "joint %zu: parent %lld of %zu joints", id,
                    (long long)parent, p->skl.joint_count);
    return RIFT_SKL_NO_PARENT;
}

static bool make_joints(parse *p, size_t count)
{
    p->skl.joints = RIFT_NEW(p->arena, rift_skl_joint, count);
    p->skl.joint_count = count;
    return rift_arena_ok(p->arena, "joints", p->r.err);
}

static bool make_influences(parse *p, size_t count)
{
    p->skl.influences = RIFT_NEW(p->arena, uint16_t, count);
    p->skl.influence_count = count;
    return rift_arena_ok(p->arena, "influences", p->r.err);
}

static void set_influence(parse *p, size_t slot, uint32_t id)
{
    const bool good = id < p->skl.joint_count;
    p->skl.influences[slot] = good ? (uint16_t)id : RIFT_SKL_BAD_INFLUENCE;
    if (!good) {
        rift_report_add(p->report, "skl_bad_influence", "influence %zu: joint %u of %zu", slot, id,
                        p->skl.joint_count);
    }
}

/* Moves to a section of `count` elements that header fields at the given places announce. */
static bool open_section(rift_reader *r, int32_t offset, uint64_t at, const char *what)
{
    if (!rift_rd_ok(r))
        return false;
    if (offset <= 0)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, at, "%s offset %d", what, offset);
    if ((size_t)offset > r->in.size) {
        return rift_rd_fail(r, RIFT_ERR_TRUNCATED, at, "%s offset %d is past the end at %zu", what, offset,
                            r->in.size);
    }
    return rift_rd_seek(r, (uint64_t)offset);
}

/* The skeleton's own name and asset name: nobody needs them, so a bad one is only reported. */
static rift_str read_optional_str(parse *p, int32_t offset, const char *what)
{
    if (offset <= 0)
        return (rift_str){0};
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_reader r = rift_rd_init(p->r.in, what, &err);
    (void)rift_rd_seek(&r, (uint64_t)offset);
    const rift_str s = rift_rd_cstr(&r, RIFT_SKL_MAX_NAME, what);
    if (!rift_rd_ok(&r))
        rift_report_err(p->report, "skl_bad_string", &err);
    return rift_arena_copy_str(p->arena, s);
}

static bool read_header(parse *p, header *h)
{
    rift_reader *r = &p->r;
    const uint32_t size = rift_rd_u32(r);
    rift_rd_skip(r, 4);
    p->skl.version = rift_rd_u32(r);
    const uint16_t flags = rift_rd_u16(r);
    h->joint_count = rift_rd_u16(r);
    h->influence_count = rift_rd_u32(r);
    h->joints = rift_rd_i32(r);
    rift_rd_skip(r, 4);
    h->influences = rift_rd_i32(r);
    h->name = rift_rd_i32(r);
    h->asset = rift_rd_i32(r);
    rift_rd_skip(r, 24);
    if (!rift_rd_ok(r))
        return false;
    if (p->skl.version != 0)
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, AT_VERSION, "version %u", p->skl.version);
    if (h->joint_count == 0)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, AT_JOINT_COUNT, "no joints");
    if (size != r->in.size)
        rift_report_add(p->report, "skl_size_mismatch", "size %u, file has %zu", size, r->in.size);
    if (flags != 0)
        rift_report_add(p->report, "skl_unknown_flags", "flags 0x%x", flags);
    return true;
}

/* The name lies at an offset from the field that holds it. */
static rift_str read_joint_name(parse *p, uint64_t field, int32_t relative)
{
    if (!rift_rd_ok(&p->r))
        return (rift_str){0};
    const int64_t offset = (int64_t)field + relative;
    rift_reader r = rift_rd_init(p->r.in, "joint name", p->r.err);
    if (offset < 0) {
        (void)rift_rd_fail(&r, RIFT_ERR_FORMAT, field, "name offset %d is before the file", relative);
    } else if ((uint64_t)offset > r.in.size) {
        (void)rift_rd_fail(&r, RIFT_ERR_TRUNCATED, field, "name offset %d is past the end", relative);
    }
    (void)rift_rd_seek(&r, offset < 0 ? 0 : (uint64_t)offset);
    return rift_arena_copy_str(p->arena, rift_rd_cstr(&r, RIFT_SKL_MAX_NAME, "name"));
}

static bool read_joint(parse *p, bool *seen)
{
    rift_reader *r = &p->r;
    const uint64_t start = rift_rd_offset(r);
    rift_rd_skip(r, 2);
    const int16_t id = rift_rd_i16(r);
    const int16_t parent = rift_rd_i16(r);
    rift_rd_skip(r, 2);
    const uint32_t hash = rift_rd_u32(r);
    rift_rd_skip(r, 4);
    const rift_trs local = read_trs(r);
    const rift_trs inverse = read_trs(r);
    const int32_t name = rift_rd_i32(r);
    if (!rift_rd_ok(r))
        return false;
    if (id < 0 || (size_t)id >= p->skl.joint_count)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, start + 2, "joint id %d of %zu", id, p->skl.joint_count);
    if (seen[id])
        return rift_rd_fail(r, RIFT_ERR_FORMAT, start + 2, "joint id %d is used twice", id);
    seen[id] = true;
    rift_skl_joint *joint = &p->skl.joints[id];
    joint->name = read_joint_name(p, start + 96, name);
    joint->hash = hash;
    joint->parent = check_parent(p, parent, (size_t)id);
    set_transforms(p, joint, local, inverse);
    return rift_rd_ok(r);
}

static bool read_joints(parse *p, const header *h)
{
    rift_reader *r = &p->r;
    if (!open_section(r, h->joints, AT_JOINTS, "joints") ||
        !rift_rd_check_count(r, h->joint_count, JOINT_SIZE, RIFT_SKL_MAX_JOINTS, AT_JOINT_COUNT,
                             "joint count"))
        return false;
    if (!make_joints(p, h->joint_count))
        return false;
    bool *seen = RIFT_NEW(p->arena, bool, h->joint_count);
    if (!rift_arena_ok(p->arena, "joints", r->err))
        return false;
    for (uint32_t i = 0; i < h->joint_count; i++) {
        if (!read_joint(p, seen))
            return false;
    }
    return true;
}

static bool read_influences(parse *p, const header *h)
{
    rift_reader *r = &p->r;
    if (h->influence_count == 0)
        return make_influences(p, 0);
    if (!open_section(r, h->influences, AT_INFLUENCES, "influences") ||
        !rift_rd_check_count(r, h->influence_count, sizeof(uint16_t), SIZE_MAX, AT_INFLUENCE_COUNT,
                             "influence count"))
        return false;
    if (!make_influences(p, h->influence_count))
        return false;
    for (size_t i = 0; i < h->influence_count; i++)
        set_influence(p, i, rift_rd_u16(r));
    return rift_rd_ok(r);
}

static bool parse_current(parse *p)
{
    header h;
    if (!read_header(p, &h) || !read_joints(p, &h) || !read_influences(p, &h))
        return false;
    p->skl.name = read_optional_str(p, h.name, "name");
    p->skl.asset = read_optional_str(p, h.asset, "asset name");
    return rift_rd_ok(&p->r);
}

static rift_mat4 read_rows(rift_reader *r)
{
    rift_mat4 m = rift_mat4_identity();
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++)
            m.m[4 * column + row] = (double)rift_rd_f32(r);
    }
    return m;
}

static void read_legacy_joint(parse *p, size_t id, rift_mat4 *global)
{
    rift_reader *r = &p->r;
    rift_skl_joint *joint = &p->skl.joints[id];
    joint->name = rift_arena_copy_str(p->arena, rift_rd_fixed_str(r, LEGACY_NAME_SIZE));
    joint->hash = rift_elf(joint->name);
    joint->parent = check_parent(p, rift_rd_i32(r), id);
    rift_rd_skip(r, 4);
    *global = read_rows(r);
    joint->inverse_bind = rift_mat4_identity();
    joint->inverse_bind_valid = false;
    if (!rift_mat4_is_finite(global)) {
        rift_report_add(p->report, "skl_not_finite", "\"%.*s\"", RIFT_STR_ARG(joint->name));
        *global = rift_mat4_identity();
        return;
    }
    rift_mat4 inverse;
    if (rift_mat4_invert(&inverse, global))
        set_inverse_bind(joint, &inverse);
    if (!joint->inverse_bind_valid)
        rift_report_add(p->report, "skl_singular_bind", "\"%.*s\"", RIFT_STR_ARG(joint->name));
}

/* local = inverse(global[parent]) * global. Under a parent without an inverse the global matrix itself must do. */
static void set_legacy_local(parse *p, size_t id, const rift_mat4 *globals)
{
    rift_skl_joint *joint = &p->skl.joints[id];
    rift_mat4 local = globals[id];
    rift_mat4 inverse;
    if (joint->parent != RIFT_SKL_NO_PARENT && rift_mat4_invert(&inverse, &globals[joint->parent]))
        local = rift_mat4_mul(inverse, globals[id]);
    unsigned repaired = 0;
    joint->local = repair_trs(rift_mat4_decompose(&local), &repaired);
    if (repaired > 0)
        rift_report_add(p->report, "skl_not_finite", "\"%.*s\": local transform", RIFT_STR_ARG(joint->name));
}

static bool read_legacy_influences(parse *p)
{
    rift_reader *r = &p->r;
    if (p->skl.version < 2) {
        if (!make_influences(p, p->skl.joint_count))
            return false;
        for (size_t i = 0; i < p->skl.joint_count; i++)
            p->skl.influences[i] = (uint16_t)i;
        return true;
    }
    const size_t count = rift_rd_count(r, sizeof(uint32_t), SIZE_MAX, "influence count");
    if (!rift_rd_ok(r) || !make_influences(p, count))
        return false;
    for (size_t i = 0; i < count; i++)
        set_influence(p, i, rift_rd_u32(r));
    return rift_rd_ok(r);
}

static bool parse_legacy(parse *p)
{
    rift_reader *r = &p->r;
    rift_rd_skip(r, 8);
    p->skl.legacy = true;
    p->skl.version = rift_rd_u32(r);
    if (rift_rd_ok(r) && p->skl.version > 2)
        return rift_rd_fail(r, RIFT_ERR_UNSUPPORTED, AT_VERSION, "legacy version %u", p->skl.version);
    rift_rd_skip(r, 4);
    const size_t count = rift_rd_count(r, LEGACY_JOINT_SIZE, RIFT_SKL_MAX_JOINTS, "joint count");
    if (!rift_rd_ok(r))
        return false;
    if (count == 0)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, LEGACY_AT_JOINT_COUNT, "no joints");
    rift_mat4 *globals = RIFT_NEW(p->arena, rift_mat4, count);
    if (!make_joints(p, count))
        return false;
    for (size_t i = 0; i < count; i++)
        read_legacy_joint(p, i, &globals[i]);
    for (size_t i = 0; i < count; i++)
        set_legacy_local(p, i, globals);
    return rift_rd_ok(r) && read_legacy_influences(p);
}

bool rift_skl_parse(rift_skl *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err)
{
    parse p = {.r = rift_rd_init(in, "skl", err), .arena = arena, .report = report};
    rift_reader peek = p.r;
    const rift_bytes magic = rift_rd_bytes(&peek, 8);
    if (!rift_rd_ok(&peek))
        return false;
    rift_reader token = rift_rd_init(magic, "skl", err);
    rift_rd_skip(&token, 4);
    bool ok;
    if (memcmp(magic.data, "r3d2sklt", 8) == 0) {
        ok = parse_legacy(&p);
    } else if (rift_rd_u32(&token) == TOKEN) {
        ok = parse_current(&p);
    } else {
        ok = rift_fail(err, RIFT_ERR_FORMAT, "skl", 0, "not a skeleton: neither r3d2sklt nor token 0x%08x",
                       TOKEN);
    }
    if (!ok || !rift_arena_ok(arena, "skl", err))
        return false;
    *out = p.skl;
    return true;
}
