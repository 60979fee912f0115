/* Small scenes to pictures, looked at pixel by pixel. Source space: x to the left of the picture, y up, z towards the eye. */
#include <float.h>
#include <stdlib.h>

#include "render/render.h"
#include "support/check.h"

enum { SIZE = 64, MAX_PARTS = 4, MAX_VERTICES = 16, MAX_INDICES = 32 };

static rift_arena arena, tmp;

/* A scene that is built part by part. */
typedef struct build {
    rift_scene scene;
    rift_part parts[MAX_PARTS];
    rift_material materials[MAX_PARTS];
    rift_texture textures[MAX_PARTS];
    float positions[MAX_PARTS][MAX_VERTICES * 3];
    float uvs[MAX_PARTS][MAX_VERTICES * 2];
    uint32_t indices[MAX_PARTS][MAX_INDICES];
} build;

static void begin(build *b)
{
    memset(b, 0, sizeof *b);
    b->scene = (rift_scene){.parts = b->parts, .materials = b->materials, .textures = b->textures};
    rift_arena_release(&arena);
    rift_arena_release(&tmp);
    rift_arena_init(&arena, 64 << 20);
    rift_arena_init(&tmp, 64 << 20);
}

/* A part of one colour, opaque and double-sided. */
static rift_part *add_part(build *b, float red, float green, float blue)
{
    const size_t i = b->scene.part_count++;
    b->scene.material_count++;
    b->materials[i] =
        (rift_material){.texture = RIFT_NO_INDEX, .double_sided = true, .base_color = {red, green, blue, 1}};
    b->parts[i] = (rift_part){
        .material = (uint32_t)i, .indices = b->indices[i], .positions = b->positions[i], .uvs = b->uvs[i]};
    return &b->parts[i];
}

static uint32_t add_vertex(rift_part *part, float x, float y, float z, float u, float v)
{
    const uint32_t i = (uint32_t)part->vertex_count++;
    const float p[3] = {x, y, z};
    memcpy(part->positions + (size_t)3 * i, p, sizeof p);
    part->uvs[2 * i] = u;
    part->uvs[2 * i + 1] = v;
    return i;
}

static void add_triangle(rift_part *part, uint32_t a, uint32_t b, uint32_t c)
{
    part->indices[part->index_count++] = a;
    part->indices[part->index_count++] = b;
    part->indices[part->index_count++] = c;
}

/* Faces the eye; u runs along the picture, v down it. */
static void add_square(rift_part *part, float left, float bottom, float right, float top, float z)
{
    const uint32_t a = add_vertex(part, -left, bottom, z, 0, 1);
    const uint32_t b = add_vertex(part, -left, top, z, 0, 0);
    const uint32_t c = add_vertex(part, -right, top, z, 1, 0);
    const uint32_t d = add_vertex(part, -right, bottom, z, 1, 1);
    add_triangle(part, a, d, c);
    add_triangle(part, a, c, b);
}

static bool draw(const build *b, int turn, rift_pixels *out)
{
    rift_err err = check_err();
    const rift_view view = {.size = SIZE, .turn = turn};
    return CHECK_OK(rift_render(out, &b->scene, &view, &arena, &tmp, &err), &err);
}

static const uint8_t *pixel(const rift_pixels *p, size_t x, size_t y)
{
    return p->rgba + 4 * (y * p->width + x);
}

static void
check_pixel(const rift_pixels *p, size_t x, size_t y, unsigned r, unsigned g, unsigned b, unsigned a)
{
    const uint8_t *c = pixel(p, x, y);
    if (c[0] == r && c[1] == g && c[2] == b && c[3] == a) {
        CHECK(true);
        return;
    }
    check_row("pixel %zu %zu is %u %u %u %u", x, y, c[0], c[1], c[2], c[3]);
    CHECK_U64(c[0], r);
    CHECK_U64(c[1], g);
    CHECK_U64(c[2], b);
    CHECK_U64(c[3], a);
}

/* First and last row and column with anything. */
typedef struct extent {
    size_t left, right, top, bottom;
    bool any;
} extent;

static extent extent_of(const rift_pixels *p)
{
    extent e = {SIZE, 0, SIZE, 0, false};
    for (size_t y = 0; y < p->height; y++) {
        for (size_t x = 0; x < p->width; x++) {
            if (pixel(p, x, y)[3] == 0)
                continue;
            e.any = true;
            e.left = x < e.left ? x : e.left;
            e.right = x > e.right ? x : e.right;
            e.top = y < e.top ? y : e.top;
            e.bottom = y > e.bottom ? y : e.bottom;
        }
    }
    return e;
}

