/* A conversion's result and failure as JSON, for whoever reports them. */
#include "bake/bake.h"

#include "base/str.h"

static void put_looks(rift_json *j, const rift_bake_result *result)
{
    if (result->look_count == 0)
        return;
    rift_json_key(j, "parts");
    rift_json_array(j);
    for (size_t i = 0; i < result->look_count; i++) {
        rift_json_object(j);
        rift_json_put_str(j, "name", result->looks[i].part);
        rift_json_raw_members(j, result->looks[i].members);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

void rift_bake_result_json(rift_json *j, const rift_bake_result *result)
{
    rift_json_put_cstr(j, "stage", rift_stage_word(result->stage));
    rift_json_key(j, "counts");
    rift_json_object(j);
    rift_json_put_uint(j, "clips", result->clip_count);
    rift_json_put_uint(j, "parts", result->part_count);
    rift_json_put_uint(j, "textures", result->texture_count);
    rift_json_put_uint(j, "joints", result->joint_count);
    rift_json_put_uint(j, "files", result->uses.count);
    rift_json_put_uint(j, "gpu_bytes", result->gpu_bytes);
    rift_json_put_uint(j, "unsupported", result->report.unsupported);
    rift_json_object_end(j);
    if (result->report.variant_count > 0) {
        rift_json_key(j, "unsupported");
        rift_json_unsupported(j, &result->report);
    }
    put_looks(j, result);
    rift_json_key(j, "report");
    rift_json_report(j, &result->report);
}

void rift_bake_failure_json(rift_json *j, const rift_bake_result *result, const rift_err *failure)
{
    char code[32];
    const char *name = rift_status_name(failure->code);
    size_t n = 0;
    for (; name[n] != '\0' && n + 1 < sizeof code; n++)
        code[n] = rift_lower(name[n]);
    code[n] = '\0';
    rift_json_put_cstr(j, "code", code);
    rift_json_put_cstr(j, "stage", rift_stage_word(result->stage));
    rift_json_put_cstr(j, "detail", failure->text);
    if (failure->file[0] != '\0')
        rift_json_put_cstr(j, "file", failure->file);
    if (failure->where[0] != '\0')
        rift_json_put_cstr(j, "where", failure->where);
    if (failure->offset != RIFT_NO_OFFSET)
        rift_json_put_uint(j, "offset", failure->offset);
}
