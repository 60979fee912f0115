/* A file of its own: the kernel's header has tcpi_bytes_received, and cannot be included beside netinet/tcp.h. */
#include "http/tcp.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* Of the kernel's own list, which no header for programs has: the peer has reset, or has ended. */
enum { STATE_CLOSE = 7, STATE_CLOSE_WAIT = 8 };

rift_tcp_state rift_tcp_look(int fd)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0)
        return (rift_tcp_state){0};
    int unread = 1;
    const bool told = ioctl(fd, FIONREAD, &unread) == 0;
    return (rift_tcp_state){.received = info.tcpi_bytes_received,
                            .ended = info.tcpi_state == STATE_CLOSE ||
                                     (info.tcpi_state == STATE_CLOSE_WAIT && told && unread == 0)};
}

/* Setting that limit, to none as it is, is what makes the kernel look. */
void rift_tcp_nudge(int fd)
{
    const int none = 0;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &none, sizeof none);
}
