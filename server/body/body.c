#include "body/body.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "config/limits.h"
#include "http/guard.h"
#include "timeline/json_text.h"
#include "timeline/timeline.h"

/* Numbers are doubles in cJSON: whole ones are exact up to 2^53. */
#define MAX_WHOLE 9007199254740992.0

/* A timeline names its own parts: "commands[0].at" is layers.commands[0].at of a query, and options.layers.commands[0].at of a body. */
static bool is_of(const char *option, rift_err *err)
{
    char part[49];
    const bool whole = strcmp(err->where, "layers") == 0;
    (void)snprintf(part, sizeof part, "%.48s", whole ? "" : err->where);
    (void)snprintf(err->where, sizeof err->where, "%s%s%s", option, part[0] != '\0' ? "." : "", part);
    return false;
}

/* Options that are JSON have their own reader. */
static bool set_known(rift_options *options, rift_str name, rift_str value, rift_arena *arena, rift_err *err)
{
    if (!rift_str_eq(name, RIFT_STR("layers")))
        return rift_options_set(options, name, value, arena, err);
    return rift_timeline_option(options, value, arena, err) || is_of("layers", err);
}

/* Values travel as "name=value&name=value" in the canonical text of a request, so '&' would make two requests one. */
static bool set_option(rift_options *options, rift_str name, rift_str value, rift_arena *arena, rift_err *err)
{
    char where[48];
    (void)snprintf(where, sizeof where, "%.*s", name.size < 40 ? (int)name.size : 40,
                   name.data ? name.data : "");
    for (size_t i = 0; i < value.size; i++) {
        if (value.data[i] == '&' || (unsigned char)value.data[i] < 0x20) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, where, RIFT_NO_OFFSET,
                             "has a character that no value has");
        }
    }
    if (value.size > RIFT_LIMIT_OPTION_BYTES) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, where, RIFT_NO_OFFSET, "is over %d bytes",
                         RIFT_LIMIT_OPTION_BYTES);
    }
    if (!rift_str_is_utf8(value))
        return rift_fail(err, RIFT_ERR_ARGUMENT, where, RIFT_NO_OFFSET, "is not UTF-8");
    return set_known(options, name, value, arena, err);
}

/* Takes one parameter of a query. */
typedef bool take_fn(void *user, rift_str name, rift_str value, rift_arena *arena, rift_err *err);

static bool read_query(rift_str query, take_fn *take, void *user, rift_arena *arena, rift_err *err)
{
    char name[64], value[RIFT_LIMIT_OPTION_BYTES + 1];
    rift_str seen[32];
    size_t seen_count = 0;
    rift_str text;
    bool bad = false;
    while (rift_query_next(&query, name, sizeof name, value, sizeof value, &text, &bad)) {
        for (size_t i = 0; i < seen_count; i++) {
            if (rift_str_eq(seen[i], rift_str_c(name)))
                return rift_fail(err, RIFT_ERR_ARGUMENT, name, RIFT_NO_OFFSET, "is given twice");
        }
        if (!take(user, rift_str_c(name), text, arena, err))
            return false;
        if (seen_count < RIFT_COUNT(seen))
            seen[seen_count++] = rift_arena_copy_str(arena, rift_str_c(name));
    }
    if (bad) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "query", RIFT_NO_OFFSET,
                         "is malformed or holds too long a part");
    }
    return rift_arena_ok(arena, "options", err);
}

static bool take_option(void *user, rift_str name, rift_str value, rift_arena *arena, rift_err *err)
{
    return set_option(user, name, value, arena, err);
}

bool rift_query_options(
    rift_options *out, rift_str query, rift_str defaults, rift_arena *arena, rift_err *err)
{
    rift_options options;
    if (!rift_options_parse(&options, defaults, arena, err) ||
        !read_query(query, take_option, &options, arena, err))
        return false;
    *out = options;
    return true;
}

