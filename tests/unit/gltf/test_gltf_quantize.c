/* compress=quantize: numbers in 8 and 16 bits, worked out by hand (G47). */
#include "fixture.h"
#include "glb_read.h"

#include "base/str.h"

static size_t attribute(const glb *g, size_t mesh, const char *name)
{
    return (size_t)glb_number(g, "meshes/%zu/primitives/0/attributes/%s", mesh, name);
}

static void check_numbers(const glb *g, size_t accessor, size_t element, const double *want, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        check_row("accessor %zu, element %zu, component %zu", accessor, element, k);
        CHECK(glb_value(g, accessor, element, k) == want[k]);
    }
    check_row("%s", "");
}

static uint64_t type_of(const glb *g, size_t accessor)
{
    return (uint64_t)glb_number(g, "accessors/%zu/componentType", accessor);
}

static bool lists(const glb *g, const char *list, const char *name)
{
    for (size_t i = 0; i < glb_count(g, "%s", list); i++) {
        if (rift_str_eq(glb_string(g, "%s/%zu", list, i), rift_str_c(name)))
            return true;
    }
    return false;
}

/* A box of 65.535 whose grid has steps of exactly a thousandth, in the game's own space and units. */
static rift_part *boxed(fixture *f, const float corner[3])
{
    fixture_init(f);
    f->opts.numbers = RIFT_GLTF_QUANTIZE;
    f->opts.unit_scale = 1;
    f->opts.mirror = false;
    rift_part *part = fixture_part(f, "Body", 3);
    static const float box[9] = {0, 0, 0, 65.535f, 1, 2.5f, 10, 20, 30};
    for (size_t i = 0; i < 9; i++)
        part->positions[i] = box[i] + corner[i % 3];
    return part;
}

static void positions_lie_on_one_grid(void)
{
    fixture f;
    (void)boxed(&f, (float[]){0, 0, 0});
    rift_part *second = fixture_part(&f, "Sword", 3);
    memcpy(second->positions, (float[]){1, 1, 1, 2, 2, 2, 0.25f, 0.0004f, 0.0006f}, 9 * sizeof(float));
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    const size_t first = attribute(&g, 0, "POSITION");
    CHECK_U64(type_of(&g, first), 5123);
    CHECK(glb_at(&g, "accessors/%zu/normalized", first) == NULL);
    check_numbers(&g, first, 0, (double[]){0, 0, 0}, 3);
    check_numbers(&g, first, 1, (double[]){65535, 1000, 2500}, 3);
    check_numbers(&g, first, 2, (double[]){10000, 20000, 30000}, 3);
    check_numbers(&g, attribute(&g, 1, "POSITION"), 2, (double[]){250, 0, 1}, 3);
    CHECK(glb_number(&g, "accessors/%zu/max/0", first) == 65535); /* bounds are the numbers in the file */
    CHECK(glb_number(&g, "accessors/%zu/max/2", first) == 30000);
    const size_t view = (size_t)glb_number(&g, "accessors/%zu/bufferView", first);
    CHECK(glb_number(&g, "bufferViews/%zu/byteStride", view) == 8);
    CHECK(lists(&g, "extensionsUsed", "KHR_mesh_quantization"));
    CHECK(lists(&g, "extensionsRequired", "KHR_mesh_quantization"));
    /* Nothing is skinned here: each node leads out of the grid. */
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 3; k++) {
            CHECK(glb_number(&g, "nodes/%zu/translation/%zu", i, k) == 0);
            CHECK_NEAR(glb_number(&g, "nodes/%zu/scale/%zu", i, k), 0.001, 1e-9);
        }
    }
    glb_close(&g);
    fixture_release(&f);
}

/* x' = -y - 3, y' = x + 1, z' = z + 7 of a point that is (2, 4, 8) + n / 1000. */
static void skins_leave_the_grid_by_their_inverse_binds(void)
{
    fixture f;
    rift_part *part = boxed(&f, (float[]){2, 4, 8});
    rift_skeleton *s = fixture_skeleton(&f, 1);
    s->joints[0].inverse_bind = (rift_mat4){{0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, -3, 1, 7, 1}};
    part->joints = RIFT_NEW(&f.arena, uint16_t, 12);
    part->weights = RIFT_NEW(&f.arena, float, 12);
    for (size_t i = 0; i < 3; i++)
        part->weights[4 * i] = 1;
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    static const double want[16] = {0, 0.001, 0, 0, -0.001, 0, 0, 0, 0, 0, 0.001, 0, -7, 3, 15, 1};
    const size_t bind = (size_t)glb_number(&g, "skins/0/inverseBindMatrices");
    for (size_t k = 0; k < 16; k++) {
        check_row("entry %zu", k);
        CHECK_NEAR(glb_value(&g, bind, 0, k), want[k], 1e-6);
    }
    check_row("%s", "");
    CHECK(glb_value(&g, bind, 0, 15) == 1);
    glb_close(&g);
    fixture_release(&f);
}

