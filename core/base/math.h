/* math.h - vectors, quaternions, transforms, matrices; double precision throughout.
 *
 * Units   quaternions (x, y, z, w), Hamilton product: mul(p, q) rotates by q first. Matrices column-major,
 *         column vectors: m[4 * column + row]. A transform composes as T * R * S.
 * Limits  nothing here checks for NaN; callers feed finite numbers, or check afterwards. */
#ifndef RIFT_BASE_MATH_H
#define RIFT_BASE_MATH_H

#include <stdbool.h>

typedef struct rift_vec3 {
    double x, y, z;
} rift_vec3;

typedef struct rift_quat {
    double x, y, z, w;
} rift_quat;

typedef struct rift_trs {
    rift_vec3 t;
    rift_quat r;
    rift_vec3 s;
} rift_trs;

typedef struct rift_mat4 {
    double m[16];
} rift_mat4;

#define RIFT_TRS_IDENTITY ((rift_trs){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}})

rift_vec3 rift_vec3_sub(rift_vec3 a, rift_vec3 b);
rift_vec3 rift_vec3_cross(rift_vec3 a, rift_vec3 b);
double rift_vec3_dot(rift_vec3 a, rift_vec3 b);
double rift_vec3_length(rift_vec3 v);

static inline rift_quat rift_quat_load(const double v[4])
{
    return (rift_quat){v[0], v[1], v[2], v[3]};
}

static inline void rift_quat_store(double out[4], rift_quat q)
{
    out[0] = q.x;
    out[1] = q.y;
    out[2] = q.z;
    out[3] = q.w;
}

double rift_quat_dot(rift_quat a, rift_quat b);
/* Zero or non-finite length gives the identity. */
rift_quat rift_quat_normalize(rift_quat q);
rift_quat rift_quat_mul(rift_quat p, rift_quat q);
rift_quat rift_quat_conjugate(rift_quat q);
rift_vec3 rift_quat_rotate(rift_quat q, rift_vec3 v);
/* The short way (L16): the second argument is negated when the dot product is negative; linear above 1 - 1e-9.
 * Inputs of unit length; the result is normalised. */
rift_quat rift_quat_slerp(rift_quat a, rift_quat b, double u);
/* Angle of the rotation from a to b, radians, 0 to pi; unit inputs, double cover ignored. */
double rift_quat_angle(rift_quat a, rift_quat b);

rift_mat4 rift_mat4_identity(void);
rift_mat4 rift_mat4_mul(rift_mat4 a, rift_mat4 b);
rift_mat4 rift_mat4_from_trs(rift_trs trs);
rift_vec3 rift_mat4_apply(const rift_mat4 *m, rift_vec3 point);
/* Inverse of an affine matrix; false (and *out untouched) when it is singular or not finite. */
bool rift_mat4_invert(rift_mat4 *out, const rift_mat4 *m);
double rift_mat4_det3(const rift_mat4 *m);
bool rift_mat4_is_finite(const rift_mat4 *m);
/* T, R, S of an affine matrix: scale = column lengths (x negated when mirrored), rotation = nearest unit quaternion
 * of the normalised columns; a zero column gives scale 0 and keeps the rotation of the other columns where that is
 * determined, else identity. Exact for matrices without shear. */
rift_trs rift_mat4_decompose(const rift_mat4 *m);

#endif
