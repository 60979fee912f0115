/* bake_internal.h - one conversion on its way: the job that the files of this folder pass along.
 *
 * Order   skin (game or loose files) -> mesh.c -> clips.c -> materials.c -> extras.c -> gltf. Each step fills its part of the
 *         scene; what lives in the GLB lives in `out`, scratch in `tmp` is rewound per file. */
#ifndef RIFT_BAKE_BAKE_INTERNAL_H
#define RIFT_BAKE_BAKE_INTERNAL_H

#include "anim/anim.h"
#include "anim/layer.h"
#include "anim/snap.h"
#include "bake/bake.h"
#include "gltf/gltf.h"
#include "model/scene.h"
#include "texture/texture.h"

/* own_names.c */
typedef struct bake_own_names {
    rift_map by_hash; /* FNV-1a -> names */
    rift_str *names;
    size_t count;
} bake_own_names;

/* Another look in the same file: a chroma in its parent's, a gear level. */
typedef struct bake_variant {
    rift_str name; /* unique */
    uint32_t number;
    uint32_t form;    /* 0; else 1 + the gear level's place among the forms */
    rift_look *looks; /* by part */
} bake_variant;

typedef struct bake_job {
    const rift_assets *assets;
    const rift_names *names; /* may be NULL */
    rift_options options;
    rift_bake_control *control; /* may be NULL */
    bool raw_textures;          /* for a picture: pixels in place of files */
    bool pose_is_ours;          /* nobody asked for it: rest where its clip cannot be read */
    bool is_sheet;              /* of clips, each in its middle */
    bool *shown; /* for a pose and a sheet, by clip and part: visible at its instant; NULL: as at the start */
    rift_asset_path fallback_texture; /* for parts whose own texture is not there; hash 0: the placeholder */
    bake_own_names own_names;
    rift_names event_names; /* own_names before names; set by bake_learn_names */
    bool of_game;           /* the skin is one of a game's, not put together from loose files */
    rift_skin skin;
    bake_variant *variants; /* scene.variant_count */
    rift_scene scene;
    rift_snap_result snap; /* of all takes; empty where no clip has snaps */
    rift_bake_result *result;
    rift_arena *out;
    rift_arena *tmp;
    rift_err *err;
} bake_job;

/* An empty job over an empty result. */
void bake_begin(bake_job *job, rift_bake_result *result, rift_arena *out, rift_arena *tmp, rift_err *err);
/* The same with the skin of a game loaded. */
RIFT_NODISCARD bool bake_open_skin(bake_job *job,
                                   rift_bake_result *result,
                                   const rift_bake_request *request,
                                   rift_arena *out,
                                   rift_arena *tmp,
                                   rift_err *err);

/* Enters a stage; false when the caller cancelled. */
RIFT_NODISCARD bool bake_enter(bake_job *job, rift_stage stage, int progress);

/* Reads an asset into tmp and notes its use. */
RIFT_NODISCARD bool bake_read(bake_job *job, const rift_asset_path *path, rift_bytes *out, rift_err *err);

/* own_names.c: sets event_names from the scene's joints and parts. */
RIFT_NODISCARD bool bake_learn_names(bake_job *job);

/* mesh.c: skeleton and parts of the scene. What is hidden at the start is left out where the options say so, for a pose or a
 * sheet not yet: what a clip's events show at the instant is visible there. */
RIFT_NODISCARD bool bake_mesh(bake_job *job);
/* Leaves out what is hidden, where the options say so, and reports it. */
void bake_drop_hidden(bake_job *job);

/* gear.c: the own meshes of gear levels, as parts behind the others, with hidden=include. Reports form_mesh_left_out,
 * form_skeleton_differs, form_mesh_unreadable. */
RIFT_NODISCARD bool bake_gear(bake_job *job);
bool bake_has_form_parts(const bake_job *job, size_t form);
/* The skin by which a part looks: that of its form. */
rift_skin bake_part_skin(const bake_job *job, const rift_part *part);
/* True for what says something about one file alone. */
bool bake_is_survivable(rift_status code);

/* Joint snaps of a take. */
typedef struct bake_snaps {
    rift_snap_event *events; /* indices in `resolved` count these */
    size_t event_count;
    rift_snap_windows resolved;
    size_t place; /* among the clips of the bake, for its statistics */
} bake_snaps;

/* events.c: clips and where they lie in an animation. */
typedef struct bake_span {
    const rift_graph_clip *clip;
    rift_event_clock clock;
} bake_span;

