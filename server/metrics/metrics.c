#include "metrics/metrics.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/str.h"

/* From a reply out of memory to a conversion at its limit. */
static const struct {
    int64_t us;
    const char *text;
} bounds[RIFT_HISTOGRAM_BOUNDS] = {
    {250, "0.00025"}, {1000, "0.001"},  {2500, "0.0025"}, {5000, "0.005"},  {10000, "0.01"},
    {25000, "0.025"}, {50000, "0.05"},  {100000, "0.1"},  {250000, "0.25"}, {500000, "0.5"},
    {1000000, "1"},   {2500000, "2.5"}, {10000000, "10"}, {30000000, "30"}, {120000000, "120"},
};

static const unsigned codes[RIFT_CODE_COUNT] = {200, 201, 202, 204, 206, 299, 301, 303, 304,
                                                399, 400, 401, 403, 404, 405, 406, 409, 413,
                                                415, 416, 422, 429, 499, 503, 507, 599};

void rift_histogram_add(rift_histogram *h, int64_t us)
{
    size_t i = 0;
    while (i < RIFT_HISTOGRAM_BOUNDS && us > bounds[i].us)
        i++;
    h->buckets[i]++;
    h->sum_us += us;
}

uint64_t rift_histogram_count(const rift_histogram *h)
{
    uint64_t n = 0;
    for (size_t i = 0; i <= RIFT_HISTOGRAM_BOUNDS; i++)
        n += h->buckets[i];
    return n;
}

void rift_codes_add(rift_codes *counts, unsigned status)
{
    for (size_t i = 0; i < RIFT_CODE_COUNT; i++) {
        if (codes[i] == status || (codes[i] % 100 == 99 && codes[i] / 100 == status / 100)) {
            counts->counts[i]++;
            return;
        }
    }
}

unsigned rift_code_at(size_t i)
{
    return codes[i];
}

void rift_prom_family(rift_buf *out, const char *name, const char *type, const char *help)
{
    rift_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_name(rift_buf *out, const char *name, const char *suffix, const char *labels)
{
    rift_buf_printf(out, "%s%s%s%s%s ", name, suffix, labels[0] ? "{" : "", labels, labels[0] ? "}" : "");
}

void rift_prom_uint(rift_buf *out, const char *name, const char *labels, uint64_t value)
{
    put_name(out, name, "", labels);
    rift_buf_printf(out, "%llu\n", (unsigned long long)value);
}

static void put_seconds(rift_buf *out, int64_t us)
{
    rift_buf_printf(out, "%lld.%06lld\n", (long long)(us / 1000000), (long long)(us % 1000000));
}

void rift_prom_seconds(rift_buf *out, const char *name, const char *labels, int64_t us)
{
    put_name(out, name, "", labels);
    put_seconds(out, us > 0 ? us : 0);
}

void rift_prom_histogram(rift_buf *out, const char *name, const char *labels, const rift_histogram *h)
{
    uint64_t n = 0;
    for (size_t i = 0; i <= RIFT_HISTOGRAM_BOUNDS; i++) {
        n += h->buckets[i];
        rift_buf_printf(out, "%s_bucket{%s%sle=\"%s\"} %llu\n", name, labels, labels[0] ? "," : "",
                        i < RIFT_HISTOGRAM_BOUNDS ? bounds[i].text : "+Inf", (unsigned long long)n);
    }
    put_name(out, name, "_sum", labels);
    put_seconds(out, h->sum_us);
    put_name(out, name, "_count", labels);
    rift_buf_printf(out, "%llu\n", (unsigned long long)n);
}

/* The n-th number of a line of /proc/self/statm. */
static uint64_t resident_pages(void)
{
    char text[128];
    FILE *f = fopen("/proc/self/statm", "re");
    if (f == NULL)
        return 0;
    const size_t size = fread(text, 1, sizeof text, f);
    (void)fclose(f);
    rift_str rest = {text, size};
    rift_str word = {0};
    uint64_t pages = 0;
    for (int skipped = 0; skipped < 2; skipped++) {
        if (!rift_str_next(&rest, " \n", &word))
            return 0;
    }
    return rift_str_u64(word, UINT64_MAX, &pages) ? pages : 0;
}

static uint64_t count_entries(const char *path)
{
    DIR *d = opendir(path);
    uint64_t n = 0;
    if (d == NULL)
        return 0;
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this call's own */
    for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d))
        n += e->d_name[0] != '.';
    (void)closedir(d);
    return n;
}

rift_process rift_process_look(void)
{
    struct rusage use = {0};
    (void)getrusage(RUSAGE_SELF, &use);
    const struct mallinfo2 heap = mallinfo2();
    const uint64_t files = count_entries("/proc/self/fd");
    return (rift_process){
        .resident_bytes = resident_pages() * (uint64_t)sysconf(_SC_PAGESIZE),
        .heap_bytes = heap.uordblks + heap.hblkhd,
        .cpu_us = (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000 +
                  (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec),
        .open_files = files > 0 ? files - 1 : 0, /* without the one that looked */
        .threads = count_entries("/proc/self/task"),
    };
}
