#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_names[RIFT_STATUS_COUNT] = {
    [RIFT_OK] = "OK",
    [RIFT_ERR_TRUNCATED] = "TRUNCATED",
    [RIFT_ERR_FORMAT] = "FORMAT",
    [RIFT_ERR_UNSUPPORTED] = "UNSUPPORTED",
    [RIFT_ERR_LIMIT] = "LIMIT",
    [RIFT_ERR_NOMEM] = "NOMEM",
    [RIFT_ERR_NOT_FOUND] = "NOT_FOUND",
    [RIFT_ERR_IO] = "IO",
    [RIFT_ERR_CANCELLED] = "CANCELLED",
    [RIFT_ERR_ARGUMENT] = "ARGUMENT",
    [RIFT_ERR_INTERNAL] = "INTERNAL",
};

void rift_err_in(rift_err *err, rift_str file)
{
    *err = (rift_err){.offset = RIFT_NO_OFFSET};
    /* The end of a path says more than its beginning. */
    const size_t room = sizeof err->file - 1;
    const size_t skip = file.size > room ? file.size - room : 0;
    if (file.size > 0)
        memcpy(err->file, file.data + skip, file.size - skip);
}

bool(rift_fail)(rift_err *err, rift_status code, const char *where, uint64_t offset, const char *format, ...)
{
    if (err->code != RIFT_OK)
        return false;
    err->code = code;
    err->offset = offset;
    (void)snprintf(err->where, sizeof err->where, "%s", where ? where : "");
    va_list args;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return false;
}

const char *rift_status_name(rift_status code)
{
    return (unsigned)code < RIFT_STATUS_COUNT ? status_names[code] : "UNKNOWN";
}

const char *rift_err_print(const rift_err *err, char *buf, size_t size)
{
    char at[40] = "";
    if (err->offset != RIFT_NO_OFFSET)
        (void)snprintf(at, sizeof at, " (offset %llu)", (unsigned long long)err->offset);
    (void)snprintf(buf, size, "%s%s%s%s%s%s", err->file, err->file[0] ? ": " : "", err->where,
                   err->where[0] ? ": " : "", err->text, at);
    return buf;
}

_Noreturn void rift_assert_failed(const char *cond, const char *file, int line)
{
    (void)fprintf(stderr, "%s:%d: invariant broken: %s\n", file, line, cond);
    abort();
}
