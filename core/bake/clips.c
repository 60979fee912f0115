/* Clips are converted one by one: the .anm is parsed into scratch, its tracks are mapped, and only the keys stay. What
 * moves in no clip is dropped afterwards over all of them (G43). Clips that share a file share its keys until something
 * changes them; nothing here writes into a key array. */
#include "bake/bake_internal.h"

#include "base/str.h"

typedef struct clip_work {
    const rift_graph_clip *source;
    rift_str name; /* written name, not yet unique */
    bool by_name;  /* asked for explicitly (T10) */
    rift_clip_keys keys;
    rift_str extras;
} clip_work;

/* Keys that an earlier clip of the same file, trimmed and composed alike, has already made. */
typedef struct keys_cache {
    rift_map by_file; /* hash of file and treatment -> index into work */
    clip_work *work;
    size_t count;
} keys_cache;

bool bake_clip_is_additive(const rift_graph *graph, const rift_graph_clip *clip)
{
    const rift_graph_track *track = rift_graph_track_of(graph, clip->track);
    return track != NULL && track->blend_mode != 0;
}

bool bake_clip_selected(rift_str clips, rift_str name, rift_str stem, bool *by_name)
{
    const rift_str kind = rift_str_c(rift_clip_kind_word(name));
    rift_str pattern;
    bool selected = false;
    *by_name = false;
    while (rift_str_next(&clips, ",", &pattern)) {
        if (rift_str_eq_nocase(pattern, name) || rift_str_eq_nocase(pattern, stem)) {
            *by_name = true;
            return true;
        }
        selected = selected || rift_str_glob_nocase(name, pattern) || rift_str_glob_nocase(stem, pattern) ||
                   rift_str_eq_nocase(pattern, kind);
    }
    return selected;
}

/* Items of `clips` that matched no clip are reported, so that a typing error does not pass in silence. */
static void report_unmatched(bake_job *job, rift_str champion)
{
    rift_str rest = job->options.clips;
    rift_str pattern;
    while (rift_str_next(&rest, ",", &pattern)) {
        bool found = rift_str_eq(pattern, RIFT_STR("*")) || rift_str_eq_nocase(pattern, RIFT_STR("none"));
        for (size_t i = 0; !found && i < job->skin.graph.clip_count; i++) {
            const rift_graph_clip *clip = &job->skin.graph.clips[i];
            const rift_str name = rift_graph_clip_name(clip, champion, job->names, job->tmp);
            bool by_name;
            found = bake_clip_selected(pattern, name, rift_str_stem(clip->file.name), &by_name);
        }
        if (!found)
            rift_report_add(&job->result->report, "clips_unmatched", "%.*s", RIFT_STR_ARG(pattern));
    }
}

