/* Joint snaps of the game's clips: events to windows while a clip's file is open, the bake over all clips once their keys
 * are known, and what extras say about both (S23). */
#include <string.h>

#include "bake/bake_internal.h"

#include "base/str.h"

static size_t count_events(const rift_graph_clip *clip)
{
    size_t count = 0;
    for (size_t i = 0; i < clip->event_count; i++)
        count += clip->events[i].kind == RIFT_EVENT_JOINT_SNAP;
    return count;
}

static rift_snap_event event_of(const rift_graph_event *event)
{
    return (rift_snap_event){
        .victim = event->victim,
        .target = event->target,
        .start_frame = event->start_frame,
        .end_frame = event->end_frame,
        .offset = {event->offset[0], event->offset[1], event->offset[2]},
    };
}

/* Why no event of a take is baked, or NULL. */
static const char *reason_not_baked(const bake_job *job, const bake_take *take)
{
    if (job->options.snap == RIFT_SNAP_OFF)
        return "snap_off";
    if (job->options.naive)
        return "snap_naive";
    return take->additive && !take->composed ? "snap_additive_raw" : NULL;
}

static void drop_all(bake_job *job, bake_snaps *snaps, const char *reason)
{
    for (size_t i = 0; i < snaps->event_count; i++) {
        snaps->resolved.drops[i] = (rift_snap_drop){(uint32_t)i, reason};
        if (job->options.snap == RIFT_SNAP_BAKE) {
            rift_report_add(&job->result->report, "snap_not_baked", "0x%08x onto 0x%08x",
                            snaps->events[i].victim, snaps->events[i].target);
        }
    }
    snaps->resolved.drop_count = snaps->event_count;
}

bool bake_find_snaps(bake_job *job, bake_take *take, rift_err *err)
{
    const rift_graph_clip *clip = take->clip;
    const size_t count = count_events(clip);
    const char *reason = reason_not_baked(job, take);
    bake_snaps *snaps = &take->snaps;
    *snaps = (bake_snaps){.events = RIFT_NEW(job->out, rift_snap_event, count)};
    if (snaps->events == NULL)
        return rift_arena_ok(job->out, "snaps", err);
    for (size_t i = 0; i < clip->event_count; i++) {
        if (clip->events[i].kind == RIFT_EVENT_JOINT_SNAP)
            snaps->events[snaps->event_count++] = event_of(&clip->events[i]);
    }
    if (reason != NULL) {
        snaps->resolved.drops = RIFT_NEW(job->out, rift_snap_drop, count);
        if (snaps->resolved.drops != NULL)
            drop_all(job, snaps, reason);
        return rift_arena_ok(job->out, "snaps", err);
    }
    const rift_snap_resolve_input input = {
        .skeleton = job->scene.skeleton,
        .events = snaps->events,
        .event_count = snaps->event_count,
        .fps = take->fps,
        .trim_start = take->trim_start,
        .length = (double)take->keys.length,
    };
    return rift_snap_resolve(&snaps->resolved, &input, job->out, &job->result->report, err);
}

/* --- the bake --------------------------------------------------------------------------------------------------- */

typedef struct bake_all {
    rift_snap_clip *clips;
    rift_clip_keys *keys; /* of the takes, in a list of their own as finishing wants them */
    size_t count, windows;
} bake_all;

/* The takes that were converted. What a take's channels are before unmoved components are dropped is kept. */
static bool collect(bake_job *job, bake_clip_list *list, bake_all *all)
{
    all->clips = RIFT_NEW(job->tmp, rift_snap_clip, list->take_count);
    all->keys = RIFT_NEW(job->tmp, rift_clip_keys, list->take_count);
    if (all->clips == NULL || all->keys == NULL)
        return false;
    for (size_t i = 0; i < list->take_count; i++) {
        bake_take *take = &list->takes[i];
        if (!take->ok)
            continue;
        rift_channel *before = RIFT_NEW(job->tmp, rift_channel, take->keys.channel_count);
        if (before == NULL)
            return false;
        memcpy(before, take->keys.channels, take->keys.channel_count * sizeof *before);
        take->snaps.place = all->count;
        all->keys[all->count] = take->keys;
        all->windows += take->snaps.resolved.window_count;
        all->clips[all->count] = (rift_snap_clip){
            .name = take->name,
            .keys = &all->keys[all->count],
            .tracked = before,
            .tracked_count = take->keys.channel_count,
            .windows = take->snaps.resolved.windows,
            .window_count = take->snaps.resolved.window_count,
        };
        all->count++;
    }
    return true;
}

static bool bake_all_takes(bake_job *job, bake_clip_list *list, bake_all *all)
{
    const rift_snap_limits limits = rift_snap_limits_default();
    rift_skeleton *skeleton = RIFT_NEW(job->out, rift_skeleton, 1);
    if (skeleton == NULL)
        return rift_arena_ok(job->out, "snaps", job->err);
    if (!rift_clips_finish(all->keys, all->count, job->scene.skeleton, job->out, job->err) ||
        !rift_snap_bake(&job->snap, all->clips, all->count, job->scene.skeleton, &limits, job->out, job->tmp,
                        &job->result->report, job->err))
        return false;
    *skeleton = job->snap.skeleton;
    job->scene.skeleton = skeleton;
    for (size_t i = 0; i < list->take_count; i++) {
        if (list->takes[i].ok)
            list->takes[i].keys = all->keys[list->takes[i].snaps.place];
    }
    return true;
}

