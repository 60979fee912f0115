/* Source curves against values that another program worked out from the formulas of formats/anm.md, and glTF's own evaluation. */
#include "anim/anim.h"

#include "support/check.h"

/* A corner at 0.5, doubled ends, uneven times. */
static const float vector_times[] = {0, 0, 0.25f, 0.5f, 0.5f, 1, 1.5f, 1.5f};
static const float vector_values[] = {0, 0, 0, 0,  0, 0, 1, 2, -1, 4, 0, 3,
                                      4, 0, 3, -2, 5, 0, 0, 0, 1,  0, 0, 1};
static const rift_anm_curve vectors = {8, vector_times, vector_values, false};

typedef struct vector_row {
    bool parametrised;
    double t;
    double want[3];
} vector_row;

static const vector_row vector_rows[] = {
    {false, -1, {0, 0, 0}},
    {false, 0, {0, 0, 0}},
    {false, 0.1, {0.232, 0.848, -0.568}},
    {false, 0.25, {1, 2, -1}},
    {false, 0.3, {1.52, 1.824, -0.456}},
    {false, 0.5, {4, 0, 3}},
    {false, 0.6, {3.056, 0.84, 2.528}},
    {false, 0.9, {-1.216, 4.56, 0.392000000000001}},
    {false, 1, {-2, 5, 0}},
    {false, 1.25, {-1.375, 2.8125, 0.3125}},
    {false, 1.5, {0, 0, 1}},
    {false, 2, {0, 0, 1}},
    {true, -1, {0, 0, 0}},
    {true, 0, {0, 0, 0}},
    {true, 0.1, {0.304, 0.992, -0.64}},
    {true, 0.25, {1, 2, -1}},
    {true, 0.3, {1.472, 1.856, -0.52}},
    {true, 0.5, {4, 0, 3}},
    {true, 0.6, {2.672, 1.16, 2.336}},
    {true, 0.9, {-1.312, 4.64, 0.344000000000001}},
    {true, 1, {-2, 5, 0}},
    {true, 1.25, {-1.5, 3.125, 0.25}},
    {true, 1.5, {0, 0, 1}},
    {true, 2, {0, 0, 1}},
};

static rift_anm_basis basis_of(bool parametrised)
{
    return parametrised ? RIFT_ANM_SPLINE_PARAMETRISED : RIFT_ANM_SPLINE_UNIFORM;
}

static void vector_spline(void)
{
    for (size_t i = 0; i < RIFT_COUNT(vector_rows); i++) {
        const vector_row *row = &vector_rows[i];
        check_row("%s at %g", row->parametrised ? "parametrised" : "uniform", row->t);
        double got[4];
        rift_curve_eval(got, &vectors, RIFT_ANM_TRANSLATION, basis_of(row->parametrised), row->t);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(got[k], row->want[k], 1e-12);
    }
    check_row("%s", "");
}

/* B020: evaluation does not depend on what was asked before. */
static void order_of_calls_does_not_matter(void)
{
    for (size_t i = RIFT_COUNT(vector_rows); i-- > 0;) {
        const vector_row *row = &vector_rows[i];
        double got[4];
        rift_curve_eval(got, &vectors, RIFT_ANM_TRANSLATION, basis_of(row->parametrised), row->t);
        CHECK_NEAR(got[1], row->want[1], 1e-12);
    }
}

/* Signs flip in the file: 0 degrees about x, -(90 about x), 60 about y, -(100 about z). */
static void rotation_spline(void)
{
    static const float times[] = {0, 0, 0.5f, 1, 2, 2};
    static const float values[] = {0,
                                   0,
                                   0,
                                   1,
                                   0,
                                   0,
                                   0,
                                   1,
                                   -0.707106781f,
                                   0,
                                   0,
                                   -0.707106781f,
                                   0,
                                   0.5f,
                                   0,
                                   0.866025404f,
                                   0,
                                   0,
                                   -0.766044443f,
                                   -0.64278761f,
                                   0,
                                   0,
                                   -0.766044443f,
                                   -0.64278761f};
    static const rift_anm_curve curve = {6, times, values, false};
    static const struct {
        bool parametrised;
        double t;
        double want[4];
    } rows[] = {
        {false, 0, {0, 0, 0, 1}},
        {false, 0.2, {0.321652036605, -0.0257481894519, 0, 0.946507790822}},
        {false, 0.5, {0.707106781187, 0, 0, 0.707106781187}},
        {false, 0.7, {0.53045543248, 0.228502274847, -0.0396323539677, 0.815372933731}},
        {false, 1, {0, -0.500000006731, 0, -0.866025399899}},
        {false, 1.3, {0.0553837087572, -0.434513896716, -0.210612125251, -0.873940988318}},
        {false, 1.9, {0.00326811068533, -0.0351770830615, -0.736425911118, -0.675595122624}},
        {false, 2, {0, 0, -0.766044428331, -0.64278762731}},
        {true, 0.2, {0.377064061885, -0.0258023767416, 0, 0.925827700271}},
        {true, 0.7, {0.522316573945, 0.230290360909, -0.0266283245393, 0.820635533344}},
        {true, 1.3, {0.0729361628719, -0.445743743244, -0.202376241615, -0.868928471357}},
        {true, 1.9, {0.00442401060767, -0.0568298378357, -0.71651670676, -0.695237086608}},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s at %g", rows[i].parametrised ? "parametrised" : "uniform", rows[i].t);
        double got[4];
        rift_curve_eval(got, &curve, RIFT_ANM_ROTATION, basis_of(rows[i].parametrised), rows[i].t);
        for (int k = 0; k < 4; k++)
            CHECK_NEAR(got[k], rows[i].want[k], 1e-10);
    }
    check_row("%s", "");
}

