#include "glb_read.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdlib.h>

static uint32_t u32_at(rift_bytes b, size_t offset)
{
    uint32_t v = 0;
    for (size_t i = 0; i < 4 && offset + i < b.size; i++)
        v |= (uint32_t)b.data[offset + i] << (8 * i);
    return v;
}

static rift_bytes part_of(rift_bytes b, size_t offset, size_t size)
{
    return (rift_bytes){b.data + offset, size};
}

static bool open_bin(glb *g, rift_bytes file, size_t at)
{
    if (at == file.size)
        return true;
    if (!CHECK(file.size - at >= 8))
        return false;
    const size_t size = u32_at(file, at);
    CHECK_U64(u32_at(file, at + 4), 0x004E4942);
    CHECK_U64(size % 4, 0);
    CHECK(size > 0);
    if (!CHECK(at + 8 + size == file.size)) /* nothing after it */
        return false;
    g->bin = part_of(file, at + 8, size);
    g->has_bin = true;
    return true;
}

/* Names and parents of all nodes, once: the paths above walk lists. */
static void index_nodes(glb *g)
{
    for (size_t i = 0; i < GLB_MAX_NODES; i++)
        g->parents[i] = -1;
    const cJSON *node;
    cJSON_ArrayForEach(node, cJSON_GetObjectItemCaseSensitive(g->json, "nodes"))
    {
        if (!CHECK(g->node_count < GLB_MAX_NODES))
            return;
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(node, "name"));
        g->names[g->node_count] = name != NULL ? name : "";
        const cJSON *child;
        cJSON_ArrayForEach(child, cJSON_GetObjectItemCaseSensitive(node, "children"))
        {
            if (CHECK(child->valuedouble >= 0 && child->valuedouble < GLB_MAX_NODES))
                g->parents[(size_t)child->valuedouble] = (int)g->node_count;
        }
        g->node_count++;
    }
}

bool glb_open(glb *g, rift_bytes file)
{
    *g = (glb){0};
    if (!CHECK(file.size >= 20))
        return false;
    CHECK(memcmp(file.data, "glTF", 4) == 0);
    CHECK_U64(u32_at(file, 4), 2);
    CHECK_U64(u32_at(file, 8), file.size);
    CHECK(memcmp(file.data + 16, "JSON", 4) == 0);
    const size_t size = u32_at(file, 12);
    CHECK_U64(size % 4, 0);
    if (!CHECK(size <= file.size - 20))
        return false;
    g->text = part_of(file, 20, size);
    g->json = cJSON_ParseWithLength((const char *)g->text.data, g->text.size);
    if (!CHECK(g->json != NULL))
        return false;
    index_nodes(g);
    return open_bin(g, file, 20 + size);
}

void glb_close(glb *g)
{
    cJSON_Delete(g->json);
    *g = (glb){0};
}

static const cJSON *step(const cJSON *at, const char *name, size_t length)
{
    char text[128];
    if (length >= sizeof text)
        return NULL;
    memcpy(text, name, length);
    text[length] = '\0';
    if (cJSON_IsArray(at)) {
        char *end;
        const long index = strtol(text, &end, 10);
        return *end == '\0' ? cJSON_GetArrayItem(at, (int)index) : NULL;
    }
    return cJSON_GetObjectItemCaseSensitive(at, text);
}

static const cJSON *follow(const glb *g, const char *path)
{
    const cJSON *at = g->json;
    while (at != NULL && *path != '\0') {
        const size_t length = strcspn(path, "/");
        at = step(at, path, length);
        path += length + (path[length] == '/');
    }
    return at;
}

#define FOLLOW(result)                              \
    char text[256];                                 \
    va_list args;                                   \
    va_start(args, path);                           \
    (void)vsnprintf(text, sizeof text, path, args); \
    va_end(args);                                   \
    const cJSON *const result = follow(g, text)

const cJSON *glb_at(const glb *g, const char *path, ...)
{
    FOLLOW(found);
    return found;
}

double glb_number(const glb *g, const char *path, ...)
{
    FOLLOW(found);
    return cJSON_IsNumber(found) ? found->valuedouble : -1;
}

