#include <math.h>
#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "formats/anm_internal.h"
#include "hash/hash.h"

/* Key records stand in the order in which a forward player needs them, which is not the order of their times. A curve
 * is what remains when the records of one joint and component are collected in file order, so: count the records of
 * each curve, lay their numbers out curve by curve (a counting sort), then decode curve by curve. All steps are linear
 * in the keys, the repair of unsorted times included (a radix sort of 16-bit times). */

enum {
    TOKEN = 0x6D6E6163,
    KEY_SIZE = 10,
    AT_JOINT_COUNT = 24,
    AT_KEY_COUNT = 28,
    AT_DURATION = 36,
    AT_KEYS = 116,
    AT_HASHES = 124,
    FLAG_PARAMETRISED = 4,
    KNOWN_FLAGS = 7,
    SHORT_CURVE = 4,     /* below this a curve has no full window */
    WIDE_CACHE = 0x10001 /* keys from which on jump caches hold 32-bit numbers */
};

typedef struct canm {
    uint32_t joint_count, key_count, cache_count;
    float duration, fps;
    float low[3][3], high[3][3]; /* by component; none for rotations */
    int32_t keys_offset, caches_offset, hashes_offset;
    rift_reader keys; /* the key records alone */
    uint32_t *ends;   /* per curve 3 * joint + component: where its records end in `order` */
    uint32_t *order;  /* record numbers, curve by curve */
    uint16_t *ticks;  /* times of the curve at hand */
    uint32_t *sorted; /* scratch of the sort */
    uint16_t *sorted_ticks;
    float *times;      /* of the curve at hand */
    rift_map by_times; /* hash of a time array -> curve that has it */
} canm;

static void read_header(anm_parse *p, canm *c)
{
    rift_reader *r = &p->r;
    anm_read_resource_size(p);
    const uint32_t token = rift_rd_u32(r);
    p->anm.flags = rift_rd_u32(r);
    c->joint_count = rift_rd_u32(r);
    c->key_count = rift_rd_u32(r);
    c->cache_count = rift_rd_u32(r);
    c->duration = rift_rd_f32(r);
    c->fps = rift_rd_f32(r);
    rift_rd_skip(r, 24); /* error margins of the writer */
    rift_rd_f32s(r, c->low[RIFT_ANM_TRANSLATION], 3);
    rift_rd_f32s(r, c->high[RIFT_ANM_TRANSLATION], 3);
    rift_rd_f32s(r, c->low[RIFT_ANM_SCALE], 3);
    rift_rd_f32s(r, c->high[RIFT_ANM_SCALE], 3);
    c->keys_offset = rift_rd_i32(r);
    c->caches_offset = rift_rd_i32(r);
    c->hashes_offset = rift_rd_i32(r);
    if (!rift_rd_ok(r))
        return;
    if (token != TOKEN)
        rift_report_add(p->report, "anm_unknown_token", "token 0x%08x", token);
    if (p->anm.flags & ~(uint32_t)KNOWN_FLAGS)
        rift_report_add(p->report, "anm_unknown_flags", "flags 0x%x", p->anm.flags);
}

static bool check_header(anm_parse *p, const canm *c)
{
    if (!rift_rd_ok(&p->r))
        return false;
    if (c->joint_count > RIFT_ANM_MAX_TRACKS)
        return rift_rd_fail(&p->r, RIFT_ERR_LIMIT, AT_JOINT_COUNT, "joint count %u is over %d",
                            c->joint_count, RIFT_ANM_MAX_TRACKS);
    if (!isfinite(c->duration) || c->duration < 0)
        return rift_rd_fail(&p->r, RIFT_ERR_FORMAT, AT_DURATION, "duration %g", (double)c->duration);
    return true;
}

/* Jump caches serve seeking and are not read; a wrong size says that the writer was odd. */
static void check_caches(anm_parse *p, const canm *c)
{
    const uint64_t wide = c->key_count < WIDE_CACHE ? 24 : 48;
    const uint64_t want = (uint64_t)c->cache_count * c->joint_count * wide;
    const int64_t have = (int64_t)c->hashes_offset - c->caches_offset;
    if (c->caches_offset > 0 && have >= 0 && (uint64_t)have == want)
        return;
    /* Behind the hashes, or before the keys: then the file's end is all that can be compared. */
    const uint64_t start = c->caches_offset > 0 ? (uint64_t)c->caches_offset + ANM_SECTION_BASE : 0;
    const bool absent = c->caches_offset <= 0 && want == 0;
    if (absent || (start > 0 && have < 0 && start <= p->r.in.size && want <= p->r.in.size - start))
        return;
    rift_report_add(p->report, "anm_size_mismatch", "%u jump caches of %llu bytes at %d", c->cache_count,
                    (unsigned long long)want, c->caches_offset);
}

