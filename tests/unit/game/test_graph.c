/* Animation graphs: every clip class with its children and the one that stands for it, every event class with
 * its defaults, tracks, masks, names. */
#include "base/str.h"
#include "fixtures/fx_bin.h"
#include "game/graph.h"
#include "hash/hash.h"
#include "support/check.h"

enum { LIMIT = 64 * 1024 * 1024 };

/* A graph under construction, and what was read from it. */
typedef struct bench {
    rift_arena arena;
    rift_report report;
    fx_bin b;
    rift_bin bin;
    rift_graph graph;
} bench;

static void begin(bench *t)
{
    rift_arena_init(&t->arena, LIMIT);
    rift_report_init(&t->report, &t->arena);
    fx_bin_init(&t->b, &t->arena, (fx_bin_opts){0});
    fx_bin_entry(&t->b, "Characters/Lux/Animations/Skin0", "AnimationGraphData");
}

static void begin_clips(bench *t)
{
    begin(t);
    fx_bin_map(&t->b, "mClipDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
}

/* Closes the entry (and the map, when it is open) and reads it. */
static bool read_graph(bench *t, const char *champion, const rift_names *names)
{
    rift_err err = check_err();
    while (t->b.depth > 0)
        fx_bin_end(&t->b);
    if (!CHECK_OK(rift_bin_parse(&t->bin, fx_bin_finish(&t->b), &t->arena, &t->report, &err), &err))
        return false;
    return CHECK_OK(rift_graph_read(&t->graph, &t->bin.entries[0].object, rift_str_c(champion), names,
                                    &t->arena, &t->report, &err),
                    &err);
}

static void end(bench *t)
{
    rift_arena_release(&t->arena);
}

static void clip(bench *t, const char *name, const char *class_name)
{
    fx_bin_hash(&t->b, NULL, name);
    fx_bin_pointer(&t->b, NULL, class_name);
}

static void atomic_clip(bench *t, const char *name, const char *file)
{
    clip(t, name, "AtomicClipData");
    fx_bin_embed(&t->b, "mAnimationResourceData", "AnimationResourceData");
    fx_bin_string(&t->b, "mAnimationFilePath", file);
    fx_bin_end(&t->b);
    fx_bin_end(&t->b);
}

static void pair(bench *t,
                 const char *class_name,
                 const char *name_field,
                 const char *name,
                 const char *value_field,
                 float value)
{
    fx_bin_embed(&t->b, NULL, class_name);
    fx_bin_hash(&t->b, name_field, name);
    if (value_field != NULL)
        fx_bin_f32(&t->b, value_field, value);
    fx_bin_end(&t->b);
}

/* Three atomic clips A, B, C at 0, 1, 2. */
static void three_atoms(bench *t)
{
    begin_clips(t);
    atomic_clip(t, "A", "a.anm");
    atomic_clip(t, "B", "b.anm");
    atomic_clip(t, "C", "c.anm");
}

static void atomic_clips_and_their_defaults(void)
{
    bench t;
    begin_clips(&t);
    clip(&t, "Bare", "AtomicClipData");
    fx_bin_end(&t.b);
    clip(&t, "Full", "AtomicClipData");
    fx_bin_u8(&t.b, "mFlags", 6); /* any integer width */
    fx_bin_hash(&t.b, "mMaskDataName", "Upper");
    fx_bin_hash(&t.b, "mTrackDataName", "Default");
    fx_bin_hash(&t.b, "mSyncGroupDataName", "Sync");
    fx_bin_f32(&t.b, "mTickDuration", 0.04F);
    fx_bin_f32(&t.b, "startFrame", 3.0F);
    fx_bin_f32(&t.b, "EndFrame", 9.5F);
    fx_bin_embed(&t.b, "mAnimationResourceData", "AnimationResourceData");
    fx_bin_file(&t.b, "mAnimationFilePath", "assets/characters/lux/skins/base/lux.skn");
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    if (read_graph(&t, "lux", NULL)) {
        CHECK_FATAL(t.graph.clip_count == 2);
        const rift_graph_clip *bare = &t.graph.clips[0];
        CHECK(bare->kind == RIFT_CLIP_ATOMIC && bare->class_hash == 0x5bd9a1e6);
        CHECK(bare->flags == 0 && bare->mask == 0 && bare->track == 0 && bare->sync_group == 0);
        CHECK(bare->file.hash == 0 && bare->event_count == 0 && bare->child_count == 0);
        CHECK_NEAR((double)bare->tick, 0.0333333, 1e-6);
        CHECK(bare->start_frame == 0.0F && bare->end_frame == -1.0F);
        CHECK_U64(bare->representative, RIFT_GRAPH_MISSING);
        const rift_graph_clip *full = &t.graph.clips[1];
        CHECK_U64(full->flags, 6);
        CHECK_U64(full->mask, rift_fnv1a(RIFT_STR("upper")));
        CHECK_U64(full->track, 0x933b5bde);
        CHECK_U64(full->sync_group, rift_fnv1a(RIFT_STR("SYNC")));
        CHECK_NEAR((double)full->tick, 0.04, 1e-7);
        CHECK(full->start_frame == 3.0F && full->end_frame == 9.5F);
        CHECK_U64(full->file.hash, 0xa2871dd1b0d9bfbau);
        CHECK_U64(full->file.name.size, 0);
    }
    end(&t);
}

static void check_children(const rift_graph_clip *c, const uint32_t *want, const float *values, size_t count)
{
    CHECK_FATAL(c->child_count == count);
    for (size_t i = 0; i < count; i++) {
        CHECK_U64(c->children[i], want[i]);
        CHECK(c->child_values[i] == values[i]);
    }
}

static void parametric_takes_the_value_nearest_zero(void)
{
    bench t;
    three_atoms(&t);
    clip(&t, "P", "ParametricClipData");
    fx_bin_list(&t.b, "mParametricPairDataList", RIFT_BIN_EMBED);
    pair(&t, "ParametricPairData", "mClipName", "A", "mValue", -90.0F);
    pair(&t, "ParametricPairData", "mClipName", "B", "mValue", -10.0F);
    pair(&t, "ParametricPairData", "mClipName", "C", "mValue", 10.0F); /* as near: the first stays */
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    if (read_graph(&t, "", NULL)) {
        check_children(&t.graph.clips[3], (uint32_t[]){0, 1, 2}, (float[]){-90.0F, -10.0F, 10.0F}, 3);
        CHECK(t.graph.clips[3].kind == RIFT_CLIP_PARAMETRIC);
        CHECK_U64(t.graph.clips[3].representative, 1);
    }
    end(&t);
}

static void selector_takes_the_most_probable(void)
{
    bench t;
    three_atoms(&t);
    clip(&t, "S", "SelectorClipData");
    fx_bin_list(&t.b, "mSelectorPairDataList", RIFT_BIN_EMBED);
    pair(&t, "SelectorPairData", "mClipName", "A", "mProbability", 1.0F);
    pair(&t, "SelectorPairData", "mClipName", "gone", "mProbability", 9.0F); /* not in the graph */
    pair(&t, "SelectorPairData", "mClipName", "C", "mProbability", 3.0F);
    pair(&t, "SelectorPairData", "mClipName", "B", NULL, 0.0F);
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    clip(&t, "Empty", "SelectorClipData");
    fx_bin_end(&t.b);
    if (read_graph(&t, "", NULL)) {
        check_children(&t.graph.clips[3], (uint32_t[]){0, RIFT_GRAPH_MISSING, 2, 1},
                       (float[]){1.0F, 9.0F, 3.0F, 0.0F}, 4);
        CHECK_U64(t.graph.clips[3].child_hashes[1], rift_fnv1a(RIFT_STR("gone")));
        CHECK_U64(t.graph.clips[3].representative, 2);
        CHECK_U64(t.graph.clips[4].representative, RIFT_GRAPH_MISSING);
        CHECK_U64(rift_report_count(&t.report, "clip_child_missing"), 1);
    }
    end(&t);
}

static void sequences_and_parallels_list_names(void)
{
    bench t;
    three_atoms(&t);
    clip(&t, "Q", "SequencerClipData");
    fx_bin_list(&t.b, "mClipNameList", RIFT_BIN_HASH);
    fx_bin_hash(&t.b, NULL, "gone");
    fx_bin_hash(&t.b, NULL, "C");
    fx_bin_hash(&t.b, NULL, "A");
    fx_bin_hash(&t.b, NULL, "C");
    fx_bin_end(&t.b);
    fx_bin_map(&t.b, "mEventDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    fx_bin_hash(&t.b, NULL, "e");
    fx_bin_pointer(&t.b, NULL, "SoundEventData");
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    clip(&t, "L", "ParallelClipData");
    fx_bin_list2(&t.b, "mClipNameList", RIFT_BIN_STRING); /* names as text, in the other kind of list */
    fx_bin_string(&t.b, NULL, "b");
    fx_bin_string(&t.b, NULL, "A");
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    if (read_graph(&t, "", NULL)) {
        check_children(&t.graph.clips[3], (uint32_t[]){RIFT_GRAPH_MISSING, 2, 0, 2}, (float[4]){0}, 4);
        CHECK(t.graph.clips[3].kind == RIFT_CLIP_SEQUENCER);
        CHECK_U64(t.graph.clips[3].representative, 2);
        CHECK_U64(t.graph.clips[3].event_count, 1);
        check_children(&t.graph.clips[4], (uint32_t[]){1, 0}, (float[2]){0}, 2);
        CHECK(t.graph.clips[4].kind == RIFT_CLIP_PARALLEL);
        CHECK_U64(t.graph.clips[4].representative, 1);
    }
    end(&t);
}

static void condition(bench *t, const char *name, const char *updater, const char *yes, const char *no)
{
    clip(t, name, "ConditionBoolClipData");
    if (updater != NULL) {
        fx_bin_pointer(&t->b, "Updater", updater);
        fx_bin_end(&t->b);
    }
    if (yes != NULL)
        fx_bin_hash(&t->b, "mTrueConditionClipName", yes);
    if (no != NULL)
        fx_bin_hash(&t->b, "mFalseConditionClipName", no);
    fx_bin_end(&t->b);
}

static void conditions_stand_still_and_else_are_true(void)
{
    bench t;
    three_atoms(&t);
    condition(&t, "moving", "IsMovingParametricUpdater", "A", "B");
    condition(&t, "ally", "IsAllyParametricUpdater", "A", "B");
    condition(&t, "none", NULL, "A", "B");
    condition(&t, "only false", "IsAllyParametricUpdater", NULL, "C");
    condition(&t, "only true", "IsMovingParametricUpdater", "C", "gone");
    if (read_graph(&t, "", NULL)) {
        static const uint32_t want[] = {1, 0, 0, 2, 2};
        check_children(&t.graph.clips[3], (uint32_t[]){0, 1}, (float[]){1.0F, 0.0F}, 2);
        check_children(&t.graph.clips[6], (uint32_t[]){RIFT_GRAPH_MISSING, 2}, (float[]){1.0F, 0.0F}, 2);
        for (size_t i = 0; i < RIFT_COUNT(want); i++)
            CHECK_U64(t.graph.clips[3 + i].representative, want[i]);
        /* A branch that is not named is not missing. */
        CHECK_U64(rift_report_count(&t.report, "clip_child_missing"), 1);
    }
    end(&t);
}

static void the_other_classes(void)
{
    bench t;
    three_atoms(&t);
    clip(&t, "float", "ConditionFloatClipData");
    fx_bin_list(&t.b, "mConditionFloatPairDataList", RIFT_BIN_EMBED);
    pair(&t, "ConditionFloatPairData", "mClipName", "A", "mValue", 330.0F);
    pair(&t, "ConditionFloatPairData", "mClipName", "B", NULL, 0.0F);
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    clip(&t, "event", "EventControlledSelectorClipData");
    fx_bin_list(&t.b, "SelectorPairDataList", RIFT_BIN_EMBED);
    pair(&t, "EventControlledSelectorPairData", "ClipName", "A", NULL, 0.0F);
    fx_bin_end(&t.b);
    fx_bin_hash(&t.b, "DefaultClipName", "C");
    fx_bin_end(&t.b);
    clip(&t, "switch", "SwitchIntClipData");
    fx_bin_list(&t.b, "SwitchIntPairDataList", RIFT_BIN_EMBED);
    fx_bin_embed(&t.b, NULL, "SwitchIntPairData");
    fx_bin_hash(&t.b, "ClipName", "A");
    fx_bin_i32(&t.b, "value", -3);
    fx_bin_end(&t.b);
    fx_bin_embed(&t.b, NULL, "SwitchIntPairData");
    fx_bin_hash(&t.b, "ClipName", "B");
    fx_bin_i32(&t.b, "value", 2);
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    clip(&t, "state", "StateAnimClipData");
    fx_bin_hash(&t.b, "ChildClipName", "B");
    fx_bin_end(&t.b);
    clip(&t, "new", "ClipOfTheFuture");
    fx_bin_u32(&t.b, "mFlags", 2);
    fx_bin_end(&t.b);
    if (read_graph(&t, "", NULL)) {
        const rift_graph_clip *c = t.graph.clips;
        check_children(&c[3], (uint32_t[]){0, 1}, (float[]){330.0F, 0.0F}, 2);
        CHECK(c[3].kind == RIFT_CLIP_CONDITION_FLOAT && c[3].representative == 1);
        check_children(&c[4], (uint32_t[]){2, 0}, (float[2]){0}, 2);
        CHECK(c[4].kind == RIFT_CLIP_EVENT_SELECTOR && c[4].representative == 2);
        check_children(&c[5], (uint32_t[]){0, 1}, (float[]){-3.0F, 2.0F}, 2);
        CHECK(c[5].kind == RIFT_CLIP_SWITCH_INT && c[5].representative == 1);
        check_children(&c[6], (uint32_t[]){1}, (float[1]){0}, 1);
        CHECK(c[6].kind == RIFT_CLIP_STATE && c[6].representative == 1);
        CHECK(c[7].kind == RIFT_CLIP_UNKNOWN && c[7].flags == 2 && c[7].child_count == 0);
        CHECK_U64(c[7].class_hash, rift_fnv1a(RIFT_STR("ClipOfTheFuture")));
        CHECK_U64(rift_report_count(&t.report, "clip_class_unknown"), 1);
        CHECK_U64(rift_graph_atomic_of(&t.graph, 7), RIFT_GRAPH_MISSING);
    }
    end(&t);
}

static void sequence_of(bench *t, const char *name, const char *first, const char *second)
{
    clip(t, name, "SequencerClipData");
    fx_bin_list(&t->b, "mClipNameList", RIFT_BIN_HASH);
    fx_bin_hash(&t->b, NULL, first);
    if (second != NULL)
        fx_bin_hash(&t->b, NULL, second);
    fx_bin_end(&t->b);
    fx_bin_end(&t->b);
}

static void cycles_are_cut(void)
{
    bench t;
    begin_clips(&t);
    sequence_of(&t, "self", "self", "atom");
    sequence_of(&t, "one", "two", NULL);
    sequence_of(&t, "two", "three", "atom");
    sequence_of(&t, "three", "one", NULL);
    sequence_of(&t, "chain", "two", NULL);
    atomic_clip(&t, "atom", "a.anm");
    if (read_graph(&t, "", NULL)) {
        const rift_graph_clip *c = t.graph.clips;
        check_children(&c[0], (uint32_t[]){RIFT_GRAPH_MISSING, 5}, (float[2]){0}, 2);
        check_children(&c[1], (uint32_t[]){2}, (float[1]){0}, 1);
        check_children(&c[2], (uint32_t[]){3, 5}, (float[2]){0}, 2);
        check_children(&c[3], (uint32_t[]){RIFT_GRAPH_MISSING}, (float[1]){0}, 1);
        CHECK_U64(rift_report_count(&t.report, "clip_cycle"), 2);
        CHECK_U64(rift_graph_atomic_of(&t.graph, 0), 5);
        CHECK_U64(rift_graph_atomic_of(&t.graph, 5), 5);
        /* The first child of "two" ends in nothing. */
        CHECK_U64(rift_graph_atomic_of(&t.graph, 4), RIFT_GRAPH_MISSING);
        CHECK_U64(rift_graph_atomic_of(&t.graph, 99), RIFT_GRAPH_MISSING);
    }
    end(&t);
}

/* Deeper than any stack frame per clip would bear. */
static void a_long_chain_of_clips(void)
{
    enum { COUNT = 20000 };
    bench t;
    begin_clips(&t);
    for (unsigned i = 0; i < COUNT; i++) {
        char name[16];
        char next[16];
        (void)snprintf(name, sizeof name, "c%u", i);
        (void)snprintf(next, sizeof next, "c%u", i + 1);
        sequence_of(&t, name, next, NULL);
    }
    atomic_clip(&t, "c20000", "a.anm");
    if (read_graph(&t, "", NULL)) {
        CHECK_U64(t.graph.clip_count, COUNT + 1);
        CHECK_U64(rift_graph_atomic_of(&t.graph, 0), COUNT);
    }
    end(&t);
}

static void keys_null_clips_and_lookups(void)
{
    bench t;
    begin_clips(&t);
    atomic_clip(&t, "A", "first.anm");
    fx_bin_hash(&t.b, NULL, "null");
    fx_bin_null(&t.b, NULL);
    atomic_clip(&t, "a", "second.anm"); /* the same key */
    atomic_clip(&t, "B", "b.anm");
    if (read_graph(&t, "", NULL)) {
        CHECK_FATAL(t.graph.clip_count == 2);
        CHECK_STR(t.graph.clips[0].file.name, RIFT_STR("first.anm"));
        CHECK_U64(rift_graph_clip_index(&t.graph, rift_fnv1a(RIFT_STR("b"))), 1);
        CHECK_U64(rift_graph_clip_index(&t.graph, rift_fnv1a(RIFT_STR("null"))), RIFT_GRAPH_MISSING);
        CHECK_U64(rift_report_count(&t.report, "clip_null"), 1);
        CHECK_U64(rift_report_count(&t.report, "bin_duplicate_key"), 1);
    }
    end(&t);
}

static void tracks_and_masks(void)
{
    bench t;
    begin(&t);
    fx_bin_map(&t.b, "mTrackDataMap", RIFT_BIN_HASH, RIFT_BIN_EMBED);
    fx_bin_hash(&t.b, NULL, "Default");
    fx_bin_embed(&t.b, NULL, "TrackData");
    fx_bin_end(&t.b);
    fx_bin_hash(&t.b, NULL, "Wind");
    fx_bin_embed(&t.b, NULL, "TrackData");
    fx_bin_u32(&t.b, "mPriority", 7);
    fx_bin_u8(&t.b, "mBlendMode", 1);
    fx_bin_f32(&t.b, "mBlendWeight", 0.5F);
    fx_bin_end(&t.b);
    fx_bin_hash(&t.b, NULL, "odd");
    fx_bin_embed(&t.b, NULL, "TrackData");
    fx_bin_i32(&t.b, "mPriority", -1);
    fx_bin_i32(&t.b, "mBlendMode", 70000);
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    fx_bin_map(&t.b, "mMaskDataMap", RIFT_BIN_HASH, RIFT_BIN_EMBED);
    fx_bin_hash(&t.b, NULL, "UpperBody");
    fx_bin_embed(&t.b, NULL, "MaskData");
    fx_bin_list(&t.b, "mWeightList", RIFT_BIN_F32);
    fx_bin_f32(&t.b, NULL, 0.0F);
    fx_bin_f32(&t.b, NULL, 1.0F);
    fx_bin_f32(&t.b, NULL, 0.1F);
    fx_bin_f32(&t.b, NULL, NAN);
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    fx_bin_hash(&t.b, NULL, "empty");
    fx_bin_embed(&t.b, NULL, "MaskData");
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    if (read_graph(&t, "", NULL)) {
        CHECK_FATAL(t.graph.track_count == 3 && t.graph.mask_count == 2);
        const rift_graph_track *wind = rift_graph_track_of(&t.graph, rift_fnv1a(RIFT_STR("wind")));
        CHECK_FATAL(wind == &t.graph.tracks[1]);
        CHECK(wind->priority == 7 && wind->blend_mode == 1 && wind->blend_weight == 0.5F);
        CHECK_STR(wind->name, RIFT_STR("Wind"));
        const rift_graph_track *plain = &t.graph.tracks[0];
        CHECK(plain->priority == 0 && plain->blend_mode == 0 && plain->blend_weight == 1.0F);
        CHECK_STR(plain->name, RIFT_STR("Default"));
        CHECK(t.graph.tracks[2].priority == 0 && t.graph.tracks[2].blend_mode == 255);
        CHECK(rift_graph_track_of(&t.graph, 1) == NULL && rift_graph_mask_of(&t.graph, 1) == NULL);
        const rift_graph_mask *upper = rift_graph_mask_of(&t.graph, 0x1d3b565f);
        CHECK_FATAL(upper == &t.graph.masks[0] && upper->weight_count == 4);
        CHECK(upper->weights[0] == 0.0F && upper->weights[1] == 1.0F && upper->weights[2] == 0.1F &&
              upper->weights[3] == 0.0F);
        CHECK_STR(upper->name, RIFT_STR("UpperBody"));
        CHECK(t.graph.masks[1].weight_count == 0 && t.graph.clip_count == 0);
    }
    end(&t);
}

/* ---- Events ---- */

/* A clip whose event map is open. */
static void begin_events(bench *t)
{
    begin_clips(t);
    clip(t, "Idle1", "AtomicClipData");
    fx_bin_map(&t->b, "mEventDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
}

static void event(bench *t, const char *key, const char *class_name)
{
    fx_bin_hash(&t->b, NULL, key);
    fx_bin_pointer(&t->b, NULL, class_name);
}

static void events_and_their_common_fields(void)
{
    bench t;
    begin_events(&t);
    event(&t, "key", "JointSnapEventData");
    fx_bin_end(&t.b);
    event(&t, "snap", "JointSnapEventData");
    fx_bin_hash(&t.b, "mName", "named");
    fx_bin_f32(&t.b, "mStartFrame", 12.0F);
    fx_bin_f32(&t.b, "mEndFrame", 30.5F);
    fx_bin_bool(&t.b, "mIsSelfOnly", true);
    fx_bin_bool(&t.b, "mFireIfAnimationEndsEarly", true);
    fx_bin_hash(&t.b, "mJointNameToOverride", "Weapon");
    fx_bin_string(&t.b, "mJointNameToSnapTo", "ROOT"); /* old files: text */
    fx_bin_vec3(&t.b, "offset", 1.0F, -2.0F, 3.5F);
    fx_bin_end(&t.b);
    event(&t, "odd", "JointSnapEventData");
    fx_bin_f32(&t.b, "mStartFrame", NAN);
    fx_bin_f32(&t.b, "mEndFrame", INFINITY);
    fx_bin_vec3(&t.b, "offset", 1.0F, NAN, 1.0F);
    fx_bin_end(&t.b);
    fx_bin_hash(&t.b, NULL, "null");
    fx_bin_null(&t.b, NULL);
    event(&t, "new", "EventOfTheFuture");
    fx_bin_end(&t.b);
    if (read_graph(&t, "", NULL)) {
        CHECK_FATAL(t.graph.clips[0].event_count == 4);
        const rift_graph_event *e = t.graph.clips[0].events;
        CHECK(e[0].kind == RIFT_EVENT_JOINT_SNAP && e[0].class_hash == 3049371309u);
        CHECK_U64(e[0].name, rift_fnv1a(RIFT_STR("key")));
        CHECK(e[0].start_frame == 0.0F && e[0].end_frame == -1.0F && !e[0].self_only &&
              !e[0].fires_early_end);
        CHECK(e[0].victim == 0 && e[0].target == 0);
        CHECK_U64(e[1].name, rift_fnv1a(RIFT_STR("named")));
        CHECK(e[1].start_frame == 12.0F && e[1].end_frame == 30.5F && e[1].self_only && e[1].fires_early_end);
        CHECK_U64(e[1].victim, 0x6f332041);
        CHECK_U64(e[1].target, 0x20fd0e45);
        CHECK(e[1].offset[0] == 1.0F && e[1].offset[1] == -2.0F && e[1].offset[2] == 3.5F);
        CHECK(e[2].start_frame == 0.0F && e[2].end_frame == -1.0F);
        CHECK(e[2].offset[0] == 0.0F && e[2].offset[1] == 0.0F && e[2].offset[2] == 0.0F);
        CHECK(e[3].kind == RIFT_EVENT_UNKNOWN && e[3].object != NULL);
        CHECK_U64(rift_report_count(&t.report, "event_null"), 1);
        CHECK_U64(rift_report_count(&t.report, "event_class_unknown"), 1);
    }
    end(&t);
}

/* B049: lists and single fields, hashes and text, zeros ignored. */
static void visibility_events_read_all_four_fields(void)
{
    bench t;
    begin_events(&t);
    event(&t, "e", "SubmeshVisibilityEventData");
    fx_bin_list(&t.b, "mShowSubmeshList", RIFT_BIN_HASH);
    fx_bin_hash(&t.b, NULL, "Body");
    fx_bin_hash(&t.b, NULL, "0x00000000");
    fx_bin_end(&t.b);
    fx_bin_list2(&t.b, "mHideSubmeshList", RIFT_BIN_STRING);
    fx_bin_string(&t.b, NULL, "WEAPON");
    fx_bin_string(&t.b, NULL, "");
    fx_bin_end(&t.b);
    fx_bin_hash(&t.b, "mShowSubmesh", "Root");
    fx_bin_hash(&t.b, "mHideSubmesh", "test");
    fx_bin_bool(&t.b, "ApplyOnlyToAvatarMeshes", true);
    fx_bin_end(&t.b);
    event(&t, "none", "SubmeshVisibilityEventData");
    fx_bin_end(&t.b);
    if (read_graph(&t, "", NULL)) {
        const rift_graph_event *e = t.graph.clips[0].events;
        CHECK_FATAL(t.graph.clips[0].event_count == 2 && e[0].show_count == 2 && e[0].hide_count == 2);
        CHECK_U64(e[0].show[0], 0x20fd0e45);
        CHECK_U64(e[0].show[1], rift_fnv1a(RIFT_STR("body")));
        CHECK_U64(e[0].hide[0], 0xafd071e5);
        CHECK_U64(e[0].hide[1], 0x6f332041);
        CHECK(e[0].avatar_only && !e[1].avatar_only && e[1].show_count == 0 && e[1].hide_count == 0);
    }
    end(&t);
}

static rift_str json_of(bench *t, size_t index, const rift_names *names)
{
    rift_buf *buf = RIFT_NEW(&t->arena, rift_buf, 1);
    rift_json j;
    rift_buf_init(buf, &t->arena, 1 << 16);
    rift_json_init(&j, buf);
    rift_graph_event_json(&j, &t->graph.clips[0].events[index], NULL, names, &t->arena);
    const rift_bytes bytes = rift_buf_bytes(buf);
    return (rift_str){(const char *)bytes.data, bytes.size};
}

/* Every class without fields: the client's defaults of formats/animgraph.md. */
static void every_event_class_has_its_defaults(void)
{
    static const struct {
        const char *class_name;
        rift_event_class kind;
        const char *word, *json; /* behind the common members */
    } rows[] = {
        {"JointSnapEventData", RIFT_EVENT_JOINT_SNAP, "joint_snap",
         ",\"joint\":null,\"to\":null,\"offset\":[0,0,0]"},
        {"SubmeshVisibilityEventData", RIFT_EVENT_VISIBILITY, "visibility",
         ",\"show\":[],\"hide\":[],\"avatar_only\":false"},
        {"ParticleEventData", RIFT_EVENT_PARTICLE, "particle",
         ",\"effect\":null,\"effect_name\":\"\",\"enemy_effect\":null,\"bones\":[],\"loop\":true,\"kill\":"
         "true,"
         "\"detachable\":false,\"scale_speed\":false,\"scale\":1,\"skip_past_end\":false"},
        {"SoundEventData", RIFT_EVENT_SOUND, "sound",
         ",\"sound\":\"\",\"loop\":true,\"kill\":true,\"skip_past_end\":false,\"transition_type\":1"},
        {"ConformToPathEventData", RIFT_EVENT_CONFORM, "conform",
         ",\"mask\":null,\"blend_in\":0,\"blend_out\":0"},
        {"FadeEventData", RIFT_EVENT_FADE, "fade", ",\"alpha\":0.5,\"seconds\":0"},
        {"FaceTargetEventData", RIFT_EVENT_FACE_TARGET, "face_target",
         ",\"face\":0,\"degrees\":0,\"blend_in\":0,\"blend_out\":0"},
        {"IdleParticlesVisibilityEventData", RIFT_EVENT_IDLE_PARTICLES, "idle_particles", ",\"show\":false"},
        {"StopAnimationEventData", RIFT_EVENT_STOP, "stop", ",\"clip\":null"},
        {"EnableLookAtEventData", RIFT_EVENT_LOOK_AT, "look_at", ",\"enable\":true,\"lock\":true"},
        {"LockRootOrientationEventData", RIFT_EVENT_LOCK_ROOT, "lock_root",
         ",\"joint\":null,\"blend_out\":0.2"},
        {"JointOrientationEventData", RIFT_EVENT_ORIENTATION, "orientation",
         ",\"class_hash\":\"0x71215bc9\",\"fields\":{}"},
        {"SpringPhysicsEventData", RIFT_EVENT_SPRING, "spring", ",\"spring\":null,\"blend_out\":0"},
        {"StateLogicEventData", RIFT_EVENT_STATE_LOGIC, "state_logic", ",\"signal\":null"},
        {"SyncedAnimationEventData", RIFT_EVENT_SYNCED, "synced", ",\"lerp\":0.2"},
        {"0x5d9fffed", RIFT_EVENT_UNKNOWN, "unknown", ",\"class_hash\":\"0x5d9fffed\",\"fields\":{}"},
    };
    bench t;
    begin_events(&t);
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        char key[16];
        (void)snprintf(key, sizeof key, "0x%08zx", i + 1);
        event(&t, key, rows[i].class_name);
        fx_bin_end(&t.b);
    }
    if (read_graph(&t, "", NULL)) {
        CHECK_FATAL(t.graph.clips[0].event_count == RIFT_COUNT(rows));
        for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
            check_row("%s", rows[i].class_name);
            CHECK(t.graph.clips[0].events[i].kind == rows[i].kind);
            CHECK_STR(rift_str_c(rift_event_class_word(rows[i].kind)), rift_str_c(rows[i].word));
            const rift_str want = rift_arena_printf(
                &t.arena, "{\"class\":\"%s\",\"name\":\"0x%08zx\",\"start\":0,\"end\":null%s}", rows[i].word,
                i + 1, rows[i].json);
            CHECK_STR(json_of(&t, i, NULL), want);
        }
        check_row("%s", "");
    }
    end(&t);
}

static void events_as_json_with_names(void)
{
    bench t;
    begin_events(&t);
    event(&t, "glow", "ParticleEventData");
    fx_bin_hash(&t.b, "mName", "glow");
    fx_bin_f32(&t.b, "mStartFrame", 2.5F);
    fx_bin_f32(&t.b, "mEndFrame", 9.0F);
    fx_bin_bool(&t.b, "mIsSelfOnly", true);
    fx_bin_hash(&t.b, "mEffectKey", "Weapon");
    fx_bin_bool(&t.b, "mIsLoop", false);
    fx_bin_list(&t.b, "mParticleEventDataPairList", RIFT_BIN_EMBED);
    fx_bin_embed(&t.b, NULL, "ParticleEventDataPair");
    fx_bin_hash(&t.b, "mBoneName", "Root");
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    event(&t, "new", "EventOfTheFuture");
    fx_bin_f32(&t.b, "0x00000011", 1.5F);
    fx_bin_f32(&t.b, "0x00000012", NAN);
    fx_bin_string(&t.b, "mName2", "a \"text\"");
    fx_bin_list(&t.b, "0x00000013", RIFT_BIN_HASH);
    fx_bin_hash(&t.b, NULL, "Root");
    fx_bin_end(&t.b);
    fx_bin_embed(&t.b, "0x00000014", "Inner");
    fx_bin_vec3(&t.b, "0x00000015", 1.0F, 2.0F, 3.0F);
    fx_bin_null(&t.b, "0x00000016");
    fx_bin_i8(&t.b, "0x00000017", -4);
    fx_bin_file(&t.b, "0x00000018", "0x00000000000000ff");
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    rift_name_lists lists;
    rift_name_lists_init(&lists, &t.arena);
    rift_err err = check_err();
    static const char hashes[] = "6f332041 Weapon\n20fd0e45 Root\n";
    CHECK_OK(rift_name_lists_add(&lists, RIFT_NAMES_BINHASHES,
                                 (rift_bytes){(const uint8_t *)hashes, sizeof hashes - 1}, false, NULL, &err),
             &err);
    const rift_names names = rift_name_lists_names(&lists);
    if (read_graph(&t, "", &names)) {
        char glow[32];
        (void)snprintf(glow, sizeof glow, "0x%08x", (unsigned)rift_fnv1a(RIFT_STR("glow")));
        CHECK_STR(json_of(&t, 0, &names),
                  rift_arena_printf(
                      &t.arena,
                      "{\"class\":\"particle\",\"name\":\"%s\",\"start\":2.5,\"end\":9,\"self_only\":true,"
                      "\"effect\":\"Weapon\",\"effect_name\":\"\",\"enemy_effect\":null,"
                      "\"bones\":[{\"bone\":\"Root\",\"target\":null}],\"loop\":false,\"kill\":true,"
                      "\"detachable\":false,\"scale_speed\":false,\"scale\":1,\"skip_past_end\":false}",
                      glow));
        const rift_str future = json_of(&t, 1, &names);
        CHECK(rift_str_contains_nocase(future,
                                       RIFT_STR("\"fields\":{\"0x00000011\":1.5,\"0x00000012\":null,\"0x")));
        CHECK(rift_str_contains_nocase(
            future,
            RIFT_STR("\":\"a \\\"text\\\"\",\"0x00000013\":[\"Root\"],\"0x00000014\":{\"0x00000015\":[1,2,3],"
                     "\"0x00000016\":null,\"0x00000017\":-4,\"0x00000018\":\"0x00000000000000ff\"}}}")));
    }
    end(&t);
}

/* Objects in objects: cut at the fourth level, not by a crash. */
static void deep_unknown_events_are_cut(void)
{
    bench t;
    begin_events(&t);
    event(&t, "deep", "EventOfTheFuture");
    for (int i = 0; i < 40; i++)
        fx_bin_embed(&t.b, "0x00000001", "Inner");
    if (read_graph(&t, "", NULL)) {
        const rift_str json = json_of(&t, 0, NULL);
        CHECK(rift_str_ends_nocase(
            json, RIFT_STR("{\"0x00000001\":{\"0x00000001\":{\"0x00000001\":{\"0x00000001\":{"
                           "\"0x00000001\":null}}}}}}")));
    }
    end(&t);
}

/* ---- Names ---- */

static void clips_are_named_by_list_by_guess_and_by_file(void)
{
    static const struct {
        const char *label, *key, *file;
        const char *resolved; /* "" when only the written name is known */
        const char *written;
    } rows[] = {
        {"in the list", "ListedClip", "x.anm", "Listed Clip", "Listed Clip"},
        {"a common name", "RUN_IN", "x.anm", "Run_In", "Run_In"},
        {"the stem", "MyOwn", "a/b/MyOwn.anm", "MyOwn", "MyOwn"},
        {"without champion", "Whirl", "a/LUX_Whirl.anm", "Whirl", "Whirl"},
        {"without champion and skin", "Swirl", "a/Lux_skin07_Swirl.anm", "Swirl", "Swirl"},
        {"without champion and base", "Curl", "a/Lux_Base_Curl.anm", "Curl", "Curl"},
        {"another clip's file", "Lux_Other", "none.anm", "Lux_Other", "Lux_Other"},
        {"that other clip", "0x00000007", "a/Lux_Other.anm", "", "Other"},
        {"skin in the written name", "0x00000008", "a/lux_Skin29_Spin.anm", "", "Spin"},
        {"base stays in the written name", "0x00000009", "a/lux_Base_Spin.anm", "", "Base_Spin"},
        {"skin without digits stays", "0x0000000a", "a/lux_skin_Spin.anm", "", "skin_Spin"},
        {"nothing left behind the skin", "0x0000000b", "a/skin01_.anm", "", "skin01_"},
        {"only the champion", "0x0000000c", "a/lux_.anm", "", "lux_"},
        {"no file name", "0x0000000d", "", "", "0x0000000d"},
        {"base kept behind the skin", "Base_Whip", "a/Lux_skin07_Base_Whip.anm", "Base_Whip", "Base_Whip"},
        {"dots in the stem", "0x0000000e", "a/lux_jump.v2.anm", "", "jump.v2"},
    };
    bench t;
    begin_clips(&t);
    for (size_t i = 0; i < RIFT_COUNT(rows); i++)
        atomic_clip(&t, rows[i].key, rows[i].file);
    rift_name_lists lists;
    rift_name_lists_init(&lists, &t.arena);
    rift_err err = check_err();
    const rift_str line =
        rift_arena_printf(&t.arena, "%08x Listed Clip\n", (unsigned)rift_fnv1a(RIFT_STR("ListedClip")));
    CHECK_OK(rift_name_lists_add(&lists, RIFT_NAMES_BINHASHES,
                                 (rift_bytes){(const uint8_t *)line.data, line.size}, false, NULL, &err),
             &err);
    const rift_names names = rift_name_lists_names(&lists);
    if (read_graph(&t, "lux", &names)) {
        CHECK_FATAL(t.graph.clip_count == RIFT_COUNT(rows));
        for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
            check_row("%s", rows[i].label);
            const rift_graph_clip *c = &t.graph.clips[i];
            CHECK_STR(c->name, rift_str_c(rows[i].resolved));
            CHECK_STR(rift_graph_clip_name(c, RIFT_STR("Lux"), &names, &t.arena),
                      rift_str_c(rows[i].written));
        }
        check_row("%s", "");
        CHECK_STR(rift_graph_clip_name(&t.graph.clips[8], (rift_str){0}, NULL, &t.arena),
                  RIFT_STR("lux_Skin29_Spin"));
    }
    end(&t);
}

