/* The whole pipeline on loose files built here: what each kind of content holds, and what one bad file costs. */
#include "bake/bake.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "base/str.h"
#include "fixtures/fx_anm.h"
#include "fixtures/fx_bin.h"
#include "fixtures/fx_image.h"
#include "fixtures/fx_skl.h"
#include "fixtures/fx_skn.h"
#include "support/check.h"

enum { LIMIT = 64 * 1024 * 1024 };

/* A rig of two joints, a mesh of two parts, a turning clip, a clip of another rig, two textures. */
typedef struct kit {
    rift_arena arena;
    rift_convert_request request;
    rift_loose_file anms[3];
    rift_loose_file textures[2];
    rift_str texture_parts[2];
} kit;

static rift_bytes make_skn(rift_arena *arena)
{
    static const fx_vertex vertices[] = {
        {.position = {0, 0, 0}, .blend = {0}, .weights = {1}, .normal = {0, 0, 1}, .uv = {0, 0}},
        {.position = {10, 0, 0}, .blend = {0}, .weights = {1}, .normal = {0, 0, 1}, .uv = {1, 0}},
        {.position = {0, 10, 0}, .blend = {1}, .weights = {1}, .normal = {0, 0, 1}, .uv = {0, 1}},
        {.position = {0, 20, 0}, .blend = {1}, .weights = {1}, .normal = {0, 0, 1}, .uv = {0, 0}},
        {.position = {10, 20, 0}, .blend = {1}, .weights = {1}, .normal = {0, 0, 1}, .uv = {1, 0}},
        {.position = {0, 30, 0}, .blend = {1}, .weights = {1}, .normal = {0, 0, 1}, .uv = {0, 1}},
    };
    static const uint32_t indices[] = {0, 1, 2, 3, 4, 5};
    static const fx_range ranges[] = {{"Body", 0, 3, 0, 3}, {"Sword", 3, 3, 3, 3}};
    const fx_skn skn = {
        .major = 4,
        .ranges = ranges,
        .range_count = 2,
        .indices = indices,
        .index_count = 6,
        .vertices = vertices,
        .vertex_count = 6,
    };
    return fx_skn_write(&skn, arena);
}

static rift_bytes make_skl(rift_arena *arena)
{
    static const fx_joint joints[] = {
        {.name = "Root", .parent = -1, .local = {.t = {0, 5, 0}}},
        {.name = "Arm", .parent = 0, .local = {.t = {0, 10, 0}}},
    };
    const fx_skl skl = {.joints = joints, .joint_count = 2};
    return fx_skl_write(&skl, arena);
}

/* `joint` turns a quarter about z in one second. */
static rift_bytes make_anm(rift_arena *arena, const char *joint)
{
    static const rift_trs frames[] = {
        {.t = {0, 10, 0}},
        {.t = {0, 10, 0}, .r = {0, 0, 0.38268343236509, 0.923879532511287}},
        {.t = {0, 10, 0}, .r = {0, 0, 0.707106781186548, 0.707106781186548}},
    };
    const fx_track track = {.joint = joint, .frames = frames};
    const fx_anm anm = {.version = 5, .fps = 2, .tracks = &track, .track_count = 1, .frame_count = 3};
    return fx_anm_write(&anm, arena);
}

static rift_bytes make_tex(rift_arena *arena, uint8_t red, uint8_t alpha)
{
    uint8_t rgba[4 * 4 * 4];
    for (size_t i = 0; i < sizeof rgba; i += 4) {
        rgba[i] = red;
        rgba[i + 1] = 10;
        rgba[i + 2] = 20;
        rgba[i + 3] = alpha;
    }
    const fx_image image = {.format = RIFT_PIXEL_BGRA8, .width = 4, .height = 4, .rgba = rgba};
    return fx_tex(&image, arena);
}

