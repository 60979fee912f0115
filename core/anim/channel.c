#include "anim/anim.h"

static void copy_value(double out[4], const float *v, unsigned dimension)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = i < dimension ? (double)v[i] : 0;
}

static uint32_t key_before(const rift_channel *channel, double t)
{
    uint32_t low = 0;
    uint32_t high = channel->key_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if ((double)channel->times[middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void eval_linear(double out[4], const float *a, const float *b, double u, unsigned dimension)
{
    double va[4];
    double vb[4];
    copy_value(va, a, dimension);
    copy_value(vb, b, dimension);
    if (dimension == 4) {
        rift_quat_store(out, rift_quat_slerp(rift_quat_load(va), rift_quat_load(vb), u));
        return;
    }
    for (int i = 0; i < 4; i++)
        out[i] = va[i] + u * (vb[i] - va[i]);
}

/* Appendix C of the glTF specification: tangents are scaled by the length of the segment. */
static void
eval_cubic(double out[4], const float *a, const float *b, double u, double length, unsigned dimension)
{
    double v0[4];
    double m0[4];
    double m1[4];
    double v1[4];
    copy_value(v0, a + dimension, dimension);
    copy_value(m0, a + 2 * (size_t)dimension, dimension);
    copy_value(m1, b, dimension);
    copy_value(v1, b + dimension, dimension);
    const double u2 = u * u;
    const double u3 = u2 * u;
    for (int i = 0; i < 4; i++) {
        out[i] = (2 * u3 - 3 * u2 + 1) * v0[i] + length * (u3 - 2 * u2 + u) * m0[i] +
                 (3 * u2 - 2 * u3) * v1[i] + length * (u3 - u2) * m1[i];
    }
    if (dimension == 4)
        rift_quat_store(out, rift_quat_normalize(rift_quat_load(out)));
}

void rift_channel_eval(double out[4], const rift_channel *channel, double t)
{
    const unsigned dimension = channel->component == RIFT_ROTATION ? 4 : 3;
    const bool cubic = channel->interpolation == RIFT_CUBICSPLINE;
    const size_t stride = cubic ? 3 * (size_t)dimension : dimension;
    const uint32_t k = key_before(channel, t);
    const float *a = channel->values + stride * k;
    const double t1 = (double)channel->times[k];
    if (t <= t1 || k + 1 == channel->key_count) {
        copy_value(out, cubic ? a + dimension : a, dimension);
        return;
    }
    const double length = (double)channel->times[k + 1] - t1;
    const double u = (t - t1) / length;
    if (cubic) {
        eval_cubic(out, a, a + stride, u, length, dimension);
    } else {
        eval_linear(out, a, a + stride, u, dimension);
    }
}
