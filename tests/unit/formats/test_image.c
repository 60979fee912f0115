/* .tex and .dds: sizes and level chains worked out by hand, every format from the fixture builder back to its texels, what
 * is refused and where. */
#include <stdlib.h>

#include "fixtures/fx_image.h"
#include "support/check.h"
#include "texture/texture.h"

enum { ARENA_LIMIT = 64 * 1024 * 1024 };

static rift_arena arena;

static void begin(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, ARENA_LIMIT);
}

/* Parses without a report; *out is only good when true. */
static bool parse(rift_image *out, rift_bytes in, rift_err *err)
{
    *err = check_err();
    return rift_image_parse(out, in, NULL, err);
}

/* Parses, decodes every level: what the robustness runs drive. */
static bool parse_and_decode(rift_bytes in, rift_arena *a, rift_err *err)
{
    rift_report report;
    rift_report_init(&report, a);
    rift_image image;
    if (!rift_image_parse(&image, in, &report, err))
        return false;
    for (size_t k = 0; k < image.level_count; k++) {
        rift_pixels pixels;
        if (!rift_texture_decode(&pixels, &image, k, a, err))
            return false;
    }
    return true;
}

/* In each block one colour of whole bytes, in a chequer with black, and one black texel with alpha 0: two colours and a
 * hole come back exactly from every block format. */
static const uint8_t *paint(uint32_t width, uint32_t height, bool holes)
{
    uint8_t *rgba = RIFT_NEW(&arena, uint8_t, (size_t)width * height * 4);
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *to = rgba + ((size_t)y * width + x) * 4;
            const uint32_t colour = 1 + (x / 4 + y / 4 * 3) % 7;
            const bool hole = holes && x % 4 == 1 && y % 4 == 2;
            for (uint32_t c = 0; c < 3; c++)
                to[c] = (x + y) % 2 == 0 && (colour >> c & 1) != 0 ? 255 : 0;
            to[3] = hole ? 0 : 255;
        }
    }
    return rgba;
}

typedef enum keeps { KEEPS_RGBA, KEEPS_RGB, KEEPS_R, KEEPS_RG, KEEPS_GREY, KEEPS_GREY_A, KEEPS_A } keeps;

/* What a format keeps of a texel. */
static void expect(uint8_t out[4], const uint8_t in[4], keeps kept)
{
    const uint8_t r = in[0];
    const uint8_t g = in[1];
    const uint8_t b = in[2];
    const uint8_t a = in[3];
    const uint8_t table[][4] = {
        [KEEPS_RGBA] = {r, g, b, a}, [KEEPS_RGB] = {r, g, b, 255},  [KEEPS_R] = {r, 0, 0, 255},
        [KEEPS_RG] = {r, g, 0, 255}, [KEEPS_GREY] = {r, r, r, 255}, [KEEPS_GREY_A] = {r, r, r, a},
        [KEEPS_A] = {0, 0, 0, a},
    };
    memcpy(out, table[kept], 4);
}

static void check_pixels(const rift_image *image, const uint8_t *rgba, keeps kept, uint32_t within)
{
    rift_err err = check_err();
    rift_pixels pixels = {0};
    if (!CHECK_OK(rift_texture_decode(&pixels, image, 0, &arena, &err), &err))
        return;
    for (size_t i = 0; i < (size_t)pixels.width * pixels.height; i++) {
        uint8_t want[4];
        expect(want, rgba + i * 4, kept);
        for (size_t c = 0; c < 4; c++)
            if (!CHECK_NEAR(pixels.rgba[i * 4 + c], want[c], within))
                return;
    }
}

/* The 20 bytes of formats/tex.md. */
static void smallest_tex(void)
{
    static const uint8_t file[] = {0x54, 0x45, 0x58, 0x00, 0x04, 0x00, 0x04, 0x00, 0x01, 0x0a,
                                   0x00, 0x00, 0x00, 0xf8, 0x1f, 0x00, 0xe4, 0xe4, 0xe4, 0xe4};
    static const uint8_t row[16] = {255, 0, 0, 255, 0, 0, 255, 255, 170, 0, 85, 255, 85, 0, 170, 255};
    begin();
    rift_image image;
    rift_err err;
    CHECK_FATAL(parse(&image, (rift_bytes){file, sizeof file}, &err));
    CHECK_U64(image.format, RIFT_PIXEL_BC1);
    CHECK_U64(image.level_count, 1);
    CHECK_U64(image.stored_format, 10);
    CHECK(!image.is_dds);
    CHECK(rift_image_is((rift_bytes){file, sizeof file}));
    rift_pixels pixels;
    CHECK_FATAL(rift_texture_decode(&pixels, &image, 0, &arena, &err));
    for (size_t y = 0; y < 4; y++)
        CHECK_BYTES(((rift_bytes){pixels.rgba + 16 * y, 16}), ((rift_bytes){row, 16}));
}

