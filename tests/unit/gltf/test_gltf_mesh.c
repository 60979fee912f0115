/* Geometry: mirror and scale of every attribute, winding, widths, strides, hidden parts (G6, G7, G21-G28, G34). */
#include "fixture.h"
#include "glb_read.h"

static size_t attribute(const glb *g, size_t mesh, const char *name)
{
    return (size_t)glb_number(g, "meshes/%zu/primitives/0/attributes/%s", mesh, name);
}

static size_t indices_of(const glb *g, size_t mesh)
{
    return (size_t)glb_number(g, "meshes/%zu/primitives/0/indices", mesh);
}

/* Each expected value is the nearest float32 of the number written. */
static void check_vector(const glb *g, size_t accessor, size_t element, const float *want, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        check_row("accessor %zu, element %zu, component %zu", accessor, element, k);
        CHECK(glb_value(g, accessor, element, k) == (double)want[k]);
    }
    check_row("%s", "");
}

static void check_bounds(const glb *g, size_t accessor, const float min[3], const float max[3])
{
    for (size_t k = 0; k < 3; k++) {
        CHECK((float)glb_number(g, "accessors/%zu/min/%zu", accessor, k) == min[k]);
        CHECK((float)glb_number(g, "accessors/%zu/max/%zu", accessor, k) == max[k]);
    }
}

static const float corners[9] = {1, 2, 3, 4, 5, 6, -7, 0, 9};

static void mirrors_and_scales_positions(void)
{
    fixture f;
    fixture_init(&f);
    rift_part *part = fixture_part(&f, "Body", 3);
    memcpy(part->positions, corners, sizeof corners);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    const size_t position = attribute(&g, 0, "POSITION");
    check_vector(&g, position, 0, (float[]){-0.01f, 0.02f, 0.03f}, 3);
    check_vector(&g, position, 1, (float[]){-0.04f, 0.05f, 0.06f}, 3);
    check_vector(&g, position, 2, (float[]){0.07f, 0.0f, 0.09f}, 3);
    check_bounds(&g, position, (float[]){-0.04f, 0.0f, 0.03f}, (float[]){0.07f, 0.05f, 0.09f});
    CHECK_STR(glb_string(&g, "accessors/%zu/type", position), RIFT_STR("VEC3"));
    CHECK_U64((uint64_t)glb_number(&g, "accessors/%zu/componentType", position), 5126);
    glb_close(&g);
    fixture_release(&f);
}

static void keeps_league_units(void)
{
    fixture f;
    fixture_init(&f);
    f.opts.unit_scale = 1;
    rift_part *part = fixture_part(&f, "Body", 3);
    memcpy(part->positions, corners, sizeof corners);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    check_vector(&g, attribute(&g, 0, "POSITION"), 1, (float[]){-4, 5, 6}, 3);
    check_bounds(&g, attribute(&g, 0, "POSITION"), (float[]){-4, 0, 3}, (float[]){7, 5, 9});
    glb_close(&g);
    fixture_release(&f);
}

static void leaves_raw_numbers_without_mirror(void)
{
    fixture f;
    fixture_init(&f);
    f.opts.mirror = false;
    f.opts.unit_scale = 1;
    rift_part *part = fixture_part(&f, "Body", 3);
    memcpy(part->positions, corners, sizeof corners);
    part->normals[0] = 0.6f;
    part->normals[2] = 0.8f;
    part->tangents = (float[]){1, 0, 0, 1, 0, 1, 0, -1, 0, 0, 1, 1};
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    check_vector(&g, attribute(&g, 0, "POSITION"), 0, (float[]){1, 2, 3}, 3);
    check_vector(&g, attribute(&g, 0, "NORMAL"), 0, (float[]){0.6f, 0, 0.8f}, 3);
    check_vector(&g, attribute(&g, 0, "TANGENT"), 0, (float[]){1, 0, 0, 1}, 4);
    check_vector(&g, attribute(&g, 0, "TANGENT"), 1, (float[]){0, 1, 0, -1}, 4);
    for (size_t i = 0; i < 3; i++)
        CHECK(glb_value(&g, indices_of(&g, 0), i, 0) == (double)i);
    glb_close(&g);
    fixture_release(&f);
}

