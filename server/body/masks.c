#include "body/masks.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "timeline/json_text.h"
#include "timeline/timeline.h"

enum { MAX_DEPTH = 8 };

bool rift_mask_name_is_sound(rift_str name)
{
    for (size_t i = 0; i < name.size; i++) {
        const char l = rift_lower(name.data[i]);
        if (!((l >= 'a' && l <= 'z') || (l >= '0' && l <= '9') || l == '_' || l == '-' || l == '.'))
            return false;
    }
    return name.size > 0 && name.size <= RIFT_MASK_MAX_NAME;
}

const rift_stored_mask *rift_masks_find(const rift_masks *masks, rift_str name)
{
    for (size_t i = 0; i < masks->count; i++) {
        if (rift_str_eq(masks->masks[i].name, name))
            return &masks->masks[i];
    }
    return NULL;
}

/* The object's JSON in the arena; empty when memory is out. */
static rift_str print(const cJSON *object, rift_arena *arena)
{
    char *text = cJSON_PrintUnformatted(object);
    const rift_str out = text != NULL ? rift_arena_copy_str(arena, rift_str_c(text)) : (rift_str){0};
    cJSON_free(text);
    return out;
}

/* Checks an object as a mask and gives it its name. */
static bool keep(rift_stored_mask *out, rift_str name, cJSON *object, rift_arena *arena, rift_err *err)
{
    rift_layer_mask mask;
    if (!rift_timeline_read_mask(&mask, object, "mask", arena, err))
        return false;
    if (mask.name.size > 0 && !rift_str_eq(mask.name, name)) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "name", RIFT_NO_OFFSET, "is not the \"%.*s\" of the path",
                         RIFT_STR_ARG(name));
    }
    cJSON_DeleteItemFromObjectCaseSensitive(object, "name");
    cJSON *member = cJSON_CreateString(rift_arena_copy_str(arena, name).data);
    if (member == NULL || !cJSON_AddItemToObject(object, "name", member)) {
        cJSON_Delete(member);
        return rift_fail(err, RIFT_ERR_NOMEM, "mask", RIFT_NO_OFFSET, "out of memory");
    }
    *out = (rift_stored_mask){rift_arena_copy_str(arena, name), print(object, arena)};
    return (out->json.size > 0 || rift_fail(err, RIFT_ERR_NOMEM, "mask", RIFT_NO_OFFSET, "out of memory")) &&
           rift_arena_ok(arena, "mask", err);
}

bool rift_mask_read(rift_stored_mask *out, rift_str name, rift_bytes body, rift_arena *arena, rift_err *err)
{
    cJSON *root = rift_json_tree(body, MAX_DEPTH, "body", err);
    const bool ok = root != NULL && keep(out, name, root, arena, err);
    cJSON_Delete(root);
    return ok;
}

static bool read_list(rift_masks *out, cJSON *list, rift_arena *arena, rift_err *err)
{
    const int count = cJSON_IsArray(list) ? cJSON_GetArraySize(list) : -1;
    if (count < 0 || count > RIFT_MASKS_MAX) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "masks", RIFT_NO_OFFSET, "is no list of up to %d",
                         RIFT_MASKS_MAX);
    }
    rift_masks masks = {.masks = RIFT_NEW(arena, rift_stored_mask, (size_t)count)};
    for (cJSON *item = list->child; masks.masks != NULL && item != NULL; item = item->next) {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "name");
        const rift_str text = rift_str_c(cJSON_IsString(name) ? name->valuestring : NULL);
        if (!rift_mask_name_is_sound(text) || rift_masks_find(&masks, text) != NULL) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, "name", RIFT_NO_OFFSET,
                             "is no name of a mask, or there twice");
        }
        if (!keep(&masks.masks[masks.count], rift_arena_copy_str(arena, text), item, arena, err))
            return false;
        masks.count++;
    }
    *out = masks;
    return rift_arena_ok(arena, "masks", err);
}

bool rift_masks_read(rift_masks *out, rift_bytes file, rift_arena *arena, rift_err *err)
{
    cJSON *root = rift_json_tree(file, MAX_DEPTH, "masks", err);
    const bool ok = root != NULL && read_list(out, root, arena, err);
    cJSON_Delete(root);
    return ok;
}

/* ---- questions ---- */

static bool read_whole(const cJSON *item, rift_arena *arena, rift_str *out)
{
    if (cJSON_IsString(item)) {
        *out = rift_arena_copy_str(arena, rift_str_c(item->valuestring));
        return true;
    }
    const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    if (!(value >= 0 && value <= 4294967295.0) || value != (double)(uint32_t)value)
        return false;
    *out = rift_arena_printf(arena, "%u", (uint32_t)value);
    return true;
}

static bool read_object(rift_mask_question *out, const cJSON *object, rift_arena *arena, rift_err *err)
{
    if (!rift_timeline_read_mask(&out->mask, object, "mask", arena, err))
        return false;
    out->text = print(object, arena);
    return true;
}

