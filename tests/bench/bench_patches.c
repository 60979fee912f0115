/* 200 archives with 2,000 entries each, and with a tenth of that: reading all tables, a restart, a patch of one archive.
 *
 *     bench_patches [GAME]
 *
 * With a game folder also: a look at it when nothing has changed, against unpacking everything in it. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "mount/mount.h"
#include "patches/index.h"

enum { ARCHIVES = 200, HEADER = 272, RECORD = 32 };

static double cpu_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void put_u32(uint8_t *p, uint32_t n)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(n >> (8 * i));
}

/* The table only: sizes of nothing, so no data follows. */
static void write_archive(const char *dir, size_t number, size_t entries, uint8_t salt)
{
    char path[4096];
    const size_t size = HEADER + RECORD * entries;
    uint8_t *bytes = calloc(1, size);
    memcpy(bytes, "RW\x03\x04", 4);
    put_u32(bytes + 268, (uint32_t)entries);
    for (size_t i = 0; i < entries; i++) {
        uint8_t *r = bytes + HEADER + RECORD * i;
        put_u32(r, (uint32_t)(number * entries + i) * 2654435761u);
        put_u32(r + 4, (uint32_t)i);
        put_u32(r + 8, (uint32_t)size);
        r[24] = (uint8_t)(i % 255 + 1);
        r[25] = i % 100 == 0 ? salt : 7;
    }
    (void)snprintf(path, sizeof path, "%s/DATA/FINAL/Champions/A%zu.wad.client", dir, number);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    (void)close(fd);
    free(bytes);
}

static void run(const char *what, const char *dir, const char *db)
{
    rift_index *index = NULL;
    rift_mount *mount = NULL;
    rift_report report;
    rift_arena arena;
    rift_err err;
    rift_survey seen;
    rift_wad_diff diff;
    rift_patch patch = {.version = RIFT_STR("x")};
    const double began = cpu_ms();
    rift_arena_init(&arena, SIZE_MAX / 2);
    rift_err_in(&err, (rift_str){0});
    if (!rift_index_open(&index, db, NULL, &err) || !rift_mount_find(&mount, dir, &report, &err) ||
        !rift_index_survey(&seen, index, &mount->dir.files, &arena, &err) ||
        !rift_index_compare(&diff, index, &seen, &arena, &err) ||
        !rift_index_take(index, &seen, &diff, &patch, &err))
        abort();
    size_t changes = 0;
    for (size_t i = 0; i < diff.archive_count; i++)
        changes += diff.archives[i].entry_count;
    printf("%-28s %8.1f ms CPU, %6.1f MiB, %3zu tables and %8llu bytes read from archives, %zu changes\n",
           what, cpu_ms() - began, (double)arena.peak / 1048576, seen.read_count,
           (unsigned long long)seen.read_bytes, changes);
    rift_mount_unref(mount);
    rift_index_close(index);
    rift_arena_release(&arena);
}

/* What a look by the schedule does: names, stamps, and the version; no archive is read. */
static double look_ms(const char *dir)
{
    enum { LOOKS = 100 };
    rift_mount *last = NULL;
    double began = 0;
    for (int i = 0; i <= LOOKS; i++) {
        rift_mount *mount = NULL;
        rift_report report;
        rift_err err;
        rift_err_in(&err, (rift_str){0});
        if (!rift_mount_find(&mount, dir, &report, &err))
            abort();
        mount->dir.game.version = rift_gamedir_version(dir, &mount->arena);
        for (size_t k = 0; last != NULL && k < mount->dir.files.count; k++) {
            if (!rift_stamp_eq(&mount->dir.files.stamps[k], &last->dir.files.stamps[k]))
                abort();
        }
        rift_mount_unref(last);
        last = mount;
        if (i == 0)
            began = cpu_ms(); /* the first warms up */
    }
    rift_mount_unref(last);
    return (cpu_ms() - began) / LOOKS;
}

static void unpack_all(const rift_game *game, uint64_t *files, uint64_t *bytes)
{
    for (size_t i = 0; i < game->archive_count; i++) {
        const rift_wad *wad = &game->archives[i].wad;
        for (size_t k = 0; k < wad->entry_count; k++) {
            rift_arena arena;
            rift_bytes out;
            rift_err err;
            rift_err_in(&err, (rift_str){0});
            rift_arena_init(&arena, SIZE_MAX / 2);
            if (rift_wad_read(wad, &wad->entries[k], &arena, &out, &err)) {
                (*files)++;
                *bytes += out.size;
            }
            rift_arena_release(&arena);
        }
    }
}

static void compare_with_extraction(const char *dir)
{
    rift_mount *mount = NULL;
    rift_report report;
    rift_err err;
    uint64_t files = 0, bytes = 0;
    rift_err_in(&err, (rift_str){0});
    const double look = look_ms(dir);
    const double began = cpu_ms();
    if (!rift_mount_find(&mount, dir, &report, &err) || !rift_mount_fill(mount, dir, NULL, &report, &err))
        abort();
    unpack_all(&mount->dir.game, &files, &bytes);
    const double all = cpu_ms() - began;
    printf("%s: a look %.3f ms CPU; unpacking %llu files, %.1f MiB, %.1f ms; %.2f %%\n", dir, look,
           (unsigned long long)files, (double)bytes / 1048576, all, 100 * look / all);
    rift_mount_unref(mount);
}

int main(int argc, char **argv)
{
    char dir[] = "/tmp/rift-bench-XXXXXX", path[4096], db[4096];
    if (mkdtemp(dir) == NULL)
        return 1;
    if (argc > 1)
        compare_with_extraction(argv[1]);
    static const char *const folders[] = {"DATA", "DATA/FINAL", "DATA/FINAL/Champions"};
    for (size_t i = 0; i < RIFT_COUNT(folders); i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, folders[i]);
        (void)mkdir(path, 0777);
    }
    for (size_t entries = 200; entries <= 2000; entries *= 10) {
        printf("%d archives of %zu entries\n", ARCHIVES, entries);
        (void)snprintf(db, sizeof db, "%s/%zu.db", dir, entries);
        for (size_t i = 0; i < ARCHIVES; i++)
            write_archive(dir, i, entries, 9);
        run("  first", dir, db);
        run("  restart, nothing changed", dir, db);
        write_archive(dir, 17, entries, 10);
        run("  one archive changed", dir, db);
        for (size_t i = 0; i < ARCHIVES; i++)
            write_archive(dir, i, entries, 11);
        run("  all archives changed", dir, db);
    }
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    printf("peak resident %.1f MiB; the files are in %s\n", (double)usage.ru_maxrss / 1024, dir);
    return 0;
}
