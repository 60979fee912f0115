/* Reads a graph in passes: clips and their children by name, children to indices, cycles cut,
 * representatives. */
#include "game/graph.h"

#include <inttypes.h>
#include <math.h>

#include "base/str.h"
#include "game/field_names.h"
#include "game/game_internal.h"
#include "hash/hash.h"

typedef struct reader {
    rift_graph graph;
    rift_map index; /* clip hash -> index */
    const rift_names *names;
    rift_arena *arena;
    rift_report *report;
} reader;

static const struct {
    uint32_t class_hash;
    rift_clip_class kind;
    const char *word;
} clip_classes[] = {
    {RIFT_C_ATOMIC_CLIP_DATA, RIFT_CLIP_ATOMIC, "atomic"},
    {RIFT_C_PARAMETRIC_CLIP_DATA, RIFT_CLIP_PARAMETRIC, "parametric"},
    {RIFT_C_SELECTOR_CLIP_DATA, RIFT_CLIP_SELECTOR, "selector"},
    {RIFT_C_SEQUENCER_CLIP_DATA, RIFT_CLIP_SEQUENCER, "sequencer"},
    {RIFT_C_PARALLEL_CLIP_DATA, RIFT_CLIP_PARALLEL, "parallel"},
    {RIFT_C_CONDITION_BOOL_CLIP_DATA, RIFT_CLIP_CONDITION_BOOL, "condition_bool"},
    {RIFT_C_CONDITION_FLOAT_CLIP_DATA, RIFT_CLIP_CONDITION_FLOAT, "condition_float"},
    {RIFT_C_EVENT_CONTROLLED_SELECTOR_CLIP_DATA, RIFT_CLIP_EVENT_SELECTOR, "event_selector"},
    {RIFT_C_SWITCH_INT_CLIP_DATA, RIFT_CLIP_SWITCH_INT, "switch_int"},
    {RIFT_C_STATE_ANIM_CLIP_DATA, RIFT_CLIP_STATE, "state"},
};

const char *rift_clip_class_word(rift_clip_class kind)
{
    for (size_t i = 0; i < RIFT_COUNT(clip_classes); i++) {
        if (clip_classes[i].kind == kind)
            return clip_classes[i].word;
    }
    return "unknown";
}

static rift_clip_class kind_of(uint32_t class_hash)
{
    for (size_t i = 0; i < RIFT_COUNT(clip_classes); i++) {
        if (clip_classes[i].class_hash == class_hash)
            return clip_classes[i].kind;
    }
    return RIFT_CLIP_UNKNOWN;
}

/* A map key: a hash, a string that is hashed, or a plain number. */
static uint32_t key_of(const rift_bin_value *key)
{
    const uint32_t hash = rift_bin_value_hash(key);
    return hash != 0 ? hash : (uint32_t)rift_bin_value_integer(key, 0);
}

/* ---- Children ---- */

static void make_children(rift_graph_clip *clip, size_t count, rift_arena *arena)
{
    clip->child_hashes = RIFT_NEW(arena, uint32_t, count);
    clip->child_values = RIFT_NEW(arena, float, count);
    clip->children = RIFT_NEW(arena, uint32_t, count);
    clip->child_count = clip->children != NULL ? count : 0;
    for (size_t i = 0; i < clip->child_count; i++)
        clip->children[i] = RIFT_GRAPH_MISSING;
}

/* A list of pairs (name and, in most classes, a value); `extra` more places are left free in front. */
static void read_pairs(rift_graph_clip *clip,
                       const rift_bin_object *object,
                       uint32_t list,
                       uint32_t name,
                       uint32_t value,
                       size_t extra,
                       rift_arena *arena)
{
    size_t count;
    const rift_bin_value *items = rift_bin_items(object, list, &count);
    make_children(clip, count + extra, arena);
    for (size_t i = extra; i < clip->child_count; i++) {
        const rift_bin_object *pair = rift_bin_value_object(&items[i - extra]);
        clip->child_hashes[i] = rift_bin_hash(pair, name);
        clip->child_values[i] = value != 0 ? (float)rift_bin_number(pair, value, 0.0) : 0.0F;
    }
}

static void read_names(rift_graph_clip *clip, const rift_bin_object *object, rift_arena *arena)
{
    size_t count;
    const rift_bin_value *items = rift_bin_items(object, RIFT_F_M_CLIP_NAME_LIST, &count);
    make_children(clip, count, arena);
    for (size_t i = 0; i < clip->child_count; i++)
        clip->child_hashes[i] = rift_bin_value_hash(&items[i]);
}

