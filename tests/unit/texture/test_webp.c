/* What is written is read back by libwebp's decoder, pixel by pixel. */
#include <stdlib.h>
#include <webp/decode.h>

#include "support/check.h"
#include "texture/texture.h"

enum { WIDTH = 37, HEIGHT = 23 };

static rift_arena arena;
static uint8_t rgba[WIDTH * HEIGHT * 4];

/* Every alpha, also 0 with a colour below it. */
static rift_pixels paint(void)
{
    for (size_t i = 0; i < sizeof rgba; i++)
        rgba[i] = (uint8_t)(i % 4 == 3 ? i / 4 : i * 7 + i / 97);
    rift_arena_release(&arena);
    rift_arena_init(&arena, 4 << 20);
    return (rift_pixels){WIDTH, HEIGHT, rgba};
}

static void keeps_every_pixel(void)
{
    for (int with_alpha = 0; with_alpha < 2; with_alpha++) {
        const rift_pixels p = paint();
        rift_bytes file;
        rift_err err = check_err();
        check_row("alpha %d", with_alpha);
        if (!CHECK_OK(rift_webp_write(&file, &p, with_alpha, &arena, &err), &err))
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

static void has_limits(void)
{
    rift_pixels p = paint();
    rift_bytes file = {0};
    rift_err err = check_err();
    p.width = 16384;
    CHECK(!rift_webp_write(&file, &p, true, &arena, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    p = paint();
    err = check_err();
    arena.limit = 100;
    CHECK(!rift_webp_write(&file, &p, true, &arena, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    CHECK(file.data == NULL);
}

static bool write(rift_bytes in, rift_arena *to, rift_err *err)
{
    (void)in;
    rift_bytes file;
    const rift_pixels p = {WIDTH, HEIGHT, rgba};
    return rift_webp_write(&file, &p, true, to, err);
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
    RUN(has_limits);
    RUN(every_allocation_may_fail);
    rift_arena_release(&arena);
    return check_finish();
}
