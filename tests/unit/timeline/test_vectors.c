/* The vectors of layering.md section 8, and that each kind of difference shows. */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include "base/str.h"
#include "support/check.h"
#include "timeline/vectors.h"

enum { ARENA = 256 * 1024 * 1024 };

static rift_bytes golden(void)
{
    char path[512];
    const char *root = getenv("RIFT_SOURCE_DIR");
    (void)snprintf(path, sizeof path, "%s/tests/golden/layering-vectors.json", root != NULL ? root : ".");
    return check_read_file(path);
}

typedef struct outcome {
    rift_arena arena;
    rift_buf lines;
    rift_vectors_result result;
    rift_err err;
    bool ok;
} outcome;

static void run(outcome *o, rift_bytes json)
{
    rift_arena_init(&o->arena, ARENA);
    rift_buf_init(&o->lines, &o->arena, 1 << 20);
    o->result = (rift_vectors_result){0};
    o->err = check_err();
    o->ok = rift_vectors_run(&o->result, &o->lines, json, &o->arena, &o->err);
    rift_buf_u8(&o->lines, 0);
}

static bool says(const outcome *o, const char *line)
{
    return strstr((const char *)o->lines.data, line) != NULL;
}

static void all_are_ok(void)
{
    outcome o;
    run(&o, golden());
    CHECK_OK(o.ok, &o.err);
    CHECK_U64(o.result.case_count, 33); /* 14 masks, V01 to V19 */
    CHECK_U64(o.result.failed_count, 0);
    CHECK(says(&o, "mask:UpperNoHead ok\n") && says(&o, "\nV19 ok\n"));
    CHECK(!says(&o, "FAIL"));
    rift_arena_release(&o.arena);
}

/* --- wrong expectations ------------------------------------------------------------------------------------------- */

static cJSON *case_of(const cJSON *root, const char *list, const char *key, const char *id)
{
    cJSON *item = NULL;
    cJSON_ArrayForEach(item, cJSON_GetObjectItem(root, list))
    {
        if (strcmp(cJSON_GetObjectItem(item, key)->valuestring, id) == 0)
            return item;
    }
    return NULL;
}

static cJSON *sample_of(const cJSON *root, const char *id, int index)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(case_of(root, "cases", "id", id), "samples"), index);
}

static cJSON *part_of(const cJSON *root, const char *id, int index, const char *joint, const char *part)
{
    const cJSON *joints = cJSON_GetObjectItem(sample_of(root, id, index), "joints");
    return cJSON_GetObjectItem(cJSON_GetObjectItemCaseSensitive(joints, joint), part);
}

static void shift(cJSON *number, double by)
{
    cJSON_SetNumberValue(number, number->valuedouble + by);
}

static void wrong_weight(cJSON *root)
{
    cJSON *c = case_of(root, "mask_cases", "mask", "Weighted");
    shift(cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(c, "weights"), "Head"), -0.5);
}

static void missing_warning(cJSON *root)
{
    cJSON_DeleteItemFromArray(cJSON_GetObjectItem(case_of(root, "mask_cases", "mask", "Typos"), "warnings"),
                              1);
}

static void swapped_warnings(cJSON *root)
{
    cJSON *list = cJSON_GetObjectItem(case_of(root, "cases", "id", "V18"), "warnings");
    cJSON_InsertItemInArray(list, 0, cJSON_DetachItemFromArray(list, 1));
}

static void extra_slot(cJSON *root)
{
    cJSON_AddItemToArray(cJSON_GetObjectItem(sample_of(root, "V01", 0), "slots"), cJSON_CreateNumber(5));
}

static void lost_slot(cJSON *root)
{
    cJSON_DeleteItemFromArray(cJSON_GetObjectItem(sample_of(root, "V10", 2), "slots"), 1);
}

static void wrong_translation(cJSON *root)
{
    shift(cJSON_GetArrayItem(part_of(root, "V03", 0, "Hips", "t"), 1), 3e-6); /* just past the tolerance */
}

static void wrong_rotation(cJSON *root)
{
    shift(cJSON_GetArrayItem(part_of(root, "V06", 0, "Spine1", "r"), 3), 1e-4);
}

static void wrong_scale(cJSON *root)
{
    shift(cJSON_GetArrayItem(part_of(root, "V07", 0, "Head", "s"), 2), -1e-5);
}

static void wrong_letters(cJSON *root)
{
    cJSON *touched = cJSON_GetObjectItem(sample_of(root, "V15", 0), "touched");
    cJSON_ReplaceItemInObjectCaseSensitive(touched, "Hips", cJSON_CreateString("t"));
}

