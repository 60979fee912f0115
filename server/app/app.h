/* app.h - the daemon as a function, so that tests can run it with conversions of their own. */
#ifndef RIFT_APP_APP_H
#define RIFT_APP_APP_H

#include "jobs/convert.h"

typedef struct rift_app_hooks {
    rift_bake_fn *bake;
    rift_describe_fn *describe;
} rift_app_hooks;

/* The program's exit code: 0 after a clean stop, 1 when it could not start, 2 for wrong usage. */
int rift_app_main(int argc, char **argv, const rift_app_hooks *hooks);

#endif
