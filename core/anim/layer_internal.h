/* layer_internal.h - crosses the layer files, private to this folder. */
#ifndef RIFT_ANIM_LAYER_INTERNAL_H
#define RIFT_ANIM_LAYER_INTERNAL_H

#include "anim/layer.h"

/* Failures show in the arena. */
void rift_layer_warn(rift_layer_warnings *w, const char *code, rift_str detail, rift_arena *arena);

/* Whether the two are one instant. */
static inline bool rift_layer_same(double a, double b)
{
    return (a > b ? a - b : b - a) < RIFT_LAYER_INSTANT;
}

static inline double rift_layer_clamp01(double v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

double rift_layer_weight_at(const rift_layer_span *span, double t);
/* L19-L22. */
double rift_layer_local_time(const rift_layer_span *span, double length, double t);
/* When a one-shot ends; HUGE_VAL for loops and standing ones. */
double rift_layer_end_of(const rift_layer_span *span, double length);

const rift_layer_curve *
rift_layer_curve_of(const rift_layers *layers, const rift_layer_span *span, uint32_t joint, rift_component c);
/* Value of a curve: 3 components, or a unit quaternion. */
void rift_layer_curve_eval(double out[4], const rift_layer_curve *curve, rift_component component, double t);
/* One component of a joint: value, and whether a slot drives it. */
bool rift_layers_component(double out[4],
                           const rift_layers *layers,
                           const rift_layer_state *state,
                           uint32_t joint,
                           rift_component component);

/* rift_layers_bake with a limit of its own, for tests. */
RIFT_NODISCARD bool rift_layers_bake_within(rift_layer_baked *out,
                                            const rift_layers *layers,
                                            size_t max_keys,
                                            rift_layer_go_on_fn *go_on,
                                            void *user,
                                            rift_arena *out_arena,
                                            rift_arena *tmp,
                                            rift_err *err);

/* layer_instants.c: the instants of L31 and L32 on the way to keys. */
typedef struct rift_layer_instant {
    double
        eval; /* at which section 2 is evaluated: the key's own time wherever float32 can hold the instant */
    float time;   /* of the key */
    bool is_jump; /* one of a pair */
    bool gap;     /* the segment behind it is a jump's */
    bool is_key;  /* nothing but a key time of some curve: of no account to components without a key there */
} rift_layer_instant;

typedef struct rift_layer_instants {
    rift_layer_instant *items;
    size_t count;
} rift_layer_instants;

RIFT_NODISCARD bool rift_layer_instants_make(rift_layer_instants *out,
                                             const rift_layers *layers,
                                             rift_arena *arena,
                                             rift_err *err);

/* Marks the instants that count for a component: all but the key times of other curves. */
void rift_layer_instants_mark(bool *marks,
                              const rift_layer_instants *instants,
                              const rift_layers *layers,
                              uint32_t joint,
                              rift_component component);

/* One way of a span through its clip, without a wrap. */
typedef struct rift_layer_pass {
    double from, to;   /* of the timeline */
    double local_from; /* local time at `from`; grows by the span's speed */
    bool wraps;        /* ends by a wrap, at `to` */
} rift_layer_pass;

/* How many passes a span has within [0, duration]; may be more than can be listed. */
double rift_layer_pass_count(const rift_layer_span *span, double length, double duration);
rift_layer_pass rift_layer_pass_at(const rift_layer_span *span, double length, double duration, double index);

#endif
