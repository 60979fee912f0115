/* Skeletons, parts and the keys of every clip of the real files, held to the contract: G19, G24, G25 through rift_scene_check; G38-G40 at the quarter points and at 240 Hz; decisions 26;
 * the same bytes twice (G3). */
#include <dirent.h>
#include <stdlib.h>

#include "anim/clip_build.h"
#include "base/str.h"
#include "hash/hash.h"
#include "support/check.h"

enum { ARENA_LIMIT = 1024 * 1024 * 1024, MAX_CLIPS = 128 };

typedef struct set {
    const char *dir, *skl, *skn, *clips;
    size_t joint_count, part_count, clip_count; /* counted in the bytes by another program */
    uint64_t max_keys; /* before liveness; a little over what this code makes (G40) */
} set;

typedef struct work {
    rift_arena in, out, tmp;
    rift_report report;
    rift_err err;
    rift_skl skl;
    rift_skn skn;
    rift_skeleton skeleton;
    rift_part *parts;
    size_t part_count;
    rift_anm anms[MAX_CLIPS];
    rift_track_map maps[MAX_CLIPS];
    rift_clip_keys clips[MAX_CLIPS];
    size_t clip_count;
    uint64_t keys;
} work;

static rift_bytes load(const char *dir, const char *name)
{
    char path[2048];
    (void)snprintf(path, sizeof path, "sets/%s/%s", dir, name);
    return check_corpus_file(path);
}

static void build_mesh(work *w, const set *s)
{
    const rift_part_opts opts = {0};
    CHECK_OK(rift_skl_parse(&w->skl, load(s->dir, s->skl), &w->in, &w->report, &w->err), &w->err);
    CHECK_OK(rift_skn_parse(&w->skn, load(s->dir, s->skn), &w->in, &w->report, &w->err), &w->err);
    CHECK_OK(rift_skeleton_build(&w->skeleton, &w->skl, &w->skn, &w->out, &w->report, &w->err), &w->err);
    CHECK_OK(rift_parts_build(&w->parts, &w->part_count, &w->skn, &w->skeleton, &opts, &w->out, &w->report,
                              &w->err),
             &w->err);
    CHECK_U64(w->skeleton.joint_count, s->joint_count);
    CHECK_U64(w->part_count, s->part_count);
}

static int is_anm(const struct dirent *e)
{
    return rift_str_ends_nocase(rift_str_c(e->d_name), RIFT_STR(".anm"));
}

static void build_clip(work *w, const char *dir, const char *name)
{
    const size_t i = w->clip_count;
    rift_report_in(&w->report, rift_str_c(name));
    CHECK_FATAL(i < MAX_CLIPS);
    if (!CHECK_OK(rift_anm_parse(&w->anms[i], load(dir, name), &w->in, &w->report, &w->err), &w->err) ||
        !CHECK_OK(rift_track_map_build(&w->maps[i], &w->skeleton, &w->anms[i], &w->out, &w->report, &w->err),
                  &w->err))
        return;
    const rift_keys_input in = {.skeleton = &w->skeleton,
                                .anm = &w->anms[i],
                                .map = &w->maps[i],
                                .limits = rift_key_limits_default(),
                                .trim_end = -1};
    if (CHECK_OK(rift_clip_keys_build(&w->clips[i], &in, &w->out, &w->tmp, &w->report, &w->err), &w->err))
        w->clip_count++;
}

