#include "support/check.h"

#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

static struct {
    const char *filter;
    const char *test;
    char row[128];
    unsigned passed;
    unsigned failed;
    unsigned failures_at_start;
    bool running;
} state;

static void close_test(void)
{
    if (!state.running)
        return;
    if (state.failed == state.failures_at_start)
        state.passed++;
    state.running = false;
}

void check_init(int argc, char **argv)
{
    state.filter = argc > 1 ? argv[1] : NULL;
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
}

bool check_begin(const char *name)
{
    close_test();
    state.row[0] = '\0';
    if (state.filter != NULL && strstr(name, state.filter) == NULL)
        return false;
    state.test = name;
    state.failures_at_start = state.failed;
    state.running = true;
    return true;
}

void check_row(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(state.row, sizeof state.row, format, args);
    va_end(args);
}

int check_finish(void)
{
    close_test();
    printf("%u passed, %u failed\n", state.passed, state.failed);
    return state.failed > 0 || state.passed == 0;
}

void check_skip(const char *why)
{
    printf("skipped: %s\n", why);
    exit(77);
}

static bool RIFT_PRINTF(3, 4) failed(const char *file, int line, const char *format, ...)
{
    va_list args;
    printf("%s:%d: %s%s%s: ", file, line, state.test ? state.test : "?", state.row[0] ? " / " : "",
           state.row);
    va_start(args, format);
    (void)vprintf(format, args);
    va_end(args);
    printf("\n");
    state.failed++;
    return false;
}

bool check_true(bool ok, const char *expr, const char *file, int line)
{
    return ok || failed(file, line, "%s is false", expr);
}

bool check_i64(int64_t got, int64_t want, const char *expr, const char *file, int line)
{
    return got == want || failed(file, line, "%s is %lld, not %lld", expr, (long long)got, (long long)want);
}

bool check_u64(uint64_t got, uint64_t want, const char *expr, const char *file, int line)
{
    return got == want ||
           failed(file, line, "%s is %llu (0x%llx), not %llu (0x%llx)", expr, (unsigned long long)got,
                  (unsigned long long)got, (unsigned long long)want, (unsigned long long)want);
}

bool check_near(double got, double want, double within, const char *expr, const char *file, int line)
{
    return fabs(got - want) <= within ||
           failed(file, line, "%s is %.12g, not %.12g within %g", expr, got, want, within);
}

bool check_str(rift_str got, rift_str want, const char *expr, const char *file, int line)
{
    const bool same = got.size == want.size && (got.size == 0 || memcmp(got.data, want.data, got.size) == 0);
    return same ||
           failed(file, line, "%s is \"%.*s\", not \"%.*s\"", expr, RIFT_STR_ARG(got), RIFT_STR_ARG(want));
}

bool check_bytes(rift_bytes got, rift_bytes want, const char *expr, const char *file, int line)
{
    if (got.size != want.size)
        return failed(file, line, "%s has %zu bytes, not %zu", expr, got.size, want.size);
    for (size_t i = 0; i < got.size; i++)
        if (got.data[i] != want.data[i])
            return failed(file, line, "%s differs at byte %zu: 0x%02x, not 0x%02x", expr, i, got.data[i],
                          want.data[i]);
    return true;
}

bool check_code(const rift_err *err, rift_status want, const char *file, int line)
{
    char text[sizeof(rift_err)];
    return err->code == want || failed(file, line, "code is %s, not %s (%s)", rift_status_name(err->code),
                                       rift_status_name(want), rift_err_print(err, text, sizeof text));
}

rift_err check_err(void)
{
    rift_err err;
    rift_err_in(&err, (rift_str){0});
    return err;
}

bool check_ok(bool ok, const rift_err *err, const char *expr, const char *file, int line)
{
    char text[sizeof(rift_err)];
    if (!ok)
        return failed(file, line, "%s failed: %s", expr, rift_err_print(err, text, sizeof text));
    return err->code == RIFT_OK ||
           failed(file, line, "%s succeeded with code %s", expr, rift_status_name(err->code));
}

enum { ARENA_LIMIT = 256 * 1024 * 1024 };

