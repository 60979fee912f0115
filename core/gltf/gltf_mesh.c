#include <string.h>

#include "base/str.h"
#include "gltf/gltf_internal.h"

/* Parts as meshes of one primitive each (G21-G28), and their nodes (G11, G15, G34). */

static void fill_indices(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    const rift_part *part = accessor->source;
    const bool wide = accessor->component_type == GLTF_U32;
    const size_t width = wide ? 4 : 2;
    for (size_t i = 0; i < accessor->count; i++) {
        /* (a, b, c) becomes (a, c, b) under the mirror (G7). */
        const size_t corner = i % 3;
        const size_t from = doc->space.mirror && corner > 0 ? i - corner + (3 - corner) : i;
        for (size_t k = 0; k < width; k++)
            out[i * width + k] = (uint8_t)(part->indices[from] >> (8 * k));
    }
}

static void fill_positions(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    const rift_part *part = accessor->source;
    for (size_t i = 0; i < accessor->count; i++) {
        float v[3];
        gltf_point(v, &doc->space, part->positions + 3 * i);
        gltf_put_f32(out + 12 * i, v, 3);
    }
}

static void fill_normals(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    const rift_part *part = accessor->source;
    for (size_t i = 0; i < accessor->count; i++) {
        float v[3];
        gltf_direction(v, &doc->space, part->normals + 3 * i);
        gltf_put_f32(out + 12 * i, v, 3);
    }
}

static void fill_texcoords(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    (void)doc;
    const rift_part *part = accessor->source;
    gltf_put_f32(out, part->uvs, 2 * accessor->count);
}

static void fill_tangents(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    const rift_part *part = accessor->source;
    for (size_t i = 0; i < accessor->count; i++) {
        const float *in = part->tangents + 4 * i;
        float v[4];
        gltf_direction(v, &doc->space, in);
        v[3] = (in[3] < 0) != doc->space.mirror ? -1.0f : 1.0f;
        gltf_put_f32(out + 16 * i, v, 4);
    }
}

static void fill_colors(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    (void)doc;
    const rift_part *part = accessor->source;
    memcpy(out, part->colors, 4 * accessor->count);
}

static void fill_joints(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    (void)doc;
    const rift_part *part = accessor->source;
    const bool wide = accessor->component_type == GLTF_U16;
    for (size_t i = 0; i < 4 * accessor->count; i++) {
        if (wide) {
            out[2 * i] = (uint8_t)part->joints[i];
            out[2 * i + 1] = (uint8_t)(part->joints[i] >> 8);
        } else {
            out[i] = (uint8_t)part->joints[i];
        }
    }
}

static void fill_weights(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    (void)doc;
    const rift_part *part = accessor->source;
    gltf_put_f32(out, part->weights, 4 * accessor->count);
}

static uint32_t add_indices(gltf_doc *doc, const rift_part *part)
{
    /* Up to 65 535 vertices no index is 65 535, which restarts primitives (G22). */
    const bool wide = part->vertex_count > UINT16_MAX;
    return gltf_add_accessor(doc, GLTF_VIEW_INDICES, wide ? 4 : 2,
                             &(gltf_accessor){
                                 .fill = fill_indices,
                                 .source = part,
                                 .type = "SCALAR",
                                 .component_type = wide ? GLTF_U32 : GLTF_U16,
                                 .count = part->index_count,
                             });
}

static uint32_t add_positions(gltf_doc *doc, const rift_part *part)
{
    gltf_accessor a = {
        .fill = fill_positions,
        .source = part,
        .type = "VEC3",
        .component_type = GLTF_F32,
        .count = part->vertex_count,
        .bounds = 3,
    };
    gltf_point(a.min, &doc->space, part->positions);
    gltf_point(a.max, &doc->space, part->positions);
    for (size_t i = 1; i < part->vertex_count; i++) {
        float v[3];
        gltf_point(v, &doc->space, part->positions + 3 * i);
        for (int k = 0; k < 3; k++) {
            a.min[k] = v[k] < a.min[k] ? v[k] : a.min[k];
            a.max[k] = v[k] > a.max[k] ? v[k] : a.max[k];
        }
    }
    return gltf_add_accessor(doc, GLTF_VIEW_POSITION, 12, &a);
}

