/* Materials, textures, samplers, images, extension lists (G5, G29-G33). */
#include "fixture.h"
#include "glb_read.h"

static void writes_a_plain_unlit_material(void)
{
    fixture f;
    fixture_init(&f);
    (void)fixture_part(&f, "Body", 3);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_STR(glb_string(&g, "materials/0/name"), RIFT_STR("Body"));
    CHECK(glb_at(&g, "materials/0/extensions/KHR_materials_unlit") != NULL);
    CHECK(glb_number(&g, "materials/0/pbrMetallicRoughness/metallicFactor") == 0);
    CHECK(glb_at(&g, "materials/0/pbrMetallicRoughness/roughnessFactor") == NULL); /* 1 by default */
    CHECK(glb_at(&g, "materials/0/pbrMetallicRoughness/baseColorTexture") == NULL);
    CHECK(glb_at(&g, "materials/0/pbrMetallicRoughness/baseColorFactor") == NULL);
    CHECK(glb_at(&g, "materials/0/alphaMode") == NULL);
    CHECK(glb_at(&g, "materials/0/alphaCutoff") == NULL);
    CHECK(glb_at(&g, "materials/0/doubleSided") == NULL);
    CHECK_I64(cJSON_GetArraySize(glb_at(&g, "materials/0/extras/riftbake")), 0);
    CHECK(glb_at(&g, "textures") == NULL);
    CHECK(glb_at(&g, "samplers") == NULL);
    CHECK(glb_at(&g, "images") == NULL);
    CHECK_U64(glb_count(&g, "extensionsUsed"), 1);
    CHECK_STR(glb_string(&g, "extensionsUsed/0"), RIFT_STR("KHR_materials_unlit"));
    CHECK(glb_at(&g, "extensionsRequired") == NULL);
    glb_close(&g);
    fixture_release(&f);
}

static void writes_pbr_without_highlights(void)
{
    fixture f;
    fixture_init(&f);
    f.opts.pbr = true;
    (void)fixture_part(&f, "Body", 3);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK(glb_at(&g, "materials/0/extensions/KHR_materials_unlit") == NULL);
    CHECK(glb_number(&g, "materials/0/extensions/KHR_materials_specular/specularFactor") == 0);
    CHECK_U64(glb_count(&g, "extensionsUsed"), 1);
    CHECK_STR(glb_string(&g, "extensionsUsed/0"), RIFT_STR("KHR_materials_specular"));
    glb_close(&g);
    fixture_release(&f);
}

static void writes_alpha_and_sides(void)
{
    static const struct {
        rift_alpha_mode mode;
        float cutoff;
        const char *mode_text;
        double cutoff_written;
    } rows[] = {
        {RIFT_ALPHA_OPAQUE, 0.3f, "(none)", -1}, {RIFT_ALPHA_MASK, 0.5f, "MASK", -1},
        {RIFT_ALPHA_MASK, 0.3f, "MASK", 0.3},    {RIFT_ALPHA_MASK, 0, "MASK", 0},
        {RIFT_ALPHA_BLEND, 0.3f, "BLEND", -1},
    };
    fixture f;
    fixture_init(&f);
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        (void)fixture_part(&f, names[i], 3);
        f.scene.materials[i].alpha_mode = rows[i].mode;
        f.scene.materials[i].alpha_cutoff = rows[i].cutoff;
        f.scene.materials[i].double_sided = i == 2;
    }
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("material %zu", i);
        CHECK(strcmp(glb_string(&g, "materials/%zu/alphaMode", i).data, rows[i].mode_text) == 0);
        CHECK(glb_number(&g, "materials/%zu/alphaCutoff", i) == rows[i].cutoff_written);
        CHECK(cJSON_IsTrue(glb_at(&g, "materials/%zu/doubleSided", i)) == (i == 2));
    }
    glb_close(&g);
    fixture_release(&f);
}

static void shares_textures_and_samplers(void)
{
    fixture f;
    fixture_init(&f);
    static const char *const names[] = {"a", "b", "c", "d"};
    for (size_t i = 0; i < 4; i++)
        (void)fixture_part(&f, names[i], 3);
    const uint32_t unused = fixture_texture(&f, "unused.png", "image/png", "unused");
    const uint32_t skin = fixture_texture(&f, "skin.png", "image/png", "skin bytes");
    const uint32_t hair = fixture_texture(&f, "hair.png", "image/png", "hair");
    (void)unused;
    f.scene.materials[0].texture = hair;
    f.scene.materials[1].texture = skin;
    f.scene.materials[2].texture = skin; /* the same image and addressing: the same texture */
    f.scene.materials[3].texture = skin; /* clamped: another texture of the same image */
    f.scene.materials[3].wrap_u = RIFT_WRAP_CLAMP;
    f.scene.materials[3].wrap_v = RIFT_WRAP_MIRROR;
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_U64(glb_count(&g, "images"), 2);
    CHECK_U64(glb_count(&g, "textures"), 3);
    CHECK_U64(glb_count(&g, "samplers"), 2);
    CHECK_STR(glb_string(&g, "images/0/name"), RIFT_STR("hair.png"));
    CHECK_STR(glb_string(&g, "images/1/mimeType"), RIFT_STR("image/png"));
    static const int texture_of[] = {0, 1, 1, 2};
    for (size_t i = 0; i < 4; i++) {
        CHECK_I64((int)glb_number(&g, "materials/%zu/pbrMetallicRoughness/baseColorTexture/index", i),
                  texture_of[i]);
    }
    CHECK_I64((int)glb_number(&g, "textures/2/source"), 1);
    CHECK_I64((int)glb_number(&g, "textures/2/sampler"), 1);
    CHECK_I64((int)glb_number(&g, "samplers/0/magFilter"), 9729);
    CHECK_I64((int)glb_number(&g, "samplers/0/minFilter"), 9987);
    CHECK_I64((int)glb_number(&g, "samplers/0/wrapS"), 10497);
    CHECK_I64((int)glb_number(&g, "samplers/0/wrapT"), 10497);
    CHECK_I64((int)glb_number(&g, "samplers/1/wrapS"), 33071);
    CHECK_I64((int)glb_number(&g, "samplers/1/wrapT"), 33648);
    CHECK_BYTES(glb_view(&g, (size_t)glb_number(&g, "images/1/bufferView")),
                ((rift_bytes){(const uint8_t *)"skin bytes", 10}));
    glb_close(&g);
    fixture_release(&f);
}

