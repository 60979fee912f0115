/* Tolerant reading of parsed bins: fields changed their integer width, gained options or turned from strings into
 * hashes over the years, and mods mix all of it. */
#include <math.h>

#include "formats/bin.h"
#include "hash/hash.h"

const rift_bin_entry *rift_bin_lookup(const rift_bin *bin, uint32_t path)
{
    for (size_t i = 0; i < bin->entry_count; i++) {
        if (bin->entries[i].path == path)
            return &bin->entries[i];
    }
    return NULL;
}

const rift_bin_value *rift_bin_field_of(const rift_bin_object *object, uint32_t name)
{
    if (object == NULL)
        return NULL;
    for (size_t i = 0; i < object->field_count; i++) {
        if (object->fields[i].name == name)
            return &object->fields[i].value;
    }
    return NULL;
}

/* What an option holds, else the value itself. Options do not nest. */
static const rift_bin_value *unwrap(const rift_bin_value *v)
{
    if (v == NULL || v->type != RIFT_BIN_OPTION)
        return v;
    return v->count > 0 ? v->as.items : NULL;
}

static bool is_signed(rift_bin_type type)
{
    return type == RIFT_BIN_I8 || type == RIFT_BIN_I16 || type == RIFT_BIN_I32 || type == RIFT_BIN_I64;
}

static bool is_unsigned(rift_bin_type type)
{
    return type == RIFT_BIN_U8 || type == RIFT_BIN_U16 || type == RIFT_BIN_U32 || type == RIFT_BIN_U64;
}

double rift_bin_value_number(const rift_bin_value *value, double fallback)
{
    const rift_bin_value *v = unwrap(value);
    if (v == NULL)
        return fallback;
    if (v->type == RIFT_BIN_F32)
        return isfinite(v->as.f[0]) ? (double)v->as.f[0] : fallback;
    if (is_signed(v->type))
        return (double)v->as.i;
    return is_unsigned(v->type) ? (double)v->as.u : fallback;
}

int64_t rift_bin_value_integer(const rift_bin_value *value, int64_t fallback)
{
    const rift_bin_value *v = unwrap(value);
    if (v == NULL)
        return fallback;
    if (is_signed(v->type))
        return v->as.i;
    return is_unsigned(v->type) && v->as.u <= INT64_MAX ? (int64_t)v->as.u : fallback;
}

bool rift_bin_value_bool(const rift_bin_value *value, bool fallback)
{
    const rift_bin_value *v = unwrap(value);
    if (v == NULL)
        return fallback;
    if (v->type == RIFT_BIN_BOOL || v->type == RIFT_BIN_FLAG)
        return v->as.b;
    if (is_signed(v->type))
        return v->as.i != 0;
    return is_unsigned(v->type) ? v->as.u != 0 : fallback;
}

rift_str rift_bin_value_string(const rift_bin_value *value)
{
    const rift_bin_value *v = unwrap(value);
    return v != NULL && v->type == RIFT_BIN_STRING ? v->as.str : (rift_str){0};
}

uint32_t rift_bin_value_hash(const rift_bin_value *value)
{
    const rift_bin_value *v = unwrap(value);
    if (v == NULL)
        return 0;
    if (v->type == RIFT_BIN_HASH || v->type == RIFT_BIN_LINK)
        return (uint32_t)v->as.u;
    return v->type == RIFT_BIN_STRING && v->as.str.size > 0 ? rift_fnv1a(v->as.str) : 0;
}

uint64_t rift_bin_value_file(const rift_bin_value *value, rift_str *spelling)
{
    const rift_bin_value *v = unwrap(value);
    const rift_str string = rift_bin_value_string(v);
    if (spelling != NULL)
        *spelling = string;
    if (v != NULL && v->type == RIFT_BIN_FILE)
        return v->as.u;
    return string.size > 0 ? rift_path_hash(string) : 0;
}

const rift_bin_object *rift_bin_value_object(const rift_bin_value *value)
{
    const rift_bin_value *v = unwrap(value);
    return v != NULL && (v->type == RIFT_BIN_EMBED || v->type == RIFT_BIN_POINTER) ? v->as.object : NULL;
}

static size_t component_count(rift_bin_type type)
{
    if (type == RIFT_BIN_F32)
        return 1;
    return type >= RIFT_BIN_VEC2 && type <= RIFT_BIN_VEC4 ? (size_t)type - RIFT_BIN_VEC2 + 2 : 0;
}

bool rift_bin_value_vector(const rift_bin_value *value, float out[4])
{
    const rift_bin_value *v = unwrap(value);
    const size_t count = v != NULL ? component_count(v->type) : 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(v->as.f[i]))
            return false;
    }
    if (count == 0)
        return false;
    for (size_t i = 0; i < 4; i++)
        out[i] = i < count ? v->as.f[i] : 0.0F;
    return true;
}

double rift_bin_number(const rift_bin_object *object, uint32_t name, double fallback)
{
    return rift_bin_value_number(rift_bin_field_of(object, name), fallback);
}

int64_t rift_bin_integer(const rift_bin_object *object, uint32_t name, int64_t fallback)
{
    return rift_bin_value_integer(rift_bin_field_of(object, name), fallback);
}

bool rift_bin_bool(const rift_bin_object *object, uint32_t name, bool fallback)
{
    return rift_bin_value_bool(rift_bin_field_of(object, name), fallback);
}

rift_str rift_bin_string(const rift_bin_object *object, uint32_t name)
{
    return rift_bin_value_string(rift_bin_field_of(object, name));
}

uint32_t rift_bin_hash(const rift_bin_object *object, uint32_t name)
{
    return rift_bin_value_hash(rift_bin_field_of(object, name));
}

uint64_t rift_bin_file(const rift_bin_object *object, uint32_t name, rift_str *spelling)
{
    return rift_bin_value_file(rift_bin_field_of(object, name), spelling);
}

const rift_bin_object *rift_bin_object_of(const rift_bin_object *object, uint32_t name)
{
    return rift_bin_value_object(rift_bin_field_of(object, name));
}

const rift_bin_value *rift_bin_items(const rift_bin_object *object, uint32_t name, size_t *count)
{
    const rift_bin_value *v = rift_bin_field_of(object, name);
    const bool has_items =
        v != NULL && (v->type == RIFT_BIN_LIST || v->type == RIFT_BIN_LIST2 || v->type == RIFT_BIN_OPTION);
    *count = has_items ? v->count : 0;
    return has_items ? v->as.items : NULL;
}

const rift_bin_pair *rift_bin_pairs(const rift_bin_object *object, uint32_t name, size_t *count)
{
    const rift_bin_value *v = rift_bin_field_of(object, name);
    const bool is_map = v != NULL && v->type == RIFT_BIN_MAP;
    *count = is_map ? v->count : 0;
    return is_map ? v->as.pairs : NULL;
}

bool rift_bin_vector(const rift_bin_object *object, uint32_t name, float out[4])
{
    return rift_bin_value_vector(rift_bin_field_of(object, name), out);
}
