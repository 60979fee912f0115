/* Lookups in the pack of names against SQLite, on one list of N lines (2,000,000 without an argument) of paths like the game's: CPU time a lookup, minimum and
 * median of RUNS runs in turn, after one that is dropped. Every answer is checked. Also: how long one import takes and how large the pack is.
 *
 * usage: bench_names [LINES] [FOLDER]; the folder (the current one) gets names.txt, hashes.db and its pack. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/buf.h"
#include "base/str.h"
#include "hash/hash.h"
#include "store/hashes.h"

enum { RUNS = 7, LOOKUPS = 200000 };

static double clock_us(clockid_t id)
{
    struct timespec t;
    (void)clock_gettime(id, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void require(bool ok, const char *what)
{
    if (ok)
        return;
    printf("%s failed\n", what);
    exit(1);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

/* Paths with the shape of real ones: few folders, many files that differ at their ends, some random names. */
static rift_str make_path(rift_arena *arena, uint32_t i, uint32_t *state)
{
    static const char *const kinds[] = {"particles", "animations", "skins/base/sounds", "hud/icons2d",
                                        "textures"};
    static const char *const ends[] = {"tex", "dds", "anm", "scb", "skn", "bin"};
    const uint32_t champion = i / 11000;
    const uint32_t skin = i / 180 % 61;
    if (i % 10 == 9) {
        return rift_arena_printf(arena, "data/maps/mapgeometry/map%u/%08x%08x_%s.%s", champion % 40,
                                 next(state), next(state), kinds[i % 5], ends[i % 6]);
    }
    return rift_arena_printf(
        arena, "assets/characters/champion%03u/skins/skin%02u/%s/champion%03u_skin%02u_%s%u_%05x.%s",
        champion, skin, kinds[next(state) % 5], champion, skin, kinds[next(state) % 5] + 2, i % 180 / 12,
        next(state) % 0xfffff, ends[next(state) % 6]);
}

typedef struct pick {
    uint64_t hash;
    rift_str name;
} pick;

static double look_up(bool in_pack, rift_hashdb *db, const rift_names *pack, const pick *picks)
{
    rift_arena arena;
    size_t right = 0;
    rift_arena_init(&arena, 64 << 20);
    const double begun = clock_us(CLOCK_PROCESS_CPUTIME_ID);
    for (size_t i = 0; i < LOOKUPS; i++) {
        const rift_arena_mark mark = rift_arena_get_mark(&arena);
        rift_err err;
        rift_str name = {0};
        if (in_pack) {
            (void)pack->lookup(pack->user, RIFT_NAMES_GAME, picks[i].hash, &arena, &name);
        } else {
            err.code = RIFT_OK;
            if (!rift_hashdb_lookup(db, RIFT_NAMES_GAME, picks[i].hash, &arena, &name, &err))
                break;
        }
        right += rift_str_eq(name, picks[i].name);
        rift_arena_rewind(&arena, mark);
    }
    const double took = clock_us(CLOCK_PROCESS_CPUTIME_ID) - begun;
    require(right == LOOKUPS, "a lookup");
    rift_arena_release(&arena);
    return took / LOOKUPS;
}

static rift_bytes make_list(rift_arena *arena, uint32_t lines, pick *picks)
{
    rift_buf b;
    uint32_t state = 7, chosen = 99;
    rift_buf_init(&b, arena, SIZE_MAX / 2);
    rift_arena names;
    rift_arena_init(&names, SIZE_MAX / 2);
    pick *all = calloc(lines, sizeof *all);
    require(all != NULL, "memory");
    for (uint32_t i = 0; i < lines; i++) {
        all[i].name = make_path(&names, i, &state);
        all[i].hash = rift_path_hash(all[i].name);
        rift_buf_printf(&b, "%016llx %.*s\n", (unsigned long long)all[i].hash, RIFT_STR_ARG(all[i].name));
    }
    for (size_t i = 0; i < LOOKUPS; i++) {
        picks[i] = all[((uint64_t)next(&chosen) << 8 | next(&chosen) % 256) % lines];
        picks[i].name = rift_arena_copy_str(arena, picks[i].name);
    }
    free(all);
    rift_arena_release(&names);
    require(!b.failed, "memory");
    return rift_buf_bytes(&b);
}

int main(int argc, char **argv)
{
    static pick picks[LOOKUPS];
    static double times[2][RUNS + 1];
    uint64_t lines = 2000000;
    char path[4096], pack_path[4200];
    if (argc > 1)
        require(rift_str_u64(rift_str_c(argv[1]), 100000000, &lines) && lines > 0, "LINES");
    (void)snprintf(path, sizeof path, "%s/hashes.db", argc > 2 ? argv[2] : ".");
    (void)snprintf(pack_path, sizeof pack_path, "%s.pack", path);
    (void)remove(path);
    rift_arena arena;
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    rift_arena_init(&arena, SIZE_MAX / 2);
    rift_hash_list list = {.table = RIFT_NAMES_GAME, .text = make_list(&arena, (uint32_t)lines, picks)};
    const double begun = clock_us(CLOCK_MONOTONIC);
    const double cpu = clock_us(CLOCK_PROCESS_CPUTIME_ID);
    require(rift_hashdb_import(path, &list, 1, &err), err.text);
    printf("import: %llu lines, %.1f MB, %.1f s (%.1f s CPU), %llu taken\n", (unsigned long long)lines,
           (double)list.text.size / 1e6, (clock_us(CLOCK_MONOTONIC) - begun) / 1e6,
           (clock_us(CLOCK_PROCESS_CPUTIME_ID) - cpu) / 1e6, (unsigned long long)list.stats.taken);
    struct stat st;
    require(stat(pack_path, &st) == 0, "the pack");
    printf("pack: %.1f MB, %.1f %% of the text\n", (double)st.st_size / 1e6,
           100 * (double)st.st_size / (double)list.text.size);
    rift_hashdb db = {0};
    rift_hashpack *pack = NULL;
    bool remade;
    require(rift_hashdb_open(&db, path, &err) && rift_hashpack_open(&pack, path, &remade, &err) && !remade,
            "opening");
    const rift_names names = rift_hashpack_names(pack);
    for (int run = 0; run <= RUNS; run++) {
        for (int in_pack = 0; in_pack < 2; in_pack++)
            times[in_pack][run] = look_up(in_pack == 1, &db, &names, picks);
    }
    for (int k = 0; k < 2; k++)
        qsort(times[k] + 1, RUNS, sizeof(double), compare);
    printf(
        "SQLite: %.3f us a lookup (min %.3f)\npack:   %.3f us a lookup (min %.3f)\nratio of medians: %.2f\n",
        times[0][1 + RUNS / 2], times[0][1], times[1][1 + RUNS / 2], times[1][1],
        times[0][1 + RUNS / 2] / times[1][1 + RUNS / 2]);
    rift_hashpack_unref(pack);
    rift_hashdb_close(&db);
    rift_arena_release(&arena);
    return 0;
}