/* 8 x 8 BGRA8 with mips: 12 + 4 + 16 + 64 + 256 = 352 bytes, 1 x 1 first; each byte holds its offset's level. */
static void tex_levels_smallest_first(void)
{
    static const size_t starts[4] = {96, 32, 16, 12};
    uint8_t file[352] = {'T', 'E', 'X', 0, 8, 0, 8, 0, 1, 20, 0, 1};
    for (size_t i = 12; i < sizeof file; i++)
        file[i] = (uint8_t)(i < 16 ? 3 : i < 32 ? 2 : i < 96 ? 1 : 0);
    rift_image image;
    rift_err err;
    CHECK_FATAL(parse(&image, (rift_bytes){file, sizeof file}, &err));
    CHECK_U64(image.level_count, 4);
    for (size_t k = 0; k < 4; k++) {
        check_row("level %zu", k);
        CHECK_U64(image.levels[k].width, 8 >> k);
        CHECK_U64(image.levels[k].height, 8 >> k);
        CHECK_U64(image.levels[k].data.size, (size_t)256 >> 2 * k);
        CHECK_U64(image.levels[k].data.data - file, starts[k]);
        CHECK_U64(image.levels[k].data.data[0], k);
        CHECK_U64(image.levels[k].data.data[image.levels[k].data.size - 1], k);
    }
}

/* Sizes in blocks are rounded up at every level, counts follow the longer side (B096, B097). */
static void level_sizes(void)
{
    static const struct {
        uint8_t format;
        uint8_t width, height;
        uint8_t levels;
        uint16_t sizes[5]; /* largest first */
    } rows[] = {
        {10, 5, 3, 3, {16, 8, 8}},         /* 5x3: 2 blocks; 2x1; 1x1 */
        {10, 6, 10, 4, {48, 16, 8, 8}},    /* 6x10: 2 x 3 blocks; 3x5: 1 x 2; 1x2; 1x1 */
        {12, 6, 10, 4, {96, 32, 16, 16}},  /* the same with 16 bytes a block */
        {20, 6, 10, 4, {240, 60, 8, 4}},   /* 60, 15, 2, 1 texels */
        {10, 1, 16, 5, {32, 16, 8, 8, 8}}, /* 1x16 … 1x1 */
        {13, 9, 1, 4, {48, 16, 16, 16}},   /* 9x1, 4x1, 2x1, 1x1 */
        {20, 1, 1, 1, {4}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("row %zu", i);
        size_t total = 12;
        for (size_t k = 0; k < rows[i].levels; k++)
            total += rows[i].sizes[k];
        uint8_t file[512] = {'T', 'E', 'X', 0, rows[i].width, 0, rows[i].height, 0, 1, rows[i].format, 0, 1};
        rift_image image;
        rift_err err;
        if (!CHECK(parse(&image, (rift_bytes){file, total}, &err)))
            continue;
        CHECK_U64(image.level_count, rows[i].levels);
        const uint8_t *at = file + total;
        for (size_t k = 0; k < image.level_count; k++) {
            at -= rows[i].sizes[k];
            CHECK_U64(image.levels[k].data.size, rows[i].sizes[k]);
            CHECK(image.levels[k].data.data == at);
        }
        CHECK(!parse(&image, (rift_bytes){file, total - 1}, &err));
    }
}

/* A chain that is not whole: the full image alone, or with some of the next levels, is used and reported; any other
 * length is refused. 8 x 8 BC1: levels of 32, 8, 8, 8 bytes. */
static void tex_partial_chains(void)
{
    static const struct {
        size_t size, levels;
    } rows[] = {{32, 1}, {40, 2}, {48, 3}, {56, 4}, {60, 4}, {31, 0}, {33, 0}, {39, 0}, {55, 0}, {0, 0}};
    uint8_t file[12 + 60] = {'T', 'E', 'X', 0, 8, 0, 8, 0, 1, 10, 0, 1};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%zu bytes", rows[i].size);
        begin();
        rift_report report;
        rift_report_init(&report, &arena);
        rift_image image = {.level_count = 77};
        rift_err err = check_err();
        const bool ok = rift_image_parse(&image, (rift_bytes){file, 12 + rows[i].size}, &report, &err);
        CHECK_U64(ok, rows[i].levels > 0);
        CHECK_U64(image.level_count, ok ? rows[i].levels : 77);
        CHECK_CODE(&err, ok ? RIFT_OK : RIFT_ERR_TRUNCATED);
        CHECK_U64(rift_report_count(&report, "tex_mips_missing"), ok && rows[i].levels < 4);
        CHECK_U64(rift_report_count(&report, "tex_trailing_bytes"), rows[i].size == 60);
        if (!ok)
            CHECK_U64(err.offset, 12);
    }
}

static const struct {
    const char *name;
    rift_pixel_format format;
    keeps kept;
} formats[] = {
    {"BC1", RIFT_PIXEL_BC1, KEEPS_RGBA},     {"BC2", RIFT_PIXEL_BC2, KEEPS_RGBA},
    {"BC3", RIFT_PIXEL_BC3, KEEPS_RGBA},     {"BC4", RIFT_PIXEL_BC4, KEEPS_R},
    {"BC5", RIFT_PIXEL_BC5, KEEPS_RG},       {"BC7", RIFT_PIXEL_BC7, KEEPS_RGBA},
    {"BGRA8", RIFT_PIXEL_BGRA8, KEEPS_RGBA}, {"RGBA8", RIFT_PIXEL_RGBA8, KEEPS_RGBA},
};

