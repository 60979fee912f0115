/* bake.h - the one entry point: request + source + options -> GLB + report + dependency list.
 *
 * Purity  same source bytes, same options, same version: same GLB bytes. No clock, path, host or locale enters.
 * Memory  two arenas of the caller: `out` holds the result, `tmp` is scratch and may be released after the call.
 * Errors  as the failing stage gave them; `stage` of the result says where. One bad clip or texture never loses the skin: it is reported.
 * Thread  any; one caller per arena pair; `game` is shared read-only. */
#ifndef RIFT_BAKE_BAKE_H
#define RIFT_BAKE_BAKE_H

#include <stdatomic.h>

#include "bake/options.h"
#include "game/skin.h"
#include "hash/hash.h"
#include "render/render.h"

#define RIFT_VERSION "0.1.0"

/* Where a conversion stands; also the `stage` of an error (A5). */
typedef enum rift_stage {
    RIFT_STAGE_LOOKUP,
    RIFT_STAGE_WAD,
    RIFT_STAGE_BIN,
    RIFT_STAGE_MESH,
    RIFT_STAGE_SKELETON,
    RIFT_STAGE_CLIP,
    RIFT_STAGE_TEXTURE,
    RIFT_STAGE_WRITE
} rift_stage;
#define RIFT_STAGE_COUNT 8
const char *rift_stage_word(rift_stage stage); /* "lookup" … */

/* Watched and steered from another thread. */
typedef struct rift_bake_control {
    atomic_bool cancel;  /* set by the caller: the bake ends with CANCELLED at the next file, mesh or clip */
    atomic_int stage;    /* rift_stage */
    atomic_int progress; /* 0..100 */
    void (*entered)(void *user,
                    rift_stage stage); /* may be NULL; on the bake's thread, whenever a stage begins */
    void *user;
} rift_bake_control;

/* What a part wears and why: members of a JSON object, those of its material's extras in the GLB (schema/extras.schema.json). */
typedef struct rift_bake_look {
    rift_str part;
    rift_str members;
} rift_bake_look;

typedef struct rift_bake_result {
    rift_bytes glb;
    rift_report report;
    rift_asset_log uses; /* the dependency record */
    rift_stage stage;    /* the last one entered */
    size_t clip_count, part_count, texture_count, joint_count;
    const rift_bake_look *looks; /* of each part, in the GLB's order */
    size_t look_count;           /* 0 when the file has no materials, or the bake did not get there */
    uint64_t
        gpu_bytes; /* estimate of what the file takes on the GPU: textures as RGBA with mipmaps, and geometry */
} rift_bake_result;

/* "stage", "counts" {…}, "parts" […] where there are any, and "report" […] as members of the open object: one shape for the daemon and the command line. */
void rift_bake_result_json(rift_json *j, const rift_bake_result *result);
/* "code" (lower case), "stage", "detail", and "file", "where", "offset" where they are known. */
void rift_bake_failure_json(rift_json *j, const rift_bake_result *result, const rift_err *failure);

typedef struct rift_bake_request {
    const rift_skin_ref *skin;
    const rift_assets *assets;
    const rift_names *names; /* may be NULL */
    const rift_game *game;   /* what `assets` reads from; may be NULL: metadata does without archives, then */
    rift_options options;
    rift_bake_control *control; /* may be NULL */
} rift_bake_request;

/* *result is filled as far as it got also on failure (report, uses, stage); glb is empty then. */
RIFT_NODISCARD bool rift_bake(rift_bake_result *result,
                              const rift_bake_request *request,
                              rift_arena *out,
                              rift_arena *tmp,
                              rift_err *err);

/* Loose files without a game folder. */
typedef struct rift_loose_file {
    rift_str name; /* base name with extension */
    rift_bytes data;
} rift_loose_file;

