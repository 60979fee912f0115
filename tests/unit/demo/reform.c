#include "reform.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "fixtures/fx_bin.h"
#include "hash/hash.h"
#include "support/check.h"

typedef struct writer {
    fx_bin b;
    reform_form form;
    const rift_names *names;
    rift_arena *arena;
} writer;

static const char *hex8(writer *w, uint64_t hash)
{
    return rift_arena_printf(w->arena, "0x%08" PRIx32, (uint32_t)hash).data;
}

static const char *text(writer *w, rift_str s)
{
    return rift_arena_printf(w->arena, "%.*s", RIFT_STR_ARG(s)).data;
}

static bool is_path(const rift_bin_value *v)
{
    return v->type == RIFT_BIN_FILE ||
           (v->type == RIFT_BIN_STRING && rift_str_starts_nocase(v->as.str, RIFT_STR("ASSETS/")));
}

/* A path in the form's own type; a hash that no list knows stays one. */
static void put_path(writer *w, const char *name, const rift_bin_value *v)
{
    rift_str spelt = v->type == RIFT_BIN_STRING ? v->as.str : (rift_str){0};
    const uint64_t hash = v->type == RIFT_BIN_STRING ? rift_path_hash(v->as.str) : v->as.u;
    if (spelt.size == 0)
        (void)rift_names_lookup(w->names, RIFT_NAMES_GAME, hash, w->arena, &spelt);
    if (w->form == REFORM_NEW || spelt.size == 0) {
        fx_bin_file(&w->b, name, rift_arena_printf(w->arena, "0x%016" PRIx64, hash).data);
    } else {
        fx_bin_string(&w->b, name, text(w, spelt));
    }
}

static void put_object(writer *w, const rift_bin_object *object);
static void put_value(writer *w, const char *name, const rift_bin_value *v);

static void put_items(writer *w, const char *name, const rift_bin_value *v)
{
    const bool structs = v->element_type == RIFT_BIN_EMBED || v->element_type == RIFT_BIN_POINTER;
    if (v->type == RIFT_BIN_OPTION) {
        fx_bin_option(&w->b, name, v->element_type);
    } else if (w->form == REFORM_NEW && structs) {
        fx_bin_list2(&w->b, name, v->element_type);
    } else {
        fx_bin_list(&w->b, name, v->element_type);
    }
    for (size_t i = 0; i < v->count; i++)
        put_value(w, NULL, &v->as.items[i]);
    fx_bin_end(&w->b);
}

static void put_map(writer *w, const char *name, const rift_bin_value *v)
{
    fx_bin_map(&w->b, name, v->key_type, v->element_type);
    for (size_t i = 0; i < v->count; i++) {
        put_value(w, NULL, &v->as.pairs[i].key);
        put_value(w, NULL, &v->as.pairs[i].value);
    }
    fx_bin_end(&w->b);
}

static void put_struct(writer *w, const char *name, const rift_bin_value *v)
{
    if (v->as.object == NULL) {
        fx_bin_null(&w->b, name);
        return;
    }
    if (v->type == RIFT_BIN_EMBED) {
        fx_bin_embed(&w->b, name, hex8(w, v->as.object->class_hash));
    } else {
        fx_bin_pointer(&w->b, name, hex8(w, v->as.object->class_hash));
    }
    put_object(w, v->as.object);
    fx_bin_end(&w->b);
}

static void put_number(writer *w, const char *name, const rift_bin_value *v)
{
    switch ((int)v->type) {
    case RIFT_BIN_I8:
        fx_bin_i8(&w->b, name, (int8_t)v->as.i);
        break;
    case RIFT_BIN_U8:
        fx_bin_u8(&w->b, name, (uint8_t)v->as.u);
        break;
    case RIFT_BIN_I16:
        fx_bin_i16(&w->b, name, (int16_t)v->as.i);
        break;
    case RIFT_BIN_U16:
        fx_bin_u16(&w->b, name, (uint16_t)v->as.u);
        break;
    case RIFT_BIN_I32:
        fx_bin_i32(&w->b, name, (int32_t)v->as.i);
        break;
    case RIFT_BIN_U32:
        fx_bin_u32(&w->b, name, (uint32_t)v->as.u);
        break;
    case RIFT_BIN_I64:
        fx_bin_i64(&w->b, name, v->as.i);
        break;
    default:
        fx_bin_u64(&w->b, name, v->as.u);
        break;
    }
}

