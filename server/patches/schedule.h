/* schedule.h - when to look at the game folder without being told: "600" (seconds), "04:30,16:00" (times of day, UTC), "off". */
#ifndef RIFT_PATCHES_SCHEDULE_H
#define RIFT_PATCHES_SCHEDULE_H

#include "base/err.h"

#define RIFT_SCHEDULE_MAX_TIMES 24

typedef struct rift_schedule {
    int64_t interval_ms;                  /* 0: by times */
    int minutes[RIFT_SCHEDULE_MAX_TIMES]; /* of the day */
    size_t count;
} rift_schedule;

/* ARGUMENT when the text is none of the three forms. Seconds from 1 to 30 days. */
RIFT_NODISCARD bool rift_schedule_parse(rift_schedule *out, const char *text, rift_err *err);

/* Milliseconds from now (since 1970) to the next time, at least 1; 0: never. A clock that is set changes nothing but that. */
int64_t rift_schedule_next(const rift_schedule *schedule, int64_t now_ms);

/* Whether a time that lies at most jitter_ms behind one of the schedule may be as far away as due_ms. If not, the clock was set back since it was chosen. */
bool rift_schedule_may_be(const rift_schedule *schedule, int64_t due_ms, int64_t jitter_ms, int64_t now_ms);

#endif
