/* Vectors, quaternions and matrices against values worked by hand. */
#include "base/math.h"

#include "support/check.h"

static const double tiny = 1e-12;
#define HALF_ROOT 0.70710678118654752440

static const rift_quat none = {0, 0, 0, 1};
static const rift_quat x90 = {HALF_ROOT, 0, 0, HALF_ROOT};
static const rift_quat z90 = {0, 0, HALF_ROOT, HALF_ROOT};

static void check_vec(rift_vec3 got, double x, double y, double z)
{
    CHECK_NEAR(got.x, x, tiny);
    CHECK_NEAR(got.y, y, tiny);
    CHECK_NEAR(got.z, z, tiny);
}

static void check_quat(rift_quat got, double x, double y, double z, double w)
{
    CHECK_NEAR(got.x, x, tiny);
    CHECK_NEAR(got.y, y, tiny);
    CHECK_NEAR(got.z, z, tiny);
    CHECK_NEAR(got.w, w, tiny);
}

static void works_with_vectors(void)
{
    check_vec(rift_vec3_sub((rift_vec3){5, 7, 9}, (rift_vec3){1, 2, 3}), 4, 5, 6);
    check_vec(rift_vec3_cross((rift_vec3){1, 0, 0}, (rift_vec3){0, 1, 0}), 0, 0, 1);
    check_vec(rift_vec3_cross((rift_vec3){1, 2, 3}, (rift_vec3){4, 5, 6}), -3, 6, -3);
    CHECK_NEAR(rift_vec3_dot((rift_vec3){1, 2, 3}, (rift_vec3){4, -5, 6}), 12, tiny);
    CHECK_NEAR(rift_vec3_length((rift_vec3){3, 4, 12}), 13, tiny);
}

static void multiplies_quaternions_right_first(void)
{
    check_quat(rift_quat_mul(x90, z90), 0.5, -0.5, 0.5, 0.5);
    check_quat(rift_quat_mul(z90, x90), 0.5, 0.5, 0.5, 0.5);
    /* z90 takes x to y, x90 takes y to z. */
    check_vec(rift_quat_rotate(z90, (rift_vec3){1, 0, 0}), 0, 1, 0);
    check_vec(rift_quat_rotate(x90, (rift_vec3){0, 1, 0}), 0, 0, 1);
    check_vec(rift_quat_rotate(rift_quat_mul(x90, z90), (rift_vec3){1, 0, 0}), 0, 0, 1);
    check_quat(rift_quat_mul(z90, rift_quat_conjugate(z90)), 0, 0, 0, 1);
    CHECK_NEAR(rift_quat_dot((rift_quat){1, 2, 3, 4}, (rift_quat){5, 6, 7, -8}), 6, tiny);
}

static void normalizes_quaternions(void)
{
    check_quat(rift_quat_normalize((rift_quat){0, 0, 3, 4}), 0, 0, 0.6, 0.8);
    check_quat(rift_quat_normalize((rift_quat){0, 0, 0, 0}), 0, 0, 0, 1);
    check_quat(rift_quat_normalize((rift_quat){(double)INFINITY, 0, 0, 1}), 0, 0, 0, 1);
    check_quat(rift_quat_normalize((rift_quat){(double)NAN, 0, 0, 1}), 0, 0, 0, 1);
}

static void slerps_the_short_way(void)
{
    /* Half of 90 degrees about z is 45, a quarter of 120 is 30. */
    check_quat(rift_quat_slerp(none, z90, 0.5), 0, 0, 0.38268343236508977, 0.92387953251128674);
    const rift_quat z120 = {0, 0, 0.86602540378443865, 0.5};
    check_quat(rift_quat_slerp(none, z120, 0.25), 0, 0, 0.25881904510252076, 0.96592582628906829);
    const rift_quat other = {0, 0, -HALF_ROOT, -HALF_ROOT}; /* the same rotation as z90 */
    check_quat(rift_quat_slerp(none, other, 0.5), 0, 0, 0.38268343236508977, 0.92387953251128674);
    check_quat(rift_quat_slerp(x90, z90, 0), x90.x, 0, 0, x90.w);
    check_quat(rift_quat_slerp(x90, z90, 1), 0, 0, z90.z, z90.w);
    check_quat(rift_quat_slerp(z90, z90, 0.3), 0, 0, z90.z, z90.w);
    /* Close together: 1e-6 rad about x, half of it. */
    check_quat(rift_quat_slerp(none, (rift_quat){5e-7, 0, 0, 1}, 0.5), 2.5e-7, 0, 0, 1);
}

static void measures_angles(void)
{
    CHECK_NEAR(rift_quat_angle(none, z90), 1.57079632679489662, tiny);
    CHECK_NEAR(rift_quat_angle(z90, (rift_quat){0, 0, -z90.z, -z90.w}), 0, tiny);
    CHECK_NEAR(rift_quat_angle(none, (rift_quat){1, 0, 0, 0}), 3.14159265358979324, tiny);
    CHECK_NEAR(rift_quat_angle(x90, z90), 2.09439510239319549, tiny); /* 120 degrees: their dot is 1/2 */
    CHECK_NEAR(rift_quat_angle(none, (rift_quat){0, 0, 5e-10, 1}), 1e-9, 1e-18);
}

static const rift_trs trs = {{1, 2, 3}, {0, 0, HALF_ROOT, HALF_ROOT}, {2, 3, 4}};