/* ---- framing ---- */

/* 64 pixels less a margin of 2 on each side, wherever the square lies and however large it is. */
static void frames_a_square(void)
{
    static const struct {
        float x, y, z, half;
    } rows[] = {{0, 0, 0, 1}, {500, -30, 7, 100}, {0, 0, 1e6f, 1e3f}, {-3e36f, 2e36f, 1e36f, 1e36f}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        build b;
        rift_pixels p;
        begin(&b);
        const float half = rows[i].half;
        add_square(add_part(&b, 1, 1, 1), rows[i].x - half, rows[i].y - half, rows[i].x + half,
                   rows[i].y + half, rows[i].z);
        check_row("row %zu", i);
        if (!draw(&b, 0, &p))
            continue;
        const extent e = extent_of(&p);
        CHECK_U64(e.left, 2);
        CHECK_U64(e.right, 61);
        CHECK_U64(e.top, 2);
        CHECK_U64(e.bottom, 61);
        check_pixel(&p, 2, 2, 255, 255, 255, 255);
        check_pixel(&p, 61, 61, 255, 255, 255, 255);
        check_pixel(&p, 1, 30, 0, 0, 0, 0);
    }
}

/* Twice as high as wide: half the width, in the middle. */
static void frames_in_the_middle(void)
{
    build b;
    rift_pixels p;
    begin(&b);
    add_square(add_part(&b, 1, 1, 1), 10, 0, 20, 20, 3);
    if (!draw(&b, 0, &p))
        return;
    const extent e = extent_of(&p);
    CHECK_U64(e.top, 2);
    CHECK_U64(e.bottom, 61);
    CHECK_U64(e.left, 17);
    CHECK_U64(e.right, 46);
}

/* Hidden parts and vertices of no triangle count for nothing. */
static void frames_what_is_seen(void)
{
    build b;
    rift_pixels p;
    begin(&b);
    rift_part *part = add_part(&b, 1, 1, 1);
    add_square(part, -1, -1, 1, 1, 0);
    (void)add_vertex(part, 1e6f, 1e6f, 1e6f, 0, 0);
    rift_part *hidden = add_part(&b, 1, 0, 0);
    add_square(hidden, -9, -9, 9, 9, 9);
    hidden->hidden = true;
    if (!draw(&b, 0, &p))
        return;
    CHECK_U64(extent_of(&p).left, 2);
    CHECK_U64(extent_of(&p).bottom, 61);
    check_pixel(&p, 32, 32, 255, 255, 255, 255);
}

/* Two squares, the one behind twice as wide and twice as far: at a distance of d and 2 d they look alike. The eye stands where the nearer one, 2 wide, fills 15/16 of the
 * view: 1 / (tan 15 * 15/16) = 3.981 away. */
static void is_in_perspective(void)
{
    build b;
    rift_pixels p;
    begin(&b);
    add_square(add_part(&b, 0, 0, 1), -2, -2, 2, 2, -3.981f);
    add_square(add_part(&b, 1, 0, 0), -1, -1, 1, 0, 0);
    if (!draw(&b, 0, &p))
        return;
    check_pixel(&p, 10, 10, 0, 0, 255, 255);
    check_pixel(&p, 10, 50, 255, 0, 0, 255);
    check_pixel(&p, 60, 20, 0, 0, 255, 255);
    check_pixel(&p, 60, 50, 255, 0, 0, 255);
    CHECK_U64(extent_of(&p).left, 2);
    CHECK_U64(extent_of(&p).right, 61);
}

/* ---- sides ---- */

/* Two squares, red towards the skin's left (source -x … the picture's right) and nearer than the blue one. */
static void turns_as_gltf_does(void)
{
    static const struct {
        int turn;
        bool red_right, swapped;
    } rows[] = {{0, true, false}, {180, false, true}, {-180, false, true}, {360, true, false}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        build b;
        rift_pixels p;
        begin(&b);
        add_square(add_part(&b, 1, 0, 0), 1, -1, 3, 1, 0);
        add_square(add_part(&b, 0, 0, 1), -3, -1, -1, 1, 0);
        check_row("turn %d", rows[i].turn);
        if (!draw(&b, rows[i].turn, &p))
            continue;
        CHECK_U64(pixel(&p, 56, 32)[0], rows[i].red_right ? 255 : 0);
        CHECK_U64(pixel(&p, 8, 32)[0], rows[i].red_right ? 0 : 255);
    }
}

