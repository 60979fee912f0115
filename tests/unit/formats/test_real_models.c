/* Every mesh, skeleton and animation of the real files parses, from folders and out of an archive. The totals were
 * added up by an independent program from the bytes; files of the archive are told by their first bytes. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "formats/anm.h"
#include "formats/scb.h"
#include "formats/skl.h"
#include "formats/skn.h"
#include "formats/wad.h"
#include "hash/hash.h"
#include "support/check.h"

enum { ARENA_LIMIT = 512 * 1024 * 1024, PATH_SIZE = 4096 };
static const double relative = 1e-6; /* of sums of float32 values */
/* Stored inverse binds differ by up to 0.007 from the inverted chain (formats/skl.md). */
static const double bind_slack = 0.01;

typedef struct anm_sum {
    uint64_t files, tracks, frames, constant_t, constant_r; /* frames: keys of compressed files */
    double length, abs_x, abs_w; /* of all translations and rotations at all frames or keys */
} anm_sum;

typedef struct sums {
    anm_sum v3, v4, v5, canm;
    uint64_t skl, joints, influences, roots, legacy, legacy_joints, unbound;
    double local_y, inverse_y; /* absolute, current layout */
    uint64_t skn, ranges, indices, vertices;
    double x, v; /* absolute positions; plain uv */
    uint64_t scb, scb_vertices, scb_faces, scb_materials;
    double scb_x, scb_uv; /* absolute positions; twice the second corner's u and all v */
} sums;

typedef struct file {
    rift_arena arena;
    rift_report report;
    rift_err err;
    rift_bytes bytes;
} file;

static void check_curve(const rift_anm_curve *curve, size_t width, float length)
{
    for (size_t i = 0; i < curve->key_count; i++) {
        const float *v = curve->values + width * i;
        double square = 0;
        double dot = 0;
        for (size_t k = 0; k < width; k++) {
            square += (double)v[k] * (double)v[k];
            dot += width == 4 && i > 0 ? (double)v[k] * (double)v[(int)k - 4] : 0;
        }
        if (!CHECK(isfinite(square)) || (width == 4 && !CHECK_NEAR(square, 1, 1e-6)) ||
            !CHECK(dot >= 0 || i == 0 || width == 3))
            return;
        if (!CHECK(curve->times[i] >= (i > 0 ? curve->times[i - 1] : 0)) || !CHECK(curve->times[i] <= length))
            return;
    }
}

/* Sum of the absolute values of one element of each key, a constant counted for every frame. */
static double sum_keys(const rift_anm *anm, const rift_anm_curve *curve, size_t width, size_t element)
{
    double sum = 0;
    for (size_t i = 0; i < curve->key_count; i++)
        sum += fabs((double)curve->values[width * i + element]);
    return curve->is_constant ? sum * anm->frame_count : sum;
}

static anm_sum *sum_of(sums *s, const rift_anm *anm)
{
    if (anm->compressed)
        return &s->canm;
    return anm->version == 3 ? &s->v3 : anm->version == 4 ? &s->v4 : &s->v5;
}

static void add_anm(sums *s, file *f)
{
    rift_anm anm;
    if (!CHECK_OK(rift_anm_parse(&anm, f->bytes, &f->arena, &f->report, &f->err), &f->err))
        return;
    anm_sum *sum = sum_of(s, &anm);
    sum->files++;
    sum->tracks += anm.track_count;
    sum->frames += anm.frame_count;
    sum->length += (double)anm.length;
    CHECK(anm.fps >= 29 && anm.fps <= 49);
    for (size_t i = 0; i < anm.track_count; i++) {
        const rift_anm_curve *curves = anm.tracks[i].curves;
        for (size_t c = 0; c < 3; c++)
            check_curve(&curves[c], c == RIFT_ANM_ROTATION ? 4 : 3, anm.length);
        sum->constant_t += curves[RIFT_ANM_TRANSLATION].is_constant;
        sum->constant_r += curves[RIFT_ANM_ROTATION].is_constant;
        sum->abs_x += sum_keys(&anm, &curves[RIFT_ANM_TRANSLATION], 3, 0);
        sum->abs_w += sum_keys(&anm, &curves[RIFT_ANM_ROTATION], 4, 3);
    }
    CHECK_U64(f->report.entry_count, 0);
}

