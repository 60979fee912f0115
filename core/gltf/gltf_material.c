#include <string.h>

#include "base/str.h"
#include "gltf/gltf_internal.h"

/* Materials, textures, samplers and images (G29-G33). Only what a written part uses is added, in the order of use, so
 * nothing in the file is unused. */

static uint32_t use_image(gltf_doc *doc, uint32_t scene_texture)
{
    const rift_texture *texture = &doc->scene->textures[scene_texture];
    for (size_t i = 0; i < doc->image_count; i++) {
        if (doc->images[i].texture == texture)
            return (uint32_t)i;
    }
    doc->images[doc->image_count] = (gltf_image){.texture = texture};
    return (uint32_t)doc->image_count++;
}

static uint32_t use_sampler(gltf_doc *doc, gltf_wraps wraps)
{
    for (size_t i = 0; i < doc->sampler_count; i++) {
        if (doc->samplers[i].u == wraps.u && doc->samplers[i].v == wraps.v)
            return (uint32_t)i;
    }
    doc->samplers[doc->sampler_count] = wraps;
    return (uint32_t)doc->sampler_count++;
}

static uint32_t use_texture(gltf_doc *doc, const rift_material *material, uint32_t scene_texture)
{
    const gltf_texture wanted = {
        .image = use_image(doc, scene_texture),
        .sampler = use_sampler(doc, (gltf_wraps){material->wrap_u, material->wrap_v}),
    };
    for (size_t i = 0; i < doc->texture_count; i++) {
        if (doc->textures[i].image == wanted.image && doc->textures[i].sampler == wanted.sampler)
            return (uint32_t)i;
    }
    doc->textures[doc->texture_count] = wanted;
    return (uint32_t)doc->texture_count++;
}

/* The extension that an image of this kind needs, or GLTF_EXTENSION_COUNT. */
static unsigned image_extension(const rift_texture *texture)
{
    if (strcmp(texture->mime, "image/webp") == 0)
        return GLTF_EXT_TEXTURE_WEBP;
    if (strcmp(texture->mime, "image/ktx2") == 0)
        return GLTF_EXT_TEXTURE_BASISU;
    return GLTF_EXTENSION_COUNT;
}

static bool transforms_uv(const rift_material *m)
{
    return m->has_uv_transform && (m->uv_scale[0] != 1.0f || m->uv_scale[1] != 1.0f ||
                                   m->uv_offset[0] != 0.0f || m->uv_offset[1] != 0.0f);
}

uint32_t gltf_use_material(gltf_doc *doc, uint32_t scene_material)
{
    if (scene_material >= doc->scene->material_count)
        return GLTF_NONE;
    const rift_material *material = &doc->scene->materials[scene_material];
    for (size_t i = 0; i < doc->material_count; i++) {
        if (doc->materials[i].material == material)
            return (uint32_t)i;
    }
    gltf_material *added = &doc->materials[doc->material_count];
    *added = (gltf_material){.material = material, .texture = GLTF_NONE, .emissive = GLTF_NONE};
    doc->uses[doc->opts->pbr ? GLTF_EXT_MATERIALS_SPECULAR : GLTF_EXT_MATERIALS_UNLIT] = true;
    if (material->texture != RIFT_NO_INDEX) {
        added->texture = use_texture(doc, material, material->texture);
        if (transforms_uv(material))
            doc->uses[GLTF_EXT_TEXTURE_TRANSFORM] = true;
    }
    if (material->has_emissive && doc->opts->pbr)
        added->emissive = use_texture(doc, material, material->emissive);
    return (uint32_t)doc->material_count++;
}

void gltf_plan_images(gltf_doc *doc)
{
    for (size_t i = 0; i < doc->image_count; i++) {
        gltf_image *image = &doc->images[i];
        image->view = gltf_add_view(doc, GLTF_VIEW_IMAGE, 1);
        doc->views[image->view].size = image->texture->data.size;
        const unsigned extension = image_extension(image->texture);
        if (extension < GLTF_EXTENSION_COUNT)
            doc->uses[extension] = true;
    }
}

