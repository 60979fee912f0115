/* The whole way from loose files to a GLB. The input is one byte of options, then parts: a byte for the kind (0 skn,
 * 1 skl, 2 anm, 3 texture, 4 bin, 5 options of clips, modulo 6), a 16-bit length, and so many bytes, or what is left. What
 * is written must be finite, its keys rise, its rotations have length 1. */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "anim/layer.h"
#include "bake/bake.h"
#include "base/str.h"
#include "fuzz_check.h"

enum { MAX_ANMS = 4, MAX_TEXTURES = 3, MAX_COMMANDS = 8, MEMORY = 48 * 1024 * 1024 };
enum {
    GLTF_MAGIC = 0x46546C67,
    JSON_CHUNK = 0x4E4F534A,
    BIN_CHUNK = 0x004E4942,
    HEADER = 12,
    CHUNK_HEADER = 8
};

/* The names that the seeds' bins use. */
static const char *const anm_names[MAX_ANMS] = {"idle.anm", "run.anm", "a.anm", "b.anm"};
static const char *const texture_names[MAX_TEXTURES] = {"body.tex", "sword.tex", "all.tex"};

typedef struct parts {
    rift_convert_request request;
    rift_loose_file anms[MAX_ANMS];
    rift_loose_file textures[MAX_TEXTURES];
    rift_str texture_parts[MAX_TEXTURES];
    rift_timeline timeline;
    rift_layer_command commands[MAX_COMMANDS];
    rift_layer_mask masks[1];
    rift_layer_auto autos[2];
} parts;

static const char *const clip_names[] = {"Idle1", "Run", "Attack1", "a", "0x2acd4eca", "Nobody"};

/* A timeline from what is left of the options: 5 bytes a command. */
static void add_timeline(parts *p, rift_bytes b)
{
    static const char *const masks[] = {"game:Upper", "game:0x8f3b0f3d"};
    rift_timeline *t = &p->timeline;
    p->masks[0] = (rift_layer_mask){.kind = RIFT_LAYER_MASK_NAMED, .name = rift_str_c(masks[b.data[0] & 1U])};
    *t = (rift_timeline){.name = RIFT_STR("both"),
                         .duration = (double)(b.data[0] >> 2U) / 8,
                         .fps = RIFT_LAYER_FPS,
                         .commands = p->commands,
                         .masks = p->masks,
                         .mask_count = 1,
                         .is_auto = b.data[0] & 2U};
    for (size_t at = 1; at + 5 <= b.size && t->command_count < MAX_COMMANDS; at += 5) {
        const uint8_t *c = b.data + at;
        p->commands[t->command_count++] = (rift_layer_command){
            .at = (double)c[0] / 64,
            .op = (rift_layer_op)(c[1] % 8),
            .slot = c[1] >> 5U,
            .clip = rift_str_c(clip_names[c[2] % RIFT_COUNT(clip_names)]),
            .mask = c[3] & 1U ? 0 : RIFT_LAYER_NONE,
            .loop = c[3] & 2U,
            .speed = (double)(c[3] >> 2U) / 16 - 1,
            .weight = (double)c[4] / 128,
            .seconds = (double)c[4] / 256,
            .base = c[3] & 4U ? RIFT_LAYER_IDENTITY : RIFT_LAYER_BIND,
        };
    }
    if (t->is_auto) {
        t->command_count = 0;
        t->auto_clips = p->autos;
        for (size_t i = 0; i < RIFT_COUNT(p->autos) && i + 1 < b.size; i++) {
            p->autos[t->auto_count++] =
                (rift_layer_auto){.clip = rift_str_c(clip_names[b.data[i + 1] % RIFT_COUNT(clip_names)])};
        }
    }
    p->request.options.timeline = t;
}

/* Options of clips: content and timing, keys, clips, pose, layers. */
static void add_options(parts *p, rift_bytes b)
{
    static const char *const clips[] = {"*", "none", "Idle*,Both,Combo", "idle,run", "*,Run,*o*", "attack"};
    rift_options *o = &p->request.options;
    if (b.size < 4)
        return;
    o->content = b.data[0] & 1U ? RIFT_CONTENT_ANIMATIONS : o->content;
    o->timing = b.data[0] & 2U ? RIFT_TIMING_GAME : RIFT_TIMING_NATIVE;
    o->keys = (uint8_t)(b.data[1] % 3);
    o->dense_fps = o->keys == RIFT_KEYS_OPTION_DENSE ? 1 + b.data[1] % 240U : 0;
    o->clips = rift_str_c(clips[b.data[2] % RIFT_COUNT(clips)]);
    if (b.data[3] & 128U) {
        o->pose_clip = rift_str_c(clip_names[b.data[3] % RIFT_COUNT(clip_names)]);
        o->pose_us = b.data[3] * UINT64_C(15625);
    }
    if (b.size > 4)
        add_timeline(p, (rift_bytes){b.data + 4, b.size - 4});
}