static void kit_init(kit *k)
{
    memset(k, 0, sizeof *k);
    rift_arena_init(&k->arena, LIMIT);
    k->anms[0] = (rift_loose_file){RIFT_STR("Hero_Idle1.anm"), make_anm(&k->arena, "Arm")};
    k->anms[1] = (rift_loose_file){RIFT_STR("Hero_Run.anm"), make_anm(&k->arena, "arm")};
    k->anms[2] = (rift_loose_file){RIFT_STR("Other_Dance.anm"), make_anm(&k->arena, "Tail")};
    k->textures[0] = (rift_loose_file){RIFT_STR("body.tex"), make_tex(&k->arena, 200, 255)};
    k->textures[1] = (rift_loose_file){RIFT_STR("sword.tex"), make_tex(&k->arena, 90, 255)};
    k->texture_parts[0] = RIFT_STR("Body");
    k->texture_parts[1] = RIFT_STR("sword");
    k->request = (rift_convert_request){
        .skn = {RIFT_STR("hero.skn"), make_skn(&k->arena)},
        .skl = {RIFT_STR("hero.skl"), make_skl(&k->arena)},
        .anms = k->anms,
        .anm_count = 3,
        .textures = k->textures,
        .texture_parts = k->texture_parts,
        .texture_count = 2,
        .options = rift_options_default(),
    };
}

typedef struct run {
    rift_arena out;
    rift_bake_result result;
    rift_err err;
    cJSON *json; /* of the GLB; NULL on failure */
    bool ok;
} run;

static void run_kit(run *r, const kit *k)
{
    rift_arena tmp;
    rift_arena_init(&r->out, LIMIT);
    rift_arena_init(&tmp, LIMIT);
    r->err = check_err();
    r->ok = rift_convert(&r->result, &k->request, &r->out, &tmp, &r->err);
    rift_arena_release(&tmp);
    r->json = NULL;
    if (r->ok && r->result.glb.size > 20)
        r->json = cJSON_ParseWithLength((const char *)r->result.glb.data + 20, r->result.glb.size - 20);
}

static void run_end(run *r)
{
    cJSON_Delete(r->json);
    rift_arena_release(&r->out);
}

static int count_of(const run *r, const char *key)
{
    return cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(r->json, key));
}

static const char *name_at(const run *r, const char *key, int index)
{
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(r->json, key), index);
    const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "name"));
    return name ? name : "";
}

static void a_whole_figure(void)
{
    kit k;
    run r;
    kit_init(&k);
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    CHECK_FATAL(r.json != NULL);
    /* Skeleton node, two joints, two parts. */
    CHECK_I64(count_of(&r, "nodes"), 5);
    CHECK_I64(count_of(&r, "meshes"), 2);
    CHECK_I64(count_of(&r, "materials"), 2);
    CHECK_I64(count_of(&r, "images"), 2);
    CHECK_I64(count_of(&r, "skins"), 1);
    /* The third clip moves a joint that the rig lacks: skipped and reported (T10). */
    CHECK_I64(count_of(&r, "animations"), 2);
    CHECK_STR(rift_str_c(name_at(&r, "animations", 0)), RIFT_STR("Hero_Idle1"));
    CHECK_STR(rift_str_c(name_at(&r, "animations", 1)), RIFT_STR("Hero_Run"));
    CHECK_U64(rift_report_count(&r.result.report, "clip_skipped"), 1);
    CHECK_U64(r.result.clip_count, 2);
    CHECK_U64(r.result.part_count, 2);
    CHECK_U64(r.result.joint_count, 2);
    /* mesh, skeleton, three clips, two textures */
    CHECK_U64(r.result.uses.count, 7);
    run_end(&r);
    rift_arena_release(&k.arena);
}

static void content_says_what_is_written(void)
{
    static const struct {
        uint8_t content;
        int skins, animations, nodes;
    } rows[] = {
        {RIFT_CONTENT_FULL, 1, 2, 5},
        {RIFT_CONTENT_RIG, 1, 0, 5},
        {RIFT_CONTENT_MESH, 0, 0, 2},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("content %u", rows[i].content);
        kit k;
        run r;
        kit_init(&k);
        k.request.options.content = rows[i].content;
        run_kit(&r, &k);
        CHECK_OK(r.ok, &r.err);
        CHECK_I64(count_of(&r, "skins"), rows[i].skins);
        CHECK_I64(count_of(&r, "animations"), rows[i].animations);
        CHECK_I64(count_of(&r, "nodes"), rows[i].nodes);
        run_end(&r);
        rift_arena_release(&k.arena);
    }
}