static void put_pair(rift_json *j, const char *key, const float values[2])
{
    rift_json_key(j, key);
    rift_json_array(j);
    rift_json_float(j, values[0]);
    rift_json_float(j, values[1]);
    rift_json_array_end(j);
}

static void write_transform(rift_json *j, const rift_material *m)
{
    rift_json_key(j, "extensions");
    rift_json_object(j);
    rift_json_key(j, "KHR_texture_transform");
    rift_json_object(j);
    if (m->uv_offset[0] != 0.0f || m->uv_offset[1] != 0.0f)
        put_pair(j, "offset", m->uv_offset);
    if (m->uv_scale[0] != 1.0f || m->uv_scale[1] != 1.0f)
        put_pair(j, "scale", m->uv_scale);
    rift_json_object_end(j);
    rift_json_object_end(j);
}

static void write_base_color(rift_json *j, const gltf_material *m)
{
    const float *c = m->material->base_color;
    rift_json_key(j, "pbrMetallicRoughness");
    rift_json_object(j);
    if (c[0] != 1.0f || c[1] != 1.0f || c[2] != 1.0f || c[3] != 1.0f) {
        rift_json_key(j, "baseColorFactor");
        rift_json_array(j);
        for (int i = 0; i < 4; i++)
            rift_json_float(j, c[i]);
        rift_json_array_end(j);
    }
    if (m->texture != GLTF_NONE) {
        rift_json_key(j, "baseColorTexture");
        rift_json_object(j);
        rift_json_put_uint(j, "index", m->texture);
        if (transforms_uv(m->material))
            write_transform(j, m->material);
        rift_json_object_end(j);
    }
    rift_json_put_uint(j, "metallicFactor", 0); /* roughness 1 is the default */
    rift_json_object_end(j);
}

/* Unlit materials have no emission: KHR_materials_unlit takes the base colour as it is. */
static void write_emissive(rift_json *j, const gltf_material *m)
{
    if (m->emissive == GLTF_NONE)
        return;
    rift_json_key(j, "emissiveFactor");
    rift_json_array(j);
    for (int i = 0; i < 3; i++)
        rift_json_uint(j, 1);
    rift_json_array_end(j);
    rift_json_key(j, "emissiveTexture");
    rift_json_object(j);
    rift_json_put_uint(j, "index", m->emissive);
    rift_json_object_end(j);
}

static void write_alpha(rift_json *j, const rift_material *m)
{
    switch (m->alpha_mode) {
    case RIFT_ALPHA_OPAQUE:
        break;
    case RIFT_ALPHA_MASK:
        rift_json_put_cstr(j, "alphaMode", "MASK");
        if (m->alpha_cutoff != 0.5f) {
            rift_json_key(j, "alphaCutoff");
            rift_json_float(j, m->alpha_cutoff);
        }
        break;
    case RIFT_ALPHA_BLEND:
        rift_json_put_cstr(j, "alphaMode", "BLEND");
        break;
    }
}

/* Textures have their light painted in: unlit, or lit without highlights (G29). */
static void write_shading(rift_json *j, bool pbr)
{
    rift_json_key(j, "extensions");
    rift_json_object(j);
    rift_json_key(j, pbr ? "KHR_materials_specular" : "KHR_materials_unlit");
    rift_json_object(j);
    if (pbr)
        rift_json_put_uint(j, "specularFactor", 0);
    rift_json_object_end(j);
    rift_json_object_end(j);
}

static void write_material(rift_json *j, const gltf_doc *doc, const gltf_material *m)
{
    rift_json_object(j);
    rift_json_put_str(j, "name", m->material->name);
    write_base_color(j, m);
    write_emissive(j, m);
    write_alpha(j, m->material);
    if (m->material->double_sided)
        rift_json_put_bool(j, "doubleSided", true);
    write_shading(j, doc->opts->pbr);
    gltf_write_extras(j, m->material->extras);
    rift_json_object_end(j);
}

