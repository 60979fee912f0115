/* The pose at an instant: slots folded over the rest pose (L10-L17), each at its own time (L18-L25). */
#include "anim/layer.h"

#include <math.h>
#include <string.h>

#include "anim/layer_internal.h"

const char *rift_layer_op_word(rift_layer_op op)
{
    static const char *const words[] = {"play",     "play_masked", "play_additive", "stop",
                                        "set_mask", "set_weight",  "fade",          "set_mode"};
    return words[op];
}

const char *rift_layer_mode_word(rift_layer_mode mode)
{
    return mode == RIFT_LAYER_ADDITIVE ? "additive" : "replace";
}

const char *rift_layer_base_word(rift_layer_base base)
{
    return base == RIFT_LAYER_IDENTITY ? "identity" : "bind";
}

/* --- curves ------------------------------------------------------------------------------------------------------ */

rift_layer_curve *
rift_layer_curves(const rift_clip_keys *keys, const rift_skeleton *skeleton, rift_arena *arena)
{
    rift_layer_curve *curves = RIFT_NEW(arena, rift_layer_curve, 3 * skeleton->joint_count);
    for (size_t c = 0; curves != NULL && c < keys->channel_count; c++) {
        const rift_channel *ch = &keys->channels[c];
        curves[3 * (size_t)ch->joint + ch->component] =
            (rift_layer_curve){.key_count = ch->key_count, .channel = ch};
    }
    return curves;
}

static void eval_double(double out[4], const rift_layer_curve *curve, bool is_rotation, double t)
{
    const size_t width = is_rotation ? 4 : 3;
    size_t low = 0;
    size_t high = curve->key_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (curve->times[middle] <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double *a = curve->values + width * low;
    memcpy(out, a, width * sizeof *out);
    if (t <= curve->times[low] || low + 1 == curve->key_count)
        return;
    const double *b = a + width;
    const double u = (t - curve->times[low]) / (curve->times[low + 1] - curve->times[low]);
    if (is_rotation) {
        rift_quat_store(out, rift_quat_slerp(rift_quat_normalize(rift_quat_load(a)),
                                             rift_quat_normalize(rift_quat_load(b)), u));
        return;
    }
    for (size_t i = 0; i < 3; i++)
        out[i] = a[i] + u * (b[i] - a[i]);
}

void rift_layer_curve_eval(double out[4], const rift_layer_curve *curve, rift_component component, double t)
{
    const bool is_rotation = component == RIFT_ROTATION;
    if (curve->channel != NULL) {
        rift_channel_eval(out, curve->channel, t);
    } else {
        eval_double(out, curve, is_rotation, t);
    }
    if (is_rotation)
        rift_quat_store(out, rift_quat_normalize(rift_quat_load(out))); /* L16 */
}

const rift_layer_curve *
rift_layer_curve_of(const rift_layers *layers, const rift_layer_span *span, uint32_t joint, rift_component c)
{
    const rift_layer_clip *clip = &layers->clips[span->clip];
    const bool deltas = span->base == RIFT_LAYER_IDENTITY && clip->deltas != NULL;
    return &(deltas ? clip->deltas : clip->curves)[3 * (size_t)joint + c];
}

/* --- time -------------------------------------------------------------------------------------------------------- */

double rift_layer_weight_at(const rift_layer_span *span, double t)
{
    if (!(span->fade_to > span->fade_from))
        return span->weight;
    if (t >= span->fade_to)
        return span->fade_weight;
    const double u = (t - span->fade_from) / (span->fade_to - span->fade_from);
    return span->weight + (span->fade_weight - span->weight) * (u > 0 ? u : 0);
}

/* L21. Within the first pass the time is as it comes; later an exact multiple is the end of the pass that ran. */
static double wrap(double tau, double length, double speed)
{
    if (tau >= 0 && tau <= length)
        return tau;
    if (!(length > 0))
        return 0;
    double rest = fmod(tau, length);
    rest = rest < 0 ? rest + length : rest;
    const double instant = RIFT_LAYER_INSTANT * fabs(speed);
    if (speed >= 0)
        return rest < instant || rest == 0 ? length : rest;
    return length - rest < instant || rest >= length ? 0 : rest;
}

double rift_layer_local_time(const rift_layer_span *span, double length, double t)
{
    const double since = t > span->start_at ? t - span->start_at : 0;
    const double tau = span->start + span->speed * since;
    if (span->loop)
        return wrap(tau, length, span->speed);
    return tau < 0 ? 0 : tau > length ? length : tau;
}

double rift_layer_end_of(const rift_layer_span *span, double length)
{
    if (span->loop || span->speed == 0)
        return HUGE_VAL;
    const double left = span->speed > 0 ? length - span->start : span->start;
    return span->start_at + left / fabs(span->speed);
}

/* The span that holds the slot at t, or NULL. */
static const rift_layer_span *span_at(const rift_layers *layers, unsigned slot, double t)
{
    const rift_layer_span *spans = layers->spans[slot];
    size_t low = 0;
    size_t high = layers->span_count[slot];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (spans[middle].from - t < RIFT_LAYER_INSTANT) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0)
        return NULL;
    const rift_layer_span *span = &spans[low - 1];
    const bool holds =
        span->to_included ? t - span->to < RIFT_LAYER_INSTANT : span->to - t >= RIFT_LAYER_INSTANT;
    return holds ? span : NULL;
}