/* A quarter turn about +y brings +z to +x: what was in front is on the right, and the left side is in sight no more. */
static void a_quarter_turn(void)
{
    build b;
    rift_pixels p;
    begin(&b);
    rift_part *front = add_part(&b, 1, 0, 0); /* at z 2 … 3 */
    add_triangle(front, add_vertex(front, 0, -1, 2, 0, 0), add_vertex(front, 0, 1, 2, 0, 0),
                 add_vertex(front, 0, 0, 3, 0, 0));
    rift_part *back = add_part(&b, 0, 0, 1); /* at z -3 … -2 */
    add_triangle(back, add_vertex(back, 0, -1, -2, 0, 0), add_vertex(back, 0, 1, -2, 0, 0),
                 add_vertex(back, 0, 0, -3, 0, 0));
    if (!draw(&b, 90, &p))
        return;
    CHECK_U64(pixel(&p, 55, 32)[0], 255);
    CHECK_U64(pixel(&p, 8, 32)[2], 255);
    if (draw(&b, -90, &p)) {
        CHECK_U64(pixel(&p, 55, 32)[2], 255);
        CHECK_U64(pixel(&p, 8, 32)[0], 255);
    }
}

/* G7: source order a b c whose (b-a) x (c-a) points at the eye is a front side. */
static void culls_by_the_source_winding(void)
{
    for (int sides = 1; sides <= 2; sides++) {
        for (int turn = 0; turn <= 180; turn += 180) {
            build b;
            rift_pixels p;
            begin(&b);
            rift_part *part = add_part(&b, 1, 1, 1);
            b.materials[0].double_sided = sides == 2;
            add_triangle(part, add_vertex(part, 0, 0, 0, 0, 0), add_vertex(part, 1, 0, 0, 0, 0),
                         add_vertex(part, 0, 1, 0, 0, 0));
            check_row("%d sides, turned %d", sides, turn);
            if (!draw(&b, turn, &p))
                continue;
            CHECK(extent_of(&p).any == (sides == 2 || turn == 0));
            /* The right angle, at x = 0, is on the right: the picture is mirrored as the GLB is. */
            CHECK_U64(pixel(&p, turn == 0 ? 58 : 5, 58)[3], extent_of(&p).any ? 255 : 0);
            CHECK_U64(pixel(&p, turn == 0 ? 5 : 58, 5)[3], 0);
        }
    }
}

/* ---- colours ---- */

/* Red, green / blue, white, by rows from the top; one texel for 30 pixels. */
static void shows_a_texture_upright(void)
{
    static uint8_t texels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
    build b;
    rift_pixels p;
    begin(&b);
    add_square(add_part(&b, 1, 1, 1), -1, -1, 1, 1, 0);
    b.textures[b.scene.texture_count++] = (rift_texture){.rgba = texels, .width = 2, .height = 2};
    b.materials[0].texture = 0;
    b.materials[0].wrap_u = b.materials[0].wrap_v = RIFT_WRAP_CLAMP;
    if (!draw(&b, 0, &p))
        return;
    check_pixel(&p, 4, 4, 255, 0, 0, 255);
    check_pixel(&p, 58, 4, 0, 255, 0, 255);
    check_pixel(&p, 4, 58, 0, 0, 255, 255);
    check_pixel(&p, 58, 58, 255, 255, 255, 255);
    /* KHR_texture_transform: half the size, from the middle on; the upper left corner of the square is where the
     * four texels meet (middle of all), its lower right the white one's far corner. */
    b.materials[0].has_uv_transform = true;
    for (size_t k = 0; k < 2; k++) {
        b.materials[0].uv_scale[k] = 0.5f;
        b.materials[0].uv_offset[k] = 0.5f;
    }
    if (!draw(&b, 0, &p))
        return;
    check_pixel(&p, 58, 58, 255, 255, 255, 255);
    CHECK_NEAR(pixel(&p, 2, 2)[0], 128, 3);
    CHECK_NEAR(pixel(&p, 2, 2)[1], 128, 3);
}

/* Half a pixel of white before black is half the light: byte 188. A square of 60 pixels is split at 30.5. */
static void averages_in_linear_light(void)
{
    build b;
    rift_pixels p;
    begin(&b);
    add_square(add_part(&b, 1, 1, 1), -30, -30, 0.5f, 30, 0);
    add_square(add_part(&b, 0, 0, 0), 0.5f, -30, 30, 30, 0);
    if (!draw(&b, 0, &p))
        return;
    check_pixel(&p, 31, 20, 255, 255, 255, 255);
    check_pixel(&p, 32, 20, 188, 188, 188, 255);
    check_pixel(&p, 33, 20, 0, 0, 0, 255);
}