/* What a clip is played as: of composite.c. */
typedef struct bake_piece {
    uint32_t clip;        /* atomic, or a parallel one, or a sequencer; graph index */
    uint32_t track, mask; /* of the outermost clip on the way that has one; 0 none */
} bake_piece;

/* One of the clips that a parallel clip plays together. */
typedef struct bake_part {
    bake_piece is;
    uint32_t *pieces; /* takes, played one after another */
    size_t piece_count;
} bake_part;

/* Clips in slots on their way to one animation: of layers.c. */
typedef struct bake_layering {
    bake_job *job;
    rift_timeline timeline; /* masks and commands filled in */
    rift_layer_clip *clips; /* by name, as commands spell it */
    size_t clip_count;
    bake_snaps *snaps; /* by clip, in its own time */
    rift_layers layers;
    rift_layer_baked baked;
} bake_layering;

/* An atomic clip as converted, or a parallel one as its layers give it: the keys that clips are put together from. */
typedef struct bake_take {
    const rift_graph_clip *clip;
    rift_str name;
    bool by_name; /* asked for explicitly (T10) */
    bool ok;      /* converted, and part of an animation; those that are not converted are reported */
    bool additive, composed;
    double fps, stored_duration;
    double trim_start; /* seconds of file time that are cut off in front */
    double trim_end;   /* second of file time at which it ends; -1: that of the file */
    double speed;      /* seconds of the animation for one of file time: 1, or tick * fps (timing=game) */
    bool compressed;
    rift_clip_keys keys;
    rift_str tracks; /* JSON members for extras */
    bake_snaps snaps;
    bake_part *parts; /* of a parallel clip, else NULL */
    size_t part_count;
    bake_span *spans; /* of the parts, from the take's start on */
    size_t span_count;
    const bake_layering *layering; /* of a take that is made of layers, else NULL */
} bake_take;

/* An animation of the file: an atomic clip, or a composite one asked for by name (decisions 12). */
typedef struct bake_clip_work {
    const rift_graph_clip *source;
    rift_str name;    /* written name, not yet unique */
    bool by_name;     /* asked for explicitly */
    uint32_t *pieces; /* indices into the takes, played one after another; one for all but sequencers */
    size_t piece_count;
} bake_clip_work;

typedef struct bake_clip_list {
    bake_clip_work *works; /* in clip-map order (G36) */
    size_t work_count;
    bake_take *takes; /* what works and parts play, each clip once, in clip-map order */
    size_t take_count;
    struct bake_layered *layered; /* the last work and take, where options.timeline asks for them */
} bake_clip_list;

/* clips.c: the animations of the scene. */
RIFT_NODISCARD bool bake_clips(bake_job *job);
/* One take by itself, from its clip and name; an additive one composed over the rest pose or not. Scratch is left in tmp. */
RIFT_NODISCARD bool bake_convert_take(bake_job *job, bake_take *take, bool composed, rift_err *err);
/* The channels of takes played one after another; *fits is false for what is too long, which is reported. Takes that are too
 * short are reported and taken off the list. */
RIFT_NODISCARD bool bake_play(bake_job *job,
                              const bake_take *takes,
                              rift_str name,
                              uint32_t *pieces,
                              size_t *piece_count,
                              rift_clip_keys *out,
                              bool *fits,
                              rift_err *err);
/* Takes off the list what could not be converted; with `report` each is told as missing in `name`. */
void bake_drop_failed(
    bake_job *job, const bake_take *takes, rift_str name, uint32_t *pieces, size_t *piece_count, bool report);

/* layers.c: the animation that options.timeline asks for, as a work and a take behind the others; its snaps are windows like
 * those of any take (L39). The lists have room for one more. */
RIFT_NODISCARD bool bake_layers(bake_job *job, bake_clip_list *list);
/* JSON members of its extras (L30). */
rift_str bake_layer_extras(bake_job *job, const bake_clip_list *list);
bool bake_is_layered(const bake_clip_list *list, const bake_clip_work *work);
/* Reads a take's file into tmp and fills all of the take but keys and snaps. Errors as those of reading, and FORMAT when no
 * track is a joint's; the scene has a skeleton. `composed`: an additive clip is put over the rest pose (G49). */
RIFT_NODISCARD bool bake_open_take(
    bake_job *job, bake_take *take, bool composed, rift_anm *anm, rift_track_map *map, rift_err *err);