/* 0.6 * 127 = 76.2, 0.8 * 127 = 101.6. The last normal rounds to (84, 69, 64), whose length is 0.9933: too short for the
 * validator, so the component that lost most goes up. */
static void normals_have_eight_bits(void)
{
    fixture f;
    rift_part *part = boxed(&f, (float[]){0, 0, 0});
    const float normals[9] = {0, 0, -1, 0.6f, 0, 0.8f, 0.66532075f, 0.5472386f, 0.5078171f};
    memcpy(part->normals, normals, sizeof normals);
    part->tangents = (float[]){1, 0, 0, -1, 0, 1, 0, 1, 0, 0, 1, 1};
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    const size_t normal = attribute(&g, 0, "NORMAL");
    CHECK_U64(type_of(&g, normal), 5120);
    CHECK(cJSON_IsTrue(glb_at(&g, "accessors/%zu/normalized", normal)));
    check_numbers(&g, normal, 0, (double[]){0, 0, -127}, 3);
    check_numbers(&g, normal, 1, (double[]){76, 0, 102}, 3);
    check_numbers(&g, normal, 2, (double[]){84, 70, 64}, 3);
    const size_t tangent = attribute(&g, 0, "TANGENT");
    check_numbers(&g, tangent, 0, (double[]){127, 0, 0, -127}, 4);
    glb_close(&g);
    fixture_release(&f);
}

