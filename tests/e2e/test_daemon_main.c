/* riftbaked with conversions that tests steer: the folder RIFT_TEST_STEER holds a file per skin, "<alias>-<number>", with one word a line:
 *
 *   wait        does not end before the file "open-<alias>-<number>" exists; looks at its cancel flag
 *   deaf        with wait: does not look
 *   progress    with wait: reports progress all the time
 *   fail CODE   ends with that error, in the part "made up"
 *   size N      bytes of the result (1,000 without)
 *   noise       which hardly shrink
 *
 * Every start is noted in the file "starts": one line "<alias>-<number>". The result depends on the skin, the options and the size alone.
 *
 * Every block that is made larger, to a megabyte or more, is noted in the file "reallocs": one line with its size.
 *
 * With a file "real" conversions are those of the daemon as it is.
 *
 * While there is a file "disk-full" nothing more can be written to files. A file "disk-free" says how many bytes are free of a disk of 1,000,000,000 bytes. The wall clock is ahead by as many seconds as the file "clock" says.
 *
 * SIGUSR1 makes one allocation of ours fail, from then on: the first at the first signal, the second at the second, and so on. SIGUSR2 calls that off. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "app/app.h"
#include "base/str.h"

/* ---- allocations that fail; the linker sends every call of ours here (--wrap) ---- */

enum { LARGE = 1 << 20 };

static atomic_int turn;      /* which allocation the last signal chose */
static atomic_int countdown; /* 0: none fails */

static void on_starve(int number)
{
    atomic_store(&countdown, number == SIGUSR1 ? atomic_fetch_add(&turn, 1) + 1 : 0);
}

static bool is_starved(void)
{
    int left = atomic_load(&countdown);
    while (left > 0 && !atomic_compare_exchange_weak(&countdown, &left, left - 1))
        continue;
    return left == 1;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
    return is_starved() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return is_starved() ? NULL : __real_calloc(count, size);
}

/* Each may move all that was there: how often that is, is work that a test can count. */
static void note_large(size_t size)
{
    char path[4096], line[32];
    const char *dir = getenv("RIFT_TEST_STEER");
    if (dir == NULL || size < LARGE)
        return;
    (void)snprintf(path, sizeof path, "%s/reallocs", dir);
    const int length = snprintf(line, sizeof line, "%zu\n", size);
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || syscall(SYS_write, fd, line, (size_t)length) != length)
        abort();
    (void)close(fd);
}

void *__wrap_realloc(void *old, size_t size)
{
    note_large(size);
    return is_starved() ? NULL : __real_realloc(old, size);
}

/* ---- a disk without room: SQLite's writes come here too, since a program's own symbols go before those of libraries ---- */

#define EXPORTED __attribute__((visibility("default")))

/* What a file of the steering folder says. */
static bool steered_number(const char *name, uint64_t *out)
{
    char path[4096], text[32] = "";
    const char *dir = getenv("RIFT_TEST_STEER");
    (void)snprintf(path, sizeof path, "%s/%s", dir != NULL ? dir : ".", name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    (void)!read(fd, text, sizeof text - 1);
    (void)close(fd);
    *out = strtoull(text, NULL, 10);
    return true;
}

static bool is_full(int fd)
{
    char path[4096];
    struct stat st;
    const char *dir = getenv("RIFT_TEST_STEER");
    (void)snprintf(path, sizeof path, "%s/disk-full", dir != NULL ? dir : ".");
    if (access(path, F_OK) != 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    errno = ENOSPC;
    return true;
}

EXPORTED ssize_t write(int fd, const void *data, size_t size)
{
    return is_full(fd) ? -1 : syscall(SYS_write, fd, data, size);
}

EXPORTED ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    return is_full(fd) ? -1 : syscall(SYS_pwrite64, fd, data, size, offset);
}

EXPORTED ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    return is_full(fd) ? -1 : syscall(SYS_pwrite64, fd, data, size, offset);
}

/* What libuv asks. */
EXPORTED int statfs(const char *path, struct statfs *out)
{
    uint64_t free_bytes;
    if (syscall(SYS_statfs, path, out) != 0)
        return -1;
    if (steered_number("disk-free", &free_bytes)) {
        out->f_bsize = 1;
        out->f_blocks = 1000000000;
        out->f_bfree = out->f_bavail = free_bytes;
    }
    return 0;
}

EXPORTED int statfs64(const char *path, struct statfs64 *out)
{
    return statfs(path, (struct statfs *)(void *)out); /* the same on 64 bits */
}

/* ---- a wall clock that is set ---- */

static int64_t clock_offset(void)
{
    uint64_t seconds;
    return steered_number("clock", &seconds) ? (int64_t)seconds : 0;
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int code = (int)syscall(SYS_clock_gettime, clock, now);
    if (code == 0 && clock == CLOCK_REALTIME)
        now->tv_sec += clock_offset();
    return code;
}

/* ---- conversions ---- */

typedef struct orders {
    bool wait, deaf, progress, noise;
    char fail[32];
    size_t size;
} orders;

static const char *steer_path(char *buf, size_t size, const char *prefix, const rift_skin_ref *skin)
{
    const char *dir = getenv("RIFT_TEST_STEER");
    (void)snprintf(buf, size, "%s/%s%.*s-%u", dir != NULL ? dir : ".", prefix, RIFT_STR_ARG(skin->alias),
                   skin->number);
    return buf;
}