static void add_part(parts *p, unsigned kind, rift_bytes bytes)
{
    rift_convert_request *r = &p->request;
    switch (kind % 6) {
    case 0:
        r->skn = (rift_loose_file){RIFT_STR("hero.skn"), bytes};
        break;
    case 1:
        r->skl = (rift_loose_file){RIFT_STR("hero.skl"), bytes};
        break;
    case 2:
        if (r->anm_count < MAX_ANMS) {
            p->anms[r->anm_count] = (rift_loose_file){rift_str_c(anm_names[r->anm_count]), bytes};
            r->anm_count++;
        }
        break;
    case 3:
        if (r->texture_count < MAX_TEXTURES) {
            p->textures[r->texture_count] =
                (rift_loose_file){rift_str_c(texture_names[r->texture_count]), bytes};
            p->texture_parts[r->texture_count] = r->texture_count == 1 ? RIFT_STR("Sword") : (rift_str){0};
            r->texture_count++;
        }
        break;
    case 4:
        r->bin = (rift_loose_file){RIFT_STR("skin0.bin"), bytes};
        break;
    default:
        add_options(p, bytes);
        break;
    }
}

static rift_options choose_options(unsigned choice)
{
    rift_options o = rift_options_default();
    o.content = choice & 3U ? RIFT_CONTENT_FULL : RIFT_CONTENT_RIG;
    static const uint8_t formats[] = {RIFT_TEXTURE_PNG, RIFT_TEXTURE_WEBP, RIFT_TEXTURE_JPEG,
                                      RIFT_TEXTURE_PNG};
    o.texture = choice & 4U ? RIFT_TEXTURE_NONE : formats[choice >> 3 & 3U];
    o.hidden = choice & 8U ? RIFT_HIDDEN_INCLUDE : RIFT_HIDDEN_OMIT;
    o.snap = choice & 16U ? RIFT_SNAP_OFF : RIFT_SNAP_BAKE;
    o.mirror = choice & 32U ? RIFT_MIRROR_OFF : RIFT_MIRROR_BAKE;
    o.additive = choice & 64U ? RIFT_ADDITIVE_RAW : RIFT_ADDITIVE_COMPOSED;
    o.naive = choice & 128U;
    o.compress = !(choice & 2U) ? RIFT_COMPRESS_NONE
                 : choice & 1U  ? RIFT_COMPRESS_MESHOPT
                                : RIFT_COMPRESS_QUANTIZE;
    o.max_texture = 64;
    return o;
}

static void split(parts *p, const uint8_t *data, size_t size)
{
    memset(p, 0, sizeof *p);
    p->request.options = choose_options(size > 0 ? data[0] : 0);
    p->request.anms = p->anms;
    p->request.textures = p->textures;
    p->request.texture_parts = p->texture_parts;
    for (size_t at = 1; at + 3 <= size;) {
        const size_t stated = (size_t)data[at + 1] | (size_t)data[at + 2] << 8;
        const size_t left = size - at - 3;
        const size_t length = stated < left ? stated : left;
        add_part(p, data[at], (rift_bytes){data + at + 3, length});
        at += 3 + length;
    }
}

static uint32_t u32_at(rift_bytes b, size_t at)
{
    return (uint32_t)b.data[at] | (uint32_t)b.data[at + 1] << 8 | (uint32_t)b.data[at + 2] << 16 |
           (uint32_t)b.data[at + 3] << 24;
}

/* --- animations --------------------------------------------------------------------------------------------------- */

static double number(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

typedef struct values {
    const uint8_t *data;
    size_t count, width; /* elements, and components of each */
    bool small;          /* 16 bits for -1 … 1, else float32 */
} values;

/* Those of an accessor. */
static values values_of(const cJSON *json, rift_bytes bin, int accessor)
{
    const cJSON *a = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "accessors"), accessor);
    const cJSON *view = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(json, "bufferViews"),
                                           (int)number(a, "bufferView"));
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(a, "type"));
    const bool small = number(a, "componentType") == 5122;
    fuzz_require(type != NULL && (small || number(a, "componentType") == 5126));
    fuzz_require(!small || (strcmp(type, "VEC4") == 0 && cJSON_IsTrue(cJSON_GetObjectItem(a, "normalized"))));
    const size_t at = (size_t)number(a, "byteOffset") + (size_t)number(view, "byteOffset");
    const values v = {
        .data = bin.data + at,
        .count = (size_t)number(a, "count"),
        .width = strcmp(type, "SCALAR") == 0 ? 1
                 : type[3] == '3'            ? 3
                                             : 4,
        .small = small,
    };
    fuzz_require(at + v.count * v.width * (small ? 2 : 4) <= bin.size);
    return v;
}

static double value_at(const values *v, size_t index)
{
    if (v->small) {
        int16_t word;
        memcpy(&word, v->data + 2 * index, sizeof word);
        return word / 32767.0;
    }
    float value;
    memcpy(&value, v->data + 4 * index, sizeof value);
    return (double)value;
}