typedef struct rift_convert_request {
    rift_loose_file skn;
    rift_loose_file skl;         /* data empty: static mesh */
    const rift_loose_file *anms; /* in the order of the result */
    size_t anm_count;
    const rift_loose_file *textures; /* for a part ("Body") or, with an empty part, for all */
    const rift_str *texture_parts;   /* texture_count names, may be empty */
    size_t texture_count;
    rift_loose_file bin; /* optional skin bin with merged graph: names, events, textures by base name */
    const rift_names *names;
    rift_options options;
    rift_bake_control *control;
} rift_convert_request;

RIFT_NODISCARD bool rift_convert(rift_bake_result *result,
                                 const rift_convert_request *request,
                                 rift_arena *out,
                                 rift_arena *tmp,
                                 rift_err *err);

/* Hash of (skin, options, converter version, sorted uses): equal fingerprints mean equal GLBs. `skin` is "alias/number". */
RIFT_NODISCARD bool rift_fingerprint(rift_sha256 *out,
                                     rift_str skin,
                                     const rift_options *options,
                                     const rift_asset_log *uses,
                                     rift_arena *tmp,
                                     rift_err *err);

/* A picture of a skin, without making a GLB (render/render.h): the parts that are visible in one pose, its clip's events counted.
 *
 * Options pose: without it the clip of kind idle with the shortest name (of those the first by bytes; none that holds
 *         differences) at 0, and the rest pose where there is none or it cannot be read. max_texture: without it the power of
 *         two from the size up. snap, additive. The others mean nothing here.
 * Result  like that of a bake, without a GLB and counts; the picture lies in `out`. */
RIFT_NODISCARD bool rift_picture(rift_pixels *picture,
                                 rift_bake_result *result,
                                 const rift_bake_request *request,
                                 const rift_view *view,
                                 rift_arena *out,
                                 rift_arena *tmp,
                                 rift_err *err);

/* The clips that `clips` asks for, in the order of the GLB, each in the middle of its length, in rows that make a square; each
 * is framed on its own. ARGUMENT when there is none, or when the sheet is wider than RIFT_SHEET_MAX_SIDE. */
#define RIFT_SHEET_MAX_SIDE 8192
RIFT_NODISCARD bool rift_contact_sheet(rift_pixels *picture,
                                       rift_bake_result *result,
                                       const rift_bake_request *request,
                                       const rift_view *cell,
                                       rift_arena *out,
                                       rift_arena *tmp,
                                       rift_err *err);

#define RIFT_DESCRIBE_MAX_SIZE ((size_t)64 << 20)

/* Metadata of a skin as one JSON object (api.md section 3, schema/skin.schema.json), from the game's files, without making
 * a GLB; names, lengths and places are those that the GLB of the default options has, whatever the request's are.
 * *result is filled like that of a bake, without a GLB. `state` and `outputs` are the daemon's to add. */
RIFT_NODISCARD bool rift_describe(rift_bytes *json,
                                  rift_bake_result *result,
                                  const rift_bake_request *request,
                                  rift_arena *out,
                                  rift_arena *tmp,
                                  rift_err *err);

/* The same for the joints (schema/skeleton.schema.json): as in the game's file, in the GLB's space. NOT_FOUND for a skin
 * without a readable skeleton. */
RIFT_NODISCARD bool rift_describe_skeleton(rift_bytes *json,
                                           rift_bake_result *result,
                                           const rift_bake_request *request,
                                           rift_arena *out,
                                           rift_arena *tmp,
                                           rift_err *err);

struct rift_layer_mask;
/* A mask (anim/layer.h; kind NAMED for "game:…") held against a skin: {"skin":…,"joints":…,"in":[{"id":…,"name":…,"weight":…}],"out":[{"id":…,
 * "name":…}],"warnings":["mask_unknown_joint:Tail"]}. ARGUMENT for a name that the skin's graph does not know, NOT_FOUND without a skeleton. */
RIFT_NODISCARD bool rift_describe_mask(rift_bytes *json,
                                       rift_bake_result *result,
                                       const rift_bake_request *request,
                                       const struct rift_layer_mask *mask,
                                       rift_arena *out,
                                       rift_arena *tmp,
                                       rift_err *err);

#endif
