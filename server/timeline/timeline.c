#include "timeline/timeline.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "timeline/json_text.h"

enum { MAX_MEMBERS = 32, WHERE = 64 };

typedef struct reader {
    rift_timeline *out;
    rift_arena *arena;
    rift_err *err;
    char where[WHERE - 24]; /* "commands[3]" */
    size_t mask_capacity;
} reader;

static bool refuse(const reader *r, const char *field, rift_status code, const char *what)
{
    char where[WHERE];
    (void)snprintf(where, sizeof where, "%s%s%.22s", r->where, r->where[0] && field[0] ? "." : "", field);
    return rift_fail(r->err, code, where, RIFT_NO_OFFSET, "%s", what);
}

/* An object whose members are all among `fields` ("at op slot"), each once. */
static bool check_object(const reader *r, const char *field, const cJSON *object, const char *fields)
{
    size_t count = 0;
    if (!cJSON_IsObject(object))
        return refuse(r, field, RIFT_ERR_ARGUMENT, "is no object");
    for (const cJSON *a = object->child; a != NULL; a = a->next) {
        rift_str rest = rift_str_c(fields);
        rift_str known;
        bool found = false;
        while (!found && rift_str_next(&rest, " ", &known))
            found = rift_str_eq(known, rift_str_c(a->string));
        if (!found)
            return refuse(r, a->string, RIFT_ERR_ARGUMENT, "is not known here");
        if (++count > MAX_MEMBERS)
            return refuse(r, field, RIFT_ERR_ARGUMENT, "has too many members");
        for (const cJSON *b = a->next; b != NULL; b = b->next) {
            if (strcmp(a->string, b->string) == 0)
                return refuse(r, a->string, RIFT_ERR_ARGUMENT, "stands there twice");
        }
    }
    return true;
}

/* --- members: absent ones leave *out as it was -------------------------------------------------------------------- */

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static bool get_number(const reader *r, const cJSON *object, const char *name, double *out)
{
    const cJSON *item = member(object, name);
    if (item == NULL)
        return true;
    if (!cJSON_IsNumber(item))
        return refuse(r, name, RIFT_ERR_ARGUMENT, "is no number");
    if (!isfinite(item->valuedouble))
        return refuse(r, name, RIFT_ERR_ARGUMENT, "is not finite");
    *out = item->valuedouble;
    return true;
}

static bool get_bool(const reader *r, const cJSON *object, const char *name, bool *out)
{
    const cJSON *item = member(object, name);
    if (item == NULL)
        return true;
    if (!cJSON_IsBool(item))
        return refuse(r, name, RIFT_ERR_ARGUMENT, "is neither true nor false");
    *out = cJSON_IsTrue(item);
    return true;
}

static bool take_text(const reader *r, const cJSON *item, const char *name, rift_str *out)
{
    if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
        return refuse(r, name, RIFT_ERR_ARGUMENT, "is no text");
    if (strlen(item->valuestring) > RIFT_TIMELINE_MAX_NAME)
        return refuse(r, name, RIFT_ERR_ARGUMENT, "is over 255 bytes");
    for (const char *c = item->valuestring; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20)
            return refuse(r, name, RIFT_ERR_ARGUMENT, "has a control character");
    }
    *out = rift_arena_copy_str(r->arena, rift_str_c(item->valuestring));
    return true;
}

static bool get_text(const reader *r, const cJSON *object, const char *name, rift_str *out)
{
    const cJSON *item = member(object, name);
    return item == NULL || take_text(r, item, name, out);
}

static bool need(const reader *r, const cJSON *object, const char *name)
{
    return member(object, name) != NULL || refuse(r, name, RIFT_ERR_ARGUMENT, "is missing");
}

/* One of two words; the index of the one it is. */
static bool get_word(
    const reader *r, const cJSON *object, const char *name, const char *first, const char *second, int *out)
{
    const cJSON *item = member(object, name);
    if (item == NULL)
        return true;
    const char *text = cJSON_IsString(item) ? item->valuestring : "";
    if (strcmp(text, first) != 0 && strcmp(text, second) != 0) {
        char what[64];
        (void)snprintf(what, sizeof what, "is neither %s nor %s", first, second);
        return refuse(r, name, RIFT_ERR_ARGUMENT, what);
    }
    *out = strcmp(text, second) == 0;
    return true;
}

