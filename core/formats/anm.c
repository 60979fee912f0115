#include "formats/anm.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "formats/anm_internal.h"

enum { AT_VERSION = 8 };

static const double default_frame_duration = 1.0 / 30;
static const double unit_slack = 1e-6; /* of the squared length, beyond which a quaternion is normalised */
static const double zero_length = 1e-6;
static const double whole_rate_slack =
    1e-6; /* some steps of float32, within which frames a second are whole */

void anm_read_resource_size(anm_parse *p)
{
    const uint32_t size = rift_rd_u32(&p->r);
    if (rift_rd_ok(&p->r) && size != p->r.in.size - ANM_SECTION_BASE) {
        rift_report_add(p->report, "anm_size_mismatch", "resource size %u, file has %zu", size,
                        p->r.in.size - ANM_SECTION_BASE);
    }
}

bool anm_section(anm_parse *p, int32_t offset, uint64_t at, const char *what, size_t *start)
{
    rift_reader *r = &p->r;
    if (!rift_rd_ok(r))
        return false;
    if (offset <= 0)
        return rift_rd_fail(r, RIFT_ERR_FORMAT, at, "%s offset %d", what, offset);
    *start = (size_t)offset + ANM_SECTION_BASE;
    if (*start > r->in.size) {
        return rift_rd_fail(r, RIFT_ERR_TRUNCATED, at, "%s at %zu, file has %zu bytes", what, *start,
                            r->in.size);
    }
    return true;
}

bool anm_make_tracks(anm_parse *p, size_t count)
{
    p->anm.tracks = RIFT_NEW(p->arena, rift_anm_track, count);
    p->anm.track_count = count;
    return rift_arena_ok(p->arena, "tracks", p->r.err);
}

void anm_unpack_quat(uint64_t bits, float out[4])
{
    const unsigned largest = (unsigned)(bits >> 45) & 3;
    const double step = sqrt(2.0) / 32767;
    const double lowest = -1 / sqrt(2.0);
    double q[4];
    double left = 1;
    int shift = 30;
    for (unsigned i = 0; i < 4; i++) {
        if (i == largest)
            continue;
        q[i] = (double)((bits >> shift) & 0x7FFF) * step + lowest;
        left -= q[i] * q[i];
        shift -= 15;
    }
    q[largest] = left > 0 ? sqrt(left) : 0;
    const double scale = left > 0 ? 1 : 1 / sqrt(1 - left);
    for (unsigned i = 0; i < 4; i++)
        out[i] = (float)(q[i] * scale);
}

size_t anm_width(rift_anm_component component)
{
    return component == RIFT_ANM_ROTATION ? 4 : 3;
}

static bool is_finite_key(const float *v, size_t width)
{
    for (size_t i = 0; i < width; i++) {
        if (!isfinite(v[i]))
            return false;
    }
    return true;
}

/* Scale keys keep their place: a non-finite component becomes 1. */
static void clean_scales(anm_parse *p, size_t track, const anm_keys *keys)
{
    size_t repaired = 0;
    for (size_t i = 0; i < 3 * keys->count; i++) {
        if (!isfinite(keys->values[i])) {
            keys->values[i] = 1;
            repaired++;
        }
    }
    if (repaired > 0)
        rift_report_add(p->report, "anm_key_not_finite", "track %zu: %zu scale components", track, repaired);
}

/* Drops keys with a non-finite component. */
static bool drop_keys(anm_parse *p, size_t track, rift_anm_component component, anm_keys *keys)
{
    const size_t width = anm_width(component);
    size_t kept = 0;
    while (kept < keys->count && is_finite_key(keys->values + width * kept, width))
        kept++;
    if (kept == keys->count)
        return true;
    if (keys->times_shared) {
        float *times = RIFT_NEW(p->arena, float, keys->count);
        if (!rift_arena_ok(p->arena, "keys", p->r.err))
            return false;
        memcpy(times, keys->times, keys->count * sizeof *times);
        keys->times = times;
        keys->times_shared = false;
    }
    for (size_t i = kept; i < keys->count; i++) {
        if (!is_finite_key(keys->values + width * i, width))
            continue;
        memmove(keys->values + width * kept, keys->values + width * i, width * sizeof(float));
        keys->times[kept++] = keys->times[i];
    }
    rift_report_add(p->report, "anm_key_not_finite", "track %zu: %zu %s keys", track, keys->count - kept,
                    component == RIFT_ANM_ROTATION ? "rotation" : "translation");
    keys->count = kept;
    return true;
}

static double dot4(const float *a, const float *b)
{
    return (double)a[0] * (double)b[0] + (double)a[1] * (double)b[1] + (double)a[2] * (double)b[2] +
           (double)a[3] * (double)b[3];
}

static bool make_unit(float *q)
{
    const double square = dot4(q, q);
    if (fabs(square - 1) <= unit_slack)
        return true;
    const double length = sqrt(square);
    if (length < zero_length) {
        q[0] = q[1] = q[2] = 0;
        q[3] = 1;
        return false;
    }
    for (size_t i = 0; i < 4; i++)
        q[i] = (float)((double)q[i] / length);
    return true;
}

