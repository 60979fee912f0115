/* metrics.h - histograms, counters by status, and the text form of both that Prometheus reads.
 *
 * Shape   one family after another: rift_prom_family, then its samples. `labels` is "route=\"/v1/jobs\",code=\"200\"" or empty; values of labels are ours,
 *         never a client's.
 * Thread  one at a time.
 * Source  Prometheus exposition formats, text format 0.0.4. */
#ifndef RIFT_METRICS_METRICS_H
#define RIFT_METRICS_METRICS_H

#include "base/buf.h"

/* Upper bounds in seconds; the last bucket has none. */
#define RIFT_HISTOGRAM_BOUNDS 15
typedef struct rift_histogram {
    uint64_t buckets[RIFT_HISTOGRAM_BOUNDS + 1];
    int64_t sum_us;
} rift_histogram;

void rift_histogram_add(rift_histogram *h, int64_t us);
uint64_t rift_histogram_count(const rift_histogram *h);

/* Replies by status code; codes that are not in the table count with the last of their hundred. */
#define RIFT_CODE_COUNT 26
typedef struct rift_codes {
    uint64_t counts[RIFT_CODE_COUNT];
} rift_codes;

void rift_codes_add(rift_codes *counts, unsigned status);
/* The table's i-th code. */
unsigned rift_code_at(size_t i);

#define RIFT_PROM_TYPE "text/plain; version=0.0.4; charset=utf-8"
void rift_prom_family(rift_buf *out, const char *name, const char *type, const char *help);
void rift_prom_uint(rift_buf *out, const char *name, const char *labels, uint64_t value);
void rift_prom_seconds(rift_buf *out, const char *name, const char *labels, int64_t us);
void rift_prom_histogram(rift_buf *out, const char *name, const char *labels, const rift_histogram *h);

/* What the kernel says of this process, and the allocator of what was asked of it and not given back; zeroes when they do not. */
typedef struct rift_process {
    uint64_t resident_bytes, heap_bytes, cpu_us, open_files, threads;
} rift_process;
rift_process rift_process_look(void);

#endif
