/* One more animation, of clips in slots (L30-L42): names to clips and masks, then what anim/layer.h does with them. The clips
 * need not be written themselves; their keys are those that would be (L16), all tracks included. */
#include "bake/bake_internal.h"

#include <math.h>

#include "base/str.h"

/* A request's layers. */
typedef struct layer_job {
    bake_layering run;
    rift_str *names;    /* written names, by graph clip */
    uint32_t *by_graph; /* graph clip -> first of the layering's clips that is it, or RIFT_LAYER_NONE */
} layer_job;

/* What extras need once everything is baked. */
struct bake_layered {
    layer_job job;
    rift_graph_clip source; /* stands for the work; has no file */
};

/* --- masks (L40) -------------------------------------------------------------------------------------------------- */

static const rift_graph_mask *find_mask(const rift_graph *graph, rift_str name)
{
    uint64_t hash = 0;
    const bool is_hash =
        rift_str_starts_nocase(name, RIFT_STR("0x")) && rift_str_hex(name, &hash) && hash <= UINT32_MAX;
    for (size_t i = 0; !is_hash && i < graph->mask_count; i++) {
        if (graph->masks[i].name.size > 0 && rift_str_eq_nocase(graph->masks[i].name, name))
            return &graph->masks[i];
    }
    return rift_graph_mask_of(graph, is_hash ? (uint32_t)hash : rift_fnv1a(name));
}

/* The game's weights instead of the mask's name; a mask that the graph has not stays unknown. */
static bool set_game_mask(bake_job *job, rift_layer_mask *mask, const rift_graph_mask *from, rift_err *err)
{
    if (from == NULL)
        return true;
    double *weights = RIFT_NEW(job->out, double, from->weight_count);
    if (weights == NULL)
        return rift_arena_ok(job->out, "masks", err);
    for (size_t i = 0; i < from->weight_count; i++)
        weights[i] = (double)from->weights[i];
    mask->kind = RIFT_LAYER_MASK_WEIGHTS;
    mask->is_reference = true;
    mask->weights = weights;
    mask->weight_count = from->weight_count;
    return true;
}

bool bake_layering_mask(bake_layering *l, uint32_t hash, rift_layer_command *c, rift_err *err)
{
    bake_job *job = l->job;
    c->mask = RIFT_LAYER_NONE;
    if (hash == 0)
        return true;
    const rift_graph_mask *from = rift_graph_mask_of(&job->skin.graph, hash);
    rift_layer_mask *mask = &l->timeline.masks[l->timeline.mask_count];
    *mask = (rift_layer_mask){.kind = RIFT_LAYER_MASK_NAMED, .is_reference = true};
    mask->name = from != NULL && from->name.size > 0
                     ? rift_arena_printf(job->out, "game:%.*s", RIFT_STR_ARG(from->name))
                     : rift_arena_printf(job->out, "game:0x%08x", hash);
    c->mask = (uint32_t)l->timeline.mask_count++;
    return set_game_mask(job, mask, from, err);
}

bool bake_game_mask(bake_job *job, rift_layer_mask *mask, rift_err *err)
{
    const rift_str prefix = RIFT_STR("game:");
    if (mask->kind != RIFT_LAYER_MASK_NAMED || !rift_str_starts_nocase(mask->name, prefix))
        return true;
    const rift_str inside = {mask->name.data + prefix.size, mask->name.size - prefix.size};
    return set_game_mask(job, mask, find_mask(&job->skin.graph, inside), err);
}

static bool copy_masks(layer_job *l, const rift_timeline *from)
{
    bake_job *job = l->run.job;
    rift_layer_mask *masks = RIFT_NEW(job->out, rift_layer_mask, from->mask_count);
    if (masks == NULL)
        return rift_arena_ok(job->out, "masks", job->err);
    for (size_t i = 0; i < from->mask_count; i++) {
        masks[i] = from->masks[i];
        if (!bake_game_mask(job, &masks[i], job->err))
            return false;
    }
    l->run.timeline.masks = masks;
    return true;
}

/* --- clips -------------------------------------------------------------------------------------------------------- */

