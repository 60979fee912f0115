/* embed.h - files that the build put into the program (cmake/embed.cmake). */
#ifndef RIFT_EMBED_EMBED_H
#define RIFT_EMBED_EMBED_H

#include "base/bytes.h"

typedef struct rift_embedded {
    const char *name; /* base name */
    rift_bytes data;  /* followed by a NUL that is not counted */
} rift_embedded;

/* migrations/sqlite/ and migrations/hashes/, in order (in rift_store). */
extern const rift_embedded rift_migrations_sqlite[];
extern const size_t rift_migrations_sqlite_count;
extern const rift_embedded rift_migrations_hashes[];
extern const size_t rift_migrations_hashes_count;

/* migrations/patches/ (in rift_patches). */
extern const rift_embedded rift_migrations_patches[];
extern const size_t rift_migrations_patches_count;

/* schema/openapi.yaml (in rift_api). */
extern const rift_embedded rift_openapi[];
extern const size_t rift_openapi_count;

/* The viewer as server/web builds it (in rift_api); none without Node. */
extern const rift_embedded rift_web[];
extern const size_t rift_web_count;

#endif
