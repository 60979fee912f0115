/* The real game folder and the real loose sets, where the corpus is at hand. Every number was counted by a
 * separate reader in another language; nothing here was taken from what the code under test prints. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "formats/skn.h"
#include "game/skin.h"
#include "hash/hash.h"
#include "support/check.h"

enum { ARENA_LIMIT = 1024 * 1024 * 1024 };

static const char archive_path[] = "DATA/FINAL/Champions/Yasuo.wad.client";

static bool read_fd(void *user, uint64_t offset, void *dst, size_t len, rift_err *err)
{
    const int *fd = user;
    if (pread(*fd, dst, len, (off_t)offset) == (ssize_t)len)
        return true;
    return rift_fail(err, RIFT_ERR_IO, "test", offset, "cannot read %zu bytes", len);
}

/* The mounted folder, shared by the tests of this file. */
static struct {
    int fd;
    rift_arena arena;
    rift_report report;
    rift_game game;
    rift_assets assets;
} mounted;

static bool mount(void)
{
    char full[4096];
    struct stat st;
    rift_err err = check_err();
    (void)snprintf(full, sizeof full, "%s/game/%s", check_corpus(), archive_path);
    mounted.fd = open(full, O_RDONLY);
    if (mounted.fd < 0 || fstat(mounted.fd, &st) != 0)
        return false;
    rift_arena_init(&mounted.arena, ARENA_LIMIT);
    rift_report_init(&mounted.report, &mounted.arena);
    const rift_game_file file = {
        .path = rift_str_c(archive_path),
        .source = {.user = &mounted.fd, .size = (uint64_t)st.st_size, .read_at = read_fd},
    };
    if (!rift_game_open(&mounted.game, &file, 1, &mounted.arena, &mounted.report, &err))
        return false;
    mounted.assets = rift_game_assets(&mounted.game);
    return true;
}

static void the_archive_gives_one_champion(void)
{
    static const uint32_t skins[] = {0, 1, 2, 3, 4, 5, 17, 18, 19, 27, 34, 35, 36, 37};
    CHECK_U64(mounted.report.entry_count, 0);
    CHECK_U64(mounted.game.archive_count, 1);
    CHECK_U64(mounted.game.archives[0].wad.entry_count, 883);
    CHECK_FATAL(mounted.game.champion_count == 1);
    const rift_champion *champion = &mounted.game.champions[0];
    CHECK_U64(champion->id, 157);
    CHECK_STR(champion->alias, RIFT_STR("yasuo"));
    CHECK_STR(champion->name, RIFT_STR("Yasuo"));
    CHECK_U64(champion->archive, 0);
    CHECK_FATAL(champion->skin_count == RIFT_COUNT(skins));
    for (size_t i = 0; i < RIFT_COUNT(skins); i++)
        CHECK_U64(champion->skins[i], skins[i]);
}

typedef struct skin_row {
    uint32_t number;
    size_t bins, overrides, hidden, clips, atomic, masks, tracks;
    size_t snaps, visibility, particles, sounds, faces;
    int64_t parent;
} skin_row;

static const skin_row skin_rows[] = {
    {0, 21, 1, 2, 65, 53, 3, 3, 37, 20, 25, 0, 1, -1},  {1, 16, 0, 1, 68, 55, 5, 5, 41, 7, 24, 0, 1, -1},
    {2, 15, 1, 2, 64, 53, 4, 5, 37, 11, 23, 1, 1, -1},  {3, 9, 1, 2, 64, 53, 3, 3, 39, 15, 26, 2, 1, -1},
    {4, 16, 0, 1, 68, 55, 5, 5, 41, 7, 24, 0, 1, 1},    {5, 16, 0, 1, 68, 55, 5, 5, 41, 7, 24, 0, 1, 1},
    {17, 15, 5, 4, 63, 52, 3, 3, 36, 62, 27, 1, 2, -1}, {18, 19, 5, 3, 67, 55, 4, 4, 39, 23, 24, 1, 2, -1},
    {19, 15, 5, 4, 63, 52, 3, 3, 36, 62, 27, 1, 2, 17}, {27, 19, 5, 3, 67, 55, 4, 4, 39, 23, 24, 1, 2, 18},
    {35, 18, 3, 4, 67, 55, 4, 4, 39, 25, 24, 1, 2, -1}, {36, 5, 4, 3, 64, 53, 3, 4, 49, 21, 35, 1, 2, -1},
    {37, 5, 4, 3, 64, 53, 3, 4, 49, 21, 35, 1, 2, 36},
};

