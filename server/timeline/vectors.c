#include "timeline/vectors.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "timeline/json_text.h"
#include "timeline/timeline.h"
#include "timeline/vectors_internal.h"

typedef struct runner {
    const vectors *v;
    rift_buf *lines;
    rift_arena *arena;
    rift_err *err;
    const char *id; /* of the case */
    const char *prefix;
    size_t fault_count; /* of the case */
} runner;

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void fault(runner *r, const char *format, ...) RIFT_PRINTF(2, 3);

static void fault(runner *r, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (r->fault_count++ < RIFT_VECTORS_MAX_LINES)
        rift_buf_printf(r->lines, "%s%s FAIL %s\n", r->prefix, r->id, text);
}

/* A case that cannot be read is the file's fault, not the engine's. */
static bool bad_case(const runner *r, const char *what)
{
    char where[64];
    (void)snprintf(where, sizeof where, "%s%.40s", r->prefix, r->id);
    return rift_fail(r->err, RIFT_ERR_ARGUMENT, where, RIFT_NO_OFFSET, "%s", what);
}

static void check_warnings(runner *r, const cJSON *expected, const rift_layer_warnings *got)
{
    size_t i = 0;
    const cJSON *item = expected != NULL ? expected->child : NULL;
    for (; item != NULL || i < got->count; i++) {
        const rift_str text =
            i < got->count ? rift_layer_warning_text(&got->items[i], r->arena) : RIFT_STR("nothing");
        const char *want = item == NULL ? "nothing" : cJSON_IsString(item) ? item->valuestring : "?";
        if (!rift_str_eq(text, rift_str_c(want)))
            fault(r, "warnings[%zu] expected %s got %.*s", i, want, RIFT_STR_ARG(text));
        item = item != NULL ? item->next : NULL;
    }
}

/* --- mask cases --------------------------------------------------------------------------------------------------- */

static bool run_mask_case(runner *r, const cJSON *item)
{
    const vectors *v = r->v;
    const rift_layer_mask *mask = NULL;
    for (size_t i = 0; i < v->mask_count; i++) {
        if (rift_str_eq(v->masks[i].name, rift_str_c(r->id)))
            mask = &v->masks[i];
    }
    if (mask == NULL)
        return bad_case(r, "names a mask that is not there");
    rift_layer_warnings warnings = {0};
    const double *got = rift_layer_mask_resolve(mask, &v->skeleton, &warnings, r->arena);
    const cJSON *weights = member(item, "weights");
    if (got == NULL)
        return rift_arena_ok(r->arena, "vectors", r->err);
    for (const cJSON *w = weights != NULL ? weights->child : NULL; w != NULL; w = w->next) {
        const uint32_t joint = vectors_joint(v, w->string);
        if (joint == RIFT_LAYER_NONE || !cJSON_IsNumber(w))
            return bad_case(r, "has a weight for a joint that is not there");
        if (!(fabs(got[joint] - w->valuedouble) <= v->within))
            fault(r, "weight[%s] expected %.9g got %.9g", w->string, w->valuedouble, got[joint]);
    }
    check_warnings(r, member(item, "warnings"), &warnings);
    return true;
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

typedef struct pose {
    rift_trs *local;
    unsigned *touched;
    rift_mat4 *world;
} pose;

static bool
make_pose(const runner *r, const rift_layers *layers, double t, rift_layer_state *state, pose *out)
{
    const rift_skeleton *sk = &r->v->skeleton;
    out->local = RIFT_NEW(r->arena, rift_trs, sk->joint_count);
    out->touched = RIFT_NEW(r->arena, unsigned, sk->joint_count);
    out->world = RIFT_NEW(r->arena, rift_mat4, sk->joint_count);
    if (out->local == NULL || out->touched == NULL || out->world == NULL)
        return rift_arena_ok(r->arena, "vectors", r->err);
    rift_layers_at(state, layers, t);
    for (size_t i = 0; i < sk->joint_count; i++) {
        const uint32_t j = sk->topological[i];
        const int32_t parent = sk->joints[j].parent;
        out->touched[j] = rift_layers_joint(&out->local[j], layers, state, j);
        const rift_mat4 local = rift_mat4_from_trs(out->local[j]);
        out->world[j] = parent == RIFT_NO_PARENT ? local : rift_mat4_mul(out->world[parent], local);
    }
    return true;
}

static bool check_slots(runner *r, const cJSON *list, const rift_layer_state *state, double t)
{
    bool expected[RIFT_LAYER_SLOTS] = {false};
    for (const cJSON *item = list != NULL ? list->child : NULL; item != NULL; item = item->next) {
        const double slot = cJSON_IsNumber(item) ? item->valuedouble : -1;
        if (!(slot >= 0 && slot < RIFT_LAYER_SLOTS) || slot != floor(slot))
            return bad_case(r, "has a slot that is none");
        expected[(size_t)slot] = true;
    }
    for (unsigned s = 0; s < RIFT_LAYER_SLOTS; s++) {
        if (expected[s] != state->slots[s].occupied) {
            fault(r, "slot[%u]@%g expected %s got %s", s, t, expected[s] ? "occupied" : "empty",
                  expected[s] ? "empty" : "occupied");
        }
    }
    return true;
}

static void check_numbers(
    runner *r, const char *what, const char *joint, double t, const double *want, const double *got, size_t n)
{
    static const char axes[] = "xyzw";
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(want[i] - got[i]) <= r->v->within))
            fault(r, "%s[%s].%c@%g expected %.9g got %.9g", what, joint, axes[i], t, want[i], got[i]);
    }
}

