/* tcp.h - what the kernel knows of a connection. */
#ifndef RIFT_HTTP_TCP_H
#define RIFT_HTTP_TCP_H

#include <stdint.h>

/* Bytes received since it was opened; 0 when the kernel does not tell. */
uint64_t rift_tcp_received(int fd);

#endif
