/* layering.md section 9, 1-6, and the rules of section 4: what the bake writes, drawn by glTF's rules, against the vectors and against the pose at an instant. */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "anim/layer_internal.h"
#include "base/str.h"
#include "support/check.h"
#include "timeline/timeline.h"
#include "timeline/vectors_internal.h"

#define PI 3.14159265358979323846
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* L33, L35. */
static const double limit_t = 0.02;
static const double limit_r = 0.05 * PI / 180;
static const double limit_s = 1e-4;

static rift_arena arena, tmp;
static vectors file;
static cJSON *root;

static const cJSON *get(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void load(void)
{
    char path[512];
    rift_err err = check_err();
    const char *dir = getenv("RIFT_SOURCE_DIR");
    (void)snprintf(path, sizeof path, "%s/tests/golden/layering-vectors.json", dir != NULL ? dir : ".");
    const rift_bytes text = check_read_file(path);
    root = cJSON_ParseWithLength((const char *)text.data, text.size);
    CHECK_FATAL(root != NULL);
    CHECK_OK(vectors_read(&file, root, &arena, &err), &err);
}

/* --- drawing, as the glTF specification says --------------------------------------------------------------------------- */

/* False in a gap: between two keys that are a jump's pair. */
static bool draw(double out[4], const rift_channel *ch, double t)
{
    const unsigned width = ch->component == RIFT_ROTATION ? 4 : 3;
    uint32_t k = 0;
    while (k + 1 < ch->key_count && (double)ch->times[k + 1] <= t)
        k++;
    const float *a = ch->values + width * (size_t)k;
    for (unsigned i = 0; i < width; i++)
        out[i] = (double)a[i];
    if (k + 1 == ch->key_count || t <= (double)ch->times[k])
        return true;
    const double length = (double)ch->times[k + 1] - (double)ch->times[k];
    const double u = (t - (double)ch->times[k]) / length;
    const float *b = a + width;
    double wa = 1 - u, wb = u;
    if (width == 4) {
        double dot = 0;
        for (int i = 0; i < 4; i++)
            dot += (double)a[i] * (double)b[i];
        const double sign = dot < 0 ? -1 : 1;
        const double angle = acos(dot * sign > 1 ? 1 : dot * sign);
        if (angle > 1e-6) {
            wa = sin((1 - u) * angle) / sin(angle);
            wb = sin(u * angle) / sin(angle);
        }
        wb *= sign;
    }
    for (unsigned i = 0; i < width; i++)
        out[i] = wa * (double)a[i] + wb * (double)b[i];
    return length > 1.01e-4;
}

static const rift_channel *channel_of(const rift_clip_keys *keys, uint32_t joint, rift_component component)
{
    for (size_t c = 0; c < keys->channel_count; c++) {
        if (keys->channels[c].joint == joint && keys->channels[c].component == component)
            return &keys->channels[c];
    }
    return NULL;
}

static double turn_between(const double a[4], const double b[4])
{
    double dot = 0, na = 0, nb = 0;
    for (int i = 0; i < 4; i++) {
        dot += a[i] * b[i];
        na += a[i] * a[i];
        nb += b[i] * b[i];
    }
    const double cosine = fabs(dot) / sqrt(na * nb);
    return 2 * acos(cosine > 1 ? 1 : cosine);
}

/* In multiples of the limit. */
static double miss(const double got[4], const double want[4], rift_component component)
{
    if (component == RIFT_ROTATION)
        return turn_between(got, want) / limit_r;
    double sum = 0, most = 0;
    for (int i = 0; i < 3; i++) {
        sum += (got[i] - want[i]) * (got[i] - want[i]);
        most = fmax(most, fabs(got[i] - want[i]));
    }
    return component == RIFT_TRANSLATION ? sqrt(sum) / limit_t : most / limit_s;
}

static void component_of(double out[4], const rift_trs *trs, rift_component component)
{
    const double t[4] = {trs->t.x, trs->t.y, trs->t.z, 0};
    const double r[4] = {trs->r.x, trs->r.y, trs->r.z, trs->r.w};
    const double s[4] = {trs->s.x, trs->s.y, trs->s.z, 0};
    memcpy(out, component == RIFT_TRANSLATION ? t : component == RIFT_ROTATION ? r : s, sizeof t);
}

static void check_channels(const rift_clip_keys *keys)
{
    for (size_t c = 0; c < keys->channel_count; c++) {
        const rift_channel *ch = &keys->channels[c];
        const unsigned width = ch->component == RIFT_ROTATION ? 4 : 3;
        bool rises = ch->times[0] == 0, finite = true, unit = true, aligned = true;
        for (uint32_t k = 0; k < ch->key_count; k++) {
            const float *v = ch->values + width * (size_t)k;
            double square = 0, dot = 0;
            for (unsigned i = 0; i < width; i++) {
                finite = finite && isfinite(v[i]);
                square += (double)v[i] * (double)v[i];
                dot += k > 0 ? (double)v[i] * (double)(v - width)[i] : 1;
            }
            rises = rises && (k == 0 || ch->times[k] > ch->times[k - 1]);
            unit = unit && (width == 3 || fabs(sqrt(square) - 1) < 1e-6);
            aligned = aligned && (width == 3 || dot >= 0);
        }
        CHECK(rises && finite && unit && aligned && ch->interpolation == RIFT_LINEAR);
        CHECK(ch->key_count == 1 || ch->times[ch->key_count - 1] == keys->length);
        CHECK(c == 0 || ch->joint > ch[-1].joint ||
              (ch->joint == ch[-1].joint && ch->component > ch[-1].component));
    }
}

/* --- building ---------------------------------------------------------------------------------------------------------- */

static rift_timeline timeline_of(rift_layer_command *commands, size_t count, double duration)
{
    return (rift_timeline){.name = RIFT_STR("T"),
                           .duration = duration,
                           .fps = 30,
                           .commands = commands,
                           .command_count = count,
                           .masks = file.masks,
                           .mask_count = file.mask_count};
}

static rift_layers build(const rift_timeline *t)
{
    rift_layers layers = {0};
    rift_err err = check_err();
    CHECK_OK(rift_layers_build(&layers, &file.skeleton, file.clips, file.clip_count, t, &arena, &err), &err);
    return layers;
}

static rift_layer_baked bake(const rift_layers *layers)
{
    rift_layer_baked baked = {0};
    rift_err err = check_err();
    CHECK_OK(rift_layers_bake(&baked, layers, NULL, NULL, &arena, &tmp, &err), &err);
    check_channels(&baked.keys);
    return baked;
}

/* With L9's defaults. */
static rift_layer_command command(rift_layer_op op, double at, int slot, const char *clip)
{
    return (rift_layer_command){.at = at,
                                .op = op,
                                .slot = slot,
                                .clip = rift_str_c(clip),
                                .mask = RIFT_LAYER_NONE,
                                .speed = 1,
                                .weight = 1};
}

static rift_layer_command loop(double at, int slot, const char *clip)
{
    rift_layer_command c = command(RIFT_LAYER_PLAY, at, slot, clip);
    c.loop = true;
    return c;
}

static uint32_t mask_named(const char *name)
{
    for (size_t i = 0; i < file.mask_count; i++) {
        if (rift_str_eq(file.masks[i].name, rift_str_c(name)))
            return (uint32_t)i;
    }
    return RIFT_LAYER_NONE;
}

/* The largest miss of the bake against the pose at `count` random instants outside gaps. */
static double worst_miss(const rift_layers *layers, const rift_clip_keys *keys, uint32_t *seed, int count)
{
    double worst = 0;
    for (int i = 0; i < count; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        const double t = layers->timeline->duration * (double)(*seed >> 8) / (1 << 24);
        rift_layer_state state;
        rift_layers_at(&state, layers, t);
        for (uint32_t j = 0; j < file.skeleton.joint_count; j++) {
            rift_trs pose;
            (void)rift_layers_joint(&pose, layers, &state, j);
            for (int c = 0; c < 3; c++) {
                double want[4], got[4];
                const rift_channel *ch = channel_of(keys, j, (rift_component)c);
                component_of(want, &pose, (rift_component)c);
                component_of(got, &file.skeleton.joints[j].rest, (rift_component)c);
                if (ch == NULL || draw(got, ch, t))
                    worst = fmax(worst, miss(got, want, (rift_component)c));
            }
        }
    }
    return worst;
}

/* --- section 9, 1 ------------------------------------------------------------------------------------------------------ */

static void check_sample(const cJSON *sample, const rift_clip_keys *keys, const char *id)
{
    const double t = get(sample, "t")->valuedouble;
    static const char *const letters[] = {"t", "r", "s"};
    const cJSON *joint = NULL;
    cJSON_ArrayForEach(joint, get(sample, "joints"))
    {
        const uint32_t j = vectors_joint(&file, joint->string);
        for (int c = 0; c < 3; c++) {
            double want[4] = {0}, got[4] = {0};
            const rift_channel *ch = channel_of(keys, j, (rift_component)c);
            check_row("%s t %g %s %s", id, t, joint->string, letters[c]);
            CHECK(vectors_numbers(get(joint, letters[c]), want, c == 1 ? 4 : 3));
            component_of(got, &file.skeleton.joints[j].rest, (rift_component)c);
            const cJSON *touched = get(get(sample, "touched"), joint->string);
            if (touched != NULL && strstr(touched->valuestring, letters[c]) != NULL)
                CHECK(ch != NULL);
            if (ch == NULL || draw(got, ch, t))
                CHECK(miss(got, want, (rift_component)c) <= 3);
        }
    }
}

static void vectors_are_baked(void)
{
    const cJSON *item = NULL;
    double worst = 0;
    cJSON_ArrayForEach(item, get(root, "cases"))
    {
        const char *id = get(item, "id")->valuestring;
        const cJSON *sample = NULL;
        rift_timeline t = timeline_of(NULL, 0, 0.5);
        rift_err err = check_err();
        cJSON_ArrayForEach(sample, get(item, "samples")) t.duration =
            fmax(t.duration, get(sample, "t")->valuedouble + 0.2);
        CHECK_OK(rift_timeline_read_commands(&t, get(item, "timeline"), &arena, &err), &err);
        const rift_layers layers = build(&t);
        const rift_layer_baked baked = bake(&layers);
        CHECK_U64(layers.warnings.count, (uint64_t)cJSON_GetArraySize(get(item, "warnings")));
        CHECK(baked.error_translation <= limit_t && baked.error_rotation_rad <= limit_r &&
              baked.error_scale <= limit_s);
        cJSON_ArrayForEach(sample, get(item, "samples")) check_sample(sample, &baked.keys, id);
        uint32_t seed = 7;
        check_row("%s", id);
        const double missed = worst_miss(&layers, &baked.keys, &seed, 500);
        CHECK(missed <= 3);
        worst = fmax(worst, missed);
    }
    printf("vectors: worst %.2f of the limits\n", worst);
}

/* --- section 9, 2 ------------------------------------------------------------------------------------------------------ */

static uint32_t random_of(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 10) % below;
}

