/* Metadata of a skin (api.md section 3), computed from the game's files without making a GLB: the mesh is built, of clips
 * only the heads are looked at. What the GLB has too is taken from the functions that the bake uses. */
#include <math.h>
#include <string.h>

#include "bake/bake_internal.h"

#include "base/str.h"
#include "game/family.h"

typedef struct describer {
    rift_json *j;
    bake_job *job;
    const rift_game *game; /* may be NULL */
    bool *archives;        /* of the game: holds a file of the skin */
    rift_unique clip_names;
} describer;

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

/* The archive that a path's file lies in is one of the skin's sources. */
static void mark_source(const describer *d, uint64_t path_hash)
{
    const uint32_t at = d->game != NULL ? rift_map_lookup(&d->game->where, path_hash) : RIFT_MAP_NONE;
    if (at != RIFT_MAP_NONE)
        d->archives[at] = true;
}

static void put_part(rift_json *j, bake_job *job, size_t index, const rift_look *look)
{
    const rift_part *part = &job->scene.parts[index];
    rift_json_object(j);
    rift_json_put_str(j, "name", part->name);
    if (look->has_material)
        rift_json_put_str(j, "material", look->material.name);
    rift_json_put_bool(j, "visible", !part->hidden);
    if (part->form_name.size > 0)
        rift_json_put_str(j, "form", part->form_name);
    rift_json_put_uint(j, "order", index);
    rift_json_put_uint(j, "triangles", part->index_count / 3);
    if (look->texture.hash != 0)
        rift_json_put_str(j, "texture", rift_asset_path_text(&look->texture, job->tmp));
    rift_json_put_str(j, "chosen_by", look->reason);
    bake_put_tries(j, look);
    if (look->emissive.hash != 0)
        rift_json_put_str(j, "emissive", rift_asset_path_text(&look->emissive, job->tmp));
    rift_json_object_end(j);
}

