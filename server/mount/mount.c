#include "mount/mount.h"

#include <stdlib.h>

static bool fill(rift_mount *m, const char *dir, rift_report *report, rift_err *err)
{
    if (!rift_gamedir_open(&m->dir, dir, &m->arena, report, err))
        return false;
    m->assets = rift_game_assets(&m->dir.game);
    rift_arena tmp;
    rift_arena_init(&tmp, SIZE_MAX / 2);
    const bool ok = rift_gamedir_digest(&m->dir, &m->digest, &tmp, err);
    rift_arena_release(&tmp);
    return ok;
}

bool rift_mount_open(rift_mount **out, const char *dir, rift_report *report, rift_err *err)
{
    *out = NULL;
    rift_mount *m = calloc(1, sizeof *m);
    if (m == NULL)
        return rift_fail(err, RIFT_ERR_NOMEM, "mount", RIFT_NO_OFFSET, "out of memory");
    m->refs = 1;
    rift_arena_init(&m->arena, SIZE_MAX / 2);
    rift_report_init(report, &m->arena);
    if (!fill(m, dir, report, err)) {
        rift_mount_unref(m);
        return false;
    }
    *out = m;
    return true;
}

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
