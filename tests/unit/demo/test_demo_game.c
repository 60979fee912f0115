/* The synthetic game holds what it says it holds: archives of every version, every form of every format,
 * every class of clip and event. What is seen is read back by the parsers and compared with the list, both
 * ways. */
#include <inttypes.h>
#include <stdarg.h>

#include "base/str.h"
#include "demo_open.h"
#include "formats/anm.h"
#include "formats/image.h"
#include "formats/skl.h"
#include "formats/skn.h"
#include "game/field_names.h"
#include "game/skin.h"
#include "hash/hash.h"
#include "support/check.h"

/* ---- The folder ---- */

static bool same_files(const fx_demo_game *a, const fx_demo_game *b)
{
    bool same = a->file_count == b->file_count;
    for (size_t i = 0; i < a->file_count && same; i++) {
        same = a->files[i].data.size == b->files[i].data.size &&
               memcmp(a->files[i].data.data, b->files[i].data.data, a->files[i].data.size) == 0;
    }
    return same;
}

static void one_seed_gives_one_game(void)
{
    demo_open a = {0};
    demo_open b = {0};
    demo_open c = {0};
    if (demo_open_game(&a, 7) && demo_open_game(&b, 7) && demo_open_game(&c, 8)) {
        CHECK(same_files(&a.files, &b.files));
        CHECK_U64(a.files.file_count, c.files.file_count);
        CHECK(!same_files(&a.files, &c.files));
    }
    demo_close(&c);
    demo_close(&b);
    demo_close(&a);
}

static void the_game_is_small(void)
{
    demo_open demo = {0};
    if (demo_open_game(&demo, 1)) {
        size_t size = 0;
        for (size_t i = 0; i < demo.files.file_count; i++)
            size += demo.files.files[i].data.size;
        CHECK(size > 100000);
        CHECK(size < 2000000);
        CHECK_STR(demo.files.files[0].path, RIFT_STR("content-metadata.json"));
    }
    demo_close(&demo);
}

/* Archive by archive. Unpacked bytes do not depend on the compressors, so that one number holds for all
 * compilers and libraries; it changes with every change of the content. */
static void every_compiler_gives_these_bytes(void)
{
    static const uint64_t all_of_seed_1 = UINT64_C(0x9c42666060d7b8ce);
    demo_open demo = {0};
    if (demo_open_game(&demo, 1)) {
        uint64_t all = 0;
        for (size_t i = 0; i < demo.game.archive_count; i++) {
            const rift_wad *wad = &demo.game.archives[i].wad;
            for (size_t k = 0; k < wad->entry_count; k++) {
                rift_bytes bytes;
                rift_err err = check_err();
                const rift_arena_mark mark = rift_arena_get_mark(&demo.arena);
                if (rift_wad_read(wad, &wad->entries[k], &demo.arena, &bytes, &err))
                    all = all * 31 + (rift_xxh3(bytes) ^ wad->entries[k].path_hash);
                rift_arena_rewind(&demo.arena, mark);
            }
        }
        check_row("0x%016" PRIx64, all);
        CHECK_U64(all, all_of_seed_1);
    }
    demo_close(&demo);
}

