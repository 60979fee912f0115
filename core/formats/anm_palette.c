#include <math.h>
#include <string.h>

#include "base/num.h"
#include "formats/anm_internal.h"

/* Versions 4 and 5: palettes of vectors and quaternions, and one record of three palette indices per frame and track,
 * frame after frame. The records are read once, straight through, into an index table; curves are then gathered track
 * by track, and a curve whose index never changes is one key. Gathering beats scattering three times over. */

enum { HASHES, ASSET_NAME, TIME, VECTORS, QUATS, FRAMES, SECTION_COUNT };
enum {
    AT_TRACK_COUNT = 28,
    AT_FRAME_COUNT = 32,
    AT_FRAME_DURATION = 36,
    AT_SECTIONS = 40,
    VECTOR_SIZE = 12,
    QUAT_SIZE = 6,    /* version 5: 48 bits */
    QUAT_SIZE_4 = 16, /* version 4: floats */
    RECORD_SIZE = 6,
    RECORD_SIZE_4 = 12,
    MAX_PALETTE = 65536 /* what an index reaches */
};

typedef struct palettes {
    uint32_t track_count, frame_count;
    float frame_duration;
    int32_t offsets[SECTION_COUNT]; /* as stored; 0 or less: absent */
    float *vectors, *quats;
    size_t vector_count, quat_count;
    bool vectors_good, quats_good; /* as anm_set_frames_curve takes it */
    uint16_t *records;             /* translation, scale, rotation index; frame after frame */
} palettes;

static void read_header(anm_parse *p, palettes *h)
{
    rift_reader *r = &p->r;
    anm_read_resource_size(p);
    rift_rd_skip(r, 8); /* token and a version of its own: informative */
    p->anm.flags = rift_rd_u32(r);
    h->track_count = rift_rd_u32(r);
    h->frame_count = rift_rd_u32(r);
    h->frame_duration = rift_rd_f32(r);
    for (int i = 0; i < SECTION_COUNT; i++)
        h->offsets[i] = rift_rd_i32(r);
    rift_rd_skip(r, 12);
    if (!rift_rd_ok(r))
        return;
    if (p->anm.flags != 0)
        rift_report_add(p->report, "anm_unknown_flags", "flags 0x%x", p->anm.flags);
    if (h->offsets[TIME] > 0)
        rift_report_add(p->report, "anm_time_section", "at %d, not read", h->offsets[TIME]);
}

/* Moves to a section, and tells how many bytes lie before the next one: sections come in any order. */
static bool open_section(anm_parse *p, const palettes *h, int section, const char *what, size_t *size)
{
    size_t start;
    if (!anm_section(p, h->offsets[section], AT_SECTIONS + 4 * (uint64_t)section, what, &start))
        return false;
    size_t end = p->r.in.size;
    for (int i = 0; i < SECTION_COUNT; i++) {
        const size_t other = h->offsets[i] > 0 ? (size_t)h->offsets[i] + ANM_SECTION_BASE : 0;
        if (other > start && other < end)
            end = other;
    }
    *size = end - start;
    return rift_rd_seek(&p->r, start);
}

static bool read_vectors(anm_parse *p, palettes *h)
{
    size_t size;
    if (!open_section(p, h, VECTORS, "vectors", &size))
        return false;
    h->vector_count = rift_min_size(size / VECTOR_SIZE, MAX_PALETTE);
    h->vectors = RIFT_NEW(p->arena, float, 3 * h->vector_count);
    if (!rift_arena_ok(p->arena, "vectors", p->r.err))
        return false;
    rift_rd_f32s(&p->r, h->vectors, 3 * h->vector_count);
    h->vectors_good = true;
    for (size_t i = 0; i < 3 * h->vector_count; i++)
        h->vectors_good &= isfinite(h->vectors[i]) != 0;
    return rift_rd_ok(&p->r);
}

static bool read_quats(anm_parse *p, palettes *h)
{
    rift_reader *r = &p->r;
    const bool packed = p->anm.version == 5;
    size_t size;
    if (!open_section(p, h, QUATS, "quaternions", &size))
        return false;
    h->quat_count = rift_min_size(size / (packed ? QUAT_SIZE : QUAT_SIZE_4), MAX_PALETTE);
    h->quats = RIFT_NEW(p->arena, float, 4 * h->quat_count);
    if (!rift_arena_ok(p->arena, "quaternions", r->err))
        return false;
    if (!packed)
        rift_rd_f32s(r, h->quats, 4 * h->quat_count);
    for (size_t i = 0; packed && i < h->quat_count; i++) {
        const uint64_t low = rift_rd_u32(r);
        const uint64_t high = rift_rd_u16(r);
        anm_unpack_quat(low | high << 32, h->quats + 4 * i);
    }
    h->quats_good = packed; /* unpacked ones have unit length */
    return rift_rd_ok(r);
}

static bool read_hashes(anm_parse *p, const palettes *h)
{
    rift_reader *r = &p->r;
    size_t size;
    if (!open_section(p, h, HASHES, "joint hashes", &size) ||
        !rift_rd_check_count(r, h->track_count, sizeof(uint32_t), RIFT_ANM_MAX_TRACKS, AT_TRACK_COUNT,
                             "track count"))
        return false;
    for (size_t i = 0; i < h->track_count; i++)
        p->anm.tracks[i].hash = rift_rd_u32(r);
    return rift_rd_ok(r);
}

