/* What every blob store must do, run against the folder and a toy in memory; then what only the folder promises. */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "blob/blob_files.h"
#include "support/check.h"
#include "tempdir.h"

/* ---- the toy ---- */

enum { TOY_MAX = 16 };

typedef struct toy {
    rift_blobs base;
    struct {
        bool used;
        rift_sha256 name;
        uint8_t data[64];
        size_t size;
        int64_t put_ms;
    } blobs[TOY_MAX];
} toy;

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int toy_find(const rift_blobs *base, const rift_sha256 *name)
{
    const toy *t = (const toy *)(const void *)base;
    for (int i = 0; i < TOY_MAX; i++) {
        if (t->blobs[i].used && memcmp(t->blobs[i].name.bytes, name->bytes, sizeof name->bytes) == 0)
            return i;
    }
    return -1;
}

static void toy_close(rift_blobs *base)
{
    free(base);
}

static bool toy_put(rift_blobs *base, const rift_sha256 *name, rift_bytes bytes, rift_err *err)
{
    (void)err;
    toy *t = (toy *)(void *)base;
    int i = toy_find(base, name);
    for (int k = 0; i < 0; k++) {
        if (!t->blobs[k].used)
            i = k;
    }
    t->blobs[i].used = true;
    t->blobs[i].name = *name;
    t->blobs[i].size = bytes.size;
    t->blobs[i].put_ms = now_ms();
    memcpy(t->blobs[i].data, bytes.data, bytes.size);
    return true;
}

static bool toy_open(rift_blobs *base, const rift_sha256 *name, uint64_t size, int *fd, rift_err *err)
{
    const toy *t = (const toy *)(const void *)base;
    const int i = toy_find(base, name);
    if (i < 0)
        return rift_fail(err, RIFT_ERR_NOT_FOUND, "open", RIFT_NO_OFFSET, "not there");
    if (t->blobs[i].size != size)
        return rift_fail(err, RIFT_ERR_IO, "size", RIFT_NO_OFFSET, "another size");
    *fd = memfd_create("toy", MFD_CLOEXEC);
    if (write(*fd, t->blobs[i].data, size) != (ssize_t)size || lseek(*fd, 0, SEEK_SET) != 0)
        abort();
    return true;
}

static bool
toy_remove(rift_blobs *base, const rift_sha256 *name, int64_t before_ms, bool *removed, rift_err *err)
{
    (void)err;
    toy *t = (toy *)(void *)base;
    const int i = toy_find(base, name);
    *removed = i < 0 || t->blobs[i].put_ms <= before_ms;
    if (i >= 0 && *removed)
        t->blobs[i].used = false;
    return true;
}

static bool toy_quarantine(rift_blobs *base, const rift_sha256 *name, rift_err *err)
{
    bool removed;
    return toy_remove(base, name, INT64_MAX, &removed, err);
}

static bool
toy_names(rift_blobs *base, uint8_t first, rift_sha256 **out, size_t *count, rift_arena *arena, rift_err *err)
{
    const toy *t = (const toy *)(const void *)base;
    *out = RIFT_NEW(arena, rift_sha256, TOY_MAX);
    *count = 0;
    for (int i = 0; i < TOY_MAX; i++) {
        if (t->blobs[i].used && t->blobs[i].name.bytes[0] == first)
            (*out)[(*count)++] = t->blobs[i].name;
    }
    return rift_arena_ok(arena, "names", err);
}

static bool toy_make(rift_blobs **out, rift_err *err)
{
    (void)err;
    static const rift_blob_ops toy_ops = {.close = toy_close,
                                          .put = toy_put,
                                          .open = toy_open,
                                          .remove = toy_remove,
                                          .quarantine = toy_quarantine,
                                          .names = toy_names};
    toy *t = calloc(1, sizeof *t);
    t->base.ops = &toy_ops;
    *out = &t->base;
    return true;
}

/* ---- the suite ---- */

static rift_blobs *blobs;
static rift_err err;
static const rift_bytes hello = {(const uint8_t *)"hello", 5};
/* sha256sum of "hello" */
static const char hello_name[] = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
static const char hello_path[] =
    "blobs/2c/f2/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