static uint32_t
add_attribute(gltf_doc *doc, gltf_view_kind kind, gltf_fill_fn *fill, const char *type, const rift_part *part)
{
    const size_t components = (size_t)(type[3] - '0');
    return gltf_add_accessor(doc, kind, components * sizeof(float),
                             &(gltf_accessor){
                                 .fill = fill,
                                 .source = part,
                                 .type = type,
                                 .component_type = GLTF_F32,
                                 .count = part->vertex_count,
                             });
}

static uint32_t add_colors(gltf_doc *doc, const rift_part *part)
{
    return gltf_add_accessor(doc, GLTF_VIEW_COLOR, 4,
                             &(gltf_accessor){
                                 .fill = fill_colors,
                                 .source = part,
                                 .type = "VEC4",
                                 .component_type = GLTF_U8,
                                 .count = part->vertex_count,
                                 .normalized = true,
                             });
}

static uint32_t add_joints(gltf_doc *doc, const rift_part *part)
{
    const bool wide = doc->skeleton->joint_count > 256;
    return gltf_add_accessor(doc, GLTF_VIEW_JOINTS, wide ? 8 : 4,
                             &(gltf_accessor){
                                 .fill = fill_joints,
                                 .source = part,
                                 .type = "VEC4",
                                 .component_type = wide ? GLTF_U16 : GLTF_U8,
                                 .count = part->vertex_count,
                             });
}

static bool is_skinned(const gltf_doc *doc, const rift_part *part)
{
    return doc->skeleton != NULL && part->joints != NULL && part->weights != NULL;
}

static uint32_t *use_variants(gltf_doc *doc, const rift_part *part)
{
    const size_t count = part->variant_materials != NULL ? doc->scene->variant_count : 0;
    uint32_t *materials = RIFT_NEW(doc->arena, uint32_t, count);
    for (size_t v = 0; v < count && materials != NULL; v++)
        materials[v] = gltf_use_material(doc, part->variant_materials[v]);
    if (count > 0)
        doc->uses[GLTF_EXT_MATERIALS_VARIANTS] = true;
    return materials;
}

static gltf_part plan_part(gltf_doc *doc, const rift_part *part)
{
    const bool skinned = is_skinned(doc, part);
    return (gltf_part){
        .part = part,
        .material = gltf_use_material(doc, part->material),
        .variant_materials = use_variants(doc, part),
        .indices = add_indices(doc, part),
        .position = add_positions(doc, part),
        .normal = add_attribute(doc, GLTF_VIEW_NORMAL, fill_normals, "VEC3", part),
        .texcoord = add_attribute(doc, GLTF_VIEW_TEXCOORD, fill_texcoords, "VEC2", part),
        .tangent =
            part->tangents ? add_attribute(doc, GLTF_VIEW_TANGENT, fill_tangents, "VEC4", part) : GLTF_NONE,
        .color = part->colors ? add_colors(doc, part) : GLTF_NONE,
        .joints = skinned ? add_joints(doc, part) : GLTF_NONE,
        .weights = skinned ? add_attribute(doc, GLTF_VIEW_WEIGHTS, fill_weights, "VEC4", part) : GLTF_NONE,
    };
}

void gltf_plan_parts(gltf_doc *doc)
{
    if (doc->opts->joints_only)
        return;
    for (size_t i = 0; i < doc->scene->part_count; i++) {
        const rift_part *part = &doc->scene->parts[i];
        if (part->index_count == 0 || part->vertex_count == 0 || (part->hidden && !doc->opts->hidden_nodes))
            continue;
        doc->parts[doc->part_count] = plan_part(doc, part);
        doc->part_count++;
        doc->has_skin = doc->has_skin || is_skinned(doc, part);
        if (part->hidden)
            doc->uses[GLTF_EXT_NODE_VISIBILITY] = true;
    }
}

