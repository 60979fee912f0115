#include "gltf/gltf_internal.h"

/* The table of G6, in double precision, rounded once. Adding 0 turns a negative zero into zero, so that mirrored and
 * unmirrored zeros are the same bytes and min/max print as they compare. */

static float rounded(double v)
{
    return (float)v + 0.0f;
}

static double sign_of(const gltf_space *space)
{
    return space->mirror ? -1 : 1;
}

void gltf_point(float out[3], const gltf_space *space, const float in[3])
{
    out[0] = rounded(sign_of(space) * space->sigma * (double)in[0]);
    out[1] = rounded(space->sigma * (double)in[1]);
    out[2] = rounded(space->sigma * (double)in[2]);
}

void gltf_direction(float out[3], const gltf_space *space, const float in[3])
{
    out[0] = rounded(sign_of(space) * (double)in[0]);
    out[1] = rounded((double)in[1]);
    out[2] = rounded((double)in[2]);
}

void gltf_rotation(float out[4], const gltf_space *space, const float in[4])
{
    const double sign = sign_of(space);
    out[0] = rounded((double)in[0]);
    out[1] = rounded(sign * (double)in[1]);
    out[2] = rounded(sign * (double)in[2]);
    out[3] = rounded((double)in[3]);
}

void gltf_scale(float out[3], const float in[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = rounded((double)in[i]);
}

void gltf_rest_rotation(float out[4], const gltf_space *space, rift_quat q)
{
    const double sign = sign_of(space);
    const rift_quat unit = rift_quat_normalize(q);
    out[0] = rounded(unit.x);
    out[1] = rounded(sign * unit.y);
    out[2] = rounded(sign * unit.z);
    out[3] = rounded(unit.w);
}

void gltf_rest_translation(float out[3], const gltf_space *space, rift_vec3 t)
{
    out[0] = rounded(sign_of(space) * space->sigma * t.x);
    out[1] = rounded(space->sigma * t.y);
    out[2] = rounded(space->sigma * t.z);
}

void gltf_matrix(float out[16], const gltf_space *space, const rift_mat4 *m, const gltf_grid *grid)
{
    for (int row = 0; row < 3; row++) {
        double v[4];
        for (int column = 0; column < 4; column++) {
            /* M * B * M: entries with exactly one index of x change sign. */
            const double sign = (column == 0) != (row == 0) ? sign_of(space) : 1;
            const double factor = column == 3 ? space->sigma : 1;
            v[column] = sign * factor * m->m[4 * column + row];
        }
        for (int k = 0; k < 3 && grid != NULL; k++) {
            v[3] += v[k] * grid->origin[k];
            v[k] *= grid->step;
        }
        for (int column = 0; column < 4; column++)
            out[4 * column + row] = rounded(v[column]);
    }
    for (int column = 0; column < 4; column++)
        out[4 * column + 3] = column == 3 ? 1.0f : 0.0f;
}

size_t gltf_channel_value(float out[4], const gltf_space *space, const rift_channel *channel, size_t index)
{
    switch (channel->component) {
    case RIFT_TRANSLATION:
        gltf_point(out, space, channel->values + 3 * index);
        return 3;
    case RIFT_ROTATION:
        gltf_rotation(out, space, channel->values + 4 * index);
        return 4;
    case RIFT_SCALE:
        gltf_scale(out, channel->values + 3 * index);
        return 3;
    }
    RIFT_ASSERT(false);
    return 0;
}
