/* Source curves, as formats/anm.md evaluates them. A window of four keys is turned into a cubic once; evaluating it is then three multiplications a component. */
#include <math.h>

#include "anim/anim_internal.h"

static double ratio(double a, double b)
{
    return b != 0 ? a / b : 0; /* the document's 0/0 -> 0 */
}

static double dot4(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

rift_piece rift_piece_make(const double p[4][4], const double t[4], rift_anm_basis basis, bool is_rotation)
{
    rift_piece piece = {.t1 = t[1], .t2 = t[2]};
    const bool uniform = basis == RIFT_ANM_SPLINE_UNIFORM;
    const double in = uniform ? 0.5 : ratio(t[2] - t[1], t[2] - t[0]);
    const double out = uniform ? 0.5 : ratio(t[2] - t[1], t[3] - t[1]);
    double sign[4] = {1, 1, 1, 1};
    for (int k = 1; is_rotation && k < 4; k++)
        sign[k] = dot4(p[0], p[k]) < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++) {
        const double p1 = sign[1] * p[1][i];
        const double p2 = sign[2] * p[2][i];
        const double m1 = in * (p2 - p[0][i]);
        const double m2 = out * (sign[3] * p[3][i] - p1);
        piece.c[0][i] = p1;
        piece.c[1][i] = m1;
        piece.c[2][i] = 3 * (p2 - p1) - 2 * m1 - m2;
        piece.c[3][i] = 2 * (p1 - p2) + m1 + m2;
    }
    return piece;
}

static void normalize4(double v[4])
{
    const double square = dot4(v, v);
    const bool usable = square > 0 && isfinite(square);
    const double scale = usable ? 1 / sqrt(square) : 0;
    for (int i = 0; i < 4; i++)
        v[i] *= scale;
    if (!usable)
        v[3] = 1; /* as rift_quat_normalize */
}

void rift_piece_eval(double out[4], const rift_piece *piece, bool is_rotation, double t)
{
    double a = piece->t2 > piece->t1 ? (t - piece->t1) / (piece->t2 - piece->t1) : 0;
    a = a < 0 ? 0 : a > 1 ? 1 : a;
    for (int i = 0; i < 4; i++)
        out[i] = piece->c[0][i] + a * (piece->c[1][i] + a * (piece->c[2][i] + a * piece->c[3][i]));
    if (is_rotation)
        normalize4(out);
}

static void key_value(double out[4], const rift_anm_curve *curve, bool is_rotation, size_t i)
{
    const size_t dimension = is_rotation ? 4 : 3;
    for (size_t k = 0; k < 4; k++)
        out[k] = k < dimension ? (double)curve->values[dimension * i + k] : 0;
}

/* The last key at or before t; 0 when there is none. */
static size_t key_before(const rift_anm_curve *curve, double t)
{
    size_t low = 0;
    size_t high = curve->key_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if ((double)curve->times[middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void eval_linear(double out[4], const rift_anm_curve *curve, bool is_rotation, double t)
{
    const size_t i = key_before(curve, t);
    key_value(out, curve, is_rotation, i);
    const double t1 = (double)curve->times[i];
    if (i + 1 == curve->key_count || t <= t1)
        return;
    const double u = (t - t1) / ((double)curve->times[i + 1] - t1);
    double next[4];
    key_value(next, curve, is_rotation, i + 1);
    if (is_rotation) {
        const rift_quat q = rift_quat_slerp((rift_quat){out[0], out[1], out[2], out[3]},
                                            (rift_quat){next[0], next[1], next[2], next[3]}, u);
        out[0] = q.x;
        out[1] = q.y;
        out[2] = q.z;
        out[3] = q.w;
        return;
    }
    for (int k = 0; k < 3; k++)
        out[k] += u * (next[k] - out[k]);
}

/* Key i of the curve with its ends doubled when it is too short for a window. */
static size_t doubled(const rift_anm_curve *curve, size_t i)
{
    if (curve->key_count >= 4)
        return i;
    return i == 0 ? 0 : i > curve->key_count ? curve->key_count - 1 : i - 1;
}

static void
eval_spline(double out[4], const rift_anm_curve *curve, bool is_rotation, rift_anm_basis basis, double t)
{
    const size_t count = curve->key_count >= 4 ? curve->key_count : curve->key_count + 2;
    /* The first window w with t before key w + 2, or the last one. Times never fall, so a binary search finds it. */
    size_t low = 0;
    size_t high = count - 4;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (t >= (double)curve->times[doubled(curve, middle + 2)]) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    double p[4][4];
    double times[4];
    for (size_t k = 0; k < 4; k++) {
        const size_t key = doubled(curve, low + k);
        key_value(p[k], curve, is_rotation, key);
        times[k] = (double)curve->times[key];
    }
    const rift_piece piece = rift_piece_make((const double(*)[4])p, times, basis, is_rotation);
    rift_piece_eval(out, &piece, is_rotation, t);
}

void rift_curve_eval(
    double out[4], const rift_anm_curve *curve, rift_anm_component component, rift_anm_basis basis, double t)
{
    const bool is_rotation = component == RIFT_ANM_ROTATION;
    RIFT_ASSERT(curve->key_count > 0);
    if (curve->key_count == 1) {
        key_value(out, curve, is_rotation, 0);
    } else if (basis == RIFT_ANM_LINEAR) {
        eval_linear(out, curve, is_rotation, t);
    } else {
        eval_spline(out, curve, is_rotation, basis, t);
    }
    if (is_rotation)
        normalize4(out);
}
