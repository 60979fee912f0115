/* anm_internal.h - shared by the three readers of animations (anm_canm.c, anm_palette.c, anm_v3.c). */
#ifndef RIFT_FORMATS_ANM_INTERNAL_H
#define RIFT_FORMATS_ANM_INTERNAL_H

#include "base/reader.h"
#include "formats/anm.h"

enum { ANM_SECTION_BASE = 12 }; /* what section offsets count from */

typedef struct anm_parse {
    rift_reader r; /* the whole file; behind magic and version at first */
    rift_anm anm;
    rift_arena *arena;
    rift_report *report;
} anm_parse;

bool anm_parse_canm(anm_parse *p);    /* r3d2canm 1-3 */
bool anm_parse_palette(anm_parse *p); /* r3d2anmd 4 and 5 */
bool anm_parse_v3(anm_parse *p);      /* r3d2anmd 3 */

/* The resource size at byte 12 is only compared. Reads it. */
void anm_read_resource_size(anm_parse *p);
/* File position of a section whose offset stood at byte `at`: FORMAT when absent, TRUNCATED when past the end. */
bool anm_section(anm_parse *p, int32_t offset, uint64_t at, const char *what, size_t *start);
bool anm_make_tracks(anm_parse *p, size_t count);

/* The 48-bit packing of a unit quaternion; bit 47 is ignored. Result of unit length. */
void anm_unpack_quat(uint64_t bits, float out[4]);

/* Keys of one curve while they are being cleaned. */
typedef struct anm_keys {
    float *times;
    float *values;
    size_t count;
    bool times_shared; /* then times are copied before they change */
} anm_keys;

size_t anm_width(rift_anm_component component); /* floats per key: 4 for rotations, else 3 */
/* The repairs that anm.h lists for single keys: non-finite, zero length, length, sign. In place; count may fall. `good`
 * when values are known to be finite and rotations of unit length, so that only signs are left to mend. */
bool anm_clean_keys(anm_parse *p, size_t track, rift_anm_component component, anm_keys *keys, bool good);

/* What the uncompressed families have in common. */
typedef struct anm_frames {
    size_t count;
    float *times; /* shared by all curves */
} anm_frames;

/* Sets times, fps, length and stored_duration for `count` frames `duration` seconds apart. A duration of 0 is taken
 * as 1/30 (anm_no_frame_duration). `at` is where it stood. */
bool anm_make_frames(anm_parse *p, anm_frames *frames, size_t count, double duration, uint64_t at);
/* Cleans the values and hangs them into the track; `constant` when one key stands for all frames. */
bool anm_set_frames_curve(anm_parse *p,
                          const anm_frames *frames,
                          size_t track,
                          rift_anm_component component,
                          float *values,
                          bool constant,
                          bool good);

#endif
