#include <stdio.h>

#include "base/buf.h"
#include "base/str.h"
#include "body/body.h"
#include "body/counts.h"
#include "support/check.h"

static rift_arena arena;
static rift_err err;

static void setup(void)
{
    rift_arena_release(&arena);
    rift_arena_init(&arena, 16 * 1024 * 1024);
    err = check_err();
}

static rift_bytes bytes_of(const char *text)
{
    return (rift_bytes){(const uint8_t *)text, strlen(text)};
}

static void reads_jobs(void)
{
    static const struct {
        const char *body;
        const char *skin;
        const char *options; /* canonical */
    } rows[] = {
        {"{\"skin\":157036}", "157036", ""},
        {" {\"skin\" : \"157036\"}\r\n\t", "157036", ""},
        {"{\"skin\":\"yasuo/36\",\"options\":{}}", "yasuo/36", ""},
        {"{\"skin\":1e3}", "1000", ""},
        {"{\"skin\":9007199254740992}", "9007199254740992", ""},
        {"{\"options\":{\"max_texture\":512,\"content\":\"rig\"},\"skin\":1}", "1",
         "content=rig&max_texture=512"},
        {"{\"skin\":1,\"options\":{\"max_texture\":\"512\"}}", "1", "max_texture=512"},
        {"{\"skin\":1,\"options\":{\"clips\":[\"idle*\",\"run\"]}}", "1", "clips=idle*,run"},
        {"{\"skin\":1,\"options\":{\"clips\":\"*\",\"content\":\"full\"}}", "1", ""},
        {"{\"skin\":1,\"options\":{\"max-texture\":64}}", "1", "max_texture=64"},
        {"{\"skin\":\"\\u0079asuo/36\"}", "yasuo/36", ""},
        {"{\"skin\":1,\"options\":{\"layers\":\"none\"}}", "1", ""},
        {"{\"skin\":1,\"options\":{\"layers\":\"auto:Run\"}}", "1",
         "layers={\"name\":\"layers\",\"auto\":[\"Run\"]}"},
        {"{\"skin\":1,\"options\":{\"layers\":{\"duration\":1,\"commands\":[{\"at\":0,\"op\":\"play\","
         "\"slot\":0,\"clip\":\"R&B\"}]},\"content\":\"full\"}}",
         "1",
         "layers={\"name\":\"layers\",\"duration\":1,\"commands\":[{\"at\":0,\"op\":\"play\",\"slot\":0,"
         "\"clip\":\"R\\u0026B\"}]}"},
        {"{\"skin\":\"a{[\\\"\"}", "a{[\"", ""},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].body);
        setup();
        rift_job_body body;
        if (!CHECK_OK(rift_job_body_parse(&body, bytes_of(rows[i].body), (rift_str){0}, &arena, &err), &err))
            continue;
        CHECK_STR(body.skin, rift_str_c(rows[i].skin));
        CHECK_STR(rift_options_text(&body.options, &arena), rift_str_c(rows[i].options));
    }
}

