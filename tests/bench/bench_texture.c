/* Decode and PNG, against libpng in the same run (goal P5 of the performance notes): process time, minimum and median of
 * N runs after one that is dropped, alternating, so that a busy machine hits all alike. Without arguments on pictures made
 * here: painted ones (soft gradients, edges, fine grain) that went through BC1 and BC3, as the game's have. Arguments are
 * .tex and .dds files to measure instead. */
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fixtures/fx_image.h"
#include "texture/texture.h"

enum { RUNS = 9 };

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    printf("%s failed\n", what);
    exit(1);
}

/* Smooth value noise from a hash, by octaves: like brushwork over flat colours with some edges. */
static double lattice(uint32_t x, uint32_t y, uint32_t seed)
{
    uint32_t h = x * 374761393U + y * 668265263U + seed * 2246822519U;
    h = (h ^ h >> 13) * 1274126177U;
    return (h ^ h >> 16) / 4294967295.0;
}

static double noise(double x, double y, uint32_t seed)
{
    const double fx = floor(x);
    const double fy = floor(y);
    const double u = (x - fx) * (x - fx) * (3 - 2 * (x - fx));
    const double v = (y - fy) * (y - fy) * (3 - 2 * (y - fy));
    const uint32_t ix = (uint32_t)fx;
    const uint32_t iy = (uint32_t)fy;
    const double top = lattice(ix, iy, seed) * (1 - u) + lattice(ix + 1, iy, seed) * u;
    const double bottom = lattice(ix, iy + 1, seed) * (1 - u) + lattice(ix + 1, iy + 1, seed) * u;
    return top * (1 - v) + bottom * v;
}

static uint8_t *paint(uint32_t side)
{
    uint8_t *rgba = malloc((size_t)side * side * 4);
    require(rgba != NULL, "malloc");
    for (uint32_t y = 0; y < side; y++) {
        for (uint32_t x = 0; x < side; x++) {
            const double region = floor(noise(x / 90.0, y / 90.0, 7) * 9);
            for (uint32_t c = 0; c < 4; c++) {
                double v = 0.15 + 0.6 * lattice((uint32_t)region, c, 3);
                v += 0.35 * (noise(x / 40.0, y / 40.0, 11 + c) - 0.5) +
                     0.12 * (noise(x / 6.0, y / 6.0, 5) - 0.5);
                v += 0.06 * (lattice(x, y, 17) - 0.5);
                v = c == 3 ? noise(x / 60.0, y / 60.0, 23) : v;
                rgba[((size_t)y * side + x) * 4 + c] = (uint8_t)(255 * fmin(1, fmax(0, v)));
            }
        }
    }
    return rgba;
}

typedef struct png_sink {
    size_t size;
} png_sink;

static void count_bytes(png_structp png, png_bytep data, size_t size)
{
    (void)data;
    ((png_sink *)png_get_io_ptr(png))->size += size;
}

static void no_flush(png_structp png)
{
    (void)png;
}

