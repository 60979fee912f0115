/* mount.h - the game folder as it was at one time, for as long as somebody uses it.
 *
 * Shape   a mount is never changed. After a patch there is another one, and whoever began with the old one ends with it: its files stay
 *         open, so archives that were replaced or removed stay readable. Archives that were written to in place do not; rift_mount_is_intact tells.
 * Memory  counted; the last one out closes the files.
 * Thread  counting on the loop; everything else is read-only and open to all threads. */
#ifndef RIFT_MOUNT_MOUNT_H
#define RIFT_MOUNT_MOUNT_H

#include "files/gamedir.h"

typedef struct rift_mount {
    unsigned refs;
    rift_arena arena;
    rift_gamedir dir;
    rift_assets assets;
    rift_sha256 digest; /* rift_gamedir_digest */
    bool unseen;        /* archives that were there before the start are hidden: it lacks what is in them */
} rift_mount;

/* Finds and opens the archives; nothing is read yet. The report lies in the mount's arena. On failure *out is NULL. Has one reference. */
RIFT_NODISCARD bool rift_mount_find(rift_mount **out, const char *dir, rift_report *report, rift_err *err);
/* One without any archive, for a folder that is not there now. */
RIFT_NODISCARD bool rift_mount_nothing(rift_mount **out, rift_report *report, rift_err *err);
/* Mounts what was found. `heads`, one for each of dir.files or NULL, are the beginnings of files as they are known already (empty: not); they are
 * not read from the files then. Once, before anybody else uses the mount. */
RIFT_NODISCARD bool rift_mount_fill(
    rift_mount *mount, const char *dir, const rift_bytes *heads, rift_report *report, rift_err *err);
rift_mount *rift_mount_ref(rift_mount *mount); /* may be NULL */
void rift_mount_unref(rift_mount *mount);      /* may be NULL */
/* False once an open archive was written to: what was read since may be of two states. */
bool rift_mount_is_intact(const rift_mount *mount);

#endif
