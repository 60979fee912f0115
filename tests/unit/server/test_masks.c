#include "bake/options.h"
#include "base/str.h"
#include "body/masks.h"
#include "support/check.h"
#include "timeline/timeline.h"

static rift_arena arena;
static rift_masks masks;
static rift_err err;

static rift_bytes bytes_of(const char *text)
{
    return (rift_bytes){(const uint8_t *)text, strlen(text)};
}

static void keeps_masks(void)
{
    static const struct {
        const char *body, *json; /* json NULL: refused */
    } rows[] = {
        {"{\"include\":[\"Spine1\"],\"exclude\":[\"Head\"],\"self_only\":true}",
         "{\"include\":[\"Spine1\"],\"exclude\":[\"Head\"],\"self_only\":true,\"name\":\"upper\"}"},
        {" {\"name\":\"upper\", \"weight_list\":[1,0.25]} ", "{\"weight_list\":[1,0.25],\"name\":\"upper\"}"},
        {"{}", "{\"name\":\"upper\"}"},
        {"{\"name\":\"lower\"}", NULL},
        {"{\"nonsense\":1}", NULL},
        {"{\"include\":\"Spine1\"}", NULL},
        {"{\"include\":[1]}", NULL},
        {"{\"include\":[],\"weight_list\":[]}", NULL},
        {"{\"self_only\":1}", NULL},
        {"[]", NULL},
        {"\"upper\"", NULL},
        {"{", NULL},
        {"", NULL},
        {"{\"include\":[[[[[[[[[[]]]]]]]]]]}", NULL},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_stored_mask mask = {0};
        err = check_err();
        check_row("%s", rows[i].body);
        const bool ok = rift_mask_read(&mask, RIFT_STR("upper"), bytes_of(rows[i].body), &arena, &err);
        CHECK_U64(ok, rows[i].json != NULL);
        if (rows[i].json != NULL)
            CHECK_STR(mask.json, rift_str_c(rows[i].json));
        else
            CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
    }
    static const char *const names[] = {
        "",         "a b", "game:x",
        "\xc3\xa4", "a/b", "01234567890123456789012345678901234567890123456789012345678901234"};
    for (size_t i = 0; i < RIFT_COUNT(names); i++)
        CHECK(!rift_mask_name_is_sound(rift_str_c(names[i])));
    CHECK(rift_mask_name_is_sound(RIFT_STR("Upper_body-2.x")));
}

static void reads_files(void)
{
    err = check_err();
    CHECK_OK(rift_masks_read(
                 &masks, bytes_of("[{\"name\":\"upper\",\"include\":[\"Spine\"]},\n{\"name\":\"legs\"}]\n"),
                 &arena, &err),
             &err);
    CHECK_U64(masks.count, 2);
    CHECK(rift_masks_find(&masks, RIFT_STR("legs")) != NULL);
    CHECK(rift_masks_find(&masks, RIFT_STR("Legs")) == NULL);
    static const char *const bad[] = {"",
                                      "{}",
                                      "[1]",
                                      "[{}]",
                                      "[{\"name\":\"a b\"}]",
                                      "[{\"name\":\"a\"},{\"name\":\"a\"}]",
                                      "[{\"name\":\"a\",\"nonsense\":1}]"};
    for (size_t i = 0; i < RIFT_COUNT(bad); i++) {
        rift_masks other;
        err = check_err();
        check_row("%s", bad[i]);
        CHECK(!rift_masks_read(&other, bytes_of(bad[i]), &arena, &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
    }
}

/* A stored name and the mask in place are the same request; a name that nobody stored stays. */
static void puts_masks_in_place(void)
{
    static const char form[] = "{\"name\":\"x\",\"duration\":1,\"commands\":[{\"at\":0,\"op\":\"play_"
                               "masked\",\"slot\":0,\"clip\":\"Run\",\"mask\":%s}]}";
    static const char *const texts[] = {"\"upper\"", "{\"name\":\"upper\",\"include\":[\"Spine\"]}",
                                        "\"unknown\"", "\"game:upper\"", "null"};
    rift_str got[5];
    for (size_t i = 0; i < 5; i++) {
        char text[300];
        rift_options options = rift_options_default();
        (void)snprintf(text, sizeof text, form, texts[i]);
        err = check_err();
        check_row("%s", texts[i]);
        CHECK_OK(rift_timeline_option(&options, rift_str_c(text), &arena, &err), &err);
        const rift_str before = options.layers;
        CHECK_OK(rift_masks_apply(&options, &masks, &arena, &err), &err);
        got[i] = options.layers;
        if (i > 0)
            CHECK_STR(options.layers, before);
    }
    CHECK_STR(got[0], got[1]);
    rift_options none = rift_options_default();
    CHECK_OK(rift_masks_apply(&none, &masks, &arena, &err), &err);
}

static void reads_questions(void)
{
    static const struct {
        const char *body;
        int kind; /* -1: refused */
    } rows[] = {
        {"{\"mask\":\"upper\",\"skin\":157036}", RIFT_LAYER_MASK_NAMES},
        {"{\"skin\":\"yasuo/36\",\"mask\":\"game:Upper\"}", RIFT_LAYER_MASK_NAMED},
        {"{\"skin\":1,\"mask\":\"nobody\"}", RIFT_LAYER_MASK_NAMED},
        {"{\"skin\":1,\"mask\":{\"weight_list\":[1]}}", RIFT_LAYER_MASK_WEIGHTS},
        {"{\"mask\":\"upper\"}", -1},
        {"{\"skin\":1}", -1},
        {"{\"skin\":1,\"mask\":\"upper\",\"x\":1}", -1},
        {"{\"skin\":1,\"skin\":2,\"mask\":\"upper\"}", -1},
        {"{\"skin\":-1,\"mask\":\"upper\"}", -1},
        {"{\"skin\":1.5,\"mask\":\"upper\"}", -1},
        {"{\"skin\":1e99,\"mask\":\"upper\"}", -1},
        {"{\"skin\":[],\"mask\":\"upper\"}", -1},
        {"{\"skin\":1,\"mask\":1}", -1},
        {"{\"skin\":1,\"mask\":null}", -1},
        {"{\"skin\":1,\"mask\":{\"nonsense\":1}}", -1},
        {"[]", -1},
        {"", -1},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_mask_question q;
        err = check_err();
        check_row("%s", rows[i].body);
        const bool ok = rift_mask_question_read(&q, &masks, bytes_of(rows[i].body), &arena, &err);
        CHECK_U64(ok, rows[i].kind >= 0);
        if (ok)
            CHECK_U64(q.mask.kind, rows[i].kind);
        else
            CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    rift_arena_init(&arena, 16 << 20);
    RUN(keeps_masks);
    RUN(reads_files);
    RUN(puts_masks_in_place);
    RUN(reads_questions);
    rift_arena_release(&arena);
    return check_finish();
}