static orders read_orders(const rift_skin_ref *skin)
{
    orders o = {.size = 1000};
    char path[4096], line[128];
    FILE *f = fopen(steer_path(path, sizeof path, "", skin), "r");
    if (f == NULL)
        return o;
    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        o.wait |= strcmp(line, "wait") == 0;
        o.deaf |= strcmp(line, "deaf") == 0;
        o.progress |= strcmp(line, "progress") == 0;
        o.noise |= strcmp(line, "noise") == 0;
        if (strncmp(line, "fail ", 5) == 0)
            (void)snprintf(o.fail, sizeof o.fail, "%.20s", line + 5);
        if (strncmp(line, "size ", 5) == 0)
            o.size = strtoul(line + 5, NULL, 10);
    }
    (void)fclose(f);
    return o;
}

static void note_start(const rift_skin_ref *skin)
{
    char path[4096], line[256];
    const char *dir = getenv("RIFT_TEST_STEER");
    (void)snprintf(path, sizeof path, "%s/starts", dir != NULL ? dir : ".");
    const int length = snprintf(line, sizeof line, "%.*s-%u\n", RIFT_STR_ARG(skin->alias), skin->number);
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || syscall(SYS_write, fd, line, (size_t)length) != length)
        abort();
    (void)close(fd);
}

static bool wait_for_gate(const rift_bake_request *request, const orders *o, rift_err *err)
{
    char path[4096];
    (void)steer_path(path, sizeof path, "open-", request->skin);
    for (int tries = 0; access(path, F_OK) != 0; tries++) {
        if (!o->deaf && atomic_load(&request->control->cancel))
            return rift_fail(err, RIFT_ERR_CANCELLED, "made up", RIFT_NO_OFFSET, "cancelled");
        if (o->progress)
            atomic_store(&request->control->progress, tries % 100);
        (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    return true;
}

static bool fail_as_told(const char *word, rift_err *err)
{
    for (int code = 1; code < RIFT_STATUS_COUNT; code++)
        if (strcmp(rift_status_name((rift_status)code), word) == 0) {
            rift_err_in(err, RIFT_STR("base.skn"));
            return rift_fail(err, (rift_status)code, "made up", 17, "count 90000 is over 65536");
        }
    abort();
}

static bool steered_bake(rift_bake_result *result,
                         const rift_bake_request *request,
                         rift_arena *out,
                         rift_arena *tmp,
                         rift_err *err)
{
    (void)tmp;
    const orders o = read_orders(request->skin);
    *result = (rift_bake_result){.stage = RIFT_STAGE_MESH};
    rift_report_init(&result->report, out);
    rift_asset_log_init(&result->uses, out);
    rift_report_add(&result->report, "steered", "%.*s", RIFT_STR_ARG(request->skin->alias));
    if (request->control != NULL)
        atomic_store(&request->control->stage, (int)RIFT_STAGE_MESH);
    note_start(request->skin);
    if (o.wait && !wait_for_gate(request, &o, err))
        return false;
    if (o.fail[0] != '\0')
        return fail_as_told(o.fail, err);
    const rift_str text = rift_options_text(&request->options, out);
    uint8_t *glb = rift_arena_push(out, o.size, 1, 1);
    if (!rift_arena_ok(out, "made up", err))
        return false;
    uint32_t noise = 1;
    for (size_t i = 0; i < o.size && o.noise; i++) {
        noise = noise * 1664525 + 1013904223;
        glb[i] = (uint8_t)(noise >> 24);
    }
    for (size_t i = 0; i < o.size && !o.noise; i++)
        glb[i] = (uint8_t)(i * 31 + request->skin->number +
                           (text.size > 0 ? (size_t)text.data[i % text.size] : 0));
    result->glb = (rift_bytes){glb, o.size};
    result->stage = RIFT_STAGE_WRITE;
    return true;
}

static bool steered_describe(rift_bytes *json,
                             rift_bake_result *result,
                             const rift_bake_request *request,
                             rift_arena *out,
                             rift_arena *tmp,
                             rift_err *err)
{
    (void)tmp;
    const orders o = read_orders(request->skin);
    *result = (rift_bake_result){.stage = RIFT_STAGE_BIN};
    note_start(request->skin);
    if (o.fail[0] != '\0')
        return fail_as_told(o.fail, err);
    const rift_str text = rift_arena_printf(out, "{\"id\":%u}", request->skin->id);
    *json = (rift_bytes){(const uint8_t *)text.data, text.size};
    return rift_arena_ok(out, "made up", err);
}

int main(int argc, char **argv)
{
    static const rift_app_hooks steered = {.bake = steered_bake, .describe = steered_describe};
    static const rift_app_hooks real = {.bake = rift_bake, .describe = rift_describe};
    char path[4096];
    const char *dir = getenv("RIFT_TEST_STEER");
    const struct sigaction starve = {.sa_handler = on_starve, .sa_flags = SA_RESTART};
    if (sigaction(SIGUSR1, &starve, NULL) != 0 || sigaction(SIGUSR2, &starve, NULL) != 0)
        abort();
    (void)snprintf(path, sizeof path, "%s/real", dir != NULL ? dir : ".");
    return rift_app_main(argc, argv, access(path, F_OK) == 0 ? &real : &steered);
}
