/* Events as JSON: the known classes by one table of fields with their defaults, unknown ones as they stand. So stand the
 * sockets and pose modifiers of a skin. */
#include <math.h>

#include "base/str.h"
#include "game/field_names.h"
#include "game/game_internal.h"

/* How deep values of unknown classes are written, in objects and arrays. */
enum { MAX_NESTING = 4 };

typedef enum shape {
    NUMBER,
    INTEGER,
    TRUTH,
    TEXT,
    NAME, /* a hash, resolved where the tables know it */
    PAIRS /* mParticleEventDataPairList */
} shape;

typedef struct field_row {
    rift_event_class kind;
    uint32_t field;
    const char *key;
    shape shape;
    double fallback; /* NUMBER, INTEGER, TRUTH */
} field_row;

/* Defaults are the client's own (formats/animgraph.md). */
static const field_row rows[] = {
    {RIFT_EVENT_PARTICLE, RIFT_F_M_EFFECT_KEY, "effect", NAME, 0},
    {RIFT_EVENT_PARTICLE, RIFT_F_M_EFFECT_NAME, "effect_name", TEXT, 0},
    {RIFT_EVENT_PARTICLE, RIFT_F_M_ENEMY_EFFECT_KEY, "enemy_effect", NAME, 0},
    {RIFT_EVENT_PARTICLE, RIFT_F_M_PARTICLE_EVENT_DATA_PAIR_LIST, "bones", PAIRS, 0},
    {RIFT_EVENT_PARTICLE, RIFT_F_M_IS_LOOP, "loop", TRUTH, 1},
    {RIFT_EVENT_PARTICLE, RIFT_F_M_IS_KILL_EVENT, "kill", TRUTH, 1},
    {RIFT_EVENT_PARTICLE, RIFT_F_M_IS_DETACHABLE, "detachable", TRUTH, 0},
    {RIFT_EVENT_PARTICLE, RIFT_F_M_SCALE_PLAY_SPEED_WITH_ANIMATION, "scale_speed", TRUTH, 0},
    {RIFT_EVENT_PARTICLE, RIFT_F_SCALE, "scale", NUMBER, 1},
    {RIFT_EVENT_PARTICLE, RIFT_F_SKIP_IF_PAST_END_FRAME, "skip_past_end", TRUTH, 0},
    {RIFT_EVENT_SOUND, RIFT_F_M_SOUND_NAME, "sound", TEXT, 0},
    {RIFT_EVENT_SOUND, RIFT_F_M_IS_LOOP, "loop", TRUTH, 1},
    {RIFT_EVENT_SOUND, RIFT_F_M_IS_KILL_EVENT, "kill", TRUTH, 1},
    {RIFT_EVENT_SOUND, RIFT_F_M_SKIP_IF_PAST_END_FRAME, "skip_past_end", TRUTH, 0},
    {RIFT_EVENT_SOUND, RIFT_F_CONDITION_CLIP_TRANSITION_TYPE, "transition_type", INTEGER, 1},
    {RIFT_EVENT_CONFORM, RIFT_F_M_MASK_DATA_NAME, "mask", NAME, 0},
    {RIFT_EVENT_CONFORM, RIFT_F_M_BLEND_IN_TIME, "blend_in", NUMBER, 0},
    {RIFT_EVENT_CONFORM, RIFT_F_M_BLEND_OUT_TIME, "blend_out", NUMBER, 0},
    {RIFT_EVENT_FADE, RIFT_F_M_TARGET_ALPHA, "alpha", NUMBER, 0.5},
    {RIFT_EVENT_FADE, RIFT_F_M_TIME_TO_FADE, "seconds", NUMBER, 0},
    {RIFT_EVENT_FACE_TARGET, RIFT_F_FACE_TARGET, "face", INTEGER, 0},
    {RIFT_EVENT_FACE_TARGET, RIFT_F_YROTATION_DEGREES, "degrees", NUMBER, 0},
    {RIFT_EVENT_FACE_TARGET, RIFT_F_BLEND_IN_TIME, "blend_in", NUMBER, 0},
    {RIFT_EVENT_FACE_TARGET, RIFT_F_BLEND_OUT_TIME, "blend_out", NUMBER, 0},
    {RIFT_EVENT_IDLE_PARTICLES, RIFT_F_M_SHOW, "show", TRUTH, 0},
    {RIFT_EVENT_STOP, RIFT_F_M_STOP_ANIMATION_NAME, "clip", NAME, 0},
    {RIFT_EVENT_LOOK_AT, RIFT_F_M_ENABLE_LOOK_AT, "enable", TRUTH, 1},
    {RIFT_EVENT_LOOK_AT, RIFT_F_M_LOCK_CURRENT_VALUES, "lock", TRUTH, 1},
    {RIFT_EVENT_LOCK_ROOT, RIFT_F_JOINT_NAME, "joint", NAME, 0},
    {RIFT_EVENT_LOCK_ROOT, RIFT_F_BLEND_OUT_TIME, "blend_out", NUMBER, 0.2},
    {RIFT_EVENT_SPRING, RIFT_F_SPRING_TO_AFFECT, "spring", NAME, 0},
    {RIFT_EVENT_SPRING, RIFT_F_BLEND_OUT_TIME, "blend_out", NUMBER, 0},
    {RIFT_EVENT_STATE_LOGIC, RIFT_F_STATE_LOGIC_EVENT_SIGNAL_ID, "signal", NAME, 0},
    {RIFT_EVENT_SYNCED, RIFT_F_M_LERP_TIME, "lerp", NUMBER, 0.2},
};

