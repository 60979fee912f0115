/* Seeds of the game target: skins, materials of three generations, graphs with every class. */
#include <stdio.h>

#include "base/str.h"
#include "fixtures/fx_bin.h"
#include "make_seeds.h"

enum { ARENA_LIMIT = 16 * 1024 * 1024 };

static bool put(const char *corpus, const char *name, fx_bin *b)
{
    char path[4096];
    while (b->depth > 0)
        fx_bin_end(b);
    const rift_bytes bytes = fx_bin_finish(b);
    (void)snprintf(path, sizeof path, "%s/game/%s", corpus, name);
    FILE *f = fopen(path, "wb");
    const bool ok = f != NULL && fwrite(bytes.data, 1, bytes.size, f) == bytes.size;
    if (f == NULL || fclose(f) != 0 || !ok)
        printf("cannot write %s\n", path);
    return ok;
}

static void open_skin(fx_bin *b, rift_arena *arena)
{
    fx_bin_init(b, arena, (fx_bin_opts){0});
    fx_bin_depends(b, "DATA/A.bin");
    fx_bin_entry(b, "Characters/Lux/Skins/Skin0", "SkinCharacterDataProperties");
    fx_bin_embed(b, "skinAnimationProperties", "SkinAnimationProperties");
    fx_bin_link(b, "animationGraphData", "G");
    fx_bin_end(b);
    fx_bin_embed(b, "skinMeshProperties", "SkinMeshDataProperties");
    fx_bin_string(b, "simpleSkin", "ASSETS/Characters/Lux/Lux.skn");
    fx_bin_file(b, "skeleton", "l.skl");
    fx_bin_string(b, "texture", "l.tex");
    fx_bin_string(b, "initialSubmeshToHide", "A, b c;D");
}

static void override_of(fx_bin *b, const char *submesh, const char *texture, const char *material)
{
    fx_bin_embed(b, NULL, "SkinMeshDataProperties_MaterialOverride");
    fx_bin_string(b, "submesh", submesh);
    if (texture != NULL)
        fx_bin_string(b, "texture", texture);
    if (material != NULL)
        fx_bin_link(b, "material", material);
    fx_bin_end(b);
}

static void named_vec4(fx_bin *b, const char *name, float x, float y)
{
    fx_bin_embed(b, NULL, "StaticMaterialShaderParamDef");
    fx_bin_string(b, "name", name);
    fx_bin_vec4(b, "value", x, y, 0, 1);
    fx_bin_end(b);
}

static void material(fx_bin *b)
{
    fx_bin_entry(b, "M", "StaticMaterialDef");
    fx_bin_string(b, "name", "M");
    fx_bin_list2(b, "samplerValues", RIFT_BIN_EMBED);
    fx_bin_embed(b, NULL, "StaticMaterialShaderSamplerDef");
    fx_bin_string(b, "samplerName", "Mask");
    fx_bin_string(b, "TextureName", "a/m.tex");
    fx_bin_end(b);
    fx_bin_embed(b, NULL, "StaticMaterialShaderSamplerDef");
    fx_bin_string(b, "TextureName", "Diffuse_Texture");
    fx_bin_file(b, "texturePath", "a/d.tex");
    fx_bin_u32(b, "addressU", 1);
    fx_bin_end(b);
    fx_bin_end(b);
    fx_bin_list(b, "paramValues", RIFT_BIN_EMBED);
    named_vec4(b, "TintColor", 0.5F, 1);
    named_vec4(b, "Opacity", 0.5F, 0);
    named_vec4(b, "Cutoff", 0.3F, 0);
    named_vec4(b, "Base_Tile", 2, 2);
    named_vec4(b, "FlipbookSize", 4, 4);
    fx_bin_end(b);
    fx_bin_list(b, "switches", RIFT_BIN_EMBED);
    fx_bin_embed(b, NULL, "StaticMaterialSwitchDef");
    fx_bin_string(b, "name", "ALPHA_TEST_ON");
    fx_bin_bool(b, "on", true);
    fx_bin_end(b);
    fx_bin_end(b);
    fx_bin_list(b, "techniques", RIFT_BIN_EMBED);
    fx_bin_embed(b, NULL, "StaticMaterialTechniqueDef");
    fx_bin_string(b, "name", "normal");
    fx_bin_list(b, "passes", RIFT_BIN_EMBED);
    fx_bin_embed(b, NULL, "StaticMaterialPassDef");
    fx_bin_bool(b, "blendEnable", true);
    fx_bin_u32(b, "dstColorBlendFactor", 1);
    while (b->depth > 0)
        fx_bin_end(b);
}