static void put_attribute(rift_json *j, const char *name, uint32_t accessor)
{
    if (accessor != GLTF_NONE)
        rift_json_put_uint(j, name, accessor);
}

/* Each variant once, those of one material together (G35). */
static void write_mappings(rift_json *j, const gltf_doc *doc, const gltf_part *p)
{
    const size_t count = p->part->variant_materials != NULL ? doc->scene->variant_count : 0;
    if (count == 0)
        return;
    rift_json_key(j, "extensions");
    rift_json_object(j);
    rift_json_key(j, "KHR_materials_variants");
    rift_json_object(j);
    rift_json_key(j, "mappings");
    rift_json_array(j);
    for (size_t v = 0; v < count; v++) {
        size_t first = 0;
        while (p->variant_materials[first] != p->variant_materials[v])
            first++;
        if (first < v)
            continue;
        rift_json_object(j);
        rift_json_put_uint(j, "material", p->variant_materials[v]);
        rift_json_key(j, "variants");
        rift_json_array(j);
        for (size_t k = v; k < count; k++) {
            if (p->variant_materials[k] == p->variant_materials[v])
                rift_json_uint(j, k);
        }
        rift_json_array_end(j);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
    rift_json_object_end(j);
    rift_json_object_end(j);
}

static void write_mesh(rift_json *j, const gltf_doc *doc, const gltf_part *p)
{
    rift_json_object(j);
    rift_json_put_str(j, "name", p->part->name);
    rift_json_key(j, "primitives");
    rift_json_array(j);
    rift_json_object(j);
    rift_json_key(j, "attributes");
    rift_json_object(j);
    put_attribute(j, "POSITION", p->position);
    put_attribute(j, "NORMAL", p->normal);
    put_attribute(j, "TANGENT", p->tangent);
    put_attribute(j, "TEXCOORD_0", p->texcoord);
    put_attribute(j, "_COLOR", p->color);
    put_attribute(j, "JOINTS_0", p->joints);
    put_attribute(j, "WEIGHTS_0", p->weights);
    rift_json_object_end(j);
    rift_json_put_uint(j, "indices", p->indices);
    put_attribute(j, "material", p->material);
    write_mappings(j, doc, p);
    rift_json_object_end(j);
    rift_json_array_end(j);
    rift_json_object_end(j);
}

void gltf_write_meshes(rift_json *j, const gltf_doc *doc)
{
    if (doc->part_count == 0)
        return;
    rift_json_key(j, "meshes");
    rift_json_array(j);
    for (size_t i = 0; i < doc->part_count; i++)
        write_mesh(j, doc, &doc->parts[i]);
    rift_json_array_end(j);
}

static void write_hidden_extension(rift_json *j)
{
    rift_json_key(j, "extensions");
    rift_json_object(j);
    rift_json_key(j, "KHR_node_visibility");
    rift_json_object(j);
    rift_json_put_bool(j, "visible", false);
    rift_json_object_end(j);
    rift_json_object_end(j);
}

static void write_node_extras(rift_json *j, const rift_part *part)
{
    rift_json_key(j, "extras");
    rift_json_object(j);
    rift_json_key(j, "riftbake");
    rift_json_object(j);
    rift_json_put_str(j, "source", part->source_name);
    if (part->hidden)
        rift_json_put_bool(j, "hidden", true);
    rift_json_object_end(j);
    rift_json_object_end(j);
}

static void write_mesh_node(rift_json *j, const gltf_part *p, size_t mesh)
{
    const rift_part *part = p->part;
    rift_json_object(j);
    rift_json_put_str(j, "name", part->name);
    rift_json_put_uint(j, "mesh", mesh);
    if (p->joints != GLTF_NONE)
        rift_json_put_uint(j, "skin", 0);
    if (part->hidden)
        write_hidden_extension(j);
    write_node_extras(j, part);
    rift_json_object_end(j);
}

void gltf_write_mesh_nodes(rift_json *j, const gltf_doc *doc)
{
    for (size_t i = 0; i < doc->part_count; i++)
        write_mesh_node(j, &doc->parts[i], i);
}
