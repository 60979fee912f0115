#include "bake/bake_internal.h"

#include "base/str.h"

enum { MAX_EXTRAS = 16 * 1024 * 1024 };

/* Opens an object in a fresh buffer; bake_members_end gives what stands between its braces. */
void bake_members_begin(rift_json *j, rift_buf *buf, rift_arena *arena)
{
    rift_buf_init(buf, arena, MAX_EXTRAS);
    rift_json_init(j, buf);
    rift_json_object(j);
}

rift_str bake_members_end(rift_json *j, const rift_buf *buf)
{
    rift_json_object_end(j);
    return buf->failed ? (rift_str){0} : (rift_str){(const char *)buf->data + 1, buf->size - 2};
}

static void put_name_of(rift_json *j, const char *key, uint32_t hash, rift_str name)
{
    if (hash == 0)
        return;
    rift_json_key(j, key);
    if (name.size > 0) {
        rift_json_str(j, name);
    } else {
        rift_json_hex(j, hash, 8);
    }
}

static void put_mask(rift_json *j, const rift_graph *graph, uint32_t hash)
{
    rift_str name = {0};
    for (size_t i = 0; i < graph->mask_count && name.size == 0; i++) {
        if (graph->masks[i].hash == hash)
            name = graph->masks[i].name;
    }
    put_name_of(j, "mask", hash, name);
}

void bake_clip_fields(rift_json *j, const rift_graph *graph, const rift_graph_clip *clip, rift_arena *scratch)
{
    if (clip->file.hash != 0)
        rift_json_put_str(j, "file", rift_asset_path_text(&clip->file, scratch));
    rift_json_put_double(j, "tick", (double)clip->tick);
    rift_json_put_bool(j, "loop", (clip->flags & 2) != 0);
    const rift_graph_track *track = rift_graph_track_of(graph, clip->track);
    put_name_of(j, "track", clip->track, track ? track->name : (rift_str){0});
    put_mask(j, graph, clip->mask);
}

