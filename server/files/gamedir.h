/* gamedir.h - a game folder on disk: its archives found, opened and mounted.
 *
 * Shape   the folder is the game's ("…/Game", which holds DATA/FINAL), its parent, DATA/FINAL itself, or any folder with archives in it.
 *         Archives are *.wad.client and *.wad, in any case, sorted by path without case; their paths read "DATA/FINAL/Champions/Yasuo.wad.client"
 *         wherever that can be told from the folder's own place, since the sub-chunk table is named after it.
 *         The game's version is that of its content-metadata.json; without one it is empty.
 * Limits  RIFT_GAMEDIR_MAX_FOLDERS, RIFT_GAMEDIR_MAX_DEPTH, RIFT_GAME_MAX_ARCHIVES (LIMIT past them).
 * Errors  NOT_FOUND (no such folder, no archive in it), IO, LIMIT, NOMEM. An archive or a folder in it that is there and cannot be opened is reported (archive_unreadable).
 * Memory  in the arena, which must outlive it; descriptors stay open until close. Thread-safe for reading once open. */
#ifndef RIFT_FILES_GAMEDIR_H
#define RIFT_FILES_GAMEDIR_H

#include "game/game.h"
#include "hash/hash.h"

#define RIFT_GAMEDIR_MAX_FOLDERS 4096
#define RIFT_GAMEDIR_MAX_DEPTH 8

/* What a file looks like without being read; one that was written to or replaced looks otherwise. */
typedef struct rift_stamp {
    uint64_t device, inode, size;
    int64_t mtime_ns, ctime_ns; /* since 1970 */
} rift_stamp;
bool rift_stamp_eq(const rift_stamp *a, const rift_stamp *b);

typedef struct rift_gamefiles {
    rift_game_file *files; /* sources over fds[i] */
    int *fds;
    rift_stamp *stamps; /* when they were opened */
    size_t count;
    rift_str *folders; /* on disk, all that were looked through; NUL-terminated */
    size_t folder_count;
    rift_str *
        hidden; /* in the game: what is there and could not be opened; a folder's ends with '/', or is empty when nothing tells where in the game it lies */
    size_t hidden_count;
} rift_gamefiles;

/* Only finds and opens; nothing is parsed. What is missing below a hidden path may be there. */
RIFT_NODISCARD bool rift_gamefiles_open(
    rift_gamefiles *out, const char *dir, rift_arena *arena, rift_report *report, rift_err *err);
/* True while every open file is as it was when it was opened: what was read from them in between was of one state. */
bool rift_gamefiles_are_intact(const rift_gamefiles *files);
/* Accepts a zeroed struct. */
void rift_gamefiles_close(rift_gamefiles *files);

typedef struct rift_gamedir {
    rift_gamefiles files;
    rift_game game;
} rift_gamedir;

RIFT_NODISCARD bool
rift_gamedir_open(rift_gamedir *out, const char *dir, rift_arena *arena, rift_report *report, rift_err *err);
/* The same with files that are open already; they are closed on failure. */
RIFT_NODISCARD bool rift_gamedir_mount(rift_gamedir *out,
                                       const rift_gamefiles *files,
                                       const char *dir,
                                       rift_arena *arena,
                                       rift_report *report,
                                       rift_err *err);
void rift_gamedir_close(rift_gamedir *dir);

/* What content-metadata.json says now; empty without one. */
rift_str rift_gamedir_version(const char *dir, rift_arena *arena);

/* Digest of all mounted tables of contents: equal digests mean the same archives with the same entries. */
RIFT_NODISCARD bool
rift_gamedir_digest(const rift_gamedir *dir, rift_sha256 *out, rift_arena *tmp, rift_err *err);

#endif