static const struct {
    uint32_t width, height;
} sizes[] = {{1, 1}, {4, 4}, {5, 3}, {3, 5}, {6, 10}, {64, 1}, {1, 9}, {17, 23}, {64, 32}};

static bool is_tex_format(rift_pixel_format format)
{
    return format != RIFT_PIXEL_BC2 && format != RIFT_PIXEL_BC4 && format != RIFT_PIXEL_RGBA8;
}

/* Every format and size, with and without levels, in both containers and with both DDS headers. */
static void check_all_forms(fx_image fx, keeps kept, uint32_t within)
{
    for (uint32_t form = 0; form < 6; form++) {
        const bool tex = form >= 4;
        fx.levels = form % 2 == 0 ? 0 : FX_ALL_LEVELS;
        fx.dx10 = form / 2 == 1;
        if (tex && !is_tex_format(fx.format))
            continue;
        const rift_bytes file = tex ? fx_tex(&fx, &arena) : fx_dds(&fx, &arena);
        rift_image image;
        rift_err err;
        if (!CHECK_OK(parse(&image, file, &err), &err))
            continue;
        CHECK_U64(image.format, fx.format);
        CHECK_U64(image.is_dds, !tex);
        const rift_image_level *last = &image.levels[image.level_count - 1];
        if (form % 2 == 0)
            CHECK_U64(image.level_count, 1);
        else
            CHECK_U64(last->width * last->height, 1);
        /* no byte left over: the last level of a .dds and the first of a .tex end the file */
        const rift_bytes end = tex ? image.levels[0].data : last->data;
        CHECK(end.data + end.size == file.data + file.size);
        check_pixels(&image, fx.rgba, kept, within);
    }
}

static void formats_and_sizes(void)
{
    for (size_t i = 0; i < RIFT_COUNT(formats); i++) {
        for (size_t k = 0; k < RIFT_COUNT(sizes); k++) {
            check_row("%s %u x %u", formats[i].name, sizes[k].width, sizes[k].height);
            begin();
            CHECK_STR(((rift_str){formats[i].name, strlen(formats[i].name)}),
                      ((rift_str){rift_pixel_format_name(formats[i].format), strlen(formats[i].name)}));
            const bool bc7 =
                formats[i].format == RIFT_PIXEL_BC7; /* one mode: no holes, and the last bit is shared */
            const fx_image fx = {.format = formats[i].format,
                                 .width = sizes[k].width,
                                 .height = sizes[k].height,
                                 .rgba = paint(sizes[k].width, sizes[k].height, !bc7)};
            check_all_forms(fx, formats[i].kept, bc7 ? 1 : 0);
        }
    }
}

static void masks(void)
{
    static const struct {
        const char *name;
        uint32_t bits, masks[4];
        bool luminance;
        keeps kept;
        rift_pixel_format format;
    } rows[] = {
        {"R8G8B8", 24, {0xff0000, 0xff00, 0xff, 0}, false, KEEPS_RGB, RIFT_PIXEL_MASKED},
        {"B8G8R8", 24, {0xff, 0xff00, 0xff0000, 0}, false, KEEPS_RGB, RIFT_PIXEL_MASKED},
        {"A8R8G8B8", 32, {0xff0000, 0xff00, 0xff, 0xff000000}, false, KEEPS_RGBA, RIFT_PIXEL_BGRA8},
        {"A8B8G8R8", 32, {0xff, 0xff00, 0xff0000, 0xff000000}, false, KEEPS_RGBA, RIFT_PIXEL_RGBA8},
        {"X8R8G8B8", 32, {0xff0000, 0xff00, 0xff, 0}, false, KEEPS_RGB, RIFT_PIXEL_MASKED},
        {"R8G8B8A8", 32, {0xff000000, 0xff0000, 0xff00, 0xff}, false, KEEPS_RGBA, RIFT_PIXEL_MASKED},
        {"A2R10G10B10", 32, {0x3ff00000, 0xffc00, 0x3ff, 0xc0000000}, false, KEEPS_RGBA, RIFT_PIXEL_MASKED},
        {"R5G6B5", 16, {0xf800, 0x7e0, 0x1f, 0}, false, KEEPS_RGB, RIFT_PIXEL_MASKED},
        {"A1R5G5B5", 16, {0x7c00, 0x3e0, 0x1f, 0x8000}, false, KEEPS_RGBA, RIFT_PIXEL_MASKED},
        {"A4R4G4B4", 16, {0xf00, 0xf0, 0xf, 0xf000}, false, KEEPS_RGBA, RIFT_PIXEL_MASKED},
        {"R3G3B2", 8, {0xe0, 0x1c, 0x3, 0}, false, KEEPS_RGB, RIFT_PIXEL_MASKED},
        {"L8", 8, {0xff, 0, 0, 0}, true, KEEPS_GREY, RIFT_PIXEL_MASKED},
        {"A8L8", 16, {0xff, 0, 0, 0xff00}, true, KEEPS_GREY_A, RIFT_PIXEL_MASKED},
        {"A8", 8, {0, 0, 0, 0xff}, false, KEEPS_A, RIFT_PIXEL_MASKED},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].name);
        begin();
        fx_image fx = {.format = RIFT_PIXEL_MASKED, .width = 7, .height = 5, .levels = FX_ALL_LEVELS};
        fx.rgba = paint(fx.width, fx.height, true);
        fx.bits_per_pixel = rows[i].bits;
        fx.luminance = rows[i].luminance;
        memcpy(fx.masks, rows[i].masks, sizeof fx.masks);
        const rift_bytes file = fx_dds(&fx, &arena);
        rift_image image;
        rift_err err;
        if (!CHECK_OK(parse(&image, file, &err), &err))
            continue;
        CHECK_U64(image.format, rows[i].format);
        CHECK_U64(image.level_count, 3);
        check_pixels(&image, fx.rgba, rows[i].kept, 0);
    }
}

