#include <cjson/cJSON.h>
#include <string.h>

#include "cli.h"

#include "base/reader.h"
#include "base/str.h"

/* The JSON chunk of a GLB 2 container. */
static bool json_chunk(rift_bytes glb, rift_bytes *json, uint64_t *bin_size, rift_err *err)
{
    rift_reader r = rift_rd_init(glb, "header", err);
    rift_rd_skip(&r, 4); /* the magic, seen before */
    const uint32_t version = rift_rd_u32(&r);
    const uint32_t length = rift_rd_u32(&r);
    const uint32_t json_size = rift_rd_u32(&r);
    const uint32_t json_type = rift_rd_u32(&r);
    if (!rift_rd_ok(&r))
        return false;
    if (version != 2)
        return rift_rd_fail(&r, RIFT_ERR_UNSUPPORTED, 4, "container version %u, not 2", version);
    if (length != glb.size) {
        return rift_rd_fail(&r, RIFT_ERR_FORMAT, 8, "length %u, but the file has %zu bytes", length,
                            glb.size);
    }
    if (json_type != 0x4E4F534Au)
        return rift_rd_fail(&r, RIFT_ERR_FORMAT, 16, "first chunk is 0x%08x, not JSON", json_type);
    *json = rift_rd_bytes(&r, json_size);
    *bin_size = rift_rd_left(&r) >= 8 ? rift_rd_left(&r) - 8 : 0;
    return rift_rd_ok(&r);
}

static void put_count(rift_json *j, const cJSON *root, const char *key)
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(root, key);
    if (cJSON_IsArray(array))
        rift_json_put_int(j, key, cJSON_GetArraySize(array));
}

static void put_names(rift_json *j, const cJSON *root, const char *key, const char *as)
{
    const cJSON *item;
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(root, key);
    rift_json_key(j, as);
    rift_json_array(j);
    cJSON_ArrayForEach(item, array)
    {
        const cJSON *name = cJSON_IsString(item) ? item : cJSON_GetObjectItemCaseSensitive(item, "name");
        rift_json_str(j, rift_str_c(cJSON_GetStringValue(name)));
    }
    rift_json_array_end(j);
}

bool inspect_glb(rift_json *j, const cli_inspected *file, rift_report *report, rift_err *err)
{
    rift_bytes json = {0};
    uint64_t bin_size = 0;
    (void)report;
    if (!json_chunk(file->bytes, &json, &bin_size, err))
        return false;
    cJSON *root = cJSON_ParseWithLength((const char *)json.data, json.size);
    if (root == NULL)
        return rift_fail(err, RIFT_ERR_FORMAT, "JSON chunk", 20, "%zu bytes that are no JSON", json.size);
    static const char *const counts[] = {"nodes", "meshes",    "materials",  "images",
                                         "skins", "accessors", "bufferViews"};
    const cJSON *asset = cJSON_GetObjectItemCaseSensitive(root, "asset");
    rift_json_put_str(j, "generator",
                      rift_str_c(cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(asset, "generator"))));
    rift_json_put_uint(j, "json_bytes", json.size);
    rift_json_put_uint(j, "binary_bytes", bin_size);
    for (size_t i = 0; i < RIFT_COUNT(counts); i++)
        put_count(j, root, counts[i]);
    put_names(j, root, "extensionsRequired", "requires");
    put_names(j, root, "meshes", "parts");
    put_names(j, root, "animations", "clips");
    cJSON_Delete(root);
    return true;
}