/* `layers` of extras: timeline, masks, warnings, keys, error. */
void bake_put_layering(rift_json *j, const bake_layering *l);
/* A take from clips in slots: warnings are reported; keys, length and snap windows are set. The layering stays the take's. */
RIFT_NODISCARD bool bake_layering_take(bake_layering *l, bake_take *take, rift_err *err);
/* A command's mask from that of the graph, 0 none, added to the timeline's; one that the graph has not stays unknown. */
/* A mask "game:<name or 0xhash>" gets the weights of the skin's graph; one that it has not stays NAMED. */
RIFT_NODISCARD bool bake_game_mask(bake_job *job, rift_layer_mask *mask, rift_err *err);
RIFT_NODISCARD bool bake_layering_mask(bake_layering *l, uint32_t hash, rift_layer_command *c, rift_err *err);

/* parallel.c: keys of the parallel takes, from those of the others (decisions 12, L40): the parts in ascending priority of
 * their tracks, at their blend weight and mode, through their masks; parts that loop do so until the longest ends. Reports
 * unknown_blend_mode, composite_piece_missing, clip_skipped. What only parts play is no animation, and is `ok` no more. */
#define BAKE_MAX_PART_SPANS 1024 /* passes of looping parts whose events are told one by one */
#define BAKE_MAX_PARTS 1024      /* of all parallel clips of a file, about */
RIFT_NODISCARD bool bake_parallels(bake_job *job, bake_clip_list *list);
/* True when the clip's track holds differences (G49). */
bool bake_clip_is_additive(const rift_graph *graph, const rift_graph_clip *clip);

/* select.c: the works that `clips` asks for, and their takes, still to be converted. Names, globs and kinds look at clips of
 * every class; of composite ones those are written that are asked for by name, and those of an item that matches no
 * atomic clip (decisions 11, 12). For a pose it is the first clip of that very name; ARGUMENT when there is none. Reports
 * clips_unmatched, and what bake_resolve reports. */
RIFT_NODISCARD bool bake_select_clips(bake_job *job, bake_clip_list *out);
/* True when the clip is asked for by `clips`; *by_name: by its very name, not by a glob, a kind or "*". */
bool bake_clip_selected(rift_str clips, rift_str name, rift_str stem, bool *by_name);

/* pose.c: with pose=<clip>@<seconds> the parts are skinned as the scene's one clip says, and skeleton and clips go.
 * Reports pose_without_skeleton. */
bool bake_wants_pose(const bake_job *job);
RIFT_NODISCARD bool bake_pose(bake_job *job);
/* Marks `parts`, the scene's or copies of them, by job->shown of a clip; as they are without it. */
void bake_show_clip(const bake_job *job, rift_part *parts, size_t clip);
/* Skins `parts`, the scene's or copies of them with arrays of their own, in place, as the clip says at t (its end when that is
 * later; NULL: the rest pose). */
RIFT_NODISCARD bool bake_skin_parts(bake_job *job, const rift_part *parts, const rift_clip *clip, double t);

/* composite.c: what is played for a clip, in job->out: the children of clips of the class `opened` (sequencers: one after
 * another; parallel clips: together) and of theirs. Clips of the other of the two classes are pieces as atomic ones are;
 * all other classes stand for their representative child. Reports composite_child_missing, composite_cycle. Errors:
 * NOT_FOUND (nothing is left to play), LIMIT. */
#define RIFT_COMPOSITE_MAX_PIECES 64
#define RIFT_COMPOSITE_MAX_LENGTH 600.0 /* seconds */
RIFT_NODISCARD bool bake_resolve(bake_job *job,
                                 uint32_t clip,
                                 rift_clip_class opened,
                                 bake_piece **pieces,
                                 size_t *piece_count,
                                 rift_err *err);

/* variants.c: with chromas=variants the looks of the skin's chromas and of gear levels that have the skin's mesh, and the
 * scene's list of variants; behind the parts. Reports form_look_left_out (without that option), no_chromas, variant_unreadable, variant_mesh_differs, variant_skeleton_differs (these are left out),
 * variant_clips_differ, variant_hidden_differs. */
RIFT_NODISCARD bool bake_open_variants(bake_job *job);
/* materials.c: textures and materials of the scene, and the parts' indices into them. */
RIFT_NODISCARD bool bake_materials(bake_job *job);
/* `tried` of a look, where anything was. */
void bake_put_tries(rift_json *j, const rift_look *look);

/* coverage.c: alpha of the texels that a part's triangles cover (decisions 24). */
RIFT_NODISCARD bool bake_coverage(
    rift_alpha_stats *out, const rift_part *part, const rift_pixels *pixels, rift_arena *tmp, rift_err *err);

