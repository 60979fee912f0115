/* Any bytes as a property bin: parse it, then visit every value and ask the tolerant readers for it. */
#include <stddef.h>
#include <stdint.h>

#include "formats/bin.h"

enum { ARENA_LIMIT = 32 * 1024 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void visit(const rift_bin_value *v, int depth, uint64_t *sum);

static void visit_object(const rift_bin_object *o, int depth, uint64_t *sum)
{
    for (size_t i = 0; i < o->field_count; i++)
        visit(&o->fields[i].value, depth, sum);
}

static void ask(const rift_bin_value *v, uint64_t *sum)
{
    float vector[4];
    rift_str spelling;
    *sum += rift_bin_value_number(v, 0) > 0;
    *sum += (uint64_t)rift_bin_value_integer(v, 0);
    *sum += rift_bin_value_bool(v, false);
    *sum += rift_bin_value_string(v).size;
    *sum += rift_bin_value_hash(v);
    *sum += rift_bin_value_file(v, &spelling);
    *sum += rift_bin_value_object(v) != NULL;
    *sum += rift_bin_value_vector(v, vector);
}

static void visit(const rift_bin_value *v, int depth, uint64_t *sum)
{
    if (depth > RIFT_BIN_MAX_DEPTH + 1)
        __builtin_trap();
    ask(v, sum);
    switch (v->type) {
    case RIFT_BIN_LIST:
    case RIFT_BIN_LIST2:
    case RIFT_BIN_OPTION:
        for (size_t i = 0; i < v->count; i++)
            visit(&v->as.items[i], depth + 1, sum);
        break;
    case RIFT_BIN_MAP:
        for (size_t i = 0; i < v->count; i++) {
            visit(&v->as.pairs[i].key, depth + 1, sum);
            visit(&v->as.pairs[i].value, depth + 1, sum);
        }
        break;
    case RIFT_BIN_POINTER:
    case RIFT_BIN_EMBED:
        if (v->as.object != NULL)
            visit_object(v->as.object, depth + 1, sum);
        break;
    case RIFT_BIN_STRING:
        for (size_t i = 0; i < v->as.str.size; i++)
            *sum += (uint64_t)v->as.str.data[i];
        break;
    case RIFT_BIN_MTX44:
        *sum += v->as.matrix[0] > 0 || v->as.matrix[15] > 0;
        break;
    default:
        break;
    }
}

static void check_error(bool ok, const rift_err *err, size_t size)
{
    if (ok != (err->code == RIFT_OK) || err->code == RIFT_ERR_INTERNAL)
        __builtin_trap();
    if (!ok && err->offset != RIFT_NO_OFFSET && err->offset > size)
        __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_report report;
    rift_report_init(&report, &arena);
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_bin bin;
    const bool ok = rift_bin_parse(&bin, (rift_bytes){data, size}, &arena, &report, &err);
    check_error(ok, &err, size);
    uint64_t sum = 0;
    for (size_t i = 0; ok && i < bin.entry_count; i++) {
        if (rift_bin_lookup(&bin, bin.entries[i].path) == NULL)
            __builtin_trap();
        visit_object(&bin.entries[i].object, 0, &sum);
    }
    if (ok && rift_report_count(&report, "bin_entry_damaged") != bin.damaged_count)
        __builtin_trap();
    rift_arena_release(&arena);
    static volatile uint64_t sink; /* so that nothing above is optimised away */
    sink = sum;
    (void)sink;
    return 0;
}