/* Whether the rest chain undoes the inverse bind: then signs, order and units all agree. */
static bool is_bound(const rift_skl *skl, size_t id)
{
    rift_mat4 m = rift_mat4_identity();
    int joint = (int)id;
    for (size_t steps = 0; joint >= 0 && steps < skl->joint_count; steps++) {
        m = rift_mat4_mul(rift_mat4_from_trs(skl->joints[joint].local), m);
        joint = skl->joints[joint].parent;
    }
    m = rift_mat4_mul(m, skl->joints[id].inverse_bind);
    for (int i = 0; i < 16; i++) {
        if (!(fabs(m.m[i] - (i % 5 == 0 ? 1 : 0)) <= bind_slack))
            return false;
    }
    return true;
}

static void add_skl(sums *s, file *f)
{
    rift_skl skl;
    if (!CHECK_OK(rift_skl_parse(&skl, f->bytes, &f->arena, &f->report, &f->err), &f->err))
        return;
    for (size_t i = 0; i < skl.joint_count; i++) {
        CHECK(skl.joints[i].inverse_bind_valid);
        CHECK_U64(skl.joints[i].hash, rift_elf(skl.joints[i].name));
        CHECK_NEAR(rift_quat_dot(skl.joints[i].local.r, skl.joints[i].local.r), 1, 1e-3);
        s->unbound += !is_bound(&skl, i);
    }
    CHECK(skl.influence_count > 0);
    CHECK_U64(f->report.entry_count, 0);
    if (skl.legacy) {
        s->legacy++;
        s->legacy_joints += skl.joint_count;
        return;
    }
    s->skl++;
    s->joints += skl.joint_count;
    s->influences += skl.influence_count;
    for (size_t i = 0; i < skl.joint_count; i++) {
        s->roots += skl.joints[i].parent == RIFT_SKL_NO_PARENT;
        s->local_y += fabs(skl.joints[i].local.t.y);
        s->inverse_y += fabs(skl.joints[i].inverse_bind.m[13]);
    }
}

static void add_skn(sums *s, file *f)
{
    rift_skn skn;
    if (!CHECK_OK(rift_skn_parse(&skn, f->bytes, &f->arena, &f->report, &f->err), &f->err))
        return;
    s->skn++;
    s->ranges += skn.range_count;
    s->indices += skn.index_count;
    s->vertices += skn.vertex_count;
    for (size_t i = 0; i < skn.vertex_count; i++) {
        const float *w = skn.blend_weights + 4 * i;
        if (!CHECK_NEAR((double)w[0] + (double)w[1] + (double)w[2] + (double)w[3], 1, 0.02))
            return;
        s->x += fabs((double)skn.positions[3 * i]);
        s->v += (double)skn.uvs[2 * i + 1];
    }
}

static void add_scb(sums *s, file *f)
{
    rift_scb scb;
    if (!CHECK_OK(rift_scb_parse(&scb, f->bytes, &f->arena, &f->report, &f->err), &f->err))
        return;
    s->scb++;
    s->scb_vertices += scb.vertex_count;
    s->scb_faces += scb.face_count;
    s->scb_materials += scb.material_count;
    for (size_t i = 0; i < scb.vertex_count; i++)
        s->scb_x += fabs((double)scb.positions[3 * i]);
    for (size_t i = 0; i < scb.face_count; i++) {
        for (size_t k = 0; k < 3; k++)
            s->scb_uv += (double)scb.faces[i].uv[k][1] + (k == 1 ? 2 * (double)scb.faces[i].uv[k][0] : 0);
    }
}

static void free_bytes(rift_bytes b)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the harness hands out malloc'ed bytes behind a const pointer */
    free((void *)(uintptr_t)b.data);
}

static bool starts(rift_bytes b, size_t at, const char *magic, size_t size)
{
    return b.size >= at + size && memcmp(b.data + at, magic, size) == 0;
}

static void add_file(sums *s, rift_bytes bytes)
{
    file f = {.err = check_err(), .bytes = bytes};
    rift_arena_init(&f.arena, ARENA_LIMIT);
    rift_report_init(&f.report, &f.arena);
    if (starts(bytes, 0, "\x33\x22\x11", 4)) {
        add_skn(s, &f);
    } else if (starts(bytes, 0, "r3d2sklt", 8) || starts(bytes, 4, "\xc3\x4f\xfd\x22", 4)) {
        add_skl(s, &f);
    } else if (starts(bytes, 0, "r3d2anmd", 8) || starts(bytes, 0, "r3d2canm", 8)) {
        add_anm(s, &f);
    } else if (starts(bytes, 0, "r3d2Mesh", 8)) {
        add_scb(s, &f);
    }
    rift_arena_release(&f.arena);
}

