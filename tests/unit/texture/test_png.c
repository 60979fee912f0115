/* What is written is read back by libpng, and taken apart by hand. */
#include <png.h>
#include <stdlib.h>
#include <zlib.h>

#include "support/check.h"
#include "texture/texture.h"

static rift_arena arena, tmp;

static void begin(void)
{
    rift_arena_release(&arena);
    rift_arena_release(&tmp);
    rift_arena_init(&arena, 64 * 1024 * 1024);
    rift_arena_init(&tmp, 64 * 1024 * 1024);
}

typedef enum content { FLAT, GRADIENT, NOISE, CONTENTS } content;

static rift_pixels paint(uint32_t width, uint32_t height, content what)
{
    rift_pixels p = {width, height, malloc((size_t)width * height * 4)};
    uint32_t state = 12345;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *to = p.rgba + ((size_t)y * width + x) * 4;
            for (uint32_t c = 0; c < 4; c++) {
                state = state * 1664525 + 1013904223;
                to[c] = (uint8_t)(what == FLAT       ? 200 + c
                                  : what == GRADIENT ? x * (c + 1) + y * 3
                                                     : state >> 24);
            }
        }
    }
    return p;
}

static void check_read_back(const rift_pixels *p, bool with_alpha, rift_bytes file)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!CHECK(png_image_begin_read_from_memory(&image, file.data, file.size)))
        return;
    CHECK_U64(image.width, p->width);
    CHECK_U64(image.height, p->height);
    CHECK_U64(image.format,
              with_alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB); /* as stored: no palette, no 16 bits */
    const size_t channels = with_alpha ? 4 : 3;
    const size_t count = (size_t)p->width * p->height;
    uint8_t *got = malloc(count * channels);
    CHECK(png_image_finish_read(&image, NULL, got, 0, NULL));
    CHECK_U64(image.warning_or_error, 0);
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        wrong += memcmp(got + i * channels, p->rgba + i * 4, channels) != 0;
    CHECK_U64(wrong, 0);
    free(got);
}

static uint32_t u32_be(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* IHDR, IDAT, IEND with right checksums, and nothing else: no gAMA, iCCP, cHRM, sRGB, tIME, tEXt (G33). */
static void check_chunks(rift_bytes file, bool with_alpha)
{
    static const char names[3][5] = {"IHDR", "IDAT", "IEND"};
    size_t at = 8;
    CHECK(memcmp(file.data, "\x89PNG\r\n\x1a\n", 8) == 0);
    for (size_t i = 0; i < 3; i++) {
        if (!CHECK(file.size - at >= 12))
            return;
        const uint32_t size = u32_be(file.data + at);
        if (!CHECK(size <= file.size - at - 12))
            return;
        CHECK(memcmp(file.data + at + 4, names[i], 4) == 0);
        CHECK_U64(u32_be(file.data + at + 8 + size), crc32(0, file.data + at + 4, size + 4));
        at += 12 + size;
    }
    CHECK_U64(at, file.size);
    CHECK_U64(file.data[24], 8);
    CHECK_U64(file.data[25], with_alpha ? 6 : 2);
    CHECK_U64(file.data[26] | file.data[27] | file.data[28], 0);
}

static void reads_back(void)
{
    /* the larger ones go to deflate in several parts */
    static const struct {
        uint32_t width, height;
    } sizes[] = {{1, 1}, {2, 1}, {1, 2}, {3, 5}, {257, 63}, {64, 64}, {400, 300}, {16384, 9}, {1, 3000}};
    for (size_t i = 0; i < RIFT_COUNT(sizes) * CONTENTS * 2; i++) {
        const uint32_t width = sizes[i / CONTENTS / 2].width;
        const uint32_t height = sizes[i / CONTENTS / 2].height;
        const content what = (content)(i / 2 % CONTENTS);
        const bool with_alpha = i % 2 == 1;
        check_row("%u x %u, content %d, alpha %d", width, height, (int)what, with_alpha);
        begin();
        rift_pixels p = paint(width, height, what);
        rift_err err = check_err();
        rift_bytes file = {0};
        if (CHECK_OK(rift_png_write(&file, &p, with_alpha, &arena, &tmp, &err), &err)) {
            check_chunks(file, with_alpha);
            check_read_back(&p, with_alpha, file);
            CHECK_U64(arena.used, file.size);
            CHECK_U64(tmp.used, 0);
        }
        free(p.rgba);
    }
}

/* Flat rows: the first by Sub, those like the row above by Up. */
static void filters(void)
{
    begin();
    rift_pixels p = paint(40, 4, FLAT);
    rift_err err = check_err();
    rift_bytes file = {0};
    CHECK_FATAL(rift_png_write(&file, &p, false, &arena, &tmp, &err));
    uint8_t rows[4 * 121];
    uLongf size = sizeof rows;
    CHECK_U64(uncompress(rows, &size, file.data + 41, u32_be(file.data + 33)), Z_OK);
    CHECK_U64(size, sizeof rows);
    CHECK_U64(rows[0], 1);
    for (size_t i = 0; i < 120; i++)
        CHECK_U64(rows[1 + i], i < 3 ? 200 + i : 0);
    for (size_t y = 1; y < 4; y++) {
        CHECK_U64(rows[y * 121], 2);
        for (size_t i = 1; i < 121; i++)
            CHECK_U64(rows[y * 121 + i], 0);
    }
    free(p.rgba);
}

static void same_pixels_same_bytes(void)
{
    begin();
    rift_pixels p = paint(300, 300, GRADIENT);
    rift_err err = check_err();
    rift_bytes a = {0};
    rift_bytes b = {0};
    CHECK_FATAL(rift_png_write(&a, &p, true, &arena, &tmp, &err));
    /* other memory behind it, and the scratch in the same arena */
    (void)RIFT_NEW(&arena, uint8_t, 1000);
    CHECK_FATAL(rift_png_write(&b, &p, true, &arena, &arena, &err));
    CHECK_BYTES(a, b);
    free(p.rgba);
}

static void every_allocation_fails(void)
{
    rift_pixels p = paint(300, 300, NOISE);
    for (size_t which = 0; which < 3; which++) {
        uint64_t n = 1;
        for (; n < 100; n++) {
            check_row("arena %zu, allocation %llu", which, (unsigned long long)n);
            begin();
            rift_arena *failing = which == 1 ? &tmp : &arena;
            failing->fail_at = n;
            rift_err err = check_err();
            rift_bytes file = {.size = 77};
            const bool ok = rift_png_write(&file, &p, true, &arena, which == 2 ? &arena : &tmp, &err);
            if (ok)
                break;
            CHECK_CODE(&err, RIFT_ERR_NOMEM);
            CHECK_U64(file.size, 77);
            CHECK_U64(tmp.used, 0);
        }
        CHECK(n > 1 && n < 100);
    }
    check_row("limit");
    begin();
    tmp.limit = 100 * 1000;
    rift_err err = check_err();
    rift_bytes file;
    CHECK(!rift_png_write(&file, &p, true, &arena, &tmp, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    free(p.rgba);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(reads_back);
    RUN(filters);
    RUN(same_pixels_same_bytes);
    RUN(every_allocation_fails);
    rift_arena_release(&arena);
    rift_arena_release(&tmp);
    return check_finish();
}