static rift_layer_command random_command(uint32_t *seed, double duration)
{
    static const double speeds[] = {1, 1, 1, 0.5, 2, -1, -0.7, 0, 3.3};
    static const char *const clips[] = {"Idle", "Run", "Punch", "HitAdd", "RotOnly", "WindDelta", "Nope"};
    rift_layer_command c = command((rift_layer_op)random_of(seed, 8), 0, (int)random_of(seed, 4), "");
    const uint32_t mask = random_of(seed, (uint32_t)file.mask_count + 1);
    c.op = random_of(seed, 2) ? (rift_layer_op)random_of(seed, 3) : c.op;
    c.slot = random_of(seed, 20) == 0 ? 8 : 2 * c.slot;
    c.at = duration * random_of(seed, 1001) / 1000;
    c.weight = random_of(seed, 13) / 10.0 - 0.1;
    c.seconds = random_of(seed, 5) / 8.0;
    c.mode = random_of(seed, 2) ? RIFT_LAYER_ADDITIVE : RIFT_LAYER_REPLACE;
    if (c.op <= RIFT_LAYER_PLAY_ADDITIVE) {
        c.clip = rift_str_c(clips[random_of(seed, COUNT(clips))]);
        c.loop = random_of(seed, 2);
        c.speed = speeds[random_of(seed, COUNT(speeds))];
        c.has_start = random_of(seed, 3) == 0;
        c.start = c.has_start ? random_of(seed, 30) / 20.0 : 0;
        c.base = random_of(seed, 2) ? RIFT_LAYER_IDENTITY : RIFT_LAYER_BIND;
    }
    if (c.op == RIFT_LAYER_PLAY_MASKED || c.op == RIFT_LAYER_PLAY_ADDITIVE || c.op == RIFT_LAYER_SET_MASK)
        c.mask = mask < file.mask_count ? mask : RIFT_LAYER_NONE;
    return c;
}