typedef struct picture {
    rift_options options;
    rift_view view;
} picture;

static bool take_of_picture(void *user, rift_str name, rift_str value, rift_arena *arena, rift_err *err)
{
    picture *p = user;
    if (rift_str_eq(name, RIFT_STR("pose")))
        return set_option(&p->options, name, value, arena, err);
    if (rift_str_eq(name, RIFT_STR("size")) || rift_str_eq(name, RIFT_STR("turn")))
        return rift_view_set(&p->view, name, value, err);
    return rift_fail(err, RIFT_ERR_ARGUMENT, "query", RIFT_NO_OFFSET,
                     "\"%.*s\" is not one of size, pose, turn", name.size > 40 ? 40 : (int)name.size,
                     name.data ? name.data : "");
}

bool rift_query_picture(
    rift_options *options, rift_view *view, rift_str query, rift_arena *arena, rift_err *err)
{
    picture p = {rift_options_default(), rift_view_default()};
    if (!read_query(query, take_of_picture, &p, arena, err))
        return false;
    *options = p.options;
    *view = p.view;
    return true;
}

/* Blanks count: they are part of what was asked for, and of the key. */
bool rift_options_parse(rift_options *out, rift_str text, rift_arena *arena, rift_err *err)
{
    rift_options options = rift_options_default();
    while (text.size > 0) {
        const char *end = memchr(text.data, '&', text.size);
        const rift_str item = {text.data, end != NULL ? (size_t)(end - text.data) : text.size};
        const size_t step = item.size + (end != NULL);
        text = (rift_str){text.data + step, text.size - step};
        const char *equals = memchr(item.data, '=', item.size);
        const size_t at = equals != NULL ? (size_t)(equals - item.data) : item.size;
        const rift_str value = equals != NULL ? (rift_str){equals + 1, item.size - at - 1} : (rift_str){0};
        if (!set_known(&options, (rift_str){item.data, at}, value, arena, err))
            return false;
    }
    options.given = 0;
    *out = options;
    return true;
}

bool rift_options_defaults(rift_str *out,
                           const char *const values[RIFT_OPTION_COUNT],
                           rift_arena *arena,
                           rift_err *err)
{
    rift_options options = rift_options_default();
    for (size_t i = 0; i < RIFT_OPTION_COUNT; i++) {
        const char *name = rift_option_info_at(i)->name;
        if (values[i] == NULL || set_option(&options, rift_str_c(name), rift_str_c(values[i]), arena, err))
            continue;
        (void)snprintf(err->where, sizeof err->where, "default-%s", name);
        for (char *p = strchr(err->where, '_'); p != NULL; p = strchr(p, '_'))
            *p = '-';
        return false;
    }
    const rift_str text = rift_options_text(&options, arena);
    if (!rift_arena_ok(arena, "defaults", err))
        return false;
    *out = text;
    return true;
}

/* ---- JSON ---- */

/* Each with each: the number is bounded first, since this runs on the loop. */
static bool check_members(const cJSON *object, rift_err *err)
{
    size_t count = 0;
    for (const cJSON *a = object->child; a != NULL; a = a->next) {
        if (++count > RIFT_LIMIT_JSON_MEMBERS) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, "body", RIFT_NO_OFFSET,
                             "an object has more than %d members", RIFT_LIMIT_JSON_MEMBERS);
        }
    }
    for (const cJSON *a = object->child; a != NULL; a = a->next) {
        for (const cJSON *b = a->next; b != NULL; b = b->next) {
            if (strcmp(a->string, b->string) == 0)
                return rift_fail(err, RIFT_ERR_ARGUMENT, a->string, RIFT_NO_OFFSET, "stands there twice");
        }
    }
    return true;
}

static bool whole_number(const cJSON *item, rift_arena *arena, rift_str *out)
{
    const double v = item->valuedouble;
    if (!(v >= 0) || v > MAX_WHOLE || v != (double)(uint64_t)v)
        return false;
    *out = rift_arena_printf(arena, "%llu", (unsigned long long)v);
    return true;
}