static size_t events_of(const rift_graph *graph, rift_event_class kind)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->clip_count; i++)
        for (size_t k = 0; k < graph->clips[i].event_count; k++)
            count += graph->clips[i].events[k].kind == kind;
    return count;
}

static size_t clips_of(const rift_graph *graph, rift_clip_class kind)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->clip_count; i++)
        count += graph->clips[i].kind == kind;
    return count;
}

static bool find(uint32_t number, rift_skin_ref *ref, rift_arena *arena)
{
    char text[16];
    rift_err err = check_err();
    (void)snprintf(text, sizeof text, "157%03u", number);
    return CHECK_OK(rift_game_find_skin(&mounted.game, rift_str_c(text), arena, ref, &err), &err);
}

static void check_counts(const rift_skin *skin, const skin_row *row)
{
    const rift_graph *g = &skin->graph;
    CHECK(skin->has_graph);
    CHECK_U64(skin->bin_count, row->bins);
    CHECK_U64(skin->override_count, row->overrides);
    CHECK_U64(skin->hidden_count, row->hidden);
    CHECK_I64(skin->parent, row->parent);
    CHECK_NEAR(skin->scale, 0.93, 1e-6);
    CHECK_U64(g->clip_count, row->clips);
    CHECK_U64(clips_of(g, RIFT_CLIP_ATOMIC), row->atomic);
    CHECK_U64(g->mask_count, row->masks);
    CHECK_U64(g->track_count, row->tracks);
    CHECK_U64(events_of(g, RIFT_EVENT_JOINT_SNAP), row->snaps);
    CHECK_U64(events_of(g, RIFT_EVENT_VISIBILITY), row->visibility);
    CHECK_U64(events_of(g, RIFT_EVENT_PARTICLE), row->particles);
    CHECK_U64(events_of(g, RIFT_EVENT_SOUND), row->sounds);
    CHECK_U64(events_of(g, RIFT_EVENT_FACE_TARGET), row->faces);
    CHECK_U64(events_of(g, RIFT_EVENT_UNKNOWN), 0);
}

/* Every atomic clip names a file that is there; every composite clip has a clip that stands for it. */
static void check_clips(const rift_skin *skin)
{
    for (size_t i = 0; i < skin->graph.clip_count; i++) {
        const rift_graph_clip *clip = &skin->graph.clips[i];
        if (clip->kind == RIFT_CLIP_ATOMIC)
            CHECK(rift_game_has(&mounted.game, clip->file.hash));
        else
            CHECK(clip->child_count > 0);
        const uint32_t atomic = rift_graph_atomic_of(&skin->graph, (uint32_t)i);
        CHECK_FATAL(atomic < skin->graph.clip_count);
        CHECK(skin->graph.clips[atomic].kind == RIFT_CLIP_ATOMIC);
    }
}

/* Every submesh gets a texture that can be read. */
static void check_submeshes(const rift_skin *skin, rift_arena *arena, rift_report *report)
{
    rift_err err = check_err();
    rift_bytes bytes;
    rift_skn skn;
    if (!CHECK_OK(rift_assets_read(&mounted.assets, &skin->mesh, arena, NULL, &bytes, &err), &err) ||
        !CHECK_OK(rift_skn_parse(&skn, bytes, arena, report, &err), &err))
        return;
    CHECK(skn.range_count >= 3);
    for (size_t i = 0; i < skn.range_count; i++) {
        rift_look look;
        check_row("skin %u, %.*s", skin->ref.number, RIFT_STR_ARG(skn.ranges[i].name));
        if (CHECK_OK(rift_skin_look(&look, skin, skn.ranges[i].name, NULL, arena, report, &err), &err))
            CHECK_OK(rift_assets_read(&mounted.assets, &look.texture, arena, NULL, &bytes, &err), &err);
    }
}

