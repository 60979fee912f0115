/* The seeds of fuzz_convert: sets of files that belong together, in that target's container. */
#include <stdio.h>
#include <sys/stat.h>

#include "fixtures/fx_anm.h"
#include "fixtures/fx_bin.h"
#include "fixtures/fx_image.h"
#include "fixtures/fx_skl.h"
#include "fixtures/fx_skn.h"
#include "make_seeds.h"

enum { ARENA_LIMIT = 64 * 1024 * 1024, SKN = 0, SKL, ANM, TEXTURE, BIN, OPTIONS };

static void put_part(rift_buf *set, uint8_t kind, rift_bytes file)
{
    rift_buf_u8(set, kind);
    rift_buf_u16(set, (uint16_t)file.size);
    rift_buf_put(set, file.data, file.size);
}

static rift_bytes skn(uint16_t major, rift_arena *arena)
{
    static const fx_vertex vertices[] = {
        {.position = {0, 0, 0}, .blend = {0, 1}, .weights = {.5F, .5F}, .normal = {0, 0, 1}},
        {.position = {10, 0, 0}, .weights = {1}, .normal = {0, 0, 1}, .uv = {1, 0}},
        {.position = {0, 10, 0}, .weights = {1}, .normal = {0, 0, 1}, .uv = {0, 1}},
        {.position = {0, 20, 0}, .blend = {1}, .weights = {1}, .normal = {0, 0, 1}, .uv = {1, 1}},
    };
    static const uint32_t indices[] = {0, 1, 2, 3, 2, 1};
    static const fx_range ranges[] = {{"Body", 0, 3, 0, 3}, {"Sword", 1, 3, 3, 3}};
    const fx_skn spec = {.major = major,
                         .ranges = major > 0 ? ranges : NULL,
                         .range_count = major > 0 ? 2 : 0,
                         .indices = indices,
                         .index_count = 6,
                         .vertices = vertices,
                         .vertex_count = 4};
    return fx_skn_write(&spec, arena);
}

static rift_bytes skl(bool legacy, rift_arena *arena)
{
    static const fx_joint joints[] = {
        {.name = "Root", .parent = -1, .local = {.t = {0, 5, 0}}},
        {.name = "Arm", .parent = 0, .local = {.t = {0, 10, 0}, .r = {0, 0, 0.6, 0.8}}},
        {.name = "Buff", .parent = 1, .local = {.t = {3, 0, 0}}},
    };
    const fx_skl spec = {.legacy = legacy, .version = legacy ? 2 : 0, .joints = joints, .joint_count = 3};
    return fx_skl_write(&spec, arena);
}

static rift_bytes anm(bool compressed, uint32_t version, rift_arena *arena)
{
    static const rift_trs frames[] = {
        {.t = {0, 10, 0}},
        {.t = {0, 12, 0}, .r = {0, 0, 0.38268343236509, 0.923879532511287}},
        {.t = {0, 10, 0}, .r = {0, 0, 0.707106781186548, 0.707106781186548}, .s = {1, 2, 1}},
    };
    const fx_track tracks[] = {{.joint = "Arm", .frames = frames}, {.joint = "Buff", .frames = frames}};
    const fx_anm spec = {.compressed = compressed,
                         .version = version,
                         .flags = compressed ? 4 : 0,
                         .fps = 10,
                         .tracks = tracks,
                         .track_count = 2,
                         .frame_count = 3};
    return fx_anm_write(&spec, arena);
}

static rift_bytes texture(rift_arena *arena)
{
    static const uint8_t rgba[4 * 4 * 4] = {200, 10, 20, 255, 90, 10, 20, 0};
    const fx_image spec = {.format = RIFT_PIXEL_BC1, .width = 4, .height = 4, .rgba = rgba};
    return fx_tex(&spec, arena);
}