static bool check_joint(runner *r, const cJSON *item, const pose *p, double t)
{
    double want_t[3], want_r[4], want_s[3];
    const uint32_t j = vectors_joint(r->v, item->string);
    if (j == RIFT_LAYER_NONE || !vectors_numbers(member(item, "t"), want_t, 3) ||
        !vectors_numbers(member(item, "r"), want_r, 4) || !vectors_numbers(member(item, "s"), want_s, 3))
        return bad_case(r, "has a joint without t, r, s");
    const rift_trs *local = &p->local[j];
    const double got_t[3] = {local->t.x, local->t.y, local->t.z};
    const double got_s[3] = {local->s.x, local->s.y, local->s.z};
    const double dot =
        want_r[0] * local->r.x + want_r[1] * local->r.y + want_r[2] * local->r.z + want_r[3] * local->r.w;
    const double sign = dot < 0 ? -1 : 1;
    const double got_r[4] = {sign * local->r.x, sign * local->r.y, sign * local->r.z, sign * local->r.w};
    check_numbers(r, "t", item->string, t, want_t, got_t, 3);
    check_numbers(r, "r", item->string, t, want_r, got_r, 4);
    check_numbers(r, "s", item->string, t, want_s, got_s, 3);
    return true;
}

static bool check_touched(runner *r, const cJSON *item, const pose *p, double t)
{
    const uint32_t j = vectors_joint(r->v, item->string);
    if (j == RIFT_LAYER_NONE || !cJSON_IsString(item))
        return bad_case(r, "has letters for a joint that is not there");
    char got[4];
    size_t n = 0;
    if (p->touched[j] & RIFT_LAYER_TOUCHES(RIFT_TRANSLATION))
        got[n++] = 't';
    if (p->touched[j] & RIFT_LAYER_TOUCHES(RIFT_ROTATION))
        got[n++] = 'r';
    if (p->touched[j] & RIFT_LAYER_TOUCHES(RIFT_SCALE))
        got[n++] = 's';
    got[n] = '\0';
    if (strcmp(got, item->valuestring) != 0) {
        fault(r, "touched[%s]@%g expected \"%s\" got \"%s\"", item->string, t, item->valuestring, got);
    }
    return true;
}

static bool check_world(runner *r, const cJSON *item, const pose *p, double t)
{
    double want[3];
    const uint32_t j = vectors_joint(r->v, item->string);
    if (j == RIFT_LAYER_NONE || !vectors_numbers(item, want, 3))
        return bad_case(r, "has a world position without three numbers");
    check_numbers(r, "world", item->string, t, want, &p->world[j].m[12], 3);
    return true;
}