static bool name_clips(layer_job *l)
{
    const rift_graph *graph = &l->run.job->skin.graph;
    l->names = RIFT_NEW(l->run.job->out, rift_str, graph->clip_count);
    l->by_graph = RIFT_NEW(l->run.job->out, uint32_t, graph->clip_count);
    if (l->names == NULL || l->by_graph == NULL)
        return rift_arena_ok(l->run.job->out, "layers", l->run.job->err);
    for (size_t i = 0; i < graph->clip_count; i++) {
        l->names[i] = rift_graph_clip_name(&graph->clips[i], l->run.job->skin.ref.alias, l->run.job->names,
                                           l->run.job->out);
        l->by_graph[i] = RIFT_LAYER_NONE;
    }
    return rift_arena_ok(l->run.job->out, "layers", l->run.job->err);
}

/* The n-th clip of this written name (from 1), letter by letter, else without case. */
static uint32_t nth_clip(const layer_job *l, rift_str name, uint64_t n)
{
    uint32_t folded = RIFT_GRAPH_MISSING;
    uint64_t equal = 0;
    uint64_t alike = 0;
    for (size_t i = 0; i < l->run.job->skin.graph.clip_count; i++) {
        if (rift_str_eq(l->names[i], name) && ++equal == n)
            return (uint32_t)i;
        if (rift_str_eq_nocase(l->names[i], name) && ++alike == n)
            folded = (uint32_t)i;
    }
    return folded;
}

/* By written name; by "Run (2)" as the second of that name is written when all are (G36); by the hash "0x…" of the graph. */
static uint32_t find_clip(const layer_job *l, rift_str name)
{
    uint64_t number;
    const uint32_t named = nth_clip(l, name, 1);
    if (named != RIFT_GRAPH_MISSING)
        return named;
    if (rift_str_starts_nocase(name, RIFT_STR("0x")) && rift_str_hex(name, &number) && number <= UINT32_MAX)
        return rift_graph_clip_index(&l->run.job->skin.graph, (uint32_t)number);
    size_t open = name.size;
    while (open > 0 && name.data[open - 1] != '(')
        open--;
    if (open < 3 || name.data[open - 2] != ' ' || name.data[name.size - 1] != ')' ||
        !rift_str_u64((rift_str){name.data + open, name.size - open - 1}, UINT32_MAX, &number) || number < 2)
        return RIFT_GRAPH_MISSING;
    return nth_clip(l, (rift_str){name.data, open - 2}, number);
}

/* Keys of a graph clip, composed or as differences, as curves. NULL with *err set when it cannot be converted. */
static const rift_layer_curve *
convert(layer_job *l, uint32_t index, bool composed, double *length, bake_snaps *snaps, rift_err *err)
{
    bake_job *job = l->run.job;
    bake_take take = {.clip = &job->skin.graph.clips[index], .name = l->names[index]};
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    const bool ok = bake_convert_take(job, &take, composed, err);
    rift_arena_rewind(job->tmp, mark);
    if (!ok)
        return NULL;
    *length = (double)take.keys.length;
    *snaps = take.snaps;
    const rift_layer_curve *curves = rift_layer_curves(&take.keys, job->scene.skeleton, job->out);
    return rift_arena_ok(job->out, "layers", err) ? curves : NULL;
}

/* Fills in a clip from the graph. A clip that cannot be had is reported and stays missing; false ends the bake. */
static bool load_clip(layer_job *l, rift_layer_clip *clip, uint32_t index)
{
    bake_job *job = l->run.job;
    rift_err err;
    bake_snaps of_differences; /* nobody bakes those */
    rift_err_in(&err, clip->name);
    rift_report_in(&job->result->report, clip->name);
    const bool additive = bake_clip_is_additive(&job->skin.graph, &job->skin.graph.clips[index]);
    clip->curves = convert(l, index, true, &clip->length, &l->run.snaps[clip - l->run.clips], &err);
    if (clip->curves != NULL && additive)
        clip->deltas = convert(l, index, false, &clip->length, &of_differences, &err);
    if (!rift_arena_ok(job->out, "layers", job->err) || !rift_arena_ok(job->tmp, "layers", job->err))
        return false;
    clip->is_missing = err.code != RIFT_OK;
    if (clip->is_missing) {
        rift_report_err(&job->result->report,
                        err.code == RIFT_ERR_NOT_FOUND ? "clip_missing" : "clip_skipped", &err);
    }
    rift_report_in(&job->result->report, l->run.timeline.name);
    return true;
}