static bool join_list(const cJSON *list, rift_arena *arena, rift_str *out)
{
    *out = (rift_str){0};
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (!cJSON_IsString(item) || item->valuestring[0] == '\0' || strchr(item->valuestring, ',') != NULL ||
            out->size > RIFT_LIMIT_OPTION_BYTES)
            return false;
        *out = rift_arena_printf(arena, "%.*s%s%s", RIFT_STR_ARG(*out), out->size > 0 ? "," : "",
                                 item->valuestring);
    }
    return list->child != NULL;
}

static bool value_text(const cJSON *item, rift_arena *arena, rift_str *out)
{
    if (cJSON_IsString(item)) {
        *out = rift_str_c(item->valuestring);
        return true;
    }
    if (cJSON_IsNumber(item))
        return whole_number(item, arena, out);
    return cJSON_IsArray(item) && join_list(item, arena, out);
}

static bool read_options(rift_options *out, const cJSON *object, rift_arena *arena, rift_err *err)
{
    if (!cJSON_IsObject(object))
        return rift_fail(err, RIFT_ERR_ARGUMENT, "options", RIFT_NO_OFFSET, "is no object");
    if (!check_members(object, err))
        return false;
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        rift_str value;
        if (strcmp(item->string, "layers") == 0) {
            if (!rift_timeline_option_json(out, item, arena, err))
                return is_of("options.layers", err);
            continue;
        }
        if (!value_text(item, arena, &value)) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, item->string, RIFT_NO_OFFSET,
                             "is neither a text, a whole number nor a list of texts");
        }
        if (!rift_arena_ok(arena, item->string, err) ||
            !set_option(out, rift_str_c(item->string), value, arena, err))
            return false;
    }
    return true;
}

static bool read_skin(rift_str *out, const cJSON *item, const char *where, rift_arena *arena, rift_err *err)
{
    if (cJSON_IsString(item)) {
        *out = rift_arena_copy_str(arena, rift_str_c(item->valuestring));
        return true;
    }
    return (cJSON_IsNumber(item) && whole_number(item, arena, out)) ||
           rift_fail(err, RIFT_ERR_ARGUMENT, where, RIFT_NO_OFFSET, "is neither a number nor a text");
}

static bool check_object(const cJSON *object, rift_err *err)
{
    if (!cJSON_IsObject(object))
        return rift_fail(err, RIFT_ERR_ARGUMENT, "body", RIFT_NO_OFFSET, "is no JSON object");
    return check_members(object, err);
}

static bool read_job(void *user, const cJSON *object, rift_arena *arena, rift_err *err)
{
    rift_job_body *out = user;
    if (!check_object(object, err))
        return false;
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        if (strcmp(item->string, "options") == 0) {
            if (!read_options(&out->options, item, arena, err))
                return false;
        } else if (strcmp(item->string, "skin") != 0) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, item->string, RIFT_NO_OFFSET, "is unknown");
        } else if (!read_skin(&out->skin, item, "skin", arena, err)) {
            return false;
        }
    }
    if (!rift_arena_ok(arena, "skin", err))
        return false;
    return out->skin.size > 0 || rift_fail(err, RIFT_ERR_ARGUMENT, "skin", RIFT_NO_OFFSET, "is missing");
}

