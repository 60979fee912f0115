#include "base/str.h"
#include "gltf/gltf_internal.h"

/* The skeleton node, the joints below it, and the skin (G11-G18). Node 0 is the skeleton node, joint i is node 1 + i,
 * the meshes follow. */

uint32_t gltf_joint_node(size_t joint)
{
    return (uint32_t)(1 + joint);
}

uint32_t gltf_mesh_node(const gltf_doc *doc, size_t part)
{
    return (uint32_t)(part + (doc->skeleton != NULL ? 1 + doc->skeleton->joint_count : 0));
}

static void fill_inverse_bind(uint8_t *out, const gltf_doc *doc, const gltf_accessor *accessor)
{
    for (size_t i = 0; i < accessor->count; i++) {
        float m[16];
        gltf_matrix(m, &doc->space, &doc->skeleton->joints[i].inverse_bind,
                    doc->quantized ? &doc->grid : NULL);
        gltf_put_f32(out + 64 * i, m, 16);
    }
}

/* Children in joint order, as first child and next sibling: one pass, whatever the tree. */
static void plan_children(gltf_doc *doc)
{
    const size_t count = doc->skeleton->joint_count;
    doc->first_child = RIFT_NEW(doc->arena, uint32_t, count + 1);
    doc->next_sibling = RIFT_NEW(doc->arena, uint32_t, count);
    if (doc->next_sibling == NULL)
        return; /* the arena has failed, which the caller asks */
    for (size_t i = count; i-- > 0;) {
        const int32_t parent = doc->skeleton->joints[i].parent;
        uint32_t *first = &doc->first_child[parent == RIFT_NO_PARENT ? 0 : (size_t)parent + 1];
        doc->next_sibling[i] = *first;
        *first = (uint32_t)i + 1;
    }
}

void gltf_plan_skin(gltf_doc *doc)
{
    doc->inverse_bind = GLTF_NONE;
    if (doc->skeleton != NULL)
        plan_children(doc);
    if (!doc->has_skin)
        return;
    RIFT_ASSERT(doc->skeleton != NULL);
    doc->inverse_bind = gltf_add_accessor(doc, GLTF_VIEW_INVERSE_BIND, 64,
                                          &(gltf_accessor){
                                              .fill = fill_inverse_bind,
                                              .source = doc->skeleton,
                                              .type = "MAT4",
                                              .component_type = GLTF_F32,
                                              .count = doc->skeleton->joint_count,
                                          });
}

/* A property that equals its default is left out (G12). */
static void
put_floats(rift_json *j, const char *key, const float *values, const float *defaults, size_t count)
{
    bool differs = false;
    for (size_t i = 0; i < count; i++)
        differs = differs || values[i] != defaults[i];
    if (!differs)
        return;
    rift_json_key(j, key);
    rift_json_array(j);
    for (size_t i = 0; i < count; i++)
        rift_json_float(j, values[i]);
    rift_json_array_end(j);
}

void rift_gltf_rest(float t[3], float r[4], float s[3], const rift_trs *rest, double unit_scale, bool mirror)
{
    const gltf_space space = {.sigma = unit_scale, .mirror = mirror};
    const float scale[3] = {(float)rest->s.x, (float)rest->s.y, (float)rest->s.z};
    gltf_rest_translation(t, &space, rest->t);
    gltf_rest_rotation(r, &space, rest->r);
    gltf_scale(s, scale);
}

static void write_rest(rift_json *j, const gltf_doc *doc, const rift_trs *rest)
{
    static const float zero[3] = {0, 0, 0};
    static const float no_rotation[4] = {0, 0, 0, 1};
    static const float one[3] = {1, 1, 1};
    float t[3];
    float r[4];
    float s[3];
    rift_gltf_rest(t, r, s, rest, doc->space.sigma, doc->space.mirror);
    put_floats(j, "translation", t, zero, 3);
    put_floats(j, "rotation", r, no_rotation, 4);
    put_floats(j, "scale", s, one, 3);
}

static void write_children(rift_json *j, const gltf_doc *doc, size_t slot)
{
    if (doc->first_child[slot] == 0)
        return;
    rift_json_key(j, "children");
    rift_json_array(j);
    for (uint32_t at = doc->first_child[slot]; at != 0; at = doc->next_sibling[at - 1])
        rift_json_uint(j, gltf_joint_node(at - 1));
    rift_json_array_end(j);
}

static bool is_renamed(const rift_joint *joint)
{
    return !rift_str_eq(joint->name, joint->source_name);
}

/* Original name, id and hashes of the joints whose written name does not show them (G14). */
static void write_renamed_joints(rift_json *j, const rift_skeleton *skeleton)
{
    rift_json_key(j, "joints");
    rift_json_array(j);
    for (size_t i = 0; i < skeleton->joint_count; i++) {
        const rift_joint *joint = &skeleton->joints[i];
        if (!is_renamed(joint))
            continue;
        rift_json_object(j);
        rift_json_put_uint(j, "id", i);
        rift_json_put_str(j, "name", joint->source_name);
        rift_json_put_hex(j, "elf", joint->elf, 8);
        rift_json_put_hex(j, "fnv", joint->fnv, 8);
        rift_json_object_end(j);
    }
    rift_json_array_end(j);
}

static void write_joint_extras(rift_json *j, const rift_skeleton *skeleton)
{
    rift_json_key(j, "extras");
    rift_json_object(j);
    rift_json_key(j, "riftbake");
    rift_json_object(j);
    write_renamed_joints(j, skeleton);
    rift_json_object_end(j);
    rift_json_object_end(j);
}

void gltf_write_joint_nodes(rift_json *j, const gltf_doc *doc)
{
    if (doc->skeleton == NULL)
        return;
    rift_json_object(j);
    rift_json_put_str(j, "name", doc->scene->name);
    write_children(j, doc, 0);
    if (!doc->has_skin) /* else they stand in the skin */
        write_joint_extras(j, doc->skeleton);
    rift_json_object_end(j);
    for (size_t i = 0; i < doc->skeleton->joint_count; i++) {
        const rift_joint *joint = &doc->skeleton->joints[i];
        rift_json_object(j);
        rift_json_put_str(j, "name", joint->name);
        write_children(j, doc, i + 1);
        write_rest(j, doc, &joint->rest);
        rift_json_object_end(j);
    }
}

void gltf_write_skin(rift_json *j, const gltf_doc *doc)
{
    if (!doc->has_skin)
        return;
    rift_json_key(j, "skins");
    rift_json_array(j);
    rift_json_object(j);
    rift_json_put_uint(j, "inverseBindMatrices", doc->inverse_bind);
    rift_json_put_uint(j, "skeleton", 0);
    rift_json_key(j, "joints");
    rift_json_array(j);
    for (size_t i = 0; i < doc->skeleton->joint_count; i++)
        rift_json_uint(j, gltf_joint_node(i));
    rift_json_array_end(j);
    write_joint_extras(j, doc->skeleton);
    rift_json_object_end(j);
    rift_json_array_end(j);
}
