/* The seeds of fuzz_skn, fuzz_skl, fuzz_anm, fuzz_anim, fuzz_scene and fuzz_scb. */
#include "make_seeds.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "fixtures/fx_anm.h"
#include "fixtures/fx_scb.h"
#include "fixtures/fx_skl.h"
#include "fixtures/fx_skn.h"

enum { ARENA_LIMIT = 64 * 1024 * 1024 };

static bool put(const char *corpus, const char *target, const char *name, rift_bytes file)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", corpus, target);
    (void)mkdir(path, 0777);
    (void)snprintf(path, sizeof path, "%s/%s/%s.%s", corpus, target, name, target);
    FILE *f = fopen(path, "wb");
    bool ok = f != NULL && fwrite(file.data, 1, file.size, f) == file.size;
    if (f != NULL)
        ok &= fclose(f) == 0;
    printf("%s %s (%zu bytes)\n", ok ? "wrote" : "cannot write", path, file.size);
    return ok;
}

static bool skn_seeds(const char *corpus, rift_arena *arena)
{
    bool ok = true;
    static const fx_vertex vertices[] = {
        {.position = {0, 0, 0}, .blend = {0, 1, 0, 0}, .weights = {.75F, .25F, 0, 0}, .normal = {0, 0, 1}},
        {.position = {2, 0, 0}, .weights = {1, 0, 0, 0}, .normal = {0, 0, 1}, .uv = {1, 0}},
        {.position = {0, 2, 0}, .weights = {1, 0, 0, 0}, .normal = {0, 0, 1}, .uv = {0, 1}},
        {.position = {2, 2, 0}, .weights = {1, 0, 0, 0}, .normal = {0, 0, 0}, .uv = {1, 1}},
    };
    static const uint32_t indices[] = {0, 1, 2, 3, 2, 1};
    static const fx_range ranges[] = {{"Body", 0, 3, 0, 3}, {"Hat", 1, 3, 3, 3}};
    fx_skn spec = {.indices = indices, .index_count = 6, .vertices = vertices, .vertex_count = 4};
    ok &= put(corpus, "skn", "v0", fx_skn_write(&spec, arena));
    spec.ranges = ranges;
    spec.range_count = 2;
    for (spec.major = 1; spec.major <= 2; spec.major++)
        ok &= put(corpus, "skn", spec.major == 1 ? "v1" : "v2", fx_skn_write(&spec, arena));
    spec.major = 4;
    for (spec.vertex_type = 0; spec.vertex_type < 4; spec.vertex_type++) {
        const char name[] = {'v', '4', 't', (char)('0' + spec.vertex_type), 0};
        ok &= put(corpus, "skn", name, fx_skn_write(&spec, arena));
    }
    spec.vertex_type = 0;
    spec.flags = 3;
    spec.direct_block = (const uint8_t *)"\1\2";
    spec.direct_block_size = 2;
    ok &= put(corpus, "skn", "v4-flags", fx_skn_write(&spec, arena));
    return ok;
}

static bool skl_seeds(const char *corpus, rift_arena *arena)
{
    bool ok = true;
    static const fx_joint joints[] = {
        {.name = "Root", .parent = -1, .local = {.t = {0, 50, 0}, .r = {0, 0.6, 0, 0.8}}},
        {.name = "Head", .parent = 0, .local = {.t = {0, 20, 0}, .s = {2, 2, 2}}},
        {.name = "head", .parent = 0, .local.t = {0, -50, 0}},
    };
    static const uint16_t influences[] = {0, 1};
    fx_skl spec = {.joints = joints, .joint_count = 3, .influences = influences, .influence_count = 2};
    ok &= put(corpus, "skl", "current", fx_skl_write(&spec, arena));
    spec.legacy = true;
    ok &= put(corpus, "skl", "legacy0", fx_skl_write(&spec, arena));
    spec.version = 1;
    ok &= put(corpus, "skl", "legacy1", fx_skl_write(&spec, arena));
    spec.version = 2;
    ok &= put(corpus, "skl", "legacy2", fx_skl_write(&spec, arena));
    return ok;
}