static bool read_hashes(anm_parse *p, const canm *c)
{
    rift_reader *r = &p->r;
    size_t start;
    if (!anm_section(p, c->hashes_offset, AT_HASHES, "joint hashes", &start) || !rift_rd_seek(r, start) ||
        !rift_rd_check_count(r, c->joint_count, sizeof(uint32_t), RIFT_ANM_MAX_TRACKS, AT_JOINT_COUNT,
                             "joint count") ||
        !anm_make_tracks(p, c->joint_count))
        return false;
    for (size_t i = 0; i < c->joint_count; i++)
        p->anm.tracks[i].hash = rift_rd_u32(r);
    return rift_rd_ok(r);
}

static bool open_keys(anm_parse *p, canm *c)
{
    rift_reader *r = &p->r;
    size_t start;
    if (!anm_section(p, c->keys_offset, AT_KEYS, "keys", &start) || !rift_rd_seek(r, start) ||
        !rift_rd_check_count(r, c->key_count, KEY_SIZE, SIZE_MAX, AT_KEY_COUNT, "key count"))
        return false;
    c->keys = rift_rd_sub(r, (size_t)c->key_count * KEY_SIZE, "key");
    return rift_rd_ok(r);
}

/* The curve of the next record, or SIZE_MAX with the error set. Leaves the reader behind the record. */
static size_t next_curve(canm *c)
{
    rift_rd_skip(&c->keys, 2);
    const uint64_t at = rift_rd_offset(&c->keys);
    const uint32_t tag = rift_rd_u16(&c->keys);
    rift_rd_skip(&c->keys, 6);
    const uint32_t joint = tag & 0x3FFF;
    const uint32_t component = tag >> 14;
    if (joint < c->joint_count && component < 3)
        return 3 * (size_t)joint + component;
    (void)rift_rd_fail(&c->keys, RIFT_ERR_FORMAT, at, "joint %u of %u, curve %u", joint, c->joint_count,
                       component);
    return SIZE_MAX;
}

/* Fills `order` and `ends`. */
static bool collect_records(anm_parse *p, canm *c)
{
    const size_t curve_count = 3 * (size_t)c->joint_count;
    c->ends = RIFT_NEW(p->arena, uint32_t, curve_count + 1);
    c->order = RIFT_NEW(p->arena, uint32_t, c->key_count);
    if (!rift_arena_ok(p->arena, "keys", p->r.err))
        return false;
    for (uint32_t i = 0; i < c->key_count; i++) {
        const size_t curve = next_curve(c);
        if (curve == SIZE_MAX)
            return false;
        c->ends[curve + 1]++;
    }
    for (size_t i = 0; i < curve_count; i++)
        c->ends[i + 1] += c->ends[i];
    if (!rift_rd_seek(&c->keys, 0))
        return false;
    for (uint32_t i = 0; i < c->key_count; i++)
        c->order[c->ends[next_curve(c)]++] = i;
    return true;
}

static size_t longest_curve(const canm *c)
{
    size_t longest = 0;
    for (size_t i = 0; i < 3 * (size_t)c->joint_count; i++)
        longest = rift_max_size(longest, c->ends[i] - (i > 0 ? c->ends[i - 1] : 0));
    return longest;
}

static bool make_scratch(anm_parse *p, canm *c)
{
    const size_t n = longest_curve(c);
    c->ticks = RIFT_NEW(p->arena, uint16_t, n);
    c->sorted = RIFT_NEW(p->arena, uint32_t, n);
    c->sorted_ticks = RIFT_NEW(p->arena, uint16_t, n);
    c->times = RIFT_NEW(p->arena, float, n + 3); /* three more: doubled ends of a short curve */
    rift_map_init(&c->by_times, p->arena, 16);
    return rift_arena_ok(p->arena, "keys", p->r.err);
}

static void radix_pass(uint16_t *ticks_out,
                       uint32_t *out,
                       const uint16_t *ticks,
                       const uint32_t *in,
                       size_t count,
                       unsigned shift)
{
    uint32_t start[256] = {0};
    for (size_t i = 0; i < count; i++)
        start[(ticks[i] >> shift) & 0xff]++;
    uint32_t sum = 0;
    for (size_t i = 0; i < 256; i++) {
        const uint32_t n = start[i];
        start[i] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = start[(ticks[i] >> shift) & 0xff]++;
        ticks_out[at] = ticks[i];
        out[at] = in[i];
    }
}

/* Reads the curve's times and sorts its records by them, stably, when they fall somewhere. */
static void load_ticks(anm_parse *p, canm *c, size_t curve, uint32_t *records, size_t count)
{
    bool falls = false;
    for (size_t i = 0; i < count; i++) {
        (void)rift_rd_seek(&c->keys, (uint64_t)KEY_SIZE * records[i]);
        c->ticks[i] = rift_rd_u16(&c->keys);
        falls |= i > 0 && c->ticks[i] < c->ticks[i - 1];
    }
    if (!falls)
        return;
    rift_report_add(p->report, "anm_unsorted", "track %zu, component %zu", curve / 3, curve % 3);
    radix_pass(c->sorted_ticks, c->sorted, c->ticks, records, count, 0);
    radix_pass(c->ticks, records, c->sorted_ticks, c->sorted, count, 8);
}

