/* The file as a whole: container, document, determinism, failing memory, the golden dump, and the property of G6. */
#include <locale.h>
#include <stdlib.h>

#include "base/buf.h"
#include "fixture.h"
#include "glb_read.h"
#include "support/golden.h"

/* One of everything. */
static void full_scene(fixture *f)
{
    fixture_init(f);
    rift_skeleton *s = fixture_skeleton(f, 4);
    fixture_name_joint(s, 0, "Root");
    fixture_name_joint(s, 1, "Spine");
    fixture_name_joint(s, 2, "L_Hand");
    s->joints[2].parent = 1;
    s->joints[3] = (rift_joint){
        .name = RIFT_STR("joint_3"),
        .parent = 1,
        .elf = 0x1234,
        .rest = {{-1.5, 20.25, 3}, {0.5, -0.5, 0.5, 0.5}, {1, 1.5, 1}},
        .inverse_bind = {{0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 12.5, -30, 4, 1}},
    };
    s->joints[1].rest.t = (rift_vec3){0, 90.1, 0};
    s->joints[1].inverse_bind.m[13] = -90.1;
    rift_part *body = fixture_part(f, "Body", 4);
    body->indices = RIFT_NEW(&f->arena, uint32_t, 6);
    memcpy(body->indices, (uint32_t[]){0, 1, 2, 2, 1, 3}, 6 * sizeof(uint32_t));
    body->index_count = 6;
    body->joints[4] = 3;
    fixture_part(f, "Recall", 3)->hidden = true;
    f->opts.hidden_nodes = true;
    f->scene.materials[0].texture = fixture_texture(f, "body.tex", "image/png", "not really a png");
    f->scene.materials[0].alpha_mode = RIFT_ALPHA_MASK;
    f->scene.materials[0].alpha_cutoff = 0.3f;
    f->scene.materials[1].double_sided = true;
    f->scene.asset_extras = RIFT_STR("\"skin\":0,\"sigma\":0.01");
    const float times[3] = {0, 1.0f / 30, 2.0f / 30};
    rift_clip *idle = fixture_clip(f, "Idle1");
    idle->extras = RIFT_STR("\"clip\":\"Idle1\"");
    (void)fixture_channel(f, idle, 1, RIFT_TRANSLATION, 3, times, (float[]){0, 90, 0, 1, 91, 0, 0, 90, 0});
    (void)fixture_channel(f, idle, 1, RIFT_ROTATION, 3, times,
                          (float[]){0, 0, 0, 1, 0.6f, 0, 0, 0.8f, 0, 0.6f, 0, 0.8f});
    (void)fixture_channel(f, idle, 2, RIFT_SCALE, 1, times, (float[]){1.1f, 1, 1});
    rift_clip *run = fixture_clip(f, "Run");
    (void)fixture_channel(f, run, 1, RIFT_TRANSLATION, 3, times, (float[]){0, 90, 0, 1, 91, 0, 0, 90, 0});
}

static void writes_the_document(void)
{
    fixture f;
    full_scene(&f);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_STR(glb_string(&g, "asset/generator"), RIFT_STR("riftbake test"));
    CHECK_STR(glb_string(&g, "asset/copyright"), RIFT_STR("art: its owner"));
    CHECK_I64(cJSON_GetArraySize(glb_at(&g, "asset/extras")), 1);
    CHECK(glb_number(&g, "asset/extras/riftbake/sigma") == 0.01);
    CHECK_U64(glb_count(&g, "scenes"), 1);
    glb_close(&g);
    f.scene.asset_extras = (rift_str){0};
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_I64(cJSON_GetArraySize(glb_at(&g, "asset/extras/riftbake")), 0);
    glb_close(&g);
    fixture_release(&f);
}

static void pads_the_text_with_spaces(void)
{
    static const char *const generators[] = {"a", "ab", "abc", "abcd"};
    bool padded = false;
    for (size_t i = 0; i < RIFT_COUNT(generators); i++) {
        fixture f;
        full_scene(&f);
        f.opts.generator = (rift_str){generators[i], i + 1};
        glb g;
        GLB_OPEN(g, fixture_write(&f), false);
        size_t end = g.text.size;
        while (end > 0 && g.text.data[end - 1] == ' ')
            end--;
        CHECK(g.text.size - end <= 3);
        CHECK(end > 0 && g.text.data[end - 1] == '}');
        padded = padded || end < g.text.size;
        glb_close(&g);
        fixture_release(&f);
    }
    CHECK(padded);
}

