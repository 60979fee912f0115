/* What is written is read back by libwebp's decoder, pixel by pixel; lossy files are near. */
#include <stdlib.h>
#include <webp/decode.h>

#include "support/check.h"
#include "texture/texture.h"

enum { WIDTH = 37, HEIGHT = 23, SOFT = 64 };

static rift_arena arena;
static uint8_t rgba[WIDTH * HEIGHT * 4];
static uint8_t soft[SOFT * SOFT * 4];

/* Every alpha, also 0 with a colour below it. */
static rift_pixels paint(void)
{
    for (size_t i = 0; i < sizeof rgba; i++)
        rgba[i] = (uint8_t)(i % 4 == 3 ? i / 4 : i * 7 + i / 97);
    rift_arena_release(&arena);
    rift_arena_init(&arena, 4 << 20);
    for (size_t i = 0; i < (size_t)SOFT * SOFT; i++) {
        const size_t x = i % SOFT;
        const size_t y = i / SOFT;
        soft[4 * i] = (uint8_t)(40 + x * y / 64);
        soft[4 * i + 1] = (uint8_t)(60 + x + i * 7919 % 5);
        soft[4 * i + 2] = (uint8_t)(200 - y);
        soft[4 * i + 3] = (uint8_t)(x < 16 ? 0 : x < 32 ? 8 * (y % 32) : 255);
    }
    return (rift_pixels){WIDTH, HEIGHT, rgba};
}

static void keeps_every_pixel(void)
{
    for (int with_alpha = 0; with_alpha < 2; with_alpha++) {
        const rift_pixels p = paint();
        rift_bytes file;
        rift_err err = check_err();
        check_row("alpha %d", with_alpha);
        if (!CHECK_OK(rift_webp_write(&file, &p, with_alpha, true, &arena, &err), &err))
            continue;
        int width = 0;
        int height = 0;
        uint8_t *got = WebPDecodeRGBA(file.data, file.size, &width, &height);
        if (!CHECK(got != NULL))
            continue;
        CHECK_I64(width, WIDTH);
        CHECK_I64(height, HEIGHT);
        size_t wrong = 0;
        for (size_t i = 0; i < sizeof rgba; i++)
            wrong += got[i] != (i % 4 == 3 && !with_alpha ? 255 : rgba[i]);
        CHECK_U64(wrong, 0);
        WebPFree(got);
    }
}

/* A soft picture: within 8 of every colour, in half of the lossless bytes; alpha exactly as it was, and colours below
 * alpha 0 too, since filters mix them into the edge. */
static void lossy_keeps_alpha_and_the_look(void)
{
    for (int with_alpha = 0; with_alpha < 2; with_alpha++) {
        rift_pixels p = paint();
        rift_bytes file;
        rift_bytes lossless;
        rift_err err = check_err();
        check_row("alpha %d", with_alpha);
        p.width = SOFT;
        p.height = SOFT;
        p.rgba = soft;
        if (!CHECK_OK(rift_webp_write(&file, &p, with_alpha, false, &arena, &err), &err) ||
            !CHECK_OK(rift_webp_write(&lossless, &p, with_alpha, true, &arena, &err), &err))
            continue;
        int width = 0;
        int height = 0;
        uint8_t *got = WebPDecodeRGBA(file.data, file.size, &width, &height);
        if (!CHECK(got != NULL))
            continue;
        CHECK_I64(width, SOFT);
        CHECK_I64(height, SOFT);
        size_t wrong_alpha = 0;
        size_t off = 0;
        for (size_t i = 0; i < sizeof soft; i++) {
            if (i % 4 == 3)
                wrong_alpha += got[i] != (with_alpha ? soft[i] : 255);
            else
                off += abs(got[i] - soft[i]) > 8;
        }
        CHECK_U64(wrong_alpha, 0);
        CHECK_U64(off, 0);
        CHECK(2 * file.size < lossless.size);
        WebPFree(got);
    }
}

static void has_limits(void)
{
    rift_pixels p = paint();
    rift_bytes file = {0};
    rift_err err = check_err();
    p.width = 16384;
    CHECK(!rift_webp_write(&file, &p, true, true, &arena, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    p = paint();
    err = check_err();
    arena.limit = 100;
    CHECK(!rift_webp_write(&file, &p, true, true, &arena, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    CHECK(file.data == NULL);
}

static bool write(rift_bytes in, rift_arena *to, rift_err *err)
{
    (void)in;
    rift_bytes file;
    const rift_pixels p = {WIDTH, HEIGHT, rgba};
    return rift_webp_write(&file, &p, true, true, to, err) &&
           rift_webp_write(&file, &p, true, false, to, err);
}

static void every_allocation_may_fail(void)
{
    (void)paint();
    check_allocations(write, (rift_bytes){(const uint8_t *)"", 0});
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(keeps_every_pixel);
    RUN(lossy_keeps_alpha_and_the_look);
    RUN(has_limits);
    RUN(every_allocation_may_fail);
    rift_arena_release(&arena);
    return check_finish();
}