static void
decode_values(canm *c, rift_anm_component component, const uint32_t *records, size_t count, float *out)
{
    const float *low = c->low[component];
    const float *high = c->high[component];
    for (size_t i = 0; i < count; i++) {
        (void)rift_rd_seek(&c->keys, (uint64_t)KEY_SIZE * records[i] + 4);
        uint64_t v[3];
        for (size_t k = 0; k < 3; k++)
            v[k] = rift_rd_u16(&c->keys);
        if (component == RIFT_ANM_ROTATION) {
            anm_unpack_quat(v[0] | v[1] << 16 | v[2] << 32, out + 4 * i);
            continue;
        }
        for (size_t k = 0; k < 3; k++)
            out[3 * i + k] =
                (float)((double)low[k] + ((double)high[k] - (double)low[k]) * (double)v[k] / 65535);
    }
}

/* A curve of 1 to 3 keys gets its ends doubled, as the format has them: a; a b; a b c become a a a a; a a b b;
 * a a b c c. The caller leaves room. */
static void double_ends(anm_keys *keys, size_t width)
{
    const size_t n = keys->count;
    const size_t head = n == 1 ? 2 : 1;
    const size_t key_bytes = width * sizeof(float);
    memmove(keys->values + width * head, keys->values, n * key_bytes);
    memmove(keys->times + head, keys->times, n * sizeof(float));
    keys->count = n + head + 1;
    for (size_t i = head; i-- > 0;) {
        memcpy(keys->values + width * i, keys->values + width * head, key_bytes);
        keys->times[i] = keys->times[head];
    }
    memcpy(keys->values + width * (n + head), keys->values + width * (n + head - 1), key_bytes);
    keys->times[n + head] = keys->times[n + head - 1];
}

/* The array of an earlier curve with the same times, else a copy. */
static const float *share_times(anm_parse *p, canm *c, size_t curve, const anm_keys *keys)
{
    const size_t size = keys->count * sizeof(float);
    const uint64_t key = rift_xxh64((rift_bytes){(const uint8_t *)keys->times, size});
    const uint32_t other = rift_map_add(&c->by_times, key, (uint32_t)curve);
    if (other != RIFT_MAP_NONE && other != curve) {
        const rift_anm_curve *have = &p->anm.tracks[other / 3].curves[other % 3];
        if (have->key_count == keys->count && memcmp(have->times, keys->times, size) == 0)
            return have->times;
    }
    float *times = RIFT_NEW(p->arena, float, keys->count);
    if (times != NULL)
        memcpy(times, keys->times, size);
    return times;
}

static bool decode_curve(anm_parse *p, canm *c, size_t curve)
{
    const size_t track = curve / 3;
    const rift_anm_component component = (rift_anm_component)(curve % 3);
    const size_t width = anm_width(component);
    const size_t first = curve > 0 ? c->ends[curve - 1] : 0;
    const size_t count = c->ends[curve] - first;
    uint32_t *records = c->order + first;
    anm_keys keys = {.times = c->times, .count = count};
    keys.values = RIFT_NEW(p->arena, float, width *(count + (count <= SHORT_CURVE ? 3 : 0)));
    if (!rift_arena_ok(p->arena, "keys", p->r.err))
        return false;
    load_ticks(p, c, curve, records, count);
    for (size_t i = 0; i < count; i++)
        keys.times[i] = (float)((double)c->ticks[i] / 65535 * (double)c->duration);
    decode_values(c, component, records, count, keys.values);
    if (!anm_clean_keys(p, track, component, &keys))
        return false;
    if (keys.count == 0)
        return true;
    if (keys.count < SHORT_CURVE) {
        rift_report_add(p->report, "anm_short_curve", "track %zu, component %d: %zu keys", track, component,
                        keys.count);
        double_ends(&keys, width);
    }
    const float *times = share_times(p, c, curve, &keys);
    p->anm.tracks[track].curves[component] =
        (rift_anm_curve){.key_count = keys.count, .times = times, .values = keys.values};
    return rift_arena_ok(p->arena, "keys", p->r.err);
}

bool anm_parse_canm(anm_parse *p)
{
    canm c = {0};
    read_header(p, &c);
    if (!check_header(p, &c) || !read_hashes(p, &c) || !open_keys(p, &c))
        return false;
    check_caches(p, &c);
    p->anm.basis = p->anm.flags & FLAG_PARAMETRISED ? RIFT_ANM_SPLINE_PARAMETRISED : RIFT_ANM_SPLINE_UNIFORM;
    p->anm.fps = isfinite(c.fps) && c.fps > 0 ? c.fps : 30;
    p->anm.length = c.duration;
    p->anm.stored_duration = c.duration;
    p->anm.frame_count = c.key_count;
    if (!collect_records(p, &c) || !make_scratch(p, &c))
        return false;
    for (size_t curve = 0; curve < 3 * (size_t)c.joint_count; curve++)
        if (!decode_curve(p, &c, curve))
            return false;
    return rift_rd_ok(&c.keys);
}
