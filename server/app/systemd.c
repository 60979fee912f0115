#include "app/systemd.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"

enum { FIRST_LISTENER = 3 };

/* The number in a variable, which is taken away; 0 without one. */
static uint64_t take_number(const char *name)
{
    uint64_t n = 0;
    const char *text = getenv(name); /* NOLINT(concurrency-mt-unsafe): before any thread */
    if (text == NULL || !rift_str_u64(rift_str_c(text), UINT64_MAX / 2, &n))
        n = 0;
    (void)unsetenv(name); /* NOLINT(concurrency-mt-unsafe): before any thread */
    return n;
}

/* A path, or with '@' before it a name without a file. */
static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t size = strlen(path);
    if (size < 2 || size > sizeof address.sun_path || (path[0] != '/' && path[0] != '@'))
        return -1;
    memcpy(address.sun_path, path, size);
    if (path[0] == '@')
        address.sun_path[0] = '\0';
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, length) == 0)
        return fd;
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

static int take_listener(void)
{
    const uint64_t pid = take_number("LISTEN_PID");
    const uint64_t count = take_number("LISTEN_FDS");
    (void)unsetenv("LISTEN_FDNAMES"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    int listens = 0;
    socklen_t size = sizeof listens;
    if (pid != (uint64_t)getpid() || count < 1 ||
        getsockopt(FIRST_LISTENER, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0)
        return -1;
    (void)fcntl(FIRST_LISTENER, F_SETFD, FD_CLOEXEC);
    (void)fcntl(FIRST_LISTENER, F_SETFL, O_NONBLOCK | fcntl(FIRST_LISTENER, F_GETFL));
    return FIRST_LISTENER;
}

void rift_systemd_open(rift_systemd *out)
{
    const char *path = getenv("NOTIFY_SOCKET"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    *out = (rift_systemd){.socket = path != NULL ? connect_to(path) : -1, .listener = take_listener()};
    (void)unsetenv("NOTIFY_SOCKET"); /* NOLINT(concurrency-mt-unsafe): before any thread */
    const uint64_t watchdog_us = take_number("WATCHDOG_USEC");
    const uint64_t watchdog_pid = take_number("WATCHDOG_PID");
    if (watchdog_pid == 0 || watchdog_pid == (uint64_t)getpid())
        out->watchdog_ms = (int64_t)(watchdog_us / 1000);
}

void rift_systemd_tell(const rift_systemd *systemd, const char *state)
{
    if (systemd->socket >= 0)
        (void)send(systemd->socket, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void rift_systemd_close(rift_systemd *systemd)
{
    if (systemd->socket >= 0)
        (void)close(systemd->socket);
    systemd->socket = -1;
}
