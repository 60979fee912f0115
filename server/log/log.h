/* log.h - lines on stderr, as JSON: {"t":"2026-01-02T03:04:05.678Z","level":"info","msg":"listening","address":"…"}
 *         or as text: t=2026-01-02T03:04:05.678Z level=info msg="listening" address="…".
 *
 * Shape   rift_log_begin, fields, rift_log_end: one line, one write, cut at RIFT_LOG_LINE bytes. Strings are escaped; bytes that are not UTF-8 are read as Latin-1.
 * Thread  any; a line under way lives on its caller's stack. */
#ifndef RIFT_LOG_LOG_H
#define RIFT_LOG_LOG_H

#include "base/err.h"
#include "base/report.h"

#define RIFT_LOG_LINE 1000

typedef enum rift_log_level {
    RIFT_LOG_DEBUG,
    RIFT_LOG_INFO,
    RIFT_LOG_WARNING,
    RIFT_LOG_ERROR
} rift_log_level;

/* Lines below this level are dropped. INFO at first. At any time, from any thread. */
void rift_log_set_level(rift_log_level level);

typedef enum rift_log_format { RIFT_LOG_JSON, RIFT_LOG_TEXT } rift_log_format;

/* JSON at first. At any time, from any thread; a line under way keeps its form. */
void rift_log_set_format(rift_log_format format);

typedef struct rift_log {
    char line[RIFT_LOG_LINE];
    size_t size;
    bool dropped, is_text;
} rift_log;

void rift_log_begin(rift_log *log, rift_log_level level, const char *msg);
void rift_log_str(rift_log *log, const char *key, rift_str value);
void rift_log_int(rift_log *log, const char *key, int64_t value);
/* code, file, where, offset and text of an error. */
void rift_log_err(rift_log *log, const rift_err *err);
void rift_log_end(rift_log *log);

/* msg alone, or msg and an error. */
void rift_log_line(rift_log_level level, const char *msg);
void rift_log_failure(const char *msg, const rift_err *err);
/* A warning for each example that the report kept. */
void rift_log_report(const rift_report *report);

#endif