typedef bool check_fn(runner *r, const cJSON *item, const pose *p, double t);

static bool
check_each(runner *r, const cJSON *sample, const char *name, check_fn *check, const pose *p, double t)
{
    const cJSON *object = member(sample, name);
    for (const cJSON *item = object != NULL ? object->child : NULL; item != NULL; item = item->next) {
        if (item->string == NULL || !check(r, item, p, t))
            return item->string != NULL ? false : bad_case(r, "has a list where an object belongs");
    }
    return true;
}

static bool run_sample(runner *r, const rift_layers *layers, const cJSON *sample)
{
    rift_layer_state state = {0};
    pose p;
    const cJSON *at = member(sample, "t");
    if (!cJSON_IsNumber(at))
        return bad_case(r, "has a sample without t");
    const double t = at->valuedouble;
    return make_pose(r, layers, t, &state, &p) && check_slots(r, member(sample, "slots"), &state, t) &&
           check_each(r, sample, "joints", check_joint, &p, t) &&
           check_each(r, sample, "touched", check_touched, &p, t) &&
           check_each(r, sample, "world_position", check_world, &p, t);
}

static bool run_case(runner *r, const cJSON *item)
{
    const vectors *v = r->v;
    rift_layers layers;
    rift_timeline timeline = {.name = rift_str_c(r->id),
                              .duration = HUGE_VAL,
                              .fps = RIFT_LAYER_FPS,
                              .masks = v->masks,
                              .mask_count = v->mask_count};
    if (!rift_timeline_read_commands(&timeline, member(item, "timeline"), r->arena, r->err) ||
        !rift_layers_build(&layers, &v->skeleton, v->clips, v->clip_count, &timeline, r->arena, r->err))
        return false;
    check_warnings(r, member(item, "warnings"), &layers.warnings);
    const cJSON *samples = member(item, "samples");
    for (const cJSON *s = samples != NULL ? samples->child : NULL; s != NULL; s = s->next) {
        if (!run_sample(r, &layers, s))
            return false;
    }
    return true;
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

typedef bool run_fn(runner *r, const cJSON *item);

static bool
run_list(runner *r, const cJSON *list, const char *id_member, run_fn *run, rift_vectors_result *result)
{
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        const cJSON *id = member(item, id_member);
        r->id = cJSON_IsString(id) ? id->valuestring : "?";
        r->fault_count = 0;
        if (!cJSON_IsString(id))
            return bad_case(r, "has no name");
        if (!run(r, item))
            return false;
        result->case_count++;
        result->failed_count += r->fault_count > 0;
        if (r->fault_count == 0)
            rift_buf_printf(r->lines, "%s%s ok\n", r->prefix, r->id);
    }
    return true;
}

bool rift_vectors_run(
    rift_vectors_result *out, rift_buf *lines, rift_bytes json, rift_arena *arena, rift_err *err)
{
    vectors v;
    rift_vectors_result result = {0};
    if (json.size > RIFT_VECTORS_MAX_BYTES) {
        return rift_fail(err, RIFT_ERR_LIMIT, "vectors", RIFT_NO_OFFSET, "%zu bytes are over %zu", json.size,
                         RIFT_VECTORS_MAX_BYTES);
    }
    cJSON *root = rift_json_tree(json, RIFT_VECTORS_DEPTH, "vectors", err);
    runner r = {.v = &v, .lines = lines, .arena = arena, .err = err, .prefix = "mask:"};
    bool ok = root != NULL && vectors_read(&v, root, arena, err) &&
              run_list(&r, v.mask_cases, "mask", run_mask_case, &result);
    r.prefix = "";
    ok = ok && run_list(&r, v.cases, "id", run_case, &result);
    cJSON_Delete(root);
    if (!ok || !rift_buf_ok(lines, "vectors", err))
        return false;
    *out = result;
    return true;
}