void bake_clip_children(rift_json *j, bake_job *job, const rift_graph_clip *clip)
{
    rift_json_key(j, "children");
    rift_json_array(j);
    for (size_t i = 0; i < clip->child_count; i++) {
        rift_json_object(j);
        const uint32_t child = clip->children[i];
        if (child != RIFT_GRAPH_MISSING) {
            rift_json_put_str(j, "name",
                              rift_graph_clip_name(&job->skin.graph.clips[child], job->skin.ref.alias,
                                                   job->names, job->tmp));
        } else {
            rift_json_put_bool(j, "missing", true);
        }
        rift_json_put_hex(j, "hash", clip->child_hashes[i], 8);
        rift_json_put_double(j, "value", (double)clip->child_values[i]);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

static void put_leftovers(rift_json *j, const rift_track_map *map)
{
    rift_json_key(j, "leftover");
    rift_json_array(j);
    for (size_t i = 0; i < map->leftover_count; i++) {
        rift_json_object(j);
        rift_json_put_hex(j, "hash", map->leftovers[i].hash, 8);
        rift_json_put_cstr(j, "reason",
                           map->leftovers[i].reason == RIFT_LEFTOVER_NO_JOINT ? "no_joint" : "duplicate");
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

rift_str bake_track_extras(bake_job *job, const rift_anm *anm, const rift_track_map *map)
{
    rift_buf buf;
    rift_json j;
    bake_members_begin(&j, &buf, job->out);
    rift_json_key(&j, "tracks");
    rift_json_object(&j);
    rift_json_put_uint(&j, "total", anm->track_count);
    rift_json_put_uint(&j, "skinning", map->skinning_count);
    rift_json_put_uint(&j, "other", map->other_count);
    if (map->leftover_count > 0)
        put_leftovers(&j, map);
    rift_json_object_end(&j);
    return bake_members_end(&j, &buf);
}

/* What is known of a take: of its clip, of its file, of how it was read. */
static void put_take(rift_json *j, bake_job *job, const bake_take *take)
{
    if (take->layering != NULL) {
        rift_json_put_double(j, "duration", take->stored_duration);
        bake_put_layering(j, take->layering);
        bake_put_snaps(j, job, take);
        return;
    }
    bake_clip_fields(j, &job->skin.graph, take->clip, job->tmp);
    rift_json_put_double(j, "fps", take->fps);
    rift_json_put_double(j, "duration", take->stored_duration);
    if (job->options.timing == RIFT_TIMING_GAME)
        rift_json_put_double(j, "speed", take->speed);
    if (take->additive) {
        rift_json_put_bool(j, "additive", true);
        rift_json_put_bool(j, "composed", take->composed);
    }
    rift_json_raw_members(j, take->tracks);
    bake_put_snaps(j, job, take);
}

static void put_name_or_null(rift_json *j, const char *key, rift_str name)
{
    rift_json_key(j, key);
    if (name.size > 0) {
        rift_json_str(j, name);
    } else {
        rift_json_null(j);
    }
}

/* What is played: the clips one after another, and of those that are played together each. */
static void put_resolved(rift_json *j, const bake_clip_list *list, const bake_clip_work *work)
{
    rift_json_key(j, "resolved");
    rift_json_array(j);
    for (size_t k = 0; k < work->piece_count; k++) {
        const bake_take *take = &list->takes[work->pieces[k]];
        if (take->layering == NULL)
            rift_json_str(j, take->name);
        for (size_t i = 0; take->layering != NULL && i < take->layering->clip_count; i++)
            rift_json_str(j, take->layering->clips[i].name);
    }
    rift_json_array_end(j);
}

/* A composite clip: what it stands for, and the pieces of a sequence with the second at which each begins. */
static void put_composite(
    rift_json *j, bake_job *job, const bake_clip_list *list, const bake_clip_work *work, const double *begins)
{
    put_resolved(j, list, work);
    bake_clip_children(j, job, work->source);
    if (work->piece_count == 1)
        return;
    rift_json_key(j, "pieces");
    rift_json_array(j);
    for (size_t k = 0; k < work->piece_count; k++) {
        const bake_take *take = &list->takes[work->pieces[k]];
        rift_json_object(j);
        put_name_or_null(j, "clip", take->clip->name);
        rift_json_put_hex(j, "hash", take->clip->hash, 8);
        rift_json_put_double(j, "t", begins[k]);
        rift_json_put_double(j, "length", (double)take->keys.length);
        put_take(j, job, take);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

size_t bake_spans_of(bake_span *spans, size_t room, const bake_take *take, double begin, double end)
{
    const double length = (double)take->keys.length;
    const bake_span itself = {take->clip,
                              {.fps = take->fps,
                               .cut = take->trim_start,
                               .speed = take->speed,
                               .length = length,
                               .clip = take->name}};
    const bool is_one = take->parts == NULL;
    const bake_span *from = is_one ? &itself : take->spans;
    const size_t from_count = is_one ? 1 : take->span_count;
    size_t count = 0;
    for (size_t i = 0; i < from_count && count < room; i++) {
        spans[count] = from[i];
        rift_event_clock *clock = &spans[count].clock;
        clock->begin += begin;
        if (clock->begin > end)
            continue;
        clock->length = clock->length < end - clock->begin ? clock->length : end - clock->begin;
        count++;
    }
    return count;
}

/* Where a work's clips lie in it. */
typedef struct layout {
    double *begins; /* by piece */
    bake_span *spans;
    size_t span_count;
} layout;

/* The pieces' spans, and behind them that of a composite clip's own events. */
static bool lay_out(layout *out, bake_job *job, const bake_clip_list *list, const bake_clip_work *work)
{
    size_t room = 1;
    for (size_t k = 0; k < work->piece_count; k++)
        room += 1 + list->takes[work->pieces[k]].span_count;
    *out = (layout){.begins = RIFT_NEW(job->tmp, double, work->piece_count),
                    .spans = RIFT_NEW(job->tmp, bake_span, room)};
    if (out->begins == NULL || out->spans == NULL)
        return false;
    double begin = 0;
    for (size_t k = 0; k < work->piece_count; k++) {
        const bake_take *take = &list->takes[work->pieces[k]];
        out->begins[k] = begin;
        out->span_count += bake_spans_of(out->spans + out->span_count, room - out->span_count, take, begin,
                                         begin + (double)take->keys.length);
        begin += (double)take->keys.length;
    }
    const bake_take *first = &list->takes[work->pieces[0]];
    if (work->piece_count == 1 && first->parts == NULL)
        out->spans[0].clock.clip = (rift_str){0};
    if (work->source->kind != RIFT_CLIP_ATOMIC) {
        out->spans[out->span_count++] = (bake_span){
            work->source,
            {.fps = first->fps, .cut = first->trim_start, .speed = first->speed, .length = begin}};
    }
    return true;
}

rift_str bake_clip_extras(bake_job *job, const bake_clip_list *list, const bake_clip_work *work)
{
    rift_buf buf;
    rift_json j;
    layout at;
    if (!lay_out(&at, job, list, work))
        return (rift_str){0}; /* whoever owns the arena asks it */
    bake_members_begin(&j, &buf, job->out);
    put_name_or_null(&j, "clip", work->source->name);
    rift_json_put_hex(&j, "hash", work->source->hash, 8);
    rift_json_put_cstr(&j, "class", rift_clip_class_word(work->source->kind));
    if (work->source->kind != RIFT_CLIP_ATOMIC)
        put_composite(&j, job, list, work, at.begins);
    if (work->piece_count == 1)
        put_take(&j, job, &list->takes[work->pieces[0]]);
    bake_put_events(&j, job, at.spans, at.span_count);
    bake_put_visibility(&j, job, at.spans, at.span_count);
    return bake_members_end(&j, &buf);
}

void bake_work_visible_at(
    bool *shown, bake_job *job, const bake_clip_list *list, const bake_clip_work *work, double t)
{
    layout at;
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    if (lay_out(&at, job, list, work))
        bake_visible_at(shown, job, at.spans, at.span_count, t);
    rift_arena_rewind(job->tmp, mark);
}

/* Base names of the files that were found, where a bin or the caller spelt them. */
static void put_sources(rift_json *j, bake_job *job)
{
    const rift_asset_path *paths[] = {&job->skin.mesh, &job->skin.skeleton};
    rift_json_key(j, "sources");
    rift_json_array(j);
    for (size_t i = 0; i < RIFT_COUNT(paths); i++) {
        if (paths[i]->hash != 0)
            rift_json_str(j, rift_asset_path_text(paths[i], job->out));
    }
    for (size_t i = 0; i < job->scene.texture_count; i++)
        rift_json_str(j, job->scene.textures[i].name);
    rift_json_array_end(j);
}

void bake_put_rig(rift_json *j, bake_job *job)
{
    const rift_skin *skin = &job->skin;
    if (skin->socket_count > 0) {
        rift_json_key(j, "sockets");
        rift_skin_rig_json(j, skin->sockets, skin->socket_count, &job->event_names, job->tmp);
    }
    if (skin->modifier_count > 0) {
        rift_json_key(j, "pose_modifiers");
        rift_skin_rig_json(j, skin->modifiers, skin->modifier_count, &job->event_names, job->tmp);
    }
}

rift_str bake_asset_extras(bake_job *job)
{
    rift_buf buf;
    rift_json j;
    const rift_skin_ref *ref = &job->skin.ref;
    bake_members_begin(&j, &buf, job->out);
    rift_json_put_cstr(&j, "version", RIFT_VERSION);
    if (ref->id != 0)
        rift_json_put_uint(&j, "skin", ref->id);
    if (ref->alias.size > 0) {
        rift_json_put_str(&j, "champion", ref->alias);
        rift_json_put_uint(&j, "number", ref->number);
    }
    if (job->skin.character.size > 0)
        rift_json_put_str(&j, "name", job->skin.character);
    rift_json_put_double(&j, "sigma", job->options.units == RIFT_UNITS_LEAGUE ? 1.0 : 0.01);
    rift_json_put_cstr(&j, "mirror", job->options.mirror == RIFT_MIRROR_BAKE ? "x" : "off");
    rift_json_put_double(&j, "skin_scale", job->skin.scale);
    rift_json_key(&j, "options");
    rift_json_object(&j);
    rift_options_json(&j, &job->options, job->out);
    rift_json_object_end(&j);
    put_sources(&j, job);
    bake_put_rig(&j, job);
    bake_put_reparented(&j, job);
    bake_put_forms(&j, job);
    rift_json_key(&j, "report");
    rift_json_report(&j, &job->result->report);
    return bake_members_end(&j, &buf);
}