static bool anm_seeds(const char *corpus, rift_arena *arena)
{
    bool ok = true;
    static const rift_trs moving[] = {
        {.t = {0, 50, 0}}, {.t = {10, 50, 0}, .r = {0, 0.6, 0, 0.8}}, {.t = {0, 50, 5}}};
    static const rift_trs still[] = {{.t = {0, 20, 0}}, {.t = {0, 20, 0}}, {.t = {0, 20, 0}}};
    static const fx_track tracks[] = {{.joint = "Root", .frames = moving},
                                      {.joint = "Head", .frames = still}};
    fx_anm spec = {.tracks = tracks, .track_count = 2, .frame_count = 3};
    for (spec.version = 3; spec.version <= 5; spec.version++) {
        const char name[] = {'a', 'n', 'm', 'd', (char)('0' + spec.version), 0};
        ok &= put(corpus, "anm", name, fx_anm_write(&spec, arena));
    }
    spec.reversed = true;
    spec.version = 5;
    ok &= put(corpus, "anm", "anmd5-reversed", fx_anm_write(&spec, arena));
    spec.compressed = true;
    spec.version = 1;
    spec.jump_caches = 1;
    spec.flags = 4;
    ok &= put(corpus, "anm", "canm", fx_anm_write(&spec, arena));
    spec.flags = 0;
    for (spec.version = 2; spec.version <= 3; spec.version++) {
        const char name[] = {'c', 'a', 'n', 'm', (char)('0' + spec.version), 0};
        ok &= put(corpus, "anm", name, fx_anm_write(&spec, arena));
    }
    spec.version = 1;
    spec.flags = 4;
    spec.raw_keys = true;
    ok &= put(corpus, "anm", "canm-short", fx_anm_write(&spec, arena));
    static const fx_key keys[] = {{0, {1}}, {0.5F, {2}}, {0.25F, {3}}, {0.25F, {4}}, {1, {5}}};
    const fx_track unsorted = {.joint = "Root", .translation = {keys, 5, false}};
    spec.tracks = &unsorted;
    spec.track_count = 1;
    spec.duration = 1;
    ok &= put(corpus, "anm", "canm-unsorted", fx_anm_write(&spec, arena));
    return ok;
}

/* The file, and the byte behind it that chooses what fuzz_anim asks for. */
static bool
put_choice(const char *corpus, const char *name, rift_bytes file, uint8_t choice, rift_arena *arena)
{
    uint8_t *bytes = rift_arena_push(arena, file.size + 1, 1, 1);
    memcpy(bytes, file.data, file.size);
    bytes[file.size] = choice;
    return put(corpus, "anim", name, (rift_bytes){bytes, file.size + 1});
}

/* Long levers that turn: every stage of the keys has work to do. */
static bool anim_seeds(const char *corpus, rift_arena *arena)
{
    bool ok = true;
    static const fx_key turning[] = {
        {0, {0, 0, 0, 1}}, {0.5F, {0, 0.6, 0, 0.8}}, {0.5F, {0, 0.6, 0, 0.8}}, {1, {0.8, 0, 0, -0.6}}};
    static const fx_key moving[] = {{0, {400, 0, 0}}, {0.25F, {380, 60, 0}}, {1, {400, -90, 20}}};
    static const fx_key scaling[] = {{0, {1, 1, 1}}, {0.5F, {0, -1, 2}}, {1, {1, 1, 1}}};
    const fx_track tracks[] = {
        {.hash = 1, .rotation = {turning, 4, false}, .translation = {moving, 3, false}},
        {.hash = 2, .rotation = {turning, 4, false}, .scale = {scaling, 3, false}},
        {.hash = 2, .translation = {moving, 3, false}},
    };
    fx_anm spec = {.compressed = true,
                   .version = 1,
                   .tracks = tracks,
                   .track_count = 3,
                   .duration = 1,
                   .jump_caches = 1};
    static const uint8_t choices[] = {0, 1, 2, 4, 7, 8};
    for (size_t i = 0; i < sizeof choices; i++) {
        const char name[] = {'c', 'a', 'n', 'm', (char)('0' + choices[i]), 0};
        spec.flags = i % 2 ? 7 : 3;
        ok &= put_choice(corpus, name, fx_anm_write(&spec, arena), choices[i], arena);
    }
    static const rift_trs poses[] = {
        {.t = {0, 50, 0}}, {.t = {10, 50, 0}, .r = {0, 0.6, 0, 0.8}}, {.t = {0, 50, 5}}};
    const fx_track framed = {.hash = 1, .frames = poses};
    spec = (fx_anm){.version = 5, .tracks = &framed, .track_count = 1, .frame_count = 3};
    ok &= put_choice(corpus, "anmd5-trimmed", fx_anm_write(&spec, arena), 6, arena);
    return ok;
}