static void read_condition(rift_graph_clip *clip, const rift_bin_object *object, rift_arena *arena)
{
    make_children(clip, 2, arena);
    if (clip->child_count != 2)
        return;
    clip->child_hashes[0] = rift_bin_hash(object, RIFT_F_M_TRUE_CONDITION_CLIP_NAME);
    clip->child_hashes[1] = rift_bin_hash(object, RIFT_F_M_FALSE_CONDITION_CLIP_NAME);
    clip->child_values[0] = 1.0F;
}

static void read_children(rift_graph_clip *clip, const rift_bin_object *object, rift_arena *arena)
{
    switch (clip->kind) {
    case RIFT_CLIP_PARAMETRIC:
        read_pairs(clip, object, RIFT_F_M_PARAMETRIC_PAIR_DATA_LIST, RIFT_F_M_CLIP_NAME, RIFT_F_M_VALUE, 0,
                   arena);
        break;
    case RIFT_CLIP_SELECTOR:
        read_pairs(clip, object, RIFT_F_M_SELECTOR_PAIR_DATA_LIST, RIFT_F_M_CLIP_NAME, RIFT_F_M_PROBABILITY,
                   0, arena);
        break;
    case RIFT_CLIP_CONDITION_FLOAT:
        read_pairs(clip, object, RIFT_F_M_CONDITION_FLOAT_PAIR_DATA_LIST, RIFT_F_M_CLIP_NAME, RIFT_F_M_VALUE,
                   0, arena);
        break;
    case RIFT_CLIP_SWITCH_INT:
        read_pairs(clip, object, RIFT_F_SWITCH_INT_PAIR_DATA_LIST, RIFT_F_CLIP_NAME, RIFT_F_VALUE, 0, arena);
        break;
    case RIFT_CLIP_EVENT_SELECTOR:
        read_pairs(clip, object, RIFT_F_SELECTOR_PAIR_DATA_LIST, RIFT_F_CLIP_NAME, 0, 1, arena);
        if (clip->child_count > 0)
            clip->child_hashes[0] = rift_bin_hash(object, RIFT_F_DEFAULT_CLIP_NAME);
        break;
    case RIFT_CLIP_STATE:
        make_children(clip, 1, arena);
        if (clip->child_count > 0)
            clip->child_hashes[0] = rift_bin_hash(object, RIFT_F_CHILD_CLIP_NAME);
        break;
    case RIFT_CLIP_CONDITION_BOOL:
        read_condition(clip, object, arena);
        break;
    case RIFT_CLIP_SEQUENCER:
    case RIFT_CLIP_PARALLEL:
        read_names(clip, object, arena);
        break;
    case RIFT_CLIP_ATOMIC:
    case RIFT_CLIP_UNKNOWN:
        make_children(clip, 0, arena);
        break;
    }
}

static void link_children(reader *r)
{
    for (size_t i = 0; i < r->graph.clip_count; i++) {
        rift_graph_clip *clip = &r->graph.clips[i];
        for (size_t k = 0; k < clip->child_count; k++) {
            const uint32_t hash = clip->child_hashes[k];
            const uint32_t at = hash != 0 ? rift_map_lookup(&r->index, hash) : RIFT_MAP_NONE;
            if (at != RIFT_MAP_NONE) {
                clip->children[k] = at;
            } else if (hash != 0) {
                rift_report_add(r->report, "clip_child_missing", "0x%08" PRIx32 " of 0x%08" PRIx32, hash,
                                clip->hash);
            }
        }
    }
}

/* Depth first from every clip in order, with a stack of our own; an edge to a clip on the stack is cut. */
static void cut_cycles(reader *r)
{
    enum { UNSEEN, OPEN, DONE };
    rift_graph *g = &r->graph;
    uint8_t *state = RIFT_NEW(r->arena, uint8_t, g->clip_count);
    uint32_t *stack = RIFT_NEW(r->arena, uint32_t, g->clip_count);
    size_t *next = RIFT_NEW(r->arena, size_t, g->clip_count);
    if (state == NULL || stack == NULL || next == NULL)
        return;
    for (size_t root = 0; root < g->clip_count; root++) {
        size_t depth = 0;
        if (state[root] == UNSEEN) {
            stack[depth++] = (uint32_t)root;
            state[root] = OPEN;
        }
        while (depth > 0) {
            const uint32_t at = stack[depth - 1];
            rift_graph_clip *clip = &g->clips[at];
            if (next[at] == clip->child_count) {
                state[at] = DONE;
                depth--;
                continue;
            }
            const size_t k = next[at]++;
            const uint32_t child = clip->children[k];
            if (child == RIFT_GRAPH_MISSING || state[child] == DONE)
                continue;
            if (state[child] == OPEN) {
                clip->children[k] = RIFT_GRAPH_MISSING;
                rift_report_add(r->report, "clip_cycle", "0x%08" PRIx32 " leads back to 0x%08" PRIx32,
                                clip->hash, g->clips[child].hash);
                continue;
            }
            state[child] = OPEN;
            stack[depth++] = child;
        }
    }
}

