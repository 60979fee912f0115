#include <string.h>

#include "formats/anm_internal.h"
#include "hash/hash.h"

/* Track after track: a joint's name, then rotation and translation of every frame. There are no palettes, so constant
 * curves are found by comparing the stored bytes. */

enum { NAME_SIZE = 32, TRACK_HEADER_SIZE = 36, FRAME_SIZE = 28, AT_TRACK_COUNT = 16, AT_FPS = 24 };

static bool all_equal(const float *values, size_t width, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (memcmp(values, values + width * i, width * sizeof(float)) != 0)
            return false;
    }
    return count > 0;
}

static bool read_track(anm_parse *p, size_t track, const anm_frames *frames)
{
    rift_reader *r = &p->r;
    p->anm.tracks[track].hash = rift_elf(rift_rd_fixed_str(r, NAME_SIZE));
    rift_rd_skip(r, 4); /* flags: 0, or 2 for tracks at the root; unknown */
    float *rotations = RIFT_NEW(p->arena, float, 4 * frames->count);
    float *translations = RIFT_NEW(p->arena, float, 3 * frames->count);
    if (!rift_arena_ok(p->arena, "keys", r->err))
        return false;
    for (size_t i = 0; i < frames->count; i++) {
        rift_rd_f32s(r, rotations + 4 * i, 4);
        rift_rd_f32s(r, translations + 3 * i, 3);
    }
    return rift_rd_ok(r) &&
           anm_set_frames_curve(p, frames, track, RIFT_ANM_ROTATION, rotations,
                                all_equal(rotations, 4, frames->count), false) &&
           anm_set_frames_curve(p, frames, track, RIFT_ANM_TRANSLATION, translations,
                                all_equal(translations, 3, frames->count), false);
}

bool anm_parse_v3(anm_parse *p)
{
    rift_reader *r = &p->r;
    rift_rd_skip(r, 4); /* skeleton id */
    const uint32_t track_count = rift_rd_u32(r);
    const uint32_t frame_count = rift_rd_u32(r);
    const uint32_t fps = rift_rd_u32(r);
    const uint64_t track_size = TRACK_HEADER_SIZE + (uint64_t)FRAME_SIZE * frame_count;
    if (!rift_rd_check_count(r, track_count, track_size, RIFT_ANM_MAX_TRACKS, AT_TRACK_COUNT,
                             "track count") ||
        !anm_make_tracks(p, track_count))
        return false;
    anm_frames frames = {0};
    if (!anm_make_frames(p, &frames, frame_count, fps > 0 ? 1.0 / fps : 0, AT_FPS))
        return false;
    for (size_t i = 0; i < track_count; i++) {
        if (!read_track(p, i, &frames))
            return false;
    }
    return true;
}
