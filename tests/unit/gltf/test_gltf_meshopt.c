/* compress=meshopt: what the library's decoder makes of every view, held against the same scene with compress=quantize, and
 * against the scene's own numbers where keys are filtered. */
#include <meshoptimizer.h>

#include "fixture.h"
#include "glb_read.h"

#include "base/str.h"

enum { MAX_VIEW = 4096 };

/* Two skinned parts, one of them with few vertices, two textures' worth of images, a clip with keys of every kind. */
static void scene(fixture *f)
{
    fixture_init(f);
    f->opts.numbers = RIFT_GLTF_MESHOPT;
    (void)fixture_skeleton(f, 3);
    rift_part *body = fixture_part(f, "Body", 9);
    body->index_count = 9;
    body->indices = RIFT_NEW(&f->arena, uint32_t, 9);
    for (size_t i = 0; i < 9; i++)
        body->indices[i] = (uint32_t)(i * 4 % 9);
    (void)fixture_part(f, "Sword", 3);
    f->scene.materials[0].texture = fixture_texture(f, "body.tex", "image/png", "not really a png");
    rift_clip *clip = fixture_clip(f, "Idle");
    const float times[3] = {0, 0.0333333351f, 1.7f};
    const float turns[12] = {0, 0, 0, 1, 0.6f, 0, 0, 0.8f, 0.5f, 0.5f, -0.5f, 0.5f};
    (void)fixture_channel(f, clip, 0, RIFT_TRANSLATION, 3, times,
                          (float[]){0, 90, 0, 1, 91.37f, 0, -250, 9, 0});
    (void)fixture_channel(f, clip, 0, RIFT_ROTATION, 3, times, turns);
    (void)fixture_channel(f, clip, 1, RIFT_SCALE, 1, times, (float[]){0, 1, 1.5f});
    /* The same as the first after filtering: one accessor. */
    (void)fixture_channel(f, clip, 2, RIFT_TRANSLATION, 3, times,
                          (float[]){0, 90.0001f, 0, 1, 91.37f, 0, -250, 9, 0});
}

typedef struct unpacked {
    uint8_t data[MAX_VIEW];
    size_t size, stride;
} unpacked;

static bool is(const glb *g, size_t view, const char *member, const char *word)
{
    return rift_str_eq(glb_string(g, "bufferViews/%zu/extensions/EXT_meshopt_compression/%s", view, member),
                       rift_str_c(word));
}

static double packing(const glb *g, size_t view, const char *member)
{
    return glb_number(g, "bufferViews/%zu/extensions/EXT_meshopt_compression/%s", view, member);
}

static bool unpack(unpacked *out, const glb *g, size_t view)
{
    const size_t offset = packing(g, view, "byteOffset") > 0 ? (size_t)packing(g, view, "byteOffset") : 0;
    const size_t size = (size_t)packing(g, view, "byteLength");
    const size_t count = (size_t)packing(g, view, "count");
    *out = (unpacked){.stride = (size_t)packing(g, view, "byteStride")};
    out->size = count * out->stride;
    if (!CHECK(offset + size <= g->bin.size && out->size <= MAX_VIEW))
        return false;
    const unsigned char *data = g->bin.data + offset;
    if (is(g, view, "mode", "TRIANGLES"))
        return CHECK_I64(meshopt_decodeIndexBuffer(out->data, count, out->stride, data, size), 0);
    if (!CHECK_I64(meshopt_decodeVertexBuffer(out->data, count, out->stride, data, size), 0))
        return false;
    if (is(g, view, "filter", "QUATERNION"))
        meshopt_decodeFilterQuat(out->data, count, out->stride);
    if (is(g, view, "filter", "EXPONENTIAL"))
        meshopt_decodeFilterExp(out->data, count, out->stride);
    return true;
}

static size_t view_of(const glb *g, size_t accessor)
{
    return (size_t)glb_number(g, "accessors/%zu/bufferView", accessor);
}

static size_t attribute(const glb *g, size_t mesh, const char *name)
{
    return (size_t)glb_number(g, "meshes/%zu/primitives/0/attributes/%s", mesh, name);
}

static bool open_both(fixture *f, fixture *plain, glb *g, glb *q)
{
    scene(f);
    scene(plain);
    plain->opts.numbers = RIFT_GLTF_QUANTIZE;
    return glb_open(q, fixture_write(plain)) && glb_open(g, fixture_write(f));
}