static void archives_have_their_versions(void)
{
    static const struct {
        const char *path;
        uint8_t major, minor;
        bool empty;
    } rows[] = {
        {"DATA/FINAL/Champions/Bramble.wad.client", 3, 4, false},
        {"DATA/FINAL/Champions/Bramble.en_US.wad.client", 3, 3, true},
        {"DATA/FINAL/Champions/Shaco.wad.client", 3, 1, false},
        {"DATA/FINAL/Global.wad.client", 3, 0, false},
        {"DATA/FINAL/Maps/Shipping/Common.wad.client", 2, 0, false},
        {"DATA/FINAL/Maps/Shipping/Map11.wad.client", 3, 3, false},
        {"DATA/FINAL/Maps/Shipping/Map12.wad.client", 3, 2, false},
        {"DATA/FINAL/Old/Launcher.wad", 1, 0, false},
    };
    demo_open demo = {0};
    if (demo_open_game(&demo, 1)) {
        CHECK_U64(demo.game.archive_count, RIFT_COUNT(rows));
        for (size_t i = 0; i < RIFT_COUNT(rows) && i < demo.game.archive_count; i++) {
            check_row("%s", rows[i].path);
            CHECK_STR(demo.game.archives[i].path, rift_str_c(rows[i].path));
            CHECK_U64(demo.game.archives[i].wad.major, rows[i].major);
            CHECK_U64(demo.game.archives[i].wad.minor, rows[i].minor);
            CHECK((demo.game.archives[i].wad.entry_count == 0) == rows[i].empty);
        }
        check_row("damage");
        CHECK_U64(demo.files.file_count,
                  RIFT_COUNT(rows) + 2); /* and Map22, which is none; and the metadata */
        CHECK_U64(rift_report_count(&demo.report, "archive_unreadable"), 1);
        CHECK_U64(rift_report_count(&demo.report, "wad_entry_outside"), 1);
        CHECK_U64(demo.report.entry_count, 2);
    }
    demo_close(&demo);
}

static void another_seed_lists_the_same_skins(void)
{
    static const uint32_t shaco[] = {5, 6, 7, 8, 9, 10};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        demo_open demo = {0};
        if (demo_open_game(&demo, seed) && CHECK(demo.game.champion_count == 2)) {
            const rift_champion *c = demo.game.champions;
            CHECK_U64(c[0].id, 35);
            CHECK_STR(c[0].alias, RIFT_STR("shaco"));
            CHECK_U64(c[0].skin_count, RIFT_COUNT(shaco));
            for (size_t i = 0; i < RIFT_COUNT(shaco) && i < c[0].skin_count; i++)
                CHECK_U64(c[0].skins[i], shaco[i]);
            CHECK_U64(c[1].id, 9001);
            CHECK_STR(c[1].alias, RIFT_STR("bramble"));
            CHECK_STR(c[1].name, RIFT_STR("Bramble"));
            CHECK_U64(c[1].skin_count, 5);
        }
        demo_close(&demo);
    }
}

/* ---- What is in it ---- */

enum { MAX_SEEN = 256, SEEN_SIZE = 48 };

/* Features found, each once. */
typedef struct census {
    char seen[MAX_SEEN][SEEN_SIZE];
    size_t count;
    rift_arena arena;
} census;