size_t glb_count(const glb *g, const char *path, ...)
{
    FOLLOW(found);
    return cJSON_IsArray(found) ? (size_t)cJSON_GetArraySize(found) : 0;
}

rift_str glb_string(const glb *g, const char *path, ...)
{
    FOLLOW(found);
    const char *s = cJSON_IsString(found) ? found->valuestring : "(none)";
    return (rift_str){s, strlen(s)};
}

static size_t uint_of(const cJSON *object, const char *key, size_t otherwise)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? (size_t)item->valuedouble : otherwise;
}

static size_t type_size(size_t component_type)
{
    return component_type <= 5121 ? 1 : component_type <= 5123 ? 2 : 4;
}

static size_t components_of(const cJSON *accessor)
{
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(accessor, "type"));
    static const struct {
        const char *type;
        size_t count;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    for (size_t i = 0; i < RIFT_COUNT(types); i++) {
        if (type != NULL && strcmp(type, types[i].type) == 0)
            return types[i].count;
    }
    return 0;
}

size_t glb_components(const glb *g, size_t accessor)
{
    return components_of(glb_at(g, "accessors/%zu", accessor));
}

size_t glb_elements(const glb *g, size_t accessor)
{
    return uint_of(glb_at(g, "accessors/%zu", accessor), "count", 0);
}

typedef struct layout {
    size_t component_type, components, count;
    size_t start, stride; /* in the BIN chunk */
    size_t end_in_view;   /* behind the last element */
} layout;

static layout layout_of(const glb *g, const cJSON *a)
{
    const cJSON *view = glb_at(g, "bufferViews/%zu", uint_of(a, "bufferView", SIZE_MAX));
    layout l = {
        .component_type = uint_of(a, "componentType", 0),
        .components = components_of(a),
        .count = uint_of(a, "count", 0),
    };
    const size_t element = l.components * type_size(l.component_type);
    const size_t offset = uint_of(a, "byteOffset", 0);
    l.start = uint_of(view, "byteOffset", 0) + offset;
    l.stride = uint_of(view, "byteStride", element);
    l.end_in_view = l.count > 0 ? offset + (l.count - 1) * l.stride + element : offset;
    return l;
}

static double read_value(const glb *g, const layout *l, size_t element, size_t component)
{
    const size_t size = type_size(l->component_type);
    const size_t at = l->start + element * l->stride + component * size;
    if (element >= l->count || component >= l->components || at + size > g->bin.size) {
        (void)check_true(false, "the value lies inside its accessor", __FILE__, __LINE__);
        return (double)NAN;
    }
    /* 5120 and 5122 have a sign */
    if (size == 1)
        return l->component_type == 5120 ? (double)(int8_t)g->bin.data[at] : g->bin.data[at];
    if (size == 2) {
        const uint16_t word = (uint16_t)(g->bin.data[at] + 256U * g->bin.data[at + 1]);
        return l->component_type == 5122 ? (double)(int16_t)word : word;
    }
    const uint32_t bits = u32_at(g->bin, at);
    float v;
    memcpy(&v, &bits, sizeof v);
    return l->component_type == 5126 ? (double)v : (double)bits;
}

double glb_value(const glb *g, size_t accessor, size_t element, size_t component)
{
    const layout l = layout_of(g, glb_at(g, "accessors/%zu", accessor));
    return read_value(g, &l, element, component);
}

rift_bytes glb_view(const glb *g, size_t view)
{
    const cJSON *v = glb_at(g, "bufferViews/%zu", view);
    const size_t offset = uint_of(v, "byteOffset", 0);
    const size_t size = uint_of(v, "byteLength", 0);
    if (!CHECK(offset + size <= g->bin.size))
        return (rift_bytes){0};
    return part_of(g->bin, offset, size);
}

/* --- world transforms -------------------------------------------------------------------------------------------- */

static void read_floats(const cJSON *node, const char *key, double *values, int count)
{
    const cJSON *array = cJSON_GetObjectItemCaseSensitive(node, key);
    if (array == NULL)
        return;
    CHECK_I64(cJSON_GetArraySize(array), count);
    for (int i = 0; i < count; i++)
        values[i] = cJSON_GetNumberValue(cJSON_GetArrayItem(array, i));
}

