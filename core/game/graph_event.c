/* Events of clips, as data: the classes that change what is seen are taken apart, all others keep their
 * object. */
#include <inttypes.h>

#include "game/field_names.h"
#include "game/game_internal.h"

static const struct {
    uint32_t class_hash;
    rift_event_class kind;
    const char *word;
} event_classes[] = {
    {RIFT_C_JOINT_SNAP_EVENT_DATA, RIFT_EVENT_JOINT_SNAP, "joint_snap"},
    {RIFT_C_SUBMESH_VISIBILITY_EVENT_DATA, RIFT_EVENT_VISIBILITY, "visibility"},
    {RIFT_C_PARTICLE_EVENT_DATA, RIFT_EVENT_PARTICLE, "particle"},
    {RIFT_C_SOUND_EVENT_DATA, RIFT_EVENT_SOUND, "sound"},
    {RIFT_C_CONFORM_TO_PATH_EVENT_DATA, RIFT_EVENT_CONFORM, "conform"},
    {RIFT_C_FADE_EVENT_DATA, RIFT_EVENT_FADE, "fade"},
    {RIFT_C_FACE_TARGET_EVENT_DATA, RIFT_EVENT_FACE_TARGET, "face_target"},
    {RIFT_C_IDLE_PARTICLES_VISIBILITY_EVENT_DATA, RIFT_EVENT_IDLE_PARTICLES, "idle_particles"},
    {RIFT_C_STOP_ANIMATION_EVENT_DATA, RIFT_EVENT_STOP, "stop"},
    {RIFT_C_ENABLE_LOOK_AT_EVENT_DATA, RIFT_EVENT_LOOK_AT, "look_at"},
    {RIFT_C_LOCK_ROOT_ORIENTATION_EVENT_DATA, RIFT_EVENT_LOCK_ROOT, "lock_root"},
    {RIFT_C_JOINT_ORIENTATION_EVENT_DATA, RIFT_EVENT_ORIENTATION, "orientation"},
    {RIFT_C_SPRING_PHYSICS_EVENT_DATA, RIFT_EVENT_SPRING, "spring"},
    {RIFT_C_STATE_LOGIC_EVENT_DATA, RIFT_EVENT_STATE_LOGIC, "state_logic"},
    {RIFT_C_SYNCED_ANIMATION_EVENT_DATA, RIFT_EVENT_SYNCED, "synced"},
};

const char *rift_event_class_word(rift_event_class kind)
{
    for (size_t i = 0; i < RIFT_COUNT(event_classes); i++) {
        if (event_classes[i].kind == kind)
            return event_classes[i].word;
    }
    return "unknown";
}

static rift_event_class kind_of(uint32_t class_hash)
{
    for (size_t i = 0; i < RIFT_COUNT(event_classes); i++) {
        if (event_classes[i].class_hash == class_hash)
            return event_classes[i].kind;
    }
    return RIFT_EVENT_UNKNOWN;
}

const uint32_t *game_read_hashes(
    const rift_bin_object *object, uint32_t list, uint32_t single, size_t *count, rift_arena *arena)
{
    size_t item_count;
    const rift_bin_value *items = rift_bin_items(object, list, &item_count);
    uint32_t *hashes = RIFT_NEW(arena, uint32_t, item_count + 1);
    *count = 0;
    if (hashes == NULL)
        return NULL;
    const uint32_t one = rift_bin_hash(object, single);
    if (one != 0)
        hashes[(*count)++] = one;
    for (size_t i = 0; i < item_count; i++) {
        const uint32_t hash = rift_bin_value_hash(&items[i]);
        if (hash != 0)
            hashes[(*count)++] = hash;
    }
    return hashes;
}

static void read_event(rift_graph_event *event,
                       uint32_t key,
                       const rift_bin_object *object,
                       rift_arena *arena,
                       rift_report *report)
{
    const uint32_t name = rift_bin_hash(object, RIFT_F_M_NAME);
    *event = (rift_graph_event){
        .kind = kind_of(object->class_hash),
        .class_hash = object->class_hash,
        .name = name != 0 ? name : key,
        .start_frame = (float)rift_bin_number(object, RIFT_F_M_START_FRAME, 0.0),
        .end_frame = (float)rift_bin_number(object, RIFT_F_M_END_FRAME, -1.0),
        .self_only = rift_bin_bool(object, RIFT_F_M_IS_SELF_ONLY, false),
        .fires_early_end = rift_bin_bool(object, RIFT_F_M_FIRE_IF_ANIMATION_ENDS_EARLY, false),
        .object = object,
    };
    if (event->kind == RIFT_EVENT_JOINT_SNAP) {
        float offset[4] = {0};
        event->victim = rift_bin_hash(object, RIFT_F_M_JOINT_NAME_TO_OVERRIDE);
        event->target = rift_bin_hash(object, RIFT_F_M_JOINT_NAME_TO_SNAP_TO);
        (void)rift_bin_vector(object, RIFT_F_OFFSET, offset);
        for (size_t i = 0; i < RIFT_COUNT(event->offset); i++)
            event->offset[i] = offset[i];
    } else if (event->kind == RIFT_EVENT_VISIBILITY) {
        event->show = game_read_hashes(object, RIFT_F_M_SHOW_SUBMESH_LIST, RIFT_F_M_SHOW_SUBMESH,
                                       &event->show_count, arena);
        event->hide = game_read_hashes(object, RIFT_F_M_HIDE_SUBMESH_LIST, RIFT_F_M_HIDE_SUBMESH,
                                       &event->hide_count, arena);
        event->avatar_only = rift_bin_bool(object, RIFT_F_APPLY_ONLY_TO_AVATAR_MESHES, false);
    } else if (event->kind == RIFT_EVENT_UNKNOWN) {
        rift_report_add(report, "event_class_unknown", "0x%08" PRIx32 ": class 0x%08" PRIx32, event->name,
                        event->class_hash);
    }
}

void game_read_events(rift_graph_clip *clip,
                      const rift_bin_object *object,
                      rift_arena *arena,
                      rift_report *report)
{
    size_t count;
    const rift_bin_pair *pairs = rift_bin_pairs(object, RIFT_F_M_EVENT_DATA_MAP, &count);
    clip->events = RIFT_NEW(arena, rift_graph_event, count);
    for (size_t i = 0; i < count && clip->events != NULL; i++) {
        const rift_bin_object *event = rift_bin_value_object(&pairs[i].value);
        uint32_t key = rift_bin_value_hash(&pairs[i].key);
        if (key == 0)
            key = (uint32_t)rift_bin_value_integer(&pairs[i].key, 0);
        if (event == NULL) {
            rift_report_add(report, "event_null", "0x%08" PRIx32 " of 0x%08" PRIx32, key, clip->hash);
        } else {
            read_event(&clip->events[clip->event_count++], key, event, arena, report);
        }
    }
}
