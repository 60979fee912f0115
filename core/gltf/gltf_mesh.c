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

static void fill_grid_positions(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    const rift_part *part = accessor->source;
    for (size_t i = 0; i < accessor->count; i++) {
        uint16_t v[3];
        gltf_on_grid(v, doc, part->positions + 3 * i);
        for (size_t k = 0; k < 3; k++)
            gltf_put_u16(out + 8 * i + 2 * k, v[k]);
    }
}

static void fill_normals(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    const rift_part *part = accessor->source;
    for (size_t i = 0; i < accessor->count; i++) {
        float v[3];
        gltf_direction(v, &doc->space, part->normals + 3 * i);
        if (doc->quantized) {
            gltf_unit8(out + 4 * i, v, 3);
        } else {
            gltf_put_f32(out + 12 * i, v, 3);
        }
    }
}

static void fill_texcoords(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    (void)doc;
    const rift_part *part = accessor->source;
    if (accessor->component_type == GLTF_F32) {
        gltf_put_f32(out, part->uvs, 2 * accessor->count);
        return;
    }
    for (size_t i = 0; i < 2 * accessor->count; i++)
        gltf_put_u16(out + 2 * i, gltf_unorm16(part->uvs[i]));
}

static void fill_tangents(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    const rift_part *part = accessor->source;
    for (size_t i = 0; i < accessor->count; i++) {
        const float *in = part->tangents + 4 * i;
        float v[4];
        gltf_direction(v, &doc->space, in);
        v[3] = (in[3] < 0) != doc->space.mirror ? -1.0f : 1.0f;
        if (doc->quantized) {
            gltf_unit8(out + 4 * i, v, 4);
        } else {
            gltf_put_f32(out + 16 * i, v, 4);
        }
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
    const rift_part *part = accessor->source;
    const bool wide = accessor->component_type == GLTF_U16;
    for (size_t i = 0; i < accessor->count; i++) {
        uint16_t weights[4] = {1, 1, 1, 1};
        if (doc->quantized)
            gltf_weights16(weights, part->weights + 4 * i);
        for (size_t k = 0; k < 4; k++) {
            /* A weight that became 0 has no joint (G25). */
            const unsigned joint = weights[k] > 0 ? part->joints[4 * i + k] : 0;
            if (wide) {
                gltf_put_u16(out + 8 * i + 2 * k, joint);
            } else {
                out[4 * i + k] = (uint8_t)joint;
            }
        }
    }
}

static void fill_weights(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    const rift_part *part = accessor->source;
    if (!doc->quantized) {
        gltf_put_f32(out, part->weights, 4 * accessor->count);
        return;
    }
    for (size_t i = 0; i < accessor->count; i++) {
        uint16_t weights[4];
        gltf_weights16(weights, part->weights + 4 * i);
        for (size_t k = 0; k < 4; k++)
            gltf_put_u16(out + 8 * i + 2 * k, weights[k]);
    }
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

/* As it is in the file: whole numbers of the grid, which float holds. */
static void written_position(float out[3], const gltf_doc *doc, const float position[3])
{
    uint16_t on_grid[3];
    if (!doc->quantized) {
        gltf_point(out, &doc->space, position);
        return;
    }
    gltf_on_grid(on_grid, doc, position);
    for (size_t k = 0; k < 3; k++)
        out[k] = on_grid[k];
}

static uint32_t add_positions(gltf_doc *doc, const rift_part *part)
{
    gltf_accessor a = {
        .fill = doc->quantized ? fill_grid_positions : fill_positions,
        .source = part,
        .type = "VEC3",
        .component_type = doc->quantized ? GLTF_U16 : GLTF_F32,
        .count = part->vertex_count,
        .bounds = 3,
    };
    written_position(a.min, doc, part->positions);
    written_position(a.max, doc, part->positions);
    for (size_t i = 1; i < part->vertex_count; i++) {
        float v[3];
        written_position(v, doc, part->positions + 3 * i);
        for (int k = 0; k < 3; k++) {
            a.min[k] = v[k] < a.min[k] ? v[k] : a.min[k];
            a.max[k] = v[k] > a.max[k] ? v[k] : a.max[k];
        }
    }
    return gltf_add_accessor(doc, GLTF_VIEW_POSITION, doc->quantized ? 8 : 12, &a);
}

/* `small`: the normalised type of a quantised file, or GLTF_F32. */
static uint32_t add_attribute(gltf_doc *doc,
                              gltf_view_kind kind,
                              gltf_fill_fn *fill,
                              const char *type,
                              uint32_t small,
                              const rift_part *part)
{
    const size_t components = (size_t)(type[3] - '0');
    const uint32_t component = doc->quantized ? small : GLTF_F32;
    const size_t size = component == GLTF_F32 ? sizeof(float) : component == GLTF_U16 ? 2 : 1;
    return gltf_add_accessor(doc, kind, (components * size + 3) & ~(size_t)3,
                             &(gltf_accessor){
                                 .fill = fill,
                                 .source = part,
                                 .type = type,
                                 .component_type = component,
                                 .count = part->vertex_count,
                                 .normalized = component != GLTF_F32,
                             });
}

/* Those outside 0 … 1 repeat the texture, and 16 bits would not reach them. */
static uint32_t texcoord_type(const rift_part *part)
{
    for (size_t i = 0; i < 2 * part->vertex_count; i++) {
        if (!(part->uvs[i] >= 0 && part->uvs[i] <= 1))
            return GLTF_F32;
    }
    return GLTF_U16;
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
        .normal = add_attribute(doc, GLTF_VIEW_NORMAL, fill_normals, "VEC3", GLTF_I8, part),
        .texcoord = add_attribute(doc, GLTF_VIEW_TEXCOORD, fill_texcoords, "VEC2", texcoord_type(part), part),
        .tangent = part->tangents
                       ? add_attribute(doc, GLTF_VIEW_TANGENT, fill_tangents, "VEC4", GLTF_I8, part)
                       : GLTF_NONE,
        .color = part->colors ? add_colors(doc, part) : GLTF_NONE,
        .joints = skinned ? add_joints(doc, part) : GLTF_NONE,
        .weights =
            skinned ? add_attribute(doc, GLTF_VIEW_WEIGHTS, fill_weights, "VEC4", GLTF_U16, part) : GLTF_NONE,
    };
}

bool gltf_part_is_written(const gltf_doc *doc, const rift_part *part)
{
    return !doc->opts->joints_only && part->index_count > 0 && part->vertex_count > 0 &&
           (!part->hidden || doc->opts->hidden_nodes);
}

void gltf_plan_parts(gltf_doc *doc)
{
    if (doc->quantized)
        gltf_plan_grid(doc);
    for (size_t i = 0; i < doc->scene->part_count; i++) {
        const rift_part *part = &doc->scene->parts[i];
        if (!gltf_part_is_written(doc, part))
            continue;
        if (doc->quantized)
            doc->uses[GLTF_EXT_MESH_QUANTIZATION] = true;
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
    if (part->form_name.size > 0)
        rift_json_put_str(j, "form", part->form_name);
    rift_json_object_end(j);
    rift_json_object_end(j);
}

/* Out of the grid; a skinned mesh's node would be ignored. */
static void write_grid(rift_json *j, const gltf_grid *grid)
{
    rift_json_key(j, "translation");
    rift_json_array(j);
    for (size_t k = 0; k < 3; k++)
        rift_json_float(j, (float)grid->origin[k]);
    rift_json_array_end(j);
    rift_json_key(j, "scale");
    rift_json_array(j);
    for (size_t k = 0; k < 3; k++)
        rift_json_float(j, (float)grid->step);
    rift_json_array_end(j);
}

static void write_mesh_node(rift_json *j, const gltf_doc *doc, const gltf_part *p, size_t mesh)
{
    const rift_part *part = p->part;
    rift_json_object(j);
    rift_json_put_str(j, "name", part->name);
    rift_json_put_uint(j, "mesh", mesh);
    if (p->joints != GLTF_NONE) {
        rift_json_put_uint(j, "skin", 0);
    } else if (doc->quantized) {
        write_grid(j, &doc->grid);
    }
    if (part->hidden)
        write_hidden_extension(j);
    write_node_extras(j, part);
    rift_json_object_end(j);
}

void gltf_write_mesh_nodes(rift_json *j, const gltf_doc *doc)
{
    for (size_t i = 0; i < doc->part_count; i++)
        write_mesh_node(j, doc, &doc->parts[i], i);
}