static void random_timelines(void)
{
    enum { COMMANDS = 24, SEEDS = 40 };
    double worst = 0;
    size_t keys = 0;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        rift_layer_command commands[COMMANDS];
        uint32_t state = seed * 2654435761u;
        const double duration = 0.5 + random_of(&state, 30) / 10.0;
        const size_t count = 1 + random_of(&state, COMMANDS);
        const rift_arena_mark mark = rift_arena_get_mark(&arena);
        for (size_t i = 0; i < count; i++)
            commands[i] = random_command(&state, duration);
        check_row("seed %u", seed);
        const rift_timeline t = timeline_of(commands, count, duration);
        const rift_layers layers = build(&t);
        const rift_layer_baked baked = bake(&layers);
        const double missed = worst_miss(&layers, &baked.keys, &state, 1000);
        CHECK(missed <= 3);
        worst = fmax(worst, missed);
        keys += baked.key_count;
        rift_arena_rewind(&arena, mark);
    }
    printf("random timelines: worst %.2f of the limits, %zu keys\n", worst, keys);
}

/* --- section 9, 3 to 5 ------------------------------------------------------------------------------------------------- */

/* Whether two timelines have the same bits in every pose (or how far they are apart at most, in limits). */
static double difference(const rift_layers *a, const rift_layers *b)
{
    double most = 0;
    for (int i = 0; i <= 400; i++) {
        rift_layer_state sa, sb;
        rift_layers_at(&sa, a, i * 0.005);
        rift_layers_at(&sb, b, i * 0.005);
        for (uint32_t j = 0; j < file.skeleton.joint_count; j++) {
            rift_trs pa, pb;
            (void)rift_layers_joint(&pa, a, &sa, j);
            (void)rift_layers_joint(&pb, b, &sb, j);
            for (int c = 0; c < 3; c++) {
                double va[4], vb[4];
                component_of(va, &pa, (rift_component)c);
                component_of(vb, &pb, (rift_component)c);
                if (memcmp(va, vb, sizeof va) != 0)
                    most = fmax(most, fmax(1e-300, miss(va, vb, (rift_component)c)));
            }
        }
    }
    return most;
}

static void order_of_the_list(void)
{
    rift_layer_command c[] = {
        loop(0, 0, "Idle"),
        loop(0.1, 1, "Run"),
        command(RIFT_LAYER_PLAY_MASKED, 0.3, 2, "Punch"),
        command(RIFT_LAYER_FADE, 0.5, 1, ""),
        command(RIFT_LAYER_SET_WEIGHT, 0.9, 0, ""),
    };
    c[2].mask = mask_named("Upper");
    c[3].weight = 0.3;
    c[3].seconds = 0.2;
    c[4].weight = 0.6;
    rift_layer_command mixed[] = {c[3], c[0], c[4], c[2], c[1]};
    const rift_timeline t = timeline_of(c, COUNT(c), 2);
    const rift_timeline m = timeline_of(mixed, COUNT(mixed), 2);
    const rift_layers a = build(&t);
    const rift_layers b = build(&m);
    CHECK(difference(&a, &b) == 0);
    /* Slots the other way round are something else. */
    rift_layer_command swapped[COUNT(c)];
    for (size_t i = 0; i < COUNT(c); i++) {
        swapped[i] = c[i];
        swapped[i].slot = 2 - c[i].slot;
    }
    const rift_timeline s = timeline_of(swapped, COUNT(swapped), 2);
    const rift_layers other = build(&s);
    CHECK(difference(&a, &other) > 100);
}

static void slots_without_effect(void)
{
    rift_layer_command c[] = {loop(0, 0, "Run"), command(RIFT_LAYER_PLAY_MASKED, 0.2, 1, "Punch"),
                              command(RIFT_LAYER_PLAY_MASKED, 0.1, 3, "Idle")};
    c[1].mask = mask_named("LeftArm");
    const rift_timeline without = timeline_of(c, 2, 2);
    const rift_layers plain = build(&without);
    rift_layer_state state;
    for (int kind = 0; kind < 2; kind++) {
        check_row("%s", kind == 0 ? "weight 0" : "empty mask");
        c[2].weight = kind == 0 ? 0 : 1;
        c[2].mask = kind == 0 ? RIFT_LAYER_NONE : mask_named("Empty");
        c[2].loop = true;
        const rift_timeline with = timeline_of(c, 3, 2);
        const rift_layers layers = build(&with);
        CHECK(difference(&plain, &layers) == 0);
        rift_layers_at(&state, &layers, 1);
        CHECK(state.slots[3].occupied);
        const rift_layer_baked a = bake(&plain);
        const rift_layer_baked b = bake(&layers);
        CHECK_U64(a.keys.channel_count, b.keys.channel_count);
    }
}

