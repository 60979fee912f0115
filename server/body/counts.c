#include "body/counts.h"

#include <cjson/cJSON.h>
#include <math.h>

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
