#include <string.h>

#include "gltf/gltf_internal.h"

/* Views, accessors, and the sharing of equal animation data. Equality is decided on the converted bytes: the source may
 * hold two values that round to the same float32, and G42 wants no two accessors with the same content. A hash finds
 * the candidate, the bytes decide. */

static size_t count_accessors(const rift_scene *scene)
{
    enum { PER_PART = 8 };
    size_t count = scene->part_count * PER_PART + 1;
    for (size_t i = 0; i < scene->clip_count; i++)
        count += 2 * scene->clips[i].channel_count;
    return count;
}

bool gltf_tables_init(gltf_doc *doc)
{
    const rift_scene *scene = doc->scene;
    rift_arena *arena = doc->arena;
    const size_t accessors = count_accessors(scene);
    const size_t views =
        (doc->opts->naive ? accessors : GLTF_VIEW_KIND_COUNT * GLTF_MAX_ELEMENT_SIZES) + scene->texture_count;
    doc->accessors = RIFT_NEW(arena, gltf_accessor, accessors);
    doc->views = RIFT_NEW(arena, gltf_view, views);
    doc->parts = RIFT_NEW(arena, gltf_part, scene->part_count);
    doc->materials = RIFT_NEW(arena, gltf_material, scene->material_count);
    doc->textures = RIFT_NEW(arena, gltf_texture, 2 * scene->material_count);
    doc->samplers = RIFT_NEW(arena, gltf_wraps, scene->material_count);
    doc->images = RIFT_NEW(arena, gltf_image, scene->texture_count);
    doc->clips = RIFT_NEW(arena, gltf_clip, scene->clip_count);
    return doc->clips != NULL; /* a failed arena stays failed */
}

static size_t aligned(size_t size)
{
    return (size + 3) & ~(size_t)3;
}

uint32_t gltf_add_view(gltf_doc *doc, gltf_view_kind kind, size_t element_size)
{
    gltf_view *view = &doc->views[doc->view_count];
    *view = (gltf_view){.kind = kind, .element_size = element_size};
    return (uint32_t)doc->view_count++;
}

/* One view for a kind; in quantised files one for each size of its elements, since vertices of one view have one stride. */
static uint32_t view_of(gltf_doc *doc, gltf_view_kind kind, size_t element_size)
{
    for (size_t i = 0; i < doc->view_count && !doc->opts->naive; i++) {
        const gltf_view *view = &doc->views[i];
        if (view->kind == kind && (!doc->quantized || view->element_size == element_size))
            return (uint32_t)i;
    }
    return gltf_add_view(doc, kind, element_size);
}

uint32_t
gltf_add_accessor(gltf_doc *doc, gltf_view_kind kind, size_t element_size, const gltf_accessor *accessor)
{
    const uint32_t index = view_of(doc, kind, element_size);
    gltf_view *view = &doc->views[index];
    gltf_accessor *added = &doc->accessors[doc->accessor_count];
    *added = *accessor;
    added->view = index;
    /* Packed triangles have no gaps between them; those of 16 bits need none. */
    added->offset = doc->meshopt && kind == GLTF_VIEW_INDICES ? view->size : aligned(view->size);
    added->size = added->count * element_size;
    view->size = added->offset + added->size;
    view->accessor_count++;
    return (uint32_t)doc->accessor_count++;
}

static bool same_content(const gltf_doc *doc, const gltf_accessor *a, const gltf_accessor *b)
{
    if (a->count != b->count || strcmp(a->type, b->type) != 0 || a->fill != b->fill ||
        a->component_type != b->component_type)
        return false;
    const rift_channel *ca = a->source;
    const rift_channel *cb = b->source;
    if (a->bounds > 0) /* times, which nothing converts */
        return ca->times == cb->times || memcmp(ca->times, cb->times, a->count * sizeof(float)) == 0;
    if (ca->values == cb->values && ca->component == cb->component)
        return true;
    for (size_t i = 0; i < a->count; i++) {
        uint32_t wa[4];
        uint32_t wb[4];
        const size_t n = gltf_key_words(wa, doc, ca, i);
        (void)gltf_key_words(wb, doc, cb, i);
        if (memcmp(wa, wb, n * sizeof *wa) != 0)
            return false;
    }
    return true;
}

uint32_t gltf_share_accessor(
    gltf_doc *doc, gltf_view_kind kind, size_t element_size, const gltf_accessor *accessor, uint64_t hash)
{
    if (doc->opts->naive)
        return gltf_add_accessor(doc, kind, element_size, accessor);
    /* Different content under one hash moves on to the next key. */
    for (;; hash++) {
        const uint32_t found = rift_map_lookup(&doc->accessor_of_hash, hash);
        if (found == RIFT_MAP_NONE)
            break;
        if (same_content(doc, &doc->accessors[found], accessor))
            return found;
    }
    const uint32_t added = gltf_add_accessor(doc, kind, element_size, accessor);
    (void)rift_map_add(&doc->accessor_of_hash, hash, added);
    return added;
}

void gltf_place_views(gltf_doc *doc)
{
    size_t end = 0;
    size_t fallback = 0;
    for (size_t i = 0; i < doc->view_count; i++) {
        gltf_view *view = &doc->views[i];
        view->offset = aligned(end);
        end = view->offset + (view->packed != NULL ? view->packed_size : view->size);
        if (view->packed != NULL) {
            view->fallback_offset = aligned(fallback);
            fallback = view->fallback_offset + view->size;
        }
    }
    doc->buffer_size = end;
    doc->fallback_size = fallback;
}