/* --- masks -------------------------------------------------------------------------------------------------------- */

static size_t count_items(const cJSON *list)
{
    size_t n = 0;
    for (const cJSON *item = list->child; item != NULL; item = item->next)
        n++;
    return n;
}

static bool
get_names(const reader *r, const cJSON *object, const char *name, const rift_str **out, size_t *out_count)
{
    const cJSON *list = member(object, name);
    if (list == NULL)
        return true;
    if (!cJSON_IsArray(list))
        return refuse(r, name, RIFT_ERR_ARGUMENT, "is no list");
    const size_t count = count_items(list);
    if (count > RIFT_TIMELINE_MAX_NAMES)
        return refuse(r, name, RIFT_ERR_ARGUMENT, "has over 4096 names");
    rift_str *names = RIFT_NEW(r->arena, rift_str, count);
    if (names == NULL)
        return rift_arena_ok(r->arena, "masks", r->err);
    size_t n = 0;
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (!take_text(r, item, name, &names[n++]))
            return false;
    }
    *out = names;
    *out_count = count;
    return true;
}

static bool get_weights(const reader *r, const cJSON *list, rift_layer_mask *out)
{
    if (!cJSON_IsArray(list))
        return refuse(r, "weight_list", RIFT_ERR_ARGUMENT, "is no list");
    const size_t count = count_items(list);
    if (count > RIFT_TIMELINE_MAX_WEIGHTS)
        return refuse(r, "weight_list", RIFT_ERR_ARGUMENT, "has over 32767 weights");
    double *weights = RIFT_NEW(r->arena, double, count);
    if (weights == NULL)
        return rift_arena_ok(r->arena, "masks", r->err);
    size_t n = 0;
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
            return refuse(r, "weight_list", RIFT_ERR_ARGUMENT, "has something that is no finite number");
        weights[n++] = item->valuedouble;
    }
    out->kind = RIFT_LAYER_MASK_WEIGHTS;
    out->weights = weights;
    out->weight_count = count;
    return true;
}

static bool read_mask(const reader *r, const cJSON *object, rift_layer_mask *out)
{
    rift_layer_mask mask = {.kind = RIFT_LAYER_MASK_NAMES};
    if (!check_object(r, "", object, "name include exclude self_only weight_list") ||
        !get_text(r, object, "name", &mask.name))
        return false;
    const cJSON *weights = member(object, "weight_list");
    if (weights != NULL) {
        if (member(object, "include") || member(object, "exclude") || member(object, "self_only"))
            return refuse(r, "weight_list", RIFT_ERR_ARGUMENT, "stands beside a list of names");
        if (!get_weights(r, weights, &mask))
            return false;
    } else if (!get_names(r, object, "include", &mask.include, &mask.include_count) ||
               !get_names(r, object, "exclude", &mask.exclude, &mask.exclude_count) ||
               !get_bool(r, object, "self_only", &mask.self_only)) {
        return false;
    }
    *out = mask;
    return true;
}

static bool same_names(const rift_str *a, size_t a_count, const rift_str *b, size_t b_count)
{
    bool same = a_count == b_count;
    for (size_t i = 0; same && i < a_count; i++)
        same = rift_str_eq(a[i], b[i]);
    return same;
}

static bool same_mask(const rift_layer_mask *a, const rift_layer_mask *b)
{
    bool same = a->kind == b->kind && rift_str_eq(a->name, b->name) && a->self_only == b->self_only &&
                a->weight_count == b->weight_count &&
                same_names(a->include, a->include_count, b->include, b->include_count) &&
                same_names(a->exclude, a->exclude_count, b->exclude, b->exclude_count);
    for (size_t i = 0; same && i < a->weight_count; i++)
        same = a->weights[i] == b->weights[i];
    return same;
}