typedef struct writer {
    rift_json *j;
    const rift_names *names;
    rift_arena *scratch;
} writer;

static void put_name_value(const writer *w, uint32_t hash)
{
    rift_str name;
    if (hash == 0) {
        rift_json_null(w->j);
    } else if (rift_names_lookup(w->names, RIFT_NAMES_BINHASHES, hash, w->scratch, &name)) {
        rift_json_str(w->j, name);
    } else {
        rift_json_hex(w->j, hash, 8);
    }
}

static void put_name(const writer *w, const char *key, uint32_t hash)
{
    rift_json_key(w->j, key);
    put_name_value(w, hash);
}

static void put_float(const writer *w, float value)
{
    if (isfinite(value)) {
        rift_json_float(w->j, value);
    } else {
        rift_json_null(w->j);
    }
}

static void put_hashes(const writer *w, const char *key, const uint32_t *hashes, size_t count)
{
    rift_json_key(w->j, key);
    rift_json_array(w->j);
    for (size_t i = 0; i < count; i++)
        put_name_value(w, hashes[i]);
    rift_json_array_end(w->j);
}

static void put_pairs(const writer *w, const field_row *row, const rift_bin_object *object)
{
    size_t count;
    const rift_bin_value *items = rift_bin_items(object, row->field, &count);
    rift_json_key(w->j, row->key);
    rift_json_array(w->j);
    for (size_t i = 0; i < count; i++) {
        const rift_bin_object *pair = rift_bin_value_object(&items[i]);
        rift_json_object(w->j);
        put_name(w, "bone", rift_bin_hash(pair, RIFT_F_M_BONE_NAME));
        put_name(w, "target", rift_bin_hash(pair, RIFT_F_M_TARGET_BONE_NAME));
        rift_json_object_end(w->j);
    }
    rift_json_array_end(w->j);
}

static void put_row(const writer *w, const field_row *row, const rift_bin_object *object)
{
    switch (row->shape) {
    case NUMBER:
        rift_json_key(w->j, row->key);
        put_float(w, (float)rift_bin_number(object, row->field, row->fallback));
        break;
    case INTEGER:
        rift_json_put_int(w->j, row->key, rift_bin_integer(object, row->field, (int64_t)row->fallback));
        break;
    case TRUTH:
        rift_json_put_bool(w->j, row->key, rift_bin_bool(object, row->field, row->fallback != 0.0));
        break;
    case TEXT:
        rift_json_put_str(w->j, row->key, rift_bin_string(object, row->field));
        break;
    case NAME:
        put_name(w, row->key, rift_bin_hash(object, row->field));
        break;
    case PAIRS:
        put_pairs(w, row, object);
        break;
    }
}

/* ---- Values as they stand ---- */

static void put_value(const writer *w, const rift_bin_value *value, unsigned depth);

/* Classes and fields of what a skin's rig has beside joints. The classes and the first fields: formats/animgraph-names.tsv;
 * the others: names of public tools, each with the hash that stands in a real bin or in their class lists. */