/* Buffer 0 is the file's, buffer 1 has a size and no data; all but images is packed; both extensions are required. */
static void the_document_says_what_is_packed(void)
{
    fixture f;
    fixture plain;
    glb g;
    glb q;
    if (!open_both(&f, &plain, &g, &q))
        return;
    CHECK_U64(glb_count(&g, "buffers"), 2);
    CHECK_U64(glb_count(&g, "extensionsRequired"), 2);
    CHECK_STR(glb_string(&g, "extensionsRequired/0"), RIFT_STR("EXT_meshopt_compression"));
    CHECK_STR(glb_string(&g, "extensionsRequired/1"), RIFT_STR("KHR_mesh_quantization"));
    CHECK(cJSON_IsTrue(glb_at(&g, "buffers/1/extensions/EXT_meshopt_compression/fallback")));
    CHECK(glb_at(&g, "buffers/1/uri") == NULL);
    CHECK(glb_number(&g, "buffers/0/byteLength") <= (double)g.bin.size);
    double end = 0;
    const size_t image = (size_t)glb_number(&g, "images/0/bufferView");
    for (size_t i = 0; i < glb_count(&g, "bufferViews"); i++) {
        check_row("view %zu", i);
        const double offset = glb_at(&g, "bufferViews/%zu/byteOffset", i) != NULL
                                  ? glb_number(&g, "bufferViews/%zu/byteOffset", i)
                                  : 0;
        CHECK_U64((uint64_t)glb_number(&g, "bufferViews/%zu/buffer", i), i != image);
        CHECK((glb_at(&g, "bufferViews/%zu/extensions", i) == NULL) == (i == image));
        if (i == image)
            continue;
        CHECK(offset >= end && offset < end + 4);
        end = offset + glb_number(&g, "bufferViews/%zu/byteLength", i);
        CHECK(packing(&g, i, "byteStride") * packing(&g, i, "count") ==
              glb_number(&g, "bufferViews/%zu/byteLength", i));
    }
    check_row("%s", "");
    CHECK(glb_number(&g, "buffers/1/byteLength") == end);
    CHECK_BYTES(glb_view(&g, image), ((rift_bytes){(const uint8_t *)"not really a png", 16}));
    glb_close(&g);
    glb_close(&q);
    fixture_release(&f);
    fixture_release(&plain);
}

/* Vertices, inverse binds and times are bit for bit those of the quantised file. */
static void what_is_not_keys_is_the_same(void)
{
    static const char *const names[] = {"POSITION", "NORMAL", "TEXCOORD_0", "JOINTS_0", "WEIGHTS_0"};
    fixture f;
    fixture plain;
    glb g;
    glb q;
    if (!open_both(&f, &plain, &g, &q))
        return;
    size_t views[RIFT_COUNT(names) + 2];
    for (size_t i = 0; i < RIFT_COUNT(names); i++)
        views[i] = view_of(&g, attribute(&g, 0, names[i]));
    views[RIFT_COUNT(names)] = view_of(&g, (size_t)glb_number(&g, "skins/0/inverseBindMatrices"));
    views[RIFT_COUNT(names) + 1] = view_of(&g, (size_t)glb_number(&g, "animations/0/samplers/0/input"));
    for (size_t i = 0; i < RIFT_COUNT(views); i++) {
        check_row("view %zu", views[i]);
        unpacked u;
        if (!unpack(&u, &g, views[i]))
            continue;
        CHECK(glb_at(&g, "bufferViews/%zu/extensions/EXT_meshopt_compression/filter", views[i]) == NULL);
        CHECK_BYTES(((rift_bytes){u.data, u.size}), glb_view(&q, views[i]));
        CHECK_U64(g.bin.data[(size_t)fmax(packing(&g, views[i], "byteOffset"), 0)], 0xA0);
    }
    check_row("%s", "");
    glb_close(&g);
    glb_close(&q);
    fixture_release(&f);
    fixture_release(&plain);
}

/* A triangle may begin at another corner, and keeps its turn. The two parts stand one behind the other, without a gap: 9 and
 * 3 indices of 16 bits. Mirrored: (0, 4, 8) is written (0, 8, 4). */
static void triangles_keep_their_turn(void)
{
    static const uint16_t want[4][3] = {{0, 8, 4}, {3, 2, 7}, {6, 5, 1}, {0, 2, 1}};
    fixture f;
    scene(&f);
    glb g;
    if (!glb_open(&g, fixture_write(&f)))
        return;
    const size_t body = (size_t)glb_number(&g, "meshes/0/primitives/0/indices");
    const size_t sword = (size_t)glb_number(&g, "meshes/1/primitives/0/indices");
    CHECK(glb_number(&g, "accessors/%zu/byteOffset", sword) == 18);
    unpacked u;
    if (unpack(&u, &g, view_of(&g, body))) {
        CHECK_U64(u.size, 24);
        CHECK_U64(g.bin.data[0], 0xE1); /* the version that the extension wants */
        for (size_t t = 0; t < 4; t++) {
            uint16_t got[3];
            memcpy(got, u.data + 6 * t, sizeof got);
            size_t first = 0;
            while (first < 2 && got[first] != want[t][0])
                first++;
            for (size_t k = 0; k < 3; k++) {
                check_row("triangle %zu, corner %zu", t, k);
                CHECK_U64(got[(first + k) % 3], want[t][k]);
            }
        }
        check_row("%s", "");
    }
    glb_close(&g);
    fixture_release(&f);
}