static size_t select_clips(bake_job *job, clip_work *work)
{
    const rift_str champion = job->skin.ref.alias;
    size_t count = 0;
    for (size_t i = 0; i < job->skin.graph.clip_count; i++) {
        const rift_graph_clip *clip = &job->skin.graph.clips[i];
        const rift_str name = rift_graph_clip_name(clip, champion, job->names, job->out);
        bool by_name;
        if (!bake_clip_selected(job->options.clips, name, rift_str_stem(clip->file.name), &by_name))
            continue;
        if (clip->kind == RIFT_CLIP_ATOMIC) {
            work[count++] = (clip_work){.source = clip, .name = name, .by_name = by_name};
        } else if (by_name) {
            rift_report_add(&job->result->report, "clip_not_atomic", "%.*s is a %s clip", RIFT_STR_ARG(name),
                            rift_clip_class_word(clip->kind));
        }
    }
    report_unmatched(job, champion);
    return count;
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

static void report_snaps(bake_job *job, const rift_graph_clip *clip)
{
    for (size_t i = 0; i < clip->event_count; i++) {
        if (clip->events[i].kind == RIFT_EVENT_JOINT_SNAP && job->options.snap == RIFT_SNAP_BAKE) {
            rift_report_add(&job->result->report, "snap_not_baked", "0x%08x onto 0x%08x",
                            clip->events[i].victim, clip->events[i].target);
        }
    }
}

/* Clips of one file differ by trim and by additive treatment only. */
static uint64_t keys_id(const clip_work *work, bool composed)
{
    const struct {
        uint64_t file;
        float start, end;
        uint64_t composed;
    } id = {work->source->file.hash, work->source->start_frame, work->source->end_frame, composed};
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

static bool make_keys(bake_job *job,
                      clip_work *work,
                      const rift_anm *anm,
                      const rift_track_map *map,
                      bool composed,
                      rift_err *err)
{
    const double fps = anm->fps > 0 ? (double)anm->fps : 30.0;
    const rift_graph_clip *clip = work->source;
    const rift_keys_input input = {
        .skeleton = job->scene.skeleton,
        .anm = anm,
        .map = map,
        .additive = composed ? RIFT_ADDITIVE_COMPOSE : RIFT_ADDITIVE_NONE,
        .limits = rift_key_limits_default(),
        .trim_start = clip->start_frame > 0 ? (double)clip->start_frame / fps : 0,
        .trim_end = clip->end_frame >= 0 ? (double)clip->end_frame / fps : -1,
        .naive = job->options.naive,
    };
    return rift_clip_keys_build(&work->keys, &input, job->out, job->tmp, &job->result->report, err);
}

/* One clip: false only for what the whole job must end for. A bad clip sets `err` and is reported by the caller. */
static bool convert_clip(bake_job *job, clip_work *work, keys_cache *cache, rift_err *err)
{
    rift_report *report = &job->result->report;
    const bool additive = bake_clip_is_additive(&job->skin.graph, work->source);
    const bool composed = additive && job->options.additive == RIFT_ADDITIVE_COMPOSED;
    rift_bytes bytes;
    rift_anm anm;
    rift_track_map map;
    if (!bake_read(job, &work->source->file, &bytes, err) ||
        !rift_anm_parse(&anm, bytes, job->tmp, report, err) ||
        /* First keys that are differences say nothing about whose track they are (T12). */
        !rift_track_map_build(&map, job->scene.skeleton, &anm, job->tmp, additive ? NULL : report, err))
        return false;
    if (map.skinning_count + map.other_count == 0) {
        return rift_fail(err, RIFT_ERR_FORMAT, "tracks", RIFT_NO_OFFSET, "no_track_matches: none of %zu",
                         anm.track_count);
    }
    report_leftovers(job, &map);
    report_snaps(job, work->source);
    const bake_clip_info info = {
        .clip = work->source, .anm = &anm, .map = &map, .additive = additive, .composed = composed};
    work->extras = bake_clip_extras(job, &info);
    const uint64_t id = keys_id(work, composed);
    const uint32_t first = rift_map_lookup(&cache->by_file, id);
    if (first != RIFT_MAP_NONE)
        return copy_keys(job, &work->keys, &cache->work[first].keys);
    if (!make_keys(job, work, &anm, &map, composed, err))
        return false;
    /* Only now: the place in `work` of a clip that fails is given to the next one. */
    (void)rift_map_add(&cache->by_file, id, (uint32_t)(work - cache->work));
    return true;
}

/* Converts every selected clip; those that fail are reported and dropped from the list. */
static bool convert_clips(bake_job *job, clip_work *work, size_t *count)
{
    keys_cache cache = {.work = work};
    rift_map_init(&cache.by_file, job->out, *count);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (!bake_enter(job, RIFT_STAGE_CLIP, 5 + (int)(55 * i / *count)))
            return false;
        rift_report_in(&job->result->report, work[i].name);
        const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
        rift_err err;
        rift_err_in(&err, work[i].name);
        work[kept] = work[i];
        const bool ok = convert_clip(job, &work[kept], &cache, &err);
        rift_arena_rewind(job->tmp, mark);
        if (!rift_arena_ok(job->out, "clips", job->err) || !rift_arena_ok(job->tmp, "clips", job->err))
            return false;
        if (ok) {
            kept++;
        } else if (work[i].by_name && err.code == RIFT_ERR_FORMAT) {
            *job->err = err;
            return false;
        } else {
            rift_report_err(&job->result->report,
                            err.code == RIFT_ERR_NOT_FOUND ? "clip_missing" : "clip_skipped", &err);
        }
    }
    rift_report_in(&job->result->report, (rift_str){0});
    *count = kept;
    return true;
}

/* The scene's clips, with unique names; a clip that moves nothing is left out and reported (G36). */
static bool add_to_scene(bake_job *job, clip_work *work, size_t count)
{
    rift_clip_keys *keys = RIFT_NEW(job->out, rift_clip_keys, count);
    rift_clip *clips = RIFT_NEW(job->out, rift_clip, count);
    rift_unique names;
    rift_unique_init(&names, job->out, count);
    if (keys == NULL || clips == NULL)
        return rift_arena_ok(job->out, "clips", job->err);
    for (size_t i = 0; i < count; i++)
        keys[i] = work[i].keys;
    if (!job->options.naive && !rift_clips_finish(keys, count, job->scene.skeleton, job->out, job->err))
        return false;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (keys[i].channel_count == 0) {
            rift_report_add(&job->result->report, "clip_empty", "%.*s moves nothing",
                            RIFT_STR_ARG(work[i].name));
            continue;
        }
        clips[n++] = (rift_clip){
            .name = rift_unique_clip(&names, work[i].name),
            .channels = keys[i].channels,
            .channel_count = keys[i].channel_count,
            .length = keys[i].length,
            .extras = work[i].extras,
        };
    }
    job->scene.clips = clips;
    job->scene.clip_count = n;
    return rift_arena_ok(job->out, "clips", job->err);
}

bool bake_clips(bake_job *job)
{
    if (job->options.content != RIFT_CONTENT_FULL || job->scene.skeleton == NULL ||
        job->skin.graph.clip_count == 0)
        return true;
    if (!bake_enter(job, RIFT_STAGE_CLIP, 5))
        return false;
    clip_work *work = RIFT_NEW(job->out, clip_work, job->skin.graph.clip_count);
    if (work == NULL)
        return rift_arena_ok(job->out, "clips", job->err);
    size_t count = select_clips(job, work);
    return convert_clips(job, work, &count) && add_to_scene(job, work, count);
}