static void write_texture(rift_json *j, const gltf_doc *doc, const gltf_texture *t)
{
    const unsigned extension = image_extension(doc->images[t->image].texture);
    rift_json_object(j);
    rift_json_put_uint(j, "sampler", t->sampler);
    if (extension == GLTF_EXTENSION_COUNT) {
        rift_json_put_uint(j, "source", t->image);
    } else {
        rift_json_key(j, "extensions");
        rift_json_object(j);
        rift_json_key(j, extension == GLTF_EXT_TEXTURE_WEBP ? "EXT_texture_webp" : "KHR_texture_basisu");
        rift_json_object(j);
        rift_json_put_uint(j, "source", t->image);
        rift_json_object_end(j);
        rift_json_object_end(j);
    }
    rift_json_object_end(j);
}

static uint64_t wrap_code(rift_wrap wrap)
{
    switch (wrap) {
    case RIFT_WRAP_REPEAT:
        return 10497;
    case RIFT_WRAP_CLAMP:
        return 33071;
    case RIFT_WRAP_MIRROR:
        return 33648;
    }
    RIFT_ASSERT(false);
    return 0;
}

static void write_sampler(rift_json *j, const gltf_wraps *wraps)
{
    enum { LINEAR = 9729, LINEAR_MIPMAP_LINEAR = 9987 };
    rift_json_object(j);
    rift_json_put_uint(j, "magFilter", LINEAR);
    rift_json_put_uint(j, "minFilter", LINEAR_MIPMAP_LINEAR);
    rift_json_put_uint(j, "wrapS", wrap_code(wraps->u));
    rift_json_put_uint(j, "wrapT", wrap_code(wraps->v));
    rift_json_object_end(j);
}

static void write_image(rift_json *j, const gltf_image *image)
{
    rift_json_object(j);
    rift_json_put_uint(j, "bufferView", image->view);
    rift_json_put_cstr(j, "mimeType", image->texture->mime);
    if (image->texture->name.size > 0)
        rift_json_put_str(j, "name", image->texture->name);
    rift_json_object_end(j);
}

static void write_textures(rift_json *j, const gltf_doc *doc)
{
    rift_json_key(j, "textures");
    rift_json_array(j);
    for (size_t i = 0; i < doc->texture_count; i++)
        write_texture(j, doc, &doc->textures[i]);
    rift_json_array_end(j);
    rift_json_key(j, "samplers");
    rift_json_array(j);
    for (size_t i = 0; i < doc->sampler_count; i++)
        write_sampler(j, &doc->samplers[i]);
    rift_json_array_end(j);
    rift_json_key(j, "images");
    rift_json_array(j);
    for (size_t i = 0; i < doc->image_count; i++)
        write_image(j, &doc->images[i]);
    rift_json_array_end(j);
}

void gltf_write_materials(rift_json *j, const gltf_doc *doc)
{
    if (doc->material_count == 0)
        return;
    rift_json_key(j, "materials");
    rift_json_array(j);
    for (size_t i = 0; i < doc->material_count; i++)
        write_material(j, doc, &doc->materials[i]);
    rift_json_array_end(j);
    if (doc->texture_count > 0)
        write_textures(j, doc);
}

void gltf_write_variants(rift_json *j, const gltf_doc *doc)
{
    if (!doc->uses[GLTF_EXT_MATERIALS_VARIANTS])
        return;
    rift_json_key(j, "extensions");
    rift_json_object(j);
    rift_json_key(j, "KHR_materials_variants");
    rift_json_object(j);
    rift_json_key(j, "variants");
    rift_json_array(j);
    for (size_t i = 0; i < doc->scene->variant_count; i++) {
        rift_json_object(j);
        rift_json_put_str(j, "name", doc->scene->variants[i].name);
        gltf_write_extras(j, doc->scene->variants[i].extras);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
    rift_json_object_end(j);
    rift_json_object_end(j);
}
