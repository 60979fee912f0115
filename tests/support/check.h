/* check.h - the test harness: asserts that print both values, a row label, a name filter, a closing line.
 *
 *   static void reads_a_triangle(void) { CHECK_U64(skn.vertex_count, 3); }
 *   int main(int argc, char **argv) { RUN(reads_a_triangle); return check_finish(); }   // after check_init(argc, argv)
 *
 * A failed check is counted and the test goes on; CHECK_FATAL variants return from the test. `test_x NAME` runs only
 * tests whose name contains NAME. Independent of NDEBUG. */
#ifndef RIFT_TESTS_SUPPORT_CHECK_H
#define RIFT_TESTS_SUPPORT_CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/err.h"

void check_init(int argc, char **argv);
bool check_begin(const char *name);
void check_row(const char *format, ...) RIFT_PRINTF(1, 2); /* label of the row that is checked now */
int check_finish(void);                                    /* prints "N passed, N failed"; the exit code */
void check_skip(const char *why); /* prints it and exits with 77, ctest's "skipped" */

bool check_true(bool ok, const char *expr, const char *file, int line);
bool check_i64(int64_t got, int64_t want, const char *expr, const char *file, int line);
bool check_u64(uint64_t got, uint64_t want, const char *expr, const char *file, int line);
bool check_near(double got, double want, double within, const char *expr, const char *file, int line);
bool check_str(rift_str got, rift_str want, const char *expr, const char *file, int line);
bool check_bytes(rift_bytes got, rift_bytes want, const char *expr, const char *file, int line);
bool check_code(const rift_err *err, rift_status want, const char *file, int line);

#define RUN(test)               \
    do {                        \
        if (check_begin(#test)) \
            test();             \
    } while (0)
#define CHECK(cond) check_true((cond), #cond, __FILE__, __LINE__)
#define CHECK_I64(got, want) check_i64((int64_t)(got), (int64_t)(want), #got, __FILE__, __LINE__)
#define CHECK_U64(got, want) check_u64((uint64_t)(got), (uint64_t)(want), #got, __FILE__, __LINE__)
#define CHECK_NEAR(got, want, within) \
    check_near((double)(got), (double)(want), (double)(within), #got, __FILE__, __LINE__)
#define CHECK_STR(got, want) check_str((got), (want), #got, __FILE__, __LINE__)
#define CHECK_BYTES(got, want) check_bytes((got), (want), #got, __FILE__, __LINE__)
#define CHECK_CODE(err, want) check_code((err), (want), __FILE__, __LINE__)
#define CHECK_FATAL(cond)                                   \
    do {                                                    \
        if (!check_true((cond), #cond, __FILE__, __LINE__)) \
            return;                                         \
    } while (0)

/* An error record fit to be passed. */
rift_err check_err(void);
/* Prints err when ok is false, and counts the failure: CHECK_OK(parse(..., &err), &err). */
#define CHECK_OK(ok, err) check_ok((ok), (err), #ok, __FILE__, __LINE__)
bool check_ok(bool ok, const rift_err *err, const char *expr, const char *file, int line);

/* The robustness runs that every parser passes (GUIDE section 10, 2-4). `parse` gets the bytes, an arena and an error;
 * returns what the parser returned. */
typedef bool check_parse_fn(rift_bytes in, rift_arena *arena, rift_err *err);
/* Each proper prefix must fail. `want` is the code that each must give, or RIFT_OK for "any failure". Returns false
 * and reports when a prefix passes. `from` is the first length tried. */
void check_prefixes(check_parse_fn *parse, rift_bytes whole, size_t from, rift_status want);
/* Makes the first, second, … allocation fail until the parse succeeds: each failure is NOMEM. */
void check_allocations(check_parse_fn *parse, rift_bytes whole);
/* Each byte set to 0, 0xff, +1, -1: no crash, return and code agree, the offset lies inside. */
void check_every_byte(check_parse_fn *parse, rift_bytes whole);

/* The real files: RIFT_CORPUS, else ../shared/corpus beside the source tree. NULL when absent. */
const char *check_corpus(void);
/* corpus file as bytes (malloc, never freed), or empty when there is none. `path` is relative to the corpus. */
rift_bytes check_corpus_file(const char *path);
/* A file of the source tree or any path; malloc, never freed. Exits the test with a failure when unreadable. */
rift_bytes check_read_file(const char *path);

#endif
