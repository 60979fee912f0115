/* A scene of any numbers to a picture. The input is a head of HEAD bytes (size, turn, then for each of two parts and its material: alpha mode and wraps,
 * flags, cutoff, tint), a count of vertices, so many of five floats (x, y, z, u, v), and what is left are corners, a byte each, alternately of one and the
 * other part. What passes the scene's own rules about indices must be drawn; the numbers may be anything. */
#include <string.h>

#include "fuzz_check.h"
#include "render/render.h"

enum {
    PARTS = 2,
    HEAD = 4 + 4 * PARTS,
    VERTEX = 5 * sizeof(float),
    MAX_VERTICES = 255,
    MAX_CORNERS = 96,
    SIDE = 8
};

typedef struct stage {
    rift_part parts[PARTS];
    rift_material materials[PARTS];
    rift_texture texture;
    uint8_t texels[SIDE * SIDE * 4];
    float positions[MAX_VERTICES * 3];
    float uvs[MAX_VERTICES * 2];
    uint32_t indices[PARTS][MAX_CORNERS];
} stage;

static void set_material(rift_material *m, const uint8_t *head)
{
    *m = (rift_material){
        .texture = head[1] & 1 ? 0 : RIFT_NO_INDEX,
        .alpha_mode = (rift_alpha_mode)(head[0] % 3),
        .wrap_u = (rift_wrap)(head[0] / 3 % 3),
        .wrap_v = (rift_wrap)(head[0] / 9 % 3),
        .double_sided = (head[1] & 2) != 0,
        .has_uv_transform = (head[1] & 4) != 0,
        .alpha_cutoff = (float)head[2] / 200,
        .base_color = {1, (float)head[3] / 200, 1, (float)head[3] / 255},
        .uv_scale = {(float)head[2], -1},
        .uv_offset = {(float)head[3] / 100, 1e9f * (float)(head[1] & 8)},
    };
}

static void set_part(stage *s, size_t i, size_t vertex_count, rift_bytes corners)
{
    rift_part *part = &s->parts[i];
    part->material = (uint32_t)i;
    part->positions = s->positions;
    part->uvs = s->uvs;
    part->vertex_count = vertex_count;
    part->indices = s->indices[i];
    for (size_t k = i; k < corners.size && part->index_count < RIFT_COUNT(s->indices[i]) && vertex_count > 0;
         k += PARTS)
        part->indices[part->index_count++] = (uint32_t)(corners.data[k] % vertex_count);
    part->index_count -= part->index_count % 3;
}

static void build(stage *s, const uint8_t *data, size_t size)
{
    const size_t room = (size - HEAD - 1) / VERTEX;
    const size_t vertex_count = data[HEAD] < room ? data[HEAD] : room;
    const uint8_t *at = data + HEAD + 1;
    for (size_t v = 0; v < vertex_count; v++, at += VERTEX) {
        memcpy(s->positions + 3 * v, at, 3 * sizeof(float));
        memcpy(s->uvs + 2 * v, at + 3 * sizeof(float), 2 * sizeof(float));
    }
    for (size_t i = 0; i < PARTS; i++) {
        set_material(&s->materials[i], data + 4 + 4 * i);
        set_part(s, i, vertex_count, (rift_bytes){at, size - (size_t)(at - data)});
        s->parts[i].hidden = (data[4 + 4 * i + 1] & 0xf0) == 0xf0;
    }
    for (size_t i = 0; i < sizeof s->texels; i++)
        s->texels[i] = (uint8_t)(i * 37);
    s->texture = (rift_texture){.rgba = s->texels, .width = SIDE, .height = 1 + data[2] % SIDE};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_job job;
    if (size < HEAD + 1)
        return 0;
    fuzz_begin(&job);
    rift_arena tmp;
    rift_arena_init(&tmp, job.arena.limit);
    stage *s = RIFT_NEW(&job.arena, stage, 1);
    fuzz_require(s != NULL);
    build(s, data, size);
    const rift_scene scene = {.parts = s->parts,
                              .part_count = PARTS,
                              .materials = s->materials,
                              .material_count = PARTS,
                              .textures = &s->texture,
                              .texture_count = 1};
    const rift_view view = {
        .size = 16 + data[0] % 17, .turn = (int8_t)data[1] * 3, .background = {0, 0, 0, data[3]}};
    rift_pixels picture;
    const bool ok = rift_render(&picture, &scene, &view, &job.arena, &tmp, &job.err);
    fuzz_check_result(ok, &job.err, size);
    fuzz_require(ok);
    rift_arena_release(&tmp);
    rift_arena_release(&job.arena);
    return 0;
}