/* Equal masks are one. */
static bool add_mask(reader *r, const rift_layer_mask *mask, uint32_t *out)
{
    rift_timeline *t = r->out;
    for (size_t i = 0; i < t->mask_count; i++) {
        if (same_mask(&t->masks[i], mask)) {
            *out = (uint32_t)i;
            return true;
        }
    }
    if (t->mask_count == RIFT_TIMELINE_MAX_MASKS)
        return refuse(r, "mask", RIFT_ERR_ARGUMENT, "is one of over 256 different masks");
    if (t->mask_count == r->mask_capacity) {
        const size_t capacity = r->mask_capacity > 0 ? 2 * r->mask_capacity : 8;
        rift_layer_mask *masks = RIFT_NEW(r->arena, rift_layer_mask, capacity);
        if (masks == NULL)
            return rift_arena_ok(r->arena, "masks", r->err);
        for (size_t i = 0; i < t->mask_count; i++)
            masks[i] = t->masks[i];
        t->masks = masks;
        r->mask_capacity = capacity;
    }
    t->masks[t->mask_count] = *mask;
    *out = (uint32_t)t->mask_count++;
    return true;
}

static bool get_mask(reader *r, const cJSON *object, uint32_t *out)
{
    const cJSON *item = member(object, "mask");
    if (item == NULL || cJSON_IsNull(item))
        return true;
    rift_layer_mask mask = {.kind = RIFT_LAYER_MASK_NAMED, .is_reference = true};
    if (cJSON_IsString(item)) {
        if (!take_text(r, item, "mask", &mask.name))
            return false;
        for (size_t i = 0; i < r->out->mask_count; i++) {
            if (r->out->masks[i].is_reference && rift_str_eq(r->out->masks[i].name, mask.name)) {
                *out = (uint32_t)i;
                return true;
            }
        }
        return add_mask(r, &mask, out);
    }
    if (!cJSON_IsObject(item))
        return refuse(r, "mask", RIFT_ERR_ARGUMENT, "is neither a name, an object nor null");
    reader inner = *r;
    (void)snprintf(inner.where, sizeof inner.where, "%.30s.mask", r->where);
    return read_mask(&inner, item, &mask) && add_mask(r, &mask, out);
}

/* --- commands ----------------------------------------------------------------------------------------------------- */

static const char *const fields_of[] = {
    [RIFT_LAYER_PLAY] = "at op slot clip loop speed weight start",
    [RIFT_LAYER_PLAY_MASKED] = "at op slot clip loop speed weight start mask",
    [RIFT_LAYER_PLAY_ADDITIVE] = "at op slot clip loop speed weight start mask base",
    [RIFT_LAYER_STOP] = "at op slot",
    [RIFT_LAYER_SET_MASK] = "at op slot mask",
    [RIFT_LAYER_SET_WEIGHT] = "at op slot weight",
    [RIFT_LAYER_FADE] = "at op slot weight seconds",
    [RIFT_LAYER_SET_MODE] = "at op slot mode",
};

static bool get_op(const reader *r, const cJSON *object, rift_layer_op *out)
{
    const cJSON *item = member(object, "op");
    if (!need(r, object, "op"))
        return false;
    for (size_t i = 0; cJSON_IsString(item) && i < RIFT_COUNT(fields_of); i++) {
        if (strcmp(item->valuestring, rift_layer_op_word((rift_layer_op)i)) == 0) {
            *out = (rift_layer_op)i;
            return true;
        }
    }
    return refuse(r, "op", RIFT_ERR_ARGUMENT, "is no command");
}

/* Slots outside 0-7 are told by the timeline itself (L29), so any whole number will do. */
static bool get_slot(const reader *r, const cJSON *object, int32_t *out)
{
    double slot = 0;
    if (!need(r, object, "slot") || !get_number(r, object, "slot", &slot))
        return false;
    if (slot != floor(slot) || fabs(slot) > 1e6)
        return refuse(r, "slot", RIFT_ERR_ARGUMENT, "is no whole number");
    *out = (int32_t)slot;
    return true;
}

static bool get_play(reader *r, const cJSON *object, rift_layer_command *c)
{
    int base = 0;
    if (!need(r, object, "clip") || !get_text(r, object, "clip", &c->clip) ||
        !get_bool(r, object, "loop", &c->loop) || !get_number(r, object, "speed", &c->speed) ||
        !get_number(r, object, "start", &c->start) ||
        !get_word(r, object, "base", rift_layer_base_word(RIFT_LAYER_BIND),
                  rift_layer_base_word(RIFT_LAYER_IDENTITY), &base))
        return false;
    if (c->op == RIFT_LAYER_PLAY_MASKED && !need(r, object, "mask"))
        return false;
    if (c->start < 0)
        return refuse(r, "start", RIFT_ERR_ARGUMENT, "is negative");
    c->has_start = member(object, "start") != NULL;
    c->base = (rift_layer_base)base;
    return true;
}