static rift_mat4 local_of(const cJSON *node)
{
    double t[3] = {0, 0, 0};
    double q[4] = {0, 0, 0, 1};
    double s[3] = {1, 1, 1};
    read_floats(node, "translation", t, 3);
    read_floats(node, "rotation", q, 4);
    read_floats(node, "scale", s, 3);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rows[3][3] = {
        {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z},
    };
    rift_mat4 m = {{0}};
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++)
            m.m[4 * c + r] = rows[r][c] * s[c];
    }
    for (int r = 0; r < 3; r++)
        m.m[12 + r] = t[r];
    m.m[15] = 1;
    return m;
}

static rift_mat4 times(const rift_mat4 *a, const rift_mat4 *b)
{
    rift_mat4 out = {{0}};
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            for (int k = 0; k < 4; k++)
                out.m[4 * c + r] += a->m[4 * k + r] * b->m[4 * c + k];
        }
    }
    return out;
}

rift_mat4 glb_world(const glb *g, size_t node)
{
    rift_mat4 m = local_of(glb_at(g, "nodes/%zu", node));
    for (int p = g->parents[node]; p >= 0; p = g->parents[p]) {
        const rift_mat4 local = local_of(glb_at(g, "nodes/%d", p));
        m = times(&local, &m);
    }
    return m;
}

/* --- audit --------------------------------------------------------------------------------------------------------- */

static void audit_views(const glb *g)
{
    size_t end = 0;
    size_t count = glb_count(g, "bufferViews");
    for (size_t i = 0; i < count; i++) {
        check_row("view %zu", i);
        const cJSON *view = glb_at(g, "bufferViews/%zu", i);
        const size_t offset = uint_of(view, "byteOffset", 0);
        const size_t size = uint_of(view, "byteLength", 0);
        CHECK_U64(uint_of(view, "buffer", 9), 0);
        CHECK_U64(offset % 4, 0);
        CHECK(size > 0);
        CHECK_U64(offset, (end + 3) / 4 * 4); /* one behind the other, at most three bytes between */
        end = offset + size;
    }
    check_row("%s", "");
    CHECK_U64(glb_count(g, "buffers"), count > 0 ? 1 : 0);
    CHECK(glb_at(g, "buffers/0/uri") == NULL);
    CHECK(g->has_bin == (count > 0));
    if (count == 0)
        return;
    CHECK_U64(uint_of(glb_at(g, "buffers/0"), "byteLength", 0), end);
    CHECK_U64(g->bin.size, (end + 3) / 4 * 4);
    for (size_t i = end; i < g->bin.size; i++)
        CHECK_U64(g->bin.data[i], 0);
}

