/* Parsing of clips and making of keys: process time, minimum and median of N runs after one that is dropped. Without arguments on clips made here, 160 joints as a champion has: dense frames
 * (v5) and sparse spline keys (r3d2canm). Arguments are a .skl, a .skn and .anm files to measure instead. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "anim/anim.h"
#include "base/str.h"
#include "fixtures/fx_anm.h"
#include "hash/hash.h"

enum { RUNS = 7, JOINTS = 160, CLIPS = 20, FRAMES = 73, MAX_CLIPS = 512 };

typedef struct bench {
    rift_arena files, parsed, keys, tmp;
    rift_report report;
    rift_err err;
    rift_skeleton skeleton;
    rift_bytes clips[MAX_CLIPS];
    size_t clip_count;
    rift_anm anms[MAX_CLIPS];
    rift_clip_keys out[MAX_CLIPS];
} bench;

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

static void require(bool ok, const rift_err *err)
{
    char text[sizeof(rift_err)];
    if (ok)
        return;
    printf("%s\n", rift_err_print(err, text, sizeof text));
    exit(1);
}

static void init(bench *b)
{
    *b = (bench){0};
    rift_err_in(&b->err, (rift_str){0});
    rift_arena_init(&b->files, 1U << 30);
    rift_arena_init(&b->parsed, 1U << 30);
    rift_arena_init(&b->keys, 1U << 30);
    rift_arena_init(&b->tmp, 1U << 30);
    rift_report_init(&b->report, &b->files);
}

static void release(bench *b)
{
    rift_arena_release(&b->files);
    rift_arena_release(&b->parsed);
    rift_arena_release(&b->keys);
    rift_arena_release(&b->tmp);
}

/* --- inputs ----------------------------------------------------------------------------------------------------- */

static const char *joint_name(size_t j, rift_arena *arena)
{
    return rift_arena_printf(arena, "joint_%zu", j).data;
}

/* Chains of eight below a root: about the depth of limbs. */
static void make_skeleton(bench *b)
{
    rift_skl skl = {.joint_count = JOINTS, .influence_count = JOINTS};
    skl.joints = RIFT_NEW(&b->files, rift_skl_joint, JOINTS);
    skl.influences = RIFT_NEW(&b->files, uint16_t, JOINTS);
    for (size_t j = 0; j < JOINTS; j++) {
        const rift_str name = rift_str_c(joint_name(j, &b->files));
        skl.influences[j] = (uint16_t)j;
        skl.joints[j] = (rift_skl_joint){
            .name = name,
            .hash = rift_elf(name),
            .parent = (int16_t)(j == 0       ? -1
                                : j % 8 == 1 ? 0
                                             : (int)j - 1),
            .local = {{15, 3, 0}, {0, 0, 0, 1}, {1, 1, 1}},
        };
    }
    require(rift_skeleton_build(&b->skeleton, &skl, NULL, &b->files, NULL, &b->err), &b->err);
}

static rift_trs pose_at(size_t clip, size_t joint, double t)
{
    const double phase = (double)(clip * 31 + joint * 7);
    const rift_quat q = {0.3 * sin(3 * t + phase), 0.2 * sin(5 * t + phase), 0.25 * cos(4 * t + phase), 1};
    return (rift_trs){{15, 3, joint % 3 == 0 ? sin(6 * t + phase) : 0}, rift_quat_normalize(q), {1, 1, 1}};
}

static rift_bytes make_frames(bench *b, size_t clip)
{
    fx_track *tracks = RIFT_NEW(&b->files, fx_track, JOINTS);
    for (size_t j = 0; j < JOINTS; j++) {
        rift_trs *frames = RIFT_NEW(&b->files, rift_trs, FRAMES);
        for (size_t f = 0; f < FRAMES; f++)
            frames[f] = pose_at(clip, j, (double)f / 30);
        tracks[j] = (fx_track){.joint = joint_name(j, &b->files), .frames = frames};
    }
    const fx_anm anm = {.version = 5, .tracks = tracks, .track_count = JOINTS, .frame_count = FRAMES};
    return fx_anm_write(&anm, &b->files);
}

/* Rotations at every third frame, translations of every third joint at every fourth. */
static rift_bytes make_keys(bench *b, size_t clip)
{
    fx_track *tracks = RIFT_NEW(&b->files, fx_track, JOINTS);
    for (size_t j = 0; j < JOINTS; j++) {
        fx_key *r = RIFT_NEW(&b->files, fx_key, FRAMES);
        fx_key *t = RIFT_NEW(&b->files, fx_key, FRAMES);
        size_t rn = 0;
        size_t tn = 0;
        for (size_t f = 0; f < FRAMES; f++) {
            const rift_trs at = pose_at(clip, j, (double)f / 30);
            if (f % 3 == 0)
                r[rn++] = (fx_key){(float)f / 30, {at.r.x, at.r.y, at.r.z, at.r.w}};
            if (f % 4 == 0)
                t[tn++] = (fx_key){(float)f / 30, {at.t.x, at.t.y, at.t.z, 0}};
        }
        tracks[j] = (fx_track){.joint = joint_name(j, &b->files), .rotation = {.keys = r, .key_count = rn}};
        if (j % 3 == 0)
            tracks[j].translation = (fx_curve){.keys = t, .key_count = tn};
    }
    const fx_anm anm = {.compressed = true,
                        .version = 1,
                        .flags = clip % 2 ? 7 : 3,
                        .tracks = tracks,
                        .track_count = JOINTS,
                        .jump_caches = 4,
                        .duration = (FRAMES - 1) / 30.0f};
    return fx_anm_write(&anm, &b->files);
}

