#include "log/log.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"

/* Room kept for the closing quote, brace and newline. */
enum { TAIL = 4 };

static _Atomic rift_log_level least = RIFT_LOG_INFO; /* SIGHUP changes both while workers log */
static _Atomic rift_log_format form = RIFT_LOG_JSON;

void rift_log_set_level(rift_log_level level)
{
    least = level;
}

void rift_log_set_format(rift_log_format format)
{
    form = format;
}

static void put(rift_log *log, const char *text, size_t size)
{
    if (log->size + size > sizeof log->line - TAIL)
        return;
    memcpy(log->line + log->size, text, size);
    log->size += size;
}

static void put_c(rift_log *log, const char *text)
{
    put(log, text, strlen(text));
}

static void put_escaped(rift_log *log, rift_str s)
{
    const bool utf8 = rift_str_is_utf8(s);
    char text[8];
    put_c(log, "\"");
    for (size_t i = 0; i < s.size && log->size < sizeof log->line - TAIL - sizeof text; i++) {
        const unsigned char c = (unsigned char)s.data[i];
        if (c == '"' || c == '\\') {
            (void)snprintf(text, sizeof text, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f || (c >= 0x80 && !utf8)) {
            (void)snprintf(text, sizeof text, "\\u%04x", c);
        } else {
            (void)snprintf(text, sizeof text, "%c", c);
        }
        put_c(log, text);
    }
    /* Always fits: TAIL is kept free. */
    log->line[log->size++] = '"';
}

static void put_key(rift_log *log, const char *key)
{
    put_c(log, log->is_text ? " " : ",\"");
    put_c(log, key);
    put_c(log, log->is_text ? "=" : "\":");
}

/* False, and the line stays as it is, when a field of this size might not fit whole. */
static bool has_room(const rift_log *log, size_t size)
{
    return !log->dropped && log->size + size < sizeof log->line - TAIL;
}

void rift_log_begin(rift_log *log, rift_log_level level, const char *msg)
{
    static const char *const words[] = {"debug", "info", "warning", "error"};
    log->size = 0;
    log->dropped = level < least;
    if (log->dropped)
        return;
    struct timespec now;
    struct tm tm = {0};
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &tm);
    char head[128];
    log->is_text = form == RIFT_LOG_TEXT;
    (void)snprintf(head, sizeof head,
                   log->is_text ? "t=%04d-%02d-%02dT%02d:%02d:%02d.%03dZ level=%s msg="
                                : "{\"t\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03dZ\",\"level\":\"%s\",\"msg\":",
                   tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
                   (int)(now.tv_nsec / 1000000), words[level]);
    put_c(log, head);
    put_escaped(log, rift_str_c(msg));
}

void rift_log_str(rift_log *log, const char *key, rift_str value)
{
    if (!has_room(log, strlen(key) + 16))
        return;
    put_key(log, key);
    put_escaped(log, value);
}

void rift_log_int(rift_log *log, const char *key, int64_t value)
{
    if (!has_room(log, strlen(key) + 32))
        return;
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    put_key(log, key);
    put_c(log, text);
}

void rift_log_err(rift_log *log, const rift_err *err)
{
    rift_log_str(log, "code", rift_str_c(rift_status_name(err->code)));
    if (err->file[0] != '\0')
        rift_log_str(log, "file", rift_str_c(err->file));
    if (err->where[0] != '\0')
        rift_log_str(log, "where", rift_str_c(err->where));
    if (err->offset != RIFT_NO_OFFSET)
        rift_log_int(log, "offset", (int64_t)err->offset);
    rift_log_str(log, "text", rift_str_c(err->text));
}

void rift_log_end(rift_log *log)
{
    if (log->dropped)
        return;
    if (!log->is_text)
        log->line[log->size++] = '}';
    log->line[log->size++] = '\n';
    /* A log that cannot be written has nobody to tell. */
    const ssize_t written = write(STDERR_FILENO, log->line, log->size);
    (void)written;
}

void rift_log_line(rift_log_level level, const char *msg)
{
    rift_log log;
    rift_log_begin(&log, level, msg);
    rift_log_end(&log);
}

void rift_log_failure(const char *msg, const rift_err *err)
{
    rift_log log;
    rift_log_begin(&log, RIFT_LOG_ERROR, msg);
    rift_log_err(&log, err);
    rift_log_end(&log);
}

void rift_log_report(const rift_report *report)
{
    for (size_t i = 0; i < report->entry_count; i++) {
        for (size_t k = 0; k < report->entries[i]->example_count; k++) {
            rift_log log;
            rift_log_begin(&log, RIFT_LOG_WARNING, report->entries[i]->code);
            rift_log_str(&log, "text", report->entries[i]->examples[k]);
            rift_log_end(&log);
        }
    }
}