static void audit_bounds(const glb *g, const cJSON *a, const layout *l)
{
    const cJSON *min = cJSON_GetObjectItemCaseSensitive(a, "min");
    const cJSON *max = cJSON_GetObjectItemCaseSensitive(a, "max");
    CHECK((min == NULL) == (max == NULL));
    if (min == NULL)
        return;
    CHECK_U64(cJSON_GetArraySize(min), l->components);
    CHECK_U64(cJSON_GetArraySize(max), l->components);
    for (size_t k = 0; k < l->components; k++) {
        double low = (double)INFINITY;
        double high = -(double)INFINITY;
        for (size_t i = 0; i < l->count; i++) {
            const double v = read_value(g, l, i, k);
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        /* Equal once both are float32, which is how the validator compares. */
        CHECK((double)(float)cJSON_GetNumberValue(cJSON_GetArrayItem(min, (int)k)) == low);
        CHECK((double)(float)cJSON_GetNumberValue(cJSON_GetArrayItem(max, (int)k)) == high);
    }
}

static void audit_accessors(const glb *g)
{
    const size_t count = glb_count(g, "accessors");
    for (size_t i = 0; i < count; i++) {
        check_row("accessor %zu", i);
        const cJSON *a = glb_at(g, "accessors/%zu", i);
        const layout l = layout_of(g, a);
        CHECK(l.count > 0 && l.components > 0);
        CHECK_U64(l.start % 4, 0);
        CHECK_U64(uint_of(a, "byteOffset", 0) % 4, 0);
        CHECK(l.end_in_view <=
              uint_of(glb_at(g, "bufferViews/%zu", uint_of(a, "bufferView", 0)), "byteLength", 0));
        for (size_t e = 0; e < l.count && l.component_type == 5126; e++) {
            for (size_t k = 0; k < l.components; k++)
                CHECK(isfinite(read_value(g, &l, e, k)));
        }
        audit_bounds(g, a, &l);
    }
    check_row("%s", "");
}

/* Counts how often each index of an array of the document is referred to. */
typedef struct uses {
    unsigned accessors[4096], views[4096], meshes[64], materials[256], textures[64], images[64], samplers[64],
        nodes[2048];
    unsigned skins[4];
} uses;

static void note(unsigned *table, size_t size, const cJSON *item)
{
    if (cJSON_IsNumber(item) && item->valuedouble >= 0 && (size_t)item->valuedouble < size)
        table[(size_t)item->valuedouble]++;
}
#define NOTE(table, item) note((table), RIFT_COUNT(table), (item))

static void note_animations(const glb *g, uses *u)
{
    const cJSON *animation;
    cJSON_ArrayForEach(animation, glb_at(g, "animations"))
    {
        const cJSON *sampler;
        cJSON_ArrayForEach(sampler, cJSON_GetObjectItemCaseSensitive(animation, "samplers"))
        {
            NOTE(u->accessors, cJSON_GetObjectItemCaseSensitive(sampler, "input"));
            NOTE(u->accessors, cJSON_GetObjectItemCaseSensitive(sampler, "output"));
        }
    }
}

static void note_materials(const glb *g, uses *u)
{
    for (size_t i = 0; i < glb_count(g, "materials"); i++) {
        NOTE(u->textures, glb_at(g, "materials/%zu/pbrMetallicRoughness/baseColorTexture/index", i));
        NOTE(u->textures, glb_at(g, "materials/%zu/emissiveTexture/index", i));
    }
    for (size_t i = 0; i < glb_count(g, "textures"); i++) {
        NOTE(u->samplers, glb_at(g, "textures/%zu/sampler", i));
        NOTE(u->images, glb_at(g, "textures/%zu/source", i));
        NOTE(u->images, glb_at(g, "textures/%zu/extensions/EXT_texture_webp/source", i));
        NOTE(u->images, glb_at(g, "textures/%zu/extensions/KHR_texture_basisu/source", i));
    }
    for (size_t i = 0; i < glb_count(g, "images"); i++)
        NOTE(u->views, glb_at(g, "images/%zu/bufferView", i));
}

static void note_meshes(const glb *g, uses *u)
{
    for (size_t i = 0; i < glb_count(g, "meshes"); i++) {
        CHECK_U64(glb_count(g, "meshes/%zu/primitives", i), 1);
        const cJSON *item;
        cJSON_ArrayForEach(item, glb_at(g, "meshes/%zu/primitives/0/attributes", i)) NOTE(u->accessors, item);
        NOTE(u->accessors, glb_at(g, "meshes/%zu/primitives/0/indices", i));
        NOTE(u->materials, glb_at(g, "meshes/%zu/primitives/0/material", i));
        const cJSON *mapping;
        cJSON_ArrayForEach(mapping,
                           glb_at(g, "meshes/%zu/primitives/0/extensions/KHR_materials_variants/mappings", i))
            NOTE(u->materials, cJSON_GetObjectItemCaseSensitive(mapping, "material"));
        CHECK(glb_at(g, "meshes/%zu/primitives/0/mode", i) == NULL);
    }
    for (size_t i = 0; i < glb_count(g, "accessors"); i++)
        NOTE(u->views, glb_at(g, "accessors/%zu/bufferView", i));
}

static void note_nodes(const glb *g, uses *u)
{
    const cJSON *item;
    for (size_t i = 0; i < glb_count(g, "nodes"); i++) {
        NOTE(u->meshes, glb_at(g, "nodes/%zu/mesh", i));
        NOTE(u->skins, glb_at(g, "nodes/%zu/skin", i));
        cJSON_ArrayForEach(item, glb_at(g, "nodes/%zu/children", i)) NOTE(u->nodes, item);
    }
    NOTE(u->accessors, glb_at(g, "skins/0/inverseBindMatrices"));
    cJSON_ArrayForEach(item, glb_at(g, "scenes/0/nodes")) NOTE(u->nodes, item);
}

static void check_used(const glb *g, const char *array, const unsigned *table, size_t size)
{
    const size_t count = glb_count(g, "%s", array);
    CHECK(count <= size);
    for (size_t i = 0; i < count && i < size; i++) {
        check_row("%s %zu", array, i);
        CHECK(table[i] > 0);
    }
    for (size_t i = count; i < size; i++) {
        check_row("%s %zu", array, i);
        CHECK_U64(table[i], 0); /* an index past the end */
    }
    check_row("%s", "");
}

/* B139: nothing is unused; and nothing refers to what is not there. */
static void audit_uses(const glb *g)
{
    static uses u;
    u = (uses){0};
    note_animations(g, &u);
    note_materials(g, &u);
    note_meshes(g, &u);
    note_nodes(g, &u);
    check_used(g, "accessors", u.accessors, RIFT_COUNT(u.accessors));
    check_used(g, "bufferViews", u.views, RIFT_COUNT(u.views));
    check_used(g, "meshes", u.meshes, RIFT_COUNT(u.meshes));
    check_used(g, "materials", u.materials, RIFT_COUNT(u.materials));
    check_used(g, "textures", u.textures, RIFT_COUNT(u.textures));
    check_used(g, "images", u.images, RIFT_COUNT(u.images));
    check_used(g, "samplers", u.samplers, RIFT_COUNT(u.samplers));
    check_used(g, "skins", u.skins, RIFT_COUNT(u.skins));
    check_used(g, "nodes", u.nodes, RIFT_COUNT(u.nodes));
    for (size_t i = 0; i < glb_count(g, "nodes"); i++)
        CHECK_U64(u.nodes[i], 1); /* one parent, or a root once (G20) */
}

/* B141, B136 and the extension lists, by walking the text. */
static void walk(const cJSON *at, const char **found, size_t *found_count)
{
    if (cJSON_IsArray(at))
        CHECK(cJSON_GetArraySize(at) > 0);
    const cJSON *extensions = cJSON_IsObject(at) ? cJSON_GetObjectItemCaseSensitive(at, "extensions") : NULL;
    const cJSON *item;
    cJSON_ArrayForEach(item, extensions)
    {
        bool known = false;
        for (size_t i = 0; i < *found_count; i++)
            known = known || strcmp(found[i], item->string) == 0;
        if (!known && *found_count < 16)
            found[(*found_count)++] = item->string;
    }
    cJSON_ArrayForEach(item, at)
    {
        if (item->string == NULL || strcmp(item->string, "extras") != 0) /* extras are the caller's text */
            walk(item, found, found_count);
    }
}

static bool requires(const glb *g, const char *name)
{
    for (size_t i = 0; i < glb_count(g, "extensionsRequired"); i++) {
        if (rift_str_eq(glb_string(g, "extensionsRequired/%zu", i), rift_str_c(name)))
            return true;
    }
    return false;
}

static void audit_extensions(const glb *g)
{
    const char *found[16];
    size_t found_count = 0;
    walk(g->json, found, &found_count);
    /* What is in no object, but in the types of vertices. */
    CHECK_U64(glb_count(g, "extensionsUsed"), found_count + (requires(g, "KHR_mesh_quantization") ? 1 : 0));
    for (size_t i = 0; i < found_count; i++) {
        bool listed = false;
        for (size_t k = 0; k < glb_count(g, "extensionsUsed"); k++)
            listed = listed || strcmp(glb_string(g, "extensionsUsed/%zu", k).data, found[i]) == 0;
        check_row("%s", found[i]);
        CHECK(listed);
    }
    check_row("%s", "");
}

static void audit_nodes(const glb *g)
{
    const size_t count = glb_count(g, "nodes");
    const bool quantized = requires(g, "KHR_mesh_quantization");
    for (size_t i = 0; i < count; i++) {
        check_row("node %zu", i);
        CHECK(glb_at(g, "nodes/%zu/matrix", i) == NULL);
        double q[4] = {0, 0, 0, 1};
        read_floats(glb_at(g, "nodes/%zu", i), "rotation", q, 4);
        CHECK_NEAR(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), 1, 1e-6);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(g->names[i], g->names[k]) != 0);
        if (glb_at(g, "nodes/%zu/mesh", i) != NULL) {
            /* G8; without a skin it is the node that leads out of a grid. */
            const bool from_grid = quantized && glb_at(g, "nodes/%zu/skin", i) == NULL;
            CHECK((glb_at(g, "nodes/%zu/translation", i) != NULL) == from_grid);
            CHECK((glb_at(g, "nodes/%zu/scale", i) != NULL) == from_grid);
            CHECK(glb_at(g, "nodes/%zu/rotation", i) == NULL);
            CHECK_I64(g->parents[i], -1);
        }
    }
    check_row("%s", "");
    CHECK_U64(glb_count(g, "scenes"), 1);
    CHECK_U64((uint64_t)glb_number(g, "scene"), 0);
}