static void mirrors_directions(void)
{
    fixture f;
    fixture_init(&f);
    rift_part *part = fixture_part(&f, "Body", 3);
    memcpy(part->normals, (float[]){0.6f, 0, 0.8f, 0, -1, 0, -1, 0, 0}, 9 * sizeof(float));
    /* w is the sign of the bitangent, and a mirror turns it round. */
    part->tangents = (float[]){0.8f, 0, -0.6f, 1, 1, 0, 0, -1, 0, 0, 1, 1};
    memcpy(part->uvs, (float[]){0, 0.25f, 1.5f, -2, 0.1f, 1}, 6 * sizeof(float));
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    const size_t normal = attribute(&g, 0, "NORMAL");
    check_vector(&g, normal, 0, (float[]){-0.6f, 0, 0.8f}, 3);
    check_vector(&g, normal, 1, (float[]){0, -1, 0}, 3);
    check_vector(&g, normal, 2, (float[]){1, 0, 0}, 3);
    const size_t tangent = attribute(&g, 0, "TANGENT");
    check_vector(&g, tangent, 0, (float[]){-0.8f, 0, -0.6f, -1}, 4);
    check_vector(&g, tangent, 1, (float[]){-1, 0, 0, 1}, 4);
    check_vector(&g, tangent, 2, (float[]){0, 0, 1, -1}, 4);
    const size_t texcoord = attribute(&g, 0, "TEXCOORD_0");
    check_vector(&g, texcoord, 0, (float[]){0, 0.25f}, 2);
    check_vector(&g, texcoord, 1, (float[]){1.5f, -2}, 2);
    check_vector(&g, texcoord, 2, (float[]){0.1f, 1}, 2);
    glb_close(&g);
    fixture_release(&f);
}

/* A mirrored zero must not be -0: the bytes would differ from those of a plain zero. */
static void writes_no_negative_zero(void)
{
    fixture f;
    fixture_init(&f);
    rift_part *part = fixture_part(&f, "Body", 3);
    part->normals[4] = -0.0f;
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK(!signbit(glb_value(&g, attribute(&g, 0, "POSITION"), 0, 0)));
    CHECK(!signbit(glb_value(&g, attribute(&g, 0, "NORMAL"), 0, 0)));
    CHECK(!signbit(glb_value(&g, attribute(&g, 0, "NORMAL"), 1, 1)));
    CHECK(!signbit(glb_number(&g, "accessors/%zu/max/0", attribute(&g, 0, "POSITION"))));
    glb_close(&g);
    fixture_release(&f);
}