static bool read_skins(rift_batch_body *out, const cJSON *list, rift_arena *arena, rift_err *err)
{
    if (cJSON_IsString(list) && strcmp(list->valuestring, "all") == 0) {
        out->all = true;
        return true;
    }
    if (!cJSON_IsArray(list) || list->child == NULL) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "skins", RIFT_NO_OFFSET,
                         "is neither a list of skins nor \"all\"");
    }
    size_t count = 0;
    for (const cJSON *item = list->child; item != NULL; item = item->next)
        count++;
    if (count > RIFT_LIMIT_BATCH) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "skins", RIFT_NO_OFFSET, "has more than %d items",
                         RIFT_LIMIT_BATCH);
    }
    rift_str *skins = RIFT_NEW(arena, rift_str, count);
    if (skins == NULL)
        return rift_arena_ok(arena, "skins", err);
    for (const cJSON *item = list->child; item != NULL; item = item->next) {
        if (!read_skin(&skins[out->skin_count++], item, "skins", arena, err))
            return false;
    }
    out->skins = skins;
    return true;
}

static bool read_champion(rift_str *out, const cJSON *item, rift_arena *arena, rift_err *err)
{
    if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
        return rift_fail(err, RIFT_ERR_ARGUMENT, "champion", RIFT_NO_OFFSET, "is no text");
    *out = rift_arena_copy_str(arena, rift_str_c(item->valuestring));
    return true;
}

static bool read_batch(void *user, const cJSON *object, rift_arena *arena, rift_err *err)
{
    rift_batch_body *out = user;
    if (!check_object(object, err))
        return false;
    for (const cJSON *item = object->child; item != NULL; item = item->next) {
        bool ok;
        if (strcmp(item->string, "options") == 0) {
            ok = read_options(&out->options, item, arena, err);
        } else if (strcmp(item->string, "skins") == 0) {
            ok = read_skins(out, item, arena, err);
        } else if (strcmp(item->string, "champion") == 0) {
            ok = read_champion(&out->champion, item, arena, err);
        } else {
            ok = rift_fail(err, RIFT_ERR_ARGUMENT, item->string, RIFT_NO_OFFSET, "is unknown");
        }
        if (!ok)
            return false;
    }
    if (!rift_arena_ok(arena, "skins", err))
        return false;
    const int ways = (out->skin_count > 0 || out->all) + (out->champion.size > 0);
    return ways == 1 || rift_fail(err, RIFT_ERR_ARGUMENT, ways == 0 ? "skins" : "champion", RIFT_NO_OFFSET,
                                  ways == 0 ? "is missing" : "stands beside skins");
}

static bool parse_body(bool (*read)(void *user, const cJSON *root, rift_arena *arena, rift_err *err),
                       void *user,
                       rift_bytes body,
                       rift_arena *arena,
                       rift_err *err)
{
    cJSON *root = rift_json_tree(body, RIFT_LIMIT_JSON_DEPTH, "body", err);
    const bool ok = root != NULL && read(user, root, arena, err) && rift_arena_ok(arena, "body", err);
    cJSON_Delete(root);
    return ok;
}

bool rift_job_body_parse(
    rift_job_body *out, rift_bytes body, rift_str defaults, rift_arena *arena, rift_err *err)
{
    rift_job_body job = {0};
    if (!rift_options_parse(&job.options, defaults, arena, err) ||
        !parse_body(read_job, &job, body, arena, err))
        return false;
    *out = job;
    return true;
}

bool rift_batch_body_parse(
    rift_batch_body *out, rift_bytes body, rift_str defaults, rift_arena *arena, rift_err *err)
{
    rift_batch_body batch = {0};
    if (!rift_options_parse(&batch.options, defaults, arena, err) ||
        !parse_body(read_batch, &batch, body, arena, err))
        return false;
    *out = batch;
    return true;
}

bool rift_body_options(
    rift_options *out, rift_bytes body, rift_str defaults, rift_arena *arena, rift_err *err)
{
    rift_options options;
    if (!rift_options_parse(&options, defaults, arena, err))
        return false;
    cJSON *root = rift_json_tree(body, RIFT_LIMIT_JSON_DEPTH, "options", err);
    const bool ok =
        root != NULL && read_options(&options, root, arena, err) && rift_arena_ok(arena, "options", err);
    cJSON_Delete(root);
    if (ok)
        *out = options;
    return ok;
}
