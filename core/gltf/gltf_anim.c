#include <string.h>

#include "gltf/gltf_internal.h"

/* Clips as animations (G36-G43). Equal time arrays and equal values are one accessor in the whole file; within a clip
 * equal pairs of them are one sampler. */

static void fill_times(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    (void)doc;
    const rift_channel *channel = accessor->source;
    gltf_put_f32(out, channel->times, accessor->count);
}

/* Tangents of cubic keys may be longer than 1. */
static bool in_16_bits(const gltf_doc *doc, const rift_channel *channel)
{
    return doc->quantized && channel->component == RIFT_ROTATION && channel->interpolation == RIFT_LINEAR;
}

size_t gltf_key_words(uint32_t out[4], const gltf_doc *doc, const rift_channel *channel, size_t index)
{
    float v[4];
    const size_t n = gltf_channel_value(v, &doc->space, channel, index);
    if (doc->meshopt && in_16_bits(doc, channel)) {
        gltf_filter_rotation(out, v);
        return 2;
    }
    if (doc->meshopt && n == 3) {
        gltf_filter_vector(out, v);
        return 3;
    }
    if (in_16_bits(doc, channel)) {
        for (size_t i = 0; i < 2; i++) {
            out[i] = (uint32_t)(gltf_snorm(v[2 * i], GLTF_ONE_I16) & 0xFFFF) |
                     (uint32_t)(gltf_snorm(v[2 * i + 1], GLTF_ONE_I16) & 0xFFFF) << 16;
        }
        return 2;
    }
    memcpy(out, v, n * sizeof *v);
    return n;
}

static void fill_values(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    const rift_channel *channel = accessor->source;
    for (size_t i = 0; i < accessor->count; i++) {
        uint32_t words[4];
        const size_t n = gltf_key_words(words, doc, channel, i);
        gltf_put_words(out, words, n);
        out += n * sizeof *words;
    }
}

static uint32_t add_times(gltf_doc *doc, const rift_channel *channel)
{
    const gltf_accessor a = {
        .fill = fill_times,
        .source = channel,
        .type = "SCALAR",
        .component_type = GLTF_F32,
        .count = channel->key_count,
        .bounds = 1,
        .min = {channel->times[0]},
        .max = {channel->times[channel->key_count - 1]},
    };
    uint64_t hash = 1;
    for (size_t i = 0; i < channel->key_count; i++) {
        uint32_t bits;
        memcpy(&bits, &channel->times[i], sizeof bits);
        hash = gltf_hash_words(hash, &bits, 1);
    }
    return gltf_share_accessor(doc, GLTF_VIEW_TIMES, sizeof(float), &a, hash);
}

static uint32_t add_values(gltf_doc *doc, const rift_channel *channel)
{
    const size_t components = channel->component == RIFT_ROTATION ? 4 : 3;
    const bool packed = in_16_bits(doc, channel);
    const gltf_accessor a = {
        .fill = fill_values,
        .source = channel,
        .type = components == 4 ? "VEC4" : "VEC3",
        .component_type = packed ? GLTF_I16 : GLTF_F32,
        .normalized = packed,
        .count = (size_t)channel->key_count * (channel->interpolation == RIFT_CUBICSPLINE ? 3 : 1),
    };
    uint64_t hash = components;
    for (size_t i = 0; i < a.count && !doc->opts->naive; i++) {
        uint32_t words[4];
        const size_t n = gltf_key_words(words, doc, channel, i);
        hash = gltf_hash_words(hash, words, n);
    }
    return gltf_share_accessor(doc, GLTF_VIEW_VALUES,
                               components * (packed ? sizeof(uint16_t) : sizeof(float)), &a, hash);
}

/* `known` maps a pair of accessors to its sampler. The pair says the interpolation too: it is the ratio of their counts. */
static uint32_t use_sampler(gltf_clip *clip, rift_map *known, const gltf_doc *doc, gltf_sampler sampler)
{
    const uint32_t fresh = (uint32_t)clip->sampler_count;
    if (!doc->opts->naive) {
        const uint64_t pair = (uint64_t)sampler.input << 32 | sampler.output;
        const uint32_t found = rift_map_add(known, pair, fresh);
        if (found != fresh)
            return found;
    }
    clip->samplers[clip->sampler_count++] = sampler;
    return fresh;
}