static void audit_geometry(const glb *g)
{
    for (size_t i = 0; i < glb_count(g, "meshes"); i++) {
        check_row("mesh %zu", i);
        const size_t indices = (size_t)glb_number(g, "meshes/%zu/primitives/0/indices", i);
        const size_t position = (size_t)glb_number(g, "meshes/%zu/primitives/0/attributes/POSITION", i);
        const size_t vertices = glb_elements(g, position);
        const bool wide = glb_number(g, "accessors/%zu/componentType", indices) == 5125;
        CHECK(wide == (vertices > 65535));
        const layout l = layout_of(g, glb_at(g, "accessors/%zu", indices));
        for (size_t k = 0; k < l.count; k++)
            CHECK(read_value(g, &l, k, 0) < (double)vertices);
        const cJSON *attribute;
        cJSON_ArrayForEach(attribute, glb_at(g, "meshes/%zu/primitives/0/attributes", i))
            CHECK_U64(glb_elements(g, (size_t)attribute->valuedouble), vertices);
        CHECK(glb_at(g, "accessors/%zu/min", position) != NULL);
    }
    check_row("%s", "");
}

static bool same_bytes(const glb *g, const layout *a, const layout *b)
{
    if (a->components != b->components || a->component_type != b->component_type || a->count != b->count)
        return false;
    const size_t size = a->count * a->components * type_size(a->component_type);
    return memcmp(g->bin.data + a->start, g->bin.data + b->start, size) == 0;
}

