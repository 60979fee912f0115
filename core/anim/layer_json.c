/* A timeline as JSON: one writer for canonical texts and for extras. */
#include <math.h>

#include "anim/layer_internal.h"

#include "base/json.h"

static void put_names(rift_json *j, const char *key, const rift_str *names, size_t count)
{
    if (count == 0)
        return;
    rift_json_key(j, key);
    rift_json_array(j);
    for (size_t i = 0; i < count; i++)
        rift_json_str(j, names[i]);
    rift_json_array_end(j);
}

static void put_mask(rift_json *j, const rift_layer_mask *mask)
{
    if (mask->kind == RIFT_LAYER_MASK_NAMED || mask->is_reference) {
        rift_json_str(j, mask->name);
        return;
    }
    rift_json_object(j);
    if (mask->name.size > 0)
        rift_json_put_str(j, "name", mask->name);
    put_names(j, "include", mask->include, mask->include_count);
    put_names(j, "exclude", mask->exclude, mask->exclude_count);
    if (mask->self_only)
        rift_json_put_bool(j, "self_only", true);
    if (mask->kind == RIFT_LAYER_MASK_WEIGHTS) {
        rift_json_key(j, "weight_list");
        rift_json_array(j);
        for (size_t i = 0; i < mask->weight_count; i++)
            rift_json_double(j, mask->weights[i]);
        rift_json_array_end(j);
    }
    rift_json_object_end(j);
}

static void put_play(rift_json *j, const rift_timeline *t, const rift_layer_command *c)
{
    rift_json_put_str(j, "clip", c->clip);
    if (c->op == RIFT_LAYER_PLAY_MASKED || c->mask != RIFT_LAYER_NONE) {
        rift_json_key(j, "mask");
        if (c->mask != RIFT_LAYER_NONE) {
            put_mask(j, &t->masks[c->mask]);
        } else {
            rift_json_null(j);
        }
    }
    if (c->loop)
        rift_json_put_bool(j, "loop", true);
    if (c->speed != 1)
        rift_json_put_double(j, "speed", c->speed);
    if (c->weight != 1)
        rift_json_put_double(j, "weight", c->weight);
    if (c->has_start)
        rift_json_put_double(j, "start", c->start);
    if (c->op == RIFT_LAYER_PLAY_ADDITIVE && c->base != RIFT_LAYER_BIND)
        rift_json_put_cstr(j, "base", rift_layer_base_word(c->base));
}

static void put_command(rift_json *j, const rift_timeline *t, const rift_layer_command *c)
{
    rift_json_object(j);
    rift_json_put_double(j, "at", c->at);
    rift_json_put_cstr(j, "op", rift_layer_op_word(c->op));
    rift_json_put_int(j, "slot", c->slot);
    switch (c->op) {
    case RIFT_LAYER_PLAY:
    case RIFT_LAYER_PLAY_MASKED:
    case RIFT_LAYER_PLAY_ADDITIVE:
        put_play(j, t, c);
        break;
    case RIFT_LAYER_SET_MASK:
        rift_json_key(j, "mask");
        if (c->mask != RIFT_LAYER_NONE) {
            put_mask(j, &t->masks[c->mask]);
        } else {
            rift_json_null(j);
        }
        break;
    case RIFT_LAYER_FADE:
        rift_json_put_double(j, "weight", c->weight);
        rift_json_put_double(j, "seconds", c->seconds);
        break;
    case RIFT_LAYER_SET_WEIGHT:
        rift_json_put_double(j, "weight", c->weight);
        break;
    case RIFT_LAYER_SET_MODE:
        rift_json_put_cstr(j, "mode", rift_layer_mode_word(c->mode));
        break;
    case RIFT_LAYER_STOP:
        break;
    }
    rift_json_object_end(j);
}

static void put_auto(rift_json *j, const rift_timeline *t)
{
    rift_json_key(j, "auto");
    rift_json_array(j);
    for (size_t i = 0; i < t->auto_count; i++) {
        const rift_layer_auto *a = &t->auto_clips[i];
        if (!a->has_mode) {
            rift_json_str(j, a->clip);
            continue;
        }
        rift_json_object(j);
        rift_json_put_str(j, "clip", a->clip);
        rift_json_put_cstr(j, "mode", rift_layer_mode_word(a->mode));
        rift_json_put_cstr(j, "base", rift_layer_base_word(a->base));
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

void rift_timeline_json(rift_json *j, const rift_timeline *t)
{
    rift_json_object(j);
    rift_json_put_str(j, "name", t->name);
    if (isfinite(t->duration) && (t->duration > 0 || !t->is_auto))
        rift_json_put_double(j, "duration", t->duration);
    if (t->loop)
        rift_json_put_bool(j, "loop", true);
    if (t->fps != RIFT_LAYER_FPS)
        rift_json_put_double(j, "fps", t->fps);
    if (t->is_auto)
        put_auto(j, t);
    if (!t->is_auto || t->command_count > 0) {
        rift_json_key(j, "commands");
        rift_json_array(j);
        for (size_t i = 0; i < t->command_count; i++)
            put_command(j, t, &t->commands[i]);
        rift_json_array_end(j);
    }
    rift_json_object_end(j);
}