/* `out` is zeroed: the gaps are the padding. */
void gltf_fill_buffer(uint8_t *out, const gltf_doc *doc)
{
    for (size_t i = 0; i < doc->accessor_count; i++) {
        const gltf_accessor *a = &doc->accessors[i];
        if (doc->views[a->view].packed == NULL)
            a->fill(out + doc->views[a->view].offset + a->offset, doc, a);
    }
    for (size_t i = 0; i < doc->view_count; i++) {
        if (doc->views[i].packed != NULL)
            memcpy(out + doc->views[i].offset, doc->views[i].packed, doc->views[i].packed_size);
    }
    for (size_t i = 0; i < doc->image_count; i++) {
        const rift_bytes data = doc->images[i].texture->data;
        if (data.size > 0)
            memcpy(out + doc->views[doc->images[i].view].offset, data.data, data.size);
    }
}

static void write_bounds(rift_json *j, const char *key, const float *values, unsigned count)
{
    rift_json_key(j, key);
    rift_json_array(j);
    for (unsigned i = 0; i < count; i++)
        rift_json_float(j, values[i]);
    rift_json_array_end(j);
}

static void write_accessor(rift_json *j, const gltf_accessor *a)
{
    rift_json_object(j);
    rift_json_put_uint(j, "bufferView", a->view);
    if (a->offset > 0)
        rift_json_put_uint(j, "byteOffset", a->offset);
    rift_json_put_uint(j, "componentType", a->component_type);
    if (a->normalized)
        rift_json_put_bool(j, "normalized", true);
    rift_json_put_uint(j, "count", a->count);
    rift_json_put_cstr(j, "type", a->type);
    if (a->bounds > 0) {
        write_bounds(j, "min", a->min, a->bounds);
        write_bounds(j, "max", a->max, a->bounds);
    }
    rift_json_object_end(j);
}

void gltf_write_accessors(rift_json *j, const gltf_doc *doc)
{
    if (doc->accessor_count == 0)
        return;
    rift_json_key(j, "accessors");
    rift_json_array(j);
    for (size_t i = 0; i < doc->accessor_count; i++)
        write_accessor(j, &doc->accessors[i]);
    rift_json_array_end(j);
}

static bool is_vertex_view(gltf_view_kind kind)
{
    return kind >= GLTF_VIEW_POSITION && kind <= GLTF_VIEW_WEIGHTS;
}

static void write_view(rift_json *j, const gltf_doc *doc, const gltf_view *view)
{
    const bool packed = view->packed != NULL;
    const size_t offset = packed ? view->fallback_offset : view->offset;
    rift_json_object(j);
    rift_json_put_uint(j, "buffer", packed ? 1 : 0);
    if (offset > 0)
        rift_json_put_uint(j, "byteOffset", offset);
    rift_json_put_uint(j, "byteLength", view->size);
    if (is_vertex_view(view->kind)) {
        if (view->accessor_count > 1 || doc->quantized) /* then elements are padded */
            rift_json_put_uint(j, "byteStride", view->element_size);
        rift_json_put_uint(j, "target", GLTF_ARRAY_BUFFER);
    } else if (view->kind == GLTF_VIEW_INDICES) {
        rift_json_put_uint(j, "target", GLTF_ELEMENT_ARRAY_BUFFER);
    }
    if (packed)
        gltf_write_packing(j, view);
    rift_json_object_end(j);
}

static void write_buffers(rift_json *j, const gltf_doc *doc)
{
    rift_json_key(j, "buffers");
    rift_json_array(j);
    rift_json_object(j);
    rift_json_put_uint(j, "byteLength", doc->buffer_size);
    rift_json_object_end(j);
    if (doc->fallback_size > 0) {
        rift_json_object(j);
        rift_json_put_uint(j, "byteLength", doc->fallback_size);
        rift_json_key(j, "extensions");
        rift_json_object(j);
        rift_json_key(j, "EXT_meshopt_compression");
        rift_json_object(j);
        rift_json_put_bool(j, "fallback", true);
        rift_json_object_end(j);
        rift_json_object_end(j);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

void gltf_write_views(rift_json *j, const gltf_doc *doc)
{
    if (doc->view_count == 0)
        return;
    rift_json_key(j, "bufferViews");
    rift_json_array(j);
    for (size_t i = 0; i < doc->view_count; i++)
        write_view(j, doc, &doc->views[i]);
    rift_json_array_end(j);
    write_buffers(j, doc);
}

void gltf_put_words(uint8_t *out, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t *to = out + 4 * i; /* four stores in a row become one */
        to[0] = (uint8_t)words[i];
        to[1] = (uint8_t)(words[i] >> 8);
        to[2] = (uint8_t)(words[i] >> 16);
        to[3] = (uint8_t)(words[i] >> 24);
    }
}

void gltf_put_f32(uint8_t *out, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        gltf_put_words(out + 4 * i, &bits, 1);
    }
}

void gltf_put_u16(uint8_t *out, uint32_t value)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
}

uint64_t gltf_hash_words(uint64_t hash, const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}
