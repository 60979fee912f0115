#include "gltf/gltf_internal.h"

/* Numbers in 8 and 16 bits (G47). Rounding is to the nearest, by truncation of what is above zero. */

enum { ONE_I8 = 127, ONE_U16 = 65535 };

int gltf_snorm(float value, int one)
{
    const double scaled = (double)value * one + one + 0.5;
    const int moved = scaled <= 0 ? 0 : scaled >= 2.0 * one ? 2 * one : (int)scaled;
    return moved - one;
}

uint32_t gltf_unorm16(float value)
{
    return (uint32_t)((double)value * ONE_U16 + 0.5);
}

/* Rounding three components the same way may change the length by 0.0068, and loaders take 1 within 0.0067: then the one
 * that was rounded farthest goes to its other side, which costs less than half a degree. */
static void mend_length(int q[3], const float *v)
{
    const double limit = 0.0066;
    double squares = 0;
    size_t farthest = 0;
    double far = 0;
    for (size_t i = 0; i < 3; i++) {
        const double off = (double)v[i] * ONE_I8 - q[i];
        squares += (double)q[i] * q[i];
        if (off * off > far * far) {
            far = off;
            farthest = i;
        }
    }
    const double low = (1 - limit) * ONE_I8;
    const double high = (1 + limit) * ONE_I8;
    if (squares < low * low || squares > high * high)
        q[farthest] += far > 0 ? 1 : -1;
}

void gltf_unit8(uint8_t *out, const float *v, size_t count)
{
    int q[3];
    for (size_t i = 0; i < 3; i++)
        q[i] = gltf_snorm(v[i], ONE_I8);
    mend_length(q, v);
    for (size_t i = 0; i < 3; i++)
        out[i] = (uint8_t)q[i];
    if (count > 3)
        out[3] = (uint8_t)gltf_snorm(v[3], ONE_I8);
}

void gltf_weights16(uint16_t out[4], const float weights[4])
{
    double rest[4];
    unsigned sum = 0;
    for (size_t i = 0; i < 4; i++) {
        const double scaled = (double)weights[i] * ONE_U16;
        out[i] = (uint16_t)scaled;
        rest[i] = scaled - out[i];
        sum += out[i];
    }
    /* What is missing goes to those that lost most. */
    for (; sum < ONE_U16; sum++) {
        size_t most = 0;
        for (size_t i = 1; i < 4; i++) {
            if (rest[i] > rest[most])
                most = i;
        }
        out[most]++;
        rest[most] = -1;
    }
}

/* As floats are written, so that a quantised file is off by no more than half a step from a plain one. */
void gltf_plan_grid(gltf_doc *doc)
{
    double min[3] = {0};
    double max[3] = {0};
    bool begun = false;
    for (size_t p = 0; p < doc->scene->part_count; p++) {
        const rift_part *part = &doc->scene->parts[p];
        for (size_t i = 0; gltf_part_is_written(doc, part) && i < part->vertex_count; i++) {
            float v[3];
            gltf_point(v, &doc->space, part->positions + 3 * i);
            for (size_t k = 0; k < 3; k++) {
                const double at = (double)v[k];
                min[k] = !begun || at < min[k] ? at : min[k];
                max[k] = !begun || at > max[k] ? at : max[k];
            }
            begun = true;
        }
    }
    double extent = 0;
    for (size_t k = 0; k < 3; k++) {
        doc->grid.origin[k] = min[k];
        extent = max[k] - min[k] > extent ? max[k] - min[k] : extent;
    }
    doc->grid.step = extent > 0 ? extent / ONE_U16 : 1; /* one for all axes: normals keep their direction */
}

void gltf_on_grid(uint16_t out[3], const gltf_doc *doc, const float position[3])
{
    float v[3];
    gltf_point(v, &doc->space, position);
    for (size_t k = 0; k < 3; k++) {
        const double at = ((double)v[k] - doc->grid.origin[k]) / doc->grid.step + 0.5;
        out[k] = at <= 0 ? 0 : at >= ONE_U16 ? ONE_U16 : (uint16_t)at;
    }
}
