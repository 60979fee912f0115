#include "body/counts.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/report.h"
#include "base/str.h"

enum { MAX_TEXT = 64 * 1024 };

/* Numbers are doubles in cJSON: whole ones are exact up to 2^53. */
#define MAX_WHOLE 9007199254740992.0

bool rift_report_count_in(rift_str report, const char *name, uint64_t *out)
{
    cJSON *json = report.size > 0 ? cJSON_ParseWithLength(report.data, report.size) : NULL;
    const cJSON *counts = cJSON_GetObjectItemCaseSensitive(json, "counts");
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(counts, name);
    const double value = cJSON_IsNumber(item) ? item->valuedouble : -1;
    cJSON_Delete(json);
    if (!(value >= 0 && value <= MAX_WHOLE) || floor(value) != value)
        return false;
    *out = (uint64_t)value;
    return true;
}

rift_str rift_report_unsupported_in(rift_str report, rift_arena *arena)
{
    cJSON *json = report.size > 0 ? cJSON_ParseWithLength(report.data, report.size) : NULL;
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "unsupported");
    char *text = cJSON_IsArray(list) ? cJSON_PrintUnformatted(list) : NULL;
    const rift_str out = text != NULL ? rift_arena_copy_str(arena, rift_str_c(text)) : (rift_str){0};
    cJSON_free(text);
    cJSON_Delete(json);
    return out;
}

static rift_str text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text != NULL ? rift_str_c(text) : (rift_str){0};
}

rift_str rift_error_unsupported(rift_str error, rift_arena *arena)
{
    rift_report report;
    rift_buf b;
    rift_json j;
    cJSON *json = error.size > 0 ? cJSON_ParseWithLength(error.data, error.size) : NULL;
    const bool found = rift_str_eq(text_of(json, "code"), RIFT_STR("unsupported"));
    rift_report_init(&report, arena);
    if (found) {
        rift_report_unsupported(&report, text_of(json, "where"), text_of(json, "file"),
                                text_of(json, "detail"));
    }
    cJSON_Delete(json);
    rift_buf_init(&b, arena, MAX_TEXT);
    rift_json_init(&j, &b);
    rift_json_unsupported(&j, &report);
    const rift_bytes text = rift_buf_bytes(&b);
    return found ? (rift_str){(const char *)text.data, text.size} : (rift_str){0};
}

static double times(const cJSON *entry)
{
    const cJSON *count = cJSON_GetObjectItemCaseSensitive(entry, "count");
    return cJSON_IsNumber(count) ? count->valuedouble : 0;
}

/* How often the report has the code. */
static double times_of(const cJSON *report, const char *code)
{
    const cJSON *entry = NULL;
    cJSON_ArrayForEach(entry, report)
    {
        const char *other = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "code"));
        if (other != NULL && strcmp(code, other) == 0)
            return times(entry);
    }
    return 0;
}

rift_str rift_report_gained(rift_str now, rift_str before, rift_arena *arena)
{
    rift_str out = {0};
    const cJSON *entry = NULL;
    cJSON *new = cJSON_ParseWithLength(now.data, now.size);
    cJSON *old = cJSON_ParseWithLength(before.data, before.size);
    const cJSON *had = cJSON_GetObjectItemCaseSensitive(old, "report");
    const cJSON *has = cJSON_GetObjectItemCaseSensitive(new, "report");
    if (!cJSON_IsArray(had))
        has = NULL;
    cJSON_ArrayForEach(entry, has)
    {
        const char *code = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "code"));
        if (code != NULL && times(entry) > times_of(had, code)) {
            out = rift_arena_printf(arena, "%.*s%s%s", RIFT_STR_ARG(out), out.size > 0 ? " " : "", code);
        }
    }
    cJSON_Delete(new);
    cJSON_Delete(old);
    return out;
}
