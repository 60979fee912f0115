/* Layers, both ways in. Input that begins with '{' is a timeline as JSON; any other is read as commands, byte by byte, so that timelines of every shape are reached. Both are baked on a small rig: keys keep G38,
 * G39 and G44, the pose is finite, a canonical text means itself. */
#include <math.h>
#include <string.h>

#include "fuzz_check.h"
#include "timeline/timeline.h"

enum { JOINTS = 6, CLIPS = 3, KEYS = 5, MAX_COMMANDS = 48, RECORD = 10 };

static const char *const clip_names[CLIPS] = {"Run", "Wave", "Drop"};

typedef struct rig {
    rift_skeleton skeleton;
    rift_layer_clip clips[CLIPS];
    double times[CLIPS][KEYS];
    double values[CLIPS][3 * JOINTS][4 * KEYS];
    rift_layer_curve curves[CLIPS][3 * JOINTS];
} rig;

static void fill_curve(rig *r, int clip, int joint, int component)
{
    const int width = component == RIFT_ROTATION ? 4 : 3;
    double *v = r->values[clip][3 * joint + component];
    if ((clip + joint + component) % 4 == 3)
        return; /* a component without keys */
    for (int k = 0; k < KEYS; k++) {
        const double a = sin(1.0 + 2.1 * k + 0.7 * joint + 3.3 * clip + component);
        const double full[4] = {component == RIFT_ROTATION ? 0.6 * a : 40 * a, 5.0 - k,
                                component == RIFT_SCALE ? (k % 2 ? 0.0 : -1.5) : 3 * a, 1.0};
        for (int i = 0; i < width; i++)
            v[width * k + i] = full[i];
    }
    r->curves[clip][3 * joint + component] =
        (rift_layer_curve){.key_count = KEYS, .times = r->times[clip], .values = v};
}

static bool make_rig(rig *r, fuzz_job *job)
{
    static const char names[JOINTS][8] = {"Root", "Spine", "Arm", "Hand", "Leg", "leg"};
    rift_skl_joint joints[JOINTS];
    uint16_t influences[] = {0, 1, 2, 3, 4};
    for (int j = 0; j < JOINTS; j++) {
        joints[j] = (rift_skl_joint){.name = {names[j], strlen(names[j])},
                                     .parent = (int16_t)(j == 4 ? 0 : j - 1),
                                     .local = {{10, j, -3}, {0, 0.6, 0, 0.8}, {1, 1, 1}}};
    }
    const rift_skl skl = {
        .joints = joints, .joint_count = JOINTS, .influences = influences, .influence_count = 5};
    for (int c = 0; c < CLIPS; c++) {
        for (int k = 0; k < KEYS; k++)
            r->times[c][k] = 0.25 * k * (c + 1);
        for (int i = 0; i < 3 * JOINTS; i++)
            fill_curve(r, c, i / 3, i % 3);
        r->clips[c] = (rift_layer_clip){.name = {clip_names[c], strlen(clip_names[c])},
                                        .id = (uint32_t)c,
                                        .length = c == 2 ? 0 : r->times[c][KEYS - 1],
                                        .curves = r->curves[c]};
    }
    return rift_skeleton_build(&r->skeleton, &skl, NULL, &job->arena, NULL, &job->err);
}

static double number_of(uint8_t byte)
{
    static const double numbers[] = {0, 1, -1, 0.5, 2, -0.25, 1e-7, 1e-4, 33.3, -1e6, 1e9, 0.3};
    return byte < RIFT_COUNT(numbers) ? numbers[byte] : (double)byte / 100 - 0.5;
}

static void read_command(rift_layer_command *c, const uint8_t *b, uint32_t masks)
{
    *c = (rift_layer_command){
        .at = (double)(b[0] | b[1] << 8) / 16384,
        .op = (rift_layer_op)(b[2] % 8),
        .slot = (int32_t)(b[3] % 10) - 1,
        .clip = {clip_names[b[4] % CLIPS], strlen(clip_names[b[4] % CLIPS])},
        .mask = b[5] % (masks + 1) < masks ? b[5] % (masks + 1) : RIFT_LAYER_NONE,
        .loop = b[6] & 1,
        .has_start = b[6] & 2,
        .mode = b[6] & 4 ? RIFT_LAYER_ADDITIVE : RIFT_LAYER_REPLACE,
        .base = b[6] & 8 ? RIFT_LAYER_IDENTITY : RIFT_LAYER_BIND,
        .speed = number_of(b[7]),
        .weight = number_of(b[8]),
        .start = b[6] & 2 ? fabs(number_of(b[9])) : 0,
        .seconds = number_of(b[9]),
    };
}