/* An edge in the middle of a pixel: two samples, the colour unmixed with what is behind. */
static void edges_are_half_clear(void)
{
    build b;
    rift_pixels p;
    begin(&b);
    rift_part *part = add_part(&b, 1, 0, 0);
    add_square(part, -30, -30, 0.5f, 30, 0);
    add_square(part, 20, -30, 30, 30, 0);
    if (!draw(&b, 0, &p))
        return;
    check_pixel(&p, 32, 20, 255, 0, 0, 128);
    check_pixel(&p, 40, 20, 0, 0, 0, 0);
}

static void has_a_background(void)
{
    build b;
    rift_pixels p;
    rift_err err = check_err();
    begin(&b);
    add_square(add_part(&b, 1, 0, 0), -30, -30, 0, 30, 0);
    const rift_view view = {.size = SIZE, .background = {1, 2, 3, 255}};
    if (!CHECK_OK(rift_render(&p, &b.scene, &view, &arena, &tmp, &err), &err))
        return;
    check_pixel(&p, 0, 0, 1, 2, 3, 255);
    check_pixel(&p, 20, 32, 255, 0, 0, 255);
}

/* The blended square stands before the opaque one in the scene, and the nearer blended one before the farther. */
static void blends_last_and_from_far_to_near(void)
{
    build b;
    rift_pixels p;
    begin(&b);
    add_square(add_part(&b, 1, 0, 0), -1, -1, 1, 1, 0.2f);
    add_square(add_part(&b, 0, 1, 0), -1, -1, 1, 1, 0.1f);
    add_square(add_part(&b, 0, 0, 1), -1, -1, 1, 1, 0);
    for (size_t i = 0; i < 2; i++) {
        b.materials[i].alpha_mode = RIFT_ALPHA_BLEND;
        b.materials[i].base_color[3] = 0.4f; /* 102 of 255 */
    }
    if (!draw(&b, 0, &p))
        return;
    /* Green over blue: 102 of 255, 153 of 255. Red over both: 102; 102 * 0.6 = 61; 153 * 0.6 = 92. */
    check_pixel(&p, 32, 32, 102, 61, 92, 255);
}

/* ---- what cannot be drawn ---- */

static void nothing_is_the_background(void)
{
    build b;
    rift_pixels p;
    begin(&b);
    check_row("no part");
    if (draw(&b, 0, &p))
        CHECK(!extent_of(&p).any);
    check_row("a part without triangles");
    (void)add_part(&b, 1, 1, 1);
    if (draw(&b, 0, &p))
        CHECK(!extent_of(&p).any);
    check_row("a point, a line towards the eye, a flat triangle");
    rift_part *part = add_part(&b, 1, 1, 1);
    const uint32_t at = add_vertex(part, 1, 2, 3, 0, 0);
    add_triangle(part, at, at, at);
    if (draw(&b, 0, &p))
        CHECK(!extent_of(&p).any);
    add_triangle(part, at, add_vertex(part, 1, 2, 9, 0, 0), at);
    if (draw(&b, 0, &p))
        CHECK(!extent_of(&p).any);
    add_triangle(part, at, add_vertex(part, 1, 5, 3, 0, 0), add_vertex(part, 1, 9, 3, 0, 0));
    if (draw(&b, 0, &p))
        CHECK(!extent_of(&p).any);
}

/* Each number of a good square made bad in turn: the other triangle may still be drawn, and there is no crash. */
static void bad_numbers(void)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, FLT_MIN, 1e-45f, 1e20f};
    static uint8_t texels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
    for (size_t i = 0; i < RIFT_COUNT(bad); i++) {
        for (size_t at = 0; at < 20 + 8; at++) {
            build b;
            rift_pixels p;
            begin(&b);
            add_square(add_part(&b, 1, 1, 1), -1, -1, 1, 1, 0);
            b.textures[b.scene.texture_count++] = (rift_texture){.rgba = texels, .width = 2, .height = 2};
            b.materials[0].texture = 0;
            b.materials[0].wrap_u = (rift_wrap)(at % 3);
            b.materials[0].alpha_mode = (rift_alpha_mode)(i % 3);
            b.materials[0].has_uv_transform = true;
            b.materials[0].uv_scale[0] = b.materials[0].uv_scale[1] = 1;
            if (at < 12) {
                b.positions[0][at] = bad[i];
            } else if (at < 20) {
                b.uvs[0][at - 12] = bad[i];
            } else if (at < 24) {
                b.materials[0].base_color[at - 20] = bad[i];
            } else if (at < 26) {
                b.materials[0].uv_scale[at - 24] = bad[i];
            } else if (at == 26) {
                b.materials[0].alpha_cutoff = bad[i];
            } else {
                b.materials[0].uv_offset[0] = bad[i];
            }
            check_row("%g at %zu", (double)bad[i], at);
            if (draw(&b, (int)at * 7, &p))
                CHECK_U64(p.width, SIZE);
            /* Corner a (index 0) is in both triangles. */
            if (at < 3 && !isfinite(bad[i]))
                CHECK(!extent_of(&p).any);
            if (at >= 3 && at < 6 && !isfinite(bad[i]))
                CHECK(extent_of(&p).any);
        }
    }
}