static void build(work *w, const set *s)
{
    *w = (work){.err = check_err()};
    rift_arena_init(&w->in, ARENA_LIMIT);
    rift_arena_init(&w->out, ARENA_LIMIT);
    rift_arena_init(&w->tmp, ARENA_LIMIT);
    rift_report_init(&w->report, &w->in);
    build_mesh(w, s);
    char dir[1024];
    (void)snprintf(dir, sizeof dir, "%s/sets/%s%s", check_corpus(), s->dir, s->clips);
    struct dirent **names;
    const int n = scandir(dir, &names, is_anm, alphasort);
    (void)snprintf(dir, sizeof dir, "%s%s", s->dir, s->clips);
    for (int i = 0; i < n; i++) {
        build_clip(w, dir, names[i]->d_name);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

static void release(work *w)
{
    rift_arena_release(&w->in);
    rift_arena_release(&w->out);
    rift_arena_release(&w->tmp);
}

/* --- G40 -------------------------------------------------------------------------------------------------------- */

typedef struct errors {
    double quarters[3], anywhere[3];
} errors;

static void measure_channel(errors *e, const work *w, size_t clip, const rift_channel *ch)
{
    static const rift_anm_component component[] = {RIFT_ANM_TRANSLATION, RIFT_ANM_ROTATION, RIFT_ANM_SCALE};
    const rift_anm *anm = &w->anms[clip];
    const rift_anm_curve *curve =
        &anm->tracks[w->maps[clip].track_of_joint[ch->joint]].curves[component[ch->component]];
    clip_check_channel(ch);
    const double q = clip_error_quarters(ch, curve, anm->basis, 0);
    e->quarters[ch->component] = fmax(e->quarters[ch->component], q);
    if (ch->key_count == 1) /* a constant: what the source strays from it */
        e->quarters[ch->component] = fmax(e->quarters[ch->component],
                                          clip_error_at(ch, curve, anm->basis, 0, (double)anm->length / 3));
    else if (anm->compressed)
        e->anywhere[ch->component] =
            fmax(e->anywhere[ch->component], clip_error_240(ch, curve, anm->basis, 0, (double)anm->length));
}

static void check_clip(work *w, size_t i)
{
    const rift_clip_keys *clip = &w->clips[i];
    const rift_key_limits limits = rift_key_limits_default();
    const double limit[3] = {limits.translation, limits.rotation_rad, limits.scale};
    const double left[3] = {clip->worst_translation, clip->worst_rotation_rad, clip->worst_scale};
    errors e = {{0}, {0}};
    for (size_t c = 0; c < clip->channel_count; c++) {
        measure_channel(&e, w, i, &clip->channels[c]);
        w->keys += clip->channels[c].key_count;
    }
    for (int c = 0; c < 3; c++) {
        check_row("clip %zu, component %d", i, c);
        CHECK(e.quarters[c] <= fmax(limit[c], left[c]) * 1.001);
        CHECK(e.anywhere[c] <= fmax(3 * limit[c], 1.5 * left[c]));
        if (!w->anms[i].compressed)
            CHECK(e.quarters[c] <= 2e-4); /* the source's own keys */
    }
    check_row("%s", "");
}

/* --- decisions 26 ----------------------------------------------------------------------------------------------- */

static void pose(const work *w, size_t clip, bool drawn, rift_mat4 *world, double t)
{
    static const rift_anm_component source[] = {RIFT_ANM_TRANSLATION, RIFT_ANM_ROTATION, RIFT_ANM_SCALE};
    const rift_skeleton *sk = &w->skeleton;
    const rift_anm *anm = &w->anms[clip];
    for (size_t i = 0; i < sk->joint_count; i++) {
        const uint32_t j = sk->topological[i];
        const int32_t track = w->maps[clip].track_of_joint[j];
        rift_trs local = sk->joints[j].rest;
        double *part[3] = {&local.t.x, &local.r.x, &local.s.x};
        for (int c = 0; track >= 0 && c < 3; c++) {
            double v[4];
            const rift_channel *ch = drawn ? clip_channel(&w->clips[clip], j, (rift_component)c) : NULL;
            const rift_anm_curve *curve = &anm->tracks[track].curves[source[c]];
            if (curve->key_count == 0)
                continue;
            if (ch != NULL)
                rift_channel_eval(v, ch, t);
            else
                rift_curve_eval(v, curve, source[c], anm->basis, t);
            memcpy(part[c], v, (c == RIFT_ROTATION ? 4 : 3) * sizeof *v);
        }
        const rift_mat4 m = rift_mat4_from_trs(local);
        world[j] = sk->joints[j].parent == RIFT_NO_PARENT ? m : rift_mat4_mul(world[sk->joints[j].parent], m);
    }
}

static double worst_position(const work *w, size_t clip)
{
    const rift_skeleton *sk = &w->skeleton;
    rift_mat4 *source = calloc(sk->joint_count, sizeof *source);
    rift_mat4 *drawn = calloc(sk->joint_count, sizeof *drawn);
    double worst = 0;
    for (double t = 0; t < (double)w->clips[clip].length; t += 1.0 / 240) {
        pose(w, clip, false, source, t);
        pose(w, clip, true, drawn, t);
        for (size_t j = 0; j < sk->joint_count; j++) {
            const double *a = source[j].m;
            const double *b = drawn[j].m;
            const bool near = rift_vec3_length((rift_vec3){a[12], a[13], a[14]}) <= RIFT_WORLD_REACH;
            if (sk->joints[j].influences && near)
                worst =
                    fmax(worst, rift_vec3_length((rift_vec3){a[12] - b[12], a[13] - b[13], a[14] - b[14]}));
        }
    }
    free(source);
    free(drawn);
    return worst;
}

/* --- all together ----------------------------------------------------------------------------------------------- */

/* The scene as a writer would get it, without textures. */
static void check_scene(work *w)
{
    rift_material material = {.name = RIFT_STR("all"), .texture = RIFT_NO_INDEX, .base_color = {1, 1, 1, 1}};
    rift_clip clips[MAX_CLIPS];
    size_t n = 0;
    for (size_t i = 0; i < w->clip_count; i++)
        if (w->clips[i].channel_count > 0) {
            clips[n] = (rift_clip){rift_arena_printf(&w->out, "clip%zu", i),
                                   w->clips[i].channels,
                                   w->clips[i].channel_count,
                                   w->clips[i].length,
                                   {0}};
            n++;
        }
    const rift_scene scene = {.skeleton = &w->skeleton,
                              .parts = w->parts,
                              .part_count = w->part_count,
                              .materials = &material,
                              .material_count = 1,
                              .clips = clips,
                              .clip_count = n};
    CHECK_OK(rift_scene_check(&scene, &w->tmp, &w->err), &w->err);
    rift_report_in(&w->report, (rift_str){0});
    rift_scene_check_bind(&scene, &w->report);
}

/* G10 in source space: the left side stands at -x. */
static void check_sides(const rift_skeleton *sk)
{
    double sum[2] = {0, 0};
    for (size_t j = 0; j < sk->joint_count; j++) {
        sum[0] += rift_str_starts_nocase(sk->joints[j].name, RIFT_STR("L_")) ? sk->rest_world[j].m[12] : 0;
        sum[1] += rift_str_starts_nocase(sk->joints[j].name, RIFT_STR("R_")) ? sk->rest_world[j].m[12] : 0;
    }
    CHECK(sum[0] < 0 && sum[1] > 0);
}

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const uint64_t part[2] = {hash, rift_xxh64((rift_bytes){data, size})};
    return rift_xxh64((rift_bytes){(const uint8_t *)part, sizeof part});
}

static uint64_t hash_of(const work *w)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < w->clip_count; i++)
        for (size_t c = 0; c < w->clips[i].channel_count; c++) {
            const rift_channel *ch = &w->clips[i].channels[c];
            hash = mix(hash, ch->times, ch->key_count * sizeof(float));
            hash = mix(hash, ch->values,
                       ch->key_count * (ch->component == RIFT_ROTATION ? 4 : 3) * sizeof(float));
        }
    for (size_t p = 0; p < w->part_count; p++) {
        hash = mix(hash, w->parts[p].weights, 4 * w->parts[p].vertex_count * sizeof(float));
        hash = mix(hash, w->parts[p].normals, 3 * w->parts[p].vertex_count * sizeof(float));
    }
    return hash;
}