static void every_skin_resolves(void)
{
    for (size_t i = 0; i < RIFT_COUNT(skin_rows); i++) {
        const skin_row *row = &skin_rows[i];
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        rift_report report;
        rift_report_init(&report, &arena);
        rift_asset_log log;
        rift_asset_log_init(&log, &arena);
        rift_err err = check_err();
        rift_skin_ref ref;
        rift_skin skin;
        rift_bytes bytes;
        check_row("skin %u", row->number);
        if (find(row->number, &ref, &arena) &&
            CHECK_OK(rift_skin_load(&skin, &ref, &mounted.assets, NULL, &arena, &log, &report, &err), &err)) {
            CHECK_U64(report.entry_count, 0);
            CHECK_U64(log.count, row->bins);
            check_counts(&skin, row);
            CHECK_OK(rift_assets_read(&mounted.assets, &skin.skeleton, &arena, &log, &bytes, &err), &err);
            check_clips(&skin);
            check_submeshes(&skin, &arena, &report);
        }
        rift_arena_release(&arena);
    }
    check_row("%s", "");
}

/* Loads a skin and the look of the part at `range` in its mesh. */
static bool look_of(uint32_t number, size_t range, rift_skin *skin, rift_look *look, rift_arena *arena)
{
    rift_err err = check_err();
    rift_skin_ref ref;
    rift_bytes bytes;
    rift_skn skn;
    return find(number, &ref, arena) &&
           CHECK_OK(rift_skin_load(skin, &ref, &mounted.assets, NULL, arena, NULL, NULL, &err), &err) &&
           CHECK_OK(rift_assets_read(&mounted.assets, &skin->mesh, arena, NULL, &bytes, &err), &err) &&
           CHECK_OK(rift_skn_parse(&skn, bytes, arena, NULL, &err), &err) && CHECK(range < skn.range_count) &&
           CHECK_OK(rift_skin_look(look, skin, skn.ranges[range].name, NULL, arena, NULL, &err), &err);
}

/* Which rule gives which texture, by the hash of its path: one row for each rule. */
static void submeshes_get_the_texture_that_another_reader_chose(void)
{
    static const struct {
        uint32_t number;
        size_t range;
        const char *reason;
        uint64_t texture;
    } rows[] = {
        {0, 2, "texture", 0xd7af7f410d2b9ceeu},
        {17, 0, "material", 0x13c30c0c6c7de5dfu},
        {17, 2, "override_material", 0x13c30c0c6c7de5dfu},
        {17, 3, "override_texture", 0xe672b3d29df53839u},
        {17, 4, "override_texture", 0xf398f4a3b0988368u},
        {19, 0, "material", 0x2f3bba613e7ad145u},
        {35, 2, "override_material", 0xf05cdcf8a0dce0b8u},
        {37, 4, "override_texture", 0xa7a23e3ad62c44f6u},
        {37, 0, "texture", 0xb44f947fb4b44d11u},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        rift_skin skin;
        rift_look look;
        check_row("skin %u, range %zu", rows[i].number, rows[i].range);
        if (look_of(rows[i].number, rows[i].range, &skin, &look, &arena)) {
            CHECK_STR(look.reason, rift_str_c(rows[i].reason));
            CHECK_U64(look.texture.hash, rows[i].texture);
            CHECK(look.has_material == (strstr(rows[i].reason, "material") != NULL));
        }
        rift_arena_release(&arena);
    }
    check_row("%s", "");
}

/* The body of skin 17 has the switch USE_ALPHA and a texture without alpha: no signal. The armband of skin 35
 * scales and moves a second texture, not its own. */
static void materials_of_real_skins(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_skin skin;
    rift_look look;
    if (look_of(17, 0, &skin, &look, &arena)) {
        const rift_material_def *m = &look.material;
        CHECK_U64(rift_fnv1a(m->name), 0xab41b609);
        CHECK_STR(m->slot, RIFT_STR("Diffuse_Texture"));
        CHECK_STR(m->other_textures, RIFT_STR("Mask_Texture_red"));
        CHECK(m->address_u == RIFT_ADDRESS_CLAMP && m->address_v == RIFT_ADDRESS_CLAMP);
        CHECK(m->blend && !m->blend_signal && !m->additive && !m->alpha_test && m->cull);
        CHECK(!m->has_tint && !m->has_uv_transform && !m->uv_animated);
        CHECK_NEAR((double)m->opacity, 1.0, 0.0);
    }
    if (look_of(35, 2, &skin, &look, &arena)) {
        CHECK(look.material.uv_animated && !look.material.has_uv_transform && !look.material.blend_signal);
        CHECK_STR(look.material.other_textures, RIFT_STR("Scroll_Texture, Alpha_Mask"));
    }
    rift_arena_release(&arena);
}

