/* graph.h - the animation graph: clips of every class, their events, tracks and masks, as data.
 *
 * Shape   clips in map order (first of equal keys; null pointers are left out). Children are indices into
 *         clips, or RIFT_GRAPH_MISSING where no clip has the name. A child that leads back to its own parent
 *         is cut: it becomes missing (B041), so children never form a cycle; but one clip may be the child of
 *         many, and chains may be as long as the graph, so whoever walks them needs a limit.
 * Names   the name table, then candidates whose hash must match: a list of common names, then every .anm's
 *         file name with and without the champion and the skin before it. Else empty (decisions 17 gives the
 *         written name).
 * Units   frames of the .anm file for event times (decisions 1). Times that are not finite count as absent.
 * Reports clip_null, clip_class_unknown, clip_child_missing, clip_cycle, event_null, event_class_unknown.
 * Source  formats/animgraph.md; the single forms of the two submesh lists: bug log B049. */
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
    RIFT_CLIP_UNKNOWN /* no fields but the common ones are read */
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
    const uint32_t *show,
        *hide; /* FNV-1a of submesh names, none 0; single fields and lists together (B049) */
    size_t show_count, hide_count;
    bool avatar_only; /* ApplyOnlyToAvatarMeshes */
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
    float *child_values; /* probability, value; condition: 1 true, 0 false; 0 where the class has none */
    size_t child_count;
    /* decisions 12: index of the child that stands for it, or RIFT_GRAPH_MISSING. Of the children that are
     * there: the most probable (selector); the value nearest 0 (parametric, float condition, switch); the
     * branch for standing still (IsMoving: false) and else the true branch (bool condition); the default,
     * which stands first (event selector); the first (all others). Ties: the first. */
    uint32_t representative;
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

/* Reads an AnimationGraphData object. `champion` (alias, may be empty) helps to guess names; `names` and
 * `report` may be NULL. The object must outlive the graph. Fails only with the arena. */
RIFT_NODISCARD bool rift_graph_read(rift_graph *out,
                                    const rift_bin_object *object,
                                    rift_str champion,
                                    const rift_names *names,
                                    rift_arena *arena,
                                    rift_report *report,
                                    rift_err *err);

const rift_graph_track *rift_graph_track_of(const rift_graph *graph, uint32_t hash); /* NULL when absent */
const rift_graph_mask *rift_graph_mask_of(const rift_graph *graph, uint32_t hash);   /* NULL when absent */
/* The index of the clip with this name hash, or RIFT_GRAPH_MISSING. */
uint32_t rift_graph_clip_index(const rift_graph *graph, uint32_t hash);
/* The atomic clip that stands for a clip, following representatives; itself when atomic; RIFT_GRAPH_MISSING
 * without. */
uint32_t rift_graph_atomic_of(const rift_graph *graph, uint32_t index);
/* The written name of a clip: resolved name, else the stem without champion and skin prefix, else 0x%08x
 * (G36, decisions 17). In arena. */
rift_str rift_graph_clip_name(const rift_graph_clip *clip,
                              rift_str champion,
                              const rift_names *names,
                              rift_arena *arena);
/* "idle", "run", "attack", … of decisions 11, from the clip's written name: the first of its words that
 * begins so (a word starts behind anything but a letter, and at a capital behind a small letter). "crit" is
 * an attack. "other" when none does. */
const char *rift_clip_kind_word(rift_str name);
const char *rift_clip_class_word(rift_clip_class kind);   /* "atomic", "selector" … */
const char *rift_event_class_word(rift_event_class kind); /* "joint_snap", "visibility", "sound" … */
/* Where a clip's frames lie in an animation (decisions 1). */
typedef struct rift_event_clock {
    double fps;    /* of the file, above 0 */
    double cut;    /* seconds of file time in front that are not played */
    double speed;  /* seconds of the animation for one of file time */
    double begin;  /* seconds of the animation at which the clip begins */
    double length; /* seconds of the animation that the clip lasts */
    rift_str clip; /* written as `clip` where an animation is made of several; may be empty */
} rift_event_clock;

/* Seconds of the animation at which the event begins: not before the clip; HUGE_VAL for one behind the clip's end,
 * which never fires. */
double rift_event_begin(const rift_graph_event *event, const rift_event_clock *clock);
/* Seconds at which it ends; HUGE_VAL where it has no end of its own (none, or one before its start). */
double rift_event_end(const rift_graph_event *event, const rift_event_clock *clock);

/* One event as a JSON object: class, name, start, end (frames as stored; end null: none), with a clock t and
 * t_end (seconds of the animation, null: never, none), and the class's own fields by name, defaults filled in;
 * hashes resolved where names know them, else "0x…". Unknown classes: class_hash, and `fields` as they stand in
 * the bin, nested at most four deep. `clock` may be NULL. */
void rift_graph_event_json(rift_json *j,
                           const rift_graph_event *event,
                           const rift_event_clock *clock,
                           const rift_names *names,
                           rift_arena *scratch);

#endif