/* A path as a hash gets its name from the list of game paths, and a clip its name from there. */
static void clips_of_hashed_files(void)
{
    bench t;
    begin_clips(&t);
    clip(&t, "Whirl", "AtomicClipData");
    fx_bin_embed(&t.b, "mAnimationResourceData", "AnimationResourceData");
    fx_bin_file(&t.b, "mAnimationFilePath", "assets/lux_whirl.anm");
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    rift_name_lists lists;
    rift_name_lists_init(&lists, &t.arena);
    rift_err err = check_err();
    const rift_str line =
        rift_arena_printf(&t.arena, "%016llx assets/lux_whirl.anm\n",
                          (unsigned long long)rift_path_hash(RIFT_STR("assets/lux_whirl.anm")));
    CHECK_OK(rift_name_lists_add(&lists, RIFT_NAMES_GAME, (rift_bytes){(const uint8_t *)line.data, line.size},
                                 true, NULL, &err),
             &err);
    const rift_names names = rift_name_lists_names(&lists);
    if (read_graph(&t, "lux", &names)) {
        CHECK_STR(t.graph.clips[0].file.name, RIFT_STR("assets/lux_whirl.anm"));
        CHECK_STR(t.graph.clips[0].name, RIFT_STR("whirl"));
    }
    rift_graph plain;
    CHECK_OK(rift_graph_read(&plain, &t.bin.entries[0].object, RIFT_STR("lux"), NULL, &t.arena, NULL, &err),
             &err);
    CHECK_U64(plain.clips[0].name.size, 0);
    end(&t);
}

