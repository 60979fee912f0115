/* The whole way from loose files to a GLB. The input is one byte of options, then parts: a byte for the kind (0 skn,
 * 1 skl, 2 anm, 3 texture, 4 bin, modulo 5), a 16-bit length, and so many bytes, or what is left. */
#include <cjson/cJSON.h>
#include <string.h>

#include "bake/bake.h"
#include "base/str.h"
#include "fuzz_check.h"

enum { MAX_ANMS = 4, MAX_TEXTURES = 3, MEMORY = 48 * 1024 * 1024 };
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
} parts;

static void add_part(parts *p, unsigned kind, rift_bytes bytes)
{
    rift_convert_request *r = &p->request;
    switch (kind % 5) {
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
    default:
        r->bin = (rift_loose_file){RIFT_STR("skin0.bin"), bytes};
        break;
    }
}

static rift_options choose_options(unsigned choice)
{
    rift_options o = rift_options_default();
    o.content = choice & 3U ? RIFT_CONTENT_FULL : RIFT_CONTENT_RIG;
    o.texture = choice & 4U ? RIFT_TEXTURE_NONE : RIFT_TEXTURE_PNG;
    o.hidden = choice & 8U ? RIFT_HIDDEN_INCLUDE : RIFT_HIDDEN_OMIT;
    o.snap = choice & 16U ? RIFT_SNAP_OFF : RIFT_SNAP_BAKE;
    o.mirror = choice & 32U ? RIFT_MIRROR_OFF : RIFT_MIRROR_BAKE;
    o.additive = choice & 64U ? RIFT_ADDITIVE_RAW : RIFT_ADDITIVE_COMPOSED;
    o.naive = choice & 128U;
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

/* Header, a JSON chunk that is JSON, at most one binary chunk, and nothing behind. */
static void check_glb(rift_bytes glb)
{
    fuzz_require(glb.size >= HEADER + CHUNK_HEADER && u32_at(glb, 0) == GLTF_MAGIC);
    fuzz_require(u32_at(glb, 4) == 2 && u32_at(glb, 8) == glb.size);
    const size_t json_size = u32_at(glb, HEADER);
    const size_t bin_at = HEADER + CHUNK_HEADER + json_size;
    fuzz_require(u32_at(glb, HEADER + 4) == JSON_CHUNK && json_size % 4 == 0 && bin_at <= glb.size);
    cJSON *json = cJSON_ParseWithLength((const char *)glb.data + HEADER + CHUNK_HEADER, json_size);
    fuzz_require(cJSON_IsObject(json));
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
        check_glb(result.glb);
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
