/* Joint snaps on rigs, clips and events made by chance: whatever is accepted meets the figures of section 5, whatever is not
 * leaves no trace. And every allocation may fail. */
#include "anim/snap.h"

#include "anim/snap_rig.h"
#include "support/check.h"

enum { JOINTS = 9, RIGS = 120 };

static snap_case c;
static uint32_t seed;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static double unit(void)
{
    return (double)below(1u << 20) / (1 << 20);
}

static rift_quat any_rotation(void)
{
    return rift_quat_normalize((rift_quat){unit() - 0.5, unit() - 0.5, unit() - 0.5, unit() - 0.5});
}

/* Scales: mostly 1, some uniform, negative, zero, some with shear below them. */
static rift_vec3 any_scale(void)
{
    const double s = 0.5 + unit();
    switch (below(8)) {
    case 0:
        return (rift_vec3){s, s, s};
    case 1:
        return (rift_vec3){-s, -s, -s};
    case 2:
        return (rift_vec3){s, 1, 1};
    case 3:
        return (rift_vec3){1, -1, s};
    default:
        return (rift_vec3){1, 1, 1};
    }
}

static void make_rig(void)
{
    static const char *const names[JOINTS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    joint_row rows[JOINTS];
    for (int j = 0; j < JOINTS; j++) {
        rows[j] = (joint_row){
            .name = names[j],
            .parent = j == 0 ? -1 : (int)below((uint32_t)j + 1) - 1,
            .rest = {{40 * unit(), 40 * unit(), 40 * unit()}, any_rotation(), any_scale()},
            .influence = below(2) == 0,
        };
    }
    snap_begin(&c, rows, JOINTS);
}

/* Turns of up to 40 degrees a key and drifting places, so that halving has a chance. */
static void make_channels(size_t clip, uint32_t joint)
{
    const uint32_t count = 1 + below(6);
    float times[6];
    float places[18];
    float turns[24];
    rift_quat q = any_rotation();
    for (uint32_t k = 0; k < count; k++) {
        times[k] = k == 0 ? 0 : times[k - 1] + 0.05F + (float)(0.2 * unit());
        const double angle = 20 * DEGREE * unit();
        q = rift_quat_normalize(
            rift_quat_mul(q, (rift_quat){sin(angle) * 0.6, 0, sin(angle) * 0.8, cos(angle)}));
        const double v[7] = {20 * unit(), 20 * unit(), 20 * unit(), q.x, q.y, q.z, q.w};
        for (size_t i = 0; i < 3; i++)
            places[3 * k + i] = (float)v[i];
        for (size_t i = 0; i < 4; i++)
            turns[4 * k + i] = (float)v[3 + i];
    }
    if (below(2) == 0)
        snap_channel(&c, clip, joint, RIFT_ROTATION, times, turns, count);
    if (below(3) == 0)
        snap_channel(&c, clip, joint, RIFT_TRANSLATION, times, places, count);
    const float end = times[count - 1];
    c.length[clip] = end > c.length[clip] ? end : c.length[clip];
}

static void make_events(size_t clip)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "nobody", NULL};
    const uint32_t count = below(6);
    for (uint32_t e = 0; e < count; e++) {
        const char *victim = names[below(11)];
        const char *target = names[below(11)];
        const float start = (float)below(20) - 3;
        rift_snap_event *event =
            snap_event(&c, clip, victim, target, start, below(3) == 0 ? -1 : start + (float)below(12) - 1);
        for (int i = 0; i < 3 && below(3) == 0; i++)
            event->offset[i] = (float)(10 * unit());
    }
}

static void whatever_comes(void)
{
    size_t victims = 0;
    size_t restored = 0;
    for (uint32_t rig = 0; rig < RIGS; rig++) {
        seed = rig + 1;
        make_rig();
        for (size_t i = 0; i < 2; i++) {
            const size_t clip = snap_clip(&c, 0);
            for (uint32_t j = 0; j < JOINTS; j++)
                make_channels(clip, j);
            make_events(clip);
        }
        check_row("rig %u", rig);
        snap_run(&c);
        victims += c.result.victim_count;
        restored += rift_report_count(&c.report, "snap_bake_failed");
        snap_check_figures(&c);
        snap_end(&c);
    }
    check_row("%s", "");
    CHECK(victims > RIGS);          /* the test is about something */
    CHECK(restored < victims / 20); /* and not about what was given back */
}

/* Wherever memory ends, the call says so, and the next one is well again. */
static void every_allocation_fails(void)
{
    static const joint_row rows[] = {
        {"Root", -1, {{0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
        {"Hand", 0, {{50, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
        {"Weapon", 1, {{10, 0, 0}, {0, 0, 0, 0}, {0, 0, 0}}, true, false},
        {"Ground", -1, {{30, 0, 20}, {0, 0, 0, 0}, {0, 0, 0}}, false, false},
    };
    static const float times[] = {0, 0.5F};
    static const double quarter[] = {0, 90};
    for (int which = 0; which < 2; which++) {
        bool done = false;
        for (uint64_t n = 1; n < 5000 && !done; n++) {
            check_row("arena %d, allocation %llu", which, (unsigned long long)n);
            snap_begin(&c, rows, 4);
            const size_t clip = snap_clip(&c, 0.5F);
            snap_turn(&c, clip, 1, 2, times, quarter, 2);
            (void)snap_event(&c, clip, "Weapon", "Ground", 3, 12);
            (void)snap_event(&c, clip, "Ground", "Hand", 3, 12);
            rift_arena out;
            rift_arena tmp;
            rift_arena_init(&out, 64 * 1024 * 1024);
            rift_arena_init(&tmp, 64 * 1024 * 1024);
            (which ? &tmp : &out)->fail_at = n;
            c.keys[0] = (rift_clip_keys){
                .channels = c.original[0], .channel_count = c.original_count[0], .length = 0.5F};
            const rift_snap_resolve_input in = {&c.skeleton, c.events[0], 2, 30, 0, 0.5};
            rift_snap_windows windows = {0};
            rift_snap_clip baked = {.keys = &c.keys[0], .tracked = c.original[0], .tracked_count = 1};
            done = rift_snap_resolve(&windows, &in, &out, NULL, &c.err);
            baked.windows = windows.windows;
            baked.window_count = windows.window_count;
            done = done &&
                   rift_snap_bake(&c.result, &baked, 1, &c.skeleton, &c.limits, &out, &tmp, NULL, &c.err);
            CHECK_CODE(&c.err, done ? RIFT_OK : RIFT_ERR_NOMEM);
            rift_arena_release(&out);
            rift_arena_release(&tmp);
            snap_end(&c);
        }
        CHECK(done);
    }
    check_row("%s", "");
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(whatever_comes);
    RUN(every_allocation_fails);
    return check_finish();
}
