/* A picture of 256 pixels, as PNG, against the whole conversion of the same skin in the same run: process time, minimum and
 * median of N runs after one that is dropped, alternating, so that a busy machine hits all alike.
 *
 * The claim is a tenth, of skins of real size: of the small ones of the synthetic game, whose conversion takes some
 * milliseconds, a picture is as much or more, because drawing 256 x 256 samples costs the same for every skin.
 *
 *   bench_render              the synthetic game, one champion of real size (bulk.h), and the real files where they are
 *   bench_render DIR SKIN…    skins of a game folder */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../unit/demo/demo_open.h"
#include "bake/bake.h"
#include "base/str.h"
#include "bulk.h"
#include "files/gamedir.h"
#include "support/check.h"

enum { RUNS = 9, SIZE = 256 };

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

/* One conversion or one picture, with arenas of its own, as a job has them; the bytes, or 0. */
static size_t make(const rift_bake_request *request, bool picture, rift_err *err)
{
    rift_arena out;
    rift_arena tmp;
    rift_bake_result result;
    rift_pixels pixels;
    rift_bytes file = {0};
    rift_arena_init(&out, 1U << 30);
    rift_arena_init(&tmp, 1U << 30);
    rift_err_in(err, (rift_str){0});
    if (picture) {
        rift_view view = rift_view_default();
        view.size = SIZE;
        if (!rift_picture(&pixels, &result, request, &view, &out, &tmp, err) ||
            !rift_png_write(&file, &pixels, true, &out, &tmp, err))
            file.size = 0;
    } else if (rift_bake(&result, request, &out, &tmp, err)) {
        file = result.glb;
    }
    rift_arena_release(&out);
    rift_arena_release(&tmp);
    return file.size;
}

/* `claimed`: the claim is about this one. */
static void bench(const rift_game *game, const char *name, bool claimed)
{
    rift_arena arena;
    rift_err err;
    rift_skin_ref skin;
    rift_arena_init(&arena, 1 << 20);
    rift_err_in(&err, (rift_str){0});
    const rift_assets assets = rift_game_assets(game);
    const rift_bake_request request = {.skin = &skin, .assets = &assets, .options = rift_options_default()};
    double ms[2][RUNS];
    size_t sizes[2] = {0};
    bool ok = rift_game_find_skin(game, rift_str_c(name), &arena, &skin, &err);
    for (int run = -1; ok && run < RUNS; run++) {
        for (int i = 0; ok && i < 2; i++) {
            const double start = now_ms();
            sizes[i] = make(&request, i == 1, &err);
            ok = sizes[i] > 0;
            if (run >= 0)
                ms[i][run] = now_ms() - start;
        }
    }
    char text[sizeof err];
    if (!ok) {
        printf("%-14s %s\n", name, rift_err_print(&err, text, sizeof text));
    } else {
        for (int i = 0; i < 2; i++)
            qsort(ms[i], RUNS, sizeof ms[i][0], compare);
        const double ratio = ms[1][RUNS / 2] / ms[0][RUNS / 2];
        printf("%-14s GLB %8.2f %8.2f ms %9zu B   picture %7.2f %7.2f ms %7zu B   ratio %.3f %.3f%s\n", name,
               ms[0][0], ms[0][RUNS / 2], sizes[0], ms[1][0], ms[1][RUNS / 2], sizes[1], ms[1][0] / ms[0][0],
               ratio,
               !claimed      ? "  small"
               : ratio < 0.1 ? "  below 0.1"
                             : "  OVER");
    }
    rift_arena_release(&arena);
}

static void bench_demo(void)
{
    static const char *const skins[] = {"9001000", "9001001", "9001002", "35010"};
    demo_open demo = {0};
    for (size_t i = 0; demo_open_game(&demo, 1) && i < RIFT_COUNT(skins); i++) {
        bench(&demo.game, skins[i], false);
        demo_close(&demo);
    }
}

static bool told(bool ok, const rift_err *err)
{
    char text[sizeof *err];
    if (!ok)
        printf("%s\n", rift_err_print(err, text, sizeof text));
    return ok;
}

static void bench_bulk(void)
{
    rift_arena arena;
    rift_report report;
    rift_game game;
    rift_err err;
    rift_arena_init(&arena, 1U << 30);
    rift_report_init(&report, &arena);
    rift_err_in(&err, (rift_str){0});
    if (told(bulk_open(&game, &arena, &report, &err), &err))
        bench(&game, "bulk/0", true);
    rift_arena_release(&arena);
}

static bool bench_folder(const char *folder, const char *const *skins, size_t count)
{
    rift_gamedir dir;
    rift_arena arena;
    rift_report report;
    rift_err err;
    rift_arena_init(&arena, 1U << 30);
    rift_report_init(&report, &arena);
    rift_err_in(&err, (rift_str){0});
    const bool ok = told(rift_gamedir_open(&dir, folder, &arena, &report, &err), &err);
    for (size_t i = 0; ok && i < count; i++)
        bench(&dir.game, skins[i], true);
    if (ok)
        rift_gamedir_close(&dir);
    rift_arena_release(&arena);
    return ok;
}

int main(int argc, char **argv)
{
    static const char *const real[] = {"157000", "157001", "157002", "157017", "157018", "157035", "157036"};
    char path[4096];
    printf("minimum and median of %d\n", RUNS);
    if (argc >= 2)
        return bench_folder(argv[1], (const char *const *)(argv + 2), (size_t)argc - 2) ? 0 : 1;
    bench_demo();
    bench_bulk();
    if (check_corpus() == NULL) {
        printf("no real files (RIFT_CORPUS, else ../shared/corpus)\n");
        return 0;
    }
    (void)snprintf(path, sizeof path, "%s/game", check_corpus());
    (void)bench_folder(path, real, RIFT_COUNT(real));
    return 0;
}