static void wrong_world(cJSON *root)
{
    cJSON *world = cJSON_GetObjectItem(sample_of(root, "V19", 1), "world_position");
    shift(cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(world, "Weapon"), 2), 1e-3);
}

/* A sign is no difference. */
static void other_sign(cJSON *root)
{
    for (int i = 0; i < 4; i++) {
        cJSON *number = cJSON_GetArrayItem(part_of(root, "V06", 0, "Spine1", "r"), i);
        cJSON_SetNumberValue(number, -number->valuedouble);
    }
}

/* Within the tolerance. */
static void close_translation(cJSON *root)
{
    shift(cJSON_GetArrayItem(part_of(root, "V03", 0, "Hips", "t"), 1), 1e-6);
}

/* The engine, not the expectation, is told something else. */
static void other_command(cJSON *root)
{
    cJSON *first =
        cJSON_GetArrayItem(cJSON_GetObjectItem(case_of(root, "cases", "id", "V02"), "timeline"), 0);
    cJSON_SetNumberValue(cJSON_GetObjectItem(first, "weight"), 0.75);
}

static void differences_show(void)
{
    static const struct {
        const char *label;
        void (*change)(cJSON *root);
        unsigned failed;
        const char *line;
    } rows[] = {
        {"weight", wrong_weight, 1, "mask:Weighted FAIL weight[Head] expected 0.5 got 1\n"},
        {"warning missing", missing_warning, 1,
         "mask:Typos FAIL warnings[1] expected nothing got mask_unknown_joint:Tail\n"},
        {"warnings out of order", swapped_warnings, 1,
         "V18 FAIL warnings[0] expected slot_empty:set_mask got slot_empty:fade\n"},
        {"slot too many", extra_slot, 1, "V01 FAIL slot[5]@0 expected occupied got empty\n"},
        {"slot too few", lost_slot, 1, "V10 FAIL slot[2]@0.35 expected empty got occupied\n"},
        {"translation", wrong_translation, 1, "V03 FAIL t[Hips].y@0.2 expected 90.600003 got 90.6\n"},
        {"rotation", wrong_rotation, 1, "V06 FAIL r[Spine1].w@0.1 expected 0.984908"},
        {"scale", wrong_scale, 1, "V07 FAIL s[Head].z@0.2 expected"},
        {"touched", wrong_letters, 1, "V15 FAIL touched[Hips]@0.02 expected \"t\" got \"\"\n"},
        {"world", wrong_world, 1, "V19 FAIL world[Weapon].z@0.25 expected 25.702069 got 25.70106"},
        {"command", other_command, 1, "V02 FAIL t[Root].z@0.2 expected 3.75 got 11.25\n"},
        {"sign of a rotation", other_sign, 0, "\nV06 ok\n"},
        {"within the tolerance", close_translation, 0, "\nV03 ok\n"},
    };
    const rift_bytes text = golden();
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        outcome o;
        check_row("%s", rows[i].label);
        cJSON *root = cJSON_ParseWithLength((const char *)text.data, text.size);
        rows[i].change(root);
        char *changed = cJSON_PrintUnformatted(root);
        run(&o, (rift_bytes){(const uint8_t *)changed, strlen(changed)});
        CHECK_OK(o.ok, &o.err);
        CHECK_U64(o.result.case_count, 33);
        CHECK_U64(o.result.failed_count, rows[i].failed);
        if (!says(&o, rows[i].line)) {
            CHECK(says(&o, rows[i].line));
            printf("%s", (const char *)o.lines.data);
        }
        rift_arena_release(&o.arena);
        cJSON_free(changed);
        cJSON_Delete(root);
    }
}

/* --- files that are none ------------------------------------------------------------------------------------------- */

#define JOINT "{\"name\":\"A\",\"parent\":-1,\"t\":[0,0,0],\"r\":[0,0,0,1],\"s\":[1,1,1]}"
#define HEAD "{\"schema\":\"layering-vectors/1\",\"skeleton\":{\"joints\":[" JOINT "],\"influences\":[0]},"
#define TAIL "\"mask_cases\":[],\"cases\":[]}"
#define CLIP(tracks) HEAD "\"clips\":{\"C\":{\"duration\":1,\"tracks\":" tracks "}}," TAIL
#define CASE(members) HEAD "\"clips\":{},\"mask_cases\":[],\"cases\":[{\"id\":\"X\"," members "}]}"

