/* layer.h - clips in slots: masks, commands, the pose at an instant, and its bake into one animation.
 *
 * Shape   a timeline of commands over eight slots; each slot holds a clip, its time, weight, mask and mode, and the slots are
 *         folded over the rest pose in ascending order (L10-L17). Commands name clips; the caller gives the clips.
 * Units   seconds, u, quaternions (x, y, z, w); local transforms in the original hierarchy, double precision. Instants
 *         closer than RIFT_LAYER_INSTANT are the same instant.
 * Order   build (masks, schedule, warnings) -> pose, events or bake.
 * Choices that layering.md leaves open: a command behind the end is "command_after_end:<op>"; a mask that nobody knows makes
 *         its command do nothing, "unknown_mask:<name>", as an unknown clip does; a fade to 0 from weight 0 empties the
 *         slot at once (L25); additive_full_pose (L41) looks at the clip's pose at 0, over the joints that mask and clip
 *         have in common.
 * Source  layering.md L1-L43. */
#ifndef RIFT_ANIM_LAYER_H
#define RIFT_ANIM_LAYER_H

#include "anim/anim.h"

struct rift_json;

#define RIFT_LAYER_SLOTS 8
#define RIFT_LAYER_INSTANT 1e-6
#define RIFT_LAYER_NONE UINT32_MAX

/* L38. Instants are the candidates of L31, each a possible key of every moving component. */
#define RIFT_LAYER_MAX_COMMANDS 10000
#define RIFT_LAYER_MAX_SECONDS 600.0
#define RIFT_LAYER_MAX_KEYS 2000000
#define RIFT_LAYER_MAX_INSTANTS 250000
#define RIFT_LAYER_MAX_WINDOWS 2000 /* of events */
#define RIFT_LAYER_MAX_FPS 240.0
#define RIFT_LAYER_FPS 30.0 /* default (L31) */

/* --- what is asked for ----------------------------------------------------------------------------------------- */

typedef enum rift_layer_op {
    RIFT_LAYER_PLAY,
    RIFT_LAYER_PLAY_MASKED,
    RIFT_LAYER_PLAY_ADDITIVE,
    RIFT_LAYER_STOP,
    RIFT_LAYER_SET_MASK,
    RIFT_LAYER_SET_WEIGHT,
    RIFT_LAYER_FADE,
    RIFT_LAYER_SET_MODE
} rift_layer_op;

typedef enum rift_layer_mode { RIFT_LAYER_REPLACE, RIFT_LAYER_ADDITIVE } rift_layer_mode;
typedef enum rift_layer_base { RIFT_LAYER_BIND, RIFT_LAYER_IDENTITY } rift_layer_base;

/* Words of requests: "play_masked", "additive", "identity". */
const char *rift_layer_op_word(rift_layer_op op);
const char *rift_layer_mode_word(rift_layer_mode mode);
const char *rift_layer_base_word(rift_layer_base base);

typedef enum rift_layer_mask_kind {
    RIFT_LAYER_MASK_NAMES,   /* L3-L6 */
    RIFT_LAYER_MASK_WEIGHTS, /* L8 */
    RIFT_LAYER_MASK_NAMED    /* a name that the caller is to turn into one of the others; "game:Upper" */
} rift_layer_mask_kind;

typedef struct rift_layer_mask {
    rift_layer_mask_kind kind;
    rift_str name;     /* as asked for; may be empty for masks in place */
    bool is_reference; /* written as its name, whatever it has become */
    const rift_str *include, *exclude;
    size_t include_count, exclude_count;
    bool self_only;
    const double *weights; /* by joint id */
    size_t weight_count;
} rift_layer_mask;

typedef struct rift_layer_command {
    double at;
    rift_layer_op op;
    int32_t slot;
    rift_str clip;
    uint32_t mask; /* index into the timeline's, or RIFT_LAYER_NONE */
    bool loop, has_start;
    double speed, weight, start, seconds;
    rift_layer_mode mode; /* of set_mode */
    rift_layer_base base; /* of play_additive */
} rift_layer_command;

