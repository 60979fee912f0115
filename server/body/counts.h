/* counts.h - numbers out of a conversion's report (schema/report.schema.json).
 *
 * Shape   the report is ours, as the store keeps it: {"stage":…,"counts":{"textures":4,…},"report":[…]}.
 * Errors  none: false where the text is no such report or has no such whole number. Thread: any. */
#ifndef RIFT_BODY_COUNTS_H
#define RIFT_BODY_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

bool rift_report_count_in(rift_str report, const char *name, uint64_t *out);

#endif
