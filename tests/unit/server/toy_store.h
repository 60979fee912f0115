/* toy_store.h - a store in memory, of the plainest making: it shows that the suite is about the interface. */
#ifndef RIFT_TESTS_UNIT_SERVER_TOY_STORE_H
#define RIFT_TESTS_UNIT_SERVER_TOY_STORE_H

#include "store/store.h"

/* The state of a path outlives its stores. */
bool toy_store_open(rift_store **out, const char *path, rift_err *err);

#endif