static void walk(sums *s, const char *folder, int depth)
{
    struct dirent **names = NULL;
    const int n = depth > 0 ? scandir(folder, &names, NULL, alphasort) : 0;
    for (int i = 0; i < n; i++) {
        char path[PATH_SIZE];
        struct stat st;
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.' && stat(path, &st) == 0) {
            check_row("%s", path);
            if (S_ISDIR(st.st_mode)) {
                walk(s, path, depth - 1);
            } else {
                const rift_bytes bytes = check_read_file(path);
                add_file(s, bytes);
                free_bytes(bytes);
            }
        }
        free(names[i]);
    }
    free(names);
}

static void check_sum(double got, double want)
{
    CHECK_NEAR(got, want, relative * want);
}

static void check_anm_sum(const char *kind, const anm_sum *got, const anm_sum *want)
{
    check_row("%s", kind);
    CHECK_U64(got->files, want->files);
    CHECK_U64(got->tracks, want->tracks);
    CHECK_U64(got->frames, want->frames);
    if (want->constant_t > 0) {
        CHECK_U64(got->constant_t, want->constant_t);
        CHECK_U64(got->constant_r, want->constant_r);
    }
    check_sum(got->length, want->length);
    check_sum(got->abs_x, want->abs_x);
    check_sum(got->abs_w, want->abs_w);
}

static void check_sums(const sums *got, const sums *want)
{
    check_anm_sum("anmd 3", &got->v3, &want->v3);
    check_anm_sum("anmd 4", &got->v4, &want->v4);
    check_anm_sum("anmd 5", &got->v5, &want->v5);
    check_anm_sum("canm", &got->canm, &want->canm);
    check_row("skl");
    CHECK_U64(got->skl, want->skl);
    CHECK_U64(got->joints, want->joints);
    CHECK_U64(got->influences, want->influences);
    CHECK_U64(got->roots, want->roots);
    CHECK_U64(got->unbound, want->unbound);
    CHECK_U64(got->legacy, want->legacy);
    CHECK_U64(got->legacy_joints, want->legacy_joints);
    check_sum(got->local_y, want->local_y);
    check_sum(got->inverse_y, want->inverse_y);
    check_row("skn");
    CHECK_U64(got->skn, want->skn);
    CHECK_U64(got->ranges, want->ranges);
    CHECK_U64(got->indices, want->indices);
    CHECK_U64(got->vertices, want->vertices);
    check_sum(got->x, want->x);
    check_sum(got->v, want->v);
    check_row("scb");
    CHECK_U64(got->scb, want->scb);
    CHECK_U64(got->scb_vertices, want->scb_vertices);
    CHECK_U64(got->scb_faces, want->scb_faces);
    CHECK_U64(got->scb_materials, want->scb_materials);
    check_sum(got->scb_x, want->scb_x);
    check_sum(got->scb_uv, want->scb_uv);
}

static void files_in_folders(void)
{
    static const char *const folders[] = {"sets", "files"};
    sums s = {0};
    for (size_t i = 0; i < RIFT_COUNT(folders); i++) {
        char path[PATH_SIZE];
        (void)snprintf(path, sizeof path, "%s/%s", check_corpus(), folders[i]);
        walk(&s, path, 5);
    }
    /* Three of the version 5 clips hold translations of up to 4e13, which is what their sum is. */
    check_sums(
        &s,
        &(sums){
            .v3 = {29, 2061, 2300, 0, 0, 75.34644428152495, 803679.5231539421, 82172.69945448436},
            .v4 = {1, 93, 2, 93, 93, 0.03333333507180214, 1652.6367231528002, 156.81677776575089},
            .v5 = {139, 17782, 8747, 11632, 8581, 286.9333482980728, 147554183666443.25, 761173.4684172398},
            .canm = {30, 5124, 196491, 0, 0, 83.63333356380463, 853506.4136769085, 89942.25397868485},
            .skl = 8,
            .joints = 476,
            .influences = 350,
            .roots = 56,
            .legacy = 3,
            .legacy_joints = 196,
            .unbound = 1, /* a weapon whose rest pose is turned away from its bind pose */
            .local_y = 11174.382981862873,
            .inverse_y = 30900.550302151638,
            .skn = 11,
            .ranges = 29,
            .indices = 217191,
            .vertices = 49307,
            .x = 1669751.974584822,
            .v = 23810.759382009506,
        });
}

