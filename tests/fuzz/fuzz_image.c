/* Any bytes as a texture: parse, decode every level, reduce, write the smallest as PNG. */
#include <stddef.h>
#include <stdint.h>

#include "texture/texture.h"

enum { ARENA_LIMIT = 32 * 1024 * 1024, SIDE = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(bool ok, const rift_err *err, size_t size)
{
    if (ok != (err->code == RIFT_OK) || err->code == RIFT_ERR_INTERNAL)
        __builtin_trap();
    if (!ok && err->offset != RIFT_NO_OFFSET && err->offset > size)
        __builtin_trap();
}

/* What parsed must decode, but for the arena's limit. */
static void check_decoded(bool ok, const rift_err *err, size_t size)
{
    check_error(ok, err, size);
    if (!ok && err->code != RIFT_ERR_LIMIT)
        __builtin_trap();
}

static void use(const rift_image *image, size_t size, rift_arena *arena)
{
    rift_err err;
    rift_pixels pixels;
    for (size_t k = 0; k < image->level_count; k++) {
        rift_err_in(&err, (rift_str){0});
        check_decoded(rift_texture_decode(&pixels, image, k, arena, &err), &err, size);
        if (err.code != RIFT_OK)
            return;
    }
    rift_err_in(&err, (rift_str){0});
    bool ok = rift_texture_load(&pixels, image, SIDE, arena, &err);
    check_decoded(ok, &err, size);
    if (!ok)
        return;
    if (pixels.width > SIDE || pixels.height > SIDE)
        __builtin_trap();
    const rift_alpha_stats stats = rift_texture_alpha_stats(&pixels);
    rift_bytes png;
    ok = rift_png_write(&png, &pixels, !stats.all_255, arena, arena, &err);
    check_decoded(ok, &err, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_report report;
    rift_report_init(&report, &arena);
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_image image;
    const bool ok = rift_image_parse(&image, (rift_bytes){data, size}, &report, &err);
    check_error(ok, &err, size);
    if (ok)
        use(&image, size, &arena);
    rift_arena_release(&arena);
    return 0;
}
