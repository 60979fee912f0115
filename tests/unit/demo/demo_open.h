/* demo_open.h - the synthetic game, opened from memory as the program opens a folder. */
#ifndef RIFT_TESTS_UNIT_DEMO_DEMO_OPEN_H
#define RIFT_TESTS_UNIT_DEMO_DEMO_OPEN_H

#include "fixtures/demo_game.h"
#include "game/game.h"

typedef struct demo_open {
    rift_arena arena;
    fx_demo_game files;
    rift_game game;
    rift_report report; /* of the opening */
} demo_open;

/* False, with a failed check, when it cannot be made. Release with demo_close in any case. */
bool demo_open_game(demo_open *demo, uint64_t seed);
void demo_close(demo_open *demo);
/* Looks a skin up; false with a failed check. */
bool demo_find(const demo_open *demo, const char *text, rift_arena *arena, rift_skin_ref *skin);

#endif
