/* Animations: what is shared, how each component is converted, what is not written (G6, G36-G43, G45). */
#include "fixture.h"
#include "glb_read.h"

static size_t input_of(const glb *g, size_t animation, size_t channel)
{
    const size_t sampler = (size_t)glb_number(g, "animations/%zu/channels/%zu/sampler", animation, channel);
    return (size_t)glb_number(g, "animations/%zu/samplers/%zu/input", animation, sampler);
}

static size_t output_of(const glb *g, size_t animation, size_t channel)
{
    const size_t sampler = (size_t)glb_number(g, "animations/%zu/channels/%zu/sampler", animation, channel);
    return (size_t)glb_number(g, "animations/%zu/samplers/%zu/output", animation, sampler);
}

static void check_values(const glb *g, size_t accessor, const float *want, size_t count)
{
    const size_t components = glb_components(g, accessor);
    CHECK_U64(glb_elements(g, accessor) * components, count);
    for (size_t i = 0; i < count; i++) {
        check_row("accessor %zu, value %zu", accessor, i);
        CHECK(glb_value(g, accessor, i / components, i % components) == (double)want[i]);
    }
    check_row("%s", "");
}

static void begin(fixture *f, size_t joints)
{
    fixture_init(f);
    (void)fixture_skeleton(f, joints);
    (void)fixture_part(f, "Body", 3);
}

static void converts_each_component(void)
{
    fixture f;
    begin(&f, 3);
    rift_clip *clip = fixture_clip(&f, "Idle");
    const float times[3] = {0, 0.5f, 1.25f};
    (void)fixture_channel(&f, clip, 1, RIFT_TRANSLATION, 3, times, (float[]){1, 2, 3, -4, 5, 6, 0, 0, 100});
    (void)fixture_channel(&f, clip, 1, RIFT_ROTATION, 3, times,
                          (float[]){0, 0, 0, 1, 0.5f, 0.5f, 0.5f, 0.5f, 0.6f, 0, -0.8f, 0});
    (void)fixture_channel(&f, clip, 2, RIFT_SCALE, 3, times, (float[]){1, 1, 1, -2, 0, 0.5f, 3, 3, 3});
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_U64(glb_count(&g, "animations"), 1);
    CHECK_STR(glb_string(&g, "animations/0/name"), RIFT_STR("Idle"));
    CHECK_U64(glb_count(&g, "animations/0/channels"), 3);
    check_values(&g, output_of(&g, 0, 0), (float[]){-0.01f, 0.02f, 0.03f, 0.04f, 0.05f, 0.06f, 0, 0, 1}, 9);
    check_values(&g, output_of(&g, 0, 1), (float[]){0, 0, 0, 1, 0.5f, -0.5f, -0.5f, 0.5f, 0.6f, 0, 0.8f, 0},
                 12);
    check_values(&g, output_of(&g, 0, 2), (float[]){1, 1, 1, -2, 0, 0.5f, 3, 3, 3}, 9);
    static const char *const paths[] = {"translation", "rotation", "scale"};
    static const int nodes[] = {2, 2, 3};
    for (size_t i = 0; i < 3; i++) {
        CHECK(strcmp(glb_string(&g, "animations/0/channels/%zu/target/path", i).data, paths[i]) == 0);
        CHECK_I64((int)glb_number(&g, "animations/0/channels/%zu/target/node", i), nodes[i]);
        CHECK_U64(input_of(&g, 0, i), input_of(&g, 0, 0)); /* equal times, one accessor */
    }
    check_values(&g, input_of(&g, 0, 0), times, 3); /* seconds, which sigma does not touch */
    CHECK(glb_number(&g, "accessors/%zu/min/0", input_of(&g, 0, 0)) == 0);
    CHECK(glb_number(&g, "accessors/%zu/max/0", input_of(&g, 0, 0)) == 1.25);
    CHECK(glb_at(&g, "animations/0/samplers/0/interpolation") == NULL); /* LINEAR is the default */
    CHECK(glb_at(&g, "accessors/%zu/min", output_of(&g, 0, 0)) == NULL);
    glb_close(&g);
    fixture_release(&f);
}

