/* One triangle to samples. Each sub-row, a quarter of a pixel high, holds one sample of each pixel; of a sub-row the triangle
 * covers a span that integer division finds exactly, so that no sample on a shared edge is drawn twice or never. */
#include "render/render_internal.h"

enum { ROW_STEP = SUBPIXELS / SAMPLES };

/* Of the samples in sub-rows 0 … 3, in subpixels; down they are at half a sub-row. */
static const int32_t sample_x[SAMPLES] = {6 * 16, 14 * 16, 2 * 16, 10 * 16};

/* An edge from a to b: cross >= 0 inside; `least` 1 where samples on the edge are the neighbour's. */
typedef struct edge {
    int64_t ax, ay, dx, dy;
    int64_t least;
} edge;

typedef struct triangle {
    const rift_vertex *v[3]; /* clockwise on the screen, y down */
    edge edges[3];           /* edge i is opposite to vertex i */
    double per_area;         /* 1 / twice the area */
    const rift_paint *paint;
    const rift_pixels *level;
} triangle;

static edge edge_of(const rift_vertex *a, const rift_vertex *b)
{
    const int64_t dx = (int64_t)b->x - a->x;
    const int64_t dy = (int64_t)b->y - a->y;
    const bool top_or_left = dy < 0 || (dy == 0 && dx > 0);
    return (edge){a->x, a->y, dx, dy, top_or_left ? 0 : 1};
}

static int64_t cross(const edge *e, int64_t x, int64_t y)
{
    return e->dx * (y - e->ay) - e->dy * (x - e->ax);
}

static int64_t divide_down(int64_t a, int64_t b)
{
    const int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

/* Narrows first … last to the columns whose sample lies inside the edge; the first column's sample is at x, y. */
static void narrow(const edge *e, int64_t x, int64_t y, int64_t *first, int64_t *last)
{
    const int64_t at = cross(e, x, y) - e->least; /* >= 0 inside */
    const int64_t step = -e->dy * SUBPIXELS;
    if (step > 0) {
        const int64_t from = -divide_down(at, step);
        *first = *first > from ? *first : from;
    } else if (step < 0) {
        const int64_t to = divide_down(at, -step);
        *last = *last < to ? *last : to;
    } else if (at < 0) {
        *last = -1;
    }
}

/* Over what is there, straight alpha. */
static void put_over(uint8_t *to, const uint8_t *c)
{
    const uint32_t a = c[3];
    const uint32_t under = to[3] * (255 - a);
    const uint32_t sum = a * 255 + under; /* 255 times the new alpha */
    if (sum == 0)
        return;
    for (size_t i = 0; i < 3; i++)
        to[i] = (uint8_t)((c[i] * a * 255 + to[i] * under + sum / 2) / sum);
    to[3] = (uint8_t)((sum + 127) / 255);
}

static void draw_sample(const triangle *t, float *depth, uint8_t *to, int64_t x, int64_t y)
{
    const double w[3] = {(double)cross(&t->edges[0], x, y) * t->per_area,
                         (double)cross(&t->edges[1], x, y) * t->per_area,
                         (double)cross(&t->edges[2], x, y) * t->per_area};
    const double near_by_z =
        w[0] * t->v[0]->near_by_z + w[1] * t->v[1]->near_by_z + w[2] * t->v[2]->near_by_z;
    const float d = (float)near_by_z;
    if (!(d >= *depth))
        return;
    uint8_t c[4];
    rift_paint_at(c, t->paint, t->level,
                  (w[0] * t->v[0]->u + w[1] * t->v[1]->u + w[2] * t->v[2]->u) / near_by_z,
                  (w[0] * t->v[0]->v + w[1] * t->v[1]->v + w[2] * t->v[2]->v) / near_by_z);
    if (t->paint->mode == RIFT_ALPHA_BLEND) {
        put_over(to, c);
    } else if (c[3] != 0) {
        *depth = d;
        for (size_t i = 0; i < 4; i++)
            to[i] = c[i];
    }
}

static void draw_row(const rift_canvas *canvas, const triangle *t, int64_t row)
{
    const size_t sample = (size_t)row % SAMPLES;
    const int64_t y = row * ROW_STEP + ROW_STEP / 2;
    int64_t first = 0;
    int64_t last = (int64_t)canvas->side - 1;
    for (size_t i = 0; i < 3; i++)
        narrow(&t->edges[i], sample_x[sample], y, &first, &last);
    float *depth = canvas->depth + (size_t)row * canvas->side;
    uint8_t *to =
        canvas->samples + 4 * (((size_t)row / SAMPLES * 2 + sample / 2) * 2 * canvas->side + sample % 2);
    for (int64_t x = first; x <= last; x++)
        draw_sample(t, depth + x, to + 8 * x, x * SUBPIXELS + sample_x[sample], y);
}

/* Texels of the largest level a pixel. */
static double density(const triangle *t, const rift_pixels *largest)
{
    double u[3];
    double v[3];
    for (size_t i = 0; i < 3; i++) {
        u[i] = t->v[i]->u / t->v[i]->near_by_z;
        v[i] = t->v[i]->v / t->v[i]->near_by_z;
    }
    const double area = (u[1] - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (v[1] - v[0]);
    return (area < 0 ? -area : area) * largest->width * largest->height * t->per_area * SUBPIXELS * SUBPIXELS;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t most(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static void draw_rows(const rift_canvas *canvas, const triangle *t)
{
    const int32_t top = least(t->v[0]->y, least(t->v[1]->y, t->v[2]->y));
    const int32_t bottom = most(t->v[0]->y, most(t->v[1]->y, t->v[2]->y));
    const int64_t rows = (int64_t)canvas->side * SAMPLES;
    int64_t row =
        (top + ROW_STEP / 2 - 1) / ROW_STEP; /* the first whose samples are not above the triangle */
    for (; row < rows && row * ROW_STEP + ROW_STEP / 2 <= bottom; row++)
        draw_row(canvas, t, row);
}

bool rift_draw_triangle(const rift_canvas *canvas,
                        const rift_vertex *const corners[3],
                        const rift_paint *paint,
                        rift_arena *tmp,
                        rift_err *err)
{
    const rift_vertex *a = corners[0];
    const rift_vertex *b = corners[1];
    const rift_vertex *c = corners[2];
    if (!a->finite || !b->finite || !c->finite)
        return true;
    const edge base = edge_of(a, b);
    int64_t area = cross(&base, c->x, c->y);
    if (area == 0 || (area < 0 && !paint->double_sided))
        return true;
    if (area < 0) {
        const rift_vertex *swap = b;
        b = c;
        c = swap;
        area = -area;
    }
    triangle t = {.v = {a, b, c},
                  .edges = {edge_of(b, c), edge_of(c, a), edge_of(a, b)},
                  .per_area = 1.0 / (double)area,
                  .paint = paint};
    if (paint->mips != NULL) {
        t.level = rift_mips_level(paint->mips, density(&t, &paint->mips->levels[0]), tmp, err);
        if (t.level == NULL)
            return false;
    }
    draw_rows(canvas, &t);
    return true;
}