void rift_layers_at(rift_layer_state *out, const rift_layers *layers, double t)
{
    for (unsigned s = 0; s < RIFT_LAYER_SLOTS; s++) {
        const rift_layer_span *span = span_at(layers, s, t);
        out->slots[s] = (rift_layer_slot){.occupied = span != NULL, .span = span};
        if (span != NULL) {
            out->slots[s].local_time = rift_layer_local_time(span, layers->clips[span->clip].length, t);
            out->slots[s].weight = rift_layer_weight_at(span, t);
        }
    }
}

double rift_layers_weight(const rift_layers *layers, const rift_layer_slot *slot, uint32_t joint)
{
    if (!slot->occupied || !(slot->weight > 0))
        return 0;
    const uint32_t mask = slot->span->mask;
    return mask == RIFT_LAYER_NONE ? slot->weight : slot->weight * layers->mask_weights[mask][joint];
}

/* --- the fold ---------------------------------------------------------------------------------------------------- */

static const rift_quat no_turn = {0, 0, 0, 1};

/* L13, L15 for rotations. */
static void
fold_turn(double a[4], const double c[4], rift_quat rest, const rift_layer_span *span, double weight)
{
    const rift_quat to = rift_quat_load(c);
    if (span->mode == RIFT_LAYER_REPLACE) {
        rift_quat_store(a, weight < 1 ? rift_quat_slerp(rift_quat_load(a), to, weight) : to);
        return;
    }
    const rift_quat base = span->base == RIFT_LAYER_IDENTITY ? no_turn : rest;
    const rift_quat turn = rift_quat_normalize(rift_quat_mul(to, rift_quat_conjugate(base)));
    const rift_quat part = rift_quat_slerp(no_turn, turn, weight);
    rift_quat_store(a, rift_quat_normalize(rift_quat_mul(part, rift_quat_load(a))));
}

/* L13, L15 for translations and scales; `neutral` is what base identity subtracts. */
static void fold_vector(double a[4],
                        const double c[4],
                        const double rest[4],
                        double neutral,
                        const rift_layer_span *span,
                        double weight)
{
    for (int i = 0; i < 3; i++) {
        const double base = span->base == RIFT_LAYER_IDENTITY ? neutral : rest[i];
        a[i] += (c[i] - (span->mode == RIFT_LAYER_REPLACE ? a[i] : base)) * weight;
    }
}

static void rest_value(double out[4], const rift_trs *rest, rift_component component)
{
    if (component == RIFT_ROTATION) {
        rift_quat_store(out, rift_quat_normalize(rest->r));
        return;
    }
    const rift_vec3 v = component == RIFT_TRANSLATION ? rest->t : rest->s;
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    out[3] = 0;
}

/* The highest slot that covers all below it, where the fold may as well begin. */
static unsigned lowest_slot(const rift_layers *layers,
                            const rift_layer_state *state,
                            uint32_t joint,
                            rift_component component)
{
    unsigned s = RIFT_LAYER_SLOTS - 1;
    for (; s > 0; s--) {
        const rift_layer_slot *slot = &state->slots[s];
        if (slot->occupied && slot->span->mode == RIFT_LAYER_REPLACE &&
            rift_layers_weight(layers, slot, joint) >= 1 &&
            rift_layer_curve_of(layers, slot->span, joint, component)->key_count > 0)
            break;
    }
    return s;
}

bool rift_layers_component(double out[4],
                           const rift_layers *layers,
                           const rift_layer_state *state,
                           uint32_t joint,
                           rift_component component)
{
    double rest[4];
    double c[4];
    const unsigned first = lowest_slot(layers, state, joint, component);
    bool touched = false;
    rest_value(rest, &layers->skeleton->joints[joint].rest, component);
    memcpy(out, rest, sizeof rest);
    for (unsigned s = first; s < RIFT_LAYER_SLOTS; s++) {
        const rift_layer_slot *slot = &state->slots[s];
        const double weight = rift_layers_weight(layers, slot, joint);
        if (!(weight > 0))
            continue;
        const rift_layer_curve *curve = rift_layer_curve_of(layers, slot->span, joint, component);
        if (curve->key_count == 0)
            continue;
        rift_layer_curve_eval(c, curve, component, slot->local_time);
        if (component == RIFT_ROTATION) {
            fold_turn(out, c, rift_quat_load(rest), slot->span, weight);
        } else {
            fold_vector(out, c, rest, component == RIFT_SCALE ? 1 : 0, slot->span, weight);
        }
        touched = true;
    }
    return touched;
}

unsigned
rift_layers_joint(rift_trs *out, const rift_layers *layers, const rift_layer_state *state, uint32_t joint)
{
    double v[3][4];
    unsigned touched = 0;
    for (unsigned c = 0; c < 3; c++) {
        if (rift_layers_component(v[c], layers, state, joint, (rift_component)c))
            touched |= RIFT_LAYER_TOUCHES(c);
    }
    *out = (rift_trs){
        {v[RIFT_TRANSLATION][0], v[RIFT_TRANSLATION][1], v[RIFT_TRANSLATION][2]},
        rift_quat_load(v[RIFT_ROTATION]),
        {v[RIFT_SCALE][0], v[RIFT_SCALE][1], v[RIFT_SCALE][2]},
    };
    return touched;
}
