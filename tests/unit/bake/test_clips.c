/* Clips of a graph by option: composite ones, their events and visibility, timing, keys, poses, animations alone. */
#include "bake/bake.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "fixtures/fx_anm.h"
#include "fixtures/fx_bin.h"
#include "fixtures/fx_skl.h"
#include "fixtures/fx_skn.h"
#include "support/check.h"

enum { LIMIT = 64 * 1024 * 1024 };

typedef struct kit {
    rift_arena arena;
    rift_convert_request request;
    rift_loose_file anms[6];
} kit;

/* Body hangs on Root, Sword and Cape on Arm. */
static rift_bytes make_skn(rift_arena *arena)
{
    static const fx_vertex vertices[] = {
        {.position = {0, 0, 0}, .blend = {0}, .weights = {1}, .normal = {0, 0, 1}},
        {.position = {10, 0, 0}, .blend = {0}, .weights = {1}, .normal = {0, 0, 1}},
        {.position = {0, 10, 0}, .blend = {0}, .weights = {1}, .normal = {0, 0, 1}},
        {.position = {0, 20, 0}, .blend = {1}, .weights = {1}, .normal = {0, 1, 0}},
        {.position = {10, 20, 0}, .blend = {1}, .weights = {1}, .normal = {0, 1, 0}},
        {.position = {0, 30, 0}, .blend = {1}, .weights = {1}, .normal = {0, 1, 0}},
        {.position = {0, 20, 5}, .blend = {1}, .weights = {1}, .normal = {0, 1, 0}},
        {.position = {10, 20, 5}, .blend = {1}, .weights = {1}, .normal = {0, 1, 0}},
        {.position = {0, 30, 5}, .blend = {1}, .weights = {1}, .normal = {0, 1, 0}},
    };
    static const uint32_t indices[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const fx_range ranges[] = {{"Body", 0, 3, 0, 3}, {"Sword", 3, 3, 3, 3}, {"Cape", 6, 3, 6, 3}};
    return fx_skn_write(&(fx_skn){.major = 4,
                                  .ranges = ranges,
                                  .range_count = 3,
                                  .indices = indices,
                                  .index_count = 9,
                                  .vertices = vertices,
                                  .vertex_count = 9},
                        arena);
}

static rift_bytes make_skl(rift_arena *arena)
{
    static const fx_joint joints[] = {
        {.name = "Root", .parent = -1, .local = {.t = {0, 5, 0}}},
        {.name = "Arm", .parent = 0, .local = {.t = {0, 10, 0}}},
    };
    return fx_skl_write(&(fx_skl){.joints = joints, .joint_count = 2}, arena);
}

/* Turn: Arm turns a quarter about z in 1 s (two frames of 1/2 s). */
static rift_bytes make_turn(rift_arena *arena)
{
    static const rift_trs frames[] = {
        {.t = {0, 10, 0}},
        {.t = {0, 10, 0}, .r = {0, 0, 0.38268343236509, 0.923879532511287}},
        {.t = {0, 10, 0}, .r = {0, 0, 0.707106781186548, 0.707106781186548}},
    };
    const fx_track track = {.joint = "Arm", .frames = frames};
    return fx_anm_write(
        &(fx_anm){.version = 5, .fps = 2, .tracks = &track, .track_count = 1, .frame_count = 3}, arena);
}

/* Lift: Arm rises by 4 u in 2 s, as a spline that starts and ends level. */
static rift_bytes make_lift(rift_arena *arena)
{
    static const fx_key keys[] = {{0, {0, 10, 0}}, {1, {0, 13, 0}}, {2, {0, 14, 0}}};
    const fx_track track = {.joint = "Arm", .translation = {keys, 3, false}};
    return fx_anm_write(
        &(fx_anm){
            .compressed = true, .version = 1, .flags = 7, .tracks = &track, .track_count = 1, .duration = 2},
        arena);
}

/* Of the parallel clips below, two frames a second. Stride: Root walks 20 u along x in 2 s, Arm stands at -30 degrees. Punch:
 * Root rises by 4 u in 1 s, Arm turns a quarter as Turn does. Gust, differences: Root is 3 u further along z for 1 s. */
static rift_bytes make_stride(rift_arena *arena)
{
    static const rift_trs root[] = {
        {.t = {0, 5, 0}}, {.t = {5, 5, 0}}, {.t = {10, 5, 0}}, {.t = {15, 5, 0}}, {.t = {20, 5, 0}},
    };
    static const rift_trs back = {.t = {0, 10, 0}, .r = {0, 0, -0.258819045102521, 0.965925826289068}};
    const rift_trs arm[] = {back, back, back, back, back};
    const fx_track tracks[] = {{.joint = "Root", .frames = root}, {.joint = "Arm", .frames = arm}};
    return fx_anm_write(
        &(fx_anm){.version = 5, .fps = 2, .tracks = tracks, .track_count = 2, .frame_count = 5}, arena);
}

static rift_bytes make_punch(rift_arena *arena)
{
    static const rift_trs root[] = {{.t = {0, 5, 0}}, {.t = {0, 7, 0}}, {.t = {0, 9, 0}}};
    static const rift_trs arm[] = {
        {.t = {0, 10, 0}},
        {.t = {0, 10, 0}, .r = {0, 0, 0.38268343236509, 0.923879532511287}},
        {.t = {0, 10, 0}, .r = {0, 0, 0.707106781186548, 0.707106781186548}},
    };
    const fx_track tracks[] = {{.joint = "Root", .frames = root}, {.joint = "Arm", .frames = arm}};
    return fx_anm_write(
        &(fx_anm){.version = 5, .fps = 2, .tracks = tracks, .track_count = 2, .frame_count = 3}, arena);
}

static rift_bytes make_gust(rift_arena *arena)
{
    static const rift_trs root[] = {{.t = {0, 0, 3}}, {.t = {0, 0, 3}}, {.t = {0, 0, 3}}};
    const fx_track track = {.joint = "Root", .frames = root};
    return fx_anm_write(
        &(fx_anm){.version = 5, .fps = 2, .tracks = &track, .track_count = 1, .frame_count = 3}, arena);
}

/* --- the graph ---------------------------------------------------------------------------------------------------- */

typedef void events_fn(fx_bin *b);

static void put_atomic(fx_bin *b, const char *name, const char *file, float tick, events_fn *events)
{
    fx_bin_hash(b, NULL, name);
    fx_bin_pointer(b, NULL, "AtomicClipData");
    fx_bin_embed(b, "mAnimationResourceData", "AnimationResourceData");
    fx_bin_string(b, "mAnimationFilePath", file);
    fx_bin_end(b);
    fx_bin_f32(b, "mTickDuration", tick);
    if (events != NULL) {
        fx_bin_map(b, "mEventDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
        events(b);
        fx_bin_end(b);
    }
    fx_bin_end(b);
}

static void
put_sequence(fx_bin *b, const char *name, const char *class_name, const char *const *children, size_t count)
{
    fx_bin_hash(b, NULL, name);
    fx_bin_pointer(b, NULL, class_name);
    fx_bin_list(b, "mClipNameList", RIFT_BIN_HASH);
    for (size_t i = 0; i < count; i++)
        fx_bin_hash(b, NULL, children[i]);
    fx_bin_end(b);
    fx_bin_end(b);
}

static void put_selector(fx_bin *b)
{
    static const char *const names[] = {"Turn", "Lift", "Gone"};
    static const float chances[] = {0.3F, 0.6F, 0.9F};
    fx_bin_hash(b, NULL, "Pick");
    fx_bin_pointer(b, NULL, "SelectorClipData");
    fx_bin_list(b, "mSelectorPairDataList", RIFT_BIN_EMBED);
    for (size_t i = 0; i < 3; i++) {
        fx_bin_embed(b, NULL, "SelectorPairData");
        fx_bin_hash(b, "mClipName", names[i]);
        fx_bin_f32(b, "mProbability", chances[i]);
        fx_bin_end(b);
    }
    fx_bin_end(b);
    fx_bin_end(b);
}

static void
put_visibility(fx_bin *b, const char *name, float start, float end, const char *show, const char *hide)
{
    fx_bin_hash(b, NULL, name);
    fx_bin_pointer(b, NULL, "SubmeshVisibilityEventData");
    fx_bin_f32(b, "mStartFrame", start);
    fx_bin_f32(b, "mEndFrame", end);
    fx_bin_list(b, "mShowSubmeshList", RIFT_BIN_HASH);
    if (show != NULL)
        fx_bin_hash(b, NULL, show);
    fx_bin_end(b);
    fx_bin_list(b, "mHideSubmeshList", RIFT_BIN_HASH);
    if (hide != NULL)
        fx_bin_hash(b, NULL, hide);
    fx_bin_end(b);
    fx_bin_end(b);
}

/* Of Turn, at 2 frames a second: the sword goes at 0.5 s for good; at 0 the cape comes until 0.5 s; one event hides and shows the
 * cape at once at 1 s, which leaves it shown; one starts behind the end; one names nothing that is there. */
static void turn_events(fx_bin *b)
{
    put_visibility(b, "Gone", 1, -1, NULL, "sword");
    put_visibility(b, "Cloak", 0, 1, "Cape", NULL);
    put_visibility(b, "Both", 2, -1, "Cape", "Cape");
    put_visibility(b, "Late", 3, -1, NULL, "Body");
    put_visibility(b, "Nobody", 1, -1, "Elsewhere", NULL);
}

static void lift_events(fx_bin *b)
{
    fx_bin_hash(b, NULL, "Clang");
    fx_bin_pointer(b, NULL, "SoundEventData");
    fx_bin_f32(b, "mStartFrame", 45);
    fx_bin_f32(b, "mEndFrame", 60);
    fx_bin_string(b, "mSoundName", "Play_Clang");
    fx_bin_end(b);
}

static void put_clips(fx_bin *b)
{
    static const char *const combo[] = {"Turn", "Gone", "Lift", "Turn"};
    static const char *const nested[] = {"Combo", "Pick"};
    static const char *const loop1[] = {"Round2", "Turn"};
    static const char *const loop2[] = {"Round1"};
    static const char *const nothing[] = {"Gone"};
    static const char *const twice[7] = {"Turn", "Many0", "Many1", "Many2", "Many3", "Many4", "Many5"};
    static const char *const many[7] = {"Many0", "Many1", "Many2", "Many3", "Many4", "Many5", "Many6"};
    put_atomic(b, "Turn", "ASSETS/Turn.anm", 0.75F, turn_events);
    put_sequence(b, "Combo", "SequencerClipData", combo, 4);
    put_atomic(b, "Lift", "ASSETS/Lift.anm", 1 / 15.0F, lift_events);
    put_atomic(b, "Still", "ASSETS/Turn.anm", 0, NULL);
    put_atomic(b, "Torn", "ASSETS/Torn.anm", 1 / 30.0F, NULL);
    put_selector(b);
    put_sequence(b, "Both", "ParallelClipData", loop1, 2);
    put_sequence(b, "Nested", "SequencerClipData", nested, 2);
    put_sequence(b, "Round1", "SequencerClipData", loop1, 2);
    put_sequence(b, "Round2", "SequencerClipData", loop2, 1);
    put_sequence(b, "Nothing", "SequencerClipData", nothing, 1);
    for (size_t i = 0; i < 7; i++)
        put_sequence(b, many[i], "SequencerClipData", (const char *const[]){twice[i], twice[i]}, 2);
}

/* A clip on a track and behind a mask, at 2 frames a second, 3/4 s of the game each. */
static void
put_part(fx_bin *b, const char *name, const char *file, const char *track, const char *mask, bool loop)
{
    fx_bin_hash(b, NULL, name);
    fx_bin_pointer(b, NULL, "AtomicClipData");
    fx_bin_embed(b, "mAnimationResourceData", "AnimationResourceData");
    fx_bin_string(b, "mAnimationFilePath", file);
    fx_bin_end(b);
    fx_bin_f32(b, "mTickDuration", 0.75F);
    fx_bin_u32(b, "mFlags", loop ? 2 : 0);
    fx_bin_hash(b, "mTrackDataName", track);
    if (mask != NULL)
        fx_bin_hash(b, "mMaskDataName", mask);
    fx_bin_map(b, "mEventDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    put_visibility(b, name, 1, -1, NULL, "Sword");
    fx_bin_end(b);
    fx_bin_end(b);
}

static void put_track(fx_bin *b, const char *name, uint8_t priority, uint8_t mode, float weight)
{
    fx_bin_hash(b, NULL, name);
    fx_bin_embed(b, NULL, "TrackData");
    fx_bin_u8(b, "mPriority", priority);
    fx_bin_u8(b, "mBlendMode", mode);
    fx_bin_f32(b, "mBlendWeight", weight);
    fx_bin_end(b);
}

/* Punch with an event of its own: Arm stands on Root from 0 to 0.5 s. */
static void put_grab(fx_bin *b)
{
    fx_bin_hash(b, NULL, "Grab");
    fx_bin_pointer(b, NULL, "AtomicClipData");
    fx_bin_embed(b, "mAnimationResourceData", "AnimationResourceData");
    fx_bin_string(b, "mAnimationFilePath", "ASSETS/Punch.anm");
    fx_bin_end(b);
    fx_bin_hash(b, "mTrackDataName", "High");
    fx_bin_hash(b, "mMaskDataName", "ArmOnly");
    fx_bin_map(b, "mEventDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    fx_bin_hash(b, NULL, "Lock");
    fx_bin_pointer(b, NULL, "JointSnapEventData");
    fx_bin_f32(b, "mEndFrame", 1);
    fx_bin_hash(b, "mJointNameToOverride", "Arm");
    fx_bin_hash(b, "mJointNameToSnapTo", "Root");
    fx_bin_end(b);
    fx_bin_end(b);
    fx_bin_end(b);
}

/* Together lists the highest track first. */
static void put_parallels(fx_bin *b)
{
    static const char *const together[] = {"Punch", "Lean", "Stride", "Gust", "Gone"};
    static const char *const round[] = {"Stride", "Together"};
    static const char *const in_turn[] = {"Punch", "Punch"};
    static const char *const mixed[] = {"Twice", "Stride"};
    static const char *const more[] = {"Mixed", "Gust"};
    static const char *const nine[] = {"Punch", "Punch", "Punch", "Punch", "Punch",
                                       "Punch", "Punch", "Punch", "Punch"};
    put_part(b, "Punch", "ASSETS/Punch.anm", "High", "ArmOnly", false);
    put_part(b, "Stride", "ASSETS/Stride.anm", "Low", NULL, false);
    put_part(b, "Gust", "ASSETS/Gust.anm", "Wind", NULL, true);
    put_part(b, "Lean", "ASSETS/Gust.anm", "Turn", NULL, false);
    put_part(b, "Bare", "ASSETS/Punch.anm", "High", "Nobody", false);
    put_grab(b);
    put_sequence(b, "Held", "ParallelClipData", (const char *const[]){"Grab", "Stride"}, 2);
    put_sequence(b, "Together", "ParallelClipData", together, 5);
    put_sequence(b, "Tour", "SequencerClipData", round, 2);
    put_sequence(b, "Twice", "SequencerClipData", in_turn, 2);
    put_sequence(b, "Mixed", "ParallelClipData", mixed, 2);
    put_sequence(b, "More", "ParallelClipData", more, 2);
    put_sequence(b, "Nine", "ParallelClipData", nine, 9);
    put_sequence(b, "Unknown", "ParallelClipData", (const char *const[]){"Stride", "Bare"}, 2);
    put_sequence(b, "One", "ParallelClipData", (const char *const[]){"Punch"}, 1);
}

static void put_tracks_and_masks(fx_bin *b)
{
    fx_bin_map(b, "mTrackDataMap", RIFT_BIN_HASH, RIFT_BIN_EMBED);
    put_track(b, "Low", 0, 0, 1);
    put_track(b, "Wind", 3, 1, 1);
    put_track(b, "Turn", 4, 2, 1);
    put_track(b, "High", 9, 0, 0.5F);
    fx_bin_end(b);
    fx_bin_map(b, "mMaskDataMap", RIFT_BIN_HASH, RIFT_BIN_EMBED);
    fx_bin_hash(b, NULL, "ArmOnly");
    fx_bin_embed(b, NULL, "MaskData");
    fx_bin_list(b, "mWeightList", RIFT_BIN_F32);
    fx_bin_f32(b, NULL, 0);
    fx_bin_f32(b, NULL, 1);
    fx_bin_end(b);
    fx_bin_end(b);
    fx_bin_end(b);
}

static rift_bytes make_bin(rift_arena *arena, bool parallels)
{
    fx_bin b;
    fx_bin_init(&b, arena, (fx_bin_opts){.version = 3});
    fx_bin_entry(&b, "Characters/Hero/Skins/Skin0", "SkinCharacterDataProperties");
    fx_bin_embed(&b, "skinMeshProperties", "SkinMeshDataProperties");
    fx_bin_string(&b, "simpleSkin", "ASSETS/Characters/Hero/hero.skn");
    fx_bin_string(&b, "skeleton", "ASSETS/Characters/Hero/hero.skl");
    fx_bin_string(&b, "initialSubmeshToHide", "Cape");
    fx_bin_end(&b);
    fx_bin_embed(&b, "skinAnimationProperties", "skinAnimationProperties");
    fx_bin_link(&b, "animationGraphData", "Characters/Hero/Animations/Skin0");
    fx_bin_end(&b);
    fx_bin_end(&b);
    fx_bin_entry(&b, "Characters/Hero/Animations/Skin0", "AnimationGraphData");
    fx_bin_map(&b, "mClipDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    (parallels ? put_parallels : put_clips)(&b);
    fx_bin_end(&b);
    if (parallels)
        put_tracks_and_masks(&b);
    fx_bin_end(&b);
    return fx_bin_finish(&b);
}

static bool list_names(void *user, rift_name_table table, uint64_t hash, rift_arena *arena, rift_str *out)
{
    static const char *const names[] = {
        "Turn",   "Combo",   "Lift",    "Still", "Torn",  "Pick",     "Both",   "Nested", "Round1",
        "Round2", "Nothing", "Many0",   "Many1", "Many2", "Many3",    "Many4",  "Many5",  "Many6",
        "Punch",  "Stride",  "Gust",    "Lean",  "Bare",  "Together", "Tour",   "Twice",  "Mixed",
        "More",   "Nine",    "Unknown", "One",   "Grab",  "Held",     "ArmOnly"};
    (void)user;
    (void)arena;
    for (size_t i = 0; table == RIFT_NAMES_BINHASHES && i < RIFT_COUNT(names); i++) {
        if (rift_fnv1a(rift_str_c(names[i])) == hash) {
            *out = rift_str_c(names[i]);
            return true;
        }
    }
    return false;
}

static const rift_names names = {.lookup = list_names};

/* --- running ------------------------------------------------------------------------------------------------------ */

static void kit_init(kit *k)
{
    memset(k, 0, sizeof *k);
    rift_arena_init(&k->arena, LIMIT);
    k->anms[0] = (rift_loose_file){RIFT_STR("Turn.anm"), make_turn(&k->arena)};
    k->anms[1] = (rift_loose_file){RIFT_STR("Lift.anm"), make_lift(&k->arena)};
    k->anms[2] = (rift_loose_file){RIFT_STR("Torn.anm"), {k->anms[1].data.data, 40}};
    k->request = (rift_convert_request){
        .skn = {RIFT_STR("hero.skn"), make_skn(&k->arena)},
        .skl = {RIFT_STR("hero.skl"), make_skl(&k->arena)},
        .bin = {RIFT_STR("skin0.bin"), make_bin(&k->arena, false)},
        .anms = k->anms,
        .anm_count = 3,
        .names = &names,
        .options = rift_options_default(),
    };
    k->request.options.snap = RIFT_SNAP_OFF;
}

typedef struct run {
    rift_arena out;
    rift_bake_result result;
    rift_err err;
    cJSON *json;
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

/* "name=value" */
static void set_option(kit *k, const char *option)
{
    const char *equals = strchr(option, '=');
    rift_err err = check_err();
    CHECK_OK(rift_options_set(&k->request.options, (rift_str){option, (size_t)(equals - option)},
                              rift_str_c(equals + 1), &k->arena, &err),
             &err);
}

/* The parallel clips instead. */
static void kit_of_parallels(kit *k)
{
    kit_init(k);
    k->anms[3] = (rift_loose_file){RIFT_STR("Stride.anm"), make_stride(&k->arena)};
    k->anms[4] = (rift_loose_file){RIFT_STR("Punch.anm"), make_punch(&k->arena)};
    k->anms[5] = (rift_loose_file){RIFT_STR("Gust.anm"), make_gust(&k->arena)};
    k->request.anm_count = 6;
    k->request.bin.data = make_bin(&k->arena, true);
    set_option(k, "units=league");
}

static void run_with(run *r, kit *k, const char *const *options, size_t count)
{
    kit_init(k);
    for (size_t i = 0; i < count; i++)
        set_option(k, options[i]);
    run_kit(r, k);
}
#define RUN_WITH(r, k, ...)                            \
    run_with(r, k, (const char *const[]){__VA_ARGS__}, \
             sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static const cJSON *get(const cJSON *object, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(object, key);
}

static const cJSON *at(const cJSON *array, int index)
{
    return cJSON_GetArrayItem(array, index);
}

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = get(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

static rift_str text(const cJSON *item)
{
    return rift_str_c(cJSON_GetStringValue(item));
}

static const cJSON *animation(const run *r, const char *name)
{
    const cJSON *item;
    cJSON_ArrayForEach(item, get(r->json, "animations"))
    {
        if (rift_str_eq(text(get(item, "name")), rift_str_c(name)))
            return item;
    }
    return NULL;
}

static const cJSON *extras(const cJSON *item)
{
    return get(get(item, "extras"), "riftbake");
}

/* The file's animations by name, separated by blanks. */
static rift_str animation_names(run *r)
{
    rift_str all = {0};
    const cJSON *item;
    cJSON_ArrayForEach(item, get(r->json, "animations"))
    {
        all = rift_arena_printf(&r->out, "%.*s%s%s", RIFT_STR_ARG(all), all.size > 0 ? " " : "",
                                cJSON_GetStringValue(get(item, "name")));
    }
    return all;
}

enum { FLOATS = 512 };

static rift_arena kept; /* what floats() gives, to the end */

static const float *floats(const run *r, int accessor)
{
    const cJSON *a = at(get(r->json, "accessors"), accessor);
    const cJSON *view = at(get(r->json, "bufferViews"), (int)number(a, "bufferView"));
    double offset = get(a, "byteOffset") ? number(a, "byteOffset") : 0;
    offset += get(view, "byteOffset") ? number(view, "byteOffset") : 0;
    const uint8_t *glb = r->result.glb.data;
    const size_t json = glb[12] + 256U * glb[13] + 65536U * glb[14];
    float *copy = RIFT_NEW(&kept, float, FLOATS);
    const size_t from = 28 + json + (size_t)offset;
    const size_t size =
        r->result.glb.size - from < FLOATS * sizeof *copy ? r->result.glb.size - from : FLOATS * sizeof *copy;
    memcpy(copy, glb + from, size);
    return copy;
}

/* The sampler of Arm's component in an animation. */
static const cJSON *arm_sampler(const cJSON *clip, const char *path)
{
    const cJSON *channel;
    cJSON_ArrayForEach(channel, get(clip, "channels"))
    {
        const cJSON *target = get(channel, "target");
        if (number(target, "node") == 2 && rift_str_eq(text(get(target, "path")), rift_str_c(path)))
            return at(get(clip, "samplers"), (int)number(channel, "sampler"));
    }
    return NULL;
}

static void check_times(const run *r, const cJSON *sampler, const float *want, int count)
{
    CHECK_FATAL(sampler != NULL);
    const int input = (int)number(sampler, "input");
    CHECK_I64(number(at(get(r->json, "accessors"), input), "count"), count);
    const float *times = floats(r, input);
    for (int i = 0; i < count; i++)
        CHECK_NEAR(times[i], want[i], 2e-5); /* the format's steps of time */
}

static uint64_t reported(const run *r, const char *code)
{
    return rift_report_count(&r->result.report, code);
}

/* --- selection ---------------------------------------------------------------------------------------------------- */

static void composites_are_written_when_asked_for(void)
{
    static const struct {
        const char *clips, *written;
        uint64_t unmatched;
    } rows[] = {
        {"*", "Turn Lift Still", 0},
        {"none", "", 0},
        {"combo", "Combo", 0},
        {"Turn,Pick", "Turn Still Pick", 0},
        /* Still by the name of its file */ {"co*", "Combo", 0}, /* no atomic clip is called so */
        {"*t*", "Turn Lift Still", 0},                           /* nested is composite, others are not */
        {"Nested", "Nested", 0},
        {"Both", "Both", 0},
        {"nobody,lift", "Lift", 1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("clips=%s", rows[i].clips);
        kit k;
        run r;
        kit_init(&k);
        k.request.options.clips = rift_str_c(rows[i].clips);
        run_kit(&r, &k);
        CHECK_OK(r.ok, &r.err);
        CHECK_STR(animation_names(&r), rift_str_c(rows[i].written));
        CHECK_U64(reported(&r, "clips_unmatched"), rows[i].unmatched);
        run_end(&r);
        rift_arena_release(&k.arena);
    }
}

/* --- sequences ---------------------------------------------------------------------------------------------------- */

/* Turn 0..1 s, Lift 1..3 s, Turn 3..4 s; "Gone" is not in the graph. */
static void a_sequence_is_written_end_to_end(void)
{
    kit k;
    run r;
    RUN_WITH(&r, &k, "clips=Combo");
    CHECK_OK(r.ok, &r.err);
    const cJSON *clip = animation(&r, "Combo");
    CHECK_FATAL(clip != NULL);
    /* The rotation jumps back where Lift begins, and Lift does not turn at all. */
    check_times(&r, arm_sampler(clip, "rotation"), (float[]){0, 0.5F, 0.9999F, 1, 3, 3.5F, 4}, 7);
    const cJSON *ours = extras(clip);
    CHECK_STR(text(get(ours, "class")), RIFT_STR("sequencer"));
    CHECK_I64(cJSON_GetArraySize(get(ours, "resolved")), 3);
    CHECK_STR(text(at(get(ours, "resolved"), 1)), RIFT_STR("Lift"));
    CHECK_I64(cJSON_GetArraySize(get(ours, "children")), 4);
    CHECK(cJSON_IsTrue(get(at(get(ours, "children"), 1), "missing")));
    CHECK_I64(cJSON_GetArraySize(get(ours, "pieces")), 3);
    CHECK_NEAR(number(at(get(ours, "pieces"), 1), "t"), 1, 1e-6);
    CHECK_NEAR(number(at(get(ours, "pieces"), 1), "length"), 2, 1e-6);
    CHECK_NEAR(number(at(get(ours, "pieces"), 2), "t"), 3, 1e-6);
    CHECK_U64(reported(&r, "composite_child_missing"), 1);
    CHECK_U64(r.result.clip_count, 1);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* Frame 45 of Lift, at 30 a second, is 1.5 s into it. */
static void events_of_a_sequence_are_shifted(void)
{
    kit k;
    run r;
    RUN_WITH(&r, &k, "clips=Combo");
    CHECK_OK(r.ok, &r.err);
    const cJSON *events = get(extras(animation(&r, "Combo")), "events");
    CHECK_I64(cJSON_GetArraySize(events), 11);
    const cJSON *clang = at(events, 5);
    CHECK_STR(text(get(clang, "class")), RIFT_STR("sound"));
    CHECK_STR(text(get(clang, "clip")), RIFT_STR("Lift"));
    CHECK_NEAR(number(clang, "start"), 45, 1e-6);
    CHECK_NEAR(number(clang, "t"), 2.5, 1e-6);
    CHECK_NEAR(number(clang, "t_end"), 3, 1e-6);
    CHECK_NEAR(number(at(events, 6), "t"), 3.5, 1e-6); /* Turn again */
    CHECK(cJSON_IsNull(get(at(events, 9), "t")));      /* behind the end: never */
    run_end(&r);
    rift_arena_release(&k.arena);
}

static void circles_and_holes_are_reported(void)
{
    static const struct {
        const char *clips, *written, *code;
    } rows[] = {
        {"clips=Round1", "Round1", "composite_cycle"},
        {"clips=Round2", "Round2",
         "composite_cycle"}, /* Both comes first, so the edge back is cut in Round1 */
        {"clips=Nothing", "", "composite_child_missing"},
        {"clips=Pick", "Pick", ""},
        {"clips=Both", "Both", "composite_cycle"},
        {"clips=Many5", "Many5", ""},
        {"clips=Many6", "", "clip_skipped"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].clips);
        kit k;
        run r;
        RUN_WITH(&r, &k, rows[i].clips);
        CHECK_OK(r.ok, &r.err);
        CHECK_STR(animation_names(&r), rift_str_c(rows[i].written));
        if (rows[i].code[0] != '\0')
            CHECK(reported(&r, rows[i].code) >= 1);
        run_end(&r);
        rift_arena_release(&k.arena);
    }
}

/* Pick plays Lift, the likeliest child that is there. */
static void others_are_their_representative(void)
{
    kit k;
    run r;
    RUN_WITH(&r, &k, "clips=Pick,Lift");
    CHECK_OK(r.ok, &r.err);
    const cJSON *ours = extras(animation(&r, "Pick"));
    CHECK_STR(text(get(ours, "class")), RIFT_STR("selector"));
    CHECK_STR(text(at(get(ours, "resolved"), 0)), RIFT_STR("Lift"));
    CHECK_I64(cJSON_GetArraySize(get(ours, "children")), 3);
    CHECK(get(ours, "tracks") != NULL);
    CHECK_STR(text(get(at(get(ours, "events"), 0), "class")), RIFT_STR("sound"));
    /* The same keys, stored once. */
    CHECK_NEAR(number(arm_sampler(animation(&r, "Pick"), "translation"), "output"),
               number(arm_sampler(animation(&r, "Lift"), "translation"), "output"), 0);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* --- visibility --------------------------------------------------------------------------------------------------- */

static void check_state(const cJSON *state, double t, const char *show, const char *hide)
{
    static const char *const keys[] = {"show", "hide"};
    const char *const want[] = {show, hide};
    CHECK_NEAR(number(state, "t"), t, 1e-6);
    for (size_t i = 0; i < 2; i++) {
        char got[64] = "";
        const cJSON *item;
        cJSON_ArrayForEach(item, get(state, keys[i]))
        {
            strncat(got, cJSON_GetStringValue(item), sizeof got - strlen(got) - 2);
            strncat(got, " ", 2);
        }
        CHECK_STR(rift_str_c(got), rift_str_c(want[i]));
    }
}

static void visibility_is_a_list_of_states(void)
{
    kit k;
    run r;
    RUN_WITH(&r, &k, "clips=Turn", "hidden=include");
    CHECK_OK(r.ok, &r.err);
    const cJSON *states = get(extras(animation(&r, "Turn")), "visibility");
    CHECK_I64(cJSON_GetArraySize(states), 3);
    check_state(at(states, 0), 0, "Sword Cape ", "");
    check_state(at(states, 1), 0.5, "",
                "Sword Cape "); /* the cloak's time is over: hidden, as at the start */
    check_state(at(states, 2), 1, "Cape ", "Sword ");
    run_end(&r);
    rift_arena_release(&k.arena);
    /* Without the hidden part it is not spoken of. */
    RUN_WITH(&r, &k, "clips=Turn");
    states = get(extras(animation(&r, "Turn")), "visibility");
    CHECK_I64(cJSON_GetArraySize(states), 2);
    check_state(at(states, 0), 0, "Sword ", "");
    check_state(at(states, 1), 0.5, "", "Sword ");
    run_end(&r);
    rift_arena_release(&k.arena);
    /* In a sequence each clip begins anew: 1 s shows the sword again, at 3.5 s it goes. */
    RUN_WITH(&r, &k, "clips=Combo");
    states = get(extras(animation(&r, "Combo")), "visibility");
    CHECK_I64(cJSON_GetArraySize(states), 4);
    check_state(at(states, 1), 0.5, "", "Sword ");
    check_state(at(states, 2), 1, "Sword ", "");
    check_state(at(states, 3), 3.5, "", "Sword ");
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* --- parallel clips -------------------------------------------------------------------------------------------------- */

/* A component of a joint (Root is node 1, Arm node 2) at an instant, by glTF's rules; rotations as degrees about z. */
static double value_at(const run *r, const cJSON *clip, int node, const char *path, int axis, double t)
{
    const bool turns = strcmp(path, "rotation") == 0;
    const cJSON *channel;
    cJSON_ArrayForEach(channel, get(clip, "channels"))
    {
        const cJSON *target = get(channel, "target");
        if (number(target, "node") != node || !rift_str_eq(text(get(target, "path")), rift_str_c(path)))
            continue;
        const cJSON *sampler = at(get(clip, "samplers"), (int)number(channel, "sampler"));
        const int input = (int)number(sampler, "input");
        const int count = (int)number(at(get(r->json, "accessors"), input), "count");
        const float *times = floats(r, input);
        const float *v = floats(r, (int)number(sampler, "output"));
        const int width = turns ? 4 : 3;
        if (!CHECK(count * width <= FLOATS))
            return (double)NAN;
        double values[FLOATS];
        for (int k = 0; k < count; k++) {
            values[k] = turns ? 2 * atan2((double)v[4 * k + 2], (double)v[4 * k + 3]) * 180 / 3.14159265358979
                              : (double)v[3 * k + axis];
        }
        int k = 0;
        while (k + 1 < count && (double)times[k + 1] <= t)
            k++;
        if (k + 1 == count || t <= (double)times[0])
            return values[k];
        const double part = (t - (double)times[k]) / ((double)times[k + 1] - (double)times[k]);
        return values[k] + part * (values[k + 1] - values[k]);
    }
    return (double)NAN;
}

typedef struct instant {
    double t, x, y, z, arm;
} instant;

/* Mirrored: x and the angle have changed their signs. */
static void check_instants(const run *r, const char *name, const instant *rows, size_t count)
{
    const cJSON *clip = animation(r, name);
    CHECK_FATAL(clip != NULL);
    for (size_t i = 0; i < count; i++) {
        check_row("%s at %g", name, rows[i].t);
        CHECK_NEAR(-value_at(r, clip, 1, "translation", 0, rows[i].t), rows[i].x, 0.02);
        CHECK_NEAR(value_at(r, clip, 1, "translation", 1, rows[i].t), rows[i].y, 0.02);
        CHECK_NEAR(value_at(r, clip, 1, "translation", 2, rows[i].t), rows[i].z, 0.02);
        CHECK_NEAR(-value_at(r, clip, 2, "rotation", 2, rows[i].t), rows[i].arm, 0.05);
    }
}

/* Low: Stride over bind, 10 u a second along x, the arm at -30. Wind: Gust adds 3 u along z, and loops. High: Punch at half
 * weight on the arm alone, from its 90 t degrees and -30 to the middle: at 0.5 s 7.5, at its end 30, behind it -30 again. Lean's
 * track has a mode that nobody knows. */
static void parallel_clips_are_layers(void)
{
    static const instant together[] = {
        {0, 0, 5, 3, -15},         {0.5, 5, 5, 3, 7.5},  {1, 10, 5, 3, 30},
        {1.001, 10.01, 5, 3, -30}, {1.5, 15, 5, 3, -30}, {2, 20, 5, 3, -30},
    };
    kit k;
    run r;
    kit_of_parallels(&k);
    set_option(&k, "clips=Together,Stride");
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    check_instants(&r, "Together", together, RIFT_COUNT(together));
    CHECK_U64(reported(&r, "unknown_blend_mode"), 1);
    CHECK_U64(reported(&r, "composite_child_missing"), 1);
    const cJSON *ours = extras(animation(&r, "Together"));
    CHECK_STR(text(get(ours, "class")), RIFT_STR("parallel"));
    CHECK_NEAR(number(ours, "duration"), 2, 1e-6);
    const cJSON *resolved = get(ours, "resolved");
    CHECK_I64(cJSON_GetArraySize(resolved), 3);
    CHECK_STR(text(at(resolved, 0)), RIFT_STR("Stride"));
    CHECK_STR(text(at(resolved, 1)), RIFT_STR("Gust"));
    CHECK_STR(text(at(resolved, 2)), RIFT_STR("Punch"));
    CHECK_I64(cJSON_GetArraySize(get(ours, "children")), 5);
    const cJSON *commands = get(get(get(ours, "layers"), "timeline"), "commands");
    CHECK_STR(text(get(at(commands, 1), "op")), RIFT_STR("play_additive"));
    CHECK_STR(text(get(at(commands, 1), "base")), RIFT_STR("identity"));
    CHECK_STR(text(get(at(commands, 2), "mask")), RIFT_STR("game:ArmOnly"));
    CHECK_NEAR(number(at(commands, 2), "weight"), 0.5, 1e-9);
    /* Events: of Stride, of Gust twice, of Punch; at 0.5 s of each, one frame. */
    const cJSON *events = get(ours, "events");
    CHECK_I64(cJSON_GetArraySize(events), 4);
    CHECK_STR(text(get(at(events, 2), "clip")), RIFT_STR("Gust"));
    CHECK_NEAR(number(at(events, 2), "t"), 1.5, 1e-6);
    CHECK_NEAR(number(at(events, 3), "t"), 0.5, 1e-6);
    const cJSON *states = get(ours, "visibility");
    CHECK_I64(cJSON_GetArraySize(states), 2);
    check_state(at(states, 1), 0.5, "", "Sword ");
    /* Parts need not be written; those that are stay as they were. */
    CHECK_STR(animation_names(&r), RIFT_STR("Stride Together"));
    CHECK_NEAR(-value_at(&r, animation(&r, "Stride"), 1, "translation", 0, 1.5), 15, 1e-4);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* Tour: Stride for 2 s, then Together. Mixed: Punch twice, one after the other, over Stride, in slots of their tracks. More: what
 * Mixed plays and Gust, all together. Unknown: a mask that is not there leaves its clip out. */
static void parallels_and_sequences_nest(void)
{
    static const instant tour[] = {
        {1, 10, 5, 0, -30}, {2.5, 5, 5, 3, 7.5}, {3.5, 15, 5, 3, -30}, {4, 20, 5, 3, -30}};
    static const instant mixed[] = {{0.5, 5, 5, 0, 7.5}, {1.5, 15, 5, 0, 7.5}, {2, 20, 5, 0, 30}};
    static const instant more[] = {{0.5, 5, 5, 3, 7.5}, {1.5, 15, 5, 3, 7.5}, {2, 20, 5, 3, 30}};
    static const instant unknown[] = {{0.5, 5, 5, 0, -30}};
    static const instant one[] = {{0.5, 0, 7, 0, 45}};
    static const struct {
        const char *name;
        const instant *rows;
        size_t count;
        const char *code;
    } rows[] = {
        {"Tour", tour, RIFT_COUNT(tour), "unknown_blend_mode"},
        {"Mixed", mixed, RIFT_COUNT(mixed), ""},
        {"More", more, RIFT_COUNT(more), ""},
        {"Unknown", unknown, RIFT_COUNT(unknown), "unknown_mask"},
        {"One", one, RIFT_COUNT(one), ""}, /* as that child alone is */
        {"Nine", NULL, 0, "clip_skipped"}, /* more than the slots */
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        kit k;
        run r;
        kit_of_parallels(&k);
        k.request.options.clips = rift_str_c(rows[i].name);
        run_kit(&r, &k);
        CHECK_OK(r.ok, &r.err);
        if (rows[i].count > 0)
            check_instants(&r, rows[i].name, rows[i].rows, rows[i].count);
        check_row("%s", rows[i].name);
        CHECK_STR(animation_names(&r), rift_str_c(rows[i].count > 0 ? rows[i].name : ""));
        CHECK(rows[i].code[0] == '\0' || reported(&r, rows[i].code) == 1);
        run_end(&r);
        rift_arena_release(&k.arena);
    }
}

/* L39: at half weight the arm is held while Grab's window lasts, then turned half way; what is not written has no say (S25). */
static void snaps_of_parts_hold(void)
{
    kit k;
    run r;
    kit_of_parallels(&k);
    set_option(&k, "clips=Held");
    k.request.options.snap = RIFT_SNAP_BAKE;
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    const cJSON *clip = animation(&r, "Held");
    const cJSON *snap = at(get(extras(clip), "snaps"), 0);
    CHECK_STR(text(get(snap, "joint")), RIFT_STR("Arm"));
    CHECK_STR(text(get(snap, "to")), RIFT_STR("Root"));
    CHECK_NEAR(number(snap, "start"), 0, 1e-6);
    CHECK_NEAR(number(snap, "end"), 0.5, 1e-6);
    CHECK_U64(reported(&r, "snap_reparented"), 1);
    /* World keys: Root is at (10 t, 5, 0), Arm 10 u above it where nothing holds it. */
    CHECK_NEAR(-value_at(&r, clip, 2, "translation", 0, 0.25), 2.5, 0.1);
    CHECK_NEAR(value_at(&r, clip, 2, "translation", 1, 0.25), 5, 0.1);
    CHECK_NEAR(-value_at(&r, clip, 2, "translation", 0, 0.75), 7.5, 0.1);
    CHECK_NEAR(value_at(&r, clip, 2, "translation", 1, 0.75), 15, 0.1);
    CHECK_NEAR(-value_at(&r, clip, 2, "rotation", 2, 0.75), (67.5 - 30) / 2, 0.3);
    run_end(&r);
    rift_arena_release(&k.arena);
    kit_of_parallels(&k);
    set_option(&k, "clips=Together");
    k.request.options.snap = RIFT_SNAP_BAKE;
    run_kit(&r, &k);
    CHECK_U64(reported(&r, "snap_reparented"), 0);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* 2 frames a second, 3/4 s each: half as slow again. */
static void parallels_at_the_games_speed(void)
{
    static const instant together[] = {
        {0.75, 5, 5, 3, 7.5}, {1.5, 10, 5, 3, 30}, {2.25, 15, 5, 3, -30}, {3, 20, 5, 3, -30}};
    kit k;
    run r;
    kit_of_parallels(&k);
    set_option(&k, "clips=Together");
    set_option(&k, "timing=game");
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    check_instants(&r, "Together", together, RIFT_COUNT(together));
    const cJSON *events = get(extras(animation(&r, "Together")), "events");
    CHECK_NEAR(number(at(events, 2), "t"), 2.25, 1e-6);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* --- timing and keys ---------------------------------------------------------------------------------------------- */

/* Turn: 2 frames a second, 0.75 s a frame: half as long again. Lift: 30, 1/15 s: twice. Still: no tick, left alone. */
static void timing_scales_keys_and_events(void)
{
    kit k;
    run r;
    RUN_WITH(&r, &k, "timing=game", "clips=*,Combo");
    CHECK_OK(r.ok, &r.err);
    check_times(&r, arm_sampler(animation(&r, "Turn"), "rotation"), (float[]){0, 0.75F, 1.5F}, 3);
    check_times(&r, arm_sampler(animation(&r, "Still"), "rotation"), (float[]){0, 0.5F, 1}, 3);
    CHECK_NEAR(number(extras(animation(&r, "Turn")), "speed"), 1.5, 1e-6);
    CHECK_U64(reported(&r, "tick_not_usable"), 1);
    const cJSON *events = get(extras(animation(&r, "Lift")), "events");
    CHECK_NEAR(number(at(events, 0), "t"), 3, 1e-6);
    CHECK_NEAR(number(at(events, 0), "t_end"), 4, 1e-6);
    const cJSON *states = get(extras(animation(&r, "Turn")), "visibility");
    CHECK_NEAR(number(at(states, 1), "t"), 0.75, 1e-6);
    /* 1.5 + 4 + 1.5 s */
    const cJSON *combo = animation(&r, "Combo");
    check_times(&r, arm_sampler(combo, "rotation"), (float[]){0, 0.75F, 1.4999F, 1.5F, 5.5F, 6.25F, 7}, 7);
    CHECK_NEAR(number(at(get(extras(combo), "pieces"), 2), "t"), 5.5, 1e-6);
    CHECK_NEAR(number(at(get(extras(combo), "events"), 5), "t"), 4.5, 1e-6);
    run_end(&r);
    rift_arena_release(&k.arena);
}

static void keys_are_as_asked_for(void)
{
    kit k;
    run r;
    RUN_WITH(&r, &k, "keys=cubic");
    CHECK_OK(r.ok, &r.err);
    const cJSON *lift = arm_sampler(animation(&r, "Lift"), "translation");
    check_times(&r, lift, (float[]){0, 1, 2}, 3);
    CHECK_STR(text(get(lift, "interpolation")), RIFT_STR("CUBICSPLINE"));
    /* y of (in, value, out): 10, then (14 - 10) / 2 s, the palette's steps aside; metres. */
    const float *v = floats(&r, (int)number(lift, "output"));
    CHECK_NEAR(v[4], 0.10, 1e-6);
    CHECK_NEAR(v[9 + 1], 0.02, 1e-5);
    CHECK_NEAR(v[9 + 4], 0.13, 1e-5);
    CHECK_NEAR(v[9 + 7], 0.02, 1e-5);
    CHECK(get(arm_sampler(animation(&r, "Turn"), "rotation"), "interpolation") == NULL);
    run_end(&r);
    rift_arena_release(&k.arena);
    RUN_WITH(&r, &k, "keys=dense:4");
    CHECK_OK(r.ok, &r.err);
    check_times(&r, arm_sampler(animation(&r, "Turn"), "rotation"), (float[]){0, 0.25F, 0.5F, 0.75F, 1}, 5);
    check_times(&r, arm_sampler(animation(&r, "Lift"), "translation"),
                (float[]){0, 0.25F, 0.5F, 0.75F, 1, 1.25F, 1.5F, 1.75F, 2}, 9);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* --- poses -------------------------------------------------------------------------------------------------------- */

/* The arm, at (0, 15, 0), is turned a quarter to the left by the clip's end: what was 5 above it lies 5 to its -x, which the mirror
 * makes +x. At 0.5 s it is an eighth: (0, 5, 0) goes to 5 (-sin 45, cos 45). */
static void a_pose_is_a_static_mesh(void)
{
    static const struct {
        const char *pose;
        float x, y, nx, ny;
    } rows[] = {
        {"pose=Turn@0", 0, 0.20F, 0, 1},
        {"pose=turn@0.5", 0.0353553F, 0.1853553F, 0.7071068F, 0.7071068F},
        {"pose=Turn@1", 0.05F, 0.15F, 1, 0},
        {"pose=Turn@99", 0.05F, 0.15F, 1, 0},
        {"pose=Still@1", 0.05F, 0.15F, 1, 0},
        {"pose=Combo@1.0", 0, 0.20F, 0, 1},   /* Lift begins */
        {"pose=Combo@3", 0, 0.20F, 0, 1},     /* Turn begins again: 4 u lower than Lift ends */
        {"pose=Combo@4", 0.05F, 0.15F, 1, 0}, /* and ends */
        {"pose=Lift@2", 0, 0.24F, 0, 1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].pose);
        kit k;
        run r;
        RUN_WITH(&r, &k, rows[i].pose, "hidden=include", i % 2 ? "content=mesh" : "content=full");
        CHECK_OK(r.ok, &r.err);
        CHECK_FATAL(r.json != NULL);
        CHECK(get(r.json, "skins") == NULL && get(r.json, "animations") == NULL);
        CHECK_I64(cJSON_GetArraySize(get(r.json, "nodes")), 3); /* Body, Sword, Cape */
        CHECK_U64(reported(&r, "pose_past_end"),
                  strstr(rows[i].pose, "@99") != NULL); /* not at the end itself */
        const cJSON *primitive = at(get(at(get(r.json, "meshes"), 1), "primitives"), 0);
        const cJSON *attributes = get(primitive, "attributes");
        CHECK(get(attributes, "JOINTS_0") == NULL && get(attributes, "WEIGHTS_0") == NULL);
        const float *p = floats(&r, (int)number(attributes, "POSITION"));
        CHECK_NEAR(p[0], rows[i].x, 1e-5);
        CHECK_NEAR(p[1], rows[i].y, 1e-5);
        CHECK_NEAR(p[2], 0, 1e-5); /* rotations of 48 bits */
        const float *n = floats(&r, (int)number(attributes, "NORMAL"));
        CHECK_NEAR(n[0], rows[i].nx, 1e-4);
        CHECK_NEAR(n[1], rows[i].ny, 1e-4);
        /* Body stands still. */
        const cJSON *body = get(at(get(at(get(r.json, "meshes"), 0), "primitives"), 0), "attributes");
        const float *b = floats(&r, (int)number(body, "POSITION"));
        CHECK_NEAR(b[3], -0.10, 1e-6);
        run_end(&r);
        rift_arena_release(&k.arena);
    }
}

/* Names of nodes, without those that are marked hidden. */
static void visible_nodes(const run *r, char *out, size_t size)
{
    const cJSON *node;
    out[0] = '\0';
    cJSON_ArrayForEach(node, get(r->json, "nodes"))
    {
        const cJSON *mark = get(get(get(node, "extensions"), "KHR_node_visibility"), "visible");
        CHECK((mark != NULL) == (get(extras(node), "hidden") != NULL));
        if (mark == NULL)
            (void)snprintf(out + strlen(out), size - strlen(out), "%s ",
                           cJSON_GetStringValue(get(node, "name")));
    }
}

/* What the clip's events (turn_events) show at the instant is there; in a sequence those of the clip whose turn it is. */
static void a_pose_shows_what_its_clip_shows_then(void)
{
    static const struct {
        const char *pose, *visible;
        uint64_t hidden;
    } rows[] = {
        {"pose=Turn@0", "Body Sword Cape ", 0}, /* the cloak from the first frame on */
        {"pose=Turn@0.49", "Body Sword Cape ", 0},
        {"pose=Turn@0.5", "Body ", 2}, /* the sword is gone, the cloak's time over */
        {"pose=Turn@1", "Body Cape ", 1},
        {"pose=Turn@99", "Body Cape ", 1}, /* stands at its end */
        {"pose=Still@1", "Body Sword ", 1},
        {"pose=Combo@0.75", "Body ", 2},
        {"pose=Combo@1", "Body Sword ", 1}, /* Lift, which has none */
        {"pose=Combo@3", "Body Sword Cape ", 0},
        {"pose=Combo@4", "Body Cape ", 1},
    };
    for (size_t i = 0; i < 2 * RIFT_COUNT(rows); i++) {
        const bool include = i % 2 == 1;
        char visible[64];
        kit k;
        run r;
        RUN_WITH(&r, &k, rows[i / 2].pose, include ? "hidden=include" : "hidden=omit");
        check_row("%s, include %d", rows[i / 2].pose, include);
        CHECK_OK(r.ok, &r.err);
        CHECK_FATAL(r.json != NULL);
        visible_nodes(&r, visible, sizeof visible);
        CHECK_STR(rift_str_c(visible), rift_str_c(rows[i / 2].visible));
        CHECK_U64(rift_report_count(&r.result.report, "hidden_part"), include ? 0 : rows[i / 2].hidden);
        CHECK_I64(cJSON_GetArraySize(get(r.json, "nodes")), include ? 3 : 3 - (int)rows[i / 2].hidden);
        run_end(&r);
        rift_arena_release(&k.arena);
    }
}

/* Grab holds Arm on Root, which has risen from 5 u to 6 by then: what is 5 u above Arm stands at 11. */
static void a_pose_knows_snaps(void)
{
    kit k;
    run r;
    kit_of_parallels(&k);
    set_option(&k, "pose=Grab@0.25");
    k.request.options.snap = RIFT_SNAP_BAKE;
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    CHECK_FATAL(r.json != NULL);
    CHECK(get(r.json, "skins") == NULL && get(r.json, "animations") == NULL);
    CHECK(get(extras(get(r.json, "asset")), "reparented") == NULL);
    const cJSON *primitive = at(get(at(get(r.json, "meshes"), 1), "primitives"), 0);
    const float *p = floats(&r, (int)number(get(primitive, "attributes"), "POSITION"));
    CHECK_NEAR(p[1], 11, 1e-5);
    run_end(&r);
    rift_arena_release(&k.arena);
}

static void a_pose_that_cannot_be_is_refused(void)
{
    static const struct {
        const char *option, *second, *text;
        rift_status code;
    } rows[] = {
        {"pose=Jump@1", "clips=*", "Jump", RIFT_ERR_ARGUMENT},
        {"pose=*@1", "clips=*", "*", RIFT_ERR_ARGUMENT},
        {"pose=Turn@1", "content=animations", "animations", RIFT_ERR_ARGUMENT},
        {"pose=Torn@1", "clips=*", "Torn", RIFT_ERR_NOT_FOUND},
        {"pose=Nothing@0", "clips=*", "Nothing", RIFT_ERR_NOT_FOUND},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].option);
        kit k;
        run r;
        RUN_WITH(&r, &k, rows[i].option, rows[i].second);
        CHECK(!r.ok);
        CHECK_CODE(&r.err, rows[i].code);
        CHECK(strstr(r.err.text, rows[i].text) != NULL);
        run_end(&r);
        rift_arena_release(&k.arena);
    }
}

static void a_pose_without_skeleton_is_the_mesh(void)
{
    kit k;
    run r;
    kit_init(&k);
    k.request.skl = (rift_loose_file){0};
    k.request.options.pose_clip = RIFT_STR("Turn");
    run_kit(&r, &k);
    CHECK_OK(r.ok, &r.err);
    CHECK_U64(reported(&r, "pose_without_skeleton"), 1);
    run_end(&r);
    rift_arena_release(&k.arena);
}

/* --- animations alone --------------------------------------------------------------------------------------------- */

static void animations_alone_keep_joints_and_names(void)
{
    kit k;
    run full;
    run alone;
    RUN_WITH(&full, &k, "content=full");
    rift_arena_release(&k.arena);
    RUN_WITH(&alone, &k, "content=animations");
    CHECK(full.ok && alone.ok);
    CHECK(get(alone.json, "meshes") == NULL && get(alone.json, "skins") == NULL);
    CHECK(get(alone.json, "materials") == NULL && get(alone.json, "images") == NULL);
    CHECK_I64(cJSON_GetArraySize(get(alone.json, "nodes")), 3);
    for (int i = 1; i < 3; i++)
        CHECK(cJSON_Compare(at(get(full.json, "nodes"), i), at(get(alone.json, "nodes"), i), true));
    CHECK_STR(animation_names(&alone), animation_names(&full));
    /* What the events show are the parts of the whole file. */
    CHECK(cJSON_Compare(extras(animation(&full, "Turn")), extras(animation(&alone, "Turn")), true));
    run_end(&full);
    run_end(&alone);
    k.request.skl = (rift_loose_file){0};
    run_kit(&alone, &k);
    CHECK(!alone.ok);
    CHECK_CODE(&alone.err, RIFT_ERR_NOT_FOUND);
    run_end(&alone);
    rift_arena_release(&k.arena);
}

/* --- allocations -------------------------------------------------------------------------------------------------- */

static void every_allocation_fails(void)
{
    static const char *const options[][2] = {{"keys=cubic", "clips=*,Combo,Pick"},
                                             {"pose=Combo@3.2", "timing=game"},
                                             {"clips=Tour,More", "timing=game"}};
    for (size_t i = 0; i < 6; i++) {
        kit k;
        (i / 2 == 2 ? kit_of_parallels : kit_init)(&k);
        set_option(&k, options[i / 2][0]);
        set_option(&k, options[i / 2][1]);
        bool done = false;
        for (uint64_t n = 1; n < 8000 && !done; n++) {
            check_row("case %zu, allocation %llu", i, (unsigned long long)n);
            rift_arena out;
            rift_arena tmp;
            rift_bake_result result;
            rift_err err = check_err();
            rift_arena_init(&out, LIMIT);
            rift_arena_init(&tmp, LIMIT);
            *(i % 2 ? &tmp.fail_at : &out.fail_at) = n;
            done = rift_convert(&result, &k.request, &out, &tmp, &err);
            if (!done)
                CHECK_CODE(&err, RIFT_ERR_NOMEM);
            rift_arena_release(&out);
            rift_arena_release(&tmp);
        }
        CHECK(done);
        rift_arena_release(&k.arena);
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    rift_arena_init(&kept, 1 << 24);
    RUN(composites_are_written_when_asked_for);
    RUN(a_sequence_is_written_end_to_end);
    RUN(events_of_a_sequence_are_shifted);
    RUN(circles_and_holes_are_reported);
    RUN(others_are_their_representative);
    RUN(visibility_is_a_list_of_states);
    RUN(parallel_clips_are_layers);
    RUN(parallels_and_sequences_nest);
    RUN(snaps_of_parts_hold);
    RUN(parallels_at_the_games_speed);
    RUN(timing_scales_keys_and_events);
    RUN(keys_are_as_asked_for);
    RUN(a_pose_is_a_static_mesh);
    RUN(a_pose_shows_what_its_clip_shows_then);
    RUN(a_pose_knows_snaps);
    RUN(a_pose_that_cannot_be_is_refused);
    RUN(a_pose_without_skeleton_is_the_mesh);
    RUN(animations_alone_keep_joints_and_names);
    RUN(every_allocation_fails);
    rift_arena_release(&kept);
    return check_finish();
}
