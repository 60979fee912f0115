#include "base/math.h"

#include <math.h>
#include <stddef.h>

rift_vec3 rift_vec3_sub(rift_vec3 a, rift_vec3 b)
{
    return (rift_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

rift_vec3 rift_vec3_cross(rift_vec3 a, rift_vec3 b)
{
    return (rift_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double rift_vec3_dot(rift_vec3 a, rift_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

double rift_vec3_length(rift_vec3 v)
{
    return sqrt(rift_vec3_dot(v, v));
}

double rift_quat_dot(rift_quat a, rift_quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

rift_quat rift_quat_normalize(rift_quat q)
{
    const double length = sqrt(rift_quat_dot(q, q));
    if (!(length > 0) || !isfinite(length))
        return (rift_quat){0, 0, 0, 1};
    return (rift_quat){q.x / length, q.y / length, q.z / length, q.w / length};
}

rift_quat rift_quat_mul(rift_quat p, rift_quat q)
{
    return (rift_quat){
        p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
        p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
        p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
    };
}

rift_quat rift_quat_conjugate(rift_quat q)
{
    return (rift_quat){-q.x, -q.y, -q.z, q.w};
}

rift_vec3 rift_quat_rotate(rift_quat q, rift_vec3 v)
{
    const rift_vec3 u = {q.x, q.y, q.z};
    const rift_vec3 a = rift_vec3_cross(u, v);
    const rift_vec3 b = rift_vec3_cross(u, a);
    return (rift_vec3){
        v.x + 2 * (q.w * a.x + b.x),
        v.y + 2 * (q.w * a.y + b.y),
        v.z + 2 * (q.w * a.z + b.z),
    };
}

rift_quat rift_quat_slerp(rift_quat a, rift_quat b, double u)
{
    double dot = rift_quat_dot(a, b);
    const double sign = dot < 0 ? -1 : 1;
    dot *= sign;
    double wa = 1 - u;
    double wb = u;
    if (dot < 1 - 1e-9) {
        const double angle = acos(dot);
        const double inv = 1 / sin(angle);
        wa = sin((1 - u) * angle) * inv;
        wb = sin(u * angle) * inv;
    }
    wb *= sign;
    return rift_quat_normalize((rift_quat){
        wa * a.x + wb * b.x,
        wa * a.y + wb * b.y,
        wa * a.z + wb * b.z,
        wa * a.w + wb * b.w,
    });
}

double rift_quat_angle(rift_quat a, rift_quat b)
{
    /* atan2 of the relative rotation: acos of the dot product loses small angles. */
    const rift_quat d = rift_quat_mul(rift_quat_conjugate(a), b);
    return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w));
}

rift_mat4 rift_mat4_identity(void)
{
    return (rift_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

rift_mat4 rift_mat4_mul(rift_mat4 a, rift_mat4 b)
{
    rift_mat4 out = {0};
    for (size_t c = 0; c < 4; c++) {
        for (size_t r = 0; r < 4; r++) {
            out.m[4 * c + r] = a.m[r] * b.m[4 * c] + a.m[4 + r] * b.m[4 * c + 1] +
                               a.m[8 + r] * b.m[4 * c + 2] + a.m[12 + r] * b.m[4 * c + 3];
        }
    }
    return out;
}

rift_mat4 rift_mat4_from_trs(rift_trs trs)
{
    const rift_quat q = trs.r;
    const rift_vec3 s = trs.s;
    return (rift_mat4){{
        (1 - 2 * (q.y * q.y + q.z * q.z)) * s.x,
        2 * (q.x * q.y + q.z * q.w) * s.x,
        2 * (q.x * q.z - q.y * q.w) * s.x,
        0,
        2 * (q.x * q.y - q.z * q.w) * s.y,
        (1 - 2 * (q.x * q.x + q.z * q.z)) * s.y,
        2 * (q.y * q.z + q.x * q.w) * s.y,
        0,
        2 * (q.x * q.z + q.y * q.w) * s.z,
        2 * (q.y * q.z - q.x * q.w) * s.z,
        (1 - 2 * (q.x * q.x + q.y * q.y)) * s.z,
        0,
        trs.t.x,
        trs.t.y,
        trs.t.z,
        1,
    }};
}

rift_vec3 rift_mat4_apply(const rift_mat4 *m, rift_vec3 p)
{
    return (rift_vec3){
        m->m[0] * p.x + m->m[4] * p.y + m->m[8] * p.z + m->m[12],
        m->m[1] * p.x + m->m[5] * p.y + m->m[9] * p.z + m->m[13],
        m->m[2] * p.x + m->m[6] * p.y + m->m[10] * p.z + m->m[14],
    };
}

static rift_vec3 column(const rift_mat4 *m, size_t c)
{
    return (rift_vec3){m->m[4 * c], m->m[4 * c + 1], m->m[4 * c + 2]};
}

double rift_mat4_det3(const rift_mat4 *m)
{
    return rift_vec3_dot(column(m, 0), rift_vec3_cross(column(m, 1), column(m, 2)));
}

bool rift_mat4_is_finite(const rift_mat4 *m)
{
    for (int i = 0; i < 16; i++) {
        if (!isfinite(m->m[i]))
            return false;
    }
    return true;
}

bool rift_mat4_invert(rift_mat4 *out, const rift_mat4 *m)
{
    const double det = rift_mat4_det3(m);
    if (!isfinite(det) || fabs(det) < 1e-30)
        return false;
    const rift_vec3 a = column(m, 0);
    const rift_vec3 b = column(m, 1);
    const rift_vec3 c = column(m, 2);
    const rift_vec3 rows[3] = {rift_vec3_cross(b, c), rift_vec3_cross(c, a), rift_vec3_cross(a, b)};
    const rift_vec3 t = column(m, 3);
    rift_mat4 inv = rift_mat4_identity();
    for (int r = 0; r < 3; r++) {
        inv.m[r] = rows[r].x / det;
        inv.m[4 + r] = rows[r].y / det;
        inv.m[8 + r] = rows[r].z / det;
        inv.m[12 + r] = -rift_vec3_dot(rows[r], t) / det;
    }
    if (!rift_mat4_is_finite(&inv))
        return false;
    *out = inv;
    return true;
}

/* Rotation of a proper orthonormal basis, by the largest of the four squared components. */
static rift_quat quat_from_basis(rift_vec3 x, rift_vec3 y, rift_vec3 z)
{
    const double trace = x.x + y.y + z.z;
    rift_quat q;
    if (trace > x.x && trace > y.y && trace > z.z) {
        q = (rift_quat){y.z - z.y, z.x - x.z, x.y - y.x, 1 + trace};
    } else if (x.x >= y.y && x.x >= z.z) {
        q = (rift_quat){1 + x.x - y.y - z.z, x.y + y.x, z.x + x.z, y.z - z.y};
    } else if (y.y >= z.z) {
        q = (rift_quat){x.y + y.x, 1 - x.x + y.y - z.z, y.z + z.y, z.x - x.z};
    } else {
        q = (rift_quat){z.x + x.z, y.z + z.y, 1 - x.x - y.y + z.z, x.y - y.x};
    }
    return rift_quat_normalize(q);
}

static rift_vec3 scaled(rift_vec3 v, double f)
{
    return (rift_vec3){v.x * f, v.y * f, v.z * f};
}

/* Gives a zero axis the direction that the two others leave for it; without two others, the basis stays identity. */
static void complete_basis(rift_vec3 axis[3], const bool known[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        if (!known[i] && known[j] && known[k])
            axis[i] = rift_vec3_cross(axis[j], axis[k]);
    }
    if (known[0] + known[1] + known[2] < 2) {
        axis[0] = (rift_vec3){1, 0, 0};
        axis[1] = (rift_vec3){0, 1, 0};
        axis[2] = (rift_vec3){0, 0, 1};
    }
}

rift_trs rift_mat4_decompose(const rift_mat4 *m)
{
    rift_vec3 axis[3];
    double scale[3];
    bool known[3];
    for (size_t i = 0; i < 3; i++) {
        axis[i] = column(m, i);
        scale[i] = rift_vec3_length(axis[i]);
        known[i] = scale[i] > 1e-12;
        if (known[i])
            axis[i] = scaled(axis[i], 1 / scale[i]);
    }
    if (rift_mat4_det3(m) < 0) {
        scale[0] = -scale[0];
        axis[0] = scaled(axis[0], -1);
    }
    complete_basis(axis, known);
    return (rift_trs){
        .t = column(m, 3),
        .r = quat_from_basis(axis[0], axis[1], axis[2]),
        .s = {scale[0], scale[1], scale[2]},
    };
}