static void mirrors_spline_tangents(void)
{
    fixture f;
    begin(&f, 2);
    rift_clip *clip = fixture_clip(&f, "Spline");
    /* in-tangent, value, out-tangent of two keys */
    const float t[18] = {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6};
    const float r[24] = {0, 0.1f, 0.2f, 0.3f, 0, 0, 0, 1, -0.5f, 0.25f, 0.5f, 0,
                         1, 2,    3,    4,    1, 0, 0, 0, 5,     6,     7,    8};
    rift_channel *translation = fixture_channel(&f, clip, 0, RIFT_TRANSLATION, 2, (float[]){0, 1}, t);
    translation->values = t;
    translation->interpolation = RIFT_CUBICSPLINE;
    rift_channel *rotation = fixture_channel(&f, clip, 0, RIFT_ROTATION, 2, (float[]){0, 1}, r);
    rotation->values = r;
    rotation->interpolation = RIFT_CUBICSPLINE;
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_STR(glb_string(&g, "animations/0/samplers/0/interpolation"), RIFT_STR("CUBICSPLINE"));
    check_values(&g, output_of(&g, 0, 0),
                 (float[]){-0.01f, 0.01f, 0.01f, -0.02f, 0.02f, 0.02f, -0.03f, 0.03f, 0.03f, -0.04f, 0.04f,
                           0.04f, -0.05f, 0.05f, 0.05f, -0.06f, 0.06f, 0.06f},
                 18);
    check_values(&g, output_of(&g, 0, 1),
                 (float[]){0, -0.1f, -0.2f, 0.3f, 0, 0, 0, 1, -0.5f, -0.25f, -0.5f, 0,
                           1, -2,    -3,    4,    1, 0, 0, 0, 5,     -6,     -7,    8},
                 24);
    glb_close(&g);
    fixture_release(&f);
}

/* Three clips; the numbers of accessors and samplers are counted by hand below. */
static void sharing_scene(fixture *f)
{
    begin(f, 4);
    const float times[2] = {0, 1};
    const float later[2] = {0, 2};
    const float up[6] = {0, 1, 0, 0, 2, 0};
    const float turn[8] = {0, 0, 0, 1, 0, 1, 0, 0};
    rift_clip *a = fixture_clip(f, "A");
    (void)fixture_channel(f, a, 0, RIFT_TRANSLATION, 2, times, up);
    (void)fixture_channel(f, a, 1, RIFT_TRANSLATION, 2, times, up); /* the same sampler */
    (void)fixture_channel(f, a, 2, RIFT_ROTATION, 2, times, turn);
    (void)fixture_channel(f, a, 3, RIFT_TRANSLATION, 2, later, up); /* other times, same values */
    rift_clip *b = fixture_clip(f, "B");
    (void)fixture_channel(f, b, 2, RIFT_ROTATION, 2, times, turn);  /* nothing new but a sampler */
    (void)fixture_channel(f, b, 3, RIFT_TRANSLATION, 1, times, up); /* shorter: both new */
}

static void shares_equal_data(void)
{
    fixture f;
    sharing_scene(&f);
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    /* times: {0,1}, {0,2}, {0}; values: up, turn, the first key of up. The mesh has 6 accessors and the skin 1. */
    CHECK_U64(glb_count(&g, "accessors"), 7 + 6);
    CHECK_U64(glb_count(&g, "animations/0/channels"), 4);
    CHECK_U64(glb_count(&g, "animations/0/samplers"), 3);
    CHECK_I64((int)glb_number(&g, "animations/0/channels/1/sampler"), 0);
    CHECK_U64(glb_count(&g, "animations/1/samplers"), 2);
    CHECK_U64(output_of(&g, 0, 3), output_of(&g, 0, 0));
    CHECK(input_of(&g, 0, 3) != input_of(&g, 0, 0));
    CHECK_U64(input_of(&g, 1, 0), input_of(&g, 0, 2));
    CHECK_U64(output_of(&g, 1, 0), output_of(&g, 0, 2));
    glb_close(&g);
    fixture_release(&f);
}

static void shares_nothing_when_naive(void)
{
    fixture f;
    sharing_scene(&f);
    f.opts.naive = true;
    glb g;
    GLB_OPEN(g, fixture_write(&f), true);
    /* Six channels, each with times, values and a sampler of its own; a view for every accessor. */
    CHECK_U64(glb_count(&g, "accessors"), 7 + 12);
    CHECK_U64(glb_count(&g, "bufferViews"), 7 + 12);
    CHECK_U64(glb_count(&g, "animations/0/samplers"), 4);
    CHECK_U64(glb_count(&g, "animations/1/samplers"), 2);
    check_values(&g, output_of(&g, 0, 1), (float[]){0, 0.01f, 0, 0, 0.02f, 0}, 6);
    glb_close(&g);
    fixture_release(&f);
}

/* Equality is that of the written numbers: 1e-46 of a unit more is the same float32, a mirrored zero the same zero. */
static void shares_what_rounds_to_the_same(void)
{
    fixture f;
    begin(&f, 3);
    rift_clip *clip = fixture_clip(&f, "Idle");
    const float one[1] = {0};
    (void)fixture_channel(&f, clip, 0, RIFT_TRANSLATION, 1, one, (float[]){0, 2, 3});
    (void)fixture_channel(&f, clip, 1, RIFT_TRANSLATION, 1, one, (float[]){-0.0f, 2, 3});
    (void)fixture_channel(&f, clip, 2, RIFT_TRANSLATION, 1, one, (float[]){1e-45f, 2, 3}); /* x 0.01 is 0 */
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_U64(glb_count(&g, "animations/0/samplers"), 1);
    glb_close(&g);
    fixture_release(&f);
}

