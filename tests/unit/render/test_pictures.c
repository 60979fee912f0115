/* Every skin of the synthetic game as a picture, against tests/golden/pictures/. RIFT_UPDATE_GOLDEN=1 rewrites them; look at them
 * before they are committed. On failure the picture that was drawn, and where it differs, lie in the build folder. */
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../demo/demo_open.h"
#include "bake/bake.h"
#include "base/str.h"
#include "support/check.h"

enum { LIMIT = 256 << 20, SIZE = 96, CELL = 64 };

/* How far a picture may be from its golden: what a change of filtering does, not what a missing part or another colour does. */
#define FAR_OFF 32      /* of 255, in a channel over black or over white */
#define MAX_FAR_OFF 200 /* pixels of 10000 */
#define MAX_MEAN 1.5

static demo_open demo;

typedef struct drawn {
    rift_arena out, tmp;
    rift_bake_result result;
    rift_err err;
    bool ok;
    rift_pixels pixels;
} drawn;

typedef bool draw_fn(rift_pixels *picture,
                     rift_bake_result *result,
                     const rift_bake_request *request,
                     const rift_view *view,
                     rift_arena *out,
                     rift_arena *tmp,
                     rift_err *err);

typedef struct wish {
    const char *skin;
    const char *pose, *clips; /* or NULL */
    uint32_t size;
    int turn;
    draw_fn *how; /* NULL: rift_picture */
} wish;

static void begin(drawn *d)
{
    rift_arena_init(&d->out, LIMIT);
    rift_arena_init(&d->tmp, LIMIT);
    d->err = check_err();
}

static void end(drawn *d)
{
    rift_arena_release(&d->tmp);
    rift_arena_release(&d->out);
}

static void draw_on(drawn *d, const wish *w)
{
    rift_skin_ref skin;
    rift_arena names;
    rift_arena_init(&names, 1 << 20);
    const rift_assets assets = rift_game_assets(&demo.game);
    rift_bake_request request = {.skin = &skin, .assets = &assets, .options = rift_options_default()};
    rift_view view = rift_view_default();
    view.size = w->size > 0 ? w->size : SIZE;
    view.turn = w->turn;
    d->ok = false;
    if (demo_find(&demo, w->skin, &names, &skin) &&
        (w->pose == NULL ||
         rift_options_set(&request.options, RIFT_STR("pose"), rift_str_c(w->pose), &names, &d->err)) &&
        (w->clips == NULL ||
         rift_options_set(&request.options, RIFT_STR("clips"), rift_str_c(w->clips), &names, &d->err)))
        d->ok = (w->how != NULL ? w->how : rift_picture)(&d->pixels, &d->result, &request, &view, &d->out,
                                                         &d->tmp, &d->err);
    rift_arena_release(&names);
}

static void draw(drawn *d, const wish *w)
{
    begin(d);
    draw_on(d, w);
}

/* ---- comparing ---- */

static int over(const uint8_t *c, size_t channel, int background)
{
    return (c[channel] * c[3] + background * (255 - c[3]) + 127) / 255;
}

/* The largest difference of a pixel over black and over white. */
static int difference(const uint8_t *a, const uint8_t *b)
{
    int most = 0;
    for (int background = 0; background <= 255; background += 255) {
        for (size_t c = 0; c < 3; c++) {
            const int d = abs(over(a, c, background) - over(b, c, background));
            most = d > most ? d : most;
        }
    }
    return most;
}

typedef struct distance {
    size_t far_off; /* of 10000 pixels */
    double mean;
} distance;

static distance compare(const rift_pixels *a, const rift_pixels *b)
{
    const size_t count = (size_t)a->width * a->height;
    size_t far_off = 0;
    size_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const int d = difference(a->rgba + 4 * i, b->rgba + 4 * i);
        far_off += d > FAR_OFF;
        sum += (size_t)d;
    }
    return (distance){far_off * 10000 / count, (double)sum / (double)count};
}

static bool is_like(const rift_pixels *a, const rift_pixels *b)
{
    if (a->width != b->width || a->height != b->height)
        return false;
    const distance d = compare(a, b);
    return d.far_off <= MAX_FAR_OFF && d.mean <= MAX_MEAN;
}

/* ---- files ---- */

static void write_picture(const char *path, const rift_pixels *p)
{
    rift_arena arena;
    rift_err err = check_err();
    rift_bytes file;
    rift_arena_init(&arena, LIMIT);
    if (CHECK_OK(rift_png_write(&file, p, true, &arena, &arena, &err), &err)) {
        FILE *f = fopen(path, "wb");
        if (CHECK(f != NULL)) {
            CHECK(fwrite(file.data, 1, file.size, f) == file.size);
            CHECK(fclose(f) == 0);
        }
    }
    rift_arena_release(&arena);
}

