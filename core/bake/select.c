/* Which clips are written. The list of takes is made here too, so that what several animations play is converted once. */
#include "bake/bake_internal.h"

#include "base/str.h"

typedef struct match {
    bool any;     /* by whatever item */
    bool by_name; /* by its very name */
} match;

/* Whether one item of `clips` matches. */
static bool item_matches(rift_str item, rift_str name, rift_str stem, bool *by_name)
{
    *by_name = rift_str_eq_nocase(item, name) || (stem.size > 0 && rift_str_eq_nocase(item, stem));
    return *by_name || rift_str_glob_nocase(name, item) ||
           (stem.size > 0 && rift_str_glob_nocase(stem, item)) ||
           rift_str_eq_nocase(item, rift_str_c(rift_clip_kind_word(name)));
}

bool bake_clip_selected(rift_str clips, rift_str name, rift_str stem, bool *by_name)
{
    rift_str item;
    bool selected = false;
    *by_name = false;
    while (rift_str_next(&clips, ",", &item)) {
        selected = item_matches(item, name, stem, by_name) || selected;
        if (*by_name)
            return true;
    }
    return selected;
}

typedef struct selector {
    bake_job *job;
    const rift_graph *graph;
    rift_str *names; /* by clip */
    match *matches;  /* by clip */
} selector;

/* One item over all clips. Composite ones count where nothing atomic matches; "*" never means them. */
static void apply_item(const selector *s, rift_str item)
{
    const bool everything = rift_str_eq(item, RIFT_STR("*"));
    bool found = everything || rift_str_eq_nocase(item, RIFT_STR("none"));
    bool atomic = everything;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < s->graph->clip_count; i++) {
            const rift_graph_clip *clip = &s->graph->clips[i];
            const bool is_atomic = clip->kind == RIFT_CLIP_ATOMIC;
            bool by_name;
            if (is_atomic != (pass == 0) ||
                !item_matches(item, s->names[i], rift_str_stem(clip->file.name), &by_name))
                continue;
            found = true;
            atomic = atomic || is_atomic;
            s->matches[i].any = s->matches[i].any || by_name || is_atomic || !atomic;
            s->matches[i].by_name = s->matches[i].by_name || by_name;
        }
    }
    if (!found)
        rift_report_add(&s->job->result->report, "clips_unmatched", "%.*s", RIFT_STR_ARG(item));
}

static bool apply_pose(const selector *s)
{
    const rift_str wanted = s->job->options.pose_clip;
    for (size_t i = 0; i < s->graph->clip_count; i++) {
        if (rift_str_eq_nocase(wanted, s->names[i]) ||
            rift_str_eq_nocase(wanted, rift_str_stem(s->graph->clips[i].file.name))) {
            s->matches[i] = (match){.any = true, .by_name = !s->job->pose_is_ours};
            return true;
        }
    }
    return rift_fail(s->job->err, RIFT_ERR_ARGUMENT, "pose", RIFT_NO_OFFSET, "no clip is called \"%.*s\"",
                     RIFT_STR_ARG(wanted));
}

static bool match_clips(selector *s)
{
    const size_t count = s->graph->clip_count;
    s->names = RIFT_NEW(s->job->tmp, rift_str, count);
    s->matches = RIFT_NEW(s->job->tmp, match, count);
    if (s->names == NULL || s->matches == NULL)
        return rift_arena_ok(s->job->tmp, "clips", s->job->err);
    for (size_t i = 0; i < count; i++) {
        s->names[i] =
            rift_graph_clip_name(&s->graph->clips[i], s->job->skin.ref.alias, s->job->names, s->job->out);
    }
    if (bake_wants_pose(s->job)) {
        if (!apply_pose(s))
            return false;
    } else {
        rift_str rest = s->job->options.clips;
        rift_str item;
        while (rift_str_next(&rest, ",", &item))
            apply_item(s, item);
    }
    return rift_arena_ok(s->job->tmp, "clips", s->job->err) &&
           rift_arena_ok(s->job->out, "clips", s->job->err);
}

/* What is played for a clip, as graph indices; false when there is nothing, which is reported. */
static bool
resolve(const selector *s, uint32_t clip, rift_clip_class opened, bake_piece **pieces, size_t *piece_count)
{
    bake_job *job = s->job;
    rift_err err;
    rift_err_in(&err, s->names[clip]);
    rift_report_in(&job->result->report, s->names[clip]);
    const bool ok = bake_resolve(job, clip, opened, pieces, piece_count, &err);
    if (!ok && rift_arena_ok(job->out, "clips", &err) && rift_arena_ok(job->tmp, "clips", &err))
        rift_report_err(&job->result->report, "clip_skipped", &err);
    rift_report_in(&job->result->report, (rift_str){0});
    return ok;
}

/* The takes that a clip plays one after another, still as graph indices. */
static bool play_in_turn(const selector *s, uint32_t clip, uint32_t **out, size_t *count)
{
    bake_piece *pieces = NULL;
    if (!resolve(s, clip, RIFT_CLIP_SEQUENCER, &pieces, count))
        return false;
    *out = RIFT_NEW(s->job->out, uint32_t, *count);
    for (size_t k = 0; *out != NULL && k < *count; k++)
        (*out)[k] = pieces[k].clip;
    return *out != NULL;
}