/* ---- Representatives ---- */

/* How well a child stands for its parent: the highest counts, the first of equals. */
static float fitness(const rift_graph_clip *clip, size_t child, bool prefer_false)
{
    switch (clip->kind) {
    case RIFT_CLIP_SELECTOR:
        return clip->child_values[child];
    case RIFT_CLIP_PARAMETRIC:
    case RIFT_CLIP_CONDITION_FLOAT:
    case RIFT_CLIP_SWITCH_INT:
        return -fabsf(clip->child_values[child]);
    case RIFT_CLIP_CONDITION_BOOL:
        return prefer_false ? -clip->child_values[child] : clip->child_values[child];
    default:
        return 0.0F;
    }
}

static void choose_representative(rift_graph_clip *clip, bool prefer_false)
{
    float best = 0.0F;
    clip->representative = RIFT_GRAPH_MISSING;
    for (size_t i = 0; i < clip->child_count; i++) {
        if (clip->children[i] == RIFT_GRAPH_MISSING)
            continue;
        const float value = fitness(clip, i, prefer_false);
        if (clip->representative != RIFT_GRAPH_MISSING && !(value > best))
            continue;
        clip->representative = clip->children[i];
        best = value;
    }
}

/* ---- Clips ---- */

static float frame(const rift_bin_object *object, uint32_t field, double fallback)
{
    return (float)rift_bin_number(object, field, fallback);
}

static void read_clip(reader *r, rift_graph_clip *clip, uint32_t hash, const rift_bin_object *object)
{
    *clip = (rift_graph_clip){
        .hash = hash, .class_hash = object->class_hash, .kind = kind_of(object->class_hash)};
    clip->flags = (uint32_t)rift_bin_integer(object, RIFT_F_M_FLAGS, 0);
    clip->mask = rift_bin_hash(object, RIFT_F_M_MASK_DATA_NAME);
    clip->track = rift_bin_hash(object, RIFT_F_M_TRACK_DATA_NAME);
    clip->sync_group = rift_bin_hash(object, RIFT_F_M_SYNC_GROUP_DATA_NAME);
    clip->tick = frame(object, RIFT_F_M_TICK_DURATION, 1.0 / 30.0);
    clip->start_frame = frame(object, RIFT_F_START_FRAME, 0.0);
    clip->end_frame = frame(object, RIFT_F_END_FRAME, -1.0);
    if (clip->kind == RIFT_CLIP_ATOMIC) {
        clip->file = rift_asset_path_field(rift_bin_object_of(object, RIFT_F_M_ANIMATION_RESOURCE_DATA),
                                           RIFT_F_M_ANIMATION_FILE_PATH);
        rift_asset_path_resolve(&clip->file, r->names, r->arena);
    }
    game_read_events(clip, object, r->arena, r->report);
    read_children(clip, object, r->arena);
    if (clip->kind == RIFT_CLIP_UNKNOWN) {
        rift_report_add(r->report, "clip_class_unknown", "0x%08" PRIx32 ": class 0x%08" PRIx32, hash,
                        object->class_hash);
    }
}

static void read_clips(reader *r, const rift_bin_object *object)
{
    size_t count;
    const rift_bin_pair *pairs = rift_bin_pairs(object, RIFT_F_M_CLIP_DATA_MAP, &count);
    r->graph.clips = RIFT_NEW(r->arena, rift_graph_clip, count);
    rift_map_init(&r->index, r->arena, count);
    const rift_bin_object **sources = RIFT_NEW(r->arena, const rift_bin_object *, count);
    if (r->graph.clips == NULL || sources == NULL)
        return;
    for (size_t i = 0; i < count && r->arena->failed == RIFT_OK; i++) {
        const uint32_t hash = key_of(&pairs[i].key);
        const rift_bin_object *clip = rift_bin_value_object(&pairs[i].value);
        if (clip == NULL) {
            rift_report_add(r->report, "clip_null", "0x%08" PRIx32, hash);
            continue;
        }
        const uint32_t at = (uint32_t)r->graph.clip_count;
        if (rift_map_add(&r->index, hash, at) != at)
            continue;
        sources[at] = clip;
        read_clip(r, &r->graph.clips[at], hash, clip);
        r->graph.clip_count++;
    }
    link_children(r);
    cut_cycles(r);
    for (size_t i = 0; i < r->graph.clip_count; i++) {
        const rift_bin_object *updater = rift_bin_object_of(sources[i], RIFT_F_UPDATER);
        choose_representative(&r->graph.clips[i],
                              updater != NULL && updater->class_hash == RIFT_C_IS_MOVING_PARAMETRIC_UPDATER);
    }
}