/* 5:6:5 without the extremes: 16 of 31 is 131.6, 32 of 63 is 129.5 (up), 1 of 31 is 8.2. */
static void mask_rounding(void)
{
    static const uint8_t pixel[2] = {0x01, 0x84}; /* 10000 100000 00001 */
    rift_image image = {.format = RIFT_PIXEL_MASKED, .bits_per_pixel = 16, .masks = {0xf800, 0x7e0, 0x1f, 0}};
    image.levels[0] = (rift_image_level){1, 1, {pixel, 2}};
    image.level_count = 1;
    begin();
    rift_err err = check_err();
    rift_pixels pixels;
    CHECK_FATAL(rift_texture_decode(&pixels, &image, 0, &arena, &err));
    static const uint8_t want[4] = {132, 130, 8, 255};
    CHECK_BYTES(((rift_bytes){pixels.rgba, 4}), ((rift_bytes){want, 4}));
}

/* First face, first slice; the others hold inverted bytes. */
static void faces_and_slices(void)
{
    for (uint32_t form = 0; form < 12; form++) {
        const bool tex = form % 3 == 2;
        const bool cube = form / 3 % 2 == 0;
        check_row("%s, %s, %s levels",
                  tex             ? "tex"
                  : form % 3 == 1 ? "DX10"
                                  : "dds",
                  cube ? "cube" : "volume", form < 6 ? "no" : "all");
        begin();
        fx_image fx = {
            .format = RIFT_PIXEL_BC3, .width = 12, .height = 8, .cube = cube, .depth = cube ? 0 : 5};
        fx.rgba = paint(fx.width, fx.height, true);
        fx.dx10 = form % 3 == 1;
        fx.levels = form < 6 ? 0 : FX_ALL_LEVELS;
        const rift_bytes file = tex ? fx_tex(&fx, &arena) : fx_dds(&fx, &arena);
        rift_report report;
        rift_report_init(&report, &arena);
        rift_image image;
        rift_err err = check_err();
        if (!CHECK_OK(rift_image_parse(&image, file, &report, &err), &err))
            continue;
        CHECK_U64(image.level_count, form < 6 ? 1 : 4);
        CHECK_U64(rift_report_count(&report, tex ? "tex_first_face" : "dds_first_face"), cube);
        CHECK_U64(rift_report_count(&report, tex ? "tex_first_slice" : "dds_first_slice"), !cube);
        CHECK_U64(report.entry_count, 1);
        check_pixels(&image, fx.rgba, KEEPS_RGBA, 0);
        /* level 1, 6 x 4, starts behind all slices of level 0 (12 x 8: 6 blocks) or of level 2 and 3 in a .tex */
        if (form >= 6 && !tex)
            CHECK_U64(image.levels[1].data.data - image.levels[0].data.data, cube ? 96 : 5 * 96);
        if (form >= 6 && tex)
            CHECK_U64(image.levels[0].data.data - image.levels[1].data.data, cube ? 32 : 2 * 32);
    }
}

