/* What is written is read back by the library's decoder; the header is read by hand. */
#include <stdlib.h>
#include <turbojpeg.h>

#include "support/check.h"
#include "texture/texture.h"

enum { WIDTH = 61, HEIGHT = 35 };

static rift_arena arena;
static rift_arena tmp;
static uint8_t rgba[WIDTH * HEIGHT * 4];

/* Soft shades, a hard edge between red and blue, and alpha that must not matter. */
static rift_pixels paint(void)
{
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        const size_t x = i % WIDTH;
        const size_t y = i / WIDTH;
        rgba[4 * i] = (uint8_t)(x < 30 ? 220 : 20 + y);
        rgba[4 * i + 1] = (uint8_t)(x + y);
        rgba[4 * i + 2] = (uint8_t)(x < 30 ? 20 : 220);
        rgba[4 * i + 3] = (uint8_t)(i * 31);
    }
    rift_arena_release(&arena);
    rift_arena_release(&tmp);
    rift_arena_init(&arena, 4 << 20);
    rift_arena_init(&tmp, 4 << 20);
    return (rift_pixels){WIDTH, HEIGHT, rgba};
}

static void shows_the_picture(void)
{
    const rift_pixels p = paint();
    static uint8_t got[sizeof rgba];
    rift_bytes file = {0};
    rift_err err = check_err();
    if (!CHECK_OK(rift_jpeg_write(&file, &p, &arena, &tmp, &err), &err))
        return;
    tjhandle tj = tjInitDecompress();
    CHECK_I64(tjDecompress2(tj, file.data, file.size, got, WIDTH, 0, HEIGHT, TJPF_RGBA, TJFLAG_ACCURATEDCT),
              0);
    (void)tjDestroy(tj);
    size_t off = 0;
    for (size_t i = 0; i < sizeof rgba; i++)
        off +=
            i % 4 != 3 && abs(got[i] - rgba[i]) > 6; /* red beside blue stays red: full colour resolution */
    CHECK_U64(off, 0);
    CHECK(file.size < sizeof rgba / 3);
}

/* ITU T.81: SOI, APP0 "JFIF"; the frame header has 8 bits, height, width, and three components of one sample each. */
static void is_baseline_with_full_colour(void)
{
    const rift_pixels p = paint();
    rift_bytes file = {0};
    rift_err err = check_err();
    if (!CHECK_OK(rift_jpeg_write(&file, &p, &arena, &tmp, &err), &err))
        return;
    static const uint8_t head[] = {0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 'J', 'F', 'I', 'F', 0};
    CHECK_BYTES(((rift_bytes){file.data, sizeof head}), ((rift_bytes){head, sizeof head}));
    size_t at = 2;
    while (at + 4 < file.size && file.data[at + 1] != 0xC0)
        at += 2 + ((size_t)file.data[at + 2] << 8 | file.data[at + 3]);
    CHECK_FATAL(at + 19 <= file.size);
    static const uint8_t frame[] = {0xFF, 0xC0, 0, 17, 8, 0, HEIGHT, 0, WIDTH, 3};
    CHECK_BYTES(((rift_bytes){file.data + at, sizeof frame}), ((rift_bytes){frame, sizeof frame}));
    for (size_t i = 0; i < 3; i++)
        CHECK_U64(file.data[at + sizeof frame + 3 * i + 1], 0x11);
    CHECK_U64(file.data[file.size - 2], 0xFF);
    CHECK_U64(file.data[file.size - 1], 0xD9);
}

static void alpha_changes_nothing(void)
{
    rift_pixels p = paint();
    rift_bytes a = {0};
    rift_bytes b = {0};
    rift_err err = check_err();
    CHECK_OK(rift_jpeg_write(&a, &p, &arena, &tmp, &err), &err);
    for (size_t i = 3; i < sizeof rgba; i += 4)
        rgba[i] = 255;
    CHECK_OK(rift_jpeg_write(&b, &p, &arena, &tmp, &err), &err);
    CHECK_BYTES(a, b);
}

static bool write(rift_bytes in, rift_arena *to, rift_err *err)
{
    (void)in;
    rift_bytes file;
    rift_arena scratch;
    rift_arena_init(&scratch, 4 << 20);
    scratch.fail_at = to->fail_at; /* the first allocation of each */
    const rift_pixels p = {WIDTH, HEIGHT, rgba};
    const bool ok = rift_jpeg_write(&file, &p, to, &scratch, err);
    rift_arena_release(&scratch);
    return ok;
}

static void every_allocation_may_fail(void)
{
    (void)paint();
    check_allocations(write, (rift_bytes){(const uint8_t *)"", 0});
    rift_bytes file = {0};
    rift_err err = check_err();
    const rift_pixels p = paint();
    arena.limit = 100;
    CHECK(!rift_jpeg_write(&file, &p, &arena, &tmp, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    CHECK(file.data == NULL);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(shows_the_picture);
    RUN(is_baseline_with_full_colour);
    RUN(alpha_changes_nothing);
    RUN(every_allocation_may_fail);
    rift_arena_release(&arena);
    rift_arena_release(&tmp);
    return check_finish();
}