static void audit_times(const glb *g, size_t input)
{
    const layout l = layout_of(g, glb_at(g, "accessors/%zu", input));
    CHECK(glb_at(g, "accessors/%zu/min", input) != NULL);
    CHECK(read_value(g, &l, 0, 0) >= 0);
    for (size_t i = 1; i < l.count; i++)
        CHECK(read_value(g, &l, i, 0) > read_value(g, &l, i - 1, 0));
}

/* No view of the animation data has a target or a stride (G28, B136). */
static void audit_data_view(const glb *g, size_t accessor)
{
    const size_t view = (size_t)glb_number(g, "accessors/%zu/bufferView", accessor);
    CHECK(glb_at(g, "bufferViews/%zu/target", view) == NULL);
    CHECK(glb_at(g, "bufferViews/%zu/byteStride", view) == NULL);
}

static void audit_animation(const glb *g, size_t animation)
{
    const size_t channels = glb_count(g, "animations/%zu/channels", animation);
    const size_t samplers = glb_count(g, "animations/%zu/samplers", animation);
    CHECK(channels > 0);
    for (size_t i = 0; i < channels; i++) {
        CHECK(glb_number(g, "animations/%zu/channels/%zu/sampler", animation, i) < (double)samplers);
        const double node = glb_number(g, "animations/%zu/channels/%zu/target/node", animation, i);
        CHECK(node >= 1 && node < (double)glb_count(g, "nodes"));
        for (size_t k = 0; k < i; k++) {
            CHECK(glb_number(g, "animations/%zu/channels/%zu/target/node", animation, k) != node ||
                  strcmp(glb_string(g, "animations/%zu/channels/%zu/target/path", animation, k).data,
                         glb_string(g, "animations/%zu/channels/%zu/target/path", animation, i).data) != 0);
        }
    }
    for (size_t i = 0; i < samplers; i++) {
        const size_t input = (size_t)glb_number(g, "animations/%zu/samplers/%zu/input", animation, i);
        const size_t output = (size_t)glb_number(g, "animations/%zu/samplers/%zu/output", animation, i);
        const bool cubic = glb_at(g, "animations/%zu/samplers/%zu/interpolation", animation, i) != NULL;
        CHECK_U64(glb_elements(g, output), glb_elements(g, input) * (cubic ? 3 : 1));
        audit_times(g, input);
        audit_data_view(g, input);
        audit_data_view(g, output);
    }
}