typedef struct rift_layer_auto {
    rift_str clip;
    bool has_mode; /* mode and base are stated, whatever the track says */
    rift_layer_mode mode;
    rift_layer_base base;
} rift_layer_auto;

typedef struct rift_timeline {
    rift_str name;
    double duration; /* HUGE_VAL: none, which a bake refuses; 0 with is_auto: the longest clip */
    double fps;      /* of the grid (L31) */
    bool loop;       /* of the result (L37) */
    rift_layer_command *commands;
    size_t command_count;
    rift_layer_mask *masks;
    size_t mask_count;
    bool
        is_auto; /* commands follow from the graph's tracks (L40): auto_clips, or those the request selects */
    rift_layer_auto *auto_clips;
    size_t auto_count;
} rift_timeline;

/* L28: by time, stably; what is closer than an instant keeps the order of the list. The order of equal timelines is then equal.
 * False when the arena failed. */
RIFT_NODISCARD bool rift_timeline_sort(rift_timeline *timeline, rift_arena *arena);

/* One JSON object; what has its default is left out. */
void rift_timeline_json(struct rift_json *j, const rift_timeline *timeline);

/* --- clips ------------------------------------------------------------------------------------------------------ */

/* Keys of one component: a channel as it will be written, or double precision keys that are read linearly. */
typedef struct rift_layer_curve {
    size_t key_count; /* 0: the clip does not drive the component (L17) */
    const rift_channel *channel;
    const double *times;  /* without a channel */
    const double *values; /* 3 or 4 a key */
} rift_layer_curve;

typedef struct rift_layer_clip {
    rift_str name;                  /* as commands spell it */
    uint32_t id;                    /* equal ids are one clip, whatever they were called (L18) */
    double length;                  /* seconds (L19) */
    bool is_missing;                /* commands that name it do nothing: unknown_clip */
    const rift_layer_curve *curves; /* 3 per joint, by rift_component */
    const rift_layer_curve
        *deltas; /* the same as differences from identity, for base identity; NULL: curves */
} rift_layer_clip;

/* Curves of a clip from its channels, before rift_clips_finish drops any. NULL when the arena failed. */
rift_layer_curve *
rift_layer_curves(const rift_clip_keys *keys, const rift_skeleton *skeleton, rift_arena *arena);

/* --- the schedule ------------------------------------------------------------------------------------------------ */

typedef struct rift_layer_warning {
    const char *code; /* a literal */
    rift_str detail;  /* "slot_empty:fade" is code slot_empty, detail fade; may be empty */
} rift_layer_warning;

typedef struct rift_layer_warnings {
    rift_layer_warning *items;
    size_t count, capacity;
} rift_layer_warnings;

/* "code" or "code:detail". */
rift_str rift_layer_warning_text(const rift_layer_warning *warning, rift_arena *arena);

/* What a slot holds between two commands. */
typedef struct rift_layer_span {
    double from, to;  /* `to` may be HUGE_VAL */
    bool to_included; /* the end of a one-shot still shows (L22) */
    uint32_t clip;    /* index */
    bool loop;
    double speed;
    double start_at, start;                         /* local time `start` at the instant start_at */
    double weight, fade_weight, fade_from, fade_to; /* fade_to == fade_from: no fade */
    uint32_t mask;                                  /* index, or RIFT_LAYER_NONE */
    rift_layer_mode mode;
    rift_layer_base base;
} rift_layer_span;

typedef struct rift_layers {
    const rift_skeleton *skeleton;
    const rift_timeline *timeline;
    const rift_layer_clip *clips;
    size_t clip_count;
    double **mask_weights;                    /* by mask, then joint (L7); NULL for an unknown one */
    rift_layer_warnings *mask_warnings;       /* by mask */
    rift_layer_span *spans[RIFT_LAYER_SLOTS]; /* by time, not overlapping */
    size_t span_count[RIFT_LAYER_SLOTS];
    rift_layer_warnings warnings; /* of the commands, in order */
    double *instants;             /* of the commands, rising */
    size_t instant_count;
    double *jumps; /* those at which the pose may jump to a new value (L32), rising */
    size_t jump_count;
} rift_layers;

