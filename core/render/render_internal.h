/* render_internal.h - shared inside core/render. */
#ifndef RIFT_RENDER_RENDER_INTERNAL_H
#define RIFT_RENDER_RENDER_INTERNAL_H

#include "render/render.h"

/* ---- frame.c: from source space to the screen ---- */

enum { SUBPIXELS = 256 }; /* of a pixel, along each axis */

typedef struct rift_vertex {
    int32_t x, y;     /* subpixels, from the upper left; 0 … side * SUBPIXELS */
    bool finite;      /* false: no triangle with it is drawn */
    double near_by_z; /* the nearest depth over the vertex's, 0 … 1: linear on the screen, larger is nearer */
    double u, v;      /* times near_by_z */
} rift_vertex;

typedef struct rift_frame {
    double sine, cosine;       /* of the turn */
    double center_x, center_y; /* where the eye is */
    double eye_z;
    double nearest; /* depth of the nearest vertex, above 0 */
    double focus;   /* pixels at depth 1 */
    double half;    /* of the side, in pixels */
    bool empty;     /* nothing to draw */
} rift_frame;

void rift_frame_fit(rift_frame *out, const rift_scene *scene, const rift_view *view);
void rift_frame_project(rift_vertex *out,
                        const rift_frame *frame,
                        const rift_part *part,
                        const rift_material *material);
/* Sine and cosine of whole degrees; exact at multiples of 90. */
void rift_sin_cos_degrees(int degrees, double *sine, double *cosine);

/* ---- sample.c: colours of a part ---- */

enum { MAX_LEVELS = 16 };

typedef struct rift_mips {
    rift_pixels levels[MAX_LEVELS];
    size_t count; /* made so far; 0 without a texture */
} rift_mips;

typedef struct rift_paint {
    rift_mips *mips; /* NULL: `flat` everywhere */
    rift_wrap wrap_u, wrap_v;
    uint8_t flat[4];
    bool tinted; /* texels go through `tint` */
    uint8_t tint[4][256];
    rift_alpha_mode mode;
    uint32_t cutoff; /* MASK: least alpha that is drawn, 0 … 256 */
    bool double_sided;
} rift_paint;

RIFT_NODISCARD bool rift_paint_init(
    rift_paint *out, const rift_scene *scene, const rift_material *m, rift_mips *mips, rift_err *err);
/* The level of `mips` for so many texels (of the largest level) a pixel; levels are made as they are needed. NULL when the
 * arena failed. */
const rift_pixels *rift_mips_level(rift_mips *mips, double texels_per_pixel, rift_arena *tmp, rift_err *err);
/* The paint's colour at u, v, alpha as the alpha mode leaves it. */
void rift_paint_at(uint8_t out[4], const rift_paint *paint, const rift_pixels *level, double u, double v);

/* ---- raster.c: triangles to samples ---- */

enum { SAMPLES = 4 };

typedef struct rift_canvas {
    uint32_t side;    /* pixels */
    uint8_t *samples; /* R G B A, straight; two by two a pixel, rows of 2 * side */
    float *depth;     /* near_by_z; SAMPLES * side rows of `side` */
} rift_canvas;

/* Draws one triangle, in source winding. */
RIFT_NODISCARD bool rift_draw_triangle(const rift_canvas *canvas,
                                       const rift_vertex *const corners[3],
                                       const rift_paint *paint,
                                       rift_arena *tmp,
                                       rift_err *err);

#endif