static void kinds_and_words(void)
{
    static const struct {
        const char *name, *kind;
    } rows[] = {
        {"Idle1", "idle"},         {"IDLE", "idle"},
        {"idleIN", "idle"},        {"Run_Base", "run"},
        {"Attack2", "attack"},     {"Crit", "attack"},
        {"Spell3_Dash", "spell"},  {"Dance_Loop", "dance"},
        {"Taunt", "taunt"},        {"Joke_Loop", "joke"},
        {"Laugh", "laugh"},        {"Recall_Winddown", "recall"},
        {"Death", "death"},        {"Respawn", "respawn"},
        {"Ult_Idle", "idle"},      {"Ult2Run", "run"},
        {"TowerAttack", "attack"}, {"Spell1_to_Run", "spell"},
        {"Channel", "other"},      {"", "other"},
        {"0x1234abcd", "other"},   {"Trunk", "other"},
        {"Prerun", "other"},       {"__Run", "run"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        CHECK_STR(rift_str_c(rift_clip_kind_word(rift_str_c(rows[i].name))), rift_str_c(rows[i].kind));
    }
    static const char *const classes[] = {
        "atomic",          "parametric",     "selector",   "sequencer", "parallel", "condition_bool",
        "condition_float", "event_selector", "switch_int", "state",     "unknown",
    };
    for (size_t i = 0; i < RIFT_COUNT(classes); i++)
        CHECK_STR(rift_str_c(rift_clip_class_word((rift_clip_class)i)), rift_str_c(classes[i]));
    check_row("%s", "");
}

/* ---- Robustness ---- */

static rift_bytes everything(rift_arena *arena)
{
    bench t;
    begin_clips(&t);
    atomic_clip(&t, "A", "lux_a.anm");
    sequence_of(&t, "Q", "A", "Q");
    clip(&t, "E", "AtomicClipData");
    fx_bin_map(&t.b, "mEventDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    event(&t, "v", "SubmeshVisibilityEventData");
    fx_bin_list(&t.b, "mShowSubmeshList", RIFT_BIN_HASH);
    fx_bin_hash(&t.b, NULL, "Body");
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    fx_bin_end(&t.b);
    fx_bin_map(&t.b, "mMaskDataMap", RIFT_BIN_HASH, RIFT_BIN_EMBED);
    fx_bin_hash(&t.b, NULL, "m");
    fx_bin_embed(&t.b, NULL, "MaskData");
    fx_bin_list(&t.b, "mWeightList", RIFT_BIN_F32);
    fx_bin_f32(&t.b, NULL, 1.0F);
    while (t.b.depth > 0)
        fx_bin_end(&t.b);
    const rift_bytes bytes = rift_arena_copy_bytes(arena, fx_bin_finish(&t.b));
    end(&t);
    return bytes;
}

static bool parse(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_bin bin;
    rift_graph graph;
    rift_report report;
    rift_report_init(&report, arena);
    if (!rift_bin_parse(&bin, in, arena, &report, err))
        return false;
    for (size_t i = 0; i < bin.entry_count; i++)
        if (!rift_graph_read(&graph, &bin.entries[i].object, RIFT_STR("lux"), NULL, arena, &report, err))
            return false;
    return true;
}

static void any_bytes_and_any_failing_allocation(void)
{
    rift_arena arena;
    rift_arena_init(&arena, LIMIT);
    const rift_bytes bytes = everything(&arena);
    check_prefixes(parse, bytes, 0, RIFT_OK);
    check_every_byte(parse, bytes);
    check_allocations(parse, bytes);
    rift_arena_release(&arena);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(atomic_clips_and_their_defaults);
    RUN(parametric_takes_the_value_nearest_zero);
    RUN(selector_takes_the_most_probable);
    RUN(sequences_and_parallels_list_names);
    RUN(conditions_stand_still_and_else_are_true);
    RUN(the_other_classes);
    RUN(cycles_are_cut);
    RUN(a_long_chain_of_clips);
    RUN(keys_null_clips_and_lookups);
    RUN(tracks_and_masks);
    RUN(events_and_their_common_fields);
    RUN(visibility_events_read_all_four_fields);
    RUN(every_event_class_has_its_defaults);
    RUN(events_as_json_with_names);
    RUN(deep_unknown_events_are_cut);
    RUN(clips_are_named_by_list_by_guess_and_by_file);
    RUN(clips_of_hashed_files);
    RUN(kinds_and_words);
    RUN(any_bytes_and_any_failing_allocation);
    return check_finish();
}
