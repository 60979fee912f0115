/* err.h - the error record: one per operation, set once.
 *
 * Shape   fallible functions return bool and take a rift_err that is never NULL; the return value and err->code
 *         always agree. The first error stays, later ones are ignored.
 * Naming  err->file is set by whoever opened the bytes (rift_err_in); parsers give the part of the file, the offset
 *         from the start of the bytes parsed, and a text with both numbers ("count 90000 is over 65536"). */
#ifndef RIFT_BASE_ERR_H
#define RIFT_BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#define RIFT_NODISCARD __attribute__((warn_unused_result))
#define RIFT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

typedef enum rift_status {
    RIFT_OK = 0,
    RIFT_ERR_TRUNCATED,   /* the bytes end before what they announce */
    RIFT_ERR_FORMAT,      /* the bytes contradict the format */
    RIFT_ERR_UNSUPPORTED, /* a known or unknown variant that is not read; names it */
    RIFT_ERR_LIMIT,       /* readable, but over one of our limits */
    RIFT_ERR_NOMEM,       /* the system refused memory */
    RIFT_ERR_NOT_FOUND,   /* what was asked for is not there */
    RIFT_ERR_IO,          /* the system failed to read or write */
    RIFT_ERR_CANCELLED,   /* the caller asked to stop */
    RIFT_ERR_ARGUMENT,    /* the caller's request is wrong */
    RIFT_ERR_INTERNAL     /* a bug of ours, never the file's fault; fuzzers trap on it */
} rift_status;

#define RIFT_STATUS_COUNT 11
#define RIFT_NO_OFFSET UINT64_MAX

typedef struct rift_err {
    rift_status code; /* RIFT_OK until the first failure */
    uint64_t offset;  /* start of the refused field in the bytes parsed, or RIFT_NO_OFFSET */
    char file[128];   /* which file; "" while nobody said */
    char where[64];   /* which part of it: "joint[3].name" */
    char text[192];   /* what was wrong, with both numbers */
} rift_err;

/* Clears *err and names the file that is read next. `file` may be empty; it is cut to fit, from the left. */
void rift_err_in(rift_err *err, rift_str file);

/* Records a failure unless one is recorded already. The one function that all failures pass. Returns false. */
bool rift_fail(rift_err *err, rift_status code, const char *where, uint64_t offset, const char *format, ...)
    RIFT_PRINTF(5, 6);

/* The analyser sees one file at a time: told so here, it knows that nothing goes on after a failure. */
#ifdef __clang_analyzer__
#define rift_fail(...) ((void)rift_fail(__VA_ARGS__), false)
#endif

/* "TRUNCATED", "FORMAT" …: stable words for programs, lower-cased by whoever wants them so. */
const char *rift_status_name(rift_status code);

/* Writes "file: where: text (offset N)", leaving out what is unknown. Always NUL-terminates. Returns buf. */
const char *rift_err_print(const rift_err *err, char *buf, size_t size);

/* Our own invariants: stays on in release builds, has no side effect, never tests what a file or a client sent. */
#define RIFT_ASSERT(cond) ((cond) ? (void)0 : rift_assert_failed(#cond, __FILE__, __LINE__))
_Noreturn void rift_assert_failed(const char *cond, const char *file, int line);

#endif
