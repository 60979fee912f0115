/* graph.h - the animation graph: clips of every class, their events, tracks and masks, as data.
 *
 * Shape   clips in map order (first of equal keys). Children are indices into clips, or RIFT_GRAPH_MISSING. Names are resolved: name table, then candidates made of the .anm's
 *         file name, else empty (decisions 17 gives the written name).
 * Units   frames of the .anm file for event times (decisions 1).
 * Source  formats/animgraph.md. */
#ifndef RIFT_GAME_GRAPH_H
#define RIFT_GAME_GRAPH_H

#include "base/json.h"
#include "game/assets.h"
#include "hash/names.h"

#define RIFT_GRAPH_MISSING UINT32_MAX

typedef enum rift_clip_class {
    RIFT_CLIP_ATOMIC,
    RIFT_CLIP_PARAMETRIC,
    RIFT_CLIP_SELECTOR,
    RIFT_CLIP_SEQUENCER,
    RIFT_CLIP_PARALLEL,
    RIFT_CLIP_CONDITION_BOOL,
    RIFT_CLIP_CONDITION_FLOAT,
    RIFT_CLIP_EVENT_SELECTOR,
    RIFT_CLIP_SWITCH_INT,
    RIFT_CLIP_STATE,
    RIFT_CLIP_UNKNOWN
} rift_clip_class;

typedef enum rift_event_class {
    RIFT_EVENT_JOINT_SNAP,
    RIFT_EVENT_VISIBILITY,
    RIFT_EVENT_PARTICLE,
    RIFT_EVENT_SOUND,
    RIFT_EVENT_CONFORM,
    RIFT_EVENT_FADE,
    RIFT_EVENT_FACE_TARGET,
    RIFT_EVENT_IDLE_PARTICLES,
    RIFT_EVENT_STOP,
    RIFT_EVENT_LOOK_AT,
    RIFT_EVENT_LOCK_ROOT,
    RIFT_EVENT_ORIENTATION,
    RIFT_EVENT_SPRING,
    RIFT_EVENT_STATE_LOGIC,
    RIFT_EVENT_SYNCED,
    RIFT_EVENT_UNKNOWN
} rift_event_class;

typedef struct rift_graph_event {
    rift_event_class kind;
    uint32_t class_hash;
    uint32_t name;     /* mName, or the map key */
    float start_frame; /* as stored, default 0 */
    float end_frame;   /* as stored, default -1 */
    bool self_only;
    bool fires_early_end;
    /* JOINT_SNAP */
    uint32_t victim, target; /* FNV-1a of the joint's name (a string field is hashed); 0 names none */
    float offset[3];
    /* VISIBILITY */
    const uint32_t *show, *hide; /* FNV-1a of submesh names */
    size_t show_count, hide_count;
    /* all other classes: the object itself, for writers of extras and metadata */
    const rift_bin_object *object;
} rift_graph_event;

typedef struct rift_graph_clip {
    uint32_t hash; /* map key: FNV-1a of its name */
    rift_str name; /* resolved, or empty */
    rift_clip_class kind;
    uint32_t class_hash;
    uint32_t flags;
    /* blendable classes */
    uint32_t mask, track, sync_group; /* names' hashes; 0 none */
    rift_graph_event *events;
    size_t event_count;
    /* atomic */
    rift_asset_path file;         /* the .anm */
    float tick;                   /* mTickDuration, default 1/30 */
    float start_frame, end_frame; /* defaults 0, -1 */
    /* composite: children in file order */
    uint32_t *children; /* indices into clips, or RIFT_GRAPH_MISSING */
    uint32_t *child_hashes;
    float *child_values; /* probability, value; 0 where the class has none */
    size_t child_count;
    uint32_t representative; /* decisions 12: index of the child that stands for it, or RIFT_GRAPH_MISSING */
} rift_graph_clip;

typedef struct rift_graph_track {
    uint32_t hash;
    rift_str name; /* resolved or empty */
    uint8_t priority;
    uint8_t blend_mode; /* 0 replace, 1 additive, 2 multi-additive */
    float blend_weight;
} rift_graph_track;

typedef struct rift_graph_mask {
    uint32_t hash;
    rift_str name;
    float *weights; /* by joint id */
    size_t weight_count;
} rift_graph_mask;

typedef struct rift_graph {
    rift_graph_clip *clips;
    size_t clip_count;
    rift_graph_track *tracks;
    size_t track_count;
    rift_graph_mask *masks;
    size_t mask_count;
} rift_graph;

/* Reads an AnimationGraphData object. `champion` (alias, may be empty) helps to guess names. The object must outlive the graph. */
RIFT_NODISCARD bool rift_graph_read(rift_graph *out,
                                    const rift_bin_object *object,
                                    rift_str champion,
                                    const rift_names *names,
                                    rift_arena *arena,
                                    rift_report *report,
                                    rift_err *err);

const rift_graph_track *rift_graph_track_of(const rift_graph *graph, uint32_t hash); /* NULL when absent */
/* The written name of a clip: resolved name, else the stem without champion and skin prefix, else 0x%08x (G36, decisions 17). In arena. */
rift_str rift_graph_clip_name(const rift_graph_clip *clip,
                              rift_str champion,
                              const rift_names *names,
                              rift_arena *arena);
/* "idle", "run", "attack", … of decisions 11, from the clip's written name. */
const char *rift_clip_kind_word(rift_str name);
const char *rift_clip_class_word(rift_clip_class kind);   /* "atomic", "selector" … */
const char *rift_event_class_word(rift_event_class kind); /* "joint_snap", "visibility", "sound" … */
/* One event as a JSON object: class, name, frames and the class's own fields by name; hashes resolved where names know them. */
void rift_graph_event_json(rift_json *j,
                           const rift_graph_event *event,
                           const rift_names *names,
                           rift_arena *scratch);

#endif
