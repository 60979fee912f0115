#include "base/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

void rift_report_init(rift_report *report, rift_arena *arena)
{
    *report = (rift_report){.arena = arena};
}

void rift_report_in(rift_report *report, rift_str context)
{
    if (report == NULL)
        return;
    (void)snprintf(report->context, sizeof report->context, "%.*s%s", RIFT_STR_ARG(context),
                   context.size > 0 ? ": " : "");
}

static rift_report_entry *find_entry(const rift_report *report, const char *code)
{
    for (size_t i = 0; i < report->entry_count; i++) {
        if (strcmp(report->entries[i]->code, code) == 0)
            return report->entries[i];
    }
    return NULL;
}

static rift_report_entry *add_entry(rift_report *report, const char *code)
{
    if (report->entry_count == RIFT_REPORT_MAX_CODES)
        return NULL;
    rift_report_entry *entry = RIFT_NEW(report->arena, rift_report_entry, 1);
    if (entry == NULL)
        return NULL;
    entry->code = code;
    report->entries[report->entry_count++] = entry;
    return entry;
}

static void count_one(rift_report *report, const char *code, const char *text)
{
    rift_report_entry *entry = find_entry(report, code);
    if (entry == NULL)
        entry = add_entry(report, code);
    if (entry == NULL)
        return;
    entry->count++;
    if (entry->example_count == RIFT_REPORT_MAX_EXAMPLES)
        return;
    const rift_str example = rift_arena_printf(report->arena, "%s%s", report->context, text);
    if (example.size > 0)
        entry->examples[entry->example_count++] = example;
}

void rift_report_add(rift_report *report, const char *code, const char *format, ...)
{
    if (report == NULL)
        return;
    char text[320];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    count_one(report, code, text);
}

void rift_report_err(rift_report *report, const char *code, const rift_err *err)
{
    if (report == NULL)
        return;
    char text[sizeof(rift_err)];
    report->unsupported += err->code == RIFT_ERR_UNSUPPORTED;
    count_one(report, code, rift_err_print(err, text, sizeof text));
}

uint64_t rift_report_count(const rift_report *report, const char *code)
{
    const rift_report_entry *entry = find_entry(report, code);
    return entry ? entry->count : 0;
}