static void put_clip(fx_bin *b, const char *name, const char *file)
{
    fx_bin_hash(b, NULL, name);
    fx_bin_pointer(b, NULL, "AtomicClipData");
    fx_bin_embed(b, "mAnimationResourceData", "AnimationResourceData");
    fx_bin_string(b, "mAnimationFilePath", file);
    fx_bin_end(b);
    fx_bin_hash(b, "mMaskDataName", "Upper");
    fx_bin_map(b, "mEventDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    fx_bin_hash(b, NULL, "Lock");
    fx_bin_pointer(b, NULL, "JointSnapEventData");
    fx_bin_f32(b, "mStartFrame", 1);
    fx_bin_hash(b, "mJointNameToOverride", "Arm");
    fx_bin_hash(b, "mJointNameToSnapTo", "Root");
    fx_bin_end(b);
    fx_bin_hash(b, NULL, "Hide");
    fx_bin_pointer(b, NULL, "SubmeshVisibilityEventData");
    fx_bin_f32(b, "mEndFrame", 2);
    fx_bin_list(b, "mHideSubmeshList", RIFT_BIN_HASH);
    fx_bin_hash(b, NULL, "Sword");
    fx_bin_end(b);
    fx_bin_end(b);
    fx_bin_end(b);
    fx_bin_end(b);
}

static void put_graph(fx_bin *b)
{
    fx_bin_entry(b, "G", "AnimationGraphData");
    fx_bin_map(b, "mClipDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    put_clip(b, "Idle1", "a/idle.anm");
    put_clip(b, "Run", "a/run.anm");
    for (int i = 0; i < 2; i++) {
        fx_bin_hash(b, NULL, i == 0 ? "All" : "Attack1");
        fx_bin_pointer(b, NULL, i == 0 ? "SequencerClipData" : "ParallelClipData");
        fx_bin_list(b, "mClipNameList", RIFT_BIN_HASH);
        fx_bin_hash(b, NULL, "Idle1");
        fx_bin_hash(b, NULL, "Run");
        fx_bin_end(b);
        fx_bin_end(b);
    }
    fx_bin_end(b);
    fx_bin_map(b, "mMaskDataMap", RIFT_BIN_HASH, RIFT_BIN_EMBED);
    fx_bin_hash(b, NULL, "Upper");
    fx_bin_embed(b, NULL, "MaskData");
    fx_bin_list(b, "mWeightList", RIFT_BIN_F32);
    fx_bin_f32(b, NULL, 0);
    fx_bin_f32(b, NULL, 1);
    fx_bin_f32(b, NULL, 1);
    fx_bin_end(b);
    fx_bin_end(b);
    fx_bin_end(b);
    fx_bin_end(b);
}

static rift_bytes bin(rift_arena *arena)
{
    fx_bin b;
    fx_bin_init(&b, arena, (fx_bin_opts){0});
    fx_bin_entry(&b, "Characters/Hero/Skins/Skin0", "SkinCharacterDataProperties");
    fx_bin_embed(&b, "skinMeshProperties", "SkinMeshDataProperties");
    fx_bin_string(&b, "simpleSkin", "a/hero.skn");
    fx_bin_string(&b, "texture", "a/body.tex");
    fx_bin_string(&b, "initialSubmeshToHide", "Sword");
    fx_bin_list(&b, "materialOverride", RIFT_BIN_EMBED);
    fx_bin_embed(&b, NULL, "SkinMeshDataProperties_MaterialOverride");
    fx_bin_string(&b, "submesh", "Sword");
    fx_bin_string(&b, "texture", "a/sword.tex");
    fx_bin_end(&b);
    fx_bin_end(&b);
    fx_bin_end(&b);
    fx_bin_embed(&b, "skinAnimationProperties", "skinAnimationProperties");
    fx_bin_link(&b, "animationGraphData", "G");
    fx_bin_end(&b);
    fx_bin_end(&b);
    put_graph(&b);
    return fx_bin_finish(&b);
}

static void make_static(rift_buf *set, rift_arena *arena)
{
    rift_buf_u8(set, 1);
    put_part(set, SKN, skn(0, arena));
    put_part(set, TEXTURE, texture(arena));
}

static void make_loose(rift_buf *set, rift_arena *arena)
{
    rift_buf_u8(set, 1);
    put_part(set, SKN, skn(4, arena));
    put_part(set, SKL, skl(false, arena));
    put_part(set, ANM, anm(false, 5, arena));
    put_part(set, TEXTURE, texture(arena));
}

static void make_legacy(rift_buf *set, rift_arena *arena)
{
    rift_buf_u8(set, 1 | 32 | 128);
    put_part(set, SKN, skn(2, arena));
    put_part(set, SKL, skl(true, arena));
    put_part(set, ANM, anm(false, 3, arena));
    put_part(set, ANM, anm(true, 1, arena));
}

static void make_graph(rift_buf *set, rift_arena *arena)
{
    rift_buf_u8(set, 1);
    put_part(set, BIN, bin(arena));
    put_part(set, SKN, skn(4, arena));
    put_part(set, SKL, skl(false, arena));
    put_part(set, ANM, anm(true, 3, arena));
    put_part(set, ANM, anm(false, 4, arena));
    put_part(set, TEXTURE, texture(arena));
    put_part(set, TEXTURE, texture(arena));
}

static void make_hidden(rift_buf *set, rift_arena *arena)
{
    make_graph(set, arena);
    set->data[0] = 1 | 4 | 8 | 64;
}

/* Content and timing, keys, clips, pose; then a timeline. */
static void put_options(rift_buf *set, const char *bytes, size_t size)
{
    put_part(set, OPTIONS, (rift_bytes){(const uint8_t *)bytes, size});
}

static void make_cubic(rift_buf *set, rift_arena *arena)
{
    make_graph(set, arena);
    put_options(set, "\x01\x01\x00\x00", 4);
}

static void make_dense(rift_buf *set, rift_arena *arena)
{
    make_graph(set, arena);
    put_options(set, "\x02\x3e\x04\x00", 4);
}

static void make_pose(rift_buf *set, rift_arena *arena)
{
    make_graph(set, arena);
    put_options(set, "\x00\x00\x00\x8d", 4);
}

static void make_parallel(rift_buf *set, rift_arena *arena)
{
    make_graph(set, arena);
    put_options(set, "\x00\x00\x05\x00", 4);
}

/* Idle1 in slot 0, Run through the mask in slot 1 from 0.1 s, which fades from 0.3 s on. */
static void make_layers(rift_buf *set, rift_arena *arena)
{
    make_graph(set, arena);
    put_options(set, "\x00\x00\x00\x00\x20\x00\x00\x00\x82\x80\x06\x21\x01\x81\x80\x13\x26\x00\x80\x20", 20);
}

static void make_auto(rift_buf *set, rift_arena *arena)
{
    make_graph(set, arena);
    put_options(set, "\x00\x00\x00\x00\x02\x00\x01", 7);
}

static bool put(const char *corpus, const char *name, void (*make)(rift_buf *, rift_arena *))
{
    char path[4096];
    rift_arena arena;
    rift_buf set;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_buf_init(&set, &arena, UINT16_MAX);
    make(&set, &arena);
    (void)snprintf(path, sizeof path, "%s/convert", corpus);
    (void)mkdir(path, 0777);
    (void)snprintf(path, sizeof path, "%s/convert/%s", corpus, name);
    FILE *f = set.failed ? NULL : fopen(path, "wb");
    bool ok = f != NULL && fwrite(set.data, 1, set.size, f) == set.size;
    if (f != NULL)
        ok &= fclose(f) == 0;
    printf("%s %s (%zu bytes)\n", ok ? "wrote" : "cannot write", path, set.size);
    rift_arena_release(&arena);
    return ok;
}

bool make_convert_seeds(const char *corpus)
{
    bool ok = put(corpus, "static", make_static);
    ok &= put(corpus, "loose", make_loose);
    ok &= put(corpus, "legacy", make_legacy);
    ok &= put(corpus, "graph", make_graph);
    ok &= put(corpus, "graph-hidden", make_hidden);
    ok &= put(corpus, "graph-cubic", make_cubic);
    ok &= put(corpus, "graph-dense", make_dense);
    ok &= put(corpus, "graph-pose", make_pose);
    ok &= put(corpus, "graph-parallel", make_parallel);
    ok &= put(corpus, "graph-layers", make_layers);
    ok &= put(corpus, "graph-auto", make_auto);
    return ok;
}
