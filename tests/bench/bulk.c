#include "bulk.h"

#include "base/str.h"
#include "fixtures/demo_internal.h"
#include "hash/hash.h"

#define BULK "ASSETS/Characters/Bulk/Skins/Base/"

enum { JOINTS = 80, CLIPS = 60, PARTS = 18, SIDE = 1024, KEYS = 25, FRAMES = 96 };

static const char *part_name(size_t i, rift_arena *arena)
{
    return rift_arena_printf(arena, "Part%zu", i).data;
}

/* A spine of four, and chains of four on it. */
static fx_skl skeleton(rift_arena *arena)
{
    fx_joint *joints = RIFT_NEW(arena, fx_joint, JOINTS);
    RIFT_ASSERT(joints != NULL);
    for (int i = 0; i < JOINTS; i++) {
        joints[i] = (fx_joint){.name = rift_arena_printf(arena, "Joint%d", i).data,
                               .parent = i < 4        ? i - 1
                                         : i % 4 == 0 ? i / 4 % 4
                                                      : i - 1,
                               .local = {.t = {(i % 7) - 3, 12, (i % 5) - 2}}};
    }
    return (fx_skl){.joints = joints, .joint_count = JOINTS};
}

static rift_bytes mesh(rift_arena *arena)
{
    demo_mesh m;
    demo_mesh_init(&m, arena);
    for (size_t i = 0; i < PARTS; i++) {
        const double at[3] = {(double)(i % 3) * 40 - 40, 20 + 30 * (double)(i / 3), (double)(i % 2) * 10};
        demo_mesh_part(&m, part_name(i, arena), SIDE);
        demo_add_ball(&m, at, (const double[3]){22, 18, 20}, 24, (demo_rect){0, 0, SIDE, SIDE},
                      (demo_bond){(uint8_t)(4 * i % JOINTS), (uint8_t)((4 * i + 1) % JOINTS), 0.3});
    }
    const fx_skn skn = demo_mesh_skn(&m);
    return fx_skn_write(&skn, arena);
}

/* Patches of many colours with grain, as painted textures are to a compressor. */
static rift_bytes texture(uint64_t seed, rift_arena *arena)
{
    enum { PATCH = 64 };
    demo_canvas c = demo_canvas_new(SIDE, SIDE, arena);
    uint64_t random = seed;
    for (uint32_t y = 0; y < SIDE; y += PATCH) {
        for (uint32_t x = 0; x < SIDE; x += PATCH) {
            const demo_rect where = {x, y, PATCH, PATCH};
            const uint32_t top = demo_random(&random) & 0xffffff;
            demo_gradient(&c, where, top, demo_mix(top, demo_random(&random) & 0xffffff, 0.5));
        }
    }
    demo_grain(&c, (demo_rect){0, 0, SIDE, SIDE}, 8, &random);
    const fx_image image = demo_image(&c, RIFT_PIXEL_BC3, FX_ALL_LEVELS);
    return fx_tex(&image, arena);
}

static rift_bytes clip(size_t number, const fx_skl *skl, rift_arena *arena)
{
    demo_move *moves = RIFT_NEW(arena, demo_move, (size_t)JOINTS * KEYS);
    uint64_t random = number + 1;
    size_t count = 0;
    RIFT_ASSERT(moves != NULL);
    for (size_t j = 0; j < JOINTS; j++) {
        for (size_t k = 0; k < KEYS; k++) {
            const double swing = (double)(demo_random(&random) % 60) - 30;
            moves[count++] =
                (demo_move){(uint8_t)j, 'r', (double)(FRAMES * k) / (KEYS - 1), swing, swing / 2, 3};
        }
    }
    const demo_clip made = {
        .moves = moves, .move_count = count, .frames = FRAMES, .compressed = true, .version = 1};
    return demo_clip_write(&made, skl, arena);
}

static const char *clip_name(size_t i, rift_arena *arena)
{
    return i == 0 ? "Idle1" : rift_arena_printf(arena, "Spell%zu", i).data;
}