/* One bad clip, one bad texture, a broken or missing skeleton: the figure is still made, and says so. */
static void one_bad_file_never_loses_the_skin(void)
{
    enum { BAD_CLIP, MISSING_CLIP_BYTES, BAD_TEXTURE, BAD_SKELETON, NO_SKELETON, CASES };
    static const struct {
        const char *code;
        int skins, animations, images;
    } want[CASES] = {
        [BAD_CLIP] = {"clip_skipped", 1, 1, 2},          [MISSING_CLIP_BYTES] = {"clip_missing", 1, 1, 2},
        [BAD_TEXTURE] = {"texture_unreadable", 1, 2, 2}, [BAD_SKELETON] = {"skeleton_unreadable", 0, 0, 2},
        [NO_SKELETON] = {"skeleton_missing", 0, 0, 2},
    };
    for (int i = 0; i < CASES; i++) {
        check_row("case %d", i);
        kit k;
        run r;
        kit_init(&k);
        if (i == BAD_CLIP)
            k.anms[0].data.size -= 5;
        if (i == MISSING_CLIP_BYTES)
            k.anms[0].data.size = 0;
        if (i == BAD_TEXTURE)
            k.textures[0].data.size = 11;
        if (i == BAD_SKELETON)
            k.request.skl.data.size = 70;
        if (i == NO_SKELETON)
            k.request.skl = (rift_loose_file){0};
        run_kit(&r, &k);
        CHECK_OK(r.ok, &r.err);
        CHECK(rift_report_count(&r.result.report, want[i].code) >= 1);
        CHECK_I64(count_of(&r, "skins"), want[i].skins);
        CHECK_I64(count_of(&r, "animations"), want[i].animations);
        CHECK_I64(count_of(&r, "images"), want[i].images);
        CHECK_I64(count_of(&r, "meshes"), 2);
        run_end(&r);
        rift_arena_release(&k.arena);
    }
}

static void a_broken_mesh_is_an_error_that_names_the_file(void)
{
    kit k;
    run r;
    kit_init(&k);
    k.request.skn.data.size = 100;
    run_kit(&r, &k);
    CHECK(!r.ok);
    CHECK_CODE(&r.err, RIFT_ERR_TRUNCATED);
    CHECK_STR(rift_str_c(r.err.file), RIFT_STR("hero.skn"));
    CHECK_I64(r.result.stage, RIFT_STAGE_MESH);
    CHECK_U64(r.result.glb.size, 0);
    run_end(&r);
    rift_arena_release(&k.arena);
}

static void clips_are_selected(void)
{
    static const struct {
        const char *clips;
        int animations;
        uint64_t unmatched;
    } rows[] = {
        {"*", 2, 0},          {"none", 0, 0},    {"Hero_Idle1", 1, 0},
        {"hero_idle1", 1, 0}, {"hero_*", 2, 0},  {"run", 1, 0},
        {"idle,run", 2, 0},   {"nothing", 0, 1}, {"hero_run, nothing", 1, 1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("clips=%s", rows[i].clips);
        kit k;
        run r;
        kit_init(&k);
        k.request.options.clips = rift_str_c(rows[i].clips);
        run_kit(&r, &k);
        CHECK_OK(r.ok, &r.err);
        CHECK_I64(count_of(&r, "animations"), rows[i].animations);
        CHECK_U64(rift_report_count(&r.result.report, "clips_unmatched"), rows[i].unmatched);
        run_end(&r);
        rift_arena_release(&k.arena);
    }
}

/* T10: a clip of another rig fails when it is asked for by name. */
static void a_clip_of_another_rig_fails_when_named(void)
{
    kit k;
    run r;
    kit_init(&k);
    k.request.options.clips = RIFT_STR("Other_Dance");
    run_kit(&r, &k);
    CHECK(!r.ok);
    CHECK_CODE(&r.err, RIFT_ERR_FORMAT);
    CHECK(strstr(r.err.text, "no_track_matches") != NULL);
    run_end(&r);
    rift_arena_release(&k.arena);
}

static void textures_are_shared_and_dropped(void)
{
    kit k;
    run r;
    kit_init(&k);
    k.textures[1].data = k.textures[0].data; /* other name, same pixels: stored once (G33) */
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    CHECK_I64(count_of(&r, "images"), 1);
    CHECK_I64(count_of(&r, "materials"), 2);
    run_end(&r);
    k.request.options.texture = RIFT_TEXTURE_NONE;
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    CHECK_I64(count_of(&r, "images"), 0);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* 4 x 4, half of it clear: BC1 punches holes. */
static rift_bytes make_holes(rift_arena *arena)
{
    uint8_t rgba[4 * 4 * 4];
    for (size_t i = 0; i < sizeof rgba; i += 4) {
        rgba[i] = rgba[i + 1] = rgba[i + 2] = 96;
        rgba[i + 3] = i % 16 < 8 ? 255 : 0;
    }
    const fx_image image = {.format = RIFT_PIXEL_BC1, .width = 4, .height = 4, .rgba = rgba};
    return fx_tex(&image, arena);
}

static bool lists(const run *r, const char *key, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(r->json, key))
    {
        if (strcmp(cJSON_GetStringValue(item), name) == 0)
            return true;
    }
    return false;
}

/* The first part is opaque, the second has holes: that one stays PNG where JPEG is asked for, and the file says so. */
static void textures_have_the_format_asked_for(void)
{
    static const struct {
        uint8_t texture;
        const char *body, *sword;
        bool webp;
        uint64_t stays;
    } rows[] = {
        {RIFT_TEXTURE_PNG, "image/png", "image/png", false, 0},
        {RIFT_TEXTURE_WEBP, "image/webp", "image/webp", true, 0},
        {RIFT_TEXTURE_JPEG, "image/jpeg", "image/png", false, 1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        kit k;
        run r;
        check_row("texture %u", rows[i].texture);
        kit_init(&k);
        k.textures[1].data = make_holes(&k.arena);
        k.request.options.texture = rows[i].texture;
        run_kit(&r, &k);
        CHECK_OK(r.ok, &r.err);
        CHECK_I64(count_of(&r, "images"), 2);
        for (int n = 0; n < 2; n++) {
            const cJSON *image = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(r.json, "images"), n);
            const char *mime = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(image, "mimeType"));
            CHECK_STR(rift_str_c(mime), rift_str_c(n == 0 ? rows[i].body : rows[i].sword));
            const cJSON *texture =
                cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(r.json, "textures"), n);
            CHECK(cJSON_HasObjectItem(texture, "source") != rows[i].webp);
        }
        CHECK(lists(&r, "extensionsUsed", "EXT_texture_webp") == rows[i].webp);
        CHECK(lists(&r, "extensionsRequired", "EXT_texture_webp") == rows[i].webp);
        CHECK_U64(rift_report_count(&r.result.report, "texture_stays_png"), rows[i].stays);
        run_end(&r);
        rift_arena_release(&k.arena);
    }
}