static bool read_command(reader *r, const cJSON *object, rift_layer_command *c)
{
    int mode = 0;
    *c = (rift_layer_command){.mask = RIFT_LAYER_NONE, .speed = 1, .weight = 1};
    if (!cJSON_IsObject(object))
        return refuse(r, "", RIFT_ERR_ARGUMENT, "is no object");
    if (!get_op(r, object, &c->op) || !check_object(r, "", object, fields_of[c->op]) ||
        !need(r, object, "at") || !get_number(r, object, "at", &c->at) || !get_slot(r, object, &c->slot) ||
        !get_number(r, object, "weight", &c->weight) || !get_mask(r, object, &c->mask) ||
        !get_number(r, object, "seconds", &c->seconds) ||
        !get_word(r, object, "mode", rift_layer_mode_word(RIFT_LAYER_REPLACE),
                  rift_layer_mode_word(RIFT_LAYER_ADDITIVE), &mode))
        return false;
    c->mode = (rift_layer_mode)mode;
    if (c->at < 0)
        return refuse(r, "at", RIFT_ERR_ARGUMENT, "is negative");
    switch (c->op) {
    case RIFT_LAYER_PLAY:
    case RIFT_LAYER_PLAY_MASKED:
    case RIFT_LAYER_PLAY_ADDITIVE:
        return get_play(r, object, c);
    case RIFT_LAYER_SET_MASK:
        return need(r, object, "mask");
    case RIFT_LAYER_SET_WEIGHT:
        return need(r, object, "weight");
    case RIFT_LAYER_FADE:
        return need(r, object, "weight") && need(r, object, "seconds");
    case RIFT_LAYER_SET_MODE:
        return need(r, object, "mode");
    case RIFT_LAYER_STOP:
        break;
    }
    return true;
}

static bool read_commands(reader *r, const cJSON *list)
{
    if (!cJSON_IsArray(list))
        return refuse(r, "commands", RIFT_ERR_ARGUMENT, "is no list");
    const size_t count = count_items(list);
    if (count > RIFT_LAYER_MAX_COMMANDS) {
        return rift_fail(r->err, RIFT_ERR_ARGUMENT, "commands", RIFT_NO_OFFSET, "%zu commands are over %d",
                         count, RIFT_LAYER_MAX_COMMANDS);
    }
    rift_timeline *t = r->out;
    t->commands = RIFT_NEW(r->arena, rift_layer_command, count);
    for (const cJSON *item = list->child; item != NULL && t->commands != NULL; item = item->next) {
        (void)snprintf(r->where, sizeof r->where, "commands[%zu]", t->command_count);
        if (!read_command(r, item, &t->commands[t->command_count]))
            return false;
        t->command_count++;
    }
    r->where[0] = '\0';
    return rift_arena_ok(r->arena, "commands", r->err) &&
           (rift_timeline_sort(t, r->arena) || rift_arena_ok(r->arena, "commands", r->err));
}

/* --- auto --------------------------------------------------------------------------------------------------------- */

static bool read_auto_item(const reader *r, const cJSON *item, rift_layer_auto *out)
{
    int mode = 0;
    int base = 0;
    if (cJSON_IsString(item))
        return take_text(r, item, "", &out->clip);
    if (!check_object(r, "", item, "clip mode base") || !need(r, item, "clip") ||
        !get_text(r, item, "clip", &out->clip) ||
        !get_word(r, item, "mode", rift_layer_mode_word(RIFT_LAYER_REPLACE),
                  rift_layer_mode_word(RIFT_LAYER_ADDITIVE), &mode) ||
        !get_word(r, item, "base", rift_layer_base_word(RIFT_LAYER_BIND),
                  rift_layer_base_word(RIFT_LAYER_IDENTITY), &base))
        return false;
    out->has_mode = member(item, "mode") != NULL || member(item, "base") != NULL;
    if (out->has_mode && !(need(r, item, "mode") && need(r, item, "base")))
        return false;
    out->mode = (rift_layer_mode)mode;
    out->base = (rift_layer_base)base;
    return true;
}

