/* Halving by values worked out from the sRGB formula, the choice of levels, alpha counts. */
#include "support/check.h"
#include "texture/texture.h"
#include "texture/texture_internal.h"

static rift_arena arena;

static void begin(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 64 * 1024 * 1024);
}

typedef struct texel {
    uint8_t r, g, b, a;
} texel;

static const texel black = {0, 0, 0, 255};
static const texel white = {255, 255, 255, 255};

/* IEC 61966-2-1, by the formula. */
static double to_linear(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double from_linear(double v)
{
    return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

static void srgb_tables(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        check_row("byte %u", i);
        CHECK_NEAR(rift_srgb_to_linear((uint8_t)i), to_linear(i / 255.0) * 65535, 0.5001);
        CHECK_U64(rift_srgb_from_linear(rift_srgb_to_linear((uint8_t)i)), i);
    }
    uint32_t wrong = 0;
    for (uint32_t light = 0; light <= 65535; light++) {
        const double want = from_linear(light / 65535.0) * 255;
        wrong += fabs(rift_srgb_from_linear(light) - want) > 0.5 + 1e-4;
    }
    CHECK_U64(wrong, 0);
}

typedef struct halving {
    const char *name;
    uint32_t width, height;
    texel in[5];
    texel out[2];
} halving;

/* Greys: 1/2 of the light of white is sRGB 187.5, 1/4 is 137.0, 1/3 is 156.2, 1/5 is 123.6, 2/5 is 169.6, 3/4 is 224.6. */
static void halves_by_hand(void)
{
    const halving rows[] = {
        {"2x1", 2, 1, {black, white}, {{188, 188, 188, 255}}},
        {"1x2", 1, 2, {black, white}, {{188, 188, 188, 255}}},
        {"2x2", 2, 2, {black, black, white, black}, {{137, 137, 137, 255}}},
        {"1x1", 1, 1, {{1, 2, 3, 4}}, {{1, 2, 3, 4}}},
        {"3x1", 3, 1, {black, white, black}, {{156, 156, 156, 255}}},
        {"5x1, middle",
         5,
         1,
         {black, black, white, black, black},
         {{124, 124, 124, 255}, {124, 124, 124, 255}}},
        {"5x1, first", 5, 1, {white, black, black, black, black}, {{170, 170, 170, 255}, black}},
        {"1x5, last", 1, 5, {black, black, black, black, white}, {black, {170, 170, 170, 255}}},
        {"2x2, one alpha",
         2,
         2,
         {{0, 0, 0, 7}, {0, 0, 0, 7}, {255, 0, 0, 7}, {0, 0, 0, 7}},
         {{137, 0, 0, 7}}},
        /* invisible texels give no colour; alpha 127.5 goes up */
        {"alpha 0", 2, 1, {{255, 255, 255, 255}, {0, 0, 0, 0}}, {{255, 255, 255, 128}}},
        /* 255 of 340 parts are white */
        {"alpha 85", 2, 1, {{255, 255, 255, 255}, {0, 0, 0, 85}}, {{225, 225, 225, 170}}},
        /* nothing visible: the plain mean, so that a mask in alpha does not eat the colour */
        {"all 0", 2, 1, {{255, 0, 255, 0}, {0, 0, 255, 0}}, {{188, 0, 255, 0}}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        begin();
        uint8_t bytes[5 * 4];
        memcpy(bytes, rows[i].in, sizeof bytes);
        const rift_pixels in = {rows[i].width, rows[i].height, bytes};
        rift_pixels out = {0};
        rift_err err = check_err();
        if (!CHECK_OK(rift_texture_halve(&out, &in, &arena, &err), &err))
            continue;
        CHECK_U64(out.width, in.width > 1 ? in.width / 2 : 1);
        CHECK_U64(out.height, in.height > 1 ? in.height / 2 : 1);
        const size_t size = (size_t)out.width * out.height * 4;
        CHECK_BYTES(((rift_bytes){out.rgba, size}), ((rift_bytes){(const uint8_t *)rows[i].out, size}));
    }
}

/* Every byte value, in every parity of sizes: a flat picture stays as it is. */
static void flat_stays_flat(void)
{
    static const uint32_t sides[] = {1, 2, 3, 7, 8};
    for (uint32_t v = 0; v < 256; v++) {
        for (size_t i = 0; i < 25; i++) {
            const uint32_t width = sides[i % 5];
            const uint32_t height = sides[i / 5];
            check_row("%u in %u x %u", v, width, height);
            begin();
            uint8_t bytes[8 * 8 * 4];
            for (size_t k = 0; k < sizeof bytes; k++)
                bytes[k] = (uint8_t)(k % 4 == 3 ? 255 - v : (k % 4 == 1) ? 255 - v : v);
            const rift_pixels in = {width, height, bytes};
            rift_pixels out = {0};
            rift_err err = check_err();
            CHECK_OK(rift_texture_halve(&out, &in, &arena, &err), &err);
            const size_t size = (size_t)out.width * out.height * 4;
            CHECK_BYTES(((rift_bytes){out.rgba, size}), ((rift_bytes){bytes, size}));
        }
    }
}

/* Levels of single colours: the result tells where it came from. */
static void make_levels(rift_image *image, uint32_t side, size_t count)
{
    *image = (rift_image){.format = RIFT_PIXEL_RGBA8, .level_count = count};
    for (size_t k = 0; k < count; k++) {
        const uint32_t s = side >> k > 0 ? side >> k : 1;
        const size_t size = (size_t)s * s * 4;
        uint8_t *data = RIFT_NEW(&arena, uint8_t, size);
        memset(data, (int)(100 + k), size);
        image->levels[k] = (rift_image_level){s, s, {data, size}};
    }
}

static void chooses_the_level(void)
{
    static const struct {
        uint32_t side;
        size_t levels;
        uint32_t max_side, want_side;
        uint8_t from_level;
    } rows[] = {
        {16, 5, 0, 16, 0}, {16, 5, 16, 16, 0}, {16, 5, 99, 16, 0}, {16, 5, 15, 8, 1}, {16, 5, 8, 8, 1},
        {16, 5, 7, 4, 2},  {16, 5, 1, 1, 4},   {16, 2, 4, 4, 1},   {16, 1, 4, 4, 0},  {16, 1, 15, 8, 0},
        {13, 1, 6, 6, 0},  {13, 1, 5, 3, 0},   {1, 1, 1, 1, 0},    {16, 2, 1, 1, 1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("side %u, %zu levels, at most %u", rows[i].side, rows[i].levels, rows[i].max_side);
        begin();
        rift_image image;
        make_levels(&image, rows[i].side, rows[i].levels);
        rift_err err = check_err();
        rift_pixels out = {0};
        if (!CHECK_OK(rift_texture_load(&out, &image, rows[i].max_side, &arena, &err), &err))
            continue;
        CHECK_U64(out.width, rows[i].want_side);
        CHECK_U64(out.height, rows[i].want_side);
        CHECK_U64(out.rgba[0], 100 + rows[i].from_level);
    }
}

static rift_bytes as_bytes(const rift_pixels *p)
{
    return (rift_bytes){p->rgba, (size_t)p->width * p->height * 4};
}

/* The longer side counts, and loading (in place) gives what halving twice gives: odd and even sides, one alpha and many. */
static void load_equals_halving(void)
{
    static const struct {
        uint32_t width, height;
    } sizes[] = {{45, 22}, {48, 24}, {48, 1}, {3, 48}, {48, 47}};
    for (size_t i = 0; i < RIFT_COUNT(sizes) * 2; i++) {
        const uint32_t width = sizes[i / 2].width;
        const uint32_t height = sizes[i / 2].height;
        check_row("%u x %u, %s", width, height, i % 2 == 0 ? "opaque" : "many alphas");
        begin();
        const size_t size = (size_t)width * height * 4;
        uint8_t *bytes = RIFT_NEW(&arena, uint8_t, size);
        for (size_t k = 0; k < size; k++)
            bytes[k] = i % 2 == 0 && k % 4 == 3 ? 255 : (uint8_t)(k * k * 31 + k * 7 + k / 97);
        rift_image image = {.format = RIFT_PIXEL_RGBA8, .level_count = 1};
        image.levels[0] = (rift_image_level){width, height, {bytes, size}};
        rift_err err = check_err();
        rift_pixels loaded = {0};
        rift_pixels half = {0};
        rift_pixels quarter = {0};
        const rift_pixels whole = {width, height, bytes};
        CHECK_OK(rift_texture_load(&loaded, &image, 12, &arena, &err), &err);
        CHECK_OK(rift_texture_halve(&half, &whole, &arena, &err), &err);
        CHECK_OK(rift_texture_halve(&quarter, &half, &arena, &err), &err);
        CHECK_U64(loaded.width, width / 4 > 0 ? width / 4 : 1);
        CHECK_U64(loaded.height, height / 4 > 0 ? height / 4 : 1);
        CHECK_BYTES(as_bytes(&loaded), as_bytes(&quarter));
    }
}

static void alpha_counts(void)
{
    static const uint8_t alphas[] = {0, 15, 16, 100, 240, 241, 249, 250, 255, 255};
    uint8_t bytes[sizeof alphas * 4] = {0};
    for (size_t i = 0; i < sizeof alphas; i++)
        bytes[i * 4 + 3] = alphas[i];
    rift_pixels pixels = {5, 2, bytes};
    rift_alpha_stats stats = rift_texture_alpha_stats(&pixels);
    CHECK_U64(stats.low, 2);
    CHECK_U64(stats.middle, 3);
    CHECK_U64(stats.high, 2);
    CHECK_U64(stats.opaque, 3);
    CHECK(!stats.all_255);
    pixels = (rift_pixels){2, 1, bytes + 32};
    stats = rift_texture_alpha_stats(&pixels);
    CHECK_U64(stats.opaque, 2);
    CHECK(stats.all_255);
}

/* One block, or one texel of the plain formats: alpha of every kind, told without decoding where the block says it plainly. */
static void opaque_levels(void)
{
    static const struct {
        const char *name;
        rift_pixel_format format;
        uint32_t alpha_mask;
        uint8_t bytes[16];
        bool opaque;
    } rows[] = {
        {"BC1, four colours", RIFT_PIXEL_BC1, 0, {1, 0, 0, 0, 255, 255, 255, 255}, true},
        {"BC1, three colours, no clear one", RIFT_PIXEL_BC1, 0, {0, 0, 1, 0, 0xaa, 0xaa, 0xaa, 0xaa}, true},
        {"BC1, one clear", RIFT_PIXEL_BC1, 0, {0, 0, 1, 0, 0, 0, 0, 0xc0}, false},
        {"BC2", RIFT_PIXEL_BC2, 0, {255, 255, 255, 255, 255, 255, 255, 255}, true},
        {"BC2, one at 14", RIFT_PIXEL_BC2, 0, {255, 255, 255, 0xfe, 255, 255, 255, 255}, false},
        {"BC3, first value", RIFT_PIXEL_BC3, 0, {255, 0}, true},
        {"BC3, second value", RIFT_PIXEL_BC3, 0, {0, 255, 0x49, 0x92, 0x24, 0x49, 0x92, 0x24}, true},
        {"BC3, a value of 0", RIFT_PIXEL_BC3, 0, {255, 255, 6}, false},
        {"BC4", RIFT_PIXEL_BC4, 0, {7}, true},
        {"BC5", RIFT_PIXEL_BC5, 0, {7}, true},
        {"BC7, mode 1", RIFT_PIXEL_BC7, 0, {2}, true},
        {"BC7, mode 5, alpha 0", RIFT_PIXEL_BC7, 0, {32}, false},
        {"BC7, no mode", RIFT_PIXEL_BC7, 0, {0}, false},
        {"BGRA8", RIFT_PIXEL_BGRA8, 0, {0, 0, 0, 255}, true},
        {"RGBA8", RIFT_PIXEL_RGBA8, 0, {255, 255, 255, 254}, false},
        {"masked without alpha", RIFT_PIXEL_MASKED, 0, {0, 0, 0, 0}, true},
        {"masked with it", RIFT_PIXEL_MASKED, 0xff000000, {0, 0, 0, 255}, false},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        const bool plain = rows[i].format == RIFT_PIXEL_BGRA8 || rows[i].format == RIFT_PIXEL_RGBA8 ||
                           rows[i].format == RIFT_PIXEL_MASKED;
        const bool half = rows[i].format == RIFT_PIXEL_BC1 || rows[i].format == RIFT_PIXEL_BC4;
        rift_image image = {.format = rows[i].format, .bits_per_pixel = 32, .level_count = 1};
        image.masks[3] = rows[i].alpha_mask;
        image.levels[0] = (rift_image_level){.width = plain ? 1 : 4,
                                             .height = plain ? 1 : 4,
                                             .data = {rows[i].bytes, plain  ? 4
                                                                     : half ? 8
                                                                            : 16}};
        check_row("%s", rows[i].name);
        CHECK(rift_texture_is_opaque(&image, 0) == rows[i].opaque);
    }
}

static void placeholder(void)
{
    begin();
    rift_err err = check_err();
    rift_pixels p;
    CHECK_FATAL(rift_texture_placeholder(&p, &arena, &err));
    CHECK_U64(p.width, 16);
    CHECK_U64(p.height, 16);
    const uint8_t *at_4 = p.rgba + 4 * 4;
    CHECK(p.rgba[0] != at_4[0]);
    CHECK_U64(p.rgba[0], p.rgba[(4 * 16 + 4) * 4]);
    CHECK_U64(at_4[0], p.rgba[4 * 16 * 4]);
    CHECK(rift_texture_alpha_stats(&p).all_255);
    for (size_t i = 0; i < 16 * 16; i++)
        CHECK(p.rgba[4 * i] == p.rgba[4 * i + 1] && p.rgba[4 * i] == p.rgba[4 * i + 2]);
}

static void failures(void)
{
    for (size_t i = 0; i < 6; i++) {
        check_row("case %zu", i);
        begin();
        rift_image image;
        make_levels(&image, 16, 1);
        const rift_pixels in = {16, 16, RIFT_NEW(&arena, uint8_t, 16 * 16 * 4)};
        rift_pixels out = {.width = 77};
        rift_err err = check_err();
        if (i % 2 == 0)
            arena.fail_at = 1;
        else
            arena.limit = arena.used + 16;
        CHECK(!(i / 2 == 0   ? rift_texture_load(&out, &image, 8, &arena, &err)
                : i / 2 == 1 ? rift_texture_halve(&out, &in, &arena, &err)
                             : rift_texture_placeholder(&out, &arena, &err)));
        CHECK_CODE(&err, i % 2 == 0 ? RIFT_ERR_NOMEM : RIFT_ERR_LIMIT);
        CHECK_U64(out.width, 77);
    }
}

/* By the formula of IEC 61966-2-1; the table is exact to 1/65535. */
static void linear_light_of_fractions(void)
{
    static const double rows[][2] = {
        {0, 0},  {0.04, 0.04 / 12.92}, {0.25, 0.050876}, {0.5, 0.214041}, {0.75, 0.522522}, {1, 1}, {1.5, 1},
        {-1, 0}, {0.998, 0.995456}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%f", rows[i][0]);
        CHECK_NEAR((double)rift_texture_linear((float)rows[i][0]), rows[i][1], 2e-5);
    }
    CHECK_NEAR((double)rift_texture_linear(NAN), 0, 0);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(srgb_tables);
    RUN(halves_by_hand);
    RUN(flat_stays_flat);
    RUN(chooses_the_level);
    RUN(load_equals_halving);
    RUN(alpha_counts);
    RUN(opaque_levels);
    RUN(placeholder);
    RUN(linear_light_of_fractions);
    RUN(failures);
    rift_arena_release(&arena);
    return check_finish();
}
