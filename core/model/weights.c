#include <math.h>

#include "model/model_internal.h"

rift_weight_source rift_model_weight_source(const rift_skeleton *skeleton, const rift_skn *skn)
{
    return (rift_weight_source){
        .influences = skn->direct_indices ? NULL : skeleton->influences,
        .influence_count = skn->direct_indices ? skeleton->joint_count : skeleton->influence_count,
        .joint_count = skeleton->joint_count,
    };
}

/* Joint of a blend index, or joint_count when it names none. */
static size_t map_joint(const rift_weight_source *source, size_t blend)
{
    if (blend >= source->influence_count)
        return source->joint_count;
    const size_t joint = source->influences != NULL ? source->influences[blend] : blend;
    return joint < source->joint_count ? joint : source->joint_count;
}

/* Decisions 36: the vertex's first slot that maps to a joint, else the first of the list, else joint 0. */
static size_t first_influence(const rift_weight_source *source, const size_t joints[4])
{
    for (int k = 0; k < 4; k++) {
        if (joints[k] < source->joint_count)
            return joints[k];
    }
    for (size_t i = 0; i < source->influence_count; i++) {
        if (map_joint(source, i) < source->joint_count)
            return map_joint(source, i);
    }
    return 0;
}

static void merge_equal(const size_t joints[4], double w[4])
{
    for (int k = 1; k < 4; k++) {
        for (int first = 0; first < k; first++) {
            if (joints[first] == joints[k]) {
                w[first] += w[k];
                w[k] = 0;
                break;
            }
        }
    }
}

/* Float32 weights whose sum in double precision is 1 within half a unit in the last place of the largest. */
static void round_weights(float out[4], const double w[4], double sum)
{
    int largest = 0;
    for (int k = 1; k < 4; k++) {
        if (w[k] > w[largest])
            largest = k;
    }
    double others = 0;
    for (int k = 0; k < 4; k++) {
        out[k] = k == largest ? 0 : (float)(w[k] / sum);
        others += (double)out[k];
    }
    out[largest] = (float)(1 - others);
}

rift_weights
rift_model_weights(const rift_weight_source *source, const uint8_t blend[4], const float weights[4])
{
    rift_weights out = {0};
    size_t joints[4];
    double w[4];
    for (int k = 0; k < 4; k++) {
        joints[k] = map_joint(source, blend[k]);
        w[k] = (double)weights[k];
        if (joints[k] == source->joint_count) {
            out.outside += w[k] != 0; /* a slot of weight 0 is unused whatever its index */
            w[k] = 0;
        } else if (!isfinite(w[k]) || w[k] < 0) {
            out.invalid++;
            w[k] = 0;
        }
    }
    merge_equal(joints, w);
    const double sum = w[0] + w[1] + w[2] + w[3];
    if (sum > 0) {
        round_weights(out.weights, w, sum);
    } else {
        out.all_zero = true;
        joints[0] = first_influence(source, joints);
        out.weights[0] = 1;
    }
    for (int k = 0; k < 4; k++)
        out.joints[k] = out.weights[k] > 0 ? (uint16_t)joints[k] : 0;
    return out;
}