/* The clip behind a name, converted once; of a composite one the atomic clip that stands for it (decisions 12). */
static bool add_clip(layer_job *l, rift_str name)
{
    bake_job *job = l->run.job;
    const rift_graph *graph = &job->skin.graph;
    for (size_t i = 0; i < l->run.clip_count; i++) {
        if (rift_str_eq(l->run.clips[i].name, name))
            return true;
    }
    rift_layer_clip *clip = &l->run.clips[l->run.clip_count++];
    *clip = (rift_layer_clip){.name = name, .id = RIFT_LAYER_NONE, .is_missing = true};
    const uint32_t found = find_clip(l, name);
    const uint32_t index = found == RIFT_GRAPH_MISSING ? found : rift_graph_atomic_of(graph, found);
    if (index == RIFT_GRAPH_MISSING)
        return true;
    if (index != found) {
        rift_report_add(&job->result->report, "clip_represented", "%.*s is a %s clip, %.*s stands for it",
                        RIFT_STR_ARG(name), rift_clip_class_word(graph->clips[found].kind),
                        RIFT_STR_ARG(l->names[index]));
    }
    clip->id = index;
    if (l->by_graph[index] != RIFT_LAYER_NONE) {
        *clip = l->run.clips[l->by_graph[index]];
        clip->name = name;
        return true;
    }
    l->by_graph[index] = (uint32_t)(clip - l->run.clips);
    return load_clip(l, clip, index);
}

enum { MAX_NAMES = 1024 }; /* of clips in one timeline */

static bool add_clips(layer_job *l)
{
    bake_job *job = l->run.job;
    const rift_timeline *t = &l->run.timeline;
    const size_t room = t->command_count < MAX_NAMES ? t->command_count : MAX_NAMES;
    l->run.clips = RIFT_NEW(job->out, rift_layer_clip, room);
    l->run.snaps = RIFT_NEW(job->out, bake_snaps, room);
    if (l->run.clips == NULL || l->run.snaps == NULL)
        return rift_arena_ok(job->out, "layers", job->err);
    bool ok = true;
    for (size_t i = 0; ok && i < t->command_count; i++) {
        if (t->commands[i].op > RIFT_LAYER_PLAY_ADDITIVE)
            continue;
        if (l->run.clip_count == MAX_NAMES) {
            return rift_fail(job->err, RIFT_ERR_LIMIT, "layers.clips", RIFT_NO_OFFSET,
                             "over %d names of clips", MAX_NAMES);
        }
        ok = add_clip(l, t->commands[i].clip);
    }
    return ok;
}

/* --- auto (L40) --------------------------------------------------------------------------------------------------- */

typedef struct auto_layer {
    const rift_layer_auto *asked;
    uint32_t clip; /* graph index */
    uint8_t priority;
} auto_layer;

static bool auto_full(const layer_job *l)
{
    return rift_fail(l->run.job->err, RIFT_ERR_ARGUMENT, "layers.auto", RIFT_NO_OFFSET,
                     "more clips than the %d slots: name up to %d, as auto:Run,Attack1 does",
                     RIFT_LAYER_SLOTS, RIFT_LAYER_SLOTS);
}

/* Those that the request lists, else those that it selects for writing. */
static bool auto_clips(layer_job *l, const bake_clip_list *list, rift_layer_auto *out, size_t *count)
{
    const rift_timeline *t = &l->run.timeline;
    const bool listed = t->auto_count > 0;
    *count = listed ? t->auto_count : list->work_count;
    if (*count > RIFT_LAYER_SLOTS)
        return auto_full(l);
    for (size_t i = 0; i < *count; i++)
        out[i] = listed ? t->auto_clips[i] : (rift_layer_auto){.clip = list->works[i].name};
    return true;
}

/* By priority; equal ones keep their order. Unknown clips come as priority 0 and warn by themselves. */
static void auto_sort(auto_layer *layers, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const auto_layer layer = layers[i];
        size_t k = i;
        for (; k > 0 && layers[k - 1].priority > layer.priority; k--)
            layers[k] = layers[k - 1];
        layers[k] = layer;
    }
}

