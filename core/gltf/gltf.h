/* gltf.h - writes a scene as one GLB, in one pass, deterministically.
 *
 * Shape   G1-G49 of gltf-output.md. Mirror (G6, G7) and unit scale (G9) are applied here and nowhere else.
 * Limits  RIFT_GLB_MAX_SIZE (the container's sizes are 32 bits). Errors LIMIT, NOMEM; the scene has passed rift_scene_check.
 * Thread  any, one caller per arena. */
#ifndef RIFT_GLTF_GLTF_H
#define RIFT_GLTF_GLTF_H

#include "model/scene.h"

#define RIFT_GLB_MAX_SIZE 0xFFFFFFF0u

typedef struct rift_gltf_opts {
    double unit_scale;  /* sigma: 0.01, or 1 for units=league */
    bool mirror;        /* false: raw left-handed numbers (decisions 13) */
    bool pbr;           /* shading=pbr (G29) */
    bool hidden_nodes;  /* hidden=include: KHR_node_visibility (G34); hidden parts are left out otherwise */
    bool joints_only;   /* content=animations: joints as plain nodes, no skin, no mesh */
    bool naive;         /* the plain exporter's file: no sharing of accessors (--naive) */
    rift_str generator; /* "riftbake 0.1.0" */
    rift_str copyright;
} rift_gltf_opts;

RIFT_NODISCARD bool rift_gltf_write(
    rift_bytes *out, const rift_scene *scene, const rift_gltf_opts *opts, rift_arena *arena, rift_err *err);

#endif