static void other_files_are_refused(void)
{
    static const struct {
        const char *json, *where;
    } rows[] = {
        {"", "vectors"},
        {"[", "vectors"},
        {"{} x", "vectors"},
        {"[]", "schema"},
        {"{\"schema\":\"layering-vectors/2\"}", "schema"},
        {"{\"schema\":\"layering-vectors/1\"}", "cases"},
        {"{\"schema\":\"layering-vectors/1\",\"skeleton\":{\"joints\":[]}," TAIL, "skeleton.joints"},
        {"{\"schema\":\"layering-vectors/1\",\"skeleton\":{\"joints\":[{}]}," TAIL, "skeleton.joints[0]"},
        {"{\"schema\":\"layering-vectors/1\",\"skeleton\":{\"joints\":[" JOINT "],\"influences\":[1]}," TAIL,
         "skeleton.influences"},
        {HEAD "\"clips\":{\"C\":{}}," TAIL, "clips"},
        {CLIP("{\"B\":{}}"), "clips"},
        {CLIP("{\"A\":{\"t\":{\"times\":[0],\"values\":[]}}}"), "clips"},
        {CLIP("{\"A\":{\"t\":{\"times\":[0],\"values\":[[0,0]]}}}"), "clips"},
        {CLIP("{\"A\":{\"t\":{\"times\":[0,0],\"values\":[[0,0,0],[0,0,0]]}}}"), "clips"},
        {HEAD "\"masks\":{\"M\":3}," TAIL, "masks"},
        {HEAD "\"mask_cases\":[{\"mask\":\"M\"}],\"cases\":[]}", "mask:M"},
        {HEAD "\"mask_cases\":[{}],\"cases\":[]}", "mask:?"},
        {CASE("\"timeline\":7"), "commands"},
        {CASE("\"timeline\":[{\"at\":0,\"op\":\"dance\",\"slot\":0}]"), "commands[0].op"},
        {CASE("\"timeline\":[],\"samples\":[{}]"), "X"},
        {CASE("\"timeline\":[],\"samples\":[{\"t\":0,\"slots\":[8]}]"), "X"},
        {CASE("\"timeline\":[],\"samples\":[{\"t\":0,\"joints\":{\"B\":{}}}]"), "X"},
        {CASE("\"timeline\":[],\"samples\":[{\"t\":0,\"touched\":{\"A\":1}}]"), "X"},
        {CASE("\"timeline\":[],\"samples\":[{\"t\":0,\"world_position\":[[0,0,0]]}]"), "X"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        outcome o;
        check_row("%zu: %.60s", i, rows[i].json);
        run(&o, (rift_bytes){(const uint8_t *)rows[i].json, strlen(rows[i].json)});
        CHECK(!o.ok);
        CHECK_CODE(&o.err, RIFT_ERR_ARGUMENT);
        CHECK_STR(rift_str_c(o.err.where), rift_str_c(rows[i].where));
        rift_arena_release(&o.arena);
    }
}

static const char small[] = HEAD
    "\"clips\":{\"C\":{\"duration\":1,\"tracks\":{\"A\":{\"t\":{\"times\":[0,1],\"values\":[[0,0,0],[2,0,0]"
    "]}}}}},\"masks\":{\"M\":{\"include\":[\"A\"]}},\"mask_cases\":[{\"mask\":\"M\",\"weights\":{\"A\":1},"
    "\"warnings\":[]}],\"cases\":[{\"id\":\"X\",\"timeline\":[{\"at\":0,\"op\":\"play_masked\",\"slot\":1,"
    "\"clip\":\"C\",\"mask\":\"M\"}],\"warnings\":[],\"samples\":[{\"t\":0.5,\"slots\":[1],\"joints\":{"
    "\"A\":"
    "{\"t\":[1,0,0],\"r\":[0,0,0,1],\"s\":[1,1,1]}},\"touched\":{\"A\":\"t\"},\"world_position\":{\"A\":"
    "[1,0,0]}}]}]}";

static bool run_parse(rift_bytes in, rift_arena *arena, rift_err *err)
{
    rift_vectors_result result;
    rift_buf lines;
    rift_buf_init(&lines, arena, 1 << 20);
    return rift_vectors_run(&result, &lines, in, arena, err);
}

static void robust(void)
{
    const rift_bytes whole = {(const uint8_t *)small, sizeof small - 1};
    outcome o;
    run(&o, whole);
    CHECK_OK(o.ok, &o.err);
    CHECK_STR(rift_str_c((const char *)o.lines.data), RIFT_STR("mask:M ok\nX ok\n"));
    rift_arena_release(&o.arena);
    check_prefixes(run_parse, whole, 0, RIFT_ERR_ARGUMENT);
    check_allocations(run_parse, whole);
    check_every_byte(run_parse, whole);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(all_are_ok);
    RUN(differences_show);
    RUN(other_files_are_refused);
    RUN(robust);
    return check_finish();
}