/* A clip that holds the rest pose: as an additive layer it is nothing, of either base when it holds what the base calls nothing. */
static void neutral_layers(void)
{
    enum { JOINTS = 16 };
    static double times[] = {0};
    static double values[JOINTS][3][4];
    rift_layer_curve curves[3 * JOINTS] = {{0}};
    const size_t joints = file.skeleton.joint_count;
    for (size_t j = 0; j < joints && j < JOINTS; j++) {
        for (int c = 0; c < 3; c++) {
            component_of(values[j][c], &file.skeleton.joints[j].rest, (rift_component)c);
            curves[3 * j + (size_t)c] =
                (rift_layer_curve){.key_count = 1, .times = times, .values = values[j][c]};
        }
    }
    rift_layer_clip clips[8];
    memcpy(clips, file.clips, file.clip_count * sizeof *clips);
    clips[file.clip_count] =
        (rift_layer_clip){.name = RIFT_STR("Rest"), .id = 99, .length = 1, .curves = curves};
    rift_layer_command c[] = {loop(0, 0, "Run"), command(RIFT_LAYER_PLAY_ADDITIVE, 0, 4, "Rest")};
    c[1].loop = true;
    const rift_timeline one = timeline_of(c, 1, 2);
    const rift_timeline both = timeline_of(c, 2, 2);
    rift_layers layers, plain = build(&one);
    rift_err err = check_err();
    CHECK_OK(rift_layers_build(&layers, &file.skeleton, clips, file.clip_count + 1, &both, &arena, &err),
             &err);
    CHECK(difference(&plain, &layers) < 1e-4); /* an angle of 1e-12 at most; acos gives no less */
    CHECK_U64(layers.warnings.count, 0);
    /* Replace at weight 1 without a mask is the clip: Run's own keys, in plain sight. */
    rift_layer_state state;
    rift_trs pose;
    rift_layers_at(&state, &plain, 0.4);
    CHECK_U64(rift_layers_joint(&pose, &plain, &state, vectors_joint(&file, "Hips")), 7);
    CHECK_NEAR(pose.t.y, 96, 0);
    CHECK_NEAR(pose.t.z, 4, 0);
}

/* L41. */
static void full_pose_as_additive(void)
{
    rift_layer_command c[] = {command(RIFT_LAYER_PLAY_ADDITIVE, 0, 1, "WindDelta"),
                              command(RIFT_LAYER_PLAY_ADDITIVE, 0, 2, "WindDelta"),
                              command(RIFT_LAYER_PLAY_ADDITIVE, 0, 3, "Idle")};
    c[1].base = RIFT_LAYER_IDENTITY;
    c[2].base = RIFT_LAYER_IDENTITY; /* Hips alone stands 90 u away from nothing */
    const rift_timeline t = timeline_of(c, COUNT(c), 1);
    const rift_layers layers = build(&t);
    CHECK_U64(layers.warnings.count, 2);
    if (layers.warnings.count == 2) {
        CHECK_STR(rift_layer_warning_text(&layers.warnings.items[0], &arena),
                  RIFT_STR("additive_full_pose:WindDelta (base identity fits better)"));
        CHECK_STR(rift_layer_warning_text(&layers.warnings.items[1], &arena),
                  RIFT_STR("additive_full_pose:Idle (base bind fits better)"));
    }
}

/* --- section 4 --------------------------------------------------------------------------------------------------------- */

static bool has_key(const rift_channel *ch, double t)
{
    for (uint32_t k = 0; k < ch->key_count; k++) {
        if (fabs((double)ch->times[k] - t) < 2e-7)
            return true;
    }
    return false;
}

/* L32: V10's timeline. The play jumps at 0.1, the one-shot is gone behind 0.35, Run wraps at 0.8. */
static void jumps_have_two_keys(void)
{
    rift_layer_command c[] = {loop(0, 0, "Run"), command(RIFT_LAYER_PLAY_MASKED, 0.1, 2, "Punch")};
    c[1].mask = mask_named("Upper");
    c[1].speed = 2;
    const rift_timeline t = timeline_of(c, COUNT(c), 1);
    const rift_layers layers = build(&t);
    const rift_layer_baked baked = bake(&layers);
    const rift_channel *arm = channel_of(&baked.keys, vectors_joint(&file, "L_Arm"), RIFT_ROTATION);
    const rift_channel *travel = channel_of(&baked.keys, vectors_joint(&file, "Root"), RIFT_TRANSLATION);
    const rift_channel *leg = channel_of(&baked.keys, vectors_joint(&file, "L_Leg"), RIFT_ROTATION);
    CHECK_FATAL(arm != NULL && travel != NULL && leg != NULL);
    CHECK(has_key(arm, 0.0999) && has_key(arm, 0.1) && has_key(arm, 0.35) && has_key(arm, 0.3501));
    double v[4];
    CHECK(draw(v, arm, (double)(float)0.35)); /* Punch's last pose, then Run's */
    CHECK_NEAR(fabs(v[1]), 0.612372436, 1e-6);
    /* Root runs 75 u a second and starts again behind 0.8: at 0.8 it has come to 60, at 0.8001 to 0.0075. */
    CHECK_U64(travel->key_count, 4);
    if (travel->key_count == 4) {
        CHECK_NEAR((double)travel->times[1], 0.8, 1e-7);
        CHECK_NEAR((double)travel->values[5], 60, 1e-5);
        CHECK_NEAR((double)travel->times[2], 0.8001, 1e-7);
        CHECK_NEAR((double)travel->values[8], 0.0075, 1e-5);
        CHECK_NEAR((double)travel->values[11], 15, 1e-5);
    }
    /* Masked out, and the wrap is no jump for it: no pair. */
    CHECK(!has_key(leg, 0.0999) && !has_key(leg, 0.3501) && !(has_key(leg, 0.8) && has_key(leg, 0.8001)));
    CHECK(channel_of(&baked.keys, vectors_joint(&file, "head"), RIFT_ROTATION) == NULL); /* L36 */
    CHECK_NEAR((double)baked.keys.length, 1, 0);
}

