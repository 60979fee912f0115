#include "fixture.h"

#include "base/str.h"
#include "support/check.h"

void fixture_init(fixture *f)
{
    *f = (fixture){0};
    rift_arena_init(&f->arena, (size_t)1 << 28);
    rift_arena_init(&f->out, (size_t)1 << 28);
    f->scene = (rift_scene){
        .name = RIFT_STR("test-0"),
        .parts = RIFT_NEW(&f->arena, rift_part, FIXTURE_MAX),
        .materials = RIFT_NEW(&f->arena, rift_material, FIXTURE_MAX),
        .textures = RIFT_NEW(&f->arena, rift_texture, FIXTURE_MAX),
        .clips = RIFT_NEW(&f->arena, rift_clip, FIXTURE_MAX),
    };
    f->opts = (rift_gltf_opts){
        .unit_scale = 0.01,
        .mirror = true,
        .generator = RIFT_STR("riftbake test"),
        .copyright = RIFT_STR("art: its owner"),
    };
}

void fixture_release(fixture *f)
{
    rift_arena_release(&f->arena);
    rift_arena_release(&f->out);
}

rift_skeleton *fixture_skeleton(fixture *f, size_t joint_count)
{
    rift_skeleton *s = RIFT_NEW(&f->arena, rift_skeleton, 1);
    s->joints = RIFT_NEW(&f->arena, rift_joint, joint_count);
    s->joint_count = joint_count;
    for (size_t i = 0; i < joint_count; i++) {
        const rift_str name = rift_arena_printf(&f->arena, "j%zu", i);
        s->joints[i] = (rift_joint){
            .name = name,
            .source_name = name,
            .parent = (int32_t)i - 1,
            .rest = RIFT_TRS_IDENTITY,
            .inverse_bind = rift_mat4_identity(),
        };
    }
    f->scene.skeleton = s;
    return s;
}

void fixture_name_joint(rift_skeleton *skeleton, size_t joint, const char *name)
{
    skeleton->joints[joint].name = rift_str_c(name);
    skeleton->joints[joint].source_name = rift_str_c(name);
}

static void bind_to_joint_0(fixture *f, rift_part *part)
{
    part->joints = RIFT_NEW(&f->arena, uint16_t, 4 * part->vertex_count);
    part->weights = RIFT_NEW(&f->arena, float, 4 * part->vertex_count);
    for (size_t i = 0; i < part->vertex_count; i++)
        part->weights[4 * i] = 1;
}

rift_part *fixture_part(fixture *f, const char *name, size_t vertex_count)
{
    rift_scene *scene = &f->scene;
    rift_part *part = &scene->parts[scene->part_count++];
    *part = (rift_part){
        .name = rift_str_c(name),
        .source_name = rift_str_c(name),
        .material = (uint32_t)scene->material_count,
        .vertex_count = vertex_count,
        .index_count = 3,
        .indices = RIFT_NEW(&f->arena, uint32_t, 3),
        .positions = RIFT_NEW(&f->arena, float, 3 * vertex_count),
        .normals = RIFT_NEW(&f->arena, float, 3 * vertex_count),
        .uvs = RIFT_NEW(&f->arena, float, 2 * vertex_count),
    };
    for (size_t i = 0; i < vertex_count; i++) {
        for (size_t k = 0; k < 3; k++)
            part->positions[3 * i + k] = (float)(i * (k + 1));
        part->normals[3 * i + 2] = 1;
    }
    for (uint32_t i = 0; i < 3; i++)
        part->indices[i] = i;
    if (scene->skeleton != NULL)
        bind_to_joint_0(f, part);
    scene->materials[scene->material_count++] = (rift_material){
        .name = rift_str_c(name),
        .texture = RIFT_NO_INDEX,
        .base_color = {1, 1, 1, 1},
    };
    return part;
}

uint32_t fixture_texture(fixture *f, const char *name, const char *mime, const char *bytes)
{
    f->scene.textures[f->scene.texture_count] = (rift_texture){
        .name = rift_str_c(name),
        .mime = mime,
        .data = {(const uint8_t *)bytes, strlen(bytes)},
        .width = 1,
        .height = 1,
    };
    return (uint32_t)f->scene.texture_count++;
}

rift_clip *fixture_clip(fixture *f, const char *name)
{
    enum { MAX_CHANNELS = 64 };
    rift_clip *clip = &f->scene.clips[f->scene.clip_count++];
    *clip =
        (rift_clip){.name = rift_str_c(name), .channels = RIFT_NEW(&f->arena, rift_channel, MAX_CHANNELS)};
    return clip;
}

static const float *copy_floats(fixture *f, const float *values, size_t count)
{
    const rift_bytes bytes = {(const uint8_t *)values, count * sizeof(float)};
    const void *copy = rift_arena_copy_bytes(&f->arena, bytes).data;
    return copy;
}

rift_channel *fixture_channel(fixture *f,
                              rift_clip *clip,
                              uint32_t joint,
                              rift_component component,
                              uint32_t key_count,
                              const float *times,
                              const float *values)
{
    rift_channel *channel = &clip->channels[clip->channel_count++];
    *channel = (rift_channel){
        .joint = joint,
        .component = component,
        .key_count = key_count,
        .times = copy_floats(f, times, key_count),
        .values = copy_floats(f, values, (size_t)key_count * (component == RIFT_ROTATION ? 4 : 3)),
    };
    if (key_count > 0 && times[key_count - 1] > clip->length)
        clip->length = times[key_count - 1];
    return channel;
}

rift_bytes fixture_write(fixture *f)
{
    rift_arena_release(&f->out);
    rift_err err = check_err();
    rift_bytes out = {0};
    (void)CHECK_OK(rift_gltf_write(&out, &f->scene, &f->opts, &f->out, &err), &err);
    return out;
}