/* A scale and a translation may hold the same numbers after conversion; so may a lone key time and nothing else. */
static void shares_between_components(void)
{
    fixture f;
    begin(&f, 2);
    f.opts.unit_scale = 1;
    rift_clip *clip = fixture_clip(&f, "Idle");
    const float one[1] = {0};
    (void)fixture_channel(&f, clip, 0, RIFT_TRANSLATION, 1, one, (float[]){-1, 1, 1});
    (void)fixture_channel(&f, clip, 0, RIFT_SCALE, 1, one, (float[]){1, 1, 1});
    (void)fixture_channel(&f, clip, 1, RIFT_SCALE, 1, one, (float[]){-1, 1, 1});
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_U64(output_of(&g, 0, 0), output_of(&g, 0, 1));
    CHECK(output_of(&g, 0, 2) != output_of(&g, 0, 0)); /* equal in the source only */
    glb_close(&g);
    fixture_release(&f);
}

static void writes_an_all_constant_clip(void)
{
    fixture f;
    begin(&f, 2);
    rift_clip *clip = fixture_clip(&f, "Still");
    /* As the keys are handed over: one component carries the length with a second key (G41). */
    (void)fixture_channel(&f, clip, 0, RIFT_TRANSLATION, 2, (float[]){0, 0.75f}, (float[]){1, 2, 3, 1, 2, 3});
    (void)fixture_channel(&f, clip, 1, RIFT_SCALE, 1, (float[]){0}, (float[]){2, 2, 2});
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK(glb_number(&g, "accessors/%zu/max/0", input_of(&g, 0, 0)) == 0.75);
    CHECK(glb_number(&g, "accessors/%zu/max/0", input_of(&g, 0, 1)) == 0);
    CHECK_U64(glb_elements(&g, output_of(&g, 0, 1)), 1);
    glb_close(&g);
    fixture_release(&f);
}

static void leaves_empty_clips_out(void)
{
    fixture f;
    begin(&f, 2);
    (void)fixture_clip(&f, "Nothing");
    rift_clip *keyless = fixture_clip(&f, "Keyless");
    (void)fixture_channel(&f, keyless, 0, RIFT_SCALE, 0, (float[]){0}, (float[]){0});
    rift_clip *mixed = fixture_clip(&f, "Mixed");
    (void)fixture_channel(&f, mixed, 0, RIFT_SCALE, 0, (float[]){0}, (float[]){0});
    (void)fixture_channel(&f, mixed, 1, RIFT_SCALE, 1, (float[]){0}, (float[]){2, 1, 1});
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_U64(glb_count(&g, "animations"), 1);
    CHECK_STR(glb_string(&g, "animations/0/name"), RIFT_STR("Mixed"));
    CHECK_U64(glb_count(&g, "animations/0/channels"), 1);
    CHECK_I64((int)glb_number(&g, "animations/0/channels/0/target/node"), 2);
    f.scene.clip_count = 2;
    glb_close(&g);
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK(glb_at(&g, "animations") == NULL);
    glb_close(&g);
    fixture_release(&f);
}

static void puts_extras_under_our_key(void)
{
    fixture f;
    begin(&f, 1);
    rift_clip *clip = fixture_clip(&f, "Idle1");
    clip->extras = RIFT_STR("\"clip\":\"Idle1\",\"fps\":30,\"events\":[]");
    (void)fixture_channel(&f, clip, 0, RIFT_SCALE, 1, (float[]){0}, (float[]){2, 1, 1});
    rift_clip *bare = fixture_clip(&f, "Idle2");
    (void)fixture_channel(&f, bare, 0, RIFT_SCALE, 1, (float[]){0}, (float[]){2, 1, 1});
    glb g;
    GLB_OPEN(g, fixture_write(&f), false);
    CHECK_STR(glb_string(&g, "animations/0/extras/riftbake/clip"), RIFT_STR("Idle1"));
    CHECK(glb_number(&g, "animations/0/extras/riftbake/fps") == 30);
    CHECK_I64(cJSON_GetArraySize(glb_at(&g, "animations/0/extras")), 1);
    CHECK_I64(cJSON_GetArraySize(glb_at(&g, "animations/1/extras/riftbake")), 0);
    glb_close(&g);
    fixture_release(&f);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(converts_each_component);
    RUN(mirrors_spline_tangents);
    RUN(shares_equal_data);
    RUN(shares_nothing_when_naive);
    RUN(shares_what_rounds_to_the_same);
    RUN(shares_between_components);
    RUN(writes_an_all_constant_clip);
    RUN(leaves_empty_clips_out);
    RUN(puts_extras_under_our_key);
    return check_finish();
}