static bool put_scene(const char *corpus, const char *name, rift_bytes skl, rift_bytes skn, rift_arena *arena)
{
    rift_buf b;
    rift_buf_init(&b, arena, ARENA_LIMIT);
    rift_buf_u32(&b, (uint32_t)skl.size);
    rift_buf_put(&b, skl.data, skl.size);
    rift_buf_put(&b, skn.data, skn.size);
    return put(corpus, "scene", name, fx_done(&b));
}

/* Names that repeat, a joint without scale, weights of every kind. */
static bool scene_seeds(const char *corpus, rift_arena *arena)
{
    static const fx_joint joints[] = {
        {.name = "Root", .parent = -1, .local = {.t = {0, 50, 0}, .r = {0, 0.6, 0, 0.8}}},
        {.name = "Head", .parent = 0, .local = {.t = {0, 20, 0}, .s = {2, 2, 2}}},
        {.name = "Head", .parent = 1, .local = {.t = {0, 5, 0}, .s = {1, 0, 1}}},
        {.name = "", .parent = 0, .local.t = {0, -50, 0}},
    };
    static const uint16_t influences[] = {2, 0, 1};
    static const fx_vertex vertices[] = {
        {.position = {0, 0, 0}, .blend = {0, 1, 1, 0}, .weights = {.5F, .25F, .25F, 0}, .normal = {0, 0, 1}},
        {.position = {2, 0, 0}, .blend = {9, 1, 2, 0}, .weights = {.5F, .5F, -.5F, 0}, .normal = {0, 0, 3}},
        {.position = {0, 2, 0}, .blend = {2, 0, 0, 0}, .weights = {0, 0, 0, 0}, .normal = {0, 0, 0}},
        {.position = {2, 2, 0}, .weights = {1, 0, 0, 0}, .normal = {0, 0, 0}, .uv = {1, 1}},
    };
    static const uint32_t indices[] = {0, 1, 2, 3, 2, 1, 1, 1, 2};
    static const fx_range ranges[] = {{"Body", 0, 3, 0, 3}, {"Body", 1, 3, 3, 3}, {"Gone", 1, 2, 6, 3}};
    fx_skl skl = {.joints = joints, .joint_count = 4, .influences = influences, .influence_count = 3};
    fx_skn skn = {.major = 4,
                  .ranges = ranges,
                  .range_count = 3,
                  .indices = indices,
                  .index_count = 9,
                  .vertices = vertices,
                  .vertex_count = 4};
    bool ok = put_scene(corpus, "current", fx_skl_write(&skl, arena), fx_skn_write(&skn, arena), arena);
    skn.vertex_type = 2;
    skl.legacy = true;
    ok &= put_scene(corpus, "legacy", fx_skl_write(&skl, arena), fx_skn_write(&skn, arena), arena);
    ok &= put_scene(corpus, "mesh-only", (rift_bytes){0}, fx_skn_write(&skn, arena), arena);
    return ok;
}

static bool scb_seeds(const char *corpus, rift_arena *arena)
{
    bool ok = true;
    static const float positions[][3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}};
    static const fx_face faces[] = {
        {.index = {0, 1, 2}, .material = "Stone"},
        {.index = {2, 1, 0}, .material = "Wood"},
        {.index = {1, 1, 0}, .material = "Wood"},
    };
    fx_scb spec = {.major = 3,
                   .minor = 2,
                   .name = "Prop",
                   .flags = 2,
                   .positions = positions,
                   .vertex_count = 3,
                   .faces = faces,
                   .face_count = 3};
    ok &= put(corpus, "scb", "v32", fx_scb_write(&spec, arena));
    spec.colors = true;
    ok &= put(corpus, "scb", "v32-colors", fx_scb_write(&spec, arena));
    spec.major = 2;
    spec.flags = 1;
    ok &= put(corpus, "scb", "v22", fx_scb_write(&spec, arena));
    return ok;
}

bool make_model_seeds(const char *corpus)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    bool ok = skn_seeds(corpus, &arena);
    ok &= skl_seeds(corpus, &arena);
    ok &= anm_seeds(corpus, &arena) && anim_seeds(corpus, &arena);
    ok &= scene_seeds(corpus, &arena);
    ok &= scb_seeds(corpus, &arena);
    rift_arena_release(&arena);
    return ok;
}