static bool
read_name(rift_mask_question *out, const rift_masks *masks, rift_str name, rift_arena *arena, rift_err *err)
{
    const rift_stored_mask *stored = rift_masks_find(masks, name);
    if (stored == NULL) {
        out->mask = (rift_layer_mask){
            .kind = RIFT_LAYER_MASK_NAMED, .name = rift_arena_copy_str(arena, name), .is_reference = true};
        out->text = rift_arena_printf(arena, "\"%.*s\"", RIFT_STR_ARG(name));
        return true;
    }
    cJSON *object = rift_json_tree((rift_bytes){(const uint8_t *)stored->json.data, stored->json.size},
                                   MAX_DEPTH, "mask", err);
    const bool ok = object != NULL && read_object(out, object, arena, err);
    cJSON_Delete(object);
    return ok;
}

static bool read_question(
    rift_mask_question *out, const rift_masks *masks, const cJSON *root, rift_arena *arena, rift_err *err)
{
    if (!cJSON_IsObject(root))
        return rift_fail(err, RIFT_ERR_ARGUMENT, "body", RIFT_NO_OFFSET, "is no JSON object");
    unsigned masks_given = 0, skins_given = 0;
    for (const cJSON *item = root->child; item != NULL; item = item->next) {
        const bool is_mask = strcmp(item->string, "mask") == 0;
        masks_given += is_mask;
        skins_given += !is_mask;
        if (!is_mask && strcmp(item->string, "skin") != 0)
            return rift_fail(err, RIFT_ERR_ARGUMENT, item->string, RIFT_NO_OFFSET, "is unknown");
        if (!is_mask && !read_whole(item, arena, &out->skin)) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, "skin", RIFT_NO_OFFSET,
                             "is neither a number nor a text");
        }
        if (is_mask && cJSON_IsObject(item) && !read_object(out, item, arena, err))
            return false;
        if (is_mask && cJSON_IsString(item) &&
            !read_name(out, masks, rift_str_c(item->valuestring), arena, err))
            return false;
        if (is_mask && !cJSON_IsObject(item) && !cJSON_IsString(item)) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, "mask", RIFT_NO_OFFSET,
                             "is neither a name nor an object");
        }
    }
    if (masks_given != 1 || skins_given != 1) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "body", RIFT_NO_OFFSET,
                         "wants one \"mask\" and one \"skin\"");
    }
    return rift_arena_ok(arena, "mask", err);
}

bool rift_mask_question_read(
    rift_mask_question *out, const rift_masks *masks, rift_bytes body, rift_arena *arena, rift_err *err)
{
    rift_mask_question question = {.text = {0}};
    cJSON *root = rift_json_tree(body, MAX_DEPTH, "body", err);
    const bool ok = root != NULL && read_question(&question, masks, root, arena, err);
    cJSON_Delete(root);
    if (ok)
        *out = question;
    return ok;
}

/* ---- timelines ---- */

static bool names_any(const rift_timeline *timeline, const rift_masks *masks)
{
    for (size_t i = 0; i < timeline->mask_count; i++) {
        if (timeline->masks[i].kind == RIFT_LAYER_MASK_NAMED &&
            rift_masks_find(masks, timeline->masks[i].name) != NULL)
            return true;
    }
    return false;
}

static bool put_mask(cJSON *command, const rift_masks *masks, rift_err *err)
{
    const cJSON *mask = cJSON_GetObjectItemCaseSensitive(command, "mask");
    const rift_stored_mask *stored =
        cJSON_IsString(mask) ? rift_masks_find(masks, rift_str_c(mask->valuestring)) : NULL;
    if (stored == NULL)
        return true;
    cJSON *object = cJSON_ParseWithLength(stored->json.data, stored->json.size);
    if (object != NULL && cJSON_ReplaceItemInObjectCaseSensitive(command, "mask", object))
        return true;
    cJSON_Delete(object);
    return rift_fail(err, RIFT_ERR_NOMEM, "mask", RIFT_NO_OFFSET, "out of memory");
}

bool rift_masks_apply(rift_options *options, const rift_masks *masks, rift_arena *arena, rift_err *err)
{
    if (options->timeline == NULL || !names_any(options->timeline, masks))
        return true;
    cJSON *root = rift_json_tree((rift_bytes){(const uint8_t *)options->layers.data, options->layers.size},
                                 RIFT_TIMELINE_MAX_DEPTH, "layers", err);
    bool ok = root != NULL;
    cJSON *commands = cJSON_GetObjectItemCaseSensitive(root, "commands");
    for (cJSON *c = commands != NULL ? commands->child : NULL; ok && c != NULL; c = c->next)
        ok = put_mask(c, masks, err);
    ok = ok && rift_timeline_option_json(options, root, arena, err);
    cJSON_Delete(root);
    return ok;
}