static void writes_an_empty_scene(void)
{
    fixture f;
    fixture_init(&f);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK(!g.has_bin);
    CHECK(glb_at(&g, "buffers") == NULL);
    CHECK(glb_at(&g, "nodes") == NULL);
    glb_close(&g);
    fixture_release(&f);
}

/* An image's declared size is all that planning looks at, so files over the limit can be asked for cheaply. */
static void refuses_what_no_container_holds(void)
{
    static const size_t sizes[] = {(size_t)RIFT_GLB_MAX_SIZE + 1, (size_t)RIFT_GLB_MAX_SIZE - 1500};
    for (size_t i = 0; i < RIFT_COUNT(sizes); i++) {
        fixture f;
        full_scene(&f);
        f.scene.textures[0].data.size = sizes[i];
        rift_err err = check_err();
        rift_bytes out = {(const uint8_t *)"before", 6};
        check_row("an image of %zu bytes", sizes[i]);
        CHECK(!rift_gltf_write(&out, &f.scene, &f.opts, &f.out, &err));
        CHECK_CODE(&err, RIFT_ERR_LIMIT);
        CHECK((strstr(err.text, "binary data of") != NULL) == (i == 0)); /* told before anything is written */
        CHECK_U64(out.size, 6);
        fixture_release(&f);
    }
}

static void fails_cleanly_without_memory(void)
{
    for (int naive = 0; naive < 2; naive++) {
        fixture f;
        full_scene(&f);
        f.opts.naive = naive != 0;
        uint64_t n = 1;
        for (; n < 1000; n++) {
            check_row("allocation %llu fails", (unsigned long long)n);
            rift_arena_release(&f.out);
            f.out.fail_at = n;
            rift_err err = check_err();
            rift_bytes out = {0};
            if (rift_gltf_write(&out, &f.scene, &f.opts, &f.out, &err))
                break;
            CHECK_CODE(&err, RIFT_ERR_NOMEM);
            CHECK(out.data == NULL);
        }
        CHECK(n > 10 && n < 1000);
        fixture_release(&f);
    }
}

static void respects_the_arena_limit(void)
{
    fixture f;
    full_scene(&f);
    rift_arena_release(&f.out);
    f.out.limit = 4096;
    rift_err err = check_err();
    rift_bytes out = {0};
    CHECK(!rift_gltf_write(&out, &f.scene, &f.opts, &f.out, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    fixture_release(&f);
}

static void check_same(fixture *a, fixture *b)
{
    const rift_bytes first = fixture_write(a);
    CHECK_BYTES(fixture_write(b), first);
    CHECK(first.size > 1000);
}

static void writes_the_same_bytes_again(void)
{
    fixture a;
    fixture b;
    full_scene(&a);
    full_scene(&b);
    check_same(&a, &b);
    if (setlocale(LC_ALL, "de_DE.UTF-8") != NULL) {
        check_row("decimal comma");
        CHECK(localeconv()->decimal_point[0] == ',');
        const rift_bytes other = fixture_write(&b);
        CHECK(setlocale(LC_ALL, "C") != NULL);
        CHECK_BYTES(other, fixture_write(&a));
        check_row("%s", "");
    } else {
        printf("note: no locale with a decimal comma is installed\n");
    }
    fixture_release(&a);
    fixture_release(&b);
}

/* G9: sigma touches lengths and nothing else. */
static void scales_lengths_only(void)
{
    fixture f;
    full_scene(&f);
    glb metre;
    GLB_OPEN(metre, fixture_write(&f), false);
    fixture g;
    full_scene(&g);
    g.opts.unit_scale = 1;
    glb league;
    GLB_OPEN(league, fixture_write(&g), false);
    CHECK_U64(glb_count(&metre, "accessors"), glb_count(&league, "accessors"));
    size_t scaled = 0;
    for (size_t i = 0; i < glb_count(&metre, "accessors"); i++) {
        for (size_t e = 0; e < glb_elements(&metre, i); e++) {
            for (size_t k = 0; k < glb_components(&metre, i); k++) {
                const double m = glb_value(&metre, i, e, k);
                const double l = glb_value(&league, i, e, k);
                if (m == l)
                    continue;
                scaled++;
                CHECK_NEAR(m, 0.01 * l, 1e-6 * fabs(m));
                /* positions, the last column of a matrix, translations */
                CHECK(glb_components(&metre, i) == 3 || (glb_components(&metre, i) == 16 && k >= 12));
            }
        }
    }
    /* 6 + 4 position numbers that are not 0 in Body (4 vertices) and Recall (3), 1 + 3 of matrices, 5 of keys. */
    CHECK_U64(scaled, 9 + 6 + 4 + 4);
    glb_close(&metre);
    glb_close(&league);
    fixture_release(&f);
    fixture_release(&g);
}

/* --- G6 as a property ------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static double random_between(double low, double high)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(random_state >> 11) / 9007199254740992.0);
}

static rift_trs random_trs(void)
{
    rift_trs trs;
    trs.t = (rift_vec3){random_between(-100, 100), random_between(-100, 100), random_between(-100, 100)};
    double q[4];
    double length = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = random_between(-1, 1);
        length += q[i] * q[i];
    }
    length = sqrt(length);
    trs.r = (rift_quat){q[0] / length, q[1] / length, q[2] / length, q[3] / length};
    trs.s = (rift_vec3){random_between(0.5, 1.5), random_between(-1.5, -0.5), random_between(0.5, 1.5)};
    return trs;
}

enum { CHAIN = 6 };

static void check_mirrored(rift_vec3 got, rift_vec3 source, double size)
{
    const double within = 1e-5 * 0.01 * size;
    CHECK_NEAR(got.x, -0.01 * source.x, within);
    CHECK_NEAR(got.y, 0.01 * source.y, within);
    CHECK_NEAR(got.z, 0.01 * source.z, within);
}

static void check_chain(const glb *g, const rift_trs *locals, rift_vec3 p, size_t inverse_bind)
{
    const rift_vec3 out = {-0.01 * p.x, 0.01 * p.y, 0.01 * p.z};
    rift_mat4 world = rift_mat4_identity();
    for (size_t i = 0; i < CHAIN; i++) {
        check_row("joint %zu", i);
        world = rift_mat4_mul(world, rift_mat4_from_trs(locals[i]));
        const rift_vec3 source = rift_mat4_apply(&world, p);
        const double size = 100 * (double)(i + 1) + fabs(source.x) + fabs(source.y) + fabs(source.z);
        const rift_mat4 written = glb_world(g, i + 1);
        check_mirrored(rift_mat4_apply(&written, out), source, size);
        /* The bind matrix of this joint is its world matrix, which is as good as any other. */
        rift_mat4 bind;
        for (size_t k = 0; k < 16; k++)
            bind.m[k] = glb_value(g, inverse_bind, i, k);
        check_mirrored(rift_mat4_apply(&bind, out), source, size);
    }
    check_row("%s", "");
}

