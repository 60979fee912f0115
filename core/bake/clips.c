/* Clips are converted one by one: the .anm is parsed into scratch, its tracks are mapped, and only the keys stay. What
 * moves in no clip is dropped afterwards over all of them (G43). Clips that share a file share its keys until something
 * changes them; nothing here writes into a key array.
 *
 * Order   select.c: works (animations of the file) and takes (the clips they play) -> keys of the atomic takes -> of those
 *         made of others (parallel.c, layers.c) -> joint snaps, which belong to all takes together (snaps.c) -> each
 *         work's channels from those of its pieces -> rift_clips_finish. */
#include "bake/bake_internal.h"

#include <math.h>

#include "base/str.h"

/* Keys that an earlier clip of the same file, trimmed and composed alike, has already made. */
typedef struct keys_cache {
    rift_map by_file; /* hash of file and treatment -> index into takes */
    const bake_take *takes;
} keys_cache;

bool bake_clip_is_additive(const rift_graph *graph, const rift_graph_clip *clip)
{
    const rift_graph_track *track = rift_graph_track_of(graph, clip->track);
    return track != NULL && track->blend_mode != 0;
}

static void report_leftovers(bake_job *job, const rift_track_map *map)
{
    for (size_t i = 0; i < map->leftover_count; i++) {
        rift_report_add(&job->result->report,
                        map->leftovers[i].reason == RIFT_LEFTOVER_NO_JOINT ? "track_no_joint"
                                                                           : "track_duplicate",
                        "0x%08x", map->leftovers[i].hash);
    }
}

/* Clips of one file differ by trim and by additive treatment only. */
static uint64_t keys_id(const bake_take *take)
{
    const struct {
        uint64_t file;
        float start, end;
        uint64_t composed;
    } id = {take->clip->file.hash, take->clip->start_frame, take->clip->end_frame, take->composed};
    return rift_xxh64((rift_bytes){(const uint8_t *)&id, sizeof id});
}

/* A copy of the channel list: finishing a clip drops channels from its own list only. */
static bool copy_keys(bake_job *job, rift_clip_keys *out, const rift_clip_keys *in)
{
    rift_channel *channels = RIFT_NEW(job->out, rift_channel, in->channel_count);
    if (channels == NULL)
        return rift_arena_ok(job->out, "clips", job->err);
    for (size_t i = 0; i < in->channel_count; i++)
        channels[i] = in->channels[i];
    *out = *in;
    out->channels = channels;
    return true;
}

static bool
make_keys(bake_job *job, bake_take *take, const rift_anm *anm, const rift_track_map *map, rift_err *err)
{
    const rift_keys_input input = {
        .skeleton = job->scene.skeleton,
        .anm = anm,
        .map = map,
        .additive = take->composed ? RIFT_ADDITIVE_COMPOSE : RIFT_ADDITIVE_NONE,
        .limits = rift_key_limits_default(),
        .trim_start = take->trim_start,
        .trim_end = take->trim_end,
        .mode = job->options.keys == RIFT_KEYS_OPTION_CUBIC   ? RIFT_KEYS_CUBIC
                : job->options.keys == RIFT_KEYS_OPTION_DENSE ? RIFT_KEYS_DENSE
                                                              : RIFT_KEYS_ADAPTIVE,
        .dense_fps = (double)job->options.dense_fps,
        .naive = job->options.naive,
    };
    return rift_clip_keys_build(&take->keys, &input, job->out, job->tmp, &job->result->report, err);
}

/* Real ticks are between 1/40 and 1/9 s, real files run at 24 to 48 frames a second: a factor beyond these is damage. */
static const double min_speed = 0.01;
static const double max_speed = 100;

/* Seconds of the animation for one of file time (decisions 1). */
static double speed_of(bake_job *job, const bake_take *take)
{
    if (job->options.timing != RIFT_TIMING_GAME)
        return 1;
    const double speed = (double)take->clip->tick * take->fps;
    if (speed > 1 - 1e-6 && speed < 1 + 1e-6)
        return 1; /* a float32 of 1/30 is meant as 1/30 */
    if (speed >= min_speed && speed <= max_speed)
        return speed;
    rift_report_add(&job->result->report, "tick_not_usable", "%g s a frame: left at the file's speed",
                    (double)take->clip->tick);
    return 1;
}