static bool read_auto(reader *r, const cJSON *list)
{
    rift_timeline *t = r->out;
    if (!cJSON_IsArray(list))
        return refuse(r, "auto", RIFT_ERR_ARGUMENT, "is no list");
    const size_t count = count_items(list);
    if (count > RIFT_LAYER_SLOTS)
        return refuse(r, "auto", RIFT_ERR_ARGUMENT, "has more clips than there are slots");
    t->is_auto = true;
    t->auto_clips = RIFT_NEW(r->arena, rift_layer_auto, count);
    for (const cJSON *item = list->child; item != NULL && t->auto_clips != NULL; item = item->next) {
        (void)snprintf(r->where, sizeof r->where, "auto[%zu]", t->auto_count);
        if (!read_auto_item(r, item, &t->auto_clips[t->auto_count]))
            return false;
        t->auto_count++;
    }
    r->where[0] = '\0';
    return rift_arena_ok(r->arena, "auto", r->err);
}

/* --- a timeline --------------------------------------------------------------------------------------------------- */

static bool check_numbers(const reader *r, const cJSON *object)
{
    const rift_timeline *t = r->out;
    if (member(object, "duration") != NULL && !(t->duration > 0))
        return refuse(r, "duration", RIFT_ERR_ARGUMENT, "is not above 0");
    if (isfinite(t->duration) && t->duration > RIFT_LAYER_MAX_SECONDS)
        return refuse(r, "duration", RIFT_ERR_ARGUMENT, "is over 600 seconds");
    if (!(t->fps > 0) || t->fps > RIFT_LAYER_MAX_FPS)
        return refuse(r, "fps", RIFT_ERR_ARGUMENT, "is not within 0 and 240");
    return true;
}

bool rift_timeline_read(rift_timeline *out, const struct cJSON *object, rift_arena *arena, rift_err *err)
{
    rift_timeline timeline = {.name = RIFT_STR("layers"), .duration = HUGE_VAL, .fps = RIFT_LAYER_FPS};
    reader r = {.out = &timeline, .arena = arena, .err = err};
    if (!check_object(&r, "layers", object, "name duration loop fps commands auto") ||
        !get_text(&r, object, "name", &timeline.name) ||
        !get_number(&r, object, "duration", &timeline.duration) ||
        !get_bool(&r, object, "loop", &timeline.loop) || !get_number(&r, object, "fps", &timeline.fps) ||
        !check_numbers(&r, object))
        return false;
    const cJSON *automatic = member(object, "auto");
    if (automatic != NULL && member(object, "commands") != NULL)
        return refuse(&r, "auto", RIFT_ERR_ARGUMENT, "stands beside commands");
    if (automatic != NULL) {
        if (!read_auto(&r, automatic))
            return false;
        timeline.duration = isfinite(timeline.duration) ? timeline.duration : 0;
    } else if (!need(&r, object, "duration") || !need(&r, object, "commands") ||
               !read_commands(&r, member(object, "commands"))) {
        return false;
    }
    if (!rift_arena_ok(arena, "layers", err))
        return false;
    *out = timeline;
    return true;
}

bool rift_timeline_parse(rift_timeline *out, rift_bytes json, rift_arena *arena, rift_err *err)
{
    if (json.size > RIFT_TIMELINE_MAX_BYTES) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "layers", RIFT_NO_OFFSET, "%zu bytes are over %zu",
                         json.size, RIFT_TIMELINE_MAX_BYTES);
    }
    cJSON *root = rift_json_tree(json, RIFT_TIMELINE_MAX_DEPTH, "layers", err);
    const bool ok = root != NULL && rift_timeline_read(out, root, arena, err);
    cJSON_Delete(root);
    return ok;
}

bool rift_timeline_read_mask(
    rift_layer_mask *out, const struct cJSON *object, const char *where, rift_arena *arena, rift_err *err)
{
    reader r = {.arena = arena, .err = err};
    (void)snprintf(r.where, sizeof r.where, "%.30s", where);
    return read_mask(&r, object, out);
}

bool rift_timeline_read_commands(rift_timeline *out,
                                 const struct cJSON *list,
                                 rift_arena *arena,
                                 rift_err *err)
{
    reader r = {.out = out, .arena = arena, .err = err, .mask_capacity = out->mask_count};
    return read_commands(&r, list);
}
