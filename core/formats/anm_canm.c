#include <math.h>
#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "formats/anm_internal.h"
#include "hash/hash.h"

/* Key records stand in the order in which a forward player needs them, which is not the order of their times. A curve
 * is what remains when the records of one joint and component are collected in file order, so: read all records and
 * count those of each curve, lay them out curve by curve (a counting sort), then decode curve by curve. All steps are
 * linear in the keys, the repair of unsorted times included (a radix sort of 16-bit times). In between a key is one
 * u64: its time in the low 16 bits, the 48 bits of its value above. */

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
    uint64_t *keys;    /* curve by curve */
    uint32_t *ends;    /* per curve 3 * joint + component: where it ends in `keys` */
    uint64_t *sorted;  /* scratch of the sort */
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
    if (c->joint_count > RIFT_ANM_MAX_TRACKS) {
        return rift_rd_fail(&p->r, RIFT_ERR_LIMIT, AT_JOINT_COUNT, "joint count %u is over %d",
                            c->joint_count, RIFT_ANM_MAX_TRACKS);
    }
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

/* A record is u16 time, u16 joint and component, 48 bits of value. Puts the time aside and checks the rest. */
static bool read_records(anm_parse *p, canm *c, uint16_t *ticks, uint64_t *records)
{
    rift_reader *r = &p->r;
    for (uint32_t i = 0; i < c->key_count; i++) {
        ticks[i] = rift_rd_u16(r);
        const uint64_t at = rift_rd_offset(r);
        records[i] = rift_rd_u64(r);
        const uint32_t joint = records[i] & 0x3FFF;
        const uint32_t component = (records[i] >> 14) & 3;
        if (joint >= c->joint_count || component > RIFT_ANM_SCALE) {
            return rift_rd_fail(r, RIFT_ERR_FORMAT, at, "key %u: joint %u of %u, curve %u", i, joint,
                                c->joint_count, component);
        }
        c->ends[3 * (size_t)joint + component + 1]++;
    }
    return rift_rd_ok(r);
}

/* Fills `keys` and `ends`. */
static bool collect_keys(anm_parse *p, canm *c)
{
    rift_reader *r = &p->r;
    const size_t curve_count = 3 * (size_t)c->joint_count;
    size_t start;
    if (!anm_section(p, c->keys_offset, AT_KEYS, "keys", &start) || !rift_rd_seek(r, start) ||
        !rift_rd_check_count(r, c->key_count, KEY_SIZE, SIZE_MAX, AT_KEY_COUNT, "key count"))
        return false;
    uint16_t *ticks = RIFT_NEW(p->arena, uint16_t, c->key_count);
    uint64_t *records = RIFT_NEW(p->arena, uint64_t, c->key_count);
    c->keys = RIFT_NEW(p->arena, uint64_t, c->key_count);
    c->ends = RIFT_NEW(p->arena, uint32_t, curve_count + 1);
    if (!rift_arena_ok(p->arena, "keys", r->err) || !read_records(p, c, ticks, records))
        return false;
    for (size_t i = 0; i < curve_count; i++)
        c->ends[i + 1] += c->ends[i];
    for (uint32_t i = 0; i < c->key_count; i++) {
        const size_t curve = 3 * (size_t)(records[i] & 0x3FFF) + ((records[i] >> 14) & 3);
        c->keys[c->ends[curve]++] = (records[i] & ~(uint64_t)0xFFFF) | ticks[i];
    }
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
    c->sorted = RIFT_NEW(p->arena, uint64_t, n);
    c->times = RIFT_NEW(p->arena, float, n + 3); /* three more: doubled ends of a short curve */
    rift_map_init(&c->by_times, p->arena, 16);
    return rift_arena_ok(p->arena, "keys", p->r.err);
}

static uint16_t tick_of(uint64_t key)
{
    return key & 0xFFFF;
}

static void radix_pass(uint64_t *out, const uint64_t *in, size_t count, unsigned shift)
{
    uint32_t start[256] = {0};
    for (size_t i = 0; i < count; i++)
        start[(in[i] >> shift) & 0xFF]++;
    uint32_t sum = 0;
    for (size_t i = 0; i < 256; i++) {
        const uint32_t n = start[i];
        start[i] = sum;
        sum += n;
    }
    for (size_t i = 0; i < count; i++)
        out[start[(in[i] >> shift) & 0xFF]++] = in[i];
}

/* Sorts a curve by time, stably, when a time falls somewhere. */
static void sort_keys(anm_parse *p, canm *c, size_t curve, uint64_t *keys, size_t count)
{
    size_t i = 1;
    while (i < count && tick_of(keys[i - 1]) <= tick_of(keys[i]))
        i++;
    if (i >= count)
        return;
    rift_report_add(p->report, "anm_unsorted", "track %zu, component %zu", curve / 3, curve % 3);
    radix_pass(c->sorted, keys, count, 0);
    radix_pass(keys, c->sorted, count, 8);
}

/* Values between finite bounds are finite. */
static bool has_range(const canm *c, rift_anm_component component)
{
    bool finite = true;
    for (size_t k = 0; k < 3; k++)
        finite &= isfinite(c->low[component][k]) && isfinite(c->high[component][k]);
    return finite;
}

static void
decode_values(const canm *c, rift_anm_component component, const uint64_t *keys, size_t count, float *out)
{
    const float *low = c->low[component];
    double step[3];
    for (size_t k = 0; k < 3; k++)
        step[k] = ((double)c->high[component][k] - (double)low[k]) / 65535;
    for (size_t i = 0; i < count; i++) {
        if (component == RIFT_ANM_ROTATION) {
            anm_unpack_quat(keys[i] >> 16, out + 4 * i);
            continue;
        }
        for (size_t k = 0; k < 3; k++) {
            out[3 * i + k] =
                (float)((double)low[k] + step[k] * (double)((keys[i] >> (16 * (k + 1))) & 0xFFFF));
        }
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
    uint64_t *stored = c->keys + first;
    anm_keys keys = {.times = c->times, .count = count};
    keys.values = RIFT_NEW(p->arena, float, width *(count + (count <= SHORT_CURVE ? 3 : 0)));
    if (!rift_arena_ok(p->arena, "keys", p->r.err))
        return false;
    sort_keys(p, c, curve, stored, count);
    for (size_t i = 0; i < count; i++)
        keys.times[i] = (float)((double)tick_of(stored[i]) / 65535 * (double)c->duration);
    decode_values(c, component, stored, count, keys.values);
    if (!anm_clean_keys(p, track, component, &keys,
                        component == RIFT_ANM_ROTATION || has_range(c, component)))
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
    if (!check_header(p, &c) || !read_hashes(p, &c))
        return false;
    check_caches(p, &c);
    p->anm.basis = p->anm.flags & FLAG_PARAMETRISED ? RIFT_ANM_SPLINE_PARAMETRISED : RIFT_ANM_SPLINE_UNIFORM;
    p->anm.fps = isfinite(c.fps) && c.fps > 0 ? c.fps : 30;
    p->anm.length = c.duration;
    p->anm.stored_duration = c.duration;
    p->anm.frame_count = c.key_count;
    if (!collect_keys(p, &c) || !make_scratch(p, &c))
        return false;
    for (size_t curve = 0; curve < 3 * (size_t)c.joint_count; curve++) {
        if (!decode_curve(p, &c, curve))
            return false;
    }
    return true;
}