/* world_out * (sigma M p) = sigma M (world_src * p), for rest poses and inverse bind matrices. */
static void mirrors_whole_chains(void)
{
    for (random_state = 1; random_state < 20; random_state++) {
        const uint64_t seed = random_state;
        fixture f;
        fixture_init(&f);
        rift_skeleton *s = fixture_skeleton(&f, CHAIN);
        rift_trs locals[CHAIN];
        rift_mat4 world = rift_mat4_identity();
        for (size_t i = 0; i < CHAIN; i++) {
            locals[i] = random_trs();
            s->joints[i].rest = locals[i];
            world = rift_mat4_mul(world, rift_mat4_from_trs(locals[i]));
            s->joints[i].inverse_bind = world;
        }
        (void)fixture_part(&f, "Body", 3);
        glb g;
        GLB_OPEN(g, fixture_write(&f), false);
        const rift_vec3 p = {random_between(-50, 50), random_between(-50, 50), random_between(-50, 50)};
        check_chain(&g, locals, p, (size_t)glb_number(&g, "skins/0/inverseBindMatrices"));
        glb_close(&g);
        fixture_release(&f);
        random_state = seed;
    }
}

/* The same for keys: a joint posed by its three channels. */
static void mirrors_animated_poses(void)
{
    for (random_state = 100; random_state < 120; random_state++) {
        const uint64_t seed = random_state;
        fixture f;
        fixture_init(&f);
        (void)fixture_skeleton(&f, 1);
        (void)fixture_part(&f, "Body", 3);
        const rift_trs pose = random_trs();
        const float zero = 0;
        rift_clip *clip = fixture_clip(&f, "Pose");
        (void)fixture_channel(&f, clip, 0, RIFT_TRANSLATION, 1, &zero,
                              (float[]){(float)pose.t.x, (float)pose.t.y, (float)pose.t.z});
        (void)fixture_channel(&f, clip, 0, RIFT_ROTATION, 1, &zero,
                              (float[]){(float)pose.r.x, (float)pose.r.y, (float)pose.r.z, (float)pose.r.w});
        (void)fixture_channel(&f, clip, 0, RIFT_SCALE, 1, &zero,
                              (float[]){(float)pose.s.x, (float)pose.s.y, (float)pose.s.z});
        glb g;
        GLB_OPEN(g, fixture_write(&f), false);
        double v[3][4];
        for (size_t c = 0; c < 3; c++) {
            for (size_t k = 0; k < 4; k++) {
                v[c][k] =
                    k < 3 || c == 1
                        ? glb_value(&g, (size_t)glb_number(&g, "animations/0/samplers/%zu/output", c), 0, k)
                        : 0;
            }
        }
        const rift_mat4 written = rift_mat4_from_trs((rift_trs){
            {v[0][0], v[0][1], v[0][2]}, {v[1][0], v[1][1], v[1][2], v[1][3]}, {v[2][0], v[2][1], v[2][2]}});
        const rift_mat4 source = rift_mat4_from_trs(pose);
        const rift_vec3 p = {10, -20, 30};
        check_mirrored(rift_mat4_apply(&written, (rift_vec3){-0.1, -0.2, 0.3}), rift_mat4_apply(&source, p),
                       200);
        glb_close(&g);
        fixture_release(&f);
        random_state = seed;
    }
}