static void plan_clip(gltf_doc *doc, gltf_clip *clip, rift_map *known)
{
    for (size_t i = 0; i < clip->clip->channel_count; i++) {
        const rift_channel *channel = &clip->clip->channels[i];
        if (channel->key_count == 0) {
            clip->sampler_of_channel[i] = GLTF_NONE;
            continue;
        }
        const gltf_sampler sampler = {
            .input = add_times(doc, channel),
            .output = add_values(doc, channel),
            .interpolation = channel->interpolation,
        };
        clip->sampler_of_channel[i] = use_sampler(clip, known, doc, sampler);
    }
}

bool gltf_plan_clips(gltf_doc *doc, rift_err *err)
{
    const size_t wanted = doc->skeleton != NULL ? doc->scene->clip_count : 0;
    size_t channels = 0;
    for (size_t i = 0; i < wanted; i++)
        channels += doc->scene->clips[i].channel_count;
    if (!doc->opts->naive)
        rift_map_init(&doc->accessor_of_hash, doc->arena, channels);
    for (size_t i = 0; i < wanted && rift_arena_ok(doc->arena, "glb", err); i++) {
        const rift_clip *source = &doc->scene->clips[i];
        gltf_clip clip = {
            .clip = source,
            .samplers = RIFT_NEW(doc->arena, gltf_sampler, source->channel_count),
            .sampler_of_channel = RIFT_NEW(doc->arena, uint32_t, source->channel_count),
        };
        rift_map known = {0};
        if (!doc->opts->naive)
            rift_map_init(&known, doc->arena, source->channel_count);
        if (!rift_arena_ok(doc->arena, "glb", err))
            return false;
        plan_clip(doc, &clip, &known);
        if (clip.sampler_count > 0) /* an animation without channels is not written (G36) */
            doc->clips[doc->clip_count++] = clip;
    }
    return rift_arena_ok(doc->arena, "glb", err);
}

static void write_channel(rift_json *j, const rift_channel *channel, uint32_t sampler)
{
    static const char *const paths[] = {
        [RIFT_TRANSLATION] = "translation",
        [RIFT_ROTATION] = "rotation",
        [RIFT_SCALE] = "scale",
    };
    rift_json_object(j);
    rift_json_put_uint(j, "sampler", sampler);
    rift_json_key(j, "target");
    rift_json_object(j);
    rift_json_put_uint(j, "node", gltf_joint_node(channel->joint));
    rift_json_put_cstr(j, "path", paths[channel->component]);
    rift_json_object_end(j);
    rift_json_object_end(j);
}

static void write_sampler(rift_json *j, const gltf_sampler *sampler)
{
    rift_json_object(j);
    rift_json_put_uint(j, "input", sampler->input);
    rift_json_put_uint(j, "output", sampler->output);
    if (sampler->interpolation == RIFT_CUBICSPLINE)
        rift_json_put_cstr(j, "interpolation", "CUBICSPLINE");
    rift_json_object_end(j);
}

static void write_animation(rift_json *j, const gltf_clip *clip)
{
    rift_json_object(j);
    rift_json_put_str(j, "name", clip->clip->name);
    rift_json_key(j, "channels");
    rift_json_array(j);
    for (size_t i = 0; i < clip->clip->channel_count; i++) {
        if (clip->sampler_of_channel[i] != GLTF_NONE)
            write_channel(j, &clip->clip->channels[i], clip->sampler_of_channel[i]);
    }
    rift_json_array_end(j);
    rift_json_key(j, "samplers");
    rift_json_array(j);
    for (size_t i = 0; i < clip->sampler_count; i++)
        write_sampler(j, &clip->samplers[i]);
    rift_json_array_end(j);
    gltf_write_extras(j, clip->clip->extras);
    rift_json_object_end(j);
}

void gltf_write_animations(rift_json *j, const gltf_doc *doc)
{
    if (doc->clip_count == 0)
        return;
    rift_json_key(j, "animations");
    rift_json_array(j);
    for (size_t i = 0; i < doc->clip_count; i++)
        write_animation(j, &doc->clips[i]);
    rift_json_array_end(j);
}