/* Each key on the same side as the one before: q and -q turn alike, but not on the way between keys. */
static void align_signs(const anm_keys *keys)
{
    for (size_t i = 1; i < keys->count; i++) {
        float *q = keys->values + 4 * i;
        if (dot4(q - 4, q) >= 0)
            continue;
        for (size_t k = 0; k < 4; k++)
            q[k] = -q[k];
    }
}

static void clean_rotations(anm_parse *p, size_t track, const anm_keys *keys)
{
    size_t zero = 0;
    for (size_t i = 0; i < keys->count; i++) {
        if (!make_unit(keys->values + 4 * i))
            zero++;
    }
    if (zero > 0)
        rift_report_add(p->report, "anm_zero_rotation", "track %zu: %zu keys", track, zero);
}

bool anm_clean_keys(anm_parse *p, size_t track, rift_anm_component component, anm_keys *keys, bool good)
{
    if (component == RIFT_ANM_SCALE) {
        if (!good)
            clean_scales(p, track, keys);
        return true;
    }
    if (!good && !drop_keys(p, track, component, keys))
        return false;
    if (component == RIFT_ANM_ROTATION && !good)
        clean_rotations(p, track, keys);
    if (component == RIFT_ANM_ROTATION)
        align_signs(keys);
    return true;
}

/* A float32 of 1/30 is meant as 1/30: times are then frame / 30 exactly, not 1.5000001 (decisions 1). */
static double intended_duration(double duration)
{
    const double fps = floor(1 / duration + 0.5);
    return fps >= 1 && fps <= 1000 && fabs(duration * fps - 1) <= whole_rate_slack ? 1 / fps : duration;
}

bool anm_make_frames(anm_parse *p, anm_frames *frames, size_t count, double duration, uint64_t at)
{
    const double last = count > 0 ? (double)(count - 1) : 0;
    if (duration == 0) {
        rift_report_add(p->report, "anm_no_frame_duration", "taken as 1/30 s");
        duration = default_frame_duration;
    }
    /* Also refuses what is finite but leaves float32: a length, or frames per second. */
    if (!(duration > 0) || !isfinite((float)((double)count * duration)) || !isfinite((float)(1 / duration)))
        return rift_rd_fail(&p->r, RIFT_ERR_FORMAT, at, "frame duration %g s, %zu frames", duration, count);
    duration = intended_duration(duration);
    p->anm.fps = (float)(1 / duration);
    p->anm.length = (float)(last * duration);
    p->anm.stored_duration = (float)((double)count * duration);
    p->anm.frame_count = (uint32_t)count;
    p->anm.basis = RIFT_ANM_LINEAR;
    frames->count = count;
    if (p->anm.track_count == 0)
        return true;
    frames->times = RIFT_NEW(p->arena, float, count);
    if (!rift_arena_ok(p->arena, "times", p->r.err))
        return false;
    for (size_t i = 0; i < count; i++)
        frames->times[i] = (float)((double)i * duration);
    return true;
}

bool anm_set_frames_curve(anm_parse *p,
                          const anm_frames *frames,
                          size_t track,
                          rift_anm_component component,
                          float *values,
                          bool constant,
                          bool good)
{
    anm_keys keys = {
        .times = frames->times,
        .count = constant ? rift_min_size(1, frames->count) : frames->count,
        .times_shared = true,
    };
    keys.values = values;
    if (!anm_clean_keys(p, track, component, &keys, good))
        return false;
    p->anm.tracks[track].curves[component] = (rift_anm_curve){
        .key_count = keys.count,
        .times = keys.times,
        .values = keys.values,
        .is_constant = constant && keys.count == 1,
    };
    return true;
}

static bool parse_by_version(anm_parse *p, rift_bytes magic)
{
    const uint32_t version = p->anm.version;
    if (memcmp(magic.data, "r3d2canm", 8) == 0) {
        p->anm.compressed = true;
        if (version >= 1 && version <= 3)
            return anm_parse_canm(p);
        return rift_rd_fail(&p->r, RIFT_ERR_UNSUPPORTED, AT_VERSION, "compressed version %u", version);
    }
    if (memcmp(magic.data, "r3d2anmd", 8) == 0) {
        if (version == 3)
            return anm_parse_v3(p);
        if (version == 4 || version == 5)
            return anm_parse_palette(p);
        return rift_rd_fail(&p->r, RIFT_ERR_UNSUPPORTED, AT_VERSION, "uncompressed version %u", version);
    }
    return rift_rd_fail(&p->r, RIFT_ERR_FORMAT, 0, "magic is neither r3d2canm nor r3d2anmd");
}

bool rift_anm_parse(rift_anm *out, rift_bytes in, rift_arena *arena, rift_report *report, rift_err *err)
{
    anm_parse p = {.r = rift_rd_init(in, "anm", err), .arena = arena, .report = report};
    const rift_bytes magic = rift_rd_bytes(&p.r, 8);
    p.anm.version = rift_rd_u32(&p.r);
    if (!rift_rd_ok(&p.r) || !parse_by_version(&p, magic))
        return false;
    if (!rift_rd_ok(&p.r) || !rift_arena_ok(arena, "anm", err))
        return false;
    *out = p.anm;
    return true;
}