static void sizes_have_limits(void)
{
    static const uint32_t refused[] = {0, 15, 1025, UINT32_MAX};
    build b;
    begin(&b);
    add_square(add_part(&b, 1, 1, 1), -1, -1, 1, 1, 0);
    for (size_t i = 0; i < RIFT_COUNT(refused); i++) {
        rift_err err = check_err();
        rift_pixels p = {.width = 7};
        const rift_view view = {.size = refused[i]};
        check_row("%u", refused[i]);
        CHECK(!rift_render(&p, &b.scene, &view, &arena, &tmp, &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK_U64(p.width, 7);
    }
    static const uint32_t taken[] = {16, 17, 1024};
    for (size_t i = 0; i < RIFT_COUNT(taken); i++) {
        rift_err err = check_err();
        rift_pixels p = {0};
        const rift_view view = {.size = taken[i]};
        check_row("%u", taken[i]);
        CHECK_OK(rift_render(&p, &b.scene, &view, &arena, &tmp, &err), &err);
        CHECK_U64(p.width, taken[i]);
        CHECK_U64(p.height, taken[i]);
        CHECK_U64(tmp.used, 0);
    }
}

static void an_encoded_texture_is_a_bug(void)
{
    build b;
    rift_pixels p;
    rift_err err = check_err();
    begin(&b);
    add_square(add_part(&b, 1, 1, 1), -1, -1, 1, 1, 0);
    b.textures[b.scene.texture_count++] =
        (rift_texture){.mime = "image/png", .data = {(const uint8_t *)"x", 1}, .width = 1, .height = 1};
    b.materials[0].texture = 0;
    const rift_view view = {.size = SIZE};
    CHECK(!rift_render(&p, &b.scene, &view, &arena, &tmp, &err));
    CHECK_CODE(&err, RIFT_ERR_INTERNAL);
}

static bool draw_with(rift_bytes in, rift_arena *scratch, rift_err *err)
{
    (void)in;
    static uint8_t texels[64 * 64 * 4];
    build b;
    rift_pixels p;
    begin(&b);
    add_square(add_part(&b, 1, 1, 1), -1, -1, 1, 1, 0);
    add_square(add_part(&b, 1, 1, 1), -1, -1, 1, 1, 1);
    b.materials[1].alpha_mode = RIFT_ALPHA_BLEND;
    b.textures[b.scene.texture_count++] = (rift_texture){.rgba = texels, .width = 64, .height = 64};
    b.materials[0].texture = 0;
    b.materials[0].has_uv_transform = true;
    b.materials[0].uv_scale[0] = b.materials[0].uv_scale[1] = 40; /* smaller levels are made too */
    const rift_view view = {.size = 16};
    return rift_render(&p, &b.scene, &view, scratch, scratch, err);
}

/* Samples, depth, paints, list of parts, mips, two parts' vertices, levels, list of blended triangles, picture. */
static void every_allocation_may_fail(void)
{
    check_allocations(draw_with, (rift_bytes){(const uint8_t *)"", 0});
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(frames_a_square);
    RUN(frames_in_the_middle);
    RUN(frames_what_is_seen);
    RUN(is_in_perspective);
    RUN(turns_as_gltf_does);
    RUN(a_quarter_turn);
    RUN(culls_by_the_source_winding);
    RUN(shows_a_texture_upright);
    RUN(averages_in_linear_light);
    RUN(edges_are_half_clear);
    RUN(has_a_background);
    RUN(blends_last_and_from_far_to_near);
    RUN(nothing_is_the_background);
    RUN(bad_numbers);
    RUN(sizes_have_limits);
    RUN(an_encoded_texture_is_a_bug);
    RUN(every_allocation_may_fail);
    rift_arena_release(&arena);
    rift_arena_release(&tmp);
    return check_finish();
}
