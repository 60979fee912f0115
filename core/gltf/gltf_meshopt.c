/* EXT_meshopt_compression by libmeshoptimizer, whose encoders take no memory of their own. Vertices and times come back as
 * they were. Keys are filtered one by one before equal ones are looked for, so that what is shared is what is stored. */
#include <meshoptimizer.h>

#include "gltf/gltf_internal.h"

/* A tenth of what keys may be off (G40): 14 bits turn a rotation by 0.009 degrees, 16 move 300 u by 0.005 u. */
enum { ROTATION_BITS = 14, VECTOR_BITS = 16 };
enum { ROTATION_SIZE = 8, VECTOR_SIZE = 12 };

void gltf_filter_rotation(uint32_t out[2], const float v[4])
{
    int16_t q[4];
    meshopt_encodeFilterQuat(q, 1, sizeof q, ROTATION_BITS, v);
    for (size_t i = 0; i < 2; i++)
        out[i] = (uint32_t)(uint16_t)q[2 * i] | (uint32_t)(uint16_t)q[2 * i + 1] << 16;
}

void gltf_filter_vector(uint32_t out[3], const float v[3])
{
    meshopt_encodeFilterExp(out, 1, VECTOR_SIZE, VECTOR_BITS, v);
}

static const char *filter_of(const gltf_view *view)
{
    if (view->kind != GLTF_VIEW_VALUES)
        return NULL;
    return view->element_size == ROTATION_SIZE ? "QUATERNION"
           : view->element_size == VECTOR_SIZE ? "EXPONENTIAL"
                                               : NULL;
}

static uint8_t *unpacked(const gltf_doc *doc, uint32_t index)
{
    uint8_t *data = RIFT_NEW(doc->arena, uint8_t, doc->views[index].size);
    for (size_t i = 0; data != NULL && i < doc->accessor_count; i++) {
        const gltf_accessor *a = &doc->accessors[i];
        if (a->view == index)
            a->fill(data + a->offset, doc, a);
    }
    return data;
}

static size_t pack_vertices(uint8_t *out, size_t room, const gltf_doc *doc, uint32_t index, size_t count)
{
    const uint8_t *data = unpacked(doc, index);
    return data != NULL ? meshopt_encodeVertexBuffer(out, room, data, count, doc->views[index].element_size)
                        : 0;
}

static size_t pack_triangles(uint8_t *out, size_t room, const gltf_doc *doc, uint32_t index, size_t count)
{
    const size_t width = doc->views[index].element_size;
    const uint8_t *data = unpacked(doc, index);
    unsigned *indices = RIFT_NEW(doc->arena, unsigned, count);
    if (indices == NULL)
        return 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < width; k++)
            indices[i] |= (unsigned)data[width * i + k] << 8 * k;
    }
    /* What the extension wants. The setting is the whole program's, but nobody asks for another one. */
    meshopt_encodeIndexVersion(1);
    return meshopt_encodeIndexBuffer(out, room, indices, count);
}

static bool pack_view(gltf_doc *doc, uint32_t index, rift_err *err)
{
    gltf_view *view = &doc->views[index];
    const bool triangles = view->kind == GLTF_VIEW_INDICES;
    const size_t count = view->size / view->element_size;
    const size_t room = triangles ? meshopt_encodeIndexBufferBound(count, UINT32_MAX)
                                  : meshopt_encodeVertexBufferBound(count, view->element_size);
    uint8_t *packed = RIFT_NEW(doc->arena, uint8_t, room);
    if (packed == NULL)
        return rift_arena_ok(doc->arena, "glb", err);
    const rift_arena_mark mark = rift_arena_get_mark(doc->arena);
    const size_t size = triangles ? pack_triangles(packed, room, doc, index, count)
                                  : pack_vertices(packed, room, doc, index, count);
    rift_arena_rewind(doc->arena, mark);
    if (!rift_arena_ok(doc->arena, "glb", err))
        return false;
    RIFT_ASSERT(size > 0);
    view->packed = packed;
    view->packed_size = size;
    doc->uses[GLTF_EXT_MESHOPT_COMPRESSION] = true;
    return true;
}

bool gltf_pack_views(gltf_doc *doc, rift_err *err)
{
    for (uint32_t i = 0; i < doc->view_count; i++) {
        if (doc->views[i].kind != GLTF_VIEW_IMAGE && !pack_view(doc, i, err))
            return false;
    }
    return true;
}

void gltf_write_packing(rift_json *j, const gltf_view *view)
{
    const char *filter = filter_of(view);
    rift_json_key(j, "extensions");
    rift_json_object(j);
    rift_json_key(j, "EXT_meshopt_compression");
    rift_json_object(j);
    rift_json_put_uint(j, "buffer", 0);
    if (view->offset > 0)
        rift_json_put_uint(j, "byteOffset", view->offset);
    rift_json_put_uint(j, "byteLength", view->packed_size);
    rift_json_put_uint(j, "byteStride", view->element_size);
    rift_json_put_uint(j, "count", view->size / view->element_size);
    rift_json_put_cstr(j, "mode", view->kind == GLTF_VIEW_INDICES ? "TRIANGLES" : "ATTRIBUTES");
    if (filter != NULL)
        rift_json_put_cstr(j, "filter", filter);
    rift_json_object_end(j);
    rift_json_object_end(j);
}
