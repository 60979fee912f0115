#include "bake/bake_internal.h"

#include "base/str.h"

/* Reads and parses the skeleton; on failure the file degrades to a static mesh, which is reported (G46). Nothing is left of
 * content=animations then, so that fails. */
static bool load_skl(bake_job *job, rift_skl *skl)
{
    rift_report *report = &job->result->report;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_bytes bytes;
    if (job->skin.skeleton.hash == 0) {
        (void)rift_fail(&err, RIFT_ERR_NOT_FOUND, "skeleton", RIFT_NO_OFFSET, "the skin names no skeleton");
    } else if (bake_read(job, &job->skin.skeleton, &bytes, &err) &&
               rift_skl_parse(skl, bytes, job->tmp, report, &err)) {
        return true;
    }
    if (job->options.content == RIFT_CONTENT_ANIMATIONS)
        *job->err = err;
    rift_report_err(report, err.code == RIFT_ERR_NOT_FOUND ? "skeleton_missing" : "skeleton_unreadable",
                    &err);
    return false;
}

static bool build_skeleton(bake_job *job, const rift_skn *skn)
{
    if (job->options.content == RIFT_CONTENT_MESH && !bake_wants_pose(job))
        return true;
    if (!bake_enter(job, RIFT_STAGE_SKELETON, 3))
        return false;
    rift_skl skl;
    if (!load_skl(job, &skl)) {
        return rift_arena_ok(job->tmp, "skeleton", job->err) &&
               job->options.content != RIFT_CONTENT_ANIMATIONS;
    }
    rift_skeleton *skeleton = RIFT_NEW(job->out, rift_skeleton, 1);
    if (skeleton == NULL)
        return rift_arena_ok(job->out, "skeleton", job->err);
    if (!rift_skeleton_build(skeleton, &skl, skn, job->out, &job->result->report, job->err))
        return false;
    job->scene.skeleton = skeleton;
    return true;
}

static void mark_hidden(bake_job *job)
{
    rift_scene *scene = &job->scene;
    for (size_t i = 0; i < scene->part_count; i++)
        scene->parts[i].hidden = rift_skin_hides(&job->skin, scene->parts[i].source_name);
}

void bake_drop_hidden(bake_job *job)
{
    rift_scene *scene = &job->scene;
    size_t kept = 0;
    for (size_t i = 0; i < scene->part_count; i++) {
        const rift_part part = scene->parts[i];
        if (part.hidden && job->options.hidden == RIFT_HIDDEN_OMIT) {
            rift_report_add(&job->result->report, "hidden_part", "%.*s", RIFT_STR_ARG(part.name));
        } else {
            scene->parts[kept++] = part;
        }
    }
    scene->part_count = kept;
}

/* Where the skin's order puts a name; behind all of it when it is not listed. */
static size_t rank_of(const rift_skin *skin, rift_str name)
{
    size_t rank = 0;
    while (rank < skin->render_order_count && !rift_str_eq_nocase(skin->render_order[rank], name))
        rank++;
    return rank;
}

/* submeshRenderOrder (B112): named parts in that order, behind them the others in the file's. */
static bool order_parts(bake_job *job)
{
    rift_scene *scene = &job->scene;
    const size_t lists = job->skin.render_order_count;
    if (lists == 0)
        return true;
    rift_part *sorted = RIFT_NEW(job->out, rift_part, scene->part_count);
    size_t *ranks = RIFT_NEW(job->tmp, size_t, scene->part_count);
    if (sorted == NULL || ranks == NULL)
        return rift_arena_ok(job->out, "parts", job->err) && rift_arena_ok(job->tmp, "parts", job->err);
    for (size_t i = 0; i < scene->part_count; i++)
        ranks[i] = rank_of(&job->skin, scene->parts[i].source_name);
    size_t count = 0;
    for (size_t rank = 0; rank <= lists; rank++) {
        for (size_t i = 0; i < scene->part_count; i++) {
            if (ranks[i] == rank)
                sorted[count++] = scene->parts[i];
        }
    }
    scene->parts = sorted;
    return true;
}

/* Overrides that no submesh answers to (bug log, failure cases of formats/skin.md). */
static void report_overrides(bake_job *job, const rift_skn *skn)
{
    const rift_skin *skin = &job->skin;
    for (size_t i = 0; i < skin->override_count; i++) {
        size_t r = 0;
        while (r < skn->range_count && !rift_str_eq_nocase(skn->ranges[r].name, skin->overrides[i].submesh))
            r++;
        if (r == skn->range_count) {
            rift_report_add(&job->result->report, "override_unmatched", "%.*s",
                            RIFT_STR_ARG(skin->overrides[i].submesh));
        }
    }
}

static bool build_parts(bake_job *job, const rift_skn *skn)
{
    rift_scene *scene = &job->scene;
    const rift_part_opts opts = {.keep_colors = job->options.vertex_colors == RIFT_VERTEX_COLORS_CUSTOM,
                                 .node_name = scene->name};
    if (!rift_parts_build(&scene->parts, &scene->part_count, skn, scene->skeleton, &opts, job->out,
                          &job->result->report, job->err))
        return false;
    if (!bake_learn_names(job)) /* of hidden parts too: events show them */
        return false;
    report_overrides(job, skn);
    mark_hidden(job);
    if (!bake_wants_pose(job) && !job->is_sheet)
        bake_drop_hidden(job);
    return order_parts(job) && bake_gear(job);
}

bool bake_mesh(bake_job *job)
{
    if (!bake_enter(job, RIFT_STAGE_MESH, 1))
        return false;
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    rift_bytes bytes;
    rift_skn skn;
    const bool ok = bake_read(job, &job->skin.mesh, &bytes, job->err) &&
                    rift_skn_parse(&skn, bytes, job->tmp, &job->result->report, job->err) &&
                    build_skeleton(job, &skn) && build_parts(job, &skn);
    rift_arena_rewind(job->tmp, mark);
    return ok;
}