/* The root stands where it rests in this clip and in every other one: nothing is left to write (G36, G43). */
static void a_clip_that_moves_nothing_is_left_out(void)
{
    static const rift_trs frames[] = {{.t = {0, 5, 0}}, {.t = {0, 5, 0}}};
    static const fx_track track = {.joint = "Root", .frames = frames};
    static const fx_anm anm = {.version = 5, .fps = 2, .tracks = &track, .track_count = 1, .frame_count = 2};
    kit k;
    run r;
    kit_init(&k);
    k.anms[2] = (rift_loose_file){RIFT_STR("Hero_Stand.anm"), fx_anm_write(&anm, &k.arena)};
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    CHECK_I64(count_of(&r, "animations"), 2);
    CHECK_STR(rift_str_c(name_at(&r, "animations", 1)), RIFT_STR("Hero_Run"));
    CHECK_U64(rift_report_count(&r.result.report, "clip_empty"), 1);
    CHECK_U64(rift_report_count(&r.result.report, "clip_skipped"), 0);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* One texture given for all parts. */
static void a_texture_without_part_serves_all(void)
{
    kit k;
    run r;
    kit_init(&k);
    k.texture_parts[0] = (rift_str){0};
    k.request.texture_count = 1;
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    CHECK_I64(count_of(&r, "images"), 1);
    const cJSON *second = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(r.json, "materials"), 1);
    const cJSON *pbr = cJSON_GetObjectItemCaseSensitive(second, "pbrMetallicRoughness");
    CHECK(cJSON_GetObjectItemCaseSensitive(pbr, "baseColorTexture") != NULL);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* Files from several folders: a name says nothing about which of them is meant. */
static void files_may_share_a_name(void)
{
    kit k;
    run r;
    kit_init(&k);
    k.request.skl.name = k.request.skn.name;
    k.textures[1].name = k.textures[0].name;
    k.anms[2].name = k.anms[0].name; /* the clip of another rig: left out, whatever it is called */
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    CHECK_I64(count_of(&r, "images"), 2);
    CHECK_I64(count_of(&r, "animations"), 2);
    CHECK_I64(r.result.joint_count, 2);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* A skin bin beside loose files: names, hidden parts, events; textures by base name whatever its folder. */
/* What make_bin adds to the graph. */
enum { WITH_ADDITIVE_TRACK = 1, WITH_OTHER_GRAPH = 2, WITH_LATE_EVENT = 4 };

/* A snap of Arm, in the event map that is open. */
static void put_snap(fx_bin *b, const char *name, const char *target, float start)
{
    fx_bin_hash(b, NULL, name);
    fx_bin_pointer(b, NULL, "JointSnapEventData");
    fx_bin_hash(b, "mJointNameToOverride", "Arm");
    fx_bin_hash(b, "mJointNameToSnapTo", target);
    if (start > 0)
        fx_bin_f32(b, "mStartFrame", start);
    fx_bin_end(b);
}

/* A graph that the skin does not use, whose snap would move another joint (J12). */
static void put_other_graph(fx_bin *b)
{
    fx_bin_entry(b, "Characters/Hero/Animations/Skin9", "AnimationGraphData");
    fx_bin_map(b, "mClipDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    fx_bin_hash(b, NULL, "Run");
    fx_bin_pointer(b, NULL, "AtomicClipData");
    fx_bin_embed(b, "mAnimationResourceData", "AnimationResourceData");
    fx_bin_string(b, "mAnimationFilePath", "ASSETS/Characters/Hero/Animations/Hero_Run.anm");
    fx_bin_end(b);
    fx_bin_map(b, "mEventDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    put_snap(b, "Other", "Nobody", 0);
    fx_bin_end(b);
    fx_bin_end(b);
    fx_bin_end(b);
    fx_bin_end(b);
}

static rift_bytes make_bin(rift_arena *arena, unsigned with)
{
    fx_bin b;
    fx_bin_init(&b, arena, (fx_bin_opts){.version = 3});
    fx_bin_entry(&b, "Characters/Hero/Skins/Skin0", "SkinCharacterDataProperties");
    fx_bin_string(&b, "championSkinName", "Hero");
    fx_bin_embed(&b, "skinMeshProperties", "SkinMeshDataProperties");
    fx_bin_string(&b, "simpleSkin", "ASSETS/Characters/Hero/Skins/Base/hero.skn");
    fx_bin_string(&b, "skeleton", "ASSETS/Characters/Hero/Skins/Base/hero.skl");
    fx_bin_string(&b, "texture", "ASSETS/Characters/Hero/Skins/Base/body.dds");
    fx_bin_string(&b, "initialSubmeshToHide", "SWORD, Cape");
    fx_bin_end(&b);
    fx_bin_embed(&b, "skinAnimationProperties", "skinAnimationProperties");
    fx_bin_link(&b, "animationGraphData", "Characters/Hero/Animations/Skin0");
    fx_bin_end(&b);
    fx_bin_end(&b);
    fx_bin_entry(&b, "Characters/Hero/Animations/Skin0", "AnimationGraphData");
    fx_bin_map(&b, "mClipDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    fx_bin_hash(&b, NULL, "Idle1");
    fx_bin_pointer(&b, NULL, "AtomicClipData");
    fx_bin_embed(&b, "mAnimationResourceData", "AnimationResourceData");
    fx_bin_string(&b, "mAnimationFilePath", "ASSETS/Characters/Hero/Animations/Hero_Idle1.anm");
    fx_bin_end(&b);
    fx_bin_map(&b, "mEventDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    put_snap(&b, "Lock", "Root", 0);
    if (with & WITH_LATE_EVENT)
        put_snap(&b, "Late", "Root", 900);
    fx_bin_end(&b);
    if (with & WITH_ADDITIVE_TRACK)
        fx_bin_hash(&b, "mTrackDataName", "Add");
    fx_bin_end(&b);
    fx_bin_end(&b);
    if (with & WITH_ADDITIVE_TRACK) {
        fx_bin_map(&b, "mTrackDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
        fx_bin_hash(&b, NULL, "Add");
        fx_bin_pointer(&b, NULL, "TrackData");
        fx_bin_u8(&b, "mBlendMode", 1);
        fx_bin_end(&b);
        fx_bin_end(&b);
    }
    fx_bin_end(&b);
    if (with & WITH_OTHER_GRAPH)
        put_other_graph(&b);
    return fx_bin_finish(&b);
}

static rift_str text_of(const cJSON *object, const char *key)
{
    return rift_str_c(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key)));
}

static const cJSON *first_event(const run *r)
{
    const cJSON *clip = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(r->json, "animations"), 0);
    const cJSON *extras = cJSON_GetObjectItemCaseSensitive(clip, "extras");
    const cJSON *ours = cJSON_GetObjectItemCaseSensitive(extras, "riftbake");
    return cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(ours, "events"), 0);
}

static void a_bin_gives_names_and_hides_parts(void)
{
    kit k;
    run r;
    kit_init(&k);
    k.request.bin = (rift_loose_file){RIFT_STR("skin0.bin"), make_bin(&k.arena, 0)};
    k.request.texture_count = 1; /* body.tex, which the bin calls body.dds */
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    CHECK_FATAL(r.json != NULL);
    CHECK_I64(count_of(&r, "meshes"), 1);
    CHECK_STR(rift_str_c(name_at(&r, "meshes", 0)), RIFT_STR("Body"));
    CHECK_U64(rift_report_count(&r.result.report, "hidden_part"), 1);
    CHECK_I64(count_of(&r, "images"), 1);
    CHECK_U64(rift_report_count(&r.result.report, "texture_missing"), 0);
    /* Idle1 by the graph's name, Hero_Run because it was given. */
    CHECK_I64(count_of(&r, "animations"), 2);
    CHECK_STR(rift_str_c(name_at(&r, "animations", 0)), RIFT_STR("Idle1"));
    CHECK_STR(rift_str_c(name_at(&r, "animations", 1)), RIFT_STR("Hero_Run"));
    /* The event's hashes are names of the rig's own joints: no list is needed for them. */
    const cJSON *event = first_event(&r);
    CHECK_STR(text_of(event, "joint"), RIFT_STR("Arm"));
    CHECK_STR(text_of(event, "to"), RIFT_STR("Root"));
    run_end(&r);
    k.request.options.hidden = RIFT_HIDDEN_INCLUDE;
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    CHECK_I64(count_of(&r, "meshes"), 2);
    run_end(&r);
    rift_arena_release(&k.arena);
}

static const cJSON *member(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const cJSON *own_extras(const cJSON *thing)
{
    return member(member(thing, "extras"), "riftbake");
}

static int children_of_node_0(const run *r)
{
    return cJSON_GetArraySize(member(cJSON_GetArrayItem(member(r->json, "nodes"), 0), "children"));
}

/* Arm stands where Root stands in Idle1; Hero_Run moves it freely. */
static void snaps_are_baked_into_every_clip(void)
{
    kit k;
    run r;
    kit_init(&k);
    k.request.bin = (rift_loose_file){RIFT_STR("skin0.bin"), make_bin(&k.arena, WITH_LATE_EVENT)};
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    CHECK_FATAL(r.json != NULL);
    CHECK_U64(rift_report_count(&r.result.report, "snap_reparented"), 1);
    CHECK_U64(rift_report_count(&r.result.report, "snap_window_empty"), 1);
    CHECK_U64(rift_report_count(&r.result.report, "snap_not_baked"), 0);
    CHECK_I64(children_of_node_0(&r), 2);
    /* Rest: the chain (0, 5, 0) and (0, 10, 0), in metres. */
    const cJSON *arm = cJSON_GetArrayItem(member(r.json, "nodes"), 2);
    CHECK_STR(text_of(arm, "name"), RIFT_STR("Arm"));
    CHECK_NEAR(cJSON_GetNumberValue(cJSON_GetArrayItem(member(arm, "translation"), 1)), 0.15, 1e-7);
    const cJSON *asset = own_extras(member(r.json, "asset"));
    const cJSON *moved = cJSON_GetArrayItem(member(asset, "reparented"), 0);
    CHECK_STR(text_of(moved, "joint"), RIFT_STR("Arm"));
    CHECK_STR(text_of(moved, "parent"), RIFT_STR("Root"));
    const cJSON *idle = own_extras(cJSON_GetArrayItem(member(r.json, "animations"), 0));
    CHECK_I64(cJSON_GetArraySize(member(idle, "snaps")), 1);
    const cJSON *snap = cJSON_GetArrayItem(member(idle, "snaps"), 0);
    CHECK_STR(text_of(snap, "joint"), RIFT_STR("Arm"));
    CHECK_STR(text_of(snap, "to"), RIFT_STR("Root"));
    CHECK_NEAR(cJSON_GetNumberValue(member(snap, "start")), 0, 0);
    CHECK_NEAR(cJSON_GetNumberValue(member(snap, "end")), 1, 0);
    CHECK_NEAR(cJSON_GetNumberValue(member(snap, "keys")), 1, 0); /* Root stands still */
    CHECK_I64(cJSON_GetArraySize(member(idle, "dropped_snaps")), 1);
    const cJSON *late = cJSON_GetArrayItem(member(idle, "dropped_snaps"), 0);
    CHECK_STR(text_of(late, "reason"), RIFT_STR("snap_window_empty"));
    const cJSON *hero_run = own_extras(cJSON_GetArrayItem(member(r.json, "animations"), 1));
    CHECK(member(hero_run, "snaps") == NULL && member(hero_run, "dropped_snaps") == NULL);
    run_end(&r);
    /* In the game's time a frame of this file of two a second lasts 1/30 s (decisions 1). */
    k.request.options.timing = RIFT_TIMING_GAME;
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    const cJSON *played = own_extras(cJSON_GetArrayItem(member(r.json, "animations"), 0));
    const cJSON *timed = cJSON_GetArrayItem(member(played, "snaps"), 0);
    CHECK_NEAR(cJSON_GetNumberValue(member(timed, "end")), 1 / 15.0, 1e-7);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* J5, J12, S24, S25: nothing moves. */
static void snaps_that_have_no_say(void)
{
    enum { OFF, NAIVE, RAW, NOT_SELECTED, NO_FILE, OTHER_RIG, BAD_FILE, RIG_ONLY, ROWS };
    static const struct {
        const char *label, *reason; /* of the dropped snaps of the first animation, or NULL */
        unsigned not_baked;
    } rows[ROWS] = {
        [OFF] = {"off", "snap_off", 0},
        [NAIVE] = {"naive", "snap_naive", 1},
        [RAW] = {"additive as it is", "snap_additive_raw", 1},
        [NOT_SELECTED] = {"not selected", NULL, 0},
        [NO_FILE] = {"no file", NULL, 0},
        [OTHER_RIG] = {"no track matches", NULL, 0},
        [BAD_FILE] = {"damaged file", NULL, 0},
        [RIG_ONLY] = {"no animations", NULL, 0},
    };
    for (int i = 0; i < ROWS; i++) {
        kit k;
        run r;
        check_row("%s", rows[i].label);
        kit_init(&k);
        const unsigned with = WITH_OTHER_GRAPH | (i == RAW ? WITH_ADDITIVE_TRACK : 0);
        k.request.bin = (rift_loose_file){RIFT_STR("skin0.bin"), make_bin(&k.arena, with)};
        k.request.options.snap = i == OFF ? RIFT_SNAP_OFF : RIFT_SNAP_BAKE;
        k.request.options.naive = i == NAIVE;
        k.request.options.additive = i == RAW ? RIFT_ADDITIVE_RAW : RIFT_ADDITIVE_COMPOSED;
        k.request.options.content = i == RIG_ONLY ? RIFT_CONTENT_RIG : RIFT_CONTENT_FULL;
        if (i == NOT_SELECTED)
            k.request.options.clips = RIFT_STR("Hero_Run");
        if (i == NO_FILE)
            k.anms[0].name = RIFT_STR("Hero_Idle2.anm");
        if (i == OTHER_RIG)
            k.anms[0].data = make_anm(&k.arena, "Tail");
        if (i == BAD_FILE)
            k.anms[0].data.size /= 2;
        run_kit(&r, &k);
        CHECK_OK(r.ok, &r.err);
        CHECK_I64(children_of_node_0(&r), 1);
        CHECK_U64(rift_report_count(&r.result.report, "snap_reparented"), 0);
        CHECK_U64(rift_report_count(&r.result.report, "snap_unknown_joint"), 0); /* of the other graph */
        CHECK_U64(rift_report_count(&r.result.report, "snap_not_baked"), rows[i].not_baked);
        CHECK(member(own_extras(member(r.json, "asset")), "reparented") == NULL);
        const cJSON *first = own_extras(cJSON_GetArrayItem(member(r.json, "animations"), 0));
        CHECK(member(first, "snaps") == NULL);
        const cJSON *dropped = cJSON_GetArrayItem(member(first, "dropped_snaps"), 0);
        CHECK((dropped != NULL) == (rows[i].reason != NULL));
        if (rows[i].reason != NULL)
            CHECK_STR(text_of(dropped, "reason"), rift_str_c(rows[i].reason));
        run_end(&r);
        rift_arena_release(&k.arena);
    }
    check_row("%s", "");
}

static void same_input_same_bytes(void)
{
    kit k;
    run a;
    run b;
    kit_init(&k);
    run_kit(&a, &k);
    run_kit(&b, &k);
    CHECK(a.ok && b.ok);
    CHECK_BYTES(a.result.glb, b.result.glb);
    run_end(&a);
    run_end(&b);
    rift_arena_release(&k.arena);
}

static void cancel_is_obeyed(void)
{
    kit k;
    run r;
    rift_bake_control control = {0};
    atomic_store(&control.cancel, true);
    kit_init(&k);
    k.request.control = &control;
    run_kit(&r, &k);
    CHECK(!r.ok);
    CHECK_CODE(&r.err, RIFT_ERR_CANCELLED);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* The job's own arenas: whichever allocation fails, the job ends with NOMEM, and nothing else. */
static void every_allocation_fails(void)
{
    kit k;
    kit_init(&k);
    k.request.bin = (rift_loose_file){RIFT_STR("skin0.bin"), make_bin(&k.arena, 0)};
    bool done[2] = {false, false};
    k.request.options.texture = RIFT_TEXTURE_JPEG;
    k.request.options.compress = RIFT_COMPRESS_MESHOPT;
    for (int which = 0; which < 2; which++) {
        for (uint64_t n = 1; n < 100000 && !done[which]; n++) {
            check_row("arena %d, allocation %llu", which, (unsigned long long)n);
            rift_arena out;
            rift_arena tmp;
            rift_bake_result result;
            rift_err err = check_err();
            rift_arena_init(&out, LIMIT);
            rift_arena_init(&tmp, LIMIT);
            *(which ? &tmp.fail_at : &out.fail_at) = n;
            done[which] = rift_convert(&result, &k.request, &out, &tmp, &err);
            if (!done[which])
                CHECK_CODE(&err, RIFT_ERR_NOMEM);
            rift_arena_release(&out);
            rift_arena_release(&tmp);
        }
        CHECK(done[which]);
    }
    rift_arena_release(&k.arena);
}

static void fingerprints_follow_what_was_used(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    rift_asset_use uses[2] = {{.path_hash = 1, .checksum = 10, .found = true},
                              {.path_hash = 2, .found = false}};
    const rift_asset_use swapped[2] = {uses[1], uses[0]};
    rift_asset_log log = {.uses = uses, .count = 2};
    rift_options options = rift_options_default();
    rift_sha256 a;
    rift_sha256 b;
    rift_err err = check_err();
    CHECK(rift_fingerprint(&a, RIFT_STR("hero/0"), &options, &log, &arena, &err));
    memcpy(uses, swapped, sizeof uses);
    CHECK(rift_fingerprint(&b, RIFT_STR("hero/0"), &options, &log, &arena, &err));
    CHECK(memcmp(&a, &b, sizeof a) == 0); /* the order of use does not count */
    uses[0].found = true;                 /* a file that was missing is there now */
    CHECK(rift_fingerprint(&b, RIFT_STR("hero/0"), &options, &log, &arena, &err));
    CHECK(memcmp(&a, &b, sizeof a) != 0);
    uses[0].found = false;
    CHECK(rift_fingerprint(&b, RIFT_STR("hero/1"), &options, &log, &arena, &err));
    CHECK(memcmp(&a, &b, sizeof a) != 0);
    options.content = RIFT_CONTENT_RIG;
    CHECK(rift_fingerprint(&b, RIFT_STR("hero/0"), &options, &log, &arena, &err));
    CHECK(memcmp(&a, &b, sizeof a) != 0);
    rift_arena_release(&arena);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(a_whole_figure);
    RUN(content_says_what_is_written);
    RUN(one_bad_file_never_loses_the_skin);
    RUN(a_broken_mesh_is_an_error_that_names_the_file);
    RUN(clips_are_selected);
    RUN(a_clip_of_another_rig_fails_when_named);
    RUN(a_clip_that_moves_nothing_is_left_out);
    RUN(textures_are_shared_and_dropped);
    RUN(textures_have_the_format_asked_for);
    RUN(a_texture_without_part_serves_all);
    RUN(files_may_share_a_name);
    RUN(a_bin_gives_names_and_hides_parts);
    RUN(snaps_are_baked_into_every_clip);
    RUN(snaps_that_have_no_say);
    RUN(same_input_same_bytes);
    RUN(cancel_is_obeyed);
    RUN(every_allocation_fails);
    RUN(fingerprints_follow_what_was_used);
    return check_finish();
}