static void put_plain(writer *w, const char *name, const rift_bin_value *v)
{
    const float *f = v->as.f;
    switch (v->type) {
    case RIFT_BIN_NONE:
        fx_bin_none(&w->b, name);
        break;
    case RIFT_BIN_BOOL:
        fx_bin_bool(&w->b, name, v->as.b);
        break;
    case RIFT_BIN_FLAG:
        fx_bin_flag(&w->b, name, v->as.b);
        break;
    case RIFT_BIN_F32:
        fx_bin_f32(&w->b, name, f[0]);
        break;
    case RIFT_BIN_VEC2:
        fx_bin_vec2(&w->b, name, f[0], f[1]);
        break;
    case RIFT_BIN_VEC3:
        fx_bin_vec3(&w->b, name, f[0], f[1], f[2]);
        break;
    case RIFT_BIN_VEC4:
        fx_bin_vec4(&w->b, name, f[0], f[1], f[2], f[3]);
        break;
    case RIFT_BIN_MTX44:
        fx_bin_mtx44(&w->b, name, v->as.matrix);
        break;
    case RIFT_BIN_RGBA:
        fx_bin_rgba(&w->b, name, v->as.rgba[0], v->as.rgba[1], v->as.rgba[2], v->as.rgba[3]);
        break;
    case RIFT_BIN_STRING:
        fx_bin_string(&w->b, name, text(w, v->as.str));
        break;
    case RIFT_BIN_HASH:
        fx_bin_hash(&w->b, name, hex8(w, v->as.u));
        break;
    case RIFT_BIN_LINK:
        fx_bin_link(&w->b, name, hex8(w, v->as.u));
        break;
    default:
        put_number(w, name, v);
        break;
    }
}

static void put_value(writer *w, const char *name, const rift_bin_value *v)
{
    switch ((int)v->type) {
    case RIFT_BIN_LIST:
    case RIFT_BIN_LIST2:
    case RIFT_BIN_OPTION:
        put_items(w, name, v);
        break;
    case RIFT_BIN_MAP:
        put_map(w, name, v);
        break;
    case RIFT_BIN_EMBED:
    case RIFT_BIN_POINTER:
        put_struct(w, name, v);
        break;
    default:
        if (name != NULL && is_path(v)) {
            put_path(w, name, v);
        } else {
            put_plain(w, name, v);
        }
        break;
    }
}

/* One record of three generations; formats/skin.md. */
static void put_sampler(writer *w, const rift_bin_object *object)
{
    const uint32_t texture_path = rift_fnv1a(RIFT_STR("texturePath"));
    const uint32_t texture_name = rift_fnv1a(RIFT_STR("textureName"));
    const uint32_t sampler_name = rift_fnv1a(RIFT_STR("samplerName"));
    const bool modern = rift_bin_field_of(object, texture_path) != NULL;
    const rift_bin_value *slot = rift_bin_field_of(object, modern ? texture_name : sampler_name);
    const rift_bin_value *path = rift_bin_field_of(object, modern ? texture_path : texture_name);
    if (slot != NULL)
        put_value(w, w->form == REFORM_OLD ? "samplerName" : "TextureName", slot);
    if (path != NULL)
        put_value(w, w->form == REFORM_OLD ? "textureName" : "texturePath", path);
    for (size_t i = 0; i < object->field_count; i++) {
        const uint32_t name = object->fields[i].name;
        if (name != texture_path && name != texture_name && name != sampler_name)
            put_value(w, hex8(w, name), &object->fields[i].value);
    }
}

