#include <cjson/cJSON.h>

#include "base/json.h"
#include "base/str.h"
#include "timeline/timeline.h"

/* '&' joins options in the canonical text of a request; as "\u0026" it means the same inside JSON's strings, and it stands
 * nowhere else. */
static rift_str escape(rift_bytes json, rift_arena *arena)
{
    rift_buf b;
    rift_buf_init(&b, arena, RIFT_TIMELINE_MAX_BYTES);
    for (size_t i = 0; i < json.size; i++) {
        if (json.data[i] == '&') {
            rift_buf_str(&b, RIFT_STR("\\u0026"));
        } else {
            rift_buf_u8(&b, json.data[i]);
        }
    }
    const rift_bytes text = rift_buf_bytes(&b);
    return b.failed ? (rift_str){0} : (rift_str){(const char *)text.data, text.size};
}

static bool store(rift_options *options, const rift_timeline *timeline, rift_arena *arena, rift_err *err)
{
    rift_buf b;
    rift_json j;
    rift_buf_init(&b, arena, RIFT_TIMELINE_MAX_BYTES);
    rift_json_init(&j, &b);
    rift_timeline_json(&j, timeline);
    const rift_str text = b.failed ? (rift_str){0} : escape(rift_buf_bytes(&b), arena);
    rift_timeline *kept = RIFT_NEW(arena, rift_timeline, 1);
    if (!rift_arena_ok(arena, "layers", err) || !rift_buf_ok(&b, "layers", err))
        return false;
    if (text.size == 0) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "layers", RIFT_NO_OFFSET, "is over %zu bytes",
                         RIFT_TIMELINE_MAX_BYTES);
    }
    *kept = *timeline;
    options->layers = text;
    options->timeline = kept;
    return true;
}

/* "auto", "auto:Run,Attack1". */
static bool read_auto(rift_options *options, rift_str list, rift_arena *arena, rift_err *err)
{
    rift_timeline t = {.name = RIFT_STR("layers"), .fps = RIFT_LAYER_FPS, .is_auto = true};
    rift_str clip;
    t.auto_clips = RIFT_NEW(arena, rift_layer_auto, RIFT_LAYER_SLOTS);
    if (t.auto_clips == NULL)
        return rift_arena_ok(arena, "layers", err);
    while (rift_str_next(&list, ",;", &clip)) {
        if (t.auto_count == RIFT_LAYER_SLOTS) {
            return rift_fail(err, RIFT_ERR_ARGUMENT, "layers", RIFT_NO_OFFSET,
                             "has more clips than there are %d slots", RIFT_LAYER_SLOTS);
        }
        t.auto_clips[t.auto_count++].clip = rift_arena_copy_str(arena, clip);
    }
    return store(options, &t, arena, err);
}

bool rift_timeline_option(rift_options *options, rift_str value, rift_arena *arena, rift_err *err)
{
    if (rift_str_eq(value, RIFT_STR("none"))) {
        options->layers = (rift_str){0};
        options->timeline = NULL;
        return true;
    }
    if (rift_str_eq(value, RIFT_STR("auto")))
        return read_auto(options, (rift_str){0}, arena, err);
    if (rift_str_starts_nocase(value, RIFT_STR("auto:")))
        return read_auto(options, (rift_str){value.data + 5, value.size - 5}, arena, err);
    rift_timeline timeline;
    return rift_timeline_parse(&timeline, (rift_bytes){(const uint8_t *)value.data, value.size}, arena,
                               err) &&
           store(options, &timeline, arena, err);
}

bool rift_timeline_option_json(rift_options *options,
                               const struct cJSON *value,
                               rift_arena *arena,
                               rift_err *err)
{
    if (cJSON_IsString(value))
        return rift_timeline_option(options, rift_str_c(value->valuestring), arena, err);
    rift_timeline timeline;
    return rift_timeline_read(&timeline, value, arena, err) && store(options, &timeline, arena, err);
}
