/* store_suite.h - what every implementation of rift_store_ops must do (store/store.h): one table of cases, run against whatever opens one. */
#ifndef RIFT_TESTS_UNIT_SERVER_STORE_SUITE_H
#define RIFT_TESTS_UNIT_SERVER_STORE_SUITE_H

#include "store/store.h"

typedef struct store_kind {
    const char *name;
    /* The writer of what `path` names. Closed and opened again it has what was committed. */
    bool (*open)(rift_store **out, const char *path, rift_err *err);
} store_kind;

void store_suite_run(const store_kind *kind);

#endif