static bool put_parts(const describer *d)
{
    rift_json *j = d->j;
    bake_job *job = d->job;
    bounds visible = {0};
    bounds all = {0};
    rift_json_key(j, "parts");
    rift_json_array(j);
    for (size_t i = 0; i < job->scene.part_count; i++) {
        const rift_part *part = &job->scene.parts[i];
        rift_look look;
        rift_report_in(&job->result->report, part->name);
        const rift_skin skin = bake_part_skin(job, part);
        if (!rift_skin_look(&look, &skin, part->source_name, job->names, job->tmp, &job->result->report,
                            job->err))
            return false;
        mark_source(d, look.texture.hash);
        grow(&all, part);
        if (!part->hidden)
            grow(&visible, part);
        put_part(j, job, i, &look);
    }
    rift_report_in(&job->result->report, (rift_str){0});
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

/* A clip of a skin without a skeleton: its file alone. */
static bool open_file(bake_job *job, bake_take *take, rift_anm *anm, rift_err *err)
{
    rift_bytes bytes;
    if (!bake_read(job, &take->clip->file, &bytes, err) ||
        !rift_anm_parse(anm, bytes, job->tmp, &job->result->report, err))
        return false;
    take->fps = anm->fps > 0 ? (double)anm->fps : 30.0;
    take->trim_end = -1;
    take->speed = 1;
    return true;
}

static bool open_take(bake_job *job, bake_take *take, rift_err *err)
{
    rift_anm anm;
    rift_track_map map;
    const bool rigged = job->scene.skeleton != NULL;
    if (!(rigged ? bake_open_take(job, take, true, &anm, &map, err) : open_file(job, take, &anm, err)))
        return false;
    take->keys.length = rift_clip_length(&anm, take->trim_start, take->trim_end);
    return !rigged || bake_find_snaps(job, take, err);
}

/* What is in the animation: its length and rate, and its events in its own seconds. */
static void put_take(rift_json *j, bake_job *job, const bake_take *take)
{
    const bake_span span = {
        take->clip,
        {.fps = take->fps, .cut = take->trim_start, .speed = 1, .length = (double)take->keys.length}};
    rift_json_key(j, "duration");
    rift_json_float(j, take->keys.length);
    rift_json_key(j, "fps");
    rift_json_float(j, (float)take->fps);
    bake_put_events(j, job, &span, 1);
    bake_put_visibility(j, job, &span, 1);
    bake_put_snaps(j, job, take);
}

static void put_clip_head(describer *d, const rift_graph_clip *clip, rift_str name, bool in_file)
{
    rift_json *j = d->j;
    bake_job *job = d->job;
    rift_json_put_str(j, "name", in_file ? rift_unique_clip(&d->clip_names, name) : name);
    rift_json_put_cstr(j, "kind", rift_clip_kind_word(name));
    rift_json_put_hex(j, "hash", clip->hash, 8);
    rift_json_put_cstr(j, "class", rift_clip_class_word(clip->kind));
    bake_clip_fields(j, &job->skin.graph, clip, job->tmp);
    rift_json_put_bool(j, "additive", bake_clip_is_additive(&job->skin.graph, clip));
}

/* A clip that cannot be read is listed too, without a duration; why stands in the warnings. */
static void put_atomic(describer *d, const rift_graph_clip *clip, rift_str name)
{
    bake_job *job = d->job;
    rift_err err;
    bake_take take = {.clip = clip, .name = name};
    rift_err_in(&err, name);
    take.ok = open_take(job, &take, &err);
    if (!take.ok) {
        rift_report_err(&job->result->report,
                        err.code == RIFT_ERR_NOT_FOUND ? "clip_missing" : "clip_skipped", &err);
    }
    put_clip_head(d, clip, name, take.ok);
    if (take.ok)
        put_take(d->j, job, &take);
}

static void put_composite(describer *d, const rift_graph_clip *clip, rift_str name)
{
    const bake_span span = {clip, {.fps = 30, .speed = 1, .length = HUGE_VAL}};
    put_clip_head(d, clip, name, false);
    bake_clip_children(d->j, d->job, clip);
    bake_put_events(d->j, d->job, &span, 1);
}

static bool put_clips(describer *d)
{
    rift_json *j = d->j;
    bake_job *job = d->job;
    const rift_graph *graph = &job->skin.graph;
    rift_unique_init(&d->clip_names, job->out, graph->clip_count);
    rift_json_key(j, "clips");
    rift_json_array(j);
    for (size_t i = 0; i < graph->clip_count; i++) {
        if (!bake_enter(job, RIFT_STAGE_CLIP, (int)(100 * i / graph->clip_count)))
            return false;
        const rift_graph_clip *clip = &graph->clips[i];
        const rift_arena_mark mark = rift_arena_get_mark(job->tmp);
        const rift_str name = rift_graph_clip_name(clip, job->skin.ref.alias, job->names, job->tmp);
        rift_report_in(&job->result->report, name);
        mark_source(d, clip->file.hash);
        rift_json_object(j);
        if (clip->kind == RIFT_CLIP_ATOMIC) {
            put_atomic(d, clip, name);
        } else {
            put_composite(d, clip, name);
        }
        rift_json_object_end(j);
        rift_arena_rewind(job->tmp, mark);
        if (!rift_arena_ok(job->tmp, "clips", job->err) || !rift_arena_ok(job->out, "clips", job->err))
            return false;
    }
    rift_json_array_end(j);
    rift_report_in(&job->result->report, (rift_str){0});
    return true;
}

/* What a mask of names cannot say: weights between 0 and 1. Masks of other lengths than the skeleton exist. */
static void put_mask_weights(rift_json *j, const rift_graph_mask *mask, size_t count)
{
    bool partial = false;
    for (size_t k = 0; k < count; k++)
        partial |= mask->weights[k] > 0 && mask->weights[k] < 1;
    if (!partial)
        return;
    rift_json_key(j, "weights");
    rift_json_array(j);
    for (size_t k = 0; k < count; k++) {
        const float weight = mask->weights[k];
        rift_json_float(j, weight > 1 ? 1 : weight > 0 ? weight : 0);
    }
    rift_json_array_end(j);
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
        size_t count = skeleton != NULL ? skeleton->joint_count : 0;
        count = mask->weight_count < count ? mask->weight_count : count;
        for (size_t k = 0; k < count; k++) {
            if (mask->weights[k] > 0)
                rift_json_str(j, skeleton->joints[k].name);
        }
        rift_json_array_end(j);
        put_mask_weights(j, mask, count);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

/* A skin of the same champion, or a character of its own: id where it has one, and what to ask for. */
static void put_relative(rift_json *j, const bake_job *job, rift_str alias, uint32_t number, rift_str name)
{
    const rift_skin_ref *ref = &job->skin.ref;
    rift_json_object(j);
    if (ref->champion != NULL && rift_str_eq(alias, ref->alias))
        rift_json_put_uint(j, "id", (uint64_t)ref->champion->id * 1000 + number);
    rift_json_put_str(j, "alias", alias);
    rift_json_put_uint(j, "number", number);
    if (name.size > 0)
        rift_json_put_str(j, "name", name);
    rift_json_object_end(j);
}

static void put_relatives(rift_json *j, const char *key, const bake_job *job, const rift_relatives *list)
{
    rift_json_key(j, key);
    rift_json_array(j);
    for (size_t i = 0; i < list->count; i++)
        put_relative(j, job, list->items[i].alias, list->items[i].number, list->items[i].name);
    rift_json_array_end(j);
}

/* "16.18" of "16.18.712.1+branch"; a version of another form as it stands. */
static rift_str patch_of(rift_str version)
{
    size_t points = 0;
    for (size_t i = 0; i < version.size; i++) {
        const char c = version.data[i];
        points += c == '.';
        if (points == 2 || c == '+')
            return (rift_str){version.data, i};
    }
    return version;
}

static void put_identity(const describer *d)
{
    rift_json *j = d->j;
    const rift_skin *skin = &d->job->skin;
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
    if (skin->parent >= 0 && skin->parent <= RIFT_GAME_MAX_SKIN_NUMBER) {
        rift_json_key(j, "parent");
        put_relative(j, d->job, ref->alias, (uint32_t)skin->parent, (rift_str){0});
    }
    if (d->game != NULL && d->game->version.size > 0) {
        rift_json_put_str(j, "patch", patch_of(d->game->version));
        rift_json_put_str(j, "game_version", d->game->version);
    }
    rift_json_put_cstr(j, "converter", "riftbake " RIFT_VERSION);
    rift_json_put_cstr(j, "unit", "metre");
    rift_json_put_double(j, "scale", skin->scale);
}

static bool put_family(const describer *d)
{
    bake_job *job = d->job;
    rift_report *report = &job->result->report;
    rift_relatives chromas;
    rift_relatives related = {0};
    if (!rift_family_chromas(&chromas, &job->skin.ref, job->assets, job->out, job->tmp, &job->result->uses,
                             report, job->err))
        return false;
    if (d->game != NULL &&
        !rift_family_related(&related, &job->skin, d->game, job->names, job->out, job->tmp, report, job->err))
        return false;
    put_relatives(d->j, "chromas", job, &chromas);
    put_relatives(d->j, "related", job, &related);
    return true;
}

/* Behind everything that reads a file. Skins of the family that were only looked at count as well: a change there may
 * change this text. */
static bool put_sources(const describer *d)
{
    const rift_asset_log *uses = &d->job->result->uses;
    rift_json *j = d->j;
    for (size_t i = 0; i < uses->count; i++)
        mark_source(d, uses->uses[i].path_hash);
    rift_json_key(j, "source");
    rift_json_array(j);
    for (size_t i = 0; d->game != NULL && i < d->game->archive_count; i++) {
        rift_sha256 digest;
        char hex[65];
        if (!d->archives[i])
            continue;
        if (!rift_wad_digest(&digest, &d->game->archives[i].wad, d->job->tmp, d->job->err))
            return false;
        rift_sha256_hex(&digest, hex);
        rift_json_object(j);
        rift_json_put_str(j, "wad", d->game->archives[i].path);
        rift_json_put_cstr(j, "checksum", hex);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
    return true;
}

static void put_empty(rift_json *j, const char *key)
{
    rift_json_key(j, key);
    rift_json_array(j);
    rift_json_array_end(j);
}

static bool describe(describer *d)
{
    rift_json *j = d->j;
    bake_job *job = d->job;
    rift_json_object(j);
    put_identity(d);
    if (!put_family(d) || !bake_mesh(job) || !put_parts(d))
        return false;
    if (job->skin.form_count > 0) {
        bake_put_forms(j, job);
    } else {
        put_empty(j, "forms");
    }
    rift_json_put_uint(j, "joints", job->scene.skeleton ? job->scene.skeleton->joint_count : 0);
    if (job->skin.socket_count == 0)
        put_empty(j, "sockets");
    bake_put_rig(j, job);
    put_masks(j, job);
    if (!put_clips(d) || !put_sources(d))
        return false;
    rift_json_key(j, "warnings");
    rift_json_report(j, &job->result->report);
    rift_json_object_end(j);
    return rift_arena_ok(job->tmp, "metadata", job->err) && rift_arena_ok(job->out, "metadata", job->err);
}

typedef bool write_fn(describer *d);

/* One JSON text about a skin, by `write`. */
static bool tell(rift_bytes *json,
                 rift_bake_result *result,
                 const rift_bake_request *request,
                 write_fn *write,
                 rift_arena *out,
                 rift_arena *tmp,
                 rift_err *err)
{
    bake_job job;
    rift_buf buf;
    rift_json j;
    if (!bake_open_skin(&job, result, request, out, tmp, err))
        return false;
    rift_buf_init(&buf, out, RIFT_DESCRIBE_MAX_SIZE);
    rift_json_init(&j, &buf);
    job.options = rift_options_default();
    job.options.hidden = RIFT_HIDDEN_INCLUDE;
    describer d = {.j = &j, .job = &job, .game = request->game};
    d.archives = RIFT_NEW(tmp, bool, d.game != NULL ? d.game->archive_count : 0);
    if (!rift_arena_ok(tmp, "metadata", err) || !write(&d) || !rift_buf_ok(&buf, "metadata", err))
        return false;
    *json = rift_buf_bytes(&buf);
    return true;
}

bool rift_describe(rift_bytes *json,
                   rift_bake_result *result,
                   const rift_bake_request *request,
                   rift_arena *out,
                   rift_arena *tmp,
                   rift_err *err)
{
    return tell(json, result, request, describe, out, tmp, err);
}

/* ---- joints ---- */

static void put_floats(rift_json *j, const char *key, const float *values, size_t count)
{
    rift_json_key(j, key);
    rift_json_array(j);
    for (size_t i = 0; i < count; i++)
        rift_json_float(j, values[i]);
    rift_json_array_end(j);
}

static void put_joint(rift_json *j, const rift_skeleton *skeleton, size_t id, bool locator)
{
    const rift_joint *joint = &skeleton->joints[id];
    float t[3];
    float r[4];
    float s[3];
    rift_gltf_rest(t, r, s, &joint->rest, 0.01, true);
    rift_json_object(j);
    rift_json_put_uint(j, "id", id);
    rift_json_put_str(j, "name", joint->name);
    if (!rift_str_eq(joint->name, joint->source_name))
        rift_json_put_str(j, "source", joint->source_name);
    rift_json_key(j, "parent");
    if (joint->parent == RIFT_NO_PARENT) {
        rift_json_null(j);
    } else {
        rift_json_int(j, joint->parent);
    }
    rift_json_key(j, "hashes");
    rift_json_object(j);
    rift_json_put_hex(j, "elf", joint->elf, 8);
    rift_json_put_hex(j, "fnv", joint->fnv, 8);
    rift_json_object_end(j);
    rift_json_key(j, "rest");
    rift_json_object(j);
    put_floats(j, "translation", t, 3);
    put_floats(j, "rotation", r, 4);
    put_floats(j, "scale", s, 3);
    rift_json_object_end(j);
    rift_json_put_bool(j, "skinned", joint->influences);
    rift_json_put_bool(j, "stub", joint->is_stub);
    rift_json_put_bool(j, "locator", locator);
    rift_json_object_end(j);
}

/* A locator moves no vertex, nor does anything below it, and it is no stub: a place to put things. */
static bool *find_locators(const rift_skeleton *skeleton, rift_arena *tmp)
{
    bool *locator = RIFT_NEW(tmp, bool, skeleton->joint_count);
    for (size_t i = 0; locator != NULL && i < skeleton->joint_count; i++)
        locator[i] = true;
    for (size_t n = skeleton->joint_count; locator != NULL && n-- > 0;) {
        const uint32_t id = skeleton->topological[n];
        const rift_joint *joint = &skeleton->joints[id];
        if (joint->influences || joint->is_stub)
            locator[id] = false;
        if (!locator[id] && !joint->is_stub && joint->parent != RIFT_NO_PARENT)
            locator[joint->parent] = false;
    }
    return locator;
}

static bool describe_skeleton(describer *d)
{
    rift_json *j = d->j;
    bake_job *job = d->job;
    if (!bake_mesh(job))
        return false;
    const rift_skeleton *skeleton = job->scene.skeleton;
    if (skeleton == NULL) {
        return rift_fail(job->err, RIFT_ERR_NOT_FOUND, "skeleton", RIFT_NO_OFFSET,
                         "the skin has no skeleton that can be read");
    }
    const bool *locator = find_locators(skeleton, job->tmp);
    if (locator == NULL)
        return rift_arena_ok(job->tmp, "joints", job->err);
    rift_json_object(j);
    if (job->skin.ref.id != 0)
        rift_json_put_uint(j, "id", job->skin.ref.id);
    rift_json_put_str(j, "alias", job->skin.ref.alias);
    rift_json_put_uint(j, "number", job->skin.ref.number);
    rift_json_put_cstr(j, "unit", "metre");
    rift_json_key(j, "joints");
    rift_json_array(j);
    for (size_t i = 0; i < skeleton->joint_count; i++)
        put_joint(j, skeleton, i, locator[i]);
    rift_json_array_end(j);
    rift_json_object_end(j);
    return true;
}

bool rift_describe_skeleton(rift_bytes *json,
                            rift_bake_result *result,
                            const rift_bake_request *request,
                            rift_arena *out,
                            rift_arena *tmp,
                            rift_err *err)
{
    return tell(json, result, request, describe_skeleton, out, tmp, err);
}