static void put_object(writer *w, const rift_bin_object *object)
{
    if (object->class_hash == rift_fnv1a(RIFT_STR("StaticMaterialShaderSamplerDef"))) {
        put_sampler(w, object);
        return;
    }
    for (size_t i = 0; i < object->field_count; i++)
        put_value(w, hex8(w, object->fields[i].name), &object->fields[i].value);
}

static bool parse(rift_bin *bin, rift_bytes bytes, rift_arena *arena)
{
    rift_err err = check_err();
    return bytes.size > 4 && memcmp(bytes.data, "PROP", 4) == 0 &&
           rift_bin_parse(bin, bytes, arena, NULL, &err) && bin->numbering == 0 && !bin->is_patch;
}

rift_bytes reform_bin(rift_bytes bytes, reform_form form, const rift_names *names, rift_arena *arena)
{
    rift_bin bin;
    if (!parse(&bin, bytes, arena))
        return bytes;
    writer w = {.form = form, .names = names, .arena = arena};
    fx_bin_init(&w.b, arena, (fx_bin_opts){.version = bin.version});
    for (size_t i = 0; i < bin.link_count; i++)
        fx_bin_depends(&w.b, text(&w, bin.links[i]));
    for (size_t i = 0; i < bin.entry_count; i++) {
        const rift_bin_object *object = &bin.entries[i].object;
        fx_bin_entry(&w.b, hex8(&w, bin.entries[i].path), hex8(&w, object->class_hash));
        put_object(&w, object);
        if (object->class_hash == rift_fnv1a(RIFT_STR("StaticMaterialDef"))) {
            if (form == REFORM_NEW) {
                fx_bin_u8(&w.b, "type", 1);
            } else {
                fx_bin_u32(&w.b, "type", 1);
            }
        }
        fx_bin_end(&w.b);
    }
    return fx_bin_finish(&w.b);
}

/* ---- Paths ---- */

static void collect(const rift_bin_value *v, rift_buf *lines);

static void collect_object(const rift_bin_object *object, rift_buf *lines)
{
    for (size_t i = 0; object != NULL && i < object->field_count; i++)
        collect(&object->fields[i].value, lines);
}

static void collect(const rift_bin_value *v, rift_buf *lines)
{
    if (v->type == RIFT_BIN_STRING && is_path(v)) {
        rift_buf_printf(lines, "%016" PRIx64 " ", rift_path_hash(v->as.str));
        for (size_t i = 0; i < v->as.str.size; i++)
            rift_buf_u8(lines, (uint8_t)rift_lower(v->as.str.data[i]));
        rift_buf_u8(lines, '\n');
    } else if (v->type == RIFT_BIN_EMBED || v->type == RIFT_BIN_POINTER) {
        collect_object(v->as.object, lines);
    } else if (v->type == RIFT_BIN_LIST || v->type == RIFT_BIN_LIST2 || v->type == RIFT_BIN_OPTION) {
        for (size_t i = 0; i < v->count; i++)
            collect(&v->as.items[i], lines);
    } else if (v->type == RIFT_BIN_MAP) {
        for (size_t i = 0; i < v->count; i++)
            collect(&v->as.pairs[i].value, lines);
    }
}

void reform_collect_paths(rift_bytes bytes, rift_buf *lines, rift_arena *arena)
{
    rift_bin bin;
    if (!parse(&bin, bytes, arena))
        return;
    for (size_t i = 0; i < bin.entry_count; i++)
        collect_object(&bin.entries[i].object, lines);
}

/* ---- Assets ---- */

static bool read_reformed(void *user,
                          const rift_asset_path *path,
                          rift_arena *arena,
                          rift_bytes *out,
                          rift_asset_use *use,
                          rift_err *err)
{
    const reform_assets *assets = user;
    if (!assets->inner.read(assets->inner.user, path, arena, out, use, err))
        return false;
    *out = reform_bin(*out, assets->form, assets->names, arena);
    return true;
}

rift_assets reform_assets_of(reform_assets *assets)
{
    return (rift_assets){.user = assets, .read = read_reformed};
}