/* Two keys count as four: the parametrised spline between them is a line, the uniform one is not. */
static void short_curves(void)
{
    static const float times[] = {0.5f, 1.5f};
    static const float values[] = {1, 0, 0, 3, 0, 0};
    static const rift_anm_curve two = {2, times, values, false};
    static const double want[][3] = {{0, 1, 1}, {0.5, 1, 1}, {0.75, 1.5, 1.40625},
                                     {1, 2, 2}, {1.5, 3, 3}, {9, 3, 3}};
    double got[4];
    for (size_t i = 0; i < RIFT_COUNT(want); i++) {
        check_row("at %g", want[i][0]);
        rift_curve_eval(got, &two, RIFT_ANM_SCALE, RIFT_ANM_SPLINE_PARAMETRISED, want[i][0]);
        CHECK_NEAR(got[0], want[i][1], 1e-12);
        rift_curve_eval(got, &two, RIFT_ANM_SCALE, RIFT_ANM_SPLINE_UNIFORM, want[i][0]);
        CHECK_NEAR(got[0], want[i][2], 1e-12);
    }
    check_row("%s", "");
    static const rift_anm_curve one = {1, times, values, true};
    rift_curve_eval(got, &one, RIFT_ANM_SCALE, RIFT_ANM_SPLINE_UNIFORM, 7);
    CHECK_NEAR(got[0], 1, 0);
    static const float zero[] = {0, 0, 0, 0};
    rift_curve_eval(got, &(rift_anm_curve){4, zero, vector_values, false}, RIFT_ANM_TRANSLATION,
                    RIFT_ANM_SPLINE_UNIFORM, 0); /* duration 0 (B022) */
    CHECK(isfinite(got[0]));
}

static void linear_curves(void)
{
    static const float times[] = {0, 1, 3};
    static const float values[] = {0, 0, 0, 2, 4, 6, 0, 4, 2};
    static const rift_anm_curve curve = {3, times, values, false};
    static const double want[][2] = {{-1, 0}, {0, 0}, {0.25, 0.5}, {1, 2}, {2, 1}, {3, 0}, {4, 0}};
    double got[4];
    for (size_t i = 0; i < RIFT_COUNT(want); i++) {
        check_row("at %g", want[i][0]);
        rift_curve_eval(got, &curve, RIFT_ANM_TRANSLATION, RIFT_ANM_LINEAR, want[i][0]);
        CHECK_NEAR(got[0], want[i][1], 1e-12);
    }
    check_row("%s", "");
    /* 0 to 120 degrees about z with the second quaternion negated: a third of the way is 40 degrees. */
    static const float turns[] = {0, 0, 0, 1, 0, 0, -0.8660254f, -0.5f};
    rift_curve_eval(got, &(rift_anm_curve){2, times, turns, false}, RIFT_ANM_ROTATION, RIFT_ANM_LINEAR,
                    1.0 / 3);
    CHECK_NEAR(got[2], sin(20 * 3.14159265358979 / 180), 1e-7);
    CHECK_NEAR(got[3], cos(20 * 3.14159265358979 / 180), 1e-7);
}

/* glTF: clamp outside, exact at keys, slerp the short way, Appendix C for cubic keys. */
static void gltf_evaluation(void)
{
    static const float times[] = {0.5f, 1, 3};
    static const float values[] = {1, 1, 1, 2, 4, 6, 0, 4, 2};
    const rift_channel linear = {0, RIFT_TRANSLATION, RIFT_LINEAR, 3, times, values};
    static const double want[][2] = {{0, 1}, {0.5, 1}, {0.75, 2.5}, {1, 4}, {2, 4}, {3, 4}, {9, 4}};
    double got[4];
    for (size_t i = 0; i < RIFT_COUNT(want); i++) {
        check_row("at %g", want[i][0]);
        rift_channel_eval(got, &linear, want[i][0]);
        CHECK_NEAR(got[1], want[i][1], 1e-12);
    }
    check_row("%s", "");
    static const float turns[] = {0, 0, 0, 1, 0, 0, -0.8660254f, -0.5f};
    const rift_channel turn = {0, RIFT_ROTATION, RIFT_LINEAR, 2, times, turns};
    rift_channel_eval(got, &turn, 0.75); /* half of 120 degrees the short way */
    CHECK_NEAR(got[2], 0.5, 1e-7);
    CHECK_NEAR(got[3], 0.8660254, 1e-7);
    /* in, value, out for each key: from 0 with slope 2 to 1 with slope 0 over 0.5 s; at half way 0.5 * (0 + 1) + 0.5 / 8 * 2 = 0.625. */
    static const float cubic[] = {9, 9, 9, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 9, 9, 9};
    const rift_channel spline = {0, RIFT_SCALE, RIFT_CUBICSPLINE, 2, times, cubic};
    rift_channel_eval(got, &spline, 0.75);
    CHECK_NEAR(got[0], 0.625, 1e-12);
    rift_channel_eval(got, &spline, 0);
    CHECK_NEAR(got[0], 0, 0);
    rift_channel_eval(got, &spline, 1);
    CHECK_NEAR(got[0], 1, 0);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(vector_spline);
    RUN(order_of_calls_does_not_matter);
    RUN(rotation_spline);
    RUN(short_curves);
    RUN(linear_curves);
    RUN(gltf_evaluation);
    return check_finish();
}