static bool read_fd(void *user, uint64_t offset, void *dst, size_t len, rift_err *err)
{
    const int *fd = user;
    if (pread(*fd, dst, len, (off_t)offset) == (ssize_t)len)
        return true;
    return rift_fail(err, RIFT_ERR_IO, "test", offset, "cannot read %zu bytes", len);
}

static void add_entries(sums *s, const rift_wad *wad)
{
    for (size_t i = 0; i < wad->entry_count; i++) {
        rift_arena arena;
        rift_arena_init(&arena, ARENA_LIMIT);
        rift_err err = check_err();
        rift_bytes bytes = {0};
        check_row("%016llx", (unsigned long long)wad->entries[i].path_hash);
        if (CHECK_OK(rift_wad_read(wad, &wad->entries[i], &arena, &bytes, &err), &err))
            add_file(s, bytes);
        rift_arena_release(&arena);
    }
}

static void files_in_an_archive(void)
{
    static const char archive[] = "DATA/FINAL/Champions/Yasuo.wad.client";
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/game/%s", check_corpus(), archive);
    int fd = open(path, O_RDONLY);
    struct stat st;
    CHECK_FATAL(fd >= 0 && fstat(fd, &st) == 0);
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    rift_report report;
    rift_report_init(&report, &arena);
    rift_err err = check_err();
    rift_wad wad = {0};
    const rift_source source = {.user = &fd, .size = (uint64_t)st.st_size, .read_at = read_fd};
    sums s = {0};
    if (CHECK_OK(rift_wad_open(&wad, source, rift_str_c(archive), &arena, &report, &err), &err))
        add_entries(&s, &wad);
    check_sums(
        &s, &(sums){
                .v4 = {5, 567, 217, 306, 369, 7.0666670352220535, 342139.60357069864, 18917.323670625963},
                .v5 = {24, 3673, 1811, 2676, 2258, 59.56666977331042, 4996595.335618192, 198853.60671099063},
                .canm = {79, 10595, 392535, 0, 0, 265.7666636891663, 4352907.237520902, 160941.20231205248},
                .skl = 9,
                .joints = 1068,
                .influences = 664,
                .roots = 81,
                .local_y = 17072.095216884332,
                .inverse_y = 89085.46554505,
                .skn = 9,
                .ranges = 38,
                .indices = 245862,
                .vertices = 54491,
                .x = 1475901.500866415,
                .v = 27487.065089404583,
                .scb = 73,
                .scb_vertices = 19246,
                .scb_faces = 34164,
                .scb_materials = 75,
                .scb_x = 672575.9480055054,
                .scb_uv = 88201.0709996369,
            });
    rift_arena_release(&arena);
    (void)close(fd);
}

/* The same mesh twice, once with indices relative to their ranges and no word about it. */
static void relative_without_flag(void)
{
    file f = {.err = check_err()};
    rift_arena_init(&f.arena, ARENA_LIMIT);
    rift_report_init(&f.report, &f.arena);
    rift_skn absolute;
    rift_skn relative_one;
    const rift_bytes a = check_corpus_file("sets/aatrox/aatrox.skn");
    const rift_bytes b = check_corpus_file("files/skn/range-relative-indices-no-tail.skn");
    if (CHECK_OK(rift_skn_parse(&absolute, a, &f.arena, &f.report, &f.err), &f.err) &&
        CHECK_U64(f.report.entry_count, 0) &&
        CHECK_OK(rift_skn_parse(&relative_one, b, &f.arena, &f.report, &f.err), &f.err)) {
        CHECK_U64(rift_report_count(&f.report, "range_relative_indices"), 4); /* all but the first range */
        CHECK_U64(absolute.index_count, 25782);
        CHECK_BYTES(((rift_bytes){(const uint8_t *)relative_one.indices, 4 * relative_one.index_count}),
                    ((rift_bytes){(const uint8_t *)absolute.indices, 4 * absolute.index_count}));
    }
    rift_arena_release(&f.arena);
    free_bytes(a);
    free_bytes(b);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    if (check_corpus() == NULL)
        check_skip("no folder of real files (RIFT_CORPUS)");
    RUN(files_in_folders);
    RUN(files_in_an_archive);
    RUN(relative_without_flag);
    return check_finish();
}