static bool
auto_mode(const layer_job *l, const rift_layer_auto *asked, uint8_t blend_mode, rift_layer_command *c)
{
    c->mode = asked->has_mode ? asked->mode : blend_mode == 1 ? RIFT_LAYER_ADDITIVE : RIFT_LAYER_REPLACE;
    c->base = asked->has_mode ? asked->base : blend_mode == 1 ? RIFT_LAYER_IDENTITY : RIFT_LAYER_BIND;
    if (blend_mode > 1 && !asked->has_mode) {
        return rift_fail(l->run.job->err, RIFT_ERR_ARGUMENT, "layers.auto", RIFT_NO_OFFSET,
                         "unknown_blend_mode: the track of %.*s has %u; state mode and base",
                         RIFT_STR_ARG(asked->clip), blend_mode);
    }
    c->op = c->mode == RIFT_LAYER_ADDITIVE ? RIFT_LAYER_PLAY_ADDITIVE : RIFT_LAYER_PLAY_MASKED;
    return true;
}

static bool auto_command(layer_job *l, const auto_layer *layer, size_t slot)
{
    const rift_graph *graph = &l->run.job->skin.graph;
    const bool known = layer->clip != RIFT_GRAPH_MISSING;
    const rift_graph_clip *clip = known ? &graph->clips[layer->clip] : NULL;
    const rift_graph_track *track = known ? rift_graph_track_of(graph, clip->track) : NULL;
    rift_layer_command *c = &l->run.timeline.commands[l->run.timeline.command_count++];
    *c = (rift_layer_command){
        .slot = (int32_t)slot,
        .clip = layer->asked->clip,
        .loop = known && (clip->flags & 2) != 0,
        .speed = 1,
        .weight = track != NULL && isfinite(track->blend_weight) ? (double)track->blend_weight : 1,
    };
    return auto_mode(l, layer->asked, track != NULL ? track->blend_mode : 0, c) &&
           bake_layering_mask(&l->run, known ? clip->mask : 0, c, l->run.job->err);
}

static bool make_auto(layer_job *l, const bake_clip_list *list)
{
    bake_job *job = l->run.job;
    rift_layer_auto asked[RIFT_LAYER_SLOTS];
    auto_layer layers[RIFT_LAYER_SLOTS];
    size_t count;
    if (!auto_clips(l, list, asked, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const uint32_t clip = find_clip(l, asked[i].clip);
        const rift_graph_track *track =
            clip == RIFT_GRAPH_MISSING
                ? NULL
                : rift_graph_track_of(&job->skin.graph, job->skin.graph.clips[clip].track);
        layers[i] = (auto_layer){&asked[i], clip, track != NULL ? track->priority : 0};
    }
    auto_sort(layers, count);
    l->run.timeline.command_count = 0;
    l->run.timeline.mask_count = 0;
    l->run.timeline.commands = RIFT_NEW(job->out, rift_layer_command, count);
    l->run.timeline.masks = RIFT_NEW(job->out, rift_layer_mask, count);
    if (!rift_arena_ok(job->out, "layers", job->err))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!auto_command(l, &layers[i], i))
            return false;
    }
    return true;
}

/* The longest of the clips where the request says nothing. */
static void set_duration(layer_job *l)
{
    for (size_t i = 0; l->run.timeline.is_auto && i < l->run.clip_count; i++) {
        if (l->run.timeline.duration < l->run.clips[i].length && l->run.job->options.timeline->duration == 0)
            l->run.timeline.duration = fmin(l->run.clips[i].length, RIFT_LAYER_MAX_SECONDS);
    }
}

/* --- reports and extras -------------------------------------------------------------------------------------------- */

static void report_list(bake_job *job, const rift_layer_warnings *warnings, rift_str mask)
{
    for (size_t i = 0; i < warnings->count; i++) {
        const rift_layer_warning *w = &warnings->items[i];
        rift_report_add(&job->result->report, w->code, "%.*s%s%.*s", RIFT_STR_ARG(mask),
                        mask.size > 0 && w->detail.size > 0 ? ": " : "", RIFT_STR_ARG(w->detail));
    }
}

