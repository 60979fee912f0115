/* Timelines from JSON: what is taken, what is refused and how it is named, and the canonical text. */
#include "timeline/timeline.h"

#include "base/str.h"
#include "support/check.h"

static rift_arena arena;

static bool parse(rift_timeline *out, const char *json, rift_err *err)
{
    *err = check_err();
    return rift_timeline_parse(out, (rift_bytes){(const uint8_t *)json, strlen(json)}, &arena, err);
}

static void example(void)
{
    rift_timeline t = {0};
    rift_err err;
    /* api.md section 4. */
    CHECK_OK(parse(&t,
                   "{\"name\":\"RunAndPunch\",\"duration\":1.6,\"loop\":false,\"fps\":30,\"commands\":["
                   "{\"at\":0,\"op\":\"play\",\"slot\":0,\"clip\":\"Run\",\"loop\":true},"
                   "{\"at\":0.3,\"op\":\"play_masked\",\"slot\":2,\"clip\":\"Attack1\",\"mask\":\"upper\"},"
                   "{\"at\":0.9,\"op\":\"fade\",\"slot\":2,\"weight\":0,\"seconds\":0.25}]}",
                   &err),
             &err);
    CHECK_STR(t.name, RIFT_STR("RunAndPunch"));
    CHECK_NEAR(t.duration, 1.6, 0);
    CHECK_U64(t.command_count, 3);
    if (t.command_count != 3)
        return;
    CHECK(t.commands[0].op == RIFT_LAYER_PLAY && t.commands[0].loop && !t.commands[0].has_start);
    CHECK_NEAR(t.commands[0].speed, 1, 0);
    CHECK_NEAR(t.commands[0].weight, 1, 0);
    CHECK(t.commands[0].mask == RIFT_LAYER_NONE);
    CHECK(t.commands[1].op == RIFT_LAYER_PLAY_MASKED && !t.commands[1].loop && t.commands[1].slot == 2);
    CHECK_U64(t.mask_count, 1);
    CHECK_STR(t.masks[t.commands[1].mask].name, RIFT_STR("upper"));
    CHECK(t.masks[0].kind == RIFT_LAYER_MASK_NAMED);
    CHECK(t.commands[2].op == RIFT_LAYER_FADE);
    CHECK_NEAR(t.commands[2].weight, 0, 0);
    CHECK_NEAR(t.commands[2].seconds, 0.25, 0);
}

#define T(commands) "{\"duration\":1,\"commands\":[" commands "]}"
#define PLAY "{\"at\":0,\"op\":\"play\",\"slot\":0,\"clip\":\"Run\"}"
#define MASKED(mask) T("{\"at\":0,\"op\":\"play_masked\",\"slot\":0,\"clip\":\"Run\",\"mask\":" mask "}")