static rift_bytes read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        printf("cannot read %s\n", path);
        exit(1);
    }
    (void)fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    (void)fseek(f, 0, SEEK_SET);
    uint8_t *data = malloc((size_t)size + 1);
    const size_t got = data != NULL ? fread(data, 1, (size_t)size, f) : 0;
    (void)fclose(f);
    return (rift_bytes){data, got};
}

static void load_files(bench *b, char **paths, int count)
{
    rift_skl skl = {0};
    rift_skn skn = {0};
    require(rift_skl_parse(&skl, read_file(paths[0]), &b->files, NULL, &b->err), &b->err);
    require(rift_skn_parse(&skn, read_file(paths[1]), &b->files, NULL, &b->err), &b->err);
    require(rift_skeleton_build(&b->skeleton, &skl, &skn, &b->files, NULL, &b->err), &b->err);
    for (int i = 2; i < count && b->clip_count < MAX_CLIPS; i++)
        b->clips[b->clip_count++] = read_file(paths[i]);
}

/* --- measuring -------------------------------------------------------------------------------------------------- */

static void parse_all(bench *b)
{
    rift_arena_release(&b->parsed);
    for (size_t i = 0; i < b->clip_count; i++)
        require(rift_anm_parse(&b->anms[i], b->clips[i], &b->parsed, NULL, &b->err), &b->err);
}

static void keys_all(bench *b, double world)
{
    rift_arena_release(&b->keys);
    for (size_t i = 0; i < b->clip_count; i++) {
        rift_track_map map;
        require(rift_track_map_build(&map, &b->skeleton, &b->anms[i], &b->keys, NULL, &b->err), &b->err);
        rift_keys_input in = {.skeleton = &b->skeleton, .anm = &b->anms[i], .map = &map, .trim_end = -1};
        in.limits = rift_key_limits_default();
        in.limits.world = world;
        require(rift_clip_keys_build(&b->out[i], &in, &b->keys, &b->tmp, NULL, &b->err), &b->err);
    }
    require(rift_clips_finish(b->out, b->clip_count, &b->skeleton, &b->keys, &b->err), &b->err);
}

static void step(bench *b, int which)
{
    if (which == 0)
        parse_all(b);
    else
        keys_all(b, which == 1 ? 0 : 0.5);
}

/* Joint-frames at 30 a second, whatever the file stores. */
static double joint_frames(const bench *b)
{
    double sum = 0;
    for (size_t i = 0; i < b->clip_count; i++)
        sum += (double)b->anms[i].track_count * ((double)b->anms[i].length * 30 + 1);
    return sum;
}

static void run(bench *b, const char *name)
{
    static const char *const steps[] = {"parse", "keys, local", "keys, world"};
    for (int which = 0; which < 3; which++) {
        double ms[RUNS];
        for (int i = -1; i < RUNS; i++) {
            const double start = now_ms();
            step(b, which);
            if (i >= 0)
                ms[i] = now_ms() - start;
        }
        qsort(ms, RUNS, sizeof ms[0], compare);
        const double frames = joint_frames(b);
        printf("%-10s %-12s min %8.2f median %8.2f ms  %6.1f ns/joint-frame  arena peak %.1f + %.1f MB\n",
               name, steps[which], ms[0], ms[RUNS / 2], ms[RUNS / 2] * 1e6 / frames,
               (double)(which == 0 ? b->parsed.peak : b->keys.peak) / 1e6, (double)b->tmp.peak / 1e6);
    }
    uint64_t keys = 0;
    uint64_t channels = 0;
    for (size_t i = 0; i < b->clip_count; i++)
        for (size_t c = 0; c < b->out[i].channel_count; c++, channels++)
            keys += b->out[i].channels[c].key_count;
    printf("%-10s %zu clips, %.0f joint-frames, %llu channels, %llu keys\n", name, b->clip_count,
           joint_frames(b), (unsigned long long)channels, (unsigned long long)keys);
}

int main(int argc, char **argv)
{
    static bench b;
    if (argc > 3) {
        init(&b);
        load_files(&b, argv + 1, argc - 1);
        run(&b, "files");
        release(&b);
        return 0;
    }
    for (int compressed = 0; compressed < 2; compressed++) {
        init(&b);
        make_skeleton(&b);
        for (size_t i = 0; i < CLIPS; i++)
            b.clips[b.clip_count++] = compressed ? make_keys(&b, i) : make_frames(&b, i);
        run(&b, compressed ? "canm" : "v5");
        release(&b);
    }
    return 0;
}
