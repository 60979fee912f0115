/* From events to windows (S1-S7): which joints are meant and when, or why not. */
#include <math.h>

#include "anim/snap_internal.h"

uint32_t rift_snap_find_joint(const rift_skeleton *sk, uint32_t fnv)
{
    uint32_t first = UINT32_MAX;
    for (size_t i = 0; fnv != 0 && i < sk->joint_count; i++) {
        const uint32_t j = sk->walk[i];
        if (sk->joints[j].fnv != fnv)
            continue;
        if (sk->joints[j].influences)
            return j;
        if (first == UINT32_MAX)
            first = j;
    }
    return first;
}

static bool is_above(const rift_skeleton *sk, uint32_t above, uint32_t joint)
{
    for (int32_t j = sk->joints[joint].parent; j != RIFT_NO_PARENT; j = sk->joints[j].parent) {
        if ((uint32_t)j == above)
            return true;
    }
    return false;
}

/* The code for which the joints of an event cannot be baked, or NULL. */
static const char *
find_joints(rift_snap_window *w, const rift_skeleton *sk, const rift_snap_event *event, rift_report *report)
{
    if (event->victim == 0 || event->target == 0) {
        rift_report_add(report, "snap_field_empty", "0x%08x onto 0x%08x", event->victim, event->target);
        return "snap_field_empty";
    }
    w->victim = rift_snap_find_joint(sk, event->victim);
    w->target = rift_snap_find_joint(sk, event->target);
    if (w->victim == UINT32_MAX || w->target == UINT32_MAX) {
        rift_report_add(report, "snap_unknown_joint", "0x%08x",
                        w->victim == UINT32_MAX ? event->victim : event->target);
        return "snap_unknown_joint";
    }
    const rift_str victim = sk->joints[w->victim].name;
    if (w->victim == w->target) {
        rift_report_add(report, "snap_self", "%.*s", RIFT_STR_ARG(victim));
        return "snap_self";
    }
    if (is_above(sk, w->victim, w->target)) {
        const rift_str target = sk->joints[w->target].name;
        rift_report_add(report, "snap_target_below_victim", "%.*s onto %.*s", RIFT_STR_ARG(victim),
                        RIFT_STR_ARG(target));
        return "snap_target_below_victim";
    }
    return NULL;
}

static double finite_or(float v, double otherwise)
{
    return isfinite(v) ? (double)v : otherwise;
}

/* S7. False when the window holds no instant of the clip. */
static bool find_times(rift_snap_window *w,
                       const rift_snap_resolve_input *in,
                       const rift_snap_event *event,
                       rift_report *report)
{
    const double start = finite_or(event->start_frame, 0);
    const double end = finite_or(event->end_frame, -1);
    const bool open = end < 0 || end < start;
    if (end >= 0 && end < start)
        rift_report_add(report, "snap_end_before_start", "frame %g to %g", start, end);
    w->start = start / in->fps - in->trim_start;
    w->end = open ? in->length : end / in->fps - in->trim_start;
    if (w->start > in->length || w->end < 0) {
        rift_report_add(report, "snap_window_empty", "%g s to %g s of %g s", w->start, w->end, in->length);
        return false;
    }
    w->start = fmax(w->start, 0);
    w->end = fmin(w->end, in->length);
    return true;
}

static const char *resolve(rift_snap_window *w,
                           const rift_snap_resolve_input *in,
                           const rift_snap_event *event,
                           rift_report *report)
{
    const char *reason = find_joints(w, in->skeleton, event, report);
    if (reason != NULL)
        return reason;
    for (int i = 0; i < 3; i++) {
        if (!isfinite(event->offset[i])) {
            rift_report_add(report, "snap_not_finite", "offset of event %u", w->event);
            return "snap_not_finite";
        }
        w->offset[i] = (double)event->offset[i];
    }
    return find_times(w, in, event, report) ? NULL : "snap_window_empty";
}

bool rift_snap_resolve(rift_snap_windows *out,
                       const rift_snap_resolve_input *in,
                       rift_arena *arena,
                       rift_report *report,
                       rift_err *err)
{
    RIFT_ASSERT(in->fps > 0);
    rift_snap_windows all = {
        .windows = RIFT_NEW(arena, rift_snap_window, in->event_count),
        .drops = RIFT_NEW(arena, rift_snap_drop, in->event_count),
    };
    if (!rift_arena_ok(arena, "snaps", err))
        return false;
    for (size_t i = 0; i < in->event_count; i++) {
        rift_snap_window w = {.event = (uint32_t)i};
        const char *reason = resolve(&w, in, &in->events[i], report);
        if (reason != NULL) {
            all.drops[all.drop_count++] = (rift_snap_drop){(uint32_t)i, reason};
        } else {
            all.windows[all.window_count++] = w;
        }
    }
    *out = all;
    return true;
}
