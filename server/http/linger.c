#include "http/linger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINGER_MS = 30000, LINGERING = 64, BLOCK = 16384, BLOCKS_A_TURN = 16 };

struct rift_linger {
    uv_poll_t poll;
    rift_lingers *all;
    int fd;
    uint64_t until_ms;
    rift_linger *prev, *next;
};

static void on_closed(uv_handle_t *handle)
{
    rift_linger *l = handle->data;
    (void)close(l->fd);
    free(l);
}

static void end(rift_linger *l)
{
    if (l->prev != NULL) {
        l->prev->next = l->next;
    } else {
        l->all->first = l->next;
    }
    if (l->next != NULL)
        l->next->prev = l->prev;
    l->all->count--;
    uv_close((uv_handle_t *)&l->poll, on_closed);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
    (void)events;
    rift_linger *l = poll->data;
    char dropped[BLOCK];
    ssize_t n = status < 0 ? 0 : 1;
    for (unsigned i = 0; i < BLOCKS_A_TURN && n > 0; i++)
        n = recv(l->fd, dropped, sizeof dropped, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        end(l);
}

void rift_linger_start(rift_lingers *all, int fd)
{
    rift_linger *l = all->count < LINGERING ? calloc(1, sizeof *l) : NULL;
    if (l == NULL)
        return;
    l->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (l->fd < 0 || uv_poll_init(all->loop, &l->poll, l->fd) != 0) {
        if (l->fd >= 0)
            (void)close(l->fd);
        free(l);
        return;
    }
    (void)shutdown(l->fd, SHUT_WR);
    l->poll.data = l;
    l->all = all;
    l->until_ms = uv_now(all->loop) + LINGER_MS;
    l->next = all->first;
    if (l->next != NULL)
        l->next->prev = l;
    all->first = l;
    all->count++;
    if (uv_poll_start(&l->poll, UV_READABLE, on_readable) != 0)
        end(l);
}

void rift_linger_tick(rift_lingers *all)
{
    const uint64_t now = uv_now(all->loop);
    for (rift_linger *l = all->first, *next; l != NULL; l = next) {
        next = l->next;
        if (now >= l->until_ms)
            end(l);
    }
}

void rift_linger_stop(rift_lingers *all)
{
    while (all->first != NULL)
        end(all->first);
}
