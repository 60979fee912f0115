/* Nodes, rest transforms, inverse bind matrices, names (G6, G11-G18, G20). */
#include "fixture.h"
#include "glb_read.h"

static void orders_nodes(void)
{
    fixture f;
    fixture_init(&f);
    rift_skeleton *s = fixture_skeleton(&f, 5);
    /* 0 and 3 are parentless; 1 hangs on 4, which comes later. */
    const int32_t parents[5] = {-1, 4, 0, -1, 0};
    for (size_t i = 0; i < 5; i++)
        s->joints[i].parent = parents[i];
    (void)fixture_part(&f, "Body", 3);
    (void)fixture_part(&f, "Hair", 3);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_U64(glb_count(&g, "nodes"), 8);
    CHECK_STR(glb_string(&g, "nodes/0/name"), RIFT_STR("test-0"));
    static const int roots[] = {0, 6, 7};
    CHECK_U64(glb_count(&g, "scenes/0/nodes"), 3);
    for (size_t i = 0; i < 3; i++)
        CHECK_I64((int)glb_number(&g, "scenes/0/nodes/%zu", i), roots[i]);
    CHECK_U64(glb_count(&g, "nodes/0/children"), 2);
    CHECK_I64((int)glb_number(&g, "nodes/0/children/0"), 1);
    CHECK_I64((int)glb_number(&g, "nodes/0/children/1"), 4);
    CHECK_U64(glb_count(&g, "nodes/1/children"), 2); /* of joint 0: joints 2 and 4 */
    CHECK_I64((int)glb_number(&g, "nodes/1/children/0"), 3);
    CHECK_I64((int)glb_number(&g, "nodes/1/children/1"), 5);
    CHECK_I64((int)glb_number(&g, "nodes/5/children/0"), 2); /* of joint 4: joint 1 */
    CHECK(glb_at(&g, "nodes/2/children") == NULL);
    CHECK_U64(glb_count(&g, "skins"), 1);
    CHECK_U64(glb_count(&g, "skins/0/joints"), 5);
    for (int i = 0; i < 5; i++)
        CHECK_I64((int)glb_number(&g, "skins/0/joints/%d", i), i + 1);
    CHECK_I64((int)glb_number(&g, "nodes/6/mesh"), 0);
    CHECK_I64((int)glb_number(&g, "nodes/6/skin"), 0);
    CHECK_I64(cJSON_GetArraySize(glb_at(&g, "nodes/6")),
              4); /* name, mesh, skin, extras and nothing else (G15) */
    CHECK(glb_at(&g, "skins/0/extras/riftbake/joints") != NULL);
    CHECK_U64(glb_count(&g, "skins/0/extras/riftbake/joints"), 0);
    glb_close(&g);
    fixture_release(&f);
}

static void check_numbers(const glb *g, const char *path, const float *want, size_t count)
{
    CHECK_U64(glb_count(g, "%s", path), count);
    for (size_t i = 0; i < count; i++) {
        check_row("%s %zu", path, i);
        CHECK((float)glb_number(g, "%s/%zu", path, i) == want[i]);
    }
    check_row("%s", "");
}

