/* alarm.h - wakes by a schedule, put off by chance, whatever is done to the clock.
 *
 * Shape   intervals go by the loop's own time. Times of day go by the wall clock, which is looked at once a minute: a time that it jumps over is due at
 *         once, and after it was set back the next time of day is the next one by the new clock, at most a day away.
 * Memory  the struct is the caller's until its handle is closed (rift_alarm_close).
 * Thread  the loop. */
#ifndef RIFT_PATCHES_ALARM_H
#define RIFT_PATCHES_ALARM_H

#include <uv.h>

#include "patches/schedule.h"

typedef struct rift_alarm rift_alarm;
struct rift_alarm {
    uv_timer_t timer;
    rift_schedule schedule;
    int64_t jitter_ms;
    int64_t due_ms; /* by the clock of the schedule */
    void (*ring)(void *user);
    void *user;
};

void rift_alarm_init(rift_alarm *alarm, uv_loop_t *loop, void (*ring)(void *user), void *user);
/* From now on; `at_once`: the first time after the jitter alone. */
void rift_alarm_set(rift_alarm *alarm, const rift_schedule *schedule, int64_t jitter_ms, bool at_once);
void rift_alarm_stop(rift_alarm *alarm);
void rift_alarm_close(rift_alarm *alarm, uv_close_cb closed); /* its handle's data is `user` */

#endif
