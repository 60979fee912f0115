/* name_uses.h - names as dependencies: what a conversion asked the name tables, noted like the files it used, so that other tables concern only those
 * results for which they say something else.
 *
 * Shape   a rift_asset_use whose kind is RIFT_NAME_USE + the table; path_hash is the name's hash, kept apart from the file's own use; checksum is the name's,
 *         and what was unknown is noted too. A result has such uses whether or not there were tables.
 * Thread  a log is one conversion's. */
#ifndef RIFT_JOBS_NAME_USES_H
#define RIFT_JOBS_NAME_USES_H

#include "game/assets.h"

#define RIFT_NAME_USE 16 /* kinds below are those of archives */

typedef struct rift_name_log {
    const rift_names *tables; /* may be NULL */
    rift_asset_log uses;
} rift_name_log;

/* `log` must stay where it is. A failure shows in the arena of its uses. */
rift_names rift_name_log_names(rift_name_log *log);
bool rift_is_name_use(const rift_asset_use *use);
/* The same question today. */
rift_asset_use rift_name_use(const rift_asset_use *then, const rift_names *tables, rift_arena *tmp);

#endif