static void writes_uv_transforms(void)
{
    fixture f;
    fixture_init(&f);
    static const char *const names[] = {"a", "b", "c", "d"};
    const uint32_t texture = fixture_texture(&f, "a.png", "image/png", "x");
    for (size_t i = 0; i < 4; i++) {
        (void)fixture_part(&f, names[i], 3);
        rift_material *m = &f.scene.materials[i];
        m->texture = texture;
        m->has_uv_transform = true;
        m->uv_scale[0] = m->uv_scale[1] = 1;
    }
    f.scene.materials[1].uv_scale[1] = 2;
    f.scene.materials[2].uv_offset[0] = 0.25f;
    f.scene.materials[3].texture = RIFT_NO_INDEX; /* nothing to transform */
    f.scene.materials[3].uv_offset[0] = 1;
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK(glb_at(&g, "materials/0/pbrMetallicRoughness/baseColorTexture/extensions") ==
          NULL); /* the identity */
#define TRANSFORM "pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform"
    CHECK(glb_number(&g, "materials/1/" TRANSFORM "/scale/0") == 1);
    CHECK(glb_number(&g, "materials/1/" TRANSFORM "/scale/1") == 2);
    CHECK(glb_at(&g, "materials/1/" TRANSFORM "/offset") == NULL);
    CHECK(glb_number(&g, "materials/2/" TRANSFORM "/offset/0") == 0.25);
    CHECK(glb_at(&g, "materials/2/" TRANSFORM "/scale") == NULL);
    CHECK_U64(glb_count(&g, "extensionsUsed"), 2);
    CHECK_STR(glb_string(&g, "extensionsUsed/1"), RIFT_STR("KHR_texture_transform"));
    CHECK(glb_at(&g, "extensionsRequired") == NULL);
    glb_close(&g);
    fixture_release(&f);
}

static void requires_what_images_need(void)
{
    static const struct {
        const char *mime, *extension;
    } rows[] = {{"image/webp", "EXT_texture_webp"}, {"image/ktx2", "KHR_texture_basisu"}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        fixture f;
        fixture_init(&f);
        (void)fixture_part(&f, "Body", 3);
        f.scene.materials[0].texture = fixture_texture(&f, "a", rows[i].mime, "x");
        glb g;
        GLB_OPEN(g, fixture_write(&f), false);
        check_row("%s", rows[i].mime);
        CHECK(glb_at(&g, "textures/0/source") == NULL);
        CHECK_I64((int)glb_number(&g, "textures/0/extensions/%s/source", rows[i].extension), 0);
        CHECK_U64(glb_count(&g, "extensionsRequired"), 1);
        CHECK(strcmp(glb_string(&g, "extensionsRequired/0").data, rows[i].extension) == 0);
        CHECK_U64(glb_count(&g, "extensionsUsed"), 2);
        glb_close(&g);
        fixture_release(&f);
    }
}

static void writes_factor_and_extras(void)
{
    fixture f;
    fixture_init(&f);
    (void)fixture_part(&f, "Body", 3);
    memcpy(f.scene.materials[0].base_color, (float[]){0.5f, 1, 0.25f, 0.75f}, 4 * sizeof(float));
    f.scene.materials[0].extras = RIFT_STR("\"texture\":\"body.tex\"");
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    static const double want[4] = {0.5, 1, 0.25, 0.75};
    for (size_t i = 0; i < 4; i++)
        CHECK(glb_number(&g, "materials/0/pbrMetallicRoughness/baseColorFactor/%zu", i) == want[i]);
    CHECK_STR(glb_string(&g, "materials/0/extras/riftbake/texture"), RIFT_STR("body.tex"));
    glb_close(&g);
    fixture_release(&f);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(writes_a_plain_unlit_material);
    RUN(writes_pbr_without_highlights);
    RUN(writes_alpha_and_sides);
    RUN(shares_textures_and_samplers);
    RUN(writes_uv_transforms);
    RUN(requires_what_images_need);
    RUN(writes_factor_and_extras);
    return check_finish();
}
