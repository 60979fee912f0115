/* report.h - what was guessed, replaced or dropped on the way (G48): code, count, at most 20 examples.
 *
 * Shape   codes are snake_case words that programs match ("normals_rebuilt"); examples are text for people and name
 *         the file, part or clip. Codes keep the order in which they first occurred.
 * Memory  in the arena given at init, which must outlive the report. A full arena drops examples, never counts a
 *         failure of its own (the arena says so).
 * Thread  one writer. */
#ifndef RIFT_BASE_REPORT_H
#define RIFT_BASE_REPORT_H

#include "base/arena.h"

#define RIFT_REPORT_MAX_EXAMPLES 20
#define RIFT_REPORT_MAX_CODES 256
#define RIFT_REPORT_MAX_UNSUPPORTED 16

typedef struct rift_report_entry {
    const char *code; /* a literal */
    uint64_t count;
    rift_str examples[RIFT_REPORT_MAX_EXAMPLES];
    size_t example_count;
} rift_report_entry;

/* A variant of a format that is not read, and how often it was met. */
typedef struct rift_unsupported {
    rift_str format; /* "anm", "wad"; what is no format of ours: the file's extension, or empty */
    rift_str what;   /* "compressed version 9" */
    uint64_t count;
} rift_unsupported;

typedef struct rift_report {
    rift_arena *arena;
    rift_report_entry *entries[RIFT_REPORT_MAX_CODES];
    size_t entry_count;
    uint64_t unsupported; /* errors that were survived, of a format or version that is not read */
    rift_unsupported variants[RIFT_REPORT_MAX_UNSUPPORTED]; /* the first ones of these */
    size_t variant_count;
    char context[96]; /* put before each example: "Idle1: "; see rift_report_in */
} rift_report;

void rift_report_init(rift_report *report, rift_arena *arena);
/* Names what is worked on now (a clip, a file); empty for nothing. */
void rift_report_in(rift_report *report, rift_str context);
/* Counts one. `code` must be a string literal. `report` may be NULL, then nothing happens. */
void rift_report_add(rift_report *report, const char *code, const char *format, ...) RIFT_PRINTF(3, 4);
/* Counts an error that was survived, with its text as example. */
void rift_report_err(rift_report *report, const char *code, const rift_err *err);
/* Counts one variant that is not read, or not known; `where` and `file` as in an error. rift_report_err does that for UNSUPPORTED. */
void rift_report_unsupported(rift_report *report, rift_str where, rift_str file, rift_str what);
/* 0 when the code never occurred. */
uint64_t rift_report_count(const rift_report *report, const char *code);

#endif