static void describe_take(bake_job *job, bake_take *take, const rift_anm *anm, const rift_track_map *map)
{
    take->fps = anm->fps > 0 ? (double)anm->fps : 30.0;
    take->stored_duration = (double)anm->stored_duration;
    take->trim_start = take->clip->start_frame > 0 ? (double)take->clip->start_frame / take->fps : 0;
    take->trim_end = take->clip->end_frame >= 0 ? (double)take->clip->end_frame / take->fps : -1;
    take->compressed = anm->compressed;
    take->speed = speed_of(job, take);
    take->tracks = bake_track_extras(job, anm, map);
}

bool bake_open_take(
    bake_job *job, bake_take *take, bool composed, rift_anm *anm, rift_track_map *map, rift_err *err)
{
    rift_report *report = &job->result->report;
    take->additive = bake_clip_is_additive(&job->skin.graph, take->clip);
    take->composed = take->additive && composed;
    rift_bytes bytes;
    if (!bake_read(job, &take->clip->file, &bytes, err) ||
        !rift_anm_parse(anm, bytes, job->tmp, report, err) ||
        /* First keys that are differences say nothing about whose track they are (T12). */
        !rift_track_map_build(map, job->scene.skeleton, anm, job->tmp, take->additive ? NULL : report, err))
        return false;
    if (map->skinning_count + map->other_count == 0) {
        return rift_fail(err, RIFT_ERR_FORMAT, "tracks", RIFT_NO_OFFSET, "no_track_matches: none of %zu",
                         anm->track_count);
    }
    report_leftovers(job, map);
    describe_take(job, take, anm, map);
    return true;
}

/* One take: false only for what the whole job must end for. A bad clip sets `err` and is reported by the caller.
 * `cache` may be NULL. */
static bool convert_take(bake_job *job, bake_take *take, bool composed, keys_cache *cache, rift_err *err)
{
    rift_anm anm;
    rift_track_map map;
    if (!bake_open_take(job, take, composed, &anm, &map, err))
        return false;
    const uint64_t id = keys_id(take);
    const uint32_t first = cache != NULL ? rift_map_lookup(&cache->by_file, id) : RIFT_MAP_NONE;
    if (first != RIFT_MAP_NONE) {
        if (!copy_keys(job, &take->keys, &cache->takes[first].keys))
            return false;
    } else {
        if (!make_keys(job, take, &anm, &map, err))
            return false;
        if (cache != NULL)
            (void)rift_map_add(&cache->by_file, id, (uint32_t)(take - cache->takes));
    }
    return bake_find_snaps(job, take, err);
}

bool bake_convert_take(bake_job *job, bake_take *take, bool composed, rift_err *err)
{
    return convert_take(job, take, composed, NULL, err);
}

/* Converts every take; those that fail are reported. */
static bool convert_takes(bake_job *job, bake_clip_list *list)
{
    keys_cache cache = {.takes = list->takes};
    rift_map_init(&cache.by_file, job->out, list->take_count);
    for (size_t i = 0; i < list->take_count; i++) {
        bake_take *take = &list->takes[i];
        if (take->parts != NULL)
            continue; /* of others */
        if (!bake_enter(job, RIFT_STAGE_CLIP, 5 + (int)(55 * i / list->take_count)))
            return false;
        rift_report_in(&job->result->report, take->name);
        const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
        rift_err err;
        rift_err_in(&err, take->name);
        take->ok = convert_take(job, take, job->options.additive == RIFT_ADDITIVE_COMPOSED, &cache, &err);
        rift_arena_rewind(job->tmp, mark);
        if (!rift_arena_ok(job->out, "clips", job->err) || !rift_arena_ok(job->tmp, "clips", job->err))
            return false;
        if (take->ok)
            continue;
        if (take->by_name && err.code == RIFT_ERR_FORMAT) {
            *job->err = err;
            return false;
        }
        rift_report_err(&job->result->report,
                        err.code == RIFT_ERR_NOT_FOUND ? "clip_missing" : "clip_skipped", &err);
    }
    rift_report_in(&job->result->report, (rift_str){0});
    return true;
}

