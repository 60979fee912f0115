/* A file of its own: the kernel's header has tcpi_bytes_received, and cannot be included beside netinet/tcp.h. */
#include "http/tcp.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

uint64_t rift_tcp_received(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 ? info.tcpi_bytes_received : 0;
}