static const char *const rig_names[] = {
    "ConformToPathRigPoseModifierData",
    "DynamicsChainRigPoseModifierData",
    "JointOrientationRigPoseModifierData",
    "JointSnapRigPoseModifilerData",
    "LockRootOrientationRigPoseModifierData",
    "SpringPhysicsRigPoseModifierData",
    "SyncedAnimationRigPoseModifierData",
    "VertexAnimationRigPoseModifierData",
    "SocketDefinitionSingleJoint",
    "SocketDefinitionWorld",
    "mName",
    "Name",
    "mStartingJointName",
    "mEndingJointName",
    "StartingJointName",
    "EndingJointName",
    "JointName",
    "mDefaultMaskName",
    "mMaxBoneAngle",
    "mDampingRatio",
    "mVelMultiplier",
    "mFrequency",
    "OnlyActivateInTurns",
    "DefaultOn",
    "ParentJoint",
    "PositionOffset",
    "RotationOffset",
    "FreezePositionX",
    "FreezePositionY",
    "FreezePositionZ",
    "FreezeRotationX",
    "FreezeRotationY",
    "FreezeRotationZ",
};

static rift_str rig_name(const writer *w, rift_name_table table, uint32_t hash)
{
    rift_str name;
    if (rift_names_lookup(w->names, table, hash, w->scratch, &name))
        return name;
    for (size_t i = 0; i < RIFT_COUNT(rig_names); i++) {
        if (rift_fnv1a(rift_str_c(rig_names[i])) == hash)
            return rift_str_c(rig_names[i]);
    }
    return rift_arena_printf(w->scratch, "0x%08x", (unsigned)hash);
}

static void put_fields(const writer *w, const rift_bin_object *object, unsigned depth)
{
    rift_json_object(w->j);
    for (size_t i = 0; object != NULL && i < object->field_count; i++) {
        const rift_bin_field *field = &object->fields[i];
        rift_json_key_str(w->j, rig_name(w, RIFT_NAMES_BINFIELDS, field->name));
        put_value(w, &field->value, depth);
    }
    rift_json_object_end(w->j);
}

static void put_items(const writer *w, const rift_bin_value *value, unsigned depth)
{
    rift_json_array(w->j);
    for (size_t i = 0; i < value->count; i++)
        put_value(w, &value->as.items[i], depth);
    rift_json_array_end(w->j);
}

static void put_floats(const writer *w, const rift_bin_value *value)
{
    const size_t count = (size_t)value->type - RIFT_BIN_F32 + 1;
    rift_json_array(w->j);
    for (size_t i = 0; i < count; i++)
        put_float(w, value->as.f[i]);
    rift_json_array_end(w->j);
}

static void put_nested(const writer *w, const rift_bin_value *value, unsigned depth)
{
    const bool empty = value->type == RIFT_BIN_POINTER && value->as.object == NULL;
    if (empty || depth >= MAX_NESTING || w->j->depth + 2 >= RIFT_JSON_MAX_DEPTH) {
        rift_json_null(w->j);
    } else if (value->type == RIFT_BIN_POINTER || value->type == RIFT_BIN_EMBED) {
        put_fields(w, value->as.object, depth + 1);
    } else {
        put_items(w, value, depth + 1);
    }
}

/* Maps, matrices and colours do not occur in events; they are written as null. */
static void put_value(const writer *w, const rift_bin_value *value, unsigned depth)
{
    switch (value->type) {
    case RIFT_BIN_BOOL:
    case RIFT_BIN_FLAG:
        rift_json_bool(w->j, value->as.b);
        break;
    case RIFT_BIN_I8:
    case RIFT_BIN_I16:
    case RIFT_BIN_I32:
    case RIFT_BIN_I64:
        rift_json_int(w->j, value->as.i);
        break;
    case RIFT_BIN_U8:
    case RIFT_BIN_U16:
    case RIFT_BIN_U32:
    case RIFT_BIN_U64:
        rift_json_uint(w->j, value->as.u);
        break;
    case RIFT_BIN_F32:
        put_float(w, value->as.f[0]);
        break;
    case RIFT_BIN_VEC2:
    case RIFT_BIN_VEC3:
    case RIFT_BIN_VEC4:
        put_floats(w, value);
        break;
    case RIFT_BIN_STRING:
        rift_json_str(w->j, value->as.str);
        break;
    case RIFT_BIN_HASH:
    case RIFT_BIN_LINK:
        put_name_value(w, (uint32_t)value->as.u);
        break;
    case RIFT_BIN_FILE:
        rift_json_hex(w->j, value->as.u, 16);
        break;
    case RIFT_BIN_POINTER:
    case RIFT_BIN_EMBED:
    case RIFT_BIN_LIST:
    case RIFT_BIN_LIST2:
    case RIFT_BIN_OPTION:
        put_nested(w, value, depth);
        break;
    default:
        rift_json_null(w->j);
        break;
    }
}