static void weights_add_up(void)
{
    static const struct {
        float weights[4];
        double want[4], joints[4];
    } rows[] = {
        {{1, 0, 0, 0}, {65535, 0, 0, 0}, {1, 0, 0, 0}},
        /* 32767.5, 16383.75, 16383.75: the two that lost more go up */
        {{0.5f, 0.25f, 0.25f, 0}, {32767, 16384, 16384, 0}, {1, 2, 3, 0}},
        {{0.25f, 0.25f, 0.25f, 0.25f}, {16384, 16384, 16384, 16383}, {1, 2, 3, 4}},
        /* 0.26 of a step is none, and has no joint */
        {{0.999996f, 0.000004f, 0, 0}, {65535, 0, 0, 0}, {1, 0, 0, 0}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        fixture f;
        fixture_init(&f);
        f.opts.numbers = RIFT_GLTF_QUANTIZE;
        (void)fixture_skeleton(&f, 5);
        rift_part *part = fixture_part(&f, "Body", 3);
        memcpy(part->weights, rows[i].weights, sizeof rows[i].weights);
        for (size_t k = 0; k < 4; k++)
            part->joints[k] = (uint16_t)(rows[i].weights[k] > 0 ? k + 1 : 0);
        glb g;
        GLB_OPEN(g, fixture_write(&f), false);
        const size_t weights = attribute(&g, 0, "WEIGHTS_0");
        CHECK_U64(type_of(&g, weights), 5123);
        check_numbers(&g, weights, 0, rows[i].want, 4);
        check_numbers(&g, attribute(&g, 0, "JOINTS_0"), 0, rows[i].joints, 4);
        glb_close(&g);
        fixture_release(&f);
    }
}

/* Those of one part lie within 0 … 1, those of the other repeat the texture. */
static void texture_coordinates_fit_or_stay(void)
{
    fixture f;
    rift_part *part = boxed(&f, (float[]){0, 0, 0});
    memcpy(part->uvs, (float[]){0, 1, 0.5f, 0.25f, 0.00001f, 0.99999f}, 6 * sizeof(float));
    rift_part *second = fixture_part(&f, "Cape", 3);
    memcpy(second->uvs, (float[]){0, 1.5f, -0.25f, 0, 0, 1}, 6 * sizeof(float));
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    const size_t small = attribute(&g, 0, "TEXCOORD_0");
    const size_t wide = attribute(&g, 1, "TEXCOORD_0");
    CHECK_U64(type_of(&g, small), 5123);
    CHECK(cJSON_IsTrue(glb_at(&g, "accessors/%zu/normalized", small)));
    check_numbers(&g, small, 0, (double[]){0, 65535}, 2);
    check_numbers(&g, small, 1, (double[]){32768, 16384}, 2); /* 32767.5 and 16383.75 */
    check_numbers(&g, small, 2, (double[]){1, 65534}, 2);
    CHECK_U64(type_of(&g, wide), 5126);
    check_numbers(&g, wide, 0, (double[]){0, 1.5}, 2);
    CHECK(glb_number(&g, "accessors/%zu/bufferView", small) !=
          glb_number(&g, "accessors/%zu/bufferView", wide));
    glb_close(&g);
    fixture_release(&f);
}

/* 0.6 * 32767 = 19660.2, 0.8 * 32767 = 26213.6. Cubic tangents may be longer than 1: those keys stay as they are. */
static void rotations_have_sixteen_bits(void)
{
    fixture f;
    fixture_init(&f);
    f.opts.numbers = RIFT_GLTF_QUANTIZE;
    f.opts.mirror = false;
    (void)fixture_skeleton(&f, 3);
    const float times[2] = {0, 1};
    const float turn[8] = {0, 0, 0, 1, -0.6f, 0, 0, 0.8f};
    rift_clip *clip = fixture_clip(&f, "Idle");
    (void)fixture_channel(&f, clip, 0, RIFT_ROTATION, 2, times, turn);
    (void)fixture_channel(&f, clip, 0, RIFT_SCALE, 2, times, (float[]){1, 1, 1, 2, 2, 2});
    (void)fixture_channel(&f, clip, 1, RIFT_ROTATION, 2, times, turn);
    rift_channel *cubic = fixture_channel(&f, clip, 2, RIFT_ROTATION, 2, times, turn);
    float *values = RIFT_NEW(&f.arena, float, 24);
    for (size_t i = 0; i < 6; i++)
        values[4 * i + 3] = i % 3 == 1 ? 1 : 5;
    cubic->interpolation = RIFT_CUBICSPLINE;
    cubic->values = values;
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_U64(glb_count(&g, "animations/0/samplers"), 3); /* the first and third channel are one */
    const size_t linear = (size_t)glb_number(&g, "animations/0/samplers/0/output");
    CHECK_U64(type_of(&g, linear), 5122);
    CHECK(cJSON_IsTrue(glb_at(&g, "accessors/%zu/normalized", linear)));
    check_numbers(&g, linear, 0, (double[]){0, 0, 0, 32767}, 4);
    check_numbers(&g, linear, 1, (double[]){-19660, 0, 0, 26214}, 4);
    CHECK_U64(type_of(&g, (size_t)glb_number(&g, "animations/0/samplers/1/output")), 5126);
    CHECK_U64(type_of(&g, (size_t)glb_number(&g, "animations/0/samplers/2/output")), 5126);
    CHECK(glb_count(&g, "extensionsRequired") == 0); /* no mesh: core glTF */
    glb_close(&g);
    fixture_release(&f);
}

static void the_plain_exporters_file_has_floats(void)
{
    fixture f;
    (void)boxed(&f, (float[]){0, 0, 0});
    f.opts.naive = true;
    glb g;
    GLB_OPEN(g, fixture_write(&f), true);
    CHECK_U64(type_of(&g, attribute(&g, 0, "POSITION")), 5126);
    CHECK(!lists(&g, "extensionsUsed", "KHR_mesh_quantization"));
    glb_close(&g);
    fixture_release(&f);
}

/* One point has no extent; a step of 0 could not be inverted. */
static void a_point_has_a_grid_too(void)
{
    fixture f;
    rift_part *part = boxed(&f, (float[]){0, 0, 0});
    for (size_t i = 0; i < 9; i++)
        part->positions[i] = 3;
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    check_numbers(&g, attribute(&g, 0, "POSITION"), 1, (double[]){0, 0, 0}, 3);
    CHECK(glb_number(&g, "nodes/0/translation/0") == 3);
    CHECK(glb_number(&g, "nodes/0/scale/0") == 1);
    glb_close(&g);
    fixture_release(&f);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(positions_lie_on_one_grid);
    RUN(skins_leave_the_grid_by_their_inverse_binds);
    RUN(normals_have_eight_bits);
    RUN(weights_add_up);
    RUN(texture_coordinates_fit_or_stay);
    RUN(rotations_have_sixteen_bits);
    RUN(the_plain_exporters_file_has_floats);
    RUN(a_point_has_a_grid_too);
    return check_finish();
}
