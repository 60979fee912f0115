/* fixture.h - small scenes made in code, for the tests of the GLB writer. */
#ifndef RIFT_TESTS_UNIT_GLTF_FIXTURE_H
#define RIFT_TESTS_UNIT_GLTF_FIXTURE_H

#include "gltf/gltf.h"

enum { FIXTURE_MAX = 16 };

typedef struct fixture {
    rift_arena arena; /* of the scene */
    rift_arena out;   /* of the written file; released by the next write */
    rift_scene scene; /* arrays of FIXTURE_MAX places */
    rift_gltf_opts opts;
} fixture;

/* An empty scene "test-0" and the default options: sigma 0.01, mirrored. */
void fixture_init(fixture *f);
void fixture_release(fixture *f);

/* A chain of joints j0, j1, … with identity rest and inverse bind. */
rift_skeleton *fixture_skeleton(fixture *f, size_t joint_count);
/* Renames a joint in all ways at once, as if the file had said so. */
void fixture_name_joint(rift_skeleton *skeleton, size_t joint, const char *name);

/* A triangle (0, 1, 2) out of `vertex_count` vertices at (i, 2 i, 3 i), normals (0, 0, 1), its own untextured material;
 * with a skeleton every vertex is bound to joint 0. */
rift_part *fixture_part(fixture *f, const char *name, size_t vertex_count);
/* The bytes are not an image; the writer does not look into them. */
uint32_t fixture_texture(fixture *f, const char *name, const char *mime, const char *bytes);

rift_clip *fixture_clip(fixture *f, const char *name);
/* values: 3 or 4 a key. Both arrays are copied. */
rift_channel *fixture_channel(fixture *f,
                              rift_clip *clip,
                              uint32_t joint,
                              rift_component component,
                              uint32_t key_count,
                              const float *times,
                              const float *values);

/* Writes the scene and checks that it worked. Valid until the next write. */
rift_bytes fixture_write(fixture *f);

#endif
