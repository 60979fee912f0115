/* Every mesh, skeleton and animation of the real files parses. */
#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/str.h"
#include "formats/anm.h"
#include "formats/skl.h"
#include "formats/skn.h"
#include "hash/hash.h"
#include "support/check.h"

enum { ARENA_LIMIT = 512 * 1024 * 1024, PATH_SIZE = 4096 };

typedef struct tally {
    unsigned skn, skl, anm;
} tally;

typedef struct file {
    rift_arena arena;
    rift_report report;
    rift_err err;
    rift_bytes bytes;
} file;

static void open_bytes(file *f, rift_bytes bytes)
{
    rift_arena_init(&f->arena, ARENA_LIMIT);
    rift_report_init(&f->report, &f->arena);
    f->err = check_err();
    f->bytes = bytes;
}

static void close_file(file *f)
{
    rift_arena_release(&f->arena);
    free((void *)(uintptr_t)f->bytes.data);
}

static void check_curve(const rift_anm_curve *curve, size_t width, float length)
{
    for (size_t i = 0; i < curve->key_count; i++) {
        double square = 0;
        for (size_t k = 0; k < width; k++)
            square += (double)curve->values[width * i + k] * (double)curve->values[width * i + k];
        if (!CHECK(isfinite(square)) || (width == 4 && !CHECK_NEAR(square, 1, 1e-6)))
            return;
        if (!CHECK(curve->times[i] >= (i > 0 ? curve->times[i - 1] : 0)) || !CHECK(curve->times[i] <= length))
            return;
        double dot = 1;
        if (width == 4 && i > 0) {
            dot = 0;
            for (size_t k = 0; k < 4; k++)
                dot += (double)curve->values[4 * i + k] * (double)curve->values[4 * i + k - 4];
        }
        if (!CHECK(dot >= 0))
            return;
    }
}

static void check_anm(file *f)
{
    rift_anm anm;
    if (!CHECK_OK(rift_anm_parse(&anm, f->bytes, &f->arena, &f->report, &f->err), &f->err))
        return;
    CHECK(anm.track_count > 0);
    CHECK(anm.fps >= 29 && anm.fps <= 49);
    for (size_t i = 0; i < anm.track_count; i++)
        for (size_t c = 0; c < 3; c++)
            check_curve(&anm.tracks[i].curves[c], c == RIFT_ANM_ROTATION ? 4 : 3, anm.length);
    CHECK_U64(f->report.entry_count, 0);
}

static void check_skl(file *f)
{
    rift_skl skl;
    if (!CHECK_OK(rift_skl_parse(&skl, f->bytes, &f->arena, &f->report, &f->err), &f->err))
        return;
    for (size_t i = 0; i < skl.joint_count; i++) {
        CHECK(skl.joints[i].inverse_bind_valid);
        CHECK_U64(skl.joints[i].hash, rift_elf(skl.joints[i].name));
        CHECK_NEAR(rift_quat_dot(skl.joints[i].local.r, skl.joints[i].local.r), 1, 1e-3);
    }
    CHECK(skl.influence_count > 0);
}

static void check_skn(file *f)
{
    rift_skn skn;
    if (!CHECK_OK(rift_skn_parse(&skn, f->bytes, &f->arena, &f->report, &f->err), &f->err))
        return;
    CHECK(skn.vertex_count > 0 && skn.range_count > 0);
    size_t sum = 0;
    for (size_t i = 0; i < skn.range_count; i++) {
        CHECK_U64(skn.ranges[i].index_start, sum);
        sum += skn.ranges[i].index_count;
    }
    CHECK_U64(sum, skn.index_count);
    for (size_t i = 0; i < skn.vertex_count; i++) {
        const float *w = skn.blend_weights + 4 * i;
        if (!CHECK_NEAR((double)w[0] + (double)w[1] + (double)w[2] + (double)w[3], 1, 0.02))
            return;
    }
}

static void check_one(tally *t, const char *path, rift_bytes bytes)
{
    const rift_str name = rift_str_c(path);
    file f;
    open_bytes(&f, bytes);
    check_row("%s", path);
    if (rift_str_ends_nocase(name, RIFT_STR(".skn"))) {
        t->skn++;
        check_skn(&f);
    } else if (rift_str_ends_nocase(name, RIFT_STR(".skl"))) {
        t->skl++;
        check_skl(&f);
    } else if (rift_str_ends_nocase(name, RIFT_STR(".anm"))) {
        t->anm++;
        check_anm(&f);
    }
    close_file(&f);
}

static void walk(tally *t, const char *folder, int depth)
{
    struct dirent **names;
    const int n = depth > 0 ? scandir(folder, &names, NULL, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        char path[PATH_SIZE];
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        struct stat st;
        if (names[i]->d_name[0] != '.' && stat(path, &st) == 0) {
            if (S_ISDIR(st.st_mode))
                walk(t, path, depth - 1);
            else
                check_one(t, path, check_read_file(path));
        }
        free(names[i]);
    }
    if (n > 0)
        free(names);
}

static void every_file_parses(void)
{
    static const char *const folders[] = {"sets", "files"};
    tally t = {0};
    for (size_t i = 0; i < RIFT_COUNT(folders); i++) {
        char path[PATH_SIZE];
        (void)snprintf(path, sizeof path, "%s/%s", check_corpus(), folders[i]);
        walk(&t, path, 5);
    }
    check_row("%u skn, %u skl, %u anm", t.skn, t.skl, t.anm);
    CHECK(t.skn >= 10 && t.skl >= 10 && t.anm >= 190);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    if (check_corpus() == NULL)
        check_skip("no folder of real files (RIFT_CORPUS)");
    RUN(every_file_parses);
    return check_finish();
}