/* The count in a .dds is a hint (B096): 4 x 4 BC1 with room for `stored` levels of 8 bytes. */
static void dds_level_counts(void)
{
    static const struct {
        uint32_t announced;
        size_t stored, levels;
        const char *code; /* may be NULL */
    } rows[] = {
        {0, 1, 1, NULL},
        {1, 1, 1, NULL},
        {1, 3, 1, NULL},
        {3, 3, 3, NULL},
        {2, 2, 2, NULL},
        {3, 2, 2, "dds_mips_missing"},
        {3, 1, 1, "dds_mips_missing"},
        {9, 3, 3, "dds_mip_count"},
        {0xffffffff, 3, 3, "dds_mip_count"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%u announced, %zu stored", rows[i].announced, rows[i].stored);
        begin();
        const fx_image fx = {.format = RIFT_PIXEL_BC1,
                             .width = 4,
                             .height = 4,
                             .rgba = paint(4, 4, false),
                             .levels = rows[i].stored};
        const rift_bytes made = fx_dds(&fx, &arena);
        uint8_t file[256];
        memcpy(file, made.data, made.size);
        for (size_t b = 0; b < 4; b++)
            file[28 + b] = (uint8_t)(rows[i].announced >> 8 * b);
        rift_report report;
        rift_report_init(&report, &arena);
        rift_image image;
        rift_err err = check_err();
        if (!CHECK_OK(rift_image_parse(&image, (rift_bytes){file, made.size}, &report, &err), &err))
            continue;
        CHECK_U64(image.level_count, rows[i].levels);
        CHECK_U64(report.entry_count, rows[i].code != NULL);
        if (rows[i].code != NULL)
            CHECK_U64(rift_report_count(&report, rows[i].code), 1);
    }
}

typedef enum base_file { TEX_BC1, TEX_MIPS, DDS_DXT5, DDS_DX10, DDS_MASKED } base_file;

static size_t make_base(uint8_t out[512], base_file base)
{
    fx_image fx = {.format = RIFT_PIXEL_BC3, .width = 8, .height = 8, .rgba = paint(8, 8, true)};
    fx.levels = base == TEX_MIPS ? FX_ALL_LEVELS : 1;
    fx.dx10 = base == DDS_DX10;
    if (base == TEX_BC1 || base == TEX_MIPS)
        fx.format = RIFT_PIXEL_BC1;
    if (base == DDS_MASKED) {
        fx.format = RIFT_PIXEL_MASKED;
        fx.bits_per_pixel = 16;
        memcpy(fx.masks, (const uint32_t[4]){0xf800, 0x7e0, 0x1f, 0}, sizeof fx.masks);
    }
    const rift_bytes made = base <= TEX_MIPS ? fx_tex(&fx, &arena) : fx_dds(&fx, &arena);
    memcpy(out, made.data, made.size);
    return made.size;
}

/* What is refused: a sound file with up to four bytes changed. */
static const struct refusal {
    base_file base;
    uint32_t at;
    uint8_t size;
    uint32_t value;
    rift_status code;
    uint32_t offset;
    const char *text; /* part of it */
} refusals[] = {
    {TEX_BC1, 0, 4, 0x12345678, RIFT_ERR_FORMAT, 0, "begins with 78 56 34 12: neither .tex nor .dds"},
    {TEX_BC1, 0, 4, 0x474e5089, RIFT_ERR_UNSUPPORTED, 0, "PNG"},
    {TEX_BC1, 0, 4, 0xe0ffd8ff, RIFT_ERR_UNSUPPORTED, 0, "JPEG"},
    {TEX_BC1, 3, 1, 1, RIFT_ERR_FORMAT, 0, "begins with 54 45 58 01"},
    {TEX_BC1, 4, 2, 0, RIFT_ERR_FORMAT, 4, "width is 0"},
    {TEX_BC1, 6, 2, 0, RIFT_ERR_FORMAT, 6, "height is 0"},
    {TEX_BC1, 4, 2, 16385, RIFT_ERR_LIMIT, 4, "width 16385 is over 16384"},
    {TEX_BC1, 6, 2, 65535, RIFT_ERR_LIMIT, 6, "height 65535 is over 16384"},
    {TEX_BC1, 4, 2, 16384, RIFT_ERR_TRUNCATED, 12, "16384 x 8 BC1 with 1 levels needs 65536 bytes, 32 left"},
    {TEX_BC1, 9, 1, 0, RIFT_ERR_UNSUPPORTED, 9, "format 0 is unknown"},
    {TEX_BC1, 9, 1, 1, RIFT_ERR_UNSUPPORTED, 9, "format 1 (ETC1) is not read"},
    {TEX_BC1, 9, 1, 2, RIFT_ERR_UNSUPPORTED, 9, "format 2 (ETC2 RGB) is not read"},
    {TEX_MIPS, 9, 1, 2, RIFT_ERR_UNSUPPORTED, 9, "format 2 (ETC2) is not read"},
    {TEX_BC1, 9, 1, 15, RIFT_ERR_UNSUPPORTED, 9, "format 15 is unknown"},
    {TEX_BC1, 9, 1, 21, RIFT_ERR_UNSUPPORTED, 9, "format 21 (RGBA16F) is not read"},
    {TEX_BC1, 9, 1, 22, RIFT_ERR_UNSUPPORTED, 9, "format 22 (RGBA32F) is not read"},
    {TEX_BC1, 9, 1, 255, RIFT_ERR_UNSUPPORTED, 9, "format 255 is unknown"},
    {TEX_BC1, 9, 1, 12, RIFT_ERR_TRUNCATED, 12, "8 x 8 BC3 with 1 levels needs 64 bytes, 32 left"},
    {TEX_BC1, 10, 1, 1, RIFT_ERR_TRUNCATED, 12, "needs 192 bytes"},
    {TEX_MIPS, 4, 1, 17, RIFT_ERR_TRUNCATED, 12, "17 x 8 BC1 with 5 levels needs 120 bytes, 56 left"},
    {DDS_DXT5, 4, 4, 123, RIFT_ERR_FORMAT, 4, "header size 123 is not 124"},
    {DDS_DXT5, 76, 4, 24, RIFT_ERR_FORMAT, 76, "pixel format size 24 is not 32"},
    {DDS_DXT5, 12, 4, 0, RIFT_ERR_FORMAT, 12, "height is 0"},
    {DDS_DXT5, 16, 4, 0, RIFT_ERR_FORMAT, 16, "width is 0"},
    {DDS_DXT5, 12, 4, 16385, RIFT_ERR_LIMIT, 12, "height 16385 is over 16384"},
    {DDS_DXT5, 16, 4, 0xffffffff, RIFT_ERR_LIMIT, 16, "width 4294967295 is over 16384"},
    {DDS_DXT5, 84, 4, 0x5a595857, RIFT_ERR_UNSUPPORTED, 84, "fourCC \"WXYZ\" is not read"},
    {DDS_DXT5, 84, 4, 0x53344342, RIFT_ERR_UNSUPPORTED, 84, "\"BC4S\" (BC4 signed)"},
    {DDS_DXT5, 84, 4, 0x53354342, RIFT_ERR_UNSUPPORTED, 84, "\"BC5S\" (BC5 signed)"},
    {DDS_DXT5, 84, 4, 0x31435445, RIFT_ERR_UNSUPPORTED, 84, "\"ETC1\" (ETC1)"},
    {DDS_DXT5, 84, 4, 113, RIFT_ERR_UNSUPPORTED, 84, "fourCC 0x71 (RGBA16F)"},
    {DDS_DXT5, 84, 4, 0x01020304, RIFT_ERR_UNSUPPORTED, 84, "fourCC 0x1020304 is not read"},
    {DDS_DXT5, 80, 4, 0x20, RIFT_ERR_UNSUPPORTED, 80, "flags 0x20 (palette)"},
    {DDS_DXT5, 80, 4, 0x200, RIFT_ERR_UNSUPPORTED, 80, "flags 0x200 (YUV)"},
    {DDS_DXT5, 80, 4, 0x80000, RIFT_ERR_UNSUPPORTED, 80, "flags 0x80000 (signed)"},
    {DDS_DXT5, 80, 4, 0x40, RIFT_ERR_FORMAT, 88, "0 bits a pixel"},
    {DDS_DXT5, 16, 4, 9, RIFT_ERR_TRUNCATED, 128, "9 x 8 BC3 needs 96 bytes, 64 left"},
    {DDS_DX10, 128, 4, 0, RIFT_ERR_UNSUPPORTED, 128, "DXGI format 0 is not read"},
    {DDS_DX10, 128, 4, 2, RIFT_ERR_UNSUPPORTED, 128, "DXGI format 2 (RGBA32F)"},
    {DDS_DX10, 128, 4, 10, RIFT_ERR_UNSUPPORTED, 128, "DXGI format 10 (RGBA16F)"},
    {DDS_DX10, 128, 4, 81, RIFT_ERR_UNSUPPORTED, 128, "DXGI format 81 (BC4 signed)"},
    {DDS_DX10, 128, 4, 84, RIFT_ERR_UNSUPPORTED, 128, "DXGI format 84 (BC5 signed)"},
    {DDS_DX10, 128, 4, 95, RIFT_ERR_UNSUPPORTED, 128, "DXGI format 95 (BC6H)"},
    {DDS_DX10, 128, 4, 190, RIFT_ERR_UNSUPPORTED, 128, "DXGI format 190 is not read"},
    {DDS_DX10, 128, 4, 28, RIFT_ERR_TRUNCATED, 148, "8 x 8 RGBA8 needs 256 bytes, 64 left"},
    {DDS_MASKED, 80, 4, 0, RIFT_ERR_FORMAT, 80, "flags 0x0 name no format"},
    {DDS_MASKED, 88, 4, 12, RIFT_ERR_FORMAT, 88, "12 bits a pixel are not 8, 16, 24 or 32"},
    {DDS_MASKED, 88, 4, 40, RIFT_ERR_FORMAT, 88, "40 bits"},
    {DDS_MASKED, 92, 4, 0xa000, RIFT_ERR_FORMAT, 92, "mask 0xa000 is not one run of bits within 16"},
    {DDS_MASKED, 96, 4, 0x1ffff, RIFT_ERR_FORMAT, 96, "mask 0x1ffff"},
    {DDS_MASKED, 104, 4, 0x80000001, RIFT_ERR_FORMAT, 104, "mask 0x80000001"},
    {DDS_MASKED, 88, 4, 32, RIFT_ERR_TRUNCATED, 128, "8 x 8 masked needs 256 bytes, 128 left"},
};

static void refuses(void)
{
    for (size_t i = 0; i < RIFT_COUNT(refusals); i++) {
        const struct refusal *row = &refusals[i];
        check_row("row %zu: %s", i, row->text);
        begin();
        uint8_t file[512];
        const size_t size = make_base(file, row->base);
        rift_image image = {.level_count = 77};
        rift_err err;
        CHECK_OK(parse(&image, (rift_bytes){file, size}, &err), &err);
        for (size_t b = 0; b < row->size; b++)
            file[row->at + b] = (uint8_t)(row->value >> 8 * b);
        image.level_count = 77;
        CHECK(!parse(&image, (rift_bytes){file, size}, &err));
        CHECK_U64(image.level_count, 77);
        CHECK_CODE(&err, row->code);
        CHECK_U64(err.offset, row->offset);
        if (!CHECK(strstr(err.text, row->text) != NULL))
            printf("  text: %s\n", err.text);
    }
}

static void all_masks_absent(void)
{
    begin();
    uint8_t file[512];
    const size_t size = make_base(file, DDS_MASKED);
    memset(file + 92, 0, 16);
    rift_image image;
    rift_err err;
    CHECK(!parse(&image, (rift_bytes){file, size}, &err));
    CHECK_CODE(&err, RIFT_ERR_FORMAT);
    CHECK_U64(err.offset, 92);
}

/* 2 and 3 by their length (B095): 8 x 8 is 32 bytes for RGB, 64 with alpha. */
static void etc2_is_told_by_length(void)
{
    uint8_t file[12 + 64] = {'T', 'E', 'X', 0, 8, 0, 8, 0, 1, 3, 0, 0};
    static const struct {
        size_t size;
        const char *text;
    } rows[] = {{32, "format 3 (ETC2 RGB) is not read"},
                {64, "format 3 (ETC2 EAC RGBA) is not read"},
                {40, "format 3 (ETC2) is not read"}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_image image;
        rift_err err;
        CHECK(!parse(&image, (rift_bytes){file, 12 + rows[i].size}, &err));
        CHECK_CODE(&err, RIFT_ERR_UNSUPPORTED);
        CHECK_STR(((rift_str){err.text, strlen(err.text)}), ((rift_str){rows[i].text, strlen(rows[i].text)}));
    }
}

/* Accepted with a word in the report. */
static void oddities(void)
{
    static const struct {
        base_file base;
        uint32_t at;
        uint32_t value;
        const char *code;
    } rows[] = {
        {TEX_BC1, 10, 7, "tex_unknown_type"},
        {TEX_BC1, 11, 4, "tex_unknown_flags"},
        {DDS_DXT5, 87, '4', "dds_premultiplied"},
        {DDS_DXT5, 87, '2', "dds_premultiplied"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("row %zu: %s", i, rows[i].code);
        begin();
        uint8_t file[512];
        const size_t size = make_base(file, rows[i].base);
        file[rows[i].at] = (uint8_t)rows[i].value;
        rift_report report;
        rift_report_init(&report, &arena);
        rift_image image;
        rift_err err = check_err();
        CHECK_OK(rift_image_parse(&image, (rift_bytes){file, size}, &report, &err), &err);
        CHECK_U64(report.entry_count, 1);
        CHECK_U64(rift_report_count(&report, rows[i].code), 1);
    }
}

/* The fourCC counts although its flag is off. */
static void fourcc_without_flag(void)
{
    begin();
    uint8_t file[512];
    const size_t size = make_base(file, DDS_DXT5);
    file[80] = 1;
    rift_image image;
    rift_err err;
    CHECK_OK(parse(&image, (rift_bytes){file, size}, &err), &err);
    CHECK_U64(image.format, RIFT_PIXEL_BC3);
    CHECK_U64(image.stored_format, 0x35545844);
}

/* Each line feed turned into CR LF, as a text-mode copy does. */
static void newline_conversion_is_named(void)
{
    begin();
    uint8_t file[512];
    const size_t size = make_base(file, DDS_DXT5);
    file[10] = 0x0a;
    uint8_t mangled[1024];
    size_t out = 0;
    for (size_t i = 0; i < size; i++) {
        if (file[i] == 0x0a)
            mangled[out++] = 0x0d;
        mangled[out++] = file[i];
    }
    rift_image image;
    rift_err err;
    CHECK(!parse(&image, (rift_bytes){mangled, out}, &err));
    CHECK_CODE(&err, RIFT_ERR_FORMAT);
    CHECK_U64(err.offset, 76);
    CHECK(strstr(err.text, "newline conversion") != NULL);
    /* CR LF alone is no proof */
    file[10] = 0x0d;
    file[11] = 0x0a;
    file[76] = 33;
    CHECK(!parse(&image, (rift_bytes){file, size}, &err));
    CHECK(strstr(err.text, "newline") == NULL);
}

static void robust(void)
{
    static const struct {
        base_file base;
        rift_status code;
    } rows[] = {{TEX_BC1, RIFT_ERR_TRUNCATED},
                {DDS_DXT5, RIFT_ERR_TRUNCATED},
                {DDS_DX10, RIFT_ERR_TRUNCATED},
                {DDS_MASKED, RIFT_ERR_TRUNCATED}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        begin();
        uint8_t file[512];
        const rift_bytes whole = {file, make_base(file, rows[i].base)};
        check_prefixes(parse_and_decode, whole, 0, rows[i].code);
        check_allocations(parse_and_decode, whole);
        check_every_byte(parse_and_decode, whole);
    }
    begin();
    uint8_t file[512];
    const rift_bytes chain = {file, make_base(file, TEX_MIPS)};
    check_allocations(parse_and_decode, chain);
    check_every_byte(parse_and_decode, chain);
}

/* A decode of something that no parser made: refused, not read past the end. */
static void decode_checks_the_level(void)
{
    static const uint8_t bytes[8] = {0};
    static const struct {
        rift_pixel_format format;
        uint32_t bits, width, height;
        size_t size;
    } rows[] = {
        {RIFT_PIXEL_BC1, 0, 5, 4, 8},     {RIFT_PIXEL_BC3, 0, 4, 4, 8},    {RIFT_PIXEL_BC1, 0, 0, 4, 0},
        {RIFT_PIXEL_BC1, 0, 4, 16385, 8}, {RIFT_PIXEL_RGBA8, 0, 2, 1, 7},  {RIFT_PIXEL_MASKED, 12, 1, 1, 2},
        {RIFT_PIXEL_MASKED, 40, 1, 1, 5}, {RIFT_PIXEL_MASKED, 0, 1, 1, 0},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("row %zu", i);
        begin();
        rift_image image = {.format = rows[i].format, .bits_per_pixel = rows[i].bits, .level_count = 1};
        image.levels[0] = (rift_image_level){rows[i].width, rows[i].height, {bytes, rows[i].size}};
        rift_err err = check_err();
        rift_pixels pixels;
        CHECK(!rift_texture_decode(&pixels, &image, 0, &arena, &err));
        CHECK_CODE(&err, RIFT_ERR_FORMAT);
    }
}

/* Sizes of the real files, as their headers say (read off in a hex viewer). */
static void real_files(void)
{
    static const struct {
        const char *path;
        rift_pixel_format format;
        uint32_t width, height;
        size_t levels;
    } rows[] = {
        {"files/tex/bc1-128x4-mips.tex", RIFT_PIXEL_BC1, 128, 4, 8},
        {"files/tex/bc1-8x8-mips.tex", RIFT_PIXEL_BC1, 8, 8, 4},
        {"files/tex/bc3-256x16.tex", RIFT_PIXEL_BC3, 256, 16, 1},
        {"files/tex/bc3-512x128.tex", RIFT_PIXEL_BC3, 512, 128, 1},
        {"files/tex/bc3-64x64-mips.tex", RIFT_PIXEL_BC3, 64, 64, 7},
        {"files/dds/dxt1-2x2-mips0.dds", RIFT_PIXEL_BC1, 2, 2, 1},
        {"files/dds/dxt3-64x64-trailing-bytes.dds", RIFT_PIXEL_BC2, 64, 64, 7},
        {"files/dds/dxt5-1x1.dds", RIFT_PIXEL_BC3, 1, 1, 1},
        {"files/dds/dxt5-64x1-mips.dds", RIFT_PIXEL_BC3, 64, 1, 7},
        {"sets/aatrox/aatrox_base_tx_cm.dds", RIFT_PIXEL_BC1, 512, 512, 1},
        {"sets/annie_legacy/Annie.dds", RIFT_PIXEL_BC1, 512, 512, 10},
        {"sets/ezreal_skin21/ezreal_skin21_tx_cm.dds", RIFT_PIXEL_BC1, 1024, 1024, 1},
    };
    if (check_corpus() == NULL) {
        printf("real files: skipped, no corpus (RIFT_CORPUS)\n");
        return;
    }
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].path);
        begin();
        const rift_bytes file = check_corpus_file(rows[i].path);
        rift_err err = check_err();
        rift_image image;
        if (CHECK(file.size > 0) && CHECK_OK(parse(&image, file, &err), &err)) {
            CHECK_U64(image.format, rows[i].format);
            CHECK_U64(image.levels[0].width, rows[i].width);
            CHECK_U64(image.levels[0].height, rows[i].height);
            CHECK_U64(image.level_count, rows[i].levels);
            CHECK_OK(parse_and_decode(file, &arena, &err), &err);
        }
        free((void *)(uintptr_t)file.data);
    }
    check_row("newline-mangled.dds");
    rift_image image;
    rift_err err;
    const rift_bytes mangled = check_corpus_file("files/dds/newline-mangled.dds");
    CHECK(!parse(&image, mangled, &err));
    free((void *)(uintptr_t)mangled.data);
    CHECK_CODE(&err, RIFT_ERR_FORMAT);
    CHECK(strstr(err.text, "newline conversion") != NULL);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(smallest_tex);
    RUN(tex_levels_smallest_first);
    RUN(level_sizes);
    RUN(tex_partial_chains);
    RUN(formats_and_sizes);
    RUN(masks);
    RUN(mask_rounding);
    RUN(faces_and_slices);
    RUN(dds_level_counts);
    RUN(refuses);
    RUN(all_masks_absent);
    RUN(etc2_is_told_by_length);
    RUN(oddities);
    RUN(fourcc_without_flag);
    RUN(newline_conversion_is_named);
    RUN(robust);
    RUN(decode_checks_the_level);
    RUN(real_files);
    rift_arena_release(&arena);
    return check_finish();
}
