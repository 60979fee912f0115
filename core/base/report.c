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

/* What the parser says it is, since not every file's name is known; else the name: "DATA/FINAL/X.WAD.client" is a "wad". */
static rift_str format_of(rift_str where, rift_str file, char *buf, size_t size)
{
    static const struct {
        const char *where, *format;
    } parsers[] = {{"anm", "anm"},        {"property bin", "bin"}, {"scb", "scb"},
                   {"skl", "skl"},        {"skn", "skn"},          {"tex header", "tex"},
                   {"dds header", "dds"}, {"DX10 header", "dds"},  {"pixel format", "dds"}};
    for (size_t i = 0; i < RIFT_COUNT(parsers); i++) {
        if (rift_str_eq(where, rift_str_c(parsers[i].where)))
            return rift_str_c(parsers[i].format);
    }
    rift_str name = rift_str_base(file);
    if (rift_str_ends_nocase(name, RIFT_STR(".client")))
        name.size -= sizeof ".client" - 1;
    size_t dot = name.size;
    while (dot > 0 && name.data[dot - 1] != '.')
        dot--;
    size_t n = 0;
    for (; dot > 0 && n < size && dot + n < name.size; n++)
        buf[n] = rift_lower(name.data[dot + n]);
    return (rift_str){buf, n};
}

void rift_report_unsupported(rift_report *report, rift_str where, rift_str file, rift_str what)
{
    char buf[16];
    if (report == NULL)
        return;
    report->unsupported++;
    const rift_str format = format_of(where, file, buf, sizeof buf);
    for (size_t i = 0; i < report->variant_count; i++) {
        rift_unsupported *v = &report->variants[i];
        if (rift_str_eq(v->what, what) && rift_str_eq(v->format, format)) {
            v->count++;
            return;
        }
    }
    if (report->variant_count == RIFT_REPORT_MAX_UNSUPPORTED)
        return;
    report->variants[report->variant_count++] =
        (rift_unsupported){.format = rift_arena_copy_str(report->arena, format),
                           .what = rift_arena_copy_str(report->arena, what),
                           .count = 1};
}

void rift_report_err(rift_report *report, const char *code, const rift_err *err)
{
    if (report == NULL)
        return;
    char text[sizeof(rift_err)];
    if (err->code == RIFT_ERR_UNSUPPORTED)
        rift_report_unsupported(report, rift_str_c(err->where), rift_str_c(err->file), rift_str_c(err->text));
    count_one(report, code, rift_err_print(err, text, sizeof text));
}

uint64_t rift_report_count(const rift_report *report, const char *code)
{
    const rift_report_entry *entry = find_entry(report, code);
    return entry ? entry->count : 0;
}