static void check_sampler(const cJSON *json, rift_bytes bin, const cJSON *sampler, bool naive)
{
    const values times = values_of(json, bin, (int)number(sampler, "input"));
    fuzz_require(times.width == 1 && times.count > 0 && !times.small);
    for (size_t k = 0; k < times.count; k++) {
        fuzz_require(isfinite(value_at(&times, k)) && value_at(&times, k) >= 0);
        fuzz_require(naive || k == 0 || value_at(&times, k) > value_at(&times, k - 1));
    }
    const values v = values_of(json, bin, (int)number(sampler, "output"));
    const size_t each = v.count / times.count; /* 3 for splines, whose middle value is the key's */
    fuzz_require((each == 1 || each == 3) && v.count % times.count == 0);
    for (size_t k = 0; k < v.count; k++) {
        double square = 0;
        for (size_t i = 0; i < v.width; i++) {
            const double value = value_at(&v, k * v.width + i);
            fuzz_require(isfinite(value));
            square += value * value;
        }
        fuzz_require(v.width != 4 || (each == 3 && k % 3 != 1) || fabs(square - 1) < 2e-4);
    }
}

static void check_animations(const cJSON *json, rift_bytes bin, bool naive)
{
    const cJSON *animation;
    const cJSON *sampler;
    cJSON_ArrayForEach(animation, cJSON_GetObjectItemCaseSensitive(json, "animations"))
    {
        cJSON_ArrayForEach(sampler, cJSON_GetObjectItemCaseSensitive(animation, "samplers"))
            check_sampler(json, bin, sampler, naive);
    }
}

/* Header, a JSON chunk that is JSON, at most one binary chunk, and nothing behind. */
static void check_glb(rift_bytes glb, bool naive)
{
    fuzz_require(glb.size >= HEADER + CHUNK_HEADER && u32_at(glb, 0) == GLTF_MAGIC);
    fuzz_require(u32_at(glb, 4) == 2 && u32_at(glb, 8) == glb.size);
    const size_t json_size = u32_at(glb, HEADER);
    const size_t bin_at = HEADER + CHUNK_HEADER + json_size;
    fuzz_require(u32_at(glb, HEADER + 4) == JSON_CHUNK && json_size % 4 == 0 && bin_at <= glb.size);
    cJSON *json = cJSON_ParseWithLength((const char *)glb.data + HEADER + CHUNK_HEADER, json_size);
    fuzz_require(cJSON_IsObject(json));
    const bool packed = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(json, "buffers")) == 2;
    if (glb.size - bin_at >= CHUNK_HEADER && !packed) {
        const size_t from = bin_at + CHUNK_HEADER;
        check_animations(json, (rift_bytes){glb.data + from, glb.size - from}, naive);
    }
    cJSON_Delete(json);
    if (bin_at == glb.size)
        return;
    fuzz_require(glb.size - bin_at >= CHUNK_HEADER && u32_at(glb, bin_at + 4) == BIN_CHUNK);
    fuzz_require(u32_at(glb, bin_at) % 4 == 0 && u32_at(glb, bin_at) == glb.size - bin_at - CHUNK_HEADER);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static parts p;
    rift_arena out;
    rift_arena tmp;
    rift_err err;
    rift_bake_result result;
    split(&p, data, size);
    rift_arena_init(&out, MEMORY);
    rift_arena_init(&tmp, MEMORY);
    rift_err_in(&err, (rift_str){0});
    const bool ok = rift_convert(&result, &p.request, &out, &tmp, &err);
    fuzz_check_result(ok, &err, size);
    fuzz_require(ok == (result.glb.size > 0));
    if (ok)
        check_glb(result.glb, p.request.options.naive);
    rift_arena_release(&tmp);
    rift_arena_release(&out);
    return 0;
}

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
/* Changes the inside of one part and keeps the container whole: a byte more in the middle of the input would otherwise
 * lose every part behind it. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static size_t part_size(const uint8_t *data, size_t size, size_t at)
{
    const size_t stated = (size_t)data[at + 1] | (size_t)data[at + 2] << 8;
    return stated < size - at - 3 ? stated : size - at - 3;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    enum { MAX_PARTS = 16, MAX_TAIL = 1 << 16 };
    static uint8_t tail[MAX_TAIL];
    size_t starts[MAX_PARTS];
    size_t count = 0;
    for (size_t at = 1; at + 3 <= size && count < MAX_PARTS; at += 3 + part_size(data, size, at))
        starts[count++] = at;
    if (count == 0 || seed % 8 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    const size_t at = starts[seed / 8 % count];
    const size_t length = part_size(data, size, at);
    const size_t begin = at + 3;
    const size_t tail_size = size - begin - length;
    if (tail_size > MAX_TAIL || size >= max_size)
        return LLVMFuzzerMutate(data, size, max_size);
    memcpy(tail, data + begin + length, tail_size);
    const size_t room = max_size - begin - tail_size;
    const size_t changed = LLVMFuzzerMutate(data + begin, length, room < UINT16_MAX ? room : UINT16_MAX);
    memcpy(data + begin + changed, tail, tail_size);
    data[at + 1] = (uint8_t)changed;
    data[at + 2] = (uint8_t)(changed >> 8);
    return begin + changed + tail_size;
}
#endif
