/* bulk.h - a champion of real size, made in memory: what a small skin cannot show is how costs grow.
 *
 * Shape   bulk/0 (9200000): some 10,000 triangles in 18 parts, 80 joints, 60 compressed clips of 3.2 s with 25 keys a joint,
 *         two textures of 1024 x 1024 in BC3 with all levels, no texel clear. Real skins have 7,000 to 15,000 triangles, 80 to
 *         190 joints, some 60 clips of two and a half seconds, and one to four such textures.
 * Memory  everything in arena. */
#ifndef RIFT_TESTS_BENCH_BULK_H
#define RIFT_TESTS_BENCH_BULK_H

#include "game/game.h"

RIFT_NODISCARD bool bulk_open(rift_game *out, rift_arena *arena, rift_report *report, rift_err *err);

#endif