/* timing=game, after all that works in file time. */
static bool retime_takes(bake_job *job, bake_clip_list *list)
{
    for (size_t i = 0; i < list->take_count; i++) {
        bake_take *take = &list->takes[i];
        if (take->ok && take->speed != 1 &&
            !rift_clip_retime(&take->keys, &take->keys, take->speed, job->out, job->err))
            return false;
    }
    return true;
}

void bake_drop_failed(
    bake_job *job, const bake_take *takes, rift_str name, uint32_t *pieces, size_t *piece_count, bool report)
{
    size_t kept = 0;
    for (size_t k = 0; k < *piece_count; k++) {
        const bake_take *take = &takes[pieces[k]];
        if (take->ok) {
            pieces[kept++] = pieces[k];
        } else if (report) {
            rift_report_add(&job->result->report, "composite_piece_missing", "%.*s of %.*s",
                            RIFT_STR_ARG(take->name), RIFT_STR_ARG(name));
        }
    }
    *piece_count = kept;
}

/* Pieces that are long enough to be played behind one another; what is shorter is reported and left out. */
static void drop_short(bake_job *job, const bake_take *takes, uint32_t *pieces, size_t *piece_count)
{
    size_t kept = 0;
    for (size_t k = 0; k < *piece_count; k++) {
        const bake_take *take = &takes[pieces[k]];
        if ((double)take->keys.length >= RIFT_JOIN_MIN_LENGTH) {
            pieces[kept++] = pieces[k];
        } else {
            rift_report_add(&job->result->report, "sequence_piece_short", "%.*s: %g s",
                            RIFT_STR_ARG(take->name), (double)take->keys.length);
        }
    }
    *piece_count = kept > 0 ? kept : 1; /* a sequence of poses is its first one */
}

static bool join_pieces(bake_job *job,
                        const bake_take *takes,
                        rift_str name,
                        const uint32_t *pieces,
                        size_t piece_count,
                        rift_clip_keys *out,
                        rift_err *err)
{
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    const rift_clip_keys **keys = RIFT_NEW(job->tmp, const rift_clip_keys *, piece_count);
    if (keys == NULL)
        return rift_arena_ok(job->tmp, "clips", err);
    for (size_t k = 0; k < piece_count; k++)
        keys[k] = &takes[pieces[k]].keys;
    bool mixed;
    const bool ok =
        rift_clips_join(out, keys, piece_count, job->scene.skeleton, &mixed, job->out, job->tmp, err);
    rift_arena_rewind(job->tmp, mark);
    if (ok && mixed) {
        rift_report_add(&job->result->report, "cubic_inexact", "%.*s: splines and plain keys in one sequence",
                        RIFT_STR_ARG(name));
    }
    return ok;
}

bool bake_play(bake_job *job,
               const bake_take *takes,
               rift_str name,
               uint32_t *pieces,
               size_t *piece_count,
               rift_clip_keys *out,
               bool *fits,
               rift_err *err)
{
    *fits = true;
    if (*piece_count > 1)
        drop_short(job, takes, pieces, piece_count);
    if (*piece_count == 1)
        return copy_keys(job, out, &takes[pieces[0]].keys);
    double length = 0;
    for (size_t k = 0; k < *piece_count; k++)
        length += (double)takes[pieces[k]].keys.length;
    *fits = length <= RIFT_COMPOSITE_MAX_LENGTH;
    if (*fits)
        return join_pieces(job, takes, name, pieces, *piece_count, out, err);
    rift_report_add(&job->result->report, "clip_skipped", "%.*s: %g s one after another are over %g s",
                    RIFT_STR_ARG(name), length, RIFT_COMPOSITE_MAX_LENGTH);
    return true;
}

/* The works that have something to play, with their keys, in a dense list. */
static bool assemble(bake_job *job, bake_clip_list *list, rift_clip_keys *keys)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->work_count; i++) {
        bake_clip_work work = list->works[i];
        const bool itself = list->takes[work.pieces[0]].clip == work.source; /* told already */
        bake_drop_failed(job, list->takes, work.name, work.pieces, &work.piece_count, !itself);
        if (work.piece_count == 0)
            continue;
        rift_report_in(&job->result->report, work.name);
        bool fits;
        if (!bake_play(job, list->takes, work.name, work.pieces, &work.piece_count, &keys[kept], &fits,
                       job->err))
            return false;
        if (fits)
            list->works[kept++] = work;
    }
    list->work_count = kept;
    rift_report_in(&job->result->report, (rift_str){0});
    return true;
}