static bool read_picture(const char *path, rift_pixels *out, rift_arena *arena)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path))
        return false;
    image.format = PNG_FORMAT_RGBA;
    *out = (rift_pixels){image.width, image.height, RIFT_NEW(arena, uint8_t, PNG_IMAGE_SIZE(image))};
    return out->rgba != NULL && png_image_finish_read(&image, NULL, out->rgba, 0, NULL) != 0;
}

/* Differences in grey, four times as strong. */
static void write_difference(const char *path, const rift_pixels *a, const rift_pixels *b, rift_arena *arena)
{
    rift_pixels p = {a->width, a->height, RIFT_NEW(arena, uint8_t, (size_t)a->width * a->height * 4)};
    if (!CHECK(p.rgba != NULL))
        return;
    for (size_t i = 0; i < (size_t)p.width * p.height; i++) {
        const int d = 4 * difference(a->rgba + 4 * i, b->rgba + 4 * i);
        memset(p.rgba + 4 * i, d > 255 ? 255 : d, 3);
        p.rgba[4 * i + 3] = 255;
    }
    write_picture(path, &p);
}

static const char *folder(const char *variable)
{
    const char *path = getenv(variable);
    return path != NULL ? path : ".";
}

static void show_failure(const char *name, const rift_pixels *got, const rift_pixels *want, rift_arena *arena)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/pictures", folder("RIFT_BINARY_DIR"));
    CHECK(mkdir(path, 0777) == 0 || errno == EEXIST);
    (void)snprintf(path, sizeof path, "%s/pictures/%s.png", folder("RIFT_BINARY_DIR"), name);
    write_picture(path, got);
    printf("note: drawn: %s\n", path);
    if (want->width != got->width || want->height != got->height)
        return;
    const distance d = compare(got, want);
    (void)snprintf(path, sizeof path, "%s/pictures/%s.difference.png", folder("RIFT_BINARY_DIR"), name);
    write_difference(path, got, want, arena);
    printf("note: %zu of 10000 pixels are far off, %.2f in the mean: %s\n", d.far_off, d.mean, path);
}

static void check_picture(const char *name, const rift_pixels *got)
{
    char path[4096];
    rift_arena arena;
    rift_pixels want = {0};
    rift_arena_init(&arena, LIMIT);
    (void)snprintf(path, sizeof path, "%s/tests/golden/pictures/%s.png", folder("RIFT_SOURCE_DIR"), name);
    const char *update = getenv("RIFT_UPDATE_GOLDEN");
    check_row("%s", path);
    if (update != NULL && strcmp(update, "1") == 0) {
        write_picture(path, got);
        printf("note: %s was rewritten\n", path);
    } else if (!CHECK(read_picture(path, &want, &arena)) || !CHECK(is_like(got, &want))) {
        show_failure(name, got, &want, &arena);
    }
    rift_arena_release(&arena);
}

/* ---- goldens ---- */

/* What cannot be converted cannot be drawn; all else has a golden. */
static void every_skin(void)
{
    size_t count = 0;
    for (size_t i = 0; i < demo.game.champion_count; i++) {
        const rift_champion *c = &demo.game.champions[i];
        for (size_t k = 0; k < c->skin_count; k++) {
            char skin[64];
            char name[64];
            drawn d;
            (void)snprintf(skin, sizeof skin, "%.*s/%u", RIFT_STR_ARG(c->alias), c->skins[k]);
            (void)snprintf(name, sizeof name, "%.*s-%u", RIFT_STR_ARG(c->alias), c->skins[k]);
            draw(&d, &(wish){.skin = skin, .size = k == 0 && i == 0 ? 2 * SIZE : SIZE});
            check_row("%s", skin);
            if (d.ok) {
                check_picture(name, &d.pixels);
                count++;
            } else {
                CHECK_STR(rift_str_c(skin), RIFT_STR("shaco/6")); /* the one without its mesh */
                CHECK_CODE(&d.err, RIFT_ERR_NOT_FOUND);
            }
            end(&d);
        }
    }
    check_row("all");
    CHECK(count >= 8);
}

