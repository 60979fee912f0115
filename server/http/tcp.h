/* tcp.h - what the kernel knows of a connection. */
#ifndef RIFT_HTTP_TCP_H
#define RIFT_HTTP_TCP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rift_tcp_state {
    uint64_t received; /* bytes since it was opened */
    bool ended;        /* the peer has sent its end, and everything before it was read; or it has reset */
} rift_tcp_state;

/* Zeroes when the kernel does not tell. */
rift_tcp_state rift_tcp_look(int fd);

/* Has epoll say again whether there is room to send, once and at the edge. */
void rift_tcp_nudge(int fd);

#endif
