/* counts.h - numbers and remarks out of a conversion's report (schema/report.schema.json).
 *
 * Shape   the report is ours, as the store keeps it: {"stage":…,"counts":{"textures":4,…},"report":[…]}.
 * Errors  none: false where the text is no such report or has no such whole number. Thread: any. */
#ifndef RIFT_BODY_COUNTS_H
#define RIFT_BODY_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"

bool rift_report_count_in(rift_str report, const char *name, uint64_t *out);

/* The formats and versions that were not read, as the report lists them; `error` is the failure instead, in the same form. Empty where there are none. In arena. */
rift_str rift_report_unsupported_in(rift_str report, rift_arena *arena);
rift_str rift_error_unsupported(rift_str error, rift_arena *arena);

/* The codes of remarks that `now` has and `before` has not, or fewer times, separated by blanks; empty where either is no report. In arena; its failure is the caller's to look for. */
rift_str rift_report_gained(rift_str now, rift_str before, rift_arena *arena);

#endif
