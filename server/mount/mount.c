#include "mount/mount.h"

#include <stdlib.h>
#include <string.h>

bool rift_mount_nothing(rift_mount **out, rift_report *report, rift_err *err)
{
    *out = NULL;
    rift_mount *m = calloc(1, sizeof *m);
    if (m == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "mount", RIFT_NO_OFFSET, "out of memory");
    m->refs = 1;
    rift_arena_init(&m->arena, SIZE_MAX / 2);
    rift_report_init(report, &m->arena);
    *out = m;
    return true;
}

bool rift_mount_find(rift_mount **out, const char *dir, rift_report *report, rift_err *err)
{
    rift_mount *m;
    *out = NULL;
    if (!rift_mount_nothing(&m, report, err))
        return false;
    if (!rift_gamefiles_open(&m->dir.files, dir, &m->arena, report, err)) {
        rift_mount_unref(m);
        return false;
    }
    *out = m;
    return true;
}

/* ---- files whose beginning is known ---- */

typedef struct headed {
    rift_bytes head;
    rift_source file;
} headed;

static bool read_headed(void *user, uint64_t offset, void *dst, size_t len, rift_err *err)
{
    const headed *h = user;
    if (offset > h->head.size || len > h->head.size - offset)
        return h->file.read_at(h->file.user, offset, dst, len, err);
    if (len > 0)
        memcpy(dst, h->head.data + offset, len);
    return true;
}

static bool put_heads(rift_mount *m, const rift_bytes *heads, rift_err *err)
{
    rift_gamefiles *files = &m->dir.files;
    headed *list = RIFT_NEW(&m->arena, headed, files->count);
    if (list == NULL)
        return rift_arena_ok(&m->arena, "mount", err);
    for (size_t i = 0; i < files->count; i++) {
        list[i] = (headed){.head = heads[i], .file = files->files[i].source};
        files->files[i].source =
            (rift_source){.user = &list[i], .size = list[i].file.size, .read_at = read_headed};
    }
    return true;
}

/* The tables are parsed: from now on everything comes from the files. */
static void take_heads(rift_mount *m)
{
    for (size_t i = 0; i < m->dir.game.archive_count; i++) {
        rift_source *source = &m->dir.game.archives[i].wad.source;
        *source = ((const headed *)source->user)->file;
    }
    for (size_t i = 0; i < m->dir.files.count; i++)
        m->dir.files.files[i].source = ((const headed *)m->dir.files.files[i].source.user)->file;
}

bool rift_mount_fill(
    rift_mount *mount, const char *dir, const rift_bytes *heads, rift_report *report, rift_err *err)
{
    const rift_gamefiles files = mount->dir.files;
    if (heads != NULL && !put_heads(mount, heads, err))
        return false;
    if (!rift_gamedir_mount(&mount->dir, &files, dir, &mount->arena, report, err)) {
        mount->dir.files.count = 0; /* closed */
        return false;
    }
    if (heads != NULL)
        take_heads(mount);
    mount->assets = rift_game_assets(&mount->dir.game);
    rift_arena tmp;
    rift_arena_init(&tmp, SIZE_MAX / 2);
    const bool ok = rift_gamedir_digest(&mount->dir, &mount->digest, &tmp, err);
    rift_arena_release(&tmp);
    return ok;
}

/* ---- life ---- */

rift_mount *rift_mount_ref(rift_mount *mount)
{
    if (mount != NULL)
        mount->refs++;
    return mount;
}

void rift_mount_unref(rift_mount *mount)
{
    if (mount == NULL || --mount->refs > 0)
        return;
    rift_gamedir_close(&mount->dir);
    rift_arena_release(&mount->arena);
    free(mount);
}

bool rift_mount_is_intact(const rift_mount *mount)
{
    return rift_gamefiles_are_intact(&mount->dir.files);
}