bool bake_snap_takes(bake_job *job, bake_clip_list *list)
{
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    bake_all all = {0};
    bool ok = collect(job, list, &all) ? true : rift_arena_ok(job->tmp, "snaps", job->err);
    if (ok && all.windows > 0)
        ok = bake_all_takes(job, list, &all);
    rift_arena_rewind(job->tmp, mark);
    return ok;
}

/* --- extras ----------------------------------------------------------------------------------------------------- */

static void put_hash(rift_json *j, bake_job *job, const char *key, uint32_t hash)
{
    rift_str name;
    rift_json_key(j, key);
    if (hash == 0) {
        rift_json_null(j);
    } else if (rift_names_lookup(&job->event_names, RIFT_NAMES_BINHASHES, hash, job->tmp, &name)) {
        rift_json_str(j, name);
    } else {
        rift_json_hex(j, hash, 8);
    }
}

static void put_offset(rift_json *j, const double offset[3])
{
    if (offset[0] == 0 && offset[1] == 0 && offset[2] == 0)
        return;
    rift_json_key(j, "offset");
    rift_json_array(j);
    for (int i = 0; i < 3; i++)
        rift_json_double(j, offset[i]);
    rift_json_array_end(j);
}

static void put_stat(rift_json *j, const rift_snap_stat *stat)
{
    rift_json_put_uint(j, "keys", stat->key_count);
    rift_json_put_double(j, "error", (double)(float)stat->translation);
    rift_json_put_double(j, "error_degrees",
                         (double)(float)(stat->rotation_rad * 180 / 3.14159265358979323846));
    rift_json_put_double(j, "error_scale", (double)(float)stat->scale);
}

/* Times as the animation has them (decisions 1). */
static void put_window(rift_json *j, bake_job *job, const rift_snap_window *w, const bake_take *take)
{
    const rift_joint *joints = job->scene.skeleton->joints;
    rift_json_object(j);
    rift_json_put_str(j, "joint", joints[w->victim].name);
    rift_json_put_str(j, "to", joints[w->target].name);
    rift_json_key(j, "start");
    rift_json_float(j, (float)(w->start * take->speed));
    rift_json_key(j, "end");
    rift_json_float(j, (float)(w->end * take->speed));
    put_offset(j, w->offset);
    for (size_t v = 0; v < job->snap.victim_count; v++) {
        if (job->snap.victims[v] == w->victim)
            put_stat(j, &job->snap.stats[take->snaps.place * job->snap.victim_count + v]);
    }
    rift_json_object_end(j);
}

static void put_drop(rift_json *j, bake_job *job, const rift_snap_event *event, const char *reason)
{
    rift_json_object(j);
    put_hash(j, job, "joint", event->victim);
    put_hash(j, job, "to", event->target);
    rift_json_put_cstr(j, "reason", reason);
    rift_json_object_end(j);
}

void bake_put_snaps(rift_json *j, bake_job *job, const bake_take *take)
{
    const bake_snaps *snaps = &take->snaps;
    const rift_snap_windows *all = &snaps->resolved;
    size_t restored = 0;
    for (size_t i = 0; i < all->window_count; i++)
        restored += all->windows[i].restored;
    if (all->window_count > restored) {
        rift_json_key(j, "snaps");
        rift_json_array(j);
        for (size_t i = 0; i < all->window_count; i++) {
            if (!all->windows[i].restored)
                put_window(j, job, &all->windows[i], take);
        }
        rift_json_array_end(j);
    }
    if (all->drop_count + restored == 0)
        return;
    rift_json_key(j, "dropped_snaps");
    rift_json_array(j);
    for (size_t i = 0; i < all->drop_count; i++)
        put_drop(j, job, &snaps->events[all->drops[i].event], all->drops[i].reason);
    for (size_t i = 0; i < all->window_count; i++) {
        if (all->windows[i].restored)
            put_drop(j, job, &snaps->events[all->windows[i].event], "snap_bake_failed");
    }
    rift_json_array_end(j);
}

void bake_put_reparented(rift_json *j, const bake_job *job)
{
    const rift_snap_result *snap = &job->snap;
    size_t count = 0;
    for (size_t v = 0; v < snap->victim_count; v++)
        count += snap->former_parents[v] != RIFT_NO_PARENT;
    if (count == 0)
        return;
    const rift_joint *joints = job->scene.skeleton->joints;
    rift_json_key(j, "reparented");
    rift_json_array(j);
    for (size_t v = 0; v < snap->victim_count; v++) {
        if (snap->former_parents[v] == RIFT_NO_PARENT)
            continue;
        rift_json_object(j);
        rift_json_put_str(j, "joint", joints[snap->victims[v]].name);
        rift_json_put_str(j, "parent", joints[snap->former_parents[v]].name);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}
