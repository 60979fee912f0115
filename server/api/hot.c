/* GLBs that are asked for again at once: the row and an open file of the last few, for a moment, so that a crowd's requests need neither the database nor the pool.
 *
 * What is found here is what reading would have found less than KEPT_MS ago, and the file is one that nobody has touched since: writing to it, moving it away and removing it all
 * change what fstat says. A descriptor left over would keep the bytes of a file that is gone on the disk, so a timer closes it. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/api_internal.h"

enum { SETS = 32, WAYS = 4, PLACES = SETS * WAYS, ALIAS_SIZE = 64, KEPT_MS = 200 };

typedef struct place {
    api_hot_name name;
    api_file file; /* fd -1: free */
    char alias[ALIAS_SIZE];
    struct timespec changed;
    uint64_t until_ms;
} place;

struct api_hot {
    uv_timer_t timer;
    uv_loop_t *loop;
    place places[PLACES];
};

static void forget(place *p)
{
    if (p->file.fd >= 0)
        (void)close(p->file.fd);
    p->file.fd = -1;
}

static void on_timer(uv_timer_t *timer)
{
    api_hot *hot = timer->data;
    uint64_t next_ms = UINT64_MAX;
    for (size_t i = 0; i < PLACES; i++) {
        place *p = &hot->places[i];
        if (p->file.fd >= 0 && p->until_ms <= uv_now(hot->loop))
            forget(p);
        if (p->file.fd >= 0 && p->until_ms < next_ms)
            next_ms = p->until_ms;
    }
    if (next_ms != UINT64_MAX)
        (void)uv_timer_start(timer, on_timer, next_ms - uv_now(hot->loop), 0);
}

static bool is_named(const place *p, const api_hot_name *name)
{
    return p->file.fd >= 0 && p->name.by_key == name->by_key && p->name.codings == name->codings &&
           memcmp(&p->name.sha256, &name->sha256, sizeof name->sha256) == 0;
}

/* The one of that name, else a free one of its set, else the oldest there. */
static place *choose(api_hot *hot, const api_hot_name *name)
{
    place *set = hot->places + (size_t)(name->sha256.bytes[0] % SETS) * WAYS;
    place *best = set;
    for (size_t i = 0; i < WAYS; i++) {
        place *p = &set[i];
        if (is_named(p, name))
            return p;
        if (best->file.fd >= 0 && (p->file.fd < 0 || p->until_ms < best->until_ms))
            best = p;
    }
    return best;
}

void api_hot_keep(rift_api *api, const api_hot_name *name, const api_file *file)
{
    api_hot *hot = api->hot;
    const rift_str alias = file->row.spec.alias;
    struct stat now;
    if (file->fd < 0 || alias.size > ALIAS_SIZE || fstat(file->fd, &now) != 0 || now.st_nlink == 0)
        return;
    place *p = choose(hot, name);
    forget(p);
    p->name = *name;
    p->file = *file;
    p->file.fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    if (alias.size > 0)
        memcpy(p->alias, alias.data, alias.size);
    p->file.row.spec.alias = (rift_str){p->alias, alias.size};
    p->file.row.spec.options = (rift_str){0};
    p->changed = now.st_ctim;
    p->until_ms = uv_now(hot->loop) + KEPT_MS;
    if (!uv_is_active((uv_handle_t *)&hot->timer))
        (void)uv_timer_start(&hot->timer, on_timer, KEPT_MS, 0);
}

static bool is_untouched(const place *p)
{
    struct stat now;
    return fstat(p->file.fd, &now) == 0 && now.st_nlink > 0 && now.st_ctim.tv_sec == p->changed.tv_sec &&
           now.st_ctim.tv_nsec == p->changed.tv_nsec;
}

bool api_hot_find(rift_api *api, const api_hot_name *name, api_file *out)
{
    api_hot *hot = api->hot;
    place *p = choose(hot, name);
    if (!is_named(p, name) || p->until_ms <= uv_now(hot->loop))
        return false;
    if (!is_untouched(p)) {
        forget(p);
        return false;
    }
    const int fd = fcntl(p->file.fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return false;
    *out = p->file;
    out->fd = fd;
    return true;
}

bool api_hot_open(rift_api *api)
{
    api_hot *hot = calloc(1, sizeof *hot);
    if (hot == NULL)
        return false;
    for (size_t i = 0; i < PLACES; i++)
        hot->places[i].file.fd = -1;
    hot->loop = api->config.loop;
    const int code = uv_timer_init(hot->loop, &hot->timer);
    RIFT_ASSERT(code == 0);
    hot->timer.data = hot;
    api->hot = hot;
    return true;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void api_hot_stop(rift_api *api)
{
    if (api->hot == NULL)
        return;
    for (size_t i = 0; i < PLACES; i++)
        forget(&api->hot->places[i]);
    uv_close((uv_handle_t *)&api->hot->timer, on_closed);
    api->hot = NULL;
}