static void mirrors_rest_transforms(void)
{
    fixture f;
    fixture_init(&f);
    rift_skeleton *s = fixture_skeleton(&f, 4);
    s->joints[0].rest = (rift_trs){{1, 2, 3}, {0.5, 0.5, 0.5, 0.5}, {1, 2, -0.5}};
    s->joints[1].rest = (rift_trs){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    s->joints[2].rest = (rift_trs){{0, 150.5, 0}, {0, 0.6, 0, -0.8}, {0, 1, 1}};
    s->joints[3].rest = (rift_trs){{0, 0, 0}, {3, 0, 0, 4}, {1, 1, 1}}; /* length 5 */
    (void)fixture_part(&f, "Body", 3);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    check_numbers(&g, "nodes/1/translation", (float[]){-0.01f, 0.02f, 0.03f}, 3);
    check_numbers(&g, "nodes/1/rotation", (float[]){0.5f, -0.5f, -0.5f, 0.5f}, 4);
    check_numbers(&g, "nodes/1/scale", (float[]){1, 2, -0.5f}, 3);
    /* Defaults are left out (G12). */
    CHECK(glb_at(&g, "nodes/2/translation") == NULL);
    CHECK(glb_at(&g, "nodes/2/rotation") == NULL);
    CHECK(glb_at(&g, "nodes/2/scale") == NULL);
    check_numbers(&g, "nodes/3/translation", (float[]){0, 1.505f, 0}, 3);
    check_numbers(&g, "nodes/3/rotation", (float[]){0, -0.6f, 0, -0.8f}, 4);
    check_numbers(&g, "nodes/3/scale", (float[]){0, 1, 1}, 3);
    check_numbers(&g, "nodes/4/rotation", (float[]){0.6f, 0, 0, 0.8f}, 4);
    glb_close(&g);
    fixture_release(&f);
}

static void mirrors_inverse_bind_matrices(void)
{
    static const double columns[16] = {1, 2, 3, 0, 5, 6, 7, 0, 9, 10, 11, 0, 100, 200, 300, 1};
    /* M B M: the entries of row x or column x, but not both, change sign; the last column is a length. */
    static const float want[16] = {1, -2, -3, 0, -5, 6, 7, 0, -9, 10, 11, 0, -1, 2, 3, 1};
    fixture f;
    fixture_init(&f);
    rift_skeleton *s = fixture_skeleton(&f, 2);
    memcpy(s->joints[1].inverse_bind.m, columns, sizeof columns);
    (void)fixture_part(&f, "Body", 3);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    const size_t accessor = (size_t)glb_number(&g, "skins/0/inverseBindMatrices");
    CHECK_STR(glb_string(&g, "accessors/%zu/type", accessor), RIFT_STR("MAT4"));
    for (size_t k = 0; k < 16; k++) {
        check_row("entry %zu", k);
        CHECK(glb_value(&g, accessor, 0, k) == (k % 5 == 0 ? 1.0 : 0.0));
        CHECK(glb_value(&g, accessor, 1, k) == (double)want[k]);
    }
    glb_close(&g);
    fixture_release(&f);
}

static void keeps_original_names_in_extras(void)
{
    fixture f;
    fixture_init(&f);
    rift_skeleton *s = fixture_skeleton(&f, 4);
    fixture_name_joint(s, 0, "Head");
    fixture_name_joint(s, 1, "head");
    s->joints[2].name = RIFT_STR("Head__2");
    s->joints[2].source_name = RIFT_STR("Head");
    s->joints[2].elf = 0x4F7F4;
    s->joints[2].fnv = 0xABCDEF01;
    s->joints[3].name = RIFT_STR("joint_3");
    s->joints[3].source_name = (rift_str){0};
    s->joints[3].elf = 0x00FFEE11;
    (void)fixture_part(&f, "Body", 3);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_STR(glb_string(&g, "nodes/1/name"), RIFT_STR("Head"));
    CHECK_STR(glb_string(&g, "nodes/2/name"), RIFT_STR("head"));
    CHECK_STR(glb_string(&g, "nodes/3/name"), RIFT_STR("Head__2"));
    CHECK_U64(glb_count(&g, "skins/0/extras/riftbake/joints"), 2);
    CHECK_I64((int)glb_number(&g, "skins/0/extras/riftbake/joints/0/id"), 2);
    CHECK_STR(glb_string(&g, "skins/0/extras/riftbake/joints/0/name"), RIFT_STR("Head"));
    CHECK_STR(glb_string(&g, "skins/0/extras/riftbake/joints/0/elf"), RIFT_STR("0x0004f7f4"));
    CHECK_STR(glb_string(&g, "skins/0/extras/riftbake/joints/0/fnv"), RIFT_STR("0xabcdef01"));
    CHECK_I64((int)glb_number(&g, "skins/0/extras/riftbake/joints/1/id"), 3);
    CHECK_STR(glb_string(&g, "skins/0/extras/riftbake/joints/1/name"), RIFT_STR(""));
    CHECK_STR(glb_string(&g, "skins/0/extras/riftbake/joints/1/elf"), RIFT_STR("0x00ffee11"));
    CHECK(glb_at(&g, "nodes/0/extras") == NULL);
    glb_close(&g);
    fixture_release(&f);
}

static void writes_a_rig_without_mesh(void)
{
    fixture f;
    fixture_init(&f);
    rift_skeleton *s = fixture_skeleton(&f, 2);
    s->joints[1].source_name = RIFT_STR("other");
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    /* A skin that no mesh uses would be an unused object; the joints are there all the same. */
    CHECK(glb_at(&g, "skins") == NULL);
    CHECK(glb_at(&g, "meshes") == NULL);
    CHECK(glb_at(&g, "materials") == NULL);
    CHECK(glb_at(&g, "accessors") == NULL);
    CHECK(!g.has_bin);
    CHECK_U64(glb_count(&g, "nodes"), 3);
    CHECK_STR(glb_string(&g, "nodes/0/extras/riftbake/joints/0/name"), RIFT_STR("other"));
    glb_close(&g);
    fixture_release(&f);
}

static void writes_joints_only(void)
{
    fixture f;
    fixture_init(&f);
    (void)fixture_skeleton(&f, 2);
    (void)fixture_part(&f, "Body", 3);
    f.scene.materials[0].texture = fixture_texture(&f, "a.png", "image/png", "x");
    (void)fixture_channel(&f, fixture_clip(&f, "Idle"), 1, RIFT_SCALE, 2, (float[]){0, 1},
                          (float[]){1, 1, 1, 2, 2, 2});
    f.opts.joints_only = true;
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK(glb_at(&g, "skins") == NULL);
    CHECK(glb_at(&g, "meshes") == NULL);
    CHECK(glb_at(&g, "materials") == NULL);
    CHECK(glb_at(&g, "images") == NULL);
    CHECK(glb_at(&g, "extensionsUsed") == NULL);
    CHECK_U64(glb_count(&g, "nodes"), 3);
    CHECK_U64(glb_count(&g, "animations"), 1);
    CHECK_I64((int)glb_number(&g, "animations/0/channels/0/target/node"), 2);
    glb_close(&g);
    fixture_release(&f);
}

/* A part without joints beside skinned ones gets no skin. */
static void leaves_unskinned_parts_alone(void)
{
    fixture f;
    fixture_init(&f);
    (void)fixture_skeleton(&f, 2);
    (void)fixture_part(&f, "Body", 3);
    rift_part *prop = fixture_part(&f, "Prop", 3);
    prop->joints = NULL;
    prop->weights = NULL;
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_I64((int)glb_number(&g, "nodes/3/skin"), 0);
    CHECK(glb_at(&g, "nodes/4/skin") == NULL);
    CHECK(glb_at(&g, "meshes/1/primitives/0/attributes/JOINTS_0") == NULL);
    glb_close(&g);
    fixture_release(&f);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(orders_nodes);
    RUN(mirrors_rest_transforms);
    RUN(mirrors_inverse_bind_matrices);
    RUN(keeps_original_names_in_extras);
    RUN(writes_a_rig_without_mesh);
    RUN(writes_joints_only);
    RUN(leaves_unskinned_parts_alone);
    return check_finish();
}
