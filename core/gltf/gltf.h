/* gltf.h - writes a scene as one GLB, in one pass, deterministically.
 *
 * Shape   G1-G49 of gltf-output.md. Mirror (G6, G7) and unit scale (G9) are applied here and nowhere else. Only what is
 *         used is written: materials, textures and images of written parts, a skin where a mesh has one, clips with keys.
 * Nodes   0 is the skeleton node, joint i is node 1 + i, the parts follow under their names, which no joint has.
 * Extras  the scene's texts are put below our key (decisions 28). The writer adds, on mesh nodes, `source` (the file's
 *         name of the submesh) and `hidden` where it is true, `form` where it is of a form's own mesh, and on the skin (on the skeleton node without a skin)
 *         `joints`: id, name, elf and fnv of those whose node name is not their source name (G14).
 * Limits  RIFT_GLB_MAX_SIZE (the container's sizes are 32 bits). Errors LIMIT, NOMEM; the scene has passed rift_scene_check.
 * Thread  any, one caller per arena. */
#ifndef RIFT_GLTF_GLTF_H
#define RIFT_GLTF_GLTF_H

#include "model/scene.h"

#define RIFT_GLB_MAX_SIZE 0xFFFFFFF0u

/* How numbers are written (decisions 4). QUANTIZE needs KHR_mesh_quantization where there is a mesh: rotations of clips in
 * 16 bits (but for cubic ones, whose tangents have no bounds), positions in 16 bits of one grid over all parts, normals and
 * tangents in 8 bits, texture coordinates within 0 … 1 and weights in 16 bits. Skinned positions leave the grid by the
 * inverse bind matrices, others by their node (G47). MESHOPT is that in EXT_meshopt_compression, without a copy for those who
 * do not know it. Keys lose some more of their bits for it: rotations keep 14, translations and scales 16 of their largest
 * component; the sign of a rotation is the decoder's, so G39 does not hold. */
typedef enum rift_gltf_numbers {
    RIFT_GLTF_FLOAT = 0,
    RIFT_GLTF_QUANTIZE,
    RIFT_GLTF_MESHOPT
} rift_gltf_numbers;

typedef struct rift_gltf_opts {
    double unit_scale; /* sigma: 0.01, or 1 for units=league */
    bool mirror;       /* false: raw left-handed numbers (decisions 13) */
    bool pbr;          /* shading=pbr (G29) */
    bool hidden_nodes; /* hidden=include: KHR_node_visibility (G34); hidden parts are left out otherwise */
    bool joints_only;  /* content=animations: joints as plain nodes, no skin, no mesh */
    bool naive;        /* the plain exporter's file: no sharing of accessors (--naive), and floats */
    rift_gltf_numbers numbers;
    rift_str generator; /* "riftbake 0.1.0" */
    rift_str copyright;
} rift_gltf_opts;

/* A joint's rest transform as it is written. */
void rift_gltf_rest(float t[3], float r[4], float s[3], const rift_trs *rest, double unit_scale, bool mirror);

RIFT_NODISCARD bool rift_gltf_write(
    rift_bytes *out, const rift_scene *scene, const rift_gltf_opts *opts, rift_arena *arena, rift_err *err);

#endif