/* For a pose, and for each clip of a sheet: who is visible at that instant. */
static bool open_shown(bake_job *job, const bake_clip_list *list)
{
    if (!bake_wants_pose(job) && !job->is_sheet)
        return true;
    if (list->work_count > 0)
        job->shown = RIFT_NEW(job->out, bool, list->work_count * job->scene.part_count);
    return rift_arena_ok(job->out, "clips", job->err);
}

static void see_work(bake_job *job, const bake_clip_list *list, size_t work, size_t clip, double length)
{
    if (job->shown == NULL || bake_is_layered(list, &list->works[work]))
        return;
    const double asked = (double)job->options.pose_us * 1e-6;
    const double t = job->is_sheet ? length / 2 : fmin(asked, length);
    if (!job->is_sheet && asked > length + 1e-6) {
        const uint64_t ms = (uint64_t)(length * 1000 + 0.5);
        rift_report_add(&job->result->report, "pose_past_end", "%.*s ends at %llu.%03llu s, its end is shown",
                        RIFT_STR_ARG(list->works[work].name), (unsigned long long)(ms / 1000),
                        (unsigned long long)(ms % 1000));
    }
    bake_work_visible_at(job->shown + clip * job->scene.part_count, job, list, &list->works[work], t);
}

/* The scene's clips, with unique names; a clip that moves nothing is left out and reported (G36). */
static bool add_to_scene(bake_job *job, bake_clip_list *list)
{
    rift_clip_keys *keys = RIFT_NEW(job->out, rift_clip_keys, list->work_count);
    rift_clip *clips = RIFT_NEW(job->out, rift_clip, list->work_count);
    rift_unique names;
    rift_unique_init(&names, job->out, list->work_count);
    if (keys == NULL || clips == NULL)
        return rift_arena_ok(job->out, "clips", job->err);
    if (!assemble(job, list, keys) ||
        (!job->options.naive &&
         !rift_clips_finish(keys, list->work_count, job->scene.skeleton, job->out, job->err)))
        return false;
    if (!open_shown(job, list))
        return false;
    size_t n = 0;
    for (size_t i = 0; i < list->work_count; i++) {
        see_work(job, list, i, n, (double)keys[i].length);
        if (keys[i].channel_count == 0) {
            rift_report_add(&job->result->report, "clip_empty", "%.*s moves nothing",
                            RIFT_STR_ARG(list->works[i].name));
            continue;
        }
        clips[n++] = (rift_clip){
            .name = rift_unique_clip(&names, list->works[i].name),
            .channels = keys[i].channels,
            .channel_count = keys[i].channel_count,
            .length = keys[i].length,
            .extras = bake_is_layered(list, &list->works[i]) ? bake_layer_extras(job, list)
                                                             : bake_clip_extras(job, list, &list->works[i]),
        };
    }
    job->scene.clips = clips;
    job->scene.clip_count = n;
    return rift_arena_ok(job->out, "clips", job->err) && rift_arena_ok(job->tmp, "clips", job->err);
}

static bool wants_clips(const bake_job *job)
{
    if (job->scene.skeleton == NULL)
        return false;
    if (bake_wants_pose(job))
        return true; /* also of a graph without clips, which has none of that name */
    return (job->options.content == RIFT_CONTENT_FULL || job->options.content == RIFT_CONTENT_ANIMATIONS) &&
           (job->skin.graph.clip_count > 0 || job->options.timeline != NULL);
}

bool bake_clips(bake_job *job)
{
    if (!wants_clips(job))
        return true;
    bake_clip_list list;
    if (!bake_enter(job, RIFT_STAGE_CLIP, 5) || !bake_select_clips(job, &list) ||
        !convert_takes(job, &list) || !bake_parallels(job, &list) || !bake_layers(job, &list) ||
        !bake_snap_takes(job, &list) || !retime_takes(job, &list) || !add_to_scene(job, &list))
        return false;
    if (bake_wants_pose(job) && !job->pose_is_ours && list.work_count == 0) {
        return rift_fail(job->err, RIFT_ERR_NOT_FOUND, "pose", RIFT_NO_OFFSET,
                         "the clip \"%.*s\" cannot be read; the report says why",
                         RIFT_STR_ARG(job->options.pose_clip));
    }
    return true;
}
