#include "patches/alarm.h"

#include <time.h>

enum { MAX_SLEEP_MS = 60 * 1000 };

static int64_t clock_ms(const rift_alarm *a)
{
    struct timespec now;
    if (a->schedule.count == 0)
        return (int64_t)uv_now(a->timer.loop);
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void on_timer(uv_timer_t *timer);

static void sleep_on(rift_alarm *a, int64_t now)
{
    const int64_t left = a->due_ms - now;
    const int64_t sleep = left < 1 ? 1 : left < MAX_SLEEP_MS ? left : MAX_SLEEP_MS;
    (void)uv_timer_start(&a->timer, on_timer, (uint64_t)sleep, 0);
}

static int64_t chance(const rift_alarm *a)
{
    uint32_t random = 0;
    (void)uv_random(NULL, NULL, &random, sizeof random, 0, NULL);
    return (int64_t)(random % (uint64_t)(a->jitter_ms + 1));
}

static void plan(rift_alarm *a, int64_t now)
{
    const int64_t next = rift_schedule_next(&a->schedule, now);
    if (next == 0)
        return;
    a->due_ms = now + next + chance(a);
    sleep_on(a, now);
}

static void on_timer(uv_timer_t *timer)
{
    rift_alarm *a = (rift_alarm *)(void *)timer; /* its first member */
    const int64_t now = clock_ms(a);
    if (now >= a->due_ms) {
        plan(a, now);
        a->ring(a->user);
    } else if (!rift_schedule_may_be(&a->schedule, a->due_ms, a->jitter_ms, now)) {
        plan(a, now);
    } else {
        sleep_on(a, now);
    }
}

void rift_alarm_init(rift_alarm *alarm, uv_loop_t *loop, void (*ring)(void *user), void *user)
{
    *alarm = (rift_alarm){.ring = ring, .user = user};
    const int code = uv_timer_init(loop, &alarm->timer);
    RIFT_ASSERT(code == 0);
    alarm->timer.data = user;
}

void rift_alarm_set(rift_alarm *alarm, const rift_schedule *schedule, int64_t jitter_ms, bool at_once)
{
    rift_alarm_stop(alarm);
    alarm->schedule = *schedule;
    alarm->jitter_ms = jitter_ms;
    const int64_t now = clock_ms(alarm);
    if (!at_once) {
        plan(alarm, now);
    } else {
        alarm->due_ms = now + chance(alarm);
        sleep_on(alarm, now);
    }
}

void rift_alarm_stop(rift_alarm *alarm)
{
    (void)uv_timer_stop(&alarm->timer);
}

void rift_alarm_close(rift_alarm *alarm, uv_close_cb closed)
{
    uv_close((uv_handle_t *)&alarm->timer, closed);
}
