/* render.h - a picture of a scene: what a viewer shows of the GLB, drawn in software.
 *
 * Shape   the parts as they stand (no skinning here: pose them first), hidden ones left out, as glTF says it: unlit base
 *         colour, alpha modes, culling by G7's winding, wrap modes, UV transform. Perspective, 30 degrees wide, seen
 *         horizontally; framed on the triangles that are drawn, with a margin of 1/32 of the side.
 * Order   OPAQUE and MASK by a depth buffer (what is drawn later wins where depths are equal), then BLEND triangles of all
 *         parts from far to near, which write no depth.
 * Samples 4 a pixel, at (6,2) (14,6) (2,10) (10,14) sixteenths; averaged in linear light, weighted by alpha. Vertices lie on
 *         1/256 pixel, shared edges belong to one triangle (top-left rule). Textures: bilinear on the sRGB bytes, of the
 *         level with 0.7 to 1.4 texels between samples over the triangle.
 * Limits  RIFT_VIEW_MIN_SIZE to RIFT_VIEW_MAX_SIZE pixels. Triangles with a vertex that is not finite are left out. UVs that
 *         are not finite, or past 2^30, count as 0. A scene without triangles is the background.
 * Errors  ARGUMENT (size), LIMIT, NOMEM, INTERNAL (a texture without `rgba`). Indices are trusted: the scene has
 *         passed rift_scene_check. Numbers need not be finite.
 * Same    scene and view, same bytes: integers, and doubles by + - * / alone. Thread: any, one caller per arena. */
#ifndef RIFT_RENDER_RENDER_H
#define RIFT_RENDER_RENDER_H

#include "model/scene.h"
#include "texture/texture.h"

#define RIFT_VIEW_MIN_SIZE 16
#define RIFT_VIEW_MAX_SIZE 1024

typedef struct rift_view {
    uint32_t size; /* pixels a side */
    int turn; /* degrees about the vertical, as glTF turns a node: 0 shows the front, 90 the right side */
    uint8_t background[4]; /* R G B A, sRGB, straight alpha; all 0: transparent */
} rift_view;

/* What people see without asking: 256 pixels, the front, on nothing. */
rift_view rift_view_default(void);
/* Sets one by its public name: "size", "turn" (-360 to 360), "background" (six hexadecimal digits). NOT_FOUND for another name,
 * ARGUMENT for another value. */
RIFT_NODISCARD bool rift_view_set(rift_view *view, rift_str name, rift_str value, rift_err *err);

/* The picture lies in `arena`. `tmp` holds the scratch, about 32 bytes a sample and 40 a vertex, rewound. */
RIFT_NODISCARD bool rift_render(rift_pixels *out,
                                const rift_scene *scene,
                                const rift_view *view,
                                rift_arena *arena,
                                rift_arena *tmp,
                                rift_err *err);

#endif
