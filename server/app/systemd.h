/* systemd.h - what a service manager and a service tell each other: state (sd_notify) and sockets that are open already.
 *
 * Source  sd_notify(3), sd_listen_fds(3): a datagram to the socket that NOTIFY_SOCKET names; LISTEN_PID, LISTEN_FDS and descriptors from 3 on.
 *         Both are stable interfaces; the library would bring five more into the daemon.
 * Thread  before any other thread, but for rift_systemd_tell. */
#ifndef RIFT_APP_SYSTEMD_H
#define RIFT_APP_SYSTEMD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rift_systemd {
    int socket;          /* -1: nobody listens */
    int listener;        /* -1: none was given */
    int64_t watchdog_ms; /* 0: none; we should be heard more often than that */
} rift_systemd;

/* Takes NOTIFY_SOCKET, WATCHDOG_USEC and LISTEN_FDS from the environment, so that no child sees them. */
void rift_systemd_open(rift_systemd *out);
/* "READY=1", "STOPPING=1", "WATCHDOG=1", lines. What cannot be told is dropped. */
void rift_systemd_tell(const rift_systemd *systemd, const char *state);
void rift_systemd_close(rift_systemd *systemd);

#endif
