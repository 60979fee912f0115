/* linger.h - ends connections whose clients are still sending what nobody will read.
 *
 * Why     closing a socket with unread bytes resets the connection, and a reset may overtake the answer: a client that uploads too much would never see its 413.
 * Shape   the sending side is closed, what comes is dropped until the client closes too, at most 30 s; one thread, the loop's.
 * Limits  64 at one time; more are closed at once. */
#ifndef RIFT_HTTP_LINGER_H
#define RIFT_HTTP_LINGER_H

#include <uv.h>

typedef struct rift_linger rift_linger;

typedef struct rift_lingers {
    uv_loop_t *loop;
    rift_linger *first;
    size_t count;
} rift_lingers;

/* Takes a descriptor of its own: the caller closes fd as ever, now. */
void rift_linger_start(rift_lingers *all, int fd);
/* Ends those that take too long. */
void rift_linger_tick(rift_lingers *all);
/* Ends all. */
void rift_linger_stop(rift_lingers *all);

#endif