static void RIFT_PRINTF(2, 3) mark(census *c, const char *format, ...)
{
    char text[SEEN_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (size_t i = 0; i < c->count; i++) {
        if (strcmp(c->seen[i], text) == 0)
            return;
    }
    if (CHECK(c->count < MAX_SEEN))
        memcpy(c->seen[c->count++], text, SEEN_SIZE);
}

static void count_skn(census *c, rift_bytes bytes)
{
    static const int sizes[] = {52, 56, 72, 104};
    rift_err err = check_err();
    rift_skn skn;
    if (CHECK_OK(rift_skn_parse(&skn, bytes, &c->arena, NULL, &err), &err))
        mark(c, "skn %d, %d bytes, flags %d", skn.major, sizes[skn.vertex_type], (int)skn.flags);
}

static void count_skl(census *c, rift_bytes bytes)
{
    rift_err err = check_err();
    rift_skl skl;
    if (!CHECK_OK(rift_skl_parse(&skl, bytes, &c->arena, NULL, &err), &err))
        return;
    mark(c, skl.legacy ? "skl legacy %d" : "skl %d", (int)skl.version);
    for (size_t i = 0; i < skl.influence_count; i++) {
        if (skl.influences[i] != i)
            mark(c, "skl influences not the identity");
    }
}

/* Torn clips and one of an unknown version fail; the list says how. */
static void count_anm(census *c, rift_bytes bytes)
{
    rift_err err = check_err();
    rift_anm anm;
    if (!rift_anm_parse(&anm, bytes, &c->arena, NULL, &err)) {
        mark(c, "anm refused: %s", err.code == RIFT_ERR_UNSUPPORTED ? "version" : "torn");
    } else if (anm.compressed) {
        mark(c, "anm compressed %d, %s", (int)anm.version,
             anm.basis == RIFT_ANM_SPLINE_UNIFORM ? "uniform" : "parametrised");
    } else {
        mark(c, anm.frame_count == 1 ? "anm %d, one pose" : "anm %d", (int)anm.version);
    }
}

static void count_image(census *c, rift_bytes bytes)
{
    rift_err err = check_err();
    rift_image image;
    if (!rift_image_parse(&image, bytes, NULL, &err)) {
        mark(c, "image refused: %s", err.code == RIFT_ERR_TRUNCATED ? "torn" : "other");
        return;
    }
    mark(c, "%s %s", image.is_dds ? "dds" : "tex", rift_pixel_format_name(image.format));
    if (image.format == RIFT_PIXEL_MASKED)
        mark(c, "dds of %d bits", (int)image.bits_per_pixel);
    if (image.levels[0].width % 4 != 0)
        mark(c, "image of odd size");
}

static void count_graph(census *c, const rift_bin_object *object)
{
    enum { SKELETON_OF_SKIN_0 = 24 };
    rift_err err = check_err();
    rift_graph graph;
    if (!CHECK_OK(rift_graph_read(&graph, object, RIFT_STR("bramble"), NULL, &c->arena, NULL, &err), &err))
        return;
    for (size_t i = 0; i < graph.clip_count; i++) {
        const rift_graph_clip *clip = &graph.clips[i];
        mark(c, "clip %s", rift_clip_class_word(clip->kind));
        for (size_t k = 0; k < clip->event_count; k++)
            mark(c, "event %s", rift_event_class_word(clip->events[k].kind));
        if (clip->start_frame > 0)
            mark(c, "clip with a start of its own");
        if (clip->kind == RIFT_CLIP_ATOMIC && clip->file.name.size == 0)
            mark(c, "clip of a hashed file");
    }
    for (size_t i = 0; i < graph.mask_count; i++) {
        const size_t weights = graph.masks[i].weight_count;
        mark(c, "mask %s",
             weights == SKELETON_OF_SKIN_0  ? "of the right length"
             : weights < SKELETON_OF_SKIN_0 ? "too short"
                                            : "too long");
        for (size_t k = 0; k < weights; k++) {
            if (graph.masks[i].weights[k] > 0 && graph.masks[i].weights[k] < 1)
                mark(c, "mask with fractions");
        }
    }
    for (size_t i = 0; i < graph.track_count; i++)
        mark(c, "track of mode %d, priority %d", graph.tracks[i].blend_mode, graph.tracks[i].priority);
}

static void count_tables(census *c, const rift_bin_object *graph)
{
    size_t count;
    const rift_bin_pair *pairs = rift_bin_pairs(graph, rift_fnv1a(RIFT_STR("mSyncGroupDataMap")), &count);
    for (size_t i = 0; i < count; i++) {
        mark(c, "sync group of type %d",
             (int)rift_bin_integer(rift_bin_value_object(&pairs[i].value), rift_fnv1a(RIFT_STR("mType")), 0));
    }
    pairs = rift_bin_pairs(graph, rift_fnv1a(RIFT_STR("mBlendDataTable")), &count);
    for (size_t i = 0; i < count; i++) {
        const rift_bin_object *blend = rift_bin_value_object(&pairs[i].value);
        mark(c, "blend by %s", blend->class_hash == rift_fnv1a(RIFT_STR("TimeBlendData")) ? "time" : "clip");
    }
}

static void count_bin(census *c, rift_bytes bytes)
{
    rift_err err = check_err();
    rift_bin bin;
    if (!rift_bin_parse(&bin, bytes, &c->arena, NULL, &err)) {
        mark(c, "bin refused: %s", err.code == RIFT_ERR_TRUNCATED ? "torn" : "other");
        return;
    }
    mark(c, bin.is_patch ? "bin PTCH %d" : "bin PROP %d", (int)bin.version);
    mark(c, "bin numbering %d", bin.numbering);
    for (size_t i = 0; i < bin.entry_count; i++) {
        const rift_bin_object *object = &bin.entries[i].object;
        if (object->class_hash == RIFT_C_ANIMATION_GRAPH_DATA) {
            count_graph(c, object);
            count_tables(c, object);
        } else if (object->class_hash == RIFT_C_CHARACTER_RECORD) {
            mark(c, "champion record");
        } else if (object->class_hash == RIFT_C_STATIC_MATERIAL_DEF) {
            mark(c, "material");
        }
    }
}

static void count_file(census *c, rift_bytes b)
{
    if (b.size < 8)
        return;
    if (memcmp(b.data, "\x33\x22\x11\x00", 4) == 0) {
        count_skn(c, b);
    } else if (memcmp(b.data + 4, "\xc3\x4f\xfd\x22", 4) == 0 || memcmp(b.data, "r3d2sklt", 8) == 0) {
        count_skl(c, b);
    } else if (memcmp(b.data, "r3d2canm", 8) == 0 || memcmp(b.data, "r3d2anmd", 8) == 0) {
        count_anm(c, b);
    } else if (memcmp(b.data, "PROP", 4) == 0 || memcmp(b.data, "PTCH", 4) == 0) {
        count_bin(c, b);
    } else if (rift_image_is(b)) {
        count_image(c, b);
    }
}

static void count_archive(census *c, const rift_wad *wad)
{
    static const char *const storages[] = {"raw", "gzip", "redirect", "zstd", "chunks"};
    for (size_t i = 0; i < wad->entry_count; i++) {
        const rift_wad_entry *entry = &wad->entries[i];
        const rift_arena_mark start = rift_arena_get_mark(&c->arena);
        rift_err err = check_err();
        rift_bytes bytes;
        if (CHECK(entry->storage < RIFT_COUNT(storages)))
            mark(c, "%s in wad %d.%d", storages[entry->storage], wad->major, wad->minor);
        if (rift_wad_read(wad, entry, &c->arena, &bytes, &err)) {
            count_file(c, bytes);
        } else {
            mark(c, "entry refused: %s", err.code == RIFT_ERR_UNSUPPORTED ? "redirect" : "outside");
        }
        rift_arena_rewind(&c->arena, start);
    }
    if (wad->chunk_count > 0)
        mark(c, "wad with a table of chunks");
}

static const char *const features[] = {
    /* archives */
    "raw in wad 1.0",
    "gzip in wad 1.0",
    "gzip in wad 2.0",
    "redirect in wad 3.0",
    "zstd in wad 3.0",
    "gzip in wad 3.1",
    "raw in wad 3.2",
    "chunks in wad 3.3",
    "zstd in wad 3.4",
    "chunks in wad 3.4",
    "raw in wad 3.1",
    "wad with a table of chunks",
    "entry refused: redirect",
    "entry refused: outside",
    /* meshes and skeletons */
    "skn 0, 52 bytes, flags 0",
    "skn 1, 52 bytes, flags 0",
    "skn 2, 52 bytes, flags 0",
    "skn 4, 52 bytes, flags 0",
    "skn 4, 56 bytes, flags 0",
    "skn 4, 72 bytes, flags 1",
    "skn 4, 104 bytes, flags 2",
    "skl 0",
    "skl legacy 0",
    "skl legacy 1",
    "skl legacy 2",
    "skl influences not the identity",
    /* animations */
    "anm compressed 1, uniform",
    "anm compressed 1, parametrised",
    "anm compressed 2, uniform",
    "anm compressed 2, parametrised",
    "anm compressed 3, parametrised",
    "anm compressed 3, uniform",
    "anm 3",
    "anm 4",
    "anm 5",
    "anm 5, one pose",
    "anm refused: version",
    "anm refused: torn",
    /* textures */
    "tex BC1",
    "tex BC3",
    "tex BC5",
    "tex BC7",
    "tex BGRA8",
    "dds BC1",
    "dds BC2",
    "dds BC3",
    "dds BC4",
    "dds BC5",
    "dds BC7",
    "dds BGRA8",
    "dds RGBA8",
    "dds masked",
    "dds of 8 bits",
    "dds of 16 bits",
    "dds of 24 bits",
    "image of odd size",
    "image refused: torn",
    "image refused: other",
    /* bins */
    "bin PROP 1",
    "bin PROP 2",
    "bin PROP 3",
    "bin PTCH 3",
    "bin numbering 0",
    "bin numbering 1",
    "bin numbering 2",
    "bin refused: torn",
    "champion record",
    "material",
    /* graphs */
    "clip atomic",
    "clip parametric",
    "clip selector",
    "clip sequencer",
    "clip parallel",
    "clip condition_bool",
    "clip condition_float",
    "clip event_selector",
    "clip switch_int",
    "clip state",
    "clip unknown",
    "clip with a start of its own",
    "clip of a hashed file",
    "event joint_snap",
    "event visibility",
    "event particle",
    "event sound",
    "event conform",
    "event fade",
    "event face_target",
    "event idle_particles",
    "event stop",
    "event look_at",
    "event lock_root",
    "event orientation",
    "event spring",
    "event state_logic",
    "event synced",
    "event unknown",
    "mask of the right length",
    "mask too short",
    "mask too long",
    "mask with fractions",
    "track of mode 0, priority 0",
    "track of mode 0, priority 5",
    "track of mode 0, priority 10",
    "track of mode 1, priority 20",
    "track of mode 2, priority 30",
    "sync group of type 0",
    "sync group of type 1",
    "blend by time",
    "blend by clip",
};

static void every_feature_is_there_and_no_other(void)
{
    demo_open demo = {0};
    static census c;
    c.count = 0;
    rift_arena_init(&c.arena, (size_t)64 << 20);
    if (demo_open_game(&demo, 1)) {
        for (size_t i = 0; i < demo.game.archive_count; i++)
            count_archive(&c, &demo.game.archives[i].wad);
        for (size_t i = 0; i < RIFT_COUNT(features); i++) {
            bool found = false;
            for (size_t k = 0; k < c.count && !found; k++)
                found = strcmp(features[i], c.seen[k]) == 0;
            check_row("missing: %s", features[i]);
            CHECK(found);
        }
        for (size_t k = 0; k < c.count; k++) {
            bool listed = false;
            for (size_t i = 0; i < RIFT_COUNT(features) && !listed; i++)
                listed = strcmp(features[i], c.seen[k]) == 0;
            check_row("not in the list: %s", c.seen[k]);
            CHECK(listed);
        }
    }
    rift_arena_release(&c.arena);
    demo_close(&demo);
}

/* ---- Looks ---- */

typedef struct look_row {
    const char *part, *reason, *texture;
    bool material, alpha_test, blend_signal, additive, two_sided, uv;
    rift_address_mode u, v;
} look_row;

static const look_row looks[] = {
    {.part = "Body", .reason = "material", .texture = "Bramble_Plank_TX_CM.tex", .material = true},
    {.part = "bOTH", .reason = "override_material", .texture = "Seven.dds", .material = true},
    {.part = "TextureOnly", .reason = "override_texture", .texture = "Only_TX_CM.tex"},
    {.part = "FallThrough", .reason = "override_texture", .texture = "Fall_TX_CM.tex", .material = true},
    {.part = "NoMaterial", .reason = "material", .texture = "Bramble_Plank_TX_CM.tex", .material = true},
    {.part = "Cutout",
     .reason = "override_material",
     .texture = "Cutout_TX_CM.tex",
     .material = true,
     .alpha_test = true},
    {.part = "Glass",
     .reason = "override_material",
     .texture = "Glass_TX_CM.tex",
     .material = true,
     .blend_signal = true},
    {.part = "Glow",
     .reason = "override_material",
     .texture = "Glow_TX_CM.dds",
     .material = true,
     .blend_signal = true,
     .additive = true},
    {.part = "TwoSided",
     .reason = "override_material",
     .texture = "TwoSided_TX_CM.dds",
     .material = true,
     .two_sided = true,
     .u = RIFT_ADDRESS_CLAMP,
     .v = RIFT_ADDRESS_CLAMP},
    {.part = "Mirrored",
     .reason = "override_material",
     .texture = "Mirrored_TX_CM.tex",
     .material = true,
     .u = RIFT_ADDRESS_MIRROR,
     .v = RIFT_ADDRESS_CLAMP},
    {.part = "Tiled",
     .reason = "override_material",
     .texture = "Tiled_TX_CM.tex",
     .material = true,
     .uv = true},
    {.part = "OldSampler",
     .reason = "override_material",
     .texture = "OldSampler_TX_CM.dds",
     .material = true},
    {.part = "Moss",
     .reason = "override_material",
     .texture = "",
     .material = true}, /* from Common, as a hash */
    {.part = "Pair5", .reason = "override_texture", .texture = "Pair5.tex"},
};

static void the_exhibits_look_as_told(void)
{
    demo_open demo = {0};
    rift_err err = check_err();
    rift_skin_ref ref;
    rift_skin skin;
    if (demo_open_game(&demo, 1) && demo_find(&demo, "9001000", &demo.arena, &ref)) {
        const rift_assets assets = rift_game_assets(&demo.game);
        if (CHECK_OK(rift_skin_load(&skin, &ref, &assets, NULL, &demo.arena, NULL, NULL, &err), &err)) {
            for (size_t i = 0; i < RIFT_COUNT(looks); i++) {
                const look_row *row = &looks[i];
                rift_look look;
                check_row("%s", row->part);
                if (!CHECK_OK(
                        rift_skin_look(&look, &skin, rift_str_c(row->part), NULL, &demo.arena, NULL, &err),
                        &err))
                    continue;
                const rift_material_def *m = &look.material;
                CHECK_STR(look.reason, rift_str_c(row->reason));
                CHECK_STR(rift_str_base(look.texture.name), rift_str_c(row->texture));
                CHECK(look.texture.hash != 0);
                CHECK_I64(look.has_material, row->material);
                CHECK_I64(look.has_material && m->alpha_test, row->alpha_test);
                CHECK_I64(look.has_material && m->blend_signal, row->blend_signal);
                CHECK_I64(look.has_material && m->additive, row->additive);
                CHECK_I64(look.has_material && !m->cull, row->two_sided);
                CHECK_I64(look.has_material && m->has_uv_transform, row->uv);
                CHECK_I64(look.has_material ? m->address_u : RIFT_ADDRESS_REPEAT, row->u);
                CHECK_I64(look.has_material ? m->address_v : RIFT_ADDRESS_REPEAT, row->v);
            }
            CHECK(rift_skin_hides(&skin, RIFT_STR("Recall_Robe")));
            CHECK(rift_skin_hides(&skin, RIFT_STR("weapon_trail")));
            CHECK(rift_skin_hides(&skin, RIFT_STR("Tentacles")));
            CHECK(!rift_skin_hides(&skin, RIFT_STR("Twin")));
        }
    }
    demo_close(&demo);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(one_seed_gives_one_game);
    RUN(the_game_is_small);
    RUN(every_compiler_gives_these_bytes);
    RUN(archives_have_their_versions);
    RUN(another_seed_lists_the_same_skins);
    RUN(every_feature_is_there_and_no_other);
    RUN(the_exhibits_look_as_told);
    return check_finish();
}
