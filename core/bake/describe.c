/* Metadata of a skin (api.md section 3), computed from the game's files without making a GLB. */
#include <math.h>

#include "bake/bake_internal.h"

#include "base/str.h"

typedef struct bounds {
    float min[3], max[3];
    bool any;
} bounds;

static void grow(bounds *b, const rift_part *part)
{
    for (size_t i = 0; i < part->vertex_count; i++) {
        for (size_t k = 0; k < 3; k++) {
            const float v = part->positions[3 * i + k];
            b->min[k] = b->any ? fminf(b->min[k], v) : v;
            b->max[k] = b->any ? fmaxf(b->max[k], v) : v;
            b->any = b->any || k == 2;
        }
    }
}

/* Output space: metres, x mirrored (G6, G9). */
static void put_bounds(rift_json *j, const char *key, const bounds *b)
{
    if (!b->any)
        return;
    const double min[3] = {-(double)b->max[0], (double)b->min[1], (double)b->min[2]};
    const double max[3] = {-(double)b->min[0], (double)b->max[1], (double)b->max[2]};
    rift_json_key(j, key);
    rift_json_object(j);
    rift_json_key(j, "min");
    rift_json_array(j);
    for (size_t k = 0; k < 3; k++)
        rift_json_float(j, (float)(min[k] * 0.01));
    rift_json_array_end(j);
    rift_json_key(j, "max");
    rift_json_array(j);
    for (size_t k = 0; k < 3; k++)
        rift_json_float(j, (float)(max[k] * 0.01));
    rift_json_array_end(j);
    rift_json_object_end(j);
}

static bool put_parts(rift_json *j, bake_job *job)
{
    rift_report *report = &job->result->report;
    bounds visible = {0};
    bounds all = {0};
    rift_json_key(j, "parts");
    rift_json_array(j);
    for (size_t i = 0; i < job->scene.part_count; i++) {
        const rift_part *part = &job->scene.parts[i];
        rift_look look;
        if (!rift_skin_look(&look, &job->skin, part->source_name, job->names, job->tmp, report, job->err))
            return false;
        grow(&all, part);
        if (!part->hidden)
            grow(&visible, part);
        rift_json_object(j);
        rift_json_put_str(j, "name", part->name);
        if (look.has_material)
            rift_json_put_str(j, "material", look.material.name);
        rift_json_put_bool(j, "visible", !part->hidden);
        rift_json_put_uint(j, "order", i);
        rift_json_put_uint(j, "triangles", part->index_count / 3);
        if (look.texture.hash != 0)
            rift_json_put_str(j, "texture", rift_asset_path_text(&look.texture, job->tmp));
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
    rift_json_key(j, "bounds");
    rift_json_object(j);
    put_bounds(j, "visible", &visible);
    put_bounds(j, "all", &all);
    rift_json_object_end(j);
    if (visible.any)
        rift_json_put_double(j, "ground", (double)(float)((double)visible.min[1] * 0.01));
    return true;
}

/* What only the file says: length and rate, and with them the seconds of the clip's events. */
static void put_atomic(rift_json *j, bake_job *job, const rift_graph_clip *clip)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_bytes bytes;
    rift_anm anm;
    bake_span span = {clip, {.fps = 30, .speed = 1, .length = HUGE_VAL}};
    const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
    if (bake_read(job, &clip->file, &bytes, &err) && rift_anm_parse(&anm, bytes, job->tmp, NULL, &err)) {
        rift_json_put_double(j, "duration", (double)anm.length);
        rift_json_put_double(j, "fps", (double)anm.fps);
        span.clock.length = (double)anm.length;
        if (anm.fps > 0)
            span.clock.fps = (double)anm.fps;
    } else {
        rift_report_err(&job->result->report,
                        err.code == RIFT_ERR_NOT_FOUND ? "clip_missing" : "clip_skipped", &err);
    }
    if (clip->start_frame > 0)
        span.clock.cut = (double)clip->start_frame / span.clock.fps;
    rift_arena_rewind(job->tmp, mark);
    bake_put_events(j, job, &span, 1);
    bake_put_visibility(j, job, &span, 1);
}

