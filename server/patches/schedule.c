#include "patches/schedule.h"

#include "base/str.h"

enum { MAX_SECONDS = 30 * 24 * 3600 };

static const int64_t day_ms = 24 * INT64_C(3600000);

static bool parse_time(rift_str text, int *minutes)
{
    uint64_t hour, minute;
    if (text.size != 5 || text.data[2] != ':' || !rift_str_u64((rift_str){text.data, 2}, 23, &hour) ||
        !rift_str_u64((rift_str){text.data + 3, 2}, 59, &minute))
        return false;
    *minutes = (int)(hour * 60 + minute);
    return true;
}

bool rift_schedule_parse(rift_schedule *out, const char *text, rift_err *err)
{
    rift_schedule s = {0};
    uint64_t seconds;
    rift_str rest = rift_str_c(text), time;
    const bool is_off = rift_str_eq(rest, RIFT_STR("off"));
    bool ok = is_off || rest.size > 0;
    if (!is_off && rift_str_u64(rest, MAX_SECONDS, &seconds)) {
        ok = seconds > 0;
        s.interval_ms = (int64_t)seconds * 1000;
    } else if (!is_off) {
        while (ok && rift_str_next(&rest, ",", &time))
            ok = s.count < RIFT_SCHEDULE_MAX_TIMES && parse_time(time, &s.minutes[s.count++]);
        ok = ok && s.count > 0;
    }
    if (!ok) {
        return rift_fail(err, RIFT_ERR_ARGUMENT, "rescan", RIFT_NO_OFFSET,
                         "\"%s\" is neither seconds (600), nor times of day (04:30,16:00), nor \"off\"",
                         text);
    }
    *out = s;
    return true;
}

int64_t rift_schedule_next(const rift_schedule *schedule, int64_t now_ms)
{
    if (schedule->interval_ms > 0)
        return schedule->interval_ms;
    int64_t best = 0;
    const int64_t now = ((now_ms % day_ms) + day_ms) % day_ms;
    for (size_t i = 0; i < schedule->count; i++) {
        int64_t in = schedule->minutes[i] * INT64_C(60000) - now;
        if (in <= 0)
            in += day_ms;
        if (best == 0 || in < best)
            best = in;
    }
    return best;
}

bool rift_schedule_may_be(const rift_schedule *schedule, int64_t due_ms, int64_t jitter_ms, int64_t now_ms)
{
    return due_ms <= now_ms + rift_schedule_next(schedule, now_ms) + jitter_ms;
}
