/* loose.h - a handful of files in memory as a skin's assets. */
#ifndef RIFT_TESTS_UNIT_GAME_LOOSE_H
#define RIFT_TESTS_UNIT_GAME_LOOSE_H

#include "game/assets.h"

enum { LOOSE_MAX = 16 };

typedef struct loose_file {
    uint64_t path_hash;
    rift_bytes data;
    rift_status fails; /* RIFT_OK: reads */
} loose_file;

typedef struct loose_files {
    loose_file files[LOOSE_MAX];
    size_t count;
    size_t reads; /* calls, found or not */
} loose_files;

void loose_put(loose_files *set, const char *path, rift_bytes data);
/* A file that is there and cannot be read. */
void loose_put_failing(loose_files *set, const char *path, rift_status code);
rift_assets loose_assets(loose_files *set);

#endif