static double seconds_at(float frame, const rift_event_clock *clock)
{
    const double file_time = (double)frame / clock->fps - clock->cut;
    return file_time > 0 ? file_time * clock->speed : 0;
}

double rift_event_begin(const rift_graph_event *event, const rift_event_clock *clock)
{
    const double t = seconds_at(event->start_frame, clock);
    /* A frame number that stands for the very end may lie beyond it by a rounding. */
    if (!(t <= clock->length + 1e-5))
        return HUGE_VAL;
    return clock->begin + fmin(t, clock->length);
}

double rift_event_end(const rift_graph_event *event, const rift_event_clock *clock)
{
    if (!(event->end_frame >= 0.0F) || event->end_frame < event->start_frame)
        return HUGE_VAL;
    return clock->begin + seconds_at(event->end_frame, clock);
}

static void put_time(const writer *w, const char *key, double t)
{
    rift_json_key(w->j, key);
    if (isfinite(t)) {
        rift_json_float(w->j, (float)t); /* as the animation's own key times */
    } else {
        rift_json_null(w->j);
    }
}

static void put_common(const writer *w, const rift_graph_event *event, const rift_event_clock *clock)
{
    rift_json_put_cstr(w->j, "class", rift_event_class_word(event->kind));
    put_name(w, "name", event->name);
    rift_json_key(w->j, "start");
    put_float(w, event->start_frame);
    rift_json_key(w->j, "end");
    if (event->end_frame < 0.0F) {
        rift_json_null(w->j);
    } else {
        put_float(w, event->end_frame);
    }
    if (clock != NULL) {
        put_time(w, "t", rift_event_begin(event, clock));
        put_time(w, "t_end", rift_event_end(event, clock));
        if (clock->clip.size > 0)
            rift_json_put_str(w->j, "clip", clock->clip);
    }
    if (event->self_only)
        rift_json_put_bool(w->j, "self_only", true);
    if (event->fires_early_end)
        rift_json_put_bool(w->j, "fires_early_end", true);
}

void rift_graph_event_json(rift_json *j,
                           const rift_graph_event *event,
                           const rift_event_clock *clock,
                           const rift_names *names,
                           rift_arena *scratch)
{
    const writer w = {j, names, scratch};
    rift_json_object(j);
    put_common(&w, event, clock);
    if (event->kind == RIFT_EVENT_JOINT_SNAP) {
        put_name(&w, "joint", event->victim);
        put_name(&w, "to", event->target);
        rift_json_key(j, "offset");
        rift_json_array(j);
        for (size_t i = 0; i < RIFT_COUNT(event->offset); i++)
            put_float(&w, event->offset[i]);
        rift_json_array_end(j);
    } else if (event->kind == RIFT_EVENT_VISIBILITY) {
        put_hashes(&w, "show", event->show, event->show_count);
        put_hashes(&w, "hide", event->hide, event->hide_count);
        rift_json_put_bool(j, "avatar_only", event->avatar_only);
    } else if (event->kind == RIFT_EVENT_UNKNOWN || event->kind == RIFT_EVENT_ORIENTATION) {
        rift_json_put_hex(j, "class_hash", event->class_hash, 8);
        rift_json_key(j, "fields");
        put_fields(&w, event->object, 0);
    }
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        if (rows[i].kind == event->kind)
            put_row(&w, &rows[i], event->object);
    }
    rift_json_object_end(j);
}

void rift_skin_rig_json(
    rift_json *j, const rift_bin_value *items, size_t count, const rift_names *names, rift_arena *scratch)
{
    const writer w = {j, names, scratch};
    rift_json_array(j);
    for (size_t i = 0; i < count; i++) {
        const rift_bin_object *object = rift_bin_value_object(&items[i]);
        if (object == NULL)
            continue;
        rift_json_object(j);
        const rift_str name = rift_bin_string(object, RIFT_F_NAME);
        if (name.size > 0)
            rift_json_put_str(j, "name", name);
        rift_json_put_str(j, "class", rig_name(&w, RIFT_NAMES_BINTYPES, object->class_hash));
        rift_json_key(j, "fields");
        put_fields(&w, object, 0);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}