static bool
read_commands(rift_timeline *out, rift_layer_mask *masks, const uint8_t *data, size_t size, fuzz_job *job)
{
    static const rift_str names[] = {{"Spine", 5}, {"LEG", 3}, {"nobody", 6}};
    static const double weights[] = {0, 0.25, 1.5, -1, 0.5};
    masks[0] =
        (rift_layer_mask){.include = names, .include_count = 3, .exclude = names + 1, .exclude_count = 1};
    masks[1] = (rift_layer_mask){.kind = RIFT_LAYER_MASK_WEIGHTS, .weights = weights, .weight_count = 5};
    masks[2] = (rift_layer_mask){.kind = RIFT_LAYER_MASK_NAMED, .name = {"stored", 6}};
    const size_t count = (size - 2) / RECORD < MAX_COMMANDS ? (size - 2) / RECORD : MAX_COMMANDS;
    *out = (rift_timeline){.name = {"T", 1},
                           .duration = (double)data[0] / 64,
                           .fps = 1 + data[1] % 60,
                           .loop = data[1] & 128,
                           .commands = RIFT_NEW(&job->arena, rift_layer_command, count),
                           .command_count = count,
                           .masks = masks,
                           .mask_count = 3};
    for (size_t i = 0; out->commands != NULL && i < count; i++)
        read_command(&out->commands[i], data + 2 + i * RECORD, 3);
    return rift_arena_ok(&job->arena, "commands", &job->err);
}

static bool read_json(rift_timeline *out, const uint8_t *data, size_t size, fuzz_job *job)
{
    rift_options first = rift_options_default();
    rift_options second = rift_options_default();
    if (!rift_timeline_option(&first, (rift_str){(const char *)data, size}, &job->arena, &job->err))
        return false;
    const bool again = rift_timeline_option(&second, first.layers, &job->arena, &job->err);
    fuzz_require(again || job->arena.failed != RIFT_OK);
    fuzz_require(!again || (first.layers.size == second.layers.size &&
                            memcmp(first.layers.data, second.layers.data, first.layers.size) == 0));
    *out = *first.timeline;
    return again;
}

static void check_channel(const rift_channel *ch, float length)
{
    const size_t width = ch->component == RIFT_ROTATION ? 4 : 3;
    fuzz_require(ch->key_count > 0 && ch->times[0] >= 0 && ch->times[ch->key_count - 1] <= length);
    for (size_t k = 0; k < ch->key_count; k++) {
        const float *v = ch->values + width * k;
        double square = 0;
        double dot = 0;
        fuzz_require(k == 0 || ch->times[k] > ch->times[k - 1]);
        for (size_t i = 0; i < width; i++) {
            fuzz_require(isfinite(v[i]));
            square += (double)v[i] * (double)v[i];
            dot += k > 0 ? (double)v[i] * (double)(v - width)[i] : 0;
        }
        fuzz_require(width == 3 || (fabs(sqrt(square) - 1) <= 1e-6 && dot >= 0));
    }
}

static void check_windows(const rift_layers *layers, fuzz_job *job)
{
    const rift_layer_event events[] = {{0, 3, 0.1, 0.6}, {0, 3, 0.5, 2}, {1, 3, 0, 9}, {2, 1, 0, 0}};
    rift_layer_window *w;
    size_t count;
    const bool ok =
        rift_layers_windows(&w, &count, layers, events, RIFT_COUNT(events), &job->arena, &job->err);
    for (size_t i = 0; ok && i < count; i++) {
        fuzz_require(w[i].from >= 0 && w[i].from <= w[i].to && w[i].to <= layers->timeline->duration);
        fuzz_require(i == 0 || events[w[i].event].victim != events[w[i - 1].event].victim ||
                     w[i].from >= w[i - 1].to);
    }
    if (!ok)
        fuzz_require(job->err.code == RIFT_ERR_LIMIT);
    rift_err_in(&job->err, (rift_str){0});
}

static void bake(const rig *r, const rift_timeline *t, fuzz_job *job, rift_arena *tmp)
{
    rift_layers layers;
    rift_layer_baked baked;
    bool ok = rift_layers_build(&layers, &r->skeleton, r->clips, CLIPS, t, &job->arena, &job->err);
    if (ok && isfinite(t->duration))
        check_windows(&layers, job);
    ok = ok && rift_layers_bake(&baked, &layers, NULL, NULL, &job->arena, tmp, &job->err);
    fuzz_check_result(ok, &job->err, SIZE_MAX);
    for (size_t c = 0; ok && c < baked.keys.channel_count; c++)
        check_channel(&baked.keys.channels[c], baked.keys.length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rig r;
    rift_layer_mask masks[3];
    rift_timeline t;
    fuzz_job job;
    rift_arena tmp;
    enum { TMP_LIMIT = 32 * 1024 * 1024 };
    if (size < 2)
        return 0;
    fuzz_begin(&job);
    rift_arena_init(&tmp, TMP_LIMIT);
    memset(&r, 0, sizeof r);
    bool ok = make_rig(&r, &job);
    ok =
        ok && (data[0] == '{' ? read_json(&t, data, size, &job) : read_commands(&t, masks, data, size, &job));
    fuzz_check_result(ok, &job.err, size);
    if (ok)
        bake(&r, &t, &job, &tmp);
    rift_arena_release(&tmp);
    rift_arena_release(&job.arena);
    return 0;
}