/* ---- Tracks and masks: equal keys are dropped by the bin parser, and the lookups find the first ---- */

static uint8_t small(const rift_bin_object *object, uint32_t field)
{
    const int64_t v = rift_bin_integer(object, field, 0);
    return (uint8_t)(v < 0 ? 0 : v > UINT8_MAX ? UINT8_MAX : v);
}

static void read_tracks(reader *r, const rift_bin_object *object)
{
    size_t count;
    const rift_bin_pair *pairs = rift_bin_pairs(object, RIFT_F_M_TRACK_DATA_MAP, &count);
    r->graph.tracks = RIFT_NEW(r->arena, rift_graph_track, count);
    for (size_t i = 0; i < count && r->graph.tracks != NULL; i++) {
        const rift_bin_object *track = rift_bin_value_object(&pairs[i].value);
        if (track == NULL)
            continue;
        r->graph.tracks[r->graph.track_count++] = (rift_graph_track){
            .hash = key_of(&pairs[i].key),
            .priority = small(track, RIFT_F_M_PRIORITY),
            .blend_mode = small(track, RIFT_F_M_BLEND_MODE),
            .blend_weight = (float)rift_bin_number(track, RIFT_F_M_BLEND_WEIGHT, 1.0),
        };
    }
}

static void read_weights(rift_graph_mask *mask, const rift_bin_object *object, rift_arena *arena)
{
    size_t count;
    const rift_bin_value *items = rift_bin_items(object, RIFT_F_M_WEIGHT_LIST, &count);
    mask->weights = RIFT_NEW(arena, float, count);
    mask->weight_count = mask->weights != NULL ? count : 0;
    for (size_t i = 0; i < mask->weight_count; i++)
        mask->weights[i] = (float)rift_bin_value_number(&items[i], 0.0);
}

static void read_masks(reader *r, const rift_bin_object *object)
{
    size_t count;
    const rift_bin_pair *pairs = rift_bin_pairs(object, RIFT_F_M_MASK_DATA_MAP, &count);
    r->graph.masks = RIFT_NEW(r->arena, rift_graph_mask, count);
    for (size_t i = 0; i < count && r->graph.masks != NULL; i++) {
        const rift_bin_object *mask = rift_bin_value_object(&pairs[i].value);
        if (mask == NULL)
            continue;
        rift_graph_mask *out = &r->graph.masks[r->graph.mask_count++];
        *out = (rift_graph_mask){.hash = key_of(&pairs[i].key)};
        read_weights(out, mask, r->arena);
    }
}

bool rift_graph_read(rift_graph *out,
                     const rift_bin_object *object,
                     rift_str champion,
                     const rift_names *names,
                     rift_arena *arena,
                     rift_report *report,
                     rift_err *err)
{
    reader r = {.names = names, .arena = arena, .report = report};
    read_clips(&r, object);
    read_tracks(&r, object);
    read_masks(&r, object);
    if (!rift_arena_ok(arena, "animation graph", err))
        return false;
    game_name_graph(&r.graph, champion, names, arena);
    if (!rift_arena_ok(arena, "animation graph", err))
        return false;
    *out = r.graph;
    return true;
}

/* ---- Lookups ---- */

const rift_graph_track *rift_graph_track_of(const rift_graph *graph, uint32_t hash)
{
    for (size_t i = 0; i < graph->track_count; i++) {
        if (graph->tracks[i].hash == hash)
            return &graph->tracks[i];
    }
    return NULL;
}

const rift_graph_mask *rift_graph_mask_of(const rift_graph *graph, uint32_t hash)
{
    for (size_t i = 0; i < graph->mask_count; i++) {
        if (graph->masks[i].hash == hash)
            return &graph->masks[i];
    }
    return NULL;
}

uint32_t rift_graph_clip_index(const rift_graph *graph, uint32_t hash)
{
    for (size_t i = 0; i < graph->clip_count; i++) {
        if (graph->clips[i].hash == hash)
            return (uint32_t)i;
    }
    return RIFT_GRAPH_MISSING;
}

uint32_t rift_graph_atomic_of(const rift_graph *graph, uint32_t index)
{
    for (size_t steps = 0; steps <= graph->clip_count && index < graph->clip_count; steps++) {
        if (graph->clips[index].kind == RIFT_CLIP_ATOMIC)
            return index;
        index = graph->clips[index].representative;
    }
    return RIFT_GRAPH_MISSING;
}