static void print_report(const work *w)
{
    for (size_t i = 0; i < w->report.entry_count; i++)
        printf("    %s x%llu: %.*s\n", w->report.entries[i]->code,
               (unsigned long long)w->report.entries[i]->count,
               RIFT_STR_ARG(w->report.entries[i]->examples[0]));
}

static void check_set(const set *s)
{
    static work w;
    static work again;
    build(&w, s);
    CHECK_U64(w.clip_count, s->clip_count);
    for (size_t i = 0; i < w.clip_count; i++)
        check_clip(&w, i);
    CHECK(w.keys <= s->max_keys);
    double worst = 0;
    for (size_t i = 0; i < w.clip_count; i += 4)
        if (w.anms[i].compressed) {
            const double off = worst_position(&w, i);
            worst = fmax(worst, off);
            check_row("clip %zu", i);
            CHECK(off <= fmax(0.5, w.clips[i].worst_world)); /* not only at quarter points */
        }
    check_row("%s", "");
    CHECK_OK(rift_clips_finish(w.clips, w.clip_count, &w.skeleton, &w.out, &w.err), &w.err);
    check_scene(&w);
    if (s->joint_count > 100)
        check_sides(&w.skeleton);
    build(&again, s);
    CHECK_OK(rift_clips_finish(again.clips, again.clip_count, &again.skeleton, &again.out, &again.err),
             &again.err);
    CHECK_U64(hash_of(&again), hash_of(&w));
    printf("  %s: %zu clips, %llu keys before liveness, world error up to %.3f u, hash %016llx\n", s->dir,
           w.clip_count, (unsigned long long)w.keys, worst, (unsigned long long)hash_of(&w));
    print_report(&w);
    release(&again);
    release(&w);
}

static const set sets[] = {
    {"aatrox", "aatrox.skl", "aatrox.skn", "/animations", 127, 5, 91, 546000},
    {"ezreal_skin21", "ezreal_skin21.skl", "ezreal_skin21.skn", "/animations", 212, 9, 59, 918000},
    {"renata_particles", "renata_base_e_l_cas_anim_02.skl", "renata_base_e_l_cas_anim_02.skn", "", 2, 1, 3,
     34},
    {"renata_particles", "renata_base_z_pool_honeypuddle.skl", "renata_base_z_pool_honeypuddle.skn", "", 12,
     1, 3, 1680},
    {"riven_legacy", "riven.skl", "riven.skn", "/animations", 75, 1, 27, 96601},
    {"annie_legacy", "Annie.skl", "Annie.skn", "", 46, 1, 1, 1023},
    {"kindredwolf", "kindredwolf_skin03.pie_c_10_16.skl", "kindredwolf_skin03.pie_c_10_16.skn", "/animations",
     24, 2, 17, 48600},
};

static void aatrox(void)
{
    check_set(&sets[0]);
}

static void ezreal(void)
{
    check_set(&sets[1]);
}

static void small_sets(void)
{
    for (size_t i = 2; i < RIFT_COUNT(sets); i++)
        check_set(&sets[i]);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    if (check_corpus() == NULL)
        check_skip("no real files");
    RUN(aatrox);
    RUN(ezreal);
    RUN(small_sets);
    return check_finish();
}
