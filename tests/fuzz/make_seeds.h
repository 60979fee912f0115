/* make_seeds.h - the parts of make_seeds: each writes the seeds of some targets below `corpus` and says whether all
 * could be written. */
#ifndef RIFT_TESTS_FUZZ_MAKE_SEEDS_H
#define RIFT_TESTS_FUZZ_MAKE_SEEDS_H

#include <stdbool.h>

bool make_convert_seeds(const char *corpus);
bool make_game_seeds(const char *corpus);
bool make_model_seeds(const char *corpus);

#endif