static void check_content(const rift_sha256 *sha, rift_bytes want)
{
    int fd = -1;
    char got[64];
    CHECK_FATAL(CHECK_OK(rift_blob_open(blobs, sha, want.size, &fd, &err), &err));
    CHECK_BYTES(((rift_bytes){(const uint8_t *)got, (size_t)read(fd, got, sizeof got)}), want);
    (void)close(fd);
}

static void puts_and_opens(void)
{
    const rift_sha256 sha = rift_sha256_of(hello);
    int fd = -1;
    CHECK(!rift_blob_open(blobs, &sha, 5, &fd, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    err = check_err();
    CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
    CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
    check_content(&sha, hello);
    CHECK(!rift_blob_open(blobs, &sha, 6, &fd, &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    err = check_err();
}

/* What is open is read to its end; what was put again since is kept. */
static void removes(void)
{
    const rift_sha256 sha = rift_sha256_of(hello), unknown = {{9}};
    int fd = -1;
    bool removed = true;
    CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
    const int64_t past = now_ms() - 1000;
    CHECK_OK(rift_blob_remove(blobs, &sha, past, &removed, &err), &err);
    CHECK(!removed);
    check_content(&sha, hello);
    CHECK_OK(rift_blob_open(blobs, &sha, 5, &fd, &err), &err);
    CHECK_OK(rift_blob_remove(blobs, &sha, now_ms() + 1000, &removed, &err), &err);
    CHECK(removed);
    char got[8];
    CHECK_I64(read(fd, got, sizeof got), 5);
    (void)close(fd);
    CHECK(!rift_blob_open(blobs, &sha, 5, &fd, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    err = check_err();
    CHECK_OK(rift_blob_remove(blobs, &unknown, now_ms(), &removed, &err), &err);
    CHECK(removed);
    CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
    check_content(&sha, hello);
}

static void quarantines(void)
{
    const rift_sha256 sha = rift_sha256_of(hello), unknown = {{9}};
    int fd = -1;
    CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
    CHECK_OK(rift_blob_quarantine(blobs, &sha, &err), &err);
    CHECK(!rift_blob_open(blobs, &sha, 5, &fd, &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    err = check_err();
    CHECK_OK(rift_blob_quarantine(blobs, &unknown, &err), &err);
    CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
    check_content(&sha, hello);
}

static void lists(void)
{
    const rift_sha256 sha = rift_sha256_of(hello);
    rift_sha256 *names = NULL;
    size_t count = 99;
    rift_arena arena;
    rift_arena_init(&arena, 1 << 20);
    CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
    CHECK_OK(rift_blob_names(blobs, 0x2d, &names, &count, &arena, &err), &err);
    CHECK_U64(count, 0);
    CHECK_OK(rift_blob_names(blobs, 0x2c, &names, &count, &arena, &err), &err);
    CHECK_U64(count, 1);
    char hex[65];
    rift_sha256_hex(&names[0], hex);
    CHECK_STR(rift_str_c(hex), rift_str_c(hello_name));
    rift_arena_release(&arena);
}

/* ---- the folder ---- */

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static bool folder_make(rift_blobs **out, rift_err *e)
{
    (void)nftw(temppath("blobs"), remove_entry, 16, FTW_PHYS | FTW_DEPTH);
    (void)nftw(temppath("quarantine"), remove_entry, 16, FTW_PHYS | FTW_DEPTH);
    return rift_blob_files_open(out, temppath("blobs"), temppath("quarantine"), e);
}

static unsigned files_seen;

static int count_file(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)path;
    (void)st;
    (void)at;
    files_seen += kind == FTW_F;
    return 0;
}

static unsigned count_files(void)
{
    files_seen = 0;
    (void)nftw(temppath("blobs"), count_file, 16, FTW_PHYS);
    return files_seen;
}

static void names_files_by_content(void)
{
    const rift_sha256 sha = rift_sha256_of(hello);
    CHECK_FATAL(CHECK_OK(folder_make(&blobs, &err), &err));
    CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
    CHECK_BYTES(check_read_file(temppath(hello_path)), hello);
    CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
    CHECK_U64(count_files(), 1);
    CHECK(truncate(temppath(hello_path), 2) == 0);
    CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
    CHECK_BYTES(check_read_file(temppath(hello_path)), hello);
    CHECK_OK(rift_blob_quarantine(blobs, &sha, &err), &err);
    char name[128];
    (void)snprintf(name, sizeof name, "quarantine/%s", hello_name);
    CHECK_BYTES(check_read_file(temppath(name)), hello);
    CHECK_U64(count_files(), 0);
    rift_blobs_close(blobs);
}

/* A remover that died between its two steps: the next start puts the file back, or drops it when it was put anew. */
static void empties_the_trash(void)
{
    const rift_sha256 sha = rift_sha256_of(hello);
    char name[128];
    (void)snprintf(name, sizeof name, "blobs/trash/%s", hello_name);
    for (int again = 0; again < 2; again++) {
        check_row("put again: %d", again);
        CHECK_FATAL(CHECK_OK(folder_make(&blobs, &err), &err));
        CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
        CHECK(rename(temppath(hello_path), temppath(name)) == 0);
        if (again)
            CHECK_OK(rift_blob_put(blobs, &sha, hello, &err), &err);
        rift_blobs_close(blobs);
        CHECK_FATAL(
            CHECK_OK(rift_blob_files_open(&blobs, temppath("blobs"), temppath("quarantine"), &err), &err));
        check_content(&sha, hello);
        CHECK_U64(count_files(), 1);
        rift_blobs_close(blobs);
    }
}

/* Eight processes put the same bytes at once: all succeed, one file. */
static void many_puts_at_once(void)
{
    CHECK_FATAL(CHECK_OK(folder_make(&blobs, &err), &err));
    uint8_t *data = calloc(1, 300000);
    const rift_bytes bytes = {data, 300000};
    const rift_sha256 sha = rift_sha256_of(bytes);
    for (int i = 0; i < 8; i++)
        if (fork() == 0)
            _exit(!rift_blob_put(blobs, &sha, bytes, &err));
    int status, bad = 0;
    for (int i = 0; i < 8; i++)
        bad += wait(&status) < 0 || status != 0;
    CHECK_I64(bad, 0);
    CHECK_U64(count_files(), 1);
    free(data);
    rift_blobs_close(blobs);
}

/* A put after the remover looked at the clock is never lost, however the two interleave. */
static void a_put_beats_a_remover(void)
{
    const rift_sha256 sha = rift_sha256_of(hello);
    CHECK_FATAL(CHECK_OK(folder_make(&blobs, &err), &err));
    const int64_t before = now_ms();
    (void)usleep(2000);
    const pid_t remover = fork();
    if (remover == 0) {
        bool removed;
        for (int i = 0; i < 2000; i++) {
            if (!rift_blob_remove(blobs, &sha, before, &removed, &err))
                _exit(1);
        }
        _exit(0);
    }
    unsigned lost = 0;
    for (int i = 0; i < 200; i++) {
        lost += !rift_blob_put(blobs, &sha, hello, &err);
    }
    int status = 1;
    CHECK(waitpid(remover, &status, 0) == remover && status == 0);
    CHECK_U64(lost, 0);
    check_content(&sha, hello);
    rift_blobs_close(blobs);
}

static void refuses_what_it_cannot_write(void)
{
    tempfile_write("notadir", "x", 1);
    CHECK(!rift_blob_files_open(&blobs, temppath("notadir"), temppath("quarantine"), &err));
    CHECK_CODE(&err, RIFT_ERR_IO);
    CHECK(!rift_blob_files_open(&blobs, temppath("no/such/parent"), temppath("quarantine"), &err));
    CHECK_CODE(&err, RIFT_ERR_NOT_FOUND);
    err = check_err();
}

static void suite(const char *kind, bool (*make)(rift_blobs **out, rift_err *err))
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"puts_and_opens", puts_and_opens},
        {"removes", removes},
        {"quarantines", quarantines},
        {"lists", lists},
    };
    for (size_t i = 0; i < RIFT_COUNT(cases); i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s: %s", kind, cases[i].name);
        if (!check_begin(name))
            continue;
        CHECK_FATAL(CHECK_OK(make(&blobs, &err), &err));
        cases[i].run();
        rift_blobs_close(blobs);
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    err = check_err();
    suite("folder", folder_make);
    suite("toy", toy_make);
    RUN(names_files_by_content);
    RUN(empties_the_trash);
    RUN(many_puts_at_once);
    RUN(a_put_beats_a_remover);
    RUN(refuses_what_it_cannot_write);
    return check_finish();
}