/* L3-L8: m(j) of every joint. Warnings in order: unknown names of include, then of exclude, once each; mask_empty, mask_short,
 * mask_long. NULL when the arena failed. */
double *rift_layer_mask_resolve(const rift_layer_mask *mask,
                                const rift_skeleton *skeleton,
                                rift_layer_warnings *warnings,
                                rift_arena *arena);

/* Masks of kind NAMED are unknown by now. Everything given must outlive *out. Errors: ARGUMENT (a number that L23 and L29 call
 * invalid; `where` is "commands[N].field"), LIMIT, NOMEM. */
RIFT_NODISCARD bool rift_layers_build(rift_layers *out,
                                      const rift_skeleton *skeleton,
                                      const rift_layer_clip *clips,
                                      size_t clip_count,
                                      const rift_timeline *timeline,
                                      rift_arena *arena,
                                      rift_err *err);

/* --- the pose at an instant -------------------------------------------------------------------------------------- */

typedef struct rift_layer_slot {
    bool occupied;
    const rift_layer_span *span;
    double local_time;
    double weight;
} rift_layer_slot;

typedef struct rift_layer_state {
    rift_layer_slot slots[RIFT_LAYER_SLOTS];
} rift_layer_state;

void rift_layers_at(rift_layer_state *out, const rift_layers *layers, double t);

#define RIFT_LAYER_TOUCHES(component) (1u << (component))

/* Local pose of a joint. Returns the components that some slot drives, as RIFT_LAYER_TOUCHES bits. */
unsigned
rift_layers_joint(rift_trs *out, const rift_layers *layers, const rift_layer_state *state, uint32_t joint);
/* w * m of a slot for a joint. */
double rift_layers_weight(const rift_layers *layers, const rift_layer_slot *slot, uint32_t joint);

/* --- events on the layered pose ---------------------------------------------------------------------------------- */

/* An event of a clip that holds in a window of the clip's own time. */
typedef struct rift_layer_event {
    uint32_t clip; /* id */
    uint32_t victim;
    double from, to; /* closed */
} rift_layer_event;

typedef struct rift_layer_window {
    uint32_t event; /* index */
    unsigned slot;
    double from, to; /* of the timeline, closed */
} rift_layer_window;

/* L39, S26: when which event holds on the layered pose, as windows in the timeline's seconds: slot active, local time in the
 * window, w * m(victim) >= 0.5, highest slot; of one slot's events the one that begins latest, then the last (S9). Windows of
 * one victim do not overlap but for shared ends; they are sorted by victim, then time. Windows of one event that touch are
 * one. Errors: ARGUMENT (no duration), LIMIT (instants, windows), NOMEM. */
RIFT_NODISCARD bool rift_layers_windows(rift_layer_window **out,
                                        size_t *out_count,
                                        const rift_layers *layers,
                                        const rift_layer_event *events,
                                        size_t event_count,
                                        rift_arena *arena,
                                        rift_err *err);

/* --- the bake ---------------------------------------------------------------------------------------------------- */

typedef struct rift_layer_baked {
    rift_clip_keys keys;
    size_t key_count;
    double error_translation, error_rotation_rad, error_scale; /* largest at candidates and quarter points */
    bool loop_seam; /* a loop was asked for, and the ends differ by more than L33 (L37) */
} rift_layer_baked;

/* Polled between components; false ends the bake with CANCELLED. */
typedef bool rift_layer_go_on_fn(void *user);

/* L30-L38. Memory: the result in out_arena; `tmp` is rewound. Errors: ARGUMENT (no duration), LIMIT (seconds, instants, keys: the
 * limit is named), CANCELLED, NOMEM. */
RIFT_NODISCARD bool rift_layers_bake(rift_layer_baked *out,
                                     const rift_layers *layers,
                                     rift_layer_go_on_fn *go_on, /* may be NULL */
                                     void *user,
                                     rift_arena *out_arena,
                                     rift_arena *tmp,
                                     rift_err *err);

#endif