static void audit_sharing(const glb *g)
{
    static uses u;
    u = (uses){0};
    note_animations(g, &u);
    const size_t count = glb_count(g, "accessors");
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (u.accessors[i] == 0 || u.accessors[k] == 0)
                continue;
            const layout a = layout_of(g, glb_at(g, "accessors/%zu", i));
            const layout b = layout_of(g, glb_at(g, "accessors/%zu", k));
            check_row("accessors %zu and %zu", k, i);
            CHECK(!same_bytes(g, &a, &b));
        }
    }
    check_row("%s", "");
}

static void audit_strides(const glb *g)
{
    const bool quantized = requires(g, "KHR_mesh_quantization");
    for (size_t i = 0; i < glb_count(g, "bufferViews"); i++) {
        size_t accessors = 0;
        for (size_t k = 0; k < glb_count(g, "accessors"); k++)
            accessors += (size_t)glb_number(g, "accessors/%zu/bufferView", k) == i;
        const bool vertices = glb_number(g, "bufferViews/%zu/target", i) == 34962;
        check_row("view %zu", i);
        CHECK((glb_at(g, "bufferViews/%zu/byteStride", i) != NULL) ==
              (vertices && (quantized || accessors > 1)));
    }
    check_row("%s", "");
}

static void audit_skin(const glb *g)
{
    CHECK(glb_count(g, "skins") <= 1);
    if (glb_count(g, "skins") == 0)
        return;
    const size_t joints = glb_count(g, "skins/0/joints");
    CHECK_U64((uint64_t)glb_number(g, "skins/0/skeleton"), 0);
    const size_t inverse_bind = (size_t)glb_number(g, "skins/0/inverseBindMatrices");
    CHECK_U64(glb_elements(g, inverse_bind), joints);
    audit_data_view(g, inverse_bind);
    for (size_t i = 0; i < joints; i++) {
        int root = (int)glb_number(g, "skins/0/joints/%zu", i);
        CHECK_I64(root, (int)i + 1);
        for (int hops = 0; g->parents[root] >= 0 && hops < GLB_MAX_NODES; hops++)
            root = g->parents[root];
        CHECK_I64(root, 0); /* a common ancestor, which is the skeleton node (G20) */
        for (size_t row = 0; row < 4; row++)
            CHECK(glb_value(g, inverse_bind, i, 4 * row + 3) == (row == 3 ? 1.0 : 0.0));
    }
}

void glb_audit(const glb *g, bool naive)
{
    CHECK_STR(glb_string(g, "asset/version"), RIFT_STR("2.0"));
    CHECK(glb_at(g, "asset/minVersion") == NULL);
    audit_views(g);
    audit_accessors(g);
    audit_uses(g);
    audit_extensions(g);
    audit_nodes(g);
    audit_geometry(g);
    audit_strides(g);
    audit_skin(g);
    for (size_t i = 0; i < glb_count(g, "animations"); i++)
        audit_animation(g, i);
    if (!naive)
        audit_sharing(g);
}