/* extras.c: JSON members for extras.riftbake (decisions 28). Empty when the arena failed. */
void bake_members_begin(rift_json *j, rift_buf *buf, rift_arena *arena);
rift_str bake_members_end(rift_json *j, const rift_buf *buf);
rift_str bake_clip_extras(bake_job *job, const bake_clip_list *list, const bake_clip_work *work);
/* Which parts the events of a work show at second t, as bake_visible_at. */
void bake_work_visible_at(
    bool *shown, bake_job *job, const bake_clip_list *list, const bake_clip_work *work, double t);
/* The spans of a take that begins at `begin` and is cut at `end`, at most `room` of them; returns how many. */
size_t bake_spans_of(bake_span *spans, size_t room, const bake_take *take, double begin, double end);
rift_str bake_track_extras(bake_job *job, const rift_anm *anm, const rift_track_map *map);
rift_str bake_asset_extras(bake_job *job);
/* `sockets` and `pose_modifiers` of the skin, where it has any. */
void bake_put_rig(rift_json *j, bake_job *job);
/* The clip's fields that extras and metadata share: file, tick, loop, track, mask. */
void bake_clip_fields(rift_json *j,
                      const rift_graph *graph,
                      const rift_graph_clip *clip,
                      rift_arena *scratch);
/* children: name (of those that are there), hash, value, and missing. */
void bake_clip_children(rift_json *j, bake_job *job, const rift_graph_clip *clip);

/* events.c.
 * events[]: each event with its frames and its seconds; with more than one span the clip it is of. Nothing without events. */
void bake_put_events(rift_json *j, bake_job *job, const bake_span *spans, size_t span_count);
/* visibility[]: states of the written parts that the visibility events name, each with the second from which it holds:
 * t, show[], hide[] (every such part is in one of them). Before the first event the parts are as the skin has them at the
 * start; an event hides, then shows, and is undone at its end; those for avatar meshes alone do not
 * count. Nothing without such events. Reports visibility_over_limit. */
#define BAKE_MAX_VISIBILITY_WORK 4000000u /* events times changes */
void bake_put_visibility(rift_json *j, bake_job *job, const bake_span *spans, size_t span_count);
/* Which parts such events show at second t; shown[scene.part_count]. A failure shows in job->tmp. */
void bake_visible_at(bool *shown, bake_job *job, const bake_span *spans, size_t span_count, double t);

/* forms.c: which written parts show. Parts are set by their names' hashes; those of one name share the state of the first. */
typedef struct bake_states {
    const rift_scene *scene;
    rift_map part_of; /* form and hash of a name -> the first written part of that name */
    uint32_t *first;  /* by part: the first one of its name */
    bool *touched;    /* by part: some state concerns it */
    bool *shown;      /* by part: in the state at hand */
} bake_states;
/* In job->tmp; false when it failed. */
bool bake_states_open(bake_states *s, const bake_job *job);
void bake_states_start(const bake_states *s); /* as the skin has the parts at the start */
/* Sets `flags` (touched or shown) of the parts that a list names: those of the skin's mesh (form 0), or of a form's. */
void bake_states_set(
    const bake_states *s, bool *flags, uint32_t form, const uint32_t *hashes, size_t count, bool value);
/* show[] and hide[]: the touched parts. */
void bake_states_put(rift_json *j, const bake_states *s);

/* forms.c: forms[], when the skin has any: first "start", then each form of the skin with kind ("gear", "condition"), index,
 * hash, when, animation; show[] and hide[] name the written parts that any form concerns, each in one of them; mesh,
 * texture, overrides[] where a gear level has its own, `variant` where the file has its looks, left_out where its mesh is not
 * in the file, and its state then that of the start. */
void bake_put_forms(rift_json *j, const bake_job *job);

/* snaps.c: the windows of a take whose keys are made. All events are dropped where the options say so (S24). */
RIFT_NODISCARD bool bake_find_snaps(bake_job *job, bake_take *take, rift_err *err);
/* Bakes the snaps of all takes. Where a clip has any, what no take moves is dropped first (G43), the takes get channel
 * lists of their own, and the scene's skeleton is replaced by one with other parents. */
RIFT_NODISCARD bool bake_snap_takes(bake_job *job, bake_clip_list *list);
/* `snaps` and `dropped_snaps` of a take, `reparented` of the file (S23). */
void bake_put_snaps(rift_json *j, bake_job *job, const bake_take *take);
void bake_put_reparented(rift_json *j, const bake_job *job);

/* bake.c: everything behind the skin. */
RIFT_NODISCARD bool bake_skin(bake_job *job);

#endif
