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

/* The work of one clip, its pieces still graph indices; false when there is nothing to play, which is reported. */
static bool make_work(const selector *s, size_t i, bake_clip_work *work)
{
    bake_job *job = s->job;
    rift_err err;
    rift_err_in(&err, s->names[i]);
    rift_report_in(&job->result->report, s->names[i]);
    *work = (bake_clip_work){
        .source = &s->graph->clips[i], .name = s->names[i], .by_name = s->matches[i].by_name};
    const bool ok = bake_resolve(job, (uint32_t)i, &work->pieces, &work->piece_count, &err);
    if (!ok && rift_arena_ok(job->out, "clips", &err) && rift_arena_ok(job->tmp, "clips", &err))
        rift_report_err(&job->result->report, "clip_skipped", &err);
    rift_report_in(&job->result->report, (rift_str){0});
    return ok;
}

/* Takes in clip-map order, and the works' pieces as indices into them. */
static bool make_takes(const selector *s, bake_clip_list *list)
{
    bake_job *job = s->job;
    const size_t count = s->graph->clip_count;
    bool *used = RIFT_NEW(job->tmp, bool, count);
    uint32_t *take_of = RIFT_NEW(job->tmp, uint32_t, count);
    list->takes = RIFT_NEW(job->out, bake_take, count + 1);
    if (used == NULL || take_of == NULL || list->takes == NULL)
        return rift_arena_ok(job->tmp, "clips", job->err) && rift_arena_ok(job->out, "clips", job->err);
    for (size_t w = 0; w < list->work_count; w++) {
        for (size_t k = 0; k < list->works[w].piece_count; k++)
            used[list->works[w].pieces[k]] = true;
    }
    for (size_t i = 0; i < count; i++) {
        if (!used[i])
            continue;
        take_of[i] = (uint32_t)list->take_count;
        list->takes[list->take_count++] = (bake_take){
            .clip = &s->graph->clips[i],
            .name = s->names[i],
            .by_name = s->matches[i].by_name,
        };
    }
    for (size_t w = 0; w < list->work_count; w++) {
        for (size_t k = 0; k < list->works[w].piece_count; k++)
            list->works[w].pieces[k] = take_of[list->works[w].pieces[k]];
    }
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