/* level < 0: libpng's defaults. */
static size_t libpng_write(const rift_pixels *p, bool with_alpha, int level)
{
    png_sink sink = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    require(info != NULL, "libpng");
    png_set_write_fn(png, &sink, count_bytes, no_flush);
    if (level >= 0)
        png_set_compression_level(png, level);
    png_set_IHDR(png, info, p->width, p->height, 8, with_alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    if (!with_alpha)
        png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (uint32_t y = 0; y < p->height; y++)
        png_write_row(png, p->rgba + (size_t)y * p->width * 4);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return sink.size;
}

static size_t our_write(const rift_pixels *p, bool with_alpha)
{
    rift_arena arena;
    rift_arena tmp;
    rift_arena_init(&arena, 1U << 30);
    rift_arena_init(&tmp, 1U << 30);
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_bytes out;
    require(rift_png_write(&out, p, with_alpha, &arena, &tmp, &err), "rift_png_write");
    rift_arena_release(&arena);
    rift_arena_release(&tmp);
    return out.size;
}

static size_t encode(size_t which, const rift_pixels *p, bool with_alpha)
{
    return which == 0 ? our_write(p, with_alpha) : libpng_write(p, with_alpha, which == 1 ? -1 : 1);
}

static void bench_png(const char *name, const rift_pixels *p, bool with_alpha)
{
    static const char *const names[3] = {"ours", "libpng default", "libpng level 1"};
    double ms[3][RUNS];
    size_t sizes[3] = {0};
    const double pixels = (double)p->width * p->height;
    for (int run = -1; run < RUNS; run++) {
        for (size_t i = 0; i < 3; i++) {
            const double start = now_ms();
            sizes[i] = encode(i, p, with_alpha);
            if (run >= 0)
                ms[i][run] = now_ms() - start;
        }
    }
    for (size_t i = 0; i < 3; i++)
        qsort(ms[i], RUNS, sizeof ms[i][0], compare);
    for (size_t i = 0; i < 3; i++) {
        printf("png    %-22s %s %-15s min %7.2f median %7.2f ms %6.1f Mpx/s %6.2f bpp", name,
               with_alpha ? "rgba" : "rgb ", names[i], ms[i][0], ms[i][RUNS / 2],
               pixels / ms[i][RUNS / 2] / 1e3, (double)sizes[i] * 8 / pixels);
        if (i > 0)
            printf("  ours: %5.2f x faster (min %5.2f), %5.3f x bytes", ms[i][RUNS / 2] / ms[0][RUNS / 2],
                   ms[i][0] / ms[0][0], (double)sizes[0] / (double)sizes[i]);
        printf("\n");
    }
}

static void bench_decode(const char *name, const rift_image *image, rift_arena *arena)
{
    double ms[RUNS];
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    const double pixels = (double)image->levels[0].width * image->levels[0].height;
    for (int run = -1; run < RUNS; run++) {
        const rift_arena_mark mark = rift_arena_get_mark(arena);
        rift_pixels p;
        const double start = now_ms();
        require(rift_texture_decode(&p, image, 0, arena, &err), "decode");
        if (run >= 0)
            ms[run] = now_ms() - start;
        rift_arena_rewind(arena, mark);
    }
    qsort(ms, RUNS, sizeof ms[0], compare);
    printf("decode %-22s %-5s min %7.2f median %7.2f ms %6.1f Mpx/s\n", name,
           rift_pixel_format_name(image->format), ms[0], ms[RUNS / 2], pixels / ms[RUNS / 2] / 1e3);
}

static void bench_halve(const char *name, const rift_pixels *p, rift_arena *arena)
{
    double ms[RUNS];
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    for (int run = -1; run < RUNS; run++) {
        const rift_arena_mark mark = rift_arena_get_mark(arena);
        rift_pixels half;
        const double start = now_ms();
        require(rift_texture_halve(&half, p, arena, &err), "halve");
        if (run >= 0)
            ms[run] = now_ms() - start;
        rift_arena_rewind(arena, mark);
    }
    qsort(ms, RUNS, sizeof ms[0], compare);
    printf("halve  %-22s       min %7.2f median %7.2f ms %6.1f Mpx/s\n", name, ms[0], ms[RUNS / 2],
           (double)p->width * p->height / ms[RUNS / 2] / 1e3);
}

static void bench_file(const char *name, rift_bytes file, bool png)
{
    rift_arena arena;
    rift_arena_init(&arena, 1U << 30);
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_image image;
    rift_pixels pixels;
    require(rift_image_parse(&image, file, NULL, &err), "parse");
    bench_decode(name, &image, &arena);
    require(rift_texture_load(&pixels, &image, 0, &arena, &err), "load");
    if (png) {
        bench_halve(name, &pixels, &arena);
        bench_png(name, &pixels, false);
        if (!rift_texture_alpha_stats(&pixels).all_255)
            bench_png(name, &pixels, true);
    }
    rift_arena_release(&arena);
}

static void bench_made(uint32_t side)
{
    static const rift_pixel_format formats[] = {RIFT_PIXEL_BC1, RIFT_PIXEL_BC3, RIFT_PIXEL_BC5,
                                                RIFT_PIXEL_BC7, RIFT_PIXEL_BGRA8};
    uint8_t *rgba = paint(side);
    for (size_t i = 0; i < RIFT_COUNT(formats); i++) {
        rift_arena arena;
        rift_arena_init(&arena, 1U << 30);
        char name[64];
        (void)snprintf(name, sizeof name, "made %u", side);
        if (formats[i] == RIFT_PIXEL_BC1)
            for (size_t k = 0; k < (size_t)side * side; k++)
                rgba[k * 4 + 3] = rgba[k * 4 + 3] | 128; /* no holes */
        const fx_image fx = {.format = formats[i], .width = side, .height = side, .rgba = rgba};
        const rift_bytes file = fx_tex(&fx, &arena);
        require(file.size > 0, "fx_tex");
        bench_file(name, file, formats[i] == RIFT_PIXEL_BC1 || formats[i] == RIFT_PIXEL_BC3);
        rift_arena_release(&arena);
    }
    free(rgba);
}

static rift_bytes read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    require(f != NULL, path);
    (void)fseek(f, 0, SEEK_END);
    const size_t size = (size_t)ftell(f);
    (void)fseek(f, 0, SEEK_SET);
    uint8_t *data = malloc(size + 1);
    require(data != NULL && fread(data, 1, size, f) == size, path);
    (void)fclose(f);
    return (rift_bytes){data, size};
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');
        const rift_bytes file = read_file(argv[i]);
        bench_file(slash != NULL ? slash + 1 : argv[i], file, true);
        free((void *)(uintptr_t)file.data);
    }
    if (argc == 1) {
        bench_made(256);
        bench_made(1024);
        bench_made(2048);
    }
    return 0;
}