/* Its mesh and its graph are in no archive of the folder: the load says so and reading the mesh fails by
 * name. */
static void the_skin_without_a_mesh_file(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_report report;
    rift_report_init(&report, &arena);
    rift_err err = check_err();
    rift_skin_ref ref;
    rift_skin skin;
    rift_bytes bytes;
    if (find(34, &ref, &arena) &&
        CHECK_OK(rift_skin_load(&skin, &ref, &mounted.assets, NULL, &arena, NULL, &report, &err), &err)) {
        CHECK_I64(skin.parent, 9);
        CHECK(!skin.has_graph);
        CHECK_U64(rift_report_count(&report, "linked_bin_missing"), 1);
        CHECK_U64(rift_report_count(&report, "graph_missing"), 1);
        CHECK(!rift_assets_read(&mounted.assets, &skin.mesh, &arena, NULL, &bytes, &err));
        CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
        CHECK_U64(skin.mesh.hash, 0xf3c7cf1fd11a2fc0u);
        CHECK(strstr(err.file, ".skn") != NULL);
    }
    rift_arena_release(&arena);
}

static void common_names_are_found_without_a_list(void)
{
    static const struct {
        uint32_t hash;
        const char *name;
    } rows[] = {
        {0x9dd9dc06, "Idle1"},
        {0x2116d5e1, "Run_Out"},
        {0x49b908d9, "Run_In_Sheathed"},
        {0xfb8f4ae2, "Run_Fast_Sheathed"},
    };
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_err err = check_err();
    rift_skin_ref ref;
    rift_skin skin;
    if (find(0, &ref, &arena) &&
        CHECK_OK(rift_skin_load(&skin, &ref, &mounted.assets, NULL, &arena, NULL, NULL, &err), &err)) {
        size_t named = 0;
        for (size_t i = 0; i < skin.graph.clip_count; i++)
            named += skin.graph.clips[i].name.size > 0;
        printf("skin 0: %zu of %zu clips named without a list\n", named, skin.graph.clip_count);
        CHECK(named > skin.graph.clip_count / 2);
        for (size_t i = 0; i < skin.graph.clip_count; i++) {
            const rift_graph_clip *clip = &skin.graph.clips[i];
            if (clip->name.size > 0)
                CHECK_U64(rift_fnv1a(clip->name), clip->hash);
            for (size_t k = 0; k < RIFT_COUNT(rows); k++)
                if (clip->hash == rows[k].hash)
                    CHECK_STR(clip->name, rift_str_c(rows[k].name));
        }
    }
    rift_arena_release(&arena);
}

static bool load_loose(rift_skin *skin, const char *path, rift_arena *arena, rift_report *report)
{
    rift_err err = check_err();
    const rift_bytes bytes = check_corpus_file(path);
    return CHECK(bytes.size > 0) &&
           CHECK_OK(rift_skin_from_bin(skin, bytes, NULL, NULL, arena, NULL, report, &err), &err);
}

