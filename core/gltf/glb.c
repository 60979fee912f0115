#include "gltf/gltf.h"

#include "gltf/gltf_internal.h"

/* The container (G1), and the order of the work. */

enum { VERSION = 2 };
static const uint32_t magic = 0x46546C67;      /* "glTF" */
static const uint32_t chunk_json = 0x4E4F534A; /* "JSON" */
static const uint32_t chunk_bin = 0x004E4942;  /* "BIN\0" */

static bool plan(gltf_doc *doc, rift_err *err)
{
    if (!gltf_tables_init(doc))
        return rift_arena_ok(doc->arena, "glb", err);
    gltf_plan_parts(doc);
    if (!rift_arena_ok(doc->arena, "glb", err))
        return false;
    gltf_plan_skin(doc);
    if (!gltf_plan_clips(doc, err))
        return false;
    gltf_plan_images(doc);
    if (doc->meshopt && !gltf_pack_views(doc, err))
        return false;
    gltf_place_views(doc);
    if (doc->buffer_size > RIFT_GLB_MAX_SIZE) {
        return rift_fail(err, RIFT_ERR_LIMIT, "glb", RIFT_NO_OFFSET, "binary data of %zu bytes is over %u",
                         doc->buffer_size, RIFT_GLB_MAX_SIZE);
    }
    return true;
}

static void write_json_chunk(rift_buf *b, const gltf_doc *doc)
{
    const size_t header = b->size;
    rift_buf_u32(b, 0); /* length, patched */
    rift_buf_u32(b, chunk_json);
    const size_t start = b->size;
    rift_json j;
    rift_json_init(&j, b);
    gltf_write_document(&j, doc);
    rift_buf_align(b, 4, ' ');
    if (!b->failed)
        rift_buf_patch_u32(b, header, (uint32_t)(b->size - start));
}

static void write_bin_chunk(rift_buf *b, const gltf_doc *doc)
{
    if (doc->buffer_size == 0)
        return;
    const size_t size = (doc->buffer_size + 3) & ~(size_t)3;
    rift_buf_u32(b, (uint32_t)size);
    rift_buf_u32(b, chunk_bin);
    uint8_t *data = rift_buf_extend(b, size);
    if (data != NULL)
        gltf_fill_buffer(data, doc);
}

bool rift_gltf_write(
    rift_bytes *out, const rift_scene *scene, const rift_gltf_opts *opts, rift_arena *arena, rift_err *err)
{
    gltf_doc doc = {
        .scene = scene,
        .opts = opts,
        .arena = arena,
        .space = {.sigma = opts->unit_scale, .mirror = opts->mirror},
        .meshopt = opts->numbers == RIFT_GLTF_MESHOPT && !opts->naive,
        .quantized = opts->numbers != RIFT_GLTF_FLOAT && !opts->naive,
        .skeleton = scene->skeleton != NULL && scene->skeleton->joint_count > 0 ? scene->skeleton : NULL,
    };
    if (!plan(&doc, err))
        return false;
    rift_buf b;
    rift_buf_init(&b, arena, RIFT_GLB_MAX_SIZE);
    rift_buf_u32(&b, magic);
    rift_buf_u32(&b, VERSION);
    rift_buf_u32(&b, 0); /* length, patched */
    write_json_chunk(&b, &doc);
    write_bin_chunk(&b, &doc);
    if (!rift_buf_ok(&b, "glb", err))
        return false;
    rift_buf_patch_u32(&b, 8, (uint32_t)b.size);
    *out = rift_buf_bytes(&b);
    return true;
}