static bool put_clips(rift_json *j, bake_job *job)
{
    const rift_graph *graph = &job->skin.graph;
    rift_json_key(j, "clips");
    rift_json_array(j);
    for (size_t i = 0; i < graph->clip_count; i++) {
        if (!bake_enter(job, RIFT_STAGE_CLIP, (int)(100 * i / graph->clip_count)))
            return false;
        const rift_graph_clip *clip = &graph->clips[i];
        const rift_str name = rift_graph_clip_name(clip, job->skin.ref.alias, job->names, job->tmp);
        rift_report_in(&job->result->report, name);
        rift_json_object(j);
        rift_json_put_str(j, "name", name);
        rift_json_put_cstr(j, "kind", rift_clip_kind_word(name));
        rift_json_put_hex(j, "hash", clip->hash, 8);
        rift_json_put_cstr(j, "class", rift_clip_class_word(clip->kind));
        bake_clip_fields(j, graph, clip, job->tmp);
        if (clip->kind == RIFT_CLIP_ATOMIC) {
            put_atomic(j, job, clip);
        } else {
            const bake_span span = {clip, {.fps = 30, .speed = 1, .length = HUGE_VAL}};
            bake_clip_children(j, job, clip);
            bake_put_events(j, job, &span, 1);
        }
        if (bake_clip_is_additive(graph, clip))
            rift_json_put_bool(j, "additive", true);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
    rift_report_in(&job->result->report, (rift_str){0});
    return true;
}

static void put_masks(rift_json *j, bake_job *job)
{
    const rift_graph *graph = &job->skin.graph;
    const rift_skeleton *skeleton = job->scene.skeleton;
    rift_json_key(j, "masks");
    rift_json_array(j);
    for (size_t i = 0; i < graph->mask_count; i++) {
        const rift_graph_mask *mask = &graph->masks[i];
        rift_json_object(j);
        if (mask->name.size > 0)
            rift_json_put_str(j, "name", mask->name);
        rift_json_put_hex(j, "hash", mask->hash, 8);
        rift_json_key(j, "joints");
        rift_json_array(j);
        for (size_t k = 0; skeleton != NULL && k < mask->weight_count && k < skeleton->joint_count; k++) {
            if (mask->weights[k] > 0)
                rift_json_str(j, skeleton->joints[k].name);
        }
        rift_json_array_end(j);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

static void put_identity(rift_json *j, const rift_skin *skin)
{
    const rift_skin_ref *ref = &skin->ref;
    if (ref->id != 0)
        rift_json_put_uint(j, "id", ref->id);
    rift_json_key(j, "champion");
    rift_json_object(j);
    if (ref->champion != NULL) {
        rift_json_put_uint(j, "id", ref->champion->id);
        rift_json_put_str(j, "name", ref->champion->name);
    }
    rift_json_put_str(j, "alias", ref->alias);
    rift_json_object_end(j);
    rift_json_put_uint(j, "number", ref->number);
    rift_json_put_str(j, "name", skin->character);
    if (skin->parent >= 0)
        rift_json_put_int(j, "parent", skin->parent);
    rift_json_put_cstr(j, "converter", "riftbake " RIFT_VERSION);
    rift_json_put_cstr(j, "unit", "metre");
    rift_json_put_double(j, "scale", skin->scale);
}

static bool describe(rift_json *j, bake_job *job)
{
    rift_json_object(j);
    put_identity(j, &job->skin);
    if (!bake_mesh(job) || !put_parts(j, job))
        return false;
    bake_put_forms(j, job);
    rift_json_put_uint(j, "joints", job->scene.skeleton ? job->scene.skeleton->joint_count : 0);
    put_masks(j, job);
    if (!put_clips(j, job))
        return false;
    rift_json_key(j, "warnings");
    rift_json_report(j, &job->result->report);
    rift_json_object_end(j);
    return rift_arena_ok(job->tmp, "metadata", job->err) && rift_arena_ok(job->out, "metadata", job->err);
}

bool rift_describe(rift_bytes *json,
                   rift_bake_result *result,
                   const rift_bake_request *request,
                   rift_arena *out,
                   rift_arena *tmp,
                   rift_err *err)
{
    bake_job job;
    rift_buf buf;
    rift_json j;
    rift_buf_init(&buf, out, RIFT_DESCRIBE_MAX_SIZE);
    rift_json_init(&j, &buf);
    if (!bake_open_skin(&job, result, request, out, tmp, err))
        return false;
    job.options.hidden = RIFT_HIDDEN_INCLUDE;
    if (!describe(&j, &job) || !rift_buf_ok(&buf, "metadata", err))
        return false;
    *json = rift_buf_bytes(&buf);
    return true;
}