static void the_merged_bin_of_aatrox(void)
{
    static const struct {
        uint32_t hash;
        size_t above_zero;
    } masks[] = {
        {0x18784556, 16}, {0x36cff9c0, 5},  {0x18a7beee, 0},  {0x1d3b565f, 50},
        {0x18fa64cb, 16}, {0xa80ed47a, 84}, {0xd720261e, 29}, {0xe5d0f932, 1},
    };
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_report report;
    rift_report_init(&report, &arena);
    rift_skin skin;
    if (load_loose(&skin, "sets/aatrox/skin0-merged.bin", &arena, &report)) {
        const rift_graph *g = &skin.graph;
        CHECK_STR(skin.ref.alias, RIFT_STR("aatrox"));
        CHECK_STR(skin.character, RIFT_STR("Aatrox"));
        CHECK(rift_skin_hides(&skin, RIFT_STR("wings")) && !rift_skin_hides(&skin, RIFT_STR("Banner")));
        CHECK_U64(g->clip_count, 124);
        CHECK_U64(clips_of(g, RIFT_CLIP_ATOMIC), 103);
        CHECK_U64(clips_of(g, RIFT_CLIP_SEQUENCER), 13);
        CHECK_U64(clips_of(g, RIFT_CLIP_PARALLEL), 4);
        CHECK_U64(clips_of(g, RIFT_CLIP_CONDITION_FLOAT), 2);
        CHECK_U64(events_of(g, RIFT_EVENT_JOINT_SNAP), 37);
        CHECK_U64(events_of(g, RIFT_EVENT_VISIBILITY), 50);
        CHECK_U64(events_of(g, RIFT_EVENT_PARTICLE), 23);
        CHECK_U64(events_of(g, RIFT_EVENT_SOUND), 10);
        CHECK_U64(events_of(g, RIFT_EVENT_CONFORM), 9);
        CHECK_U64(g->track_count, 8);
        /* Two wings that follow a path. */
        CHECK_U64(skin.socket_count, 0);
        CHECK_U64(skin.modifier_count, 2);
        CHECK_FATAL(g->mask_count == RIFT_COUNT(masks));
        for (size_t i = 0; i < RIFT_COUNT(masks); i++) {
            size_t above = 0;
            for (size_t k = 0; k < g->masks[i].weight_count; k++)
                above += g->masks[i].weights[k] > 0.0F;
            CHECK_U64(g->masks[i].hash, masks[i].hash);
            CHECK_U64(g->masks[i].weight_count, 127);
            CHECK_U64(above, masks[i].above_zero);
        }
        const rift_graph_track *turn = rift_graph_track_of(g, 0x914bd27a);
        CHECK(turn != NULL && turn->blend_mode == 2 && turn->priority == 0 && turn->blend_weight == 1.0F);
    }
    rift_arena_release(&arena);
}

/* PROP 2 with list where later files have list2, and samplerName beside TextureName. */
static void the_older_bin_of_aatrox(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_report report;
    rift_report_init(&report, &arena);
    rift_err err = check_err();
    rift_skin skin;
    rift_look look;
    if (load_loose(&skin, "sets/aatrox/skin0-prop2.bin", &arena, &report)) {
        CHECK_U64(rift_report_count(&report, "linked_bin_missing"), 11);
        CHECK_U64(rift_report_count(&report, "graph_missing"), 1);
        CHECK(!skin.has_graph);
        if (CHECK_OK(rift_skin_look(&look, &skin, RIFT_STR("sword"), NULL, &arena, NULL, &err), &err)) {
            CHECK_STR(look.reason, RIFT_STR("override_material"));
            CHECK_U64(look.texture.hash, 0xf308600796831bbeu);
            CHECK_STR(look.material.other_textures, RIFT_STR("Mask_Texture, Gradient_Texture"));
            CHECK(look.material.uv_animated && !look.material.blend_signal);
        }
    }
    rift_arena_release(&arena);
}

static void bins_that_hold_only_a_graph(void)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_report report;
    rift_report_init(&report, &arena);
    rift_skin skin;
    if (load_loose(&skin, "files/bin/alistar-animations-skin0.bin", &arena, &report)) {
        CHECK(skin.has_graph && skin.mesh.hash == 0);
        CHECK_U64(skin.graph.clip_count, 28);
        CHECK_U64(skin.graph.mask_count, 1);
        CHECK_U64(rift_report_count(&report, "skin_without_mesh"), 1);
    }
    const rift_bytes none = check_corpus_file("files/bin/leona_small.bin");
    rift_err err = check_err();
    CHECK(!rift_skin_from_bin(&skin, none, NULL, NULL, &arena, NULL, &report, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    rift_arena_release(&arena);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    if (check_corpus() == NULL)
        check_skip("no corpus of real files");
    if (!mount())
        check_skip("no real game folder in the corpus");
    RUN(the_archive_gives_one_champion);
    RUN(every_skin_resolves);
    RUN(submeshes_get_the_texture_that_another_reader_chose);
    RUN(materials_of_real_skins);
    RUN(the_skin_without_a_mesh_file);
    RUN(common_names_are_found_without_a_list);
    RUN(the_merged_bin_of_aatrox);
    RUN(the_older_bin_of_aatrox);
    RUN(bins_that_hold_only_a_graph);
    rift_arena_release(&mounted.arena);
    (void)close(mounted.fd);
    return check_finish();
}