static void open_graph(fx_bin *b)
{
    fx_bin_entry(b, "G", "AnimationGraphData");
    fx_bin_map(b, "mClipDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
}

static void clip(fx_bin *b, const char *name, const char *class_name)
{
    fx_bin_hash(b, NULL, name);
    fx_bin_pointer(b, NULL, class_name);
}

static void atomic_clip(fx_bin *b, const char *name)
{
    clip(b, name, "AtomicClipData");
    fx_bin_embed(b, "mAnimationResourceData", "AnimationResourceData");
    fx_bin_string(b, "mAnimationFilePath", "a/Lux_skin01_x.anm");
    fx_bin_end(b);
    fx_bin_end(b);
}

static void pairs(fx_bin *b, const char *name, const char *class_name, const char *list, const char *field)
{
    clip(b, name, class_name);
    fx_bin_list(b, list, RIFT_BIN_EMBED);
    fx_bin_embed(b, NULL, "Pair");
    fx_bin_hash(b, field, "A");
    fx_bin_f32(b, "mValue", 1);
    fx_bin_f32(b, "mProbability", 1);
    fx_bin_end(b);
    fx_bin_embed(b, NULL, "Pair");
    fx_bin_hash(b, field, name);
    fx_bin_i32(b, "value", 1);
    fx_bin_end(b);
    fx_bin_end(b);
    fx_bin_end(b);
}

static void names(fx_bin *b, const char *name, const char *class_name, const char *child)
{
    clip(b, name, class_name);
    fx_bin_list(b, "mClipNameList", RIFT_BIN_HASH);
    fx_bin_hash(b, NULL, child);
    fx_bin_hash(b, NULL, "A");
    fx_bin_end(b);
    fx_bin_end(b);
}

static bool all_clips(const char *corpus, rift_arena *arena)
{
    fx_bin b;
    fx_bin_init(&b, arena, (fx_bin_opts){0});
    open_graph(&b);
    atomic_clip(&b, "A");
    pairs(&b, "P", "ParametricClipData", "mParametricPairDataList", "mClipName");
    pairs(&b, "S", "SelectorClipData", "mSelectorPairDataList", "mClipName");
    pairs(&b, "F", "ConditionFloatClipData", "mConditionFloatPairDataList", "mClipName");
    pairs(&b, "E", "EventControlledSelectorClipData", "SelectorPairDataList", "ClipName");
    pairs(&b, "I", "SwitchIntClipData", "SwitchIntPairDataList", "ClipName");
    names(&b, "Q", "SequencerClipData", "L");
    names(&b, "L", "ParallelClipData", "Q");
    clip(&b, "B", "ConditionBoolClipData");
    fx_bin_pointer(&b, "Updater", "IsMovingParametricUpdater");
    fx_bin_end(&b);
    fx_bin_hash(&b, "mTrueConditionClipName", "A");
    fx_bin_end(&b);
    clip(&b, "T", "StateAnimClipData");
    fx_bin_hash(&b, "ChildClipName", "B");
    return put(corpus, "clips", &b);
}

static bool all_events(const char *corpus, rift_arena *arena)
{
    static const char *const classes[] = {
        "ParticleEventData",
        "SoundEventData",
        "ConformToPathEventData",
        "FadeEventData",
        "FaceTargetEventData",
        "IdleParticlesVisibilityEventData",
        "StopAnimationEventData",
        "EnableLookAtEventData",
        "LockRootOrientationEventData",
        "JointOrientationEventData",
        "SpringPhysicsEventData",
        "StateLogicEventData",
        "SyncedAnimationEventData",
    };
    fx_bin b;
    fx_bin_init(&b, arena, (fx_bin_opts){0});
    open_graph(&b);
    clip(&b, "A", "AtomicClipData");
    fx_bin_map(&b, "mEventDataMap", RIFT_BIN_HASH, RIFT_BIN_POINTER);
    clip(&b, "snap", "JointSnapEventData");
    fx_bin_f32(&b, "mStartFrame", 3);
    fx_bin_hash(&b, "mJointNameToOverride", "Weapon");
    fx_bin_string(&b, "mJointNameToSnapTo", "Root");
    fx_bin_vec3(&b, "offset", 1, 2, 3);
    fx_bin_end(&b);
    clip(&b, "show", "SubmeshVisibilityEventData");
    fx_bin_list(&b, "mShowSubmeshList", RIFT_BIN_HASH);
    fx_bin_hash(&b, NULL, "Body");
    fx_bin_end(&b);
    fx_bin_hash(&b, "mHideSubmesh", "Wings");
    fx_bin_end(&b);
    for (size_t i = 0; i < RIFT_COUNT(classes); i++) {
        clip(&b, classes[i], classes[i]);
        fx_bin_end(&b);
    }
    clip(&b, "new", "EventOfTheFuture");
    fx_bin_embed(&b, "a", "Inner");
    fx_bin_option(&b, "b", RIFT_BIN_F32);
    fx_bin_f32(&b, NULL, 1);
    fx_bin_end(&b);
    fx_bin_end(&b);
    fx_bin_end(&b);
    return put(corpus, "events", &b);
}

static bool whole_skin(const char *corpus, rift_arena *arena)
{
    fx_bin b;
    open_skin(&b, arena);
    fx_bin_link(&b, "material", "M");
    fx_bin_list(&b, "materialOverride", RIFT_BIN_EMBED);
    override_of(&b, "Body", "b.tex", "M");
    override_of(&b, "Wings", "w.tex", "gone");
    while (b.depth > 0)
        fx_bin_end(&b);
    material(&b);
    open_graph(&b);
    atomic_clip(&b, "Idle1");
    fx_bin_end(&b);
    fx_bin_map(&b, "mMaskDataMap", RIFT_BIN_HASH, RIFT_BIN_EMBED);
    fx_bin_hash(&b, NULL, "UpperBody");
    fx_bin_embed(&b, NULL, "MaskData");
    fx_bin_list(&b, "mWeightList", RIFT_BIN_F32);
    fx_bin_f32(&b, NULL, 1);
    fx_bin_end(&b);
    fx_bin_end(&b);
    fx_bin_end(&b);
    fx_bin_map(&b, "mTrackDataMap", RIFT_BIN_HASH, RIFT_BIN_EMBED);
    fx_bin_hash(&b, NULL, "Default");
    fx_bin_embed(&b, NULL, "TrackData");
    fx_bin_u8(&b, "mPriority", 3);
    return put(corpus, "skin", &b);
}

bool make_game_seeds(const char *corpus)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    bool ok = whole_skin(corpus, &arena);
    ok &= all_clips(corpus, &arena);
    ok &= all_events(corpus, &arena);
    rift_arena_release(&arena);
    return ok;
}