/* Skins that belong to no champion, from pets to cases of exhibits. */
static void every_pet(void)
{
    static const unsigned without_mesh = 5;
    for (unsigned k = 0; k <= 9; k++) {
        char skin[64];
        char name[64];
        drawn d;
        (void)snprintf(skin, sizeof skin, "brambleseed/%u", k);
        (void)snprintf(name, sizeof name, "brambleseed-%u", k);
        draw(&d, &(wish){.skin = skin, .turn = 30});
        check_row("%s", skin);
        CHECK_U64(d.err.code, k == without_mesh ? RIFT_ERR_NOT_FOUND : RIFT_OK);
        if (d.ok)
            check_picture(name, &d.pixels);
        end(&d);
    }
}

static void other_views(void)
{
    static const struct {
        const char *name;
        wish wish;
    } rows[] = {
        {"knight-back", {.skin = "9001001", .turn = 180}},
        {"knight-right", {.skin = "9001001", .turn = 90}},
        {"knight-run", {.skin = "9001001", .pose = "Run@0.3"}},
        {"bramble-joke", {.skin = "9001000", .pose = "Joke@0.3", .size = 2 * SIZE}},
        {"knight-sheet", {.skin = "9001001", .size = CELL, .how = rift_contact_sheet}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        drawn d;
        draw(&d, &rows[i].wish);
        check_row("%s", rows[i].name);
        if (CHECK_OK(d.ok, &d.err))
            check_picture(rows[i].name, &d.pixels);
        end(&d);
    }
}

/* The tolerance lets nothing through that people would call another picture. */
static void tells_pictures_apart(void)
{
    static const wish others[] = {
        {.skin = "9001002"},                  /* other colours */
        {.skin = "9001001", .turn = 15},      /* a little turned */
        {.skin = "9001001", .pose = "Run@0"}, /* another pose */
    };
    drawn d;
    draw(&d, &(wish){.skin = "9001001"});
    for (size_t i = 0; i < RIFT_COUNT(others) && CHECK_OK(d.ok, &d.err); i++) {
        drawn o;
        draw(&o, &others[i]);
        check_row("other %zu", i);
        if (CHECK_OK(o.ok, &o.err))
            CHECK(!is_like(&d.pixels, &o.pixels));
        end(&o);
    }
    end(&d);
}

/* ---- what is drawn ---- */

static void check_same(const wish *a, const wish *b)
{
    drawn x;
    drawn y;
    draw(&x, a);
    draw(&y, b);
    if (CHECK_OK(x.ok, &x.err) && CHECK_OK(y.ok, &y.err)) {
        const size_t size = (size_t)x.pixels.width * x.pixels.height * 4;
        CHECK_U64(y.pixels.width, x.pixels.width);
        CHECK(memcmp(x.pixels.rgba, y.pixels.rgba, size) == 0);
    }
    end(&x);
    end(&y);
}

static void the_pose_is_the_idle_clip(void)
{
    check_same(&(wish){.skin = "9001001"}, &(wish){.skin = "9001001", .pose = "Idle1@0"});
    check_row("past its end a clip stands still");
    check_same(&(wish){.skin = "9001001", .pose = "Run@1000"},
               &(wish){.skin = "9001001", .pose = "Run@80000"});
    drawn d;
    draw(&d, &(wish){.skin = "9001001", .pose = "Moonwalk@0"});
    CHECK(!d.ok);
    CHECK_CODE(&d.err, RIFT_ERR_ARGUMENT);
    end(&d);
}

/* A cell is the picture of the clip in its middle: Run lasts 2/3 s. */
static void a_sheet_is_made_of_pictures(void)
{
    drawn sheet;
    drawn one;
    draw(&sheet, &(wish){.skin = "9001001", .clips = "Idle1,Run", .size = CELL, .how = rift_contact_sheet});
    draw(&one, &(wish){.skin = "9001001", .pose = "Run@0.333333", .size = CELL});
    if (CHECK_OK(sheet.ok, &sheet.err) && CHECK_OK(one.ok, &one.err)) {
        CHECK_U64(sheet.pixels.width, 2 * CELL);
        CHECK_U64(sheet.pixels.height, CELL);
        for (size_t right = 0; right < 2; right++) {
            rift_pixels cell = {CELL, CELL, RIFT_NEW(&one.out, uint8_t, (size_t)CELL * CELL * 4)};
            for (size_t y = 0; y < CELL; y++) {
                memcpy(cell.rgba + 4 * y * CELL, sheet.pixels.rgba + 4 * (y * 2 * CELL + right * CELL),
                       (size_t)CELL * 4);
            }
            check_row("cell %zu", right);
            CHECK(is_like(&cell, &one.pixels) == (right == 1));
        }
    }
    end(&one);
    end(&sheet);
}

static void sheets_that_cannot_be(void)
{
    static const struct {
        const char *clips;
        uint32_t size;
        const char *where;
    } rows[] = {{"none", CELL, "clips"}, {"Moonwalk", CELL, "clips"}, {"*", 1024, NULL}};
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        drawn d;
        draw(&d,
             &(wish){
                 .skin = "9001001", .clips = rows[i].clips, .size = rows[i].size, .how = rift_contact_sheet});
        check_row("%s at %u", rows[i].clips, rows[i].size);
        CHECK(d.ok == (rows[i].where == NULL));
        if (!d.ok) {
            CHECK_CODE(&d.err, RIFT_ERR_ARGUMENT);
            CHECK_STR(rift_str_c(d.err.where), rift_str_c(rows[i].where));
        }
        end(&d);
    }
}

