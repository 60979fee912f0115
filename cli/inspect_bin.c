/* A property bin as JSON: a summary, or with --full the whole tree. Names come from --hashes where it knows them. */
#include <math.h>

#include "cli.h"

#include "base/str.h"
#include "formats/bin.h"

typedef struct bin_printer {
    rift_json *j;
    const rift_names *names;
    rift_arena *arena;
} bin_printer;

static rift_str name_of(const bin_printer *p, rift_name_table table, uint64_t hash)
{
    rift_str name;
    if (rift_names_lookup(p->names, table, hash, p->arena, &name))
        return name;
    return table == RIFT_NAMES_GAME ? rift_arena_printf(p->arena, "%016llx", (unsigned long long)hash)
                                    : rift_arena_printf(p->arena, "0x%08x", (unsigned)hash);
}

static void put_number(bin_printer *p, float v)
{
    if (isfinite(v)) {
        rift_json_float(p->j, v);
    } else {
        rift_json_null(p->j);
    }
}

static void put_value(bin_printer *p, const rift_bin_value *v, unsigned depth);

static void put_object(bin_printer *p, const rift_bin_object *object, unsigned depth)
{
    if (object == NULL) {
        rift_json_null(p->j);
        return;
    }
    rift_json_object(p->j);
    rift_json_put_str(p->j, "class", name_of(p, RIFT_NAMES_BINTYPES, object->class_hash));
    for (size_t i = 0; i < object->field_count; i++) {
        rift_json_key_str(p->j, name_of(p, RIFT_NAMES_BINFIELDS, object->fields[i].name));
        put_value(p, &object->fields[i].value, depth + 1);
    }
    rift_json_object_end(p->j);
}

static void put_items(bin_printer *p, const rift_bin_value *v, unsigned depth)
{
    rift_json_array(p->j);
    for (size_t i = 0; i < v->count; i++) {
        if (v->type == RIFT_BIN_MAP) {
            rift_json_array(p->j);
            put_value(p, &v->as.pairs[i].key, depth + 1);
            put_value(p, &v->as.pairs[i].value, depth + 1);
            rift_json_array_end(p->j);
        } else {
            put_value(p, &v->as.items[i], depth + 1);
        }
    }
    rift_json_array_end(p->j);
}

static void put_floats(bin_printer *p, const float *f, size_t count)
{
    rift_json_array(p->j);
    for (size_t i = 0; i < count; i++)
        put_number(p, f[i]);
    rift_json_array_end(p->j);
}

/* Recursion is bounded by the parser's own depth limit. */
static void put_value(bin_printer *p, const rift_bin_value *v, unsigned depth)
{
    rift_json *j = p->j;
    switch (v->type) {
    case RIFT_BIN_NONE:
        rift_json_null(j);
        break;
    case RIFT_BIN_BOOL:
    case RIFT_BIN_FLAG:
        rift_json_bool(j, v->as.b);
        break;
    case RIFT_BIN_I8:
    case RIFT_BIN_I16:
    case RIFT_BIN_I32:
    case RIFT_BIN_I64:
        rift_json_int(j, v->as.i);
        break;
    case RIFT_BIN_U8:
    case RIFT_BIN_U16:
    case RIFT_BIN_U32:
    case RIFT_BIN_U64:
        rift_json_uint(j, v->as.u);
        break;
    case RIFT_BIN_F32:
        put_number(p, v->as.f[0]);
        break;
    case RIFT_BIN_VEC2:
    case RIFT_BIN_VEC3:
    case RIFT_BIN_VEC4:
        put_floats(p, v->as.f, (size_t)(v->type - RIFT_BIN_VEC2) + 2);
        break;
    case RIFT_BIN_MTX44:
        put_floats(p, v->as.matrix, 16);
        break;
    case RIFT_BIN_RGBA:
        rift_json_array(j);
        for (size_t i = 0; i < 4; i++)
            rift_json_uint(j, v->as.rgba[i]);
        rift_json_array_end(j);
        break;
    case RIFT_BIN_STRING:
        rift_json_str(j, v->as.str);
        break;
    case RIFT_BIN_HASH:
        rift_json_str(j, name_of(p, RIFT_NAMES_BINHASHES, v->as.u));
        break;
    case RIFT_BIN_LINK:
        rift_json_str(j, name_of(p, RIFT_NAMES_BINENTRIES, v->as.u));
        break;
    case RIFT_BIN_FILE:
        rift_json_str(j, name_of(p, RIFT_NAMES_GAME, v->as.u));
        break;
    case RIFT_BIN_POINTER:
    case RIFT_BIN_EMBED:
        put_object(p, v->as.object, depth);
        break;
    case RIFT_BIN_LIST:
    case RIFT_BIN_LIST2:
    case RIFT_BIN_OPTION:
    case RIFT_BIN_MAP:
        put_items(p, v, depth);
        break;
    }
}

bool inspect_bin(rift_json *j, const cli_inspected *file, rift_report *report, rift_err *err)
{
    static const char *const numberings[] = {"10.8+", "9.23-10.7", "before 9.23"};
    rift_bin bin;
    if (!rift_bin_parse(&bin, file->bytes, file->arena, report, err))
        return false;
    bin_printer p = {.j = j, .names = file->names, .arena = file->arena};
    rift_json_put_uint(j, "version", bin.version);
    rift_json_put_bool(j, "patch", bin.is_patch);
    rift_json_put_cstr(j, "type_numbers", numberings[bin.numbering]);
    rift_json_key(j, "links");
    rift_json_array(j);
    for (size_t i = 0; i < bin.link_count; i++)
        rift_json_str(j, bin.links[i]);
    rift_json_array_end(j);
    rift_json_key(j, "entries");
    rift_json_array(j);
    for (size_t i = 0; i < bin.entry_count; i++) {
        const rift_bin_entry *entry = &bin.entries[i];
        rift_json_object(j);
        rift_json_put_str(j, "path", name_of(&p, RIFT_NAMES_BINENTRIES, entry->path));
        if (file->full) {
            rift_json_key(j, "object");
            put_object(&p, &entry->object, 0);
        } else {
            rift_json_put_str(j, "class", name_of(&p, RIFT_NAMES_BINTYPES, entry->object.class_hash));
            rift_json_put_uint(j, "fields", entry->object.field_count);
        }
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
    return true;
}