static void builds_matrices_column_major(void)
{
    /* x goes to 2 y, y to -3 x, z to 4 z. */
    static const double want[16] = {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1};
    const rift_mat4 m = rift_mat4_from_trs(trs);
    for (int i = 0; i < 16; i++)
        CHECK_NEAR(m.m[i], want[i], tiny);
    check_vec(rift_mat4_apply(&m, (rift_vec3){1, 1, 1}), -2, 4, 7);
    CHECK_NEAR(rift_mat4_det3(&m), 24, tiny);
    /* All three axes of a general rotation: 120 degrees about (1, 1, 1) turns x to y to z to x. */
    const rift_mat4 turn = rift_mat4_from_trs((rift_trs){{0, 0, 0}, {0.5, 0.5, 0.5, 0.5}, {1, 1, 1}});
    check_vec(rift_mat4_apply(&turn, (rift_vec3){1, 2, 3}), 3, 1, 2);
}

static void multiplies_matrices(void)
{
    const rift_mat4 a = rift_mat4_from_trs((rift_trs){{10, 0, 0}, none, {1, 1, 1}});
    const rift_mat4 b = rift_mat4_from_trs(trs);
    const rift_mat4 ab = rift_mat4_mul(a, b);
    const rift_mat4 ba = rift_mat4_mul(b, a);
    check_vec(rift_mat4_apply(&ab, (rift_vec3){1, 1, 1}), 8, 4, 7);   /* b, then 10 to the right */
    check_vec(rift_mat4_apply(&ba, (rift_vec3){1, 1, 1}), -2, 24, 7); /* 10 to the right, then b */
    rift_mat4 plain = {{0}};
    for (int i = 0; i < 16; i++)
        plain.m[i] = i + 1;
    const rift_mat4 square = rift_mat4_mul(plain, plain);
    static const double want[16] = {90,  100, 110, 120, 202, 228, 254, 280,
                                    314, 356, 398, 440, 426, 484, 542, 600};
    for (int i = 0; i < 16; i++)
        CHECK_NEAR(square.m[i], want[i], tiny);
}

static void inverts_matrices(void)
{
    const rift_mat4 m = rift_mat4_from_trs(trs);
    rift_mat4 inverse;
    CHECK_FATAL(rift_mat4_invert(&inverse, &m));
    check_vec(rift_mat4_apply(&inverse, (rift_vec3){-2, 4, 7}), 1, 1, 1);
    const rift_mat4 one = rift_mat4_mul(m, inverse);
    for (int i = 0; i < 16; i++)
        CHECK_NEAR(one.m[i], i % 5 == 0 ? 1 : 0, tiny);
}

static void refuses_singular_matrices(void)
{
    rift_mat4 out = rift_mat4_identity();
    out.m[0] = 5;
    rift_mat4 flat = rift_mat4_from_trs((rift_trs){{1, 2, 3}, none, {1, 0, 1}});
    CHECK(!rift_mat4_invert(&out, &flat));
    flat = rift_mat4_identity();
    flat.m[5] = (double)NAN;
    CHECK(!rift_mat4_invert(&out, &flat));
    CHECK(!rift_mat4_is_finite(&flat));
    flat = rift_mat4_identity();
    flat.m[12] = (double)INFINITY;
    CHECK(!rift_mat4_invert(&out, &flat));
    CHECK(out.m[0] == 5); /* untouched */
    CHECK(rift_mat4_is_finite(&out));
}

static void check_decomposed(rift_trs want, rift_vec3 scale)
{
    const rift_mat4 m = rift_mat4_from_trs(want);
    const rift_trs got = rift_mat4_decompose(&m);
    check_vec(got.t, want.t.x, want.t.y, want.t.z);
    check_vec(got.s, scale.x, scale.y, scale.z);
    CHECK_NEAR(rift_quat_angle(got.r, want.r), 0, 1e-9);
    CHECK_NEAR(rift_quat_dot(got.r, got.r), 1, tiny);
}

static void decomposes_matrices(void)
{
    static const rift_quat turns[] = {
        {0, 0, 0, 1},           {HALF_ROOT, 0, 0, HALF_ROOT},
        {0.5, 0.5, 0.5, 0.5},   {1, 0, 0, 0},
        {0, 1, 0, 0},           {0, 0, 1, 0},
        {0.6, 0, -0.8, 0},      {0.1, 0.7, -0.1, 0.7},
        {0.5, -0.5, 0.5, -0.5},
    };
    for (size_t i = 0; i < RIFT_COUNT(turns); i++) {
        check_row("rotation %zu", i);
        const rift_trs plain = {{1, -2, 3}, turns[i], {2, 3, 4}};
        check_decomposed(plain, plain.s);
        /* A mirror is said to be on x. */
        const rift_trs mirrored = {{1, -2, 3}, turns[i], {-2, 3, 4}};
        check_decomposed(mirrored, mirrored.s);
        /* A flat axis leaves the rotation to the two others. */
        const rift_trs flat = {{1, -2, 3}, turns[i], {2, 0, 4}};
        check_decomposed(flat, flat.s);
    }
}

static void decomposes_what_has_no_rotation(void)
{
    const rift_mat4 line = rift_mat4_from_trs((rift_trs){{0, 0, 0}, z90, {0, 2, 0}});
    const rift_trs got = rift_mat4_decompose(&line);
    check_vec(got.s, 0, 2, 0);
    check_quat(got.r, 0, 0, 0, 1);
    rift_mat4 nothing = {{0}};
    nothing.m[15] = 1;
    const rift_trs zero = rift_mat4_decompose(&nothing);
    check_vec(zero.s, 0, 0, 0);
    check_quat(zero.r, 0, 0, 0, 1);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(works_with_vectors);
    RUN(multiplies_quaternions_right_first);
    RUN(normalizes_quaternions);
    RUN(slerps_the_short_way);
    RUN(measures_angles);
    RUN(builds_matrices_column_major);
    RUN(multiplies_matrices);
    RUN(inverts_matrices);
    RUN(refuses_singular_matrices);
    RUN(decomposes_matrices);
    RUN(decomposes_what_has_no_rotation);
    return check_finish();
}
