/* glb_read.h - an independent reader of GLB files for tests: cJSON for the text, its own accessor reading, and an audit
 * of everything that holds for every file. Shares nothing with the writer. */
#ifndef RIFT_TESTS_UNIT_GLTF_GLB_READ_H
#define RIFT_TESTS_UNIT_GLTF_GLB_READ_H

#include <cJSON.h>

#include "base/bytes.h"
#include "base/math.h"
#include "support/check.h"

#define GLB_MAX_NODES 2048

typedef struct glb {
    cJSON *json;
    size_t node_count;
    int parents[GLB_MAX_NODES];       /* by node; -1 for a root */
    const char *names[GLB_MAX_NODES]; /* by node; "" without one */
    rift_bytes text;                  /* the JSON chunk */
    rift_bytes bin;                   /* the BIN chunk; empty when there is none */
    bool has_bin;
} glb;

/* Checks the container (G1); false, with a failed check, when it cannot be read. */
bool glb_open(glb *g, rift_bytes file);
void glb_close(glb *g);

/* Follows a path of member names and array indices: "meshes/0/primitives/0/indices". NULL when absent. */
const cJSON *glb_at(const glb *g, const char *path, ...) RIFT_PRINTF(2, 3);
/* Number at a path, or -1. */
double glb_number(const glb *g, const char *path, ...) RIFT_PRINTF(2, 3);
/* Elements of the array at a path; 0 when absent. */
size_t glb_count(const glb *g, const char *path, ...) RIFT_PRINTF(2, 3);
/* String at a path, or "(none)". */
rift_str glb_string(const glb *g, const char *path, ...) RIFT_PRINTF(2, 3);

size_t glb_components(const glb *g, size_t accessor);
size_t glb_elements(const glb *g, size_t accessor);
/* One component of one element, as stored (integers are not normalised). */
double glb_value(const glb *g, size_t accessor, size_t element, size_t component);
/* Bytes of a buffer view. */
rift_bytes glb_view(const glb *g, size_t view);

/* World matrix of a node of the scene, from TRS; written out here, not by the code under test. */
rift_mat4 glb_world(const glb *g, size_t node);

/* Everything that must hold for any file of ours. `naive` files may hold equal accessors. */
void glb_audit(const glb *g, bool naive);

/* Opens, audits, and leaves the test when the file is unreadable. */
#define GLB_OPEN(g, file, naive)     \
    do {                             \
        if (!glb_open(&(g), (file))) \
            return;                  \
        glb_audit(&(g), (naive));    \
    } while (0)

#endif