static void turns_the_winding(void)
{
    fixture f;
    fixture_init(&f);
    rift_part *part = fixture_part(&f, "Body", 4);
    /* A square in the plane z = 0 that faces +z in the source: (b - a) x (c - a) = (0, 0, 1) for (0, 1, 2). */
    memcpy(part->positions, (float[]){0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}, 12 * sizeof(float));
    part->indices = (uint32_t[]){0, 1, 2, 2, 1, 3};
    part->index_count = 6;
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    static const double want[6] = {0, 2, 1, 2, 3, 1};
    for (size_t i = 0; i < 6; i++)
        CHECK(glb_value(&g, indices_of(&g, 0), i, 0) == want[i]);
    const size_t position = attribute(&g, 0, "POSITION");
    for (size_t t = 0; t < 2; t++) {
        double p[3][2];
        for (size_t c = 0; c < 3; c++) {
            for (size_t k = 0; k < 2; k++)
                p[c][k] = glb_value(&g, position, (size_t)glb_value(&g, indices_of(&g, 0), 3 * t + c, 0), k);
        }
        const double z =
            (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        CHECK(z * glb_value(&g, attribute(&g, 0, "NORMAL"), 0, 2) > 0);
    }
    glb_close(&g);
    fixture_release(&f);
}

static void chooses_index_width(void)
{
    static const struct {
        size_t vertices;
        unsigned type;
    } rows[] = {{3, 5123}, {65535, 5123}, {65536, 5125}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        fixture f;
        fixture_init(&f);
        rift_part *part = fixture_part(&f, "Body", rows[i].vertices);
        part->indices[1] = (uint32_t)rows[i].vertices - 1;
        glb g;
        GLB_OPEN(g, fixture_write(&f), false);
        check_row("%zu vertices", rows[i].vertices);
        CHECK_U64((uint64_t)glb_number(&g, "accessors/%zu/componentType", indices_of(&g, 0)), rows[i].type);
        CHECK(glb_value(&g, indices_of(&g, 0), 2, 0) ==
              (double)rows[i].vertices - 1); /* swapped behind the third */
        glb_close(&g);
        fixture_release(&f);
    }
}

static void mixes_index_widths_in_one_view(void)
{
    fixture f;
    fixture_init(&f);
    (void)fixture_part(&f, "Small", 3);
    (void)fixture_part(&f, "Large", 65536);
    (void)fixture_part(&f, "Small2", 3);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    /* 3 x 2 bytes, padding to 8, 3 x 4 bytes, 3 x 2 bytes. */
    CHECK_U64((uint64_t)glb_number(&g, "accessors/%zu/byteOffset", indices_of(&g, 1)), 8);
    CHECK_U64((uint64_t)glb_number(&g, "accessors/%zu/byteOffset", indices_of(&g, 2)), 20);
    CHECK_U64((uint64_t)glb_number(&g, "bufferViews/0/byteLength"), 26);
    CHECK_U64((uint64_t)glb_number(&g, "bufferViews/1/byteOffset"), 28);
    glb_close(&g);
    fixture_release(&f);
}

static void chooses_joint_width(void)
{
    static const struct {
        size_t joints;
        unsigned type;
    } rows[] = {{1, 5121}, {256, 5121}, {257, 5123}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        fixture f;
        fixture_init(&f);
        (void)fixture_skeleton(&f, rows[i].joints);
        rift_part *part = fixture_part(&f, "Body", 3);
        const uint16_t last = (uint16_t)(rows[i].joints - 1);
        part->joints[4] = last;
        memcpy(part->weights + 8, (float[]){0.75f, 0.25f, 0, 0}, 4 * sizeof(float));
        part->joints[8 + 1] = last;
        glb g;
        GLB_OPEN(g, fixture_write(&f), false);
        check_row("%zu joints", rows[i].joints);
        const size_t joints = attribute(&g, 0, "JOINTS_0");
        CHECK_U64((uint64_t)glb_number(&g, "accessors/%zu/componentType", joints), rows[i].type);
        CHECK(glb_value(&g, joints, 0, 0) == 0);
        CHECK(glb_value(&g, joints, 1, 0) == (double)last);
        CHECK(glb_value(&g, joints, 2, 1) == (double)last);
        const size_t weights = attribute(&g, 0, "WEIGHTS_0");
        CHECK_U64((uint64_t)glb_number(&g, "accessors/%zu/componentType", weights), 5126);
        check_vector(&g, weights, 2, (float[]){0.75f, 0.25f, 0, 0}, 4);
        glb_close(&g);
        fixture_release(&f);
    }
}

/* The views of G28: one per kind, targets, strides only where two accessors share a vertex view. */
static void lays_out_views(void)
{
    static const struct {
        unsigned target, length, stride;
    } want[] = {
        {34963, 14, 0},                /* 3 indices, padding, 3 indices */
        {34962, 84, 12},               /* 3 + 4 positions */
        {34962, 84, 12},               /* normals */
        {34962, 56, 8},                /* texture coordinates */
        {34962, 28, 4},                /* joints */
        {34962, 112, 16}, {0, 128, 0}, /* inverse bind matrices of two joints */
        {0, 8, 0},                     /* times */
        {0, 24, 0},                    /* values */
        {0, 5, 0},                     /* image */
    };
    fixture f;
    fixture_init(&f);
    (void)fixture_skeleton(&f, 2);
    (void)fixture_part(&f, "A", 3);
    (void)fixture_part(&f, "B", 4);
    f.scene.materials[0].texture = fixture_texture(&f, "a.png", "image/png", "bytes");
    (void)fixture_channel(&f, fixture_clip(&f, "Idle"), 0, RIFT_TRANSLATION, 2, (float[]){0, 1},
                          (float[]){0, 0, 0, 1, 1, 1});
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_U64(glb_count(&g, "bufferViews"), RIFT_COUNT(want));
    for (size_t i = 0; i < RIFT_COUNT(want); i++) {
        check_row("view %zu", i);
        const cJSON *target = glb_at(&g, "bufferViews/%zu/target", i);
        const cJSON *stride = glb_at(&g, "bufferViews/%zu/byteStride", i);
        CHECK_U64(target ? target->valueint : 0, want[i].target);
        CHECK_U64(stride ? stride->valueint : 0, want[i].stride);
        CHECK_U64((uint64_t)glb_number(&g, "bufferViews/%zu/byteLength", i), want[i].length);
    }
    CHECK_BYTES(glb_view(&g, 9), ((rift_bytes){(const uint8_t *)"bytes", 5}));
    glb_close(&g);
    fixture_release(&f);
}

static void writes_colors_and_tangents_only_when_given(void)
{
    fixture f;
    fixture_init(&f);
    (void)fixture_part(&f, "Plain", 3);
    rift_part *part = fixture_part(&f, "Full", 3);
    part->colors = (uint8_t[]){255, 128, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    part->tangents = (float[]){1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1};
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK(glb_at(&g, "meshes/0/primitives/0/attributes/_COLOR") == NULL);
    CHECK(glb_at(&g, "meshes/0/primitives/0/attributes/TANGENT") == NULL);
    CHECK(glb_at(&g, "meshes/0/primitives/0/attributes/TEXCOORD_0") != NULL);
    CHECK(glb_at(&g, "meshes/1/primitives/0/attributes/COLOR_0") == NULL);
    const size_t color = attribute(&g, 1, "_COLOR");
    CHECK_U64((uint64_t)glb_number(&g, "accessors/%zu/componentType", color), 5121);
    CHECK(cJSON_IsTrue(glb_at(&g, "accessors/%zu/normalized", color)));
    CHECK(glb_value(&g, color, 0, 1) == 128);
    CHECK(glb_value(&g, color, 2, 3) == 9);
    glb_close(&g);
    fixture_release(&f);
}

static void hidden_scene(fixture *f)
{
    fixture_init(f);
    (void)fixture_skeleton(f, 1);
    (void)fixture_part(f, "Body", 3);
    fixture_part(f, "Recall", 3)->hidden = true;
    (void)fixture_part(f, "Hair", 3);
    fixture_part(f, "Flag", 3)->hidden = true;
    f->scene.materials[0].texture = fixture_texture(f, "body.png", "image/png", "body");
    f->scene.materials[1].texture = fixture_texture(f, "recall.png", "image/png", "recall");
}

static void leaves_hidden_parts_out(void)
{
    fixture f;
    hidden_scene(&f);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_U64(glb_count(&g, "meshes"), 2);
    CHECK_STR(glb_string(&g, "meshes/0/name"), RIFT_STR("Body"));
    CHECK_STR(glb_string(&g, "meshes/1/name"), RIFT_STR("Hair"));
    CHECK_U64(glb_count(&g, "materials"), 2);
    CHECK_STR(glb_string(&g, "materials/1/name"), RIFT_STR("Hair"));
    CHECK_U64((uint64_t)glb_number(&g, "meshes/1/primitives/0/material"), 1);
    CHECK_U64(glb_count(&g, "images"), 1); /* the texture of a hidden part goes with it */
    CHECK_U64(glb_count(&g, "scenes/0/nodes"), 3);
    CHECK_U64(glb_count(&g, "extensionsUsed"), 1);
    glb_close(&g);
    fixture_release(&f);
}

static void marks_hidden_parts(void)
{
    fixture f;
    hidden_scene(&f);
    f.opts.hidden_nodes = true;
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_U64(glb_count(&g, "meshes"), 4);
    CHECK_U64(glb_count(&g, "images"), 2);
    CHECK(cJSON_IsFalse(glb_at(&g, "nodes/3/extensions/KHR_node_visibility/visible")));
    CHECK(cJSON_IsTrue(glb_at(&g, "nodes/3/extras/riftbake/hidden")));
    CHECK(cJSON_IsFalse(glb_at(&g, "nodes/5/extensions/KHR_node_visibility/visible")));
    CHECK(glb_at(&g, "nodes/2/extensions") == NULL);
    CHECK(glb_at(&g, "nodes/2/extras/riftbake/hidden") == NULL);
    CHECK_STR(glb_string(&g, "nodes/2/extras/riftbake/source"), RIFT_STR("Body"));
    CHECK(glb_at(&g, "extensionsRequired") == NULL);
    CHECK_STR(glb_string(&g, "extensionsUsed/0"), RIFT_STR("KHR_materials_unlit"));
    CHECK_STR(glb_string(&g, "extensionsUsed/1"), RIFT_STR("KHR_node_visibility"));
    glb_close(&g);
    fixture_release(&f);
}

static void names_parts(void)
{
    fixture f;
    fixture_init(&f);
    (void)fixture_skeleton(&f, 2);
    rift_part *part = fixture_part(&f, "Weapon__0", 3);
    part->source_name = RIFT_STR("Weapon");
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_STR(glb_string(&g, "nodes/3/name"), RIFT_STR("Weapon__0"));
    CHECK_STR(glb_string(&g, "nodes/3/extras/riftbake/source"), RIFT_STR("Weapon"));
    CHECK_STR(glb_string(&g, "meshes/0/name"), RIFT_STR("Weapon__0"));
    CHECK_STR(glb_string(&g, "materials/0/name"), RIFT_STR("Weapon__0"));
    glb_close(&g);
    fixture_release(&f);
}

static void skips_empty_parts(void)
{
    fixture f;
    fixture_init(&f);
    fixture_part(&f, "Empty", 3)->index_count = 0;
    (void)fixture_part(&f, "Body", 3);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_U64(glb_count(&g, "meshes"), 1);
    CHECK_U64(glb_count(&g, "materials"), 1);
    CHECK_STR(glb_string(&g, "nodes/0/name"), RIFT_STR("Body"));
    glb_close(&g);
    fixture_release(&f);
}

/* content=mesh: no skeleton, so no skin, no joint attributes, no animation (G46). */
static void writes_a_static_mesh(void)
{
    fixture f;
    fixture_init(&f);
    (void)fixture_part(&f, "Body", 3);
    (void)fixture_channel(&f, fixture_clip(&f, "Idle"), 0, RIFT_SCALE, 1, (float[]){0}, (float[]){1, 1, 1});
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK(glb_at(&g, "skins") == NULL);
    CHECK(glb_at(&g, "animations") == NULL);
    CHECK(glb_at(&g, "nodes/0/skin") == NULL);
    CHECK(glb_at(&g, "meshes/0/primitives/0/attributes/JOINTS_0") == NULL);
    CHECK(glb_at(&g, "meshes/0/primitives/0/attributes/WEIGHTS_0") == NULL);
    CHECK_U64(glb_count(&g, "nodes"), 1);
    CHECK_U64(glb_count(&g, "scenes/0/nodes"), 1);
    glb_close(&g);
    fixture_release(&f);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(mirrors_and_scales_positions);
    RUN(keeps_league_units);
    RUN(leaves_raw_numbers_without_mirror);
    RUN(mirrors_directions);
    RUN(writes_no_negative_zero);
    RUN(turns_the_winding);
    RUN(chooses_index_width);
    RUN(mixes_index_widths_in_one_view);
    RUN(chooses_joint_width);
    RUN(lays_out_views);
    RUN(writes_colors_and_tangents_only_when_given);
    RUN(leaves_hidden_parts_out);
    RUN(marks_hidden_parts);
    RUN(names_parts);
    RUN(skips_empty_parts);
    RUN(writes_a_static_mesh);
    return check_finish();
}
