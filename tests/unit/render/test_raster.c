/* Triangles given in subpixels (256 a pixel): which samples they cover, and what is drawn there. All values by hand. */
#include <stdlib.h>

#include "render/render_internal.h"
#include "support/check.h"

enum { SIDE = 32, PX = SUBPIXELS };

static rift_arena tmp;
static uint8_t samples[SIDE * SIDE * SAMPLES * 4];
static float depth[SIDE * SIDE * SAMPLES];
static const rift_canvas canvas = {SIDE, samples, depth};

static void clear(void)
{
    memset(samples, 0, sizeof samples);
    memset(depth, 0, sizeof depth);
    rift_arena_release(&tmp);
    rift_arena_init(&tmp, 16 << 20);
}

static rift_vertex at(int32_t x, int32_t y)
{
    return (rift_vertex){.x = x, .y = y, .finite = true, .near_by_z = 0.5};
}

static rift_paint flat(uint8_t r, uint8_t g, uint8_t b, uint8_t a, rift_alpha_mode mode)
{
    return (rift_paint){.flat = {r, g, b, a}, .mode = mode, .double_sided = true};
}

static void draw(rift_vertex a, rift_vertex b, rift_vertex c, const rift_paint *paint)
{
    rift_err err = check_err();
    const rift_vertex *corners[3] = {&a, &b, &c};
    CHECK_OK(rift_draw_triangle(&canvas, corners, paint, &tmp, &err), &err);
}

/* Sample s of a pixel, in the order of their rows: (6,2) (14,6) (2,10) (10,14) sixteenths. */
static const uint8_t *sample(size_t x, size_t y, size_t s)
{
    return samples + 4 * ((2 * y + s / 2) * 2 * SIDE + 2 * x + s % 2);
}

/* Which of the four are drawn: bit s. */
static unsigned covered(size_t x, size_t y)
{
    unsigned bits = 0;
    for (size_t s = 0; s < SAMPLES; s++)
        bits |= (sample(x, y, s)[3] != 0 ? 1u : 0) << s;
    return bits;
}

/* ---- coverage ---- */

/* Right-angled at the origin, legs of 4 pixels: a sample is inside when x + y < 4. The samples' x + y are 0.5, 1.25, 0.75 and 1.5
 * in their pixel. */
static void covers_its_samples(void)
{
    const rift_paint white = flat(255, 255, 255, 255, RIFT_ALPHA_OPAQUE);
    for (int order = 0; order < 2; order++) {
        clear();
        if (order == 0) {
            draw(at(0, 0), at(4 * PX, 0), at(0, 4 * PX), &white);
        } else {
            draw(at(0, 4 * PX), at(4 * PX, 0), at(0, 0), &white);
        }
        for (size_t y = 0; y < 6; y++) {
            for (size_t x = 0; x < 6; x++) {
                check_row("order %d, pixel %zu %zu", order, x, y);
                CHECK_U64(covered(x, y), x + y <= 2 ? 0xf : x + y == 3 ? 0x5 : 0);
            }
        }
    }
}

/* A square from the first sample of pixel (1,1) to that of pixel (3,2): both have samples on its edges. The left and the top edge
 * are in, the right and the bottom one are out. */
static void edges_belong_to_one(void)
{
    const rift_paint white = flat(255, 255, 255, 255, RIFT_ALPHA_OPAQUE);
    const int32_t left = PX + 6 * 16;
    const int32_t right = 3 * PX + 6 * 16;
    const int32_t top = PX + 2 * 16;
    const int32_t bottom = 2 * PX + 2 * 16;
    clear();
    draw(at(left, top), at(right, top), at(right, bottom), &white);
    draw(at(left, top), at(right, bottom), at(left, bottom), &white);
    CHECK_U64(covered(1, 1), 0x1 | 0x2 | 0x8); /* sample 2 lies left of the edge */
    CHECK_U64(covered(2, 1), 0xf);
    CHECK_U64(covered(3, 1), 0x4); /* sample 0 lies on the right edge */
    CHECK_U64(covered(1, 2), 0);   /* sample 0 lies on the lower edge */
    CHECK_U64(covered(2, 2), 0);
    CHECK_U64(covered(0, 1), 0);
}