/* --- golden ------------------------------------------------------------------------------------------------------ */

static void dump_accessor(rift_buf *b, const glb *g, size_t index)
{
    rift_buf_printf(b, "accessor %zu: %s x %zu of type %d, view %d\n", index,
                    glb_string(g, "accessors/%zu/type", index).data, glb_elements(g, index),
                    (int)glb_number(g, "accessors/%zu/componentType", index),
                    (int)glb_number(g, "accessors/%zu/bufferView", index));
    for (size_t e = 0; e < glb_elements(g, index); e++) {
        rift_buf_printf(b, " ");
        for (size_t k = 0; k < glb_components(g, index); k++)
            rift_buf_printf(b, " %.4f", glb_value(g, index, e, k) + 0.0);
        rift_buf_printf(b, "\n");
    }
}

static void writes_the_golden_file(void)
{
    fixture f;
    full_scene(&f);
    const rift_bytes file = fixture_write(&f);
    glb g;
    GLB_OPEN(g, file, false);
    rift_buf b;
    rift_buf_init(&b, &f.arena, 1 << 20);
    char *text = cJSON_Print(g.json);
    rift_buf_printf(&b, "%s\n", text);
    cJSON_free(text);
    for (size_t i = 0; i < glb_count(&g, "accessors"); i++)
        dump_accessor(&b, &g, i);
    rift_buf_printf(&b, "%zu bytes, hash %016llx\n", file.size, golden_hash(file));
    check_golden("gltf_scene.txt", rift_buf_bytes(&b));
    glb_close(&g);
    fixture_release(&f);
}

enum { SHAPE_FULL, SHAPE_NAIVE, SHAPE_RIG, SHAPE_MESH, SHAPE_COUNT };

static void take_shape(fixture *f, int shape)
{
    f->scene.materials[0].texture = RIFT_NO_INDEX; /* its bytes are no image */
    f->opts.naive = shape == SHAPE_NAIVE;
    f->opts.pbr = shape == SHAPE_RIG;
    if (shape == SHAPE_RIG)
        f->scene.clip_count = 0;
    if (shape == SHAPE_MESH) {
        f->scene.skeleton = NULL;
        f->opts.hidden_nodes = false;
    }
}

/* For validate.sh, which names a folder. */
static void saves_files_for_the_validator(void)
{
    const char *folder = getenv("RIFT_GLB_OUT");
    for (int shape = 0; folder != NULL && shape < SHAPE_COUNT; shape++) {
        fixture f;
        full_scene(&f);
        take_shape(&f, shape);
        const rift_bytes file = fixture_write(&f);
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/shape_%d.glb", folder, shape);
        FILE *out = fopen(path, "wb");
        CHECK_FATAL(out != NULL);
        CHECK(fwrite(file.data, 1, file.size, out) == file.size);
        CHECK(fclose(out) == 0);
        fixture_release(&f);
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(writes_the_document);
    RUN(pads_the_text_with_spaces);
    RUN(writes_an_empty_scene);
    RUN(refuses_what_no_container_holds);
    RUN(fails_cleanly_without_memory);
    RUN(respects_the_arena_limit);
    RUN(writes_the_same_bytes_again);
    RUN(scales_lengths_only);
    RUN(mirrors_whole_chains);
    RUN(mirrors_animated_poses);
    RUN(writes_the_golden_file);
    RUN(saves_files_for_the_validator);
    return check_finish();
}