static void report_all(bake_layering *l)
{
    const rift_layer_warnings *of_masks = l->layers.mask_warnings;
    for (size_t i = 0; of_masks != NULL && i < l->timeline.mask_count; i++)
        report_list(l->job, &of_masks[i], l->timeline.masks[i].name);
    report_list(l->job, &l->layers.warnings, (rift_str){0});
}

static bool go_on(void *user)
{
    const bake_job *job = user;
    return job->control == NULL || !atomic_load_explicit(&job->control->cancel, memory_order_relaxed);
}

static void put_warnings(rift_json *j, bake_job *job, const rift_layer_warnings *warnings)
{
    rift_json_key(j, "warnings");
    rift_json_array(j);
    for (size_t i = 0; i < warnings->count; i++)
        rift_json_str(j, rift_layer_warning_text(&warnings->items[i], job->tmp));
    rift_json_array_end(j);
}

static void put_masks(rift_json *j, const bake_layering *l)
{
    const rift_timeline *t = &l->timeline;
    rift_json_key(j, "masks");
    rift_json_array(j);
    for (size_t i = 0; i < t->mask_count; i++) {
        const double *weights = l->layers.mask_weights[i];
        size_t joints = 0;
        for (size_t k = 0; weights != NULL && k < l->layers.skeleton->joint_count; k++)
            joints += weights[k] > 0;
        rift_json_object(j);
        rift_json_put_str(j, "name", t->masks[i].name);
        rift_json_put_bool(j, "known", weights != NULL);
        rift_json_put_uint(j, "joints", joints);
        put_warnings(j, l->job, &l->layers.mask_warnings[i]);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

void bake_put_layering(rift_json *j, const bake_layering *l)
{
    rift_json_key(j, "layers");
    rift_json_object(j);
    rift_json_key(j, "timeline");
    rift_timeline_json(j, &l->timeline);
    put_masks(j, l);
    put_warnings(j, l->job, &l->layers.warnings);
    rift_json_put_uint(j, "keys", l->baked.key_count);
    rift_json_key(j, "error");
    rift_json_object(j);
    rift_json_put_double(j, "translation", l->baked.error_translation);
    rift_json_put_double(j, "rotation_deg", l->baked.error_rotation_rad * 180 / 3.14159265358979323846);
    rift_json_put_double(j, "scale", l->baked.error_scale);
    rift_json_object_end(j);
    if (l->baked.loop_seam)
        rift_json_put_bool(j, "loop_seam", true);
    rift_json_object_end(j);
}

rift_str bake_layer_extras(bake_job *job, const bake_clip_list *list)
{
    rift_buf buf;
    rift_json j;
    const bake_clip_work *work = &list->works[list->work_count - 1];
    bake_members_begin(&j, &buf, job->out);
    rift_json_key(&j, "clip");
    rift_json_null(&j);
    rift_json_put_hex(&j, "hash", rift_fnv1a(list->layered->job.run.timeline.name), 8);
    rift_json_put_cstr(&j, "class", "layers");
    bake_put_layering(&j, &list->layered->job.run);
    bake_put_snaps(&j, job, &list->takes[work->pieces[0]]);
    return bake_members_end(&j, &buf);
}

bool bake_is_layered(const bake_clip_list *list, const bake_clip_work *work)
{
    return list->layered != NULL && work->source == &list->layered->source;
}

/* --- snaps (L39) --------------------------------------------------------------------------------------------------- */

typedef struct snap_sources {
    rift_layer_event *events;
    rift_snap_window *windows; /* the same, as the clip has them */
    rift_snap_event *named;    /* the same, as the game has them */
    size_t count;
} snap_sources;

/* The windows of all clips, each clip once. */
static bool gather_snaps(const bake_layering *l, snap_sources *out, rift_err *err)
{
    size_t count = 0;
    for (size_t i = 0; i < l->clip_count; i++)
        count += l->snaps[i].resolved.window_count;
    out->events = RIFT_NEW(l->job->out, rift_layer_event, count);
    out->windows = RIFT_NEW(l->job->out, rift_snap_window, count);
    out->named = RIFT_NEW(l->job->out, rift_snap_event, count);
    if (out->events == NULL || out->windows == NULL || out->named == NULL)
        return rift_arena_ok(l->job->out, "layers", err);
    for (size_t i = 0; i < l->clip_count; i++) {
        const rift_snap_windows *from = &l->snaps[i].resolved;
        for (size_t w = 0; w < from->window_count; w++) {
            const rift_snap_window *window = &from->windows[w];
            out->events[out->count] =
                (rift_layer_event){l->clips[i].id, window->victim, window->start, window->end};
            out->windows[out->count] = *window;
            out->named[out->count++] = l->snaps[i].events[window->event];
        }
    }
    return true;
}

static bool find_snaps(const bake_layering *l, bake_take *take, rift_err *err)
{
    bake_job *job = l->job;
    snap_sources sources = {0};
    rift_layer_window *found;
    size_t count;
    if (!gather_snaps(l, &sources, err) ||
        !rift_layers_windows(&found, &count, &l->layers, sources.events, sources.count, job->out, err))
        return false;
    rift_snap_window *windows = RIFT_NEW(job->out, rift_snap_window, count);
    if (windows == NULL)
        return rift_arena_ok(job->out, "layers", err);
    for (size_t i = 0; i < count; i++) {
        windows[i] = sources.windows[found[i].event];
        windows[i].start = found[i].from;
        windows[i].end = fmin(found[i].to, (double)take->keys.length);
        windows[i].priority = (int32_t)found[i].slot;
        windows[i].event = found[i].event;
    }
    take->snaps = (bake_snaps){
        .events = sources.named,
        .event_count = sources.count,
        .resolved = {.windows = windows, .window_count = count},
    };
    return true;
}

/* --- the bake ------------------------------------------------------------------------------------------------------ */

bool bake_layering_take(bake_layering *l, bake_take *take, rift_err *err)
{
    bake_job *job = l->job;
    if (!rift_layers_build(&l->layers, job->scene.skeleton, l->clips, l->clip_count, &l->timeline, job->out,
                           err))
        return false;
    report_all(l);
    if (!rift_layers_bake(&l->baked, &l->layers, go_on, job, job->out, job->tmp, err))
        return false;
    if (l->baked.loop_seam)
        rift_report_add(&job->result->report, "loop_seam", "the last pose is not the first one");
    take->layering = l;
    take->ok = true;
    take->fps = l->timeline.fps;
    take->stored_duration = l->timeline.duration;
    take->speed = 1;
    take->keys = l->baked.keys;
    return find_snaps(l, take, err) && rift_arena_ok(job->out, "layers", err);
}

/* A take and a work behind the others. */
static bool append(struct bake_layered *layered, bake_clip_list *list)
{
    bake_layering *l = &layered->job.run;
    bake_take take = {.clip = &layered->source, .name = l->timeline.name};
    uint32_t *piece = RIFT_NEW(l->job->out, uint32_t, 1);
    if (piece == NULL)
        return rift_arena_ok(l->job->out, "layers", l->job->err);
    if (!bake_layering_take(l, &take, l->job->err))
        return false;
    *piece = (uint32_t)list->take_count;
    list->takes[list->take_count++] = take;
    list->works[list->work_count++] =
        (bake_clip_work){.source = &layered->source, .name = take.name, .pieces = piece, .piece_count = 1};
    list->layered = layered;
    return true;
}

bool bake_layers(bake_job *job, bake_clip_list *list)
{
    const rift_timeline *timeline = job->options.timeline;
    if (timeline == NULL || bake_wants_pose(job))
        return true;
    struct bake_layered *layered = RIFT_NEW(job->out, struct bake_layered, 1);
    if (layered == NULL)
        return rift_arena_ok(job->out, "layers", job->err);
    layered->source = (rift_graph_clip){
        .name = timeline->name, .kind = RIFT_CLIP_ATOMIC, .representative = RIFT_GRAPH_MISSING};
    layer_job *l = &layered->job;
    *l = (layer_job){.run = {.job = job, .timeline = *timeline}};
    rift_err_in(job->err, timeline->name);
    rift_report_in(&job->result->report, timeline->name);
    const bool ok =
        name_clips(l) && (timeline->is_auto ? make_auto(l, list) : copy_masks(l, timeline)) && add_clips(l);
    rift_report_in(&job->result->report, timeline->name);
    if (ok)
        set_duration(l);
    const bool baked = ok && append(layered, list);
    rift_report_in(&job->result->report, (rift_str){0});
    return baked;
}