static uint32_t random_u32(void)
{
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

/* A grid whose inner corners lie anywhere on sixteenths of a pixel, where samples lie too, covers every sample once: half clear
 * twice would be three quarters. */
static void shared_edges_hit_once(void)
{
    enum { CELLS = 8, CELL = SIDE * PX / CELLS };
    rift_paint half = flat(0, 0, 0, 128, RIFT_ALPHA_BLEND);
    for (int round = 0; round < 50; round++) {
        rift_vertex grid[CELLS + 1][CELLS + 1];
        clear();
        for (int32_t y = 0; y <= CELLS; y++) {
            for (int32_t x = 0; x <= CELLS; x++) {
                const bool inner = x > 0 && y > 0 && x < CELLS && y < CELLS;
                const int32_t dx = inner ? ((int32_t)(random_u32() % 40) - 20) * 16 : 0;
                const int32_t dy = inner ? ((int32_t)(random_u32() % 40) - 20) * 16 : 0;
                grid[y][x] = at(x * CELL + dx, y * CELL + dy);
            }
        }
        for (size_t y = 0; y < CELLS; y++) {
            for (size_t x = 0; x < CELLS; x++) {
                draw(grid[y][x], grid[y][x + 1], grid[y + 1][x + 1], &half);
                draw(grid[y][x], grid[y + 1][x], grid[y + 1][x + 1], &half);
            }
        }
        size_t wrong = 0;
        for (size_t i = 0; i < sizeof samples / 4; i++)
            wrong += samples[4 * i + 3] != 128;
        check_row("round %d", round);
        CHECK_U64(wrong, 0);
    }
}

/* Any triangle against the plain test of each sample: on the same side of all edges, none on an edge. */
static void spans_equal_the_plain_test(void)
{
    static const int32_t sx[SAMPLES] = {96, 224, 32, 160};
    static const int32_t sy[SAMPLES] = {32, 96, 160, 224};
    const rift_paint white = flat(255, 255, 255, 255, RIFT_ALPHA_OPAQUE);
    for (int round = 0; round < 300; round++) {
        int64_t v[3][2];
        for (int i = 0; i < 6; i++)
            v[i / 2][i % 2] = random_u32() % (SIDE * PX + 1);
        clear();
        draw(at((int32_t)v[0][0], (int32_t)v[0][1]), at((int32_t)v[1][0], (int32_t)v[1][1]),
             at((int32_t)v[2][0], (int32_t)v[2][1]), &white);
        size_t wrong = 0;
        for (size_t i = 0; i < (size_t)SIDE * SIDE * SAMPLES; i++) {
            const size_t x = i / SAMPLES % SIDE;
            const size_t y = i / SAMPLES / SIDE;
            const int64_t px = (int64_t)x * PX + sx[i % SAMPLES];
            const int64_t py = (int64_t)y * PX + sy[i % SAMPLES];
            int positive = 0;
            int negative = 0;
            for (int k = 0; k < 3; k++) {
                const int64_t *a = v[k];
                const int64_t *b = v[(k + 1) % 3];
                const int64_t side = (b[0] - a[0]) * (py - a[1]) - (b[1] - a[1]) * (px - a[0]);
                positive += side > 0;
                negative += side < 0;
            }
            const bool drawn = sample(x, y, i % SAMPLES)[3] != 0;
            if (positive + negative == 3)
                wrong += drawn != (positive == 3 || negative == 3);
        }
        check_row("round %d", round);
        CHECK_U64(wrong, 0);
    }
}

static void nothing_of_degenerate_ones(void)
{
    const rift_paint white = flat(255, 255, 255, 255, RIFT_ALPHA_OPAQUE);
    rift_vertex broken = at(SIDE * PX, 0);
    broken.finite = false;
    clear();
    draw(at(0, 0), at(SIDE * PX, SIDE * PX), at(16 * PX, 16 * PX), &white); /* a line */
    draw(at(5, 5), at(5, 5), at(5, 5), &white);
    draw(at(0, 0), broken, at(0, SIDE * PX), &white);
    for (size_t i = 0; i < sizeof samples; i++) {
        if (samples[i] != 0) {
            CHECK(false);
            return;
        }
    }
    CHECK(true);
}

static void culls_counter_clockwise_ones(void)
{
    rift_paint paint = flat(255, 255, 255, 255, RIFT_ALPHA_OPAQUE);
    paint.double_sided = false;
    clear();
    draw(at(0, 0), at(0, 8 * PX), at(8 * PX, 0), &paint);
    CHECK_U64(covered(1, 1), 0);
    draw(at(0, 0), at(8 * PX, 0), at(0, 8 * PX), &paint);
    CHECK_U64(covered(1, 1), 0xf);
}

/* ---- depth ---- */

static void draw_square(double near_by_z, const rift_paint *paint)
{
    rift_vertex v[4] = {at(0, 0), at(8 * PX, 0), at(8 * PX, 8 * PX), at(0, 8 * PX)};
    for (int i = 0; i < 4; i++)
        v[i].near_by_z = near_by_z;
    draw(v[0], v[1], v[2], paint);
    draw(v[0], v[2], v[3], paint);
}

static void the_nearer_one_stays(void)
{
    const rift_paint red = flat(255, 0, 0, 255, RIFT_ALPHA_OPAQUE);
    const rift_paint green = flat(0, 255, 0, 255, RIFT_ALPHA_OPAQUE);
    clear();
    draw_square(0.5, &red);
    draw_square(0.4, &green);
    CHECK_U64(sample(3, 3, 1)[0], 255);
    draw_square(0.5, &green); /* as near: the later one */
    CHECK_U64(sample(3, 3, 1)[0], 0);
    draw_square(1.0, &red);
    CHECK_U64(sample(3, 3, 1)[0], 255);
}

/* One leans from 1 at the left to 0.5 at the right edge of 8 pixels, the other stands at 0.75: they cross in the middle. */
static void crossing_ones_share(void)
{
    const rift_paint red = flat(255, 0, 0, 255, RIFT_ALPHA_OPAQUE);
    const rift_paint green = flat(0, 255, 0, 255, RIFT_ALPHA_OPAQUE);
    rift_vertex v[4] = {at(0, 0), at(8 * PX, 0), at(8 * PX, 8 * PX), at(0, 8 * PX)};
    v[0].near_by_z = v[3].near_by_z = 1;
    v[1].near_by_z = v[2].near_by_z = 0.5;
    clear();
    draw_square(0.75, &green);
    draw(v[0], v[1], v[2], &red);
    draw(v[0], v[2], v[3], &red);
    for (size_t x = 0; x < 8; x++) {
        check_row("pixel %zu", x);
        CHECK_U64(sample(x, 2, 0)[0], x < 4 ? 255 : 0);
        CHECK_U64(sample(x, 6, 3)[0], x < 4 ? 255 : 0);
    }
}

/* ---- alpha ---- */

static void check_sample(size_t x, size_t y, uint8_t r, uint8_t g, uint8_t b, uint8_t a)
{
    const uint8_t *c = sample(x, y, 0);
    CHECK_U64(c[0], r);
    CHECK_U64(c[1], g);
    CHECK_U64(c[2], b);
    CHECK_U64(c[3], a);
}

static void blends_over(void)
{
    const rift_paint blue = flat(0, 0, 255, 255, RIFT_ALPHA_OPAQUE);
    const rift_paint quarter = flat(255, 0, 0, 64, RIFT_ALPHA_BLEND);
    const rift_paint half_blue = flat(0, 0, 255, 128, RIFT_ALPHA_BLEND);
    const rift_paint half_red = flat(255, 0, 0, 128, RIFT_ALPHA_BLEND);
    const rift_paint clear_red = flat(255, 0, 0, 0, RIFT_ALPHA_BLEND);
    check_row("over what is opaque: 64 parts red, 191 blue");
    clear();
    draw_square(0.5, &blue);
    draw_square(0.5, &quarter);
    check_sample(1, 1, 64, 0, 191, 255);
    check_row("over nothing");
    clear();
    draw_square(0.5, &quarter);
    check_sample(1, 1, 255, 0, 0, 64);
    check_row("half over half: alpha 128 + 128 * 127/255 = 191.75; red 128/191.75, blue 63.75/191.75 of 255");
    clear();
    draw_square(0.5, &half_blue);
    draw_square(0.6, &half_red);
    check_sample(1, 1, 170, 0, 85, 192);
    check_row("nothing over nothing");
    clear();
    draw_square(0.5, &clear_red);
    check_sample(1, 1, 0, 0, 0, 0);
    check_row("no depth is written");
    clear();
    draw_square(0.9, &quarter);
    draw_square(0.5, &blue);
    check_sample(1, 1, 0, 0, 255, 255);
    check_row("behind what is opaque");
    draw_square(0.4, &half_red);
    check_sample(1, 1, 0, 0, 255, 255);
}

/* Two texels wide, 127 and 128 of 255: the cutoff of one half lies between them. */
static void mask_cuts(void)
{
    uint8_t texels[8] = {10, 20, 30, 127, 40, 50, 60, 128};
    rift_mips mips = {.levels = {{2, 1, texels}}, .count = 1};
    rift_texture texture = {.rgba = texels, .width = 2, .height = 1};
    const rift_scene scene = {.textures = &texture, .texture_count = 1};
    const rift_material m = {.alpha_mode = RIFT_ALPHA_MASK, .alpha_cutoff = 0.5f, .base_color = {1, 1, 1, 1}};
    rift_err err = check_err();
    rift_paint paint;
    CHECK_OK(rift_paint_init(&paint, &scene, &m, &mips, &err), &err);
    uint8_t c[4];
    rift_paint_at(c, &paint, &mips.levels[0], 0.25, 0.5);
    CHECK_U64(c[3], 0);
    rift_paint_at(c, &paint, &mips.levels[0], 0.75, 0.5);
    CHECK_U64(c[3], 255);
    CHECK_U64(c[0], 40);
    check_row("what is cut out hides nothing");
    const rift_paint cut = flat(255, 0, 0, 0, RIFT_ALPHA_MASK);
    const rift_paint blue = flat(0, 0, 255, 255, RIFT_ALPHA_OPAQUE);
    clear();
    draw_square(0.9, &cut);
    draw_square(0.5, &blue);
    check_sample(1, 1, 0, 0, 255, 255);
}

/* ---- textures ---- */

/* u runs from 0 at depth 1 to 1 at depth 3 over 16.75 pixels; in the middle, where sample 0 of pixel 8 lies, it is
 * (1/3) / (1 + 1/3) = 1/4, and 256 texels that hold their number show 63.5: between 63 and 64. */
static void perspective_is_correct(void)
{
    static uint8_t texels[256 * 4];
    rift_mips mips = {.levels = {{256, 1, texels}}, .count = MAX_LEVELS};
    rift_paint paint = {.mips = &mips, .wrap_u = RIFT_WRAP_CLAMP, .double_sided = true};
    for (size_t i = 0; i < 256; i++)
        texels[4 * i] = texels[4 * i + 1] = (uint8_t)i;
    for (size_t i = 1; i < MAX_LEVELS; i++)
        mips.levels[i] = mips.levels[0];
    rift_vertex v[4] = {at(0, 0), at(16 * PX + 192, 0), at(16 * PX + 192, 8 * PX), at(0, 8 * PX)};
    v[0].near_by_z = v[3].near_by_z = 1;
    v[1].near_by_z = v[2].near_by_z = 1.0 / 3;
    v[1].u = v[2].u = 1.0 / 3;
    clear();
    draw(v[0], v[1], v[2], &paint);
    draw(v[0], v[2], v[3], &paint);
    for (size_t y = 0; y < 8; y++) {
        check_row("row %zu", y);
        CHECK_NEAR(sample(8, y, 0)[0], 63.5, 0.51);
        CHECK_U64(sample(8, y, 0)[3], 255);
    }
}

static void check_wrap(const rift_pixels *level, rift_wrap wrap, double u, unsigned want)
{
    const rift_paint paint = {
        .mips = (rift_mips *)1, .wrap_u = wrap, .wrap_v = wrap, .mode = RIFT_ALPHA_OPAQUE};
    uint8_t c[4];
    rift_paint_at(c, &paint, level, u, 0.5);
    check_row("wrap %d at %g", (int)wrap, u);
    CHECK_U64(c[0], want);
    CHECK_U64(c[3], 255);
}

/* Four texels 0 40 80 200, their middles at 1/8, 3/8, 5/8 and 7/8. */
static void wraps(void)
{
    uint8_t texels[16] = {0, 0, 0, 0, 40, 0, 0, 0, 80, 0, 0, 0, 200, 0, 0, 0};
    const rift_pixels level = {4, 1, texels};
    check_wrap(&level, RIFT_WRAP_REPEAT, 0.375, 40);
    check_wrap(&level, RIFT_WRAP_REPEAT, 0.5, 60);
    check_wrap(&level, RIFT_WRAP_REPEAT, 0, 100); /* half of the first, half of the last */
    check_wrap(&level, RIFT_WRAP_REPEAT, 1, 100);
    check_wrap(&level, RIFT_WRAP_REPEAT, 3.375, 40);
    check_wrap(&level, RIFT_WRAP_REPEAT, -0.125, 200);
    check_wrap(&level, RIFT_WRAP_REPEAT, -7.625, 40);
    check_wrap(&level, RIFT_WRAP_CLAMP, 0, 0);
    check_wrap(&level, RIFT_WRAP_CLAMP, -3, 0);
    check_wrap(&level, RIFT_WRAP_CLAMP, 1, 200);
    check_wrap(&level, RIFT_WRAP_CLAMP, 2.125, 200);
    check_wrap(&level, RIFT_WRAP_CLAMP, 0.5, 60);
    check_wrap(&level, RIFT_WRAP_MIRROR, 0.375, 40);
    check_wrap(&level, RIFT_WRAP_MIRROR, 1, 200);
    check_wrap(&level, RIFT_WRAP_MIRROR, 1.125, 200);
    check_wrap(&level, RIFT_WRAP_MIRROR, 1.625, 40);
    check_wrap(&level, RIFT_WRAP_MIRROR, 2.375, 40);
    check_wrap(&level, RIFT_WRAP_MIRROR, -0.375, 40);
    check_wrap(&level, RIFT_WRAP_MIRROR, -1.375, 80);
    check_wrap(&level, RIFT_WRAP_REPEAT, (double)NAN, 100); /* counts as 0 */
    check_wrap(&level, RIFT_WRAP_MIRROR, (double)INFINITY, 0);
    check_wrap(&level, RIFT_WRAP_CLAMP, -1e300, 0);
}

static void filters_both_ways(void)
{
    uint8_t texels[16] = {0, 0, 0, 0, 100, 0, 0, 0, 200, 0, 0, 0, 40, 0, 0, 255};
    const rift_pixels level = {2, 2, texels};
    const rift_paint paint = {.mips = (rift_mips *)1,
                              .wrap_u = RIFT_WRAP_CLAMP,
                              .wrap_v = RIFT_WRAP_CLAMP,
                              .mode = RIFT_ALPHA_BLEND};
    uint8_t c[4];
    rift_paint_at(c, &paint, &level, 0.5, 0.5);
    CHECK_U64(c[0], 85);
    CHECK_U64(c[3], 64);                           /* 255 / 4 */
    rift_paint_at(c, &paint, &level, 0.375, 0.25); /* a quarter on the way from 0 to 100 */
    CHECK_U64(c[0], 25);
}

/* Factors are linear: half the light of white is 188, a fifth of 188's (half) light is 0.1, byte 89. */
static void base_colour_is_linear(void)
{
    uint8_t texels[4] = {255, 188, 0, 200};
    rift_mips mips[1] = {{.count = 0}};
    rift_texture texture = {.rgba = texels, .width = 1, .height = 1};
    const rift_scene scene = {.textures = &texture, .texture_count = 1};
    rift_material m = {.alpha_mode = RIFT_ALPHA_BLEND, .base_color = {0.5f, 0.2f, 1, 0.5f}};
    rift_err err = check_err();
    rift_paint paint;
    uint8_t c[4];
    CHECK_OK(rift_paint_init(&paint, &scene, &m, mips, &err), &err);
    rift_paint_at(c, &paint, &mips[0].levels[0], 0.5, 0.5);
    CHECK_U64(c[0], 188);
    CHECK_NEAR(c[1], 89, 1);
    CHECK_U64(c[2], 0);
    CHECK_U64(c[3], 100);
    m.texture = RIFT_NO_INDEX;
    CHECK_OK(rift_paint_init(&paint, &scene, &m, mips, &err), &err);
    rift_paint_at(c, &paint, NULL, 0, 0);
    CHECK_U64(c[0], 188);
    CHECK_U64(c[2], 255);
    CHECK_U64(c[3], 128);
}

/* A level is a quarter of the texels; 2 a sample, so 8 a pixel, are left before the next. */
static void picks_levels(void)
{
    static const struct {
        double texels;
        uint32_t side;
    } rows[] = {{0, 16},          {8, 16}, {8.1, 8}, {32, 8}, {33, 4}, {1e300, 1}, {(double)INFINITY, 1},
                {(double)NAN, 16}};
    static uint8_t texels[16 * 16 * 4];
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_mips mips = {.levels = {{16, 16, texels}}, .count = 1};
        rift_err err = check_err();
        clear();
        const rift_pixels *level = rift_mips_level(&mips, rows[i].texels, &tmp, &err);
        check_row("%g texels", rows[i].texels);
        if (CHECK(level != NULL))
            CHECK_U64(level->width, rows[i].side);
    }
}

static void turns_by_degrees(void)
{
    for (int degrees = -720; degrees <= 720; degrees++) {
        double s;
        double c;
        rift_sin_cos_degrees(degrees, &s, &c);
        const double x = degrees * 3.14159265358979323846 / 180;
        check_row("%d degrees", degrees);
        CHECK_NEAR(s, sin(x), 4e-15);
        CHECK_NEAR(c, cos(x), 4e-15);
        if (degrees % 90 == 0)
            CHECK((s == 0 || s == 1 || s == -1) && (c == 0 || c == 1 || c == -1));
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(covers_its_samples);
    RUN(edges_belong_to_one);
    RUN(shared_edges_hit_once);
    RUN(spans_equal_the_plain_test);
    RUN(nothing_of_degenerate_ones);
    RUN(culls_counter_clockwise_ones);
    RUN(the_nearer_one_stays);
    RUN(crossing_ones_share);
    RUN(blends_over);
    RUN(mask_cuts);
    RUN(perspective_is_correct);
    RUN(wraps);
    RUN(filters_both_ways);
    RUN(base_colour_is_linear);
    RUN(picks_levels);
    RUN(turns_by_degrees);
    rift_arena_release(&tmp);
    return check_finish();
}