/* Parses an exactly sized copy, so that a read past the end is seen by the sanitizer. */
static bool
parse_copy(check_parse_fn *parse, const uint8_t *data, size_t size, uint64_t fail_at, rift_err *err)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (size > 0)
        memcpy(copy, data, size);
    rift_arena arena;
    rift_arena_init(&arena, ARENA_LIMIT);
    arena.fail_at = fail_at;
    *err = check_err();
    const bool ok = parse((rift_bytes){copy, size}, &arena, err);
    rift_arena_release(&arena);
    free(copy);
    if (ok != (err->code == RIFT_OK))
        (void)failed(__FILE__, __LINE__, "returned %d with code %s", ok, rift_status_name(err->code));
    if (err->code == RIFT_ERR_INTERNAL)
        (void)failed(__FILE__, __LINE__, "an internal error: %s", err->text);
    if (!ok && err->offset != RIFT_NO_OFFSET && err->offset > size)
        (void)failed(__FILE__, __LINE__, "offset %llu is past the %zu bytes", (unsigned long long)err->offset,
                     size);
    return ok;
}

void check_prefixes(check_parse_fn *parse, rift_bytes whole, size_t from, rift_status want)
{
    for (size_t n = from; n < whole.size; n++) {
        check_row("first %zu of %zu bytes", n, whole.size);
        rift_err err;
        if (parse_copy(parse, whole.data, n, 0, &err))
            (void)failed(__FILE__, __LINE__, "a prefix was accepted");
        else if (want != RIFT_OK && err.code != want)
            (void)check_code(&err, want, __FILE__, __LINE__);
    }
    check_row("%s", "");
}

void check_allocations(check_parse_fn *parse, rift_bytes whole)
{
    rift_err err;
    uint64_t n = 1;
    for (; n < 1000000; n++) {
        check_row("allocation %llu fails", (unsigned long long)n);
        if (parse_copy(parse, whole.data, whole.size, n, &err))
            break;
        (void)check_code(&err, RIFT_ERR_NOMEM, __FILE__, __LINE__);
    }
    check_row("%s", "");
    (void)check_true(n > 1, "the parser allocates at all", __FILE__, __LINE__);
}

void check_every_byte(check_parse_fn *parse, rift_bytes whole)
{
    uint8_t *copy = malloc(whole.size > 0 ? whole.size : 1);
    if (whole.size > 0)
        memcpy(copy, whole.data, whole.size);
    for (size_t i = 0; i < whole.size; i++) {
        const uint8_t old = copy[i];
        const uint8_t values[] = {0, 0xff, (uint8_t)(old + 1), (uint8_t)(old - 1)};
        for (size_t k = 0; k < RIFT_COUNT(values); k++) {
            check_row("byte %zu is 0x%02x", i, values[k]);
            copy[i] = values[k];
            rift_err err;
            (void)parse_copy(parse, copy, whole.size, 0, &err);
        }
        copy[i] = old;
    }
    check_row("%s", "");
    free(copy);
}

const char *check_corpus(void)
{
    static char path[4096];
    const char *from_env = getenv("RIFT_CORPUS");
    const char *source = getenv("RIFT_SOURCE_DIR");
    if (from_env != NULL && from_env[0] != '\0')
        (void)snprintf(path, sizeof path, "%s", from_env);
    else
        (void)snprintf(path, sizeof path, "%s/../shared/corpus", source ? source : ".");
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? path : NULL;
}

/* Everything read stays reachable, so that the leak checker does not count it. */
static struct kept {
    struct kept *next;
    uint8_t *data;
} * kept_files;

static void keep(uint8_t *data)
{
    struct kept *k = malloc(sizeof *k);
    *k = (struct kept){kept_files, data};
    kept_files = k;
}

static bool read_file(const char *path, rift_bytes *out)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return false;
    (void)fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    (void)fseek(f, 0, SEEK_SET);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    keep(data);
    const bool ok = size >= 0 && fread(data, 1, (size_t)size, f) == (size_t)size;
    (void)fclose(f);
    *out = (rift_bytes){data, ok ? (size_t)size : 0};
    return ok;
}

rift_bytes check_corpus_file(const char *path)
{
    char full[8192];
    rift_bytes out = {0};
    if (check_corpus() == NULL)
        return out;
    (void)snprintf(full, sizeof full, "%s/%s", check_corpus(), path);
    (void)read_file(full, &out);
    return out;
}

rift_bytes check_read_file(const char *path)
{
    rift_bytes out = {0};
    if (!read_file(path, &out)) {
        printf("cannot read %s\n", path);
        exit(1);
    }
    return out;
}