static const char *clip_file(size_t i, rift_arena *arena)
{
    return rift_arena_printf(arena, BULK "Animations/Bulk_%s.anm", clip_name(i, arena)).data;
}

static rift_bytes graph(rift_arena *arena)
{
    fx_bin b;
    fx_bin_init(&b, arena, (fx_bin_opts){.version = 3});
    fx_bin_entry(&b, "Characters/Bulk/Animations/Skin0", "AnimationGraphData");
    fx_bin_map(&b, "mClipDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    for (size_t i = 0; i < CLIPS; i++)
        demo_put_clip(&b, &(demo_graph_clip){.name = clip_name(i, arena), .file = clip_file(i, arena)});
    fx_bin_end(&b);
    fx_bin_end(&b);
    return fx_bin_finish(&b);
}

static rift_bytes record(rift_arena *arena)
{
    fx_bin b;
    fx_bin_init(&b, arena, (fx_bin_opts){.version = 3});
    fx_bin_entry(&b, "Characters/Bulk/CharacterRecords/Root", "CharacterRecord");
    fx_bin_string(&b, "mCharacterName", "Bulk");
    fx_bin_embed(&b, "characterToolData", "CharacterToolData");
    fx_bin_i32(&b, "championId", 9200);
    fx_bin_end(&b);
    fx_bin_end(&b);
    return fx_bin_finish(&b);
}

static void fill(demo_set *set, rift_arena *arena)
{
    const fx_skl skl = skeleton(arena);
    demo_override *overrides = RIFT_NEW(arena, demo_override, PARTS);
    RIFT_ASSERT(overrides != NULL);
    for (size_t i = 0; i < PARTS; i++) /* every second part wears the second texture */
        overrides[i] = (demo_override){part_name(i, arena), i % 2 ? BULK "Bulk_Other_TX_CM.tex" : NULL, NULL};
    const demo_skin skin = {
        .character = "Bulk",
        .parent = -1,
        .mesh = BULK "Bulk.skn",
        .skeleton = BULK "Bulk.skl",
        .texture = BULK "Bulk_TX_CM.tex",
        .graph = "Characters/Bulk/Animations/Skin0",
        .depends = {"DATA/Characters/Bulk/Animations/Skin0.bin"},
        .overrides = overrides,
        .override_count = PARTS,
        .version = 3,
    };
    set->storage = RIFT_WAD_ZSTD;
    demo_put_file(set, "data/characters/bulk/bulk.bin", record(arena));
    demo_put_file(set, "data/characters/bulk/skins/skin0.bin", demo_skin_bin(&skin, arena));
    demo_put_file(set, "DATA/Characters/Bulk/Animations/Skin0.bin", graph(arena));
    demo_put_file(set, BULK "Bulk.skn", mesh(arena));
    demo_put_file(set, BULK "Bulk.skl", fx_skl_write(&skl, arena));
    demo_put_file(set, BULK "Bulk_TX_CM.tex", texture(7, arena));
    demo_put_file(set, BULK "Bulk_Other_TX_CM.tex", texture(11, arena));
    for (size_t i = 0; i < CLIPS; i++)
        demo_put_file(set, clip_file(i, arena), clip(i, &skl, arena));
}

bool bulk_open(rift_game *out, rift_arena *arena, rift_report *report, rift_err *err)
{
    demo_set *set = RIFT_NEW(arena, demo_set, 1);
    rift_game_file *file = RIFT_NEW(arena, rift_game_file, 1);
    rift_bytes *bytes = RIFT_NEW(arena, rift_bytes, 1);
    if (set == NULL || file == NULL || bytes == NULL)
        return rift_arena_ok(arena, "bulk", err);
    const rift_wad_write_opts opts = {
        .major = 3, .minor = 3, .path = RIFT_STR("DATA/FINAL/Champions/Bulk.wad.client")};
    fill(set, arena);
    if (!rift_wad_write(bytes, set->items, set->count, &opts, arena, err))
        return false;
    *file = (rift_game_file){opts.path, rift_source_from_bytes(bytes)};
    return rift_game_open(out, file, 1, arena, report, err);
}