static const struct refusal {
    const char *json, *where, *text;
} refusals[] = {
    {"", "layers", "is no JSON"},
    {"{", "layers", "is no JSON"},
    {"{}x", "layers", "is no JSON"},
    {"[]", "layers", "is no object"},
    {"\xff", "layers", "is not UTF-8"},
    {"{\"name\":\"a\\u0000b\"}", "layers", "holds a NUL"},
    {"[[[[[[[[[1]]]]]]]]]", "layers", "nests deeper than 8"},
    {"{}", "duration", "is missing"},
    {"{\"duration\":1}", "commands", "is missing"},
    {"{\"commands\":[]}", "duration", "is missing"},
    {"{\"duration\":1,\"commands\":[],\"speed\":1}", "speed", "is not known here"},
    {"{\"duration\":1,\"duration\":2,\"commands\":[]}", "duration", "stands there twice"},
    {"{\"duration\":0,\"commands\":[]}", "duration", "is not above 0"},
    {"{\"duration\":-1,\"commands\":[]}", "duration", "is not above 0"},
    {"{\"duration\":600.001,\"commands\":[]}", "duration", "is over 600 seconds"},
    {"{\"duration\":1e999,\"commands\":[]}", "duration", "is not finite"},
    {"{\"duration\":\"1\",\"commands\":[]}", "duration", "is no number"},
    {"{\"duration\":1,\"fps\":0,\"commands\":[]}", "fps", "is not within 0 and 240"},
    {"{\"duration\":1,\"fps\":241,\"commands\":[]}", "fps", "is not within 0 and 240"},
    {"{\"duration\":1,\"loop\":1,\"commands\":[]}", "loop", "is neither true nor false"},
    {"{\"duration\":1,\"name\":\"\",\"commands\":[]}", "name", "is no text"},
    {"{\"duration\":1,\"name\":\"a\\nb\",\"commands\":[]}", "name", "has a control character"},
    {"{\"duration\":1,\"commands\":{}}", "commands", "is no list"},
    {"{\"duration\":1,\"commands\":[],\"auto\":[]}", "auto", "stands beside commands"},
    {T("1"), "commands[0]", "is no object"},
    {T("{}"), "commands[0].op", "is missing"},
    {T("{\"op\":\"jump\"}"), "commands[0].op", "is no command"},
    {T(PLAY ",{\"op\":\"stop\",\"slot\":0}"), "commands[1].at", "is missing"},
    {T("{\"at\":0,\"op\":\"stop\"}"), "commands[0].slot", "is missing"},
    {T("{\"at\":0,\"op\":\"stop\",\"slot\":0.5}"), "commands[0].slot", "is no whole number"},
    {T("{\"at\":-0.1,\"op\":\"stop\",\"slot\":0}"), "commands[0].at", "is negative"},
    {T("{\"at\":1e999,\"op\":\"stop\",\"slot\":0}"), "commands[0].at", "is not finite"},
    {T("{\"at\":\"0\",\"op\":\"stop\",\"slot\":0}"), "commands[0].at", "is no number"},
    {T("{\"at\":0,\"op\":\"stop\",\"slot\":0,\"clip\":\"Run\"}"), "commands[0].clip", "is not known here"},
    {T("{\"at\":0,\"op\":\"stop\",\"op\":\"stop\",\"slot\":0}"), "commands[0].op", "stands there twice"},
    {T("{\"at\":0,\"op\":\"play\",\"slot\":0}"), "commands[0].clip", "is missing"},
    {T("{\"at\":0,\"op\":\"play\",\"slot\":0,\"clip\":3}"), "commands[0].clip", "is no text"},
    {T("{\"at\":0,\"op\":\"play\",\"slot\":0,\"clip\":\"R\",\"speed\":1e999}"), "commands[0].speed",
     "is not finite"},
    {T("{\"at\":0,\"op\":\"play\",\"slot\":0,\"clip\":\"R\",\"weight\":-1e999}"), "commands[0].weight",
     "is not finite"},
    {T("{\"at\":0,\"op\":\"play\",\"slot\":0,\"clip\":\"R\",\"start\":-1}"), "commands[0].start",
     "is negative"},
    {T("{\"at\":0,\"op\":\"play\",\"slot\":0,\"clip\":\"R\",\"mask\":null}"), "commands[0].mask",
     "is not known here"},
    {T("{\"at\":0,\"op\":\"play_masked\",\"slot\":0,\"clip\":\"R\"}"), "commands[0].mask", "is missing"},
    {T("{\"at\":0,\"op\":\"play_additive\",\"slot\":0,\"clip\":\"R\",\"base\":\"rest\"}"), "commands[0].base",
     "is neither bind nor identity"},
    {T("{\"at\":0,\"op\":\"set_mask\",\"slot\":0}"), "commands[0].mask", "is missing"},
    {T("{\"at\":0,\"op\":\"set_weight\",\"slot\":0}"), "commands[0].weight", "is missing"},
    {T("{\"at\":0,\"op\":\"fade\",\"slot\":0,\"weight\":1}"), "commands[0].seconds", "is missing"},
    {T("{\"at\":0,\"op\":\"fade\",\"slot\":0,\"weight\":1,\"seconds\":1e999}"), "commands[0].seconds",
     "is not finite"},
    {T("{\"at\":0,\"op\":\"set_mode\",\"slot\":0}"), "commands[0].mode", "is missing"},
    {T("{\"at\":0,\"op\":\"set_mode\",\"slot\":0,\"mode\":\"mix\"}"), "commands[0].mode",
     "is neither replace nor additive"},
    {MASKED("7"), "commands[0].mask", "is neither a name, an object nor null"},
    {MASKED("\"\""), "commands[0].mask", "is no text"},
    {MASKED("{\"includes\":[]}"), "commands[0].mask.includes", "is not known here"},
    {MASKED("{\"include\":\"A\"}"), "commands[0].mask.include", "is no list"},
    {MASKED("{\"include\":[1]}"), "commands[0].mask.include", "is no text"},
    {MASKED("{\"self_only\":0}"), "commands[0].mask.self_only", "is neither true nor false"},
    {MASKED("{\"weight_list\":[\"1\"]}"), "commands[0].mask.weight_list",
     "has something that is no finite number"},
    {MASKED("{\"weight_list\":[1e999]}"), "commands[0].mask.weight_list",
     "has something that is no finite number"},
    {MASKED("{\"weight_list\":[1],\"include\":[]}"), "commands[0].mask.weight_list",
     "stands beside a list of names"},
    {"{\"auto\":1}", "auto", "is no list"},
    {"{\"auto\":[1]}", "auto[0]", "is no object"},
    {"{\"auto\":[{}]}", "auto[0].clip", "is missing"},
    {"{\"auto\":[{\"clip\":\"R\",\"mode\":\"additive\"}]}", "auto[0].base", "is missing"},
    {"{\"auto\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]}", "auto",
     "has more clips than there are slots"},
};