/* Hidden parts are left out, as of the GLB: Recall_Robe, Weapon_Trail and Tentacles at the start; from the third to the
 * twentieth frame of Joke, at 31 a second, the robe is there in place of the two Twins. */
static void what_shows_is_drawn(void)
{
    static const struct {
        const char *pose;
        uint64_t hidden;
    } rows[] = {{NULL, 3},         {"Joke@0.095", 3}, {"Joke@0.096", 3},
                {"Joke@0.098", 4}, {"Joke@0.64", 4},  {"Joke@0.65", 3}};
    drawn d[RIFT_COUNT(rows)];
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        draw(&d[i], &(wish){.skin = "9001000", .pose = rows[i].pose});
        check_row("%s", rows[i].pose != NULL ? rows[i].pose : "none");
        CHECK_OK(d[i].ok, &d[i].err);
        CHECK_U64(rift_report_count(&d[i].result.report, "hidden_part"), rows[i].hidden);
        if (i >= 2 && d[i - 1].ok && d[i].ok) /* neighbours in time are one pose: also to see */
            CHECK(i == 4 ||
                  is_like(&d[i - 1].pixels, &d[i].pixels) == (rows[i].hidden == rows[i - 1].hidden));
    }
    for (size_t i = 0; i < RIFT_COUNT(rows); i++)
        end(&d[i]);
}

/* Each cell of a sheet shows what its clip does in the middle: half of Joke's 30 frames at 31 a second. */
static void sheets_show_it_too(void)
{
    drawn sheet;
    drawn one;
    draw(&sheet, &(wish){.skin = "9001000", .clips = "Joke", .size = CELL, .how = rift_contact_sheet});
    draw(&one, &(wish){.skin = "9001000", .pose = "Joke@0.483871", .size = CELL});
    if (CHECK_OK(sheet.ok, &sheet.err) && CHECK_OK(one.ok, &one.err))
        CHECK(is_like(&sheet.pixels, &one.pixels));
    CHECK_U64(rift_report_count(&one.result.report, "hidden_part"), 4);
    end(&one);
    end(&sheet);
}

/* ---- failing ---- */

/* Whichever push of either arena fails: NOMEM, no crash, no leak. Every push of the small skin would be thousands of pictures. */
static void allocations_may_fail(void)
{
    for (int which = 0; which < 2; which++) {
        uint64_t n = 1;
        size_t failed = 0;
        for (;; n += 1 + n / 12) {
            drawn d;
            begin(&d);
            (which == 0 ? &d.out : &d.tmp)->fail_at = n;
            draw_on(&d, &(wish){.skin = "35010", .size = 16});
            const bool ok = d.ok;
            const rift_status code = d.err.code;
            end(&d);
            if (ok)
                break;
            failed++;
            check_row("push %llu of %s", (unsigned long long)n, which == 0 ? "out" : "tmp");
            if (!CHECK_U64(code, RIFT_ERR_NOMEM))
                return;
        }
        check_row("arena %d", which);
        CHECK(failed > 10);
    }
}

static void memory_has_limits(void)
{
    drawn d;
    begin(&d);
    d.tmp.limit = 100000;
    draw_on(&d, &(wish){.skin = "9001001"});
    CHECK(!d.ok);
    CHECK_CODE(&d.err, RIFT_ERR_LIMIT);
    end(&d);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    if (!demo_open_game(&demo, 1))
        return 1;
    RUN(every_skin);
    RUN(every_pet);
    RUN(other_views);
    RUN(tells_pictures_apart);
    RUN(the_pose_is_the_idle_clip);
    RUN(a_sheet_is_made_of_pictures);
    RUN(sheets_that_cannot_be);
    RUN(what_shows_is_drawn);
    RUN(sheets_show_it_too);
    RUN(allocations_may_fail);
    RUN(memory_has_limits);
    demo_close(&demo);
    return check_finish();
}