/* L32: two jumps 100 microseconds apart share the room. */
static void jumps_close_together(void)
{
    rift_layer_command c[] = {loop(0, 0, "Run"), loop(0.5, 0, "Idle"), loop(0.5001, 0, "Run"),
                              loop(0.500103, 0, "Idle")};
    const rift_timeline t = timeline_of(c, COUNT(c), 1);
    const rift_layers layers = build(&t);
    const rift_layer_baked baked = bake(&layers);
    const rift_channel *hips = channel_of(&baked.keys, vectors_joint(&file, "Hips"), RIFT_TRANSLATION);
    CHECK_FATAL(hips != NULL);
    CHECK(has_key(hips, 0.4999) && has_key(hips, 0.5) && has_key(hips, 0.50005) && has_key(hips, 0.5001));
    double v[4];
    (void)draw(v, hips, (double)(float)0.500103);
    CHECK_NEAR(v[1], 90, 1e-3); /* Idle from its start again */
}

/* Root falls back by 60 u where Run wraps, at 0.8; something else begins so shortly before or behind that no key fits
 * between. What lies inside the jump is no error of the bake. */
static void jumps_without_room(void)
{
    static const double away[] = {-5e-5, -2.6e-6, -1.9e-6, -1.2e-6, 1.2e-6, 1.9e-6, 2.6e-6, 5e-5};
    for (size_t i = 0; i < COUNT(away); i++) {
        rift_layer_command c[] = {loop(0, 0, "Run"),
                                  command(RIFT_LAYER_PLAY_MASKED, 0.8 + away[i], 2, "Punch")};
        c[1].mask = mask_named("LeftArm");
        const rift_timeline t = timeline_of(c, COUNT(c), 1);
        const rift_layers layers = build(&t);
        const rift_layer_baked baked = bake(&layers);
        CHECK(baked.error_translation <= limit_t && baked.error_rotation_rad <= limit_r &&
              baked.error_scale <= limit_s);
        const rift_channel *travel = channel_of(&baked.keys, vectors_joint(&file, "Root"), RIFT_TRANSLATION);
        CHECK_FATAL(travel != NULL);
        double v[4];
        CHECK(draw(v, travel, 0.79));
        CHECK_NEAR(v[2], 59.25, 0.02);
        CHECK(draw(v, travel, 0.81));
        CHECK_NEAR(v[2], 0.75, 0.02);
    }
}

static void loops_close(void)
{
    rift_layer_command c[] = {loop(0, 0, "Idle"), loop(0, 1, "Run")};
    rift_timeline t = timeline_of(c, 1, 2);
    t.loop = true;
    rift_layers layers = build(&t);
    rift_layer_baked baked = bake(&layers);
    /* Idle's Head and L_Arm do not come back to where they began. */
    CHECK(baked.loop_seam);
    c[0] = loop(0, 0, "HitAdd"); /* comes back by itself */
    t.duration = 0.4;
    layers = build(&t);
    baked = bake(&layers);
    CHECK(!baked.loop_seam && baked.keys.channel_count == 9);
    for (size_t i = 0; i < baked.keys.channel_count; i++) {
        const rift_channel *ch = &baked.keys.channels[i];
        const size_t width = ch->component == RIFT_ROTATION ? 4 : 3;
        CHECK(memcmp(ch->values, ch->values + width * (ch->key_count - 1), width * sizeof(float)) == 0);
    }
}

/* L34: constant components have one key, straight ones two. */
static void few_keys(void)
{
    rift_layer_command c[] = {loop(0, 0, "Run")};
    const rift_timeline t = timeline_of(c, 1, 0.8);
    const rift_layers layers = build(&t);
    const rift_layer_baked baked = bake(&layers);
    const uint32_t root_joint = vectors_joint(&file, "Root");
    CHECK_U64(channel_of(&baked.keys, root_joint, RIFT_TRANSLATION)->key_count, 2);
    CHECK_U64(channel_of(&baked.keys, root_joint, RIFT_SCALE)->key_count, 1);
    CHECK_U64(channel_of(&baked.keys, vectors_joint(&file, "Hips"), RIFT_TRANSLATION)->key_count, 3);
    CHECK_U64(channel_of(&baked.keys, vectors_joint(&file, "L_Arm"), RIFT_ROTATION)->key_count, 3);
}

/* --- limits and invalid numbers ---------------------------------------------------------------------------------------- */