static void wrong_ones_are_named(void)
{
    for (size_t i = 0; i < RIFT_COUNT(refusals); i++) {
        rift_timeline t = {0};
        rift_err err;
        check_row("%zu: %s", i, refusals[i].json);
        CHECK(!parse(&t, refusals[i].json, &err));
        CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
        CHECK_STR(rift_str_c(err.where), rift_str_c(refusals[i].where));
        CHECK_STR(rift_str_c(err.text), rift_str_c(refusals[i].text));
        CHECK(t.commands == NULL);
    }
}

/* L38 and the reader's own bounds, one below and one above. */
static void bounds(void)
{
    static char text[1 << 20];
    for (int over = 0; over < 2; over++) {
        rift_timeline t = {0};
        rift_err err;
        size_t n = (size_t)snprintf(text, sizeof text, "{\"duration\":1,\"commands\":[");
        for (int i = 0; i < RIFT_LAYER_MAX_COMMANDS + over; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s{\"at\":0,\"op\":\"stop\",\"slot\":0}",
                                  i > 0 ? "," : "");
        (void)snprintf(text + n, sizeof text - n, "]}");
        check_row("%d commands", RIFT_LAYER_MAX_COMMANDS + over);
        CHECK(parse(&t, text, &err) == (over == 0));
        CHECK_STR(rift_str_c(err.text), rift_str_c(over ? "10001 commands are over 10000" : ""));
    }
    for (int over = 0; over < 2; over++) {
        rift_timeline t = {0};
        rift_err err;
        size_t n = (size_t)snprintf(text, sizeof text, "{\"duration\":1,\"commands\":[");
        for (int i = 0; i < RIFT_TIMELINE_MAX_MASKS + over; i++)
            n += (size_t)snprintf(
                text + n, sizeof text - n,
                "%s{\"at\":0,\"op\":\"set_mask\",\"slot\":0,\"mask\":{\"include\":[\"%d\"]}}",
                i > 0 ? "," : "", i);
        (void)snprintf(text + n, sizeof text - n, "]}");
        check_row("%d masks", RIFT_TIMELINE_MAX_MASKS + over);
        CHECK(parse(&t, text, &err) == (over == 0));
        CHECK(over == 0 || strcmp(err.where, "commands[256].mask") == 0);
    }
}

/* --- the option ---------------------------------------------------------------------------------------------------- */

static rift_str text_of(const char *value, rift_err *err)
{
    rift_options o = rift_options_default();
    *err = check_err();
    if (!rift_timeline_option(&o, rift_str_c(value), &arena, err))
        return RIFT_STR("refused");
    CHECK((o.timeline != NULL) == (o.layers.size > 0));
    return rift_options_text(&o, &arena);
}

static void canonical(void)
{
    static const struct {
        const char *label, *value, *text;
    } rows[] = {
        {"none", "none", ""},
        {"plain auto", "auto", "layers={\"name\":\"layers\",\"auto\":[]}"},
        {"auto with clips", "auto:Run, Attack1",
         "layers={\"name\":\"layers\",\"auto\":[\"Run\",\"Attack1\"]}"},
        {"defaults go, members sort",
         " { \"commands\" : [ "
         "{\"slot\":0,\"weight\":1.0,\"speed\":1,\"loop\":false,\"clip\":\"Run\",\"op\":\"play\",\"at\":0.0} "
         "],"
         " \"fps\":30.0, \"loop\":false, \"duration\":1.50, \"name\":\"layers\" } ",
         "layers={\"name\":\"layers\",\"duration\":1.5,\"commands\":[{\"at\":0,\"op\":\"play\",\"slot\":0,"
         "\"clip\":\"Run\"}]}"},
        {"commands in order of time",
         T("{\"at\":0.5,\"op\":\"stop\",\"slot\":1},{\"at\":0,\"op\":\"stop\",\"slot\":2}"),
         "layers={\"name\":\"layers\",\"duration\":1,\"commands\":[{\"at\":0,\"op\":\"stop\",\"slot\":2},"
         "{\"at\":0.5,\"op\":\"stop\",\"slot\":1}]}"},
        {"one instant keeps its order",
         T("{\"at\":0.1000005,\"op\":\"stop\",\"slot\":1},{\"at\":0.1,\"op\":\"stop\",\"slot\":2}"),
         "layers={\"name\":\"layers\",\"duration\":1,\"commands\":[{\"at\":0.1000005,\"op\":\"stop\","
         "\"slot\":1},"
         "{\"at\":0.1,\"op\":\"stop\",\"slot\":2}]}"},
        {"no ampersand", T("{\"at\":0,\"op\":\"play\",\"slot\":0,\"clip\":\"R&B\"}"),
         "layers={\"name\":\"layers\",\"duration\":1,\"commands\":[{\"at\":0,\"op\":\"play\",\"slot\":0,"
         "\"clip\":"
         "\"R\\u0026B\"}]}"},
        {"everything said",
         "{\"name\":\"N\",\"duration\":2,\"loop\":true,\"fps\":60,\"commands\":["
         "{\"at\":0,\"op\":\"play_additive\",\"slot\":-3,\"clip\":\"C\",\"mask\":{\"name\":\"m\",\"include\":"
         "[\"A\"],"
         "\"exclude\":[\"B\"],\"self_only\":true},\"loop\":true,\"speed\":-2,\"weight\":0.5,\"start\":0.25,"
         "\"base\":\"identity\"},"
         "{\"at\":1,\"op\":\"set_mask\",\"slot\":0,\"mask\":{\"weight_list\":[0,0.5,1]}},"
         "{\"at\":1,\"op\":\"set_mask\",\"slot\":0,\"mask\":null},"
         "{\"at\":1,\"op\":\"set_mode\",\"slot\":0,\"mode\":\"additive\"},"
         "{\"at\":1,\"op\":\"set_weight\",\"slot\":0,\"weight\":-3},"
         "{\"at\":1,\"op\":\"fade\",\"slot\":0,\"weight\":0,\"seconds\":-1},"
         "{\"at\":1,\"op\":\"play_masked\",\"slot\":1,\"clip\":\"D\",\"mask\":\"game:U\"}]}",
         "layers={\"name\":\"N\",\"duration\":2,\"loop\":true,\"fps\":60,\"commands\":["
         "{\"at\":0,\"op\":\"play_additive\",\"slot\":-3,\"clip\":\"C\",\"mask\":{\"name\":\"m\",\"include\":"
         "[\"A\"],"
         "\"exclude\":[\"B\"],\"self_only\":true},\"loop\":true,\"speed\":-2,\"weight\":0.5,\"start\":0.25,"
         "\"base\":\"identity\"},"
         "{\"at\":1,\"op\":\"set_mask\",\"slot\":0,\"mask\":{\"weight_list\":[0,0.5,1]}},"
         "{\"at\":1,\"op\":\"set_mask\",\"slot\":0,\"mask\":null},"
         "{\"at\":1,\"op\":\"set_mode\",\"slot\":0,\"mode\":\"additive\"},"
         "{\"at\":1,\"op\":\"set_weight\",\"slot\":0,\"weight\":-3},"
         "{\"at\":1,\"op\":\"fade\",\"slot\":0,\"weight\":0,\"seconds\":-1},"
         "{\"at\":1,\"op\":\"play_masked\",\"slot\":1,\"clip\":\"D\",\"mask\":\"game:U\"}]}"},
        {"auto that states its mode",
         "{\"name\":\"A\",\"duration\":3,\"auto\":[\"R\",{\"clip\":\"T\",\"mode\":\"additive\",\"base\":"
         "\"identity\"}]}",
         "layers={\"name\":\"A\",\"duration\":3,\"auto\":[\"R\",{\"clip\":\"T\",\"mode\":\"additive\","
         "\"base\":\"identity\"}]}"},
    };
    for (size_t i = 0; i < RIFT_COUNT(rows); i++) {
        rift_err err;
        check_row("%s", rows[i].label);
        const rift_str text = text_of(rows[i].value, &err);
        CHECK_STR(text, rift_str_c(rows[i].text));
        if (text.size == 0)
            continue;
        /* The text means itself. */
        char again[4096];
        (void)snprintf(again, sizeof again, "%.*s", (int)text.size - 7, text.data + 7);
        CHECK_STR(text_of(again, &err), rift_str_c(rows[i].text));
    }
}

static void option_is_refused(void)
{
    rift_err err;
    rift_options o = rift_options_default();
    CHECK_STR(text_of("auto:1,2,3,4,5,6,7,8,9", &err), RIFT_STR("refused"));
    CHECK_STR(text_of("automatic", &err), RIFT_STR("refused"));
    CHECK_STR(text_of("", &err), RIFT_STR("refused"));
    err = check_err();
    CHECK_OK(rift_timeline_option(&o, RIFT_STR("auto"), &arena, &err), &err);
    CHECK(o.layers.size > 0);
    /* Core knows only how to take it away. */
    CHECK_OK(rift_options_set(&o, RIFT_STR("layers"), RIFT_STR("none"), &arena, &err), &err);
    CHECK(o.layers.size == 0 && o.timeline == NULL);
    CHECK(!rift_options_set(&o, RIFT_STR("layers"), RIFT_STR("auto"), &arena, &err));
    CHECK_CODE(&err, RIFT_ERR_ARGUMENT);
    CHECK_STR(rift_str_c(err.where), RIFT_STR("layers"));
}

/* --- robustness ---------------------------------------------------------------------------------------------------- */

static bool parse_option(rift_bytes in, rift_arena *a, rift_err *err)
{
    rift_options o = rift_options_default();
    return rift_timeline_option(&o, (rift_str){(const char *)in.data, in.size}, a, err);
}

static void robust(void)
{
    static const char whole[] =
        "{\"duration\":2,\"commands\":[{\"at\":0,\"op\":\"play_additive\",\"slot\":3,\"clip\":\"C\",\"mask\":"
        "{\"include\":["
        "\"A\"],\"exclude\":[\"B\"],\"self_only\":true},\"speed\":-2,\"start\":0.25,\"base\":\"identity\"},{"
        "\"at\":1,\"op\":"
        "\"set_mask\",\"slot\":0,\"mask\":{\"weight_list\":[0,0.5,1]}},{\"at\":1,\"op\":\"fade\",\"slot\":0,"
        "\"weight\":0,"
        "\"seconds\":1},{\"at\":1,\"op\":\"play_masked\",\"slot\":1,\"clip\":\"D\",\"mask\":\"game:U\"}]}";
    const rift_bytes in = {(const uint8_t *)whole, sizeof whole - 1};
    check_prefixes(parse_option, in, 0, RIFT_ERR_ARGUMENT);
    check_allocations(parse_option, in);
    check_every_byte(parse_option, in);
}

int main(int argc, char **argv)
{
    check_init(argc, argv);
    rift_arena_init(&arena, 512 * 1024 * 1024);
    RUN(example);
    RUN(wrong_ones_are_named);
    RUN(bounds);
    RUN(canonical);
    RUN(option_is_refused);
    RUN(robust);
    rift_arena_release(&arena);
    return check_finish();
}