static bool make_work(const selector *s, size_t i, bake_clip_work *work)
{
    *work = (bake_clip_work){
        .source = &s->graph->clips[i], .name = s->names[i], .by_name = s->matches[i].by_name};
    return play_in_turn(s, (uint32_t)i, &work->pieces, &work->piece_count);
}

/* Takes in the making: graph indices in the order in which they were met. */
typedef struct gatherer {
    const selector *s;
    bool *used;      /* by clip */
    uint32_t *queue; /* of clips */
    size_t count;
    bake_part **parts; /* by clip */
    size_t *part_counts;
    size_t part_count; /* of all */
} gatherer;

static void use(gatherer *g, const uint32_t *clips, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (!g->used[clips[k]])
            g->queue[g->count++] = clips[k];
        g->used[clips[k]] = true;
    }
}

/* What a parallel clip plays together; nothing to play makes no parts. */
static void add_parts(gatherer *g, uint32_t clip)
{
    bake_piece *pieces = NULL;
    size_t count;
    if (g->part_count > BAKE_MAX_PARTS || !resolve(g->s, clip, RIFT_CLIP_PARALLEL, &pieces, &count))
        count = 0;
    g->part_count += count;
    bake_part *parts = RIFT_NEW(g->s->job->out, bake_part, count + 1); /* not NULL without any, either */
    for (size_t k = 0; parts != NULL && k < count; k++) {
        bake_part *part = &parts[g->part_counts[clip]];
        part->is = pieces[k];
        if (!play_in_turn(g->s, pieces[k].clip, &part->pieces, &part->piece_count))
            continue;
        use(g, part->pieces, part->piece_count);
        g->part_counts[clip]++;
    }
    g->parts[clip] = parts;
}

static bool gather(gatherer *g, const bake_clip_list *list)
{
    for (size_t w = 0; w < list->work_count; w++)
        use(g, list->works[w].pieces, list->works[w].piece_count);
    for (size_t i = 0; i < g->count; i++) {
        if (g->s->graph->clips[g->queue[i]].kind == RIFT_CLIP_PARALLEL)
            add_parts(g, g->queue[i]);
    }
    return rift_arena_ok(g->s->job->out, "clips", g->s->job->err) &&
           rift_arena_ok(g->s->job->tmp, "clips", g->s->job->err);
}

static void to_takes(uint32_t *pieces, size_t count, const uint32_t *take_of)
{
    for (size_t k = 0; k < count; k++)
        pieces[k] = take_of[pieces[k]];
}

/* Takes in clip-map order, and the pieces of works and parts as indices into them. */
static void list_takes(const gatherer *g, uint32_t *take_of, bake_clip_list *list)
{
    for (size_t i = 0; i < g->s->graph->clip_count; i++) {
        if (!g->used[i])
            continue;
        take_of[i] = (uint32_t)list->take_count;
        list->takes[list->take_count++] = (bake_take){
            .clip = &g->s->graph->clips[i],
            .name = g->s->names[i],
            .by_name = g->s->matches[i].by_name,
            .parts = g->parts[i],
            .part_count = g->part_counts[i],
        };
    }
    for (size_t w = 0; w < list->work_count; w++)
        to_takes(list->works[w].pieces, list->works[w].piece_count, take_of);
    for (size_t t = 0; t < list->take_count; t++) {
        for (size_t k = 0; k < list->takes[t].part_count; k++)
            to_takes(list->takes[t].parts[k].pieces, list->takes[t].parts[k].piece_count, take_of);
    }
}

static bool make_takes(const selector *s, bake_clip_list *list)
{
    bake_job *job = s->job;
    const size_t count = s->graph->clip_count;
    gatherer g = {
        .s = s,
        .used = RIFT_NEW(job->tmp, bool, count),
        .queue = RIFT_NEW(job->tmp, uint32_t, count),
        .parts = RIFT_NEW(job->tmp, bake_part *, count),
        .part_counts = RIFT_NEW(job->tmp, size_t, count),
    };
    uint32_t *take_of = RIFT_NEW(job->tmp, uint32_t, count);
    list->takes = RIFT_NEW(job->out, bake_take, count + 1);
    if (g.used == NULL || g.queue == NULL || g.parts == NULL || g.part_counts == NULL || take_of == NULL ||
        list->takes == NULL)
        return rift_arena_ok(job->tmp, "clips", job->err) && rift_arena_ok(job->out, "clips", job->err);
    if (!gather(&g, list))
        return false;
    list_takes(&g, take_of, list);
    return true;
}

static bool select_clips(selector *s, bake_clip_list *out)
{
    if (!match_clips(s))
        return false;
    for (size_t i = 0; i < s->graph->clip_count; i++) {
        if (s->matches[i].any && make_work(s, i, &out->works[out->work_count]))
            out->work_count++;
    }
    return rift_arena_ok(s->job->out, "clips", s->job->err) &&
           rift_arena_ok(s->job->tmp, "clips", s->job->err) && make_takes(s, out);
}

bool bake_select_clips(bake_job *job, bake_clip_list *out)
{
    selector s = {.job = job, .graph = &job->skin.graph};
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    *out = (bake_clip_list){.works = RIFT_NEW(job->out, bake_clip_work, s.graph->clip_count + 1)};
    const bool ok = rift_arena_ok(job->out, "clips", job->err) && select_clips(&s, out);
    rift_arena_rewind(job->tmp, mark);
    return ok;
}