/* Version 4 names the joint in every record; the order of the first frame holds in all others. */
static bool read_record_hash(anm_parse *p, size_t frame, size_t track)
{
    const uint64_t at = rift_rd_offset(&p->r);
    const uint32_t hash = rift_rd_u32(&p->r);
    if (frame == 0)
        p->anm.tracks[track].hash = hash;
    if (hash == p->anm.tracks[track].hash)
        return true;
    return rift_rd_fail(&p->r, RIFT_ERR_FORMAT, at, "frame %zu, track %zu: joint 0x%08x, frame 0 has 0x%08x",
                        frame, track, hash, p->anm.tracks[track].hash);
}

static bool refuse_index(anm_parse *p, const palettes *h, const uint16_t *index)
{
    static const char *const names[] = {"translation", "scale", "rotation"};
    const uint64_t end = rift_rd_offset(&p->r);
    for (size_t i = 0; i < 3; i++) {
        const size_t count = i < 2 ? h->vector_count : h->quat_count;
        if (index[i] >= count) {
            return rift_rd_fail(&p->r, RIFT_ERR_FORMAT, end - 6 + 2 * i, "%s index %u of %zu", names[i],
                                index[i], count);
        }
    }
    return true;
}

/* The three indices of one record. */
static bool read_indices(anm_parse *p, const palettes *h, uint16_t *index)
{
    const uint32_t vectors = rift_rd_u32(&p->r);
    index[0] = (uint16_t)(vectors & 0xFFFF);
    index[1] = (uint16_t)(vectors >> 16);
    index[2] = rift_rd_u16(&p->r);
    if (index[0] < h->vector_count && index[1] < h->vector_count && index[2] < h->quat_count)
        return true;
    return refuse_index(p, h, index);
}

static bool read_records(anm_parse *p, palettes *h)
{
    rift_reader *r = &p->r;
    const bool named = p->anm.version == 4;
    const uint64_t count = (uint64_t)h->track_count * h->frame_count;
    size_t size;
    if (!open_section(p, h, FRAMES, "frames", &size) ||
        !rift_rd_check_count(r, count, named ? RECORD_SIZE_4 : RECORD_SIZE, SIZE_MAX, AT_FRAME_COUNT,
                             "frame records"))
        return false;
    uint16_t *out = RIFT_NEW(p->arena, uint16_t, 3 * (size_t)count);
    if (!rift_arena_ok(p->arena, "frames", r->err))
        return false;
    h->records = out;
    for (size_t frame = 0; h->track_count > 0 && frame < h->frame_count; frame++) {
        for (size_t track = 0; track < h->track_count; track++, out += 3) {
            if (named && !read_record_hash(p, frame, track))
                return false;
            if (!read_indices(p, h, out))
                return false;
            if (named)
                rift_rd_skip(r, 2); /* padding, may be garbage */
        }
    }
    return rift_rd_ok(r);
}

static bool is_constant(const uint16_t *index, size_t stride, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (index[stride * i] != index[0])
            return false;
    }
    return count > 0;
}

static bool gather(anm_parse *p, const palettes *h, const anm_frames *frames, size_t track, int column)
{
    static const rift_anm_component components[] = {RIFT_ANM_TRANSLATION, RIFT_ANM_SCALE, RIFT_ANM_ROTATION};
    const rift_anm_component component = components[column];
    const size_t width = anm_width(component);
    const float *palette = component == RIFT_ANM_ROTATION ? h->quats : h->vectors;
    const uint16_t *index = h->records + 3 * track + (size_t)column;
    const size_t stride = 3 * (size_t)h->track_count;
    const bool constant = is_constant(index, stride, frames->count);
    const size_t count = constant ? 1 : frames->count;
    float *values = RIFT_NEW(p->arena, float, width *count);
    if (!rift_arena_ok(p->arena, "keys", p->r.err))
        return false;
    const bool good = component == RIFT_ANM_ROTATION ? h->quats_good : h->vectors_good;
    if (width == 4) {
        for (size_t i = 0; i < count; i++)
            memcpy(values + 4 * i, palette + 4 * (size_t)index[stride * i], 4 * sizeof(float));
    } else {
        for (size_t i = 0; i < count; i++)
            memcpy(values + 3 * i, palette + 3 * (size_t)index[stride * i], 3 * sizeof(float));
    }
    return anm_set_frames_curve(p, frames, track, component, values, constant, good);
}

bool anm_parse_palette(anm_parse *p)
{
    palettes h = {0};
    read_header(p, &h);
    if (!rift_rd_ok(&p->r))
        return false;
    if (h.track_count > RIFT_ANM_MAX_TRACKS) {
        return rift_rd_fail(&p->r, RIFT_ERR_LIMIT, AT_TRACK_COUNT, "track count %u is over %d", h.track_count,
                            RIFT_ANM_MAX_TRACKS);
    }
    if (!isfinite(h.frame_duration) || h.frame_duration < 0) {
        return rift_rd_fail(&p->r, RIFT_ERR_FORMAT, AT_FRAME_DURATION, "frame duration %g",
                            (double)h.frame_duration);
    }
    if (!read_vectors(p, &h) || !read_quats(p, &h) || !anm_make_tracks(p, h.track_count))
        return false;
    if (p->anm.version == 5 && !read_hashes(p, &h))
        return false;
    if (!read_records(p, &h))
        return false;
    anm_frames frames = {0};
    if (!anm_make_frames(p, &frames, h.frame_count, (double)h.frame_duration, AT_FRAME_DURATION))
        return false;
    for (size_t track = 0; track < h.track_count; track++) {
        for (int column = 0; column < 3; column++) {
            if (!gather(p, &h, &frames, track, column))
                return false;
        }
    }
    return true;
}