static void invalid_numbers(void)
{
    const struct {
        const char *label, *where;
        double at, speed, weight, seconds, start, duration, fps;
        rift_status code;
    } rows[] = {
        {"fine", "", 0, 1, 1, 0, 0, 1, 30, RIFT_OK},
        {"no duration yet", "", 0, 1, 1, 0, 0, HUGE_VAL, 30, RIFT_OK},
        {"600 s", "", 0, 1, 1, 0, 0, 600, 30, RIFT_OK},
        {"at NaN", "commands[1].at", (double)NAN, 1, 1, 0, 0, 1, 30, RIFT_ERR_ARGUMENT},
        {"at below 0", "commands[1].at", -1e-3, 1, 1, 0, 0, 1, 30, RIFT_ERR_ARGUMENT},
        {"speed", "commands[1].speed", 0, HUGE_VAL, 1, 0, 0, 1, 30, RIFT_ERR_ARGUMENT},
        {"weight", "commands[1].weight", 0, 1, (double)NAN, 0, 0, 1, 30, RIFT_ERR_ARGUMENT},
        {"seconds", "commands[1].seconds", 0, 1, 1, -HUGE_VAL, 0, 1, 30, RIFT_ERR_ARGUMENT},
        {"start", "commands[1].start", 0, 1, 1, 0, -1, 1, 30, RIFT_ERR_ARGUMENT},
        {"duration NaN", "duration", 0, 1, 1, 0, 0, (double)NAN, 30, RIFT_ERR_ARGUMENT},
        {"duration below 0", "duration", 0, 1, 1, 0, 0, -1, 30, RIFT_ERR_ARGUMENT},
        {"over 600 s", "duration", 0, 1, 1, 0, 0, 600.001, 30, RIFT_ERR_LIMIT},
        {"fps 0", "fps", 0, 1, 1, 0, 0, 1, 0, RIFT_ERR_ARGUMENT},
        {"fps NaN", "fps", 0, 1, 1, 0, 0, 1, (double)NAN, RIFT_ERR_ARGUMENT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rift_layer_command c[] = {loop(0, 0, "Run"), loop(rows[i].at, 1, "Idle")};
        c[1].speed = rows[i].speed;
        c[1].weight = rows[i].weight;
        c[1].seconds = rows[i].seconds;
        c[1].start = rows[i].start;
        c[1].has_start = rows[i].start != 0;
        rift_timeline t = timeline_of(c, 2, rows[i].duration);
        t.fps = rows[i].fps;
        rift_layers layers;
        rift_err err = check_err();
        check_row("%s", rows[i].label);
        CHECK(rift_layers_build(&layers, &file.skeleton, file.clips, file.clip_count, &t, &arena, &err) ==
              (rows[i].code == RIFT_OK));
        CHECK_CODE(&err, rows[i].code);
        CHECK_STR(rift_str_c(err.where), rift_str_c(rows[i].where));
    }
}

static bool never(void *user)
{
    return *(bool *)user;
}

static void check_refused(
    const rift_layers *layers, rift_layer_go_on_fn *go_on, void *user, rift_status code, const char *where)
{
    rift_layer_baked baked;
    rift_err err = check_err();
    const rift_arena_mark mark = rift_arena_get_mark(&arena);
    CHECK(!rift_layers_bake(&baked, layers, go_on, user, &arena, &tmp, &err));
    CHECK_CODE(&err, code);
    CHECK_STR(rift_str_c(err.where), rift_str_c(where));
    rift_arena_rewind(&arena, mark);
}

static void limits(void)
{
    rift_layer_command *many = RIFT_NEW(&arena, rift_layer_command, RIFT_LAYER_MAX_COMMANDS + 1);
    for (size_t i = 0; i <= RIFT_LAYER_MAX_COMMANDS; i++)
        many[i] = loop((double)i * 1e-4, 0, i % 2 ? "Run" : "Idle");
    rift_timeline t = timeline_of(many, RIFT_LAYER_MAX_COMMANDS, 1);
    (void)build(&t);
    t.command_count++;
    rift_layers layers;
    rift_err err = check_err();
    CHECK(!rift_layers_build(&layers, &file.skeleton, file.clips, file.clip_count, &t, &arena, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    CHECK_STR(rift_str_c(err.where), RIFT_STR("commands"));
    /* Loops without end: 600 s of a clip played a million times a second. */
    rift_layer_command fast[] = {loop(0, 0, "Punch")};
    fast[0].speed = 5e5;
    t = timeline_of(fast, 1, 600);
    layers = build(&t);
    check_refused(&layers, NULL, NULL, RIFT_ERR_LIMIT, "instants");
    fast[0].speed = 1e300;
    layers = build(&t);
    check_refused(&layers, NULL, NULL, RIFT_ERR_LIMIT, "instants");
    fast[0].speed = 1;
    t.duration = HUGE_VAL;
    layers = build(&t);
    check_refused(&layers, NULL, NULL, RIFT_ERR_ARGUMENT, "duration");
    t.duration = 1;
    layers = build(&t);
    bool go_on = false;
    check_refused(&layers, never, &go_on, RIFT_ERR_CANCELLED, "layers");
}

/* L38, with the limit brought down to where it is cheap to reach. */
static void too_many_keys(void)
{
    rift_layer_command c[] = {loop(0, 0, "Run")};
    const rift_timeline t = timeline_of(c, 1, 2);
    const rift_layers layers = build(&t);
    const size_t count = bake(&layers).key_count;
    rift_layer_baked baked;
    rift_err err = check_err();
    CHECK_OK(rift_layers_bake_within(&baked, &layers, count, NULL, NULL, &arena, &tmp, &err), &err);
    CHECK(!rift_layers_bake_within(&baked, &layers, count - 1, NULL, NULL, &arena, &tmp, &err));
    CHECK_CODE(&err, RIFT_ERR_LIMIT);
    CHECK_STR(rift_str_c(err.where), RIFT_STR("keys"));
    CHECK_U64(RIFT_LAYER_MAX_KEYS, 2000000);
}

/* Every allocation of either arena fails once. */
static void allocations(void)
{
    rift_layer_command c[] = {loop(0, 0, "Run"), command(RIFT_LAYER_PLAY_MASKED, 0.1, 2, "Punch"),
                              command(RIFT_LAYER_STOP, 0.2, 5, ""), command(RIFT_LAYER_SET_MASK, 0.3, 2, "")};
    c[1].mask = mask_named("Typos");
    const rift_layer_event event = {0, vectors_joint(&file, "Weapon"), 0.1, 0.3};
    const rift_timeline t = timeline_of(c, COUNT(c), 0.5);
    for (int which = 0; which < 2; which++) {
        bool done = false;
        for (uint64_t n = 1; !done && n < 4000; n++) {
            rift_arena a, b;
            rift_arena_init(&a, 64 * 1024 * 1024);
            rift_arena_init(&b, 64 * 1024 * 1024);
            (which == 0 ? &a : &b)->fail_at = n;
            rift_layers layers;
            rift_layer_baked baked;
            rift_layer_window *windows;
            size_t count;
            rift_err err = check_err();
            done = rift_layers_build(&layers, &file.skeleton, file.clips, file.clip_count, &t, &a, &err) &&
                   rift_layers_windows(&windows, &count, &layers, &event, 1, &a, &err) &&
                   rift_layers_bake(&baked, &layers, NULL, NULL, &a, &b, &err);
            check_row("arena %d, allocation %llu", which, (unsigned long long)n);
            CHECK_CODE(&err, done ? RIFT_OK : RIFT_ERR_NOMEM);
            rift_arena_release(&a);
            rift_arena_release(&b);
        }
        CHECK(done);
    }
}

/* --- section 9, 6: events (L39, S26) ------------------------------------------------------------------------------------- */

typedef struct window_row {
    const char *label;
    rift_layer_command commands[5];
    size_t command_count;
    rift_layer_event events[3];
    size_t event_count;
    rift_layer_window want[6];
    size_t want_count;
} window_row;

static rift_layer_command masked(double at, int slot, const char *clip, const char *mask)
{
    rift_layer_command c = command(RIFT_LAYER_PLAY_MASKED, at, slot, clip);
    c.mask = mask_named(mask);
    return c;
}

static rift_layer_command fade(double at, int slot, double weight, double seconds)
{
    rift_layer_command c = command(RIFT_LAYER_FADE, at, slot, "");
    c.weight = weight;
    c.seconds = seconds;
    return c;
}

static rift_layer_command with(rift_layer_command c, double speed, bool loops, double weight)
{
    c.speed = speed;
    c.loop = loops;
    c.weight = weight;
    return c;
}

static uint32_t id_of(const char *clip)
{
    for (size_t i = 0; i < file.clip_count; i++) {
        if (rift_str_eq(file.clips[i].name, rift_str_c(clip)))
            return file.clips[i].id;
    }
    return RIFT_LAYER_NONE;
}

/* Punch lasts 0.5 s, Run 0.8 s; the timeline 2 s. */
static void events_become_windows(void)
{
    const uint32_t weapon = vectors_joint(&file, "Weapon");
    const uint32_t leg = vectors_joint(&file, "L_Leg");
    const uint32_t punch = id_of("Punch");
    const uint32_t run = id_of("Run");
    const rift_layer_event locked = {punch, weapon, 0.1, 0.4};
    const rift_layer_command walk = loop(0, 0, "Run");
    const window_row rows[] = {
        {"in a slot of its own",
         {walk, masked(0.2, 2, "Punch", "LeftArm")},
         2,
         {locked},
         1,
         {{0, 2, 0.3, 0.6}},
         1},
        {"of another clip", {walk}, 1, {locked}, 1, {{0}}, 0},
        {"masked out", {walk, masked(0.2, 2, "Punch", "LeftArm")}, 2, {{punch, leg, 0.1, 0.4}}, 1, {{0}}, 0},
        {"weight below a half",
         {with(masked(0.2, 2, "Punch", "LeftArm"), 1, false, 0.49)},
         1,
         {locked},
         1,
         {{0}},
         0},
        {"weight of a half",
         {with(masked(0.2, 2, "Punch", "LeftArm"), 1, false, 0.5)},
         1,
         {locked},
         1,
         {{0, 2, 0.3, 0.6}},
         1},
        /* m(Weapon) is 0.5 there: only the full weight holds it. */
        {"half a mask",
         {masked(0.2, 2, "Punch", "Weighted"), fade(0.4, 2, 0.2, 1)},
         2,
         {locked},
         1,
         {{0, 2, 0.3, 0.4}},
         1},
        {"fading out",
         {masked(0.2, 2, "Punch", "LeftArm"), fade(0.4, 2, 0, 0.2)},
         2,
         {locked},
         1,
         {{0, 2, 0.3, 0.5}},
         1},
        {"fading in",
         {with(masked(0.2, 2, "Punch", "LeftArm"), 1, false, 0), fade(0.2, 2, 1, 0.4)},
         2,
         {locked},
         1,
         {{0, 2, 0.4, 0.6}},
         1},
        {"twice as fast, looping",
         {with(masked(0.2, 2, "Punch", "LeftArm"), 2, true, 1), command(RIFT_LAYER_STOP, 0.6, 2, "")},
         2,
         {locked},
         1,
         {{0, 2, 0.25, 0.4}, {0, 2, 0.5, 0.6}},
         2},
        {"backwards",
         {with(masked(0, 2, "Punch", "LeftArm"), -1, false, 1)},
         1,
         {{punch, weapon, 0.1, 0.3}},
         1,
         {{0, 2, 0.2, 0.4}},
         1},
        {"the whole of a loop is one window", {walk}, 1, {{run, weapon, 0, 0.8}}, 1, {{0, 0, 0, 2}}, 1},
        {"the highest slot wins",
         {walk, masked(0.2, 2, "Punch", "LeftArm")},
         2,
         {{run, weapon, 0, 0.8}, locked},
         2,
         {{0, 0, 0, 0.3}, {1, 2, 0.3, 0.6}, {0, 0, 0.6, 2}},
         3},
        {"in one slot the later one",
         {masked(0, 2, "Punch", "LeftArm")},
         1,
         {{punch, weapon, 0.2, 0.3}, locked},
         2,
         {{1, 2, 0.1, 0.2}, {0, 2, 0.2, 0.3}, {1, 2, 0.3, 0.4}},
         3},
        {"of equal ones the last",
         {masked(0, 2, "Punch", "LeftArm")},
         1,
         {locked, locked},
         2,
         {{1, 2, 0.1, 0.4}},
         1},
        {"a weight that is only set goes on",
         {masked(0.2, 2, "Punch", "LeftArm"),
          with(command(RIFT_LAYER_SET_WEIGHT, 0.45, 2, ""), 1, false, 0.8)},
         2,
         {locked},
         1,
         {{0, 2, 0.3, 0.6}},
         1},
        {"a mask that is taken away",
         {masked(0.2, 2, "Punch", "LeftArm"), masked(0.45, 2, "", "Lower")},
         2,
         {locked},
         1,
         {{0, 2, 0.3, 0.45}},
         1},
        {"behind the end", {masked(1.8, 2, "Punch", "LeftArm")}, 1, {locked}, 1, {{0, 2, 1.9, 2}}, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        window_row row = rows[i];
        check_row("%s", row.label);
        for (size_t k = 0; k < row.command_count; k++) {
            if (row.commands[k].op == RIFT_LAYER_PLAY_MASKED && row.commands[k].clip.size == 0)
                row.commands[k].op = RIFT_LAYER_SET_MASK;
        }
        const rift_timeline t = timeline_of(row.commands, row.command_count, 2);
        const rift_layers layers = build(&t);
        rift_layer_window *got;
        size_t count = 0;
        rift_err err = check_err();
        CHECK_U64(layers.warnings.count, 0);
        CHECK_OK(rift_layers_windows(&got, &count, &layers, row.events, row.event_count, &arena, &err), &err);
        CHECK_U64(count, row.want_count);
        for (size_t k = 0; k < count && k < row.want_count; k++) {
            CHECK_U64(got[k].event, row.want[k].event);
            CHECK_U64(got[k].slot, row.want[k].slot);
            CHECK_NEAR(got[k].from, row.want[k].from, 1e-9);
            CHECK_NEAR(got[k].to, row.want[k].to, 1e-9);
        }
    }
}

/* The windows against the rule itself, instant by instant. */
static void windows_are_the_rule(void)
{
    enum { COMMANDS = 12, SEEDS = 20, EVENTS = 4 };
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        uint32_t state = seed * 40503u + 17;
        rift_layer_command commands[COMMANDS];
        rift_layer_event events[EVENTS];
        for (size_t i = 0; i < COMMANDS; i++)
            commands[i] = random_command(&state, 2);
        for (size_t i = 0; i < EVENTS; i++) {
            const uint32_t clip = random_of(&state, (uint32_t)file.clip_count);
            const double from = file.clips[clip].length * random_of(&state, 10) / 12;
            events[i] = (rift_layer_event){clip, vectors_joint(&file, "Weapon"), from,
                                           from + 0.05 + random_of(&state, 10) / 20.0};
        }
        const rift_timeline t = timeline_of(commands, COMMANDS, 2);
        const rift_layers layers = build(&t);
        rift_layer_window *got;
        size_t count = 0;
        rift_err err = check_err();
        CHECK_OK(rift_layers_windows(&got, &count, &layers, events, EVENTS, &arena, &err), &err);
        for (int i = 0; i < 1000; i++) {
            const double at = 2.0 * random_of(&state, 1 << 20) / (1 << 20);
            rift_layer_state s;
            rift_layers_at(&s, &layers, at);
            uint32_t want = RIFT_LAYER_NONE, found = RIFT_LAYER_NONE;
            for (unsigned k = 0; k < RIFT_LAYER_SLOTS; k++) {
                uint32_t best = RIFT_LAYER_NONE;
                for (uint32_t e = 0; e < EVENTS && s.slots[k].occupied; e++) {
                    if (layers.clips[s.slots[k].span->clip].id == events[e].clip &&
                        rift_layers_weight(&layers, &s.slots[k], events[e].victim) >= 0.5 &&
                        s.slots[k].local_time >= events[e].from && s.slots[k].local_time <= events[e].to &&
                        (best == RIFT_LAYER_NONE || events[e].from >= events[best].from))
                        best = e;
                }
                want = best != RIFT_LAYER_NONE ? best : want;
            }
            bool edge = false;
            for (size_t k = 0; k < count; k++) {
                edge = edge || fabs(at - got[k].from) < 2e-6 || fabs(at - got[k].to) < 2e-6;
                if (at >= got[k].from && at <= got[k].to)
                    found = got[k].event;
            }
            check_row("seed %u, t %.9g", seed, at);
            CHECK(edge || found == want);
        }
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    rift_arena_init(&arena, (size_t)1024 * 1024 * 1024);
    rift_arena_init(&tmp, (size_t)1024 * 1024 * 1024);
    load();
    RUN(vectors_are_baked);
    RUN(random_timelines);
    RUN(order_of_the_list);
    RUN(slots_without_effect);
    RUN(neutral_layers);
    RUN(full_pose_as_additive);
    RUN(jumps_have_two_keys);
    RUN(jumps_close_together);
    RUN(jumps_without_room);
    RUN(loops_close);
    RUN(few_keys);
    RUN(invalid_numbers);
    RUN(limits);
    RUN(too_many_keys);
    RUN(allocations);
    RUN(events_become_windows);
    RUN(windows_are_the_rule);
    cJSON_Delete(root);
    rift_arena_release(&arena);
    rift_arena_release(&tmp);
    return check_finish();
}