/* Rotations of 14 bits are off by less than 0.0002 in each component, and may have the other sign; a vector's components by
 * less than a 16 bit mantissa of its largest one. Zeros and ones stay. */
static void keys_are_near(void)
{
    fixture f;
    scene(&f);
    glb g;
    if (!glb_open(&g, fixture_write(&f)))
        return;
    CHECK_U64(glb_count(&g, "animations/0/samplers"), 3);
    CHECK_U64((uint64_t)glb_number(&g, "animations/0/channels/3/sampler"), 0);
    unpacked u;
    const size_t move = (size_t)glb_number(&g, "animations/0/samplers/0/output");
    const size_t turn = (size_t)glb_number(&g, "animations/0/samplers/1/output");
    const size_t scale = (size_t)glb_number(&g, "animations/0/samplers/2/output");
    CHECK(is(&g, view_of(&g, move), "filter", "EXPONENTIAL") &&
          is(&g, view_of(&g, turn), "filter", "QUATERNION"));
    if (unpack(&u, &g, view_of(&g, turn))) {
        /* the mirror turns y and z */
        static const double want[3][4] = {{0, 0, 0, 1}, {0.6, 0, 0, 0.8}, {0.5, -0.5, 0.5, 0.5}};
        for (size_t i = 0; i < 3; i++) {
            int16_t got[4];
            memcpy(got, u.data + 8 * i, sizeof got);
            double dot = 0;
            for (size_t k = 0; k < 4; k++)
                dot += got[k] * want[i][k];
            for (size_t k = 0; k < 4; k++)
                CHECK_NEAR((dot < 0 ? -1 : 1) * got[k] / 32767.0, want[i][k], 0.0002);
        }
    }
    if (unpack(&u, &g, view_of(&g, move))) {
        static const double want[12] = {0, 0.9, 0, -0.01, 0.9137, 0, 2.5, 0.09, 0, 0, 1, 1.5};
        CHECK(glb_number(&g, "accessors/%zu/byteOffset", scale) == 36);
        for (size_t i = 0; i < 12; i++) {
            float got;
            memcpy(&got, u.data + 4 * i, sizeof got);
            check_row("component %zu", i);
            CHECK_NEAR((double)got, want[i], i / 3 == 2 ? 4.0 / 32768 : 2.0 / 32768);
            CHECK(want[i] != 0 || got == 0);
            CHECK(want[i] != 1 || got == 1);
        }
        check_row("%s", "");
    }
    glb_close(&g);
    fixture_release(&f);
}

static void every_allocation_fails(void)
{
    fixture f;
    scene(&f);
    bool ok = false;
    for (uint64_t n = 1; n < 1000 && !ok; n++) {
        rift_bytes file = {0};
        rift_err err = check_err();
        rift_arena out;
        rift_arena_init(&out, (size_t)1 << 28);
        out.fail_at = n;
        check_row("allocation %llu", (unsigned long long)n);
        ok = rift_gltf_write(&file, &f.scene, &f.opts, &out, &err);
        CHECK(ok == (err.code == RIFT_OK) && ok == (file.size > 0));
        if (!ok)
            CHECK_CODE(&err, RIFT_ERR_NOMEM);
        rift_arena_release(&out);
    }
    check_row("%s", "");
    CHECK(ok);
    fixture_release(&f);
}

/* Joints alone, and nothing at all. */
static void small_files_hold(void)
{
    fixture f;
    fixture_init(&f);
    f.opts.numbers = RIFT_GLTF_MESHOPT;
    glb g;
    if (!glb_open(&g, fixture_write(&f)))
        return;
    CHECK(glb_at(&g, "buffers") == NULL && glb_at(&g, "extensionsRequired") == NULL);
    glb_close(&g);
    (void)fixture_skeleton(&f, 2);
    f.opts.joints_only = true;
    (void)fixture_channel(&f, fixture_clip(&f, "Idle"), 0, RIFT_SCALE, 1, (float[]){0}, (float[]){2, 2, 2});
    if (!glb_open(&g, fixture_write(&f)))
        return;
    CHECK_U64(glb_count(&g, "extensionsRequired"), 1);
    CHECK_U64(glb_count(&g, "buffers"), 2);
    glb_close(&g);
    fixture_release(&f);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(the_document_says_what_is_packed);
    RUN(what_is_not_keys_is_the_same);
    RUN(triangles_keep_their_turn);
    RUN(keys_are_near);
    RUN(small_files_hold);
    RUN(every_allocation_fails);
    return check_finish();
}
