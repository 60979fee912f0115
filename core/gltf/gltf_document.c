#include "gltf/gltf_internal.h"

/* The top level: asset, extension lists, the scene (G4, G5, G11). Arrays that would be empty are left out. */

static const char *const extension_names[GLTF_EXTENSION_COUNT] = {
    [GLTF_EXT_MESHOPT_COMPRESSION] = "EXT_meshopt_compression",
    [GLTF_EXT_TEXTURE_WEBP] = "EXT_texture_webp",
    [GLTF_EXT_MATERIALS_SPECULAR] = "KHR_materials_specular",
    [GLTF_EXT_MATERIALS_UNLIT] = "KHR_materials_unlit",
    [GLTF_EXT_MATERIALS_VARIANTS] = "KHR_materials_variants",
    [GLTF_EXT_MESH_QUANTIZATION] = "KHR_mesh_quantization",
    [GLTF_EXT_NODE_VISIBILITY] = "KHR_node_visibility",
    [GLTF_EXT_TEXTURE_BASISU] = "KHR_texture_basisu",
    [GLTF_EXT_TEXTURE_TRANSFORM] = "KHR_texture_transform",
};

/* An image in another format without a PNG beside it, vertices in types that are not the core's, packed data: the file is
 * unreadable without the extension. */
static bool is_required(size_t extension)
{
    return extension == GLTF_EXT_TEXTURE_WEBP || extension == GLTF_EXT_TEXTURE_BASISU ||
           extension == GLTF_EXT_MESH_QUANTIZATION || extension == GLTF_EXT_MESHOPT_COMPRESSION;
}

void gltf_write_extras(rift_json *j, rift_str members)
{
    rift_json_key(j, "extras");
    rift_json_object(j);
    rift_json_key(j, "riftbake");
    rift_json_object(j);
    rift_json_raw_members(j, members);
    rift_json_object_end(j);
    rift_json_object_end(j);
}

static void write_asset(rift_json *j, const gltf_doc *doc)
{
    rift_json_key(j, "asset");
    rift_json_object(j);
    rift_json_put_cstr(j, "version", "2.0");
    if (doc->opts->generator.size > 0)
        rift_json_put_str(j, "generator", doc->opts->generator);
    if (doc->opts->copyright.size > 0)
        rift_json_put_str(j, "copyright", doc->opts->copyright);
    gltf_write_extras(j, doc->scene->asset_extras);
    rift_json_object_end(j);
}

static void write_extensions(rift_json *j, const gltf_doc *doc, const char *key, bool required_only)
{
    bool begun = false;
    for (size_t i = 0; i < GLTF_EXTENSION_COUNT; i++) {
        if (!doc->uses[i] || (required_only && !is_required(i)))
            continue;
        if (!begun) {
            rift_json_key(j, key);
            rift_json_array(j);
            begun = true;
        }
        rift_json_cstr(j, extension_names[i]);
    }
    if (begun)
        rift_json_array_end(j);
}

static void write_scene(rift_json *j, const gltf_doc *doc)
{
    rift_json_put_uint(j, "scene", 0);
    rift_json_key(j, "scenes");
    rift_json_array(j);
    rift_json_object(j);
    if (doc->skeleton != NULL || doc->part_count > 0) {
        rift_json_key(j, "nodes");
        rift_json_array(j);
        if (doc->skeleton != NULL)
            rift_json_uint(j, 0);
        for (size_t i = 0; i < doc->part_count; i++)
            rift_json_uint(j, gltf_mesh_node(doc, i));
        rift_json_array_end(j);
    }
    rift_json_object_end(j);
    rift_json_array_end(j);
}

static void write_nodes(rift_json *j, const gltf_doc *doc)
{
    if (doc->skeleton == NULL && doc->part_count == 0)
        return;
    rift_json_key(j, "nodes");
    rift_json_array(j);
    gltf_write_joint_nodes(j, doc);
    gltf_write_mesh_nodes(j, doc);
    rift_json_array_end(j);
}

void gltf_write_document(rift_json *j, const gltf_doc *doc)
{
    rift_json_object(j);
    write_asset(j, doc);
    write_extensions(j, doc, "extensionsUsed", false);
    write_extensions(j, doc, "extensionsRequired", true);
    gltf_write_variants(j, doc);
    write_scene(j, doc);
    write_nodes(j, doc);
    gltf_write_meshes(j, doc);
    gltf_write_skin(j, doc);
    gltf_write_materials(j, doc);
    gltf_write_animations(j, doc);
    gltf_write_accessors(j, doc);
    gltf_write_views(j, doc);
    rift_json_object_end(j);
}