static void refuses_bodies(void)
{
    static const struct {
        const char *body;
        const char *where;
    } rows[] = {
        {"", "body"},
        {"{", "body"},
        {"null", "body"},
        {"{\"skin\":1,\"options\":{\"layers\":{\"duration\":1,\"commands\":[{\"at\":0,\"op\":\"fade\","
         "\"slot\":0,\"weight\":0}]}}}",
         "options.layers.commands[0].seconds"},
        {"{\"skin\":1,\"options\":{\"layers\":{\"foo\":1}}}", "options.layers.foo"},
        {"{\"skin\":1,\"options\":{\"layers\":7}}", "options.layers"},
        {"[]", "body"},
        {"1", "body"},
        {"{\"skin\":1}{", "body"},
        {"{\"skin\":1}x", "body"},
        {"{\"skin\":1,}", "body"},
        {"{'skin':1}", "body"},
        {"{\"skin\":\"\xff\"}", "body"},
        {"{\"skin\":\"a\\u0000b\"}", "body"},
        {"{\"skin\":[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]}", "body"},
        {"{}", "skin"},
        {"{\"skin\":\"\"}", "skin"},
        {"{\"skin\":null}", "skin"},
        {"{\"skin\":true}", "skin"},
        {"{\"skin\":1.5}", "skin"},
        {"{\"skin\":-1}", "skin"},
        {"{\"skin\":1e300}", "skin"},
        {"{\"skin\":9007199254740994}", "skin"},
        {"{\"skin\":[1]}", "skin"},
        {"{\"skin\":1,\"skin\":1}", "skin"},
        {"{\"skin\":1,\"Skin\":2}", "Skin"},
        {"{\"skin\":1,\"extra\":1}", "extra"},
        {"{\"skin\":1,\"options\":1}", "options"},
        {"{\"skin\":1,\"options\":[]}", "options"},
        {"{\"skin\":1,\"options\":{\"nonsense\":1}}", "options"},
        {"{\"skin\":1,\"options\":{\"content\":\"x\"}}", "content"},
        {"{\"skin\":1,\"options\":{\"content\":true}}", "content"},
        {"{\"skin\":1,\"options\":{\"content\":{}}}", "content"},
        {"{\"skin\":1,\"options\":{\"content\":\"rig\",\"content\":\"rig\"}}", "content"},
        {"{\"skin\":1,\"options\":{\"clips\":[]}}", "clips"},
        {"{\"skin\":1,\"options\":{\"clips\":[1]}}", "clips"},
        {"{\"skin\":1,\"options\":{\"clips\":[\"a,b\"]}}", "clips"},
        {"{\"skin\":1,\"options\":{\"clips\":[\"\"]}}", "clips"},
        {"{\"skin\":1,\"options\":{\"clips\":\"a&content=rig\"}}", "clips"},
        {"{\"skin\":1,\"options\":{\"clips\":\"a\\nb\"}}", "clips"},
        {"{\"skin\":1,\"options\":{\"max_texture\":63}}", "max_texture"},
        {"{\"skin\":1,\"options\":{\"max_texture\":64.5}}", "max_texture"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].body);
        setup();
        rift_job_body body;
        CHECK(!rift_job_body_parse(&body, bytes_of(rows[i].body), (rift_str){0}, &arena, &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK_STR(rift_str_c(err.where), rift_str_c(rows[i].where));
    }
}

/* Comparing each with each of thousands would hold the loop for a second. */
static void refuses_many_members(void)
{
    for (unsigned in_options = 0; in_options < 2; in_options++) {
        check_row("in options: %u", in_options);
        char members[1024] = "", text[1200];
        size_t size = 0;
        for (unsigned i = 0; i < 65; i++)
            size +=
                (size_t)snprintf(members + size, sizeof members - size, "%s\"m%u\":1", i > 0 ? "," : "", i);
        (void)snprintf(text, sizeof text, in_options ? "{\"skin\":1,\"options\":{%s}}" : "{%s}", members);
        setup();
        rift_job_body body;
        CHECK(!rift_job_body_parse(&body, bytes_of(text), (rift_str){0}, &arena, &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK_STR(rift_str_c(err.text), RIFT_STR("an object has more than 64 members"));
    }
}

/* cJSON would recurse a thousand levels, and more when built otherwise: the depth is checked before it sees the text. */
static void refuses_depth_before_parsing(void)
{
    setup();
    static char deep[60000];
    memset(deep, '[', sizeof deep);
    rift_job_body body;
    CHECK(!rift_job_body_parse(&body, (rift_bytes){(const uint8_t *)deep, sizeof deep}, (rift_str){0}, &arena,
                               &err));
    CHECK(strstr(err.text, "deeper than 16") != NULL);
    CHECK_U64(err.offset, 16);
}

static void reads_queries(void)
{
    static const struct {
        const char *query;
        const char *options; /* NULL: refused */
        const char *where;
    } rows[] = {
        {"", "", ""},
        {"content=rig", "content=rig", ""},
        {"max_texture=512&content=rig", "content=rig&max_texture=512", ""},
        {"clips=idle%2A%2Crun", "clips=idle*,run", ""},
        {"clips=a+b", "clips=a b", ""},
        {"content=full", "", ""},
        {"content=rig&content=mesh", NULL, "content"},
        {"content", NULL, "content"},
        {"content=", NULL, "content"},
        {"Content=rig", NULL, "options"},
        {"nonsense=1", NULL, "options"},
        {"clips=a%26b", NULL, "clips"},
        {"clips=a%01b", NULL, "clips"},
        {"clips=%ff", NULL, "clips"},
        {"clips=%", NULL, "query"},
        {"layers=%7B%22foo%22:1%7D", NULL, "layers.foo"},
        {"layers=7", NULL, "layers"},
        {"layers=%7B", NULL, "layers"},
        {"layers=auto:1,2,3,4,5,6,7,8,9", NULL, "layers"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].query);
        setup();
        rift_options options;
        const bool ok = rift_query_options(&options, rift_str_c(rows[i].query), (rift_str){0}, &arena, &err);
        CHECK_U64(ok, rows[i].options != NULL);
        CHECK_STR(rift_str_c(err.where), rift_str_c(rows[i].where));
        if (ok)
            CHECK_STR(rift_options_text(&options, &arena), rift_str_c(rows[i].options));
    }
}

static bool parse(rift_bytes in, rift_arena *a, rift_err *e)
{
    rift_job_body body;
    return rift_job_body_parse(&body, in, (rift_str){0}, a, e);
}

static void stands_damage(void)
{
    const rift_bytes whole =
        bytes_of("{\"skin\":\"yasuo/36\",\"options\":{\"clips\":[\"idle*\",\"run\"],\"max_texture\":512}}");
    check_prefixes(parse, whole, 0, RIFT_ERR_ARGUMENT);
    check_allocations(parse, whole);
    check_every_byte(parse, whole);
}

static void reads_pictures(void)
{
    static const struct {
        const char *query;
        uint32_t size;
        int turn;
        const char *options;
    } good[] = {
        {"", 256, 0, ""},
        {"size=16", 16, 0, ""},
        {"turn=-90&size=1024", 1024, 270, ""},
        {"turn=360", 256, 0, ""},
        {"pose=Run%20Fast@0.50&turn=359", 256, 359, "pose=Run Fast@0.5"},
    };
    static const struct {
        const char *query, *where;
    } bad[] = {
        {"size=15", "size"},         {"size=1025", "size"},    {"turn=361", "turn"},
        {"turn=-361", "turn"},       {"turn=", "turn"},        {"pose=Run", "pose"},
        {"pose=a@", "pose"},         {"hidden=omit", "query"}, {"background=0", "query"},
        {"size=64&size=64", "size"}, {"pose=a%26b@0", "pose"},
    };
    rift_options options;
    rift_view view;
    for (size_t i = 0; i < RIFT_COUNT(good); i++) {
        check_row("%s", good[i].query);
        setup();
        if (!CHECK_OK(rift_query_picture(&options, &view, rift_str_c(good[i].query), &arena, &err), &err))
            continue;
        CHECK_U64(view.size, good[i].size);
        CHECK_I64(view.turn, good[i].turn);
        CHECK_U64(view.background[3], 0);
        CHECK_STR(rift_options_text(&options, &arena), rift_str_c(good[i].options));
    }
    for (size_t i = 0; i < RIFT_COUNT(bad); i++) {
        check_row("%s", bad[i].query);
        setup();
        CHECK(!rift_query_picture(&options, &view, rift_str_c(bad[i].query), &arena, &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK_STR(rift_str_c(err.where), rift_str_c(bad[i].where));
    }
}

static void reads_batches(void)
{
    static const struct {
        const char *body;
        size_t skins;
        const char *last, *champion, *options;
        bool all;
    } rows[] = {
        {"{\"skins\":[157036]}", 1, "157036", "", "", false},
        {"{\"skins\":[1,\"yasuo/36\"],\"options\":{\"content\":\"rig\"}}", 2, "yasuo/36", "", "content=rig",
         false},
        {"{\"skins\":\"all\"}", 0, "", "", "", true},
        {"{\"champion\":\"Yasuo\"}", 0, "", "Yasuo", "", false},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].body);
        setup();
        rift_batch_body body;
        if (!CHECK_OK(rift_batch_body_parse(&body, bytes_of(rows[i].body), (rift_str){0}, &arena, &err),
                      &err))
            continue;
        CHECK_U64(body.skin_count, rows[i].skins);
        if (body.skin_count > 0)
            CHECK_STR(body.skins[body.skin_count - 1], rift_str_c(rows[i].last));
        CHECK_STR(body.champion, rift_str_c(rows[i].champion));
        CHECK_STR(rift_options_text(&body.options, &arena), rift_str_c(rows[i].options));
        CHECK_U64(body.all, rows[i].all);
    }
}

static void refuses_batches(void)
{
    static const struct {
        const char *body;
        const char *where;
    } rows[] = {
        {"[]", "body"},
        {"{}", "skins"},
        {"{\"skins\":[]}", "skins"},
        {"{\"skins\":\"ALL\"}", "skins"},
        {"{\"skins\":1}", "skins"},
        {"{\"skins\":[1.5]}", "skins"},
        {"{\"skins\":[[1]]}", "skins"},
        {"{\"skins\":[null]}", "skins"},
        {"{\"champion\":\"\"}", "champion"},
        {"{\"champion\":157}", "champion"},
        {"{\"skins\":\"all\",\"champion\":\"x\"}", "champion"},
        {"{\"skins\":[1],\"skins\":[2]}", "skins"},
        {"{\"skins\":[1],\"skin\":2}", "skin"},
        {"{\"skins\":[1],\"options\":{\"content\":\"x\"}}", "content"},
        {"{\"skins\":[1]} x", "body"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].body);
        setup();
        rift_batch_body body;
        CHECK(!rift_batch_body_parse(&body, bytes_of(rows[i].body), (rift_str){0}, &arena, &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK_STR(rift_str_c(err.where), rift_str_c(rows[i].where));
    }
}

/* One more than a batch may have. */
static void bounds_batches(void)
{
    setup();
    rift_buf text;
    rift_buf_init(&text, &arena, 1 << 20);
    rift_buf_str(&text, RIFT_STR("{\"skins\":[0"));
    for (int i = 0; i < 20000; i++)
        rift_buf_str(&text, RIFT_STR(",1"));
    rift_buf_str(&text, RIFT_STR("]}"));
    rift_batch_body body;
    CHECK(!rift_batch_body_parse(&body, rift_buf_bytes(&text), (rift_str){0}, &arena, &err));
    CHECK_STR(rift_str_c(err.where), RIFT_STR("skins"));
}

/* Two remarks a and b of a report, as {"code":"a","count":2,…}. */
static void tells_what_a_report_gained(void)
{
#define REPORT(list) "{\"stage\":\"done\",\"report\":[" list "]}"
#define CODE(code, count) \
    "{\"code\":\"" code "\",\"count\":" count ",\"examples\":[\"\\\"code\\\":\\\"x\\\"\"]}"
    static const struct {
        const char *now, *before, *gained;
    } rows[] = {
        {REPORT(""), REPORT(""), ""},
        {REPORT(CODE("a", "1")), REPORT(""), "a"},
        {REPORT(CODE("a", "1")), REPORT(CODE("a", "1")), ""},
        {REPORT(CODE("a", "2")), REPORT(CODE("a", "1")), "a"},
        {REPORT(CODE("a", "1")), REPORT(CODE("a", "2")), ""},
        {REPORT(""), REPORT(CODE("a", "2")), ""},
        {REPORT(CODE("b", "1") "," CODE("a", "3")), REPORT(CODE("a", "2")), "b a"},
        {REPORT(CODE("ab", "1")), REPORT(CODE("abc", "1")), "ab"},
        {REPORT(CODE("a", "1")), "", ""},
        {REPORT(CODE("a", "1")), "{}", ""},
        {REPORT(CODE("a", "1")), "{", ""},
        {"", REPORT(CODE("a", "1")), ""},
        {"{\"report\":[1,{},{\"code\":2,\"count\":1}]}", REPORT(""), ""},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s, %s", rows[i].now, rows[i].before);
        setup();
        CHECK_STR(rift_report_gained(rift_str_c(rows[i].now), rift_str_c(rows[i].before), &arena),
                  rift_str_c(rows[i].gained));
    }
#undef CODE
#undef REPORT
}

static void tells_what_was_not_read(void)
{
#define LIST "[{\"format\":\"anm\",\"what\":\"compressed version 9\",\"count\":2}]"
    static const struct {
        const char *text, *report, *error;
    } rows[] = {
        {"{\"counts\":{\"unsupported\":2},\"unsupported\":" LIST ",\"report\":[]}", LIST, ""},
        {"{\"counts\":{\"unsupported\":0},\"report\":[]}", "", ""},
        {"{\"detail\":\"version 5.1\",\"code\":\"unsupported\",\"stage\":\"mesh\",\"file\":\"A/B.skn\"}", "",
         "[{\"format\":\"skn\",\"what\":\"version 5.1\",\"count\":1}]"},
        {"{\"detail\":\"version 5.1\",\"code\":\"format\",\"file\":\"A/B.skn\"}", "", ""},
        {"{\"code\":\"unsupported\"}", "", "[{\"format\":\"\",\"what\":\"\",\"count\":1}]"},
        {"{\"unsupported\":3}", "", ""},
        {"{", "", ""},
        {"", "", ""},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s", rows[i].text);
        setup();
        CHECK_STR(rift_report_unsupported_in(rift_str_c(rows[i].text), &arena), rift_str_c(rows[i].report));
        CHECK_STR(rift_error_unsupported(rift_str_c(rows[i].text), &arena), rift_str_c(rows[i].error));
    }
#undef LIST
}

/* What a request says over what the operator set, from every way of asking. */
static void operators_defaults_stand_below(void)
{
    static const char web[] = "texture=webp&max_texture=1024&compress=meshopt";
    static const char archive[] = "hidden=include&shading=pbr&units=league&keys=cubic";
    static const struct {
        const char *defaults, *query, *json, *text;
    } rows[] = {
        {"", "", "{}", ""},
        {web, "", "{}", web},
        {web, "texture=png", "{\"texture\":\"png\"}", "max_texture=1024&compress=meshopt"},
        {web, "max_texture=unlimited", "{\"max_texture\":\"unlimited\"}", "texture=webp&compress=meshopt"},
        {web, "max_texture=64", "{\"max_texture\":64}", "texture=webp&max_texture=64&compress=meshopt"},
        {web, "compress=none&texture=png&max_texture=unlimited",
         "{\"compress\":\"none\",\"texture\":\"png\",\"max_texture\":\"unlimited\"}", ""},
        {web, "content=rig", "{\"content\":\"rig\"}",
         "content=rig&texture=webp&max_texture=1024&compress=meshopt"},
        /* a profile is all that can have another default */
        {web, "profile=full", "{\"profile\":\"full\"}", ""},
        {archive, "profile=full", "{\"profile\":\"full\"}", ""},
        {archive, "profile=web", "{\"profile\":\"web\"}", web},
        {archive, "shading=pbr&profile=full", "{\"shading\":\"pbr\",\"profile\":\"full\"}", "shading=pbr"},
        {archive, "profile=full&units=league", "{\"profile\":\"full\",\"units\":\"league\"}", "units=league"},
        {archive, "keys=adaptive", "{\"keys\":\"adaptive\"}", "hidden=include&shading=pbr&units=league"},
        {"clips=idle*,run*", "clips=*", "{\"clips\":[\"*\"]}", ""},
        {"clips=idle*,run*", "clips=none", "{\"clips\":\"none\"}", "clips=none"},
        {"clips=idle*,run*", "pose=Run@1", "{\"pose\":\"Run@1\"}", "clips=idle*,run*&pose=Run@1"},
        {"clips=idle*,run*", "pose=none", "{\"pose\":\"none\"}", "clips=idle*,run*"},
        {"clips=idle*,run*", "layers=none", "{\"layers\":\"none\"}", "clips=idle*,run*"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("%s below %s", rows[i].defaults, rows[i].query);
        const rift_str defaults = rift_str_c(rows[i].defaults);
        rift_options options;
        rift_job_body job;
        rift_batch_body batch;
        err = check_err();
        CHECK_OK(rift_query_options(&options, rift_str_c(rows[i].query), defaults, &arena, &err), &err);
        CHECK_STR(rift_options_text(&options, &arena), rift_str_c(rows[i].text));
        CHECK_OK(rift_body_options(&options, bytes_of(rows[i].json), defaults, &arena, &err), &err);
        CHECK_STR(rift_options_text(&options, &arena), rift_str_c(rows[i].text));
        const rift_str one = rift_arena_printf(&arena, "{\"skin\":1,\"options\":%s}", rows[i].json);
        const rift_bytes one_bytes = {(const uint8_t *)one.data, one.size};
        CHECK_OK(rift_job_body_parse(&job, one_bytes, defaults, &arena, &err), &err);
        CHECK_STR(rift_options_text(&job.options, &arena), rift_str_c(rows[i].text));
        const rift_str many = rift_arena_printf(&arena, "{\"options\":%s,\"skins\":[1]}", rows[i].json);
        const rift_bytes many_bytes = {(const uint8_t *)many.data, many.size};
        CHECK_OK(rift_batch_body_parse(&batch, many_bytes, defaults, &arena, &err), &err);
        CHECK_STR(rift_options_text(&batch.options, &arena), rift_str_c(rows[i].text));
    }
    check_row("%s", "");
    rift_job_body job;
    CHECK_OK(rift_job_body_parse(&job, bytes_of("{\"skin\":1}"), rift_str_c(web), &arena, &err), &err);
    CHECK_STR(rift_options_text(&job.options, &arena), rift_str_c(web));
}

/* In the order of the rows of options: profile, content, clips, texture, max_texture, compress … */
static void operators_defaults_are_checked(void)
{
    static const struct {
        const char *values[RIFT_OPTION_COUNT];
        const char *text;  /* NULL: refused */
        const char *where; /* then */
        const char *part;  /* of the refusal's text */
    } rows[] = {
        {{NULL}, "", NULL, NULL},
        {{"full"}, "", NULL, NULL},
        {{"web"}, "texture=webp&max_texture=1024&compress=meshopt", NULL, NULL},
        {{"web", NULL, NULL, "png", "unlimited"}, "compress=meshopt", NULL, NULL},
        {{NULL, "rig", "Idle*,run", "none"}, "content=rig&clips=Idle*,run&texture=none", NULL, NULL},
        {{"tiny"}, NULL, "default-profile", "full|web|lite|archive"},
        {{NULL, NULL, NULL, "bmp"}, NULL, "default-texture", "\"bmp\" is not one of png|webp|jpeg|none"},
        {{NULL, NULL, NULL, NULL, "63"}, NULL, "default-max-texture", "unlimited|64-4096"},
        {{NULL, NULL, "a&units=league"}, NULL, "default-clips", "a character that no value has"},
        {{NULL, NULL, "\xff"}, NULL, "default-clips", "UTF-8"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        check_row("row %zu", i);
        rift_str text = RIFT_STR("as it was");
        err = check_err();
        const bool ok = rift_options_defaults(&text, rows[i].values, &arena, &err);
        CHECK_U64(ok, rows[i].text != NULL);
        CHECK_STR(text, rift_str_c(ok ? rows[i].text : "as it was"));
        if (ok)
            continue;
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK_STR(rift_str_c(err.where), rift_str_c(rows[i].where));
        CHECK(strstr(err.text, rows[i].part) != NULL);
    }
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    RUN(reads_jobs);
    RUN(refuses_bodies);
    RUN(refuses_many_members);
    RUN(refuses_depth_before_parsing);
    RUN(reads_queries);
    RUN(stands_damage);
    RUN(reads_pictures);
    RUN(reads_batches);
    RUN(refuses_batches);
    RUN(bounds_batches);
    RUN(tells_what_a_report_gained);
    RUN(tells_what_was_not_read);
    RUN(operators_defaults_stand_below);
    RUN(operators_defaults_are_checked);
    rift_arena_release(&arena);
    return check_finish();
}
